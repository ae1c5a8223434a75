"""Coverage of rules: what is missing is told by name, and nothing else is."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve
from test_explore import run

import interpreter
from interpreter.game import Game
from playtest.coverage import Coverage, cover
from rulesdsl.program import read_source
from rulesdsl.rulebooks import absent

GAMES = Path(__file__).resolve().parent.parent / "games"
COVERED = [*sorted((GAMES / "classic").glob("*.rules")), GAMES / "atlanteon.rules", GAMES / "variants" / "atlanteon_7x7.rules"]

RULEBOOK = """\
# Steps

## 1 The way

### 1.1 Going

One or two steps.

### 1.2 Resting

Whoever is tired rests.

## 2 Advice (not modelled)

### 2.1 Hurry
"""

STEPS = """\
## [§1]
game steps:
    players 1..2
    rulebook "steps.rulebook.md"

state:
    at[Player]: 0..9
    tired: bool

event Moved(by: Player, n: 1..2):
    at[by] += n

event Rested(by: Player):
    tired = false

## [§1.1]
action go(n in 1..2):
    require awake: not tired else "too tired"
    require room: at[me] + n <= 9 else "too far"
    emit Moved(me, n)
    if at[me] > 8:
        if n == 2:
            end win me
        end tie

## [§1.2]
action rest:
    emit Rested(me)

def lonely() -> bool:
    return len(Player) == 1

flow break_of(p: Player):
    p chooses rest

flow main:
    turns p from player0:
        p chooses go

invariant "on the way":
    all(at[p] <= 9 for p in Player)

scenario "going":
    player0 go(2)
    expect at[player0] == 2
"""


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("steps.rules").write_text(STEPS)
    Path("steps.rulebook.md").write_text(RULEBOOK)
    return tmp_path


def covered(games: int = 30) -> Coverage:
    return cover(interpreter.load("steps.rules"), games)


def told(games: int = 30) -> list[tuple[str, str]]:
    return [(item.kind, item.what) for item in covered(games).missing()]


def test_what_is_missing_is_told_by_name_and_once(here: Path) -> None:
    assert told() == [
        ("not reached", "event Rested never happens"),
        ("not reached", "action rest is never performed"),
        ("not reached", "def lonely is never called"),
        ("not reached", "flow break_of is never run"),
        ("one way only", "require go.awake never refuses"),
    ]


def test_without_games_the_scenarios_alone_are_measured(here: Path) -> None:
    missing = told(0)
    assert ("not reached", "flow main is never run") in missing
    assert ("not reached", 'invariant "on the way" is never looked at') in missing
    assert ("one way only", "require go.room never refuses") in missing
    assert ("one way only", "action go: `at[me] > 8` is never true") in missing
    assert ("not reached", "action go: `n == 2` is never decided") in missing


def test_a_refusal_that_a_scenario_expects_counts(here: Path) -> None:
    tired = '\nscenario "tired":\n    given:\n        tired = true\n    expect illegal player0 go(1) by awake\n'
    Path("steps.rules").write_text(STEPS + tired)
    assert ("one way only", "require go.awake never refuses") not in told()


def test_scenarios_with_settings_of_their_own_count(here: Path) -> None:
    alone = '\nscenario "two":\n    with players = 2\n    expect not lonely()\n    run break_of(player1)\n    player1 rest\n'
    Path("steps.rules").write_text(STEPS + alone)
    assert told() == [("one way only", "require go.awake never refuses")]


def test_sections_are_cited_or_marked_or_told(here: Path) -> None:
    Path("steps.rules").write_text(STEPS.replace("## [§1.2]\naction rest", "## [§1.3]\naction rest"))
    assert [item for item in told() if item[0] in ("uncited", "unknown section")] == [
        ("uncited", '§1.2 "Resting"'),
        ("unknown section", "action rest cites §1.3, which no rulebook has"),
    ]


def test_a_section_knows_who_exercises_it(here: Path) -> None:
    found = covered()
    scenarios, games = found.exercised("1.1")
    assert scenarios == ["going"] and games > 10
    assert found.exercised("1.2") == ([], 0)
    assert [section.modelled for section in found.sections.values()] == [True, True, True, False, False]


def test_the_same_seed_counts_the_same(here: Path) -> None:
    one, other = covered(10), covered(10)
    assert {p: c.fuzz for p, c in one.counts.items()} == {p: c.fuzz for p, c in other.counts.items()}


def test_a_scenario_that_fails_and_a_broken_law_are_told(here: Path, capsys: Any) -> None:
    Path("steps.rules").write_text(
        STEPS.replace("at[player0] == 2", "at[player0] == 3").replace("at[p] <= 9 for", "at[p] <= 5 for")
    )
    code, out, _ = run(capsys, "coverage", "steps.rules", "--games", "5")
    assert code == 1 and 'scenario "going"; see rulesdsl test' in out
    assert "a random game breaks invariant: on the way" in out


def test_the_command_and_its_page(here: Path, capsys: Any) -> None:
    code, out, _ = run(capsys, "coverage", "steps.rules", "--games", "20", "--html", "page.html")
    assert code == 1 and "one way only    require go.awake never refuses" in out and "steps.rules:18" in out
    assert max(map(len, out.splitlines())) <= 80
    page = Path("page.html").read_text()
    assert '<mark title="never reached">lonely</mark>' in page
    assert 'id="S1.1"' in page and '<a href="#S1.1">§1.1</a>' in page and "not modelled" in page
    data = json.loads(run(capsys, "coverage", "steps.rules", "--games", "20", "--json")[1])
    assert {"kind": "not reached", "what": "def lonely is never called", "place": "steps.rules:30"} in data["missing"]
    assert {s["number"]: s["cited_by"] for s in data["sections"]}["1.1"] == ["action go"]


@pytest.mark.parametrize("path", COVERED, ids=[path.stem for path in COVERED])
def test_what_was_clean_stays_clean(path: Path) -> None:
    """A few games are enough, where the scenarios show what is rare. The larger games have their long count."""
    found = cover(interpreter.load(path), games=4)
    assert not found.missing() and not found.failed and found.failure is None
    assert any(count.fuzz for count in found.counts.values())


def test_the_page_of_a_game_without_a_rulebook_has_the_rules_alone(here: Path, capsys: Any) -> None:
    run(capsys, "coverage", str(GAMES / "classic" / "hex.rules"), "--games", "1", "--html", "hex.html")
    run(capsys, "coverage", "steps.rules", "--games", "1", "--html", "steps.html")
    assert Path("hex.html").read_text().count('<h2 class="file">') == 1
    page = Path("steps.html").read_text()
    assert page.count('<h2 class="file">') == 2 and "<h3>1.1 Going" in page


def test_a_covered_file_says_so(here: Path, capsys: Any) -> None:
    code, out, _ = run(capsys, "coverage", str(GAMES / "classic" / "tic_tac_toe.rules"), "--games", "60")
    assert code == 0 and out.startswith("Every clause was reached")
    assert max(map(len, out.splitlines())) <= 80


def test_variants_are_covered_with_their_base_and_both_rulebooks(here: Path) -> None:
    Path("tired.rules").write_text(
        'variant tired of "steps.rules":\n    rulebook "tired.rulebook.md"\n\n'
        '## [§3]\nadd require go.fresh: n == 1 or not tired else "no"\n'
    )
    Path("tired.rulebook.md").write_text("# Tired\n\n## 3 Freshness\n\n## 4 Sleep\n")
    found = cover(interpreter.load("tired.rules"), 10)
    kinds = {(item.kind, item.what) for item in found.missing()}
    assert ("one way only", "require go.fresh never refuses") in kinds and ("uncited", '§4 "Sleep"') in kinds
    assert [book.name for book in found.books] == ["steps.rulebook.md", "tired.rulebook.md"]


def test_what_a_variant_takes_away_cites_the_section_that_says_so(here: Path) -> None:
    Path("quick.rules").write_text(
        'variant quick of "steps.rules":\n    rulebook "quick.rulebook.md"\n\n'
        '## [§3]\nremove flow break_of because "nobody rests"\n\n## [§4]\nremove scenarios naming go because "more"\n'
    )
    Path("quick.rulebook.md").write_text("# Quick\n\n## 3 No breaks\n\n## 5 Sleep\n")
    found = cover(interpreter.load("quick.rules"), 0)
    kinds = [(item.kind, item.what) for item in found.missing() if item.kind in ("uncited", "unknown section")]
    assert kinds == [
        ("uncited", '§5 "Sleep"'),
        ("unknown section", "remove scenarios naming go cites §4, which no rulebook has"),
    ]
    assert [cite.name for cite in found.citing("3")] == ["remove flow break_of"]


def test_a_rulebook_is_found_beside_its_rules_whatever_name_messages_give_them(here: Path) -> None:
    """As the command reads files that come with the package: their names are those from the package's folder."""
    found = cover(Game(evolve(read_source(here / "steps.rules"), name="steps.rules")), 0)
    other = here / "elsewhere"
    other.mkdir()
    os.chdir(other)
    away = cover(Game(evolve(read_source(here / "steps.rules"), name="steps.rules")), 0)
    assert away.sections == found.sections != {} and away.missing() == found.missing()
    assert absent(evolve(read_source(here / "steps.rules"), name="steps.rules")) == ()


def test_a_rulebook_that_is_not_there_is_missing(here: Path) -> None:
    Path("steps.rulebook.md").unlink()
    missing = [item for item in covered(0).missing() if item.kind == "no rulebook"]
    assert [(item.what, item.place) for item in missing] == [("there is no file steps.rulebook.md", "steps.rules:4")]


def test_shutil_is_not_needed_for_games_without_rulebook(here: Path) -> None:
    shutil.copy(GAMES / "classic" / "tic_tac_toe.rules", "ttt.rules")
    assert not cover(interpreter.load("ttt.rules"), 60).missing()


def test_what_cannot_happen_is_remarked_and_stale_remarks_are_told(here: Path) -> None:
    text = STEPS.replace('else "too tired"', 'else "too tired" # never false: nobody tires')
    text = text.replace("def lonely() -> bool:", "def lonely() -> bool: # never reached: for later")
    Path("steps.rules").write_text(text.replace("if n == 2:", "if n == 2: # never true: only one step is left"))
    assert told() == [
        ("not reached", "event Rested never happens"),
        ("not reached", "action rest is never performed"),
        ("not reached", "flow break_of is never run"),
        ("stale remark", "action go: `n == 2` is true all the same"),
    ]
