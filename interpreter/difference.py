"""Where a log and the rules part, in words."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from attrs import frozen

from interpreter.position import Position
from interpreter.records import Answer, Branch, Happening, LoggedEvent, LoggedMove, Redo, Undo
from interpreter.values import Drawn, Event, Move


@frozen
class Difference:
    """The first place where a log and the rules part. `expected` stands in the log, `got` is what the rules do."""

    record: int
    what: str
    expected: str
    got: str
    before: Position | None

    def __str__(self) -> str:
        return f"record {self.record}: {self.what}: recorded {self.expected}, now {self.got}"


class Parted(Exception):
    """The log and the rules say different things."""

    def __init__(self, what: str, expected: str, got: str) -> None:
        self.what = what
        self.expected = expected
        self.got = got
        super().__init__(what)


def apart(then: Any, now: Any, name: str = "") -> tuple[str, str] | None:
    """Where two values in plain form are first different."""
    if then == now:
        return None
    if isinstance(then, list) and isinstance(now, list):
        gone, new = [x for x in then if x not in now], [x for x in now if x not in then]
        if gone or new:
            return _with(name, gone, new), _with(name, new, gone)
    if not isinstance(then, Mapping) or not isinstance(now, Mapping):
        return f"{name} is {_short(then)}", f"{name} is {_short(now)}"
    for key in dict.fromkeys([*then, *now]):
        inner = f"{name}[{key}]" if name else str(key)
        if key not in now:
            return f"{inner} is {_short(then[key])}", f"there is no {inner}"
        if key not in then:
            return f"there is no {inner}", f"{inner} is {_short(now[key])}"
        found = apart(then[key], now[key], inner)
        if found is not None:
            return found
    return None


def _with(name: str, own: list[Any], others: list[Any]) -> str:
    """A collection, told by what only this one has, or by what it lacks."""
    return f"{name} with {_short(own)}" if own else f"{name} without {_short(others)}"


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 48 else text[:45] + "..."


def item(then: Sequence[Happening], place: int) -> str:
    """An event or a draw among what followed an answer."""
    if place >= len(then):
        return "nothing more"
    found = then[place]
    if isinstance(found, LoggedEvent):
        return str(Event(found.event, found.arguments))
    return str(Drawn(found.draw, found.outcome))


def asked(seat: str | None, offers: Sequence[str]) -> str:
    return f"{seat} is asked {' or '.join(offers)}"


def told(record: Any) -> str:
    """A record in a few words."""
    if isinstance(record, Answer):
        return f"{record.seat} {move_text(record.answer)}"
    if isinstance(record, (Undo, Redo, Branch)):
        return f"{type(record).__name__.lower()} to record {record.to}"
    return type(record).__name__.lower()


def move_text(move: LoggedMove) -> str:
    """A logged move as people write it."""
    return str(Move(move.action, move.arguments))
