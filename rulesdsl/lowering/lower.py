"""From checked statements to machines and plans.

A flow that can be interrupted (it asks or draws, itself or through what it calls) becomes a `core.Machine`: basic blocks that
never suspend inside, between resting points. Other flows stay as they are. Each action gets a plan: nested loops over its
chosen parameters, every guard as far out as the names in it and the guards it relies on allow.
"""

from __future__ import annotations

from attrs import evolve

from rulesdsl import core
from rulesdsl.lowering.machines import machine
from rulesdsl.lowering.plans import plan
from rulesdsl.lowering.walk import exprs_of, locals_of, statements


def lower(program: core.Program) -> core.Program:
    """The program with machines for what can be interrupted and plans for all actions."""
    suspending = suspending_names(program)
    flows = tuple(
        evolve(
            flow, machine=machine(flow.body or (), tuple(p.name for p in flow.params), suspending, flow.name), body=None
        )
        if flow.name in suspending
        else flow
        for flow in program.flows
    )
    actions = []
    for action in program.actions:
        made = evolve(action, plan=plan(action))
        if action.name in suspending:
            params = ("me", *(p.name for p in action.given), *(c.name for c in action.chosen))
            made = evolve(
                made,
                machine=machine(lets(action) + (action.effects or ()), params, suspending, action.name),
                effects=None,
            )
        else:
            made = evolve(made, effects=lets(action) + (action.effects or ()))
        actions.append(made)
    return evolve(program, flows=flows, actions=tuple(actions))


def lets(action: core.ActionInfo) -> core.Body:
    """The lets of an action's prelude that its effects need, as statements."""
    needed: set[str] = set()
    for stmt in statements(action.effects or ()):
        for expr in exprs_of(stmt):
            needed |= locals_of(expr)
    made: list[core.Stmt] = []
    for item in reversed(action.prelude):
        if isinstance(item, core.ActionLet) and item.name in needed:
            needed |= locals_of(item.value)
            made.insert(0, core.Bind(item.name, item.value, item.span))
    return tuple(made)


def suspending_names(program: core.Program) -> frozenset[str]:
    """The flows and actions that ask or draw, themselves or through what they call; and those with `turns`, which is made of blocks."""
    direct: set[str] = set()
    calls: dict[str, set[str]] = {}
    for name, body in [(f.name, f.body or ()) for f in program.flows] + [
        (a.name, a.effects or ()) for a in program.actions
    ]:
        calls[name] = set()
        for stmt in statements(body):
            if isinstance(stmt, (core.AskStmt, core.DrawStmt, core.TurnsStmt)):
                direct.add(name)
            elif isinstance(stmt, core.CallFlow):
                calls[name].add(stmt.flow)
    grown = True
    while grown:
        more = {name for name, called in calls.items() if called & direct} - direct
        direct |= more
        grown = bool(more)
    return frozenset(direct)
