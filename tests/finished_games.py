"""Makes the finished games in `games/logs/`, and says what each of them shows.

    python tests/finished_games.py [--refresh] [GAME]...

A game is done when each way that it can end, and each rule that few games reach, has a finished game that shows it. Run this
after a change of the rules (new scenarios change none): it plays seeded random games until every kind is there, and writes their
logs anew. With `--refresh` the games that are there are played again under the rules of today, answer by answer with the same
seed, and only those are looked for that cannot be, or no longer show what they should. What the logs show is checked by
`test_finished_games`.
"""

from __future__ import annotations

import itertools
import random
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from sailor import Sailor

import interpreter
from interpreter import IllegalMove, LogError, Match, Move, RulesError, ValueProblem
from interpreter.node import events_of
from interpreter.records import Answer
from playtest.bots import Bot, Table, bot

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


def passes_for_want_of(money: bool) -> Callable[[Match], bool]:
    """Somebody shows a hand because the tolls are too high, or (without `money`) because no card leads to a free tile."""

    def could_move_if_rich(match: Match, state: Any, seat: int) -> bool:
        place = [field.name for field in match.rules.program.fields].index
        every, hand, starts = place("tiles"), state[place("hand")][seat], state[place("figures")][seat]
        rich = tuple(tuple(100 for _ in tiles) for tiles in state[every])
        richer = (*state[:every], rich, *state[every + 1 :])
        leads = match.rules.module.DEFS["can_go_on"]
        mainland = len(starts) - 1
        return any(count and start != mainland and leads(richer, seat, start, start, hand) for start, count in enumerate(starts))

    def shown(match: Match) -> bool:
        module = match.rules.module
        state, name = module.initial(), module.EVENTS.index("HandShown")
        for node in match.position.node.path():
            for entry in events_of(node):
                if entry[0] == name and could_move_if_rich(match, state, entry[1]) == money:
                    return True
                state = module.apply(state, entry)
        return False

    return shown


def below_zero(match: Match) -> bool:
    """Somebody's score is negative."""
    return match.outcome is not None and any(score < 0 for score in match.outcome.scores.values())


def shared(players: int) -> Callable[[Match], bool]:
    """A victory of several."""
    return lambda match: len(winners(match)) == players


def last_turn(match: Match) -> list[Any]:
    """The events of the turn in which a match of Catan was won."""
    told = events(match)
    return told[max(place for place, event in enumerate(told) if event.name == "TurnBegan") :]


def won_by_taking(award: str) -> Callable[[Match], bool]:
    """The winner was given an award in the last turn, and no points came after it."""

    def shown(match: Match) -> bool:
        told = last_turn(match)
        points = [event for event in told if event.name in {award, "SettlementBuilt", "CityBuilt", "CardBought"}]
        return bool(points) and points[-1].name == award and points[-1].arguments["to"] == winners(match)[0]

    return shown


def won_by_a_bought_point(match: Match) -> bool:
    """The last thing that happened before the points were shown was that a card was bought."""
    return [event.name for event in last_turn(match)][-3:-1] == ["CardBought", "PointsShown"]


def trades(match: Match) -> bool:
    """Players have traded, and an offer was refused by everybody."""
    names = {"OfferMade", "OfferAccepted", "OfferEnded", "Traded"}
    told = [event.name for event in events(match) if event.name in names]
    return "Traded" in told and any(pair == ("OfferMade", "OfferEnded") for pair in itertools.pairwise(told))


def within(most: int, shows: Callable[[Match], bool]) -> Callable[[Match], bool]:
    """A match of not too many answers that shows it."""
    return lambda match: match.number <= most and shows(match)


def ended_by(*names: str, without: Sequence[str] = (), winners_are: int = 1) -> Callable[[Match], bool]:
    """A match that was won by points: with these events, without those."""

    def shown(match: Match) -> bool:
        told = {event.name for event in events(match)}
        return set(names) <= told and not set(without) & told and len(winners(match)) == winners_are

    return shown


def last_one_left(match: Match) -> bool:
    """The others were out when the round of the last sinking began, and so the match was over."""
    return [event.name for event in events(match)][-2:] == ["Eliminated", "Ended"] and len(winners(match)) == 1


def also(*shown: Callable[[Match], bool]) -> Callable[[Match], bool]:
    """A match that shows all of it."""
    return lambda match: all(shows(match) for shows in shown)


def stolen_route(match: Match) -> bool:
    """The longest route goes from one player to another."""
    holders = [event.arguments["to"] for event in events(match) if event.name == "LongestRoadPassed"]
    return any(a is not None and b is not None and a != b for a, b in itertools.pairwise(holders))


def empty_stack(match: Match) -> bool:
    """One of the stacks is used up."""
    return 0 in dict(match.state.height).values()


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
    "atlantis": {
        "reshuffle": (4, with_events("DeckReshuffled")),
        "no-card-leads-on": (3, passes_for_want_of(money=False)),
        "too-poor-to-move": (4, passes_for_want_of(money=True)),
        "too-poor-for-two": (2, passes_for_want_of(money=True)),
        "negative-score": (3, below_zero),
        "shared-victory": (2, shared(2)),
        "shared-victory-of-two-in-four": (4, shared(2)),
    },
    "atlantis_boats": {
        "boats-hired": (4, with_events("BoatHired", "FeePaidByTile", "FeePaidByCard", "BoatLost")),
        "fees-on-the-way-home": (3, with_events("FeeEarned")),
    },
    "catan": {
        **{
            f"{kind}-{players}": (players, within(800, shows))
            for players in (3, 4)
            for kind, shows in {
                "longest-road": won_by_taking("LongestRoadPassed"),
                "largest-army": won_by_taking("LargestArmyPassed"),
                "victory-point": won_by_a_bought_point,
            }.items()
        },
        "trades-3": (3, within(500, trades)),
        "bank-shortage-and-trades-4": (4, lambda match: with_events("RanShort")(match) and within(1_000, trades)(match)),
    },
    "seafarers": {
        f"{kind}-{players}": (players, within(1_200, shows))
        for players in (3, 4)
        for kind, shows in {
            "discoveries-and-the-pirate": ended_by("HexFound", "TokenFound", "PirateMoved", "ShipMoved", "Stolen"),
        }.items()
    },
    "catan_atlantis": {
        f"{kind}-{players}": (players, within(1_400, shows))
        for players in (3, 4)
        for kind, shows in {
            "before-the-sinking": ended_by("Linked", without=["AtlantisSank", "Eliminated"]),
            "after-the-sinking": also(
                ended_by("AtlantisSank", "CityLost", "HexDrawn", "PirateLeft", "RobberLeft"), stolen_route
            ),
            "elimination": ended_by("Eliminated", "AtlantisSank"),
            "last-one-left": last_one_left,
            "empty-stack": empty_stack,
            "coastal-ships-removed": ended_by("ShipsRemoved"),
        }.items()
    },
    "catan_atlantis_numbers": {"numbers-changed": (4, within(1_400, ended_by("NumberChanged", "PairTaken", "Linked")))},
    "atlantis_sprint": {"two-figures": (2, with_events("TileSold", "FigureBroughtHome"))},
    "atlantis_boats_sprint": {"boats-and-two-figures": (3, with_events("BoatPlaced", "FigureBroughtHome"))},
}
"""For each game: the name of a log, the number of players (None: the fewest), and what the match must show."""


class Settler:
    """Builds what it can most of the time, so that a game of Catan takes hundreds of answers, not thousands."""

    name = "settler"
    FIRST = (
        {"build_city", "build_settlement"},
        {"offer_card", "ask_card", "make_offer", "accept", "close_with"},
        {"build_road", "buy_card", "play_knight", "play_road_building", "play_plenty", "play_monopoly", "trade_with_bank"},
        {"pass"},
    )

    def __init__(self, seed: int) -> None:
        self._random = random.Random(f"settler {seed}")

    def choose(self, match: Table) -> Any:
        moves = list(match.legal_moves())
        if self._random.random() < 0.9:
            moves = next(filter(None, ([m for m in moves if m.action in names] for names in self.FIRST)), moves)
        return self._random.choice(moves)


CHOOSERS: dict[str, Callable[[int], Any]] = {
    "catan": Settler, "seafarers": Settler, "catan_atlantis": Sailor, "catan_atlantis_numbers": Sailor,
}  # fmt: skip
"""Who plays games that random bots would play for too long, or never win."""

AGREED: dict[str, dict[str, int]] = {"before-the-sinking-3": {"points_to_win": 7}, "before-the-sinking-4": {"points_to_win": 9}}
"""What is agreed on for kinds of games that would take too long to find: parameters by the name of the log."""

PLAYED_SO: dict[str, Callable[[int], Any]] = {
    "last-one-left-3": lambda seed: Sailor(seed, ("player0", "player2")),
    "coastal-ships-removed-3": lambda seed: Sailor(seed, ("player0",)),
    "empty-stack-3": lambda seed: Sailor(seed, one_stack=True),
    "empty-stack-4": lambda seed: Sailor(seed, one_stack=True),
    "last-one-left-4": lambda seed: Sailor(seed, ("player0", "player1", "player2")),
}
"""Kinds of games that have players of their own."""


def rules_of(name: str) -> Path:
    """The file of a game or a variant."""
    path = ROOT / "games" / f"{name}.rules"
    return path if path.exists() else ROOT / "games" / "variants" / f"{name}.rules"


LONGEST = 3_000


def played(name: str, kind: str, game: interpreter.Game, players: int | None, seed: int, log: Path | None = None) -> Match | None:
    """One game of bots; the same for the same seed. None if it takes too long."""
    match = game.new(players, seed=seed, log=log)
    chooser: Bot = PLAYED_SO.get(kind, CHOOSERS.get(name, lambda s: bot("random", s)))(seed)
    while match.outcome is None:
        if match.number > LONGEST:
            return None
        match.play(chooser.choose(match))
    return match


def way_of(kind: str) -> str:
    """The kind itself where it is played in a way of its own, or nothing: kinds of one way are looked for together."""
    return kind if kind in AGREED or kind in PLAYED_SO else ""


def game_of(name: str, kind: str) -> interpreter.Game:
    """The game that a kind of log is of, with what is agreed on for it."""
    return interpreter.load(rules_of(name), **AGREED.get(kind, {}))


def again(name: str, kind: str) -> bool:
    """Play the game of a log again under the rules of today, if they have changed, and write its log anew.

    Returns whether it could be played, and shows its kind still.
    """
    path = LOGS / name / f"{kind}.jsonl"
    try:
        old = interpreter.read_log(path)
        match = game_of(name, kind).new(len(old.header.seats), seed=old.header.seed)
        if old.header.digest == match.log.header.digest:
            return True
        for record in old.records:
            if isinstance(record, Answer) and not record.automatic:
                match.play(Move(record.answer.action, record.answer.arguments))
    except (OSError, LogError, IllegalMove, RulesError, ValueProblem):
        return False
    if match.outcome is None or not KINDS[name][kind][1](match):
        return False
    match.save(path)
    return True


def found(name: str, kinds: Sequence[str]) -> Iterator[tuple[str, int | None, int]]:
    """For each of these kinds of finished game of a game: its name, players and the first seed that shows it."""
    games = {way: game_of(name, way) for way in {way_of(kind) for kind in kinds}}
    missing = {kind: KINDS[name][kind] for kind in kinds}
    for seed in range(MOST_SEEDS):
        for way, players in sorted({(way_of(kind), count) for kind, (count, _) in missing.items()}, key=str):
            match = played(name, way, games[way], players, seed)
            if match is None:
                continue
            for kind, (count, shows) in list(missing.items()):
                if count == players and way_of(kind) == way and shows(match):
                    del missing[kind]
                    yield kind, players, seed
        if not missing:
            return
    raise SystemExit(f"{name}: no game in {MOST_SEEDS} shows {', '.join(missing)}")


def main(arguments: list[str]) -> None:
    refresh = "--refresh" in arguments
    for name in [word for word in arguments if word != "--refresh"] or list(KINDS):
        folder = LOGS / name
        folder.mkdir(parents=True, exist_ok=True)
        kinds = [kind for kind in KINDS[name] if not (refresh and again(name, kind))]
        print(f"{name}: {len(KINDS[name]) - len(kinds)} played again, {len(kinds)} to be found")
        for kind, players, seed in found(name, kinds):
            path = folder / f"{kind}.jsonl"
            path.unlink(missing_ok=True)
            match = played(name, way_of(kind), game_of(name, way_of(kind)), players, seed, path)
            assert match is not None
            print(f"{path.relative_to(ROOT)}: seed {seed}, {len(match.position.answers)} answers, {', '.join(winners(match))}")


if __name__ == "__main__":
    main(sys.argv[1:])
