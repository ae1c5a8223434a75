"""What a random program has: types, fields, signatures, and what an expression may use at its place.

`World` is what a program has declared so far, `Scope` what is in reach where an expression stands.
"""

from __future__ import annotations

from attrs import evolve, field, frozen, mutable


@frozen
class Kind:
    """A type: `sort` is int, bool, enum, player, place, record, option, set, bag, list or map, `text` how it is written."""

    sort: str
    text: str
    item: Kind | None = None
    key: Kind | None = None
    lo: int = 0
    hi: int = 0
    members: tuple[str, ...] = ()
    parts: tuple[tuple[str, Kind], ...] = ()
    count: int = 0
    shape: str = ""


BOOL = Kind("bool", "bool", count=2)


def int_kind(lo: int, hi: int) -> Kind:
    return Kind("int", f"{lo}..{hi}", lo=lo, hi=hi, count=hi - lo + 1)


def option(item: Kind) -> Kind:
    return Kind("option", f"{item.text}?", item=item)


def set_of(item: Kind) -> Kind:
    return Kind("set", f"set[{item.text}]", item=item, count=item.count)


def bag_of(item: Kind) -> Kind:
    return Kind("bag", f"bag[{item.text}]", item=item, count=item.count)


def list_of(item: Kind, limit: int) -> Kind:
    return Kind("list", f"list[{item.text}, {limit}]", item=item, count=limit)


def map_of(key: Kind, value: Kind) -> Kind:
    return Kind("map", f"map[{key.text}, {value.text}]", item=value, key=key, count=key.count)


@frozen
class Field:
    """A state field. `visibility` is empty for a public one."""

    name: str
    keys: tuple[Kind, ...]
    kind: Kind
    visibility: str = ""


@frozen
class Signature:
    """A def, event, flow or given part of an action: its name, its parameters, and what a def gives."""

    name: str
    params: tuple[tuple[str, Kind], ...]
    result: Kind | None = None


@mutable
class World:
    """What is declared: types by sort, known numbers, fields, defs, events that anybody may emit."""

    player: Kind
    enums: list[Kind] = field(factory=list)
    records: list[Kind] = field(factory=list)
    places: list[Kind] = field(factory=list)
    attributes: dict[str, tuple[str, ...]] = field(factory=dict)
    numbers: list[str] = field(factory=list)
    fields: list[Field] = field(factory=list)
    defs: list[Signature] = field(factory=list)
    events: list[Signature] = field(factory=list)

    def key_kinds(self) -> list[Kind]:
        """The types that a field can be keyed by."""
        return [self.player, *self.enums, *self.places]


@frozen
class Scope:
    """Names in reach, whether state may be read, and how deep an expression may still grow."""

    names: tuple[tuple[str, Kind], ...] = ()
    state: bool = True
    depth: int = 2

    def with_(self, name: str, kind: Kind) -> Scope:
        return evolve(self, names=(*self.names, (name, kind)))

    def deeper(self) -> Scope:
        return evolve(self, depth=self.depth - 1)
