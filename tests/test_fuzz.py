"""Fuzzing: the same result for the same seed, planted bugs found and made small, logs and scenarios of failures."""

from __future__ import annotations

import random
import subprocess
import sys
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import pytest

from interpreter.log import read_log
from interpreter.rules import Rules
from playtest import fuzz as fuzzer
from playtest import recheck
from playtest.bots import FirstBot, RandomBot, bot
from playtest.chunks import tasks
from playtest.fuzz import Failure, Plan, fuzz, fuzzing
from playtest.laws import Broken, Laws
from playtest.plies import CHOICE, choices
from playtest.report import Report, Told, report, save, scenario, tell
from playtest.scenarios import run_scenarios
from playtest.shrink import shrink
from rulesdsl.program import load

ATLANTEON = Path(__file__).parent.parent / "games" / "atlanteon.rules"

LADDER = """\
game ladder:
    title "Ladder"
    players ana, ben

state:
    rung[Player]: 0..20
    cards: set[0..9] = set(0..9)
    last: 0..9?

event Climbed(by: Player, n: 0..20):
    "{by} climbs to {n}"
    rung[by] = n

event Played(by: Player, card: 0..9):
    "{by} plays {card}"
    cards -= card
    last = card

action play(card in cards):
    emit Played(me, card)
    draw bonus from 1..3
    emit Climbed(me, min(20, rung[me] + bonus))

flow main:
    turns p from ana if cards:
        p chooses play
    end scores {p: rung[p] for p in Player}

invariant "nobody climbs past the top":
    all(rung[p] <= 20 for p in Player)

terminates within 10 choices
"""


def loaded(text: str, folder: Path, name: str = "ladder.rules") -> Any:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return load(path, {}, None)


def changed(text: str, old: str, new: str) -> str:
    """The text with one clause changed; the clause must be there."""
    assert text.count(old) == 1, f"{old!r} is there {text.count(old)} times"
    return text.replace(old, new)


def line_of(text: str, part: str) -> int:
    return text[: text.index(part)].count("\n") + 1


def found(text: str, folder: Path, games: int = 2_000, **more: Any) -> tuple[Any, Failure]:
    """The program of a text and what fuzzing finds in it, made small."""
    game = loaded(text, folder)
    result = fuzz(game, games=games, seed=1, **more)
    assert result.failure is not None, "fuzzing found nothing"
    shrunk = shrink(game, result.failure)
    assert shrunk.failure.kind == result.failure.kind
    assert shrunk.failure.choices <= result.failure.choices
    return game, shrunk.failure


# ---------------------------------------------------------------- results


def test_the_same_seed_gives_the_same_result(tmp_path: Path) -> None:
    game = loaded(LADDER, tmp_path)
    first, second, other = (fuzz(game, games=200, seed=seed) for seed in (7, 7, 8))
    assert first == second
    assert first != other
    assert first.failure is None
    assert first.unreached == ()
    first = fuzz(game, games=200, seed=7, swarm=False, archive=False)
    assert first.lengths == {10: 200}
    assert first.choices == 2000 == first.draws
    assert sum(first.ends.values()) == 200
    assert set(first.ends) <= {("ana",), ("ben",), ("ana", "ben")}


def test_a_game_does_not_depend_on_those_before_it(tmp_path: Path) -> None:
    game = loaded(LADDER, tmp_path)
    laws = Laws(game)
    alone = fuzzer.random_game(laws, fuzzer.game_random(3, 41))
    for number in range(5):
        fuzzer.random_game(laws, fuzzer.game_random(3, number))
    assert fuzzer.random_game(laws, fuzzer.game_random(3, 41)) == alone


def test_progress_counts_up_to_the_result(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fuzzer, "REPORT_SECONDS", 0.0)
    run = fuzzing(loaded(LADDER, tmp_path), Plan(games=20, seed=0))
    seen = []
    while True:
        try:
            seen.append(next(run))
        except StopIteration as stop:
            result = stop.value
            break
    assert [progress.games for progress in seen] == [*range(1, 21), 20]
    assert seen[-1].choices == result.choices
    assert all(progress.of == 20 for progress in seen)


def test_fuzzing_stops_after_some_seconds(tmp_path: Path) -> None:
    result = fuzz(loaded(LADDER, tmp_path), games=10**9, seconds=0.2)
    assert 0 < result.games < 10**9


def test_what_is_observed_is_counted(tmp_path: Path) -> None:
    game = loaded(LADDER, tmp_path)
    result = fuzz(game, games=50, observe=lambda state: state[-1][1] is not None)
    assert result.observed == {True: 50}


# ---------------------------------------------------------------- rounds, processes, the archive, the corpus


@pytest.mark.parametrize("text", [LADDER, LADDER.replace("rung[p] <= 20", "rung[p] <= 12")], ids=["whole", "broken"])
def test_the_result_does_not_depend_on_the_number_of_processes(tmp_path: Path, text: str) -> None:
    game = loaded(text, tmp_path)
    alone, together = fuzz(game, games=150, seed=3), fuzz(game, games=150, seed=3, jobs=2)
    assert alone == together
    assert (alone.failure is None) == (text == LADDER)


def test_there_are_no_more_processes_than_a_round_has_chunks() -> None:
    """Ninety-nine were started for four games, and took longer to begin than the games to play."""
    assert Plan(jobs=99).jobs == len(next(tasks(None, None))) and Plan(jobs=2).jobs == 2


def test_rounds_have_the_games_that_are_asked_for() -> None:
    for games in (1, 7, 8, 9, 100, 1_000):
        numbers = [n for chunks in tasks(games, None) for task in chunks for n in range(task.first, task.first + task.games)]
        assert numbers == list(range(games))


VAULT = """\
game vault:
    title "A vault that opens to those who turn its wheel in one way only"
    players ana, ben

state:
    turned: 0..14
    moves: 0..60

event Turned(left: bool):
    moves += 1
    if left:
        turned = min(14, turned + 1)
    else:
        turned = 0

action turn(left in {true, false}):
    emit Turned(left)

flow main:
    turns p from ana if moves < 60:
        p chooses turn
    end tie

measure progress(p: Player) -> int:
    turned

invariant "the vault stays closed":
    turned < 14

terminates within 60 choices
"""


def test_swarm_and_archive_find_what_uniform_play_does_not(tmp_path: Path) -> None:
    game = loaded(VAULT, tmp_path)
    assert fuzz(game, games=300, seed=4, swarm=False, archive=False).failure is None
    plain = VAULT.replace("measure progress(p: Player) -> int:\n    turned\n\n", "")
    for text, more in ((VAULT, {"swarm": False}), (plain, {"archive": False})):
        failure = fuzz(loaded(text, tmp_path), games=300, seed=4, **more).failure
        assert failure is not None
        small = shrink(loaded(text, tmp_path), failure).failure
        assert small.plies == ((CHOICE, (1, True)),) * 14


def test_games_that_are_given_up_are_counted_apart(tmp_path: Path) -> None:
    endless = changed(VAULT, " if moves < 60", "").replace("terminates within 60 choices\n", "")
    endless = changed(endless, "    moves += 1\n", "    moves = 1\n").replace("turned < 14", "true")
    result = fuzz(loaded(endless, tmp_path), games=30, seed=1, max_choices=40)
    assert result.failure is None
    assert result.ended == 0
    assert result.cut == 30
    assert result.choices <= 30 * 40


def test_what_is_never_reached_is_named(tmp_path: Path) -> None:
    text = changed(LADDER, "    end scores", "    if last is none:\n        step nothing:\n            emit Climbed(ana, 3)\n    end scores")
    result = fuzz(loaded(text, tmp_path), games=50)
    assert {(point.kind, point.clause, point.outcome) for point in result.unreached} == {
        ("clause", "step main.nothing", None), ("branch", "flow main", True),
    }  # fmt: skip


def test_how_often_each_point_was_come_to_is_counted_over_all_games_and_processes(tmp_path: Path) -> None:
    game = loaded(LADDER, tmp_path)
    result = fuzz(game, games=300, seed=3, counted=1)
    times = {point.clause: number for point, number in result.times.items() if point.kind == "clause"}
    assert times["action play"] == times["event Played"] == times["event Climbed"] == result.choices
    assert 100 < times["flow main"] < 200, "half of the games start from the archive"
    assert fuzz(game, games=300, seed=3, counted=1, jobs=2).times == result.times
    some = fuzz(game, games=300, seed=3)
    counted = {point.clause: number for point, number in some.times.items() if point.kind == "clause"}
    assert 0 < counted["action play"] < some.choices / 3, "a share of the games is counted"
    assert not fuzz(game, games=300, archive=False).times


def test_what_only_a_law_calls_in_the_middle_of_a_game_is_reached(tmp_path: Path) -> None:
    """At the end of a game nothing is left in hand, so that the law is decided before it comes to its def."""
    text = changed(
        LADDER,
        "terminates",
        'def far(n: int) -> bool:\n    return n < 90\n\n'
        'invariant "as long as cards are left":\n    len(cards) == 0 or far(sum(rung[p] for p in Player))\n\nterminates',
    )
    assert fuzz(loaded(text, tmp_path), games=50).unreached == ()


def test_a_corpus_is_replayed_first_and_grows(tmp_path: Path) -> None:
    folder = tmp_path / "corpus"
    game = loaded(LADDER, tmp_path)
    first = fuzz(game, games=20, corpus=folder)
    kept = sorted(path.name for path in folder.iterdir())
    assert (first.corpus, first.failure) == (0, None)
    assert kept and all(name.startswith("ladder-2p-") for name in kept)
    assert all(read_log(folder / name).header.game == "ladder" for name in kept)
    again = fuzz(game, games=1, corpus=folder)
    assert again.corpus == len(kept)
    assert sorted(path.name for path in folder.iterdir()) == kept
    (folder / "notes.jsonl").write_text("no log\n", encoding="utf-8")
    broken = fuzz(loaded(changed(LADDER, "rung[p] <= 20", "rung[p] <= 2"), tmp_path), games=100, corpus=folder)
    assert broken.failure is not None
    assert broken.games == 0 or broken.failure.choices > 0
    found = fuzz(loaded(changed(LADDER, "rung[p] <= 20", "rung[p] <= 2"), tmp_path), games=100, corpus=folder)
    assert found.failure is not None
    assert found.games == 0


def test_a_run_that_is_stopped_leaves_what_it_has_found_in_the_corpus(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run with seconds is often ended by ctrl-C; an hour of it was lost."""
    monkeypatch.setattr(fuzzer, "REPORT_SECONDS", 0)
    steps = fuzzing(loaded(LADDER, tmp_path), Plan(games=None, corpus=tmp_path / "corpus"))
    while next(steps).games < 40:
        pass
    with pytest.raises(KeyboardInterrupt):
        steps.throw(KeyboardInterrupt)
    assert list((tmp_path / "corpus").iterdir())


# ---------------------------------------------------------------- small planted bugs


def test_a_broken_invariant_is_found_and_shrinks_to_what_matters(tmp_path: Path) -> None:
    text = changed(LADDER, "rung[p] <= 20", "rung[p] <= 8 or last != 7")
    game, failure = found(text, tmp_path)
    assert failure.law == "invariant"
    assert failure.clause == "nobody climbs past the top"
    assert failure.choices <= 9
    assert 7 in [move[1] for kind, move in failure.plies if kind == CHOICE]
    told = report(Rules(game), failure)
    assert told.place.endswith(f"ladder.rules:{line_of(text, 'rung[p] <= 8')}")
    assert any("rung[p]" in value.text or "last" in value.text for value in told.values)


def test_a_broken_transition_is_found(tmp_path: Path) -> None:
    text = changed(LADDER, "    cards -= card\n", "    if card != 3:\n        cards -= card\n")
    text += '\ntransition "played cards are gone":\n    last == before.last or last is some and last not in cards\n'
    text = changed(text, "turns p from ana if cards:", "turns p from ana if len(cards) > 1:")
    _, failure = found(text, tmp_path)
    assert failure.law == "transition"
    assert failure.plies == ((CHOICE, (1, 3)),)


def test_a_game_without_end_is_found(tmp_path: Path) -> None:
    text = changed(LADDER, "    cards -= card\n", "    if card != 3:\n        cards -= card\n")
    _, failure = found(text, tmp_path)
    assert failure.law == "terminates"
    assert failure.choices == 10


def test_a_dead_end_is_found(tmp_path: Path) -> None:
    text = changed(
        LADDER,
        "action play(card in cards):\n",
        'action play(card in cards):\n    require rising: card >= (last or 0) else "too low"\n',
    )
    game, failure = found(text, tmp_path)
    assert (failure.law, failure.clause) == ("dead end", "play in main")
    assert report(Rules(game), failure).place.endswith(f"ladder.rules:{line_of(text, 'p chooses play')}")
    assert failure.choices == 1
    assert failure.plies[0] == (CHOICE, (1, 9))


def test_a_value_out_of_range_is_found_with_its_line(tmp_path: Path) -> None:
    text = changed(LADDER, "min(20, rung[me] + bonus)", "rung[me] * 2 + bonus")
    game, failure = found(text, tmp_path)
    assert failure.law == "rules error"
    line = line_of(text, "rung[me] * 2")
    assert failure.clause == f"out of range at line {line}"
    assert failure.choices == 5
    assert [value for kind, value in failure.plies if kind == "draw"] == [3, 1, 3, 1, 3]
    assert report(Rules(game), failure).place.endswith(f":{line}")


def test_shrinking_depends_on_the_failure_alone(tmp_path: Path) -> None:
    text = changed(LADDER, "rung[p] <= 20", "rung[p] <= 6")
    game = loaded(text, tmp_path)
    failure = fuzz(game, games=500, seed=5).failure
    assert failure is not None
    assert shrink(game, failure) == shrink(game, failure)


@pytest.mark.parametrize("seed", range(8))
def test_the_smallest_game_is_the_same_from_every_start(tmp_path: Path, seed: int) -> None:
    """Three cards must be gone, whatever else was played."""
    text = LADDER + '\ninvariant "one of three stays":\n    2 in cards or 5 in cards or 8 in cards\n'
    game = loaded(text, tmp_path)
    failure = fuzz(game, games=500, seed=seed).failure
    assert failure is not None
    small = shrink(game, failure).failure
    assert [move for kind, move in small.plies if kind == CHOICE] == [(1, 2), (1, 5), (1, 8)]
    assert {value for kind, value in small.plies if kind == "draw"} == {1}


# ---------------------------------------------------------------- thorough laws, on a module that lies


class Lying:
    """A generated module with one function replaced."""

    def __init__(self, module: Any, **other: Any) -> None:
        self.__dict__.update(vars(module))
        self.__dict__.update(other)


class Other:
    def __init__(self, program: Any, module: Any) -> None:
        self.program = program
        self.module = module


def broken_by(game: Any, **other: Any) -> Broken | None:
    """What a thorough check of random games finds in a module with something replaced."""
    laws = Laws(Other(game.program, Lying(game.module, **other)))
    for number in range(30):
        rng = random.Random(number)
        played = fuzzer.random_game(laws, rng)
        if played.failure is not None:
            return Broken(played.failure.law, played.failure.clause)
        result = recheck.recheck(laws, played.plies, rng)
        if result is not None:
            return result[1]
    return None


def test_an_honest_module_is_not_accused(tmp_path: Path) -> None:
    assert broken_by(loaded(LADDER, tmp_path)) is None


@pytest.mark.parametrize("law", ["fold", "menu", "refusal", "determinism", "types"])
def test_a_lying_module_is_found_out(tmp_path: Path, law: str) -> None:
    game = loaded(LADDER, tmp_path)
    module = game.module
    calls = [0]

    def forgetful(state: Any, event: Any) -> Any:
        return state if event[1:2] == (1,) else module.apply(state, event)

    def moody(state: Any, frame: Any, move: Any, trace: Any) -> Any:
        calls[0] += 1
        result = module.answer(state, frame, move, trace)
        if calls[0] % 7 == 0:
            trace.reveals.append(0)
        return result

    lies: dict[str, dict[str, Any]] = {
        "fold": {"apply": forgetful},
        "menu": {"allows": lambda s, f, m: m != (1, 4) and module.allows(s, f, m)},
        "refusal": {"allows": lambda s, f, m: True},
        "determinism": {"answer": moody},
        "types": {"asked": lambda s, f: 2},
    }
    broken = broken_by(game, **lies[law])
    assert broken is not None
    assert broken.law == law


# ---------------------------------------------------------------- what is left behind


def test_a_failure_is_saved_as_a_log_and_a_scenario(tmp_path: Path) -> None:
    text = changed(LADDER, "rung[p] <= 20", "rung[p] <= 4")
    game, failure = found(text, tmp_path)
    rules = Rules(game)
    saved = save(rules, failure, tmp_path / "fuzz", "ladder")
    assert saved.log.name == "ladder-invariant-nobody-climbs-past-the-top.jsonl"
    assert str(saved.log) in saved.command
    log = read_log(saved.log)
    told = tell(rules, failure.plies)
    assert [answer.answer.action for answer in log.answers] == [item.answer.split("(")[0] for item in told[:-1]]
    pasted = loaded(text + "\n" + saved.scenario.read_text(encoding="utf-8"), tmp_path, "again.rules")
    outcome = run_scenarios(Rules(pasted))[0]
    assert outcome.failure is not None
    assert outcome.failure.message.startswith("the rules fail: invariant: nobody climbs past the top: broken by Climbed(")
    assert outcome.failure.source.startswith("draw ")
    assert "# Found by trying the rules: invariant \"nobody climbs past the top\"." in saved.scenario.read_text(encoding="utf-8")
    mended = loaded(LADDER + "\n" + saved.scenario.read_text(encoding="utf-8"), tmp_path, "mended.rules")
    assert run_scenarios(Rules(mended))[0].passed


HEAPS = """\
game heaps:
    players ann, ben

state:
    heap[Player]: 0..50

event Added(by: Player, n: 1..5):
    heap[by] += n

action add(n in 1..5):
    emit Added(me, n)

flow main:
    turns p from ann if sum(heap[q] for q in Player) < 40:
        p chooses add
    end tie

invariant "small":
    LAW
"""


@pytest.mark.parametrize(
    ("law", "told"),
    [
        (
            "sum(heap[p] for p in Player) < 60 and all(heap[p] < 6 for p in Player)",
            ["sum(heap[p] for p in Player) was *, is *", "all(heap[p] < 6 for p in Player) is false for p = *"],
        ),
        (
            "sum(heap[p] for p in Player) > 90 or not any(heap[p] > heap[q] for p in Player for q in Player)",
            [
                "sum(heap[p] for p in Player) was *, is *",
                "any(heap[p] > heap[q] for p in Player for q in Player) is true for p = ann, q = ben",
            ],
        ),
        ("all(heap[p] < 6 for p in Player)", ["p is *", "heap[p] was *, is *"]),
    ],
)
def test_the_parts_of_a_law_are_told_by_their_names(law: str, told: list[str], tmp_path: Path) -> None:
    """A sum was told as `p was 49, is 54`, by the name of what it goes through."""
    game, failure = found(HEAPS.replace("LAW", law), tmp_path)
    values = [str(value) for value in report(Rules(game), failure).values]
    assert len(values) == len(told) and all(map(fnmatchcase, values, (line.replace("[", "[[]") for line in told))), values


def test_a_report_tells_the_answers(tmp_path: Path) -> None:
    text = changed(LADDER, "rung[p] <= 20", "rung[p] <= 4")
    game, failure = found(text, tmp_path)
    told = report(Rules(game), failure)
    lines = told.lines()
    assert lines[0].startswith('broken: invariant "nobody climbs past the top"')
    assert lines[1:3] == ["  p is ana", "  rung[p] was 2, is 5"]
    assert any("ana play(0)  draws: " in line for line in lines)
    here = next(place for place, line in enumerate(lines) if line.strip().startswith("here: Climbed("))
    assert lines[here + 1] == "the last turns:"
    assert lines[-1] == "  ana climbs to 5"
    assert told.recorded.error is not None
    assert told.recorded.error.kind == "invariant"


# ---------------------------------------------------------------- Atlanteon with one clause changed

ATLANTEON_BUGS = {
    "a tile stays in the hand": (
        "    hand[by] -= tile\n    piece[at]", "    if tile != six:\n        hand[by] -= tile\n    piece[at]", 5,
    ),
    "a captured tower stays on the board": (
        "    tower[at] = none\n    captured[by] += kind\n", "    captured[by] += kind\n", 9,
    ),
    "a marker one square too high": ("    marker[at] = by\n", "    marker[at.up or at] = by\n", 9),
    "a marker on a white tower": (
        "        emit TowerCaptured(captor_of_white(s, mover), white, s)\n",
        "        emit TowerCaptured(captor_of_white(s, mover), white, s)\n        emit Controlled(mover, s)\n", 9,
    ),
    "towers side by side": (
        'require apart: not any(base[n] is some for n in at.neighbours) else', 'require apart: base[at] is none else', 2,
    ),
    "a tile on a tower": (
        "    return piece[s] is some or base[s] is some\n", "    return piece[s] is some or tower[s] is some\n", 12,
    ),
    "the supply is not used up": ("    supply -= kind\n", "    supply = supply\n", 1),
    "one more tower than there are": (
        "for p in [guardian, marauder, guardian]:", "for p in [guardian, marauder, guardian, marauder]:", 3,
    ),
    "surrounded by three": (
        "    return all(occupied(n) for n in s.neighbours)\n",
        "    return count(n for n in s.neighbours if not occupied(n)) < 2\n", 9,
    ),
    "control is never enough": ("== 0 and king not in hand[p]", "== 0 and king in hand[p]", 25),
}  # fmt: skip


@pytest.mark.parametrize("name", ATLANTEON_BUGS)
def test_a_bug_in_atlanteon_is_found_and_made_small(tmp_path: Path, name: str) -> None:
    old, new, most = ATLANTEON_BUGS[name]
    text = changed(ATLANTEON.read_text(encoding="utf-8"), old, new)
    game, failure = found(text, tmp_path, games=3_000)
    assert failure.choices <= most
    told = report(Rules(game), failure)
    assert len(told.answers) == failure.choices
    assert told.recorded.log.header.game == "atlanteon"
    own = text[: text.index("\nscenario ")]
    results = run_scenarios(Rules(loaded(own + "\n" + scenario(Rules(game), failure), tmp_path, "again.rules")))
    assert not any(result.passed for result in results)


# ---------------------------------------------------------------- bots


class Few:
    def __init__(self) -> None:
        self.moves = list(range(10))

    def legal_moves(self) -> list[int]:
        return self.moves


def test_bots_do_the_same_for_the_same_seed() -> None:
    first, second, other = RandomBot(4), bot("random", 4), RandomBot(5)
    chosen = [first.choose(Few()) for _ in range(50)]
    assert chosen == [second.choose(Few()) for _ in range(50)]
    assert chosen != [other.choose(Few()) for _ in range(50)]
    assert set(chosen) == set(range(10))
    assert FirstBot().choose(Few()) == 0
    with pytest.raises(ValueError, match="no bot called 'clever'"):
        bot("clever")


def test_fuzzing_does_not_need_hypothesis() -> None:
    code = "import sys, playtest.bots, playtest.perft, playtest.report, playtest.shrink; sys.exit('hypothesis' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True, cwd=ATLANTEON.parent.parent)


def test_choices_are_counted() -> None:
    assert choices([(CHOICE, (0,)), ("draw", 3), (CHOICE, (1, 2))]) == 2


def test_many_draws_and_answers_are_told_in_short() -> None:
    told = Told(0, None, "(set-up)", tuple(str(number) for number in range(93)))
    assert str(told) == "(set-up)  draws: 0, 1, 2, 3, 4, and 88 more"
    assert str(Told(3, "ana", "roll", ("1", "2"))) == "ana roll  draws: 1, 2"
    failed = Report("a law", "", "", (), "", tuple(Told(n, "ana", "roll", ()) for n in range(1, 101)), (), "", None)  # type: ignore[arg-type]
    assert failed.lines()[1:3] == ["       (70 answers before, which are in the log)", "   71  ana roll"]
    assert len(failed.lines()) == 2 + 30
