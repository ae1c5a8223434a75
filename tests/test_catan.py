"""Catan: what holds of its questions."""

from __future__ import annotations

import statistics
from pathlib import Path

import pytest

from playtest.fuzz import draw, game_random
from playtest.plies import DRAW
from rulesdsl import runtime
from rulesdsl.program import load

CATAN = Path(__file__).resolve().parent.parent / "games" / "catan.rules"


@pytest.mark.parametrize("players", [3, 4])
def test_questions_have_few_options(players: int) -> None:
    """Amounts are chosen one item at a time, so that nobody has to look through thousands of moves."""
    module = load(CATAN, seats=players).module
    options = []
    for game in range(4):
        rng = game_random(7, game)
        state, frame = module.start(runtime.Trace())
        while frame is not None:
            if module.KIND[frame[0]] == DRAW:
                state, frame = module.drawn(state, frame, draw(module.outcomes(state, frame), rng), runtime.Trace())
                continue
            moves = module.legal(state, frame)
            options.append(len(moves))
            state, frame = module.answer(state, frame, moves[int(rng.random() * len(moves))], runtime.Trace())
    assert len(options) > 4_000
    assert statistics.median(options) <= 12
    assert max(options) < 200
