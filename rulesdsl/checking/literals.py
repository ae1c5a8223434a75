"""Literals and names in expressions: what a word stands for."""

from __future__ import annotations

import re
from typing import Any

from rulesdsl import core, syntax
from rulesdsl.checking.base import ExprBase, unknown
from rulesdsl.diagnostics import Span
from rulesdsl.naming.names import FUNCTIONS
from rulesdsl.parsing.foreign import FOREIGN_WORDS
from rulesdsl.types import (
    BOOL,
    INT,
    INT_MAX,
    NONE,
    UNKNOWN,
    BagType,
    EnumType,
    IntType,
    ListType,
    MapType,
    OptionType,
    SetType,
    Type,
)

PLACE = re.compile(r"[a-z]{1,2}[1-9][0-9]?")
"""What the places of most boards are called: not known while their board has a mistake."""


class Literals(ExprBase):
    """The part of the expression checker for literals and names."""

    def on_IntLit(self, node: syntax.IntLit, want: Type | None) -> core.Expr:
        if node.value > INT_MAX:
            self.names.report("T307", "this number is too large", node.span, f"at most {INT_MAX}")
            return unknown(node.span)
        return core.Const(node.value, IntType(node.value, node.value), node.span)

    def on_BoolLit(self, node: syntax.BoolLit, want: Type | None) -> core.Expr:
        return core.Const(node.value, BOOL, node.span)

    def on_NoneLit(self, node: syntax.NoneLit, want: Type | None) -> core.Expr:
        if isinstance(want, OptionType):
            return core.Const(None, want, node.span)
        return core.Const(None, NONE, node.span)

    def on_NameExpr(self, node: syntax.NameExpr, want: Type | None) -> core.Expr:
        word = node.id
        local = self.scope.locals.get(word)
        if local is not None:
            local.used = True
            return self.narrowed(core.Local(word, local.type, node.span))
        if word == "me":
            self.names.report(
                "F508",
                "`me` is nobody here",
                node.span,
                "",
                "`me` is bound in an action; elsewhere declare it: `me: Player`",
            )
            return unknown(node.span)
        if word in ("winners", "scores") and self.scope.outcome:
            kind: Type = SetType(self.names.player) if word == "winners" else MapType(self.names.player, INT)
            return core.Read(word, (), kind, node.span)
        entity = self.names.use(word)
        if entity is not None:
            return self.entity(entity, node)
        if word == "Player":
            return self.whole(self.names.player, node.span)
        self.ensure_places()
        if word in self.names.members:
            return self.member(node, want)
        if word in FUNCTIONS:
            self.names.report(
                "T316", f"`{word}` is a function", node.span, "its arguments are missing", f"write `{word}(...)`"
            )
            return unknown(node.span)
        if word == "before":
            hint = (
                "write `before.field`" if self.scope.before else "`transition` compares with the state before an event"
            )
            title = "`before` is no value by itself" if self.scope.before else "`before` belongs in a `transition`"
            self.names.report("F513", title, node.span, "", hint)
            return unknown(node.span)
        gone = next((info for info in self.scope.everything if info.name == word), None)
        if PLACE.fullmatch(word) and any(
            e.kind == "board" and e.value == UNKNOWN for e in self.names.entities.values()
        ):
            return unknown(node.span)
        hint = self.names.suggestion(word, self.scope.locals)
        if gone is not None:
            hint = f"`{word}` of line {gone.span.line} ended with its block"
        if word in ("True", "False", "None", "null", "nil"):
            hint = FOREIGN_WORDS[word]
        if word in ("winners", "scores"):
            hint = f"only scenarios can read `{word}`, after the end of a game"
        self.names.report("N201", f"nothing is called `{word}`", node.span, "not known here", hint)
        return unknown(node.span)

    def ensure_places(self) -> None:
        """Place names exist once their board is worked out."""
        for entity in self.names.entities.values():
            if entity.kind == "board" and not entity.ready and not entity.busy:
                self.names.resolve(entity)

    def entity(self, entity: Any, node: syntax.NameExpr) -> core.Expr:
        if entity.kind in ("param", "const"):
            found = self.names.resolve(entity)
            return unknown(node.span) if found == UNKNOWN else core.Const(found[1], found[0], node.span)
        if entity.kind == "field":
            return self.field(entity, node.span, before=False)
        if entity.kind in ("enum", "board"):
            kind = self.names.resolve(entity)
            return unknown(node.span) if kind == UNKNOWN else self.whole(kind, node.span)
        uses = {
            "def": f"call it: `{entity.name}(...)`", "event": f"events are emitted: `emit {entity.name}(...)`",
            "action": f"actions are offered: `p chooses {entity.name}`", "flow": f"flows are run: `{entity.name}(...)` on a line of its own",
            "record": f"make one: `{entity.name}(...)`", "measure": "measures are read by bots and series, not by rules",
        }  # fmt: skip
        self.names.report(
            "T319", f"`{entity.name}` is a {entity.kind}, not a value", node.span, "", uses.get(entity.kind, "")
        )
        return unknown(node.span)

    def whole(self, kind: EnumType, span: Span) -> core.Expr:
        """A type's name as a value: the set of all its values."""
        return core.Const((1 << len(kind.members)) - 1, SetType(kind), span)

    def member(self, node: syntax.NameExpr, want: Type | None) -> core.Expr:
        owners = self.names.members[node.id]
        while isinstance(want, (OptionType, SetType, BagType, ListType)):
            want = want.item
        if len(owners) > 1 and want == UNKNOWN:
            return unknown(node.span)
        if len(owners) > 1:
            chosen = [owner for owner in owners if isinstance(want, EnumType) and owner[0] == want.name]
            if not chosen:
                ways = " or ".join(f"`{owner}.{node.id}`" for owner, _ in owners)
                self.names.report("N204", f"`{node.id}` can mean {ways}", node.span, "which one?", f"write {ways}")
                return unknown(node.span)
            owners = chosen
        kind = self.names.domain(owners[0][0])
        return unknown(node.span) if kind is None else core.Const(owners[0][1], kind, node.span)
