"""Variants: deltas on named clauses, composed with their base into one module.

`compose(base, variants)` applies them all. They have no order among themselves: what two of them touch is a conflict (see
`conflicts`), and what they add stands in the order of the variants' names. Every clause keeps its span, and so the file that it
came from. The composed module is checked as a whole afterwards.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from attrs import evolve

from rulesdsl import syntax
from rulesdsl.diagnostics import Diagnostic, Label, Span
from rulesdsl.variants.applying import Applying
from rulesdsl.variants.composition import Composition
from rulesdsl.variants.conflicts import Below, find, items_of
from rulesdsl.variants.deltas import (
    bodies_of,
    nesting,
)


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
    work = Applying(list(base.declarations), items, below)
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
