"""Where the lines of a running match are kept, and how they are made: `Sink`, `LogFile` and `Recorder`."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Protocol

from interpreter.errors import LogError
from interpreter.log import Header, Log, Record, encode, sync_folder
from interpreter.rules import DIGEST_SIZE


class Sink(Protocol):
    """Where the lines of a running match are kept. `append` is atomic, and durable when it returns.

    `expected` is how many lines there are already; a sink refuses to append after any other number.
    """

    def append(self, expected: int, lines: Sequence[bytes]) -> None: ...

    def close(self) -> None: ...


class LogFile:
    """A sink that is a file: appended with flush and fsync. Nothing else may write to it meanwhile."""

    def __init__(self, path: str | Path, *, lines: int = 0, sync: bool = True) -> None:
        """Make a new file (`lines` 0), or go on with one that was read and has so many lines.

        Raises:
            FileExistsError: a new file was wanted and there is one.
            OSError: it cannot be opened.
        """
        self.path = Path(path)
        self.lines = lines
        self._sync = sync
        flags = os.O_WRONLY | os.O_APPEND | (0 if lines else os.O_CREAT | os.O_EXCL)
        self._handle: int | None = os.open(self.path, flags, 0o644)
        self._size = os.fstat(self._handle).st_size
        if not lines:
            sync_folder(self.path.parent)

    def append(self, expected: int, lines: Sequence[bytes]) -> None:
        """Write lines, all or none.

        Raises:
            LogError: the file is closed, or somebody else has written to it.
            OSError: it cannot be written (the disk is full ...); what was written of these lines is cut off again.
        """
        if self._handle is None:
            raise LogError("altered", "the log file is closed", None, str(self.path))
        if expected != self.lines or os.fstat(self._handle).st_size != self._size:
            raise LogError("altered", "somebody else has written to this log", None, str(self.path))
        data = memoryview(b"".join(line + b"\n" for line in lines))
        try:
            done = 0
            while done < len(data):
                done += os.write(self._handle, data[done:])
            if self._sync:
                os.fsync(self._handle)
        except OSError:
            os.ftruncate(self._handle, self._size)
            raise
        self._size += len(data)
        self.lines += len(lines)

    def close(self) -> None:
        if self._handle is not None:
            os.close(self._handle)
            self._handle = None

    def __enter__(self) -> LogFile:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


Maker = Callable[[int, "Recorder"], Record]


class Recorder:
    """The records of a running match. Without a sink they are made when somebody looks; with one, before the match goes on."""

    def __init__(self, header: Header, sink: Sink | None = None) -> None:
        self._header = header
        self._waiting: list[Maker] = []
        self._records: list[Record] = []
        self._whole: Any = None
        self._previous = ""
        self._sink = sink
        self._stored = 0
        if sink is not None:
            sink.append(0, [self._encode_header()])
            self._stored = 1

    @classmethod
    def of(cls, log: Log, sink: Sink | None = None) -> Recorder:
        """Go on with a log that was read; `sink` holds its lines already."""
        made = cls(log.header)
        made._records.extend(log.records)
        made._previous = (log.records[-1] if log.records else log.header).hash
        made._sink, made._stored = sink, len(log.records) + 1
        return made

    def _encode_header(self) -> bytes:
        self._header, line = encode(self._header, "")
        self._whole = hashlib.blake2b(line + b"\n", digest_size=DIGEST_SIZE)
        self._previous = self._header.hash
        return line

    @property
    def count(self) -> int:
        """How many records there are: the number of the next one."""
        return len(self._records) + len(self._waiting)

    @property
    def header(self) -> Header:
        return self._header

    @property
    def sink(self) -> Sink | None:
        return self._sink

    def whole(self) -> str:
        """The digest of all lines so far."""
        if self._whole is None:
            lines = Log(self._header, tuple(self._records)).lines()
            self._whole = hashlib.blake2b(b"".join(line + b"\n" for line in lines), digest_size=DIGEST_SIZE)
        return str(self._whole.hexdigest())

    def add(self, makers: Sequence[Maker]) -> None:
        """Add records, all or none.

        Raises:
            LogError, OSError: the sink refuses them; then nothing has changed.
        """
        self._waiting.extend(makers)
        if self._sink is None:
            return
        kept = (len(self._records), self._previous, self._whole and self._whole.copy())
        try:
            lines = self._make()
            self._sink.append(self._stored, lines)
        except BaseException:
            del self._records[kept[0] :]
            del self._waiting[:]
            self._previous, self._whole = kept[1], kept[2]
            raise
        self._stored += len(lines)

    def _make(self) -> list[bytes]:
        if not self._previous:
            self._encode_header()
        lines = []
        for maker in self._waiting:
            record, line = encode(maker(len(self._records), self), self._previous)
            self._records.append(record)
            self._previous = record.hash
            if self._whole is not None:
                self._whole.update(line + b"\n")
            lines.append(line)
        self._waiting.clear()
        return lines

    def log(self, *extra: Maker) -> Log:
        """The log so far; `extra` records are added to this copy only."""
        self._make()
        records = list(self._records)
        for maker in extra:
            records.append(encode(maker(len(records), self), records[-1].hash if records else self._header.hash)[0])
        return Log(self._header, tuple(records))
