"""What can be said about `core` without running it: parts, free locals, fields that are read, what may fail.

For back ends and optimisers. Answers are remembered by the identity of the expression.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from attrs import define, evolve, field

from rulesdsl import core
from rulesdsl.types import BagType, EnumType, IntType, ListType, OptionType, SetType, Type

# ---------------------------------------------------------------- walking expressions


def parts(expr: core.Expr) -> tuple[core.Expr, ...]:
    """The expressions directly inside an expression."""
    if isinstance(expr, core.Read):
        return expr.keys
    if isinstance(expr, (core.Op, core.Call)):
        return expr.args
    if isinstance(expr, core.Comp):
        inner = [part for c in expr.clauses for part in (c.source, c.condition) if part is not None]
        return (*inner, *((expr.key,) if expr.key is not None else ()), expr.element)
    if isinstance(expr, core.After):
        return (*(arg for _, args in expr.events for arg in args), expr.body)
    if isinstance(expr, core.CanDo):
        return (expr.who, *expr.given)
    if isinstance(expr, core.Checked):
        return (expr.expr,)
    if isinstance(expr, (core.LetIn, core.IfSome)):
        return (expr.value, expr.body)
    return ()


def rebuilt(expr: core.Expr, change: Callable[[core.Expr], core.Expr]) -> core.Expr:
    """The same expression with its direct parts changed."""
    new = tuple(change(part) for part in parts(expr))
    if all(a is b for a, b in zip(new, parts(expr), strict=True)):
        return expr
    if isinstance(expr, core.Read):
        return evolve(expr, keys=new)
    if isinstance(expr, (core.Op, core.Call)):
        return evolve(expr, args=new)
    if isinstance(expr, core.Comp):
        return _rebuilt_comp(expr, list(new))
    if isinstance(expr, core.After):
        rest = iter(new)
        events = tuple((name, tuple(next(rest) for _ in args)) for name, args in expr.events)
        return evolve(expr, events=events, body=new[-1])
    if isinstance(expr, core.CanDo):
        return evolve(expr, who=new[0], given=new[1:])
    if isinstance(expr, core.Checked):
        return evolve(expr, expr=new[0])
    assert isinstance(expr, (core.LetIn, core.IfSome))
    return evolve(expr, value=new[0], body=new[1])


def _rebuilt_comp(expr: core.Comp, new: list[core.Expr]) -> core.Comp:
    clauses = []
    for clause in expr.clauses:
        source = new.pop(0)
        clauses.append(evolve(clause, source=source, condition=new.pop(0) if clause.condition is not None else None))
    key = new.pop(0) if expr.key is not None else None
    return evolve(expr, clauses=tuple(clauses), key=key, element=new[0])


def walk(expr: core.Expr) -> Iterator[core.Expr]:
    """The expression and everything inside it."""
    yield expr
    for part in parts(expr):
        yield from walk(part)


def outer_reads(expr: core.Expr) -> Iterator[core.Read]:
    """The reads of the state in an expression, without those that are keys of others."""
    if isinstance(expr, core.Read):
        yield expr
        return
    for part in parts(expr):
        yield from outer_reads(part)


def bound_names(expr: core.Expr) -> tuple[str, ...]:
    """The names that an expression itself introduces."""
    if isinstance(expr, core.Comp):
        return tuple(clause.var for clause in expr.clauses)
    if isinstance(expr, (core.LetIn, core.IfSome)):
        return (expr.name,)
    return ()


def substitute(expr: core.Expr, names: dict[str, core.Expr]) -> core.Expr:
    """Locals replaced by expressions. What goes in must not use a name that is bound inside: see `with_new_names`."""
    if isinstance(expr, core.Local):
        return names.get(expr.name, expr)
    if hidden := set(bound_names(expr)) & set(names):
        names = {name: value for name, value in names.items() if name not in hidden}
    return rebuilt(expr, lambda part: substitute(part, names)) if names else expr


def with_new_names(expr: core.Expr, rename: Callable[[str], str]) -> core.Expr:
    """The same expression with other names for everything that it binds."""
    names = {name: rename(name) for name in bound_names(expr)}
    inner = rebuilt(expr, lambda part: with_new_names(part, rename))
    if not names:
        return inner
    if isinstance(inner, core.Comp):
        clauses = tuple(evolve(clause, var=names[clause.var]) for clause in inner.clauses)
        inner = evolve(inner, clauses=clauses)
    else:
        assert isinstance(inner, (core.LetIn, core.IfSome))
        inner = evolve(inner, name=names[inner.name])
    return rebuilt(inner, lambda part: _renamed(part, names))


def _renamed(expr: core.Expr, names: dict[str, str]) -> core.Expr:
    if isinstance(expr, core.Local):
        return evolve(expr, name=names[expr.name]) if expr.name in names else expr
    return rebuilt(expr, lambda part: _renamed(part, names))


def shape(expr: core.Expr) -> Any:
    """What an expression says, without where it stands: equal for expressions that are written alike."""
    if isinstance(expr, core.Const):
        return ("const", type(expr.value).__name__, expr.value)
    if isinstance(expr, core.Local):
        return ("local", expr.name)
    inner = tuple(shape(part) for part in parts(expr))
    if isinstance(expr, core.Read):
        return ("read", expr.field, expr.before, inner)
    if isinstance(expr, core.Op):
        data = (
            expr.data if not isinstance(expr.data, core.Table) else (expr.data.name, expr.data.dims, expr.data.values)
        )
        return (expr.op, data, str(expr.type), inner)
    if isinstance(expr, core.Comp):
        conditions = tuple(clause.condition is None for clause in expr.clauses)
        return (expr.kind, bound_names(expr), conditions, expr.key is None, str(expr.type), inner)
    name = getattr(expr, "name", None) or getattr(expr, "action", None)
    if isinstance(expr, core.After):
        name = tuple((event, len(args)) for event, args in expr.events)
    if isinstance(expr, core.Checked):
        name = (expr.lo, expr.hi)
    return (type(expr).__name__, name, inner)


# ---------------------------------------------------------------- walking statements


def bodies(stmt: core.Stmt) -> tuple[core.Body, ...]:
    """The bodies directly inside a statement."""
    if isinstance(stmt, core.IfStmt):
        return (stmt.then, stmt.otherwise)
    if isinstance(stmt, (core.ForStmt, core.WhileStmt, core.RepeatStmt, core.StepStmt, core.TurnsStmt)):
        return (stmt.body,)
    if isinstance(stmt, core.AskStmt):
        return (stmt.after, stmt.otherwise or ())
    return ()


def statements(body: core.Body) -> Iterator[core.Stmt]:
    """All statements of a body, inner ones too."""
    for stmt in body:
        yield stmt
        for inner in bodies(stmt):
            yield from statements(inner)


def expressions(stmt: core.Stmt) -> tuple[core.Expr, ...]:
    """The expressions that a statement itself evaluates, without those of inner statements."""
    if isinstance(stmt, (core.Bind, core.ReturnStmt)):
        return () if stmt.value is None else (stmt.value,)
    if isinstance(stmt, core.Store):
        return (*stmt.keys, stmt.value)
    if isinstance(stmt, (core.IfStmt, core.WhileStmt)):
        return (stmt.condition,)
    if isinstance(stmt, core.ForStmt):
        return (stmt.source,) if stmt.condition is None else (stmt.source, stmt.condition)
    if isinstance(stmt, core.RepeatStmt):
        return (stmt.count,)
    if isinstance(stmt, (core.EmitStmt, core.CallFlow)):
        return stmt.args
    if isinstance(stmt, core.EndStmt):
        return tuple(part for part in (stmt.winners, stmt.scores) if part is not None)
    return ()


def mapped(stmt: core.Stmt, change: Callable[[core.Expr], core.Expr]) -> core.Stmt:
    """The same statement with every expression in it changed, those of inner statements too."""
    changes: dict[str, Any] = {}
    for name in ("value", "condition", "source", "count", "winners", "scores"):
        part = getattr(stmt, name, None)
        if part is not None and not isinstance(part, str):
            changes[name] = change(part)
    for name in ("keys", "args"):
        if hasattr(stmt, name):
            changes[name] = tuple(change(part) for part in getattr(stmt, name))
    for name in ("then", "otherwise", "body"):
        if hasattr(stmt, name):
            changes[name] = tuple(mapped(inner, change) for inner in getattr(stmt, name))
    return evolve(stmt, **changes)


def binds(stmt: core.Stmt) -> str | None:
    """The local that a statement gives a value, if it does."""
    if isinstance(stmt, core.Bind):
        return stmt.name
    return stmt.var if isinstance(stmt, core.ForStmt) else None


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

_FAILING = frozenset(
    [
        "set_remove",
        "set_minus",
        "bag_add",
        "bag_remove",
        "bag_plus",
        "bag_minus",
        "bag_scale",
        "bag_of",
        "bag_counts",
        "bag_from",
        "list_of",
        "list_append",
        "list_concat",
        "list_get",
    ]
)


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
        self.writes = {item.name: _stores(item.body) for item in self.program.events}
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
                roots = [expr for stmt in statements(item.body) for expr in expressions(stmt)]
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
        return found.union(*(self.reads(part) for part in parts(expr)))

    def needs_state(self, expr: core.Expr) -> bool:
        """Whether it needs a whole state, and not only some fields."""
        return self._remember("state", expr, self._needs_state)

    def _needs_state(self, expr: core.Expr) -> bool:
        if isinstance(expr, (core.After, core.CanDo)):
            return True
        if isinstance(expr, core.Call) and self.passed_fields(expr.name) is None:
            return True
        return any(self.needs_state(part) for part in parts(expr))

    def passed_fields(self, name: str) -> tuple[str, ...] | None:
        """The fields that a def is given, in order, or None if it takes the whole state."""
        if self.def_needs_state[name] or len(self.def_reads[name]) > 6:
            return None
        return tuple(sorted(self.def_reads[name], key=lambda field_name: self.positions.get(field_name, -1)))

    def def_calls(self, name: str) -> list[str]:
        """The defs that a def calls itself."""
        roots = (expr for stmt in statements(self.defs[name].body) for expr in expressions(stmt))
        return [part.name for expr in roots for part in walk(expr) if isinstance(part, core.Call)]

    def stateless(self, expr: core.Expr) -> bool:
        """Whether its value depends on its locals alone."""
        return not self.needs_state(expr) and not self.reads(expr) and not self.reads_before(expr)

    def reads_before(self, expr: core.Expr) -> bool:
        return self._remember("before", expr, lambda e: any(isinstance(x, core.Read) and x.before for x in walk(e)))

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
        return any(self.fails(part) for part in parts(expr))

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
        for part in parts(expr):
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
        return own + sum(self.weight(part) for part in parts(expr))

    # ------------------------------------------------------------ statements

    def body_reads(self, body: core.Body) -> frozenset[str]:
        roots = (expr for stmt in statements(body) for expr in expressions(stmt))
        return frozenset().union(*(self.reads(expr) for expr in roots))

    def body_writes(self, body: core.Body) -> frozenset[str]:
        """The fields that the events of a body may change, through the flows it calls too."""
        found = set(_stores(body))
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


def _stores(body: core.Body) -> frozenset[str]:
    return frozenset(stmt.field for stmt in statements(body) if isinstance(stmt, core.Store))
