"""A position of a match: the state, the question that is open, and how it came about. It never changes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from attrs import define, field

from interpreter.errors import RulesError, ValueProblem
from interpreter.machine import DRAW, Fault, guarded
from interpreter.movetext import parse_move
from interpreter.rules import Internal, Rules
from interpreter.values import Drawn, Event, Move, Outcome, Question, State

if TYPE_CHECKING:
    from interpreter.explain import Explanation
    from interpreter.log import Log
    from interpreter.view import View, Viewer


@define(eq=False)
class Node:
    """A position in the tree of a match (internal values): the answer that led here, what followed, and where it rests.

    `record` is the number of the record that last led here. `children` are the positions that answers led to from here, so
    that the same answer after an undo finds the draws that were made for it.
    """

    parent: Node | None
    depth: int
    seat: int
    move: Internal | None
    automatic: bool
    then: tuple[Internal, ...]
    reveals: tuple[int, ...]
    st: Internal
    frame: Any
    record: int = -1
    children: dict[Internal, Node] = field(factory=dict)

    def path(self) -> list[Node]:
        """From the start to here."""
        nodes: list[Node] = []
        node: Node | None = self
        while node is not None:
            nodes.append(node)
            node = node.parent
        return nodes[::-1]


def events_of(node: Node) -> Iterator[Internal]:
    """The events of a node alone, without draws."""
    return (entry for entry in node.then if entry[0] != DRAW)


class Position:
    """A position, read-only: `state`, `question`, `legal_moves()`, `view(seat)`, `why(move)`, `outcome`, `events` ..."""

    def __init__(self, rules: Rules, node: Node, log: Callable[[], Log] | None = None) -> None:
        self.rules = rules
        self.node = node
        self._log = log
        self._question: Question | None = None

    def __repr__(self) -> str:
        return f"<Position {self.number} of {self.rules.program.name}: {self.question}>"

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
        if not self.asks:
            return []
        node = self.node
        return self._ask(lambda: self.rules.module.legal(node.st, node.frame))  # type: ignore[no-any-return]

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
