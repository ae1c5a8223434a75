"""Drawing boards as text: a grid as a table with letters and numbers, a track as a strip, hexes as a map, other places as a list.

Only `pictures_of` and `legend_of` are needed from outside. A shape that is not known here is listed place by place, so a new shape of board can be
played before it can be drawn.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from rich.cells import cell_len
from rich.text import Text

from playtest.drawing.hex_view import hex_map
from playtest.drawing.layers import Drawing, Sign, drawing
from playtest.snapshot import Snapshot, boards_of
from rulesdsl.core import BoardInfo

EMPTY = "·"


def pictures_of(snapshot: Snapshot, width: int, before: Snapshot | None = None) -> list[list[Text]]:
    """The boards of the program, not wider than `width` if that can be; none that no field says anything about.

    What has changed since an earlier state stands out, where there is colour.
    """
    found = [lines for shape in snapshot.program.boards for lines in _pictures(snapshot, shape, width, before)]
    return [lines for lines in found if lines]


def _pictures(snapshot: Snapshot, shape: BoardInfo, width: int, before: Snapshot | None) -> list[list[Text]]:
    """One board as one picture, or as one for each kind of its places."""
    pictures = tuple(drawing(snapshot, board, before) for board in boards_of(shape))
    drawn = hex_map(shape, pictures, width) if shape.kind == "hexes" and any(p.layers for p in pictures) else None
    if drawn is None:
        return [DRAWERS.get(p.board.kind, _places)(p, width) if p.layers else [] for p in pictures]
    lines, cut = drawn
    lists = [_places(p, width, places) for p, places in zip(pictures, cut, strict=True) if places]
    return [[*lines, *(line for listed in lists for line in listed)]]


def legend_of(snapshot: Snapshot, width: int) -> list[Text]:
    """What the signs on the boards mean."""
    signs: list[Sign] = []
    for board in snapshot.boards:
        for layer in drawing(snapshot, board).layers:
            signs += [sign for sign in layer.legend if sign not in signs]
    items = [Text(sign.text, style="dim") for sign in signs]
    return flow(items, Text("  "), width, gap="   ") if items else []


def _cell(picture: Drawing, place: int, inner: int) -> Text:
    """A place in `inner` columns and one more on each side, where a frame may stand."""
    signs = picture.content(place)
    frame = picture.frame(place)
    text = Text()
    text.append(frame[0] if frame else " ", style="dim" if not signs else "")
    if signs:
        for sign in signs:
            text.append(sign.text, style=f"{sign.style} reverse" if place in picture.changed else sign.style)
    else:
        text.append(" " if frame else EMPTY, style="dim")
    text.append(frame[1] if frame else " ", style="dim" if not signs else "")
    text.append(" " * (inner + 2 - text.cell_len))
    return text


def _content_width(picture: Drawing, place: int) -> int:
    return sum(cell_len(sign.text) for sign in picture.content(place))


def _inner_width(picture: Drawing) -> int:
    """Columns that the fullest place needs, and some to spare, so that the board does not grow while it is played on."""
    places = range(len(picture.board.place.members))
    layers = sum(not layer.frame for layer in picture.layers)
    return max([2, min(4, 2 * layers), *(_content_width(picture, place) for place in places)])


def _grid(picture: Drawing, width: int) -> list[Text]:
    columns, rows = picture.board.size
    members = picture.board.place.members
    inner = _inner_width(picture)
    gutter = len(str(rows)) + 2
    if gutter + columns * (inner + 2) > width:
        inner = max(1, inner - 1)
    if gutter + columns * (inner + 2) > width:
        return _places(picture, width)
    letters = [members[column][: -len("1")] for column in range(columns)]
    lines = [_margin(gutter).append("".join(f" {letter}".ljust(inner + 2) for letter in letters), style="dim")]
    for row in reversed(range(rows)):
        line = Text().append(f"{row + 1:>{gutter - 1}} ", style="dim")
        for column in range(columns):
            line.append_text(_cell(picture, row * columns + column, inner))
        lines.append(line)
    return lines


def _margin(columns: int) -> Text:
    return Text(" " * columns)


def _track(picture: Drawing, width: int) -> list[Text]:
    """A strip of places, in as many rows as it takes; each place as wide as it has to be."""
    lines: list[Text] = []
    names, row = Text("  "), Text("  ")
    for place, name in enumerate(picture.board.place.members):
        inner = max(2, len(name), _content_width(picture, place))
        if names.cell_len + inner + 2 > width and row.cell_len > 2:
            lines += [names, row]
            names, row = Text("  "), Text("  ")
        names.append(f" {name}".ljust(inner + 2), style="dim")
        row.append_text(_cell(picture, place, inner))
    return [*lines, names, row]


def _places(picture: Drawing, width: int, among: Collection[int] | None = None) -> list[Text]:
    """The places where something is, each with its name; all of the board, or those `among` some."""
    members = picture.board.place.members
    items = []
    for place, name in enumerate(members):
        if among is not None and place not in among:
            continue
        signs, frame = picture.content(place), picture.frame(place)
        if signs or frame:
            item = Text().append(f"{name} ", style="dim").append(frame[:1])
            for sign in signs:
                item.append(sign.text, style=sign.style)
            items.append(item.append(frame[1:]))
    head = Text("  ").append(f"{picture.board.place.name}  ", style="dim")
    return flow(items or [Text("empty", style="dim")], head, width)


def flow(items: Sequence[Text], head: Text, width: int, gap: str = "  ") -> list[Text]:
    """Items one after the other, wrapped under each other after `head`."""
    lines, line, empty = [], head.copy(), True
    for item in items:
        if not empty and line.cell_len + len(gap) + item.cell_len > width:
            lines.append(line)
            line, empty = Text(" " * head.cell_len), True
        if not empty:
            line.append(gap)
        line.append_text(item)
        empty = False
    return [*lines, line]


DRAWERS: dict[str, Callable[[Drawing, int], list[Text]]] = {"grid": _grid, "track": _track, "places": _places}
