"""A broken law as commands tell it: the report, where the game was saved, the command that replays it, a scenario to paste."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from table.console import paint, plural, say, show
from table.files import shown

if TYPE_CHECKING:
    from interpreter.rules import Rules
    from playtest.failure import Failure


def tell_failure(rules: Rules, failure: Failure, out: Path, stem: str) -> None:
    """Shrink a failure that was found by random games, save it and show it."""
    from playtest.logs import LogLaw
    from playtest.shrink import shrink

    small = shrink(rules, failure, logs=LogLaw(rules))
    shrunk = ""
    if small.failure.choices < small.choices_before:
        before = plural(small.choices_before, "answer")
        shrunk = f"shrunk from {before} to {small.failure.choices} in {small.seconds:.1f} s"
    _tell(rules, small.failure, shrunk, out, stem)


def tell_shortest(rules: Rules, failure: Failure, out: Path, stem: str) -> None:
    """Save a failure that no shorter game has, and show it."""
    shortest = f"  a shortest game that breaks it: {plural(len(failure.plies), 'ply', 'plies')}"
    _tell(rules, failure, shortest, out, stem)


def _tell(rules: Rules, failure: Failure, how_short: str, out: Path, stem: str) -> None:
    from rich.text import Text

    from playtest.report import report, save

    first, *rest = report(rules, failure).lines()
    say(paint(first, fg="red", bold=True))
    if how_short:
        say(how_short)
    show(Text(line) for line in rest)
    saved = save(rules, failure, out, stem)
    say(f"saved   {shown(saved.log)}")
    say(f"replay  {saved.command}")
    say(f"test    a scenario to paste is in {shown(saved.scenario)}")


def failure_plain(rules: Rules, failure: Failure, out: Path, stem: str, *, shrunk: bool = False) -> dict[str, Any]:
    """A failure as JSON data; it is saved, and made small before, if it is not `shrunk` yet."""
    from playtest.logs import LogLaw
    from playtest.report import report, save
    from playtest.shrink import shrink

    small = failure if shrunk else shrink(rules, failure, logs=LogLaw(rules)).failure
    told, saved = report(rules, small), save(rules, small, out, stem)
    return {
        "law": small.law,
        "clause": small.clause,
        "players": len(rules.seats),
        "place": told.place,
        "detail": told.detail,
        "values": [str(value) for value in told.values],
        "answers": [str(answer) for answer in told.answers],
        "log": str(saved.log),
        "scenario": str(saved.scenario),
        "replay": saved.command,
    }
