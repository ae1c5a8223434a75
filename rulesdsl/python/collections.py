"""The operations of sets, bags and lists in Python. What may fail is written on a line of its own; see `own_line`."""

from __future__ import annotations

from rulesdsl import core
from rulesdsl.lowering.facts import item_of, within
from rulesdsl.python.code import (
    AND,
    BIT_AND,
    BIT_OR,
    OR,
    SUM,
    TERNARY,
    UNARY,
    Py,
    call,
    comparison,
    index,
    infix,
    plus,
    tuple_of,
)
from rulesdsl.python.expr import TEST, own_line
from rulesdsl.python.function import Fn
from rulesdsl.python.loops import iterable
from rulesdsl.python.ops import arguments, condition, operation
from rulesdsl.python.state import code_of, code_of_value, same_form
from rulesdsl.python.tables import literal
from rulesdsl.types import BAG_LIMIT, BagType, IntType, ListType, SetType, Type, size


@operation("set_of")
def _set_of(fn: Fn, expr: core.Op) -> Py:
    kind = item_of(expr.type)
    result: Py | None = None
    for arg in expr.args:
        bit = fn.module.bit(_position(fn, arg, kind), kind)
        result = bit if result is None else infix(result, "|", bit, BIT_OR)
    return result or Py("0")


def _position(fn: Fn, expr: core.Expr, kind: Type) -> Py:
    """The position of an element that must be of the item type."""
    if within(expr.type, kind) or not isinstance(kind, IntType):
        return code_of(fn, expr, kind)
    held = fn.held(fn.value(expr))
    with fn.code.block(f"if not {kind.lo} <= {held.text} <= {kind.hi}:"):
        fn.code.line(f"{fn.module.helper('out_of_range')}({held.text}, {kind.lo}, {kind.hi})", expr.span)
    return plus(held, -kind.lo)


def _element(fn: Fn, expr: core.Op) -> Py:
    kind = item_of(expr.args[0].type)
    return fn.module.bit(_position(fn, expr.args[1], kind), kind)


@condition("set_has")
def _test_has(fn: Fn, expr: core.Op) -> Py:
    kind = item_of(expr.args[0].type)
    fn.noted(expr.args[1], fn.value(expr.args[1])) if fn.probing else None
    mask = fn.noted(expr.args[0], fn.value(expr.args[0]))
    return infix(mask, "&", fn.module.bit(code_of(fn, expr.args[1], kind), kind), BIT_AND)


@operation("set_has")
def _set_has(fn: Fn, expr: core.Op) -> Py:
    return comparison(_test_has(fn, expr), "!=", Py("0"))


@operation("set_add")
def _set_add(fn: Fn, expr: core.Op) -> Py:
    return infix(fn.value(expr.args[0]), "|", _element(fn, expr), BIT_OR)


@operation("set_remove")
def _set_remove(fn: Fn, expr: core.Op) -> Py:
    return own_line(fn, expr, call(fn.module.helper("set_remove"), fn.value(expr.args[0]), _element(fn, expr)))


@operation("set_minus")
def _set_minus(fn: Fn, expr: core.Op) -> Py:
    return own_line(fn, expr, call(fn.module.helper("set_minus"), *arguments(fn, expr)))


@operation("set_union", "set_inter")
def _set_union(fn: Fn, expr: core.Op) -> Py:
    left, right = arguments(fn, expr)
    return infix(left, "|", right, BIT_OR) if expr.op == "set_union" else infix(left, "&", right, BIT_AND)


def _without(left: Py, right: Py) -> Py:
    return Py(f"{left.at(BIT_AND)} & ~{right.at(UNARY)}", BIT_AND)


@operation("set_diff")
def _set_diff(fn: Fn, expr: core.Op) -> Py:
    return _without(*arguments(fn, expr))


@operation("set_le")
def _set_le(fn: Fn, expr: core.Op) -> Py:
    left, right = (fn.noted(arg, fn.value(arg)) for arg in expr.args)
    return comparison(_without(left, right), "==", Py("0"))


@operation("set_lt")
def _set_lt(fn: Fn, expr: core.Op) -> Py:
    left, right = (fn.held(fn.noted(arg, fn.value(arg))) for arg in expr.args)
    return Py(f"{left.text} != {right.text} and {left.text} & ~{right.text} == 0", AND)


@operation("range")
def _range(fn: Fn, expr: core.Op) -> Py:
    kind = item_of(expr.type)
    assert isinstance(kind, IntType)
    lo, hi = (plus(value, -kind.lo) for value in arguments(fn, expr))
    return call(fn.module.helper("span_mask"), lo, hi)


@operation("bag_of")
def _bag_of(fn: Fn, expr: core.Op) -> Py:
    kind = item_of(expr.type)
    codes = [code_of(fn, arg, kind) for arg in expr.args]
    made = call(fn.module.helper("bag_of"), Py(str(size(kind))), tuple_of(codes) if codes else Py("()"))
    return own_line(fn, expr, made)


@operation("bag_counts")
def _bag_counts(fn: Fn, expr: core.Op) -> Py:
    counts = [Py("0")] * (size(item_of(expr.type)) or 0)
    for position, arg in zip(expr.data, expr.args, strict=True):
        counts[position] = fn.value(arg)
    made = tuple_of(counts)
    if all(within(arg.type, IntType(0, BAG_LIMIT)) for arg in expr.args):
        return made
    return own_line(fn, expr, call(fn.module.helper("bag_checked"), made))


@operation("bag_add", "bag_remove")
def _bag_add(fn: Fn, expr: core.Op) -> Py:
    bag = fn.value(expr.args[0])
    position = code_of(fn, expr.args[1], item_of(expr.args[0].type))
    return own_line(fn, expr, call(fn.module.helper(expr.op), bag, position))


@operation("bag_plus", "bag_minus", "bag_scale")
def _bag_plus(fn: Fn, expr: core.Op) -> Py:
    return own_line(fn, expr, call(fn.module.helper(expr.op), *arguments(fn, expr)))


@operation("bag_count")
def _bag_count(fn: Fn, expr: core.Op) -> Py:
    return index(fn.value(expr.args[0]), code_of(fn, expr.args[1], item_of(expr.args[0].type)))


TEST["bag_has"] = _bag_count


@operation("bag_has")
def _bag_has(fn: Fn, expr: core.Op) -> Py:
    return comparison(_bag_count(fn, expr), ">", Py("0"))


@operation("bag_le")
def _bag_le(fn: Fn, expr: core.Op) -> Py:
    return call(fn.module.helper("bag_le"), *(fn.noted(arg, fn.value(arg)) for arg in expr.args))


@operation("bag_lt")
def _bag_lt(fn: Fn, expr: core.Op) -> Py:
    left, right = (fn.held(fn.noted(arg, fn.value(arg))) for arg in expr.args)
    return Py(f"{left.text} != {right.text} and {fn.module.helper('bag_le')}({left.text}, {right.text})", AND)


@operation("distinct")
def _distinct(fn: Fn, expr: core.Op) -> Py:
    return call(fn.module.helper("distinct"), fn.value(expr.args[0]))


@operation("bag_from")
def _bag_from(fn: Fn, expr: core.Op) -> Py:
    source = expr.args[0]
    if isinstance(source.type, BagType):
        return fn.value(source)
    kinds = Py(str(size(item_of(expr.type))))
    if isinstance(source.type, SetType):
        return call(fn.module.helper("bag_from_set"), kinds, fn.value(source))
    return own_line(fn, expr, call(fn.module.helper("bag_of"), kinds, _positions(fn, source, item_of(expr.type))))


@operation("to_set")
def _to_set(fn: Fn, expr: core.Op) -> Py:
    source = expr.args[0]
    if isinstance(source.type, SetType):
        return fn.value(source)
    if isinstance(source.type, BagType):
        return call(fn.module.helper("distinct"), fn.value(source))
    return call(fn.module.helper("mask_of"), _positions(fn, source, item_of(expr.type)))


def _positions(fn: Fn, source: core.Expr, kind: Type) -> Py:
    """The positions of the elements of a list."""
    items = fn.value(source)
    if same_form(kind):
        return items
    item = fn.temp("item")
    with fn.maybe() as lines:
        code = code_of_value(fn, Py(item), kind)
    assert not lines
    return Py(f"[{code.text} for {item} in {items.at(OR)}]")


@operation("list_of")
def _list_of(fn: Fn, expr: core.Op) -> Py:
    made = tuple_of(arguments(fn, expr)) if expr.args else Py("()")
    return _limited(fn, expr, made, len(expr.args))


def _limited(fn: Fn, expr: core.Op, made: Py, longest: int) -> Py:
    assert isinstance(expr.type, ListType)
    if longest <= expr.type.limit:
        return made
    return own_line(fn, expr, call(fn.module.helper("list_limit"), made, Py(str(expr.type.limit))))


def _limit(kind: Type) -> int:
    return kind.limit if isinstance(kind, ListType) else 0


@operation("list_append")
def _list_append(fn: Fn, expr: core.Op) -> Py:
    items, item = arguments(fn, expr)
    return _limited(fn, expr, Py(f"(*{items.at(BIT_OR)}, {item.text})"), _limit(expr.args[0].type) + 1)


@operation("list_concat")
def _list_concat(fn: Fn, expr: core.Op) -> Py:
    left, right = arguments(fn, expr)
    longest = _limit(expr.args[0].type) + _limit(expr.args[1].type)
    if isinstance(expr.args[0], core.Const):
        longest = len(expr.args[0].value) + _limit(expr.args[1].type)
    made = right if left.text == "()" else infix(left, "+", right, SUM)
    return _limited(fn, expr, made, longest)


@operation("list_get")
def _list_get(fn: Fn, expr: core.Op) -> Py:
    items, position = arguments(fn, expr)
    return own_line(fn, expr, index(items, position))


@operation("list_slice")
def _list_slice(fn: Fn, expr: core.Op) -> Py:
    items = fn.value(expr.args[0])
    lo, hi = ("" if _is_none(arg) else fn.value(arg).text for arg in expr.args[1:])
    return Py(f"{items.at(UNARY + 1)}[{lo}:{hi}]")


def _is_none(expr: core.Expr) -> bool:
    return isinstance(expr, core.Const) and expr.value is None


@operation("list_top")
def _list_top(fn: Fn, expr: core.Op) -> Py:
    items = fn.held(fn.value(expr.args[0]))
    return Py(f"{items.at(UNARY + 1)}[-1] if {items.at(OR)} else None", TERNARY)


@operation("list_has")
def _list_has(fn: Fn, expr: core.Op) -> Py:
    items, item = (fn.noted(arg, fn.value(arg)) for arg in expr.args)
    return comparison(item, "in", items)


@operation("seats_from")
def _seats_from(fn: Fn, expr: core.Op) -> Py:
    count = len(fn.module.program.player.members)
    table = tuple(tuple((seat + step) % count for step in range(count)) for seat in range(count))
    return index(Py(fn.module.constant("SEATS_FROM", literal(table))), fn.value(expr.args[0]))


@operation("elements")
def _elements(fn: Fn, expr: core.Op) -> Py:
    source = expr.args[0]
    known = fn.module.elements_of(fn, source, False)
    if known is not None or isinstance(source.type, ListType):
        return known if known is not None else fn.value(source)
    items = iterable(fn, source, False)
    return items if isinstance(source.type, SetType) and items.text.startswith("ELEMENTS") else call("tuple", items)


@operation("len")
def _len(fn: Fn, expr: core.Op) -> Py:
    kind = expr.args[0].type
    value = fn.value(expr.args[0])
    if isinstance(kind, SetType):
        held = Py(f"({value.text})") if value.text.isdigit() else value
        return Py(f"{held.at(UNARY + 1)}.bit_count()")
    return call("sum" if isinstance(kind, BagType) else "len", value)


@operation("nonempty")
def _nonempty(fn: Fn, expr: core.Op) -> Py:
    code = _test_nonempty(fn, expr)
    if isinstance(expr.args[0].type, BagType):
        return code
    return comparison(code, "!=", Py("0") if isinstance(expr.args[0].type, SetType) else Py("()"))


@condition("nonempty")
def _test_nonempty(fn: Fn, expr: core.Op) -> Py:
    value = fn.noted(expr.args[0], fn.value(expr.args[0]))
    return call("any", value) if isinstance(expr.args[0].type, BagType) else value
