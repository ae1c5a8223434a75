"""A slow and straightforward evaluator of `core`, written from its documentation alone: what the back end is compared with."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from rulesdsl import core
from rulesdsl.types import BagType, ListType, MapType, SetType, Type, index_of, size, value_at

State = dict[str, Any]


class ReferenceFault(Exception):
    """A rules error."""


class _Return(Exception):
    pass


class _Break(Exception):
    pass


class _Continue(Exception):
    pass


def elements(kind: Type, value: Any) -> list[Any]:
    """The elements of a collection in order; a bag gives each copy."""
    if isinstance(kind, SetType):
        return [value_at(kind.item, i) for i in range(value.bit_length()) if value >> i & 1]
    if isinstance(kind, BagType):
        return [value_at(kind.item, i) for i, n in enumerate(value) for _ in range(n)]
    return list(value)


def collected(kind: Type, items: list[Any]) -> Any:
    """A collection of a type with these elements."""
    if isinstance(kind, SetType):
        mask = 0
        for item in items:
            position = index_of(kind.item, item)
            if not 0 <= position < (size(kind.item) or 0):
                raise ReferenceFault("out of range")
            mask |= 1 << position
        return mask
    if isinstance(kind, BagType):
        counts = [0] * (size(kind.item) or 0)
        for item in items:
            counts[index_of(kind.item, item)] += 1
        return checked_bag(counts)
    assert isinstance(kind, ListType)
    if len(items) > kind.limit:
        raise ReferenceFault("limit")
    return tuple(items)


def checked_bag(counts: list[int]) -> tuple[int, ...]:
    if any(not 0 <= n <= 255 for n in counts):
        raise ReferenceFault("bag count")
    return tuple(counts)


class Reference:
    """Evaluates expressions and bodies of one program in states: dicts from field to its value (nested maps)."""

    def __init__(self, program: core.Program) -> None:
        self.program = program

    def value(
        self, expr: core.Expr, env: dict[str, Any], state: State, before: State | None = None, depth: int = 1
    ) -> Any:
        return _Evaluation(self, dict(env), state, before, depth).value(expr)

    def call(self, name: str, args: tuple[Any, ...], state: State, depth: int = 1) -> Any:
        info = self.program.def_(name)
        if depth > 1000:
            raise ReferenceFault("depth")
        run = _Evaluation(self, dict(zip([p.name for p in info.params], args, strict=True)), state, None, depth)
        try:
            run.body(info.body)
        except _Return as done:
            return done.args[0]
        raise AssertionError("a def without a return")

    def event(self, name: str, args: tuple[Any, ...], state: State) -> State:
        info = self.program.event(name)
        run = _Evaluation(self, dict(zip([p.name for p in info.params], args, strict=True)), dict(state), None, 1)
        run.body(info.body)
        return run.state


class _Evaluation:
    def __init__(self, owner: Reference, env: dict[str, Any], state: State, before: State | None, depth: int) -> None:
        self.owner, self.env, self.state, self.before, self.depth = owner, env, state, before, depth

    # ------------------------------------------------------------ statements

    def body(self, stmts: core.Body) -> None:
        for stmt in stmts:
            self.statement(stmt)

    def statement(self, stmt: core.Stmt) -> None:
        if isinstance(stmt, core.Bind):
            self.env[stmt.name] = self.value(stmt.value)
        elif isinstance(stmt, core.Store):
            self.state[stmt.field] = self.stored(
                self.state[stmt.field], self.owner.program.field(stmt.field).keys, stmt.keys, self.value(stmt.value)
            )
        elif isinstance(stmt, core.IfStmt):
            self.body(stmt.then if self.value(stmt.condition) else stmt.otherwise)
        elif isinstance(stmt, core.ForStmt):
            self.loop(stmt)
        elif isinstance(stmt, core.ReturnStmt):
            raise _Return(None if stmt.value is None else self.value(stmt.value))
        elif isinstance(stmt, core.BreakStmt):
            raise _Break
        elif isinstance(stmt, core.ContinueStmt):
            raise _Continue
        else:
            raise AssertionError(stmt)

    def stored(self, old: Any, kinds: tuple[Type, ...], keys: tuple[core.Expr, ...], value: Any) -> Any:
        if not keys:
            return value
        position = index_of(kinds[0], self.value(keys[0]))
        return tuple(
            self.stored(cell, kinds[1:], keys[1:], value) if i == position else cell for i, cell in enumerate(old)
        )

    def loop(self, stmt: core.ForStmt) -> None:
        for item in elements(stmt.source.type, self.value(stmt.source)):
            self.env[stmt.var] = item
            if stmt.condition is not None and not self.value(stmt.condition):
                continue
            try:
                self.body(stmt.body)
            except _Break:
                break
            except _Continue:
                continue

    # ------------------------------------------------------------ expressions

    def value(self, expr: core.Expr) -> Any:
        if isinstance(expr, core.Const):
            return expr.value
        if isinstance(expr, core.Local):
            return self.env[expr.name]
        if isinstance(expr, core.Read):
            found = (self.before or {})[expr.field] if expr.before else self.state[expr.field]
            for kind, key in zip(self.owner.program.field(expr.field).keys, expr.keys, strict=False):
                found = found[index_of(kind, self.value(key))]
            return found
        if isinstance(expr, core.Call):
            return self.owner.call(expr.name, tuple(self.value(arg) for arg in expr.args), self.state, self.depth + 1)
        if isinstance(expr, core.After):
            state = self.state
            calls = [(name, tuple(self.value(arg) for arg in args)) for name, args in expr.events]
            for name, args in calls:
                state = self.owner.event(name, args, state)
            return _Evaluation(self.owner, dict(self.env), state, self.before, self.depth).value(expr.body)
        if isinstance(expr, core.Checked):
            number = self.value(expr.expr)
            if not expr.lo <= number <= expr.hi:
                raise ReferenceFault("out of range")
            return number
        if isinstance(expr, (core.LetIn, core.IfSome)):
            found = self.value(expr.value)
            if found is None and isinstance(expr, core.IfSome):
                return None
            return _Evaluation(self.owner, {**self.env, expr.name: found}, self.state, self.before, self.depth).value(
                expr.body
            )
        if isinstance(expr, core.Comp):
            return self.comprehension(expr)
        assert isinstance(expr, core.Op)
        return self.operation(expr)

    def comprehension(self, expr: core.Comp) -> Any:
        kind = expr.kind
        if kind in ("any", "all"):
            wanted = kind == "any"
            return next((wanted for e in self.walk(expr) if e.value(expr.element) is wanted), not wanted)
        if kind == "first":
            return next((e.value(expr.element) for e in self.walk(expr)), None)
        if expr.key is not None:
            entries = [(e.value(expr.key), e.value(expr.element)) for e in self.walk(expr)]
            return self.entries(expr.type, dict(entries))
        items = [e.value(expr.element) for e in self.walk(expr)]
        simple: dict[str, Callable[[], Any]] = {
            "sum": lambda: sum(items), "count": lambda: len(items),
            "min": lambda: min(items, default=None), "max": lambda: max(items, default=None),
        }  # fmt: skip
        return simple[kind]() if kind in simple else collected(expr.type, items)

    def entries(self, kind: Type, entries: dict[Any, Any]) -> Any:
        if isinstance(kind, BagType):
            return checked_bag([entries.get(value_at(kind.item, i), 0) for i in range(size(kind.item) or 0)])
        assert isinstance(kind, MapType)
        keys = [value_at(kind.key, i) for i in range(size(kind.key) or 0)]
        if any(key not in entries for key in keys):
            raise ReferenceFault("missing")
        return tuple(entries[key] for key in keys)

    def walk(self, expr: core.Comp, depth: int = 0) -> Iterator[_Evaluation]:
        if depth == len(expr.clauses):
            yield self
            return
        clause = expr.clauses[depth]
        for item in elements(clause.source.type, self.value(clause.source)):
            inner = _Evaluation(self.owner, {**self.env, clause.var: item}, self.state, self.before, self.depth)
            if clause.condition is None or inner.value(clause.condition):
                yield from inner.walk(expr, depth + 1)

    def operation(self, expr: core.Op) -> Any:
        op = expr.op
        if op in ("and", "or"):
            left = self.value(expr.args[0])
            return self.value(expr.args[1]) if left is (op == "and") else left
        if op == "if":
            return self.value(expr.args[1] if self.value(expr.args[0]) else expr.args[2])
        if op == "or_else":
            found = self.value(expr.args[0])
            return self.value(expr.args[1]) if found is None else found
        args = [self.value(arg) for arg in expr.args]
        return _OPERATIONS[op](expr, [arg.type for arg in expr.args], *args)


def _bag_change(sign: int) -> Callable[..., Any]:
    def change(expr: core.Op, kinds: list[Type], bag: Any, item: Any) -> Any:
        counts = list(bag)
        kind = kinds[0]
        assert isinstance(kind, BagType)
        counts[index_of(kind.item, item)] += sign
        return checked_bag(counts)

    return change


def _set_remove(expr: core.Op, kinds: list[Type], mask: int, item: Any) -> int:
    kind = kinds[0]
    assert isinstance(kind, SetType)
    bit = 1 << index_of(kind.item, item)
    if not mask & bit:
        raise ReferenceFault("missing")
    return mask & ~bit


def _set_minus(expr: core.Op, kinds: list[Type], a: int, b: int) -> int:
    if b & ~a:
        raise ReferenceFault("missing")
    return a & ~b


def _list_get(expr: core.Op, kinds: list[Type], items: Any, position: int) -> Any:
    if not -len(items) <= position < len(items):
        raise ReferenceFault("missing")
    return items[position]


def _table(expr: core.Op, kinds: list[Type], *args: int) -> Any:
    position = 0
    for (low, count), arg in zip(expr.data.dims, args, strict=True):
        if not low <= arg < low + count:
            return expr.data.outside
        position = position * count + arg - low
    return expr.data.values[position]


def _counts(expr: core.Op, kinds: list[Type], *args: int) -> Any:
    assert isinstance(expr.type, BagType)
    counts = [0] * (size(expr.type.item) or 0)
    for position, count in zip(expr.data, args, strict=True):
        counts[position] = count
    return checked_bag(counts)


def _below(a: Any, b: Any) -> bool:
    return all(x <= y for x, y in zip(a, b, strict=True))


def _item(kind: Any) -> Type:
    return kind.item  # type: ignore[no-any-return]


_OPERATIONS: dict[str, Callable[..., Any]] = {
    "add": lambda e, k, a, b: a + b, "sub": lambda e, k, a, b: a - b, "mul": lambda e, k, a, b: a * b,
    "floordiv": lambda e, k, a, b: a // b, "mod": lambda e, k, a, b: a % b, "neg": lambda e, k, a: -a,
    "abs": lambda e, k, a: abs(a), "least": lambda e, k, *a: min(a), "greatest": lambda e, k, *a: max(a),
    "eq": lambda e, k, a, b: a == b, "ne": lambda e, k, a, b: a != b,
    "lt": lambda e, k, a, b: a < b, "le": lambda e, k, a, b: a <= b, "gt": lambda e, k, a, b: a > b, "ge": lambda e, k, a, b: a >= b,
    "not": lambda e, k, a: not a, "some": lambda e, k, a: a, "unwrap": lambda e, k, a: a, "cast": lambda e, k, a: a,
    "is_some": lambda e, k, a: a is not None, "is_none": lambda e, k, a: a is None,
    "record": lambda e, k, *a: a, "map_of": lambda e, k, *a: a, "get": lambda e, k, a: a[e.data],
    "map_get": lambda e, k, a, b: a[index_of(k[0].key, b)], "table": _table,
    "set_of": lambda e, k, *a: collected(e.type, list(a)),
    "set_add": lambda e, k, a, b: a | collected(e.type, [b]), "set_remove": _set_remove, "set_minus": _set_minus,
    "set_union": lambda e, k, a, b: a | b, "set_inter": lambda e, k, a, b: a & b, "set_diff": lambda e, k, a, b: a & ~b,
    "set_has": lambda e, k, a, b: bool(a >> index_of(_item(k[0]), b) & 1),
    "set_le": lambda e, k, a, b: not a & ~b, "set_lt": lambda e, k, a, b: not a & ~b and a != b,
    "range": lambda e, k, a, b: collected(e.type, list(range(a, b + 1))),
    "bag_of": lambda e, k, *a: collected(e.type, list(a)), "bag_counts": _counts,
    "bag_add": _bag_change(1), "bag_remove": _bag_change(-1),
    "bag_plus": lambda e, k, a, b: checked_bag([x + y for x, y in zip(a, b, strict=True)]),
    "bag_minus": lambda e, k, a, b: checked_bag([x - y for x, y in zip(a, b, strict=True)]),
    "bag_scale": lambda e, k, a, b: checked_bag([x * b for x in a]),
    "bag_count": lambda e, k, a, b: a[index_of(_item(k[0]), b)], "bag_has": lambda e, k, a, b: a[index_of(_item(k[0]), b)] > 0,
    "bag_le": lambda e, k, a, b: _below(a, b), "bag_lt": lambda e, k, a, b: _below(a, b) and a != b,
    "distinct": lambda e, k, a: sum(1 << i for i, n in enumerate(a) if n),
    "bag_from": lambda e, k, a: collected(e.type, elements(k[0], a)), "to_set": lambda e, k, a: collected(e.type, elements(k[0], a)),
    "list_of": lambda e, k, *a: collected(e.type, list(a)), "list_append": lambda e, k, a, b: collected(e.type, [*a, b]),
    "list_concat": lambda e, k, a, b: collected(e.type, [*a, *b]), "list_get": _list_get,
    "list_slice": lambda e, k, a, b, c: a[b:c], "list_top": lambda e, k, a: a[-1] if a else None,
    "list_has": lambda e, k, a, b: b in a,
    "seats_from": lambda e, k, a: tuple((a + i) % (size(k[0]) or 1) for i in range(size(k[0]) or 1)),
    "len": lambda e, k, a: len(elements(k[0], a)), "nonempty": lambda e, k, a: bool(elements(k[0], a)),
    "elements": lambda e, k, a: tuple(elements(k[0], a)),
}  # fmt: skip
