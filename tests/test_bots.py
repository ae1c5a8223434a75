"""Bots: what they know, what they want, and that the better ones win."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

import interpreter
from interpreter.errors import ValueProblem
from interpreter.position import Node, Position
from interpreter.rules import Rules
from playtest.bots import bot
from playtest.fuzz import draw
from playtest.hidden import Guesses
from playtest.laws import Laws
from playtest.plies import DRAW
from playtest.simulate import Plan, simulate
from playtest.valuing import Valuation
from rulesdsl import runtime

GAMES = Path(__file__).resolve().parent.parent / "games"

SECRETS = """\
game secrets:
    players 3

enum Card:
    red, blue, green

enum Place:
    here, there

state:
    hidden deck: bag[Card] = {red: 5, blue: 5, green: 5}
    hidden row: list[Card, 4]
    hidden table[Place]: Card?
    private hand[Player]: bag[Card]
    private chosen[Player]: set[Card]
    private bid[Player]: 0..9
    shown: bag[Card]

event Dealt(to: Player, card: Card private to to):
    deck -= card
    hand[to] += card

event Laid(at: Place, card: Card hidden):
    deck -= card
    table[at] = card

event Queued(card: Card hidden):
    deck -= card
    row = row + [card]

event Chosen(by: Player, card: Card private to by):
    chosen[by] += card

event Offered(by: Player, n: 0..9 private to by):
    bid[by] = n

event Shown(by: Player, card: Card):
    hand[by] -= card
    shown += card

action choose(card in Card):
    require another: card not in chosen[me] else "you have chosen that"
    emit Chosen(me, card)

action offer(n in 0..9):
    emit Offered(me, n)

action show(card in distinct(hand[me])):
    emit Shown(me, card)

invariant "no card is made or lost":
    all(
        count(c for c in deck if c == k) + count(c for p in Player for c in hand[p] if c == k) + count(c for c in shown if c == k)
        + count(c for c in row if c == k) + count(a for a in Place if table[a] == k)
        == 5
        for k in Card
    )

flow main:
    for a in Place:
        draw first_one from deck
        emit Laid(a, first_one)
    repeat 2:
        draw next_one from deck
        emit Queued(next_one)
    for p in Player:
        repeat 3:
            draw card from deck
            emit Dealt(p, card)
    repeat 3:
        for p in Player:
            p chooses choose or show
            p chooses offer
    end tie

measure cards(p: Player) -> int:
    len(hand[p])
"""


def somewhere(rules: Rules, rng: random.Random, plies: int) -> tuple[Any, Any]:
    """A position after some random plies, at a question."""
    module: Any = rules.module
    state, frame = module.start(runtime.Trace())
    while frame is not None and (plies > 0 or module.KIND[frame[0]] == DRAW):
        plies -= 1
        if module.KIND[frame[0]] == DRAW:
            state, frame = module.drawn(state, frame, draw(module.outcomes(state, frame), rng), runtime.Trace())
        else:
            state, frame = module.answer(state, frame, rng.choice(module.legal(state, frame)), runtime.Trace())
    return state, frame


def seen(rules: Rules, state: Any, frame: Any, seat: str) -> Any:
    """What a seat sees of a position."""
    return Position(rules, Node(None, 0, -1, None, False, (), (), state, frame)).view(seat)


@pytest.mark.parametrize("name", ["secrets", "atlantis.rules", "catan.rules", "classic/kuhn_poker.rules"])
def test_a_guess_never_changes_what_the_seat_sees(name: str) -> None:
    text = {"secrets.rules": SECRETS}
    rules = interpreter.Game.from_text(text).rules() if name == "secrets" else interpreter.load(GAMES / name).rules()
    guesses, laws = Guesses(rules), Laws(rules)
    rng = random.Random(7)
    others = 0
    for _ in range(12):
        state, frame = somewhere(rules, rng, rng.randrange(14, 60) if name != "classic/kuhn_poker.rules" else 2)
        for seat, who in enumerate(rules.seats):
            before = seen(rules, state, frame, who)
            for guess in guesses.several(state, seat, rng, 3):
                others += guess != state
                assert seen(rules, guess, frame, who) == before
                laws.judge_all(guess, guess, 0)
    assert others > 12


def test_guesses_are_of_everything_that_is_possible() -> None:
    """All that a rival can hold is guessed sooner or later, and a secret number is any number."""
    rules = interpreter.Game.from_text({"secrets.rules": SECRETS}).rules()
    state, _ = somewhere(rules, random.Random(3), 30)
    rng = random.Random(1)
    fields = {info.name: info.position for info in rules.program.fields}
    made = Guesses(rules).several(state, 0, rng, 400)
    assert {guess[fields["bid"]][1] for guess in made} == set(range(10))
    assert len({guess[fields["hand"]][1] for guess in made}) > 4
    assert {guess[fields["hand"]][0] for guess in made} == {state[fields["hand"]][0]}
    assert len({guess[fields["row"]] for guess in made}) > 4


def test_where_all_is_open_nothing_is_guessed() -> None:
    rules = interpreter.load(GAMES / "atlanteon.rules").rules()
    assert not Guesses(rules).needed
    state = rules.module.initial()
    assert Guesses(rules).several(state, 0, random.Random(1), 5) == [state]


def test_bots_answer_matches_and_positions_and_are_the_same_for_the_same_seed() -> None:
    match = interpreter.load(GAMES / "atlanteon.rules", size=3, highest=1, markers=4).new(seed=1)
    for name in ("greedy", "greedy:captured_towers", "mcts:20", "mcts:20:controlled_squares"):
        first, second = bot(name, 5), bot(name, 5)
        move = first.choose(match)
        assert move in match.legal_moves() and move == second.choose(match.position)


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("clever", "no bot called"),
        ("random:3", "takes nothing"),
        ("greedy:10", "not understood"),
        ("mcts:0", "not understood"),
        ("mcts:1:2", "not understood"),
    ],
)
def test_a_bot_that_is_not_understood_is_refused(name: str, problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        bot(name)


def test_a_measure_that_is_not_there_is_named_with_what_was_meant() -> None:
    rules = interpreter.load(GAMES / "atlantis.rules").rules()
    with pytest.raises(ValueProblem, match="did you mean figures_home"):
        Valuation(rules, ["figure_home"])


def test_the_winning_move_is_taken() -> None:
    """One move wins at once; both thinking bots find it among the others."""
    match = interpreter.load(GAMES / "classic/tic_tac_toe.rules").new(seed=1)
    for move in ("place(a1)", "place(b1)", "place(a2)", "place(b2)"):
        match.play(move)
    assert str(bot("greedy", 1).choose(match)) == "place(a3)"
    assert str(bot("mcts:200", 1).choose(match)) == "place(a3)"


def test_tree_search_sees_what_the_rival_can_do() -> None:
    """Noughts has no win at hand and must stop crosses, which no measure says."""
    match = interpreter.load(GAMES / "classic/tic_tac_toe.rules").new(seed=1)
    for move in ("place(c3)", "place(b1)", "place(a3)", "place(b3)"):
        match.play(move)
    assert str(bot("mcts:400", 2).choose(match)) == "place(b2)"


@pytest.mark.parametrize(("name", "players", "games"), [("atlanteon", 2, 60), ("atlantis", 2, 8), ("catan", 3, 2)])
def test_greedy_beats_random(name: str, players: int, games: int) -> None:
    """More games, with the intervals, are among the long counts."""
    rules = interpreter.load(GAMES / f"{name}.rules").rules(players)
    figures = {f.name: f for f in simulate(Plan.of(rules, games, ["greedy", "random"])).figures()}
    assert figures["won by the bot greedy"].value > figures["won by the bot random"].value
    if games >= 60:
        assert figures["won by the bot greedy"].low > 0.5


def test_tree_search_beats_greedy_in_atlanteon() -> None:
    rules = interpreter.load(GAMES / "atlanteon.rules").rules()
    figures = {f.name: f for f in simulate(Plan.of(rules, 8, ["mcts:60", "greedy"])).figures()}
    assert figures["won by the bot mcts:60"].value > 0.5


GOALS = """\
game shares:
    players 2

state:
    coins[Player]: int
    fame[Player]: int

event Took(by: Player, coins_too: int, fame_too: int):
    coins[by] += coins_too
    fame[by] += fame_too

action take(n in 0..3):
    emit Took(me, n, 3 - n)

flow main:
    repeat 10:
        for p in Player:
            p chooses take
    end tie

measure wealth(p: Player) -> int:
    coins[p]

measure renown(p: Player) -> int:
    fame[p]

measure waste(p: Player) -> int:
    -coins[p] - fame[p]
"""


@pytest.mark.parametrize(
    ("goals", "taken", "leader"),
    [("", 3, 0), ("goals renown, wealth", 0, 1), ("goals wealth", 3, 0), ("goals waste, renown", 0, 1)],
)
def test_bots_go_by_the_goals_in_their_order_and_by_no_other_measure(goals: str, taken: int, leader: int) -> None:
    game = interpreter.Game.from_text({"shares.rules": f"{GOALS}\n{goals}\n"})
    rules, start = game.rules(), game.start()
    assert [str(bot(name, 1).choose(start)) for name in ("greedy", "mcts:60")] == [f"take({taken})"] * 2
    assert str(bot("greedy:wealth", 1).choose(start)) == "take(3)"
    after = start.play("take(2)").play("take(1)")
    assert Valuation(rules).leader(after.key[0]) == leader
    found = simulate(Plan.of(rules, 4, ["greedy", "random"]))
    assert found.measures == ("wealth", "renown", "waste") and {len(game.measures) for game in found.games} == {3}


def test_a_leader_by_the_goals_is_nobody_where_they_do_not_tell() -> None:
    game = interpreter.Game.from_text({"shares.rules": f"{GOALS}\ngoals waste\n"})
    assert Valuation(game.rules()).leader(game.start().play("take(2)").play("take(1)").key[0]) is None


def test_the_greedy_move_is_one_of_the_best_by_all_that_counts_and_the_leader_has_the_best_numbers() -> None:
    """A bot stops looking where one move is ahead; it may not stop too early, nor leave out equals."""
    rules = interpreter.load(GAMES / "atlanteon.rules").rules()
    values, chance, told = Valuation(rules), random.Random(5), 0
    for game in range(6):
        state, frame = rules.module.start(runtime.Trace())
        while frame is not None:
            moves = rules.module.legal(state, frame)
            seat = rules.module.asked(state, frame)
            worth = {m: values.worth(rules.module.answer(state, frame, m, runtime.Trace())[0], seat) for m in moves}
            equals = {m for m in moves if worth[m] == max(worth.values())}
            chosen = {bot("greedy", f"{game} {n}").pick(rules, (state, frame), moves) for n in range(4)}
            assert chosen <= equals
            told += len(equals) > 1 < len(chosen)
            numbers = values.numbers(state)
            rows = [tuple(row[other] for row in numbers) for other in values.seats]
            assert values.leader(state) == (None if rows.count(max(rows)) > 1 else rows.index(max(rows)))
            assert values.worth(state, seat)[1:] == values.leads(state)[seat]
            state, frame = rules.module.answer(state, frame, chance.choice(moves), runtime.Trace())
    assert told > 10
