"""Assignments: to fields, in events, and to vars."""

from __future__ import annotations

from typing import Any

from attrs import define

from rulesdsl import core, syntax
from rulesdsl.checking.base import checked_for
from rulesdsl.checking.blocks import spread
from rulesdsl.checking.expr import ExprChecker, describe, unknown
from rulesdsl.checking.scope import Scope
from rulesdsl.diagnostics import Label, closest
from rulesdsl.naming.names import Names
from rulesdsl.types import UNKNOWN, BagType, IntType, ListType, OptionType, SetType, is_collection


@define(eq=False)
class Assignments:
    """Checks assignments in one scope."""

    names: Names
    scope: Scope

    @property
    def expr(self) -> ExprChecker:
        return ExprChecker(self.names, self.scope)

    def on_Assign(self, node: syntax.Assign) -> tuple[list[core.Stmt], bool]:
        root, indices = spread(node.target)
        if root is None:
            hint = (
                "fields of a record cannot be assigned alone: make a new record"
                if isinstance(node.target, syntax.Attr)
                else ""
            )
            self.names.report(
                "F507", "this cannot be assigned", node.target.span, "a field of the state or a var is needed", hint
            )
            self.expr.expr(node.value, UNKNOWN)
            return [], False
        local = self.scope.locals.get(root.id)
        if local is not None:
            return self.assign_local(node, root, local, indices)
        entity = self.names.use(root.id)
        if entity is None or entity.kind != "field":
            self.not_assignable(root, entity)
            self.expr.expr(node.value, UNKNOWN)
            return [], False
        if self.scope.kind not in ("event", "scenario"):
            self.names.report(
                "F501", f"`{root.id}` is part of the state, which only events change", node.span, "an assignment outside an event",
                "put it in an `event` and `emit` that", labels=(Label(entity.span, "the field is here"),),
            )  # fmt: skip
            self.expr.expr(node.value, UNKNOWN)
            return [], False
        return self.store(node, entity.value, indices)

    def not_assignable(self, root: syntax.NameExpr, entity: Any) -> None:
        if entity is None and root.id not in self.names.members:
            fields = [e.name for e in self.names.entities.values() if e.kind == "field"]
            near = closest(root.id, [*fields, *self.scope.locals])
            hint = self.names.meant(near) if near else f"a new name begins with `let {root.id} = ...`"
            self.names.report("N201", f"nothing is called `{root.id}`", root.span, "not a field or var", hint)
            return
        what = entity.kind if entity is not None else "member"
        self.names.report(
            "F507",
            f"`{root.id}` is a {what} and cannot be assigned",
            root.span,
            "a field of the state or a var is needed",
        )

    def assign_local(
        self, node: syntax.Assign, root: syntax.NameExpr, local: Any, indices: list[syntax.Expr]
    ) -> tuple[list[core.Stmt], bool]:
        if local.kind != "var":
            hint = (
                f"declare it with `var {root.id} = ...`"
                if local.kind == "let"
                else "only what `var` declares can be assigned"
            )
            self.names.report(
                "F507",
                f"`{root.id}` keeps its value",
                node.target.span,
                f"it is a {local.kind}",
                hint,
                labels=(Label(local.span, "declared here"),),
            )
            self.expr.expr(node.value, UNKNOWN)
            return [], False
        if indices:
            self.names.report(
                "F507", "part of a var cannot be assigned", node.target.span, "", "assign the whole of it"
            )
            return [], False
        current = core.Local(root.id, local.type, root.span)
        value = self.new_value(node, current)
        self.scope.forget(root.id)
        return [core.Bind(root.id, value, node.span, declares=False)], False

    def store(
        self, node: syntax.Assign, info: core.FieldInfo, indices: list[syntax.Expr]
    ) -> tuple[list[core.Stmt], bool]:
        if info.type == UNKNOWN:
            self.expr.expr(node.value, UNKNOWN)
            return [], False
        if indices and len(indices) != len(info.keys):
            self.wrong_indices(node, info, len(indices))
            self.expr.expr(node.value, UNKNOWN)
            return [], False
        keys = tuple(self.expr.fitted(index, kind, "an index") for index, kind in zip(indices, info.keys, strict=False))
        if any(key.type == UNKNOWN for key in keys):
            self.expr.expr(node.value, UNKNOWN)
            return [], False
        kind = info.value if keys or not info.keys else info.type
        current = core.Read(info.name, keys, kind, node.target.span)
        value = self.new_value(node, current)
        self.scope.forget("~" + info.name)
        return [core.Store(info.name, keys, value, node.span)], False

    def wrong_indices(self, node: syntax.Assign, info: core.FieldInfo, given: int) -> None:
        """Reports a target with too few or too many indices."""
        count = len(info.keys)
        hint = "go through the others with `for`" if given < count else ""
        if given == count + 1 and isinstance(info.value, (SetType, BagType)):
            hint = "`+=` adds an element, `-=` takes one away"
        elif given == count + 1 and isinstance(info.value, ListType):
            hint = "elements of a list cannot be assigned: make a new list"
        needed = "no index" if count == 0 else "one index" if count == 1 else f"{count} indices"
        self.names.report("T317", f"`{info.name}` has {needed}", node.target.span, f"{given} given", hint)

    def new_value(self, node: syntax.Assign, current: core.Expr) -> core.Expr:
        """What the target becomes, from `=`, `+=` or `-=`."""
        kind = current.type
        if node.op == "=":
            return self.expr.fitted(node.value, kind, f"for `{node.target.span.text}`")
        value = self.expr.expr(node.value, kind)
        if UNKNOWN in (value.type, kind):
            return unknown(node.span)
        sign = node.op[0]
        if isinstance(kind, IntType) and isinstance(value.type, IntType):
            op = syntax.Binary(node.span, sign, node.target, node.value)
            made = self.expr.arithmetic(op, current, value)
            if made is None:
                return unknown(node.span)
            return checked_for(self.expr.fit(made, kind, node.span), f"`{' '.join(node.target.span.text.split())}`")
        if is_collection(kind):
            changed = self.changed(sign, current, value, node)
            if changed is not None:
                return changed
        for side, part in ((node.target, current), (node.value, value)):
            if isinstance(part.type, OptionType):
                return self.expr.may_be_none(part, side.span, f"`{node.op}` needs a value")
        self.names.report(
            "T305", f"`{node.op}` does not work on `{describe(kind)}` and `{describe(value.type)}`", node.span
        )
        return unknown(node.span)

    def changed(self, sign: str, current: core.Expr, value: core.Expr, node: syntax.Assign) -> core.Expr | None:
        """A collection with an element, or a collection of them, added or taken away."""
        kind = current.type
        assert isinstance(kind, (SetType, BagType, ListType))
        names = {
            (SetType, "+"): ("set_add", "set_union"), (SetType, "-"): ("set_remove", "set_minus"),
            (BagType, "+"): ("bag_add", "bag_plus"), (BagType, "-"): ("bag_remove", "bag_minus"),
            (ListType, "+"): ("list_append", "list_concat"),
        }  # fmt: skip
        found = names.get((type(kind), sign))
        if found is None:
            self.names.report(
                "T305", "nothing can be taken from a list with `-=`", node.span, "", "keep a part of it: `xs = xs[:-1]`"
            )
            return unknown(node.span)
        element = self.expr.try_fit(value, kind.item, node.value.span)
        if element is not None:
            return self.expr.op(found[0], (current, element), kind, node.span)
        if isinstance(kind, BagType) and isinstance(value.type, (SetType, ListType)) and value.type.item == kind.item:
            value = self.expr.op("bag_from", (value,), kind, node.value.span)
        if isinstance(kind, SetType) and isinstance(value.type, ListType) and value.type.item == kind.item:
            value = self.expr.op("to_set", (value,), kind, node.value.span)
        group = self.expr.try_fit(value, kind, node.value.span)
        return None if group is None else self.expr.op(found[1], (current, group), kind, node.span)
