"""What happens in a generated program: blocks of statements, loops, draws, questions and calls, none of them without end."""

from __future__ import annotations

from attrs import evolve

from playtest.growing.ground import FUEL, INDENT, MAX_CHOICES, ROUNDS, Asked, Block, Ground, Lines, Where, indented
from playtest.growing.kinds import BOOL, Kind, Scope, Signature, int_kind


class Flows(Ground):
    """Makes the blocks of actions and flows."""

    # ------------------------------------------------------------ flows

    def _flow(self) -> None:
        terms = self.terms
        name = terms.fresh("part")
        who = "me" if terms.maybe(50) else "p"
        params = ((who, self.world.player),)
        block = self._block(Where(Scope(names=params, depth=1), who, depth=2, returns=True))
        self.parts.flows += ["", f"flow {name}({who}: Player):", *indented(block.lines)]
        self.flows.append(Asked(Signature(name, params), block.choices))

    def _block(self, where: Where, first_emits: bool = True) -> Block:
        """Some statements in sequence."""
        lines: Lines = []
        choices = 0
        scope = where.scope
        for number in range(self.terms.between(1, 3)):
            inside = evolve(where, scope=scope)
            if number == 0 and first_emits and self.world.events and self.terms.maybe(50):
                lines.append(self._emit(scope))
                continue
            made, names, asked = self._statement(inside, MAX_CHOICES // where.times - choices)
            lines += made
            choices += asked
            for name, kind in names:
                scope = scope.with_(name, kind)
        return Block(tuple(lines), choices)

    def _statement(self, where: Where, left: int) -> tuple[Lines, tuple[tuple[str, Kind], ...], int]:
        """One statement: its lines, the names it adds to what follows, and the most choices it asks for."""
        simple = [self._emit_line, self._let, self._draw, self._condition_small, self._narrowed, self._able]
        nested = [self._ask, self._call, self._if, self._for, self._repeat, self._step, self._while, self._var]
        ways = [*simple, *nested] if where.depth > 0 else simple
        return self.terms.one(ways)(where, left)

    def _emit(self, scope: Scope) -> str:
        if not self.world.events:
            return "emit Spent()"
        event = self.terms.one(self.world.events)
        return f"emit {event.name}({', '.join(self.terms.fitting(kind, scope) for _, kind in event.params)})"

    def _emit_line(self, where: Where, left: int) -> tuple[Lines, tuple[tuple[str, Kind], ...], int]:
        return [self._emit(where.scope)], (), 0

    def _let(self, where: Where, left: int) -> tuple[Lines, tuple[tuple[str, Kind], ...], int]:
        terms = self.terms
        name = terms.fresh("let")
        kind = terms.one([Kind("int", "int"), BOOL, *self.world.key_kinds()])
        value = terms.expression(kind, where.scope)
        if kind.sort == "enum" and value in kind.members:
            written = f"let {name}: {kind.text} = {value}"
        else:
            written = f"let {name} = {value}"
        inner = where.scope.with_(name, kind)
        used = f"{name} == {terms.expression(kind, inner)}" if kind.sort != "bool" else name
        return [written, f"if {used}:", f"{INDENT}{self._emit(inner)}"], ((name, kind),), 0

    def _var(self, where: Where, left: int) -> tuple[Lines, tuple[tuple[str, Kind], ...], int]:
        """A variable that changes while others are asked, and is looked at afterwards."""
        terms = self.terms
        name = terms.fresh("var")
        block = self._block(where.inside())
        lines = [
            f"var {name} = {terms.below(3)}",
            *block.lines,
            f"{name} += {terms.within(int_kind(0, 4), where.scope)}",
        ]
        inner = where.scope.with_(name, Kind("int", "int"))
        return [*lines, f"if {name} > {terms.below(4)}:", f"{INDENT}{self._emit(inner)}"], (), block.choices

    def _draw(self, where: Where, left: int) -> tuple[Lines, tuple[tuple[str, Kind], ...], int]:
        terms = self.terms
        name = terms.fresh("drawn")
        kind = terms.one([int_kind(1, 3), *self.world.key_kinds()])
        bags = [
            f
            for f in self.world.fields
            if f.kind.sort in ("bag", "set") and not f.visibility and f.kind.item is not None
        ]
        if bags and terms.maybe(40):
            info = terms.one(bags)
            assert info.kind.item is not None
            path = info.name + "".join(f"[{terms.literal(key)}]" for key in info.keys)
            inner = where.scope.with_(name, info.kind.item)
            return [f"if {path}:", f"{INDENT}draw {name} from {path}", f"{INDENT}{self._emit(inner)}"], (), 0
        second = terms.fresh("drawn") if terms.maybe(20) else None
        names = ((name, kind),) if second is None else ((name, kind), (second, kind))
        used = f"if {name} == {terms.fitting(kind, where.scope) if second is None else second}:"
        inner = where.scope.with_(name, kind)
        lines = [f"draw {', '.join(n for n, _ in names)} from {kind.text}", used, f"{INDENT}{self._emit(inner)}"]
        return lines, names, 0

    def _condition_small(self, where: Where, left: int) -> tuple[Lines, tuple[tuple[str, Kind], ...], int]:
        terms = self.terms
        lines = [f"if {terms.condition(where.scope)}:", f"{INDENT}{self._emit(where.scope)}"]
        if where.loop and terms.maybe(30):
            lines.append(INDENT + terms.one(("break", "continue")))
        elif where.returns and terms.maybe(30):
            lines.append(f"{INDENT}return")
        elif terms.maybe(5):
            lines.append(f"{INDENT}end win {terms.member(self.world.player, where.scope)}")
        return lines, (), 0

    def _able(self, where: Where, left: int) -> tuple[Lines, tuple[tuple[str, Kind], ...], int]:
        """What depends on whether somebody can do something."""
        terms = self.terms
        able = [action for action in self.actions if not action.signature.params]
        if not able:
            return self._condition_small(where, left)
        who = terms.member(self.world.player, evolve(where.scope, depth=0))
        name = terms.one(able).signature.name
        return [f"if {who} can {name}:", f"{INDENT}{self._emit(where.scope)}"], (), 0

    def _narrowed(self, where: Where, left: int) -> tuple[Lines, tuple[tuple[str, Kind], ...], int]:
        """An option that is looked at once and then used as what it holds. (What was known of it is forgotten at the emit.)"""
        terms = self.terms
        fields = [f for f in self.world.fields if f.kind.sort == "option" and not f.visibility]
        if not fields:
            return self._let(where, left)
        info, name = terms.one(fields), terms.fresh("let")
        assert info.kind.item is not None
        inner = where.scope.with_(name, info.kind.item)
        lines = [self._emit(where.scope), f"let {name} = {terms.path(info, where.scope)}"]
        if terms.maybe(50):
            return [*lines, f"if {name} is some:", f"{INDENT}{self._emit(inner)}"], (), 0
        return (
            [
                *lines,
                f"if {name} is none:",
                f"{INDENT}{self._emit(where.scope)}",
                "else:",
                f"{INDENT}{self._emit(inner)}",
            ],
            (),
            0,
        )

    # ------------------------------------------------------------ statements that hold others

    def _if(self, where: Where, left: int) -> tuple[Lines, tuple[tuple[str, Kind], ...], int]:
        terms = self.terms
        first = self._block(where.inside())
        lines = [f"if {terms.condition(where.scope)}:", *indented(first.lines)]
        choices = first.choices
        if terms.maybe(30):
            other = self._block(where.inside())
            lines += [f"elif {terms.condition(where.scope)}:", *indented(other.lines)]
            choices = max(choices, other.choices)
        if terms.maybe(40):
            other = self._block(where.inside())
            lines += ["else:", *indented(other.lines)]
            choices = max(choices, other.choices)
        if where.loop and terms.maybe(15):
            lines.append(f"{INDENT}{terms.one(('break', 'continue'))}")
        return lines, (), choices

    def _for(self, where: Where, left: int) -> tuple[Lines, tuple[tuple[str, Kind], ...], int]:
        terms = self.terms
        name = terms.fresh("each")
        source, kind = terms.collection(where.scope)
        count = 9 if where.times == 1 else 12
        inner = where.scope.with_(name, kind)
        condition = f" if {terms.condition(inner)}" if terms.maybe(40) else ""
        block = self._block(where.inside(inner, times=count, loop=True))
        return [f"for {name} in {source}{condition}:", *indented(block.lines)], (), block.choices * 12

    def _repeat(self, where: Where, left: int) -> tuple[Lines, tuple[tuple[str, Kind], ...], int]:
        count = self.terms.between(1, 3)
        times = str(count) if self.terms.maybe(50) else f"max(0, min({count}, {self.terms.number(where.scope)}))"
        block = self._block(where.inside(times=count, loop=True))
        return [f"repeat {times}:", *indented(block.lines)], (), block.choices * count

    def _while(self, where: Where, left: int) -> tuple[Lines, tuple[tuple[str, Kind], ...], int]:
        """A loop that counts rounds first, so that it ends."""
        block = self._block(where.inside(times=ROUNDS, loop=True))
        lines = [
            f"while rounds < {ROUNDS} and {self.terms.condition(where.scope)}:",
            f"{INDENT}emit Ticked()",
            *indented(block.lines),
        ]
        return lines, (), block.choices * ROUNDS

    def _step(self, where: Where, left: int) -> tuple[Lines, tuple[tuple[str, Kind], ...], int]:
        block = self._block(where.inside())
        return [f"step {self.terms.fresh('stage')}:", *indented(block.lines)], (), block.choices

    def _call(self, where: Where, left: int) -> tuple[Lines, tuple[tuple[str, Kind], ...], int]:
        able = [flow for flow in self.flows if flow.choices <= left]
        if not able:
            return self._emit_line(where, left)
        flow = self.terms.one(able)
        arguments = ", ".join(self.terms.fitting(kind, where.told()) for _, kind in flow.signature.params)
        return [f"{flow.signature.name}({arguments})"], (), flow.choices

    # ------------------------------------------------------------ questions

    def _ask(self, where: Where, left: int) -> tuple[Lines, tuple[tuple[str, Kind], ...], int]:
        terms = self.terms
        able = [action for action in self.actions if action.choices <= left]
        if not able:
            return self._emit_line(where, left)
        offers: list[Asked] = []
        for _ in range(terms.between(1, 2)):
            action = terms.one(able)
            if action not in offers:
                offers.append(action)
        who = terms.member(self.world.player, evolve(where.scope, depth=1)) if terms.maybe(30) else where.who
        written = " or ".join(self._alternative(action, where.told(who)) for action in offers)
        worst = max(action.choices for action in offers)
        fuelled = all(action.fuel for action in offers)
        if fuelled and terms.maybe(50) and (FUEL + 1) * (worst + 1) <= left:
            return self._repeatedly(f"{who} may repeatedly {written}", where, worst, left)
        if terms.maybe(40):
            return [f"{who} may {written}"], (), worst
        lines = [f"{who} chooses {written}"]
        if not any(action.certain for action in offers) or terms.maybe(20):
            lines += ["otherwise:", *indented([self._emit(where.scope)])]
        return lines, (), worst

    def _alternative(self, action: Asked, scope: Scope) -> str:
        arguments = ", ".join(self.terms.fitting(kind, scope) for _, kind in action.signature.params)
        return f"{action.signature.name}({arguments})" if arguments else action.signature.name

    def _repeatedly(
        self, head: str, where: Where, worst: int, left: int
    ) -> tuple[Lines, tuple[tuple[str, Kind], ...], int]:
        """Each choice spends fuel, so there are no more than that, and a pass."""
        choices = FUEL * worst + 1
        if self.terms.maybe(50):
            return [head], (), choices
        return [f"{head}:", f"{INDENT}{self._emit(where.scope)}"], (), choices
