"""`rulesdsl mutate`: plants one small mistake after the other in a rules file, and says which of them nothing notices."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from table.console import console, paint, plural, say, say_json
from table.files import shown
from table.options import as_json, no_colour, parameters, rules_file, with_variants

if TYPE_CHECKING:
    from playtest.mutation import Verdict

EXAMPLES = """\b
Examples:
  rulesdsl mutate my.rules
  rulesdsl mutate atlantis --sample 100 --jobs 2
  rulesdsl mutate my.rules --verbose
"""


@click.command("mutate", epilog=EXAMPLES)
@rules_file
@click.option("--sample", type=click.IntRange(1), metavar="N", help="Try N of the mutants, chosen by the seed.")
@click.option("--seed", type=int, default=0, show_default=True, help="The same seed chooses the same sample.")
@click.option(
    "--games", type=click.IntRange(0), default=10, show_default=True, help="Random games against each mutant."
)
@click.option(
    "--seconds", type=click.FloatRange(0.1), default=10, show_default=True, help="At most so long for each mutant."
)
@click.option("--jobs", type=click.IntRange(1), default=1, show_default=True, help="How many processes.")
@click.option("-v", "--verbose", is_flag=True, help="Say of each mutant what noticed it.")
@with_variants
@parameters
@as_json
@no_colour
def mutate_command(
    file: Path,
    sample: int | None,
    seed: int,
    games: int,
    seconds: float,
    jobs: int,
    verbose: bool,
    variants: tuple[Path, ...],
    params: dict[str, Any],
    json_wanted: bool,
) -> int:
    """Change FILE in one place at a time, and see whether a scenario or a law notices.

    Guards and conditions are negated, numbers are one larger, players are swapped, effects are left out. What nothing notices is
    listed: each is a rule that could be wrong without anybody knowing, or a change that makes no difference. For the latter a
    file FILE.mutants may hold lines `MUTANT  # reason`, where MUTANT is what the list says.
    The exit code is 1 if a mutant without a reason is not noticed.
    """
    from playtest.mutation import SURVIVED, chosen, plan_of, reasons_in, trying
    from table.loading import load_game

    game = load_game(file, params, variants)
    known = file.with_suffix(".mutants")
    try:
        reasons = reasons_in(known) if known.is_file() else {}
    except ValueError as problem:
        raise click.UsageError(str(problem)) from None
    mutants = chosen(game, sample, seed)
    verdicts: list[Verdict] = []
    with _progress(len(mutants), quiet=json_wanted) as tell:
        for some in trying(plan_of(game, games, seconds), mutants, reasons, jobs):
            verdicts += some
            tell(len(some))
    stale = stale_reasons(reasons, verdicts) if sample is None else []
    if json_wanted:
        say_json(_plain(verdicts, stale))
    else:
        _say(shown(file), verdicts, stale, verbose)
    return 1 if stale or any(v.outcome == SURVIVED and not v.reason for v in verdicts) else 0


def stale_reasons(reasons: Mapping[str, str], verdicts: list[Verdict]) -> list[str]:
    """Reasons for mutants that are noticed, or are no more."""
    from playtest.mutation import SURVIVED

    surviving = {verdict.mutant.name for verdict in verdicts if verdict.outcome == SURVIVED}
    return [name for name in reasons if name not in surviving]


@contextmanager
def _progress(mutants: int, quiet: bool) -> Iterator[Callable[[int], None]]:
    """A progress bar on a terminal, nothing elsewhere."""
    import sys

    out = console()
    if quiet or not out.is_terminal or not sys.stdout.isatty():
        yield lambda _: None
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("  mutants"), BarColumn(24), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=out, transient=True) as bar:
        task = bar.add_task("", total=mutants)
        yield lambda count: bar.advance(task, count)


def _say(name: str, verdicts: list[Verdict], stale: list[str], verbose: bool) -> None:
    from playtest.mutation import NOTICED, REFUSED, SURVIVED

    for verdict in verdicts:
        if verdict.outcome == SURVIVED and not verdict.reason:
            say(f"{paint('not noticed', fg='yellow', bold=True)}  {verdict.mutant.name}   {verdict.mutant.place}")
        elif verdict.outcome == SURVIVED:
            say(f"{paint('known', dim=True):<11}  {verdict.mutant.name}: {verdict.reason}")
        elif verbose:
            by = f"by {verdict.by}" if verdict.outcome == NOTICED else "by the checker"
            say(f"{verdict.outcome:<11}  {verdict.mutant.name}  {by}")
    for name_ in stale:
        say(f"{paint('stale', fg='yellow')}        {name_} is noticed, or is no more: take its reason away")
    counted = Counter(verdict.outcome for verdict in verdicts)
    tried = counted[NOTICED] + counted[SURVIVED]
    share = f", {100 * counted[NOTICED] / tried:.1f} %" if tried else ""
    excused = sum(bool(verdict.reason) for verdict in verdicts)
    more = f" ({excused} with a reason)" if excused else ""
    say(
        f"{name}: {counted[NOTICED]} of {plural(tried, 'mutant')} noticed{share}; {counted[SURVIVED]} not noticed{more};"
        f" {counted[REFUSED]} more refused by the checker"
    )


def _plain(verdicts: list[Verdict], stale: list[str]) -> dict[str, Any]:
    counted = Counter(verdict.outcome for verdict in verdicts)
    return {
        "counted": dict(sorted(counted.items())),
        "stale": stale,
        "mutants": [
            {
                "kind": verdict.mutant.kind,
                "mutant": verdict.mutant.name,
                "place": verdict.mutant.place,
                "outcome": verdict.outcome,
                "by": verdict.by or None,
                "reason": verdict.reason or None,
            }
            for verdict in verdicts
        ],
    }
