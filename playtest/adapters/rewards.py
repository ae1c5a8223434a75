"""What a game is worth to each seat: by its outcome, by its scores, or by a measure of the rules.

| rewards | |
| --- | --- |
| `outcome` | 1 to each winner and -1 to each loser; 0 to all if all win, that is, a tie; -1 to all if nobody wins. Alone: 1 or -1 |
| `scores` | the scores with which the game ends |
| a measure | its value for the seat in each position, beginning with 0: what an answer gains is its reward |
"""

from __future__ import annotations

from collections.abc import Iterator

from interpreter import Position, Rules, ValueProblem
from rulesdsl import core
from rulesdsl.lowering.walk import statements
from rulesdsl.types import INT, IntType, MapType, Type

WIDEST = 2**31
"""What stands for the end of a range that has none."""


class Rewards:
    """The worth of positions. `low` and `high`: the least and greatest worth at the end; `zero_sum`: all seats together
    have 0 at the end, whatever happens; `at_end`: whether positions before it are worth 0."""

    def __init__(self, rules: Rules, kind: str = "outcome") -> None:
        """
        Raises:
            ValueProblem: no such measure, or scores that not every game has.
        """
        self.rules = rules
        self.kind = kind
        self.seats = len(rules.seats)
        self.at_end = kind in ("outcome", "scores")
        self._nothing = (0.0,) * self.seats
        ends = list(_ends(rules.program))
        if kind == "outcome":
            self.low, self.high = -1.0, 1.0
            self.zero_sum = self.seats == 2 and all(map(_somebody_wins, ends))
        elif kind == "scores":
            if not ends or any(end.scores is None for end in ends):
                raise ValueProblem("rewards", f"{rules.program.name} can end without scores")
            self.low, self.high = _range([t for end in ends if end.scores is not None for t in _scored(end.scores)])
            self.zero_sum = False
        else:
            low, high = _range([_measure(rules, kind).value.type])
            self.low, self.high = low - high, high - low
            self.zero_sum = False

    def worth(self, position: Position) -> tuple[float, ...]:
        """What a position is worth to each seat.

        Raises:
            RulesError: the measure fails.
        """
        st = position.node.st
        if not self.at_end:
            return tuple(float(position.measure(self.kind, seat)) for seat in self.rules.seats)
        if st[-1] is None:
            return self._nothing
        winners, scores = st[-1]
        if self.kind == "scores":
            return tuple(map(float, scores))
        won = winners.bit_count()
        if won == 0:
            return (-1.0,) * self.seats
        if won == self.seats > 1:
            return self._nothing
        return tuple(1.0 if winners >> seat & 1 else -1.0 for seat in range(self.seats))


def _measure(rules: Rules, name: str) -> core.MeasureInfo:
    infos = {item.name: item for item in rules.program.measures}
    if name not in infos:
        known = ", ".join(["outcome", "scores", *infos])
        raise ValueProblem("rewards", f"{rules.program.name} has no measure {name}; rewards are by {known}")
    return infos[name]


def _ends(program: core.Program) -> Iterator[core.EndStmt]:
    """All the places where a game ends."""
    codes = [(action.effects, action.machine) for action in program.actions]
    codes += [(flow.body, flow.machine) for flow in program.flows]
    for body, machine in codes:
        for each in [body or (), *(block.body for block in (machine.blocks if machine is not None else ()))]:
            yield from (stmt for stmt in statements(each) if isinstance(stmt, core.EndStmt))


def _somebody_wins(end: core.EndStmt) -> bool:
    """Whether it is known that an end has a winner."""
    winners = end.winners
    if winners is None:
        return True
    if isinstance(winners, core.Const):
        return bool(winners.value)
    return isinstance(winners, core.Op) and winners.op == "set_of" and bool(winners.args)


def _scored(scores: core.Expr) -> list[Type]:
    """The kinds of numbers that scores can be."""
    if isinstance(scores, core.Op) and scores.op == "map_of":
        return [arg.type for arg in scores.args]
    if isinstance(scores, core.Comp):
        return [scores.element.type]
    return [scores.type.value if isinstance(scores.type, MapType) else INT]


def _range(types: list[Type]) -> tuple[float, float]:
    """The least and greatest of some kinds of numbers."""
    known = [t for t in types if isinstance(t, IntType)]
    low = min((t.lo for t in known), default=-WIDEST)
    high = max((t.hi for t in known), default=WIDEST)
    return float(max(low, -WIDEST)), float(min(high, WIDEST))
