"""Every move that can ever be legal: all actions with all arguments, without those that no state could allow.

Domains and guards that look at nothing but the player, the arguments and what is known before play are asked for every
argument: a knight's move is counted where a knight could go. The others are left open: `card in hand[me]` counts every card.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from interpreter.codec import bits
from interpreter.machine import Fault, guarded
from interpreter.rules import Internal, Rules
from rulesdsl.core import ActionInfo, Expr, Guard
from rulesdsl.lowering.facts import Facts
from rulesdsl.python.backend import ExtraFunction
from rulesdsl.types import BagType, ListType, SetType, Type, index_of, size, value_at, values


def possible_moves(rules: Rules, limit: int = 1 << 16) -> tuple[Internal, ...] | None:
    """The moves, each once, in internal form: the pass first, if any question may be passed; then action by action, in the
    order in which they are declared, each argument in its order. None if there are more than `limit`, or too many to list.
    """
    found: list[Internal] = [(0,)] if rules.module.MAY_PASS else []
    facts = Facts(rules.program)
    asked = {position for offers in rules.module.OFFERS.values() for position in offers}
    for info in rules.program.actions:
        if info.position not in asked:
            continue
        made = _moves(_Known(rules, facts, info), limit - len(found))
        if made is None:
            return None
        found += made
    return tuple(found)


def _moves(known: _Known, limit: int) -> list[Internal] | None:
    """The possible moves of one action, for all seats together."""
    info = known.info
    if any(
        function is None and size(item.type) is None for function, item in zip(known.domains, info.chosen, strict=True)
    ):
        return None
    tried, moves = 0, set[Internal]()
    for seat in range(len(known.rules.seats)):
        for chosen in known.arguments((seat,)):
            tried += 1
            moves.add(chosen[1:])
            if len(moves) > limit or tried > 64 * limit:
                return None
    return [(info.position, *chosen) for chosen in sorted(moves, key=lambda chosen: known.places(chosen))]


class _Known:
    """What an action's domains and guards say without a state. Functions take the seat and the arguments so far."""

    def __init__(self, rules: Rules, facts: Facts, info: ActionInfo) -> None:
        self.rules = rules
        self.facts = facts
        self.info = info
        self.st = rules.module.initial()
        names = ["me"]
        wanted: list[ExtraFunction] = []
        self.domains: list[str | None] = []
        self.guards: list[list[str]] = [self._guards(names, wanted)]
        for place, item in enumerate(info.chosen):
            stands = self._stands(item.domain, names)
            self.domains.append(f"domain_{place}" if stands else None)
            if stands:
                wanted.append(ExtraFunction(f"domain_{place}", tuple(names), item.domain, None))
            names.append(item.name)
            self.guards.append(self._guards(names, wanted))
        self.functions = rules.compiled(("possible", info.name), lambda: wanted)
        self.order: list[dict[Any, int]] = [{} for _ in info.chosen]

    def _stands(self, expr: Expr, names: Sequence[str]) -> bool:
        """Whether an expression needs nothing but these names."""
        return self.facts.stateless(expr) and set(self.facts.free(expr)) <= set(names)

    def _guards(self, names: Sequence[str], wanted: list[ExtraFunction]) -> list[str]:
        """The guards that can be asked when these names, and no fewer, are known."""
        found = []
        for place, entry in enumerate(self.info.prelude):
            known = {item.name for item in wanted}
            if isinstance(entry, Guard) and f"guard_{place}" not in known and self._stands(entry.condition, names):
                wanted.append(ExtraFunction(f"guard_{place}", tuple(names), entry.condition, None))
                found.append(f"guard_{place}")
        return found

    def arguments(self, known: Internal) -> Iterator[Internal]:
        """The seat with all arguments, from the seat with the first ones."""
        place = len(known) - 1
        if not all(self._ask(name, known, True) for name in self.guards[place]):
            return
        if place == len(self.info.chosen):
            yield known
            return
        for value in self._domain(place, known):
            self.order[place].setdefault(value, len(self.order[place]))
            yield from self.arguments((*known, value))

    def _domain(self, place: int, known: Internal) -> Iterator[Any]:
        name, item = self.domains[place], self.info.chosen[place]
        found = None if name is None else self._ask(name, known, None)
        if found is not None:
            return elements(item.domain.type, found)
        return values(item.type) if size(item.type) is not None else iter(())

    def _ask(self, name: str, known: Internal, otherwise: Any) -> Any:
        """What a function says; what it cannot say without the guards before it is left open."""
        try:
            return guarded(self.rules, lambda: self.functions[name](self.st, *known))
        except Fault:
            return otherwise

    def places(self, chosen: Internal) -> tuple[int, ...]:
        """Where arguments stand in the order of their types, or, where that cannot be counted, in which they came up."""
        return tuple(
            _place(item.type, value, order)
            for item, value, order in zip(self.info.chosen, chosen, self.order, strict=True)
        )


def _place(t: Type, value: Any, order: dict[Any, int]) -> int:
    return order[value] if size(t) is None else index_of(t, value)


def elements(t: Type, value: Any) -> Iterator[Any]:
    """The different elements of a collection, in order."""
    if isinstance(t, SetType):
        return (value_at(t.item, index) for index in bits(value))
    if isinstance(t, BagType):
        return (value_at(t.item, index) for index, count in enumerate(value) if count)
    assert isinstance(t, ListType)
    return iter(dict.fromkeys(value))
