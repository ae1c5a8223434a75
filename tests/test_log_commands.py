"""Logs at the terminal: stores, verifying, trees, branches."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from machine_games import DUEL
from test_command import noughts  # noqa: F401

from interpreter import read_log


@pytest.fixture
def club(run: Any, noughts: str) -> str:  # noqa: F811
    """A store with a finished match and one that was left."""
    assert run("play", noughts, "--store", "club.db", "--match", "friday", "--seed", "9").code == 0
    typed = "place b2\nundo\nplace a1\nundo\nredo\nquit\n"
    assert run("play", noughts, "--human", "noughts", "--seed", "1", "--store", "club.db", typed=typed).code == 0
    return "club.db"


def test_matches_are_listed(run: Any, club: str, monkeypatch: pytest.MonkeyPatch) -> None:
    found = run("matches", club)
    assert found.code == 0
    assert "club.db: 2 matches" in found.out and "go on with one: rulesdsl play club.db#noughts-1" in found.out
    rows = json.loads(run("matches", club, "--json").out)
    assert [(row["match"], row["status"]) for row in rows] == [("friday", rows[0]["status"]), ("noughts-1", "open")]
    assert rows[0]["status"].startswith("won by")
    monkeypatch.setenv("RULESDSL_STORE", club)
    assert run("matches").out == found.out
    assert run("play", "noughts.rules", "--seed", "9").code == 0
    assert "noughts-9" in run("matches").out and not Path("noughts-9.jsonl").exists()


def test_a_store_that_is_not_there(run: Any) -> None:
    found = run("matches")
    assert found.code == 2 and "there is no store `matches.db`; `rulesdsl play GAME --store matches.db`" in found.err
    for command in ("show", "verify", "replay"):
        found = run(command, "nothing.db#friday")
        assert found.code == 2 and "there is no store `nothing.db`" in found.err
        assert run(command, "nothing.jsonl").code == 2


def test_a_match_that_is_not_there(run: Any, club: str) -> None:
    found = run("show", f"{club}#sunday")
    assert found.code == 1 and "there is no match sunday; there are friday, noughts-1" in found.err
    found = run("show", club)
    assert found.code == 2 and "is a store of 2 matches: name one, as club.db#MATCH" in found.err
    found = run("play", "noughts.rules", "--store", club, "--match", "friday")
    assert found.code == 2 and "there is club.db#friday already" in found.err


def test_a_match_in_a_store_goes_on(run: Any, club: str) -> None:
    assert run("play", f"{club}#noughts-1", typed="quit\n").code == 0
    assert run("play", f"{club}#noughts-1", "--from", "99").code == 2
    found = run("play", f"{club}#noughts-1", "--from", "0", typed="place c3\nquit\n")
    assert found.code == 0
    tree = run("show", f"{club}#noughts-1", "--tree").out
    assert "branch to record 0" in tree and "◀ here" in tree
    assert run("verify", club).code == 0
    assert run("replay", club, "--verify").code == 0


def test_export_and_import_lose_nothing(run: Any, club: str) -> None:
    assert run("matches", club, "--export", "friday").code == 0
    first = Path("friday.jsonl").read_bytes()
    assert run("matches", club, "--export", "friday").code == 2, "it is not written over"
    assert run("matches", "other.db", "--import", "friday.jsonl").code == 0
    assert run("matches", "other.db", "--export", "friday", "--to", "again.jsonl").code == 0
    assert Path("again.jsonl").read_bytes() == first == read_log("friday.jsonl").data()
    assert run("matches", "third.db", "--import", club).code == 0
    assert len(json.loads(run("matches", "third.db", "--json").out)) == 2


def test_verify_tells_each_defect(run: Any, club: str) -> None:
    run("matches", club, "--export", "friday")
    path = Path("friday.jsonl")
    assert run("verify", "friday.jsonl").out.startswith("ok  friday.jsonl: ")
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([*lines[:3], *lines[4:]])[:-5])
    found = run("verify", "friday.jsonl")
    assert found.code == 1
    told = found.out.splitlines()
    assert told[0] == "friday.jsonl:4: record 3: gap: record 2 is missing before it"
    assert "torn: the last line is incomplete" in told[1] and told[2] == "2 defects in friday.jsonl"
    assert told[3:] == ["  records 0 to 1 are sound: 1 answer", "  keep them  head -n 3 friday.jsonl > sound.jsonl"]
    Path("sound.jsonl").write_bytes(b"".join(lines[:3]))
    assert run("verify", "sound.jsonl").out.startswith("ok  sound.jsonl: 2 records, 1 answer, ")
    plain = json.loads(run("verify", "friday.jsonl", "--json").out)
    assert [defect["kind"] for defect in plain["defects"]] == ["gap", "torn"] and not plain["ok"]
    assert plain["sound"] == 2


def test_verify_by_other_rules(run: Any, club: str) -> None:
    text = Path("noughts.rules").read_text().replace("{at} is taken", "{at} is full")
    Path("other.rules").write_text(text)
    found = run("verify", f"{club}#friday", "--rules", "other.rules")
    assert found.code == 1 and "header: wrong program: played with other rules" in found.out


def test_the_tree_of_a_log(run: Any, club: str) -> None:
    tree = run("show", f"{club}#noughts-1", "--tree").out.splitlines()
    assert tree[0] == "    0  the set-up"
    assert any("├─    1  noughts place(b2)" in line for line in tree)
    plain = json.loads(run("show", f"{club}#noughts-1", "--tree", "--json").out)
    assert plain["nodes"][0] == {"record": 0, "after": None, "what": "the set-up"}
    after = {node["record"]: node["after"] for node in plain["nodes"]}
    assert after[1] == 0 and after[4] == 0 and plain["way"][0] == 0
    assert run("show", f"{club}#noughts-1", "--tree", "--at", "1").code == 2


def test_what_cannot_be_asked_for_together(run: Any, club: str, noughts: str) -> None:  # noqa: F811
    for arguments in (
        ("play", noughts, "--store", club, "--log", "x.jsonl"),
        ("play", f"{club}#friday", "--store", club),
        ("play", noughts, "--from", "3"),
        ("play", noughts, "--store", club, "--series", "2"),
        ("matches", club, "--to", "x.jsonl"),
    ):
        assert run(*arguments).code == 2, arguments


def test_an_undo_that_is_refused_can_be_made_anyway(run: Any) -> None:
    """Two people share the table; a draw stands between them and their answer."""
    Path("duel.rules").write_text(DUEL)
    typed = "\nroll\nundo\nundo anyway\nquit\n"
    found = run("play", "duel.rules", "--human", "all", "--seed", "1", "--store", "s.db", "--match", "m", typed=typed)
    assert "not possible: n was drawn since" in found.out and "`undo anyway` takes it back" in found.out
    assert "back at move 1" in found.out
    assert "undo to record 0, although n was drawn since" in run("show", "s.db#m", "--tree").out
    assert "although" not in run("show", "s.db#m", "--seat", "bob", "--json").out
