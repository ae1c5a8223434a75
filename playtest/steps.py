"""Work that says how far it is: a generator of progress, which gives its result at the end."""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import TypeVar

Progress = TypeVar("Progress")
Result = TypeVar("Result")


def finished(steps: Generator[Progress, None, Result], tell: Callable[[Progress], object] | None = None) -> Result:
    """The result of the work, which is done to its end; each step is told, if somebody wants to know."""
    while True:
        try:
            step = next(steps)
        except StopIteration as stop:
            result: Result = stop.value
            return result
        if tell is not None:
            tell(step)
