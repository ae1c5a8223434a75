"""A store of JSON Lines files: a folder with a file for each match, or a single file with one.

A file is the log itself, so that it can be sent, read and verified as it is. Writers lock it while they append; readers do
not, and see whole lines only.
"""

from __future__ import annotations

import os
import threading
from collections import OrderedDict
from collections.abc import Sequence
from pathlib import Path

from attrs import define

from interpreter.errors import Conflict, LogError
from interpreter.locks import locked
from interpreter.log import sync_folder
from interpreter.store import BATCH, Durability, Journal

ENDING = ".jsonl"
_OPEN = 64
"""So many files are held open at a time."""


@define
class _Open:
    """A file that is held open, and what was in it when it was last looked at. `unsynced`: appends since it was made durable."""

    handle: int
    lines: int = 0
    size: int = 0
    unsynced: int = 0


class FileStore:
    """A folder of `.jsonl` files (made if it is not there), or (`single`) one file of any name. See `Store`."""

    def __init__(self, path: str | Path, durability: Durability = "each", single: bool = False) -> None:
        self.path = Path(path)
        self.durability = durability
        self._single = single
        self._open: OrderedDict[str, _Open] = OrderedDict()
        self._lock = threading.RLock()
        self._closed = False

    def append(self, match: str, expected: int, lines: Sequence[bytes]) -> None:
        """See `Store`. A file whose last line is torn is refused with a `LogError` of kind "torn": `read_log` repairs it."""
        path = self._path(match)
        data = b"".join([line + b"\n" for line in lines])
        with self._lock:
            if self._closed:
                raise LogError("closed", "the log file is closed", None, str(path))
            file = self._opened(match, path, expected)
            with locked(file.handle):
                self._look(file, path)
                if file.lines != expected:
                    raise Conflict(expected, file.lines, str(path))
                self._write(file, data)
            file.lines += len(lines)
            file.size += len(data)

    def read(self, match: str, start: int = 0, stop: int | None = None) -> list[bytes]:
        """See `Store`."""
        if self._single and match != name_of(self.path):
            return []
        with self._lock:
            known = self._open.get(match)
            skipped = (known.lines, known.size) if known is not None and known.lines <= start else (0, 0)
        try:
            with open(self._path(match), "rb") as file:
                file.seek(skipped[1])
                whole, mark, _ = file.read().rpartition(b"\n")
        except FileNotFoundError:
            return []
        lines = whole.split(b"\n") if mark else []
        return lines[start - skipped[0] : None if stop is None else stop - skipped[0]]

    def matches(self) -> list[tuple[str, int]]:
        """See `Store`."""
        paths = [self.path] if self._single else sorted(self.path.glob(f"*{ENDING}"))
        found = [(name_of(path), _count(path)) for path in paths if path.is_file()]
        return [(name, count) for name, count in found if count]

    def close(self) -> None:
        """Make durable what is not (unless durability is `none`), and close the files."""
        with self._lock:
            self._closed = True
            while self._open:
                self._shut(self._open.popitem()[1])

    # ------------------------------------------------------------ files

    def _path(self, match: str) -> Path:
        if self._single:
            if match != name_of(self.path):
                raise LogError("name", f"{self.path} is the log of {name_of(self.path)} alone, not of {match}")
            return self.path
        if not match or match.startswith(".") or "/" in match or os.sep in match or "\0" in match:
            raise LogError("name", f"{match!r} cannot be the name of a file")
        return self.path / f"{match}{ENDING}"

    def _opened(self, match: str, path: Path, expected: int) -> _Open:
        """The file of a match, held open; a new one if nothing is expected in it."""
        found = self._open.get(match)
        if found is not None:
            self._open.move_to_end(match)
            return found
        fresh = not path.exists()
        if fresh and expected:
            raise Conflict(expected, 0, str(path))
        if not self._single:
            self.path.mkdir(parents=True, exist_ok=True)
        found = self._open[match] = _Open(os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o644))
        if fresh and self.durability != "none":
            sync_folder(path.parent)
        if len(self._open) > _OPEN:
            self._shut(self._open.popitem(last=False)[1])
        return found

    def _look(self, file: _Open, path: Path) -> None:
        """Count what others have written since.

        Raises:
            LogError: the file was replaced by another, or its last line is torn.
        """
        here = os.fstat(file.handle)
        try:
            there = os.stat(path)
        except FileNotFoundError:
            raise LogError("altered", "the log file is gone", None, str(path)) from None
        if (here.st_ino, here.st_dev) != (there.st_ino, there.st_dev):
            raise LogError("altered", "another file has taken the place of the log file", None, str(path))
        if here.st_size == file.size:
            return
        if here.st_size < file.size:
            file.lines = file.size = 0
        added = _read(file.handle, file.size)
        if not added.endswith(b"\n"):
            number = file.lines + added.count(b"\n") - 1
            raise LogError("torn", "its last line is incomplete; --repair drops it", number, str(path))
        file.lines += added.count(b"\n")
        file.size = here.st_size

    def _write(self, file: _Open, data: bytes) -> None:
        left = memoryview(data)
        try:
            while left:
                left = left[os.write(file.handle, left) :]
            file.unsynced += 1
            if self.durability == "each" or (self.durability == "batch" and file.unsynced >= BATCH):
                os.fsync(file.handle)
                file.unsynced = 0
        except OSError:
            os.ftruncate(file.handle, file.size)
            raise

    def _shut(self, file: _Open) -> None:
        try:
            if file.unsynced and self.durability != "none":
                os.fsync(file.handle)
        finally:
            os.close(file.handle)


def _read(handle: int, start: int) -> bytes:
    """What stands in a file from a place on."""
    os.lseek(handle, start, os.SEEK_SET)
    parts = []
    while part := os.read(handle, 1 << 20):
        parts.append(part)
    return b"".join(parts)


def _count(path: Path) -> int:
    return path.read_bytes().count(b"\n")


def name_of(path: Path) -> str:
    """The name of the match in a log file."""
    return path.name.removesuffix(ENDING)


def log_file(path: str | Path, durability: Durability = "each") -> Journal:
    """The journal of a single log file, which may be new."""
    path = Path(path)
    return Journal(FileStore(path, durability, single=True), name_of(path))
