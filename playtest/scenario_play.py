"""Playing the lines of a scenario, one after the other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from attrs import define, field

from interpreter import advance
from interpreter.codec import show
from interpreter.explain import Explanation, Reason, examine, explain, probed
from interpreter.machine import Fault, guarded
from interpreter.node import Node, events_of
from interpreter.position import Position
from interpreter.rules import Internal, Rules
from interpreter.values import Move
from rulesdsl import core
from rulesdsl.core import ActionInfo, ScenarioInfo, ScenarioMove
from rulesdsl.python.backend import ExtraFunction
from rulesdsl.types import IntType

EXPECTS = (core.ScenarioExpect, core.ScenarioIllegal, core.ScenarioEvent)


class Failed(Exception):
    """A line that does not go as it is written: in what words, with values and details that explain it."""

    def __init__(self, message: str, values: Sequence[tuple[str, str]] = (), details: Sequence[str] = ()) -> None:
        self.message = message
        self.values = tuple(values)
        self.details = tuple(details)
        super().__init__(message)


@define
class Play:
    """A scenario on its way. `passed`: who was passed for, since the last line; `events`: what happened since then; `answers`: how
    many questions were answered; `checks`: it is a real game, in which laws are looked at."""

    rules: Rules
    scenario: ScenarioInfo
    st: Internal = ()
    frame: Any = None
    passed: list[int] = field(factory=list)
    events: list[Internal] = field(factory=list)
    answers: int = 0
    checks: bool = False

    def __attrs_post_init__(self) -> None:
        self.st = self.rules.module.initial()
        first = next((step for step in self.scenario.steps if not isinstance(step, core.ScenarioExpect)), None)
        self.checks = isinstance(first, core.ScenarioRun) and first.flow == "main"

    # ------------------------------------------------------------ lines

    def step(self, number: int, step: core.ScenarioStep) -> None:
        if isinstance(step, core.ScenarioGiven):
            self.st = self._call(f"given_{number}")
            self.events = []
        elif isinstance(step, core.ScenarioRun):
            self._nothing_open("run")
            self.passed.clear()
            args = tuple(self._call(f"arg_{number}_{i}") for i in range(len(step.args)))
            self._take(advance.run(self.rules, self.st, step.flow, args, self.checks))
        elif isinstance(step, core.ScenarioMove):
            self._move(number, step)
        elif isinstance(step, core.ScenarioDraw):
            happened: list[Internal] = []
            for alternatives in step.outcomes:
                self._draw(alternatives)
                happened += self.events
            self.events = happened
        elif isinstance(step, core.ScenarioIllegal):
            self._illegal(number, step)
        elif isinstance(step, core.ScenarioEvent):
            self._event(number, step)
        else:
            self._expect(number)

    def _expect(self, number: int) -> None:
        holds, probes = self._call(f"expect_{number}")
        if not holds:
            raise Failed("this does not hold", probed(self.rules.codec, probes, {}), self._standing())

    def _event(self, number: int, step: core.ScenarioEvent) -> None:
        """Whether the line before made an event happen, with these arguments."""
        wanted = {
            place: self._call(f"event_{number}_{place}") for place, arg in enumerate(step.args) if arg is not None
        }
        position = self.rules.event_position(step.event)
        found = any(
            event[0] == position and all(event[place + 1] == value for place, value in wanted.items())
            for event in self.events
        )
        if found == step.absent:
            told = [
                f"{'happened' if i == 0 else 'and'}: {self.rules.event(event)}" for i, event in enumerate(self.events)
            ]
            told = told or ["nothing happened"]
            raise Failed("this happened" if found else "this did not happen", (), (*told, *self._standing()))

    def _draw(self, alternatives: tuple[core.Const, ...]) -> None:
        node = self._node()
        if not advance.waits_for_draw(self.rules, node):
            raise Failed("nothing is drawn here", (), self._standing())
        name, t = self.rules.draw_of(self.frame[0])
        codec = self.rules.codec
        outcomes = [value for value, _ in advance.outcomes(self.rules, node)]
        fitting = [c.value for c in alternatives if _same_kind(c.type, t) and c.value in outcomes]
        if not fitting:
            told = ", ".join(codec.text(t, value) for value in outcomes[:20])
            written = codec.text(alternatives[0].type, alternatives[0].value) if alternatives else "it"
            raise Failed(f"{written} cannot be drawn as {name}", [(name, f"one of {told}")])
        self.passed.clear()
        self._take(advance.draw(self.rules, node, fitting[0], self.checks))

    def _move(self, number: int, step: ScenarioMove) -> None:
        who = self._call(f"who_{number}")
        if step.action is None:
            self._passes(who)
            return
        info = self._action(step)
        given, chosen = self._arguments(number, step)
        if self.frame is None:
            self._perform(who, info, given, chosen)
            return
        self._given_already(info, given)
        found = self._explained(who, info, chosen)
        if not found.legal:
            raise Failed(f"{found.summary}", *_told(found.reasons, self._standing()))
        self.passed.clear()
        self._answer((info.position, *chosen))

    def _passes(self, who: int) -> None:
        """Pass the open question; where that is none for this seat, the pass may be one that was made by itself."""
        found = explain(self._position(), Move("pass"), None, self.rules.seats[who]) if self.frame is not None else None
        if found is not None and found.legal:
            self._answer((0,))
        elif self.passed and self.passed[0] == who:
            self.passed.pop(0)
        elif found is None:
            raise Failed("nobody is asked here, so nobody can pass")
        else:
            raise Failed(found.summary, (), self._standing())

    def _perform(self, who: int, info: ActionInfo, given: Internal, chosen: Internal) -> None:
        """Perform an action directly: nobody is asked."""
        self._complete(info, given)
        found = examine(self.rules, self.st, info, who, given, chosen)
        if found.reasons:
            raise Failed(found.reasons[0].sentence, *_told(found.reasons, ()))
        self._take(advance.perform(self.rules, self.st, info.position, who, given, chosen))

    def _complete(self, info: ActionInfo, given: Internal) -> None:
        if self.st[-1] is not None:
            raise Failed(f"the game is over: {self.rules.outcome(self.st)}")
        if len(given) != len(info.given):
            names = ", ".join(param.name for param in info.given)
            raise Failed(
                f"nobody asks {info.name} here, so write what its asker would give ({names}) before what is chosen"
            )

    def _given_already(self, info: ActionInfo, given: Internal) -> None:
        """Whoever answers a question writes what is chosen; the question has given the rest."""
        if given:
            names = " and ".join(f"`{param.name}`" for param in info.given)
            told = f"a question is open here, which gives {names} to {info.name}: write what is chosen only"
            raise Failed(told, (), self._standing())

    def _illegal(self, number: int, step: core.ScenarioIllegal) -> None:
        who = self._call(f"who_{number}")
        info = self._action(step.move)
        given, chosen = self._arguments(number, step.move)
        if self.frame is None:
            self._complete(info, given)
            reasons: Sequence[Reason] = examine(self.rules, self.st, info, who, given, chosen).reasons
        else:
            self._given_already(info, given)
            reasons = self._explained(who, info, chosen).reasons
        if not reasons:
            raise Failed("this is legal", (), self._standing())
        if step.by is not None and all(reason.guard != step.by for reason in reasons):
            raise Failed(f"this is refused, but not by {step.by}", *_told(reasons, self._standing()))

    # ------------------------------------------------------------ where it stands

    def _node(self) -> Node:
        return Node(None, 0, -1, None, False, (), (), self.st, self.frame)

    def _answer(self, move: Internal) -> None:
        self.answers += 1
        self._take(advance.answer(self.rules, self._node(), move, checks=self.checks))

    def _take(self, node: Node) -> None:
        """Go to a node, and pass what has to be passed."""
        self.events = [*events_of(node)]
        while advance.pass_due(self.rules, node):
            self.passed.append(self.rules.module.asked(node.st, node.frame))
            self.answers += 1
            node = advance.answer(self.rules, node, advance.PASS, checks=self.checks)
            self.events += events_of(node)
        self.st, self.frame = node.st, node.frame
        limit = self.rules.program.terminates
        if self.checks and limit is not None and self.answers >= limit and self._position().asks:
            raise Fault("terminates", f"{self.answers} choices were made and another is asked for")

    def _position(self) -> Position:
        return Position(self.rules, self._node())

    def _explained(self, who: int, info: ActionInfo, chosen: Internal) -> Explanation:
        move = self.rules.move((info.position, *chosen))
        return explain(self._position(), move, None, self.rules.seats[who])

    def _nothing_open(self, what: str) -> None:
        if self.frame is not None:
            raise Failed(f"`{what}` needs a state in which nothing is asked", (), self._standing())

    def _standing(self) -> tuple[str, ...]:
        """What the scenario stands at, for a reader who expected something else."""
        if self.frame is None:
            over = self.rules.outcome(self.st)
            return (f"the game is over: {over}",) if over else ()
        question = self._position().question
        if question.kind == "draw":
            told = ", ".join(show(value) for value, _ in question.outcomes[:20])
            return (f"waiting for a draw of {question.name}: one of {told}",)
        return (f"asked: {question}",)

    def _action(self, step: ScenarioMove) -> ActionInfo:
        info = self.rules.action_named(step.action or "")
        assert info is not None
        return info

    def _arguments(self, number: int, step: ScenarioMove) -> tuple[Internal, Internal]:
        given = tuple(self._call(f"given_{number}_{i}") for i in range(len(step.given)))
        return given, tuple(self._call(f"chosen_{number}_{i}") for i in range(len(step.chosen)))

    def _call(self, name: str) -> Any:
        key = ("scenario", self.scenario.text)
        functions = self.rules.compiled(key, lambda: list(_functions(self.scenario)))
        return guarded(self.rules, lambda: functions[name](self.st))


def _told(reasons: Sequence[Reason], standing: Sequence[str]) -> tuple[list[tuple[str, str]], list[str]]:
    """The values and the places of reasons, for a failure."""
    values = [pair for reason in reasons for pair in reason.values]
    places = [f'{r.clause}: "{r.sentence}" ({r.file}:{r.line})' for r in reasons if r.line]
    return list(dict.fromkeys(values)), [*places, *standing]


def _same_kind(one: Any, other: Any) -> bool:
    """Whether constants of one type may stand for values of the other: ranges of numbers differ, names do not."""
    return one == other or (type(one) is type(other) and isinstance(one, IntType))


def _functions(scenario: ScenarioInfo) -> Iterator[ExtraFunction]:
    """The functions that a scenario needs, for all its lines."""
    for number, step in enumerate(scenario.steps):
        if isinstance(step, core.ScenarioGiven):
            yield ExtraFunction(f"given_{number}", (), None, step.body)
        elif isinstance(step, core.ScenarioRun):
            yield from _values(f"arg_{number}", step.args)
        elif isinstance(step, core.ScenarioExpect):
            yield ExtraFunction(f"expect_{number}", (), step.condition, None, probe=True)
        elif isinstance(step, core.ScenarioEvent):
            yield from _values(f"event_{number}", step.args)
        elif isinstance(step, (core.ScenarioMove, core.ScenarioIllegal)):
            move = step if isinstance(step, core.ScenarioMove) else step.move
            yield ExtraFunction(f"who_{number}", (), move.who, None)
            yield from _values(f"given_{number}", move.given)
            yield from _values(f"chosen_{number}", move.chosen)


def _values(name: str, expressions: Sequence[core.Expr | None]) -> Iterator[ExtraFunction]:
    for place, expression in enumerate(expressions):
        if expression is not None:
            yield ExtraFunction(f"{name}_{place}", (), expression, None)
