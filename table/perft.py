"""`rulesdsl perft`: counts what can happen."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from table.console import paint, say, say_json
from table.options import as_json, no_colour, parameters, players, rules_file, with_variants

if TYPE_CHECKING:
    from interpreter.rules import Rules

PERFT_EXAMPLES = """\b
Examples:
  rulesdsl perft atlanteon --depth 3
  rulesdsl perft my.rules --depth 4 --divide
  rulesdsl perft my.rules --depth 2 --scenario "the last tower"
"""


@click.command("perft", epilog=PERFT_EXAMPLES)
@rules_file
@click.option(
    "--depth", type=click.IntRange(1), required=True, help="How many plies; each answer and each drawn outcome is one."
)
@click.option("--scenario", metavar="TEXT", help="Start where this scenario ends; a part of its title is enough.")
@click.option("--divide", is_flag=True, help="Count what is behind each first ply, too.")
@with_variants
@parameters
@players
@as_json
@no_colour
def perft_command(
    file: Path,
    depth: int,
    scenario: str | None,
    divide: bool,
    variants: tuple[Path, ...],
    params: dict[str, Any],
    players: int | None,
    json_wanted: bool,
) -> int:
    """Count the lines of play of FILE up to a depth.

    The numbers are exact, so they show at once whether two versions of the rules, or of the compiler, are the same game.
    """
    from playtest.perft import divide as divided
    from playtest.perft import perft
    from table.loading import load_rules, source_of, start_of_scenario

    rules = load_rules(file, params, players, variants)
    start = None
    if scenario is not None:
        rules, start = start_of_scenario(source_of(file, variants), scenario)
    counted = perft(rules, depth, start)
    parts = {_ply_text(rules, ply, start): n for ply, n in divided(rules, depth, start).items()} if divide else {}
    if json_wanted:
        say_json({"depth": depth, "leaves": list(counted.leaves), "ended": list(counted.ended), "divide": parts})
        return 0
    for ply, n in parts.items():
        say(f"  {ply:<32} {n:>14,}")
    say("  depth          lines    of them over")
    for length in range(1, depth + 1):
        ended = f"{counted.ended[length]:>15,}" if length < len(counted.ended) else ""
        say(f"  {length:>5} {counted.leaves[length]:>14,} {ended}".rstrip())
    say(paint(f"  {counted.seconds:.1f} s", dim=True))
    return 0


def _ply_text(rules: Rules, ply: tuple[str, Any], start: Any) -> str:
    """A ply in words."""
    from playtest.perft import first_position

    kind, value = ply
    if kind == "choice":
        return str(rules.move(value))
    frame = (start or first_position(rules))[1]
    name, t = rules.draw_of(frame[0])
    return f"draw {name} = {rules.codec.text(t, value)}"
