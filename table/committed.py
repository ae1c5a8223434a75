"""Rules files as git has them: what a file is compared with that was edited in its place."""

from __future__ import annotations

import io
import subprocess
import tarfile
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import click
from attrs import evolve

from table.files import shown

if TYPE_CHECKING:
    from rulesdsl.diagnostics import Source

REMEDY = "name both files: rulesdsl review OLD.rules NEW.rules"


def committed(file: Path, revision: str) -> Source:
    """The text of a rules file, and of the files that it is a variant of, in a revision; under the names of the files here.

    Raises:
        click.UsageError: git is not there, or has no such revision, or the file is not in it.
        RulesFileError: the base of a variant was not there.
    """
    from rulesdsl.program import read_source

    top = Path(_git(file.resolve().parent, "rev-parse", "--show-toplevel").decode().rstrip("\n"))
    commit = (
        _git(top, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}").decode().strip()
    )
    place = file.resolve().relative_to(top.resolve())
    if place.as_posix() not in _git(top, "ls-tree", "-r", "-z", "--name-only", commit).decode().split("\0"):
        raise click.UsageError(f"{shown(file)} is not in {revision}; {REMEDY}")
    with TemporaryDirectory() as folder, tarfile.open(fileobj=io.BytesIO(_git(top, "archive", commit))) as files:
        for item in files:
            data = files.extractfile(item) if item.name.endswith(".rules") else None
            if data is not None:
                path = Path(folder, item.name)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(data.read())
        return _named(read_source(Path(folder) / place), Path(folder).resolve(), top)


def _named(source: Source, folder: Path, top: Path) -> Source:
    """A text and its bases under the names of the files that they are versions of."""
    path = Path(source.name).resolve()
    base = None if source.base is None else _named(source.base, folder, top)
    extras = tuple(_named(extra, folder, top) for extra in source.extras)
    file = top / path.relative_to(folder) if path.is_relative_to(folder) else path
    name = shown(file)
    return evolve(source, name=name, base=base, extras=extras, path=file)


def _git(folder: Path, *arguments: str) -> bytes:
    try:
        done = subprocess.run(["git", "-C", str(folder), *arguments], capture_output=True, check=False)
    except FileNotFoundError:
        raise click.UsageError(f"git is not there to say what has changed; {REMEDY}") from None
    if done.returncode:
        said = done.stderr.decode(errors="replace").strip().splitlines()
        why = said[-1] if said else f"git knows no `{arguments[-1].removesuffix('^{commit}')}`"
        raise click.UsageError(f"{why}; {REMEDY}")
    return done.stdout
