"""Comprehensions and loops in Python: what a loop goes through, and what a comprehension makes of it.

Loops leave as soon as the answer is known. Sets are gone through by tables of their elements, bags by copies only where
copies matter.
"""

from __future__ import annotations

from collections.abc import Callable

from attrs import evolve

from rulesdsl import core
from rulesdsl.facts import item_of
from rulesdsl.optimise import same_elements
from rulesdsl.python_cells import Scan, conjuncts, exists, find_scan, mask, number, opposite, places, position, together
from rulesdsl.python_cells import head as cell_head
from rulesdsl.python_code import NOT, OR, TERNARY, Py, call, index, negation, plus
from rulesdsl.python_expr import require, test
from rulesdsl.python_function import VALUE, Fn, Leave
from rulesdsl.python_state import code_of
from rulesdsl.python_tables import literal, words_of
from rulesdsl.types import BagType, IntType, ListType, MapType, SetType, Type, size

# ---------------------------------------------------------------- what a loop goes through


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
        return cell_head(fn, scan, fn.local(clause.var)), scan.rest
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


def searching(expr: core.Comp) -> tuple[core.Clause, ...]:
    """The clauses of any or all, such that what they find decides."""
    last = expr.clauses[-1]
    wanted = expr.element if expr.kind == "any" else opposite(expr.element)
    condition = together([*conjuncts(last.condition), *conjuncts(wanted)])
    return (*expr.clauses[:-1], evolve(last, condition=condition))


# ---------------------------------------------------------------- comprehensions


def _comp(fn: Fn, expr: core.Comp) -> Py:
    return comprehend(fn, expr, "")


VALUE[core.Comp] = _comp


def comprehend(fn: Fn, expr: core.Comp, target: str) -> Py:
    """The value of a comprehension, worked out in the variable `target` or a new one."""
    simple = at_once(fn, expr) or _inline(fn, expr)
    if simple is not None:
        return simple
    maker = _MAKERS[expr.kind]
    result = target or fn.temp(_NAMES.get(expr.kind, "found"))
    probing = fn.probing
    with fn.code.at(expr.span), fn.branch(), fn.quiet():
        code = maker(fn, expr, result)
    if probing and expr.kind in ("any", "all", "first"):
        _note_decider(fn, expr, result)
    return code


_NAMES = {
    "sum": "total",
    "count": "number",
    "min": "least",
    "max": "most",
    "set": "mask",
    "list": "items",
    "bag": "counts",
}


def _note_decider(fn: Fn, expr: core.Comp, result: str) -> None:
    """When probing: the element by which the answer was found."""
    decided = {"any": result, "all": f"not {result}", "first": f"{result} is not None"}[expr.kind]
    with fn.code.block(f"if {decided}:"):
        for clause in expr.clauses:
            held = Py(fn.local(clause.var))
            span, kind = fn.module.object("SPAN", expr.span), fn.module.object("TYPE", clause.var_type)
            fn.code.line(f"probes.append(({span}, {held.text}, {kind}))")


def _search(fn: Fn, expr: core.Comp, result: str) -> Py:
    """any and all."""
    wanted = expr.kind == "any"
    fn.code.line(f"{result} = {not wanted}")

    def leaf() -> None:
        fn.code.line(f"{result} = {wanted}")
        fn.code.line("break")

    nest_loops(fn, searching(expr), leaf, True, lambda: _stop(fn, result if wanted else f"not {result}"))
    return Py(result)


def _stop(fn: Fn, condition: str) -> None:
    with fn.code.block(f"if {condition}:"):
        fn.code.line("break")


def _first(fn: Fn, expr: core.Comp, result: str) -> Py:
    fn.code.line(f"{result} = None")

    def leaf() -> None:
        fn.code.line(f"{result} = {fn.value(expr.element).text}")
        fn.code.line("break")

    nest_loops(fn, expr.clauses, leaf, True, lambda: _stop(fn, f"{result} is not None"))
    return Py(result)


def _sum(fn: Fn, expr: core.Comp, result: str) -> Py:
    fn.code.line(f"{result} = 0")

    def leaf() -> None:
        if expr.kind == "sum":
            fn.code.line(f"{result} += {fn.value(expr.element).text}")
        else:
            if fn.module.facts.fails(expr.element):
                fn.value(expr.element)
            fn.code.line(f"{result} += 1")

    nest_loops(fn, expr.clauses, leaf, False)
    return Py(result)


def _extreme(fn: Fn, expr: core.Comp, result: str) -> Py:
    """min and max."""
    fn.code.line(f"{result} = None")
    operator = "<" if expr.kind == "min" else ">"

    def leaf() -> None:
        value = fn.held(fn.value(expr.element))
        with fn.code.block(f"if {result} is None or {value.text} {operator} {result}:"):
            fn.code.line(f"{result} = {value.text}")

    nest_loops(fn, expr.clauses, leaf, True)
    return Py(result)


def _set(fn: Fn, expr: core.Comp, result: str) -> Py:
    fn.code.line(f"{result} = 0")
    kind = item_of(expr.type)

    def leaf() -> None:
        fn.code.line(f"{result} |= {fn.module.bit(code_of(fn, expr.element, kind), kind).text}")

    nest_loops(fn, expr.clauses, leaf, True)
    return Py(result)


def _list(fn: Fn, expr: core.Comp, result: str) -> Py:
    fn.code.line(f"{result} = []")

    def leaf() -> None:
        fn.code.line(f"{result}.append({fn.value(expr.element).text})")

    nest_loops(fn, expr.clauses, leaf, False)
    return _limited(fn, expr, call("tuple", Py(result)))


def _limited(fn: Fn, expr: core.Comp, code: Py) -> Py:
    """A list that is not longer than its type allows."""
    assert isinstance(expr.type, ListType)
    bound = 1
    for clause in expr.clauses:
        bound *= most(clause.source.type)
    if bound <= expr.type.limit:
        return code
    name = fn.temp("items")
    fn.code.line(f"{name} = {fn.module.helper('list_limit')}({code.text}, {expr.type.limit})", expr.span)
    return Py(name)


def _bag(fn: Fn, expr: core.Comp, result: str) -> Py:
    kind = item_of(expr.type)
    kinds = size(kind) or 0
    if expr.key is not None:
        return _entries(fn, expr, result, kind, "bag_from_entries", kinds)
    fn.code.line(f"{result} = [0] * {kinds}")

    def leaf() -> None:
        fn.code.line(f"{result}[{code_of(fn, expr.element, kind).text}] += 1")

    nest_loops(fn, expr.clauses, leaf, False)
    name = fn.temp("bag")
    fn.code.line(f"{name} = {fn.module.helper('bag_checked')}(tuple({result}))", expr.span)
    return Py(name)


def _map(fn: Fn, expr: core.Comp, result: str) -> Py:
    assert isinstance(expr.type, MapType)
    return _entries(fn, expr, result, expr.type.key, "map_from", size(expr.type.key) or 0)


def _entries(fn: Fn, expr: core.Comp, result: str, kind: Type, helper: str, count: int) -> Py:
    """A map or a bag with written counts, from keys and values; a later entry replaces an earlier one."""
    assert expr.key is not None
    key = expr.key
    if helper == "map_from" and _every_key(fn, expr, kind):
        fn.code.line(f"{result} = []")
        nest_loops(fn, expr.clauses, lambda: fn.code.line(f"{result}.append({fn.value(expr.element).text})"), False)
        return call("tuple", Py(result))
    fn.code.line(f"{result} = {{}}")

    def leaf() -> None:
        value = fn.value(expr.element)
        fn.code.line(f"{result}[{code_of(fn, key, kind).text}] = {value.text}")

    nest_loops(fn, expr.clauses, leaf, False)
    name = fn.temp("made")
    fn.code.line(f"{name} = {fn.module.helper(helper)}({result}, {count})", expr.span)
    return Py(name)


def _every_key(fn: Fn, expr: core.Comp, kind: Type) -> bool:
    """Whether a map comprehension goes through all keys in order."""
    clause = expr.clauses[0]
    if len(expr.clauses) > 1 or clause.condition is not None or not isinstance(clause.source, core.Const):
        return False
    same = isinstance(expr.key, core.Local) and expr.key.name == clause.var and expr.key.type == kind
    return same and clause.source.type == SetType(kind) and clause.source.value.bit_count() == size(kind)


_MAKERS: dict[str, Callable[[Fn, core.Comp, str], Py]] = {
    "any": _search, "all": _search, "first": _first, "sum": _sum, "count": _sum, "min": _extreme, "max": _extreme,
    "set": _set, "list": _list, "bag": _bag, "map": _map,
}  # fmt: skip

# ---------------------------------------------------------------- what Python does faster itself


def whole_scan(fn: Fn, expr: core.Comp) -> Scan | None:
    """For a comprehension that only asks about one property of all cells of a field."""
    if len(expr.clauses) > 1 or expr.kind not in ("any", "all", "count", "set"):
        return None
    clause = (searching(expr) if expr.kind in ("any", "all") else expr.clauses)[0]
    scan = find_scan(fn, clause.var, clause.var_type, clause.source, clause.condition)
    if scan is None or scan.rest is not None or scan.tested is None:
        return None
    if expr.kind == "set" and (
        scan.bounded or not (expr.type == clause.source.type and _is_var(expr.element, clause.var))
    ):
        return None
    return None if expr.kind == "count" and fn.module.facts.fails(expr.element) else scan


def _is_var(expr: core.Expr, var: str) -> bool:
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
    if not _is_var(expr.element, clause.var):
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
    if _is_var(expr.element, clause.var) and isinstance(kind.item, IntType):
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
    plain = len(expr.clauses) == 1 and clause.condition is None and _is_var(expr.element, clause.var)
    if not plain or expr.kind not in ("sum", "min", "max") or not isinstance(clause.source.type, ListType):
        return None
    items = fn.value(clause.source)
    return Py(f"sum({items.text})" if expr.kind == "sum" else f"{expr.kind}({items.text}, default=None)")


def _inline(fn: Fn, expr: core.Comp) -> Py | None:
    """A Python expression without a loop of our own, where that is possible."""
    if fn.probing or len(expr.clauses) > 1:
        return None
    clause = expr.clauses[0]
    if expr.kind == "list" or (expr.kind == "map" and expr.key is not None and isinstance(expr.type, MapType)):
        if expr.kind == "map" and (not isinstance(expr.type, MapType) or not _every_key(fn, expr, expr.type.key)):
            return None
        return _inline_list(fn, expr, clause)
    return None


def _inline_list(fn: Fn, expr: core.Comp, clause: core.Clause) -> Py | None:
    items = listed(fn, expr.element, clause, copies=True)
    if items is None:
        return None
    code = call("tuple", items)
    return _limited(fn, expr, code) if expr.kind == "list" else code
