"""Games as PettingZoo environments.

    from playtest.adapters import pettingzoo_env

    env = pettingzoo_env("games/atlanteon.rules", size=5)
    env.reset(seed=4)
    for agent in env.agent_iter():
        observation, reward, terminated, truncated, info = env.last()
        over = terminated or truncated
        env.step(None if over else env.action_space(agent).sample(observation["action_mask"]))

Agents are called as the seats are. An observation is what the seat may see (see `arrays`) and the mask of its actions (see
`actions`); chance is a part of the environment, and draws as a match of the same seed does.
"""

from __future__ import annotations

import secrets
from pathlib import Path
from typing import Any

import gymnasium.spaces as spaces
import numpy as np
from pettingzoo import AECEnv

from interpreter import REFEREE, Game, IllegalMove, Log, Position, ValueProblem
from interpreter.view import Viewer
from playtest.adapters.arrays import ALL, Arrays, Slot
from playtest.adapters.games import adapted, game_at
from playtest.adapters.leaves import Array

RENDER_MODES = ("human", "ansi", "rgb_array")


def pettingzoo_env(
    path: str | Path | Game,
    /,
    *variants: str | Path,
    players: int | None = None,
    actions: str | None = None,
    observations: str = "arrays",
    rewards: str = "outcome",
    max_steps: int | None = None,
    render_mode: str | None = None,
    viewer: Viewer = REFEREE,
    **params: Any,
) -> Environment:
    """A game as an AEC environment.

    Args:
        path: a rules file (with `variants` of it, and parameters by name), or a game.
        players: how many; None: the fewest.
        actions: "dense", "factored", or None for what fits; see `adapters.actions`.
        observations: "arrays" by name, or "vector": all of them in one row of floats.
        rewards: "outcome", "scores", or the name of a measure; see `adapters.rewards`.
        max_steps: cut an episode off (truncate it) after so many answers.
        render_mode: "human" (printed), "ansi" (text) or "rgb_array" (a picture).
        viewer: who looks on when it is rendered: a seat, None for a spectator, or `REFEREE`.

    Raises:
        RulesFileError, OSError: the file cannot be used.
        ValueProblem: a parameter, or one of these arguments, does not fit the game.
    """
    if observations not in ("arrays", "vector"):
        raise ValueProblem("observations", f"{observations!r} is neither arrays nor vector")
    if render_mode not in (None, *RENDER_MODES):
        raise ValueProblem("render_mode", f"{render_mode!r} is none of {', '.join(RENDER_MODES)}")
    position = Position.first(game_at(path, variants, params).rules(players))
    return Environment(position, actions, observations, rewards, max_steps, render_mode, viewer)


class Environment(AECEnv):
    """A game as an environment. `position` is where it stands, as the machine knows it; it may be set to any position of
    the same rules that a player is asked at. Copies and pickles go on from where it stands."""

    def __init__(
        self,
        position: Position,
        actions: str | None,
        observations: str,
        rewards: str,
        max_steps: int | None,
        render_mode: str | None,
        viewer: Viewer,
    ) -> None:
        """See `pettingzoo_env`, which makes them."""
        super().__init__()
        self._made = (actions, observations, rewards)
        self.max_steps = max_steps
        self.render_mode = render_mode
        self.viewer = viewer
        self._seed: int | str = secrets.token_hex(8)
        self._episode = 0
        self.agents: list[str] = []
        self.steps = 0
        self._position = position
        self._adapt()

    def _adapt(self) -> None:
        """Everything that follows from the rules and is not a part of where the environment stands."""
        actions, observations, rewards = self._made
        self.rules = self._position.rules
        self._game = adapted(self.rules, actions, rewards)
        self._actions, self._rewards = self._game.actions, self._game.rewards
        self._observe = self._game.arrays.of if observations == "arrays" else self._game.arrays.vector
        self._whole = Arrays(self.rules, whole=True)
        self.metadata = {
            "name": f"{self.rules.program.name}_v0",
            "render_modes": list(RENDER_MODES),
            "render_fps": 2,
            "is_parallelizable": False,
        }
        self.possible_agents = list(self.rules.seats)
        self._no_rewards = dict.fromkeys(self.possible_agents, 0.0)
        self._seats = {name: number for number, name in enumerate(self.possible_agents)}
        size = self._actions.size
        self.action_spaces = {name: spaces.Discrete(size) for name in self.possible_agents}
        self.observation_spaces = {
            name: spaces.Dict(
                {
                    "observation": space_of(self._game.arrays, observations),
                    "action_mask": spaces.Box(0, 1, (size,), np.int8),
                }
            )
            for name in self.possible_agents
        }
        self.state_space = space_of(self._whole, "vector")

    # ------------------------------------------------------------ spaces

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        return self.action_spaces[agent]

    # ------------------------------------------------------------ playing

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin an episode. A seed decides this one and, in turn, those after it. `options` are not looked at.

        Raises:
            RulesError: the rules fail during the set-up.
        """
        if seed is not None:
            self._seed, self._episode = seed, 0
        else:
            self._episode += 1
        self.position = Position.first(self.rules).settled(self.chance_seed)

    @property
    def chance_seed(self) -> str:
        """The seed of this episode: a match of it, with the same answers, draws the same."""
        return f"{self._seed}:{self._episode}" if self._episode else str(self._seed)

    @property
    def position(self) -> Position:
        return self._position

    @position.setter
    def position(self, position: Position) -> None:
        if position.rules.program.digest != self.rules.program.digest or position.draws:
            raise ValueProblem("position", "it belongs to other rules, or waits for a draw")
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        over = position.node.frame is None
        self.terminations = dict.fromkeys(self.agents, over)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {name: {} for name in self.agents}
        self.steps = 0
        self._worth = self._rewards.worth(position)
        self.agent_selection = self.agents[0]
        self._stand(position)

    def _stand(self, position: Position) -> None:
        """Take over a position where somebody is asked, or the end."""
        self._position = position
        self._moves = position.legal()
        self._told: tuple[int, ...] = self._actions.begin(self._moves)
        self._legal = self._actions.legal(self._moves, self._told)
        if self._moves:
            self.agent_selection = self.possible_agents[self.rules.module.asked(*position.key)]

    def step(self, action: Any) -> None:
        """Answer for the agent that is asked; None for one whose episode is over.

        Raises:
            IllegalMove: the move is not legal; the environment has not changed.
            ValueProblem: there is no such action, or no episode.
            RulesError: the rules fail; the environment has not changed.
        """
        if not self.agents:
            raise ValueProblem("", "there is no episode: reset the environment")
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        number = self._checked(action)
        move, told = self._actions.take(self._moves, self._told, number)
        position = self._position if move is None else self._position.after(move).settled(self.chance_seed)
        self._cumulative_rewards[agent] = 0.0
        if move is None:
            self.rewards = self._no_rewards.copy()
            self._told, self._legal = told, self._actions.legal(self._moves, told)
        else:
            self.steps += 1
            self._reward(position)
            self._stand(position)
            self._close()
        if self.render_mode == "human":
            self.render()

    def _checked(self, action: Any) -> int:
        """The number of a legal action."""
        try:
            number = int(action)
        except (TypeError, ValueError):
            raise ValueProblem("action", f"{action!r} is not a number from 0 to {self._actions.size - 1}") from None
        if number in self._legal:
            return number
        if not 0 <= number < self._actions.size:
            raise ValueProblem("action", f"{number} is not a number from 0 to {self._actions.size - 1}")
        if not self._actions.told_sizes:
            move, _ = self._actions.take((), (), number)
            assert move is not None
            raise IllegalMove(self._position.why(self.rules.move(move)))
        raise ValueProblem("action", f"{number} cannot follow here: it is one of {', '.join(map(str, self._legal))}")

    def _reward(self, position: Position) -> None:
        worth = self._rewards.worth(position)
        if worth == self._worth:
            self.rewards = self._no_rewards.copy()
            return
        self.rewards = {name: now - then for name, now, then in zip(self.agents, worth, self._worth, strict=True)}
        self._worth = worth
        self._accumulate_rewards()

    def _close(self) -> None:
        """End the episode, if it is over or cut off."""
        if self._position.node.frame is None:
            self.terminations = dict.fromkeys(self.agents, True)
        elif self.max_steps is not None and self.steps >= self.max_steps:
            self.truncations = dict.fromkeys(self.agents, True)
        else:
            return
        self._deads_step_first()

    # ------------------------------------------------------------ looking

    def observe(self, agent: str) -> dict[str, Any]:
        """What an agent sees: `observation`, and `action_mask`, all 0 unless it is asked."""
        mask = np.zeros(self._actions.size, np.int8)
        if agent == self.agent_selection and not self.terminations.get(agent, True) and not self.truncations[agent]:
            mask[self._legal] = 1
        return {"observation": self._observe(self._position, self._seats[agent], self._told), "action_mask": mask}

    def state(self) -> Array:
        """Everything, also what is private and hidden, in one row of floats: for critics that may know all."""
        return self._whole.vector(self._position, ALL)

    def text(self, action: int) -> str:
        """A legal action in words: `place(seven, c3)`."""
        return self._actions.text(self._moves, self._told, self._checked(action))

    def log(self) -> Log:
        """The log of the episode so far, as a match would have written it."""
        return self._position.to_log(self.chance_seed)

    def render(self) -> str | Array | None:
        """The table as `viewer` sees it: text ("ansi"), a picture ("rgb_array"), or printed ("human").

        Raises:
            ValueProblem: the environment has no render mode.
        """
        from playtest.adapters.pictures import picture_of, text_of

        if self.render_mode is None:
            raise ValueProblem("render_mode", f"say how when the environment is made: {', '.join(RENDER_MODES)}")
        if self.render_mode == "rgb_array":
            return picture_of(self._position, self.viewer)
        text = text_of(self._position, self.viewer)
        if self.render_mode == "ansi":
            return text
        print(text)
        return None

    def close(self) -> None:
        """Nothing is open."""

    # ------------------------------------------------------------ copies

    def __getstate__(self) -> dict[str, Any]:
        kept = (
            "_made", "max_steps", "render_mode", "viewer", "_seed", "_episode", "agents", "steps", "_position",
            "rewards", "_cumulative_rewards", "terminations", "truncations", "infos", "_worth", "agent_selection", "_told",
            "_skip_agent_selection",
        )  # fmt: skip
        return {name: self.__dict__[name] for name in kept if name in self.__dict__}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._adapt()
        if self.agents:
            self._moves = self._position.legal()
            self._legal = self._actions.legal(self._moves, self._told)


def space_of(arrays: Arrays, observations: str) -> spaces.Space[Any]:
    """The space of the observations of a program."""
    if observations == "arrays":
        return spaces.Dict(
            {slot.name: spaces.Box(slot.low, slot.high, slot.shape, slot.dtype.type) for slot in arrays.slots}
        )
    low, high = (np.concatenate([_ends(slot, end) for slot in arrays.slots]) for end in ("low", "high"))
    return spaces.Box(low, high, (arrays.size,), np.float32)


def _ends(slot: Slot, end: str) -> Array:
    return np.full(int(np.prod(slot.shape, dtype=int)), getattr(slot, end), np.float32)


__all__ = ["Environment", "pettingzoo_env", "space_of"]
