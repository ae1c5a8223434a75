"""The laws that every game must keep, whatever is played, checked on the generated module itself.

`Laws.judge` is the quick part, run after every ply of every game: the events alone give the state that the rules reached,
and each invariant and transition that an event could have broken holds. `playtest.recheck` is the thorough part. Both raise
`Broken`, which `playtest.fuzz` turns into a failure that people can read.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from attrs import frozen

from playtest.plies import CHOICE, DRAW, Frame, Loaded, Ply, Position, State
from rulesdsl import runtime
from rulesdsl.core import Question
from rulesdsl.types import Type

INVARIANT = "invariant"
TRANSITION = "transition"
TERMINATES = "terminates"
DEAD_END = "dead end"
FAULT = "rules error"
FOLD = "fold"
TYPES = "types"
MENU = "menu"
REFUSAL = "refusal"
DETERMINISM = "determinism"
REPLAY = "replay"
UNDO = "undo"
LOG = "log"
LEAK = "leak"
OUTSIDE = "another engine"
"""A law that callers bring: the same game, played beside another engine, is the same there."""


class Broken(Exception):
    """A law does not hold. `clause` tells one way to break it from another, and stays the same while a game is shrunk.

    `event` is the number of the event within the ply, `before` and `after` the states around it, where these are known.
    """

    def __init__(
        self,
        law: str,
        clause: str,
        detail: str = "",
        *,
        number: int | None = None,
        event: int | None = None,
        before: State | None = None,
        after: State | None = None,
        place: tuple[str, int, int] | None = None,
    ) -> None:
        super().__init__(f"{law}: {clause} {detail}".rstrip())
        self.law = law
        self.clause = clause
        self.detail = detail
        self.number = number
        self.event = event
        self.before = before
        self.after = after
        self.place = place

    @property
    def kind(self) -> tuple[str, str]:
        """Two breaks of the same kind are the same bug, as far as shrinking is concerned."""
        return self.law, self.clause


@frozen
class Check:
    """One invariant or transition: its number in the program, and what it asks of the states around an event."""

    law: str
    number: int
    text: str
    holds: Callable[..., bool]


class Laws:
    """The laws of one program, sorted by the events that can break them. `leaks`: the law of secrets, if it is to be looked at
    (`playtest.leaks`). `folds`: the program that folds events, if that is to be another one than that of the laws."""

    def __init__(self, loaded: Loaded, folds: Loaded | None = None) -> None:
        self.loaded = loaded
        self.module = loaded.module
        self.apply = (folds or loaded).module.apply
        self.limit: int | None = loaded.program.terminates
        self.leaks: Any = None
        self.judging = True
        module = self.module
        invariants = [Check(INVARIANT, i, *law[:2]) for i, law in enumerate(module.INVARIANTS)]
        transitions = [Check(TRANSITION, i, *law[:2]) for i, law in enumerate(module.TRANSITIONS)]
        reads = [law[2] for law in module.INVARIANTS]
        between = [law[2] for law in module.TRANSITIONS]
        self.all_invariants = tuple(invariants)
        self.all_transitions = tuple(transitions)
        self.invariants = tuple(
            tuple(check for check in invariants if reads[check.number] & written) for written in module.WRITES
        )
        self.transitions = tuple(
            tuple(check for check in transitions if between[check.number] & written) for written in module.WRITES
        )

        self.event_params = {event.position: event.params for event in loaded.program.events}
        self.chosen_types: dict[int, tuple[Type, ...]] = {0: ()}
        for action in loaded.program.actions:
            self.chosen_types[action.position] = tuple(chosen.type for chosen in action.chosen)

    def only(self, kind: tuple[str, str]) -> Laws:
        """Laws that look at one only, given by its law and clause, so that playing costs less."""
        if kind[0] not in (INVARIANT, TRANSITION, FAULT, DEAD_END, TERMINATES):
            return self
        made = copy.copy(self)
        made.judging = kind[0] in (INVARIANT, TRANSITION)
        for name in ("invariants", "transitions"):
            kept = [tuple(c for c in checks if (c.law, c.text) == kind) for checks in getattr(self, name)]
            setattr(made, name, tuple(kept))
        return made

    @contextmanager
    def faults(self, module: Any = None) -> Iterator[None]:
        """What goes wrong inside generated code (of another module than that of the laws, too) is a broken law, with the line of
        the rules where it happened."""
        try:
            yield
        except Broken:
            raise
        except Exception as error:
            raise self.fault(error, module) from error

    def fault(self, error: Exception, module: Any = None) -> Broken:
        """The broken law for an exception that came out of generated code."""
        fault = runtime.fault_from(error, self.module)
        if fault.place is None and module is not None:
            fault = runtime.fault_from(error, module)
        line = fault.place[1] if fault.place else 0
        return Broken(FAULT, f"{fault.kind} at line {line}", fault.detail, place=fault.place)

    def start(self, trace: Any) -> Position:
        """The first resting position, judged."""
        with self.faults():
            first = self.module.initial()
            position: Position = self.module.start(trace)
            if trace:
                self.judge_all(first, self.apply(first, trace[0]), 0)
            self.judge(first, trace, position[0])
        return position

    def judge(self, state: State, events: Any, result: State) -> None:
        """Fold the events of one ply into the state before it, and check what each of them could have broken.

        Raises:
            Broken: an invariant, a transition, or the fold law.
        """
        apply = self.apply
        invariants = self.invariants
        transitions = self.transitions
        for number, event in enumerate(events):
            before = state
            state = apply(before, event)
            for check in invariants[event[0]]:
                if not check.holds(state):
                    raise self._broken(check, number, before, state)
            for check in transitions[event[0]]:
                if not check.holds(before, state):
                    raise self._broken(check, number, before, state)
        if state != result:
            raise self.other_state(result, state)

    def other_state(self, reached: State, folded: State) -> Broken:
        """The broken law for events that do not give the state that the rules reached."""
        return Broken(FOLD, "the events give another state than the rules reached", before=reached, after=folded)

    def judge_all(self, before: State, after: State, number: int) -> None:
        """Check every invariant and transition around one event, whatever it wrote."""
        for check in self.all_invariants:
            if not check.holds(after):
                raise self._broken(check, number, before, after)
        for check in self.all_transitions:
            if not check.holds(before, after):
                raise self._broken(check, number, before, after)

    def _broken(self, check: Check, event: int, before: State, after: State) -> Broken:
        return Broken(check.law, check.text, number=check.number, event=event, before=before, after=after)

    def step(self, position: Position, ply: Ply, trace: Any) -> Position:
        """Make a possible ply and judge what it did.

        Raises:
            Broken: a law does not hold, or the rules fail.
        """
        state, frame = position
        with self.faults():
            result: Position = (self.module.drawn if ply[0] == DRAW else self.module.answer)(
                state, frame, ply[1], trace
            )
            if self.judging:
                self.judge(state, trace, result[0])
        return result

    def endless(self, state: State, choices: int) -> Broken:
        """The broken law for a game that asks another question after all the choices that it promised to need."""
        detail = f"{choices} choices were made and another is asked for"
        return Broken(TERMINATES, f"within {self.limit} choices", detail, after=state)

    def dead_end(self, state: State, frame: Frame) -> Broken:
        """The broken law for a question that nobody can answer."""
        module = self.module
        names = [module.ACTIONS[position] for position in module.OFFERS[frame[0]]]
        step = module.STEP.get(frame[0], "main")
        place = self._question_place(names, step)
        return Broken(
            DEAD_END, f"{' or '.join(names)} in {step}", "a question has no legal answer", after=state, place=place
        )

    def _question_place(self, actions: list[str], step: str) -> tuple[str, int, int] | None:
        """Where in the rules a question with these actions is put in this step."""
        program = self.loaded.program
        machines = [flow.machine for flow in program.flows] + [action.machine for action in program.actions]
        for machine in filter(None, machines):
            for end in (block.end for block in machine.blocks):
                if isinstance(end, Question) and step.endswith(end.step) and [o.action for o in end.offers] == actions:
                    return end.span.source.name, end.span.line, end.span.column
        return None

    def nothing_to_draw(self, state: State, frame: Frame) -> Broken:
        """The broken law for a draw without outcomes."""
        step = self.module.STEP.get(frame[0], "main")
        return Broken(DEAD_END, f"draw in {step}", "there is nothing to draw from", after=state)

    def options(self, position: Position, choices: int = 0) -> list[Ply]:
        """The plies that can be made, after so many choices; none at the end of the game.

        Raises:
            Broken: there is no option although the game is not over, or it should be over by now.
        """
        state, frame = position
        if frame is None:
            return []
        with self.faults():
            if self.module.KIND[frame[0]] == DRAW:
                drawn = [(DRAW, value) for value, _ in self.module.outcomes(state, frame)]
                if not drawn:
                    raise self.nothing_to_draw(state, frame)
                return drawn
            if self.limit is not None and choices >= self.limit:
                raise self.endless(state, choices)
            moves = self.module.legal(state, frame)
            if not moves:
                raise self.dead_end(state, frame)
            return [(CHOICE, move) for move in moves]
