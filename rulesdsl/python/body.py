"""Statements in Python: the bodies of defs, events, flows and effects that run from start to end without a question."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rulesdsl import core
from rulesdsl.lowering.walk import statements
from rulesdsl.points import BRANCH, CLAUSE, LOOP
from rulesdsl.python.code import OR, Py, index, tuple_of
from rulesdsl.python.expr import finish, test
from rulesdsl.python.function import Fn, Leave
from rulesdsl.python.give import assign, give
from rulesdsl.python.loops import decide, iterable, refuse
from rulesdsl.python.state import cell_index, code_of, code_of_value, same_form
from rulesdsl.runtime import STEP_LIMIT
from rulesdsl.types import EnumType

FEW_CELLS = 4

STATEMENTS: dict[type, Callable[[Fn, Any], None]] = {}


def body(fn: Fn, stmts: core.Body) -> None:
    """Writes statements one after the other."""
    for stmt in stmts:
        with fn.code.at(stmt.span):
            STATEMENTS[type(stmt)](fn, stmt)


def _bind(fn: Fn, stmt: core.Bind) -> None:
    fn.preload(stmt.value)
    assign(fn, fn.local(stmt.name), stmt.value, stmt.name)


def _if(fn: Fn, stmt: core.IfStmt) -> None:
    fn.preload(stmt.condition)
    leave = _leaving(fn, stmt)
    if leave is not None:
        refuse(fn, stmt.condition, leave)
        return
    condition = fn.seen(BRANCH, test(fn, stmt.condition), stmt.span)
    with fn.code.block(f"if {condition.text}:"), fn.branch():
        body(fn, stmt.then)
    if stmt.otherwise:
        with fn.code.block("else:"), fn.branch():
            body(fn, stmt.otherwise)


def _leaving(fn: Fn, stmt: core.IfStmt) -> Leave | None:
    """For `if condition: return value` with a value that is known or has a name: how to leave."""
    if stmt.otherwise or len(stmt.then) != 1 or fn.probing or fn.instrumented:
        return None
    only = stmt.then[0]
    if isinstance(only, core.ReturnStmt) and isinstance(only.value, (core.Const, core.Local)):
        return Leave(f"return {fn.value(only.value).text}")
    return None


def _loop(fn: Fn, stmts: core.Body, *exprs: core.Expr | None) -> None:
    """What must be done before a loop: out-of-date fields are forgotten, the others loaded once."""
    facts = fn.module.facts
    writes = facts.body_writes(stmts) if fn.scope.rebuilt is None else frozenset()
    fn.scope.forget(writes)
    reads = set(facts.body_reads(stmts))
    for expr in exprs:
        if expr is not None:
            reads |= facts.reads(expr)
    fn.load(reads - writes)


def count_step(fn: Fn) -> None:
    """One more turn of a loop that may emit events."""
    if not fn.counting:
        return
    fn.code.line("trace.steps += 1")
    with fn.code.block(f"if trace.steps > {STEP_LIMIT}:"):
        fn.code.line(f"{fn.module.helper('too_many_steps')}()")


def _for(fn: Fn, stmt: core.ForStmt) -> None:
    fn.preload(stmt.source)
    source = iterable(fn, stmt.source, False)
    _loop(fn, stmt.body, stmt.condition)
    with fn.code.block(f"for {fn.local(stmt.var)} in {source.text}:"), fn.branch(), fn.looping():
        if stmt.condition is not None:
            decide(fn, BRANCH, stmt.condition, Leave("continue", fn.code.block_id), stmt.condition.span)
        fn.mark(LOOP, stmt.span)
        count_step(fn)
        body(fn, stmt.body)


def _while(fn: Fn, stmt: core.WhileStmt) -> None:
    _loop(fn, stmt.body, stmt.condition)
    with fn.code.block("while True:"), fn.branch(), fn.looping():
        decide(fn, BRANCH, stmt.condition, Leave("break"), stmt.condition.span)
        fn.mark(LOOP, stmt.span)
        count_step(fn)
        body(fn, stmt.body)


def _repeat(fn: Fn, stmt: core.RepeatStmt) -> None:
    if not stmt.body and isinstance(stmt.count, core.Const) and stmt.count.value == 1:
        fn.mark(LOOP, stmt.span)
        count_step(fn)
        return
    fn.preload(stmt.count)
    count = fn.value(stmt.count)
    _loop(fn, stmt.body)
    with fn.code.block(f"for _ in range({count.text}):"), fn.branch(), fn.looping():
        fn.mark(LOOP, stmt.span)
        count_step(fn)
        body(fn, stmt.body)


def _return(fn: Fn, stmt: core.ReturnStmt) -> None:
    if stmt.value is None:
        fn.code.line("return st")
    else:
        give(fn, stmt.value)


def _break(fn: Fn, stmt: core.BreakStmt) -> None:
    fn.code.line("break")


def _continue(fn: Fn, stmt: core.ContinueStmt) -> None:
    fn.code.line("continue")


def _step(fn: Fn, stmt: core.StepStmt) -> None:
    if not stmt.name:
        return
    fn.code.line(f"# step {stmt.name}")
    around, _, name = stmt.name.rpartition(" ")
    fn.mark(CLAUSE, stmt.span, f"{around or 'step'} {fn.module.clause.partition(' ')[2]}.{name}")
    body(fn, stmt.body)


# ---------------------------------------------------------------- what flows do


def _emit(fn: Fn, stmt: core.EmitStmt) -> None:
    fn.preload(*stmt.args)
    position = fn.module.program.event(stmt.event).position
    args = [fn.held(fn.value(arg), "value") for arg in stmt.args]
    if stmt.reveals:
        fn.code.line("trace.reveals.append(len(trace))")
    fn.code.line(f"trace.append({tuple_of([Py(str(position)), *args]).text})")
    fn.code.line(f"st = event_{stmt.event}({', '.join(['st', *(arg.text for arg in args)])})")
    fn.scope.forget(fn.module.facts.writes[stmt.event])


def _call_flow(fn: Fn, stmt: core.CallFlow) -> None:
    fn.preload(*stmt.args)
    args = [fn.value(arg).text for arg in stmt.args]
    fn.code.line(f"st = flow_{stmt.flow}({', '.join(['st', 'trace', *args])})")
    fn.scope.forget(fn.module.facts.flow_writes[stmt.flow])


def _end(fn: Fn, stmt: core.EndStmt) -> None:
    fn.preload(stmt.winners, stmt.scores)
    scores = fn.held(fn.value(stmt.scores), "scores") if stmt.scores is not None else Py("None")
    if stmt.winners is not None:
        winners = fn.value(stmt.winners)
        if isinstance(stmt.winners.type, EnumType):
            winners = fn.module.bit(winners, stmt.winners.type)
    elif stmt.scores is not None:
        winners = Py(f"{fn.module.helper('highest')}({scores.text})")
    else:
        winners = Py(str((1 << len(fn.module.program.player.members)) - 1))
    fn.code.line(f"{fn.module.helper('end_game')}({fn.state()}, trace, {winners.text}, {scores.text})")


# ---------------------------------------------------------------- what events do


def _store(fn: Fn, stmt: core.Store) -> None:
    info = fn.module.program.field(stmt.field)
    fn.preload(*stmt.keys, stmt.value)
    target = fn.field(stmt.field)
    if not info.keys:
        finish(fn, f"{target} = ", fn.value(stmt.value))
    elif not stmt.keys:
        _store_whole(fn, info, target, fn.value(stmt.value))
    else:
        position = cell_index(fn, info, stmt.keys)
        value = code_of(fn, stmt.value, info.value) if info.packed else fn.value(stmt.value)
        if few_cells(info):
            fn.code.line(f"{target} = {_with_cell(fn, target, info.cells, position, value)}")
        else:
            finish(fn, f"{index(Py(target), position).text} = ", value)


def few_cells(info: core.FieldInfo) -> bool:
    """Whether the cells are a short tuple, which is written anew instead of being changed."""
    return not info.packed and info.cells <= FEW_CELLS


def _with_cell(fn: Fn, target: str, count: int, position: Py, value: Py) -> str:
    """A short tuple with another value in one place."""
    position, value = fn.held(position, "at"), fn.held(value, "value")

    def row(place: int) -> str:
        return tuple_of([value if i == place else Py(f"{target}[{i}]") for i in range(count)]).text

    if position.text.isdigit():
        return row(int(position.text))
    choices = [f"{row(place)} if {position.text} == {place} else " for place in range(count - 1)]
    return "".join([*choices, row(count - 1)])


def _store_whole(fn: Fn, info: core.FieldInfo, target: str, value: Py) -> None:
    """All cells at once, from a map."""
    if len(info.keys) > 1:
        value = Py(f"{fn.module.helper('flatten')}({value.text}, {len(info.keys)})")
    if info.packed and not same_form(info.value):
        cell = fn.temp("cell")
        with fn.maybe() as lines:
            code = code_of_value(fn, Py(cell), info.value)
        assert not lines
        value = Py(f"[{code.text} for {cell} in {value.at(OR)}]")
    kind = "bytearray" if info.packed else "list"
    fn.code.line(f"{target} = {kind if stmt_changes(fn, info) else _FROZEN[kind]}({value.text})")


_FROZEN = {"bytearray": "bytes", "list": "tuple"}


def stmt_changes(fn: Fn, info: core.FieldInfo) -> bool:
    """Whether cells of the field are changed in place in this function."""
    return info.name in fn.scope.changing


STATEMENTS.update({
    core.Bind: _bind, core.IfStmt: _if, core.ForStmt: _for, core.WhileStmt: _while, core.RepeatStmt: _repeat,
    core.ReturnStmt: _return, core.BreakStmt: _break, core.ContinueStmt: _continue, core.StepStmt: _step,
    core.EmitStmt: _emit, core.CallFlow: _call_flow, core.EndStmt: _end, core.Store: _store,
})  # fmt: skip


def cells_changed(stmts: core.Body, program: core.Program) -> list[core.FieldInfo]:
    """The fields with keys of which single cells are assigned somewhere in a body."""
    names = {stmt.field for stmt in statements(stmts) if isinstance(stmt, core.Store) and stmt.keys}
    return [info for info in program.fields if info.name in names]
