"""How fast random games of Catan with four players are, beside the package catanatron: `python benchmarks/catan.py [RUNS]`.

All take turns, so that all meet the same machine; told are medians of processor time. catanatron has no trade between players,
rolls by a decision of its own, and discards half a hand by one; so games are compared as well as decisions. Ours lists every legal
move by generated code at each question. The last lines tell what it takes to find a player's longest route, in positions after
roads, ships and settlements of random games.
"""

from __future__ import annotations

import statistics
import sys
import time
from pathlib import Path

import others
from playouts import playout

from playtest.fuzz import draw, game_random
from playtest.plies import DRAW
from rulesdsl import runtime
from rulesdsl.program import load

GAMES_FOLDER = Path(__file__).resolve().parent.parent / "games"
RULES = GAMES_FOLDER / "catan.rules"
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


def routes(name: str, games: int = 6) -> list[float]:
    """Microseconds for each longest route that had to be found, from the least."""
    module = load(GAMES_FOLDER / f"{name}.rules", {"offers_per_turn": 0}, 4).module
    length, builds = module.DEFS["route_length"], {"build_road", "build_ship", "build_settlement"}
    spent = []
    for game in range(games):
        rng = game_random(3, game)
        state, frame = module.start(runtime.Trace())
        while frame is not None:
            if module.KIND[frame[0]] == DRAW:
                state, frame = module.drawn(state, frame, draw(module.outcomes(state, frame), rng), runtime.Trace())
                continue
            move = rng.choice(module.legal(state, frame))
            state, frame = module.answer(state, frame, move, runtime.Trace())
            for seat in range(4) if move[0] and module.ACTIONS[move[0]] in builds else ():
                began = time.process_time()
                length(state, seat)
                spent.append((time.process_time() - began) * 1e6)
    return sorted(spent)


def main() -> None:
    found = speeds(int(sys.argv[1]) if len(sys.argv) > 1 else 7)
    print(f"{'four random players':<36}{'decisions/s':>12}{'games/s':>10}")
    for name, (decisions, games) in found.items():
        print(f"{name:<36}{decisions:>12,.0f}{games:>10.1f}")
    if THERE in found:
        ratios = [here / there for here, there in zip(found[OFF], found[THERE], strict=True)]
        print(f"without trade, ours makes {ratios[0]:.2f} times the decisions and {ratios[1]:.2f} times the games of catanatron")
    for name in ("catan", "seafarers"):
        spent = routes(name)
        most = spent[len(spent) * 99 // 100]
        print(f"longest route in {name}: {statistics.mean(spent):.0f} us on average, 99 of 100 within {most:.0f} us")


if __name__ == "__main__":
    main()
