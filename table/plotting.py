"""Pictures of simulations. Needs matplotlib, the optional extra `plot`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from playtest.simulate import Simulation

COLOURS = ("#2f6f8f", "#d08a3c", "#5b8c5a", "#a34e5d", "#7a6ba8", "#8a7a5c")
BINS = 24
"""Bars of lengths, at most."""


def formats() -> list[str]:
    """The endings of the files that can be drawn."""
    from matplotlib.backend_bases import FigureCanvasBase

    return sorted(FigureCanvasBase.get_supported_filetypes())


def draw(found: Sequence[tuple[str, Simulation]], path: Path) -> None:
    """Draw one simulation, or several side by side, each with its title, into a file; its ending says the format.

    Raises:
        OSError: the file cannot be written.
        ValueError: matplotlib does not know the format.
    """
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure = pyplot.figure(figsize=(11, 8), layout="constrained")
    grid = figure.add_gridspec(2, 4)
    cells = (grid[0, :2], grid[0, 2:], grid[1, :2], grid[1, 2], grid[1, 3])
    panels = [figure.add_subplot(cell) for cell in cells]
    first = found[0][1]
    figure.suptitle(
        f"{len(first.games):,} games{' each' if len(found) > 1 else ''}, bots {', '.join(dict.fromkeys(first.bots))}"
    )
    wins = [f"won by {seat}" for seat in first.seats]
    if len(set(first.bots)) > 1:
        wins = [f"won by the bot {name}" for name in dict.fromkeys(first.bots)]
    _bars(panels[0], "who wins", found, [*wins, "ties"])
    ways = list(dict.fromkeys(f"ended by {way}" for _, sim in found for way in list(sim.ways)[:6]))
    _bars(panels[1], "how it ends", found, ways)
    _lengths(panels[2], found)
    for panel, name in zip(panels[3:], ("options at a question", "lead changes"), strict=True):
        _bars(panel, f"{name}, on average", found, [name])
        panel.set_xticks([])
    if len(found) > 1:
        figure.legend(*panels[0].get_legend_handles_labels(), loc="outside lower center", ncols=len(COLOURS))
    pyplot.savefig(path, dpi=110)
    pyplot.close(figure)


def _bars(panel: Any, title: str, found: Sequence[tuple[str, Simulation]], names: Sequence[str]) -> None:
    """Bars with their intervals, grouped by figure."""
    panel.set_title(title)
    width = 0.8 / len(found)
    known = [{figure.name: figure for figure in sim.figures()} for _, sim in found]
    names = [name for name in names if any(name in figures for figures in known)]
    percent = any(figures[name].share for figures in known for name in names if name in figures)
    for place, ((label, _), figures) in enumerate(zip(found, known, strict=True)):
        shown = [(number, figures[name]) for number, name in enumerate(names) if name in figures]
        times = 100 if percent else 1
        panel.bar(
            [number + place * width for number, _ in shown],
            [times * figure.value for _, figure in shown],
            width * 0.95,
            yerr=[
                [times * (figure.value - figure.low) for _, figure in shown],
                [times * (figure.high - figure.value) for _, figure in shown],
            ],
            capsize=3,
            label=label,
            color=COLOURS[place % len(COLOURS)],
        )
    texts = [name.replace("won by the bot ", "").replace("won by ", "").replace("ended by ", "") for name in names]
    panel.set_xticks(
        [number + 0.4 - width / 2 for number in range(len(names))], texts, rotation=12 if len(names) > 3 else 0
    )
    if percent:
        panel.set_ylabel("% of games")


def _lengths(panel: Any, found: Sequence[tuple[str, Simulation]]) -> None:
    """How many games were how long."""
    panel.set_title("answers a game")
    lengths = [[game.answers for game in sim.over] for _, sim in found]
    labels = [label for label, _ in found]
    if any(lengths):
        colours = [COLOURS[place % len(COLOURS)] for place in range(len(found))]
        least, most = min(map(min, filter(None, lengths))), max(map(max, filter(None, lengths)))
        width = max(1, math.ceil((most - least + 1) / BINS))
        panel.hist(lengths, bins=range(least, most + width + 1, width), align="left", label=labels, color=colours)
    panel.set_ylabel("games")
