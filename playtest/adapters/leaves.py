"""Values as arrays of numbers, by their types.

| type | arrays |
| --- | --- |
| `bool` | one number, 0 or 1 |
| `lo..hi` | the number itself |
| enum, `Player`, place | one 0 or 1 for each member: *one-hot* |
| `T?` of such | one-hot, the first for none |
| any other `T?` | `.present`, 0 or 1, and the arrays of `T`, all 0 where there is none |
| record | the arrays of each field, `.owner`, `.tile` |
| `set[T]` | 0 or 1 for each value of `T` |
| `bag[T]` | a count for each value of `T` |
| `list[T, n]` | `.length`, and the arrays of `T` with a first axis of n, 0 past the end |
| `map[K, V]` | the arrays of `V` with a first axis of the values of `K` |

What is concealed shows its backs: `.count` of a set, bag or list, `.present` of an option, `.there` of a list of options.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from rulesdsl.types import (
    BAG_LIMIT,
    BagType,
    BoolType,
    EnumType,
    IntType,
    ListType,
    MapType,
    OptionType,
    RecordType,
    SetType,
    Type,
    size,
)

Array = NDArray[Any]


@frozen(eq=False)
class Leaf:
    """One array of a value: what it is called after the value's name, its shape, the least and greatest number in it, and the
    function from a value in internal form to its numbers, in the order of C."""

    name: str
    shape: tuple[int, ...]
    low: int
    high: int
    numbers: Callable[[Any], list[int]]

    @property
    def width(self) -> int:
        return int(np.prod(self.shape, dtype=int))

    @property
    def dtype(self) -> np.dtype[Any]:
        """The smallest type of integers that holds all."""
        return next(d for d in map(np.dtype, ("int8", "int16", "int32", "int64")) if self._fits(d))

    def _fits(self, dtype: np.dtype[Any]) -> bool:
        info = np.iinfo(dtype)
        return int(info.min) <= self.low and self.high <= int(info.max)


def _one_hot(count: int) -> list[list[int]]:
    return [[int(n == place) for n in range(count)] for place in range(count)]


def leaves(t: Type) -> list[Leaf]:
    """The arrays of a type."""
    if isinstance(t, BoolType):
        return [Leaf("", (), 0, 1, lambda value: [int(value)])]
    if isinstance(t, IntType):
        return [Leaf("", (), t.lo, t.hi, lambda value: [value])]
    if isinstance(t, EnumType):
        rows = _one_hot(len(t.members))
        return [Leaf("", (len(rows),), 0, 1, rows.__getitem__)]
    if isinstance(t, OptionType):
        return _option(t)
    if isinstance(t, RecordType):
        return [_part(leaf, field, n) for n, (field, item) in enumerate(t.fields) for leaf in leaves(item)]
    if isinstance(t, SetType):
        places = range(size(t.item) or 0)
        return [Leaf("", (len(places),), 0, 1, lambda value: [value >> n & 1 for n in places])]
    if isinstance(t, BagType):
        return [Leaf("", (size(t.item) or 0,), 0, BAG_LIMIT, list)]
    if isinstance(t, ListType):
        length = Leaf(".length", (), 0, t.limit, lambda value: [len(value)])
        return [length, *(_repeated(leaf, t.limit) for leaf in leaves(t.item))]
    if isinstance(t, MapType):
        return [_repeated(leaf, size(t.key) or 0) for leaf in leaves(t.value)]
    raise AssertionError(f"no value has the type {t}")


def _option(t: OptionType) -> list[Leaf]:
    if isinstance(t.item, EnumType):
        rows = _one_hot(1 + len(t.item.members))
        return [Leaf("", (len(rows),), 0, 1, lambda value: rows[0] if value is None else rows[value + 1])]
    present = Leaf(".present", (), 0, 1, lambda value: [int(value is not None)])
    return [present, *map(_or_nothing, leaves(t.item))]


def _or_nothing(leaf: Leaf) -> Leaf:
    nothing, numbers = [0] * leaf.width, leaf.numbers
    low, high = min(leaf.low, 0), max(leaf.high, 0)
    return Leaf(leaf.name, leaf.shape, low, high, lambda value: nothing if value is None else numbers(value))


def _part(leaf: Leaf, field: str, place: int) -> Leaf:
    numbers = leaf.numbers
    return Leaf(f".{field}{leaf.name}", leaf.shape, leaf.low, leaf.high, lambda value: numbers(value[place]))


def _repeated(leaf: Leaf, count: int) -> Leaf:
    """A leaf of each of up to `count` values, in one array."""
    width, numbers = leaf.width, leaf.numbers
    low, high = min(leaf.low, 0), max(leaf.high, 0)

    def all_numbers(value: Iterable[Any]) -> list[int]:
        found = [number for item in value for number in numbers(item)]
        return found + [0] * (count * width - len(found))

    return Leaf(leaf.name, (count, *leaf.shape), low, high, all_numbers)


def backs(t: Type) -> list[Leaf]:
    """The arrays of what everybody sees of a concealed value."""
    if isinstance(t, MapType):
        return [_repeated(leaf, size(t.key) or 0) for leaf in backs(t.value)]
    if isinstance(t, SetType):
        return [Leaf(".count", (), 0, size(t.item) or 0, lambda value: [value.bit_count()])]
    if isinstance(t, BagType):
        return [Leaf(".count", (), 0, BAG_LIMIT * (size(t.item) or 0), lambda value: [sum(value)])]
    if isinstance(t, ListType):
        count = Leaf(".count", (), 0, t.limit, lambda value: [len(value)])
        return [count, *([_there(t.limit)] if isinstance(t.item, OptionType) else [])]
    if isinstance(t, OptionType):
        return [Leaf(".present", (), 0, 1, lambda value: [int(value is not None)])]
    return []


def _there(limit: int) -> Leaf:
    def numbers(value: Any) -> list[int]:
        return [int(item is not None) for item in value] + [0] * (limit - len(value))

    return Leaf(".there", (limit,), 0, 1, numbers)
