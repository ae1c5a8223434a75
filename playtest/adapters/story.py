"""Information states as arrays: the last things that a seat has seen and done, one in a row."""

from __future__ import annotations

from typing import Any

import numpy as np

from interpreter import Position, Rules
from interpreter.memory import Answered, remembered
from interpreter.view import Viewer
from playtest.adapters.leaves import Array, leaves
from rulesdsl.types import Type

WIDEST, LONGEST = 1 << 16, 64
"""How many numbers a story has at most, and how many rows."""


class Story:
    """The rows of a program: which event or answer of one's own it was, one-hot, then the values of each kind in columns of
    their own, 0 for what was not seen. The latest is in the first row. `length`: how many rows there are; what was before
    is forgotten, so that only shorter games are told whole."""

    def __init__(self, rules: Rules, length: int | None = None) -> None:
        self.rules = rules
        kinds: list[tuple[tuple[bool, int], list[Type]]] = [((False, 0), [t for _, t in rules.event_params(0)])]
        kinds += [((False, info.position), [p.type for p in info.params]) for info in rules.program.events]
        kinds += [((True, 0), [])]
        kinds += [((True, info.position), [c.type for c in info.chosen]) for info in rules.program.actions]
        self._kinds = {kind: number for number, (kind, _) in enumerate(kinds)}
        self._columns: dict[tuple[bool, int], list[tuple[int, int, Any]]] = {}
        self.width = len(kinds)
        for kind, types in kinds:
            self._columns[kind] = [self._column(place, t) for place, t in enumerate(types)]
        self.length = length or max(1, min(LONGEST, WIDEST // self.width))

    def _column(self, place: int, t: Type) -> tuple[int, int, Any]:
        found = leaves(t)
        first = self.width
        self.width += sum(leaf.width for leaf in found)
        return place, first, found

    def of(self, position: Position, viewer: Viewer) -> Array:
        """The story of a viewer up to a position."""
        made = np.zeros((self.length, self.width), np.float32)
        memories = remembered(self.rules, position.node, viewer, self.length)
        for row, memory in zip(made, reversed(memories[-self.length :]), strict=False):
            own = isinstance(memory, Answered)
            happened = memory.move if isinstance(memory, Answered) else memory.event
            row[self._kinds[own, happened[0]]] = 1
            for place, first, found in self._columns[own, happened[0]]:
                if own or memory.seen[place]:  # type: ignore[union-attr]
                    numbers = [number for leaf in found for number in leaf.numbers(happened[1 + place])]
                    row[first : first + len(numbers)] = numbers
        return made
