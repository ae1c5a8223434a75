"""Which `emit` shows somebody a value that came from a private or hidden field: an undo of it would not make them forget."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from attrs import define, evolve, field

from rulesdsl import core
from rulesdsl.lowering.walk import bodies
from rulesdsl.secrecy.audiences import NOBODY, Audience, Secrets, both, place_of


def with_reveals(program: core.Program) -> core.Program:
    """Marks each emit that shows somebody a value from a private or hidden field."""
    return _Reveals(program).program_with_marks()


@define(eq=False)
class _Reveals:
    program: core.Program
    secret_params: set[tuple[str, str]] = field(factory=set)

    def program_with_marks(self) -> core.Program:
        self.secrets = Secrets(self.program)
        self.events = {e.name: e for e in self.program.events}
        size = -1
        while size != len(self.secret_params):
            size = len(self.secret_params)
            flows = tuple(evolve(f, body=self.flow(f)) for f in self.program.flows)
            actions = tuple(evolve(a, effects=self.action(a)) for a in self.program.actions)
        return evolve(self.program, flows=flows, actions=actions)

    secrets: Secrets = field(init=False)
    events: dict[str, core.EventInfo] = field(init=False)

    def flow(self, item: core.FlowInfo) -> core.Body:
        known: dict[str, Audience] = {
            p.name: NOBODY if (item.name, p.name) in self.secret_params else None for p in item.params
        }
        return self.body(item.body or (), known)

    def action(self, item: core.ActionInfo) -> core.Body:
        known: dict[str, Audience] = {
            p.name: NOBODY if (item.name, p.name) in self.secret_params else None for p in item.given
        }
        for chosen in item.chosen:
            known[chosen.name] = self.secrets.audience(chosen.domain, known)
        for entry in item.prelude:
            if isinstance(entry, core.ActionLet):
                known[entry.name] = self.secrets.audience(entry.value, known)
        return self.body(item.effects or (), known)

    def body(self, body: core.Body, known: dict[str, Audience]) -> core.Body:
        return tuple(self.stmt(stmt, known) for stmt in body)

    def stmt(self, stmt: core.Stmt, known: dict[str, Audience]) -> core.Stmt:
        look = self.secrets.audience
        if isinstance(stmt, core.Bind):
            value = look(stmt.value, known)
            known[stmt.name] = value if stmt.declares else both(known.get(stmt.name), value)
        elif isinstance(stmt, core.DrawStmt):
            known[stmt.name] = look(stmt.source, known)
        elif isinstance(stmt, core.ForStmt):
            known[stmt.var] = look(stmt.source, known)
        elif isinstance(stmt, core.EmitStmt):
            return evolve(stmt, reveals=self.shows(stmt, known))
        elif isinstance(stmt, core.CallFlow):
            self.pass_on(stmt.flow, [p.name for p in self.program.flow(stmt.flow).params], stmt.args, known)
        elif isinstance(stmt, core.AskStmt):
            for offer in stmt.offers:
                given = [p.name for p in self.program.action(offer.action).given]
                self.pass_on(offer.action, given, offer.given, known)
        changes: dict[str, Any] = {}
        for name in ("then", "otherwise", "body", "after"):
            inner = getattr(stmt, name, None)
            if isinstance(inner, tuple):
                changes[name] = self.body(inner, known)
        return evolve(stmt, **changes) if changes and list(bodies(stmt)) else stmt

    def pass_on(
        self, owner: str, params: list[str], args: tuple[core.Expr, ...], known: Mapping[str, Audience]
    ) -> None:
        for param, arg in zip(params, args, strict=True):
            if self.secrets.audience(arg, known) is not None:
                self.secret_params.add((owner, param))

    def shows(self, stmt: core.EmitStmt, known: Mapping[str, Audience]) -> bool:
        event = self.events[stmt.event]
        position = {p.name: i for i, p in enumerate(event.params)}
        for param, arg in zip(event.params, stmt.args, strict=True):
            source = self.secrets.audience(arg, known)
            if source is None or param.audience == ():
                continue
            if param.audience is None:
                return True
            viewers = {place_of(stmt.args[position[name]]) for name in param.audience}
            if not viewers <= source:
                return True
        return False
