"""A player of Catan Atlantis who knows what to do: sails to land, settles there, and goes on building."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

from interpreter import Match
from playtest.bots import GreedyBot

NEEDS = {
    "ship": {"lumber": 1, "wool": 1},
    "settlement": {"brick": 1, "lumber": 1, "wool": 1, "grain": 1},
    "city": {"grain": 2, "ore": 3},
}


class Sailor:
    """Plays all seats. `clumsy`: seats that never build a settlement, so that they are out when Atlantis sinks.
    `one_stack`: hexes are drawn from the second stack as long as it has any."""

    name = "sailor"

    def __init__(self, seed: int, clumsy: Sequence[str] = (), one_stack: bool = False) -> None:
        self._random = random.Random(f"sailor {seed}")
        self._sight = GreedyBot(seed, ("way_to_land",))
        self._clumsy, self._one_stack = frozenset(clumsy), one_stack

    def choose(self, match: Match) -> Any:
        """One of the legal moves."""
        position = match.position
        rules, moves = position.rules, list(position.legal())
        by_name: dict[str, list[Any]] = {}
        for move in moves:
            by_name.setdefault(rules.move(move).action, []).append(move)
        seat = match.question.seat or ""
        return rules.move(self._chosen(match, seat, by_name))

    def _chosen(self, match: Match, seat: str, by_name: dict[str, list[Any]]) -> Any:
        position = match.position
        if seat in self._clumsy:
            by_name.pop("build_settlement", None)
        if "take_card" in by_name:
            wanted = self._wanted(match, seat)
            for move in by_name["take_card"]:
                if str(position.rules.move(move)) == f"take_card({wanted})":
                    return move
        for name in ("first_ship", "found_city"):
            if name in by_name:
                return self._sight.pick(position.rules, position.key, by_name[name])
        if "draw_hex" in by_name and self._one_stack:
            return by_name["draw_hex"][-1]
        if self._random.random() < 0.95:
            for name in ("build_city", "build_settlement", "play_road_building", "play_plenty"):
                if name in by_name:
                    return self._random.choice(by_name[name])
            if "build_ship" in by_name and (self._unlinked(match, seat) or self._random.random() < 0.4):
                return self._sight.pick(position.rules, position.key, by_name["build_ship"])
            for name, share in SHARES.items():
                if name in by_name and self._random.random() < share:
                    return self._random.choice(by_name[name])
            for name in ("pass", "accept", "close_with"):
                if name in by_name:
                    return by_name[name][0]
        return self._random.choice([move for some in by_name.values() for move in some])

    def _unlinked(self, match: Match, seat: str) -> bool:
        return len(match.state.linked[seat]) < 2

    def _wanted(self, match: Match, seat: str) -> str:
        """The resource that is missing for what comes next."""
        hand = match.state.hand[seat]
        aims = ["settlement"] if self._unlinked(match, seat) else ["settlement", "city", "ship"]
        if self._unlinked(match, seat) and len(match.state.ships[seat]) < 7:
            aims = ["ship", "settlement"]
        for aim in [*aims, "city"]:
            for resource, many in NEEDS[aim].items():
                if hand.get(resource, 0) < many:
                    return resource
        return self._random.choice(["ore", "grain", "brick", "lumber", "wool"])


SHARES = {
    "build_road": 0.5, "play_knight": 0.8, "play_monopoly": 0.5, "buy_card": 0.4, "trade_with_bank": 0.4, "move_pirate": 0.5,
    "move_robber": 1.0, "move_ship": 0.1,
}  # fmt: skip
"""How often what else can be done is done."""
