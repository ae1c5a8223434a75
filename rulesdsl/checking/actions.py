"""Actions: who is given what, what the player chooses, guards before effects."""

from __future__ import annotations

from attrs import define

from rulesdsl import core, syntax
from rulesdsl.checking.expr import ExprChecker, element_type
from rulesdsl.checking.scope import LocalInfo, Scope, facts_of
from rulesdsl.checking.stmt import StatementChecker
from rulesdsl.checking.templates import template
from rulesdsl.diagnostics import Label
from rulesdsl.naming.names import Names
from rulesdsl.types import UNKNOWN


@define(eq=False)
class ActionChecker:
    """Checks one action in a scope of its own."""

    names: Names
    scope: Scope

    def action(self, decl: syntax.Action, position: int) -> core.ActionInfo:
        """The action with its guards; `position` counts the actions of the program from 1."""
        names = self.names
        scope = self.scope
        scope.has_me = True
        scope.locals["me"] = LocalInfo("me", names.player, "parameter", decl.name.span, used=True)
        given_types = dict(names.entities[decl.name.id].value)
        given: list[core.ParamInfo] = []
        chosen: list[core.Chosen] = []
        for choice in decl.params:
            if choice.domain is None:
                if chosen:
                    names.report(
                        "F509",
                        f"`{choice.name.id}` is given: it comes before the chosen ones",
                        choice.span,
                        "",
                        "given parameters (`:`) first, then chosen ones (`in`)",
                    )
                kind = given_types[choice.name.id]
                scope.declare(choice.name, "given", kind)
                given.append(core.ParamInfo(choice.name.id, kind, choice.span))
            else:
                domain = ExprChecker(names, scope).collection(choice.domain)
                kind = element_type(domain.type)
                scope.declare(choice.name, "chosen", kind)
                if domain.type != UNKNOWN:
                    chosen.append(core.Chosen(choice.name.id, kind, domain, choice.domain.span))
        prelude, rest = self.prelude(decl)
        scope.kind = "action"
        checker = StatementChecker(names, scope, first_effect=rest[0].span if rest else None)
        body, _ = checker.statements(rest)
        return core.ActionInfo(
            decl.name.id,
            position,
            names.player,
            tuple(given),
            tuple(chosen),
            tuple(prelude),
            (),
            body,
            None,
            decl.name.span,
            decl.doc,
        )

    def prelude(self, decl: syntax.Action) -> tuple[list[core.Guard | core.ActionLet], list[syntax.Statement]]:
        """The lets and guards before the effects, and the statements that are the effects."""
        names, scope = self.names, self.scope
        made: list[core.Guard | core.ActionLet] = []
        for node in decl.body:
            scope.origins = set()
            if isinstance(node, syntax.Let):
                bound, _ = StatementChecker(names, scope).on_Let(node)
                value = bound[0]
                assert isinstance(value, core.Bind)
                made.append(core.ActionLet(node.name.id, value.value, self.relies(made), node.span))
            elif isinstance(node, syntax.Require):
                made.append(self.guard(node, made))
            else:
                break
        first_effect = next(
            (i for i, n in enumerate(decl.body) if not isinstance(n, (syntax.Let, syntax.Require))), len(decl.body)
        )
        return made, list(decl.body[first_effect:])

    def guard(self, node: syntax.Require, earlier: list[core.Guard | core.ActionLet]) -> core.Guard:
        first = next((g for g in earlier if isinstance(g, core.Guard) and g.name == node.name.id), None)
        if first is not None:
            self.names.report(
                "N202",
                f"`{node.name.id}` is required twice",
                node.name.span,
                "the second time",
                "each `require` of an action has its own name",
                labels=(Label(first.span, "the first is here"),),
            )
        scope = self.scope
        condition = ExprChecker(self.names, scope).condition(node.condition)
        relies = self.relies(earlier)
        sentence = template(self.names, scope, node.sentence, parameters_only=False)
        scope.learn(facts_of(condition, scope)[0], node.name.id)
        return core.Guard(node.name.id, condition, sentence, relies, node.span, node.doc)

    def relies(self, earlier: list[core.Guard | core.ActionLet]) -> tuple[str, ...]:
        names = [item.name for item in earlier]
        return tuple(name for name in names if name in self.scope.origins)
