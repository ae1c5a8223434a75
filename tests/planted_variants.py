"""Mistakes planted in variants of a whole game, with all that is said about each.

A file of `mistakes/variants/*.mistakes` has chunks between lines of `=====`. A chunk is a variant of `harbour.rules`; after a
line `--- other.rules` comes another file, after `--- with other.rules` a variant that is used together with the first one, and
after `--- variant.lock` its lock. What follows a line of `-----` is the whole message.

`python tests/planted_variants.py` writes the messages anew; read the difference before you keep it.
"""

from __future__ import annotations

import contextlib
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path

from attrs import frozen

from rulesdsl.diagnostics import Diagnostic, RulesFileError, render
from rulesdsl.program import check_source, read_source
from rulesdsl.variants.lock import stale

FOLDER = Path(__file__).parent / "mistakes" / "variants"
BASE = FOLDER.parent / "harbour.rules"
SEPARATOR = re.compile(r"^={5,} (.+)$", re.MULTILINE)
FILE = re.compile(r"^--- (with )?(\S+)$\n?", re.MULTILINE)
MESSAGE = re.compile(r"^-----$\n?", re.MULTILINE)
MAIN = "variant.rules"


@frozen
class Mistake:
    title: str
    text: str
    told: str

    @property
    def files(self) -> dict[str, str]:
        """The texts of all files by name."""
        first, *rest = FILE.split(self.text)
        return {MAIN: first} | dict(zip(rest[1::3], rest[2::3], strict=True))

    @property
    def extras(self) -> list[Path]:
        return [Path(name) for with_, name in FILE.findall(self.text) if with_]


def mistakes(path: Path) -> Iterator[Mistake]:
    """The mistakes of a file, in order."""
    pieces = SEPARATOR.split(path.read_text(encoding="utf-8"))
    for title, body in zip(pieces[1::2], pieces[2::2], strict=True):
        text, _, told = body.strip("\n").partition("\n-----\n")
        yield Mistake(title, text + "\n", told)


def found(mistake: Mistake, folder: Path) -> tuple[Diagnostic, ...]:
    """What is said about a mistake, whose files are written into a folder."""
    for name, text in ({"harbour.rules": BASE.read_text(encoding="utf-8")} | mistake.files).items():
        (folder / name).write_text(text, encoding="utf-8")
    with contextlib.chdir(folder):
        try:
            source = read_source(MAIN, mistake.extras)
            diagnostics = check_source(source)
            lock = folder / "variant.lock"
            return (*diagnostics, *stale(source, lock.read_text(encoding="utf-8"))) if lock.exists() else diagnostics
        except RulesFileError as error:
            return error.diagnostics


def written(mistake: Mistake) -> str:
    """A chunk with what is said now."""
    with tempfile.TemporaryDirectory() as folder:
        message = render(found(mistake, Path(folder)))
    return f"===== {mistake.title}\n{mistake.text}-----\n{message}\n"


if __name__ == "__main__":
    for file in sorted(FOLDER.glob("*.mistakes")):
        head = SEPARATOR.split(file.read_text(encoding="utf-8"))[0]
        file.write_text(head + "\n".join(map(written, mistakes(file))), encoding="utf-8")
