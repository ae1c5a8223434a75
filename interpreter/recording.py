"""Making the lines of a log from nodes of a match, and reading what logs say back into internal values."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from interpreter.lines import body_of, compact, digest_of
from interpreter.machine import DRAW
from interpreter.node import Node
from interpreter.recorder import Maker, Recorder
from interpreter.records import (
    FORMAT,
    LANGUAGE,
    Attempt,
    End,
    Happening,
    Header,
    LoggedDraw,
    LoggedEvent,
    LoggedMove,
    Note,
    Record,
)
from interpreter.rules import Internal, Rules
from rulesdsl.types import Type

Text = Callable[[Internal], str]

_REMEMBERED = 1 << 14
"""So many texts of events and draws are kept: most happen again."""


class Writer:
    """Writes the records of set-ups and answers straight from internal values: they are most of a log."""

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self._moves: dict[int, Text] = {}
        self._events: dict[int, Text] = {}
        self._draws: dict[int, Text] = {}
        self._asked: dict[tuple[str, ...], str] = {}
        self._texts: dict[Internal, str] = {}

    def body(self, node: Node, n: int, reveals: bool = True) -> bytes:
        """The line of a node without its hash: of the set-up, or of an answer. `reveals` False: as the first format has it."""
        known = self._texts
        happened = ",".join([known.get(entry) or self._happening(entry) for entry in node.then])
        rest = f'"then":[{happened}],"state":"{self.rules.digest(node.st)}"'
        if node.automatic:
            rest += ',"automatic":true'
        if reveals and node.reveals:
            rest += f',"reveals":[{",".join(map(str, node.reveals))}]'
        if node.move is None:
            return f'{{"n":{n},"kind":"start",{rest}}}'.encode()
        assert node.parent is not None
        seat = self.rules.seats[node.seat]
        asked = self._offered(self.rules.asked_texts(node.parent.st, node.parent.frame))
        answer = self._move(node.move)
        return f'{{"n":{n},"kind":"answer","seat":"{seat}","asked":{asked},"answer":{answer},{rest}}}'.encode()

    def _offered(self, texts: tuple[str, ...]) -> str:
        found = self._asked.get(texts)
        if found is None:
            found = compact(texts).decode()
            if len(self._asked) < 1000:
                self._asked[texts] = found
        return found

    def _move(self, move: Internal) -> str:
        text = self._moves.get(move[0])
        if text is None:
            name = self.rules.action(move[0]).name if move[0] else "pass"
            params = self.rules.chosen(name)
            text = self._moves[move[0]] = self._call(f'"action":"{name}"', params)
        return text(move)

    def _happening(self, entry: Internal) -> str:
        kind = entry[0]
        if kind == DRAW:
            text = self._draws.get(entry[1])
            if text is None:
                text = self._draws[entry[1]] = self._draw(entry[1])
        else:
            text = self._events.get(kind)
            if text is None:
                name = self.rules.event_name(kind)
                text = self._events[kind] = self._call(f'"event":"{name}"', self.rules.event_params(kind))
        made = text(entry)
        if len(self._texts) < _REMEMBERED:
            self._texts[entry] = made
        return made

    def _draw(self, pc: int) -> Text:
        name, t = self.rules.draw_of(pc)
        value = self.rules.codec.logged.of(t)
        return lambda entry: f'{{"draw":"{name}","outcome":{value(entry[2])}}}'

    def _call(self, head: str, params: Sequence[tuple[str, Type]]) -> Text:
        """The function from an event or a move, whose arguments stand after its first item, to its text."""
        texts = [self.rules.codec.logged.of(t) for _, t in params]
        arguments = ",".join(f'"{name}":%s' for name, _ in params)
        template = f'{{{head},"arguments":{{{arguments}}}}}'
        return lambda entry: template % tuple([text(value) for text, value in zip(texts, entry[1:], strict=True)])


def writer_of(rules: Rules) -> Writer:
    """The writer of a program: made once."""
    if rules.writer is None:
        rules.writer = Writer(rules)
    found: Writer = rules.writer
    return found


def node_record(rules: Rules, node: Node) -> Maker:
    """The record of a node: of the set-up, or of an answer."""
    writer = writer_of(rules)
    return lambda n, recorder: writer.body(node, n, not recorder.plain)


def plain_record(make: Callable[[int], Record]) -> Maker:
    """A record that says the same whatever was written before it."""
    return lambda n, _: body_of(make(n))


def end_record(rules: Rules, node: Node) -> Maker:
    def make(n: int, recorder: Recorder) -> bytes:
        outcome = rules.outcome(node.st)
        assert outcome is not None
        scores = None if outcome.scores is None else dict(outcome.scores)
        return body_of(End(n, outcome.winners, scores, n + 1, recorder.whole()))

    return make


def attempt_record(
    rules: Rules, seat: str | None, move: Internal | None, draws: Sequence[Internal], error: str
) -> Maker:
    """A note that says which answer the rules failed at, and what was drawn until then."""
    answer = None if move is None else logged_move(rules, move)
    outcomes = tuple(LoggedDraw(*_draw(rules, entry)) for entry in draws)
    return plain_record(lambda n: Note(n, "the rules fail here", Attempt(seat, answer, outcomes, error)))


# ---------------------------------------------------------------- as values


def logged(rules: Rules, entry: Internal) -> Happening:
    """A draw or an event as it stands in a log."""
    plain = rules.codec.plain
    if entry[0] == DRAW:
        return LoggedDraw(*_draw(rules, entry))
    params = rules.event_params(entry[0])
    arguments = {name: plain(t, value) for (name, t), value in zip(params, entry[1:], strict=True)}
    return LoggedEvent(rules.event_name(entry[0]), arguments)


def _draw(rules: Rules, entry: Internal) -> tuple[str, Any]:
    name, t = rules.draw_of(entry[1])
    return name, rules.codec.plain(t, entry[2])


def logged_move(rules: Rules, move: Internal) -> LoggedMove:
    """A move as it stands in a log."""
    if move[0] == 0:
        return LoggedMove("pass", {})
    info = rules.action(move[0])
    plain = rules.codec.plain
    return LoggedMove(info.name, {c.name: plain(c.type, v) for c, v in zip(info.chosen, move[1:], strict=True)})


def make_header(rules: Rules, seed: str | None, humans: Sequence[str], embed: bool) -> Header:
    """The header of a new log."""
    return Header(
        FORMAT,
        LANGUAGE,
        rules.program.name,
        rules.program.digest,
        dict(rules.plain_parameters),
        rules.seats,
        rules.variants,
        tuple(humans),
        seed,
        dict(rules.texts) if embed else None,
        digest_of(rules.plain_parameters),
    )
