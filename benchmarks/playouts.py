"""How fast generated code plays: random games with all legal moves listed at each choice, no log, no laws.

    python benchmarks/playouts.py [FILE] [--games N] [--runs N] [--json]
    python benchmarks/playouts.py --classic [--runs N] [--json]

The first prints answers a second (of processor time, the median of several runs; also the best), then the cost of an answer
along the game, which should stay flat, and what checking every law costs beside bare play. The second prints the classic
games beside other engines, in turns, so that all meet the same machine.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import time
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import others

from playtest.fuzz import Plan, draw, fuzzing, game_random
from playtest.plies import DRAW
from rulesdsl import runtime
from rulesdsl.program import load

GAMES = Path(__file__).resolve().parent.parent / "games"
ATLANTEON = GAMES / "atlanteon.rules"
SECONDS = 0.4
"""How long each engine plays at a time, in seconds of processor time."""

CLASSIC: dict[str, tuple[int, Callable[[], dict[str, others.Player | None]]]] = {
    "tic_tac_toe": (
        150_000,
        lambda: {"OpenSpiel": others.spiel("tic_tac_toe"), "PettingZoo": others.zoo("tictactoe_v3")},
    ),
    "connect_four": (
        120_000,
        lambda: {"OpenSpiel": others.spiel("connect_four"), "PettingZoo": others.zoo("connect_four_v3")},
    ),
    "breakthrough": (40_000, lambda: {"OpenSpiel": others.spiel("breakthrough")}),
    "hex": (60_000, lambda: {"OpenSpiel": others.spiel("hex")}),
    "reversi": (20_000, lambda: {"OpenSpiel": others.spiel("othello")}),
    "kuhn_poker": (0, lambda: {"OpenSpiel": others.spiel("kuhn_poker")}),
    "checkers": (0, lambda: {"OpenSpiel": others.spiel("checkers")}),
    "backgammon": (0, lambda: {"OpenSpiel": others.spiel("backgammon")}),
    "chess": (
        2_000,
        lambda: {
            "OpenSpiel": others.spiel("chess"),
            "PettingZoo": others.zoo("chess_v6"),
            "python-chess": others.python_chess(),
        },
    ),
}
"""The classic games: the moves a second that they must reach, and who else plays them."""


def playout(module: Any, rng: random.Random) -> int:
    """One random game; gives the number of answers."""
    kind, legal, answer, pick, trace = module.KIND, module.legal, module.answer, rng.random, runtime.Trace
    state, frame = module.start(trace())
    made = 0
    while frame is not None:
        if kind[frame[0]] == DRAW:
            state, frame = module.drawn(state, frame, draw(module.outcomes(state, frame), rng), trace())
            continue
        moves = legal(state, frame)
        state, frame = answer(state, frame, moves[int(pick() * len(moves))], trace())
        made += 1
    return made


def rates(module: Any, games: int, runs: int) -> list[float]:
    """Answers a second of processor time, for each run."""
    found = []
    for run in range(runs):
        began = time.process_time()
        answers = sum(playout(module, game_random(run, game)) for game in range(games))
        found.append(answers / (time.process_time() - began))
    return found


def along(module: Any, games: int) -> dict[int, float]:
    """Microseconds of each answer by its number in the game, listing the moves included (medians)."""
    spent: dict[int, list[float]] = defaultdict(list)
    clock = time.perf_counter
    for game in range(games):
        rng = game_random(99, game)
        state, frame = module.start(runtime.Trace())
        made = 0
        while frame is not None:
            if module.KIND[frame[0]] == DRAW:
                state, frame = module.drawn(state, frame, draw(module.outcomes(state, frame), rng), runtime.Trace())
                continue
            began = clock()
            moves = module.legal(state, frame)
            state, frame = module.answer(state, frame, moves[int(rng.random() * len(moves))], runtime.Trace())
            spent[made].append(clock() - began)
            made += 1
    return {number: statistics.median(times) * 1e6 for number, times in sorted(spent.items())}


def checked_rate(loaded: Any, games: int, **more: Any) -> float:
    """Answers a second of processor time with every law checked, as `rulesdsl fuzz` plays; `more` are parts of its plan."""
    began = time.process_time()
    run = fuzzing(loaded, Plan(games=games, **more))
    while True:
        try:
            next(run)
        except StopIteration as stop:
            return float(stop.value.choices) / (time.process_time() - began)


def costs(loaded: Any, games: int, runs: int) -> tuple[float, float]:
    """How many times as much as bare play an answer costs in fuzzing, and with laws alone: the medians of several runs, all
    three in turns."""
    checked_rate(loaded, 1)
    found: list[tuple[float, float]] = []
    for run in range(runs):
        bare = rates(loaded.module, games // 5, 1)[0]
        fuzzed = checked_rate(loaded, games, seed=run)
        found.append((bare / fuzzed, bare / checked_rate(loaded, games // 2, seed=run, swarm=False, archive=False)))
    return statistics.median(cost for cost, _ in found), statistics.median(laws for _, laws in found)


def rate(play: others.Player, run: int) -> float:
    """Moves a second of processor time."""
    rng = game_random(run, 0)
    made, began = 0, time.process_time()
    while (spent := time.process_time() - began) < SECONDS:
        made += play(rng)
    return made / spent


def ours(game: str) -> others.Player:
    module = load(GAMES / "classic" / f"{game}.rules", {}, None).module
    return lambda rng: playout(module, rng)


def alone(game: str, runs: int) -> float:
    """Our moves a second in a classic game: the median of several runs."""
    play = ours(game)
    return statistics.median(rate(play, run) for run in range(runs))


def beside(game: str, runs: int) -> dict[str, float]:
    """Medians of moves a second, ours first, in turns with the others."""
    players: dict[str, others.Player | None] = {"rulesdsl": ours(game), **CLASSIC[game][1]()}
    there = {name: player for name, player in players.items() if player is not None}
    found: dict[str, list[float]] = {name: [] for name in there}
    for run in range(runs):
        for name, player in there.items():
            found[name].append(rate(player, run))
    return {name: statistics.median(rates) for name, rates in found.items()}


def classic(runs: int, as_json: bool) -> None:
    """All classic games beside the others, as a table."""
    report = {}
    if not as_json:
        print(f"moves a second, medians of {runs} runs of {SECONDS} s each, in turns")
        print(f"{'':14}{'rulesdsl':>12}{'at least':>12}{'OpenSpiel':>14}{'PettingZoo':>14}{'python-chess':>14}")
    for game, (least, _) in CLASSIC.items():
        found = report[game] = beside(game, runs)
        if not as_json:
            cells = [f"{found['rulesdsl']:>12,.0f}", f"{least:>12,}" if least else f"{'-':>12}"]
            cells += [
                f"{found[name]:>14,.0f}" if name in found else f"{'-':>14}"
                for name in ("OpenSpiel", "PettingZoo", "python-chess")
            ]
            print(f"{game:<14}" + "".join(cells), flush=True)
    if as_json:
        print(json.dumps(report))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", nargs="?", default=str(ATLANTEON))
    parser.add_argument("--games", type=int, default=400)
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--classic", action="store_true", help="the classic games beside other engines")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    if options.classic:
        classic(options.runs, options.json)
        return
    loaded = load(options.file, {}, None)
    rates(loaded.module, 20, 1)
    found = rates(loaded.module, options.games, options.runs)
    costs = along(loaded.module, options.games)
    fuzzed, checked = costs(loaded, options.games, 3)
    report = {
        "file": options.file,
        "answers_a_second": round(statistics.median(found)),
        "best": round(max(found)),
        "cost_of_laws": round(checked, 1),
        "cost_of_fuzzing": round(fuzzed, 1),
        "microseconds_by_answer": {number: round(cost, 1) for number, cost in costs.items()},
    }
    if options.json:
        print(json.dumps(report))
        return
    print(f"{report['answers_a_second']:,} answers a second (median of {options.runs} runs; best {report['best']:,})")
    print(f"with every law checked an answer costs {checked:.1f} times as much; with habits and the archive too {fuzzed:.1f} times")
    print("microseconds by answer: " + "  ".join(f"{number}: {cost:.0f}" for number, cost in costs.items()))


if __name__ == "__main__":
    main()
