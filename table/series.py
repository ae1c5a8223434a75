"""A series of games: who sits where in each of them, and what the people have won in all.

People keep their totals, seats do not: with `swap` everybody moves on by one seat after each game. What is added up are the
measures that the rules give for a player, and the games won. A series is one log a game and a small JSON file that names them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from attrs import field, frozen

FORMAT = "rulesdsl series 1"


def seating(seats: Sequence[str], people: Sequence[str], game: int, swap: bool) -> dict[str, str]:
    """Who sits where in the game with this number (from 0)."""
    shift = game if swap else 0
    return {seat: people[(index + shift) % len(people)] for index, seat in enumerate(seats)}


def people_named(names: Sequence[str], seats: int) -> tuple[str, ...]:
    """As many people as there are seats: those named, or `player 1`, `player 2` ...

    Raises:
        ValueError: too few or too many names, or one twice.
    """
    if not names:
        return tuple(f"player {number + 1}" for number in range(seats))
    if len(names) != seats or len(set(names)) != seats:
        raise ValueError(f"this game seats {seats}: give {seats} different names")
    return tuple(names)


@frozen
class Played:
    """One game of a series. `measures`: by measure, what each person got."""

    log: str
    seats: Mapping[str, str]
    winners: tuple[str, ...]
    measures: Mapping[str, Mapping[str, int]]


@frozen
class Series:
    """The games so far. `people` in the order of the seats that they take in the first game."""

    game: str
    seed: int
    swap: bool
    people: tuple[str, ...]
    games: tuple[Played, ...] = field(default=())

    @property
    def wins(self) -> dict[str, int]:
        """Games won by each person; a shared win counts for each who shares it."""
        return {person: sum(person in game.winners for game in self.games) for person in self.people}

    @property
    def totals(self) -> dict[str, dict[str, int]]:
        """By measure, the sum for each person."""
        names = list(dict.fromkeys(name for game in self.games for name in game.measures))
        return {
            name: {
                person: sum(game.measures.get(name, {}).get(person, 0) for game in self.games) for person in self.people
            }
            for name in names
        }

    def plain(self) -> dict[str, Any]:
        """The series as JSON data."""
        return {
            "format": FORMAT,
            "game": self.game,
            "seed": self.seed,
            "swap": self.swap,
            "people": list(self.people),
            "games": [
                {
                    "log": game.log,
                    "seats": dict(game.seats),
                    "winners": list(game.winners),
                    "measures": {name: dict(values) for name, values in game.measures.items()},
                }
                for game in self.games
            ],
            "wins": self.wins,
            "totals": self.totals,
        }

    def save(self, path: Path) -> None:
        """Write the file that ties the games together; the file is replaced whole, never half."""
        draft = path.with_name(path.name + ".new")
        draft.write_text(json.dumps(self.plain(), indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
        draft.replace(path)


def leaders(values: Mapping[str, int]) -> tuple[str, ...]:
    """Who has most of something."""
    return tuple(person for person, value in values.items() if value == max(values.values()))


def read_series(path: Path) -> Series:
    """A series from its file.

    Raises:
        ValueError: the file is not a series.
    """
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except json.JSONDecodeError as error:
        raise ValueError(f"{path} is not JSON: {error}") from None
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise ValueError(f"{path} is not a series of games")
    games = tuple(Played(g["log"], g["seats"], tuple(g["winners"]), g["measures"]) for g in data["games"])
    return Series(data["game"], data["seed"], data["swap"], tuple(data["people"]), games)
