"""Python source as it is being written: expressions with their precedence, lines with their place in the rules, names.

Knows Python and nothing about games.
"""

from __future__ import annotations

import builtins
import keyword
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

from attrs import define, field

from rulesdsl.diagnostics import Span

# How tightly an expression holds together; higher is tighter.
TERNARY, OR, AND, NOT, COMPARE, BIT_OR, BIT_AND, SHIFT, SUM, PRODUCT, UNARY, ATOM = range(12)


class Py(NamedTuple):
    """A Python expression. `opposite`: a comparison that is true where this one is false."""

    text: str
    level: int = ATOM
    opposite: str = ""

    def at(self, level: int) -> str:
        """The text, in parentheses where it holds together less tightly than `level`."""
        return self.text if self.level >= level else f"({self.text})"

    @property
    def never_none(self) -> bool:
        """A number, bool or tuple written out."""
        text = self.text
        written = (
            text.lstrip("-").isdigit()
            or text in ("True", "False")
            or (text.startswith("(") and text.endswith(")") and "," in text)
        )
        return self.level in (ATOM, UNARY) and written

    @property
    def simple(self) -> bool:
        """A name or a short literal: reading it twice costs nothing."""
        return self.level == ATOM and (self.text.isidentifier() or self.text.lstrip("-").isdigit())


TRUE, FALSE, NONE = Py("True"), Py("False"), Py("None")


def infix(left: Py, operator: str, right: Py, level: int) -> Py:
    """A left-associative operation."""
    return Py(f"{left.at(level)} {operator} {right.at(level + 1)}", level)


_OPPOSITE = {"==": "!=", "is": "is not", "<": ">=", "<=": ">", "in": "not in"}
_OPPOSITE |= {opposite: operator for operator, opposite in _OPPOSITE.items()}


def comparison(left: Py, operator: str, right: Py) -> Py:
    """A comparison; Python would chain two of them, so both sides hold together more tightly."""
    if right == NONE and operator in ("is", "is not") and (left == NONE or left.never_none):
        return TRUE if (left == NONE) == (operator == "is") else FALSE
    a, b = left.at(COMPARE + 1), right.at(COMPARE + 1)
    return Py(f"{a} {operator} {b}", COMPARE, f"{a} {_OPPOSITE[operator]} {b}")


def negation(code: Py) -> Py:
    """True where `code` is not; without a `not` where a comparison can be turned round."""
    if code.opposite:
        return Py(code.opposite, COMPARE, code.text)
    if code.level == NOT:
        return Py(code.text.removeprefix("not "), COMPARE)
    if code in (TRUE, FALSE):
        return FALSE if code == TRUE else TRUE
    return Py(f"not {code.at(NOT)}", NOT)


def plus(code: Py, number: int) -> Py:
    """`code` and a known number, without adding 0."""
    if number == 0:
        return code
    if code.simple and code.text.lstrip("-").isdigit():
        return literal_int(int(code.text) + number)
    added = re.fullmatch(r"(.*) ([+-]) (\d+)", code.text) if code.level == SUM else None
    if added is not None:
        number += int(added[2] + added[3])
        code = Py(added[1], SUM)
        if number == 0:
            return code
    return Py(f"{code.at(SUM)} {'+' if number > 0 else '-'} {abs(number)}", SUM)


def times(code: Py, number: int) -> Py:
    """`code` times a known number, without multiplying by 1."""
    if number == 1:
        return code
    if code.simple and code.text.lstrip("-").isdigit():
        return literal_int(int(code.text) * number)
    return Py(f"{code.at(PRODUCT)} * {number}", PRODUCT)


def literal_int(value: int) -> Py:
    return Py(str(value), ATOM if value >= 0 else UNARY)


def call(name: str, *args: Py) -> Py:
    return Py(f"{name}({', '.join(arg.text for arg in args)})")


def index(target: Py, position: Py) -> Py:
    return Py(f"{target.at(ATOM)}[{position.text}]")


def tuple_of(items: list[Py]) -> Py:
    if len(items) == 1:
        return Py(f"({items[0].text},)")
    return Py(f"({', '.join(item.text for item in items)})")


# ---------------------------------------------------------------- names

_PREFIXES = tuple(
    f"{word}_"
    for word in [
        "def",
        "event",
        "effects",
        "legal",
        "any",
        "allows",
        "flow",
        "action",
        "block",
        "asked",
        "given",
        "answer",
        "outcomes",
        "drawn",
        "law",
        "measure",
    ]
)
_TAKEN = frozenset(keyword.kwlist) | frozenset(keyword.softkwlist) | frozenset(dir(builtins))


class Names:
    """Python names within one function: each thing keeps one, no two share one."""

    def __init__(self, reserved: frozenset[str]) -> None:
        self.reserved = reserved
        self.used: set[str] = set()
        self.known: dict[tuple[str, ...], str] = {}

    def of(self, *thing: str) -> str:
        """The name of a thing; its last word is the name that the rules give it."""
        found = self.known.get(thing)
        if found is None:
            found = self.known[thing] = self.fresh(thing[-1])
        return found

    def fresh(self, wanted: str) -> str:
        """A new name like the wanted one."""
        base = re.sub(r"\W", "_", wanted).lstrip("_") or "v"
        if base[0].isdigit():
            base = f"v{base}"
        if base in _TAKEN or base in self.reserved or base.startswith(_PREFIXES) or base[0].isupper():
            base += "_"
        name, number = base, 2
        while name in self.used:
            name = f"{base}{'' if base.endswith('_') else '_'}{number}"
            number += 1
        self.used.add(name)
        return name


# ---------------------------------------------------------------- lines


class Line(NamedTuple):
    depth: int
    text: str
    span: Span | None


@define
class Emitter:
    """Lines of code, each with the place in the rules that it does."""

    lines: list[Line] = field(factory=list)
    depth: int = 0
    span: Span | None = None
    blocks: int = 0
    block_id: int = 0

    def line(self, text: str, span: Span | None = None) -> None:
        self.lines.append(Line(self.depth, text, span or self.span))

    def blank(self, count: int = 1) -> None:
        self.lines.extend([Line(0, "", None)] * count)

    @contextmanager
    def at(self, span: Span | None) -> Iterator[None]:
        """Lines written inside belong to `span`, or to no place."""
        before, self.span = self.span, span
        try:
            yield
        finally:
            self.span = before

    @contextmanager
    def block(self, head: str) -> Iterator[None]:
        """An indented block. What was opened with `open` inside it ends with it."""
        self.line(head)
        depth, outer, count = self.depth, self.block_id, len(self.lines)
        self.blocks += 1
        self.depth, self.block_id = depth + 1, self.blocks
        try:
            yield
        finally:
            if len(self.lines) == count or self.lines[-1].depth <= depth or self.lines[-1].text.endswith(":"):
                self.line("pass")
            self.depth, self.block_id = depth, outer

    def open(self, head: str) -> None:
        """Everything up to the end of the enclosing block goes into this one."""
        self.line(head)
        self.depth += 1

    @contextmanager
    def capture(self) -> Iterator[list[Line]]:
        """Lines written inside are kept apart."""
        before, self.lines = self.lines, []
        depth = self.depth
        try:
            yield self.lines
        finally:
            self.lines, self.depth = before, depth

    def paste(self, lines: list[Line]) -> None:
        """Lines that were captured at this depth or at another."""
        if lines:
            shift = self.depth - min(line.depth for line in lines if line.text)
            self.lines.extend(line._replace(depth=line.depth + shift) if line.text else line for line in lines)


def render(lines: list[Line]) -> tuple[str, tuple[tuple[int, str, int, int], ...]]:
    """The source text, with a pointer to the rules where the place changes, and the place of every line."""
    texts: list[str] = []
    places: list[tuple[int, str, int, int]] = []
    last: tuple[str, int] | None = None
    for number, item in enumerate(lines, start=1):
        text = "    " * item.depth + item.text
        if item.span is None:
            last = None
        else:
            line, column = item.span.source.position(item.span.start)
            places.append((number, item.span.source.name, line, column))
            if (item.span.source.name, line) != last and "#" not in text:
                text += f"  # {item.span.source.name}:{line}"
            last = (item.span.source.name, line)
        texts.append(text)
    return "\n".join(texts) + "\n", tuple(places)
