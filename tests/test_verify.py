"""Verifying: every kind of defect has a line, one for each cause, and whole logs have none."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from finished_games import LOGS
from machine_games import DUEL, duel
from test_log import busy
from test_match import play_randomly

from interpreter import Game
from interpreter.lines import chained, compact
from interpreter.verify import KINDS, Verified, sound_part, verify

GAME = duel(hand_size=0, rounds=1)
DATA = play_randomly(GAME.new(seed=1), 5).log.data()
LINES = DATA.splitlines()


def file_of(lines: list[bytes]) -> bytes:
    return b"".join(line + b"\n" for line in lines)


def forged(number: int, change: Callable[[dict[str, Any]], None], lines: list[bytes] = LINES) -> bytes:
    """A log with an altered record whose chain was made to fit again, closing record and all."""
    made: list[bytes] = []
    previous = ""
    for place, line in enumerate(lines):
        data = json.loads(line)
        data.pop("hash")
        if place == number + 1:
            change(data)
        if data.get("kind") == "end":
            from interpreter.lines import whole_of

            data["whole"] = whole_of(made)
        previous, line = chained(compact(data), previous)
        made.append(line)
    return file_of(made)


def found(verified: Verified) -> list[tuple[str, int]]:
    return [(defect.kind, defect.record) for defect in verified.defects]


def event_of(data: dict[str, Any], name: str, **arguments: Any) -> None:
    data["then"] = [{"event": name, "arguments": arguments}]


LAST = len(LINES) - 2

DAMAGED: dict[str, tuple[bytes, list[tuple[str, int]]]] = {
    "whole": (DATA, []),
    "torn": (DATA[:-9], [("torn", LAST)]),
    "written together": (file_of(LINES[:-1]), [("torn", LAST - 1)]),
    "empty": (b"", [("torn", -1)]),
    "altered letter": (DATA.replace(b'"seat":"ana"', b'"seat":"bob"', 1), [("chain", 1)]),
    "no json": (file_of([*LINES[:2], b"hello", *LINES[3:]]), [("format", 1)]),
    "another format": (file_of([LINES[0].replace(b"log/2", b"log/9"), *LINES[1:]]), [("format", -1)]),
    "another kind": (forged(1, lambda data: data.update(kind="wish")), [("format", 1)]),
    "a record is missing": (file_of(LINES[:2] + LINES[3:]), [("gap", 2)]),
    "two records are missing": (file_of(LINES[:2] + LINES[4:]), [("gap", 3)]),
    "a record is there twice": (file_of([*LINES[:3], *LINES[2:]]), [("duplicate", 1)]),
    "two records are swapped": (file_of([*LINES[:2], LINES[3], LINES[2], *LINES[4:]]), [("order", 1)]),
    "unknown event": (forged(1, lambda data: event_of(data, "Exploded")), [("event", 1)]),
    "argument out of range": (forged(1, lambda data: event_of(data, "Rolled", by="ana", n=9)), [("argument", 1)]),
    "argument of another name": (forged(1, lambda data: event_of(data, "Rolled", by="ana", m=1)), [("argument", 1)]),
    "event that cannot be": (forged(1, lambda data: event_of(data, "Played", by="ana", card="ace")), [("argument", 1)]),
    "digest mismatch": (forged(1, lambda data: data.update(state="0" * 32)), [("state", 1)]),
    "wrong program": (forged(-1, lambda data: data.update(digest="0" * 32)), [("program", -1)]),
    "parameters without their digest": (forged(-1, lambda data: data["params"].update(rounds=2)), [("format", -1)]),
    "the rules do otherwise": (forged(1, lambda data: data.update(asked=["play"])), [("rules", 1)]),
    "two causes": (
        forged(1, lambda data: event_of(data, "Exploded"))[:-9],
        [("event", 1), ("torn", LAST)],
    ),
}


@pytest.mark.parametrize("name", DAMAGED)
def test_each_defect_is_told_once_with_its_record(name: str) -> None:
    data, expected = DAMAGED[name]
    verified = verify(data, None if name != "whole" else GAME)
    assert found(verified) == expected, [str(defect) for defect in verified.defects]
    assert all(str(defect) for defect in verified.defects)
    lines = data.splitlines() or [b""]
    for defect in verified.defects:
        if defect.kind not in ("torn", "format"):
            assert json.loads(lines[defect.line - 1]).get("n", -1) == defect.record


@pytest.mark.parametrize("name", sorted(set(DAMAGED) - {"whole"}))
def test_what_stands_before_the_first_defect_is_sound(name: str) -> None:
    """As many records as were written, and not one more."""
    data, ((_, first), *_) = DAMAGED[name]
    lines = data.splitlines()
    good = [n for n in range(2, len(lines) + 1) if lines[:n] == LINES[:n] and not verify(file_of(lines[:n])).defects]
    sound = sound_part(data, verify(data))
    assert (sound is None) == (not good) == (first < 0)
    assert sound is None or sound.data() == file_of(LINES[: max(good)])


def test_an_altered_record_that_only_the_next_one_gives_away_is_not_sound() -> None:
    """The prefix is looked at by itself, too: its last record has nothing behind it."""
    data = forged(1, lambda data: event_of(data, "Exploded"))
    behind = verify(file_of([*data.splitlines()[:3], b"hello"]))
    assert [defect.line for defect in behind.defects][-1] == 4
    sound = sound_part(file_of([*data.splitlines()[:3], b"hello"]), behind)
    assert sound is not None and sound.data() == file_of(LINES[:2])


def test_every_kind_of_defect_is_tried() -> None:
    kinds = {kind for _, expected in DAMAGED.values() for kind, _ in expected}
    assert kinds | {"end"} == set(KINDS)


def test_a_game_that_is_over_is_closed() -> None:
    lines = [line.replace(b',"more":true', b"") for line in LINES[:-1]]
    assert found(verify(forged(99, lambda data: None, lines))) == [("end", LAST - 1)]


def test_what_is_not_over_is_not_closed_and_all_right() -> None:
    verified = verify(busy().log.data())
    assert verified.defects == () and verified.replayed
    match = duel().new(seed=1)
    match.play("wait")
    verified = verify(match.log.data())
    assert verified.defects == () and verified.log is not None and verified.log.end is None


def test_other_rules_are_a_wrong_program() -> None:
    changed = Game.from_text({"small.rules": DUEL.replace("two is weaker", "two is weak").replace("1..6", "1..7")})
    assert found(verify(DATA, changed))[0] == ("program", -1)
    mistaken = forged(-1, lambda data: data.update(rules={"small.rules": "game x:\n"}))
    assert found(verify(mistaken)) == [("program", -1)]


def test_a_log_without_rules_is_checked_as_far_as_can_be() -> None:
    log = play_randomly(duel().new(seed=1, embed=False), 1).log
    assert not verify(log.data()).replayed and verify(log.data()).defects == ()
    assert verify(log.data(), duel()).replayed


@pytest.mark.parametrize(
    "path", sorted(LOGS.glob("*/*.jsonl"))[::5], ids=lambda path: f"{path.parent.name}-{path.stem}"
)
def test_finished_games_have_no_defects(path: Path) -> None:
    verified = verify(path.read_bytes())
    assert verified.defects == () and verified.replayed
