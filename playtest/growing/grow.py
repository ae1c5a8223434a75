"""Random programs of the rules language, right by construction.

`terms` makes expressions, `ground` declarations, `blocks` what happens in flows; here it becomes a program.
`Grower` declares types and state, then events that keep every field within its type, then actions and flows from the ends of
the graph of who asks whom towards `main`, so that the graph has no cycle. Every block knows how many choices it can ask for at
most (`Block.choices`); blocks that could repeat without end spend fuel, which is state; so `terminates within` can be
written down exactly, and a game that takes longer is a bug of the compiler or of this file.
"""

from __future__ import annotations

from attrs import evolve

from playtest.growing.blocks import Flows
from playtest.growing.ground import INDENT, MAX_CHOICES, ROUNDS, Asked, Block, Lines, Where, indented
from playtest.growing.kinds import Kind, Scope, Signature, int_kind


class Grower(Flows):
    """Makes one program."""

    def grow(self) -> str:
        """The text of a whole program."""
        self._game()
        self._types()
        self._state()
        self._events()
        self._defs()
        for _ in range(self.terms.between(1, 3)):
            self._action()
        self._secrets()
        for _ in range(self.terms.between(0, 2)):
            self._flow()
            if self.terms.maybe(50):
                self._action()
        self._main()
        self._laws()
        self._scenario()
        self._goals()
        return self.parts.text()

    # ------------------------------------------------------------ actions

    def _action(self) -> None:
        """An action: chosen parameters, guards, effects. Some cost fuel; some can always be made."""
        terms = self.terms
        name = terms.fresh("act")
        given, chosen, scope = self._choices()
        certain = terms.maybe(40) and all("in " not in text or text.split(" in ")[1] in self._sure() for text in chosen)
        fuel = terms.maybe(40)
        lines: Lines = []
        if fuel:
            lines.append('require fuelled: fuel > 0 else "no fuel"')
        if not certain:
            lines += self._guards(scope)
        if fuel:
            lines.append("emit Spent()")
        where = Where(scope, "me", depth=2, returns=True)
        body = self._block(where, first_emits=not fuel)
        lines += body.lines
        written = [f"{param}: {kind.text}" for param, kind in given] + chosen
        head = f"action {name}({', '.join(written)}):" if written else f"action {name}:"
        self.parts.actions += ["", head, *indented(lines)]
        self.actions.append(Asked(Signature(name, given), 1 + body.choices, fuel, certain and not fuel))

    def _sure(self) -> set[str]:
        """Domains that are never empty."""
        return {kind.text for kind in self.world.key_kinds()} | {"0..2", "1..3"}

    def _choices(self) -> tuple[tuple[tuple[str, Kind], ...], Lines, Scope]:
        """Given parameters, chosen ones as text, and the scope with all of them."""
        terms, world = self.terms, self.world
        scope = Scope(names=(("me", world.player),), depth=1)
        given: tuple[tuple[str, Kind], ...] = ()
        if terms.maybe(25):
            given = ((terms.fresh("given"), terms.one([int_kind(0, 3), *world.key_kinds()])),)
            scope = scope.with_(*given[0])
        chosen: Lines = []
        for _ in range(terms.between(0, 2)):
            name = terms.fresh("c")
            text, kind = self._domain(scope)
            chosen.append(f"{name} in {text}")
            scope = scope.with_(name, kind)
        return given, chosen, scope

    def _domain(self, scope: Scope) -> tuple[str, Kind]:
        terms, world = self.terms, self.world
        found: list[tuple[str, Kind]] = [(kind.text, kind) for kind in world.key_kinds()]
        found += [("0..2", int_kind(0, 2)), ("1..3", int_kind(1, 3))]
        if terms.maybe(40):
            return terms.collection(scope)
        if terms.maybe(15):
            name, kind = terms.fresh("it"), terms.one(world.key_kinds())
            return f"{{{name} for {name} in {kind.text} if {terms.condition(scope.with_(name, kind))}}}", kind
        return terms.one(found)

    def _guards(self, scope: Scope) -> Lines:
        terms = self.terms
        lines: Lines = []
        if terms.maybe(25):
            name = terms.fresh("seen")
            lines.append(f"let {name} = {terms.number(scope)}")
            scope = scope.with_(name, Kind("int", "int"))
            lines.append(f'require {terms.fresh("rule")}: {name} < {terms.number(scope)} else "it is {{{name}}}"')
        for _ in range(terms.between(0, 2)):
            lines.append(
                f'require {terms.fresh("rule")}: {terms.condition(evolve(scope, depth=2))} else "that is not allowed"'
            )
        able = [asked for asked in self.actions if not asked.signature.params]
        if able and terms.maybe(15):
            lines.append(
                f'require {terms.fresh("rule")}: me can {terms.one(able).signature.name} else "nothing follows"'
            )
        return lines

    # ------------------------------------------------------------ secrets

    def _secrets(self) -> None:
        """A deck with hidden cards and hands that only their owners see; bids that are made in secret and then shown."""
        colour = self.world.enums[0].text
        if self.cards:
            mark = "public" if self.terms.maybe(20) else "private to by"
            self.parts.events += [
                "", f"event CardDrawn(by: Player, card: {colour} {mark}):", f'{INDENT}"{{by}} draws {{card}}"',
                f"{INDENT}deck -= card", f"{INDENT}hand[by] += card",
                "", f"event CardPlayed(by: Player, card: {colour}):", f"{INDENT}hand[by] -= card", f"{INDENT}discards += card",
            ]  # fmt: skip
            self.parts.flows += [
                "", "flow draw_card(p: Player):", f"{INDENT}if deck:", f"{INDENT * 2}draw card from deck",
                f"{INDENT * 2}emit CardDrawn(p, card)",
            ]  # fmt: skip
            self.flows.append(Asked(Signature("draw_card", (("p", self.world.player),)), 0))
            self.parts.actions += [
                "", "action play_card(card in distinct(hand[me])):",
                f'{INDENT}require held: len(hand[me]) > 0 else "no cards"', f"{INDENT}emit CardPlayed(me, card)",
            ]  # fmt: skip
            self.actions.append(Asked(Signature("play_card", ()), 1))
        if self.bids:
            self.parts.events += [
                "", "event BidMade(by: Player, n: 0..3 private to by):", f'{INDENT}"{{by}} bids {{n}}"', f"{INDENT}bid[by] = n",
                "", "event BidsShown(bids: map[Player, 0..3?]):", f"{INDENT}shown = bids",
            ]  # fmt: skip
            self.parts.actions += ["", "action make_bid(n in 0..3):", f"{INDENT}emit BidMade(me, n)"]
            self.parts.flows += [
                "", "flow auction:", f"{INDENT}for p in Player:", f"{INDENT * 2}p chooses make_bid",
                f"{INDENT}emit BidsShown({{p: bid[p] for p in Player}})",
            ]  # fmt: skip
            self.flows.append(Asked(Signature("auction", ()), self.world.player.count))

    # ------------------------------------------------------------ main, laws, scenarios

    def _main(self) -> None:
        terms = self.terms
        scope = Scope(depth=1)
        first, name = terms.literal(self.world.player), terms.fresh("p")
        setup = self._block(Where(scope, first, depth=1))
        turn = self._turn(Where(scope.with_(name, self.world.player), name, depth=2, times=ROUNDS, loop=True))
        ending = self._ending(scope)
        middle = [
            "step play:",
            f"{INDENT}turns {name} from {first} if rounds < {ROUNDS}:",
            f"{INDENT * 2}emit Ticked()",
        ]
        lines = ["step setup:", *indented(setup.lines), *middle, *indented(indented(turn.lines))]
        if terms.maybe(30):
            lines += [
                f"{INDENT * 2}if {terms.condition(scope.with_(name, self.world.player))}:",
                f"{INDENT * 3}end win {name}",
            ]
        asks = setup.choices + turn.choices * ROUNDS
        if asks == 0:
            self.parts.actions += ["", "action wait:", f"{INDENT}emit Ticked()"]
            lines += [f"{first} chooses wait"]
            asks = 1
        self.parts.flows += ["", "flow main:", *indented([*lines, ending])]
        self.parts.laws += ["", f"terminates within {asks} choices"]

    def _turn(self, where: Where) -> Block:
        """A player's turn: a question first, if there is anything to ask, or one of the flows."""
        first, _, asked = self.terms.one((self._ask, self._call))(where, MAX_CHOICES // ROUNDS)
        more = self._block(where, first_emits=False)
        if asked + more.choices > MAX_CHOICES // ROUNDS:
            return Block(tuple(first), asked)
        return Block((*first, *more.lines), asked + more.choices)

    def _ending(self, scope: Scope) -> str:
        terms = self.terms
        name = terms.fresh("it")
        inner = scope.with_(name, self.world.player)
        winners = f"{{{name} for {name} in Player if {terms.condition(inner)}}}"
        scores = f"{{{name}: {terms.number(inner)} for {name} in Player}}"
        return terms.one(
            ("end tie", f"end win {terms.literal(self.world.player)}", f"end win {winners}", f"end scores {scores}")
        )

    def _laws(self) -> None:
        """Laws that hold by construction."""
        terms, out = self.terms, self.parts.laws
        out += [
            "",
            'transition "rounds and fuel only go one way":',
            f"{INDENT}rounds >= before.rounds and fuel <= before.fuel",
        ]
        for info in self.world.fields:
            if info.kind.sort == "int" and not info.visibility and terms.maybe(50):
                names = [terms.fresh("it") for _ in info.keys]
                path = info.name + "".join(f"[{name}]" for name in names)
                loops = "".join(f" for {name} in {key.text}" for name, key in zip(names, info.keys, strict=True))
                bound = f"{path} <= {info.kind.hi}"
                out += [
                    "",
                    f'invariant "{info.name} is bounded":',
                    INDENT + (f"all({bound}{loops})" if names else bound),
                ]
        if self.cards:
            total = "sum(len(hand[p]) for p in Player) + len(deck) + len(discards)"
            out += [
                "",
                'invariant "cards are neither made nor lost":',
                f"{INDENT}{total} == {self._copies()} * count(c for c in {self.world.enums[0].text})",
            ]
        if terms.maybe(50):
            scope = Scope(names=(("p", self.world.player),), depth=2)
            out += ["", "measure points(p: Player) -> int:", INDENT + terms.number(scope)]

    def _goals(self) -> None:
        """Measures in another order than they are declared, and one that does not count."""
        terms = self.terms
        if terms.maybe(25):
            names = [terms.fresh("measured") for _ in range(terms.between(2, 3))]
            for name in names:
                value = terms.number(Scope(names=(("p", self.world.player),), depth=1))
                self.parts.laws += ["", f"measure {name}(p: Player) -> int:", INDENT + value]
            self.parts.laws += ["", f"goals {', '.join(reversed(names[1:]))}"]

    def _copies(self) -> str:
        line = next(line for line in self.parts.state if "deck:" in line)
        return line.split("{c: ")[1].split(" ")[0]

    def _scenario(self) -> None:
        out = self.parts.scenarios
        if self.terms.maybe(40):
            out += ["", 'scenario "a generated one":', f"{INDENT}run main()", f"{INDENT}expect rounds >= 0"]
        if self.terms.maybe(30):
            out += [
                "",
                'scenario "given":',
                f"{INDENT}given:",
                f"{INDENT * 2}rounds = 2",
                f"{INDENT}expect rounds == 2",
            ]
