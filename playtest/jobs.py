"""Work in several processes, with the same result whatever their number.

Only the process that began hears ctrl-C; it ends the others, which say nothing of their own.
"""

from __future__ import annotations

import multiprocessing
import pickle
import signal
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection, wait
from typing import Any, TypeVar

from attrs import frozen

Piece = TypeVar("Piece")
Done = TypeVar("Done")


def in_order(work: Callable[[Piece], Done], pieces: Sequence[Piece], jobs: int) -> Iterator[Done]:
    """The results for all pieces, in order, as soon as they are there.

    Args:
        work: a function of a module, not a lambda; what it is given and gives back is sent between processes.
        jobs: how many processes; with 1 everything is done in this one.
    Raises:
        RuntimeError: a process has died.
    """
    if jobs <= 1 or len(pieces) <= 1:
        yield from map(work, pieces)
        return
    early: dict[int, Answer] = {}
    wanted = 0
    with workers(min(jobs, len(pieces)), _as_it_is, work) as made:
        for number, answer in made.answers(pieces, lambda _, piece: piece):
            early[number] = answer
            while wanted in early:
                yield early.pop(wanted).result()
                wanted += 1


def _as_it_is(work: Callable[[Piece], Done]) -> Callable[[Piece], Done]:
    return work


@frozen
class Answer:
    """What came of a piece: what was done, or the error with which it failed."""

    done: Any = None
    error: Exception | None = None

    def result(self) -> Any:
        """What was done.

        Raises:
            Exception: the error, if there was one.
        """
        if self.error is not None:
            raise self.error
        return self.done


class Workers:
    """Processes that each make a function by `prepare(*given)`, and call it with one message after the other.

    `prepare` is a function of a module; what goes from one process to the other is pickled.
    """

    def __init__(self, jobs: int, prepare: Callable[..., Callable[[Any], Any]], *given: Any) -> None:
        context = multiprocessing.get_context("spawn")
        self._all: list[tuple[Any, Connection]] = []
        try:
            with _interrupts_held():  # the processes inherit it
                for _ in range(jobs):
                    here, there = context.Pipe()
                    process = context.Process(target=_work, args=(there, prepare, given), daemon=True)
                    process.start()
                    there.close()
                    self._all.append((process, here))
        except BaseException:
            self.close()
            raise

    def answers(self, pieces: Sequence[Any], message: Callable[[int, Any], Any]) -> Iterator[tuple[int, Answer]]:
        """What comes of the pieces, with their numbers, as they are done. `message` makes what a process, given by its number,
        is sent for a piece.

        Raises:
            RuntimeError: a process has died.
        """
        waiting = list(enumerate(pieces))
        busy: dict[Connection, int] = {}
        idle = list(range(len(self._all)))
        while waiting or busy:
            while waiting and idle:
                number, piece = waiting.pop(0)
                worker = idle.pop(0)
                connection = self._all[worker][1]
                _send(connection, message(worker, piece))
                busy[connection] = number
            for ready in wait(list(busy)):
                assert isinstance(ready, Connection)
                number = busy.pop(ready)
                idle.append(next(i for i, (_, connection) in enumerate(self._all) if connection is ready))
                yield number, _received(ready)

    def close(self) -> None:
        """End all processes, whatever they are at."""
        for process, connection in self._all:
            connection.close()
            process.terminate()
        for process, _ in self._all:
            process.join()
        self._all = []


@contextmanager
def workers(jobs: int, prepare: Callable[..., Callable[[Any], Any]], *given: Any) -> Iterator[Workers]:
    """Processes that are ended at the end, whatever happens."""
    made = Workers(jobs, prepare, *given)
    try:
        yield made
    finally:
        made.close()


_DIED = "a process has died; with --jobs 1 its message is shown"


def _send(connection: Connection, message: Any) -> None:
    try:
        connection.send(message)
    except (BrokenPipeError, ConnectionResetError):
        raise RuntimeError(_DIED) from None


def _received(connection: Connection) -> Answer:
    try:
        answer = connection.recv()
    except (EOFError, ConnectionResetError):
        raise RuntimeError(_DIED) from None
    assert isinstance(answer, Answer)
    return answer


@contextmanager
def _interrupts_held() -> Iterator[None]:
    """Ctrl-C waits until the end, and never comes to processes that are started meanwhile."""
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    resource_tracker.ensure_running()  # else it is started with the first process, and lets interrupts through again
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _work(connection: Connection, prepare: Callable[..., Callable[[Any], Any]], given: tuple[Any, ...]) -> None:
    """A process: does one piece after the other until its parent is gone."""
    work = None
    try:
        while True:
            message = connection.recv()
            try:
                work = work or prepare(*given)
                answer = Answer(work(message))
            except Exception as error:
                error.add_note(f"in another process:\n{traceback.format_exc()}")
                answer = Answer(error=error)
            try:
                connection.send(answer)
            except (TypeError, AttributeError, pickle.PicklingError) as error:  # it cannot be sent as it is
                failed = answer.error or error
                connection.send(Answer(error=RuntimeError(f"{type(failed).__name__}: {failed}")))
    except (EOFError, KeyboardInterrupt, BrokenPipeError, ConnectionResetError):
        return
