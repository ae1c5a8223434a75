"""A match: answers in, positions and a log out. Undo, redo and branches move between positions that are kept.

Nothing is ever half done: an answer is carried out on immutable values, its records are made and stored, and only then does
the match stand somewhere else. A refused move, a fault of the rules or a full disk leaves everything as it was.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from interpreter.errors import Conflict, IllegalMove, LogError, RulesError, UndoRefused, ValueProblem
from interpreter.history import History
from interpreter.log import Log
from interpreter.machine import Choose, Fault, pick
from interpreter.node import Node
from interpreter.position import Position, rules_error
from interpreter.recorder import Recorder, Sink
from interpreter.recording import attempt_record, end_record, make_header, node_record, plain_record
from interpreter.records import Branch, Note, Redo, Undo
from interpreter.rules import Internal, Rules
from interpreter.turn import Turn, chosen_by, outcome_named
from interpreter.undo import Verdict, undo_target
from interpreter.values import Event, Move, Outcome, Question, State

if TYPE_CHECKING:
    from interpreter.explain import Explanation
    from interpreter.store import Journal
    from interpreter.view import View, Viewer
    from interpreter.view_log import ViewLog

ASK = "ask"
"""For `chance`: the match rests at draws, which `play_draw` answers."""

Chance = Callable[[Question], Any]
"""Chooses an outcome (named) for a question of kind "draw"."""


class Match:
    """A match of a game, made by `Game.new` or `Match.from_log`.

    `match.question` says who is asked, `match.play(...)` answers; draws are made by the match as a part of each answer. See
    `Position` for what can be asked of the present position, or of an earlier one (`match.at(n)`).
    """

    def __init__(
        self,
        rules: Rules,
        *,
        seed: str | int | None = None,
        humans: Sequence[str] = (),
        checks: bool = False,
        chance: Chance | str | None = None,
        sink: Sink | None = None,
        embed: bool = True,
        recorder: Recorder | None = None,
    ) -> None:
        """`checks` looks at every invariant and transition around each event. See `Game.new` for the rest.

        Raises:
            RulesError: the rules fail during the set-up.
            ValueProblem: a name in `humans` is not a seat.
        """
        for name in humans:
            rules.seat(name)
        self.rules = rules
        self.checks = checks
        self.humans: tuple[str, ...] = tuple(name for name in rules.seats if name in humans)
        self._chance = chance
        self._pending: Turn | None = None
        if recorder is None:
            self._seed = secrets.token_hex(16) if seed is None else str(seed)
            self._recorder = Recorder(make_header(rules, self._seed, self.humans, embed), sink)
        else:
            self._seed = recorder.header.seed or secrets.token_hex(16)
            self._recorder = recorder
        self.history = History(self._recorder)
        if recorder is None:
            self.begin()

    @classmethod
    def from_log(
        cls, log: Log, game: Any = None, *, own_rules: bool = False, checks: bool = False, sink: Sink | None = None
    ) -> Match:
        """The match that a log records, ready to be continued. Every answer is run again and compared.

        Raises:
            LogError: the log was played with other rules, or the rules do not do what it says.
        """
        from interpreter.replay import replay

        done = replay(log, game, own_rules=own_rules, checks=checks, sink=sink)
        if done.difference is not None:
            raise LogError("replay", str(done.difference), done.difference.record)
        return done.match

    @classmethod
    def open(
        cls,
        journal: Journal,
        game: Any = None,
        *,
        own_rules: bool = False,
        checks: bool = False,
        snapshots: str | Path | None = None,
    ) -> Match:
        """The match that a store keeps, to be gone on with there. Without a game it is played by the rules in its log.

        `snapshots`: a folder for a cache of positions, so that a long match is opened without replaying all of it. What is in
        it is used only where the log confirms it, and the folder may be deleted at any time.

        Raises:
            LogError: as `from_log`; or it was altered, or is not there.
        """
        from interpreter.opening import opened

        if snapshots is None or checks:
            return cls.from_log(journal.log(), game, own_rules=own_rules, checks=checks, sink=journal)
        return opened(journal, game, own_rules, snapshots)

    def catch_up(self) -> int:
        """Take over what other writers have added to the match in its store; how many records that were.

        Raises:
            LogError: they were altered, or the rules do not do what they say (then the match stands where they still agree).
        """
        from interpreter.replay import catch_up

        stretch = self._recorder.look()
        if stretch.first < stretch.last:
            self._recorder.take_over(stretch)
            self._pending = None
            try:
                catch_up(self, stretch)
            except LogError as problem:
                self._recorder.forget_from(stretch.first if problem.record is None else problem.record)
                raise
        return stretch.last - stretch.first

    # ------------------------------------------------------------ where the match stands

    @property
    def position(self) -> Position:
        """The present position, as a value."""
        node = self.history.here if self._pending is None else self._pending.resting
        assert node is not None
        return Position(self.rules, node, lambda: self.log)

    def at(self, n: int) -> Position:
        """The position after `n` answers of the present line; 0 is after the set-up. Takes the same time for every `n`.

        Raises:
            IndexError: there were not so many answers.
        """
        line = self.history.line
        if not 0 <= n < len(line):
            raise IndexError(f"there are {len(line) - 1} answers")
        return Position(self.rules, line[n], lambda: self.log)

    def after_record(self, record: int) -> Position:
        """The position after a record of the log, undone ones too.

        Raises:
            IndexError: there is no such record of a set-up or an answer.
        """
        node = self.history.after(record)
        if node is None:
            raise IndexError(f"record {record} is not a set-up or an answer of this match")
        return Position(self.rules, node, lambda: self.log)

    @property
    def started(self) -> bool:
        """Whether the set-up is done; only a match that is being replayed may not have got so far."""
        return bool(self.history.line)

    @property
    def version(self) -> int:
        """How many records there are. An answer that was made for an earlier version can be refused: see `play`."""
        return self._recorder.count

    @property
    def plain(self) -> bool:
        """Whether its log is of the first format."""
        return self._recorder.plain

    @property
    def number(self) -> int:
        """How many answers led to the present position."""
        return self.position.number

    @property
    def question(self) -> Question:
        return self.position.question

    @property
    def state(self) -> State:
        return self.position.state

    @property
    def outcome(self) -> Outcome | None:
        return self.position.outcome

    @property
    def events(self) -> tuple[Event, ...]:
        return self.position.events

    def legal_moves(self) -> list[Move]:
        """See `Position.legal_moves`."""
        return self.position.legal_moves()

    def why(self, move: Move | str, /, *, seat: str | None = None, **arguments: Any) -> Explanation:
        """See `Position.why`."""
        return self.position.why(move, seat=seat, **arguments)

    def view(self, seat: Viewer = None) -> View:
        """See `Position.view`."""
        return self.position.view(seat)

    def narrate(self, since: int = -1, seat: Viewer = None) -> list[str]:
        """See `Position.narrate`."""
        return self.position.narrate(since, seat)

    @property
    def log(self) -> Log:
        """The log so far, as a value."""
        return self._recorder.log()

    def view_log(self, seat: Viewer = None) -> ViewLog:
        """The log as a seat may see it; None is a spectator, `REFEREE` sees everything but the seed.

        Raises:
            ValueProblem: there is no such seat.
        """
        from interpreter.view_log import view_log

        return view_log(self, seat)

    def save(self, path: str | Path) -> None:
        """Write the log to a file.

        Raises:
            OSError: it cannot be written.
        """
        self.log.save(path)

    # ------------------------------------------------------------ answers

    def play(
        self, move: Move | str, /, *, seat: str | None = None, version: int | None = None, **arguments: Any
    ) -> Position:
        """Answer the question: `play(move)`, `play("place(seven, c3)")` or `play("place", tile="seven", at="c3")`.

        `seat`: who answers, where that should be checked. `version`: the `Match.version` that the answer was made for, so that
        one that comes twice, or too late, is refused. Draws that follow are made, and a `may` question that leaves
        nothing legal is passed, until a player has something to choose or the game is over. Returns the new position.

        Raises:
            IllegalMove: the move is not legal; nothing has changed.
            RulesError: the rules fail; nothing has changed.
            Conflict: the match has another version, here or in its store; nothing has changed.
            LogError, OSError: the record could not be stored; nothing has changed.
        """
        if version is not None and version != self.version:
            raise Conflict(version + 1, self.version + 1, "")
        position = self.position
        try:
            made = position.read_move(move, arguments)
            internal = self.rules.internal_move(made)
            refused = seat is not None and seat != position.question.seat
        except ValueProblem:
            made, internal, refused = None, (), True
        if refused or not position.allows(internal):
            raise IllegalMove(
                position.why(made if made is not None else move, seat=seat, **({} if made else arguments))
            )
        self._answer(internal)
        return self.position

    def answer(self, move: Internal) -> None:
        """Answer with a move in internal form, for callers that work with `Position.legal()`.

        Raises:
            IllegalMove, RulesError, LogError, OSError: as `play`.
        """
        position = self.position
        if not position.allows(move):
            try:
                named = self.rules.move(move)
            except Exception:
                raise ValueProblem("", f"{move!r} is not a move") from None
            raise IllegalMove(position.why(named))
        self._answer(move)

    def play_draw(self, outcome: Any) -> Position:
        """Tell the outcome of the draw that is waited for, by name; only with `chance=ASK`.

        Raises:
            ValueProblem: no draw is waited for, or it cannot have this outcome.
            RulesError, LogError, OSError: as `play`.
        """
        if self._pending is None:
            raise ValueProblem("", "no draw is waited for")
        turn, position = self._pending.copy(), self.position
        value = outcome_named(self.rules, position.node.frame[0], outcome, position.outcomes())
        self._carry_out(turn, lambda turn: turn.draw(value))
        return self.position

    def begin(self) -> None:
        """Set the game up, if it is not."""
        self._carry_out(self._turn(None), lambda turn: turn.begin())

    def _turn(self, parent: Node | None) -> Turn:
        first = self._recorder.count
        return Turn(self.rules, parent, lambda place: self.chooser(first + place), self.checks)

    def _answer(self, move: Internal) -> None:
        """Carry out a legal move and store it."""
        self._carry_out(self._turn(self.history.known()), lambda turn: turn.answer(move))

    def _carry_out(self, turn: Turn, work: Callable[[Turn], None]) -> None:
        """Take a turn as far as it goes: wait for its draw, or store its records and stand at its end."""
        try:
            work(turn)
        except Fault as fault:
            raise self._error(fault, turn) from fault.__cause__
        if turn.resting is not None:
            self._pending = turn
            return
        self.store(turn.nodes)
        self._pending = None

    def store(self, nodes: Sequence[Node]) -> None:
        """Store the records of new nodes (and of the end), all or none, then stand after them."""
        first = self._recorder.count
        last = nodes[-1] if nodes else self.history.line[-1]
        makers = [node_record(self.rules, node) for node in nodes]
        if last.frame is None:
            makers.append(end_record(self.rules, last))
        self._recorder.add(makers)
        for record, node in enumerate(nodes, start=first):
            self.history.adopt(node, record)

    def attempt(self, move: Internal | None, choose: Choose) -> RulesError | None:
        """Try an answer (None: the set-up) with told draws, without making it: the error if the rules fail at it."""
        turn = Turn(self.rules, self.history.here, lambda _: choose, self.checks, reuse=False)
        try:
            turn.begin() if move is None else turn.answer(move)
        except Fault as fault:
            return self._error(fault, turn)
        return None

    # ------------------------------------------------------------ chance

    def chooser(self, record: int) -> Choose | None:
        """What chooses the outcomes for a new record: the caller's `chance`, or the seed."""
        chance = self._chance
        if callable(chance):
            return lambda pc, _, outcomes: chosen_by(self.rules, chance, pc, outcomes)
        if chance == ASK:
            return None
        return lambda pc, draw, outcomes: pick(self._seed, record, draw, outcomes)

    def _error(self, fault: Fault, turn: Turn) -> RulesError:
        """The error for a fault, with a log that reproduces it."""
        seat = None if turn.seat is None else self.rules.seats[turn.seat]
        move = None if turn.move is None else self.rules.move(turn.move)
        log = self._recorder.log(attempt_record(self.rules, seat, turn.move, turn.draws, str(fault)))
        here = self.history.here
        before = None if here is None else Position(self.rules, here, lambda: self.log)
        return rules_error(fault, before, seat, move, log)

    # ------------------------------------------------------------ undo, redo, branches

    def can_undo(self, seat: str | None = None, *, as_analyst: bool = False) -> Verdict:
        """Whether an answer may be taken back, and the reason if not. See `undo`."""
        found = self._undo_target(seat, as_analyst)
        return found if isinstance(found, Verdict) else Verdict()

    def undo(self, seat: str | None = None, *, as_analyst: bool = False) -> Position:
        """Take back an answer, with the automatic passes after it. The log keeps it, and a record says so.

        With no human seat that is the last answer; with one, everything back to that player's last answer. With several, it
        is the last answer of `seat` (without it: of whoever answered last), and only as long as nobody else has answered,
        nothing was drawn, and nothing that was private or hidden was shown since. `as_analyst` takes back the last answer,
        whatever it was, which is recorded.

        Raises:
            UndoRefused: with the reason.
        """
        found = self._undo_target(seat, as_analyst)
        if isinstance(found, Verdict):
            raise UndoRefused(found.reason)
        if self._pending is not None:
            self._pending = None
            return self.position
        target = self.history.line[found].record
        refused = self.can_undo(seat).reason if as_analyst else ""
        crossed = "" if self._recorder.plain else refused
        self._recorder.add([plain_record(lambda n: Undo(n, target, seat, bool(refused), crossed))])
        self.history.take_back(found)
        return self.position

    def _undo_target(self, seat: str | None, as_analyst: bool) -> int | Verdict:
        """Which position of the line an undo goes back to, or why it may not."""
        if seat is not None:
            self.rules.seat(seat)
        if self._pending is not None:
            shared = len(self.humans) > 1 and not as_analyst
            line = self.history.line
            return Verdict("a draw is being made") if shared or not line else len(line) - 1
        return undo_target(self.rules, self.history.line, self.humans, seat, as_analyst)

    def can_redo(self) -> Verdict:
        """Whether something was undone and nothing answered since."""
        return Verdict() if self.history.undone else Verdict("nothing was undone")

    def redo(self, seat: str | None = None) -> Position:
        """Make again what the last undo took back, with the same draws.

        Raises:
            UndoRefused: nothing was undone, or something was answered since.
        """
        if not self.history.undone:
            raise UndoRefused("nothing was undone")
        target = self.history.undone[-1].record
        self._recorder.add([plain_record(lambda n: Redo(n, target, seat))])
        self.history.make_again()
        return self.position

    def branch(self, record: int) -> Position:
        """Go on from the position after any record, as an analyst: also one that was undone.

        Raises:
            IndexError: there is no such record of a set-up or an answer.
        """
        node = self.after_record(record).node
        self._recorder.add([plain_record(lambda n: Branch(n, record))])
        self.history.move_to(node)
        self._pending = None
        return self.position

    def note(self, text: str) -> None:
        """Add a remark to the log."""
        self._recorder.add([plain_record(lambda n: Note(n, text))])

    def close(self) -> None:
        """Close where the log is kept, if anywhere."""
        if self._recorder.sink is not None:
            self._recorder.sink.close()

    def __enter__(self) -> Match:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Match of {self.rules.program.name} after {self.number} answers: {self.question}>"
