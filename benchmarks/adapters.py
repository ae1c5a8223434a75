"""How fast games are through the adapters, beside the bare match and beside the libraries' own games written in Python.

    python benchmarks/adapters.py [--runs N] [--seconds S]

Random games, in answers a second of processor time (medians of several runs, the ways of each table in turn): every answer looks
at what is legal, and in environments at the whole observation. The last column is what the first row of the table is to it.
"""

from __future__ import annotations

import argparse
import random
import statistics
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import interpreter
from interpreter import Game, Position

warnings.filterwarnings("ignore", category=DeprecationWarning)  # of how the classic environments are made

GAMES = Path(__file__).resolve().parent.parent / "games"
Play = Callable[[random.Random], int]
"""One random game; gives the number of answers."""


def match(made: Game) -> Play:
    """The match: names, records, and a log in memory."""

    def play(rng: random.Random) -> int:
        going = made.new(seed=rng.randrange(1 << 30))
        while moves := going.position.legal():
            going.answer(moves[int(rng.random() * len(moves))])
        return going.number

    return play


def positions(made: Game) -> Play:
    """Positions without a match."""

    def play(rng: random.Random) -> int:
        position, answers = made.start(), 0
        while position.node.frame is not None:
            position, asked = step(position, rng)
            answers += asked
        return answers

    return play


def step(position: Position, rng: random.Random) -> tuple[Position, bool]:
    if position.draws:
        values, weights = zip(*position.outcomes(), strict=True)
        return position.after_draw(rng.choices(values, weights)[0]), False
    moves = position.legal()
    return position.after(moves[int(rng.random() * len(moves))]), True


def environment(env: Any) -> Play:
    """A PettingZoo environment."""
    import numpy as np

    def play(rng: random.Random) -> int:
        env.reset()
        answers = 0
        for _ in env.agent_iter():
            observation, _, terminated, truncated, _ = env.last()
            if terminated or truncated:
                env.step(None)
                continue
            actions = np.flatnonzero(observation["action_mask"])
            env.step(actions[int(rng.random() * len(actions))])
            answers += 1
        return answers

    return play


def spiel(game: Any) -> Play:
    """An OpenSpiel game."""

    def play(rng: random.Random) -> int:
        state, answers = game.new_initial_state(), 0
        while not state.is_terminal():
            if state.is_chance_node():
                actions, weights = zip(*state.chance_outcomes(), strict=True)
                state.apply_action(rng.choices(actions, weights)[0])
                continue
            actions = state.legal_actions()
            state.apply_action(actions[int(rng.random() * len(actions))])
            answers += 1
        return answers

    return play


def rate(play: Play, seconds: float, run: int) -> float:
    """Answers a second of processor time."""
    rng, answers, began = random.Random(run), 0, time.process_time()
    while time.process_time() - began < seconds:
        answers += play(rng)
    return answers / (time.process_time() - began)


def table(title: str, ways: dict[str, Play], runs: int, seconds: float) -> None:
    """Print the ways of one table; the first is compared with the others."""
    found: dict[str, list[float]] = {name: [] for name in ways}
    for play in ways.values():
        rate(play, seconds / 4, 0)
    for run in range(runs):
        for name, play in ways.items():
            found[name].append(rate(play, seconds, run))
    first = next(iter(found.values()))
    print(title)
    for name, rates in found.items():
        ratio = statistics.median(one / other for one, other in zip(first, rates, strict=True))
        print(f"  {name:44}{statistics.median(rates):10,.0f} answers/s   x {ratio:.2f}")


def main() -> None:
    import pyspiel
    from open_spiel.python import games  # noqa: F401 (registers them)
    from pettingzoo.classic import tictactoe_v3

    from playtest.adapters.openspiel import openspiel_game
    from playtest.adapters.pettingzoo import pettingzoo_env

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=0.5)
    options = parser.parse_args()
    for name in ("classic/tic_tac_toe", "classic/kuhn_poker", "atlanteon", "atlantis"):
        made = interpreter.load(GAMES / f"{name}.rules")
        ours = {"OpenSpiel adapter": spiel(openspiel_game(made))}
        zoo = {"PettingZoo adapter": environment(pettingzoo_env(made))}
        bare = {"positions": positions(made), "match": match(made)}
        own: dict[str, Play] = {}
        zoos: dict[str, Play] = {}
        if name == "classic/tic_tac_toe":
            own = {"OpenSpiel's own, in Python": spiel(pyspiel.load_game("python_tic_tac_toe"))}
            zoos = {
                "PettingZoo's own": environment(tictactoe_v3.env()),
                "PettingZoo's own, without its wrappers": environment(tictactoe_v3.raw_env()),
            }
        elif name == "classic/kuhn_poker":
            own = {"OpenSpiel's own, in Python": spiel(pyspiel.load_game("python_kuhn_poker"))}
        table(f"{name}, OpenSpiel", ours | own | bare, options.runs, options.seconds)
        table(f"{name}, PettingZoo", zoo | zoos | bare, options.runs, options.seconds)


if __name__ == "__main__":
    main()
