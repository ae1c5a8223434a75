"""`rulesdsl play`: a game in the terminal, or several in a row, with people, bots, or bots alone."""

from __future__ import annotations

import os
import random
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from attrs import evolve, frozen

from table.console import paint, say, say_json, show, width
from table.files import find_rules, free_path, shown, typed
from table.log_refs import MARK, default_store, free_match, in_store, is_ref, journal_of, read_ref, refs_of
from table.options import Written, as_json, no_colour, parameters, players, with_variants
from table.series import leaders

if TYPE_CHECKING:
    from interpreter.game import Game
    from interpreter.match import Match
    from interpreter.store import Durability
    from playtest.bots import Bot
    from table.series import Series

EXAMPLES = """\b
Examples:
  rulesdsl play atlanteon                              bots play, you watch
  rulesdsl play atlanteon --human guardian             you against a bot
  rulesdsl play atlanteon --human all                  two people, one keyboard
  rulesdsl play my.rules -p size=7 --seed 4 --log my.jsonl
  rulesdsl play atlanteon --series 2 --swap            two games, sides swapped
  rulesdsl play atlanteon --store club.db              keep it in a store
  rulesdsl play atlanteon-4.jsonl                      go on with a game
  rulesdsl play club.db#atlanteon-4 --from 12          from an earlier record on
  rulesdsl play atlantis --with atlantis_boats         with a variant, or several
"""


@frozen
class Wishes:
    """What was asked for on the command line."""

    humans: tuple[str, ...]
    seed: int
    log: Path | None
    keep_log: bool
    players: int | None
    bot: str
    quiet: bool
    durability: Durability = "each"


@click.command("play", epilog=EXAMPLES)
@click.argument("file")
@click.option(
    "--human", "humans", metavar="SEAT", multiple=True, help="A seat for a person; may be repeated. `all`: every seat."
)
@click.option(
    "--bot",
    metavar="BOT",
    default="random",
    callback=lambda context, parameter, value: _known_bot(value),
    help="Who takes the other seats: random, first, greedy or mcts; what it goes by after a colon: greedy:points, mcts:800.",
)
@click.option("--seed", type=int, help="Draws and bots follow from it; chosen by chance if not given.")
@click.option("--log", type=Written(made=True), help="Where the log goes; GAME-SEED.jsonl if not given.")
@click.option("--no-log", is_flag=True, help="Keep no log.")
@click.option(
    "--store",
    metavar="PATH",
    type=click.Path(path_type=Path),
    help="Keep the match in a store: an SQLite database, or a folder. RULESDSL_STORE can name one, too.",
)
@click.option("--match", "match_name", metavar="NAME", help="The name in the store; GAME-SEED if not given.")
@click.option(
    "--durability",
    type=click.Choice(["each", "batch", "none"]),
    default="each",
    help="When answers are on the disk: each at once, some together, or as the system likes.",
)
@click.option("--from", "start", metavar="RECORD", type=click.IntRange(0), help="Go on with a log from this record on.")
@click.option(
    "--series", type=click.IntRange(1), default=1, metavar="N", help="Play N games and add up what people win."
)
@click.option("--swap", is_flag=True, help="In a series, everybody moves on by a seat after each game.")
@click.option(
    "--name",
    "names",
    metavar="NAME",
    multiple=True,
    help="In a series, who starts in the first seat, in the second ...",
)
@with_variants
@parameters
@players
@as_json
@no_colour
def play_command(
    file: str,
    humans: tuple[str, ...],
    bot: str,
    seed: int | None,
    log: Path | None,
    no_log: bool,
    store: Path | None,
    match_name: str | None,
    durability: Durability,
    start: int | None,
    series: int,
    swap: bool,
    names: tuple[str, ...],
    variants: tuple[Path, ...],
    params: dict[str, Any],
    players: int | None,
    json_wanted: bool,
) -> int:
    """Play a game in the terminal.

    FILE is a rules file, the name of a game that comes with rulesdsl, or the log of a game that is not over. Seats without a
    person are played by bots. At the prompt, `?` says what can be typed.
    """
    if is_ref(file):
        if variants:
            raise click.UsageError("a log has its variants with it: --with is for new games")
        if store is not None or log is not None:
            raise click.UsageError("a match goes on where it is; `rulesdsl matches --import` copies it into a store")
        return _go_on(_one_log(file), humans, bot, seed, start, durability)
    if start is not None:
        raise click.UsageError("--from is for going on with a log")
    game = _load(file, params, variants)
    if store is None and log is None and os.environ.get("RULESDSL_STORE"):
        store = default_store()
    if store is not None and not no_log:
        log = _place_in(store, match_name or "", log, game, seed := random.randrange(10_000) if seed is None else seed)
    wishes = Wishes(
        humans=_seats_of(game, humans, players),
        seed=random.randrange(10_000) if seed is None else seed,
        log=log,
        keep_log=not no_log,
        players=players,
        bot=bot,
        quiet=json_wanted,
        durability=durability,
    )
    if json_wanted and humans:
        raise click.UsageError("--json is for games that bots play alone")
    if series > 1:
        return _play_series(game, wishes, series, swap, names)
    match, path = _new_match(game, wishes)
    over = _play_one(game, match, path, wishes)
    if json_wanted:
        say_json({"game": game.name, "seed": wishes.seed, "log": None if path is None else str(path), **result(match)})
    return 0 if over or humans else 1


def _one_log(file: str) -> Path:
    found = refs_of(file)
    if len(found) != 1:
        raise click.UsageError(f"`{file}` is a store of {len(found)} matches: name one, as {file}{MARK}MATCH")
    return found[0]


def _place_in(store: Path, name: str, log: Path | None, game: Game, seed: int) -> Path:
    """Where a new match stands in a store."""
    from table.loading import label_of

    if log is not None:
        raise click.UsageError("--store or --log, not both")
    return Path(f"{store}{MARK}{name}") if name else free_match(store, f"{label_of(game)}-{seed}")


def _load(file: str, params: dict[str, Any], variants: Sequence[Path]) -> Game:
    from table.loading import load_game

    try:
        return load_game(find_rules(file), params, variants)
    except FileNotFoundError as error:
        raise click.UsageError(str(error)) from None


def _known_bot(name: str) -> str:
    """The name of a bot.

    Raises:
        click.BadParameter: there is none of this name.
    """
    from playtest.bots import bot

    try:
        bot(name)
    except ValueError as problem:
        raise click.BadParameter(str(problem)) from None
    return name


def _seats_of(game: Game, humans: Sequence[str], players: int | None) -> tuple[str, ...]:
    """The seats that people take: each may be named by its beginning."""
    from rulesdsl.diagnostics import closest
    from table.loading import rules_for

    seats = rules_for(game, players).seats
    if "all" in humans and "all" not in seats:
        return seats
    taken = []
    for human in humans:
        found = [seat for seat in seats if seat == human] or [seat for seat in seats if seat.startswith(human)]
        if len(found) != 1:
            meant = closest(human, seats)
            hint = f"did you mean `{meant}`?" if meant else f"there are {', '.join(seats)}"
            raise click.UsageError(f"`{human}` is not a seat of {game.name}; {hint}")
        taken.append(found[0])
    return tuple(seat for seat in seats if seat in taken)


def _new_match(game: Game, wishes: Wishes) -> tuple[Match, Path | None]:
    """A match with its log."""
    from table.loading import label_of

    path = None
    if wishes.keep_log:
        path = wishes.log if wishes.log is not None else free_path(Path(f"{label_of(game)}-{wishes.seed}.jsonl"))
        if in_store(path) is None:
            path.parent.mkdir(parents=True, exist_ok=True)
    journal = None if path is None else journal_of(path, wishes.durability)
    try:
        return game.new(wishes.players, wishes.seed, wishes.humans, log=journal), path
    except FileExistsError:
        there = typed(path or "")
        raise click.UsageError(f"there is {path} already; go on with it by `rulesdsl play {there}`") from None


def bots_for(match: Match, name: str, seed: int) -> dict[str, Bot]:
    """A bot for each seat, each with a seed of its own."""
    from playtest.bots import bot

    return {seat: bot(name, f"{seed}/{seat}") for seat in match.rules.seats}


def _play_one(game: Game, match: Match, path: Path | None, wishes: Wishes) -> bool:
    """Play a match to its end; whether it came to one."""
    from table.telling import ending

    bots = bots_for(match, wishes.bot, wishes.seed)
    with match:
        if wishes.humans:
            from table.session import Session

            over = Session(match, wishes.humans, bots, path, game.title).play()
        else:
            over = watch(match, bots, game.title, path, quiet=wishes.quiet)
    if over and not wishes.quiet:
        show(ending(match))
    return over


def watch(match: Match, bots: Mapping[str, Bot], title: str, log: Path | None, *, quiet: bool = False) -> bool:
    """Bots play; the story is told as it goes, and the table shown at the end."""
    from rich.text import Text

    from playtest.drawing.state_view import lines_of_table
    from playtest.snapshot import snapshot
    from table.telling import story, title_lines

    told = -1
    if not quiet:
        notes = {seat: f"{bots[seat].name} bot" for seat in match.rules.seats}
        show(title_lines(title, match.rules, notes, "" if log is None else shown(log)))
    while match.question.kind == "choice":
        match.play(bots[match.question.seat or ""].choose(match))
        if not quiet:
            show(story(match, told, None))
            told = match.number
    if not quiet:
        before = snapshot(match.at(max(0, match.number - 1)), None)
        show([Text(), *lines_of_table(snapshot(match.position, None), width(), before), Text()])
    return match.outcome is not None


def result(match: Match) -> dict[str, Any]:
    """How a match ended, as JSON data."""
    from table.telling import measures

    outcome = match.outcome
    return {
        "answers": match.number,
        "winners": None if outcome is None else list(outcome.winners),
        "scores": None if outcome is None or outcome.scores is None else dict(outcome.scores),
        "measures": measures(match),
    }


# ---------------------------------------------------------------- going on


def _go_on(
    path: Path, humans: Sequence[str], bot: str, seed: int | None, start: int | None, durability: Durability
) -> int:
    """Go on with the match of a log, by the rules that the log carries."""
    from interpreter.game import Game
    from interpreter.rules import hash_text

    log = read_ref(path)
    if log.header.rules is None:
        raise click.UsageError(f"{path} does not carry its rules, so it cannot be gone on with")
    game = Game.from_text(log.header.rules).with_params(**log.header.params)
    match = game.resume(log, journal_of(path, durability))
    if start is not None:
        try:
            match.branch(start)
        except IndexError as problem:
            raise click.UsageError(f"--from {start}: {problem}") from None
    people = _seats_of(game, humans, len(log.header.seats)) or log.header.humans
    number = seed if seed is not None else int(hash_text(str(len(log.records)).encode())[:6], 16)
    wishes = Wishes(tuple(people), number, path, True, None, bot, quiet=False)
    return 0 if _play_one(game, match, path, wishes) or people else 1


# ---------------------------------------------------------------- series


def _play_series(game: Game, wishes: Wishes, games: int, swap: bool, names: Sequence[str]) -> int:
    """Play games in a row, each with its log, and the file that ties them together."""
    from table.loading import label_of, rules_for
    from table.series import Series, people_named, seating

    seats = rules_for(game, wishes.players).seats
    try:
        people = people_named(names, len(seats))
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    if wishes.log is not None and in_store(wishes.log) is not None:
        raise click.UsageError("a series keeps its games in files: --log, not --store")
    stem = wishes.log if wishes.log is not None else Path(f"{label_of(game)}-{wishes.seed}.jsonl")
    file = free_path(stem.with_name(f"{stem.stem}.series.json"))
    human_people = {people[seats.index(seat)] for seat in wishes.humans}
    series = Series(game.name, wishes.seed, swap, people)
    for number in range(games):
        sitting = seating(seats, people, number, swap)
        humans = tuple(seat for seat in seats if sitting[seat] in human_people)
        if not wishes.quiet:
            told = ", ".join(f"{sitting[seat]} is {seat}" for seat in seats)
            say(f"game {number + 1} of {games}: {told}")
        log = free_path(stem.with_name(f"{stem.stem}-{number + 1}.jsonl"))
        match, path = _new_match(game, evolve(wishes, seed=wishes.seed + number, log=log, humans=humans))
        if not _play_one(game, match, path, evolve(wishes, seed=wishes.seed + number, humans=humans)):
            return 0 if humans else 1
        series = evolve(series, games=(*series.games, _played(match, path, sitting)))
        if wishes.keep_log:
            series.save(file)
    if wishes.quiet:
        say_json({**series.plain(), "file": str(file) if wishes.keep_log else None})
    else:
        show_series(series)
        if wishes.keep_log:
            say(f"\nseries: {shown(file)}")
    return 0


def _played(match: Match, path: Path | None, sitting: Mapping[str, str]) -> Any:
    from table.series import Played
    from table.telling import measures

    outcome = match.outcome
    return Played(
        log="" if path is None else path.name,
        seats=sitting,
        winners=tuple(sitting[seat] for seat in outcome.winners) if outcome else (),
        measures={
            name: {sitting[seat]: value for seat, value in values.items()} for name, values in measures(match).items()
        },
    )


def show_series(series: Series) -> None:
    """The totals of a series, a row for each number and a column for each person; who leads stands out."""
    totals = {"games won": series.wins} | {name.replace("_", " "): values for name, values in series.totals.items()}
    title = f"after {len(series.games)} games"
    label = max(len(name) for name in [title, *totals])
    columns = {person: max(len(person), 6) for person in series.people}
    say(f"\n{title:<{label}}  " + "  ".join(f"{person:>{wide}}" for person, wide in columns.items()))
    for name, values in totals.items():
        most = leaders(values)
        cells = (paint(f"{values[person]:>{wide}}", bold=person in most) for person, wide in columns.items())
        say(f"{name:<{label}}  " + "  ".join(cells))
    for name, values in totals.items():
        if name != "games won":
            most = leaders(values)
            say(f"{name}: {most[0] + ' leads' if len(most) == 1 else 'a draw'}")
            break
