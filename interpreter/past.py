"""A match that was opened from a snapshot: what came before is made from the log where somebody asks for it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from interpreter import advance
from interpreter.errors import LogError
from interpreter.lines import chained, hash_of, is_more, with_more
from interpreter.node import Node
from interpreter.reading import reader_of
from interpreter.recording import writer_of
from interpreter.rules import Internal, Rules
from interpreter.snapshots import Snapshot, Snapshots, numbers_in

Lines = Callable[[int, int], Sequence[bytes]]
"""Reads the lines of a range of records."""


class LazyLine(list[Any]):
    """The positions on the way to where a match stands; those before a snapshot are record numbers until they are asked for."""

    def __init__(self, items: Iterable[Any], fetch: Callable[[int], Node]) -> None:
        super().__init__(items)
        self._fetch = fetch

    def __getitem__(self, place: Any) -> Any:
        found = super().__getitem__(place)
        if isinstance(found, list):
            return [self[i] for i in range(*place.indices(len(self)))]
        if isinstance(found, int):
            found = self._fetch(found)
            self[place] = found
        return found


class _Tree:
    """The answers of a log: `parents` is the record before each, `first` the first one that led to the same position by the
    same answers and draws, and `children` what was answered after any of these.
    """

    def __init__(self, lines: Sequence[bytes]) -> None:
        self.parents: dict[int, int] = {}
        self.first: dict[int, int] = {-1: -1}
        self.children: dict[int, list[int]] = {}
        known: dict[tuple[int, bytes], int] = {}
        here = -1
        for number, line in enumerate(lines):
            if b'],"state":"' in line:
                self.parents[number] = here
                before = self.first[here]
                first = self.first[number] = known.setdefault((before, _told(line)), number)
                if first == number:
                    self.children.setdefault(before, []).append(number)
                here = number
            elif b'"to":' in line:
                here = json.loads(line).get("to", here)


def _told(line: bytes) -> bytes:
    """What the line of an answer says of the answer and what followed."""
    told = line[line.find(b'"answer":') : line.rfind(b'],"state":"')]
    return told + b"automatic" if b',"automatic":true' in line else told


class Past:
    """The records before a snapshot, as a tree, and the positions that were made from it so far."""

    def __init__(self, rules: Rules, snapshots: Snapshots, snapshot: Snapshot, lines: Lines, plain: bool) -> None:
        """`plain`: the log is of the first format."""
        self.rules = rules
        self.last = snapshot.record
        self._snapshots = snapshots
        self._read = lines
        self._plain = plain
        self._way = list(numbers_in(snapshot.way))
        self._places = {record: place for place, record in enumerate(self._way)}
        self._linear = self._way == list(range(self.last + 1))
        self._tree: _Tree | None = None
        self._nodes: dict[int, Node] = {}
        self._complete: set[int] = set()
        self.now = self._of(snapshot)

    def line(self) -> LazyLine:
        """The way to the snapshot."""
        return LazyLine([*self._way[:-1], self.now], self.fetch)

    def line_to(self, node: Node) -> LazyLine:
        """The way to a node."""
        later: list[Any] = []
        here: Node | None = node
        while here is not None and here.record > self.last:
            later.append(here)
            here = here.parent
        before: list[int] = []
        record = -1 if here is None else here.record
        while record >= 0:
            before.append(record)
            record = self._parent(record)
        return LazyLine([*reversed(before), *reversed(later)], self.fetch)

    def fetch(self, record: int) -> Node:
        """The position after a record of a set-up or an answer.

        Raises:
            IndexError: it is none.
            LogError: the log was altered.
        """
        missing: list[int] = []
        node: Node | None = None
        number = record = self._first(record)
        while number >= 0:
            node = self._nodes.get(number) or self._snapshot(number)
            if node is not None:
                break
            missing.append(number)
            number = self._parent(number)
        for number in reversed(missing):
            node = self._made(node, number)
        if node is None:
            raise IndexError(f"record {record} is not a set-up or an answer of this match")
        return node

    def complete(self, node: Node) -> None:
        """Make the positions that answers at a node once led to, so that the draws that were made then are taken again."""
        if not 0 <= node.record <= self.last or node.record in self._complete:
            return
        self._complete.add(node.record)
        for record in self._children(node.record):
            made = self._nodes.get(record) or self._made(node, record)
            if made.move is not None:
                node.children.setdefault(made.move, made).pair(made)  # a snapshot knows nothing of the other
            if any(b',"automatic":true' in self._read(n, n + 1)[0] for n in self._children(record)):
                self.complete(made)

    # ------------------------------------------------------------ the tree

    def _first(self, record: int) -> int:
        """The first record that led to the same position by the same answers and draws.

        Raises:
            IndexError: it is no record of a set-up or an answer.
        """
        if record in self._places:
            return record
        found = self._whole().first.get(record)
        if found is None:
            raise IndexError(f"record {record} is not a set-up or an answer of this match")
        return found

    def _parent(self, record: int) -> int:
        """The first record before, on the way to a record; -1 for the set-up."""
        place = self._places.get(record)
        if place is not None:
            return self._way[place - 1] if place else -1
        return self._first(self._whole().parents[record])

    def _children(self, record: int) -> Sequence[int]:
        """The answers that were given after a record, or after others that led to the same; each once."""
        if self._linear:
            return [record + 1] if record < self.last else []
        return self._whole().children.get(record, [])

    def _whole(self) -> _Tree:
        if self._tree is None:
            self._tree = _Tree(self._read(0, self.last + 1))
        return self._tree

    # ------------------------------------------------------------ positions

    def _of(self, snapshot: Snapshot) -> Node:
        before = self._parent(snapshot.record)
        node = snapshot.node((lambda: self.fetch(before)) if before >= 0 else None)
        self._nodes[snapshot.record] = node
        return node

    def _snapshot(self, record: int) -> Node | None:
        if not any(number == record for number, _ in self._snapshots.records()):
            return None
        found = self._snapshots.get(record, self._read(record, record + 1)[0])
        return None if found is None else self._of(found)

    def _made(self, parent: Node | None, record: int) -> Node:
        """The position after a record, from the one before it: as the rules lead there, if it is as the log says.

        Raises:
            LogError: it is not.
        """
        lines = self._read(record - 1, record + 1)
        node = self._led(parent, lines[-1], record)
        writer = writer_of(self.rules)
        if node is not None:
            node.record = record
            body = writer.body(node, record, not self._plain)
            body = with_more(body) if is_more(lines[-1]) else body
            if chained(body, hash_of(lines[0]))[1] == lines[-1]:
                if parent is not None and node.move is not None:
                    node = parent.children.setdefault(node.move, node).like(node.automatic)
                    node.record = record
                self._nodes[record] = node
                return node
        raise LogError("replay", "the rules do not do what it says", record)

    def _led(self, parent: Node | None, line: bytes, record: int) -> Node | None:
        reader = reader_of(self.rules)
        draws = [draw for event, draw in reader.told_in(line) or () if event is None]
        if parent is None:
            node = advance.begun(self.rules)
        else:
            move = reader.move_in(line)
            if move is None or not self.rules.module.allows(parent.st, parent.frame, move):
                return None
            node = advance.answered(self.rules, parent, move, automatic=b',"automatic":true' in line)
        while draws and self._next(node, parent).frame is not None and self._rests(node):
            node = self._drawn(node, *draws.pop(0))
        return self._next(node, parent)

    def _rests(self, node: Node) -> bool:
        return node.frame is not None and self.rules.module.KIND[node.frame[0]] == "draw"

    def _drawn(self, node: Node, name: str, outcome: Any) -> Node:
        expected, t = self.rules.draw_of(node.frame[0])
        value: Internal | Any = self.rules.codec.internal(t, outcome, name)
        if name != expected or all(value != possible for possible, _ in advance.outcomes(self.rules, node)):
            raise LogError("replay", f"{name} cannot be drawn here")
        return advance.drawn(self.rules, node, value)

    @staticmethod
    def _next(node: Node, parent: Node | None) -> Node:
        """The node that follows its parent, where passes were made after it."""
        while node.parent is not parent:
            assert node.parent is not None
            node = node.parent
        return node
