"""The whole table as text: the boards, what each seat has, and what lies in the middle."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import zip_longest
from typing import Any

from rich.text import Text

from interpreter.view import Concealed
from playtest.drawing.board_view import flow, legend_of, pictures_of
from playtest.drawing.glyphs import elements
from playtest.drawing.layers import board_fields, is_blank
from playtest.snapshot import Cell, Snapshot, is_player
from rulesdsl.core import FieldInfo
from rulesdsl.types import EnumType, ListType, OptionType, RecordType, Type

GAP = 4


def lines_of_table(snapshot: Snapshot, width: int, before: Snapshot | None = None) -> list[Text]:
    """Everything there is to see, boards on the left and the rest beside them where there is room.

    `before`: what the onlooker saw last; changes on the boards stand out.
    """
    left = [line for board in pictures_of(snapshot, width, before) for line in [*board, Text()]][:-1]
    legend = legend_of(snapshot, width)
    room = width - max((line.cell_len for line in left), default=0) - GAP
    beside = lines_of_rest(snapshot, room) if left and room >= 30 else []
    if beside and len(beside) <= len(left) + 6:
        return [*_side_by_side(left, beside), *legend]
    return [*left, *legend, *([Text()] if left else []), *lines_of_rest(snapshot, width - 2, indent=2)]


def _side_by_side(left: list[Text], right: list[Text]) -> list[Text]:
    """The right lines begin under the board's letters."""
    start = max(line.cell_len for line in left) + GAP
    lines = []
    for one, other in zip_longest(left, [Text(), *right]):
        line = one.copy() if one is not None else Text()
        if other is not None and other.cell_len:
            line.append(" " * (start - line.cell_len)).append_text(other)
        lines.append(line)
    return lines


def lines_of_rest(snapshot: Snapshot, width: int, indent: int = 0) -> list[Text]:
    """What no board shows: a block for each seat, then the common fields."""
    drawn = {info.name for board in snapshot.boards for info in board_fields(snapshot, board)}
    others = [info for info in snapshot.program.fields if info.name not in drawn]
    owned = [info for info in others if info.keys and is_player(info.keys[0])]
    common = [info for info in others if info not in owned]
    names = [*(info.name for info in owned), *(["on board"] if _counted(snapshot) else [])]
    label = max((len(name.replace("_", " ")) for name in names), default=0)
    seats = snapshot.program.player.members
    seat_width = max(len(name) for name in seats)
    lines: list[Text] = []
    for seat, name in enumerate(seats if names else ()):
        head = Text(" " * indent).append(name.ljust(seat_width), style=snapshot.glyphs.seat_styles[seat])
        rows = [(info.name, _seat_text(snapshot, info, seat)) for info in owned]
        counted = _on_board(snapshot, seat)
        rows += [("on board", counted)] if counted else []
        lines += _block(head, rows, label, width)
    if common:
        lines += [Text()] if lines else []
        label = max(len(info.name) for info in common)
        for info in common:
            lines += _block(Text(" " * indent), [(info.name, _common_text(snapshot, info))], label, width)
    return lines


def _block(head: Text, rows: list[tuple[str, list[Text]]], label: int, width: int) -> list[Text]:
    """`head  label  values`, the further rows under the first."""
    lines: list[Text] = []
    blank = Text(" " * head.cell_len)
    for number, (name, items) in enumerate(rows or [("", [])]):
        start = (head if number == 0 else blank).copy()
        start.append("  " if start.cell_len else "").append(name.replace("_", " ").ljust(label), style="dim").append(
            "  "
        )
        lines += flow(items, start, width, gap=" ")
    return lines


def _seat_text(snapshot: Snapshot, info: FieldInfo, seat: int) -> list[Text]:
    """The values of a field keyed by seats, for one of them."""
    cells = [cell for cell in snapshot.cells(info) if cell.keys[0] == seat]
    return _cells_text(snapshot, info, [(info.keys[1:], Cell(c.keys[1:], c.value)) for c in cells])


def _common_text(snapshot: Snapshot, info: FieldInfo) -> list[Text]:
    return _cells_text(snapshot, info, [(info.keys, cell) for cell in snapshot.cells(info)])


def _cells_text(snapshot: Snapshot, info: FieldInfo, cells: Iterable[tuple[tuple[Type, ...], Cell]]) -> list[Text]:
    """Values one after the other; with keys, only those that hold something, each after its keys."""
    items: list[Text] = []
    for keys, cell in cells:
        if not keys:
            return _value_text(snapshot, info.value, cell.value)
        if isinstance(cell.value, Concealed) or not is_blank(info.value, cell.value):
            names = " ".join(snapshot.glyphs.long(t, key) for t, key in zip(keys, cell.keys, strict=True))
            value = Text(" ").join(_value_text(snapshot, info.value, cell.value))
            items.append(Text().append(f"{names} ", style="dim").append_text(value).append(","))
    if items:
        items[-1].right_crop(1)
    return items or [Text("-", style="dim")]


def _value_text(snapshot: Snapshot, t: Type, value: Any) -> list[Text]:
    """A value, in pieces that may be wrapped."""
    if isinstance(value, Concealed):
        return [Text("-" if value.count == 0 or value.present is False else str(value), style="dim")]
    inner = t.item if isinstance(t, OptionType) else t
    if isinstance(inner, ListType) and value is not None and len(elements(inner, value)) > 12:
        last = snapshot.glyphs.long(inner, value[-12:])
        return [Text(f"{len(value) - 12} more,", style="dim"), *(Text(word) for word in last.split(" "))]
    text = snapshot.glyphs.long(t, value)
    if text == "-":
        return [Text(text, style="dim")]
    style = snapshot.glyphs.style(t, value)
    return [Text(word, style=style) for word in (re.split("(?<=,) ", text) if ", " in text else text.split(" "))]


# ---------------------------------------------------------------- how much each seat has on the boards


def _counted(snapshot: Snapshot) -> list[FieldInfo]:
    """The fields drawn on boards that say whose something is."""
    infos = [info for board in snapshot.boards for info in board_fields(snapshot, board)]
    return [info for info in infos if _owner(info.value, 0) is not None or _is_owned(info.value)]


def _is_owned(t: Type) -> bool:
    inner = t.item if isinstance(t, OptionType) else t
    if isinstance(inner, RecordType):
        return any(is_player(part) for _, part in inner.fields)
    return isinstance(inner, EnumType) and is_player(inner)


def _owner(t: Type, value: Any) -> int | None:
    """The seat that a value names."""
    if isinstance(t, OptionType):
        return None if value is None else _owner(t.item, value)
    if isinstance(t, RecordType) and isinstance(value, tuple):
        owners = [part for (_, item), part in zip(t.fields, value, strict=True) if is_player(item)]
        return owners[0] if owners else None
    return value if is_player(t) else None


def _on_board(snapshot: Snapshot, seat: int) -> list[Text]:
    """`piece 4, marker 2`: on how many places each field names the seat."""
    items = []
    counted = _counted(snapshot)
    for info in counted:
        cells = [cell.value for cell in snapshot.cells(info) if not isinstance(cell.value, Concealed)]
        number = sum(_owner(info.value, value) == seat for value in cells)
        items.append(f"{info.name.replace('_', ' ')}\u00a0{number}" if len(counted) > 1 else str(number))
    return [Text(text + ("," if place < len(items) - 1 else "")) for place, text in enumerate(items)]
