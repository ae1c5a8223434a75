"""How far a state is from breaking a law: what the law needed when it was broken, and what the steps on the way there needed.

The needs (`playtest.needed`) of the last answers of a failing game are of two kinds. Some are come nearer to step by step, as a
stack is used up; others come and go, as what is paid for the steps. The first tell how far a game has come. To make
another step the same is asked again of the steps that the failing game made: what did they need?
"""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from itertools import pairwise

from attrs import frozen

from playtest.laws import Broken, Check, Laws
from playtest.lenient import Line
from playtest.needed import Need, needs
from playtest.plies import CHOICE, DRAW, Ply, Position, State
from rulesdsl import runtime

Distance = tuple[int, int]
"""How far it still is, and how far it is to the next step; where there are no steps left, how far the rest of what is needed is."""

BACK = 40
"""So many of the last answers are looked at, to find one from which much is needed."""
STEADY = 4
"""A need is come nearer to step by step if for so many steps there is at most one away from it."""
STEPS = 12


@frozen
class Aim:
    """What a state must have: `steady`, what is come nearer to step by step; `fleeting`, what comes and goes; and `steps`: what
    steps needed, each with how far it was at the last of them."""

    steady: tuple[Need, ...]
    fleeting: tuple[Need, ...]
    steps: tuple[tuple[int, tuple[Need, ...]], ...]

    def distance(self, state: State) -> Distance:
        """How far a state is from it."""
        far = _far(self.steady, state)
        if not far:
            return 0, _far(self.fleeting, state)
        return far, min((_far(step, state) for at, step in self.steps if at <= far), default=0)


def aims(laws: Laws, line: Line) -> list[Aim]:
    """What a game that breaks a law has come to, the less demanding first; nothing if that cannot be told. `laws`: those that look
    at this law only."""
    check = next((check for check in laws.all_invariants if (check.law, check.text) == line.broken.kind), None)
    found: list[Aim] = []
    for whole in (False, True) if check is not None else (True,):
        tried = [needed for at in _tails(line) if (needed := _needed(laws, line, at, check, whole)) is not None]
        there, steady, fleeting = max(tried, key=lambda needed: needed[0], default=(0, (), ()))
        made = Aim(steady, fleeting, _steps(laws, line, steady)) if there else None
        if made is not None and made not in found:
            found.append(made)
    return found


def _far(wanted: Sequence[Need], state: State) -> int:
    return sum(need.distance(state) for need in wanted)


def _tails(line: Line) -> list[int]:
    """From where on the end of a game may be looked at: from its last answer, from the last ones to questions that fewer others
    surround, and from two before them."""
    asked = [n for n, ply in enumerate(line.plies) if ply[0] == CHOICE]
    found: list[int] = []
    least: int | None = None
    for n in reversed(asked[-BACK:]):
        deep = depth(line.positions[n])
        if least is None or deep < least:
            least = deep
            found.append(n)
    return found + [n for n in asked if found and n < found[-1]][:-3:-1]


def depth(position: Position) -> int:
    """How many flows and actions are waiting at a position."""
    frame, deep = position[1], 0
    while frame is not None:
        frame, deep = frame[2], deep + 1
    return deep


def _needed(
    laws: Laws, line: Line, at: int, check: Check | None, whole: bool
) -> tuple[int, tuple[Need, ...], tuple[Need, ...]] | None:
    """What was needed at a place of a game to break the law from there on: the place where the steady needs were there for the
    first time, these, and the fleeting ones."""
    state = line.positions[at][0]
    breaks = _breaking(laws, line, at, check, whole)
    if not breaks(state):
        return None
    steady: list[Need] = []
    fleeting: list[Need] = []
    for need in needs(laws.loaded.program, line.positions[0][0], state, breaks):
        gaps = [need.distance(position[0]) for position in line.positions]
        changes = [after - before for before, after in pairwise(gaps)]
        away, nearer = sum(n for n in changes if n > 0), sum(-n for n in changes if n < 0)
        (steady if away * STEADY <= nearer else fleeting).append(need)
    if not steady:
        steady, fleeting = fleeting, []
    there = next(n for n, position in enumerate(line.positions) if not _far(steady, position[0]))
    return there, tuple(steady), tuple(fleeting)


def _breaking(laws: Laws, line: Line, at: int, check: Check | None, whole: bool) -> Callable[[State], bool]:
    """Whether the rest of a game breaks the law from another state. In states that are made, and not come to, an invariant
    (`check`) may not hold from the beginning: such states are not as needed, or else (not `whole`) the event that broke it must
    happen."""
    frame, rest, kind = line.positions[at][1], line.plies[at:], line.broken.kind
    event = _event(laws, line)
    unjudged = _unjudged(laws)

    def breaks(state: State) -> bool:
        try:
            if check is None or check.holds(state):
                played(laws, (state, frame), rest)
                return False
        except Broken as broken:
            return broken.kind == kind
        except Exception:  # the law itself fails in a state that is never come to
            return False
        if whole:
            return False
        events: list[tuple[object, ...]] = []
        try:
            played(unjudged, (state, frame), rest, events)
        except Broken:
            return False
        return any(happened[0] == event for happened in events)

    return breaks


def _event(laws: Laws, line: Line) -> object:
    """The kind of event that broke the law, None if it was not one."""
    number = line.broken.event
    events: list[tuple[object, ...]] = []
    with suppress(Broken):
        played(_unjudged(laws), line.positions[len(line.plies) - 1], line.plies[-1:], events)
    return events[number][0] if number is not None and number < len(events) else None


def _unjudged(laws: Laws) -> Laws:
    made = copy.copy(laws)
    made.judging = False
    return made


def played(
    laws: Laws, position: Position, plies: Sequence[Ply], events: list[tuple[object, ...]] | None = None
) -> Position:
    """The position after plies, up to the first answer that is not possible. An outcome that is not possible is another one.

    Args:
        events: what happens is added to it.
    Raises:
        Broken: a law is broken, also by a question that nobody could answer at the end.
    """
    module = laws.module
    for kind, value in plies:
        if position[1] is None:
            return position
        with laws.faults():
            if module.KIND[position[1][0]] != kind:
                return position
            if kind == DRAW:
                outcomes = [ply[1] for ply in laws.options(position)]
                value = value if value in outcomes else outcomes[0]
            elif not module.allows(*position, value):
                return position
        trace = runtime.Trace()
        position = laws.step(position, (kind, value), trace)
        if events is not None:
            events.extend(trace)
    laws.options(position)
    return position


def _steps(laws: Laws, line: Line, steady: Sequence[Need]) -> tuple[tuple[int, tuple[Need, ...]], ...]:
    """What the steps of a game needed, those that were made most often."""
    counted: Counter[tuple[Need, ...]] = Counter()
    last: dict[tuple[Need, ...], int] = {}
    unjudged = _unjudged(laws)
    asked = [n for n, ply in enumerate(line.plies) if ply[0] == CHOICE]
    for at, after in pairwise(asked):
        far = _far(steady, line.positions[at][0])
        if _far(steady, line.positions[after][0]) < far:
            needed = _step(unjudged, line, at, after, steady)
            if needed is not None:
                counted[needed] += 1
                last[needed] = far
    return tuple((last[step], step) for step, _ in counted.most_common(STEPS))


def _step(
    unjudged: Laws, line: Line, at: int, after: int, steady: Sequence[Need]
) -> tuple[Need, ...] | None:
    """What a step needed."""
    state, frame = line.positions[at]
    plies = line.plies[at:after]

    def nearer(other: State) -> bool:
        try:
            return _far(steady, played(unjudged, (other, frame), plies)[0]) < _far(steady, other)
        except Broken:
            return False

    return needs(unjudged.loaded.program, line.positions[0][0], state, nearer) if nearer(state) else None
