"""Several mistakes in one file are told together, each once, whatever kinds they are of."""

import random
import re
from collections.abc import Iterable

from planted import BASE

from rulesdsl.diagnostics import Source, render
from rulesdsl.program import check_source

GAME = BASE.read_text(encoding="utf-8")

# What is written, what is written wrongly instead, and the code of the mistake. All stand in declarations of their own.
SYNTAX = [
    ("def taken(c: Cell) -> bool:", "def taken(c: Cell) -> bool", "S102"),
    ("    emit Shown(me, card)", "    emit Shown(me, card", "S103"),
    ("    boat[by] = to", "    boat[by] =", "S113"),
    ("flow draw_card(p: Player):", "flwo draw_card(p: Player):", "S101"),
]
MEANING = [
    ("if lantern[c]?.owner == p", "if lantern[c]?.ownr == p", "N205"),
    ("return max(c.worth for c in hand[p]) or 0", "return max(c.worth for c in hand[p])", "T312"),
    ("return {n for n in c.neighbours", "return {n for n in c.neighbors", "N205"),
    ("    return red\n", "    return 0\n", "T301"),
    ("    hand[by] += card\n", "    hands[by] += card\n", "N201"),
    ("        emit Sailed(p, to)", "        boat[p] = to", "F501"),
]


def with_mistakes(mistakes: Iterable[tuple[str, str, str]]) -> tuple[str, list[tuple[str, int]]]:
    """The game with mistakes in it, and what must be told: codes and lines."""
    text = GAME
    for right, wrong, _ in mistakes:
        assert text.count(right) == 1, right
        text = text.replace(right, wrong)
    expected = [(code, text[: text.index(wrong)].count("\n") + 1) for _, wrong, code in mistakes]
    return text, sorted(expected, key=lambda item: item[1])


def told(text: str) -> list[tuple[str, int]]:
    found = check_source(Source("harbour.rules", text))
    return [(item.code, item.span.line) for item in found]


def test_mistakes_of_meaning_are_told_together():
    text, expected = with_mistakes(MEANING)
    assert told(text) == expected
    assert render(check_source(Source("harbour.rules", text))).endswith("6 errors in harbour.rules")


def test_mistakes_of_syntax_are_told_together():
    text, expected = with_mistakes(SYNTAX)
    assert told(text) == expected


def test_declarations_that_can_be_read_are_checked_beside_those_that_cannot():
    text, expected = with_mistakes([*SYNTAX, *MEANING])
    assert told(text) == expected


def test_nothing_is_told_only_because_something_cannot_be_read():
    for mistake in SYNTAX:
        text, expected = with_mistakes([mistake])
        assert told(text) == expected


def test_any_few_of_them():
    chance = random.Random(3)
    for _ in range(12):
        text, expected = with_mistakes(chance.sample([*SYNTAX, *MEANING], 3))
        assert told(text) == expected


def test_where_the_game_cannot_be_read_only_that_is_told():
    text, _ = with_mistakes(MEANING)
    assert {code for code, _ in told(text.replace("game harbour:", "game harbour"))} == {"S102"}


def test_where_a_board_cannot_be_read_its_places_are_not_missed():
    text = GAME.replace("board Cell = grid(size, size)", "board Cell = grid(size, size").replace(
        "with size = 3", "with size = 4"
    )
    assert [code for code, _ in told(text)] == ["S103"]


def test_where_a_board_cannot_be_made_its_places_are_not_missed():
    text = re.sub(r"with size = 3\n", "with size = 4\n", GAME).replace("grid(size, size)", "grid(size, sizes)")
    assert [code for code, _ in told(text)] == ["N201"]
