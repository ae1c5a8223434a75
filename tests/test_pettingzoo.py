"""Games as PettingZoo environments: that library's own tests, and episodes beside the match underneath."""

from __future__ import annotations

import copy
import pickle
import random
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pettingzoo", reason="`pip install -e '.[test,differential]'` brings it")
pytest.importorskip("PIL", reason="`pip install -e '.[test,differential]'` brings it")

import numpy as np
from machine_games import BIDS, duel, game
from pettingzoo.test import api_test, render_test, seed_test
from test_possible import ALL_GAMES, HANDS

import interpreter
from interpreter import Game, IllegalMove, ValueProblem
from playtest.adapters.pettingzoo import Environment, pettingzoo_env

GAMES = Path(__file__).resolve().parent.parent / "games"
NOUGHTS = GAMES / "classic" / "tic_tac_toe.rules"

# What its test says of every environment with a mask, and of agents that are called by their own names.
EXPECTED = (
    "We recommend agents to be named",
    "Observation space for each agent probably",
    "Observation is not a NumPy",
)


def beginning(path: Path, cycles: int = 40) -> int:
    """Fewer cycles where an answer takes longer."""
    return cycles if path.stem in ("tic_tac_toe", "kuhn_poker", "connect_four") else cycles // 2


@pytest.mark.parametrize("path", ALL_GAMES, ids=lambda path: path.stem)
def test_the_library_accepts_every_game(path: Path) -> None:
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        api_test(pettingzoo_env(path), num_cycles=beginning(path))
        seed_test(lambda: pettingzoo_env(path), num_cycles=beginning(path))
    unexpected = [str(item.message) for item in told if not str(item.message).startswith(EXPECTED)]
    assert not unexpected


@pytest.mark.parametrize(
    "options", [{"observations": "vector"}, {"actions": "factored"}, {"rewards": "score", "max_steps": 5}]
)
def test_the_library_accepts_every_option(options: dict[str, Any]) -> None:
    made = game(DUEL_WITH_A_MEASURE)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        api_test(pettingzoo_env(made, **options), num_cycles=100)
        seed_test(lambda: pettingzoo_env(made, **options), num_cycles=100)


DUEL_WITH_A_MEASURE = (
    interpreter.load(NOUGHTS).source.text
    + """
measure score(p: Player) -> int:
    count(c for c in Cell if mark[c] == p)
"""
)


@pytest.mark.parametrize(
    "path", [NOUGHTS, GAMES / "catan.rules", GAMES / "atlanteon.rules"], ids=lambda path: path.stem
)
def test_the_library_can_show_it(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    render_test(lambda render_mode: pettingzoo_env(path, render_mode=render_mode))
    assert "chooses" in capsys.readouterr().out


# ---------------------------------------------------------------- beside the match


def episode(env: Environment, made: Game, seed: int, most: int = 10_000) -> int:
    """An episode of random actions beside a match of the same seed; gives how many answers it had."""
    env.reset(seed=seed)
    match, chance = made.new(seed=seed), random.Random(seed)
    gained = dict.fromkeys(env.possible_agents, 0.0)
    answers = 0
    for agent in env.agent_iter():
        observation, reward, terminated, truncated, _ = env.last()
        gained[agent] += reward
        if terminated or truncated:
            assert not observation["action_mask"].any()
            env.step(None)
            continue
        assert agent == match.question.seat
        assert env.observation_space(agent).contains(observation)
        actions = np.flatnonzero(observation["action_mask"]).tolist()
        if not env._actions.told_sizes:
            assert [env.text(action) for action in actions] == sorted_by_number(env, match.legal_moves())
        action = chance.choice(actions)
        here = env.position.number
        for other in env.agents:
            assert other == agent or not env.observe(other)["action_mask"].any()
        env.step(action)
        if env.position.number > here:
            answers += 1
            match.play(env.position.rules.move(next(n for n in env.position.node.path() if n.depth == here + 1).move))
            assert env.position == match.position and env.position.events == match.events
        if answers >= most:
            return answers
    assert not env.agents and match.outcome is not None
    assert env.log() == match.log
    if env._made[2] == "outcome":
        won = {seat: (1 if seat in match.outcome.winners else -1) for seat in env.possible_agents}
        assert gained == (dict.fromkeys(won, 0) if len(match.outcome.winners) == len(won) else won)
    elif env._made[2] == "scores":
        assert gained == dict(match.outcome.scores or {})
    return answers


def sorted_by_number(env: Environment, moves: Any) -> list[str]:
    """Moves in the order of their numbers: by action first, and not as they are offered."""
    numbers = {env.rules.internal_move(move): str(move) for move in moves}
    return [numbers[move] for move in env._actions.moves if move in numbers]  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("made", "episodes", "options"),
    [
        (interpreter.load(NOUGHTS), 150, {}),
        (interpreter.load(GAMES / "classic" / "kuhn_poker.rules"), 150, {"rewards": "scores"}),
        (game(BIDS), 60, {"players": 3}),
        (duel(), 60, {}),
        (duel(), 40, {"actions": "factored"}),
        (game(HANDS.replace("p chooses give", "p chooses give or hand_over")), 40, {}),
        (interpreter.load(GAMES / "atlanteon.rules"), 12, {}),
        (interpreter.load(GAMES / "atlantis.rules"), 1, {"players": 3, "rewards": "scores"}),
    ],
    ids=["noughts", "kuhn", "bids", "duel", "factored", "hands", "atlanteon", "atlantis"],
)
def test_episodes_are_the_matches_underneath(made: Game, episodes: int, options: dict[str, Any]) -> None:
    env = pettingzoo_env(made, **options)
    if "players" in options:
        for seed in range(episodes):
            several = made.rules(options["players"]).seats
            assert tuple(env.possible_agents) == several
            episode(env, _Seated(made, options["players"]), seed)  # type: ignore[arg-type]
        return
    assert sum(episode(env, made, seed) for seed in range(episodes)) >= episodes


class _Seated:
    """A game for some number of players."""

    def __init__(self, made: Game, players: int) -> None:
        self.made, self.players = made, players

    def new(self, seed: int) -> interpreter.Match:
        return self.made.new(self.players, seed=seed)


def test_a_match_of_catan_is_played_alike_as_far_as_it_is_looked_at() -> None:
    made = interpreter.load(GAMES / "catan.rules")
    assert episode(pettingzoo_env(made), made, 1, most=120) == 120


def test_a_measure_rewards_each_answer_by_what_it_gained() -> None:
    env = pettingzoo_env(GAMES / "atlanteon.rules", rewards="controlled_squares")
    env.reset(seed=3)
    total, chance = dict.fromkeys(env.possible_agents, 0.0), random.Random(3)
    while env.position.asks:
        mask = env.observe(env.agent_selection)["action_mask"]
        env.step(chance.choice(np.flatnonzero(mask).tolist()))
        total = {name: total[name] + env.rewards[name] for name in total}
    assert total == {name: env.position.measure("controlled_squares", name) for name in total} and any(total.values())


# ---------------------------------------------------------------- copies, refusals


def test_a_live_environment_is_copied_and_pickled() -> None:
    for made in (duel(), game(HANDS.replace("p chooses give", "p chooses give or hand_over"))):
        env = pettingzoo_env(made, rewards="scores" if made is duel() else "outcome")
        env.reset(seed=5)
        chance = random.Random(1)
        while env.agents:
            copies = [copy.deepcopy(env), pickle.loads(pickle.dumps(env))]
            if not env.agents:
                break
            over = env.terminations[env.agent_selection]
            mask = env.observe(env.agent_selection)["action_mask"]
            action = None if over else chance.choice(np.flatnonzero(mask).tolist())
            before = [str(copy.last()) for copy in copies]
            env.step(action)
            for other, seen in zip(copies, before, strict=True):
                assert str(other.last()) == seen
                other.step(action)
                assert other.position == env.position and other.agents == env.agents
                assert other.rewards == env.rewards and other.terminations == env.terminations
                if env.agents:
                    assert str(other.last()) == str(env.last())
        assert env.log().end is not None


def test_an_environment_goes_to_another_process() -> None:
    env = pettingzoo_env(duel())
    env.reset(seed=5)
    env.step(int(np.flatnonzero(env.observe("ana")["action_mask"])[0]))
    code = "import pickle, sys; e = pickle.load(sys.stdin.buffer); print(e.agent_selection, e.position.state.digest)"
    done = subprocess.run([sys.executable, "-c", code], input=pickle.dumps(env), capture_output=True, check=True)
    assert done.stdout.decode().split() == [env.agent_selection, env.position.state.digest]


def test_an_environment_that_was_never_reset_is_pickled_too() -> None:
    env = pickle.loads(pickle.dumps(pettingzoo_env(NOUGHTS)))
    env.reset(seed=1)
    assert env.agent_selection == "noughts"


def test_what_is_not_possible_is_refused_and_changes_nothing() -> None:
    env = pettingzoo_env(NOUGHTS)
    with pytest.raises(ValueProblem, match="reset the environment"):
        env.step(0)
    env.reset(seed=1)
    env.step(4)
    before = str((env.last(), env.rewards, env.position))
    with pytest.raises(IllegalMove, match="b2 is taken") as refused:
        env.step(4)
    assert refused.value.reasons[0].guard == "vacant"
    for action in (9, -1, "a1", None):
        with pytest.raises(ValueProblem, match="is not a number from 0 to 8"):
            env.step(action)
    assert str((env.last(), env.rewards, env.position)) == before
    for wrong in (
        {"render_mode": "film"},
        {"observations": "words"},
        {"actions": "some"},
        {"rewards": "luck"},
        {"size": 4},
    ):
        with pytest.raises(ValueProblem):
            pettingzoo_env(NOUGHTS, **wrong)  # type: ignore[arg-type]
    with pytest.raises(ValueProblem, match="say how when the environment is made"):
        env.render()


def test_an_episode_is_cut_off() -> None:
    env = pettingzoo_env(NOUGHTS, max_steps=3)
    env.reset()
    for action in (0, 1, 2):
        assert not any(env.truncations.values())
        env.step(action)
    assert all(env.truncations.values()) and not any(env.terminations.values())
    assert env.last()[3] and not env.last()[0]["action_mask"].any()


def test_seeds_decide_all_episodes_and_differ() -> None:
    def draws(env: Environment) -> list[str]:
        return [str(event) for event in env.position.events]

    one, other = pettingzoo_env(duel()), pettingzoo_env(duel())
    found = []
    for env in (one, other):
        env.reset(seed=8)
        found.append([draws(env)])
        for _ in range(5):
            env.reset()
            found[-1].append(draws(env))
    assert found[0] == found[1] and len({str(item) for item in found[0]}) > 2


def test_a_position_may_be_set() -> None:
    env = pettingzoo_env(NOUGHTS)
    start = interpreter.load(NOUGHTS).start()
    env.position = start.play("place(a1)").play("place(b1)")
    assert env.agent_selection == "noughts" and env.observe("noughts")["action_mask"].sum() == 7
    with pytest.raises(ValueProblem, match="other rules"):
        env.position = duel().start(seed=1)


def test_pictures_show_what_has_changed_to_those_who_may_see_it() -> None:
    env = pettingzoo_env(duel(), render_mode="rgb_array", viewer=None)
    env.reset(seed=1)
    whole = pettingzoo_env(duel(), render_mode="rgb_array")
    whole.reset(seed=1)
    shown, seen = env.render(), whole.render()
    assert isinstance(shown, np.ndarray) and isinstance(seen, np.ndarray)
    assert shown.dtype == np.uint8 and shown.shape[2] == 3 and not np.array_equal(shown, seen)
    board = pettingzoo_env(NOUGHTS, render_mode="rgb_array")
    board.reset()
    before = board.render()
    board.step(4)
    after = board.render()
    assert isinstance(before, np.ndarray) and isinstance(after, np.ndarray)
    rows, columns = np.nonzero((before != after).any(axis=2))
    inside = (rows > 64) & (rows < 216) & (columns > 64) & (columns < 160)
    assert inside.any() and (inside | (columns > 240)).all()


def test_text_is_the_table_and_the_question() -> None:
    env = pettingzoo_env(NOUGHTS, render_mode="ansi")
    env.reset()
    env.step(4)
    text = env.render()
    assert isinstance(text, str) and " 2  ·   n   ·" in text and text.endswith("crosses chooses place\n")
