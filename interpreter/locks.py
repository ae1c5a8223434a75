"""A lock on an open file that other processes respect, where the system has one."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

if sys.platform == "win32":
    import msvcrt
    import os

    @contextmanager
    def locked(handle: int) -> Iterator[None]:
        """Hold the lock of a file; waits until nobody else has it."""
        os.lseek(handle, 1 << 40, os.SEEK_SET)
        msvcrt.locking(handle, msvcrt.LK_LOCK, 1)
        try:
            yield
        finally:
            os.lseek(handle, 1 << 40, os.SEEK_SET)
            msvcrt.locking(handle, msvcrt.LK_UNLCK, 1)

else:
    import fcntl

    @contextmanager
    def locked(handle: int) -> Iterator[None]:
        """Hold the lock of a file; waits until nobody else has it."""
        fcntl.flock(handle, fcntl.LOCK_EX)
        try:
            yield
        finally:
            fcntl.flock(handle, fcntl.LOCK_UN)


__all__ = ["locked"]
