"""What somebody sees of a game's state, ready to be drawn: the value of every cell of every field, or that it is concealed."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any

from attrs import field, frozen

from interpreter.codec import Codec
from interpreter.position import Position
from interpreter.view import REFEREE, Concealed, Viewer, visible_field
from playtest.drawing.glyphs import Glyphs
from rulesdsl.core import BoardInfo, FieldInfo, Program
from rulesdsl.types import BagType, EnumType, ListType, MapType, OptionType, RecordType, SetType, Type, value_at
from rulesdsl.types import size as type_size


@frozen
class Cell:
    """One cell of a field: its keys and its value, in internal form."""

    keys: tuple[Any, ...]
    value: Any


@frozen(slots=False)
class Snapshot:
    """The state as one seat (or a spectator) sees it. `values`: by field, the cells in the order in which the state has them."""

    program: Program
    values: dict[str, tuple[Any, ...]]
    glyphs: Glyphs = field(init=False)

    @glyphs.default
    def _make_glyphs(self) -> Glyphs:
        return Glyphs(self.program.player, frozenset(_enums_on_boards(self.program)))

    def cells(self, info: FieldInfo) -> Iterator[Cell]:
        """All cells of a field, with their keys."""
        sizes = [type_size(key) or 0 for key in info.keys]
        for index, value in enumerate(self.values[info.name]):
            keys: list[Any] = []
            rest = index
            for key_type, size in zip(reversed(info.keys), reversed(sizes), strict=True):
                rest, part = divmod(rest, size)
                keys.append(value_at(key_type, part))
            yield Cell(tuple(reversed(keys)), value)

    @cached_property
    def boards(self) -> tuple[Board, ...]:
        """The boards of the program; of shapes with several kinds of places, one for each kind."""
        return tuple(board for shape in self.program.boards for board in boards_of(shape))


def _enums_on_boards(program: Program) -> Iterator[str]:
    """The enums of which members lie on places, by themselves or in records."""
    for info in program.fields:
        if any(isinstance(key, EnumType) and key.kind == "place" for key in info.keys):
            yield from _enums_in(info.value)


def _enums_in(t: Type) -> Iterator[str]:
    if isinstance(t, EnumType):
        yield t.name
    elif isinstance(t, RecordType):
        for _, part in t.fields:
            yield from _enums_in(part)
    elif isinstance(t, (OptionType, SetType, BagType, ListType)):
        yield from _enums_in(t.item)
    elif isinstance(t, MapType):
        yield from (*_enums_in(t.key), *_enums_in(t.value))


@frozen
class Board:
    """A kind of places, and how they lie: `grid` with (columns, rows), `track`, or `places` for anything else."""

    place: EnumType
    kind: str
    size: tuple[int, ...]


def boards_of(shape: BoardInfo) -> list[Board]:
    """A board of the program; of shapes with several kinds of places, one for each kind."""
    kind = shape.kind if len(shape.types) == 1 else "places"
    return [Board(t, kind, tuple(shape.size)) for t in shape.types]


def snapshot(position: Position, viewer: Viewer) -> Snapshot:
    """What a viewer sees of a position."""
    rules, st = position.rules, position.node.st
    values: dict[str, tuple[Any, ...]] = {}
    for info in rules.program.fields:
        slot = st[info.position]
        if viewer is REFEREE or info.visibility not in ("private", "hidden"):
            values[info.name] = tuple(rules.cells(info, slot)) if info.keys else (slot,)
        else:
            seen = visible_field(rules, info, st, viewer)
            values[info.name] = tuple(_flat(rules.codec, info.keys, info.value, seen))
    return Snapshot(rules.program, values)


def _flat(codec: Codec, keys: tuple[Type, ...], t: Type, seen: Any) -> Iterator[Any]:
    """The cells of a field as a viewer sees it, in order; internal values, or `Concealed`."""
    if isinstance(seen, Concealed):
        count = 1
        for key in keys:
            count *= type_size(key) or 0
        yield from [seen] * count
    elif keys:
        for value in seen.values():
            yield from _flat(codec, keys[1:], t, value)
    elif isinstance(seen, tuple) and any(isinstance(item, Concealed) for item in seen):
        yield Concealed(str(t), "", count=len(seen))
    else:
        yield codec.internal(t, seen)


def is_place(t: Type) -> bool:
    """Whether a type is the places of a board."""
    return isinstance(t, EnumType) and t.kind == "place"


def is_player(t: Type) -> bool:
    """Whether a type is the seats."""
    return isinstance(t, EnumType) and t.kind == "player"
