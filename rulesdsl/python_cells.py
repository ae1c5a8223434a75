"""Going through all cells of a packed field at once: what a loop tests in one cell, `bytes` tests in all of them in C.

`any(piece[s] == X for s in Square)` is `code in piece`, `count(...)` is `piece.count(code)`; a loop over the places that have a
property of one cell goes through `compress(ALL_SQUARE, piece.translate(HAS_IT))`.
"""

from __future__ import annotations

from typing import Any

from attrs import frozen

from rulesdsl import core
from rulesdsl.facts import outer_reads, shape, walk, within
from rulesdsl.python_code import UNARY, Py, call, comparison, index, plus
from rulesdsl.python_function import Fn
from rulesdsl.python_state import cell_index, code_of
from rulesdsl.python_tables import CELL, Grid, Module, decoded, words_of
from rulesdsl.types import BOOL, EnumType, IntType, SetType, Type, size

TURNED = "not as it is written"
LEAST_CELLS = 6
SPARSE = 6


@frozen
class Scan:
    """A property of the cells `read` (whose last key is the variable) that a condition asks for, and the `rest` of the
    condition. Either the cell equals `equal`, or `grid` says for each code (and perhaps one local) whether it holds."""

    read: core.Read
    property: core.Expr
    equal: core.Expr | None
    grid: Grid | None
    rest: core.Expr | None


def conjuncts(expr: core.Expr | None) -> list[core.Expr]:
    """The conditions that must all hold."""
    if expr is None:
        return []
    if isinstance(expr, core.Op) and expr.op == "and":
        return conjuncts(expr.args[0]) + conjuncts(expr.args[1])
    if isinstance(expr, core.Op) and expr.op == "not":
        inner = expr.args[0]
        if isinstance(inner, core.Op) and inner.op == "or":
            return [part for arg in inner.args for part in conjuncts(opposite(arg))]
    return [expr]


def opposite(expr: core.Expr) -> core.Expr:
    """`not` of a condition."""
    if isinstance(expr, core.Op) and expr.op == "not":
        return expr.args[0]
    turned = {"is_some": "is_none", "is_none": "is_some", "eq": "ne", "ne": "eq"}
    if isinstance(expr, core.Op) and expr.op in turned:
        return core.Op(turned[expr.op], expr.args, BOOL, expr.span, TURNED)
    return core.Op("not", (expr,), BOOL, expr.span, TURNED)


def together(conditions: list[core.Expr]) -> core.Expr | None:
    """All of the conditions, in order."""
    result: core.Expr | None = None
    for condition in reversed(conditions):
        if isinstance(condition, core.Const) and condition.value is True:
            continue
        result = condition if result is None else core.Op("and", (condition, result), BOOL, condition.span)
    return result


def find_scan(fn: Fn, var: str, kind: Type, source: core.Expr, condition: core.Expr | None) -> Scan | None:
    """A property of a cell that can be tested for all places at once, if the loop goes through all of them."""
    module = fn.module
    if condition is None or module.scratch or fn.probing or not _every(source, kind):
        return None
    parts = conjuncts(condition)
    for position, part in enumerate(parts):
        if module.facts.fails(part):
            return None
        rest = together(parts[:position] + parts[position + 1 :])
        found = _property(module, var, part, rest)
        if found is not None and found.read.field not in fn.scope.changing:
            return found
    return None


def _every(source: core.Expr, kind: Type) -> bool:
    """Whether a loop goes through all values of a type, which are 0, 1, 2 ..."""
    plain = isinstance(kind, EnumType) or (isinstance(kind, IntType) and kind.lo == 0)
    count = size(kind) or 0
    if not plain or count < LEAST_CELLS or not isinstance(source, core.Const) or source.type != SetType(kind):
        return False
    return bool(source.value == (1 << count) - 1)


def _property(module: Module, var: str, part: core.Expr, rest: core.Expr | None) -> Scan | None:
    read = _cell(module, var, part)
    if read is None:
        return None
    equal = _equal(module, var, part, read)
    inner = decoded(part, core.Local(CELL, module.program.field(read.field).value, read.span))
    grid = None
    alone = all(shape(other) == shape(read) for other in outer_reads(part))
    if alone and var not in module.facts.free(inner):
        grid = module.grid(inner, always=True)
    if equal is None and grid is None:
        return None
    return Scan(read, part, equal, grid, rest)


def _cell(module: Module, var: str, part: core.Expr) -> core.Read | None:
    """The one cell that a condition looks at, if its last key is the variable and the others do not depend on it."""
    if module.facts.needs_state(part) or any(isinstance(e, (core.Comp, core.Call)) for e in walk(part)):
        return None
    reads = [e for e in walk(part) if isinstance(e, core.Read) and e.keys and _is(e.keys[-1], var)]
    if not reads or any(shape(read) != shape(reads[0]) for read in reads[1:]):
        return None
    read = reads[0]
    info = module.program.field(read.field) if read.field in module.facts.positions else None
    if info is None or not info.packed or len(read.keys) < len(info.keys):
        return None
    bound = {e.name for e in walk(part) if isinstance(e, (core.LetIn, core.IfSome))}
    others = {name for key in read.keys[:-1] for name in module.facts.free(key)}
    return None if var in others or bound & others else read


def _is(expr: core.Expr, var: str) -> bool:
    return isinstance(expr, core.Local) and expr.name == var


def _equal(module: Module, var: str, part: core.Expr, read: core.Read) -> core.Expr | None:
    """What the cell must be equal to, if that is the condition."""
    kind = module.program.field(read.field).value
    if isinstance(part, core.Op) and part.op == "is_none" and part.args[0] is read:
        return core.Const(None, kind, part.span)
    if isinstance(part, core.Op) and part.op == "eq":
        for one, other in (part.args, part.args[::-1]):
            inside = one.args[0] if isinstance(one, core.Op) and one.op in ("some", "unwrap") else one
            if inside is read and within(other.type, kind) and var not in module.facts.free(other):
                return other
    return None


# ---------------------------------------------------------------- code


def cells(fn: Fn, scan: Scan) -> Py:
    """The cells of all places, as bytes."""
    info = fn.module.program.field(scan.read.field)
    field = Py(fn.field(scan.read.field, scan.read.before))
    if len(info.keys) == 1:
        return field
    start = fn.held(cell_index(fn, info, scan.read.keys[:-1]), "start")
    end = plus(start, size(info.keys[-1]) or 0)
    return Py(f"{field.text}[{start.text}:{end.text}]")


def flags(fn: Fn, scan: Scan) -> Py:
    """Bytes that are not 0 where the property holds."""
    table = scan.grid
    if table is None:
        assert scan.equal is not None
        code = code_of(fn, scan.equal, fn.module.program.field(scan.read.field).value)
        return Py(f"{cells(fn, scan).text}.translate({fn.module.helper('EQUAL')}[{code.text}])")
    rows = _rows(table)
    if len(table.names) == 1 and not rows[0] and all(rows[1:]):
        return cells(fn, scan)
    turned = isinstance(scan.property, core.Op) and scan.property.data == TURNED
    wanted = ("NOT_" if turned else "") + words_of(scan.property.span.text)
    comment = f"where {'not ' if turned else ''}{scan.property.span.text}"
    if len(table.names) == 1:
        source = f"{fn.module.helper('translation')}({_digits(rows)})"
        name = Py(fn.module.constant(wanted, source, comment))
    else:
        other = next(name for name in table.names if name != CELL)
        kind = table.types[table.names.index(other)]
        lines = ", ".join(f"{fn.module.helper('translation')}({_digits(row)})" for row in rows)
        name = Py(fn.module.constant(wanted, f"({lines},)", f"{comment}, by {other}"))
        name = index(name, plus(Py(fn.local(other)), -(kind.lo if isinstance(kind, IntType) else 0)))
    return Py(f"{cells(fn, scan).at(UNARY + 1)}.translate({name.text})")


def _rows(grid: Grid) -> Any:
    """By code, or by the other local and code."""
    if len(grid.names) == 1 or grid.names[1] == CELL:
        return grid.values
    return tuple(zip(*grid.values, strict=True))


def _digits(row: tuple[Any, ...]) -> str:
    return repr("".join("1" if value else "0" for value in row))


def exists(fn: Fn, scan: Scan) -> Py:
    """Whether the property holds somewhere; there must be no `rest`."""
    if scan.equal is not None:
        code = code_of(fn, scan.equal, fn.module.program.field(scan.read.field).value)
        return comparison(code, "in", cells(fn, scan))
    found = flags(fn, scan)
    return call("any", found) if found.text.isidentifier() else comparison(Py("1"), "in", found)


def number(fn: Fn, scan: Scan) -> Py:
    """In how many places the property holds; there must be no `rest`."""
    if scan.equal is not None:
        code = code_of(fn, scan.equal, fn.module.program.field(scan.read.field).value)
        return Py(f"{cells(fn, scan).text}.count({code.text})")
    found = flags(fn, scan)
    if found.text.isidentifier():
        kind = fn.module.program.field(scan.read.field).keys[-1]
        return Py(f"({size(kind)} - {found.text}.count(0))")
    return Py(f"{found.text}.count(1)")


def places(fn: Fn, scan: Scan) -> Py:
    """The places with the property, in order."""
    every = Py(fn.module.all_values(fn.module.program.field(scan.read.field).keys[-1]))
    return call(fn.module.helper("compress"), every, flags(fn, scan))


def mask(fn: Fn, scan: Scan) -> Py:
    """The set of the places with the property; there must be no `rest`."""
    return call(fn.module.helper("mask_of_flags"), flags(fn, scan))


def head(fn: Fn, scan: Scan, var: str) -> str:
    """The head of a loop through the places with the property."""
    kind = fn.module.program.field(scan.read.field).value
    if scan.equal is not None and (size(kind) or 0) >= SPARSE:
        code = code_of(fn, scan.equal, kind)
        if code.text != "0":
            source = fn.held(cells(fn, scan), "cells")
            code = fn.held(code, "code")
            fn.code.line(f"{var} = -1")
            return f"while ({var} := {source.text}.find({code.text}, {var} + 1)) >= 0:"
    return f"for {var} in {places(fn, scan).text}:"
