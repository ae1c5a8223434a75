"""Playing a log again: by its answers through the rules (`replay`), or by its events alone (`fold`).

Two laws hold for every game: running the recorded answers and draws through the rules gives exactly the recorded events and
states, and applying the recorded events alone gives the same states. Where a log and the rules part, the first difference is
named; nothing after it is applied.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from attrs import frozen

from interpreter.errors import LogError, RulesError, ValueProblem
from interpreter.log import (
    Answer,
    Attempt,
    Branch,
    End,
    Happening,
    Log,
    LoggedDraw,
    LoggedEvent,
    LoggedMove,
    Note,
    Redo,
    Start,
    Undo,
)
from interpreter.machine import Choose, Fault
from interpreter.match import Match
from interpreter.node import Node
from interpreter.position import Position
from interpreter.records import logged, read_event, read_move
from interpreter.rules import Internal, Rules
from interpreter.store import Recorder, Sink
from interpreter.turn import Turn
from interpreter.values import Drawn, Event, Move, State

if TYPE_CHECKING:
    from interpreter.game import Game


@frozen
class Difference:
    """The first place where a log and the rules part. `expected` stands in the log, `got` is what the rules do."""

    record: int
    what: str
    expected: str
    got: str
    before: Position | None

    def __str__(self) -> str:
        return f"record {self.record}: {self.what}: recorded {self.expected}, now {self.got}"


@frozen
class Replay:
    """What a replay came to. `match` stands after the last record that agrees, `agreed` is how many records do.

    `fault` is what the rules failed at, where the log notes an attempt and it fails again.
    """

    match: Match
    agreed: int
    difference: Difference | None = None
    fault: RulesError | None = None


class _Parted(Exception):
    """The log and the rules say different things."""

    def __init__(self, what: str, expected: str, got: str) -> None:
        self.what = what
        self.expected = expected
        self.got = got
        super().__init__(what)


def rules_of(log: Log, game: Game | None = None, *, own_rules: bool = False, current_rules: bool = False) -> Rules:
    """The rules that a log is to be played with: the game's, or (`own_rules`, or without a game) those in the log itself.

    Raises:
        LogError: kind "program", if the game's rules are not those of the log and `current_rules` is not asked for, or if
            the log's own are asked for and it carries none.
    """
    from interpreter.game import Game

    header = log.header
    if game is None or own_rules:
        if not header.rules:
            raise LogError("program", "this log does not carry its rules; give them")
        game = Game.from_text(header.rules)
    if game.name != header.game:
        raise LogError("program", f"a log of {header.game}, not of {game.name}")
    try:
        params = _agreed(log, game) if current_rules else header.params
        rules = game.with_params(**params).rules(len(header.seats))
    except ValueProblem as problem:
        raise LogError("program", f"its parameters do not fit these rules: {problem}") from problem
    if rules.seats != header.seats:
        raise LogError("program", f"its seats are {', '.join(header.seats)}, now {', '.join(rules.seats)}")
    if rules.program.digest != header.digest and not current_rules:
        played, now = f"program {header.digest[:8]}…", f"{rules.program.digest[:8]}…"
        if header.variants != rules.variants:
            played, now = (" + ".join((header.game, *variants)) for variants in (header.variants, rules.variants))
        hint = "it carries its own rules" if header.rules is not None else "it does not carry its own"
        raise LogError("program", f"played with other rules ({played}, now {now}); the log is intact, and {hint}")
    return rules


def _agreed(log: Log, game: Game) -> dict[str, Any]:
    """The parameters of a log that other rules are to have: what was left at its default then is at the default now."""
    from interpreter.game import Game

    header = log.header
    if not header.rules or header.digest == game.rules(len(header.seats)).program.digest:
        return header.params
    then = Game.from_text(header.rules)
    usual = {name: then.rules().codec.plain(t, value) for name, t, value in then.program().parameters}
    return {name: value for name, value in header.params.items() if name not in usual or value != usual[name]}


def replay(
    log: Log,
    game: Game | None = None,
    verify: bool = True,
    *,
    own_rules: bool = False,
    current_rules: bool = False,
    checks: bool = False,
    sink: Sink | None = None,
) -> Replay:
    """Run the answers and draws of a log through the rules.

    `verify` compares every event and every digest of a state with the log's. `checks` looks at invariants too. With `sink`
    (which holds the log's lines already) the match can be continued there.

    Raises:
        LogError: see `rules_of`.
    """
    rules = rules_of(log, game, own_rules=own_rules, current_rules=current_rules)
    return _Replayer(log, rules, verify, checks, sink).play()


class _Replayer:
    """Takes a new match through the records of a log."""

    def __init__(self, log: Log, rules: Rules, verify: bool, checks: bool, sink: Sink | None) -> None:
        self.log = log
        self.rules = rules
        self.verify = verify
        self.match = Match(
            rules, humans=log.header.humans, checks=checks, recorder=Recorder.of(log, sink), seed=log.header.seed
        )
        self.at = 0

    def play(self) -> Replay:
        records = self.log.records
        fault = None
        while self.at < len(records):
            record = records[self.at]
            try:
                if isinstance(record, Note) and record.attempt is not None:
                    fault = self._attempt(record.attempt) or fault
                    self.at += 1
                else:
                    self._record(record)
            except _Parted as parted:
                return self._parted(parted)
            except Fault as broken:
                return self._parted(_Parted("the rules fail", "no fault", str(broken)))
            except ValueProblem as problem:
                return self._parted(_Parted("it does not fit the rules", _told(record), str(problem)))
        if not self.match.started and fault is None:
            self.match.begin()
        return Replay(self.match, len(records), None, fault)

    def _parted(self, parted: _Parted) -> Replay:
        before = self.match.position if self.match.started else None
        difference = Difference(self.at, parted.what, parted.expected, parted.got, before)
        return Replay(self.match, self.at, difference)

    def _record(self, record: Any) -> None:
        if isinstance(record, (Start, Answer)):
            self._answered(record)
            return
        if isinstance(record, (Undo, Redo, Branch)):
            try:
                self.match.follow(record)
            except ValueError as problem:
                raise _Parted("it cannot be followed", _told(record), str(problem)) from None
        elif isinstance(record, End):
            self._ended(record)
        self.at += 1

    def _answered(self, first: Start | Answer) -> None:
        """A set-up or an answer, with the automatic passes that follow it."""
        told = [first, *self._automatic(self.at + 1)]
        if isinstance(first, Start):
            if self.match.started:
                raise _Parted("there is a second set-up", "an answer", "a set-up")
            turn = self._turn(None, told)
            turn.begin()
        else:
            move = self._check_question(first)
            turn = self._turn(self.match.position.node, told)
            turn.answer(move)
        self._compare(turn.nodes, told)

    def _turn(self, parent: Node | None, told: Sequence[Start | Answer]) -> Turn:
        return Turn(self.rules, parent, lambda place: self._chooser(told, place), self.match.checks, reuse=False)

    def _automatic(self, start: int) -> Iterator[Answer]:
        for record in self.log.records[start:]:
            if not isinstance(record, Answer) or not record.automatic:
                return
            yield record

    def _check_question(self, record: Answer) -> Internal:
        """The answer of a record, if the rules put the same question and allow it."""
        if not self.match.started:
            raise _Parted("there is no set-up", "a set-up", _told(record))
        position = self.match.position
        if not position.asks:
            raise _Parted("nobody is asked", f"{record.seat} is asked", str(position.question))
        node = position.node
        seat = self.rules.seats[self.rules.module.asked(node.st, node.frame)]
        asked = self.rules.asked_texts(node.st, node.frame)
        if (seat, asked) != (record.seat, record.asked):
            raise _Parted("another question is put", _asked(record.seat, record.asked), _asked(seat, asked))
        move = read_move(self.rules, record.answer)
        if not position.allows(move):
            reason = position.why(self.rules.move(move)).summary
            raise _Parted("the answer is not legal", str(self.rules.move(move)), reason)
        return move

    def _chooser(self, told: Sequence[Start | Answer], place: int) -> Choose | None:
        """The recorded draws; past the end of the log, what the match itself would draw."""
        if place >= len(told):
            return self.match.chooser(self.at + place)
        draws = [item for item in told[place].then if isinstance(item, LoggedDraw)]
        return lambda pc, number, outcomes: self._told_draw(draws, pc, number, outcomes)

    def _told_draw(self, draws: Sequence[LoggedDraw], pc: int, number: int, outcomes: Sequence[tuple[Any, int]]) -> Any:
        name, t = self.rules.draw_of(pc)
        if number >= len(draws):
            raise _Parted("more is drawn", "no draw", f"a draw of {name}")
        value = self.rules.codec.internal(t, draws[number].outcome, draws[number].draw)
        if draws[number].draw != name or all(value != possible for possible, _ in outcomes):
            raise _Parted(
                "the draw is another", f"{draws[number].draw} = {self.rules.codec.text(t, value)}", f"a draw of {name}"
            )
        return value

    def _compare(self, nodes: Sequence[Node], told: Sequence[Start | Answer]) -> None:
        """Compare what the rules did with the records, one by one, and take over what agrees."""
        for place, record in enumerate(told):
            if place >= len(nodes):
                raise _Parted("no pass is due", _told(record), str(self.match.position.question))
            if self.verify:
                self._same(nodes[place], record)
            self.match.adopt(nodes[place], self.at)
            self.at += 1
        rest = list(nodes[len(told) :])
        if rest and self.at < len(self.log.records):
            raise _Parted("a pass is due", _told(self.log.records[self.at]), "an automatic pass")
        ended = self.at == len(self.log.records) and nodes[-1].frame is None
        if rest or ended:
            self.match.store(rest)

    def _same(self, node: Node, record: Start | Answer) -> None:
        got = tuple(logged(self.rules, entry) for entry in node.then)
        if got != record.then:
            place = next((i for i, pair in enumerate(zip(got, record.then, strict=False)) if pair[0] != pair[1]), None)
            place = min(len(got), len(record.then)) if place is None else place
            raise _Parted("something else happens", _item(record.then, place), _item(got, place))
        digest = self.rules.digest(node.st)
        if digest != record.state:
            told = _states_apart(self.log, record.n, self.rules.plain_state(node.st))
            raise _Parted("the state is another", *(told or (f"digest {record.state}", f"digest {digest}")))

    def _ended(self, end: End) -> None:
        outcome = self.match.outcome if self.match.started else None
        told = (end.winners, end.scores)
        if outcome is None or told != (outcome.winners, None if outcome.scores is None else dict(outcome.scores)):
            raise _Parted("the result is another", str(told), str(outcome or "the game goes on"))

    def _attempt(self, attempt: Attempt) -> RulesError | None:
        """Try again what the rules failed at."""
        draws = attempt.draws

        def choose(pc: int, number: int, outcomes: Sequence[tuple[Any, int]]) -> Any:
            return self._told_draw(draws, pc, number, outcomes)

        return self.match.attempt(None if attempt.answer is None else read_move(self.rules, attempt.answer), choose)


# ---------------------------------------------------------------- by events alone


@frozen
class Folded:
    """The states that the events alone give: after each record of a set-up or an answer, and at the end of the log."""

    states: dict[int, State]
    state: State


def fold(log: Log, game: Game | None = None, *, verify: bool = True, rules: Rules | None = None) -> Folded:
    """Apply the recorded events alone; no rule is asked.

    Raises:
        LogError: an event does not fit the program, or (with `verify`) a state's digest is not the recorded one.
    """
    rules = rules or rules_of(log, game)
    st = rules.module.initial()
    states: dict[int, Internal] = {}
    for number, record in enumerate(log.records):
        if isinstance(record, (Start, Answer)):
            try:
                for item in record.then:
                    if isinstance(item, LoggedEvent):
                        st = rules.module.apply(st, read_event(rules, item))
            except ValueProblem as problem:
                raise LogError("altered", str(problem), number) from problem
            if verify and rules.digest(st) != record.state:
                raise LogError("altered", f"its events give the state {rules.digest(st)}, not {record.state}", number)
            states[number] = st
        elif isinstance(record, (Undo, Redo, Branch)):
            if record.to not in states:
                raise LogError("altered", f"record {record.to} is not a set-up or an answer", number)
            st = states[record.to]
    return Folded({number: rules.state(item) for number, item in states.items()}, rules.state(st))


def _states_apart(log: Log, number: int, now: Mapping[str, Any]) -> tuple[str, str] | None:
    """What is first different in the state after a record, by the log's own rules and now; None where that is not known."""
    if not log.header.rules:
        return None
    then = fold(log, rules=rules_of(log, own_rules=True), verify=False).states.get(number)
    return None if then is None else _apart(then._rules.plain_state(then._st), now, "")


def _apart(then: Any, now: Any, name: str) -> tuple[str, str] | None:
    """Where two values in plain form are first different."""
    if then == now:
        return None
    if isinstance(then, list) and isinstance(now, list):
        gone, new = [x for x in then if x not in now], [x for x in now if x not in then]
        if gone or new:
            return _with(name, gone, new), _with(name, new, gone)
    if not isinstance(then, Mapping) or not isinstance(now, Mapping):
        return f"{name} is {_short(then)}", f"{name} is {_short(now)}"
    for key in dict.fromkeys([*then, *now]):
        inner = f"{name}[{key}]" if name else str(key)
        if key not in now:
            return f"{inner} is {_short(then[key])}", f"there is no {inner}"
        if key not in then:
            return f"there is no {inner}", f"{inner} is {_short(now[key])}"
        found = _apart(then[key], now[key], inner)
        if found is not None:
            return found
    return None


# ---------------------------------------------------------------- words


def _with(name: str, own: list[Any], others: list[Any]) -> str:
    """A collection, told by what only this one has, or by what it lacks."""
    return f"{name} with {_short(own)}" if own else f"{name} without {_short(others)}"


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 48 else text[:45] + "..."


def _item(then: Sequence[Happening], place: int) -> str:
    if place >= len(then):
        return "nothing more"
    item = then[place]
    if isinstance(item, LoggedEvent):
        return str(Event(item.event, item.arguments))
    return str(Drawn(item.draw, item.outcome))


def _asked(seat: str | None, asked: Sequence[str]) -> str:
    return f"{seat} is asked {' or '.join(asked)}"


def _told(record: Any) -> str:
    if isinstance(record, Answer):
        return f"{record.seat} {_move(record.answer)}"
    if isinstance(record, (Undo, Redo, Branch)):
        return f"{type(record).__name__.lower()} to record {record.to}"
    return type(record).__name__.lower()


def _move(move: LoggedMove) -> str:
    return str(Move(move.action, move.arguments))
