"""The backs of the cards: how many elements a private or hidden collection has, and whether an option is there, everybody sees.

So an event may change them only by what everybody sees. `Backs.of` says who sees all that the backs of a value depend on: a
card more is public whatever card it is; whether a card is new to a set, or how many of a hand are red, is not.
"""

from __future__ import annotations

from collections.abc import Callable

from attrs import define, field

from rulesdsl import core
from rulesdsl.secrecy.audiences import Audience, both
from rulesdsl.types import ListType, MapType, OptionType, SetType, Type, is_collection

_SAME = frozenset({
    "cast", "set_remove", "bag_add", "bag_remove", "list_append", "bag_from", "list_top", "elements",
})  # fmt: skip
"""Operations whose result has the backs of the first argument, or one element more or less."""
_SUMS = frozenset({"set_minus", "bag_plus", "bag_minus", "list_concat"})
_FIXED = frozenset({"some", "bag_of", "list_of", "seats_from"})


def _is_some(expr: core.Expr) -> bool:
    return isinstance(expr, core.Op) and expr.op == "some"


def has_backs(kind: Type) -> bool:
    """Whether something of a private value of this type is public."""
    if isinstance(kind, MapType):
        return has_backs(kind.value)
    return isinstance(kind, OptionType) or is_collection(kind)


@define(eq=False)
class Backs:
    """`seen`: who sees what an expression depends on; `new`: whether an element is known not to be in a set already."""

    seen: Callable[[core.Expr], Audience]
    new: Callable[[core.Op], bool]
    locals: dict[str, Audience] = field(factory=dict)
    """Of lets and vars; the backs of parameters are public."""

    def of(self, expr: core.Expr) -> Audience:
        """Who sees what the size or the presence of a value depends on."""
        if isinstance(expr, core.Local):
            return self.locals.get(expr.name)
        if isinstance(expr, core.Read):
            return self._all(self.seen, expr.keys)
        if isinstance(expr, core.Checked):
            return self.of(expr.expr)
        if isinstance(expr, core.Op):
            return self._op(expr)
        if isinstance(expr, core.Comp):
            return self._comp(expr)
        if isinstance(expr, core.IfSome) and (_is_some(expr.body) or not isinstance(expr.body.type, OptionType)):
            return self.of(expr.value)
        return self.seen(expr)

    @staticmethod
    def _all(look: Callable[[core.Expr], Audience], exprs: tuple[core.Expr, ...]) -> Audience:
        result: Audience = None
        for expr in exprs:
            result = both(result, look(expr))
        return result

    def _op(self, expr: core.Op) -> Audience:
        first = expr.args[0] if expr.args else None
        if expr.op in _FIXED or (expr.op == "set_of" and len(expr.args) < 2):
            return None
        if isinstance(expr.type, ListType) and isinstance(expr.type.item, OptionType):
            return self.seen(expr)
        if expr.op in _SAME and first is not None and not isinstance(first.type, MapType):
            return self.of(first)
        if expr.op in _SUMS or expr.op == "map_of" or (expr.op == "or_else" and isinstance(expr.type, OptionType)):
            return self._all(self.of, expr.args)
        if expr.op in ("list_slice", "bag_scale"):
            return both(self.of(expr.args[0]), self._all(self.seen, expr.args[1:]))
        if expr.op == "if":
            return both(self.seen(expr.args[0]), self._all(self.of, expr.args[1:]))
        if expr.op in ("set_add", "set_union") and self.new(expr):
            return self._all(self.of, expr.args[:1] if expr.op == "set_add" else expr.args)
        return self.seen(expr)

    def _comp(self, expr: core.Comp) -> Audience:
        """Every element of the sources gives one, unless a condition or a set leaves some out."""
        if expr.kind not in ("list", "set", "map", "min", "max", "first"):
            return self.seen(expr)
        if any(clause.condition is not None for clause in expr.clauses) or len(expr.clauses) != 1:
            return self.seen(expr)
        source = expr.clauses[0].source
        if expr.kind == "list" and isinstance(expr.element.type, OptionType) and not _is_some(expr.element):
            return self.seen(expr)  # whether each is there is public
        if expr.kind == "map":
            return both(self.seen(source), self.of(expr.element))
        whole = isinstance(source.type, SetType) and expr.element == core.Local(
            expr.clauses[0].var, expr.element.type, expr.element.span
        )
        return self.seen(expr) if expr.kind == "set" and not whole else self.of(source)
