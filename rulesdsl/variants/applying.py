"""Deltas carried out one by one on the declarations of the base."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from attrs import define, evolve

from rulesdsl import syntax
from rulesdsl.checking.scenario_names import words_in, words_of
from rulesdsl.diagnostics import Label, closest
from rulesdsl.variants.bodies import exchanged
from rulesdsl.variants.conflicts import Item
from rulesdsl.variants.deltas import (
    ONCE,
    TEXTS,
    blocks_after,
    declaration_key,
    name_span,
    names_of,
    questions_of,
    signature,
    steps_of,
    told,
)
from rulesdsl.variants.targets import Targets, requires_of


def documented(decl: Any, *docs: str) -> Any:
    """A declaration with the first documentation that there is: its own, that of its delta, that of what it replaces."""
    if not hasattr(decl, "doc"):
        return decl
    return evolve(decl, doc=next((doc for doc in (decl.doc, *docs) if doc), ""))


@define(eq=False)
class Applying(Targets):
    """Applies deltas one by one to `declarations`."""

    def all(self, items: Sequence[Item]) -> None:
        for item in items:
            self.item = item
            method: Callable[[Any], None] = getattr(self, "on_" + type(item.delta).__name__)
            method(item.delta)

    # ------------------------------------------------------------ whole clauses

    def on_SetParam(self, delta: syntax.SetParam) -> None:
        key = ("param", delta.name.id)
        position = self.find(key)
        if position is None:
            self.missing(key, delta.name.span)
            return
        was = self.declarations[position]
        self.declarations[position] = evolve(was, default=delta.value)
        self.record(delta, "set", key, was, self.declarations[position])

    def on_Replace(self, delta: syntax.Replace) -> None:
        decl = delta.declaration
        key = declaration_key(decl)
        if isinstance(decl, syntax.StateField):
            self.replace_field(delta, decl)
            return
        position = self.find(key)
        if position is None:
            self.missing(key, name_span(decl))
            return
        was = self.declarations[position]
        before, after = signature(was), signature(decl)
        if isinstance(decl, syntax.Board):
            before, after = declaration_key(was)[1], key[1]
        if before != after:
            label = Label(name_span(was), f"the base's: {before}")
            title = f"{told(key)} has another signature than the base's"
            self.report("X803", title, name_span(decl), f"here: {after}", "what uses it relies on the base's", labels=(label,))
            return
        self.declarations[position] = documented(decl, delta.doc, getattr(was, "doc", ""))
        self.record(delta, "replaced", key, was, decl)

    def replace_field(self, delta: syntax.Replace, decl: syntax.StateField) -> None:
        found = self.find_field(decl.name.id)
        if found is None:
            self.missing(("field", decl.name.id), decl.name.span)
            return
        was = self.declarations[found[0]].fields[found[1]]
        self.exchange_field(found, (documented(decl, delta.doc, was.doc),))
        self.record(delta, "replaced", ("field", decl.name.id), was, decl)

    def exchange_field(self, place: tuple[int, int], now: tuple[syntax.StateField, ...]) -> None:
        position, index = place
        state = self.declarations[position]
        fields = (*state.fields[:index], *now, *state.fields[index + 1 :])
        self.declarations[position : position + 1] = [evolve(state, fields=fields)] if fields else []

    def on_Add(self, delta: syntax.Add) -> None:
        decl = documented(delta.declaration, delta.doc)
        kind, *_ = key = declaration_key(decl)
        position = self.find(key) if kind in ONCE else None
        if position is not None:
            label = Label(self.declarations[position].span, "it is here")
            hint = f"`replace {kind} ...` changes it"
            self.report("X804", f"the base says already {ONCE[kind]}", delta.span, "", hint, labels=(label,))
            return
        names = [(name.id, name.span) for name in names_of(decl)]
        if kind in TEXTS:
            names = [(decl.text.text, decl.text.span)]
        if not [name for name, span in names if not self.is_new(kind, name, span)]:
            self.declarations.append(decl)
            self.record(delta, "added", key, None, decl)

    def on_AddField(self, delta: syntax.AddField) -> None:
        made = documented(delta.field, delta.doc)
        if not self.is_new("field", made.name.id, made.name.span):
            return
        for position, state in enumerate(self.declarations):
            if isinstance(state, syntax.State):
                self.declarations[position] = evolve(state, fields=(*state.fields, made))
                break
        else:
            self.declarations.append(syntax.State(delta.span, (made,)))
        self.record(delta, "added", ("field", made.name.id), None, made)

    # ------------------------------------------------------------ members

    def on_ReplaceMember(self, delta: syntax.ReplaceMember) -> None:
        position = self.enum(delta.enum)
        if position is None:
            return
        enum = self.declarations[position]
        index = self.member(enum, delta.member.name)
        if index is not None:
            was = enum.members[index]
            now = documented(delta.member, delta.doc, was.doc)
            members = (*enum.members[:index], now, *enum.members[index + 1 :])
            self.declarations[position] = evolve(enum, members=members)
            self.record(delta, "replaced", ("member", enum.name.id, was.name.id), was, now)

    def on_AddMember(self, delta: syntax.AddMember) -> None:
        position = self.enum(delta.enum)
        if position is None:
            return
        enum = self.declarations[position]
        (member,) = delta.members
        there = next((m for m in enum.members if m.name.id == member.name.id), None)
        if there is not None:
            title = f"`{enum.name.id}` has a member `{member.name.id}` already"
            hint = f"`replace member {enum.name.id}.{member.name.id}(...)` changes its values"
            self.report("X804", title, member.name.span, "", hint, labels=(Label(there.span, "it is here"),))
            return
        now = documented(member, delta.doc)
        self.declarations[position] = evolve(enum, members=(*enum.members, now), rows=(*enum.rows, 1))
        self.record(delta, "added", ("member", enum.name.id, member.name.id), None, now)

    # ------------------------------------------------------------ requires

    def on_AddRequire(self, delta: syntax.AddRequire) -> None:
        """After the action's own requires, where all its `let`s are known."""
        position = self.action(delta.action)
        if position is None:
            return
        action = self.declarations[position]
        made = documented(delta.require, delta.doc)
        there = next((n for n in requires_of(action) if n.name.id == made.name.id), None)
        if there is not None:
            title = f"`{action.name.id}` requires `{made.name.id}` already"
            hint = f"`replace require {action.name.id}.{made.name.id}: ...` changes it"
            self.report("X804", title, made.name.span, "", hint, labels=(Label(there.name.span, "it is here"),))
            return
        effects = (i for i, n in enumerate(action.body) if not isinstance(n, (syntax.Let, syntax.Require)))
        end = next(effects, len(action.body))
        self.declarations[position] = evolve(action, body=(*action.body[:end], made, *action.body[end:]))
        self.record(delta, "added", ("require", action.name.id, made.name.id), None, made)

    def on_ReplaceRequire(self, delta: syntax.ReplaceRequire) -> None:
        self.exchange_require(delta, delta.action, delta.require.name, delta.require)

    def exchange_require(self, delta: Any, owner: syntax.Name, name: syntax.Name, now: syntax.Require | None) -> None:
        position = self.action(owner)
        if position is None:
            return
        action = self.declarations[position]
        was = next((node for node in requires_of(action) if node.name.id == name.id), None)
        if was is None:
            self.no_part(action, "require", name)
            return
        made = () if now is None else (documented(now, delta.doc, was.doc),)
        index = action.body.index(was)
        body = (*action.body[:index], *made, *action.body[index + 1 :])
        self.declarations[position] = evolve(action, body=body or (syntax.Pass(action.span),))
        kind = "removed" if now is None else "replaced"
        self.record(delta, kind, ("require", action.name.id, name.id), was, made[0] if made else None)

    # ------------------------------------------------------------ steps

    def on_ReplaceStep(self, delta: syntax.ReplaceStep) -> None:
        key = ("step", *(name.id for name in delta.path))
        found = self.exchange_step(
            delta.path,
            lambda step: (syntax.Step(delta.span, delta.path[-1], delta.body, delta.doc or step.doc),),
        )
        if found is not None:
            self.record(delta, "replaced", key, found.body, delta.body)

    def on_AddChoice(self, delta: syntax.AddChoice) -> None:
        """After what the step's question offers already."""
        (choice,) = delta.alternatives
        key = ("choice", *(name.id for name in delta.path), choice.action.id)
        done: list[syntax.Alternative] = []

        def change(step: syntax.Step) -> tuple[syntax.Statement, ...]:
            questions = list(questions_of(step.body))
            if len(questions) != 1:
                self.no_question(delta.path, step, questions)
                return (step,)
            (question,) = questions
            there = next((a for a in question.alternatives if a.action.id == choice.action.id), None)
            if there is not None:
                title = f"`{choice.action.id}` is offered there already"
                self.report("X804", title, choice.span, labels=(Label(there.span, "it is here"),))
                return (step,)
            done.append(choice)
            wider = evolve(question, alternatives=(*question.alternatives, choice))
            return (evolve(step, body=exchanged(step.body, question, lambda _: (wider,))),)

        if self.exchange_step(delta.path, change) is not None and done:
            self.record(delta, "added", key, None, choice)

    def no_question(self, path: Sequence[syntax.Name], step: syntax.Step, questions: Sequence[syntax.Ask]) -> None:
        """A step has no question, or several, that something could be offered in."""
        name = ".".join(part.id for part in path)
        span = path[0].span.to(path[-1].span)
        if not questions:
            label = Label(step.name.span, "the step is here")
            self.report("X801", f"step `{name}` asks nothing", span, "", "a choice is added to a question", labels=(label,))
            return
        labels = tuple(Label(question.span, "a question") for question in questions[:2])
        hint = "a step around each gives it a name of its own"
        self.report("X810", f"step `{name}` asks more than one question", span, "which one?", hint, labels=labels)

    def on_Around(self, delta: syntax.Around) -> None:
        """Right before the step, and after it behind what the variant's own bases have put there."""
        key = (delta.side, *(name.id for name in delta.path))
        block = syntax.Step(delta.span, delta.path[-1], delta.body, delta.doc, delta.side)
        if delta.side == "before":
            found = self.exchange_step(delta.path, lambda step: (block, step))
        else:
            found = self.exchange_step(delta.path, lambda step: (step, block), behind=True)
        if found is not None:
            self.record(delta, "added", key, None, delta.body)

    def exchange_step(
        self,
        path: Sequence[syntax.Name],
        change: Callable[[syntax.Step], tuple[syntax.Statement, ...]],
        behind: bool = False,
    ) -> syntax.Step | None:
        """Puts a step through `change`, or (`behind`) the last block that stands after it; the step, or None after a report."""
        owner, name = path
        position = self.find(("flow", owner.id))
        if position is None:
            position = self.find(("action", owner.id))
        if position is None:
            self.no_owner(owner, name)
            return None
        decl = self.declarations[position]
        found = next((step for step in steps_of(decl.body) if step.name.id == name.id), None)
        if found is None:
            self.no_part(decl, "step", name)
            return None
        after = [block for block in blocks_after(decl.body) if block.name.id == name.id] if behind else []
        self.declarations[position] = evolve(decl, body=exchanged(decl.body, after[-1] if after else found, change))
        return found

    def no_owner(self, owner: syntax.Name, name: syntax.Name) -> None:
        """There is no flow or action that a step could be of."""
        near = closest(owner.id, [d.name.id for d in self.declarations if isinstance(d, (syntax.Flow, syntax.Action))])
        near = near or self.owner_of("step", name.id)
        hint = f"did you mean `{near}.{name.id}`?" if near else ""
        self.report("X801", f"the base has no flow or action `{owner.id}`", owner.span, "", hint)

    # ------------------------------------------------------------ removing

    def on_Remove(self, delta: syntax.Remove) -> None:
        if delta.kind == "step":
            found = self.exchange_step(delta.path, lambda step: ())
            if found is not None:
                self.record(delta, "removed", ("step", *(name.id for name in delta.path)), found.body, None)
        elif delta.kind == "require":
            self.exchange_require(delta, delta.path[0], delta.path[1], None)
        elif delta.kind == "member":
            self.remove_member(delta)
        elif delta.kind == "field":
            self.remove_field(delta)
        else:
            name = delta.text.text if delta.text is not None else delta.path[0].id if delta.path else ""
            position = self.find((delta.kind, name))
            if position is None and delta.kind in ONCE:
                self.report("X801", f"the base does not say {ONCE[delta.kind]}", delta.span)
            elif position is None:
                self.missing((delta.kind, name), delta.text.span if delta.text is not None else delta.path[0].span)
            else:
                was = self.declarations.pop(position)
                self.record(delta, "removed", declaration_key(was), was, None)

    def on_RemoveScenarios(self, delta: syntax.RemoveScenarios) -> None:
        assert self.item is not None
        under = self.below.get(self.item.variant, frozenset())
        kept = {key for item in self.items if item.variant not in under for key in item.keys}
        known = self.known()
        for name in delta.names:
            if name.id not in known:
                near = closest(name.id, known)
                hint = f"did you mean `{known[near][0]} {near}`?" if near else ""
                self.report("X801", f"the base has nothing called `{name.id}`", name.span, "", hint)
                continue
            words = words_of(name.id, name.span.source, self.declarations)
            found = [
                decl
                for decl in self.declarations
                if isinstance(decl, syntax.Scenario)
                and declaration_key(decl) not in kept
                and not words.isdisjoint(words_in(decl))
            ]
            for was in found:
                self.declarations.remove(was)
                self.record(delta, "removed", declaration_key(was), was, None)

    def remove_member(self, delta: syntax.Remove) -> None:
        owner, name = delta.path
        position = self.enum(owner)
        if position is None:
            return
        enum = self.declarations[position]
        index = self.member(enum, name)
        if index is None:
            return
        kept = (*enum.members[:index], *enum.members[index + 1 :])
        if not kept:
            hint = f"`remove enum {enum.name.id}` removes it as a whole"
            self.report("X811", f"`{name.id}` is the last member of `{enum.name.id}`", name.span, "", hint)
            return
        self.declarations[position] = evolve(enum, members=kept, rows=(len(kept),))
        self.record(delta, "removed", ("member", enum.name.id, name.id), enum.members[index], None)

    def remove_field(self, delta: syntax.Remove) -> None:
        (name,) = delta.path
        found = self.find_field(name.id)
        if found is None:
            self.missing(("field", name.id), name.span)
            return
        was = self.declarations[found[0]].fields[found[1]]
        self.exchange_field(found, ())
        self.record(delta, "removed", ("field", name.id), was, None)
