"""Chunks of fuzzing on several processes.

Each process makes its own arena from the text of the rules and keeps a copy of the archive, to which the parent tells what
is new. A chunk's result does not depend on the process that plays it.
"""

from __future__ import annotations

import multiprocessing
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection, wait
from typing import Any

from attrs import evolve, frozen

from playtest.archive import Archive, Entry, Key
from playtest.chunks import Chunk, Plan, Player, Task
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

    def __init__(self, source: Source, params: dict[str, Any], seats: int, plan: Plan) -> None:
        context = multiprocessing.get_context("spawn")
        self.workers: list[tuple[Any, Connection]] = []
        mine = evolve(plan, observe=None, logs=bool(plan.logs), corpus=None)
        for _ in range(plan.jobs):
            here, there = context.Pipe()
            process = context.Process(target=_work, args=(there, source, params, seats, mine), daemon=True)
            process.start()
            there.close()
            self.workers.append((process, here))
        self.told = [0] * plan.jobs
        self.news: list[News] = []

    def tell(self, news: News) -> None:
        """What was added to the archive, for all processes."""
        self.news.append(news)

    def play(self, tasks: list[Task]) -> Iterator[tuple[int, Chunk]]:
        """The chunks of one round with their numbers, as they are done.

        Raises:
            RuntimeError: a process has died.
        """
        waiting = list(enumerate(tasks))
        busy: dict[Connection, int] = {}
        idle = list(range(len(self.workers)))
        while waiting or busy:
            while waiting and idle:
                number, task = waiting.pop(0)
                worker = idle.pop(0)
                connection = self.workers[worker][1]
                connection.send((self.news[self.told[worker] :], task))
                self.told[worker] = len(self.news)
                busy[connection] = number
            for ready in wait(list(busy)):
                assert isinstance(ready, Connection)
                number = busy.pop(ready)
                idle.append(next(i for i, (_, connection) in enumerate(self.workers) if connection is ready))
                yield number, _received(ready)

    def close(self) -> None:
        """End all processes."""
        for process, connection in self.workers:
            connection.close()
            process.terminate()
            process.join()


def _received(connection: Connection) -> Chunk:
    try:
        answer = connection.recv()
    except EOFError:
        raise RuntimeError("a fuzzing process has died; with --jobs 1 its message is shown") from None
    if isinstance(answer, Exception):
        raise answer
    assert isinstance(answer, Chunk)
    return answer


@contextmanager
def pool(source: Source, params: dict[str, Any], seats: int, plan: Plan) -> Iterator[Pool]:
    """A pool that is closed at the end, whatever happens."""
    made = Pool(source, params, seats, plan)
    try:
        yield made
    finally:
        made.close()


def _work(connection: Connection, source: Source, params: dict[str, Any], seats: int, plan: Plan) -> None:
    """A process: plays one task after the other until its parent is gone."""
    try:
        player = Player(Arena(load_source(source, params, seats), plan.archive), plan)
        archive = Archive()
        while True:
            told, task = connection.recv()
            for news in told:
                news.tell(archive)
            connection.send(finished(player.chunk(task, archive)))
    except (EOFError, KeyboardInterrupt, BrokenPipeError, ConnectionResetError):
        return
    except Exception as error:
        connection.send(error)
