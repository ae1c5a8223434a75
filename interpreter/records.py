"""Making log records from nodes of a match, and reading what they say back into internal values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from interpreter.errors import ValueProblem
from interpreter.log import (
    Answer,
    Attempt,
    End,
    Happening,
    LoggedDraw,
    LoggedEvent,
    LoggedMove,
    Note,
    Start,
)
from interpreter.machine import DRAW
from interpreter.node import Node
from interpreter.rules import Internal, Rules
from interpreter.store import Maker, Recorder
from interpreter.values import Move
from rulesdsl.diagnostics import closest


def logged(rules: Rules, entry: Internal) -> Happening:
    """A draw or an event as it stands in a log."""
    plain = rules.codec.plain
    if entry[0] == DRAW:
        name, t = rules.draw_of(entry[1])
        return LoggedDraw(name, plain(t, entry[2]))
    params = rules.event_params(entry[0])
    arguments = {name: plain(t, value) for (name, t), value in zip(params, entry[1:], strict=True)}
    return LoggedEvent(rules.event_name(entry[0]), arguments)


def logged_move(rules: Rules, move: Internal) -> LoggedMove:
    """A move as it stands in a log."""
    if move[0] == 0:
        return LoggedMove("pass", {})
    info = rules.action(move[0])
    plain = rules.codec.plain
    return LoggedMove(info.name, {c.name: plain(c.type, v) for c, v in zip(info.chosen, move[1:], strict=True)})


def node_record(rules: Rules, node: Node) -> Maker:
    """The record of a node: of the set-up, or of an answer."""
    return _start_record(rules, node) if node.move is None else _answer_record(rules, node)


def _start_record(rules: Rules, node: Node) -> Maker:
    def make(n: int, _: Recorder) -> Start:
        return Start(n, tuple(logged(rules, entry) for entry in node.then), rules.digest(node.st))

    return make


def _answer_record(rules: Rules, node: Node) -> Maker:
    def make(n: int, _: Recorder) -> Answer:
        assert node.parent is not None and node.move is not None
        return Answer(
            n,
            rules.seats[node.seat],
            rules.asked_texts(node.parent.st, node.parent.frame),
            logged_move(rules, node.move),
            tuple(logged(rules, entry) for entry in node.then),
            rules.digest(node.st),
            node.automatic,
        )

    return make


def end_record(rules: Rules, node: Node) -> Maker:
    def make(n: int, recorder: Recorder) -> End:
        outcome = rules.outcome(node.st)
        assert outcome is not None
        scores = None if outcome.scores is None else dict(outcome.scores)
        return End(n, outcome.winners, scores, n + 1, recorder.whole())

    return make


def attempt_record(
    rules: Rules, seat: str | None, move: Internal | None, draws: Sequence[Internal], error: str
) -> Maker:
    """A note that says which answer the rules failed at, and what was drawn until then."""
    answer = None if move is None else logged_move(rules, move)
    outcomes = tuple(LoggedDraw(*_draw(rules, entry)) for entry in draws)

    def make(n: int, _: Recorder) -> Note:
        return Note(n, "the rules fail here", Attempt(seat, answer, outcomes, error))

    return make


def _draw(rules: Rules, entry: Internal) -> tuple[str, Any]:
    name, t = rules.draw_of(entry[1])
    return name, rules.codec.plain(t, entry[2])


# ---------------------------------------------------------------- reading


def read_move(rules: Rules, move: LoggedMove) -> Internal:
    """The internal form of a logged move.

    Raises:
        ValueProblem: there is no such action, or its arguments are not of their types.
    """
    return rules.internal_move(Move(move.action, move.arguments))


def read_event(rules: Rules, event: LoggedEvent) -> Internal:
    """The internal form of a logged event.

    Raises:
        ValueProblem: there is no such event, or its arguments are not of their types.
    """
    position = rules.event_position(event.event)
    if position is None:
        meant = closest(event.event, [info.name for info in rules.program.events])
        raise ValueProblem("", f"there is no event {event.event}" + (f"; did you mean {meant}?" if meant else ""))
    params = rules.event_params(position)
    if [name for name, _ in params] != list(event.arguments):
        raise ValueProblem(event.event, f"its arguments are {', '.join(name for name, _ in params)}")
    internal = rules.codec.internal
    values = [internal(t, event.arguments[name], f"{event.event}.{name}") for name, t in params]
    if position == 0:
        return (0, *values)
    return (position, *values)
