"""Improves a program in ways that do not change what it means, before a back end sees it.

Small defs are put in place of their calls (a call costs Python as much as several lookups, and what is inlined can be worked
out before play), loops over comprehensions become one loop, conditions that are known are dropped. Nothing that may be a
rules error is moved, dropped, or evaluated more or less often in a way that shows.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

from attrs import define, evolve, field

from rulesdsl import core
from rulesdsl.facts import (
    Facts,
    bound_names,
    expressions,
    mapped,
    parts,
    rebuilt,
    statements,
    substitute,
    walk,
    with_new_names,
)
from rulesdsl.types import BOOL, ListType, SetType, size

SMALL = 14
SMALL_LOOP = 9
SINGLE_USE = 40


def optimise(program: core.Program) -> core.Program:
    """The same program, quicker."""
    facts = Facts(program)
    inliner = Inliner(facts, uses=uses(program))
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
            inside = {name for part in walk(expr.body) for name in bound_names(part)}
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
        if any(isinstance(part, core.After) for part in walk(expr)):
            return False
        loops = any(isinstance(part, core.Comp) for part in walk(expr))
        limit = SINGLE_USE if self.uses[name] == 1 else SMALL_LOOP if loops else SMALL
        return self.facts.weight(expr) <= limit

    # ------------------------------------------------------------ everything else

    def optional(self, body: core.Body | None) -> core.Body | None:
        return None if body is None else self.body(body)

    def body(self, body: core.Body) -> core.Body:
        return tuple(made for stmt in body for made in self.reached(self.statement(stmt)))

    def reached(self, stmt: core.Stmt) -> core.Body:
        """What is left of a statement whose condition is known."""
        if isinstance(stmt, core.IfStmt) and isinstance(stmt.condition, core.Const):
            return stmt.then if stmt.condition.value else stmt.otherwise
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
                uses = [expr for later in statements(tuple(rest)) for expr in expressions(later)]
                if all(only_looked_at(expr, stmt.name) for expr in uses):
                    value, name = stmt.value, stmt.name
                    rest = [
                        mapped(later, lambda e, n=name, v=value: self.again(substitute(e, {n: v}))) for later in rest
                    ]  # type: ignore[misc]
                    continue
            made.append(stmt)
        return tuple(made)

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
        return core.Machine(tuple(evolve(b, body=self.body(b.body), end=self.end(b.end)) for b in machine.blocks))

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
    inner = sum(_uses(part, name) for part in parts(expr))
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
    if isinstance(expr, core.After) and any(_is_local(part, name) for part in walk(expr.body)):
        return False  # there it is another state
    return all(only_looked_at(part, name) for part in parts(expr))


def _is_local(expr: core.Expr, name: str) -> bool:
    return isinstance(expr, core.Local) and expr.name == name


def uses(program: core.Program) -> Counter[str]:
    """How often each def is called in the program's text."""
    return Counter(
        part.name for expr in every_expression(program) for part in walk(expr) if isinstance(part, core.Call)
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
                yield from expressions(stmt)
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


# ---------------------------------------------------------------- small improvements


def simplified(facts: Facts, expr: core.Expr) -> core.Expr:
    """The same operation, simpler where its arguments are known."""
    if isinstance(expr, core.Op) and expr.op in _SIMPLER:
        return _SIMPLER[expr.op](facts, expr)
    return expr


def _known(expr: core.Expr) -> Any:
    return expr.value if isinstance(expr, core.Const) else None


def _and(facts: Facts, expr: core.Op) -> core.Expr:
    left, right = expr.args
    if _known(left) is True:
        return right
    if _known(right) is True or _known(left) is False:
        return left
    if _known(right) is False and not facts.fails(left):
        return right
    return expr


def _or(facts: Facts, expr: core.Op) -> core.Expr:
    left, right = expr.args
    if _known(left) is False:
        return right
    if _known(right) is False or _known(left) is True:
        return left
    if _known(right) is True and not facts.fails(left):
        return right
    return expr


def _not(facts: Facts, expr: core.Op) -> core.Expr:
    inner = expr.args[0]
    if isinstance(inner, core.Const):
        return core.Const(not inner.value, BOOL, expr.span)
    return inner.args[0] if isinstance(inner, core.Op) and inner.op == "not" else expr


def _if(facts: Facts, expr: core.Op) -> core.Expr:
    known = _known(expr.args[0])
    if known is not None:
        return expr.args[1] if known else expr.args[2]
    then, otherwise = _known(expr.args[1]), _known(expr.args[2])
    if then is True and otherwise is False:
        return expr.args[0]
    if then is False and otherwise is True:
        return _not(facts, core.Op("not", (expr.args[0],), BOOL, expr.span))
    return expr


def _length(empty: Callable[[str, int], bool | None]) -> Callable[[Facts, core.Op], core.Expr]:
    """A comparison of `len` with a number that only asks whether there is something."""

    def change(facts: Facts, expr: core.Op) -> core.Expr:
        left, right = expr.args
        if isinstance(left, core.Op) and left.op == "len" and isinstance(right, core.Const):
            found = empty(expr.op, right.value)
            if found is not None:
                some = _nonempty(facts, core.Op("nonempty", left.args, BOOL, expr.span))
                return some if found else core.Op("not", (some,), BOOL, expr.span)
        return expr

    return change


def _asks_for_some(op: str, number: int) -> bool | None:
    if (op, number) in (("gt", 0), ("ne", 0), ("ge", 1)):
        return True
    return False if (op, number) in (("le", 0), ("eq", 0), ("lt", 1)) else None


def _has(facts: Facts, expr: core.Op) -> core.Expr:
    """Membership in what is made from another collection is asked of that one."""
    group, item = expr.args
    if isinstance(group, core.Op) and group.op == "distinct":
        return core.Op("bag_has", (group.args[0], item), BOOL, expr.span)
    if isinstance(group, core.Op) and group.op == "to_set" and isinstance(group.args[0].type, ListType):
        return core.Op("list_has", (group.args[0], item), BOOL, expr.span)
    if isinstance(group, core.Const) and isinstance(group.type, SetType) and item.type == group.type.item:
        count = size(item.type)
        if count is not None and group.value == (1 << count) - 1 and not facts.fails(item):
            return core.Const(True, BOOL, expr.span)
    if (
        isinstance(group, core.Comp)
        and same_elements(group)
        and not facts.fails(group)
        and isinstance(item, core.Local)
    ):
        return _has_kept(facts, expr, group, item)
    return expr


def _has_kept(facts: Facts, expr: core.Op, group: core.Comp, item: core.Local) -> core.Expr:
    """`x in {y for y in S if C(y)}` is `x in S and C(x)`."""
    clause = group.clauses[0]
    inside = _has(facts, core.Op("set_has", (clause.source, item), BOOL, expr.span))
    if clause.condition is None:
        return inside
    if item.name in {name for part in walk(clause.condition) for name in bound_names(part)}:
        return expr
    kept = substitute(clause.condition, {clause.var: item})
    return _and(facts, core.Op("and", (inside, kept), BOOL, expr.span))


def _nonempty(facts: Facts, expr: core.Op) -> core.Expr:
    """Whether a comprehension has an element is asked without collecting them."""
    group = expr.args[0]
    if isinstance(group, core.Comp) and group.kind == "set" and not facts.fails(group.element):
        return core.Comp("any", core.Const(True, BOOL, group.span), group.clauses, BOOL, group.span)
    if isinstance(group, core.Op) and group.op == "distinct":
        return core.Op("nonempty", group.args, BOOL, expr.span)
    return expr


def _len(facts: Facts, expr: core.Op) -> core.Expr:
    group = expr.args[0]
    if isinstance(group, core.Comp) and same_elements(group):
        return core.Comp("count", group.element, group.clauses, expr.type, expr.span)
    return expr


def _one_more(facts: Facts, expr: core.Op) -> core.Expr:
    """A collection of one element is added or taken away as an element."""
    group, other = expr.args
    name = {"bag_plus": "bag_add", "bag_minus": "bag_remove", "set_minus": "set_remove", "set_union": "set_add"}[
        expr.op
    ]
    if not isinstance(other, core.Op) or other.op not in ("bag_of", "set_of") or len(other.args) != 1:
        return expr
    return core.Op(name, (group, other.args[0]), expr.type, expr.span)


_SIMPLER: dict[str, Callable[[Facts, core.Op], core.Expr]] = {
    "and": _and,
    "or": _or,
    "not": _not,
    "if": _if,
    "set_has": _has,
    "nonempty": _nonempty,
    "len": _len,
    **dict.fromkeys(("bag_plus", "bag_minus", "set_minus", "set_union"), _one_more),
    **dict.fromkeys(("gt", "ne", "ge", "le", "eq", "lt"), _length(_asks_for_some)),
}


def fused(expr: core.Comp) -> core.Expr:
    """A loop over `{x for x in S if C}` is a loop over S; `any(any(...))` is one loop in another."""
    clauses = tuple(_fused_clause(clause) for clause in expr.clauses)
    element = expr.element
    if expr.kind in ("any", "all") and isinstance(element, core.Comp) and element.kind == expr.kind:
        clauses, element = (*clauses, *element.clauses), element.element
    return evolve(expr, clauses=clauses, element=element)


def _fused_clause(clause: core.Clause) -> core.Clause:
    inner = clause.source
    if not isinstance(inner, core.Comp) or not same_elements(inner):
        return clause
    source = inner.clauses[0]
    condition = source.condition
    if condition is not None:
        condition = substitute(condition, {source.var: core.Local(clause.var, clause.var_type, inner.span)})
        if clause.condition is not None:
            condition = core.Op("and", (condition, clause.condition), BOOL, inner.span)
    return evolve(clause, source=source.source, condition=condition or clause.condition)


def same_elements(expr: core.Comp) -> bool:
    """Whether a comprehension keeps some elements of a set, in order."""
    clause = expr.clauses[0]
    if len(expr.clauses) > 1 or expr.kind != "set" or not isinstance(clause.source.type, SetType):
        return False
    return isinstance(expr.element, core.Local) and expr.element.name == clause.var and clause.source.type == expr.type
