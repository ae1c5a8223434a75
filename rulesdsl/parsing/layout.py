"""Indentation: turns the line ends that Lark's lexer found into _NL, _INDENT and _DEDENT tokens.

Lark's own `Indenter` raises an error without a position and knows tabs; this one raises `LayoutError` with a place, refuses
tabs, and bounds how deeply a text may be nested.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lark import Token

DEEPEST_BRACKETS = 60
DEEPEST_BLOCKS = 40

# Words that start a line at the margin only, or a line of a scenario only; elsewhere they start lines as names.
AT_MARGIN = frozenset({"GOALS", "SET", "REPLACE", "REMOVE", "ADD", "BEFORE"})
IN_SCENARIO = frozenset({"WITH", "GIVEN", "RUN", "EXPECT"})

OPENING = frozenset({"LPAR", "LSQB", "LBRACE"})
CLOSING = frozenset({"RPAR", "RSQB", "RBRACE"})


class LayoutError(Exception):
    """A mistake of layout. kind is `tab`, `half level` or `too deep`; `levels` are the indentations that were open."""

    def __init__(self, kind: str, start: int, end: int, levels: tuple[int, ...] = ()) -> None:
        super().__init__(kind)
        self.kind = kind
        self.start = start
        self.end = end
        self.levels = levels


class Layout:
    """Lark's `postlex`. `base` is the indentation of the first line, which belongs to no block; `lines` is false
    for a single expression, which no line end closes.

    It never looks ahead: the contextual lexer chooses how to read a token by what the parser has been given so far.
    """

    # Line ends, to be dropped inside brackets; names, or `winner` would be read as `win` where no name can stand.
    always_accept = ("_NL", "NAME")

    def __init__(self) -> None:
        self.base = 0
        self.lines = True

    def process(self, stream: Iterator[Token]) -> Iterator[Token]:
        """The tokens with layout added.

        Raises:
            LayoutError: the indentation has a tab or a level that does not exist, or the nesting is too deep.
        """

        levels = [self.base]
        brackets = 0
        scenario = False
        last: Token | None = None
        for token in stream:
            if token.type == "_NL":
                spaces = _indentation(token)
                if brackets or last is None:
                    continue
                last = token
                yield token
                if spaces is not None:
                    yield from _change_level(levels, spaces, token)
                continue
            if last is None or last.type == "_NL":
                scenario = scenario and len(levels) > 1
                if _starts_as_name(token.type, len(levels) - 1, scenario):
                    token = token.update(type="NAME")
            if token.type == "SCENARIO":
                scenario = True
            brackets = _count_brackets(token, brackets)
            last = token
            yield token
        if last is not None and self.lines:
            if last.type != "_NL":
                yield _at_end("_NL", last)
            for _ in levels[1:]:
                yield _at_end("_DEDENT", last)


def _starts_as_name(kind: str, depth: int, scenario: bool) -> bool:
    """Whether a word at the start of a line, so many blocks deep, is no keyword although the parser would take it for one: the
    tables of the parser do not tell the end of a block from the end of a declaration."""
    if kind in AT_MARGIN:
        return depth > 0
    return kind in IN_SCENARIO and not (scenario and depth == 1)


def _count_brackets(token: Token, brackets: int) -> int:
    """How many brackets are open after a token.

    Raises:
        LayoutError: too many.
    """
    if token.type in CLOSING:
        return max(0, brackets - 1)
    if token.type in OPENING and brackets == DEEPEST_BRACKETS:
        raise LayoutError("too deep", token.start_pos or 0, token.end_pos or 0)
    return brackets + (token.type in OPENING)


def _indentation(token: Token) -> int | None:
    """The spaces before the first word of the next line; None when only a comment follows, at the end of the file.

    Raises:
        LayoutError: there is a tab among them.
    """
    before, _, spaces = token.rpartition("\n")
    if "#" in spaces:
        return None
    if "\t" in spaces:
        at = (token.start_pos or 0) + len(before) + 1 + spaces.index("\t")
        raise LayoutError("tab", at, at + 1)
    return len(spaces)


def _change_level(levels: list[int], spaces: int, token: Token) -> Iterator[Token]:
    if spaces > levels[-1]:
        levels.append(spaces)
        if len(levels) > DEEPEST_BLOCKS:
            raise LayoutError("too deep", (token.end_pos or 0) - 1, token.end_pos or 0)
        yield _at_end("_INDENT", token)
    while spaces < levels[-1]:
        if spaces not in levels:
            end = token.end_pos or 0
            raise LayoutError("half level", end - spaces, end, tuple(levels))
        levels.pop()
        yield _at_end("_DEDENT", token)


def _at_end(kind: str, token: Token) -> Token:
    """An empty token right after another."""
    from lark import Token

    end = token.end_pos
    return Token(kind, "", end, token.end_line, token.end_column, token.end_line, token.end_column, end)
