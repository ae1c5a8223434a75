"""`rulesdsl verify`: everything that is wrong with logs, one line for each defect."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from table.console import paint, plural, say, say_json
from table.files import find_for_click, shown, typed
from table.log_refs import data_of_ref, in_store, log_arguments
from table.options import as_json, no_colour, with_variants
from table.show import game_of

if TYPE_CHECKING:
    from interpreter.game import Game
    from interpreter.log import Log
    from interpreter.verify import Defect, Verified

EXAMPLES = """\b
Examples:
  rulesdsl verify atlanteon-4.jsonl
  rulesdsl verify matches.db                     all matches of a store
  rulesdsl verify matches.db#friday
  rulesdsl verify old.jsonl --rules atlanteon
"""


@click.command("verify", epilog=EXAMPLES)
@log_arguments
@click.option(
    "--rules",
    metavar="FILE",
    callback=lambda c, p, v: v and find_for_click(c, p, v),
    help="By these rules, instead of those that the log carries.",
)
@with_variants
@as_json
@no_colour
def verify_command(logs: tuple[Path, ...], rules: Path | None, variants: tuple[Path, ...], json_wanted: bool) -> int:
    """Say everything that is wrong with a LOG, one line for each defect.

    The chain of hashes, the order of the records, each event and its arguments, the digests of the states, the program, and
    every answer run through the rules again. LOG is a log file, `STORE#MATCH`, or a store with all its matches.
    """
    from interpreter.verify import sound_part, verify

    plain, bad = [], 0
    for path in logs:
        data = data_of_ref(path)
        game = _game(data, rules, variants)
        found = verify(data, game)
        bad += bool(found.defects)
        sound = sound_part(data, found, game)
        plain.append(_plain(path, found, sound))
        if not json_wanted:
            _tell(path, found)
            if found.defects and found.defects[0].kind != "program":
                _tell_sound(path, found, sound)
    if json_wanted:
        say_json(plain if len(plain) > 1 else plain[0])
    return 1 if bad else 0


def _game(data: bytes, rules: Path | None, variants: tuple[Path, ...]) -> Game | None:
    """The game that a log is to be checked by; None: by the rules in it."""
    from interpreter.errors import LogError
    from interpreter.log import Log

    log = Log.of_lines(data.split(b"\n")[:1])
    try:
        own = log.header.rules is not None and rules is None and not variants
        return None if own else game_of(log, rules, variants)
    except (LogError, ValueError, KeyError, TypeError):  # its header is said to be wrong, without any game
        return None


def _tell(path: Path, found: Verified) -> None:
    for defect in found.defects:
        say(f"{paint(_place(path, defect), bold=True)}: {defect}")
    if found.defects:
        say(f"{paint(plural(len(found.defects), 'defect'), fg='red')} in {shown(path)}")
    elif found.log is not None:
        log = found.log
        told = f"{plural(len(log.records), 'record')}, {plural(len(log.answers), 'answer')}"
        closed = (
            "closed"
            if log.end is not None
            else "not closed, so that nothing tells whether lines are missing at its end"
        )
        how = "" if found.replayed else "; it does not carry its rules, and they were not looked at (--rules FILE)"
        say(f"{paint('ok', fg='green')}  {shown(path)}: {told}, {closed}{how}")


def _tell_sound(path: Path, found: Verified, sound: Log | None) -> None:
    """What of a log with defects is good, and how to keep it."""
    if sound is None:
        say("  not even its first record is sound")
        return
    last = len(sound.records) - 1
    records = f"records 0 to {last} are" if last else "record 0 is"
    by = "" if found.replayed or sound.header.rules is not None else "; the rules were not looked at"
    say(f"  {records} sound: {plural(len(sound.answers), 'answer')}{by}")
    if found.defects[0].kind == "torn":
        say(f"  keep them  rulesdsl replay {typed(path)} --repair")
    elif in_store(path) is None:
        say(f"  keep them  head -n {len(sound.records) + 1} {typed(path)} > sound.jsonl")


def _place(path: Path, defect: Defect) -> str:
    return f"{shown(path)}:{defect.line}"


def _plain(path: Path, found: Verified, sound: Log | None) -> dict[str, Any]:
    return {
        "log": str(path),
        "ok": not found.defects,
        "replayed": found.replayed,
        "sound": 0 if sound is None else len(sound.records),
        "defects": [
            {"kind": defect.kind, "record": defect.record, "line": defect.line, "what": defect.what}
            for defect in found.defects
        ],
    }
