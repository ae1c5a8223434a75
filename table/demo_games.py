"""The games that `rulesdsl demo` shows in short: how each begins, how it ends, and what only some may know of it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from attrs import frozen
from rich.text import Text

from table.console import plural, show, width
from table.files import find_rules, shown
from table.telling import chapter, ending, story, title_lines

if TYPE_CHECKING:
    from interpreter.match import Match


@frozen
class Shown:
    """A game to show: `name` is that of its file, `bots` say who plays, `first` and `last` are how many answers are told at
    the beginning and at the end."""

    name: str
    heading: str
    says: str
    players: int
    parameters: Mapping[str, Any]
    bots: str
    seed: int
    first: int
    last: int
    opening: bool = True
    """Whether what happens before the first answer is told."""


GAMES = (
    Shown(
        name="atlantis",
        heading="A race",
        says="Atlantis: cards lead over tiles and water to the mainland",
        players=2,
        parameters={},
        bots="greedy",
        seed=3,
        first=6,
        last=6,
        opening=False,
    ),
    Shown(
        name="catan",
        heading="A longer game",
        says="Catan: dice, hidden hands and trade, here to five points",
        players=3,
        parameters={"island": "charted", "points_to_win": 5, "offers_per_turn": 1},
        bots="greedy",
        seed=15,
        first=4,
        last=16,
    ),
    Shown(
        name="catan_atlantis",
        heading="A variant of a variant",
        says="Catan Atlantis: find land before it sinks",
        players=3,
        parameters={"points_to_win": 6, "offers_per_turn": 0},
        bots="greedy",
        seed=4,
        first=12,
        last=14,
    ),
)


def show_game(game: Shown, folder: Path, seed: int) -> None:
    """Bots play a game, and the most interesting of it is told. `seed` is added to the seed of the game."""
    match, path = _played(game, folder, game.seed + seed)
    notes = dict.fromkeys(match.rules.seats, f"{game.bots} bot")
    show(title_lines(match.rules.program.title, match.rules, notes, shown(path)))
    first, last = game.first, max(game.first, match.number - game.last)
    show(line for number in range(0 if game.opening else 1, first + 1) for line in chapter(match.at(number), None))
    if last > first:
        show([Text(f"      ... {plural(last - first, 'answer')} ...", style="dim")])
    show(story(match, last, None))
    show([Text(), *_table(match), Text(), *ending(match), Text(), *_secret(match)])
    match.close()


def _played(game: Shown, folder: Path, seed: int) -> tuple[Match, Path]:
    from table.loading import load_game
    from table.play import bots_for

    path = folder / f"{game.name}-{seed}.jsonl"
    path.unlink(missing_ok=True)
    match = load_game(find_rules(game.name), dict(game.parameters)).new(game.players, seed=seed, log=path)
    bots = bots_for(match, game.bots, seed)
    while match.question.kind == "choice":
        match.play(bots[match.question.seat or ""].choose(match))
    return match, path


def _table(match: Match) -> list[Text]:
    """What lies on the table in the end."""
    from playtest.drawing.state_view import lines_of_table
    from playtest.snapshot import snapshot

    return lines_of_table(snapshot(match.position, None), width())


def _secret(match: Match) -> list[Text]:
    """The last thing that happened of which not all know the same, as each hears of it."""
    from interpreter.node import events_of
    from interpreter.view import sentence

    viewers: list[str | None] = [*match.rules.seats, None]
    for number in range(match.number, -1, -1):
        for event in reversed(list(events_of(match.at(number).node))):
            told = {viewer: sentence(match.rules, event, viewer) for viewer in viewers}
            if len(set(told.values())) > 1:
                names = {viewer: viewer or "spectators" for viewer in viewers}
                broad = max(map(len, names.values()))
                lines = [Text(f"      {names[viewer]:<{broad}}  ").append(text or "-") for viewer, text in told.items()]
                return [Text(f"Not all hear the same of answer {number}:"), *lines]
    return []
