"""The records of a running match: made and chained, and kept in a journal before the match goes on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from interpreter.errors import LogError
from interpreter.lines import body_of, chained, check_line, hash_of, whole_of, with_more
from interpreter.log import Log, Stretch, read_on
from interpreter.records import FORMATS, Header
from interpreter.store import Journal


class Sink(Protocol):
    """Where the lines of a running match are kept; a `Journal` is one. `append` is atomic, and durable when it returns.

    `expected` is how many lines there are already; a sink refuses to append after any other number.
    """

    def append(self, expected: int, lines: Sequence[bytes]) -> None: ...

    def close(self) -> None: ...


Maker = Callable[[int, "Recorder"], bytes]
"""Makes the line of a record, without its hash, for the number that it gets."""


class Recorder:
    """The records of a running match. Without a sink they are made when somebody looks; with one, before the match goes on."""

    def __init__(self, header: Header, sink: Sink | None = None) -> None:
        self.header = header
        self.sink = sink
        self._lines: list[bytes] = [chained(body_of(header), "")[1]]
        self._before = 0
        self._waiting: list[tuple[Maker, bool]] = []
        if sink is not None:
            sink.append(0, self._lines)

    @classmethod
    def of(cls, log: Log, sink: Sink | None = None) -> Recorder:
        """Go on with a log that was read; `sink` holds its lines already."""
        return cls._made(log.header, log.lines(), 0, sink)

    @classmethod
    def of_end(cls, header: Header, before: int, lines: Sequence[bytes], journal: Journal) -> Recorder:
        """Go on with a log whose last lines were read; the `before` lines before them are read when somebody looks."""
        return cls._made(header, lines, before, journal)

    @classmethod
    def _made(cls, header: Header, lines: Sequence[bytes], before: int, sink: Sink | None) -> Recorder:
        made = cls.__new__(cls)
        made.header, made.sink = header, sink
        made._lines, made._before, made._waiting = list(lines), before, []
        return made

    def _read_all(self) -> None:
        """Read the lines that were not needed yet, and check that they are those that the others are chained to.

        Raises:
            LogError: they are not.
        """
        if self._before and isinstance(self.sink, Journal):
            before, previous = self.sink.lines(0, self._before), ""
            for number, line in enumerate((*before, self._lines[0]), start=-1):
                check_line(line, previous, number)
                previous = hash_of(line)
            self._lines, self._before = [*before, *self._lines], 0

    @property
    def count(self) -> int:
        """How many records there are: the number of the next one."""
        return self._before + len(self._lines) - 1 + len(self._waiting)

    @property
    def plain(self) -> bool:
        """Whether the log is of the first format, which knows neither `reveals` nor `more`."""
        return self.header.format == FORMATS[0]

    def whole(self) -> str:
        """The digest of all lines so far."""
        self._read_all()
        return whole_of(self._lines)

    def add(self, makers: Sequence[Maker]) -> None:
        """Add records, all or none.

        Raises:
            LogError, OSError: the sink refuses them; then nothing has changed.
        """
        if not makers:
            return
        self._waiting.extend((maker, not self.plain and maker is not makers[-1]) for maker in makers)
        if self.sink is None:
            return
        stored = self.count + 1 - len(self._waiting)
        try:
            self._make()
            self.sink.append(stored, self._lines[stored - self._before :])
        except BaseException:
            del self._lines[stored - self._before :]
            self._waiting.clear()
            raise

    def look(self) -> Stretch:
        """Records that somebody else has added to where the log is kept.

        Raises:
            LogError: they were altered, or the log is not kept where it could be looked at.
        """
        if not isinstance(self.sink, Journal):
            raise LogError("closed", "this match is not kept in a store")
        added = self.sink.lines(self.count + 1)
        if any(b'"kind":"end"' in line for line in added):
            self._read_all()
        return read_on(self._before, self._lines, added)

    def take_over(self, stretch: Stretch) -> None:
        """Take records over that somebody else has added."""
        self._lines.extend(stretch.line(n) for n in range(stretch.first, stretch.last))

    def forget_from(self, n: int) -> None:
        """Forget records that were taken over and do not agree with the rules."""
        del self._lines[n + 1 - self._before :]

    def line(self, n: int) -> bytes:
        """The line of a record.

        Raises:
            LogError: lines were read for it that were altered.
        """
        if n + 1 < self._before:
            self._read_all()
        return self._lines[n + 1 - self._before]

    def hash_of(self, n: int) -> str:
        """The hash of the line of a record."""
        return hash_of(self.line(n))

    def _make(self) -> None:
        for maker, more in self._waiting:
            line = self._line(maker, self._before + len(self._lines) - 1, more)  # it may read lines before
            self._lines.append(line)
        self._waiting.clear()

    def _line(self, maker: Maker, n: int, more: bool) -> bytes:
        body = maker(n, self)
        return chained(with_more(body) if more else body, hash_of(self._lines[-1]))[1]

    def log(self, *extra: Maker) -> Log:
        """The log so far; `extra` records are added to this copy only."""
        self._read_all()
        self._make()
        kept = len(self._lines)
        try:
            self._waiting.extend((maker, False) for maker in extra)
            self._make()
            return Log.of_lines(self._lines)
        finally:
            del self._lines[kept:]
