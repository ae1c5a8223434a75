"""The law of secrets: what a player sees does not depend on what the player cannot see.

The checker sees to it before play (`rulesdsl.secrecy`). Here it is tried out: at a position, what is hidden
from a seat is dealt anew (`playtest.hidden`), and then that seat must have the same legal moves, read the same refusals, and see
the same after each event whose public arguments are the same.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

from interpreter.explain import examine
from interpreter.rules import Rules
from interpreter.view import may_see, visible_field
from playtest.hidden import Guesses
from playtest.laws import LEAK, Broken
from playtest.plies import Frame, State
from rulesdsl.core import ActionInfo
from rulesdsl.types import BagType, ListType, OptionType, SetType, Type, size, value_at

GUESSES = 2
REFUSALS = 2


class Leaks:
    """The law for one program. `needed` is False where nothing is hidden from anybody."""

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self.guesses = Guesses(rules)

    @property
    def needed(self) -> bool:
        return self.guesses.needed

    def question(self, state: State, frame: Frame, menu: Sequence[Any], rng: random.Random) -> None:
        """The player who is asked has the same moves and reads the same refusals, whatever the others hold.

        Raises:
            Broken: the law `leak`.
        """
        rules = self.rules
        seat = rules.module.asked(state, frame)
        tried = self._refused(state, frame, menu, rng)
        for other in self.guesses.several(state, seat, rng, GUESSES):
            if other == state:
                continue
            try:
                moves = rules.module.legal(other, frame)
                sentences = [self._sentences(other, seat, *move) for move, _ in tried]
            except Exception:  # the rules fail there: such a state cannot be
                continue
            if moves != menu:
                parted = sorted(set(moves) ^ set(menu), key=repr)
                name = rules.module.ACTIONS[parted[0][0]] if parted else "its moves"  # type: ignore[attr-defined]
                raise Broken(LEAK, f"legal moves of {name}", self._whose(seat), before=state, after=other)
            for (move, told), now in zip(tried, sentences, strict=True):
                if told != now:
                    clause = f"the refusal of {move[0].name}"
                    raise Broken(LEAK, clause, f"{self._whose(seat)}: {told} or {now}", before=state, after=other)

    def events(self, state: State, events: Sequence[Any], rng: random.Random) -> None:
        """After an event nobody sees anything that depends on what they may not see.

        Raises:
            Broken: the law `leak`.
        """
        for number, event in enumerate(events):
            after = self.rules.module.apply(state, event)
            if event[0] != 0:
                seat = rng.randrange(len(self.rules.seats))
                self._event(state, event, after, seat, number, rng)
            state = after

    def _event(self, state: State, event: Any, after: State, seat: int, number: int, rng: random.Random) -> None:
        rules, viewer = self.rules, self.rules.seats[seat]
        info = rules.event_info(event[0])
        sees = may_see(rules, info, event, viewer)
        written = [f for f in rules.program.fields if f.name in rules.module.WRITES[event[0]]]
        for other in self.guesses.several(state, seat, rng, GUESSES):
            arguments = [
                value if seen else another(param.type, value, rng)
                for param, value, seen in zip(info.params, event[1:], sees, strict=True)
            ]
            try:
                result = rules.module.apply(other, (event[0], *arguments))
            except Exception:  # the event is not possible there
                continue
            for item in written:
                then, now = (visible_field(rules, item, st, viewer) for st in (after, result))
                if then != now:
                    raise Broken(
                        LEAK, f"event {info.name} shows {item.name}", f"{viewer} would see {then} or {now}",
                        event=number, before=state, after=after,
                    )  # fmt: skip

    def _refused(self, state: State, frame: Frame, menu: Sequence[Any], rng: random.Random) -> list[tuple[Any, Any]]:
        """A few moves that are not legal, with what is said about them."""
        rules, found = self.rules, []
        seat = rules.module.asked(state, frame)
        offers = list(zip(rules.module.OFFERS[frame[0]], rules.module.given(state, frame), strict=True))
        for _ in range(REFUSALS):
            position, given = rng.choice(offers)
            info = rules.action(position)
            sizes = [size(item.type) for item in info.chosen]
            if any(not count for count in sizes):
                continue
            kinds = [item.type for item in info.chosen]
            chosen = tuple(value_at(kind, rng.randrange(size(kind) or 1)) for kind in kinds)
            if (position, *chosen) in menu:
                continue
            move = (info, given, chosen)
            found.append((move, self._sentences(state, seat, *move)))
        return found

    def _sentences(self, state: State, seat: int, info: ActionInfo, given: Any, chosen: Any) -> list[str]:
        """All that is told about a refused move."""
        reasons = examine(self.rules, state, info, seat, given, chosen).reasons
        values = [[f"{text} is {value}" for text, value in reason.values] for reason in reasons]
        return [part for reason, shown in zip(reasons, values, strict=True) for part in (reason.sentence, reason.among, *shown)]

    def _whose(self, seat: int) -> str:
        return f"{self.rules.seats[seat]} could tell what only others may see"


def another(kind: Type, value: Any, rng: random.Random) -> Any:
    """Another value with the same back: as many elements, and there if it is there."""
    if isinstance(kind, OptionType):
        return None if value is None else another(kind.item, value, rng)
    if isinstance(kind, ListType):
        return tuple(another(kind.item, item, rng) for item in value)
    if isinstance(kind, (SetType, BagType)):
        places = size(kind.item) or 0
        if isinstance(kind, SetType):
            return sum(1 << place for place in rng.sample(range(places), value.bit_count()))
        drawn = [rng.randrange(places) for _ in range(sum(value))]
        return tuple(drawn.count(place) for place in range(places))
    count = size(kind)
    return value_at(kind, rng.randrange(count)) if count else value


def leaks_of(loaded: Any) -> Leaks | None:
    """The law for a program; None where nothing is hidden, or its text is not known."""
    if not any(info.visibility in ("private", "hidden") for info in loaded.program.fields):
        return None
    return Leaks(loaded if isinstance(loaded, Rules) else Rules(loaded)) if hasattr(loaded, "source") else None
