"""How fast the machine is, names and logs included: `python benchmarks/matches.py [SECONDS]`.

Loading a game without and with the cache of compiled programs, then random games of Atlanteon through matches (all legal moves
are listed by name before each answer), without a log on disk and with one, and a log replayed. `playouts.py` measures the
generated code alone.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import interpreter

RULES = Path(__file__).resolve().parent.parent / "games" / "atlanteon.rules"


def main() -> None:
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 3.0
    with tempfile.TemporaryDirectory() as cache:
        print(f"loading, nothing compiled yet   {loading(cache):8.2f} s, start of Python included")
        print(f"loading, compiled already       {loading(cache):8.2f} s")
    game = interpreter.load(RULES)
    print(f"a match, log in memory          {answers(game, seconds, None):8,.0f} answers/s")
    with tempfile.TemporaryDirectory() as folder:
        print(f"a match, log on disk, fsync     {answers(game, seconds, Path(folder)):8,.0f} answers/s")
    print(f"replay, every digest compared   {replays(game, seconds):8,.0f} answers/s")


def loading(cache: str) -> float:
    """Seconds of processor time to load the game in a fresh process."""
    code = f"import time, interpreter; interpreter.load({str(RULES)!r}); print(time.process_time())"
    environment = {**os.environ, "XDG_CACHE_HOME": cache}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    return float(done.stdout)


def answers(game: interpreter.Game, seconds: float, folder: Path | None) -> float:
    """Answers a second of matches played by random moves."""
    rng = random.Random(1)

    def play(number: int) -> int:
        log = None if folder is None else folder / f"{number}.jsonl"
        with game.new(seed=number, log=log) as match:
            while match.question.kind == "choice":
                moves = match.legal_moves()
                match.play(moves[int(rng.random() * len(moves))])
            return match.number

    return _rate(play, seconds)


def replays(game: interpreter.Game, seconds: float) -> float:
    """Answers a second of a log that is replayed and compared."""
    match = game.new(seed=1)
    rng = random.Random(1)
    while match.question.kind == "choice":
        match.play(rng.choice(match.legal_moves()))
    log = match.log
    return _rate(lambda _: interpreter.replay(log, game).match.number, seconds)


def _rate(work: Callable[[int], int], seconds: float) -> float:
    made, number, began = 0, 0, time.perf_counter()
    while time.perf_counter() - began < seconds:
        made += work(number)
        number += 1
    return made / (time.perf_counter() - began)


if __name__ == "__main__":
    main()
