"""Expressions in Python, apart from operations and comprehensions: names, calls, choices, conditions.

`value` (in `Fn`) gives the value of any expression; `test` is for conditions, and only has to be true or false.
"""

from __future__ import annotations

from collections.abc import Callable

from rulesdsl import core
from rulesdsl.points import BRANCH
from rulesdsl.python.at_once import place_at_once
from rulesdsl.python.code import AND, FALSE, NONE, OR, TERNARY, TRUE, Line, Py, call, comparison, negation
from rulesdsl.python.function import VALUE, Fn
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
    fn.own_lines.add(name)
    return Py(name)


def finish(fn: Fn, start: str, code: Py) -> None:
    """A line that uses a value, `start` and then the value; one that has just got a line of its own is put here
    instead."""
    lines = fn.code.lines
    head = f"{code.text} = "
    if code.text in fn.own_lines and lines and lines[-1].depth == fn.code.depth and lines[-1].text.startswith(head):
        last = lines.pop()
        lines.append(last._replace(text=start + last.text.removeprefix(head)))
    else:
        fn.code.line(start + code.text)


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
            what = f", {expr.what!r}" if expr.what else ""
            fn.code.line(f"{fn.module.helper('out_of_range')}({held.text}, {expr.lo}, {expr.hi}{what})")
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


def decided(fn: Fn, expr: core.Op) -> Py:
    """The condition of an `if` that is a value."""
    return fn.seen(BRANCH, test(fn, expr.args[0]), expr.args[0].span)


def _finish(fn: Fn, name: str, lines: list[Line], code: Py) -> None:
    fn.code.paste(lines)
    finish(fn, f"{name} = ", code)


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
