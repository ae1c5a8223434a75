"""Going through `core` trees: the parts of expressions and statements, the locals and fields in them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import assert_never

from rulesdsl import core

FAILING_OPS = frozenset(
    {
        "set_remove",
        "set_minus",
        "bag_of",
        "bag_counts",
        "bag_add",
        "bag_remove",
        "bag_plus",
        "bag_minus",
        "bag_scale",
        "bag_from",
        "list_append",
        "list_concat",
        "list_get",
    }
)


def children(expr: core.Expr) -> Iterator[core.Expr]:
    """The expressions directly inside an expression, from left to right."""
    if isinstance(expr, core.Read):
        yield from expr.keys
    elif isinstance(expr, (core.Op, core.Call)):
        yield from expr.args
    elif isinstance(expr, core.Comp):
        for clause in expr.clauses:
            yield clause.source
            if clause.condition is not None:
                yield clause.condition
        if expr.key is not None:
            yield expr.key
        yield expr.element
    elif isinstance(expr, core.After):
        for _, args in expr.events:
            yield from args
        yield expr.body
    elif isinstance(expr, core.CanDo):
        yield expr.who
        yield from expr.given
    elif isinstance(expr, core.Checked):
        yield expr.expr
    elif isinstance(expr, (core.LetIn, core.IfSome)):
        yield expr.value
        yield expr.body
    elif not isinstance(expr, (core.Const, core.Local)):
        assert_never(expr)


def everything(expr: core.Expr) -> Iterator[core.Expr]:
    """The expression and all inside it."""
    yield expr
    for child in children(expr):
        yield from everything(child)


def locals_of(expr: core.Expr) -> frozenset[str]:
    """The locals that an expression needs from outside."""
    found: set[str] = set()
    bound: set[str] = set()
    for node in everything(expr):
        if isinstance(node, core.Local):
            found.add(node.name)
        elif isinstance(node, core.Comp):
            bound.update(clause.var for clause in node.clauses)
        elif isinstance(node, (core.LetIn, core.IfSome)):
            bound.add(node.name)
    return frozenset(found - bound)


def bodies(stmt: core.Stmt) -> Iterator[core.Body]:
    """The blocks directly inside a statement."""
    if isinstance(stmt, core.IfStmt):
        yield stmt.then
        yield stmt.otherwise
    elif isinstance(stmt, (core.ForStmt, core.WhileStmt, core.RepeatStmt, core.StepStmt, core.TurnsStmt)):
        yield stmt.body
    elif isinstance(stmt, core.AskStmt):
        yield stmt.after
        if stmt.otherwise is not None:
            yield stmt.otherwise


def statements(body: core.Body) -> Iterator[core.Stmt]:
    """All statements of a body, at any depth, in order."""
    for stmt in body:
        yield stmt
        for inner in bodies(stmt):
            yield from statements(inner)


def exprs_of(stmt: core.Stmt) -> Iterator[core.Expr]:
    """The expressions directly in a statement, not in its blocks."""
    if isinstance(stmt, (core.Bind, core.DrawStmt)):
        yield stmt.value if isinstance(stmt, core.Bind) else stmt.source
    elif isinstance(stmt, core.Store):
        yield from stmt.keys
        yield stmt.value
    elif isinstance(stmt, (core.IfStmt, core.WhileStmt)):
        yield stmt.condition
    elif isinstance(stmt, core.ForStmt):
        yield stmt.source
        if stmt.condition is not None:
            yield stmt.condition
    elif isinstance(stmt, core.TurnsStmt):
        yield stmt.first
        if stmt.condition is not None:
            yield stmt.condition
    elif isinstance(stmt, core.RepeatStmt):
        yield stmt.count
    elif isinstance(stmt, core.ReturnStmt):
        if stmt.value is not None:
            yield stmt.value
    elif isinstance(stmt, (core.EmitStmt, core.CallFlow)):
        yield from stmt.args
    elif isinstance(stmt, core.EndStmt):
        yield from (e for e in (stmt.winners, stmt.scores) if e is not None)
    elif isinstance(stmt, core.AskStmt):
        yield stmt.who
        for offer in stmt.offers:
            yield from offer.given
    elif not isinstance(stmt, (core.StepStmt, core.BreakStmt, core.ContinueStmt)):
        assert_never(stmt)


def body_exprs(body: core.Body) -> Iterator[core.Expr]:
    """Every expression of a body with all inside it."""
    for stmt in statements(body):
        for expr in exprs_of(stmt):
            yield from everything(expr)


def stored(body: core.Body) -> frozenset[str]:
    """The fields that a body changes itself, without what its events and flows do."""
    return frozenset(stmt.field for stmt in statements(body) if isinstance(stmt, core.Store))
