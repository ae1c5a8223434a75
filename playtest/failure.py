"""A broken law with the game that breaks it: what fuzzing finds, shrinking makes small, and reports tell."""

from __future__ import annotations

from collections.abc import Sequence

from attrs import frozen

from playtest.laws import Broken
from playtest.plies import Ply, State, choices


@frozen
class Failure:
    """A broken law, and the game that breaks it.

    `law` is one of the names at the head of `playtest.laws`; `clause` the sentence of the invariant, or where and
    how the rules failed; `number` its place among the program's invariants or transitions. `plies` are the answers and drawn
    outcomes up to the break; `event` is the number of the breaking event after the last of them. `before` and `after` are
    the states around it. `thorough`: found by rechecking a whole game. `game` is the number of the fuzzed game.
    """

    law: str
    clause: str
    detail: str
    plies: tuple[Ply, ...]
    number: int | None = None
    event: int | None = None
    before: State | None = None
    after: State | None = None
    place: tuple[str, int, int] | None = None
    thorough: bool = False
    game: int = 0

    @property
    def kind(self) -> tuple[str, str]:
        """Failures of the same kind are the same bug."""
        return self.law, self.clause

    @property
    def choices(self) -> int:
        """How many of the plies are players' answers."""
        return choices(self.plies)


def failure(broken: Broken, plies: Sequence[Ply], *, thorough: bool = False, game: int = 0) -> Failure:
    """A broken law together with the plies that lead to it."""
    return Failure(
        law=broken.law,
        clause=broken.clause,
        detail=broken.detail,
        plies=tuple(plies),
        number=broken.number,
        event=broken.event,
        before=broken.before,
        after=broken.after,
        place=broken.place,
        thorough=thorough,
        game=game,
    )
