"""Plies: the answers and drawn outcomes of a game, in the internal form that generated code works on.

A ply is `("choice", move)` or `("draw", value)`. A move is a tuple of the action's position and the chosen values, so it
keeps its meaning when plies before it are taken away: that is what makes a game shrinkable.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from interpreter.rules import Loaded

CHOICE = "choice"
DRAW = "draw"
PASS = (0,)

Ply = tuple[str, Any]
State = tuple[Any, ...]
Frame = Any
Position = tuple[State, Frame]


def options(module: Any, position: Position) -> list[Ply]:
    """Every ply that can be made at a resting position, simplest first; none when the game is over."""
    state, frame = position
    if frame is None:
        return []
    if module.KIND[frame[0]] == DRAW:
        return [(DRAW, value) for value, _ in module.outcomes(state, frame)]
    return [(CHOICE, move) for move in module.legal(state, frame)]


def play(module: Any, position: Position, ply: Ply, trace: Any) -> Position:
    """The position after a ply that is known to be possible. Events go to `trace`."""
    state, frame = position
    result: Position = (module.drawn if ply[0] == DRAW else module.answer)(state, frame, ply[1], trace)
    return result


def choices(plies: Sequence[Ply]) -> int:
    """How many of the plies are players' answers."""
    return sum(kind == CHOICE for kind, _ in plies)


__all__ = ["CHOICE", "DRAW", "PASS", "Frame", "Loaded", "Ply", "Position", "State", "choices", "options", "play"]
