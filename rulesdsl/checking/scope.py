"""What is known at one place of a def, event, action or flow: its locals, and which options are proved present."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from attrs import define, field

from rulesdsl import core, syntax
from rulesdsl.diagnostics import Label, Span
from rulesdsl.naming.names import FUNCTIONS, SPECIAL, Names
from rulesdsl.types import ListType, OptionType, Type

Facts = dict[str, str]
"""Paths that are proved to be there, each with the name of the require that proved it, or an empty text."""


@define(eq=False)
class LocalInfo:
    """kind: `parameter`, `let`, `var`, `loop`, `drawn`, `chosen`, `given`."""

    name: str
    type: Type
    kind: str
    span: Span
    used: bool = False
    depth: int = 0


@define(eq=False)
class Scope:
    """kind: `def`, `event`, `action`, `flow`, `guard`, `law`, `measure`, `scenario`, `constant`, `sentence`."""

    names: Names
    kind: str
    owner: str = ""
    locals: dict[str, LocalInfo] = field(factory=dict)
    facts: Facts = field(factory=dict)
    has_me: bool = False
    before: bool = False
    outcome: bool = False
    loops: int = 0
    result: Type | None = None
    origins: set[str] = field(factory=set)
    everything: list[LocalInfo] = field(factory=list)
    guard: str = ""
    unsure: bool = False
    """A condition had a mistake in it: what it would have proved is not known."""

    def declare(self, name: syntax.Name, kind: str, local_type: Type) -> str:
        """Enter a local; reports one that hides another name."""
        self.clash(name)
        self.forget(name.id)
        info = LocalInfo(name.id, local_type, kind, name.span, depth=self.loops)
        self.locals[name.id] = info
        self.everything.append(info)
        return name.id

    def clash(self, name: syntax.Name) -> None:
        word = name.id
        where: Span | None = None
        what = ""
        if word in self.locals:
            where, what = self.locals[word].span, self.locals[word].kind
        elif word in self.names.entities:
            entity = self.names.entities[word]
            where, what = entity.span, entity.kind
        elif word in self.names.members and word not in self.names.place_spans:
            enum, position = self.names.members[word][0]
            what = "seat" if enum == "Player" else f"member of {enum}"
            if enum != "Player" or (self.names.game is not None and self.names.game.seats):
                where = self.names.member_span(enum, position)
        elif word in self.names.place_spans:
            where, what = self.names.place_spans[word], "place"
        elif word in FUNCTIONS or word in SPECIAL:
            if word == "me" and "me" not in self.locals and self.kind in ("flow", "def", "measure"):
                return
            self.names.report("N207", f"`{word}` is a word of the language", name.span, "choose another name")
            return
        if what:
            labels = (Label(where, f"the {what} is here"),) if where is not None else ()
            self.names.report(
                "N203", f"`{word}` hides another name", name.span, f"`{word}` is a {what} already",
                "one meaning a name: choose another one", labels=labels,
            )  # fmt: skip

    @contextmanager
    def block(self) -> Iterator[None]:
        """Locals declared inside are gone afterwards."""
        before = dict(self.locals)
        try:
            yield
        finally:
            self.locals = before

    @contextmanager
    def assuming(self, facts: Iterable[str]) -> Iterator[None]:
        """Facts that hold inside only."""
        before = dict(self.facts)
        self.learn(facts)
        try:
            yield
        finally:
            self.facts = before

    def learn(self, paths: Iterable[str], origin: str = "") -> None:
        for path in paths:
            self.facts.setdefault(path, origin)

    def forget_state(self) -> None:
        """After an emit, a question or a flow call nothing is known about fields any more."""
        self.facts = {path: why for path, why in self.facts.items() if not path.startswith("~")}

    def forget(self, root: str) -> None:
        """After an assignment to a field (`~name`) or a var, or where a name begins anew, nothing is known about what begins
        with it or is indexed by it."""
        self.facts = {
            path: why
            for path, why in self.facts.items()
            if path.split("[")[0].split(".")[0] != root and f"[{root}]" not in path
        }


def path_of(expr: core.Expr, scope: Scope) -> str | None:
    """The path that an expression is, if facts can be known about it: fields begin with `~`."""
    if isinstance(expr, core.Local):
        return expr.name
    if isinstance(expr, core.Read) and not expr.before:
        keys = []
        for key in expr.keys:
            part = key_of(key, scope)
            if part is None:
                return None
            keys.append(f"[{part}]")
        return "~" + expr.field + "".join(keys)
    if isinstance(expr, core.Op) and expr.op == "get":
        base = path_of(expr.args[0], scope)
        return f"{base}.{expr.data}" if base else None
    if isinstance(expr, core.Op) and expr.op in ("unwrap", "cast"):
        return path_of(expr.args[0], scope)
    if isinstance(expr, core.Op) and expr.op == "list_top":
        base = path_of(expr.args[0], scope)
        return f"{base}.top" if base else None
    if isinstance(expr, core.Op) and expr.op == "table" and len(expr.args) == 1:
        base = path_of(expr.args[0], scope)
        return f"{base}.{expr.data.name}" if base else None
    if isinstance(expr, core.Op) and expr.op == "map_get":
        base, part = path_of(expr.args[0], scope), key_of(expr.args[1], scope)
        return f"{base}[{part}]" if base and part else None
    return None


def key_of(expr: core.Expr, scope: Scope) -> str | None:
    """An index in a path: a known value, or a name that is never assigned."""
    if isinstance(expr, core.Const):
        return f"#{expr.value}"
    if isinstance(expr, core.Op) and expr.op in ("unwrap", "cast"):
        return key_of(expr.args[0], scope)
    if isinstance(expr, core.Local):
        info = scope.locals.get(expr.name)
        return None if info is not None and info.kind == "var" else expr.name
    return None


def facts_of(expr: core.Expr, scope: Scope) -> tuple[frozenset[str], frozenset[str]]:
    """Paths that are proved present when a condition is true, and when it is false."""
    nothing: frozenset[str] = frozenset()
    if not isinstance(expr, core.Op):
        return nothing, nothing
    if expr.op in ("is_some", "is_none"):
        path = _proved(expr.args[0], scope)
        return (path, nothing) if expr.op == "is_some" else (nothing, path)
    if expr.op == "nonempty" and isinstance(expr.args[0].type, ListType):
        base = path_of(expr.args[0], scope)
        return (frozenset({f"{base}.top"}) if base else nothing), nothing
    if expr.op in ("eq", "ne"):
        equal = _equal(expr.args[0], expr.args[1], scope) | _equal(expr.args[1], expr.args[0], scope)
        unequal = _unequal(expr.args[0], expr.args[1], scope) | _unequal(expr.args[1], expr.args[0], scope)
        return (equal, unequal) if expr.op == "eq" else (unequal, equal)
    if expr.op == "not":
        yes, no = facts_of(expr.args[0], scope)
        return no, yes
    if expr.op in ("and", "or"):
        yes1, no1 = facts_of(expr.args[0], scope)
        yes2, no2 = facts_of(expr.args[1], scope)
        return (yes1 | yes2, nothing) if expr.op == "and" else (nothing, no1 | no2)
    return nothing, nothing


def _equal(option: core.Expr, other: core.Expr, scope: Scope) -> frozenset[str]:
    """`option == other` proves the option present if the other surely is."""
    if not isinstance(option.type, OptionType):
        return frozenset()
    sure = (isinstance(other, core.Op) and other.op == "some") or (
        isinstance(other, core.Const) and other.value is not None
    )
    return _proved(option, scope) if sure else frozenset()


def _unequal(option: core.Expr, other: core.Expr, scope: Scope) -> frozenset[str]:
    """An option that is not `none` is there."""
    if isinstance(option.type, OptionType) and isinstance(other, core.Const) and other.value is None:
        return _proved(option, scope)
    return frozenset()


def _proved(expr: core.Expr, scope: Scope) -> frozenset[str]:
    """What is there when an option is: itself, and for `x?.a` also `x`."""
    if isinstance(expr, core.Op) and expr.op == "some":
        return frozenset()
    found: set[str] = set()
    path = path_of(expr, scope)
    if path is not None:
        found.add(path)
    if isinstance(expr, core.IfSome):
        found |= _proved(expr.value, scope)
        base, inner = path_of(expr.value, scope), path_of(expr.body, scope)
        if base is not None and inner is not None and inner.startswith(f"{expr.name}."):
            found.add(base + inner.removeprefix(expr.name))
    return frozenset(found)
