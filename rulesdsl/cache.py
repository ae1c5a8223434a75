"""Compiled programs kept between runs, in the user's cache folder.

An entry is named by what it was made from: the text of the file, parameters, seats, and the compiler itself. Entries appear
whole or not at all, so that two processes do not disturb each other; one that cannot be read is made anew. Where the folder
cannot be written there is no cache.
"""

from __future__ import annotations

import hashlib
import os
import pickle
import sys
from functools import cache
from pathlib import Path
from typing import Any

_KEPT = 400


@cache
def compiler_digest() -> str:
    """A digest of the compiler's own files and of the Python that runs it."""
    total = hashlib.blake2b(repr(sys.version_info[:3]).encode(), digest_size=16)
    folder = Path(__file__).parent
    for path in sorted([*folder.rglob("*.py"), *folder.rglob("*.lark")]):
        total.update(path.relative_to(folder).as_posix().encode())
        total.update(path.read_bytes())
    return total.hexdigest()


def folder() -> Path:
    """The folder of the cache; `XDG_CACHE_HOME` is respected."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "rulesdsl" / "programs"


def key(*parts: object) -> str:
    """The name of an entry made from these parts."""
    return hashlib.blake2b(repr((compiler_digest(), *parts)).encode(), digest_size=20).hexdigest()


def read(name: str) -> Any:
    """What was kept under a name, or None."""
    try:
        with open(folder() / f"{name}.pickle", "rb") as file:
            return pickle.load(file)
    except Exception:  # whatever is wrong with an entry, the program can be compiled again
        return None


def write(name: str, value: Any) -> None:
    """Keep a value under a name, if the folder can be written."""
    try:
        place = folder()
        place.mkdir(parents=True, exist_ok=True)
        fresh = place / f"{name}.{os.getpid()}.tmp"
        with open(fresh, "wb") as file:
            pickle.dump(value, file, protocol=pickle.HIGHEST_PROTOCOL)
        os.replace(fresh, place / f"{name}.pickle")
        _forget_oldest(place)
    except (OSError, RuntimeError, pickle.PicklingError):
        return


def _forget_oldest(place: Path) -> None:
    entries = sorted(place.glob("*.pickle"), key=lambda path: path.stat().st_mtime)
    for path in entries[: max(0, len(entries) - _KEPT)]:
        path.unlink(missing_ok=True)
