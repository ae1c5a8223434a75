"""Prints `core` for people: what `rulesdsl check --core` shows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, assert_never

from rulesdsl import core
from rulesdsl.types import (
    BagType,
    EnumType,
    ListType,
    MapType,
    OptionType,
    RecordType,
    SetType,
    Type,
    size,
    value_at,
)

_INFIX = {
    "add": "+", "sub": "-", "mul": "*", "floordiv": "//", "mod": "%", "eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">",
    "ge": ">=", "and": "and", "or": "or", "or_else": "or", "set_union": "|", "set_inter": "&", "set_diff": "-", "set_le": "<=",
    "set_lt": "<", "bag_plus": "+", "bag_minus": "-", "bag_scale": "*", "bag_le": "<=", "bag_lt": "<", "list_concat": "+",
}  # fmt: skip


def value_text(kind: Type, value: Any) -> str:
    """A value in internal form as it would be written."""
    if value is None:
        return "none"
    if isinstance(kind, OptionType):
        return value_text(kind.item, value)
    if isinstance(kind, EnumType):
        return str(kind.members[int(value)])
    if isinstance(kind, RecordType):
        parts = zip(kind.fields, value, strict=True)
        return f"{kind.name}({', '.join(f'{name}={value_text(item, part)}' for (name, item), part in parts)})"
    if isinstance(kind, SetType):
        if value == (1 << (size(kind.item) or 0)) - 1 and isinstance(kind.item, EnumType):
            return kind.item.name
        return (
            "{"
            + ", ".join(
                value_text(kind.item, value_at(kind.item, i)) for i in range(value.bit_length()) if value >> i & 1
            )
            + "}"
        )
    if isinstance(kind, BagType):
        counts = [f"{value_text(kind.item, value_at(kind.item, i))}: {n}" for i, n in enumerate(value) if n]
        return "{" + ", ".join(counts) + "}"
    if isinstance(kind, ListType):
        return "[" + ", ".join(value_text(kind.item, item) for item in value) + "]"
    if isinstance(kind, MapType):
        pairs = [
            f"{value_text(kind.key, value_at(kind.key, i))}: {value_text(kind.value, v)}" for i, v in enumerate(value)
        ]
        return "{" + ", ".join(pairs) + "}"
    return str(value).lower() if isinstance(value, bool) else str(value)


def expr_text(expr: core.Expr) -> str:
    """An expression of `core` on one line."""
    if isinstance(expr, core.Const):
        return value_text(expr.type, expr.value)
    if isinstance(expr, core.Local):
        return expr.name
    if isinstance(expr, core.Read):
        name = f"before.{expr.field}" if expr.before else expr.field
        return name + "".join(f"[{expr_text(key)}]" for key in expr.keys)
    if isinstance(expr, core.Op):
        return _op_text(expr)
    if isinstance(expr, core.Comp):
        loops = " ".join(
            f"for {c.var}: {c.var_type} in {expr_text(c.source)}"
            + (f" if {expr_text(c.condition)}" if c.condition else "")
            for c in expr.clauses
        )
        key = f"{expr_text(expr.key)}: " if expr.key is not None else ""
        return f"{expr.kind}({key}{expr_text(expr.element)} {loops})"
    if isinstance(expr, core.Call):
        return f"{expr.name}({', '.join(map(expr_text, expr.args))})"
    if isinstance(expr, core.After):
        events = "".join(f" after {name}({', '.join(map(expr_text, args))})" for name, args in expr.events)
        return f"({expr_text(expr.body)}{events})"
    if isinstance(expr, core.CanDo):
        return f"({expr_text(expr.who)} can {expr.action}({', '.join(map(expr_text, expr.given))}))"
    if isinstance(expr, core.Checked):
        return f"checked({expr_text(expr.expr)}, {expr.lo}..{expr.hi})"
    if isinstance(expr, core.LetIn):
        return f"(let {expr.name} = {expr_text(expr.value)} in {expr_text(expr.body)})"
    assert isinstance(expr, core.IfSome)
    return f"(if_some {expr.name} = {expr_text(expr.value)} then {expr_text(expr.body)})"


def _op_text(expr: core.Op) -> str:
    args = [expr_text(arg) for arg in expr.args]
    if expr.op in _INFIX and len(args) == 2:
        return f"({args[0]} {_INFIX[expr.op]} {args[1]})"
    if expr.op == "get":
        kind = expr.args[0].type
        name = kind.fields[expr.data][0] if isinstance(kind, RecordType) else expr.data
        return f"{args[0]}.{name}"
    if expr.op == "table":
        return f"{expr.data.name}[{', '.join(args)}]"
    if expr.op == "if":
        return f"({args[1]} if {args[0]} else {args[2]})"
    if expr.op == "range":
        return f"{args[0]}..{args[1]}"
    if expr.op in ("set_has", "bag_has", "list_has"):
        return f"({args[1]} in {args[0]})"
    return f"{expr.op}({', '.join(args)})"


# ---------------------------------------------------------------- statements


def body_text(body: core.Body, indent: str = "    ") -> Iterator[str]:
    """The lines of a body."""
    if not body:
        yield f"{indent}pass"
    for stmt in body:
        yield from _stmt_text(stmt, indent)


def _stmt_text(stmt: core.Stmt, indent: str) -> Iterator[str]:
    deeper = indent + "    "
    if isinstance(stmt, core.Bind):
        yield f"{indent}{'let ' if stmt.declares else ''}{stmt.name}: {stmt.value.type} = {expr_text(stmt.value)}"
    elif isinstance(stmt, core.Store):
        yield f"{indent}{stmt.field}{''.join(f'[{expr_text(k)}]' for k in stmt.keys)} = {expr_text(stmt.value)}"
    elif isinstance(stmt, core.IfStmt):
        yield f"{indent}if {expr_text(stmt.condition)}:"
        yield from body_text(stmt.then, deeper)
        if stmt.otherwise:
            yield f"{indent}else:"
            yield from body_text(stmt.otherwise, deeper)
    elif isinstance(stmt, core.ForStmt):
        test = f" if {expr_text(stmt.condition)}" if stmt.condition is not None else ""
        yield f"{indent}for {stmt.var}: {stmt.var_type} in {expr_text(stmt.source)}{test}:"
        yield from body_text(stmt.body, deeper)
    elif isinstance(stmt, core.WhileStmt):
        yield f"{indent}while {expr_text(stmt.condition)}:"
        yield from body_text(stmt.body, deeper)
    elif isinstance(stmt, core.RepeatStmt):
        if stmt.body:
            yield f"{indent}repeat {expr_text(stmt.count)}:"
            yield from body_text(stmt.body, deeper)
        else:
            yield f"{indent}count_step"
    elif isinstance(stmt, core.StepStmt):
        yield f"{indent}step {stmt.name}:"
        yield from body_text(stmt.body, deeper)
    elif isinstance(stmt, core.EmitStmt):
        yield f"{indent}emit {stmt.event}({', '.join(map(expr_text, stmt.args))}){'  # reveals' if stmt.reveals else ''}"
    elif isinstance(stmt, core.CallFlow):
        yield f"{indent}{stmt.flow}({', '.join(map(expr_text, stmt.args))})"
    elif isinstance(stmt, core.EndStmt):
        parts = [
            f" win {expr_text(stmt.winners)}" if stmt.winners is not None else "",
            f" scores {expr_text(stmt.scores)}" if stmt.scores is not None else "",
        ]
        yield f"{indent}end{''.join(parts)}"
    elif isinstance(stmt, core.ReturnStmt):
        yield f"{indent}return{' ' + expr_text(stmt.value) if stmt.value is not None else ''}"
    elif isinstance(stmt, (core.BreakStmt, core.ContinueStmt)):
        yield f"{indent}{'break' if isinstance(stmt, core.BreakStmt) else 'continue'}"
    elif isinstance(stmt, (core.DrawStmt, core.AskStmt, core.TurnsStmt)):
        raise AssertionError(f"{stmt} is there before `lower` only")
    else:
        assert_never(stmt)


def machine_text(machine: core.Machine) -> Iterator[str]:
    """The blocks of a machine."""
    for block in machine.blocks:
        yield f"  block {block.number} ({', '.join(block.live)})"
        if block.body:
            yield from body_text(block.body)
        yield f"    -> {_end_text(block.end)}"


def _end_text(end: core.Terminator) -> str:
    if isinstance(end, core.Jump):
        return f"block {end.to}"
    if isinstance(end, core.Branch):
        return f"block {end.then} if {expr_text(end.condition)} else block {end.otherwise}"
    if isinstance(end, core.CallMachine):
        return f"{end.flow}({', '.join(map(expr_text, end.args))}), then block {end.to}"
    if isinstance(end, core.Question):
        offers = " or ".join(f"{o.action}({', '.join(map(expr_text, o.given))})" for o in end.offers)
        on_pass = f", pass: block {end.on_pass}" if end.on_pass is not None else ""
        otherwise = f", otherwise: block {end.otherwise}" if end.otherwise is not None else ""
        return f"ask {expr_text(end.who)}: {offers}, then block {end.to}{on_pass}{otherwise}"
    if isinstance(end, core.Chance):
        return f"draw {end.name}: {end.type} from {expr_text(end.source)}, then block {end.to}"
    return "finish"


# ---------------------------------------------------------------- the program


def program_text(program: core.Program) -> str:
    """A whole program."""
    return "\n".join(_program_lines(program)) + "\n"


def _params(params: tuple[core.ParamInfo, ...]) -> str:
    def one(p: core.ParamInfo) -> str:
        if p.audience is None:
            return f"{p.name}: {p.type}"
        return f"{p.name}: {p.type} " + (f"private to {' and '.join(p.audience)}" if p.audience else "hidden")

    return ", ".join(map(one, params))


def _program_lines(program: core.Program) -> Iterator[str]:
    yield f"program {program.name}: {len(program.player.members)} players"
    for name, kind, value in program.parameters:
        yield f"param {name}: {kind} = {value_text(kind, value)}"
    for info in program.fields:
        keys = "".join(f"[{key}]" for key in info.keys)
        form = f"{info.cells} bytes" if info.packed else f"{info.cells} cells" if info.keys else "one value"
        first = expr_text(info.initial) if info.initial is not None else "?"
        yield f"field {info.visibility} {info.name}{keys}: {info.value} = {first}  # {form}"
    for item in program.defs:
        marks = [word for word, on in (("recursive", item.recursive), ("can fail", item.fails)) if on]
        yield ""
        yield f"def {item.name}({_params(item.params)}) -> {item.result}:{'  # ' + ', '.join(marks) if marks else ''}"
        yield from body_text(item.body)
    for event in program.events:
        yield ""
        yield f"event {event.name}({_params(event.params)}):  # reads {', '.join(sorted(event.reads)) or 'nothing'}"
        yield from body_text(event.body)
    for action in program.actions:
        yield ""
        yield f"action {action.name}({_params(action.given)}):"
        yield from _plan_text(action.plan, "  ")
        yield "  effects:"
        yield from (machine_text(action.machine) if action.machine is not None else body_text(action.effects or ()))
    for flow in program.flows:
        yield ""
        yield f"flow {flow.name}({_params(flow.params)}):"
        yield from (machine_text(flow.machine) if flow.machine is not None else body_text(flow.body or ()))
    for measure in program.measures:
        yield ""
        yield f"measure {measure.name}({_params(measure.params)}) -> {measure.result}: {expr_text(measure.value)}"
    if program.goals != tuple(measure.name for measure in program.measures):
        yield ""
        yield f"goals {', '.join(program.goals)}"
    for word, laws in (("invariant", program.invariants), ("transition", program.transitions)):
        for law in laws:
            yield ""
            yield f'{word} "{law.text}":  # reads {", ".join(sorted(law.reads)) or "nothing"}'
            yield f"    {expr_text(law.condition)}"


def _plan_text(nodes: tuple[core.PlanNode, ...], indent: str) -> Iterator[str]:
    for node in nodes:
        if isinstance(node, core.PlanLoop):
            source = f"kept {node.var}" if node.prefiltered else expr_text(node.domain)
            yield f"{indent}for {node.var} in {source}:"
            yield from _plan_text(node.body, indent + "  ")
        elif isinstance(node, core.PlanFilter):
            yield f"{indent}keep {node.var} in {expr_text(node.domain)}:"
            yield from _plan_text(node.body, indent + "  ")
        elif isinstance(node, core.PlanBind):
            yield f"{indent}let {node.name} = {expr_text(node.value)}"
        elif isinstance(node, core.PlanGuard):
            yield f"{indent}require {node.name}: {expr_text(node.condition)}"
        else:
            yield f"{indent}move"
