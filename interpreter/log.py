"""The log of a match: JSON Lines, append-only, chained by hashes.

A log is a header line and then one line for each record. Nothing in it is ever rewritten: undo, redo and branches are records
too, which name the record whose position the match goes back to. `read_log` reads and checks a file; `records` describes what
stands in the lines, `lines` how they are written, `docs/log-format.md` both, for those who write a reader.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from interpreter.errors import LogError
from interpreter.lines import body_of, chained, check_end, check_line, data_of, hash_of, is_more, plain_of, record_of
from interpreter.records import (
    FORMAT,
    LANGUAGE,
    Answer,
    Attempt,
    Branch,
    End,
    Happening,
    Header,
    LoggedDraw,
    LoggedEvent,
    LoggedMove,
    Note,
    Origin,
    Record,
    Redo,
    Start,
    Undo,
)
from interpreter.rules import hash_text

if TYPE_CHECKING:
    from interpreter.game import Game
    from interpreter.view import Viewer
    from interpreter.view_log import ViewLog

if TYPE_CHECKING:
    pass


class Log:
    """A whole log, as a value. `mended` says what was dropped or completed when it was read with `repair`."""

    def __init__(self, header: Header, records: Sequence[Record], mended: str = "") -> None:
        """A log of records; their hashes are made anew."""
        lines: list[bytes] = []
        previous = ""
        for item in (header, *records):
            previous, line = chained(body_of(item), previous)
            lines.append(line)
        self._lines = tuple(lines)
        self.mended = mended

    @classmethod
    def of_lines(cls, lines: Sequence[bytes], mended: str = "") -> Log:
        """A log from its lines (without line ends), which were checked or have just been made."""
        made = cls.__new__(cls)
        made._lines, made.mended = tuple(lines), mended
        return made

    @cached_property
    def header(self) -> Header:
        header: Header = record_of(data_of(self._lines[0], -1), -1, hash_of(self._lines[0]))
        return header

    @cached_property
    def records(self) -> tuple[Record, ...]:
        """All records but the header."""
        return tuple(self._record(n) for n in range(len(self._lines) - 1))

    def _record(self, n: int) -> Any:
        data = json.loads(self._lines[n + 1])
        return record_of(data, n, data.pop("hash"))

    @cached_property
    def plain(self) -> list[dict[str, Any]]:
        """All records but the header as JSON data, hashes included."""
        return plain_of(self._lines[1:])

    def lines(self) -> tuple[bytes, ...]:
        """The lines of the file, without line ends."""
        return self._lines

    def text(self) -> str:
        """The text of the file."""
        return self.data().decode()

    def data(self) -> bytes:
        """The bytes of the file."""
        return b"\n".join((*self._lines, b""))

    @property
    def hash(self) -> str:
        """The hash of the last line, which stands for the whole log so far."""
        return hash_of(self._lines[-1])

    def __eq__(self, other: object) -> bool:
        return self._lines == other._lines if isinstance(other, Log) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._lines[-1])

    def __repr__(self) -> str:
        return f"<Log of {self.header.game}: {len(self._lines) - 1} records, {self.hash}>"

    def save(self, path: str | Path) -> None:
        """Write the log to a new file, or over one, at once and durably.

        Raises:
            OSError: it cannot be written.
        """
        save_durably(Path(path), self.data())

    def view(self, seat: Viewer = None, game: Game | None = None) -> ViewLog:
        """The log as a seat may see it (None: a spectator), by the rules of a game or its own.

        Raises:
            LogError: as `Match.from_log`.
            ValueProblem: there is no such seat.
        """
        from interpreter.view_log import view_of_log

        return view_of_log(self, seat, game)

    @property
    def answers(self) -> tuple[Answer, ...]:
        """The records of answers, undone ones too."""
        return tuple(record for record in self.records if isinstance(record, Answer))

    @property
    def end(self) -> End | None:
        """The closing record, if it is the last one but for notes."""
        rest = [record for record in self.records if not isinstance(record, Note)]
        return rest[-1] if rest and isinstance(rest[-1], End) else None


class Stretch:
    """Consecutive records of a log: those from `first` to before `last`. `before` is the hash of the line before them."""

    def __init__(self, first: int, before: str, lines: Sequence[bytes]) -> None:
        self.first = first
        self.last = first + len(lines)
        self._lines = lines
        self._before = before
        self._data: dict[int, dict[str, Any]] = {}

    @classmethod
    def of(cls, log: Log) -> Stretch:
        """All records of a log."""
        lines = log.lines()
        return cls(0, hash_of(lines[0]), lines[1:])

    def line(self, n: int) -> bytes:
        return self._lines[n - self.first]

    def data(self, n: int) -> dict[str, Any]:
        """A record as JSON data, its hash included."""
        found = self._data.get(n)
        if found is None:
            found = self._data[n] = json.loads(self.line(n))
        return found

    def hash_before(self, n: int) -> str:
        """The hash of the line before a record."""
        return hash_of(self.line(n - 1)) if n > self.first else self._before

    def record(self, n: int) -> Any:
        """A record as a value."""
        data = dict(self.data(n))
        return record_of(data, n, data.pop("hash"))


def read_on(before: int, known: Sequence[bytes], added: Sequence[bytes]) -> Stretch:
    """The records that were added to a log, checked; what is not whole yet is left out.

    `known`: the lines that are known, but for the first `before` of them, which are needed only where a record closes the log.

    Raises:
        LogError: they were altered.
    """
    kept = len(added)
    while kept and is_more(added[kept - 1]):
        kept -= 1
    last = previous = hash_of(known[-1])
    first = before + len(known) - 1
    for number, line in enumerate(added[:kept], start=first):
        data = check_line(line, previous, number)
        previous = hash_of(line)
        if data["kind"] == "end" and not before:
            check_end(record_of(data, number), [*known, *added[: number - first]], number)
    return Stretch(first, last, added[:kept])


def save_durably(target: Path, data: bytes) -> None:
    """Write a whole file, or over one: it appears at once, and is on the disk when this returns.

    Raises:
        OSError: it cannot be written; then nothing has changed.
    """
    draft = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        with open(draft, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(draft, target)
    except OSError:
        draft.unlink(missing_ok=True)
        raise
    sync_folder(target.parent)


def read_log(path: str | Path, *, repair: bool = False) -> Log:
    """Read a log file and check its chain.

    A torn end (the process that wrote it died) is refused too, unless `repair` is asked for: then the file is cut back to what
    was confirmed, or its last line ended, and `Log.mended` says so.

    Raises:
        LogError: kind "torn" for an incomplete end, "altered" for anything else that is not as it was written.
        OSError: the file cannot be read.
    """
    data = Path(path).read_bytes()
    try:
        log, good = parse_log(data, repair)
    except LogError as problem:
        raise LogError(problem.kind, problem.what, problem.record, str(path)) from None
    if log.mended:
        _mend(Path(path), data, good)
    return log


def parse_log(data: bytes, repair: bool = False) -> tuple[Log, int]:
    """A log from the bytes of a file, and how many of them are lines that were kept.

    Raises:
        LogError: as `read_log`.
    """
    whole, mark, tail = data.rpartition(b"\n")
    lines = whole.split(b"\n") if mark else []
    previous = ""
    for number, line in enumerate(lines, start=-1):
        found = check_line(line, previous, number)
        previous = hash_of(line)
        if found.get("kind") == "end":
            check_end(record_of(found, number), lines[: number + 1], number)
    mended = ""
    if tail or not lines:
        mended, kept = _torn(tail, previous, len(lines) - 1, repair)
        lines += kept
    if is_more(lines[-1]):
        mended = _unfinished(lines, mended, repair)
    return Log.of_lines(lines, mended), min(len(data), sum(map(len, lines)) + len(lines))


def _torn(tail: bytes, previous: str, number: int, repair: bool) -> tuple[str, list[bytes]]:
    """What to do about a last line without an end: a message, and the line if it is whole."""
    try:
        check_line(tail, previous, number)
        kept = [tail]
    except LogError:
        kept = []
    if number < 0 and not kept:
        raise LogError("torn", "the header is incomplete, so that nothing can be kept", -1)
    if kept:
        what = "the last line is whole but not ended; repair ends it"
        mended = f"ended the line of record {number}"
    else:
        what = f"the last line is incomplete ({len(tail)} bytes), it was never confirmed; repair drops it"
        mended = f"dropped {len(tail)} bytes of an incomplete record {number}"
    if not repair:
        raise LogError("torn", what, number)
    return mended, kept


def _unfinished(lines: list[bytes], mended: str, repair: bool) -> str:
    """What to do about last records that were written together with others that are missing: they are dropped."""
    number = len(lines) - 2
    first = number
    while first > 0 and is_more(lines[first]):
        first -= 1
    if not repair:
        raise LogError(
            "torn", "what was written together with it is missing, it was never confirmed; repair drops it", number
        )
    del lines[first + 1 :]
    dropped = f"record {first}" if first == number else f"records {first} to {number}"
    return f"dropped {dropped}, which was not written to the end" + (f"; {mended}" if mended else "")


def _mend(path: Path, data: bytes, good: int) -> None:
    with open(path, "r+b") as file:
        file.truncate(good)
        if not data[:good].endswith(b"\n"):
            file.seek(0, os.SEEK_END)
            file.write(b"\n")
        file.flush()
        os.fsync(file.fileno())


def sync_folder(folder: Path) -> None:
    """Make a new name in a folder durable, where the system can."""
    try:
        handle = os.open(folder, os.O_RDONLY)
    except OSError:
        return
    try:
        os.fsync(handle)
    except OSError:
        pass
    finally:
        os.close(handle)


__all__ = [
    "FORMAT",
    "LANGUAGE",
    "Answer",
    "Attempt",
    "Branch",
    "End",
    "Happening",
    "Header",
    "Log",
    "LoggedDraw",
    "LoggedEvent",
    "LoggedMove",
    "Note",
    "Origin",
    "Record",
    "Redo",
    "Start",
    "Undo",
    "hash_text",
    "parse_log",
    "read_log",
]
