"""What each optimisation buys: the classic games, made with one of them switched off at a time.

    python benchmarks/optimisations.py [GAME...] [--runs N] [--json]

Prints how many times as fast the game is with the optimisation as without it: medians of rates of random games, both played
in turns. Switched off together, they show what plain translation would give.
"""

from __future__ import annotations

import argparse
import json
import statistics
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import cache
from pathlib import Path
from typing import Any
from unittest import mock

import playouts

from rulesdsl import core
from rulesdsl.lowering import optimise, plans
from rulesdsl.program import compile_source, read_source
from rulesdsl.python import at_once as python_at_once
from rulesdsl.python import legal as python_legal
from rulesdsl.python import loops as python_loops
from rulesdsl.python import plans as python_plans
from rulesdsl.python.backend import Generated, generate, load_module
from rulesdsl.python.tables import Module

GAMES = ("tic_tac_toe", "connect_four", "breakthrough", "hex", "reversi", "checkers", "backgammon", "chess")


def _nothing(*_: Any) -> None:
    return None


HOISTED = "guards tested before the loops"
SWITCHES: dict[str, tuple[tuple[Any, str, Any], ...]] = {
    HOISTED: (
        (plans, "_depth", lambda item, action, needs, chosen: len(chosen)),
        (plans, "_filtered", lambda *_: frozenset()),
    ),
    "small defs in place of calls": ((optimise.Inliner, "form", _nothing),),
    "conditions decided, loops joined": (
        (optimise, "simplified", lambda facts, expr: expr),
        (optimise, "fused", lambda expr: expr),
    ),
    "known values looked up in tables": ((Module, "tabulated", _nothing), (Module, "elements_of", _nothing)),
    "cells packed in bytes": ((core.FieldInfo, "packed", property(lambda self: False)),),
    "all cells asked at once": tuple(
        (module, "find_scan", _nothing) for module in (python_at_once, python_loops, python_plans)
    ),
    "moves taken from a table": (
        (python_plans.Rows, "write", lambda *_: False),
        (python_plans.Rows, "takes", lambda *_: False),
    ),
    "asking whether there is a move": ((python_legal, "existence", _nothing),),
}
"""The optimisations, and what has to be replaced in the compiler to leave one out."""


@contextmanager
def without(names: Sequence[str]) -> Iterator[None]:
    """The compiler without some optimisations."""
    with ExitStack() as stack:
        for name in names:
            for owner, attribute, replacement in SWITCHES[name]:
                stack.enter_context(mock.patch.object(owner, attribute, replacement))
        yield


def written(path: Path, off: Sequence[str] = ()) -> Generated:
    """The source of a game's module, made afresh without some optimisations."""
    with without(off):
        return generate(_program(path, HOISTED in off))


@cache
def _program(path: Path, _as_lowered: bool) -> core.Program:
    """What the back end is given; `_as_lowered` tells apart what the optimisations in `plans` change."""
    return compile_source(read_source(path), {}, None)[0]


def made(path: Path, off: Sequence[str] = ()) -> Any:
    """The module of a game, made afresh without some optimisations."""
    return load_module(written(path, off), f"without_{len(off)}")


def gains(game: str, runs: int) -> dict[str, float]:
    """How many times as fast the game is with each optimisation, and with all together."""
    path = playouts.GAMES / "classic" / f"{game}.rules"
    whole = made(path)
    found = {}
    for name, off in [*((name, (name,)) for name in SWITCHES), ("all of them", tuple(SWITCHES))]:
        part = made(path, off)
        ratios = []
        for run in range(runs):
            fast = playouts.rate(lambda rng: playouts.playout(whole, rng), run)
            ratios.append(fast / playouts.rate(lambda rng: playouts.playout(part, rng), run))  # noqa: B023
        found[name] = statistics.median(ratios)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("games", nargs="*", default=GAMES, metavar="GAME")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    report = {game: gains(game, options.runs) for game in options.games}
    if options.json:
        print(json.dumps(report))
        return
    width = max(map(len, SWITCHES)) + 2
    print("times as fast as without".ljust(width) + "".join(f"{game[:12]:>14}" for game in report))
    for name in [*SWITCHES, "all of them"]:
        print(name.ljust(width) + "".join(f"{found[name]:>14.2f}" for found in report.values()))


if __name__ == "__main__":
    main()
