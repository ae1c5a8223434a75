"""Games beside other engines: the same plies are played on both sides, and all that can be compared is.

A `Beside` is a law of whole games, as the law of logs is. `difference` looks for a game that breaks it and makes it small.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import chess
import pyspiel

from interpreter.rules import Rules
from playtest.failure import failure
from playtest.laws import OUTSIDE, Broken, Laws
from playtest.perft import first_position
from playtest.plies import DRAW, Ply, Position, play
from playtest.report import report
from playtest.rollout import game_random, random_game
from playtest.shrink import shrink
from rulesdsl import runtime


def difference(beside: Beside, games: int, seed: int = 0) -> str:
    """The smallest game that was found to be another one on the other side, in words; empty if there is none."""
    laws = Laws(beside.rules)
    for game in range(games):
        plies = random_game(laws, game_random(seed, game)).plies
        try:
            beside(plies)
        except Broken as broken:
            found = failure(broken, plies[: beside.played], thorough=True, game=game)
            small = shrink(beside.rules, found, logs=beside).failure
            return "\n".join(report(beside.rules, small).lines())
    return ""


def listed(some: set[Any], most: int = 5) -> str:
    texts = sorted(map(str, some))
    return ", ".join(texts[:most]) + (f" and {len(texts) - most} more" if len(texts) > most else "")


class Beside:
    """The law that another engine plays the same game. `compared` counts the positions that were looked at, `played` the
    plies of the last game."""

    def __init__(self, loaded: Any) -> None:
        self.rules = Rules(loaded)
        self.module = loaded.module
        self.compared = self.played = 0

    def __call__(self, plies: Sequence[Ply]) -> None:
        """Play the plies on both sides.

        Raises:
            Broken: the first difference.
        """
        self.begin()
        position = first_position(self.rules)
        self.compare(position)
        self.played = 0
        for ply in plies:
            self.played += 1
            after = play(self.module, position, ply, runtime.Trace())
            self.follow(position, ply, after)
            position = after
            self.compare(position)

    def begin(self) -> None:
        """The other side's first position."""
        raise NotImplementedError

    def follow(self, before: Position, ply: Ply, after: Position) -> None:
        """The same ply on the other side."""
        raise NotImplementedError

    def compare(self, position: Position) -> None:
        """Look at both sides.

        Raises:
            Broken: they are not the same.
        """
        raise NotImplementedError

    def same(self, what: str, here: Any, there: Any) -> None:
        """Both sides must say the same of something. Of sets, what only one side has is told."""
        if here == there:
            return
        said = f"here {here}, there {there}"
        if isinstance(here, set):
            sides = (("only here", here - there), ("only there", there - here))
            said = "; ".join(f"{side} {listed(part)}" for side, part in sides if part)
        raise Broken(OUTSIDE, f"{what} not the same", said)

    def waits(self, position: Position) -> str:
        """What is waited for here: "over", "chance" or the number of a seat."""
        state, frame = position
        if frame is None:
            return "over"
        return "chance" if self.module.KIND[frame[0]] == DRAW else str(self.module.asked(state, frame))

    def moves(self, position: Position) -> set[str]:
        """The legal moves, as they are written."""
        return {str(self.rules.move(move)) for move in self.module.legal(*position)}

    def payoffs(self, position: Position) -> list[float]:
        """What each seat gets in the end: its score, or 1 for a win, -1 for a loss and 0 for a tie."""
        outcome = self.rules.outcome(position[0])
        assert outcome is not None
        if outcome.scores is not None and not self.by_winners:
            return [float(outcome.scores[seat]) for seat in self.rules.seats]
        if len(outcome.winners) > 1:
            return [0.0] * len(self.rules.seats)
        return [1.0 if seat in outcome.winners else -1.0 for seat in self.rules.seats]

    by_winners = False
    """Whether the other side counts who won, and not by how much."""


# ---------------------------------------------------------------- OpenSpiel


class Spiel(Beside):
    """A game of OpenSpiel. `written` says how an action of its would be written here."""

    def __init__(self, loaded: Any, name: str, written: Callable[[str], str]) -> None:
        super().__init__(loaded)
        self.game = pyspiel.load_game(name)
        self.written = written

    def begin(self) -> None:
        self.state = self.game.new_initial_state()

    def actions(self) -> dict[str, int]:
        return {self.written(self.state.action_to_string(action)): action for action in self.state.legal_actions()}

    def follow(self, before: Position, ply: Ply, after: Position) -> None:
        kind, value = ply
        self.state.apply_action(value if kind == DRAW else self.actions()[str(self.rules.move(value))])

    def compare(self, position: Position) -> None:
        self.compared += 1
        waits = "over" if self.state.is_terminal() else str(self.state.current_player())
        self.same("who is asked is", self.waits(position), "chance" if waits == str(pyspiel.PlayerId.CHANCE) else waits)
        if waits == "over":
            self.same("the result is", self.payoffs(position), self.state.returns())
        elif self.state.is_chance_node():
            self.same("outcomes are", set(self.module.outcomes(*position)), self.outcomes())
        else:
            self.same("legal moves are", self.moves(position), set(self.actions()))

    def outcomes(self) -> set[tuple[int, int]]:
        """What can be drawn, with whole weights."""
        chances = self.state.chance_outcomes()
        least = min(chance for _, chance in chances)
        return {(value, round(chance / least)) for value, chance in chances}


class Othello(Spiel):
    """Who cannot move is skipped here; there it is a move of its own."""

    PASS = 64
    by_winners = True

    def follow(self, before: Position, ply: Ply, after: Position) -> None:
        super().follow(before, ply, after)
        while not self.state.is_terminal() and self.state.legal_actions() == [self.PASS]:
            self.state.apply_action(self.PASS)


class Kuhn(Spiel):
    """There, betting and calling are one action, and checking and folding another."""

    def actions(self) -> dict[str, int]:
        raised = 1 in self.state.history()[2:]
        return {"fold": 0, "call": 1} if raised else {"check": 0, "bet": 1}


Men = tuple[tuple[int, ...], ...]
"""How many men each player has at 0, 1 ... 25, as the player counts the points."""


class Backgammon(Spiel):
    """There a move is two dice, here it is one; so what is compared are the positions to which a whole turn can lead.

    There a double is two such moves, each as long as it can be. The rules want as many of the four dice to be played as can
    be, so only those of its positions count that use the most.
    """

    BAR, PASS, NUMBERS = 100, 25, 26

    def __init__(self, loaded: Any) -> None:
        super().__init__(loaded, "backgammon(scoring_type=full_scoring)", str)

    def begin(self) -> None:
        super().begin()
        self.dice: list[int] = []
        self.ends: dict[Men, list[int]] = {}
        self.rolled = False

    def follow(self, before: Position, ply: Ply, after: Position) -> None:
        if ply[0] == DRAW:
            self.dice.append(ply[1])
            if len(self.dice) == 2:
                self.roll(*self.dice)
        if self.ends and self.waits(after) in ("chance", "over"):
            self.finish(self.men(after))

    def roll(self, one: int, other: int) -> None:
        """The same dice on the other side, where the first roll says who begins as well."""
        self.dice = []
        low, high = sorted((one, other))
        wanted = f"(roll: {low}{high})"
        if not self.state.history():
            if one == other:
                return
            wanted = f"X starts, {wanted}" if one > other else f"O starts, (roll: {high}{low})"
        (action,) = (a for a in self.state.legal_actions() if self.state.action_to_string(a).endswith(wanted))
        self.state.apply_action(action)
        self.ends = self.whole_turns()
        self.rolled = True

    def finish(self, men: Men) -> None:
        """The turn is over here: go the same way there."""
        self.same("where a turn leads to is", {men} - set(self.ends), set())
        for action in self.ends[men]:
            self.state.apply_action(action)
        self.ends = {}

    def compare(self, position: Position) -> None:
        waits = self.waits(position)
        if self.dice or (self.ends and not self.rolled):
            return
        self.compared += 1
        self.rolled = False
        there = "over" if self.state.is_terminal() else str(self.state.current_player())
        self.same("who is asked is", waits, "chance" if self.state.is_chance_node() else there)
        if waits == "over":
            self.same("the result is", self.payoffs(position), self.state.returns())
        elif waits != "chance":
            self.same("where a turn leads to is", set(self.turn_ends(position)), set(self.ends))

    # ------------------------------------------------------------ whole turns

    def turn_ends(self, position: Position) -> Iterator[Men]:
        """Where our player can come to."""
        seen, waiting = {position}, [position]
        while waiting:
            here = waiting.pop()
            if self.waits(here) in ("chance", "over"):
                yield self.men(here)
                continue
            for move in self.module.legal(*here):
                after = self.module.answer(*here, move, runtime.Trace())
                if after not in seen:
                    seen.add(after)
                    waiting.append(after)

    def whole_turns(self) -> dict[Men, list[int]]:
        """Where the other side's player can come to with as many dice as possible, and how."""
        player = self.state.current_player()
        found: dict[Men, tuple[int, list[int]]] = {}
        halves: set[Men] = set()
        waiting: list[tuple[Any, int, list[int]]] = [(self.state, 0, [])]
        while waiting:
            state, used, way = waiting.pop()
            for action in state.legal_actions():
                after = state.child(action)
                men = self.men_there(after)
                dice = used + sum(number != self.PASS for number in divmod(action % self.NUMBERS**2, self.NUMBERS))
                if after.current_player() != player:
                    found[men] = max(found.get(men, (0, [])), (dice, [*way, action]))
                elif men not in halves:
                    halves.add(men)
                    waiting.append((after, dice, [*way, action]))
        most = max(dice for dice, _ in found.values())
        return {men: way for men, (dice, way) in found.items() if dice == most}

    def men(self, position: Position) -> Men:
        info = self.rules.field("men")
        return tuple(tuple(cell) for cell in self.rules.cells(info, position[0][info.position]))

    def men_there(self, state: Any) -> Men:
        both = []
        for player, points in enumerate((range(23, -1, -1), range(24))):
            men = [*(state.board(player, point) for point in points), state.board(player, self.BAR)]
            both.append((15 - sum(men), *men))
        return tuple(both)


# ---------------------------------------------------------------- python-chess


class Chess(Beside):
    CASTLINGS = {"white_short": "e1g1", "white_long": "e1c1", "black_short": "e8g8", "black_long": "e8c8"}
    LETTERS = {"knight": "n", "bishop": "b", "rook": "r", "queen": "q"}

    def begin(self) -> None:
        self.board = chess.Board()

    def uci(self, move: Any) -> str:
        """A move of ours in the other side's notation."""
        named = self.rules.move(move)
        if named.action == "castle":
            return self.CASTLINGS[named.arguments["way"]]
        letter = self.LETTERS[named.arguments["to"]] if named.action == "promote" else ""
        return f"{named.arguments['start']}{named.arguments['goal']}{letter}"

    def follow(self, before: Position, ply: Ply, after: Position) -> None:
        self.board.push_uci(self.uci(ply[1]))

    def compare(self, position: Position) -> None:
        self.compared += 1
        moves = {move.uci() for move in self.board.legal_moves}
        over = not moves or self.board.halfmove_clock >= 100
        self.same("who is asked is", self.waits(position), "over" if over else "01"[not self.board.turn])
        if over:
            lost = -1.0 if self.board.is_checkmate() else 0.0
            self.same("the result is", self.payoffs(position), [lost, -lost] if self.board.turn else [-lost, lost])
        else:
            self.same("legal moves are", {self.uci(move) for move in self.module.legal(*position)}, moves)
