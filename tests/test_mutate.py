"""Mutants: what is planted, what notices it, and what is told of the rest."""

from __future__ import annotations

import json
import multiprocessing
from pathlib import Path
from typing import Any

import pytest
from test_explore import run

import interpreter
from playtest.mutants import LEFT_OUT, NEGATED, OFF_BY_ONE, SWAPPED, Mutant, mutants_of
from playtest.mutation import NOTICED, REFUSED, SURVIVED, USUAL, attempt, chosen, plan_of, reasons_in, trying
from rulesdsl.digest import program_digest
from rulesdsl.program import parse_source, read_source

GAMES = Path(__file__).parent.parent / "games"

RACE = """\
game race:
    players red, blue

const far = 4

state:
    at[Player]: 0..9
    last: Player?

event Moved(by: Player, n: 1..2):
    at[by] += n
    last = by

def there(p: Player) -> bool:
    return at[p] >= far

action go(n in 1..2):
    require turn: last != me else "not twice"
    emit Moved(me, n)
    if there(me):
        end win me.next

flow main:
    turns p from red:
        p chooses go

invariant "who is there stops":
    all(at[p] < far + 2 for p in Player)

scenario "the turn":
    run main()
    red go(2)
    expect at[red] == 2
    blue go(1)
    red go(2)
    expect winners == {blue}
"""


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("race.rules").write_text(RACE)
    return tmp_path


def mutants() -> list[Mutant]:
    return chosen(interpreter.load("race.rules"))


def test_the_mutants_of_a_small_game_are_known(here: Path) -> None:
    assert [(mutant.kind, mutant.name) for mutant in mutants()] == [
        (OFF_BY_ONE, "const far: `4` → `5`"),
        (LEFT_OUT, "event Moved: `at[by] += n` left out"),
        (SWAPPED, "event Moved: `by` → `by.next`"),
        (LEFT_OUT, "event Moved: `last = by` left out"),
        (SWAPPED, "event Moved: `by` → `by.next` (2)"),
        (NEGATED, "def there: `at[p] >= far` negated"),
        (SWAPPED, "def there: `p` → `p.next`"),
        (OFF_BY_ONE, "def there: `>=` → `>`"),
        (OFF_BY_ONE, "action go: `1` → `2`"),
        (OFF_BY_ONE, "action go: `2` → `3`"),
        (NEGATED, "require go.turn: `last != me` negated"),
        (LEFT_OUT, "require go.turn: `last != me` left out"),
        (SWAPPED, "require go.turn: `me` → `me.next`"),
        (LEFT_OUT, "action go: `emit Moved(me, n)` left out"),
        (SWAPPED, "action go: `me` → `me.next`"),
        (NEGATED, "action go: `there(me)` negated"),
        (SWAPPED, "action go: `me` → `me.next` (2)"),
        (LEFT_OUT, "action go: `end win me.next` left out"),
        (SWAPPED, "action go: `me.next` → `me`"),
        (SWAPPED, "flow main: `red` → `red.next`"),
        (SWAPPED, "flow main: `p` → `p.next`"),
    ]


def test_each_mutant_is_one_change_of_the_text(here: Path) -> None:
    source = interpreter.load("race.rules").source
    for mutant in mutants():
        text = mutant.apply(source).text
        assert text != source.text
        assert text.replace(mutant.after, "", 1) != text
        assert len(text) - len(source.text) == len(mutant.after) - len(mutant.before)


def test_a_change_of_the_tree_is_the_change_of_the_text(here: Path) -> None:
    """The tree that is tried and the text that is shown could be two different mistakes."""
    for source in (interpreter.load("race.rules").source, read_source(GAMES / "variants" / "atlanteon_7x7.rules")):
        module = parse_source(source)
        for mutant in mutants_of(module, source.name)[::3]:
            changed = mutant.changed(module)
            assert changed != module
            assert program_digest(changed) == program_digest(parse_source(mutant.apply(source))), mutant.name


def test_the_scenarios_closest_to_a_change_are_run_first(here: Path) -> None:
    other = """
scenario "far away":
    with far = 5
    run main()
    red go(1)
    expect at[red] == 1
"""
    Path("race.rules").write_text(RACE.replace("const far = 4", "param far: 3..6 = 4") + other)
    plan = plan_of(interpreter.load("race.rules"))
    by_name = {mutant.name: mutant for mutant in mutants()}
    ending = plan.order(by_name["action go: `end win me.next` left out"])
    assert ending == ((USUAL, ("the turn",)), (((("far", 5),), None), ("far away",)))
    moving = plan.order(by_name["event Moved: `at[by] += n` left out"])
    assert {title for _, titles in moving for title in titles} == {"the turn", "far away"}


def test_a_mutant_for_which_the_time_was_too_short_says_so(here: Path) -> None:
    plan = plan_of(interpreter.load("race.rules"), games=0, seconds=0)
    mutant = next(m for m in mutants() if m.name == "event Moved: `last = by` left out")
    verdict = attempt(plan, mutant)
    assert verdict.outcome == SURVIVED and not verdict.whole


def test_verdicts(here: Path) -> None:
    """Most are noticed by the scenario; what a guard remembers that never refuses is not; a wrong type is refused."""
    game = interpreter.load("race.rules")
    found = {v.mutant.name: (v.outcome, v.by) for some in trying(plan_of(game), mutants(), {}) for v in some}
    assert found["const far: `4` → `5`"] == (NOTICED, 'scenario "the turn"')
    assert found["action go: `2` → `3`"] == (NOTICED, "rules error: out of range at line 19")
    assert found["def there: `at[p] >= far` negated"][0] == NOTICED
    assert found["event Moved: `last = by` left out"] == (SURVIVED, "")
    assert sum(outcome == SURVIVED for outcome, _ in found.values()) <= 2


def test_a_law_notices_what_no_scenario_comes_to(here: Path) -> None:
    text = RACE.split("scenario")[0].replace("at[p] < far + 2", "at[p] <= far")
    Path("race.rules").write_text(text.replace("turn: last != me", "near: at[me] + n <= far"))
    game = interpreter.load("race.rules")
    mutant = next(
        m for m in chosen(game) if m.name == "require go.near: `<=` → `<`" or m.name.startswith("require go.near: `at")
    )
    verdict = attempt(plan_of(game), mutant)
    assert verdict.outcome == NOTICED and verdict.by.startswith(("invariant: who is there stops", "dead end"))


def test_what_the_checker_refuses_is_no_mutant(here: Path) -> None:
    Path("race.rules").write_text(
        RACE.replace("end win me.next", "if last is some:\n            emit Moved(last, 1)\n        end win me.next")
    )
    game = interpreter.load("race.rules")
    mutant = next(m for m in chosen(game) if m.name == "action go: `last is some` negated")
    assert attempt(plan_of(game, games=0), mutant).outcome == REFUSED


def test_the_verdicts_are_the_same_with_several_processes_and_for_a_sample(here: Path) -> None:
    game = interpreter.load("race.rules")
    plan, some = plan_of(game), chosen(game, sample=10, seed=3)
    assert len(some) == 10 and some == chosen(game, sample=10, seed=3)
    one = [v for verdicts in trying(plan, some, {}) for v in verdicts]
    assert one == [v for verdicts in trying(plan, some, {}, jobs=2) for v in verdicts]
    assert not multiprocessing.active_children()  # one that still ended when Python did was told of in a traceback


def test_variants_have_the_mutants_of_their_own_text(here: Path) -> None:
    Path("slow.rules").write_text(
        'variant slow of "race.rules"\n\nreplace def there(p: Player) -> bool:\n    return at[p] > far\n'
    )
    game = interpreter.load("slow.rules")
    assert [m.name for m in chosen(game)] == [
        "def there: `at[p] > far` negated",
        "def there: `p` → `p.next`",
        "def there: `>` → `>=`",
    ]
    changed = chosen(game)[2].apply(game.source)
    assert "at[p] >= far" in changed.text and changed.base == game.source.base
    assert parse_source(changed) != parse_source(game.source)


def test_the_command_lists_what_is_not_noticed_and_takes_reasons(here: Path, capsys: Any) -> None:
    code, out, _ = run(capsys, "mutate", "race.rules")
    assert code == 1 and max(map(len, out.splitlines())) <= 80
    assert (
        "not noticed  event Moved: `last = by` left out\n"
        "   ┌─ race.rules:12:5\n"
        "12 │     last = by\n"
        "   │     ^^^^^^^^^ left out\n"
        '   = these come here, and pass all the same: "the turn"\n'
        "   = write a scenario that expects what it does\n"
    ) in out
    names = [line.removeprefix("not noticed  ") for line in out.splitlines() if line.startswith("not n")]
    Path("race.mutants").write_text("# known\n" + "".join(f"{name}  # turns see to it\n" for name in names))
    code, out, _ = run(capsys, "mutate", "race.rules")
    assert code == 0 and "turns see to it" in out and "with a reason" in out
    Path("race.mutants").write_text(Path("race.mutants").read_text() + "const far: `4` → `5`  # old\n")
    code, out, _ = run(capsys, "mutate", "race.rules")
    assert code == 1 and "take its reason away" in out
    Path("race.mutants").write_text("const far: `4` → `5`\n")
    code, _, err = run(capsys, "mutate", "race.rules")
    assert code == 2 and "race.mutants:1: a reason is missing" in err


@pytest.mark.parametrize("path", sorted(GAMES.glob("**/*.mutants")), ids=lambda path: path.stem)
def test_the_reasons_of_a_game_are_for_mutants_that_it_has(path: Path) -> None:
    """Whether they are needed is a long count; a clause that was renamed shows here."""
    names = {mutant.name for mutant in chosen(interpreter.load(path.with_suffix(".rules")))}
    assert set(reasons_in(path)) <= names


def test_the_command_as_data(here: Path, capsys: Any) -> None:
    data = json.loads(run(capsys, "mutate", "race.rules", "--sample", "6", "--json")[1])
    assert len(data["mutants"]) == 6 and sum(data["counted"].values()) == 6


@pytest.mark.parametrize(
    ("right", "wrong", "told"),
    [
        ("expect at[red] == 2", "expect at[red] == 1", 'the scenario "the turn" fails without any change'),
        ("at[p] < far + 2", "at[p] < far - 1", "breaks a law without any change (invariant: who is there stops)"),
    ],
)
def test_rules_that_fail_by_themselves_do_not_notice_everything(
    right: str, wrong: str, told: str, here: Path, capsys: Any
) -> None:
    """Each mutant was told to be noticed, by what fails in any case: 100 %."""
    changed = RACE.replace(right, wrong).replace("    red go(2)\n    expect winners", "    expect winners")
    Path("race.rules").write_text(changed.replace("expect winners == {blue}", "expect winners == {}"))
    code, out, err = run(capsys, "mutate", "race.rules")
    assert code == 1 and not out and f"race.rules: {told}" in err.replace("a random game ", "")
