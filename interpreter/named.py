"""Named values: the sets, bags, maps and records that the machine hands out, and their text. All are immutable and hashable,
and keep the canonical order of their types."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Set
from typing import Any, Generic, TypeVar

K = TypeVar("K")
V = TypeVar("V")


class NamedSet(Set[V]):
    """An immutable set that keeps the canonical order of its type; equal to any set with the same elements."""

    __slots__ = ("_items", "_members")

    def __init__(self, items: Iterable[V] = ()) -> None:
        self._items = tuple(items)
        self._members = frozenset(self._items)

    @classmethod
    def _from_iterable(cls, it: Iterable[Any]) -> NamedSet[Any]:
        return NamedSet(it)

    def __contains__(self, item: object) -> bool:
        return item in self._members

    def __iter__(self) -> Iterator[V]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)

    def __hash__(self) -> int:
        return hash(self._members)

    def __repr__(self) -> str:
        return show(self)


class NamedMap(Mapping[K, V]):
    """An immutable mapping in canonical order; equal to any mapping with the same items."""

    __slots__ = ("_items", "pairs")

    def __init__(self, items: Mapping[K, V] | Iterable[tuple[K, V]] = (), pairs: bool = False) -> None:
        self._items = dict(items)
        self.pairs = pairs

    def __getitem__(self, key: K) -> V:
        return self._items[key]

    def __iter__(self) -> Iterator[K]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)

    def __hash__(self) -> int:
        return hash(frozenset(self._items.items()))

    def __repr__(self) -> str:
        return show(self)


class NamedBag(NamedMap[K, int], Generic[K]):
    """A bag: what is in it, with counts. What is not in it counts 0; `total` counts all."""

    __slots__ = ()

    def __getitem__(self, key: K) -> int:
        return self._items.get(key, 0)

    def __contains__(self, key: object) -> bool:
        return key in self._items

    @property
    def total(self) -> int:
        return sum(self._items.values())


class RecordValue:
    """The base of the attrs classes that are made for the records of a program."""

    __slots__ = ()
    __attrs_attrs__: tuple[Any, ...] = ()

    def __str__(self) -> str:
        return show(self)


def show(value: Any) -> str:
    """The text of a named value, as logs and people write it."""
    if value is None:
        return "none"
    if value is True or value is False:
        return "true" if value else "false"
    if isinstance(value, (str, int)):
        return str(value)
    if isinstance(value, RecordValue):
        parts = ", ".join(f"{a.name}={show(getattr(value, a.name))}" for a in value.__attrs_attrs__)
        return f"{type(value).__name__}({parts})"
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{show(k)}: {show(v)}" for k, v in value.items()) + "}"
    if isinstance(value, Set):
        return "{" + ", ".join(show(item) for item in value) + "}"
    if isinstance(value, (tuple, list)):
        return "[" + ", ".join(show(item) for item in value) + "]"
    return str(value)
