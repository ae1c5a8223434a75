"""Types of calls: functions, records, defs, methods of places, `can` and `after`."""

from __future__ import annotations

from typing import Any

from attrs import frozen

from rulesdsl import boards, core, syntax
from rulesdsl.checking.functions import Functions
from rulesdsl.diagnostics import Label, Span, closest
from rulesdsl.naming.names import FUNCTIONS, Entity, article
from rulesdsl.types import (
    BOOL,
    UNKNOWN,
    EnumType,
    NothingType,
    OptionType,
    RecordType,
    Type,
    describe,
    size,
)

_INSTEAD = {
    "add": "`+=` adds", "append": "`+=` adds", "push": "`+=` adds", "insert": "`+=` adds", "remove": "`-=` takes away",
    "discard": "`-=` takes away", "pop": "`-=` takes away", "size": "`len(x)` counts", "length": "`len(x)` counts",
    "len": "`len(x)` counts", "contains": "write `x in values`", "has": "write `x in values`",
    "chooses": "write `p chooses action`", "may": "write `p may action`",
}  # fmt: skip
"""What methods of other languages are here."""


@frozen
class CallChecker(Functions):
    """The part of an `ExprChecker` that deals with calls."""

    # ------------------------------------------------------------ f(args)

    def call(self, node: syntax.Call, want: Type | None) -> core.Expr:
        if isinstance(node.fn, syntax.Attr):
            return self.method(node, node.fn)
        if not isinstance(node.fn, syntax.NameExpr):
            text = node.span.source.text
            opening = text.find("(", node.fn.span.end, node.span.end)
            if "\n" in text[node.fn.span.end : opening]:
                return self.report(
                    "T316", "this calls what stands above it", Span(node.span.source, opening, opening + 1),
                    "is an operator missing before it?", labels=(Label(node.fn.span, "this cannot be called"),),
                )  # fmt: skip
            return self.report(
                "T316", "this cannot be called", node.fn.span, "", "a def, a record or a function of the language can"
            )
        word = node.fn.id
        local = self.checker.scope.locals.get(word)
        if local is not None:
            return self.report("T316", f"`{word}` is a {local.kind}, it cannot be called", node.fn.span)
        if word in self.checker.names.misnamed:
            return self.unknown(node.span)
        if word in FUNCTIONS:
            return self.function(word, node, want)
        entity = self.checker.names.use(word)
        if entity is None:
            return self.nothing_called(node.fn, ("def", "record"))
        if entity.kind == "def":
            return self.user_def(entity, node)
        if entity.kind == "record":
            return self.record(entity, node)
        if entity.kind == "measure" and self.checker.scope.kind in ("scenario", "measure"):
            return self.measure(entity, node)
        remedy = {
            "event": f"events are emitted: `emit {word}(...)`",
            "flow": f"a flow is a statement of its own: `{word}(...)`",
            "action": f"an action is offered to a player: `p chooses {word}`",
            "field": f"a field is read with `{word}[...]`",
        }
        code = "F502" if entity.kind in ("event", "flow", "action") else "T316"
        return self.report(
            code,
            f"`{word}` is {article(entity.kind)}, not a def",
            node.fn.span,
            "this has no value",
            remedy.get(entity.kind, ""),
        )

    def arguments(
        self, args: tuple[syntax.Arg, ...], params: list[tuple[str, Type]], what: str, span: Span, declared: Span | None
    ) -> tuple[core.Expr, ...] | None:
        """Arguments by position and name, fitted to their parameters; None after a report."""
        order = self.named(args, params, what, declared)
        missing = [name for name, _ in params if name not in order] if order is not None else []
        if missing:
            self.report(
                "T302",
                f"{what} needs {', '.join(f'`{name}`' for name in missing)}",
                span,
                "",
                signature(what, params),
                labels=declared_at(declared),
            )
        if order is None or missing or any(value.type == UNKNOWN for value in order.values()):
            return None
        return tuple(order[name] for name, _ in params)

    def named(
        self, args: tuple[syntax.Arg, ...], params: list[tuple[str, Type]], what: str, declared: Span | None
    ) -> dict[str, core.Expr] | None:
        """Those arguments that are given, by the names of their parameters; None after a report."""
        labels = declared_at(declared)
        order: dict[str, core.Expr] = {}
        wrong = False
        for position, arg in enumerate(args):
            if arg.name is None:
                if position >= len(params):
                    given, needed = len(args), len(params)
                    self.report(
                        "T302",
                        f"{what} takes {counted(needed)}, not {given}",
                        arg.span,
                        "one too many",
                        signature(what, params),
                        labels=labels,
                    )
                    return None
                name = params[position][0]
            else:
                name = arg.name.id
                if name not in dict(params):
                    near = closest(name, [p for p, _ in params])
                    self.report(
                        "N208",
                        f"{what} has no parameter `{name}`",
                        arg.name.span,
                        "not a parameter",
                        f"did you mean `{near}`?" if near else signature(what, params),
                        labels=labels,
                    )
                    self.checker.expr(arg.value, UNKNOWN)
                    wrong = True
                    continue
            if name in order:
                self.report("T302", f"`{name}` is given twice", arg.span)
                wrong = True
                continue
            order[name] = self.checker.fitted(arg.value, dict(params)[name], f"`{name}` of {what}")
        return None if wrong else order

    def user_def(self, entity: Entity, node: syntax.Call) -> core.Expr:
        if self.checker.scope.kind == "constant":
            return self.report(
                "T314",
                f"`{entity.name}` is a def, and defs belong to play",
                node.span,
                "only constants are known before play",
            )
        found = self.checker.names.resolve(entity)
        if found == UNKNOWN or found is None:
            for arg in node.args:
                self.checker.expr(arg.value, UNKNOWN)
            return self.unknown(node.span)
        params, result = found
        args = self.arguments(node.args, params, f"`{entity.name}`", node.span, entity.span)
        if args is None or result == UNKNOWN:
            return self.unknown(node.span)
        return core.Call(entity.name, args, result, node.span)

    def measure(self, entity: Entity, node: syntax.Call) -> core.Expr:
        params = self.checker.names.resolve(entity)
        result = self.checker.names.type_of(entity.decl.result)
        args = self.arguments(node.args, params, f"`{entity.name}`", node.span, entity.span)
        if args is None or result == UNKNOWN:
            return self.unknown(node.span)
        return core.Call(entity.name, args, result, node.span)

    def record(self, entity: Entity, node: syntax.Call) -> core.Expr:
        kind = self.checker.names.resolve(entity)
        if not isinstance(kind, RecordType):
            return self.unknown(node.span)
        args = self.arguments(node.args, list(kind.fields), f"`{entity.name}`", node.span, entity.span)
        return self.unknown(node.span) if args is None else self.checker.op("record", args, kind, node.span)

    # ------------------------------------------------------------ x.method(args)

    def method(self, node: syntax.Call, fn: syntax.Attr) -> core.Expr:
        names = self.checker.names
        if isinstance(fn.obj, syntax.NameExpr) and fn.obj.id not in self.checker.scope.locals:
            kind = names.domain(fn.obj.id)
            if kind is not None:
                return self.static_method(node, fn, kind)
        obj = self.checker.expr(fn.obj)
        if obj.type == UNKNOWN:
            return self.unknown(node.span)
        if isinstance(obj.type, OptionType):
            return self.report(
                "T304",
                f"`{fn.obj.span.text}` may be none",
                fn.obj.span,
                "",
                f"test it first: `{fn.obj.span.text} is some`",
            )
        found: boards.Method | None = None
        for shape in names.shapes.values():
            if isinstance(obj.type, EnumType):
                found = found or shape.methods.get((obj.type.name, fn.name.id))
                relation = shape.relations.get((obj.type.name, fn.name.id))
                if relation is not None:
                    made = self.made_of_known(node, fn, relation)
                    if made is None:
                        return self.unknown(node.span)
                    return self.checker.op("table", (obj,), made[0], node.span, made[1])
        if found is None:
            pool = [
                name
                for shape in names.shapes.values()
                for owner, name in (*shape.methods, *shape.relations)
                if owner == str(obj.type)
            ]
            near = closest(fn.name.id, pool)
            hint = f"did you mean `{near}`?" if near else _INSTEAD.get(fn.name.id, "")
            if isinstance(obj.type, EnumType) and names.attribute(obj.type, fn.name.id) is not None:
                hint = f"`{fn.name.id}` is not called: write `{fn.span.text}`"
            return self.report("N205", f"`{describe(obj.type)}` has no method `{fn.name.id}`", fn.name.span, "", hint)
        params = [(f"argument {i + 1}", kind) for i, kind in enumerate(found.params)]
        args = self.arguments(node.args, params, f"`{fn.name.id}`", node.span, None)
        if args is None:
            return self.unknown(node.span)
        return self.checker.op("table", (obj, *args), found.type, node.span, found.table)

    def static_method(self, node: syntax.Call, fn: syntax.Attr, kind: EnumType) -> core.Expr:
        names = self.checker.names
        for shape in names.shapes.values():
            found = shape.statics.get((kind.name, fn.name.id))
            if found is not None:
                made = self.made_of_known(node, fn, found)
                return core.Const(made[1], made[0], node.span) if made else self.unknown(node.span)
        pool = [name for shape in names.shapes.values() for owner, name in shape.statics if owner == kind.name]
        near = closest(fn.name.id, pool)
        return self.report(
            "N205",
            f"`{kind.name}` has no function `{fn.name.id}`",
            fn.name.span,
            "",
            f"did you mean `{near}`?" if near else "",
        )

    def made_of_known(self, node: syntax.Call, fn: syntax.Attr, found: boards.StaticMethod) -> tuple[Type, Any] | None:
        """What a function of numbers that are known before play gives; reports why it gives nothing."""
        known_int = self.checker.names.known_int
        numbers = [known_int(arg.value, f"an argument of `{fn.name.id}`") for arg in node.args]
        if any(number is None for number in numbers):
            return None
        try:
            return found.call([n for n in numbers if n is not None])
        except boards.ShapeError as why:
            self.report("T302", f"`{fn.name.id}` cannot be worked out", node.span, str(why), found.signature)
            return None

    # ------------------------------------------------------------ can, after

    def can(self, node: syntax.Can) -> core.Expr:
        checker = self.checker
        who = checker.fitted(node.who, checker.names.player)
        given = self.offer(node.alternative)
        if (
            checker.scope.kind in ("def", "event", "measure", "law", "constant", "scenario", "sentence")
            and checker.scope.kind != "scenario"
        ):
            self.report(
                "F512",
                "`can` stands in flows and guards only",
                node.span,
                "",
                "what a player could do is not a fact of the state",
            )
        if (
            checker.scope.kind == "guard"
            and not (isinstance(who, core.Local) and who.name == "me")
            and who.type != UNKNOWN
        ):
            self.report(
                "F512",
                "a guard may only ask what `me` can do",
                node.who.span,
                "",
                "another player's moves depend on what `me` may not see",
            )
        if given is None or who.type == UNKNOWN:
            return self.unknown(node.span)
        return core.CanDo(who, node.alternative.action.id, given, BOOL, node.span)

    def offer(self, node: syntax.Alternative) -> tuple[core.Expr, ...] | None:
        """The given arguments of an action that is offered; None after a report."""
        names = self.checker.names
        word = node.action.id
        entity = names.use(word)
        if entity is None or entity.kind != "action":
            hint = names.nearest(word, ("action",))
            if entity is not None:
                self.report(
                    "F514",
                    f"`{word}` is {article(entity.kind)}, not an action",
                    node.action.span,
                    "players choose actions",
                    hint,
                )
            else:
                self.report(
                    "N201",
                    f"there is no action `{word}`",
                    node.action.span,
                    "not an action",
                    hint,
                )
            return None
        given = names.resolve(entity)
        if given == UNKNOWN:
            return None
        chosen = [choice.name.id for choice in entity.decl.params if choice.domain is not None]
        for arg in node.args:
            if arg.name is not None and arg.name.id in chosen:
                self.report(
                    "F509",
                    f"`{arg.name.id}` is chosen by the player",
                    arg.span,
                    "",
                    "only given arguments stand where an action is offered",
                )
                return None
        if len(node.args) > len(given):
            hint = f"`{word}` leaves {', '.join(f'`{c}`' for c in chosen)} to the player" if chosen else ""
            self.report(
                "F509",
                f"`{word}` is given {counted(len(given))}, not {len(node.args)}",
                node.span,
                "",
                hint,
                labels=(Label(entity.span, "declared here"),),
            )
            return None
        return self.arguments(node.args, given, f"`{word}`", node.span, entity.span)

    def after(self, node: syntax.After, want: Type | None) -> core.Expr:
        checker = self.checker
        events: list[syntax.Expr] = []
        inner: syntax.Expr = node
        while isinstance(inner, syntax.After):
            events.insert(0, inner.event)
            inner = inner.expr
        made = []
        for event in events:
            found = self.event_call(event)
            if found is None:
                checker.expr(inner, UNKNOWN)
                return self.unknown(node.span)
            made.append(found)
        facts = dict(checker.scope.facts)
        checker.scope.forget_state()
        body = checker.expr(inner, want)
        checker.scope.facts = facts
        if body.type == UNKNOWN:
            return self.unknown(node.span)
        return core.After(tuple(made), body, body.type, node.span)

    def event_call(self, node: syntax.Expr) -> tuple[str, tuple[core.Expr, ...]] | None:
        """An event with its arguments, as `emit` and `after` take it; None after a report."""
        names = self.checker.names
        if isinstance(node, syntax.NameExpr):
            node = syntax.Call(node.span, node, ())
        if not isinstance(node, syntax.Call) or not isinstance(node.fn, syntax.NameExpr):
            self.report("F511", "an event is needed here", node.span, "", "for example `Moved(me, a, b)`")
            return None
        word = node.fn.id
        entity = names.use(word)
        if entity is None or entity.kind != "event":
            hint = names.nearest(word, ("event",))
            if entity is None:
                self.report("N201", f"there is no event `{word}`", node.fn.span, "not an event", hint)
            else:
                title = f"`{word}` is {article(entity.kind)}, not an event"
                self.report("F511", title, node.fn.span, "only events can be emitted", hint)
            for arg in node.args:
                self.checker.expr(arg.value, UNKNOWN)
            return None
        params = names.resolve(entity)
        if params == UNKNOWN:
            return None
        args = self.arguments(node.args, params, f"`{word}`", node.span, entity.span)
        return None if args is None else (word, args)


def counted(count: int) -> str:
    return "no arguments" if count == 0 else "1 argument" if count == 1 else f"{count} arguments"


def declared_at(declared: Span | None) -> tuple[Label, ...]:
    """A label at the declaration of what is called, if it has one."""
    return (Label(declared, "declared here"),) if declared is not None else ()


def signature(what: str, params: list[tuple[str, Type]]) -> str:
    """`place(tile: Tile, at: Square)`, as a hint."""
    inside = ", ".join(f"{name}: {describe(kind)}" for name, kind in params)
    return f"it is {what.strip('`')}({inside})"


__all__ = ["CallChecker", "NothingType", "article", "signature", "size"]
