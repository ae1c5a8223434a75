"""The parts of a broken law: what its operands, fields and calls were before and after the event that broke it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from attrs import frozen

from interpreter.rules import Rules
from playtest.failure import Failure
from playtest.laws import INVARIANT, TRANSITION
from rulesdsl.core import Comp, Expr, LawInfo
from rulesdsl.diagnostics import Span
from rulesdsl.lowering.walk import everything
from rulesdsl.python.backend import ExtraFunction
from rulesdsl.types import Type


@frozen
class Compared:
    """A part of a broken law: its text in the rules, and its value before and after the event (None: not known there)."""

    text: str
    before: str | None
    after: str | None

    def __str__(self) -> str:
        if self.before is None or self.before == self.after:
            return f"{self.text} is {self.after}"
        return f"{self.text} was {self.before}, is {self.after}"


def law_of(rules: Rules, failure: Failure) -> LawInfo | None:
    """The invariant or transition that a failure breaks; None if it is another law."""
    if failure.number is None:
        return None
    laws: Mapping[str, Sequence[LawInfo]] = {
        INVARIANT: rules.program.invariants,
        TRANSITION: rules.program.transitions,
    }
    found = laws.get(failure.law)
    return found[failure.number] if found else None


def values_of(rules: Rules, failure: Failure, law: LawInfo | None) -> tuple[Compared, ...]:
    """The parts of the broken law, before and after the event that broke it; none if they cannot be had."""
    if law is None or failure.after is None:
        return ()
    try:
        return _Parts(rules, law).compared(failure)
    except Exception:  # a law that fails by itself has no values; the failure is told all the same
        return ()


class _Parts:
    """The informative parts of a law's condition: operands, fields and calls, and what an `all` fails for."""

    def __init__(self, rules: Rules, law: LawInfo) -> None:
        self.rules = rules
        self.law = law
        condition = law.condition
        self.comp = condition if isinstance(condition, Comp) and condition.kind == "all" else None
        self.names = tuple(clause.var for clause in self.comp.clauses) if self.comp else ()
        self.deciders = {
            (expr.span.start, expr.span.end): expr
            for expr in everything(condition)
            if isinstance(expr, Comp) and expr.kind in ("all", "any", "first")
        }

    def compared(self, failure: Failure) -> tuple[Compared, ...]:
        """The parts after the event, with those before it where the law looks at one state."""
        transition = failure.law == TRANSITION
        states = (failure.before, failure.after) if transition else (failure.after,)
        after, decided = self._parts("parts", (), self.law.condition, states, ())
        element = self.comp.element if self.comp is not None and len(decided) == len(self.names) else None
        before: dict[str, str] = {}
        if element is not None:
            after |= self._parts("element", self.names, element, states, decided)[0]
        if not transition and failure.before is not None:
            if element is not None:
                before = self._parts("element", self.names, element, (failure.before,), decided)[0]
            else:
                before = self._parts("parts", (), self.law.condition, (failure.before,), ())[0]
        return tuple(Compared(text, before.get(text), value) for text, value in after.items())

    def _parts(
        self, name: str, names: tuple[str, ...], condition: Expr, states: Sequence[Any], values: Sequence[Any]
    ) -> tuple[dict[str, str], list[Any]]:
        """The parts of a condition by their text, and what the elements were that decided it."""
        functions = self.rules.compiled(
            (name, self.law.span.source.name, self.law.span.start),
            lambda: [ExtraFunction(name, names, condition, None, probe=True)],
        )
        probes: Sequence[tuple[Span, Any, Type]] = functions[name](*states, *values)[1]
        found: dict[str, str] = {}
        decided: list[Any] = []
        waiting = {place: [clause.var for clause in comp.clauses] for place, comp in self.deciders.items()}
        for span, value, kind in probes:
            place, text, told = (span.start, span.end), _one_line(span), self.rules.codec.text(kind, value)
            variables = waiting.get(place)
            if variables:
                comp, variable = self.deciders[place], variables.pop(0)
                if comp is self.comp or comp.kind == "first":
                    text = variable
                else:
                    so_far = found.pop(text, f"{'true' if comp.kind == 'any' else 'false'} for")
                    told = f"{so_far}{',' if '=' in so_far else ''} {variable} = {told}"
                decided.append(value)
            if told != text:
                found.setdefault(text, told)
        return found, decided


def _one_line(span: Span) -> str:
    """A piece of the rules on one line."""
    return re.sub(r"(?<=[(\[{]) | (?=[)\]}])", "", " ".join(span.text.split()))
