"""A game as adapters need it: its action space, arrays and rewards, made once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from attrs import frozen

import interpreter
from interpreter import Game, Rules
from playtest.adapters.actions import Actions, actions_of
from playtest.adapters.arrays import Arrays
from playtest.adapters.rewards import Rewards


@frozen(eq=False)
class Adapted:
    """One program: a game for one number of players. `kinds`: which actions and rewards were asked for."""

    kinds: tuple[str | None, str]
    rules: Rules
    actions: Actions
    arrays: Arrays
    rewards: Rewards


def game_at(path: str | Path | Game, variants: Sequence[str | Path], params: Mapping[str, Any]) -> Game:
    """A game from its file, or a game with parameters.

    Raises:
        RulesFileError, ValueProblem, OSError: as `interpreter.load`.
    """
    if not isinstance(path, Game):
        return interpreter.load(path, *variants, **params)
    if variants:
        raise interpreter.ValueProblem("", "variants are told with the file, not with a game that is loaded already")
    return path.with_params(**params) if params else path


@lru_cache(maxsize=64)
def adapted(rules: Rules, actions: str | None, rewards: str) -> Adapted:
    """A program with its spaces.

    Raises:
        ValueProblem: see `actions_of` and `Rewards`.
    """
    space = actions_of(rules, actions)
    return Adapted((actions, rewards), rules, space, Arrays(rules, space.told_sizes), Rewards(rules, rewards))
