"""What a state is worth to a seat, by the measures of the game: for bots, and to see who leads."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from interpreter.errors import ValueProblem
from interpreter.rules import Rules
from playtest.plies import State
from rulesdsl.diagnostics import closest

Worth = tuple[float, ...]
"""Compared from left to right: the result, then each measure that counts."""


class Valuation:
    """Compares states for a seat: by the result, and then by the measures that are the `goals` of the rules, the first one first.

    A measure is taken as the seat's lead: its own number less the best of the others'.
    """

    def __init__(self, rules: Rules, measures: Sequence[str] = ()) -> None:
        """`measures`: those to go by, instead of the goals.

        Raises:
            ValueProblem: the game has no such measure.
        """
        known = rules.module.MEASURES
        for name in measures:
            if name not in known:
                meant = closest(name, known)
                hint = f"did you mean {meant}?" if meant else f"it has {', '.join(known) or 'none'}"
                raise ValueProblem("", f"{rules.program.name} has no measure {name}; {hint}")
        self.names = tuple(measures) or rules.program.goals
        self.seats = range(len(rules.seats))
        self._measures = [known[name] for name in self.names]
        self.parts: list[Callable[[State, int], float]] = [result, *(partial(self._lead, measure) for measure in self._measures)]
        """What a state is worth to a seat, one number after the other: together they are `worth`."""

    def numbers(self, state: State) -> list[list[int]]:
        """Each measure for each seat."""
        return [[measure(state, seat) for seat in self.seats] for measure in self._measures]

    def leads(self, state: State) -> list[Worth]:
        """For each seat its lead by each measure."""
        columns = []
        for row in self.numbers(state):
            best, second = _best_two(row)
            columns.append([n - (second if n == best else best) for n in row])
        return [tuple(column[seat] for column in columns) for seat in self.seats]

    def _lead(self, measure: Callable[[State, int], int], state: State, seat: int) -> int:
        """A seat's own number less the best of the others'."""
        others = [measure(state, other) for other in self.seats if other != seat]
        return measure(state, seat) - max(others, default=0)

    def worth(self, state: State, seat: int) -> Worth:
        """What a state is worth to a seat; larger is better."""
        return tuple(part(state, seat) for part in self.parts)

    def leader(self, state: State) -> int | None:
        """Who is ahead of everybody else, by the first measure that tells; None if nobody is."""
        ahead = list(self.seats)
        for measure in self._measures:
            numbers = [measure(state, seat) for seat in ahead]
            best = max(numbers)
            ahead = [seat for seat, number in zip(ahead, numbers, strict=True) if number == best]
            if len(ahead) == 1:
                return ahead[0]
        return None


def _best_two(row: Sequence[int]) -> tuple[int, int]:
    """The largest number, and the one after it (the same again, if two have it)."""
    if len(row) == 1:
        return row[0], 0
    best, second = sorted(row, reverse=True)[:2]
    return best, second


def result(state: State, seat: int) -> float:
    """1 for a win, -1 for a loss, between them for a win that is shared, 0 while the game goes on."""
    return 0.0 if state[-1] is None else 2 * credit(state, seat) - 1


def credit(state: State, seat: int) -> float:
    """What a seat has of the win at the end of a game: 1, nothing, or its part of a win that is shared."""
    mask: int = state[-1][0]
    return 1 / mask.bit_count() if mask >> seat & 1 else 0.0
