"""Types of expressions: turns syntax into typed `core` expressions.

`ExprChecker.expr(node, want)` is the whole of it. `want` is the type that the surroundings expect, which literals, members
that two enums share, and `{}` take; the result may still be of another type, and `fit` makes it one or reports it.
"""

from __future__ import annotations

from typing import Any

from attrs import evolve, frozen

from rulesdsl import core, fold, syntax
from rulesdsl.check_calls import CallChecker
from rulesdsl.diagnostics import Label, Span, closest
from rulesdsl.names import FUNCTIONS, Names
from rulesdsl.scope import Scope, facts_of, path_of
from rulesdsl.types import (
    BOOL,
    EMPTY,
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
    MapType,
    NothingType,
    OptionType,
    RecordType,
    SetType,
    Type,
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
        node, (syntax.BraceLit, syntax.ListLit, syntax.MapLit, syntax.NoneLit, syntax.IntLit, syntax.Comprehension, syntax.MapComprehension)
    )


@frozen
class ExprChecker:
    """Checks expressions in a scope; one for each scope."""

    names: Names
    scope: Scope

    # ------------------------------------------------------------ entry points

    def constant(self, node: syntax.Expr, want: Type | None) -> core.Expr:
        """An expression outside of every def and flow, fitted to `want`."""
        checker = ExprChecker(self.names, Scope(self.names, "constant"))
        expr = checker.expr(node, want)
        return checker.fit(expr, want, node.span) if want is not None else expr

    def fitted(self, node: syntax.Expr, want: Type, what: str = "") -> core.Expr:
        """An expression that must be of a type."""
        return self.fit(self.expr(node, want), want, node.span, what)

    def condition(self, node: syntax.Expr) -> core.Expr:
        """A bool, or a collection (true when not empty)."""
        expr = self.expr(node, BOOL)
        if isinstance(expr.type, BoolType) or expr.type == UNKNOWN:
            return expr
        if is_collection(expr.type):
            return self.op("nonempty", (expr,), BOOL, node.span)
        hint = ""
        if isinstance(expr.type, OptionType):
            hint = f"write `{node.span.text} is some`"
        elif isinstance(expr.type, IntType):
            hint = f"write `{node.span.text} != 0`"
        self.names.report("T303", f"`{expr.type}` is not a condition", node.span, "a bool or a collection is needed", hint)
        return unknown(node.span)

    def expr(self, node: syntax.Expr, want: Type | None = None) -> core.Expr:
        """The typed form of an expression."""
        method: Any = getattr(self, "on_" + type(node).__name__)
        result: core.Expr = method(node, want)
        return result

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
            return made
        hint = ""
        title = f"expected `{want}`, found `{expr.type}`" + (f" ({what})" if what else "")
        code = "T301"
        if isinstance(expr.type, OptionType) and self.try_fit(evolve_type(expr, expr.type.item), want, span) is not None:
            code, title = "T304", f"`{span.text}` may be none, `{want}` is needed"
            hint = f"test it first (`{span.text} is some`), or give a default with `or`"
        elif isinstance(expr.type, IntType) and isinstance(want, IntType):
            code, title = "T307", f"the range {expr.type} never fits in {want}"
        elif isinstance(expr.type, NothingType) and expr.type.what == "none":
            hint = f"`none` needs an optional type, such as `{want}?`"
        self.names.report(code, title, span, f"this is `{describe(expr.type)}`", hint)
        return unknown(span)

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
            same_form = fits is inner or isinstance(fits, core.Op) and fits.op == "some"
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
            return self.op("cast", (expr,), want, span) if fitted is inner else core.IfSome("_", expr, fitted, want, span)
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
        if not isinstance(have, (SetType, BagType)) or not isinstance(have.item, IntType) or not isinstance(want.item, IntType):
            return None
        if isinstance(expr, core.Op) and expr.op == "range" and isinstance(want, SetType):
            low = self.fit(expr.args[0], want.item, span)
            high = self.fit(expr.args[1], want.item, span)
            return core.Op("range", (low, high), want, span)
        if not isinstance(expr, core.Const):
            return None
        items = list(fold.elements(have, expr.value))
        if any(not want.item.lo <= item <= want.item.hi for item in items):
            return None
        made = tuple(core.Const(item, want.item, span) for item in items)
        return self.op("set_of" if isinstance(want, SetType) else "bag_of", made, want, span) if made else core.Const(zero(want), want, span)

    # ------------------------------------------------------------ literals and names

    def on_IntLit(self, node: syntax.IntLit, want: Type | None) -> core.Expr:
        if node.value > INT_MAX:
            self.names.report("T307", "this number is too large", node.span, f"at most {INT_MAX}")
            return unknown(node.span)
        return core.Const(node.value, IntType(node.value, node.value), node.span)

    def on_BoolLit(self, node: syntax.BoolLit, want: Type | None) -> core.Expr:
        return core.Const(node.value, BOOL, node.span)

    def on_NoneLit(self, node: syntax.NoneLit, want: Type | None) -> core.Expr:
        if isinstance(want, OptionType):
            return core.Const(None, want, node.span)
        return core.Const(None, NONE, node.span)

    def on_NameExpr(self, node: syntax.NameExpr, want: Type | None) -> core.Expr:
        word = node.id
        local = self.scope.locals.get(word)
        if local is not None:
            local.used = True
            return self.narrowed(core.Local(word, local.type, node.span))
        if word == "me":
            self.names.report(
                "F508", "`me` is nobody here", node.span, "", "`me` is bound in an action; elsewhere declare it: `me: Player`"
            )
            return unknown(node.span)
        if word in ("winners", "scores") and self.scope.outcome:
            kind: Type = SetType(self.names.player) if word == "winners" else MapType(self.names.player, INT)
            return core.Read(word, (), kind, node.span)
        entity = self.names.use(word)
        if entity is not None:
            return self.entity(entity, node)
        if word == "Player":
            return self.whole(self.names.player, node.span)
        self.ensure_places()
        if word in self.names.members:
            return self.member(node, want)
        if word in FUNCTIONS:
            self.names.report("T316", f"`{word}` is a function", node.span, "its arguments are missing", f"write `{word}(...)`")
            return unknown(node.span)
        hint = self.names.suggestion(word, self.scope.locals)
        if self.scope.kind == "transition" and word == "before":
            hint = "write `before.field`"
        self.names.report("N201", f"nothing is called `{word}`", node.span, "not known here", hint)
        return unknown(node.span)

    def ensure_places(self) -> None:
        """Place names exist once their board is worked out."""
        for entity in self.names.entities.values():
            if entity.kind == "board" and not entity.ready and not entity.busy:
                self.names.resolve(entity)

    def entity(self, entity: Any, node: syntax.NameExpr) -> core.Expr:
        if entity.kind in ("param", "const"):
            found = self.names.resolve(entity)
            return unknown(node.span) if found == UNKNOWN else core.Const(found[1], found[0], node.span)
        if entity.kind == "field":
            return self.field(entity, node.span, before=False)
        if entity.kind in ("enum", "board"):
            kind = self.names.resolve(entity)
            return unknown(node.span) if kind == UNKNOWN else self.whole(kind, node.span)
        uses = {
            "def": f"call it: `{entity.name}(...)`", "event": f"events are emitted: `emit {entity.name}(...)`",
            "action": f"actions are offered: `p chooses {entity.name}`", "flow": f"flows are run: `{entity.name}(...)` on a line of its own",
            "record": f"make one: `{entity.name}(...)`", "measure": "measures are read by bots and series, not by rules",
        }  # fmt: skip
        self.names.report("T319", f"`{entity.name}` is a {entity.kind}, not a value", node.span, "", uses.get(entity.kind, ""))
        return unknown(node.span)

    def field(self, entity: Any, span: Span, before: bool) -> core.Expr:
        info: core.FieldInfo | None = self.names.resolve(entity) if entity.ready else None
        if self.scope.kind == "constant" or info is None:
            self.names.report("T314", f"`{entity.name}` changes in play", span, "a field of the state is not known before play")
            return unknown(span)
        if info.type == UNKNOWN:
            return unknown(span)
        return self.narrowed(core.Read(entity.name, (), info.type, span, before))

    def whole(self, kind: EnumType, span: Span) -> core.Expr:
        """A type's name as a value: the set of all its values."""
        return core.Const((1 << len(kind.members)) - 1, SetType(kind), span)

    def member(self, node: syntax.NameExpr, want: Type | None) -> core.Expr:
        owners = self.names.members[node.id]
        while isinstance(want, (OptionType, SetType, BagType, ListType)):
            want = want.item
        if len(owners) > 1:
            chosen = [owner for owner in owners if isinstance(want, EnumType) and owner[0] == want.name]
            if not chosen:
                ways = " or ".join(f"`{owner}.{node.id}`" for owner, _ in owners)
                self.names.report("N204", f"`{node.id}` can mean {ways}", node.span, "which one?", f"write {ways}")
                return unknown(node.span)
            owners = chosen
        kind = self.names.domain(owners[0][0])
        return unknown(node.span) if kind is None else core.Const(owners[0][1], kind, node.span)

    def narrowed(self, expr: core.Expr) -> core.Expr:
        """The item of an option that is proved to be there."""
        if not isinstance(expr.type, OptionType):
            return expr
        path = path_of(expr, self.scope)
        if path is None or path not in self.scope.facts:
            return expr
        self.scope.origins.add(self.scope.facts[path])
        return core.Op("unwrap", (expr,), expr.type.item, expr.span)

    # ------------------------------------------------------------ collections

    def items(self, nodes: tuple[syntax.Expr, ...], want: Type | None) -> tuple[list[core.Expr], Type | None]:
        """Elements fitted to one type: the wanted one, or the smallest that has them all."""
        if want is not None:
            return [self.fitted(node, want) for node in nodes], want
        made: list[core.Expr] = []
        kind: Type | None = None
        for node in nodes:
            expr = self.expr(node, kind)
            joined = expr.type if kind is None else join(kind, expr.type)
            if joined is None:
                self.names.report("T301", f"expected `{kind}`, found `{expr.type}`", node.span, "elements must be of one type")
                joined = UNKNOWN
            kind = joined
            made.append(expr)
        return [self.fit(e, kind, n.span) for e, n in zip(made, nodes, strict=True)] if kind is not None else [], kind

    def on_ListLit(self, node: syntax.ListLit, want: Type | None) -> core.Expr:
        target = want if isinstance(want, (ListType, SetType, BagType)) else None
        items, kind = self.items(node.items, target.item if target else None)
        if kind is None:
            return core.Const((), NothingType("[]") if target is None else target, node.span) if not isinstance(target, (SetType, BagType)) else core.Const(zero(target), target, node.span)
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
        values, value_kind = self.items(tuple(v for _, v in node.pairs), want.value if isinstance(want, MapType) else None)
        if value_kind is None or value_kind == UNKNOWN:
            return unknown(node.span)
        from rulesdsl.types import index_of

        if not all(isinstance(key, core.Const) for key in keys):
            self.names.report("T318", "the keys of a map must be known", node.span, "", "or write `{k: ... for k in ...}`")
            return unknown(node.span)
        order = {index_of(key_kind, key.value): value for key, value in zip(keys, values, strict=True) if isinstance(key, core.Const)}
        count = size(key_kind) or 0
        if len(order) != len(keys) or len(order) != count:
            self.names.report(
                "T318", f"a map has one value for each `{key_kind}`", node.span, f"{len(order)} of {count} are given",
                "for counts of some kinds a bag is meant: say so with a type, as in `let x: bag[...] = ...`",
            )  # fmt: skip
            return unknown(node.span)
        return self.op("map_of", tuple(order[i] for i in range(count)), MapType(key_kind, value_kind), node.span)

    def bag_literal(self, node: syntax.MapLit, want: BagType) -> core.Expr:
        from rulesdsl.types import index_of

        positions: list[int] = []
        counts: list[core.Expr] = []
        for key, value in node.pairs:
            item = self.fitted(key, want.item)
            count = self.fitted(value, IntType(0, 255), "a count in a bag")
            if item.type == UNKNOWN or count.type == UNKNOWN:
                return unknown(node.span)
            if not isinstance(item, core.Const):
                self.names.report("T318", "what a bag counts must be known", key.span, "", "or write `bag(... for ...)`")
                return unknown(node.span)
            position = index_of(want.item, item.value)
            if position in positions:
                self.names.report("T318", f"`{key.span.text}` is counted twice", key.span)
            positions.append(position)
            counts.append(count)
        return self.op("bag_counts", tuple(counts), want, node.span, tuple(positions))

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
        elif isinstance(expr.type, OptionType) and is_collection(expr.type.item):
            hint = "it may be none: give a default with `or {}`"
        elif isinstance(expr.type, IntType):
            hint = "a range is written `1..6`"
        self.names.report("T311", f"`{expr.type}` is not a collection", node.span, "a set, bag, list, range or type is needed", hint)
        return unknown(node.span)

    def on_Comprehension(self, node: syntax.Comprehension, want: Type | None) -> core.Expr:
        if isinstance(want, OptionType):
            want = want.item
        target = want.item if isinstance(want, (SetType, BagType, ListType)) else None
        with self.scope.block(), self.scope.assuming(()):
            clauses = self.clauses(node.clauses)
            element = self.fitted(node.element, target) if target else self.expr(node.element)
        if element.type == UNKNOWN or any(c.source.type == UNKNOWN for c in clauses):
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
        return self.map_comprehension(node, want if isinstance(want, MapType) else None)

    def map_comprehension(self, node: syntax.MapComprehension, want: MapType | None) -> core.Expr:
        with self.scope.block(), self.scope.assuming(()):
            clauses = self.clauses(node.clauses)
            key = self.fitted(node.key, want.key) if want else self.expr(node.key)
            value = self.fitted(node.value, want.value) if want else self.expr(node.value)
        if UNKNOWN in (key.type, value.type) or any(c.source.type == UNKNOWN for c in clauses):
            return unknown(node.span)
        first = clauses[0]
        whole = isinstance(first.source, core.Const) and isinstance(first.var_type, EnumType) and first.source.value == (1 << len(first.var_type.members)) - 1
        ranged = isinstance(first.source, (core.Op, core.Const)) and isinstance(first.var_type, IntType) and first.var_type == key.type
        plain = isinstance(key, core.Local) and key.name == first.var and first.condition is None and len(clauses) == 1
        if not plain or not (whole or ranged):
            self.names.report(
                "T318", f"this does not give each `{key.type}` a value", node.span, "a map is total",
                f"write `{{k: ... for k in {key.type}}}`, without `if`",
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

    # ------------------------------------------------------------ operators

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
        if INT_MIN <= lo and hi <= INT_MAX or made.type == UNKNOWN:
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
        hint = ""
        for side, kind in ((node.left, left.type), (node.right, right.type)):
            if isinstance(kind, OptionType):
                hint = f"`{side.span.text}` may be none: give a default with `or`, or test it first"
        if node.op == "+" and isinstance(left.type, SetType):
            hint = "sets are joined with `|`"
        self.names.report(
            "T305", f"`{node.op}` does not work on `{describe(left.type)}` and `{describe(right.type)}`", node.span, "", hint
        )
        return unknown(node.span)

    def pair(self, left: syntax.Expr, right: syntax.Expr, want: Type | None = None) -> tuple[core.Expr, core.Expr]:
        """Both sides of an operator; literals take their type from the other side."""
        if flexible(left, self.names) and not flexible(right, self.names):
            second = self.expr(right, want)
            return self.expr(left, second.type), second
        first = self.expr(left, want)
        return first, self.expr(right, first.type if first.type != UNKNOWN else want)

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
                    "T309", "this divisor may be 0", node.right.span, f"its range is {b}", "give it a range without 0, or test it first"
                )
                return unknown(node.span)
            if node.op == "//":
                corners = [x // y for x in (a.lo, a.hi) for y in (b.lo, b.hi)]
                corners += [0] if a.lo <= 0 <= a.hi else []
                return self.ranged("floordiv", (left, right), min(corners), max(corners), node.span)
            lo, hi = (0, b.hi - 1) if b.lo > 0 else (b.lo + 1, 0)
            if b.lo > 0 and 0 <= a.lo:
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
            return None if item is None else self.op(name, (left, right), ListType(item, left.type.limit + right.type.limit), node.span)
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
            if isinstance(left.type, OptionType):
                return self.default(node, left, want)
            first = self.as_condition(left, node.left)
        else:
            first = self.condition(node.left)
        yes, no = facts_of(first, self.scope)
        with self.scope.assuming(yes if node.op == "and" else no):
            second = self.condition(node.right)
        return self.op(node.op, (first, second), BOOL, node.span)

    def as_condition(self, expr: core.Expr, node: syntax.Expr) -> core.Expr:
        if isinstance(expr.type, BoolType) or expr.type == UNKNOWN:
            return expr
        if is_collection(expr.type):
            return self.op("nonempty", (expr,), BOOL, node.span)
        self.names.report("T303", f"`{expr.type}` is not a condition", node.span, "`or` takes conditions, or an option and its default")
        return unknown(node.span)

    def default(self, node: syntax.Binary, left: core.Expr, want: Type | None) -> core.Expr:
        assert isinstance(left.type, OptionType)
        right = self.expr(node.right, left.type.item)
        kind = join(left.type.item, right.type)
        if kind is None:
            self.names.report("T301", f"expected `{left.type.item}`, found `{right.type}`", node.right.span, "the default of an option")
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
        with self.scope.assuming(yes):
            then = self.expr(node.then, want)
        with self.scope.assuming(no):
            otherwise = self.expr(node.otherwise, want or then.type)
            if want is None and flexible(node.then, self.names):
                with self.scope.assuming(yes):
                    then = self.expr(node.then, otherwise.type)
        if UNKNOWN in (condition.type, then.type, otherwise.type):
            return unknown(node.span)
        kind = join(then.type, otherwise.type)
        if kind is None:
            self.names.report(
                "T301", f"one side is `{then.type}`, the other `{otherwise.type}`", node.span, "both sides of `if ... else` are of one type"
            )
            return unknown(node.span)
        if isinstance(kind, NothingType) and want is not None and kind.what != "none":
            kind = want
        return self.op(
            "if", (condition, self.fit(then, kind, node.then.span), self.fit(otherwise, kind, node.otherwise.span)), kind, node.span
        )

    def on_IsTest(self, node: syntax.IsTest, want: Type | None) -> core.Expr:
        expr = self.expr(node.operand)
        inner = expr
        if isinstance(expr, core.Op) and expr.op == "unwrap":
            inner = expr.args[0]
        if inner.type == UNKNOWN:
            return unknown(node.span)
        if not isinstance(inner.type, OptionType):
            self.names.report(
                "T320", f"`{node.operand.span.text}` is always there", node.operand.span, f"this is `{describe(inner.type)}`, not an option",
                "only options (`T?`) can be none",
            )  # fmt: skip
            return unknown(node.span)
        return self.op("is_some" if node.some else "is_none", (inner,), BOOL, node.span)

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
            return self.equality(operator, first, second, span)
        return self.ordering(operator, first, second, left, right, span)

    def equality(self, operator: str, first: core.Expr, second: core.Expr, span: Span) -> core.Expr:
        kind = join(first.type, second.type)
        if isinstance(kind, NothingType):
            kind = None
        if kind is None and is_collection(first.type) and type(first.type) is type(second.type):
            fitted = self.try_fit(second, first.type, span)
            kind = first.type if fitted is not None else second.type if self.try_fit(first, second.type, span) is not None else None
        if kind is None and isinstance(first.type, SetType) and isinstance(second.type, SetType):
            kind = None
        if kind is None:
            self.names.report(
                "T305", f"`{describe(first.type)}` and `{describe(second.type)}` cannot be equal", span, "values of one type are compared"
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
        hint = ""
        if isinstance(first.type, OptionType) or isinstance(second.type, OptionType):
            hint = "one side may be none: give a default with `or`, or test it first"
        elif isinstance(kind, EnumType):
            hint = f"`{kind}` has no order; give it an attribute (`enum {kind}(rank: 0..9)`) and compare that" if kind.kind == "enum" else "compare `.row`, `.col` or `.seat`"
        self.names.report("T306", f"`{describe(first.type)}` and `{describe(second.type)}` have no order", span, f"`{operator}` needs numbers, tracks, sets or bags", hint)
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
            group = self.expr(right, SetType(item.type) if item.type != UNKNOWN and size(item.type) is not None else None)
            if group.type != UNKNOWN and not is_collection(group.type):
                group = self.collection(right)
        if UNKNOWN in (item.type, group.type):
            return unknown(span)
        kind = element_type(group.type)
        prefix = {SetType: "set_has", BagType: "bag_has", ListType: "list_has"}[type(group.type)]
        if isinstance(item.type, IntType) and isinstance(kind, IntType) and not isinstance(group.type, ListType):
            if not kind.lo <= item.type.lo <= item.type.hi <= kind.hi:
                low = self.op("ge", (item, core.Const(kind.lo, kind, span)), BOOL, span)
                high = self.op("le", (item, core.Const(kind.hi, kind, span)), BOOL, span)
                inside = self.op("and", (low, high), BOOL, span)
                return self.op("and", (inside, self.op(prefix, (group, item), BOOL, span)), BOOL, span)
        fitted = item if isinstance(kind, IntType) and isinstance(item.type, IntType) else self.fit(item, kind, left.span)
        return self.op(prefix, (group, fitted), BOOL, span)

    # ------------------------------------------------------------ parts

    def on_Attr(self, node: syntax.Attr, want: Type | None) -> core.Expr:
        if isinstance(node.obj, syntax.NameExpr) and node.obj.id not in self.scope.locals:
            static = self.static(node.obj, node)
            if static is not None:
                return static
        obj = self.expr(node.obj)
        if obj.type == UNKNOWN:
            return unknown(node.span)
        if node.optional:
            if not isinstance(obj.type, OptionType):
                self.names.report("T320", f"`{node.obj.span.text}` is always there", node.obj.span, f"this is `{describe(obj.type)}`", "write `.` instead of `?.`")
                return unknown(node.span)
            name = f"_{node.span.start}"
            body = self.attribute(core.Local(name, obj.type.item, node.obj.span), node)
            if body.type == UNKNOWN:
                return unknown(node.span)
            if isinstance(body.type, OptionType):
                return core.IfSome(name, obj, body, body.type, node.span)
            wrapped = core.Op("some", (body,), OptionType(body.type), node.span)
            return core.IfSome(name, obj, wrapped, wrapped.type, node.span)
        return self.narrowed(self.attribute(obj, node))

    def static(self, obj: syntax.NameExpr, node: syntax.Attr) -> core.Expr | None:
        """`Tower.white`, `Place.first`, `before.field`; None if it is none of these."""
        if obj.id == "before" and self.scope.before:
            entity = self.names.use(node.name.id)
            if entity is None or entity.kind != "field":
                pool = [e.name for e in self.names.entities.values() if e.kind == "field"]
                found = closest(node.name.id, pool)
                self.names.report("N205", f"the state has no field `{node.name.id}`", node.name.span, "", f"did you mean `{found}`?" if found else "")
                return unknown(node.span)
            return self.field(entity, node.span, before=True)
        kind = self.names.domain(obj.id)
        if kind is None:
            return None
        word = node.name.id
        for shape in self.names.shapes.values():
            if (kind.name, word) in shape.constants:
                constant = shape.constants[(kind.name, word)]
                return core.Const(constant[1], constant[0], node.span)
        if word in kind.members:
            return core.Const(kind.members.index(word), kind, node.span)
        found = closest(word, kind.members)
        self.names.report("N205", f"`{kind.name}` has no member `{word}`", node.name.span, "", f"did you mean `{found}`?" if found else "")
        return unknown(node.span)

    def attribute(self, obj: core.Expr, node: syntax.Attr) -> core.Expr:
        kind, word = obj.type, node.name.id
        pool: list[str] = []
        if isinstance(kind, RecordType):
            position = kind.position(word)
            if position is not None:
                return self.op("get", (obj,), kind.fields[position][1], node.span, position)
            pool = [name for name, _ in kind.fields]
        elif isinstance(kind, ListType) and word == "top":
            return self.op("list_top", (obj,), OptionType(kind.item), node.span)
        elif isinstance(kind, EnumType):
            found = self.names.attribute(kind, word)
            if found is not None:
                if found.type == UNKNOWN:
                    return unknown(node.span)
                return self.op("table", (obj,), found.type, node.span, found.table)
            pool = [name for owner, name in self.names.attributes if owner == kind.name and name]
            for shape in self.names.shapes.values():
                pool += [name for owner, name in shape.methods if owner == kind.name]
        hint = ""
        if isinstance(kind, OptionType):
            self.names.report(
                "T304", f"`{node.obj.span.text}` may be none", node.obj.span, f"this is `{describe(kind)}`",
                f"write `{node.obj.span.text}?.{word}`, or test it first: `{node.obj.span.text} is some`",
            )  # fmt: skip
            return unknown(node.span)
        near = closest(word, pool)
        if near:
            hint = f"did you mean `{near}`?"
        elif pool:
            hint = f"it has {', '.join(sorted(pool))}"
        if is_collection(kind):
            hint = "its size is `len(...)`" if word in ("size", "length", "count") else hint
        self.names.report("N205", f"`{describe(kind)}` has no `{word}`", node.name.span, f"not a part of `{describe(kind)}`", hint)
        return unknown(node.span)

    def on_Index(self, node: syntax.Index, want: Type | None) -> core.Expr:
        if isinstance(node.obj, syntax.NameExpr) and node.obj.id not in self.scope.locals:
            kind = self.names.domain(node.obj.id)
            if kind is not None:
                number = self.fitted(node.index, IntType(0, len(kind.members) - 1), f"a position in {kind}")
                return unknown(node.span) if number.type == UNKNOWN else self.op("cast", (number,), kind, node.span)
        obj = self.expr(node.obj)
        if obj.type == UNKNOWN:
            self.expr(node.index)
            return unknown(node.span)
        if isinstance(obj.type, MapType):
            key = self.fitted(node.index, obj.type.key, "an index")
            if key.type == UNKNOWN:
                return unknown(node.span)
            if isinstance(obj, core.Read) and obj.field not in ("winners", "scores"):
                info = self.names.entities[obj.field].value
                if len(obj.keys) < len(info.keys):
                    return self.narrowed(core.Read(obj.field, (*obj.keys, key), obj.type.value, node.span, obj.before))
            return self.narrowed(self.op("map_get", (obj, key), obj.type.value, node.span))
        if isinstance(obj.type, ListType):
            position = self.fitted(node.index, INT, "a position in a list")
            return unknown(node.span) if position.type == UNKNOWN else core.Op("list_get", (obj, position), obj.type.item, node.span)
        if isinstance(obj.type, BagType):
            item = self.fitted(node.index, obj.type.item)
            return self.op("bag_count", (obj, item), IntType(0, 255), node.span)
        self.expr(node.index)
        hint = "membership is `x in s`" if isinstance(obj.type, SetType) else ""
        if isinstance(obj.type, OptionType):
            hint = f"`{node.obj.span.text}` may be none: test it first"
        self.names.report("T317", f"`{describe(obj.type)}` has no index", node.obj.span, "a field, map, bag or list is needed", hint)
        return unknown(node.span)

    def on_Slice(self, node: syntax.Slice, want: Type | None) -> core.Expr:
        obj = self.expr(node.obj)
        ends: list[core.Expr] = []
        for end in (node.lo, node.hi):
            ends.append(core.Const(None, NONE, node.span) if end is None else self.fitted(end, INT))
        if obj.type == UNKNOWN or any(end.type == UNKNOWN for end in ends):
            return unknown(node.span)
        if not isinstance(obj.type, ListType):
            self.names.report("T317", f"`{describe(obj.type)}` has no slices", node.obj.span, "only lists have")
            return unknown(node.span)
        return core.Op("list_slice", (obj, *ends), obj.type, node.span)

    # ------------------------------------------------------------ the rest is in check_calls

    def on_Call(self, node: syntax.Call, want: Type | None) -> core.Expr:
        return CallChecker(self).call(node, want)

    def on_GeneratorCall(self, node: syntax.GeneratorCall, want: Type | None) -> core.Expr:
        return CallChecker(self).generator(node, want)

    def on_Can(self, node: syntax.Can, want: Type | None) -> core.Expr:
        return CallChecker(self).can(node)

    def on_After(self, node: syntax.After, want: Type | None) -> core.Expr:
        return CallChecker(self).after(node, want)


# ---------------------------------------------------------------- small helpers


def evolve_type(expr: core.Expr, kind: Type) -> core.Expr:
    return evolve(expr, type=kind)


def describe(kind: Type) -> str:
    """A type as messages print it: the whole `int` range has a name, `none` and `{}` print as written."""
    return str(kind)


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


__all__ = ["ExprChecker", "Label", "bound", "describe", "element_type", "join", "most", "unknown"]
