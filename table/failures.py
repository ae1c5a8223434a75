"""What goes wrong, said to a person: every error that the language and the machine know becomes a message, never a traceback."""

from __future__ import annotations

import os
import traceback
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rulesdsl.diagnostics import Diagnostic, RulesFileError
from table.console import complain, say_diagnostics
from table.files import free_path, shown, typed

if TYPE_CHECKING:
    from interpreter.errors import RulesError

FOUND = 1
MISUSED = 2
OURS = 70


def explain(error: Exception) -> int:
    """Print the message for an error and give the exit code."""
    if isinstance(error, RulesFileError):
        return _rules_file(error.diagnostics)
    if isinstance(error, OSError):
        complain(f"error: {error.strerror or error}" + (f": {error.filename}" if error.filename else ""))
        return FOUND
    if isinstance(error, UnicodeDecodeError):
        complain(f"error: the file is not UTF-8 text ({error.reason} at byte {error.start})")
        return FOUND
    return _machine(error)


def _rules_file(diagnostics: Sequence[Diagnostic]) -> int:
    say_diagnostics(diagnostics, err=True)
    return FOUND


def _machine(error: Exception) -> int:
    from interpreter.errors import LogError, MachineError, RulesError, ValueProblem

    if not isinstance(error, MachineError):
        return _ours(error)
    if isinstance(error, RulesError):
        _rules_fail(error)
    elif isinstance(error, LogError):
        complain(f"refused: {error}")
    elif isinstance(error, ValueProblem):
        complain(f"error: {error}")
        return MISUSED
    else:
        complain(f"error: {error}")
    return FOUND


def _rules_fail(error: RulesError) -> None:
    """What the rules failed at: the message, the line of the rules, and a log that does it again."""
    complain(f"the rules fail: {error}")
    line = _source_line(error)
    if line.strip():
        complain(f"  {error.line} │ {line}")
        complain(f"  {' ' * len(str(error.line))} │ {' ' * (error.column - 1)}^")
    if error.log is not None:
        path = free_path(Path(f"{error.log.header.game}-fault.jsonl"))
        error.save(path)
        complain(f"saved   {shown(path)}")
        complain(f"replay  rulesdsl replay {typed(path)}")


def _source_line(error: RulesError) -> str:
    """The line of the rules where they fail, from the log's copy of them."""
    rules = (error.log.header.rules if error.log is not None else None) or {}
    lines = rules.get(error.file, "").splitlines()
    return lines[error.line - 1] if 0 < error.line <= len(lines) else ""


def _ours(error: Exception) -> int:
    """A bug of rulesdsl itself."""
    if os.environ.get("RULESDSL_DEBUG"):
        traceback.print_exception(error)
    else:
        complain(f"internal error: {type(error).__name__}: {error}")
        complain("This is a bug of rulesdsl, not of your rules. RULESDSL_DEBUG=1 shows where it happened.")
    return OURS
