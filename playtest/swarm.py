"""Habits: how one random game is played, other than the next.

Uniform play treats all moves alike in every game, and so all its games are alike: what needs ten moves of one kind in a
row, or a thing left undone for a whole game, never happens. A habit is drawn for each game anew. It makes some actions
rarer, some more frequent, leaves out a random part of all moves, or lets one side of the dice come up more often. What is
left out is chosen again only where nothing else is legal, so that a game never stops for it, and no habit lasts for ever.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

UNIFORM = 1 / 4
TRIES = 10
_SHARES = (1.0, 1.0, 0.6, 0.3)
_WEIGHTS = (0.0, 0.15, 1.0, 1.0, 1.0)
LASTS = (40, 160, 640)
_DICE = ("fair", "fair", "low", "high", "some")


class Habit:
    """The preferences of one game. Moves and outcomes that it leaves out are drawn when they are first met. `left`: for how many
    answers it still lasts."""

    __slots__ = ("by_action", "dice", "kept", "left", "outcomes", "share", "weights")

    def __init__(self, rng: random.Random, actions: int) -> None:
        self.weights = [rng.choice(_WEIGHTS) for _ in range(actions)]
        self.share = rng.choice(_SHARES)
        self.by_action = rng.random() < 0.5
        self.dice = rng.choice(_DICE)
        self.left = rng.choice(LASTS)
        self.kept: dict[Any, bool] = {}
        self.outcomes: dict[Any, bool] = {}

    def choose(self, moves: Sequence[Any], rng: random.Random) -> Any:
        """One of the legal moves."""
        pick = rng.random
        count = len(moves)
        move = moves[int(pick() * count)]
        if count == 1:
            return move
        kinds = list({move[0]: None for move in moves}) if self.by_action else []
        for _ in range(TRIES):
            if pick() < self.weights[move[0]] and (self.share == 1.0 or self._keeps(move, rng)):
                return move
            move = moves[int(pick() * count)]
            if len(kinds) > 1:
                kind = kinds[int(pick() * len(kinds))]
                group = [other for other in moves if other[0] == kind]
                move = group[int(pick() * len(group))]
        return move

    def _keeps(self, move: Any, rng: random.Random) -> bool:
        kept = self.kept.get(move)
        if kept is None:
            kept = self.kept[move] = rng.random() < self.share
        return kept

    def draw(self, outcomes: Sequence[tuple[Any, int]], rng: random.Random) -> Any:
        """One of the outcomes."""
        first = draw(outcomes, rng)
        if self.dice == "fair" or len(outcomes) == 1:
            return first
        if self.dice == "some":
            for _ in range(TRIES):
                kept = self.outcomes.get(first)
                if kept is None:
                    kept = self.outcomes[first] = rng.random() < 0.5
                if kept:
                    break
                first = draw(outcomes, rng)
            return first
        order = {value: place for place, (value, _) in enumerate(outcomes)}
        second = draw(outcomes, rng)
        return (min if self.dice == "low" else max)(first, second, key=order.__getitem__)


def habit(rng: random.Random, actions: int) -> Habit | None:
    """The habit of a game, None for uniform play."""
    return None if rng.random() < UNIFORM else Habit(rng, actions)


def draw(outcomes: Sequence[tuple[Any, int]], rng: random.Random) -> Any:
    """One of the outcomes, by weight."""
    total = 0
    for _, weight in outcomes:
        total += weight
    left = int(rng.random() * total)
    for value, weight in outcomes:
        left -= weight
        if left < 0:
            return value
    return outcomes[-1][0]
