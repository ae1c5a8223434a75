"""Statements of defs, events, actions, flows and `given` blocks: what may stand where, and what is known afterwards."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from attrs import define, evolve, field

from rulesdsl import core, syntax
from rulesdsl.checking.assignments import Assignments
from rulesdsl.checking.base import SIMPLE, checked_for
from rulesdsl.checking.blocks import assigned, breaks, disturbs, header, spread
from rulesdsl.checking.calls import CallChecker
from rulesdsl.checking.expr import describe, element_type, join, unknown
from rulesdsl.checking.scope import facts_of
from rulesdsl.diagnostics import Label, Span
from rulesdsl.types import (
    INT,
    UNKNOWN,
    IntType,
    ListType,
    MapType,
    NothingType,
    OptionType,
    SetType,
    Type,
)

_ALLOWED = {
    "def": {"Let", "Var", "Assign", "If", "For", "Return", "Pass", "Break", "Continue"},
    "event": {"Let", "Var", "Assign", "If", "For", "Pass"},
    "scenario": {"Let", "Assign", "If", "For", "Pass"},
}

_WHAT = {
    "Emit": "an `emit`", "Ask": "a question", "Draw": "a draw", "End": "an `end`", "Turns": "`turns`", "Step": "a `step`",
    "While": "`while`", "Repeat": "`repeat`", "CallStatement": "a call of a flow", "Require": "a `require`", "Return": "`return`",
    "Break": "`break`", "Continue": "`continue`", "Var": "`var`",
}  # fmt: skip

_WHY = {
    "def": "a def is pure: it computes a value and changes nothing",
    "event": "an event states what changed; what happens next belongs to a flow",
    "scenario": "`given:` sets up a state with assignments",
}

_INSTEAD = {
    ("def", "While"): "a def goes round with `for`, or calls itself",
    ("def", "Repeat"): "a def goes round with `for`: `for i in 1..n:`",
    ("def", "Turns"): "a def goes round with `for`: `for p in seats_from(first):`",
    ("def", "Step"): "steps belong to flows and actions",
    ("def", "Require"): "a def says yes or no; the `require` of an action refuses",
    ("event", "While"): "an event goes round with `for`",
    ("event", "Repeat"): "an event goes round with `for`: `for i in 1..n:`",
    ("event", "Require"): "an event has happened already: the `require` of an action refuses",
    ("event", "Return"): "an event is done when its block is; leave parts out with `if`",
}


@define(eq=False)
class StatementChecker(Assignments):
    """Checks blocks in one scope. `returned` collects what a def gives back."""

    result: Type | None = None
    result_span: Span | None = None
    returned: list[Type] = field(factory=list)
    steps: dict[str, Span] = field(factory=dict)
    first_effect: Span | None = None
    lost: bool = False
    """A statement was refused, so that nobody knows where control goes."""

    def block(self, nodes: Sequence[syntax.Statement]) -> tuple[core.Body, bool]:
        """The statements of a block, and whether control never reaches its end."""
        with self.scope.block():
            return self.statements(nodes)

    def statements(self, nodes: Sequence[syntax.Statement]) -> tuple[core.Body, bool]:
        made: list[core.Stmt] = []
        ended = False
        told = False
        for node in nodes:
            if ended and not told and not self.lost:
                self.names.report(
                    "W902",
                    "this is never reached",
                    header(node),
                    "",
                    "remove it, or what ends the block before it",
                    severity="warning",
                )
                told = True
            item, ends = self.statement(node)
            made.extend(item)
            ended = ended or ends
        return tuple(made), ended

    def statement(self, node: syntax.Statement) -> tuple[list[core.Stmt], bool]:
        kind = type(node).__name__
        allowed = _ALLOWED.get(self.scope.kind)
        if allowed is not None and kind not in allowed:
            return self.misplaced(node, kind)
        method: Any = getattr(self, "on_" + kind)
        made: tuple[list[core.Stmt], bool] = method(node)
        return made

    def misplaced(self, node: syntax.Statement, kind: str) -> tuple[list[core.Stmt], bool]:
        where = self.scope.kind
        self.lost = True
        for name in (
            node.names if isinstance(node, syntax.Draw) else (node.name,) if isinstance(node, syntax.Var) else ()
        ):
            self.scope.declare(name, "local", UNKNOWN)
        if isinstance(node, syntax.CallStatement):
            self.idle_value(node)
            return [], False
        code = "F502" if kind in ("Emit", "Ask", "Draw", "End") else "F515"
        owner = {"def": "a def", "event": "an event", "scenario": "`given`"}[where]
        why = _INSTEAD.get((where, kind), _WHY[where])
        self.names.report(code, f"{_WHAT.get(kind, 'this')} cannot stand in {owner}", header(node), "", why)
        return [], False

    # ------------------------------------------------------------ names

    def local(self, node: syntax.Let | syntax.Var, kind: str) -> tuple[list[core.Stmt], bool]:
        want = self.names.type_of(node.type) if node.type is not None else None
        value = self.expr.expr(node.value, want) if want != UNKNOWN else unknown(node.value.span)
        if want is not None and want != UNKNOWN:
            value = checked_for(self.expr.fit(value, want, node.value.span), f"`{node.name.id}`")
            local_type: Type = want
        else:
            local_type = value.type
            if isinstance(local_type, IntType) and kind == "var":
                local_type = INT
            if isinstance(local_type, NothingType):
                self.names.report(
                    "T310",
                    f"nothing says what `{node.name.id}` is",
                    node.value.span,
                    "",
                    f"give it a type: `{kind} {node.name.id}: set[...] = {{}}`",
                )
                local_type = UNKNOWN
        if kind == "let" and isinstance(local_type, IntType) and isinstance(value.type, IntType):
            local_type = value.type
        self.scope.declare(node.name, kind, local_type)
        return [core.Bind(node.name.id, value, node.span)], False

    def on_Let(self, node: syntax.Let) -> tuple[list[core.Stmt], bool]:
        return self.local(node, "let")

    def on_Var(self, node: syntax.Var) -> tuple[list[core.Stmt], bool]:
        return self.local(node, "var")

    def on_Pass(self, node: syntax.Pass) -> tuple[list[core.Stmt], bool]:
        return [], False

    # ------------------------------------------------------------ control

    def on_If(self, node: syntax.If) -> tuple[list[core.Stmt], bool]:
        return self.branches(node, 0)

    def branches(self, node: syntax.If, position: int) -> tuple[list[core.Stmt], bool]:
        if position == len(node.branches):
            if node.otherwise is None:
                return [], False
            body, ended = self.block(node.otherwise)
            return list(body), ended
        test, block = node.branches[position]
        condition = self.expr.condition(test)
        yes, no = facts_of(condition, self.scope)
        start = dict(self.scope.facts)
        self.scope.learn(yes)
        then, then_ends = self.block(block)
        after_then = self.scope.facts
        self.scope.facts = dict(start)
        self.scope.learn(no)
        otherwise, else_ends = self.branches(node, position + 1)
        if then_ends and not else_ends:
            pass
        elif else_ends and not then_ends:
            self.scope.facts = after_then
        else:
            self.scope.facts = {path: why for path, why in self.scope.facts.items() if path in after_then}
        made = core.IfStmt(condition, then, tuple(otherwise), test.span)
        return [made], then_ends and else_ends

    def loop(
        self, body: syntax.Block, condition: syntax.Expr | None, extra: Sequence[syntax.Statement] = ()
    ) -> tuple[core.Expr | None, core.Body]:
        """The condition and body of a loop: at its head nothing is known of what the body may change."""
        self.at_head(body)
        start = dict(self.scope.facts)
        test = None
        if condition is not None:
            test = self.expr.condition(condition)
            self.scope.learn(facts_of(test, self.scope)[0])
        self.scope.loops += 1
        made, _ = self.block(body)
        self.scope.loops -= 1
        self.scope.facts = {
            path: why for path, why in start.items() if path in self.scope.facts or not path.startswith("~")
        }
        self.at_head(body)
        return test, made

    def at_head(self, body: syntax.Block) -> None:
        if self.scope.kind in ("event", "scenario"):
            for root in assigned(body):
                self.scope.forget(root)
                self.scope.forget("~" + root)
            return
        if disturbs(body):
            self.scope.forget_state()
        for root in assigned(body):
            self.scope.forget(root)

    def on_For(self, node: syntax.For) -> tuple[list[core.Stmt], bool]:
        source = self.expr.collection(node.source)
        kind = element_type(source.type)
        with self.scope.block():
            self.scope.declare(node.var, "loop", kind)
            condition, body = self.loop(node.body, node.condition)
        return [core.ForStmt(node.var.id, kind, source, condition, body, node.span)], False

    def on_While(self, node: syntax.While) -> tuple[list[core.Stmt], bool]:
        condition, body = self.loop(node.body, node.condition)
        assert condition is not None
        endless = isinstance(condition, core.Const) and condition.value is True and not breaks(node.body)
        return [core.WhileStmt(condition, body, node.span)], endless

    def on_Repeat(self, node: syntax.Repeat) -> tuple[list[core.Stmt], bool]:
        count = self.expr.fitted(node.count, INT, "how often to repeat")
        _, body = self.loop(node.body, None)
        return [core.RepeatStmt(count, body, node.span)], False

    def on_Turns(self, node: syntax.Turns) -> tuple[list[core.Stmt], bool]:
        player = self.names.player
        first = self.expr.fitted(node.first, player, "who begins")
        with self.scope.block():
            self.scope.declare(node.var, "loop", player)
            condition, body = self.loop(node.body, node.condition)
        made = core.TurnsStmt(node.var.id, player, first, condition, body, node.span)
        return [made], node.condition is None and not breaks(node.body)

    def on_Step(self, node: syntax.Step) -> tuple[list[core.Stmt], bool]:
        if node.around:
            body, ended = self.block(node.body)
            return [core.StepStmt(f"{node.around} {node.name.id}", body, node.span)], ended
        first = self.steps.get(node.name.id)
        if first is not None:
            self.names.report(
                "N202",
                f"step `{node.name.id}` is there twice",
                node.name.span,
                "the second time",
                "step names are unique in their flow",
                labels=(Label(first, "the first is here"),),
            )
        self.steps[node.name.id] = node.name.span
        body, ended = self.block(node.body)
        return [core.StepStmt(node.name.id, body, node.span)], ended

    def on_Break(self, node: syntax.Break) -> tuple[list[core.Stmt], bool]:
        return self.leave(node, core.BreakStmt(node.span), "break")

    def on_Continue(self, node: syntax.Continue) -> tuple[list[core.Stmt], bool]:
        return self.leave(node, core.ContinueStmt(node.span), "continue")

    def leave(self, node: Any, made: core.Stmt, word: str) -> tuple[list[core.Stmt], bool]:
        if self.scope.loops == 0:
            self.names.report(
                "F506",
                f"`{word}` outside of a loop",
                node.span,
                "",
                "it belongs in `for`, `while`, `repeat` or `turns`",
            )
            return [], False
        return [made], True

    def on_Return(self, node: syntax.Return) -> tuple[list[core.Stmt], bool]:
        if self.scope.kind != "def":
            if node.value is not None:
                self.names.report(
                    "F505",
                    f"{'an action' if self.scope.kind == 'action' else 'a flow'} returns nothing",
                    node.value.span,
                    "",
                    "what must outlive it is part of the state",
                )
            return [core.ReturnStmt(None, node.span)], True
        if self.result is None:
            return [core.ReturnStmt(None, node.span)], True
        if node.value is None:
            self.names.report(
                "T301", f"a value of type `{describe(self.result)}` is needed", node.span, "nothing is returned"
            )
            return [], True
        value = self.expr.expr(node.value, self.result)
        if isinstance(value.type, OptionType) and self.expr.fits_but_for_none(value, self.result, node.value.span):
            if not self.scope.unsure:
                self.gives_nothing(node.value, value.type, self.result)
            return [], True
        self.returned.append(value.type)
        told = len(self.names.diagnostics)
        fitted = checked_for(self.expr.fit(value, self.result, node.value.span), f"what `{self.scope.owner}` gives")
        if self.result_span is not None:
            promised = (Label(self.result_span, "promised here"),)
            self.names.diagnostics[told:] = [evolve(d, labels=promised) for d in self.names.diagnostics[told:]]
        return [core.ReturnStmt(fitted, node.span)], True

    def gives_nothing(self, node: syntax.Expr, found: Type, promised: Type) -> None:
        """Reports a `return` of an option from a def that promises its item."""
        text = node.span.text
        if isinstance(node, (syntax.Call, syntax.GeneratorCall)) and isinstance(node.fn, syntax.NameExpr):
            text = f"{node.fn.id}(...)"
        default = "0" if isinstance(promised, IntType) and promised.lo <= 0 <= promised.hi else "..."
        hint = f"add a default: `{text} or {default}`"
        if not SIMPLE.fullmatch(text) and text == node.span.text:
            hint = "add a default with `or`, or return early where there is nothing"
        self.names.report(
            "T312", f"this def promises `{describe(promised)}` but can give nothing", node.span,
            f"`{describe(found)}`: it may be none", hint,
            labels=(Label(self.result_span, "promised here"),) if self.result_span is not None else (),
        )  # fmt: skip

    # ------------------------------------------------------------ flow

    def on_Require(self, node: syntax.Require) -> tuple[list[core.Stmt], bool]:
        if self.scope.kind == "action":
            self.late_guard(node)
        else:
            self.names.report("F503", "`require` belongs in an action", node.span, "", "a flow tests with `if`")
        self.expr.condition(node.condition)
        return [], False

    def late_guard(self, node: syntax.Require) -> None:
        """Reports the first guard of an action that does not stand before all effects."""
        if self.lost:
            return
        self.lost = True
        if self.first_effect is None or node.span.end <= self.first_effect.end:
            self.names.report(
                "F503", "a `require` stands by itself", node.span, "not in another statement",
                "say in it when it counts: `require name: not (condition) or ...`",
            )  # fmt: skip
            return
        self.names.report(
            "F503", "a `require` comes before all effects", node.span, "an effect stands before it",
            "move it up: first all `let` and `require`, then what happens",
            labels=(Label(self.first_effect, "this happens already"),),
        )  # fmt: skip

    def on_Emit(self, node: syntax.Emit) -> tuple[list[core.Stmt], bool]:
        found = CallChecker(self.expr).event_call(node.event)
        self.scope.forget_state()
        return ([core.EmitStmt(found[0], found[1], node.span)] if found is not None else []), False

    def on_CallStatement(self, node: syntax.CallStatement) -> tuple[list[core.Stmt], bool]:
        call = node.expr
        if (
            isinstance(call, syntax.NameExpr)
            and call.id in self.names.entities
            and self.names.entities[call.id].kind == "flow"
        ):
            self.names.use(call.id)
            self.names.report("T316", f"`{call.id}` is a flow: call it", node.span, "", f"write `{call.id}()`")
            return [], False
        if isinstance(call, syntax.Call) and isinstance(call.fn, syntax.NameExpr):
            entity = self.names.use(call.fn.id)
            if entity is not None and entity.kind == "flow":
                params = self.names.resolve(entity)
                self.scope.forget_state()
                if params == UNKNOWN:
                    return [], False
                args = CallChecker(self.expr).arguments(call.args, params, f"`{entity.name}`", node.span, entity.span)
                return ([core.CallFlow(entity.name, args, node.span)] if args is not None else []), False
            if entity is None and call.fn.id not in self.scope.locals:
                CallChecker(self.expr).nothing_called(call.fn, ("flow",))
                return [], False
            if entity is not None and entity.kind in ("event", "action"):
                self.expr.expr(call)
                return [], False
        self.idle_value(node)
        return [], False

    def idle_value(self, node: syntax.CallStatement) -> None:
        """Reports an expression that stands alone, if it is right otherwise."""
        made = self.expr.expr(node.expr)
        if made.type == UNKNOWN:
            return
        hint = "a flow, `emit` or a question is needed here" if self.scope.kind in ("flow", "action") else ""
        expr = node.expr
        if (
            isinstance(expr, syntax.Compare)
            and len(expr.rest) == 1
            and expr.rest[0][0] == "=="
            and spread(expr.first)[0]
        ):
            hint = f"did you mean `{expr.first.span.text} = {expr.rest[0][1].span.text}`? `==` compares"
        elif self.scope.kind == "def":
            hint = f"did you mean `return {node.span.text}`?"
        self.names.report("T319", "this value is not used", node.span, "an expression is not a statement", hint)

    def on_Draw(self, node: syntax.Draw) -> tuple[list[core.Stmt], bool]:
        source = self.expr.collection(node.source)
        kind = element_type(source.type)
        made: list[core.Stmt] = []
        if len(node.names) > 1 and source.type != UNKNOWN:
            name = self.names.temporary(node.span)
            made.append(core.Bind(name, source, node.source.span))
            source = core.Local(name, source.type, node.source.span)
        self.scope.forget_state()
        for name_node in node.names:
            self.scope.declare(name_node, "drawn", kind)
            made.append(core.DrawStmt(name_node.id, kind, source, node.span))
        return (made if source.type != UNKNOWN else []), False

    def on_Ask(self, node: syntax.Ask) -> tuple[list[core.Stmt], bool]:
        who = self.expr.fitted(node.who, self.names.player, "who is asked")
        offers: list[core.Offer] = []
        seen: dict[str, Span] = {}
        for alternative in node.alternatives:
            word = alternative.action.id
            if word in seen:
                self.names.report(
                    "F509",
                    f"`{word}` is offered twice",
                    alternative.span,
                    "",
                    "one question offers an action once",
                    labels=(Label(seen[word], "first here"),),
                )
                continue
            seen[word] = alternative.span
            given = CallChecker(self.expr).offer(alternative)
            if given is not None:
                offers.append(core.Offer(word, given, alternative.span))
        otherwise = None
        if node.otherwise is not None:
            with self.scope.assuming(()):
                otherwise, _ = self.block(node.otherwise)
        self.scope.forget_state()
        facts = dict(self.scope.facts)
        after: core.Body = ()
        if node.after is not None:
            _, after = self.loop(node.after, None)
            self.scope.facts = facts
        if who.type == UNKNOWN or not offers:
            return [], False
        return [core.AskStmt(who, node.mode, tuple(offers), after, otherwise, node.span)], False

    def on_End(self, node: syntax.End) -> tuple[list[core.Stmt], bool]:
        player = self.names.player
        winners = scores = None
        if node.winners is not None:
            value = self.expr.expr(node.winners, SetType(player))
            if value.type == player:
                value = self.expr.op("set_of", (value,), SetType(player), node.winners.span)
            elif isinstance(value.type, ListType) and value.type.item == player:
                value = self.expr.op("to_set", (value,), SetType(player), node.winners.span)
            elif value.type == OptionType(player):
                value = self.expr.may_be_none(value, node.winners.span, "somebody must win")
            winners = self.expr.fit(value, SetType(player), node.winners.span, "who wins")
        if node.scores is not None:
            scores = self.expr.fitted(node.scores, MapType(player, INT), "the score of each player")
        if node.winners is None and node.scores is None:
            winners = core.Const((1 << len(player.members)) - 1, SetType(player), node.span)
        return [core.EndStmt(winners, scores, node.span)], True


# ---------------------------------------------------------------- small helpers


__all__ = ["StatementChecker", "join"]
