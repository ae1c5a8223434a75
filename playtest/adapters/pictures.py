"""A position as text and as a picture: the boards drawn, and beside them what each seat has and what is common."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from math import ceil

import numpy as np
from attrs import define
from PIL import Image, ImageDraw, ImageFont
from rich.text import Text

from interpreter import Position
from interpreter.view import Viewer
from playtest.adapters.leaves import Array
from playtest.drawing.board_view import legend_of
from playtest.drawing.geometry import Point, Spot, spots_of
from playtest.drawing.layers import Drawing, Sign, drawing
from playtest.drawing.state_view import lines_of_rest, lines_of_table
from playtest.snapshot import Board, Snapshot, snapshot
from rulesdsl.core import BoardInfo

WIDTH, COLUMNS = 100, 56
"""Columns of text: alone, and beside a picture of the boards."""
PLAIN = {"×": "x", "·": ".", "\u00a0": " "}
"""Letters that the font lacks."""
CELL, MARGIN, LARGEST = 64, 24, 640
"""Pixels: of a cell, around a board, and what a board may be wide and high."""
LINE, LETTER = 20, 9
"""Pixels of a line of text and of a letter in it."""

PAPER, INK, DIM, BOARD = (250, 248, 242), (32, 32, 36), (140, 136, 128), (233, 226, 210)
COLOURS = {
    "yellow": (240, 196, 48), "cyan": (64, 178, 196), "magenta": (186, 92, 180), "green": (96, 168, 84),
    "red": (212, 84, 76), "blue": (80, 120, 208), "bright_blue": (80, 120, 208), "bright_magenta": (228, 132, 204),
    "bright_black": (72, 72, 78), "bold": (255, 255, 255),
}  # fmt: skip
PASTELS = (
    (214, 232, 196), (244, 222, 180), (214, 204, 232), (196, 224, 232), (242, 204, 196), (232, 232, 188),
    (204, 214, 204), (228, 204, 220), (196, 216, 208), (236, 214, 204), (208, 208, 224), (222, 222, 210),
)  # fmt: skip

Colour = tuple[int, int, int]


def text_of(position: Position, viewer: Viewer) -> str:
    """The table as text, as a viewer sees it, and what the position waits for."""
    lines = [line.plain.rstrip() for line in lines_of_table(snapshot(position, viewer), WIDTH)]
    return "\n".join([*lines, "", _asks(position)]) + "\n"


def picture_of(position: Position, viewer: Viewer) -> Array:
    """The table as a picture, as a viewer sees it: rows of pixels of red, green and blue, as bytes."""
    seen = snapshot(position, viewer)
    boards = [image for info in seen.program.boards if (image := _board(seen, info)) is not None]
    lines = [*lines_of_rest(seen, COLUMNS), Text(), *legend_of(seen, COLUMNS), Text()]
    panel = _panel([*lines, *map(Text, textwrap.wrap(_asks(position), COLUMNS))])
    width = max((image.width for image in boards), default=0)
    picture = Image.new("RGB", (width + panel.width, max(sum(i.height for i in boards), panel.height)), PAPER)
    top = 0
    for image in boards:
        picture.paste(image, (0, top))
        top += image.height
    picture.paste(panel, (width, 0))
    return np.asarray(picture, np.uint8).copy()


def _asks(position: Position) -> str:
    return str(position.outcome or position.question)


# ---------------------------------------------------------------- text


def _font(size: int) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    return ImageFont.load_default(size)


def _panel(lines: Sequence[Text]) -> Image.Image:
    """Lines of text, each letter in a cell of its own, so that columns stay columns."""
    image = Image.new("RGB", (COLUMNS * LETTER + 2 * MARGIN, len(lines) * LINE + 2 * MARGIN), PAPER)
    draw, font = ImageDraw.Draw(image), _font(14)
    for row, line in enumerate(lines):
        y = MARGIN + row * LINE + LINE / 2
        colours = _letter_colours(line)
        for column, letter in enumerate(line.plain):
            x = MARGIN + column * LETTER + LETTER / 2
            if letter == "●":
                draw.circle((x, y), 4, fill=colours[column])
            else:
                draw.text((x, y), PLAIN.get(letter, letter), colours[column], font, anchor="mm")
    return image


def _letter_colours(line: Text) -> list[Colour]:
    """The colour of each letter on paper."""
    found = [INK] * len(line.plain)
    for start, end, style in [(0, len(found), str(line.style)), *((s.start, s.end, str(s.style)) for s in line.spans)]:
        colour = DIM if style == "dim" else _dark(_colour(style))
        if colour is not None:
            found[start:end] = [colour] * (min(end, len(found)) - start)
    return found


def _colour(style: str) -> Colour | None:
    """The colour that a style names; the last word says it."""
    return next((COLOURS[word] for word in reversed(style.split()) if word in COLOURS), None)


def _dark(colour: Colour | None) -> Colour | None:
    """A colour that can be read on paper."""
    if colour is None or colour == COLOURS["bold"]:
        return None
    return (colour[0] * 2 // 3, colour[1] * 2 // 3, colour[2] * 2 // 3)


# ---------------------------------------------------------------- boards


def _board(seen: Snapshot, info: BoardInfo) -> Image.Image | None:
    """A board with all that stands on it; none if no field says anything about it."""
    kinds = [(drawing(seen, Board(t, info.kind, info.size)), spots) for t, spots in spots_of(info)]
    if not any(picture.layers for picture, _ in kinds):
        return None
    points = [point for _, spots in kinds for spot in spots for point in (spot.centre, *spot.outline)]
    left, top = min(x for x, _ in points), min(y for _, y in points)
    right, bottom = max(x for x, _ in points), max(y for _, y in points)
    cell = min(CELL, int(LARGEST / max(right - left, bottom - top, 1)))
    size = (int((right - left) * cell) + 2 * MARGIN, int((bottom - top) * cell) + 2 * MARGIN)
    image = Image.new("RGB", size, PAPER)
    painter = _Painter(ImageDraw.Draw(image), cell, (left, top), label=info.kind == "grid")
    for picture, spots in kinds:
        for place, spot in enumerate(spots):
            painter.outline(picture, place, spot)
    for picture, spots in kinds:
        for place, spot in enumerate(spots):
            painter.content(picture, place, spot)
    if info.kind == "grid":
        painter.margins(kinds[0][1], info.size[0])
    return image


def _ground(picture: Drawing, place: int) -> Colour:
    """The colour of an area: of what it is, where that has no colour of its own and stands in the legend."""
    for layer in picture.layers:
        known = [sign.text.partition(" ")[0] for sign in layer.legend]
        for sign in layer.signs.get(place, ()):
            if not sign.style and sign.text in known:
                return PASTELS[known.index(sign.text) % len(PASTELS)]
    return BOARD


@define
class _Painter:
    """Draws the places of a board. `cell`: pixels of a cell; `origin`: what is drawn at the upper left; `label`: whether
    rows and columns are named in the margin, and not each place in it."""

    draw: ImageDraw.ImageDraw
    cell: int
    origin: Point
    label: bool

    def at(self, point: Point) -> tuple[float, float]:
        """Where a point is drawn."""
        x, y = ((point[axis] - self.origin[axis]) * self.cell + MARGIN for axis in (0, 1))
        return x, y

    def outline(self, picture: Drawing, place: int, spot: Spot) -> None:
        if len(spot.outline) > 2:
            self.draw.polygon([self.at(point) for point in spot.outline], _ground(picture, place), PAPER, 2)
            if not self.label:
                name = (spot.centre[0], spot.centre[1] - 0.34)
                self.draw.text(self.at(name), spot.name, DIM, _font(max(8, self.cell // 6)), anchor="mm")
        elif spot.outline and not picture.content(place):
            self.draw.line([self.at(point) for point in spot.outline], PAPER, 3)

    def content(self, picture: Drawing, place: int, spot: Spot) -> None:
        signs, frame = picture.content(place), picture.frame(place)
        if frame:
            self._frame(spot, frame)
        if not signs:
            return
        if len(spot.outline) == 2:
            self.draw.line(
                [self.at(point) for point in spot.outline], _colour(signs[0].style) or INK, max(4, self.cell // 8)
            )
            return
        rows = 1 if len(signs) <= 2 else 2
        columns = ceil(len(signs) / rows)
        width = (0.8 if spot.outline else 0.36) / columns
        for number, sign in enumerate(signs):
            row, column = divmod(number, columns)
            x = spot.centre[0] + (column - (columns - 1) / 2) * width
            self._sign(sign, (x, spot.centre[1] + (row - (rows - 1) / 2) * width), width)

    def _sign(self, sign: Sign, centre: Point, width: float) -> None:
        """A sign of one colour on a disc; one without a colour is written on the board."""
        x, y = self.at(centre)
        colour, text = _colour(sign.style), sign.text.removeprefix("●")
        small = text != sign.text
        radius = max(4.0, min(width, 0.4 if small else 0.72) * self.cell / 2)
        if colour is not None or small:
            self.draw.circle((x, y), radius, colour or DIM, INK, 1)
        ink = INK if colour is None or sum(colour) > 380 else PAPER
        size = max(8, int(min(radius * 1.1, 1.7 * radius * 1.6 / max(len(text), 1))))
        self.draw.text((x, y), "".join(PLAIN.get(letter, letter) for letter in text), ink, _font(size), anchor="mm")

    def _frame(self, spot: Spot, frame: str) -> None:
        """A frame around what stands on a place: square, or round, by its signs."""
        (x, y), reach = self.at(spot.centre), 0.43 * self.cell
        box = (x - reach, y - reach, x + reach, y + reach)
        if frame == "[]":
            self.draw.rectangle(box, outline=DIM, width=3)
        else:
            self.draw.ellipse(box, outline=DIM, width=3)

    def margins(self, spots: Sequence[Spot], columns: int) -> None:
        """The names of columns below a grid, and of rows beside it."""
        font = _font(13)
        for spot in spots[:columns]:
            x, y = self.at((spot.centre[0], spot.centre[1] + 0.5))
            self.draw.text((x, y + MARGIN / 2), spot.name.rstrip("0123456789"), DIM, font, anchor="mm")
        for spot in spots[::columns]:
            x, y = self.at((spot.centre[0] - 0.5, spot.centre[1]))
            self.draw.text((x - MARGIN / 2, y), spot.name.lstrip("abcdefghijklmnopqrstuvwxyz"), DIM, font, anchor="mm")
