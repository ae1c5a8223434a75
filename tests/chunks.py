"""Reads files of many small programs: chunks between lines of `=====`, with marks on the lines that must fail.

A mark is a comment: `#! T301` or, with the text that the carets must underline, ``#! T301 `text` ``; a line may carry several.
What every program needs, a game and a `main`, is added after a chunk that has none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from attrs import frozen

from rulesdsl.diagnostics import Diagnostic, Source
from rulesdsl.program import check_source

SEPARATOR = re.compile(r"^={5,} ?(.*)$", re.MULTILINE)
MARK = re.compile(r"#!(.*)$")
CODE = re.compile(r"\b([A-Z]\d{3})\b(?: `([^`]*)`)?")
UNUSED = ("W901", "W903")

GAME = "\ngame g:\n    players ann, bob\n"
MAIN = "\nflow main:\n    end tie\n"


@frozen
class Chunk:
    """One program. `line` is the line of its file before it begins, so that reported lines are those of the file."""

    path: Path
    title: str
    line: int
    text: str

    @property
    def name(self) -> str:
        return f"{self.path.stem}:{self.line + 1}"

    @property
    def source(self) -> Source:
        text = self.text
        if not re.search(r"^game ", text, re.MULTILINE):
            text += GAME
        if not re.search(r"^\w+ main\b", text, re.MULTILINE):
            text += MAIN
        return Source(self.path.name, "\n" * self.line + text)

    @property
    def marks(self) -> list[tuple[int, str, str | None]]:
        """Line, code and, where it is written, the underlined text of each mistake that is expected."""
        found = []
        for number, line in enumerate(self.text.split("\n"), self.line + 1):
            mark = MARK.search(line)
            if mark is not None:
                codes = CODE.findall(mark.group(1))
                assert codes, f"{self.path.name}:{number}: a mark without a code"
                found += [(number, code, text or None) for code, text in codes]
        return found


def chunks(path: Path) -> Iterator[Chunk]:
    """The programs of a file. A variant is none: it needs its base."""
    text = path.read_text(encoding="utf-8")
    start, title = 0, ""
    for match in [*SEPARATOR.finditer(text), None]:
        end = match.start() if match else len(text)
        part = text[start:end]
        words = [line.split()[0] for line in part.split("\n") if line.strip() and not line.startswith("#")]
        if words and words[0] != "variant":
            yield Chunk(path, title, text.count("\n", 0, start), part)
        if match:
            start, title = match.end(), match.group(1).strip()


def differences(chunk: Chunk) -> list[str]:
    """What a chunk's marks and the checker disagree about, a line each."""
    found = check_source(chunk.source)
    marks = chunk.marks
    if not any(code in UNUSED for _, code, _ in marks):
        found = tuple(d for d in found if d.code not in UNUSED)
    left = list(marks)
    wrong = []
    for item in found:
        mark = next((m for m in left if _agree(m, item)), None)
        if mark is not None:
            left.remove(mark)
        else:
            wrong.append(f"not expected: {item.span.place} {item.code} {item.title} `{item.span.text}`")
    wrong += [f"missing: {chunk.path.name}:{line} {code} `{text or ''}`" for line, code, text in left]
    return wrong


def _agree(mark: tuple[int, str, str | None], item: Diagnostic) -> bool:
    line, code, text = mark
    return (line, code) == (item.span.line, item.code) and text in (None, item.span.text)
