"""Players that are programs: what a seat without a human does.

A bot answers the question that is open, from what its seat may know: what is hidden from the seat is guessed
(`playtest.hidden`). The same bot in the same match gives the same answers: what looks random comes from its seed.

    bot("random"), bot("first")        any legal move; the first one
    bot("greedy"), bot("greedy:points")  what is best at once, by the goals of the game, or by one measure
    bot("mcts"), bot("mcts:800:points")  Monte-Carlo tree search with so many playouts (see `playtest.mcts`)
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any, Protocol

from interpreter.rules import Internal, Rules
from playtest.hidden import Guesses
from playtest.plies import Position
from playtest.valuing import Valuation
from rulesdsl import runtime

GUESSES = 3
"""How many guesses of what is hidden a greedy bot looks at."""


class Table(Protocol):
    """What a bot needs of a match, or of a position of one."""

    def legal_moves(self) -> Sequence[Any]:
        """The moves that may be made now, simplest first."""
        ...


class Bot(Protocol):
    """Something that can sit at a table."""

    name: str

    def choose(self, match: Any) -> Any:
        """One of the legal moves of a match (or of a position); there is at least one when a bot is asked."""
        ...

    def pick(self, rules: Rules, position: Position, moves: Sequence[Internal]) -> Internal:
        """The same in internal form, for whoever plays many games: one of the legal `moves` at a position."""
        ...


class RandomBot:
    """Any legal move, each as likely as the others."""

    name = "random"

    def __init__(self, seed: int | str = 0) -> None:
        self._random = random.Random(f"bot {seed}")

    def choose(self, match: Table) -> Any:
        return self._any(match.legal_moves())

    def pick(self, rules: Rules, position: Position, moves: Sequence[Internal]) -> Internal:
        move: Internal = self._any(moves)
        return move

    def _any(self, moves: Sequence[Any]) -> Any:
        return moves[int(self._random.random() * len(moves))]


class FirstBot:
    """The first legal move: the simplest one. Dull, but always the same."""

    name = "first"

    def choose(self, match: Table) -> Any:
        return match.legal_moves()[0]

    def pick(self, rules: Rules, position: Position, moves: Sequence[Internal]) -> Internal:
        return moves[0]


class ThinkingBot:
    """A bot that looks at what moves lead to. `measures`: which to go by, the goals of the game if none are named."""

    name = "thinking"

    def __init__(self, seed: int | str = 0, measures: Sequence[str] = ()) -> None:
        self._random = random.Random(f"bot {seed}")
        self.wanted = tuple(measures)
        self._rules: Rules | None = None

    def choose(self, match: Any) -> Any:
        """One of the legal moves.

        Raises:
            ValueProblem: the game has no such measure.
        """
        position = getattr(match, "position", match)
        return position.rules.move(self.pick(position.rules, position.key, position.legal()))

    def pick(self, rules: Rules, position: Position, moves: Sequence[Internal]) -> Internal:
        """One of the legal moves in internal form."""
        if rules is not self._rules:
            self._rules = rules
            self.values = Valuation(rules, self.wanted)
            self.guesses = Guesses(rules)
        return moves[0] if len(moves) == 1 else self._best(rules, position, moves)

    def _best(self, rules: Rules, position: Position, moves: Sequence[Internal]) -> Internal:
        raise NotImplementedError


class GreedyBot(ThinkingBot):
    """The move after which its seat is best off at once; draws that follow are not waited for. Equals are drawn among."""

    name = "greedy"

    def _best(self, rules: Rules, position: Position, moves: Sequence[Internal]) -> Internal:
        state, frame = position
        seat = rules.module.asked(state, frame)
        states = self.guesses.several(state, seat, self._random, GUESSES) if self.guesses.needed else [state]
        answer = rules.module.answer
        equal = [(move, [answer(guess, frame, move, runtime.Trace())[0] for guess in states]) for move in moves]
        for worth in self.values.parts:  # what comes first decides, so that most measures need not be taken
            found = [sum(worth(after, seat) for after in afters) for _, afters in equal]
            best = max(found)
            equal = [one for one, value in zip(equal, found, strict=True) if value == best]
            if len(equal) == 1:
                break
        return equal[int(self._random.random() * len(equal))][0]


BOTS = ("random", "first", "greedy", "mcts")
"""The names of all bots."""


def bot(name: str, seed: int | str = 0) -> Bot:
    """A bot by name, with what it goes by after colons: `greedy:points`, `mcts:800`, `mcts:800:points`.

    Raises:
        ValueError: there is no such bot, or it takes no such thing.
    """
    kind, *more = name.split(":")
    numbers = [int(part) for part in more if part.isdecimal()]
    measures = [part for part in more if not part.isdecimal()]
    if kind not in BOTS:
        raise ValueError(f"there is no bot called {kind!r}; there are {', '.join(BOTS)}")
    if kind in ("random", "first") and more:
        raise ValueError(f"the bot {kind} takes nothing after a colon")
    if len(numbers) > (kind == "mcts") or 0 in numbers or not all(part.isidentifier() for part in measures):
        example = "mcts:800:points" if kind == "mcts" else "greedy:points"
        raise ValueError(f"`{name}` is not understood; write for example `{example}`")
    if kind == "random":
        return RandomBot(seed)
    if kind == "first":
        return FirstBot()
    if kind == "greedy":
        return GreedyBot(seed, measures)
    from playtest.mcts import PLAYOUTS, TreeBot

    return TreeBot(seed, measures, numbers[0] if numbers else PLAYOUTS)
