"""`rulesdsl coverage`: what scenarios and random games never come to in a rules file, by name."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING, Any

import click

from table.console import PLAIN_WIDTH, paint, plural, say, say_json
from table.files import shown
from table.options import Number, Written, as_json, no_colour, parameters, rules_file, with_variants

if TYPE_CHECKING:
    from interpreter.rules import Rules
    from playtest.coverage import Coverage, Missing
    from playtest.fuzz import Plan, Result

EXAMPLES = """\b
Examples:
  rulesdsl coverage my.rules
  rulesdsl coverage my.rules --games 0            what the scenarios alone leave out
  rulesdsl coverage atlantis --html coverage.html
"""

COLOURS = {
    "not reached": "red",
    "stale remark": "yellow",
    "one way only": "yellow",
    "no rulebook": "yellow",
    "uncited": "cyan",
    "unknown section": "red",
}


@click.command("coverage", epilog=EXAMPLES)
@rules_file
@click.option(
    "--games",
    type=click.IntRange(0),
    default=100,
    show_default=True,
    help="Random games for each number of players; 0: scenarios only.",
)
@click.option("--seconds", type=Number(0.1), help="At most so long for each number of players.")
@click.option("--jobs", type=click.IntRange(1), default=1, show_default=True, help="How many processes play.")
@click.option("--seed", type=int, default=0, show_default=True, help="The same seed plays the same games.")
@click.option("--html", type=Written(), help="Write the rules, coloured, beside the rulebook.")
@with_variants
@parameters
@as_json
@no_colour
def coverage_command(
    file: Path,
    games: int,
    seconds: float | None,
    jobs: int,
    seed: int,
    html: Path | None,
    variants: tuple[Path, ...],
    params: dict[str, Any],
    json_wanted: bool,
) -> int:
    """Run the scenarios of FILE and random games, and say what in the rules was never come to.

    Every clause should be reached, every guard seen to hold and to refuse, every condition seen true and false, every section of
    the rulebook cited by a clause, or marked `(not modelled)` in its heading. What cannot happen is remarked at the end of its
    line with a reason: `# never false: ...`, `# never true: ...`, `# never reached: ...`. The exit code is 1 while something is
    missing.
    """
    from playtest.coverage import cover
    from table.fuzzing import progress, run, told_after
    from table.loading import load_game

    game = load_game(file, params, variants)
    results: list[Result] = []

    def play(rules: Rules, plan: Plan) -> Result:
        results.append(run(rules, plan, told_after(results, tell)))
        return results[-1]

    with progress(games * len(game.counts), quiet=json_wanted) as tell:
        covered = cover(game, games, seed, seconds, jobs, play)
    missing = covered.missing()
    if html is not None:
        from table.cover_page import page

        html.write_text(page(covered), encoding="utf-8")
    if json_wanted:
        say_json(_plain(covered, missing))
    else:
        for item in missing:
            _say_missing(item)
        _say_summary(covered, missing)
        if html is not None:
            say(f"written {shown(html)}")
    return 1 if missing or covered.failed or covered.failure is not None else 0


def _say_missing(item: Missing) -> None:
    """What is missing, with its place at the end of the line, or under it where there is no room."""
    head = paint(f"{item.kind:<14}", fg=COLOURS[item.kind])
    room = PLAIN_WIDTH - 16 - len(item.place)
    if len(item.what) <= room - 2:
        say(f"{head}  {item.what:<{room}}{item.place}")
        return
    lines = wrap(item.what, PLAIN_WIDTH - 16, break_long_words=False, break_on_hyphens=False)
    say(f"\n{'':<16}".join([f"{head}  {lines[0]}", *lines[1:], item.place]))


def _say_summary(covered: Coverage, missing: list[Missing]) -> None:
    tried = f"{plural(len(covered.scenarios), 'scenario')} and {plural(covered.games, 'random game')}"
    for title in covered.failed:
        say(f'{paint("failed", fg="red", bold=True):<14}  scenario "{title}"; see rulesdsl test')
    if covered.failure is not None:
        told = f"{covered.failure.law}: {covered.failure.clause}"
        say(f"{paint('broken', fg='red', bold=True)}  a random game breaks {told}; see rulesdsl fuzz")
    if missing:
        say(f"{plural(len(missing), 'thing')} missing after {tried}")
        return
    cited = " Every section of the rulebook is cited or marked." if covered.books else ""
    text = f"Every clause was reached, every guard and condition seen both ways by {tried}.{cited}"
    for line in wrap(text, PLAIN_WIDTH):
        say(paint(line, fg="green"))


def _plain(covered: Coverage, missing: list[Missing]) -> dict[str, Any]:
    """What was covered as JSON data."""
    return {
        "games": covered.games,
        "scenarios": len(covered.scenarios),
        "failed": list(covered.failed),
        "broken": None if covered.failure is None else covered.failure.clause,
        "missing": [{"kind": item.kind, "what": item.what, "place": item.place} for item in missing],
        "points": [
            {
                "kind": point.kind,
                "clause": point.clause,
                "place": point.place,
                "outcome": point.outcome,
                "games": count.fuzz,
                "scenarios": sum(count.scenarios.values()),
            }
            for point, count in covered.counts.items()
        ],
        "sections": [_plain_section(covered, number) for number in covered.sections],
    }


def _plain_section(covered: Coverage, number: str) -> Mapping[str, Any]:
    section = covered.sections[number]
    scenarios, games = covered.exercised(number)
    return {
        "number": number,
        "title": section.title,
        "modelled": section.modelled,
        "cited_by": [cite.name for cite in covered.citing(number)],
        "scenarios": scenarios,
        "games": games,
    }
