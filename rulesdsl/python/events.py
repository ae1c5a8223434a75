"""Events in Python, the first state, and bodies that only store (a scenario's `given`).

The state is unpacked once, changed in locals (a bytearray or a list where single cells change), and packed once.
"""

from __future__ import annotations

from rulesdsl import core
from rulesdsl.points import CLAUSE
from rulesdsl.python.body import body, cells_changed, few_cells
from rulesdsl.python.function import Fn, Scope, new_function
from rulesdsl.python.tables import Module, literal
from rulesdsl.types import MapType, index_of, zero


def event(module: Module, info: core.EventInfo) -> None:
    """The function of one event: the state after it."""
    fn = new_function(module, Scope(None), info.span)
    params = [fn.local(param.name) for param in info.params]
    module.code.blank(2)
    with module.code.block(f"def event_{info.name}({', '.join(['st', *params])}):"):
        fn.mark(CLAUSE, info.span)
        storing(fn, info.body)


def storing(fn: Fn, stmts: core.Body) -> None:
    """Statements that change the state `st`, and the return of the new one."""
    module = fn.module
    fields = [info.name for info in module.program.fields]
    changing = {
        info.name: "bytes" if info.packed else "tuple"
        for info in cells_changed(stmts, module.program)
        if not few_cells(info)
    }
    names = [fn.names.of("field", "0", name) for name in fields]
    outcome = fn.temp("outcome")
    fn.code.line(f"{', '.join([*names, outcome])}{',' if not names else ''} = st")
    fn.scope = Scope("st", dict(zip(fields, names, strict=True)), changing=changing)
    for field_name, freeze in changing.items():
        local = fn.scope.fields[field_name]
        fn.code.line(f"{local} = {'bytearray' if freeze == 'bytes' else 'list'}({local})")

    def rebuilt() -> str:
        parts = [
            f"{changing[name]}({code})" if name in changing else code for name, code in zip(fields, names, strict=True)
        ]
        return f"({', '.join([*parts, outcome])}{',' if not parts else ''})"

    fn.scope.rebuilt = rebuilt
    body(fn, stmts)
    with fn.code.at(None):
        fn.code.line(f"return {rebuilt()}")


def first_state(module: Module) -> tuple[object, ...]:
    """All first values, as the state holds them."""
    slots = [_first_slot(module, info) for info in module.program.fields]
    return (*slots, None)


def _first_slot(module: Module, info: core.FieldInfo) -> object:
    if info.initial is None:
        value, whole = zero(info.value), False
    elif isinstance(info.initial, core.Const):
        value, whole = (
            info.initial.value,
            bool(info.keys) and isinstance(info.initial.type, MapType) and info.initial.type == info.type,
        )
    else:
        value = module.evaluator(module, info.initial, ())()
        whole = bool(info.keys) and info.initial.type == info.type
    if not info.keys:
        return value
    cells = _cells(value, len(info.keys)) if whole else (value,) * info.cells
    return bytes(index_of(info.value, cell) for cell in cells) if info.packed else tuple(cells)


def _cells(value: object, levels: int) -> tuple[object, ...]:
    cells: tuple[object, ...] = (value,)
    for _ in range(levels):
        cells = tuple(part for cell in cells for part in cell)  # type: ignore[attr-defined]
    return cells


def initial(module: Module) -> None:
    """`initial`: the state before anything has happened."""
    state = first_state(module)
    module.code.span = None
    module.code.blank(2)
    parts = [literal(value) for value in state]
    module.code.line("INITIAL = (")
    for info, part in zip([*module.program.fields, None], parts, strict=True):
        module.code.line(f"    {part},  # {info.name if info is not None else 'outcome'}")
    module.code.line(")")
    module.code.blank(2)
    with module.code.block("def initial():"):
        module.code.line("return INITIAL")


__all__ = ["Fn", "event", "initial", "storing"]
