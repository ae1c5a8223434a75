"""Looks for a shorter game that breaks the same law: games that may last only so long, then twice as long, and so on.

A long game is mostly beside the point, and taking things away from it costs a replay each time. Short games are cheap, and
habits and an archive lead them to the same place by a straighter way (`playtest.swarm`, `playtest.archive`).
"""

from __future__ import annotations

from playtest.archive import Archive
from playtest.chunks import Plan, Player, tasks
from playtest.failure import Failure
from playtest.plies import Loaded
from playtest.rollout import Arena
from playtest.steps import finished

SHORTEST = 15
EACH = 25_000
"""Plies that are played for each length."""


def shorter(loaded: Loaded, kind: tuple[str, str], most: int) -> tuple[Failure | None, int]:
    """A game with fewer than `most` answers that breaks a law in the way `kind`, None where none is found; how many games were
    tried. The result depends on the arguments alone."""
    arena, tried, limit = Arena(loaded, archive=True), 0, SHORTEST
    while limit < most:
        player = Player(arena, Plan(seed=limit, max_choices=limit, rechecked=0, logs=False))
        found, games = _within(player, kind)
        tried += games
        if found is not None:
            return found, tried
        limit *= 2
    return None, tried


def _within(player: Player, kind: tuple[str, str]) -> tuple[Failure | None, int]:
    """The first game that breaks the law; games that break another one are passed over."""
    archive, games, plies = Archive(), 0, 0
    for chunks in tasks(None, None):
        for task in chunks:
            chunk = finished(player.chunk(task, archive))
            games += chunk.games
            plies += chunk.choices + chunk.draws
            if chunk.failure is not None and chunk.failure.kind == kind:
                return chunk.failure, games
            for entry in chunk.entries:
                archive.add(entry)
            archive.known.update(chunk.known)
        if plies > EACH:
            break
    return None, games
