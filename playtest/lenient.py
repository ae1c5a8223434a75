"""Lenient replay: any selection of a game's plies is a game, and shrinking tries selections.

A move keeps its meaning when plies before it are taken away, and what is no longer possible is dropped. Draws that no ply
answers take their smallest outcome. Where long stretches are taken away that is not enough: a pass that ended an offer would
end a turn. So plies can be given with their *places*, the question and the seat that they answered, and answer nothing else
then; a question that nothing fits is answered in the simplest way.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

from attrs import frozen

from playtest import recheck
from playtest.failure import Failure
from playtest.laws import LEAK, LOG, OUTSIDE, Broken, Laws
from playtest.leaks import leaks_of
from playtest.logs import LogLaw
from playtest.plies import CHOICE, DRAW, PASS, Loaded, Ply, Position
from rulesdsl import runtime

LARGEST: Ply = (DRAW, ...)
"""Stands for the largest outcome of whatever is drawn where it is played."""
AHEAD = 60
"""How far ahead an answer is looked for that fits a question, where plies have places."""
FILLED = 8
"""How many questions one after the other are answered without a ply."""

Place = tuple[int, int]
"""A question: where in the program it is asked, and whom (-1: chance)."""
Waiting = list[tuple[Ply, Place | None]]
"""Plies that are still to be played, the next one last."""


@frozen
class Line:
    """A game that breaks the law: its plies, and the position before each."""

    plies: tuple[Ply, ...]
    positions: tuple[Position, ...]
    broken: Broken

    @property
    def choices(self) -> int:
        return sum(kind == CHOICE for kind, _ in self.plies)

    def size(self) -> tuple[int, int]:
        return self.choices, len(self.plies)


class Spent(Exception):
    """The budget is used up."""


class Lenient:
    """Replays selections of plies and sees whether they break one law in one way.

    `left`: how many plies may still be played; `tried`: how many games were. While a game is tried only that law is looked at;
    what is given back breaks no other one before.
    """

    def __init__(self, loaded: Loaded, found: Failure, budget: int, logs: LogLaw | None) -> None:
        self.laws = Laws(loaded)
        self.laws.leaks = leaks_of(loaded) if found.law == LEAK else None
        self.only = self.laws.only(found.kind)
        self.module = loaded.module
        self.kind = found.kind
        self.thorough = found.thorough
        self.logs = logs if found.law == OUTSIDE else (logs or LogLaw(loaded)) if found.law == LOG else None
        self.left = budget
        self.tried = 0

    def replay(
        self,
        start: Sequence[Ply],
        positions: Sequence[Position],
        plies: Sequence[Ply],
        places: Sequence[Place] | None = None,
        most: int | None = None,
    ) -> Line | None:
        """Play `plies` leniently after a beginning that is known to be possible; the line up to the break, if it is the same.

        Args:
            places: the places of the plies, each of which then answers nothing else.
            most: give up after so many plies.
        Raises:
            Spent: the budget is used up.
        """
        line = self._line(self.only, start, positions, plies, places, most)
        if line is None or self.only is self.laws:
            return line
        return self._line(self.laws, (), (), line.plies, None, len(line.plies))

    def _line(
        self,
        laws: Laws,
        start: Sequence[Ply],
        positions: Sequence[Position],
        plies: Sequence[Ply],
        places: Sequence[Place] | None,
        most: int | None,
    ) -> Line | None:
        self.tried += 1
        made, before = list(start), list(positions)
        where: Sequence[Place | None] = places if places is not None else [None] * len(plies)
        waiting: Waiting = list(zip(reversed(plies), reversed(where), strict=True))
        try:
            self._play(laws, made, before, waiting, most)
            if self.thorough:
                self._thorough(made)
        except Broken as broken:
            if broken.kind == self.kind:
                return Line(tuple(made), tuple(before), broken)
        return None

    def _thorough(self, made: list[Ply]) -> None:
        self.left -= len(made) * 5
        broken = recheck.recheck(self.laws, made, random.Random(len(made)), self.logs)
        if broken is not None:
            del made[broken[0] :]
            raise broken[1]

    def _play(self, laws: Laws, made: list[Ply], before: list[Position], waiting: Waiting, most: int | None) -> None:
        """`made` and `before` grow by what was possible.

        Raises:
            Broken: the end of the line.
        """
        position = before.pop() if before else laws.start(runtime.Trace())
        choices = sum(kind == CHOICE for kind, _ in made)
        filled = 0
        while position[1] is not None:
            left = len(waiting)
            ply = self._next(position, waiting, choices, filled < FILLED)
            before.append(position)
            if ply is None or (most is not None and len(made) >= most):
                return
            filled = filled + 1 if len(waiting) == left else 0
            made.append(ply)
            choices += ply[0] == CHOICE
            if self.left <= 0:
                raise Spent
            self.left -= 1
            position = laws.step(position, ply, runtime.Trace())
        before.append(position)

    def _next(self, position: Position, waiting: Waiting, choices: int, fill: bool) -> Ply | None:
        """The next ply that is possible; what is in its way is dropped. None when nothing is left to play."""
        state, frame = position
        if self.module.KIND[frame[0]] == DRAW:
            return self._outcome(position, waiting)
        if self.laws.limit is not None and choices >= self.laws.limit:
            raise self.laws.endless(state, choices)
        with self.laws.faults():
            if not self.module.any_legal(state, frame):
                return self._without_choice(position, waiting)
            if waiting and waiting[-1][1] is not None:
                return self._fitting(position, waiting, fill)
            while waiting:
                ply, _ = waiting.pop()
                if ply[0] == CHOICE and self.module.allows(state, frame, ply[1]):
                    return ply
        self.laws.options(position, choices)
        return None

    def _outcome(self, position: Position, waiting: Waiting) -> Ply:
        """What is drawn: the next ply if it is an outcome, else the smallest."""
        possible = self.laws.options(position)
        if waiting and waiting[-1][1] is not None:
            here = self.place(position)
            after = next((n for n in range(1, min(AHEAD, len(waiting)) + 1) if waiting[-n][0][0] == DRAW), None)
            if after is None or waiting[-after][1] != here:
                return possible[0]
            del waiting[len(waiting) - after + 1 :]
        if waiting and waiting[-1][0][0] == DRAW:
            ply, _ = waiting.pop()
            if ply is LARGEST:
                return possible[-1]
            return ply if ply in possible else possible[0]
        return possible[0]

    def _fitting(self, position: Position, waiting: Waiting, fill: bool) -> Ply | None:
        """The next ply that answered this question and does so here."""
        state, frame = position
        here = self.place(position)
        for back in range(1, (min(AHEAD, len(waiting)) if fill else len(waiting)) + 1):
            ply, place = waiting[-back]
            if place == here and self.module.allows(state, frame, ply[1]):
                del waiting[len(waiting) - back :]
                return ply
        if not fill:
            return None
        simplest: Any = self.module.legal(state, frame)[0]
        return CHOICE, simplest

    def _without_choice(self, position: Position, waiting: Waiting) -> Ply:
        """A pass where nothing else is legal is made by itself."""
        state, frame = position
        if frame[0] not in self.module.MAY_PASS:
            raise self.laws.dead_end(state, frame)
        if waiting and waiting[-1][0] == (CHOICE, PASS) and waiting[-1][1] in (None, self.place(position)):
            waiting.pop()
        return CHOICE, PASS

    def place(self, position: Position) -> Place:
        """Where a position rests."""
        state, frame = position
        return frame[0], -1 if self.module.KIND[frame[0]] == DRAW else self.module.asked(state, frame)
