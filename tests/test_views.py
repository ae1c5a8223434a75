"""What a seat sees, what is told in sentences, and why a move is refused."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from machine_games import BIDS, duel, game
from test_match import play_randomly

from interpreter import REFEREE, Concealed, Match, ValueProblem, View
from interpreter.explain import examine


def stacked(*cards: str, **params: int) -> Match:
    """A match in which these cards are dealt, and then the first outcome is drawn."""
    left = list(cards)
    return duel(**params).new(chance=lambda question: left.pop(0) if left else question.outcomes[0][0])


# ---------------------------------------------------------------- state


def test_a_seat_sees_its_own_and_the_backs_of_others() -> None:
    match = stacked("ace", "two", "jack", "jack")
    ana, bob, other, referee = (match.view(seat) for seat in ("ana", "bob", None, REFEREE))
    assert ana.state["hand"]["ana"] == {"ace": 1, "two": 1}
    assert ana.state["hand"]["bob"] == Concealed("bag[Card]", "some cards", count=2)
    assert str(ana.state["hand"]["bob"]) == "2 hidden"
    assert bob.state["hand"]["bob"] == {"jack": 2} and isinstance(bob.state["hand"]["ana"], Concealed)
    assert all(isinstance(item, Concealed) for item in other.state["hand"].values())
    assert ana.state["deck"] == Concealed("bag[Card]", "some cards", count=5)
    assert ana.state["plan"]["bob"] == Concealed("Card?", "a card", present=False)
    assert ana.state["luck"] == 0 and ana.state["shown"] == {"ana": {}, "bob": {}}
    assert dict(referee.state) == {name: match.state[name] for name in match.state}
    with pytest.raises(ValueProblem, match="annna is not a seat"):
        match.view("annna")


def test_whether_an_option_is_there_is_public() -> None:
    match = stacked("ace", "two", "jack", "jack")
    match.play("wait")
    match.play("intend(ace)")
    assert match.view("ana").state["plan"]["ana"] == "ace"
    assert match.view("bob").state["plan"]["ana"] == Concealed("Card?", "a card", present=True)


# ---------------------------------------------------------------- events and sentences


def test_events_are_redacted_by_their_marks() -> None:
    match = stacked("ace", "two", "jack", "jack")
    dealt = match.view("bob").events[0]
    assert dealt.name == "Dealt" and dealt.arguments == {"p": "ana", "card": Concealed("Card", "a card")}
    assert match.view("ana").events[0].arguments["card"] == "ace"
    assert match.view(REFEREE).events == match.events


def test_sentences_name_what_the_reader_may_see() -> None:
    match = stacked("ace", "two", "jack", "jack")
    assert match.narrate(seat="ana") == ["ana takes ace", "ana takes two", "bob takes a card", "bob takes a card"]
    assert match.narrate(seat="bob")[0] == "ana takes a card" and match.narrate()[2] == "bob takes a card"
    match.play("play(ace)")
    match.play("intend(two)")
    assert match.narrate(0) == ["ana plays ace", "ana plans a card"]
    assert match.narrate(1, "ana") == ["ana plans two"]
    assert match.narrate(1, REFEREE) == ["ana plans two"]
    assert match.narrate(2) == []
    done = play_randomly(match, 1)
    assert done.narrate()[-1] == str(done.outcome)


def test_a_number_that_is_hidden() -> None:
    match = game(BIDS).new(seed=1)
    match.play("make_bid(3)")
    assert match.narrate() == ["player0 has bid a number"]
    assert match.narrate(seat="player0") == ["player0 has bid 3"]


# ---------------------------------------------------------------- questions


def test_only_the_asked_seat_sees_the_question_and_its_moves() -> None:
    match = stacked("ace", "two", "jack", "jack")
    ana, bob, other = match.view("ana"), match.view("bob"), match.view()
    assert ana.question == match.question and list(ana.legal_moves) == match.legal_moves()
    assert bob.question is None and bob.legal_moves == () and other.question is None
    assert match.view(REFEREE).legal_moves == ana.legal_moves


def test_a_view_as_json_holds_no_digest_and_no_seed() -> None:
    match = play_randomly(duel().new(seed="a secret seed"), 3, limit=4)
    for seat in ("ana", "bob", None, REFEREE):
        text = json.dumps(match.view(seat).plain(match.rules.codec))
        assert "secret seed" not in text
        assert not any(
            record.hash in text or getattr(record, "state", "no digest") in text for record in match.log.records
        )


def test_a_view_as_json() -> None:
    match = stacked("ace", "two", "jack", "jack")
    plain = match.view("bob").plain(match.rules.codec)
    assert plain["state"]["hand"] == {"ana": {"concealed": "bag[Card]", "count": 2}, "bob": {"jack": 2}}
    assert plain["events"][0] == {"event": "Dealt", "arguments": {"p": "ana", "card": {"concealed": "Card"}}}
    assert plain["viewer"] == "bob" and plain["question"] is None


def plain_of(view: View, match: Match) -> str:
    return json.dumps(view.plain(match.rules.codec))


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6))
def test_what_a_seat_may_not_see_changes_nothing_in_its_view(seed: int) -> None:
    """Two matches that differ only in what ana was dealt, and in her plans, look the same to bob and to others."""
    chance = random.Random(seed)
    hands = [("ace", "two"), ("jack", "two")]
    matches = [stacked(*hand, "jack", "jack") for hand in hands]
    for _ in range(20):
        for seat in ("bob", None):
            assert plain_of(matches[0].view(seat), matches[0]) == plain_of(matches[1].view(seat), matches[1])
            assert matches[0].narrate(seat=seat) == matches[1].narrate(seat=seat)
        menus = [[str(move) for move in match.legal_moves()] for match in matches]
        if matches[0].question.kind == "over":
            break
        if matches[0].question.seat == "bob":
            assert menus[0] == menus[1]
            move = chance.choice(menus[0])
            assert [str(match.why("play(ace)")) for match in matches][:1] == [str(matches[1].why("play(ace)"))]
            for match in matches:
                match.play(move)
        elif matches[0].question.actions == ("intend",):
            for match, menu in zip(matches, menus, strict=True):
                match.play(chance.choice(menu[1:]))
        else:
            for match in matches:
                match.play("wait")


# ---------------------------------------------------------------- why


def test_why_a_legal_move_is_legal() -> None:
    match = stacked("ace", "two", "jack", "jack")
    found = match.why("play(ace)")
    assert found and found.legal and found.reasons == () and found.holds == ("fresh", "strong")
    assert str(found) == "play(ace) is legal."
    match.play("wait")
    assert match.why("pass")


def test_why_a_guard_refuses() -> None:
    match = stacked("ace", "ace", "jack", "two")
    for move in ("play(ace)", "pass", "wait", "pass"):
        match.play(move)
    found = match.why("play", card="ace")
    reason = found.reasons[0]
    assert (reason.guard, reason.sentence) == ("fresh", "ace lies in front of ana already")
    assert (reason.clause, reason.file, reason.line, reason.section) == ("play.fresh", "small.rules", 47, "§2.1")
    assert reason.values == (("shown[ana]", "{ace: 1}"),)
    assert found.holds == ("strong",)
    assert str(found).splitlines() == [
        "play(ace) is refused by",
        '  fresh  "ace lies in front of ana already"   small.rules:47   §2.1',
        "         shown[ana] is {ace: 1}",
        "strong holds.",
    ]


def test_every_failed_guard_is_told() -> None:
    rolls = ["two", "two", "jack", "jack", 6]
    match = duel().new(chance=lambda question: rolls.pop(0) if rolls else question.outcomes[0][0])
    for move in ("play(two)", "pass", "roll", "pass"):
        match.play(move)
    assert match.state.luck == 6
    found = match.why("play(two)")
    assert [reason.guard for reason in found.reasons] == ["fresh", "strong"]
    assert found.reasons[1].sentence == "two is weaker than 6"
    assert found.reasons[1].section == "§2"
    assert dict(found.reasons[1].values) == {"two.power": "1", "luck": "6"}


def test_why_a_move_outside_its_domain() -> None:
    match = stacked("ace", "two", "jack", "jack")
    found = match.why("play(jack)")
    assert [reason.sentence for reason in found.reasons] == ["jack is not in distinct(hand[ana])"]
    assert found.reasons[0].guard == "card" and found.reasons[0].clause == "play.card"
    assert ("distinct(hand[ana])", "{ace, two}") in found.reasons[0].values


@pytest.mark.parametrize(
    ("move", "seat", "sentence"),
    [
        ("intend(ace)", None, "ana cannot intend now: the choice is play or roll or wait"),
        ("wait", "bob", "ana is asked now, not bob"),
        ("wait", "boob", "boob is not a seat of this match; did you mean bob?"),
        ("pass", None, "ana cannot pass here: the choice is play or roll or wait"),
        ("wiat", None, "there is no action wiat; did you mean wait?"),
        ("play(acee)", None, "card: acee is not a Card; did you mean ace?"),
        ("play", None, "play needs card: card is missing"),
    ],
)
def test_why_a_move_is_not_asked_for(move: str, seat: Any, sentence: str) -> None:
    match = stacked("ace", "two", "jack", "jack")
    found = match.why(move, seat=seat)
    assert not found and [reason.sentence for reason in found.reasons] == [sentence]


CLOSE = """
game close:
    title "Close"
    players ana, bob

board Square = grid(3, 3)

state:
    base: set[Square] = {b2}
    owner[Square]: Player?

event Put(at: Square):
    base += at

action put(at in Square, far in at.neighbours):
    require free: at not in base else "{at} is taken"
    let near = at.neighbours - {far}
    require apart: not any(s in base for s in near) else "{len(near)} of them is taken"
    require alone: all(s not in base for s in at.neighbours if s != c3) else "there is something next to {at}"
    require held: owner[at] is some else "nobody holds {at}"
    require own: owner[at] == me else "{at} is not yours"
    emit Put(at)

flow main:
    if ana can put:
        ana chooses put
    end tie
"""


def refused(at: str, far: str) -> Any:
    rules = game(CLOSE).rules()
    action = rules.action_named("put")
    assert action is not None
    squares = [rules.codec.internal(action.chosen[0].type, name) for name in (at, far)]
    return examine(rules, rules.module.initial(), action, 0, (), tuple(squares))


def test_why_shows_the_elements_that_decide() -> None:
    found = refused("b1", "a1")
    told = {reason.guard: reason.values for reason in found.reasons}
    assert told["apart"] == (("any(s in base for s in near)", "true for s = b2"),)
    assert told["alone"] == (("all(s not in base for s in b1.neighbours if s != c3)", "false for s = b2"),)
    assert told["held"] == (("owner[b1]", "none"),)
    assert found.reasons[0].sentence == "2 of them is taken"
    assert found.holds == ("free",)


def test_guards_that_rely_on_what_failed_are_left_out() -> None:
    found = refused("a1", "b1")
    assert [reason.guard for reason in found.reasons] == ["held"], "`own` has no meaning where nobody holds the square"
    assert set(found.holds) == {"free", "apart", "alone"}


def test_explaining_goes_on_after_an_argument_outside_its_domain() -> None:
    found = refused("b1", "c3")
    assert [reason.guard for reason in found.reasons][:2] == ["far", "apart"]
    assert found.reasons[0].sentence == "c3 is not in b1.neighbours"
    assert found.reasons[0].values == (("b1.neighbours", "{a1, c1, b2}"),)


def test_why_agrees_with_the_rules() -> None:
    """`why` and `legal_moves` never disagree, at any position of a game."""
    for seed in range(5):
        match = duel().new(seed=seed)
        chance = random.Random(seed)
        while match.legal_moves():
            menu = {str(move) for move in match.legal_moves()}
            for text in ("play(ace)", "play(jack)", "play(two)", "roll", "wait", "pass", "intend(ace)", "intend(two)"):
                assert bool(match.why(text)) == (text in menu), text
            match.play(chance.choice(sorted(menu)))


def test_people_may_shorten_names() -> None:
    position = stacked("ace", "two", "jack", "jack").position
    assert str(position.read_move("play j", lenient=True)) == "play(jack)"
    assert str(position.read_move("w", lenient=True)) == "wait"
    assert str(position.read_move("p ac", lenient=True)) == "play(ace)"
    with pytest.raises(ValueProblem):
        position.read_move("play j")
