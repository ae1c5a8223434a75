"""Players that are programs: what a seat without a human does.

A bot sees a match through its public interface only, and answers the question that is open. The same bot in the same match
gives the same answers: what looks random comes from its seed.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any, Protocol


class Table(Protocol):
    """What a bot needs of a match."""

    def legal_moves(self) -> Sequence[Any]:
        """The moves that may be made now, simplest first."""
        ...


class Bot(Protocol):
    """Something that can sit at a table."""

    name: str

    def choose(self, match: Table) -> Any:
        """One of the match's legal moves; there is at least one when a bot is asked."""
        ...


class RandomBot:
    """Any legal move, each as likely as the others."""

    name = "random"

    def __init__(self, seed: int | str = 0) -> None:
        self._random = random.Random(f"bot {seed}")

    def choose(self, match: Table) -> Any:
        moves = match.legal_moves()
        return moves[int(self._random.random() * len(moves))]


class FirstBot:
    """The first legal move: the simplest one. Dull, but always the same."""

    name = "first"

    def choose(self, match: Table) -> Any:
        return match.legal_moves()[0]


BOTS = {"random": RandomBot, "first": FirstBot}
"""Bots by the name that the command takes."""


def bot(name: str, seed: int | str = 0) -> Bot:
    """A bot by name.

    Raises:
        ValueError: there is no bot of this name.
    """
    if name == "random":
        return RandomBot(seed)
    if name == "first":
        return FirstBot()
    raise ValueError(f"there is no bot called {name!r}; there are {', '.join(sorted(BOTS))}")
