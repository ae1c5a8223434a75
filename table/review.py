"""`rulesdsl review`: what a change of the rules does, on one page: clauses, scenarios, laws, figures, logs."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from attrs import field, frozen

from playtest.folders import REVIEW
from table.console import paint, plural, say, say_json, show, width
from table.files import find_for_click, shown
from table.options import as_json, no_colour, parameters, players, rules_file, with_variants

if TYPE_CHECKING:
    from interpreter.game import Game
    from interpreter.rules import Rules
    from playtest.figures import Comparison
    from playtest.fuzz import Plan as FuzzPlan
    from playtest.fuzz import Result
    from playtest.review import Scenarios, Stored
    from playtest.simulate import Plan, Simulation
    from rulesdsl.diff import Difference

EXAMPLES = """\b
Examples:
  rulesdsl review my.rules                   beside what was committed last
  rulesdsl review my.rules --against v1.2
  rulesdsl review old.rules new.rules --games 400 --jobs 2
  rulesdsl review atlantis --with atlantis_sprint
  rulesdsl review my.rules faster.rules --bots greedy --logs games/
"""


# So many of the figures that a game shows are named.
NAMED = 4


@frozen
class _Wanted:
    """What is played, and where games are written."""

    games: int
    bots: tuple[str, ...]
    seed: int
    jobs: int
    players: int | None
    out: Path


@frozen
class _Played:
    """What was played with both rules. `saved`: the games that show differences, by number, with their logs before and after."""

    rules: tuple[Rules, Rules]
    plans: tuple[Plan, Plan]
    sims: tuple[Simulation, Simulation]
    figures: Sequence[Comparison]
    shown: dict[int, list[Comparison]]
    saved: dict[int, tuple[Path, Path]] = field(factory=dict)


@click.command("review", epilog=EXAMPLES)
@rules_file
@click.argument("new", required=False, callback=lambda c, p, v: v and find_for_click(c, p, v))
@click.option("--against", metavar="REVISION", help="Which version of FILE in git to compare with.  [default: HEAD]")
@click.option("--games", type=click.IntRange(1), default=100, show_default=True, help="How many games to play.")
@click.option(
    "--bots", metavar="BOT,BOT", default="random", show_default=True, help="Who plays: see `rulesdsl compare`."
)
@click.option("--seed", type=int, default=0, show_default=True, help="The same seed plays the same games.")
@click.option("--jobs", type=click.IntRange(1), default=1, show_default=True, help="How many processes.")
@click.option(
    "--logs",
    "log_paths",
    type=click.Path(exists=True, path_type=Path),
    multiple=True,
    help="Logs, or folders of them, of games played before.  [default: those below the folder of FILE]",
)
@click.option(
    "--out", type=click.Path(file_okay=False, path_type=Path), default=REVIEW, help="Where games are written."
)
@with_variants
@parameters
@players
@as_json
@no_colour
def review_command(
    file: Path,
    new: Path | None,
    against: str | None,
    games: int,
    bots: str,
    seed: int,
    jobs: int,
    log_paths: tuple[Path, ...],
    out: Path,
    variants: tuple[Path, ...],
    params: dict[str, Any],
    players: int | None,
    json_wanted: bool,
) -> int:
    """Say what a change of the rules does.

    FILE is compared with its last committed version, with NEW, or with itself under the variants of --with: which clauses
    differ, which scenarios fail, whether random games break a law or leave somebody stuck, which figures differ between games
    of the same seeds, and which logged games the rules still do. For each claim there is a game to look at. The exit code is 1
    if a scenario fails or a law is broken.
    """
    from playtest.review import scenarios
    from rulesdsl.diff import difference
    from rulesdsl.program import compose_source
    from table.committed import committed
    from table.loading import load_both, source_of
    from table.simulating import bots_named

    if against is not None and (new or variants):
        raise click.UsageError("--against is for FILE alone")
    wanted = _Wanted(games, bots_named(bots), seed, jobs, players, out)
    alone = new is None and not variants
    first = committed(file, against or "HEAD") if alone else source_of(file)
    second = source_of(new or file, variants)
    both = load_both(first, second, params)
    composed = compose_source(second)
    found = difference(compose_source(first).module, composed.module, composed.overrides)
    if not json_wanted:
        beside = f"beside {against or 'HEAD'}" if alone else f"beside {first.name}"
        say(f"{paint(' + '.join(source.name for source in (second, *second.extras)), bold=True)}  {beside}")
        _say_clauses(found, first.text, second)
    tests = scenarios(first, second)
    if not json_wanted:
        _say_scenarios(tests, second.name)
    rules = _rules(both, players)
    same = [rules.program.digest for rules in rules[0]] == [rules.program.digest for rules in rules[1]] and not params
    fuzzed: list[tuple[Rules, Result]] = []
    played: _Played | None = None
    if not same:
        plan = _plan(wanted, len(rules[1]))
        fuzzed = _fuzz(rules[1], plan, json_wanted)
        if not json_wanted:
            _say_laws(fuzzed, plan, wanted, new or file, variants, both[1])
        played = None if _broken(fuzzed) else _compare(both, wanted, json_wanted)
        if played is not None and not json_wanted:
            _say_figures(played, wanted)
    elif not json_wanted:
        _head("Play")
        say("  what is played has not changed: only titles, remarks or scenarios have")
    logs = _stored(log_paths or (file.resolve().parent,), both)
    if json_wanted:
        say_json(_plain(found, tests, fuzzed, played, logs))
    else:
        _say_logs(logs, new or file, variants)
    return 1 if tests.tested.failed or _broken(fuzzed) else 0


def _head(text: str) -> None:
    say("")
    say(paint(text, bold=True, underline=True))


# ---------------------------------------------------------------- clauses and scenarios


def _say_clauses(found: Difference, first: str, second: Any) -> None:
    from table.changes import say_changes, unchanged

    _head("Clauses")
    texts = [text for text in second.all if text.text != first]
    say_changes(found, texts if len(texts) < len(second.all) else [])
    say(f"  {unchanged(found)}")


def _say_scenarios(tests: Scenarios, name: str) -> None:
    from rich.text import Text

    _head("Scenarios")
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


# ---------------------------------------------------------------- laws


def _rules(both: tuple[Game, Game], players: int | None) -> tuple[list[Rules], list[Rules]]:
    """The rules of both for every number of players that is asked for."""
    from table.loading import rules_for

    before, after = ([rules_for(game, n) for n in (game.counts if players is None else (players,))] for game in both)
    return before, after


def _plan(wanted: _Wanted, counts: int) -> FuzzPlan:
    from playtest.fuzz import Plan

    return Plan(games=-(-wanted.games // counts), seed=wanted.seed, jobs=wanted.jobs)


def _fuzz(every: Sequence[Rules], plan: FuzzPlan, quiet: bool) -> list[tuple[Rules, Result]]:
    """Random games with each number of players, until a law is broken."""
    from table.fuzzing import progress, run, told_after

    found: list[tuple[Rules, Result]] = []
    with progress((plan.games or 0) * len(every), quiet=quiet) as tell:
        for rules in every:
            found.append((rules, run(rules, plan, told_after([result for _, result in found], tell))))
            if found[-1][1].failure is not None:
                break
    return found


def _broken(fuzzed: Sequence[tuple[Rules, Result]]) -> bool:
    return any(result.failure is not None for _, result in fuzzed)


def _named(file: Path, variants: Sequence[Path]) -> str:
    """A file with its variants, as they are told to a command."""
    return shown(file) + "".join(f" --with {shown(path)}" for path in variants)


def _say_laws(
    fuzzed: Sequence[tuple[Rules, Result]],
    plan: FuzzPlan,
    wanted: _Wanted,
    file: Path,
    variants: Sequence[Path],
    game: Game,
) -> None:
    from table.fuzzing import tell_failure
    from table.loading import label_of

    _head("Laws")
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
    say(f"  more   rulesdsl fuzz {_named(file, variants)} --games {10 * wanted.games}")


# ---------------------------------------------------------------- figures


def _compare(both: tuple[Game, Game], wanted: _Wanted, quiet: bool) -> _Played:
    """Games of the same seeds by both rules; those that show differences are written."""
    from playtest.review import telling_games
    from playtest.simulate import Plan, comparisons
    from table.loading import rules_for
    from table.simulating import games_bar, simulated

    first, second = (rules_for(game, wanted.players) for game in both)
    confidence = 0.95
    with games_bar(wanted.games * 2, quiet=quiet) as tell:
        one, other = (
            simulated(rules, wanted.games, wanted.bots, wanted.seed, wanted.jobs, confidence, tell)
            for rules in (first, second)
        )
    plans = tuple(Plan.of(rules, wanted.games, wanted.bots, wanted.seed) for rules in (first, second))
    found = comparisons(one, other, confidence)
    played = _Played((first, second), (plans[0], plans[1]), (one, other), found, telling_games(one, other, found))
    for number in played.shown:
        played.saved[number] = _saved(played, number, wanted.out)
    return played


def _saved(played: _Played, number: int, out: Path) -> tuple[Path, Path]:
    """Write a game by both rules."""
    from playtest.simulate import game_log

    out.mkdir(parents=True, exist_ok=True)
    paths = []
    for rules, plan, when in zip(played.rules, played.plans, ("before", "after"), strict=True):
        path = out / f"{rules.program.name}-{plan.seed}-{number}-{when}.jsonl"
        game_log(rules, plan, number).save(path)
        paths.append(path)
    return paths[0], paths[1]


def _say_figures(played: _Played, wanted: _Wanted) -> None:
    from table.simulating import say_figures

    _head("Figures")
    bots, seats = ", ".join(dict.fromkeys(wanted.bots)), len(played.sims[1].seats)
    say(f"  {plural(wanted.games, 'game')} each with {plural(seats, 'player')}, bots {bots}, seed {wanted.seed}")
    differing = [item for item in played.figures if item.differs]
    if differing:
        say_figures(differing, played.sims[0].confidence, marked=False)
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


# ---------------------------------------------------------------- logs


def _stored(paths: Sequence[Path], both: tuple[Game, Game]) -> list[Stored]:
    """The logs that were given or found, under the rules after the change."""
    from playtest.review import logs_below, stored

    files: list[Path] = []
    for path in paths:
        files += logs_below(path, both[1]) if path.is_dir() else [path]
    return [stored(path, *both) for path in dict.fromkeys(files)]


def _say_logs(logs: Sequence[Stored], file: Path, variants: Sequence[Path]) -> None:
    if not logs:
        return
    _head("Logs")
    parting = [item for item in logs if not item.holds]
    for item in parting:
        say(f"  {paint('parts', fg='yellow', bold=True)}  {shown(item.path)}")
        say(f"         {_why(item)}" + ("" if item.before else "; it was not played by the rules before, either"))
    going, total = len(logs) - len(parting), plural(len(logs), "logged game")
    if going == len(logs):
        say(f"  {total} {'goes on as it was played' if going == 1 else 'go on as they were played'}")
    else:
        say(
            f"  {going or 'none'} of {total} {'go' if going > 1 else 'goes'} on as {'they were' if going > 1 else 'it was'} played"
        )
    if parting:
        say(f"  look   rulesdsl replay {shown(parting[0].path)} \\")
        say(f"           --with-current-rules --rules {_named(file, variants)}")


def _why(item: Stored) -> str:
    if item.done is None:
        return item.refused
    if item.done.difference is not None:
        return f"at record {item.done.difference.record} of {len(item.log.records)}: {item.done.difference.what}"
    return f"the rules fail: {item.done.fault}"


# ---------------------------------------------------------------- as JSON


def _plain(
    found: Difference,
    tests: Scenarios,
    fuzzed: Sequence[tuple[Rules, Result]],
    played: _Played | None,
    logs: Sequence[Stored],
) -> dict[str, Any]:
    from rulesdsl.diff import as_json as change_json
    from table.simulating import compared_plain

    failed = [result.text for result in tests.tested.failed]
    laws = [
        {
            "players": len(rules.seats),
            "games": result.games,
            "answers": result.answers,
            "broken": None if result.failure is None else f"{result.failure.law}: {result.failure.clause}",
        }
        for rules, result in fuzzed
    ]
    shown_games = [] if played is None else [
        {"game": number, "shows": [item.name for item in items], "logs": [str(path) for path in played.saved[number]]}
        for number, items in played.shown.items()
    ]  # fmt: skip
    return {
        "changes": [change_json(change) for change in found.changes],
        "unchanged": found.unchanged,
        "scenarios": {
            "passed": len(tests.tested.results) - len(failed),
            "failed": failed,
            "broken": list(tests.broken),
            "gone": list(tests.gone),
        },
        "laws": laws,
        "figures": [] if played is None else [compared_plain(item) for item in played.figures],
        "games": shown_games,
        "logs": [
            {
                "log": str(item.path),
                "holds": item.holds,
                "record": item.done.difference.record if item.done and item.done.difference else None,
                "why": "" if item.holds else _why(item),
            }
            for item in logs
        ],
    }
