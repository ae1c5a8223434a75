"""Errors as values: where, what, and what to do about it.

Every error that an author can make is a `Diagnostic` with a stable code. Passes collect them and never raise; the one
exception is `RulesFileError`, raised once at the outside edge (`rulesdsl.load`) with all that were found.
`render` prints them for people, `as_json` for tools.
"""

from __future__ import annotations

import difflib
import textwrap
from collections.abc import Iterable, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

from attrs import field, frozen


@frozen(slots=False)
class Source:
    """The text of one rules file. `name` is what messages print; it is not opened again. A variant has the text of its `base`;
    `extras` are variants that are used together with this file. (A variant of several has the first as its base, with the
    others as that one's extras.) `path`: the file, if the text is of one; what it names is looked for beside it."""

    name: str
    text: str
    base: Source | None = None
    extras: tuple[Source, ...] = ()
    path: Path | None = field(default=None, eq=False, repr=False)

    @property
    def all(self) -> tuple[Source, ...]:
        """Every text that takes part, once: the base first, then this one, then what is used together with it."""
        first = self.base.all if self.base is not None else ()
        texts = (*first, self, *(text for extra in self.extras for text in extra.all))
        found: dict[str, Source] = {}
        for text in texts:
            found.setdefault(text.text, text)
        return tuple(found.values())

    @cached_property
    def line_starts(self) -> list[int]:
        starts = [0]
        for offset, char in enumerate(self.text):
            if char == "\n":
                starts.append(offset + 1)
        return starts

    def position(self, offset: int) -> tuple[int, int]:
        """Line and column of a character offset, both from 1."""
        import bisect

        line = bisect.bisect_right(self.line_starts, offset)
        return line, offset - self.line_starts[line - 1] + 1

    def line(self, number: int) -> str:
        """The text of a line (from 1), without its end."""
        starts = self.line_starts
        if not 1 <= number <= len(starts):
            return ""
        end = starts[number] - 1 if number < len(starts) else len(self.text)
        return self.text[starts[number - 1] : end].rstrip("\r")


@frozen
class Span:
    """A piece of a source: character offsets, `end` not included."""

    source: Source = field(repr=False, eq=lambda s: s.name, order=False, hash=False)
    start: int
    end: int

    @property
    def line(self) -> int:
        return self.source.position(self.start)[0]

    @property
    def column(self) -> int:
        return self.source.position(self.start)[1]

    @property
    def text(self) -> str:
        return self.source.text[self.start : self.end]

    @property
    def place(self) -> str:
        """`file:line:column`."""
        line, column = self.source.position(self.start)
        return f"{self.source.name}:{line}:{column}"

    def to(self, other: Span) -> Span:
        """From the start of this span to the end of another."""
        return Span(self.source, self.start, other.end)


@frozen
class Label:
    """A second place that a diagnostic points at, with a few words."""

    span: Span
    text: str


@frozen
class Diagnostic:
    """One mistake. `span` is the place to mend; `text` a few words under its carets; `hints` are remedies, best first."""

    code: str
    title: str
    span: Span
    text: str = ""
    labels: tuple[Label, ...] = ()
    hints: tuple[str, ...] = ()
    severity: str = "error"

    @property
    def is_error(self) -> bool:
        return self.severity == "error"


class RulesFileError(Exception):
    """A rules file that cannot be used. `diagnostics` holds every mistake that was found."""

    def __init__(self, diagnostics: Iterable[Diagnostic]) -> None:
        self.diagnostics = tuple(diagnostics)
        super().__init__(render(self.diagnostics))


def in_order(diagnostics: Iterable[Diagnostic]) -> list[Diagnostic]:
    """Sorted by file and place, each mistake once."""
    seen: set[tuple[str, str, int, int]] = set()
    result = []
    for item in sorted(diagnostics, key=lambda d: (d.span.source.name, d.span.start, d.span.end, d.code)):
        key = (item.code, item.span.source.name, item.span.start, item.span.end)
        if key not in seen:
            seen.add(key)
            result.append(item)
    return result


def closest(word: str, candidates: Iterable[str]) -> str | None:
    """The candidate that was most likely meant, or None."""
    pool = sorted(set(candidates) - {word})
    folded = {c.lower().replace("_", ""): c for c in reversed(pool)}
    exact = folded.get(word.lower().replace("_", ""))
    if exact is not None:
        return exact
    shuffled = next((c for c in pool if len(word) > 3 and sorted(c) == sorted(word)), None)
    if shuffled is not None:
        return shuffled
    found = difflib.get_close_matches(word, pool, n=5, cutoff=0.6)
    return next((near for near in found if edits(word, near) <= max(1, (len(word) + 1) // 3)), None)


def edits(a: str, b: str) -> int:
    """How many letters must be added, left out, replaced or swapped with the next to make one word the other."""
    before: list[int] = []
    row = list(range(len(b) + 1))
    for i, letter in enumerate(a, 1):
        new = [i]
        for j, other in enumerate(b, 1):
            cost = min(row[j] + 1, new[j - 1] + 1, row[j - 1] + (letter != other))
            if before and i > 1 and j > 1 and letter == b[j - 2] and a[i - 2] == other:
                cost = min(cost, before[j - 2] + 1)
            new.append(cost)
        before, row = row, new
    return row[-1]


# ---------------------------------------------------------------- rendering

_STYLES = {"error": "1;31", "warning": "1;33", "hint": "36", "bar": "34", "bold": "1", "note": "34"}


def render(diagnostics: Iterable[Diagnostic], *, colour: bool = False, width: int = 80) -> str:
    """All diagnostics as text for a person: excerpt, carets, labels, hints, and a closing count."""
    items = in_order(diagnostics)
    blocks = [_render_one(item, colour, width) for item in items]
    summary = summarise(items)
    if summary:
        blocks.append(summary)
    return "\n\n".join(blocks)


def summarise(diagnostics: Iterable[Diagnostic]) -> str:
    """`3 errors in my.rules`, or nothing when there is nothing to say."""
    items = list(diagnostics)
    if not items:
        return ""
    names = sorted({item.span.source.name for item in items})
    parts = []
    for severity in ("error", "warning"):
        count = sum(item.severity == severity for item in items)
        if count:
            parts.append(f"{count} {severity}{'s' if count > 1 else ''}")
    return f"{' and '.join(parts)} in {', '.join(names)}"


@frozen
class _Paper:
    """What is written on: colours or none, the width in columns, and the width of the line numbers."""

    colour: bool
    width: int
    gutter: int

    def paint(self, style: str, text: str) -> str:
        return f"\x1b[{_STYLES[style]}m{text}\x1b[0m" if self.colour and text else text

    def row(self, sign: str, text: str, number: str = "") -> str:
        return f"{number.rjust(self.gutter)} {self.paint('bar', sign)} {text}".rstrip()

    @property
    def room(self) -> int:
        """The columns right of the bar."""
        return max(20, self.width - self.gutter - 3)


@frozen
class _Mark:
    """Something to underline, with a few words."""

    span: Span
    text: str
    style: str

    @property
    def start(self) -> int:
        return self.span.column - 1

    @property
    def end(self) -> int:
        """The column after the underlined text, on its first line."""
        line = self.span.source.line(self.span.line)
        length = len(line) - self.start if "\n" in self.span.text else self.span.end - self.span.start
        return self.start + max(1, min(length, len(line) - self.start))


def _render_one(item: Diagnostic, colour: bool, width: int) -> str:
    marks = [_Mark(item.span, item.text, item.severity), *(_Mark(la.span, la.text, "note") for la in item.labels)]
    paper = _Paper(colour, width, max(len(str(mark.span.line)) for mark in marks))
    head = paper.paint(item.severity, f"{item.severity}[{item.code}]") + paper.paint("bold", ": " + item.title)
    lines = [head]
    by_source: dict[str, list[_Mark]] = {}
    for mark in marks:
        by_source.setdefault(mark.span.source.name, []).append(mark)
    for position, group in enumerate(by_source.values()):
        lines.append(paper.row("┌─" if position == 0 else "├─", group[0].span.place))
        lines += _excerpt(group, paper)
    return "\n".join([*lines, *_hints(item.hints, paper)])


def excerpt(span: Span, text: str, hints: Iterable[str] = (), *, colour: bool = False, width: int = 80) -> str:
    """A place of a source with a few words under it, and hints, laid out as in a diagnostic."""
    mark = _Mark(span, text, "warning")
    paper = _Paper(colour, width, len(str(span.line)))
    return "\n".join([paper.row("┌─", span.place), *_excerpt([mark], paper), *_hints(hints, paper)])


def _hints(hints: Iterable[str], paper: _Paper) -> list[str]:
    lines = []
    for hint in hints:
        first, *more = textwrap.wrap(hint, paper.room, break_long_words=False, break_on_hyphens=False) or [""]
        lines.append(paper.row("=", paper.paint("hint", first)))
        lines += [paper.row(" ", paper.paint("hint", part)) for part in more]
    return lines


def _excerpt(marks: list[_Mark], paper: _Paper) -> list[str]:
    """The lines of one source that are marked, each once (or once for each mark, where one piece of it cannot show all)."""
    lines: list[str] = []
    previous = None
    for mark in sorted(marks, key=lambda m: (m.span.line, m.style == "note")):
        number = mark.span.line
        here = [other for other in marks if other.span.line == number]
        shown, offset = _piece(mark.span.source.line(number), here, paper.room)
        alone = any(not offset <= other.start < other.end <= offset + paper.room for other in here)
        if alone:
            shown, offset = _piece(mark.span.source.line(number), [mark], paper.room)
        if previous is not None and number > previous + 1:
            lines.append(paper.row("·", ""))
        if number != previous or alone:
            lines.append(paper.row("│", shown, str(number)))
        previous = number
        lines += _underline(mark, offset, shown, paper)
    return lines


def _piece(line: str, marks: list[_Mark], room: int) -> tuple[str, int]:
    """As much of a line as there is room for, with what is marked in it, and how many columns were left out before it."""
    first, last = min(mark.start for mark in marks), max(mark.end for mark in marks)
    if max(len(line), last) <= room:
        return line, 0
    offset = 0 if last < room else max(0, min(first - 8, last - room + 8, max(len(line), last) - room))
    if last - offset > room:
        offset = max(0, first - 8)
    shown = line[offset : offset + room]
    if offset:
        shown = "…" + shown[1:]
    if offset + room < len(line):
        shown = shown[:-1] + "…"
    return shown, offset


def _underline(mark: _Mark, offset: int, shown: str, paper: _Paper) -> list[str]:
    start, end = mark.start - offset, min(mark.end - offset, max(len(shown), mark.start - offset + 1))
    sign = "-" if mark.style == "note" else "^"
    lead = "".join("\t" if char == "\t" else " " for char in shown[:start]).ljust(start)
    carets = sign * max(1, end - start)
    if not mark.text or end + 1 + len(mark.text) <= paper.room:
        return [paper.row("│", lead + paper.paint(mark.style, f"{carets} {mark.text}".rstrip()))]
    parts = textwrap.wrap(mark.text, paper.room, break_long_words=False, break_on_hyphens=False)
    shift = max(0, min(start, paper.room - max(map(len, parts))))
    under = [paper.row("│", " " * shift + paper.paint(mark.style, part)) for part in parts]
    return [paper.row("│", lead + paper.paint(mark.style, carets)), *under]


def as_json(item: Diagnostic) -> Mapping[str, Any]:
    """A diagnostic as plain data; lines and columns count from 1, `end` is not included."""

    def place(span: Span) -> dict[str, Any]:
        line, column = span.source.position(span.start)
        end_line, end_column = span.source.position(span.end)
        return {
            "file": span.source.name,
            "line": line,
            "column": column,
            "end_line": end_line,
            "end_column": end_column,
        }

    return {
        "code": item.code,
        "severity": item.severity,
        "title": item.title,
        "text": item.text,
        **place(item.span),
        "labels": [{"text": label.text, **place(label.span)} for label in item.labels],
        "hints": list(item.hints),
    }
