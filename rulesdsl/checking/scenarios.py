"""Scenarios: tests in the language, checked against the program that they test.

A scenario's `with` lines choose the specialisation it belongs to; the checker keeps those that fit the one it checks.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from attrs import frozen

from rulesdsl import core, syntax
from rulesdsl.checking.calls import CallChecker, article
from rulesdsl.checking.expr import ExprChecker
from rulesdsl.checking.scope import Scope
from rulesdsl.checking.stmt import StatementChecker
from rulesdsl.diagnostics import Label, closest
from rulesdsl.naming.names import Names
from rulesdsl.types import INT, UNKNOWN, EnumType, IntType, Type

_MOVES = (syntax.PlayLine, syntax.PassLine, syntax.DrawLine, syntax.RunLine, syntax.ExpectIllegal)


def settings_of(decl: syntax.Scenario) -> dict[str, syntax.Expr]:
    """The parameters (and `players`) that the `with` lines of a scenario set."""
    return {name.id: value for line in decl.lines if isinstance(line, syntax.WithLine) for name, value in line.settings}


def literal(node: syntax.Expr, kind: Type | None) -> Any:
    """The value of a setting that is written as a literal or a member, in internal form; None if it is something else."""
    if isinstance(node, (syntax.IntLit, syntax.BoolLit)):
        return node.value
    if isinstance(node, syntax.Unary) and node.op == "-" and isinstance(node.operand, syntax.IntLit):
        return -node.operand.value
    word = node.id if isinstance(node, syntax.NameExpr) else node.name.id if isinstance(node, syntax.Attr) else None
    return kind.members.index(word) if isinstance(kind, EnumType) and word in kind.members else None


@frozen
class ScenarioChecker:
    names: Names
    new_scope: Callable[[str, str], Scope]

    def all(self, decls: list[syntax.Scenario]) -> tuple[core.ScenarioInfo, ...]:
        made = []
        seen: dict[str, syntax.Scenario] = {}
        for decl in decls:
            first = seen.get(decl.text.text)
            if first is not None:
                self.names.report(
                    "N202",
                    "two scenarios have one name",
                    decl.text.span,
                    "the second",
                    labels=(Label(first.text.span, "the first is here"),),
                )
            seen[decl.text.text] = decl
            settings = self.settings(decl)
            if settings is not None:
                made.append(self.scenario(decl, settings))
        return tuple(made)

    def settings(self, decl: syntax.Scenario) -> Mapping[str, Any] | None:
        """The settings of a scenario, or None if it belongs to another specialisation (or they are wrong)."""
        found: dict[str, Any] = {}
        fits = True
        written = {
            name.id: name.span for line in decl.lines if isinstance(line, syntax.WithLine) for name, _ in line.settings
        }
        for name, node in settings_of(decl).items():
            if name == "players":
                if literal(node, None) is None:
                    self.names.report(
                        "G606", "a setting is written as a plain value", node.span, "write `players = ...`"
                    )
                    return None
                count = self.names.known_int(node, "the number of players")
                low, high = _seats(self.names)
                if count is not None and not low <= count <= high:
                    allowed = (
                        f"{low} to {high} players" if low < high else "1 player" if high == 1 else f"{high} players"
                    )
                    self.names.report("G607", f"the game is for {allowed}", node.span, "not that many")
                    return None
                found[name] = count
                fits = fits and count == len(self.names.player.members)
                continue
            entity = self.names.use(name)
            if entity is None or entity.kind != "param":
                self.names.report(
                    "N209",
                    f"there is no parameter `{name}`",
                    written[name],
                    "not a parameter of the game",
                    self.names.nearest(name, ("param",), ["players"]),
                )
                return None
            value = self.names.resolve(entity)
            if value == UNKNOWN:
                return None
            made = self.names.known(node, value[0], "a parameter's value")
            if made is None:
                return None
            if literal(node, value[0]) is None:
                self.names.report("G606", "a setting is written as a plain value", node.span, f"write `{name} = ...`")
                return None
            found[name] = made[1]
            fits = fits and made[1] == value[1]
        for entity in self.names.entities.values():
            if entity.kind == "param" and entity.name not in found and entity.value != UNKNOWN:
                default = self.names.known(entity.decl.default, entity.value[0], "a default")
                fits = fits and default is not None and default[1] == entity.value[1]
        if "players" not in found:
            fits = fits and len(self.names.player.members) == _seats(self.names)[0]
        return found if fits else None

    def scenario(self, decl: syntax.Scenario, settings: Mapping[str, Any]) -> core.ScenarioInfo:
        scope = self.new_scope("scenario", decl.text.text)
        scope.outcome = True
        steps: list[core.ScenarioStep] = []
        running = False
        for line in decl.lines:
            running = running or isinstance(line, syntax.RunLine)
            scope.facts = {}
            made = self.line(line, scope, running)
            if made is not None:
                steps.append(made)
        return core.ScenarioInfo(
            decl.text.text, tuple(sorted(settings.items())), tuple(steps), decl.text.span, decl.doc
        )

    def line(self, line: syntax.ScenarioLine, scope: Scope, running: bool) -> core.ScenarioStep | None:
        expr = ExprChecker(self.names, scope)
        if isinstance(line, syntax.WithLine):
            return None
        if isinstance(line, syntax.Given):
            body, _ = StatementChecker(self.names, scope).block(line.body)
            return core.ScenarioGiven(body, line.span)
        if isinstance(line, syntax.ExpectLine):
            return core.ScenarioExpect(expr.condition(line.condition), line.condition.span)
        if isinstance(line, syntax.ExpectEvent):
            return self.event(line, expr)
        if isinstance(line, syntax.RunLine):
            return self.run(line, expr)
        if isinstance(line, syntax.DrawLine):
            return core.ScenarioDraw(tuple(self.outcome(node, expr) for node in line.outcomes), line.span)
        who = expr.fitted(line.who, self.names.player, "who moves")
        if isinstance(line, syntax.PassLine):
            return core.ScenarioMove(who, None, (), (), line.span)
        move = self.move(line.move, who, expr)
        if move is None:
            return None
        if isinstance(line, syntax.PlayLine):
            return move
        if line.by is not None:
            self.named_guard(line.move.action.id, line.by)
        return core.ScenarioIllegal(move, line.by.id if line.by is not None else None, line.span)

    def run(self, line: syntax.RunLine, expr: ExprChecker) -> core.ScenarioStep | None:
        call = line.call
        if isinstance(call, syntax.NameExpr):
            call = syntax.Call(call.span, call, ())
        if not isinstance(call, syntax.Call) or not isinstance(call.fn, syntax.NameExpr):
            self.names.report("F514", "`run` needs a flow", line.span, "", "for example `run main()`")
            return None
        word = call.fn.id
        entity = self.names.use(word)
        if entity is None or entity.kind != "flow":
            if entity is not None or word != "main":
                self.names.report(
                    "N209",
                    f"there is no flow `{word}`",
                    call.fn.span,
                    "not a flow",
                    self.names.nearest(word, ("flow",)),
                )
            return None
        params = self.names.resolve(entity)
        args = (
            None
            if params == UNKNOWN
            else CallChecker(expr).arguments(call.args, params, f"`{word}`", call.span, entity.span)
        )
        return core.ScenarioRun(word, args, line.span) if args is not None else None

    def event(self, line: syntax.ExpectEvent, expr: ExprChecker) -> core.ScenarioStep | None:
        """An event of the rules, with those of its arguments that matter."""
        word = line.event.action
        entity = self.names.use(word.id)
        if entity is None or entity.kind != "event":
            what = f"there is no event `{word.id}`"
            if entity is not None:
                what = f"`{word.id}` is {article(entity.kind)}, not an event"
            self.names.report("N209", what, word.span, "not an event", self.names.nearest(word.id, ("event",)))
            return None
        params = self.names.resolve(entity)
        if params == UNKNOWN:
            return None
        args = CallChecker(expr).named(line.event.args, params, f"`{word.id}`", entity.span)
        if args is None or any(value.type == UNKNOWN for value in args.values()):
            return None
        return core.ScenarioEvent(word.id, tuple(args.get(name) for name, _ in params), line.absent, line.span)

    def outcome(self, node: syntax.Expr, expr: ExprChecker) -> tuple[core.Const, ...]:
        """A drawn outcome: one constant for each type that the word may be of."""
        if isinstance(node, syntax.NameExpr) and len(self.names.members.get(node.id, ())) > 1:
            kinds = [self.names.domain(owner) for owner, _ in self.names.members[node.id]]
            values = [expr.expr(node, kind) for kind in kinds if kind is not None]
        else:
            values = [expr.expr(node)]
        constants = tuple(value for value in values if isinstance(value, core.Const) and value.type != UNKNOWN)
        if not constants and all(value.type != UNKNOWN for value in values):
            self.names.report("T314", "a drawn outcome must be known", node.span, "", "write the value itself")
        return constants

    def move(self, node: syntax.Alternative, who: core.Expr, expr: ExprChecker) -> core.ScenarioMove | None:
        """An action with its chosen arguments; where given ones are written too, they come first."""
        word = node.action.id
        entity = self.names.use(word)
        if entity is None or entity.kind != "action":
            what = (
                f"`{word}` is {article(entity.kind)}, not an action"
                if entity is not None
                else f"there is no action `{word}`"
            )
            self.names.report("N209", what, node.action.span, "not an action", self.names.nearest(word, ("action",)))
            return None
        given = self.names.resolve(entity)
        chosen = self.chosen_types(entity.name)
        if given == UNKNOWN or chosen is None or who.type == UNKNOWN:
            return None
        named = {arg.name.id for arg in node.args if arg.name is not None}
        both = (len(node.args) == len(given) + len(chosen) and bool(given)) or any(name in named for name, _ in given)
        params = [*given, *chosen] if both else chosen
        args = CallChecker(expr).arguments(node.args, params, f"`{word}`", node.span, entity.span)
        if args is None:
            return None
        count = len(given) if both else 0
        return core.ScenarioMove(who, word, args[:count], args[count:], node.span)

    def chosen_types(self, action: str) -> list[tuple[str, Type]] | None:
        """The chosen parameters of an action with the types of their domains, wide enough for illegal ones."""
        info = self.names.checked_actions.get(action)
        written = self.names.entities[action].decl.params
        if info is None or len(info.chosen) < sum(choice.domain is not None for choice in written):
            return None
        return [(c.name, _widened(c.type)) for c in info.chosen]

    def named_guard(self, action: str, by: syntax.Name) -> None:
        info = self.names.checked_actions.get(action)
        guards = [item.name for item in info.prelude if isinstance(item, core.Guard)] if info is not None else []
        if info is not None and by.id not in guards:
            near = closest(by.id, guards)
            hint = f"did you mean `{near}`?" if near else f"it has {', '.join(guards) or 'none'}"
            self.names.report(
                "N209",
                f"`{action}` has no require `{by.id}`",
                by.span,
                "",
                hint,
                labels=(Label(info.span, "the action is here"),),
            )


def _widened(kind: Type) -> Type:
    """Ints of a domain may be named outside of it where a move is expected to be illegal."""
    return INT if isinstance(kind, IntType) else kind


def _seats(names: Names) -> tuple[int, int]:
    from rulesdsl.naming.declare import seat_range

    return seat_range(names)


__all__ = ["EnumType", "ScenarioChecker", "settings_of"]
