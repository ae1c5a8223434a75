"""Trying a game out: `rulesdsl fuzz` looks for broken laws, `rulesdsl perft` counts what can happen."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from table.console import console, paint, plural, say, say_json
from table.files import shown
from table.options import as_json, no_colour, parameters, players, rules_file, with_variants

if TYPE_CHECKING:
    from interpreter.rules import Rules
    from playtest.fuzz import Failure, Progress, Result

FUZZ_EXAMPLES = """\b
Examples:
  rulesdsl fuzz atlanteon --games 20000
  rulesdsl fuzz my.rules --seconds 30 --seed 7
  rulesdsl fuzz my.rules -p size=3 --players 4 --json
  rulesdsl fuzz my.rules --with faster.rules
"""

PERFT_EXAMPLES = """\b
Examples:
  rulesdsl perft atlanteon --depth 3
  rulesdsl perft my.rules --depth 4 --divide
  rulesdsl perft my.rules --depth 2 --scenario "the last tower"
"""


@click.command("fuzz", epilog=FUZZ_EXAMPLES)
@rules_file
@click.option(
    "--games", type=click.IntRange(1), help="How many games to play (1000, if --seconds does not say otherwise)."
)
@click.option("--seconds", type=click.FloatRange(0.1), help="How long to play.")
@click.option("--seed", type=int, default=0, show_default=True, help="The same seed plays the same games.")
@click.option(
    "--out", type=click.Path(file_okay=False, path_type=Path), default="fuzz", help="Where failures are written."
)
@click.option(
    "--thorough", type=click.FloatRange(0, 1), help="The share of games in which every law is checked; 1: all of them."
)
@with_variants
@parameters
@players
@as_json
@no_colour
def fuzz_command(
    file: Path,
    games: int | None,
    seconds: float | None,
    seed: int,
    out: Path,
    thorough: float | None,
    variants: tuple[Path, ...],
    params: dict[str, Any],
    players: int | None,
    json_wanted: bool,
) -> int:
    """Play random games of FILE and check every law.

    Invariants, transitions, termination and the fold of events are checked in all games; types, menus, refusals, determinism,
    undo, and the log in a share of them. What is found is made small, saved as a log, and shown with the command that
    replays it.
    """
    from playtest.fuzz import RECHECKED, Plan
    from playtest.logs import LogLaw
    from table.loading import label_of, load_game, rules_for

    game = load_game(file, params, variants)
    rules, stem = rules_for(game, players), label_of(game) if variants else file.stem
    count = games if games is not None or seconds is not None else 1000
    share = RECHECKED if thorough is None else thorough
    plan = Plan(games=count, seed=seed, seconds=seconds, rechecked=share, logs=LogLaw(rules))
    with progress(plan.games, quiet=json_wanted) as tell:
        result = run(rules, plan, tell)
    if json_wanted:
        say_json(_plain(rules, result, out, stem))
    else:
        for line in summary(result):
            say(line)
        if result.failure is not None:
            _tell_failure(rules, result.failure, out, stem)
    return 1 if result.failure is not None else 0


def run(rules: Rules, plan: Any, tell: Callable[[Progress], None]) -> Result:
    """Fuzz, and report progress."""
    from playtest.fuzz import fuzzing

    steps = fuzzing(rules, plan)
    while True:
        try:
            tell(next(steps))
        except StopIteration as stop:
            result: Result = stop.value
            return result


@contextmanager
def progress(games: int | None, quiet: bool) -> Iterator[Callable[[Any], None]]:
    """A progress bar on a terminal, nothing elsewhere."""
    out = console()
    if quiet or not out.is_terminal or not _interactive():
        yield lambda _: None
        return
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("  {task.description}"), BarColumn(24), TimeElapsedColumn())
    with Progress(*columns, console=out, transient=True) as bar:
        task = bar.add_task("", total=games)

        def tell(progress: Any) -> None:
            text = f"{progress.games:>9,} games · {progress.choices:,} answers · {_rate(progress.rate)}"
            bar.update(task, completed=progress.games, description=text)

        yield tell


def _interactive() -> bool:
    import sys

    return sys.stdout.isatty()


def _rate(rate: float) -> str:
    return f"{rate / 1000:,.0f} k answers/s" if rate >= 10_000 else f"{rate:,.0f} answers/s"


def summary(result: Result) -> list[str]:
    """What a run of games showed, in a few lines."""
    draws = f" · {plural(result.draws, 'draw')}" if result.draws else ""
    lines = [
        f"  {plural(result.games, 'game')} · {plural(result.answers, 'answer')}{draws} · {_rate(result.rate)}"
        f" · {result.rechecked:,} checked thoroughly · seed {result.seed}"
    ]
    if result.lengths:
        ends = ", ".join(f"{_winners(winners, result)} {count:,}" for winners, count in result.ends.items())
        lines.append(
            f"  {result.shortest} to {result.longest} answers a game, {result.mean_length:.1f} on average · won by {ends}"
        )
    if result.cut:
        lines.append(
            f"  {plural(result.cut, 'game')} had no end in sight and {'was' if result.cut == 1 else 'were'} given up"
        )
    if result.failure is None:
        lines.append(paint("  no law was broken", fg="green"))
    return lines


def _winners(winners: tuple[str, ...], result: Result) -> str:
    if not winners:
        return "nobody"
    return " and ".join(winners)


def _tell_failure(rules: Rules, failure: Failure, out: Path, stem: str) -> None:
    """Shrinks a failure, saves it and shows it."""
    from playtest.logs import LogLaw
    from playtest.report import report, save
    from playtest.shrink import shrink

    small = shrink(rules, failure, logs=LogLaw(rules))
    first, *rest = report(rules, small.failure).lines()
    say(paint(first, fg="red", bold=True))
    if small.failure.choices < small.choices_before:
        say(f"shrunk from {plural(small.choices_before, 'answer')} to {small.failure.choices} in {small.seconds:.1f} s")
    for line in rest:
        say(line)
    saved = save(rules, small.failure, out, stem)
    say(f"saved   {shown(saved.log)}")
    say(f"replay  {saved.command}")
    say(f"test    a scenario to paste is in {shown(saved.scenario)}")


def _plain(rules: Rules, result: Result, out: Path, stem: str) -> dict[str, Any]:
    """A run as JSON data."""
    data: dict[str, Any] = {
        "games": result.games,
        "answers": result.answers,
        "draws": result.draws,
        "rechecked": result.rechecked,
        "seed": result.seed,
        "seconds": round(result.seconds, 3),
        "ends": [{"winners": list(winners), "games": count} for winners, count in result.ends.items()],
        "lengths": {str(length): count for length, count in result.lengths.items()},
        "cut": result.cut,
        "failure": None,
    }
    if result.failure is not None:
        from playtest.logs import LogLaw
        from playtest.report import report, save
        from playtest.shrink import shrink

        small = shrink(rules, result.failure, logs=LogLaw(rules)).failure
        told, saved = report(rules, small), save(rules, small, out, stem)
        data["failure"] = {
            "law": small.law,
            "clause": small.clause,
            "place": told.place,
            "detail": told.detail,
            "values": [str(value) for value in told.values],
            "answers": [str(answer) for answer in told.answers],
            "log": str(saved.log),
            "scenario": str(saved.scenario),
            "replay": saved.command,
        }
    return data


@click.command("perft", epilog=PERFT_EXAMPLES)
@rules_file
@click.option(
    "--depth", type=click.IntRange(1), required=True, help="How many plies; each answer and each drawn outcome is one."
)
@click.option("--scenario", metavar="TEXT", help="Start where this scenario ends; a part of its title is enough.")
@click.option("--divide", is_flag=True, help="Count what is behind each first ply, too.")
@with_variants
@parameters
@players
@as_json
@no_colour
def perft_command(
    file: Path,
    depth: int,
    scenario: str | None,
    divide: bool,
    variants: tuple[Path, ...],
    params: dict[str, Any],
    players: int | None,
    json_wanted: bool,
) -> int:
    """Count the lines of play of FILE up to a depth.

    The numbers are exact, so they show at once whether two versions of the rules, or of the compiler, are the same game.
    """
    from playtest.perft import divide as divided
    from playtest.perft import perft
    from table.loading import load_rules, source_of, start_of_scenario

    rules = load_rules(file, params, players, variants)
    start = None
    if scenario is not None:
        rules, start = start_of_scenario(source_of(file, variants), scenario)
    counted = perft(rules, depth, start)
    parts = {_ply_text(rules, ply, start): n for ply, n in divided(rules, depth, start).items()} if divide else {}
    if json_wanted:
        say_json({"depth": depth, "leaves": list(counted.leaves), "ended": list(counted.ended), "divide": parts})
        return 0
    for ply, n in parts.items():
        say(f"  {ply:<32} {n:>14,}")
    say("  depth          lines    of them over")
    for length in range(1, depth + 1):
        ended = f"{counted.ended[length]:>15,}" if length < len(counted.ended) else ""
        say(f"  {length:>5} {counted.leaves[length]:>14,} {ended}".rstrip())
    say(paint(f"  {counted.seconds:.1f} s", dim=True))
    return 0


def _ply_text(rules: Rules, ply: tuple[str, Any], start: Any) -> str:
    """A ply in words."""
    from playtest.perft import first_position

    kind, value = ply
    if kind == "choice":
        return str(rules.move(value))
    frame = (start or first_position(rules))[1]
    name, t = rules.draw_of(frame[0])
    return f"draw {name} = {rules.codec.text(t, value)}"
