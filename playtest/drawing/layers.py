"""From fields to layers of a board: which fields say something about its places, and how each is drawn there.

field                                   layer
`piece[Square]: Piece?`                 a sign on the square: seat's letter and the rest (`m7`)
`marker[Square]: Player?`               `●m`, or just `m` where nothing else stands on squares
`base: set[Square]`, `mined[Square]: bool`   a frame: `[ ]`, the next such field `( )`, `{ }`, `< >`
`base[Square]: Tower?` before
`tower[Square]: Tower?`                 a frame around what the second says, or around the first in small letters (`[w]`)
`men[Player][Spot]: 0..15`              `m3`
`roads[Player]: set[Edge]`              seat's mark and the field's sign (`mR`)
`robber: Hex`, `king[Player]: Square`   a sign on the place that the field points at
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from attrs import evolve, field, frozen

from interpreter.view import Concealed
from playtest.drawing.glyphs import counts, elements, short_names
from playtest.snapshot import Board, Cell, Snapshot, is_place, is_player
from rulesdsl.core import FieldInfo
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
)

FRAMES = ("[]", "()", "{}", "<>")
UNSEEN = "?"


@frozen
class Sign:
    """Text on a place, with its style. `owner`: the seat's mark that the text begins with."""

    text: str
    style: str = ""
    owner: str = ""


@frozen
class Layer:
    """What one field draws: signs or frames by place, and the line that explains it in the legend."""

    info: FieldInfo
    legend: tuple[Sign, ...]
    signs: dict[int, tuple[Sign, ...]] = field(factory=dict)
    frame: str = ""


@frozen
class Drawing:
    """The layers of one board. `changed`: the places that are not as they were when the onlooker last saw them."""

    board: Board
    layers: tuple[Layer, ...]
    changed: frozenset[int] = frozenset()

    def content(self, place: int) -> tuple[Sign, ...]:
        """What stands on a place, in the order of the fields; signs of one owner side by side as one (`mSC`)."""
        signs: list[Sign] = []
        for sign in (sign for layer in self.layers for sign in layer.signs.get(place, ())):
            if signs and sign.owner and signs[-1].owner == sign.owner:
                sign = evolve(sign, text=signs.pop().text + sign.text[len(sign.owner) :])
            signs.append(sign)
        return tuple(signs)

    def frame(self, place: int) -> str:
        """The frame around a place: two characters, or nothing."""
        return next((layer.frame for layer in self.layers if layer.frame and place in layer.signs), "")


def board_fields(snapshot: Snapshot, board: Board) -> list[FieldInfo]:
    """The fields that are drawn on a board."""
    return [info for info in snapshot.program.fields if _kind(info, board.place)]


def drawing(snapshot: Snapshot, board: Board, before: Snapshot | None = None) -> Drawing:
    """All layers of a board; with what has changed since an earlier state."""
    now = Drawing(board, _layers(snapshot, board))
    if before is None:
        return now
    then = Drawing(board, _layers(before, board))
    places = range(len(board.place.members))
    return evolve(now, changed=frozenset(p for p in places if now.content(p) != then.content(p)))


def _layers(snapshot: Snapshot, board: Board) -> tuple[Layer, ...]:
    layers: list[Layer] = []
    frames = iter(FRAMES)
    infos = board_fields(snapshot, board)
    shown = False
    for info in infos:
        if _kind(info, board.place) == "flag":
            layers.append(_flag_layer(snapshot, info, board.place, next(frames, "")))
            continue
        twin = next((other for other in infos if _are_twins(info, other)), None)
        if twin is not None and (frame := next(frames, "")):
            layers.append(_twin_layer(snapshot, info, twin, frame))
            continue
        layers.append(_value_layer(snapshot, info, board.place, alone=not shown))
        shown = True
    return tuple(layers)


def _are_twins(info: FieldInfo, other: FieldInfo) -> bool:
    """Whether `other` comes later and says the same kind of thing about the same places, like a tower on its base."""
    inner = info.value.item if isinstance(info.value, OptionType) else None
    is_enum = isinstance(inner, EnumType) and inner.kind == "enum"
    return is_enum and info.position < other.position and (info.keys, info.value) == (other.keys, other.value)


def _kind(info: FieldInfo, place: EnumType) -> str:
    """How a field is drawn on the board of `place`: `value`, `flag`, `pointer`, or not at all."""
    on_board = [key for key in info.keys if key == place]
    others = [key for key in info.keys if key != place]
    if any(not isinstance(key, (EnumType, BoolType)) for key in others) or len(others) > 1 or len(on_board) > 1:
        return ""
    inner = info.value.item if isinstance(info.value, (OptionType, SetType, BagType, ListType)) else info.value
    if on_board:
        return "flag" if isinstance(info.value, BoolType) and not others else "value"
    if inner != place:
        return ""
    return "flag" if isinstance(info.value, SetType) and not others else "pointer"


def _flag_layer(snapshot: Snapshot, info: FieldInfo, place: EnumType, frame: str) -> Layer:
    signs: dict[int, tuple[Sign, ...]] = {}
    mark = () if frame else (Sign("+"),)
    for cell in snapshot.cells(info):
        if isinstance(cell.value, Concealed):
            continue
        if isinstance(info.value, SetType):
            signs |= dict.fromkeys(elements(info.value, cell.value), mark)
        elif cell.value:
            signs[cell.keys[0]] = mark
    name = info.name.replace("_", " ")
    legend = Sign(f"{frame[0]} {frame[1]} {name}" if frame else f"+ {name}")
    return Layer(info, (legend,), signs, frame)


def _twin_layer(snapshot: Snapshot, info: FieldInfo, twin: FieldInfo, frame: str) -> Layer:
    """A frame where the field holds something; its own sign, small, only where the twin is silent."""
    signs: dict[int, tuple[Sign, ...]] = {}
    for cell, other in zip(snapshot.cells(info), snapshot.cells(twin), strict=True):
        if isinstance(cell.value, Concealed) or cell.value is None:
            continue
        silent = not isinstance(other.value, Concealed) and other.value is None
        style = snapshot.glyphs.style(info.value, cell.value)
        text = snapshot.glyphs.short(info.value, cell.value).lower()
        signs[cell.keys[0]] = (Sign(text, style),) if silent else ()
    legend = Sign(f"{frame[0]} {frame[1]} {info.name.replace('_', ' ')}")
    return Layer(info, (legend,), signs, frame)


def _value_layer(snapshot: Snapshot, info: FieldInfo, place: EnumType, alone: bool) -> Layer:
    signs: dict[int, tuple[Sign, ...]] = {}
    for cell in snapshot.cells(info):
        where, other = _split_keys(info, cell, place)
        for spot, sign in _signs_of(snapshot, info, place, cell, where, other, alone):
            signs[spot] = (*signs.get(spot, ()), sign)
    unseen = any(sign.text == UNSEEN for placed in signs.values() for sign in placed)
    legend = (Sign(f"{UNSEEN} {info.name.replace('_', ' ')}"),) if unseen else _legend(snapshot, info, place, alone)
    return Layer(info, legend, signs)


def _split_keys(info: FieldInfo, cell: Cell, place: EnumType) -> tuple[int | None, tuple[Type, Any] | None]:
    """The place of a cell (None for a field that points at places), and its other key."""
    where, other = None, None
    for key_type, key in zip(info.keys, cell.keys, strict=True):
        if key_type == place:
            where = key
        else:
            other = (key_type, key)
    return where, other


def _signs_of(
    snapshot: Snapshot,
    info: FieldInfo,
    place: EnumType,
    cell: Cell,
    where: int | None,
    other: tuple[Type, Any] | None,
    alone: bool,
) -> list[tuple[int, Sign]]:
    glyphs = snapshot.glyphs
    mark = glyphs.short(*other) if other else ""
    style = glyphs.style(*other) if other else ""
    if where is None:
        owner = glyphs.seat_marks[cell.keys[0]] if _is_owned_set(info) else ""
        mark = owner + _set_sign(snapshot, info) if owner else mark or _pointer(snapshot, info)
        points = {} if isinstance(cell.value, Concealed) else _places(info.value, cell.value)
        return [(spot, Sign(mark if n == 1 else f"{mark}×{n}", style, owner)) for spot, n in points.items()]
    if isinstance(cell.value, Concealed):
        return [] if cell.value.count == 0 or cell.value.present is False else [(where, Sign(UNSEEN))]
    if is_blank(info.value, cell.value):
        return []
    text = glyphs.short(info.value, cell.value)
    if not alone and _is_seat(info.value):
        text = f"●{text}"
    return [(where, Sign(mark + text, style or glyphs.style(info.value, cell.value)))] if text else []


def _places(t: Type, value: Any) -> dict[int, int]:
    """The places that a value points at, and how often."""
    if isinstance(t, OptionType):
        return {} if value is None else {value: 1}
    if isinstance(t, BagType):
        return dict(counts(t, value))
    if isinstance(t, (SetType, ListType)):
        return dict(Counter(elements(t, value)))
    return {value: 1}


def is_blank(t: Type, value: Any) -> bool:
    """Whether a value says that there is nothing."""
    if isinstance(t, OptionType):
        return value is None
    if isinstance(t, (IntType, BoolType, SetType, ListType)):
        return not value
    if isinstance(t, (BagType, MapType)):
        return not any(value)
    return False


def _is_seat(t: Type) -> bool:
    return is_player(t.item if isinstance(t, OptionType) else t)


def _pointer(snapshot: Snapshot, info: FieldInfo) -> str:
    """The sign of a field that points at a place: a letter of its name that no seat uses."""
    names = [f.name for f in snapshot.program.fields if not f.keys]
    return "*" + short_names(names)[info.name].lower()


def _is_owned_set(info: FieldInfo) -> bool:
    """Whether a field says which places each seat has, like `roads[Player]: set[Edge]`."""
    return (
        isinstance(info.value, SetType)
        and is_place(info.value.item)
        and [is_player(key) for key in info.keys] == [True]
    )


def _set_sign(snapshot: Snapshot, info: FieldInfo) -> str:
    """The sign of a field that says which places each seat has."""
    return short_names([f.name for f in snapshot.program.fields if _is_owned_set(f)])[info.name]


def _legend(snapshot: Snapshot, info: FieldInfo, place: EnumType, alone: bool) -> tuple[Sign, ...]:
    name = info.name.replace("_", " ")
    if _is_owned_set(info):
        return (Sign(f"{_set_sign(snapshot, info)} {name}"),)
    if not [key for key in info.keys if key == place]:
        return () if info.keys else (Sign(f"{_pointer(snapshot, info)} {name}"),)
    if not alone and _is_seat(info.value):
        return (Sign(f"● {name}"),)
    inner = info.value.item if isinstance(info.value, OptionType) else info.value
    parts = [item for _, item in inner.fields] if isinstance(inner, RecordType) else [inner]
    enums = [t for t in parts if isinstance(t, EnumType) and t.kind == "enum"]
    texts = []
    for t in enums:
        signs = zip(snapshot.glyphs.signs(t), t.members, strict=True)
        texts += [Sign(f"{sign} {member}") for sign, member in signs if not sign.isdigit() and sign != member]
    return tuple(texts)
