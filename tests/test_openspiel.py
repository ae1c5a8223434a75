"""Games as OpenSpiel games: that library's own tests, its own games beside ours, and its algorithms."""

from __future__ import annotations

import base64
import random
import subprocess
import sys
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pyspiel", reason="`pip install -e '.[test,differential]'` brings it")

import numpy as np
import pyspiel
from machine_games import BIDS, duel, game
from open_spiel.python.algorithms import expected_game_score, exploitability, generate_playthrough, get_all_states, mcts
from open_spiel.python.algorithms.outcome_sampling_mccfr import OutcomeSamplingSolver
from open_spiel.python.tests import games_sim_test
from test_possible import ALL_GAMES, HANDS

import interpreter
from interpreter import Game, ValueProblem
from playtest.adapters.openspiel import RulesGame, RulesState, check_invariants, openspiel_game
from playtest.bots import RandomBot

GAMES = Path(__file__).resolve().parent.parent / "games"
NOUGHTS = GAMES / "classic" / "tic_tac_toe.rules"
KUHN = GAMES / "classic" / "kuhn_poker.rules"
ATLANTEON = GAMES / "atlanteon.rules"

# Random games of Catan are thousands of answers long, and the library looks at every state from every seat.
SHORTER: dict[str, dict[str, int]] = {"catan": {"points_to_win": 3}}
FAMILIES = [
    path for path in ALL_GAMES if path.parent.name != "variants" and path.stem not in ("seafarers", "catan_atlantis")
]


@pytest.fixture(autouse=True)
def _quiet(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """What the library prints is kept with the test; its simulations go as far as this."""
    monkeypatch.setattr(games_sim_test, "MAX_ACTIONS_PER_GAME", 40)


@pytest.mark.parametrize("path", FAMILIES, ids=lambda path: path.stem)
def test_the_library_plays_every_game_to_the_end(path: Path) -> None:
    made = openspiel_game(path, **SHORTER.get(path.stem, {}))
    pyspiel.random_sim_test(made, 1, True, False, state_checker_fn=check_invariants)


@pytest.mark.parametrize(
    "path", [*sorted({*ALL_GAMES} - {*FAMILIES}), NOUGHTS, KUHN, ATLANTEON], ids=lambda path: path.stem
)
def test_the_library_simulates_every_variant(path: Path) -> None:
    np.random.seed(1)
    games_sim_test.GamesSimTest().sim_game(openspiel_game(path))


@pytest.mark.parametrize(
    ("made", "options"),
    [
        (duel(), {"rewards": "scores"}),
        (game(BIDS), {"players": 3}),
        (game(HANDS.replace("p chooses give", "p chooses give or hand_over")), {}),
        (duel(), {"actions": "factored"}),
        (interpreter.load(ATLANTEON, size=4, markers=3), {"rewards": "controlled_squares"}),
        (interpreter.load(KUHN), {"rewards": "scores", "zero_sum": True}),
    ],
    ids=["duel", "bids", "hands", "factored", "measure", "kuhn"],
)
def test_the_library_accepts_every_option(made: Game, options: dict[str, Any]) -> None:
    adapted = openspiel_game(made, name=f"rules_option_{made.name}", **options)
    np.random.seed(1)
    pyspiel.random_sim_test(adapted, 5, True, False, state_checker_fn=check_invariants)
    for _ in range(3):
        games_sim_test.GamesSimTest().sim_game(adapted)


def test_a_broken_invariant_is_found_by_the_library() -> None:
    text = duel().source.text.replace("== 9\n", "== 9 - luck\n")
    with pytest.raises(Exception, match="no card is made or lost: broken"):
        pyspiel.random_sim_test(
            openspiel_game(game(text), name="rules_broken"), 20, False, False, state_checker_fn=check_invariants
        )


# ---------------------------------------------------------------- the library's own games


def told(lines: list[str]) -> list[str]:
    wanted = ("IsTerminal()", "History()", "CurrentPlayer()", "Returns()", "LegalActions()", "action:")
    return [line for line in lines if line.startswith(wanted)]


@pytest.mark.parametrize("name", ["tic_tac_toe", "connect_four"])
def test_playthroughs_are_those_of_the_librarys_own_game(name: str) -> None:
    ours = str(openspiel_game(GAMES / "classic" / f"{name}.rules"))
    for seed in range(200):
        found, own = (told(generate_playthrough.playthrough_lines(each, seed=seed)) for each in (ours, name))
        assert found == own and len(found) > 20


def test_kuhn_poker_is_the_librarys_own_to_the_last_probability() -> None:
    ours, own = openspiel_game(KUHN, rewards="scores", zero_sum=True), pyspiel.load_game("kuhn_poker")

    def tree(state: pyspiel.State) -> Any:
        if state.is_terminal():
            return state.returns()
        if state.is_chance_node():
            return [(p, tree(state.child(action))) for action, p in state.chance_outcomes()]
        followed = [tree(state.child(action)) for action in state.legal_actions()]
        # Ours says check or bet, then fold or call; theirs pass or bet for both.
        return state.current_player(), followed

    assert tree(ours.new_initial_state()) == tree(own.new_initial_state())


# ---------------------------------------------------------------- information states


@pytest.mark.parametrize(
    ("made", "depth"),
    [(interpreter.load(KUHN), 20), (duel(rounds=1, hand_size=1), 7), (game(BIDS), 4)],
    ids=["kuhn", "duel", "bids"],
)
def test_information_states_have_perfect_recall_and_one_menu(made: Game, depth: int) -> None:
    """States that a player cannot tell apart offer the same actions, and came about by the same own answers at states
    that could not be told apart either. Other arrays, other text; equal arrays, equal text."""
    adapted = openspiel_game(made, name="rules_recall")
    menus: dict[str, set[Any]] = defaultdict(set)
    arrays: dict[str, set[bytes]] = defaultdict(set)

    def go(state: RulesState, left: int, pasts: tuple[tuple[Any, ...], ...]) -> None:
        if state.is_terminal() or not left:
            return
        player = state.current_player()
        if player >= 0:
            text = state.information_state_string(player)
            menus[text].add((tuple(state.legal_actions()), pasts[player]))
            arrays[text].add(np.array(state.information_state_tensor(player), np.float32).tobytes())
        for action in state.legal_actions():
            own = tuple((*past, (text, action)) if seat == player else past for seat, past in enumerate(pasts))
            go(state.child(action), left - 1, own)

    go(adapted.new_initial_state(), depth, ((),) * adapted.num_players())
    assert len(menus) > 10 and all(len(found) == 1 for found in menus.values())
    assert all(len(found) == 1 for found in arrays.values())
    assert len({next(iter(found)) for found in arrays.values()}) == len(arrays)
    if made.name == "kuhn_poker":
        assert len(menus) == 12


def test_what_is_hidden_is_in_no_others_text_or_numbers() -> None:
    adapted = openspiel_game(KUHN)
    one, other = adapted.new_initial_state(), adapted.new_initial_state()
    for state, cards in ((one, (0, 1)), (other, (0, 2))):
        for card in cards:
            state.apply_action(card)
    for player, same in ((0, True), (1, False)):
        assert (one.information_state_string(player) == other.information_state_string(player)) is same
        assert (one.information_state_tensor(player) == other.information_state_tensor(player)) is same
        assert (one.observation_string(player) == other.observation_string(player)) is same
        assert (one.observation_tensor(player) == other.observation_tensor(player)) is same


def test_observers_of_every_kind() -> None:
    adapted = openspiel_game(KUHN)
    state = adapted.new_initial_state()
    state.apply_action(0)
    state.apply_action(2)
    kinds, private = pyspiel.IIGObservationType, pyspiel.PrivateInfoType
    public = adapted.make_py_observer(kinds(public_info=True, perfect_recall=False, private_info=private.NONE))
    own = adapted.make_py_observer(kinds(public_info=False, perfect_recall=False, private_info=private.SINGLE_PLAYER))
    everything = adapted.make_py_observer(
        kinds(public_info=True, perfect_recall=False, private_info=private.ALL_PLAYERS)
    )
    assert public.string_from(state, 0) == public.string_from(state, 1) and "jack" not in public.string_from(state, 0)
    assert [own.string_from(state, player) for player in (0, 1)] == ["hand: jack", "hand: king"]
    assert "jack" in everything.string_from(state, 1) and "king" in everything.string_from(state, 0)
    own.set_from(state, 1)
    assert list(own.dict) == ["hand"] and own.dict["hand"].tolist() == [[0, 0, 0, 0], [0, 0, 0, 1]]
    everything.set_from(state, 0)
    assert everything.dict["hand"].tolist() == [[0, 1, 0, 0], [0, 0, 0, 1]]
    nothing = openspiel_game(NOUGHTS).make_py_observer(
        kinds(public_info=False, perfect_recall=False, private_info=private.SINGLE_PLAYER)
    )
    assert nothing.tensor is None and nothing.string_from(openspiel_game(NOUGHTS).new_initial_state(), 0) == ""
    with pytest.raises(ValueError, match="take no parameters"):
        adapted.make_py_observer(None, {"depth": 3})


# ---------------------------------------------------------------- chance, logs, parameters


def test_draws_are_chance_nodes_with_the_weights_of_the_rules() -> None:
    state = openspiel_game(duel()).new_initial_state()
    assert state.is_chance_node() and state.chance_outcomes() == [(0, 3 / 9), (1, 3 / 9), (2, 3 / 9)]
    assert state.action_to_string(1) == "card = jack"
    state.apply_action(1)
    assert state.chance_outcomes() == [(0, 3 / 8), (1, 2 / 8), (2, 3 / 8)]


def test_a_state_is_written_as_the_log_of_the_way_there() -> None:
    made = duel()
    adapted, match, chance = openspiel_game(made, rewards="scores"), made.new(seed=4), random.Random(4)
    while match.outcome is None:
        match.play(chance.choice(match.legal_moves()))
    state = adapted.state_at(match.position)
    assert state.is_terminal() and state.position.to_log(4) == match.log
    assert dict(zip(made.rules().seats, state.returns(), strict=True)) == dict(match.outcome.scores or {})
    text = pyspiel.serialize_game_and_state(adapted, state)
    assert state.log().lines()[0] in base64.b64decode(text.partition("__dict__=")[2])
    again = pyspiel.deserialize_game_and_state(text)[1]
    assert isinstance(again, RulesState) and again.position == match.position and again.history() == state.history()
    for node in match.position.node.path()[::2]:
        position = interpreter.Position(made.rules(), node)
        assert adapted.state_at(position).position == position
    with pytest.raises(ValueProblem, match="other rules"):
        adapted.state_at(interpreter.load(NOUGHTS).start())


def test_answers_told_in_parts_lead_to_the_same_position() -> None:
    made = interpreter.load(ATLANTEON)
    match = made.new(seed=1)
    for text in ("raise_tower(white, c3)", "raise_tower(black, a1)", "raise_tower(white, e5)"):
        match.play(text)
    adapted = openspiel_game(made, actions="factored")
    state = adapted.state_at(match.position)
    assert state.position == match.position and len(state.history()) > 3
    state.apply_action(state.action_of(match.legal_moves()[0]))
    assert state.told and "told: " in str(state)
    with pytest.raises(ValueProblem, match="not legal here"):
        state.action_of("raise_tower(white, c3)")


def test_games_are_loaded_by_name_with_their_parameters() -> None:
    openspiel_game(ATLANTEON)
    loaded = pyspiel.load_game("rules_atlanteon(size=4,win_check=own_turn_only,rewards=match_points)")
    assert isinstance(loaded, RulesGame)
    assert (
        dict(loaded.rules.plain_parameters)["size"] == 4
        and loaded.rules.plain_parameters["win_check"] == "own_turn_only"
    )
    kinds = pyspiel.GameType
    assert loaded.get_type().reward_model == kinds.RewardModel.REWARDS
    assert loaded.get_type().information == kinds.Information.PERFECT_INFORMATION
    kuhn = openspiel_game(KUHN).get_type()
    assert kuhn.information == kinds.Information.IMPERFECT_INFORMATION
    assert kuhn.chance_mode == kinds.ChanceMode.EXPLICIT_STOCHASTIC and kuhn.utility == kinds.Utility.ZERO_SUM
    assert openspiel_game(game(BIDS), players=4).num_players() == 4
    assert openspiel_game(NOUGHTS).max_game_length() == 9


def test_a_promise_of_rewards_that_add_up_to_nothing_is_kept() -> None:
    adapted = openspiel_game(duel(), rewards="scores", zero_sum=True)
    state = adapted.new_initial_state()
    chance = random.Random(1)
    with pytest.raises(ValueProblem, match="do not add up to 0"):
        while not state.is_terminal():
            state.apply_action(chance.choice(state.legal_actions()))


def test_a_process_with_registered_games_ends_well() -> None:
    code = (
        f"from playtest.adapters.openspiel import openspiel_game; print(openspiel_game({str(NOUGHTS)!r}).num_players())"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "2\n", "")


# ---------------------------------------------------------------- algorithms


def test_outcome_sampling_finds_the_value_of_kuhn_poker() -> None:
    adapted = openspiel_game(KUHN, rewards="scores", zero_sum=True)
    np.random.seed(7)
    solver = OutcomeSamplingSolver(adapted)
    for _ in range(4000):
        solver.iteration()
    policy = solver.average_policy()
    value = expected_game_score.policy_value(adapted.new_initial_state(), [policy] * 2)
    assert value[0] == pytest.approx(-1 / 18, abs=0.03) and value[0] == pytest.approx(-value[1])
    assert exploitability.exploitability(adapted, policy) < 0.15


def test_tree_search_beats_our_random_bot() -> None:
    adapted = openspiel_game(ATLANTEON)
    won = 0
    for number in range(6):
        rng = np.random.RandomState(number)
        searching = number % 2
        bot = mcts.MCTSBot(adapted, 1.4, 40, mcts.RandomRolloutEvaluator(1, rng), random_state=rng)
        ours, state = RandomBot(number), adapted.new_initial_state()
        while not state.is_terminal():
            if state.current_player() == searching:
                state.apply_action(bot.step(state))
            else:
                state.apply_action(state.action_of(ours.choose(state.position)))
        won += state.returns()[searching] > 0
    assert won >= 5


def test_all_states_of_a_small_game_are_found() -> None:
    adapted = openspiel_game(NOUGHTS)
    states = get_all_states.get_all_states(adapted, depth_limit=3, include_terminals=True, include_chance_states=False)
    assert len(states) == 1 + 9 + 9 * 8 + 9 * 8 * 7
