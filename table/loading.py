"""Loading games for commands: rules with their parameters and seats, and positions that scenarios lead to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from attrs import evolve

from table.files import shown

if TYPE_CHECKING:
    from interpreter.game import Game
    from interpreter.rules import Rules
    from rulesdsl.diagnostics import Source


def load_game(file: Path, params: dict[str, Any], variants: Sequence[Path] = ()) -> Game:
    """A game from its rules file, with variants of it.

    Raises:
        RulesFileError: the file has mistakes.
        click.UsageError: a parameter does not exist or does not fit.
    """
    from interpreter.errors import ValueProblem
    from interpreter.game import Game

    try:
        game = Game(source_of(file, variants))
        return game.with_params(**params) if params else game
    except ValueProblem as problem:
        raise click.UsageError(str(problem)) from None


def load_both(first: Source, second: Source, params: Mapping[str, Any]) -> tuple[Game, Game]:
    """Two games that are compared, each with those of the parameters that it has.

    Raises:
        RulesFileError: one of them has mistakes.
        click.UsageError: a parameter does not exist in either, or does not fit.
    """
    from interpreter.errors import ValueProblem
    from interpreter.game import Game

    games = Game(first), Game(second)
    for name in params:
        if not any(name in game.params for game in games):
            raise click.UsageError(f"neither {games[0].source.name} nor {games[1].source.name} has a parameter {name}")
    try:
        one, other = (game.with_params(**{n: v for n, v in params.items() if n in game.params}) for game in games)
    except ValueProblem as problem:
        raise click.UsageError(str(problem)) from None
    return one, other


def source_of(file: Path, variants: Sequence[Path] = ()) -> Source:
    """The text of a rules file with its bases and with variants of it, under the names that messages and logs give them.

    Raises:
        RulesFileError: a file is not text, or the base of a variant is not there.
        OSError: a file cannot be read.
    """
    from rulesdsl.program import read_source

    return _renamed(read_source(file, variants))


def _renamed(source: Source) -> Source:
    base = None if source.base is None else _renamed(source.base)
    return evolve(source, name=shown(Path(source.name)), base=base, extras=tuple(map(_renamed, source.extras)))


def label_of(game: Game) -> str:
    """A name for the files of a game: its own, or its variants'."""
    from rulesdsl.program import variant_named

    names = [variant_named(text.text) for text in (game.source, *game.source.extras)]
    return "-".join([names[0] or game.name, *names[1:]])


def load_rules(file: Path, params: dict[str, Any], players: int | None, variants: Sequence[Path] = ()) -> Rules:
    """The rules of a game for a number of seats."""
    return rules_for(load_game(file, params, variants), players)


def rules_for(game: Game, players: int | None) -> Rules:
    """The rules of a game for a number of seats (None: as few as may play).

    Raises:
        click.UsageError: the game is not for so many.
    """
    from interpreter.errors import ValueProblem

    try:
        return game.rules(players)
    except ValueProblem as problem:
        raise click.UsageError(str(problem)) from None


def settings_of_scenarios(source: Source) -> list[Rules]:
    """The rules of a text under each of the settings that its scenarios ask for, the defaults first.

    Raises:
        RulesFileError: the file has mistakes.
    """
    from interpreter.rules import Rules
    from rulesdsl.program import load_source, parse_source, scenario_settings

    first = load_source(source)
    made = []
    for settings, seats in scenario_settings(parse_source(source), first.program):
        made.append(Rules(first if not settings and seats is None else load_source(source, settings, seats)))
    return made


def start_of_scenario(source: Source, text: str) -> tuple[Rules, Any]:
    """The rules of the only scenario whose title contains a text, and the position where it ends.

    Raises:
        click.UsageError: there is no such scenario, or more than one.
    """
    from playtest.scenarios import scenario_end

    found = [
        (rules, scenario)
        for rules in settings_of_scenarios(source)
        for scenario in rules.program.scenarios
        if text.lower() in scenario.text.lower()
    ]
    exact = [item for item in found if item[1].text == text]
    if len(exact or found) != 1:
        titles = "".join(f"\n  {scenario.text}" for _, scenario in found)
        raise click.UsageError(f"{len(found) or 'no'} scenarios have `{text}` in their title{titles}")
    rules, scenario = (exact or found)[0]
    try:
        return rules, scenario_end(rules, scenario)
    except ValueError as problem:
        raise click.UsageError(str(problem)) from None
