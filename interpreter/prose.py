"""Values within sentences, as people tell them: `1 brick and 2 ore`, `road building`, `nobody`."""

from __future__ import annotations

from typing import Any

from interpreter.canonical import bits
from interpreter.codec import Codec, show
from rulesdsl.types import BagType, EnumType, IntType, ListType, MapType, OptionType, SetType, Type, value_at, values


def prose(codec: Codec, t: Type, value: Any) -> str:
    """The text of an internal value within a sentence.

    Members of enums are words: `first_stack` is "first stack". Seats and places keep the names under which people know and
    type them. An option that is empty is "nobody" where it is for a player, else "nothing".
    """
    if isinstance(t, OptionType):
        if value is None:
            return "nobody" if isinstance(t.item, EnumType) and t.item.kind == "player" else "nothing"
        return prose(codec, t.item, value)
    if isinstance(t, EnumType):
        name: str = t.members[value]
        return name.replace("_", " ") if t.kind == "enum" else name
    if isinstance(t, SetType):
        return _enumerated([prose(codec, t.item, value_at(t.item, i)) for i in bits(value)])
    if isinstance(t, ListType):
        return _enumerated([prose(codec, t.item, item) for item in value])
    if isinstance(t, MapType):
        pairs = zip(values(t.key), value, strict=True)
        return _enumerated([f"{prose(codec, t.key, key)}: {prose(codec, t.value, item)}" for key, item in pairs])
    if isinstance(t, BagType):
        parts = [(prose(codec, t.item, value_at(t.item, i)), count) for i, count in enumerate(value) if count]
        alone = isinstance(t.item, IntType)  # numbers are told one by one, since `2 7` says nothing
        return _enumerated([told for word, count in parts for told in ([word] * count if alone else [f"{count} {word}"])])
    return show(codec.named(t, value))


def _enumerated(parts: list[str]) -> str:
    if len(parts) < 2:
        return "".join(parts) or "nothing"
    return f"{', '.join(parts[:-1])} and {parts[-1]}"
