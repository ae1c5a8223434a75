"""Moves between people and the machine: reading what somebody types, and listing what may be played.

People may write `place(seven, c3)`, `place seven c3`, `place 7 c3`, `pl se c3`, and `seven c3` while only one action is asked
for. What no legal move fits goes to the machine as it stands, which knows the reason.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from attrs import frozen
from rich.text import Text

from playtest.drawing.board_view import flow
from playtest.drawing.glyphs import Glyphs
from rulesdsl.core import Program
from rulesdsl.types import EnumType, OptionType, RecordType, Type

OPEN, CLOSE = "([{", ")]}"


class MoveLike(Protocol):
    """What is used of the machine's moves."""

    @property
    def action(self) -> str:
        """The action's name."""
        ...

    @property
    def arguments(self) -> Mapping[str, Any]:
        """The chosen arguments by name."""
        ...


@frozen
class Reading:
    """What a text means: one `move`, several that are meant equally well (`unclear`), or only `text` for the machine."""

    text: str
    move: Any = None
    unclear: tuple[Any, ...] = ()


class MoveReader:
    """Reads moves of one program."""

    def __init__(self, program: Program) -> None:
        self.glyphs = Glyphs(program.player)
        self.types = {info.name: [c.type for c in info.chosen] for info in program.actions}

    def read(self, text: str, legal: Sequence[Any]) -> Reading:
        """The legal move that is meant; leaves the refusal of anything else to the machine."""
        words = words_of(text)
        if not words:
            return Reading(text)
        found = self._best(words, legal)
        actions = {move.action for move in legal if move.action != "pass"}
        if not found and len(actions) == 1 and words[0] not in actions:
            found = self._best([*actions, *words], legal)
        if len(found) == 1:
            return Reading(text, move=found[0])
        if found:
            return Reading(text, unclear=tuple(found))
        only = next(iter(actions)) if len(actions) == 1 else ""
        return Reading(self._spelt_out(words) or self._without_action(words, only) or text)

    def _best(self, words: Sequence[str], legal: Sequence[Any]) -> list[Any]:
        """The legal moves that fit the words best."""
        ranked: list[tuple[int, Any]] = []
        for move in legal:
            rank = self._rank(words, move)
            if rank:
                ranked.append((rank, move))
        best = max((rank for rank, _ in ranked), default=0)
        return [move for rank, move in ranked if rank == best]

    def _rank(self, words: Sequence[str], move: MoveLike) -> int:
        """How well a move fits: 0 not at all, else more for words that are nearer. A record may be given by its parts."""
        pairs = list(zip(self.types.get(move.action, []), move.arguments.values(), strict=False))
        whole = [(text_of(value), self._sign(t, value)) for t, value in pairs]
        apart = [part for t, value in pairs for part in self._parts(t, value)]
        return max(_likenesses(words, [(move.action, ""), *parts]) for parts in (whole, apart))

    def _parts(self, t: Type, value: Any) -> list[tuple[str, str]]:
        """The fields of a record, or a value alone, each as its text and its sign."""
        inner = t.item if isinstance(t, OptionType) else t
        if isinstance(inner, RecordType) and value is not None:
            return [part for name, item in inner.fields for part in self._parts(item, getattr(value, name))]
        return [(text_of(value), self._sign(t, value))]

    def _sign(self, t: Type, value: Any) -> str:
        inner = t.item if isinstance(t, OptionType) else t
        if isinstance(inner, EnumType) and value in inner.members:
            return self.glyphs.signs(inner)[inner.members.index(value)]
        return ""

    def _without_action(self, words: Sequence[str], action: str) -> str:
        """Arguments alone, where only one action is asked for and they are values of its parameters."""
        types = self.types.get(action, [])
        fits = len(types) == len(words) and all(
            isinstance(t, EnumType) and _complete(w, t.members) for t, w in zip(types, words, strict=True)
        )
        return self._spelt_out([action, *words]) if fits else ""

    def _spelt_out(self, words: Sequence[str]) -> str:
        """The words as a move with all names in full, as far as they can be completed; `place 7 c3` as `place(seven, c3)`."""
        action = _complete(words[0], [*self.types, "pass"])
        if action is None:
            return ""
        types = self.types.get(action, [])
        values = []
        for index, word in enumerate(words[1:]):
            t = types[index] if index < len(types) else None
            inner = t.item if isinstance(t, OptionType) else t
            signs = (
                dict(zip(self.glyphs.signs(inner), inner.members, strict=True)) if isinstance(inner, EnumType) else {}
            )
            values.append(signs.get(word) or signs.get(word.upper()) or _complete(word, signs.values()) or word)
        return f"{action}({', '.join(values)})" if values or types else action


def _complete(word: str, names: Any) -> str | None:
    """The name that is meant: the word itself, or the only one that begins with it."""
    folded = word.lower()
    begin = [name for name in names if name.lower().startswith(folded)]
    exact = [name for name in begin if name.lower() == folded]
    return exact[0] if exact else begin[0] if len(begin) == 1 else None


def _likenesses(words: Sequence[str], parts: Sequence[tuple[str, str]]) -> int:
    """How well words fit the parts of a move; 0 if one of them does not."""
    ranks = [_likeness(word, text, sign) for word, (text, sign) in zip(words, parts, strict=False)]
    return sum(ranks) if len(words) == len(parts) and all(ranks) else 0


def _likeness(word: str, name: str, sign: str = "") -> int:
    if word == name:
        return 100
    if word.lower() == name.lower() or (sign and word.lower() == sign.lower()):
        return 99
    return 1 if name.lower().startswith(word.lower()) else 0


def words_of(text: str) -> list[str]:
    """The action and the arguments of a typed move: split at blanks and commas outside brackets."""
    call = re.fullmatch(r"\s*([A-Za-z_]\w*)\s*\((.*)\)\s*", text, re.DOTALL)
    if call:
        return [call[1], *_split(call[2])]
    return _split(text)


def _split(text: str) -> list[str]:
    words, word, depth = [], "", 0
    for char in text + " ":
        if depth == 0 and (char.isspace() or char == ","):
            if word:
                words.append(word)
            word = ""
            continue
        depth += (char in OPEN) - (char in CLOSE)
        word += char
    return words + ([word.strip()] if word.strip() else [])


def text_of(value: Any) -> str:
    """An argument as moves print it."""
    from interpreter.codec import show

    return show(value)


# ---------------------------------------------------------------- listing


def listing(legal: Sequence[MoveLike], width: int) -> list[Text]:
    """All legal moves, grouped by action; what may be combined freely is said once: `place  0 1 2 K  ×  a1 a2 b4`."""
    groups: dict[str, list[tuple[str, ...]]] = {}
    for move in legal:
        groups.setdefault(move.action, []).append(tuple(text_of(v) for v in move.arguments.values()))
    label = max((len(action) for action in groups), default=0)
    lines: list[Text] = []
    for action, arguments in groups.items():
        for number, factors in enumerate(products(arguments)):
            head = Text("  ").append((action if number == 0 else "").ljust(label), style="bold").append("  ")
            lines += flow(_factors_text(factors), head, width, gap=" ")
    return lines


def _factors_text(factors: Sequence[Sequence[str]]) -> list[Text]:
    items: list[Text] = []
    comma = "," if any(" " in name for names in factors for name in names) else ""
    for number, names in enumerate(factors):
        if number:
            items.append(Text("×", style="dim"))
        items += [Text(name + (comma if name is not names[-1] else "")) for name in names]
    return items


def products(rows: Sequence[tuple[str, ...]]) -> list[list[list[str]]]:
    """Rows of equal length as few products of lists: [(a, x), (a, y), (b, x), (b, y)] is one, [a, b] × [x, y]."""
    if not rows or not rows[0]:
        return [[]] if rows else []
    if len(rows[0]) == 1:
        return [[list(dict.fromkeys(row[0] for row in rows))]]
    tails: dict[str, list[tuple[str, ...]]] = {}
    for row in rows:
        tails.setdefault(row[0], []).append(row[1:])
    merged: dict[tuple[tuple[str, ...], ...], list[str]] = {}
    for head, tail in tails.items():
        merged.setdefault(tuple(tail), []).append(head)
    return [[heads, *factors] for tail, heads in merged.items() for factors in products(tail)]


def completions(words: Sequence[str], legal: Sequence[MoveLike]) -> list[str]:
    """The words that may follow, for the tab key: `words` are complete but for the last one."""
    *before, last = words or [""]
    found: dict[str, None] = {}
    for move in legal:
        parts = [move.action, *(text_of(v) for v in move.arguments.values())]
        if parts[: len(before)] == list(before) and len(parts) > len(before):
            candidate = parts[len(before)]
            if candidate.lower().startswith(last.lower()):
                found[candidate] = None
    return list(found)
