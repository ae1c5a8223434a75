"""A position in the tree of a match, or on the way of a search: plain internal values."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from attrs import define, field

from interpreter.machine import DRAW
from interpreter.rules import Internal


@define(eq=False)
class Node:
    """A position in the tree of a match (internal values): the answer that led here, what followed, and where it rests.

    `record` is the number of the record that last led here. `children` are the positions that answers led to from here, so
    that the same answer after an undo finds the draws that were made for it.
    """

    parent: Node | None
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
