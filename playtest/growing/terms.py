"""Random expressions of the rules language, right by their types.

`Terms` makes the text of an expression of a wanted type. All choices come from one `random.Random`, and the first choice is
always the simplest, so that what drives it can shrink a program by making numbers smaller.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import TypeVar

from attrs import evolve

from playtest.growing.kinds import Field, Kind, Scope, World, int_kind

Item = TypeVar("Item")


class Terms:
    """Makes expressions."""

    def __init__(self, rng: random.Random, world: World) -> None:
        self.rng = rng
        self.world = world
        self._fresh = 0

    # ------------------------------------------------------------ choices

    def below(self, limit: int) -> int:
        return self.rng.randrange(limit)

    def between(self, lo: int, hi: int) -> int:
        return lo + self.rng.randrange(hi - lo + 1)

    def maybe(self, percent: int) -> bool:
        return self.rng.randrange(100) >= 100 - percent

    def one(self, items: Sequence[Item]) -> Item:
        return items[self.rng.randrange(len(items))]

    def fresh(self, stem: str) -> str:
        """A name that nothing else has."""
        self._fresh += 1
        return f"{stem}_{self._fresh}"

    # ------------------------------------------------------------ any type

    def expression(self, kind: Kind, scope: Scope) -> str:
        """An expression that has the type, or for an int: any int."""
        makers: dict[str, Callable[[Kind, Scope], str]] = {
            "int": lambda _, s: self.number(s),
            "bool": lambda _, s: self.condition(s),
            "enum": self.member,
            "player": self.member,
            "place": self.member,
            "record": self.a_record,
            "option": self.an_option,
            "set": self.a_set,
            "bag": self.a_bag,
            "list": self.a_list,
            "map": self.a_map,
        }
        return makers[kind.sort](kind, scope)

    def fitting(self, kind: Kind, scope: Scope) -> str:
        """An expression whose value is within the type, also for ranges."""
        if kind.sort == "int":
            return self.within(kind, scope)
        if kind.sort == "option" and kind.item is not None and kind.item.sort == "int":
            return "none" if self.maybe(25) else self.within(kind.item, scope)
        return self.expression(kind, scope)

    def within(self, kind: Kind, scope: Scope) -> str:
        """An int that is in a range: a literal, a name of that very type, or any int held in bounds."""
        names = [name for name, other in scope.names if other == kind]
        way = self.below(4)
        if way == 0 or (way == 1 and not names):
            return str(self.between(kind.lo, kind.hi))
        if way == 1:
            return self.one(names)
        return f"max({kind.lo}, min({kind.hi}, {self.number(scope)}))"

    def _named(self, scope: Scope, wanted: Callable[[Kind], bool]) -> list[str]:
        return [name for name, kind in scope.names if wanted(kind)]

    def _fields(self, scope: Scope, wanted: Callable[[Kind], bool]) -> list[Field]:
        if not scope.state:
            return []
        return [f for f in self.world.fields if not f.visibility and wanted(f.kind)]

    def path(self, info: Field, scope: Scope) -> str:
        """A field with a key of the right type for each of its keys."""
        return info.name + "".join(f"[{self.member(key, scope)}]" for key in info.keys)

    def _call(self, scope: Scope, result: str) -> str | None:
        if not scope.state or scope.depth < 1:
            return None
        found = [d for d in self.world.defs if d.result is not None and d.result.sort == result]
        if not found:
            return None
        chosen = self.one(found)
        return f"{chosen.name}({', '.join(self.fitting(kind, scope.deeper()) for _, kind in chosen.params)})"

    # ------------------------------------------------------------ ints

    def number(self, scope: Scope) -> str:
        if scope.depth < 1:
            return self._int_atom(scope)
        ways: list[Callable[[Scope], str]] = [
            self._int_atom,
            self._arithmetic,
            self._least,
            self._int_choice,
            self._counted,
            self._summed,
            self._best,
            self._length,
            self._extreme,
            self._copies,
            lambda s: f"abs({self.number(s)})",
            lambda s: self._call(s, "int") or self._int_atom(s),
        ]
        return self.one(ways)(scope.deeper())

    def _int_atom(self, scope: Scope) -> str:
        found = [str(self.below(5))]
        found += self._named(scope, lambda k: k.sort == "int") + self.world.numbers
        found += [f"{name}.seat" for name in self._named(scope, lambda k: k.sort == "player")]
        for name, kind in scope.names:
            found += [f"{name}.{attribute}" for attribute in self.world.attributes.get(kind.text, ())]
        fields = self._fields(scope, lambda k: k.sort == "int")
        chosen = self.below(len(found) + len(fields))
        return found[chosen] if chosen < len(found) else self.path(fields[chosen - len(found)], scope)

    def _arithmetic(self, scope: Scope) -> str:
        way = self.below(6)
        left = self.number(scope)
        if way == 5:
            return f"-{left}" if left[0].isalpha() else f"-({left})"
        if way >= 3:
            return f"({left} {('//', '%')[way - 3]} {self.between(2, 4)})"
        return f"({left} {'+-*'[way]} {self.number(scope)})"

    def _least(self, scope: Scope) -> str:
        return f"{self.one(('min', 'max'))}({self.number(scope)}, {self.number(scope)})"

    def _int_choice(self, scope: Scope) -> str:
        return f"({self.number(scope)} if {self.condition(scope)} else {self.number(scope)})"

    def _counted(self, scope: Scope) -> str:
        name, source, _, inner = self._loop(scope)
        return f"count({name} for {name} in {source} if {self.condition(inner)})"

    def _summed(self, scope: Scope) -> str:
        name, source, _, inner = self._loop(scope)
        condition = f" if {self.condition(inner)}" if self.maybe(50) else ""
        return f"sum({self.number(inner)} for {name} in {source}{condition})"

    def _best(self, scope: Scope) -> str:
        name, source, _, inner = self._loop(scope)
        return f"({self.one(('min', 'max'))}({self.number(inner)} for {name} in {source}) or {self.below(4)})"

    def _length(self, scope: Scope) -> str:
        return f"len({self.collection(scope)[0]})"

    def _extreme(self, scope: Scope) -> str:
        """The least or greatest of some ints that are there as they are."""
        fields = self._fields(
            scope, lambda k: k.sort in ("set", "list") and k.item is not None and k.item.sort == "int"
        )
        if not fields:
            return self._length(scope)
        return f"({self.one(('min', 'max'))}({self.path(self.one(fields), scope)}) or {self.below(4)})"

    def _copies(self, scope: Scope) -> str:
        fields = self._fields(scope, lambda k: k.sort == "bag")
        if not fields:
            return self._length(scope)
        info = self.one(fields)
        assert info.kind.item is not None
        return f"count_of({self.path(info, scope)}, {self.member(info.kind.item, scope)})"

    def _loop(self, scope: Scope) -> tuple[str, str, Kind, Scope]:
        """A loop of a comprehension: its variable, its source, what the variable is, and the scope inside."""
        source, kind = self.collection(scope)
        name = self.fresh("it")
        return name, source, kind, scope.with_(name, kind)

    # ------------------------------------------------------------ bools

    def condition(self, scope: Scope) -> str:
        if scope.depth < 1:
            return self._compared(scope)
        ways: list[Callable[[Scope], str]] = [
            self._compared,
            self._bool_atom,
            lambda s: f"not {self._atomic(self.condition(s))}",
            lambda s: f"({self.condition(s)} {self.one(('and', 'or'))} {self.condition(s)})",
            self._quantified,
            self._belongs,
            self._presence,
            self._same,
            lambda s: self._call(s, "bool") or self._compared(s),
            self._afterwards,
        ]
        return self.one(ways)(scope.deeper())

    def _atomic(self, text: str) -> str:
        return text if text.startswith("(") and text.endswith(")") else f"({text})"

    def _compared(self, scope: Scope) -> str:
        operator = self.one(("==", "!=", "<", "<=", ">", ">="))
        return f"({self.number(scope)} {operator} {self.number(scope)})"

    def _bool_atom(self, scope: Scope) -> str:
        found = self._named(scope, lambda k: k.sort == "bool")
        fields = self._fields(scope, lambda k: k.sort == "bool")
        if not found and not fields:
            return self._compared(scope)
        chosen = self.below(len(found) + len(fields))
        return found[chosen] if chosen < len(found) else self.path(fields[chosen - len(found)], scope)

    def _quantified(self, scope: Scope) -> str:
        name, source, _, inner = self._loop(scope)
        condition = f" if {self.condition(inner)}" if self.maybe(30) else ""
        return f"{self.one(('any', 'all'))}({self.condition(inner)} for {name} in {source}{condition})"

    def _belongs(self, scope: Scope) -> str:
        source, kind = self.collection(scope)
        if kind.sort == "int":
            return f"({self.number(scope)} in {source})" if source[0] not in "-0123456789" else self._compared(scope)
        if source in {key.text for key in self.world.key_kinds()}:
            return self._compared(scope)
        return f"({self.expression(kind, scope)} {self.one(('in', 'not in'))} {source})"

    def _presence(self, scope: Scope) -> str:
        """Whether an option is there, and perhaps something about what it holds."""
        fields = self._fields(scope, lambda k: k.sort == "option")
        if not fields:
            return self._compared(scope)
        info = self.one(fields)
        keys = [self._name_or_member(key, scope) for key in info.keys]
        path = info.name + "".join(f"[{key}]" for key in keys)
        item = info.kind.item
        assert item is not None
        way = self.below(4)
        if way == 0:
            return f"({path} is {self.one(('some', 'none'))})"
        if item.sort == "record" and way < 3:
            part, kind = self.one(item.parts)
            if way == 1 and keys:
                name = self.fresh("it")
                path = info.name + "".join(f"[{key}]" for key in (*keys[:-1], name))
                wanted = self.fitting(kind, scope)
                return f"any({path}?.{part} == {wanted} for {name} in {info.keys[-1].text})"
            return f"({path} is some and {path}.{part} != {self.fitting(kind, scope)})"
        return f"({path} {self.one(('==', '!='))} {self.fitting(item, scope)})"

    def _name_or_member(self, kind: Kind, scope: Scope) -> str:
        names = [name for name, other in scope.names if other == kind]
        return self.one(names) if names else self.literal(kind)

    def _same(self, scope: Scope) -> str:
        kind = self.one(self.world.key_kinds())
        left = self.member(kind, scope)
        return f"({left} {self.one(('==', '!='))} {self.member(kind, scope)})"

    def _afterwards(self, scope: Scope) -> str:
        """A condition in the state that an event would give."""
        if not scope.state or not self.world.events:
            return self._compared(scope)
        event = self.one(self.world.events)
        arguments = ", ".join(self.fitting(kind, scope) for _, kind in event.params)
        return f"({self.condition(scope)} after {event.name}({arguments}))"

    # ------------------------------------------------------------ members, records, options

    def literal(self, kind: Kind) -> str:
        """A member, seat or place, written out."""
        return self.one(kind.members)

    def member(self, kind: Kind, scope: Scope) -> str:
        """A value of an enum, of Player or of a board."""
        found = [name for name, other in scope.names if other == kind]
        if scope.depth > 0 and found:
            if kind.sort == "player":
                found.append(f"{found[0]}.next")
            if kind.sort == "place" and kind.shape == "track":
                found.append(f"({found[0]}.next or {self.literal(kind)})")
            if kind.sort == "place" and kind.shape == "grid":
                found.append(f"({found[0]}.up or {found[0]})")
        if scope.depth > 0 and self.maybe(20):
            return self._picked(kind, scope.deeper())
        way = self.below(len(found) + 1)
        return found[way] if way < len(found) else self.literal(kind)

    def _picked(self, kind: Kind, scope: Scope) -> str:
        """The first that fits, the top of a list, or what an option holds, with something in reserve."""
        holders = self._fields(scope, lambda k: k.sort in ("list", "option") and k.item == kind)
        if holders and self.maybe(50):
            info = self.one(holders)
            path = self.path(info, scope)
            if info.kind.sort == "list":
                return f"({path}.top or {self.literal(kind)})"
            name = self.fresh("it")
            if info.keys:
                path = info.name + "".join(f"[{self.literal(key)}]" for key in info.keys[:-1]) + f"[{name}]"
                found = f"first({path} for {name} in {info.keys[-1].text} if {path} is some)"
                return f"({found} or {self.literal(kind)})"
        name = self.fresh("it")
        condition = self.condition(scope.with_(name, kind))
        return f"(first({name} for {name} in {kind.text} if {condition}) or {self.literal(kind)})"

    def a_record(self, kind: Kind, scope: Scope) -> str:
        parts = ", ".join(f"{name}={self.fitting(part, scope)}" for name, part in kind.parts)
        return f"{kind.text}({parts})"

    def an_option(self, kind: Kind, scope: Scope) -> str:
        assert kind.item is not None
        return "none" if self.maybe(25) else self.fitting(kind.item, scope)

    # ------------------------------------------------------------ collections

    def collection(self, scope: Scope) -> tuple[str, Kind]:
        """Something to go through, and what its elements are."""
        found: list[tuple[str, Kind]] = [(kind.text, kind) for kind in self.world.key_kinds()]
        high = self.between(1, 3)
        found.append((f"0..{high}", int_kind(0, high)))
        for name, kind in scope.names:
            if kind.sort == "place" and kind.shape == "grid":
                found.append((f"{name}.neighbours", kind))
            if kind.sort == "player":
                found.append((f"seats_from({name})", kind))
        fields = self._fields(scope, lambda k: k.sort in ("set", "list", "bag"))
        chosen = self.below(len(found) + len(fields))
        if chosen < len(found):
            return found[chosen]
        info = fields[chosen - len(found)]
        assert info.kind.item is not None
        path = self.path(info, scope)
        if info.kind.sort == "bag" and self.maybe(50):
            path = f"distinct({path})"
        return path, info.kind.item

    def a_set(self, kind: Kind, scope: Scope) -> str:
        item = kind.item
        assert item is not None
        if item.sort == "int":
            return f"{{{self.within(item, scope)}}}"
        way = self.below(4) if scope.depth > 0 else 0
        if way == 1:
            return f"set({item.text})"
        if way == 2:
            name = self.fresh("it")
            inner = scope.deeper().with_(name, item)
            return f"{{{name} for {name} in {item.text} if {self.condition(inner)}}}"
        if way == 3:
            inner = scope.deeper()
            return f"({self.a_set(kind, inner)} {self.one(('|', '&', '-'))} {self.a_set(kind, inner)})"
        return f"{{{', '.join(self.member(item, scope) for _ in range(self.between(1, 2)))}}}"

    def a_bag(self, kind: Kind, scope: Scope) -> str:
        item = kind.item
        assert item is not None
        if self.maybe(50):
            name = self.fresh("it")
            return f"{{{name}: {self.between(0, 2)} for {name} in {item.text}}}"
        return f"bag([{', '.join(self.member(item, scope) for _ in range(self.between(1, 3)))}])"

    def a_list(self, kind: Kind, scope: Scope) -> str:
        item = kind.item
        assert item is not None
        count = self.between(1, min(2, kind.count))
        return f"[{', '.join(self.fitting(item, scope) for _ in range(count))}]"

    def a_map(self, kind: Kind, scope: Scope) -> str:
        assert kind.item is not None and kind.key is not None
        name = self.fresh("it")
        inner = evolve(scope, depth=max(0, scope.depth - 1)).with_(name, kind.key)
        return f"{{{name}: {self.fitting(kind.item, inner)} for {name} in {kind.key.text}}}"
