"""How fast random games of Catan with four players are, beside the package catanatron: `python benchmarks/catan.py [RUNS]`.

All take turns, so that all meet the same machine; told are medians of processor time. catanatron has no trade between players,
rolls by a decision of its own, and discards half a hand by one; so games are compared as well as decisions. Ours lists every legal
move by generated code at each question.
"""

from __future__ import annotations

import statistics
import sys
import time
from pathlib import Path

import others
from playouts import playout

from playtest.fuzz import game_random
from rulesdsl.program import load

RULES = Path(__file__).resolve().parent.parent / "games" / "catan.rules"
GAMES = 12
"""Games of each at a time."""
OFF, ON, THERE = "rulesdsl, no trade between players", "rulesdsl, with offers and answers", "catanatron, random bots"


def ours(offers: int) -> others.Player:
    module = load(RULES, {"offers_per_turn": offers}, 4).module
    return lambda rng: playout(module, rng)


def speed(play: others.Player, run: int) -> tuple[float, float]:
    """Decisions and games a second."""
    began = time.process_time()
    made = sum(play(game_random(run, game)) for game in range(GAMES))
    spent = time.process_time() - began
    return made / spent, GAMES / spent


def speeds(runs: int) -> dict[str, tuple[float, float]]:
    """The medians of everybody's decisions and games a second."""
    players = {OFF: ours(0), THERE: others.catanatron(), ON: ours(3)}
    found: dict[str, list[tuple[float, float]]] = {}
    for run in range(runs + 1):
        for name, play in players.items():
            if play is not None:
                found.setdefault(name, []).append(speed(play, run))
    return {name: tuple(statistics.median(column) for column in zip(*one[1:], strict=True)) for name, one in found.items()}


def main() -> None:
    found = speeds(int(sys.argv[1]) if len(sys.argv) > 1 else 7)
    print(f"{'four random players':<36}{'decisions/s':>12}{'games/s':>10}")
    for name, (decisions, games) in found.items():
        print(f"{name:<36}{decisions:>12,.0f}{games:>10.1f}")
    if THERE in found:
        ratios = [here / there for here, there in zip(found[OFF], found[THERE], strict=True)]
        print(f"without trade, ours makes {ratios[0]:.2f} times the decisions and {ratios[1]:.2f} times the games of catanatron")


if __name__ == "__main__":
    main()
