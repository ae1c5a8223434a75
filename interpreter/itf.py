"""Logs as traces in the Informal Trace Format (ITF), which model checkers and tools around them read.

A trace has the states on the way to where the match stands: all fields, and with them the answer that led there. Undone answers
are not in it. Numbers are `#bigint`, sets `#set`, lists arrays, bags and maps `#map`, options `{"tag": "Some", "value": ...}`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from interpreter.codec import bits
from interpreter.records import Plain
from interpreter.rules import Rules
from rulesdsl.types import BagType, BoolType, IntType, ListType, MapType, OptionType, RecordType, SetType, Type, values

if TYPE_CHECKING:
    from interpreter.match import Match

LAST = "last_answer"
"""The variable of the answer that led to a state."""


def itf(match: Match) -> Plain:
    """The trace of a match as JSON data."""
    rules = match.rules
    states = []
    for number in range(match.number + 1):
        node = match.at(number).node
        move = "the set-up" if node.move is None else f"{rules.seats[node.seat]} {rules.move(node.move)}"
        fields = {
            info.name: value_of(rules, info.type, rules.field_value(info, node.st[info.position]))
            for info in rules.program.fields
        }
        states.append({"#meta": {"index": number}, **fields, LAST: move})
    return {
        "#meta": {
            "format": "ITF",
            "format-description": "https://apalache-mc.org/docs/adr/015adr-trace.html",
            "source": rules.program.name,
            "description": f"a match of {rules.program.name}, program {rules.program.digest}",
        },
        "vars": [*(info.name for info in rules.program.fields), LAST],
        "states": states,
    }


def value_of(rules: Rules, t: Type, value: Any) -> Any:
    """An internal value as the format writes it."""
    if isinstance(t, IntType):
        return {"#bigint": str(value)}
    if isinstance(t, BoolType):
        return bool(value)
    if isinstance(t, OptionType):
        tag, inner = ("None", {"#tup": []}) if value is None else ("Some", value_of(rules, t.item, value))
        return {"tag": tag, "value": inner}
    if isinstance(t, RecordType):
        return {name: value_of(rules, part, item) for (name, part), item in zip(t.fields, value, strict=True)}
    if isinstance(t, SetType):
        everything = list(values(t.item))
        return {"#set": [value_of(rules, t.item, everything[place]) for place in bits(value)]}
    if isinstance(t, ListType):
        return [value_of(rules, t.item, item) for item in value]
    if isinstance(t, BagType):
        pairs = [(key, count) for key, count in zip(values(t.item), value, strict=True) if count]
        return {"#map": [[value_of(rules, t.item, key), {"#bigint": str(count)}] for key, count in pairs]}
    if isinstance(t, MapType):
        keys = values(t.key)
        return {
            "#map": [[value_of(rules, t.key, k), value_of(rules, t.value, v)] for k, v in zip(keys, value, strict=True)]
        }
    return rules.codec.named(t, value)
