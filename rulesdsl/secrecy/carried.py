"""What a value is made of: the secrets, answers and outcomes that are in it, not those that it only depends on.

A card that is drawn, the hand that it is put into and a part of that hand carry the card; how many there are, and whether it
is red, do not.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar

from attrs import define, evolve, field

from rulesdsl import core
from rulesdsl.lowering.walk import statements
from rulesdsl.types import BagType

Token = TypeVar("Token")
NOTHING: frozenset[Any] = frozenset()

_FIRST_ONLY = frozenset({
    "unwrap", "cast", "some", "get", "list_top", "list_get", "list_slice", "map_get", "distinct", "to_set", "elements",
    "bag_from", "bag_scale", "set_remove", "set_minus", "set_diff", "bag_remove", "bag_minus",
})  # fmt: skip
_ALL = frozenset({
    "or_else", "record", "set_of", "bag_of", "list_of", "map_of", "set_add", "set_union", "set_inter", "bag_add", "bag_plus",
    "list_append", "list_concat",
})  # fmt: skip
_PICKED = frozenset({"min", "max", "first", "set", "list", "bag", "map"})


@define(eq=False)
class Carried(Generic[Token]):
    """What expressions carry. `local` says it of names, `read` of fields."""

    program: core.Program
    local: Callable[[str], frozenset[Token]]
    read: Callable[[core.Read], frozenset[Token]]
    _bound: dict[str, frozenset[Token]] = field(factory=dict)
    _open: set[str] = field(factory=set)

    def of(self, expr: core.Expr) -> frozenset[Token]:
        """What an expression carries."""
        if isinstance(expr, core.Local):
            return self._bound[expr.name] if expr.name in self._bound else self.local(expr.name)
        if isinstance(expr, core.Read):
            return self.read(expr)
        if isinstance(expr, core.Op):
            return self._op(expr)
        if isinstance(expr, core.Checked):
            return self.of(expr.expr)
        if isinstance(expr, (core.LetIn, core.IfSome)):
            return self._with({expr.name: self.of(expr.value)}, expr.body)
        if isinstance(expr, core.Comp) and expr.kind in _PICKED:
            return self._comp(expr)
        if isinstance(expr, core.Call):
            return self._call(expr)
        return NOTHING

    def _op(self, expr: core.Op) -> frozenset[Token]:
        if isinstance(expr.type, BagType) and isinstance(expr.args[0], core.Comp):
            return self._comp(evolve(expr.args[0], element=expr.args[0].key or expr.args[0].element))  # counts are no cards
        if expr.op in _FIRST_ONLY:
            return self.of(expr.args[0])
        if expr.op in _ALL:
            return self._any(expr.args)
        return self._any(expr.args[1:]) if expr.op == "if" else NOTHING

    def _any(self, exprs: tuple[core.Expr, ...]) -> frozenset[Token]:
        return NOTHING.union(*(self.of(part) for part in exprs))

    def _with(self, names: dict[str, frozenset[Token]], *exprs: core.Expr) -> frozenset[Token]:
        before, self._bound = self._bound, {**self._bound, **names}
        found = self._any(exprs)
        self._bound = before
        return found

    def _comp(self, expr: core.Comp) -> frozenset[Token]:
        names: dict[str, frozenset[Token]] = {}
        for clause in expr.clauses:
            names[clause.var] = self._with(names, clause.source)
        return self._with(names, *((expr.key,) if expr.key is not None else ()), expr.element)

    def _call(self, expr: core.Call) -> frozenset[Token]:
        if expr.name in self._open:
            return NOTHING
        info = self.program.def_(expr.name)
        sources = sources_of(info.body)
        names = dict.fromkeys(sources, NOTHING)
        names |= {p.name: self.of(arg) for p, arg in zip(info.params, expr.args, strict=True)}
        self._open.add(expr.name)
        before, self._bound = self._bound, names
        for _ in range(len(sources) + 1):
            for name, values in sources.items():
                self._bound[name] |= self._any(values)
        found = self._any(tuple(s.value for s in statements(info.body) if isinstance(s, core.ReturnStmt) and s.value))
        self._bound = before
        self._open.discard(expr.name)
        return found


def sources_of(body: core.Body) -> dict[str, tuple[Any, ...]]:
    """The expressions from which the locals of a body get their values."""
    found: dict[str, tuple[Any, ...]] = {}
    for stmt in statements(body):
        if isinstance(stmt, core.Bind):
            found[stmt.name] = (*found.get(stmt.name, ()), stmt.value)
        elif isinstance(stmt, core.ForStmt):
            found[stmt.var] = (*found.get(stmt.var, ()), stmt.source)
    return found
