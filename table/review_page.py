"""What `rulesdsl review` prints, part by part."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from table.console import paint, plural, say, show, width
from table.files import shown

if TYPE_CHECKING:
    from interpreter.game import Game
    from interpreter.rules import Rules
    from playtest.fuzz import Plan as FuzzPlan
    from playtest.fuzz import Result
    from playtest.review import Scenarios, Stored
    from playtest.simulate import Simulation
    from rulesdsl.diagnostics import Source
    from rulesdsl.variants.diff import Difference
    from table.review import Played, Wanted

# So many of the figures that a game shows are named.
NAMED = 4

# So many of the logs that part from the rules are named.
PARTING = 5


def head(text: str) -> None:
    """The heading of a part."""
    say("")
    say(paint(text, bold=True, underline=True))


def say_clauses(found: Difference, first: str, second: Source) -> None:
    from table.changes import say_changes, unchanged

    head("Clauses")
    texts = [text for text in second.all if text.text != first]
    say_changes(found, texts if len(texts) < len(second.all) else [])
    say(f"  {unchanged(found)}")


def say_scenarios(tests: Scenarios) -> None:
    from rich.text import Text

    head("Scenarios")
    for result in tests.tested.failed:
        show([Text("  ").append("failed", style="bold red").append("  ").append(result.text, style="bold")])
        show(Text(f"    {line}") for line in str(result.failure).splitlines())
        cause = tests.tested.causes.get(result.text)
        if cause is not None:
            show([Text(f"    {cause}")])
    failed, total = len(tests.tested.failed), len(tests.tested.results)
    if failed:
        earlier = failed - len(tests.broken)
        also = f", {earlier} of them before the change too" if earlier else ""
        count = f"{failed} of {plural(total, 'scenario')} failed"
        say(f"  {paint(count, fg='red')}{also}")
    else:
        say(f"  {plural(total, 'scenario')} passed" if total else "  there are no scenarios")
    if tests.gone:
        say(f"  {plural(len(tests.gone), 'scenario')} of before {'is' if len(tests.gone) == 1 else 'are'} gone")


def named(file: Path, variants: Sequence[Path]) -> str:
    """A file with its variants, as they are told to a command."""
    return shown(file) + "".join(f" --with {shown(path)}" for path in variants)


def say_laws(
    fuzzed: Sequence[tuple[Rules, Result]],
    plan: FuzzPlan,
    wanted: Wanted,
    file: Path,
    variants: Sequence[Path],
    game: Game,
) -> None:
    from table.broken_laws import tell_failure
    from table.loading import label_of

    head("Laws")
    results = [result for _, result in fuzzed]
    games, answers = sum(result.games for result in results), sum(result.answers for result in results)
    counts = ", ".join(str(len(rules.seats)) for rules, _ in fuzzed)
    say(f"  {plural(games, 'random game')} with {counts} players, {plural(answers, 'answer')}")
    rules, last = fuzzed[-1]
    if last.failure is not None:
        tell_failure(rules, last.failure, wanted.out, label_of(game))
        return
    say(paint("  no law was broken, and nobody was stuck", fg="green"))
    cut = sum(result.cut for result in results)
    if cut:
        say(f"  {plural(cut, 'game')} had not ended after {plan.max_choices:,} answers")
    say(f"  more   rulesdsl fuzz {named(file, variants)} --games {10 * wanted.games}")


def say_figures(played: Played, wanted: Wanted) -> None:
    from table.figure_tables import figures

    head("Figures")
    bots, seats = ", ".join(dict.fromkeys(wanted.bots)), len(played.sims[1].seats)
    say(f"  {plural(wanted.games, 'game')} each with {plural(seats, 'player')}, bots {bots}, seed {wanted.seed}")
    differing = [item for item in played.figures if item.differs]
    if differing:
        for line in figures(differing, played.sims[0].confidence, marked=False):
            say(line)
    left = len(played.figures) - len(differing)
    say(f"  {plural(left, 'other figure') if differing else 'none of ' + plural(left, 'figure')} "
        f"{'does not differ' if differing and left == 1 else 'do not differ' if differing else 'differs'}")  # fmt: skip
    for number, items in played.shown.items():
        names = [item.name for item in items]
        told = [*names[:NAMED], f"and {len(names) - NAMED} more"] if len(names) > NAMED + 1 else names
        for line in textwrap.wrap(f"  game {number} shows: {', '.join(told)}", width(), subsequent_indent="    "):
            say(line)
        for when, path, sim in zip(("before", "after"), played.saved[number], played.sims, strict=True):
            say(f"    {when:<7} {shown(path)}  {plural(sim.games[number].answers, 'answer')}, {_winners(sim, number)}")
    if played.shown:
        say(f"  look   rulesdsl show {shown(played.saved[next(iter(played.shown))][1])}")


def _winners(sim: Simulation, number: int) -> str:
    credits = sim.games[number].credits
    if credits is None:
        return "given up"
    names = [name for name, credit in zip(sim.seats, credits, strict=True) if credit]
    return f"won by {' and '.join(names)}" if names else "won by nobody"


def say_logs(logs: Sequence[Stored], file: Path, variants: Sequence[Path]) -> None:
    """How games that were logged go by the changed rules."""
    if not logs:
        return
    head("Logs")
    parting = [item for item in logs if not item.holds]
    for item in parting[:PARTING]:
        say(f"  {paint('parts', fg='yellow', bold=True)}  {shown(item.path)}")
        told = why(item) + ("" if item.before or item.log is None else "; it was not played by the rules before, either")
        for line in textwrap.wrap(told, width(), initial_indent=" " * 9, subsequent_indent=" " * 9):
            say(line)
    if len(parting) > PARTING:
        say(f"  and {len(parting) - PARTING} more")
    going, total = len(logs) - len(parting), plural(len(logs), "logged game")
    if going == len(logs):
        say(f"  {total} {'goes on as it was played' if going == 1 else 'go on as they were played'}")
    else:
        say(
            f"  {going or 'none'} of {total} {'go' if going > 1 else 'goes'} on as {'they were' if going > 1 else 'it was'} played"
        )
    whole = [item for item in parting if item.log is not None]
    if whole:
        say(f"  look   rulesdsl replay {shown(whole[0].path)} \\")
        say(f"           --with-current-rules --rules {named(file, variants)}")


def why(item: Stored) -> str:
    """Why a log does not go on as it was played."""
    if item.done is None or item.log is None:
        return item.refused
    if item.done.difference is not None:
        return f"at record {item.done.difference.record} of {len(item.log.records)}: {item.done.difference.what}"
    return f"the rules fail: {item.done.fault}"
