"""Changing `core` trees: other parts, other names, other expressions in place of locals."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from attrs import evolve

from rulesdsl import core
from rulesdsl.lowering.walk import children


def rebuilt(expr: core.Expr, change: Callable[[core.Expr], core.Expr]) -> core.Expr:
    """The same expression with its direct parts changed."""
    new = tuple(change(part) for part in children(expr))
    if all(a is b for a, b in zip(new, children(expr), strict=True)):
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


def outer_reads(expr: core.Expr) -> Iterator[core.Read]:
    """The reads of the state in an expression, without those that are keys of others."""
    if isinstance(expr, core.Read):
        yield expr
        return
    for part in children(expr):
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
    inner = tuple(shape(part) for part in children(expr))
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
