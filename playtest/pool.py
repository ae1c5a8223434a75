"""Chunks of fuzzing on several processes.

Each process makes its own arena from the text of the rules and keeps a copy of the archive, to which the parent tells what
is new. A chunk's result does not depend on the process that plays it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from attrs import evolve, frozen

from playtest.archive import Archive, Entry, Key
from playtest.chunks import Chunk, Plan, Player, Task
from playtest.jobs import Workers, workers
from playtest.rollout import Arena
from playtest.steps import finished
from rulesdsl.diagnostics import Source
from rulesdsl.program import load_source


@frozen
class News:
    """What was added to the archive: entries, and what has been seen."""

    entries: tuple[Entry, ...] = ()
    known: frozenset[Key] = frozenset()

    def tell(self, archive: Archive) -> None:
        """Add it to an archive."""
        for entry in self.entries:
            archive.add(entry)
        archive.known.update(self.known)


class Pool:
    """Processes that play chunks of one program."""

    def __init__(self, made: Workers, jobs: int) -> None:
        self.workers = made
        self.told = [0] * jobs
        self.news: list[News] = []

    def tell(self, news: News) -> None:
        """What was added to the archive, for all processes."""
        self.news.append(news)

    def play(self, tasks: Sequence[Task]) -> Iterator[tuple[int, Chunk]]:
        """The chunks of one round with their numbers, as they are done.

        Raises:
            RuntimeError: a process has died.
        """
        for number, answer in self.workers.answers(tasks, self._message):
            yield number, answer.result()

    def _message(self, worker: int, task: Task) -> tuple[list[News], Task]:
        """A task with what its process has not been told yet."""
        news = self.news[self.told[worker] :]
        self.told[worker] = len(self.news)
        return news, task


@contextmanager
def pool(source: Source, params: dict[str, Any], seats: int, plan: Plan) -> Iterator[Pool]:
    """A pool whose processes are ended at the end, whatever happens."""
    mine = evolve(plan, observe=None, logs=bool(plan.logs), corpus=None)
    with workers(plan.jobs, _player, source, params, seats, mine) as made:
        yield Pool(made, plan.jobs)


def _player(
    source: Source, params: dict[str, Any], seats: int, plan: Plan
) -> Callable[[tuple[Sequence[News], Task]], Chunk]:
    """What a process plays its tasks with."""
    player = Player(Arena(load_source(source, params, seats), plan.archive), plan)
    archive = Archive()

    def play(message: tuple[Sequence[News], Task]) -> Chunk:
        told, task = message
        for news in told:
            news.tell(archive)
        return finished(player.chunk(task, archive))

    return play
