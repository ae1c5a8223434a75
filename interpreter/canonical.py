"""Canonical JSON text, which digests are taken over: keys sorted, no spaces, ASCII.

`Texts` makes it straight from internal values, with a function for each type: states are digested after every answer.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Sequence
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from interpreter.named import show
from rulesdsl.types import (
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
    values,
)

if TYPE_CHECKING:
    from interpreter.codec import Codec

_TABLE = 256
"""Types with at most so many values have their texts in a table."""


def canonical(data: Any) -> str:
    """JSON with sorted keys, without spaces, in ASCII."""
    return json.dumps(data, sort_keys=True, separators=(",", ":"))


def bits(mask: int) -> Iterator[int]:
    """The places of the ones of a mask, lowest first."""
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


def has_plain_name(t: Type) -> bool:
    """Whether the values of a type can be keys of a JSON object."""
    return isinstance(t, (EnumType, IntType, BoolType)) or (isinstance(t, OptionType) and has_plain_name(t.item))


class Texts:
    """The texts of a codec's values as JSON: canonical, or (`declared`) with keys in their declared order, as logs have them."""

    def __init__(self, codec: Codec, declared: bool = False) -> None:
        self.codec = codec
        self.declared = declared
        self._made: dict[Type, Callable[[Any], str]] = {}

    def of(self, t: Type) -> Callable[[Any], str]:
        """The function from internal values of a type to their JSON text: keys sorted (or as declared), no spaces, ASCII.

        It gives `canonical(codec.plain(t, value))` without making the data first.
        """
        found = self._made.get(t)
        if found is None:
            found = self._made[t] = self._make(t)
        return found

    def _make(self, t: Type) -> Callable[[Any], str]:
        count = size(t)
        if isinstance(t, IntType):
            return str
        if isinstance(t, EnumType) or (count is not None and count <= _TABLE):
            return {value: self._text(self.codec.plain(t, value)) for value in values(t)}.__getitem__
        if isinstance(t, OptionType):
            item = self.of(t.item)
            return lambda v: "null" if v is None else item(v)
        if isinstance(t, RecordType):
            order = self._ordered([name for name, _ in t.fields])
            parts = [(f'"{name}":', place, self.of(t.fields[place][1])) for name, place in order]
            return lambda v: "{" + ",".join([key + part(v[place]) for key, place, part in parts]) + "}"
        if isinstance(t, SetType):
            texts = [self.of(t.item)(value) for value in values(t.item)]
            return lambda v: "[" + ",".join([texts[i] for i in bits(v)]) + "]"
        if isinstance(t, ListType):
            item = self.of(t.item)
            return lambda v: "[" + ",".join(map(item, v)) + "]"
        if isinstance(t, BagType):
            return self._bag(t)
        assert isinstance(t, MapType)
        return self.cells((t.key,), self.of(t.value))

    def _bag(self, t: BagType) -> Callable[[Any], str]:
        keys = [self.of(t.item)(value) for value in values(t.item)]
        if not has_plain_name(t.item):
            return lambda v: "[" + ",".join([f"[{keys[i]},{n}]" for i, n in enumerate(v) if n]) + "]"
        order = [(f"{canonical(name)}:", i) for name, i in self._ordered(self._names(t.item))]
        return lambda v: "{" + ",".join([f"{key}{v[i]}" for key, i in order if v[i]]) + "}"

    def cells(self, keys: Sequence[Type], cell: Callable[[Any], str]) -> Callable[[Sequence[Any]], str]:
        """The function from flat cells, one for each combination of keys, to canonical JSON text."""
        order, template = self._cells(keys, 0)
        if len(order) < 2:
            return lambda cells: template % tuple([cell(cells[i]) for i in order])
        ordered = itemgetter(*order)
        return lambda cells: template % tuple(map(cell, ordered(cells)))

    def _cells(self, keys: Sequence[Type], first: int) -> tuple[list[int], str]:
        """In which order to write flat cells, and what stands around them."""
        if not keys:
            return [first], "%s"
        names = self._names(keys[0])
        plain = has_plain_name(keys[0])
        heads = [self.of(keys[0])(value) for value in values(keys[0])] if not plain else [canonical(n) for n in names]
        step = math.prod(size(key) or 0 for key in keys[1:])
        places = [i for _, i in self._ordered(names)] if plain else range(len(names))
        order: list[int] = []
        parts = []
        for place in places:
            inner, template = self._cells(keys[1:], first + place * step)
            order += inner
            head = heads[place].replace("%", "%%")
            parts.append(f"{head}:{template}" if plain else f"[{head},{template}]")
        return order, ("{%s}" if plain else "[%s]").replace("%s", ",".join(parts))

    def _ordered(self, names: Sequence[str]) -> list[tuple[str, int]]:
        """Names with their places, in the order in which they are written."""
        pairs = [(name, place) for place, name in enumerate(names)]
        return pairs if self.declared else sorted(pairs)

    def _text(self, data: Any) -> str:
        return json.dumps(data, sort_keys=not self.declared, separators=(",", ":"))

    def _names(self, t: Type) -> list[str]:
        return [show(self.codec.named(t, value)) for value in values(t)]
