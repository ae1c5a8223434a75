"""Small `core` programs made by hand, for tests of what reads `core`, and random well-typed expressions over one of them."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from rulesdsl import core
from rulesdsl.diagnostics import Source, Span
from rulesdsl.types import (
    BOOL,
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
)  # fmt: skip

TEXT = "\n".join(f"line {number}" for number in range(1, 400))
SOURCE = Source("made.rules", TEXT)


def at(line: int) -> Span:
    """A span at a line of the made-up source."""
    start = SOURCE.line_starts[line - 1]
    return Span(SOURCE, start, start + 4)


HERE = at(1)
PLAYER = EnumType("Player", ("north", "south"), "player")
COLOUR = EnumType("Colour", ("red", "green", "blue"))
CELL = EnumType("Cell", tuple(f"c{i}" for i in range(6)), "place", True)
PIECE = RecordType("Piece", (("owner", PLAYER), ("colour", COLOUR)))
EVERY_CELL = 63
SMALL = IntType(0, 5)
COUNT = IntType(0, 6)
ODD = IntType(2, 7)
NEIGHBOURS = core.Table(
    "Cell.neighbours", ((0, 6),), tuple(sum(1 << j for j in (i - 1, i + 1) if 0 <= j < 6) for i in range(6))
)
NEXT = core.Table("Player.next", ((0, 2),), (1, 0))
PRICE = core.Table("Colour.price", ((0, 3),), (3, 1, 4))
OFFSET = core.Table("Cell.offset", ((0, 6), (-2, 5)), tuple(
    i + d if 0 <= i + d < 6 else None for i in range(6) for d in range(-2, 3)
), False, None)  # fmt: skip


def const(value: Any, kind: Type) -> core.Const:
    return core.Const(value, kind, HERE)


def num(value: int) -> core.Const:
    return core.Const(value, IntType(value, value), HERE)


def local(name: str, kind: Type) -> core.Local:
    return core.Local(name, kind, HERE)


def op(name: str, kind: Type, *args: core.Expr, data: Any = None, span: Span = HERE) -> core.Op:
    return core.Op(name, args, kind, span, data)


def read(name: str, kind: Type, *keys: core.Expr) -> core.Read:
    return core.Read(name, keys, kind, HERE)


def param(name: str, kind: Type) -> core.ParamInfo:
    return core.ParamInfo(name, kind, HERE)


def field(name: str, position: int, value: Type, *keys: Type, initial: core.Expr | None = None) -> core.FieldInfo:
    return core.FieldInfo(name, position, "public", keys, value, initial, HERE)


def definition(
    name: str, params: list[core.ParamInfo], result: Type, body: core.Body, recursive: bool = False
) -> core.DefInfo:
    return core.DefInfo(name, tuple(params), result, body, HERE, recursive)


def returns(expr: core.Expr) -> core.Body:
    return (core.ReturnStmt(expr, HERE),)


def event(name: str, position: int, params: list[core.ParamInfo], body: core.Body) -> core.EventInfo:
    writes = frozenset(stmt.field for stmt in body if isinstance(stmt, core.Store))
    return core.EventInfo(name, position, tuple(params), None, body, frozenset(), writes, HERE)


def program(**parts: Any) -> core.Program:
    """A program with these parts and nothing else."""
    plain: dict[str, Any] = {
        "name": "made", "title": "Made by hand", "rulebook": None, "player": PLAYER, "parameters": (), "enums": (COLOUR,),
        "enum_attributes": (), "records": (PIECE,), "boards": (), "constants": (), "fields": (), "defs": (), "events": (),
        "actions": (), "flows": (), "measures": (), "goals": (), "invariants": (), "transitions": (), "terminates": None, "scenarios": (),
        "digest": "",
    }  # fmt: skip
    return core.Program(**{**plain, **parts})


# ---------------------------------------------------------------- a program with every kind of field

FIELDS = (
    field("piece", 0, OptionType(PIECE), CELL),
    field("men", 1, IntType(0, 15), PLAYER, CELL),
    field("level", 2, ODD, CELL, initial=const(2, ODD)),
    field("open", 3, BOOL, CELL),
    field("hand", 4, BagType(COLOUR), PLAYER),
    field("stack", 5, ListType(COLOUR, 4)),
    field("marks", 6, SetType(CELL)),
    field("quiet", 7, IntType(0, 100)),
    field("score", 8, IntType(-1000, 1000), PLAYER),
    field("holder", 9, OptionType(PLAYER)),
    field("trail", 10, ListType(PIECE, 3), CELL),
    field("numbers", 11, SetType(ODD)),
)

P, S, C, N = local("p", PLAYER), local("s", CELL), local("c", COLOUR), local("n", SMALL)
ENV: dict[str, Type] = {"p": PLAYER, "s": CELL, "c": COLOUR, "n": SMALL}


def _events() -> tuple[core.EventInfo, ...]:
    a, b, k = local("a", CELL), local("b", CELL), local("k", COLOUR)
    moved = event("Moved", 1, [param("a", CELL), param("b", CELL)], (
        core.Store("piece", (b,), read("piece", OptionType(PIECE), a), HERE),
        core.Store("piece", (a,), const(None, OptionType(PIECE)), HERE),
        core.IfStmt(op("is_some", BOOL, read("piece", OptionType(PIECE), b)), (
            core.Store("quiet", (), const(0, IntType(0, 100)), HERE),
        ), (), HERE),
    ))  # fmt: skip
    painted = event("Painted", 2, [param("a", CELL), param("k", COLOUR)], (
        core.Store("marks", (), op("set_add", SetType(CELL), read("marks", SetType(CELL)), a), HERE),
        core.Store("piece", (a,), op("some", OptionType(PIECE), op("record", PIECE, const(0, PLAYER), k)), HERE),
        core.ForStmt("x", CELL, op("table", SetType(CELL), a, data=NEIGHBOURS), None, (
            core.Store("open", (local("x", CELL),), const(True, BOOL), HERE),
            core.Store("level", (local("x", CELL),), const(7, ODD), HERE),
        ), HERE),
    ))  # fmt: skip
    return (moved, painted)


def _defs() -> tuple[core.DefInfo, ...]:
    cells = const(63, SetType(CELL))
    occupied = definition(
        "occupied", [param("s", CELL)], BOOL, returns(op("is_some", BOOL, read("piece", OptionType(PIECE), S)))
    )
    strict = definition("strict", [param("n", SMALL)], ODD, returns(core.Checked(N, 2, 4, IntType(2, 4), HERE)))
    count = core.Comp(
        "count",
        local("z", CELL),
        (core.Clause("z", CELL, cells, core.Call("occupied", (local("z", CELL),), BOOL, HERE)),),
        COUNT,
        HERE,
    )
    far = definition("far", [param("s", CELL), param("n", SMALL)], COUNT, (
        core.IfStmt(op("eq", BOOL, N, num(0)), returns(count), (), HERE),
        *returns(core.Call("far", (S, op("sub", SMALL, N, num(1))), COUNT, HERE)),
    ), recursive=True)  # fmt: skip
    return (occupied, strict, far)


def playground(defs: tuple[core.DefInfo, ...] = ()) -> core.Program:
    """The program that random expressions are made for, with further defs."""
    return program(fields=FIELDS, events=_events(), defs=(*_defs(), *defs))


# ---------------------------------------------------------------- states


def random_value(rng: random.Random, kind: Type) -> Any:
    """A value of a type."""
    if isinstance(kind, BagType):
        return tuple(rng.choice((0, 0, 1, 2)) for _ in range(size(kind.item) or 0))
    if isinstance(kind, ListType):
        return tuple(random_value(rng, kind.item) for _ in range(rng.randrange(kind.limit + 1)))
    if isinstance(kind, OptionType):
        return None if rng.random() < 0.5 else random_value(rng, kind.item)
    if isinstance(kind, MapType):
        return tuple(random_value(rng, kind.value) for _ in range(size(kind.key) or 0))
    if isinstance(kind, RecordType):
        return tuple(random_value(rng, part) for _, part in kind.fields)
    return value_at(kind, rng.randrange(size(kind) or 1))


def random_state(rng: random.Random) -> dict[str, Any]:
    """A state as the reference evaluator has it."""
    return {info.name: random_value(rng, info.type) for info in FIELDS}


def packed(state: dict[str, Any], fields: tuple[core.FieldInfo, ...] = FIELDS) -> tuple[Any, ...]:
    """The same state as the generated code has it."""
    slots: list[Any] = []
    for info in fields:
        cells = state[info.name]
        for _ in info.keys[1:]:
            cells = tuple(cell for part in cells for cell in part)
        if info.packed:
            cells = bytes(index_of(info.value, cell) for cell in cells)
        slots.append(cells)
    return (*slots, None)


# ---------------------------------------------------------------- random expressions

Maker = Callable[[], core.Expr]


class Expressions:
    """Random well-typed expressions over the playground."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.fresh = 0

    def name(self) -> str:
        self.fresh += 1
        return f"v{self.fresh}"

    def of(self, kind: Type, env: dict[str, Type], depth: int) -> core.Expr:
        """An expression of exactly this type."""
        makers = self.leaves(kind, env) if depth <= 0 else [*self.leaves(kind, env)[:1], *self.inner(kind, env, depth)]
        return self.rng.choice(makers)()

    def leaves(self, kind: Type, env: dict[str, Type]) -> list[Maker]:
        makers: list[Maker] = [lambda: const(random_value(self.rng, kind), kind)]
        for name, found in env.items():
            if found == kind:
                makers.append(lambda name=name: local(name, kind))  # type: ignore[misc]
        for info in FIELDS:
            if info.value == kind:
                makers.append(lambda info=info: read(info.name, kind, *(self.of(key, env, 0) for key in info.keys)))  # type: ignore[misc]
            if info.keys and MapType(info.keys[-1], info.value) == kind:
                makers.append(
                    lambda info=info: read(info.name, kind, *(self.of(key, env, 0) for key in info.keys[:-1]))
                )  # type: ignore[misc]
        if isinstance(kind, OptionType):
            makers += [lambda maker=maker: op("some", kind, maker()) for maker in self.leaves(kind.item, env)]  # type: ignore[misc]
        return [*makers[1:], makers[0]] if len(makers) > 1 else makers

    def inner(self, kind: Type, env: dict[str, Type], depth: int) -> list[Maker]:
        d = depth - 1
        makers: list[Maker] = [
            lambda: op("if", kind, self.of(BOOL, env, d), self.of(kind, env, d), self.of(kind, env, d)),
            lambda: self.let(kind, env, d),
            lambda: self.after(kind, env, d),
        ]
        for info in FIELDS:
            if info.value == kind and info.keys:
                makers.append(lambda info=info: read(info.name, kind, *(self.of(key, env, d) for key in info.keys)))  # type: ignore[misc]
        if not isinstance(kind, (OptionType, MapType)):
            makers.append(lambda: op("or_else", kind, self.of(OptionType(kind), env, d), self.of(kind, env, d)))
        return makers + _GROUPS[type(kind)](self, kind, env, d)

    def let(self, kind: Type, env: dict[str, Type], d: int) -> core.Expr:
        other = self.rng.choice([SMALL, CELL, PIECE, OptionType(PIECE), SetType(CELL), BOOL])
        name = self.name()
        return core.LetIn(name, self.of(other, env, d), self.of(kind, {**env, name: other}, d), kind, HERE)

    def after(self, kind: Type, env: dict[str, Type], d: int) -> core.Expr:
        moved = ("Moved", (self.of(CELL, env, d), self.of(CELL, env, 0)))
        painted = ("Painted", (self.of(CELL, env, 0), self.of(COLOUR, env, d)))
        events = self.rng.choice([(moved,), (painted,), (painted, moved)])
        return core.After(events, self.of(kind, env, d), kind, HERE)

    def comp(
        self, kind: str, result: Type, env: dict[str, Type], d: int, element: Callable[[dict[str, Type]], core.Expr]
    ) -> core.Comp:
        clauses = []
        for _ in range(self.rng.choice((1, 1, 1, 2))):
            name = self.name()
            source = self.source(env, d)
            item: Type = source.type.item  # type: ignore[union-attr]
            env = {**env, name: item}
            clauses.append(core.Clause(name, item, source, self.of(BOOL, env, d) if self.rng.random() < 0.5 else None))
        return core.Comp(kind, element(env), tuple(clauses), result, HERE)

    def source(self, env: dict[str, Type], d: int) -> core.Expr:
        if self.rng.random() < 0.4:
            every: Type = self.rng.choice([CELL, CELL, CELL, PLAYER, COLOUR, ODD])
            return const((1 << (size(every) or 0)) - 1, SetType(every))
        kind = self.rng.choice(
            [SetType(CELL), SetType(CELL), BagType(COLOUR), ListType(COLOUR, 4), SetType(ODD), SetType(PLAYER)]
        )
        return self.of(kind, env, d)

    # ------------------------------------------------------------ by type

    def bools(self, kind: Type, env: dict[str, Type], d: int) -> list[Maker]:
        def compared() -> core.Expr:
            other = self.rng.choice(
                [SMALL, CELL, COLOUR, PIECE, OptionType(PIECE), OptionType(PLAYER), ODD, SetType(CELL), BagType(COLOUR)]
            )
            return op(self.rng.choice(("eq", "ne")), BOOL, self.of(other, env, d), self.of(other, env, d))

        def ordered() -> core.Expr:
            other = self.rng.choice([SMALL, ODD, CELL, IntType(0, 100), IntType(-1000, 1000)])
            return op(self.rng.choice(("lt", "le", "gt", "ge")), BOOL, self.of(other, env, d), self.of(other, env, d))

        def narrowed() -> core.Expr:
            cell = self.of(CELL, env, 0)
            found = read("piece", OptionType(PIECE), cell)
            part = self.rng.choice(((0, PLAYER), (1, COLOUR)))
            inner = op(
                "eq", BOOL, op("get", part[1], op("unwrap", PIECE, found), data=part[0]), self.of(part[1], env, d)
            )
            return op("and", BOOL, op("is_some", BOOL, found), inner)

        def geometry() -> core.Expr:
            return self.geometry(self.rng.choice([name for name, found in env.items() if found == CELL]), env)

        options = [OptionType(PIECE), OptionType(PLAYER), OptionType(CELL)]
        groups = [SetType(CELL), BagType(COLOUR), ListType(COLOUR, 4)]
        return [
            lambda: op("and", BOOL, self.of(BOOL, env, d), self.of(BOOL, env, d)),
            lambda: op("or", BOOL, self.of(BOOL, env, d), self.of(BOOL, env, d)),
            lambda: op("not", BOOL, self.of(BOOL, env, d)),
            compared, compared, ordered, narrowed, geometry, geometry, geometry,
            lambda: op(self.rng.choice(("is_some", "is_none")), BOOL, self.of(self.rng.choice(options), env, d)),
            lambda: op("nonempty", BOOL, self.of(self.rng.choice(groups), env, d)),
            lambda: op("set_has", BOOL, self.of(SetType(CELL), env, d), self.of(CELL, env, d)),
            lambda: op("set_has", BOOL, self.of(SetType(ODD), env, d), self.of(ODD, env, d)),
            lambda: op(self.rng.choice(("set_le", "set_lt")), BOOL, self.of(SetType(CELL), env, d), self.of(SetType(CELL), env, d)),
            lambda: op("bag_has", BOOL, self.of(BagType(COLOUR), env, d), self.of(COLOUR, env, d)),
            lambda: op(self.rng.choice(("bag_le", "bag_lt")), BOOL, self.of(BagType(COLOUR), env, d), self.of(BagType(COLOUR), env, d)),
            lambda: op("list_has", BOOL, self.of(ListType(COLOUR, 4), env, d), self.of(COLOUR, env, d)),
            lambda: self.comp(self.rng.choice(("any", "all")), BOOL, env, d, lambda inner: self.of(BOOL, inner, d)),
            lambda: core.Call("occupied", (self.of(CELL, env, d),), BOOL, HERE),
        ]  # fmt: skip

    def ints(self, kind: Type, env: dict[str, Type], d: int) -> list[Maker]:
        assert isinstance(kind, IntType)
        wide = IntType(-10_000, 10_000)

        def fitted(make: Maker) -> Maker:
            return lambda: core.Checked(make(), kind.lo, kind.hi, kind, HERE)

        def two() -> tuple[core.Expr, core.Expr]:
            return self.of(self.rng.choice([SMALL, ODD]), env, d), self.of(self.rng.choice([SMALL, ODD]), env, d)

        return [
            fitted(lambda: op(self.rng.choice(("add", "sub", "mul")), wide, *two())),
            fitted(lambda: op(self.rng.choice(("floordiv", "mod")), wide, two()[0], num(self.rng.choice((-3, -1, 1, 2, 4))))),
            fitted(lambda: op(self.rng.choice(("least", "greatest")), wide, *two())),
            fitted(lambda: op(self.rng.choice(("neg", "abs")), wide, self.of(IntType(-1000, 1000), env, d))),
            fitted(lambda: op("table", IntType(1, 4), self.of(COLOUR, env, d), data=PRICE)),
            fitted(lambda: op("len", wide, self.of(self.rng.choice([SetType(CELL), BagType(COLOUR), ListType(COLOUR, 4)]), env, d))),
            fitted(lambda: op("bag_count", IntType(0, 255), self.of(BagType(COLOUR), env, d), self.of(COLOUR, env, d))),
            fitted(lambda: self.comp("sum", wide, env, d, lambda inner: self.of(self.rng.choice([SMALL, ODD]), inner, d))),
            fitted(lambda: self.comp("count", wide, env, d, lambda inner: self.of(CELL, inner, 0))),
            fitted(lambda: op("cast", SMALL, self.of(CELL, env, d))),
            fitted(lambda: op("map_get", IntType(-1000, 1000), self.of(MapType(PLAYER, IntType(-1000, 1000)), env, d), self.of(PLAYER, env, d))),
            fitted(lambda: core.Call("strict", (self.of(SMALL, env, d),), ODD, HERE)),
            fitted(lambda: core.Call("far", (self.of(CELL, env, 0), self.of(SMALL, env, 0)), COUNT, HERE)),
        ]  # fmt: skip

    def enums(self, kind: Type, env: dict[str, Type], d: int) -> list[Maker]:
        makers: list[Maker] = []
        if kind == PLAYER:
            makers += [
                lambda: op("table", PLAYER, self.of(PLAYER, env, d), data=NEXT),
                lambda: op("get", PLAYER, self.of(PIECE, env, d), data=0),
                lambda: op(
                    "list_get",
                    PLAYER,
                    op("seats_from", ListType(PLAYER, 2), self.of(PLAYER, env, d)),
                    self.of(IntType(0, 2), env, 0),
                ),
            ]
        if kind == COLOUR:
            makers += [
                lambda: op("get", COLOUR, self.of(PIECE, env, d), data=1),
                lambda: op("list_get", COLOUR, self.of(ListType(COLOUR, 4), env, d), num(self.rng.choice((-1, 0, 1)))),
            ]
        if kind == CELL:
            makers += [lambda: op("cast", CELL, self.of(SMALL, env, d))]
        return makers

    def options(self, kind: Type, env: dict[str, Type], d: int) -> list[Maker]:
        assert isinstance(kind, OptionType)
        item = kind.item
        makers: list[Maker] = [
            lambda: op("some", kind, self.of(item, env, d)),
            lambda: self.comp("first", kind, env, d, lambda inner: self.of(item, inner, d)),
            lambda: self.if_some(kind, env, d),
        ]
        if isinstance(item, IntType) or item == CELL:
            makers.append(
                lambda: self.comp(self.rng.choice(("min", "max")), kind, env, d, lambda inner: self.of(item, inner, d))
            )
        if item == COLOUR:
            makers.append(lambda: op("list_top", kind, self.of(ListType(COLOUR, 4), env, d)))
        if item == CELL:
            makers += [lambda: self.search(kind, env, d)] * 4
            makers.append(lambda: op("table", kind, self.of(CELL, env, d), self.of(SMALL, env, d), data=OFFSET))
        return makers

    def geometry(self, name: str, env: dict[str, Type]) -> core.Expr:
        """A property of the cell at a place, or that place compared with another."""
        place = local(name, CELL)
        men = read("men", IntType(0, 15), self.of(PLAYER, env, 0), place)
        piece = read("piece", OptionType(PIECE), place)
        owner = core.IfSome(
            "x",
            piece,
            op("some", OptionType(PLAYER), op("get", PLAYER, local("x", PIECE), data=0)),
            OptionType(PLAYER),
            HERE,
        )
        return self.rng.choice([
            lambda: op(self.rng.choice(("lt", "le", "gt", "ge")), BOOL, place, self.of(CELL, env, 0)),
            lambda: op(self.rng.choice(("lt", "le", "gt", "ge")), BOOL, self.of(CELL, env, 0), place),
            lambda: op("gt", BOOL, men, self.of(SMALL, env, 0)),
            lambda: op("eq", BOOL, piece, op("some", OptionType(PIECE), self.of(PIECE, env, 1))),
            lambda: op("eq", BOOL, owner, op("some", OptionType(PLAYER), self.of(PLAYER, env, 0))),
            lambda: op(self.rng.choice(("is_some", "is_none")), BOOL, piece),
            lambda: op(self.rng.choice(("eq", "ne")), BOOL, read("level", ODD, place), self.of(ODD, env, 0)),
            lambda: read("open", BOOL, place),
            lambda: op("set_has", BOOL, read("marks", SetType(CELL)), place),
            lambda: op("not", BOOL, op("or", BOOL, self.geometry(name, env), self.geometry(name, env))),
            lambda: op("not", BOOL, self.geometry(name, env)),
        ])()  # fmt: skip

    def over_all_cells(self) -> core.Expr:
        """Something asked about all cells at once."""
        rng, kind = (
            self.rng,
            self.rng.choice(
                ("any", "all", "count", "first", "min", "max", "set", "list", "sum", "has", "some", "default")
            ),
        )
        name = self.name()
        env = {**ENV, name: CELL}
        every = const(EVERY_CELL, SetType(CELL))
        tests = [self.geometry(name, env) for _ in range(rng.choice((0, 1, 1, 1, 2, 2, 3)))]
        condition = None
        for test in tests:
            condition = test if condition is None else op("and", BOOL, condition, test)
        clause = (core.Clause(name, CELL, every, condition),)
        place = local(name, CELL)
        kept = core.Comp("set", place, clause, SetType(CELL), HERE)
        plain: dict[str, Callable[[], core.Expr]] = {
            "any": lambda: core.Comp("any", self.geometry(name, env), clause, BOOL, HERE),
            "all": lambda: core.Comp("all", self.geometry(name, env), clause, BOOL, HERE),
            "count": lambda: core.Comp("count", place, clause, IntType(0, 6), HERE),
            "sum": lambda: core.Comp("sum", op("cast", SMALL, place), clause, IntType(0, 15), HERE),
            "set": lambda: kept,
            "list": lambda: core.Comp("list", place, clause, ListType(CELL, 6), HERE),
            "has": lambda: op("set_has", BOOL, kept, S),
            "some": lambda: rng.choice([op("nonempty", BOOL, kept), op("gt", BOOL, op("len", IntType(0, 6), kept), num(0))]),
            "default": lambda: op("or_else", CELL, core.Comp(rng.choice(("first", "max")), place, clause, OptionType(CELL), HERE), S),
        }  # fmt: skip
        if kind in plain:
            return plain[kind]()
        return core.Comp(kind, place, clause, OptionType(CELL), HERE)

    def search(self, kind: Type, env: dict[str, Type], d: int) -> core.Expr:
        """The first, least or last cell with a property."""
        name = self.name()
        inner = {name: CELL, **env}
        clause = core.Clause(name, CELL, const(EVERY_CELL, SetType(CELL)), self.of(BOOL, inner, d))
        return core.Comp(self.rng.choice(("first", "min", "max")), local(name, CELL), (clause,), kind, HERE)

    def if_some(self, kind: Type, env: dict[str, Type], d: int) -> core.Expr:
        other = self.rng.choice([OptionType(PIECE), OptionType(PLAYER)])
        name = self.name()
        return core.IfSome(name, self.of(other, env, d), self.of(kind, {**env, name: other.item}, d), kind, HERE)

    def records(self, kind: Type, env: dict[str, Type], d: int) -> list[Maker]:
        return [lambda: op("record", PIECE, self.of(PLAYER, env, d), self.of(COLOUR, env, d))]

    def sets(self, kind: Type, env: dict[str, Type], d: int) -> list[Maker]:
        assert isinstance(kind, SetType)
        item = kind.item
        makers: list[Maker] = [
            lambda: op("set_of", kind, *(self.of(item, env, d) for _ in range(self.rng.randrange(3)))),
            lambda: op("set_add", kind, self.of(kind, env, d), self.of(item, env, d)),
            lambda: op("set_remove", kind, self.of(kind, env, d), self.of(item, env, d)),
            lambda: op(self.rng.choice(("set_union", "set_inter", "set_diff", "set_minus")), kind, self.of(kind, env, d), self.of(kind, env, d)),
            lambda: self.comp("set", kind, env, d, lambda inner: self.of(item, inner, d)),
        ]  # fmt: skip
        if item == CELL:
            makers.append(lambda: op("table", kind, self.of(CELL, env, d), data=NEIGHBOURS))
        if item == COLOUR:
            makers.append(lambda: op("distinct", kind, self.of(BagType(COLOUR), env, d)))
            makers.append(lambda: op("to_set", kind, self.of(ListType(COLOUR, 4), env, d)))
        if item == ODD:
            makers.append(lambda: op("range", kind, self.of(ODD, env, d), self.of(ODD, env, d)))
        return makers

    def bags(self, kind: Type, env: dict[str, Type], d: int) -> list[Maker]:
        return [
            lambda: op("bag_of", kind, *(self.of(COLOUR, env, d) for _ in range(self.rng.randrange(3)))),
            lambda: op("bag_counts", kind, self.of(SMALL, env, d), self.of(IntType(-1000, 1000), env, d), data=(2, 0)),
            lambda: op(
                self.rng.choice(("bag_add", "bag_remove")), kind, self.of(kind, env, d), self.of(COLOUR, env, d)
            ),
            lambda: op(self.rng.choice(("bag_plus", "bag_minus")), kind, self.of(kind, env, d), self.of(kind, env, d)),
            lambda: op("bag_scale", kind, self.of(kind, env, d), self.of(IntType(0, 100), env, d)),
            lambda: op(
                "bag_from", kind, self.of(self.rng.choice([SetType(COLOUR), ListType(COLOUR, 4), kind]), env, d)
            ),
            lambda: self.comp("bag", kind, env, d, lambda inner: self.of(COLOUR, inner, d)),
        ]

    def lists(self, kind: Type, env: dict[str, Type], d: int) -> list[Maker]:
        assert isinstance(kind, ListType)
        item = kind.item
        makers: list[Maker] = [
            lambda: op("list_of", kind, *(self.of(item, env, d) for _ in range(self.rng.randrange(6)))),
            lambda: op("list_append", kind, self.of(kind, env, d), self.of(item, env, d)),
            lambda: op("list_concat", kind, self.of(kind, env, d), self.of(kind, env, d)),
            lambda: op("list_slice", kind, self.of(kind, env, d), const(None, OptionType(SMALL)), num(self.rng.choice((-1, 0, 2)))),
            lambda: op("list_slice", kind, self.of(kind, env, d), self.of(SMALL, env, d), const(None, OptionType(SMALL))),
            lambda: self.comp("list", kind, env, d, lambda inner: self.of(item, inner, d)),
        ]  # fmt: skip
        if item == COLOUR:
            every = ListType(COLOUR, 765)
            makers.append(
                lambda: op(
                    "list_concat", kind, const((), kind), op("elements", every, self.of(BagType(COLOUR), env, d))
                )
            )
        return makers

    def maps(self, kind: Type, env: dict[str, Type], d: int) -> list[Maker]:
        assert isinstance(kind, MapType)
        count = size(kind.key) or 0

        def comprehended() -> core.Expr:
            name = self.name()
            every = const((1 << count) - 1, SetType(kind.key))
            condition = self.of(BOOL, {**env, name: kind.key}, d) if self.rng.random() < 0.3 else None
            value = self.of(kind.value, {**env, name: kind.key}, d)
            return core.Comp(
                "map", value, (core.Clause(name, kind.key, every, condition),), kind, HERE, local(name, kind.key)
            )

        return [lambda: op("map_of", kind, *(self.of(kind.value, env, d) for _ in range(count))), comprehended]


_GROUPS: dict[type, Callable[[Expressions, Type, dict[str, Type], int], list[Maker]]] = {
    BoolType: Expressions.bools, IntType: Expressions.ints, EnumType: Expressions.enums, OptionType: Expressions.options,
    RecordType: Expressions.records, SetType: Expressions.sets, BagType: Expressions.bags, ListType: Expressions.lists,
    MapType: Expressions.maps,
}  # fmt: skip

KINDS: tuple[Type, ...] = (
    BOOL, BOOL, BOOL, SMALL, ODD, CELL, PLAYER, COLOUR, PIECE, OptionType(PIECE), OptionType(CELL), OptionType(SMALL), SetType(CELL),
    SetType(ODD), SetType(COLOUR), BagType(COLOUR), ListType(COLOUR, 4), MapType(PLAYER, IntType(-1000, 1000)),
)  # fmt: skip


# ---------------------------------------------------------------- random bodies


class Bodies(Expressions):
    """Random bodies of defs: lets, variables, ifs, loops, early returns."""

    def body(self, kind: Type, env: dict[str, Type], depth: int, in_loop: bool = False) -> core.Body:
        """Statements of which the last returns, unless they are in a loop."""
        stmts: list[core.Stmt] = []
        env = dict(env)
        for _ in range(self.rng.randrange(1, 4)):
            stmts += self.statement(kind, env, depth, in_loop)
        if not in_loop:
            stmts.append(core.ReturnStmt(self.of(kind, env, self.rng.randrange(3)), HERE))
        return tuple(stmts)

    def statement(self, kind: Type, env: dict[str, Type], depth: int, in_loop: bool) -> list[core.Stmt]:
        rng = self.rng
        choice = rng.choice(("let", "let", "var", "if", "if", "for", "return", "again", "break"))
        if choice == "let":
            other = rng.choice([OptionType(PIECE), OptionType(PIECE), CELL, SMALL, BOOL, SetType(CELL)])
            name = self.name()
            value = self.of(other, env, rng.randrange(2))
            env[name] = other
            return [core.Bind(name, value, HERE)]
        if choice == "var":
            name = self.name()
            start = self.of(SMALL, env, 0)
            env[name] = SMALL
            more = core.Bind(name, self.of(SMALL, env, 1), HERE, False)
            return [core.Bind(name, start, HERE), core.IfStmt(self.of(BOOL, env, 1), (more,), (), HERE)]
        if choice == "again":
            old = [name for name, found in env.items() if found == SMALL and name.startswith("v")]
            return (
                [core.Bind(rng.choice(old), self.of(SMALL, env, 1), HERE, False)]
                if old and depth > 0 and not in_loop
                else []
            )
        if choice == "return" and rng.random() < 0.5:
            done = core.ReturnStmt(self.of(kind, env, 1), HERE)
            return [core.IfStmt(self.of(BOOL, env, 2), (done,), (), HERE)]
        if choice == "break" and in_loop:
            return [
                core.IfStmt(
                    self.of(BOOL, env, 1), (rng.choice((core.BreakStmt(HERE), core.ContinueStmt(HERE))),), (), HERE
                )
            ]
        if depth <= 0:
            return []
        if choice == "if":
            then = self.body(kind, env, depth - 1, in_loop)
            otherwise = self.body(kind, env, depth - 1, in_loop) if rng.random() < 0.5 else ()
            return [core.IfStmt(self.of(BOOL, env, 2), then, otherwise, HERE)]
        name = self.name()
        source = self.source(env, 1)
        item: Type = source.type.item  # type: ignore[union-attr]
        inner = {**env, name: item}
        condition = self.of(BOOL, inner, 1) if rng.random() < 0.5 else None
        return [core.ForStmt(name, item, source, condition, self.body(kind, inner, depth - 1, True), HERE)]


# ---------------------------------------------------------------- random actions


class Actions(Expressions):
    """Random actions: chosen parameters over domains of every kind, lets and guards that may depend on each other."""

    def action(self, position: int) -> core.ActionInfo:
        rng = self.rng
        env: dict[str, Type] = {"me": PLAYER, "g": CELL}
        chosen: list[core.Chosen] = []
        for _ in range(rng.choice((0, 1, 1, 2, 2, 3))):
            domain = self.domain(env if rng.random() < 0.4 else {"me": PLAYER, "g": CELL})
            name = self.name()
            item: Type = domain.type.item  # type: ignore[union-attr]
            chosen.append(core.Chosen(name, item, domain, HERE))
            env[name] = item
        prelude: list[core.Guard | core.ActionLet] = []
        for _ in range(rng.choice((0, 1, 1, 2, 3))):
            seen = dict(rng.sample(sorted(env.items(), key=lambda pair: pair[0]), rng.randrange(1, len(env) + 1)))
            seen["g"] = CELL
            name = self.name()
            relies = tuple(part.name for part in prelude if rng.random() < 0.3)
            if rng.random() < 0.25:
                prelude.append(core.ActionLet(name, self.of(SMALL, seen, 1), relies, HERE))
                env[name] = SMALL
            else:
                cells = [key for key, kind in seen.items() if kind == CELL]
                condition = (
                    self.geometry(rng.choice(cells), seen) if cells and rng.random() < 0.6 else self.of(BOOL, seen, 1)
                )
                prelude.append(core.Guard(name, condition, core.Template(("no",), HERE), relies, HERE))
        given = (param("g", CELL),)
        return core.ActionInfo(
            f"act{position}", position, PLAYER, given, tuple(chosen), tuple(prelude), (), (), None, HERE
        )

    def domain(self, env: dict[str, Type]) -> core.Expr:
        kind = self.rng.choice(
            [
                SetType(CELL),
                SetType(CELL),
                SetType(CELL),
                SetType(ODD),
                BagType(COLOUR),
                ListType(COLOUR, 4),
                SetType(PLAYER),
                ListType(PIECE, 3),
            ]
        )
        if kind == SetType(CELL) and self.rng.random() < 0.6:
            return const(EVERY_CELL, kind)
        if kind == ListType(PIECE, 3):
            return read("trail", kind, self.of(CELL, env, 0))
        return self.of(kind, env, self.rng.randrange(2))
