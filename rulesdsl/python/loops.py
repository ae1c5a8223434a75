"""Loops in Python: what they go through, how they nest, and how a condition that does not hold leaves them.

Loops leave as soon as the answer is known. Sets are gone through by tables of their elements, bags by copies only where
copies matter.
"""

from __future__ import annotations

from collections.abc import Callable

from rulesdsl import core
from rulesdsl.diagnostics import Span
from rulesdsl.lowering.simplify import same_elements
from rulesdsl.python.at_once import whole_scan
from rulesdsl.python.cells import find_scan, head, places, searching
from rulesdsl.python.code import FALSE, OR, Py, call, index, negation, plus
from rulesdsl.python.expr import test
from rulesdsl.python.function import Fn, Leave
from rulesdsl.types import BagType, ListType, SetType, Type, size


def iterable(fn: Fn, source: core.Expr, distinct: bool) -> Py:
    """The elements of a collection, in order. `distinct`: it does not matter how often they come."""
    if isinstance(source, core.Op) and source.op == "range" and not _short_known_range(fn, source):
        lo, hi = (fn.value(arg) for arg in source.args)
        return call("range", lo, plus(hi, 1))
    known = fn.module.elements_of(fn, source, distinct)
    if known is not None:
        return known
    if isinstance(source, core.Op) and source.op == "distinct":
        return iterable(fn, source.args[0], True)
    if isinstance(source, core.Op) and source.op == "to_set" and isinstance(source.args[0].type, BagType):
        return iterable(fn, source.args[0], True)
    if (
        isinstance(source, core.Op)
        and source.op == "bag_from"
        and distinct
        and isinstance(source.args[0].type, SetType)
    ):
        return iterable(fn, source.args[0], True)
    if isinstance(source, core.Comp) and same_elements(source) and not fn.probing:
        return kept_elements(fn, source)
    value = fn.value(source)
    kind = source.type
    if isinstance(kind, SetType):
        return index(Py(fn.module.elements(kind.item)), value)
    if isinstance(kind, BagType):
        every = Py(fn.module.all_values(kind.item))
        if distinct:
            return call(fn.module.helper("compress"), every, value)
        return call(fn.module.helper("bag_items"), value, every)
    return value


def kept_elements(fn: Fn, source: core.Comp) -> Py:
    """The elements of a set that a condition keeps, in order, without making a set of them."""
    clause = source.clauses[0]
    scan = find_scan(fn, clause.var, clause.var_type, clause.source, clause.condition)
    if scan is not None and scan.rest is None:
        return places(fn, scan)
    inline = listed(fn, core.Local(clause.var, clause.var_type, source.span), clause)
    if inline is not None:
        return inline
    name = fn.temp("kept")
    fn.code.line(f"{name} = []")
    with fn.branch():
        nest_loops(fn, source.clauses, lambda: fn.code.line(f"{name}.append({fn.local(clause.var)})"), True)
    return Py(name)


def listed(fn: Fn, element: core.Expr, clause: core.Clause, copies: bool = False) -> Py | None:
    """A list comprehension of Python's, if nothing in it needs lines of its own."""
    with fn.maybe() as lines:
        scan = find_scan(fn, clause.var, clause.var_type, clause.source, clause.condition)
        source = places(fn, scan) if scan is not None else iterable(fn, clause.source, not copies)
        rest = clause.condition if scan is None else scan.rest
        before = len(lines)
        condition = "" if rest is None else f" if {test(fn, rest).at(OR)}"
        value = fn.value(element)
    if len(lines) > before:
        return None
    fn.code.paste(lines)
    return Py(f"[{value.text} for {fn.local(clause.var)} in {source.at(OR)}{condition}]")


def _short_known_range(fn: Fn, source: core.Op) -> bool:
    grid = None if fn.module.scratch else fn.module.grid(source, always=True)
    return grid is not None and not grid.names and grid.values.bit_length() <= 64


def most(kind: Type) -> int:
    """The most elements that a collection can have."""
    if isinstance(kind, SetType):
        return size(kind.item) or 0
    if isinstance(kind, ListType):
        return kind.limit
    return 255 * (size(kind.item) or 0) if isinstance(kind, BagType) else 0


def opened(fn: Fn, clause: core.Clause, distinct: bool) -> tuple[str, core.Expr | None]:
    """The head of a loop, and what is left of its condition."""
    scan = find_scan(fn, clause.var, clause.var_type, clause.source, clause.condition)
    if scan is not None:
        return head(fn, scan, fn.local(clause.var)), scan.rest
    return f"for {fn.local(clause.var)} in {iterable(fn, clause.source, distinct).text}:", clause.condition


def nest_loops(
    fn: Fn,
    clauses: tuple[core.Clause, ...],
    leaf: Callable[[], None],
    distinct: bool,
    after_inner: Callable[[], None] | None = None,
) -> None:
    """Loops in loops. `leaf` writes what is done for each element, `after_inner` what follows each inner loop."""
    head, condition = opened(fn, clauses[0], distinct)
    with fn.code.block(head):
        if len(clauses) == 1:
            when(fn, condition, leaf)
            return
        if condition is not None:
            require(fn, condition, Leave("continue", fn.code.block_id))
        nest_loops(fn, clauses[1:], leaf, distinct, after_inner)
        if after_inner is not None:
            after_inner()


def when(fn: Fn, condition: core.Expr | None, leaf: Callable[[], None]) -> None:
    """The end of a loop's body: something that is done where a condition holds."""
    if condition is None:
        leaf()
        return
    with fn.maybe() as lines:
        code = test(fn, condition)
    if lines:
        require(fn, condition, Leave("continue", fn.code.block_id))
        leaf()
    else:
        with fn.code.block(f"if {code.text}:"):
            leaf()


# ---------------------------------------------------------------- conditions that leave


def decide(fn: Fn, kind: str, expr: core.Expr, leave: Leave, span: Span, clause: str = "") -> None:
    """Goes on only if a condition of the rules holds, else leaves; counts its outcome where that is counted."""
    if fn.instrumented:
        _leave_if(fn, negation(fn.seen(kind, test(fn, expr), span, clause)), leave)
    else:
        require(fn, expr, leave)


def require(fn: Fn, expr: core.Expr, leave: Leave) -> None:
    """Goes on only if the condition holds, else leaves."""
    if isinstance(expr, core.Op) and expr.op == "and" and not fn.probing and stays(fn, expr):
        require(fn, expr.args[0], leave)
        require(fn, expr.args[1], leave)
    elif isinstance(expr, core.Op) and expr.op == "not" and stays(fn, expr):
        refuse(fn, expr.args[0], leave)
    elif isinstance(expr, core.Comp) and expr.kind == "any" and _jumps(fn, expr):
        _search(fn, expr, leave)
    elif isinstance(expr, core.Comp) and expr.kind == "all" and _jumps(fn, expr) and _can_open(fn, leave):
        _search_all(fn, expr, leave)
    else:
        _leave_if(fn, negation(test(fn, expr)), leave)


def refuse(fn: Fn, expr: core.Expr, leave: Leave) -> None:
    """Goes on only if the condition does not hold, else leaves."""
    if isinstance(expr, core.Op) and expr.op == "or" and not fn.probing and stays(fn, expr):
        refuse(fn, expr.args[0], leave)
        refuse(fn, expr.args[1], leave)
    elif isinstance(expr, core.Op) and expr.op == "not" and stays(fn, expr):
        require(fn, expr.args[0], leave)
    elif isinstance(expr, core.Comp) and expr.kind == "all" and _jumps(fn, expr):
        _search(fn, expr, leave)
    elif isinstance(expr, core.Comp) and expr.kind == "any" and _jumps(fn, expr) and _can_open(fn, leave):
        _search_all(fn, expr, leave)
    else:
        _leave_if(fn, test(fn, expr), leave)


def _leave_if(fn: Fn, condition: Py, leave: Leave) -> None:
    if condition == FALSE:
        return
    with fn.code.block(f"if {condition.text}:"):
        fn.code.line(leave.text)


def stays(fn: Fn, expr: core.Expr) -> bool:
    """Whether an expression is not better looked up as a whole."""
    return fn.probing or fn.module.scratch or (fn.module.grid(expr) is None and fn.module.coded(expr) is None)


def _jumps(fn: Fn, expr: core.Comp) -> bool:
    return len(expr.clauses) == 1 and stays(fn, expr) and not fn.probing and whole_scan(fn, expr) is None


def _can_open(fn: Fn, leave: Leave) -> bool:
    return leave.text.startswith("return") or (leave.text == "continue" and leave.block == fn.code.block_id)


def _search(fn: Fn, expr: core.Comp, leave: Leave) -> None:
    """A loop that breaks when an element decides; without one, leaves."""
    fn.preload(expr)
    head, condition = opened(fn, searching(expr)[0], True)
    with fn.branch(), fn.code.block(head):
        when(fn, condition, lambda: fn.code.line("break"))
    with fn.code.block("else:"):
        fn.code.line(leave.text)


def _search_all(fn: Fn, expr: core.Comp, leave: Leave) -> None:
    """A loop that leaves when an element decides against going on."""
    fn.preload(expr)
    returns = leave.text.startswith("return")
    head, condition = opened(fn, searching(expr)[0], True)
    with fn.branch(), fn.code.block(head):
        when(fn, condition, lambda: fn.code.line(leave.text if returns else "break"))
    if not returns:
        fn.code.open("else:")
