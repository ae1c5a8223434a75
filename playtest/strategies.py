"""Games for Hypothesis: strategies of matches, logs, states, moves and programs, and a state machine to subclass.

    from hypothesis import given
    from playtest.strategies import matches

    @given(matches("my.rules", max_answers=200))
    def test_nobody_gets_rich(match):
        assert all(n <= 99 for n in match.state.coins.values())

A move keeps its number when moves before it are taken away (it is its place among all moves of the actions that are offered,
possible or not), and what is not legal is passed over: so failing matches shrink to short ones. Outcomes of draws shrink to the
smallest. When a test fails, the match of the smallest failing example is saved as a log, `fuzz/TEST.jsonl`; its answers and its
name are in the report. `hand_over` gives Hypothesis a log to begin with, for example one that `rulesdsl fuzz` has found.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ClassVar, Union

from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.database import choices_to_bytes
from hypothesis.internal.reflection import function_digest
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

from interpreter.errors import RulesError
from interpreter.game import Game
from interpreter.log import Log, read_log
from interpreter.match import Match
from interpreter.rules import Rules
from interpreter.values import Move, Question, State
from playtest.kept import keep
from playtest.logs import plies_of
from playtest.numbers import MOVES, numbers_of, offered
from playtest.plies import Position, play
from playtest.programs import programs
from rulesdsl import runtime
from rulesdsl.program import ends_of, read_source
from rulesdsl.types import (
    BagType,
    IntType,
    ListType,
    MapType,
    OptionType,
    RecordType,
    SetType,
    Type,
    index_of,
    size,
    value_at,
)

QUICK = settings(
    deadline=None, stateful_step_count=60, phases=[phase for phase in Phase if phase != Phase.explain],
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)  # fmt: skip
"""Settings for matches and machines: answers may take their time. Hypothesis's phase `explain`, which would take longer than all
else, is left out: the answers of the smallest failing match are told instead."""

MAX_ANSWERS = 500
PATIENCE = 40

Draw = Callable[[st.SearchStrategy[Any]], Any]

Playable = Union[Game, Rules, str, Path]
"""A game: as loaded, specialised for a number of players, or the path of its rules."""


# ---------------------------------------------------------------- games


@st.composite
def games(draw: st.DrawFn, path: Playable) -> Game:
    """The game of a rules file, with any values of its parameters; shrinks to the defaults.

    Raises:
        RulesFileError, OSError: it cannot be loaded.
    """
    game = _game(path)
    kinds = {name: (kind, value) for name, kind, value in game.program().parameters}
    codec = game.rules().codec
    chosen = {}
    for name, (kind, value) in kinds.items():
        others = [other for other in _parameter_values(kind) if other != value]
        chosen[name] = codec.named(kind, draw(st.sampled_from([value, *others])))
    return game.with_params(**chosen)


def _parameter_values(kind: Type) -> list[Any]:
    count = size(kind)
    return [value_at(kind, i) for i in range(count)] if count is not None and count <= 64 else ends_of(kind)


_LOADED: dict[tuple[str, str], Game] = {}


def _game(game: Playable) -> Game:
    if isinstance(game, Game):
        return game
    source = game.source if isinstance(game, Rules) else read_source(game)
    if source.extras or source.base is not None:
        return Game(source)
    key = (source.name, source.text)
    if key not in _LOADED:
        _LOADED[key] = Game(source)
    return _LOADED[key]


def _rules(draw: Draw, game: Playable) -> Rules:
    """The rules of a game, for a number of players that is drawn; the fewest are the simplest."""
    if isinstance(game, Rules):
        return game
    known = _game(game)
    return known.rules(draw(st.sampled_from(known.counts)))


# ---------------------------------------------------------------- matches


@st.composite
def matches(draw: st.DrawFn, game: Playable, max_answers: int = MAX_ANSWERS) -> Match:
    """Matches of a game, of any length up to `max_answers`, many of them to their end.

    Raises:
        RulesError: the rules fail; the answer at which they do is the last one of the log that is saved.
    """
    rules = _rules(draw, game)
    match: Match | None = None
    failed: Log | None = None
    try:
        match = begun(draw, rules)
        while match.question.kind == "choice" and match.number < max_answers:
            move = _next_move(draw, rules, match)
            if move is None:
                break
            match.answer(move)
    except RulesError as error:
        failed = error.log
        raise
    finally:
        log = failed if match is None or failed is not None else match.log
        if log is not None:
            keep(rules, log, rules.program.name)
    return match


def logs(game: Playable, max_answers: int = MAX_ANSWERS) -> st.SearchStrategy[Log]:
    """The logs of matches."""
    return matches(game, max_answers).map(lambda match: match.log)


def begun(draw: Draw, rules: Rules) -> Match:
    """A new match, in which chance is Hypothesis: the smallest outcome is the simplest."""

    def chance(question: Question) -> Any:
        number = draw(st.integers(0, sum(weight for _, weight in question.outcomes) - 1))
        for value, weight in question.outcomes:
            number -= weight
            if number < 0:
                return value
        raise AssertionError

    return Match(rules, seed=0, chance=chance)


def _next_move(draw: Draw, rules: Rules, match: Match) -> Any:
    """A legal move by its number; 0 twice in a row ends the match. What is not legal is passed over."""
    node = match.position.node
    possible = offered(rules, node.frame[0])
    idle = 0
    for _ in range(PATIENCE):
        number = draw(st.integers(0, len(possible) or MOVES))
        idle = idle + 1 if number == 0 else 0
        if idle == 2:
            return None
        if number == 0:
            continue
        if not possible:
            legal = rules.module.legal(node.st, node.frame)
            return legal[(number - 1) % len(legal)]
        if rules.module.allows(node.st, node.frame, possible[number - 1]):
            return possible[number - 1]
    return rules.module.legal(node.st, node.frame)[0]


def moves(match: Match) -> st.SearchStrategy[Move]:
    """The legal moves of a match, the simplest first.

    Raises:
        ValueError: nobody is asked.
    """
    legal = match.legal_moves()
    if not legal:
        raise ValueError(f"nobody is asked: {match.question}")
    return st.sampled_from(legal)


# ---------------------------------------------------------------- states


@st.composite
def states(draw: st.DrawFn, game: Playable) -> State:
    """Any states of a game, straight from the types of its fields: not only those that can be reached in play."""
    rules = _rules(draw, game)
    slots = []
    for info in rules.program.fields:
        if not info.keys:
            slots.append(draw(_values(info.value)))
            continue
        cells = draw(st.tuples(*[_values(info.value)] * info.cells))
        slots.append(bytes(index_of(info.value, cell) for cell in cells) if info.packed else tuple(cells))
    return rules.state((*slots, None))


def _values(kind: Type) -> st.SearchStrategy[Any]:
    """The internal values of a type."""
    count = size(kind)
    if isinstance(kind, IntType):
        return st.integers(kind.lo, kind.hi)
    if isinstance(kind, SetType):
        return st.integers(0, (1 << (size(kind.item) or 0)) - 1)
    if isinstance(kind, BagType):
        return st.tuples(*[st.integers(0, 9)] * (size(kind.item) or 0))
    if isinstance(kind, ListType):
        return st.lists(_values(kind.item), max_size=min(kind.limit, 12)).map(tuple)
    if isinstance(kind, MapType):
        return st.tuples(*[_values(kind.value)] * (size(kind.key) or 0))
    if isinstance(kind, RecordType):
        return st.tuples(*[_values(part) for _, part in kind.fields])
    if isinstance(kind, OptionType):
        return st.none() | _values(kind.item)
    assert count is not None, kind
    return st.integers(0, count - 1).map(lambda place: value_at(kind, place))


# ---------------------------------------------------------------- a machine to subclass


class GameMachine(RuleBasedStateMachine):
    """A game played by Hypothesis, with laws of an author's own.

        class Riches(GameMachine):
            game = "my.rules"

            @invariant()
            def nobody_gets_rich(self):
                assert all(n <= 99 for n in self.match.state.coins.values())

        TestRiches = Riches.TestCase

    The law is looked at after every answer. `match` is the match; `players` fixes their number (None: any). The settings are
    `QUICK` if nothing else is said; a run has as many answers as the setting `stateful_step_count` says.
    """

    game: ClassVar[Playable] = ""
    players: ClassVar[int | None] = None
    match: Match
    known: Rules
    failed: Log | None = None

    def __init_subclass__(cls, **more: Any) -> None:
        super().__init_subclass__(**more)
        cls.TestCase.settings = QUICK

    @initialize(data=st.data())
    def begin(self, data: st.DataObject) -> None:
        """A new match."""
        game = self.game
        known = game if isinstance(game, Rules) or self.players is None else _game(game).rules(self.players)
        self.known = _rules(data.draw, known)
        with self._noticing():
            self.match = begun(data.draw, self.known)

    @precondition(lambda self: self.match.question.kind == "choice")
    @rule(data=st.data())
    def answer(self, data: st.DataObject) -> None:
        """One answer."""
        move = _next_move(data.draw, self.known, self.match)
        if move is not None:
            with self._noticing():
                self.match.answer(move)

    @precondition(lambda self: self.match.question.kind != "choice")
    @rule()
    def rest(self) -> None:
        """The game is over, and stays as it is."""

    def teardown(self) -> None:
        """The log of the smallest failing run is kept."""
        log = self.failed or (self.match.log if hasattr(self, "match") else None)
        if log is not None:
            keep(self.known, log, type(self).__name__)

    @contextmanager
    def _noticing(self) -> Iterator[None]:
        """Notices the log with the answer that the rules fail at, which is no part of the match."""
        try:
            yield
        except RulesError as error:
            self.failed = error.log
            raise


# ---------------------------------------------------------------- logs for Hypothesis


def hand_over(test: Callable[..., Any], game: Playable, log: Log | str | Path) -> None:
    """Give a test with one argument, `matches(game)`, a log to begin with: Hypothesis replays it first, and shrinks it.

    It is put into the test's own database of examples, so the test must have one. A log of other rules gives what is possible
    by these.

    Raises:
        ValueError: the test is no Hypothesis test, or has no database.
        OSError, LogError: the log cannot be read.
    """
    inner = getattr(getattr(test, "hypothesis", None), "inner_test", None)
    if inner is None:
        raise ValueError("this is no test of Hypothesis: it has no @given")
    database = vars(test).get("_hypothesis_internal_use_settings", settings()).database
    if database is None:
        raise ValueError("this test has no database of examples: see settings(database=...)")
    known = log if isinstance(log, Log) else read_log(log)
    key = function_digest(inner)
    database.save(b".".join((key, b"secondary")), choices_to_bytes(choices_of(game, known)))


def choices_of(game: Playable, log: Log) -> list[int]:
    """What `matches(game)` has to draw so that the match of a log comes out."""
    made: list[int] = []
    rules = game
    if not isinstance(game, Rules):
        known = _game(game)
        rules = known.rules(len(log.header.seats))
        if len(known.counts) > 1:
            made.append(known.counts.index(len(log.header.seats)))
    assert isinstance(rules, Rules)
    position: Position = rules.module.start(runtime.Trace())
    for ply in plies_of(rules, log):
        made += numbers_of(rules, position, ply)
        position = play(rules.module, position, ply, runtime.Trace())
    return [*made, 0, 0]


__all__ = [
    "MAX_ANSWERS", "QUICK", "GameMachine", "choices_of", "games", "hand_over", "logs", "matches", "moves", "programs", "states",
]  # fmt: skip
