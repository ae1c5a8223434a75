"""What instrumented programs count: each point exactly, and no game is another game for being counted."""

from __future__ import annotations

import os
import random
from pathlib import Path
from typing import Any

import pytest

from interpreter.rules import Rules
from playtest.fuzz import game_random
from playtest.programs import random_program
from playtest.scenarios import run_scenarios
from rulesdsl.diagnostics import Source
from rulesdsl.points import Point, reached, reset
from rulesdsl.program import load, load_source
from rulesdsl.runtime import Trace

LONG = os.environ.get("RULESDSL_LONG") == "1"
GAMES = sorted((Path(__file__).parent.parent / "games").glob("*.rules"))

COUNTED = """\
game counted:
    title "Counted"
    players ana, ben

param long: bool = false

state:
    n[Player]: 0..40

event Added(by: Player, k: 0..6):
    n[by] += k

def low(p: Player) -> bool:
    return n[p] < 3

def step_of(p: Player) -> 1..2:
    if low(p):
        return 2
    return 1 if n[p] < 10 else 2

action add(k in 1..3):
    require even: k != 2 or n[me] > 0 else "not two at first"
    emit Added(me, k)

action luck():
    require few: n[me] < 30 else "too much"
    draw k from 1..6
    emit Added(me, k)

flow main:
    step rounds:
        repeat 2:
            for p in Player:
                p chooses add
                p may luck
    if long:
        ana chooses add
    step extra:
        for p in Player if n[p] > 3:
            emit Added(p, step_of(p))
        while n[ana] < 2:
            emit Added(ana, 1)
    end win {p for p in Player if low(p)}

invariant "nobody has much":
    all(n[p] <= 40 for p in Player)

transition "nobody loses":
    all(n[p] >= before.n[p] for p in Player)
"""


def counted(text: str = COUNTED, **params: Any) -> Any:
    loaded = load_source(Source("counted.rules", text), params, instrumented=True)
    reset(loaded)
    return loaded


def played(loaded: Any, moves: list[Any]) -> Any:
    """Answers and drawn values in turn, to the end."""
    module = loaded.module
    state, frame = module.start(Trace())
    for value in moves:
        go_on = module.answer if module.KIND[frame[0]] == "choice" else module.drawn
        state, frame = go_on(state, frame, value, Trace())
    assert frame is None
    return state


def counts(loaded: Any) -> dict[tuple[str, str, int, bool | None], int]:
    return {(p.kind, p.clause, p.span.line, p.outcome): count for p, count in reached(loaded).items()}


def test_every_point_counts_what_it_says() -> None:
    loaded = counted()
    add, luck, skip = (1, 3), (2,), (0,)
    played(loaded, [add, skip, add, luck, 5, add, skip, add, skip])
    found = counts(loaded)
    line = {text.strip(): number for number, text in enumerate(COUNTED.split("\n"), 1)}

    assert found["clause", "event Added", line["event Added(by: Player, k: 0..6):"], None] == 7
    assert found["clause", "action add", line["action add(k in 1..3):"], None] == 4
    assert found["clause", "action luck", line["action luck():"], None] == 1
    assert found["draw", "action luck", line["draw k from 1..6"], None] == 1
    assert found["pass", "flow main", line["p may luck"], None] == 3
    assert found["answer", "flow main", line["p may luck"], None] == 1
    assert found["answer", "flow main", line["p chooses add"], None] == 4
    assert found["clause", "step main.rounds", line["step rounds:"], None] == 1
    assert found["clause", "step main.extra", line["step extra:"], None] == 1
    assert found["loop", "flow main", line["repeat 2:"], None] == 2
    assert found["loop", "flow main", line["for p in Player:"], None] == 4
    filtered = line["for p in Player if n[p] > 3:"]
    assert found["branch", "flow main", filtered, True] == 2
    assert found["branch", "flow main", filtered, False] == 0
    assert found["loop", "flow main", filtered, None] == 2
    assert found["branch", "flow main", line["while n[ana] < 2:"], False] == 1
    assert found["loop", "flow main", line["while n[ana] < 2:"], None] == 0
    assert found["clause", "def step_of", line["def step_of(p: Player) -> 1..2:"], None] == 2
    assert found["branch", "def step_of", line["if low(p):"], False] == 2
    assert found["branch", "def step_of", line["return 1 if n[p] < 10 else 2"], True] == 1
    assert found["branch", "def step_of", line["return 1 if n[p] < 10 else 2"], False] == 1
    assert found["clause", "flow main", line["flow main:"], None] == 1
    assert found["clause", 'invariant "nobody has much"', line["all(n[p] <= 40 for p in Player)"], None] == 0


def test_guards_count_what_they_let_pass_and_what_they_refuse() -> None:
    loaded = counted()
    module = loaded.module
    state, frame = module.start(Trace())
    assert module.legal(state, frame) == [(1, 1), (1, 3)]
    found = counts(loaded)
    line = COUNTED[: COUNTED.index("require even")].count("\n") + 1
    assert (found["guard", "require add.even", line, True], found["guard", "require add.even", line, False]) == (2, 1)
    assert not module.allows(state, frame, (1, 2))
    assert counts(loaded)["guard", "require add.even", line, False] == 2


def test_what_parameters_decide_has_no_points() -> None:
    def questions(loaded: Any) -> int:
        return sum(point.kind == "answer" for point in loaded.points)

    assert questions(counted()) == questions(counted(long=True))  # the code of both is there
    conditions = {point.span.text for point in counted().points if point.kind == "branch"}
    assert "long" not in conditions
    assert "low(p)" in conditions


def test_laws_are_counted_and_counts_can_be_set_to_nothing() -> None:
    loaded = counted()
    (_, holds, _), (_, between, _) = loaded.module.INVARIANTS[0], loaded.module.TRANSITIONS[0]
    state = loaded.module.initial()
    assert holds(state)
    assert between(state, state)
    found = {point.clause: count for point, count in reached(loaded).items() if count}
    assert found == {'invariant "nobody has much"': 1, 'transition "nobody loses"': 1}
    reset(loaded)
    assert not any(reached(loaded).values())


def test_each_place_is_one_point() -> None:
    loaded = counted()
    assert len(set(loaded.points)) == len(loaded.points) == len(loaded.module.COUNTS)
    assert Point("clause", "def low", loaded.program.def_("low").span) in loaded.points


def test_a_program_that_is_not_instrumented_counts_nothing() -> None:
    loaded = load_source(Source("counted.rules", COUNTED))
    assert loaded.points == ()
    assert not hasattr(loaded.module, "COUNTS")


@pytest.mark.parametrize("path", GAMES, ids=lambda path: path.stem)
def test_an_instrumented_game_is_the_same_game(path: Path) -> None:
    plain, instrumented = load(path), load(path, instrumented=True)
    for game in range(3):
        assert course(plain.module, game) == course(instrumented.module, game)


@pytest.mark.parametrize("number", range(40 if LONG else 6))
def test_an_instrumented_generated_program_is_the_same_program(number: int) -> None:
    source = Source("generated.rules", random_program(random.Random(number)))
    plain, instrumented = load_source(source), load_source(source, instrumented=True)
    assert course(plain.module, number) == course(instrumented.module, number)


def course(module: Any, game: int) -> list[Any]:
    """The menus, events and positions of a random game."""
    rng = game_random(3, game)
    trace = Trace()
    state, frame = module.start(trace)
    told: list[Any] = [(tuple(trace), state, frame)]
    while frame is not None and len(told) < 250:
        trace = Trace()
        if module.KIND[frame[0]] == "choice":
            menu = module.legal(state, frame)
            assert module.any_legal(state, frame) == any(move != (0,) for move in menu)
            state, frame = module.answer(state, frame, rng.choice(menu), trace)
        else:
            menu = module.outcomes(state, frame)
            state, frame = module.drawn(state, frame, rng.choice(menu)[0], trace)
        told.append((menu, tuple(trace), trace.steps, state, frame))
    return told


def test_scenarios_run_on_an_instrumented_game() -> None:
    loaded = load(GAMES[0], instrumented=True)
    reset(loaded)
    results = run_scenarios(Rules(loaded))
    assert results and all(result.passed for result in results)
    assert sum(reached(loaded).values()) > 1000
