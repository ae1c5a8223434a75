"""What everything that carries answers out needs: faults of the rules, their laws, and the outcomes that a seed gives."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any, cast

from interpreter.rules import Internal, Rules
from rulesdsl.core import LawInfo
from rulesdsl.runtime import fault_from

DRAW = -1
"""The first item of an entry `(DRAW, pc, value)` among the events that follow an answer."""

Choose = Callable[[int, int, Sequence[tuple[Any, int]]], Any]
"""Chooses an outcome: from the place of the flow, how many draws were made since the answer, and the outcomes with weights."""


class Fault(Exception):
    """The rules fail: a stable `kind`, the `detail`, and where in the rules, if known: (file, line, column)."""

    def __init__(self, kind: str, detail: str, place: tuple[str, int, int] | None = None, clause: str = "") -> None:
        self.kind = kind
        self.detail = detail
        self.place = place
        self.clause = clause
        super().__init__(f"{kind}: {detail}")


def guarded(rules: Rules, work: Callable[[], Any]) -> Any:
    """The result of some generated code; whatever it raises becomes a `Fault`."""
    try:
        return work()
    except Fault:
        raise
    except Exception as problem:
        raise fault_of(rules, problem) from problem


def fault_of(rules: Rules, problem: Exception) -> Fault:
    """What an exception inside generated code means to the rules."""
    found = fault_from(problem, cast(ModuleType, rules.module))
    place = found.place
    clause = rules.clause_at(place[0], place[1]) if place else ""
    return Fault(found.kind, found.detail, place, clause)


def check_laws(rules: Rules, before: Internal, events: Sequence[Internal], after: Internal) -> None:
    """Invariants and transitions around each event, and the law that the events alone lead to the same state.

    Raises:
        Fault: kinds "invariant", "transition" and "fold".
    """
    module, program = rules.module, rules.program
    st = before
    for event in events:
        earlier, st = st, module.apply(st, event)
        writes = module.WRITES[event[0]]
        for law, (_, holds, reads) in zip(program.invariants, module.INVARIANTS, strict=True):
            if reads & writes and not guarded(rules, lambda h=holds, s=st: h(s)):  # type: ignore[misc]
                raise _broken(rules, "invariant", law, event)
        for law, (_, keeps, reads) in zip(program.transitions, module.TRANSITIONS, strict=True):
            if reads & writes and not guarded(rules, lambda k=keeps, a=earlier, s=st: k(a, s)):  # type: ignore[misc]
                raise _broken(rules, "transition", law, event)
    if st != after:
        raise Fault("fold", "the events alone do not give the state that the rules reached")


def _broken(rules: Rules, kind: str, law: LawInfo, event: Internal) -> Fault:
    place = (law.span.source.name, law.span.line, law.span.column)
    return Fault(kind, f"{law.text}: broken by {rules.event(event)}", place, f'{kind} "{law.text}"')


def pick(seed: str, record: int, draw: int, outcomes: Sequence[tuple[Any, int]]) -> Any:
    """The outcome that a seed gives for a draw of a record.

    Each draw has its own number, made from the seed, the record's number and its place in the record; so a match that is
    opened again draws as it would have, and another answer after an undo (a later record) draws anew.
    """
    total = sum(weight for _, weight in outcomes)
    digest = hashlib.blake2b(f"{seed}:{record}:{draw}".encode(), digest_size=16).digest()
    left = int.from_bytes(digest) * total >> 128
    for value, weight in outcomes:
        if left < weight:
            return value
        left -= weight
    raise AssertionError("the weights of a draw do not add up")
