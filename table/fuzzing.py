"""`rulesdsl fuzz`: plays random games and looks for a broken law."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from playtest.folders import FUZZ
from table.broken_laws import failure_plain, tell_failure
from table.console import complain, console, paint, plural, say, say_json, wrapped
from table.files import shown
from table.options import Number, Written, as_json, no_colour, parameters, players, rules_file, with_variants

if TYPE_CHECKING:
    from interpreter.rules import Rules
    from playtest.fuzz import Plan, Progress, Result

GAMES = 1000
NAMED = 5

EXAMPLES = """\b
Examples:
  rulesdsl fuzz atlanteon --games 20000
  rulesdsl fuzz my.rules --seconds 30 --seed 7 --jobs 4
  rulesdsl fuzz my.rules -p size=3 --players 4 --json
  rulesdsl fuzz my.rules --with faster.rules --corpus corpus
"""


@click.command("fuzz", epilog=EXAMPLES)
@rules_file
@click.option(
    "--games", type=click.IntRange(1), help=f"How many games to play ({GAMES}, if --seconds does not say otherwise)."
)
@click.option("--seconds", type=Number(0.1), help="How long to play.")
@click.option("--seed", type=int, default=0, show_default=True, help="The same seed and games give the same result.")
@click.option("--jobs", type=click.IntRange(1), default=1, show_default=True, help="How many processes play.")
@click.option(
    "--max-answers",
    type=click.IntRange(1),
    default=5000,
    show_default=True,
    help="A game is given up after so many answers.",
)
@click.option(
    "--corpus",
    type=Written(folder=True),
    help="A folder of logs: replayed first; games that show something new are added.",
)
@click.option(
    "--uniform", is_flag=True, help="All moves alike, every game from the start: for figures, not for finding."
)
@click.option(
    "--out", type=Written(folder=True), default=FUZZ, help="Where failures are written."
)
@click.option("--thorough", type=Number(0, 1), help="The share of games in which every law is checked; 1: all of them.")
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
    jobs: int,
    max_answers: int,
    corpus: Path | None,
    uniform: bool,
    out: Path,
    thorough: float | None,
    variants: tuple[Path, ...],
    params: dict[str, Any],
    players: int | None,
    json_wanted: bool,
) -> int:
    """Play random games of FILE and check every law.

    Invariants, transitions, termination, secrets and the fold of events are checked in all games; types, menus, refusals,
    determinism, undo, and the log in a share of them. Every number of players that the game allows has its share of the games.
    What is found is made small, saved as a log and as a scenario, and shown with the command that replays it.
    """
    from playtest.fuzz import RECHECKED, Plan
    from table.loading import label_of, load_game, rules_for

    game = load_game(file, params, variants)
    stem = label_of(game) if variants else file.stem
    counts = game.counts if players is None else (players,)
    every = [rules_for(game, count) for count in counts]
    wanted = GAMES if games is None and seconds is None else games
    plan = Plan(
        games=None if wanted is None else -(-wanted // len(every)),
        seed=seed,
        seconds=None if seconds is None else seconds / len(every),
        rechecked=RECHECKED if thorough is None else thorough,
        max_choices=max_answers,
        swarm=not uniform,
        archive=not uniform,
        jobs=jobs,
        corpus=corpus,
    )
    results: list[Result] = []
    with progress(None if wanted is None else (plan.games or 0) * len(every), quiet=json_wanted) as tell:
        for rules in every:
            results.append(run(rules, plan, told_after(results, tell)))
            if results[-1].failure is not None:
                break
    tried = list(zip(every, results, strict=False))
    if corpus is not None:
        _tell_damaged(corpus)
    if json_wanted:
        say_json(_plain(tried, plan, out, stem))
    else:
        for line in summary(tried, plan):
            say(line)
        rules, last = tried[-1]
        if last.failure is not None:
            tell_failure(rules, last.failure, out, stem)
    return 0 if good(results) else 1


def _tell_damaged(folder: Path) -> None:
    """Which logs of a corpus were passed over because they cannot be read."""
    from playtest.corpus import damaged

    found = damaged(folder)
    for path, error in found[:NAMED]:
        complain(f"passed over: {shown(path)}: {error.what}")
    if len(found) > NAMED:
        complain(f"and {len(found) - NAMED:,} more")


def good(results: Sequence[Result]) -> bool:
    """Whether no law was broken, and every number of players had a game that came to its end."""
    return all(result.failure is None and result.ended for result in results)


def run(rules: Rules, plan: Plan, tell: Callable[[Progress], None]) -> Result:
    """Fuzz, and report progress."""
    from playtest.fuzz import fuzzing
    from playtest.steps import finished

    return finished(fuzzing(rules, plan), tell)


# ---------------------------------------------------------------- while it runs


def told_after(results: Sequence[Result], tell: Callable[[Progress], None]) -> Callable[[Progress], None]:
    """Progress that counts the games of other runs too."""
    from attrs import evolve

    games, choices = sum(result.games for result in results), sum(result.choices for result in results)
    seconds = sum(result.seconds for result in results)

    def told(progress: Progress) -> None:
        tell(
            evolve(
                progress,
                games=progress.games + games,
                choices=progress.choices + choices,
                seconds=progress.seconds + seconds,
            )
        )

    return told


@contextmanager
def progress(games: int | None, quiet: bool) -> Iterator[Callable[[Any], None]]:
    """A progress bar on a terminal, nothing elsewhere."""
    out = console()
    if quiet or not out.is_terminal or not _interactive():
        yield lambda _: None
        return
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("  {task.description}"), BarColumn(12), TimeElapsedColumn())
    with Progress(*columns, console=out, transient=True) as bar:
        task = bar.add_task("", total=games)

        def tell(progress: Any) -> None:
            reached, points = progress.points
            seen = f" · {reached} of {points} points" if points else ""
            text = f"{progress.games:>7,} games · {_rate(progress.rate)}{seen}"
            bar.update(task, completed=progress.games, description=text)

        yield tell


def _interactive() -> bool:
    import sys

    return sys.stdout.isatty()


def _rate(rate: float) -> str:
    return f"{rate / 1000:,.0f} k answers/s" if rate >= 10_000 else f"{rate:,.0f} answers/s"


# ---------------------------------------------------------------- what came out


def summary(tried: Sequence[tuple[Rules, Result]], plan: Plan) -> list[str]:
    """What runs of games showed, in a few lines each."""
    lines: list[str] = []
    for rules, result in tried:
        head = f"{plural(len(rules.seats), 'player')}: " if len(tried) > 1 else ""
        lines += _run_lines(result, head, plan)
    lines += _unreached_lines([result for _, result in tried])
    broken = any(result.failure is not None for _, result in tried)
    endless = [len(rules.seats) for rules, result in tried if not result.ended]
    if endless and not broken:
        many = f" with {' and '.join(map(str, endless))} players" if len(tried) > 1 else ""
        lines.append(paint(f"  no game{many} came to its end", fg="red", bold=True) + "; no law was broken until then")
        lines.append("  give it more --games, --seconds or --max-answers, or see why nobody can end it")
    elif not broken:
        lines.append(paint("  no law was broken", fg="green"))
    return lines


def _run_lines(result: Result, head: str, plan: Plan) -> list[str]:
    draws = f" · {plural(result.draws, 'draw')}" if result.draws else ""
    known = f" · {plural(result.corpus, 'game')} of the corpus" if result.corpus else ""
    lines = [
        f"  {head}{plural(result.games, 'game')}{known} · {plural(result.answers, 'answer')}{draws} · {_rate(result.rate)}"
        f" · {result.rechecked:,} checked thoroughly · seed {result.seed}"
    ]
    if result.lengths:
        ends = ", ".join(f"{_winners(winners)} {count:,}" for winners, count in result.ends.items())
        lines.append(
            f"    {result.ended:,} ended after {result.shortest} to {result.longest} answers,"
            f" {result.mean_length:.1f} on average"
        )
        lines.append(f"    won by {ends}")
    if result.bursts:
        lines.append(f"    {result.bursts:,} played on for a while from something new")
    if result.cut:
        lines.append(f"    {result.cut:,} given up after {plan.max_choices:,} answers")
    return [part for line in lines for part in wrapped(line)]


def _winners(winners: tuple[str, ...]) -> str:
    return " and ".join(winners) or "nobody"


def unreached(results: Sequence[Result]) -> list[Any]:
    """The clauses that no run came to, and the guards that let nothing pass; none where a failure ended the runs early."""
    from rulesdsl.points import CLAUSE, GUARD, OTHERWISE

    if any(result.failure is not None for result in results):
        return []
    missed = [set(result.unreached) for result in results]
    return [
        point
        for point in (results[0].unreached if results else ())
        if all(point in others for others in missed)
        and (point.kind in (CLAUSE, OTHERWISE) or (point.kind == GUARD and point.outcome))
    ]


def _unreached_lines(results: Sequence[Result]) -> list[str]:
    points = unreached(results)
    if not points:
        return []
    named = [_point_text(point) for point in points[:NAMED]]
    more = len(points) - NAMED
    return wrapped(f"  never reached: {', '.join(named)}{f' and {more} more' if more > 0 else ''}")


def _point_text(point: Any) -> str:
    from rulesdsl.points import GUARD, OTHERWISE

    if point.kind == OTHERWISE:
        return f"otherwise of {point.clause} (line {point.span.line})"
    return f"{point.clause} held" if point.kind == GUARD else f"{point.clause} (line {point.span.line})"


# ---------------------------------------------------------------- as JSON


def _plain(tried: Sequence[tuple[Rules, Result]], plan: Plan, out: Path, stem: str) -> dict[str, Any]:
    """Runs as JSON data: the sums, and each of them."""
    runs = [{"players": len(rules.seats), **_numbers([result])} for rules, result in tried]
    results = [result for _, result in tried]
    data: dict[str, Any] = {"seed": plan.seed, **_numbers(results), "runs": runs}
    data["unreached"] = [
        {"kind": point.kind, "clause": point.clause, "place": point.place, "outcome": point.outcome}
        for point in unreached(results)
    ]
    rules, last = tried[-1]
    data["failure"] = None if last.failure is None else failure_plain(rules, last.failure, out, stem)
    return data


def _numbers(results: Sequence[Result]) -> dict[str, Any]:
    ends: Counter[tuple[str, ...]] = Counter()
    lengths: Counter[int] = Counter()
    for result in results:
        ends.update(result.ends)
        lengths.update(result.lengths)
    names = ("games", "answers", "draws", "rechecked", "ended", "bursts", "cut")
    data: dict[str, Any] = {name: sum(getattr(result, name) for result in results) for name in names}
    data["seconds"] = round(sum(result.seconds for result in results), 3)
    data["ends"] = [{"winners": list(winners), "games": count} for winners, count in ends.items()]
    data["lengths"] = {str(length): count for length, count in sorted(lengths.items())}
    return data
