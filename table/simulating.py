"""`rulesdsl simulate`: what many games between bots tell of a game; `rulesdsl compare`: what a variant changes in that."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from table import figure_tables
from table.console import complain, console, say, say_json
from table.files import find_for_click, shown
from table.options import (
    Number,
    Written,
    as_json,
    no_colour,
    parameters,
    plain_value,
    players,
    rules_file,
    with_variants,
)

if TYPE_CHECKING:
    from interpreter.rules import Rules
    from playtest.figures import Comparison, Figure
    from playtest.simulate import Plan, Simulation

SIMULATE_EXAMPLES = """\b
Examples:
  rulesdsl simulate atlanteon --games 500
  rulesdsl simulate atlanteon --bots greedy,random --jobs 2
  rulesdsl simulate atlantis --players 2 --bots mcts:200,greedy --games 40
  rulesdsl simulate my.rules -p size=4..6 --plot sizes.png
"""

COMPARE_EXAMPLES = """\b
Examples:
  rulesdsl compare my.rules faster.rules
  rulesdsl compare atlanteon atlanteon_7x7 --games 400 --bots greedy --jobs 2
"""

Command = Callable[..., Any]


def how_to_play(command: Command) -> Command:
    """The options that both commands share."""
    for option in (
        click.option("--games", type=click.IntRange(1), default=100, show_default=True, help="How many games."),
        click.option(
            "--bots",
            metavar="BOT,BOT",
            default="random",
            show_default=True,
            help="Who plays: random, first, greedy, greedy:MEASURE, mcts, mcts:PLAYOUTS. They sit in turn, and move on by a seat after each game.",
        ),
        click.option("--seed", type=int, default=0, show_default=True, help="The same seed plays the same games."),
        click.option("--jobs", type=click.IntRange(1), default=1, show_default=True, help="How many processes."),
        click.option(
            "--confidence",
            type=Number(0.5, 0.9999),
            default=0.95,
            show_default=True,
            help="How sure the intervals are.",
        ),
    ):
        command = option(command)
    return command


@click.command("simulate", epilog=SIMULATE_EXAMPLES)
@rules_file
@how_to_play
@click.option("--plot", type=Written(), help="Draw a picture of the figures.")
@with_variants
@parameters
@players
@as_json
@no_colour
def simulate_command(
    file: Path,
    games: int,
    bots: str,
    seed: int,
    jobs: int,
    confidence: float,
    plot: Path | None,
    variants: tuple[Path, ...],
    params: dict[str, Any],
    players: int | None,
    json_wanted: bool,
) -> int:
    """Let bots play FILE many times: who wins and how, how long it takes, how much there is to choose.

    A parameter with several values, `-p size=4..6` or `-p size=4,6`, is tried with each of them. The result is the same whatever
    the number of --jobs.
    """
    from table.loading import load_game, rules_for

    wanted = bots_named(bots)
    settings = list(sweep(params))
    if plot is not None:
        _plot_possible(plot)
    found = []
    with games_bar(games * len(settings), quiet=json_wanted) as tell:
        for setting in settings:
            rules = rules_for(load_game(file, setting, variants), players)
            found.append((setting, simulated(rules, games, wanted, seed, jobs, confidence, tell)))
    swept = [name for name, value in params.items() if len(values_of(value)) > 1]
    if json_wanted:
        made = [_plain(simulation, {name: setting[name] for name in swept}) for setting, simulation in found]
        say_json(made if swept else made[0])
    elif swept:
        for line in figure_tables.swept(shown(file), swept, found):
            say(line)
    else:
        for line in figure_tables.told(shown(file), found[0][1]):
            say(line)
    if plot is not None:
        from table.plotting import draw

        draw([(", ".join(f"{name} = {setting[name]}" for name in swept), sim) for setting, sim in found], plot)
        if not json_wanted:
            say(f"drawn   {shown(plot)}")
    return _ended(simulation for _, simulation in found)


@click.command("compare", epilog=COMPARE_EXAMPLES)
@click.argument("base", callback=find_for_click)
@click.argument("variant", callback=find_for_click)
@how_to_play
@with_variants
@parameters
@players
@as_json
@no_colour
def compare_command(
    base: Path,
    variant: Path,
    games: int,
    bots: str,
    seed: int,
    jobs: int,
    confidence: float,
    variants: tuple[Path, ...],
    params: dict[str, Any],
    players: int | None,
    json_wanted: bool,
) -> int:
    """Let bots play BASE and VARIANT with the same seeds, and say which figures differ.

    A figure differs if 0 is not in the interval of the change. One of twenty does so by chance where nothing has changed: ask
    for more --games or --confidence when it matters. A parameter that only one of the two has is given to that one. Variants
    named by --with are used together with VARIANT.
    """
    from playtest.simulate import comparisons

    wanted = bots_named(bots)
    both = []
    with games_bar(games * 2, quiet=json_wanted) as tell:
        for rules in _two(base, variant, variants, params, players):
            both.append(simulated(rules, games, wanted, seed, jobs, confidence, tell))
    found = comparisons(both[0], both[1], confidence)
    if json_wanted:
        say_json(
            {"games": games, "seed": seed, "confidence": confidence, "figures": [compared_plain(c) for c in found]}
        )
    else:
        for line in figure_tables.compared((shown(base), shown(variant)), both, found):
            say(line)
    return _ended(both)


def _ended(found: Iterable[Simulation]) -> int:
    """The exit code: 1 where all games of a simulation had to be given up."""
    from playtest.simulate import MAX_ANSWERS

    if all(simulation.over for simulation in found):
        return 0
    complain(f"no game came to its end: all were given up after {MAX_ANSWERS:,} answers; `rulesdsl fuzz` may tell why")
    return 1


def _two(
    base: Path, variant: Path, variants: Sequence[Path], params: Mapping[str, Any], players: int | None
) -> list[Rules]:
    """The rules of both sides, each with the parameters that it has; for the same number of players if there is one for both."""
    from table.loading import load_both, rules_for, source_of

    games = load_both(source_of(base), source_of(variant, variants), params)
    both = sorted(set(games[0].counts) & set(games[1].counts))
    if players is None and both:
        players = both[0]
    return [rules_for(game, players) for game in games]


# ---------------------------------------------------------------- what was asked for


def bots_named(bots: str) -> tuple[str, ...]:
    """The bots of `--bots`."""
    from playtest.bots import bot

    names = tuple(name.strip() for name in bots.split(",") if name.strip())
    try:
        for name in names:
            bot(name)
    except ValueError as problem:
        raise click.UsageError(str(problem)) from None
    if not names:
        raise click.UsageError("--bots needs the name of a bot")
    return names


def values_of(value: Any) -> list[Any]:
    """The values that a parameter is to be tried with: `4..6`, `4,6`, or a single one."""
    if not isinstance(value, str):
        return [value]
    found = re.fullmatch(r"(-?\d+)\.\.(-?\d+)", value)
    if found:
        return list(range(int(found[1]), int(found[2]) + 1))
    return [plain_value(part.strip()) for part in value.split(",")]


def sweep(params: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Every choice of values for the parameters, the last one changing fastest."""
    for values in itertools.product(*(values_of(value) for value in params.values())):
        yield dict(zip(params, values, strict=True))
    if any(not values_of(value) for value in params.values()):
        raise click.UsageError("a range of a parameter goes from the smaller number to the larger one: size=4..6")


def simulated(
    rules: Rules,
    games: int,
    bots: tuple[str, ...],
    seed: int,
    jobs: int,
    confidence: float,
    tell: Callable[[int], None],
) -> Simulation:
    from interpreter.errors import ValueProblem
    from playtest.bots import ThinkingBot, bot
    from playtest.simulate import Plan, result_of, simulating
    from playtest.valuing import Valuation

    try:
        for made in map(bot, bots):
            if isinstance(made, ThinkingBot):
                Valuation(rules, made.wanted)
    except ValueProblem as problem:
        raise click.UsageError(str(problem)) from None
    plan: Plan = Plan.of(rules, games, bots, seed)
    played = []
    for some in simulating(plan, jobs):
        played += some
        tell(len(some))
    return result_of(plan, played, confidence)


@contextmanager
def games_bar(games: int, quiet: bool) -> Iterator[Callable[[int], None]]:
    """A progress bar on a terminal, nothing elsewhere."""
    import sys

    out = console()
    if quiet or not out.is_terminal or not sys.stdout.isatty():
        yield lambda _: None
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("  games"), BarColumn(24), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=out, transient=True) as bar:
        task = bar.add_task("", total=games)
        yield lambda count: bar.advance(task, count)


def _plot_possible(path: Path) -> None:
    """Says at once, and not after all games, if a picture cannot be drawn."""
    from importlib.util import find_spec

    if find_spec("matplotlib") is None:
        raise click.UsageError("--plot needs matplotlib: pip install 'rulesdsl[plot]'")
    from table.plotting import formats

    if path.suffix.lower().removeprefix(".") not in formats():
        raise click.UsageError(f"--plot: `{shown(path)}` should end in one of {', '.join(f'.{e}' for e in formats())}")


# ---------------------------------------------------------------- for tools


def _plain(simulation: Simulation, setting: Mapping[str, Any]) -> dict[str, Any]:
    """A simulation as JSON data."""
    lengths: dict[int, int] = {}
    for game in simulation.over:
        lengths[game.answers] = lengths.get(game.answers, 0) + 1
    return {
        "params": dict(setting),
        "games": len(simulation.games),
        "bots": list(simulation.bots),
        "seed": simulation.seed,
        "confidence": simulation.confidence,
        "figures": [_plain_figure(figure) for figure in simulation.figures()],
        "lengths": {str(length): count for length, count in sorted(lengths.items())},
    }


def _plain_figure(figure: Figure) -> dict[str, Any]:
    return {"name": figure.name, **_plain_interval(figure)}


def _plain_interval(figure: Figure) -> dict[str, Any]:
    """A value with its interval; null where too few games tell none."""
    low, high = (figure.low, figure.high) if figure.bounded else (None, None)
    return {"value": figure.value, "low": low, "high": high}


def compared_plain(item: Comparison) -> dict[str, Any]:
    return {
        "name": item.name,
        "before": _plain_figure(item.first),
        "after": _plain_figure(item.second),
        "change": _plain_interval(item.change),
        "differs": item.differs,
    }
