"""Moves as numbers: the action space of a game, the same in every position.

*Dense*: every move that can ever be legal (see `interpreter.possible_moves`) has a number, in canonical order: the pass, if there
is one, then action by action. An answer is one number.

*Factored*: where there are too many moves, or too many to list, an answer is told in parts: the action, then argument by argument.
Each part is a small number, and what is told so far is a part of the observation. Parts that leave no choice are left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import interpreter
from interpreter.rules import Internal, Rules
from playtest.adapters.parts import Part, in_turn, part_sizes, parts

DENSE_LIMIT = 1 << 15
Told = tuple[int, ...]
"""The parts of an answer that were told so far."""


class Actions(Protocol):
    """The action space of a game. `size`: actions are 0 to `size - 1`; `told_sizes`: one more than the greatest number of each
    part of an answer but the last, none where an answer is one number."""

    size: int
    told_sizes: tuple[int, ...]

    def begin(self, moves: Sequence[Internal]) -> Told:
        """What of an answer is told at once, since it leaves no choice. `moves`: the legal moves, in internal form."""
        ...

    def legal(self, moves: Sequence[Internal], told: Told) -> list[int]:
        """The actions that can follow what was told, ascending."""
        ...

    def take(self, moves: Sequence[Internal], told: Told, action: int) -> tuple[Internal | None, Told]:
        """A legal action: the move that it completes, or None and what is told now."""
        ...

    def toward(self, told: Told, move: Internal) -> int:
        """The action that tells more of a legal move, of which this much is told."""
        ...

    def text(self, moves: Sequence[Internal], told: Told, action: int) -> str:
        """An action in words."""
        ...


def actions_of(rules: Rules, kind: str | None = None) -> Actions:
    """The action space of a program. `kind`: "dense", "factored", or None: dense where there are at most 32,768 moves.

    Raises:
        ValueProblem: the moves cannot be numbered densely.
    """
    if kind not in (None, "dense", "factored"):
        raise interpreter.ValueProblem("actions", f"{kind!r} is neither dense nor factored")
    if kind == "factored":
        return Factored(rules)
    moves = interpreter.possible_moves(rules, DENSE_LIMIT if kind is None else 1 << 22)
    if moves is not None:
        return Dense(rules, moves)
    if kind == "dense":
        raise interpreter.ValueProblem("actions", f"{rules.program.name} has too many moves to number; leave this out")
    return Factored(rules)


class Dense:
    """A number for each move that can ever be legal. `moves`: by number."""

    told_sizes: tuple[int, ...] = ()

    def __init__(self, rules: Rules, moves: Sequence[Internal]) -> None:
        self.rules = rules
        self.moves = tuple(moves)
        self.size = len(self.moves)
        self.numbers = {move: number for number, move in enumerate(self.moves)}

    def begin(self, moves: Sequence[Internal]) -> Told:
        return ()

    def legal(self, moves: Sequence[Internal], told: Told) -> list[int]:
        found = list(map(self.numbers.__getitem__, moves))
        found.sort()
        return found

    def take(self, moves: Sequence[Internal], told: Told, action: int) -> tuple[Internal | None, Told]:
        return self.moves[action], ()

    def toward(self, told: Told, move: Internal) -> int:
        return self.numbers[move]

    def text(self, moves: Sequence[Internal], told: Told, action: int) -> str:
        return str(self.rules.move(self.moves[action]))


_Tree = dict[int, "tuple[str, _Tree | Internal]"]
"""What can follow, by number: in words, and what follows then, or the move."""


class Factored:
    """Answers told in parts."""

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        asked = {position for offers in rules.module.OFFERS.values() for position in offers}
        infos = [info for info in rules.program.actions if info.position in asked]
        sizes = [in_turn([part_sizes(item.type) for item in info.chosen]) for info in infos]
        longest = max((len(item) for item in sizes), default=0)
        width = [max((item[place] for item in sizes if place < len(item)), default=1) for place in range(longest)]
        first = 1 + max((info.position for info in infos), default=0)
        self.size = max([first, *width])
        self.told_sizes = (first, *width)[:-1]
        self._known: dict[Internal, tuple[Part, ...]] = {}
        self._last: tuple[Sequence[Internal], _Tree] = ((), {})

    def _parts(self, move: Internal) -> tuple[Part, ...]:
        found = self._known.get(move)
        if found is None:
            if len(self._known) > 1 << 16:
                self._known.clear()
            name = self.rules.action(move[0]).name if move[0] else "pass"
            told = [Part(move[0], name)]
            if move[0]:
                for item, value in zip(self.rules.action(move[0]).chosen, move[1:], strict=True):
                    told += parts(self.rules.codec, item.name, item.type, value)
            found = self._known[move] = tuple(told)
        return found

    def _tree(self, moves: Sequence[Internal]) -> _Tree:
        """The legal moves by their parts: made once for each list of them, which is kept so that it is not mixed up."""
        if self._last[0] is not moves:
            tree: _Tree = {}
            for move in moves:
                *first, last = self._parts(move)
                node = tree
                for part in first:
                    node = node.setdefault(part.number, (part.text, {}))[1]  # type: ignore[assignment]
                node[last.number] = (last.text, move)
            self._last = (moves, tree)
        return self._last[1]

    def _node(self, moves: Sequence[Internal], told: Told) -> _Tree:
        node = self._tree(moves)
        for part in told:
            node = node[part][1]  # type: ignore[assignment]
        return node

    def begin(self, moves: Sequence[Internal]) -> Told:
        return self._forced(self._tree(moves), ())[1] if moves else ()

    def legal(self, moves: Sequence[Internal], told: Told) -> list[int]:
        return sorted(self._node(moves, told))

    def take(self, moves: Sequence[Internal], told: Told, action: int) -> tuple[Internal | None, Told]:
        _, following = self._node(moves, told)[action]
        if isinstance(following, dict):
            following, told = self._forced(following, (*told, action))
        return (None, told) if isinstance(following, dict) else (following, ())

    def toward(self, told: Told, move: Internal) -> int:
        return self._parts(move)[len(told)].number

    @staticmethod
    def _forced(node: _Tree, told: Told) -> tuple[_Tree | Internal, Told]:
        """What follows, and what is told, after the parts that follow of themselves; the last is not told at the beginning."""
        while len(node) == 1:
            ((number, (_, following)),) = node.items()
            if not isinstance(following, dict):
                return (following, told) if told else (node, told)
            node, told = following, (*told, number)
        return node, told

    def text(self, moves: Sequence[Internal], told: Told, action: int) -> str:
        return self._node(moves, told)[action][0]


__all__ = ["DENSE_LIMIT", "Actions", "Dense", "Factored", "Told", "actions_of"]
