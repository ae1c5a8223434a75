"""What questions and events tell: what flows and actions hand on, followed from where it is read, drawn or chosen.

The arguments that an asker gives to an action are seen by whoever is asked. So they may depend only on what that player sees,
or has been shown by an event: checked here for all questions. What events are given is looked at by `telling`. The words
(audience, place) are those of `audiences`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import assert_never

from attrs import define, evolve, field

from rulesdsl import core
from rulesdsl.lowering.walk import statements
from rulesdsl.naming.names import Names
from rulesdsl.secrecy.audiences import (
    NOBODY,
    Audience,
    Secrets,
    aliases,
    both,
    declared,
    place_of,
    renamed,
    root_of,
    without,
)
from rulesdsl.secrecy.backs import Backs
from rulesdsl.secrecy.carried import NOTHING, Carried, sources_of
from rulesdsl.secrecy.endings import last_emits
from rulesdsl.secrecy.keeping import Kept
from rulesdsl.secrecy.showing import Showing
from rulesdsl.secrecy.telling import Telling
from rulesdsl.secrecy.untold import ANSWER, OUTCOME, SECRET, Tokens, Untold
from rulesdsl.types import BOOL, IntType, OptionType

Known = dict[str, Audience]
"""Who sees the value of each local; one that is missing is public. Under `untold(name)`: whether an event has told an answer
or an outcome (then it is missing or None)."""


def check_given(program: core.Program, names: Names, secrets: Secrets) -> None:
    """Reports given arguments that the asked player may not know, and public parameters of events that need a mark."""
    kept = {event.name: Kept(program, event) for event in program.events}
    telling, showing = Telling(program, names, kept), Showing(program, names, kept, last_emits(program))
    checker = _Giving(program, names, secrets, telling, showing)
    checker.settle()
    checker.silent = False
    checker.all()


@define
class _Exits:
    """Who sees why a loop is left, and why a round of it, before its end. `depth`: how much had decided before the loop."""

    depth: int
    broken: Audience = None
    skipped: Audience = None


@define(eq=False)
class _Giving:
    """`params`: who sees the parameters of flows and the given ones of actions, in the words of their owner."""

    program: core.Program
    names: Names
    secrets: Secrets
    telling: Telling
    showing: Showing
    params: dict[tuple[str, str], Audience] = field(factory=dict)
    carried: dict[tuple[str, str], Tokens] = field(factory=dict)
    """What the parameters of flows and the given ones of actions carry."""
    silent: bool = True
    alias: Mapping[str, str | None] = field(factory=dict)
    context: tuple[Audience, ...] = ()
    """Who sees each thing that decided that we came here, from the outside in."""
    born: dict[str, int] = field(factory=dict)
    """How much of it was decided where a let or var began: only what decides after that shows in its value."""
    exits: list[_Exits] = field(factory=list)
    """Of the loops around."""
    tokens: dict[str, Tokens] = field(factory=dict)
    """What answers, outcomes and parameters carry by themselves, in the body that is looked at."""
    sources: dict[str, tuple[core.Expr, ...]] = field(factory=dict)

    def settle(self) -> None:
        """Go on until nothing new is handed on."""
        before = None
        while before != (self.params, self.carried):
            before = dict(self.params), dict(self.carried)
            self.all()

    def all(self) -> None:
        for flow in self.program.flows:
            self.start(flow.name, flow.params, flow.body or ())
        for action in self.program.actions:
            lets = tuple(core.Bind(i.name, i.value, i.span) for i in action.prelude if isinstance(i, core.ActionLet))
            self.start(action.name, action.given, (*lets, *(action.effects or ())), action)

    def start(
        self, owner: str, params: tuple[core.ParamInfo, ...], body: core.Body, action: core.ActionInfo | None = None
    ) -> None:
        self.alias = aliases(body)
        self.sources = sources_of(body)
        self.tokens, known = {}, {}
        for param in params:
            known[param.name] = self.params.get((owner, param.name))
            self.carries(param.name, self.carried.get((owner, param.name), NOTHING), known)
        for item in action.chosen if action is not None else ():  # an answer is seen by nobody else until an event tells it
            known[item.name] = both(frozenset({"me"}), self.secrets.audience(item.domain, known))
            self.carries(item.name, self.made_of(item.domain, known) or frozenset({Untold(ANSWER)}), known)
        self.showing.begin(body, acts=action is not None)
        self.body(body, known)

    def carries(self, name: str, tokens: Tokens, known: Known) -> None:
        """A name begins that carries something which no event has told."""
        self.tokens[name] = tokens
        if tokens:
            known[untold(name)] = NOBODY

    def made_of(self, expr: core.Expr, known: Known) -> Tokens:
        return self.carrier(known).of(expr)

    def carrier(self, known: Known, seen: frozenset[str] = frozenset()) -> Carried[Untold]:
        """What expressions carry here that not everybody has been told."""

        def local(name: str) -> Tokens:
            if name in self.tokens:
                return self.tokens[name] if (known.get(name), known.get(untold(name))) != (None, None) else NOTHING
            if name in seen:
                return NOTHING
            inner = self.carrier(known, seen | {name})
            return NOTHING.union(*(inner.of(source) for source in self.sources.get(name, ())))

        def read(expr: core.Read) -> Tokens:
            info = self.secrets.fields[expr.field]
            if info.visibility == "public":
                return NOTHING
            return frozenset({Untold(SECRET, info.name, renamed(self.secrets.owner(expr, info), self.alias) or "")})

        return Carried(self.program, local, read)

    def audience(self, expr: core.Expr, known: Known) -> Audience:
        return self.secrets.audience(expr, known, self.alias)

    def back(self, expr: core.Expr, known: Known) -> Audience:
        """Who sees whether there is something in an option, as far as it is said where it is made."""
        if self.audience(expr, known) is None:
            return None
        backs = Backs(lambda part: self.audience(part, known), lambda _: False)
        for name, sources in self.sources.items():
            if isinstance(sources[0].type, OptionType):
                backs.locals[name] = backs.of(sources[0]) if len(sources) == 1 else known.get(name)
        return backs.of(expr)

    # ------------------------------------------------------------ statements

    def body(self, body: core.Body, known: Known) -> None:
        for stmt in body:
            self.stmt(stmt, known)

    def stmt(self, stmt: core.Stmt, known: Known) -> None:
        if isinstance(stmt, core.Bind):
            if stmt.declares:
                self.born[stmt.name] = len(self.context)
            value = self.audience(stmt.value, known)
            for seen in self.context[self.born.get(stmt.name, 0) :]:
                value = both(value, seen)
            bind(known, stmt.name, value)
        elif isinstance(stmt, core.DrawStmt):
            bind(known, stmt.name, self.audience(stmt.source, known))
            self.carries(stmt.name, self.made_of(stmt.source, known) or frozenset({Untold(OUTCOME)}), known)
        elif isinstance(stmt, core.EmitStmt):
            if not self.silent:
                self.telling.look(stmt, self.carrier(known), self.alias)
                self.showing.look(stmt, self.carrier(known), self.alias)
                self.showing.look_at_backs(stmt, lambda arg: self.back(arg, known))
            self.shows(stmt, known)
        elif isinstance(stmt, core.CallFlow):
            info = self.program.flow(stmt.flow)
            self.hand_on(info.name, dict(zip((p.name for p in info.params), stmt.args, strict=True)), None, known)
        elif isinstance(stmt, core.IfStmt):
            with self.decided_by(self.audience(stmt.condition, known)):
                self.either(known, (stmt.then, stmt.otherwise))
        elif isinstance(stmt, core.StepStmt):
            self.body(stmt.body, known)
        elif isinstance(stmt, core.AskStmt):
            self.ask(stmt, known)
            self.loop(stmt.after, known)
            with self.decided_by(self.choosing(stmt, known)):
                self.either(known, (stmt.otherwise or (), ()))
        elif isinstance(stmt, core.ForStmt):
            self.going_through(stmt, self.audience(stmt.source, known), known)
        elif isinstance(stmt, core.TurnsStmt):
            self.going_through(stmt, self.audience(stmt.first, known), known)
        elif isinstance(stmt, (core.WhileStmt, core.RepeatStmt)):
            with self.decided_by(self.going_on(stmt.condition if isinstance(stmt, core.WhileStmt) else stmt.count, known)):
                self.loop(stmt.body, known)
        elif isinstance(stmt, (core.BreakStmt, core.ContinueStmt)):
            if self.exits:
                self.leave(stmt, self.exits[-1])
        elif not isinstance(stmt, (core.Store, core.ReturnStmt, core.EndStmt)):
            assert_never(stmt)

    def choosing(self, stmt: core.AskStmt, known: Known) -> Audience:
        """Who sees whether a question has an answer."""
        result: Audience = None
        for offer in stmt.offers:
            result = both(result, self.audience(core.CanDo(stmt.who, offer.action, offer.given, BOOL, offer.span), known))
        return result

    def leave(self, stmt: core.BreakStmt | core.ContinueStmt, loop: _Exits) -> None:
        for seen in self.context[loop.depth :]:
            if isinstance(stmt, core.BreakStmt):
                loop.broken = both(loop.broken, seen)
            else:
                loop.skipped = both(loop.skipped, seen)

    def going_through(self, stmt: core.ForStmt | core.TurnsStmt, source: Audience, known: Known) -> None:
        """A loop over elements or players; which one it is now shows the condition, too."""
        inside = dict(known)
        bind(inside, stmt.var, source)
        condition = self.going_on(stmt.condition, inside)
        with self.decided_by(both(source, condition) if isinstance(stmt, core.ForStmt) else condition):
            self.loop(stmt.body, known, stmt.var, both(source, condition))

    def going_on(self, condition: core.Expr | None, known: Known) -> Audience:
        return None if condition is None else self.audience(condition, known)

    @contextmanager
    def decided_by(self, seen: Audience) -> Iterator[None]:
        """What a secret decides about is a secret, though what is asked or told there is not: the rules say when it is."""
        before, self.context = self.context, (*self.context, seen)
        yield
        self.context = before

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
        """A block that runs any number of times. What it assigns shows how often: so it shows what leaves it, too."""
        self.exits.append(exits := _Exits(len(self.context)))
        began, assigned = {var} | declared(body), reassigned(body)
        before: Known | None = None
        while before != known:
            before = dict(known)
            inside = dict(known)
            if var:
                bind(inside, var, source)
            self.body(body, inside)
            for name in assigned:
                inside[name] = both(inside.get(name), without(exits.skipped, began))
            if var:
                bind(inside, var, source)
            for name, seen in inside.items():
                known[name] = both(known.get(name), seen)
        for name in assigned:
            known[name] = both(known.get(name), without(exits.broken, began))
        self.exits.pop()

    def shows(self, stmt: core.EmitStmt, known: Known) -> None:
        """An event shows the values of its parameters to their audience."""
        event = self.program.event(stmt.event)
        args = dict(zip((p.name for p in event.params), stmt.args, strict=True))
        for param in event.params:
            for name in told_by(args[param.name]):
                if param.audience is None:
                    known[name] = known[untold(name)] = None
                elif known.get(name) is not None:
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
                oneself = asked is not None and renamed(place_of(arg), self.alias) == asked
                if seen is not None and asked not in seen and not oneself and not self.silent:
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
            if tokens := self.made_of(arg, known):
                now = frozenset(word for token in tokens for word in self.told_in_words_of(places, token))
                self.carried[(owner, name)] = self.carried.get((owner, name), NOTHING) | now

    def told_in_words_of(self, places: Mapping[str, str | None], token: Untold) -> Iterator[Untold]:
        """What is carried, with the names under which the called one knows whose it is."""
        words = list(self.in_words_of(places, token.who)) or [""]
        for word in words:
            yield evolve(token, who=word)

    def in_words_of(self, places: Mapping[str, str | None], who: str) -> Iterable[str]:
        """The names under which the called one knows a player."""
        if root_of(who) in self.program.player.members:
            yield who
        for name, place in places.items():
            if place is not None and (who == place or who.startswith(place + ".")):
                yield name + who[len(place) :]


_TELLING = frozenset({"some", "cast", "unwrap", "record", "list_of", "bag_counts"})
"""Operations whose value shows what they were made of."""
_GATHERING = frozenset({"set_of", "bag_of"})
"""Operations whose value shows what they were made of, but not which was which."""


def told_by(expr: core.Expr) -> Iterator[str]:
    """The locals whose value is known to whoever knows that of an expression: `card`, and all in `Card(suit, rank)`."""
    if isinstance(expr, core.Local):
        yield expr.name
    elif isinstance(expr, core.Checked):
        yield from told_by(expr.expr)
    elif isinstance(expr, core.Op) and (expr.op in _TELLING or (expr.op in _GATHERING and len(expr.args) == 1)):
        for part in expr.args:
            yield from told_by(part)
    elif isinstance(expr, core.Op) and expr.op == "bag_scale":  # none of a card does not show which
        what, many = expr.args
        yield from told_by(many)
        if isinstance(many.type, IntType) and many.type.lo > 0:
            yield from told_by(what)


def untold(name: str) -> str:
    """Under what it is known whether an event has told the value of a name."""
    return f"{name}?"


def bind(known: Known, name: str, seen: Audience) -> None:
    """A name gets a new value: who was called by it before is nobody in particular now."""
    for other, audience in known.items():
        known[other] = without(audience, {name})
    known[name] = seen


def reassigned(body: core.Body) -> set[str]:
    """The names that get another value in a body."""
    return {stmt.name for stmt in statements(body) if isinstance(stmt, core.Bind) and not stmt.declares}
