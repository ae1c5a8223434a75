"""Random programs of the rules language, right by construction: the larger half of the generator.

`Grower` declares types and state, then events that keep every field within its type, then actions and flows from the ends of
the graph of who asks whom towards `main`, so that the graph has no cycle. Every block knows how many choices it can ask for at
most (`Block.choices`); blocks that could repeat without end spend fuel, which is state; so `terminates within` can be
written down exactly, and a game that takes longer is a bug of the compiler or of this file.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

from attrs import evolve, field, frozen, mutable

from playtest.terms import (
    BOOL,
    Field,
    Kind,
    Scope,
    Signature,
    Terms,
    World,
    bag_of,
    int_kind,
    list_of,
    map_of,
    option,
    set_of,
)

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


class Grower:
    """Makes one program."""

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

    def grow(self) -> str:
        """The text of a whole program."""
        self._game()
        self._types()
        self._state()
        self._events()
        self._defs()
        for _ in range(self.terms.between(1, 3)):
            self._action()
        self._secrets()
        for _ in range(self.terms.between(0, 2)):
            self._flow()
            if self.terms.maybe(50):
                self._action()
        self._main()
        self._laws()
        self._scenario()
        return self.parts.text()

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

    # ------------------------------------------------------------ actions

    def _action(self) -> None:
        """An action: chosen parameters, guards, effects. Some cost fuel; some can always be made."""
        terms = self.terms
        name = terms.fresh("act")
        given, chosen, scope = self._choices()
        certain = terms.maybe(40) and all("in " not in text or text.split(" in ")[1] in self._sure() for text in chosen)
        fuel = terms.maybe(40)
        lines: Lines = []
        if fuel:
            lines.append('require fuelled: fuel > 0 else "no fuel"')
        if not certain:
            lines += self._guards(scope)
        if fuel:
            lines.append("emit Spent()")
        where = Where(scope, "me", depth=2, returns=True)
        body = self._block(where, first_emits=not fuel)
        lines += body.lines
        written = [f"{param}: {kind.text}" for param, kind in given] + chosen
        head = f"action {name}({', '.join(written)}):" if written else f"action {name}:"
        self.parts.actions += ["", head, *indented(lines)]
        self.actions.append(Asked(Signature(name, given), 1 + body.choices, fuel, certain and not fuel))

    def _sure(self) -> set[str]:
        """Domains that are never empty."""
        return {kind.text for kind in self.world.key_kinds()} | {"0..2", "1..3"}

    def _choices(self) -> tuple[tuple[tuple[str, Kind], ...], Lines, Scope]:
        """Given parameters, chosen ones as text, and the scope with all of them."""
        terms, world = self.terms, self.world
        scope = Scope(names=(("me", world.player),), depth=1)
        given: tuple[tuple[str, Kind], ...] = ()
        if terms.maybe(25):
            given = ((terms.fresh("given"), terms.one([int_kind(0, 3), *world.key_kinds()])),)
            scope = scope.with_(*given[0])
        chosen: Lines = []
        for _ in range(terms.between(0, 2)):
            name = terms.fresh("c")
            text, kind = self._domain(scope)
            chosen.append(f"{name} in {text}")
            scope = scope.with_(name, kind)
        return given, chosen, scope

    def _domain(self, scope: Scope) -> tuple[str, Kind]:
        terms, world = self.terms, self.world
        found: list[tuple[str, Kind]] = [(kind.text, kind) for kind in world.key_kinds()]
        found += [("0..2", int_kind(0, 2)), ("1..3", int_kind(1, 3))]
        if terms.maybe(40):
            return terms.collection(scope)
        if terms.maybe(15):
            name, kind = terms.fresh("it"), terms.one(world.key_kinds())
            return f"{{{name} for {name} in {kind.text} if {terms.condition(scope.with_(name, kind))}}}", kind
        return terms.one(found)

    def _guards(self, scope: Scope) -> Lines:
        terms = self.terms
        lines: Lines = []
        if terms.maybe(25):
            name = terms.fresh("seen")
            lines.append(f"let {name} = {terms.number(scope)}")
            scope = scope.with_(name, Kind("int", "int"))
            lines.append(f'require {terms.fresh("rule")}: {name} < {terms.number(scope)} else "it is {{{name}}}"')
        for _ in range(terms.between(0, 2)):
            lines.append(
                f'require {terms.fresh("rule")}: {terms.condition(evolve(scope, depth=2))} else "that is not allowed"'
            )
        able = [asked for asked in self.actions if not asked.signature.params]
        if able and terms.maybe(15):
            lines.append(
                f'require {terms.fresh("rule")}: me can {terms.one(able).signature.name} else "nothing follows"'
            )
        return lines

    # ------------------------------------------------------------ secrets

    def _secrets(self) -> None:
        """A deck with hidden cards and hands that only their owners see; bids that are made in secret and then shown."""
        colour = self.world.enums[0].text
        if self.cards:
            self.parts.events += [
                "", f"event CardDrawn(by: Player, card: {colour} private to by):", f'{INDENT}"{{by}} draws {{card}}"',
                f"{INDENT}deck -= card", f"{INDENT}hand[by] += card",
                "", f"event CardPlayed(by: Player, card: {colour}):", f"{INDENT}hand[by] -= card", f"{INDENT}discards += card",
            ]  # fmt: skip
            self.parts.flows += [
                "", "flow draw_card(p: Player):", f"{INDENT}if deck:", f"{INDENT * 2}draw card from deck",
                f"{INDENT * 2}emit CardDrawn(p, card)",
            ]  # fmt: skip
            self.flows.append(Asked(Signature("draw_card", (("p", self.world.player),)), 0))
            self.parts.actions += [
                "", "action play_card(card in distinct(hand[me])):",
                f'{INDENT}require held: len(hand[me]) > 0 else "no cards"', f"{INDENT}emit CardPlayed(me, card)",
            ]  # fmt: skip
            self.actions.append(Asked(Signature("play_card", ()), 1))
        if self.bids:
            self.parts.events += [
                "", "event BidMade(by: Player, n: 0..3 private to by):", f'{INDENT}"{{by}} bids {{n}}"', f"{INDENT}bid[by] = n",
                "", "event BidsShown(bids: map[Player, 0..3?]):", f"{INDENT}shown = bids",
            ]  # fmt: skip
            self.parts.actions += ["", "action make_bid(n in 0..3):", f"{INDENT}emit BidMade(me, n)"]
            self.parts.flows += [
                "", "flow auction:", f"{INDENT}for p in Player:", f"{INDENT * 2}p chooses make_bid",
                f"{INDENT}emit BidsShown({{p: bid[p] for p in Player}})",
            ]  # fmt: skip
            self.flows.append(Asked(Signature("auction", ()), self.world.player.count))

    # ------------------------------------------------------------ flows

    def _flow(self) -> None:
        terms = self.terms
        name = terms.fresh("part")
        who = "me" if terms.maybe(50) else "p"
        params = ((who, self.world.player),)
        block = self._block(Where(Scope(names=params, depth=1), who, depth=2, returns=True))
        self.parts.flows += ["", f"flow {name}({who}: Player):", *indented(block.lines)]
        self.flows.append(Asked(Signature(name, params), block.choices))

    def _block(self, where: Where, first_emits: bool = True) -> Block:
        """Some statements in sequence."""
        lines: Lines = []
        choices = 0
        scope = where.scope
        for number in range(self.terms.between(1, 3)):
            inside = evolve(where, scope=scope)
            if number == 0 and first_emits and self.world.events and self.terms.maybe(50):
                lines.append(self._emit(scope))
                continue
            made, names, asked = self._statement(inside, MAX_CHOICES // where.times - choices)
            lines += made
            choices += asked
            for name, kind in names:
                scope = scope.with_(name, kind)
        return Block(tuple(lines), choices)

    def _statement(self, where: Where, left: int) -> tuple[Lines, tuple[tuple[str, Kind], ...], int]:
        """One statement: its lines, the names it adds to what follows, and the most choices it asks for."""
        simple = [self._emit_line, self._let, self._draw, self._condition_small, self._narrowed, self._able]
        nested = [self._ask, self._call, self._if, self._for, self._repeat, self._step, self._while, self._var]
        ways = [*simple, *nested] if where.depth > 0 else simple
        return self.terms.one(ways)(where, left)

    def _emit(self, scope: Scope) -> str:
        if not self.world.events:
            return "emit Spent()"
        event = self.terms.one(self.world.events)
        return f"emit {event.name}({', '.join(self.terms.fitting(kind, scope) for _, kind in event.params)})"

    def _emit_line(self, where: Where, left: int) -> tuple[Lines, tuple[tuple[str, Kind], ...], int]:
        return [self._emit(where.scope)], (), 0

    def _let(self, where: Where, left: int) -> tuple[Lines, tuple[tuple[str, Kind], ...], int]:
        terms = self.terms
        name = terms.fresh("let")
        kind = terms.one([Kind("int", "int"), BOOL, *self.world.key_kinds()])
        value = terms.expression(kind, where.scope)
        if kind.sort == "enum" and value in kind.members:
            written = f"let {name}: {kind.text} = {value}"
        else:
            written = f"let {name} = {value}"
        inner = where.scope.with_(name, kind)
        used = f"{name} == {terms.expression(kind, inner)}" if kind.sort != "bool" else name
        return [written, f"if {used}:", f"{INDENT}{self._emit(inner)}"], ((name, kind),), 0

    def _var(self, where: Where, left: int) -> tuple[Lines, tuple[tuple[str, Kind], ...], int]:
        """A variable that changes while others are asked, and is looked at afterwards."""
        terms = self.terms
        name = terms.fresh("var")
        block = self._block(where.inside())
        lines = [
            f"var {name} = {terms.below(3)}",
            *block.lines,
            f"{name} += {terms.within(int_kind(0, 4), where.scope)}",
        ]
        inner = where.scope.with_(name, Kind("int", "int"))
        return [*lines, f"if {name} > {terms.below(4)}:", f"{INDENT}{self._emit(inner)}"], (), block.choices

    def _draw(self, where: Where, left: int) -> tuple[Lines, tuple[tuple[str, Kind], ...], int]:
        terms = self.terms
        name = terms.fresh("drawn")
        kind = terms.one([int_kind(1, 3), *self.world.key_kinds()])
        bags = [
            f
            for f in self.world.fields
            if f.kind.sort in ("bag", "set") and not f.visibility and f.kind.item is not None
        ]
        if bags and terms.maybe(40):
            info = terms.one(bags)
            assert info.kind.item is not None
            path = info.name + "".join(f"[{terms.literal(key)}]" for key in info.keys)
            inner = where.scope.with_(name, info.kind.item)
            return [f"if {path}:", f"{INDENT}draw {name} from {path}", f"{INDENT}{self._emit(inner)}"], (), 0
        second = terms.fresh("drawn") if terms.maybe(20) else None
        names = ((name, kind),) if second is None else ((name, kind), (second, kind))
        used = f"if {name} == {terms.fitting(kind, where.scope) if second is None else second}:"
        inner = where.scope.with_(name, kind)
        lines = [f"draw {', '.join(n for n, _ in names)} from {kind.text}", used, f"{INDENT}{self._emit(inner)}"]
        return lines, names, 0

    def _condition_small(self, where: Where, left: int) -> tuple[Lines, tuple[tuple[str, Kind], ...], int]:
        terms = self.terms
        lines = [f"if {terms.condition(where.scope)}:", f"{INDENT}{self._emit(where.scope)}"]
        if where.loop and terms.maybe(30):
            lines.append(INDENT + terms.one(("break", "continue")))
        elif where.returns and terms.maybe(30):
            lines.append(f"{INDENT}return")
        elif terms.maybe(5):
            lines.append(f"{INDENT}end win {terms.member(self.world.player, where.scope)}")
        return lines, (), 0

    def _able(self, where: Where, left: int) -> tuple[Lines, tuple[tuple[str, Kind], ...], int]:
        """What depends on whether somebody can do something."""
        terms = self.terms
        able = [action for action in self.actions if not action.signature.params]
        if not able:
            return self._condition_small(where, left)
        who = terms.member(self.world.player, evolve(where.scope, depth=0))
        name = terms.one(able).signature.name
        return [f"if {who} can {name}:", f"{INDENT}{self._emit(where.scope)}"], (), 0

    def _narrowed(self, where: Where, left: int) -> tuple[Lines, tuple[tuple[str, Kind], ...], int]:
        """An option that is looked at once and then used as what it holds. (What was known of it is forgotten at the emit.)"""
        terms = self.terms
        fields = [f for f in self.world.fields if f.kind.sort == "option" and not f.visibility]
        if not fields:
            return self._let(where, left)
        info, name = terms.one(fields), terms.fresh("let")
        assert info.kind.item is not None
        inner = where.scope.with_(name, info.kind.item)
        lines = [self._emit(where.scope), f"let {name} = {terms.path(info, where.scope)}"]
        if terms.maybe(50):
            return [*lines, f"if {name} is some:", f"{INDENT}{self._emit(inner)}"], (), 0
        return (
            [
                *lines,
                f"if {name} is none:",
                f"{INDENT}{self._emit(where.scope)}",
                "else:",
                f"{INDENT}{self._emit(inner)}",
            ],
            (),
            0,
        )

    # ------------------------------------------------------------ statements that hold others

    def _if(self, where: Where, left: int) -> tuple[Lines, tuple[tuple[str, Kind], ...], int]:
        terms = self.terms
        first = self._block(where.inside())
        lines = [f"if {terms.condition(where.scope)}:", *indented(first.lines)]
        choices = first.choices
        if terms.maybe(30):
            other = self._block(where.inside())
            lines += [f"elif {terms.condition(where.scope)}:", *indented(other.lines)]
            choices = max(choices, other.choices)
        if terms.maybe(40):
            other = self._block(where.inside())
            lines += ["else:", *indented(other.lines)]
            choices = max(choices, other.choices)
        if where.loop and terms.maybe(15):
            lines.append(f"{INDENT}{terms.one(('break', 'continue'))}")
        return lines, (), choices

    def _for(self, where: Where, left: int) -> tuple[Lines, tuple[tuple[str, Kind], ...], int]:
        terms = self.terms
        name = terms.fresh("each")
        source, kind = terms.collection(where.scope)
        count = 9 if where.times == 1 else 12
        inner = where.scope.with_(name, kind)
        condition = f" if {terms.condition(inner)}" if terms.maybe(40) else ""
        block = self._block(where.inside(inner, times=count, loop=True))
        return [f"for {name} in {source}{condition}:", *indented(block.lines)], (), block.choices * 12

    def _repeat(self, where: Where, left: int) -> tuple[Lines, tuple[tuple[str, Kind], ...], int]:
        count = self.terms.between(1, 3)
        times = str(count) if self.terms.maybe(50) else f"max(0, min({count}, {self.terms.number(where.scope)}))"
        block = self._block(where.inside(times=count, loop=True))
        return [f"repeat {times}:", *indented(block.lines)], (), block.choices * count

    def _while(self, where: Where, left: int) -> tuple[Lines, tuple[tuple[str, Kind], ...], int]:
        """A loop that counts rounds first, so that it ends."""
        block = self._block(where.inside(times=ROUNDS, loop=True))
        lines = [
            f"while rounds < {ROUNDS} and {self.terms.condition(where.scope)}:",
            f"{INDENT}emit Ticked()",
            *indented(block.lines),
        ]
        return lines, (), block.choices * ROUNDS

    def _step(self, where: Where, left: int) -> tuple[Lines, tuple[tuple[str, Kind], ...], int]:
        block = self._block(where.inside())
        return [f"step {self.terms.fresh('stage')}:", *indented(block.lines)], (), block.choices

    def _call(self, where: Where, left: int) -> tuple[Lines, tuple[tuple[str, Kind], ...], int]:
        able = [flow for flow in self.flows if flow.choices <= left]
        if not able:
            return self._emit_line(where, left)
        flow = self.terms.one(able)
        arguments = ", ".join(self.terms.fitting(kind, where.scope) for _, kind in flow.signature.params)
        return [f"{flow.signature.name}({arguments})"], (), flow.choices

    # ------------------------------------------------------------ questions

    def _ask(self, where: Where, left: int) -> tuple[Lines, tuple[tuple[str, Kind], ...], int]:
        terms = self.terms
        able = [action for action in self.actions if action.choices <= left]
        if not able:
            return self._emit_line(where, left)
        offers: list[Asked] = []
        for _ in range(terms.between(1, 2)):
            action = terms.one(able)
            if action not in offers:
                offers.append(action)
        who = terms.member(self.world.player, evolve(where.scope, depth=1)) if terms.maybe(30) else where.who
        written = " or ".join(self._alternative(action, where.scope) for action in offers)
        worst = max(action.choices for action in offers)
        fuelled = all(action.fuel for action in offers)
        if fuelled and terms.maybe(50) and (FUEL + 1) * (worst + 1) <= left:
            return self._repeatedly(f"{who} may repeatedly {written}", where, worst, left)
        if terms.maybe(40):
            return [f"{who} may {written}"], (), worst
        lines = [f"{who} chooses {written}"]
        if not any(action.certain for action in offers) or terms.maybe(20):
            lines += ["otherwise:", *indented([self._emit(where.scope)])]
        return lines, (), worst

    def _alternative(self, action: Asked, scope: Scope) -> str:
        arguments = ", ".join(self.terms.fitting(kind, scope) for _, kind in action.signature.params)
        return f"{action.signature.name}({arguments})" if arguments else action.signature.name

    def _repeatedly(
        self, head: str, where: Where, worst: int, left: int
    ) -> tuple[Lines, tuple[tuple[str, Kind], ...], int]:
        """Each choice spends fuel, so there are no more than that, and a pass."""
        choices = FUEL * worst + 1
        if self.terms.maybe(50):
            return [head], (), choices
        return [f"{head}:", f"{INDENT}{self._emit(where.scope)}"], (), choices

    # ------------------------------------------------------------ main, laws, scenarios

    def _main(self) -> None:
        terms = self.terms
        scope = Scope(depth=1)
        first, name = terms.literal(self.world.player), terms.fresh("p")
        setup = self._block(Where(scope, first, depth=1))
        turn = self._turn(Where(scope.with_(name, self.world.player), name, depth=2, times=ROUNDS, loop=True))
        ending = self._ending(scope)
        middle = [
            "step play:",
            f"{INDENT}turns {name} from {first} if rounds < {ROUNDS}:",
            f"{INDENT * 2}emit Ticked()",
        ]
        lines = ["step setup:", *indented(setup.lines), *middle, *indented(indented(turn.lines))]
        if terms.maybe(30):
            lines += [
                f"{INDENT * 2}if {terms.condition(scope.with_(name, self.world.player))}:",
                f"{INDENT * 3}end win {name}",
            ]
        asks = setup.choices + turn.choices * ROUNDS
        if asks == 0:
            self.parts.actions += ["", "action wait:", f"{INDENT}emit Ticked()"]
            lines += [f"{first} chooses wait"]
            asks = 1
        self.parts.flows += ["", "flow main:", *indented([*lines, ending])]
        self.parts.laws += ["", f"terminates within {asks} choices"]

    def _turn(self, where: Where) -> Block:
        """A player's turn: a question first, if there is anything to ask, or one of the flows."""
        first, _, asked = self.terms.one((self._ask, self._call))(where, MAX_CHOICES // ROUNDS)
        more = self._block(where, first_emits=False)
        if asked + more.choices > MAX_CHOICES // ROUNDS:
            return Block(tuple(first), asked)
        return Block((*first, *more.lines), asked + more.choices)

    def _ending(self, scope: Scope) -> str:
        terms = self.terms
        name = terms.fresh("it")
        inner = scope.with_(name, self.world.player)
        winners = f"{{{name} for {name} in Player if {terms.condition(inner)}}}"
        scores = f"{{{name}: {terms.number(inner)} for {name} in Player}}"
        return terms.one(
            ("end tie", f"end win {terms.literal(self.world.player)}", f"end win {winners}", f"end scores {scores}")
        )

    def _laws(self) -> None:
        """Laws that hold by construction."""
        terms, out = self.terms, self.parts.laws
        out += [
            "",
            'transition "rounds and fuel only go one way":',
            f"{INDENT}rounds >= before.rounds and fuel <= before.fuel",
        ]
        for info in self.world.fields:
            if info.kind.sort == "int" and not info.visibility and terms.maybe(50):
                names = [terms.fresh("it") for _ in info.keys]
                path = info.name + "".join(f"[{name}]" for name in names)
                loops = "".join(f" for {name} in {key.text}" for name, key in zip(names, info.keys, strict=True))
                bound = f"{path} <= {info.kind.hi}"
                out += [
                    "",
                    f'invariant "{info.name} is bounded":',
                    INDENT + (f"all({bound}{loops})" if names else bound),
                ]
        if self.cards:
            total = "sum(len(hand[p]) for p in Player) + len(deck) + len(discards)"
            out += [
                "",
                'invariant "cards are neither made nor lost":',
                f"{INDENT}{total} == {self._copies()} * count(c for c in {self.world.enums[0].text})",
            ]
        if terms.maybe(50):
            scope = Scope(names=(("p", self.world.player),), depth=2)
            out += ["", "measure points(p: Player) -> int:", INDENT + terms.number(scope)]

    def _copies(self) -> str:
        line = next(line for line in self.parts.state if "deck:" in line)
        return line.split("{c: ")[1].split(" ")[0]

    def _scenario(self) -> None:
        out = self.parts.scenarios
        if self.terms.maybe(40):
            out += ["", 'scenario "a generated one":', f"{INDENT}run main()", f"{INDENT}expect rounds >= 0"]
        if self.terms.maybe(30):
            out += [
                "",
                'scenario "given":',
                f"{INDENT}given:",
                f"{INDENT * 2}rounds = 2",
                f"{INDENT}expect rounds == 2",
            ]
