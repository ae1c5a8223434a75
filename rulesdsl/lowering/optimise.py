"""Improves a program in ways that do not change what it means, before a back end sees it.

Small defs are put in place of their calls (a call costs Python as much as several lookups, and what is inlined can be
worked out before play), loops over comprehensions become one loop, conditions that are known are dropped. Nothing
that may be a rules error is moved, dropped, or evaluated more or less often in a way that shows. In an instrumented
program calls stay calls, and steps are marked where they begin.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from attrs import define, evolve, field

from rulesdsl import core
from rulesdsl.lowering.facts import Facts
from rulesdsl.lowering.rewrite import bound_names, mapped, rebuilt, substitute, with_new_names
from rulesdsl.lowering.simplify import fused, simplified
from rulesdsl.lowering.walk import children, everything, exprs_of, statements

SMALL = 14
SMALL_LOOP = 9
SINGLE_USE = 40


def optimise(program: core.Program, instrumented: bool = False) -> core.Program:
    """The same program, quicker."""
    facts = Facts(program)
    inliner = Inliner(facts, uses=uses(program), instrumented=instrumented)
    defs = tuple(evolve(info, body=inliner.pure_body(info.body)) for info in program.defs)
    return evolve(
        program,
        defs=defs,
        events=tuple(evolve(info, body=inliner.body(info.body)) for info in program.events),
        actions=tuple(_action(inliner, info) for info in program.actions),
        flows=tuple(
            evolve(info, body=inliner.optional(info.body), machine=inliner.machine(info.machine))
            for info in program.flows
        ),
        measures=tuple(evolve(info, value=inliner.expr(info.value)) for info in program.measures),
        invariants=tuple(evolve(info, condition=inliner.expr(info.condition)) for info in program.invariants),
        transitions=tuple(evolve(info, condition=inliner.expr(info.condition)) for info in program.transitions),
    )


def _action(inliner: Inliner, info: core.ActionInfo) -> core.ActionInfo:
    return evolve(
        info,
        chosen=tuple(evolve(item, domain=inliner.expr(item.domain)) for item in info.chosen),
        prelude=tuple(inliner.prelude(item) for item in info.prelude),
        plan=tuple(inliner.plan(node) for node in info.plan),
        effects=inliner.optional(info.effects),
        machine=inliner.machine(info.machine),
    )


@define
class Inliner:
    """Improves every expression of a program."""

    facts: Facts
    fresh: int = 0
    instrumented: bool = False
    uses: Counter[str] = field(factory=Counter)
    forms: dict[str, core.Expr | None] = field(factory=dict)

    # ------------------------------------------------------------ expressions

    def expr(self, expr: core.Expr) -> core.Expr:
        """An expression and everything in it, improved."""
        changed = simplified(self.facts, rebuilt(expr, self.expr))
        if isinstance(changed, core.Call):
            return self.call(changed)
        if isinstance(changed, core.LetIn):
            return self.let(changed)
        return fused(changed) if isinstance(changed, core.Comp) else changed

    def call(self, expr: core.Call) -> core.Expr:
        """The def's value in place of its call, where it is small."""
        form = self.form(expr.name)
        if form is None:
            return expr
        self.fresh += 1
        suffix = f"_{self.fresh}"
        body = with_new_names(form, lambda name: name + suffix)
        names: dict[str, core.Expr] = {}
        lets: list[tuple[str, core.Expr]] = []
        for param, arg in zip(self.facts.defs[expr.name].params, expr.args, strict=True):
            if isinstance(arg, (core.Const, core.Local)) or (self._cheap(arg) and _uses(body, param.name) <= 1):
                names[param.name] = arg
            else:
                names[param.name] = core.Local(param.name + suffix, param.type, arg.span)
                lets.append((param.name + suffix, arg))
        made = substitute(body, names)
        for name, value in reversed(lets):
            made = core.LetIn(name, value, made, made.type, expr.span)
        return self.again(made)

    def _cheap(self, expr: core.Expr) -> bool:
        """Whether it may stand where it is used, instead of being named first."""
        return not self.facts.fails(expr) and self.facts.weight(expr) <= 1

    def let(self, expr: core.LetIn) -> core.Expr:
        """A name for a cell that is only looked at is not needed."""
        if self.names_a_cell(expr.value, set()) and only_looked_at(expr.body, expr.name):
            inside = {name for part in everything(expr.body) for name in bound_names(part)}
            if not inside & set(self.facts.free(expr.value)):
                return self.again(substitute(expr.body, {expr.name: expr.value}))
        return expr

    def again(self, expr: core.Expr) -> core.Expr:
        """Once more over what has been put together: known arguments decide conditions."""
        changed = simplified(self.facts, rebuilt(expr, self.again))
        if isinstance(changed, core.LetIn):
            return self.let(changed)
        return fused(changed) if isinstance(changed, core.Comp) else changed

    def form(self, name: str) -> core.Expr | None:
        """The value of a def as one expression, if it is to be inlined; already improved."""
        if name not in self.forms:
            self.forms[name] = None
            info = self.facts.defs[name]
            if not info.recursive and not self.facts.def_fails[name]:
                found = as_expression(info.body, info.result)
                if found is not None:
                    found = self.expr(found)
                    self.forms[name] = found if self.small(name, found) else None
        return self.forms[name]

    def small(self, name: str, expr: core.Expr) -> bool:
        """Whether the code of a def is better repeated than called."""
        if self.instrumented or any(isinstance(part, core.After) for part in everything(expr)):
            return isinstance(expr, core.Const)
        loops = any(isinstance(part, core.Comp) for part in everything(expr))
        limit = SINGLE_USE if self.uses[name] == 1 else SMALL_LOOP if loops else SMALL
        return self.facts.weight(expr) <= limit

    # ------------------------------------------------------------ everything else

    def optional(self, body: core.Body | None) -> core.Body | None:
        return None if body is None else self.body(body)

    def body(self, body: core.Body) -> core.Body:
        return tuple(made for stmt in body for made in self.reached(self.statement(stmt)))

    def reached(self, stmt: core.Stmt) -> core.Body:
        """What is left of a statement whose condition is known, and of the mark of a step."""
        if isinstance(stmt, core.IfStmt) and isinstance(stmt.condition, core.Const):
            return stmt.then if stmt.condition.value else stmt.otherwise
        if isinstance(stmt, core.StepStmt) and not stmt.body and not self.instrumented:
            return ()
        return (stmt,)

    def statement(self, stmt: core.Stmt) -> core.Stmt:
        """A statement with its expressions improved, without inner branches that are never taken."""
        return self.inner(mapped(stmt, self.expr))

    def inner(self, stmt: Any) -> core.Stmt:
        for name in ("then", "otherwise", "body"):
            if hasattr(stmt, name):
                reached = tuple(made for part in getattr(stmt, name) for made in self.reached(self.inner(part)))
                stmt = evolve(stmt, **{name: reached})
        return stmt  # type: ignore[no-any-return]

    def pure_body(self, body: core.Body) -> core.Body:
        """The body of a def: lets that only name a cell of the state are put where they are used."""
        assigned = {stmt.name for stmt in statements(body) if isinstance(stmt, core.Bind) and not stmt.declares}
        return self._without_cell_lets(self.body(body), assigned)

    def _without_cell_lets(self, body: core.Body, assigned: set[str]) -> core.Body:
        made: list[core.Stmt] = []
        rest = list(body)
        while rest:
            stmt: Any = rest.pop(0)
            for name in ("then", "otherwise", "body"):
                if hasattr(stmt, name):
                    stmt = evolve(stmt, **{name: self._without_cell_lets(getattr(stmt, name), assigned)})
            if isinstance(stmt, core.Bind) and stmt.name not in assigned and self.names_a_cell(stmt.value, assigned):
                uses = [expr for later in statements(tuple(rest)) for expr in exprs_of(later)]
                if all(only_looked_at(expr, stmt.name) for expr in uses):
                    value, name = stmt.value, stmt.name
                    rest = [self._put_in(later, name, value) for later in rest]
                    continue
            made.append(stmt)
        return tuple(made)

    def _put_in(self, stmt: core.Stmt, name: str, value: core.Expr) -> core.Stmt:
        """The statement with a value in the place of a name."""
        return mapped(stmt, lambda expr: self.again(substitute(expr, {name: value})))

    def names_a_cell(self, expr: core.Expr, assigned: set[str]) -> bool:
        """Whether it reads one packed cell, at places that have names."""
        if not isinstance(expr, core.Read) or expr.field not in self.facts.positions:
            return False
        info = self.facts.program.field(expr.field)
        if not info.packed or len(expr.keys) < len(info.keys):
            return False
        return all(
            isinstance(key, (core.Const, core.Local)) and getattr(key, "name", "") not in assigned for key in expr.keys
        )

    def machine(self, machine: core.Machine | None) -> core.Machine | None:
        if machine is None:
            return None
        return core.Machine(
            tuple(evolve(b, body=self.block(b.body), end=self.end(b.end)) for b in machine.blocks)
        )

    def block(self, body: core.Body) -> core.Body:
        """The body of a block. It does not become empty, so that blocks are passed over alike in instrumented programs, and
        both have the same frames."""
        made = self.body(body)
        return made if made or not body else (core.StepStmt("", (), body[0].span),)

    def end(self, end: core.Terminator) -> core.Terminator:
        if isinstance(end, core.Branch):
            return evolve(end, condition=self.expr(end.condition))
        if isinstance(end, core.CallMachine):
            return evolve(end, args=tuple(self.expr(arg) for arg in end.args))
        if isinstance(end, core.Question):
            offers = tuple(evolve(offer, given=tuple(self.expr(arg) for arg in offer.given)) for offer in end.offers)
            return evolve(end, who=self.expr(end.who), offers=offers)
        return evolve(end, source=self.expr(end.source)) if isinstance(end, core.Chance) else end

    def prelude(self, item: core.Guard | core.ActionLet) -> core.Guard | core.ActionLet:
        if isinstance(item, core.Guard):
            return evolve(item, condition=self.expr(item.condition))
        return evolve(item, value=self.expr(item.value))

    def plan(self, node: core.PlanNode) -> core.PlanNode:
        if isinstance(node, (core.PlanLoop, core.PlanFilter)):
            return evolve(node, domain=self.expr(node.domain), body=tuple(self.plan(inner) for inner in node.body))
        if isinstance(node, core.PlanBind):
            return evolve(node, value=self.expr(node.value))
        return evolve(node, condition=self.expr(node.condition)) if isinstance(node, core.PlanGuard) else node


def _uses(expr: core.Expr, name: str) -> int:
    """How often a local is evaluated; inside a comprehension more than once."""
    if isinstance(expr, core.Local):
        return int(expr.name == name)
    inner = sum(_uses(part, name) for part in children(expr))
    return 2 * inner if isinstance(expr, core.Comp) else inner


_LOOKS = frozenset(["is_some", "is_none", "get", "unwrap", "eq", "ne", "table"])


def only_looked_at(expr: core.Expr, name: str) -> bool:
    """Whether a local is only asked for parts, or compared: then the cell itself serves as well."""
    if isinstance(expr, core.Local):
        return expr.name != name
    if isinstance(expr, core.Op) and expr.op in _LOOKS:
        return all(_is_local(part, name) or only_looked_at(part, name) for part in expr.args)
    if isinstance(expr, core.IfSome) and _is_local(expr.value, name):
        return only_looked_at(expr.body, name)
    if isinstance(expr, core.After) and any(_is_local(part, name) for part in everything(expr.body)):
        return False  # there it is another state
    return all(only_looked_at(part, name) for part in children(expr))


def _is_local(expr: core.Expr, name: str) -> bool:
    return isinstance(expr, core.Local) and expr.name == name


def uses(program: core.Program) -> Counter[str]:
    """How often each def is called in the program's text."""
    return Counter(
        part.name for expr in every_expression(program) for part in everything(expr) if isinstance(part, core.Call)
    )


def every_expression(program: core.Program) -> Iterator[core.Expr]:
    """The expressions that back ends make code from."""
    groups: list[Any] = [*program.defs, *program.events, *program.flows, *program.actions]
    for item in groups:
        machine = getattr(item, "machine", None)
        bodies = [getattr(item, "body", None) or getattr(item, "effects", None) or ()]
        for block in machine.blocks if machine is not None else ():
            bodies.append(block.body)
            yield from end_expressions(block.end)
        for body in bodies:
            for stmt in statements(body):
                yield from exprs_of(stmt)
    for action in program.actions:
        yield from (item.domain for item in action.chosen)
        yield from (item.condition if isinstance(item, core.Guard) else item.value for item in action.prelude)
    yield from (info.value for info in program.measures)
    yield from (law.condition for law in (*program.invariants, *program.transitions))


def end_expressions(end: core.Terminator) -> tuple[core.Expr, ...]:
    """The expressions in the end of a block."""
    if isinstance(end, core.Branch):
        return (end.condition,)
    if isinstance(end, core.CallMachine):
        return end.args
    if isinstance(end, core.Question):
        return (end.who, *(arg for offer in end.offers for arg in offer.given))
    return (end.source,) if isinstance(end, core.Chance) else ()


def as_expression(body: core.Body, result: Any) -> core.Expr | None:
    """What a body of lets, ifs and returns gives, as one expression; None for other bodies."""
    if not body:
        return None
    first, rest = body[0], body[1:]
    if isinstance(first, core.ReturnStmt):
        return first.value
    if isinstance(first, core.Bind) and first.declares:
        inner = as_expression(rest, result)
        return None if inner is None else core.LetIn(first.name, first.value, inner, inner.type, first.span)
    if isinstance(first, core.IfStmt):
        then, otherwise = as_expression(first.then, result), as_expression(first.otherwise or rest, result)
        if then is not None and otherwise is not None and (not first.otherwise or not rest):
            return core.Op("if", (first.condition, then, otherwise), result, first.span)
    return None
