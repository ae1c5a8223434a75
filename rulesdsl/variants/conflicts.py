"""Deltas that touch the same clause, and who has the last word when they do.

Variants have no order among themselves, so two that touch the same clause, or the same side of the same step, are in conflict.
A variant may change what the variants that it is based on have changed; and where two are in conflict, one that is based on
both of them decides, by changing that clause itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from attrs import evolve, frozen

from rulesdsl import syntax
from rulesdsl.diagnostics import Diagnostic, Label, Span
from rulesdsl.variants.deltas import SIDES, Key, Nesting, claimed, covers, told, wholes

Below = Mapping[str, frozenset[str]]
"""For each variant, the variants that it is based on, however far down."""


@frozen
class Item:
    """A delta of a variant, or a part of one; `whole` is the place of the delta as it is written."""

    variant: str
    delta: Any
    keys: tuple[Key, ...]
    whole: Span


def items_of(module: syntax.Module) -> Iterator[Item]:
    """The deltas of a variant, new members and choices one by one."""
    assert module.variant is not None
    for delta in module.deltas:
        parts = [delta]
        if isinstance(delta, syntax.AddMember):
            parts = [syntax.AddMember(member.span, delta.enum, (member,), delta.doc) for member in delta.members]
        elif isinstance(delta, syntax.AddChoice):
            parts = [evolve(delta, span=choice.span, alternatives=(choice,)) for choice in delta.alternatives]
        for part in parts:
            yield Item(module.variant.name.id, part, claimed(part), delta.span)


@frozen
class Clash:
    """Two deltas that touch the same clause, or (`whole`) one the other's as a part of its own."""

    first: Item
    second: Item
    part: Key
    whole: Key


def find(items: Sequence[Item], steps: Nesting, below: Below) -> tuple[tuple[Diagnostic, ...], frozenset[int]]:
    """What is in conflict, and the places in `items` of the deltas that another variant overrules."""
    found: list[Diagnostic] = []
    overruled: set[int] = set()
    for place, earlier, clash in _clashes(items, steps):
        one, other = clash.first.variant, clash.second.variant
        if one != other and (one in below.get(other, ()) or other in below.get(one, ())):
            continue
        if _is_decided(clash, items, steps, below):
            overruled.add(earlier if isinstance(clash.first.delta, syntax.Remove) else place)
        elif all(d.span != clash.second.delta.span for d in found):
            found.append(_conflict(clash))
    return tuple(found), frozenset(overruled)


def _clashes(items: Sequence[Item], steps: Nesting) -> Iterator[tuple[int, int, Clash]]:
    """Each pair of deltas that touch the same, once, at the place of the later one."""
    by_key: dict[Key, list[int]] = {}
    by_whole: dict[Key, list[tuple[int, Key]]] = {}
    for place, item in enumerate(items):
        near: dict[int, tuple[Key, Key]] = {}
        for key in item.keys:
            for whole in (key, *wholes(key, steps)):
                for other in by_key.get(whole, ()):
                    near.setdefault(other, (key, whole))
            for other, part in by_whole.get(key, ()):
                near.setdefault(other, (part, key))
        for other, (part, whole) in sorted(near.items()):
            yield place, other, Clash(items[other], item, part, whole)
        for key in item.keys:
            by_key.setdefault(key, []).append(place)
            for whole in wholes(key, steps):
                by_whole.setdefault(whole, []).append((place, key))


def _is_decided(clash: Clash, items: Sequence[Item], steps: Nesting, below: Below) -> bool:
    """Whether a variant that is based on both changes what they disagree about."""
    two = {clash.first.variant, clash.second.variant}
    return len(two) == 2 and any(
        two <= below.get(item.variant, frozenset())
        and any(covers(key, clash.whole, steps) for key in item.keys)
        for item in items
    )


def _conflict(clash: Clash) -> Diagnostic:
    one, other = clash.first, clash.second
    first, second = ("the first time", "the second time")
    hint = "a clause has one change: join the two"
    if one.variant != other.variant:
        first, second = f"by `{one.variant}`", f"by `{other.variant}`"
        hint = "a variant of both, `variant NAME of ... and ...`, that changes it as well can say what is meant"
        if clash.part[0] == "name":
            hint = "give one of them another name"
    return Diagnostic(
        "X802", _title(clash), other.delta.span, _what(other.delta, second), (Label(one.delta.span, _what(one.delta, first)),), (hint,)
    )  # fmt: skip


def _title(clash: Clash) -> str:
    key = clash.part
    if key != clash.whole:
        return f"{told(key)} is changed by itself and with {told(clash.whole)}"
    if key[0] in SIDES and any(isinstance(item.delta, syntax.Remove) for item in (clash.first, clash.second)):
        return f"step `{'.'.join(key[1:])}` is removed, and something is put {key[0]} it"
    return f"{told(key)} is {'declared' if key[0] == 'name' else 'changed'} twice"


def _what(delta: Any, who: str) -> str:
    """`removed by sprint`: what a delta does, and who does it."""
    return f"removed {who}" if isinstance(delta, syntax.Remove) else who
