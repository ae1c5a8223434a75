"""Legal moves in Python: the plan of an action as nested loops, and the test of one move without listing any."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from attrs import define, field

from rulesdsl import core
from rulesdsl.facts import Facts, item_of, walk
from rulesdsl.optimise import simplified
from rulesdsl.python_cells import cells, find_scan, flags, together
from rulesdsl.python_code import Py, index, tuple_of
from rulesdsl.python_comp import iterable, listed, nest_loops
from rulesdsl.python_expr import assign, give, require
from rulesdsl.python_function import Fn, Leave, Scope, new_function
from rulesdsl.python_tables import Module, literal, words_of
from rulesdsl.types import (
    BAG_LIMIT,
    BOOL,
    BagType,
    BoolType,
    EnumType,
    IntType,
    ListType,
    MapType,
    OptionType,
    RecordType,
    SetType,
    Type,
    size,
)  # fmt: skip

MOVES_LIMIT = 4096


def action_function(module: Module, info: core.ActionInfo, name: str, extra: tuple[str, ...] = ()) -> tuple[Fn, str]:
    """A function about one action, and its head. Its parameters are the state, `me` and the given ones."""
    fn = new_function(module, Scope("st"), info.span)
    params = ["st", fn.local("me"), *(fn.local(param.name) for param in info.given), *extra]
    module.code.blank(2)
    return fn, f"def {name}_{info.name}({', '.join(params)}):"


# ---------------------------------------------------------------- plans


@define
class Plan:
    """A plan being written. `leaf` writes what is done with a legal move, `rows` the moves of an innermost loop at once, where
    that is possible."""

    fn: Fn
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
                    require(self.fn, node.condition, go_on)
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
            self.fn.preload(*_plan_exprs(node.body), node.domain)
            self.fn.code.line(f"{name} = None")
        else:
            self.keep(node, name)

    def keep(self, node: core.PlanFilter, name: str) -> None:
        """Works out the elements that a filter keeps."""
        fn = self.fn
        fn.preload(node.domain, *_plan_exprs(node.body))
        clause = as_clause(node.var, node.domain, node.body)
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
            Plan(fn, lambda: None).nodes(node.body, Leave("continue", fn.code.block_id))
            fn.code.line(f"{name}.append({fn.local(node.var)})")

    def loop(self, node: core.PlanLoop) -> None:
        fn = self.fn
        fn.preload(node.domain, *_plan_exprs(node.body))
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


def as_clause(var: str, domain: core.Expr, body: tuple[core.PlanNode, ...]) -> core.Clause | None:
    """A loop whose body is nothing but guards, as the clause of a comprehension."""
    guards = [node.condition for node in body if isinstance(node, core.PlanGuard)]
    if len(guards) < len(body) or isinstance(domain.type, ListType):
        return None
    return core.Clause(var, item_of(domain.type), domain, together(guards))


@define
class Rows:
    """Writes the moves of an innermost loop at once, taken from a table of all moves of the action where there are not too
    many of them."""

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
        clause = as_clause(node.var, node.domain, node.body[:-1])
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
        """A list comprehension of the moves."""
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
    return any(fn.module.facts.fails(expr) for expr in (node.domain, *_plan_exprs(node.body)))


def _plan_exprs(nodes: tuple[core.PlanNode, ...]) -> list[core.Expr]:
    """All expressions in a plan."""
    found: list[core.Expr] = []
    for node in nodes:
        if isinstance(node, core.PlanBind):
            found.append(node.value)
        elif isinstance(node, core.PlanGuard):
            found.append(node.condition)
        elif isinstance(node, (core.PlanLoop, core.PlanFilter)):
            found += [node.domain, *_plan_exprs(node.body)]
    return found


# ---------------------------------------------------------------- the functions of an action


def listing_function(module: Module, info: core.ActionInfo) -> None:
    """`legal_X`: the list of all legal moves."""
    fn, head = action_function(module, info, "legal")
    with module.code.block(head):
        module.code.line("moves = []")
        leaf = f"moves.append({move_code(fn, info).text})"
        Plan(fn, lambda: module.code.line(leaf), Rows(fn, info)).nodes(info.plan, Leave("return moves"))
        module.code.line("return moves")


def any_function(module: Module, info: core.ActionInfo) -> None:
    """`any_X`: whether there is a legal move."""
    fn, head = action_function(module, info, "any")
    with module.code.block(head):
        exists = existence(module.facts, info.plan)
        if exists is not None:
            give(fn, exists)
            return
        Plan(fn, lambda: module.code.line("return True")).nodes(info.plan, Leave("return False"))
        module.code.line("return False")


def existence(facts: Facts, plan: tuple[core.PlanNode, ...]) -> core.Expr | None:
    """Whether a plan has a move, as a condition, if its loops do not depend on each other."""
    filters: dict[str, core.PlanFilter] = {}
    conditions: list[core.Expr] = []
    names: set[str] = set()
    nodes = list(plan)
    while nodes:
        node = nodes.pop(0)
        if isinstance(node, core.PlanFilter):
            filters[node.var] = node
        elif isinstance(node, core.PlanGuard) and not names:
            conditions.append(node.condition)
        elif isinstance(node, core.PlanLoop):
            last = not any(isinstance(inner, core.PlanLoop) for inner in node.body)
            guards = [*(filters[node.var].body if node.prefiltered else ()), *(node.body[:-1] if last else ())]
            clause = as_clause(node.var, node.domain, tuple(guards))
            if (
                clause is None
                or names & _names_in(node.domain)
                or names & {n for e in _plan_exprs(tuple(guards)) for n in _names_in(e)}
            ):
                return None
            names.add(node.var)
            conditions.append(_some(clause))
            nodes = [] if last else list(node.body)
        elif not isinstance(node, core.PlanMove):
            return None
    conditions = [simplified(facts, condition) for condition in conditions]
    return together(conditions) or core.Const(True, BOOL, _span_of(plan))


def _span_of(plan: tuple[core.PlanNode, ...]) -> Any:
    return next((node.span for node in plan if isinstance(node, core.PlanGuard)), None)


def _some(clause: core.Clause) -> core.Expr:
    """Whether a loop finds something."""
    span = clause.source.span
    if clause.condition is None and not (isinstance(clause.source, core.Op) and clause.source.op == "range"):
        return core.Op("nonempty", (clause.source,), BOOL, span)
    return core.Comp("any", core.Const(True, BOOL, span), (clause,), BOOL, span)


def _names_in(expr: core.Expr) -> set[str]:
    return set(_names(expr))


def allows_function(module: Module, info: core.ActionInfo) -> None:
    """`allows_X`: whether one move, which may be any tuple, is legal."""
    fn, head = action_function(module, info, "allows", ("move",))
    no = Leave("return False")
    with module.code.block(head):
        with module.code.block(f"if len(move) != {len(info.chosen) + 1}:"):
            module.code.line("return False")
        names = [fn.local(item.name) for item in info.chosen]
        if names:
            module.code.line(f"_, {', '.join(names)} = move")
        for item, name in zip(info.chosen, names, strict=True):
            with module.code.at(item.span):
                with module.code.block(f"if not ({type_check(item_of(item.domain.type), name)}):"):
                    module.code.line("return False")
                inside = simplified(module.facts, membership(item))
                if not isinstance(inside, core.Const):
                    require(fn, inside, no)
                elif not inside.value:
                    module.code.line("return False")
        for part in info.prelude:
            with module.code.at(part.span):
                if isinstance(part, core.Guard):
                    require(fn, part.condition, no)
                else:
                    fn.preload(part.value)
                    assign(fn, fn.local(part.name), part.value, part.name)
        module.code.line("return True")


def membership(item: core.Chosen) -> core.Expr:
    """Whether a chosen value is in its domain, as a condition."""
    domain = item.domain
    local = core.Local(item.name, item_of(domain.type), item.span)
    if isinstance(domain, core.Op) and domain.op == "range":
        low = core.Op("ge", (local, domain.args[0]), BOOL, item.span)
        high = core.Op("le", (local, domain.args[1]), BOOL, item.span)
        return core.Op("and", (low, high), BOOL, item.span)
    name = {SetType: "set_has", BagType: "bag_has", ListType: "list_has"}[type(domain.type)]
    return core.Op(name, (domain, local), BOOL, item.span)


def type_check(kind: Type, name: str) -> str:
    """Python code that is true for a value of a type, and false for anything else."""
    if isinstance(kind, IntType):
        return f"type({name}) is int and {kind.lo} <= {name} <= {kind.hi}"
    if isinstance(kind, BoolType):
        return f"type({name}) is bool"
    if isinstance(kind, EnumType):
        return f"type({name}) is int and 0 <= {name} < {len(kind.members)}"
    if isinstance(kind, SetType):
        return f"type({name}) is int and 0 <= {name} < {1 << (size(kind.item) or 0)}"
    if isinstance(kind, OptionType):
        return f"({name} is None or {type_check(kind.item, name)})"
    return f"type({name}) is tuple and {_tuple_check(kind, name)}"


def _tuple_check(kind: Type, name: str) -> str:
    if isinstance(kind, RecordType):
        inner = [type_check(part, f"{name}[{i}]") for i, (_, part) in enumerate(kind.fields)]
        return " and ".join([f"len({name}) == {len(kind.fields)}", *inner])
    part = f"{name.partition('[')[0]}_part"
    if isinstance(kind, BagType):
        test = type_check(IntType(0, BAG_LIMIT), part)
        return f"len({name}) == {size(kind.item)} and all({test} for {part} in {name})"
    if isinstance(kind, ListType):
        return f"len({name}) <= {kind.limit} and all({type_check(kind.item, part)} for {part} in {name})"
    assert isinstance(kind, MapType), kind
    return f"len({name}) == {size(kind.key)} and all({type_check(kind.value, part)} for {part} in {name})"


# ---------------------------------------------------------------- what is used after the question


def needed_lets(info: core.ActionInfo, used: set[str]) -> list[core.ActionLet]:
    """The lets of the prelude that the effects use, in order, with those that they rely on."""
    lets = [part for part in info.prelude if isinstance(part, core.ActionLet)]
    wanted = set(used)
    for part in reversed(lets):
        if part.name in wanted:
            wanted |= set(_names(part.value))
    return [part for part in lets if part.name in wanted]


def _names(expr: core.Expr) -> list[str]:
    return [part.name for part in walk(expr) if isinstance(part, core.Local)]
