"""Where a match stands, and where it has stood: the way here, what was undone, and the position after each record.

Undo, redo and branches move along positions that are kept. What comes before a snapshot is made from the log where somebody
asks for it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from interpreter.lines import is_more
from interpreter.node import Node, records_of
from interpreter.recorder import Recorder
from interpreter.records import Branch, Redo, Undo
from interpreter.snapshots import EVERY, Snapshots

if TYPE_CHECKING:
    from interpreter.past import Past


class History:
    """The positions of a match. `line` is the way from the set-up to where it stands, empty before the set-up; `past`, what was
    before the snapshot that it was opened from, if it was.
    """

    def __init__(self, recorder: Recorder) -> None:
        self.line: list[Node] = []
        self._recorder = recorder
        self._undone: list[list[Node]] = []
        self._by_record: dict[int, Node] = {}
        self.past: Past | None = None
        self._snapshots: Snapshots | None = None
        self._snapped = 0

    def go_on_from(self, past: Past) -> None:
        """Stand where a snapshot was taken."""
        self.past = past
        self.line = past.line()
        self._by_record[past.last] = past.now

    def take_snapshots(self, snapshots: Snapshots, since: int = 0) -> None:
        """Take snapshots from now on; the last one was taken at record `since`."""
        self._snapshots = snapshots
        self._snapped = since

    @property
    def here(self) -> Node | None:
        """Where the match stands; None before the set-up."""
        return self.line[-1] if self.line else None

    def known(self) -> Node | None:
        """Where the match stands, with all that answers ever led to from here."""
        here = self.here
        if here is not None and self.past is not None:
            self.past.complete(here)
        return here

    def after(self, record: int) -> Node | None:
        """The position after a record, if it is one of a set-up or an answer."""
        found = self._by_record.get(record)
        if found is None and self.past is not None and 0 <= record <= self.past.last:
            try:
                found = self._by_record[record] = self.past.fetch(record)
            except IndexError:
                return None
        return found

    def adopt(self, node: Node, record: int) -> None:
        """Stand after a node whose record is stored."""
        parent, move = self.known(), node.move
        if parent is not None and move is not None:
            node.parent = parent
            known = parent.children.setdefault(move, node)
            if known.then == node.then:
                node = known.like(node.automatic)
        if node.record < 0:
            node.record = record
        self._by_record[record] = node
        self.line.append(node)
        self._undone.clear()
        if self._snapshots is not None and record >= self._snapped + EVERY and node.record == record:
            self._take_snapshot(self._snapshots, record, node)

    def _take_snapshot(self, snapshots: Snapshots, record: int, node: Node) -> None:
        """Take a snapshot, if what was written together with the record is all there."""
        if self._recorder.plain or is_more(self._recorder.line(record)):
            return
        self._snapped = record
        snapshots.add(record, self._recorder.hash_of(record), node, records_of(self.line))

    # ------------------------------------------------------------ to and fro

    @property
    def undone(self) -> Sequence[Node]:
        """What the last undo took back, and nothing was answered since."""
        return self._undone[-1] if self._undone else ()

    def take_back(self, place: int) -> None:
        """Stand at a place of the line; what came after it can be made again."""
        self._undone.append(self.line[place + 1 :])
        del self.line[place + 1 :]

    def make_again(self) -> None:
        """Make again what the last undo took back."""
        self.line.extend(self._undone.pop())

    def move_to(self, node: Node) -> None:
        """Stand at any position."""
        self.line = node.path() if self.past is None else self.past.line_to(node)
        self._undone.clear()

    def follow(self, record: Undo | Redo | Branch) -> None:
        """Go where a stored record says.

        Raises:
            ValueError: the record cannot stand here.
        """
        node = self.after(record.to)
        if node is None:
            raise ValueError(f"record {record.to} is not a set-up or an answer")
        if isinstance(record, Branch):
            self.move_to(node)
        elif isinstance(record, Redo):
            if not self.undone or self.undone[-1] is not node:
                raise ValueError("what it makes again was not undone last")
            self.make_again()
        else:
            if not (node.depth < len(self.line) - 1 and self.line[node.depth] is node):
                raise ValueError("it goes back to a position that is not on the way here")
            self.take_back(node.depth)
