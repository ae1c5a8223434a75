"""What the scenarios of a program name: its declarations, and the places of its boards."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import attrs

from rulesdsl import syntax
from rulesdsl.checking.expr import ExprChecker
from rulesdsl.checking.scope import Scope
from rulesdsl.diagnostics import Source
from rulesdsl.naming.declare import collect, seat_range
from rulesdsl.types import EnumType


def words_of(name: str, source: Source, declarations: Sequence[Any]) -> frozenset[str]:
    """The words that name a declaration in a scenario: its own name, and of a board those of its places too, for every number
    of players and with the parameters at their defaults."""
    boards = [decl for decl in declarations if isinstance(decl, syntax.Board) and name in [n.id for n in decl.names]]
    found = {name}
    for board in boards:
        module = syntax.Module(board.span, tuple(declarations))
        low, high = seat_range(collect(source, module, {}, None))
        for seats in range(low, high + 1):
            names = collect(source, module, {}, seats)
            names.checker = ExprChecker(names, Scope(names, "constant"))
            kind = names.named_type(name, board.span)
            if isinstance(kind, EnumType):
                found.update(kind.members)
    return frozenset(found)


def words_in(scenario: syntax.Scenario) -> frozenset[str]:
    """All words of a scenario that can name something: in expressions, moves, settings and types."""
    return frozenset(_words(scenario))


def _words(node: Any) -> Iterator[str]:
    if isinstance(node, (syntax.NameExpr, syntax.NamedType, syntax.Name)):
        yield node.id
    elif isinstance(node, tuple):
        for part in node:
            yield from _words(part)
    elif attrs.has(type(node)) and not isinstance(node, syntax.Sentence):
        for item in attrs.fields(type(node)):
            if item.name != "span":
                yield from _words(getattr(node, item.name))
