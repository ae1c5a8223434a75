"""Mistakes planted in a whole game, as small diffs with what must be said about each.

A file of `mistakes/*.mistakes` has chunks between lines of `=====`. A chunk changes `harbour.rules`: lines that begin with
`-` go, lines with `+` come, lines with a blank stay, and `...` stands between two places. A line of carets under a line
says what must be underlined, then the code and the title; the hints follow, a line each:

    +    return count(c for c in Cell if takn(c))
                                         ^^^^ #! N201 nothing is called `takn`
    #! did you mean `taken`? (def, line 40)

`python tests/planted.py` writes these lines anew from what the checker says; read the difference before you keep it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from attrs import evolve, frozen
from patches import hunks

from rulesdsl.diagnostics import Diagnostic, Source
from rulesdsl.program import check_source

FOLDER = Path(__file__).parent / "mistakes"
BASE = FOLDER / "harbour.rules"
SEPARATOR = re.compile(r"^={5,} (.+)$", re.MULTILINE)
CARETS = re.compile(r"^ ( *)(\^+) #! ([A-Z]\d{3}) (.*)$")


@frozen
class Told:
    """What is said about one mistake: place, the first line of what is underlined, code, title, hints."""

    line: int
    column: int
    width: int
    code: str
    title: str
    hints: tuple[str, ...] = ()


@frozen
class Mistake:
    title: str
    edits: tuple[str, ...]
    text: str
    told: tuple[Told, ...]

    @property
    def found(self) -> tuple[Diagnostic, ...]:
        return _check(self.text)


@cache
def _check(text: str) -> tuple[Diagnostic, ...]:
    return check_source(Source("harbour.rules", text))


def told_by(item: Diagnostic) -> Told:
    line, column = item.span.source.position(item.span.start)
    width = max(1, len(item.span.text.split("\n")[0]))
    return Told(line, column, width, item.code, item.title, item.hints)


def mistakes(path: Path) -> Iterator[Mistake]:
    """The mistakes of a file, in order."""
    pieces = SEPARATOR.split(path.read_text(encoding="utf-8"))
    for title, body in zip(pieces[1::2], pieces[2::2], strict=True):
        yield _planted(title, body.strip("\n").split("\n"))


def _planted(title: str, lines: list[str]) -> Mistake:
    base = BASE.read_text(encoding="utf-8").split("\n")
    edits = [line for line in lines if not CARETS.match(line) and not line.startswith("#!")]
    text: list[str] = []
    done = 0
    told: list[Told] = []
    for start, end, part in hunks(base, lines, title, CARETS.match):
        text += base[done:start]
        done = end
        for line in part:
            carets = CARETS.match(line)
            if carets:
                told.append(Told(len(text), len(carets[1]) + 1, len(carets[2]), carets[3], carets[4]))
            elif line.startswith("#!"):
                told[-1] = evolve(told[-1], hints=(*told[-1].hints, line.removeprefix("#! ")))
            elif not line.startswith("-"):
                text.append(line[1:])
    return Mistake(title, tuple(edits), "\n".join(text + base[done:]), tuple(told))


def written(mistake: Mistake) -> str:
    """A chunk with what the checker says now."""
    by_line: dict[int, list[Told]] = {}
    for item in sorted(map(told_by, mistake.found), key=lambda t: (t.line, t.column)):
        by_line.setdefault(item.line, []).append(item)
    base = BASE.read_text(encoding="utf-8").split("\n")
    lines = []
    number = done = 0
    for start, end, part in hunks(base, mistake.edits, mistake.title):
        number, done = number + start - done, end
        lines += ["..."] if lines else []
        for line in part:
            lines.append(line)
            number += not line.startswith("-")
            for item in [] if line.startswith("-") else by_line.pop(number, []):
                lines.append(f" {' ' * (item.column - 1)}{'^' * item.width} #! {item.code} {item.title}")
                lines += [f"#! {hint}" for hint in item.hints]
    assert not by_line, f"{mistake.title}: told of a line that is not in the chunk: {by_line}"
    return f"===== {mistake.title}\n" + "\n".join(lines) + "\n"


if __name__ == "__main__":
    for file in sorted(FOLDER.glob("*.mistakes")):
        head = SEPARATOR.split(file.read_text(encoding="utf-8"))[0]
        file.write_text(head + "\n".join(map(written, mistakes(file))), encoding="utf-8")
