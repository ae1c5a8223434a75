"""What is different between two programs, clause by clause."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from attrs import evolve, frozen

from rulesdsl import syntax
from rulesdsl.diagnostics import Source, Span
from rulesdsl.formatting.format import format_expr, format_type
from rulesdsl.parsing.parse import parse
from rulesdsl.variants.clauses import Clause, clauses_of
from rulesdsl.variants.composition import Override
from rulesdsl.variants.deltas import SIDES, Key, key_name, wholes

TALL = 9
"""Lines of a text that is no longer laid out for a narrow place: too much air makes it harder to read, not easier."""


@frozen
class Change:
    """sign: `+` added, `-` removed, `~` replaced. `was` and `now` are canonical source, empty where there is none; `because` is
    the variant's reason, `doc` what it says besides, `variant` its name; `span` is where the change is written, or the clause
    that changed. `inside` is the flow or action that a variant has replaced as a whole and that this is a part of: its texts
    have the part as well."""

    sign: str
    key: Key
    was: str
    now: str
    because: str
    doc: str
    variant: str
    span: Span
    inside: Key | None = None

    @property
    def kind(self) -> str:
        """`step`, `param`, ..., and `before` or `after` for what is put around a step."""
        return self.key[0]

    @property
    def clause(self) -> str:
        return key_name(self.key)

    @property
    def name(self) -> str:
        """The clause without its kind."""
        return self.clause.partition(" ")[2]


@frozen
class Difference:
    """`unchanged` of `total` clauses of the first program are the same in the second."""

    changes: tuple[Change, ...]
    unchanged: int
    total: int


def difference(
    first: syntax.Module, second: syntax.Module, overrides: Sequence[Override] = (), width: int | None = None
) -> Difference:
    """The changes from one composed program to another, in the order of the first one's clauses, then what is new.

    Args:
        overrides: what the second program's variants say of their changes, for the reasons.
        width: in columns, where the texts are to be read. Those that get tall by it, and all without it, are canonical.
    """
    before, after = clauses_of(first), clauses_of(second)
    said = {override.key: override for override in overrides}
    changes = [*_changed(before, after, said, width), *_added(before, after, said, width)]
    changes = _with_parts(changes, before, after, said, width)
    touched = sum(change.sign != "+" for change in changes)
    return Difference(tuple(_gathered(changes, overrides)), len(before) - touched, len(before))


def as_written(changes: Sequence[Change], texts: Sequence[Source]) -> list[tuple[str, Change]]:
    """The changes of variants as their texts have them, each with the heading that it stands under.

    Parts of clauses that are new, gone or replaced as a whole are left out. A heading is a comment by itself that begins with dashes:
    `# ---- the map`.
    """
    whole = {(change.sign, change.key) for change in changes if change.sign != "~"}
    shown = [c for c in changes if c.inside is None and not any((c.sign, key) in whole for key in wholes(c.key, {}))]
    places = {text.name: number for number, text in enumerate(texts)}
    headings = {text.name: list(_headings(text)) for text in texts}
    found = []
    for change in sorted(shown, key=lambda c: (places.get(c.span.source.name, -1), c.span.start)):
        above = [told for start, told in headings.get(change.span.source.name, ()) if start < change.span.start]
        found.append((above[-1] if above else "", change))
    return found


def _headings(text: Source) -> Iterator[tuple[int, str]]:
    module, _ = parse(text)
    for comment in module.comments if module is not None else ():
        match = re.fullmatch(r"#\s*-{3,}\s*(\S.*?)[\s-]*", comment.text)
        if comment.alone and match is not None:
            yield comment.span.start, match[1]


def _gathered(changes: Sequence[Change], overrides: Sequence[Override]) -> Iterator[Change]:
    """The changes, with one for all scenarios that one delta removes by what they name. `was` has their titles."""
    groups = {o.span: o for o in overrides if o.key[0] == "scenario" and o.kind == "removed" and o.names}
    titles: dict[Span, list[str]] = {}
    for change in changes:
        if change.span in groups and change.key[0] == "scenario" and change.sign == "-":
            titles.setdefault(change.span, []).append(change.key[1])
    for change in changes:
        if change.key[0] != "scenario" or change.sign != "-" or change.span not in titles:
            yield change
        elif titles[change.span][0] == change.key[1]:
            key = ("scenarios", f"naming {', '.join(groups[change.span].names)}")
            yield evolve(change, key=key, was="\n".join(titles[change.span]))


_Said = Mapping[Key, Override]


def _with_parts(
    changes: list[Change], before: Mapping[Key, Clause], after: Mapping[Key, Clause], said: _Said, width: int | None
) -> list[Change]:
    """The changes, with flows and actions that were replaced as a whole told as a whole: with their parts that changed."""
    replaced = {c.key for c in changes if c.sign == "~" and c.kind in ("flow", "action") and c.key in said}
    parts: dict[Key, list[str]] = {key: [] for key in replaced}
    found = []
    for change in changes:
        inside = next((key for key in wholes(change.key, {}) if key in replaced), None)
        if inside is not None and change.kind in ("step", "require") and change.key not in said:
            parts[inside].append(change.key[-1])
            change = evolve(change, inside=inside)
        found.append(change)
    return [
        _retold(c, _laid(width, *((clauses[c.key], (), parts[c.key]) for clauses in (before, after))))
        if c.key in replaced
        else c
        for c in found
    ]


def _retold(change: Change, texts: list[str]) -> Change:
    return evolve(change, was=texts[0], now=texts[1])


def _laid(width: int | None, *clauses: tuple[Clause, Collection[str], Collection[str]]) -> list[str]:
    """Clauses, with the parts that are left out and those that are told as a whole, laid out for a width if none gets tall."""
    if width is not None:
        texts = [clause.text_without(without, whole, width) for clause, without, whole in clauses]
        if all(text.count("\n") < TALL for text in texts):
            return texts
    return [clause.text_without(without, whole) for clause, without, whole in clauses]


def _changed(
    before: Mapping[Key, Clause], after: Mapping[Key, Clause], said: _Said, width: int | None
) -> Iterator[Change]:
    for key, clause in before.items():
        other = after.get(key)
        override = _said_of(key, said)
        if other is None:
            span = clause.span if override is None else override.span
            yield Change("-", key, clause.text, "", *_reason(override), span)
            continue
        was, now = _texts(clause, other, width)
        if was != now:
            span = other.span if override is None or override.kind == "removed" else override.span
            yield Change("~", key, was, now, *_reason(override), span)


def _added(
    before: Mapping[Key, Clause], after: Mapping[Key, Clause], said: _Said, width: int | None
) -> Iterator[Change]:
    for key, clause in after.items():
        if key not in before:
            text = clause.text_without(clause.parts)
            if key[0] in (*SIDES, "require"):
                (text,) = _laid(width, (clause, clause.parts, ()))
            yield Change("+", key, "", text, *_reason(_said_of(key, said)), clause.span)


def _said_of(key: Key, said: _Said) -> Override | None:
    """The delta that changed a clause: its own, or that of what it is a part of."""
    plain = (*key[:-1], re.sub(r" \(\d+\)$", "", key[-1])) if key[0] in SIDES else key
    return next((said[k] for k in (plain, *wholes(plain, {})) if k in said), None)


def _reason(override: Override | None) -> tuple[str, str, str]:
    """Why, what else is said, and by which variant."""
    if override is None:
        return "", "", ""
    doc = re.sub(r"\s*\[§[^\]]*\]", "", override.doc)
    return override.because, " ".join(doc.split()), override.variant


def _texts(one: Clause, other: Clause, width: int | None) -> list[str]:
    """Two clauses of one name as they are compared: a part that only one of them has is a change of its own, but it is named
    where more than that has changed."""
    if isinstance(one.node, syntax.Param) and isinstance(other.node, syntax.Param):
        types = [format_type(clause.node.type) for clause in (one, other)]
        if types[0] == types[1]:
            return [format_expr(one.node.default), format_expr(other.node.default)]
    was, now = one.text_without(one.parts - other.parts), other.text_without(other.parts - one.parts)
    return [was, now] if was == now else _laid(width, (one, (), ()), (other, (), ()))


def as_json(change: Change) -> dict[str, Any]:
    """A change as plain data."""
    return {
        "sign": change.sign,
        "kind": change.kind,
        "clause": change.clause,
        "was": change.was or None,
        "now": change.now or None,
        "because": change.because or None,
        "doc": change.doc or None,
        "variant": change.variant or None,
        "file": change.span.source.name,
        "line": change.span.line,
    }
