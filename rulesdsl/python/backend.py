"""The Python back end: from a checked program to the source of one readable module, and from source to a loaded module.

`generate` writes, `load_module` loads, `extra` compiles further expressions against a loaded module (for scenarios and
explanations). What a generated module offers is in the section "What the machine calls" at its end.
"""

from __future__ import annotations

import linecache
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any

from attrs import frozen

import rulesdsl.python.collections
import rulesdsl.python.comp
import rulesdsl.python.ops  # noqa: F401
from rulesdsl import core, runtime
from rulesdsl.diagnostics import Span
from rulesdsl.lowering.facts import Facts
from rulesdsl.lowering.optimise import optimise
from rulesdsl.lowering.walk import everything
from rulesdsl.points import CLAUSE, Point, Points
from rulesdsl.python.api import api
from rulesdsl.python.body import body
from rulesdsl.python.code import Emitter, render
from rulesdsl.python.events import event, initial, storing
from rulesdsl.python.flow import action_params, plain_effects, plain_flow
from rulesdsl.python.function import Fn, Scope, new_function
from rulesdsl.python.give import give, returns_itself
from rulesdsl.python.legal import allows_function, any_function, listing_function, needed_lets
from rulesdsl.python.machine import MachineCode, entry_function, find_heads, head_function
from rulesdsl.python.questions import chance_functions, question_functions
from rulesdsl.python.tables import Module

Places = tuple[tuple[int, str, int, int], ...]


@frozen
class Generated:
    """Python source, and for its lines the place in the rules: (python line, file name, rules line, column).
    `points`: what it counts, if it is instrumented; see `rulesdsl.points`."""

    source: str
    lines: Places
    points: tuple[Point, ...] = ()


@frozen
class ExtraFunction:
    """An expression or a body to be compiled against a loaded module; see `extra`."""

    name: str
    params: tuple[str, ...]
    value: core.Expr | None = None
    body: core.Body | None = None
    probe: bool = False


# ---------------------------------------------------------------- the module


Prepared = tuple[core.Program, Facts]


def prepare(program: core.Program, instrumented: bool = False) -> Prepared:
    """A program as code is made from it: optimised, with its facts."""
    optimised = optimise(program, instrumented)
    return optimised, Facts(optimised)


def generate(program: core.Program, instrumented: bool = False, prepared: Prepared | None = None) -> Generated:
    """The source of the module that plays a program. The same program gives the same source in every process.
    `instrumented`: it counts what happens, see `rulesdsl.points`. `prepared`: what `prepare` gave for it, if that is known."""
    program, facts = prepared or prepare(program, instrumented)
    module = Module(program, facts, evaluate, points=Points() if instrumented else None)
    initial(module)
    for item in program.events:
        module.clause = f"event {item.name}"
        event(module, item)
    measures = {measure.name for measure in program.measures}
    for definition in program.defs:
        module.clause = f"{'measure' if definition.name in measures else 'def'} {definition.name}"
        def_function(module, definition)
    for action in program.actions:
        module.clause = f"action {action.name}"
        listing_function(module, action)
        any_function(module, action)
        allows_function(module, action)
        if action.machine is None:
            plain_effects(module, action)
    for flow in program.flows:
        if flow.machine is None:
            module.clause = f"flow {flow.name}"
            plain_flow(module, flow)
    codes = machines(module)
    laws(module)
    api(module, codes)
    return assembled(module)


def machines(module: Module) -> dict[tuple[str, str], MachineCode]:
    """All flows and actions that may ask, as blocks."""
    codes = numbered(module.program)
    extents = {("flow", item.name): item.span for item in module.program.flows}
    extents |= {("action", item.name): item.span for item in module.program.actions}
    for key, code in codes.items():
        module.clause = f"{code.kind} {code.name}"
        entry_function(module, codes, code, extents[key])
        for number in sorted({*code.heads, *code.arrivals}):
            head_function(module, codes, code, number)
        for number, block in sorted(code.blocks.items()):
            if isinstance(block.end, core.Question):
                question_functions(module, codes, code, number)
            elif isinstance(block.end, core.Chance):
                chance_functions(module, codes, code, number)
    return codes


def numbered(program: core.Program) -> dict[tuple[str, str], MachineCode]:
    """The machines of a program, their blocks numbered through, and after them the arrivals at questions."""
    codes: dict[tuple[str, str], MachineCode] = {}
    suspending = {action.name for action in program.actions if action.machine is not None}
    pc = 0
    for flow in program.flows:
        if flow.machine is not None:
            params = tuple(param.name for param in flow.params)
            codes["flow", flow.name] = MachineCode("flow", flow.name, params, flow.machine, pc, [])
            pc += len(flow.machine.blocks)
    for action in program.actions:
        if action.machine is not None:
            lets = needed_lets(action, set(action.machine.blocks[0].live))
            codes["action", action.name] = MachineCode(
                "action", action.name, tuple(action_params(action)), action.machine, pc, lets
            )
            pc += len(action.machine.blocks)
    for code in codes.values():
        pc = find_heads(code, suspending, pc)
    return codes


def def_function(module: Module, info: core.DefInfo) -> None:
    """The function of a def: it takes the fields that it reads, or the state."""
    fields = module.facts.passed_fields(info.name)
    fn = new_function(module, Scope("st" if fields is None else None), info.span)
    params = ["st"]
    if fields is not None:
        params = [fn.names.of("field", "0", name) for name in fields]
        fn.scope.fields = dict(zip(fields, params, strict=True))
    params = [*params, *(fn.local(param.name) for param in info.params)]
    fn.depth = info.recursive
    module.code.blank(2)
    with module.code.block(f"def def_{info.name}({', '.join([*params, *(['depth'] if fn.depth else [])])}):"):
        fn.mark(CLAUSE, info.span)
        if returns_itself(info):
            fn.again = info
            with module.code.block("while True:"):
                _limited_body(fn, info)
        else:
            _limited_body(fn, info)


def _limited_body(fn: Fn, info: core.DefInfo) -> None:
    if fn.depth:
        with fn.code.block(f"if depth > {runtime.DEPTH_LIMIT}:"):
            fn.code.line(f"{fn.module.helper('too_deep')}()")
    body(fn, info.body)


def laws(module: Module) -> None:
    """Measures, invariants and transitions."""
    for measure in module.program.measures:
        module.clause = f"measure {measure.name}"
        names = [param.name for param in measure.params]
        _expression(module, f"measure_{measure.name}", names, measure.value, False, measure.span)
    for number, law in enumerate(module.program.invariants, start=1):
        module.clause = f'invariant "{law.text}"'
        _expression(module, f"law_invariant_{number}", [], law.condition, False, law.span)
    for number, law in enumerate(module.program.transitions, start=1):
        module.clause = f'transition "{law.text}"'
        _expression(module, f"law_transition_{number}", [], law.condition, True, law.span)


def _expression(module: Module, name: str, params: Sequence[str], value: core.Expr, before: bool, extent: Span) -> Fn:
    """A function of the state that returns the value of an expression."""
    fn = new_function(module, Scope("st"), value.span)
    names = [*(["before"] if before else []), "st", *(fn.local(param) for param in params)]
    if before:
        fn.before = Scope("before")
    module.code.blank(2)
    with module.code.block(f"def {name}({', '.join(names)}):"):
        fn.mark(CLAUSE, extent)
        give(fn, value)
    return fn


def assembled(module: Module) -> Generated:
    """The lines of a module in their order: what it is, what it imports, functions, tables."""
    program = module.program
    out = Emitter()
    if not module.prefix:
        title = (program.title or program.name).replace("\\", "\\\\").replace('"', '\\"')
        out.line(f'"""{title}: made from its rules by rulesdsl; comments point into them."""')
        out.blank()
    if module.helpers:
        out.line("from rulesdsl.runtime import (")
        for name in sorted(module.helpers):
            out.line(f"    {name},")
        out.line(")")
    if module.points is not None:
        for line in COUNTING.format(len(module.points.points)).split("\n"):
            out.line(line)
    out.lines.extend(module.code.lines)
    if module.finished_tables():
        out.blank(2)
        out.line("# " + "-" * 64 + " what is known before play")
        out.blank()
    for name, source in module.finished_tables().items():
        if name in module.comments:
            out.line(f"# {module.comments[name]}")
        for line in wrapped(f"{name} = {source}"):
            out.line(line)
    source, places = render(out.lines)
    return Generated(source, places, tuple(module.points.points) if module.points is not None else ())


def wrapped(text: str, width: int = 120) -> list[str]:
    """A long literal on several lines, broken after commas."""
    lines, start, indent = [], 0, ""
    quoted = max(text.rfind("'"), text.rfind('b"'))
    while len(indent) + len(text) - start > width and quoted < start:
        cut = text.rfind(", ", start, start + width - len(indent))
        if cut < 0:
            break
        lines.append(indent + text[start : cut + 1])
        start, indent = cut + 2, "    "
    return [*lines, indent + text[start:]]


COUNTING = """

COUNTS = [0] * {}


def seen(number, value):
    if value:
        COUNTS[number] += 1
        return True
    COUNTS[number + 1] += 1
    return False"""


# ---------------------------------------------------------------- working things out at compile time


def evaluate(module: Module, expr: core.Expr, names: tuple[str, ...]) -> Callable[..., Any]:
    """A Python function that gives the value of an expression without state for values of its locals."""
    scratch = Module(module.program, module.facts, evaluate, scratch=True)
    fn = new_function(scratch, Scope(None))
    with scratch.code.block(f"def work({', '.join(fn.local(name) for name in names)}):"):
        give(fn, expr)
    for name in _called(module.facts, expr):
        def_function(scratch, module.facts.defs[name])
    space = {name: getattr(runtime, name) for name in scratch.helpers}
    exec(compile(assembled(scratch).source, "<known before play>", "exec"), space)
    return space["work"]  # type: ignore[no-any-return]


def _called(facts: Facts, expr: core.Expr) -> list[str]:
    """The defs that an expression calls, through others too."""
    found: list[str] = []
    pending = [part.name for part in everything(expr) if isinstance(part, core.Call)]
    while pending:
        name = pending.pop()
        if name not in found:
            found.append(name)
            pending += facts.def_calls(name)
    return sorted(found)


# ---------------------------------------------------------------- loading


def load_module(generated: Generated, name: str, prepared: Prepared | None = None) -> ModuleType:
    """The module itself. Tracebacks show its source; `LINES` leads from its lines to the rules. `prepared`: what it was made from,
    which spares the first `prepared_of` its work."""
    module = ModuleType(name)
    module.__file__ = f"<rules {name}>"
    module.__dict__["LINES"] = {line: (file, row, column) for line, file, row, column in generated.lines}
    module.__dict__["EXTRA_LINES"] = {}
    if prepared is not None:
        module.__dict__["__prepared__"] = prepared
    _execute(generated.source, module.__file__, module.__dict__)
    return module


def prepared_of(program: core.Program, module: ModuleType) -> Prepared:
    """What the module of a program was made from; it is worked out once."""
    space = module.__dict__
    if "__prepared__" not in space:
        space["__prepared__"] = prepare(program, "COUNTS" in space)
    return space["__prepared__"]  # type: ignore[no-any-return]


def _execute(source: str, file: str, space: dict[str, Any]) -> None:
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    exec(compile(source, file, "exec"), space)


def extra(
    program: core.Program, module: ModuleType, functions: Sequence[ExtraFunction]
) -> dict[str, Callable[..., Any]]:
    """Further functions, compiled against the module of the same program.

    `value`: function(st, *params) -> value; (before, st, *params) where the state before is read. With `probe` it gives
    (value, [(span, value, type), ...]): the operands of comparisons, calls, fields, and the elements that decided.
    `body`: function(st, *params) -> the state after its assignments.
    """
    space = module.__dict__
    optimised, facts = prepared_of(program, module)
    number = len(space["EXTRA_LINES"]) + 1
    made = Module(optimised, facts, evaluate, prefix=f"X{number}_")
    for item in functions:
        _extra_function(made, facts, item)
    generated = assembled(made)
    file = f"{module.__file__[:-1] if module.__file__ else '<'} extra {number}>"
    inner = {**{name: getattr(runtime, name) for name in made.helpers}, **space, **made.objects}
    _execute(generated.source, file, inner)
    space["EXTRA_LINES"][file] = {line: (source, row, column) for line, source, row, column in generated.lines}
    return {item.name: inner[f"extra_{item.name}"] for item in functions}


def _extra_function(made: Module, facts: Facts, item: ExtraFunction) -> None:
    span: Span | None = item.value.span if item.value is not None else item.body[0].span if item.body else None
    fn = new_function(made, Scope("st"), span)
    before = item.value is not None and facts.reads_before(item.value)
    names = [*(["before"] if before else []), "st", *(fn.local(param) for param in item.params)]
    if before:
        fn.before = Scope("before")
    made.code.blank(2)
    with made.code.block(f"def extra_{item.name}({', '.join(names)}):"):
        if item.value is None:
            fn.scope = Scope(None)
            storing(fn, item.body or ())
        elif item.probe:
            fn.probing = True
            made.code.line("probes = []")
            made.code.line(f"return {fn.value(item.value).text}, probes")
        else:
            give(fn, item.value)
