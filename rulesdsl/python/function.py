"""One Python function as it is being written: its lines, its names, and the state that its expressions read.

The handlers of expressions register themselves in `VALUE` by the type of node; see `expr`, `ops`, `comp` and
`state`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from attrs import define, field, frozen

from rulesdsl import core
from rulesdsl.diagnostics import Span
from rulesdsl.lowering.walk import everything
from rulesdsl.python.code import FALSE, TRUE, Emitter, Names, Py
from rulesdsl.python.tables import Module

VALUE: dict[type, Callable[[Fn, Any], Py]] = {}


@frozen
class Leave:
    """How to go on when a condition fails: a statement. `block`: where a `continue` means the end of that block."""

    text: str
    block: int = -1


@define
class Scope:
    """A state that expressions read: the name of its tuple (None where only fields were given), and the fields that
    are in Python locals. `frozen`: how to read a field, or the state, that is being changed."""

    st: str | None
    fields: dict[str, str] = field(factory=dict)
    killed: set[str] = field(factory=set)
    number: int = 0
    changing: dict[str, str] = field(factory=dict)
    rebuilt: Callable[[], str] | None = None

    def forget(self, names: frozenset[str] | set[str]) -> None:
        """These fields have changed: their locals are out of date."""
        for name in sorted(names):
            self.fields.pop(name, None)
            self.killed.add(name)


@define
class Fn:
    """A function in the making. `depth`: it carries the depth of recursion. `probing`: it notes what it finds out.
    `counting`: it has a trace, and its loops count steps.
    `again`: the def whose body starts again where it returns a call of itself; `loops`: how many loops are around."""

    module: Module
    code: Emitter
    names: Names
    scope: Scope
    before: Scope | None = None
    depth: bool = False
    probing: bool = False
    counting: bool = False
    aliases: dict[str, str] = field(factory=dict)
    scopes: int = 0
    again: core.DefInfo | None = None
    loops: int = 0
    own_lines: set[str] = field(factory=set)

    # ------------------------------------------------------------ what is counted

    @property
    def instrumented(self) -> bool:
        return self.module.points is not None

    def mark(self, kind: str, span: Span, clause: str = "") -> None:
        """A line that counts that this place was come to, where that is counted."""
        if self.module.points is not None:
            number = self.module.points.number(kind, clause or self.module.clause, span)
            self.code.line(f"COUNTS[{number}] += 1")

    def seen(self, kind: str, condition: Py, span: Span, clause: str = "") -> Py:
        """The condition; where that is counted, its outcome is."""
        if self.module.points is None or condition in (TRUE, FALSE):
            return condition
        number = self.module.points.number(kind, clause or self.module.clause, span)
        return Py(f"seen({number}, {condition.text})")

    # ------------------------------------------------------------ names

    def local(self, name: str) -> str:
        """The Python name of a local of the rules."""
        return self.aliases.get(name) or self.names.of("local", name)

    def temp(self, like: str = "t") -> str:
        return self.names.fresh(like)

    @contextmanager
    def alias(self, name: str, code: str) -> Iterator[None]:
        """Inside, a local of the rules is called `code`."""
        before = self.aliases.get(name)
        self.aliases[name] = code
        try:
            yield
        finally:
            if before is None:
                del self.aliases[name]
            else:
                self.aliases[name] = before

    def held(self, code: Py, like: str = "t") -> Py:
        """The same value as a name or a short literal, evaluated once."""
        if code.simple:
            return code
        name = self.temp(like)
        self.code.line(f"{name} = {code.text}")
        return Py(name)

    # ------------------------------------------------------------ the state

    def field(self, name: str, before: bool = False) -> str:
        """The local that holds a field, loaded where needed."""
        scope = self.before if before else self.scope
        assert scope is not None, f"no state before to read {name} from"
        found = scope.fields.get(name)
        if found is None:
            number = -1 if before else scope.number
            found = scope.fields[name] = self.names.of("field", str(number), f"{'before_' if before else ''}{name}")
            self.code.line(f"{found} = {self._slot(scope, name)}")
        return found

    def _slot(self, scope: Scope, name: str) -> str:
        assert scope.st is not None, f"{name} was not given"
        if name in self.module.facts.positions:
            return f"{scope.st}[{self.module.facts.positions[name]}]"
        if name == "winners":
            return f"{scope.st}[-1][0] if {scope.st}[-1] else 0"
        zeros = (0,) * len(self.module.program.player.members)
        return f"{scope.st}[-1] and {scope.st}[-1][1] or {zeros}"

    def frozen_field(self, name: str) -> str:
        """A field as an unchanging value, to be handed on."""
        code = self.field(name)
        freeze = self.scope.changing.get(name)
        return f"{freeze}({code})" if freeze else code

    def state(self) -> str:
        """The whole state that expressions read."""
        if self.scope.rebuilt is not None:
            return self.scope.rebuilt()
        assert self.scope.st is not None, "the state was not given"
        return self.scope.st

    def preload(self, *exprs: core.Expr | None) -> None:
        """Loads the fields that expressions read, before any loop or branch inside them."""
        found: frozenset[str] = frozenset()
        for expr in exprs:
            if expr is not None:
                found |= self.module.facts.reads(expr)
                if self.before is not None and self.module.facts.reads_before(expr):
                    self._preload_before(expr)
        self.load(found)

    def _preload_before(self, expr: core.Expr) -> None:

        for part in everything(expr):
            if isinstance(part, core.Read) and part.before:
                self.field(part.field, before=True)

    def load(self, fields: frozenset[str] | set[str]) -> None:
        """Loads fields in the order of the state."""
        for name in self.module.in_order(fields):
            self.field(name)

    @contextmanager
    def branch(self) -> Iterator[None]:
        """Inside, code that may not be reached: fields loaded there are not known to be loaded afterwards."""
        scope = self.scope
        fields, killed = dict(scope.fields), scope.killed
        scope.killed = set()
        try:
            yield
        finally:
            scope.fields = {name: code for name, code in fields.items() if name not in scope.killed}
            scope.killed |= killed

    @contextmanager
    def state_after(self, st: str, writes: frozenset[str]) -> Iterator[None]:
        """Inside, expressions read another state, which differs from the present one in the fields `writes`."""
        before = self.scope
        self.scopes += 1
        kept = {n: c for n, c in before.fields.items() if n not in writes and n not in before.changing}
        self.scope = Scope(st, kept, number=self.scopes)
        try:
            yield
        finally:
            self.scope = before

    # ------------------------------------------------------------ expressions

    def value(self, expr: core.Expr) -> Py:
        """The code of an expression's value; what cannot be said inline is written before."""
        self.preload(expr)
        found = None if self.probing else self.module.tabulated(self, expr)
        code = found if found is not None else VALUE[type(expr)](self, expr)
        return self._note(expr, code) if self.probing and isinstance(expr, (core.Read, core.Call)) else code

    def noted(self, expr: core.Expr, code: Py) -> Py:
        """When probing: notes the value of an operand, unless it is known or noted already."""
        if not self.probing or isinstance(expr, (core.Const, core.Read, core.Call)):
            return code
        return self._note(expr, code)

    def _note(self, expr: core.Expr, code: Py) -> Py:
        held = self.held(code)
        span, kind = self.module.object("SPAN", expr.span), self.module.object("TYPE", expr.type)
        self.code.line(f"probes.append(({span}, {held.text}, {kind}))")
        return held

    @contextmanager
    def quiet(self) -> Iterator[None]:
        """Inside, nothing is noted."""
        before, self.probing = self.probing, False
        try:
            yield
        finally:
            self.probing = before

    @contextmanager
    def looping(self) -> Iterator[None]:
        """Inside, the body of a loop."""
        self.loops += 1
        try:
            yield
        finally:
            self.loops -= 1

    @contextmanager
    def maybe(self) -> Iterator[list[Any]]:
        """Captures the lines of a part that may not be reached."""
        with self.branch(), self.code.capture() as lines:
            yield lines


def new_function(module: Module, scope: Scope, span: Span | None = None) -> Fn:
    """A function that adds its lines to the module's."""
    code = module.code
    code.span = span
    return Fn(module, code, Names(module.reserved), scope)
