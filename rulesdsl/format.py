"""The one way to lay out rules: four spaces a level, 120 columns, the parentheses that are needed and no others.

`format_module` prints a file with its comments; the author's single blank lines and the rows of an enum are kept.
`canonical` prints one declaration without comments and without anything that depends on how it was written: what digests
of programs are taken over. `format_expr`, `format_type` and `format_statement` print pieces for messages.
"""

from __future__ import annotations

import bisect
from collections.abc import Callable, Sequence
from typing import Any

from attrs import fields, has

from rulesdsl import syntax
from rulesdsl.diagnostics import Source
from rulesdsl.layout_doc import STEP, WIDTH, Bracket, Chain, Doc, Item, Seq, flat, lines
from rulesdsl.syntax_errors import Raw, raw_tokens

# ---------------------------------------------------------------- the way in


def format_module(module: syntax.Module, source: Source) -> str:
    """A whole file in the canonical layout, with all its comments."""
    printer = Printer(source, module.comments, _doc_lines(module))
    printer.module(module)
    return "\n".join(printer.out) + "\n"


def canonical(decl: syntax.Declaration) -> str:
    """A declaration without comments and documentation, the same however it was laid out."""
    printer = Printer(None, (), frozenset())
    printer.declaration(decl, 0)
    return "\n".join(printer.out) + "\n"


def format_expr(expr: syntax.Expr) -> str:
    """An expression on one line."""
    return flat(_Docs(None, ()).expr(expr))


def format_type(type_: syntax.TypeExpr) -> str:
    """A type on one line."""
    return flat(_Docs(None, ()).type(type_))


def format_statement(statement: syntax.Statement, indent: int = 0) -> str:
    """A statement with its blocks, indented by so many spaces, without a line end."""
    printer = Printer(None, (), frozenset())
    printer.statement(statement, indent, 0)
    return "\n".join(printer.out)


# ---------------------------------------------------------------- expressions and types as docs

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


class _Comments:
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


class _Docs:
    """Makes docs of expressions and types, with the comments that stand in their brackets."""

    def __init__(self, source: Source | None, comments: Sequence[syntax.Comment]) -> None:
        self._source = source
        self.comments = _Comments(comments)

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
            following = next((i for i, node in enumerate(nodes) if _end(node) > comment.span.start), len(nodes))
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
        between = self._source.text[_end(node) : comment.span.start]
        return not comment.alone and not between.strip(" \r\n),")

    def bracket(self, span: Any, open_: str, nodes: Sequence[Any], docs: Sequence[Doc], close: str, *, comma: bool = True) -> Doc:
        """A bracket around items, whose comments stand between two offsets."""
        items, last = self._items(span, nodes, docs)
        if not items and not last:
            return open_ + close
        return Bracket(open_, items, close, comma, last)

    def _chain(self, operators: Sequence[str], nodes: Sequence[Any], docs: Sequence[Doc]) -> Doc:
        """Operands with the comments between them; those before the first and after the last belong to what is around."""
        items, _ = self._items(_Reach(nodes[0].span.end, nodes[-1].span.end), nodes, docs)
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
            behind = _Behind(expr.fn, expr)
            if isinstance(expr, syntax.Call):
                return Seq((fn, self.arguments(behind, expr.args)))
            return Seq((fn, self._generator(behind, "(", expr.element, self.expr(expr.element), expr.clauses, ")")))
        obj = self.expr(expr.obj, POSTFIX)
        if isinstance(expr, syntax.Attr):
            return Seq((obj, f"{'?.' if expr.optional else '.'}{expr.name.id}"))
        behind = _Behind(expr.obj, expr)
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
        return Seq((name.id, self.arguments(_Behind(name, alternative), alternative.args)))

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
        docs = [self.expr(node, OR) for node in nodes]
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


class _Behind:
    """The rest of a node behind one of its children: where the brackets of a call stand."""

    def __init__(self, child: Any, node: Any) -> None:
        self.start: int = child.span.end
        self.end: int = node.span.end
        self.span = self


class _Reach:
    """From one offset to another."""

    def __init__(self, start: int, end: int) -> None:
        self.start = start
        self.end = end


def _end(node: Any) -> int:
    """Where an item ends; a pair ends with its value."""
    return int(node[1].span.end if isinstance(node, tuple) else node.span.end)


# ---------------------------------------------------------------- statements and declarations as lines

_ONE_LINERS = (syntax.Param, syntax.Const, syntax.Board, syntax.Terminates)


def _doc_lines(module: syntax.Module) -> frozenset[int]:
    """The lines of the comments that are documentation of what follows them, wherever they are indented."""
    result: set[int] = set()
    stack: list[Any] = list(module.declarations)
    while stack:
        node = stack.pop()
        if isinstance(node, tuple):
            stack.extend(node)
        elif has(type(node)) and hasattr(node, "span"):
            if getattr(node, "doc", ""):
                line = node.span.line
                result.update(range(line - len(node.doc.split("\n")), line))
            stack.extend(getattr(node, f.name) for f in fields(type(node)) if f.name != "span")
    return frozenset(result)


class Printer:
    """Prints declarations and statements into `out`. Without a source it knows neither comments nor blank lines."""

    def __init__(self, source: Source | None, comments: Sequence[syntax.Comment], doc_lines: frozenset[int]) -> None:
        self.out: list[str] = []
        self._source = source
        self._docs = _Docs(source, comments)
        self._comments = self._docs.comments
        self._doc_lines = doc_lines
        self._fresh = True  # nothing stands yet in this block

    # ---- lines, blank lines and comments

    def _line(self, start: int, end: int, doc: Doc, indent: int, *, suffix: str = "", until: int = 0, tight: bool = False, above: Sequence[Doc] = ()) -> None:
        """Prints a line of the file that reaches from `start` to `end`, the comments before it and the one at its end.

        `until` is where the next line starts at the earliest; `tight` lines have no blank line before them; `above` are lines
        that belong to this one and come first.
        """
        stray = self._comments.between(start, end) if self._source else []
        for number in stray:
            text = self._comments.take(number).text
            self.out.append(" " * indent + "#" + text.lstrip("#"))
            self._fresh = False
        self._lead(start, indent, tight=tight)
        for part in above:
            self.out += lines(part, indent)
        self.out += lines(doc, indent, "", suffix)
        self._fresh = False
        if self._source is not None:
            for number in self._comments.between(end, max(until, end + 1)):
                comment = self._comments.all[number]
                if not comment.alone and "\n" not in self._source.text[end : comment.span.start]:
                    self.out[-1] += f"  {self._comments.take(number).text}"

    def _lead(self, start: int, indent: int, *, tight: bool = False) -> None:
        """The comments before an offset, and the author's blank line."""
        if self._source is None:
            return
        for number in self._comments.between(0, start):
            self._own_line(self._comments.take(number), indent, tight=tight)
        if not tight:
            self._blank(start)

    def _own_line(self, comment: syntax.Comment, indent: int, *, tight: bool = False) -> None:
        if not tight:
            self._blank(comment.span.start)
        self.out.append(" " * indent + comment.text)
        self._fresh = False

    def _blank(self, start: int) -> None:
        """One blank line when the author had some before the line of this offset."""
        if self._source is None or self._fresh or not self.out or self.out[-1] == "":
            return
        line = self._source.position(start)[0]
        if line > 1 and not self._source.line(line - 1).strip():
            self.out.append("")

    def _tail(self, column: int, indent: int, limit: int) -> None:
        """The comments at the end of a block: those that stand at least as far to the right as its lines."""
        if self._source is None:
            return
        for number in self._comments.between(0, limit):
            comment = self._comments.all[number]
            if not comment.alone or comment.span.column < column or comment.span.line in self._doc_lines:
                break
            self._own_line(self._comments.take(number), indent)

    def _header_end(self, start: int, body: int) -> int:
        """Where the header of a block ends: the last token before its body."""
        if self._source is None:
            return start
        tokens = [t for t in raw_tokens(self._source.text, start, body) if t.kind not in ("newline", "comment")]
        return tokens[-1].end if tokens else start

    def _word_before(self, word: str, start: int, end: int) -> int:
        """Where a keyword stands between two offsets; `start` without a source."""
        if self._source is None:
            return start
        found: list[Raw] = [t for t in raw_tokens(self._source.text, start, end) if t.text == word]
        return found[0].start if found else start

    def _brackets(self, name: syntax.Name, nodes: Sequence[Any]) -> _Reach:
        """Where the brackets behind a declared name reach."""
        if self._source is None or not nodes:
            return _Reach(0, 0)
        last = _end(nodes[-1])
        return _Reach(name.span.end, self._word_before(")", last, len(self._source.text)))

    def _header(self, start: int, body: int, doc: Doc, indent: int, *, tight: bool = False) -> None:
        """The line that ends with the colon before a block."""
        self._line(start, self._header_end(start, body), doc, indent, suffix=":", until=body, tight=tight)
        self._fresh = True

    def _block(self, nodes: Sequence[Any], indent: int, limit: int, show: Callable[[Any, int, int], None]) -> None:
        """The lines of a block, each printed by `show(node, indent, where the next starts)`."""
        for i, node in enumerate(nodes):
            show(node, indent, nodes[i + 1].span.start if i + 1 < len(nodes) else limit)
        if nodes:
            self._tail(nodes[0].span.column if self._source else 0, indent, limit)
        self._fresh = False

    # ---- the file

    def module(self, module: syntax.Module) -> None:
        """All declarations and comments of a file."""
        declarations = module.declarations
        end = module.span.end
        for i, declaration in enumerate(declarations):
            if i:
                self._between(declarations[i - 1], declaration)
            self.declaration(declaration, declarations[i + 1].span.start if i + 1 < len(declarations) else end)
        if self._comments.between(0, end + 1):
            self._separate()
            self._lead(end + 1, 0, tight=False)
        while self.out and self.out[-1] == "":
            self.out.pop()

    def _between(self, previous: syntax.Declaration, following: syntax.Declaration) -> None:
        """A blank line between declarations; only if the author wants one between two that are a line each."""
        if not (isinstance(previous, _ONE_LINERS) and isinstance(following, _ONE_LINERS)):
            self._separate()
        self._fresh = False

    def _separate(self) -> None:
        if self.out and self.out[-1] != "":
            self.out.append("")

    def declaration(self, d: syntax.Declaration, limit: int) -> None:
        """One declaration; `limit` is where the next one starts."""
        start = d.span.start
        match d:
            case syntax.Param():
                doc = Seq((f"param {d.name.id}: ", self._docs.type(d.type), " = ", self._docs.expr(d.default)))
                self._line(start, d.span.end, doc, 0, until=limit)
            case syntax.Const():
                self._line(start, d.span.end, Seq((f"const {d.name.id}", *self._typed(d.type), " = ", self._docs.expr(d.value))), 0, until=limit)
            case syntax.Board():
                names = ", ".join(name.id for name in d.names)
                self._line(start, d.span.end, Seq((f"board {names} = ", self._docs.expr(d.shape))), 0, until=limit)
            case syntax.Terminates():
                self._line(start, d.span.end, Seq(("terminates within ", self._docs.expr(d.limit), " choices")), 0, until=limit)
            case syntax.Game():
                self._game(d, limit)
            case syntax.Enum():
                self._enum(d, limit)
            case syntax.Record():
                self._header(start, d.fields[0].span.start, f"record {d.name.id}", 0)
                self._block(d.fields, STEP, limit, self._field)
            case syntax.State():
                self._header(start, d.fields[0].span.start, "state", 0)
                self._block(d.fields, STEP, limit, self._state_field)
            case syntax.Scenario():
                self._header(start, d.lines[0].span.start, f'scenario "{d.text.text}"', 0)
                self._block(d.lines, STEP, limit, self._scenario_line)
            case syntax.Measure() | syntax.Invariant() | syntax.Transition():
                self._property(d, limit)
            case syntax.Def() | syntax.Event() | syntax.Action() | syntax.Flow():
                self._routine(d, limit)

    def _typed(self, type_: syntax.TypeExpr | None) -> tuple[Doc, ...]:
        return (": ", self._docs.type(type_)) if type_ is not None else ()

    def _game(self, d: syntax.Game, limit: int) -> None:
        entries: list[tuple[Any, Doc]] = []
        if d.title is not None:
            entries.append((d.title, f'title "{d.title.text}"'))
        if d.seats:
            entries.append((d.seats[0], f"players {', '.join(seat.id for seat in d.seats)}"))
        if d.seat_count is not None:
            entries.append((d.seat_count, Seq(("players ", self._docs.expr(d.seat_count)))))
        if d.rulebook is not None:
            entries.append((d.rulebook, f'rulebook "{d.rulebook.text}"'))
        if self._source is not None:
            entries.sort(key=lambda entry: entry[0].span.start)
        ends = {id(d.seats[0]): d.seats[-1].span.end} if d.seats else {}
        self._header(d.span.start, self._line_start(entries[0][0]), f"game {d.name.id}", 0)
        for i, (node, doc) in enumerate(entries):
            until = self._line_start(entries[i + 1][0]) if i + 1 < len(entries) else limit
            self._line(self._line_start(node), ends.get(id(node), node.span.end), doc, STEP, until=until)
        self._tail(self._first_column(entries[0][0]), STEP, limit)

    def _line_start(self, node: Any) -> int:
        """Where the first token of the line of a node stands."""
        if self._source is None:
            return 0
        start = self._source.text.rfind("\n", 0, node.span.start) + 1
        return start + len(self._source.text[start:]) - len(self._source.text[start:].lstrip(" "))

    def _first_column(self, node: Any) -> int:
        return self._source.position(self._line_start(node))[1] if self._source else 0

    def _enum(self, d: syntax.Enum, limit: int) -> None:
        head: Doc = f"enum {d.name.id}"
        if d.attributes:
            docs = [Seq((f"{f.name.id}: ", self._docs.type(f.type))) for f in d.attributes]
            brackets = self._docs.bracket(self._brackets(d.name, d.attributes), "(", d.attributes, docs, ")")
            head = Seq((head, brackets))
        self._header(d.span.start, d.members[0].span.start, head, 0)
        rows = d.rows if self._source is not None else (1,) * len(d.members)
        first = 0
        for count in rows:
            members = d.members[first : first + count]
            first += count
            until = d.members[first].span.start if first < len(d.members) else limit
            *above, last = _rows_that_fit([self._member(member) for member in members])
            self._line(members[0].span.start, members[-1].span.end, last, STEP, until=until, above=above)
        self._tail(d.members[0].span.column if self._source else 0, STEP, limit)

    def _member(self, member: syntax.Member) -> Doc:
        if not member.args:
            return member.name.id
        return Seq((member.name.id, self._docs.arguments(_Behind(member.name, member), member.args)))

    def _field(self, f: syntax.FieldDecl, indent: int, until: int) -> None:
        self._line(f.span.start, f.span.end, Seq((f"{f.name.id}: ", self._docs.type(f.type))), indent, until=until)

    def _state_field(self, f: syntax.StateField, indent: int, until: int) -> None:
        mark = "" if f.visibility == "public" else f"{f.visibility} "
        keys = [part for key in f.keys for part in ("[", self._docs.type(key), "]")]
        initial = (" = ", self._docs.expr(f.initial)) if f.initial is not None else ()
        doc = Seq((f"{mark}{f.name.id}", *keys, ": ", self._docs.type(f.type), *initial))
        self._line(f.span.start, f.span.end, doc, indent, until=until)

    def _property(self, d: syntax.Measure | syntax.Invariant | syntax.Transition, limit: int) -> None:
        value = d.value if isinstance(d, syntax.Measure) else d.condition
        if isinstance(d, syntax.Measure):
            params = self._parameters(self._brackets(d.name, d.params), d.params)
            head: Doc = Seq((f"measure {d.name.id}", params, " -> ", self._docs.type(d.result)))
        else:
            head = f'{"invariant" if isinstance(d, syntax.Invariant) else "transition"} "{d.text.text}"'
        body = self._value_start(d, value)
        self._header(d.span.start, body, head, 0)
        self._line(body, d.span.end, self._docs.expr(value), STEP, until=limit)
        if self._source is not None and "\n" in self._source.text[d.span.start : body]:
            self._tail(self._source.position(body)[1], STEP, limit)

    def _value_start(self, d: Any, value: syntax.Expr) -> int:
        """Where the value of a property starts, with a parenthesis that may stand before it."""
        if self._source is None:
            return 0
        after_type = d.result.span.end if isinstance(d, syntax.Measure) else d.text.span.end
        colon = self._word_before(":", after_type, value.span.start)
        tokens = [t for t in raw_tokens(self._source.text, colon + 1, d.span.end) if t.kind not in ("newline", "comment")]
        return tokens[0].start if tokens else value.span.start

    def _parameters(self, span: Any, params: Sequence[syntax.Parameter]) -> Doc:
        docs = [Seq((f"{p.name.id}: ", self._docs.type(p.type), _audience(p.audience))) for p in params]
        return self._docs.bracket(span, "(", params, docs, ")")

    def _choices(self, span: Any, params: Sequence[syntax.Choice]) -> Doc:
        docs: list[Doc] = []
        for choice in params:
            if choice.domain is not None:
                docs.append(Seq((f"{choice.name.id} in ", self._docs.expr(choice.domain))))
            elif choice.type is not None:
                docs.append(Seq((f"{choice.name.id}: ", self._docs.type(choice.type))))
        return self._docs.bracket(span, "(", params, docs, ")")

    def _routine(self, d: syntax.Def | syntax.Event | syntax.Action | syntax.Flow, limit: int) -> None:
        sentence = d.sentence if isinstance(d, syntax.Event) else None
        body: list[Any] = [*([sentence] if sentence is not None else []), *d.body]
        first = body[0].span.start
        kind = type(d).__name__.lower()
        head: list[Doc] = [f"{kind} {d.name.id}"]
        if isinstance(d, syntax.Action):
            if d.params:
                head.append(self._choices(self._brackets(d.name, d.params), d.params))
        elif d.params or isinstance(d, syntax.Def):
            head.append(self._parameters(self._brackets(d.name, d.params), d.params))
        if isinstance(d, syntax.Def) and d.result is not None:
            head += [" -> ", self._docs.type(d.result)]
        self._header(d.span.start, first, Seq(tuple(head)), 0)
        self._block(body, STEP, limit, self.statement)

    # ---- scenarios

    def _scenario_line(self, x: syntax.ScenarioLine, indent: int, until: int) -> None:
        docs = self._docs
        match x:
            case syntax.Given():
                self._header(x.span.start, x.body[0].span.start, "given", indent)
                self._block(x.body, indent + STEP, until, self.statement)
                return
            case syntax.WithLine():
                settings = [part for name, value in x.settings for part in (", ", f"{name.id} = ", docs.expr(value))][1:]
                doc = Seq(("with ", *settings))
            case syntax.RunLine():
                doc = Seq(("run ", docs.expr(x.call, POSTFIX)))
            case syntax.PlayLine():
                doc = Seq((docs.expr(x.who, POSTFIX), " ", docs.alternative(x.move)))
            case syntax.PassLine():
                doc = Seq((docs.expr(x.who, POSTFIX), " passes"))
            case syntax.DrawLine():
                outcomes = [part for outcome in x.outcomes for part in (", ", docs.expr(outcome))][1:]
                doc = Seq(("draw ", *outcomes))
            case syntax.ExpectLine():
                doc = Seq(("expect ", docs.expr(x.condition)))
            case syntax.ExpectIllegal():
                by = (f" by {x.by.id}",) if x.by is not None else ()
                doc = Seq(("expect illegal ", docs.expr(x.who, POSTFIX), " ", docs.alternative(x.move), *by))
        self._line(x.span.start, x.span.end, doc, indent, until=until)

    # ---- statements

    def statement(self, s: Any, indent: int, until: int) -> None:
        """One statement with its blocks; `until` is where the next one starts."""
        match s:
            case syntax.If():
                self._if(s, indent, until)
            case syntax.For() | syntax.While() | syntax.Repeat() | syntax.Turns() | syntax.Step():
                self._header(s.span.start, s.body[0].span.start, self._loop(s), indent)
                self._block(s.body, indent + STEP, until, self.statement)
            case syntax.Ask():
                self._ask(s, indent, until)
            case _:
                self._line(s.span.start, s.span.end, self._simple(s), indent, until=until)

    def _simple(self, s: Any) -> Doc:
        expr = self._docs.expr
        match s:
            case syntax.Sentence():
                return f'"{s.text}"'
            case syntax.Let() | syntax.Var():
                word = "let" if isinstance(s, syntax.Let) else "var"
                return Seq((f"{word} {s.name.id}", *self._typed(s.type), " = ", expr(s.value)))
            case syntax.Assign():
                return Seq((expr(s.target, POSTFIX), f" {s.op} ", expr(s.value)))
            case syntax.Return():
                return Seq(("return ", expr(s.value))) if s.value is not None else "return"
            case syntax.Require():
                return Seq((f"require {s.name.id}: ", expr(s.condition), f' else "{s.sentence.text}"'))
            case syntax.Emit():
                return Seq(("emit ", expr(s.event, POSTFIX)))
            case syntax.Draw():
                return Seq((f"draw {', '.join(name.id for name in s.names)} from ", expr(s.source)))
            case syntax.End():
                return self._end(s)
            case syntax.CallStatement():
                return expr(s.expr)
            case syntax.Break() | syntax.Continue() | syntax.Pass():
                return type(s).__name__.lower()
            case _:
                raise AssertionError(s)

    def _end(self, s: syntax.End) -> Doc:
        if s.winners is None and s.scores is None:
            return "end tie"
        winners = (" win ", self._docs.expr(s.winners)) if s.winners is not None else ()
        scores = (" scores ", self._docs.expr(s.scores)) if s.scores is not None else ()
        return Seq(("end", *winners, *scores))

    def _loop(self, s: syntax.For | syntax.While | syntax.Repeat | syntax.Turns | syntax.Step) -> Doc:
        expr = self._docs.expr
        match s:
            case syntax.Step():
                return f"step {s.name.id}"
            case syntax.While():
                return Seq(("while ", expr(s.condition)))
            case syntax.Repeat():
                return Seq(("repeat ", expr(s.count)))
            case syntax.For():
                head: tuple[Doc, ...] = (f"for {s.var.id} in ", expr(s.source, OR))
            case syntax.Turns():
                head = (f"turns {s.var.id} from ", expr(s.first, OR))
        return Seq((*head, " if ", expr(s.condition, OR))) if s.condition is not None else Seq(head)

    def _if(self, s: syntax.If, indent: int, until: int) -> None:
        starts = [s.span.start]
        bodies = [body for _, body in s.branches]
        words = ["if"] + ["elif"] * (len(bodies) - 1)
        if s.otherwise is not None:
            bodies.append(s.otherwise)
            words.append("else")
        for k in range(1, len(bodies)):
            starts.append(self._word_before(words[k], bodies[k - 1][-1].span.end, bodies[k][0].span.start))
        for k, body in enumerate(bodies):
            head: Doc = "else" if words[k] == "else" else Seq((f"{words[k]} ", self._docs.expr(s.branches[k][0])))
            self._header(starts[k], body[0].span.start, head, indent, tight=k > 0)
            self._block(body, indent + STEP, starts[k + 1] if k + 1 < len(bodies) else until, self.statement)

    def _ask(self, s: syntax.Ask, indent: int, until: int) -> None:
        parts: list[Doc] = [self._docs.expr(s.who, POSTFIX), f" {s.mode} "]
        for i, alternative in enumerate(s.alternatives):
            parts += [" or "] if i else []
            parts.append(self._docs.alternative(alternative))
        doc = Seq(tuple(parts))
        if s.after is not None:
            self._header(s.span.start, s.after[0].span.start, doc, indent)
            self._block(s.after, indent + STEP, until, self.statement)
            return
        end = s.alternatives[-1].span.end
        if s.otherwise is None:
            self._line(s.span.start, end, doc, indent, until=until)
            return
        start = self._word_before("otherwise", end, s.otherwise[0].span.start)
        self._line(s.span.start, end, doc, indent, until=start)
        self._header(start, s.otherwise[0].span.start, "otherwise", indent, tight=True)
        self._block(s.otherwise, indent + STEP, until, self.statement)


def _audience(audience: tuple[syntax.Name, ...] | None) -> str:
    if audience is None:
        return ""
    return f" private to {' and '.join(name.id for name in audience)}" if audience else " hidden"


def _rows_that_fit(members: Sequence[Doc]) -> list[Doc]:
    """A row of enum members, or several when it is too long for a line."""
    rows: list[list[Doc]] = [[]]
    width = STEP
    for member in members:
        if rows[-1] and width + len(flat(member)) > WIDTH:
            rows.append([])
            width = STEP
        rows[-1].append(member)
        width += len(flat(member)) + 2
    return [Seq(tuple(part for member in row for part in (", ", member))[1:]) for row in rows]
