"""Random games with every law checked: whether a game holds together, found out by playing it many thousand times.

    result = fuzz(load("games/atlanteon.rules"), games=1_000)
    result.failure          # None, or the game that breaks a law

Games differ in their habits, and half of them start where something was seen first (`playtest.swarm`, `playtest.archive`).
Each game has a random sequence of its own, made from the seed and the game's number, so a result depends on the seed alone,
and not on the number of processes.
"""

from __future__ import annotations

import time
from collections.abc import Generator, Hashable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from attrs import evolve, field, frozen

from playtest import corpus
from playtest.archive import Archive
from playtest.chunks import RECHECKED, Chunk, Plan, Player, Task, tasks
from playtest.failure import Failure, failure
from playtest.plies import Loaded
from playtest.pool import News, Pool, pool
from playtest.rollout import MAX_CHOICES, Arena, Played, game_random, random_game
from playtest.steps import finished
from playtest.swarm import draw
from rulesdsl.core import Call, Expr, Program
from rulesdsl.lowering.optimise import every_expression, optimise
from rulesdsl.lowering.walk import everything, exprs_of, statements
from rulesdsl.points import Point

REPORT_SECONDS = 0.1


@frozen
class Progress:
    """How far a run of games has come. `points`: how many points of the rules were come to, of how many (0: not counted)."""

    games: int
    of: int | None
    choices: int
    seconds: float
    broken: bool = False
    points: tuple[int, int] = (0, 0)

    @property
    def rate(self) -> float:
        """Answers a second."""
        return self.choices / self.seconds if self.seconds else 0.0


@frozen
class Result:
    """What a run of games showed. Equal for equal seeds and games, apart from `seconds`.

    `ends`: games by winners, as a tuple of seat names (all seats: a tie). `lengths`: games that ended, by number of answers.
    `cut`: games that were given up after `max_choices` answers. `bursts`: games that started from the archive and were left
    before their end. `rechecked`: games that were checked thoroughly. `observed`: games by what the caller's `observe` said of
    their last state. `unreached`: points of the rules that no counted game came to; `times`: how often counted games came to each
    (both empty without the archive). `corpus`: games of the corpus that were replayed first.
    """

    games: int
    choices: int
    draws: int
    rechecked: int
    cut: int
    ends: Mapping[tuple[str, ...], int]
    lengths: Mapping[int, int]
    observed: Mapping[Hashable, int]
    seed: int
    failure: Failure | None = None
    bursts: int = 0
    unreached: tuple[Point, ...] = ()
    times: Mapping[Point, int] = field(factory=dict)
    points: int = 0
    corpus: int = 0
    seconds: float = field(default=0.0, eq=False)

    @property
    def answers(self) -> int:
        """Players' answers in all games."""
        return self.choices

    @property
    def ended(self) -> int:
        """How many games came to their end."""
        return sum(self.lengths.values())

    @property
    def rate(self) -> float:
        """Answers a second."""
        return self.choices / self.seconds if self.seconds else 0.0

    @property
    def shortest(self) -> int:
        return min(self.lengths, default=0)

    @property
    def longest(self) -> int:
        return max(self.lengths, default=0)

    @property
    def mean_length(self) -> float:
        return sum(length * count for length, count in self.lengths.items()) / self.ended if self.ended else 0.0


def fuzzing(loaded: Loaded, plan: Plan) -> Generator[Progress, None, Result]:
    """Play random games as planned, until a law is broken; says how far it is every tenth of a second.

    Raises:
        ValueError: the plan has several jobs and `observe`, or the program has no text from which others can make it.
        OSError: the corpus cannot be read or written.
    """
    if plan.jobs > 1 and (plan.observe is not None or getattr(loaded, "source", None) is None):
        raise ValueError("`observe`, and a program without its text, need `jobs=1`")
    run = _Run(loaded, plan)
    return (yield from run.all())


def fuzz(loaded: Loaded, games: int | None = 1_000, seed: int = 0, **more: Any) -> Result:
    """Play random games and check every law; `more` are further parts of a `Plan`."""
    return played(loaded, Plan(games=games, seed=seed, **more))


def played(loaded: Loaded, plan: Plan) -> Result:
    """Play random games as planned; nobody is told how far it is."""
    return finished(fuzzing(loaded, plan))


class _Run:
    """One run: the corpus, then round after round."""

    def __init__(self, loaded: Loaded, plan: Plan) -> None:
        self.loaded = loaded
        self.plan = plan
        self.arena = Arena(loaded, plan.archive)
        self.began = self.reported = time.monotonic()
        self.until = None if plan.seconds is None else self.began + plan.seconds
        self.player = Player(self.arena, plan)
        self.archive = Archive()
        self.total = Chunk()
        self.replayed = 0

    def all(self) -> Generator[Progress, None, Result]:
        """The whole run. What is found is kept in the corpus also when the run is stopped in the middle."""
        kept = corpus.Corpus(self.plan.corpus, self.loaded) if self.plan.corpus is not None else None
        if kept is not None:
            for chunk in kept.replayed(self.arena, self.archive):
                self.replayed += 1
                self.total.failure = chunk.failure
                if self._due():
                    yield self.progress()
        try:
            with self._pool() as workers:
                for chunks in tasks(self.plan.games, self.until):
                    if self.total.failure is not None or self._over():
                        break
                    yield from self._round(chunks, workers)
        finally:
            if kept is not None:
                kept.keep(self.archive.entries, self.total.failure)
        yield self.progress()
        return self.result()

    @contextmanager
    def _pool(self) -> Iterator[Pool | None]:
        if self.plan.jobs == 1:
            yield None
            return
        program = self.loaded.program
        params = {name: value for name, _, value in program.parameters}
        with pool(self.loaded.source, params, len(program.player.members), self.plan) as made:
            made.tell(News(tuple(self.archive.entries), frozenset(self.archive.known)))
            yield made

    def _round(self, chunks: list[Task], workers: Pool | None) -> Generator[Progress, None, None]:
        """Play the chunks of a round, and merge what they found in their order."""
        done: dict[int, Chunk] = {}
        if workers is None:
            for number, task in enumerate(chunks):
                done[number] = yield from self._watched(self.player.chunk(task, self.archive), done)
                if done[number].failure is not None or self._over():
                    break
        else:
            for number, chunk in workers.play(chunks):
                done[number] = chunk
                yield self.progress(done)
        news = News()
        for number in sorted(done):
            chunk = done[number]
            self.total.merge(chunk)
            added = News(tuple(entry for entry in chunk.entries if self.archive.add(entry)), chunk.known)
            added.tell(self.archive)
            news = News((*news.entries, *added.entries), news.known | added.known)
            if chunk.failure is not None:
                break
        if workers is not None:
            workers.tell(news)

    def _watched(
        self, steps: Generator[Chunk, None, Chunk], done: Mapping[int, Chunk]
    ) -> Generator[Progress, None, Chunk]:
        """A chunk that is played here, with progress now and then."""
        while True:
            try:
                chunk = next(steps)
            except StopIteration as stop:
                return stop.value  # type: ignore[no-any-return]
            if self._due():
                yield self.progress({**done, -1: chunk})

    def _due(self) -> bool:
        now = time.monotonic()
        if now - self.reported < REPORT_SECONDS:
            return False
        self.reported = now
        return True

    def _over(self) -> bool:
        return self.until is not None and time.monotonic() >= self.until

    def progress(self, chunks: Mapping[int, Chunk] | None = None) -> Progress:
        """How far the run is, with chunks that are not merged yet."""
        more = list((chunks or {}).values())
        return Progress(
            self.total.games + sum(chunk.games for chunk in more),
            self.plan.games,
            self.total.choices + sum(chunk.choices for chunk in more),
            time.monotonic() - self.began,
            self.total.failure is not None or any(chunk.failure is not None for chunk in more),
            (self._points_reached(), len(self.arena.points)),
        )

    def _points_reached(self) -> int:
        return sum(key[0] == "point" for key in self.archive.known)

    def _unreached(self) -> tuple[Point, ...]:
        needed = called(self.loaded.program)
        return tuple(
            point
            for number, point in enumerate(self.arena.points)
            if ("point", number) not in self.archive.known
            and (not point.clause.startswith("def ") or point.clause.removeprefix("def ") in needed)
        )

    def result(self) -> Result:
        """What the run showed."""
        names = self.loaded.program.player.members
        total = self.total
        return Result(
            games=total.games,
            choices=total.choices,
            draws=total.draws,
            rechecked=total.rechecked,
            cut=total.cut,
            ends={_seats(mask, names): count for mask, count in sorted(total.ends.items())},
            lengths=dict(sorted(total.lengths.items())),
            observed=dict(total.observed),
            seed=self.plan.seed,
            failure=total.failure,
            bursts=total.bursts,
            unreached=self._unreached(),
            times=dict(zip(self.arena.points, total.times or [0] * len(self.arena.points), strict=True)),
            points=len(self.arena.points),
            corpus=self.replayed,
            seconds=time.monotonic() - self.began,
        )


def called(program: Program) -> frozenset[str]:
    """The defs that play needs: not those that only scenarios and sentences call, or whose value parameters decide."""
    program = optimise(program, instrumented=True)
    calls = {info.name: _calls(expr for stmt in statements(info.body) for expr in exprs_of(stmt)) for info in program.defs}
    found: set[str] = set()
    pending = _calls(every_expression(evolve(program, defs=())))
    while pending:
        name = pending.pop()
        if name not in found:
            found.add(name)
            pending |= calls[name]
    return frozenset(found)


def _calls(exprs: Iterable[Expr]) -> set[str]:
    return {part.name for expr in exprs for part in everything(expr) if isinstance(part, Call)}


def _seats(mask: int, names: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(name for seat, name in enumerate(names) if mask >> seat & 1)


__all__ = [
    "MAX_CHOICES", "RECHECKED", "Failure", "Plan", "Played", "Progress", "Result", "draw", "evolve", "failure", "fuzz", "fuzzing",
    "game_random", "random_game",
]  # fmt: skip
