"""Classic games: how many lines of play there are is known to everybody, and all laws hold in random games."""

from __future__ import annotations

import os
import re
import statistics
import sys
from pathlib import Path
from typing import Any

import pytest

from interpreter.rules import Rules
from playtest.fuzz import fuzz
from playtest.perft import perft
from playtest.rollout import game_random
from playtest.scenarios import scenario_end
from rulesdsl import runtime
from rulesdsl.program import load

ROOT = Path(__file__).resolve().parent.parent
CLASSIC = ROOT / "games" / "classic"
sys.path.insert(0, str(ROOT / "benchmarks"))

from playouts import playout  # noqa: E402

KNOWN = {
    "tic_tac_toe": (9, 72, 504, 3_024, 15_120, 54_720, 148_176, 200_448, 127_872),
    "connect_four": (7, 49, 343, 2_401, 16_807, 117_649, 823_536),
    "breakthrough": (22, 484, 11_132, 256_036),
    "hex": (121, 14_520, 1_727_880),
    "reversi": (4, 12, 56, 244, 1_396, 8_200, 55_092),
    "chess": (20, 400, 8_902, 197_281),
    "checkers": (7, 49, 302, 1_469, 7_361),
    "kuhn_poker": (3, 6, 12, 24, 12, 0),
}

DEEPER = {"connect_four": (5_673_234,), "reversi": (390_216,), "chess": (4_865_609,)}
"""What follows in `KNOWN`, for long runs."""

KINDS = {"p": "pawn", "n": "knight", "b": "bishop", "r": "rook", "q": "queen", "k": "king"}
CASTLINGS = {"K": "white_short", "Q": "white_long", "k": "black_short", "q": "black_long"}
POSITIONS = {
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq": (48, 2_039, 97_862),
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w -": (14, 191, 2_812),
    "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq": (6, 264, 9_467),
    "r2q1rk1/pP1p2pp/Q4n2/bbp1p3/Np6/1B3NBn/pPPP1PPP/R3K2R b KQ": (6, 264, 9_467),
    "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ": (44, 1_486, 62_379),
    "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w -": (46, 2_079, 89_890),
}
"""Chess positions that are used to test programs, in the usual notation, and how many lines of play each has."""

POSITIONS_DEEPER = dict(
    zip(POSITIONS, [(4_085_603,), (43_238, 674_624), (422_333,), (422_333,), (2_103_487,), (3_894_594,)], strict=True)
)

LONG = os.environ.get("RULESDSL_LONG") == "1"


def known(counts: dict[str, tuple[int, ...]], deeper: dict[str, tuple[int, ...]], name: str) -> tuple[int, ...]:
    """Lines of 1, 2 ... plies; more of them in long runs."""
    return counts[name] + (deeper.get(name, ()) if LONG else ())


def classic(game: str, **params: Any) -> Any:
    return load(CLASSIC / f"{game}.rules", params, None)


@pytest.mark.parametrize("game", KNOWN)
def test_there_are_as_many_lines_of_play_as_is_known(game: str) -> None:
    lines = known(KNOWN, DEEPER, game)
    counted = perft(classic(game), len(lines))
    assert counted.leaves[1:] == lines
    if game == "tic_tac_toe":
        assert sum(counted.ended) + counted.leaves[9] == 255_168  # complete games


DRAUGHTS = (7, 49, 302, 1_469, 7_361, 36_768, 179_740, 845_931)
"""Lines of English draughts as they are published: all jumps of a turn are one move."""


def turns(module: Any, position: Any, length: int) -> int:
    """Lines of so many whole turns: what a player answers before somebody else is asked is one."""
    state, frame = position
    if frame is None:
        return 0
    count, player = 0, module.asked(state, frame)
    waiting = [position]
    while waiting:
        state, frame = waiting.pop()
        for move in module.legal(state, frame):
            after = module.answer(state, frame, move, runtime.Trace())
            if after[1] is not None and module.asked(*after) == player:
                waiting.append(after)
            else:
                count += 1 if length == 1 else turns(module, after, length - 1)
    return count


def test_draughts_has_as_many_lines_of_whole_turns_as_is_known() -> None:
    module = classic("checkers").module
    start = module.start(runtime.Trace())
    lines = DRAUGHTS if LONG else DRAUGHTS[:6]
    assert tuple(turns(module, start, length + 1) for length in range(len(lines))) == lines


LENGTHS = {
    "tic_tac_toe": (7.63, 2_000),
    "connect_four": (21.3, 4_000),
    "breakthrough": (64.1, 2_000),
    "hex": (107.5, 500),
    "reversi": (60.4, 300),
}
"""How long uniformly random games are on average, and how many of them show it well enough."""


@pytest.mark.parametrize("game", LENGTHS)
def test_random_games_are_as_long_as_is_known(game: str) -> None:
    known, games = LENGTHS[game]
    module = classic(game).module
    found = statistics.mean(playout(module, game_random(0, number)) for number in range(games))
    assert abs(found - known) <= 0.02 * known, f"{found:.2f} answers on average"


@pytest.mark.parametrize("game", sorted(path.stem for path in CLASSIC.glob("*.rules")))
def test_all_laws_hold_in_random_games(game: str) -> None:
    assert fuzz(classic(game), 3).failure is None


def chess_scenario(position: str) -> str:
    """The scenario that sets up a position."""
    rows, mover, rights = position.split()
    pieces, thrones = [], []
    for row, line in zip("87654321", rows.split("/"), strict=True):
        for column, sign in zip("abcdefgh", "".join(" " * int(s) if s.isdigit() else s for s in line), strict=True):
            if sign != " ":
                kind = KINDS[sign.lower()]
                colour = "white" if sign.isupper() else "black"
                pieces.append(f"{column}{row}: Piece({colour}, {kind})")
                if kind == "king":
                    thrones.append(f"{colour}: {column}{row}")
    unmoved = ", ".join(CASTLINGS[right] for right in rights if right != "-")
    return f"""
scenario "{position}":
    given:
        at = {{{", ".join(pieces)}}}
        throne = {{{", ".join(thrones)}}}
        unmoved = {{{unmoved}}}
    run play({"white" if mover == "w" else "black"})
"""


@pytest.fixture(scope="module")
def positions(tmp_path_factory: pytest.TempPathFactory) -> Any:
    path = tmp_path_factory.mktemp("chess") / "chess.rules"
    rules = (CLASSIC / "chess.rules").read_text(encoding="utf-8")
    path.write_text(rules + "".join(map(chess_scenario, POSITIONS)), encoding="utf-8")
    return load(path, {}, None)


@pytest.mark.parametrize("position", POSITIONS)
def test_chess_positions_have_as_many_lines_as_is_known(positions: Any, position: str) -> None:
    scenario = next(s for s in positions.program.scenarios if s.text == position)
    start = scenario_end(Rules(positions), scenario)
    lines = known(POSITIONS, POSITIONS_DEEPER, position)
    assert perft(positions, len(lines), start).leaves[1:] == lines


def lines_of(path: Path) -> tuple[int, int]:
    """The lines of rules and of scenarios that are neither blank nor comments."""
    counts, inside = [0, 0], False
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.strip() and not line.lstrip().startswith("#"):
            inside = line.startswith("scenario ") if not line.startswith(" ") else inside
            counts[inside] += 1
    return counts[0], counts[1]


def test_the_lines_of_code_in_the_docs_are_those_of_the_games() -> None:
    rows = re.findall(r"^\| \[(\w+)\]\(.*?\) \| (\d+) \| (\d+) \|", (ROOT / "docs/classic.md").read_text("utf-8"), re.M)
    told = {game: (int(rules), int(scenarios)) for game, rules, scenarios in rows}
    assert told == {path.stem: lines_of(path) for path in sorted(CLASSIC.glob("*.rules"))}
