"""The console script, as somebody at a terminal meets it: what is printed, what is written, and the exit codes."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import time
import zipfile
from pathlib import Path
from typing import Any

import pytest

from interpreter import Match, read_log
from table.command import COMMANDS, cli

ROOT = Path(__file__).resolve().parent.parent

NOUGHTS = """\
game noughts:
    title "Noughts and crosses"
    players noughts, crosses

param size: 3..5 = 3

board Cell = grid(size, size)

state:
    mark[Cell]: Player?

event Marked(by: Player, at: Cell):
    "{by} marks {at}"
    mark[at] = by

action place(at in Cell):
    require vacant: mark[at] is none else "{at} is taken"
    emit Marked(me, at)
    if any(all(mark[c] == me for c in line) for line in Cell.lines(3)):
        end win me

flow main:
    step play:
        turns p from noughts if any(mark[c] is none for c in Cell):
            p chooses place
    end tie

measure marks(p: Player) -> int:
    count(c for c in Cell if mark[c] == p)

scenario "three in a row win":
    given:
        mark[a1] = noughts
        mark[a2] = noughts
    noughts place(a3)
    expect winners == {noughts}

scenario "a larger board":
    with size = 4
    expect count(c for c in Cell) == 16
"""

CARDS = """\
game cards:
    title "Cards"
    players 2..3

enum Suit:
    spade, heart

record Card:
    suit: Suit
    rank: 1..3

board Step = track(12)

state:
    private hand[Player]: set[Card]
    hidden deck: set[Card] = {Card(suit=s, rank=r) for s in Suit for r in 1..3}
    pawn[Player]: Step = 0
    pile: list[Card, 6]

event Dealt(to: Player, card: Card private to to):
    "{to} is dealt {card}"
    deck -= card
    hand[to] += card

event Played(by: Player, card: Card):
    "{by} plays {card}"
    hand[by] -= card
    pile += card
    pawn[by] = pawn[by].offset(card.rank) or pawn[by]

action play_card(card in hand[me]):
    emit Played(me, card)

flow main:
    step deal:
        for p in Player:
            draw c from deck
            emit Dealt(p, c)
    step play:
        turns p from Player[0] if hand[p]:
            p chooses play_card
    end scores {p: pawn[p].index for p in Player}
"""


PIECES = """\
game pieces:
    title "Pieces"
    players white, black

board Square = grid(8, 8)

enum Kind:
    pawn, knight, bishop, rook, queen, king

record Piece:
    owner: Player
    kind: Kind

const back: list[Kind, 8] = [rook, knight, bishop, queen, king, bishop, knight, rook]

state:
    at[Square]: Piece?
    passant: Square?
    moved: set[Square]

event SetUp:
    for s in Square:
        if s.row == 0:
            at[s] = Piece(owner=white, kind=back[s.col])
        if s.row == 1:
            at[s] = Piece(owner=white, kind=pawn)
        if s.row == 7:
            at[s] = Piece(owner=black, kind=back[s.col])

event Moved(by: Player, a: Square, b: Square):
    "{by} moves {a} to {b}"
    at[b] = at[a]
    at[a] = none
    moved += b
    passant = a

action move(a in {s for s in Square if at[s]?.owner == me}, b in a.neighbours):
    require free: at[b]?.owner != me else "your own piece is on {b}"
    emit Moved(me, a, b)

flow main:
    emit SetUp()
    turns p from white:
        p chooses move
"""


FAULTY = """\
game faulty:
    title "Faulty"
    players a, b

state:
    n: 0..5

event Added(by: Player, k: 1..3):
    "{by} adds {k}"
    n += k

action add(k in 1..3):
    emit Added(me, k)

flow main:
    turns p from a:
        p chooses add
"""


@pytest.fixture
def noughts(tmp_path: Path) -> str:
    (tmp_path / "noughts.rules").write_text(NOUGHTS)
    return "noughts.rules"


@pytest.fixture
def cards(tmp_path: Path) -> str:
    (tmp_path / "cards.rules").write_text(CARDS)
    return "cards.rules"


# ---------------------------------------------------------------- the group


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help_with_examples(run: Any, command: str) -> None:
    found = run(command, "--help")
    assert found.code == 0
    assert f"rulesdsl {command} " in found.out + " "
    assert "Examples:" in found.out


def test_the_summaries_of_the_group_are_not_longer_than_a_line(run: Any) -> None:
    found = run("--help")
    assert found.code == 0
    assert all(len(line) <= 80 for line in found.out.splitlines())
    for name in COMMANDS:
        assert re.search(rf"^  {name} ", found.out, re.MULTILINE)


def test_an_unknown_command_gets_a_suggestion(run: Any) -> None:
    found = run("plya")
    assert found.code == 2
    assert "did you mean `play`?" in found.err


def test_a_file_that_is_not_there(run: Any, noughts: str) -> None:
    assert "did you mean `noughts.rules`?" in run("check", "nougths.rules").err
    assert "did you mean `atlanteon`?" in run("play", "atlanteno").err
    assert run("check", "nougths.rules").code == 2


def test_help_is_quick() -> None:
    """Nothing heavy is imported to say what there is."""
    code = "import sys; from table.command import main\ntry: main(['--help'])\nexcept SystemExit: pass\n"
    code += "print([m for m in ('rich', 'lark', 'interpreter', 'cattrs') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


def test_the_version(run: Any) -> None:
    assert re.fullmatch(r"rulesdsl \d+\.\d+\.\d+\n", run("--version").out)


def test_every_option_is_explained() -> None:
    for name in COMMANDS:
        command = cli.get_command(None, name)  # type: ignore[arg-type]
        assert command is not None
        for parameter in command.params:
            if parameter.param_type_name == "option":
                assert parameter.help, f"{name} {parameter.name}"  # type: ignore[attr-defined]


# ---------------------------------------------------------------- check, fmt, test


def test_check_says_what_is_in_a_game(run: Any, noughts: str) -> None:
    found = run("check", noughts)
    assert (found.code, found.err) == (0, "")
    assert "ok  noughts.rules: 1 action, 1 event, 1 flow" in found.out


def test_check_shows_mistakes(run: Any, tmp_path: Path) -> None:
    (tmp_path / "bad.rules").write_text(NOUGHTS.replace("mark[at] is none else", "mork[at] is none else"))
    found = run("check", "bad.rules")
    assert found.code == 1
    assert "bad.rules:17:21" in found.out
    assert "did you mean `mark`" in found.out
    assert "1 error in bad.rules" in found.out
    played = run("play", "bad.rules")
    assert played.code == 1
    assert "bad.rules:17:21" in played.err


def test_check_as_json(run: Any, tmp_path: Path, noughts: str) -> None:
    (tmp_path / "bad.rules").write_text(NOUGHTS.replace("mark[at] is none else", "mork[at] is none else"))
    found = json.loads(run("check", "bad.rules", noughts, "--json").out)
    assert found["errors"] == 1
    assert [(d["file"], d["line"]) for d in found["diagnostics"] if d["severity"] == "error"] == [("bad.rules", 17)]


def test_check_prints_the_forms(run: Any, noughts: str) -> None:
    assert "place" in run("check", noughts, "--core").out
    python = run("check", noughts, "--python").out
    compile(python, "generated", "exec")
    assert "noughts.rules:" in python


def test_check_with_parameters(run: Any, noughts: str) -> None:
    assert run("check", noughts, "-p", "size=4").code == 0
    wrong = run("check", noughts, "-p", "size=9")
    assert wrong.code == 2
    assert "size" in wrong.err
    unknown = run("check", noughts, "-p", "siez=4")
    assert unknown.code == 2
    assert "did you mean size" in unknown.err
    assert run("check", noughts, "-p", "size").code == 2


def test_fmt(run: Any, tmp_path: Path, noughts: str) -> None:
    path = tmp_path / noughts
    path.write_text(NOUGHTS.replace("mark[at] = by", "mark[ at ]  =  by"))
    checked = run("fmt", "--check", noughts)
    assert checked.code == 1
    assert "not formatted: noughts.rules" in checked.out
    assert "mark[ at ]" in path.read_text()
    assert run("fmt", noughts).code == 0
    assert "mark[at] = by" in path.read_text()
    assert run("fmt", "--check", noughts).code == 0


def test_fmt_leaves_a_broken_file_alone(run: Any, tmp_path: Path) -> None:
    path = tmp_path / "bad.rules"
    path.write_text("game bad\n")
    found = run("fmt", "bad.rules")
    assert found.code == 1
    assert "bad.rules:1" in found.err
    assert path.read_text() == "game bad\n"


def test_test_runs_scenarios_with_their_settings(run: Any, noughts: str) -> None:
    found = run("test", noughts, "-v")
    assert found.code == 0
    assert "passed  three in a row win" in found.out
    assert "passed  a larger board" in found.out
    assert "noughts.rules: 2 scenarios passed" in found.out
    assert "1 scenario passed" in run("test", noughts, "-k", "LARGER").out
    assert run("test", noughts, "-k", "nothing like it").code == 1


def test_test_shows_why_a_scenario_fails(run: Any, tmp_path: Path) -> None:
    (tmp_path / "n.rules").write_text(NOUGHTS.replace("expect winners == {noughts}", "expect winners == {crosses}"))
    found = run("test", "n.rules")
    assert found.code == 1
    assert "failed  three in a row win" in found.out
    assert "expect winners == {crosses}" in found.out
    assert "1 failed, 1 passed" in found.out
    told = json.loads(run("test", "n.rules", "--json").out)
    assert (told["passed"], told["failed"]) == (1, 1)


# ---------------------------------------------------------------- play


def test_bots_play_and_the_log_verifies(run: Any, noughts: str, tmp_path: Path) -> None:
    found = run("play", noughts, "--seed", "3")
    assert found.code == 0
    assert "Noughts and crosses · noughts (random bot), crosses (random bot)\nlog: noughts-3.jsonl\n" in found.out
    assert re.search(r"^   1  noughts marks [abc][123]$", found.out, re.MULTILINE)
    assert "wins" in found.out or "share" in found.out
    assert "\x1b" not in found.out
    assert all(len(line) <= 80 for line in found.out.splitlines())
    verified = run("replay", "noughts-3.jsonl", "--verify")
    assert verified.code == 0
    assert "verified  noughts-3.jsonl" in verified.out


def test_the_same_seed_plays_the_same_game(run: Any, noughts: str) -> None:
    first = run("play", noughts, "--seed", "5", "--json", "--no-log").out
    assert first == run("play", noughts, "--seed", "5", "--json", "--no-log").out
    told = json.loads(first)
    assert told["log"] is None
    assert set(told["measures"]["marks"]) == {"noughts", "crosses"}


def test_logs_are_never_written_over(run: Any, noughts: str, tmp_path: Path) -> None:
    run("play", noughts, "--seed", "3")
    before = (tmp_path / "noughts-3.jsonl").read_bytes()
    run("play", noughts, "--seed", "3")
    assert (tmp_path / "noughts-3-2.jsonl").exists()
    refused = run("play", noughts, "--seed", "3", "--log", "noughts-3.jsonl")
    assert refused.code == 2
    assert "already" in refused.err
    assert (tmp_path / "noughts-3.jsonl").read_bytes() == before


def test_a_person_plays(run: Any, noughts: str) -> None:
    typed = "place b2\nboard\n?\nwhy place b2\nplace b2\nundo\nredo\nlog\nsave mine\nquit\n"
    found = run("play", noughts, "--human", "noughts", "--seed", "1", typed=typed)
    assert found.code == 0
    assert "noughts (you), crosses (random bot)" in found.out
    assert "move 1, noughts: place, 9 moves." in found.out
    assert "  not possible: b2 is taken" in found.out
    assert "place(b2) is refused by" in found.out
    assert "noughts.rules:17" in found.out
    assert "back at move 1" in found.out
    assert "made again" in found.out
    assert "saved mine.jsonl" in found.out
    assert "go on with: rulesdsl play noughts-1.jsonl" in found.out


def test_what_is_legal_is_listed_by_action(run: Any, noughts: str) -> None:
    found = run("play", noughts, "--human", "noughts", "--seed", "1", typed="moves\nquit\n")
    assert "  place  a1 b1 c1 a2 b2 c2 a3 b3 c3" in found.out


@pytest.mark.parametrize("text", ("place b2", "place(b2)", "pl b2", "b2", "place at=b2", "PLACE B2"))
def test_moves_may_be_typed_in_many_ways(run: Any, noughts: str, text: str) -> None:
    found = run("play", noughts, "--human", "noughts", "--seed", "1", typed=f"{text}\nquit\n")
    assert "   1  noughts marks b2" in found.out


@pytest.mark.parametrize(
    ("text", "answer"),
    (
        ("place z9", "z9"),
        ("place", "place needs at"),
        ("jump b2", "there is no action jump"),
        ("place b", "unclear: place(b1), place(b2), place(b3)"),
        ("why", "why MOVE"),
        ("undo", "not possible"),
        ("save", "save NAME"),
    ),
)
def test_what_cannot_be_done_is_said(run: Any, noughts: str, text: str, answer: str) -> None:
    found = run("play", noughts, "--human", "noughts", "--seed", "1", typed=f"{text}\nquit\n")
    assert found.code == 0
    assert answer in found.out


def test_the_end_of_the_input_leaves_the_table(run: Any, noughts: str) -> None:
    assert run("play", noughts, "--human", "noughts", "--seed", "1", typed="place b2\n").code == 0


def test_a_game_can_be_gone_on_with(run: Any, noughts: str) -> None:
    run("play", noughts, "--human", "all", "--seed", "1", typed="b2\na1\nquit\n")
    found = run("play", "noughts-1.jsonl", typed="a3\nc1\nb3\na2\nc3\nb1\nc2\n")
    assert "   2  crosses marks a1" in found.out
    assert "   3  noughts marks a3" in found.out
    assert run("replay", "noughts-1.jsonl", "--verify").code == 0


def test_two_people_at_one_keyboard_undo(run: Any, noughts: str) -> None:
    found = run(
        "play",
        noughts,
        "--human",
        "all",
        "--no-log",
        typed="b2\na1\nundo\nredo\nundo\nc3\nundo\nundo\nundo\nundo\nquit\n",
    )
    assert found.out.count("back at move 2") == 3
    assert "made again" in found.out
    assert "crosses> c3\n   2  crosses marks c3" in found.out
    assert "not possible: nothing has been answered yet" in found.out


def test_what_bots_answered_is_made_again_and_not_answered_anew(run: Any) -> None:
    """`undo anyway` takes back one answer after the other; all of it comes back with one `redo`, the draws too."""
    typed = "found d3_up\nfirst_road d3_ne\nundo anyway\nredo\nquit\n"
    found = run("play", "catan", "--human", "player1", "--seed", "3", "--log", "mine.jsonl", typed=typed)
    assert "back at move" in found.out and "made again" in found.out
    log = read_log("mine.jsonl")
    kinds = [type(record).__name__ for record in log.records]
    assert kinds.count("Undo") == kinds.count("Redo") >= 1
    assert "Answer" not in kinds[kinds.index("Undo") :], "nobody answered anew"


def test_bots_alone_have_nothing_that_a_person_could_take_back(run: Any) -> None:
    typed = "undo anyway\nquit\n"
    found = run("play", "catan", "--human", "player1", "--seed", "3", "--log", "logs/mine.jsonl", typed=typed)
    assert "not possible: no person has answered yet" in found.out
    assert Match.from_log(read_log("logs/mine.jsonl")).question.seat == "player1"


def test_a_long_story_begins_with_what_came_of_ones_own_answer(run: Any) -> None:
    typed = "found d3_up\nfirst_road d3_ne\nquit\n"
    found = run("play", "catan", "--human", "player1", "--seed", "3", "--no-log", typed=typed)
    after = found.out.rpartition("player1> first_road d3_ne")[2].splitlines()
    assert "player1 builds a road at d3_ne" in after[1]
    assert "lines; `log` tells them all" in found.out


def test_seats_are_checked(run: Any, noughts: str) -> None:
    found = run("play", noughts, "--human", "nougths")
    assert found.code == 2
    assert "did you mean `noughts`?" in found.err
    assert run("play", noughts, "--players", "3").code == 2


def test_a_series_with_swapped_seats(run: Any, noughts: str, tmp_path: Path) -> None:
    found = run("play", noughts, "--seed", "2", "--series", "2", "--swap", "--name", "ana", "--name", "ben")
    assert found.code == 0
    assert "game 1 of 2: ana is noughts, ben is crosses" in found.out
    assert "game 2 of 2: ben is noughts, ana is crosses" in found.out
    assert "after 2 games" in found.out
    series = json.loads((tmp_path / "noughts-2.series.json").read_text())
    assert [game["log"] for game in series["games"]] == ["noughts-2-1.jsonl", "noughts-2-2.jsonl"]
    for person in ("ana", "ben"):
        assert series["totals"]["marks"][person] == sum(game["measures"]["marks"][person] for game in series["games"])
        assert series["wins"][person] == sum(person in game["winners"] for game in series["games"])
    verified = run("replay", "--verify", "noughts-2.series.json")
    assert verified.code == 0
    assert "verified  noughts-2-1.jsonl" in verified.out
    assert "verified  noughts-2-2.jsonl" in verified.out


def test_what_the_rules_fail_at_is_shown_and_saved(run: Any, tmp_path: Path) -> None:
    (tmp_path / "faulty.rules").write_text(FAULTY)
    found = run("play", "faulty.rules", "--seed", "1")
    assert found.code == 1
    assert "the rules fail: out of range: 6 is not within 0..5 (`n`) in event Added at faulty.rules:10" in found.err
    assert "  10 │     n += k\n" in found.err
    replayed = run("replay", "faulty-fault.jsonl")
    assert replayed.code == 1
    assert "the rules fail, as they did then: out of range" in replayed.out


def test_what_is_private_is_not_shown_to_others(run: Any, cards: str) -> None:
    found = run("play", cards, "--human", "player0", "--seed", "1", typed="quit\n")
    assert "player1 is dealt a card" in found.out
    assert re.search(r"player0 is dealt Card\(suit=\w+, rank=\d\)", found.out)
    assert "1 hidden" in found.out
    assert "4 hidden" in found.out


def test_a_board_of_pieces(run: Any, tmp_path: Path) -> None:
    """Letters of their own for knight and king, a frame for a set of squares, a star for a field that points at one."""
    (tmp_path / "pieces.rules").write_text(PIECES)
    found = run("play", "pieces.rules", "--human", "all", "--no-log", typed="d2 d3\n?\nquit\n")
    assert (
        "    a     b     c     d     e     f     g     h\n 8  bR    bN    bB    bQ    bK    bB    bN    bR" in found.out
    )
    assert " 3  ·     ·     ·    [wP]   ·     ·     ·     ·" in found.out
    assert " 2  wP    wP    wP    *p    wP    wP    wP    wP" in found.out
    assert "N knight   B bishop   R rook   Q queen   K king   *p passant" in found.out
    assert "  move  a8 × a7\n" in found.out


def test_a_track_is_drawn_as_a_strip(run: Any, cards: str) -> None:
    found = run("play", cards, "--seed", "1", "--players", "3")
    assert found.code == 0
    assert re.search(r"^\s+0\s+1\s+2\s+3\s+4\s+5", found.out, re.MULTILINE)


# ---------------------------------------------------------------- logs


@pytest.fixture
def log(run: Any, noughts: str) -> str:
    run("play", noughts, "--seed", "3", "--log", "game.jsonl")
    return "game.jsonl"


def test_show(run: Any, log: str) -> None:
    found = run("show", log, "--at", "2")
    assert found.code == 0
    assert "   2  crosses marks" in found.out
    assert "   3  " not in found.out
    assert "noughts chooses place: 7 moves" in found.out
    assert run("show", log, "--at", "99").code == 2
    assert run("show", log, "--at", "1", "--record", "1").code == 2
    assert "   2  " in run("show", log, "--record", "2").out
    told = json.loads(run("show", log, "--at", "2", "--json").out)
    assert told["number"] == 2
    assert len([v for v in told["state"]["mark"].values() if v]) == 2


def test_why(run: Any, log: str) -> None:
    first = json.loads(run("show", log, "--at", "1", "--json").out)
    taken = next(cell for cell, mark in first["state"]["mark"].items() if mark)
    found = run("why", log, f"place {taken}", "--at", "1")
    assert found.code == 0
    assert f'vacant  "{taken} is taken"' in found.out
    assert "noughts.rules:17" in found.out
    told = json.loads(run("why", log, f"place {taken}", "--at", "1", "--json").out)
    assert told["legal"] is False
    assert told["reasons"][0]["clause"] == "place.vacant"


def test_an_altered_log_is_refused(run: Any, log: str, tmp_path: Path) -> None:
    path = tmp_path / log
    path.write_bytes(path.read_bytes().replace(b'"noughts"', b'"crosses"', 5))
    found = run("replay", log, "--verify")
    assert found.code == 1
    assert "refused: game.jsonl" in found.err
    assert run("show", log).code == 1


def test_a_torn_log_is_repaired_on_request(run: Any, log: str, tmp_path: Path) -> None:
    path = tmp_path / log
    path.write_bytes(path.read_bytes()[:-20])
    found = run("replay", log, "--verify")
    assert found.code == 1
    assert "--repair" in found.err
    repaired = run("replay", log, "--verify", "--repair")
    assert repaired.code == 0
    assert "repaired game.jsonl" in repaired.out


def test_a_log_of_other_rules(run: Any, log: str, noughts: str, tmp_path: Path) -> None:
    (tmp_path / noughts).write_text(
        NOUGHTS.replace('"{at} is taken"', '"{at} is full"').replace("lines(3)", "lines(2)")
    )
    refused = run("replay", log, "--verify")
    assert refused.code == 1
    assert "other rules" in refused.err
    assert "--with-own-rules" in refused.err
    assert run("replay", log, "--verify", "--with-own-rules").code == 0
    parted = run("replay", log, "--with-current-rules", "--verify")
    assert parted.code == 1
    assert "recorded" in parted.out
    assert "because    action place changed" in parted.out
    assert "state before: rulesdsl show game.jsonl --record" in parted.out
    told = json.loads(run("replay", log, "--with-current-rules", "--json").out)
    assert told["ok"] is False
    assert told["difference"]["record"] > 1


# ---------------------------------------------------------------- fuzz, perft


def test_fuzz(run: Any, noughts: str) -> None:
    found = run("fuzz", noughts, "--games", "60", "--seed", "1")
    assert found.code == 0
    assert "60 games" in found.out
    assert "no law was broken" in found.out
    told = json.loads(run("fuzz", noughts, "--games", "60", "--seed", "1", "--json").out)
    assert told["games"] == 60
    assert sum(end["games"] for end in told["ends"]) == 60


def test_fuzz_finds_shrinks_and_saves(run: Any, tmp_path: Path) -> None:
    (tmp_path / "bad.rules").write_text(
        NOUGHTS + '\ninvariant "the middle stays free":\n    size != 3 or mark[b2] is none\n'
    )
    found = run("fuzz", "bad.rules", "--games", "200")
    assert found.code == 1
    assert 'broken: invariant "the middle stays free"' in found.out
    assert "noughts place(b2)" in found.out
    command = next(line for line in found.out.splitlines() if line.startswith("replay"))
    replayed = run(*command.split()[2:])
    assert replayed.code == 1
    assert "the middle stays free" in replayed.out
    assert list((tmp_path / "fuzz").glob("bad-*.rules"))


def test_damaged_logs_of_a_corpus_are_named(run: Any, noughts: str, tmp_path: Path) -> None:
    """They were passed over in silence; a folder of such a name was an error."""
    assert run("fuzz", noughts, "--games", "20", "--corpus", "corpus").err == ""
    (tmp_path / "corpus" / "torn.jsonl").write_text('{"format":"rulesdsl-log/2"')
    (tmp_path / "corpus" / "folder.jsonl").mkdir()
    found = run("fuzz", noughts, "--games", "20", "--corpus", "corpus")
    assert found.code == 0 and " of the corpus" in found.out
    assert found.err.startswith("passed over: corpus/torn.jsonl: ") and len(found.err.splitlines()) == 1


def test_a_log_without_rules_is_not_to_be_replayed_with_its_own(run: Any, noughts: str, tmp_path: Path) -> None:
    run("fuzz", noughts, "--games", "5", "--corpus", "corpus")
    log = f"corpus/{min(path.name for path in (tmp_path / 'corpus').iterdir())}"
    found = run("replay", log)
    assert found.code == 1 and "`--rules FILE` names them" in found.err and "--with-own-rules" not in found.err
    assert run("replay", log, "--rules", noughts, "--verify").code == 0


@pytest.mark.parametrize("option", [("--seconds", "nan"), ("--seconds", "inf"), ("--thorough", "nan")])
def test_what_is_no_number_is_refused(option: tuple[str, str], run: Any, noughts: str) -> None:
    """`--seconds nan` played for ever."""
    found = run("fuzz", noughts, *option)
    assert found.code == 2 and "is not a number" in found.err


@pytest.mark.parametrize(
    ("command", "told"),
    [
        ("coverage {} --games 10000000 --html none/page.html", "there is no folder `none`; make it first"),
        ("coverage {} --games 10000000 --html there/page.html", "`there` is a file, not a folder"),
        ("explore {} --until marks(noughts)==9 --out there/found", "`there` is a file, not a folder"),
        ("fuzz {} --games 10000000 --out there/found", "`there` is a file, not a folder"),
        ("fuzz {} --games 10000000 --corpus there/found", "`there` is a file, not a folder"),
        ("review {} {} --games 10000000 --out there/found", "`there` is a file, not a folder"),
        ("play {} --log there/mine.jsonl", "`there` is a file, not a folder"),
        ("demo --dir there/found", "`there` is a file, not a folder"),
    ],
)
def test_what_cannot_be_written_is_refused_before_anything_is_played(
    run: Any, noughts: str, tmp_path: Path, command: str, told: str
) -> None:
    (tmp_path / "there").write_text("a file")
    done = run(*command.format(noughts, noughts).split())
    assert done.code == 2 and told in done.err


def test_perft(run: Any, noughts: str) -> None:
    told = json.loads(run("perft", noughts, "--depth", "5", "--json").out)
    assert told["leaves"] == [1, 9, 72, 504, 3024, 15120]
    found = run("perft", noughts, "--depth", "2", "--divide")
    assert "place(a1)" in found.out
    assert "72" in found.out


def test_perft_from_a_scenario(run: Any, noughts: str, tmp_path: Path) -> None:
    (tmp_path / noughts).write_text(
        NOUGHTS + '\nscenario "two marks":\n    run main()\n    noughts place(a1)\n    crosses place(b2)\n'
    )
    told = json.loads(run("perft", noughts, "--depth", "1", "--scenario", "two", "--json").out)
    assert told["leaves"] == [1, 7]
    assert run("perft", noughts, "--depth", "1", "--scenario", "no such").code == 2


# ---------------------------------------------------------------- colour, demo


def test_colour_only_where_it_is_wanted(run: Any, noughts: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "\x1b[" not in run("play", noughts, "--seed", "1", "--no-log").out
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert "\x1b[" in run("play", noughts, "--seed", "1", "--no-log").out
    assert "\x1b[" not in run("play", noughts, "--seed", "1", "--no-log", "--no-colour").out
    assert "\x1b[" not in run("--no-colour", "play", noughts, "--seed", "1", "--no-log").out
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b[" not in run("play", noughts, "--seed", "1", "--no-log").out


def test_the_demo(run: Any, tmp_path: Path) -> None:
    began = time.process_time()
    found = run("demo", "--seconds", "0.5")
    assert found.code == 0, found.out
    assert time.process_time() - began < 30
    for text in (
        "Atlanteon",
        "every event and digest agrees",
        "the same state",
        "refused",
        "undone to",
        "no law was broken",
        "param markers  11  →  10",
        "7 of 8 logged games go on as they were played",
        "player0 wins",
        "brings a figure home",
        "founds a city at",
        "Not all hear the same of answer",
    ):
        assert text in found.out
    assert all(len(line) <= 80 for line in found.out.splitlines()), [x for x in found.out.splitlines() if len(x) > 80]
    assert (tmp_path / "demo" / "atlanteon-4.jsonl").exists()


def test_the_wheel_works_outside_the_checkout(tmp_path: Path) -> None:
    """Grammar and games travel with the package, and `rulesdsl play atlanteon` finds them."""
    checkout, target, elsewhere = tmp_path / "checkout", tmp_path / "installed", tmp_path / "elsewhere"
    elsewhere.mkdir()
    for name in ("rulesdsl", "interpreter", "playtest", "table", "games"):
        shutil.copytree(ROOT / name, checkout / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, checkout)
    build = [sys.executable, "-c", "import setuptools.build_meta as b; print(b.build_wheel('..'))"]
    built = subprocess.run(build, cwd=checkout, capture_output=True, text=True, check=True)
    with zipfile.ZipFile(tmp_path / built.stdout.splitlines()[-1]) as wheel:
        wheel.extractall(target)
    environment = {**os.environ, "PYTHONPATH": str(target), "XDG_CACHE_HOME": str(tmp_path / "cache")}
    command = [sys.executable, "-P", "-m", "table.command"]
    for arguments in (
        ["play", "atlanteon", "--seed", "1"],
        ["replay", "--verify", "atlanteon-1.jsonl"],
        ["test", "atlanteon"],
    ):
        done = subprocess.run(
            [*command, *arguments], cwd=elsewhere, env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
    where = "import table, rulesdsl; print(table.__file__, rulesdsl.__file__)"
    found = subprocess.run(
        [sys.executable, "-P", "-c", where], env=environment, capture_output=True, text=True, check=True
    )
    assert all(str(target) in path for path in found.stdout.split())


def test_a_reader_that_leaves_is_no_error(tmp_path: Path) -> None:
    """`rulesdsl ... | head -1` says nothing of broken pipes."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = f"{shlex.quote(sys.executable)} -m table.command show --help | head -1"
    done = subprocess.run(
        command, shell=True, capture_output=True, text=True, env=environment, cwd=tmp_path, check=False
    )
    assert done.stderr == ""
