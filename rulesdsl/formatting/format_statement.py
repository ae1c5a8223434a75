"""Statements as lines."""

from __future__ import annotations

from typing import Any

from rulesdsl import syntax
from rulesdsl.formatting.expr_doc import OR, POSTFIX
from rulesdsl.formatting.format_lines import Lines
from rulesdsl.formatting.layout_doc import STEP, Doc, Seq


class StatementPrinter(Lines):
    """Prints statements with their blocks."""

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

    def _typed(self, type_: syntax.TypeExpr | None) -> tuple[Doc, ...]:
        return (": ", self._docs.type(type_)) if type_ is not None else ()

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
                return f"{s.around} step {s.name.id}" if s.around else f"step {s.name.id}"
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
