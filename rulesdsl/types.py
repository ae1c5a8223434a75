"""The types of the language. All are finite, and every value has one internal form that the generated code works on.

| type           | internal form                                                              |
| -------------- | -------------------------------------------------------------------------- |
| `bool`         | `bool`                                                                     |
| `lo..hi`       | `int`, the number itself                                                   |
| enum, `Player`, board place | `int`, the position in declared order, from 0                 |
| record         | `tuple` of the fields' forms, in declared order                            |
| `T?`           | `None`, or the form of `T` (there is no `T??`)                             |
| `set[T]`       | `int`, a bit mask over `index_of(T, value)`                                |
| `bag[T]`       | `tuple` of counts, one for each value of `T` in order                      |
| `list[T, n]`   | `tuple` of the elements' forms                                             |
| `map[K, V]`    | `tuple` of the values' forms, one for each key of `K` in order             |

"In order" is always the canonical order of `values(T)`: ints ascending, members and places as declared, `false` before
`true`, none before the rest, records by their fields from left to right.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, Union

from attrs import field, frozen

INT_MIN = -(2**63)
INT_MAX = 2**63 - 1
COLLECTION_LIMIT = 4096
BAG_LIMIT = 255


@frozen
class IntType:
    lo: int
    hi: int

    def __str__(self) -> str:
        if (self.lo, self.hi) == (INT_MIN, INT_MAX):
            return "int"
        return f"{self.lo}..{self.hi}"


@frozen
class BoolType:
    def __str__(self) -> str:
        return "bool"


@frozen
class EnumType:
    """An enum, or `Player` (kind `player`), or the places of a board (kind `place`).

    `attributes` are (name, type) and, per member, a value in internal form. Places and players get theirs from the shape.
    """

    name: str
    members: tuple[str, ...] = field(eq=False)
    kind: str = field(default="enum", eq=False)
    ordered: bool = field(default=False, eq=False)

    def __str__(self) -> str:
        return self.name


@frozen
class RecordType:
    name: str
    fields: tuple[tuple[str, "Type"], ...] = field(eq=False)

    def __str__(self) -> str:
        return self.name

    def position(self, name: str) -> int | None:
        for index, (field_name, _) in enumerate(self.fields):
            if field_name == name:
                return index
        return None


@frozen
class OptionType:
    item: "Type"

    def __str__(self) -> str:
        return f"{self.item}?"


@frozen
class SetType:
    item: "Type"

    def __str__(self) -> str:
        return f"set[{self.item}]"


@frozen
class BagType:
    item: "Type"

    def __str__(self) -> str:
        return f"bag[{self.item}]"


@frozen
class ListType:
    item: "Type"
    limit: int

    def __str__(self) -> str:
        return f"list[{self.item}, {self.limit}]"


@frozen
class MapType:
    key: "Type"
    value: "Type"

    def __str__(self) -> str:
        return f"map[{self.key}, {self.value}]"


@frozen
class NothingType:
    """The type of `none` and of `{}` or `[]` before anything expects more of them. No value of a program keeps it."""

    what: str = "none"

    def __str__(self) -> str:
        return self.what


@frozen
class UnknownType:
    """What a mistake leaves behind, so that one mistake is reported once."""

    def __str__(self) -> str:
        return "?"


Type = Union[
    IntType, BoolType, EnumType, RecordType, OptionType, SetType, BagType, ListType, MapType, NothingType, UnknownType
]

INT = IntType(INT_MIN, INT_MAX)
BOOL = BoolType()
UNKNOWN = UnknownType()
NONE = NothingType("none")
EMPTY = NothingType("{}")


def describe(t: Type) -> str:
    """A type as messages print it: numbers that are known print as numbers, and ranges without a real end as `int`."""
    if isinstance(t, IntType):
        if t.lo == t.hi:
            return str(t.lo)
        return "int" if t.lo <= -(2**40) or t.hi >= 2**40 else str(t)
    if isinstance(t, OptionType):
        return f"{describe(t.item) if not isinstance(t.item, IntType) or t.item.lo < t.item.hi else t.item}?"
    if isinstance(t, MapType):
        return f"map[{t.key}, {describe(t.value) if not isinstance(t.value, IntType) or t.value.lo < t.value.hi else t.value}]"
    if isinstance(t, ListType):
        return f"list of {describe(t.item)}" if t.limit >= 2**20 else str(t)
    return str(t)


def is_collection(t: Type) -> bool:
    return isinstance(t, (SetType, BagType, ListType))


@lru_cache(maxsize=4096)
def _size(t: Type, shape: tuple[Any, ...]) -> int | None:
    if isinstance(t, IntType):
        return t.hi - t.lo + 1
    if isinstance(t, BoolType):
        return 2
    if isinstance(t, EnumType):
        return len(t.members)
    if isinstance(t, RecordType):
        total = 1
        for _, item in t.fields:
            part = size(item)
            if part is None:
                return None
            total *= part
        return total
    if isinstance(t, OptionType):
        part = size(t.item)
        return None if part is None else part + 1
    if isinstance(t, SetType):
        part = size(t.item)
        return None if part is None or part > 62 else 2**part
    if isinstance(t, MapType):
        keys, part = size(t.key), size(t.value)
        return None if keys is None or part is None or keys > 4096 or part**keys > 2**63 else int(part**keys)
    return None


def _shape(t: Type) -> tuple[Any, ...]:
    """What two types of one name may differ in, in two programs or two specialisations: their members, fields and ranges."""
    if isinstance(t, EnumType):
        return ("enum", len(t.members))
    if isinstance(t, IntType):
        return (t.lo, t.hi)
    if isinstance(t, RecordType):
        return ("record", *(_shape(item) for _, item in t.fields))
    if isinstance(t, (OptionType, SetType, BagType, ListType)):
        return (type(t).__name__, _shape(t.item))
    if isinstance(t, MapType):
        return ("map", _shape(t.key), _shape(t.value))
    return (str(t),)


def size(t: Type) -> int | None:
    """How many values a type has; None where they are too many to count (bags, lists, large sets and maps)."""
    return _size(t, _shape(t))


def values(t: Type) -> Iterator[Any]:
    """All values of a type in internal form, in canonical order.

    Raises:
        ValueError: the type has too many values to list.
    """
    if isinstance(t, IntType):
        yield from range(t.lo, t.hi + 1)
    elif isinstance(t, BoolType):
        yield from (False, True)
    elif isinstance(t, EnumType):
        yield from range(len(t.members))
    elif isinstance(t, RecordType):
        yield from itertools.product(*(tuple(values(item)) for _, item in t.fields))
    elif isinstance(t, OptionType):
        yield None
        yield from values(t.item)
    elif isinstance(t, SetType) and size(t) is not None:
        yield from range(size(t) or 0)
    elif isinstance(t, MapType) and size(t) is not None:
        yield from itertools.product(tuple(values(t.value)), repeat=size(t.key) or 0)
    else:
        raise ValueError(f"the values of {t} cannot be listed")


def index_of(t: Type, value: Any) -> int:
    """The place of a value in `values(t)`, computed without listing them."""
    if isinstance(t, IntType):
        return int(value) - t.lo
    if isinstance(t, (BoolType, EnumType, SetType)):
        return int(value)
    if isinstance(t, RecordType):
        total = 0
        for (_, item), part in zip(t.fields, value, strict=True):
            total = total * (size(item) or 0) + index_of(item, part)
        return total
    if isinstance(t, OptionType):
        return 0 if value is None else 1 + index_of(t.item, value)
    if isinstance(t, MapType):
        total = 0
        for part in value:
            total = total * (size(t.value) or 0) + index_of(t.value, part)
        return total
    raise ValueError(f"the values of {t} have no index")


def value_at(t: Type, index: int) -> Any:
    """The value of `t` at a place of `values(t)`."""
    if isinstance(t, IntType):
        return t.lo + index
    if isinstance(t, BoolType):
        return bool(index)
    if isinstance(t, (EnumType, SetType)):
        return index
    if isinstance(t, RecordType):
        parts = []
        for _, item in reversed(t.fields):
            index, part = divmod(index, size(item) or 1)
            parts.append(value_at(item, part))
        return tuple(reversed(parts))
    if isinstance(t, OptionType):
        return None if index == 0 else value_at(t.item, index - 1)
    if isinstance(t, MapType):
        parts = []
        for _ in range(size(t.key) or 0):
            index, part = divmod(index, size(t.value) or 1)
            parts.append(value_at(t.value, part))
        return tuple(reversed(parts))
    raise ValueError(f"the values of {t} have no index")


def contains(t: Type, value: Any) -> bool:
    """Whether a value in internal form belongs to a type."""
    if isinstance(t, IntType):
        return type(value) is int and t.lo <= value <= t.hi
    if isinstance(t, BoolType):
        return type(value) is bool
    if isinstance(t, EnumType):
        return type(value) is int and 0 <= value < len(t.members)
    if isinstance(t, RecordType):
        return (
            isinstance(value, tuple)
            and len(value) == len(t.fields)
            and all(contains(item, part) for (_, item), part in zip(t.fields, value, strict=True))
        )
    if isinstance(t, OptionType):
        return value is None or contains(t.item, value)
    if isinstance(t, SetType):
        return type(value) is int and 0 <= value < 2 ** (size(t.item) or 0)
    if isinstance(t, BagType):
        return isinstance(value, tuple) and len(value) == size(t.item) and all(0 <= n <= BAG_LIMIT for n in value)
    if isinstance(t, ListType):
        return isinstance(value, tuple) and len(value) <= t.limit and all(contains(t.item, part) for part in value)
    if isinstance(t, MapType):
        return isinstance(value, tuple) and len(value) == size(t.key) and all(contains(t.value, v) for v in value)
    return False


def zero(t: Type) -> Any:
    """The value a field starts with when none is written.

    Raises:
        ValueError: the type has no such value.
    """
    if isinstance(t, IntType) and t.lo <= 0 <= t.hi:
        return 0
    if isinstance(t, BoolType):
        return False
    if isinstance(t, OptionType):
        return None
    if isinstance(t, SetType):
        return 0
    if isinstance(t, BagType):
        return (0,) * (size(t.item) or 0)
    if isinstance(t, ListType):
        return ()
    if isinstance(t, MapType):
        return (zero(t.value),) * (size(t.key) or 0)
    raise ValueError(f"{t} needs a first value")
