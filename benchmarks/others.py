"""Other engines driven from Python, for comparison: each function gives a player of one random game at a time.

A player takes a random sequence and gives the number of moves of the game. As on our side, the full list of legal moves is
made at every step and one of it is chosen uniformly.
"""

from __future__ import annotations

import importlib
import random
from collections.abc import Callable
from typing import Any

Player = Callable[[random.Random], int]


def spiel(name: str) -> Player | None:
    """A game of OpenSpiel; None if it is not installed."""
    try:
        import pyspiel
    except ImportError:
        return None
    game = pyspiel.load_game(name)

    def play(rng: random.Random) -> int:
        state, pick, made = game.new_initial_state(), rng.random, 0
        while not state.is_terminal():
            if state.is_chance_node():
                outcomes = state.chance_outcomes()
                state.apply_action(rng.choices([value for value, _ in outcomes], [chance for _, chance in outcomes])[0])
                continue
            moves = state.legal_actions()
            state.apply_action(moves[int(pick() * len(moves))])
            made += 1
        return made

    return play


def zoo(name: str) -> Player | None:
    """An environment of PettingZoo, without its wrappers; None if it is not installed."""
    try:
        module: Any = importlib.import_module(f"pettingzoo.classic.{name}")
    except ImportError:
        return None
    env = module.raw_env()

    def play(rng: random.Random) -> int:
        env.reset()
        made = 0
        while True:
            seen, _, over, cut, _ = env.last()
            if over or cut:
                return made
            moves = seen["action_mask"].nonzero()[0]
            env.step(int(moves[int(rng.random() * len(moves))]))
            made += 1

    return play


def python_chess() -> Player | None:
    """The package `chess`, up to its own end of a game or a hundred quiet moves; None if it is not installed."""
    try:
        import chess
    except ImportError:
        return None

    def play(rng: random.Random) -> int:
        board, made = chess.Board(), 0
        while moves := list(board.legal_moves):
            if board.halfmove_clock >= 100:
                break
            board.push(moves[int(rng.random() * len(moves))])
            made += 1
        return made

    return play


def catanatron() -> Player | None:
    """Four random players of the package `catanatron`, up to its own limit of turns; None if it is not installed."""
    try:
        from catanatron import Color, Game, RandomPlayer
        from catanatron.game import TURNS_LIMIT
    except ImportError:
        return None

    def play(rng: random.Random) -> int:
        game, made = Game([RandomPlayer(colour) for colour in Color], seed=rng.randrange(1, 2**62)), 0
        while game.winning_color() is None and game.state.num_turns < TURNS_LIMIT:
            game.play_tick()
            made += 1
        return made

    return play
