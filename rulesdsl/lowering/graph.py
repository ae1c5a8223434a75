"""What only the whole program shows: who calls whom, what reads and writes which field, what can fail.

`complete` fills in these facts and refuses flows that run in a circle.
"""

from __future__ import annotations

from collections.abc import Iterable

from attrs import evolve

from rulesdsl import core
from rulesdsl.diagnostics import Label
from rulesdsl.lowering.walk import FAILING_OPS, body_exprs, everything, statements, stored
from rulesdsl.naming.names import Names


def complete(program: core.Program, names: Names) -> core.Program:
    """The program with its derived facts. Reports circles of flows and actions."""
    program = with_recursion(program)
    program = with_failures(program)
    program = with_reads(program)
    report_circles(program, names)
    return program


# ---------------------------------------------------------------- defs


def calls_of(body: core.Body) -> frozenset[str]:
    """The defs that a body calls."""
    return frozenset(expr.name for expr in body_exprs(body) if isinstance(expr, core.Call))


def reachable(start: Iterable[str], edges: dict[str, frozenset[str]]) -> frozenset[str]:
    """All that can be reached from some names, themselves included."""
    seen: set[str] = set()
    todo = list(start)
    while todo:
        name = todo.pop()
        if name not in seen:
            seen.add(name)
            todo.extend(edges.get(name, ()))
    return frozenset(seen)


def with_recursion(program: core.Program) -> core.Program:
    edges = {d.name: calls_of(d.body) for d in program.defs}
    made = tuple(evolve(d, recursive=d.name in reachable(edges[d.name], edges)) for d in program.defs)
    return evolve(program, defs=made)


def fails_itself(expr: core.Expr) -> bool:
    """Whether evaluating an expression can be a rules error, calls of defs aside."""
    return any(
        isinstance(node, (core.Checked, core.After)) or (isinstance(node, core.Op) and node.op in FAILING_OPS)
        for node in everything(expr)
    )


def with_failures(program: core.Program) -> core.Program:
    """Marks defs that can fail, and makes guards that can fail rely on all before them."""
    edges = {d.name: calls_of(d.body) for d in program.defs}
    failing = {d.name for d in program.defs if d.recursive or any(fails_itself(expr) for expr in body_exprs(d.body))}
    fails = {d.name: bool(reachable([d.name], edges) & failing) for d in program.defs}
    defs = tuple(evolve(d, fails=fails[d.name]) for d in program.defs)

    def can_fail(expr: core.Expr) -> bool:
        return fails_itself(expr) or any(isinstance(node, core.Call) and fails[node.name] for node in everything(expr))

    actions = []
    for action in program.actions:
        prelude: list[core.Guard | core.ActionLet] = []
        guards: list[str] = []
        for item in action.prelude:
            value = item.condition if isinstance(item, core.Guard) else item.value
            if can_fail(value):
                item = evolve(item, relies=tuple(dict.fromkeys((*guards, *item.relies))))
            prelude.append(item)
            if isinstance(item, core.Guard):
                guards.append(item.name)
        actions.append(evolve(action, prelude=tuple(prelude)))
    return evolve(program, defs=defs, actions=tuple(actions))


# ---------------------------------------------------------------- fields


def fields_read(exprs: Iterable[core.Expr]) -> frozenset[str]:
    return frozenset(expr.field for expr in exprs if isinstance(expr, core.Read))


def with_reads(program: core.Program) -> core.Program:
    edges = {d.name: calls_of(d.body) for d in program.defs}
    own = {d.name: fields_read(body_exprs(d.body)) for d in program.defs}

    def through(exprs: list[core.Expr]) -> frozenset[str]:
        called = reachable((expr.name for expr in exprs if isinstance(expr, core.Call)), edges)
        return fields_read(exprs).union(*(own[name] for name in called))

    events = tuple(
        evolve(
            event,
            reads=through(list(body_exprs(event.body))),
            writes=stored(event.body),
        )
        for event in program.events
    )
    laws = [
        tuple(evolve(law, reads=through(list(everything(law.condition)))) for law in group)
        for group in (program.invariants, program.transitions)
    ]
    return evolve(program, events=events, invariants=laws[0], transitions=laws[1])


# ---------------------------------------------------------------- circles


def follow(body: core.Body) -> frozenset[str]:
    """The flows that a body calls and the actions that it offers."""
    found: set[str] = set()
    for stmt in statements(body):
        if isinstance(stmt, core.CallFlow):
            found.add(stmt.flow)
        elif isinstance(stmt, core.AskStmt):
            found.update(offer.action for offer in stmt.offers)
    return frozenset(found)


def asked(action: core.ActionInfo) -> list[core.Expr]:
    """What decides whether an action is legal: its domains, lets and guards."""
    prelude = [item.condition if isinstance(item, core.Guard) else item.value for item in action.prelude]
    return [*(chosen.domain for chosen in action.chosen), *prelude]


def report_circles(program: core.Program, names: Names) -> None:
    edges = {flow.name: follow(flow.body or ()) for flow in program.flows}
    for action in program.actions:
        edges[action.name] = follow(action.effects or ())
    spans = {flow.name: flow.span for flow in program.flows} | {action.name: action.span for action in program.actions}
    told: set[str] = set()
    for name in edges:
        circle = reachable(edges[name], edges)
        if name in circle and name not in told:
            chain = _chain(name, edges)
            told |= set(chain)
            labels = tuple(Label(spans[step], "goes on here") for step in chain[1:] if step != name)
            names.report(
                "F504", f"`{name}` leads back to itself", spans[name], " -> ".join([*chain, name]),
                "flows and actions must not run in a circle: use a loop, or a recursive def", labels=labels,
            )  # fmt: skip
    guards = {
        action.name: frozenset(
            node.action for expr in asked(action) for node in everything(expr) if isinstance(node, core.CanDo)
        )
        for action in program.actions
    }
    told = set()
    for name in guards:
        if name in reachable(guards[name], guards) and name not in told:
            chain = _chain(name, guards)
            told |= set(chain)
            names.report(
                "F504", f"the guards of `{name}` ask whether `{name}` can be done", spans[name], " -> ".join([*chain, name]),
                "a guard can ask with `can` about other actions only, and those not about this one",
                labels=tuple(Label(spans[step], "and this one asks back") for step in chain[1:]),
            )  # fmt: skip


def _chain(name: str, edges: dict[str, frozenset[str]]) -> list[str]:
    """A shortest way from a name back to itself."""
    paths = [[name]]
    seen = {name}
    while paths:
        path = paths.pop(0)
        for following in sorted(edges[path[-1]]):
            if following == name:
                return path
            if following not in seen:
                seen.add(following)
                paths.append([*path, following])
    return [name]
