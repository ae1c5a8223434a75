"""Where logs are kept: the protocol of stores, the store in memory, and what is the same above all of them (`Journal`).

A store keeps the lines of many matches, by name. It appends lines if it holds as many as the writer thinks, reads ranges of
lines, and lists what it has; nothing else. `file_store` and `sqlite_store` are the others; `open_store` tells them apart.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Literal, Protocol

from interpreter.errors import Conflict, LogError
from interpreter.log import Log, parse_log

Durability = Literal["each", "batch", "none"]
"""When what was appended is on the disk: when `append` returns; now and then, and when the store is closed; as the system likes.

Whatever is chosen, a process that dies loses nothing that was appended; a power failure may, with `batch` and `none`.
"""

BATCH = 64
"""With durability `batch`, so many appends are made durable together."""


class Store(Protocol):
    """Keeps the lines of matches. All methods may be called from several threads, and stores be shared by processes."""

    def append(self, match: str, expected: int, lines: Sequence[bytes]) -> None:
        """Add lines (without line ends) to those of a match, all or none, if there are exactly `expected`.

        Raises:
            Conflict: there are more, or fewer.
            OSError: they cannot be stored (the disk is full ...); then nothing has changed.
        """

    def read(self, match: str, start: int = 0, stop: int | None = None) -> list[bytes]:
        """Lines `start` to before `stop` of a match, as many as there are. It never waits for a writer."""

    def matches(self) -> list[tuple[str, int]]:
        """The names of all matches and how many lines each has, in the order of the names."""

    def close(self) -> None:
        """Give back what the store holds open."""


class MemoryStore:
    """A store that lives as long as the process."""

    def __init__(self) -> None:
        self._matches: dict[str, list[bytes]] = {}
        self._lock = threading.Lock()

    def append(self, match: str, expected: int, lines: Sequence[bytes]) -> None:
        with self._lock:
            kept = self._matches.get(match, [])
            if len(kept) != expected:
                raise Conflict(expected, len(kept), match)
            self._matches[match] = [*kept, *lines]

    def read(self, match: str, start: int = 0, stop: int | None = None) -> list[bytes]:
        return self._matches.get(match, [])[start:stop]

    def matches(self) -> list[tuple[str, int]]:
        return sorted((name, len(lines)) for name, lines in self._matches.items())

    def close(self) -> None:
        pass


class Journal:
    """The lines of one match in a store. `append` may be repeated: what is there already is not written twice.

    `game.new(log=Journal(store, "friday"))` keeps a match there, and `Match.open(journal)` goes on with it.
    """

    def __init__(self, store: Store, match: str) -> None:
        self.store = store
        self.match = match

    def append(self, expected: int, lines: Sequence[bytes]) -> None:
        """Add lines after the `expected` ones that the caller knows. No lines are nothing to do.

        Where these very lines stand there already (an append that was repeated), all is well. Where only some of them do,
        or others, it is refused.

        Raises:
            Conflict: somebody else has written; `catch_up` of a match reads it.
            LogError: the journal is closed, or what is there is torn.
            OSError: the lines cannot be stored.
        """
        if not lines:
            return
        try:
            self.store.append(self.match, expected, lines)
        except Conflict as conflict:
            if conflict.found < expected + len(lines):
                raise
            if self.store.read(self.match, expected, expected + len(lines)) != list(lines):
                raise

    def lines(self, start: int = 0, stop: int | None = None) -> list[bytes]:
        """The lines from `start` to before `stop`; they are not checked."""
        return self.store.read(self.match, start, stop)

    def log(self) -> Log:
        """The log, checked.

        Raises:
            LogError: it was altered, or there is none.
        """
        lines = self.lines()
        if not lines:
            raise LogError("missing", f"there is no match {self.match}{_known(self.store)}")
        try:
            return parse_log(b"\n".join((*lines, b"")))[0]
        except LogError as problem:
            raise LogError(problem.kind, problem.what, problem.record, str(self)) from None

    def close(self) -> None:
        """Close the store."""
        self.store.close()

    def __str__(self) -> str:
        place = getattr(self.store, "path", None)
        return self.match if place is None else f"{place}#{self.match}"

    def __enter__(self) -> Journal:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _known(store: Store) -> str:
    names = [name for name, _ in store.matches()]
    if not names:
        return "; the store is empty"
    return f"; there are {', '.join(names[:8])}{' ...' if len(names) > 8 else ''}"


def copy(source: Store, match: str, target: Store, name: str | None = None) -> int:
    """Copy a match into another store, line by line, under its own name or another; how many lines it has.

    Copying again what is there already does nothing; what was added since is added there too.

    Raises:
        LogError: it was altered.
        Conflict: there is another match of that name.
    """
    log = Journal(source, match).log()
    journal = Journal(target, match if name is None else name)
    there = len(journal.lines())
    lines = log.lines()
    if list(lines[:there]) != journal.lines(0, there) or there > len(lines):
        raise Conflict(0, there, journal.match)
    journal.append(there, lines[there:])
    return len(lines)


def open_store(path: str | Path, durability: Durability = "each") -> Store:
    """The store at a path: a folder of log files, one log file (`.jsonl`), or else an SQLite database, which may be new.

    Raises:
        LogError: it is something else.
        OSError: it cannot be opened.
    """
    from interpreter.file_store import FileStore
    from interpreter.sqlite_store import SqliteStore

    path = Path(path)
    single = path.suffix == ".jsonl" and not path.is_dir()
    if single or path.is_dir():
        return FileStore(path, durability, single)
    return SqliteStore(path, durability)


def headers(store: Store) -> Iterator[tuple[str, Any, Any]]:
    """Each match of a store: its name, the header, and the last record, unchecked (None where it cannot be read)."""
    from interpreter.lines import data_of, hash_of, record_of

    for name, count in store.matches():
        try:
            first, last = store.read(name, 0, 1)[0], store.read(name, count - 1, count)[0]
            header = record_of(data_of(first, -1), -1, hash_of(first))
            yield name, header, record_of(data_of(last, count - 2), count - 2) if count > 1 else None
        except (LogError, IndexError):
            yield name, None, None
