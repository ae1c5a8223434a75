"""Logs as plain text, for people: who answered what, and what happened, line by line."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from interpreter.view import REFEREE, Viewer

if TYPE_CHECKING:
    from interpreter.match import Match


def transcript(match: Match, viewer: Viewer = REFEREE) -> str:
    """The story of a match as a viewer may read it, a line for each answer and each sentence; undone answers are not in it.

    Raises:
        ValueProblem: there is no such seat.
    """
    return "".join(line + "\n" for line in _lines(match, viewer))


def _lines(match: Match, viewer: Viewer) -> Iterator[str]:
    rules, header = match.rules, match.log.header
    yield rules.program.title
    yield f"seats: {', '.join(rules.seats)}"
    if header.params:
        yield "parameters: " + ", ".join(f"{name} = {value}" for name, value in header.params.items())
    yield f"program: {header.digest}"
    if viewer is not REFEREE:
        yield f"as {viewer or 'a spectator'} sees it"
    for number in range(match.number + 1):
        position = match.at(number)
        yield ""
        if position.node.move is None:
            yield "set-up"
        else:
            seat, move = rules.seats[position.node.seat], rules.move(position.node.move)
            yield f"{number}. {seat}" + (f" {move}" if viewer in (REFEREE, seat) else "")
        yield from (f"   {sentence}" for sentence in position.narrate(number - 1, viewer))
    yield ""
    yield str(match.outcome or "the game goes on")
