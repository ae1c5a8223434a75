"""The operations of `core` in Python. What may fail is written on a line of its own; see `own_line`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rulesdsl import core
from rulesdsl.python.code import (
    COMPARE,
    NOT,
    PRODUCT,
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
from rulesdsl.python.expr import TEST, both, choice, decided, or_else, test
from rulesdsl.python.function import VALUE, Fn
from rulesdsl.python.state import code_of, equality, presence
from rulesdsl.python.tables import literal, words_of
from rulesdsl.types import IntType, MapType, Type, size

Handler = Callable[[Fn, core.Op], Py]
OPS: dict[str, Handler] = {}


def _op(fn: Fn, expr: core.Op) -> Py:
    return OPS[expr.op](fn, expr)


VALUE[core.Op] = _op


def operation(*names: str) -> Callable[[Handler], Handler]:
    def register(handler: Handler) -> Handler:
        for name in names:
            OPS[name] = handler
        return handler

    return register


def condition(*names: str) -> Callable[[Handler], Handler]:
    """Registers the form that only has to be true or false."""

    def register(handler: Handler) -> Handler:
        for name in names:
            TEST[name] = handler
        return handler

    return register


def arguments(fn: Fn, expr: core.Op) -> list[Py]:
    return [fn.value(arg) for arg in expr.args]


# ---------------------------------------------------------------- ints

_INFIX = {
    "add": ("+", SUM),
    "sub": ("-", SUM),
    "mul": ("*", PRODUCT),
    "floordiv": ("//", PRODUCT),
    "mod": ("%", PRODUCT),
}
_ORDER = {"lt": "<", "le": "<=", "gt": ">", "ge": ">="}


@operation("add", "sub", "mul", "floordiv", "mod")
def _arithmetic(fn: Fn, expr: core.Op) -> Py:
    left, right = arguments(fn, expr)
    operator, level = _INFIX[expr.op]
    if operator in "+-" and right.simple and right.text.isdigit():
        return plus(left, int(operator + right.text))
    return infix(left, operator, right, level)


@operation("neg")
def _neg(fn: Fn, expr: core.Op) -> Py:
    return Py(f"-{fn.value(expr.args[0]).at(UNARY)}", UNARY)


@operation("abs")
def _abs(fn: Fn, expr: core.Op) -> Py:
    return call("abs", fn.value(expr.args[0]))


@operation("least", "greatest")
def _least(fn: Fn, expr: core.Op) -> Py:
    values = arguments(fn, expr)
    if len(values) > 2:
        return call("min" if expr.op == "least" else "max", *values)
    a, b = (fn.held(value) for value in values)
    operator = "<" if expr.op == "least" else ">"
    return Py(f"{a.text} if {a.text} {operator} {b.text} else {b.text}", TERNARY)


@operation("lt", "le", "gt", "ge")
def _order(fn: Fn, expr: core.Op) -> Py:
    left, right = (fn.noted(arg, fn.value(arg)) for arg in expr.args)
    return comparison(left, _ORDER[expr.op], right)


@operation("eq", "ne")
def _equality(fn: Fn, expr: core.Op) -> Py:
    return equality(fn, expr.args[0], expr.args[1], "==" if expr.op == "eq" else "!=")


# ---------------------------------------------------------------- bools and options


@operation("and", "or")
def _both(fn: Fn, expr: core.Op) -> Py:
    return both(fn, expr, lambda fn, part: fn.value(part))


@operation("not")
def _not(fn: Fn, expr: core.Op) -> Py:
    code = test(fn, expr.args[0])
    if code.opposite:
        return Py(code.opposite, COMPARE, code.text)
    return Py(f"not {code.at(NOT)}", NOT)


@operation("if")
def _if(fn: Fn, expr: core.Op) -> Py:
    return choice(fn, decided(fn, expr), lambda: fn.value(expr.args[1]), lambda: fn.value(expr.args[2]))


@condition("if")
def _test_if(fn: Fn, expr: core.Op) -> Py:
    return choice(fn, decided(fn, expr), lambda: test(fn, expr.args[1]), lambda: test(fn, expr.args[2]))


@operation("some", "unwrap", "cast")
def _same(fn: Fn, expr: core.Op) -> Py:
    return fn.value(expr.args[0])


@operation("is_some", "is_none")
def _presence(fn: Fn, expr: core.Op) -> Py:
    return presence(fn, expr.args[0], expr.op == "is_some")


@operation("or_else")
def _or_else(fn: Fn, expr: core.Op) -> Py:
    return or_else(fn, expr)


# ---------------------------------------------------------------- records, maps, tables


@operation("record", "map_of")
def _record(fn: Fn, expr: core.Op) -> Py:
    return tuple_of(arguments(fn, expr)) if expr.args else Py("()")


@operation("get")
def _get(fn: Fn, expr: core.Op) -> Py:
    return index(fn.value(expr.args[0]), Py(str(expr.data)))


@operation("map_get")
def _map_get(fn: Fn, expr: core.Op) -> Py:
    kind = expr.args[0].type
    assert isinstance(kind, MapType)
    return index(fn.value(expr.args[0]), code_of(fn, expr.args[1], kind.key))


@operation("table")
def _table(fn: Fn, expr: core.Op) -> Py:
    table: core.Table = expr.data
    if table.total or all(_inside(arg.type, dim) for arg, dim in zip(expr.args, table.dims, strict=True)):
        result = Py(fn.module.constant(words_of(table.name), literal(nested(table.values, table.dims)), table.name))
        for arg, (low, _) in zip(expr.args, table.dims, strict=True):
            result = index(result, plus(fn.value(arg), -low))
        return result
    return _open_table(fn, expr, table)


def _inside(kind: Type, dim: tuple[int, int]) -> bool:
    if isinstance(kind, IntType):
        return dim[0] <= kind.lo and kind.hi < dim[0] + dim[1]
    return size(kind) == dim[1]


def nested(values: tuple[Any, ...], dims: tuple[tuple[int, int], ...]) -> tuple[Any, ...]:
    """The values of a table as tuples in tuples, one level for each dimension."""
    for _, count in reversed(dims[1:]):
        values = tuple(values[i : i + count] for i in range(0, len(values), count))
    return values


def _open_table(fn: Fn, expr: core.Op, table: core.Table) -> Py:
    """A lookup whose arguments may be outside of the table."""
    name = fn.module.constant(words_of(table.name) + "_FLAT", literal(table.values), table.name)
    tests: list[str] = []
    position = Py("0")
    for arg, (low, count) in zip(expr.args, table.dims, strict=True):
        held = fn.held(fn.value(arg))
        if not _inside(arg.type, (low, count)):
            tests.append(f"{low} <= {held.text} < {low + count}")
        scaled = Py(f"{position.at(PRODUCT)} * {count}", PRODUCT) if position.text != "0" else position
        step = plus(held, -low)
        position = step if scaled.text == "0" else infix(scaled, "+", step, SUM)
    outside = fn.module.inline(table.outside, words_of(table.name) + "_OUTSIDE")
    return Py(f"{name}[{position.text}] if {' and '.join(tests)} else {outside.at(TERNARY)}", TERNARY)
