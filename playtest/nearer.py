"""Looks for a shorter game that breaks the same law, led by how far states are from breaking it (`playtest.aims`).

For each distance the positions with the fewest answers are kept, those of the failing game at first. From one of them a
random game goes on for a few answers. If it comes nearer, in fewer answers than others did, its position is kept too. So games get
short step by step: what a step costs is made less at each distance by itself. Some games go the way that others have
gone from there, leave out answers of it, and go on at random where it ends.
"""

from __future__ import annotations

import random

from attrs import define, field

from playtest.aims import Aim, Distance
from playtest.laws import Broken
from playtest.lenient import Lenient, Line
from playtest.plies import CHOICE, DRAW, PASS, Ply, Position
from playtest.swarm import Habit, habit
from rulesdsl import runtime

KEPT = 8
"""Positions for each distance."""
WIDE = 4
"""From so many of them games go on at a time."""
LENGTHS = (4, 8, 16, 32)
"""After so many answers a game that has come no nearer is given up."""
FOLLOWED = 1 / 4
SKIPPED = (0.0, 0.1, 0.3)
SLACK = 3
"""So many answers more than the fewest ones are not too many for being kept."""
WORN = 2
"""To have been gone on from once makes a position as unattractive as so many answers more."""
GAP = 25
"""A gap of so many answers between two distances is closed before what is beyond it is looked at."""
STUCK = 60
"""Unless games went on from there so many times."""
LONGEST = 400
"""Plies after which a game is given up in any case."""


@define(eq=False)
class Entry:
    """A position on the way: the entry and the plies from which it was come to, its distance, the number of answers up to it, and
    the habit of the game. `used`: how often games went on from it."""

    before: Entry | None
    since: tuple[Ply, ...]
    position: Position
    far: Distance
    choices: int
    habit: Habit | None = None
    used: int = 0

    def plies(self) -> list[Ply]:
        """All plies from the start of the game."""
        return self.way(None)[::-1]

    def way(self, since: Distance | None) -> list[Ply]:
        """The plies from where its game was as near as that (None: from its start), the next one last."""
        found: list[Ply] = []
        entry: Entry | None = self
        while entry is not None and (since is None or entry.far < since):
            found += reversed(entry.since)
            entry = entry.before
        return found


@define(eq=False)
class _Game:
    """A game that goes on from an entry. `follow`: the plies that it should make, the next one last, of which it skips a share."""

    entry: Entry
    own: Habit | None
    most: int
    follow: list[Ply] = field(factory=list)
    skip: float = 0.0
    plies: list[Ply] = field(factory=list)
    choices: int = 0
    following: bool = False


class Search:
    """The search for a shorter game than `line`. `budget`: about how many plies may be played for it; `played`: how
    many were, `tried`: in how many games."""

    def __init__(self, lenient: Lenient, line: Line, aim: Aim, budget: int) -> None:
        self.laws = lenient.only
        self.module = lenient.module
        self.kind = lenient.kind
        self.aim = aim
        self.budget = budget
        self.played = self.tried = 0
        self.most = line.choices
        self.best: Entry | None = None
        self.cells: dict[Distance, list[Entry]] = {}
        self.rng = random.Random(line.choices)
        self._put_in(line)

    def run(self) -> list[Ply] | None:
        """The plies of the shortest game that was found; None if there is none that is shorter."""
        while self.played < self.budget and (front := self._front()):
            self._go_on_from(*self._chosen(front), front)
        return self.best.plies() if self.best is not None else None

    def _put_in(self, line: Line) -> None:
        """The positions of the failing game in which it was nearer than ever before."""
        entry: Entry | None = None
        since: list[Ply] = []
        choices = 0
        for position, ply in zip(line.positions, line.plies, strict=False):
            far = self.aim.distance(position[0])
            if entry is None or far < entry.far:
                entry = Entry(entry, tuple(since), position, far, choices)
                self._keep(entry)
                since = []
            since.append(ply)
            choices += ply[0] == CHOICE

    def _keep(self, entry: Entry) -> None:
        cell = self.cells.setdefault(entry.far, [])
        known = any(other.position == entry.position and other.choices <= entry.choices for other in cell)
        if not known and (len(cell) < KEPT or entry.choices < cell[-1].choices):
            cell.append(entry)
            cell.sort(key=lambda other: other.choices)
            del cell[KEPT:]

    # ------------------------------------------------------------ where games go on

    def _front(self) -> list[Distance]:
        """The distances to which no nearer one was come in as few answers, the nearest first."""
        front, least = [], self.most
        for far in sorted(self.cells):
            if self.cells[far][0].choices < least:
                least = self.cells[far][0].choices
                front.append(far)
        return front

    def _chosen(self, front: list[Distance]) -> tuple[Distance, int]:
        """The distance from which most can be won, and the number of answers with which a nearer one was come to."""
        chosen, most = front[-1], self.most
        best = -1.0
        for place in reversed(range(len(front))):
            far = front[place]
            cell = self.cells[far]
            nearer = self.cells[front[place - 1]][0].choices if place else self.most
            used = sum(entry.used for entry in cell[:WIDE])
            gap = nearer - cell[0].choices
            worth = (min(gap, GAP) - 0.5) / (1 + used)
            if worth > best:
                chosen, most, best = far, nearer, worth
            if gap > GAP and used < STUCK:
                break
        return chosen, most

    def _go_on_from(self, far: Distance, most: int, front: list[Distance]) -> None:
        """Games that go on from the best positions of a distance, up to `most` answers."""
        rng = self.rng
        there = [self.cells[nearer][0] for nearer in front if nearer < far]
        if self.best is not None:
            there.insert(0, self.best)
        for entry in sorted(self.cells[far], key=lambda entry: entry.choices + WORN * entry.used)[:WIDE]:
            entry.used += 1
            for length in LENGTHS:
                own = entry.habit if rng.random() < 0.5 else None
                own = own or habit(rng, len(self.module.ACTIONS))
                game = _Game(entry, own, min(entry.choices + length, most + SLACK), choices=entry.choices)
                if there and rng.random() < FOLLOWED:
                    ahead = there[-1] if rng.random() < 0.5 else there[int(rng.random() * len(there))]
                    game.follow, game.following, game.most = ahead.way(far), True, most + SLACK
                    game.skip = SKIPPED[int(rng.random() * len(SKIPPED))] if entry.used > 1 else 0.0
                self._play(game)

    # ------------------------------------------------------------ one game

    def _play(self, game: _Game) -> None:
        """Play on until it is nearer, or as long as it is of use if it follows another game."""
        self.tried += 1
        position = game.entry.position
        try:
            for _ in range(LONGEST):
                self.played += 1
                entry = game.entry
                after = self._step(game, position)
                if after is None or after[1] is None:
                    return
                position = after
                far = self.aim.distance(position[0])
                if far < entry.far:
                    game.entry = Entry(entry, tuple(game.plies), position, far, game.choices, game.own)
                    game.plies = []
                    self._keep(game.entry)
                    if not game.following:
                        return
                    game.most = SLACK + min(
                        (cell[0].choices for nearer, cell in self.cells.items() if nearer < far), default=self.most
                    )
        except Broken as broken:
            if broken.kind == self.kind and game.choices < self.most:
                self.most = game.choices
                self.best = Entry(game.entry, tuple(game.plies), game.entry.position, (0, -1), game.choices)

    def _step(self, game: _Game, position: Position) -> Position | None:
        """The next position; None where the game is given up.

        Raises:
            Broken: a law is broken.
        """
        drawn = self.module.KIND[position[1][0]] == DRAW
        with self.laws.faults():
            ply = self._outcome(game, position) if drawn else self._answer(game, position)
        if ply is None:
            return None
        game.plies.append(ply)
        game.choices += ply[0] == CHOICE
        return self.laws.step(position, ply, runtime.Trace())

    def _outcome(self, game: _Game, position: Position) -> Ply:
        """What is drawn: what was drawn in the game that it follows, if it can be, else whatever comes."""
        outcomes = self.module.outcomes(*position)
        if not outcomes:
            self.laws.options(position)
        if game.follow and game.follow[-1][0] == DRAW:
            ply = game.follow.pop()
            if any(ply[1] == value for value, _ in outcomes):
                return ply
        rng = self.rng
        return DRAW, game.own.draw(outcomes, rng) if game.own is not None else outcomes[int(rng.random() * len(outcomes))][0]

    def _answer(self, game: _Game, position: Position) -> Ply | None:
        """The next answer of the game that it follows which is possible, or any; None where it takes too many."""
        if game.choices >= min(game.most, self.most - 1):
            return None
        while game.follow:
            ply = game.follow.pop()
            skipped = game.skip and self.rng.random() < game.skip
            if ply[0] == CHOICE and not skipped and self.module.allows(*position, ply[1]):
                return ply
        moves = self.module.legal(*position)
        if not moves:
            if position[1][0] not in self.module.MAY_PASS:
                self.laws.options(position)
            return CHOICE, PASS
        return CHOICE, game.own.choose(moves, self.rng) if game.own is not None else moves[int(self.rng.random() * len(moves))]
