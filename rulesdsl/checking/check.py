"""The checker: syntax in, a typed `core.Program` and diagnostics out.

`check(source, module, settings, seats)` checks one specialisation of a program: its parameters and number of seats are
fixed, since boards and `Player` may depend on them. `check_source` in `program` goes through all that are worth looking at.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from attrs import evolve, frozen

from rulesdsl import core, syntax
from rulesdsl.checking.actions import ActionChecker
from rulesdsl.checking.expr import ExprChecker, join
from rulesdsl.checking.scenarios import ScenarioChecker
from rulesdsl.checking.scope import Scope
from rulesdsl.checking.stmt import StatementChecker
from rulesdsl.checking.templates import template
from rulesdsl.checking.usage import report_unused
from rulesdsl.diagnostics import Diagnostic, Label, Source, Span, closest, in_order
from rulesdsl.lowering.graph import complete
from rulesdsl.lowering.lower import lower
from rulesdsl.naming.declare import collect
from rulesdsl.naming.names import Entity, Names, article
from rulesdsl.secrecy.audiences import Secrets
from rulesdsl.secrecy.given import check_given
from rulesdsl.secrecy.guards import check_guards
from rulesdsl.secrecy.reveals import with_reveals
from rulesdsl.secrecy.storing import check_stores
from rulesdsl.types import (
    INT,
    UNKNOWN,
    BagType,
    EnumType,
    IntType,
    RecordType,
    Type,
    describe,
    size,
    zero,
)


@frozen
class Checked:
    """`program` is None when there are errors."""

    program: core.Program | None
    diagnostics: tuple[Diagnostic, ...]
    names: Names


def check(
    source: Source, module: syntax.Module, settings: Mapping[str, Any], seats: int | None, digest: str = ""
) -> Checked:
    """Check one specialisation of a program.

    Args:
        settings: parameter values in internal form; those not named keep their defaults.
        seats: number of players, None for the fewest.
    """
    names = collect(source, module, settings, seats)
    names.checker = ExprChecker(names, Scope(names, "constant"))
    maker = _Checker(names, source, module)
    program = maker.program(digest)
    for later in (complete, check_secrets_of, with_reveals_of, lower_of):
        if not any(d.is_error for d in names.diagnostics):
            program = later(program, names)
    if not any(d.is_error for d in names.diagnostics):
        report_unused(names, program, maker.scopes)
        maker.report_unsure()
    found = tuple(in_order(names.diagnostics))
    return Checked(None if any(d.is_error for d in found) else program, found, names)


def check_secrets_of(program: core.Program, names: Names) -> core.Program:
    secrets = Secrets(program)
    check_guards(program, names, secrets)
    check_stores(program, names, secrets)
    check_given(program, names, secrets)
    return program


def with_reveals_of(program: core.Program, names: Names) -> core.Program:
    return with_reveals(program)


def lower_of(program: core.Program, names: Names) -> core.Program:
    return lower(program)


class _Checker:
    def __init__(self, names: Names, source: Source, module: syntax.Module) -> None:
        self.names = names
        self.source = source
        self.module = module
        self.scopes: list[Scope] = []
        self.defs: dict[str, core.DefInfo] = {}
        self.ending: set[str] = set()
        self.unsure: Span | None = None
        names.resolvers |= {
            "field": self.resolve_field, "def": self.resolve_def, "event": self.resolve_params, "flow": self.resolve_params,
            "action": self.resolve_action, "measure": self.resolve_params,
        }  # fmt: skip

    def scope(self, kind: str, owner: str) -> Scope:
        made = Scope(self.names, kind, owner)
        self.scopes.append(made)
        return made

    def declared(self, kind: type) -> list[Any]:
        return [decl for decl in self.module.declarations if isinstance(decl, kind)]

    def own(self, decl: Any) -> bool:
        """Whether a declaration is the one its name stands for (not a second one)."""
        entity = self.names.entities.get(decl.name.id)
        return entity is not None and entity.decl is decl

    # ------------------------------------------------------------ signatures

    def resolve_field(self, names: Names, entity: Entity) -> core.FieldInfo:
        decl: syntax.StateField = entity.decl
        position = [e.name for e in names.entities.values() if e.kind == "field"].index(entity.name)
        keys = [names.type_of(key) for key in decl.keys]
        kind = names.type_of(decl.type)
        while hasattr(kind, "key") and kind != UNKNOWN:
            keys.append(kind.key)
            kind = kind.value  # type: ignore[union-attr]
        for key, node in zip(keys, decl.keys, strict=False):
            if key != UNKNOWN and not names.countable(key, node.span, "an index"):
                kind = UNKNOWN
        if UNKNOWN in keys:
            kind = UNKNOWN
        if decl.visibility == "private" and (not keys or keys[0] != names.player) and UNKNOWN not in keys:
            names.report(
                "V405",
                f"`{decl.name.id}` is private, but to whom?",
                decl.name.span,
                "",
                f"key it by Player first: `private {decl.name.id}[Player]: ...`",
            )
        return core.FieldInfo(
            decl.name.id,
            position,
            decl.visibility,
            () if kind == UNKNOWN else tuple(keys),
            kind,
            None,
            decl.span,
            decl.doc,
        )

    def initial(self, decl: syntax.StateField, info: core.FieldInfo) -> core.FieldInfo:
        names = self.names
        kind = info.value
        if kind == UNKNOWN:
            if decl.initial is not None:
                return info
            return info
        if decl.initial is None:
            try:
                value = zero(kind)
            except ValueError:
                names.report(
                    "T308", f"`{decl.name.id}` needs a first value", decl.name.span, f"`{describe(kind)}` has no value to start with",
                    f"write `= ...` after it, or make it optional: `{decl.type.span.text}?`",
                )  # fmt: skip
                return self.poisoned(info)
            return evolve(info, initial=core.Const(value, kind, decl.span))
        want, outer = kind, len(decl.keys)
        if outer < len(info.keys):
            want = names.type_of(decl.type)
        elif (
            isinstance(decl.initial, (syntax.MapLit, syntax.MapComprehension))
            and info.keys
            and not isinstance(kind, BagType)
        ):
            want, outer = info.type, 0
        found = names.known(decl.initial, want, "a first value")
        if found is None:
            return self.poisoned(info)
        value = found[1]
        if want == kind:
            return evolve(info, initial=core.Const(value, kind, decl.initial.span))
        for key in info.keys[:outer]:
            value = (value,) * (size(key) or 0)
        return evolve(info, initial=core.Const(value, info.type, decl.initial.span))

    def poisoned(self, info: core.FieldInfo) -> core.FieldInfo:
        made = evolve(info, value=UNKNOWN, keys=())
        self.names.entities[info.name].value = made
        return made

    def resolve_params(self, names: Names, entity: Entity) -> list[tuple[str, Type]]:
        return [(param.name.id, names.type_of(param.type)) for param in entity.decl.params]

    def resolve_action(self, names: Names, entity: Entity) -> list[tuple[str, Type]]:
        decl: syntax.Action = entity.decl
        return [(choice.name.id, names.type_of(choice.type)) for choice in decl.params if choice.type is not None]

    def resolve_def(self, names: Names, entity: Entity) -> Any:
        decl: syntax.Def = entity.decl
        params = [(param.name.id, names.type_of(param.type)) for param in decl.params]
        if decl.result is None:
            names.report(
                "T313", f"`{entity.name}` does not say what it gives", decl.name.span, "", "add the type: `-> int:`"
            )
            result: Type = UNKNOWN
        else:
            result = names.type_of(decl.result)
        entity.value, entity.ready = (params, result), True
        scope = self.scope("def", entity.name)
        infos = self.parameters(scope, decl.params, params)
        checker = StatementChecker(names, scope, result, decl.result.span if decl.result is not None else None)
        body, ended = checker.statements(decl.body)
        if not ended and not checker.lost and result != UNKNOWN:
            names.report(
                "T313",
                f"`{entity.name}` can end without a value",
                decl.name.span,
                f"`{describe(result)}` is promised",
                "every way through a def ends with `return`",
            )
        narrow = narrowed_result(result, checker.returned)
        entity.value = (params, narrow)
        self.defs[entity.name] = core.DefInfo(entity.name, infos, narrow, body, decl.name.span, doc=decl.doc)
        return entity.value

    def parameters(
        self, scope: Scope, nodes: tuple[syntax.Parameter, ...], params: list[tuple[str, Type]]
    ) -> tuple[core.ParamInfo, ...]:
        made = []
        for node, (name, kind) in zip(nodes, params, strict=True):
            scope.declare(node.name, "parameter", kind)
            audience = tuple(n.id for n in node.audience) if node.audience is not None else None
            if (audience is not None or node.public) and scope.kind != "event":
                self.names.report(
                    "V406",
                    "only parameters of events are public, private or hidden",
                    node.span,
                    "",
                    "flows and defs see everything; events say who sees what",
                )
            made.append(core.ParamInfo(name, kind, node.span, audience))
        if "me" in scope.locals:
            scope.has_me = True
        return tuple(made)

    # ------------------------------------------------------------ bodies

    def program(self, digest: str) -> core.Program:
        names = self.names
        for entity in list(names.entities.values()):
            if entity.kind in ("enum", "record", "board", "param", "const"):
                names.resolve(entity)
            if entity.kind == "enum":
                names.ensure_attributes(entity.name)
        fields = self.fields()
        for entity in list(names.entities.values()):
            if entity.kind in ("def", "event", "action", "flow", "measure"):
                names.resolve(entity)
        events = tuple(self.event(decl, i + 1) for i, decl in enumerate(filter(self.own, self.declared(syntax.Event))))
        actions = tuple(
            ActionChecker(names, self.scope("guard", decl.name.id)).action(decl, i + 1)
            for i, decl in enumerate(filter(self.own, self.declared(syntax.Action)))
        )
        names.checked_actions = {action.name: action for action in actions}
        flows = tuple(self.flow(decl) for decl in filter(self.own, self.declared(syntax.Flow)))
        measures = tuple(self.measure(decl) for decl in filter(self.own, self.declared(syntax.Measure)))
        invariants = tuple(self.law(decl, False) for decl in self.declared(syntax.Invariant))
        transitions = tuple(self.law(decl, True) for decl in self.declared(syntax.Transition))
        self.main()
        self.result_is_sure(flows)
        played = {e.name for e in names.entities.values() if e.kind in ("action", "event") and e.used}
        scenarios = ScenarioChecker(names, self.scope).all(self.declared(syntax.Scenario))
        for entity in names.entities.values():
            if entity.kind in ("action", "event"):
                entity.used = entity.name in played  # that a scenario names it does not make it part of the game
        game = names.game
        defs = tuple(self.defs[decl.name.id] for decl in self.declared(syntax.Def) if self.own(decl))
        defs += tuple(
            core.DefInfo(m.name, m.params, m.result, (core.ReturnStmt(m.value, m.span),), m.span, doc=m.doc)
            for m in measures
        )
        return core.Program(
            name=game.name.id if game else "",
            title=game.title.text if game and game.title else game.name.id if game else "",
            rulebook=game.rulebook.text if game and game.rulebook else None,
            player=names.player,
            parameters=self.known("param"),
            enums=tuple(e.value for e in names.entities.values() if e.kind == "enum" and isinstance(e.value, EnumType)),
            enum_attributes=self.enum_attributes(),
            records=tuple(
                e.value for e in names.entities.values() if e.kind == "record" and isinstance(e.value, RecordType)
            ),
            boards=tuple(core.BoardInfo(shape.kind, shape.size, shape.types) for shape in names.shapes.values()),
            constants=self.known("const"),
            fields=fields,
            defs=defs,
            events=events,
            actions=actions,
            flows=flows,
            measures=measures,
            goals=self.goals(),
            invariants=invariants,
            transitions=transitions,
            terminates=self.terminates(),
            scenarios=scenarios,
            digest=digest,
            doc=game.doc if game else "",
        )

    def known(self, kind: str) -> tuple[tuple[str, Type, Any], ...]:
        found = [e for e in self.names.entities.values() if e.kind == kind and isinstance(e.value, tuple)]
        return tuple((e.name, e.value[0], e.value[1]) for e in found)

    def enum_attributes(self) -> tuple[tuple[str, str, Type, tuple[Any, ...]], ...]:
        made = []
        for (owner, name), attribute in self.names.attributes.items():
            entity = self.names.entities.get(owner)
            if name and entity is not None and entity.kind == "enum":
                made.append((owner, name, attribute.type, attribute.table.values))
        return tuple(made)

    def fields(self) -> tuple[core.FieldInfo, ...]:
        made = []
        for entity in [e for e in self.names.entities.values() if e.kind == "field"]:
            info = self.initial(entity.decl, self.names.resolve(entity))
            entity.value = info
            made.append(info)
        return tuple(sorted(made, key=lambda f: f.position))

    def known_seer(self, info: core.ParamInfo, audience: syntax.Name, infos: tuple[core.ParamInfo, ...]) -> None:
        """Reports a parameter that is private to somebody who would learn by it that they are meant."""
        seer = next(p for p in infos if p.name == audience.id)
        if seer.audience is not None and seer.name not in seer.audience:
            self.names.report(
                "V406", f"whoever sees `{info.name}` would know that they are `{seer.name}`", audience.span,
                f"`{seer.name}` is not shown to them",
                f"make `{seer.name}` public, or `private to {' and '.join((*seer.audience, seer.name))}`",
                labels=(Label(seer.span, f"who `{seer.name}` is, not everybody sees"),),
            )  # fmt: skip

    def event(self, decl: syntax.Event, position: int) -> core.EventInfo:
        scope = self.scope("event", decl.name.id)
        infos = self.parameters(scope, decl.params, self.names.entities[decl.name.id].value)
        for info, node in zip(infos, decl.params, strict=True):
            for audience in node.audience or ():
                kind = {p.name: p.type for p in infos}.get(audience.id)
                if kind is None or kind != self.names.player:
                    self.names.report(
                        "V406", f"`{info.name}` is private to `{audience.id}`, who is no player of this event", audience.span, "",
                        players_of(infos, names_player=self.names.player.name),
                    )  # fmt: skip
                elif audience.id in scope.locals:
                    scope.locals[audience.id].used = True
                    self.known_seer(info, audience, infos)
        sentence = None
        if decl.sentence is not None:
            words = Scope(self.names, "sentence", decl.name.id, dict(scope.locals))
            sentence = template(self.names, words, decl.sentence, parameters_only=True)
        body, _ = StatementChecker(self.names, scope).statements(decl.body)
        return core.EventInfo(
            decl.name.id, position, infos, sentence, body, frozenset(), frozenset(), decl.name.span, decl.doc
        )

    def flow(self, decl: syntax.Flow) -> core.FlowInfo:
        scope = self.scope("flow", decl.name.id)
        infos = self.parameters(scope, decl.params, self.names.entities[decl.name.id].value)
        body, ended = StatementChecker(self.names, scope).statements(decl.body)
        if ended:
            self.ending.add(decl.name.id)
        return core.FlowInfo(decl.name.id, infos, body, None, decl.name.span, decl.doc)

    def result_is_sure(self, flows: tuple[core.FlowInfo, ...]) -> None:
        """Notes a `main` that can run off its end, for `report_unsure`: a game needs a result."""
        main = next((flow for flow in flows if flow.name == "main"), None)
        if main is None or "main" in self.ending:
            return
        last = main.body[-1] if main.body else None
        while isinstance(last, core.StepStmt) and last.body:
            last = last.body[-1]
        if isinstance(last, core.CallFlow) and last.flow in self.ending:
            return
        self.unsure = main.span

    def report_unsure(self) -> None:
        if self.unsure is not None:
            remedy = "close it with `end win ...`, `end scores {...}` or `end tie`"
            self.names.report("W904", "`main` can end without a result", self.unsure, "", remedy, severity="warning")

    def main(self) -> None:
        main = self.names.use("main")
        if main is None:
            near = closest("main", [e.name for e in self.names.entities.values() if e.kind == "flow"])
            span = self.names.game.span if self.names.game else Span(self.source, 0, 1)
            text, hint = "", "add `flow main:`, where a game starts"
            if near is not None:
                span = self.names.entities[near].span
                text, hint = "is this the way through the game?", "call it `main`: that is where a game starts"
            self.names.report("F510", "nothing says how the game is played", span, text, hint)
        elif main.kind != "flow" or main.decl.params:
            self.names.report("F510", "`main` is a flow without parameters", main.span)

    def measure(self, decl: syntax.Measure) -> core.MeasureInfo:
        scope = self.scope("measure", decl.name.id)
        self.names.use(decl.name.id)
        infos = self.parameters(scope, decl.params, self.names.entities[decl.name.id].value)
        result = self.names.type_of(decl.result)
        if [info.type for info in infos] != [self.names.player] and UNKNOWN not in [info.type for info in infos]:
            self.names.report(
                "T302",
                f"`{decl.name.id}` measures a player",
                decl.name.span,
                "",
                f"write `measure {decl.name.id}(p: Player) -> int:`",
            )
        if not isinstance(result, IntType) and result != UNKNOWN:
            self.names.report(
                "T301", "a measure is a number", decl.result.span, f"this is `{describe(result)}`", "write `-> int`"
            )
            result = UNKNOWN
        value = ExprChecker(self.names, scope).fitted(decl.value, result)
        return core.MeasureInfo(decl.name.id, infos, result, value, decl.name.span, decl.doc)

    def law(self, decl: syntax.Invariant | syntax.Transition, before: bool) -> core.LawInfo:
        scope = self.scope("law", decl.text.text)
        scope.before = before
        condition = ExprChecker(self.names, scope).condition(decl.condition)
        return core.LawInfo(decl.text.text, condition, frozenset(), decl.condition.span)

    def goals(self) -> tuple[str, ...]:
        """The measures that count, the first one first: all, where nothing is said."""
        entities = self.names.entities
        measures = tuple(entity.name for entity in entities.values() if entity.kind == "measure")
        decl: syntax.Goals | None = self.only(syntax.Goals)
        if decl is None:
            return measures
        for name in decl.names:
            entity = entities.get(name.id)
            hint = self.names.nearest(name.id, ("measure",))
            if entity is None:
                self.names.report("N201", f"there is no measure `{name.id}`", name.span, "not a measure", hint)
            elif entity.kind != "measure":
                label = Label(entity.span, f"the {entity.kind} is here")
                title = f"`{name.id}` is {article(entity.kind)}, not a measure"
                self.names.report("N211", title, name.span, "a goal is a measure", hint, labels=(label,))
        return tuple(name.id for name in decl.names)

    def terminates(self) -> int | None:
        decl: syntax.Terminates | None = self.only(syntax.Terminates)
        return None if decl is None else self.names.known_int(decl.limit, "the greatest number of choices")

    def only(self, kind: type) -> Any:
        """The declaration of a kind that is there once, or not at all."""
        first, *others = self.declared(kind) or [None]
        if others:
            label = Label(first.span, "the first is here")
            self.names.report("N202", f"`{kind.__name__.lower()}` is there twice", others[0].span, "", labels=(label,))
        return first


def players_of(params: tuple[core.ParamInfo, ...], names_player: str) -> str:
    """A remedy for an audience that is nobody: the players that the event has."""
    players = [p.name for p in params if str(p.type) == names_player]
    if not players:
        return "the event needs a parameter of type Player, who may see it"
    return f"write `private to {' and '.join(players)}`" if len(players) == 1 else f"write `private to {players[0]}`, or name another player: {', '.join(players)}"


def narrowed_result(declared: Type, returned: list[Type]) -> Type:
    """The range that a def really gives, where that is smaller than the one it promises."""
    if not isinstance(declared, IntType) or not returned:
        return declared
    total: Type = returned[0]
    for kind in returned[1:]:
        total = join(total, kind) or INT
    if not isinstance(total, IntType):
        return declared
    lo, hi = max(declared.lo, total.lo), min(declared.hi, total.hi)
    return IntType(lo, hi) if lo <= hi else declared
