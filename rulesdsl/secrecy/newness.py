"""Whether an element that an event adds to a set is new to it: only then is the set's size a card more, whatever the card is.

It is new if the same event takes something of its kind from a set or a list, once for each that it adds (what leaves a bag may
be there several times), or if whoever emits the event has made sure: by a guard, a condition or a domain that says that it is not
in the set.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from attrs import define, field

from rulesdsl import core
from rulesdsl.lowering.rewrite import substitute
from rulesdsl.lowering.walk import bodies, everything, exprs_of, statements
from rulesdsl.secrecy.audiences import aliases, place_of, renamed
from rulesdsl.types import ListType, SetType, Type, zero

_TAKING = frozenset({"set_remove", "set_minus", "list_slice"})
_ADDING = frozenset({"set_add", "set_union"})


@define(eq=False)
class Newness:
    """Answers it for the events of one program."""

    program: core.Program
    emits: dict[str, list[tuple[core.EmitStmt, tuple[core.Expr, ...]]]] = field(factory=dict)
    """The places that emit an event, with the conditions that hold there."""
    moved: dict[str, frozenset[Type]] = field(factory=dict)
    """Of what types an event takes as many elements from somewhere as it puts into sets."""

    def __attrs_post_init__(self) -> None:
        for flow in self.program.flows:
            self._emits(flow.body or (), ())
        for action in self.program.actions:
            known = [item.condition for item in action.prelude if isinstance(item, core.Guard)]
            self._emits(action.effects or (), (*known, *_by_domains(action)))
        for event in self.program.events:
            taken, added = Counter(_taken(event.body)), Counter(_added(event.body))
            self.moved[event.name] = frozenset(kind for kind in added if added[kind] <= taken[kind])

    def _emits(self, body: core.Body, known: tuple[core.Expr, ...]) -> None:
        for stmt in body:
            if isinstance(stmt, core.EmitStmt):
                self.emits.setdefault(stmt.event, []).append((stmt, known))
            elif isinstance(stmt, core.IfStmt):
                self._emits(stmt.then, (*known, stmt.condition))
                self._emits(stmt.otherwise, (*known, core.Op("not", (stmt.condition,), stmt.condition.type, stmt.span)))
            else:
                for inner in bodies(stmt):
                    self._emits(inner, known)

    def sure(self, event: core.EventInfo, adding: core.Op) -> bool:
        """Whether what `set_add` or `set_union` puts into a set is not in it already."""
        kind = adding.type
        if getattr(kind, "item", None) in self.moved[event.name]:
            return True
        target, added = adding.args
        if adding.op != "set_add" or not isinstance(target, core.Read):
            return False
        alias = aliases(event.body)
        wanted = (target.field, tuple(renamed(place_of(key), alias) for key in target.keys))
        element = renamed(place_of(_bare(added)), alias)
        if element is None or None in wanted[1] or event.name not in self.emits:
            return False
        return all(self._known(event, emit, known, wanted, element) for emit, known in self.emits[event.name])

    def _known(
        self, event: core.EventInfo, emit: core.EmitStmt, known: tuple[core.Expr, ...],
        wanted: tuple[str, tuple[str | None, ...]], element: str,
    ) -> bool:  # fmt: skip
        places = {p.name: place_of(_bare(arg)) for p, arg in zip(event.params, emit.args, strict=True)}
        keys = tuple(renamed(key, places) for key in wanted[1])
        there = (wanted[0], keys, renamed(element, places))
        return None not in (*keys, there[2]) and there in {found for expr in known for found in _absent(expr)}


def _bare(expr: core.Expr) -> core.Expr:
    return _bare(expr.expr) if isinstance(expr, core.Checked) else expr


def _absent(expr: core.Expr, holds: bool = True) -> Iterator[tuple[str, tuple[str | None, ...], str | None]]:
    """The fields, keys and elements of which a condition says that they are not there."""
    if not isinstance(expr, core.Op):
        return
    if expr.op == "not":
        yield from _absent(expr.args[0], not holds)
    elif expr.op == ("and" if holds else "or"):
        for part in expr.args:
            yield from _absent(part, holds)
    elif expr.op == "set_has" and not holds and isinstance(expr.args[0], core.Read):
        read = expr.args[0]
        yield read.field, tuple(place_of(key) for key in read.keys), place_of(_bare(expr.args[1]))


def _by_domains(action: core.ActionInfo) -> Iterator[core.Expr]:
    """What domains such as `Cell - ships[me]` and `{c for c in Cell if c not in ships[me]}` say about what is chosen."""
    for chosen in action.chosen:
        name = core.Local(chosen.name, chosen.type, chosen.span)
        domain = chosen.domain
        if isinstance(domain, core.Op) and domain.op == "set_diff":
            has = core.Op("set_has", (domain.args[1], name), domain.type, chosen.span)
            yield core.Op("not", (has,), domain.type, chosen.span)
        elif isinstance(domain, core.Comp) and len(domain.clauses) == 1 and domain.clauses[0].condition is not None:
            (clause,) = domain.clauses
            assert clause.condition is not None
            if isinstance(domain.element, core.Local) and domain.element.name == clause.var:
                yield substitute(clause.condition, {clause.var: name})


def _taken(body: core.Body) -> Iterator[Type]:
    """The types of the elements that a body takes from a set or a list, or of which it empties one."""
    for stmt in statements(body):
        if isinstance(stmt, core.Store):
            for node in everything(stmt.value):
                if isinstance(node, core.Op) and node.op in _TAKING and isinstance(node.type, (SetType, ListType)):
                    yield node.type.item
            kind = stmt.value.type
            if isinstance(stmt.value, core.Const) and isinstance(kind, (SetType, ListType)) and stmt.value.value == zero(kind):
                yield kind.item


def _added(body: core.Body) -> Iterator[Type]:
    """The types of the elements that a body puts into sets, once for each place where it does."""
    for stmt in statements(body):
        for expr in exprs_of(stmt):
            for node in everything(expr):
                if isinstance(node, core.Op) and node.op in _ADDING and isinstance(node.type, SetType):
                    yield node.type.item
