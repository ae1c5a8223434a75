"""Monte-Carlo tree search for any game: playouts tell which move is best.

Each playout begins at the position, with one of several guesses of what the seat cannot see. It goes down the tree of moves, where every
player goes for their own result; adds one move to it; plays on at random for a while; and values where it has come to: the
result if the game is over, the measures that count if it is not. Draws are made as they come, so what stands in the tree are moves
only. Where there are many moves those come first after which the mover is best off at once, and more are looked at as a
place in the tree is visited more often.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from attrs import define, field

from interpreter.rules import Internal, Rules
from playtest.bots import ThinkingBot
from playtest.fuzz import draw
from playtest.plies import DRAW, Position, State
from playtest.valuing import Valuation, credit
from rulesdsl import runtime

PLAYOUTS = 200
DEPTH = 12
"""How many answers a playout goes on for after it has left the tree."""
EXPLORING = 0.7
"""How much a move is preferred for having been tried little."""
ORDERED_AT = 4
"""From so many visits on the moves at a place in the tree are ordered by what they give at once."""
GUESSES = 16
"""How many guesses of what is hidden the playouts for one answer begin from, in turn."""
GREED = 0.5
"""How often a playout takes the better one of a few moves instead of any."""


@define(eq=False)
class _Node:
    """A place in the tree: what the moves that lead here are worth to each seat, summed over its visits."""

    visits: int = 0
    worth: list[float] = field(factory=list)
    children: dict[Internal, _Node] = field(factory=dict)
    order: list[Internal] | None = None


class TreeBot(ThinkingBot):
    """Monte-Carlo tree search with a fixed number of playouts for each answer."""

    name = "mcts"

    def __init__(
        self, seed: int | str = 0, measures: Sequence[str] = (), playouts: int = PLAYOUTS, depth: int = DEPTH
    ) -> None:
        super().__init__(seed, measures)
        self.playouts = playouts
        self.depth = depth

    def _best(self, rules: Rules, position: Position, moves: Sequence[Internal]) -> Internal:
        search = _Search(self, rules, position)
        for _ in range(self.playouts):
            search.playout()
        children = search.root.children
        return max(moves, key=lambda move: children[move].visits if move in children else 0)


class _Search:
    """The playouts for one answer."""

    def __init__(self, bot: TreeBot, rules: Rules, position: Position) -> None:
        self.bot = bot
        self.module: Any = rules.module
        self.random = bot._random
        self.values: Valuation = bot.values
        self.state, self.frame = position
        self.seat = self.module.asked(*position)
        self.seats = range(len(rules.seats))
        self.root = _Node(worth=[0.0 for _ in self.seats])
        self.scale = [1.0 for _ in self.values.names]
        self.states = [self.state]
        if bot.guesses.needed:
            self.states = bot.guesses.several(self.state, self.seat, self.random, min(GUESSES, bot.playouts))

    def playout(self) -> None:
        """One playout, from the root to where it is valued."""
        state, frame = self.states[self.root.visits % len(self.states)], self.frame
        path = [self.root]
        fresh = False
        while frame is not None and not fresh:
            if self.module.KIND[frame[0]] == DRAW:
                state, frame = self._drawn(state, frame)
                continue
            moves = self.module.legal(state, frame)
            if len(moves) == 1:
                state, frame = self.module.answer(state, frame, moves[0], runtime.Trace())
                continue
            node = path[-1]
            seat = self.module.asked(state, frame)
            move = self._selected(node, state, frame, moves, seat)
            child = node.children.get(move)
            if child is None:
                child = node.children[move] = _Node(worth=[0.0 for _ in self.seats])
                fresh = True
            path.append(child)
            state, frame = self.module.answer(state, frame, move, runtime.Trace())
        found = self._valued(self._played_on(state, frame))
        for node in path:
            node.visits += 1
            for seat in self.seats:
                node.worth[seat] += found[seat]

    # ------------------------------------------------------------ down the tree

    def _selected(self, node: _Node, state: State, frame: Any, moves: Sequence[Internal], seat: int) -> Internal:
        """The move to try at a place in the tree: a new one, or the most promising of those that are looked at."""
        if node.order is None and (node is self.root or node.visits >= ORDERED_AT):
            node.order = self._ordered(state, frame, moves, seat)
        looked_at = self._looked_at(node, moves)
        total = math.log(node.visits + 1)
        best, promise = looked_at[0], -1.0
        for move in looked_at:
            child = node.children.get(move)
            if child is None:
                return move
            hope = child.worth[seat] / child.visits + EXPLORING * math.sqrt(total / child.visits)
            if hope > promise:
                best, promise = move, hope
        return best

    def _looked_at(self, node: _Node, moves: Sequence[Internal]) -> Sequence[Internal]:
        """As many of the legal moves as the visits so far allow, the best ones first."""
        if node.order is None:
            return [moves[int(self.random.random() * len(moves))]]
        width = 2 + int(1.5 * math.sqrt(node.visits))
        if width >= len(moves) and len(node.order) == len(moves):
            return moves
        legal = set(moves)
        known = [move for move in node.order if move in legal][:width]
        return known or moves[:width]

    def _ordered(self, state: State, frame: Any, moves: Sequence[Internal], seat: int) -> list[Internal]:
        """The moves by what they give at once; equals in a random order."""
        answer = self.module.answer
        rated = [
            (self.values.worth(answer(state, frame, move, runtime.Trace())[0], seat), self.random.random(), move)
            for move in moves
        ]
        rated.sort(key=lambda item: item[:2], reverse=True)
        return [move for _, _, move in rated]

    # ------------------------------------------------------------ out of the tree

    def _drawn(self, state: State, frame: Any) -> Position:
        outcomes = self.module.outcomes(state, frame)
        result: Position = self.module.drawn(state, frame, draw(outcomes, self.random), runtime.Trace())
        return result

    def _played_on(self, state: State, frame: Any) -> State:
        """Some answers on, or to the end; now and then the better one of two moves is taken."""
        pick = self.random.random
        legal, answer, trace = self.module.legal, self.module.answer, runtime.Trace
        left = self.bot.depth
        while frame is not None and left:
            if self.module.KIND[frame[0]] == DRAW:
                state, frame = self._drawn(state, frame)
                continue
            left -= 1
            moves = legal(state, frame)
            move = moves[int(pick() * len(moves))]
            if len(moves) > 1 and pick() < GREED:
                seat = self.module.asked(state, frame)
                tries = {moves[int(pick() * len(moves))] for _ in range(3)}
                after = [(answer(state, frame, one, trace()), one) for one in sorted(tries)]
                (state, frame), _ = max(after, key=lambda item: (self.values.worth(item[0][0], seat), item[1]))
                continue
            state, frame = answer(state, frame, move, trace())
        return state

    def _valued(self, state: State) -> list[float]:
        """What a state is worth to each seat, between 0 and 1: the result, or how the leads have changed."""
        if state[-1] is not None:
            return [credit(state, seat) for seat in self.seats]
        leads = self.values.leads(state)
        found = [0.0 for _ in self.seats]
        part = 0.5
        for place in range(len(self.scale)):
            most = max(abs(lead[place]) for lead in leads)
            self.scale[place] = max(self.scale[place], most)
            for seat in self.seats:
                found[seat] += part * leads[seat][place] / self.scale[place]
            part /= 2
        return [0.5 + 0.45 * value for value in found]
