"""The long counts, one line each: `make long`, or `python benchmarks/long.py [PART...]`.

Every line says what was counted, what came out, and whether it is as it should be. The exit code is 1 if one is not.
"""

from __future__ import annotations

import os
import re
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
RULES = ROOT / "games" / "atlanteon.rules"
Found = tuple[bool, str]


def fuzz_atlanteon() -> Found:
    """20,000 random games keep every law; none is a tie; in about one of nine both sides meet a condition at once."""
    from playtest.fuzz import fuzz
    from playtest.logs import LogLaw
    from rulesdsl.program import load

    loaded = load(RULES)
    victory = loaded.module.DEFS["victory"]

    def both(state: Any) -> bool:
        return victory(state, 0) is not None and victory(state, 1) is not None

    result = fuzz(loaded, games=20_000, seed=2026, observe=both, logs=LogLaw(loaded), swarm=False, archive=False)
    share = result.observed.get(True, 0) / max(1, result.games)
    ties = sum(count for winners, count in result.ends.items() if len(winners) != 1)
    good = result.failure is None and result.games == 20_000 and ties == 0 and 0.10 <= share <= 0.12
    law = "no law broken" if result.failure is None else f"broken: {result.failure.clause}"
    return good, (
        f"{result.games:,} random games, {result.answers:,} answers, {result.rechecked:,} checked thoroughly: {law}; "
        f"{ties} ties; both sides meet a condition on one placement in {share:.1%}"
    )


def speed() -> Found:
    """At least 30,000 placements a second on one core, all legal moves listed at each, log off; flat along the game."""
    sys.path.insert(0, str(ROOT / "benchmarks"))
    import playouts

    from rulesdsl.program import load

    module = load(RULES).module
    playouts.rates(module, 20, 1)
    rate = statistics.median(playouts.rates(module, 400, 5))
    costs = list(playouts.along(module, 300).values())[3:]
    third = len(costs) // 3
    early, late = statistics.mean(costs[:third]), statistics.mean(costs[-third:])
    return rate >= 30_000 and late <= 1.5 * early, (
        f"{rate:,.0f} placements/s with all legal moves listed; {early:.0f} us early in the game, {late:.0f} us late"
    )


def rate(path: str, players: int, least: int) -> Callable[[], Found]:
    """Answers a second of random play on one core, all legal moves listed at each, log off."""

    def run() -> Found:
        sys.path.insert(0, str(ROOT / "benchmarks"))
        import playouts

        from rulesdsl.program import load

        module = load(ROOT / path, seats=players).module
        playouts.rates(module, 2, 1)
        found = statistics.median(playouts.rates(module, 40, 5))
        return found >= least, f"{found:,.0f} answers/s with {players} players, all legal moves listed at each"

    return run


def catan_speed() -> Found:
    """At least 15,000 answers a second with trade; without it, more decisions and more games a second than catanatron. A
    longest route takes well under a millisecond."""
    sys.path.insert(0, str(ROOT / "benchmarks"))
    import catan

    found = catan.speeds(5)
    ahead = catan.THERE not in found or all(a > b for a, b in zip(found[catan.OFF], found[catan.THERE], strict=True))
    told = "; ".join(f"{name}: {decisions:,.0f} decisions/s, {games:.1f} games/s" for name, (decisions, games) in found.items())
    route = max(statistics.mean(catan.routes(name)) for name in ("catan", "seafarers"))
    return ahead and found[catan.ON][0] >= 15_000 and route < 300, f"{told}; a longest route {route:.0f} us on average"


def classic_speed() -> Found:
    """The classic games play at least as fast as they must."""
    sys.path.insert(0, str(ROOT / "benchmarks"))
    import playouts

    found = {game: (playouts.alone(game, 5), least) for game, (least, _) in playouts.CLASSIC.items() if least}
    told = ", ".join(f"{game} {rate:,.0f}" for game, (rate, _) in found.items())
    return all(rate >= least for rate, least in found.values()), f"moves/s: {told}"


def atlantis_in_figures() -> Found:
    """What random games of Atlantis are like where nobody sells: reshuffles, moves over the water at an end of the path, scores.

    The same was counted by a program of other hands: four players shuffle about once in two games and two never; about one
    move of nine crosses water at an end; most games of four end with somebody below zero.
    """
    from playtest.fuzz import draw, game_random
    from rulesdsl import runtime
    from rulesdsl.program import load

    def counted(players: int, games: int) -> tuple[float, float, float]:
        module = load(ROOT / "games" / "atlantis.rules", seats=players).module
        defs, name = module.DEFS, module.EVENTS.index
        sell, moved, shuffled = module.ACTIONS.index("sell"), name("FigureMoved"), name("DeckReshuffled")
        mainland = 54  # the last space of the track
        moves = shuffles = at_an_end = negative = 0
        for game in range(games):
            rng = game_random(2026, game)
            state, frame = module.start(runtime.Trace())
            while frame is not None:
                trace, before = runtime.Trace(), state
                if module.KIND[frame[0]] == "draw":
                    state, frame = module.drawn(state, frame, draw(module.outcomes(state, frame), rng), trace)
                else:
                    legal = [move for move in module.legal(state, frame) if not move or move[0] != sell]
                    state, frame = module.answer(state, frame, rng.choice(legal), trace)
                for event in trace:
                    shuffles += event[0] == shuffled
                    if event[0] == moved:
                        start, to = event[2:]
                        first, last = defs["shore_after"](before, 0), defs["shore_before"](before, mainland)
                        moves += 1
                        at_an_end += (first > 1 and start < first <= to) or (last < mainland - 1 and start <= last < to)
            negative += any(defs["score"](state, seat) < 0 for seat in range(players))
        return shuffles / games, at_an_end / moves, negative / games

    lines = []
    found = {players: counted(players, 200) for players in (2, 4)}
    for players, (shuffles, share, negative) in found.items():
        lines.append(
            f"{players} players who never sell: {shuffles:.2f} reshuffles a game, {share:.0%} of the moves over water at an "
            f"end, somebody below zero in {negative:.0%} of the games"
        )
    good = found[2][0] < 0.05 and 0.3 < found[4][0] < 0.8 and 0.08 < found[4][1] < 0.14 and found[4][2] > 0.5
    return good, "; ".join(lines)


def cost_of_laws() -> Found:
    """Fuzzing as `rulesdsl fuzz` does it, with laws, habits, archive and the thorough checks of a share of the games, costs at
    most five times as much as bare random play."""
    sys.path.insert(0, str(ROOT / "benchmarks"))
    import playouts

    from rulesdsl.program import load

    parts, good = [], True
    for name, games in (("atlanteon", 1_000), ("atlantis", 300), ("catan", 200)):
        loaded = load(ROOT / "games" / f"{name}.rules")
        cost, laws = playouts.costs(loaded, games, 3)
        good = good and cost <= 5
        parts.append(f"{name} {cost:.1f} times ({laws:.1f} with laws alone)")
    return good, "; ".join(parts)


def perft_atlanteon() -> Found:
    """The first two plies as counted by hand: 2 kinds on 25 squares; then 520 pairs of squares that are apart, for the kinds
    white then either, black then white."""
    from playtest.perft import perft
    from rulesdsl.program import load

    counted = perft(load(RULES), 3)
    return counted.leaves[1:3] == (2 * 25, 3 * 520), "lines of 1, 2 and 3 plies: " + ", ".join(f"{n:,}" for n in counted.leaves[1:])


def tests(*files: str) -> Callable[[], Found]:
    """Tests with all their counts raised."""

    def run() -> Found:
        command = [sys.executable, "-m", "pytest", "-q", "-n", "2", "--no-header", *files]
        environment = {**os.environ, "RULESDSL_LONG": "1"}
        done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
        summary = done.stdout.strip().splitlines()[-1] if done.stdout.strip() else done.stderr.strip()[-200:]
        return done.returncode == 0, re.sub(r"^=+ | =+$", "", summary)

    return run


def command(*arguments: str) -> Callable[[], Found]:
    """A command of the console script; its last line is what came out."""

    def run() -> Found:
        done = subprocess.run(
            [sys.executable, "-m", "table.command", *arguments], cwd=ROOT, capture_output=True, text=True, check=False
        )
        lines = (done.stdout + done.stderr).strip().splitlines()
        return done.returncode == 0, lines[-1] if lines else "nothing"

    return run


def logs() -> Found:
    """All committed games are replayed."""
    files = sorted(str(path.relative_to(ROOT)) for path in (ROOT / "games" / "logs").glob("*/*.jsonl"))
    if not files:
        return False, "there are no logs"
    good, last = command("replay", "--verify", *files)()
    return good, f"{len(files)} finished games replayed and verified" if good else last


def fuzzed(path: str, games: int, *counts: int) -> Callable[[], Found]:
    """Random games of each number of players keep every law."""

    def run() -> Found:
        from playtest.fuzz import fuzz
        from rulesdsl.program import load

        good, parts = True, []
        for players in counts:
            result = fuzz(load(ROOT / path, seats=players), games=games, seed=2026)
            good = good and result.failure is None and result.games == games
            broken = "" if result.failure is None else f", broken: {result.failure.clause}"
            parts.append(f"{players} players {result.answers:,} answers, {result.cut} given up{broken}")
        return good, f"{games:,} random games for each number of players: {'; '.join(parts)}"

    return run


def variants() -> Found:
    """1,000 random games of each variant keep every law, with each number of players."""
    from playtest.fuzz import fuzz
    from rulesdsl.program import load, parse_source, read_source, seat_counts

    good, parts = True, []
    for path in sorted((ROOT / "games" / "variants").glob("*.rules")):
        low, high = seat_counts(parse_source(read_source(path)))
        for players in range(low, high + 1):
            result = fuzz(load(path, seats=players), games=1_000, seed=2026)
            good = good and result.failure is None and result.games == 1_000
            broken = "" if result.failure is None else f", broken: {result.failure.clause}"
            parts.append(f"{path.stem} with {players}: {result.answers:,} answers{broken}")
    return good, f"1,000 random games of each variant: {'; '.join(parts)}"


def explore_atlanteon() -> Found:
    """Atlanteon on 3×3 with three tiles each, which fill the board: every position is gone through and every law holds."""
    import interpreter
    from playtest.explore import explore

    found = explore(interpreter.load(RULES, size=3, highest=1, markers=4).rules())
    good = found.whole and found.failure is None and found.longest == 9
    return good, (
        f"3×3 proved whole: {found.positions:,} positions, {found.transitions:,} transitions, "
        f"longest game {found.longest}, ends {', '.join(f'{n:,}' for n in found.ends.values())}"
    )


def bots() -> Found:
    """Greedy bots beat random ones in the three games and Catan Atlantis with three and four players, tree search beats greedy ones
    in Atlanteon and two-player Atlantis: the whole interval of the share of wins lies above a half."""
    import interpreter
    from playtest.simulate import Plan, simulate

    good, parts = True, []
    for name, players, games, better, other in (
        ("atlanteon", 2, 400, "greedy", "random"),
        ("atlantis", 2, 100, "greedy", "random"),
        ("catan", 4, 24, "greedy", "random"),
        ("catan_atlantis", 3, 24, "greedy", "random"),
        ("catan_atlantis", 4, 24, "greedy", "random"),
        ("atlanteon", 2, 60, "mcts:200", "greedy"),
        ("atlantis", 2, 40, "mcts:100", "greedy"),
    ):
        rules = interpreter.load(ROOT / "games" / f"{name}.rules").rules(players)
        found = simulate(Plan.of(rules, games, [better, other], seed=2026), jobs=2)
        figures = {f.name: f for f in found.figures()}
        figure = figures[f"won by the bot {better}"]
        good = good and figure.low > 0.5
        parts.append(f"{better} wins {figure} of {games} against {other} in {name} with {players}")
    return good, "; ".join(parts)


def mutants(name: str) -> Callable[[], Found]:
    """At least 90 % of the mutants of a game are noticed by a scenario or a law, each within 10 seconds; all others were tried
    with everything there is, and have a reason that is needed."""

    def run() -> Found:
        import interpreter
        from playtest.mutation import NOTICED, SURVIVED, chosen, plan_of, reasons_in, trying

        path = ROOT / "games" / f"{name}.rules"
        game = interpreter.load(path)
        known = path.with_suffix(".mutants")
        reasons = reasons_in(known) if known.is_file() else {}
        verdicts = [v for some in trying(plan_of(game), chosen(game), reasons, jobs=2) for v in some]
        noticed = sum(v.outcome == NOTICED for v in verdicts)
        left = [v for v in verdicts if v.outcome == SURVIVED]
        tried = noticed + len(left)
        wrong = [f"no reason: {v.mutant.name} ({v.mutant.place})" for v in left if not v.reason]
        wrong += [f"not tried whole: {v.mutant.name}" for v in left if not v.whole]
        wrong += [f"stale reason: {name}" for name in set(reasons) - {v.mutant.name for v in left}]
        slowest = max(v.seconds for v in verdicts)
        told = f"{name}: {noticed} of {tried} mutants noticed, {noticed / tried:.1%}; the slowest took {slowest:.1f} s"
        return noticed >= 0.9 * tried and not wrong, "; ".join([told, *sorted(wrong)])

    return run


def classic_mutants() -> Found:
    """The same for every classic game."""
    found = [mutants(f"classic/{path.stem}")() for path in sorted((ROOT / "games/classic").glob("*.rules"))]
    return all(good for good, _ in found), "\n       ".join(text for _, text in found)


def coverage() -> Found:
    """Every committed game: nothing is missing after its scenarios and 60 random games for each number of players."""
    import interpreter
    from playtest.coverage import cover

    wrong, files, games = [], sorted([*(ROOT / "games").glob("*.rules"), *(ROOT / "games").glob("*/*.rules")]), 0
    for path in files:
        found = cover(interpreter.load(path), games=60, jobs=2)
        games += found.games
        wrong += [f"{path.stem}: {item.kind}: {item.what} ({item.place.removeprefix(str(ROOT) + os.sep)})" for item in found.missing()]
        wrong += [f"{path.stem}: the scenario \"{title}\" fails" for title in found.failed]
        wrong += [f"{path.stem}: a random game breaks {found.failure.clause}"] if found.failure is not None else []
    told = f"{len(files)} rules files, {games:,} random games: {len(wrong) or 'nothing'} missing"
    return not wrong, "\n       ".join([told, *wrong])


def adapters() -> Found:
    """A whole random game of Catan is looked at from all sides by OpenSpiel, and no invariant is broken; its tree search wins
    at least 18 of 20 games of Atlanteon against the random bot."""
    import numpy as np
    import pyspiel
    from open_spiel.python.algorithms import mcts

    from playtest.adapters import check_invariants, openspiel_game
    from playtest.bots import RandomBot

    states = 0

    def look(state: Any) -> None:
        nonlocal states
        states += 1
        check_invariants(state)

    pyspiel.random_sim_test(openspiel_game(ROOT / "games" / "catan.rules"), 1, True, False, state_checker_fn=look)
    game, won = openspiel_game(RULES), 0
    for number in range(20):
        rng, ours, searching = np.random.RandomState(number), RandomBot(number), number % 2
        bot = mcts.MCTSBot(game, 1.4, 80, mcts.RandomRolloutEvaluator(1, rng), random_state=rng)
        state = game.new_initial_state()
        while not state.is_terminal():
            asked = state.current_player() == searching
            state.apply_action(bot.step(state) if asked else state.action_of(ours.choose(state.position)))
        won += state.returns()[searching] > 0
    return won >= 18, f"{states:,} states of a random game of Catan; tree search wins {won} of 20 against the random bot"


def bugs_planted() -> Found:
    """Every planted bug is found as it must be, by fuzzing alone within 60 seconds; the median of the shortest games has less than
    12 answers in Atlanteon, and the printed command replays each."""
    import planted_bugs

    return planted_bugs.judged()


def mistakes() -> Found:
    """The planted mistakes: each is told once, in its place, with its remedy (`tests/test_mistakes.py` looks at that)."""
    sys.path.insert(0, str(ROOT / "tests"))
    import planted

    found = [one for path in sorted(planted.FOLDER.glob("*.mistakes")) for one in planted.mistakes(path)]
    codes = {said.code for one in found for said in one.told}
    good, last = tests("tests/test_mistakes.py")()
    return good and len(found) >= 60 and len(codes) >= 30, f"{len(found)} mistakes planted over {len(codes)} codes: {last}"


PARTS: dict[str, Callable[[], Found]] = {
    "fuzz": fuzz_atlanteon,
    "speed": speed,
    "perft": perft_atlanteon,
    "explore": explore_atlanteon,
    "scenarios": command("test", "games/atlanteon.rules"),
    "logs": logs,
    "stores": tests("tests/test_crashes.py"),
    "replays": tests("tests/test_log_faults.py"),
    "bots": bots,
    "coverage": coverage,
    "mutants": mutants("atlanteon"),
    "mutants2": mutants("atlantis"),
    "mutants3": mutants("catan"),
    "mutants4": mutants("catan_atlantis"),
    "mutants5": mutants("seafarers"),
    "mutants6": classic_mutants,
    "mutants7": mutants("variants/atlantis_boats"),
    "mutants8": mutants("variants/catan_atlantis_numbers"),
    "adapters": adapters,
    "mistakes": mistakes,
    "tokens": tests("tests/test_token_removal.py"),
    "atlantis": fuzzed("games/atlantis.rules", 5_000, 2, 3, 4),
    "atlantis-speed": rate("games/atlantis.rules", 4, 4_000),
    "atlantis-figures": atlantis_in_figures,
    "catan": fuzzed("games/catan.rules", 1_000, 3, 4),
    "catan-speed": catan_speed,
    "catan-beside": tests("tests/test_outside_catan.py"),
    "seafarers": fuzzed("games/seafarers.rules", 200, 3, 4),
    "catan-atlantis": fuzzed("games/catan_atlantis.rules", 500, 3, 4),
    "catan-atlantis-speed": rate("games/catan_atlantis.rules", 4, 8_000),
    "catan-atlantis-numbers": fuzzed("games/variants/catan_atlantis_numbers.rules", 200, 3, 4),
    "variants": variants,
    "classic": tests("tests/test_classic.py", "tests/test_outside.py"),
    "classic-speed": classic_speed,
    "laws": tests("tests/test_laws.py", "tests/test_fuzz.py"),
    "programs": tests("tests/test_programs.py"),
    "cost": cost_of_laws,
    "bugs": bugs_planted,
    "everything": tests(),
}


def main() -> int:
    wanted = sys.argv[1:] or list(PARTS)
    failed = 0
    for name in wanted:
        began = time.monotonic()
        good, text = PARTS[name]()
        failed += not good
        print(f"{'ok ' if good else 'BAD'}  {name:<11} {text}  ({time.monotonic() - began:.0f} s)", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
