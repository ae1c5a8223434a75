"""Comprehensions in Python: what is made of the elements that loops go through."""

from __future__ import annotations

from collections.abc import Callable

from rulesdsl import core
from rulesdsl.lowering.facts import item_of
from rulesdsl.python.at_once import at_once, is_var
from rulesdsl.python.cells import searching
from rulesdsl.python.code import Py, call, tuple_of
from rulesdsl.python.function import VALUE, Fn
from rulesdsl.python.loops import listed, most, nest_loops
from rulesdsl.python.state import code_of
from rulesdsl.types import ListType, MapType, SetType, Type, size


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
    last = expr.clauses[-1]
    if (
        len(expr.clauses) > 1
        and is_var(expr.element, last.var)
        and last.source.type == expr.type
        and not last.condition
    ):
        nest_loops(fn, expr.clauses[:-1], lambda: fn.code.line(f"{result} |= {fn.value(last.source).text}"), True)
        return Py(result)

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
    last = expr.clauses[-1]
    if len(expr.clauses) > 1 and is_var(expr.element, last.var) and last.source.type == expr.type and not last.condition:
        fn.code.line(f"{result} = {tuple_of([Py('0')] * kinds).text}")
        plus, span = fn.module.helper("bag_plus"), expr.span
        nest_loops(
            fn,
            expr.clauses[:-1],
            lambda: fn.code.line(f"{result} = {plus}({result}, {fn.value(last.source).text})", span),
            True,
        )
        return Py(result)
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
