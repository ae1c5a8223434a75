"""Exploring a game exhaustively: every position that can be reached, shortest ways first.

Breadth first, from the start, over all answers and all outcomes of draws, whatever their weights. Positions are told apart
by a 128-bit digest of the state and of where the flow stands, so that one that was met before is not gone through again.
Every law is judged at every ply, as in fuzzing. When everything has been gone through, what holds is proved for this choice
of parameters and players; a law that is broken is broken by as few plies as can be.
"""

from __future__ import annotations

import marshal
import time
from collections import Counter
from collections.abc import Callable, Generator, Mapping
from hashlib import blake2b
from typing import Any

from attrs import define, field, frozen

from playtest.fuzz import Failure, failure
from playtest.laws import Broken, Laws
from playtest.plies import CHOICE, Loaded, Ply, Position, State
from playtest.position_graph import PositionGraph
from playtest.steps import finished
from rulesdsl import runtime

MAX_POSITIONS = 1_000_000
REPORT_EVERY = 2_000


@frozen
class Plan:
    """What to explore: at most so many positions and so many plies deep (None: all), until a state for which `until` holds."""

    positions: int = MAX_POSITIONS
    depth: int | None = None
    until: Callable[[State], bool] | None = None


@frozen
class Progress:
    """How far an exploration has come."""

    positions: int
    transitions: int
    depth: int
    seconds: float


@frozen
class Explored:
    """What an exploration showed.

    `positions`: different positions found, the first one and the ends of games included; `transitions`: plies between them;
    `depth`: plies from the start to the farthest position; `layers`: positions by their distance from the start.
    `whole`: everything that can be reached was reached, so that what was judged is proved. If it is not, all games of up to
    `certain` plies were, and `stopped` is why: "positions", "depth", "until" or "failure".
    `ends`: positions at which the game is over, by winners (all seats: a tie). `longest`: answers of the longest game, None if
    there is none, because a position can come again (`endless`), or because not everything was reached. `without_end`: how many
    positions there are from which no game can come to an end, and `trap`, the shortest way to one of them.
    `found`: the shortest way to a state for which `until` holds, as plies. `failure`: a broken law and the shortest way there.
    """

    positions: int
    transitions: int
    depth: int
    layers: tuple[int, ...]
    certain: int
    stopped: str
    ends: Mapping[tuple[str, ...], int]
    longest: int | None
    endless: bool
    trap: tuple[Ply, ...] | None
    without_end: int
    found: tuple[Ply, ...] | None
    failure: Failure | None
    seconds: float = field(default=0.0, eq=False)

    @property
    def whole(self) -> bool:
        return not self.stopped


def exploring(loaded: Loaded, plan: Plan) -> Generator[Progress, None, Explored]:
    """Explore as planned; says how far it is now and then."""
    walk = _Walk(loaded, plan)
    try:
        yield from walk.run()
        if not walk.stopped:
            walk.ends_and_lengths()
    except Broken as broken:
        walk.stopped = "failure"
        walk.failure = failure(broken, walk.way)
    return walk.result()


def explore(loaded: Loaded, **plan: Any) -> Explored:
    """Explore a game; the parts of a `Plan` by name."""
    return finished(exploring(loaded, Plan(**plan)))


def digest_of(position: Position) -> bytes:
    """What tells positions apart: equal ones have equal digests, on every machine."""
    return blake2b(marshal.dumps(position, 2), digest_size=16).digest()


@define
class _Walk:
    """An exploration on its way. `known`: the numbers of positions by their digests."""

    loaded: Loaded
    plan: Plan
    laws: Laws = field(init=False)
    graph: PositionGraph = field(factory=PositionGraph)
    known: dict[bytes, int] = field(factory=dict)
    layers: list[int] = field(factory=list)
    ends: Counter[int] = field(factory=Counter)
    way: list[Ply] = field(factory=list)
    stopped: str = ""
    failure: Failure | None = None
    found: tuple[Ply, ...] | None = None
    longest: int | None = None
    endless: bool = False
    trap: tuple[Ply, ...] | None = None
    without_end: int = 0
    certain: int = 0
    began: float = field(factory=time.perf_counter)

    def __attrs_post_init__(self) -> None:
        self.laws = Laws(self.loaded)

    # ------------------------------------------------------------ breadth first

    def run(self) -> Generator[Progress, None, None]:
        """Layer by layer, until everything is known or a bound is met."""
        start = self.laws.start(runtime.Trace())
        self.known[digest_of(start)] = 0
        layer = [start]
        number = 0
        if self._is_wanted(start, 0):
            return
        while layer:
            self.layers.append(len(layer))
            if self.plan.depth is not None and len(self.layers) > self.plan.depth:
                self.stopped = "" if all(frame is None for _, frame in layer) else "depth"
                if self.stopped:
                    return
            following: list[Position] = []
            for position in layer:
                self._expand(position, number, following)
                if self.stopped:
                    self.layers += [len(following)] if following else []
                    return
                number += 1
                if number % REPORT_EVERY == 0:
                    yield self.progress()
            self.certain = len(self.layers)
            layer = following
        self.certain = max(0, len(self.layers) - 1)

    def progress(self) -> Progress:
        seconds = time.perf_counter() - self.began
        return Progress(len(self.known), len(self.graph.after), len(self.layers), seconds)

    def _expand(self, position: Position, number: int, following: list[Position]) -> None:
        """Everything that one ply leads to."""
        if position[1] is None:
            self.ends[position[0][-1][0]] += 1
            self.graph.expanded(False)
            return
        try:
            options = self.laws.options(position)
        except Broken:
            self.way = self.way_to(number)
            raise
        for place, ply in enumerate(options):
            try:
                result = self.laws.step(position, ply, runtime.Trace())
            except Broken:
                self.way = [*self.way_to(number), ply]
                raise
            key = digest_of(result)
            there = self.known.get(key)
            if there is None:
                if len(self.known) >= self.plan.positions:
                    self.stopped = "positions"
                    return
                there = self.known[key] = len(self.known)
                self.graph.found(number, place)
                following.append(result)
                if self._is_wanted(result, there):
                    return
            self.graph.after.append(there)
        self.graph.expanded(options[0][0] == CHOICE)

    def _is_wanted(self, position: Position, number: int) -> bool:
        if self.plan.until is None:
            return False
        with self.laws.faults():
            if not self.plan.until(position[0]):
                return False
        self.found, self.stopped = tuple(self.way_to(number)), "until"
        return True

    def way_to(self, number: int) -> list[Ply]:
        """The plies of the shortest way to a position."""
        return self._plies(self.graph.way_to(number))

    def _plies(self, places: list[int]) -> list[Ply]:
        """The plies that are these options, one after the other."""
        made: list[Ply] = []
        position = self.laws.start(runtime.Trace())
        for place in places:
            ply = self.laws.options(position)[place]
            made.append(ply)
            position = self.laws.step(position, ply, runtime.Trace())
        return made

    # ------------------------------------------------------------ what all of it tells

    def ends_and_lengths(self) -> None:
        """Whether each game can come to an end; the longest game, or that a position can come again.

        Raises:
            Broken: a game can take more choices than the rules say.
        """
        lost = self.graph.endless()
        self.without_end = sum(lost)
        if self.without_end:
            self.trap = tuple(self.way_to(lost.index(1)))
        most = self.graph.most_choices()
        if most is None:
            self.endless = True
        else:
            self.longest = most[0]
        limit = self.laws.limit
        if limit is None or (self.longest is not None and self.longest <= limit):
            return
        places = self.graph.long_way(most, limit)
        if places is not None:
            self.way = self._plies(places)
            position = self.laws.start(runtime.Trace())
            for ply in self.way:
                position = self.laws.step(position, ply, runtime.Trace())
            raise self.laws.endless(position[0], limit)

    def result(self) -> Explored:
        names = self.loaded.program.player.members
        ends = {
            tuple(name for seat, name in enumerate(names) if mask >> seat & 1): count
            for mask, count in sorted(self.ends.items())
        }
        return Explored(
            positions=len(self.known),
            transitions=len(self.graph.after),
            depth=max(0, len(self.layers) - 1),
            layers=tuple(self.layers),
            certain=self.certain,
            stopped=self.stopped,
            ends=ends,
            longest=self.longest,
            endless=self.endless,
            trap=self.trap,
            without_end=self.without_end,
            found=self.found,
            failure=self.failure,
            seconds=time.perf_counter() - self.began,
        )
