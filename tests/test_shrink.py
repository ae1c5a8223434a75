"""Failing games are made small, also long ones."""

from __future__ import annotations

import random
from typing import Any

from playtest.failure import Failure
from playtest.fuzz import fuzz
from playtest.lenient import Lenient
from playtest.plies import CHOICE
from playtest.shorter import shorter
from playtest.shrink import shrink
from rulesdsl.diagnostics import Source
from rulesdsl.program import load_source

MARKET = """\
game market:
    title "A market"
    players ana, ben

state:
    bought[Player]: 0..99
    taken: 0..99
    turn: 0..99

event Turned:
    turn = (turn + 1) % 90

event Bought(by: Player):
    bought[by] += 1

event Taken(by: Player):
    taken = (taken + 1) % 90

action buy:
    require own_turn: turn % 5 == 0 else "the shop is closed"
    emit Bought(me)

action offer:
    asked(me.next)

action take:
    emit Taken(me)

flow asked(p: Player):
    p may take

flow main:
    turns p from ana:
        p may repeatedly buy or offer
        emit Turned

measure wealth(p: Player) -> int:
    bought[p]

invariant "the shop is not empty":
    sum(bought[p] for p in Player) < 4
"""


def market() -> Any:
    return load_source(Source("market.rules", MARKET))


def long_game(loaded: Any) -> Failure:
    """A game with many turns and offers, in which something is bought four times."""
    failure = next(
        result.failure
        for seed in range(20)
        if (result := fuzz(loaded, games=1, seed=seed, archive=False, swarm=False)).failure is not None
        and result.failure.choices > 40
    )
    assert failure is not None
    return failure


def test_a_pass_that_ended_an_offer_does_not_end_a_turn_when_the_offer_is_taken_away() -> None:
    loaded = market()
    failure = long_game(loaded)
    lenient = Lenient(loaded, failure, 100_000, None)
    line = lenient.replay((), (), failure.plies)
    assert line is not None and line.plies == failure.plies
    offer = loaded.module.ACTIONS.index("offer")
    kept = [n for n, (kind, move) in enumerate(line.plies) if kind == CHOICE and move[0] != offer]
    plies = [line.plies[n] for n in kept]
    bought = sum(ply[1][0] == loaded.module.ACTIONS.index("buy") for ply in plies)
    strict = lenient.replay((), (), plies, [lenient.place(line.positions[n]) for n in kept])
    assert bought == 4
    assert strict is not None, "with their places the answers that are left go where they belong"
    assert lenient.replay((), (), plies) is None, "without places the passes come at the wrong time"


def test_a_long_game_becomes_as_short_as_it_can_be() -> None:
    loaded = market()
    small = shrink(loaded, long_game(loaded)).failure
    assert small.choices == 4, "all is bought on the first day"


def test_a_shorter_game_is_looked_for_in_the_same_way_each_time() -> None:
    loaded = market()
    failure = long_game(loaded)
    found, tried = shorter(loaded, failure.kind, 10_000)
    assert found is not None and found.choices < 15
    assert (found, tried) == shorter(loaded, failure.kind, 10_000)
    assert shorter(loaded, failure.kind, 15) == (None, 0), "the shortest games may have fifteen answers"


def test_nothing_else_is_broken_before() -> None:
    """While games are tried only one law is looked at, but no other one may be broken in what comes out."""
    text = MARKET + '\ninvariant "nobody buys twice at once":\n    bought[ana] < 3\n'
    loaded = load_source(Source("market.rules", text))
    rng = random.Random(1)
    failure = next(
        found
        for _ in range(200)
        if (found := fuzz(loaded, games=20, seed=rng.randrange(10**6), archive=False).failure) is not None
        and found.clause == "the shop is not empty"
    )
    small = shrink(loaded, failure).failure
    assert small.clause == "the shop is not empty"
    assert small.before is not None and small.before[0][0] < 3
