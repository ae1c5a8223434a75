"""What a shape of board is made of.

A shape gives place types and, for each, attributes (`s.neighbours`, `s.row`), methods (`s.offset(1, 2)`) and members of the
type itself (`Place.first`, `Cell.lines(3)`). All of it is computed once, when a program is specialised, and reaches the
generated code as tables. To add a shape, write a function that returns a `Shape` and enter it in `boards.SHAPES`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

from attrs import field, frozen

from rulesdsl.core import Table
from rulesdsl.types import UNKNOWN, EnumType, Type

MAX_PLACES = 4096


class ShapeError(Exception):
    """A shape that cannot be made; the message says why and is shown to the author."""


@frozen
class Attribute:
    """A known value for every place: type, and the values in internal form in the order of places."""

    type: Type
    table: Table


NO_ATTRIBUTE = Attribute(UNKNOWN, Table("", (), ()))
"""What stands for an attribute with a mistake in it."""


@frozen
class Method:
    """A relation of a place with further arguments. `params` are their types (an int argument outside gives `outside`).

    `make` gives its table, which is large, and so only made where the relation is used."""

    params: tuple[Type, ...]
    type: Type
    make: Callable[[], Table]

    @cached_property
    def table(self) -> Table:
        return self.make()


@frozen
class StaticMethod:
    """A function of known numbers on the type itself or on a place: gives a type and a value in internal form, or raises `ShapeError`."""

    call: Callable[[Sequence[int]], tuple[Type, Any]]
    signature: str


@frozen
class Shape:
    """`kind` is the name of the function in the rules (`grid`, `track`); `size` its numbers, for drawing. `relations` are
    methods of places whose numbers are known before play, so that only what is used is worked out: the value is a table."""

    kind: str
    size: tuple[int, ...]
    types: tuple[EnumType, ...]
    attributes: dict[tuple[str, str], Attribute]
    methods: dict[tuple[str, str], Method]
    constants: dict[tuple[str, str], tuple[Type, Any]]
    statics: dict[tuple[str, str], StaticMethod]
    relations: dict[tuple[str, str], StaticMethod] = field(factory=dict)


def column_name(column: int) -> str:
    """`a` to `z`, then `aa`, `ab`..."""
    name = ""
    column += 1
    while column:
        column, letter = divmod(column - 1, 26)
        name = chr(ord("a") + letter) + name
    return name


def mask(places: Sequence[int]) -> int:
    """The set of some places, in internal form."""
    return sum(1 << place for place in places)
