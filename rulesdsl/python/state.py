"""The state in Python: reading cells, and the codes that packed cells hold.

`code_of` gives `index_of(type, value)` for an expression, `from_code` the value for a code. Where a cell is packed both
sides of a comparison are codes, and nothing is unpacked.
"""

from __future__ import annotations

from rulesdsl import core
from rulesdsl.lowering.facts import within
from rulesdsl.python.code import (
    COMPARE,
    NONE,
    OR,
    SUM,
    TERNARY,
    Py,
    call,
    comparison,
    index,
    infix,
    plus,
    times,
    tuple_of,
)
from rulesdsl.python.function import VALUE, Fn
from rulesdsl.types import BoolType, EnumType, IntType, MapType, OptionType, RecordType, SetType, Type, index_of, size

# ---------------------------------------------------------------- codes


def from_code(fn: Fn, code: Py, kind: Type) -> Py:
    """The value that a code stands for."""
    if isinstance(kind, IntType):
        return plus(code, kind.lo)
    if isinstance(kind, (EnumType, SetType)):
        return code
    if isinstance(kind, BoolType):
        return comparison(code, "!=", Py("0"))
    return index(Py(fn.module.all_values(kind)), code)


def same_form(kind: Type) -> bool:
    """Whether a code and its value are the same."""
    return isinstance(kind, (EnumType, SetType)) or (isinstance(kind, IntType) and kind.lo == 0)


def cheap_code(fn: Fn, expr: core.Expr, kind: Type) -> Py | None:
    """The code of an expression as a value of `kind`, if it needs no look into a table."""
    if isinstance(expr, core.Const):
        return Py(str(index_of(kind, expr.value)))
    if isinstance(expr, core.Op) and expr.op in ("some", "cast", "unwrap"):
        inner = _through(fn, expr, kind)
        if inner is not None:
            return inner
    if isinstance(expr, core.Read) and packed_type(fn, expr) == kind:
        return raw_cell(fn, expr)
    if isinstance(kind, OptionType) and not isinstance(expr.type, OptionType):
        inner = cheap_code(fn, expr, kind.item)
        return None if inner is None else plus(inner, 1)
    if isinstance(kind, IntType):
        return plus(fn.value(expr), -kind.lo)
    if isinstance(kind, (EnumType, BoolType, SetType)):
        return fn.value(expr)
    if isinstance(expr, core.Op) and expr.op == "record" and isinstance(kind, RecordType):
        return _record_code(fn, expr.args, kind)
    return None


def _through(fn: Fn, expr: core.Op, kind: Type) -> Py | None:
    inner = expr.args[0]
    if expr.op == "some" and isinstance(kind, OptionType):
        found = cheap_code(fn, inner, kind.item)
        return None if found is None else plus(found, 1)
    if expr.op == "unwrap" and isinstance(inner, core.Read):
        if packed_type(fn, inner) == OptionType(kind):
            return plus(raw_cell(fn, inner), -1)
        if packed_type(fn, inner) == kind:
            return raw_cell(fn, inner)
    return None


def _record_code(fn: Fn, args: tuple[core.Expr, ...], kind: RecordType) -> Py | None:
    total = Py("0")
    for arg, (_, part) in zip(args, kind.fields, strict=True):
        code = cheap_code(fn, arg, part)
        if code is None:
            return None
        total = _sum(times(total, size(part) or 1), code)
    return total


def _sum(left: Py, right: Py) -> Py:
    for one, other in ((left, right), (right, left)):
        if one.simple and one.text.isdigit():
            return plus(other, int(one.text))
    return infix(left, "+", right, SUM)


def code_of(fn: Fn, expr: core.Expr, kind: Type) -> Py:
    """`index_of(kind, value)` for the value of an expression."""
    found = cheap_code(fn, expr, kind)
    return found if found is not None else code_of_value(fn, fn.value(expr), kind)


def code_of_value(fn: Fn, code: Py, kind: Type) -> Py:
    """`index_of(kind, value)` for a value that Python code has."""
    if isinstance(kind, IntType):
        return plus(code, -kind.lo)
    if isinstance(kind, (EnumType, SetType, BoolType)):
        return code
    if isinstance(kind, OptionType) and isinstance(kind.item, (IntType, EnumType, BoolType)):
        held = fn.held(code)
        inner = plus(code_of_value(fn, held, kind.item), 1)
        if held == NONE or held.never_none:
            return Py("0") if held == NONE else inner
        return Py(f"0 if {held.text} is None else {inner.at(COMPARE)}", TERNARY)
    return index(Py(fn.module.codes(kind)), code)


# ---------------------------------------------------------------- cells


def info_of(fn: Fn, expr: core.Read) -> core.FieldInfo | None:
    """The field that is read; None for the outcome."""
    return fn.module.program.field(expr.field) if expr.field in fn.module.facts.positions else None


def packed_type(fn: Fn, expr: core.Read) -> Type | None:
    """The type that the code in a cell is of, if one packed cell is read."""
    info = info_of(fn, expr)
    if info is None or not info.packed or len(expr.keys) < len(info.keys):
        return None
    return info.value


def raw_cell(fn: Fn, expr: core.Read) -> Py:
    """The cell itself: its code, where the field is packed."""
    info = info_of(fn, expr)
    assert info is not None
    return index(Py(fn.field(expr.field, expr.before)), cell_index(fn, info, expr.keys))


def cell_index(fn: Fn, info: core.FieldInfo, keys: tuple[core.Expr, ...]) -> Py:
    """Where the first cell with these keys is."""
    total = Py("0")
    for position, kind in enumerate(info.keys):
        count = size(kind) or 1
        code = code_of(fn, keys[position], kind) if position < len(keys) else Py("0")
        total = _sum(times(total, count), code)
    return total


def _read(fn: Fn, expr: core.Read) -> Py:
    info = info_of(fn, expr)
    if info is None or not info.keys:
        return Py(fn.field(expr.field, expr.before))
    if len(expr.keys) == len(info.keys):
        cell = raw_cell(fn, expr)
        return from_code(fn, cell, info.value) if info.packed else cell
    return _read_map(fn, expr, info)


def _read_map(fn: Fn, expr: core.Read, info: core.FieldInfo) -> Py:
    """Some or all cells of a field, as a map."""
    rest = info.keys[len(expr.keys) :]
    count = 1
    for kind in rest:
        count *= size(kind) or 1
    cells = Py(fn.field(expr.field, expr.before))
    if expr.keys:
        start = fn.held(cell_index(fn, info, expr.keys), "start")
        cells = Py(f"{cells.text}[{start.text} : {plus(start, count).text}]")
    if info.packed and not same_form(info.value):
        cell = fn.temp("cell")
        cells = Py(f"tuple([{from_code(fn, Py(cell), info.value).text} for {cell} in {cells.at(OR)}])")
    elif info.packed or expr.field in fn.scope.changing:
        cells = call("tuple", cells)
    if len(rest) == 1:
        return cells
    sizes = tuple_of([Py(str(size(kind) or 1)) for kind in rest])
    return call(fn.module.helper("nest"), cells, sizes)


VALUE[core.Read] = _read

# ---------------------------------------------------------------- comparisons


def equality(fn: Fn, left: core.Expr, right: core.Expr, operator: str) -> Py:
    """`==` or `!=`, on codes where one side is a packed cell."""
    for one, other in ((left, right), (right, left)):
        kind = _cell_type(fn, one)
        if kind is not None and within(other.type, kind):
            a, b = code_of(fn, one, kind), code_of(fn, other, kind)
            if fn.probing:
                fn.noted(one, fn.value(one))
                fn.noted(other, fn.value(other))
            return comparison(a, operator, b)
    a, b = fn.noted(left, fn.value(left)), fn.noted(right, fn.value(right))
    if NONE in (a, b):
        a, b = (b, a) if a == NONE else (a, b)
        operator = "is" if operator == "==" else "is not"
    return comparison(a, operator, b)


def _cell_type(fn: Fn, expr: core.Expr) -> Type | None:
    """The type of codes that an expression is cheaply compared in."""
    if isinstance(expr, core.Op) and expr.op in ("some", "cast") and not isinstance(expr.args[0], core.Const):
        return _cell_type(fn, expr.args[0]) if not isinstance(expr.type, MapType) else None
    if isinstance(expr, core.Op) and expr.op == "unwrap":
        return _cell_type(fn, expr.args[0])
    return packed_type(fn, expr) if isinstance(expr, core.Read) else None


def presence(fn: Fn, expr: core.Expr, there: bool) -> Py:
    """`is some` or `is none`."""
    if isinstance(expr, core.Read) and packed_type(fn, expr) is not None and not fn.probing:
        return comparison(raw_cell(fn, expr), "!=" if there else "==", Py("0"))
    return comparison(fn.noted(expr, fn.value(expr)), "is not" if there else "is", NONE)
