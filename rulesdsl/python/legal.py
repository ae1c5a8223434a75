"""Legal moves in Python: all of an action, whether there is one, and the test of a move without listing any."""

from __future__ import annotations

from typing import Any

from rulesdsl import core
from rulesdsl.lowering.facts import item_of
from rulesdsl.lowering.simplify import simplified
from rulesdsl.lowering.walk import everything
from rulesdsl.points import GUARD
from rulesdsl.python.cells import together
from rulesdsl.python.function import Fn, Leave, Scope, new_function
from rulesdsl.python.give import assign, give
from rulesdsl.python.loops import decide, require
from rulesdsl.python.plans import Plan, Rows, as_clause, move_code, plan_exprs
from rulesdsl.python.tables import Module
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


# ---------------------------------------------------------------- the functions of an action


def listing_function(module: Module, info: core.ActionInfo) -> None:
    """`legal_X`: the list of all legal moves."""
    fn, head = action_function(module, info, "legal")
    with module.code.block(head):
        module.code.line("moves = []")
        leaf = f"moves.append({move_code(fn, info).text})"
        Plan(fn, info.name, lambda: module.code.line(leaf), Rows(fn, info)).nodes(info.plan, Leave("return moves"))
        module.code.line("return moves")


def any_function(module: Module, info: core.ActionInfo) -> None:
    """`any_X`: whether there is a legal move."""
    fn, head = action_function(module, info, "any")
    with module.code.block(head):
        exists = existence(module, info.plan)
        if exists is not None:
            give(fn, exists)
            return
        Plan(fn, info.name, lambda: module.code.line("return True")).nodes(info.plan, Leave("return False"))
        module.code.line("return False")


def existence(module: Module, plan: tuple[core.PlanNode, ...]) -> core.Expr | None:
    """Whether a plan has a move, as a condition, if its loops do not depend on each other and its guards are not counted."""
    filters: dict[str, core.PlanFilter] = {}
    conditions: list[core.Expr] = []
    names: set[str] = set()
    nodes = list(plan)
    while nodes:
        node = nodes.pop(0)
        if isinstance(node, core.PlanFilter):
            filters[node.var] = node
        elif isinstance(node, core.PlanGuard) and not names and module.points is None:
            conditions.append(node.condition)
        elif isinstance(node, core.PlanLoop):
            last = not any(isinstance(inner, core.PlanLoop) for inner in node.body)
            guards = [*(filters[node.var].body if node.prefiltered else ()), *(node.body[:-1] if last else ())]
            clause = as_clause(module, node.var, node.domain, tuple(guards))
            if (
                clause is None
                or names & _names_in(node.domain)
                or names & {n for e in plan_exprs(tuple(guards)) for n in _names_in(e)}
            ):
                return None
            names.add(node.var)
            conditions.append(_some(clause))
            nodes = [] if last else list(node.body)
        elif not isinstance(node, core.PlanMove):
            return None
    conditions = [simplified(module.facts, condition) for condition in conditions]
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
                    decide(fn, GUARD, part.condition, no, part.span, f"require {info.name}.{part.name}")
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
    return [part.name for part in everything(expr) if isinstance(part, core.Local)]
