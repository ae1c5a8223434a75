"""What can be said about `core` without running it: parts, free locals, fields that are read, what may fail.

For back ends and optimisers. Answers are remembered by the identity of the expression.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from attrs import define, field

from rulesdsl import core
from rulesdsl.lowering.rewrite import bound_names
from rulesdsl.lowering.walk import FAILING_OPS, children, everything, exprs_of, statements, stored
from rulesdsl.types import BagType, EnumType, IntType, ListType, OptionType, SetType, Type

# ---------------------------------------------------------------- types


def simple(kind: Type) -> bool:
    """Whether values are plain ints or bools."""
    return isinstance(kind, (IntType, EnumType)) or str(kind) == "bool"


def within(inner: Type, outer: Type) -> bool:
    """Whether every value of one type is also one of the other, in the same form."""
    if isinstance(inner, IntType) and isinstance(outer, IntType):
        return outer.lo <= inner.lo and inner.hi <= outer.hi
    if isinstance(inner, OptionType) and isinstance(outer, OptionType):
        return within(inner.item, outer.item)
    if isinstance(outer, OptionType):
        return within(inner, outer.item)
    return inner == outer


def item_of(kind: Type) -> Type:
    """The type of the elements of a collection."""
    assert isinstance(kind, (SetType, BagType, ListType)), kind
    return kind.item


# ---------------------------------------------------------------- facts about a program

T = TypeVar("T")

_FAILING = FAILING_OPS | {"list_of"}


@define
class Facts:
    """What the parts of one program read, write, need and may do."""

    program: core.Program
    defs: dict[str, core.DefInfo] = field(init=False)
    positions: dict[str, int] = field(init=False)
    writes: dict[str, frozenset[str]] = field(init=False)
    def_reads: dict[str, frozenset[str]] = field(init=False)
    def_needs_state: dict[str, bool] = field(init=False)
    def_fails: dict[str, bool] = field(init=False)
    flow_writes: dict[str, frozenset[str]] = field(init=False)
    _memo: dict[tuple[str, int], tuple[core.Expr, Any]] = field(init=False, factory=dict)

    def __attrs_post_init__(self) -> None:
        self.defs = {item.name: item for item in self.program.defs}
        self.positions = {item.name: item.position for item in self.program.fields}
        self.writes = {item.name: stored(item.body) for item in self.program.events}
        self.def_reads = {name: frozenset() for name in self.defs}
        self.def_needs_state = dict.fromkeys(self.defs, False)
        self.def_fails = {name: item.recursive or item.fails for name, item in self.defs.items()}
        self._settle()
        self._memo.clear()
        self.flow_writes = {}
        for flow in self.program.flows:
            self._flow_writes(flow.name)

    def _settle(self) -> None:
        """Works out what defs do, through the defs they call, until nothing changes."""
        changed = True
        while changed:
            changed = False
            self._memo.clear()
            for name, item in self.defs.items():
                roots = [expr for stmt in statements(item.body) for expr in exprs_of(stmt)]
                reads = frozenset().union(*(self.reads(expr) for expr in roots))
                needs = any(self.needs_state(expr) for expr in roots)
                fails = self.def_fails[name] or any(self.fails(expr) for expr in roots)
                if (reads, needs, fails) != (self.def_reads[name], self.def_needs_state[name], self.def_fails[name]):
                    self.def_reads[name], self.def_needs_state[name], self.def_fails[name] = reads, needs, fails
                    changed = True

    def _remember(self, what: str, expr: core.Expr, work: Callable[[core.Expr], T]) -> T:
        known = self._memo.get((what, id(expr)))
        if known is not None:
            return known[1]  # type: ignore[no-any-return]
        result = work(expr)
        self._memo[(what, id(expr))] = (expr, result)
        return result

    # ------------------------------------------------------------ expressions

    def reads(self, expr: core.Expr) -> frozenset[str]:
        """The fields that evaluating it looks up in the present state, directly or in defs that are given them."""
        return self._remember("reads", expr, self._reads)

    def _reads(self, expr: core.Expr) -> frozenset[str]:
        found: frozenset[str] = frozenset()
        if isinstance(expr, core.Read) and not expr.before:
            found |= {expr.field}
        if isinstance(expr, core.Call):
            found |= frozenset(self.passed_fields(expr.name) or ())
        if isinstance(expr, core.After):
            written = frozenset().union(*(self.writes[name] for name, _ in expr.events))
            found |= self.reads(expr.body) - written
            return found.union(*(self.reads(arg) for _, args in expr.events for arg in args))
        return found.union(*(self.reads(part) for part in children(expr)))

    def needs_state(self, expr: core.Expr) -> bool:
        """Whether it needs a whole state, and not only some fields."""
        return self._remember("state", expr, self._needs_state)

    def _needs_state(self, expr: core.Expr) -> bool:
        if isinstance(expr, (core.After, core.CanDo)):
            return True
        if isinstance(expr, core.Call) and self.passed_fields(expr.name) is None:
            return True
        return any(self.needs_state(part) for part in children(expr))

    def passed_fields(self, name: str) -> tuple[str, ...] | None:
        """The fields that a def is given, in order, or None if it takes the whole state."""
        if self.def_needs_state[name] or len(self.def_reads[name]) > 6:
            return None
        return tuple(sorted(self.def_reads[name], key=lambda field_name: self.positions.get(field_name, -1)))

    def def_calls(self, name: str) -> list[str]:
        """The defs that a def calls itself."""
        roots = (expr for stmt in statements(self.defs[name].body) for expr in exprs_of(stmt))
        return [part.name for expr in roots for part in everything(expr) if isinstance(part, core.Call)]

    def stateless(self, expr: core.Expr) -> bool:
        """Whether its value depends on its locals alone."""
        return not self.needs_state(expr) and not self.reads(expr) and not self.reads_before(expr)

    def reads_before(self, expr: core.Expr) -> bool:
        return self._remember(
            "before", expr, lambda e: any(isinstance(x, core.Read) and x.before for x in everything(e))
        )

    def fails(self, expr: core.Expr) -> bool:
        """Whether evaluating it may be a rules error."""
        return self._remember("fails", expr, self._fails)

    def _fails(self, expr: core.Expr) -> bool:
        if isinstance(expr, (core.Checked, core.After, core.CanDo)):
            return True
        if isinstance(expr, core.Call) and self.def_fails[expr.name]:
            return True
        if isinstance(expr, core.Comp) and expr.kind in ("bag", "list", "map"):
            return True
        if isinstance(expr, core.Op) and (expr.op in _FAILING or not self._elements_fit(expr)):
            return True
        return any(self.fails(part) for part in children(expr))

    def _elements_fit(self, expr: core.Op) -> bool:
        if expr.op == "set_of":
            return all(within(arg.type, item_of(expr.type)) for arg in expr.args)
        if expr.op == "set_add":
            return within(expr.args[1].type, item_of(expr.type))
        return True

    def free(self, expr: core.Expr) -> dict[str, Type]:
        """The locals that it uses and does not bind, in order of their first use."""
        return self._remember("free", expr, self._free)

    def _free(self, expr: core.Expr) -> dict[str, Type]:
        if isinstance(expr, core.Local):
            return {expr.name: expr.type}
        found: dict[str, Type] = {}
        for part in children(expr):
            for name, kind in self.free(part).items():
                found.setdefault(name, kind)
        for name in bound_names(expr):
            found.pop(name, None)
        return found

    def weight(self, expr: core.Expr) -> int:
        """How many operations it has, as a rough price."""
        return self._remember("weight", expr, self._weight)

    def _weight(self, expr: core.Expr) -> int:
        own = 0 if isinstance(expr, (core.Const, core.Local)) else 4 if isinstance(expr, (core.Comp, core.Call)) else 1
        if isinstance(expr, core.Op) and expr.op in ("some", "unwrap", "cast"):
            own = 0
        return own + sum(self.weight(part) for part in children(expr))

    # ------------------------------------------------------------ statements

    def body_reads(self, body: core.Body) -> frozenset[str]:
        roots = (expr for stmt in statements(body) for expr in exprs_of(stmt))
        return frozenset().union(*(self.reads(expr) for expr in roots))

    def body_writes(self, body: core.Body) -> frozenset[str]:
        """The fields that the events of a body may change, through the flows it calls too."""
        found = set(stored(body))
        for stmt in statements(body):
            if isinstance(stmt, core.EmitStmt):
                found |= self.writes[stmt.event]
            elif isinstance(stmt, core.CallFlow):
                found |= self._flow_writes(stmt.flow)
        return frozenset(found)

    def _flow_writes(self, name: str) -> frozenset[str]:
        if name not in self.flow_writes:
            info = self.program.flow(name)
            every = frozenset(self.positions)
            self.flow_writes[name] = every if info.body is None else self.body_writes(info.body)
        return self.flow_writes[name]
