"""Simulations: the same whatever the number of processes, with intervals that are right, and verdicts that are not too sure."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest
from test_explore import run

import interpreter
from interpreter.rules import Rules
from playtest.figures import compare, mean, share
from playtest.simulate import Plan, Simulation, comparisons, simulate, way_of

GAMES = Path(__file__).resolve().parent.parent / "games"

RACE = """\
game race:
    players 2

enum How:
    fast, slow

param goal: 3..9 = 6

state:
    at[Player]: 0..20

event Moved(by: Player, n: 1..2):
    at[by] += n

event Arrived(by: Player, how: How):
    "{by} arrives, {how}"
    at[by] = 20

action go(n in 1..2):
    emit Moved(me, n)
    if at[me] >= goal:
        emit Arrived(me, fast if n == 2 else slow)
        end win me scores {p: at[p] for p in Player}

flow main:
    turns p from player0:
        p chooses go

measure way(p: Player) -> int:
    at[p]
"""


def race(**params: Any) -> Rules:
    game = interpreter.Game.from_text({"race.rules": RACE})
    return game.with_params(**params).rules() if params else game.rules()


def test_the_result_is_the_same_whatever_the_number_of_processes() -> None:
    plan = Plan.of(race(), 35, ["random", "greedy"], seed=4)
    one = simulate(plan)
    assert one == simulate(plan, jobs=2)
    assert len(one.games) == 35 and one != simulate(Plan.of(race(), 35, ["random", "greedy"], seed=5))


def test_figures_are_counted_by_hand() -> None:
    """`first` always goes one step: six steps each, player0 arrives first, slowly."""
    found = simulate(Plan.of(race(), 4, ["first"]))
    figures = {figure.name: figure.value for figure in found.figures()}
    assert figures["won by player0"] == 1 and figures["ties"] == 0
    assert figures["answers a game"] == 11 and figures["options at a question"] == 2
    assert figures["questions without a choice"] == 0 and figures["ended by Arrived(slow)"] == 1
    assert figures["way of player0"] == 20 and figures["way of player1"] == 5
    assert figures["score of player0"] == 20
    assert figures["lead changes"] == 0


def test_bots_sit_everywhere() -> None:
    found = simulate(Plan.of(race(), 4, ["first", "greedy"]))
    assert [game.bots for game in found.games] == [("first", "greedy"), ("greedy", "first")] * 2


def test_shares_have_intervals_that_hold() -> None:
    """Of many samples about one in twenty lies outside; Wilson's interval is known for 8 of 10."""
    known = share("x", [1.0] * 8 + [0.0] * 2)
    assert (round(known.low, 3), round(known.high, 3)) == (0.490, 0.943)
    rng, inside = random.Random(1), 0
    for _ in range(400):
        figure = share("x", [float(rng.random() < 0.3) for _ in range(60)])
        inside += figure.low <= 0.3 <= figure.high
    assert 0.92 <= inside / 400 <= 0.98
    assert share("x", [1.0] * 5).high == 1.0 and share("x", [0.0] * 5).low == 0.0


def test_a_verdict_says_what_differs_and_what_does_not() -> None:
    one, other = (
        [random.Random(n).gauss(10, 2) for n in range(200)],
        [random.Random(n).gauss(11, 2) for n in range(200)],
    )
    assert compare(mean("x", one), mean("x", other), one, other).differs
    assert not compare(mean("x", one), mean("x", one), one, one).differs
    assert compare(mean("x", one), mean("x", other[:90]), one, other[:90]).differs


def test_a_game_does_not_differ_from_itself() -> None:
    found = simulate(Plan.of(race(), 40))
    assert not [item.name for item in comparisons(found, found) if item.differs]


def test_a_longer_way_is_told_to_be_longer() -> None:
    found = {c.name: c for c in comparisons(simulate(Plan.of(race(), 40)), simulate(Plan.of(race(goal=9), 40)))}
    assert found["answers a game"].differs and found["answers a game"].change.value > 0
    assert not found["options at a question"].differs


def test_how_a_game_ended_is_its_last_event() -> None:
    rules = race()
    assert way_of(rules, [(1, 0, 2), (2, 0, 1), (0, 1, None)]) == "Arrived(slow)"
    assert way_of(rules, [(1, 0, 2), (0, 1, None)]) == "Moved"


# ---------------------------------------------------------------- the commands


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("race.rules").write_text(RACE)
    Path("long.rules").write_text('variant long of "race.rules"\n\nset goal = 9\n')
    return tmp_path


def test_a_simulation_is_told_as_a_table_and_as_data(here: Path, capsys: Any) -> None:
    code, out, _ = run(capsys, "simulate", "race.rules", "--games", "20", "--bots", "first,greedy")
    assert code == 0 and "race.rules: 20 games, bots first, greedy, seed 0" in out
    assert "won by the bot greedy" in out and max(map(len, out.splitlines())) <= 80
    code, out, _ = run(capsys, "simulate", "race.rules", "--games", "20", "--bots", "first,greedy", "--json")
    data = json.loads(out)
    assert data["games"] == 20 and data["figures"][0]["name"] == "won by player0"
    assert sum(data["lengths"].values()) == 20


def test_a_parameter_is_swept(here: Path, capsys: Any) -> None:
    code, out, _ = run(capsys, "simulate", "race.rules", "--games", "10", "-p", "goal=4..6")
    assert code == 0 and [line.split()[0] for line in out.splitlines()[1:5]] == ["goal", "4", "5", "6"]
    code, out, _ = run(capsys, "simulate", "race.rules", "--games", "10", "-p", "goal=4,9", "--json")
    assert [item["params"] for item in json.loads(out)] == [{"goal": 4}, {"goal": 9}]


def test_a_variant_is_compared_with_its_base(here: Path, capsys: Any) -> None:
    code, out, _ = run(capsys, "compare", "race.rules", "long.rules", "--games", "40")
    assert code == 0 and "race.rules and long.rules: 40 games each" in out
    line = next(line for line in out.splitlines() if "answers a game" in line)
    assert line.startswith("≠ ")
    assert next(line for line in out.splitlines() if "options at" in line).startswith("  ")
    data = json.loads(run(capsys, "compare", "race.rules", "long.rules", "--games", "40", "--json")[1])
    assert {item["name"]: item["differs"] for item in data["figures"]}["answers a game"]


def test_a_wide_table_goes_on_below(here: Path, capsys: Any) -> None:
    """With three players and three bots it had 115 columns."""
    Path("race.rules").write_text(RACE.replace("players 2", "players 2..3"))
    bots = "first,greedy,random"
    arguments = ("simulate", "race.rules", "--games", "6", "--bots", bots, "--players", "3", "-p", "goal=4..5")
    code, out, _ = run(capsys, *arguments)
    assert code == 0 and max(map(len, out.splitlines())) <= 80
    heads = [line.split() for line in out.splitlines() if line.split()[0] == "goal"]
    assert len(heads) == 2 and [*heads[0][1:4], heads[-1][-1]] == ["first", "greedy", "random", "changes"]


def test_one_game_tells_no_interval(here: Path, capsys: Any) -> None:
    """It was told as -inf to inf, which is no JSON either."""
    _, out, _ = run(capsys, "simulate", "race.rules", "--games", "1")
    assert "inf" not in out and next(line for line in out.splitlines() if "options" in line).endswith(" -")
    for command in (("simulate", "race.rules"), ("compare", "race.rules", "long.rules")):
        _, out, _ = run(capsys, *command, "--games", "1", "--json")

        def refused(constant: str) -> None:
            raise AssertionError(constant)

        assert json.loads(out, parse_constant=refused)["games"] == 1


def test_games_that_never_end_are_not_told_as_ties_of_no_length(
    here: Path, capsys: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("playtest.simulate.MAX_ANSWERS", 50)
    Path("endless.rules").write_text(RACE.replace("at[by] += n", "at[by] = n"))
    code, out, err = run(capsys, "simulate", "endless.rules", "--games", "2")
    assert code == 1 and [line.split()[0] for line in out.splitlines()[2:]] == ["given"]
    assert "no game came to its end: all were given up after 50 answers" in err
    code, out, _ = run(capsys, "compare", "race.rules", "endless.rules", "--games", "5")
    line = next(line for line in out.splitlines() if "given up" in line)
    assert code == 1 and line.split()[:7] == ["≠", "given", "up", "0.0", "%", "100.0", "%"]


def test_games_are_compared_for_the_same_number_of_players(here: Path, capsys: Any) -> None:
    """The fewest of each were two of the one and three of the other."""
    Path("few.rules").write_text(RACE.replace("players 2", "players 2..3"))
    Path("many.rules").write_text(RACE.replace("players 2", "players 3..4"))
    Path("four.rules").write_text(RACE.replace("players 2", "players 4"))
    _, out, _ = run(capsys, "compare", "few.rules", "many.rules", "--games", "2")
    assert out.startswith("few.rules and many.rules: ") and "won by player2" in out
    _, out, _ = run(capsys, "compare", "few.rules", "four.rules", "--games", "2")
    assert out.startswith("few.rules (2 players) and four.rules (4 players): ")


@pytest.mark.parametrize(
    ("right", "wrong", "bots", "told"),
    [
        ("    turns p from player0:\n", "    draw n from 0..9\n    emit Moved(player0, n)\n    turns p from player0:\n", "random",
         "the rules fail: out of range"),
        ("at[by] += n", "at[by] += 7 * n", "first", "the rules fail: out of range"),
        ("at[by] += n", "at[by] += 7 * n", "greedy", "the rules fail while a bot thinks ahead: "),
        ("action go(n in 1..2):\n", 'action go(n in 1..2):\n    require low: at[me] < 2 else "no"\n', "first", "the rules fail: dead end"),
    ],
)  # fmt: skip
def test_rules_that_fail_are_the_authors_mistake(
    right: str, wrong: str, bots: str, told: str, here: Path, capsys: Any
) -> None:
    """They were told to be a bug of rulesdsl."""
    text = RACE.replace(right, wrong, 1).replace("at[me] >= goal", "at[me] >= 20")
    Path("race.rules").write_text(text.replace("n: 1..2)", "n: 0..20)"))
    for jobs in ("1", "2") if bots == "first" else ("1",):
        code, _, err = run(capsys, "simulate", "race.rules", "--games", "12", "--bots", bots, "--jobs", jobs)
        assert code == 1 and told in err and "bug" not in err, err
        assert bots == "greedy" or "replay  rulesdsl replay race-fault" in err


def test_a_picture_is_drawn(here: Path, capsys: Any) -> None:
    for name, more in (("one.png", ()), ("three.svg", ("-p", "goal=4..6"))):
        code, out, _ = run(capsys, "simulate", "race.rules", "--games", "10", "--plot", name, *more)
        assert code == 0 and f"drawn   {name}" in out
    assert Path("one.png").read_bytes()[:4] == b"\x89PNG" and "goal = 5" in Path("three.svg").read_text()


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("simulate", "race.rules", "--bots", "clever"), "no bot called 'clever'"),
        (("simulate", "race.rules", "--bots", "greedy:wai"), "did you mean way?"),
        (("simulate", "race.rules", "-p", "goal=6..4"), "from the smaller number"),
        (("simulate", "race.rules", "--confidence", "nan"), "'nan' is not a number"),
        (("simulate", "race.rules", "--plot", "race.rules"), "`race.rules` should end in one of .avif, "),
        (("simulate", "race.rules", "--plot", "none/race.png"), "there is no folder `none`"),
        (("simulate", "race.rules", "-p", "gaol=4..6"), "did you mean goal?"),
        (
            ("compare", "race.rules", "long.rules", "-p", "gaol=4"),
            "neither race.rules nor long.rules has a parameter gaol",
        ),
    ],
)
def test_what_is_asked_wrongly_is_explained(arguments: tuple[str, ...], told: str, here: Path, capsys: Any) -> None:
    code, _, err = run(capsys, *arguments)
    assert code == 2 and told in err


def test_simulations_are_values() -> None:
    found = simulate(Plan.of(race(), 3))
    assert isinstance(found, Simulation) and hash(found.games[0]) == hash(simulate(Plan.of(race(), 3)).games[0])
