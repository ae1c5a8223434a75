"""Where a value goes, in Python: into a variable, or out of a function, without a detour."""

from __future__ import annotations

from rulesdsl import core
from rulesdsl.python.at_once import at_once
from rulesdsl.python.cells import searching
from rulesdsl.python.comp import comprehend
from rulesdsl.python.expr import decided, finish
from rulesdsl.python.function import Fn, Leave
from rulesdsl.python.loops import nest_loops, refuse, require, stays


def assign(fn: Fn, name: str, expr: core.Expr, held: str = "") -> None:
    """Gives a Python variable the value of an expression. `held`: the local of the rules that it is."""
    if isinstance(expr, core.Comp) and not fn.probing and held not in fn.module.facts.free(expr) and stays(fn, expr):
        fn.preload(expr)
        code = comprehend(fn, expr, name)
        if code.text != name:
            fn.code.line(f"{name} = {code.text}")
        return
    finish(fn, f"{name} = ", fn.value(expr))


def give(fn: Fn, expr: core.Expr) -> None:
    """Returns the value of an expression from the function."""
    fn.preload(expr)
    if fn.probing or not stays(fn, expr):
        finish(fn, "return ", fn.value(expr))
    elif isinstance(expr, core.Op) and expr.op == "if":
        with fn.code.block(f"if {decided(fn, expr).text}:"), fn.branch():
            give(fn, expr.args[1])
        give(fn, expr.args[2])
    elif isinstance(expr, core.Op) and expr.op in ("and", "or"):
        _give_both(fn, expr)
    elif isinstance(expr, core.LetIn):
        held = fn.held(fn.value(expr.value), expr.name)
        with fn.alias(expr.name, held.text):
            give(fn, expr.body)
    elif isinstance(expr, core.Comp) and expr.kind in ("any", "all", "first"):
        _give_search(fn, expr)
    elif isinstance(expr, core.Call) and fn.again is not None and expr.name == fn.again.name and not fn.loops:
        _start_again(fn, expr, fn.again)
    else:
        finish(fn, "return ", fn.value(expr))


def _start_again(fn: Fn, expr: core.Call, info: core.DefInfo) -> None:
    """A def that returns a call of itself begins again with other arguments."""
    with fn.code.at(expr.span):
        pairs = [(fn.local(param.name), fn.value(arg).text) for param, arg in zip(info.params, expr.args, strict=True)]
        changed = [(name, code) for name, code in pairs if name != code]
        names, codes = [name for name, _ in changed], [code for _, code in changed]
        fn.code.line(f"{', '.join([*names, 'depth'])} = {', '.join([*codes, 'depth + 1'])}")
        fn.code.line("continue")


def returns_itself(info: core.DefInfo) -> bool:
    """Whether a def returns a call of itself, outside of its loops."""
    return info.recursive and any(_tail_call(stmt, info.name) for stmt in info.body)


def _tail_call(stmt: core.Stmt, name: str) -> bool:
    if isinstance(stmt, core.IfStmt):
        return any(_tail_call(inner, name) for inner in (*stmt.then, *stmt.otherwise))
    return isinstance(stmt, core.ReturnStmt) and stmt.value is not None and _tail_value(stmt.value, name)


def _tail_value(expr: core.Expr, name: str) -> bool:
    if isinstance(expr, core.Call):
        return expr.name == name
    if isinstance(expr, core.Op) and expr.op in ("if", "and", "or"):
        return any(_tail_value(part, name) for part in expr.args[1:])
    return isinstance(expr, core.LetIn) and _tail_value(expr.body, name)


def _give_both(fn: Fn, expr: core.Op) -> None:
    with fn.maybe() as lines:
        inline = fn.value(expr)
    if not lines:
        fn.code.line(f"return {inline.text}")
    elif expr.op == "and":
        require(fn, expr.args[0], Leave("return False"))
        give(fn, expr.args[1])
    else:
        refuse(fn, expr.args[0], Leave("return True"))
        give(fn, expr.args[1])


def _give_search(fn: Fn, expr: core.Comp) -> None:
    whole = at_once(fn, expr)
    if whole is not None:
        fn.code.line(f"return {whole.text}")
        return
    first = expr.kind == "first"
    clauses = expr.clauses if first else searching(expr)

    def leaf() -> None:
        fn.code.line(f"return {fn.value(expr.element).text if first else expr.kind == 'any'}")

    with fn.branch():
        nest_loops(fn, clauses, leaf, distinct=True)
    fn.code.line("return None" if first else f"return {expr.kind == 'all'}")
