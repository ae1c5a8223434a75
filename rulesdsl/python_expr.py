"""Expressions in Python, apart from operations and comprehensions: names, calls, conditions, and how they leave a block.

`value` (in `Fn`) gives the value; here are `test`, which only has to be true or false, `require`, which leaves the block
unless a condition holds, `assign` and `give`, which store or return a value without a detour.
"""

from __future__ import annotations

from collections.abc import Callable

from rulesdsl import core
from rulesdsl.python_code import AND, FALSE, NONE, OR, TERNARY, TRUE, Line, Py, call, comparison, negation
from rulesdsl.python_function import VALUE, Fn, Leave
from rulesdsl.types import BoolType, IntType

# ---------------------------------------------------------------- plain nodes


def _const(fn: Fn, expr: core.Const) -> Py:
    wanted = f"{expr.type}".upper()
    return fn.module.inline(expr.value, "".join(c if c.isalnum() else "_" for c in wanted).strip("_") or "VALUE")


def _local(fn: Fn, expr: core.Local) -> Py:
    return Py(fn.local(expr.name))


def _call(fn: Fn, expr: core.Call) -> Py:
    facts = fn.module.facts
    fields = facts.passed_fields(expr.name)
    args = [Py(fn.state())] if fields is None else [Py(fn.frozen_field(name)) for name in fields]
    args += [fn.value(arg) for arg in expr.args]
    if facts.defs[expr.name].recursive:
        args.append(Py("depth + 1" if fn.depth else "1"))
    made = call(f"def_{expr.name}", *args)
    return own_line(fn, expr, made) if facts.def_fails[expr.name] else made


def own_line(fn: Fn, expr: core.Expr, code: Py) -> Py:
    """What may fail gets a line of its own, so that the place in the rules is known."""
    name = fn.temp("t")
    fn.code.line(f"{name} = {code.text}", expr.span)
    return Py(name)


def _after(fn: Fn, expr: core.After) -> Py:
    st = fn.temp("st")
    calls = []
    for name, args in expr.events:
        calls.append((name, [fn.held(fn.value(arg)).text for arg in args]))
    before = fn.state()
    for name, codes in calls:
        fn.code.line(f"{st} = event_{name}({', '.join([before, *codes])})", expr.span)
        before = st
    writes = frozenset().union(*(fn.module.facts.writes[name] for name, _ in calls))
    with fn.state_after(st, writes):
        return fn.value(expr.body)


def _can_do(fn: Fn, expr: core.CanDo) -> Py:
    args = [fn.value(arg) for arg in (expr.who, *expr.given)]
    return own_line(fn, expr, call(f"any_{expr.action}", Py(fn.state()), *args))


def _checked(fn: Fn, expr: core.Checked) -> Py:
    with fn.code.at(expr.span):
        held = fn.held(fn.value(expr.expr))
        kind = expr.expr.type
        below = not isinstance(kind, IntType) or kind.lo < expr.lo
        above = not isinstance(kind, IntType) or kind.hi > expr.hi
        if not below and not above:
            below = above = True
        test = f"not {expr.lo} <= {held.text} <= {expr.hi}"
        if not above:
            test = f"{held.text} < {expr.lo}"
        elif not below:
            test = f"{held.text} > {expr.hi}"
        with fn.code.block(f"if {test}:"):
            fn.code.line(f"{fn.module.helper('out_of_range')}({held.text}, {expr.lo}, {expr.hi})")
    return held


def _let_in(fn: Fn, expr: core.LetIn) -> Py:
    held = fn.held(fn.value(expr.value), expr.name)
    with fn.alias(expr.name, held.text):
        return fn.value(expr.body)


def _if_some(fn: Fn, expr: core.IfSome) -> Py:
    held = fn.held(fn.value(expr.value), expr.name)
    with fn.alias(expr.name, held.text):
        return choice(fn, comparison(held, "is", NONE), lambda: NONE, lambda: fn.value(expr.body))


VALUE[core.Const] = _const
VALUE[core.Local] = _local
VALUE[core.Call] = _call
VALUE[core.After] = _after
VALUE[core.CanDo] = _can_do
VALUE[core.Checked] = _checked
VALUE[core.LetIn] = _let_in
VALUE[core.IfSome] = _if_some

# ---------------------------------------------------------------- only what is reached


def choice(fn: Fn, condition: Py, then: Callable[[], Py], otherwise: Callable[[], Py]) -> Py:
    """One of two values; only the chosen one is evaluated."""
    if condition in (TRUE, FALSE):
        return then() if condition == TRUE else otherwise()
    with fn.maybe() as then_lines:
        a = then()
    with fn.maybe() as other_lines:
        b = otherwise()
    if not then_lines and not other_lines:
        return Py(f"{a.at(OR)} if {condition.at(OR)} else {b.at(TERNARY)}", TERNARY)
    name = fn.temp("t")
    with fn.code.block(f"if {condition.text}:"):
        _finish(fn, name, then_lines, a)
    with fn.code.block("else:"):
        _finish(fn, name, other_lines, b)
    return Py(name)


def _finish(fn: Fn, name: str, lines: list[Line], code: Py) -> None:
    fn.code.paste(lines)
    fn.code.line(f"{name} = {code.text}")


def both(fn: Fn, expr: core.Op, how: Callable[[Fn, core.Expr], Py]) -> Py:
    """`and` or `or`: the right side is evaluated only where the left one leaves it open."""
    conjunction = expr.op == "and"
    level = AND if conjunction else OR
    left = how(fn, expr.args[0])
    with fn.maybe() as lines:
        right = how(fn, expr.args[1])
    if not lines:
        return Py(f"{left.at(level)} {expr.op} {right.at(level)}", level)
    name = fn.temp("ok")
    fn.code.line(f"{name} = {left.text}")
    with fn.code.block(f"if {name}:" if conjunction else f"if not {name}:"):
        _finish(fn, name, lines, right)
    return Py(name)


def or_else(fn: Fn, expr: core.Op) -> Py:
    """An option, or a default that is evaluated only if needed."""
    from rulesdsl.python_comp import place_at_once

    place = None if fn.probing else place_at_once(fn, expr.args[0])
    if place is not None:
        held = fn.held(place, "place")
        return choice(fn, comparison(held, "<", Py("0")), lambda: fn.value(expr.args[1]), lambda: held)
    held = fn.held(fn.value(expr.args[0]))
    if held == NONE:
        return fn.value(expr.args[1])
    return choice(fn, comparison(held, "is", NONE), lambda: fn.value(expr.args[1]), lambda: held)


# ---------------------------------------------------------------- conditions

TEST: dict[str, Callable[[Fn, core.Op], Py]] = {}


def test(fn: Fn, expr: core.Expr) -> Py:
    """Code that is true (in Python's sense) where the condition holds."""
    fn.preload(expr)
    if isinstance(expr, core.Op) and isinstance(expr.type, BoolType) and expr.op in TEST:
        if not fn.probing:
            found = fn.module.tabulated(fn, expr)
            if found is not None:
                return found
        return TEST[expr.op](fn, expr)
    if isinstance(expr, core.LetIn):
        held = fn.held(fn.value(expr.value), expr.name)
        with fn.alias(expr.name, held.text):
            return test(fn, expr.body)
    return fn.value(expr)


TEST["and"] = lambda fn, expr: both(fn, expr, test)
TEST["or"] = lambda fn, expr: both(fn, expr, test)
TEST["not"] = lambda fn, expr: negation(test(fn, expr.args[0]))


def require(fn: Fn, expr: core.Expr, leave: Leave) -> None:
    """Goes on only if the condition holds, else leaves."""
    if isinstance(expr, core.Op) and expr.op == "and" and not fn.probing and _stays(fn, expr):
        require(fn, expr.args[0], leave)
        require(fn, expr.args[1], leave)
    elif isinstance(expr, core.Op) and expr.op == "not" and _stays(fn, expr):
        refuse(fn, expr.args[0], leave)
    elif isinstance(expr, core.Comp) and expr.kind == "any" and _jumps(fn, expr):
        _search(fn, expr, leave)
    elif isinstance(expr, core.Comp) and expr.kind == "all" and _jumps(fn, expr) and _can_open(fn, leave):
        _search_all(fn, expr, leave)
    else:
        _leave_if(fn, negation(test(fn, expr)), leave)


def refuse(fn: Fn, expr: core.Expr, leave: Leave) -> None:
    """Goes on only if the condition does not hold, else leaves."""
    if isinstance(expr, core.Op) and expr.op == "or" and not fn.probing and _stays(fn, expr):
        refuse(fn, expr.args[0], leave)
        refuse(fn, expr.args[1], leave)
    elif isinstance(expr, core.Op) and expr.op == "not" and _stays(fn, expr):
        require(fn, expr.args[0], leave)
    elif isinstance(expr, core.Comp) and expr.kind == "all" and _jumps(fn, expr):
        _search(fn, expr, leave)
    elif isinstance(expr, core.Comp) and expr.kind == "any" and _jumps(fn, expr) and _can_open(fn, leave):
        _search_all(fn, expr, leave)
    else:
        _leave_if(fn, test(fn, expr), leave)


def _leave_if(fn: Fn, condition: Py, leave: Leave) -> None:
    if condition == FALSE:
        return
    with fn.code.block(f"if {condition.text}:"):
        fn.code.line(leave.text)


def _stays(fn: Fn, expr: core.Expr) -> bool:
    """Whether an expression is not better looked up as a whole."""
    return fn.probing or fn.module.scratch or (fn.module.grid(expr) is None and fn.module.coded(expr) is None)


def _jumps(fn: Fn, expr: core.Comp) -> bool:
    from rulesdsl.python_comp import whole_scan

    return len(expr.clauses) == 1 and _stays(fn, expr) and not fn.probing and whole_scan(fn, expr) is None


def _can_open(fn: Fn, leave: Leave) -> bool:
    return leave.text.startswith("return") or (leave.text == "continue" and leave.block == fn.code.block_id)


def _search(fn: Fn, expr: core.Comp, leave: Leave) -> None:
    """A loop that breaks when an element decides; without one, leaves."""
    from rulesdsl.python_comp import opened, searching, when

    fn.preload(expr)
    head, condition = opened(fn, searching(expr)[0], True)
    with fn.branch(), fn.code.block(head):
        when(fn, condition, lambda: fn.code.line("break"))
    with fn.code.block("else:"):
        fn.code.line(leave.text)


def _search_all(fn: Fn, expr: core.Comp, leave: Leave) -> None:
    """A loop that leaves when an element decides against going on."""
    from rulesdsl.python_comp import opened, searching, when

    fn.preload(expr)
    returns = leave.text.startswith("return")
    head, condition = opened(fn, searching(expr)[0], True)
    with fn.branch(), fn.code.block(head):
        when(fn, condition, lambda: fn.code.line(leave.text if returns else "break"))
    if not returns:
        fn.code.open("else:")


# ---------------------------------------------------------------- where a value goes


def assign(fn: Fn, name: str, expr: core.Expr, held: str = "") -> None:
    """Gives a Python variable the value of an expression. `held`: the local of the rules that it is."""
    if isinstance(expr, core.Comp) and not fn.probing and held not in fn.module.facts.free(expr) and _stays(fn, expr):
        from rulesdsl.python_comp import comprehend

        fn.preload(expr)
        code = comprehend(fn, expr, name)
        if code.text != name:
            fn.code.line(f"{name} = {code.text}")
        return
    fn.code.line(f"{name} = {fn.value(expr).text}")


def give(fn: Fn, expr: core.Expr) -> None:
    """Returns the value of an expression from the function."""
    fn.preload(expr)
    if fn.probing or not _stays(fn, expr):
        fn.code.line(f"return {fn.value(expr).text}")
    elif isinstance(expr, core.Op) and expr.op == "if":
        with fn.code.block(f"if {test(fn, expr.args[0]).text}:"), fn.branch():
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
        fn.code.line(f"return {fn.value(expr).text}")


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
    from rulesdsl.python_comp import at_once, nest_loops, searching

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
