"""From the rules of the grammar to the nodes of `syntax`: the parser calls `Builder.on_RULE` for each rule, bottom-up.

The builder also finds what the grammar cannot say: reserved words used as names, targets that nothing can be assigned to,
numbers that are too large, and expressions that are nested too deeply to be worked with.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from attrs import evolve, frozen

from rulesdsl import syntax
from rulesdsl.diagnostics import Diagnostic, Source, Span

if TYPE_CHECKING:
    from lark import Token

DEEPEST = 100
LARGEST = 2**63 - 1

_LAYOUT = frozenset({"_NL", "_INDENT", "_DEDENT"})
_COMMENT = re.compile(r'"[^"\r\n]*"|#[^\r\n]*')


@frozen
class Part:
    """Something on the way to a node: a value and where it stood."""

    span: Span
    value: Any


class Else(Part):
    """The block of an `else`."""


def find_comments(source: Source) -> tuple[syntax.Comment, ...]:
    """The comments of a file, in order."""
    text = source.text
    found = []
    for match in _COMMENT.finditer(text):
        if match.group().startswith("#"):
            before = text[text.rfind("\n", 0, match.start()) + 1 : match.start()]
            found.append(
                syntax.Comment(Span(source, match.start(), match.end()), match.group().rstrip(), not before.strip(" \t\ufeff"))
            )
    return tuple(found)


class Builder:
    """Makes nodes for one parse. `diagnostics` collects what it had to complain about.

    `reserved` are the words that may not be names, `not_actions` and `not_seats` those that may not name these two.
    """

    def __init__(
        self, source: Source, comments: Sequence[syntax.Comment], reserved: frozenset[str], *, not_actions: frozenset[str],
        not_seats: frozenset[str],
    ) -> None:
        self.source = source
        self.reserved = reserved
        self.not_actions = not_actions
        self.not_seats = not_seats
        self.diagnostics: list[Diagnostic] = []
        self._docs = {c.span.line: c.text for c in comments if c.alone and c.text.startswith("##")}
        self._depth: dict[int, tuple[int, Any]] = {}
        self._outer: dict[int, Span] = {}

    # ---------------------------------------------------------------- helpers

    def _extent(self, item: Any) -> Span:
        """Where a child stands, with the parentheses around it."""
        outer = self._outer.get(id(item))
        if outer is not None:
            return outer
        if hasattr(item, "span"):
            return item.span  # type: ignore[no-any-return]
        return Span(self.source, item.start_pos, item.end_pos)

    def _span(self, children: Sequence[Any]) -> Span:
        """From the first child to the last, without the layout at the end."""
        last = next(c for c in reversed(children) if not (_is_token(c) and c.type in _LAYOUT))
        return self._extent(children[0]).to(self._extent(last))

    def _deep(self, node: Any, *parts: Any) -> Any:
        """Keeps count of how deeply a node is nested; complains once when it is too much."""
        depth = 1 + max((self._depth[id(p)][0] for p in parts if id(p) in self._depth), default=0)
        self._depth[id(node)] = (depth, node)
        if depth == DEEPEST + 1:
            self._complain(
                "S117", "this expression is nested too deeply", node.span, f"more than {DEEPEST} levels",
                hint="name a part of it with `let`, or move it to a `def`",
            )
        return node

    def _complain(self, code: str, title: str, span: Span, text: str = "", *, hint: str = "") -> None:
        self.diagnostics.append(Diagnostic(code, title, span, text, hints=(hint,) if hint else ()))

    def _name(self, token: Token) -> syntax.Name:
        self._check_name(token)
        return syntax.Name(self._extent(token), str(token))

    def _clause_name(self, token: Token) -> syntax.Name:
        """The name of a step or a require: any word, since it is used after a dot or `by` only (`step draw`)."""
        return syntax.Name(self._extent(token), str(token))

    def _check_name(self, token: Token) -> None:
        if token in self.reserved:
            self._complain(
                "S107", f"`{token}` is a word of the language and cannot be a name", self._extent(token), "used as a name here",
                hint=f"another name is needed, such as `{token}_` or `the_{token}`",
            )

    def _names(self, children: Sequence[Any]) -> tuple[syntax.Name, ...]:
        return tuple(self._name(c) for c in children if _is(c, "NAME"))

    def _doc(self, first: Any) -> str:
        """The `##` lines directly above."""
        if not self._docs:
            return ""
        line = self._extent(first).line - 1
        texts: list[str] = []
        while line in self._docs:
            texts.append(self._docs[line][2:].removeprefix(" "))
            line -= 1
        return "\n".join(reversed(texts))

    def _sentence(self, token: Token) -> syntax.Sentence:
        return syntax.Sentence(self._extent(token), str(token)[1:-1])

    def _part(self, children: Sequence[Any]) -> Part:
        """The children that are nodes, as one part."""
        return Part(self._span(children), tuple(_nodes(children)))

    # ---------------------------------------------------------------- the file and its declarations

    def on_module(self, c: list[Any]) -> tuple[Any, ...]:
        """Declarations, or a variant and its deltas: `parse` tells them apart."""
        variants = [x for x in c if isinstance(x, syntax.Variant)]
        for second in variants[1:]:
            self._complain("S116", "a file holds one variant", second.span, "a second `variant`")
        return tuple(c)

    def on_title(self, c: list[Any]) -> Part:
        return Part(self._span(c), ("title", self._sentence(c[1])))

    def on_rulebook(self, c: list[Any]) -> Part:
        return Part(self._span(c), ("rulebook", self._sentence(c[1])))

    def on_seats(self, c: list[Any]) -> Part:
        names = self._names(c)
        for name in names:
            if name.id in self.not_seats:
                self._complain(
                    "S107", f"a seat cannot be called `{name.id}`", name.span, "it would start another line in a scenario"
                )
        return Part(self._span(c), ("players", names))

    def on_seat_count(self, c: list[Any]) -> Part:
        return Part(self._span(c), ("players", c[1]))

    def on_game(self, c: list[Any]) -> syntax.Game:
        said: dict[str, Any] = {}
        for part in _nodes(c):
            kind, value = part.value
            if kind in said:
                self._complain("S116", f"`{kind}` is given twice", part.span, "a second time")
            said.setdefault(kind, value)
        players = said.get("players")
        seats, count = (players, None) if isinstance(players, tuple) else ((), players)
        return syntax.Game(
            self._span(c), self._name(c[1]), said.get("title"), seats, count, said.get("rulebook"), self._doc(c[0])
        )

    def on_param(self, c: list[Any]) -> syntax.Param:
        type_, default = _nodes(c)
        return syntax.Param(self._span(c), self._name(c[1]), type_, default, self._doc(c[0]))

    def on_const(self, c: list[Any]) -> syntax.Const:
        *type_, value = _nodes(c)
        return syntax.Const(self._span(c), self._name(c[1]), type_[0] if type_ else None, value, self._doc(c[0]))

    def on_board(self, c: list[Any]) -> syntax.Board:
        return syntax.Board(self._span(c), self._names(c), _nodes(c)[0], self._doc(c[0]))

    def on_attributes(self, c: list[Any]) -> Part:
        return self._part(c)

    def on_field(self, c: list[Any]) -> syntax.FieldDecl:
        return syntax.FieldDecl(self._span(c), self._name(c[0]), c[2])

    def on_member(self, c: list[Any]) -> syntax.Member:
        return syntax.Member(self._span(c), self._name(c[0]), c[1].value if len(c) > 1 else (), "")

    def on_member_row(self, c: list[Any]) -> Part:
        first, *others = _nodes(c)
        return Part(self._span(c), (evolve(first, doc=self._doc(first)), *others))

    def on_enum(self, c: list[Any]) -> syntax.Enum:
        attributes = c[2].value if isinstance(c[2], Part) else ()
        rows = [part.value for part in c[3:] if isinstance(part, Part)]
        members = tuple(member for row in rows for member in row)
        return syntax.Enum(
            self._span(c), self._name(c[1]), attributes, members, tuple(len(row) for row in rows), self._doc(c[0])
        )

    def on_record(self, c: list[Any]) -> syntax.Record:
        fields = tuple(evolve(f, doc=self._doc(f)) for f in _nodes(c))
        return syntax.Record(self._span(c), self._name(c[1]), fields, self._doc(c[0]))

    def on_field_key(self, c: list[Any]) -> Part:
        return Part(self._span(c), c[1])

    def on_state_field(self, c: list[Any]) -> syntax.StateField:
        marked = not _is(c[0], "NAME")
        parts = _nodes(c)
        keys = tuple(part.value for part in parts if isinstance(part, Part))
        type_, *initial = [part for part in parts if not isinstance(part, Part)]
        return syntax.StateField(
            self._span(c), self._name(c[1] if marked else c[0]), str(c[0]) if marked else "public", keys, type_,
            initial[0] if initial else None, self._doc(c[0]),
        )

    def on_state(self, c: list[Any]) -> syntax.State:
        return syntax.State(self._span(c), tuple(_nodes(c)), self._doc(c[0]))

    def on_audience(self, c: list[Any]) -> Part:
        return Part(self._span(c), self._names(c))

    def on_parameter(self, c: list[Any]) -> syntax.Parameter:
        return syntax.Parameter(self._span(c), self._name(c[0]), c[2], c[3].value if len(c) > 3 else None)

    def on_parameters(self, c: list[Any]) -> Part:
        return self._part(c)

    def on_given_choice(self, c: list[Any]) -> syntax.Choice:
        return syntax.Choice(self._span(c), self._name(c[0]), c[2], None)

    def on_chosen_choice(self, c: list[Any]) -> syntax.Choice:
        return syntax.Choice(self._span(c), self._name(c[0]), None, c[2])

    def on_choices(self, c: list[Any]) -> Part:
        return self._part(c)

    def on_def(self, c: list[Any]) -> syntax.Def:
        params, *result, block = _nodes(c)
        return syntax.Def(
            self._span(c), self._name(c[1]), params.value, result[0] if result else None, block.value, self._doc(c[0])
        )

    def on_event_block(self, c: list[Any]) -> Part:
        sentence = next(self._sentence(x) for x in c if _is(x, "STRING"))
        return Part(self._span(c), (sentence, tuple(_nodes(c))))

    def on_event(self, c: list[Any]) -> syntax.Event:
        *params, block = _nodes(c)
        sentence, body = block.value if _starts_with_sentence(block.value) else (None, block.value)
        return syntax.Event(
            self._span(c), self._name(c[1]), params[0].value if params else (), sentence, body, self._doc(c[0])
        )

    def on_action(self, c: list[Any]) -> syntax.Action:
        *params, block = _nodes(c)
        name = self._name(c[1])
        if name.id in self.not_actions:
            self._complain("S107", f"an action cannot be called `{name.id}`", name.span, "the word has a meaning after a player")
        return syntax.Action(self._span(c), name, params[0].value if params else (), block.value, self._doc(c[0]))

    def on_flow(self, c: list[Any]) -> syntax.Flow:
        *params, block = _nodes(c)
        return syntax.Flow(
            self._span(c), self._name(c[1]), params[0].value if params else (), block.value, self._doc(c[0])
        )

    def on_measure(self, c: list[Any]) -> syntax.Measure:
        params, result, value = _nodes(c)
        return syntax.Measure(self._span(c), self._name(c[1]), params.value, result, value, self._doc(c[0]))

    def on_invariant(self, c: list[Any]) -> syntax.Invariant:
        return syntax.Invariant(self._span(c), self._sentence(c[1]), _nodes(c)[0], self._doc(c[0]))

    def on_transition(self, c: list[Any]) -> syntax.Transition:
        return syntax.Transition(self._span(c), self._sentence(c[1]), _nodes(c)[0], self._doc(c[0]))

    def on_terminates(self, c: list[Any]) -> syntax.Terminates:
        return syntax.Terminates(self._span(c), c[2])

    # ---------------------------------------------------------------- variants

    def on_path(self, c: list[Any]) -> Part:
        return Part(self._span(c), tuple(self._clause_name(x) for x in c if _is(x, "NAME")))

    def on_because(self, c: list[Any]) -> syntax.Sentence:
        return self._sentence(c[1])

    def on_variant(self, c: list[Any]) -> syntax.Variant:
        said: dict[str, syntax.Sentence] = {}
        for part in _nodes(c):
            kind, value = part.value
            if kind in said:
                self._complain("S116", f"`{kind}` is given twice", part.span, "a second time")
            said.setdefault(kind, value)
        bases = tuple(self._sentence(x) for x in c if _is(x, "STRING"))
        return syntax.Variant(
            self._span(c), self._name(c[1]), bases, said.get("title"), said.get("rulebook"), self._doc(c[0])
        )

    def on_set_param(self, c: list[Any]) -> syntax.SetParam:
        return syntax.SetParam(self._span(c), self._name(c[1]), c[3], self._doc(c[0]))

    def on_replace(self, c: list[Any]) -> syntax.Replace:
        return syntax.Replace(self._span(c), c[1], None, self._doc(c[0]))

    def on_replace_field(self, c: list[Any]) -> syntax.Replace:
        return syntax.Replace(self._span(c), c[2], None, self._doc(c[0]))

    def on_replace_step(self, c: list[Any]) -> syntax.ReplaceStep:
        path, *because, block = _nodes(c)
        return syntax.ReplaceStep(
            self._span(c), path.value, because[0] if because else None, block.value, self._doc(c[0])
        )

    def _required(self, c: list[Any]) -> tuple[syntax.Name, syntax.Require]:
        """`require action.name: condition else "sentence"`, from the second child on."""
        require = syntax.Require(self._span(c[1:]), self._clause_name(c[4]), c[6], self._sentence(c[8]))
        return self._name(c[2]), require

    def on_replace_require(self, c: list[Any]) -> syntax.ReplaceRequire:
        action, require = self._required(c)
        return syntax.ReplaceRequire(self._span(c), action, require, None, self._doc(c[0]))

    def on_replace_member(self, c: list[Any]) -> syntax.ReplaceMember:
        return syntax.ReplaceMember(self._span(c), self._name(c[2]), c[4], None, self._doc(c[0]))

    def on_add(self, c: list[Any]) -> syntax.Add:
        return syntax.Add(self._span(c), c[1], self._doc(c[0]))

    def on_add_require(self, c: list[Any]) -> syntax.AddRequire:
        action, require = self._required(c)
        return syntax.AddRequire(self._span(c), action, require, self._doc(c[0]))

    def on_add_member(self, c: list[Any]) -> syntax.AddMember:
        line = self._extent(c[0]).line
        members = [member for part in _nodes(c) for member in part.value]
        members = [evolve(m, doc="") if m.span.line == line else m for m in members]
        return syntax.AddMember(self._span(c), self._name(c[2]), tuple(members), self._doc(c[0]))

    def on_add_field(self, c: list[Any]) -> syntax.AddField:
        return syntax.AddField(self._span(c), c[2], self._doc(c[0]))

    def on_removed(self, c: list[Any]) -> Part:
        return Part(self._span(c), str(c[0]))

    def on_remove(self, c: list[Any]) -> syntax.Remove:
        kind, path, because = _nodes(c)
        return syntax.Remove(self._span(c), kind.value, path.value, None, because, self._doc(c[0]))

    def on_remove_text(self, c: list[Any]) -> syntax.Remove:
        return syntax.Remove(self._span(c), str(c[1]), (), self._sentence(c[2]), c[3], self._doc(c[0]))

    def on_remove_terminates(self, c: list[Any]) -> syntax.Remove:
        return syntax.Remove(self._span(c), "terminates", (), None, c[2], self._doc(c[0]))

    def on_around(self, c: list[Any]) -> syntax.Around:
        path, *because, block = _nodes(c)
        return syntax.Around(
            self._span(c), str(c[0]), path.value, because[0] if because else None, block.value, self._doc(c[0])
        )

    # ---------------------------------------------------------------- scenarios

    def on_scenario(self, c: list[Any]) -> syntax.Scenario:
        return syntax.Scenario(self._span(c), self._sentence(c[1]), tuple(_nodes(c)), self._doc(c[0]))

    def on_setting(self, c: list[Any]) -> Part:
        return Part(self._span(c), (self._name(c[0]), c[2]))

    def on_with_line(self, c: list[Any]) -> syntax.WithLine:
        return syntax.WithLine(self._span(c), tuple(part.value for part in _nodes(c)))

    def on_given(self, c: list[Any]) -> syntax.Given:
        return syntax.Given(self._span(c), c[1].value)

    def on_run_line(self, c: list[Any]) -> syntax.RunLine:
        return syntax.RunLine(self._span(c), c[1])

    def on_draw_line(self, c: list[Any]) -> syntax.DrawLine:
        return syntax.DrawLine(self._span(c), tuple(_nodes(c)))

    def on_play_line(self, c: list[Any]) -> syntax.PlayLine | syntax.PassLine:
        who, move = _nodes(c)
        if move.action.id == "passes" and not move.args:
            return syntax.PassLine(self._span(c), who)
        return syntax.PlayLine(self._span(c), who, move)

    def on_expect_line(self, c: list[Any]) -> syntax.ExpectLine:
        return syntax.ExpectLine(self._span(c), c[1])

    def on_expect_illegal(self, c: list[Any]) -> syntax.ExpectIllegal:
        who, move = _nodes(c)
        by = self._clause_name(c[-2]) if _is(c[-2], "NAME") else None
        return syntax.ExpectIllegal(self._span(c), who, move, by)

    # ---------------------------------------------------------------- types

    def on_named_type(self, c: list[Any]) -> syntax.NamedType:
        self._check_name(c[0])
        return syntax.NamedType(self._span(c), str(c[0]))

    def on_set_of(self, c: list[Any]) -> Any:
        return self._deep(syntax.SetOf(self._span(c), c[2]), c[2])

    def on_bag_of(self, c: list[Any]) -> Any:
        return self._deep(syntax.BagOf(self._span(c), c[2]), c[2])

    def on_list_of(self, c: list[Any]) -> Any:
        return self._deep(syntax.ListOf(self._span(c), c[2], c[4]), c[2], c[4])

    def on_map_of(self, c: list[Any]) -> Any:
        return self._deep(syntax.MapOf(self._span(c), c[2], c[4]), c[2], c[4])

    def on_range_type(self, c: list[Any]) -> Any:
        return self._deep(syntax.RangeType(self._span(c), c[0], c[2]), c[0], c[2])

    def on_optional_type(self, c: list[Any]) -> Any:
        return self._deep(syntax.OptionalType(self._span(c), c[0]), c[0])

    # ---------------------------------------------------------------- statements

    def on_block(self, c: list[Any]) -> Part:
        return self._part(c)

    def on_let(self, c: list[Any]) -> syntax.Let:
        *type_, value = _nodes(c)
        return syntax.Let(self._span(c), self._name(c[1]), type_[0] if type_ else None, value)

    def on_var(self, c: list[Any]) -> syntax.Var:
        *type_, value = _nodes(c)
        return syntax.Var(self._span(c), self._name(c[1]), type_[0] if type_ else None, value)

    def on_assign(self, c: list[Any]) -> syntax.Assign:
        if not isinstance(c[0], (syntax.NameExpr, syntax.Attr, syntax.Index)) or getattr(c[0], "optional", False):
            self._complain(
                "S115", "nothing can be assigned to this", self._extent(c[0]), "not a field, an entry of one, or a `var`",
                hint="`==` compares" if c[1] == "=" else "",
            )
        return syntax.Assign(self._span(c), c[0], str(c[1]), c[2])

    def on_return(self, c: list[Any]) -> syntax.Return:
        value = _nodes(c)
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
        source, *condition, body = _nodes(c)
        return syntax.For(self._span(c), self._name(c[1]), source, condition[0] if condition else None, body.value)

    def on_while(self, c: list[Any]) -> syntax.While:
        return syntax.While(self._span(c), c[1], c[2].value)

    def on_repeat(self, c: list[Any]) -> syntax.Repeat:
        return syntax.Repeat(self._span(c), c[1], c[2].value)

    def on_turns(self, c: list[Any]) -> syntax.Turns:
        first, *condition, body = _nodes(c)
        return syntax.Turns(self._span(c), self._name(c[1]), first, condition[0] if condition else None, body.value)

    def on_step(self, c: list[Any]) -> syntax.Step:
        return syntax.Step(self._span(c), self._clause_name(c[1]), c[2].value, self._doc(c[0]))

    def on_draw(self, c: list[Any]) -> syntax.Draw:
        return syntax.Draw(self._span(c), self._names(c), _nodes(c)[0])

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

    # ---------------------------------------------------------------- expressions

    def on_after(self, c: list[Any]) -> Any:
        return self._deep(syntax.After(self._span(c), c[0], c[2]), c[0], c[2])

    def on_conditional(self, c: list[Any]) -> Any:
        return self._deep(syntax.Conditional(self._span(c), c[2], c[0], c[4]), c[0], c[2], c[4])

    def on_binary(self, c: list[Any]) -> Any:
        return self._deep(syntax.Binary(self._span(c), str(c[1]), c[0], c[2]), c[0], c[2])

    def on_unary(self, c: list[Any]) -> Any:
        return self._deep(syntax.Unary(self._span(c), str(c[0]), c[1]), c[1])

    def on_compare(self, c: list[Any]) -> Any:
        operands = _nodes(c)
        words = [str(x) for x in c if _is_token(x)]
        operators = ["not in" if word == "not" else word for i, word in enumerate(words) if i == 0 or words[i - 1] != "not"]
        return self._deep(
            syntax.Compare(self._span(c), operands[0], tuple(zip(operators, operands[1:], strict=True))), *operands
        )

    def on_is_test(self, c: list[Any]) -> Any:
        return self._deep(syntax.IsTest(self._span(c), c[0], _is(c[2], "SOME")), c[0])

    def on_can(self, c: list[Any]) -> Any:
        arguments = [arg.value for arg in c[2].args]
        return self._deep(syntax.Can(self._span(c), c[0], c[2]), c[0], *arguments)

    def on_range_expr(self, c: list[Any]) -> Any:
        return self._deep(syntax.RangeExpr(self._span(c), c[0], c[2]), c[0], c[2])

    def on_attribute(self, c: list[Any]) -> Any:
        name = syntax.Name(self._extent(c[2]), str(c[2]))  # any word may stand after a dot
        return self._deep(syntax.Attr(self._span(c), c[0], name, c[1] == "?."), c[0])

    def on_index(self, c: list[Any]) -> Any:
        return self._deep(syntax.Index(self._span(c), c[0], c[2]), c[0], c[2])

    def on_slice(self, c: list[Any]) -> Any:
        colon = next(i for i, x in enumerate(c) if _is(x, "COLON"))
        lo = c[2] if colon == 3 else None
        hi = c[colon + 1] if not _is_token(c[colon + 1]) else None
        return self._deep(syntax.Slice(self._span(c), c[0], lo, hi), *_nodes(c))

    def on_argument(self, c: list[Any]) -> syntax.Arg:
        if len(c) == 1:
            return syntax.Arg(self._extent(c[0]), None, c[0])
        return syntax.Arg(self._span(c), self._name(c[0]), c[2])

    def on_arguments(self, c: list[Any]) -> Part:
        return self._part(c)

    def on_call(self, c: list[Any]) -> Any:
        args = c[1].value
        return self._deep(syntax.Call(self._span(c), c[0], args), c[0], *[arg.value for arg in args])

    def on_clause(self, c: list[Any]) -> syntax.CompClause:
        source, *condition = _nodes(c)
        return syntax.CompClause(self._span(c), self._name(c[1]), source, condition[0] if condition else None)

    def on_generator_call(self, c: list[Any]) -> Any:
        clauses = _clauses(c)
        return self._deep(
            syntax.GeneratorCall(self._span(c), c[0], c[2], clauses), c[0], c[2], *_inside(clauses)
        )

    def on_name(self, c: list[Any]) -> syntax.NameExpr:
        self._check_name(c[0])
        return syntax.NameExpr(self._extent(c[0]), str(c[0]))

    def on_int(self, c: list[Any]) -> syntax.IntLit:
        digits = str(c[0]).lstrip("0") or "0"
        value = int(digits) if len(digits) <= len(str(LARGEST)) else LARGEST + 1
        if value > LARGEST:
            self._complain("S114", "this number is too large", self._extent(c[0]), f"the largest is {LARGEST}")
        return syntax.IntLit(self._extent(c[0]), value)

    def on_bool(self, c: list[Any]) -> syntax.BoolLit:
        return syntax.BoolLit(self._extent(c[0]), _is(c[0], "TRUE"))

    def on_none(self, c: list[Any]) -> syntax.NoneLit:
        return syntax.NoneLit(self._extent(c[0]))

    def on_parenthesised(self, c: list[Any]) -> Any:
        self._outer[id(c[1])] = self._extent(c[0]).to(self._extent(c[2]))
        self._depth.setdefault(id(c[1]), (1, c[1]))
        return c[1]

    def on_list(self, c: list[Any]) -> Any:
        items = tuple(_nodes(c))
        return self._deep(syntax.ListLit(self._span(c), items), *items)

    def on_list_comprehension(self, c: list[Any]) -> Any:
        clauses = _clauses(c)
        return self._deep(syntax.Comprehension(self._span(c), "list", c[1], clauses), c[1], *_inside(clauses))

    def on_brace(self, c: list[Any]) -> Any:
        items = tuple(_nodes(c))
        return self._deep(syntax.BraceLit(self._span(c), items), *items)

    def on_brace_comprehension(self, c: list[Any]) -> Any:
        clauses = _clauses(c)
        return self._deep(syntax.Comprehension(self._span(c), "brace", c[1], clauses), c[1], *_inside(clauses))

    def on_pair(self, c: list[Any]) -> Part:
        return Part(self._span(c), (c[0], c[2]))

    def on_map(self, c: list[Any]) -> Any:
        pairs = tuple(part.value for part in _nodes(c))
        return self._deep(syntax.MapLit(self._span(c), pairs), *[x for pair in pairs for x in pair])

    def on_map_comprehension(self, c: list[Any]) -> Any:
        clauses = _clauses(c)
        key, value = c[1].value
        return self._deep(syntax.MapComprehension(self._span(c), key, value, clauses), key, value, *_inside(clauses))


def _is_token(item: Any) -> bool:
    return isinstance(item, str)


def _is(item: Any, kind: str) -> bool:
    return getattr(item, "type", None) == kind and _is_token(item)


def _nodes(children: Sequence[Any]) -> list[Any]:
    """The children that are not tokens."""
    return [c for c in children if not _is_token(c)]


def _clauses(children: Sequence[Any]) -> tuple[syntax.CompClause, ...]:
    return tuple(c for c in children if isinstance(c, syntax.CompClause))


def _inside(clauses: Sequence[syntax.CompClause]) -> list[Any]:
    return [x for clause in clauses for x in (clause.source, clause.condition) if x is not None]


def _starts_with_sentence(block: Sequence[Any]) -> bool:
    return isinstance(block[0], syntax.Sentence)
