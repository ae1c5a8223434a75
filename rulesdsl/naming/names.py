"""What the names of a program mean: its declarations, its types, and what is known before play.

`declare.collect` enters every declaration once. Types, constants, parameters, boards and attributes are worked out when they
are first asked for (`resolve`), so that they may stand in any order; a circle among them is an error.

Sizes, ends of ranges and first values are expressions, and what is a field or a def is for the checker to say. So this pass,
though it comes before `checking`, calls it: `check` puts `checker` and more `resolvers` in, and nothing here imports them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from attrs import define, field

from rulesdsl import boards, core, syntax
from rulesdsl.diagnostics import Diagnostic, Label, Source, Span, closest
from rulesdsl.naming import fold
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
    OptionType,
    SetType,
    Type,
    describe,
    size,
)

if TYPE_CHECKING:
    from rulesdsl.checking.expr import ExprChecker

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
SEAT = re.compile(r"player\d{1,3}")


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
    empty_seats: frozenset[str] = frozenset()
    """Seats that the game has with more players."""
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
        if word in self.empty_seats:
            return f"{self.who_plays()}; a scenario for more says `with players = {int(word[6:]) + 1}`"
        if SEAT.fullmatch(word) and SEAT.fullmatch(self.player.members[0]):
            return f"{self.who_plays()}; the game is for at most {len(self.player.members) + len(self.empty_seats)}"
        pool = {*self.entities, *self.members, *FUNCTIONS, *BUILT_IN_TYPES, *extra, "Player"}
        found = closest(word, pool)
        return ELSEWHERE.get(word, "") if found is None else self.meant(found)

    def who_plays(self) -> str:
        """How many take part here, and who."""
        seats = self.player.members
        whole = f"`{seats[0]}`" if len(seats) == 1 else f"`{seats[0]}` {'and' if len(seats) == 2 else 'to'} `{seats[-1]}`"
        return f"here {len(seats)} take{'s' if len(seats) == 1 else ''} part, {whole}"

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
        if word in ELSEWHERE and not {"event", "action", "measure"} & set(kinds):
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
        value = self.resolvers[entity.kind](self, entity)
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
            if not isinstance(entity.decl, syntax.Enum) or (enum, "") in self.attributes:
                return
            self.attributes[(enum, "")] = boards.NO_ATTRIBUTE
            self.resolvers["attributes"](self, entity)


def article(word: str) -> str:
    return f"an {word}" if word[0] in "aeiou" else f"a {word}"
