"""Expressions and types as docs: with the parentheses that are needed, and with the comments that stand in their brackets."""

from __future__ import annotations

import bisect
from collections.abc import Sequence
from typing import Any

from rulesdsl import syntax
from rulesdsl.diagnostics import Source
from rulesdsl.formatting.layout_doc import Bracket, Chain, Doc, Item, Seq

# How tightly expressions bind, loosest first.
AFTER, CONDITIONAL, OR, AND, NOT, COMPARISON, RANGE, BIT_OR, BIT_AND, SUM, PRODUCT, NEGATIVE, POSTFIX, ATOM = range(14)
_LEVELS = {
    "or": OR, "and": AND, "|": BIT_OR, "&": BIT_AND, "+": SUM, "-": SUM, "*": PRODUCT, "//": PRODUCT, "%": PRODUCT,
}


def level(expr: syntax.Expr) -> int:
    """How tightly an expression binds."""
    match expr:
        case syntax.After():
            return AFTER
        case syntax.Conditional():
            return CONDITIONAL
        case syntax.Binary():
            return _LEVELS[expr.op]
        case syntax.Unary():
            return NOT if expr.op == "not" else NEGATIVE
        case syntax.Compare() | syntax.IsTest() | syntax.Can():
            return COMPARISON
        case syntax.RangeExpr():
            return RANGE
        case syntax.Attr() | syntax.Index() | syntax.Slice() | syntax.Call() | syntax.GeneratorCall():
            return POSTFIX
        case _:
            return ATOM


class Comments:
    """The comments of a file, each of which is printed once: `take` hands out those between two offsets."""

    def __init__(self, comments: Sequence[syntax.Comment]) -> None:
        self.all = list(comments)
        self._starts = [c.span.start for c in comments]
        self._left = [True] * len(self.all)

    def between(self, start: int, end: int) -> list[int]:
        """The numbers of the comments left between two offsets."""
        first, last = bisect.bisect_left(self._starts, start), bisect.bisect_left(self._starts, end)
        return [i for i in range(first, last) if self._left[i]]

    def take(self, number: int) -> syntax.Comment:
        self._left[number] = False
        return self.all[number]


class Docs:
    """Makes docs of expressions and types, with the comments that stand in their brackets."""

    def __init__(self, source: Source | None, comments: Sequence[syntax.Comment]) -> None:
        self._source = source
        self.comments = Comments(comments)

    # ---- comments

    def _items(self, span: Any, nodes: Sequence[Any], docs: Sequence[Doc]) -> tuple[tuple[Item, ...], tuple[str, ...]]:
        """Items with the comments of a span that stand before, in or behind each; and those after the last item."""
        numbers = self.comments.between(span.start, span.end) if self._source else []
        if not numbers:
            return tuple(Item(doc) for doc in docs), ()
        before: list[list[str]] = [[] for _ in docs]
        trailing = [""] * len(docs)
        last: list[str] = []
        for number in numbers:
            comment = self.comments.take(number)
            following = next((i for i, node in enumerate(nodes) if end_of(node) > comment.span.start), len(nodes))
            if following and not trailing[following - 1] and self._ends(nodes[following - 1], comment):
                trailing[following - 1] = comment.text
            elif following < len(nodes):
                before[following].append(comment.text)
            else:
                last.append(comment.text)
        items = zip(docs, before, trailing, strict=True)
        return tuple(Item(doc, tuple(lead), end) for doc, lead, end in items), tuple(last)

    def _ends(self, node: Any, comment: syntax.Comment) -> bool:
        """Whether a comment stands at the end of a node's last line, where only closing brackets may come between."""
        assert self._source is not None
        between = self._source.text[end_of(node) : comment.span.start]
        return not comment.alone and not between.strip(" \r\n),")

    def bracket(self, span: Any, open_: str, nodes: Sequence[Any], docs: Sequence[Doc], close: str, *, comma: bool = True) -> Doc:
        """A bracket around items, whose comments stand between two offsets."""
        items, last = self._items(span, nodes, docs)
        if not items and not last:
            return open_ + close
        return Bracket(open_, items, close, comma, last)

    def _chain(self, operators: Sequence[str], nodes: Sequence[Any], docs: Sequence[Doc]) -> Doc:
        """Operands with the comments between them; those before the first and after the last belong to what is around."""
        items, _ = self._items(Reach(nodes[0].span.end, nodes[-1].span.end), nodes, docs)
        return Chain(tuple(zip(operators, items, strict=True)))

    # ---- types

    def type(self, type_: syntax.TypeExpr) -> Doc:
        """A type; its brackets may be broken over lines."""
        match type_:
            case syntax.NamedType():
                return type_.id
            case syntax.OptionalType():
                return Seq((self.type(type_.item), "?"))
            case syntax.SetOf():
                return self.bracket(type_.span, "set[", [type_.item], [self.type(type_.item)], "]")
            case syntax.BagOf():
                return self.bracket(type_.span, "bag[", [type_.item], [self.type(type_.item)], "]")
            case syntax.ListOf():
                docs = [self.type(type_.item), self.expr(type_.limit)]
                return self.bracket(type_.span, "list[", [type_.item, type_.limit], docs, "]")
            case syntax.MapOf():
                docs = [self.type(type_.key), self.type(type_.value)]
                return self.bracket(type_.span, "map[", [type_.key, type_.value], docs, "]")
            case syntax.RangeType():
                return Seq((self.expr(type_.lo, BIT_OR), "..", self.expr(type_.hi, BIT_OR)))

    # ---- expressions

    def expr(self, expr: syntax.Expr, at_least: int = AFTER) -> Doc:
        """An expression, in parentheses when it binds less tightly than its place asks for."""
        doc = self._expr(expr)
        if level(expr) >= at_least:
            return doc
        return Bracket("(", (Item(doc),), ")")

    def _expr(self, expr: syntax.Expr) -> Doc:
        match expr:
            case syntax.NameExpr():
                return expr.id
            case syntax.IntLit():
                return str(expr.value)
            case syntax.BoolLit():
                return "true" if expr.value else "false"
            case syntax.NoneLit():
                return "none"
            case syntax.Attr() | syntax.Index() | syntax.Slice() | syntax.Call() | syntax.GeneratorCall():
                return self._postfix(expr)
            case syntax.ListLit():
                return self._listed(expr.span, "[", expr.items, "]")
            case syntax.BraceLit():
                return self._listed(expr.span, "{", expr.items, "}")
            case syntax.MapLit():
                return self._map(expr)
            case syntax.Comprehension() | syntax.MapComprehension():
                return self._comprehension(expr)
            case _:
                return self._operation(expr)

    def _listed(self, span: Any, open_: str, items: Sequence[syntax.Expr], close: str) -> Doc:
        return self.bracket(span, open_, items, [self.expr(item) for item in items], close)

    def _map(self, expr: syntax.MapLit) -> Doc:
        docs = [Seq((self.expr(key), ": ", self.expr(value))) for key, value in expr.pairs]
        return self.bracket(expr.span, "{", expr.pairs, docs, "}")

    def _comprehension(self, expr: syntax.Comprehension | syntax.MapComprehension) -> Doc:
        if isinstance(expr, syntax.MapComprehension):
            element: Doc = Seq((self.expr(expr.key), ": ", self.expr(expr.value)))
            node: Any = (expr.key, expr.value)
            brackets = "{}"
        else:
            element, node = self.expr(expr.element), expr.element
            brackets = "[]" if expr.kind == "list" else "{}"
        return self._generator(expr.span, brackets[0], node, element, expr.clauses, brackets[1])

    def _generator(self, span: Any, open_: str, node: Any, element: Doc, clauses: Sequence[syntax.CompClause], close: str) -> Doc:
        docs = [element, *[self._clause(clause) for clause in clauses]]
        return self.bracket(span, open_, [node, *clauses], docs, close, comma=False)

    def _clause(self, clause: syntax.CompClause) -> Doc:
        head = (f"for {clause.var.id} in ", self.expr(clause.source, OR))
        if clause.condition is None:
            return Seq(head)
        return Seq((*head, " if ", self.expr(clause.condition, OR)))

    def _postfix(self, expr: syntax.Attr | syntax.Index | syntax.Slice | syntax.Call | syntax.GeneratorCall) -> Doc:
        if isinstance(expr, (syntax.Call, syntax.GeneratorCall)):
            fn = self.expr(expr.fn, POSTFIX)
            behind = Behind(expr.fn, expr)
            if isinstance(expr, syntax.Call):
                return Seq((fn, self.arguments(behind, expr.args)))
            return Seq((fn, self._generator(behind, "(", expr.element, self.expr(expr.element), expr.clauses, ")")))
        obj = self.expr(expr.obj, POSTFIX)
        if isinstance(expr, syntax.Attr):
            return Seq((obj, f"{'?.' if expr.optional else '.'}{expr.name.id}"))
        behind = Behind(expr.obj, expr)
        if isinstance(expr, syntax.Index):
            return Seq((obj, self._listed(behind, "[", [expr.index], "]")))
        lo = [self.expr(expr.lo)] if expr.lo is not None else []
        hi = [self.expr(expr.hi)] if expr.hi is not None else []
        bounds = Seq((*lo, ":", *hi))
        return Seq((obj, self.bracket(behind, "[", [behind], [bounds], "]")))

    def arguments(self, span: Any, args: Sequence[syntax.Arg]) -> Doc:
        """`(a, name=b)`."""
        docs = [self.expr(a.value) if a.name is None else Seq((f"{a.name.id}=", self.expr(a.value))) for a in args]
        return self.bracket(span, "(", args, docs, ")")

    def alternative(self, alternative: syntax.Alternative) -> Doc:
        """`place`, or `build({})`."""
        name = alternative.action
        if not alternative.args:
            return name.id
        return Seq((name.id, self.arguments(Behind(name, alternative), alternative.args)))

    def _operation(self, expr: syntax.Expr) -> Doc:
        match expr:
            case syntax.Unary(op="not"):
                return Seq(("not ", self.expr(expr.operand, NOT)))
            case syntax.Unary():
                return Seq(("-", self.expr(expr.operand, NEGATIVE)))
            case syntax.IsTest():
                return Seq((self.expr(expr.operand, RANGE), " is some" if expr.some else " is none"))
            case syntax.Can():
                return Seq((self.expr(expr.who, RANGE), " can ", self.alternative(expr.alternative)))
            case syntax.RangeExpr():
                return Seq((self.expr(expr.lo, BIT_OR), "..", self.expr(expr.hi, BIT_OR)))
            case syntax.Compare():
                nodes = [expr.first, *[operand for _, operand in expr.rest]]
                return self._chain(["", *[op for op, _ in expr.rest]], nodes, [self.expr(n, RANGE) for n in nodes])
            case syntax.Binary():
                return self._binary(expr)
            case syntax.Conditional():
                return self._conditional(expr)
            case syntax.After():
                return self._after(expr)
            case _:
                raise AssertionError(expr)

    def _binary(self, expr: syntax.Binary) -> Doc:
        """Operands of one level in a row, however deeply the tree nests them to the left."""
        own = _LEVELS[expr.op]
        operators: list[str] = []
        nodes: list[syntax.Expr] = []
        left: syntax.Expr = expr
        while isinstance(left, syntax.Binary) and _LEVELS[left.op] == own:
            operators.append(left.op)
            nodes.append(left.right)
            left = left.left
        docs = [self.expr(left, own), *[self.expr(node, own + 1) for node in reversed(nodes)]]
        return self._chain(["", *reversed(operators)], [left, *reversed(nodes)], docs)

    def _conditional(self, expr: syntax.Conditional) -> Doc:
        """Values and conditions by turns; values that are conditions themselves stand in parentheses."""
        operators = [""]
        nodes: list[syntax.Expr] = [expr.then]
        last: syntax.Expr = expr
        while isinstance(last, syntax.Conditional):
            if last is not expr:
                nodes.append(last.then)
            operators += ["if", "else"]
            nodes.append(last.condition)
            last = last.otherwise
        nodes.append(last)
        docs = [self.expr(node, OR if number % 2 else NOT) for number, node in enumerate(nodes)]
        return self._chain(operators, nodes, docs)

    def _after(self, expr: syntax.After) -> Doc:
        events: list[syntax.Expr] = []
        first: syntax.Expr = expr
        while isinstance(first, syntax.After):
            events.append(first.event)
            first = first.expr
        nodes = [first, *reversed(events)]
        docs = [self.expr(first, CONDITIONAL), *[self.expr(event, POSTFIX) for event in reversed(events)]]
        return self._chain(["", *["after"] * len(events)], nodes, docs)


class Behind:
    """The rest of a node behind one of its children: where the brackets of a call stand."""

    def __init__(self, child: Any, node: Any) -> None:
        self.start: int = child.span.end
        self.end: int = node.span.end
        self.span = self


class Reach:
    """From one offset to another."""

    def __init__(self, start: int, end: int) -> None:
        self.start = start
        self.end = end


def end_of(node: Any) -> int:
    """Where an item ends; a pair ends with its value."""
    return int(node[1].span.end if isinstance(node, tuple) else node.span.end)
