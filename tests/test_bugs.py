"""Bugs planted in the games: fuzzing finds those against conservation, ownership, bounds and termination, the checker those
against secrecy, scenarios those of meaning. A sample here; all of them where `RULESDSL_LONG` is set, as in `make long`."""

from __future__ import annotations

import os
import shlex
import statistics
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from bugs import AGAINST, CHECK, FUZZ, SCENARIO, SECONDS, Bug, every, find
from click.testing import CliRunner

from interpreter.game import Game
from playtest.report import save
from table.command import cli

LONG = os.environ.get("RULESDSL_LONG") == "1"
BUGS = list(every())
SAMPLE = {
    "the tile six can be placed for ever",
    "two free squares beside it are not too many for being surrounded",
    "four towers are to be raised",
    "a white tower leaves a marker behind",
    "two towers are enough",
    "a taken tile stays on the path",
    "a stolen card is still with its victim",
    "an offer is accepted by whether the neighbour could",
    "a drawn card lies open among the discards",
    "two first cities on one corner",
    "a stack without land says so",
    "the other first city does for a link",
}


def chosen(how: str) -> Any:
    kept = [bug for bug in BUGS if bug.how == how and (LONG or bug.title in SAMPLE)]
    return pytest.mark.parametrize("bug", kept, ids=lambda bug: f"{bug.game}: {bug.title}")


def test_there_are_bugs_of_every_kind_in_every_game() -> None:
    assert len(BUGS) >= 40
    assert len({(bug.game, bug.title) for bug in BUGS}) == len(BUGS)
    assert {bug.how for bug in BUGS} == {FUZZ, SCENARIO, CHECK}
    against = Counter(bug.against for bug in BUGS if bug.how != SCENARIO)
    assert set(against) == set(AGAINST)
    assert 2 * against.total() >= len(BUGS)
    assert all(not bug.against for bug in BUGS if bug.how == SCENARIO)
    assert set(SAMPLE) <= {bug.title for bug in BUGS}
    for game in {bug.game for bug in BUGS}:
        assert {bug.how for bug in BUGS if bug.game == game} >= {FUZZ, SCENARIO}


SIZES: list[int] = []


@chosen(FUZZ)
def test_fuzzing_alone_finds_it(bug: Bug, tmp_path: Path) -> None:
    found = find(bug)
    assert found.by, "not found"
    assert found.seconds <= SECONDS
    assert found.shrunk is not None
    small = found.shrunk.failure
    assert small.choices <= found.shrunk.choices_before
    if bug.game == "atlanteon":
        SIZES.append(small.choices)
        assert statistics.median(SIZES) < 12
    saved = save(Game(bug.source).rules(found.players), small, tmp_path, "bug")
    replayed = CliRunner().invoke(cli, shlex.split(saved.command)[1:], standalone_mode=False)
    assert small.law == "terminates" or "the rules fail, as they did then" in replayed.output, replayed.output


@chosen(SCENARIO)
def test_a_scenario_finds_it(bug: Bug) -> None:
    assert find(bug).by, "all scenarios pass"


@chosen(CHECK)
def test_the_checker_refuses_it(bug: Bug) -> None:
    assert find(bug).by in ("V402", "V403")
