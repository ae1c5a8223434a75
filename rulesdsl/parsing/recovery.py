"""Finds every mistake of a file whose syntax is wrong, not only the first.

A file is cut into its top-level declarations, and each is parsed alone. In a declaration that fails, the lines of the
mistake are blanked out and the rest is parsed again, so that each line with a mistake of its own is reported.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from attrs import evolve, frozen

from rulesdsl.diagnostics import Diagnostic, Source, Span
from rulesdsl.parsing.layout import LayoutError
from rulesdsl.parsing.raw import CLOSER, DECLARATIONS, LINE_STARTS, OPENER, raw_tokens
from rulesdsl.parsing.syntax_errors import explain, explain_layout

MOST_ERRORS = 20
# The declarations whose lines are statements.
_WITH_STATEMENTS = ("def", "event", "action", "flow", "step")


@frozen
class Attempt:
    """One try to parse a piece: the error that stopped it, if any, and what the builder complained about."""

    error: Any
    complaints: list[Diagnostic]


Try = Callable[[Source, int, int], Attempt]


def find_all(source: Source, start: int, end: int, attempt: Try, spelling: dict[str, str]) -> list[Diagnostic]:
    """Every mistake between two offsets. `attempt` parses a piece of a source as declarations."""
    found: list[Diagnostic] = []
    for chunk_start, chunk_end in chunks(source.text, start, end):
        found += _in_chunk(source, chunk_start, chunk_end, attempt, spelling)
    if not found:
        tried = attempt(source, start, end)
        found = [explained(source, start, end, tried.error, spelling)] if tried.error else tried.complaints
    return found


def chunks(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """Where each top-level declaration starts and ends: at a word in the first column, outside brackets; a keyword of
    declarations there starts one even when brackets are open."""
    starts: list[int] = []
    depth = 0
    fresh = True
    for token in raw_tokens(text, start, end):
        if token.kind == "newline":
            fresh = True
            continue
        first_column = fresh and token.kind != "comment" and (token.start == 0 or text[token.start - 1] in "\n\ufeff")
        if first_column and (token.text in DECLARATIONS or (depth == 0 and token.text not in OPENER)):
            starts.append(token.start)
            depth = 0
        fresh = False
        depth = max(0, depth + (token.text in CLOSER) - (token.text in OPENER))
    if not starts or starts[0] > start:
        starts.insert(0, start)
    pairs = zip(starts, [*starts[1:], end], strict=True)
    return [(a, a + len(text[a:b].rstrip())) for a, b in pairs if text[a:b].strip()]


def explained(source: Source, start: int, end: int, error: Any, spelling: dict[str, str]) -> Diagnostic:
    """The diagnostic for what stopped a parse of `source.text[start:end]`."""
    if isinstance(error, LayoutError):
        return explain_layout(source, error)
    return explain(source, start, end, error, spelling)


def _in_chunk(source: Source, start: int, end: int, attempt: Try, spelling: dict[str, str]) -> list[Diagnostic]:
    """The mistakes of one declaration; at most one a line, since a second there is most often a consequence."""
    errors: list[Diagnostic] = []
    complaints: list[Diagnostic] = []
    text = source.text
    frontier = -1
    while len(errors) < MOST_ERRORS:
        patched = source if text is source.text else Source(source.name, text)
        tried = attempt(patched, start, end)
        complaints += [d for d in tried.complaints if d not in complaints]
        if tried.error is None:
            break
        error = _at_home(source, explained(patched, start, end, tried.error, spelling))
        if error.span.start <= frontier:
            break
        errors.append(error)
        mended = _blank_out(text, start, end, _first_of(text, start, end, error), error)
        if mended is None:
            break
        text, frontier = mended
    return _one_a_line(errors, complaints)


def _one_a_line(errors: list[Diagnostic], complaints: list[Diagnostic]) -> list[Diagnostic]:
    lines = {e.span.line: e for e in errors}
    kept = list(errors)
    for complaint in complaints:
        error = lines.get(complaint.span.line)
        if error is None:
            kept.append(complaint)
        elif complaint.span.start < error.span.start and error in kept:
            kept[kept.index(error)] = complaint
    return kept


def _at_home(source: Source, error: Diagnostic) -> Diagnostic:
    """The same diagnostic about the text as it was written."""
    def home(span: Span) -> Span:
        return Span(source, span.start, span.end)

    return evolve(error, span=home(error.span), labels=tuple(evolve(label, span=home(label.span)) for label in error.labels))


def _first_of(text: str, start: int, end: int, error: Diagnostic) -> int:
    """Where the logical line of a mistake starts."""
    at = min([error.span.start, *[label.span.start for label in error.labels]])
    first, depth = start, 0
    for token in raw_tokens(text, start, end):
        if token.start >= at:
            break
        if token.kind == "newline" and depth == 0:
            first = token.end
        depth = max(0, depth + (token.text in CLOSER) - (token.text in OPENER))
    return first


def _indent_of(text: str, at: int) -> int:
    line_start = text.rfind("\n", 0, at) + 1
    line = text[line_start : _line_end(text, line_start, len(text))]
    return len(line) - len(line.lstrip(" \t"))


def _line_end(text: str, at: int, end: int) -> int:
    found = text.find("\n", at, end)
    return end if found < 0 else found


def _logical_end(text: str, first: int, end: int) -> int:
    """The end of a line with the lines that its brackets go over; of the line alone when they are not closed."""
    depth = 0
    fresh = False
    for token in raw_tokens(text, first, end):
        if token.kind == "newline":
            if depth <= 0:
                return token.start
            fresh = True
        elif fresh and token.text in LINE_STARTS:
            break
        elif token.kind != "comment":
            fresh = False
            depth += (token.text in CLOSER) - (token.text in OPENER)
    return end if depth <= 0 else _line_end(text, first, end)


def _following_lines(text: str, line_end: int, end: int) -> list[tuple[int, int]]:
    """Where the lines below start and end, without blank lines and comments."""
    lines = []
    while line_end < end:
        following = _line_end(text, line_end + 1, end)
        words = text[line_end + 1 : following].strip()
        if words and not words.startswith("#"):
            lines.append((line_end + 1, following))
        line_end = following
    return lines


def _end_of_group(text: str, line_end: int, end: int, indent: int, *, branches: bool = True) -> int:
    """The end of the lines below that are indented more or close brackets, and of those that go on with `else` and the like."""
    last = line_end
    goes_on = (")", "]", "}", *(("else", "elif", "otherwise") if branches else ()))
    for start, following in _following_lines(text, line_end, end):
        if _indent_of(text, start) <= indent and not text[start:following].strip().startswith(goes_on):
            break
        last = following
    return last


def _blank_out(text: str, chunk: int, end: int, first: int, error: Diagnostic) -> tuple[str, int] | None:
    """The text without the lines of a mistake, every offset kept, and where they ended; None when nothing can be put in
    their place. A statement is put there where the block needs one, a header where lines hang on it."""
    line_end = max(_line_end(text, max(error.span.start, error.span.end), end), _logical_end(text, first, end))
    indent = _indent_of(text, first)
    stand_in = _stand_in(text, chunk, end, first, line_end, error)
    last = line_end
    if first <= chunk:
        if not stand_in:
            return None
    elif error.code in ("S106", "S108"):
        last = _end_of_group(text, line_end, end, indent - 1)
    elif stand_in == _STATEMENT:
        last = _end_of_group(text, line_end, end, indent, branches=False)
    elif not stand_in or indent + len(stand_in) > _line_end(text, first, end) - first:
        last = _end_of_group(text, line_end, end, indent)
        stand_in = stand_in and _STATEMENT
    blank = "".join(c if c in "\r\n" else " " for c in text[first:last])
    blank = blank[:indent] + stand_in + blank[indent + len(stand_in) :]
    return text[:first] + blank + text[last:], last


_STATEMENT = "x"
_HEADERS = {
    "def": "flow x:", "event": "event x:", "action": "flow x:", "flow": "flow x:", "state": "state:", "enum": "enum x:",
    "record": "record x:", "game": "game x:", "scenario": 'scenario "":',
}


def _stand_in(text: str, chunk: int, end: int, first: int, line_end: int, error: Diagnostic) -> str:
    """What may stand in the place of a line with a mistake: a statement, a header or nothing."""
    if error.code in ("S106", "S108"):
        return ""
    tokens = [t for t in raw_tokens(text, first, line_end) if t.kind not in ("newline", "comment")]
    header = error.code == "S102" or (bool(tokens) and tokens[-1].text == ":")
    head = text[chunk:end].split(maxsplit=2)[:2]
    below = _following_lines(text, line_end, end)[:1]
    deeper = bool(below) and _indent_of(text, below[0][0]) > _indent_of(text, first)
    if first <= chunk:
        word = _HEADERS.get(head[0], "")
        return word if deeper and header and len(word) <= _line_end(text, first, end) - first else ""
    in_scenario = "scenario" in head and _indent_of(text, first) > _first_indent(text, chunk, end)
    if not (in_scenario or any(word in _WITH_STATEMENTS for word in head)):
        return ""
    if deeper and header:
        return "if x:"
    if below and text[below[0][0] : below[0][1]].strip() == "otherwise:" and not deeper:
        return "x chooses y"
    return _STATEMENT


def _first_indent(text: str, chunk: int, end: int) -> int:
    """The indentation of the first line in the block of a declaration."""
    lines = _following_lines(text, _line_end(text, chunk, end), end)
    return _indent_of(text, lines[0][0]) if lines else 0
