"""Work in several processes, with the same result whatever their number: fixed pieces, put together in order."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from typing import TypeVar

Piece = TypeVar("Piece")
Done = TypeVar("Done")


def in_order(work: Callable[[Piece], Done], pieces: Sequence[Piece], jobs: int) -> Iterator[Done]:
    """The results for all pieces, in order, as soon as they are there.

    Args:
        work: a function of a module, not a lambda; what it is given and gives back is sent between processes.
        jobs: how many processes; with 1 everything is done in this one.
    """
    if jobs <= 1 or len(pieces) <= 1:
        yield from map(work, pieces)
        return
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(min(jobs, len(pieces)), mp_context=context)
    try:
        yield from pool.map(work, pieces)
    finally:
        pool.shutdown(cancel_futures=True)  # and waits: at its end Python may not find the pipe of one that is still closing
