"""Values told in small numbers, one after the other, so that no two values of a type are told alike."""

from __future__ import annotations

from typing import Any

from attrs import frozen

from interpreter.codec import Codec
from rulesdsl.types import (
    BAG_LIMIT,
    BagType,
    ListType,
    MapType,
    OptionType,
    RecordType,
    SetType,
    Type,
    index_of,
    size,
    value_at,
)

PART_LIMIT = 1 << 12
"""Values of a type that has no more are one part."""


@frozen
class Part:
    """A number, and what it says: `at c3`."""

    number: int
    text: str


def parts(codec: Codec, name: str, t: Type, value: Any) -> list[Part]:
    """The parts of a value of a type, called `name`."""
    count = size(t)
    if count is not None and count <= PART_LIMIT:
        return [Part(index_of(t, value), f"{name} {codec.text(t, value)}")]
    if isinstance(t, OptionType):
        if value is None:
            return [Part(0, f"{name} none")]
        return [Part(1, f"{name} is there"), *parts(codec, name, t.item, value)]
    if isinstance(t, RecordType):
        fields = zip(t.fields, value, strict=True)
        return [part for (field, item), inner in fields for part in parts(codec, f"{name}.{field}", item, inner)]
    if isinstance(t, SetType):
        words = ("without", "with")
        return [
            Part(value >> n & 1, f"{name} {words[value >> n & 1]} {codec.text(t.item, value_at(t.item, n))}")
            for n in range(size(t.item) or 0)
        ]
    if isinstance(t, BagType):
        return [Part(many, f"{name} {many} {codec.text(t.item, value_at(t.item, n))}") for n, many in enumerate(value)]
    if isinstance(t, ListType):
        told = [Part(len(value), f"{name} of {len(value)}")]
        return told + [part for n, item in enumerate(value) for part in parts(codec, f"{name}[{n}]", t.item, item)]
    if isinstance(t, MapType):
        keys = [codec.text(t.key, value_at(t.key, n)) for n in range(len(value))]
        return [
            part
            for key, item in zip(keys, value, strict=True)
            for part in parts(codec, f"{name}[{key}]", t.value, item)
        ]
    return _digits(name, index_of(t, value), count or 0)


def _digits(name: str, index: int, count: int) -> list[Part]:
    """A number of a long range, the high digits first."""
    told = []
    for place in reversed(range(_places(count))):
        digit = index // PART_LIMIT**place % PART_LIMIT
        told.append(Part(digit, f"{name} {digit}·{PART_LIMIT**place}" if place else f"{name} +{digit}"))
    return told


def _places(count: int) -> int:
    places = 1
    while PART_LIMIT**places < count:
        places += 1
    return places


def part_sizes(t: Type) -> list[int]:
    """For each part that a value of a type can have, one more than the greatest number in it."""
    count = size(t)
    if count is not None and count <= PART_LIMIT:
        return [count]
    if isinstance(t, OptionType):
        return [2, *part_sizes(t.item)]
    if isinstance(t, RecordType):
        return in_turn([part_sizes(item) for _, item in t.fields])
    if isinstance(t, SetType):
        return [2] * (size(t.item) or 0)
    if isinstance(t, BagType):
        return [BAG_LIMIT + 1] * (size(t.item) or 0)
    if isinstance(t, ListType):
        return [t.limit + 1, *in_turn([part_sizes(t.item)] * t.limit)]
    if isinstance(t, MapType):
        return in_turn([part_sizes(t.value)] * (size(t.key) or 0))
    return [PART_LIMIT] * _places(count or 0)


def in_turn(following: list[list[int]]) -> list[int]:
    """The sizes of parts that follow each other. Where one of them may be shorter, the next may begin earlier, so each
    place takes the widest."""
    sizes = [size for item in following for size in item]
    return sizes if all(len(item) == 1 for item in following) else [max(sizes, default=1)] * len(sizes)
