"""What a seat sees of a position, as named arrays of numbers.

Each field of the state gives arrays named after it (`piece.owner`, `hand.count`), with an axis for each of its keys, and what its
type gives (see `leaves`). Of a private field a seat's array has its own entry and 0 for the others; a hidden field has its backs
alone. Besides:

| array | |
| --- | --- |
| `me` | which seat sees: one-hot, all 0 for a spectator |
| `me.question` | which question the seat is asked, one-hot over the different ones of the game; all 0 if it is not |
| `me.given.ACTION.PARAMETER` | what the question gives to the action; 0 if it is not offered |
| `me.told` | in a factored action space: what of the answer is told already, each part plus 1, 0 for what is not |
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from attrs import evolve, frozen

from interpreter import REFEREE, Position, Rules
from interpreter.view import Viewer
from playtest.adapters.leaves import Array, Leaf, backs, leaves
from rulesdsl.core import FieldInfo
from rulesdsl.types import size, values

REMEMBERED = 1 << 12
ALL = -2
"""The seat of a referee, who sees everything; -1 is a spectator."""


@frozen(eq=False)
class Slot:
    """One array of an observation. `read`: from the field's value in the state, and the seat. `own`: whether a seat sees its
    own entry alone."""

    name: str
    shape: tuple[int, ...]
    low: int
    high: int
    dtype: np.dtype[Any]
    position: int
    read: Callable[[Any, int], Array]
    own: bool = False


class Arrays:
    """The arrays of one program. `slots`: name, shape, range and type of each, in their order.

    `told_sizes`: see `Actions`. `whole`: for a referee, who sees what is private and hidden as well.
    """

    def __init__(self, rules: Rules, told_sizes: tuple[int, ...] = (), whole: bool = False) -> None:
        self.rules = rules
        self.whole = whole
        self._fields = [slot for info in rules.program.fields for slot in _slots(rules, info, whole)]
        self._reads = [(slot.name, slot.position, slot.read) for slot in self._fields]
        self._stands: dict[tuple[int, int], list[tuple[str, Array]]] = {}
        self._questions = _questions(rules)
        self._given = _given(rules)
        self._me = [_zeros("me", (len(rules.seats),)), _zeros("me.question", (1 + max(self._questions.values()),))]
        self._told = [_zeros("me.told", (len(told_sizes),), max(told_sizes))] if told_sizes else []
        given = [evolve(slot, name=name) for name, slot, _ in self._given.values()]
        self.slots = (*self._fields, *self._me, *given, *self._told)
        self.size = sum(int(np.prod(slot.shape, dtype=int)) for slot in self.slots)

    def seat(self, viewer: Viewer) -> int:
        """The number of a viewer.

        Raises:
            ValueProblem: there is no such seat.
        """
        return ALL if viewer is REFEREE else -1 if viewer is None else self.rules.seat(viewer)

    def of(self, position: Position, seat: int, told: tuple[int, ...] = ()) -> dict[str, Array]:
        """The arrays that a seat (by number) sees; they are the caller's own."""
        st = position.node.st
        found = {name: read(st[place], seat).copy() for name, place, read in self._reads}
        found.update(self._asked(position, seat))
        if self._told:
            found["me.told"] = made = self._told[0].read(None, seat).copy()
            made[: len(told)] = [part + 1 for part in told[: len(made)]]
        return found

    def vector(self, position: Position, seat: int, told: tuple[int, ...] = ()) -> Array:
        """The same in one row of floats, one array after the other."""
        return np.concatenate([array.ravel() for array in self.of(position, seat, told).values()], dtype=np.float32)

    def _asked(self, position: Position, seat: int) -> dict[str, Array]:
        """What only those see who are asked."""
        node, module = position.node, self.rules.module
        asked = position.asks and seat != -1 and seat in (ALL, module.asked(node.st, node.frame))
        pc = node.frame[0] if asked else -1
        found = {name: array.copy() for name, array in self._standing(seat, pc)}
        if asked and self._given:
            for action, given in zip(module.OFFERS[pc], module.given(node.st, node.frame), strict=True):
                for place, value in enumerate(given):
                    self._tell(found, (action, place), value)
        return found

    def _standing(self, seat: int, pc: int) -> list[tuple[str, Array]]:
        """The arrays of a seat at a place of the flow where it is asked (-1: it is not), before anything is given."""
        known = self._stands.get((seat, pc))
        if known is None:
            made = {slot.name: slot.read(None, seat).copy() for slot in self._me}
            if seat >= 0:
                made["me"][seat] = 1
            if pc >= 0:
                made["me.question"][self._questions[pc]] = 1
            known = [*made.items(), *((name, slot.read(None, seat)) for name, slot, _ in self._given.values())]
            self._stands[seat, pc] = known
        return known

    def _tell(self, found: dict[str, Array], param: tuple[int, int], value: Any) -> None:
        number = 0
        while (key := (*param, number)) in self._given:
            name, _, leaf = self._given[key]
            found[name][...] = np.array(leaf.numbers(value)).reshape(leaf.shape)
            number += 1


# ---------------------------------------------------------------- fields


def _slots(rules: Rules, info: FieldInfo, whole: bool) -> list[Slot]:
    """The arrays of a field."""
    if whole or info.visibility not in ("private", "hidden"):
        return [_slot(rules, info, leaf, own=False) for leaf in leaves(info.value)]
    seen = [_slot(rules, info, leaf, own=True) for leaf in leaves(info.value)] if info.visibility == "private" else []
    known = {slot.name for slot in seen}
    covers = [_slot(rules, info, leaf, own=False) for leaf in backs(info.value)]
    return seen + [evolve(slot, name=f"{slot.name}.all") if slot.name in known else slot for slot in covers]


def _slot(rules: Rules, info: FieldInfo, leaf: Leaf, own: bool) -> Slot:
    """One array of a field. `own`: each seat sees the entry of its own key alone."""
    shape = tuple(size(key) or 0 for key in info.keys) + leaf.shape
    read = _remembering(_reader(info, leaf, shape))
    low, high, name = min(leaf.low, 0), max(leaf.high, 0), info.name + leaf.name
    return Slot(name, shape, low, high, leaf.dtype, info.position, _for_own(read) if own else read, own)


def _reader(info: FieldInfo, leaf: Leaf, shape: tuple[int, ...]) -> Callable[[Any], Array]:
    """From a field's value in the state to an array."""
    dtype, numbers = leaf.dtype, leaf.numbers
    if not info.keys:
        return lambda value: np.array(numbers(value), dtype).reshape(shape)
    if info.packed:
        rows = np.array([numbers(value) for value in values(info.value)], dtype)
        return lambda value: rows[np.frombuffer(value, np.uint8)].reshape(shape)
    return lambda value: np.array([number for cell in value for number in numbers(cell)], dtype).reshape(shape)


def _remembering(make: Callable[[Any], Array]) -> Callable[[Any, int], Array]:
    """The same for each value of a field only once: most of a state is as it was."""
    known: dict[Any, Array] = {}

    def read(value: Any, seat: int) -> Array:
        found = known.get(value)
        if found is None:
            if len(known) >= REMEMBERED:
                known.clear()
            found = known[value] = make(value)
        return found

    return read


def _for_own(read: Callable[[Any, int], Array]) -> Callable[[Any, int], Array]:
    def own(value: Any, seat: int) -> Array:
        whole = read(value, seat)
        made = np.zeros_like(whole)
        if seat >= 0:
            made[seat] = whole[seat]
        return made

    return own


# ---------------------------------------------------------------- questions


def _zeros(name: str, shape: tuple[int, ...], high: int = 1, low: int = 0) -> Slot:
    dtype = Leaf("", (), low, high, list).dtype
    made = np.zeros(shape, dtype)
    return Slot(name, shape, low, high, dtype, -1, lambda value, seat: made)


def _questions(rules: Rules) -> dict[int, int]:
    """For each place where a player is asked, the number of what the player sees of it: step, actions, and whether to pass."""
    module = rules.module
    numbers: dict[Any, int] = {}
    return {
        pc: numbers.setdefault((module.STEP.get(pc, ""), module.OFFERS[pc], pc in module.MAY_PASS), len(numbers))
        for pc in sorted(module.KIND)
        if module.KIND[pc] == "choice"
    } or {-1: 0}


def _given(rules: Rules) -> Mapping[tuple[int, int, int], tuple[str, Slot, Leaf]]:
    """The arrays of given parameters: by action, parameter and number of the leaf."""
    offered = {action for offers in rules.module.OFFERS.values() for action in offers}
    found = {}
    for action in sorted(offered):
        info = rules.action(action)
        for place, param in enumerate(info.given):
            for number, leaf in enumerate(leaves(param.type)):
                name = f"me.given.{info.name}.{param.name}{leaf.name}"
                slot = _zeros(name, leaf.shape, max(leaf.high, 0), min(leaf.low, 0))
                found[action, place, number] = (name, slot, leaf)
    return found


__all__ = ["ALL", "Arrays", "Slot"]
