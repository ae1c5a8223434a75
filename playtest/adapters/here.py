"""Where an OpenSpiel state stands: a position, and what of an answer is told already."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyspiel

from interpreter import Position
from interpreter.rules import Internal
from playtest.adapters.games import Adapted, adapted
from rulesdsl.types import index_of, size

CHANCE_LIMIT = 1 << 12
"""A drawn outcome is its place among all values of its type if there are no more than so many, else its place among those
that can be drawn."""

CHANCE, OVER = pyspiel.PlayerId.CHANCE, pyspiel.PlayerId.TERMINAL


class Here:
    """Where a state stands: never changed, so that copies of a state share it. `player`: who is asked, or chance, or that it
    is over. `before`: what the position was worth when the last player answered."""

    __slots__ = ("_legal", "_outcomes", "before", "game", "moves", "player", "position", "told")

    def __init__(
        self,
        position: Position,
        game: Adapted,
        before: tuple[float, ...],
        told: tuple[int, ...] | None = None,
        moves: Sequence[Internal] = (),
    ) -> None:
        """`told` and `moves` are given where an answer is told in parts, and some are told already."""
        self.position = position
        self.game = game
        self.before = before
        self.told: tuple[int, ...] = ()
        self.moves: Sequence[Internal] = ()
        self._legal: list[int] | None = None
        self._outcomes: dict[int, tuple[Any, int]] | None = None
        frame = position.node.frame
        if frame is None:
            self.player = OVER
            return
        if position.draws:
            self.player = CHANCE
            return
        self.player = game.rules.module.asked(position.node.st, frame)
        self.moves = moves or position.legal()
        self.told = game.actions.begin(self.moves) if told is None else told

    def __copy__(self) -> Here:
        return self

    def __deepcopy__(self, _: Any) -> Here:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return here_again, (self.position, self.game.kinds, self.before, self.told)

    def legal(self) -> list[int]:
        """The actions of the player who is asked."""
        if self._legal is None:
            self._legal = self.game.actions.legal(self.moves, self.told)
        return self._legal

    def outcomes(self) -> dict[int, tuple[Any, int]]:
        """What can be drawn, with weights, by number."""
        if self._outcomes is None:
            self._outcomes = self._numbered(self.position.outcomes())
        return self._outcomes

    def _numbered(self, found: Sequence[tuple[Any, int]]) -> dict[int, tuple[Any, int]]:
        t = self.game.rules.draw_of(self.position.node.frame[0])[1]
        if (size(t) or CHANCE_LIMIT + 1) > CHANCE_LIMIT:
            return dict(enumerate(found))
        return {index_of(t, value): (value, weight) for value, weight in found}

    def worth(self) -> tuple[float, ...]:
        return self.game.rewards.worth(self.position)

    def after(self, action: int) -> Here:
        """What follows an action, or an outcome."""
        if self.player == CHANCE:
            return Here(self.position.after_draw(self.outcomes()[action][0]), self.game, self.before)
        move, told = self.game.actions.take(self.moves, self.told, action)
        if move is None:
            return Here(self.position, self.game, self.before, told, self.moves)
        before = self.before if self.game.rewards.at_end else self.worth()
        return Here(self.position.after(move), self.game, before)

    def text(self, action: int) -> str:
        """An action or an outcome in words."""
        if self.player != CHANCE:
            return self.game.actions.text(self.moves, self.told, action)
        name, t = self.game.rules.draw_of(self.position.node.frame[0])
        return f"{name} = {self.game.rules.codec.text(t, self.outcomes()[action][0])}"

    def toward(self, move: Internal | None, value: Any) -> int:
        """The action that makes a move, or a part of it; or the outcome that is a value."""
        if move is not None:
            return self.game.actions.toward(self.told, move)
        return next(number for number, (outcome, _) in self.outcomes().items() if outcome == value)


def here_again(
    position: Position, kinds: tuple[str | None, str], before: tuple[float, ...], told: tuple[int, ...]
) -> Here:
    return Here(position, adapted(position.rules, *kinds), before, told)


__all__ = ["CHANCE", "CHANCE_LIMIT", "OVER", "Here"]
