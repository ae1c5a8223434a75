"""How values of a game look in a small space: one short sign for each member of an enum, one letter for each seat.

Nothing here knows any game. Number words become digits, other members get a capital letter of their name (the shortest name
chooses first, so that `king` is K and `knight` N), seats a small one. Two enums may use the same sign; the board's legend says
which is which.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import Any

from attrs import field, frozen

from rulesdsl.types import (
    BagType,
    BoolType,
    EnumType,
    ListType,
    MapType,
    OptionType,
    RecordType,
    SetType,
    Type,
    value_at,
    values,
)

NUMBER_WORDS = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
    "twenty",
]
SEAT_COLOURS = ("yellow", "cyan", "magenta", "green", "red", "blue")
# A seat or a member that is called like a colour is painted in it.
NAMED_COLOURS = {
    "white": "bold",
    "black": "bright_black",
    "red": "red",
    "blue": "bright_blue",
    "green": "green",
    "yellow": "yellow",
    "purple": "magenta",
    "violet": "magenta",
    "pink": "bright_magenta",
    "orange": "yellow",
    "brown": "yellow",
    "grey": "bright_black",
    "gray": "bright_black",
    "gold": "yellow",
    "silver": "bold",
}


def short_names(members: Iterable[str], *, capital: bool = True) -> dict[str, str]:
    """A short sign for each name, all different."""
    names = list(members)
    signs = {name: str(NUMBER_WORDS.index(name)) for name in names if name in NUMBER_WORDS}
    signs |= {name: name for name in names if len(name) <= 2 and name not in signs}
    for name in sorted((n for n in names if n not in signs), key=len):
        taken = {sign.lower() for sign in signs.values()}
        letters = [c for c in name.lower() if c.isalnum()]
        pairs = [letters[0] + c for c in letters[1:]] if letters else []
        tail = name.lower().lstrip("abcdefghijklmnopqrstuvwxyz_")
        numbered = [letters[0] + tail] if tail and letters and tail.isdigit() else []
        free = [sign for sign in numbered + [c for c in letters if c.isalpha()] + pairs if sign not in taken]
        sign = free[0] if free else name
        signs[name] = sign[0].upper() + sign[1:] if capital else sign
    return {name: signs[name] for name in names}


@frozen(slots=False)
class Glyphs:
    """The signs of one program. `player`: the type of seats; `shown`: the enums whose signs can be seen on a board, where its
    legend explains them."""

    player: EnumType
    shown: frozenset[str] = frozenset()
    _signs: dict[tuple[str, tuple[str, ...]], tuple[str, ...]] = field(factory=dict, init=False)

    def signs(self, t: EnumType) -> tuple[str, ...]:
        """The short signs of an enum's members, in order."""
        if t.kind == "place":
            return t.members
        key = (t.name, t.members)
        if key not in self._signs:
            self._signs[key] = tuple(short_names(t.members, capital=t.kind != "player").values())
        return self._signs[key]

    def seat(self, index: int) -> str:
        """A seat's letter."""
        return self.signs(self.player)[index]

    @cached_property
    def seat_marks(self) -> tuple[str, ...]:
        """One character for each seat, for crowded boards: the last of its sign, if these are all different; else the sign."""
        signs = self.signs(self.player)
        last = tuple(sign[-1] for sign in signs)
        return last if len(set(last)) == len(last) else signs

    @cached_property
    def seat_styles(self) -> tuple[str, ...]:
        """A colour for each seat, all different as long as there are enough."""
        names = self.player.members
        named = {name: NAMED_COLOURS[name] for name in names if name in NAMED_COLOURS}
        free = [c for c in SEAT_COLOURS if c not in named.values()] or list(SEAT_COLOURS)
        styles, spare = [], 0
        for name in names:
            if name in named:
                styles.append(f"bold {named[name]}")
            else:
                styles.append(f"bold {free[spare % len(free)]}")
                spare += 1
        return tuple(styles)

    def style(self, t: Type, value: Any) -> str:
        """The colour of a value: its seat's, or the one that it is called by."""
        if isinstance(t, OptionType):
            return "" if value is None else self.style(t.item, value)
        if isinstance(t, EnumType) and t.kind == "player":
            return str(self.seat_styles[value])
        if isinstance(t, EnumType) and t.kind == "enum":
            return NAMED_COLOURS.get(t.members[value], "")
        if isinstance(t, RecordType):
            styles = [self.style(item, part) for (_, item), part in zip(t.fields, value, strict=True)]
            return next((style for style in styles if style), "")
        return ""

    # ------------------------------------------------------------ text

    def short(self, t: Type, value: Any) -> str:
        """A value in as few characters as it can be said; empty for what is not there."""
        if isinstance(t, OptionType):
            return "" if value is None else self.short(t.item, value)
        if isinstance(t, EnumType):
            return str(self.signs(t)[value])
        if isinstance(t, BoolType):
            return "+" if value else ""
        if isinstance(t, RecordType):
            return "".join(self.short(item, part) for (_, item), part in zip(t.fields, value, strict=True))
        if isinstance(t, (SetType, ListType)):
            gap = "" if isinstance(t.item, EnumType) else ","
            return gap.join(self.short(t.item, item) for item in elements(t, value))
        if isinstance(t, BagType):
            counted = [(n, self.short(t.item, item)) for item, n in counts(t, value)]
            return "".join(sign if n == 1 else f"{n}{sign}" for n, sign in counted)
        if isinstance(t, MapType):
            pairs = zip(values(t.key), value, strict=True)
            return " ".join(f"{self.short(t.key, key)}:{self.short(t.value, item)}" for key, item in pairs)
        return str(value)

    def long(self, t: Type, value: Any) -> str:
        """A value in words, `-` for what is not there. Collections of many different things use the short signs that are
        shown on a board."""
        if isinstance(t, OptionType):
            return "-" if value is None else self.long(t.item, value)
        if isinstance(t, EnumType):
            return str(t.members[value]).replace("_", " ") if t.kind == "enum" else str(t.members[value])
        if isinstance(t, BoolType):
            return "yes" if value else "no"
        if isinstance(t, RecordType):
            return " ".join(self.long(item, part) for (_, item), part in zip(t.fields, value, strict=True))
        if isinstance(t, (SetType, ListType)):
            word = self.short if self._is_wordy(t.item) else self.long
            words = [word(t.item, item) for item in elements(t, value)]
            return (", " if any(" " in text for text in words) else " ").join(words) or "-"
        if isinstance(t, BagType):
            word = self.short if self._is_wordy(t.item) else self.long
            return ", ".join(_times(n, word(t.item, item)) for item, n in counts(t, value)) or "-"
        if isinstance(t, MapType):
            pairs = zip(values(t.key), value, strict=True)
            return ", ".join(f"{self.long(t.key, key)} {self.long(t.value, item)}" for key, item in pairs)
        return str(value)

    def _is_wordy(self, t: Type) -> bool:
        """Whether the names of a type's values are too long to stand side by side, and the signs are known."""
        if not isinstance(t, EnumType) or t.kind != "enum" or t.name not in self.shown:
            return False
        return sum(len(name) + 1 for name in t.members) > 24


def _times(count: int, word: str) -> str:
    return f"{count}×{word}" if word[:1].isdigit() else f"{count} {word}"


def elements(t: SetType | ListType, value: Any) -> list[Any]:
    """What is in a set or a list, in order."""
    if isinstance(t, ListType):
        return list(value)
    return [value_at(t.item, index) for index in range(value.bit_length()) if value >> index & 1]


def counts(t: BagType, value: Any) -> list[tuple[Any, int]]:
    """What is in a bag, with how many."""
    return [(value_at(t.item, index), n) for index, n in enumerate(value) if n]
