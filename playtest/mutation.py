"""Trying mutants: whether a scenario or a law notices that a clause is another one.

A mutant that the checker refuses is no mutant. Of the others those scenarios are run that come to the changed clause, the
cheapest settings first, and then a few random games; the first that fails has noticed it. What is never noticed is a rule that
nothing in the file holds on to. A file beside the rules, `NAME.mutants`, may say of some of these why that is so.
"""

from __future__ import annotations

import gc
import random
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from attrs import field, frozen

from interpreter.game import Game
from interpreter.rules import Rules
from playtest.coverage import cover
from playtest.fuzz import fuzz
from playtest.jobs import in_order
from playtest.mutants import Mutant, mutants_of
from playtest.scenarios import run_scenario
from rulesdsl import core, program
from rulesdsl.diagnostics import RulesFileError, Source
from rulesdsl.program import LoadedProgram

SECONDS = 10.0
GAMES = 10
MAX_CHOICES = 3_000
CHUNK = 8

REFUSED, NOTICED, SURVIVED = "refused", "noticed", "survived"

Setting = tuple[tuple[tuple[str, Any], ...], int | None]


@frozen
class Verdict:
    """What became of a mutant. `outcome`: "refused" by the checker, "noticed" `by` a scenario or a law, or "survived".
    `reason`: why it may survive, as the file of known ones says."""

    mutant: Mutant
    outcome: str
    by: str = ""
    reason: str = ""
    seconds: float = field(default=0.0, eq=False)


@frozen
class Plan:
    """How mutants are tried: the rules, the scenarios that come to each declaration by the settings that they need, and the
    limits for each mutant."""

    source: Source
    reaching: Mapping[str, tuple[tuple[Setting, tuple[str, ...]], ...]]
    everything: tuple[tuple[Setting, tuple[str, ...]], ...]
    games: int = GAMES
    seconds: float = SECONDS


def plan_of(game: Game, games: int = GAMES, seconds: float = SECONDS) -> Plan:
    """A plan for a game: which scenarios come to what is counted first."""
    module = program.parse_source(game.source)
    covered = cover(game, games=0)
    owners: dict[str, set[str]] = {}
    for point, count in covered.counts.items():
        owners.setdefault(_owner(point.clause), set()).update(count.scenarios)
    settings: dict[Setting, list[str]] = {}
    infos: dict[str, core.ScenarioInfo] = {}
    for params, seats in program.scenario_settings(module, game.program()):
        setting: Setting = (tuple(sorted(params.items())), seats)
        for scenario in program.load_source(game.source, params, seats).program.scenarios:
            if scenario.text not in infos:
                infos[scenario.text] = scenario
                settings.setdefault(setting, []).append(scenario.text)
    for title, scenario in infos.items():
        for step in scenario.steps:
            move = step.move if isinstance(step, core.ScenarioIllegal) else step
            if isinstance(move, core.ScenarioMove) and move.action:
                owners.setdefault(f"action {move.action}", set()).add(title)

    def of(titles: set[str]) -> tuple[tuple[Setting, tuple[str, ...]], ...]:
        chosen = ((setting, tuple(t for t in known if t in titles)) for setting, known in settings.items())
        return tuple((setting, some) for setting, some in chosen if some)

    return Plan(game.source, {owner: of(titles) for owner, titles in owners.items()}, of(set(infos)), games, seconds)


def _owner(clause: str) -> str:
    """The declaration that a clause of a point belongs to."""
    kind, _, name = clause.partition(" ")
    if kind == "require":
        return f"action {name.split('.')[0]}"
    return f"{'flow' if kind == 'step' else kind} {name.split('.')[0]}"


def chosen(game: Game, sample: int | None = None, seed: int = 0) -> list[Mutant]:
    """The mutants of a game's own file; so many of them, evenly chosen, if a sample is enough."""
    every = mutants_of(program.parse_source(game.source), game.source.name)
    if sample is None or sample >= len(every):
        return every
    picked = sorted(random.Random(f"mutants {seed}").sample(range(len(every)), sample))
    return [every[place] for place in picked]


def trying(plan: Plan, mutants: Sequence[Mutant], reasons: Mapping[str, str], jobs: int = 1) -> Iterator[list[Verdict]]:
    """The verdicts in order, some at a time."""
    pieces = [(plan, tuple(mutants[first : first + CHUNK]), dict(reasons)) for first in range(0, len(mutants), CHUNK)]
    return in_order(_some, pieces, jobs)


def _some(piece: tuple[Plan, tuple[Mutant, ...], dict[str, str]]) -> list[Verdict]:
    plan, mutants, reasons = piece
    return [attempt(plan, mutant, reasons) for mutant in mutants]


def attempt(plan: Plan, mutant: Mutant, reasons: Mapping[str, str] | None = None) -> Verdict:
    """Try one mutant."""
    began = time.monotonic()
    outcome, by = _tried(plan, mutant, began)
    gc.collect()  # a compiled mutant is not needed again, and holds itself
    reason = (reasons or {}).get(mutant.name, "") if outcome == SURVIVED else ""
    return Verdict(mutant, outcome, by, reason, time.monotonic() - began)


def _tried(plan: Plan, mutant: Mutant, began: float) -> tuple[str, str]:
    source = mutant.apply(plan.source)
    reaching = plan.reaching.get(mutant.owner)
    made: dict[Setting, Rules] = {}
    try:
        usual = made[(), None] = _compiled(source, ((), None))
    except RulesFileError:
        return REFUSED, ""
    for setting, titles in plan.everything if reaching is None else reaching:
        try:
            rules = made.get(setting) or _compiled(source, setting)
        except RulesFileError:
            return NOTICED, "the checker, with the settings of a scenario"
        for scenario in rules.program.scenarios:
            if scenario.text in titles and not run_scenario(rules, scenario).passed:
                return NOTICED, f'scenario "{scenario.text}"'
            if time.monotonic() - began > plan.seconds:
                return SURVIVED, ""
    left = plan.seconds - (time.monotonic() - began)
    if not plan.games or left <= 0:
        return SURVIVED, ""
    result = fuzz(
        usual, games=plan.games, seconds=left, rechecked=0, logs=False, archive=False, max_choices=MAX_CHOICES
    )
    if result.failure is not None:
        return NOTICED, f"{result.failure.law}: {result.failure.clause}"
    return SURVIVED, ""


def _compiled(source: Source, setting: Setting) -> Rules:
    """A mutant, compiled and not kept.

    Raises:
        RulesFileError: the checker refuses it.
    """
    from rulesdsl.python_backend import generate, load_module

    params, seats = setting
    made, warnings = program.compile_source(source, dict(params), seats)
    return Rules(LoadedProgram(made, load_module(generate(made), f"mutant_{made.name}"), source, warnings))


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
