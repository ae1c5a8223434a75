"""Snapshots of long matches: a cache that lets a match be opened, and looked at anywhere, without replaying all of it.

A snapshot is a position after a record, under the hash of that record's line: it fits no other log. It is taken only if the log
has that very line, the digest of its state is the one in the line, and rules and compiler are the same; otherwise, and where a
file is damaged or gone, the log is replayed. Nothing is ever taken from a snapshot that the log does not confirm.
"""

from __future__ import annotations

import ast
import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from attrs import frozen

from interpreter.node import Node
from interpreter.rules import Rules, hash_text
from rulesdsl.cache import compiler_digest

EVERY = 200
"""So many records lie between two snapshots, or a few more."""


@frozen
class Snapshot:
    """The position after a record, and the records that led to it: `way`, as ranges."""

    record: int
    hash: str
    depth: int
    seat: int
    move: Any
    automatic: bool
    then: Any
    reveals: tuple[int, ...]
    st: Any
    frame: Any
    way: tuple[tuple[int, int], ...]

    def node(self, parent: Callable[[], Node] | None) -> Node:
        """The position; `parent` finds the one before when it is asked for."""
        return Node(
            parent,
            self.depth,
            self.seat,
            self.move,
            self.automatic,
            self.then,
            self.reveals,
            self.st,
            self.frame,
            self.record,
        )


class Snapshots:
    """The snapshots of one match, in a file of a folder. Whatever is wrong with the file, there are just none."""

    def __init__(self, folder: str | Path, rules: Rules, header_hash: str) -> None:
        """`header_hash`: of the first line of the log."""
        self._path = Path(folder) / f"{header_hash}.snapshots"
        self._rules = rules
        self._key = f"{rules.program.digest} {compiler_digest()}".encode()
        self._lines: dict[tuple[int, str], bytes] = {}
        self._load()

    def _load(self) -> None:
        try:
            first, *rest = self._path.read_bytes().split(b"\n")
        except (OSError, ValueError):
            return
        if first != self._key:
            return
        for line in rest[:-1]:
            parts = line.split(b" ", 3)
            if len(parts) == 4 and parts[0].isdigit():
                self._lines[int(parts[0]), parts[1].decode("ascii", "replace")] = line

    def records(self) -> list[tuple[int, str]]:
        """The record and the hash of each snapshot, the latest first."""
        return sorted(self._lines, reverse=True)

    def get(self, record: int, line: bytes) -> Snapshot | None:
        """The snapshot after a record whose line this is, if there is one that fits it."""
        from interpreter.lines import hash_of

        found = self._lines.get((record, hash_of(line)))
        if found is None:
            return None
        _, name, check, payload = found.split(b" ", 3)
        try:
            if hash_text(payload).encode() != check:
                return None
            made = Snapshot(record, name.decode(), *ast.literal_eval(payload.decode()))
            if f'"state":"{self._rules.digest(made.st)}"'.encode() not in line:
                return None
        except Exception:  # damaged in whatever way: there is no such snapshot
            return None
        return made

    def add(self, record: int, hash: str, node: Node, way: Sequence[int]) -> None:
        """Take a snapshot after a record; where it cannot be kept, there is none."""
        if (record, hash) in self._lines:
            return
        said = (node.depth, node.seat, node.move, node.automatic, node.then, node.reveals, node.st, node.frame)
        payload = repr((*said, _ranges(way))).encode()
        line = b"%d %b %b %b" % (record, hash.encode(), hash_text(payload).encode(), payload)
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            if not self._lines:
                draft = self._path.with_suffix(f".{os.getpid()}.part")
                draft.write_bytes(self._key + b"\n" + line + b"\n")
                os.replace(draft, self._path)
            else:
                with open(self._path, "ab") as file:
                    file.write(line + b"\n")
        except OSError:
            return
        self._lines[record, hash] = line


def _ranges(numbers: Sequence[int]) -> tuple[tuple[int, int], ...]:
    """Ascending numbers as ranges, first and last."""
    found: list[tuple[int, int]] = []
    first = last = None
    for number in numbers:
        if last is None or number != last + 1:
            if first is not None and last is not None:
                found.append((first, last))
            first = number
        last = number
    if first is not None and last is not None:
        found.append((first, last))
    return tuple(found)


def numbers_in(ranges: Sequence[tuple[int, int]]) -> Iterator[int]:
    """The numbers of ranges."""
    for first, last in ranges:
        yield from range(first, last + 1)
