"""Playing: answers, draws, passes, refusals, undo and redo, faults of the rules."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from machine_games import BIDS, FAULTS, duel, game

import interpreter
from interpreter import ASK, PASS, Event, IllegalMove, Match, Move, RulesError, UndoRefused, ValueProblem
from interpreter.rules import hash_text


def play_randomly(match: Match, seed: int, limit: int = 1000) -> Match:
    """Answer at random until the end."""
    chance = random.Random(seed)
    for _ in range(limit):
        moves = match.legal_moves()
        if not moves:
            break
        match.play(chance.choice(moves))
    return match


def snapshot(match: Match) -> Any:
    """Everything that can be seen of a match."""
    return (match.log, match.question, match.legal_moves(), match.state, match.events, match.number, match.can_redo())


# ---------------------------------------------------------------- answers


def test_a_match_asks_and_is_answered() -> None:
    match = duel().new(seed=4)
    assert str(match.question) == "ana chooses play or roll or wait"
    assert (match.question.kind, match.question.seat, match.question.step) == ("choice", "ana", "main.rounds.act")
    card = next(iter(match.state.hand["ana"]))
    match.play("play", card=card)
    assert match.events[-1] == Event("Played", {"by": "ana", "card": card})
    assert match.number == 1
    assert match.state.shown["ana"] == {card: 1}
    assert str(match.question) == "ana may intend"
    assert match.legal_moves()[0] == PASS
    match.play("pass")
    assert match.question.seat == "bob"


@pytest.mark.parametrize("way", ["object", "text", "names"])
def test_three_ways_to_move(way: str) -> None:
    match = duel().new(seed=4)
    move = match.legal_moves()[0]
    if way == "object":
        match.play(move)
    elif way == "text":
        match.play(str(move))
    else:
        match.play(move.action, **move.arguments)
    assert match.position.answers == (("ana", move),)


def test_legal_moves_are_named_hashable_and_in_canonical_order() -> None:
    match = duel().new(seed=4, chance=lambda question: question.outcomes[0][0])
    assert [str(move) for move in match.legal_moves()] == ["play(ace)", "roll", "wait"]
    assert len({*match.legal_moves(), Move("play", {"card": "ace"})}) == 3


def test_a_whole_game() -> None:
    match = play_randomly(duel().new(seed=1, checks=True), 1)
    assert match.question.kind == "over"
    assert match.outcome is not None and match.outcome.scores is not None
    assert match.events[-1].name == "Ended"
    assert match.legal_moves() == []
    best = max(match.outcome.scores.values())
    assert match.outcome.winners == tuple(s for s, n in match.outcome.scores.items() if n == best)
    with pytest.raises(IllegalMove, match="the game is over"):
        match.play("wait")


def test_a_question_that_may_be_passed_and_leaves_nothing_is_passed() -> None:
    match = duel(hand_size=0).new(seed=1)
    match.play("wait")
    assert match.question.seat == "bob"
    answers = match.log.answers
    assert [(a.seat, a.answer.action, a.automatic) for a in answers] == [("ana", "wait", False), ("ana", "pass", True)]
    assert answers[1].asked == ("intend", "pass")
    assert match.number == 2


# ---------------------------------------------------------------- refusals

REFUSED: list[tuple[Any, str]] = [
    ("wiat", "there is no action wiat; did you mean wait?"),
    ("play", "play needs card: card is missing"),
    ("play(acee)", "card: acee is not a Card; did you mean ace?"),
    ("play(ace, two)", "play takes card: 'two' is too much"),
    ("play(two)", "two is not in distinct(hand[ana])"),
    ("intend(ace)", "ana cannot intend now: the choice is play or roll or wait"),
    ("pass", "ana cannot pass here: the choice is play or roll or wait"),
    (Move("play", {"crad": "ace"}), "play has no crad; did you mean card?"),
    (Move("play", {"card": 1}), "card: 1 is not a Card"),
    (Move("fly"), "there is no action fly"),
    (Move("pass", {"card": "ace"}), "pass takes nothing"),
]


@pytest.mark.parametrize(("move", "reason"), REFUSED, ids=[str(move) for move, _ in REFUSED])
def test_a_refused_move_changes_nothing(move: Any, reason: str) -> None:
    match = duel().new(seed=4, chance=lambda question: question.outcomes[0][0])
    before = snapshot(match)
    with pytest.raises(IllegalMove) as caught:
        match.play(move)
    assert caught.value.reasons[0].sentence == reason
    assert snapshot(match) == before
    assert not match.why(move)


def test_a_refusal_says_what_could_be_chosen() -> None:
    match = duel().new(seed=4, chance=lambda question: question.outcomes[0][0])
    with pytest.raises(IllegalMove, match=r"two is not in distinct\(hand\[ana\]\), which is \{.*ace.*\}"):
        match.play("play(two)")


def test_the_wrong_seat_is_refused() -> None:
    match = duel().new(seed=4)
    with pytest.raises(IllegalMove, match="ana is asked now, not bob"):
        match.play("wait", seat="bob")
    with pytest.raises(IllegalMove, match="bbo is not a seat of this match; did you mean bob"):
        match.play("wait", seat="bbo")
    match.play("wait", seat="ana")


def test_moves_in_internal_form() -> None:
    match = duel().new(seed=4)
    match.answer(match.position.legal()[0])
    assert match.number == 1
    with pytest.raises(IllegalMove):
        match.answer((2,))
    with pytest.raises(ValueProblem, match="is not a move"):
        match.answer((99, "nonsense"))


# ---------------------------------------------------------------- draws


def test_a_seed_decides_every_draw() -> None:
    def story(seed: int | str | None) -> Any:
        return play_randomly(duel().new(seed=seed), 7).events

    assert story(5) == story(5)
    assert len({str(story(seed)) for seed in range(20)}) > 15
    assert len({str(story(None)) for _ in range(20)}) > 15


def test_draws_weigh_by_count() -> None:
    counts: dict[str, int] = {}
    for seed in range(300):
        match = duel(hand_size=1).new(seed=seed)
        counts[match.events[0].arguments["card"]] = counts.get(match.events[0].arguments["card"], 0) + 1
    assert set(counts) == {"ace", "jack", "two"} and all(60 < n < 140 for n in counts.values())


def test_chance_can_be_given() -> None:
    match = duel(hand_size=1).new(chance=lambda question: "two" if question.name == "card" else 6)
    assert match.state.hand == {"ana": {"two": 1}, "bob": {"two": 1}}
    match.play("roll")
    assert match.state.luck == 6


def test_chance_that_chooses_what_cannot_be_is_refused() -> None:
    match = duel(hand_size=1).new(chance=lambda question: "two" if question.name == "card" else 7)
    before = snapshot(match)
    with pytest.raises(ValueProblem, match=r"n: 7 is not a number within 1..6"):
        match.play("roll")
    assert snapshot(match) == before


def test_draws_that_are_asked_for() -> None:
    match = duel(hand_size=1).new(chance=ASK)
    assert match.question.kind == "draw" and match.question.name == "card"
    assert match.question.outcomes == (("ace", 3), ("jack", 3), ("two", 3))
    with pytest.raises(IllegalMove, match="card has to be drawn first"):
        match.play("wait")
    match.play_draw("ace")
    match.play_draw("jack")
    assert match.question.seat == "ana"
    match.play("roll")
    with pytest.raises(ValueProblem, match=r"7 is not a number within 1..6"):
        match.play_draw(7)
    assert match.question.kind == "draw" and match.number == 1 and len(match.log.records) == 1
    match.undo()
    assert match.question.kind == "choice"
    match.play("roll")
    match.play_draw(3)
    assert match.state.luck == 3 and len(match.log.records) == 2
    with pytest.raises(ValueProblem, match="no draw is waited for"):
        match.play_draw(3)


# ---------------------------------------------------------------- positions


def test_positions_are_kept() -> None:
    match = play_randomly(duel().new(seed=3), 3)
    digests = [match.at(n).state.digest for n in range(match.number + 1)]
    again = duel().new(seed=3)
    for n, (_, move) in enumerate(match.position.answers, start=1):
        if again.number < n:
            again.play(move)
        assert again.at(n).state.digest == digests[n]
    assert match.at(0).events == duel().new(seed=3).events
    with pytest.raises(IndexError):
        match.at(match.number + 1)
    with pytest.raises(IndexError):
        match.at(-1)


def test_states_are_values() -> None:
    one, other = duel().new(seed=3), duel().new(seed=3)
    assert one.state == other.state and hash(one.state) == hash(other.state) and one.state.digest == other.state.digest
    other.play("wait")
    other.undo()
    assert one.state == other.state
    assert one.state["luck"] == one.state.luck == 0
    assert list(one.state) == ["deck", "hand", "shown", "luck", "score", "plan"]
    with pytest.raises(AttributeError, match="the state has no field lukc"):
        _ = one.state.lukc
    with pytest.raises(Exception):  # noqa: B017
        one.state.luck = 3  # type: ignore[misc]


def test_digests_go_by_names_not_by_layout() -> None:
    state = duel(hand_size=0).new().state
    assert state.digest == "13876f661c98ea1a36e551415b6b2233"
    text = json.dumps({"outcome": None, "state": state.plain()}, sort_keys=True, separators=(",", ":"))
    assert state.digest == hash_text(text.encode())
    assert state.plain()["deck"] == {"ace": 3, "jack": 3, "two": 3}


# ---------------------------------------------------------------- undo and redo


@settings(max_examples=40, deadline=None)
@given(
    st.integers(0, 10**6), st.lists(st.sampled_from(["play", "play", "play", "undo", "redo", "branch"]), max_size=40)
)
def test_undo_takes_back_and_redo_restores(seed: int, steps: list[str]) -> None:
    """Against a model: the states of the line, and those undone."""
    chance = random.Random(seed)
    match = duel().new(seed=seed)
    line, undone = [match.state.digest], list[list[str]]()
    for step in steps:
        records = len(match.log.records)
        if step == "play" and match.legal_moves():
            before = match.number
            match.play(chance.choice(match.legal_moves()))
            line += [match.at(n).state.digest for n in range(before + 1, match.number + 1)]
            undone.clear()
        elif step == "undo" and match.can_undo():
            back = match.number
            match.undo()
            undone.append(line[match.number + 1 :])
            assert back > match.number
            line = line[: match.number + 1]
        elif step == "redo" and match.can_redo():
            match.redo()
            line += undone.pop()
        elif step == "branch":
            match.branch(0)
            line, undone = line[:1], []
        else:
            continue
        assert len(match.log.records) > records, "the log never shrinks"
        assert [match.at(n).state.digest for n in range(match.number + 1)] == line
    copy = Match.from_log(match.log, duel())
    assert snapshot(copy) == snapshot(match)
    assert [copy.at(n).state.digest for n in range(copy.number + 1)] == line


def test_after_an_undo_the_same_answer_draws_the_same() -> None:
    different = 0
    for seed in range(12):
        match = duel(hand_size=0).new(seed=seed)
        match.play("roll")
        first = match.state.luck
        match.undo()
        match.play("roll")
        assert match.state.luck == first
        match.undo()
        match.play("wait")
        match.play("roll")
        second = match.state.luck
        match.undo()
        match.undo()
        match.play("roll")
        assert match.state.luck == first
        different += first != second
    assert different > 5, "other answers draw anew"


def test_undo_also_reuses_draws_after_the_log_was_read_again() -> None:
    match = duel(hand_size=0).new(seed=2)
    match.play("roll")
    first = match.state.luck
    match.undo()
    copy = Match.from_log(match.log, duel(hand_size=0))
    copy.play("roll")
    assert copy.state.luck == first


def test_with_one_human_undo_goes_back_to_their_last_answer() -> None:
    match = duel(hand_size=0).new(seed=1, human="ana")
    assert match.can_undo().reason == "nothing has been answered yet"
    match.play("roll")
    match.play("roll")
    assert match.question.seat == "ana"
    match.undo()
    assert match.number == 0 and match.question.seat == "ana"
    match.redo()
    assert match.number == 4
    with pytest.raises(UndoRefused, match="nothing was undone"):
        match.redo()
    other = duel(hand_size=0).new(seed=1, human="bob")
    other.play("roll")
    assert other.can_undo().reason == "bob has answered nothing yet"


def test_with_several_humans_undo_stops_at_others_draws_and_reveals() -> None:
    match = duel().new(seed=4, human=["ana", "bob"], chance=lambda question: question.outcomes[0][0])
    assert match.can_undo().reason == "nothing has been answered yet"
    match.play("wait")
    assert match.can_undo() and match.can_undo("ana")
    assert match.can_undo("bob").reason == "bob has answered nothing yet"
    match.undo("ana")
    match.play("roll")
    assert match.can_undo("ana").reason == "n was drawn since"
    match.undo(as_analyst=True)
    assert match.log.records[-1].analyst  # type: ignore[union-attr]
    match.play("play(ace)")
    assert match.can_undo("ana").reason == "Played has shown something since"
    with pytest.raises(UndoRefused, match="Played has shown something since"):
        match.undo("ana")
    match.play("pass")
    match.play("wait", seat="bob")
    assert match.can_undo("ana").reason == "bob has answered since"
    assert match.can_undo("bob")
    match.undo("bob")
    assert not match.log.records[-1].analyst  # type: ignore[union-attr]
    assert match.can_undo("ana"), "a pass shows nothing"
    with pytest.raises(ValueProblem):
        match.can_undo("nobody")


def test_what_only_its_owner_learns_does_not_stop_an_undo() -> None:
    match = game(BIDS).new(seed=1, human=["player0", "player1"])
    match.play("make_bid(3)")
    assert match.can_undo("player0")
    match.play("make_bid(4)")
    assert match.can_undo("player1").reason == "BidsShown has shown something since"


def test_branches_go_on_from_any_record() -> None:
    match = duel(hand_size=0).new(seed=1)
    match.play("roll")
    state = match.state
    match.play("wait")
    match.branch(2)
    assert match.state == state and match.number == 2
    match.undo()
    match.play("wait")
    match.branch(1)
    assert match.after_record(2).state == match.at(1).state == state
    with pytest.raises(IndexError):
        match.branch(99)


# ---------------------------------------------------------------- faults


def faulty(**options: Any) -> Match:
    return game(FAULTS).new(**options)


def test_a_value_out_of_range() -> None:
    match = faulty(seed=1)
    match.play("count_up(8)")
    match.play("move")
    before = snapshot(match)
    with pytest.raises(RulesError) as caught:
        match.play("count_up(4)")
    error = caught.value
    assert (error.kind, error.clause, error.file, error.line) == ("out of range", "event Counted", "small.rules", 10)
    assert (error.seat, error.answer) == ("ana", "count_up(4)")
    assert error.before is not None and error.before.state.n == 8
    assert snapshot(match) == before
    match.play("count_up(1)")
    assert match.state.n == 9


def test_a_dead_end() -> None:
    match = faulty(seed=1)
    before = snapshot(match)
    with pytest.raises(RulesError, match="dead end: bob has no legal move") as caught:
        match.play("jam")
    assert caught.value.clause == "flow main" and caught.value.line == 37
    assert snapshot(match) == before


def test_too_many_steps() -> None:
    with pytest.raises(RulesError, match="steps: more than 10,000") as caught:
        faulty(seed=1).play("spin")
    assert caught.value.clause == "action spin"


def test_laws_are_looked_at_where_it_is_asked_for() -> None:
    match = faulty(seed=1)
    match.play("count_up(5)")
    match = faulty(seed=1, checks=True)
    before = snapshot(match)
    with pytest.raises(RulesError, match="five is bad: broken by Counted") as caught:
        match.play("count_up(5)")
    assert caught.value.clause == 'invariant "five is bad"' and caught.value.kind == "invariant"
    assert snapshot(match) == before
    match.play("count_up(1)")
    with pytest.raises(RulesError, match="never twice the same: broken by Counted"):
        match.play("move")


def test_a_fault_is_saved_as_a_log_that_fails_again(tmp_path: Path) -> None:
    match = faulty(chance=lambda question: 6)
    match.play("count_up(7)")
    match.play("move")
    with pytest.raises(RulesError) as caught:
        match.play("roll_up")
    caught.value.save(tmp_path / "fault.jsonl")
    done = interpreter.replay(interpreter.read_log(tmp_path / "fault.jsonl"), game(FAULTS))
    assert done.difference is None and done.match.state == match.state
    assert done.fault is not None
    assert (done.fault.kind, done.fault.line, done.fault.answer) == (caught.value.kind, caught.value.line, "roll_up")


def test_a_fault_in_the_set_up() -> None:
    text = FAULTS.replace("flow main:\n", "flow main:\n    emit Counted(9)\n    emit Counted(9)\n")
    with pytest.raises(RulesError, match="out of range") as caught:
        game(text).new(seed=1)
    assert caught.value.log is not None and caught.value.before is None
    done = interpreter.replay(caught.value.log, game(text))
    assert done.fault is not None and done.fault.kind == "out of range"


# ---------------------------------------------------------------- games


def test_players_and_parameters() -> None:
    bids = game(BIDS)
    assert bids.players == (2, 3, 4) and duel().players == ("ana", "bob")
    assert bids.new(players=3).rules.seats == ("player0", "player1", "player2")
    assert bids.new().rules.seats == ("player0", "player1")
    with pytest.raises(ValueProblem, match="bids is for 2 to 4, not for 5"):
        bids.new(players=5)
    with pytest.raises(ValueProblem, match="duel is for 2, not for 3"):
        duel().new(players=3)
    assert duel().new(players=["ana", "bob"]).number == 0
    with pytest.raises(ValueProblem, match="the seats are ana, bob"):
        duel().new(players=["bob", "ana"])
    with pytest.raises(ValueProblem, match="bobb is not a seat of this match; did you mean bob"):
        duel().new(human="bobb")
    assert duel().with_params(rounds="2").params == {"rounds": 2, "hand_size": 2}
    with pytest.raises(ValueProblem, match="duel has no parameter ronds; did you mean rounds"):
        duel().with_params(ronds=2)
    with pytest.raises(ValueProblem, match=r"rounds: 9 is not a number within 1..5"):
        duel().with_params(rounds=9)
    with pytest.raises(ValueProblem, match=r"rounds: many is not a number within 1..5"):
        duel().with_params(rounds="many")


def test_a_game_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "duel.rules"
    path.write_text(duel().source.text, encoding="utf-8")
    match = interpreter.load(path, rounds=1).new(seed=1)
    assert match.log.header.params == {"rounds": 1, "hand_size": 2}
    assert match.log.header.rules is not None and list(match.log.header.rules) == ["duel.rules"]
    with pytest.raises(OSError):
        interpreter.load(tmp_path / "none.rules")
