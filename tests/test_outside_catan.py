"""Catan against catanatron: the same islands, pieces, hands and rolls."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("catanatron", reason="`pip install -e '.[test,differential]'` brings the other engines")
pytest.importorskip("pyspiel", reason="`pip install -e '.[test,differential]'` brings the other engines")
pytest.importorskip("chess", reason="`pip install -e '.[test,differential]'` brings the other engines")

from outside_catan import Catanatron

from playtest.fuzz import game_random, random_game
from playtest.laws import Broken, Laws
from rulesdsl.diagnostics import Source
from rulesdsl.program import load, load_source

LONG = os.environ.get("RULESDSL_LONG") == "1"
GAMES = Path(__file__).resolve().parent.parent / "games"
WITHOUT_OFFERS = {"offers_per_turn": 0}
SECTIONS = {"3.2", "4.5", "5.4", "7.3", "7.5", "8.2", "8.4", "9.3"}
"""Of our rulebook: where the other engine is known to play by other rules."""


def compared(loaded: Any, games: int) -> Catanatron:
    """Random games are played on both sides."""
    beside = Catanatron(loaded)
    laws = Laws(beside.rules)
    for game in range(games):
        beside(random_game(laws, game_random(0, game)).plies)
    return beside


def test_another_engine_allows_and_pays_the_same() -> None:
    beside = compared(load(GAMES / "catan.rules", WITHOUT_OFFERS, 4), 200 if LONG else 5)
    assert beside.compared > 5_000
    assert min(beside.looked_at[what] for what in ("builds", "rolls", "robber", "bank trades", "routes")) > 300
    assert set(beside.explained) <= SECTIONS
    assert not LONG or set(beside.explained) == SECTIONS
    rulebook = (GAMES / "catan.rulebook.md").read_text(encoding="utf-8")
    assert set(re.findall(r"^### ([0-9.]+)", rulebook, re.MULTILINE)) >= SECTIONS


@pytest.mark.parametrize(
    ("rule", "planted", "told"),
    [
        ("d1_w: ore_harbour", "d1_w: any_harbour", "trades with the bank are"),
        ("token[h] == n and robber != h", "token[h] == n", "what a roll yields is"),
        ("(road_ends(p) | buildings(p)) - foreign_corners(p)", "road_ends(p) | buildings(p)", "roads are"),
        ("repeat len(hand[q]) // 2:", "repeat (len(hand[q]) + 1) // 2:", "who has still to discard is"),
        ("trail_from(far, unused - {e}, walls)", "trail_from(far, unused - at.edges, walls)", "the longest route is"),
        ("others(me) if buildings(p) & to.corners", "others(me) if settlements[p] & to.corners", "who can be robbed is"),
        ("const least_road = 5", "const least_road = 6", "the longest road is"),
        ("if most < least:", "if most <= least:", "the largest army is"),
    ],
)
def test_a_planted_difference_is_found(rule: str, planted: str, told: str) -> None:
    text = (GAMES / "catan.rules").read_text(encoding="utf-8")
    assert text.count(rule) == 1
    changed = load_source(Source("catan.rules", text.replace(rule, planted)), WITHOUT_OFFERS, 4)
    with pytest.raises(Broken, match=re.escape(told)):
        compared(changed, 10)
