"""What a seat may see: the state by the marks of its fields, events by the marks of their parameters, and nothing else.

Not another's answer or legal moves, not a drawn outcome, not where the flow stands, no digests and no seeds. A spectator
(`None`) sees what is public, `REFEREE` sees everything. `len` of what is private or hidden, and whether an option is there,
is public: the backs of cards.
"""

from __future__ import annotations

import enum
import re
from collections.abc import Mapping
from typing import Any, Final, Literal, Union

from attrs import field, fields, frozen, has

from interpreter.codec import Codec, NamedMap, bits, show
from interpreter.node import events_of
from interpreter.position import Position
from interpreter.prose import prose
from interpreter.rules import Internal, Rules
from interpreter.values import Event, Move, Outcome, Question
from rulesdsl import core
from rulesdsl.core import EventInfo, FieldInfo
from rulesdsl.python.backend import ExtraFunction
from rulesdsl.types import (
    BagType,
    BoolType,
    IntType,
    ListType,
    MapType,
    OptionType,
    SetType,
    Type,
    values,
)


class _Referee(enum.Enum):
    REFEREE = "referee"


REFEREE: Final = _Referee.REFEREE
"""A viewer who sees everything."""

Viewer = Union[str, None, Literal[_Referee.REFEREE]]


@frozen
class Concealed:
    """A value that the viewer may not see. `count`: how many are in it, where that is public; `present`: whether it is there."""

    type: str
    noun: str = field(eq=False)
    count: int | None = None
    present: bool | None = None

    def __str__(self) -> str:
        if self.count is not None:
            return f"{self.count} hidden"
        if self.present is False:
            return "none"
        return self.noun


@frozen
class View:
    """What a viewer sees of a position.

    `state`: the fields by name, what is not to be seen as `Concealed`; `events`: all so far, redacted; `question` and
    `legal_moves`: only if it is the viewer who is asked; `sentences`: the story so far, as the viewer may read it.
    """

    viewer: Viewer
    state: NamedMap[str, Any]
    events: tuple[Event, ...]
    question: Question | None
    legal_moves: tuple[Move, ...]
    outcome: Outcome | None
    sentences: tuple[str, ...]

    def plain(self, codec: Codec) -> dict[str, Any]:
        """The view as JSON data."""
        name = self.viewer.value if isinstance(self.viewer, _Referee) else self.viewer
        return {
            "viewer": name,
            "state": {key: plain_value(codec, value) for key, value in self.state.items()},
            "events": [plain_event(codec, event) for event in self.events],
            "question": None if self.question is None else plain_question(codec, self.question),
            "legal_moves": [str(move) for move in self.legal_moves],
            "outcome": None if self.outcome is None else plain_value(codec, self.outcome),
            "sentences": list(self.sentences),
        }


def plain_event(codec: Codec, event: Event) -> dict[str, Any]:
    """A visible event as JSON data."""
    return {"event": event.name, "arguments": plain_value(codec, event.arguments)}


def plain_question(codec: Codec, question: Question) -> dict[str, Any]:
    """A question as JSON data."""
    found: dict[str, Any] = plain_value(codec, question)
    return found


def plain_value(codec: Codec, value: Any) -> Any:
    """A value of a view as JSON data: what is concealed says so."""
    if isinstance(value, Concealed):
        known = {"count": value.count, "present": value.present}
        return {"concealed": value.type, **{key: item for key, item in known.items() if item is not None}}
    if isinstance(value, tuple):
        return [plain_value(codec, item) for item in value]
    if isinstance(value, NamedMap) and not value.pairs:
        return {show(key): plain_value(codec, item) for key, item in value.items()}
    out = codec.converter.unstructure
    if isinstance(value, NamedMap):
        return [[out(key), plain_value(codec, item)] for key, item in value.items()]
    return out(value)


def view(position: Position, viewer: Viewer) -> View:
    """What a viewer sees of a position.

    Raises:
        ValueProblem: there is no such seat.
        RulesError: the rules fail while the viewer's guards are evaluated.
    """
    rules, node = position.rules, position.node
    seat = None if viewer is None or viewer is REFEREE else rules.seat(viewer)
    asked = position.asks and (viewer is REFEREE or rules.module.asked(node.st, node.frame) == seat)
    state = NamedMap((info.name, visible_field(rules, info, node.st, viewer)) for info in rules.program.fields)
    events = tuple(visible_event(rules, e, viewer) for n in node.path() for e in events_of(n))
    return View(
        viewer,
        state,
        events,
        position.question if asked else None,
        tuple(position.legal_moves()) if asked else (),
        position.outcome,
        tuple(narrate(position, -1, viewer)),
    )


# ---------------------------------------------------------------- state


def visible_field(rules: Rules, info: FieldInfo, st: Internal, viewer: Viewer) -> Any:
    """A field as a viewer sees it."""
    value = rules.field_value(info, st[info.position])
    if viewer is REFEREE or info.visibility not in ("private", "hidden"):
        return rules.codec.named(info.type, value)
    if info.visibility == "hidden":
        return backs(rules.codec, info.type, value)
    assert isinstance(info.type, MapType)
    part = info.type.value
    return NamedMap(
        (seat, rules.codec.named(part, own) if seat == viewer else backs(rules.codec, part, own))
        for seat, own in zip(rules.seats, value, strict=True)
    )


def backs(codec: Codec, t: Type, value: Any) -> Any:
    """What is public about a value that is not: its length, whether it is there, or nothing."""
    if isinstance(t, MapType):
        keys = [codec.named(t.key, key) for key in values(t.key)]
        return NamedMap((key, backs(codec, t.value, item)) for key, item in zip(keys, value, strict=True))
    count, present = None, None
    if isinstance(t, SetType):
        count = value.bit_count()
    elif isinstance(t, BagType):
        count = sum(value)
    elif isinstance(t, ListType):
        if isinstance(t.item, OptionType):
            return tuple(backs(codec, t.item, item) for item in value)
        count = len(value)
    elif isinstance(t, OptionType):
        present = value is not None
    return Concealed(str(t), noun(t), count, present)


# ---------------------------------------------------------------- events


def may_see(rules: Rules, info: EventInfo, event: Internal, viewer: Viewer) -> tuple[bool, ...]:
    """For each argument of an event, whether a viewer may see it."""
    if viewer is REFEREE:
        return (True,) * len(info.params)
    by_name = {param.name: (param.type, value) for param, value in zip(info.params, event[1:], strict=True)}
    seat = None if viewer is None else rules.seat(viewer)
    return tuple(
        param.audience is None or (seat is not None and any(_among(seat, *by_name[name]) for name in param.audience))
        for param in info.params
    )


def _among(seat: int, t: Type, value: Any) -> bool:
    """Whether a seat is the player, or among the players, of a value."""
    if isinstance(t, OptionType):
        return value is not None and _among(seat, t.item, value)
    if isinstance(t, SetType):
        return seat in bits(value)
    if isinstance(t, ListType):
        return seat in value
    return bool(value == seat)


def visible_event(rules: Rules, event: Internal, viewer: Viewer) -> Event:
    """An event by name, what the viewer may not see as `Concealed`: only its back."""
    whole = rules.event(event)
    if event[0] == 0:
        return whole
    info = rules.event_info(event[0])
    sees = may_see(rules, info, event, viewer)
    items = [
        (param.name, named if seen else backs(rules.codec, param.type, value))
        for param, named, value, seen in zip(info.params, whole.arguments.values(), event[1:], sees, strict=True)
    ]
    return Event(whole.name, NamedMap(items))


# ---------------------------------------------------------------- sentences


def narrate(position: Position, since: int = -1, viewer: Viewer = None) -> list[str]:
    """The sentences of the events after `since` answers, as a viewer may read them. Events without a sentence are silent."""
    rules = position.rules
    nodes = [node for node in position.node.path() if node.depth > since]
    told = (sentence(rules, event, viewer) for node in nodes for event in events_of(node))
    return [text for text in told if text is not None]


def sentence(rules: Rules, event: Internal, viewer: Viewer) -> str | None:
    """The sentence of an event as a viewer may read it; None if it has none."""
    if event[0] == 0:
        return _ended(rules, event)
    info = rules.event_info(event[0])
    if info.sentence is None:
        return None
    hidden = {p.name for p, seen in zip(info.params, may_see(rules, info, event, viewer), strict=True) if not seen}
    by_name = {param.name: value for param, value in zip(info.params, event[1:], strict=True)}
    parts = []
    for place, part in enumerate(info.sentence.parts):
        if isinstance(part, str):
            parts.append(part)
        elif hidden & names_in(part):
            parts.append(noun(part.type))
        else:
            parts.append(prose(rules.codec, part.type, _value(rules, info, place, part, by_name)))
    return "".join(parts)


def _ended(rules: Rules, event: Internal) -> str:
    return str(rules.outcome(((event[1], event[2]),)))


def _value(rules: Rules, info: EventInfo, place: int, part: core.Expr, by_name: Mapping[str, Any]) -> Any:
    if isinstance(part, core.Local):
        return by_name[part.name]
    functions = rules.compiled(("sentence", info.name), lambda: _sentence_functions(info))
    return functions[f"part_{place}"](rules.module.initial(), *by_name.values())


def _sentence_functions(info: EventInfo) -> list[ExtraFunction]:
    assert info.sentence is not None
    params = tuple(param.name for param in info.params)
    return [
        ExtraFunction(f"part_{place}", params, part, None)
        for place, part in enumerate(info.sentence.parts)
        if not isinstance(part, (str, core.Local))
    ]


def names_in(tree: Any) -> set[str]:
    """The names of all locals in a core expression."""
    if isinstance(tree, core.Local):
        return {tree.name}
    if isinstance(tree, tuple):
        return set().union(*map(names_in, tree)) if tree else set()
    if has(type(tree)) and type(tree).__module__ == core.__name__:
        return set().union(*(names_in(getattr(tree, a.name)) for a in fields(type(tree))))
    return set()


def noun(t: Type) -> str:
    """What a hidden value of a type is called in a sentence: `a resource`, `a number`, `some cards`."""
    if isinstance(t, OptionType):
        return noun(t.item)
    if isinstance(t, IntType):
        return "a number"
    if isinstance(t, BoolType):
        return "yes or no"
    if isinstance(t, (SetType, BagType, ListType)):
        return f"some {_words(t.item)}s"
    if isinstance(t, MapType):
        return noun(t.value)
    words = _words(t)
    return f"{'an' if words[:1] in 'aeiou' else 'a'} {words}"


def _words(t: Type) -> str:
    if isinstance(t, IntType):
        return "number"
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|_", " ", str(t)).strip("?").lower()
