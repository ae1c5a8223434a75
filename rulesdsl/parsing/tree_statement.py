"""Statements of the tree."""

from __future__ import annotations

from typing import Any

from rulesdsl import syntax
from rulesdsl.parsing.tree_base import Else, Part, nodes
from rulesdsl.parsing.tree_expr import Expressions


class Statements(Expressions):
    """The rules of statements."""

    def on_block(self, c: list[Any]) -> Part:
        return self._part(c)

    def on_let(self, c: list[Any]) -> syntax.Let:
        *type_, value = nodes(c)
        return syntax.Let(self._span(c), self._name(c[1]), type_[0] if type_ else None, value)

    def on_var(self, c: list[Any]) -> syntax.Var:
        *type_, value = nodes(c)
        return syntax.Var(self._span(c), self._name(c[1]), type_[0] if type_ else None, value)

    def on_assign(self, c: list[Any]) -> syntax.Assign:
        if not isinstance(c[0], (syntax.NameExpr, syntax.Attr, syntax.Index)) or getattr(c[0], "optional", False):
            self._complain(
                "S115", "nothing can be assigned to this", self._extent(c[0]), "not a field, an entry of one, or a `var`",
                hint="`==` compares" if c[1] == "=" else "",
            )
        return syntax.Assign(self._span(c), c[0], str(c[1]), c[2])

    def on_return(self, c: list[Any]) -> syntax.Return:
        value = nodes(c)
        return syntax.Return(self._span(c), value[0] if value else None)

    def on_require(self, c: list[Any]) -> syntax.Require:
        return syntax.Require(self._span(c), self._clause_name(c[1]), c[3], self._sentence(c[5]), self._doc(c[0]))

    def on_emit(self, c: list[Any]) -> syntax.Emit:
        return syntax.Emit(self._span(c), c[1])

    def on_elif(self, c: list[Any]) -> Part:
        return Part(self._span(c), (c[1], c[2].value))

    def on_else(self, c: list[Any]) -> Part:
        return Else(self._span(c), c[1].value)

    def on_if(self, c: list[Any]) -> syntax.If:
        *elifs, last = [Part(self._span(c), (c[1], c[2].value)), *c[3:]]
        if not isinstance(last, Else):
            return syntax.If(self._span(c), tuple(part.value for part in (*elifs, last)), None)
        return syntax.If(self._span(c), tuple(part.value for part in elifs), last.value)

    def on_for(self, c: list[Any]) -> syntax.For:
        source, *condition, body = nodes(c)
        return syntax.For(self._span(c), self._name(c[1]), source, condition[0] if condition else None, body.value)

    def on_while(self, c: list[Any]) -> syntax.While:
        return syntax.While(self._span(c), c[1], c[2].value)

    def on_repeat(self, c: list[Any]) -> syntax.Repeat:
        return syntax.Repeat(self._span(c), c[1], c[2].value)

    def on_turns(self, c: list[Any]) -> syntax.Turns:
        first, *condition, body = nodes(c)
        return syntax.Turns(self._span(c), self._name(c[1]), first, condition[0] if condition else None, body.value)

    def on_step(self, c: list[Any]) -> syntax.Step:
        return syntax.Step(self._span(c), self._clause_name(c[1]), c[2].value, self._doc(c[0]))

    def on_draw(self, c: list[Any]) -> syntax.Draw:
        return syntax.Draw(self._span(c), self._names(c), nodes(c)[0])

    def _ask(self, c: list[Any], mode: str, after: Part | None, otherwise: Part | None) -> syntax.Ask:
        alternatives = tuple(x for x in c if isinstance(x, syntax.Alternative))
        return syntax.Ask(
            self._span(c), c[0], mode, alternatives, after.value if after else None, otherwise.value if otherwise else None
        )

    def on_otherwise(self, c: list[Any]) -> Part:
        return Part(self._span(c), c[1].value)

    def on_chooses(self, c: list[Any]) -> syntax.Ask:
        return self._ask(c, "chooses", None, c[-1] if isinstance(c[-1], Part) else None)

    def on_may(self, c: list[Any]) -> syntax.Ask:
        return self._ask(c, "may", None, None)

    def on_may_repeatedly(self, c: list[Any]) -> syntax.Ask:
        return self._ask(c, "may repeatedly", c[-1] if isinstance(c[-1], Part) else None, None)

    def on_alternative(self, c: list[Any]) -> syntax.Alternative:
        return syntax.Alternative(self._span(c), self._name(c[0]), c[1].value if len(c) > 1 else ())

    def on_end_tie(self, c: list[Any]) -> syntax.End:
        return syntax.End(self._span(c), None, None)

    def on_end_win(self, c: list[Any]) -> syntax.End:
        return syntax.End(self._span(c), c[2], None)

    def on_end_scores(self, c: list[Any]) -> syntax.End:
        return syntax.End(self._span(c), None, c[2])

    def on_end_win_scores(self, c: list[Any]) -> syntax.End:
        return syntax.End(self._span(c), c[2], c[4])

    def on_break(self, c: list[Any]) -> syntax.Break:
        return syntax.Break(self._span(c))

    def on_continue(self, c: list[Any]) -> syntax.Continue:
        return syntax.Continue(self._span(c))

    def on_pass(self, c: list[Any]) -> syntax.Pass:
        return syntax.Pass(self._span(c))

    def on_call_statement(self, c: list[Any]) -> syntax.CallStatement:
        return syntax.CallStatement(self._span(c), c[0])
