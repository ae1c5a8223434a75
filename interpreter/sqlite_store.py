"""A store of many matches in one SQLite database, with a write-ahead log: writers take turns, readers never wait."""

from __future__ import annotations

import errno
import sqlite3
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from interpreter.errors import Conflict, LogError
from interpreter.store import Durability

APPLICATION = 0x72646C31
"""What SQLite calls an application id: "rdl1"."""

_SYNCHRONOUS = {"each": "FULL", "batch": "NORMAL", "none": "OFF"}
_WAIT = 30.0
"""Seconds that a writer waits for another one."""

_TABLES = """
CREATE TABLE IF NOT EXISTS match (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
CREATE TABLE IF NOT EXISTS line (
    match INTEGER NOT NULL REFERENCES match, n INTEGER NOT NULL, line BLOB NOT NULL, PRIMARY KEY (match, n)
) WITHOUT ROWID;
"""


class SqliteStore:
    """An SQLite database of matches, made if it is not there. See `Store`.

    With durability `batch` the write-ahead log reaches the disk when it is folded into the database.
    """

    def __init__(self, path: str | Path, durability: Durability = "each") -> None:
        """Raises:
        LogError: the file is something else.
        OSError: it cannot be opened.
        """
        self.path = Path(path)
        self.durability = durability
        self._ids: dict[str, int] = {}
        self._lock = threading.RLock()
        self._closed = False
        with self._told():
            self._base = sqlite3.connect(self.path, timeout=_WAIT, isolation_level=None, check_same_thread=False)
            try:
                self._prepare()
            except BaseException:
                self._base.close()
                raise

    def _prepare(self) -> None:
        base = self._base
        found = base.execute("PRAGMA application_id").fetchone()[0]
        if found != APPLICATION:
            if base.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
                raise LogError("format", "this is a database of something else", None, str(self.path))
            base.execute("PRAGMA journal_mode = WAL")
            base.executescript(f"BEGIN IMMEDIATE; PRAGMA application_id = {APPLICATION}; {_TABLES} COMMIT;")
        base.execute(f"PRAGMA synchronous = {_SYNCHRONOUS[self.durability]}")

    def append(self, match: str, expected: int, lines: Sequence[bytes]) -> None:
        """See `Store`."""
        with self._lock, self._told():
            base = self._base
            base.execute("BEGIN IMMEDIATE")
            try:
                number = self._id(match)
                found = 0 if number is None else self._count(number)
                if found != expected:
                    raise Conflict(expected, found, f"{self.path}#{match}")
                if number is None:
                    number = base.execute("INSERT INTO match (name) VALUES (?)", (match,)).lastrowid or 0
                rows = [(number, expected + place, line) for place, line in enumerate(lines)]
                base.executemany("INSERT INTO line VALUES (?, ?, ?)", rows)
                base.execute("COMMIT")
                self._ids[match] = number
            except BaseException:
                if base.in_transaction:
                    base.execute("ROLLBACK")
                raise

    def read(self, match: str, start: int = 0, stop: int | None = None) -> list[bytes]:
        """See `Store`."""
        with self._lock, self._told():
            number = self._id(match)
            if number is None:
                return []
            last = stop if stop is not None else 1 << 62
            rows = self._base.execute(
                "SELECT line FROM line WHERE match = ? AND n >= ? AND n < ? ORDER BY n", (number, start, last)
            )
            lines = [line for (line,) in rows]
            if not all(isinstance(line, bytes) for line in lines):
                raise LogError("altered", "the database is damaged: there is a line that is none", None, str(self.path))
            return lines

    def matches(self) -> list[tuple[str, int]]:
        """See `Store`."""
        with self._lock, self._told():
            rows = self._base.execute(
                "SELECT name, 1 + (SELECT max(n) FROM line WHERE match = id) FROM match ORDER BY name"
            )
            return [(name, count) for name, count in rows if count]

    def close(self) -> None:
        """Close the database; what was appended is durable then, unless durability is `none`."""
        with self._lock:
            if self._closed:
                return
            with self._told():
                if self.durability == "batch":
                    self._base.execute("PRAGMA wal_checkpoint(FULL)")
                self._base.close()
            self._closed = True

    # ------------------------------------------------------------ within

    def _id(self, match: str) -> int | None:
        found = self._ids.get(match)
        if found is None:
            row = self._base.execute("SELECT id FROM match WHERE name = ?", (match,)).fetchone()
            if row is None:
                return None
            found = int(row[0])
            if not self._base.in_transaction:
                self._ids[match] = found
        return found

    def _count(self, number: int) -> int:
        last: int | None = self._base.execute("SELECT max(n) FROM line WHERE match = ?", (number,)).fetchone()[0]
        return 0 if last is None else last + 1

    @contextmanager
    def _told(self) -> Iterator[None]:
        """What SQLite says of the disk and of others, as errors that say so."""
        where = str(self.path)
        try:
            if self._closed:
                raise LogError("closed", "the store is closed", None, where)
            yield
        except sqlite3.DatabaseError as problem:
            raise _error(problem, where) from problem
        except UnicodeDecodeError as problem:
            raise LogError("altered", "the database is damaged", None, where) from problem


def _error(problem: sqlite3.DatabaseError, where: str) -> Exception:
    code = getattr(problem, "sqlite_errorcode", 0) & 0xFF
    if code == sqlite3.SQLITE_FULL:
        return OSError(errno.ENOSPC, "the disk is full", where)
    if code in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM, sqlite3.SQLITE_CANTOPEN):
        return PermissionError(errno.EACCES, f"it cannot be written or opened ({problem})", where)
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return LogError("busy", f"another process has held it for {_WAIT:g} s", None, where)
    if code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
        return LogError("altered", f"the database is damaged ({problem})", None, where)
    return OSError(errno.EIO, str(problem), where)
