"""Variants: deltas on named clauses, composed with their base into one module.

`compose(base, variants)` applies them all. They have no order among themselves: two that touch the same clause, or the same
side of the same step, are in conflict and both places are shown; added members and fields stand in the order of the variants'
names. Every clause keeps its span, and so the file that it came from. The composed module is checked as a whole afterwards.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from attrs import define, evolve, field, frozen

from rulesdsl import syntax
from rulesdsl.diagnostics import Diagnostic, Label, Span, closest

_TEXTS = {"invariant": syntax.Invariant, "transition": syntax.Transition, "scenario": syntax.Scenario}
_WORDS: dict[str, type] = {
    "param": syntax.Param,
    "const": syntax.Const,
    "enum": syntax.Enum,
    "record": syntax.Record,
    "board": syntax.Board,
    "def": syntax.Def,
    "event": syntax.Event,
    "action": syntax.Action,
    "flow": syntax.Flow,
    "measure": syntax.Measure,
}

Key = tuple[str, ...]


@frozen
class Override:
    """What one delta does to one clause: for `diff`, `lock` and explanations. `was` and `now` are syntax, or None."""

    kind: str
    key: Key
    variant: str
    span: Span
    was: Any
    now: Any
    because: str


@frozen
class Composition:
    """`module` is the composed program (the base where there are errors)."""

    module: syntax.Module
    overrides: tuple[Override, ...]
    diagnostics: tuple[Diagnostic, ...]


def key_name(key: Key) -> str:
    """`step turn.draw`, `def toll`, `scenario "..."`."""
    kind, *names = key
    if kind in _TEXTS:
        return f'{kind} "{names[0]}"'
    return f"{kind} {'.'.join(names)}"


def declaration_key(decl: Any) -> Key:
    """The key of a declaration: its kind and name."""
    whole = {syntax.Terminates: "terminates", syntax.Game: "game", syntax.State: "state"}.get(type(decl))
    if whole is not None:
        return (whole, "")
    kind = "field" if isinstance(decl, syntax.StateField) else None
    kind = kind or type(decl).__name__.lower()
    if isinstance(decl, (syntax.Invariant, syntax.Transition, syntax.Scenario)):
        return (kind, decl.text.text)
    if isinstance(decl, syntax.Board):
        return (kind, ", ".join(name.id for name in decl.names))
    return (kind, decl.name.id)


def compose(base: syntax.Module, variants: Sequence[syntax.Module]) -> Composition:
    """The base with all deltas of the variants.

    Args:
        variants: parsed variant files, in any order; the result does not depend on it.
    """
    ordered = sorted(variants, key=lambda m: m.variant.name.id if m.variant else "")
    work = _Work(list(base.declarations))
    deltas = [(module.variant.name.id, delta) for module in ordered if module.variant for delta in module.deltas]
    for name, delta in deltas:
        work.claim(name, delta)
    if not work.diagnostics:
        for name, delta in sorted(deltas, key=lambda item: _ORDER[type(item[1])]):
            work.apply(name, delta)
    if work.diagnostics:
        return Composition(base, tuple(work.overrides), tuple(work.diagnostics))
    declarations = _retitled(work.declarations, ordered)
    return Composition(evolve(base, declarations=tuple(declarations)), tuple(work.overrides), ())


# Whole clauses are exchanged first; then their parts change; what is removed goes last, so that a mistake names its place.
_ORDER: dict[type, int] = {
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
    syntax.Remove: 6,
}


def _retitled(declarations: list[Any], variants: Sequence[syntax.Module]) -> list[Any]:
    """The game with the titles of its variants."""
    titles = [m.variant.title for m in variants if m.variant is not None and m.variant.title is not None]
    if not titles:
        return declarations
    title = evolve(titles[0], text=" + ".join(t.text for t in titles))
    return [evolve(d, title=title) if isinstance(d, syntax.Game) else d for d in declarations]


@define(eq=False)
class _Work:
    declarations: list[Any]
    diagnostics: list[Diagnostic] = field(factory=list)
    overrides: list[Override] = field(factory=list)
    claims: dict[Key, tuple[str, Span]] = field(factory=dict)

    def report(
        self, code: str, title: str, span: Span, text: str = "", *hints: str, labels: tuple[Label, ...] = ()
    ) -> None:
        self.diagnostics.append(Diagnostic(code, title, span, text, labels, tuple(h for h in hints if h)))

    # ------------------------------------------------------------ conflicts

    def claim(self, variant: str, delta: syntax.Delta) -> None:
        """Notes which clause a delta touches; two that touch the same are a conflict."""
        for key in claimed(delta):
            other = self.claims.get(key)
            if other is None:
                self.claims[key] = (variant, delta.span)
            else:
                self.conflict(key, variant, delta.span, other)
        for whole, part in self.enclosing(delta):
            other = self.claims.get(whole)
            if other is not None and other[1] != delta.span:
                self.conflict(part, variant, delta.span, other)
        own = claimed(delta)
        if own and own[0][0] in ("flow", "action", "step", "enum"):
            for key, other in list(self.claims.items()):
                if other[1] != delta.span and any(whole == own[0] for whole in wholes(key)):
                    self.conflict(key, other[0], other[1], (variant, delta.span))

    def enclosing(self, delta: syntax.Delta) -> Iterator[tuple[Key, Key]]:
        for key in claimed(delta):
            for whole in wholes(key):
                yield whole, key

    def conflict(self, key: Key, variant: str, span: Span, other: tuple[str, Span]) -> None:
        who = "this variant" if other[0] == variant else f"`{other[0]}` and `{variant}`"
        if any(d.span == span and d.code == "X802" for d in self.diagnostics):
            return
        self.report(
            "X802", f"{key_name(key)} is changed twice", span, f"the second time, by {who}" if other[0] == variant else f"by `{variant}`",
            "a clause has one change: join the two" if other[0] == variant else "these variants cannot be used together; write one that combines them",
            labels=(Label(other[1], f"by `{other[0]}`" if other[0] != variant else "the first time"),),
        )  # fmt: skip

    # ------------------------------------------------------------ applying

    def apply(self, variant: str, delta: syntax.Delta) -> None:
        method: Callable[[str, Any], None] = getattr(self, "on_" + type(delta).__name__)
        method(variant, delta)

    def find(self, key: Key) -> int | None:
        for position, decl in enumerate(self.declarations):
            if declaration_key(decl) == key:
                return position
        return None

    def missing(self, key: Key, span: Span) -> None:
        """There is no such clause: say what was probably meant."""
        kind, *rest = key
        pool = {declaration_key(d)[1]: declaration_key(d)[0] for d in self.declarations}
        pool |= {f.name.id: "field" for d in self.declarations if isinstance(d, syntax.State) for f in d.fields}
        same = [name for name, k in pool.items() if k == kind]
        near = closest(rest[0], same)
        if near is None and rest[0] in pool:
            self.report(
                "X801",
                f"the base has no {kind} `{rest[0]}`",
                span,
                f"`{rest[0]}` is a {pool[rest[0]]}",
                f"write `{pool[rest[0]]} {rest[0]}`",
            )
            return
        self.report("X801", f"the base has no {key_name(key)}", span, "", f"did you mean `{near}`?" if near else "")

    def record(self, variant: str, delta: Any, kind: str, key: Key, was: Any, now: Any) -> None:
        because = getattr(delta, "because", None)
        self.overrides.append(
            Override(kind, key, variant, delta.span, was, now, because.text if because is not None else delta.doc)
        )

    def on_SetParam(self, variant: str, delta: syntax.SetParam) -> None:
        key = ("param", delta.name.id)
        position = self.find(key)
        if position is None:
            self.missing(key, delta.name.span)
            return
        was = self.declarations[position]
        self.declarations[position] = evolve(was, default=delta.value)
        self.record(variant, delta, "param", key, was.default, delta.value)

    def on_Replace(self, variant: str, delta: syntax.Replace) -> None:
        decl = delta.declaration
        key = declaration_key(decl)
        if isinstance(decl, syntax.StateField):
            self.replace_field(variant, delta, decl)
            return
        position = self.find(key)
        if position is None:
            self.missing(key, name_span(decl))
            return
        was = self.declarations[position]
        if not self.same_signature(was, decl):
            return
        self.declarations[position] = documented(decl, delta.doc)
        self.record(variant, delta, "replaced", key, was, decl)

    def same_signature(self, was: Any, now: Any) -> bool:
        """Whether a clause that replaces another can be used in its place."""
        before, after = signature(was), signature(now)
        if before == after:
            return True
        self.report(
            "X803", f"{key_name(declaration_key(now))} has another signature than the base", name_span(now), f"here: {after}",
            f"keep the base's: {before}", labels=(Label(name_span(was), "the base's is here"),),
        )  # fmt: skip
        return False

    def replace_field(self, variant: str, delta: syntax.Replace, decl: syntax.StateField) -> None:
        for position, state in enumerate(self.declarations):
            if isinstance(state, syntax.State):
                for index, old in enumerate(state.fields):
                    if old.name.id == decl.name.id:
                        fields = (*state.fields[:index], decl, *state.fields[index + 1 :])
                        self.declarations[position] = evolve(state, fields=fields)
                        self.record(variant, delta, "replaced", ("field", decl.name.id), old, decl)
                        return
        self.missing(("field", decl.name.id), decl.name.span)

    def on_ReplaceMember(self, variant: str, delta: syntax.ReplaceMember) -> None:
        position = self.find(("enum", delta.enum.id))
        if position is None:
            self.missing(("enum", delta.enum.id), delta.enum.span)
            return
        enum = self.declarations[position]
        for index, member in enumerate(enum.members):
            if member.name.id == delta.member.name.id:
                members = (*enum.members[:index], delta.member, *enum.members[index + 1 :])
                self.declarations[position] = evolve(enum, members=members)
                self.record(variant, delta, "replaced", ("member", delta.enum.id, member.name.id), member, delta.member)
                return
        near = closest(delta.member.name.id, [m.name.id for m in enum.members])
        self.report(
            "X801",
            f"`{delta.enum.id}` has no member `{delta.member.name.id}`",
            delta.member.span,
            "",
            f"did you mean `{near}`?" if near else "",
        )

    def on_Add(self, variant: str, delta: syntax.Add) -> None:
        decl = documented(delta.declaration, delta.doc)
        if isinstance(decl, syntax.Terminates) and self.find(("terminates", "")) is not None:
            self.report(
                "X804", "the base says when the game ends already", delta.span, "", "use `replace terminates ...`"
            )
            return
        self.declarations.append(decl)
        self.record(variant, delta, "added", declaration_key(decl), None, decl)

    def on_AddField(self, variant: str, delta: syntax.AddField) -> None:
        doc = delta.field.doc or delta.doc
        made = evolve(delta.field, doc=doc)
        for position, state in enumerate(self.declarations):
            if isinstance(state, syntax.State):
                self.declarations[position] = evolve(state, fields=(*state.fields, made))
                break
        else:
            self.declarations.append(syntax.State(delta.span, (made,)))
        self.record(variant, delta, "added", ("field", made.name.id), None, made)

    def on_AddMember(self, variant: str, delta: syntax.AddMember) -> None:
        position = self.find(("enum", delta.enum.id))
        if position is None:
            self.missing(("enum", delta.enum.id), delta.enum.span)
            return
        enum = self.declarations[position]
        self.declarations[position] = evolve(
            enum, members=(*enum.members, *delta.members), rows=(*enum.rows, len(delta.members))
        )
        for member in delta.members:
            self.record(variant, delta, "added", ("member", delta.enum.id, member.name.id), None, member)

    def action(self, name: syntax.Name) -> int | None:
        position = self.find(("action", name.id))
        if position is None:
            self.missing(("action", name.id), name.span)
        return position

    def on_AddRequire(self, variant: str, delta: syntax.AddRequire) -> None:
        position = self.action(delta.action)
        if position is None:
            return
        action = self.declarations[position]
        body = action.body
        last = max((i + 1 for i, node in enumerate(body) if isinstance(node, syntax.Require)), default=None)
        if last is None:
            last = next((i for i, node in enumerate(body) if not isinstance(node, syntax.Let)), len(body))
        made = evolve(delta.require, doc=delta.require.doc or delta.doc)
        self.declarations[position] = evolve(action, body=(*body[:last], made, *body[last:]))
        self.record(variant, delta, "added", ("require", delta.action.id, made.name.id), None, made)

    def on_ReplaceRequire(self, variant: str, delta: syntax.ReplaceRequire) -> None:
        position = self.action(delta.action)
        if position is None:
            return
        action = self.declarations[position]
        for index, node in enumerate(action.body):
            if isinstance(node, syntax.Require) and node.name.id == delta.require.name.id:
                made = evolve(delta.require, doc=delta.require.doc or delta.doc or node.doc)
                self.declarations[position] = evolve(
                    action, body=(*action.body[:index], made, *action.body[index + 1 :])
                )
                self.record(variant, delta, "replaced", ("require", action.name.id, node.name.id), node, made)
                return
        self.no_require(action, delta.require.name)

    def no_require(self, action: syntax.Action, name: syntax.Name) -> None:
        guards = [node.name.id for node in action.body if isinstance(node, syntax.Require)]
        near = closest(name.id, guards)
        hint = f"did you mean `{near}`?" if near else f"it has {', '.join(guards) or 'none'}"
        self.report(
            "X801",
            f"`{action.name.id}` has no require `{name.id}`",
            name.span,
            "",
            hint,
            labels=(Label(action.name.span, "the action is here"),),
        )

    # ------------------------------------------------------------ steps

    def on_ReplaceStep(self, variant: str, delta: syntax.ReplaceStep) -> None:
        key = ("step", *(n.id for n in delta.path))
        self.at_step(
            delta.path,
            lambda step: (evolve(step, body=delta.body, doc=delta.doc or step.doc),),
            variant,
            delta,
            "replaced",
            key,
        )

    def on_Around(self, variant: str, delta: syntax.Around) -> None:
        key = (delta.side, *(n.id for n in delta.path))
        name = evolve(delta.path[-1], id=f"{delta.side}_{delta.path[-1].id}")
        block = syntax.Step(delta.span, name, delta.body, delta.doc)

        def change(step: syntax.Step) -> tuple[syntax.Statement, ...]:
            return (block, step) if delta.side == "before" else (step, block)

        self.at_step(delta.path, change, variant, delta, "added", key)

    def at_step(
        self,
        path: Sequence[syntax.Name],
        change: Callable[[syntax.Step], tuple[syntax.Statement, ...]],
        variant: str,
        delta: Any,
        kind: str,
        key: Key,
    ) -> None:
        owner, name = path[0], path[-1]
        position = self.find(("flow", owner.id))
        if position is None:
            position = self.find(("action", owner.id))
        if position is None:
            pool = [d.name.id for d in self.declarations if isinstance(d, (syntax.Flow, syntax.Action))]
            near = closest(owner.id, pool)
            self.report(
                "X801",
                f"the base has no flow or action `{owner.id}`",
                owner.span,
                "",
                f"did you mean `{near}`?" if near else "",
            )
            return
        decl = self.declarations[position]
        found = [step for step in steps_of(decl.body) if step.name.id == name.id]
        if not found or len(path) != 2:
            steps = [step.name.id for step in steps_of(decl.body)]
            near = closest(name.id, steps)
            hint = f"did you mean `{owner.id}.{near}`?" if near else f"its steps are {', '.join(steps) or 'none'}"
            self.report(
                "X801",
                f"`{owner.id}` has no step `{name.id}`",
                name.span,
                "",
                hint,
                labels=(Label(decl.name.span, "the base's is here"),),
            )
            return
        self.declarations[position] = evolve(decl, body=exchanged(decl.body, found[0], change))
        now = None if isinstance(delta, syntax.Remove) else delta.body
        self.record(variant, delta, kind, key, found[0].body if kind != "added" else None, now)

    # ------------------------------------------------------------ removing

    def on_Remove(self, variant: str, delta: syntax.Remove) -> None:
        if delta.kind == "step":
            key = ("step", *(n.id for n in delta.path))
            self.at_step(
                delta.path, lambda step: (evolve(step, body=(syntax.Pass(step.span),)),), variant, delta, "removed", key
            )
        elif delta.kind == "require":
            self.remove_require(variant, delta)
        elif delta.kind == "member":
            self.remove_member(variant, delta)
        elif delta.kind == "field":
            self.remove_field(variant, delta)
        else:
            name = delta.text.text if delta.text is not None else "" if delta.kind == "terminates" else delta.path[0].id
            key = (delta.kind, name)
            position = self.find(key)
            if position is None:
                self.missing(key, delta.text.span if delta.text is not None else delta.span)
                return
            self.record(variant, delta, "removed", key, self.declarations[position], None)
            del self.declarations[position]

    def remove_require(self, variant: str, delta: syntax.Remove) -> None:
        if len(delta.path) != 2:
            self.report("X801", "a require is named `action.name`", delta.span)
            return
        position = self.action(delta.path[0])
        if position is None:
            return
        action = self.declarations[position]
        kept = tuple(n for n in action.body if not (isinstance(n, syntax.Require) and n.name.id == delta.path[1].id))
        if len(kept) == len(action.body):
            self.no_require(action, delta.path[1])
            return
        was = next(n for n in action.body if n not in kept)
        self.declarations[position] = evolve(action, body=kept or (syntax.Pass(action.span),))
        self.record(variant, delta, "removed", ("require", action.name.id, delta.path[1].id), was, None)

    def remove_member(self, variant: str, delta: syntax.Remove) -> None:
        position = self.find(("enum", delta.path[0].id))
        enum = self.declarations[position] if position is not None else None
        if position is None or enum is None or len(delta.path) != 2:
            self.missing(("enum", delta.path[0].id), delta.path[0].span)
            return
        kept = tuple(m for m in enum.members if m.name.id != delta.path[1].id)
        if len(kept) == len(enum.members):
            near = closest(delta.path[1].id, [m.name.id for m in enum.members])
            self.report(
                "X801",
                f"`{enum.name.id}` has no member `{delta.path[1].id}`",
                delta.path[1].span,
                "",
                f"did you mean `{near}`?" if near else "",
            )
            return
        self.declarations[position] = evolve(enum, members=kept, rows=(len(kept),))
        self.record(variant, delta, "removed", ("member", enum.name.id, delta.path[1].id), None, None)

    def remove_field(self, variant: str, delta: syntax.Remove) -> None:
        for position, state in enumerate(self.declarations):
            if isinstance(state, syntax.State):
                kept = tuple(f for f in state.fields if f.name.id != delta.path[0].id)
                if len(kept) < len(state.fields):
                    was = next(f for f in state.fields if f not in kept)
                    self.declarations[position] = evolve(state, fields=kept)
                    self.record(variant, delta, "removed", ("field", was.name.id), was, None)
                    return
        self.missing(("field", delta.path[0].id), delta.path[0].span)


# ---------------------------------------------------------------- what a delta touches


def claimed(delta: syntax.Delta) -> list[Key]:
    """The clauses that a delta changes, or the sides of the step that it adds to. What is new claims its name."""
    if isinstance(delta, syntax.SetParam):
        return [("param", delta.name.id)]
    if isinstance(delta, syntax.Replace):
        return [declaration_key(delta.declaration)]
    if isinstance(delta, syntax.ReplaceStep):
        return [("step", *(n.id for n in delta.path))]
    if isinstance(delta, syntax.Around):
        return [(delta.side, *(n.id for n in delta.path))]
    if isinstance(delta, (syntax.ReplaceRequire, syntax.AddRequire)):
        return [("require", delta.action.id, delta.require.name.id)]
    if isinstance(delta, syntax.ReplaceMember):
        return [("member", delta.enum.id, delta.member.name.id)]
    if isinstance(delta, syntax.AddMember):
        return [("member", delta.enum.id, m.name.id) for m in delta.members]
    if isinstance(delta, syntax.AddField):
        return [("field", delta.field.name.id)]
    if isinstance(delta, syntax.Add):
        return [declaration_key(delta.declaration)]
    names = tuple(n.id for n in delta.path)
    return [(delta.kind, delta.text.text)] if delta.text is not None else [(delta.kind, *(names or ("",)))]


def wholes(key: Key) -> list[Key]:
    """The clauses that a part belongs to."""
    kind, *names = key
    if kind in ("step", "before", "after"):
        owners: list[Key] = [("flow", names[0]), ("action", names[0])]
        return owners
    if kind == "require":
        return [("action", names[0])]
    if kind == "member":
        return [("enum", names[0])]
    return []


def documented(decl: Any, doc: str) -> Any:
    """A declaration with the documentation of the delta that brings it, if it has none of its own."""
    return evolve(decl, doc=doc) if doc and hasattr(decl, "doc") and not decl.doc else decl


def name_span(decl: Any) -> Span:
    """The place of a declaration's name."""
    name = getattr(decl, "name", None)
    if name is None and hasattr(decl, "text"):
        return decl.text.span  # type: ignore[no-any-return]
    return name.span if name is not None else decl.span  # type: ignore[no-any-return]


def signature(decl: Any) -> str:
    """What others rely on when they use a clause, as text: parameters with types, result. Empty for what has none."""
    from rulesdsl.format import format_type

    if isinstance(decl, (syntax.Def, syntax.Event, syntax.Flow, syntax.Measure)):
        parts = [f"{p.name.id}: {format_type(p.type)}" for p in decl.params]
        result = getattr(decl, "result", None)
        return f"({', '.join(parts)})" + (f" -> {format_type(result)}" if result is not None else "")
    if isinstance(decl, syntax.Action):
        return f"({', '.join(f'{p.name.id}: {format_type(p.type)}' if p.type is not None else f'{p.name.id} in ...' for p in decl.params)})"
    return ""


def steps_of(body: Iterable[syntax.Statement]) -> Iterator[syntax.Step]:
    """All steps of a body, at any depth."""
    from rulesdsl.check_stmt import inner_blocks

    for node in body:
        if isinstance(node, syntax.Step):
            yield node
        for block in inner_blocks(node):
            yield from steps_of(block)


def exchanged(
    body: syntax.Block, step: syntax.Step, change: Callable[[syntax.Step], tuple[syntax.Statement, ...]]
) -> syntax.Block:
    """The body with one step (found by identity) put through `change`."""
    made: list[syntax.Statement] = []
    for node in body:
        if node is step:
            made.extend(change(step))
        else:
            made.append(_inside(node, step, change))
    return tuple(made)


def _inside(node: Any, step: syntax.Step, change: Any) -> Any:
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
