"""The numbers by which Hypothesis chooses moves and outcomes: they last when moves before them are taken away, so failures shrink.

An index into the legal moves would not: what is legal depends on what was played before, so that one answer less gives all
later indices another meaning. A move's number is its place among all moves of the actions that are offered, possible or not.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Any

from interpreter.rules import Rules
from playtest.plies import DRAW, PASS, Ply, Position
from rulesdsl.types import size, value_at

MOVES = 20_000
"""A question that offers more moves than so many has no lasting numbers: its legal moves are counted instead."""

_OFFERED: dict[tuple[int, int], list[Any]] = {}


def offered(rules: Rules, pc: int) -> list[Any]:
    """All moves of the actions that are offered at a question, legal or not, in order; empty where they are too many."""
    key = (id(rules.module), pc)
    if key not in _OFFERED:
        groups = [[(0,)]] if pc in rules.module.MAY_PASS else []
        for position in dict.fromkeys(rules.module.OFFERS[pc]):
            kinds = [item.type for item in rules.action(position).chosen]
            sizes = [size(kind) for kind in kinds]
            if any(count is None for count in sizes) or math.prod(count or 0 for count in sizes) > MOVES:
                groups = []
                break
            every = itertools.product(*([value_at(kind, i) for i in range(size(kind) or 0)] for kind in kinds))
            groups.append([(position, *values) for values in every])
        found = [move for group in groups for move in group]
        _OFFERED[key] = found if len(found) <= MOVES else []
    return _OFFERED[key]


def numbers_of(rules: Rules, position: Position, ply: Ply) -> Sequence[int]:
    """The numbers that a ply is drawn with; none for a pass that a match makes by itself."""
    state, frame = position
    kind, value = ply
    if kind == DRAW:
        number = 0
        for outcome, weight in rules.module.outcomes(state, frame):
            if outcome == value:
                return [number]
            number += weight
    if value == PASS and not rules.module.any_legal(state, frame):
        return []
    possible = offered(rules, frame[0]) or rules.module.legal(state, frame)
    return [possible.index(value) + 1]
