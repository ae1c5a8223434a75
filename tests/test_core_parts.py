"""No part of a `core` statement is forgotten by what goes through statements, changes them or prints them."""

from __future__ import annotations

from typing import Any, Union, get_args, get_type_hints

import attrs
import pytest

from rulesdsl import core
from rulesdsl.diagnostics import Source, Span
from rulesdsl.lowering.core_text import body_text
from rulesdsl.lowering.rewrite import mapped
from rulesdsl.lowering.walk import bodies, exprs_of, statements
from rulesdsl.types import INT

HERE = Span(Source("parts.rules", "x"), 0, 1)
STATEMENTS: tuple[type, ...] = get_args(core.Stmt)
LOWERED = tuple(kind for kind in STATEMENTS if kind not in (core.DrawStmt, core.AskStmt, core.TurnsStmt))
WORDS = {"mode": "chooses"}


class Parts:
    """Makes a statement in which every expression is another number, and every block holds a statement of its own."""

    def __init__(self) -> None:
        self.exprs: list[core.Expr] = []
        self.blocks: list[core.Body] = []

    def statement(self, kind: type) -> Any:
        hints = get_type_hints(kind)
        return kind(**{item.name: self.part(item.name, hints[item.name]) for item in attrs.fields(kind)})

    def part(self, name: str, hint: Any) -> Any:
        inner = get_args(hint)
        if hint == core.Body:
            self.blocks.append((core.ReturnStmt(core.Const(1000 + len(self.blocks), INT, HERE), HERE),))
            return self.blocks[-1]
        if hint == core.Expr:
            self.exprs.append(core.Const(2000 + len(self.exprs), INT, HERE))
            return self.exprs[-1]
        if hint is core.Offer:
            return core.Offer("act", (self.part(name, core.Expr), self.part(name, core.Expr)), HERE)
        if inner and inner[-1] is Ellipsis:
            return (self.part(name, inner[0]), self.part(name, inner[0]))
        if inner and inner[-1] is type(None):
            return self.part(name, inner[0] if len(inner) == 2 else Union[inner[:-1]])
        plain = {Span: HERE, str: WORDS.get(name, name), bool: False}
        return plain.get(hint, INT)


@pytest.mark.parametrize("kind", STATEMENTS, ids=lambda kind: kind.__name__)
def test_every_part_of_a_statement_is_gone_through(kind: type) -> None:
    made = Parts()
    stmt = made.statement(kind)
    assert sorted(expr.value for expr in exprs_of(stmt)) == [expr.value for expr in made.exprs]
    assert list(bodies(stmt)) == made.blocks
    assert len(list(statements((stmt,)))) == 1 + len(made.blocks)


@pytest.mark.parametrize("kind", LOWERED, ids=lambda kind: kind.__name__)
def test_every_expression_of_a_statement_is_changed(kind: type) -> None:
    made = Parts()
    seen: list[int] = []

    def change(expr: core.Expr) -> core.Expr:
        assert isinstance(expr, core.Const)
        seen.append(expr.value)
        return attrs.evolve(expr, value=expr.value + 5000)

    changed = mapped(made.statement(kind), change)
    inside = [expr for stmt in statements((changed,)) for expr in exprs_of(stmt)]
    assert sorted(seen) == sorted([*range(1000, 1000 + len(made.blocks)), *(expr.value for expr in made.exprs)])
    assert all(isinstance(expr, core.Const) and expr.value >= 6000 for expr in inside)


@pytest.mark.parametrize("kind", LOWERED, ids=lambda kind: kind.__name__)
def test_every_part_of_a_statement_is_printed(kind: type) -> None:
    made = Parts()
    text = "\n".join(body_text((made.statement(kind),)))
    numbers = [*range(1000, 1000 + len(made.blocks)), *(expr.value for expr in made.exprs)]
    assert [number for number in numbers if str(number) not in text] == []
