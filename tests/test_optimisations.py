"""Optimisations change how fast a game is, and nothing else."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from playtest.fuzz import draw, game_random
from playtest.plies import DRAW
from rulesdsl import runtime
from rulesdsl.diagnostics import Source
from rulesdsl.program import load_source
from rulesdsl.python.backend import generate

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "benchmarks"))

from optimisations import SWITCHES, made, written  # noqa: E402


def same_game(one: Any, other: Any, seed: int) -> int:
    """Play one random game with two modules, which must list the same moves and outcomes in the same order; its length."""
    rng = game_random(seed, 0)
    here, there = one.start(runtime.Trace()), other.start(runtime.Trace())
    plies = 0
    while here[1] is not None and plies < 120:
        assert there[1] is not None and one.KIND[here[1][0]] == other.KIND[there[1][0]]
        plies += 1
        if one.KIND[here[1][0]] == DRAW:
            outcomes = one.outcomes(*here)
            assert outcomes == other.outcomes(*there)
            value = draw(outcomes, rng)
            here, there = one.drawn(*here, value, runtime.Trace()), other.drawn(*there, value, runtime.Trace())
        else:
            moves = one.legal(*here)
            assert moves == other.legal(*there)
            assert all(other.allows(*there, move) for move in moves) and other.any_legal(*there)
            move = moves[int(rng.random() * len(moves))]
            here, there = one.answer(*here, move, runtime.Trace()), other.answer(*there, move, runtime.Trace())
    assert (here[1] is None) == (there[1] is None)
    assert here[0][-1] == there[0][-1]  # how it ended
    return plies


@pytest.mark.parametrize("game", ["breakthrough", "kuhn_poker", "backgammon"])
def test_a_game_is_the_same_without_an_optimisation(game: str) -> None:
    path = ROOT / "games" / "classic" / f"{game}.rules"
    whole = made(path)
    for off in [*((name,) for name in SWITCHES), tuple(SWITCHES)]:
        part = made(path, off)
        assert sum(same_game(whole, part, seed) for seed in range(2)) > 6


def test_each_optimisation_changes_the_code_of_some_game() -> None:
    paths = [ROOT / "games" / "classic" / f"{game}.rules" for game in ("hex", "backgammon")]
    whole = {path: written(path).source for path in paths}
    same = [name for name in SWITCHES if all(written(path, (name,)).source == whole[path] for path in paths)]
    assert same == []


BAGS = """\
game bags:
    title "Bags"
    players ana, ben

enum Stone:
    red, green, blue

const all_stones: bag[Stone] = {red: 2, green: 1}

state:
    purse[Player]: bag[Stone] = all_stones
    marked[Player]: set[0..5] = {1, 4}

def doubled(stones: bag[Stone]) -> bag[Stone]:
    return bag(s for s in stones) + stones

event Ticked:
    marked[ana] += 2

action tick:
    emit Ticked

flow main:
    ana chooses tick
    end tie

measure together(p: Player) -> int:
    len(bag(t for q in Player for t in purse[q])) * 100 + count(t for q in Player for t in purse[q] if t == red)

measure of_one(p: Player) -> int:
    count(t for t in purse[p] if t == green) * 10 + sum(1 for t in purse[p] if red == t)

measure sum_of_marked(p: Player) -> int:
    sum(n for n in 0..5 if n in marked[p] and n > 1)

invariant "known before play":
    bag(t for p in Player for t in purse[p]) == doubled(all_stones)
"""


def test_what_bags_and_sets_know_is_asked_of_them() -> None:
    """Loops over copies, over all values of a type, and over what is known before play are left out, with the same result."""
    loaded = load_source(Source("bags.rules", BAGS))
    module: Any = loaded.module
    state, _ = module.start(runtime.Trace())
    measures = module.MEASURES
    assert measures["together"](state, 0) == 604
    assert [measures["of_one"](state, seat) for seat in range(2)] == [12, 12]
    state, _ = module.answer(*module.start(runtime.Trace()), (1,), runtime.Trace())
    assert [measures["sum_of_marked"](state, seat) for seat in range(2)] == [6, 4]
    assert all(holds(state) for _, holds, _ in module.INVARIANTS)
    code = generate(loaded.program).source
    laws = code[code.index("def measure_together") : code.index("# ---", code.index("def law_invariant_1"))]
    assert "bag_items" not in laws and "def_doubled" not in laws
    assert "ALL_" not in laws, "a set is gone through, not all values"
