"""Loading programs: specialisation, the cache of compiled programs, the whole check of a file, determinism."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import pytest

from rulesdsl import RulesFileError, Source, check_source, load, program
from rulesdsl.lowering.core_text import program_text
from rulesdsl.runtime import Trace

ROOT = Path(__file__).parent.parent
RACE = """
game race:
    title "Race"
    players 2..3

param length: 2..40 = 5

board Space = track(length)

state:
    at[Player]: Space = 0

event Moved(by: Player, to: Space):
    "{by} moves to {to}"
    at[by] = to

action step_on(to in {x for x in Space if x > at[me] and x.index - at[me].index <= 2}):
    emit Moved(me, to)
    if to == Space.last:
        end win me

flow main:
    turns p from Player[0]:
        p chooses step_on

scenario "the last space wins":
    with length = 3
    run main()
    Player[0] step_on(2)
    expect winners == {Player[0]}
"""


@pytest.fixture
def fresh_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache folder, and nothing remembered in this process."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(program, "_MEMORY", {})
    return tmp_path / "cache"


@pytest.fixture
def race(tmp_path: Path) -> Path:
    path = tmp_path / "race.rules"
    path.write_text(RACE, encoding="utf-8")
    return path


def refuse_to_compile(*_: object) -> None:
    raise AssertionError("the program was compiled again")


def test_a_second_start_does_not_compile(fresh_cache: Path, race: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = load(race)
    monkeypatch.setattr(program, "_MEMORY", {})
    monkeypatch.setattr(program, "compile_source", refuse_to_compile)
    monkeypatch.setattr("rulesdsl.python.backend.generate", refuse_to_compile)
    second = load(race)
    assert second is not first
    assert program_text(second.program) == program_text(first.program)
    assert second.module.initial() == first.module.initial()


def test_each_specialisation_is_kept_by_itself(fresh_cache: Path, race: Path) -> None:
    assert len(load(race).program.player.members) == 2
    assert len(load(race, seats=3).program.player.members) == 3
    assert load(race, {"length": 9}).program.boards[0].size == (9,)
    assert load(race).program.boards[0].size == (5,)


def test_a_change_of_the_rules_is_compiled(fresh_cache: Path, race: Path) -> None:
    before = load(race).program
    race.write_text(RACE.replace("<= 2", "<= 3"), encoding="utf-8")
    after = load(race).program
    assert before.digest != after.digest


def test_layout_comments_and_scenarios_do_not_change_the_digest(fresh_cache: Path, race: Path) -> None:
    before = load(race).program
    without = RACE[: RACE.index("scenario")]
    race.write_text("# another comment\n" + without.replace("    title", "    # here too\n    title"), encoding="utf-8")
    assert load(race).program.digest == before.digest


def test_a_damaged_entry_is_made_anew(fresh_cache: Path, race: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    load(race)
    entries = list(fresh_cache.rglob("*.pickle"))
    assert entries
    for entry in entries:
        entry.write_bytes(b"not a pickle")
    monkeypatch.setattr(program, "_MEMORY", {})
    assert load(race).program.name == "race"


def test_without_a_writable_folder_there_is_no_cache(race: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    blocked = tmp_path / "a file"
    blocked.write_text("in the way")
    monkeypatch.setenv("XDG_CACHE_HOME", str(blocked))
    monkeypatch.setattr(program, "_MEMORY", {})
    assert load(race).program.name == "race"


def test_two_processes_may_fill_the_cache_at_once(fresh_cache: Path, race: Path) -> None:
    code = f"from rulesdsl import load; print(load({str(race)!r}).program.digest)"
    env = {**os.environ, "XDG_CACHE_HOME": str(fresh_cache), "PYTHONPATH": str(ROOT)}
    runs = [subprocess.Popen([sys.executable, "-c", code], env=env, stdout=subprocess.PIPE, text=True) for _ in range(3)]
    found = {run.communicate(timeout=60)[0] for run in runs}
    assert [run.returncode for run in runs] == [0, 0, 0]
    assert len(found) == 1
    assert not list(fresh_cache.rglob("programs/*.tmp"))


def test_generated_code_is_the_same_under_every_hash_seed(fresh_cache: Path) -> None:
    code = (
        "from rulesdsl.program import compile_source, read_source\n"
        "from rulesdsl.python.backend import generate\n"
        "from rulesdsl.lowering.core_text import program_text\n"
        f"made, _ = compile_source(read_source({str(ROOT / 'games/atlanteon.rules')!r}), {{}}, None)\n"
        "print(generate(made).source); print(program_text(made)); print(made.digest)\n"
    )
    digests = set()
    for seed in ("0", "1", "4711"):
        env = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT)}
        output = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, check=True).stdout
        digests.add(hashlib.sha256(output).hexdigest())
    assert len(digests) == 1


def test_a_wrong_program_is_not_loaded(race: Path) -> None:
    race.write_text(RACE.replace("at[me].index <= 2", "att[me].index <= 2"), encoding="utf-8")
    with pytest.raises(RulesFileError) as caught:
        load(race)
    assert [d.code for d in caught.value.diagnostics] == ["N201"]


def test_text_that_is_not_utf_8_is_refused_with_its_place(race: Path) -> None:
    race.write_bytes(RACE.encode("utf-8").replace(b'"Race"', b'"R\xe4ce"'))
    with pytest.raises(RulesFileError) as caught:
        load(race)
    assert caught.value.diagnostics[0].span.line == 3


def test_the_whole_check_tries_the_ends_of_parameters() -> None:
    text = RACE.replace("param length: 2..40", "param length: 0..40")
    found = [d for d in check_source(Source("race.rules", text)) if d.is_error]
    assert [d.code for d in found] == ["G603"]
    assert "with length = 0" in found[0].hints


def test_the_whole_check_reaches_scenarios_with_settings() -> None:
    text = RACE.replace("    Player[0] step_on(2)", "    Player[0] step_on(7)")
    assert [d.code for d in check_source(Source("race.rules", text)) if d.is_error] == ["T301"]


def test_a_parameter_changes_the_game_that_is_played(fresh_cache: Path, race: Path) -> None:
    module = load(race, {"length": 3}).module
    position = module.start(Trace())
    assert module.legal(*position) == [(1, 1), (1, 2)]
    state, frame = module.answer(*position, (1, 2), Trace())
    assert frame is None
    assert state[-1] == (1, None)
