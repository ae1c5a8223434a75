"""Perft against numbers that are known, or counted by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from playtest.laws import Broken
from playtest.perft import divide, perft
from playtest.plies import play
from rulesdsl import runtime
from rulesdsl.program import load

TIC_TAC_TOE = """\
game tic_tac_toe:
    title "Tic-tac-toe"
    players noughts, crosses

board Cell = grid(3, 3)

state:
    mark[Cell]: Player?

event Placed(by: Player, at: Cell):
    "{by} marks {at}"
    mark[at] = by

action place(at in Cell):
    require vacant: mark[at] is none else "{at} is taken"
    emit Placed(me, at)
    if any(all(mark[s] == me for s in line) for line in Cell.lines(3)):
        end win me

flow main:
    turns p from noughts if any(mark[c] is none for c in Cell):
        p chooses place
    end tie
"""

DICE = """\
game dice:
    players 1

state:
    total: 0..40
    kept[0..3]: 0..4

event Rolled(n: 1..4):
    total += n
    kept[0] = n

action stop:
    emit Rolled(1)
    end win me

flow main:
    repeat 3:
        draw a from 1..4
        draw b from [1, 1, 2]
        emit Rolled(a)
        if a == b:
            emit Rolled(b)
        Player[0] may stop
    end tie
"""


def loaded(text: str, folder: Path) -> Any:
    path = folder / "game.rules"
    path.write_text(text, encoding="utf-8")
    return load(path, {}, None)


def test_tic_tac_toe_has_the_known_numbers(tmp_path: Path) -> None:
    counted = perft(loaded(TIC_TAC_TOE, tmp_path), 9)
    assert counted.leaves == (1, 9, 72, 504, 3024, 15120, 54720, 148176, 200448, 127872)
    assert counted.ended[:9] == (0, 0, 0, 0, 0, 1440, 5328, 47952, 72576)


def test_outcomes_and_passes_are_plies(tmp_path: Path) -> None:
    """Three rounds of a die, a second die with two different sides, and a pass or a stop."""
    counted = perft(loaded(DICE, tmp_path), 6)
    assert counted.leaves == (1, 4, 8, 16, 32, 64, 128)
    assert counted.ended == (0, 0, 0, 8, 0, 0)


def test_divide_adds_up(tmp_path: Path) -> None:
    game = loaded(TIC_TAC_TOE, tmp_path)
    parts = divide(game, 4)
    assert len(parts) == 9
    assert sum(parts.values()) == 3024


def test_from_another_position(tmp_path: Path) -> None:
    game = loaded(TIC_TAC_TOE, tmp_path)
    start = game.module.start(runtime.Trace())
    position = play(game.module, start, ("choice", game.module.legal(*start)[0]), runtime.Trace())
    assert perft(game, 2, position).leaves == (1, 8, 56)


def test_a_dead_end_is_reported(tmp_path: Path) -> None:
    text = DICE.replace("Player[0] may stop", "Player[0] chooses stop").replace(
        "action stop:\n", 'action stop:\n    require low: total < 3 else "too high"\n'
    )
    with pytest.raises(Broken, match="dead end: stop"):
        perft(loaded(text, tmp_path), 5)
