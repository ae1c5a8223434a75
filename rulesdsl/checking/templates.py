"""Sentences: texts with `{expression}` in them."""

from __future__ import annotations

from rulesdsl import core, syntax
from rulesdsl.checking.expr import ExprChecker
from rulesdsl.checking.scope import Scope
from rulesdsl.diagnostics import Span
from rulesdsl.naming.names import Names
from rulesdsl.parsing.parse import parse_expression
from rulesdsl.types import UNKNOWN


def template(names: Names, scope: Scope, node: syntax.Sentence, *, parameters_only: bool) -> core.Template:
    """A sentence with its expressions checked. `parameters_only`: of an event, whose sentence names its parameters and their parts."""
    parts: list[str | core.Expr] = []
    text = node.text
    base = node.span.start + 1
    position = 0
    while position < len(text):
        opening = text.find("{", position)
        if opening < 0:
            parts.append(text[position:])
            break
        closing = text.find("}", opening)
        where = Span(node.span.source, base + opening, base + (closing + 1 if closing > 0 else len(text)))
        if closing < 0:
            names.report("T321", "a `{` in a sentence is not closed", where, "", "close it with `}`")
            break
        if opening > position:
            parts.append(text[position:opening])
        made = _part(names, scope, node, base + opening + 1, base + closing, where, parameters_only)
        if made is not None:
            parts.append(made)
        position = closing + 1
    return core.Template(tuple(parts), node.span)


def _part(
    names: Names, scope: Scope, node: syntax.Sentence, start: int, end: int, where: Span, parameters_only: bool
) -> core.Expr | None:
    parsed, problems = parse_expression(node.span.source, start, end)
    if parsed is None:
        names.diagnostics.extend(problems)
        return None
    if parameters_only and not _is_parameter(parsed, scope):
        pool = ", ".join(f"`{name}`" for name in scope.locals)
        from rulesdsl.diagnostics import closest

        near = closest(parsed.span.text, scope.locals)
        names.report(
            "V404", "the sentence of an event names its parameters only", where, "not a parameter",
            f"did you mean `{{{near}}}`?" if near else "", f"the parameters are {pool}" if pool else "the event has no parameters",
        )  # fmt: skip
        return None
    expr = ExprChecker(names, scope).expr(parsed)
    return None if expr.type == UNKNOWN else expr


def _is_parameter(node: syntax.Expr, scope: Scope) -> bool:
    """Whether it is a local or a part of one: `tile`, `tile.colour`."""
    while isinstance(node, syntax.Attr):
        node = node.obj
    return isinstance(node, syntax.NameExpr) and node.id in scope.locals
