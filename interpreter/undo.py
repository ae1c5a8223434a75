"""Which answers may be taken back, and why not."""

from __future__ import annotations

from collections.abc import Sequence

from attrs import frozen

from interpreter.machine import DRAW
from interpreter.node import Node
from interpreter.rules import Rules


@frozen
class Verdict:
    """Whether something may be done; false with a reason."""

    reason: str = ""

    def __bool__(self) -> bool:
        return not self.reason


def undo_target(
    rules: Rules, line: Sequence[Node], humans: Sequence[str], seat: str | None, as_analyst: bool
) -> int | Verdict:
    """The place in the line that an undo goes back to, or why there is none. See `Match.undo`."""
    last = len(line) - 1
    while last > 0 and line[last].automatic:
        last -= 1
    if last <= 0:
        return Verdict("nothing has been answered yet")
    if as_analyst or not humans:
        return last - 1
    if len(humans) == 1:
        return _for_one(rules, line, humans[0], last)
    return _among_many(rules, line, seat, last)


def _for_one(rules: Rules, line: Sequence[Node], name: str, last: int) -> int | Verdict:
    human = rules.seats.index(name)
    while last > 0 and (line[last].seat != human or line[last].automatic):
        last -= 1
    return last - 1 if last > 0 else Verdict(f"{name} has answered nothing yet")


def _among_many(rules: Rules, line: Sequence[Node], seat: str | None, last: int) -> int | Verdict:
    names = rules.seats
    answered = names[line[last].seat]
    if seat is not None and answered != seat:
        own = any(names[node.seat] == seat and not node.automatic for node in line[1:])
        return Verdict(f"{answered} has answered since" if own else f"{seat} has answered nothing yet")
    for node in line[last:]:
        reason = barrier(rules, node)
        if reason:
            return Verdict(reason)
    return last - 1


def barrier(rules: Rules, node: Node) -> str:
    """Why players may not take back what a node did: a draw, or an event that showed something. Empty if they may."""
    for place, entry in enumerate(node.then):
        if entry[0] == DRAW:
            return f"{rules.draw_of(entry[1])[0]} was drawn since"
        if place in node.reveals:
            return f"{rules.event_name(entry[0])} has shown something since"
    return ""
