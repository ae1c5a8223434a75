"""What one generated module holds beside its functions: tables of known values, helpers, and the defs' conventions.

"Constant geometry": an expression that depends on one or two small locals and on no state is worked out for all their
values when the code is made, and becomes a lookup. The same is done for what depends on one packed cell of the state.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from itertools import product
from typing import TYPE_CHECKING, Any

from attrs import define, field, frozen

from rulesdsl import core, runtime
from rulesdsl.lowering.facts import Facts, item_of, simple
from rulesdsl.lowering.rewrite import outer_reads, rebuilt, shape
from rulesdsl.lowering.walk import everything
from rulesdsl.points import Points
from rulesdsl.python.code import Emitter, Py, index, plus
from rulesdsl.types import BagType, EnumType, IntType, SetType, Type, size, value_at, values

if TYPE_CHECKING:
    from rulesdsl.python import function

TABLE_LIMIT = 4096
INLINE_LIMIT = 24
SOURCE_LIMIT = 300_000
_API = """SEATS KIND MAY_PASS STEP OFFERS MEASURES INVARIANTS TRANSITIONS WRITES DEFS ACTIONS EVENTS BLOCKS
LINES EXTRA_LINES initial start run perform asked given legal any_legal allows outcomes answer drawn decide apply COUNTS seen"""
_LOCALS = "st trace frame parent live move moves depth probes before state event"
_COMPARISONS = frozenset(["eq", "ne", "lt", "le", "gt", "ge"])
_ARITHMETIC = frozenset(["add", "sub", "mul", "not"])


def literal(value: Any) -> str:
    """A value in internal form as Python source."""
    return repr(value)


def words_of(text: str, limit: int = 40) -> str:
    """A name for a table out of a piece of the rules."""
    name = re.sub(r"\W+", "_", text).strip("_").upper()[:limit].rstrip("_")
    return name if name and name[0].isalpha() else f"T_{name}"


@frozen
class Grid:
    """Values for all values of some locals: nested tuples, one level for each."""

    names: tuple[str, ...]
    types: tuple[Type, ...]
    values: Any


@define
class Module:
    """A module in the making. `scratch`: it is made only to work something out, and tabulates nothing itself. `points`: what
    it counts, None where it counts nothing; `clause`: the declaration that is being written."""

    program: core.Program
    facts: Facts
    evaluator: Callable[[Module, core.Expr, tuple[str, ...]], Callable[..., Any]]
    scratch: bool = False
    prefix: str = ""
    code: Emitter = field(factory=Emitter)
    helpers: set[str] = field(factory=set)
    tables: dict[str, str] = field(factory=dict)
    comments: dict[str, str] = field(factory=dict)
    objects: dict[str, Any] = field(factory=dict)
    bits: int = 0
    points: Points | None = None
    clause: str = ""
    reserved: frozenset[str] = frozenset(f"{_API} {_LOCALS}".split()) | frozenset(dir(runtime))
    _by_value: dict[tuple[str, str], str] = field(factory=dict)
    _grids: dict[int, tuple[core.Expr, Grid | None]] = field(factory=dict)
    _coded: dict[int, tuple[core.Expr, tuple[core.Read, core.Expr] | None]] = field(factory=dict)

    def in_order(self, fields: Iterable[str]) -> list[str]:
        return sorted(fields, key=lambda name: (self.facts.positions.get(name, -1), name))

    def helper(self, name: str) -> str:
        """A function or table of the runtime."""
        self.helpers.add(name)
        return name

    def object(self, kind: str, value: Any) -> str:
        """A Python object that the module is handed (spans and types, for explanations)."""
        name = f"{self.prefix}{kind}_{len(self.objects) + 1}"
        self.objects[name] = value
        return name

    # ------------------------------------------------------------ constants

    def constant(self, wanted: str, source: str, comment: str = "") -> str:
        """A module constant with this source; the same source under the same wanted name is one constant."""
        known = self._by_value.get((wanted, source))
        if known is not None:
            return known
        name, number = f"{self.prefix}{wanted}", 2
        while name in self.tables or name in _API:
            name = f"{self.prefix}{wanted}_{number}"
            number += 1
        self.tables[name] = source
        if comment:
            self.comments[name] = " ".join(comment.split())
        self._by_value[wanted, source] = name
        return name

    def inline(self, value: Any, wanted: str, comment: str = "") -> Py:
        """A known value: written out where short, else a constant."""
        text = literal(value)
        if isinstance(value, int) and not isinstance(value, bool) and value < 0:
            return Py(text, Py("").level - 1)
        if len(text) <= INLINE_LIMIT:
            return Py(text)
        return Py(self.constant(wanted, text, comment))

    def bit(self, position: Py, kind: Type) -> Py:
        """The mask of one element of a type."""
        if position.simple and position.text.isdigit():
            return Py(str(1 << int(position.text)))
        self.bits = max(self.bits, size(kind) or 0)
        return index(Py(f"{self.prefix}BIT"), position)

    def finished_tables(self) -> dict[str, str]:
        """All constants, by name, in the order in which they must be made."""
        found = dict(self.tables)
        if self.bits:
            found[f"{self.prefix}BIT"] = f"tuple([1 << i for i in range({self.bits})])"
        return found

    def all_values(self, kind: Type) -> str:
        """The tuple of all values of a type, in order."""
        found = tuple(values(kind))
        return self.constant(f"ALL_{words_of(str(kind))}", literal(found))

    def codes(self, kind: Type) -> str:
        """The positions of all values of a type."""
        found = {value: position for position, value in enumerate(values(kind))}
        return self.constant(f"CODE_{words_of(str(kind))}", literal(found))

    def elements(self, kind: Type) -> str:
        """The elements of sets of a type, by mask."""
        first = value_at(kind, 0) if size(kind) else 0
        if first == 0 and isinstance(kind, (IntType, EnumType)):
            return self.helper("ELEMENTS")
        every = self.all_values(kind)
        return self.constant(f"ELEMENTS_{words_of(str(kind))}", f"{self.helper('Elements')}({every})")

    # ------------------------------------------------------------ constant geometry

    def tabulated(self, fn: function.Fn, expr: core.Expr) -> Py | None:
        """A lookup in place of an expression, where that is possible and cheaper."""
        if self.scratch or isinstance(expr, (core.Const, core.Local, core.Read)):
            return None
        grid = self.grid(expr)
        if grid is not None:
            if not grid.names:
                return self.inline(grid.values, words_of(expr.span.text), expr.span.text)
            return self._lookup(fn, grid, grid.values, expr, "")
        return self._coded_lookup(fn, expr)

    def elements_of(self, fn: function.Fn, expr: core.Expr, distinct: bool) -> Py | None:
        """The elements of a collection, as a tuple that is known or looked up."""
        grid = None if self.scratch or fn.probing else self.grid(expr, always=True)
        if isinstance(expr, core.Const):
            grid = Grid((), (), expr.value)
        if grid is None:
            return None
        levels = len(grid.names)
        listed = _map_nested(grid.values, levels, lambda value: listing(expr.type, value, distinct))
        if not levels:
            return self._known_elements(expr, listed)
        return self._lookup(fn, grid, listed, expr, "_EACH")

    def _known_elements(self, expr: core.Expr, listed: tuple[Any, ...]) -> Py:
        kind = item_of(expr.type)
        if len(listed) > 3 and len(listed) == size(kind):
            return Py(self.all_values(kind))
        return self.inline(listed, f"{words_of(expr.span.text)}_EACH", expr.span.text)

    def _lookup(self, fn: function.Fn, grid: Grid, table: Any, expr: core.Expr, suffix: str) -> Py:
        comment = f"{expr.span.text}, by {' and '.join(grid.names)}"
        result = Py(self.constant(words_of(expr.span.text) + suffix, literal(table), comment))
        for name, kind in zip(grid.names, grid.types, strict=True):
            low = kind.lo if isinstance(kind, IntType) else 0
            result = index(result, plus(Py(fn.local(name)), -low))
        return result

    def grid(self, expr: core.Expr, always: bool = False) -> Grid | None:
        """The values of an expression for all values of its locals, if they are few and it depends on nothing else."""
        known = self._grids.get(id(expr))
        if known is None:
            known = self._grids[id(expr)] = (expr, self._make_grid(expr))
        grid = known[1]
        return grid if grid is not None and (always or self._worth(expr, len(grid.names))) else None

    def _make_grid(self, expr: core.Expr) -> Grid | None:
        free = self.facts.free(expr)
        if len(free) > 2 or not self._tabulable(expr, alone=not free):
            return None
        domains = []
        total = 1
        for name, kind in free.items():
            count = size(kind) if simple(kind) or name == CELL else None
            if count is None or not 0 < count <= TABLE_LIMIT:
                return None
            total *= count
            domains.append(tuple(values(kind)))
        if total > TABLE_LIMIT:
            return None
        if not free and self.facts.fails(expr):
            try:
                found = self.evaluator(self, expr, ())()
            except Exception:  # it fails in play, as it should
                return None
        else:
            found = self._fill(expr, tuple(free), domains)
        return Grid(tuple(free), tuple(free.values()), found) if len(literal(found)) <= SOURCE_LIMIT else None

    def _tabulable(self, expr: core.Expr, alone: bool = False) -> bool:
        """Whether its values can be worked out before play. `alone`: it has but one value; if that does not fail now, it never
        will."""
        if not self.facts.stateless(expr) or not _bounded(expr) or self._counts_in(expr):
            return False
        return alone or not self.facts.fails(expr)

    def _counts_in(self, expr: core.Expr) -> bool:
        """Whether something in an expression is counted, so that it has to be evaluated each time."""
        if self.points is None:
            return False
        return any(
            isinstance(part, (core.Call, core.CanDo, core.After)) or (isinstance(part, core.Op) and part.op == "if")
            for part in everything(expr)
        )

    def _fill(self, expr: core.Expr, names: tuple[str, ...], domains: list[tuple[Any, ...]]) -> Any:
        work = self.evaluator(self, expr, names)
        found = [_attempt(work, arguments) for arguments in product(*domains)]
        for domain in reversed(domains[1:]):
            found = [tuple(found[i : i + len(domain)]) for i in range(0, len(found), len(domain))]
        return tuple(found) if domains else found[0]

    def _worth(self, expr: core.Expr, locals_: int) -> bool:
        weight = self.facts.weight(expr)
        if locals_ == 0:
            return weight >= 1
        if (
            isinstance(expr, core.Op)
            and expr.op in _COMPARISONS
            and weight <= 2
            and any(isinstance(a, core.Local) for a in expr.args)
        ):
            return False
        if weight < 2:
            return False
        return any(
            isinstance(e, (core.Comp, core.Call)) or (isinstance(e, core.Op) and e.op in ("table", "set_of"))
            for e in everything(expr)
        )

    # ------------------------------------------------------------ what depends on one packed cell

    def _coded_lookup(self, fn: function.Fn, expr: core.Expr) -> Py | None:
        found = self.coded(expr)
        if found is None:
            return None
        read, inner = found
        grid = self.grid(inner, always=True)
        if grid is None or not grid.names:
            return None
        if len(grid.names) > 1 and self.facts.weight(inner) < 4:
            return None
        from rulesdsl.python.state import raw_cell  # which writes functions, and they use this module

        comment = f"{expr.span.text}, by {' and '.join(n if n != CELL else read.span.text for n in grid.names)}"
        result = Py(self.constant(words_of(expr.span.text), literal(grid.values), comment))
        for name, kind in zip(grid.names, grid.types, strict=True):
            low = kind.lo if isinstance(kind, IntType) else 0
            result = index(result, raw_cell(fn, read) if name == CELL else plus(Py(fn.local(name)), -low))
        return result

    def coded(self, expr: core.Expr) -> tuple[core.Read, core.Expr] | None:
        """The one packed cell that an expression depends on, and the expression with a local, the cell's code, in its
        place."""
        known = self._coded.get(id(expr))
        if known is None:
            known = self._coded[id(expr)] = (expr, self._make_coded(expr))
        return known[1]

    def _make_coded(self, expr: core.Expr) -> tuple[core.Read, core.Expr] | None:
        if self.facts.needs_state(expr) or self.facts.fails(expr) or not _bounded(expr) or self._counts_in(expr):
            return None
        if isinstance(expr, core.Op) and expr.op in ("is_some", "is_none", "some", "unwrap", "cast"):
            return None
        reads = list(outer_reads(expr))
        if not reads or any(isinstance(e, (core.Comp, core.Call)) for e in everything(expr)):
            return None
        if any(shape(read) != shape(reads[0]) for read in reads[1:]):
            return None
        info = self.program.field(reads[0].field) if reads[0].field in self.facts.positions else None
        if info is None or not info.packed or len(reads[0].keys) < len(info.keys):
            return None
        bound = {e.name for e in everything(expr) if isinstance(e, (core.LetIn, core.IfSome))}
        if bound & set(self.facts.free(reads[0])):
            return None
        inner = decoded(expr, core.Local(CELL, info.value, reads[0].span))
        if isinstance(inner, core.Op) and _plain(inner):
            return None
        return (reads[0], inner) if len(self.facts.free(inner)) <= 2 else None


CELL = "the cell"


def decoded(expr: core.Expr, cell: core.Local) -> core.Expr:
    """The expression with the cell in place of every read."""
    if isinstance(expr, core.Read):
        return cell
    return rebuilt(expr, lambda part: decoded(part, cell))


def _plain(expr: core.Op) -> bool:
    """Whether an operation on a cell is best done on the cell itself."""
    if expr.op == "not":
        inner = expr.args[0]
        return isinstance(inner, core.Op) and (inner.op in ("is_some", "is_none") or _plain(inner))
    bare = [part for part in map(_stripped, expr.args) if isinstance(part, core.Local)]
    if expr.op in _COMPARISONS:
        return bool(bare)
    return expr.op in _ARITHMETIC and len(bare) + sum(isinstance(part, core.Const) for part in expr.args) == len(
        expr.args
    )


def _stripped(expr: core.Expr) -> core.Expr:
    while isinstance(expr, core.Op) and expr.op in ("some", "unwrap", "cast"):
        expr = expr.args[0]
    return expr


def _bounded(expr: core.Expr) -> bool:
    """Whether working it out at compile time is sure to be quick: no long ranges."""
    for part in everything(expr):
        if isinstance(part, core.Op) and part.op == "range":
            kind = item_of(part.type)
            count = size(kind)
            if count is None or count > TABLE_LIMIT:
                return False
    return True


def _attempt(work: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
    """The value, or None for arguments that the rules never give (a part that is proved to be there is not)."""
    try:
        return work(*arguments)
    except (TypeError, IndexError, KeyError, ValueError, AttributeError):
        return None


def _map_nested(table: Any, levels: int, change: Callable[[Any], Any]) -> Any:
    if not levels:
        return change(table)
    return tuple(_map_nested(part, levels - 1, change) for part in table)


def listing(kind: Type, value: Any, distinct: bool) -> tuple[Any, ...]:
    """The elements of a collection in order; a bag gives each copy, or each different one."""
    if value is None:
        return ()
    if isinstance(kind, SetType):
        return tuple(value_at(kind.item, i) for i in range(value.bit_length()) if value >> i & 1)
    if isinstance(kind, BagType):
        return tuple(value_at(kind.item, i) for i, n in enumerate(value) for _ in range(min(n, 1) if distinct else n))
    return tuple(dict.fromkeys(value)) if distinct else tuple(value)
