"""What `rulesdsl review` prints, part by part."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from table.console import paint, plural, say, show, width, wrapped
from table.files import shown, typed

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

# Fewer games than that tell little.
TELLING = 30

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
    return typed(file) + "".join(f" --with {typed(path)}" for path in variants)


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


def say_figures(played: Sequence[Played], wanted: Wanted, again: str) -> None:
    """The figures that differ, for each number of players, with the games that show them. `again`: what plays more games."""
    head("Figures")
    bots = ", ".join(dict.fromkeys(wanted.bots))

    def say_head(some: Sequence[Played]) -> None:
        games, who = plural(len(some[0].sims[1].games), "game"), ", ".join(str(one.players) for one in some)
        say(f"  {games} each with {who} {'player' if who == '1' else 'players'}, bots {bots}, seed {wanted.seed}")

    same = [one for one in played if not one.differing]
    for one in played:
        if one.differing:
            say_head([one])
            _say_differing(one)
        elif one is same[0]:
            say_head(same)
            none = f"none of {plural(len(one.figures), 'figure')} differs" if len(same) == 1 else "no figure differs"
            few = len(one.sims[1].games) < TELLING
            say(f"  {none}{', as far as so few games tell' if few else ''}")
    if len(same) < len(played):
        say("  one figure in twenty differs by chance: more games tell")
    saved = [logs[1] for one in played for logs in one.saved.values()]
    if saved:
        say(f"  look   rulesdsl show {typed(saved[0])}")
    say(f"  more   {again}")


def _say_differing(played: Played) -> None:
    from table.figure_tables import figures

    differing, left = played.differing, len(played.figures) - len(played.differing)
    for line in figures(differing, played.sims[0].confidence, marked=False):
        say(line)
    if left:
        say(f"  {plural(left, 'other figure')} {'does' if left == 1 else 'do'} not differ")
    for number, items in played.shown.items():
        names = [item.name for item in items]
        told = [*names[:NAMED], f"and {len(names) - NAMED} more"] if len(names) > NAMED + 1 else names
        for line in textwrap.wrap(f"  game {number} shows: {', '.join(told)}", width(), subsequent_indent="    "):
            say(line)
        for when, path, sim in zip(("before", "after"), played.saved[number], played.sims, strict=True):
            say(f"    {when:<7} {shown(path)}  {plural(sim.games[number].answers, 'answer')}, {_winners(sim, number)}")


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
    at_once = [item for item in parting if item.at_once]
    alone = [item for item in parting if item not in at_once] if len(at_once) > 1 else parting
    for item in alone[:PARTING]:
        say(f"  {paint('parts', fg='yellow', bold=True)}  {shown(item.path)}")
        told = why(item) + (
            "" if item.before or item.log is None else "; it was not played by the rules before, either"
        )
        for line in textwrap.wrap(told, width(), initial_indent=" " * 9, subsequent_indent=" " * 9):
            say(line)
    if len(alone) > PARTING:
        say(f"  and {len(alone) - PARTING} more")
    if len(at_once) > 1:
        whats = " or ".join(
            dict.fromkeys(item.done.difference.what for item in at_once if item.done and item.done.difference)
        )
        who = "each of them parts" if len(at_once) == len(logs) else f"{len(at_once)} part"
        for line in wrapped(f"  {who} at record 0, before anybody is asked: {whats}"):
            say(line)
    going, total = len(logs) - len(parting), plural(len(logs), "logged game")
    if going == len(logs):
        say(f"  {total} {'goes on as it was played' if going == 1 else 'go on as they were played'}")
    else:
        say(
            f"  {going or 'none'} of {total} {'go' if going > 1 else 'goes'} on as {'they were' if going > 1 else 'it was'} played"
        )
    whole = [item for item in parting if item.log is not None]
    if whole:
        say(f"  look   rulesdsl replay {typed(whole[0].path)} \\")
        say(f"           --with-current-rules --rules {named(file, variants)}")


def why(item: Stored) -> str:
    """Why a log does not go on as it was played."""
    if item.done is None or item.log is None:
        return item.refused
    if item.done.difference is not None:
        return f"at record {item.done.difference.record} of {len(item.log.records)}: {item.done.difference.what}"
    return f"the rules fail: {item.done.fault}"
