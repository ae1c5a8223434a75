"""Flows and effects without questions in Python: functions from a state to the state after them."""

from __future__ import annotations

from rulesdsl import core
from rulesdsl.diagnostics import Span
from rulesdsl.lowering.rewrite import binds
from rulesdsl.lowering.walk import everything, exprs_of, statements
from rulesdsl.points import CLAUSE
from rulesdsl.python.body import body
from rulesdsl.python.function import Fn, Scope, new_function
from rulesdsl.python.give import assign
from rulesdsl.python.legal import needed_lets
from rulesdsl.python.tables import Module


def flow_function(fn: Fn, head: str, stmts: core.Body, lets: list[core.ActionLet], span: Span) -> None:
    """A flow or an action's effects without questions: the state after it."""
    with fn.code.block(head):
        fn.counting = True
        fn.code.line("trace.steps += 1")
        fn.mark(CLAUSE, span)
        bind_lets(fn, lets)
        body(fn, stmts)
        if not stmts or not isinstance(stmts[-1], (core.ReturnStmt, core.EndStmt)):
            with fn.code.at(None):
                fn.code.line("return st")


def bind_lets(fn: Fn, lets: list[core.ActionLet]) -> None:
    for part in lets:
        with fn.code.at(part.span):
            fn.preload(part.value)
            assign(fn, fn.local(part.name), part.value, part.name)


def plain_flow(module: Module, info: core.FlowInfo) -> None:
    fn = new_function(module, Scope("st"), info.span)
    params = ["st", "trace", *(fn.local(param.name) for param in info.params)]
    module.code.blank(2)
    flow_function(fn, f"def flow_{info.name}({', '.join(params)}):", info.body or (), [], info.span)


def plain_effects(module: Module, info: core.ActionInfo) -> None:
    fn = new_function(module, Scope("st"), info.span)
    params = ["st", "trace", *(fn.local(name) for name in action_params(info))]
    module.code.blank(2)
    stmts = info.effects or ()
    lets = needed_lets(info, free_of(stmts))
    flow_function(fn, f"def effects_{info.name}({', '.join(params)}):", stmts, lets, info.span)


def action_params(info: core.ActionInfo) -> list[str]:
    return ["me", *(param.name for param in info.given), *(item.name for item in info.chosen)]


def free_of(stmts: core.Body) -> set[str]:
    """The locals that statements use without giving them a value."""
    every = list(statements(stmts))
    used = {
        part.name
        for stmt in every
        for expr in exprs_of(stmt)
        for part in everything(expr)
        if isinstance(part, core.Local)
    }
    return used - {name for stmt in every if (name := binds(stmt)) is not None}
