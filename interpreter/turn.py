"""What one answer does: the answer itself, and the passes that follow it because nothing else is legal."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from interpreter import advance
from interpreter.errors import ValueProblem
from interpreter.machine import DRAW, Choose
from interpreter.node import Node
from interpreter.rules import Internal, Rules
from interpreter.values import Question

Chooser = Callable[[int], "Choose | None"]
"""What chooses the outcomes of draws, by the place of their record in the turn. None: the turn rests at draws."""


class Turn:
    """An answer being carried out, from `parent` on; `nodes` are the positions that it leads to, one for each record.

    `resting` is the position at the draw that is waited for, if one is: not a node of any match yet. Nothing outside is
    changed. Where the same answer was given before from the same node, what was drawn then is taken (`reuse`).
    """

    def __init__(
        self, rules: Rules, parent: Node | None, chooser: Chooser, checks: bool = False, reuse: bool = True
    ) -> None:
        self.rules = rules
        self.parent = parent
        self.nodes: list[Node] = []
        self.seat: int | None = None
        self.move: Internal | None = None
        self.resting: Node | None = None
        self._trying: list[Internal] = []
        self._chooser = chooser
        self._checks = checks
        self._reuse = reuse

    def copy(self) -> Turn:
        """A turn that can go on without changing this one."""
        made = Turn(self.rules, self.parent, self._chooser, self._checks, self._reuse)
        made.nodes, made.seat, made.move, made.resting = list(self.nodes), self.seat, self.move, self.resting
        return made

    @property
    def draws(self) -> list[Internal]:
        """Everything that was drawn in this turn, the outcome that the rules failed at included."""
        nodes = self.nodes if self.resting is None else [*self.nodes, self.resting]
        return [entry for node in nodes for entry in node.then if entry[0] == DRAW] + self._trying

    def begin(self) -> None:
        """Set the game up.

        Raises:
            Fault: the rules fail.
        """
        self._go_on(advance.start(self.rules, self._checks))

    def answer(self, move: Internal) -> None:
        """Make a legal move.

        Raises:
            Fault: the rules fail.
        """
        assert self.parent is not None
        self.move = move
        self.seat = self.rules.module.asked(self.parent.st, self.parent.frame)
        self._go_on(self._after(self.parent, move))

    def draw(self, value: Any) -> None:
        """Tell the outcome of the draw that is waited for.

        Raises:
            Fault: the rules fail.
        """
        assert self.resting is not None
        self._go_on(self._drawn(self.resting, value))

    def _after(self, node: Node, move: Internal) -> Node:
        """The node after an answer of this turn, the one that was made before if there is one."""
        automatic = bool(self.nodes)
        if self._reuse and move in node.children:
            return node.children[move].like(automatic)
        return advance.answer(self.rules, node, move, automatic, self._checks)

    def _go_on(self, node: Node) -> None:
        """Make the draws of a node, and pass as long as there is nothing else to do."""
        while True:
            while advance.waits_for_draw(self.rules, node):
                self.resting = node
                choose = self._chooser(len(self.nodes))
                if choose is None:
                    return
                made = sum(entry[0] == DRAW for entry in node.then)
                node = self._drawn(node, choose(node.frame[0], made, advance.outcomes(self.rules, node)))
            self.resting = None
            self.nodes.append(node)
            if not advance.pass_due(self.rules, node):
                return
            node = self._after(node, advance.PASS)

    def _drawn(self, node: Node, value: Any) -> Node:
        self._trying = [(DRAW, node.frame[0], value)]
        made = advance.draw(self.rules, node, value, self._checks)
        self._trying = []
        return made


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
