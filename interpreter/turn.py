"""What one answer does: the answer itself, and the passes that follow it because nothing else is legal."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from interpreter.errors import ValueProblem
from interpreter.machine import Choose, Run
from interpreter.node import Node
from interpreter.rules import Internal, Rules
from interpreter.values import Question

Chooser = Callable[[int], "Choose | None"]
"""What chooses the outcomes of a run, by the run's place in the turn. None: the turn rests at draws."""


class Turn:
    """An answer being carried out, from `parent` on; `nodes` are the positions that it leads to, one for each record.

    Nothing outside is changed. Where the same answer was given before from the same node, what was drawn then is taken
    (`reuse`).
    """

    def __init__(
        self, rules: Rules, parent: Node | None, chooser: Chooser, checks: bool = False, reuse: bool = True
    ) -> None:
        self.rules = rules
        self.parent = parent
        self.nodes: list[Node] = []
        self.seat: int | None = None
        self.move: Internal | None = None
        self.run: Run | None = None
        self._chooser = chooser
        self._checks = checks
        self._reuse = reuse

    def copy(self) -> Turn:
        """A turn that can go on without changing this one."""
        made = Turn(self.rules, self.parent, self._chooser, self._checks, self._reuse)
        made.nodes, made.seat, made.move = list(self.nodes), self.seat, self.move
        made.run = None if self.run is None else self.run.copy()
        return made

    @property
    def waits_for_draw(self) -> bool:
        return self.run is not None and self.run.waits_for_draw

    @property
    def draws(self) -> list[Internal]:
        """Everything that was drawn in this turn."""
        runs = [entry for node in self.nodes for entry in node.then if entry[0] < 0]
        return runs if self.run is None else runs + self.run.draws

    def begin(self) -> None:
        """Set the game up.

        Raises:
            Fault: the rules fail.
        """
        self.run = self._new_run(self.rules.module.initial(), None)
        self.run.begin()
        self._go_on()

    def answer(self, move: Internal) -> None:
        """Make a legal move.

        Raises:
            Fault: the rules fail.
        """
        assert self.parent is not None
        self.move = move
        self.seat = self.rules.module.asked(self.parent.st, self.parent.frame)
        self._answer(self.parent, move)
        self._go_on()

    def draw(self, value: Any) -> None:
        """Tell the outcome of the draw that is waited for.

        Raises:
            Fault: the rules fail.
        """
        assert self.run is not None
        self.run.draw(value)
        self._go_on()

    def _new_run(self, st: Internal, frame: Any) -> Run:
        return Run(self.rules, st, frame, self._chooser(len(self.nodes)), self._checks)

    def _answer(self, node: Node, move: Internal) -> None:
        automatic = bool(self.nodes)
        if self._reuse and move in node.children:
            self.nodes.append(node.children[move].like(automatic))
            return
        self.run = self._new_run(node.st, node.frame)
        self.run.answer(move)

    def _go_on(self) -> None:
        """Finish the run, if it is, and pass as long as there is nothing else to do."""
        while not self.waits_for_draw:
            if self.run is not None:
                self.nodes.append(self._node(self.run))
                self.run = None
            last = self.nodes[-1]
            if not Run(self.rules, last.st, last.frame, None).nothing_legal():
                return
            self._answer(last, (0,))

    def _node(self, run: Run) -> Node:
        parent = self.nodes[-1] if self.nodes else self.parent
        then, reveals = tuple(run.then), tuple(run.reveals)
        if parent is None:
            return Node(None, 0, -1, None, False, then, reveals, run.st, run.frame)
        seat, move = self._who(parent)
        return Node(parent, parent.depth + 1, seat, move, bool(self.nodes), then, reveals, run.st, run.frame)

    def _who(self, parent: Node) -> tuple[int, Internal]:
        """Who answered what at a node: the move of the turn first, then passes."""
        seat = self.rules.module.asked(parent.st, parent.frame)
        return seat, (0,) if self.nodes or self.move is None else self.move

    def resting(self) -> Node:
        """The position at the draw that is waited for: not a node of any match yet."""
        assert self.run is not None
        return self._node(self.run)


def outcome_named(rules: Rules, pc: int, outcome: Any, outcomes: Sequence[tuple[Any, int]]) -> Any:
    """The internal form of a named outcome of a draw.

    Raises:
        ValueProblem: it is not of the type, or cannot be drawn.
    """
    name, t = rules.draw_of(pc)
    value = rules.codec.internal(t, outcome, name)
    if all(value != possible for possible, _ in outcomes):
        possible = ", ".join(rules.codec.text(t, item) for item, _ in outcomes[:12])
        raise ValueProblem(name, f"{rules.codec.text(t, value)} cannot be drawn here: it is one of {possible}")
    return value


def chosen_by(rules: Rules, chance: Callable[[Question], Any], pc: int, outcomes: Sequence[tuple[Any, int]]) -> Any:
    """The outcome that a caller's function chooses.

    Raises:
        ValueProblem: it cannot be drawn.
    """
    name, t = rules.draw_of(pc)
    named = rules.codec.named
    offered = tuple((named(t, value), weight) for value, weight in outcomes)
    question = Question("draw", None, (), False, rules.module.STEP.get(pc, ""), name, offered)
    return outcome_named(rules, pc, chance(question), outcomes)
