"""Makes a failing game small: the shortest and simplest plies that still break the same law in the same way.

It works on the plies themselves, with *lenient replay*: a move keeps its meaning when plies before it are taken away, and
what is no longer possible is dropped. Draws that no ply answers take their smallest outcome. So any selection of a failing
game's plies is a game, and shrinking is: take away runs of plies, long ones first; take away pairs that are apart (so that
the players' turns stay in step); put the simplest legal answer or outcome in the place of each that is left; exchange
neighbours. Long games are made short first: by further random games that break the law sooner, and by taking away all
answers of one action. Everything is tried in a fixed order, so the result depends on the failure alone.
"""

from __future__ import annotations

import random
import time
from collections.abc import Iterator, Sequence
from typing import Any

from attrs import field, frozen

from playtest import recheck
from playtest.failure import Failure, failure
from playtest.laws import LEAK, LOG, OUTSIDE, TERMINATES, Broken, Laws
from playtest.leaks import leaks_of
from playtest.logs import LogLaw
from playtest.plies import CHOICE, DRAW, PASS, Loaded, Ply, Position, options
from playtest.rollout import Arena, game_random
from playtest.swarm import habit
from rulesdsl import runtime

BUDGET = 150_000
SIMPLER = 12
PAIRS_UP_TO = 40
LONG = 120
FINEST = 32
AGAIN = 60
LARGEST: Ply = (DRAW, ...)
"""Stands for the largest outcome of whatever is drawn where it is played."""


@frozen
class Shrunk:
    """The smallest failure that was found, the size of the first one, and how many games were tried on the way."""

    failure: Failure
    choices_before: int
    tried: int
    seconds: float = field(default=0.0, eq=False)


def shrink(loaded: Loaded, found: Failure, *, budget: int = BUDGET, logs: LogLaw | None = None) -> Shrunk:
    """Make a failure small. `budget` is the number of plies that may be played for it, `logs` the law of whole games that
    was broken, if it was one of those."""
    began = time.perf_counter()
    shrinker = _Shrinker(loaded, found, budget, logs)
    shrinker.run()
    return Shrunk(shrinker.best(found), found.choices, shrinker.tried, time.perf_counter() - began)


@frozen
class _Line:
    """A game that breaks the law: its plies, the position before each, and each ply's rank among what was possible."""

    plies: tuple[Ply, ...]
    positions: tuple[Position, ...]
    broken: Broken

    def size(self) -> tuple[int, int]:
        return sum(kind == CHOICE for kind, _ in self.plies), len(self.plies)


class _Spent(Exception):
    """The budget is used up."""


class _Shrinker:
    def __init__(self, loaded: Loaded, found: Failure, budget: int, logs: LogLaw | None) -> None:
        self.laws = Laws(loaded)
        self.laws.leaks = leaks_of(loaded) if found.law == LEAK else None
        self.module = loaded.module
        self.kind = found.kind
        self.thorough = found.thorough
        self.logs = logs if found.law == OUTSIDE else (logs or LogLaw(loaded)) if found.law == LOG else None
        self.left = budget
        self.tried = 0
        self.line = self._replay((), (), found.plies)

    def best(self, found: Failure) -> Failure:
        """The smallest failure; the one that was found, if it cannot even be repeated."""
        if self.line is None:
            return found
        return failure(self.line.broken, self.line.plies, thorough=self.thorough, game=found.game)

    def run(self) -> None:
        """All passes in turn, until none of them helps or the budget is used up."""
        if self.line is None:
            return
        try:
            if self.kind[0] != TERMINATES and not self.thorough:
                self._play_again()
            while self._pass():
                pass
        except _Spent:
            pass

    def _pass(self) -> bool:
        helped = False
        if self.kind[0] != TERMINATES:
            while self._long() and self._coarse():
                pass
            helped = self._raise_draws()
            helped = self._take_away_runs() or helped
            helped = self._take_away_pairs() or helped
        helped = self._simplify() or helped
        return self._exchange() or helped

    # ------------------------------------------------------------ trying

    def _replay(self, start: Sequence[Ply], positions: Sequence[Position], plies: Sequence[Ply]) -> _Line | None:
        """Play `plies` leniently after a beginning that is known to be possible; the line up to the break, if it is the same."""
        self.tried += 1
        made, before = list(start), list(positions)
        try:
            self._play(made, before, plies)
            if self.thorough:
                self._thorough(made)
        except Broken as broken:
            if broken.kind == self.kind:
                return _Line(tuple(made), tuple(before), broken)
        return None

    def _thorough(self, made: list[Ply]) -> None:
        self.left -= len(made) * 5
        broken = recheck.recheck(self.laws, made, random.Random(len(made)), self.logs)
        if broken is not None:
            del made[broken[0] :]
            raise broken[1]

    def _play(self, made: list[Ply], before: list[Position], plies: Sequence[Ply]) -> None:
        """Lenient replay: `made` and `before` grow by what was possible.

        Raises:
            Broken: the end of the line.
        """
        laws = self.laws
        position = before.pop() if before else laws.start(runtime.Trace())
        waiting = list(reversed(plies))
        choices = sum(kind == CHOICE for kind, _ in made)
        while position[1] is not None:
            ply = self._next(position, waiting, choices)
            before.append(position)
            if ply is None:
                return
            made.append(ply)
            choices += ply[0] == CHOICE
            if self.left <= 0:
                raise _Spent
            self.left -= 1
            position = laws.step(position, ply, runtime.Trace())
        before.append(position)

    def _next(self, position: Position, waiting: list[Ply], choices: int) -> Ply | None:
        """The next ply that is possible; what is in its way is dropped. None when nothing is left to play."""
        state, frame = position
        if self.module.KIND[frame[0]] == DRAW:
            possible = self.laws.options(position)
            if waiting and waiting[-1][0] == DRAW:
                ply = waiting.pop()
                if ply is LARGEST:
                    return possible[-1]
                return ply if ply in possible else possible[0]
            return possible[0]
        if self.laws.limit is not None and choices >= self.laws.limit:
            raise self.laws.endless(state, choices)
        with self.laws.faults():
            if not self.module.any_legal(state, frame):
                return self._without_choice(position, waiting)
            while waiting:
                ply = waiting.pop()
                if ply[0] == CHOICE and self.module.allows(state, frame, ply[1]):
                    return ply
        self.laws.options(position, choices)
        return None

    def _without_choice(self, position: Position, waiting: list[Ply]) -> Ply:
        """A pass where nothing else is legal is made by itself."""
        state, frame = position
        if frame[0] not in self.module.MAY_PASS:
            raise self.laws.dead_end(state, frame)
        if waiting and waiting[-1] == (CHOICE, PASS):
            waiting.pop()
        return CHOICE, PASS

    def _accept(self, keep: int, plies: Sequence[Ply]) -> bool:
        """Try the first `keep` plies of the line with others after them; take it if it breaks the law and is smaller."""
        assert self.line is not None
        line = self._replay(self.line.plies[:keep], self.line.positions[: keep + 1], plies)
        if line is None or line.size() > self.line.size():
            return False
        if line.size() == self.line.size() and self._cost(line) >= self._cost(self.line):
            return False
        self.line = line
        return True

    def _cost(self, line: _Line) -> tuple[Any, ...]:
        ranks = [options(self.module, p).index(ply) for p, ply in zip(line.positions, line.plies, strict=False)]
        return sum(ranks), ranks

    # ------------------------------------------------------------ the passes

    def _long(self) -> bool:
        assert self.line is not None
        return len(self.line.plies) > LONG

    def _play_again(self) -> None:
        """Further random games, half as long: one of them often breaks the same law sooner."""
        arena = Arena(self.laws.loaded)
        while self._long() and self.line is not None:
            limit = self.line.size()[0] // 2
            shorter = next(filter(None, (self._random_game(arena, limit, game) for game in range(AGAIN))), None)
            line = None if shorter is None else self._replay((), (), shorter.plies)
            if line is None or line.size() >= self.line.size():
                return
            self.line = line

    def _random_game(self, arena: Arena, limit: int, game: int) -> Failure | None:
        rng = game_random(limit, game)
        played = arena.play(rng, habit(rng, len(self.module.ACTIONS)), max_choices=limit)
        self.tried += 1
        return played.failure if played.failure is not None and played.failure.kind == self.kind else None

    def _coarse(self) -> bool:
        """What makes long games short: all answers of one kind, and long runs of plies."""
        assert self.line is not None
        before = self.line.size()
        for kind in dict.fromkeys(ply[1][0] for ply in self.line.plies if ply[0] == CHOICE):
            self._accept(0, [ply for ply in self.line.plies if ply[0] == DRAW or ply[1][0] != kind])
        self._take_away_runs(max(1, len(self.line.plies) // FINEST))
        return self.line.size() < before


    def _raise_draws(self) -> bool:
        """Larger outcomes, of all draws or of one, where they break the law sooner."""
        assert self.line is not None
        helped = self._accept(0, [LARGEST if kind == DRAW else (kind, value) for kind, value in self.line.plies])
        at = 0
        while at < len(self.line.plies):
            if self.line.plies[at][0] == DRAW:
                helped = self._accept(at, (LARGEST, *self.line.plies[at + 1 :])) or helped
            at += 1
        return helped

    def _take_away_runs(self, shortest: int = 1) -> bool:
        """Runs of plies: halves first, then shorter and shorter, down to single ones."""
        assert self.line is not None
        helped = False
        length = max(1, len(self.line.plies) // 2)
        while length >= shortest:
            at = 0
            while at < len(self.line.plies):
                if self._accept(at, self.line.plies[at + length :]):
                    helped = True
                else:
                    at += max(1, length // 2)
            length = length - 1 if length <= 4 else length // 2
        return helped

    def _take_away_pairs(self) -> bool:
        """Two plies that do not follow each other, where taking away one alone would shift the turns."""
        assert self.line is not None
        helped = False
        first = 0
        while first < len(self.line.plies):
            if not any(self._accept(first, rest) for rest in self._without_one_more(first)):
                first += 1
            else:
                helped = True
        return helped

    def _without_one_more(self, first: int) -> Iterator[tuple[Ply, ...]]:
        assert self.line is not None
        plies = self.line.plies
        if len(plies) <= PAIRS_UP_TO:
            for second in range(first + 2, len(plies)):
                yield plies[first + 1 : second] + plies[second + 1 :]

    def _simplify(self) -> bool:
        """The simplest legal answer, or the smallest outcome, in the place of each ply, the first first."""
        assert self.line is not None
        helped = False
        at = 0
        while at < len(self.line.plies):
            helped = self._simplify_at(at) or helped
            at += 1
        return helped

    def _simplify_at(self, at: int) -> bool:
        """Try the simplest few plies at a place, then those of the same action."""
        assert self.line is not None
        ply, rest = self.line.plies[at], self.line.plies[at + 1 :]
        possible = options(self.module, self.line.positions[at])
        simpler = possible[: possible.index(ply)]
        same = [other for other in simpler[SIMPLER:] if other[0] == DRAW or other[1][0] == ply[1][0]]
        return any(self._accept(at, (other, *rest)) for other in (*simpler[:SIMPLER], *same[:SIMPLER]))

    def _exchange(self) -> bool:
        """Two neighbouring answers, or two neighbouring draws, in the other order, if that is simpler."""
        assert self.line is not None
        helped = False
        at = 0
        while at < len(self.line.plies):
            plies = self.line.plies
            other = next((n for n in range(at + 1, len(plies)) if plies[n][0] == plies[at][0]), None)
            if other is not None and plies[other] != plies[at]:
                rest = (plies[other], *plies[at + 1 : other], plies[at], *plies[other + 1 :])
                helped = self._accept(at, rest) or helped
            at += 1
        return helped
