"""Positions as logs: the log of the way to a position, and a position kept as text and made again from it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from interpreter.errors import LogError
from interpreter.log import Answer, Happening, Log, LoggedDraw, LoggedMove, Start, parse_log
from interpreter.machine import DRAW
from interpreter.node import Node
from interpreter.position import Position
from interpreter.reading import reader_of
from interpreter.recorder import Maker, Recorder
from interpreter.recording import attempt_record, end_record, logged, logged_move, make_header, node_record
from interpreter.replay import rules_of
from interpreter.rules import Internal, Rules


def log_of(position: Position, seed: str | int | None = None) -> Log:
    """See `Position.to_log`."""
    return _recorder(position, seed).log()


def log_that_fails(position: Position, move: Internal | None, value: Sequence[Any], error: str) -> Log:
    """A log that leads to where the rules fail: at a move, or at the draw of a value (as one element), from a position."""
    rules, node = position.rules, position.node
    tried = [(DRAW, node.frame[0], item) for item in value]
    if move is not None:
        seat = rules.seats[rules.module.asked(node.st, node.frame)]
        return _recorder(position, None).log(attempt_record(rules, seat, move, tried, error))
    name = None if node.move is None else rules.seats[node.seat]
    return _recorder(position, None).log(attempt_record(rules, name, node.move, [*_draws(node), *tried], error))


def log_that_fails_at_once(rules: Rules, error: str) -> Log:
    """A log of a game whose rules fail before anything is drawn or asked."""
    return Recorder(make_header(rules, None, (), True)).log(attempt_record(rules, None, None, (), error))


def _recorder(position: Position, seed: str | int | None) -> Recorder:
    """The records of all that is finished on the way to a position."""
    rules, nodes = position.rules, position.node.path()
    if position.draws:
        nodes.pop()
    made = Recorder(make_header(rules, None if seed is None else str(seed), (), True))
    together: list[Maker] = []
    for node in nodes:
        if not node.automatic:
            made.add(together)
            together = []
        together.append(node_record(rules, node))
    if nodes and nodes[-1].frame is None:
        together.append(end_record(rules, nodes[-1]))
    made.add(together)
    return made


def _draws(node: Node) -> list[Internal]:
    return [entry for entry in node.then if entry[0] == DRAW]


# ---------------------------------------------------------------- kept as text


def kept(position: Position) -> tuple[str, str]:
    """A position as text: its log, and what has been answered and drawn since, where it waits for a draw."""
    rules, node = position.rules, position.node
    if not position.draws:
        return log_of(position).text(), ""
    answer = None if node.move is None or node.automatic else logged_move(rules, node.move)
    drawn = [entry.outcome for entry in (logged(rules, item) for item in _draws(node)) if isinstance(entry, LoggedDraw)]
    since = {"answer": answer and [answer.action, answer.arguments], "draws": drawn}
    return log_of(position).text(), json.dumps(since, ensure_ascii=False)


def restored(text: str, since: str) -> Position:
    """The position that `kept` made text of.

    Raises:
        LogError: the text is not as it was made, or the rules in it do not do what it says.
    """
    log, _ = parse_log(text.encode())
    position = Position.first(_rules(text.partition("\n")[0]))
    records = [record for record in log.records if isinstance(record, (Start, Answer))]
    for number, record in enumerate(records):
        answer = record.answer if isinstance(record, Answer) and not record.automatic else None
        position = _further(position, answer, _outcomes(record.then))
        if position.number == number and position.state.digest != record.state:  # else a pass has followed already
            raise LogError("altered", "the rules do not lead to the state that is kept", record.n)
    if since:
        told = json.loads(since)
        position = _further(position, told["answer"] and LoggedMove(*told["answer"]), told["draws"])
    return position


def _outcomes(then: Sequence[Happening]) -> list[Any]:
    return [item.outcome for item in then if isinstance(item, LoggedDraw)]


def _further(position: Position, answer: LoggedMove | None, outcomes: Sequence[Any]) -> Position:
    if answer is not None:
        told = {"action": answer.action, "arguments": answer.arguments}
        position = position.after(reader_of(position.rules).move(told))
    for outcome in outcomes:
        position = position.play_draw(outcome)
    return position


@lru_cache(maxsize=32)
def _rules(header: str) -> Rules:
    """The rules in the first line of a log: compiled once for all positions that are kept with them."""
    return rules_of(parse_log(header.encode() + b"\n")[0])
