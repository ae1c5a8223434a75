"""`rulesdsl explore`: everything that can happen in a small game, what is proved by that, and the shortest way to something."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from playtest.folders import EXPLORE
from table.broken_laws import failure_plain, tell_shortest
from table.console import console, paint, plural, say, say_json, wrapped
from table.files import free_path, shown, typed
from table.options import Written, as_json, no_colour, parameters, players, rules_file, with_variants

if TYPE_CHECKING:
    from interpreter.log import Log
    from interpreter.rules import Rules
    from playtest.explore import Explored
    from playtest.plies import Ply

EXAMPLES = """\b
Examples:
  rulesdsl explore my.rules
  rulesdsl explore atlanteon -p size=3 -p highest=1 -p markers=4
  rulesdsl explore atlanteon -p size=3 -p highest=0 --until 'victory(guardian) == conquest'
  rulesdsl explore my.rules --depth 6 --positions 3000000
"""

BYTES_A_POSITION = 700
"""About how much memory a position takes, for the advice about `--positions`."""


@click.command("explore", epilog=EXAMPLES)
@rules_file
@click.option("--until", metavar="CONDITION", help="Look for the shortest way to a state for which this holds.")
@click.option("--depth", type=click.IntRange(1), help="Go only so many answers and draws deep.")
@click.option(
    "--positions", type=click.IntRange(1), default=1_000_000, show_default=True, help="Stop at so many positions."
)
@click.option("--out", type=Written(folder=True), default=EXPLORE, help="Where games are written.")
@with_variants
@parameters
@players
@as_json
@no_colour
def explore_command(
    file: Path,
    until: str | None,
    depth: int | None,
    positions: int,
    out: Path,
    variants: tuple[Path, ...],
    params: dict[str, Any],
    players: int | None,
    json_wanted: bool,
) -> int:
    """Go through every position that FILE can lead to, and judge every law.

    For a game, or a choice of parameters, that is small enough this proves its invariants, its transitions, that it comes to
    an end and never to a dead end. A broken law is shown with the shortest game that breaks it. With --until the shortest game
    that leads to a state is shown: a condition is written as in a scenario.
    """
    from playtest.explore import Plan, exploring
    from playtest.steps import finished
    from table.loading import label_of, load_game, rules_for

    game = load_game(file, params, variants)
    rules, stem = rules_for(game, players), label_of(game) if variants else file.stem
    wanted = None if until is None else condition(rules, until)
    plan = Plan(positions, depth, wanted)
    with _progress(positions, quiet=json_wanted) as tell:
        explored = finished(exploring(rules, plan), tell)
    if json_wanted:
        say_json(_plain(rules, explored, until, out, stem))
    else:
        _say(rules, explored, until, out, stem)
    return 0 if _good(explored, until) else 1


def _good(explored: Explored, until: str | None) -> bool:
    """Whether nothing is wrong, and what was looked for was found."""
    if explored.failure is not None:
        return False
    return not explored.without_end if until is None else explored.found is not None


def condition(rules: Rules, text: str) -> Callable[[Any], bool]:
    """A condition on states, as a function.

    Raises:
        RulesFileError: it is none.
    """
    from rulesdsl.condition import parse_condition
    from rulesdsl.python.backend import ExtraFunction

    params = {name: value for name, _, value in rules.program.parameters}
    checked = parse_condition(rules.source, params, len(rules.seats), text, "--until")
    holds: Callable[[Any], bool] = rules.compiled(("until", text), lambda: [ExtraFunction("until", (), checked)])[
        "until"
    ]
    return holds


@contextmanager
def _progress(positions: int, quiet: bool) -> Iterator[Callable[[Any], None]]:
    """A line on a terminal that says how far it has come, nothing elsewhere."""
    import sys

    out = console()
    if quiet or not out.is_terminal or not sys.stdout.isatty():
        yield lambda _: None
        return
    with out.status("") as status:

        def tell(progress: Any) -> None:
            rate = progress.transitions / progress.seconds if progress.seconds else 0
            status.update(
                f"{progress.positions:,} of at most {positions:,} positions · depth {progress.depth}"
                f" · {progress.transitions:,} transitions · {rate:,.0f}/s"
            )

        yield tell


# ---------------------------------------------------------------- in words


def _say(rules: Rules, explored: Explored, until: str | None, out: Path, stem: str) -> None:
    over = sum(explored.ends.values())
    ends = f" · {plural(over, 'end')}" if over else ""
    say(
        f"  {plural(explored.positions, 'position')} · {plural(explored.transitions, 'transition')}"
        f" · depth {explored.depth}{ends}   {explored.seconds:.1f} s"
    )
    if over:
        won = ", ".join(f"{' and '.join(who) or 'nobody'} {count:,}" for who, count in explored.ends.items())
        say(f"  won by {won}")
    if explored.failure is not None:
        tell_shortest(rules, explored.failure, out, stem)
        if until is not None:
            say(
                f"no game of up to {plural(explored.certain, 'ply', 'plies')} comes to {until}; beyond that nothing is known"
            )
        return
    if until is not None:
        _say_found(rules, explored, until, out, stem)
        return
    for line in proved(rules, explored):
        say(line)
    if explored.trap is not None:
        where = f"{explored.without_end:,} of them" if explored.trap else "any position"
        say(paint(f"  no game can come to its end from {where}", fg="red", bold=True))
        if explored.trap:
            say(f"  a shortest way there: {plural(len(explored.trap), 'ply', 'plies')}")
            _say_way(rules, explored.trap, out, f"{stem}-without-end")


def proved(rules: Rules, explored: Explored) -> list[str]:
    """What an exploration proves, in words."""
    program = rules.program
    laws = [
        plural(len(found), word)
        for found, word in ((program.invariants, "invariant"), (program.transitions, "transition law"))
        if found
    ]
    held = ", ".join([*laws, "no dead end", "no rules error"])
    if not explored.whole:
        certain = f"  for all games of up to {plural(explored.certain, 'ply', 'plies')}: {held}"
        return [*_bound(explored), *wrapped(certain)]
    lines = [paint(line, fg="green") for line in wrapped(f"  proved for every position: {held}")]
    if explored.endless:
        lines.append("  a position can come again, so there is no longest game")
        if not explored.without_end:
            lines.append(paint("  proved: from every position it can come to its end", fg="green"))
    elif program.terminates is not None:
        lines.append(
            paint(
                f"  proved: it ends within {plural(program.terminates, 'choice')}; the longest game has {explored.longest}",
                fg="green",
            )
        )
    else:
        lines.append(f"  the longest game has {plural(explored.longest or 0, 'choice')}")
    return lines


def _bound(explored: Explored) -> list[str]:
    """Why not everything was gone through, and what to do."""
    if explored.stopped == "depth":
        return wrapped(f"  stopped at depth {explored.depth}, as --depth says: nothing is proved beyond it")
    megabytes = max(1, round(explored.positions / 1e6 * BYTES_A_POSITION))
    return wrapped(
        f"  stopped at {plural(explored.positions, 'position')}, the bound that --positions sets (about {megabytes:,} MB):"
        " nothing is proved beyond it; raise --positions, or take smaller parameters (-p)"
    )


def _say_found(rules: Rules, explored: Explored, until: str, out: Path, stem: str) -> None:
    if explored.found is None:
        if explored.whole:
            say(paint(f"  proved: no game comes to {until}", fg="yellow"))
        else:
            for line in _bound(explored):
                say(line)
            say(f"  no game of up to {plural(explored.certain, 'ply', 'plies')} comes to {until}")
        return
    say(paint(f"  the shortest way to {until}: {plural(len(explored.found), 'ply', 'plies')}", fg="green"))
    _say_way(rules, explored.found, out, f"{stem}-until")


def _say_way(rules: Rules, plies: Sequence[Ply], out: Path, name: str) -> None:
    """A game, answer by answer, and where it was saved."""
    for line in _way(rules, plies):
        say(line)
    log = _save(rules, plies, out, name)
    say(f"saved   {shown(log)}")
    say(f"replay  rulesdsl replay {typed(log)}")


def _way(rules: Rules, plies: Sequence[Ply]) -> list[str]:
    """A game in words: each answer, and what happened then."""
    from playtest.logs import record

    lines = []
    log = record(rules, plies).log
    match = _match(rules, log)
    for number in range(match.number + 1):
        position = match.at(number)
        if number:
            seat, move = position.answers[-1]
            lines.append(f"  {number:>2}  {seat} {move}")
        told = position.narrate(number - 1)
        lines += [f"      {sentence}" for sentence in told]
    return lines


def _match(rules: Rules, log: Log) -> Any:
    from typing import cast

    from interpreter.game import Game
    from interpreter.replay import replay
    from playtest.logs import OneProgram

    return replay(log, cast(Game, OneProgram(rules))).match


def _save(rules: Rules, plies: Sequence[Ply], out: Path, name: str) -> Path:
    from playtest.logs import record

    out.mkdir(parents=True, exist_ok=True)
    path = free_path(out / f"{name}.jsonl")
    record(rules, plies).log.save(path)
    return path


# ---------------------------------------------------------------- for tools


def _plain(rules: Rules, explored: Explored, until: str | None, out: Path, stem: str) -> dict[str, Any]:
    """An exploration as JSON data."""
    data: dict[str, Any] = {
        "positions": explored.positions,
        "transitions": explored.transitions,
        "depth": explored.depth,
        "layers": list(explored.layers),
        "whole": explored.whole,
        "stopped": explored.stopped or None,
        "certain_plies": explored.certain,
        "ends": [{"winners": list(winners), "positions": count} for winners, count in explored.ends.items()],
        "longest": explored.longest,
        "endless": explored.endless,
        "without_end": explored.without_end,
        "seconds": round(explored.seconds, 3),
        "trap": None,
        "until": None,
        "failure": None,
    }
    if explored.trap is not None:
        data["trap"] = _plain_way(rules, explored.trap, out, f"{stem}-without-end")
    if until is not None:
        found = explored.found
        way = {"plies": None, "log": None} if found is None else _plain_way(rules, found, out, f"{stem}-until")
        data["until"] = {"condition": until, **way}
    if explored.failure is not None:
        data["failure"] = failure_plain(rules, explored.failure, out, stem, shrunk=True)
    return data


def _plain_way(rules: Rules, plies: Sequence[Ply], out: Path, name: str) -> dict[str, Any]:
    return {"plies": len(plies), "log": str(_save(rules, plies, out, name))}
