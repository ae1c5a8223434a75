"""Looking at logs: `rulesdsl show` draws a position, `why` explains a move in it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from table.console import plural, say, say_json, show, width
from table.files import GAMES, packaged_games, packaged_variants
from table.log_refs import log_argument, read_ref
from table.options import as_json, no_colour

if TYPE_CHECKING:
    from interpreter.game import Game
    from interpreter.log import Log
    from interpreter.match import Match
    from interpreter.position import Position

SHOW_EXAMPLES = """\b
Examples:
  rulesdsl show atlanteon-4.jsonl
  rulesdsl show atlanteon-4.jsonl --at 12
  rulesdsl show cards.jsonl --at 3 --seat ana
  rulesdsl show matches.db#friday --tree
"""

WHY_EXAMPLES = """\b
Examples:
  rulesdsl why atlanteon-4.jsonl "place seven c3" --at 12
"""


def _at(command: Any) -> Any:
    """`--at` and `--record`, which choose a position of a log."""
    at = click.option(
        "--at", type=click.IntRange(0), metavar="N", help="The position after N answers; the last if not given."
    )
    record = click.option(
        "--record", type=click.IntRange(0), metavar="N", help="The position after record N of the log."
    )
    return at(record(command))


@click.command("show", epilog=SHOW_EXAMPLES)
@log_argument
@_at
@click.option("--seat", metavar="SEAT", help="As this seat sees it; a referee sees everything.")
@click.option("--last", type=click.IntRange(0), metavar="K", help="Tell only what followed the last K answers.")
@click.option("--tree", is_flag=True, help="Every answer of the log, undone ones too, as a tree.")
@as_json
@no_colour
def show_command(
    log: Path, at: int | None, record: int | None, seat: str | None, last: int | None, tree: bool, json_wanted: bool
) -> int:
    """Show a logged game: the story up to a position, and the table there.

    LOG is a log file, or `STORE#MATCH`.
    """
    from interpreter.view import REFEREE
    from table.telling import ending

    if tree:
        if (at, record, seat, last) != (None, None, None, None):
            raise click.UsageError("--tree shows the whole log, to a referee")
        _show_tree(log, json_wanted)
        return 0
    match = match_of(log)
    position = position_of(match, at, record)
    if seat is not None:
        check_seat(match, seat)
    viewer = seat if seat is not None else REFEREE
    if json_wanted:
        say_json({"number": position.number, **position.view(viewer).plain(match.rules.codec)})
        return 0
    show_position(match, position, seat, last)
    if position.number == match.number and match.outcome is not None:
        show(ending(match))
    elif position.question.kind == "choice":
        say(f"{position.question}: {plural(len(position.legal_moves()), 'move')}")
    return 0


def _show_tree(path: Path, json_wanted: bool) -> None:
    from table.tree import lines_of_tree, tree_of

    tree = tree_of(read_ref(path))
    if json_wanted:
        say_json(tree.plain())
    else:
        show(lines_of_tree(tree))


def show_position(match: Match, position: Position, seat: str | None, last: int | None = None) -> None:
    """The story up to a position and the table there."""
    from rich.text import Text

    from interpreter.view import REFEREE
    from playtest.drawing.state_view import lines_of_table
    from playtest.snapshot import snapshot
    from table.telling import chapter, title_lines

    viewer = seat if seat is not None else REFEREE
    path = path_to(position)
    chapters = [chapter(step, viewer) for step in path]
    told = chapters if last is None else chapters[len(chapters) - last :]
    lines = [line for lines in told for line in lines]
    before = snapshot(path[-2], viewer) if len(path) > 1 else None
    board = lines_of_table(snapshot(position, viewer), width(), before)
    show([*title_lines(match.rules.program.title, match.rules, {}, ""), *lines, Text(), *board, Text()])


def path_to(position: Position) -> list[Position]:
    """The positions from the set-up to this one."""
    from interpreter.position import Position

    return [Position(position.rules, node) for node in position.node.path()]


def match_of(path: Path) -> Match:
    """The match of a log, by the rules that it carries, or the present ones if it carries none.

    Raises:
        LogError: the log was altered, or the rules do not do what it says.
    """
    from interpreter.errors import LogError
    from interpreter.replay import replay

    log = read_ref(path)
    own = log.header.rules is not None
    done = replay(log, None if own else game_of(log), own_rules=own)
    if done.difference is not None:
        raise LogError("altered", str(done.difference), done.difference.record, str(path))
    return done.match


def position_of(match: Match, at: int | None, record: int | None) -> Position:
    """The position that `--at` or `--record` means."""
    if at is not None and record is not None:
        raise click.UsageError("--at or --record, not both")
    if record is not None:
        return _after_record(match, record)
    if at is None:
        return match.position
    if at > match.number:
        raise click.UsageError(f"--at {at}: the log has {plural(match.number, 'answer')}")
    return match.at(at)


def _after_record(match: Match, record: int) -> Position:
    """Where the match stood after a record; an undo, a redo or a branch names the record it goes to, a note changes nothing."""
    records = match.log.records
    if record >= len(records):
        raise click.UsageError(f"--record {record}: the log has records 0 to {len(records) - 1}")
    while record > 0 and not hasattr(records[record], "then"):
        record = getattr(records[record], "to", record - 1)
    return match.after_record(record)


def check_seat(match: Match, seat: str) -> None:
    """A usage error for a seat that is none."""
    from interpreter.errors import ValueProblem

    try:
        match.rules.seat(seat)
    except ValueProblem as problem:
        raise click.UsageError(str(problem)) from None


@click.command("why", epilog=WHY_EXAMPLES)
@log_argument
@click.argument("move")
@_at
@as_json
@no_colour
def why_command(log: Path, move: str, at: int | None, record: int | None, json_wanted: bool) -> int:
    """Explain why MOVE is or is not legal in a logged game: every guard, its place in the rules, and the values that decide."""
    import attrs

    from table.moves import MoveReader
    from table.telling import explained

    match = match_of(log)
    position = position_of(match, at, record)
    reading = MoveReader(match.rules.program).read(move, position.legal_moves())
    explanation = position.why(reading.move if reading.move is not None else reading.text)
    if json_wanted:
        say_json(attrs.asdict(explanation))
    else:
        show(explained(explanation))
    return 0


def game_of(log: Log, rules: Path | None = None, variants: Sequence[Path] = ()) -> Game | None:
    """The game of a log as its rules are now: from the file named, the files that the log names, or the package; None without.

    With `variants` it is the game with these, and not with those that the log names.
    """
    from table.loading import load_game

    if rules is not None:
        return load_game(rules, {}, variants)
    found = _files_of(log) or _packaged(log)
    if found is None:
        return None
    return load_game(found[0], {}, variants or found[1:])


def _files_of(log: Log) -> list[Path] | None:
    """The files of the rules that a log carries, if they are there: the game's own first, then variants used with it."""
    from interpreter.embedding import source_of

    if not log.header.rules:
        return None
    source = source_of(log.header.rules)
    names = [source.name, *(extra.name for extra in source.extras)]
    for folder in (Path(), GAMES, GAMES / "variants"):
        if all((folder / name).is_file() for name in log.header.rules):
            return [Path(os.path.normpath(folder / name)) for name in names]
    return None


def _packaged(log: Log) -> list[Path] | None:
    """The game of a log with its variants, as they come with the package."""
    game, variants = packaged_games().get(log.header.game), packaged_variants()
    if game is None or any(name not in variants for name in log.header.variants):
        return None
    return [game, *(variants[name] for name in log.header.variants)]
