"""Where the places of a board lie in a picture: a centre and an outline each, in units of a cell, y downwards."""

from __future__ import annotations

import re
from collections.abc import Callable
from math import sqrt

from attrs import frozen

from rulesdsl.boards.hex import AROUND, CORNERS
from rulesdsl.core import BoardInfo
from rulesdsl.types import EnumType

Point = tuple[float, float]
IN_A_ROW = 12
_HEIGHT = sqrt(3) / 2


@frozen
class Spot:
    """A place. `outline`: the corners of an area, or the two ends of a line; nothing for a point."""

    name: str
    centre: Point
    outline: tuple[Point, ...] = ()


def spots_of(board: BoardInfo) -> list[tuple[EnumType, list[Spot]]]:
    """The places of a board by kind, areas first. A board of a shape that is not known here lies in rows, place by place."""
    make = _SHAPES.get(board.kind)
    if make is not None:
        return make(board)
    return [(t, [_square(name, n % IN_A_ROW, n // IN_A_ROW) for n, name in enumerate(t.members)]) for t in board.types]


def _square(name: str, column: float, row: float) -> Spot:
    corners = ((column, row), (column + 1, row), (column + 1, row + 1), (column, row + 1))
    return Spot(name, (column + 0.5, row + 0.5), corners)


def _grid(board: BoardInfo) -> list[tuple[EnumType, list[Spot]]]:
    columns, rows = board.size
    (place,) = board.types
    spots = [_square(name, n % columns, rows - 1 - n // columns) for n, name in enumerate(place.members)]
    return [(place, spots)]


def _hexagon(name: str, centre: Point) -> Spot:
    """A cell one unit wide, pointed above and below."""
    return Spot(name, centre, tuple(_shifted(centre, offset) for _, offset in CORNERS))


def _shifted(centre: Point, offset: tuple[float, float]) -> Point:
    """A point by an offset in half widths and thirds of rows, upwards."""
    return centre[0] + offset[0] / 2, centre[1] - offset[1] * _HEIGHT / 3


def _rhombus(board: BoardInfo) -> list[tuple[EnumType, list[Spot]]]:
    columns, _ = board.size
    (place,) = board.types
    spots = []
    for n, name in enumerate(place.members):
        row, column = divmod(n, columns)
        spots.append(_hexagon(name, (column + row / 2, -row * _HEIGHT)))
    return [(place, spots)]


def _hexes(board: BoardInfo) -> list[tuple[EnumType, list[Spot]]]:
    """Hexes, and the edges and corners that are named after them; rows are centred on each other."""
    cells, edges, corners = board.types
    rows: dict[str, list[str]] = {}
    for name in cells.members:
        rows.setdefault(re.sub(r"\d+$", "", name), []).append(name)
    centres = {
        name: (place - (len(row) - 1) / 2, -number * _HEIGHT)
        for number, row in enumerate(rows.values())
        for place, name in enumerate(row)
    }
    ends = {word: (CORNERS[n][1], CORNERS[(n + 1) % 6][1]) for n, (word, _) in enumerate(AROUND)}
    ways = dict(CORNERS)
    lines = []
    for name in edges.members:
        cell, _, word = name.rpartition("_")
        one, other = (_shifted(centres[cell], end) for end in ends[word])
        lines.append(Spot(name, ((one[0] + other[0]) / 2, (one[1] + other[1]) / 2), (one, other)))
    points = [
        Spot(name, _shifted(centres[cell], ways[word]))
        for name in corners.members
        for cell, _, word in [name.rpartition("_")]
    ]
    return [(cells, [_hexagon(name, centres[name]) for name in cells.members]), (edges, lines), (corners, points)]


_SHAPES: dict[str, Callable[[BoardInfo], list[tuple[EnumType, list[Spot]]]]] = {
    "grid": _grid,
    "rhombus": _rhombus,
    "hexes": _hexes,
}
