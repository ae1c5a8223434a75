"""Logs that commands name: a log file, or `STORE#MATCH` for a match in a store (an SQLite database, or a folder of files)."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from interpreter.log import Log
    from interpreter.store import Durability, Journal, Store

MARK = "#"
DEFAULT_STORE = "matches.db"
_SQLITE = b"SQLite format 3\0"


def default_store() -> Path:
    """The store that is meant where none is named: what RULESDSL_STORE says, or `matches.db` here."""
    return Path(os.environ.get("RULESDSL_STORE") or DEFAULT_STORE)


def is_ref(name: str) -> bool:
    """Whether a name is that of a log: a log file, a match in a store, or a store."""
    return name.endswith(".jsonl") or in_store(name) is not None or is_store(Path(name))


def is_store(path: Path) -> bool:
    """Whether a path is a store of many matches."""
    if path.is_file():
        with open(path, "rb") as file:
            return file.read(len(_SQLITE)) == _SQLITE
    return path.is_dir() and any(path.glob("*.jsonl"))


def in_store(ref: str | Path) -> tuple[Path, str] | None:
    """The store and the match that `STORE#MATCH` means; None for a log file."""
    path, mark, match = str(ref).rpartition(MARK)
    if not mark or not match or Path(ref).exists():
        return None
    return Path(path), match


def refs_of(name: str) -> list[Path]:
    """The logs that a name on the command line means: all matches of a store, or one log.

    Raises:
        click.UsageError: there is nothing of that name.
    """
    path = Path(name)
    if is_store(path):
        store = opened(path)
        try:
            return [Path(f"{name}{MARK}{match}") for match, _ in store.matches()]
        finally:
            store.close()
    place = in_store(name)
    if place is not None and not is_store(place[0]):
        raise click.UsageError(f"there is no store `{place[0]}`")
    if place is None and not path.is_file():
        raise click.UsageError(f"there is no log `{name}`")
    return [path]


def opened(path: Path, durability: Durability = "each") -> Store:
    """A store; a new one if there is nothing at the path."""
    from interpreter.store import open_store

    return open_store(path, durability)


def journal_of(ref: Path, durability: Durability = "each") -> Journal:
    """The journal of a log: it may be new."""
    from interpreter.file_store import log_file
    from interpreter.store import Journal

    place = in_store(ref)
    return log_file(ref, durability) if place is None else Journal(opened(place[0], durability), place[1])


def read_ref(ref: Path, repair: bool = False) -> Log:
    """A log, checked; see `read_log`.

    Raises:
        LogError, OSError: as `read_log`.
    """
    from interpreter.log import read_log

    if in_store(ref) is None:
        return read_log(ref, repair=repair)
    with journal_of(ref) as journal:
        return journal.log()


def data_of_ref(ref: Path) -> bytes:
    """The bytes of a log, unchecked.

    Raises:
        LogError, OSError: it cannot be read.
    """
    if in_store(ref) is None:
        return ref.read_bytes()
    with journal_of(ref) as journal:
        return b"\n".join((*journal.lines(), b""))


def free_match(store: Path, name: str) -> Path:
    """A name that no match in a store has yet: this one, or with `-2`, `-3` ... behind it."""
    made = opened(store)
    try:
        taken = {match for match, _ in made.matches()}
    finally:
        made.close()
    candidate, number = name, 1
    while candidate in taken:
        number += 1
        candidate = f"{name}-{number}"
    return Path(f"{store}{MARK}{candidate}")


def _one(_context: click.Context, _parameter: click.Parameter, value: str) -> Path:
    found = refs_of(value)
    if len(found) != 1:
        raise click.UsageError(f"`{value}` is a store of {len(found)} matches: name one, as {value}{MARK}MATCH")
    return found[0]


def _several(_context: click.Context, _parameter: click.Parameter, value: tuple[str, ...]) -> tuple[Path, ...]:
    return tuple(ref for name in value for ref in refs_of(name))


def log_argument(command: Callable[..., Any]) -> Callable[..., Any]:
    """One log."""
    return click.argument("log", callback=_one)(command)


def log_arguments(command: Callable[..., Any]) -> Callable[..., Any]:
    """One or more logs; a store stands for all its matches."""
    return click.argument("logs", metavar="LOG...", nargs=-1, required=True, callback=_several)(command)
