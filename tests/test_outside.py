"""The classic games against other engines: the same random games move for move."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pyspiel", reason="`pip install -e '.[test,differential]'` brings the other engines")
pytest.importorskip("chess", reason="`pip install -e '.[test,differential]'` brings the other engines")

from outside import Backgammon, Beside, Chess, Kuhn, Othello, Spiel, difference

from rulesdsl.diagnostics import Source
from rulesdsl.program import load, load_source

LONG = os.environ.get("RULESDSL_LONG") == "1"
CLASSIC = Path(__file__).resolve().parent.parent / "games" / "classic"


def marked(action: str) -> str:
    """`x(1,0)`, row and column, is `place(a2)`."""
    row, column = re.findall(r"\d", action)
    return f"place({'abc'[int(column)]}{int(row) + 1})"


def forward(action: str) -> str:
    """`a7b6*` is `move(a2, b3)`: who begins there has the upper rows."""
    (c, r), (d, s) = re.findall(r"([a-h])([1-8])", action)
    return f"move({c}{9 - int(r)}, {d}{9 - int(s)})"


def stepped(action: str) -> str:
    """`a3b4` is a move, and `a3c5` a jump."""
    start, goal = action[:2], action[2:]
    return f"{'jump' if abs(ord(start[0]) - ord(goal[0])) == 2 else 'move'}({start}, {goal})"


BESIDE: dict[str, tuple[Callable[[Any], Beside], int]] = {
    "tic_tac_toe": (lambda loaded: Spiel(loaded, "tic_tac_toe", marked), 300),
    "connect_four": (lambda loaded: Spiel(loaded, "connect_four", lambda action: f"drop({action[1:]})"), 150),
    "breakthrough": (lambda loaded: Spiel(loaded, "breakthrough", forward), 40),
    "hex": (lambda loaded: Spiel(loaded, "hex", lambda action: f"place({action})"), 15),
    "reversi": (lambda loaded: Othello(loaded, "othello", lambda action: f"place({action})"), 60),
    "kuhn_poker": (lambda loaded: Kuhn(loaded, "kuhn_poker", str), 200),
    "checkers": (lambda loaded: Spiel(loaded, "checkers", stepped), 80),
    "backgammon": (Backgammon, 10),
    "chess": (Chess, 12),
}


@pytest.mark.parametrize("game", BESIDE)
def test_another_engine_plays_the_same_game(game: str) -> None:
    make, games = BESIDE[game]
    beside = make(load(CLASSIC / f"{game}.rules", {}, None))
    found = difference(beside, 20 * games if LONG else games)
    assert not found, found
    assert beside.compared > 1_000


@pytest.mark.parametrize(
    ("game", "rule", "planted", "told", "answers"),
    [
        ("reversi", "at.rays", "at.straight_rays", ("legal moves are", "only there place(c3)"), 1),
        ("connect_four", "lines(4)", "lines(5)", ("who is asked is", "here 1, there over"), 7),
        ("checkers", "runner = goal", "runner = none", ("who is asked is", "here 0, there 1"), 6),
    ],
)
def test_a_planted_difference_is_found_and_told_small(
    game: str, rule: str, planted: str, told: tuple[str, str], answers: int
) -> None:
    text = (CLASSIC / f"{game}.rules").read_text(encoding="utf-8")
    assert text.count(rule) == 1
    beside = BESIDE[game][0](load_source(Source(f"{game}.rules", text.replace(rule, planted)), {}, None))
    found = difference(beside, 100)
    lines = found.splitlines()
    assert lines[0] == f"broken: another engine: {told[0]} not the same"
    assert lines[1].strip().startswith(told[1])
    assert len(re.findall(r"^ +\d+  ", found, re.MULTILINE)) == answers, found
