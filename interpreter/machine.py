"""Carrying out one answer: from a resting position to the next one, drawing what has to be drawn, changing nothing else.

A `Run` works on internal values and knows no log, no undo and no names. It either reaches the next choice (or the end), or
raises a `Fault`, and then nothing has happened: positions are immutable, so whoever asked still holds the old one.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any, cast

from interpreter.rules import Internal, Rules
from rulesdsl.core import LawInfo
from rulesdsl.runtime import Trace, fault_from

DRAW = -1
"""The first item of an entry `(DRAW, pc, value)` among the events of a run."""

Choose = Callable[[int, int, Sequence[tuple[Any, int]]], Any]
"""Chooses an outcome: from the place of the flow, how many draws were made in this run, and the outcomes with their weights."""


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


class Run:
    """One answer being carried out. `then` collects draws and events in order, `reveals` the places of revealing events in it.

    With `choose` None it rests at a draw (`waits_for_draw`) until `draw` is told the outcome. `checks` looks at invariants and
    transitions around each event, and that the events alone give the same state.
    """

    def __init__(self, rules: Rules, st: Internal, frame: Any, choose: Choose | None, checks: bool = False) -> None:
        self.rules = rules
        self.st = st
        self.frame = frame
        self.choose = choose
        self.checks = checks
        self.then: list[Internal] = []
        self.reveals: list[int] = []
        self.trying: Internal | None = None

    def copy(self) -> Run:
        """A run that can go on without changing this one."""
        made = Run(self.rules, self.st, self.frame, self.choose, self.checks)
        made.then, made.reveals, made.trying = list(self.then), list(self.reveals), self.trying
        return made

    @property
    def draws(self) -> list[Internal]:
        """What was drawn, the outcome last tried included."""
        made = [entry for entry in self.then if entry[0] == DRAW]
        return made if self.trying is None else [*made, self.trying]

    @property
    def waits_for_draw(self) -> bool:
        return self.frame is not None and self.rules.module.KIND[self.frame[0]] == "draw"

    @property
    def asks(self) -> bool:
        """Whether a player is asked."""
        return self.frame is not None and not self.waits_for_draw

    def begin(self) -> Run:
        """Start the game.

        Raises:
            Fault: the rules fail.
        """
        self._go(self.rules.module.start)
        return self._on()

    def flow(self, name: str, args: Internal) -> Run:
        """Run a flow from this state."""
        st = self.st
        self._go(lambda trace: self.rules.module.run(st, name, args, trace))
        return self._on()

    def perform(self, action: int, me: int, given: Internal, chosen: Internal) -> Run:
        """Perform an action's effects in this state, without asking whether it is legal."""
        st = self.st
        self._go(lambda trace: self.rules.module.perform(st, action, me, given, chosen, trace))
        return self._on()

    def answer(self, move: Internal) -> Run:
        """Make a legal move and go on to the next choice or the end.

        Raises:
            Fault: the rules fail.
        """
        st, frame = self.st, self.frame
        self._go(lambda trace: self.rules.module.answer(st, frame, move, trace))
        return self._on()

    def draw(self, value: Any) -> Run:
        """Tell the outcome of the draw that is waited for, and go on."""
        self._draw(value)
        return self._on()

    def _on(self) -> Run:
        while self.choose is not None and self.waits_for_draw:
            self._draw(self.choose(self.frame[0], len(self.draws), self.outcomes()))
        if not self.waits_for_draw:
            self._no_dead_end()
        return self

    def _draw(self, value: Any) -> None:
        st, frame = self.st, self.frame
        self.trying = (DRAW, frame[0], value)
        self._go(lambda trace: self.rules.module.drawn(st, frame, value, trace))

    def outcomes(self) -> Sequence[tuple[Any, int]]:
        """The outcomes of the draw that is waited for, with their weights."""
        outcomes: Sequence[tuple[Any, int]] = guarded(
            self.rules, lambda: self.rules.module.outcomes(self.st, self.frame)
        )
        if not outcomes:
            raise self._fault("empty draw", "there is nothing to draw from")
        return outcomes

    def _go(self, work: Callable[[Any], tuple[Internal, Any]]) -> None:
        """Run generated code with a fresh trace and take over where it stopped, if it did not fail."""
        trace = Trace()
        before = self.st
        try:
            self.st, self.frame = work(trace)
        except Exception as problem:
            raise fault_of(self.rules, problem) from problem
        if self.trying is not None:
            self.then.append(self.trying)
            self.trying = None
        self.reveals.extend(place + len(self.then) for place in trace.reveals)
        self.then.extend(trace)
        if self.checks:
            check_laws(self.rules, before, trace, self.st)

    def _no_dead_end(self) -> None:
        module, frame = self.rules.module, self.frame
        if frame is None or frame[0] in module.MAY_PASS:
            return
        if not guarded(self.rules, lambda: module.any_legal(self.st, frame)):
            question = self.rules.question(self.st, frame)
            raise self._fault("dead end", f"{question.seat} has no legal {' or '.join(question.actions)}")

    def _fault(self, kind: str, detail: str) -> Fault:
        """A fault of the question or draw that this rests at."""
        span = self.rules.asker(self.frame[0]).span
        place = (span.source.name, span.line, span.column)
        return Fault(kind, detail, place, self.rules.clause_at(place[0], place[1]))

    def nothing_legal(self) -> bool:
        """Whether this rests at a question that may be passed and leaves nothing else to do."""
        module, frame = self.rules.module, self.frame
        if frame is None or frame[0] not in module.MAY_PASS:
            return False
        return not guarded(self.rules, lambda: module.any_legal(self.st, frame))


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
