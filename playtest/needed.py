"""What of a state a broken law needs: the parts that cannot be as they were at the start, and how far other states are from it.

It is found by trying. Something is played in states that are like one of a failing game, but in which part after part is put
back to what it was at the start. Where the same still comes about the part is not needed. Of numbers the least that is enough
is looked for; of sets and bags first whether only the number of their elements counts. Nothing is known here of the law.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from attrs import frozen

from playtest.plies import State
from rulesdsl.core import Program
from rulesdsl.types import BagType, IntType, ListType, MapType, RecordType, SetType, Type, size

Path = tuple[int, ...]
"""Where a part is: the place of its field in the state, of the cell in the field, and so on inwards."""
SHIFTS = (1, 2, 3, 5)
"""By how many places the elements of a set or bag are shifted to see whether other ones would do as well."""


@frozen
class Need:
    """Something that a state must have. `gap`: how far the part at `path` is from what is `wanted`, in steps (0: it is there)."""

    path: Path
    gap: Callable[[Any, Any], int]
    wanted: Any

    def distance(self, state: State) -> int:
        """How far a state is from it."""
        part: Any = state
        for index in self.path:
            part = part[index]
        return self.gap(part, self.wanted)


def needs(program: Program, first: State, last: State, comes_about: Callable[[State], bool]) -> tuple[Need, ...]:
    """What `last` needs for `comes_about` to be true of it, compared with `first`; it must be true of `last`."""
    return tuple(_Needed(program, first, last, comes_about).all())


# ------------------------------------------------------------ how far a part is from what is wanted


def _least(part: int, wanted: int) -> int:
    return max(0, wanted - part)


def _most(part: int, wanted: int) -> int:
    return max(0, part - wanted)


def _least_in_bag(part: Sequence[int], wanted: int) -> int:
    return max(0, wanted - sum(part))


def _most_in_bag(part: Sequence[int], wanted: int) -> int:
    return max(0, sum(part) - wanted)


def _least_in_set(part: int, wanted: int) -> int:
    return max(0, wanted - part.bit_count())


def _most_in_set(part: int, wanted: int) -> int:
    return max(0, part.bit_count() - wanted)


def _these_in_set(part: int, wanted: tuple[int, int]) -> int:
    """`wanted`: a set, and the elements that count; those that should be there and are not, or the other way round."""
    return ((part ^ wanted[0]) & wanted[1]).bit_count()


def _same(part: Any, wanted: Any) -> int:
    return int(part != wanted)


def _same_list(part: Sequence[Any], wanted: Sequence[Any]) -> int:
    return 0 if part == wanted else 1 + abs(len(part) - len(wanted))


# ------------------------------------------------------------ which parts are needed


class _Needed:
    def __init__(self, program: Program, first: State, last: State, comes_about: Callable[[State], bool]) -> None:
        self.fields = program.fields
        self.first = first
        self.state = last
        self.comes_about = comes_about

    def all(self) -> Iterator[Need]:
        """Field after field."""
        for info in self.fields:
            path = (info.position,)
            if not self._put_back(path):
                cells = [(*path, cell) for cell in range(info.cells)] if info.keys else [path]
                for cell in cells:
                    if not self._put_back(cell):
                        yield from self._part(cell, info.value)

    def _try(self, path: Path, part: Any) -> bool:
        """Whether the same comes about with another part in its place; if so it stays there."""
        state = _put(self.state, path, part)
        if state != self.state and not self.comes_about(state):
            return False
        self.state = state
        return True

    def _put_back(self, path: Path) -> bool:
        return self._try(path, _at(self.first, path))

    def _part(self, path: Path, kind: Type) -> Iterator[Need]:
        """What is needed of a part that cannot be put back as a whole."""
        value = _at(self.state, path)
        if isinstance(kind, IntType):
            yield self._number(path)
        elif isinstance(kind, SetType):
            yield self._set(path, size(kind.item) or 0)
        elif isinstance(kind, BagType):
            yield from self._bag(path)
        elif isinstance(kind, (MapType, RecordType)) and isinstance(value, tuple):
            kinds = [item for _, item in kind.fields] if isinstance(kind, RecordType) else [kind.value] * len(value)
            for index, item in enumerate(kinds):
                if not self._put_back((*path, index)):
                    yield from self._part((*path, index), item)
        else:
            yield Need(path, _same_list if isinstance(kind, ListType) else _same, value)

    def _number(self, path: Path) -> Need:
        """The least change of a number that is enough."""
        value, first = _at(self.state, path), _at(self.first, path)
        step = 1 if value > first else -1
        for other in range(first + step, value, step):
            if self._try(path, other):
                value = other
                break
        return Need(path, _least if value > first else _most, value)

    def _set(self, path: Path, most: int) -> Need:
        """How many elements a set must have, or which it must have and which not."""
        value, first = _at(self.state, path), _at(self.first, path)
        if self._would_do(path, value, [_shifted(value, shift, most) for shift in SHIFTS if shift < most]):
            if value.bit_count() <= first.bit_count():
                return Need(path, _most_in_set, value.bit_count())
            self._without(path, value, value)
            return Need(path, _least_in_set, _at(self.state, path).bit_count())
        self._without(path, value ^ first, value)
        value = _at(self.state, path)
        return Need(path, _these_in_set, (value, value ^ first))

    def _without(self, path: Path, elements: int, value: int) -> None:
        """Put elements of a set back, as long as that is possible: there if they are not there, else away."""
        for bit in (1 << n for n in range(elements.bit_length())):
            if elements & bit and self._try(path, value ^ bit):
                value ^= bit

    def _bag(self, path: Path) -> Iterator[Need]:
        """How many elements a bag must have, or how many of each."""
        value, first = _at(self.state, path), _at(self.first, path)
        others = [value[shift:] + value[:shift] for shift in SHIFTS if shift < len(value)]
        alike = not any(value) or self._would_do(path, value, others)
        if alike and sum(value) < sum(first):
            yield Need(path, _most_in_bag, sum(value))
        elif alike and sum(value) > sum(first):
            for index, count in enumerate(value):
                while count and self._try((*path, index), count - 1):
                    count -= 1
            yield Need(path, _least_in_bag, sum(_at(self.state, path)))
        else:
            for index in range(len(value)):
                if not self._put_back((*path, index)):
                    yield self._number((*path, index))

    def _would_do(self, path: Path, value: Any, others: Sequence[Any]) -> bool:
        """Whether one of the others would do as well as the value that is there."""
        return any(other != value and self.comes_about(_put(self.state, path, other)) for other in others)


def _at(state: Any, path: Path) -> Any:
    for index in path:
        state = state[index]
    return state


def _put(value: Any, path: Sequence[int], part: Any) -> Any:
    """A state, or a part of one, with another value at a path."""
    if not path:
        return part
    cells = list(value)
    cells[path[0]] = _put(value[path[0]], path[1:], part)
    return bytes(cells) if isinstance(value, bytes) else tuple(cells)


def _shifted(mask: int, shift: int, most: int) -> int:
    """A set with each element replaced by a later one, the last ones by the first ones."""
    return (mask << shift | mask >> (most - shift)) & ((1 << most) - 1)
