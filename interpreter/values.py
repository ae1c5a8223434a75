"""The values that the machine hands out: moves, events, questions, states and results, all named and immutable."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from attrs import field, frozen

from interpreter.codec import NamedMap, NamedSet, show

if TYPE_CHECKING:
    from interpreter.rules import Rules


def _arguments(value: Mapping[str, Any]) -> NamedMap[str, Any]:
    return value if isinstance(value, NamedMap) else NamedMap(value)


@frozen
class Move:
    """What a player does: an action with its chosen arguments, by name. `str` gives `place(seven, c3)`."""

    action: str
    arguments: NamedMap[str, Any] = field(factory=NamedMap, converter=_arguments)

    def __str__(self) -> str:
        return _call(self.action, self.arguments) if self.arguments else self.action

    @property
    def is_pass(self) -> bool:
        return self.action == "pass"


PASS = Move("pass")


@frozen
class Event:
    """Something that happened. `str` gives `TilePlaced(guardian, seven, c3)`. An argument may be `Concealed` in a view."""

    name: str
    arguments: NamedMap[str, Any] = field(factory=NamedMap, converter=_arguments)

    def __str__(self) -> str:
        return _call(self.name, self.arguments)


@frozen
class Drawn:
    """A drawn outcome, with the name that the rules give it."""

    name: str
    outcome: Any

    def __str__(self) -> str:
        return f"draw {self.name} = {show(self.outcome)}"


def _call(name: str, arguments: Mapping[str, Any]) -> str:
    return f"{name}({', '.join(show(value) for value in arguments.values())})"


@frozen
class Offer:
    """An action that may be chosen, with the arguments that the asker gives it."""

    action: str
    given: NamedMap[str, Any] = field(factory=NamedMap, converter=_arguments)

    def __str__(self) -> str:
        return _call(self.action, self.given) if self.given else self.action


@frozen
class Question:
    """What a match waits for.

    `kind`: "choice" (of `seat`, among `offers`), "draw" (of `name`, one of `outcomes`: pairs of outcome and weight), or "over".
    `step`: the innermost step of the flow that asks.
    """

    kind: str
    seat: str | None = None
    offers: tuple[Offer, ...] = ()
    may_pass: bool = False
    step: str = ""
    name: str = ""
    outcomes: tuple[tuple[Any, int], ...] = ()

    @property
    def actions(self) -> tuple[str, ...]:
        """The names of the actions offered."""
        return tuple(offer.action for offer in self.offers)

    def __str__(self) -> str:
        if self.kind == "over":
            return "the game is over"
        if self.kind == "draw":
            return f"a draw of {self.name}"
        offers = " or ".join(map(str, self.offers))
        return f"{self.seat} {'may' if self.may_pass else 'chooses'} {offers}"


@frozen
class Outcome:
    """How a game ended. `tie`: several share the win."""

    winners: tuple[str, ...]
    scores: NamedMap[str, int] | None = None

    @property
    def tie(self) -> bool:
        return len(self.winners) > 1

    def __str__(self) -> str:
        if self.tie:
            text = f"{', '.join(self.winners[:-1])} and {self.winners[-1]} share the win"
        else:
            text = f"{self.winners[0]} wins" if self.winners else "nobody wins"
        if self.scores is not None:
            text += f" ({', '.join(f'{seat} {score}' for seat, score in self.scores.items())})"
        return text


class State:
    """The state by names: `state.hand["marauder"]`, or `state["hand"]`. Immutable, hashable, decoded only as far as it is read.

    `digest` is the same in every process and for every layout that a compiler may choose.
    """

    __slots__ = ("_named", "_rules", "_st")

    def __init__(self, rules: Rules, st: tuple[Any, ...]) -> None:
        self._rules = rules
        self._st = st
        self._named: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        if name not in self._named:
            self._named[name] = self._rules.named_field(self._st, name)
        return self._named[name]

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"the state has no field {name}") from None

    def __iter__(self) -> Iterator[str]:
        return (info.name for info in self._rules.program.fields)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, State):
            return NotImplemented
        return self._st == other._st and self._rules.program.digest == other._rules.program.digest

    def __hash__(self) -> int:
        return hash(self._st)

    def __repr__(self) -> str:
        return f"State({', '.join(f'{name}={show(self[name])}' for name in self)})"

    @property
    def digest(self) -> str:
        return self._rules.digest(self._st)

    @property
    def outcome(self) -> Outcome | None:
        return self._rules.outcome(self._st)

    def plain(self) -> dict[str, Any]:
        """All fields as JSON data."""
        return self._rules.plain_state(self._st)


__all__ = ["PASS", "Drawn", "Event", "Move", "NamedMap", "NamedSet", "Offer", "Outcome", "Question", "State"]
