"""Faults that event logs, replays, undo and hidden information are known for elsewhere: each has its test here."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from finished_games import LOGS
from machine_games import BIDS, DUEL, duel, game
from test_match import play_randomly, snapshot

import interpreter
from interpreter import Conflict, Game, Journal, LogError, Match, MemoryStore, UndoRefused, fold, replay
from interpreter.log import parse_log
from interpreter.recorder import Recorder

ROOT = Path(__file__).parent.parent


def shared(**params: int) -> Match:
    return duel(**params).new(seed=1, human=["ana", "bob"])


# ---------------------------------------------------------------- what undo may never do


def test_undo_after_a_draw_would_show_the_next_card() -> None:
    match = shared()
    match.play("roll")
    with pytest.raises(UndoRefused, match="n was drawn since"):
        match.undo("ana")


REVEAL = """
game reveal:
    title "Something is turned up"
    players ana, bob

state:
    hidden deck: list[1..9, 9] = [n for n in 1..9]
    shown: 1..9?

event Turned(n: 1..9):
    shown = n
    deck = deck[:-1]

event Moved:
    shown = none

action turn_up:
    require cards_left: deck.top is some else "the deck is empty"
    emit Turned(deck.top or 1)

action move:
    emit Moved()

flow main:
    for round in 1..4:
        for p in Player:
            p chooses turn_up or move
    end tie
"""


def test_undo_after_something_was_turned_up_would_be_a_peek() -> None:
    """Nothing is drawn here: the order was hidden, and the log itself says that an event showed it."""
    match = game(REVEAL).new(seed=1, human=["ana", "bob"])
    match.play("turn_up")
    with pytest.raises(UndoRefused, match="Turned has shown something since"):
        match.undo("ana")
    record = match.log.records[-1]
    assert getattr(record, "reveals", None) == (0,)
    again = Match.from_log(match.log, game(REVEAL))
    assert again.can_undo("ana").reason == "Turned has shown something since"


def test_undo_never_takes_back_the_answer_of_another() -> None:
    match = shared(hand_size=0)
    match.play("wait")
    match.play("wait")
    with pytest.raises(UndoRefused, match="bob has answered since"):
        match.undo("ana")
    assert match.number == 4


def test_an_analyst_may_cross_a_barrier_and_it_is_recorded() -> None:
    match = shared()
    match.play("roll")
    match.undo(as_analyst=True)
    record: Any = match.log.records[-1]
    assert (record.analyst, record.crossed) == (True, "n was drawn since")
    assert replay(match.log, duel()).difference is None


def test_undo_to_a_wrong_point_and_a_new_answer_loses_nothing() -> None:
    match = shared(hand_size=0)
    match.play("wait")
    match.play("wait")
    lost = match.position
    match.branch(0)
    match.play("roll")
    assert match.after_record(lost.node.record).state == lost.state
    match.branch(lost.node.record)
    assert match.state == lost.state


def test_the_same_answers_after_an_undo_have_the_same_outcomes() -> None:
    match = duel(hand_size=0).new(seed=7)
    match.play("roll")
    first = match.state
    for _ in range(3):
        match.undo()
        match.play("roll")
        assert match.state == first
    again = Match.from_log(match.log, duel(hand_size=0))
    again.undo()
    again.play("roll")
    assert again.state == first, "also when the log was opened anew"


# ---------------------------------------------------------------- chance


def test_what_a_viewer_has_does_not_tell_the_next_draw() -> None:
    match = duel().new(seed="the seed")
    match.play("wait")
    assert b"the seed" in match.log.data()
    for viewer in ("ana", "bob", None):
        text = match.view_log(viewer).data()
        assert b"the seed" not in text and b'"draw"' not in text


def test_going_on_from_a_log_draws_as_going_on_without() -> None:
    straight = duel().new(seed=9)
    for length in range(6):
        log = parse_log(straight.log.data())[0]
        assert snapshot(play_randomly(Match.from_log(log, duel()), 3)) == snapshot(
            play_randomly(Match.from_log(straight.log, duel()), 3)
        )
        straight.play(straight.legal_moves()[length % len(straight.legal_moves())])


def test_there_is_one_source_of_chance_and_it_is_recorded() -> None:
    """Every outcome is in the log; with other seeds in the header the recorded outcomes are still played."""
    from attrs import evolve

    log = play_randomly(duel().new(seed=3), 3).log
    other = interpreter.Log(evolve(log.header, seed="another"), log.records)
    done = replay(other, duel(), verify=False)
    assert done.difference is None and done.match.state.digest == replay(log, duel()).match.state.digest


# ---------------------------------------------------------------- replaying

VERIFY = """
import sys
sys.path[:0] = sys.argv[1:3]
import interpreter
for _ in range(2):
    for path in sys.argv[3:]:
        log = interpreter.read_log(path)
        done = interpreter.replay(log)
        assert done.difference is None, (path, done.difference)
        print(path, [done.match.after_record(n).state.digest for n in range(0, len(log.records) - 1, 7) if hasattr(log.records[n], "then")])
"""

ALL = sorted(LOGS.glob("*/*.jsonl"))
CHECKED = ALL if os.environ.get("RULESDSL_LONG") else [ALL[0], ROOT / "tests" / "logs" / "format-2.jsonl"]


def test_logs_verify_under_every_hash_seed_twice_and_without_a_cache(tmp_path: Path) -> None:
    """Three values of PYTHONHASHSEED, twice in the same process, with the cache of compiled code and after it is deleted."""
    said = set()
    for seed, fresh in (("0", True), ("1", False), ("4711", False), ("0", True)):
        if fresh:
            shutil.rmtree(tmp_path / "cache", ignore_errors=True)
        environment = {**os.environ, "PYTHONHASHSEED": seed, "XDG_CACHE_HOME": str(tmp_path / "cache")}
        command = [sys.executable, "-c", VERIFY, str(ROOT), str(ROOT / "tests"), *map(str, CHECKED)]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
        lines = done.stdout.splitlines()
        assert lines[: len(CHECKED)] == lines[len(CHECKED) :], "the second time in a process it is another"
        said.add(done.stdout)
    assert len(said) == 1


def test_a_log_of_other_rules_is_never_silently_another_game() -> None:
    log = play_randomly(duel().new(seed=1), 1).log
    changed = Game.from_text({"small.rules": DUEL.replace("luck = n", "luck = 1")})
    for use in (lambda: replay(log, changed), lambda: Match.from_log(log, changed), lambda: fold(log, changed)):
        with pytest.raises(LogError) as caught:
            use()
        assert caught.value.kind == "program"
    assert replay(log, changed, own_rules=True).difference is None
    assert replay(log, changed, current_rules=True).difference is not None


def test_an_error_while_replaying_names_the_record() -> None:
    log = play_randomly(duel(hand_size=0).new(seed=1), 1).log
    broken = interpreter.Log(log.header, [*log.records[:3], *log.records[5:]])
    with pytest.raises(LogError) as caught:
        Match.from_log(broken, duel(hand_size=0))
    assert caught.value.kind == "replay" and caught.value.record is not None


def test_all_changes_are_events() -> None:
    """There is no way to a state but by events: the fold of the log is the state, after every record."""
    for seed in range(3):
        match = play_randomly(game(BIDS).new(3, seed=seed), seed)
        folded = fold(match.log, game(BIDS))
        assert [folded.states[n].digest for n in sorted(folded.states)] == [
            match.after_record(n).state.digest for n in sorted(folded.states)
        ]


# ---------------------------------------------------------------- several at once


def test_two_clients_with_one_stale_version() -> None:
    """Answers for the same version do not both count; the second is refused and nothing of it is kept."""
    store = MemoryStore()
    first = duel(hand_size=0).new(seed=1, log=Journal(store, "m"))
    second = Match.open(Journal(store, "m"), duel(hand_size=0))
    first.play("roll")
    with pytest.raises(Conflict):
        second.play("wait")
    assert second.number == 0 and store.read("m") == list(first.log.lines())
    second.catch_up()
    assert second.question.seat == "bob"


def test_a_recorder_without_makers_writes_nothing() -> None:
    match = duel().new(seed=1)
    recorder = Recorder.of(match.log)
    recorder.add([])
    assert recorder.log() == match.log
