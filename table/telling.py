"""What has happened, and what can be said about a move, as styled lines."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from rich.text import Text

from playtest.drawing.glyphs import Glyphs
from table.console import width

if TYPE_CHECKING:
    from interpreter.explain import Explanation, Reason
    from interpreter.match import Match
    from interpreter.position import Position
    from interpreter.rules import Rules
    from interpreter.view import Viewer


def in_colours(rules: Rules, text: str) -> Text:
    """A sentence with the names of the seats in their colours."""
    line = Text(text)
    for name, style in zip(rules.seats, Glyphs(rules.player).seat_styles, strict=True):
        line.highlight_regex(rf"\b{re.escape(name)}\b", style)
    return line


def title_lines(title: str, rules: Rules, notes: Mapping[str, str], log: str) -> list[Text]:
    """The game, who has which seat, and where the log goes; `notes` are said of the seats."""
    seats = ", ".join(f"{seat} ({notes[seat]})" if seat in notes else seat for seat in rules.seats)
    head = Text(title, style="bold").append(" · ", style="not bold dim").append_text(in_colours(rules, seats))
    where = Text(f"log: {log}" if log else "", style="dim")
    if head.cell_len + where.cell_len + 3 > width() and where:
        return [head, where, Text()]
    return [head.append(" · " if where else "", style="not bold dim").append_text(where), Text()]


def story(match: Match, since: int, viewer: Viewer) -> list[Text]:
    """What followed each answer after `since`, each with its number; -1: the set-up too."""
    numbers = range(max(0, since + 1), match.number + 1)
    return [line for number in numbers for line in chapter(match.at(number), viewer)]


def chapter(position: Position, viewer: Viewer) -> list[Text]:
    """The sentences of what followed one answer. A pass is told alike whether it was chosen or all that was left: which of
    the two may be a secret of the hand."""
    from interpreter.node import events_of
    from interpreter.view import sentence
    from playtest.plies import PASS

    rules, node = position.rules, position.node
    told = [text for event in events_of(node) if (text := sentence(rules, event, viewer)) is not None]
    if not told and node.move is not None:
        told = [f"{rules.seats[node.seat]} {'passes' if node.move == PASS else 'has answered'}"]
    heads = [f"{position.number:>4}  " if position.number else "      ", *["      "] * len(told)]
    return [
        Text(head, style="dim").append_text(in_colours(rules, text)) for head, text in zip(heads, told, strict=False)
    ]


def explained(explanation: Explanation) -> list[Text]:
    """An explanation: what refuses a move, where that stands in the rules, and the values that decided."""
    if explanation.legal:
        return [Text(f"{explanation.move} is legal.")]
    lines = [Text(f"{explanation.move} is refused by")]
    label = max(len(reason.guard) for reason in explanation.reasons) + 2
    for reason in explanation.reasons:
        lines += _reason(reason, label)
    if explanation.holds:
        verb = "holds" if len(explanation.holds) == 1 else "hold"
        lines.append(Text(f"{', '.join(explanation.holds)} {verb}.", style="dim"))
    return lines


def _reason(reason: Reason, label: int) -> list[Text]:
    """One reason: its name, its sentence, its place (beside the sentence, if there is room), and the values in it."""
    sentence = f'"{reason.sentence}"' if reason.guard else reason.sentence
    line = Text(f"  {reason.guard}".ljust(label + 2)).append(sentence, style="bold")
    place = "   ".join(part for part in (f"{reason.file}:{reason.line}" if reason.line else "", reason.section) if part)
    lines = [line]
    if place and line.cell_len + 3 + len(place) <= width() - 2:
        line.append(f"   {place}", style="dim")
    elif place:
        lines.append(Text(" " * (label + 2)).append(place, style="dim"))
    return [*lines, *(Text(" " * (label + 2) + f"{text} is {value}") for text, value in reason.values)]


def ending(match: Match) -> list[Text]:
    """The result, and the measures of the game."""
    outcome = match.outcome
    if outcome is None:
        return [Text("the game is not over")]
    lines = [in_colours(match.rules, str(outcome))]
    lines[0].stylize("bold")
    for name, values in measures(match).items():
        told = ", ".join(f"{seat} {value}" for seat, value in values.items())
        lines.append(Text(f"  {name.replace('_', ' ')}: ", style="dim").append_text(in_colours(match.rules, told)))
    return lines


def measures(match: Match) -> dict[str, dict[str, Any]]:
    """What the rules' measures say of each seat now."""
    rules, st = match.rules, match.position.node.st
    return {
        info.name: {seat: rules.module.MEASURES[info.name](st, index) for index, seat in enumerate(rules.seats)}
        for info in rules.program.measures
    }
