"""Types of expressions: turns syntax into typed `core` expressions.

`ExprChecker.expr(node, want)` is the whole of it. `want` is the type that the surroundings expect, which literals, members
that two enums share, and `{}` take; the result may still be of another type, and `fit` makes it one or reports it. Its parts
are in `base`, `literals`, `collections`, `operators`, `parts`, `calls` and `functions`.
"""

from __future__ import annotations

from rulesdsl import core, syntax
from rulesdsl.checking.base import bound, element_type, join, most, unknown
from rulesdsl.checking.calls import CallChecker
from rulesdsl.checking.collections import Collections
from rulesdsl.checking.literals import Literals
from rulesdsl.checking.operators import Operators
from rulesdsl.checking.parts import Parts
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
