"""Positions without a match: what follows from them, copies, pickles, and their logs."""

from __future__ import annotations

import copy
import pickle
import random
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from machine_games import BIDS, FAULTS, duel, game

import interpreter
from interpreter import Game, IllegalMove, Position, RulesError, ValueProblem
from interpreter.log import Attempt, Note

GAMES = Path(__file__).resolve().parent.parent / "games"


def walk(position: Position, chance: random.Random, plies: int) -> list[Position]:
    """Random play from a position: everywhere that it rests."""
    found = [position]
    while position.node.frame is not None and len(found) < plies:
        if position.draws:
            values, weights = zip(*position.outcomes(), strict=True)
            position = position.after_draw(chance.choices(values, weights)[0])
        else:
            position = position.after(chance.choice(position.legal()))
        found.append(position)
    return found


@pytest.mark.parametrize("made", [duel(), game(BIDS)], ids=["duel", "bids"])
@given(seed=st.integers(0, 10**6))
@settings(max_examples=25, deadline=None)
def test_positions_settled_by_a_seed_are_those_of_its_match(made: Game, seed: int) -> None:
    match, position, chance = made.new(seed=seed), made.start(seed=seed), random.Random(seed)
    while True:
        assert position == match.position
        assert position.question == match.question and position.number == match.number
        assert position.events == match.events and position.happened == match.position.happened
        assert position.to_log(seed) == match.log
        if position.outcome is not None:
            break
        move = chance.choice(position.legal_moves())
        match.play(move)
        position = position.play(move).settled(seed)
    assert position.outcome == match.outcome and match.position.to_log(seed) == match.log


@given(seed=st.integers(0, 10**6))
@settings(max_examples=15, deadline=None)
def test_every_position_can_be_copied_and_pickled(seed: int) -> None:
    for position in walk(duel().start(), random.Random(seed), 40)[::3]:
        assert copy.deepcopy(position) is position and copy.copy(position) is position
        again = pickle.loads(pickle.dumps(position))
        assert again == position and hash(again) == hash(position)
        assert again.question == position.question and again.events == position.events
        assert again.node.then == position.node.then and again.number == position.number
        assert again.legal() == position.legal() and again.outcomes() == position.outcomes()


def test_a_position_leaves_its_process_as_its_log() -> None:
    """Another process has neither the file nor the compiled rules."""
    position = walk(duel(rounds=2).start(), random.Random(1), 9)[-1]
    text = pickle.dumps(position)
    code = "import pickle, sys; p = pickle.load(sys.stdin.buffer); print(p.state.digest, p.question, sep='|')"
    done = subprocess.run([sys.executable, "-c", code], input=text, capture_output=True, check=True)
    assert done.stdout.decode().strip() == f"{position.state.digest}|{position.question}"


def test_a_pickle_that_was_tampered_with_is_refused() -> None:
    position = duel().start(seed=1).play("wait")
    function, (text, since) = position.__reduce__()
    assert function(text, since) == position
    with pytest.raises(interpreter.LogError, match="altered"):
        function(text.replace("Waited", "Rolled"), since)


def test_equal_positions_are_found_by_their_key_and_others_are_not() -> None:
    start = interpreter.load(GAMES / "classic" / "tic_tac_toe.rules").start()
    one = start.play("place(a1)").play("place(b2)").play("place(c3)")
    other = start.play("place(c3)").play("place(b2)").play("place(a1)")
    assert one == other and len({one, other}) == 1 and one.answers != other.answers
    assert one != start and start != duel().start() and one.key == other.key


def test_a_position_is_not_changed_by_what_follows_it() -> None:
    start = duel().start(seed=1)
    before = (start.state.digest, start.legal(), start.number, start.events)
    one, other = start.play("wait"), start.play("roll")
    assert other.draws and not one.draws and start.number == 0
    assert {str(other.play_draw(n).happened[-1]) for n in (2, 5)} == {"Rolled(ana, 2)", "Rolled(ana, 5)"}
    assert (start.state.digest, start.legal(), start.number, start.events) == before


def test_what_is_not_possible_at_a_position_is_refused_with_the_reason() -> None:
    start = duel().start(seed=1)
    with pytest.raises(IllegalMove, match="ana cannot intend now"):
        start.play("intend(ace)")
    with pytest.raises(IllegalMove, match="no action jump"):
        start.play("jump(2)")
    with pytest.raises(ValueProblem, match="no draw is waited for"):
        start.play_draw(3)
    with pytest.raises(ValueProblem, match="7 is not a number within 1..6"):
        start.play("roll").play_draw(7)
    with pytest.raises(IllegalMove, match="has to be drawn first"):
        start.play("roll").play("wait")
    assert start.outcomes() == () and start.settled(1) is start
    with pytest.raises(ValueProblem, match="is for 2 to 4, not for 5"):
        game(BIDS).start(5)


def attempt_of(error: RulesError) -> Attempt:
    assert error.log is not None
    last = error.log.records[-1]
    assert isinstance(last, Note) and last.attempt is not None
    return last.attempt


def test_a_fault_after_a_position_has_a_log_that_fails_again() -> None:
    start = game(FAULTS).start().play("count_up(8)").play("move")
    with pytest.raises(RulesError, match="out of range") as caught:
        start.play("count_up(4)")
    assert (caught.value.seat, caught.value.answer, caught.value.before) == ("ana", "count_up(4)", start)
    with pytest.raises(RulesError, match="out of range") as drawn:
        start.play("roll_up").play_draw(3)
    assert [item.outcome for item in attempt_of(drawn.value).draws] == [3]
    with pytest.raises(RulesError, match="dead end") as stuck:
        start.play("jam")
    for error in (caught.value, drawn.value, stuck.value):
        done = interpreter.replay(error.log, game(FAULTS))  # type: ignore[arg-type]
        assert done.difference is None and done.fault is not None
        assert (done.fault.kind, done.fault.answer) == (error.kind, error.answer)


def test_a_fault_before_the_first_question_has_a_log_too() -> None:
    text = FAULTS.replace("flow main:\n", "flow main:\n    emit Counted(9)\n    emit Counted(9)\n")
    with pytest.raises(RulesError, match="out of range") as caught:
        game(text).start()
    done = interpreter.replay(caught.value.log, game(text))  # type: ignore[arg-type]
    assert done.fault is not None and done.fault.kind == "out of range"


@pytest.mark.parametrize("path", sorted(GAMES.glob("*.rules")), ids=lambda path: path.stem)
def test_positions_of_whole_games_are_kept(path: Path) -> None:
    start = interpreter.load(path).start()
    places = walk(start, random.Random(3), 400)
    for position in [*places[:40:13], places[len(places) // 2], places[-1]]:
        again = pickle.loads(pickle.dumps(position))
        assert again == position and again.node.then == position.node.then
        assert again.to_log() == position.to_log()
