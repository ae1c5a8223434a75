"""How soon the planted bugs are found, and how short the games are that show them.

    python benchmarks/planted_bugs.py

The bugs stand in `tests/bugs/`; each must be found as it says there, by fuzzing alone within 60 seconds, by the checker or by a
scenario.
"""

from __future__ import annotations

import shlex
import statistics
import sys
import tempfile
from pathlib import Path

from click.testing import CliRunner

import interpreter
from playtest.jobs import in_order
from playtest.report import save
from table.command import cli

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

import bugs

Looked = tuple[str, str, float, int | None, bool]


def looked_for(number: int) -> Looked:
    """One of the planted bugs: the game, what it is called, how soon it is found in seconds (never: -1), how many answers the
    shortest game has that shows it, and whether the printed command replays that."""
    bug = list(bugs.every())[number]
    found = bugs.find(bug)
    seconds = found.seconds if found.by else -1.0
    if found.shrunk is None:
        return bug.game, bug.title, seconds, None, True
    small = found.shrunk.failure
    with tempfile.TemporaryDirectory() as folder:
        saved = save(interpreter.Game(bug.source).rules(found.players), small, Path(folder), "bug")
        replayed = CliRunner().invoke(cli, shlex.split(saved.command)[1:], standalone_mode=False)
    good = small.law == "terminates" or "the rules fail, as they did then" in replayed.output
    return bug.game, bug.title, seconds, small.choices, good


def judged() -> tuple[bool, str]:
    """Whether all bugs are found in time and replayed, the median in Atlanteon below 12 answers; and the figures."""
    found = list(in_order(looked_for, range(len(list(bugs.every()))), 2))
    bad = [f"{game}: {title}" for game, title, seconds, _, replays in found if not 0 <= seconds <= 60 or not replays]
    parts, medians = [], {}
    for name in dict.fromkeys(game for game, *_ in found):
        sizes = [size for game, _, _, size, _ in found if game == name and size is not None]
        medians[name] = statistics.median(sizes)
        slowest = max(seconds for game, _, seconds, size, _ in found if game == name and size is not None)
        parts.append(
            f"{name} {sum(game == name for game, *_ in found)}, {len(sizes)} by fuzzing in at most {slowest:.0f} s, "
            f"shortest games {medians[name]:g} answers in the median, {min(sizes)} to {max(sizes)}"
        )
    told = f"; not as it should be: {', '.join(bad)}" if bad else ""
    return not bad and medians["atlanteon"] < 12, f"{len(found)} bugs: {'; '.join(parts)}{told}"


if __name__ == "__main__":
    print(judged()[1])
