"""What goes wrong, said to a person: every error that the language and the machine know becomes a message, never a traceback."""

from __future__ import annotations

from collections.abc import Sequence

from rulesdsl.diagnostics import Diagnostic, RulesFileError
from table.console import complain, say_diagnostics

FOUND = 1
MISUSED = 2


def explain(error: Exception) -> int | None:
    """Print the message for an error and give the exit code; None for an error that is a bug of ours."""
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


def _machine(error: Exception) -> int | None:
    from interpreter.errors import LogError, MachineError, RulesError, ValueProblem

    if not isinstance(error, MachineError):
        return None
    if isinstance(error, RulesError):
        complain(f"the rules fail: {error}")
    elif isinstance(error, LogError):
        complain(f"refused: {error}")
        complain(_log_remedy(error))
    elif isinstance(error, ValueProblem):
        complain(f"error: {error}")
        return MISUSED
    else:
        complain(f"error: {error}")
    return FOUND


def _log_remedy(error: Exception) -> str:
    kind = getattr(error, "kind", "")
    return {
        "torn": "The last line was not written to its end; `rulesdsl replay LOG --repair` cuts it off.",
        "program": "The log is intact and carries its own rules: `--with-own-rules` replays it.\n"
        "`--with-current-rules` shows where they part.",
    }.get(kind, "Nothing was read further than that record.")
