"""Who sees a value: the words that the other modules of this folder share.

An audience is None (everyone) or the set of locals that hold the players who see a value: the empty set is nobody. The size
of a collection and the presence of an option are public.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Union

from attrs import define, field, frozen

from rulesdsl import core
from rulesdsl.diagnostics import Span
from rulesdsl.lowering.walk import children, exprs_of, statements
from rulesdsl.types import EnumType

Audience = Union[frozenset[str], None]
NOBODY: frozenset[str] = frozenset()


def both(a: Audience, b: Audience) -> Audience:
    """Who sees both."""
    if a is None:
        return b
    return a if b is None else a & b


@frozen
class SecretRead:
    """A private or hidden field is read. `who`: the player whose entry it is, as `place_of` writes it, or None."""

    field: str
    who: str | None
    span: Span
    via: Span | None = None


@define(eq=False)
class Secrets:
    """What expressions of one program read that not everybody sees."""

    program: core.Program
    of_defs: dict[str, tuple[SecretRead, ...]] = field(factory=dict)
    fields: dict[str, core.FieldInfo] = field(factory=dict)

    def __attrs_post_init__(self) -> None:
        self.fields = {f.name: f for f in self.program.fields}
        self.of_defs = {d.name: () for d in self.program.defs}
        changed = True
        while changed:
            changed = False
            for item in self.program.defs:
                found = self.of_body(item)
                if found != self.of_defs[item.name]:
                    self.of_defs[item.name] = found
                    changed = True

    def of_body(self, item: core.DefInfo) -> tuple[SecretRead, ...]:
        lasting = {p.name for p in item.params} | set(self.program.player.members)
        alias = aliases(item.body)
        found: dict[tuple[str, str | None], SecretRead] = {}
        for stmt in statements(item.body):
            for expr in exprs_of(stmt):
                for read in self.reads(expr):
                    who = renamed(read.who, alias)
                    who = who if root_of(who) in lasting and self.is_near(who) else None
                    found.setdefault((read.field, who), SecretRead(read.field, who, read.span))
        return tuple(found[key] for key in sorted(found, key=str))

    def is_near(self, who: str | None) -> bool:
        """Whether a player is named with fewer steps than there are seats. (A def that calls itself may walk on for ever.)"""
        return who is not None and who.count(".") < len(self.program.player.members)

    def reads(self, expr: core.Expr) -> Iterator[SecretRead]:
        """All secrets that an expression looks at, through defs too."""
        counted = only_counted(expr)
        if counted is not None:
            for key in counted.keys:
                yield from self.reads(key)
            return
        if isinstance(expr, core.Read):
            info = self.fields.get(expr.field)
            if info is not None and info.visibility != "public":
                yield SecretRead(expr.field, self.owner(expr, info), expr.span)
        if isinstance(expr, core.Call):
            params = [p.name for p in self.program.def_(expr.name).params]
            given = {name: place_of(arg) for name, arg in zip(params, expr.args, strict=True)}
            for read in self.of_defs[expr.name]:
                who = renamed(read.who, given)
                yield SecretRead(read.field, who, expr.span, read.span)
        if isinstance(expr, core.CanDo):
            yield from self.looked_at(expr)
        for child in children(expr):
            yield from self.reads(child)

    def looked_at(self, expr: core.CanDo) -> Iterator[SecretRead]:
        """What decides whether an action has a legal move for a player: secrets of that player, if its guards are right."""
        action = self.program.action(expr.action)
        looks = [chosen.domain for chosen in action.chosen]
        looks += [item.condition if isinstance(item, core.Guard) else item.value for item in action.prelude]
        for look in looks:
            for read in self.reads(look):
                who = place_of(expr.who) if read.who == "me" else None
                yield SecretRead(read.field, who, expr.span, read.span)

    @staticmethod
    def owner(expr: core.Read, info: core.FieldInfo) -> str | None:
        if info.visibility == "hidden" or not expr.keys:
            return None
        return place_of(expr.keys[0])

    def audience(
        self, expr: core.Expr, known: Mapping[str, Audience], alias: Mapping[str, str | None] | None = None
    ) -> Audience:
        """Who sees all that an expression depends on; `known` are the audiences of locals, `alias` other names of players."""
        alias = alias or {}
        result: Audience = None
        counted = only_counted(expr)
        if counted is not None:
            for key in counted.keys:
                result = both(result, self.audience(key, known, alias))
            return result
        if isinstance(expr, core.Local):
            return known.get(expr.name)
        if isinstance(expr, core.Read):
            info = self.fields.get(expr.field)
            if info is not None and info.visibility != "public":
                owner = renamed(self.owner(expr, info), alias)
                result = NOBODY if owner is None else frozenset({owner})
        if isinstance(expr, (core.Call, core.CanDo)):
            for read in self.reads(expr):
                who = renamed(read.who, alias)
                result = both(result, NOBODY if who is None else frozenset({who}))
        if isinstance(expr, core.Comp):
            known = dict(known)
            for clause in expr.clauses:
                known[clause.var] = self.audience(clause.source, known, alias)
        if isinstance(expr, (core.LetIn, core.IfSome)):
            known = {**known, expr.name: self.audience(expr.value, known, alias)}
        for child in children(expr):
            result = both(result, self.audience(child, known, alias))
        return without(result, {c.var for c in expr.clauses}) if isinstance(expr, core.Comp) else result


def only_counted(expr: core.Expr) -> core.Read | None:
    """The field of which an expression asks the size or the presence only, which everybody sees. (Not of what is in it.)"""
    if not isinstance(expr, core.Op) or expr.op not in ("len", "nonempty", "is_some", "is_none"):
        return None
    inner = _uncast(expr.args[0])
    if expr.op in ("is_some", "is_none") and isinstance(inner, core.Op) and inner.op == "list_top":
        inner = _uncast(inner.args[0])
    return inner if isinstance(inner, core.Read) else None


def _uncast(expr: core.Expr) -> core.Expr:
    return _uncast(expr.args[0]) if isinstance(expr, core.Op) and expr.op == "cast" else expr


def place_of(expr: core.Expr) -> str | None:
    """A player in an expression as the rules write it (`by`, `by.next`, a seat), or None: what is written alike is the same."""
    while isinstance(expr, core.Op) and expr.op in ("unwrap", "cast"):
        expr = expr.args[0]
    if isinstance(expr, core.Local):
        return expr.name
    if isinstance(expr, core.Const) and isinstance(expr.type, EnumType) and isinstance(expr.value, int):
        return expr.type.members[expr.value]
    if isinstance(expr, core.Op) and expr.op == "table" and len(expr.args) == 1:
        base = place_of(expr.args[0])
        return f"{base}.{expr.data.name.partition('_')[2]}" if base else None
    return None


def root_of(who: str | None) -> str | None:
    return None if who is None else who.partition(".")[0]


def renamed(who: str | None, names: Mapping[str, str | None]) -> str | None:
    """A player with the name that it begins with replaced."""
    root = root_of(who)
    if who is None or root is None or root not in names:
        return who
    return None if names[root] is None else f"{names[root]}{who.removeprefix(root)}"


def aliases(body: core.Body) -> dict[str, str | None]:
    """What each let or var of a body stands for as a player: another one's name, its own, or, when it is assigned again, no
    one in particular."""
    found: dict[str, str | None] = {}
    for stmt in statements(body):
        if isinstance(stmt, core.Bind):
            once = stmt.declares and stmt.name not in found
            found[stmt.name] = (renamed(place_of(stmt.value), found) or stmt.name) if once else None
    return found


def without(seen: Audience, names: set[str]) -> Audience:
    """An audience without the players that these names stand for."""
    return None if seen is None else frozenset(who for who in seen if root_of(who) not in names)


def declared(body: core.Body) -> set[str]:
    """The names that begin in a body."""
    found: set[str] = set()
    for stmt in statements(body):
        if isinstance(stmt, (core.ForStmt, core.TurnsStmt)):
            found.add(stmt.var)
        elif isinstance(stmt, core.DrawStmt) or (isinstance(stmt, core.Bind) and stmt.declares):
            found.add(stmt.name)
    return found
