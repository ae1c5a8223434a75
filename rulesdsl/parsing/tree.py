"""From the rules of the grammar to the nodes of `syntax`: the parser calls `Builder.on_RULE` for each rule, bottom-up.

The builder also finds what the grammar cannot say: reserved words used as names, targets that nothing can be assigned to,
numbers that are too large, and expressions that are nested too deeply to be worked with.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from attrs import evolve

from rulesdsl import syntax
from rulesdsl.parsing.tree_base import Part, is_kind, nodes
from rulesdsl.parsing.tree_statement import Statements


class Builder(Statements):
    """Makes nodes for one parse: the rules of the file, its declarations, variants and scenarios."""

    # ---------------------------------------------------------------- the file and its declarations

    def on_module(self, c: list[Any]) -> tuple[Any, ...]:
        """Declarations, or a variant and its deltas: `parse` tells them apart."""
        variants = [x for x in c if isinstance(x, syntax.Variant)]
        for second in variants[1:]:
            self._complain("S116", "a file holds one variant", second.span, "a second `variant`")
        return tuple(node for x in c for node in (x.value if isinstance(x, Part) else (x,)))

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
        for part in nodes(c):
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
        type_, default = nodes(c)
        return syntax.Param(self._span(c), self._name(c[1]), type_, default, self._doc(c[0]))

    def on_const(self, c: list[Any]) -> syntax.Const:
        *type_, value = nodes(c)
        return syntax.Const(self._span(c), self._name(c[1]), type_[0] if type_ else None, value, self._doc(c[0]))

    def on_board(self, c: list[Any]) -> syntax.Board:
        return syntax.Board(self._span(c), self._names(c), nodes(c)[0], self._doc(c[0]))

    def on_attributes(self, c: list[Any]) -> Part:
        return self._part(c)

    def on_field(self, c: list[Any]) -> syntax.FieldDecl:
        return syntax.FieldDecl(self._span(c), self._name(c[0]), c[2])

    def on_member(self, c: list[Any]) -> syntax.Member:
        return syntax.Member(self._span(c), self._name(c[0]), c[1].value if len(c) > 1 else (), "")

    def on_member_row(self, c: list[Any]) -> Part:
        first, *others = nodes(c)
        return Part(self._span(c), (evolve(first, doc=self._doc(first)), *others))

    def on_enum(self, c: list[Any]) -> syntax.Enum:
        attributes = c[2].value if isinstance(c[2], Part) else ()
        rows = [part.value for part in c[3:] if isinstance(part, Part)]
        members = tuple(member for row in rows for member in row)
        return syntax.Enum(
            self._span(c), self._name(c[1]), attributes, members, tuple(len(row) for row in rows), self._doc(c[0])
        )

    def on_record(self, c: list[Any]) -> syntax.Record:
        fields = tuple(evolve(f, doc=self._doc(f)) for f in nodes(c))
        return syntax.Record(self._span(c), self._name(c[1]), fields, self._doc(c[0]))

    def on_field_key(self, c: list[Any]) -> Part:
        return Part(self._span(c), c[1])

    def on_state_field(self, c: list[Any]) -> syntax.StateField:
        marked = not is_kind(c[0], "NAME")
        parts = nodes(c)
        keys = tuple(part.value for part in parts if isinstance(part, Part))
        type_, *initial = [part for part in parts if not isinstance(part, Part)]
        return syntax.StateField(
            self._span(c), self._name(c[1] if marked else c[0]), str(c[0]) if marked else "public", keys, type_,
            initial[0] if initial else None, self._doc(c[0]),
        )

    def on_state(self, c: list[Any]) -> syntax.State:
        return syntax.State(self._span(c), tuple(nodes(c)), self._doc(c[0]))

    def on_audience(self, c: list[Any]) -> Part:
        return Part(self._span(c), None if is_kind(c[0], "PUBLIC") else self._names(c))

    def on_parameter(self, c: list[Any]) -> syntax.Parameter:
        audience = c[3].value if len(c) > 3 else None
        return syntax.Parameter(self._span(c), self._name(c[0]), c[2], audience, len(c) > 3 and audience is None)

    def on_parameters(self, c: list[Any]) -> Part:
        return self._part(c)

    def on_given_choice(self, c: list[Any]) -> syntax.Choice:
        return syntax.Choice(self._span(c), self._name(c[0]), c[2], None)

    def on_chosen_choice(self, c: list[Any]) -> syntax.Choice:
        return syntax.Choice(self._span(c), self._name(c[0]), None, c[2])

    def on_choices(self, c: list[Any]) -> Part:
        return self._part(c)

    def on_def(self, c: list[Any]) -> syntax.Def:
        params, *result, block = nodes(c)
        return syntax.Def(
            self._span(c), self._name(c[1]), params.value, result[0] if result else None, block.value, self._doc(c[0])
        )

    def on_event_block(self, c: list[Any]) -> Part:
        sentence = next(self._sentence(x) for x in c if is_kind(x, "STRING"))
        return Part(self._span(c), (sentence, tuple(nodes(c))))

    def on_event(self, c: list[Any]) -> syntax.Event:
        *params, block = nodes(c)
        sentence, body = block.value if _starts_with_sentence(block.value) else (None, block.value)
        return syntax.Event(
            self._span(c), self._name(c[1]), params[0].value if params else (), sentence, body, self._doc(c[0])
        )

    def on_action(self, c: list[Any]) -> syntax.Action:
        *params, block = nodes(c)
        name = self._name(c[1])
        if name.id in self.not_actions:
            self._complain("S107", f"an action cannot be called `{name.id}`", name.span, "the word has a meaning after a player")
        return syntax.Action(self._span(c), name, params[0].value if params else (), block.value, self._doc(c[0]))

    def on_flow(self, c: list[Any]) -> syntax.Flow:
        *params, block = nodes(c)
        return syntax.Flow(
            self._span(c), self._name(c[1]), params[0].value if params else (), block.value, self._doc(c[0])
        )

    def on_measure(self, c: list[Any]) -> syntax.Measure:
        params, result, value = nodes(c)
        return syntax.Measure(self._span(c), self._name(c[1]), params.value, result, value, self._doc(c[0]))

    def on_goals(self, c: list[Any]) -> syntax.Goals:
        names = self._names(c)
        for place, name in enumerate(names):
            first = next(other for other in names if other.id == name.id)
            if first is not names[place]:
                self._complain("S116", f"`{name.id}` is a goal twice", name.span, "a second time")
        return syntax.Goals(self._span(c), names, self._doc(c[0]))

    def on_invariant(self, c: list[Any]) -> syntax.Invariant:
        return syntax.Invariant(self._span(c), self._sentence(c[1]), nodes(c)[0], self._doc(c[0]))

    def on_transition(self, c: list[Any]) -> syntax.Transition:
        return syntax.Transition(self._span(c), self._sentence(c[1]), nodes(c)[0], self._doc(c[0]))

    def on_terminates(self, c: list[Any]) -> syntax.Terminates:
        return syntax.Terminates(self._span(c), c[2])

    # ---------------------------------------------------------------- variants

    def on_path(self, c: list[Any]) -> Part:
        return Part(self._span(c), tuple(self._clause_name(x) for x in c if is_kind(x, "NAME")))

    def on_because(self, c: list[Any]) -> syntax.Sentence:
        return self._sentence(c[1])

    def on_variant(self, c: list[Any]) -> syntax.Variant:
        said: dict[str, syntax.Sentence] = {}
        for part in nodes(c):
            kind, value = part.value
            if kind in said:
                self._complain("S116", f"`{kind}` is given twice", part.span, "a second time")
            said.setdefault(kind, value)
        bases = tuple(self._sentence(x) for x in c if is_kind(x, "STRING"))
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
        path, *because, block = nodes(c)
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

    def on_add_choice(self, c: list[Any]) -> syntax.AddChoice:
        path, *rest = nodes(c)
        because = [x for x in rest if isinstance(x, syntax.Sentence)]
        offered = tuple(evolve(x, added=True) for x in rest if isinstance(x, syntax.Alternative))
        return syntax.AddChoice(self._span(c), path.value, because[0] if because else None, offered, self._doc(c[0]))

    def on_add_member(self, c: list[Any]) -> syntax.AddMember:
        line = self._extent(c[0]).line
        members = [member for part in nodes(c) for member in part.value]
        members = [evolve(m, doc="") if m.span.line == line else m for m in members]
        return syntax.AddMember(self._span(c), self._name(c[2]), tuple(members), self._doc(c[0]))

    def on_add_field(self, c: list[Any]) -> syntax.AddField:
        return syntax.AddField(self._span(c), c[2], self._doc(c[0]))

    def on_removed(self, c: list[Any]) -> Part:
        return Part(self._span(c), str(c[0]))

    def on_remove(self, c: list[Any]) -> Part:
        kind, *paths, because = nodes(c)
        return self._removed(c, [syntax.Remove(path.span, kind.value, path.value, None, because) for path in paths])

    def on_remove_text(self, c: list[Any]) -> Part:
        *_, because = nodes(c)
        texts = [self._sentence(x) for x in c if is_kind(x, "STRING")]
        return self._removed(c, [syntax.Remove(text.span, str(c[1]), (), text, because) for text in texts])

    def _removed(self, c: list[Any], clauses: list[syntax.Remove]) -> Part:
        """What a line removes: the first has the place of the line, the others their own in it."""
        doc = self._doc(c[0])
        first, *others = (evolve(clause, doc=doc) for clause in clauses)
        whole = evolve(first, span=self._span(c))
        return Part(whole.span, (whole, *(evolve(clause, continues=True) for clause in others)))

    def on_remove_only(self, c: list[Any]) -> syntax.Remove:
        return syntax.Remove(self._span(c), str(c[1]), (), None, c[2], self._doc(c[0]))

    def on_remove_scenarios(self, c: list[Any]) -> syntax.RemoveScenarios:
        return syntax.RemoveScenarios(self._span(c), tuple(self._names(c)), nodes(c)[-1], self._doc(c[0]))

    def on_around(self, c: list[Any]) -> syntax.Around:
        path, *because, block = nodes(c)
        return syntax.Around(
            self._span(c), str(c[0]), path.value, because[0] if because else None, block.value, self._doc(c[0])
        )

    # ---------------------------------------------------------------- scenarios

    def on_scenario(self, c: list[Any]) -> syntax.Scenario:
        return syntax.Scenario(self._span(c), self._sentence(c[1]), tuple(nodes(c)), self._doc(c[0]))

    def on_setting(self, c: list[Any]) -> Part:
        return Part(self._span(c), (self._name(c[0]), c[2]))

    def on_with_line(self, c: list[Any]) -> syntax.WithLine:
        return syntax.WithLine(self._span(c), tuple(part.value for part in nodes(c)))

    def on_given(self, c: list[Any]) -> syntax.Given:
        return syntax.Given(self._span(c), c[1].value)

    def on_run_line(self, c: list[Any]) -> syntax.RunLine:
        return syntax.RunLine(self._span(c), c[1])

    def on_draw_line(self, c: list[Any]) -> syntax.DrawLine:
        return syntax.DrawLine(self._span(c), tuple(nodes(c)))

    def on_play_line(self, c: list[Any]) -> syntax.PlayLine | syntax.PassLine:
        who, move = nodes(c)
        if move.action.id == "passes" and not move.args:
            return syntax.PassLine(self._span(c), who)
        return syntax.PlayLine(self._span(c), who, move)

    def on_expect_line(self, c: list[Any]) -> syntax.ExpectLine:
        return syntax.ExpectLine(self._span(c), c[1])

    def on_expect_illegal(self, c: list[Any]) -> syntax.ExpectIllegal:
        who, move = nodes(c)
        by = self._clause_name(c[-2]) if is_kind(c[-2], "NAME") else None
        return syntax.ExpectIllegal(self._span(c), who, move, by)

    def on_expect_event(self, c: list[Any]) -> syntax.ExpectEvent:
        return syntax.ExpectEvent(self._span(c), nodes(c)[0], is_kind(c[1], "NOT"))


def _starts_with_sentence(block: Sequence[Any]) -> bool:
    return isinstance(block[0], syntax.Sentence)
