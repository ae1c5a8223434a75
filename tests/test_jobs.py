"""Work in several processes: the order of its results, what goes wrong in them, and how they end."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from playtest.jobs import in_order

CHILDREN = Path("/proc/self/task")


def double(number: int) -> int:
    """Small numbers take longer, so that results come in another order than they are wanted."""
    time.sleep(0.02 * (5 - number))
    return 2 * number


def fail(number: int) -> int:
    if number == 3:
        raise LookupError(f"no {number}")
    return number


def vanish(number: int) -> int:
    os._exit(number)


def test_results_come_in_order_whatever_the_number_of_processes() -> None:
    assert list(in_order(double, range(5), 1)) == list(in_order(double, range(5), 3)) == [0, 2, 4, 6, 8]


@pytest.mark.parametrize("jobs", [1, 2])
def test_an_error_comes_through_after_what_was_done_before_it(jobs: int) -> None:
    found = in_order(fail, range(9), jobs)
    assert next(found) == 0
    with pytest.raises(LookupError, match="no 3"):
        list(found)


def test_a_process_that_dies_is_told() -> None:
    with pytest.raises(RuntimeError, match="a process has died"):
        list(in_order(vanish, range(1, 9), 2))


def children(pid: int) -> int:
    try:
        return len(Path(f"/proc/{pid}/task/{pid}/children").read_text().split())
    except FileNotFoundError:
        return 0


@pytest.mark.skipif(not CHILDREN.is_dir(), reason="asks Linux for the processes")
@pytest.mark.parametrize("later", [0.0, 0.05, 0.2, 0.6])
@pytest.mark.parametrize("command", ["fuzz tic_tac_toe --seconds 60", "simulate tic_tac_toe --games 100000"])
def test_an_interrupt_while_processes_start_shows_no_traceback_of_theirs(
    command: str, later: float, tmp_path: Path
) -> None:
    """As ctrl-C does, it comes to all processes of the terminal; a child is one more than the one that tracks resources."""
    # What is started in the background ignores interrupts, and so would what it starts.
    started = subprocess.Popen(
        [sys.executable, "-m", "table.command", *command.split(), "--jobs", "2"],
        cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parent.parent)},
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )  # fmt: skip
    try:
        while children(started.pid) < 2 and started.poll() is None:
            time.sleep(0.005)
        time.sleep(later)
        os.killpg(started.pid, signal.SIGINT)
        _, err = started.communicate(timeout=60)
    finally:
        if started.poll() is None:
            os.killpg(started.pid, signal.SIGKILL)
    assert (started.returncode, err.strip()) == (130, "stopped")
