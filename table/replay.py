"""`rulesdsl replay`: runs the answers of logs through the rules again, and says where they part."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from table.console import complain, paint, plural, say, say_json, show
from table.files import find_for_click, shown, typed
from table.log_refs import log_arguments, read_ref
from table.options import as_json, no_colour, with_variants
from table.show import game_of, show_position

if TYPE_CHECKING:
    from interpreter.log import Log
    from interpreter.match import Match
    from interpreter.replay import Difference, Replay

EXAMPLES = """\b
Examples:
  rulesdsl replay atlanteon-4.jsonl --verify
  rulesdsl replay games/logs/*/*.jsonl --verify
  rulesdsl replay old.jsonl --with-own-rules
  rulesdsl replay old.jsonl --with-current-rules
  rulesdsl replay old.jsonl --with-current-rules --with faster.rules
  rulesdsl replay fuzz/mine.jsonl --to 3
"""


@click.command("replay", epilog=EXAMPLES)
@log_arguments
@click.option(
    "--verify", is_flag=True, help="Compare each event and digest, fold the events alone, and only say how it went."
)
@click.option("--with-own-rules", "own", is_flag=True, help="By the rules that the log carries.")
@click.option(
    "--with-current-rules", "current", is_flag=True, help="By the rules as they are now: show where they part."
)
@click.option(
    "--rules", metavar="FILE", callback=lambda c, p, v: v and find_for_click(c, p, v), help="The current rules."
)
@with_variants
@click.option("--to", type=click.IntRange(0), metavar="N", help="Stop after N answers.")
@click.option("--repair", is_flag=True, help="Cut off a last line that was not written to its end.")
@as_json
@no_colour
def replay_command(
    logs: tuple[Path, ...],
    verify: bool,
    own: bool,
    current: bool,
    rules: Path | None,
    variants: tuple[Path, ...],
    to: int | None,
    repair: bool,
    json_wanted: bool,
) -> int:
    """Run the answers of a LOG through the rules again.

    LOG is a log, or the file of a series. Every event and every digest is compared. Without --verify the story and the last position are shown, too. A log that was
    played with other rules than the present ones is refused, unless you say with which it should be replayed.
    """
    if own and current:
        raise click.UsageError("--with-own-rules or --with-current-rules, not both")
    codes, plain = [], []
    for path in _logs_of(logs):
        code, data = _replay_one(path, verify, own, current, rules, variants, to, repair, json_wanted)
        codes.append(code)
        plain.append(data)
    if json_wanted:
        say_json(plain if len(plain) > 1 else plain[0])
    return max(codes)


def _logs_of(paths: tuple[Path, ...]) -> list[Path]:
    """The logs that are meant: a file of a series stands for the logs of its games."""
    from table.series import read_series

    found: list[Path] = []
    for path in paths:
        if path.suffix != ".json":
            found.append(path)
            continue
        try:
            found += [path.with_name(game.log) for game in read_series(path).games]
        except (ValueError, KeyError) as error:
            raise click.UsageError(str(error)) from None
    return found


def _replay_one(
    path: Path,
    verify: bool,
    own: bool,
    current: bool,
    rules: Path | None,
    variants: Sequence[Path],
    to: int | None,
    repair: bool,
    quiet: bool,
) -> tuple[int, dict[str, Any]]:
    """Replay a log; the exit code, and what was found as JSON data."""
    from interpreter.errors import LogError
    from interpreter.replay import fold, replay

    log = None
    try:
        log = read_ref(path, repair)
        if log.mended and not quiet:
            say(f"repaired {shown(path)}: {log.mended}")
        game = None if own else game_of(log, rules, variants)
        done = replay(log, game, own_rules=own or game is None, current_rules=current, checks=True)
        if done.difference is None and verify:
            fold(log, rules=done.match.rules)
    except LogError as error:
        if not quiet:
            _refused(path, error, carried=log is None or bool(log.header.rules))
        return 1, {
            "log": str(path),
            "ok": False,
            "refused": {"kind": error.kind, "record": error.record, "what": error.what},
        }
    if not quiet:
        _tell_replay(path, log, done, verify, to)
    return (1 if done.difference or done.fault else 0), _plain_replay(path, log, done)


def _refused(path: Path, error: Any, carried: bool) -> None:
    """Why a log is not replayed, and what can be done. `carried`: it carries its rules."""
    place = f"record {error.record}: " if error.record is not None and error.record >= 0 else ""
    complain(f"refused: {shown(path)}: {place}{error.what}")
    remedies = {
        "torn": f"`rulesdsl replay {typed(path)} --repair` mends it." if place else "",
        "program": "`--with-own-rules` replays it as it was; `--with-current-rules` shows where they part."
        if carried
        else "`--rules FILE` names them; with `--with-current-rules` other ones show where they part.",
    }
    if remedies.get(error.kind):
        complain(remedies[error.kind])


def _tell_replay(path: Path, log: Log, done: Replay, verify: bool, to: int | None) -> None:
    from interpreter.log import LoggedEvent
    from table.telling import ending

    match = done.match
    if match.started and not verify:
        number = match.number if to is None else min(to, match.number)
        show_position(match, match.at(number), None)
        if number == match.number and match.outcome is not None:
            show(ending(match))
    if done.difference is not None:
        _tell_difference(path, log, done)
    elif done.fault is not None:
        say(paint(f"the rules fail, as they did then: {done.fault}", fg="red"))
    else:
        events = sum(isinstance(item, LoggedEvent) for record in log.records for item in getattr(record, "then", ()))
        agree = f"{plural(len(log.answers), 'answer')}, {plural(events, 'event')}: all agree"
        say(f"{paint('verified', fg='green')}  {shown(path)}: {agree}")


def _tell_difference(path: Path, log: Log, done: Replay) -> None:
    """Where a log and the rules part."""
    difference = done.difference
    assert difference is not None
    record = difference.record
    if record:
        say(f"records 0 to {record - 1} agree" if record > 1 else "record 0 agrees")
    say(paint(f"record {record}", bold=True) + f"  {_record_text(log, record)}")
    say(f"  {difference.what}")
    say(f"  recorded   {difference.expected}")
    say(f"  now        {difference.got}")
    for line in _changed_clauses(log, done.match):
        say(f"  {line}")
    if record:
        say(f"  state before: rulesdsl show {typed(path)} --record {record - 1}")


def _record_text(log: Log, number: int) -> str:
    from interpreter.codec import show as text
    from interpreter.log import Answer

    record = log.records[number]
    if not isinstance(record, Answer):
        return type(record).__name__.lower()
    arguments = ", ".join(text(value) for value in record.answer.arguments.values())
    return f"{record.seat} {record.answer.action}" + (f"({arguments})" if arguments else "")


def _changed_clauses(log: Log, match: Match) -> list[str]:
    """Which clauses of the rules are others than when the log was played, and where they stand."""
    from interpreter.embedding import source_of
    from rulesdsl.program import compose_source
    from rulesdsl.variants.diff import difference

    if log.header.rules is None or match.rules.program.digest == log.header.digest:
        return []
    now = compose_source(match.rules.source)
    found = difference(compose_source(source_of(log.header.rules)).module, now.module, now.overrides)
    words = {"~": "changed", "-": "was removed", "+": "was added"}
    told = [
        f"{change.clause} {words[change.sign]} ({change.span.source.name}:{change.span.line})"
        for change in found.changes
        if change.kind not in ("scenario", "title")
    ]
    more = [f"and {len(told) - 5} more"] if len(told) > 5 else []
    return [f"{'because' if place == 0 else '':<10} {line}" for place, line in enumerate([*told[:5], *more])]


def _plain_replay(path: Path, log: Log, done: Replay) -> dict[str, Any]:
    difference: Difference | None = done.difference
    return {
        "log": str(path),
        "ok": difference is None and done.fault is None,
        "records": len(log.records),
        "agreed": done.agreed,
        "answers": len(log.answers),
        "difference": None
        if difference is None
        else {
            "record": difference.record,
            "what": difference.what,
            "recorded": difference.expected,
            "now": difference.got,
        },
        "fault": None if done.fault is None else str(done.fault),
    }
