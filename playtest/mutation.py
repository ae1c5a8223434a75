"""Trying mutants: whether a scenario or a law notices that a clause is another one.

A mutant that the checker refuses is no mutant. Of the others those scenarios are run that come to the changed clause, those
first that come closest to the change, and then a few random games; the first that fails has noticed it. What is never noticed
is a rule that nothing in the file holds on to. A file beside the rules, `NAME.mutants`, may say of some of these why that is so.

A mutant is a change of the tree, so that the text is parsed once; it is compiled for the settings that are needed, and not kept.
"""

from __future__ import annotations

import gc
import random
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from attrs import field, frozen

from interpreter.game import Game
from interpreter.rules import Rules
from playtest.coverage import cover
from playtest.fuzz import Result, fuzz
from playtest.jobs import in_order
from playtest.mutants import Mutant, mutants_of
from playtest.scenarios import run_scenario
from rulesdsl import core, program, syntax
from rulesdsl.diagnostics import Source, Span
from rulesdsl.program import LoadedProgram

SECONDS = 10.0
GAMES = 20
MAX_CHOICES = 3_000
CHUNK = 8

REFUSED, NOTICED, SURVIVED = "refused", "noticed", "survived"

Setting = tuple[tuple[tuple[str, Any], ...], int | None]
Order = tuple[tuple[Setting, tuple[str, ...]], ...]
USUAL: Setting = ((), None)


@frozen
class Verdict:
    """What became of a mutant. `outcome`: "refused" by the checker, "noticed" `by` a scenario or a law, or "survived".
    `near`: the scenarios that come closest to it; `whole`: everything was tried before the time was up. `reason`: why it may
    survive, as the file of known ones says."""

    mutant: Mutant
    outcome: str
    by: str = ""
    reason: str = ""
    near: tuple[str, ...] = ()
    whole: bool = True
    seconds: float = field(default=0.0, eq=False)


@frozen
class Plan:
    """How the mutants of a game are tried: its scenarios by the settings that they need, which of them come to each clause and
    to each place of the text (the smallest places first), how much each of them comes to, and the limits for each mutant:
    random games, and seconds of a processor, so that what else the machine does makes no difference."""

    source: Source
    settings: Order
    reaching: Mapping[str, frozenset[str]]
    places: tuple[tuple[Span, frozenset[str]], ...]
    weight: Mapping[str, int]
    games: int = GAMES
    seconds: float = SECONDS

    def order(self, mutant: Mutant) -> Order:
        """The scenarios that may notice a mutant. Those that come to the smallest place around the change are run first, and
        those that come to little else; settings that more of these share are compiled first."""
        titles, near = self._titles(mutant), frozenset(self.near(mutant))
        chosen = [(setting, [title for title in known if title in titles]) for setting, known in self.settings]
        chosen.sort(key=lambda item: (-len(near.intersection(item[1])), -len(item[1])))
        return tuple(
            (setting, tuple(sorted(some, key=lambda title: (title not in near, self.weight[title]))))
            for setting, some in chosen
            if some
        )

    def near(self, mutant: Mutant) -> tuple[str, ...]:
        """The scenarios that come to the smallest place around a change, in the order of the file. For what only has a value,
        like a constant, it is not known which they are."""
        around = (found for place, found in self.places if _within(mutant.span, place))
        clause = self.reaching.get(mutant.clause, self._titles(mutant))
        found = next(around, clause) & self._titles(mutant)
        return tuple(title for _, known in self.settings for title in known if title in found)

    def _titles(self, mutant: Mutant) -> frozenset[str]:
        return self.reaching.get(mutant.owner, frozenset(self.weight))


class Unfit(Exception):
    """A game whose own scenarios or laws fail: they would notice every mutant, whatever it changes."""


def plan_of(game: Game, games: int = GAMES, seconds: float = SECONDS) -> Plan:
    """A plan for a game: which scenarios come to what is counted first.

    Raises:
        Unfit: a scenario fails, or a random game breaks a law, without any change.
    """
    covered = cover(game, games=0)
    if covered.failed:
        raise Unfit(f'the scenario "{covered.failed[0]}" fails without any change: see `rulesdsl test`')
    broken = _fuzzed(game.rules(), games).failure if games else None
    if broken is not None:
        why = f"{broken.law}: {broken.clause}"
        raise Unfit(f"a random game breaks a law without any change ({why}): see `rulesdsl fuzz`")
    module = program.parse_source(game.source)
    reaching: dict[str, set[str]] = {}
    places: dict[Span, set[str]] = {}
    weight: dict[str, int] = {}
    for point, count in covered.counts.items():
        for clause in {point.clause, _owner(point.clause)}:
            reaching.setdefault(clause, set()).update(count.scenarios)
        places.setdefault(point.span, set()).update(count.scenarios)
        for title in count.scenarios:
            weight[title] = weight.get(title, 0) + 1
    settings: dict[Setting, list[str]] = {}
    known: set[str] = set()
    for params, seats in program.scenario_settings(module, game.program()):
        setting: Setting = (tuple(sorted(params.items())), seats)
        for scenario in program.load_source(game.source, params, seats).program.scenarios:
            if scenario.text not in known:
                known.add(scenario.text)
                weight.setdefault(scenario.text, 0)
                settings.setdefault(setting, []).append(scenario.text)
                for action in _performed(scenario):
                    reaching.setdefault(f"action {action}", set()).add(scenario.text)
    return Plan(
        game.source,
        tuple((setting, tuple(titles)) for setting, titles in settings.items()),
        {owner: frozenset(titles) for owner, titles in reaching.items()},
        tuple((place, frozenset(places[place])) for place in sorted(places, key=lambda span: span.end - span.start)),
        weight,
        games,
        seconds,
    )


def _owner(clause: str) -> str:
    """The declaration that a clause of a point belongs to."""
    kind, _, name = clause.partition(" ")
    if kind == "require":
        return f"action {name.split('.')[0]}"
    return f"{'flow' if kind == 'step' else kind} {name.split('.')[0]}"


def _performed(scenario: core.ScenarioInfo) -> Iterator[str]:
    """The actions that a scenario names."""
    for step in scenario.steps:
        move = step.move if isinstance(step, core.ScenarioIllegal) else step
        if isinstance(move, core.ScenarioMove) and move.action:
            yield move.action


def _within(inner: Span, outer: Span) -> bool:
    return outer.source.name == inner.source.name and outer.start <= inner.start and inner.end <= outer.end


def chosen(game: Game, sample: int | None = None, seed: int = 0) -> list[Mutant]:
    """The mutants of a game's own file; so many of them, evenly chosen, if a sample is enough."""
    every = mutants_of(program.parse_source(game.source), game.source.name)
    if sample is None or sample >= len(every):
        return every
    picked = sorted(random.Random(f"mutants {seed}").sample(range(len(every)), sample))
    return [every[place] for place in picked]


# ---------------------------------------------------------------- trying


@frozen
class _Piece:
    """Some mutants with what is tried against each, for one process."""

    source: Source
    mutants: tuple[tuple[Mutant, Order, tuple[str, ...], str], ...]
    games: int
    seconds: float


def trying(plan: Plan, mutants: Sequence[Mutant], reasons: Mapping[str, str], jobs: int = 1) -> Iterator[list[Verdict]]:
    """The verdicts in order, some at a time."""
    given = [(mutant, plan.order(mutant), plan.near(mutant), reasons.get(mutant.name, "")) for mutant in mutants]
    pieces = [
        _Piece(plan.source, tuple(given[first : first + CHUNK]), plan.games, plan.seconds)
        for first in range(0, len(given), CHUNK)
    ]
    return in_order(_some, pieces, jobs)


def attempt(plan: Plan, mutant: Mutant) -> Verdict:
    """Try one mutant."""
    given = (mutant, plan.order(mutant), plan.near(mutant), "")
    return _some(_Piece(plan.source, (given,), plan.games, plan.seconds))[0]


def _some(piece: _Piece) -> list[Verdict]:
    module = program.parse_source(piece.source)
    verdicts = []
    with _old_objects_left_alone():
        for mutant, order, near, reason in piece.mutants:
            began = time.process_time()
            outcome, by, whole = _tried(piece, mutant.changed(module), order, began)
            gc.collect()  # a compiled mutant is not needed again, and holds itself
            kept = reason if outcome == SURVIVED else ""
            verdicts.append(Verdict(mutant, outcome, by, kept, near, whole, time.process_time() - began))
    return verdicts


@contextmanager
def _old_objects_left_alone() -> Iterator[None]:
    """What is there already is not gone through at each collection of what is no longer needed."""
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()


def _tried(piece: _Piece, module: syntax.Module, order: Order, began: float) -> tuple[str, str, bool]:
    """What became of a mutant, what noticed it, and whether there was time for everything."""
    usual = _checked(piece.source, module, USUAL)
    if usual is None:
        return REFUSED, "", True
    for setting, titles in order:
        checked = usual if setting == USUAL else _checked(piece.source, module, setting)
        if checked is None:
            return NOTICED, "the checker, with the settings of a scenario", True
        rules = _compiled(piece.source, checked)
        scenarios = {scenario.text: scenario for scenario in rules.program.scenarios}
        for title in titles:
            if not run_scenario(rules, scenarios[title]).passed:
                return NOTICED, f'scenario "{title}"', True
            if time.process_time() - began > piece.seconds:
                return SURVIVED, "", False
    if not piece.games:
        return SURVIVED, "", True
    rules, played, rounds = _compiled(piece.source, usual), 0, 0  # fuzzing goes by the clock: a busy machine needs more rounds
    while played < piece.games and (left := piece.seconds - (time.process_time() - began)) > 0:
        result = _fuzzed(rules, piece.games - played, left, rounds)
        if result.failure is not None:
            return NOTICED, f"{result.failure.law}: {result.failure.clause}", True
        played, rounds = played + result.games, rounds + 1
    return SURVIVED, "", played >= piece.games


def _fuzzed(rules: Rules, games: int, seconds: float | None = None, seed: int = 0) -> Result:
    """Random games, as they are played against each mutant."""
    return fuzz(
        rules, games=games, seed=seed, seconds=seconds, rechecked=0, logs=False, archive=False, max_choices=MAX_CHOICES,
    )  # fmt: skip


def _checked(source: Source, module: syntax.Module, setting: Setting) -> core.Program | None:
    """A mutant with the settings of a scenario; None if the checker refuses it."""
    from rulesdsl.checking.check import check

    params, seats = setting
    return check(source, module, dict(params), seats).program


def _compiled(source: Source, made: core.Program) -> Rules:
    """A mutant, compiled and not kept."""
    from rulesdsl.python.backend import generate, load_module, prepare

    prepared = prepare(made)
    module = load_module(generate(made, prepared=prepared), f"mutant_{made.name}", prepared)
    return Rules(LoadedProgram(made, module, source, ()))


# ---------------------------------------------------------------- known survivors


def reasons_in(path: Path) -> dict[str, str]:
    """The reasons that a file gives for mutants that may survive: `MUTANT    # reason`, one a line.

    Raises:
        ValueError: a line has no reason.
    """
    found = {}
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        name, separator, reason = line.rpartition("  # ")
        if not separator or not reason.strip():
            raise ValueError(f"{path}:{number}: a reason is missing; write `MUTANT  # reason`")
        found[name.strip()] = reason.strip()
    return found
