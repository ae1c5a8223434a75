"""`rulesdsl demo`: everything that comes from one rules file, shown on Atlanteon, and other games in short; about a minute."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from table.console import paint, plural, say, show
from table.files import find_rules, shown
from table.options import Number, Written, no_colour

if TYPE_CHECKING:
    from interpreter.game import Game
    from interpreter.match import Match

GAME = "atlanteon"
SEED = 4
CHANGED = ("param markers: 1..25 = 11", "param markers: 1..25 = 10")

EXAMPLES = """\b
Examples:
  rulesdsl demo
  rulesdsl demo --seed 7 --seconds 10
"""


@click.command("demo", epilog=EXAMPLES)
@click.option("--seed", type=int, default=SEED, show_default=True, help="Which game the bots play.")
@click.option("--seconds", type=Number(0.1), default=3.0, show_default=True, help="How long to fuzz.")
@click.option(
    "--dir", "folder", type=Written(folder=True), default="demo", help="Where the log goes."
)
@no_colour
def demo_command(seed: int, seconds: float, folder: Path) -> int:
    """See it all in a minute: a game of Atlanteon by bots, its log, undo, an explanation, fuzzing, a change, and other games."""
    from table.demo_games import GAMES, show_game
    from table.loading import load_game

    file = find_rules(GAME)
    game = load_game(file, {})
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{GAME}-{seed}.jsonl"
    path.unlink(missing_ok=True)

    _heading("A game", f"everything below comes from {shown(file)} alone")
    match = _play(game, path, seed)
    _heading("Its log", "append-only, chained by hashes, with its own rules in it")
    _verify(game, path)
    _tamper(path)
    _heading("Undo and redo", "positions are kept, the log only grows")
    _undo(match)
    _heading("Why not?", "the reason, where it stands in the rules, and the values that decided")
    _refuse(match)
    _heading("Fuzzing", "random games; every law is checked in each")
    broken = _fuzz(game, seed, seconds)
    match.close()
    _heading("A change", "ten markers for each side instead of eleven; what does that do?")
    _change(file, folder)
    for other in GAMES:
        _heading(other.heading, other.says)
        show_game(other, folder, seed - SEED)
    say(f"\nNow you:  rulesdsl play {GAME} --human guardian")
    return 1 if broken else 0


def _heading(title: str, text: str) -> None:
    say(f"\n{paint(title, bold=True)} {paint('· ' + text, dim=True)}\n")


def _play(game: Game, path: Path, seed: int) -> Match:
    """Bots play a game, told as it goes."""
    from table.play import bots_for, watch
    from table.telling import ending

    match = game.new(seed=seed, log=path)
    watch(match, bots_for(match, "random", seed), game.title, path)
    show(ending(match))
    return match


def _verify(game: Game, path: Path) -> None:
    """The log, replayed by its answers and folded by its events."""
    from interpreter.log import read_log
    from interpreter.replay import fold, replay

    log = read_log(path)
    done = replay(log, game)
    folded = fold(log, game)
    same = done.difference is None and folded.state.digest == done.match.state.digest
    say(f"  {shown(path)}: {plural(len(log.records), 'record')}, {path.stat().st_size:,} bytes")
    say(f"  replayed by its answers: {'every event and digest agrees' if done.difference is None else done.difference}")
    say(
        f"  folded by its events alone: {'the same state' if same else 'another state'}, digest {folded.state.digest[:12]}"
    )


def _tamper(path: Path) -> None:
    """A changed letter in a copy of the log, and what is said of it."""
    from interpreter.errors import LogError
    from interpreter.log import parse_log

    altered = path.read_bytes().replace(b'"tile":"seven"', b'"tile":"eight"', 1)
    try:
        parse_log(altered)
    except LogError as error:
        say(f"  a copy in which somebody made a seven an eight is refused:\n    {error}")


def _undo(match: Match) -> None:
    """Three answers taken back and made again."""
    last, before = match.number, match.state
    for _ in range(3):
        match.undo()
    assert match.state == match.at(last - 3).state
    say(f"  undone to move {match.number}: {match.question}")
    while match.can_redo():
        match.redo()
    assert match.state == before
    say(f"  redone to move {match.number}: {match.question}")
    say(f"  the log has {plural(len(match.log.records), 'record')} now")


def _refuse(match: Match) -> None:
    """A move that is not possible, in the middle of the game."""
    from table.telling import explained

    position = match.at(match.number // 2)
    for move in _not_legal(match, match.number // 2):
        say(f"  {position.question.seat}> why {move}")
        lines = explained(position.why(move))
        for line in lines:
            line.pad_left(2)
        show(lines)


def _not_legal(match: Match, number: int) -> list[str]:
    """Two placements that the rules refuse after so many answers: on a tile, and with a tile that is not in hand."""
    position = match.at(number)
    seat = position.question.seat
    placed = [(who, move) for who, move in position.answers if move.action == "place"]
    legal = next(move for move in position.legal_moves() if move.action == "place")
    own = next(move for who, move in placed if who == seat)
    taken, free = placed[-1][1].arguments["at"], legal.arguments["at"]
    return [f"place({legal.arguments['tile']}, {taken})", f"place({own.arguments['tile']}, {free})"]


def _fuzz(game: Game, seed: int, seconds: float) -> bool:
    """Random games for a few seconds; whether a law was broken."""
    from playtest.fuzz import Plan
    from table.fuzzing import progress, run, summary

    rules = game.rules()
    plan = Plan(games=None, seed=seed, seconds=seconds)
    with progress(None, quiet=False) as tell:
        result = run(rules, plan, tell)
    for line in summary([(rules, result)], plan):
        say(line)
    return result.failure is not None


def _change(file: Path, folder: Path) -> None:
    """The rules with another number, reviewed beside the game."""
    from table.review import review_command

    before = file.read_text(encoding="utf-8")
    changed = folder / f"{GAME}-10.rules"
    changed.write_text(before.replace(*CHANGED), encoding="utf-8")
    say(f"  $ rulesdsl review {shown(file)} {shown(changed)}")
    click.get_current_context().invoke(review_command, file=file, new=changed, games=50, out=folder, params={})
