"""`rulesdsl mutate`: plants one small mistake after the other in a rules file, and says which of them nothing notices."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING, Any

import click

from table.console import colour_wanted, complain, console, paint, plural, say, say_json, width
from table.files import shown
from table.options import Number, as_json, no_colour, parameters, rules_file, with_variants

if TYPE_CHECKING:
    from playtest.mutants import Mutant
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
    "--games", type=click.IntRange(0), default=20, show_default=True, help="Random games against each mutant."
)
@click.option(
    "--seconds", type=Number(0.1), default=10, show_default=True, help="At most so long for each mutant, in time of a processor."
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

    Conditions are negated, numbers are one larger, players are swapped, guards and effects are left out. What nothing notices is
    shown: each is a rule that could be wrong without anybody knowing, or a change that makes no difference. For the latter a
    file beside FILE, NAME.mutants, may hold lines `MUTANT  # reason`, where MUTANT is what stands after "not noticed".
    The exit code is 1 if a mutant without a reason is not noticed, or a reason is no longer needed.

    Of a variant, what stands in its own file is changed; what it leaves as it is belongs to the mutants of its base.
    Scenarios of the base that the variant keeps may notice, too.
    """
    from playtest.mutation import SURVIVED, Unfit, chosen, plan_of, reasons_in, trying
    from table.loading import load_game

    game = load_game(file, params, variants)
    known = file.with_suffix(".mutants")
    try:
        reasons = reasons_in(known) if known.is_file() else {}
    except ValueError as problem:
        raise click.UsageError(str(problem)) from None
    mutants = chosen(game, sample, seed)
    try:
        plan = plan_of(game, games, seconds)
    except Unfit as problem:
        complain(f"{shown(file)}: {problem}; mutants tell nothing until then")
        return 1
    verdicts: list[Verdict] = []
    with _progress(len(mutants), quiet=json_wanted) as tell:
        for some in trying(plan, mutants, reasons, jobs):
            verdicts += some
            tell(len(some), [line for verdict in some for line in _told(verdict, verbose)])
    stale = stale_reasons(reasons, verdicts) if sample is None else []
    if json_wanted:
        say_json(_plain(verdicts, stale))
    else:
        _say_summary(shown(file), verdicts, stale)
    return 1 if stale or any(v.outcome == SURVIVED and not v.reason for v in verdicts) else 0


def stale_reasons(reasons: Mapping[str, str], verdicts: list[Verdict]) -> list[str]:
    """Reasons for mutants that are noticed, or are no more."""
    from playtest.mutation import SURVIVED

    surviving = {verdict.mutant.name for verdict in verdicts if verdict.outcome == SURVIVED}
    return [name for name in reasons if name not in surviving]


@contextmanager
def _progress(mutants: int, quiet: bool) -> Iterator[Callable[[int, Sequence[str]], None]]:
    """A function that is told how many mutants more were tried, and what to say of them. There is a progress bar on a terminal."""
    import sys

    out = console()
    if quiet:
        yield lambda _count, _lines: None
        return
    if not out.is_terminal or not sys.stdout.isatty():
        yield lambda _count, lines: say("\n".join(lines)) if lines else None
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
    from rich.text import Text

    columns = (TextColumn("  mutants"), BarColumn(24), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=out, transient=True) as bar:
        task = bar.add_task("", total=mutants)

        def tell(count: int, lines: Sequence[str]) -> None:
            for line in lines:
                out.print(Text.from_ansi(line))
            bar.advance(task, count)

        yield tell


def _told(verdict: Verdict, verbose: bool) -> Iterator[str]:
    """What is said of a mutant, if anything."""
    from playtest.mutation import NOTICED, SURVIVED
    from rulesdsl.diagnostics import excerpt

    mutant, colour = verdict.mutant, colour_wanted()
    if verdict.outcome == SURVIVED and not verdict.reason:
        yield f"{paint('not noticed', fg='yellow', bold=True)}  {mutant.name}"
        yield excerpt(mutant.span, _changed(mutant), _hints(verdict), colour=colour, width=width())
        yield ""
    elif verdict.outcome == SURVIVED:
        yield f"{paint('known      ', dim=True)}  {mutant.name}"
        for line in wrap(verdict.reason, width() - 13):
            yield f"{'':<13}{line}"
    elif verbose:
        yield f"{verdict.outcome:<11}  {mutant.name}"
        yield f"{'':<13}by {verdict.by if verdict.outcome == NOTICED else 'the checker'}"


def _say_summary(name: str, verdicts: list[Verdict], stale: list[str]) -> None:
    from playtest.mutation import NOTICED, REFUSED, SURVIVED

    for name_ in stale:
        say(f"{paint('stale      ', fg='yellow')}  {name_}")
        say(f"{'':<13}is noticed, or is no more: take its reason away")
    counted = Counter(verdict.outcome for verdict in verdicts)
    tried = counted[NOTICED] + counted[SURVIVED]
    share = f", {100 * counted[NOTICED] / tried:.1f} %" if tried else ""
    excused = sum(bool(verdict.reason) for verdict in verdicts)
    more = f" ({excused} with a reason)" if excused else ""
    told = (
        f"{name}: {counted[NOTICED]} of {plural(tried, 'mutant')} noticed{share}; {counted[SURVIVED]} not noticed{more};"
        f" {counted[REFUSED]} more refused by the checker"
    )
    for line in wrap(told, width()):
        say(line)


def _changed(mutant: Mutant) -> str:
    """What a mutant makes of the text that is underlined."""
    from playtest.mutants import LEFT_OUT, NEGATED

    return mutant.kind if mutant.kind in (NEGATED, LEFT_OUT) else f"`{mutant.after}` in its place"


def _hints(verdict: Verdict) -> Iterator[str]:
    """Who could have noticed, and what would."""
    from playtest.mutants import LEFT_OUT, NEGATED, OFF_BY_ONE

    mutant, near = verdict.mutant, verdict.near
    if mutant.owner.split(" ")[0] in ("const", "enum", "state"):
        yield "write a scenario that expects this value, or something that follows from it"
    else:
        titles = ", ".join(f'"{title}"' for title in near[:2])
        others = f" and {plural(len(near) - 2, 'more', 'more')}" if len(near) > 2 else ""
        yield f"these come here, and pass all the same: {titles}{others}" if near else "no scenario comes here"
        if mutant.clause.startswith("require"):
            action, name = mutant.clause.removeprefix("require ").split(".")
            refused = f"`expect illegal ... {action} by {name}`"
            just = (
                "just beyond the limit, and a move that is just allowed"
                if mutant.kind == OFF_BY_ONE
                else "and a move that it allows"
            )
            yield f"write {refused} {just}"
        elif mutant.kind == NEGATED:
            yield "write a scenario for each outcome of the condition, and expect what differs"
        elif mutant.kind == OFF_BY_ONE:
            yield "write a scenario at the limit, where one more or less makes a difference"
        elif mutant.kind == LEFT_OUT and mutant.before.startswith("emit"):
            event = mutant.before.removeprefix("emit").split("(")[0].strip()
            yield f"write `expect event {event}(...)`, or expect what it changes"
        elif mutant.kind == LEFT_OUT:
            yield "write a scenario that expects what it does"
        else:
            yield "write a scenario in which the next player fares otherwise, and expect who it is, or `expect event ...`"
    if not verdict.whole:
        yield "the time was too short to try everything: see --seconds"


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
