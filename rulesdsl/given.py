"""What questions tell: the arguments that an asker gives to an action are seen by whoever is asked.

So they may depend only on what that player sees, or has been shown by an event: checked here for all questions, through the
flows and actions that hand values on. The words (audience, place) are those of `secrecy`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from attrs import define, field

from rulesdsl import core
from rulesdsl.names import Names
from rulesdsl.secrecy import Audience, Secrets, aliases, both, place_of, renamed, root_of, without

Known = dict[str, Audience]
"""Who sees the value of each local; one that is missing is public."""


def check_given(program: core.Program, names: Names) -> None:
    """Reports given arguments that the asked player may not know."""
    checker = _Giving(program, names, Secrets(program))
    checker.settle()
    checker.silent = False
    checker.all()


@define(eq=False)
class _Giving:
    """`params`: who sees the parameters of flows and the given ones of actions, in the words of their owner."""

    program: core.Program
    names: Names
    secrets: Secrets
    params: dict[tuple[str, str], Audience] = field(factory=dict)
    silent: bool = True
    alias: Mapping[str, str | None] = field(factory=dict)

    def settle(self) -> None:
        """Go on until nothing new is handed on."""
        before = None
        while before != self.params:
            before = dict(self.params)
            self.all()

    def all(self) -> None:
        for flow in self.program.flows:
            self.start(flow.body or (), {p.name: self.params.get((flow.name, p.name)) for p in flow.params})
        for action in self.program.actions:
            lets = tuple(core.Bind(i.name, i.value, i.span) for i in action.prelude if isinstance(i, core.ActionLet))
            known = {p.name: self.params.get((action.name, p.name)) for p in action.given}
            for chosen in action.chosen:
                known[chosen.name] = self.secrets.audience(chosen.domain, known)
            self.start((*lets, *(action.effects or ())), known)

    def start(self, body: core.Body, known: Known) -> None:
        self.alias = aliases(body)
        self.body(body, known)

    def audience(self, expr: core.Expr, known: Known) -> Audience:
        return self.secrets.audience(expr, known, self.alias)

    # ------------------------------------------------------------ statements

    def body(self, body: core.Body, known: Known) -> None:
        for stmt in body:
            self.stmt(stmt, known)

    def stmt(self, stmt: core.Stmt, known: Known) -> None:
        if isinstance(stmt, core.Bind):
            bind(known, stmt.name, self.audience(stmt.value, known))
        elif isinstance(stmt, core.DrawStmt):
            bind(known, stmt.name, self.audience(stmt.source, known))
        elif isinstance(stmt, core.EmitStmt):
            self.shows(stmt, known)
        elif isinstance(stmt, core.CallFlow):
            info = self.program.flow(stmt.flow)
            self.hand_on(info.name, dict(zip((p.name for p in info.params), stmt.args, strict=True)), None, known)
        elif isinstance(stmt, core.IfStmt):
            self.either(known, (stmt.then, stmt.otherwise))
        elif isinstance(stmt, core.StepStmt):
            self.body(stmt.body, known)
        elif isinstance(stmt, core.AskStmt):
            self.ask(stmt, known)
            self.loop(stmt.after, known)
            self.either(known, (stmt.otherwise or (), ()))
        elif isinstance(stmt, core.ForStmt):
            self.loop(stmt.body, known, stmt.var, self.audience(stmt.source, known))
        elif isinstance(stmt, core.TurnsStmt):
            self.loop(stmt.body, known, stmt.var)
        elif isinstance(stmt, (core.WhileStmt, core.RepeatStmt)):
            self.loop(stmt.body, known)

    def either(self, known: Known, bodies: Iterable[core.Body]) -> None:
        """One of several blocks: afterwards a local is seen by those who see it after each of them."""
        ends = []
        for body in bodies:
            ends.append(dict(known))
            self.body(body, ends[-1])
        for name in {name for end in ends for name in end}:
            first, *rest = (end.get(name) for end in ends)
            for other in rest:
                first = both(first, other)
            known[name] = first

    def loop(self, body: core.Body, known: Known, var: str = "", source: Audience = None) -> None:
        """A block that runs any number of times."""
        before: Known | None = None
        while before != known:
            before = dict(known)
            inside = dict(known)
            if var:
                bind(inside, var, source)
            self.body(body, inside)
            if var:
                bind(inside, var, source)
            for name, seen in inside.items():
                known[name] = both(known.get(name), seen)

    def shows(self, stmt: core.EmitStmt, known: Known) -> None:
        """An event shows the values of its parameters to their audience."""
        event = self.program.event(stmt.event)
        args = dict(zip((p.name for p in event.params), stmt.args, strict=True))
        for param in event.params:
            name = place_of(args[param.name])
            if name is None or known.get(name) is None:
                continue
            if param.audience is None:
                known[name] = None
                continue
            viewers = {renamed(place_of(args[viewer]), self.alias) for viewer in param.audience}
            known[name] = (known[name] or frozenset()) | {viewer for viewer in viewers if viewer is not None}

    # ------------------------------------------------------------ handing on

    def ask(self, stmt: core.AskStmt, known: Known) -> None:
        asked = renamed(place_of(stmt.who), self.alias)
        for offer in stmt.offers:
            given = [p.name for p in self.program.action(offer.action).given]
            self.hand_on(offer.action, dict(zip(given, offer.given, strict=True)), stmt.who, known)
            for arg in offer.given:
                seen = self.audience(arg, known)
                if seen is not None and asked not in seen and not self.silent:
                    who = f"`{asked}`" if asked is not None else "whoever is asked"
                    self.names.report(
                        "V402", "this question would give a secret away", arg.span, f"{who} may not know this value",
                        f"show it first, by an event whose parameter is public or private to {who}",
                    )  # fmt: skip

    def hand_on(self, owner: str, args: Mapping[str, core.Expr], me: core.Expr | None, known: Known) -> None:
        """What the parameters of a flow or action get to know about their audience."""
        places = {name: renamed(place_of(arg), self.alias) for name, arg in args.items()}
        if me is not None:
            places["me"] = renamed(place_of(me), self.alias)
        for name, arg in args.items():
            seen = self.audience(arg, known)
            if seen is not None:
                told = frozenset(word for who in seen for word in self.in_words_of(places, who))
                self.params[(owner, name)] = both(self.params.get((owner, name)), told)

    def in_words_of(self, places: Mapping[str, str | None], who: str) -> Iterable[str]:
        """The names under which the called one knows a player."""
        if root_of(who) in self.program.player.members:
            yield who
        for name, place in places.items():
            if place is not None and (who == place or who.startswith(place + ".")):
                yield name + who[len(place) :]


def bind(known: Known, name: str, seen: Audience) -> None:
    """A name gets a new value: who was called by it before is nobody in particular now."""
    for other, audience in known.items():
        known[other] = without(audience, {name})
    known[name] = seen
