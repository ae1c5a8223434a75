"""Calls of the language's own functions: `len(xs)`, `max(a, b)`, `sum(f(x) for x in xs)`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from attrs import frozen

from rulesdsl import core, syntax
from rulesdsl.diagnostics import Label, Span
from rulesdsl.naming.names import FUNCTIONS
from rulesdsl.types import (
    BOOL,
    INT,
    INT_MAX,
    INT_MIN,
    UNKNOWN,
    BagType,
    EnumType,
    IntType,
    ListType,
    OptionType,
    SetType,
    Type,
    describe,
    is_collection,
)

if TYPE_CHECKING:
    from rulesdsl.checking.expr import ExprChecker


_EARLIER = ("before", "old", "previous")
"""What people call to read an earlier state."""


@frozen
class Functions:
    """The functions of the language, for the calls of an `ExprChecker`."""

    checker: ExprChecker

    def unknown(self, span: Span) -> core.Expr:
        return core.Const(None, UNKNOWN, span)

    def report(
        self, code: str, title: str, span: Span, text: str = "", *hints: str, labels: tuple[Label, ...] = ()
    ) -> core.Expr:
        self.checker.names.report(code, title, span, text, *hints, labels=labels)
        return self.unknown(span)

    def nothing_called(self, fn: syntax.NameExpr, kinds: tuple[str, ...]) -> core.Expr:
        if kinds == ("flow",):
            text, hint = "not a flow", self.checker.names.nearest(fn.id, kinds)
        else:
            text, hint = "not a def, record or function", self.checker.names.nearest(fn.id, kinds, FUNCTIONS)
            if fn.id in _EARLIER:
                hint = "a transition reads a field as it was by `before.field`, `before.field[key]`"
        return self.report("N201", f"nothing is called `{fn.id}`", fn.span, text, hint)

    # ------------------------------------------------------------ functions of the language

    def function(self, word: str, node: syntax.Call, want: Type | None) -> core.Expr:
        for arg in node.args:
            if arg.name is not None:
                return self.report("N208", f"`{word}` has no named arguments", arg.name.span)
        method: Any = getattr(self, f"fn_{word}")
        result: core.Expr = method(node, [arg.value for arg in node.args], want)
        return result

    def count_is(self, node: syntax.Call, args: list[syntax.Expr], number: int, usage: str) -> bool:
        if len(args) == number:
            return True
        self.report("T302", f"write `{usage}`", node.span, f"{len(args)} argument{'' if len(args) == 1 else 's'} given")
        return False

    def one(self, node: syntax.Call, args: list[syntax.Expr], usage: str) -> core.Expr:
        return self.checker.collection(args[0]) if self.count_is(node, args, 1, usage) else self.unknown(node.span)

    def fn_len(self, node: syntax.Call, args: list[syntax.Expr], want: Type | None) -> core.Expr:
        from rulesdsl.checking.expr import most

        group = self.one(node, args, "len(collection)")
        return self.checker.op("len", (group,), IntType(0, most(group.type)), node.span)

    def fn_abs(self, node: syntax.Call, args: list[syntax.Expr], want: Type | None) -> core.Expr:
        if not self.count_is(node, args, 1, "abs(number)"):
            return self.unknown(node.span)
        value = self.checker.fitted(args[0], INT)
        if not isinstance(value.type, IntType):
            return self.unknown(node.span)
        lo, hi = value.type.lo, value.type.hi
        low = 0 if lo <= 0 <= hi else min(abs(lo), abs(hi))
        return self.checker.ranged("abs", (value,), low, max(abs(lo), abs(hi)), node.span)

    def fn_distinct(self, node: syntax.Call, args: list[syntax.Expr], want: Type | None) -> core.Expr:
        group = self.one(node, args, "distinct(bag)")
        if isinstance(group.type, SetType):
            return group
        if isinstance(group.type, BagType):
            return self.checker.op("distinct", (group,), SetType(group.type.item), node.span)
        return self.to_set(group, node.span)

    def to_set(self, group: core.Expr, span: Span) -> core.Expr:
        if isinstance(group.type, ListType) and self.checker.names.countable(group.type.item, span, "a set"):
            return self.checker.op("to_set", (group,), SetType(group.type.item), span)
        if isinstance(group.type, BagType):
            return self.checker.op("distinct", (group,), SetType(group.type.item), span)
        return group if isinstance(group.type, SetType) else self.unknown(span)

    def fn_set(self, node: syntax.Call, args: list[syntax.Expr], want: Type | None) -> core.Expr:
        return self.to_set(self.one(node, args, "set(collection)"), node.span)

    def fn_bag(self, node: syntax.Call, args: list[syntax.Expr], want: Type | None) -> core.Expr:
        if not self.count_is(node, args, 1, "bag(collection)"):
            return self.unknown(node.span)
        target = want.item if isinstance(want, BagType) else None
        if isinstance(args[0], (syntax.ListLit, syntax.BraceLit)) and target is not None:
            group = self.checker.fitted(args[0], ListType(target, 255 * 4096))
        else:
            hint = (
                ListType(target, 255 * 4096) if target is not None and isinstance(args[0], syntax.Conditional) else None
            )
            group = self.checker.expr(args[0], hint) if hint else self.checker.collection(args[0])
        if not is_collection(group.type):
            return self.unknown(node.span)
        item = group.type.item  # type: ignore[union-attr]
        if isinstance(group.type, BagType):
            return group
        target = (
            target
            if isinstance(target, IntType)
            and isinstance(item, IntType)
            and target.lo <= item.lo
            and item.hi <= target.hi
            else item
        )
        if not self.checker.names.countable(target, node.span, "a bag"):
            return self.unknown(node.span)
        return self.checker.op("bag_from", (group,), BagType(target), node.span)

    def fn_count_of(self, node: syntax.Call, args: list[syntax.Expr], want: Type | None) -> core.Expr:
        if not self.count_is(node, args, 2, "count_of(bag, element)"):
            return self.unknown(node.span)
        group = self.checker.collection(args[0])
        if group.type == UNKNOWN:
            return self.unknown(node.span)
        if not isinstance(group.type, BagType):
            return self.report(
                "T301",
                f"expected a bag, found `{describe(group.type)}`",
                args[0].span,
                "",
                "count with `count(x for x in ... if ...)`",
            )
        item = self.checker.fitted(args[1], group.type.item)
        return self.checker.op("bag_count", (group, item), IntType(0, 255), node.span)

    def fn_seats_from(self, node: syntax.Call, args: list[syntax.Expr], want: Type | None) -> core.Expr:
        if not self.count_is(node, args, 1, "seats_from(player)"):
            return self.unknown(node.span)
        player = self.checker.names.player
        first = self.checker.fitted(args[0], player)
        return self.checker.op("seats_from", (first,), ListType(player, len(player.members)), node.span)

    def fn_sum(self, node: syntax.Call, args: list[syntax.Expr], want: Type | None) -> core.Expr:
        return self.folded("sum", node, args)

    def fn_count(self, node: syntax.Call, args: list[syntax.Expr], want: Type | None) -> core.Expr:
        return self.report(
            "T302", "write `count(x for x in ... if ...)`", node.span, "", "the size of a collection is `len(...)`"
        )

    def fn_any(self, node: syntax.Call, args: list[syntax.Expr], want: Type | None) -> core.Expr:
        return self.report(
            "T302",
            "write `any(condition for x in ...)`",
            node.span,
            "",
            "a collection is true by itself when it is not empty",
        )

    def fn_all(self, node: syntax.Call, args: list[syntax.Expr], want: Type | None) -> core.Expr:
        return self.report("T302", "write `all(condition for x in ...)`", node.span)

    def fn_first(self, node: syntax.Call, args: list[syntax.Expr], want: Type | None) -> core.Expr:
        return self.folded("first", node, args)

    def fn_min(self, node: syntax.Call, args: list[syntax.Expr], want: Type | None) -> core.Expr:
        return self.folded("min", node, args) if len(args) == 1 else self.extreme("least", node, args)

    def fn_max(self, node: syntax.Call, args: list[syntax.Expr], want: Type | None) -> core.Expr:
        return self.folded("max", node, args) if len(args) == 1 else self.extreme("greatest", node, args)

    def folded(self, kind: str, node: syntax.Call, args: list[syntax.Expr]) -> core.Expr:
        """`sum(xs)`, `max(xs)`, `first(xs)`: over all elements of a collection."""
        group = self.one(node, args, f"{kind}(collection) or {kind}(x for x in ...)")
        if not is_collection(group.type):
            return self.unknown(node.span)
        item = group.type.item  # type: ignore[union-attr]
        name = self.checker.names.temporary(node.span)
        clause = core.Clause(name, item, group, None)
        return self.reduced(kind, core.Local(name, item, node.span), [clause], node.span)

    def extreme(self, op: str, node: syntax.Call, args: list[syntax.Expr]) -> core.Expr:
        """`max(a, b)`: the greatest of two or more numbers."""
        if not args:
            return self.report(
                "T302", f"write `{node.fn.span.text}(a, b)` or `{node.fn.span.text}(x for x in ...)`", node.span
            )
        values = [self.checker.fitted(arg, INT) for arg in args]
        ranges = [value.type for value in values if isinstance(value.type, IntType)]
        if len(ranges) != len(values):
            return self.unknown(node.span)
        choose = min if op == "least" else max
        kind = IntType(choose(r.lo for r in ranges), choose(r.hi for r in ranges))
        return self.checker.op(op, tuple(values), kind, node.span)

    # ------------------------------------------------------------ f(e for x in xs)

    def generator(self, node: syntax.GeneratorCall, want: Type | None) -> core.Expr:
        fn = node.fn
        if (
            not isinstance(fn, syntax.NameExpr)
            or fn.id not in FUNCTIONS
            or fn.id in ("abs", "len", "count_of", "seats_from", "distinct")
        ):
            if isinstance(fn, syntax.NameExpr) and fn.id not in FUNCTIONS and fn.id not in self.checker.names.entities:
                return self.nothing_called(fn, ("def",))
            allowed = "any, all, sum, count, min, max, first, set, bag"
            return self.report("T316", "this takes no `for`", fn.span, "", f"a generator may be given to {allowed}")
        word = fn.id
        checker = self.checker
        if word in ("set", "bag"):
            return self.gathered(word, node, want)
        with checker.scope.block(), checker.scope.assuming(()):
            clauses = checker.clauses(node.clauses)
            if word in ("any", "all"):
                element = checker.condition(node.element)
            elif word in ("first", "count"):
                element = checker.expr(node.element, want.item if isinstance(want, OptionType) else want)
            else:
                element = checker.expr(node.element)
        if element.type == UNKNOWN or any(clause.source.type == UNKNOWN for clause in clauses):
            return self.unknown(node.span)
        return self.reduced(word, element, clauses, node.span, node.element.span)

    def gathered(self, word: str, node: syntax.GeneratorCall, want: Type | None) -> core.Expr:
        checker = self.checker
        target = want.item if isinstance(want, (SetType, BagType)) else None
        with checker.scope.block(), checker.scope.assuming(()):
            clauses = checker.clauses(node.clauses)
            element = checker.fitted(node.element, target) if target is not None else checker.expr(node.element)
        if element.type == UNKNOWN or any(clause.source.type == UNKNOWN for clause in clauses):
            return self.unknown(node.span)
        item = target or element.type
        if not checker.names.countable(item, node.span, f"a {word}"):
            return self.unknown(node.span)
        kind: Type = SetType(item) if word == "set" else BagType(item)
        return core.Comp(word, element, tuple(clauses), kind, node.span)

    def reduced(
        self, kind: str, element: core.Expr, clauses: list[core.Clause], span: Span, where: Span | None = None
    ) -> core.Expr:
        from rulesdsl.checking.expr import bound

        most = bound(clauses)
        item = element.type
        if kind in ("any", "all"):
            return core.Comp(kind, element, tuple(clauses), BOOL, span)
        if kind == "count":
            if item == BOOL:
                text = "this is counted whether it is true or not"
                return self.report(
                    "T302",
                    "`count` counts what is gone through",
                    where or span,
                    text,
                    "write `count(x for x in ... if ...)`",
                )
            return core.Comp(kind, element, tuple(clauses), IntType(0, most), span)
        if kind == "first":
            if isinstance(item, OptionType):
                return self.report(
                    "T301",
                    "`first` of options would be an option of an option",
                    where or span,
                    f"this is `{describe(item)}`",
                )
            return core.Comp(kind, element, tuple(clauses), OptionType(item), span)
        if kind in ("min", "max") and isinstance(item, EnumType) and item.ordered:
            return core.Comp(kind, element, tuple(clauses), OptionType(item), span)
        if not isinstance(item, IntType):
            hint = "give a default with `or`" if isinstance(item, OptionType) else ""
            return self.report("T301", f"`{kind}` is of numbers, found `{describe(item)}`", where or span, "", hint)
        if kind in ("min", "max"):
            return core.Comp(kind, element, tuple(clauses), OptionType(item), span)
        lo, hi = min(0, item.lo) * most, max(0, item.hi) * most
        total = core.Comp("sum", element, tuple(clauses), IntType(max(lo, INT_MIN), min(hi, INT_MAX)), span)
        if lo >= INT_MIN and hi <= INT_MAX:
            return total
        return core.Checked(total, INT_MIN, INT_MAX, total.type, span)
