"""How fast generated code plays: random games with all legal moves listed at each choice, no log, no laws.

    python benchmarks/playouts.py [FILE] [--games N] [--runs N] [--json]

Prints answers a second (of processor time, the median of several runs; also the best), then the cost of an answer along the
game, which should stay flat, and what checking every law costs beside bare play.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import time
from collections import defaultdict
from pathlib import Path
from typing import Any

from playtest.fuzz import Plan, draw, fuzzing, game_random
from playtest.plies import DRAW
from rulesdsl import runtime
from rulesdsl.program import load

ATLANTEON = Path(__file__).resolve().parent.parent / "games" / "atlanteon.rules"


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


def checked_rate(loaded: Any, games: int) -> float:
    """Answers a second of processor time with every law checked, as `rulesdsl fuzz` plays."""
    began = time.process_time()
    run = fuzzing(loaded, Plan(games=games, seed=1))
    while True:
        try:
            next(run)
        except StopIteration as stop:
            return float(stop.value.choices) / (time.process_time() - began)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", nargs="?", default=str(ATLANTEON))
    parser.add_argument("--games", type=int, default=400)
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    loaded = load(options.file, {}, None)
    rates(loaded.module, 20, 1)
    found = rates(loaded.module, options.games, options.runs)
    costs = along(loaded.module, options.games)
    checked = checked_rate(loaded, options.games)
    report = {
        "file": options.file,
        "answers_a_second": round(statistics.median(found)),
        "best": round(max(found)),
        "with_laws": round(checked),
        "microseconds_by_answer": {number: round(cost, 1) for number, cost in costs.items()},
    }
    if options.json:
        print(json.dumps(report))
        return
    print(f"{report['answers_a_second']:,} answers a second (median of {options.runs} runs; best {report['best']:,})")
    print(f"{report['with_laws']:,} answers a second with every law checked")
    print("microseconds by answer: " + "  ".join(f"{number}: {cost:.0f}" for number, cost in costs.items()))


if __name__ == "__main__":
    main()
