"""What the names of a program mean: its declarations, its types, and what is known before play.

`collect` enters every declaration once. Types, constants, parameters, boards and attributes are worked out when they are
first asked for, so that they may stand in any order; a circle among them is an error.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from attrs import define, field

from rulesdsl import boards, core, fold, syntax
from rulesdsl.diagnostics import Diagnostic, Label, Source, Span, closest
from rulesdsl.types import (
    COLLECTION_LIMIT,
    INT,
    UNKNOWN,
    BagType,
    BoolType,
    EnumType,
    IntType,
    ListType,
    MapType,
    NothingType,
    OptionType,
    RecordType,
    SetType,
    Type,
    contains,
    describe,
    size,
)

if TYPE_CHECKING:
    from rulesdsl.check_expr import ExprChecker

BUILT_IN_TYPES: dict[str, Type] = {"int": INT, "bool": BoolType()}
FUNCTIONS = (
    "abs", "all", "any", "bag", "count", "count_of", "distinct", "first", "len", "max", "min", "seats_from", "set", "sum",
)  # fmt: skip
ELSEWHERE = {
    "range": "a range is written `1..6`", "list": "a list is written `[...]`", "dict": "a map is written `{k: ...}`",
    "length": "the size of a collection is `len(...)`", "size": "the size of a collection is `len(...)`",
    "maximum": "the greatest is `max(...)`", "minimum": "the least is `min(...)`", "exists": "write `any(...)`",
    "random": "chance is drawn in a flow: `draw x from 1..6`", "randint": "chance is drawn in a flow: `draw x from 1..6`",
    "shuffle": "nothing is shuffled: `draw` takes any element", "choice": "chance is drawn in a flow: `draw x from ...`",
    "sorted": "collections are gone through in declared order", "print": "what players read are the sentences of events",
    "reversed": "collections are gone through in declared order", "self": "whoever acts is `me`",
    "str": "there are no texts as values: use an enum", "string": "there are no texts as values: use an enum",
    "float": "there are no fractions: count in smaller units",
}  # fmt: skip
"""Words that other languages have, and what to write instead."""
SPECIAL = ("me", "before", "winners", "scores", "Player", "players", "Ended")
MAX_SEATS = 12


@define(eq=False)
class Entity:
    """One declared name. `kind` is the word of its declaration (or `seat`, `place type`)."""

    kind: str
    name: str
    span: Span
    decl: Any
    used: bool = False
    busy: bool = False
    value: Any = None
    ready: bool = False


@define(eq=False)
class Names:
    """The names of one program, specialised to parameter values and a number of seats."""

    source: Source
    module: syntax.Module
    settings: Mapping[str, Any]
    seats: int | None
    diagnostics: list[Diagnostic] = field(factory=list)
    entities: dict[str, Entity] = field(factory=dict)
    members: dict[str, list[tuple[str, int]]] = field(factory=dict)
    attributes: dict[tuple[str, str], boards.Attribute] = field(factory=dict)
    shapes: dict[str, boards.Shape] = field(factory=dict)
    game: syntax.Game | None = None
    player: EnumType = field(default=EnumType("Player", ("player0", "player1"), kind="player"))
    checker: ExprChecker | None = None
    place_spans: dict[str, Span] = field(factory=dict)
    checked_actions: dict[str, core.ActionInfo] = field(factory=dict)
    misnamed: set[str] = field(factory=set)
    """Words of the language that were declared all the same: what they mean where they are used is not known."""
    resolvers: dict[str, Callable[[Names, Entity], Any]] = field(factory=dict)
    files: dict[str, int] = field(factory=dict)

    # ------------------------------------------------------------ reporting

    def report(
        self,
        code: str,
        title: str,
        span: Span,
        text: str = "",
        *hints: str,
        labels: tuple[Label, ...] = (),
        severity: str = "error",
    ) -> None:
        """Add a diagnostic."""
        self.diagnostics.append(Diagnostic(code, title, span, text, labels, tuple(h for h in hints if h), severity))

    def suggestion(self, word: str, extra: Iterable[str] = ()) -> str:
        """`did you mean ...?` with what and where it is, or nothing."""
        pool = {*self.entities, *self.members, *FUNCTIONS, *BUILT_IN_TYPES, *extra, "Player"}
        found = closest(word, pool)
        return ELSEWHERE.get(word, "") if found is None else self.meant(found)

    def meant(self, found: str) -> str:
        """`did you mean ...?` about a name of the program."""
        entity = self.entities.get(found)
        if entity is not None:
            return f"did you mean `{found}`? ({entity.kind}, {self.place(entity.span)})"
        if found in self.members:
            owner = self.members[found][0][0]
            return f"did you mean `{found}`? ({'a seat' if owner == 'Player' else f'a member of {owner}'})"
        return f"did you mean `{found}`?"

    def nearest(self, word: str, kinds: tuple[str, ...], extra: Iterable[str] = ()) -> str:
        """Like `suggestion`, among the declarations of some kinds; where none is near, the few that there are."""
        pool = [e.name for e in self.entities.values() if e.kind in kinds]
        found = closest(word, [*pool, *extra])
        if found is not None:
            return self.meant(found)
        if word in ELSEWHERE and not {"event", "action"} & set(kinds):
            return ELSEWHERE[word]
        if len(kinds) == 1 and 0 < len(pool) <= 6:
            return f"the {kinds[0]}s are {', '.join(pool)}" if len(pool) > 1 else f"the only {kinds[0]} is `{pool[0]}`"
        return ""

    # ------------------------------------------------------------ lookup

    def member_span(self, owner: str, position: int) -> Span:
        """Where a member of an enum is declared, or a seat."""
        entity = self.entities.get(owner)
        if entity is not None and isinstance(entity.decl, syntax.Enum):
            return entity.decl.members[position].name.span
        if owner == "Player" and self.game is not None and self.game.seats:
            return self.game.seats[position].span
        return entity.span if entity is not None else Span(self.source, 0, 0)

    def use(self, name: str) -> Entity | None:
        """The entity of a name, marked as used, or None."""
        entity = self.entities.get(name)
        if entity is not None:
            entity.used = True
        return entity

    def temporary(self, span: Span) -> str:
        """The name of a local that the compiler makes for a place; each place has its own, whatever file it is in."""
        number = self.files.setdefault(span.source.name, len(self.files))
        return f"_{span.start}" + (f"_{number}" if number else "")

    def place(self, span: Span) -> str:
        """`line 12`, and of what file where that is not the one that is checked."""
        elsewhere = span.source.name != self.source.name
        return f"{span.source.name}:{span.line}" if elsewhere else f"line {span.line}"

    def expr(self) -> ExprChecker:
        assert self.checker is not None
        return self.checker

    def resolve(self, entity: Entity) -> Any:
        """Work out what an entity stands for: a type, a constant, a shape. A circle is reported."""
        if entity.ready:
            return entity.value
        if entity.busy:
            self.report("N210", f"`{entity.name}` is defined by itself", entity.span, "a circle of definitions")
            entity.ready, entity.value = True, UNKNOWN
            return entity.value
        entity.busy = True
        value = {**_RESOLVE, **self.resolvers}[entity.kind](self, entity)
        entity.busy = False
        if not entity.ready:
            entity.value, entity.ready = value, True
        return entity.value

    # ------------------------------------------------------------ types

    def type_of(self, node: syntax.TypeExpr) -> Type:
        """The type that is written, UNKNOWN after a report."""
        if isinstance(node, syntax.NamedType):
            return self.named_type(node.id, node.span)
        if isinstance(node, syntax.OptionalType):
            item = self.type_of(node.item)
            if isinstance(item, OptionType):
                self.report(
                    "T301", f"`{describe(item)}` is optional already", node.span, "one `?` is enough", "remove a `?`"
                )
                return item
            return UNKNOWN if item == UNKNOWN else OptionType(item)
        if isinstance(node, syntax.RangeType):
            lo, hi = (
                self.known_int(node.lo, "the lower end of a range"),
                self.known_int(node.hi, "the upper end of a range"),
            )
            if lo is None or hi is None:
                return UNKNOWN
            if lo > hi:
                self.report("T307", f"the range {lo}..{hi} is empty", node.span, "the lower end comes first")
                return UNKNOWN
            return IntType(lo, hi)
        if isinstance(node, syntax.ListOf):
            item, limit = self.type_of(node.item), self.known_int(node.limit, "the maximum length of a list")
            if item == UNKNOWN or limit is None:
                return UNKNOWN
            if limit < 0:
                self.report("T307", "a list cannot have a negative length", node.limit.span)
                return UNKNOWN
            return ListType(item, limit)
        if isinstance(node, syntax.MapOf):
            key, value = self.type_of(node.key), self.type_of(node.value)
            if UNKNOWN in (key, value) or not self.countable(key, node.key.span, "the keys of a map"):
                return UNKNOWN
            return MapType(key, value)
        item = self.type_of(node.item)
        what = "a set" if isinstance(node, syntax.SetOf) else "a bag"
        if item == UNKNOWN or not self.countable(item, node.span, what):
            return UNKNOWN
        return SetType(item) if isinstance(node, syntax.SetOf) else BagType(item)

    def countable(self, item: Type, span: Span, what: str) -> bool:
        """Whether a type has few enough values to be an element or a key; reports it if not."""
        count = size(item)
        if count is not None and count <= COLLECTION_LIMIT:
            return True
        many = "too many" if count is None else f"{count:,}"
        self.report(
            "T315", f"{what} of `{describe(item)}` is too large", span, f"{many} different values, at most {COLLECTION_LIMIT:,}",
            "give a smaller range, for example `0..20`",
        )  # fmt: skip
        return False

    def named_type(self, name: str, span: Span) -> Type:
        if name in BUILT_IN_TYPES:
            return BUILT_IN_TYPES[name]
        if name == "Player":
            return self.player
        entity = self.use(name)
        if entity is None:
            kinds = [e.name for e in self.entities.values() if e.kind in ("enum", "record", "board")]
            found = closest(name, [*kinds, *BUILT_IN_TYPES, "Player"])
            hint = f"did you mean `{found}`?" if found else ELSEWHERE.get(name, "")
            hint = hint or "types are int, bool, lo..hi, Player, and what you declare"
            self.report("N206", f"there is no type `{name}`", span, "not a type", hint)
            return UNKNOWN
        if entity.kind not in ("enum", "record", "board"):
            self.report(
                "N206",
                f"`{name}` is not a type",
                span,
                f"it is {article(entity.kind)}",
                labels=(Label(entity.span, "declared here"),),
            )
            return UNKNOWN
        found_type: Type = self.resolve(entity)
        return found_type

    # ------------------------------------------------------------ known values

    def known(self, node: syntax.Expr, want: Type | None, what: str) -> tuple[Type, Any] | None:
        """The type and value of an expression that must be known before play; None after a report."""
        expr = self.expr().constant(node, want)
        if expr.type == UNKNOWN:
            return None
        try:
            return expr.type, fold.evaluate(expr)
        except fold.OutOfRange as why:
            self.report("T307", str(why), node.span, what)
            return None
        except fold.NotKnown as why:
            self.report("T314", f"{what} must be known before play", node.span, str(why))
            return None

    def known_int(self, node: syntax.Expr, what: str) -> int | None:
        found = self.known(node, INT, what)
        return found[1] if found is not None else None

    def domain(self, name: str) -> EnumType | None:
        """The enum, board type or Player of that name, or None."""
        if name == "Player":
            return self.player
        entity = self.entities.get(name)
        if entity is None or entity.kind not in ("enum", "board"):
            return None
        entity.used = True
        found = self.resolve(entity)
        return found if isinstance(found, EnumType) else None

    def attribute(self, kind: Type, name: str) -> boards.Attribute | None:
        if not isinstance(kind, EnumType):
            return None
        if kind.kind == "enum":
            self.ensure_attributes(kind.name)
        return self.attributes.get((kind.name, name))

    def ensure_attributes(self, enum: str) -> None:
        entity = self.entities.get(enum)
        if entity is not None and entity.kind == "enum":
            marker = self.entities[enum]
            if not isinstance(marker.decl, syntax.Enum) or (enum, "") in self.attributes:
                return
            self.attributes[(enum, "")] = boards.NO_ATTRIBUTE
            _enum_attributes(self, marker.decl)


def article(word: str) -> str:
    return f"an {word}" if word[0] in "aeiou" else f"a {word}"


# ---------------------------------------------------------------- collecting


def collect(source: Source, module: syntax.Module, settings: Mapping[str, Any], seats: int | None) -> Names:
    """Enter all declarations of a module. Reports what is declared twice or takes a built-in name."""
    names = Names(source, module, settings, seats)
    for decl in module.declarations:
        if isinstance(decl, syntax.Game):
            if names.game is not None:
                first = Label(names.game.span, "the first is here")
                names.report("G601", "a file holds one game", decl.span, "a second `game`", labels=(first,))
            else:
                names.game = decl
        elif isinstance(decl, syntax.State):
            for item in decl.fields:
                _enter(names, "field", item.name, item)
        elif isinstance(decl, syntax.Board):
            for name in decl.names:
                _enter(names, "board", name, decl)
        elif hasattr(decl, "name"):
            _enter(names, type(decl).__name__.lower(), decl.name, decl)
    _seats(names)
    for decl in module.declarations:
        if isinstance(decl, syntax.Enum):
            _members(names, decl)
    return names


def _enter(names: Names, kind: str, name: syntax.Name, decl: Any) -> None:
    if name.id in FUNCTIONS or name.id in SPECIAL or name.id in BUILT_IN_TYPES:
        names.report("N207", f"`{name.id}` is a word of the language", name.span, "choose another name")
        names.misnamed.add(name.id)
        return
    first = names.entities.get(name.id)
    if first is not None:
        label = Label(first.span, f"the {first.kind} is here")
        names.report(
            "N202", f"`{name.id}` is declared twice", name.span, "the second time", "give one of the two another name",
            labels=(label,),
        )  # fmt: skip
        return
    names.entities[name.id] = Entity(kind, name.id, name.span, decl)


def _members(names: Names, decl: syntax.Enum) -> None:
    seen: dict[str, Span] = {}
    for position, member in enumerate(decl.members):
        word = member.name.id
        if word in seen:
            names.report(
                "N202",
                f"`{word}` is declared twice",
                member.name.span,
                "the second time",
                labels=(Label(seen[word], "the first is here"),),
            )
            continue
        seen[word] = member.name.span
        other = names.entities.get(word)
        if other is not None:
            here, there = (member.name.span, f"a member of {decl.name.id}"), (other.span, f"the {other.kind}")
            first, second = sorted((here, there), key=lambda place: place[0].start)
            names.report(
                "N202", f"`{word}` is declared twice", second[0], f"{second[1]}, the second time",
                "a member may share its name with a member of another enum, not with anything else",
                labels=(Label(first[0], f"{first[1]} is here"),),
            )  # fmt: skip
        if word in FUNCTIONS or word in SPECIAL:
            names.report("N207", f"`{word}` is a word of the language", member.name.span, "choose another name")
        if (decl.name.id, position) not in names.members.setdefault(word, []):
            names.members[word].append((decl.name.id, position))


def _seats(names: Names) -> None:
    game = names.game
    if game is None:
        span = Span(names.source, 0, min(1, len(names.source.text)))
        names.report("G601", "the file declares no game", span, "", "begin with `game NAME:` and its `players`")
        return
    if game.seats:
        if len({s.id for s in game.seats}) != len(game.seats):
            names.report("N202", "a seat is named twice", game.seats[-1].span)
        members = tuple(seat.id for seat in game.seats)
    else:
        low, _ = seat_range(names)
        count = names.seats if names.seats is not None else low
        members = tuple(f"player{i}" for i in range(max(1, min(count, MAX_SEATS))))
    names.player = EnumType("Player", members, kind="player")
    for position, word in enumerate(members):
        entity = names.entities.get(word)
        if entity is not None:
            where = game.seats[position].span if game.seats else game.span
            label = Label(entity.span, f"the {entity.kind} is here")
            names.report("N202", f"`{word}` is declared twice", where, "a seat", labels=(label,))
        names.members.setdefault(word, []).append(("Player", position))
    count = len(members)
    shift = tuple((i + 1) % count for i in range(count))
    back = tuple((i - 1) % count for i in range(count))
    for attr, values in (("next", shift), ("previous", back)):
        table = core.Table(f"Player_{attr}", ((0, count),), values)
        names.attributes[("Player", attr)] = boards.Attribute(names.player, table)
    seat = core.Table("Player_seat", ((0, count),), tuple(range(count)))
    names.attributes[("Player", "seat")] = boards.Attribute(IntType(0, count - 1), seat)


def seat_range(names: Names) -> tuple[int, int]:
    """The least and the greatest number of seats that the game allows."""
    game = names.game
    if game is None:
        return 2, 2
    if game.seats:
        return len(game.seats), len(game.seats)
    node = game.seat_count
    if node is None:
        names.report(
            "G602", "the game does not say who plays", game.span, "", "add `players 2..4` or `players white, black`"
        )
        return 2, 2
    if isinstance(node, syntax.RangeExpr) and isinstance(node.lo, syntax.IntLit) and isinstance(node.hi, syntax.IntLit):
        low, high = node.lo.value, node.hi.value
    elif isinstance(node, syntax.IntLit):
        low = high = node.value
    else:
        names.report(
            "G602", "the number of players is a number or a range", node.span, "", "for example `players 2..4`"
        )
        return 2, 2
    if not 1 <= low <= high <= MAX_SEATS:
        names.report("G602", f"a game has 1 to {MAX_SEATS} players, the smaller number first", node.span)
        return 2, 2
    return low, high


# ---------------------------------------------------------------- resolving


def _resolve_enum(names: Names, entity: Entity) -> Type:
    decl: syntax.Enum = entity.decl
    return EnumType(decl.name.id, tuple(member.name.id for member in decl.members))


def _by_attribute(names: Names, decl: syntax.Enum, member: syntax.Member) -> list[syntax.Arg | None]:
    """The values of a member in the order of the attributes, whether they are named or not; None after a report."""
    order = [attr.name.id for attr in decl.attributes]
    found: dict[str, syntax.Arg] = {}
    for position, arg in enumerate(member.args):
        name = order[position] if arg.name is None else arg.name.id
        if name not in order:
            near = closest(name, order)
            hint = f"did you mean `{near}`?" if near else f"the attributes of {decl.name.id} are {', '.join(order)}"
            names.report(
                "N208", f"`{decl.name.id}` has no attribute `{name}`", arg.name.span if arg.name else arg.span, "", hint
            )
        elif name in found:
            names.report(
                "G605", f"`{name}` is given twice", arg.span, "", labels=(Label(found[name].span, "first here"),)
            )
        else:
            found[name] = arg
    return [found.get(name) for name in order]


def _enum_attributes(names: Names, decl: syntax.Enum) -> None:
    firsts: dict[str, Span] = {}
    for attr in decl.attributes:
        first = firsts.setdefault(attr.name.id, attr.name.span)
        if first is not attr.name.span:
            names.report(
                "N202", f"`{attr.name.id}` is declared twice", attr.name.span, "the second time",
                labels=(Label(first, "the first is here"),),
            )  # fmt: skip
            names.attributes.update({(decl.name.id, a.name.id): boards.NO_ATTRIBUTE for a in decl.attributes})
            return
    kinds = [(attr.name, names.type_of(attr.type)) for attr in decl.attributes]
    columns: list[list[Any]] = [[] for _ in kinds]
    for member in decl.members:
        if len(member.args) != len(kinds):
            names.report(
                "G605", f"`{member.name.id}` needs {len(kinds)} value{'' if len(kinds) == 1 else 's'}, has {len(member.args)}",
                member.span, "", f"the attributes of {decl.name.id} are {', '.join(n.id for n, _ in kinds) or 'none'}",
                labels=(Label(decl.name.span, "declared here"),),
            )  # fmt: skip
            continue
        for (_, kind), arg, column in zip(kinds, _by_attribute(names, decl, member), columns, strict=True):
            if kind == UNKNOWN or arg is None:
                continue
            found = names.known(arg.value, kind, "a member's value")
            if found is not None:
                if not contains(kind, found[1]):
                    names.report("T307", f"{arg.value.span.text} is not within {describe(kind)}", arg.value.span)
                column.append(found[1])
    count = len(decl.members)
    for (name, kind), column in zip(kinds, columns, strict=True):
        complete = len(column) == count and kind != UNKNOWN
        table = core.Table(f"{decl.name.id}_{name.id}", ((0, count),), tuple(column))
        if complete and isinstance(kind, IntType):
            kind = IntType(min(column), max(column))
        names.attributes[(decl.name.id, name.id)] = boards.Attribute(kind if complete else UNKNOWN, table)


def _resolve_record(names: Names, entity: Entity) -> Type:
    decl: syntax.Record = entity.decl
    fields: list[tuple[str, Type]] = []
    for item in decl.fields:
        kind = names.type_of(item.type)
        if item.name.id in [name for name, _ in fields]:
            first = next(f.name.span for f in decl.fields if f.name.id == item.name.id)
            names.report(
                "N202", f"`{item.name.id}` is declared twice", item.name.span, "the second time",
                labels=(Label(first, "the first is here"),),
            )  # fmt: skip
        fields.append((item.name.id, kind))
    if any(kind == UNKNOWN for _, kind in fields):
        return UNKNOWN
    return RecordType(decl.name.id, tuple(fields))


def _resolve_board(names: Names, entity: Entity) -> Type:
    decl: syntax.Board = entity.decl
    key = decl.names[0].id
    if key not in names.shapes:
        shape = _shape(names, decl)
        if shape is None:
            return UNKNOWN
        names.shapes[key] = shape
        names.attributes.update(shape.attributes)
        for kind in shape.types:
            if kind.ordered:
                continue
            for position, word in enumerate(kind.members):
                names.place_spans[word] = decl.span
                other = names.entities.get(word)
                if other is not None:
                    names.report(
                        "N202", f"`{word}` is the name of a place", other.span, f"this {other.kind}",
                        "place names may not be used again", labels=(Label(decl.span, "the board is here"),),
                    )  # fmt: skip
                for enum, member in names.members.get(word, ()):
                    if names.entities.get(enum) is not None and names.entities[enum].kind == "enum":
                        names.report(
                            "N202", f"`{word}` is the name of a place", names.member_span(enum, member), f"a member of {enum}",
                            "place names may not be used again", labels=(Label(decl.span, "the board is here"),),
                        )  # fmt: skip
                names.members.setdefault(word, []).append((kind.name, position))
    types = names.shapes[key].types
    return types[[name.id for name in decl.names].index(entity.name)]


def _shape(names: Names, decl: syntax.Board) -> boards.Shape | None:
    call = decl.shape
    if not isinstance(call, syntax.Call) or not isinstance(call.fn, syntax.NameExpr):
        names.report("G603", "a board needs a shape", call.span, "", f"shapes are {', '.join(sorted(boards.SHAPES))}")
        return None
    make = boards.SHAPES.get(call.fn.id)
    if make is None:
        found = closest(call.fn.id, boards.SHAPES)
        hint = f"did you mean `{found}`?" if found else f"shapes are {', '.join(sorted(boards.SHAPES))}"
        names.report("G603", f"there is no board shape `{call.fn.id}`", call.fn.span, "not a shape", hint)
        return None
    numbers: list[int] = []
    named: dict[str, Any] = {}
    for arg in call.args:
        found_value = names.known(arg.value, None, "the size of a board")
        if found_value is None:
            return None
        if arg.name is not None:
            named[arg.name.id] = found_value[1]
        elif isinstance(found_value[0], IntType):
            numbers.append(found_value[1])
        else:
            names.report("G603", "the size of a board is a number", arg.value.span, f"this is `{found_value[0]}`")
            return None
    try:
        return make([name.id for name in decl.names], numbers, named)
    except boards.ShapeError as why:
        names.report("G603", "this board cannot be made", call.span, str(why))
        return None


def _resolve_param(names: Names, entity: Entity) -> tuple[Type, Any] | Type:
    decl: syntax.Param = entity.decl
    kind = names.type_of(decl.type)
    if kind == UNKNOWN:
        return UNKNOWN
    found = names.known(decl.default, kind, "the default of a parameter")
    if found is None:
        return UNKNOWN
    value = names.settings.get(entity.name, found[1])
    if not contains(kind, value):
        names.report("G604", f"`{entity.name}` cannot be {value}", decl.type.span, "outside its range")
        return UNKNOWN
    return kind, value


def _resolve_const(names: Names, entity: Entity) -> tuple[Type, Any] | Type:
    decl: syntax.Const = entity.decl
    want = names.type_of(decl.type) if decl.type is not None else None
    if want == UNKNOWN:
        return UNKNOWN
    found = names.known(decl.value, want, f"`{entity.name}`")
    if found is None:
        return UNKNOWN
    if isinstance(found[0], NothingType):
        hint = f"give it a type: `const {entity.name}: set[...] = {{}}`" if found[0].what != "none" else ""
        names.report("T310", f"nothing says what `{entity.name}` is", decl.value.span, "", hint)
        return UNKNOWN
    return (want or found[0], found[1])


_RESOLVE: dict[str, Callable[[Names, Entity], Any]] = {
    "enum": _resolve_enum,
    "record": _resolve_record,
    "board": _resolve_board,
    "param": _resolve_param,
    "const": _resolve_const,
}
