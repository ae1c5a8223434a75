"""Comprehensions without a loop of ours: what is asked of all cells of a field at once, or of all counts of a bag."""

from __future__ import annotations

from rulesdsl import core
from rulesdsl.python.cells import Scan, exists, find_scan, mask, number, position, searching
from rulesdsl.python.code import NOT, TERNARY, Py, negation
from rulesdsl.python.function import Fn
from rulesdsl.python.tables import literal, words_of
from rulesdsl.types import BagType, IntType, ListType


def whole_scan(fn: Fn, expr: core.Comp) -> Scan | None:
    """For a comprehension that only asks about one property of all cells of a field."""
    if len(expr.clauses) > 1 or expr.kind not in ("any", "all", "count", "set"):
        return None
    clause = (searching(expr) if expr.kind in ("any", "all") else expr.clauses)[0]
    scan = find_scan(fn, clause.var, clause.var_type, clause.source, clause.condition)
    if scan is None or scan.rest is not None or scan.tested is None:
        return None
    if expr.kind == "set" and (
        scan.bounded or not (expr.type == clause.source.type and is_var(expr.element, clause.var))
    ):
        return None
    return None if expr.kind == "count" and fn.module.facts.fails(expr.element) else scan


def is_var(expr: core.Expr, var: str) -> bool:
    return isinstance(expr, core.Local) and expr.name == var


def at_once(fn: Fn, expr: core.Comp) -> Py | None:
    """The value without any loop, from all cells of a field at once."""
    place = place_at_once(fn, expr)
    if place is not None:
        held = fn.held(place, "place")
        return Py(f"None if {held.text} < 0 else {held.text}", TERNARY)
    scan = whole_scan(fn, expr)
    if scan is None or scan.tested is None:
        return bag_sum(fn, expr) or plain_fold(fn, expr)
    if expr.kind == "count":
        return number(fn, scan, scan.tested)
    if expr.kind == "set":
        return mask(fn, scan.tested)
    found = exists(fn, scan, scan.tested)
    if expr.kind == "any":
        return found
    return negation(found) if found.opposite else Py(f"not {found.text}", NOT)


def place_at_once(fn: Fn, expr: core.Expr) -> Py | None:
    """The first, least or last place with a property of one cell, -1 if there is none."""
    if not isinstance(expr, core.Comp) or expr.kind not in ("first", "min", "max") or len(expr.clauses) > 1:
        return None
    clause = expr.clauses[0]
    if not is_var(expr.element, clause.var):
        return None
    scan = find_scan(fn, clause.var, clause.var_type, clause.source, clause.condition)
    if scan is None or scan.rest is not None or scan.tested is None:
        return None
    return position(fn, scan, scan.tested, last=expr.kind == "max")


def bag_sum(fn: Fn, expr: core.Comp) -> Py | None:
    """The sum of something known about each element of a bag: counts times values."""
    clause = expr.clauses[0]
    if expr.kind != "sum" or len(expr.clauses) > 1 or clause.condition is not None or fn.module.scratch or fn.probing:
        return None
    kind = clause.source.type
    grid = fn.module.grid(expr.element, always=True)
    if not isinstance(kind, BagType) or (grid is not None and grid.names not in ((clause.var,), ())):
        return None
    source = clause.source
    if isinstance(source, core.Op) and source.op in ("distinct", "bag_from"):
        return None
    if is_var(expr.element, clause.var) and isinstance(kind.item, IntType):
        values = fn.module.all_values(kind.item)
    elif grid is not None and grid.names == (clause.var,):
        values = fn.module.constant(words_of(expr.element.span.text), literal(grid.values), expr.element.span.text)
    else:
        return None
    bag = fn.value(source)
    return Py(f"sum(map({fn.module.helper('mul')}, {values}, {bag.text}))")


def plain_fold(fn: Fn, expr: core.Comp) -> Py | None:
    """sum, min or max of the elements of a list as they are."""
    clause = expr.clauses[0]
    plain = len(expr.clauses) == 1 and clause.condition is None and is_var(expr.element, clause.var)
    if not plain or expr.kind not in ("sum", "min", "max") or not isinstance(clause.source.type, ListType):
        return None
    items = fn.value(clause.source)
    return Py(f"sum({items.text})" if expr.kind == "sum" else f"{expr.kind}({items.text}, default=None)")
