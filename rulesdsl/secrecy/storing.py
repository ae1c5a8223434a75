"""What events store: a value only where no more people see it than see its source.

Two things are looked at: the value, and its back (`backs`), which everybody sees wherever it lies.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from attrs import define, field

from rulesdsl import core
from rulesdsl.diagnostics import Label, Span
from rulesdsl.lowering.walk import everything
from rulesdsl.naming.names import Names
from rulesdsl.secrecy.audiences import Audience, Secrets, aliases, both, declared, place_of, renamed, without
from rulesdsl.secrecy.backs import Backs, has_backs
from rulesdsl.secrecy.newness import Newness
from rulesdsl.types import OptionType


def check_stores(program: core.Program, names: Names, secrets: Secrets) -> None:
    """Reports events that store a secret where more people see it, or show one by how many there are."""
    newness = Newness(program)
    for event in program.events:
        _EventFlow(event, secrets, names, newness).check()


@define(eq=False)
class _EventFlow:
    event: core.EventInfo
    secrets: Secrets
    names: Names
    newness: Newness
    known: dict[str, Audience] = field(factory=dict)
    silent: bool = False
    deciding: list[Span] = field(factory=list)
    """The conditions and sources around, which not everybody sees."""
    alias: dict[str, str | None] = field(factory=dict)
    counted: Audience = None
    """Who sees what decides how often a statement runs: not the elements that are gone through, but how many they are."""
    backs: Backs = field(init=False)

    def __attrs_post_init__(self) -> None:
        self.backs = Backs(self.audience, lambda adding: self.newness.sure(self.event, adding))

    def check(self) -> None:
        for param in self.event.params:
            self.known[param.name] = None if param.audience is None else frozenset(param.audience)
        self.alias = aliases(self.event.body)
        self.body(self.event.body, None)

    def audience(self, expr: core.Expr) -> Audience:
        return self.secrets.audience(expr, self.known, self.alias)

    def body(self, body: core.Body, context: Audience) -> None:
        for stmt in body:
            if isinstance(stmt, core.Bind):
                value = both(self.audience(stmt.value), context)
                self.known[stmt.name] = value if stmt.declares else both(self.known.get(stmt.name), value)
                back = both(self.backs.of(stmt.value), self.counted)
                self.backs.locals[stmt.name] = both(self.backs.locals.get(stmt.name), back)
            elif isinstance(stmt, core.Store):
                self.store(stmt, context)
            elif isinstance(stmt, core.IfStmt):
                seen = self.audience(stmt.condition)
                with self.decided_by(seen, stmt.condition.span), self.counted_by(seen):
                    self.body(stmt.then, both(context, seen))
                    self.body(stmt.otherwise, both(context, seen))
            elif isinstance(stmt, core.ForStmt):
                self.loop(stmt, context)
            else:
                raise AssertionError(f"nobody has said what {stmt} stores in an event")

    def loop(self, stmt: core.ForStmt, context: Audience) -> None:
        """A loop, until what its rounds hand on to each other is known; only the last time reports."""
        was_silent, self.silent = self.silent, True
        handed_on = dict(self.known)
        while True:
            self.known = dict(handed_on)
            self.round(stmt, context)
            inside = {stmt.var} | declared(stmt.body)
            after = {name: both(seen, without(self.known[name], inside)) for name, seen in handed_on.items()}
            if after == handed_on:
                break
            handed_on = after
        self.silent = was_silent
        self.known = dict(handed_on)
        self.round(stmt, context)
        self.known = handed_on

    def round(self, stmt: core.ForStmt, context: Audience) -> None:
        source = self.audience(stmt.source)
        self.known[stmt.var] = source
        inner = both(context, source)
        if stmt.condition is not None:
            inner = both(inner, self.audience(stmt.condition))
        where = stmt.source.span if stmt.condition is None or source is not None else stmt.condition.span
        often = self.backs.of(stmt.source)
        if stmt.condition is not None:
            often = both(often, self.audience(stmt.condition))
        with self.decided_by(inner, where), self.counted_by(often):
            self.body(stmt.body, inner)

    @contextmanager
    def counted_by(self, seen: Audience) -> Iterator[None]:
        before, self.counted = self.counted, both(self.counted, seen)
        yield
        self.counted = before

    @contextmanager
    def decided_by(self, seen: Audience, span: Span) -> Iterator[None]:
        if seen is None:
            yield
            return
        self.deciding.append(span)
        yield
        self.deciding.pop()

    def store(self, stmt: core.Store, context: Audience) -> None:
        info = self.secrets.fields[stmt.field]
        source = both(self.audience(stmt.value), context)
        for key in stmt.keys:
            source = both(source, self.audience(key))
        if source is None or self.silent:
            return
        owner = renamed(place_of(stmt.keys[0]), self.alias) if info.visibility == "private" and stmt.keys else None
        if info.visibility == "hidden" or (owner is not None and owner in source):
            self.back(stmt, info)
            return
        seen_by = " and ".join(f"`{name}`" for name in sorted(source))
        now = f"only {seen_by} may see it" if seen_by else "nobody may see it"
        then = (
            f"`{owner}` sees this entry of"
            if owner
            else "everybody sees"
            if info.visibility == "public"
            else "others see"
        )
        used = {node.name for node in everything(stmt.value) if isinstance(node, core.Local)}
        params = [p for p in self.event.params if p.audience is not None and p.name in used]
        remedy = "to reveal it, pass it to the event as a public parameter"
        if params:
            seers = " and ".join(f"`{name}`" for name in params[0].audience or ())
            now = f"only {seers} may see `{params[0].name}`" if seers else f"nobody may see `{params[0].name}`"
            remedy = f"to reveal it, make {' or '.join(f'`{p.name}`' for p in params)} a public parameter"
        labels = [Label(p.span, "a parameter that not everybody sees") for p in params]
        if not labels and self.deciding:
            labels = [Label(self.deciding[-1], "this decides about it, and not everybody sees it")]
        self.names.report(
            "V403", f"more people would see this value in `{stmt.field}`", stmt.span, f"{now}; {then} `{stmt.field}`", remedy,
            labels=(Label(info.span, f"{info.visibility} field"), *labels),
        )  # fmt: skip

    def back(self, stmt: core.Store, info: core.FieldInfo) -> None:
        """Reports a secret that shows in how many there are, or in whether there is one."""
        if not has_backs(info.value):
            return
        seen = both(self.backs.of(stmt.value), self.counted)
        for key in stmt.keys:
            seen = both(seen, self.audience(key))
        if seen is None:
            return
        value = stmt.value
        adds = isinstance(value, core.Op) and value.op in ("set_add", "set_union") and not self.newness.sure(self.event, value)
        what = "whether there is one" if isinstance(info.value, OptionType) else "how many there are"
        remedy = f"store another value, and not only now and then: everybody sees {what} in `{info.name}`"
        if adds and self.counted is None:
            what = "whether it is new"
            remedy = "take it from where it was in the same event, or let a guard say that it is `not in` there"
        labels = (Label(self.deciding[-1], "this decides about it, and not everybody sees it"),) if self.deciding else ()
        self.names.report(
            "V403", f"{what} in `{info.name}` would give a secret away", stmt.span,
            f"everybody sees {'how many there are' if adds else what}, though not {'which' if adds else 'what'}", remedy,
            labels=(Label(info.span, f"{info.visibility} field"), *labels),
        )  # fmt: skip
