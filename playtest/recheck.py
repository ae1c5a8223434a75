"""The thorough check of one finished game: every law that is too dear to check in every game.

| law         | what must hold                                                                                           |
| ----------- | -------------------------------------------------------------------------------------------------------- |
| types       | every cell of the state, every argument of an event and every chosen value belongs to its type           |
| menu        | legal moves are different, in canonical order, allowed, and there is one if `any_legal` says so          |
| refusal     | a move that is not in the menu is not allowed, however senseless, and asking changes nothing             |
| determinism | the same ply in the same position gives the same events and the same position                            |
| replay      | the plies alone, played again from the start, give the same events and positions                         |
| undo        | an earlier position is what it was, and going on from it gives the same game                             |
| leak        | legal moves, refusals and what events show do not depend on what the seat cannot see                     |
| log         | the same game through a match: same events and states, and its log reads back and verifies               |

All invariants and transitions are checked around every event here, also those that the event cannot have broken. Of a long
game a random share of the plies is checked, and its beginning goes through a match.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any

from playtest.laws import DETERMINISM, MENU, REFUSAL, REPLAY, TYPES, UNDO, Broken, Laws
from playtest.plies import CHOICE, PASS, Ply, Position, State, play
from rulesdsl import runtime
from rulesdsl.core import FieldInfo, ParamInfo
from rulesdsl.types import Type, contains, size, value_at

NONSENSE_PER_QUESTION = 6
CHECKED_PLIES = 300
LOGGED_PLIES = 300
LEAKS_LOOKED_AT = 40

LogLaw = Callable[[Sequence[Ply]], None]
"""Plays plies through a match and its log; raises `Broken` with the law `log` where they differ."""


class Course:
    """What a game was: the position before each ply, the events of each ply, and what identified each position."""

    def __init__(self) -> None:
        self.positions: list[Position] = []
        self.events: list[tuple[Any, ...]] = []
        self.marks: list[int] = []

    def note(self, position: Position, events: Sequence[Any]) -> None:
        self.positions.append(position)
        self.events.append(tuple(events))
        self.marks.append(mark(position))


def mark(position: Position) -> int:
    """A number that changes when a position does, and that exists only for what cannot change.

    Raises:
        Broken: the position holds something that can be changed in place.
    """
    try:
        return hash(position)
    except TypeError as error:
        raise Broken(UNDO, "a position can be changed in place", str(error)) from None


def recheck(
    laws: Laws, plies: Sequence[Ply], rng: random.Random, logs: LogLaw | None = None
) -> tuple[int, Broken] | None:
    """Play a game again with every law checked. Gives the number of plies up to the first break, and the break."""
    done = 0
    try:
        with laws.faults():
            course = Course()
            position = _begin(laws, course, rng)
            share = CHECKED_PLIES / max(1, len(plies))
            for ply in plies:
                checked = share >= 1 or rng.random() < share
                leaks = laws.leaks if laws.leaks is not None and rng.random() < LEAKS_LOOKED_AT / len(plies) else None
                if checked:
                    _question(laws, position, ply, rng, leaks)
                done += 1
                state = position[0]
                position, events = _ply(laws, position, ply) if checked else _plain(laws, position, ply)
                if leaks is not None:
                    leaks.events(state, events, rng)
                course.note(position, events)
            _again(laws, plies, course)
            _undo(laws, plies, course, rng)
            if logs is not None:
                logs(plies[:LOGGED_PLIES])
    except Broken as broken:
        return done, broken
    return None


def _begin(laws: Laws, course: Course, rng: random.Random) -> Position:
    """The start of the game, thoroughly."""
    trace = runtime.Trace()
    position = laws.start(trace)
    _events(laws, laws.module.initial(), trace, position[0])
    if laws.leaks is not None:
        laws.leaks.events(laws.module.initial(), trace, rng)
    course.note(position, trace)
    return position


def _ply(laws: Laws, position: Position, ply: Ply) -> tuple[Position, Sequence[Any]]:
    """One ply: judged, its events and state within their types, twice the same."""
    trace, second = runtime.Trace(), runtime.Trace()
    before = mark(position)
    result = play(laws.module, position, ply, trace)
    again = play(laws.module, position, ply, second)
    if tuple(trace) != tuple(second) or result != again or trace.reveals != second.reveals:
        raise Broken(DETERMINISM, "the same ply gives different events or positions")
    events, decided = laws.module.decide(*position, ply[1])
    if list(events) != list(trace) or decided != result:
        raise Broken(DETERMINISM, "`decide` gives other events or another position")
    if mark(position) != before:
        raise Broken(UNDO, "a ply changed the position before it")
    _events(laws, position[0], trace, result[0])
    _within_types(laws, result[0])
    return result, trace


def _plain(laws: Laws, position: Position, ply: Ply) -> tuple[Position, Sequence[Any]]:
    """One ply, as it was played."""
    trace = runtime.Trace()
    return play(laws.module, position, ply, trace), trace


def _events(laws: Laws, state: State, events: Sequence[Any], result: State) -> None:
    """Every event has arguments of its types, breaks no invariant or transition, and together they give the result."""
    for number, event in enumerate(events):
        before, state = state, laws.module.apply(state, event)
        laws.judge_all(before, state, number)
        if event[0] != 0:
            _arguments(laws.module.EVENTS[event[0]], laws.event_params[event[0]], event[1:])
    if state != result:
        raise laws.other_state(result, state)


def _arguments(name: str, params: Sequence[ParamInfo], values: Sequence[Any]) -> None:
    if len(params) != len(values):
        raise Broken(TYPES, f"event {name}", f"{len(values)} arguments for {len(params)} parameters")
    for param, value in zip(params, values, strict=True):
        if not contains(param.type, value):
            raise Broken(TYPES, f"event {name}, {param.name}", f"{value!r} is no {param.type}")


def _within_types(laws: Laws, state: State) -> None:
    for info in laws.loaded.program.fields:
        if not _field_fits(info, state[info.position]):
            raise Broken(TYPES, f"field {info.name}", f"{state[info.position]!r} is no {info.type}", after=state)


def _field_fits(info: FieldInfo, value: Any) -> bool:
    if not info.keys:
        return contains(info.value, value)
    if len(value) != info.cells:
        return False
    if info.packed:
        count = size(info.value) or 0
        return isinstance(value, bytes) and all(code < count for code in value)
    return isinstance(value, tuple) and all(contains(info.value, cell) for cell in value)


# ---------------------------------------------------------------- questions


def _question(laws: Laws, position: Position, ply: Ply, rng: random.Random, leaks: Any = None) -> None:
    """The question at a position: what may be answered, what may not, and that the ply is among the answers."""
    options = laws.options(position)
    if ply not in options:
        raise Broken(REPLAY, "a ply that was possible is not possible again")
    state, frame = position
    if ply[0] == CHOICE:
        menu = [move for _, move in options]
        _menu(laws, position, menu)
        _refusals(laws, position, menu, rng)
        seat = laws.module.asked(state, frame)
        if not 0 <= seat < laws.module.SEATS:
            raise Broken(TYPES, "who is asked", f"there is no seat {seat}")
        if leaks is not None:
            leaks.question(state, frame, menu, rng)
    elif any(weight < 1 for _, weight in laws.module.outcomes(state, frame)):
        raise Broken(MENU, "an outcome without weight")
    if len(set(options)) != len(options):
        raise Broken(MENU, "an option is listed twice")


def _menu(laws: Laws, position: Position, menu: Sequence[Any]) -> None:
    """Legal moves come in canonical order, are allowed, and are made of values of their types."""
    module, (state, frame) = laws.module, position
    order = {action: place for place, action in enumerate(module.OFFERS[frame[0]], 1)}
    order[0] = 0
    places = [order.get(move[0], -1) for move in menu]
    if places != sorted(places) or -1 in places:
        raise Broken(MENU, "legal moves are not in canonical order")
    if (PASS in menu) != (frame[0] in module.MAY_PASS):
        raise Broken(MENU, "a pass is offered where there is none, or the other way round")
    if module.any_legal(state, frame) != any(move != PASS for move in menu):
        raise Broken(MENU, "`any_legal` and the menu disagree")
    values = {(move[0], number, value) for move in menu for number, value in enumerate(move[1:])}
    for action, number, value in values:
        kinds = laws.chosen_types[action]
        if number >= len(kinds) or not contains(kinds[number], value):
            raise Broken(TYPES, f"a move of {module.ACTIONS[action]}", f"{value!r} cannot be chosen number {number}")
    for move in menu:
        if len(move) != 1 + len(laws.chosen_types[move[0]]):
            raise Broken(TYPES, f"a move of {module.ACTIONS[move[0]]}", f"{move!r} has not all that is chosen")
        if not module.allows(state, frame, move):
            raise Broken(MENU, f"{module.ACTIONS[move[0]]} is listed but not allowed", repr(move))


def _refusals(laws: Laws, position: Position, menu: Sequence[Any], rng: random.Random) -> None:
    """Senseless moves are refused, without an exception and without a change."""
    state, frame = position
    before = mark(position)
    for _ in range(NONSENSE_PER_QUESTION):
        move = nonsense(laws, frame, menu, rng)
        try:
            allowed = laws.module.allows(state, frame, move)
        except runtime.RulesFault:
            continue
        except Exception as error:
            raise Broken(REFUSAL, f"asking for a senseless move fails: {type(error).__name__}", repr(move)) from error
        if bool(allowed) != (move in menu and repr(move) in map(repr, menu)):  # 1 is not true, though Python has them equal
            raise Broken(REFUSAL, "a move that is not in the menu is allowed", repr(move))
    if mark(position) != before:
        raise Broken(REFUSAL, "asking for a move changed the position")


_JUNK: tuple[Any, ...] = (-1, 10**6, None, "c3", (), (0,), ((0, 0), 0), b"\x00", 2**70, 0.5, [], {})


def nonsense(laws: Laws, frame: Any, menu: Sequence[Any], rng: random.Random) -> Any:
    """A random tuple that is probably no legal move: now a legal one with a part exchanged, now junk."""
    actions = len(laws.module.ACTIONS)
    way = rng.randrange(4)
    if way == 0 or not menu:
        parts = [rng.choice(_JUNK) if rng.random() < 0.5 else rng.randrange(9) for _ in range(rng.randrange(4))]
        return (rng.randrange(-1, actions + 2), *parts)
    action, *values = rng.choice(menu)
    if way == 1 and values:
        values[rng.randrange(len(values))] = rng.choice(_JUNK)
    elif way == 2:
        values = values[:-1] if rng.random() < 0.5 else [*values, rng.randrange(3)]
    else:
        action = rng.choice((action, rng.randrange(actions)))
        values = [_any_value(kind, rng) for kind in laws.chosen_types[action]]
    return (action, *values)


def _any_value(kind: Type, rng: random.Random) -> Any:
    """Some value of a type that can be counted; junk for the others."""
    count = size(kind)
    return value_at(kind, rng.randrange(count)) if count else rng.choice(_JUNK)


# ---------------------------------------------------------------- whole games


def _again(laws: Laws, plies: Sequence[Ply], course: Course) -> None:
    """Replay: the plies alone give the same events and positions."""
    trace = runtime.Trace()
    position = laws.module.start(trace)
    for number in range(len(plies) + 1):
        if tuple(trace) != course.events[number]:
            raise Broken(REPLAY, "played again, the game has other events")
        if position != course.positions[number]:
            raise Broken(REPLAY, "played again, the game has other positions")
        if number < len(plies):
            trace = runtime.Trace()
            position = play(laws.module, position, plies[number], trace)


def _undo(laws: Laws, plies: Sequence[Ply], course: Course, rng: random.Random) -> None:
    """Undo: an earlier position is what it was, and going on from it gives the same game."""
    if [mark(position) for position in course.positions] != course.marks:
        raise Broken(UNDO, "an earlier position has changed")
    number = rng.randrange(len(plies) + 1)
    position = course.positions[number]
    while number < len(plies):
        position = play(laws.module, position, plies[number], runtime.Trace())
        number += 1
        if position != course.positions[number]:
            raise Broken(UNDO, "after an undo the same plies give another game")
