"""Whose mistake it is, when a composed program has one in the text of the base."""

from __future__ import annotations

from collections.abc import Sequence

from attrs import evolve

from rulesdsl import syntax
from rulesdsl.diagnostics import Diagnostic, Label, Span
from rulesdsl.variants.composition import Composition, Override
from rulesdsl.variants.deltas import (
    PARTS,
    TEXTS,
    names_of,
)


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
