"""Brackets that are not closed, close nothing or close another."""

from __future__ import annotations

from rulesdsl.diagnostics import Diagnostic, Label, Span
from rulesdsl.parsing.raw import CLOSER, HEADERS, LINE_STARTS, OPENER, Raw, raw_tokens
from rulesdsl.parsing.situation import Situation


def not_opened(s: Situation) -> Diagnostic | None:
    """A closing bracket at the start of a line that closes one further out than its indentation says: its own is missing, and
    the rest of what stands in the outer brackets comes too late."""
    if s.found.kind != "indent" and (s.found.text not in OPENER or s.brackets):
        return None
    opened: list[tuple[Raw, int]] = []
    lines: list[tuple[Raw, int]] = []
    fresh = True
    for token in raw_tokens(s.source.text, s.start, s.found.end):
        if token.kind in ("newline", "comment"):
            fresh = fresh or token.kind == "newline"
            continue
        begins, fresh = fresh, False
        if begins:
            lines.append((token, s.source.position(token.start)[1] - 1))
        if token.text in CLOSER:
            opened.append((token, lines[-1][1]))
        elif token.text in OPENER and opened:
            opener, indent = opened.pop()
            if begins and lines[-1][1] > indent and lines[-2][1] > lines[-1][1]:
                return _opener_missing(s, token, lines[:-1], lines[-1][1], opener)
    return None


def _opener_missing(s: Situation, closing: Raw, lines: list[tuple[Raw, int]], indent: int, taken: Raw) -> Diagnostic:
    """The lines right above a closing bracket that are indented more than it stand in its brackets."""
    inside = lines[-1][0]
    for first, deep in reversed(lines):
        if deep <= indent:
            break
        inside = first
    opener = OPENER[closing.text]
    return Diagnostic(
        "S104", f"a `{opener}` is missing", s.span(inside), f"`{opener}` must come before this line",
        (Label(s.span(closing), "closed here"), Label(s.span(taken), "so this is closed too early")),
    )


def stray_closer(s: Situation) -> Diagnostic | None:
    if s.found.text not in OPENER or s.found.kind != "sign":
        return None
    if not s.brackets:
        return Diagnostic("S104", f"this `{s.found.text}` closes nothing", s.here, f"no `{OPENER[s.found.text]}` is open here")
    opener = s.brackets[-1]
    if CLOSER[opener.text] == s.found.text:
        return None
    return Diagnostic(
        "S103", f"`{opener.text}` is closed by `{s.found.text}`", s.here, f"`{CLOSER[opener.text]}` must come first",
        (Label(s.span(opener), "opened here"),),
    )


def _closes_later(s: Situation) -> bool:
    """Whether the innermost open bracket is closed further on, before anything that starts a line of its own."""
    depth = 1
    line_start = True
    for token in s.following:
        if token.kind == "newline":
            line_start = True
            continue
        if line_start and token.text in LINE_STARTS:
            return False
        line_start = False
        depth += (token.text in CLOSER) - (token.text in OPENER)
        if depth == 0:
            return True
    return False


def not_closed(s: Situation) -> Diagnostic | None:
    if not s.brackets or s.previous is None or _closes_later(s):
        return None
    opener = s.brackets[-1]
    closer = CLOSER[opener.text]
    if s.on_new_line or s.found.kind in ("end", "newline", "dedent"):
        suspect = _suspect(s)
        if suspect is not None:
            opener, last = suspect
            closer, span = CLOSER[opener.text], _line_after(s, last, opener) or Span(s.source, last.end, last.end)
        else:
            span = _after_line(s, s.previous, opener)
    else:
        at_block = s.found.text == ":" and bool(s.following[1:]) and s.following[1].kind == "newline"
        arrow = s.found.text == ">" and s.source.text[s.found.start - 1] == "-"
        sign = s.found.kind == "sign" and s.found.text not in CLOSER and closer in s.accepted_signs
        if not (at_block or arrow or sign or s.found.text in ("else", "=")):
            return None
        span = s.here
    text = f"`{closer}` must come {'before this' if span.end > span.start else 'here'}"
    return Diagnostic("S103", f"a `{closer}` is missing", span, text, (Label(s.span(opener), "opened here"),))


def _suspect(s: Situation) -> tuple[Raw, Raw] | None:
    """The bracket that should have been closed, going by the indentation of the lines in it, and the last token before the
    line that gives it away: lines in brackets are indented more than the line with the opening one, up to the closing one."""
    opened: list[tuple[Raw, int]] = []
    indent, fresh = 0, True
    last: Raw | None = None
    for token in raw_tokens(s.source.text, s.start, s.end):
        if token.start > s.found.start:
            break
        if token.kind == "newline":
            fresh = True
        if token.kind in ("newline", "comment"):
            continue
        if fresh:
            indent, fresh = s.source.position(token.start)[1] - 1, False
            limit = 0 if token.text in OPENER else 1
            if opened and last is not None and indent < opened[-1][1] + limit:
                return opened[-1][0], last
        if token.text in CLOSER:
            opened.append((token, indent))
        elif token.text in OPENER and opened:
            opened.pop()
        last = token
    return None


def lonely_generator(s: Situation) -> Diagnostic | None:
    """`(x for x in xs)`, where only a call may have a generator."""
    if s.found.text != "for" or not s.brackets or s.brackets[-1].text != "(":
        return None
    opener = s.brackets[-1]
    return Diagnostic(
        "S101", "`for` stands in brackets that call nothing", s.span(opener), "what should count, sum or compare this?",
        (Label(s.here, "for each of these"),),
        ("`any(...)`, `all(...)`, `count(...)`, `sum(...)`, `min(...)`, `max(...)` and `first(...)` take a `for`; so do `[...]` and `{...}`",),
    )


def _after_line(s: Situation, previous: Raw, opener: Raw) -> Span:
    """Where a bracket that goes over lines should have been closed: after the last token, or on the line after it when the
    bracket began further up."""
    source = s.source
    header = s.line_of(opener)
    if header[0].text in HEADERS and header[-1].text == ":":
        return s.span(header[-1])
    line = source.position(previous.start)[0]
    end = Span(source, previous.end, previous.end)
    if source.position(opener.start)[0] == line or line >= len(source.line_starts):
        return end
    if source.position(s.found.start)[0] == line + 1 and s.found.end > s.found.start:
        return s.span(s.found)
    return _line_after(s, previous, opener) or end


def _line_after(s: Situation, last: Raw, opener: Raw) -> Span | None:
    """The blank line after the last token of a bracket that began further up, where its closing bracket is missing."""
    source = s.source
    line = source.position(last.start)[0]
    if source.position(opener.start)[0] == line or line >= len(source.line_starts) or source.line(line + 1).strip():
        return None
    return Span(source, source.line_starts[line], source.line_starts[line])
