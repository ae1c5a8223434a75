"""What adapters have in common: actions as numbers, observations as arrays, rewards."""

from __future__ import annotations

import random
import sys
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("numpy", reason="`pip install -e '.[test,differential]'` brings it")

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from machine_games import BIDS, duel, game
from test_possible import ALL_GAMES, HANDS

import interpreter
from interpreter import REFEREE, Concealed, Game, NamedMap, Position, ValueProblem
from playtest.adapters.actions import Dense, Factored, actions_of
from playtest.adapters.arrays import ALL, Arrays
from playtest.adapters.parts import part_sizes, parts
from playtest.adapters.rewards import Rewards
from rulesdsl.types import (
    BagType,
    BoolType,
    EnumType,
    IntType,
    ListType,
    MapType,
    OptionType,
    RecordType,
    SetType,
    Type,
)

GAMES = Path(__file__).resolve().parent.parent / "games"
KUHN = GAMES / "classic" / "kuhn_poker.rules"


def played(made: Game, seed: int, most: int) -> list[Position]:
    """The positions of a random game where a player is asked, and its end."""
    chance, position = random.Random(seed), made.start(seed=seed)
    found = [position]
    while position.asks and len(found) < most:
        position = position.after(chance.choice(position.legal())).settled(seed)
        found.append(position)
    return found


# ---------------------------------------------------------------- actions


def told_moves(actions: Factored, position: Position) -> dict[Any, list[int]]:
    """Every move that telling parts can lead to, with the parts that were chosen."""
    moves = position.legal()
    open_ends: list[tuple[tuple[int, ...], list[int]]] = [(actions.begin(moves), [])]
    found: dict[Any, list[int]] = {}
    while open_ends:
        told, chosen = open_ends.pop()
        legal = actions.legal(moves, told)
        assert legal == sorted(set(legal)) and legal[0] >= 0 and legal[-1] < actions.size
        for action in legal:
            assert actions.text(moves, told, action)
            move, further = actions.take(moves, told, action)
            if move is None:
                assert all(0 <= part < size for part, size in zip(further, actions.told_sizes, strict=False))
                assert len(further) <= len(actions.told_sizes)
                open_ends.append((further, [*chosen, action]))
            else:
                assert move not in found
                found[move] = [*chosen, action]
    return found


@pytest.mark.parametrize("path", ALL_GAMES, ids=lambda path: path.stem)
def test_parts_lead_to_every_legal_move_and_to_no_other(path: Path) -> None:
    made = interpreter.load(path)
    actions = actions_of(made.rules(), "factored")
    assert isinstance(actions, Factored)
    for position in played(made, 5, 60)[::6]:
        if position.asks:
            assert set(told_moves(actions, position)) == set(position.legal())


def test_arguments_that_cannot_be_counted_are_told_in_parts() -> None:
    made = game(HANDS.replace("p chooses give", "p chooses give or hand_over"))
    actions = actions_of(made.rules())
    assert isinstance(actions, Factored)
    with pytest.raises(ValueProblem, match="too many moves to number"):
        actions_of(made.rules(), "dense")
    position = made.start()
    found = told_moves(actions, position)
    assert set(found) == set(position.legal()) and len(found) == 4
    assert isinstance(actions_of(game(HANDS).rules()), Dense)
    texts = {actions.text(position.legal(), actions.begin(position.legal()), action) for action in (1, 2)}
    assert texts == {"give", "hand_over"}


COLOUR = EnumType("Colour", ("red", "green", "blue"))
TYPES: list[Type] = [
    IntType(-(2**63), 2**63 - 1),
    IntType(0, 10_000),
    BagType(COLOUR),
    ListType(OptionType(COLOUR), 4),
    SetType(IntType(1, 20)),
    MapType(COLOUR, IntType(0, 99)),
    OptionType(IntType(0, 10_000)),
    RecordType("Pair", (("cards", BagType(COLOUR)), ("many", ListType(IntType(0, 5), 3)), ("last", BoolType()))),
]


def drawn(t: Type) -> st.SearchStrategy[Any]:
    """Values of a type, in internal form."""
    if isinstance(t, IntType):
        return st.integers(t.lo, t.hi)
    if isinstance(t, BoolType):
        return st.booleans()
    if isinstance(t, EnumType):
        return st.integers(0, len(t.members) - 1)
    if isinstance(t, OptionType):
        return st.none() | drawn(t.item)
    if isinstance(t, RecordType):
        return st.tuples(*(drawn(item) for _, item in t.fields))
    if isinstance(t, SetType):
        return st.integers(0, 2**20 - 1)
    if isinstance(t, BagType):
        return st.tuples(*[st.integers(0, 255)] * 3)
    if isinstance(t, MapType):
        return st.tuples(*[drawn(t.value)] * 3)
    assert isinstance(t, ListType)
    return st.lists(drawn(t.item), max_size=t.limit).map(tuple)


@pytest.mark.parametrize("t", TYPES, ids=str)
@given(data=st.data())
@settings(max_examples=60, deadline=None)
def test_different_values_are_told_differently_and_none_begins_another(t: Type, data: st.DataObject) -> None:
    codec = interpreter.Codec()
    one, other = data.draw(drawn(t)), data.draw(drawn(t))
    told = [[part.number for part in parts(codec, "x", t, value)] for value in (one, other)]
    sizes = part_sizes(t)
    for numbers in told:
        assert len(numbers) <= len(sizes) and all(0 <= n < size for n, size in zip(numbers, sizes, strict=False))
    shorter = min(map(len, told))
    assert (told[0][:shorter] == told[1][:shorter]) == (one == other)


# ---------------------------------------------------------------- arrays


def numbers_of(t: Type, value: Any) -> list[float]:
    """A value, by name, in numbers, array after array, as `leaves` describes them: written a second time, from names."""
    hidden = isinstance(value, Concealed)
    if isinstance(t, BoolType):
        return [0 if hidden else int(value)]
    if isinstance(t, IntType):
        return [0 if hidden else value]
    if isinstance(t, EnumType):
        return [0 if hidden else int(member == value) for member in t.members]
    if isinstance(t, OptionType) and isinstance(t.item, EnumType):
        return [0 if hidden else int(member == value) for member in (None, *t.item.members)]
    if isinstance(t, OptionType):
        inner = numbers_of(t.item, Concealed("", "") if value is None or hidden else value)
        return [int(value is not None and not hidden), *inner]
    if isinstance(t, RecordType):
        return [n for name, item in t.fields for n in numbers_of(item, value if hidden else getattr(value, name))]
    if isinstance(t, SetType):
        return [0 if hidden else int(item in value) for item in members(t.item)]
    assert isinstance(t, BagType), t
    return [0 if hidden else value.get(item, 0) for item in members(t.item)]


def members(t: Type) -> list[Any]:
    if isinstance(t, EnumType):
        return list(t.members)
    if isinstance(t, IntType):
        return list(range(t.lo, t.hi + 1))
    rules = interpreter.Codec([t] if isinstance(t, RecordType) else [])
    from rulesdsl.types import values

    return [rules.named(t, value) for value in values(t)]


def cells(value: Any, keys: int) -> list[Any]:
    """The cells of a field as a view has it."""
    if keys == 0:
        return [value]
    return [cell for part in value.values() for cell in cells(part, keys - 1)]


def back(value: Any) -> int:
    """What is public of a value: how many, or whether it is there."""
    if isinstance(value, Concealed):
        return int(value.count if value.count is not None else value.present or 0)
    if value is None:
        return 0
    if isinstance(value, interpreter.NamedBag):
        return value.total
    return len(value) if isinstance(value, (tuple, interpreter.NamedSet)) else 1


@pytest.mark.parametrize("path", ALL_GAMES, ids=lambda path: path.stem)
def test_arrays_say_what_the_view_says_and_nothing_else(path: Path) -> None:
    made = interpreter.load(path)
    rules = made.rules()
    arrays = Arrays(rules)
    for position in played(made, 7, 80)[::8]:
        for viewer in (*rules.seats, None):
            found = arrays.of(position, arrays.seat(viewer))
            assert [(name, array.shape, array.dtype) for name, array in found.items()] == [
                (slot.name, slot.shape, slot.dtype) for slot in arrays.slots
            ]
            assert all(
                (slot.low <= found[slot.name]).all() and (found[slot.name] <= slot.high).all() for slot in arrays.slots
            )
            view = position.view(viewer)
            for info in rules.program.fields:
                own = [array for name, array in found.items() if name.split(".")[0] == info.name]
                seen = cells(view.state[info.name], len(info.keys)) if info.keys else [view.state[info.name]]
                if info.visibility == "hidden" and isinstance(view.state[info.name], Concealed):
                    seen = [view.state[info.name]]
                expected = [numbers_of(info.value, cell) for cell in seen]
                if info.visibility in ("private", "hidden"):
                    counts = [back(cell) for cell in seen]
                    assert own[-1].ravel().tolist() == counts
                    own = own[:-1]
                if info.visibility != "hidden":
                    rows = np.concatenate([array.reshape(len(seen), -1) for array in own], axis=1)
                    assert rows.tolist() == expected, info.name
            asked = viewer is not None and position.asks and position.question.seat == viewer
            assert found["me.question"].sum() == int(asked)
            assert found["me"].tolist() == [int(seat == viewer) for seat in rules.seats]


def test_what_a_seat_may_not_see_changes_nothing_in_its_arrays() -> None:
    made = interpreter.load(KUHN)
    start, arrays = made.start(), Arrays(made.rules())
    one, other = (start.play_draw("jack").play_draw(card) for card in ("queen", "king"))
    for seat, same in ((0, True), (-1, True), (1, False), (ALL, True)):
        found = [arrays.vector(position, seat).tolist() for position in (one, other)]
        assert (found[0] == found[1]) is same
    whole = Arrays(made.rules(), whole=True)
    assert whole.vector(one, ALL).tolist() != whole.vector(other, ALL).tolist()


def test_what_the_question_gives_is_seen_by_who_is_asked() -> None:
    made = interpreter.load(GAMES / "catan.rules")
    arrays, position = Arrays(made.rules()), made.start(seed=1)
    found = arrays.of(position, 0)
    assert str(position.question.offers[0]) == "found(1)" and found["me.given.found.lap"] == 1
    position = position.after(position.legal()[5]).settled(1)
    home = position.question.offers[0].given["home"]
    corners = position.rules.program.action("first_road").given[0].type
    assert isinstance(corners, EnumType)
    assert arrays.of(position, 0)["me.given.first_road.home"].tolist() == [int(c == home) for c in corners.members]
    assert not arrays.of(position, 1)["me.given.first_road.home"].any()


def test_arrays_are_the_callers_own() -> None:
    made = interpreter.load(GAMES / "classic" / "tic_tac_toe.rules")
    arrays, position = Arrays(made.rules()), made.start()
    for array in arrays.of(position, 0).values():
        array[...] = 1
    assert arrays.of(position, 0)["mark"].sum() == 9


# ---------------------------------------------------------------- rewards


def test_outcomes_are_worth_plus_and_minus_one() -> None:
    made = interpreter.load(GAMES / "classic" / "tic_tac_toe.rules")
    rewards, position = Rewards(made.rules()), made.start()
    assert rewards.zero_sum and (rewards.low, rewards.high) == (-1, 1)
    for at in ("a1", "a2", "b1", "b2"):
        position = position.play("place", at=at)
        assert rewards.worth(position) == (0, 0)
    assert rewards.worth(position.play("place(c1)")) == (1, -1)
    for at in ("a3", "c1", "c2", "b3", "c3"):
        position = position.play("place", at=at)
    assert position.outcome is not None and position.outcome.tie and rewards.worth(position) == (0, 0)


ALONE = """\
game alone:
    title "Alone"
    players 1..3

action win:
    end win {p for p in Player}

action lose:
    end win {}

flow main:
    player0 chooses win or lose
"""


@pytest.mark.parametrize(("players", "won", "lost"), [(1, (1,), (-1,)), (3, (0, 0, 0), (-1, -1, -1))])
def test_nobody_wins_is_worth_less_than_all(players: int, won: tuple[int, ...], lost: tuple[int, ...]) -> None:
    start = game(ALONE).start(players)
    rewards = Rewards(start.rules)
    assert rewards.worth(start.play("win")) == won and rewards.worth(start.play("lose")) == lost
    assert not Rewards(game(ALONE).start(2).rules).zero_sum


def test_scores_and_measures() -> None:
    kuhn = interpreter.load(KUHN)
    rewards = Rewards(kuhn.rules(), "scores")
    assert (rewards.low, rewards.high, rewards.zero_sum) == (-2, 2, False)
    end = kuhn.start().play_draw("jack").play_draw("king").play("bet").play("call")
    assert rewards.worth(end) == (-2, 2)
    with pytest.raises(ValueProblem, match="can end without scores"):
        Rewards(interpreter.load(GAMES / "classic" / "tic_tac_toe.rules").rules(), "scores")
    with pytest.raises(ValueProblem, match="no measure luck; rewards are by outcome, scores, match_points"):
        Rewards(interpreter.load(GAMES / "atlanteon.rules").rules(), "luck")
    made = interpreter.load(GAMES / "atlanteon.rules")
    worth = Rewards(made.rules(), "controlled_squares")
    for position in played(made, 3, 40)[::5]:
        assert worth.worth(position) == tuple(
            position.measure("controlled_squares", seat) for seat in made.rules().seats
        )


def test_the_referee_sees_a_private_field_as_it_is() -> None:
    position = duel().start(seed=3)
    whole = Arrays(position.rules, whole=True).of(position, ALL)
    seen = position.view(REFEREE).state["hand"]
    assert isinstance(seen, NamedMap)
    assert whole["hand"].tolist() == [[seen[p].get(card, 0) for card in ("ace", "jack", "two")] for p in ("ana", "bob")]
    assert "deck" in whole and "deck" not in Arrays(position.rules).of(position, 0)


def test_simultaneous_bids_are_not_seen() -> None:
    start = game(BIDS).start()
    arrays = Arrays(start.rules)
    one, other = start.play("make_bid(3)"), start.play("make_bid(7)")
    assert arrays.vector(one, 1).tolist() == arrays.vector(other, 1).tolist()
    assert arrays.vector(one, 0).tolist() != arrays.vector(other, 0).tolist()


def test_a_missing_library_is_told_with_its_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    import playtest.adapters

    monkeypatch.delitem(sys.modules, "playtest.adapters.openspiel", raising=False)
    monkeypatch.delitem(sys.modules, "playtest.adapters.observers", raising=False)
    monkeypatch.setitem(sys.modules, "pyspiel", None)
    with pytest.raises(ModuleNotFoundError, match=r"openspiel_game needs pyspiel.*pip install 'rulesdsl\[openspiel\]'"):
        _ = playtest.adapters.openspiel_game
    with pytest.raises(AttributeError, match="no attribute gym_env"):
        _ = playtest.adapters.gym_env
