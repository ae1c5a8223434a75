"""What can go wrong at a table, as exceptions that carry values: nothing is ever half done when one of them is raised."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from interpreter.explain import Explanation, Reason
    from interpreter.log import Log
    from interpreter.position import Position


class MachineError(Exception):
    """The base of everything that the machine raises."""


class ValueProblem(MachineError, ValueError):
    """A value that does not fit its type, or text that is no value.

    `where` names the place (`at`, `hand[marauder]`, `answer`), `what` says what is wrong with it.
    """

    def __init__(self, where: str, what: str) -> None:
        self.where = where
        self.what = what
        super().__init__(f"{where}: {what}" if where else what)


class IllegalMove(MachineError):
    """A move that the rules do not allow. The match is as it was before.

    `explanation` says everything, `reasons` are the failed guards in order; the message is the first one's sentence.
    """

    def __init__(self, explanation: Explanation) -> None:
        self.explanation = explanation
        super().__init__(f"not possible: {explanation.summary}")

    @property
    def reasons(self) -> tuple[Reason, ...]:
        return self.explanation.reasons


class UndoRefused(MachineError):
    """An undo, redo or branch that may not be made here; `reason` says why."""

    def __init__(self, reason: str) -> None:
        self.reason = reason
        super().__init__(reason)


class RulesError(MachineError):
    """The rules themselves fail: a dead end, a value out of range, a broken invariant, and so on.

    The match stays where it was before the answer. `kind` is a stable word ("dead end", "out of range", "invariant", ...),
    `clause` the declaration at fault, `file`, `line` and `column` its place in the rules (0 where unknown), `seat` and
    `answer` what was being answered (None while the game is set up), `before` the position before the answer.
    """

    def __init__(
        self,
        kind: str,
        detail: str,
        *,
        clause: str = "",
        file: str = "",
        line: int = 0,
        column: int = 0,
        seat: str | None = None,
        answer: str | None = None,
        before: Position | None = None,
        log: Log | None = None,
    ) -> None:
        self.kind = kind
        self.detail = detail
        self.clause = clause
        self.file = file
        self.line = line
        self.column = column
        self.seat = seat
        self.answer = answer
        self.before = before
        self.log = log
        super().__init__(self._message())

    def _message(self) -> str:
        place = f" at {self.file}:{self.line}" if self.line else ""
        clause = f" in {self.clause}" if self.clause else ""
        answer = f" (after {self.seat} {self.answer})" if self.answer else ""
        detail = f": {self.detail}" if self.detail and self.detail != self.kind else ""
        return f"{self.kind}{detail}{clause}{place}{answer}"

    def save(self, path: str | Path) -> None:
        """Write a log that leads to the position before, and names the answer and the draws that fail there.

        Raises:
            OSError: the file cannot be written.
            ValueError: the error was met outside a match, so that there is no log.
        """
        if self.log is None:
            raise ValueError("this error was met outside a match: there is no log of it")
        self.log.save(path)


class LogError(MachineError):
    """A log that cannot be read or does not belong to these rules.

    `kind` is "torn" (only the end is incomplete), "altered", "program" (played with other rules), "format", "replay" (the rules
    do not do what it says), "conflict" (see `Conflict`), "closed" or "busy"; `record` is the number of the record at fault, -1
    for the header, None where no single record is.
    """

    def __init__(self, kind: str, what: str, record: int | None = None, path: str = "") -> None:
        self.kind = kind
        self.what = what
        self.record = record
        self.path = path
        place = {None: "", -1: "header: "}.get(record, f"record {record}: ")
        super().__init__(f"{path + ': ' if path else ''}{place}{what}")


class Conflict(LogError):
    """Lines that may not be appended: another writer was faster. Nothing has changed.

    `expected` is how many lines the writer knew, `found` how many there are.
    """

    def __init__(self, expected: int, found: int, where: str) -> None:
        self.expected = expected
        self.found = found
        missing = f"there are {found} lines where {expected} were expected"
        super().__init__("conflict", f"somebody else has written to this log ({missing})", None, where)
