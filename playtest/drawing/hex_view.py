"""Drawing a board of hexes as a map: rows staggered by half a hex, and the edges and corners between them.

A row takes three lines; the lower corners of a row are the upper ones of the next:

        ╱  ·  ╲           slanted edges, and the upper corner
     ·    b2     ·        corners left and right, and the name
     │    F11    │        edges left and right, and what is on the hex
"""

from __future__ import annotations

from math import floor, sqrt

from rich.cells import cell_len
from rich.text import Text

from playtest.drawing.geometry import Point, Spot, spots_of
from playtest.drawing.layers import Drawing
from rulesdsl.core import BoardInfo

WIDTHS = (10, 8, 7)
SLOT = 3  # columns of a corner or an upright edge
_THIRD = sqrt(3) / 6  # of the distance between rows
_PIECES = tuple[tuple[str, str], ...]


class _Canvas:
    """Text with styles at lines and columns."""

    def __init__(self) -> None:
        self.rows: dict[int, dict[int, tuple[str, str]]] = {}

    def put(self, line: int, middle: float, width: int, pieces: _PIECES) -> None:
        """Pieces of text with their styles, in the middle of a slot."""
        space = width - _breadth(pieces)
        column = floor(middle - (width - 1) / 2 + 0.5) + space // 2
        row = self.rows.setdefault(line, {})
        for text, style in pieces:
            for letter in text:
                row[column] = (letter, style)
                column += cell_len(letter)

    def lines(self) -> list[Text]:
        return [self._line(self.rows.get(number, {})) for number in range(max(self.rows) + 1)]

    def _line(self, row: dict[int, tuple[str, str]]) -> Text:
        runs: list[tuple[str, str]] = []
        end = 0
        for column, (letter, style) in sorted(row.items()):
            if column > end:
                runs.append((" " * (column - end), ""))
            if runs and runs[-1][1] == style:
                letter = runs.pop()[0] + letter
            runs.append((letter, style))
            end = column + cell_len(row[column][0])
        return Text.assemble(*runs)


def hex_map(shape: BoardInfo, pictures: tuple[Drawing, ...], width: int) -> tuple[list[Text], list[set[int]]] | None:
    """The map of a board of hexes, and for each kind of places those whose signs did not fit; None if it is too wide.

    `pictures`: what is drawn on the hexes, the edges and the corners.
    """
    (_, cells), (_, edges), (_, corners) = spots_of(shape)
    left = min(spot.centre[0] for spot in cells)
    breadth = max(spot.centre[0] for spot in cells) - left + 1
    unit = next((u for u in WIDTHS if round(breadth * u) + SLOT <= width), None)
    if unit is None:
        return None
    top = min(spot.centre[1] for spot in cells)
    canvas, inner, slant = _Canvas(), unit - SLOT, (unit - SLOT) // 2
    cut: list[set[int]] = [set(), set(), set()]

    def at(point: Point) -> tuple[int, float]:
        return floor((point[1] - top) / _THIRD + 2.01), (point[0] - left + 0.5) * unit + 1

    def draw(kind: int, place: int, where: tuple[int, float], room: int, empty: _PIECES) -> None:
        picture, frame = pictures[kind], pictures[kind].frame(place)
        look = " reverse" if place in picture.changed else ""
        signs = tuple((sign.text, f"{sign.style}{look}".strip()) for sign in picture.content(place))
        pieces = ((frame[0], ""), *signs, (frame[1], "")) if frame else signs
        if _breadth(pieces) > room:
            cut[kind].add(place)
            pieces = signs if signs and _breadth(signs) <= room else (("…", ""),)
        canvas.put(*where, room, pieces or empty)

    for place, spot in enumerate(edges):
        line, column = at(spot.centre)
        mark, lean = _way(spot)
        column += lean * (2 + (slant - 1) / 2 - unit / 4)
        draw(1, place, (line, column), slant if lean else SLOT, ((mark, "dim"),))
    for place, spot in enumerate(corners):
        draw(2, place, at(spot.centre), SLOT, (("·", "dim"),))
    for place, spot in enumerate(cells):
        line, column = at(spot.centre)
        canvas.put(line - 1, column, inner, ((spot.name, "dim"),))
        draw(0, place, (line, column), inner, ())
    return canvas.lines(), cut


def _way(edge: Spot) -> tuple[str, int]:
    """How an edge is drawn, and on which side of the nearer upper corner on its line it stands."""
    (x1, y1), (x2, y2) = sorted(edge.outline)
    if x2 - x1 < 0.1:
        return "│", 0
    return ("╲", 1) if y1 < y2 else ("╱", -1)


def _breadth(pieces: _PIECES) -> int:
    return sum(cell_len(text) for text, _ in pieces)
