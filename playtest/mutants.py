"""Mutants: a program with one small mistake planted in one clause, as an author could make it.

| kind             | what is changed                                                              |
| ---------------- | ---------------------------------------------------------------------------- |
| negated          | the condition of a guard, an `if`, a loop or a choice of values; what a yes-or-no def gives |
| off by one       | a number is one larger; `<` becomes `<=` and so on                           |
| swapped players  | a player becomes the next one, `p.next` becomes `p`                           |
| left out         | a guard, an `emit`, an assignment, a flow that is run or an `end`             |

Laws, measures, scenarios and parameters are left as they are: they say what should be, or what can be agreed on.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from attrs import evolve, field, fields, frozen, has

from rulesdsl import syntax
from rulesdsl.diagnostics import Source, Span

NEGATED, OFF_BY_ONE, SWAPPED, LEFT_OUT = KINDS = ("negated", "off by one", "swapped players", "left out")
_STRICT = {"<": "<=", "<=": "<", ">": ">=", ">=": ">"}
_MUTATED = (syntax.Const, syntax.Enum, syntax.State, syntax.Def, syntax.Event, syntax.Action, syntax.Flow)


@frozen
class Mutant:
    """One change of a text. `owner` is the declaration that it is in, `clause` the innermost clause. `node` and `put` are the
    same change of the tree: what is taken away, and what is put in its place. `number`: how many of its name there are in the
    clause up to here."""

    kind: str
    owner: str
    clause: str
    span: Span
    after: str
    node: Any = field(eq=False, repr=False)
    put: Any = field(eq=False, repr=False)
    number: int = 1

    @property
    def before(self) -> str:
        return self.span.text

    @property
    def place(self) -> str:
        return f"{self.span.source.name}:{self.span.line}"

    @property
    def name(self) -> str:
        """What it is, on one line and without its place, so that it is the same after other lines were changed. A second one of
        a clause that reads the same has its number: `def f: `p` → `p.next` (2)`."""
        change = f" {self.kind}" if self.kind in (NEGATED, LEFT_OUT) else f" → {_line(self.after)}"
        second = f" ({self.number})" if self.number > 1 else ""
        return f"{self.clause}: {_line(self.before)}{change}{second}"

    def apply(self, source: Source) -> Source:
        """The text with the change."""
        base = None if source.base is None else self.apply(source.base)
        extras = tuple(self.apply(extra) for extra in source.extras)
        text = source.text
        if source.name == self.span.source.name:
            text = text[: self.span.start] + self.after + text[self.span.end :]
        return evolve(source, text=text, base=base, extras=extras)

    def changed(self, module: syntax.Module) -> syntax.Module:
        """The tree with the change, as the changed text would give it, but for its spans."""
        return evolve(module, declarations=self._changed(module.declarations))

    def _changed(self, node: Any) -> Any:
        if isinstance(node, tuple):
            made = tuple(self._changed(item) for item in node)
            return node if all(new is old for new, old in zip(made, node, strict=True)) else made
        if not _is_node(node) or not self._may_be_in(node.span):
            return node
        if type(node) is type(self.node) and node.span == self.node.span:
            return self.put
        changes = {item.name: self._changed(getattr(node, item.name)) for item in fields(type(node))}
        changes = {name: new for name, new in changes.items() if new is not getattr(node, name)}
        return evolve(node, **changes) if changes else node

    def _may_be_in(self, span: Span) -> bool:
        """Whether the change is in a piece of text, or in what a variant has put there."""
        here: Span = self.node.span
        return span.source.name != here.source.name or (span.start <= here.start and here.end <= span.end)


def _line(text: str) -> str:
    text = " ".join(text.split())
    return f"`{text if len(text) <= 60 else text[:57] + '...'}`"


def mutants_of(module: syntax.Module, file: str) -> list[Mutant]:
    """All mutants of what stands in one file of a program, in order."""
    found: dict[tuple[int, int, str], Mutant] = {}
    for decl in module.declarations:
        if isinstance(decl, _MUTATED):
            name = "state" if isinstance(decl, syntax.State) else f"{type(decl).__name__.lower()} {decl.name.id}"
            for mutant in _Walk(name, _seats(module)).declaration(decl):
                if mutant.span.source.name == file:
                    found.setdefault((mutant.span.start, mutant.span.end, mutant.after), mutant)
    return _numbered(sorted(found.values(), key=lambda mutant: (mutant.span.start, mutant.span.end)))


def _numbered(mutants: list[Mutant]) -> list[Mutant]:
    """Mutants of which no two have one name."""
    seen: Counter[str] = Counter()
    made = []
    for mutant in mutants:
        seen[mutant.name] += 1
        made.append(evolve(mutant, number=seen[mutant.name]))
    return made


def _seats(module: syntax.Module) -> tuple[str, ...]:
    """The names of the seats, if they have some."""
    games = [decl for decl in module.declarations if isinstance(decl, syntax.Game)]
    return tuple(name.id for name in games[0].seats) if games and games[0].seats else ()


class _Walk:
    """Goes through one declaration. `players`: the names that stand for a player where it is."""

    def __init__(self, owner: str, seats: tuple[str, ...]) -> None:
        self.owner = owner
        self.clause = owner
        self.seats = seats
        self.players: set[str] = set()
        self.logical = False

    def made(self, kind: str, node: Any, put: Any, after: str, span: Span | None = None) -> Mutant:
        return Mutant(kind, self.owner, self.clause, span or node.span, after, node, put)

    def declaration(self, decl: Any) -> Iterator[Mutant]:
        if isinstance(decl, syntax.Const):
            yield from self.inside(decl.value)
        elif isinstance(decl, syntax.Enum):
            for member in decl.members:
                self.clause = f"member {decl.name.id}.{member.name.id}"
                yield from self.inside(member.args)
        elif isinstance(decl, syntax.State):
            for item in decl.fields:
                self.clause = f"field {item.name.id}"
                yield from self.inside(item.initial)
        else:
            yield from self.callable(decl)

    def callable(self, decl: Any) -> Iterator[Mutant]:
        """A def, event, action or flow."""
        if isinstance(decl, syntax.Action):
            self.players.add("me")
        self.players |= {param.name.id for param in decl.params if _is_player(param.type)}
        self.logical = isinstance(decl, syntax.Def) and getattr(decl.result, "id", "") == "bool"
        if isinstance(decl, syntax.Action):
            for choice in decl.params:
                yield from self.inside(choice.domain)
        yield from self.inside(decl.body)

    # ------------------------------------------------------------ nodes

    def inside(self, node: Any) -> Iterator[Mutant]:
        """All mutants of a node, or of several."""
        if isinstance(node, tuple):
            for item in node:
                yield from self.inside(item)
        elif _is_node(node):
            yield from self.node(node)

    def node(self, node: Any) -> Iterator[Mutant]:
        clause = self.clause
        if isinstance(node, syntax.Require):
            self.clause = f"require {self.owner.split(' ')[-1]}.{node.name.id}"
        elif isinstance(node, syntax.Step):
            self.clause = f"step {self.owner.split(' ')[-1]}.{node.name.id}"
        yield from self.own(node)
        if isinstance(node, (syntax.For, syntax.Turns)) and self._goes_through_players(node):
            self.players.add(node.var.id)
        if not isinstance(node, syntax.Sentence) and not self._is_next(node):
            for item in fields(type(node)):
                if item.name not in ("span", "type", "name", "var", "names", "sentence"):
                    yield from self.inside(getattr(node, item.name))
        self.clause = clause

    def own(self, node: Any) -> Iterator[Mutant]:
        """The mutants of the node itself."""
        for condition in _conditions(node, self.logical):
            negated = syntax.Unary(condition.span, "not", condition)
            yield self.made(NEGATED, condition, negated, f"(not ({condition.span.text}))")
        if isinstance(node, syntax.Require):
            yield self.made(LEFT_OUT, node.condition, syntax.BoolLit(node.condition.span, True), "true")
        if isinstance(node, syntax.IntLit):
            yield self.made(OFF_BY_ONE, node, evolve(node, value=node.value + 1), str(node.value + 1))
        elif isinstance(node, syntax.Compare) and len(node.rest) == 1 and node.rest[0][0] in _STRICT:
            yield self._other_bound(node)
        elif isinstance(node, syntax.NameExpr) and (node.id in self.players or node.id in self.seats):
            following = syntax.Attr(node.span, node, syntax.Name(node.span, "next"), False)
            yield self.made(SWAPPED, node, following, f"{node.id}.next")
        elif self._is_next(node):
            yield self.made(SWAPPED, node, node.obj, node.obj.span.text)
        elif isinstance(node, (syntax.Emit, syntax.Assign, syntax.CallStatement, syntax.End)):
            yield self.made(LEFT_OUT, node, syntax.Pass(node.span), "pass")

    def _other_bound(self, node: syntax.Compare) -> Mutant:
        """The comparison with the bound in or out."""
        op, right = node.rest[0]
        source, end = node.span.source, node.first.span.end
        start = end + source.text[end : right.span.start].index(op)
        put = evolve(node, rest=((_STRICT[op], right),))
        return self.made(OFF_BY_ONE, node, put, _STRICT[op], Span(source, start, start + len(op)))

    def _is_next(self, node: Any) -> bool:
        return (
            isinstance(node, syntax.Attr)
            and node.name.id == "next"
            and isinstance(node.obj, syntax.NameExpr)
            and (node.obj.id in self.players or node.obj.id in self.seats)
        )

    def _goes_through_players(self, node: syntax.For | syntax.Turns) -> bool:
        if isinstance(node, syntax.Turns):
            return True
        source = node.source
        if isinstance(source, syntax.ListLit):
            return all(
                isinstance(item, syntax.NameExpr) and item.id in (*self.seats, *self.players) for item in source.items
            )
        names = source.fn if isinstance(source, syntax.Call) else source
        return isinstance(names, syntax.NameExpr) and names.id in ("Player", "seats_from")


def _is_node(node: Any) -> bool:
    return has(type(node)) and type(node).__module__ == syntax.__name__


def _is_player(kind: Any) -> bool:
    return isinstance(kind, syntax.NamedType) and kind.id == "Player"


def _conditions(node: Any, logical: bool) -> list[syntax.Expr]:
    """The conditions that stand directly in a node."""
    if isinstance(node, syntax.If):
        return [condition for condition, _ in node.branches]
    if isinstance(node, syntax.Return):
        return [node.value] if logical and node.value is not None else []
    found = getattr(node, "condition", None)
    return [found] if found is not None and not isinstance(node, syntax.ExpectLine) else []


__all__ = ["KINDS", "LEFT_OUT", "NEGATED", "OFF_BY_ONE", "SWAPPED", "Mutant", "mutants_of"]
