"""Perft: how many different games of a given number of plies there are.

Each answer, a pass too, and each outcome of a draw is a ply. A game that is over earlier does not count. The numbers are
exact and do not depend on chance, so they show at once whether two versions of rules, or two back ends, are the same.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from attrs import field, frozen

from playtest.laws import Laws
from playtest.plies import DRAW, Loaded, Ply, Position, options, play
from rulesdsl import runtime

TABLE_LIMIT = 1_000_000


@frozen
class Perft:
    """`leaves[d]` is the number of lines of d plies, from `leaves[0] == 1` to `leaves[depth]`; `ended[d]` how many of them
    ended the game with their last ply, for all lengths but the greatest, whose last plies are only counted."""

    depth: int
    leaves: tuple[int, ...]
    ended: tuple[int, ...]
    seconds: float = field(default=0.0, eq=False)

    @property
    def total(self) -> int:
        return self.leaves[-1]


def first_position(loaded: Loaded) -> Position:
    """Where the game begins: the first question or draw."""
    position: Position = loaded.module.start(runtime.Trace())
    return position


def perft(loaded: Loaded, depth: int, start: Position | None = None) -> Perft:
    """Count the lines of play of each length up to `depth`, from the beginning or from another position.

    Raises:
        Broken: the rules fail on the way (a rules error, or a question that has no answer).
    """
    began = time.perf_counter()
    counter = _Counter(loaded)
    with counter.laws.faults():
        position = start if start is not None else first_position(loaded)
        leaves, ended = [1], list[int]()
        for length in range(1, depth + 1):
            leaves.append(counter.count(position, length))
            ended.append(counter.ended)
    return Perft(depth, tuple(leaves), tuple(ended), time.perf_counter() - began)


def divide(loaded: Loaded, depth: int, start: Position | None = None) -> Mapping[Ply, int]:
    """How many of the lines of `depth` plies begin with each ply: where two versions of rules part."""
    counter = _Counter(loaded)
    with counter.laws.faults():
        position = start if start is not None else first_position(loaded)
        return {
            ply: counter.count(play(loaded.module, position, ply, runtime.Trace()), depth - 1)
            for ply in options(loaded.module, position)
        }


class _Counter:
    """Counts lines, and remembers what is behind positions that were met before (the same by another order of plies)."""

    def __init__(self, loaded: Loaded) -> None:
        self.laws = Laws(loaded)
        self.module = loaded.module
        self.known: dict[tuple[Position, int], tuple[int, int]] = {}
        self.ended = 0

    def count(self, position: Position, depth: int) -> int:
        """Lines of exactly `depth` plies; `ended` becomes the number of lines of `depth - 1` plies that ended the game."""
        leaves, self.ended = self._count(position, depth)
        return leaves

    def _count(self, position: Position, depth: int) -> tuple[int, int]:
        if depth == 0:
            return 1, 0
        if position[1] is None:
            return 0, int(depth == 1)
        if depth == 1:
            return len(self._options(position)), 0
        key = (position, depth)
        found = self.known.get(key)
        if found is None:
            found = self._sum(position, depth)
            if len(self.known) < TABLE_LIMIT:
                self.known[key] = found
        return found

    def _sum(self, position: Position, depth: int) -> tuple[int, int]:
        leaves = ended = 0
        state, frame = position
        go = self.module.drawn if self.module.KIND[frame[0]] == DRAW else self.module.answer
        for value in self._options(position):
            more, over = self._count(go(state, frame, value, runtime.Trace()), depth - 1)
            leaves += more
            ended += over
        return leaves, ended

    def _options(self, position: Position) -> list[Any]:
        state, frame = position
        if self.module.KIND[frame[0]] == DRAW:
            return [value for value, _ in self.module.outcomes(state, frame)]
        moves: list[Any] = self.module.legal(state, frame)
        if not moves:
            raise self.laws.dead_end(state, frame)
        return moves
