"""The tree of a log: every answer that was ever given, undone ones too, and where the match stands."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from attrs import field, frozen
from rich.text import Text

if TYPE_CHECKING:
    from interpreter.log import Log

ROOT = -1


@frozen
class Tree:
    """Answers by record number. `parents`: which record each followed; `way`: the records on the way to `here`.

    `moves` are the undos, redos and branches in order: record number and what it did.
    """

    words: dict[int, str]
    parents: dict[int, int]
    way: tuple[int, ...]
    moves: tuple[tuple[int, str], ...]
    children: dict[int, list[int]] = field(init=False)

    @children.default
    def _children(self) -> dict[int, list[int]]:
        found: dict[int, list[int]] = {}
        for record, parent in self.parents.items():
            found.setdefault(parent, []).append(record)
        return found

    def plain(self) -> dict[str, Any]:
        """The tree as JSON data."""
        nodes = [
            {"record": n, "after": None if self.parents[n] == ROOT else self.parents[n], "what": text}
            for n, text in self.words.items()
        ]
        return {"nodes": nodes, "way": list(self.way), "moves": [{"record": n, "what": what} for n, what in self.moves]}


def tree_of(log: Log) -> Tree:
    """The tree of a log."""
    from interpreter.difference import told
    from interpreter.records import Answer, Branch, Redo, Start, Undo

    words, parents, moves = {}, {}, []
    here = ROOT
    for record in log.records:
        if isinstance(record, (Start, Answer)):
            words[record.n] = "the set-up" if isinstance(record, Start) else told(record)
            if isinstance(record, Answer) and record.automatic:
                words[record.n] += ", nothing else to do"
            parents[record.n] = here
            here = record.n
        elif isinstance(record, (Undo, Redo, Branch)):
            here = record.to
            who = getattr(record, "seat", None)
            crossed = getattr(record, "crossed", "")
            text = told(record) + (f" by {who}" if who else "")
            moves.append((record.n, text + (f", although {crossed}" if crossed else "")))
    way = []
    while here != ROOT:
        way.append(here)
        here = parents[here]
    return Tree(words, parents, tuple(reversed(way)), tuple(moves))


def lines_of_tree(tree: Tree) -> Iterator[Text]:
    """The tree, drawn: the way to where the match stands goes straight down, everything else branches off."""
    roots = tree.children.get(ROOT, [])
    if roots:
        yield from _drawn(tree, roots[-1], "", frozenset(tree.way), tree.way[-1] if tree.way else ROOT)
    if tree.moves:
        yield Text()
    for record, what in tree.moves:
        yield Text(f"{record:>5}  {what}", style="dim")


def _drawn(tree: Tree, record: int, indent: str, way: frozenset[int], here: int) -> Iterator[Text]:
    """An answer, what branches off behind it, and what goes on from it."""
    first = True
    while True:
        on_way = record in way
        head = indent if first else indent.replace("├─", "│ ")
        line = Text(head, style="dim").append(f"{record:>5}  {tree.words[record]}", style="" if on_way else "dim")
        if record == here:
            line.append("  ◀ here", style="bold")
        yield line
        first = False
        following = tree.children.get(record, [])
        if not following:
            return
        on = next((n for n in following if n in way), following[-1])
        for other in following:
            if other != on:
                yield from _drawn(tree, other, indent.replace("├─", "│ ") + "  ├─", way, here)
        record = on
