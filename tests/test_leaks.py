"""Secrets: what the checker refuses, the law finds when the check is switched off."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest
from bugs import CHECK, Bug, every
from test_laws import CARDS

from interpreter import explain, load
from playtest.fuzz import fuzz
from playtest.shrink import shrink
from rulesdsl import program
from rulesdsl.checking import check
from rulesdsl.diagnostics import RulesFileError, Source
from rulesdsl.program import load_source

LEAKS = {
    "a legal move that depends on a rival's hand": (
        "def low(p: Player, card: Suit) -> bool:\n    return card not in hand[p.next]\n\n## A card of another suit",
        '    require kept: low(me, card) else "somebody has one too"\n    require other:',
        "legal moves of play",
    ),
    "a refusal that tells a rival's hand": (
        "## A card of another suit",
        '    require early: len(pile) < 3 or card.worth > 1 else "the next one has {hand[me.next]}"\n    require other:',
        "the refusal of play",
    ),
    "a drawn card that lies in the open": (
        "## A card of another suit",
        "    require other:",
        "event CardDrawn shows seen",
    ),
    "a drawn card that shows in how many there are": (
        "## A card of another suit",
        "    require other:",
        "event CardDrawn shows low_ones",
    ),
    "a drawn card that shows in whether it is new": (
        "## A card of another suit",
        "    require other:",
        "event CardDrawn shows kinds",
    ),
    "a drawn card that shows in which places are empty": (
        "## A card of another suit",
        "    require other:",
        "event CardDrawn shows places",
    ),
}  # fmt: skip


def leaking(name: str) -> str:
    defs, guards, _ = LEAKS[name]
    text = CARDS.replace("## A card of another suit", defs, 1).replace("    require other:", guards, 1)
    if "open" in name:
        text = text.replace("    score[Player]: 0..100\n", "    score[Player]: 0..100\n    seen[Player]: Suit?\n")
        text = text.replace("    hand[by] += card\n", "    hand[by] += card\n    seen[by] = card\n", 1)
    if "how many" in name:
        text = text.replace("    score[Player]: 0..100\n", "    score[Player]: 0..100\n    hidden low_ones: list[Suit, 90]\n")
        more = "    hand[by] += card\n    if card.worth < 3:\n        low_ones += cups\n"
        text = text.replace("    hand[by] += card\n", more, 1)
    if "new" in name:
        text = text.replace("    score[Player]: 0..100\n", "    score[Player]: 0..100\n    private kinds[Player]: set[Suit]\n")
        text = text.replace("    hand[by] += card\n", "    hand[by] += card\n    kinds[by] += card\n", 1)
    if "places" in name:
        text = text.replace("    score[Player]: 0..100\n", "    score[Player]: 0..100\n    hidden places: list[Suit?, 4] = [cups, coins]\n")
        more = "    hand[by] += card\n    places = [(card if card.worth < 3 else none) for p in places]\n"
        text = text.replace("    hand[by] += card\n", more, 1)
    return text


@pytest.fixture
def unchecked(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Secrets are not checked, and what is compiled so is forgotten."""
    monkeypatch.setattr(check, "check_secrets_of", lambda program, names: program)
    monkeypatch.setattr(program, "_MEMORY", {})
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))


@pytest.mark.parametrize("name", LEAKS)
def test_the_checker_refuses_a_leak(name: str) -> None:
    with pytest.raises(RulesFileError, match=r"V40[23]"):
        load_source(Source("cards.rules", leaking(name)), seats=3)


@pytest.mark.parametrize("name", LEAKS)
def test_without_the_check_the_law_finds_it(unchecked: None, name: str) -> None:
    began = time.monotonic()
    loaded = load_source(Source("cards.rules", leaking(name)), seats=3)
    result = fuzz(loaded, games=None, seconds=10)
    assert result.failure is not None
    assert (result.failure.law, result.failure.clause) == ("leak", LEAKS[name][2])
    assert time.monotonic() - began < 20
    small = shrink(loaded, result.failure, budget=20_000).failure
    assert small.kind == result.failure.kind
    assert small.choices <= result.failure.choices


@pytest.mark.parametrize("bug", [bug for bug in every() if bug.how == CHECK and bug.title.startswith(("cards lead", "an offer"))], ids=lambda bug: bug.title)
def test_the_law_finds_leaks_in_the_games(unchecked: None, bug: Bug) -> None:
    result = fuzz(load_source(bug.source), games=None, seconds=10, rechecked=0)
    assert result.failure is not None
    assert result.failure.law == "leak", result.failure.clause


def test_what_keeps_its_secrets_is_not_accused() -> None:
    for seats in (2, 4):
        result: Any = fuzz(load_source(Source("cards.rules", CARDS), seats=seats), games=60, rechecked=0.5)
        assert result.failure is None, result.failure


# ---------------------------------------------------------------- what the checker leaves to the law

KEPT = """\
game kept:
    players 3

enum Card:
    ace, two, three, four

state:
    hidden deck: list[Card, 9] = [four, four, ace, two, two, three]
    private kept[Player]: set[Card] = {p: {ace, two} if p == player0 else {two, three} for p in Player}

event Taken(by: Player, card: Card private to by):
    "{by} takes the top card"
    deck = deck[:-1]
    kept[by] += card

event Given(by: Player, to: Player, card: Card private to by and to):
    "{by} gives {to} a card"
    kept[by] -= card
    kept[to] += card

action give(card in kept[me]):
    emit Given(me, me.next, card)

flow main:
    START
    for p in Player:
        p chooses give
    end tie
"""
TAKEN = "for p in Player:\n        if deck.top is some:\n            emit Taken(p, deck.top)"


@pytest.mark.parametrize(
    ("start", "clause"), [("pass", "event Given shows kept"), (TAKEN, "event Taken shows kept")], ids=["in play", "before it"]
)
def test_a_card_that_its_new_owner_may_have_already_is_found(start: str, clause: str) -> None:
    """That it comes from another place is enough for the checker; that all cards differ is for the game to see to."""
    began = time.monotonic()
    result = fuzz(load_source(Source("kept.rules", KEPT.replace("START", start))), games=None, seconds=10)
    assert result.failure is not None
    assert (result.failure.law, result.failure.clause) == ("leak", clause)
    assert time.monotonic() - began < 20


COUNTING = """\
    require counted: card.worth > 1 or len(hand[me.next]) > 5 else "too few"
    require held: card.worth > 1 or not hand[me.next] else "somebody has cards"
    require gone: card.worth > 1 or not deck else "there is a deck"
    require other:"""


def counting() -> str:
    return CARDS.replace("    require other:", COUNTING, 1)


def test_why_counts_the_cards_of_others_and_names_none(tmp_path: Path) -> None:
    path = tmp_path / "cards.rules"
    path.write_text(counting(), encoding="utf-8")
    match = load(path).new(seed=3)
    told = match.why("play(cups)")
    seen = dict(value for reason in told.reasons for value in reason.values)
    assert seen.pop("len(hand[player0.next])") == "2"
    assert not any("hand[player0.next]" in text or "deck" in text for text in seen), str(told)


def test_why_that_names_the_cards_of_others_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(explain, "unseen_parts", lambda rules, condition: frozenset())
    result = fuzz(load_source(Source("cards.rules", counting()), seats=3), games=None, seconds=10)
    assert result.failure is not None
    assert (result.failure.law, result.failure.clause) == ("leak", "the refusal of play")
