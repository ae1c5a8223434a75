"""Simulations in words: tables of figures with their intervals, as wide as the terminal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from table.console import paint, plural, width

if TYPE_CHECKING:
    from playtest.figures import Comparison, Figure
    from playtest.simulate import Simulation

UNKNOWN = "-"
"""What stands for an interval that too few games tell."""


def told(name: str, simulation: Simulation) -> list[str]:
    """A simulation as a table."""
    head = f"{_head(name, simulation)}, bots {_bots(simulation)}, seed {simulation.seed}"
    lines = [head, f"  {'':<32} {'':>10}   {100 * simulation.confidence:.4g} % interval"]
    for figure in simulation.figures():
        lines.append(f"  {figure.name:<32} {figure.text(figure.value):>10}   {interval(figure)}")
        if figure.name == "answers a game":
            lengths = sorted(game.answers for game in simulation.over)
            half = f"{lengths[0]} to {lengths[-1]}, half of them up to {lengths[(len(lengths) - 1) // 2]}"
            lines.append(paint(f"  {'':<32} {half}", dim=True))
    return lines


def _head(name: str, simulation: Simulation) -> str:
    return f"{name}: {plural(len(simulation.games), 'game')}"


def _bots(simulation: Simulation) -> str:
    return ", ".join(dict.fromkeys(simulation.bots))


def interval(figure: Figure) -> str:
    """From where to where a figure may be."""
    return f"{figure.text(figure.low)} to {figure.text(figure.high)}" if figure.bounded else UNKNOWN


def swept(name: str, params: Sequence[str], found: Sequence[tuple[Mapping[str, Any], Simulation]]) -> list[str]:
    """Simulations for several values of parameters: a line for each choice, a column for each of the main figures."""
    first = found[0][1]
    several = len(set(first.bots)) > 1
    names = [f"won by the bot {bot}" for bot in dict.fromkeys(first.bots)] if several else []
    names += [f"won by {seat}" for seat in first.seats]
    names += ["ties", "answers a game", "options at a question", *(["lead changes"] if first.measures else [])]
    short = {"answers a game": "answers", "options at a question": "options"}
    heads = [short.get(name, name.removeprefix("won by the bot ").removeprefix("won by ")) for name in names]
    rows = []
    for _, simulation in found:
        figures = {figure.name: figure for figure in simulation.figures()}
        rows.append([_with_half(figures[name]) if name in figures else UNKNOWN for name in names])
    settings = [list(params), *([str(setting[name]) for name in params] for setting, _ in found)]
    lines = [f"{_head(name, first)} each, bots {_bots(first)}, seed {first.seed}"]
    for part in _fitting(settings, [heads, *rows]):
        lines += [f"  {line}" if number else f"  {paint(line, bold=True)}" for number, line in enumerate(part)]
    return [*lines, f"  ± is half of the {100 * first.confidence:.4g} % interval; one setting alone shows every figure"]


def _fitting(left: Sequence[Sequence[str]], right: Sequence[Sequence[str]]) -> Iterator[list[str]]:
    """Two tables beside each other; where that is too wide, the columns of the second one go on below."""
    room = width() - 2 - sum(_widest(left, place) + 2 for place in range(len(left[0])))
    place = 0
    while place < len(right[0]):
        begin, used = place, _widest(right, place)
        place += 1
        while place < len(right[0]) and used + 2 + _widest(right, place) <= room:
            used += 2 + _widest(right, place)
            place += 1
        part = [[*row, *cells[begin:place]] for row, cells in zip(left, right, strict=True)]
        yield ["  ".join(cell.rjust(_widest(part, number)) for number, cell in enumerate(row)) for row in part]


def _widest(rows: Sequence[Sequence[str]], column: int) -> int:
    return max(len(row[column]) for row in rows)


def _with_half(figure: Figure) -> str:
    value = figure.text(figure.value).replace(" %", "%")
    if not figure.bounded:
        return value
    return f"{value} ±{figure.text((figure.high - figure.low) / 2).replace(' %', '')}"


def compared(names: tuple[str, str], both: Sequence[Simulation], found: Sequence[Comparison]) -> list[str]:
    """Two simulations beside each other, with a verdict for each figure."""
    if len(both[0].seats) != len(both[1].seats):
        first, second = (
            f"{name} ({plural(len(side.seats), 'player')})" for name, side in zip(names, both, strict=True)
        )
        names = first, second
    head = f"{names[0]} and {_head(names[1], both[0])} each, bots {_bots(both[0])}, seed {both[0].seed}"
    count = sum(item.differs for item in found)
    verdict = f"≠ {count} of {len(found)} figures differ" if count else "  no figure differs"
    return [head, *figures(found, both[0].confidence), verdict]


def figures(found: Sequence[Comparison], confidence: float, marked: bool = True) -> list[str]:
    """Figures before and after, a line each; those that differ are marked."""
    name = max((len(item.name) for item in found), default=0)
    lines = [f"  {'':<{name}} {'before':>8} {'after':>8}  change, {100 * confidence:.4g} % interval"]
    for item in found:
        change = item.change
        sign = "+" if change.value >= 0 else ""
        low, high = (change.text(value).removesuffix(" %") for value in (change.low, change.high))
        told = f"{sign}{change.text(change.value)} ({f'{low} to {high}' if change.bounded else UNKNOWN})"
        mark = paint("≠", fg="yellow", bold=True) if marked and item.differs else " "
        before, after = (side.text(side.value) for side in (item.first, item.second))
        lines.append(f"{mark} {item.name:<{name}} {before:>8} {after:>8}  {told}")
    return lines
