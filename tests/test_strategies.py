"""Games as Hypothesis strategies: what they draw, how failures shrink, and logs on the way in and out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, find, given, settings
from hypothesis.database import InMemoryExampleDatabase
from hypothesis.stateful import invariant, run_state_machine_as_test

import interpreter
from interpreter.log import read_log
from interpreter.match import Match
from playtest import strategies
from playtest.logs import plies_of, record
from playtest.programs import programs as language_programs
from playtest.strategies import GameMachine, games, hand_over, logs, matches, moves, programs, states

QUICK: Any = {
    "database": None, "deadline": None, "derandomize": True, "phases": strategies.QUICK.phases,
    "suppress_health_check": [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.differing_executors],
}  # fmt: skip

LADDER = """\
game ladder:
    title "Ladder"
    players 2..3

param top: 10..12 = 10

state:
    rung[Player]: 0..60
    secret private_card: 0..3?

event Climbed(by: Player, n: 0..60):
    rung[by] = n

action climb(steps in 0..9):
    require dear: steps != 4 else "four is unlucky"
    draw bonus from 0..3
    emit Climbed(me, min(60, rung[me] + steps + bonus))

action rest():
    emit Climbed(me, rung[me])

flow main:
    turns p from Player[0] if rung[p] < 60:
        p chooses climb or rest
    end win {p for p in Player if rung[p] == 60}
""".replace("    secret private_card: 0..3?\n", "")


@pytest.fixture
def ladder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> interpreter.Game:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "ladder.rules").write_text(LADDER, encoding="utf-8")
    return interpreter.load("ladder.rules")


def shortest(strategy: Any, wanted: Any) -> Any:
    return find(strategy, wanted, settings=settings(max_examples=500, **QUICK))


def told(match: Match) -> list[str]:
    return [f"{seat} {move}" for seat, move in match.position.answers]


def test_matches_get_long_and_come_to_their_end(ladder: Any) -> None:
    lengths: list[int] = []
    ended: list[bool] = []

    @settings(max_examples=60, **{**QUICK, "phases": [Phase.generate]})
    @given(matches(ladder, max_answers=80))
    def play(match: Match) -> None:
        assert match.number <= 80
        lengths.append(match.number)
        ended.append(match.outcome is not None)

    play()
    assert sum(lengths) / len(lengths) > 15
    assert sum(ended) > 10


def test_failing_matches_shrink_to_the_moves_that_matter(ladder: Any) -> None:
    def three_sevens(match: Match) -> bool:
        return [str(move) for _, move in match.position.answers].count("climb(7)") >= 3

    small = shortest(matches(ladder, max_answers=60), three_sevens)
    assert [line.split()[1] for line in told(small)] == ["climb(7)"] * 3
    assert set(small.state.rung.values()) <= {0, 7, 14}
    assert len(small.rules.seats) == 2


def test_draws_shrink_to_the_smallest_outcome(ladder: Any) -> None:
    small = shortest(matches(ladder), lambda match: match.number >= 4)
    assert set(small.state.rung.values()) == {0}
    lucky = shortest(matches(ladder), lambda match: match.state.rung["player0"] % 10 == 3)
    assert lucky.number <= 2


def test_parameters_shrink_to_their_defaults(ladder: Any) -> None:
    assert shortest(games("ladder.rules"), lambda game: True).params == {"top": 10}
    assert shortest(games(ladder), lambda game: game.params["top"] > 10).params == {"top": 11}


def test_logs_are_logs_of_matches(ladder: Any) -> None:
    log = shortest(logs(ladder), lambda log: len(log.answers) >= 2)
    assert interpreter.replay(log, ladder).difference is None


def test_states_have_values_of_their_types(ladder: Any) -> None:
    seen = set()

    @settings(max_examples=40, **QUICK)
    @given(states(ladder))
    def look(state: Any) -> None:
        assert all(0 <= rung <= 60 for rung in state.rung.values())
        seen.update(state.rung.values())

    look()
    assert len(seen) > 5


@pytest.mark.parametrize("name", ["atlantis", "catan"])
def test_states_of_the_games_can_be_looked_at(name: str) -> None:
    path = Path(__file__).parent.parent / "games" / f"{name}.rules"

    @settings(max_examples=3, **QUICK)
    @given(states(path))
    def look(state: Any) -> None:
        assert str(state)
        assert state.digest

    look()


def test_moves_are_the_legal_ones(ladder: Any) -> None:
    match = ladder.new(seed=1)

    @settings(max_examples=30, **QUICK)
    @given(moves(match))
    def look(move: Any) -> None:
        assert match.position.allows(match.rules.internal_move(move))

    look()


def test_programs_are_those_of_the_language() -> None:
    assert programs is language_programs


class Climbers(GameMachine):
    game = "ladder.rules"

    @invariant()
    def nobody_is_high(self) -> None:
        assert all(n < 16 for n in self.match.state.rung.values())


def kept() -> list[str]:
    return sorted(path.name for path in Path("fuzz").iterdir())


def test_a_machine_finds_shrinks_and_keeps_a_log(ladder: Any) -> None:
    with pytest.raises(AssertionError):
        run_state_machine_as_test(Climbers, settings=settings(max_examples=30, stateful_step_count=8, **QUICK))
    assert kept() == ["test_strategies-test_a_machine_finds_shrinks_and_keeps_a_log.jsonl"]
    log = read_log(Path("fuzz") / kept()[0])
    assert 2 <= len(log.answers) <= 6
    assert interpreter.replay(log, ladder).match.state.rung["player0"] >= 16


def test_a_machine_without_settings_does_not_wait_for_explanations() -> None:
    """They took two minutes where the law was found to be broken in two seconds."""
    assert Phase.explain not in Climbers.TestCase.settings.phases


@pytest.mark.parametrize("limit", [20])
def test_a_failing_match_is_told_and_is_a_log_too(ladder: Any, limit: int) -> None:
    @settings(max_examples=60, **QUICK)
    @given(matches(ladder, max_answers=60))
    def nobody_is_high(match: Match) -> None:
        assert match.state.rung["player0"] < limit

    with pytest.raises(AssertionError) as found:
        nobody_is_high()
    assert kept() == ["test_strategies-test_a_failing_match_is_told_and_is_a_log_too-20.jsonl"]
    match = interpreter.replay(read_log(Path("fuzz") / kept()[0]), ladder).match
    assert match.state.rung["player0"] >= 20
    report = "\n".join(found.value.__notes__)
    assert all(answer in report for answer in told(match)) and "draws: " in report
    assert f"rulesdsl replay fuzz/{kept()[0]} --with-own-rules" in report


def test_each_match_of_a_failing_test_has_a_log_of_its_own(ladder: Any) -> None:
    @settings(max_examples=60, **QUICK)
    @given(matches(ladder), matches(ladder))
    def they_agree(first: Match, second: Match) -> None:
        assert first.number == second.number

    with pytest.raises(AssertionError):
        they_agree()
    assert len(kept()) == 2
    assert len({len(read_log(Path("fuzz") / name).answers) for name in kept()}) == 2


def test_the_answer_that_the_rules_fail_at_is_in_the_log(ladder: Any) -> None:
    """The match does not have it."""
    source = LADDER.replace("min(60, rung[me] + steps + bonus)", "rung[me] + steps + bonus").replace("0..60", "0..5")
    game = interpreter.Game.from_text({"ladder.rules": source.replace("60", "5")})

    @settings(max_examples=60, **QUICK)
    @given(matches(game, max_answers=60))
    def nothing_fails(match: Match) -> None: ...

    class Rungs(GameMachine):
        pass

    Rungs.game = game

    def machine() -> None:
        run_state_machine_as_test(Rungs, settings=settings(max_examples=30, stateful_step_count=8, **QUICK))

    for test in (nothing_fails, machine):
        with pytest.raises(interpreter.RulesError) as found:
            test()
        answers = [
            line for line in "\n".join(found.value.__notes__).splitlines() if f" {found.value.answer}  draws:" in line
        ]
        assert answers
        fault = interpreter.replay(read_log(Path("fuzz") / kept()[0]), game).fault
        assert fault is not None and fault.kind == "out of range"


def test_a_log_can_be_handed_to_hypothesis(ladder: Any) -> None:
    rules = ladder.rules(3)
    plies = [ply for _ in range(9) for ply in (("choice", (1, 9)), ("draw", 3))]
    log = record(rules, plies).log
    assert plies_of(rules, log) == tuple(plies)
    seen: list[list[str]] = []
    base = InMemoryExampleDatabase()

    @settings(
        max_examples=1,
        **{**QUICK, "database": base, "derandomize": False, "phases": [Phase.reuse, Phase.shrink]},
    )
    @given(matches(ladder))
    def nobody_gets_far(match: Match) -> None:
        seen.append(told(match))
        assert max(match.state.rung.values()) < 30

    hand_over(nobody_gets_far, ladder, log)
    with pytest.raises(AssertionError):
        nobody_gets_far()
    assert seen[0] == [f"player{n % 3} climb(9)" for n in range(9)]
    assert len(seen[-1]) <= 8

    def no_test(match: Match) -> None: ...

    with pytest.raises(ValueError, match="no @given"):
        hand_over(no_test, ladder, log)


def test_moves_have_lasting_numbers(ladder: Any) -> None:
    rules = ladder.rules(2)
    match = ladder.new(seed=1)
    before = strategies.offered(rules, match.position.node.frame[0])
    match.play("climb(5)")
    assert strategies.offered(rules, match.position.node.frame[0]) == before
    assert before[0] == (1, 0) and (1, 4) in before and before[-1] == (2,)
