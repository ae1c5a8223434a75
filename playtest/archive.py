"""The archive: positions at which something was seen for the first time, from which further games start.

Random play from the start seldom gets far. But positions are values: one in which a clause was reached, a guard refused, a
branch taken, or a measure had a value that no game had shown before, is kept, and later games begin there. So depth is won
step by step. What counts as new is what an instrumented program counts (`rulesdsl.points`), and the values of measures.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Sequence
from itertools import product
from typing import Any

from attrs import frozen

from playtest.plies import Ply, Position
from rulesdsl.core import Program
from rulesdsl.types import EnumType, size, values

NEWEST = 16
MEASURED_EVERY = 4
VALUES_OF_A_MEASURE = 64

Key = tuple[Any, ...]
"""Something that can be seen: `("point", number)` or `("measure", name, arguments, value)`."""


@frozen
class Entry:
    """A position worth starting from: what was new there, the plies that led to it, and how many of them were answers."""

    keys: tuple[Key, ...]
    plies: tuple[Ply, ...]
    position: Position
    choices: int


class Archive:
    """Entries in the order in which they were found, and everything that has been seen."""

    def __init__(self, entries: Iterable[Entry] = (), known: Iterable[Key] = ()) -> None:
        self.entries: list[Entry] = []
        self.known: set[Key] = set(known)
        for entry in entries:
            self.add(entry)

    def add(self, entry: Entry) -> bool:
        """Keep an entry, if something in it is still new."""
        fresh = [key for key in entry.keys if key not in self.known]
        if fresh:
            self.known.update(fresh)
            self.entries.append(entry)
        return bool(fresh)

    def pick(self, rng: random.Random) -> Entry:
        """An entry to start from, as often as not one of the newest."""
        newest = self.entries[-NEWEST:] if rng.random() < 0.5 else self.entries
        return newest[int(rng.random() * len(newest))]

    def copy(self) -> Archive:
        """An archive that can grow by itself."""
        made = Archive()
        made.entries, made.known = list(self.entries), set(self.known)
        return made


class Watch:
    """Looks at the counts of an instrumented module and at measures while games are played, and keeps what is new."""

    def __init__(self, archive: Archive, counts: list[int], measures: Sequence[Measured]) -> None:
        self.archive = archive
        self.counts = counts
        self.measures = measures
        self.values: dict[tuple[Any, ...], int] = {}
        for key in archive.known:
            if key[0] == "measure":
                self.values[key[1:3]] = self.values.get(key[1:3], 0) + 1
        counts[:] = [int(("point", number) in archive.known) for number in range(len(counts))]
        self.unseen = counts.count(0)
        self.found: list[Entry] = []

    def look(self, position: Position, plies: Sequence[Ply], choices: int) -> None:
        """Keep the position, if something new has happened on the way to it. The measures take turns."""
        keys: list[Key] = []
        if self.counts.count(0) != self.unseen:
            keys = self.points()
        if self.measures:
            keys += self._measure(position[0], self.measures[choices // MEASURED_EVERY % len(self.measures)])
        if keys:
            entry = Entry(tuple(keys), tuple(plies), position, choices)
            if self.archive.add(entry):
                self.found.append(entry)

    def points(self) -> list[Key]:
        """The points that have just been come to for the first time."""
        self.unseen = self.counts.count(0)
        known = self.archive.known
        return [
            ("point", number)
            for number, count in enumerate(self.counts)
            if count and ("point", number) not in known
        ]  # fmt: skip

    def _measure(self, state: Any, measure: Measured) -> list[Key]:
        name, arguments, value = measure
        key = ("measure", name, arguments, value(state, *arguments))
        if key in self.archive.known or self.values.get(key[1:3], 0) >= VALUES_OF_A_MEASURE:
            return []
        self.values[key[1:3]] = self.values.get(key[1:3], 0) + 1
        return [key]


Measured = tuple[str, tuple[Any, ...], Callable[..., Any]]
"""A measure: its name, arguments, and function of the state and the arguments."""


def measured(program: Program, module: Any) -> tuple[Measured, ...]:
    """The measures of a program with all arguments, as far as they can be listed (players and other enums)."""
    found: list[Measured] = []
    for info in program.measures:
        kinds = [param.type for param in info.params]
        if all(isinstance(kind, EnumType) and (size(kind) or 0) <= 8 for kind in kinds):
            function = module.MEASURES[info.name]
            found += [(info.name, arguments, function) for arguments in product(*(tuple(values(k)) for k in kinds))]
    return tuple(found)
