"""Random games with every law checked: whether a game holds together, found out by playing it many thousand times.

The loop runs on the generated module itself, on positions in their internal form; names, logs and matches come in only
for a share of the games (`playtest.recheck`) and when something is broken. Each game has a random sequence of its own,
made from the seed and the game's number, so a result depends on the seed alone.
"""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Callable, Generator, Hashable, Mapping, Sequence
from typing import Any

from attrs import evolve, field, frozen

from playtest import recheck
from playtest.laws import Broken, Laws
from playtest.logs import LogLaw
from playtest.plies import CHOICE, DRAW, Loaded, Ply, Position, State
from rulesdsl import runtime

MAX_CHOICES = 5_000
MAX_DRAWS = 50_000
RECHECKED = 1 / 100
REPORT_SECONDS = 0.1


@frozen
class Failure:
    """A broken law, and the game that breaks it.

    `law` is one of `playtest.laws.LAWS` or `THOROUGH_LAWS`; `clause` the sentence of the invariant, or where and
    how the rules failed; `number` its place among the program's invariants or transitions. `plies` are the answers and drawn
    outcomes up to the break; `event` is the number of the breaking event after the last of them. `before` and `after` are
    the states around it. `thorough`: found by rechecking a whole game. `game` is the number of the fuzzed game.
    """

    law: str
    clause: str
    detail: str
    plies: tuple[Ply, ...]
    number: int | None = None
    event: int | None = None
    before: State | None = None
    after: State | None = None
    place: tuple[str, int, int] | None = None
    thorough: bool = False
    game: int = 0

    @property
    def kind(self) -> tuple[str, str]:
        """Failures of the same kind are the same bug."""
        return self.law, self.clause

    @property
    def choices(self) -> int:
        """How many of the plies are players' answers."""
        return sum(kind == CHOICE for kind, _ in self.plies)


def failure(broken: Broken, plies: Sequence[Ply], *, thorough: bool = False, game: int = 0) -> Failure:
    """A broken law together with the plies that lead to it."""
    return Failure(
        law=broken.law,
        clause=broken.clause,
        detail=broken.detail,
        plies=tuple(plies),
        number=broken.number,
        event=broken.event,
        before=broken.before,
        after=broken.after,
        place=broken.place,
        thorough=thorough,
        game=game,
    )


@frozen
class Played:
    """One random game. `end` is its last state, None where it was cut short or broken."""

    plies: tuple[Ply, ...]
    choices: int
    end: State | None
    rechecked: bool = False
    failure: Failure | None = None


@frozen
class Progress:
    """How far a run of games has come."""

    games: int
    of: int | None
    choices: int
    seconds: float
    broken: bool = False

    @property
    def rate(self) -> float:
        """Answers a second."""
        return self.choices / self.seconds if self.seconds else 0.0


@frozen
class Result:
    """What a run of games showed. Equal for equal seeds and games, apart from `seconds`.

    `ends`: games by winners, as a tuple of seat names (all seats: a tie). `lengths`: games by number of answers. `cut`:
    games that were given up after `MAX_CHOICES` answers. `rechecked`: games that were checked thoroughly. `observed`: games
    by what the caller's `observe` said of their last state.
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
    seconds: float = field(default=0.0, eq=False)

    @property
    def answers(self) -> int:
        """Players' answers in all games."""
        return self.choices

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
        games = sum(self.lengths.values())
        return sum(length * count for length, count in self.lengths.items()) / games if games else 0.0


def game_random(seed: int, game: int) -> random.Random:
    """The random sequence of one game, the same on every machine."""
    return random.Random((seed & 0xFFFFFFFFFFFFFFFF) << 64 | game)


def random_game(laws: Laws, rng: random.Random, *, max_choices: int = MAX_CHOICES, game: int = 0) -> Played:
    """Play one game from the start with uniformly random answers and fair draws, and judge every ply."""
    plies: list[Ply] = []
    try:
        with laws.faults():
            position = laws.start(runtime.Trace())
            made, end = _play_on(laws, rng, position, plies, max_choices)
    except Broken as broken:
        made = sum(kind == CHOICE for kind, _ in plies)
        return Played(tuple(plies), made, None, failure=failure(broken, plies, game=game))
    return Played(tuple(plies), made, end)


def _play_on(
    laws: Laws, rng: random.Random, position: Position, plies: list[Ply], max_choices: int
) -> tuple[int, State | None]:
    """The hot loop: answers until the game is over. Gives the number of answers and the last state (None: cut short)."""
    module = laws.module
    kind, legal, answer, judge, pick = module.KIND, module.legal, module.answer, laws.judge, rng.random
    trace_of = runtime.Trace
    note = plies.append
    limit = max_choices if laws.limit is None else min(laws.limit, max_choices)
    state, frame = position
    made = drawn = 0
    while frame is not None:
        trace = trace_of()
        if kind[frame[0]] == DRAW:
            drawn += 1
            if drawn > MAX_DRAWS:
                return made, None
            outcomes = module.outcomes(state, frame)
            if not outcomes:
                raise laws.nothing_to_draw(state, frame)
            value = draw(outcomes, rng)
            note((DRAW, value))
            after, frame = module.drawn(state, frame, value, trace)
        else:
            if made >= limit:
                if laws.limit is not None and made >= laws.limit:
                    raise laws.endless(state, made)
                return made, None
            moves = legal(state, frame)
            if not moves:
                raise laws.dead_end(state, frame)
            move = moves[int(pick() * len(moves))]
            note((CHOICE, move))
            made += 1
            after, frame = answer(state, frame, move, trace)
        judge(state, trace, after)
        state = after
    return made, state


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


@frozen
class Plan:
    """How to fuzz: how many games (None: until `seconds` are over), from which seed, how many of them thoroughly.

    `observe` is given the last state of every finished game, and what it says is counted. `logs`: thorough checks also play
    the game through a match and its log (by this law, or by one made for the program).
    """

    games: int | None = 1_000
    seed: int = 0
    seconds: float | None = None
    rechecked: float = RECHECKED
    max_choices: int = MAX_CHOICES
    observe: Callable[[State], Hashable] | None = None
    logs: LogLaw | bool = True


def fuzzing(loaded: Loaded, plan: Plan) -> Generator[Progress, None, Result]:
    """Play random games as planned, until a law is broken; says how far it is every tenth of a second."""
    laws = Laws(loaded)
    logs = LogLaw(loaded) if plan.logs is True else plan.logs or None
    tally = _Tally(loaded, plan)
    began = reported = time.perf_counter()
    while tally.failure is None and (plan.games is None or tally.games < plan.games):
        tally.add(_one(laws, plan, tally.games, logs))
        now = time.perf_counter()
        if now - reported >= REPORT_SECONDS:
            reported = now
            yield Progress(tally.games, plan.games, tally.choices, now - began)
        if plan.seconds is not None and now - began >= plan.seconds:
            break
    seconds = time.perf_counter() - began
    yield Progress(tally.games, plan.games, tally.choices, seconds, tally.failure is not None)
    return tally.result(seconds)


def fuzz(loaded: Loaded, games: int = 1_000, seed: int = 0, **more: Any) -> Result:
    """Play random games and check every law; `more` are further parts of a `Plan`."""
    run = fuzzing(loaded, Plan(games=games, seed=seed, **more))
    while True:
        try:
            next(run)
        except StopIteration as stop:
            result: Result = stop.value
            return result


def _one(laws: Laws, plan: Plan, game: int, logs: LogLaw | None) -> Played:
    """The game with this number; a share of them is checked thoroughly when it is over."""
    rng = game_random(plan.seed, game)
    thorough = rng.random() < plan.rechecked
    played = random_game(laws, rng, max_choices=plan.max_choices, game=game)
    if not thorough or played.failure is not None:
        return played
    broken = recheck.recheck(laws, played.plies, rng, logs)
    if broken is None:
        return evolve(played, rechecked=True)
    ply, why = broken
    return evolve(played, failure=failure(why, played.plies[:ply], thorough=True, game=game), rechecked=True)


class _Tally:
    """Counts games as they are played."""

    def __init__(self, loaded: Loaded, plan: Plan) -> None:
        self.names = loaded.program.player.members
        self.plan = plan
        self.games = self.choices = self.draws = self.rechecked = self.cut = 0
        self.ends: Counter[int] = Counter()
        self.lengths: Counter[int] = Counter()
        self.observed: Counter[Hashable] = Counter()
        self.failure: Failure | None = None

    def add(self, played: Played) -> None:
        self.games += 1
        self.choices += played.choices
        self.draws += len(played.plies) - played.choices
        self.rechecked += played.rechecked
        self.failure = played.failure
        if played.failure is not None:
            return
        if played.end is None:
            self.cut += 1
            return
        self.ends[played.end[-1][0]] += 1
        self.lengths[played.choices] += 1
        if self.plan.observe is not None:
            self.observed[self.plan.observe(played.end)] += 1

    def result(self, seconds: float) -> Result:
        ends = {
            tuple(name for seat, name in enumerate(self.names) if mask >> seat & 1): count
            for mask, count in sorted(self.ends.items())
        }
        return Result(
            games=self.games,
            choices=self.choices,
            draws=self.draws,
            rechecked=self.rechecked,
            cut=self.cut,
            ends=ends,
            lengths=dict(sorted(self.lengths.items())),
            observed=dict(self.observed),
            seed=self.plan.seed,
            failure=self.failure,
            seconds=seconds,
        )
