"""Many games between bots, and what they tell of a game: who wins and how, how long it takes, how open it is.

Each game has random sequences of its own, made from the seed, its number and the seat, so the result does not depend on how
many processes play. Where bots differ they move on by a seat after each game, so that each sits everywhere equally often.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from attrs import field, frozen

from interpreter.errors import MachineError
from interpreter.log import Log
from interpreter.rules import Rules
from playtest.bots import Bot, bot
from playtest.figures import CONFIDENCE, COUNT, MEAN, PART, SHARE, Comparison, Figure, compare, figure
from playtest.fuzz import draw
from playtest.jobs import in_order
from playtest.logs import record
from playtest.plies import CHOICE, DRAW, Ply, Position, State, play
from playtest.valuing import Valuation, credit
from rulesdsl import program, runtime
from rulesdsl.core import EventInfo
from rulesdsl.diagnostics import Source
from rulesdsl.types import EnumType

CHUNK = 10
MAX_ANSWERS = 20_000
GIVEN_UP = "given up"
"""The share of games that were given up after so many answers."""


@frozen
class Plan:
    """What to play: a specialised program, by its text, parameters and seats; how many games; who plays; the seed."""

    source: Source
    params: Mapping[str, Any]
    seats: int
    games: int
    bots: tuple[str, ...] = ("random",)
    seed: int = 0

    @classmethod
    def of(cls, rules: Rules, games: int, bots: Sequence[str] = ("random",), seed: int = 0) -> Plan:
        """A plan for rules that are at hand."""
        params = {name: value for name, _, value in rules.program.parameters}
        return cls(rules.source, params, len(rules.seats), games, tuple(bots), seed)


@frozen
class Played:
    """One game. `credits`: what each seat has of the win, None if the game was given up; `bots`: who sat where.

    `way`: how it ended; `answers`, `options`: how many answers there were, and the legal moves at all of them together, passes
    counted; `forced`: answers without a choice; `lead_changes`: how often another seat came to lead by the goals;
    `measures`: each measure for each seat at the end; `scores`: the scores, if the game has some.
    """

    bots: tuple[str, ...]
    credits: tuple[float, ...] | None
    way: str
    answers: int
    options: int
    forced: int
    lead_changes: int
    measures: tuple[tuple[int, ...], ...]
    scores: tuple[int, ...] | None

    @property
    def tie(self) -> bool:
        return self.credits is not None and sum(c > 0 for c in self.credits) != 1


@frozen
class Simulation:
    """Games that were played, and their figures. Equal for equal plans."""

    seats: tuple[str, ...]
    bots: tuple[str, ...]
    measures: tuple[str, ...]
    seed: int
    games: tuple[Played, ...]
    confidence: float = field(default=CONFIDENCE)

    @property
    def over(self) -> list[Played]:
        """The games that came to an end."""
        return [game for game in self.games if game.credits is not None]

    @property
    def ways(self) -> dict[str, int]:
        """How the games ended, the most frequent first."""
        counted = Counter(game.way for game in self.over)
        return dict(sorted(counted.items(), key=lambda item: (-item[1], item[0])))

    def columns(self) -> dict[str, tuple[str, list[float]]]:
        """The numbers of all games by the name of the figure, and of what kind it is; no figure without a number."""
        over = self.over
        found: dict[str, tuple[str, list[float]]] = {}
        for seat, name in enumerate(self.seats):
            found[f"won by {name}"] = SHARE, [game.credits[seat] for game in over if game.credits]
        if len(set(self.bots)) > 1:
            for name in dict.fromkeys(self.bots):
                found[f"won by the bot {name}"] = SHARE, [_credit_of(game, name) for game in over]
        found["ties"] = SHARE, [float(game.tie) for game in over]
        for way in self.ways:
            found[f"ended by {way}"] = SHARE, [float(game.way == way) for game in over]
        if len(over) < len(self.games):
            found[GIVEN_UP] = SHARE, [float(game.credits is None) for game in self.games]
        found["answers a game"] = COUNT, [float(game.answers) for game in over]
        found["options at a question"] = COUNT, [game.options / game.answers for game in over if game.answers]
        found["questions without a choice"] = PART, [game.forced / game.answers for game in over if game.answers]
        if self.measures:
            found["lead changes"] = COUNT, [float(game.lead_changes) for game in over]
        for place, name in enumerate(self.measures):
            for seat, who in enumerate(self.seats):
                found[f"{name} of {who}"] = MEAN, [float(game.measures[place][seat]) for game in over]
        for seat, who in enumerate(self.seats):
            scores = [float(game.scores[seat]) for game in over if game.scores is not None]
            found[f"score of {who}"] = MEAN, scores
        return {name: (kind, numbers) for name, (kind, numbers) in found.items() if numbers}

    def by_game(self) -> dict[str, dict[int, float]]:
        """The numbers by the name of the figure and the number of the game, for figures that all games played out have."""
        over = [number for number, game in enumerate(self.games) if game.credits is not None]
        found = {name: numbers for name, (_, numbers) in self.columns().items() if len(numbers) == len(over)}
        return {name: dict(zip(over, numbers, strict=True)) for name, numbers in found.items()}

    def figures(self) -> list[Figure]:
        """Every figure with its interval."""
        return [figure(kind, name, numbers, self.confidence) for name, (kind, numbers) in self.columns().items()]


def _credit_of(game: Played, name: str) -> float:
    """What all seats of a bot have of the win."""
    assert game.credits is not None
    return sum(c for c, who in zip(game.credits, game.bots, strict=True) if who == name)


def comparisons(base: Simulation, variant: Simulation, confidence: float = CONFIDENCE) -> list[Comparison]:
    """Each figure that both have, and how games ended, or did not, in one of them only."""
    one, other = base.columns(), variant.columns()
    found = []
    ways = [name for name in dict.fromkeys([*one, *other]) if name.startswith("ended by ") or name == GIVEN_UP]
    others = [name for name in one if name in other and name not in ways]
    first_ones = [name for name in others if name == "ties" or name.startswith("won by ")]
    for name in [*first_ones, *ways, *(name for name in others if name not in first_ones)]:
        known = one.get(name) or other.get(name)
        assert known is not None
        first, second = (
            side[name][1] if name in side else [0.0] * len(played.games if name == GIVEN_UP else played.over)
            for side, played in ((one, base), (other, variant))
        )
        both = [figure(known[0], name, numbers, confidence) for numbers in (first, second)]
        found.append(compare(both[0], both[1], first, second, confidence))
    return found


# ---------------------------------------------------------------- playing


def simulating(plan: Plan, jobs: int = 1) -> Iterator[list[Played]]:
    """The games of a plan in order, some at a time.

    Raises:
        ValueError: there is no such bot.
        ValueProblem: the game has no such measure.
        RulesError: the rules fail in a game; with its log. A `MachineError` is raised where they fail while a bot thinks ahead.
    """
    for name in plan.bots:
        bot(name)
    firsts = range(0, plan.games, CHUNK)
    pieces = [(plan, first, min(CHUNK, plan.games - first)) for first in firsts]
    return _explained(plan, in_order(_chunk, pieces, jobs))


class _Failed(Exception):
    """The rules failed in a game: its plies, and what was wrong. It can be sent between processes."""

    def __init__(self, plies: Sequence[Ply], what: str) -> None:
        super().__init__(plies, what)
        self.plies, self.what = plies, what


def _explained(plan: Plan, chunks: Iterator[list[Played]]) -> Iterator[list[Played]]:
    """The games, and the error with its log where the rules fail."""
    try:
        yield from chunks
    except _Failed as failed:
        error = record(_rules(plan), failed.plies).error
        if error is not None:
            raise error from None
        what = f"the rules fail while a bot thinks ahead: {failed.what}; `rulesdsl fuzz` shows a game"
        raise MachineError(what) from None


def simulate(plan: Plan, jobs: int = 1, confidence: float = CONFIDENCE) -> Simulation:
    """Play all games of a plan."""
    return result_of(plan, [game for games in simulating(plan, jobs) for game in games], confidence)


def result_of(plan: Plan, games: Sequence[Played], confidence: float = CONFIDENCE) -> Simulation:
    """The simulation that the games of a plan make."""
    rules = _rules(plan)
    names = _measures(rules)
    return Simulation(rules.seats, plan.bots, names, plan.seed, tuple(games), confidence)


def _measures(rules: Rules) -> tuple[str, ...]:
    """All measures, also those by which no bot goes."""
    return tuple(rules.module.MEASURES)


_RULES: dict[str, Rules] = {}


def _rules(plan: Plan) -> Rules:
    """The rules of a plan; each process makes them once."""
    loaded = program.load_source(plan.source, plan.params, plan.seats)
    key = str(loaded.module.__name__)
    if key not in _RULES:
        _RULES[key] = Rules(loaded)
    return _RULES[key]


def _chunk(piece: tuple[Plan, int, int]) -> list[Played]:
    plan, first, count = piece
    rules = _rules(plan)
    return [_played(rules, plan, number) for number in range(first, first + count)]


def _played(rules: Rules, plan: Plan, number: int) -> Played:
    plies: list[Ply] = []
    module: Any = rules.module
    try:
        return play_game(rules, plan, number, plies)
    except Exception as error:
        if isinstance(error, runtime.RulesFault) or record(rules, plies).error is not None:
            raise _Failed(plies, str(runtime.fault_from(error, module))) from None
        raise


def bots_at(plan: Plan, seats: int, game: int) -> tuple[str, ...]:
    """Which bot sits where in a game."""
    shift = game if len(set(plan.bots)) > 1 else 0
    return tuple(plan.bots[(seat + shift) % len(plan.bots)] for seat in range(seats))


def game_log(rules: Rules, plan: Plan, number: int) -> Log:
    """The log of one game of a plan."""
    plies: list[Ply] = []
    play_game(rules, plan, number, plies)
    return record(rules, plies).log


def play_game(rules: Rules, plan: Plan, number: int, plies: list[Ply] | None = None) -> Played:
    """Play one game of a plan; its answers and draws are added to `plies`."""
    module: Any = rules.module
    names = bots_at(plan, len(rules.seats), number)
    bots: list[Bot] = [bot(name, f"{plan.seed}/{number}/{seat}") for seat, name in enumerate(names)]
    chance = random.Random(f"chance {plan.seed}/{number}")
    values = Valuation(rules)
    trace = runtime.Trace()
    position: Position = module.start(trace)
    last: Any = list(trace)
    answers = options = forced = changes = 0
    leader: int | None = None
    while position[1] is not None and answers < MAX_ANSWERS:
        state, frame = position
        trace = runtime.Trace()
        if module.KIND[frame[0]] == DRAW:
            ply = DRAW, draw(module.outcomes(state, frame), chance)
        else:
            moves = module.legal(state, frame)
            answers, options, forced = answers + 1, options + len(moves), forced + (len(moves) == 1)
            ply = CHOICE, bots[module.asked(state, frame)].pick(rules, position, moves)
        if plies is not None:
            plies.append(ply)
        position = play(module, position, ply, trace)
        last = list(trace) or last
        ahead = values.leader(position[0]) if trace else leader
        if ahead is not None and ahead != leader:
            changes += leader is not None
            leader = ahead
    state = position[0]
    return Played(
        bots=names,
        credits=tuple(credit(state, seat) for seat in values.seats) if position[1] is None else None,
        way=way_of(rules, last),
        answers=answers,
        options=options,
        forced=forced,
        lead_changes=changes,
        measures=tuple(tuple(row) for row in Valuation(rules, _measures(rules)).numbers(state)),
        scores=_scores(state),
    )


def _scores(state: State) -> tuple[int, ...] | None:
    return None if state[-1] is None or state[-1][1] is None else tuple(state[-1][1])


def way_of(rules: Rules, events: Sequence[Any]) -> str:
    """How a game ended: its last event, with what is a member of an enum: `Won(conquest)`, `RoadBuilt`."""
    told = [event for event in events if event[0] != 0]
    if not told:
        return "no event"
    info: EventInfo = rules.event_info(told[-1][0])
    members = [
        param.type.members[value]
        for param, value in zip(info.params, told[-1][1:], strict=True)
        if isinstance(param.type, EnumType) and param.type.kind == "enum" and param.audience is None
    ]
    return f"{info.name}({', '.join(members)})" if members else info.name
