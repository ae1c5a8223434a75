"""`rulesdsl export` and `rulesdsl migrate`: logs as other things, and under new names."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from table.console import plural, say
from table.files import find_for_click, shown
from table.log_refs import in_store, log_argument, read_ref
from table.options import Written, no_colour, with_variants
from table.show import check_seat, game_of, match_of

if TYPE_CHECKING:
    from interpreter.match import Match

EXPORT_EXAMPLES = """\b
Examples:
  rulesdsl export atlanteon-4.jsonl                        a transcript
  rulesdsl export atlanteon-4.jsonl --as itf --to a.itf.json
  rulesdsl export cards.jsonl --as view --seat ana --to ana.jsonl
"""

MIGRATE_EXAMPLES = """\b
Examples:
  rulesdsl migrate old.jsonl names.json --to new.jsonl
  rulesdsl migrate old.jsonl names.json --rules my.rules

names.json: {"events": {"TowerRaised": "TowerBuilt"}, "members": {"seven": "seven_tile"}}
"""


@click.command("export", epilog=EXPORT_EXAMPLES)
@log_argument
@click.option(
    "--as",
    "form",
    type=click.Choice(["text", "itf", "view"]),
    default="text",
    help="A transcript, a trace for model checkers, or the log as one seat sees it.",
)
@click.option("--seat", metavar="SEAT", help="As this seat sees it; a referee without it (a spectator in a view).")
@click.option("--to", metavar="FILE", type=Written(), help="A new file to write to.")
@no_colour
def export_command(log: Path, form: str, seat: str | None, to: Path | None) -> int:
    """Write a LOG as something else: plain text, an ITF trace, or the log of a view."""
    if to is not None and to.exists():
        raise click.UsageError(f"there is a file {to} already")
    match = match_of(log)
    if seat is not None:
        if form == "itf":
            raise click.UsageError("a trace has the whole state: --seat is for text and view")
        check_seat(match, seat)
    text = _text(match, form, seat)
    if to is None:
        click.echo(text, nl=False)
        return 0
    to.write_text(text, encoding="utf-8")
    say(f"wrote {shown(to)}")
    return 0


def _text(match: Match, form: str, seat: str | None) -> str:
    from interpreter.itf import itf
    from interpreter.transcript import transcript

    if form == "view":
        return match.view_log(seat).data().decode()
    if form == "itf":
        return json.dumps(itf(match), ensure_ascii=False, indent=1) + "\n"
    return transcript(match) if seat is None else transcript(match, seat)


@click.command("migrate", epilog=MIGRATE_EXAMPLES)
@log_argument
@click.argument("mapping", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option(
    "--rules",
    metavar="FILE",
    callback=lambda c, p, v: v and find_for_click(c, p, v),
    help="The rules with the new names; those that the log names, as they are now, if not given.",
)
@with_variants
@click.option("--to", metavar="FILE", type=Written(), help="The new log.")
@no_colour
def migrate_command(log: Path, mapping: Path, rules: Path | None, variants: tuple[Path, ...], to: Path | None) -> int:
    """Rewrite a LOG for rules in which only names have changed, into a new log that says where it comes from.

    MAPPING is a JSON file: for `actions`, `events`, `arguments`, `draws`, `members`, `params` and `seats`, an object from
    old names to new ones. Where more than names has changed, the first difference is told and nothing is written.
    """
    from interpreter.migrate import migrate

    target = _target(log) if to is None else to
    if target.exists():
        raise click.UsageError(f"there is a file {target} already")
    old = read_ref(log)
    game = game_of(old, rules, variants)
    if game is None:
        raise click.UsageError("the rules of this log are not here: name them with --rules")
    made = migrate(old, game, _names(mapping))
    made.save(target)
    say(
        f"wrote {shown(target)}: {plural(len(made.records), 'record')}, all as the rules are now; {shown(log)} is as it was"
    )
    return 0


def _target(log: Path) -> Path:
    place = in_store(log)
    stem = log.name.removesuffix(".jsonl") if place is None else place[1]
    return (log.parent if place is None else Path()) / f"{stem}-migrated.jsonl"


def _names(path: Path) -> Any:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as problem:
        raise click.UsageError(f"{path} is not JSON: {problem}") from None
    if not isinstance(found, dict):
        raise click.UsageError(f"{path} is not a JSON object")
    return found
