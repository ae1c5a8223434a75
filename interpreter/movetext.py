"""Reading moves and values from text: `place(seven, c3)`, and what people type: `place sev c3`, `place tile=seven at=c3`.

A small hand-written reader that is led by the types. Strict text is what logs and `str(move)` write; `lenient` text may also
leave out brackets and commas, shorten names to a prefix that only one name has, and ignore case.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from interpreter.codec import Codec, wrong
from interpreter.errors import ValueProblem
from rulesdsl.diagnostics import closest
from rulesdsl.types import (
    BAG_LIMIT,
    BagType,
    BoolType,
    EnumType,
    IntType,
    ListType,
    MapType,
    OptionType,
    RecordType,
    SetType,
    Type,
    index_of,
    size,
)

_TOKEN = re.compile(r"\s*([(){}\[\],:=]|[^\s(){}\[\],:=]+)")


def parse_value(codec: Codec, t: Type, text: str, where: str = "", lenient: bool = False) -> Any:
    """The internal form of a value that is written as text.

    Raises:
        ValueProblem: the text is not a value of the type.
    """
    reader = _Reader(codec, text, lenient)
    value = reader.value(t, where)
    reader.finish()
    return value


def parse_move(
    codec: Codec, actions: Sequence[tuple[str, Sequence[tuple[str, Type]]]], text: str, lenient: bool = False
) -> tuple[str, tuple[Any, ...]]:
    """The action and the chosen arguments (internal) that a text names; `pass` is an action without arguments.

    `actions` are the known ones with the names and types of their chosen parameters.

    Raises:
        ValueProblem: no such action, a wrong number of arguments, or an argument that is not of its type.
    """
    reader = _Reader(codec, text, lenient)
    name = reader.word("an action")
    known = dict(actions)
    if name == "pass":
        known[name] = ()
    if name not in known:
        name = reader.resolve(name, tuple(known)) or _no_action(name, tuple(known))
    arguments = reader.arguments(known[name], name)
    reader.finish()
    return name, arguments


def _no_action(name: str, known: Sequence[str]) -> str:
    meant = closest(name, known)
    hint = f"did you mean {meant}?" if meant else f"there are {', '.join(known)}"
    raise ValueProblem("", f"there is no action {name}; {hint}")


class _Reader:
    """The tokens of a text, read from left to right."""

    def __init__(self, codec: Codec, text: str, lenient: bool) -> None:
        self.codec = codec
        self.text = text
        self.lenient = lenient
        self.tokens = _TOKEN.findall(text)
        self.at = 0

    # ------------------------------------------------------------ tokens

    def peek(self, ahead: int = 0) -> str:
        place = self.at + ahead
        return self.tokens[place] if place < len(self.tokens) else ""

    def take(self, token: str) -> bool:
        if self.peek() == token:
            self.at += 1
            return True
        return False

    def expect(self, token: str, where: str) -> None:
        if not self.take(token):
            raise ValueProblem(where, f"expected {token!r} {self._here()}")

    def word(self, what: str, where: str = "") -> str:
        token = self.peek()
        if not token or token in "(){}[],:=":
            raise ValueProblem(where, f"expected {what} {self._here()}")
        self.at += 1
        return str(token)

    def finish(self) -> None:
        if self.at < len(self.tokens):
            raise ValueProblem("", f"{self.peek()!r} is too much in {self.text.strip()!r}")

    def _here(self) -> str:
        return f"before {self.peek()!r}" if self.peek() else f"at the end of {self.text.strip()!r}"

    def resolve(self, word: str, names: Sequence[str]) -> str | None:
        """The name that a word stands for: itself or, leniently, the only name that begins so."""
        if word in names:
            return word
        if not self.lenient:
            return None
        folded = word.lower()
        same = [name for name in names if name.lower() == folded]
        if same:
            return same[0]
        found = [name for name in names if name.lower().startswith(folded)]
        if len(found) > 1:
            raise ValueProblem("", f"{word} may be {', '.join(found[:6])}{', ...' if len(found) > 6 else ''}")
        return found[0] if found else None

    # ------------------------------------------------------------ arguments

    def arguments(self, parameters: Sequence[tuple[str, Type]], what: str) -> tuple[Any, ...]:
        """`(a, b)`, `(x=a, y=b)`, or, leniently, the same without brackets and commas."""
        bracket = self.take("(")
        if not bracket and parameters and not self.lenient:
            raise ValueProblem("", f"expected '(' after {what}")
        found: dict[str, Any] = {}
        while self.peek() and self.peek() != ")":
            self._argument(parameters, what, found)
            if not self.take(",") and not self.lenient:
                break
        if bracket:
            self.expect(")", "")
        missing = [name for name, _ in parameters if name not in found]
        if missing:
            raise ValueProblem("", f"{what} needs {_listed(parameters)}: {_listed_names(missing)} missing")
        return tuple(found[name] for name, _ in parameters)

    def _argument(self, parameters: Sequence[tuple[str, Type]], what: str, found: dict[str, Any]) -> None:
        by_name = dict(parameters)
        if self.peek(1) == "=":
            name = self.word("a name")
            self.take("=")
            if name not in by_name:
                meant = closest(name, by_name)
                raise ValueProblem("", f"{what} has no {name}" + (f"; did you mean {meant}?" if meant else ""))
        else:
            name = next((name for name, _ in parameters if name not in found), "")
            if not name:
                takes = f"takes {_listed(parameters)}" if parameters else "takes nothing"
                raise ValueProblem("", f"{what} {takes}: {self.peek()!r} is too much")
        if name in found:
            raise ValueProblem("", f"{name} is given twice")
        found[name] = self.value(by_name[name], name)

    # ------------------------------------------------------------ values

    def value(self, t: Type, where: str) -> Any:
        if isinstance(t, OptionType):
            return None if self.take("none") else self.value(t.item, where)
        if isinstance(t, RecordType):
            return self._record(t, where)
        if isinstance(t, SetType):
            return self._set(t, where)
        if isinstance(t, BagType):
            return self._bag(t, where)
        if isinstance(t, ListType):
            items = self._items("[", "]", where, lambda: self.value(t.item, where))
            if len(items) > t.limit:
                raise ValueProblem(where, f"{len(items)} elements do not fit into {t}")
            return tuple(items)
        if isinstance(t, MapType):
            return self._map(t, where)
        word = self.word(f"a value of {t}", where)
        return self._simple(t, word, where)

    def _simple(self, t: Type, word: str, where: str) -> Any:
        if isinstance(t, EnumType):
            try:
                name = self.resolve(word, t.members)
            except ValueProblem as problem:
                raise ValueProblem(where, problem.what) from None
            if name is not None:
                return t.members.index(name)
        elif isinstance(t, BoolType) and word in ("true", "false"):
            return word == "true"
        elif isinstance(t, IntType) and word.isascii() and word.removeprefix("-").isdigit() and len(word) < 25:
            number = int(word)
            if t.lo <= number <= t.hi:
                return number
        raise wrong(where, word, t)

    def _items(self, opening: str, closing: str, where: str, read: Any) -> list[Any]:
        self.expect(opening, where)
        items: list[Any] = []
        while not self.take(closing):
            if items and not self.take(",") and not self.lenient:
                raise ValueProblem(where, f"expected ',' or {closing!r} {self._here()}")
            items.append(read())
        return items

    def _record(self, t: RecordType, where: str) -> tuple[Any, ...]:
        name = self.word(f"{t.name}(...)", where)
        if name != t.name:
            raise wrong(where, name, t)
        return self.arguments(t.fields, t.name)

    def _set(self, t: SetType, where: str) -> int:
        mask = 0
        for item in self._items("{", "}", where, lambda: self.value(t.item, where)):
            bit = 1 << index_of(t.item, item)
            if mask & bit:
                raise ValueProblem(where, f"{self.codec.text(t.item, item)} is there twice")
            mask |= bit
        return mask

    def _bag(self, t: BagType, where: str) -> tuple[int, ...]:
        def entry() -> tuple[Any, int]:
            item = self.value(t.item, where)
            return item, self._simple(IntType(1, BAG_LIMIT), self.word("a count", where), where) if self.take(
                ":"
            ) else 1

        counts = [0] * (size(t.item) or 0)
        for item, count in self._items("{", "}", where, entry):
            counts[index_of(t.item, item)] += count
        if max(counts, default=0) > BAG_LIMIT:
            raise ValueProblem(where, f"a count goes up to {BAG_LIMIT}")
        return tuple(counts)

    def _map(self, t: MapType, where: str) -> tuple[Any, ...]:
        def entry() -> tuple[Any, Any]:
            key = self.value(t.key, where)
            self.expect(":", where)
            return key, self.value(t.value, f"{where}[{self.codec.text(t.key, key)}]")

        found: dict[int, Any] = {}
        for key, item in self._items("{", "}", where, entry):
            if index_of(t.key, key) in found:
                raise ValueProblem(where, f"{self.codec.text(t.key, key)} is there twice")
            found[index_of(t.key, key)] = item
        if len(found) != size(t.key):
            raise ValueProblem(where, f"{t} needs a value for each {t.key}")
        return tuple(found[index] for index in range(len(found)))


def _listed_names(names: Sequence[str]) -> str:
    """`x is`, or `x, y are`."""
    return f"{', '.join(names)} {'is' if len(names) == 1 else 'are'}"


def _listed(parameters: Sequence[tuple[str, Type]]) -> str:
    return ", ".join(name for name, _ in parameters)
