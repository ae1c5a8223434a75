"""A position: the state, the question that is open, and how it came about. It never changes.

`Game.start` gives a first one, and each answer or draw gives another, without a match: that is how bots search and agents
learn. A match is the same with a log, undo and a seed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from interpreter import advance
from interpreter.errors import IllegalMove, RulesError, ValueProblem
from interpreter.machine import DRAW, Fault, fault_of, guarded, pick
from interpreter.movetext import parse_move
from interpreter.node import Node, events_of
from interpreter.rules import Internal, Rules
from interpreter.turn import outcome_named
from interpreter.values import Drawn, Event, Move, Outcome, Question, State

if TYPE_CHECKING:
    from interpreter.explain import Explanation
    from interpreter.log import Log
    from interpreter.view import View, Viewer


class Position:
    """A position, read-only: `state`, `question`, `legal_moves()`, `view(seat)`, `why(move)`, `outcome`, `events` ...

    `play` and `play_draw` (`after` and `after_draw`, in internal form) give the positions that follow, and leave this one as it
    is. Copying one costs nothing, and pickling it writes its log. Two are equal if the same rules rest at the same place in
    the same state, however they came there.
    """

    __slots__ = ("_log", "_question", "node", "rules")

    def __init__(self, rules: Rules, node: Node, log: Callable[[], Log] | None = None) -> None:
        self.rules = rules
        self.node = node
        self._log = log
        self._question: Question | None = None

    @classmethod
    def first(cls, rules: Rules) -> Position:
        """Where a game begins: its first draw or question. See `Game.start`.

        Raises:
            RulesError: the rules fail.
        """
        try:
            return cls(rules, advance.begun(rules))
        except Fault as fault:
            from interpreter.keeping import log_that_fails_at_once

            log = log_that_fails_at_once(rules, str(fault))
            raise rules_error(fault, None, None, None, log) from fault.__cause__

    def __repr__(self) -> str:
        return f"<Position {self.number} of {self.rules.program.name}: {self.question}>"

    @property
    def key(self) -> Internal:
        """What is the same for equal positions of the same rules, and for no others: to remember positions by."""
        return self.node.st, self.node.frame

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Position):
            return NotImplemented
        return self.key == other.key and self.rules.program.digest == other.rules.program.digest

    def __hash__(self) -> int:
        return hash(self.key)

    def __copy__(self) -> Position:
        return self

    def __deepcopy__(self, _: Any) -> Position:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        from interpreter.keeping import kept, restored

        return restored, kept(self)

    @property
    def number(self) -> int:
        """How many answers led here; 0 is the position after the set-up."""
        return self.node.depth

    @property
    def state(self) -> State:
        return self.rules.state(self.node.st)

    @property
    def outcome(self) -> Outcome | None:
        """The result, or None while the game goes on."""
        return self.rules.outcome(self.node.st)

    def measure(self, name: str, seat: str) -> int:
        """What a measure of the rules says of a seat here.

        Raises:
            ValueProblem: there is no such measure or seat.
            RulesError: the rules fail.
        """
        number, known = self.rules.seat(seat), self.rules.module.MEASURES
        if name not in known:
            raise ValueProblem("", f"there is no measure {name}" + (f"; there are {', '.join(known)}" if known else ""))
        return int(self._ask(lambda: known[name](self.node.st, number)))

    def broken_invariants(self) -> tuple[str, ...]:
        """The invariants of the rules that do not hold here.

        Raises:
            RulesError: one of them fails as a rule.
        """
        st = self.node.st
        return self._ask(lambda: tuple(text for text, holds, _ in self.rules.module.INVARIANTS if not holds(st)))  # type: ignore[no-any-return]

    @property
    def question(self) -> Question:
        """What the match waits for.

        Raises:
            RulesError: the rules fail when the question is put.
        """
        if self._question is None:
            self._question = self._ask(lambda: self.rules.question(self.node.st, self.node.frame))
        return self._question

    @property
    def asks(self) -> bool:
        """Whether a player is asked here."""
        frame = self.node.frame
        return frame is not None and self.rules.module.KIND[frame[0]] == "choice"

    def legal_moves(self) -> list[Move]:
        """The legal moves of the player who is asked, in canonical order, the pass first; none at a draw or at the end.

        Raises:
            RulesError: the rules fail while guards are evaluated.
        """
        return [self.rules.move(move) for move in self.legal()]

    def legal(self) -> list[Internal]:
        """The legal moves in internal form."""
        node, module = self.node, self.rules.module
        frame = node.frame
        if frame is None or module.KIND[frame[0]] != "choice":
            return []
        try:
            return module.legal(node.st, frame)
        except Exception as problem:
            raise self._failed(fault_of(self.rules, problem)) from problem

    @property
    def draws(self) -> bool:
        """Whether chance is asked here."""
        frame = self.node.frame
        return frame is not None and self.rules.module.KIND[frame[0]] == "draw"

    def outcomes(self) -> Sequence[tuple[Any, int]]:
        """The outcomes of the draw that is waited for, in internal form, with their weights; none elsewhere.

        Raises:
            RulesError: there is nothing to draw from, or the rules fail.
        """
        if not self.draws:
            return ()
        try:
            return advance.outcomes(self.rules, self.node)
        except Fault as fault:
            raise self._failed(fault) from fault.__cause__

    def allows(self, move: Internal) -> bool:
        """Whether a move in internal form is legal here."""
        node = self.node
        return self.asks and bool(self._ask(lambda: self.rules.module.allows(node.st, node.frame, move)))

    def read_move(self, move: Move | str, arguments: Mapping[str, Any] | None = None, lenient: bool = False) -> Move:
        """A move from text (`place(seven, c3)`; `lenient`: also `place sev c3`), or from an action's name and arguments.

        Raises:
            ValueProblem: the text is no move, or an argument is not of its type.
        """
        if isinstance(move, Move):
            made = move
        elif arguments or (not lenient and self.rules.action_named(move) is not None):
            made = Move(move, dict(arguments or {}))
        else:
            asked = self.question.actions if lenient and self.asks else ()
            if asked and self.question.may_pass:
                asked = (*asked, "pass")
            name, values = self._parse(move, asked, lenient)
            position = self.rules.action_named(name)
            return self.rules.move((position.position if position else 0, *values))
        return self.rules.move(self.rules.internal_move(made))

    def _parse(self, text: str, asked: Sequence[str], lenient: bool) -> tuple[str, Internal]:
        """Parse among the asked actions first, so that a prefix need only be clear among them, then among all."""
        every = [action.name for action in self.rules.program.actions]
        for names in (asked, every):
            try:
                actions = [(name, self.rules.chosen(name)) for name in names]
                return parse_move(self.rules.codec, actions, text, lenient)
            except ValueProblem as problem:
                if names is every or not problem.what.startswith("there is no action"):
                    raise
        raise AssertionError("unreachable")

    # ------------------------------------------------------------ what follows

    def play(self, move: Move | str, /, **arguments: Any) -> Position:
        """The position after an answer, told as `Match.play` takes it. It may rest at a draw; a `may` question that leaves
        nothing legal is passed.

        Raises:
            IllegalMove: the move is not legal.
            RulesError: the rules fail.
        """
        try:
            made = self.read_move(move, arguments)
            internal = self.rules.internal_move(made)
        except ValueProblem:
            raise IllegalMove(self.why(move, **arguments)) from None
        if not self.allows(internal):
            raise IllegalMove(self.why(made))
        return self.after(internal)

    def play_draw(self, outcome: Any) -> Position:
        """The position after a draw with this outcome, by name.

        Raises:
            ValueProblem: no draw is waited for, or it cannot have this outcome.
            RulesError: the rules fail.
        """
        if not self.draws:
            raise ValueProblem("", "no draw is waited for")
        return self.after_draw(outcome_named(self.rules, self.node.frame[0], outcome, self.outcomes()))

    def after(self, move: Internal) -> Position:
        """The position after a legal move in internal form. Whether it is legal is not asked: it comes from `legal()`.

        Raises:
            RulesError: the rules fail.
        """
        try:
            return Position(self.rules, advance.answered(self.rules, self.node, move))
        except Fault as fault:
            raise self._failed(fault, move) from fault.__cause__

    def after_draw(self, value: Any) -> Position:
        """The position after an outcome in internal form, which comes from `outcomes()`.

        Raises:
            RulesError: the rules fail.
        """
        try:
            return Position(self.rules, advance.drawn(self.rules, self.node, value))
        except Fault as fault:
            raise self._failed(fault, None, value) from fault.__cause__

    def settled(self, seed: str | int) -> Position:
        """The position when all draws that are waited for are made, as a match of this seed makes them.

        Raises:
            RulesError: the rules fail.
        """
        position = self
        while position.draws:
            node = position.node
            made = sum(entry[0] == DRAW for entry in node.then)
            position = position.after_draw(pick(str(seed), node.depth, made, position.outcomes()))
        return position

    def to_log(self, seed: str | int | None = None) -> Log:
        """The log of the way here, as a match would have written it, with its rules in it: the set-up and each answer. A draw
        that is waited for, and what led to it since the last question, is not in it.

        `seed`: what the log is to name as its seed.
        """
        from interpreter.keeping import log_of

        return log_of(self, seed)

    def _failed(self, fault: Fault, move: Internal | None = None, *value: Any) -> RulesError:
        """The error for a fault after this position, with a log that leads to it."""
        from interpreter.keeping import log_that_fails

        node, seats = self.node, self.rules.seats
        seat, made = (node.seat, node.move) if move is None else (self.rules.module.asked(node.st, node.frame), move)
        log = log_that_fails(self, move, value, str(fault))
        if made is None:
            return rules_error(fault, self, None, None, log)
        return rules_error(fault, self, seats[seat], self.rules.move(made), log)

    # ------------------------------------------------------------ how it came about

    @property
    def events(self) -> tuple[Event, ...]:
        """All events from the start to here."""
        return tuple(self.rules.event(event) for node in self.node.path() for event in events_of(node))

    @property
    def answers(self) -> tuple[tuple[str, Move], ...]:
        """All answers from the start to here: who, and what."""
        nodes = self.node.path()[1:]
        return tuple((self.rules.seats[n.seat], self.rules.move(n.move)) for n in nodes if n.move is not None)

    @property
    def happened(self) -> tuple[Event | Drawn, ...]:
        """What followed the last answer: draws and events in order."""
        return tuple(happening(self.rules, entry) for entry in self.node.then)

    def why(self, move: Move | str, /, *, seat: str | None = None, **arguments: Any) -> Explanation:
        """Why a move is legal or not: every failed guard, with its sentence, its place in the rules and the values in it.

        `seat`: who would make it; without it, whoever is asked.
        """
        from interpreter.explain import explain

        return explain(self, move, arguments, seat)

    def view(self, seat: Viewer = None) -> View:
        """What a seat sees; None is a spectator, `REFEREE` sees everything."""
        from interpreter.view import view

        return view(self, seat)

    def remembered(self, seat: Viewer = None) -> tuple[str, ...]:
        """What a seat has seen and done so far, line by line: its information state, without the question that is open.

        Raises:
            ValueProblem: there is no such seat.
        """
        from interpreter.memory import remembered

        return tuple(item.text for item in remembered(self.rules, self.node, seat))

    def narrate(self, since: int = -1, seat: Viewer = None) -> list[str]:
        """The sentences of what happened after `since` answers, as a seat (None: a spectator) may read them.

        `since` -1 tells the set-up too, 0 only what came after it.
        """
        from interpreter.view import narrate

        return narrate(self, since, seat)

    def _ask(self, work: Callable[[], Any]) -> Any:
        try:
            return guarded(self.rules, work)
        except Fault as fault:
            raise rules_error(fault, self, None, None, self._log() if self._log else None) from fault


def happening(rules: Rules, entry: Internal) -> Event | Drawn:
    """The named form of an entry of `Node.then`."""
    if entry[0] == DRAW:
        name, t = rules.draw_of(entry[1])
        return Drawn(name, rules.codec.named(t, entry[2]))
    return rules.event(entry)


def rules_error(
    fault: Fault, before: Position | None, seat: str | None, answer: Move | None, log: Log | None
) -> RulesError:
    """The error that players and authors see for a fault."""
    file, line, column = fault.place or ("", 0, 0)
    return RulesError(
        fault.kind,
        fault.detail,
        clause=fault.clause,
        file=file,
        line=line,
        column=column,
        seat=seat,
        answer=None if answer is None else str(answer),
        before=before,
        log=log,
    )
