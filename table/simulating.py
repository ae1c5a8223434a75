"""`rulesdsl simulate`: what many games between bots tell of a game; `rulesdsl compare`: what a variant changes in that."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from table.console import console, paint, plural, say, say_json
from table.files import find_for_click, shown
from table.options import as_json, no_colour, parameters, plain_value, players, rules_file, with_variants

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
            type=click.FloatRange(0.5, 0.9999),
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
@click.option("--plot", type=click.Path(dir_okay=False, path_type=Path), help="Draw a picture of the figures.")
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
        _plot_possible()
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
        _say_sweep(shown(file), swept, found)
    else:
        for line in told(shown(file), found[0][1]):
            say(line)
    if plot is not None:
        from table.plotting import draw

        draw([(", ".join(f"{name} = {setting[name]}" for name in swept), sim) for setting, sim in found], plot)
        if not json_wanted:
            say(f"drawn   {shown(plot)}")
    return 0


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
        _say_comparison((shown(base), shown(variant)), both, found)
    return 0


def _two(
    base: Path, variant: Path, variants: Sequence[Path], params: Mapping[str, Any], players: int | None
) -> list[Rules]:
    """The rules of both sides, each with the parameters that it has."""
    from table.loading import load_both, rules_for, source_of

    return [rules_for(game, players) for game in load_both(source_of(base), source_of(variant, variants), params)]


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


def _plot_possible() -> None:
    """Says at once if pictures cannot be drawn."""
    from importlib.util import find_spec

    if find_spec("matplotlib") is None:
        raise click.UsageError("--plot needs matplotlib: pip install 'rulesdsl[plot]'")


# ---------------------------------------------------------------- in words


def told(name: str, simulation: Simulation) -> list[str]:
    """A simulation as a table."""
    bots = ", ".join(dict.fromkeys(simulation.bots))
    head = f"{name}: {plural(len(simulation.games), 'game')}, bots {bots}, seed {simulation.seed}"
    lines = [head, f"  {'':<32} {'':>10}   {100 * simulation.confidence:.4g} % interval"]
    for figure in simulation.figures():
        lines.append(f"  {figure.name:<32} {figure.text(figure.value):>10}   {_interval(figure)}")
        if figure.name == "answers a game":
            lengths = sorted(game.answers for game in simulation.over)
            if lengths:
                lines.append(
                    paint(
                        f"  {'':<32} {lengths[0]} to {lengths[-1]}, half of them up to {lengths[(len(lengths) - 1) // 2]}",
                        dim=True,
                    )
                )
    return lines


def _interval(figure: Figure) -> str:
    return f"{figure.text(figure.low)} to {figure.text(figure.high)}"


def _say_sweep(name: str, swept: Sequence[str], found: Sequence[tuple[dict[str, Any], Simulation]]) -> None:
    """A line for each choice of parameters, a column for each of the main figures."""
    first = found[0][1]
    bots = ", ".join(dict.fromkeys(first.bots))
    say(f"{name}: {plural(len(first.games), 'game')} each, bots {bots}, seed {first.seed}")
    several = len(set(first.bots)) > 1
    names = [f"won by the bot {bot}" for bot in dict.fromkeys(first.bots)] if several else []
    names += [f"won by {seat}" for seat in first.seats]
    names += ["ties", "answers a game", "options at a question", *(["lead changes"] if first.measures else [])]
    short = {"answers a game": "answers", "options at a question": "options"}
    heads = [*swept, *(short.get(name, name.replace("won by the bot ", "").replace("won by ", "")) for name in names)]
    rows = []
    for setting, simulation in found:
        figures = {figure.name: figure for figure in simulation.figures()}
        cells = [_with_half(figures[name]) if name in figures else "-" for name in names]
        rows.append([*(str(setting[name]) for name in swept), *cells])
    widths = [max(len(row[place]) for row in [heads, *rows]) for place in range(len(heads))]
    for number, row in enumerate([heads, *rows]):
        line = "  " + "  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True))
        say(paint(line, bold=True) if not number else line)
    say(f"  ± is half of the {100 * first.confidence:.4g} % interval; one setting alone shows every figure")


def _with_half(figure: Figure) -> str:
    half = (figure.high - figure.low) / 2
    return f"{figure.text(figure.value).replace(' %', '%')} ±{figure.text(half).replace(' %', '')}"


def _say_comparison(names: tuple[str, str], both: Sequence[Simulation], found: Sequence[Comparison]) -> None:
    bots = ", ".join(dict.fromkeys(both[0].bots))
    say(f"{names[0]} and {names[1]}: {plural(len(both[0].games), 'game')} each, bots {bots}, seed {both[0].seed}")
    say_figures(found, both[0].confidence)
    count = sum(item.differs for item in found)
    say(f"≠ {count} of {len(found)} figures differ" if count else "  no figure differs")


def say_figures(found: Sequence[Comparison], confidence: float, marked: bool = True) -> None:
    """Figures before and after, a line each; those that differ are marked."""
    name = max((len(item.name) for item in found), default=0)
    say(f"  {'':<{name}} {'before':>8} {'after':>8}  change, {100 * confidence:.4g} % interval")
    for item in found:
        change = item.change
        sign = "+" if change.value >= 0 else ""
        low, high = (change.text(value).removesuffix(" %") for value in (change.low, change.high))
        told = f"{sign}{change.text(change.value)} ({low} to {high})"
        mark = paint("≠", fg="yellow", bold=True) if marked and item.differs else " "
        say(
            f"{mark} {item.name:<{name}} {item.first.text(item.first.value):>8} {item.second.text(item.second.value):>8}  {told}"
        )


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
    return {"name": figure.name, "value": figure.value, "low": figure.low, "high": figure.high}


def compared_plain(item: Comparison) -> dict[str, Any]:
    return {
        "name": item.name,
        "before": _plain_figure(item.first),
        "after": _plain_figure(item.second),
        "change": {"value": item.change.value, "low": item.change.low, "high": item.change.high},
        "differs": item.differs,
    }
