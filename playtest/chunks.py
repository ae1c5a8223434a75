"""Fuzzing in chunks: games that are played one after the other, from the same archive, wherever that is done.

A run is made of rounds, a round of chunks, a chunk of games with known numbers. All chunks of a round start from the same
archive; what they found is merged in their order when all of them are done. So the result does not depend on how many
processes there are, or on which of them is quicker.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Generator, Hashable
from itertools import zip_longest
from pathlib import Path
from typing import Any

from attrs import define, evolve, field, frozen

from playtest import recheck
from playtest.archive import Archive, Entry, Key, Watch
from playtest.failure import Failure, failure
from playtest.logs import LogLaw
from playtest.plies import State
from playtest.rollout import MAX_CHOICES, Arena, Played, game_random
from playtest.swarm import habit

RECHECKED = 1 / 200
ROUND = 8
LARGEST_CHUNK = 32
FROM_ARCHIVE = 1 / 2
BURST = 250
COUNTED = 1 / 8
COUNTED_FIRST = 16


def _useful(jobs: int) -> int:
    """As many processes as can have a chunk of a round each."""
    return min(jobs, ROUND)


@frozen
class Plan:
    """How to fuzz: how many games (None: until `seconds` are over), from which seed, how many of them thoroughly.

    `swarm`: each game has habits of its own (`playtest.swarm`); `archive`: half of the games start where something was seen
    first (`playtest.archive`). Without both, all games are uniformly random. `counted`: the share of the games in which points
    of the rules are counted, for the archive; the first few are counted in any case. `max_choices`: games are given up after
    so many answers. `jobs`: processes, no more than a round has chunks. `corpus`: a folder of logs, replayed first, in which
    what was new is kept. `observe` is given the last state of every finished game, and what it says is counted (with one job
    only). `logs`: thorough checks also play the game through a match and its log (by this law, or by one made for the
    program).
    """

    games: int | None = 1_000
    seed: int = 0
    seconds: float | None = None
    rechecked: float = RECHECKED
    max_choices: int = MAX_CHOICES
    observe: Callable[[State], Hashable] | None = None
    logs: LogLaw | bool = True
    swarm: bool = True
    archive: bool = True
    counted: float = COUNTED
    jobs: int = field(default=1, converter=_useful)
    corpus: Path | None = None


@frozen
class Task:
    """A chunk to be played: its games, and when to stop at the latest (on the clock `time.monotonic`)."""

    first: int
    games: int
    until: float | None = None


@define
class Chunk:
    """What games showed. `bursts`: those that started from the archive and were left before their end. `entries` and `known`:
    what they add to the archive; `times`: how often those that were counted came to each point."""

    games: int = 0
    choices: int = 0
    draws: int = 0
    rechecked: int = 0
    cut: int = 0
    bursts: int = 0
    ends: Counter[int] = field(factory=Counter)
    lengths: Counter[int] = field(factory=Counter)
    observed: Counter[Hashable] = field(factory=Counter)
    entries: tuple[Entry, ...] = ()
    known: frozenset[Key] = frozenset()
    times: tuple[int, ...] = ()
    failure: Failure | None = None

    def count(self, played: Played, start: Entry | None, observe: Callable[[State], Hashable] | None) -> None:
        """Count one more game."""
        before = 0 if start is None else len(start.plies)
        self.games += 1
        self.choices += played.choices
        self.draws += len(played.plies) - before - played.choices
        self.rechecked += played.rechecked
        self.failure = played.failure
        if played.failure is not None:
            return
        if played.end is None:
            self.cut += played.cut
            self.bursts += not played.cut
            return
        self.ends[played.end[-1][0]] += 1
        self.lengths[played.choices + (0 if start is None else start.choices)] += 1
        if observe is not None:
            self.observed[observe(played.end)] += 1

    def merge(self, other: Chunk) -> None:
        """Count the games of another chunk, which come after those of this one."""
        for name in ("games", "choices", "draws", "rechecked", "cut", "bursts", "ends", "lengths", "observed"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.times = tuple(map(sum, zip_longest(self.times, other.times, fillvalue=0)))
        self.failure = self.failure or other.failure


def tasks(games: int | None, until: float | None) -> Generator[list[Task], None, None]:
    """The chunks of each round: short ones at first, so that the archive fills soon."""
    first, length = 0, 1
    while games is None or first < games:
        chunks = []
        for _ in range(ROUND):
            count = length if games is None else min(length, games - first)
            if count:
                chunks.append(Task(first, count, until))
                first += count
        yield chunks
        length = min(LARGEST_CHUNK, 2 * length)


class Player:
    """Plays chunks of one program."""

    def __init__(self, arena: Arena, plan: Plan) -> None:
        self.arena = arena
        self.plan = plan
        self.logs = LogLaw(arena.loaded) if plan.logs is True else plan.logs or None

    def chunk(self, task: Task, archive: Archive) -> Generator[Chunk, None, Chunk]:
        """Play a chunk from an archive, which stays as it is. Gives what there is so far after each game."""
        own = archive.copy()
        watch = self.arena.watch(own)
        total = Chunk()
        for game in range(task.first, task.first + task.games):
            self._game(game, total, own, watch)
            yield total
            if total.failure is not None or (task.until is not None and time.monotonic() >= task.until):
                break
        total.entries = tuple(watch.found) if watch is not None else ()
        total.known = frozenset(own.known - archive.known)
        total.times = watch.times() if watch is not None else ()
        return total

    def _game(self, game: int, total: Chunk, archive: Archive, watch: Watch | None) -> None:
        plan = self.plan
        rng = game_random(plan.seed, game)
        thorough = rng.random() < plan.rechecked or (game == 0 and plan.rechecked > 0)
        counted = game < COUNTED_FIRST or rng.random() < plan.counted
        start = None
        if game and archive.entries and rng.random() < FROM_ARCHIVE:
            start = archive.pick(rng)
        played = self.arena.play(
            rng,
            habit(rng, len(self.arena.laws.module.ACTIONS)) if plan.swarm else None,
            start=start,
            watch=watch,
            counted=counted,
            max_choices=plan.max_choices,
            burst=None if start is None else BURST,
            game=game,
        )
        if thorough and played.failure is None:
            played = self._recheck(played, rng, game)
        total.count(played, start, plan.observe)

    def _recheck(self, played: Played, rng: Any, game: int) -> Played:
        broken = recheck.recheck(self.arena.laws, played.plies, rng, self.logs)
        if broken is None:
            return evolve(played, rechecked=True)
        ply, why = broken
        return evolve(played, failure=failure(why, played.plies[:ply], thorough=True, game=game), rechecked=True)
