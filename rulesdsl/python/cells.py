"""Going through all cells of a packed field at once: `bytes` tests in C what a loop tests cell by cell.

`any(piece[s] == X for s in Square)` is `code in piece`, `count(...)` is `piece.count(code)`; a loop over the places
that have a property of one cell goes through `compress(ALL_SQUARE, piece.translate(HAS_IT))`.
"""

from __future__ import annotations

from typing import Any

from attrs import evolve, frozen

from rulesdsl import core
from rulesdsl.lowering.facts import within
from rulesdsl.lowering.rewrite import outer_reads, shape
from rulesdsl.lowering.walk import everything
from rulesdsl.python.code import Py, call, comparison, index, plus
from rulesdsl.python.function import Fn
from rulesdsl.python.state import cell_index, code_of
from rulesdsl.python.tables import CELL, Grid, Module, decoded, words_of
from rulesdsl.types import BOOL, EnumType, IntType, SetType, Type, size

TURNED = "not as it is written"
LEAST_CELLS = 6
SPARSE = 6


@frozen
class CellTest:
    """A condition on the cells `read`, whose last key is the variable. Either the cell equals `equal`, or `grid` says
    for each code (and perhaps one local) whether it holds."""

    read: core.Read
    written: core.Expr
    equal: core.Expr | None
    grid: Grid | None


@frozen
class Scan:
    """How to go through all places at once: those with a property (if there is one), from `low` on and before `high`
    (each an expression and what is added to it), and the `rest` of the condition."""

    kind: Type
    tested: CellTest | None
    low: tuple[core.Expr, int] | None
    high: tuple[core.Expr, int] | None
    rest: core.Expr | None

    @property
    def bounded(self) -> bool:
        return self.low is not None or self.high is not None


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
    """What can be tested for all places at once, if the loop goes through all of them."""
    module = fn.module
    if condition is None or module.scratch or fn.probing or not _every(source, kind):
        return None
    found: CellTest | None = None
    low: tuple[core.Expr, int] | None = None
    high: tuple[core.Expr, int] | None = None
    parts = conjuncts(condition)
    rest: list[core.Expr] = []
    for position, part in enumerate(parts):
        if module.facts.fails(part):
            rest += parts[position:]
            break
        property_ = _property(fn, var, part) if found is None else None
        bound = _bound(module, var, part)
        if property_ is not None:
            found = property_
        elif bound is not None and bound[0] and low is None:
            low = bound[1:]
        elif bound is not None and not bound[0] and high is None:
            high = bound[1:]
        else:
            rest.append(part)
    if found is None and low is None and high is None:
        return None
    return Scan(kind, found, low, high, together(rest))


_SWAPPED = {"lt": "gt", "gt": "lt", "le": "ge", "ge": "le"}


def _bound(module: Module, var: str, part: core.Expr) -> tuple[bool, core.Expr, int] | None:
    """A comparison of the variable with something else: (whether it is a lower bound, what, what is added to it)."""
    if not isinstance(part, core.Op) or part.op not in _SWAPPED:
        return None
    left, right = part.args
    for one, other, op in ((left, right, part.op), (right, left, _SWAPPED[part.op])):
        if _is(one, var) and var not in module.facts.free(other) and _natural(other.type):
            return op in ("gt", "ge"), other, int(op in ("gt", "le"))
    return None


def _natural(kind: Type) -> bool:
    return isinstance(kind, EnumType) or (isinstance(kind, IntType) and kind.lo >= 0)


def _every(source: core.Expr, kind: Type) -> bool:
    """Whether a loop goes through all values of a type, which are 0, 1, 2 ..."""
    plain = isinstance(kind, EnumType) or (isinstance(kind, IntType) and kind.lo == 0)
    count = size(kind) or 0
    if not plain or count < LEAST_CELLS or not isinstance(source, core.Const) or source.type != SetType(kind):
        return False
    return bool(source.value == (1 << count) - 1)


def _property(fn: Fn, var: str, part: core.Expr) -> CellTest | None:
    module = fn.module
    read = _cell(module, var, part)
    if read is None or read.field in fn.scope.changing:
        return None
    equal = _equal(module, var, part, read)
    inner = decoded(part, core.Local(CELL, module.program.field(read.field).value, read.span))
    grid = None
    alone = all(shape(other) == shape(read) for other in outer_reads(part))
    if alone and var not in module.facts.free(inner):
        grid = module.grid(inner, always=True)
    if equal is None and grid is None:
        return None
    return CellTest(read, part, equal, grid)


def _cell(module: Module, var: str, part: core.Expr) -> core.Read | None:
    """The one cell that a condition looks at, if its last key is the variable and the others do not depend on it."""
    if module.facts.needs_state(part) or any(isinstance(e, (core.Comp, core.Call)) for e in everything(part)):
        return None
    reads = [e for e in everything(part) if isinstance(e, core.Read) and e.keys and _is(e.keys[-1], var)]
    if not reads or any(shape(read) != shape(reads[0]) for read in reads[1:]):
        return None
    read = reads[0]
    info = module.program.field(read.field) if read.field in module.facts.positions else None
    if info is None or not info.packed or len(read.keys) < len(info.keys):
        return None
    bound = {e.name for e in everything(part) if isinstance(e, (core.LetIn, core.IfSome))}
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


def searching(expr: core.Comp) -> tuple[core.Clause, ...]:
    """The clauses of any or all, such that what they find decides."""
    last = expr.clauses[-1]
    wanted = expr.element if expr.kind == "any" else opposite(expr.element)
    condition = together([*conjuncts(last.condition), *conjuncts(wanted)])
    return (*expr.clauses[:-1], evolve(last, condition=condition))


# ---------------------------------------------------------------- code


def end_of(fn: Fn, bound: tuple[core.Expr, int] | None) -> str:
    """The code of a bound; nothing where there is none."""
    return "" if bound is None else plus(fn.value(bound[0]), bound[1]).text


def cells(fn: Fn, found: CellTest, scan: Scan | None = None) -> Py:
    """The cells of all places, or of those within the bounds of a scan, as bytes."""
    info = fn.module.program.field(found.read.field)
    field = Py(fn.field(found.read.field, found.read.before))
    if len(info.keys) > 1:
        start = fn.held(cell_index(fn, info, found.read.keys[:-1]), "start")
        end = plus(start, size(info.keys[-1]) or 0)
        field = Py(f"{field.text}[{start.text}:{end.text}]")
    if scan is None or not scan.bounded:
        return field
    return Py(f"{field.text}[{end_of(fn, scan.low)}:{end_of(fn, scan.high)}]")


def code_sought(fn: Fn, found: CellTest) -> Py:
    """The code that cells must be equal to."""
    assert found.equal is not None
    return code_of(fn, found.equal, fn.module.program.field(found.read.field).value)


def flags(fn: Fn, found: CellTest, source: Py, ones: bool = False) -> Py:
    """Bytes that are 0 where the property does not hold in `source`, and else not, or, with `ones`, 1."""
    grid = found.grid
    if grid is None:
        table = f"{fn.module.helper('EQUAL')}[{code_sought(fn, found).text}]"
        return Py(f"{source.text}.translate({table})")
    rows = _rows(grid)
    if len(grid.names) == 1 and not rows[0] and all(rows[1:]) and (not ones or len(rows) == 2):
        return source
    return Py(f"{source.text}.translate({_flag_table(fn, found, grid, rows).text})")


def _flag_table(fn: Fn, found: CellTest, grid: Grid, rows: Any) -> Py:
    turned = isinstance(found.written, core.Op) and found.written.data == TURNED
    wanted = ("NOT_" if turned else "") + words_of(found.written.span.text)
    comment = f"where {'not ' if turned else ''}{found.written.span.text}"
    helper = fn.module.helper("translation")
    if len(grid.names) == 1:
        return Py(fn.module.constant(wanted, f"{helper}({_digits(rows)})", comment))
    other = next(name for name in grid.names if name != CELL)
    kind = grid.types[grid.names.index(other)]
    lines = ", ".join(f"{helper}({_digits(row)})" for row in rows)
    name = Py(fn.module.constant(wanted, f"({lines},)", f"{comment}, by {other}"))
    return index(name, plus(Py(fn.local(other)), -(kind.lo if isinstance(kind, IntType) else 0)))


def _rows(grid: Grid) -> Any:
    """By code, or by the other local and code."""
    if len(grid.names) == 1 or grid.names[1] == CELL:
        return grid.values
    return tuple(zip(*grid.values, strict=True))


def _digits(row: tuple[Any, ...]) -> str:
    return repr("".join("1" if value else "0" for value in row))


def exists(fn: Fn, scan: Scan, found: CellTest) -> Py:
    """Whether the property holds somewhere; there must be no `rest`."""
    source = cells(fn, found, scan)
    if found.equal is not None:
        return comparison(code_sought(fn, found), "in", source)
    marks = flags(fn, found, source)
    return call("any", marks) if marks == source else comparison(Py("1"), "in", marks)


def number(fn: Fn, scan: Scan, found: CellTest) -> Py:
    """In how many places the property holds; there must be no `rest`."""
    source = cells(fn, found, scan)
    if found.equal is not None:
        return Py(f"{source.text}.count({code_sought(fn, found).text})")
    return Py(f"{flags(fn, found, source, ones=True).text}.count(1)")


def places(fn: Fn, scan: Scan) -> Py:
    """The places with the property, or within the bounds, in order."""
    every = Py(fn.module.all_values(scan.kind))
    if scan.bounded:
        every = Py(f"{every.text}[{end_of(fn, scan.low)}:{end_of(fn, scan.high)}]")
    if scan.tested is None:
        return every
    marks = flags(fn, scan.tested, cells(fn, scan.tested, scan))
    return call(fn.module.helper("compress"), every, marks)


def mask(fn: Fn, found: CellTest) -> Py:
    """The set of the places with the property."""
    return call(fn.module.helper("mask_of_flags"), flags(fn, found, cells(fn, found)))


def position(fn: Fn, scan: Scan, found: CellTest, last: bool) -> Py:
    """The first or the last place with the property, -1 if there is none; there must be no `rest`."""
    source = cells(fn, found)
    sought = Py("1")
    if found.equal is not None:
        sought = code_sought(fn, found)
    else:
        source = flags(fn, found, source, ones=True)
    ends = [sought.text]
    if scan.bounded:
        ends += [end_of(fn, scan.low) or "0", *([end_of(fn, scan.high)] if scan.high else [])]
    return Py(f"{source.text}.{'rfind' if last else 'find'}({', '.join(ends)})")


def head(fn: Fn, scan: Scan, var: str) -> str:
    """The head of a loop through the places with the property, or within the bounds."""
    found = scan.tested
    if found is not None and found.equal is not None:
        kind = fn.module.program.field(found.read.field).value
        code = code_sought(fn, found)
        if (size(kind) or 0) >= SPARSE and code.text != "0":
            source, code = fn.held(cells(fn, found), "cells"), fn.held(code, "code")
            start = end_of(fn, scan.low)
            end = fn.held(Py(end_of(fn, scan.high))).text if scan.high is not None else ""
            fn.code.line(f"{var} = {start} - 1" if start else f"{var} = -1")
            return f"while ({var} := {source.text}.find({code.text}, {var} + 1{', ' if end else ''}{end})) >= 0:"
    return f"for {var} in {places(fn, scan).text}:"
