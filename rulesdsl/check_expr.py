"""Types of expressions: turns syntax into typed `core` expressions.

`ExprChecker.expr(node, want)` is the whole of it. `want` is the type that the surroundings expect, which literals, members
that two enums share, and `{}` take; the result may still be of another type, and `fit` makes it one or reports it. Its parts
are in `check_base`, `check_literals`, `check_collections`, `check_operators`, `check_parts` and `check_calls`.
"""

from __future__ import annotations

from rulesdsl import core, syntax
from rulesdsl.check_base import bound, element_type, join, most, unknown
from rulesdsl.check_calls import CallChecker
from rulesdsl.check_collections import Collections
from rulesdsl.check_literals import Literals
from rulesdsl.check_operators import Operators
from rulesdsl.check_parts import Parts
from rulesdsl.types import Type, describe


class ExprChecker(Literals, Collections, Operators, Parts):
    """Checks expressions in a scope; one for each scope."""

    def on_Call(self, node: syntax.Call, want: Type | None) -> core.Expr:
        return CallChecker(self).call(node, want)

    def on_GeneratorCall(self, node: syntax.GeneratorCall, want: Type | None) -> core.Expr:
        return CallChecker(self).generator(node, want)

    def on_Can(self, node: syntax.Can, want: Type | None) -> core.Expr:
        return CallChecker(self).can(node)

    def on_After(self, node: syntax.After, want: Type | None) -> core.Expr:
        return CallChecker(self).after(node, want)


__all__ = ["ExprChecker", "bound", "describe", "element_type", "join", "most", "unknown"]
