"""Boats: what the rules say can be paid, against a search through everything that a player might do."""

from __future__ import annotations

import random
import re
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from interpreter.rules import Rules
from rulesdsl.program import load
from rulesdsl.runtime import Trace

GAMES = Path(__file__).parent.parent / "games"
BOATS = GAMES / "variants" / "atlantis_boats.rules"


@cache
def payable(coins: tuple[int, ...], fees: tuple[int, ...], tolls: int) -> bool:
    """Whether coins pay each fee by itself, and the tolls with what is left: every way of paying is tried."""
    if not fees:
        return sum(coins) >= tolls
    if fees[0] <= 0:
        return payable(coins, fees[1:], tolls)
    return any(
        payable(coins[:i] + coins[i + 1 :], (fees[0] - coin, *fees[1:]), tolls)
        for i, coin in enumerate(coins)
        if coin not in coins[:i]
    )


@cache
def over(gaps: tuple[tuple[int, tuple[int, ...]], ...], saved: int, coins: tuple[int, ...], fees: tuple[int, ...], tolls: int) -> bool:
    """Whether gaps (toll, owners of boats) can be crossed and paid: toll, boat, or one of the pieces in hand, gap by gap."""
    if not gaps:
        return payable(coins, fees, tolls)
    (toll, owners), *rest = gaps
    others = tuple(rest)
    return (
        over(others, saved, coins, fees, tolls + toll)
        or (saved > 0 and over(others, saved - 1, coins, fees, tolls))
        or any(over(others, saved, coins, (*fees, max(1, toll // 2)), tolls) for _ in owners[:1])
    )


def bag(values: list[int] | tuple[int, ...], top: int) -> tuple[int, ...]:
    counts = Counter(values)
    return tuple(counts[value] for value in range(1, top + 1))


@given(
    st.lists(st.sampled_from([1, 1, 2, 3, 4, 7]), max_size=7), st.lists(st.integers(1, 3), max_size=3), st.integers(0, 9)
)  # fmt: skip
@settings(max_examples=400, deadline=None)
def test_fees_and_tolls_can_be_paid_if_some_way_of_paying_them_exists(coins: list[int], fees: list[int], tolls: int):
    module = load(BOATS).module
    found = module.DEFS["payable"](module.initial(), bag(coins, 7), bag(fees, 3), tolls)
    assert found == payable(tuple(sorted(coins)), tuple(sorted(fees)), tolls)


def states(rules: Rules, rng: random.Random) -> list[Any]:
    """The states of a random game."""
    module = rules.module
    state, frame = module.start(Trace())
    found = []
    while frame is not None:
        if module.KIND[frame[0]] == "draw":
            outcomes = module.outcomes(state, frame)
            value = rng.choices([v for v, _ in outcomes], [w for _, w in outcomes])[0]
            state, frame = module.drawn(state, frame, value, Trace())
            continue
        found.append(state)
        moves = module.legal(state, frame) or [(0,)]
        boats = [move for move in moves if rules.move(move).action in ("place_boat", "hire_boat")]
        state, frame = module.answer(state, frame, rng.choice(boats or moves), Trace())
    return found


def test_a_move_can_be_completed_if_some_way_of_crossing_and_paying_exists():
    loaded = load(BOATS, seats=4)
    rules, defs = Rules(loaded), loaded.module.DEFS
    rng = random.Random(7)
    seen: Counter[tuple[bool, bool]] = Counter()
    for state in (state for _ in range(4) for state in rng.sample(states(rules, rng), 60)):
        named = rules.state(state)
        lent = [int(str(place)) for place in named.boat.values() if place is not None]
        fees = tuple(sorted(fee for fee in named.owed.values() if fee))
        for seat, name in enumerate(rules.seats):
            middle = rng.choice(lent) if lent else rng.randrange(1, 54)
            start, to = rng.randrange(0, middle), rng.randrange(middle + 1, 55)
            cards = rng.randrange(0, 3)
            gaps: list[tuple[int, tuple[int, ...]]] = []
            for gap in (g for g in range(55) if defs["gaps"](state, start, to) >> g & 1):
                if not defs["free_for"](state, seat, gap):
                    lenders = defs["lenders"](state, seat, gap)
                    gaps.append((defs["toll"](state, gap), tuple(q for q in range(4) if lenders >> q & 1)))
            if len(gaps) > 9:
                continue
            coins = tuple(sorted([*Counter(named.tiles[name]).elements(), *[1] * cards]))
            saved = bool(named.has_bridge[name]) + bool(named.has_boat[name])
            wanted = over(tuple(gaps), saved, coins, fees, named.due)
            assert defs["can_cross"](state, seat, start, to, cards) == wanted, (gaps, saved, coins, fees, named.due)
            seen[wanted, any(owners for _, owners in gaps)] += 1
    assert all(seen[wanted, lent] >= 5 for wanted in (True, False) for lent in (True, False)), seen


def test_every_section_that_is_cited_is_in_a_rulebook_and_every_rule_about_boats_is_cited():
    text = BOATS.read_text(encoding="utf-8")
    cited = set(re.findall(r"§(\d+(?:\.\d+)?)", text))
    own = set(re.findall(r"^#+ (\d+(?:\.\d+)?) ", BOATS.with_suffix(".rulebook.md").read_text(encoding="utf-8"), re.MULTILINE))
    base = set(re.findall(r"^#+ (\d+(?:\.\d+)?) ", (GAMES / "atlantis.rulebook.md").read_text(encoding="utf-8"), re.MULTILINE))
    assert not own & base
    assert cited <= own | base
    assert {section for section in own if "." in section} <= cited
