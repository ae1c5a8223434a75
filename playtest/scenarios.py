"""Running scenarios: the tests that stand in rules files.

A scenario sets a state up, runs a flow or performs actions directly, answers questions and draws, and expects things. A line
that names an action answers the open question, if there is one, and then it must be legal and asked of that player; without
one it performs the action in the state as it is, and the action's guards must hold. `may` questions that leave nothing to
choose are passed, as in a match. A scenario that begins with `run main()` is a real game, in which every law must hold.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from attrs import frozen

from interpreter.errors import RulesError
from interpreter.game import Game
from interpreter.machine import Fault
from interpreter.rules import Internal, Rules
from playtest.scenario_play import EXPECTS, Failed, Play
from rulesdsl import program, syntax
from rulesdsl.core import ScenarioInfo
from rulesdsl.diagnostics import Span


@frozen
class Failure:
    """Why a scenario fails: at which line, in what words, and the values that explain it (texts of the rules and values)."""

    file: str
    line: int
    source: str
    message: str
    values: tuple[tuple[str, str], ...] = ()
    details: tuple[str, ...] = ()

    def __str__(self) -> str:
        lines = [f"{self.file}:{self.line}: {self.message}", f"    {self.source}"]
        lines.extend(f"        {text} is {value}" for text, value in self.values)
        lines.extend(f"        {text}" for text in self.details)
        return "\n".join(lines)


@frozen
class Result:
    """How a scenario went. `failure` is None if it passed."""

    text: str
    file: str
    line: int
    failure: Failure | None = None

    @property
    def passed(self) -> bool:
        return self.failure is None

    def __str__(self) -> str:
        return f"{'passed' if self.passed else 'failed'}  {self.text}" + (f"\n{self.failure}" if self.failure else "")


def run_all(game: Game) -> list[Result]:
    """Run every scenario of a game's file, each with the parameters and players that its `with` lines set.

    Raises:
        RulesFileError: the rules do not work with the settings of a scenario.
    """
    module = program.parse_source(game.source)
    found: dict[str, Result] = {}
    for values, seats in program.scenario_settings(module, game.program()):
        rules = (Game(game.source, values) if values else game).rules(seats)
        found.update((result.text, result) for result in run_scenarios(rules))
    decls = [decl for decl in module.declarations if isinstance(decl, syntax.Scenario)]
    return [found.get(decl.text.text) or _never_run(decl) for decl in decls]


def _never_run(decl: syntax.Scenario) -> Result:
    failure = _failure(decl.text.span, "this scenario was not run: its `with` lines must give known values")
    return Result(decl.text.text, failure.file, failure.line, failure)


def run_scenarios(rules: Rules) -> list[Result]:
    """Run the scenarios of one specialised program, in the order of the file."""
    return [run_scenario(rules, scenario) for scenario in rules.program.scenarios]


def run_scenario(rules: Rules, scenario: ScenarioInfo) -> Result:
    """Run one scenario of a program. Whatever goes wrong is a failure, never an exception."""
    play = Play(rules, scenario)
    place = (scenario.span.source.name, scenario.span.line)
    for number, step in enumerate(scenario.steps):
        try:
            play.step(number, step)
        except Failed as failed:
            return Result(scenario.text, *place, _failure(step.span, failed.message, failed.values, failed.details))
        except RulesError as error:
            return Result(scenario.text, *place, _failure(step.span, f"the rules fail: {error}"))
        except Fault as fault:
            where = f" at {fault.place[0]}:{fault.place[1]}" if fault.place else ""
            clause = f" in {fault.clause}" if fault.clause else ""
            return Result(scenario.text, *place, _failure(step.span, f"the rules fail: {fault}{clause}{where}"))
    return Result(scenario.text, *place)


def scenario_end(rules: Rules, scenario: ScenarioInfo) -> tuple[Internal, Any]:
    """The position (state and frame) that a scenario's lines lead to; what it expects is not looked at.

    Raises:
        ValueError: a line cannot be played.
    """
    play = Play(rules, scenario)
    for number, step in enumerate(scenario.steps):
        if isinstance(step, EXPECTS):
            continue
        try:
            play.step(number, step)
        except (Failed, Fault) as problem:
            raise ValueError(f"{step.span.source.name}:{step.span.line}: {problem}") from problem
    return play.st, play.frame


def _failure(span: Span, message: str, values: Sequence[tuple[str, str]] = (), details: Sequence[str] = ()) -> Failure:
    return Failure(
        span.source.name, span.line, span.source.line(span.line).strip(), message, tuple(values), tuple(details)
    )
