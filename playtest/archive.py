"""The archive: positions at which something was seen for the first time, from which further games start.

Random play from the start seldom gets far. But positions are values: one in which a clause was reached, a guard refused, a
branch taken, or a measure had a value that no game had shown before, is kept, and later games begin there. So depth is won
step by step. What counts as new is what an instrumented program counts (`rulesdsl.points`), and the values of measures.
Counting costs time, so only a share of the games is counted; measures are looked at in all.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from itertools import product
from operator import itemgetter
from typing import Any

from attrs import frozen

from playtest.laws import Laws
from playtest.plies import Ply, Position, State
from rulesdsl.core import Program
from rulesdsl.types import EnumType, size, values

NEWEST = 16
MEASURED_EVERY = 4
OFTEN = 16
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
    """Looks at the counts of an instrumented module and at measures while games are played, and keeps what is new.

    `laws`: those of the instrumented module.
    """

    def __init__(self, archive: Archive, laws: Laws, measures: Sequence[Measured]) -> None:
        self.archive = archive
        self.laws = laws
        self.counts = counts = laws.module.COUNTS
        self.measures = measures
        self.values: dict[tuple[Any, ...], int] = {}
        for key in archive.known:
            if key[0] == "measure":
                self.values[key[1:3]] = self.values.get(key[1:3], 0) + 1
        counts[:] = self.before = [int(("point", number) in archive.known) for number in range(len(counts))]
        self.found: list[Entry] = []
        self._unseen()
        self.events: Counter[int] = Counter()

    def _unseen(self) -> None:
        """Note which points have never been come to; the last ones are looked at twice, so that there are always several."""
        numbers = [number for number, count in enumerate(self.counts) if not count]
        self._of_unseen = itemgetter(*numbers, numbers[-1]) if numbers else None

    def news(self) -> bool:
        """Whether a point has been come to for the first time."""
        return self._of_unseen is not None and any(self._of_unseen(self.counts))

    def look(self, position: Position, plies: Sequence[Ply], choices: int) -> None:
        """Keep the position, if something new has happened on the way to it. The measures take turns: one at each answer whose
        number can be divided by `MEASURED_EVERY`."""
        keys = self.points() if self.news() else []
        if self.measures and choices % MEASURED_EVERY == 0:
            keys += self._measure(position[0], self.measures[choices // MEASURED_EVERY % len(self.measures)])
        if keys:
            entry = Entry(tuple(keys), tuple(plies), position, choices)
            if self.archive.add(entry):
                self.found.append(entry)

    def judge(self, before: State, events: Sequence[Any], after: State) -> None:
        """Look at the laws around events, so that what they come to is counted: for each kind of event the first few times, then
        now and then."""
        wanted = False
        for event in events:
            self.events[event[0]] += 1
            times = self.events[event[0]]
            wanted = wanted or times <= OFTEN or times % OFTEN == 0
        if wanted:
            self.laws.judge(before, events, after)

    def look_at_end(self, end: State) -> None:
        """Look at the invariants and the measures, so that what they come to is counted."""
        for check in self.laws.all_invariants:
            check.holds(end)
        for name, arguments, _ in self.measures:
            self.laws.module.MEASURES[name](end, *arguments)
        self.archive.known.update(self.points())

    def times(self) -> tuple[int, ...]:
        """How often each point was come to while this was watched."""
        return tuple(count - before for count, before in zip(self.counts, self.before, strict=True))

    def points(self) -> list[Key]:
        """The points that have just been come to for the first time."""
        self._unseen()
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
