"""The last words of a game: events after which it ends, with nobody asked in between. They may show what was secret."""

from __future__ import annotations

from attrs import define, field

from rulesdsl import core
from rulesdsl.diagnostics import Span
from rulesdsl.lowering.walk import bodies, statements


def last_emits(program: core.Program) -> frozenset[Span]:
    """The places of the emits after which the game ends for sure, and before another question."""
    return _Endings(program).found()


@define(eq=False)
class _Endings:
    """`after`: whether what comes after a flow ends the game so, wherever it is called. (Not for actions: what is told in an
    answer is looked at as if the game went on.)"""

    program: core.Program
    after: dict[str, bool] = field(factory=dict)
    emits: set[Span] = field(factory=set)

    def found(self) -> frozenset[Span]:
        all_bodies = [flow.body for flow in self.program.flows] + [action.effects for action in self.program.actions]
        called = {call.flow for body in all_bodies for call in statements(body or ()) if isinstance(call, core.CallFlow)}
        self.after = {flow.name: flow.name in called for flow in self.program.flows}
        before = None
        while before != self.after:
            before = dict(self.after)
            self.emits = set()
            for flow in self.program.flows:
                self.walk(flow.body or (), before[flow.name])
            for action in self.program.actions:
                self.walk(action.effects or (), False)
        return frozenset(self.emits)

    def walk(self, body: core.Body, ends: bool) -> None:
        """Notes the last emits of a body; `ends`: whether what comes after it ends the game with nobody asked."""
        for stmt in reversed(body):
            if isinstance(stmt, core.EmitStmt) and ends:
                self.emits.add(stmt.span)
            elif isinstance(stmt, core.CallFlow):
                self.after[stmt.flow] &= ends
            again = isinstance(stmt, (core.ForStmt, core.WhileStmt, core.RepeatStmt, core.TurnsStmt))
            again |= isinstance(stmt, core.AskStmt) and stmt.mode == "may repeatedly"
            for inner in bodies(stmt):
                self.walk(inner, ends and self.quiet(inner, True) if again else ends)
            ends = self.quiet((stmt,), ends)

    def quiet(self, body: core.Body, ends: bool) -> bool:
        """Whether from the beginning of a body the game comes to its end with nobody asked."""
        for stmt in reversed(body):
            if isinstance(stmt, core.EndStmt):
                ends = True
            elif isinstance(stmt, (core.AskStmt, core.ReturnStmt, core.BreakStmt, core.ContinueStmt)):
                ends = False
            elif isinstance(stmt, core.CallFlow):
                ends = self.quiet(self.program.flow(stmt.flow).body or (), ends)
            elif isinstance(stmt, core.IfStmt):
                ends = self.quiet(stmt.then, ends) and self.quiet(stmt.otherwise, ends)
            elif isinstance(stmt, core.StepStmt):
                ends = self.quiet(stmt.body, ends)
            else:
                for inner in bodies(stmt):
                    ends = ends and self.quiet(inner, True)
        return ends
