"""`rulesdsl review`: what a change of the rules does, on one page: clauses, scenarios, laws, figures, logs."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from attrs import field, frozen

from playtest.folders import REVIEW
from table.console import paint, say, say_json
from table.files import find_for_click, typed
from table.options import Written, as_json, no_colour, parameters, players, rules_file, with_variants
from table.review_page import head, named, say_clauses, say_figures, say_laws, say_logs, say_scenarios, why

if TYPE_CHECKING:
    from interpreter.game import Game
    from interpreter.rules import Rules
    from playtest.figures import Comparison
    from playtest.fuzz import Plan as FuzzPlan
    from playtest.fuzz import Result
    from playtest.review import Scenarios, Stored
    from playtest.simulate import Plan, Simulation
    from rulesdsl.variants.diff import Difference

EXAMPLES = """\b
Examples:
  rulesdsl review my.rules                   beside what was committed last
  rulesdsl review my.rules --against v1.2
  rulesdsl review old.rules new.rules --games 400 --jobs 2
  rulesdsl review atlantis --with atlantis_sprint
  rulesdsl review my.rules faster.rules --bots greedy --logs games/
"""


@frozen
class Wanted:
    """What is played, and where games are written."""

    games: int
    bots: tuple[str, ...]
    seed: int
    jobs: int
    players: int | None
    out: Path


@frozen
class Played:
    """What was played with both rules by one number of players. `saved`: the games that show differences, by number, with their logs before and after."""

    rules: tuple[Rules, Rules]
    plans: tuple[Plan, Plan]
    sims: tuple[Simulation, Simulation]
    figures: Sequence[Comparison]
    shown: dict[int, list[Comparison]]
    saved: dict[int, tuple[Path, Path]] = field(factory=dict)

    @property
    def players(self) -> int:
        """How many play by the rules after the change."""
        return len(self.sims[1].seats)

    @property
    def differing(self) -> list[Comparison]:
        """The figures that differ."""
        return [item for item in self.figures if item.differs]


@click.command("review", epilog=EXAMPLES)
@rules_file
@click.argument("new", required=False, callback=lambda c, p, v: v and find_for_click(c, p, v))
@click.option("--against", metavar="REVISION", help="Which version of FILE in git to compare with.  [default: HEAD]")
@click.option(
    "--games",
    type=click.IntRange(1),
    default=100,
    show_default=True,
    help="How many games to play, shared out among the numbers of players.",
)
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
@click.option("--out", type=Written(folder=True), default=REVIEW, help="Where games are written.")
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
    from rulesdsl.program import compose_source
    from rulesdsl.variants.diff import difference
    from table.committed import committed
    from table.loading import load_both, source_of
    from table.simulating import bots_named

    if against is not None and (new or variants):
        raise click.UsageError("--against is for FILE alone")
    wanted = Wanted(games, bots_named(bots), seed, jobs, players, out)
    alone = new is None and not variants
    first = committed(file, against or "HEAD") if alone else source_of(file)
    second = source_of(new or file, variants)
    both = load_both(first, second, params)
    rules = _rules(both, players) if players is not None else None
    composed = compose_source(second)
    found = difference(compose_source(first).module, composed.module, composed.overrides)
    if not json_wanted:
        beside = f"beside {against or 'HEAD'}" if alone else f"beside {first.name}"
        say(f"{paint(' + '.join(source.name for source in (second, *second.extras)), bold=True)}  {beside}")
        say_clauses(found, first.text, second)
    tests = scenarios(first, second)
    if not json_wanted:
        say_scenarios(tests)
    rules = rules or _rules(both, players)
    same = [rules.program.digest for rules in rules[0]] == [rules.program.digest for rules in rules[1]] and not params
    fuzzed: list[tuple[Rules, Result]] = []
    played: list[Played] = []
    if not same:
        plan = _plan(wanted, len(rules[1]))
        fuzzed = _fuzz(rules[1], plan, json_wanted)
        if not json_wanted:
            say_laws(fuzzed, plan, wanted, new or file, variants, both[1])
        played = [] if _broken(fuzzed) else _compare(_pairs(rules), wanted, json_wanted)
        if played and not json_wanted:
            say_figures(played, wanted, _again(wanted, file, new, against, variants, params))
    elif not json_wanted:
        head("Play")
        say("  what is played has not changed: only titles, remarks or scenarios have")
    logs = _stored(log_paths or (file.resolve().parent,), both, out)
    if json_wanted:
        say_json(_plain(found, tests, fuzzed, played, logs))
    else:
        say_logs(logs, new or file, variants)
    return 1 if tests.tested.failed or _broken(fuzzed) else 0


# ---------------------------------------------------------------- laws


def _rules(both: tuple[Game, Game], players: int | None) -> tuple[list[Rules], list[Rules]]:
    """The rules of both for every number of players that is asked for."""
    from table.loading import rules_for

    before, after = ([rules_for(game, n) for n in (game.counts if players is None else (players,))] for game in both)
    return before, after


def _plan(wanted: Wanted, counts: int) -> FuzzPlan:
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


# ---------------------------------------------------------------- figures


def _pairs(rules: tuple[Sequence[Rules], Sequence[Rules]]) -> list[tuple[Rules, Rules]]:
    """Both rules for each number of players that both are for, or for the fewest of each where there is no such number."""
    before, after = ({len(item.seats): item for item in every} for every in rules)
    return [(before[n], after[n]) for n in before if n in after] or [(rules[0][0], rules[1][0])]


def _compare(pairs: Sequence[tuple[Rules, Rules]], wanted: Wanted, quiet: bool) -> list[Played]:
    """Games of the same seeds by both rules, with each number of players; those that show differences are written."""
    from table.simulating import games_bar

    games = -(-wanted.games // len(pairs))
    with games_bar(2 * games * len(pairs), quiet=quiet) as tell:
        found = [_played(pair, games, wanted, tell) for pair in pairs]
    for played in found:
        for number in played.shown:
            played.saved[number] = _saved(played, number, wanted.out, several=len(found) > 1)
    return found


def _played(pair: tuple[Rules, Rules], games: int, wanted: Wanted, tell: Callable[[int], None]) -> Played:
    """So many games by both rules."""
    from playtest.review import telling_games
    from playtest.simulate import Plan, comparisons
    from table.simulating import simulated

    confidence = 0.95
    one, other = (simulated(rules, games, wanted.bots, wanted.seed, wanted.jobs, confidence, tell) for rules in pair)
    plans = tuple(Plan.of(rules, games, wanted.bots, wanted.seed) for rules in pair)
    found = comparisons(one, other, confidence)
    return Played(pair, (plans[0], plans[1]), (one, other), found, telling_games(one, other, found))


def _saved(played: Played, number: int, out: Path, several: bool) -> tuple[Path, Path]:
    """Write a game by both rules. `several`: there are games of other numbers of players, too."""
    from playtest.simulate import game_log

    out.mkdir(parents=True, exist_ok=True)
    paths = []
    for rules, plan, when in zip(played.rules, played.plans, ("before", "after"), strict=True):
        name = f"{rules.program.name}-{played.players}p" if several else rules.program.name
        path = out / f"{name}-{plan.seed}-{number}-{when}.jsonl"
        game_log(rules, plan, number).save(path)
        paths.append(path)
    return paths[0], paths[1]


def _again(
    wanted: Wanted,
    file: Path,
    new: Path | None,
    against: str | None,
    variants: Sequence[Path],
    params: Mapping[str, Any],
) -> str:
    """The command that makes this review with more games."""
    from interpreter.codec import show as text

    words = ["rulesdsl review", named(file, ()), *([named(new, ())] if new is not None else [])]
    words += [f"--against {shlex.quote(against)}"] if against is not None else []
    words += [f"--with {typed(path)}" for path in variants]
    words += [f"-p {name}={text(value)}" for name, value in params.items()]
    words += [f"--bots {','.join(wanted.bots)}"] if wanted.bots != ("random",) else []
    words += [f"--players {wanted.players}"] if wanted.players is not None else []
    return " ".join([*words, f"--games {10 * wanted.games}"])


# ---------------------------------------------------------------- logs


def _stored(paths: Sequence[Path], both: tuple[Game, Game], out: Path) -> list[Stored]:
    """The logs that were given or found, but not those that a review has written, under the rules after the change."""
    from playtest.review import logs_below, stored

    files: list[Path] = []
    for path in paths:
        below = logs_below(path, *both) if path.is_dir() else [path]
        files += [log for log in below if log == path or log.resolve().parent != out.resolve()]
    return [stored(path, *both) for path in dict.fromkeys(files)]


# ---------------------------------------------------------------- as JSON


def _plain(
    found: Difference,
    tests: Scenarios,
    fuzzed: Sequence[tuple[Rules, Result]],
    played: Sequence[Played],
    logs: Sequence[Stored],
) -> dict[str, Any]:
    from rulesdsl.variants.diff import as_json as change_json
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
    games = [
        {
            "players": one.players,
            "game": number,
            "shows": [item.name for item in items],
            "logs": [str(path) for path in one.saved[number]],
        }
        for one in played
        for number, items in one.shown.items()
    ]
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
        "figures": [{"players": one.players, **compared_plain(item)} for one in played for item in one.figures],
        "games": games,
        "logs": [
            {
                "log": str(item.path),
                "holds": item.holds,
                "record": item.done.difference.record if item.done and item.done.difference else None,
                "why": "" if item.holds else why(item),
            }
            for item in logs
        ],
    }
