"""What a change of the rules does: to the game's scenarios, to games that were logged before, and to how it plays.

Everything that is claimed can be looked at: a figure that differs has games of the same seeds that show it, played by the rules
before and after; a log that parts from the rules is named with the record.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

from attrs import frozen

from interpreter.errors import LogError
from interpreter.game import Game
from interpreter.log import Log, read_log
from interpreter.replay import Replay, replay
from playtest.changes import Tested, run_tests
from playtest.figures import Comparison
from playtest.folders import FOUND
from playtest.simulate import Simulation
from rulesdsl.diagnostics import Source

# ---------------------------------------------------------------- scenarios


@frozen
class Scenarios:
    """The scenarios after a change, and those that passed before it. `gone`: titles that are not there any more."""

    tested: Tested
    passed_before: frozenset[str]
    gone: tuple[str, ...]

    @property
    def broken(self) -> tuple[str, ...]:
        """The titles of those that fail and did not before."""
        return tuple(result.text for result in self.tested.failed if result.text in self.passed_before)


def scenarios(before: Source, after: Source) -> Scenarios:
    """Run the scenarios of both.

    Raises:
        RulesFileError: one of them has mistakes.
    """
    tested, earlier = run_tests(after), run_tests(before)
    titles = {result.text for result in tested.results}
    passed = frozenset(result.text for result in earlier.results if result.passed)
    return Scenarios(tested, passed, tuple(r.text for r in earlier.results if r.text not in titles))


# ---------------------------------------------------------------- logs


@frozen
class Stored:
    """A game that was logged, under the rules after a change. `refused` is why it cannot be replayed, if it cannot; `log` is None
    if it is damaged.

    `before`: it was played by the rules before the change, and not by others.
    """

    path: Path
    log: Log | None
    before: bool
    done: Replay | None
    refused: str = ""

    @property
    def holds(self) -> bool:
        """Whether the rules still do all of it."""
        return self.done is not None and self.done.difference is None and self.done.fault is None

    @property
    def at_once(self) -> bool:
        """Whether it parts from the rules before anybody is asked: setting up the game goes otherwise."""
        return self.done is not None and self.done.difference is not None and self.done.difference.record == 0


def logs_below(folder: Path, *games: Game) -> Iterator[Path]:
    """The logs in a folder and its folders that are of one of these games, with the same variants; in the order of their names.
    What was found by fuzzing and the like is left out.
    """
    known = [(game.name, list(game.rules().variants)) for game in games]
    for path in sorted(folder.rglob("*.jsonl")):
        if path.parent.name in FOUND:
            continue
        try:
            with path.open("rb") as file:
                header = json.loads(file.readline())
        except (OSError, ValueError):
            continue
        if isinstance(header, dict) and (header.get("game"), header.get("variants", [])) in known:
            yield path


def stored(path: Path, before: Game, after: Game) -> Stored:
    """Replay a log by the rules after a change.

    Raises:
        OSError: it cannot be read.
    """
    try:
        log = read_log(path)
    except LogError as error:
        return Stored(
            path,
            None,
            False,
            None,
            f"it is damaged: {error.what}"
            if error.record is None
            else f"it is damaged: record {error.record}: {error.what}",
        )
    seats = len(log.header.seats)
    played = seats in before.counts and before.rules(seats).program.digest == log.header.digest
    try:
        return Stored(path, log, played, replay(log, after, current_rules=True))
    except LogError as error:
        return Stored(path, log, played, None, error.what)


# ---------------------------------------------------------------- games that show a difference


def telling_games(before: Simulation, after: Simulation, found: Sequence[Comparison]) -> dict[int, list[Comparison]]:
    """As few games as show all figures that differ, by number, each with the figures that it shows.

    A game shows a figure if, played with the same seed, it changes by at least as much as the figure does. Of games that show as
    many the shortest is taken. Figures that no single game shows are left out.
    """
    columns = before.by_game(), after.by_game()
    shows: dict[int, list[Comparison]] = {}
    for item in found:
        one, other = (column.get(item.name, {}) for column in columns)
        for number in one.keys() & other.keys() if item.differs else ():
            change = other[number] - one[number]
            if change and change / item.change.value >= 1:
                shows.setdefault(number, []).append(item)
    chosen: dict[int, list[Comparison]] = {}
    while shows:
        number = min(shows, key=lambda n: (-len(shows[n]), _length(before, after, n), n))
        chosen[number] = shows[number]
        names = {item.name for item in chosen[number]}
        left = {n: [item for item in items if item.name not in names] for n, items in shows.items()}
        shows = {n: items for n, items in left.items() if items}
    return chosen


def _length(before: Simulation, after: Simulation, number: int) -> int:
    return before.games[number].answers + after.games[number].answers
