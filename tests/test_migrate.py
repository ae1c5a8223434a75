"""Logs under new names, and as other things: traces and transcripts."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from machine_games import DUEL, duel
from test_log import busy
from test_match import play_randomly

from interpreter import REFEREE, Game, Log, LogError, Match, ValueProblem, read_log, replay
from interpreter.itf import LAST, itf
from interpreter.migrate import migrate
from interpreter.transcript import transcript
from interpreter.verify import verify

NAMES: dict[str, dict[str, str]] = {
    "actions": {"roll": "throw", "wait": "pause"},
    "events": {"Rolled": "Thrown", "Planned": "Intended"},
    "arguments": {"card": "sheet"},
    "draws": {"n": "face", "card": "sheet"},
    "members": {"ace": "king", "two": "deuce"},
    "params": {"rounds": "laps"},
    "seats": {"ana": "anna"},
}


def renamed(text: str) -> str:
    """The rules with the new names. (The draw `n` is also the name of a parameter, which keeps its own.)"""
    text = text.replace("draw n from 1..6\n    emit Rolled(me, n)", "draw face from 1..6\n    emit Rolled(me, face)")
    for kind, names in NAMES.items():
        for old, new in names.items() if kind != "draws" else ():
            text = re.sub(rf"\b{old}\b", new, text)
    return text


NEW = Game.from_text({"new.rules": renamed(DUEL)})


def check(old: Log) -> Log:
    made = migrate(old, NEW, NAMES)
    assert verify(made.data()).defects == () and verify(made.data(), NEW).defects == ()
    origin = made.header.origin
    assert origin is not None and (origin.hash, origin.digest) == (old.hash, old.header.digest)
    assert origin.renamed == NAMES
    assert len(made.records) == len(old.records)
    assert [type(record) for record in made.records] == [type(record) for record in old.records]
    before, after = Match.from_log(old).narrate(seat=REFEREE), Match.from_log(made).narrate(seat=REFEREE)
    assert [renamed(line) for line in before] == after
    return made


def test_only_names_have_changed() -> None:
    made = check(busy(2).log)
    text = made.data().decode().partition("\n")[2]
    for old in ("Rolled", '"ace"', '"ana"', '"roll"', '"card"'):
        assert old not in text
    assert made.header.params == {"laps": 2, "hand_size": 2} and made.header.seats == ("anna", "bob")


def test_a_log_of_an_older_format_becomes_one_of_today() -> None:
    old = read_log(Path(__file__).parent / "logs" / "format-1.jsonl")
    assert check(old).header.format == "rulesdsl-log/2"


def test_nothing_renamed_is_the_same_log_but_for_its_origin() -> None:
    old = busy(3).log
    made = migrate(old, duel(), {})
    assert [line.rpartition(b',"hash"')[0] for line in made.lines()[1:-1]] == [
        line.rpartition(b',"hash"')[0] for line in old.lines()[1:-1]
    ]


def test_more_than_names_is_refused() -> None:
    match = duel(hand_size=0).new(chance=lambda question: question.outcomes[0][0])
    match.play("roll")
    changed = Game.from_text({"new.rules": renamed(DUEL).replace("luck = n", "luck = 0")})
    assert migrate(match.log, changed, NAMES).records
    other = Game.from_text({"new.rules": renamed(DUEL).replace("emit Thrown(me, face)", "emit Thrown(me, 3)")})
    with pytest.raises(
        LogError, match=r"more than names has changed: recorded Thrown\(anna, 1\), now Thrown\(anna, 3\)"
    ):
        migrate(match.log, other, NAMES)
    with pytest.raises(LogError, match="record 1: .*more than names has changed|there is no action"):
        migrate(match.log, NEW, {**NAMES, "actions": {}})


@pytest.mark.parametrize(
    ("mapping", "what"),
    [
        ({"wishes": {}}, "wishes cannot be renamed; there are actions"),
        ({"events": {"a": "x", "b": "x"}}, "two names become one"),
        ({"events": {"a": 5}}, "not an object from old names"),
    ],
)
def test_a_mapping_that_is_none(mapping: Any, what: str) -> None:
    with pytest.raises(ValueProblem, match=what):
        migrate(busy().log, duel(), mapping)


# ---------------------------------------------------------------- other forms


def test_a_trace_has_every_state() -> None:
    match = play_randomly(duel(rounds=1).new(seed=1), 1)
    trace = itf(match)
    assert trace["#meta"]["format"] == "ITF" and trace["vars"][-1] == LAST
    assert len(trace["states"]) == match.number + 1
    assert all(set(state) == {"#meta", *trace["vars"]} for state in trace["states"])
    first, last = trace["states"][0], trace["states"][-1]
    assert first[LAST] == "the set-up" and first["luck"] == {"#bigint": "0"}
    assert last["score"] == {"#map": [[seat, {"#bigint": str(match.state.score[seat])}] for seat in ("ana", "bob")]}
    assert first["plan"]["#map"][0] == ["ana", {"tag": "None", "value": {"#tup": []}}]
    assert all(isinstance(pair[0], str) for pair in first["deck"]["#map"])
    json.dumps(trace)


def test_a_transcript_tells_what_its_reader_may_know() -> None:
    match = duel(rounds=1, hand_size=1).new(seed=1)
    match.play("wait")
    whole = transcript(match)
    assert whole.startswith("Duel\nseats: ana, bob\nparameters: rounds = 1, hand_size = 1\n")
    assert "\n1. ana wait\n   ana waits\n" in whole and whole.endswith("\nthe game goes on\n")
    cards = {card for seat in ("ana", "bob") for card in match.state.hand[seat]}
    assert all(f"takes {card}" in whole for card in cards)
    assert transcript(match, None).count("takes a card") == 2 and "1. ana\n" in transcript(match, None)


# ---------------------------------------------------------------- at the terminal


def test_export_and_migrate_at_the_terminal(run: Any) -> None:
    Path("duel.rules").write_text(DUEL)
    Path("new.rules").write_text(renamed(DUEL))
    Path("names.json").write_text(json.dumps(NAMES))
    assert run("play", "duel.rules", "--seed", "1", "--log", "old.jsonl").code == 0
    found = run("migrate", "old.jsonl", "names.json", "--rules", "new.rules", "--to", "new.jsonl")
    assert found.code == 0 and "old.jsonl is as it was" in found.out
    assert replay(read_log("new.jsonl")).difference is None
    assert run("migrate", "old.jsonl", "names.json", "--rules", "new.rules", "--to", "new.jsonl").code == 2
    assert run("verify", "new.jsonl").code == 0
    Path("names.json").write_text("{")
    assert run("migrate", "old.jsonl", "names.json", "--rules", "new.rules", "--to", "x.jsonl").code == 2
    assert run("export", "old.jsonl").out.startswith("Duel\n")
    assert json.loads(run("export", "old.jsonl", "--as", "itf").out)["#meta"]["format"] == "ITF"
    assert run("export", "old.jsonl", "--as", "itf", "--seat", "ana").code == 2
    assert run("export", "old.jsonl", "--as", "view", "--seat", "ana", "--to", "ana.jsonl").code == 0
    assert json.loads(Path("ana.jsonl").read_text().splitlines()[0])["viewer"] == "ana"
    assert run("export", "old.jsonl", "--as", "view", "--to", "ana.jsonl").code == 2
