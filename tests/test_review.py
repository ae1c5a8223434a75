"""What a change of the rules does, on one page: a claim without a game, or a change that is not seen, is a fault here."""

from __future__ import annotations

import json
import shlex
import subprocess
from pathlib import Path
from typing import Any

import pytest

import interpreter
from interpreter import read_log, replay
from playtest.review import logs_below, telling_games
from playtest.simulate import Plan, comparisons, simulate

RACE = """\
game race:
    title "Race"
    players red, blue

param goal: 4..12 = 6

state:
    at[Player]: 0..12

event Stepped(by: Player, n: 1..2):
    "{by} goes on by {n}"
    at[by] += n

action stride(n in 1..2):
    require room: at[me] + n <= goal else "the goal is nearer than that"
    emit Stepped(me, n)

flow main:
    turns p from red:
        p chooses stride
        if at[p] == goal:
            end win p

measure way(p: Player) -> int:
    at[p]

invariant "nobody is beyond the goal":
    all(at[p] <= goal for p in Player)

scenario "three long strides":
    run main()
    red stride(2)
    blue stride(1)
    red stride(2)
    blue stride(1)
    red stride(2)
    expect winners == {red}
"""


@pytest.fixture(autouse=True)
def under_git(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder with a game that is under git."""
    monkeypatch.chdir(tmp_path)
    Path("race.rules").write_text(RACE)
    git("init", "-q")
    git("add", ".")
    git("commit", "-q", "-m", "a race")


def git(*arguments: str) -> None:
    who = ["-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", *who, *arguments], check=True, capture_output=True)


def edit(old: str, new: str) -> None:
    path = Path("race.rules")
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new))


def test_a_changed_number_is_reviewed_beside_what_was_committed(run: Any) -> None:
    interpreter.load("race.rules").new(seed=1).save("kept.jsonl")
    edit("= 6", "= 8")
    done = run("review", "race.rules", "--games", "60")
    assert done.code == 1 and done.err == ""
    assert "race.rules  beside HEAD" in done.out
    assert "~ param goal  6  →  8" in done.out
    assert "failed  three long strides" in done.out and "1 of 1 scenario failed" in done.out
    assert "no law was broken, and nobody was stuck" in done.out
    assert "answers a game" in done.out
    assert "1 logged game goes on as it was played" in done.out
    assert all(len(line) <= 80 for line in done.out.splitlines() if "rulesdsl " not in line)


def test_each_figure_that_differs_has_a_game_of_the_same_seed_that_shows_it(run: Any) -> None:
    edit("= 6", "= 8")
    edit('scenario "three', 'scenario "not any more, three')
    found = json.loads(run("review", "race.rules", "--games", "60", "--json").out)
    differing = {figure["name"] for figure in found["figures"] if figure["differs"]}
    assert {"answers a game", "way of red"} <= differing
    shown = {name for game in found["games"] for name in game["shows"]}
    assert shown == differing
    for game in found["games"]:
        before, after = (read_log(path) for path in game["logs"])
        assert replay(before).match.rules.plain_parameters["goal"] == 6
        assert replay(after, interpreter.load("race.rules")).difference is None


def test_a_written_game_is_the_one_that_was_counted(run: Any) -> None:
    one, other = (interpreter.load("race.rules", goal=goal).rules() for goal in (6, 8))
    sims = [simulate(Plan.of(rules, 30)) for rules in (one, other)]
    chosen = telling_games(*sims, comparisons(*sims))
    found = json.loads(run("review", "race.rules", "-p", "goal=6", "--games", "30", "--json").out)
    assert found["changes"] == [] and found["games"] == []
    Path("other.rules").write_text(RACE.replace("= 6", "= 8"))
    found = json.loads(run("review", "race.rules", "other.rules", "--games", "30", "--json").out)
    assert [game["game"] for game in found["games"]] == list(chosen)
    for game in found["games"]:
        for path, sim in zip(game["logs"], sims, strict=True):
            match = replay(read_log(path)).match
            assert match.number == sim.games[game["game"]].answers
            assert match.outcome is not None
            credits = sim.games[game["game"]].credits
            assert credits is not None
            assert {seat for seat, c in zip(sim.seats, credits, strict=True) if c} == set(match.outcome.winners)


def test_a_broken_law_is_shrunk_and_saved_and_ends_the_review(run: Any) -> None:
    edit("at[me] + n <= goal", "at[me] + n <= goal + 1")
    done = run("review", "race.rules")
    assert done.code == 1
    assert 'broken: invariant "nobody is beyond the goal"' in done.out
    assert "Figures" not in done.out
    (log,) = Path("review").glob("*.jsonl")
    assert f"rulesdsl replay {log} --with-own-rules" in done.out


def test_a_dead_end_is_told(run: Any) -> None:
    edit("n <= goal else", "n < goal else")
    done = run("review", "race.rules")
    assert done.code == 1 and "dead end" in done.out


def test_remarks_and_scenarios_alone_change_nothing_that_is_played(run: Any) -> None:
    edit("param goal", "## How far it is.\nparam goal")
    done = run("review", "race.rules")
    assert done.code == 0
    assert "what is played has not changed" in done.out and "Laws" not in done.out


def test_a_log_that_parts_from_changed_rules_is_named_with_its_record(run: Any) -> None:
    match = interpreter.load("race.rules").new(seed=1)
    match.play("stride(2)")
    match.play("stride(1)")
    match.save("games.jsonl")
    edit("at[by] += n", "at[by] += 1")
    Path("fuzz").mkdir()
    match.save("fuzz/found.jsonl")
    done = run("review", "race.rules", "--games", "10")
    assert "parts  games.jsonl" in done.out and "at record 1 of 3: the state is another" in done.out
    assert "none of 1 logged game" in done.out
    assert "found.jsonl" not in done.out, "what fuzzing found is no game that was kept"
    found = json.loads(run("review", "race.rules", "--games", "10", "--json").out)
    assert [(log["log"], log["holds"], log["record"]) for log in found["logs"]] == [
        (str(Path("games.jsonl").resolve()), False, 1)
    ]


def test_a_variant_is_reviewed_beside_its_game(run: Any) -> None:
    Path("sprint.rules").write_text('variant sprint of "race.rules"\n\nset goal = 4\n')
    for arguments in (["race.rules", "--with", "sprint.rules"], ["race.rules", "sprint.rules"]):
        done = run("review", *arguments, "--games", "20")
        assert done.code == 1
        assert "because param goal is set" in done.out, "the change that breaks the scenario is named"
    assert list(logs_below(Path(), interpreter.load("sprint.rules"))) == []


MANY = """\
game many:
    players 2..4

param goal: 2..9 = 6

state:
    at[Player]: 0..12

event Walked(by: Player, n: 1..2):
    "{by} goes on by {n}"
    at[by] += n

action walk:
    draw n from 1..2
    emit Walked(me, n)
    step home:
        if at[me] >= goal:
            end win me

flow main:
    draw start from 1..2
    emit Walked(player0, start)
    turns p from player0:
        p chooses walk
"""


def test_figures_are_those_of_every_number_of_players(run: Any) -> None:
    Path("many.rules").write_text(MANY)
    Path("longer.rules").write_text(MANY.replace("= 6", "= 7"))
    asked = ["review", "many.rules", "longer.rules", "--games", "30"]
    found = json.loads(run(*asked, "--json").out)
    assert [figure["players"] for figure in found["figures"] if figure["name"] == "answers a game"] == [2, 3, 4]
    logs = [log for game in found["games"] for log in game["logs"]]
    assert len(set(logs)) == len(logs) and {game["players"] for game in found["games"]} == {2, 3, 4}
    for game in found["games"]:
        assert all(len(read_log(path).header.seats) == game["players"] for path in game["logs"])
    done = run(*asked)
    assert all(f"10 games each with {n} players" in done.out for n in (2, 3, 4))
    assert "more   rulesdsl review many.rules longer.rules --games 300" in done.out
    alone = run(*asked, "--players", "3").out
    assert "30 games each with 3 players" in alone and "with 2 players" not in alone
    assert "more   rulesdsl review many.rules longer.rules --players 3 --games 300" in alone


def test_where_one_plays_with_more_the_common_numbers_are_compared(run: Any) -> None:
    Path("many.rules").write_text(MANY)
    Path("wider.rules").write_text(MANY.replace("2..4", "3..6"))
    found = json.loads(run("review", "many.rules", "wider.rules", "--games", "10", "--json").out)
    assert sorted({figure["players"] for figure in found["figures"]}) == [3, 4]
    Path("crowd.rules").write_text(MANY.replace("2..4", "6"))
    found = json.loads(run("review", "many.rules", "crowd.rules", "--games", "10", "--json").out)
    assert sorted({figure["players"] for figure in found["figures"]}) == [6], "the fewest of each"


def test_logs_that_all_part_at_the_set_up_are_told_once(run: Any) -> None:
    Path("many.rules").write_text(MANY)
    for seed in range(5):
        interpreter.load("many.rules").new(seed=seed).save(f"game-{seed}.jsonl")
    Path("other.rules").write_text(
        MANY.replace("draw start from 1..2", "draw other from 1..2").replace("player0, start", "player0, other")
    )
    done = run("review", "many.rules", "other.rules", "--games", "10")
    assert "  each of them parts at record 0, before anybody is asked: the draw is another\n" in done.out
    assert "parts  game-" not in done.out and "none of 5 logged games" in done.out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["race.rules", "--against", "v9"], "git knows no `v9`"),
        (["other.rules"], "other.rules is not in HEAD"),
        (["race.rules", "other.rules", "--against", "HEAD"], "--against is for FILE alone"),
        (["race.rules", "other.rules", "-p", "gaol=3"], "neither race.rules nor other.rules has a parameter gaol"),
    ],
)
def test_what_cannot_be_compared_is_told_with_a_remedy(run: Any, arguments: list[str], said: str) -> None:
    Path("other.rules").write_text(RACE)
    done = run("review", *arguments)
    assert done.code == 2 and said in done.err


def test_a_base_that_changed_is_taken_as_it_was_committed(run: Any) -> None:
    """The base of a variant comes from the same revision as the variant: else nothing would differ."""
    Path("sprint.rules").write_text(
        'variant sprint of "race.rules"\n\nreplace event Stepped(by: Player, n: 1..2):\n    at[by] += n\n'
    )
    git("add", ".")
    git("commit", "-q", "-m", "a sprint")
    edit("= 6", "= 5")
    found = json.loads(run("review", "sprint.rules", "--games", "10", "--json").out)
    assert [(change["clause"], change["sign"]) for change in found["changes"]] == [("param goal", "~")]


def test_commands_that_are_printed_can_be_typed_where_names_have_spaces(run: Any) -> None:
    Path("an old race.rules").write_text(RACE)
    Path("a new race.rules").write_text(RACE.replace("= 6", "= 8"))
    told = run("review", "an old race.rules", "a new race.rules", "--games", "30", "--out", "what came").out
    commands = [line.split(maxsplit=1)[1] for line in told.splitlines() if line.split()[:2][-1:] == ["rulesdsl"]]
    assert [shlex.split(command)[1] for command in commands] == ["fuzz", "show", "review"]
    for command in commands[:2]:
        assert run(*shlex.split(command.replace("--games 300", "--games 3"))[1:]).code == 0, command
    assert shlex.split(commands[2])[2:4] == ["an old race.rules", "a new race.rules"]


def test_outside_of_git_two_files_are_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Any) -> None:
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    folder = tmp_path.parent / f"{tmp_path.name}-outside"
    folder.mkdir()
    (folder / "race.rules").write_text(RACE)
    done = run("review", str(folder / "race.rules"))
    assert done.code == 2 and "not a git repository" in done.err and "OLD.rules NEW.rules" in done.err


def test_logs_of_the_game_are_told_when_a_variant_is_reviewed_and_damaged_ones_too(run: Any) -> None:
    match = interpreter.load("race.rules").new(seed=1)
    match.play("stride(2)")
    match.save("kept.jsonl")
    Path("hurt.jsonl").write_bytes(Path("kept.jsonl").read_bytes().replace(b'"n":2', b'"n":1'))
    Path("sprint.rules").write_text(
        'variant sprint of "race.rules"\n\nset goal = 4\n\nremove scenario "three long strides" because "short"\n'
    )
    done = run("review", "race.rules", "sprint.rules", "--games", "10")
    assert "1 of 2 logged games goes on as it was played" in done.out
    assert "parts  hurt.jsonl" in done.out and "it is damaged: " in done.out
    assert "look   rulesdsl replay" not in done.out, "replay could not say more"
