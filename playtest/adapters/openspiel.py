"""Games as OpenSpiel games.

    from playtest.adapters import openspiel_game

    game = openspiel_game("games/classic/kuhn_poker.rules", rewards="scores", zero_sum=True)
    state = game.new_initial_state()          # a chance node: the first card

A game is registered under the name `rules_` and that of its file, with its parameters and some more, so that what loads games by
name finds it: `pyspiel.load_game("rules_atlanteon(size=7)")`. Draws are chance nodes. A state keeps the position of the machine
(`state.position`); written down (`serialize`, `pickle`) it is the log of the way there.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pyspiel

from interpreter import REFEREE, Game, Log, Move, Position, Rules, ValueProblem
from interpreter.machine import DRAW
from playtest.adapters.games import Adapted, adapted, game_at
from playtest.adapters.here import CHANCE_LIMIT, OVER, Here
from playtest.adapters.observers import Observer, has_secrets, text_of
from rulesdsl.types import BoolType, IntType, Type, size

OWN = {"players": 0, "actions": "", "rewards": "outcome", "zero_sum": False}
"""The parameters that every game has besides its own: how many players (0: the fewest), the action space (see `actions_of`), the
rewards (see `Rewards`), and the promise that they always add up to 0."""
UNBOUNDED = 1_000_000
"""The most answers, and the most draws, of a game that says nothing of them."""


_registered: dict[str, Game] = {}


def openspiel_game(
    path: str | Path | Game,
    /,
    *variants: str | Path,
    players: int | None = None,
    actions: str | None = None,
    rewards: str = "outcome",
    zero_sum: bool = False,
    name: str | None = None,
    **params: Any,
) -> RulesGame:
    """A game as an OpenSpiel game, registered by name.

    Args:
        path: a rules file (with `variants` of it, and parameters by name), or a game.
        players: how many; None: the fewest.
        actions: "dense", "factored", or None for what fits; see `adapters.actions`.
        rewards: "outcome", "scores", or the name of a measure; see `adapters.rewards`.
        zero_sum: promise that rewards add up to 0; that outcomes of two players do is known.
        name: what it is registered as; else `rules_` and the name of the file.

    Raises:
        RulesFileError, OSError: the file cannot be used.
        ValueProblem: a parameter, or one of these arguments, does not fit the game.
    """
    game = game_at(path, variants, {})
    short = register(game, name)
    own = {"players": players or 0, "actions": actions or "", "rewards": rewards, "zero_sum": zero_sum}
    return RulesGame(short, game, {**own, **params})


def register(game: Game, name: str | None = None) -> str:
    """Make a game known to `pyspiel.load_game`; gives the name: if none is told, `rules_` and that of the file (and of the
    variants that are used with it). A later one of the same name takes its place.

    Raises:
        ValueProblem: the game has a parameter that is called like one that every game has.
    """
    files = (game.source, *game.source.extras)
    short = name or re.sub(r"\W", "_", "_".join(["rules", *(Path(source.name).stem for source in files)]))
    taken = sorted(OWN.keys() & game.params.keys())
    if taken:
        raise ValueProblem(taken[0], "every OpenSpiel game has a parameter of this name: fix it with `with_params`")
    _registered[short] = game
    pyspiel.register_game(_type(short, game, OWN), _maker(short))
    return short


def _maker(short: str) -> Callable[..., RulesGame]:
    """What OpenSpiel calls to load a game. It lets go of that only when Python has ended, where nothing can be taken apart
    any more: so it refers to itself, and stays."""

    def make(params: Mapping[str, Any] | None = None) -> RulesGame:
        return RulesGame(short, _registered[short], params or {})

    make.__dict__["itself"] = make
    return make


# ---------------------------------------------------------------- what a game says of itself


def _told(game: Game) -> dict[str, Any]:
    """Parameters as OpenSpiel knows them: numbers, truth values, and text for all else."""
    codec = game.rules().codec
    return {
        name: value if isinstance(t, (IntType, BoolType)) else codec.text(t, value)
        for name, t, value in game.program().parameters
    }


def _type(short: str, game: Game, settings: Mapping[str, Any]) -> pyspiel.GameType:
    """The type of a game: as it is registered, or with its parameters."""
    rules = game.rules(settings["players"] or None)
    rewards = adapted(rules, settings["actions"] or None, settings["rewards"]).rewards
    kinds = pyspiel.GameType
    zero_sum = rewards.zero_sum or settings["zero_sum"]
    return kinds(
        short_name=short,
        long_name=game.title,
        dynamics=kinds.Dynamics.SEQUENTIAL,
        chance_mode=kinds.ChanceMode.EXPLICIT_STOCHASTIC if _draws(rules) else kinds.ChanceMode.DETERMINISTIC,
        information=kinds.Information.IMPERFECT_INFORMATION
        if has_secrets(rules.program)
        else kinds.Information.PERFECT_INFORMATION,
        utility=kinds.Utility.ZERO_SUM if zero_sum else kinds.Utility.GENERAL_SUM,
        reward_model=kinds.RewardModel.TERMINAL if rewards.at_end else kinds.RewardModel.REWARDS,
        max_num_players=game.counts[-1],
        min_num_players=game.counts[0],
        provides_information_state_string=True,
        provides_information_state_tensor=has_secrets(rules.program),
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification={**OWN, **_told(game)},
    )


def _draws(rules: Rules) -> list[Type]:
    """The types of all that may be drawn."""
    return [rules.draw_of(pc)[1] for pc, kind in sorted(rules.module.KIND.items()) if kind == "draw"]


def _info(rules: Rules, game: Adapted, zero_sum: bool) -> pyspiel.GameInfo:
    rewards, answers = game.rewards, rules.program.terminates or UNBOUNDED
    return pyspiel.GameInfo(
        num_distinct_actions=max(1, game.actions.size),
        max_chance_outcomes=max((min(size(t) or CHANCE_LIMIT, CHANCE_LIMIT) for t in _draws(rules)), default=0),
        num_players=len(rules.seats),
        min_utility=rewards.low,
        max_utility=rewards.high,
        utility_sum=0.0 if zero_sum else None,
        max_game_length=answers * (1 + len(game.actions.told_sizes)),
    )


class RulesGame(pyspiel.Game):
    """A game with its parameters. `rules`: the program underneath."""

    def __init__(self, short: str, game: Game, params: Mapping[str, Any]) -> None:
        """See `openspiel_game`, which makes them, and so does `pyspiel.load_game`."""
        settings = {**OWN, **{key: value for key, value in params.items() if key in OWN}}
        own = {key: value for key, value in params.items() if key not in OWN}
        game = game.with_params(**own)
        self.rules = game.rules(settings["players"] or None)
        self.adapted = adapted(self.rules, settings["actions"] or None, settings["rewards"])
        self.zero_sum = self.adapted.rewards.zero_sum or settings["zero_sum"]
        first = Position.first(self.rules)
        self.first_worth = self.adapted.rewards.worth(first)
        self._start = Here(first, self.adapted, self.first_worth)
        self._has_chance = bool(_draws(self.rules))
        super().__init__(
            _type(short, game, settings), _info(self.rules, self.adapted, self.zero_sum), {**settings, **_told(game)}
        )

    def new_initial_state(self, state: Any = None) -> RulesState:
        """The state in which a game begins."""
        return RulesState(self, self._start)

    def state_at(self, position: Position) -> RulesState:
        """The state of a position of the same rules, with the history of the way there. Of a match, it is `match.position`.

        Raises:
            ValueProblem: it belongs to other rules.
        """
        if position.rules.program.digest != self.rules.program.digest:
            raise ValueProblem("position", f"it is of other rules than {self}")
        state = self.new_initial_state()
        for node in position.node.path():
            number = state.position.number
            while node.move is not None and not node.automatic and state.position.number == number:
                state.apply_action(state._here.toward(node.move, None))
            for entry in node.then:
                if entry[0] == DRAW:
                    state.apply_action(state._here.toward(None, entry[2]))
        return state

    def max_chance_nodes_in_history(self) -> int:
        return UNBOUNDED if self._has_chance else 0

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> Observer:
        """What observes states of this game: see `observers`."""
        return Observer(self.adapted, iig_obs_type, params)


# ---------------------------------------------------------------- states


class RulesState(pyspiel.State):
    """A state of a game: a position of the machine."""

    def __init__(self, game: RulesGame, here: Here) -> None:
        """See `RulesGame.new_initial_state`."""
        super().__init__(game)
        self._here = here

    @property
    def position(self) -> Position:
        """The position, as the machine knows it."""
        return self._here.position

    @property
    def told(self) -> tuple[int, ...]:
        """What of an answer is told already, in a factored action space."""
        return self._here.told

    def log(self) -> Log:
        """The log of the way here."""
        return self._here.position.to_log()

    def action_of(self, move: Move | str) -> int:
        """The action that makes a legal move; in a factored action space, its next part.

        Raises:
            ValueProblem: it is not legal here.
        """
        here = self._here
        internal = here.game.rules.internal_move(here.position.read_move(move))
        if internal not in here.moves:
            raise ValueProblem("", f"{move} is not legal here")
        return here.toward(internal, None)

    def current_player(self) -> int:
        return self._here.player

    def is_terminal(self) -> bool:
        return self._here.player == OVER

    def _legal_actions(self, player: int) -> list[int]:
        return self._here.legal()

    def chance_outcomes(self) -> list[tuple[int, float]]:
        found = self._here.outcomes()
        total = sum(weight for _, weight in found.values())
        return [(number, weight / total) for number, (_, weight) in found.items()]

    def _apply_action(self, action: int) -> None:
        self._here = self._here.after(action)
        if self._here.player == OVER:
            self._keep_promise()

    def _keep_promise(self) -> None:
        """See that rewards add up to 0, where that was said."""
        if self.get_game().zero_sum and abs(sum(self.returns())) > 1e-9:
            raise ValueProblem("zero_sum", f"the rewards are {self.returns()}, which do not add up to 0")

    def _action_to_string(self, player: int, action: int) -> str:
        return self._here.text(action)

    def returns(self) -> list[float]:
        rewards = self._here.game.rewards
        if rewards.at_end:
            return list(self._here.worth())
        start = self.get_game().first_worth
        return [now - then for now, then in zip(self._here.worth(), start, strict=True)]

    def rewards(self) -> list[float]:
        """What was gained since a player answered last."""
        if self._here.game.rewards.at_end:
            return self.returns()
        return [now - then for now, then in zip(self._here.worth(), self._here.before, strict=True)]

    def __str__(self) -> str:
        return text_of(self._here.position, REFEREE, self._here.told)


def check_invariants(state: pyspiel.State) -> None:
    """A state checker for `pyspiel.random_sim_test`: the invariants of the rules hold.

    Raises:
        AssertionError: one does not.
    """
    broken = state.position.broken_invariants()
    assert not broken, f"{', '.join(broken)}: broken in\n{state}"


__all__ = ["RulesGame", "RulesState", "check_invariants", "openspiel_game", "register"]
