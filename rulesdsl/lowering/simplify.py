"""Small improvements of single `core` expressions: what is known is decided, what asks little is asked simply."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from attrs import evolve

from rulesdsl import core
from rulesdsl.lowering.facts import Facts
from rulesdsl.lowering.rewrite import bound_names, substitute
from rulesdsl.lowering.walk import everything
from rulesdsl.types import BOOL, BagType, ListType, SetType, size


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
    if item.name in {name for part in everything(clause.condition) for name in bound_names(part)}:
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
    expr = evolve(expr, clauses=clauses, element=element)
    ones = isinstance(expr.element, core.Const) and expr.element.value == 1
    return _counted(expr) if expr.kind == "count" or (expr.kind == "sum" and ones) else expr


def _counted(expr: core.Comp) -> core.Expr:
    """How many elements of a bag are equal to something is known to the bag."""
    last, outer = expr.clauses[-1], expr.clauses[:-1]
    asked = last.condition
    if not isinstance(last.source.type, BagType) or not isinstance(asked, core.Op) or asked.op != "eq":
        return expr
    simple = isinstance(expr.element, (core.Const, core.Local))
    for var, other in (asked.args, asked.args[::-1]):
        named = isinstance(var, core.Local) and var.name == last.var
        known = isinstance(other, core.Const) or (isinstance(other, core.Local) and other.name != last.var)
        if simple and named and known and other.type == last.source.type.item:
            count = core.Op("bag_count", (last.source, other), expr.type, expr.span)
            return core.Comp("sum", count, outer, expr.type, expr.span) if outer else count
    return expr


def _fused_clause(clause: core.Clause) -> core.Clause:
    inner = clause.source
    if isinstance(inner, core.Const):
        return _of_all(clause)
    if not isinstance(inner, core.Comp) or not same_elements(inner):
        return clause
    source = inner.clauses[0]
    condition = source.condition
    if condition is not None:
        condition = substitute(condition, {source.var: core.Local(clause.var, clause.var_type, inner.span)})
        if clause.condition is not None:
            condition = core.Op("and", (condition, clause.condition), BOOL, inner.span)
    return evolve(clause, source=source.source, condition=condition or clause.condition)


def _of_all(clause: core.Clause) -> core.Clause:
    """A loop over all values of a type that are in a set is a loop over that set."""
    kind, condition = clause.source.type, clause.condition
    asked = condition.args[0] if isinstance(condition, core.Op) and condition.op == "and" else condition
    if not isinstance(kind, SetType) or not isinstance(asked, core.Op) or asked.op != "set_has":
        return clause
    group, item = asked.args
    whole = isinstance(clause.source, core.Const) and clause.source.value == (1 << (size(kind.item) or 0)) - 1
    named = isinstance(item, core.Local) and item.name == clause.var
    inside = {part.name for part in everything(group) if isinstance(part, core.Local)}
    if not whole or not named or group.type != kind or clause.var in inside:
        return clause
    rest = condition.args[1] if isinstance(condition, core.Op) and condition.op == "and" else None
    return evolve(clause, source=group, condition=rest)


def same_elements(expr: core.Comp) -> bool:
    """Whether a comprehension keeps some elements of a set, in order."""
    clause = expr.clauses[0]
    if len(expr.clauses) > 1 or expr.kind != "set" or not isinstance(clause.source.type, SetType):
        return False
    return isinstance(expr.element, core.Local) and expr.element.name == clause.var and clause.source.type == expr.type
