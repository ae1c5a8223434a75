"""Makes the finished games in `games/logs/`, and says what each of them shows.

    python tests/finished_games.py [GAME]...

A game is done when each way that it can end, and each rule that few games reach, has a finished game that shows it. Run this
after a change of the rules: it plays seeded random games until every kind is there, and writes their logs anew. What the logs
show is checked by `test_finished_games`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import interpreter
from interpreter import Match
from playtest.bots import bot

ROOT = Path(__file__).parent.parent
LOGS = ROOT / "games" / "logs"
MOST_SEEDS = 20_000


def events(match: Match) -> list[Any]:
    """All events of a match, in order."""
    return list(match.events)


def winners(match: Match) -> tuple[str, ...]:
    assert match.outcome is not None
    return match.outcome.winners


def last_mover(match: Match) -> str:
    """The seat of the last answer."""
    return match.position.answers[-1][0]


def won_by(side: str, way: str) -> Callable[[Match], bool]:
    def shown(match: Match) -> bool:
        last = [event for event in events(match) if event.name == "Won"]
        return bool(last) and last[-1].arguments["way"] == way and winners(match) == (side,)

    return shown


def both_meet_a_condition(match: Match) -> bool:
    """Both sides have a condition of victory at the end, and the mover has won."""
    victory = match.rules.module.DEFS["victory"]
    state = match.state._st
    return all(victory(state, seat) is not None for seat in range(2)) and winners(match) == (last_mover(match),)


def full_board(match: Match) -> bool:
    return len(events(match)) > 0 and all(hand == () or not hand for hand in match.state.hand.values())


def with_events(*names: str) -> Callable[[Match], bool]:
    """Each of these happens in the match."""

    def shown(match: Match) -> bool:
        return set(names) <= {event.name for event in events(match)}

    return shown


def won_in_some(way: str) -> Callable[[Match], bool]:
    def shown(match: Match) -> bool:
        return any(won_by(side, way)(match) for side in match.rules.seats)

    return shown


KINDS: dict[str, dict[str, tuple[int | None, Callable[[Match], bool]]]] = {
    "atlanteon": {
        **{
            f"{way}-{side}": (None, won_by(side, way))
            for way in ("control", "conquest", "regicide")
            for side in ("marauder", "guardian")
        },
        "both-at-once": (None, both_meet_a_condition),
        "full-board": (None, full_board),
    },
    "atlanteon_7x7": {
        **{way: (None, won_in_some(way)) for way in ("control", "conquest", "regicide")},
        "full-board": (None, full_board),
    },
    "atlantis_boats": {
        "boats-hired": (4, with_events("BoatHired", "FeePaidByTile", "FeePaidByCard", "BoatLost")),
        "fees-on-the-way-home": (3, with_events("FeeEarned")),
    },
    "atlantis_sprint": {"two-figures": (2, with_events("TileSold", "FigureBroughtHome"))},
    "atlantis_boats_sprint": {"boats-and-two-figures": (3, with_events("BoatPlaced", "FigureBroughtHome"))},
}
"""For each game: the name of a log, the number of players (None: the fewest), and what the match must show."""


def rules_of(name: str) -> Path:
    """The file of a game or a variant."""
    path = ROOT / "games" / f"{name}.rules"
    return path if path.exists() else ROOT / "games" / "variants" / f"{name}.rules"


def played(game: interpreter.Game, players: int | None, seed: int, log: Path | None = None) -> Match:
    """One game of random bots; the same for the same seed."""
    match = game.new(players, seed=seed, log=log)
    chooser = bot("random", seed)
    while match.outcome is None:
        match.play(chooser.choose(match))
    return match


def found(name: str) -> Iterator[tuple[str, int | None, int]]:
    """For each kind of finished game of a game: its name, players and the first seed that shows it."""
    game = interpreter.load(rules_of(name))
    missing = dict(KINDS[name])
    for seed in range(MOST_SEEDS):
        for players in sorted({count for count, _ in missing.values()}, key=str):
            match = played(game, players, seed)
            for kind in [k for k, (count, shows) in missing.items() if count == players and shows(match)]:
                del missing[kind]
                yield kind, players, seed
        if not missing:
            return
    raise SystemExit(f"{name}: no game in {MOST_SEEDS} shows {', '.join(missing)}")


def main(names: list[str]) -> None:
    for name in names or list(KINDS):
        folder = LOGS / name
        folder.mkdir(parents=True, exist_ok=True)
        game = interpreter.load(rules_of(name))
        for kind, players, seed in found(name):
            path = folder / f"{kind}.jsonl"
            path.unlink(missing_ok=True)
            match = played(game, players, seed, path)
            print(f"{path.relative_to(ROOT)}: seed {seed}, {len(match.position.answers)} answers, {', '.join(winners(match))}")


if __name__ == "__main__":
    main(sys.argv[1:])
