"""What a seat does not know, guessed: states that look the same to that seat.

What the seat cannot see is taken out of wherever it lies (the rivals' hands, the decks, what is face down), shuffled and laid
back, as many to each place as there were, since that is public. So the seat's view is the same, nothing is made or lost, and
a guess that breaks an invariant is not used. What is in such places alone (a secret bid) is guessed among all its values.
A guess knows what the seat sees, not what it once saw: a card that was shown and went back into a hand may be anywhere.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

from attrs import frozen

from interpreter.codec import bits
from interpreter.rules import Rules
from playtest.laws import Laws
from playtest.plies import State
from rulesdsl.core import FieldInfo
from rulesdsl.types import BagType, ListType, OptionType, SetType, Type, size, values

TRIES = 20
MAX_VALUES = 10_000


@frozen
class _Slot:
    """A cell with something in it that the seat cannot see. `kind`: how it holds its elements."""

    field: int
    cell: int
    kind: str
    item: Type
    elements: tuple[Any, ...]


class Guesses:
    """Guesses of hidden states for one program."""

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self.laws = Laws(rules)
        self._fields = [info for info in rules.program.fields if info.visibility in ("private", "hidden")]
        self._codes: dict[Type, tuple[list[Any], dict[Any, int]]] = {}

    @property
    def needed(self) -> bool:
        """Whether anything in the game is hidden from anybody."""
        return bool(self._fields)

    def guess(self, state: State, seat: int, rng: random.Random) -> State:
        """A state that this seat cannot tell from the real one; the real one where no other is found."""
        return self.several(state, seat, rng, 1)[0]

    def several(self, state: State, seat: int, rng: random.Random, count: int) -> list[State]:
        """So many guesses; one, the real state, where nothing is hidden from the seat."""
        groups: dict[Type, list[_Slot]] = {}
        for info in self._fields:
            for slot in self._slots(info, state, seat):
                groups.setdefault(slot.item, []).append(slot)
        for slots in groups.values():
            slots.sort(key=lambda slot: slot.kind != "set")
        return [self._guess(state, groups, rng) for _ in range(count)] if groups else [state]

    def _guess(self, state: State, groups: dict[Type, list[_Slot]], rng: random.Random) -> State:
        for _ in range(TRIES):
            made = self._dealt(state, groups, rng)
            if made is not None and self._holds(made):
                return made
        return state

    def _holds(self, state: State) -> bool:
        try:
            return all(check.holds(state) for check in self.laws.all_invariants)
        except Exception:  # an invariant that fails on a guess: the guess is not possible
            return False

    # ------------------------------------------------------------ what is hidden

    def _coded(self, kind: Type) -> tuple[list[Any], dict[Any, int]]:
        """All values of a type, and the place of each."""
        found = self._codes.get(kind)
        if found is None:
            every = list(values(kind))
            found = self._codes[kind] = every, {value: place for place, value in enumerate(every)}
        return found

    def _cells(self, info: FieldInfo, slot: Any) -> list[Any]:
        """The values of a field's cells."""
        if not info.keys:
            return [slot]
        if not info.packed:
            return list(slot)
        every = self._coded(info.value)[0]
        return [every[code] for code in slot]

    def _slots(self, info: FieldInfo, state: State, seat: int) -> Iterator[_Slot]:
        """The cells of a field that the seat cannot see."""
        cells = self._cells(info, state[info.position])
        own = range(0)
        if info.visibility == "private":
            block = len(cells) // len(self.rules.seats)
            own = range(seat * block, (seat + 1) * block)
        for number, value in enumerate(cells):
            if number not in own:
                kind, item, elements = self._opened(info.value, value)
                if elements:
                    yield _Slot(info.position, number, kind, item, elements)

    def _opened(self, kind: Type, value: Any) -> tuple[str, Type, tuple[Any, ...]]:
        """How a value holds elements, of what type, and which."""
        if isinstance(kind, OptionType):
            return "option", kind.item, () if value is None else (value,)
        if isinstance(kind, BagType):
            every = self._coded(kind.item)[0]
            return "bag", kind.item, tuple(item for item, count in zip(every, value, strict=True) for _ in range(count))
        if isinstance(kind, SetType):
            every = self._coded(kind.item)[0]
            return "set", kind.item, tuple(every[index] for index in bits(value))
        if isinstance(kind, ListType):
            return "list", kind.item, tuple(value)
        return "one", kind, (value,)

    # ------------------------------------------------------------ dealt anew

    def _dealt(self, state: State, groups: dict[Type, list[_Slot]], rng: random.Random) -> State | None:
        """The state with all that is hidden dealt anew; None if it does not come out."""
        new: dict[int, dict[int, Any]] = {}
        for item, slots in groups.items():
            pool = self._pool(item, slots, rng)
            for slot in slots:
                taken = _take(pool, slot)
                if taken is None:
                    return None
                new.setdefault(slot.field, {})[slot.cell] = self._closed(slot, taken)
        fields = list(state)
        for info in self._fields:
            if info.position in new:
                fields[info.position] = self._stored(info, state[info.position], new[info.position])
        return tuple(fields)

    def _pool(self, item: Type, slots: list[_Slot], rng: random.Random) -> list[Any]:
        """What is dealt: the same elements in another order, or any values where each stands for itself."""
        alone = (len(slots) == 1 and slots[0].kind == "option") or all(slot.kind == "one" for slot in slots)
        if alone and 0 < (size(item) or 0) <= MAX_VALUES:
            every = self._coded(item)[0]
            return [every[int(rng.random() * len(every))] for _ in slots]
        pool = [element for slot in slots for element in slot.elements]
        rng.shuffle(pool)
        return pool

    def _closed(self, slot: _Slot, elements: list[Any]) -> Any:
        """The value that holds these elements."""
        if slot.kind == "option" or slot.kind == "one":
            return elements[0]
        if slot.kind == "list":
            return tuple(elements)
        places = self._coded(slot.item)[1]
        if slot.kind == "set":
            return sum(1 << places[element] for element in elements)
        counts = [0] * len(places)
        for element in elements:
            counts[places[element]] += 1
        return tuple(counts)

    def _stored(self, info: FieldInfo, slot: Any, changed: dict[int, Any]) -> Any:
        """A field with other values in some cells, as states hold it."""
        if not info.keys:
            return changed[0]
        if info.packed:
            places, codes = self._coded(info.value)[1], bytearray(slot)
            for cell, value in changed.items():
                codes[cell] = places[value]
            return bytes(codes)
        cells = list(slot)
        for cell, value in changed.items():
            cells[cell] = value
        return tuple(cells)


def _take(pool: list[Any], slot: _Slot) -> list[Any] | None:
    """As many elements from the end of a shuffled pool as the slot holds; different ones for a set."""
    taken: list[Any] = []
    place = len(pool)
    while len(taken) < len(slot.elements):
        place -= 1
        if place < 0:
            return None
        if slot.kind != "set" or pool[place] not in taken:
            taken.append(pool.pop(place))
    return taken
