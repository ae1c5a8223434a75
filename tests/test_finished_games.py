"""The finished games: each verifies under the rules of today, and shows what its name says."""

from __future__ import annotations

from pathlib import Path

import pytest
from finished_games import KINDS, LOGS, game_of

import interpreter
from interpreter import Match

ALL = [(name, kind) for name, kinds in KINDS.items() for kind in kinds]


def test_there_is_no_log_that_nothing_is_known_of() -> None:
    present = {(path.parent.name, path.stem) for path in LOGS.glob("*/*.jsonl")}
    assert present == set(ALL)


@pytest.mark.parametrize(("name", "kind"), ALL)
def test_a_finished_game_verifies_and_shows_what_its_name_says(name: str, kind: str) -> None:
    path: Path = LOGS / name / f"{kind}.jsonl"
    game = game_of(name, kind)
    log = interpreter.read_log(path)
    interpreter.replay(log, game, verify=True)
    _, shows = KINDS[name][kind]
    assert shows(Match.from_log(log, game))
