"""Bugs planted in the games, one clause each: `bugs/GAME.bugs`, small diffs with how each must be found.

`python tests/bugs.py [GAME] [PART OF A TITLE]` tries them all, or some, and says how and how soon each was found.
"""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from attrs import evolve, frozen
from patches import patched

from interpreter.game import Game
from playtest.failure import Failure
from playtest.fuzz import Plan, fuzzing
from playtest.scenarios import run_all
from playtest.shrink import Shrunk, shrink
from rulesdsl.diagnostics import RulesFileError, Source
from rulesdsl.program import check_source, read_source

FOLDER = Path(__file__).parent / "bugs"
GAMES = FOLDER.parent.parent / "games"
SECONDS = 60.0
AGAINST = ("conservation", "ownership", "bounds", "termination", "secrecy")
FUZZ, SCENARIO, CHECK = "fuzz", "scenario", "check"


@frozen
class Bug:
    """A bug: how it must be found (`fuzz`, `scenario`, `check`), what it is against, and the rules with it."""

    game: str
    title: str
    how: str
    against: str
    source: Source


@frozen
class Found:
    """How a bug was found. `by`: the law, the scenario or the code; empty: it was not."""

    by: str
    seconds: float
    shrunk: Shrunk | None = None
    players: int | None = None


def bugs(game: str) -> Iterator[Bug]:
    """The bugs of a game, in order."""
    rules = read_source(GAMES / f"{game}.rules")
    pieces = re.split(r"^={5,} (.+)$", (FOLDER / f"{game}.bugs").read_text(encoding="utf-8"), flags=re.MULTILINE)
    for title, body in zip(pieces[1::2], pieces[2::2], strict=True):
        lines, _, marks = body.strip("\n").partition("\n#! ")
        how, _, against = marks.strip().partition(" ")
        text = patched(rules.text, lines.split("\n"), title)
        yield Bug(game, title, how, against, evolve(rules, name=f"{game}.rules", text=text))


def every() -> Iterator[Bug]:
    """The bugs of all games."""
    for path in sorted(FOLDER.glob("*.bugs")):
        yield from bugs(path.stem)


def find(bug: Bug, seconds: float = SECONDS, seed: int = 0) -> Found:
    """Look for a bug in the way that must find it."""
    began = time.monotonic()
    if bug.how == CHECK:
        codes = {item.code for item in check_source(bug.source) if item.is_error}
        return Found(" ".join(sorted(codes)), time.monotonic() - began)
    game = Game(bug.source)
    if bug.how == SCENARIO:
        failed = next((result for result in run_all(game) if not result.passed), None)
        return Found(failed.text if failed is not None else "", time.monotonic() - began)
    for players in game.counts:
        rules = game.rules(players)
        failure = _fuzzed(rules, Plan(games=None, seed=seed, seconds=seconds / len(game.counts)))
        took = time.monotonic() - began
        if failure is not None:
            return Found(f"{failure.law}: {failure.clause}", took, shrink(rules, failure), players)
    return Found("", time.monotonic() - began)


def _fuzzed(rules: object, plan: Plan) -> Failure | None:
    run = fuzzing(rules, plan)  # type: ignore[arg-type]
    while True:
        try:
            next(run)
        except StopIteration as stop:
            result: Failure | None = stop.value.failure
            return result


def main(game: str = "", part: str = "") -> None:
    for bug in every():
        if game in bug.game and part in bug.title:
            try:
                found = find(bug)
            except RulesFileError as error:
                print(f"{bug.game}: {bug.title}: {error}")
                continue
            size = f", {found.shrunk.choices_before} → {found.shrunk.failure.choices} answers" if found.shrunk else ""
            print(f"{found.seconds:5.1f} s  {bug.game}: {bug.title} ({bug.how}): {found.by or 'NOT FOUND'}{size}", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
