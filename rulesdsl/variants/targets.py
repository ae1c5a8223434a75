"""The clauses that deltas are about: found by their names, or told that they are not there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from attrs import define, field

from rulesdsl import syntax
from rulesdsl.diagnostics import Diagnostic, Label, Span, closest
from rulesdsl.variants.composition import Override
from rulesdsl.variants.conflicts import Below, Item
from rulesdsl.variants.deltas import (
    ONCE,
    PARTS,
    TEXTS,
    Key,
    declaration_key,
    name_span,
    names_of,
    steps_of,
    told,
)

_OWNERS = ("flow", "action", "enum")
"""The kinds of clauses that have parts."""

@define(eq=False)
class Targets:
    """Finds in `declarations` what a delta names, says what was probably meant where it is not there, and records what was done."""

    declarations: list[Any]
    items: Sequence[Item]
    below: Below
    diagnostics: list[Diagnostic] = field(factory=list)
    overrides: list[Override] = field(factory=list)
    item: Item | None = None

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

    def action(self, name: syntax.Name) -> int | None:
        position = self.find(("action", name.id))
        if position is None:
            self.missing(("action", name.id), name.span)
        return position


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
