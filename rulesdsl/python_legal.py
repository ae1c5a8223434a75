"""Legal moves in Python: the plan of an action as nested loops, and the test of one move without listing any."""

from __future__ import annotations

from collections.abc import Callable

from attrs import define, field

from rulesdsl import core
from rulesdsl.facts import item_of
from rulesdsl.python_code import Py, tuple_of
from rulesdsl.python_comp import iterable
from rulesdsl.python_expr import assign, require
from rulesdsl.python_function import Fn, Leave, Scope, new_function
from rulesdsl.python_tables import Module
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


def action_function(module: Module, info: core.ActionInfo, name: str, extra: tuple[str, ...] = ()) -> tuple[Fn, str]:
    """A function about one action, and its head. Its parameters are the state, `me` and the given ones."""
    fn = new_function(module, Scope("st"), info.span)
    params = ["st", fn.local("me"), *(fn.local(param.name) for param in info.given), *extra]
    module.code.blank(2)
    return fn, f"def {name}_{info.name}({', '.join(params)}):"


# ---------------------------------------------------------------- plans


@define
class Plan:
    """A plan being written. `leaf` writes what is done with a legal move."""

    fn: Fn
    leaf: Callable[[], None]
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
        fn.code.line(f"{name} = []")
        with fn.branch(), fn.code.block(f"for {fn.local(node.var)} in {domain_elements(fn, node.domain).text}:"):
            Plan(fn, lambda: None).nodes(node.body, Leave("continue", fn.code.block_id))
            fn.code.line(f"{name}.append({fn.local(node.var)})")

    def loop(self, node: core.PlanLoop) -> None:
        fn = self.fn
        fn.preload(node.domain, *_plan_exprs(node.body))
        if node.prefiltered:
            source = Py(self.kept[node.var])
            pending = self.lazy.pop(node.var, None)
            if pending is not None:
                with fn.code.block(f"if {source.text} is None:"), fn.branch():
                    self.keep(pending, source.text)
        else:
            source = domain_elements(fn, node.domain)
        with fn.branch(), fn.code.block(f"for {fn.local(node.var)} in {source.text}:"):
            self.nodes(node.body, Leave("continue", fn.code.block_id))


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
        move = tuple_of([Py(str(info.position)), *(Py(fn.local(item.name)) for item in info.chosen)])
        Plan(fn, lambda: module.code.line(f"moves.append({move.text})")).nodes(info.plan, Leave("return moves"))
        module.code.line("return moves")


def any_function(module: Module, info: core.ActionInfo) -> None:
    """`any_X`: whether there is a legal move."""
    fn, head = action_function(module, info, "any")
    with module.code.block(head):
        Plan(fn, lambda: module.code.line("return True")).nodes(info.plan, Leave("return False"))
        module.code.line("return False")


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
                require(fn, membership(item), no)
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
    from rulesdsl.facts import walk

    return [part.name for part in walk(expr) if isinstance(part, core.Local)]
