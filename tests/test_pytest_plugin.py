"""The pytest plugin, in projects that have no Python code of their own."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from test_explore import WALK

import interpreter
import playtest.changes  # noqa: F401
from interpreter.replay import fold, replay
from playtest.fuzz import fuzz
from playtest.report import report, save
from playtest.scenarios import run_all
from playtest.shrink import shrink
from rulesdsl import cache
from rulesdsl.diagnostics import RulesFileError
from rulesdsl.program import check_source

pytest_plugins = ["pytester"]

GAME = (
    WALK
    + """
## [§1]
scenario "two steps of two":
    run main()
    player0 go(2)
    player0 go(2)
    expect at == 4 and winners == {}

scenario "a short way":
    with goal = 2
    run main()
    player0 go(2)
    expect winners == {player0}
"""
)


CACHE = str(cache.folder().parent.parent)


@pytest.fixture(scope="module", autouse=True)
def everything_is_imported() -> None:
    """What is imported inside a project is forgotten after it; so all of it is imported before."""
    game = interpreter.Game.from_text({"walk.rules": GAME + '\ninvariant "never on three":\n    at != 3\n'})
    assert all(result.passed for result in run_all(game)) and not check_source(game.source)
    found = fuzz(game.rules(), games=50).failure
    assert found is not None and report(game.rules(), shrink(game.rules(), found).failure).lines()
    log = game.new(seed=1).log
    assert replay(log, game, checks=True).difference is None and fold(log, game)
    with pytest.raises(RulesFileError):
        interpreter.Game.from_text({"walk.rules": GAME.replace("flow main:", "flow main")})


@pytest.fixture
def project(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    """A project with one game and nothing else."""
    monkeypatch.setenv("XDG_CACHE_HOME", CACHE)
    monkeypatch.setenv("PYTEST_ADDOPTS", "-p no:hypothesispytest")  # not needed here, and slow to begin
    (pytester.path / "walk.rules").write_text(GAME)
    return pytester


def lines(result: pytest.RunResult) -> str:
    return result.stdout.str()


def test_a_project_needs_no_python(project: pytest.Pytester) -> None:
    result = project.runpytest("-v")
    result.assert_outcomes(passed=4)
    for name in ("check", "two steps of two", "a short way", "fuzz"):
        assert f"walk.rules::{name} PASSED" in lines(result)


def test_one_scenario_is_run_by_its_title(project: pytest.Pytester) -> None:
    project.runpytest("walk.rules::a short way").assert_outcomes(passed=1)
    project.runpytest("-k", "two and steps").assert_outcomes(passed=1, deselected=3)


def test_markers_choose_what_is_run(project: pytest.Pytester) -> None:
    project.runpytest("--strict-markers", "-m", "rules_scenario").assert_outcomes(passed=2, deselected=2)
    project.runpytest("--strict-markers", "-m", "rules and not rules_fuzz").assert_outcomes(passed=3, deselected=1)


def test_a_scenario_fails_in_the_language(project: pytest.Pytester) -> None:
    (project.path / "walk.rules").write_text(GAME.replace("expect at == 4", "expect at == 5"))
    result = project.runpytest()
    result.assert_outcomes(passed=3, failed=1)
    said = lines(result)
    assert "walk.rules:30: this does not hold" in said
    assert "at is 4" in said
    assert "asked: player0 chooses go" in said
    assert "Traceback" not in said and ".py:" not in said


def test_a_broken_law_is_told_with_a_small_game_and_a_log(project: pytest.Pytester) -> None:
    (project.path / "walk.rules").write_text(GAME + '\ninvariant "never on three":\n    at != 3\n')
    result = project.runpytest("-k", "fuzz")
    result.assert_outcomes(failed=1, deselected=3)
    said = lines(result)
    assert 'broken: invariant "never on three"' in said
    assert "at was 1, is 3" in said or "at was 2, is 3" in said
    assert 'scenario "found: ' in said
    assert len(list((project.path / "fuzz").glob("*.jsonl"))) == 1


def test_the_number_of_games_is_chosen(project: pytest.Pytester) -> None:
    """The law is broken in one of many games only: one game does not find it, many do, none are no item."""
    rare = GAME.replace(
        "    turns p", "    draw n from 1..20\n    emit Moved(player0, 1 if n == 7 else 2)\n    turns p"
    )
    (project.path / "walk.rules").write_text(rare + '\ninvariant "rare":\n    at != 1\n')
    project.runpytest("-m", "rules_fuzz", "--rules-games", "1").assert_outcomes(passed=1, deselected=3)
    project.runpytest("-m", "rules_fuzz", "--rules-games", "300").assert_outcomes(failed=1, deselected=3)
    (project.path / "walk.rules").write_text(GAME)
    project.runpytest("--rules-games", "0").assert_outcomes(passed=3)
    project.makeini("[pytest]\nrules_games = 0\n")
    project.runpytest().assert_outcomes(passed=3)


@pytest.mark.parametrize("more", [(), ("-n", "1")], ids=["one process", "xdist"])
@pytest.mark.parametrize("ci", ["", "true"], ids=["by hand", "CI"])
def test_mistakes_of_a_file_are_shown_as_the_check_shows_them(
    project: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, ci: str, more: tuple[str, ...]
) -> None:
    """Where the environment says CI, pytest's summary gives the whole message of a failure: it must be one line."""
    monkeypatch.setenv("CI", ci)
    monkeypatch.delenv("BUILD_NUMBER", raising=False)
    (project.path / "walk.rules").write_text(GAME.replace("at >= goal", "at >= gaol"))
    result = project.runpytest(*more)
    result.assert_outcomes(failed=4)
    assert "error[N201]: nothing is called `gaol`" in lines(result) and "Traceback" not in lines(result)
    assert lines(result).count("did you mean `goal`?") == 1, "the mistakes are shown once"
    short = project.runpytest("--tb=line", *more)
    assert re.search(r"walk\.rules:1: error\[N201\]: nothing is called `gaol`$", lines(short), re.MULTILINE)


def test_warnings_of_a_file_are_warnings(project: pytest.Pytester) -> None:
    (project.path / "walk.rules").write_text(GAME + "\ndef unused() -> int:\n    return 1\n")
    result = project.runpytest("-k", "check")
    result.assert_outcomes(passed=1, deselected=3, warnings=1)
    assert "walk.rules:1: PytestWarning" in lines(result) and "warning[" in lines(result)


def test_a_file_that_does_not_parse_is_an_error_of_its_own(project: pytest.Pytester) -> None:
    (project.path / "walk.rules").write_text(GAME.replace("flow main:", "flow main"))
    (project.path / "other.rules").write_text(GAME)
    result = project.runpytest("--continue-on-collection-errors")
    result.assert_outcomes(passed=4, errors=1)
    assert "error[S102]" in lines(result)


def test_each_number_of_players_is_fuzzed(project: pytest.Pytester) -> None:
    (project.path / "walk.rules").write_text(GAME.replace("players 1", "players 1..3"))
    result = project.runpytest("-v", "-m", "rules_fuzz")
    result.assert_outcomes(passed=3, deselected=3)
    assert "walk.rules::fuzz with 3 players PASSED" in lines(result)


def test_a_variant_runs_the_scenarios_of_its_base_and_says_what_changes_them(project: pytest.Pytester) -> None:
    (project.path / "slow.rules").write_text(
        'variant slow of "walk.rules"\n\nreplace event Moved(by: Player, n: 1..2):\n    "{by} creeps"\n    at += 1\n'
    )
    result = project.runpytest("slow.rules")
    result.assert_outcomes(passed=2, failed=2)
    assert "because event Moved is replaced (slow.rules:3)" in lines(result)


def test_logs_are_verified_under_the_present_rules(project: pytest.Pytester) -> None:
    match = interpreter.load(project.path / "walk.rules").new(seed=1)
    for _ in range(3):
        match.play("go(2)")
    (project.path / "logs").mkdir()
    match.save(project.path / "logs" / "three.jsonl")
    (project.path / "logs" / "other.jsonl").write_text('{"a": 1}\n')
    result = project.runpytest("-v", "logs")
    result.assert_outcomes(passed=1)
    assert "three.jsonl::replay PASSED" in lines(result)
    (project.path / "walk.rules").write_text(GAME.replace("at += n", "at += 1"))
    result = project.runpytest("logs")
    result.assert_outcomes(failed=1)
    assert "refused: " in lines(result)


def test_a_damaged_log_is_refused_by_the_record(project: pytest.Pytester) -> None:
    match = interpreter.load(project.path / "walk.rules").new(seed=1)
    match.play("go(2)")
    text = match.log.text().replace('"n":2', '"n":1')
    (project.path / "game.jsonl").write_text(text)
    result = project.runpytest("game.jsonl")
    result.assert_outcomes(failed=1)
    assert "refused: " in lines(result)


def test_what_fuzzing_and_exploring_have_found_is_no_test(project: pytest.Pytester) -> None:
    """Else a project fails by what its own tools leave in it, and by every log of a corpus after a change of the rules."""
    rules = interpreter.Game.from_text({"walk.rules": GAME + '\ninvariant "never on three":\n    at != 3\n'}).rules()
    found = fuzz(rules, games=50, corpus=project.path / "corpus").failure
    assert found is not None
    for folder in ("fuzz", "explore", "elsewhere/fuzz"):
        assert save(rules, found, project.path / folder, "walk").scenario.is_file()
    assert list((project.path / "corpus").glob("*.jsonl"))
    project.runpytest().assert_outcomes(passed=4)


def test_a_game_that_nobody_can_end_fails(project: pytest.Pytester) -> None:
    """As `rulesdsl fuzz` does."""
    endless = GAME.partition("scenario")[0].replace("at >= goal", "at > 98").replace("at += n", "at = n")
    (project.path / "walk.rules").write_text(endless)
    result = project.runpytest("--rules-games", "2")
    result.assert_outcomes(passed=1, failed=1)
    assert "no game of 2 came to its end (2 given up after 5,000 answers)" in lines(result)


def test_which_files_are_collected_is_chosen(project: pytest.Pytester) -> None:
    (project.path / "udev").mkdir()
    (project.path / "udev" / "disks.rules").write_text("ACTION==add\n")
    project.makeini("[pytest]\nrules_files = walk.rules\n")
    project.runpytest().assert_outcomes(passed=4)


def test_processes_share_the_items(project: pytest.Pytester) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-n", "2", "-p", "no:cacheprovider"],
        cwd=project.path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0 and "4 passed" in done.stdout


def test_without_options_nothing_of_this_project_is_collected_twice(request: pytest.FixtureRequest) -> None:
    """The programs in `tests/language` and `tests/mistakes` are no games to be tested."""
    collected = {item.nodeid for item in request.session.items}
    assert not [name for name in collected if ".rules::" in name]
    assert Path(request.config.rootpath, "tests/language/actions.rules").is_file()
