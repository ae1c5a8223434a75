"""The moves that can ever be legal: none is missing, and what no state could allow is left out."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from machine_games import duel, game

import interpreter
from interpreter import possible_moves

GAMES = Path(__file__).resolve().parent.parent / "games"
ALL_GAMES = sorted([*GAMES.glob("*.rules"), *GAMES.glob("classic/*.rules"), *GAMES.glob("variants/*.rules")])


@pytest.mark.parametrize("path", ALL_GAMES, ids=lambda path: path.stem)
def test_every_legal_move_was_possible(path: Path) -> None:
    made = interpreter.load(path)
    moves = possible_moves(made.rules(), 1 << 20)
    assert moves is not None and len(set(moves)) == len(moves)
    known, chance = set(moves), random.Random(path.stem)
    position = made.start(seed=1)
    for _ in range(150):
        legal = position.legal()
        assert known.issuperset(legal)
        if not legal:
            break
        position = position.after(chance.choice(legal)).settled(1)


def texts(path: str) -> list[str]:
    rules = interpreter.load(GAMES / path).rules()
    return [str(rules.move(move)) for move in possible_moves(rules) or ()]


def test_what_no_state_could_allow_is_left_out() -> None:
    assert texts("classic/tic_tac_toe.rules") == [f"place({column}{row})" for row in "123" for column in "abc"]
    assert texts("classic/connect_four.rules") == [f"drop({column})" for column in range(7)]
    trades = [text for text in texts("catan.rules") if text.startswith("trade_with_bank")]
    assert len(trades) == 5 * 4 * 3 and "trade_with_bank(brick, 4, brick)" not in trades
    forwards = texts("classic/breakthrough.rules")
    assert "move(a2, b3)" in forwards and "move(b3, a2)" in forwards and "move(a2, a4)" not in forwards


def test_a_pass_is_possible_only_where_a_question_may_be_passed() -> None:
    moves = possible_moves(duel().rules())
    assert moves is not None and moves[0] == (0,)
    assert "pass" not in texts("classic/tic_tac_toe.rules")


def test_too_many_are_not_listed() -> None:
    rules = interpreter.load(GAMES / "classic" / "tic_tac_toe.rules").rules()
    assert possible_moves(rules, 9) is not None and possible_moves(rules, 8) is None


HANDS = """\
game hands:
    title "Hands"
    players 2

enum Card:
    red, blue

const full: bag[Card] = {red: 2, blue: 1}
const gifts: list[bag[Card], 3] = [{red: 1}, {red: 2}, {red: 1, blue: 1}]

state:
    hand[Player]: bag[Card] = full
    n: 0..9

event Gave(by: Player, cards: bag[Card]):
    hand[by] -= cards
    n += 1

action give(cards in gifts):
    require held: cards <= hand[me] else "too many"
    require few: len(cards) < 2 or me == player0 else "too many for {me}"
    emit Gave(me, cards)

action hand_over(cards in ways(me)):
    require held: cards <= hand[me] else "too many"
    emit Gave(me, cards)

def ways(p: Player) -> list[bag[Card], 2]:
    return [hand[p]]

flow main:
    turns p from player0 if n < 2:
        p chooses give
    end tie
"""


def test_arguments_without_a_countable_type_come_from_their_domain() -> None:
    moves = possible_moves(game(HANDS).rules())
    assert moves == ((1, (1, 0)), (1, (2, 0)), (1, (1, 1)))
    open_ended = game(HANDS.replace("p chooses give", "p chooses give or hand_over"))
    assert possible_moves(open_ended.rules()) is None


def test_an_action_that_is_never_offered_has_no_moves() -> None:
    rules = game(HANDS).rules()
    assert {rules.move(move).action for move in possible_moves(rules) or ()} == {"give"}
