"""Collections in expressions: literals in brackets and braces, comprehensions, ranges."""

from __future__ import annotations

from rulesdsl import core, syntax
from rulesdsl.checking.base import ExprBase, bound, element_type, join, unknown
from rulesdsl.checking.scope import facts_of
from rulesdsl.types import (
    EMPTY,
    INT,
    UNKNOWN,
    BagType,
    IntType,
    ListType,
    MapType,
    NothingType,
    OptionType,
    SetType,
    Type,
    describe,
    index_of,
    size,
    zero,
)


class Collections(ExprBase):
    """The part of the expression checker for collections."""

    def items(self, nodes: tuple[syntax.Expr, ...], want: Type | None) -> tuple[list[core.Expr], Type | None]:
        """Elements fitted to one type: the wanted one, or the smallest that has them all."""
        if want is not None:
            return [self.fitted(node, want) for node in nodes], want
        made: list[core.Expr] = []
        kind: Type | None = None
        for node in nodes:
            expr = self.expr(node, kind)
            joined = expr.type if kind is None else join(kind, expr.type)
            if kind is not None and joined is None:
                self.names.report(
                    "T301",
                    f"expected `{describe(kind)}`, found `{describe(expr.type)}`",
                    node.span,
                    "elements must be of one type",
                )
                joined = UNKNOWN
            kind = joined
            made.append(expr)
        return [self.fit(e, kind, n.span) for e, n in zip(made, nodes, strict=True)] if kind is not None else [], kind

    def on_ListLit(self, node: syntax.ListLit, want: Type | None) -> core.Expr:
        target = want if isinstance(want, (ListType, SetType, BagType)) else None
        items, kind = self.items(node.items, target.item if target else None)
        if kind is None:
            return (
                core.Const((), NothingType("[]") if target is None else target, node.span)
                if not isinstance(target, (SetType, BagType))
                else core.Const(zero(target), target, node.span)
            )
        if isinstance(target, ListType) and len(items) > target.limit:
            self.names.report("T307", f"a list of {len(items)} does not fit in `{target}`", node.span)
            return unknown(node.span)
        if kind == UNKNOWN:
            return unknown(node.span)
        limit = target.limit if isinstance(target, ListType) else len(items)
        return self.op("list_of", tuple(items), ListType(kind, limit), node.span)

    def on_BraceLit(self, node: syntax.BraceLit, want: Type | None) -> core.Expr:
        if isinstance(want, OptionType):
            want = want.item
        if not node.items:
            if isinstance(want, (SetType, BagType)):
                return core.Const(zero(want), want, node.span)
            return core.Const(None, EMPTY, node.span)
        target = want if isinstance(want, (SetType, BagType)) else None
        items, kind = self.items(node.items, target.item if target else None)
        if kind is None or kind == UNKNOWN or any(item.type == UNKNOWN for item in items):
            return unknown(node.span)
        if isinstance(want, BagType):
            return self.op("bag_of", tuple(items), want, node.span)
        if not self.names.countable(kind, node.span, "a set"):
            return unknown(node.span)
        return self.op("set_of", tuple(items), SetType(kind), node.span)

    def on_MapLit(self, node: syntax.MapLit, want: Type | None) -> core.Expr:
        if isinstance(want, BagType):
            return self.bag_literal(node, want)
        key_want = want.key if isinstance(want, MapType) else None
        keys, key_kind = self.items(tuple(k for k, _ in node.pairs), key_want)
        if key_kind is None or key_kind == UNKNOWN or any(k.type == UNKNOWN for k in keys):
            return unknown(node.span)
        values, value_kind = self.items(
            tuple(v for _, v in node.pairs), want.value if isinstance(want, MapType) else None
        )
        if value_kind is None or value_kind == UNKNOWN:
            return unknown(node.span)

        if not all(isinstance(key, core.Const) for key in keys):
            self.names.report(
                "T318", "the keys of a map must be known", node.span, "", "or write `{k: ... for k in ...}`"
            )
            return unknown(node.span)
        order = {
            index_of(key_kind, key.value): value
            for key, value in zip(keys, values, strict=True)
            if isinstance(key, core.Const)
        }
        count = size(key_kind) or 0
        if isinstance(value_kind, OptionType) and len(order) == len(keys):
            nothing = core.Const(None, value_kind, node.span)
            order = {position: order.get(position, nothing) for position in range(count)}
        elif len(order) != len(keys) or len(order) != count:
            self.names.report(
                "T318", f"a map has one value for each `{key_kind}`", node.span, f"{len(order)} of {count} are given",
                "for counts of some kinds a bag is meant: say so with a type, as in `let x: bag[...] = ...`",
            )  # fmt: skip
            return unknown(node.span)
        return self.op("map_of", tuple(order[i] for i in range(count)), MapType(key_kind, value_kind), node.span)

    def bag_literal(self, node: syntax.MapLit, want: BagType) -> core.Expr:
        """Kinds that are known are counted once; others are added up, since two of them may turn out to be the same."""
        computed: list[core.Expr] = []
        positions: list[int] = []
        counts: list[core.Expr] = []
        for key, value in node.pairs:
            item = self.fitted(key, want.item)
            count = self.fitted(value, IntType(0, 255), "a count in a bag")
            if item.type == UNKNOWN or count.type == UNKNOWN:
                return unknown(node.span)
            if not isinstance(item, core.Const):
                one = self.op("bag_of", (item,), want, key.span)
                computed.append(self.op("bag_scale", (one, count), want, node.span))
                continue
            position = index_of(want.item, item.value)
            if position in positions:
                self.names.report("T318", f"`{key.span.text}` is counted twice", key.span)
            positions.append(position)
            counts.append(count)
        if counts:
            computed.insert(0, self.op("bag_counts", tuple(counts), want, node.span, tuple(positions)))
        made = computed[0]
        for other in computed[1:]:
            made = self.op("bag_plus", (made, other), want, node.span)
        return made

    def clauses(self, nodes: tuple[syntax.CompClause, ...]) -> list[core.Clause]:
        """The `for ... in ... if ...` of a comprehension; their variables and facts stay in the scope."""
        made = []
        for clause in nodes:
            source = self.collection(clause.source)
            kind = element_type(source.type)
            self.scope.declare(clause.var, "loop", kind)
            condition = None
            if clause.condition is not None:
                condition = self.condition(clause.condition)
                self.scope.learn(facts_of(condition, self.scope)[0])
            made.append(core.Clause(clause.var.id, kind, source, condition))
        return made

    def on_Comprehension(self, node: syntax.Comprehension, want: Type | None) -> core.Expr:
        if isinstance(want, OptionType):
            want = want.item
        target = want.item if isinstance(want, (SetType, BagType, ListType)) else None
        with self.scope.block(), self.scope.assuming(()):
            clauses = self.clauses(node.clauses)
            element = self.fitted(node.element, target) if target else self.expr(node.element, lost_or_none(want))
        if want == UNKNOWN or element.type == UNKNOWN or any(c.source.type == UNKNOWN for c in clauses):
            return unknown(node.span)
        item = target or element.type
        if node.kind == "list":
            limit = bound(clauses)
            kind: Type = ListType(item, limit)
            return core.Comp("list", element, tuple(clauses), kind, node.span)
        if isinstance(want, BagType):
            return core.Comp("bag", element, tuple(clauses), want, node.span)
        if not self.names.countable(item, node.span, "a set"):
            return unknown(node.span)
        return core.Comp("set", element, tuple(clauses), SetType(item), node.span)

    def on_MapComprehension(self, node: syntax.MapComprehension, want: Type | None) -> core.Expr:
        if isinstance(want, BagType):
            made = self.map_comprehension(node, MapType(want.item, IntType(0, 255)))
            return made if made.type == UNKNOWN else self.op("cast", (made,), want, node.span)
        if want == UNKNOWN:
            return self.lost_comprehension(node)
        return self.map_comprehension(node, want if isinstance(want, MapType) else None)

    def lost_comprehension(self, node: syntax.MapComprehension) -> core.Expr:
        with self.scope.block(), self.scope.assuming(()):
            self.clauses(node.clauses)
            self.expr(node.key, UNKNOWN)
            self.expr(node.value, UNKNOWN)
        return unknown(node.span)

    def map_comprehension(self, node: syntax.MapComprehension, want: MapType | None) -> core.Expr:
        with self.scope.block(), self.scope.assuming(()):
            clauses = self.clauses(node.clauses)
            key = self.fitted(node.key, want.key) if want else self.expr(node.key)
            value = self.fitted(node.value, want.value) if want else self.expr(node.value)
        if UNKNOWN in (key.type, value.type) or any(c.source.type == UNKNOWN for c in clauses):
            return unknown(node.span)
        first = clauses[0]
        full = isinstance(first.source, core.Const) and first.source.value == (1 << (size(first.var_type) or 0)) - 1
        whole = full and isinstance(first.source.type, SetType) and first.var_type == (want.key if want else key.type)
        plain = isinstance(key, core.Local) and key.name == first.var and first.condition is None and len(clauses) == 1
        if not plain or not whole:
            self.names.report(
                "T318", f"this does not give each `{describe(key.type)}` a value", node.span, "a map is total",
                f"write `{{k: ... for k in {describe(key.type)}}}`, without `if`",
            )  # fmt: skip
            return unknown(node.span)
        kind = want or MapType(key.type, value.type)
        return core.Comp("map", value, tuple(clauses), kind, node.span, key)

    def on_RangeExpr(self, node: syntax.RangeExpr, want: Type | None) -> core.Expr:
        lo, hi = self.fitted(node.lo, INT), self.fitted(node.hi, INT)
        if not isinstance(lo.type, IntType) or not isinstance(hi.type, IntType):
            return unknown(node.span)
        item = IntType(lo.type.lo, max(lo.type.lo, hi.type.hi))
        if not self.names.countable(item, node.span, "the range"):
            return unknown(node.span)
        return self.op("range", (lo, hi), SetType(item), node.span)


def lost_or_none(want: Type | None) -> Type | None:
    """What the parts of a literal are expected to be when nothing is expected of it, or a mistake has taken that away."""
    return UNKNOWN if want == UNKNOWN else None
