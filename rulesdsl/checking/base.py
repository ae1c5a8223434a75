"""The base of checking expressions: dispatch, making nodes, and fitting values to the types that are needed."""

from __future__ import annotations

import re
from typing import Any

from attrs import evolve, frozen

from rulesdsl import core, syntax
from rulesdsl.checking.scope import Scope, path_of
from rulesdsl.diagnostics import Label, Span
from rulesdsl.naming import fold
from rulesdsl.naming.names import Names
from rulesdsl.types import (
    BOOL,
    UNKNOWN,
    BagType,
    BoolType,
    EnumType,
    IntType,
    ListType,
    MapType,
    NothingType,
    OptionType,
    SetType,
    Type,
    UnknownType,
    describe,
    is_collection,
    size,
    zero,
)


def unknown(span: Span) -> core.Const:
    """What stands for an expression with a mistake in it."""
    return core.Const(None, UNKNOWN, span)


def join(a: Type, b: Type) -> Type | None:
    """The type that has the values of both, or None."""
    if a == b:
        return a
    if a == UNKNOWN or b == UNKNOWN:
        return UNKNOWN
    if isinstance(a, IntType) and isinstance(b, IntType):
        return IntType(min(a.lo, b.lo), max(a.hi, b.hi))
    if isinstance(a, NothingType) and a.what == "none":
        return b if isinstance(b, OptionType) else None if isinstance(b, NothingType) else OptionType(b)
    if isinstance(b, NothingType) and b.what == "none":
        return join(b, a)
    if isinstance(a, NothingType) and (is_collection(b) or isinstance(b, MapType)):
        return b
    if isinstance(b, NothingType) and (is_collection(a) or isinstance(a, MapType)):
        return a
    if isinstance(a, OptionType) or isinstance(b, OptionType):
        left = a.item if isinstance(a, OptionType) else a
        right = b.item if isinstance(b, OptionType) else b
        item = join(left, right)
        return OptionType(item) if item is not None else None
    if isinstance(a, ListType) and isinstance(b, ListType):
        item = join(a.item, b.item)
        return ListType(item, max(a.limit, b.limit)) if item is not None else None
    if isinstance(a, EnumType) and a.ordered and isinstance(b, IntType):
        return a
    if isinstance(b, EnumType) and b.ordered and isinstance(a, IntType):
        return b
    return None


def flexible(node: syntax.Expr, names: Names) -> bool:
    """Whether an expression takes its type from what stands on the other side of an operator."""
    if isinstance(node, syntax.NameExpr):
        return len(names.members.get(node.id, [])) > 1
    if isinstance(node, syntax.Conditional):
        return flexible(node.then, names) or flexible(node.otherwise, names)
    return isinstance(
        node,
        (
            syntax.BraceLit,
            syntax.ListLit,
            syntax.MapLit,
            syntax.NoneLit,
            syntax.IntLit,
            syntax.Comprehension,
            syntax.MapComprehension,
        ),
    )


@frozen(slots=False)
class ExprBase:
    """What all parts of the expression checker share."""

    names: Names
    scope: Scope

    # ------------------------------------------------------------ entry points

    def constant(self, node: syntax.Expr, want: Type | None) -> core.Expr:
        """An expression outside of every def and flow, fitted to `want`."""
        checker = type(self)(self.names, Scope(self.names, "constant"))
        expr = checker.expr(node, want)
        return checker.fit(expr, want, node.span) if want is not None else expr

    def fitted(self, node: syntax.Expr, want: Type, what: str = "") -> core.Expr:
        """An expression that must be of a type."""
        return self.fit(self.expr(node, want), want, node.span, what)

    def condition(self, node: syntax.Expr) -> core.Expr:
        """A bool, or a collection (true when not empty)."""
        return self.as_condition(self.expr(node, BOOL), node)

    def as_condition(self, expr: core.Expr, node: syntax.Expr) -> core.Expr:
        """An expression as a condition; reports one that is none."""
        if isinstance(expr.type, BoolType):
            return expr
        if is_collection(expr.type):
            return self.op("nonempty", (expr,), BOOL, node.span)
        self.scope.unsure = True
        if expr.type != UNKNOWN:
            hint = ""
            if isinstance(expr.type, OptionType):
                hint = f"write `{node.span.text} is some`"
            elif isinstance(expr.type, IntType):
                hint = f"write `{node.span.text} != 0`"
            what = describe(expr.type)
            self.names.report(
                "T303", f"`{what}` is not a condition", node.span, "a bool or a collection is needed", hint
            )
        return unknown(node.span)

    def expr(self, node: syntax.Expr, want: Type | None = None) -> core.Expr:
        """The typed form of an expression. Where `want` is UNKNOWN, a mistake elsewhere has taken away what literals need to
        be understood: their parts are checked, and nothing is said about the whole."""
        if want == UNKNOWN and isinstance(node, (syntax.BraceLit, syntax.ListLit, syntax.MapLit)):
            parts = (
                node.items if not isinstance(node, syntax.MapLit) else [part for pair in node.pairs for part in pair]
            )
            for part in parts:
                self.expr(part, UNKNOWN)
            return unknown(node.span)
        method: Any = getattr(self, "on_" + type(node).__name__)
        result: core.Expr = method(node, want)
        return result

    def collection(self, node: syntax.Expr) -> core.Expr:
        """Something that can be gone through."""
        expr = self.expr(node)
        if expr.type == UNKNOWN or is_collection(expr.type):
            return expr
        if isinstance(expr.type, NothingType) and expr.type.what != "none":
            self.names.report("T310", "nothing says what this is a collection of", node.span)
            return unknown(node.span)
        hint = ""
        if isinstance(expr.type, MapType):
            hint = f"go through its keys: `{expr.type.key}`"
            if isinstance(expr, core.Read):
                hint = f"it has one value for each `{expr.type.key}`: `{node.span.text}[...]`"
        elif isinstance(expr.type, OptionType) and is_collection(expr.type.item):
            hint = "it may be none: give a default with `or {}`"
        elif isinstance(expr.type, IntType):
            hint = "a range is written `1..6`"
        self.names.report(
            "T311",
            f"`{describe(expr.type)}` is not a collection",
            node.span,
            "a set, bag, list, range or type is needed",
            hint,
        )
        return unknown(node.span)

    # ------------------------------------------------------------ making nodes

    def op(self, name: str, args: tuple[core.Expr, ...], kind: Type, span: Span, data: Any = None) -> core.Expr:
        """An operation, worked out at once when all its arguments are known."""
        if any(arg.type == UNKNOWN for arg in args):
            return unknown(span)
        made = core.Op(name, args, kind, span, data)
        if args and all(isinstance(arg, core.Const) for arg in args) and name not in ("unwrap",):
            try:
                return core.Const(fold.evaluate(made), kind, span)
            except fold.NotKnown:
                return made
        return made

    def fit(self, expr: core.Expr, want: Type, span: Span, what: str = "") -> core.Expr:
        """The same value as one of type `want`; reports what cannot be."""
        made = self.try_fit(expr, want, span)
        if made is not None:
            return checked_for(made, what.removeprefix("for "))
        hint = ""
        code, text = "T301", f"this is `{describe(expr.type)}`"
        title = f"expected `{describe(want)}`, found `{describe(expr.type)}`" + (f" ({what})" if what else "")
        if self.fits_but_for_none(expr, want, span):
            return self.may_be_none(expr, span, f"`{describe(want)}` is needed")
        if isinstance(expr.type, IntType) and isinstance(want, IntType):
            code, title = "T307", f"{describe(expr.type)} is never within {describe(want)}"
            if expr.type.lo == expr.type.hi:
                title = f"{describe(expr.type)} is not within {describe(want)}"
            text = what
        elif isinstance(want, (SetType, BagType)) and isinstance(expr.type, (SetType, BagType, ListType)):
            if type(want) is not type(expr.type):
                word = "set" if isinstance(want, SetType) else "bag"
                hint = (
                    "list literals have `[...]`, sets and bags `{...}`"
                    if text_is_list(span)
                    else f"make it one: `{word}(...)`"
                )
            elif isinstance(want.item, IntType) and isinstance(expr.type.item, IntType):
                code, title = "T307", f"`{describe(expr.type)}` does not fit in `{describe(want)}`"
        elif want == BOOL and isinstance(expr.type, OptionType) and SIMPLE.fullmatch(span.text):
            hint = f"whether it is there: `{span.text} is some`"
        elif isinstance(expr.type, NothingType) and expr.type.what == "none":
            hint = f"`none` needs an optional type, such as `{describe(want)}?`"
        self.names.report(code, title, span, text, hint, labels=self.origin(expr))
        return unknown(span)

    def origin(self, expr: core.Expr) -> tuple[Label, ...]:
        """Where a local that is of another type than is needed got its type."""
        while isinstance(expr, core.Op) and expr.op in ("unwrap", "cast"):
            expr = expr.args[0]
        local = self.scope.locals.get(expr.name) if isinstance(expr, core.Local) else None
        if local is None or local.span.line == expr.span.line or local.name == "me":
            return ()
        return (Label(local.span, f"`{describe(local.type)}` from here"),)

    def try_fit(self, expr: core.Expr, want: Type, span: Span) -> core.Expr | None:
        have = expr.type
        if have == UNKNOWN or want == UNKNOWN:
            return unknown(span)
        if have == want:
            return expr
        if isinstance(want, IntType):
            return self.fit_int(expr, want, span)
        if isinstance(want, OptionType):
            return self.fit_option(expr, want, span)
        if isinstance(have, NothingType) and (is_collection(want) or isinstance(want, MapType)):
            return core.Const(zero(want), want, span) if have.what != "none" else None
        if isinstance(want, EnumType) and want.ordered and isinstance(expr, core.Const) and isinstance(have, IntType):
            return core.Const(expr.value, want, span) if 0 <= expr.value < len(want.members) else None
        if isinstance(want, ListType) and isinstance(have, ListType):
            return self.fit_list(expr, have, want, span)
        if isinstance(want, (SetType, BagType)) and type(have) is type(want):
            return self.reindexed(expr, want, span)
        if isinstance(want, MapType) and isinstance(have, MapType) and want.key == have.key:
            inner = core.Local("_", have.value, span)
            fits = self.try_fit(inner, want.value, span)
            same_form = fits is inner or (isinstance(fits, core.Op) and fits.op == "some")
            return self.op("cast", (expr,), want, span) if same_form else None
        return None

    def fit_int(self, expr: core.Expr, want: IntType, span: Span) -> core.Expr | None:
        have = expr.type
        if not isinstance(have, IntType) or have.hi < want.lo or have.lo > want.hi:
            return None
        if want.lo <= have.lo and have.hi <= want.hi:
            return expr
        kept = IntType(max(want.lo, have.lo), min(want.hi, have.hi))
        return core.Checked(expr, want.lo, want.hi, kept, span)

    def fit_option(self, expr: core.Expr, want: OptionType, span: Span) -> core.Expr | None:
        have = expr.type
        if isinstance(have, NothingType):
            return core.Const(None, want, span) if have.what == "none" else None
        if isinstance(have, OptionType):
            inner = core.Local("_", have.item, span)
            fitted = self.try_fit(inner, want.item, span)
            if fitted is None:
                return None
            return (
                self.op("cast", (expr,), want, span) if fitted is inner else core.IfSome("_", expr, fitted, want, span)
            )
        inner_fit = self.try_fit(expr, want.item, span)
        return None if inner_fit is None else self.op("some", (inner_fit,), want, span)

    def fit_list(self, expr: core.Expr, have: ListType, want: ListType, span: Span) -> core.Expr | None:
        inner = core.Local("_", have.item, span)
        if self.try_fit(inner, want.item, span) is not inner:
            return None
        if have.limit <= want.limit:
            return self.op("cast", (expr,), want, span)
        return self.op("list_concat", (core.Const((), want, span), expr), want, span)

    def reindexed(self, expr: core.Expr, want: SetType | BagType, span: Span) -> core.Expr | None:
        """A set or bag over another range of ints: possible where its elements are known."""
        have = expr.type
        if (
            not isinstance(have, (SetType, BagType))
            or not isinstance(have.item, IntType)
            or not isinstance(want.item, IntType)
        ):
            return None
        if isinstance(expr, core.Op) and expr.op == "range" and isinstance(want, SetType):
            low = self.try_fit(expr.args[0], want.item, span)
            high = self.try_fit(expr.args[1], want.item, span)
            if low is None or high is None:
                return None
            return core.Op("range", (low, high), want, span)
        if not isinstance(expr, core.Const):
            return None
        items = list(fold.elements(have, expr.value))
        if any(not want.item.lo <= item <= want.item.hi for item in items):
            return None
        made = tuple(core.Const(item, want.item, span) for item in items)
        return (
            self.op("set_of" if isinstance(want, SetType) else "bag_of", made, want, span)
            if made
            else core.Const(zero(want), want, span)
        )

    def fits_but_for_none(self, expr: core.Expr, want: Type, span: Span) -> bool:
        """Whether an option would be what is wanted if it were there."""
        if not isinstance(expr.type, OptionType) or isinstance(want, (OptionType, UnknownType)):
            return False
        return self.try_fit(evolve_type(expr, expr.type.item), want, span) is not None

    def may_be_none(self, expr: core.Expr, span: Span, needed: str) -> core.Expr:
        """Reports an option where its item is needed, unless a condition with a mistake may have proved it."""
        if not self.scope.unsure:
            text = span.text
            hint = "name it with `let` and test that, or give a default with `or`"
            if SIMPLE.fullmatch(text):
                hint = f"test it first: `{text} is some`, or give a default: `{text} or ...`"
            self.names.report(
                "T304", f"{named(span)} may be none, {needed}", span, f"this is `{describe(expr.type)}`", hint
            )
        return unknown(span)

    def field(self, entity: Any, span: Span, before: bool) -> core.Expr:
        info: core.FieldInfo | None = self.names.resolve(entity) if entity.ready else None
        if self.scope.kind == "constant" or info is None:
            self.names.report(
                "T314", f"`{entity.name}` changes in play", span, "a field of the state is not known before play"
            )
            return unknown(span)
        if info.type == UNKNOWN:
            return unknown(span)
        return self.narrowed(core.Read(entity.name, (), info.type, span, before))

    def narrowed(self, expr: core.Expr) -> core.Expr:
        """The item of an option that is proved to be there."""
        if not isinstance(expr.type, OptionType):
            return expr
        path = path_of(expr, self.scope)
        if path is None or path not in self.scope.facts:
            return expr
        self.scope.origins.add(self.scope.facts[path])
        return core.Op("unwrap", (expr,), expr.type.item, expr.span)


# ---------------------------------------------------------------- small helpers


SIMPLE = re.compile(r"[\w.\[\]?]{1,30}")


def named(span: Span) -> str:
    """An expression in a message: its text, if that is short."""
    return f"`{span.text}`" if len(span.text) <= 40 and "\n" not in span.text else "this"


def checked_for(expr: core.Expr, what: str) -> core.Expr:
    """An expression whose check in play, if it has one, says what the value is for."""
    if isinstance(expr, core.Checked) and not expr.what:
        return evolve(expr, what=what)
    if isinstance(expr, core.Op) and expr.op == "some":
        return evolve(expr, args=(checked_for(expr.args[0], what),))
    return expr


def text_is_list(span: Span) -> bool:
    return span.text.startswith("[")


def evolve_type(expr: core.Expr, kind: Type) -> core.Expr:
    return evolve(expr, type=kind)


def element_type(kind: Type) -> Type:
    if isinstance(kind, (SetType, BagType, ListType)):
        return kind.item
    return UNKNOWN


def bound(clauses: list[core.Clause]) -> int:
    """The most elements that a comprehension can have."""
    total = 1
    for clause in clauses:
        total *= most(clause.source.type)
    return min(total, 2**31)


def most(kind: Type) -> int:
    """The most elements of a collection."""
    if isinstance(kind, SetType):
        return size(kind.item) or 0
    if isinstance(kind, BagType):
        return 255 * (size(kind.item) or 0)
    if isinstance(kind, ListType):
        return kind.limit
    return 0
