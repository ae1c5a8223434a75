"""Operators in expressions: arithmetic with ranges, conditions, comparison, defaults of options."""

from __future__ import annotations

from rulesdsl import core, syntax
from rulesdsl.checking.base import ExprBase, element_type, flexible, join, named, unknown
from rulesdsl.checking.scope import facts_of
from rulesdsl.diagnostics import Span
from rulesdsl.types import (
    BOOL,
    INT,
    INT_MAX,
    INT_MIN,
    NONE,
    UNKNOWN,
    BagType,
    BoolType,
    EnumType,
    IntType,
    ListType,
    NothingType,
    OptionType,
    SetType,
    Type,
    UnknownType,
    describe,
    is_collection,
    size,
)


class Operators(ExprBase):
    """The part of the expression checker for operators."""

    def on_Unary(self, node: syntax.Unary, want: Type | None) -> core.Expr:
        if node.op == "not":
            return self.op("not", (self.condition(node.operand),), BOOL, node.span)
        inner = self.fitted(node.operand, INT)
        if not isinstance(inner.type, IntType):
            return unknown(node.span)
        return self.ranged("neg", (inner,), -inner.type.hi, -inner.type.lo, node.span)

    def ranged(self, name: str, args: tuple[core.Expr, ...], lo: int, hi: int, span: Span) -> core.Expr:
        """An int operation whose result is within lo..hi, checked where that is more than 64 bits."""
        made = self.op(name, args, IntType(max(lo, INT_MIN), min(hi, INT_MAX)), span)
        if (lo >= INT_MIN and hi <= INT_MAX) or made.type == UNKNOWN:
            return made
        return core.Checked(made, INT_MIN, INT_MAX, made.type, span)

    def on_Binary(self, node: syntax.Binary, want: Type | None) -> core.Expr:
        if node.op in ("and", "or"):
            return self.logical(node, want)
        left, right = self.pair(node.left, node.right, want)
        if UNKNOWN in (left.type, right.type):
            return unknown(node.span)
        if isinstance(left.type, IntType) and isinstance(right.type, IntType):
            made = self.arithmetic(node, left, right)
        else:
            made = self.combination(node, left, right)
        if made is not None:
            return made
        for side, value in ((node.left, left), (node.right, right)):
            if isinstance(value.type, OptionType):
                return self.may_be_none(value, side.span, f"`{node.op}` needs a value")
        hint = ""
        if node.op == "+" and isinstance(left.type, SetType):
            hint = "sets are joined with `|`"
        if node.op in ("|", "&") and isinstance(left.type, BagType):
            hint = "bags are added with `+`" if node.op == "|" else "what is in both: `bag(x for x in a if x in b)`"
        self.names.report(
            "T305",
            f"`{node.op}` does not work on `{describe(left.type)}` and `{describe(right.type)}`",
            node.span,
            "",
            hint,
        )
        return unknown(node.span)

    def pair(self, left: syntax.Expr, right: syntax.Expr, want: Type | None = None) -> tuple[core.Expr, core.Expr]:
        """Both sides of an operator; literals take their type from the other side."""
        if flexible(left, self.names) and not flexible(right, self.names):
            second = self.expr(right, want)
            return self.expr(left, second.type), second
        first = self.expr(left, want)
        return first, self.expr(right, first.type)

    def arithmetic(self, node: syntax.Binary, left: core.Expr, right: core.Expr) -> core.Expr | None:
        a, b = left.type, right.type
        assert isinstance(a, IntType) and isinstance(b, IntType)
        if node.op == "+":
            return self.ranged("add", (left, right), a.lo + b.lo, a.hi + b.hi, node.span)
        if node.op == "-":
            return self.ranged("sub", (left, right), a.lo - b.hi, a.hi - b.lo, node.span)
        if node.op == "*":
            corners = [x * y for x in (a.lo, a.hi) for y in (b.lo, b.hi)]
            return self.ranged("mul", (left, right), min(corners), max(corners), node.span)
        if node.op in ("//", "%"):
            if b.lo <= 0 <= b.hi:
                self.names.report(
                    "T309",
                    "this divisor may be 0",
                    node.right.span,
                    f"its range is {b}",
                    "ranges do not shrink by a test: give it one without 0, for example `max(1, ...)`",
                )
                return unknown(node.span)
            if node.op == "//":
                corners = [x // y for x in (a.lo, a.hi) for y in (b.lo, b.hi)]
                corners += [0] if a.lo <= 0 <= a.hi else []
                return self.ranged("floordiv", (left, right), min(corners), max(corners), node.span)
            lo, hi = (0, b.hi - 1) if b.lo > 0 else (b.lo + 1, 0)
            if b.lo > 0 and a.lo >= 0:
                hi = min(hi, a.hi)
            return self.ranged("mod", (left, right), lo, hi, node.span)
        return None

    def combination(self, node: syntax.Binary, left: core.Expr, right: core.Expr) -> core.Expr | None:
        if isinstance(left.type, BagType) and node.op == "*" and isinstance(right.type, IntType):
            return self.op("bag_scale", (left, right), left.type, node.span)
        table = {
            (SetType, "|"): "set_union", (SetType, "&"): "set_inter", (SetType, "-"): "set_diff",
            (BagType, "+"): "bag_plus", (BagType, "-"): "bag_minus", (ListType, "+"): "list_concat",
        }  # fmt: skip
        if isinstance(left.type, NothingType) and is_collection(right.type):
            left = self.fit(left, right.type, node.left.span)
        name = table.get((type(left.type), node.op))
        if name is None:
            return None
        if isinstance(left.type, ListType):
            if not isinstance(right.type, (ListType, NothingType)):
                return None
            if isinstance(right.type, NothingType):
                return left
            item = join(left.type.item, right.type.item)
            return (
                None
                if item is None
                else self.op(name, (left, right), ListType(item, left.type.limit + right.type.limit), node.span)
            )
        fitted = self.try_fit(right, left.type, node.right.span)
        if fitted is None:
            swapped = self.try_fit(left, right.type, node.left.span)
            if swapped is None or node.op == "-":
                return None
            left, fitted = swapped, right
        return self.op(name, (left, fitted), left.type, node.span)

    def logical(self, node: syntax.Binary, want: Type | None) -> core.Expr:
        if node.op == "or":
            left = self.expr(node.left, want)
            if left.type == UNKNOWN:
                self.scope.unsure = True
                self.expr(node.right, UNKNOWN)
                return unknown(node.span)
            if isinstance(left, core.Op) and left.op == "unwrap":
                if isinstance(left.type, BoolType) or is_collection(left.type):
                    return self.idle_default(node)
                left = left.args[0]
            if isinstance(left.type, OptionType):
                return self.default(node, left, want)
            first = self.as_condition(left, node.left)
        else:
            first = self.condition(node.left)
        yes, no = facts_of(first, self.scope)
        with self.scope.assuming(yes if node.op == "and" else no):
            second = self.condition(node.right)
        return self.op(node.op, (first, second), BOOL, node.span)

    def idle_default(self, node: syntax.Binary) -> core.Expr:
        """`x or y` where x is an option that is proved to be there, and could be meant as a condition too."""
        self.names.report(
            "T320", f"{named(node.left.span)} is always there", node.left.span, "so this `or` gives no default",
            "if the default is meant, leave it out; if a condition is meant, write `if`",
        )  # fmt: skip
        return unknown(node.span)

    def default(self, node: syntax.Binary, left: core.Expr, want: Type | None) -> core.Expr:
        assert isinstance(left.type, OptionType)
        right = self.expr(node.right, left.type.item)
        kind = join(left.type.item, right.type)
        if kind is None:
            self.names.report(
                "T301",
                f"expected `{describe(left.type.item)}`, found `{describe(right.type)}`",
                node.right.span,
                "the default of an option",
            )
            return unknown(node.span)
        if kind == UNKNOWN:
            return unknown(node.span)
        fitted = self.fit(right, kind, node.right.span)
        if isinstance(fitted.type, OptionType) and not isinstance(kind, OptionType):
            kind = OptionType(kind)
        return self.op("or_else", (left, fitted), kind, node.span)

    def on_Conditional(self, node: syntax.Conditional, want: Type | None) -> core.Expr:
        condition = self.condition(node.condition)
        yes, no = facts_of(condition, self.scope)

        def side(branch: syntax.Expr, facts: frozenset[str], expected: Type | None) -> core.Expr:
            with self.scope.assuming(facts):
                return self.expr(branch, expected)

        if want is None and flexible(node.then, self.names) and not flexible(node.otherwise, self.names):
            otherwise = side(node.otherwise, no, None)
            then = side(node.then, yes, otherwise.type)
        else:
            then = side(node.then, yes, want)
            otherwise = side(node.otherwise, no, want or then.type)
        if UNKNOWN in (condition.type, then.type, otherwise.type):
            return unknown(node.span)
        kind = join(then.type, otherwise.type)
        if kind is None:
            self.names.report(
                "T301",
                f"one side is `{describe(then.type)}`, the other `{describe(otherwise.type)}`",
                node.span,
                "both sides of `if ... else` are of one type",
            )
            return unknown(node.span)
        if isinstance(kind, NothingType) and want is not None and kind.what != "none":
            kind = want
        return self.op(
            "if",
            (condition, self.fit(then, kind, node.then.span), self.fit(otherwise, kind, node.otherwise.span)),
            kind,
            node.span,
        )

    def on_IsTest(self, node: syntax.IsTest, want: Type | None) -> core.Expr:
        expr = self.expr(node.operand)
        return self.presence(expr, node.operand, node.some, node.span)

    def presence(self, expr: core.Expr, node: syntax.Expr, some: bool, span: Span) -> core.Expr:
        """Whether an option is there; reports what is no option."""
        if isinstance(expr, core.Op) and expr.op == "unwrap":
            expr = expr.args[0]
        if expr.type == UNKNOWN:
            return unknown(span)
        if not isinstance(expr.type, OptionType):
            self.names.report(
                "T320", f"{named(node.span)} is always there", node.span, f"this is `{describe(expr.type)}`, not an option",
                "only options (`T?`) can be none",
            )  # fmt: skip
            return unknown(span)
        return self.op("is_some" if some else "is_none", (expr,), BOOL, span)

    def on_Compare(self, node: syntax.Compare, want: Type | None) -> core.Expr:
        parts: list[core.Expr] = []
        left = node.first
        for operator, right in node.rest:
            parts.append(self.comparison(operator, left, right, left.span.to(right.span)))
            left = right
        result = parts[0]
        for part in parts[1:]:
            result = self.op("and", (result, part), BOOL, node.span)
        return result

    def comparison(self, operator: str, left: syntax.Expr, right: syntax.Expr, span: Span) -> core.Expr:
        if operator in ("in", "not in"):
            made = self.membership(left, right, span)
            return made if operator == "in" else self.op("not", (made,), BOOL, span)
        first, second = self.pair(left, right)
        if UNKNOWN in (first.type, second.type):
            return unknown(span)
        if operator in ("==", "!="):
            for one, other, side in ((first, second, left), (second, first, right)):
                if other.type == NONE and one.type != NONE:
                    return self.presence(one, side, operator == "!=", span)
            return self.equality(operator, first, second, span)
        return self.ordering(operator, first, second, left, right, span)

    def equality(self, operator: str, first: core.Expr, second: core.Expr, span: Span) -> core.Expr:
        kind = join(first.type, second.type)
        if isinstance(kind, NothingType):
            kind = None
        if kind is None and is_collection(first.type) and type(first.type) is type(second.type):
            fitted = self.try_fit(second, first.type, span)
            kind = (
                first.type
                if fitted is not None
                else second.type
                if self.try_fit(first, second.type, span) is not None
                else None
            )
        if kind is None and isinstance(first.type, SetType) and isinstance(second.type, SetType):
            kind = None
        if kind is None:
            self.names.report(
                "T305",
                f"`{describe(first.type)}` and `{describe(second.type)}` cannot be equal",
                span,
                "values of one type are compared",
            )
            return unknown(span)
        a, b = self.try_fit(first, kind, span), self.try_fit(second, kind, span)
        if a is None or b is None:
            self.names.report("T305", f"`{describe(first.type)}` and `{describe(second.type)}` cannot be equal", span)
            return unknown(span)
        return self.op("eq" if operator == "==" else "ne", (a, b), BOOL, span)

    def ordering(
        self, operator: str, first: core.Expr, second: core.Expr, left: syntax.Expr, right: syntax.Expr, span: Span
    ) -> core.Expr:
        name = {"<": "lt", "<=": "le", ">": "gt", ">=": "ge"}[operator]
        if isinstance(first.type, IntType) and isinstance(second.type, IntType):
            return self.op(name, (first, second), BOOL, span)
        kind = join(first.type, second.type)
        if isinstance(kind, EnumType) and kind.ordered:
            return self.op(name, (self.fit(first, kind, left.span), self.fit(second, kind, right.span)), BOOL, span)
        if isinstance(first.type, (SetType, BagType)):
            fitted = self.fit(second, first.type, right.span)
            a, b = (first, fitted) if name in ("lt", "le") else (fitted, first)
            prefix = "set_" if isinstance(first.type, SetType) else "bag_"
            return self.op(prefix + ("lt" if name in ("lt", "gt") else "le"), (a, b), BOOL, span)
        for side, value in ((left, first), (right, second)):
            if isinstance(value.type, OptionType):
                return self.may_be_none(value, side.span, f"`{operator}` needs a value")
        hint = ""
        if isinstance(kind, EnumType):
            hint = (
                f"give it an attribute, `enum {kind}(rank: 0..9):`, and compare that"
                if kind.kind == "enum"
                else "compare `.row`, `.col` or `.seat`"
            )
        one, other = describe(first.type), describe(second.type)
        self.names.report(
            "T306",
            f"`{one}` has no order" if one == other else f"`{one}` and `{other}` have no order",
            span,
            f"`{operator}` needs numbers, tracks, sets or bags",
            hint,
        )
        return unknown(span)

    def membership(self, left: syntax.Expr, right: syntax.Expr, span: Span) -> core.Expr:
        if isinstance(right, syntax.RangeExpr):
            value = self.fitted(left, INT)
            lo, hi = self.fitted(right.lo, INT), self.fitted(right.hi, INT)
            low, high = self.op("ge", (value, lo), BOOL, span), self.op("le", (value, hi), BOOL, span)
            return self.op("and", (low, high), BOOL, span)
        if flexible(left, self.names):
            group = self.collection(right)
            item = self.expr(left, element_type(group.type))
        else:
            item = self.expr(left)
            elements = None if isinstance(item.type, (IntType, UnknownType)) else item.type
            group = self.expr(right, SetType(elements) if elements is not None and size(elements) is not None else None)
            if group.type != UNKNOWN and not is_collection(group.type):
                group = self.collection(right)
        if UNKNOWN in (item.type, group.type):
            return unknown(span)
        kind = element_type(group.type)
        prefix = {SetType: "set_has", BagType: "bag_has", ListType: "list_has"}[type(group.type)]
        if (
            isinstance(item.type, IntType)
            and isinstance(kind, IntType)
            and not isinstance(group.type, ListType)
            and not kind.lo <= item.type.lo <= item.type.hi <= kind.hi
        ):
            low = self.op("ge", (item, core.Const(kind.lo, kind, span)), BOOL, span)
            high = self.op("le", (item, core.Const(kind.hi, kind, span)), BOOL, span)
            inside = self.op("and", (low, high), BOOL, span)
            return self.op("and", (inside, self.op(prefix, (group, item), BOOL, span)), BOOL, span)
        fitted = (
            item if isinstance(kind, IntType) and isinstance(item.type, IntType) else self.fit(item, kind, left.span)
        )
        return self.op(prefix, (group, fitted), BOOL, span)
