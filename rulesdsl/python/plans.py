"""Plans in Python: the nested loops that list an action's legal moves."""

from __future__ import annotations

import math
from collections.abc import Callable

from attrs import define, field

from rulesdsl import core
from rulesdsl.lowering.facts import item_of
from rulesdsl.points import GUARD
from rulesdsl.python.cells import cells, find_scan, flags, together
from rulesdsl.python.code import Py, index, tuple_of
from rulesdsl.python.function import Fn, Leave
from rulesdsl.python.give import assign
from rulesdsl.python.loops import decide, iterable, listed, nest_loops
from rulesdsl.python.tables import Grid, Module, listing, literal, words_of
from rulesdsl.types import (
    BOOL,
    EnumType,
    IntType,
    ListType,
    Type,
    size,
)  # fmt: skip

MOVES_LIMIT = 4096
LONG = 12
"""From so many elements on a comprehension is quicker than a loop that appends."""


@define
class Plan:
    """A plan being written. `leaf` writes what is done with a legal move, `rows` the moves of an innermost loop at
    once, where that is possible."""

    fn: Fn
    action: str
    leaf: Callable[[], None]
    rows: Rows | None = None
    lazy: dict[str, core.PlanFilter] = field(factory=dict)
    kept: dict[str, str] = field(factory=dict)

    def nodes(self, nodes: tuple[core.PlanNode, ...], go_on: Leave) -> None:
        for node in nodes:
            if isinstance(node, core.PlanBind):
                self.fn.preload(node.value)
                assign(self.fn, self.fn.local(node.name), node.value, node.name)
            elif isinstance(node, core.PlanGuard):
                with self.fn.code.at(node.span):
                    decide(self.fn, GUARD, node.condition, go_on, node.span, f"require {self.action}.{node.name}")
            elif isinstance(node, core.PlanFilter):
                self.filter(node)
            elif isinstance(node, core.PlanLoop):
                self.loop(node)
            else:
                self.leaf()

    def filter(self, node: core.PlanFilter) -> None:
        name = self.kept[node.var] = self.fn.temp(f"kept_{node.var}")
        if _may_fail(self.fn, node):
            self.lazy[node.var] = node
            self.fn.preload(*plan_exprs(node.body), node.domain)
            self.fn.code.line(f"{name} = None")
        else:
            self.keep(node, name)

    def keep(self, node: core.PlanFilter, name: str) -> None:
        """Works out the elements that a filter keeps."""
        fn = self.fn
        fn.preload(node.domain, *plan_exprs(node.body))
        clause = as_clause(fn.module, node.var, node.domain, node.body)
        if clause is not None:
            var = core.Local(clause.var, clause.var_type, node.domain.span)
            inline = listed(fn, var, clause)
            if inline is not None:
                fn.code.line(f"{name} = {inline.text}")
            else:
                fn.code.line(f"{name} = []")
                with fn.branch():
                    nest_loops(fn, (clause,), lambda: fn.code.line(f"{name}.append({fn.local(node.var)})"), True)
            if self.rows is not None and self.rows.takes(node.var):
                fn.code.line(f"{self.rows.take} = {fn.module.helper('picker')}({name})")
            return
        fn.code.line(f"{name} = []")
        with fn.branch(), fn.code.block(f"for {fn.local(node.var)} in {domain_elements(fn, node.domain).text}:"):
            Plan(fn, self.action, lambda: None).nodes(node.body, Leave("continue", fn.code.block_id))
            fn.code.line(f"{name}.append({fn.local(node.var)})")

    def loop(self, node: core.PlanLoop) -> None:
        fn = self.fn
        fn.preload(node.domain, *plan_exprs(node.body))
        if node.prefiltered:
            pending = self.lazy.pop(node.var, None)
            if pending is not None:
                with fn.code.block(f"if {self.kept[node.var]} is None:"), fn.branch():
                    self.keep(pending, self.kept[node.var])
        if self.rows is not None and self.rows.write(node, self.kept.get(node.var) if node.prefiltered else None):
            return
        source = Py(self.kept[node.var]) if node.prefiltered else domain_elements(fn, node.domain)
        with fn.branch(), fn.code.block(f"for {fn.local(node.var)} in {source.text}:"):
            self.nodes(node.body, Leave("continue", fn.code.block_id))


def as_clause(module: Module, var: str, domain: core.Expr, body: tuple[core.PlanNode, ...]) -> core.Clause | None:
    """A loop whose body is nothing but guards, as the clause of a comprehension; not where guards are counted."""
    guards = [node.condition for node in body if isinstance(node, core.PlanGuard)]
    if len(guards) < len(body) or isinstance(domain.type, ListType) or (guards and module.points is not None):
        return None
    return core.Clause(var, item_of(domain.type), domain, together(guards))


@define
class Rows:
    """Writes the moves of an innermost loop at once, taken from a table of all moves of the action where there are
    not too many of them."""

    fn: Fn
    info: core.ActionInfo
    take: str = ""

    def takes(self, var: str) -> bool:
        """Whether the moves for the kept values of a parameter are picked out of the table."""
        if var != self.info.chosen[-1].name or self.row() is None:
            return False
        loop = innermost(self.info.plan)
        if loop is None or loop.body != (core.PlanMove(),):
            return False
        self.take = self.fn.temp("take")
        return True

    def write(self, node: core.PlanLoop, kept: str | None) -> bool:
        """Adds the moves of a loop; False if they need a loop."""
        if not isinstance(node.body[-1], core.PlanMove) or node.var != self.info.chosen[-1].name:
            return False
        fn = self.fn
        clause = as_clause(fn.module, node.var, node.domain, node.body[:-1])
        if clause is None:
            return False
        row = self.row()
        if row is None:
            return self.plain(clause, kept)
        if kept is not None and clause.condition is None and self.take:
            self.add(f"{self.take}({row.text})")
            return True
        scan = None if kept else find_scan(fn, clause.var, clause.var_type, clause.source, clause.condition)
        if scan is not None and scan.rest is None and scan.tested is not None and not scan.bounded:
            marks = flags(fn, scan.tested, cells(fn, scan.tested))
            self.add(f"{fn.module.helper('compress')}({row.text}, {marks.text})")
            return True
        return self.plain(clause, kept)

    def row(self) -> Py | None:
        """The moves for all values of the last parameter."""
        kinds = [item.type for item in self.info.chosen]
        sizes = [size(kind) or 0 for kind in kinds]
        if not all(plain_positions(kind) for kind in kinds) or not 0 < math.prod(sizes) <= MOVES_LIMIT:
            return None
        position = self.info.position
        source = f"{self.fn.module.helper('all_moves')}(({position},), {literal(tuple(sizes))})"
        table = Py(
            self.fn.module.constant(f"MOVES_{words_of(self.info.name)}", source, f"all moves of {self.info.name}")
        )
        for item in self.info.chosen[:-1]:
            table = index(table, Py(self.fn.local(item.name)))
        return table

    def plain(self, clause: core.Clause, kept: str | None) -> bool:
        """A list comprehension of the moves, where it is worth a call in every turn of the loops around it."""
        if kept is None and len(self.info.chosen) > 1 and average(self.fn.module, clause.source) < LONG:
            return False
        move = move_code(self.fn, self.info).text
        if kept is not None:
            if clause.condition is not None:
                return False
            self.add(f"[{move} for {self.fn.local(clause.var)} in {kept}]")
            return True
        element = core.Op(
            "record", tuple(core.Local(c.name, c.type, c.span) for c in self.info.chosen), BOOL, self.info.span
        )
        code = listed(self.fn, element, clause)
        if code is None:
            return False
        inner = tuple_of([Py(self.fn.local(item.name)) for item in self.info.chosen]).text
        self.add(code.text.replace(f"[{inner} for ", f"[{move} for ", 1))
        return True

    def add(self, code: str) -> None:
        self.fn.code.line(f"moves += {code}")


def average(module: Module, domain: core.Expr) -> float:
    """How many elements a domain has on average, as far as that is known before play; 0 where it is not."""
    grid = Grid((), (), domain.value) if isinstance(domain, core.Const) else module.grid(domain, always=True)
    if grid is None:
        return 0.0
    found = [grid.values]
    for _ in grid.names:
        found = [part for values in found for part in values]
    return sum(len(listing(domain.type, value, True)) for value in found) / len(found)


def innermost(nodes: tuple[core.PlanNode, ...]) -> core.PlanLoop | None:
    """The last loop of a plan."""
    for node in nodes:
        if isinstance(node, core.PlanLoop):
            return innermost(node.body) or node
    return None


def plain_positions(kind: Type) -> bool:
    """Whether the values are 0, 1, 2 ..."""
    return isinstance(kind, EnumType) or (isinstance(kind, IntType) and kind.lo == 0)


def move_code(fn: Fn, info: core.ActionInfo) -> Py:
    return tuple_of([Py(str(info.position)), *(Py(fn.local(item.name)) for item in info.chosen)])


def domain_elements(fn: Fn, domain: core.Expr) -> Py:
    """The different elements of a domain, in order."""
    source = iterable(fn, domain, True)
    known = isinstance(domain, core.Const) or fn.module.grid(domain, always=True) is not None
    if isinstance(domain.type, ListType) and not known:
        return Py(f"dict.fromkeys({source.text})")
    return source


def _may_fail(fn: Fn, node: core.PlanFilter) -> bool:
    return any(fn.module.facts.fails(expr) for expr in (node.domain, *plan_exprs(node.body)))


def plan_exprs(nodes: tuple[core.PlanNode, ...]) -> list[core.Expr]:
    """All expressions in a plan."""
    found: list[core.Expr] = []
    for node in nodes:
        if isinstance(node, core.PlanBind):
            found.append(node.value)
        elif isinstance(node, core.PlanGuard):
            found.append(node.condition)
        elif isinstance(node, (core.PlanLoop, core.PlanFilter)):
            found += [node.domain, *plan_exprs(node.body)]
    return found
