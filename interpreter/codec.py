"""Between the compact values of compiled rules and the names that people, logs and programs see.

A value has four forms, all of them decided by its type:

| type        | internal (`rulesdsl.types`) | named (the API)                | plain (JSON)            | text                |
| ----------- | --------------------------- | ------------------------------ | ----------------------- | ------------------- |
| enum, place | position                    | its name                       | its name                | `seven`             |
| int, bool   | itself                      | itself                         | itself                  | `3`, `true`         |
| option      | None or the value           | None or the value              | null or the value       | `none`              |
| record      | tuple                       | a frozen attrs class           | `{"owner": "guardian"}` | `Piece(owner=...)`  |
| set         | bit mask                    | `NamedSet`, in canonical order | list                    | `{a1, b2}`          |
| bag         | counts                      | `NamedBag`, value to count     | `{"white": 2}`          | `{white: 2}`        |
| list        | tuple                       | tuple                          | list                    | `[one, two]`        |
| map         | tuple                       | `NamedMap`                     | object                  | `{ana: 1, bob: 2}`  |

Keys of a bag or a map that have no plain name (records, sets, lists) make a list of `[key, value]` pairs in JSON.
Every direction is total and strict: `internal` takes named or plain data and refuses anything that is not of the type, naming
the place. Reading text is in `movetext`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from functools import cached_property
from typing import Any, cast

import attrs
import cattrs

from interpreter.canonical import Texts, bits, canonical, has_plain_name
from interpreter.errors import ValueProblem
from interpreter.named import NamedBag, NamedMap, NamedSet, RecordValue, show
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
    value_at,
    values,
)


def named_type(t: Type) -> str:
    """A type with its article, for messages: `a Tile`, `an Edge`, `a number within 0..9`."""
    if isinstance(t, IntType):
        return "a number" if str(t) == "int" else f"a number within {t}"
    text = str(t)
    return f"{'an' if text[:1].lower() in 'aeiou' else 'a'} {text}"


def wrong(where: str, value: Any, t: Type) -> ValueProblem:
    """The error for a value that is not of a type, with the name that was probably meant."""
    what = f"{_quoted(value)} is not {named_type(t)}"
    core = t.item if isinstance(t, OptionType) else t
    if isinstance(core, EnumType) and isinstance(value, str):
        meant = closest(value, core.members)
        what += f"; did you mean {meant}?" if meant else _choices(core)
    return ValueProblem(where, what)


def _choices(t: EnumType) -> str:
    if len(t.members) > 12:
        return f": they go from {t.members[0]} to {t.members[-1]}"
    return f": it is one of {', '.join(t.members)}"


def _quoted(value: Any) -> str:
    text = value if isinstance(value, str) else show(value)
    text = text if len(text) <= 60 else text[:57] + "..."
    return text or "(nothing)"


class Codec:
    """The forms of the values of one program. Make one for each specialised program: places and seats depend on it."""

    def __init__(self, records: Iterable[RecordType] = ()) -> None:
        self._names: dict[Type, Callable[[Any], Any]] = {}
        self._plains: dict[Type, Callable[[Any], Any]] = {}
        self._classes: dict[str, type[RecordValue]] = {}
        self.texts = Texts(self)
        self.logged = Texts(self, declared=True)
        self._records = {record.name: record for record in records}

    @cached_property
    def converter(self) -> cattrs.Converter:
        """Turns named values, and attrs classes that hold them, into JSON data; and records back."""
        made = cattrs.Converter(forbid_extra_keys=True)
        made.register_unstructure_hook_func(lambda cls: _is_a(cls, NamedSet), self._unstructure_all)
        made.register_unstructure_hook_func(lambda cls: _is_a(cls, NamedMap), self._unstructure_map)
        made.register_unstructure_hook_func(lambda cls: _is_a(cls, RecordValue), _unstructure_record(made))
        made.register_structure_hook_func(lambda cls: _is_a(cls, RecordValue), self._structure_record)
        return made

    def _structure_record(self, data: Any, cls: type[RecordValue]) -> Any:
        t = self._records[cls.__name__]
        return self.named(t, self.internal(t, data, t.name))

    # ------------------------------------------------------------ records

    def record_class(self, t: RecordType) -> type[RecordValue]:
        """The frozen attrs class of a record type: made once."""
        found = self._classes.get(t.name)
        if found is None:
            fields = {name: attrs.field() for name, _ in t.fields}
            made = attrs.make_class(t.name, fields, bases=(RecordValue,), frozen=True, slots=True, str=False)
            found = self._classes[t.name] = cast(type[RecordValue], made)
            self._records[t.name] = t
        return found

    def _unstructure_all(self, value: NamedSet[Any]) -> list[Any]:
        return [self.converter.unstructure(item) for item in value]

    def _unstructure_map(self, value: NamedMap[Any, Any]) -> Any:
        unstructure = self.converter.unstructure
        if value.pairs:
            return [[unstructure(k), unstructure(v)] for k, v in value.items()]
        return {show(k): unstructure(v) for k, v in value.items()}

    # ------------------------------------------------------------ internal to named

    def named(self, t: Type, value: Any) -> Any:
        """The API's form of an internal value."""
        return self.namer(t)(value)

    def namer(self, t: Type) -> Callable[[Any], Any]:
        """The function from internal to named values of a type."""
        found = self._names.get(t)
        if found is None:
            found = self._names[t] = self._make_namer(t)
        return found

    def _make_namer(self, t: Type) -> Callable[[Any], Any]:
        if isinstance(t, EnumType):
            return t.members.__getitem__
        if isinstance(t, OptionType):
            item = self.namer(t.item)
            return lambda v: None if v is None else item(v)
        if isinstance(t, RecordType):
            cls, parts = self.record_class(t), [self.namer(part) for _, part in t.fields]
            return lambda v: cls(*(part(x) for part, x in zip(parts, v, strict=True)))
        if isinstance(t, SetType):
            everything = self._all(t.item)
            return lambda v: NamedSet(everything[i] for i in bits(v))
        if isinstance(t, BagType):
            everything, pairs = self._all(t.item), not has_plain_name(t.item)
            return lambda v: NamedBag(((everything[i], n) for i, n in enumerate(v) if n), pairs)
        if isinstance(t, ListType):
            item = self.namer(t.item)
            return lambda v: tuple(map(item, v))
        if isinstance(t, MapType):
            keys, part, pairs = self._all(t.key), self.namer(t.value), not has_plain_name(t.key)
            return lambda v: NamedMap(zip(keys, map(part, v), strict=True), pairs)
        return lambda v: v

    def _all(self, t: Type) -> list[Any]:
        return [self.named(t, value) for value in values(t)]

    # ------------------------------------------------------------ internal to plain

    def plain(self, t: Type, value: Any) -> Any:
        """The JSON form of an internal value."""
        return self.plainer(t)(value)

    def plainer(self, t: Type) -> Callable[[Any], Any]:
        """The function from internal values of a type to JSON data."""
        found = self._plains.get(t)
        if found is None:
            found = self._plains[t] = self._make_plainer(t)
        return found

    def _make_plainer(self, t: Type) -> Callable[[Any], Any]:
        if isinstance(t, OptionType):
            item = self.plainer(t.item)
            return lambda v: None if v is None else item(v)
        if isinstance(t, RecordType):
            parts = [(name, self.plainer(part)) for name, part in t.fields]
            return lambda v: {name: part(x) for (name, part), x in zip(parts, v, strict=True)}
        if isinstance(t, SetType):
            everything = [self.plain(t.item, v) for v in values(t.item)]
            return lambda v: [everything[i] for i in bits(v)]
        if isinstance(t, BagType):
            return self._plain_bag(t)
        if isinstance(t, ListType):
            item = self.plainer(t.item)
            return lambda v: list(map(item, v))
        if isinstance(t, MapType):
            return self._plain_map(t)
        return self.namer(t)

    def _plain_bag(self, t: BagType) -> Callable[[Any], Any]:
        if has_plain_name(t.item):
            names = [show(v) for v in self._all(t.item)]
            return lambda v: {names[i]: n for i, n in enumerate(v) if n}
        plains = [self.plain(t.item, v) for v in values(t.item)]
        return lambda v: [[plains[i], n] for i, n in enumerate(v) if n]

    def _plain_map(self, t: MapType) -> Callable[[Any], Any]:
        part = self.plainer(t.value)
        if has_plain_name(t.key):
            names = [show(v) for v in self._all(t.key)]
            return lambda v: dict(zip(names, map(part, v), strict=True))
        plains = [self.plain(t.key, v) for v in values(t.key)]
        return lambda v: [[k, part(x)] for k, x in zip(plains, v, strict=True)]

    def json(self, t: Type) -> Callable[[Any], str]:
        """The function from internal values of a type to their canonical JSON text; see `canonical`."""
        return self.texts.of(t)

    # ------------------------------------------------------------ to internal

    def internal(self, t: Type, data: Any, where: str = "") -> Any:
        """The internal form of named or plain data.

        Raises:
            ValueProblem: the data is not a value of the type; `where` names the part that is wrong.
        """
        if isinstance(t, EnumType):
            if isinstance(data, str) and data in t.members:
                return t.members.index(data)
        elif isinstance(t, IntType):
            if type(data) is int and t.lo <= data <= t.hi:
                return data
        elif isinstance(t, BoolType):
            if type(data) is bool:
                return data
        elif isinstance(t, OptionType):
            return None if data is None else self.internal(t.item, data, where)
        elif isinstance(t, RecordType):
            return self._record(t, data, where)
        elif isinstance(t, SetType):
            return self._set(t, data, where)
        elif isinstance(t, BagType):
            return self._bag(t, data, where)
        elif isinstance(t, ListType):
            return self._list(t, data, where)
        elif isinstance(t, MapType):
            return self._map(t, data, where)
        raise wrong(where, data, t)

    def _record(self, t: RecordType, data: Any, where: str) -> tuple[Any, ...]:
        if isinstance(data, RecordValue) and type(data).__name__ == t.name:
            data = {a.name: getattr(data, a.name) for a in data.__attrs_attrs__}
        if not isinstance(data, Mapping):
            raise wrong(where, data, t)
        names = [name for name, _ in t.fields]
        for key in data:
            if key not in names:
                meant = closest(str(key), names)
                raise ValueProblem(
                    where, f"{t.name} has no field {key}" + (f"; did you mean {meant}?" if meant else "")
                )
        for name in names:
            if name not in data:
                raise ValueProblem(where, f"{t.name} lacks its field {name}")
        return tuple(self.internal(part, data[name], _dot(where, name)) for name, part in t.fields)

    def _set(self, t: SetType, data: Any, where: str) -> int:
        if isinstance(data, (str, Mapping)) or not isinstance(data, (list, tuple, Set)):
            raise wrong(where, data, t)
        mask = 0
        for item in data:
            bit = 1 << index_of(t.item, self.internal(t.item, item, where))
            if mask & bit:
                raise ValueProblem(where, f"{_quoted(item)} is there twice")
            mask |= bit
        return mask

    def _bag(self, t: BagType, data: Any, where: str) -> tuple[int, ...]:
        counts = [0] * (size(t.item) or 0)
        for key, count in self._pairs(t, t.item, data, where):
            if type(count) is not int or not 1 <= count <= BAG_LIMIT:
                raise ValueProblem(
                    f"{where}[{self._text(t.item, key)}]", f"{_quoted(count)} is not a count from 1 to 255"
                )
            counts[index_of(t.item, key)] = count
        return tuple(counts)

    def _list(self, t: ListType, data: Any, where: str) -> tuple[Any, ...]:
        if not isinstance(data, (list, tuple)):
            raise wrong(where, data, t)
        if len(data) > t.limit:
            raise ValueProblem(where, f"{len(data)} elements do not fit into {t}")
        return tuple(self.internal(t.item, item, f"{where}[{i}]") for i, item in enumerate(data))

    def _map(self, t: MapType, data: Any, where: str) -> tuple[Any, ...]:
        found = {
            index_of(t.key, key): self.internal(t.value, item, f"{where}[{self._text(t.key, key)}]")
            for key, item in self._pairs(t, t.key, data, where)
        }
        for index in range(size(t.key) or 0):
            if index not in found:
                raise ValueProblem(where, f"{self._text(t.key, value_at(t.key, index))} is missing")
        return tuple(found[index] for index in range(len(found)))

    def _pairs(self, t: Type, key: Type, data: Any, where: str) -> Iterator[tuple[Any, Any]]:
        """The items of a bag or map, whose keys are checked and internal; each key once."""
        if isinstance(data, Mapping):
            items = list(data.items())
        elif (
            not has_plain_name(key)
            and isinstance(data, list)
            and all(isinstance(p, list) and len(p) == 2 for p in data)
        ):
            items = [(k, v) for k, v in data]
        else:
            raise wrong(where, data, t)
        seen = set()
        for name, item in items:
            value = self._key(key, name, where)
            if value in seen:
                raise ValueProblem(where, f"{_quoted(name)} is there twice")
            seen.add(value)
            yield value, item

    def _key(self, t: Type, data: Any, where: str) -> Any:
        """A key, which JSON may have turned into text."""
        if isinstance(data, str) and has_plain_name(t):
            core = t.item if isinstance(t, OptionType) else t
            if isinstance(t, OptionType) and data == "none":
                return None
            if isinstance(core, BoolType) and data in ("true", "false"):
                return data == "true"
            if isinstance(core, IntType) and _is_number(data):
                return self.internal(core, int(data), where)
        return self.internal(t, data, where)

    def _text(self, t: Type, value: Any) -> str:
        return self.text(t, value)

    def text(self, t: Type, value: Any) -> str:
        """The text of an internal value."""
        return show(self.named(t, value))


def _unstructure_record(converter: cattrs.Converter) -> Callable[[Any], dict[str, Any]]:
    return lambda value: {a.name: converter.unstructure(getattr(value, a.name)) for a in value.__attrs_attrs__}


def _is_number(text: str) -> bool:
    return text.isascii() and text.removeprefix("-").isdigit() and str(int(text)) == text


def _is_a(cls: Any, parent: type) -> bool:
    return isinstance(cls, type) and issubclass(cls, parent)


def _dot(where: str, name: str) -> str:
    return f"{where}.{name}" if where else name


__all__ = [
    "Codec",
    "NamedBag",
    "NamedMap",
    "NamedSet",
    "RecordValue",
    "bits",
    "canonical",
    "has_plain_name",
    "named_type",
    "show",
    "wrong",
]
