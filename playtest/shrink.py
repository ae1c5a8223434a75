"""Makes a failing game small: the shortest and simplest plies that still break the same law in the same way.

It works on the plies themselves, by lenient replay (`playtest.lenient`): any selection of a failing game's plies is a game.
Shrinking is: take away runs of plies, long ones first; take away pairs that are apart (so that the players' turns stay in
step); put the simplest legal answer or outcome in the place of each that is left; exchange neighbours. Long games are made
short first: by other games that break the law sooner (`playtest.shorter`), by taking away all answers of one action, and whole
rounds. What is still long then is led to the same break by another way (`playtest.nearer`). Everything is tried in a fixed order,
so the result depends on the failure alone.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from attrs import field, frozen

from playtest.aims import aims, depth
from playtest.failure import Failure, failure
from playtest.laws import TERMINATES
from playtest.lenient import LARGEST, Lenient, Line, Place, Spent
from playtest.logs import LogLaw
from playtest.nearer import Search
from playtest.plies import CHOICE, DRAW, Loaded, Ply, options
from playtest.shorter import shorter

BUDGET = 500_000
SHORT = 12
"""Games with so few answers are not searched for by another way."""
SEARCHED = 2_000
"""Plies that may be played for another way, for each answer of the game."""
MOST_SEARCHED = 150_000
LEAST_GAIN = 0.9
"""It is worth while to search again where games became so much shorter, as a share."""
LONG = 60
"""Games with more answers are searched for by another way before anything is taken away from them."""
SIMPLER = 12
PAIRS_UP_TO = 40
LONG_LINE = 120
FINEST = 32


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
    shrinker = _Shrinker(loaded, found, Lenient(loaded, found, budget, logs))
    shrinker.run()
    return Shrunk(shrinker.best(found), found.choices, shrinker.tried, time.perf_counter() - began)


class _Shrinker:
    def __init__(self, loaded: Loaded, found: Failure, lenient: Lenient) -> None:
        self.loaded = loaded
        self.module = loaded.module
        self.lenient = lenient
        self.kind = found.kind
        self.elsewhere = 0
        self.raised = False
        self.line = lenient.replay((), (), found.plies)

    @property
    def tried(self) -> int:
        """How many games were tried."""
        return self.lenient.tried + self.elsewhere

    def best(self, found: Failure) -> Failure:
        """The smallest failure; the one that was found, if it cannot even be repeated."""
        if self.line is None:
            return found
        return failure(self.line.broken, self.line.plies, thorough=found.thorough, game=found.game)

    def run(self) -> None:
        """Other games that are shorter, and all passes in turn, until none of them helps or the budget is used up."""
        if self.line is None:
            return
        try:
            led = self.kind[0] != TERMINATES and not self.lenient.thorough
            if led:
                self._look_for_shorter()
                while self.line.choices > LONG and self._look_nearer():
                    pass
            whole = self._passes(1 / 2 if led else 1)
            while led and self._look_nearer():
                whole = self._passes(1 / 2)
            if not whole:
                self._passes(1)
        except Spent:
            pass

    def _passes(self, share: float) -> bool:
        """The passes until none of them helps, or that share of what is left of the budget is used up. Whether none helps."""
        kept = int(self.lenient.left * (1 - share))
        self.lenient.left -= kept
        try:
            while self._pass():
                pass
        except Spent:
            return False
        finally:
            self.lenient.left += kept
        return True

    def _pass(self) -> bool:
        helped = False
        if self.kind[0] != TERMINATES:
            while self._long() and self._coarse():
                pass
            helped = not self.raised and self._raise_draws()
            self.raised = True
            helped = self._take_away_runs() or helped
            helped = self._take_away_pairs() or helped
        helped = self._simplify() or helped
        return self._exchange() or helped

    def _accept(self, keep: int, plies: Sequence[Ply], places: Sequence[Place] | None = None) -> bool:
        """Try the first `keep` plies of the line with others after them; take it if it breaks the law and is smaller."""
        assert self.line is not None
        line = self.lenient.replay(
            self.line.plies[:keep], self.line.positions[: keep + 1], plies, places, len(self.line.plies)
        )
        if line is None or line.size() > self.line.size():
            return False
        if line.size() == self.line.size() and self._cost(line) >= self._cost(self.line):
            return False
        self.line = line
        return True

    def _cost(self, line: Line) -> tuple[Any, ...]:
        ranks = [options(self.module, p).index(ply) for p, ply in zip(line.positions, line.plies, strict=False)]
        return sum(ranks), ranks

    # ------------------------------------------------------------ long games

    def _long(self) -> bool:
        assert self.line is not None
        return len(self.line.plies) > LONG_LINE

    def _look_for_shorter(self) -> None:
        """Another game may break the same law much sooner."""
        assert self.line is not None
        found, tried = shorter(self.loaded, self.kind, self.line.choices)
        self.elsewhere += tried
        line = None if found is None else self.lenient.replay((), (), found.plies)
        if line is not None and line.size() < self.line.size():
            self.line = line

    def _look_nearer(self) -> bool:
        """Another way to the same break, made out of steps towards it, may be shorter. Whether it is much shorter."""
        assert self.line is not None
        before = self.line.choices
        if before <= SHORT or self.lenient.only is self.lenient.laws:
            return False
        for wanted in aims(self.lenient.only, self.line):
            search = Search(self.lenient, self.line, wanted, min(self.lenient.left // 3, SEARCHED * before, MOST_SEARCHED))
            plies = search.run()
            self.elsewhere += search.tried
            self.lenient.left -= search.played
            line = None if plies is None else self.lenient.replay((), (), plies)
            if line is not None and line.choices < before:
                self.line = line
                break
        return self.line.choices <= before * LEAST_GAIN

    def _coarse(self) -> bool:
        """What makes long games short: without all answers of one kind, without rounds, without long runs of plies."""
        assert self.line is not None
        before = self.line.size()
        for kind in dict.fromkeys(ply[1][0] for ply in self.line.plies if ply[0] == CHOICE):
            self._without_action(kind)
        self._take_away_rounds()
        self._take_away_runs(max(1, len(self.line.plies) // FINEST))
        return self.line.size() < before

    def _places(self) -> list[Place]:
        """The place of each ply of the line."""
        assert self.line is not None
        return [self.lenient.place(position) for position in self.line.positions[: len(self.line.plies)]]

    def _without_action(self, action: int) -> None:
        """Without all answers of one action, at the same questions as before or wherever they fit."""
        assert self.line is not None
        kept = [n for n, (kind, value) in enumerate(self.line.plies) if kind == DRAW or value[0] != action]
        plies, places = [self.line.plies[n] for n in kept], self._places()
        self._accept(0, plies, [places[n] for n in kept]) or self._accept(0, plies)

    def _take_away_rounds(self) -> None:
        """From one time that a seat is asked the outermost question to a later one: many rounds at first, then fewer."""
        count = len(self._rounds()) // 2
        while count:
            at = 0
            while at + count < len(rounds := self._rounds()):
                assert self.line is not None
                to = rounds[at + count]
                if not self._accept(rounds[at], self.line.plies[to:], self._places()[to:]):
                    at += max(1, count // 2)
            count //= 2

    def _rounds(self) -> list[int]:
        """Where the question is asked that is asked most often of those that no other one surrounds, of one seat."""
        assert self.line is not None
        places = self._places()
        asked = [n for n, (kind, _) in enumerate(self.line.plies) if kind == CHOICE]
        depths = {n: depth(self.line.positions[n]) for n in asked}
        counted = Counter((depths[n], places[n]) for n in asked)
        often = [key for key, count in counted.items() if count > 2]
        if not often:
            return []
        least = min(depth for depth, _ in often)
        chosen = max((key for key in often if key[0] == least), key=lambda key: counted[key])
        return [n for n in asked if (depths[n], places[n]) == chosen]

    # ------------------------------------------------------------ the passes

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
        """Runs of plies: halves first, then shorter and shorter, down to single ones. Draws alone are asked for again at once, so
        they are not taken away."""
        assert self.line is not None
        helped = False
        length = max(1, len(self.line.plies) // 2)
        while length >= shortest:
            at = 0
            while at < len(self.line.plies):
                drawn = all(kind == DRAW for kind, _ in self.line.plies[at : at + length])
                if not drawn and self._accept(at, self.line.plies[at + length :]):
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
        helped = self._smallest_draws()
        at = 0
        while at < len(self.line.plies):
            helped = self._simplify_at(at) or helped
            at += 1
        return helped

    def _smallest_draws(self) -> bool:
        """The smallest outcomes for all draws at once, or for the later ones."""
        assert self.line is not None
        count, left = len(self.line.plies), len(self.line.plies)
        while left:
            plies = self.line.plies[count - left :]
            if self._accept(count - left, [ply for ply in plies if ply[0] == CHOICE]):
                return True
            left //= 2
        return False

    def _simplify_at(self, at: int) -> bool:
        """Try the simplest few plies at a place, then those of the same action."""
        assert self.line is not None
        ply, rest = self.line.plies[at], self.line.plies[at + 1 :]
        possible = options(self.module, self.line.positions[at])
        simpler = possible[: possible.index(ply)]
        same = [other for other in simpler[SIMPLER:] if other[0] == DRAW or other[1][0] == ply[1][0]]
        return any(self._accept(at, (other, *rest)) for other in (*simpler[:SIMPLER], *same[:SIMPLER]))

    def _simpler(self, at: int, other: Ply) -> bool:
        """Whether another ply would be possible at a place, and simpler than the one that is made there."""
        assert self.line is not None
        possible = options(self.module, self.line.positions[at])
        return other in possible[: possible.index(self.line.plies[at])]

    def _exchange(self) -> bool:
        """Two neighbouring answers, or two neighbouring draws, in the other order, if that is simpler."""
        assert self.line is not None
        helped = False
        at = 0
        while at < len(self.line.plies):
            plies = self.line.plies
            other = next((n for n in range(at + 1, len(plies)) if plies[n][0] == plies[at][0]), None)
            if other is not None and self._simpler(at, plies[other]):
                rest = (plies[other], *plies[at + 1 : other], plies[at], *plies[other + 1 :])
                helped = self._accept(at, rest) or helped
            at += 1
        return helped
