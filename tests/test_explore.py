"""Exhaustive exploration, against numbers that are known, small games worked out by hand, and a whole game proved."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import interpreter
from playtest.explore import Explored, explore
from playtest.plies import choices
from table.command import main

ROOT = Path(__file__).resolve().parent.parent

WALK = """\
game walk:
    players 1

param goal: 1..9 = 5

state:
    at: 0..20

event Moved(by: Player, n: 1..2):
    "{by} goes {n}"
    at += n

action go(n in 1..2):
    emit Moved(me, n)
    if at >= goal:
        end win me

flow main:
    turns p from player0:
        p chooses go

measure way(p: Player) -> int:
    at
"""

CIRCLE = """\
game circle:
    players 2

state:
    on: bool

event Switched:
    on = not on

action switch:
    emit Switched

action stop:
    end win me

flow main:
    turns p from player0:
        p chooses switch or stop
"""


def explored(text: str, **more: Any) -> Explored:
    return explore(interpreter.Game.from_text({"game.rules": text}).rules(), **more)


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as left:
        main(list(arguments))
    said = capsys.readouterr()
    return int(left.value.code or 0), said.out, said.err


def test_tic_tac_toe_has_the_positions_that_are_known() -> None:
    found = explore(interpreter.load(ROOT / "games/classic/tic_tac_toe.rules").rules())
    assert (found.positions, found.depth, found.longest, found.whole) == (5478, 9, 9, True)
    assert found.ends == {("noughts",): 626, ("crosses",): 316, ("noughts", "crosses"): 16}


def test_atlanteon_on_nine_squares_is_proved_whole() -> None:
    """Two tiles each; with three, on a full board, it is one of the long counts."""
    rules = interpreter.load(ROOT / "games/atlanteon.rules", size=3, highest=0, markers=4).rules()
    found = explore(rules)
    assert found.whole and found.failure is None
    assert (found.positions, found.longest, found.endless) == (63_957, 7, False)


def test_ways_are_shortest() -> None:
    found = explored(WALK, until=lambda state: state[0] == 4)
    assert found.found is not None and len(found.found) == 2
    assert found.stopped == "until" and not found.whole


def test_what_is_never_reached_is_proved() -> None:
    found = explored(WALK, until=lambda state: state[0] > 6)
    assert found.found is None and found.whole


def test_a_broken_invariant_is_broken_by_as_few_plies_as_can_be() -> None:
    found = explored(WALK + '\ninvariant "never on four":\n    at != 4\n')
    assert found.failure is not None and found.stopped == "failure"
    assert found.failure.clause == "never on four" and choices(found.failure.plies) == 2


def test_a_game_that_is_longer_than_it_says_is_found() -> None:
    assert explored(WALK + "\nterminates within 5 choices\n").longest == 5
    found = explored(WALK + "\nterminates within 4 choices\n")
    assert found.failure is not None and found.failure.law == "terminates" and choices(found.failure.plies) == 4


def test_a_position_that_comes_again_is_told_and_breaks_a_promised_end() -> None:
    found = explored(CIRCLE)
    assert found.endless and found.longest is None and found.failure is None
    promised = explored(CIRCLE + "\nterminates within 7 choices\n")
    assert promised.failure is not None and promised.failure.law == "terminates"
    assert choices(promised.failure.plies) == 7


TRAP = CIRCLE.replace("action stop:\n", 'action stop:\n    require off: not on else "it is on"\n').replace(
    "not on\n", "true\n", 1
)


def test_a_position_from_which_no_game_can_end_is_found_with_the_way_there() -> None:
    """Somebody is always asked, nothing is broken, and random games hardly show it."""
    found = explored(TRAP)
    assert found.endless and found.without_end == 2 and found.failure is None
    assert found.trap == (("choice", (1,)),)
    assert explored(CIRCLE).without_end == 0 and explored(WALK).trap is None
    stuck = explored(CIRCLE.replace("action stop:\n", 'action stop:\n    require never: false else "no"\n'))
    assert stuck.without_end == stuck.positions and stuck.trap == ()


def test_a_dead_end_is_found_with_the_way_there() -> None:
    text = WALK.replace(
        "    emit Moved(me, n)\n", '    require odd: at + n != 4 and at != 3 else "no"\n    emit Moved(me, n)\n'
    )
    found = explored(text)
    assert found.failure is not None and found.failure.law == "dead end" and choices(found.failure.plies) == 2


def test_a_bound_is_kept_and_says_what_is_certain() -> None:
    few = explored(WALK, positions=4)
    assert (few.positions, few.stopped, few.certain) == (4, "positions", 1)
    shallow = explored(WALK, depth=2)
    assert (shallow.depth, shallow.stopped, shallow.certain) == (2, "depth", 2)
    assert explored(WALK, depth=5).whole


def test_draws_are_gone_through_whatever_they_weigh() -> None:
    text = WALK.replace(
        "        p chooses go", "        draw n from [1, 1, 1, 2]\n        emit Moved(p, n)\n        p chooses go"
    )
    found = explored(text, until=lambda state: state[0] == 2)
    assert found.found == (("draw", 2),)


# ---------------------------------------------------------------- the command


def test_the_command_says_what_is_proved(tmp_path: Path, monkeypatch: Any, capsys: Any) -> None:
    monkeypatch.chdir(tmp_path)
    Path("walk.rules").write_text(WALK + '\ninvariant "not far":\n    at <= 6\n\nterminates within goal choices\n')
    code, out, _ = run(capsys, "explore", "walk.rules")
    assert code == 0
    assert "proved for every position: 1 invariant, no dead end, no rules error" in out
    assert "proved: it ends within 5 choices; the longest game has 5" in out
    assert "7 positions · 10 transitions · depth 3 · 2 ends" in out


def test_a_shortest_way_is_told_and_saved(tmp_path: Path, monkeypatch: Any, capsys: Any) -> None:
    monkeypatch.chdir(tmp_path)
    Path("walk.rules").write_text(WALK)
    code, out, _ = run(capsys, "explore", "walk.rules", "--until", "way(player0) == 4 and winners == {}")
    assert code == 0
    assert " 2  player0 go(2)\n      player0 goes 2\n" in out
    assert run(capsys, "replay", "explore/walk-until.jsonl", "--verify")[0] == 0
    code, out, _ = run(capsys, "explore", "walk.rules", "--until", "at == 9", "--json")
    assert code == 1 and json.loads(out)["until"] == {"condition": "at == 9", "plies": None, "log": None}


def test_a_trap_is_told_and_saved(tmp_path: Path, monkeypatch: Any, capsys: Any) -> None:
    monkeypatch.chdir(tmp_path)
    Path("trap.rules").write_text(TRAP)
    code, out, _ = run(capsys, "explore", "trap.rules")
    assert code == 1 and "no game can come to its end from 2 of them" in out and "1  player0 switch" in out
    assert run(capsys, "replay", "explore/trap-without-end.jsonl", "--verify")[0] == 0
    data = json.loads(run(capsys, "explore", "trap.rules", "--json")[1])
    assert (data["without_end"], data["trap"]["plies"]) == (2, 1)
    Path("circle.rules").write_text(CIRCLE)
    code, out, _ = run(capsys, "explore", "circle.rules")
    assert code == 0 and "proved: from every position it can come to its end" in out


def test_a_law_that_breaks_before_what_was_looked_for_says_so(tmp_path: Path, monkeypatch: Any, capsys: Any) -> None:
    monkeypatch.chdir(tmp_path)
    Path("walk.rules").write_text(WALK + '\ninvariant "never on four":\n    at != 4\n')
    code, out, _ = run(capsys, "explore", "walk.rules", "--until", "at == 5")
    assert code == 1 and 'broken: invariant "never on four"' in out
    assert "no game of up to 1 ply comes to at == 5; beyond that nothing is known" in out


def test_a_shortest_counterexample_is_told_and_saved(tmp_path: Path, monkeypatch: Any, capsys: Any) -> None:
    monkeypatch.chdir(tmp_path)
    Path("walk.rules").write_text(WALK + '\ninvariant "never on four":\n    at != 4\n')
    code, out, _ = run(capsys, "explore", "walk.rules")
    assert code == 1
    assert 'broken: invariant "never on four"' in out and "2  player0 go(2)" in out
    assert "at was 2, is 4" in out
    saved = next(Path("explore").glob("*.jsonl"))
    code, out, _ = run(capsys, "replay", str(saved), "--with-own-rules")
    assert code == 1 and "the rules fail, as they did then: invariant: never on four" in out


@pytest.mark.parametrize(
    ("condition", "told"),
    [
        ("att == 4", "did you mean `at`?"),
        ("at", "`0..20` is not a condition"),
        ("at == ", "error[S1"),
        ("at == player0", "error[T"),
    ],
)
def test_a_condition_with_a_mistake_is_explained(
    condition: str, told: str, tmp_path: Path, monkeypatch: Any, capsys: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("walk.rules").write_text(WALK)
    code, _, err = run(capsys, "explore", "walk.rules", "--until", condition)
    assert code == 1 and told in err and "--until:1:" in err


def test_the_bound_says_what_to_do(tmp_path: Path, monkeypatch: Any, capsys: Any) -> None:
    monkeypatch.chdir(tmp_path)
    Path("walk.rules").write_text(WALK)
    code, out, _ = run(capsys, "explore", "walk.rules", "--positions", "4")
    assert code == 0 and "raise --positions, or take smaller parameters" in " ".join(out.split())
    assert max(map(len, out.splitlines())) <= 80
    assert "for all games of up to 1 ply:" in out
