"""The words of a text, read without the parser: for what is said about mistakes, and for finding places again."""

from __future__ import annotations

import re
from collections.abc import Iterator

from attrs import frozen

_RAW = re.compile(
    r"""(?P<newline>\r?\n)|(?P<blank>[ \t\ufeff]+)|(?P<comment>\#[^\r\n]*)|(?P<string>"[^"\r\n]*")|(?P<word>[A-Za-z_][A-Za-z0-9_]*)
    |(?P<int>[0-9]+)|(?P<sign>\.\.|\?\.|->|[+\-=!<>]=|//|[-+*%|&.,:=<>?()\[\]{}])|(?P<unknown>.)""",
    re.VERBOSE | re.DOTALL,
)
CLOSER = {"(": ")", "[": "]", "{": "}"}
OPENER = {closer: opener for opener, closer in CLOSER.items()}


@frozen
class Raw:
    """A word, number, sentence or sign of the text. kind is a group of `_RAW`; `end` for the end of the file."""

    kind: str
    text: str
    start: int
    end: int


def each_raw(text: str, start: int, end: int) -> Iterator[Raw]:
    """The tokens between two offsets, one after the other; blanks are left out."""
    for match in _RAW.finditer(text, start, end):
        if match.lastgroup != "blank":
            yield Raw(match.lastgroup or "unknown", match.group(), match.start(), match.end())


def raw_tokens(text: str, start: int, end: int) -> list[Raw]:
    """The tokens between two offsets."""
    return list(each_raw(text, start, end))


# ---------------------------------------------------------------- words of the language

DECLARATIONS = frozenset(
    {"game", "param", "const", "enum", "record", "board", "state", "def", "event", "action", "flow", "measure", "goals",
     "invariant", "transition", "terminates", "scenario", "variant", "set", "replace", "remove", "add", "before", "after"}
)
# Those of them that are names elsewhere.
SOFT_DECLARATIONS = frozenset({"goals", "set", "replace", "remove", "add", "before", "after"})
STATEMENTS = frozenset(
    {"let", "var", "return", "require", "emit", "if", "elif", "else", "for", "while", "repeat", "turns", "step", "draw",
     "otherwise", "end", "break", "continue", "pass"}
)
# Words that start a line and cannot stand in brackets.
LINE_STARTS = (DECLARATIONS - SOFT_DECLARATIONS) | (STATEMENTS - {"if", "else", "for"})
SCENARIO_WORDS = frozenset({"with", "given", "run", "draw", "expect"})
HEADERS = frozenset(
    {"game", "enum", "record", "state", "def", "event", "action", "flow", "measure", "invariant", "transition", "scenario",
     "given", "if", "elif", "else", "for", "while", "repeat", "turns", "step", "otherwise"}
)
CONNECTING = frozenset(
    {"if", "else", "and", "or", "in", "is", "for", "from", "can", "after", "scores", "chooses", "may", "to", "by", "within"}
)
