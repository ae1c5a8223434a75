"""Parts of values in expressions: attributes, indices, slices."""

from __future__ import annotations

from rulesdsl import core, syntax
from rulesdsl.checking.base import ExprBase, named, unknown
from rulesdsl.diagnostics import closest
from rulesdsl.types import (
    INT,
    NONE,
    UNKNOWN,
    BagType,
    EnumType,
    IntType,
    ListType,
    MapType,
    OptionType,
    RecordType,
    SetType,
    Type,
    describe,
    is_collection,
)


class Parts(ExprBase):
    """The part of the expression checker for parts of values."""

    def on_Attr(self, node: syntax.Attr, want: Type | None) -> core.Expr:
        if isinstance(node.obj, syntax.NameExpr) and node.obj.id not in self.scope.locals:
            static = self.static(node.obj, node)
            if static is not None:
                return static
        obj = self.expr(node.obj)
        if obj.type == UNKNOWN:
            return unknown(node.span)
        if node.optional:
            if isinstance(obj, core.Op) and obj.op == "unwrap":
                obj = obj.args[0]
            if not isinstance(obj.type, OptionType):
                self.names.report(
                    "T320",
                    f"{named(node.obj.span)} is always there",
                    node.obj.span,
                    f"this is `{describe(obj.type)}`",
                    "write `.` instead of `?.`",
                )
                return unknown(node.span)
            name = self.names.temporary(node.span)
            body = self.attribute(core.Local(name, obj.type.item, node.obj.span), node)
            if body.type == UNKNOWN:
                return unknown(node.span)
            if isinstance(body.type, OptionType):
                return core.IfSome(name, obj, body, body.type, node.span)
            wrapped = core.Op("some", (body,), OptionType(body.type), node.span)
            return core.IfSome(name, obj, wrapped, wrapped.type, node.span)
        return self.narrowed(self.attribute(obj, node))

    def static(self, obj: syntax.NameExpr, node: syntax.Attr) -> core.Expr | None:
        """`Tower.white`, `Place.first`, `before.field`; None if it is none of these."""
        if obj.id == "before" and self.scope.before:
            entity = self.names.use(node.name.id)
            if entity is None or entity.kind != "field":
                word = node.name.id
                hint = self.names.nearest(word, ("field",))
                self.names.report("N205", f"the state has no field `{word}`", node.name.span, "not a field", hint)
                return unknown(node.span)
            return self.field(entity, node.span, before=True)
        kind = self.names.domain(obj.id)
        if kind is None:
            return None
        word = node.name.id
        for shape in self.names.shapes.values():
            if (kind.name, word) in shape.constants:
                constant = shape.constants[(kind.name, word)]
                return core.Const(constant[1], constant[0], node.span)
        if word in kind.members:
            return core.Const(kind.members.index(word), kind, node.span)
        found = closest(word, kind.members)
        hint = f"did you mean `{found}`?" if found else ""
        if not found and len(kind.members) <= 8:
            hint = f"its members are {', '.join(kind.members)}"
        self.names.report("N205", f"`{kind.name}` has no member `{word}`", node.name.span, "not a member", hint)
        return unknown(node.span)

    def attribute(self, obj: core.Expr, node: syntax.Attr) -> core.Expr:
        kind, word = obj.type, node.name.id
        pool: list[str] = []
        if isinstance(kind, RecordType):
            position = kind.position(word)
            if position is not None:
                return self.op("get", (obj,), kind.fields[position][1], node.span, position)
            pool = [name for name, _ in kind.fields]
        elif isinstance(kind, ListType) and word == "top":
            return self.op("list_top", (obj,), OptionType(kind.item), node.span)
        elif isinstance(kind, EnumType):
            found = self.names.attribute(kind, word)
            if found is not None:
                if found.type == UNKNOWN:
                    return unknown(node.span)
                return self.op("table", (obj,), found.type, node.span, found.table)
            pool = [name for owner, name in self.names.attributes if owner == kind.name and name]
            for shape in self.names.shapes.values():
                pool += [name for owner, name in shape.methods if owner == kind.name]
        hint = ""
        if isinstance(kind, OptionType):
            if not self.scope.unsure:
                self.names.report(
                    "T304", f"{named(node.obj.span)} may be none", node.obj.span, f"this is `{describe(kind)}`",
                    f"test it first, or write `?.{word}`, which is none when it is",
                )  # fmt: skip
            return unknown(node.span)
        near = closest(word, pool)
        if near:
            hint = f"did you mean `{near}`?"
        elif pool:
            hint = f"it has {', '.join(sorted(pool))}"
        if is_collection(kind):
            hint = "its size is `len(...)`" if word in ("size", "length", "count") else hint
        self.names.report("N205", f"`{describe(kind)}` has no `{word}`", node.name.span, "", hint)
        return unknown(node.span)

    def on_Index(self, node: syntax.Index, want: Type | None) -> core.Expr:
        if isinstance(node.obj, syntax.NameExpr) and node.obj.id not in self.scope.locals:
            kind = self.names.domain(node.obj.id)
            if kind is not None:
                number = self.fitted(node.index, IntType(0, len(kind.members) - 1), f"a position in {kind}")
                return unknown(node.span) if number.type == UNKNOWN else self.op("cast", (number,), kind, node.span)
        obj = self.expr(node.obj)
        if obj.type == UNKNOWN:
            self.expr(node.index, UNKNOWN)
            return unknown(node.span)
        if isinstance(obj.type, MapType):
            key = self.fitted(node.index, obj.type.key, "an index")
            if key.type == UNKNOWN:
                return unknown(node.span)
            if isinstance(obj, core.Read) and obj.field not in ("winners", "scores"):
                info = self.names.entities[obj.field].value
                if len(obj.keys) < len(info.keys):
                    return self.narrowed(core.Read(obj.field, (*obj.keys, key), obj.type.value, node.span, obj.before))
            return self.narrowed(self.op("map_get", (obj, key), obj.type.value, node.span))
        if isinstance(obj.type, ListType):
            position = self.fitted(node.index, INT, "a position in a list")
            return (
                unknown(node.span)
                if position.type == UNKNOWN
                else core.Op("list_get", (obj, position), obj.type.item, node.span)
            )
        if isinstance(obj.type, BagType):
            item = self.fitted(node.index, obj.type.item)
            return self.op("bag_count", (obj, item), IntType(0, 255), node.span)
        self.expr(node.index, UNKNOWN)
        hint = "membership is `x in s`" if isinstance(obj.type, SetType) else ""
        if isinstance(obj.type, OptionType):
            hint = f"`{node.obj.span.text}` may be none: test it first"
        self.names.report(
            "T317", f"`{describe(obj.type)}` has no index", node.obj.span, "a field, map, bag or list is needed", hint
        )
        return unknown(node.span)

    def on_Slice(self, node: syntax.Slice, want: Type | None) -> core.Expr:
        obj = self.expr(node.obj)
        ends: list[core.Expr] = []
        for end in (node.lo, node.hi):
            ends.append(core.Const(None, NONE, node.span) if end is None else self.fitted(end, INT))
        if obj.type == UNKNOWN or any(end.type == UNKNOWN for end in ends):
            return unknown(node.span)
        if not isinstance(obj.type, ListType):
            self.names.report("T317", f"`{describe(obj.type)}` has no slices", node.obj.span, "only lists have")
            return unknown(node.span)
        return core.Op("list_slice", (obj, *ends), obj.type, node.span)
