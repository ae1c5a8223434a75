"""Generated programs: small random rules files, for testing the language and the machine themselves.

`random_program(rng)` makes the text of a valid one, `break_program(text, rng)` mutates a text. Both take any
`random.Random`; `programs()` and `broken_programs()` are the same as Hypothesis strategies, and shrink. (They draw
from `randoms(use_true_random=False)` by `randrange` alone, whose smallest value stands for the simplest choice.)
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable

from hypothesis import strategies as st

from playtest.growing.grow import Grower

WORDS = (
    "if", "for", "in", "let", "var", "emit", "require", "state", "event", "action", "flow", "def", "end", "tie", "turns", "from",
    "step", "may", "chooses", "otherwise", "draw", "some", "none", "is", "not", "and", "or", "after", "me", "Player", "0", "7",
    "==", "<=", "..", "//", "+=", "=", ":", ",", "(", ")", "[", "]", "{", "}", "?", "?.", ".", "->", '"', "#", "@", "\t", "é",
)  # fmt: skip
_DOCUMENTED = ("enum", "record", "board", "def", "event", "action", "flow", "measure", "param", "const", "state")
_TOKEN = re.compile(r"[A-Za-z_]\w*|\d+|\"[^\"\n]*\"|[^\sA-Za-z_\d]|\n[ ]*|[ ]+")


def random_program(rng: random.Random) -> str:
    """The text of a small valid program."""
    return Grower(rng).grow()


def annotated_program(rng: random.Random) -> str:
    """A small valid program with comments and documentation in all sorts of places, and laid out carelessly."""
    lines: list[str] = []
    for line in random_program(rng).splitlines():
        indent = line[: len(line) - len(line.lstrip(" "))]
        way = rng.randrange(24)
        if way == 23 and line.strip():
            lines.append(f"{indent}# about the next line")
        elif way == 22 and line.startswith(_DOCUMENTED):
            lines.append("## What this is for.  [§1.2]")
        elif way == 21:
            lines.append("# out of line")
        elif way == 20:
            lines.append("")
        lines.append(_careless(line, way))
    return "\n".join(lines) + "\n"


def _careless(line: str, way: int) -> str:
    """A line that means the same and looks different."""
    if way == 19 and line.strip():
        return f"{line}  # said beside it"
    if '"' in line or not line.strip():
        return line
    if way == 18:
        return line.replace("(", "(\n  ", 1)
    if way == 17:
        return line.replace("(", "(  # within\n", 1).replace(" and ", "  and  ")
    if way == 16:
        return line.replace(" + ", "+").replace(", ", " ,").replace(" == ", "==")
    return line


def tokens(text: str) -> list[str]:
    """A text cut into words, numbers, sentences, signs, and spaces; joined they give the text again."""
    return _TOKEN.findall(text)


def break_program(text: str, rng: random.Random) -> str:
    """A text with one to three random changes, probably no valid program any more."""
    ways: tuple[Callable[[str, random.Random], str], ...] = (
        _without_token, _twice, _swapped, _replaced, _inserted, _without_line, _indented, _renamed, _renumbered, _cut,
    )  # fmt: skip
    for _ in range(1 + rng.randrange(3)):
        text = ways[rng.randrange(len(ways))](text, rng)
    return text


def _pick(parts: list[str], rng: random.Random, wanted: Callable[[str], bool]) -> int | None:
    found = [number for number, part in enumerate(parts) if wanted(part)]
    return found[rng.randrange(len(found))] if found else None


def _solid(part: str) -> bool:
    return bool(part.strip())


def _with_token(text: str, rng: random.Random, wanted: Callable[[str], bool], change: Callable[[str], str]) -> str:
    parts = tokens(text)
    at = _pick(parts, rng, wanted)
    if at is not None:
        parts[at] = change(parts[at])
    return "".join(parts)


def _without_token(text: str, rng: random.Random) -> str:
    return _with_token(text, rng, _solid, lambda _: "")


def _twice(text: str, rng: random.Random) -> str:
    return _with_token(text, rng, _solid, lambda part: f"{part} {part}")


def _replaced(text: str, rng: random.Random) -> str:
    return _with_token(text, rng, _solid, lambda _: WORDS[rng.randrange(len(WORDS))])


def _inserted(text: str, rng: random.Random) -> str:
    return _with_token(text, rng, lambda _: True, lambda part: f"{part}{WORDS[rng.randrange(len(WORDS))]} ")


def _renumbered(text: str, rng: random.Random) -> str:
    numbers = ("0", "1", "63", "256", "4097", "9223372036854775808", "-1")
    return _with_token(text, rng, str.isdigit, lambda _: numbers[rng.randrange(len(numbers))])


def _renamed(text: str, rng: random.Random) -> str:
    """A name in the place of another of the same program: well formed, but rarely well typed."""
    names = sorted({part for part in tokens(text) if part.isidentifier()})
    return _with_token(text, rng, str.isidentifier, lambda _: names[rng.randrange(len(names))])


def _swapped(text: str, rng: random.Random) -> str:
    parts = tokens(text)
    first, second = _pick(parts, rng, _solid), _pick(parts, rng, _solid)
    if first is not None and second is not None:
        parts[first], parts[second] = parts[second], parts[first]
    return "".join(parts)


def _without_line(text: str, rng: random.Random) -> str:
    lines = text.splitlines(keepends=True)
    if lines:
        del lines[rng.randrange(len(lines))]
    return "".join(lines)


def _indented(text: str, rng: random.Random) -> str:
    lines = text.splitlines(keepends=True)
    if lines:
        at = rng.randrange(len(lines))
        lines[at] = (" " + lines[at], "    " + lines[at], lines[at].lstrip(" "), lines[at][1:])[rng.randrange(4)]
    return "".join(lines)


def _cut(text: str, rng: random.Random) -> str:
    return text[: rng.randrange(len(text) + 1)]


def programs() -> st.SearchStrategy[str]:
    """Hypothesis strategy: texts of small valid programs."""
    return st.randoms(use_true_random=False).map(random_program)


def annotated_programs() -> st.SearchStrategy[str]:
    """Hypothesis strategy: texts of small valid programs with comments everywhere."""
    return st.randoms(use_true_random=False).map(annotated_program)


def broken_programs() -> st.SearchStrategy[str]:
    """Hypothesis strategy: texts of programs with random mistakes in them."""
    return st.randoms(use_true_random=False).map(lambda rng: break_program(random_program(rng), rng))
