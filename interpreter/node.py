"""A position in the tree of a match, or on the way of a search: plain internal values."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from attrs import define, evolve, field

from interpreter.machine import DRAW
from interpreter.rules import Internal


@define(eq=False)
class Node:
    """A position in the tree of a match (internal values): the answer that led here, what followed, and where it rests.

    `record` is the number of the record that first led here. `children` are the positions that answers led to from here, so
    that the same answer after an undo finds the draws that were made for it. `parent` may be told as a function that finds it.
    """

    _parent: Node | Callable[[], Node] | None
    depth: int
    seat: int
    move: Internal | None
    automatic: bool
    then: tuple[Internal, ...]
    reveals: tuple[int, ...]
    st: Internal
    frame: Any
    record: int = -1
    children: dict[Internal, Node] = field(factory=dict)
    _other: Node | None = None

    @property
    def parent(self) -> Node | None:
        """The position before; None for the first one."""
        found = self._parent
        if found is None or isinstance(found, Node):
            return found
        self._parent = made = found()
        return made

    @parent.setter
    def parent(self, node: Node | None) -> None:
        self._parent = node

    def like(self, automatic: bool) -> Node:
        """This position, reached by the same answer, made by the machine or not: a pass may have been both."""
        if self.automatic == automatic:
            return self
        if self._other is None:
            self._other = evolve(self, parent=self._parent, automatic=automatic, record=-1, children={}, other=self)
        return self._other

    def pair(self, other: Node) -> None:
        """Take a node for what `like` is to find: this position, reached by the same answer, by the machine or not."""
        if self._other is None and other._other is None and (self.automatic, self.then) == (not other.automatic, other.then):
            self._other, other._other = other, self

    def path(self) -> list[Node]:
        """From the start to here."""
        nodes: list[Node] = []
        node: Node | None = self
        while node is not None:
            nodes.append(node)
            node = node.parent
        return nodes[::-1]


def events_of(node: Node) -> Iterator[Internal]:
    """The events of a node alone, without draws."""
    return (entry for entry in node.then if entry[0] != DRAW)


def records_of(line: list[Node]) -> list[int]:
    """The records of the positions of a line, of which some may not be made yet and be told by their records."""
    items: Iterator[Any] = list.__iter__(line)
    return [item if isinstance(item, int) else item.record for item in items]
