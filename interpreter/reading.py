"""Reading moves, events and draws of a log back into internal values, quickly and strictly."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from typing import Any

from interpreter.codec import Codec
from interpreter.errors import ValueProblem
from interpreter.records import Plain
from interpreter.rules import Internal, Rules
from interpreter.values import Move
from rulesdsl.diagnostics import closest
from rulesdsl.types import EnumType, IntType, OptionType, Type

Read = Callable[[Any], Any]
Told = tuple["Internal | None", tuple[str, Any]]
"""An event, or the name and the outcome (as JSON data) of a draw."""

_BETWEEN = re.compile(rb',(?=\{"(?:event|draw)":")')
_REMEMBERED = 1 << 14
_Call = tuple[int, tuple[str, ...], tuple[Read, ...]]
"""The position of an action or an event, the names of its arguments, and what reads them."""


class Reader:
    """Reads what the lines of logs of one program say: members of JSON objects into internal values.

    Most of what is read was read before, so that its text leads to its value: `move_in` and `told_in` take lines.
    """

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self._known_moves: dict[bytes, Internal] = {}
        self._known: dict[bytes, Told] = {}
        self._moves: dict[str, _Call] = {"pass": (0, (), ())}
        for action in rules.program.actions:
            self._moves[action.name] = self._call(action.position, [(c.name, c.type) for c in action.chosen])
        self._events: dict[str, _Call] = {}
        for position in (0, *(event.position for event in rules.program.events)):
            self._events[rules.event_name(position)] = self._call(position, rules.event_params(position))

    def _call(self, position: int, params: Sequence[tuple[str, Type]]) -> _Call:
        names, types = tuple(name for name, _ in params), [t for _, t in params]
        return position, names, tuple(reader(self.rules.codec, t) for t in types)

    def move_in(self, line: bytes) -> Internal | None:
        """The move in the line of an answer; None if it is not written as answers are, or not of these rules."""
        start, end = line.find(b',"answer":{'), line.find(b'},"then":[')
        if not 0 < start < end:
            return None
        text = line[start + 10 : end + 1]
        found = self._known_moves.get(text)
        if found is None:
            try:
                found = self.move(json.loads(text))
            except (ValueError, KeyError, TypeError):
                return None
            _remember(self._known_moves, text, found)
        return found

    def told_in(self, line: bytes) -> list[Told] | None:
        """The events and draws in the line of an answer or a set-up; None if it is not written as these are.

        Raises:
            ValueProblem: an event is not one of these rules.
        """
        start, end = line.find(b',"then":['), line.rfind(b'],"state":"')
        if not 0 < start < end:
            return None
        text = line[start + 9 : end]
        known = self._known
        told = []
        for part in _BETWEEN.split(text) if text else ():
            found = known.get(part)
            if found is None:
                try:
                    found = self._told(json.loads(part))
                except json.JSONDecodeError:
                    return None
                _remember(known, part, found)
            told.append(found)
        return told

    def _told(self, item: Plain) -> Told:
        return (None, (item["draw"], item["outcome"])) if "draw" in item else (self.event(item), ("", None))

    def move(self, data: Plain) -> Internal:
        """The internal form of a logged move.

        Raises:
            ValueProblem: there is no such action, or its arguments are not of their types.
        """
        found = self._read(self._moves, data, "action")
        return found if found is not None else self.rules.internal_move(Move(data["action"], data["arguments"]))

    def event(self, data: Plain) -> Internal:
        """The internal form of a logged event.

        Raises:
            ValueProblem: there is no such event, or its arguments are not of their types.
        """
        found = self._read(self._events, data, "event")
        return found if found is not None else self._refused(data["event"], data["arguments"])

    @staticmethod
    def _read(calls: dict[str, _Call], data: Plain, kind: str) -> Internal | None:
        """A call that is as it should be, or None."""
        try:
            position, names, readers = calls[data[kind]]
            arguments = data["arguments"]
            if tuple(arguments) != names:
                return None
            return (position, *[read(value) for read, value in zip(readers, arguments.values(), strict=True)])
        except (KeyError, TypeError, ValueProblem):
            return None

    def _refused(self, name: str, arguments: Plain) -> Internal:
        """What is wrong with an event."""
        position = self.rules.event_position(name)
        if position is None:
            meant = closest(name, self._events)
            raise ValueProblem("", f"there is no event {name}" + (f"; did you mean {meant}?" if meant else ""))
        params = self.rules.event_params(position)
        if [key for key, _ in params] != list(arguments):
            raise ValueProblem(name, f"its arguments are {', '.join(key for key, _ in params)}")
        internal = self.rules.codec.internal
        return (position, *(internal(t, arguments[key], f"{name}.{key}") for key, t in params))


def _remember(known: dict[bytes, Any], text: bytes, value: Any) -> None:
    if len(known) < _REMEMBERED:
        known[text] = value


def reader(codec: Codec, t: Type) -> Read:
    """The function from JSON data to internal values of a type; it raises KeyError, TypeError or ValueProblem for others."""
    if isinstance(t, EnumType):
        return {name: place for place, name in enumerate(t.members)}.__getitem__
    if isinstance(t, IntType):
        lo, hi = t.lo, t.hi

        def number(value: Any) -> Any:
            if type(value) is int and lo <= value <= hi:
                return value
            raise TypeError

        return number
    if isinstance(t, OptionType):
        item = reader(codec, t.item)
        return lambda value: None if value is None else item(value)
    return lambda value: codec.internal(t, value)


def reader_of(rules: Rules) -> Reader:
    """The reader of a program: made once."""
    if rules.reader is None:
        rules.reader = Reader(rules)
    found: Reader = rules.reader
    return found
