"""What a seat has seen and done so far, which in game theory is its *information state*: two positions that a player cannot tell
apart, having forgotten nothing, are remembered alike.

That is its own answers with the questions, every event as far as it may see it, and what an event did to the backs of what is
concealed (how many cards somebody holds now), where that does not follow from the rest. Whether another passed, or had to, is
not seen; nor is where the flow stands.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Union
from weakref import WeakKeyDictionary

from attrs import frozen

from interpreter.codec import NamedMap, show
from interpreter.machine import DRAW
from interpreter.node import Node
from interpreter.rules import Internal, Rules
from interpreter.view import REFEREE, Concealed, Viewer, may_see, visible_field
from rulesdsl.core import FieldInfo


@frozen
class Answered:
    """An answer of one's own: the move in internal form, with what was asked."""

    move: Internal
    text: str


@frozen
class Witnessed:
    """An event in internal form, and which of its arguments were seen."""

    event: Internal
    seen: tuple[bool, ...]
    text: str


Memory = Union[Answered, Witnessed]

_known: WeakKeyDictionary[Node, dict[Viewer, tuple[Memory, ...]]] = WeakKeyDictionary()


def remembered(rules: Rules, node: Node, viewer: Viewer, last: int | None = None) -> list[Memory]:
    """What a viewer remembers, from the beginning to a node, or the `last` so many of it and perhaps some before.

    Raises:
        ValueProblem: there is no such seat.
    """
    if viewer is not None and viewer is not REFEREE:
        rules.seat(viewer)
    found: list[tuple[Memory, ...]] = []
    count = 0
    here: Node | None = node
    while here is not None and (last is None or count < last):
        known = _known.setdefault(here, {})
        if viewer not in known:
            known[viewer] = tuple(_of_node(rules, here, viewer))
        found.append(known[viewer])
        count, here = count + len(known[viewer]), here.parent
    return [memory for memories in reversed(found) for memory in memories]


def _of_node(rules: Rules, node: Node, viewer: Viewer) -> Iterator[Memory]:
    """What a viewer remembers of one answer and what followed."""
    st = rules.module.initial() if node.parent is None else node.parent.st
    if node.parent is not None and node.move is not None and viewer in (rules.seats[node.seat], REFEREE):
        asked = " or ".join(rules.asked_texts(st, node.parent.frame))
        yield Answered(node.move, f"{asked}: {rules.move(node.move)}")
    for event in node.then:
        if event[0] != DRAW:
            before, st = st, rules.module.apply(st, event)
            yield _witnessed(rules, event, viewer, before, st)


def _witnessed(rules: Rules, event: Internal, viewer: Viewer, before: Internal, after: Internal) -> Witnessed:
    if event[0] == 0:
        return Witnessed(event, (True,) * (len(event) - 1), str(rules.event(event)))
    info = rules.event_info(event[0])
    seen = may_see(rules, info, event, viewer)
    text = rules.codec.text
    values = [text(p.type, v) if known else "?" for p, v, known in zip(info.params, event[1:], seen, strict=True)]
    told = f"{info.name}({', '.join(values)})"
    concealed = [field for field in rules.program.fields if field.visibility in ("private", "hidden")]
    if not all(seen) or any(field.name in info.reads for field in concealed):
        changes = [change for field in concealed for change in _changes(rules, field, viewer, before, after)]
        told += f" [{', '.join(changes)}]" if changes else ""
    return Witnessed(event, seen, told)


def _changes(rules: Rules, field: FieldInfo, viewer: Viewer, before: Internal, after: Internal) -> list[str]:
    """What a viewer sees of a change of a concealed field: the backs alone; what is one's own, an event has told."""
    if before[field.position] == after[field.position]:
        return []
    then, now = (dict(_backs(field.name, visible_field(rules, field, st, viewer))) for st in (before, after))
    return [f"{name} {value}" for name, value in now.items() if then.get(name) != value]


def _backs(name: str, value: object) -> Iterator[tuple[str, str]]:
    """The concealed parts of a value, each with where it is."""
    if isinstance(value, Concealed):
        yield name, str(value)
    elif isinstance(value, NamedMap):
        for key, item in value.items():
            yield from _backs(f"{name}[{show(key)}]", item)
    elif isinstance(value, tuple):
        for place, item in enumerate(value):
            yield from _backs(f"{name}[{place}]", item)
