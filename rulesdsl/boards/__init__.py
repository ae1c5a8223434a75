"""The shapes of boards, by the word that makes them in the rules."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from rulesdsl.boards.grid import grid, rhombus, track
from rulesdsl.boards.hex import hexes
from rulesdsl.boards.shapes import NO_ATTRIBUTE, Attribute, Method, Shape, ShapeError, StaticMethod, column_name

SHAPES: dict[str, Callable[[Sequence[str], Sequence[int], Mapping[str, Any]], Shape]] = {
    "grid": grid,
    "hexes": hexes,
    "rhombus": rhombus,
    "track": track,
}

__all__ = ["NO_ATTRIBUTE", "SHAPES", "Attribute", "Method", "Shape", "ShapeError", "StaticMethod", "column_name"]
