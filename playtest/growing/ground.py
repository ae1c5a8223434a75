"""What a generated program declares: types, state, events that keep every field within its type, and defs."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

from attrs import evolve, field, frozen, mutable

from playtest.growing.kinds import (
    BOOL,
    Field,
    Kind,
    Scope,
    Signature,
    World,
    bag_of,
    int_kind,
    list_of,
    map_of,
    option,
    set_of,
)
from playtest.growing.terms import Terms

FUEL = 3
ROUNDS = 4
MAX_CHOICES = 120
INDENT = "    "

Lines = list[str]


def indented(lines: Sequence[str]) -> Lines:
    return [INDENT + line for line in lines]


@frozen
class Block:
    """Lines of a block, and the most choices that running it once can ask for."""

    lines: tuple[str, ...]
    choices: int = 0


@frozen
class Asked:
    """An action or a flow that later ones may use. `given` are the arguments of whoever asks; `fuel`: each use spends some."""

    signature: Signature
    choices: int
    fuel: bool = False
    certain: bool = False


@frozen
class Where:
    """What a block may hold: who plays, whether `break` or `return` make sense, how deep, how often it may be repeated."""

    scope: Scope
    who: str
    depth: int = 2
    loop: bool = False
    times: int = 1
    returns: bool = False

    def told(self, asked: str = "") -> Scope:
        """What may be handed on to whoever is `asked`, or to a flow: in an action, others do not know what was chosen."""
        own = tuple((name, kind) for name, kind in self.scope.names if name == "me")
        return evolve(self.scope, names=own) if own and asked != "me" else self.scope

    def inside(self, scope: Scope | None = None, *, times: int = 1, loop: bool | None = None) -> Where:
        return evolve(
            self,
            scope=scope or self.scope,
            depth=self.depth - 1,
            times=self.times * times,
            loop=self.loop if loop is None else loop,
        )


@mutable
class Parts:
    """The declarations of the program so far, as text, in the order of a rules file."""

    head: Lines = field(factory=list)
    types: Lines = field(factory=list)
    state: Lines = field(factory=list)
    defs: Lines = field(factory=list)
    events: Lines = field(factory=list)
    actions: Lines = field(factory=list)
    flows: Lines = field(factory=list)
    laws: Lines = field(factory=list)
    scenarios: Lines = field(factory=list)

    def text(self) -> str:
        groups = (
            self.head, self.types, self.state, self.defs, self.events, self.actions, self.flows, self.laws, self.scenarios,
        )  # fmt: skip
        return "\n".join(line for group in groups for line in group) + "\n"


class Ground:
    """The declarations of one program, and what they give to its actions and flows."""

    def __init__(self, rng: random.Random) -> None:
        self.parts = Parts()
        self.seats: tuple[str, ...] = ()
        self.named = False
        self.actions: list[Asked] = []
        self.flows: list[Asked] = []
        self.cards = False
        self.bids = False
        self.world = World(Kind("player", "Player"))
        self.terms = Terms(rng, self.world)
        self.steps = 0

    # ------------------------------------------------------------ game and types

    def _game(self) -> None:
        terms = self.terms
        way = terms.below(4)
        self.named = way == 1
        if self.named:
            players, self.seats = "ana, ben", ("ana", "ben")
        else:
            count = (2, 2, "1..3", "2..3")[way]
            players, self.seats = str(count), ("Player[0]",) if way == 2 else ("Player[0]", "Player[1]")
        self.world.player = Kind("player", "Player", members=self.seats, count=3 if way >= 2 else 2)
        lines = ["game generated:", f'{INDENT}title "Generated"', f"{INDENT}players {players}"]
        if terms.maybe(50):
            lines += ["", f"param size: 1..3 = {terms.between(1, 3)}"]
            self.world.numbers.append("size")
        if terms.maybe(50):
            lines += ["", f"const most = {terms.number(Scope(state=False, depth=1))}"]
            self.world.numbers.append("most")
        self.parts.head = lines

    def _types(self) -> None:
        terms, out = self.terms, self.parts.types
        for name, stem in (("Colour", "red blue grey"), ("Shape", "disc cube"))[: terms.between(1, 2)]:
            self._enum(name, tuple(stem.split()))
        if terms.maybe(70):
            track = terms.maybe(40)
            shape = (
                "track(4)"
                if track
                else f"grid({terms.one(('2', '3', 'size + 1' if 'size' in self.world.numbers else '1'))}, 2)"
            )
            out += ["", f"board Cell = {shape}"]
            members = ("Cell.first", "Cell.last") if track else ("a1", "a2")
            cell = Kind("place", "Cell", members=members, count=8, shape="track" if track else "grid")
            self.world.places.append(cell)
            self.world.attributes["Cell"] = ("index",) if track else ("row", "col")
        if terms.maybe(60):
            colour, small = self.world.enums[0], int_kind(0, 2)
            parts = (("owner", self.world.player), ("colour", colour), ("size_of", small))[terms.below(2) :]
            out += ["", "record Piece:", *(f"{INDENT}{name}: {kind.text}" for name, kind in parts)]
            count = 1
            for _, kind in parts:
                count *= kind.count
            self.world.records.append(Kind("record", "Piece", parts=parts, count=count))

    def _enum(self, name: str, members: tuple[str, ...]) -> None:
        terms, out = self.terms, self.parts.types
        kind = Kind("enum", name, members=members, count=len(members))
        self.world.enums.append(kind)
        if terms.maybe(60):
            attribute = f"worth_{name.lower()}"
            self.world.attributes[name] = (attribute,)
            rows = [f"{member}({terms.between(0, 5)})" for member in members]
            out += ["", f"enum {name}({attribute}: 0..5):", f"{INDENT}{', '.join(rows)}"]
        else:
            out += ["", f"enum {name}:", f"{INDENT}{', '.join(members)}"]

    # ------------------------------------------------------------ state

    def _state(self) -> None:
        terms, world = self.terms, self.world
        self._field("fuel", (), int_kind(0, FUEL), str(FUEL))
        self._field("rounds", (), int_kind(0, ROUNDS), None)
        sorts: list[Callable[[], Kind]] = [
            lambda: int_kind(0, terms.between(1, 9)),
            lambda: int_kind(-terms.between(1, 3), terms.between(1, 300)),
            lambda: BOOL,
            lambda: option(terms.one(world.key_kinds())),
            lambda: set_of(terms.one(world.key_kinds())),
            lambda: bag_of(terms.one(world.enums)),
            lambda: list_of(terms.one(world.key_kinds()), terms.between(1, 3)),
            lambda: option(int_kind(0, 3)),
            lambda: option(terms.one(world.records)) if world.records else BOOL,
            lambda: set_of(int_kind(1, 4)),
            lambda: map_of(terms.one(world.enums), int_kind(0, 5)),
            lambda: option(terms.one(world.records)) if world.records else option(world.player),
        ]
        for _ in range(terms.between(1, 5)):
            kind = terms.one(sorts)()
            keys = tuple(terms.one(world.key_kinds()) for _ in range(terms.below(3)))
            self._field(terms.fresh(kind.sort), keys, kind, None)
        self.cards, self.bids = terms.maybe(35), terms.maybe(30)
        colour = world.enums[0]
        if self.cards:
            count = terms.between(1, 3)
            self._field("deck", (), bag_of(colour), f"{{c: {count} for c in {colour.text}}}", "hidden")
            self._field("hand", (world.player,), bag_of(colour), None, "private")
            self._field("discards", (), bag_of(colour), None)
        if self.bids:
            self._field("bid", (world.player,), option(int_kind(0, 3)), None, "private")
            self._field("shown", (world.player,), option(int_kind(0, 3)), None)
        self.parts.state[:0] = ["", "state:"]

    def _field(self, name: str, keys: tuple[Kind, ...], kind: Kind, initial: str | None, visibility: str = "") -> None:
        self.world.fields.append(Field(name, keys, kind, visibility))
        start = initial
        if start is None and kind.sort == "int" and not keys and kind.lo <= 1 <= kind.hi and self.terms.maybe(20):
            start = "1" if name != "rounds" else None
        mark = f"{visibility} " if visibility else ""
        index = "".join(f"[{key.text}]" for key in keys)
        self.parts.state.append(f"{INDENT}{mark}{name}{index}: {kind.text}" + (f" = {start}" if start else ""))

    # ------------------------------------------------------------ events

    def _events(self) -> None:
        out = self.parts.events
        out += ["", "event Spent():", f"{INDENT}if fuel > 0:", f"{INDENT * 2}fuel -= 1"]
        out += ["", "event Ticked:", f'{INDENT}"a round is over"', f"{INDENT}rounds = min({ROUNDS}, rounds + 1)"]
        for info in list(self.world.fields):
            if info.name not in ("fuel", "rounds", "discards", "shown") and not info.visibility:
                self._event(info)

    def _event(self, info: Field) -> None:
        """An event that writes one field, and never fails."""
        terms = self.terms
        keys = [(terms.fresh("k"), key) for key in info.keys]
        path = info.name + "".join(f"[{name}]" for name, _ in keys)
        extra, lines = self._write(info, path, tuple(keys))
        params = (*keys, *extra)
        name = terms.fresh("Changed")
        written = ", ".join(f"{param}: {kind.text}" for param, kind in params)
        sentence = f'"{info.name} changes' + "".join(f", {{{param}}}" for param, _ in params) + '"'
        body = [sentence] if terms.maybe(60) else []
        scope = Scope(names=params, depth=1)
        if terms.maybe(25):
            lines = [f"if {terms.condition(scope)}:", *indented(lines)]
        if len(keys) == 1 and len(extra) == 1 and terms.maybe(15):
            each, (key, kind) = terms.fresh("each"), keys[0]
            test = terms.condition(scope.with_(each, kind))
            lines = [line.replace(f"[{key}]", f"[{each}]") for line in lines]
            lines = [f"for {each} in {kind.text} if {test} or {each} == {key}:", *indented(lines)]
        if terms.maybe(15):
            lines = [
                f"let held_{name.lower()} = {terms.number(scope)}",
                f"if held_{name.lower()} > 1:",
                *indented(lines),
            ]
        self.parts.events += ["", f"event {name}({written}):", *indented([*body, *lines])]
        self.world.events.append(Signature(name, params))

    def _write(
        self, info: Field, path: str, keys: tuple[tuple[str, Kind], ...]
    ) -> tuple[tuple[tuple[str, Kind], ...], Lines]:
        """Further parameters of an event, and the lines that write the field at a path."""
        kind = info.kind
        value = self.terms.fresh("v")
        if kind.sort == "int":
            way = self.terms.below(3)
            step = int_kind(-1, 3) if kind.lo < 0 else int_kind(0, 3)
            if way == 0:
                return ((value, kind),), [f"{path} = {value}"]
            if way == 1:
                return ((value, step),), [f"{path} = max({kind.lo}, min({kind.hi}, {path} + {value}))"]
            return ((value, step),), [
                f"if {path} + {value} <= {kind.hi} and {path} + {value} >= {kind.lo}:",
                f"{INDENT}{path} += {value}",
            ]
        if kind.sort == "bool" and self.terms.maybe(50):
            return (), [f"{path} = not {path}"]
        if kind.sort in ("set", "bag", "list"):
            return self._write_collection(kind, path, value)
        if kind.sort == "map":
            assert kind.key is not None and kind.item is not None
            if not keys and self.terms.maybe(50):
                return ((value, kind),), [f"{path} = {value}"]
            at = self.terms.fresh("k")
            return ((at, kind.key), (value, kind.item)), [f"{path}[{at}] = {value}"]
        return ((value, kind),), [f"{path} = {value}"]

    def _write_collection(self, kind: Kind, path: str, value: str) -> tuple[tuple[tuple[str, Kind], ...], Lines]:
        item = kind.item
        assert item is not None
        given = ((value, item),)
        if kind.sort == "set":
            ways = (
                [f"{path} += {value}"],
                [f"if {value} in {path}:", f"{INDENT}{path} -= {value}", "else:", f"{INDENT}{path} += {value}"],
                [f"{path} = {path} | {{{value}}}"],
                [f"{path} = {{{value}}}"],
            )
            return given, list(self.terms.one(ways))
        if kind.sort == "bag":
            ways = (
                [f"if len({path}) < 9:", f"{INDENT}{path} += {value}"],
                [f"if {value} in {path}:", f"{INDENT}{path} -= {value}"],
                [f"{path} = bag([{value}, {value}])"],
                [
                    f"if {value} in {path}:",
                    f"{INDENT}{path} -= {value}",
                    f"elif len({path}) < 5:",
                    f"{INDENT}{path} += [{value}, {value}]",
                ],
            )
            return given, list(self.terms.one(ways))
        lists = (
            [f"if len({path}) < {kind.count}:", f"{INDENT}{path} += {value}"],
            [f"if {path}:", f"{INDENT}{path} = {path}[:-1]", "else:", f"{INDENT}{path} += {value}"],
            [f"{path} = [{value}]"],
        )
        return given, list(self.terms.one(lists))

    # ------------------------------------------------------------ defs

    def _defs(self) -> None:
        terms, world = self.terms, self.world
        for _ in range(terms.between(0, 2)):
            params = tuple(
                (terms.fresh("p"), terms.one([*world.key_kinds(), int_kind(0, 3)])) for _ in range(terms.between(0, 2))
            )
            result = terms.one((BOOL, Kind("int", "int")))
            name = terms.fresh("worked_out")
            body = self._def_body(Scope(names=params, depth=1), result)
            written = ", ".join(f"{param}: {kind.text}" for param, kind in params)
            self.parts.defs += ["", f"def {name}({written}) -> {result.text}:", *indented(body)]
            world.defs.append(Signature(name, params, result))

    def _def_body(self, scope: Scope, result: Kind) -> Lines:
        terms = self.terms
        way = terms.below(4)
        if way == 1:
            return [
                f"if {terms.condition(scope)}:",
                f"{INDENT}return {terms.expression(result, scope)}",
                f"return {terms.expression(result, scope)}",
            ]
        if way == 2:
            kept = terms.fresh("kept")
            inner = scope.with_(kept, Kind("int", "int"))
            return [f"let {kept} = {terms.number(scope)}", f"return {self._using(kept, result, inner)}"]
        if way == 3:
            total, name = terms.fresh("total"), terms.fresh("it")
            source, kind = terms.collection(scope)
            inner = scope.with_(name, kind)
            tail = total if result.sort == "int" else f"{total} > 1"
            return [
                f"var {total} = 0",
                f"for {name} in {source} if {terms.condition(inner)}:",
                f"{INDENT}{total} += {terms.within(int_kind(0, 3), inner)}",
                f"return {tail}",
            ]
        return [f"return {terms.expression(result, evolve(scope, depth=2))}"]

    def _using(self, name: str, result: Kind, scope: Scope) -> str:
        return (
            f"({name} + {self.terms.number(scope)})"
            if result.sort == "int"
            else f"({name} > {self.terms.number(scope)})"
        )
