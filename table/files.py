"""Finding rules files: by path, or by the name of a game that comes with the package."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Any

import click

import table

GAMES = Path(table.__file__).resolve().parent.parent / "games"


def packaged_games() -> dict[str, Path]:
    """The games that come with the package, by name."""
    return {path.stem: path for folder in ("*.rules", "classic/*.rules") for path in sorted(GAMES.glob(folder))}


def packaged_variants() -> dict[str, Path]:
    """The variants that come with the package, by name."""
    return {path.stem: path for path in sorted(GAMES.glob("variants/*.rules"))}


def find_rules(name: str) -> Path:
    """The rules file that a person means by `atlanteon`, `atlanteon.rules` or a path.

    Raises:
        FileNotFoundError: there is none; the message says what there is.
    """
    path = Path(name)
    if path.is_file():
        return path
    if path.parent == Path("."):
        if not path.suffix and path.with_suffix(".rules").is_file():
            return path.with_suffix(".rules")
        known = packaged_games() | packaged_variants()
        packaged = known.get(path.stem) if path.suffix in ("", ".rules") else None
        if packaged is not None:
            return packaged
    if path.is_dir():
        raise FileNotFoundError(f"`{name}` is a folder, not a rules file")
    raise FileNotFoundError(f"there is no rules file `{name}`{_remedy(path)}")


def _remedy(path: Path) -> str:
    from rulesdsl.diagnostics import closest

    near = [str(p) for p in path.parent.glob("*.rules")] if path.parent.is_dir() else []
    meant = closest(str(path), near) or closest(path.stem, packaged_games() | packaged_variants())
    if meant is not None:
        return f"; did you mean `{meant}`?"
    return f"; games that come with rulesdsl: {', '.join(packaged_games()) or 'none'}"


def shown(path: Path) -> str:
    """A path as messages print it: as short as it can be said from here."""
    for folder in (Path.cwd().resolve(), GAMES):
        if path.resolve().is_relative_to(folder):
            return str(path.resolve().relative_to(folder))
    return str(path)


def typed(path: str | Path) -> str:
    """A path as it is typed in a command that messages print: `shown`, in quotes where a shell needs them."""
    text = shown(Path(path))
    return text if re.fullmatch(r"[\w@%+=:,./-][\w@%+=:,./#-]*", text, re.ASCII) else shlex.quote(text)


def free_path(path: Path) -> Path:
    """`path`, or with `-2`, `-3` ... before its ending where files of that name exist."""
    candidate, number = path, 1
    while candidate.exists():
        number += 1
        candidate = path.with_name(f"{path.stem}-{number}{path.suffix}")
    return candidate


def find_for_click(_context: click.Context, _parameter: click.Parameter, value: Any) -> Any:
    """A callback for arguments that name rules files: paths, or a usage error."""
    try:
        return tuple(find_rules(name) for name in value) if isinstance(value, tuple) else find_rules(str(value))
    except FileNotFoundError as error:
        raise click.UsageError(str(error)) from None
