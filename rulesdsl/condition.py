"""A condition that is not in any file: checked against a program as if it stood in a scenario of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rulesdsl import core
from rulesdsl.checking.check import check
from rulesdsl.checking.expr import ExprChecker
from rulesdsl.checking.scope import Scope
from rulesdsl.diagnostics import RulesFileError, Source, in_order
from rulesdsl.parsing.parse import parse_expression
from rulesdsl.program import parse_source


def parse_condition(
    source: Source, params: Mapping[str, Any], seats: int | None, text: str, name: str = "condition"
) -> core.Expr:
    """A condition about a state of the program: fields, defs, measures, `winners`, `scores` and `can` may be used in it.

    Args:
        source: the rules.
        params: parameter values in internal form; those not named keep their defaults.
        seats: the number of players, None for the fewest.
        text: the condition as it is written.
        name: what messages call the text.
    Raises:
        RulesFileError: it is no condition, or the rules themselves have mistakes.
    """
    written = Source(name, text)
    expr, problems = parse_expression(written, 0, len(text))
    if expr is None:
        raise RulesFileError(problems)
    checked = check(source, parse_source(source), params, seats)
    if checked.program is None:
        raise RulesFileError(checked.diagnostics)
    names = checked.names
    before = len(names.diagnostics)
    scope = Scope(names, "scenario", name, outcome=True)
    condition = ExprChecker(names, scope).condition(expr)
    found = in_order(item for item in names.diagnostics[before:] if item.is_error)
    if found:
        raise RulesFileError(found)
    return condition
