"""`rulesdsl matches`: the matches of a store, and their way in and out."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from table.console import paint, plural, say, say_json
from table.files import shown, typed
from table.log_refs import MARK, default_store, journal_of, opened, refs_of
from table.options import Written, as_json, no_colour

if TYPE_CHECKING:
    from interpreter.store import Store

EXAMPLES = """\b
Examples:
  rulesdsl matches                               those of matches.db, or of RULESDSL_STORE
  rulesdsl matches club.db
  rulesdsl matches club.db --import atlanteon-4.jsonl
  rulesdsl matches club.db --export friday --to friday.jsonl
"""


@click.command("matches", epilog=EXAMPLES)
@click.argument("store", required=False, type=click.Path(path_type=Path))
@click.option(
    "--import", "imported", metavar="LOG", multiple=True, help="Copy a log, or all of a store, into the store."
)
@click.option("--export", "exported", metavar="MATCH", help="Copy a match out of the store.")
@click.option("--to", metavar="FILE", type=Written(), help="Where it goes: MATCH.jsonl if not given.")
@as_json
@no_colour
def matches_command(
    store: Path | None, imported: tuple[str, ...], exported: str | None, to: Path | None, json_wanted: bool
) -> int:
    """List the matches of a STORE, or copy logs into it and out of it, line by line.

    STORE is an SQLite database or a folder of log files; `rulesdsl play --store STORE` keeps a match there.
    """
    place = default_store() if store is None else store
    if to is not None and exported is None:
        raise click.UsageError("--to is for --export")
    if not imported and not place.exists():
        raise click.UsageError(f"there is no store `{place}`; `rulesdsl play GAME --store {typed(place)}` makes one")
    refs = [ref for name in imported for ref in refs_of(name)]
    made = opened(place)
    try:
        for ref in refs:
            _import(made, place, ref)
        if exported is not None:
            _export(made, exported, to)
        if not refs and exported is None:
            _list(made, place, json_wanted)
    finally:
        made.close()
    return 0


def _import(store: Store, place: Path, ref: Path) -> None:
    from interpreter.store import copy

    with journal_of(ref) as journal:
        count = copy(journal.store, journal.match, store)
        say(f"copied {shown(ref)} to {shown(place)}{MARK}{journal.match}: {plural(count, 'line')}")


def _export(store: Store, match: str, to: Path | None) -> None:
    from interpreter.file_store import log_file
    from interpreter.store import copy

    path = Path(f"{match}.jsonl") if to is None else to
    if path.exists():
        raise click.UsageError(f"there is a file {path} already")
    target = log_file(path)
    count = copy(store, match, target.store, target.match)
    target.close()
    say(f"copied {match} to {shown(path)}: {plural(count, 'line')}")


def _list(store: Store, place: Path, json_wanted: bool) -> None:
    counts = dict(store.matches())
    rows = [_row(match, counts[match], header, last) for match, header, last in _headers(store)]
    if json_wanted:
        say_json(rows)
        return
    say(f"{shown(place)}: {plural(len(rows), 'match', 'matches')}")
    if not rows:
        return
    columns = ["match", "game", "people"]
    wide = {column: max(len(str(row[column])) for row in rows) for column in columns}
    for row in rows:
        cells = "  ".join(f"{row[column]:<{wide[column]}}" for column in columns)
        say(f"  {cells}  {plural(row['records'], 'record'):>11}  {paint(row['status'], bold=row['status'] != 'open')}")
    still = next((row["match"] for row in rows if row["status"] == "open"), None)
    if still is not None:
        say(f"go on with one: rulesdsl play {typed(f'{place}{MARK}{still}')}")


def _headers(store: Store) -> Any:
    from interpreter.store import headers

    return headers(store)


def _row(match: str, count: int, header: Any, last: Any) -> dict[str, Any]:
    from interpreter.records import End

    if header is None:
        return {"match": match, "game": "?", "people": "", "records": count - 1, "status": "cannot be read"}
    game = " + ".join([header.game, *header.variants])
    status = "open"
    if isinstance(last, End):
        status = f"won by {' and '.join(last.winners)}" if last.winners else "nobody wins"
    people = f"{len(header.seats)} seats" + (f", {', '.join(header.humans)} by people" if header.humans else "")
    return {"match": match, "game": game, "people": people, "records": count - 1, "status": status}
