"""Scenarios: which pass, and how a failing one explains itself."""

from __future__ import annotations

from pathlib import Path

import pytest
from machine_games import BIDS, DUEL

import interpreter
from interpreter import Game
from playtest.scenarios import Result, run_all

GAMES = Path(__file__).parent.parent / "games"


def run(text: str, scenario: str) -> Result:
    """The result of one scenario that is added to a game."""
    indented = "\n".join(f"    {line}" for line in scenario.strip("\n").splitlines())
    source = f'{text}\nscenario "here":\n{indented}\n'
    return next(result for result in run_all(Game.from_text({"small.rules": source})) if result.text == "here")


def test_scenarios_of_a_game() -> None:
    results = run_all(Game.from_text({"small.rules": DUEL}))
    assert [(r.text, r.passed) for r in results] == [("a card scores its power", True)]


PASSING = {
    "directly": """
given:
    hand[ana] = {ace: 1}
ana play(ace)
expect score[ana] == 3
expect illegal ana play(ace) by fresh
expect illegal ana play(two)
""",
    "a run with draws": """
with hand_size = 1
with rounds = 1
run main()
draw ace, two
ana play(ace)
ana passes
bob roll
draw 4
expect luck == 4
bob intend(two)
expect winners == {ana}
expect scores[ana] == 3 and scores[bob] == 0
""",
    "open questions at the end": """
run main()
draw ace, ace, two, two
ana roll
""",
    "a pass that nobody had to make": """
with hand_size = 0
run main()
ana wait
bob wait
ana roll
draw 6
bob wait
expect luck == 0
""",
    "a pass that was made for a player may be written": """
with hand_size = 0
run main()
ana wait
ana passes
bob wait
""",
    "a draw of a direct action": """
bob roll
draw 5
expect luck == 5
""",
    "refused while a question is open": """
with hand_size = 1
run main()
draw ace, two
expect illegal bob wait
expect illegal ana play(two)
expect illegal ana intend(ace)
""",
    "events of the line before, with those arguments that matter": """
with hand_size = 1
run main()
draw ace, two
expect event Dealt(ana, ace)
expect event Dealt(ana)
expect event Dealt(card=two)
expect not event Dealt(bob, ace)
ana wait
expect event Waited
expect not event Waited(bob)
expect not event Dealt
ana passes
expect not event Waited
""",
    "events of a line that was passed over are those of the line before": """
with hand_size = 0
run main()
ana wait
ana passes
expect event Waited(ana)
""",
    "events of a direct action": """
ana roll
draw 4
expect event Rolled(ana, 4)
given:
    luck = 2
expect not event Rolled
""",
    "several givens": """
given:
    luck = 3
given:
    hand[bob] = {two: 1}
expect illegal bob play(two) by strong
""",
}


@pytest.mark.parametrize("name", PASSING)
def test_passing(name: str) -> None:
    result = run(DUEL, PASSING[name])
    assert result.passed, str(result)


GIVING = DUEL.replace("action wait:", "action wait(who: Player):").replace("or wait", "or wait(p)")
"""The game in which a question gives something."""

FAILING = {
    "a false expectation": (
        "given:\n    hand[ana] = {ace: 1}\nana play(ace)\nexpect score[ana] == 4",
        "expect score[ana] == 4",
        ["this does not hold", "score[ana] is 3"],
    ),
    "the names are those of the outer `for`s": (
        "given:\n    score[ana] = 1\nexpect all(sum(n for n in 1..2 if score[p] < n) < 3 for p in Player for q in Player)",
        "expect all(sum(n for n in 1..2 if score[p] < n) < 3 for p in Player for q in Player)",
        ["is false for p = bob, q = ana"],
    ),
    "an illegal direct move": (
        "given:\n    hand[ana] = {two: 1}\n    luck = 3\nana play(two)",
        "ana play(two)",
        ["two is weaker than 3", 'play.strong: "two is weaker than 3" (small.rules:'],
    ),
    "a move outside its domain": ("ana play(two)", "ana play(two)", ["two is not in distinct(hand[ana])"]),
    "the wrong player": (
        "with hand_size = 1\nrun main()\ndraw ace, ace\nbob wait",
        "bob wait",
        ["ana is asked now, not bob", "asked: ana chooses play or roll or wait"],
    ),
    "the wrong action": (
        "with hand_size = 1\nrun main()\ndraw ace, ace\nana intend(ace)",
        "ana intend(ace)",
        ["ana cannot intend now: the choice is play or roll or wait"],
    ),
    "a legal move that should not be": (
        "expect illegal ana wait",
        "expect illegal ana wait",
        ["this is legal"],
    ),
    "refused by another guard": (
        "given:\n    hand[ana] = {two: 1}\n    luck = 3\nexpect illegal ana play(two) by fresh",
        "expect illegal ana play(two) by fresh",
        ["this is refused, but not by fresh", "play.strong"],
    ),
    "an unanswered draw": (
        "run main()\ndraw ace\nana wait",
        "ana wait",
        ["card has to be drawn first", "waiting for a draw of card: one of ace, jack, two"],
    ),
    "a draw that nobody makes": ("draw ace", "draw ace", ["nothing is drawn here"]),
    "one draw too many": ("ana roll\ndraw 1, 2", "draw 1, 2", ["nothing is drawn here"]),
    "an outcome that cannot be": (
        "given:\n    deck = {ace: 9}\nrun main()\ndraw two",
        "draw two",
        ["two cannot be drawn as card", "card is one of ace"],
    ),
    "a pass out of place": ("ana passes", "ana passes", ["nobody is asked here"]),
    "a pass that is not allowed": (
        "with hand_size = 0\nrun main()\nana passes",
        "ana passes",
        ["ana cannot pass here"],
    ),
    "after the end": (
        "with hand_size = 0\nwith rounds = 1\nrun main()\nana wait\nbob wait\nana wait",
        "ana wait",
        ["the game is over: ana and bob share the win"],
    ),
    "a run while a question is open": (
        "with hand_size = 0\nrun main()\nrun main()",
        "run main()",
        ["`run` needs a state in which nothing is asked", "asked: ana chooses play or roll or wait"],
    ),
    "an event that did not happen": (
        "ana wait\nexpect event Waited(bob)",
        "expect event Waited(bob)",
        ["this did not happen", "happened: Waited(ana)"],
    ),
    "an event that should not have happened": (
        "ana roll\ndraw 4\nexpect not event Rolled(by=ana)",
        "expect not event Rolled(by=ana)",
        ["this happened", "happened: Rolled(ana, 4)"],
    ),
    "an event where nothing happened": (
        "expect event Waited",
        "expect event Waited",
        ["this did not happen", "nothing happened"],
    ),
    "given arguments that the question has given": (
        "with hand_size = 0\nrun main()\nana wait(ana)",
        "ana wait(ana)",
        ["a question is open here, which gives `who` to wait: write what is chosen only", "asked: ana chooses"],
    ),
    "refused ones too": (
        "with hand_size = 0\nrun main()\nexpect illegal ana wait(ana)",
        "expect illegal ana wait(ana)",
        ["a question is open here, which gives `who` to wait"],
    ),
    "the rules fail": (
        "given:\n    score[ana] = 30\n    hand[ana] = {ace: 1}\nana play(ace)",
        "ana play(ace)",
        ["the rules fail: out of range: 33 is not within 0..30 (`score[by]`) in event Played at small.rules:"],
    ),
}


@pytest.mark.parametrize("name", FAILING)
def test_failing(name: str) -> None:
    scenario, source, words = FAILING[name]
    result = run(GIVING if "wait(ana)" in scenario else DUEL, scenario)
    assert not result.passed and result.failure is not None
    assert result.failure.source == source
    told = str(result.failure)
    for word in words:
        assert word in told, told
    line = result.failure.line
    lines = (DUEL + '\nscenario "here":\n' + scenario).splitlines()
    assert lines[line - 1].strip() == source


def test_a_failure_is_read_at_a_glance() -> None:
    result = run(DUEL, FAILING["the wrong player"][0])
    assert str(result).splitlines()[1:] == [
        f"small.rules:{len(DUEL.splitlines()) + 6}: ana is asked now, not bob",
        "    bob wait",
        "        asked: ana chooses play or roll or wait",
    ]


def test_players_of_a_scenario() -> None:
    told = """
with players = 3
run main()
Player[0] make_bid(3)
Player[1] make_bid(4)
Player[2] make_bid(4)
Player[0] agree
Player[1] agree
Player[2] agree
expect winners == {Player[1], Player[2]}
"""
    result = run(BIDS, told)
    assert result.passed, str(result)


@pytest.mark.parametrize("path", sorted(GAMES.glob("*.rules")), ids=lambda path: path.name)
def test_the_scenarios_of_the_games(path: Path) -> None:
    failed = [str(result) for result in run_all(interpreter.load(path)) if not result.passed]
    assert not failed, "\n\n".join(failed)


TWO_TURNS = """
game small:
    players ana, bob

state:
    ready: bool

event Came(n: 1..6):
    ready = true

event Left:
    ready = false

action leave:
    require ready: ready else "not yet"
    emit Left

flow main:
    ana may leave
    draw n from 1..6
    emit Came(n)
    ana may leave
    end tie
"""


TWO_QUESTIONS = """
game small:
    players ana, bob

state:
    left: bool

event Left:
    left = true

action stay:
    require never: left else "you cannot stay"
    emit Left

action leave:
    emit Left

flow main:
    ana may stay
    ana may leave
    end tie
"""


def test_a_pass_answers_the_open_question_before_it_speaks_of_one_that_was_made_by_itself() -> None:
    for passes in ("ana passes", "ana passes\nana passes"):
        result = run(TWO_QUESTIONS, f"run main()\n{passes}\nexpect not left and winners == {{ana, bob}}")
        assert result.passed, str(result)


def test_a_pass_before_a_draw_is_not_the_pass_after_it() -> None:
    result = run(TWO_TURNS, "run main()\ndraw 4\nana passes\nexpect ready and winners == {ana, bob}")
    assert result.passed, str(result)
