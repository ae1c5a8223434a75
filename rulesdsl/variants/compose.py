"""Variants: deltas on named clauses, composed with their base into one module.

`compose(base, variants)` applies them all. They have no order among themselves: what two of them touch is a conflict (see
`conflicts`), and what they add stands in the order of the variants' names. Every clause keeps its span, and so the file that it
came from. The composed module is checked as a whole afterwards.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any, TypeVar

from attrs import define, evolve, field, frozen

from rulesdsl import syntax
from rulesdsl.checking.scenario_names import words_in, words_of
from rulesdsl.diagnostics import Diagnostic, Label, Span, closest
from rulesdsl.variants.conflicts import Below, Item, find, items_of
from rulesdsl.variants.deltas import (
    ONCE,
    PARTS,
    TEXTS,
    Key,
    blocks_after,
    bodies_of,
    declaration_key,
    name_span,
    names_of,
    nesting,
    questions_of,
    signature,
    steps_of,
    told,
)


@frozen
class Override:
    """What one delta does to one clause: for `diff`, `lock` and explanations. kind: `added`, `removed`, `replaced`, or `set` for
    the value of a parameter. `was` and `now` are syntax, or None; `because` is the author's reason, `doc` what documents the
    delta. `delta` is the place of the delta, `span` that of what it says of this clause; `names` are those by which it finds scenarios."""

    kind: str
    key: Key
    variant: str
    delta: Span
    span: Span
    was: Any
    now: Any
    because: str
    doc: str
    names: tuple[str, ...] = ()


@frozen
class Composition:
    """`module` is the composed program (the base where there are errors)."""

    module: syntax.Module
    overrides: tuple[Override, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()


def compose(
    base: syntax.Module, variants: Sequence[syntax.Module], below: Below | None = None, without: Collection[Span] = ()
) -> Composition:
    """The base with all deltas of the variants.

    Args:
        variants: parsed variant files, in any order; the result does not depend on it.
        below: for each variant that is based on others, the names of all of these.
        without: the places of deltas that are left out.
    """
    below = below or {}
    ordered = sorted((m for m in variants if m.variant is not None), key=lambda m: (_depth(_name(m), below), _name(m)))
    items = [item for module in ordered for item in items_of(module) if item.whole not in without]
    work = _Work(list(base.declarations), items, below)
    work.diagnostics.extend(_named_twice(ordered))
    for item in items:
        work.check_path(item.delta)
    if not work.diagnostics:
        bodies = [*base.declarations, *(item.delta for item in items)]
        conflicts, overruled = find(items, nesting(bodies_of(bodies)), below)
        work.diagnostics.extend(conflicts)
        kept = [item for place, item in enumerate(items) if place not in overruled]
        if not conflicts:
            work.all(sorted(kept, key=lambda item: (_depth(item.variant, below), _ORDER[type(item.delta)])))
    if work.diagnostics:
        return Composition(base, tuple(work.overrides), tuple(work.diagnostics))
    declarations = _retitled(work.declarations, ordered, below)
    return Composition(evolve(base, declarations=tuple(declarations)), tuple(work.overrides))


_OWNERS = ("flow", "action", "enum")
"""The kinds of clauses that have parts."""

# Scenarios that name something go while it is still there. Then whole clauses are exchanged; then their parts change; what is removed goes last, so that a mistake names its place.
_ORDER: dict[type, int] = {
    syntax.RemoveScenarios: -1,
    syntax.SetParam: 0,
    syntax.Replace: 1,
    syntax.ReplaceMember: 2,
    syntax.ReplaceRequire: 2,
    syntax.AddRequire: 3,
    syntax.AddMember: 3,
    syntax.AddField: 3,
    syntax.Add: 3,
    syntax.Around: 4,
    syntax.ReplaceStep: 5,
    syntax.AddChoice: 6,
    syntax.Remove: 7,
}


def _name(module: syntax.Module) -> str:
    return module.variant.name.id if module.variant is not None else ""


def _depth(name: str, below: Below) -> int:
    """How many variants are under a variant, one on the other."""
    return 1 + max((_depth(other, below) for other in below.get(name, ())), default=0)


def _named_twice(variants: Sequence[syntax.Module]) -> list[Diagnostic]:
    """What is added stands in the order of the variants' names, so these must differ."""
    found: list[Diagnostic] = []
    first: dict[str, syntax.Variant] = {}
    for module in sorted(variants, key=lambda m: m.span.source.name):
        variant = module.variant
        assert variant is not None
        other = first.setdefault(variant.name.id, variant)
        if other is not variant:
            found.append(
                Diagnostic(
                    "X809", f"two variants are called `{variant.name.id}`", variant.name.span, "the second",
                    (Label(other.name.span, "the first is here"),), ("give one of them another name",),
                )
            )  # fmt: skip
    return found


def _retitled(declarations: list[Any], variants: Sequence[syntax.Module], below: Below) -> list[Any]:
    """The game with the titles of its variants; a variant with a title speaks for those that it is based on."""
    titled = {_name(m): m.variant.title for m in variants if m.variant is not None and m.variant.title is not None}
    spoken_for = {name for variant in titled for name in below.get(variant, ())}
    titles = [title for name, title in sorted(titled.items()) if name not in spoken_for]
    if not titles:
        return declarations
    title = evolve(titles[0], text=" + ".join(t.text for t in titles))
    return [evolve(d, title=title) if isinstance(d, syntax.Game) else d for d in declarations]


def documented(decl: Any, *docs: str) -> Any:
    """A declaration with the first documentation that there is: its own, that of its delta, that of what it replaces."""
    if not hasattr(decl, "doc"):
        return decl
    return evolve(decl, doc=next((doc for doc in (decl.doc, *docs) if doc), ""))


# ---------------------------------------------------------------- applying


@define(eq=False)
class _Work:
    """Applies deltas one by one to `declarations`."""

    declarations: list[Any]
    items: Sequence[Item]
    below: Below
    diagnostics: list[Diagnostic] = field(factory=list)
    overrides: list[Override] = field(factory=list)
    item: Item | None = None

    def all(self, items: Sequence[Item]) -> None:
        for item in items:
            self.item = item
            method: Callable[[Any], None] = getattr(self, "on_" + type(item.delta).__name__)
            method(item.delta)

    def report(
        self, code: str, title: str, span: Span, text: str = "", *hints: str, labels: tuple[Label, ...] = ()
    ) -> None:
        self.diagnostics.append(Diagnostic(code, title, span, text, labels, tuple(h for h in hints if h)))

    def record(self, delta: Any, kind: str, key: Key, was: Any, now: Any) -> None:
        because = getattr(delta, "because", None)
        reason = because.text if because is not None else ""
        assert self.item is not None
        variant, whole = self.item.variant, self.item.whole
        names = tuple(name.id for name in getattr(delta, "names", ()))
        self.overrides.append(Override(kind, key, variant, whole, delta.span, was, now, reason, delta.doc, names))

    # ------------------------------------------------------------ finding

    def check_path(self, delta: Any) -> None:
        """Whether a clause is named as its kind wants it: `flow.step`, `action.require`, `Enum.member`, or one name."""
        path = getattr(delta, "path", None)
        kind = delta.kind if isinstance(delta, syntax.Remove) else "step"
        if not path:
            return
        span = path[0].span.to(path[-1].span)
        owner = {"step": "flow", "require": "action", "member": "Enum"}.get(kind)
        if owner is not None and len(path) != 2:
            near = self.owner_of(kind, path[-1].id)
            hint = f"did you mean `{near}.{path[-1].id}`?" if near else ""
            text = "a step has its name once in a flow, however deep it stands" if len(path) > 2 and kind == "step" else ""
            flows = [d for name in path for d in self.declarations if declaration_key(d) == ("flow", name.id)]
            known = [(d.name.id, ", ".join(part_names(d, kind))) for d in flows]
            hints = [hint] if hint else [f"the {kind}s of `{flow}` are {parts}" for flow, parts in known if parts]
            self.report("X810", f"a {kind} is named `{owner}.{kind}`", span, text, *hints)
        elif owner is None and len(path) != 1:
            self.report("X810", f"a {kind} has one name", span)

    def owner_of(self, kind: str, name: str) -> str | None:
        """The only flow, action or enum that has a part of this name."""
        found = [d.name.id for d in self.declarations if kind in PARTS and name in part_names(d, kind)]
        return found[0] if len(found) == 1 else None

    def find(self, key: Key) -> int | None:
        kind, name = key[0], key[1]
        for position, decl in enumerate(self.declarations):
            if declaration_key(decl) == key:
                return position
            if kind == "board" and isinstance(decl, syntax.Board) and name in [n.id for n in decl.names]:
                return position
        return None

    def find_field(self, name: str) -> tuple[int, int] | None:
        """The places of a field: of its `state`, and in it."""
        for position, state in enumerate(self.declarations):
            if isinstance(state, syntax.State):
                for index, item in enumerate(state.fields):
                    if item.name.id == name:
                        return position, index
        return None

    def known(self) -> dict[str, tuple[str, Any]]:
        """What there is, by name: its kind, and where it is declared."""
        found = {name.id: (declaration_key(d)[0], name.span) for d in self.declarations for name in names_of(d)}
        fields = [item for d in self.declarations if isinstance(d, syntax.State) for item in d.fields]
        return found | {item.name.id: ("field", item.name.span) for item in fields}

    def missing(self, key: Key, span: Span) -> None:
        """There is no such clause: say what was probably meant."""
        kind, name = key[0], key[1]
        if kind in ONCE:
            self.report("X801", f"the base does not say {ONCE[kind]}", span, "", f"`add {kind} ...` says it")
            return
        if kind in TEXTS:
            near = closest(name, [declaration_key(d)[1] for d in self.declarations if declaration_key(d)[0] == kind])
            self.report("X801", f"the base has no {kind} of this name", span, "", f'did you mean "{near}"?' if near else "")
            return
        pool = self.known()
        if name in pool:
            other, place = pool[name]
            label = Label(place, f"the {other} is here")
            hint = "" if kind in _OWNERS else f"`replace {other} {name}` changes it"
            self.report("X801", f"`{name}` is no {kind}", span, f"it is {_article(other)}", hint, labels=(label,))
            return
        near = closest(name, [n for n, (k, _) in pool.items() if k == kind])
        hint = f"did you mean `{near}`?" if near else ""
        if not near and (near := closest(name, pool)) is not None:
            hint = f"did you mean `{pool[near][0]} {near}`?"
        if not hint and (own := [n for n, (k, _) in pool.items() if k == kind]) and len(own) <= 8:
            hint = f"its {kind}s are {', '.join(own)}"
        self.report("X801", f"the base has no {told(key)}", span, "", hint)

    def no_part(self, decl: Any, kind: str, name: syntax.Name) -> None:
        """There is no such part of a clause: say what was probably meant, or what there is."""
        own = part_names(decl, kind)
        near = closest(name.id, own)
        elsewhere = self.owner_of(kind, name.id)
        hint = f"its {kind}s are {', '.join(own)}" if own else f"it has no {kind}s"
        if near or elsewhere:
            hint = f"did you mean `{decl.name.id}.{near}`?" if near else f"did you mean `{elsewhere}.{name.id}`?"
        label = Label(decl.name.span, f"the {declaration_key(decl)[0]} is here")
        self.report("X801", f"`{decl.name.id}` has no {kind} `{name.id}`", name.span, "", hint, labels=(label,))

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

    def is_new(self, kind: str, name: str, span: Span) -> bool:
        """Whether something may be added under a name."""
        if kind in TEXTS:
            position = self.find((kind, name))
            there = None if position is None else (kind, name_span(self.declarations[position]))
        else:
            there = self.known().get(name)
        if there is None:
            return True
        word, place = there
        shown = f'"{name}"' if kind in TEXTS else name
        hint = f"`replace {word} {shown}` changes the one of the base" if word == kind else "choose another name"
        title = f"there is {_article(word)} " + ("of this name already" if kind in TEXTS else f"`{name}` already")
        self.report("X804", title, span, "", hint, labels=(Label(place, "it is here"),))
        return False

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

    def enum(self, name: syntax.Name) -> int | None:
        position = self.find(("enum", name.id))
        if position is None:
            self.missing(("enum", name.id), name.span)
        return position

    def member(self, enum: syntax.Enum, name: syntax.Name) -> int | None:
        """The place of a member in its enum."""
        for index, member in enumerate(enum.members):
            if member.name.id == name.id:
                return index
        self.no_part(enum, "member", name)
        return None

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

    def action(self, name: syntax.Name) -> int | None:
        position = self.find(("action", name.id))
        if position is None:
            self.missing(("action", name.id), name.span)
        return position

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


def _article(word: str) -> str:
    return f"an {word}" if word[0] in "aeiou" else f"a {word}"


def requires_of(action: syntax.Action) -> list[syntax.Require]:
    """The requires of an action."""
    return [node for node in action.body if isinstance(node, syntax.Require)]


def part_names(decl: Any, kind: str) -> list[str]:
    """The names of a declaration's steps, requires or members."""
    if kind == "step" and isinstance(decl, (syntax.Flow, syntax.Action)):
        return [step.name.id for step in steps_of(decl.body)]
    if kind == "require" and isinstance(decl, syntax.Action):
        return [require.name.id for require in requires_of(decl)]
    if kind == "member" and isinstance(decl, syntax.Enum):
        return [member.name.id for member in decl.members]
    return []


# ---------------------------------------------------------------- bodies


_Node = TypeVar("_Node", bound=syntax.Statement)


def exchanged(
    body: syntax.Block, step: _Node, change: Callable[[_Node], tuple[syntax.Statement, ...]]
) -> syntax.Block:
    """The body with one statement (found by identity) put through `change`; a block that becomes empty gets a `pass`."""
    made: list[syntax.Statement] = []
    for node in body:
        if node is step:
            made.extend(change(step))
        else:
            made.append(_inside(node, step, change))
    return tuple(made) or (syntax.Pass(step.span),)


def _inside(node: Any, step: Any, change: Any) -> Any:
    if isinstance(node, syntax.If):
        branches = tuple((test, exchanged(block, step, change)) for test, block in node.branches)
        otherwise = exchanged(node.otherwise, step, change) if node.otherwise is not None else None
        return evolve(node, branches=branches, otherwise=otherwise)
    if isinstance(node, (syntax.For, syntax.While, syntax.Repeat, syntax.Turns, syntax.Step)):
        return evolve(node, body=exchanged(node.body, step, change))
    if isinstance(node, syntax.Ask):
        after = exchanged(node.after, step, change) if node.after is not None else None
        otherwise = exchanged(node.otherwise, step, change) if node.otherwise is not None else None
        return evolve(node, after=after, otherwise=otherwise)
    return node


# ---------------------------------------------------------------- whose mistake it is


def blamed(diagnostics: Sequence[Diagnostic], composition: Composition) -> tuple[Diagnostic, ...]:
    """The mistakes of a composed program, those in the base's text with the deltas that they come from."""
    return tuple(_blamed(item, composition) for item in diagnostics)


_DONE = {"removed": "removed by", "replaced": "replaced by", "set": "set by", "added": "added by"}


def _blamed(item: Diagnostic, composition: Composition) -> Diagnostic:
    if not item.is_error:
        return item
    near = [o for o in composition.overrides if not _within(item.span, o.span)]
    words = set(_words(item))
    found = [o for o in near if o.kind == "removed" and o.key[-1] in words]
    if not found and not any(_within(item.span, o.span) for o in composition.overrides):
        changed = [o for o in near if o.kind in ("replaced", "set") and o.key[0] not in TEXTS]
        owner = _owner(item.span, composition.module)
        found = [o for o in changed if o.key[-1] in words] or [
            o for o in near if o.kind != "added" and o.key[0] in PARTS and o.key[1] == owner
        ]
    known = [label.span for label in item.labels]
    labels = [
        Label(_place(o), f"{_DONE[o.kind]} `{o.variant}`") for o in found[:2] if not any(_within(s, o.span) for s in known)
    ]
    hints = []
    for override in composition.overrides:
        if override.kind == "set" and _within(item.span, override.span):
            labels.append(Label(override.was.type.span, "its range is here"))
            if item.code == "T307":
                hints.append(f"`replace param {override.key[1]}: lo..hi = ...` gives it another range")
    return evolve(item, labels=(*item.labels, *labels), hints=(*item.hints, *hints))


def _place(override: Override) -> Span:
    """The first line of a delta."""
    first = override.span.text.split("\n", 1)[0].rstrip()
    return evolve(override.span, end=override.span.start + len(first))


def _within(inner: Span, outer: Span) -> bool:
    return inner.source.name == outer.source.name and outer.start <= inner.start and inner.end <= outer.end


def _words(item: Diagnostic) -> list[str]:
    """The names that a mistake is about: those underlined, if they are few, and those in the title."""
    import re

    underlined = item.span.text if "\n" not in item.span.text else ""
    return [*re.findall(r"\w+", underlined), *re.findall(r"\w+", " ".join(re.findall(r"`([^`]*)`", item.title)))]


def _owner(span: Span, module: syntax.Module) -> str | None:
    """The declaration that a place of the base belongs to."""
    for decl in module.declarations:
        if names_of(decl) and _within(span, decl.span):
            return names_of(decl)[0].id
    return None
