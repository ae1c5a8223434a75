"""What failing tests of Hypothesis leave: the smallest failing match as a log, and its answers in the report of the test."""

from __future__ import annotations

import os
import re
from pathlib import Path
from weakref import WeakKeyDictionary

from hypothesis import note
from hypothesis.control import BuildContext, current_build_context

from interpreter.log import Log
from interpreter.rules import Rules
from playtest.folders import FUZZ
from playtest.logs import plies_of
from playtest.report import listed, tell

FOLDER = Path(FUZZ)
LONGEST_NAME = 100

_KEPT: WeakKeyDictionary[BuildContext, int] = WeakKeyDictionary()
"""How many logs each run of a test has kept."""


def keep(rules: Rules, log: Log, name: str) -> None:
    """In the last run of a failing test: save a log, tell its answers, and say where it is.

    The log is called after the test that pytest runs, or as `name` says; a second log of the same run gets a number.

    Raises:
        OSError: the log cannot be written.
    """
    context = current_build_context()
    if not context.is_final:
        return
    number = _KEPT[context] = _KEPT.get(context, 0) + 1
    FOLDER.mkdir(parents=True, exist_ok=True)
    path = FOLDER / f"{_test() or name}{f'-{number}' if number > 1 else ''}.jsonl"
    log.save(path)
    note("\n".join(listed(tell(rules, plies_of(rules, log)))))
    note(f"log: {path}   rulesdsl replay {path} --with-own-rules")


def _test() -> str:
    """The test that pytest runs, as a part of a path: its file, its name and its parameters; empty without pytest."""
    running = os.environ.get("PYTEST_CURRENT_TEST", "").rpartition(" ")[0].rpartition("/")[2]
    return "-".join(re.findall(r"[\w.]+", running.replace(".py::", "::")))[:LONGEST_NAME]
