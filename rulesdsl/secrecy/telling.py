"""Public parameters of events that tell everybody what is then kept where others do not see it: most often a forgotten mark.

A card that is drawn from a hidden deck and put into a private hand, a bid that is kept in a private field: if the event has
it as a public parameter, everybody sees it all the same. That is allowed, since a game may show something before it is put
away; it is a warning, unless the parameter is marked `public`. What is counted or computed (how many cards change hands) is
no card, and no warning.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from attrs import define, field, frozen

from rulesdsl import core, syntax
from rulesdsl.diagnostics import Label
from rulesdsl.lowering.walk import everything
from rulesdsl.naming.names import Names
from rulesdsl.secrecy.audiences import aliases, place_of, renamed
from rulesdsl.secrecy.carried import NOTHING, Carried, Tokens, sources_of

SECRET, OUTCOME, ANSWER = "a secret", "an outcome", "an answer"
WHAT = {
    SECRET: "not everybody sees where this value comes from",
    OUTCOME: "nobody sees a drawn outcome until an event tells it",
    ANSWER: "nobody else sees an answer until an event tells it",
}


@frozen
class Keeping:
    """Where an event keeps the value of a parameter, and whose entries it changes by it (None: hidden from everybody)."""

    store: core.Store
    owners: frozenset[str | None]
    seen: tuple[str, ...]
    """The parameters that are players who see what is changed."""


@define(eq=False)
class Telling:
    """Looks at each `emit` of a program."""

    program: core.Program
    names: Names
    keeping: dict[str, dict[str, Keeping]] = field(factory=dict)
    told: set[tuple[str, str]] = field(factory=set)

    def __attrs_post_init__(self) -> None:
        self.keeping = {event.name: _Kept(self.program, event).found() for event in self.program.events}

    def look(self, stmt: core.EmitStmt, carried: Carried, alias: Mapping[str, str | None]) -> None:
        """Reports public parameters that need a mark, each once."""
        event = self.program.event(stmt.event)
        args = dict(zip((p.name for p in event.params), stmt.args, strict=True))
        for node, param in zip(self.nodes(event.name), event.params, strict=True):
            kept = self.keeping[event.name].get(param.name)
            if kept is None or node.public or param.audience is not None or (event.name, param.name) in self.told:
                continue
            tokens = carried.of(args[param.name])
            if tokens == {ANSWER} and not self.only_mine(kept, args, alias):
                continue
            if tokens:
                self.told.add((event.name, param.name))
                self.report(node, event, kept, args[param.name], min(tokens, key=list(WHAT).index))

    def nodes(self, event: str) -> tuple[syntax.Parameter, ...]:
        decl = self.names.entities[event].decl
        assert isinstance(decl, syntax.Event)
        return decl.params

    @staticmethod
    def only_mine(kept: Keeping, args: Mapping[str, core.Expr], alias: Mapping[str, str | None]) -> bool:
        """Whether an answer is kept for nobody but the player who gave it."""
        places = {name: renamed(place_of(arg), alias) for name, arg in args.items()}
        return all(owner is None or renamed(owner, places) == "me" for owner in kept.owners)

    def report(
        self, node: syntax.Parameter, event: core.EventInfo, kept: Keeping, arg: core.Expr, token: str
    ) -> None:
        name = node.name.id
        info = next(f for f in self.program.fields if f.name == kept.store.field)
        mark = f"private to {' and '.join(kept.seen)}" if kept.seen else "hidden"
        self.names.report(
            "W905", f"everybody would see `{name}`, which is then kept in a {info.visibility} field", node.span,
            "a public parameter",
            f"if not all may see it, write `{node.span.text} {mark}`; if all may, say so: `{node.span.text} public`",
            labels=(Label(kept.store.span, "kept here"), Label(arg.span, WHAT[token])), severity="warning",
        )  # fmt: skip


@define(eq=False)
class _Kept:
    """What one event does with its parameters."""

    program: core.Program
    event: core.EventInfo
    alias: Mapping[str, str | None] = field(factory=dict)
    sources: dict[str, tuple[core.Expr, ...]] = field(factory=dict)

    def found(self) -> dict[str, Keeping]:
        """The parameters that are put where not everybody sees them, and change nothing that everybody sees."""
        self.alias = aliases(self.event.body)
        self.sources = sources_of(self.event.body)
        carried = Carried(self.program, self.carried_by, lambda _: NOTHING)
        fields = {info.name: info for info in self.program.fields}
        public: set[str] = set()
        put: dict[str, core.Store] = {}
        owners: dict[str, set[str | None]] = {}
        for store, needed in self.stores(self.event.body, frozenset()):
            info = fields[store.field]
            if info.visibility == "public":
                public |= needed
                continue
            owner = place_of(store.keys[0]) if info.visibility == "private" and store.keys else None
            for name in needed:
                owners.setdefault(name, set()).add(renamed(owner, self.alias))
            for name in carried.of(store.value):
                put.setdefault(name, store)
        players = [p.name for p in self.event.params if p.type == self.program.player and p.audience is None]
        return {
            name: Keeping(store, frozenset(owners[name]), tuple(p for p in players if p in owners[name]))
            for name, store in put.items()
            if name not in public
        }

    def params(self) -> frozenset[str]:
        return frozenset(p.name for p in self.event.params)

    def carried_by(self, name: str, seen: frozenset[str] = frozenset()) -> Tokens:
        if name in self.params():
            return frozenset({name})
        if name in seen:
            return NOTHING
        inner = Carried(self.program, lambda other: self.carried_by(other, seen | {name}), lambda _: NOTHING)
        return NOTHING.union(*(inner.of(source) for source in self.sources.get(name, ())))

    def needed_by(self, expr: core.Expr, seen: frozenset[str] = frozenset()) -> frozenset[str]:
        """The parameters on which an expression depends in any way."""
        found: set[str] = set()
        for node in everything(expr):
            if isinstance(node, core.Local) and node.name in self.params():
                found.add(node.name)
            elif isinstance(node, core.Local) and node.name not in seen:
                for source in self.sources.get(node.name, ()):
                    found |= self.needed_by(source, seen | {node.name})
        return frozenset(found)

    def stores(self, body: core.Body, around: frozenset[str]) -> Iterator[tuple[core.Store, frozenset[str]]]:
        """Each assignment to a field, with the parameters on which it depends."""
        for stmt in body:
            if isinstance(stmt, core.Store):
                yield stmt, around.union(*(self.needed_by(part) for part in (*stmt.keys, stmt.value)))
            elif isinstance(stmt, core.IfStmt):
                inner = around | self.needed_by(stmt.condition)
                yield from self.stores(stmt.then, inner)
                yield from self.stores(stmt.otherwise, inner)
            elif isinstance(stmt, core.ForStmt):
                inner = around | self.needed_by(stmt.source)
                yield from self.stores(stmt.body, inner | self.needed_by(stmt.condition) if stmt.condition else inner)
