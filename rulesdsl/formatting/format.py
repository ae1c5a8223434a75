"""The one way to lay out rules: four spaces a level, 120 columns, the parentheses that are needed and no others.

`format_module` prints a file with its comments; the author's single blank lines and the rows of an enum are kept.
`canonical` prints one declaration without comments and without anything that depends on how it was written: what digests
of programs are taken over. `format_expr`, `format_type` and `format_statement` print pieces for messages.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile
from typing import Any

from rulesdsl import syntax
from rulesdsl.diagnostics import Source
from rulesdsl.formatting.expr_doc import POSTFIX, Behind, Docs
from rulesdsl.formatting.format_statement import StatementPrinter
from rulesdsl.formatting.layout_doc import STEP, WIDTH, Doc, Seq, flat, lines
from rulesdsl.parsing.docs import doc_lines
from rulesdsl.parsing.raw import raw_tokens

# ---------------------------------------------------------------- the way in


def format_module(module: syntax.Module, source: Source) -> str:
    """A whole file in the canonical layout, with all its comments."""
    printer = Printer(source, module.comments, doc_lines(module))
    printer.module(module)
    return "\n".join(printer.out) + "\n"


def canonical(decl: syntax.Declaration | syntax.Delta, width: int = WIDTH) -> str:
    """A declaration without comments and documentation, the same however it was laid out. Another `width`, in columns, is for
    reading only."""
    printer = Printer(None, (), frozenset(), width)
    printer.declaration(decl, 0)
    return "\n".join(printer.out) + "\n"


def format_expr(expr: syntax.Expr, width: int | None = None) -> str:
    """An expression on one line, or on lines of so many columns."""
    doc = Docs(None, ()).expr(expr)
    return flat(doc) if width is None else "\n".join(lines(doc, 0, bare=True, width=width))


def format_type(type_: syntax.TypeExpr) -> str:
    """A type on one line."""
    return flat(Docs(None, ()).type(type_))


def format_choice(choice: syntax.Alternative) -> str:
    """An action that is offered, with its given arguments, on one line."""
    return flat(Docs(None, ()).alternative(choice))


def format_statement(statement: syntax.Statement, indent: int = 0) -> str:
    """A statement with its blocks, indented by so many spaces, without a line end."""
    printer = Printer(None, (), frozenset())
    printer.statement(statement, indent, 0)
    return "\n".join(printer.out)


# ---------------------------------------------------------------- statements and declarations as lines

_ONE_LINERS = (
    syntax.Param, syntax.Const, syntax.Board, syntax.Goals, syntax.Terminates, syntax.StateField, syntax.SetParam, syntax.Remove,
    syntax.RemoveScenarios,
    syntax.ReplaceMember, syntax.ReplaceRequire, syntax.AddRequire, syntax.AddChoice, syntax.AddField,
)  # fmt: skip


def _is_line(d: Any) -> bool:
    """Whether a declaration or delta is a line, so that it may stand right below another."""
    if isinstance(d, (syntax.Replace, syntax.Add)):
        return _is_line(d.declaration)
    if isinstance(d, syntax.AddMember):
        return not any(member.doc for member in d.members)
    return isinstance(d, _ONE_LINERS)


def _continues(d: Any) -> bool:
    """Whether a delta stands in the line of the one before."""
    return isinstance(d, syntax.Remove) and d.continues


class Printer(StatementPrinter):
    """Prints declarations, deltas of variants and scenarios."""

    _also: tuple[syntax.Remove, ...] = ()
    """What else the line of a delta removes."""

    # ---- the file

    def module(self, module: syntax.Module) -> None:
        """All declarations and comments of a file."""
        items: list[Any] = [*([module.variant] if module.variant else []), *module.declarations, *module.deltas]
        end = module.span.end
        for i, item in enumerate(items):
            if i and not _continues(item):
                self._between(items[i - 1], item)
            following = next((other for other in items[i + 1 :] if not _continues(other)), None)
            if not _continues(item):
                self._also = tuple(takewhile(_continues, items[i + 1 :]))
                self.declaration(item, following.span.start if following is not None else end)
        if self._comments.between(0, end + 1):
            self._separate()
            self._lead(end + 1, 0)
        while self.out and self.out[-1] == "":
            self.out.pop()

    def _between(self, previous: Any, following: Any) -> None:
        """A blank line between declarations; only if the author wants one between two that are a line each."""
        if not (_is_line(previous) and _is_line(following)):
            self._separate()
        self._fresh = False

    def _separate(self) -> None:
        if self.out and self.out[-1] != "":
            self.out.append("")

    def declaration(self, d: Any, limit: int) -> None:
        """One declaration or delta; `limit` is where the next one starts."""
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
            case syntax.Goals():
                self._line(start, d.span.end, f"goals {', '.join(name.id for name in d.names)}", 0, until=limit)
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
            case syntax.StateField():
                self._state_field(d, 0, limit)
            case _:
                self._delta(d, limit)

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
        return Seq((member.name.id, self._docs.arguments(Behind(member.name, member), member.args)))

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
        docs = [Seq((f"{p.name.id}: ", self._docs.type(p.type), _audience(p))) for p in params]
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

    # ---- variants

    def _delta(self, d: Any, limit: int) -> None:
        expr = self._docs.expr
        start, end = d.span.start, d.span.end
        match d:
            case syntax.Variant():
                self._variant(d, limit)
            case syntax.SetParam():
                self._line(start, end, Seq((f"set {d.name.id} = ", expr(d.value))), 0, until=limit)
            case syntax.Replace():
                self._verb = ("replace field " if isinstance(d.declaration, syntax.StateField) else "replace ", start)
                self.declaration(d.declaration, limit)
            case syntax.Add():
                self._verb = ("add ", start)
                self.declaration(d.declaration, limit)
            case syntax.AddField():
                self._verb = ("add field ", start)
                self._state_field(d.field, 0, limit)
            case syntax.ReplaceRequire() | syntax.AddRequire():
                verb = "replace" if isinstance(d, syntax.ReplaceRequire) else "add"
                head = f"{verb} require {d.action.id}.{d.require.name.id}: "
                self._line(start, end, Seq((head, expr(d.require.condition), f' else "{d.require.sentence.text}"')), 0, until=limit)
            case syntax.AddChoice():
                because = f' because "{d.because.text}"' if d.because is not None else ""
                offered = [part for item in d.alternatives for part in (" or ", self._docs.alternative(item))][1:]
                self._line(start, end, Seq((f"add choice {_dotted(d.path)}{because}: ", *offered)), 0, until=limit)
            case syntax.ReplaceMember():
                self._line(start, end, Seq((f"replace member {d.enum.id}.", self._member(d.member))), 0, until=limit)
            case syntax.AddMember():
                self._add_member(d, limit)
            case syntax.Remove():
                clauses = [f'"{r.text.text}"' if r.text is not None else _dotted(r.path) for r in (d, *self._also)]
                what = f"{', '.join(clauses)} " if clauses[0] else ""
                self._line(start, end, f'remove {d.kind} {what}because "{d.because.text}"', 0, until=limit)
            case syntax.RemoveScenarios():
                names = ", ".join(name.id for name in d.names)
                self._line(start, end, f'remove scenarios naming {names} because "{d.because.text}"', 0, until=limit)
            case syntax.ReplaceStep() | syntax.Around():
                verb = "replace" if isinstance(d, syntax.ReplaceStep) else d.side
                because = f' because "{d.because.text}"' if d.because is not None else ""
                self._header(start, d.body[0].span.start, f"{verb} step {_dotted(d.path)}{because}", 0)
                self._block(d.body, STEP, limit, self.statement)

    def _variant(self, d: syntax.Variant, limit: int) -> None:
        bases = " and ".join(f'"{base.text}"' for base in d.bases)
        head = f"variant {d.name.id} of {bases}"
        entries = [(word, node) for word, node in (("title", d.title), ("rulebook", d.rulebook)) if node is not None]
        if not entries:
            self._line(d.span.start, d.span.end, head, 0, until=limit)
            return
        entries.sort(key=lambda entry: entry[1].span.start)
        starts = [self._line_start(node) for _, node in entries]
        self._header(d.span.start, starts[0], head, 0)
        for (word, node), start, until in zip(entries, starts, [*starts[1:], limit], strict=True):
            self._line(start, node.span.end, f'{word} "{node.text}"', STEP, until=until)
        self._tail(self._first_column(entries[0][1]), STEP, limit)

    def _add_member(self, d: syntax.AddMember, limit: int) -> None:
        """New members on the line of the enum, or one a line when that is too long or one is documented."""
        head = f"add member {d.enum.id}: "
        docs = [self._member(member) for member in d.members]
        documented = any(m.doc for m in d.members) or bool(self._comments.between(d.span.start, d.span.end))
        if not documented and len(head) + len(", ".join(flat(doc) for doc in docs)) <= WIDTH:
            row = [part for doc in docs for part in (", ", doc)][1:]
            self._line(d.span.start, d.span.end, Seq((head, *row)), 0, until=limit)
            return
        self._header(d.span.start, d.members[0].span.start, head.removesuffix(": "), 0)
        for i, (member, doc) in enumerate(zip(d.members, docs, strict=True)):
            until = d.members[i + 1].span.start if i + 1 < len(d.members) else limit
            self._line(member.span.start, member.span.end, doc, STEP, until=until)
        self._tail(d.members[0].span.column if self._source else 0, STEP, limit)

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
            case syntax.ExpectEvent():
                doc = Seq(("expect not event " if x.absent else "expect event ", docs.alternative(x.event)))
        self._line(x.span.start, x.span.end, doc, indent, until=until)


def _audience(param: syntax.Parameter) -> str:
    if param.audience is None:
        return " public" if param.public else ""
    return f" private to {' and '.join(name.id for name in param.audience)}" if param.audience else " hidden"


def _dotted(path: Sequence[syntax.Name]) -> str:
    return ".".join(name.id for name in path)


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
