"""Classic games: how many lines of play there are is known to everybody, and all laws hold in random games."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from playtest.fuzz import fuzz
from playtest.perft import perft
from rulesdsl.program import load

CLASSIC = Path(__file__).resolve().parent.parent / "games" / "classic"

KNOWN = {
    "tic_tac_toe": (9, 72, 504, 3_024, 15_120, 54_720, 148_176, 200_448, 127_872),
    "connect_four": (7, 49, 343, 2_401, 16_807, 117_649),
    "breakthrough": (22, 484, 11_132),
    "hex": (121, 14_520),
    "reversi": (4, 12, 56, 244, 1_396, 8_200, 55_092),
    "kuhn_poker": (3, 6, 12, 24, 12, 0),
}


def classic(game: str, **params: Any) -> Any:
    return load(CLASSIC / f"{game}.rules", params, None)


@pytest.mark.parametrize("game", KNOWN)
def test_there_are_as_many_lines_of_play_as_is_known(game: str) -> None:
    counted = perft(classic(game), len(KNOWN[game]))
    assert counted.leaves[1:] == KNOWN[game]
    if game == "tic_tac_toe":
        assert sum(counted.ended) + counted.leaves[9] == 255_168  # complete games


@pytest.mark.parametrize("game", sorted(path.stem for path in CLASSIC.glob("*.rules")))
def test_all_laws_hold_in_random_games(game: str) -> None:
    assert fuzz(classic(game), 3).failure is None
