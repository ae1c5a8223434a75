"""What events do with their parameters: which they keep where not everybody sees them, and which change nothing at all."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from attrs import define, field, frozen

from rulesdsl import core
from rulesdsl.lowering.walk import everything
from rulesdsl.secrecy.audiences import aliases, place_of, renamed
from rulesdsl.secrecy.carried import NOTHING, Carried, sources_of


@frozen
class Keeping:
    """Where an event keeps the value of a parameter, and whose entries it changes by it (None: hidden from everybody)."""

    store: core.Store
    owners: frozenset[str | None]
    seen: tuple[str, ...]
    """The parameters that are players who see what is changed."""


@define(eq=False)
class Kept:
    """What one event does with its parameters.

    `used`: those by which it changes something; `changed`: the fields that it changes; `in_secret`: the parameters that are put
    where not everybody sees them, and change nothing that everybody sees.
    """

    program: core.Program
    event: core.EventInfo
    used: frozenset[str] = field(init=False, default=NOTHING)
    changed: frozenset[str] = field(init=False, default=NOTHING)
    in_secret: Mapping[str, Keeping] = field(init=False)
    _alias: Mapping[str, str | None] = field(init=False)
    _sources: Mapping[str, tuple[core.Expr, ...]] = field(init=False)

    def __attrs_post_init__(self) -> None:
        self._alias = aliases(self.event.body)
        self._sources = sources_of(self.event.body)
        carried = Carried(self.program, self._carried_by, lambda _: NOTHING)
        fields = {info.name: info for info in self.program.fields}
        public: set[str] = set()
        put: dict[str, core.Store] = {}
        owners: dict[str, set[str | None]] = {}
        for store, needed in self._stores(self.event.body, frozenset()):
            info = fields[store.field]
            self.used, self.changed = self.used | needed, self.changed | {store.field}
            if info.visibility == "public":
                public |= needed
                continue
            owner = place_of(store.keys[0]) if info.visibility == "private" and store.keys else None
            for name in needed:
                owners.setdefault(name, set()).add(renamed(owner, self._alias))
            for name in carried.of(store.value):
                put.setdefault(name, store)
        players = [p.name for p in self.event.params if p.type == self.program.player and p.audience is None]
        self.in_secret = {
            name: Keeping(store, frozenset(owners[name]), tuple(p for p in players if p in owners[name]))
            for name, store in put.items()
            if name not in public
        }

    def _params(self) -> frozenset[str]:
        return frozenset(p.name for p in self.event.params)

    def _carried_by(self, name: str, seen: frozenset[str] = frozenset()) -> frozenset[str]:
        if name in self._params():
            return frozenset({name})
        if name in seen:
            return NOTHING
        inner = Carried(self.program, lambda other: self._carried_by(other, seen | {name}), lambda _: NOTHING)
        return NOTHING.union(*(inner.of(source) for source in self._sources.get(name, ())))

    def _needed_by(self, expr: core.Expr, seen: frozenset[str] = frozenset()) -> frozenset[str]:
        """The parameters on which an expression depends in any way."""
        found: set[str] = set()
        for node in everything(expr):
            if isinstance(node, core.Local) and node.name in self._params():
                found.add(node.name)
            elif isinstance(node, core.Local) and node.name not in seen:
                for source in self._sources.get(node.name, ()):
                    found |= self._needed_by(source, seen | {node.name})
        return frozenset(found)

    def _stores(self, body: core.Body, around: frozenset[str]) -> Iterator[tuple[core.Store, frozenset[str]]]:
        """Each assignment to a field, with the parameters on which it depends."""
        for stmt in body:
            if isinstance(stmt, core.Store):
                yield stmt, around.union(*(self._needed_by(part) for part in (*stmt.keys, stmt.value)))
            elif isinstance(stmt, core.IfStmt):
                inner = around | self._needed_by(stmt.condition)
                yield from self._stores(stmt.then, inner)
                yield from self._stores(stmt.otherwise, inner)
            elif isinstance(stmt, core.ForStmt):
                inner = around | self._needed_by(stmt.source)
                yield from self._stores(stmt.body, inner | self._needed_by(stmt.condition) if stmt.condition else inner)
            elif not isinstance(stmt, core.Bind):
                raise AssertionError(f"nobody has said what {stmt} stores in an event")
