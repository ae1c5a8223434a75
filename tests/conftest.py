"""Fixtures that several test modules use."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from attrs import frozen

from table.command import main


@frozen
class Ran:
    """How a command ended."""

    code: int
    out: str
    err: str


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., Ran]:
    """Runs the command in an empty folder, with `typed` at its prompt."""
    monkeypatch.chdir(tmp_path)
    for name in ("NO_COLOR", "FORCE_COLOR", "COLUMNS"):
        monkeypatch.delenv(name, raising=False)

    def run_command(*arguments: str, typed: str = "") -> Ran:
        monkeypatch.setattr(sys, "stdin", io.StringIO(typed))
        with pytest.raises(SystemExit) as stopped:
            main(list(arguments))
        out, err = capsys.readouterr()
        assert "Traceback" not in out + err
        assert "internal error" not in err, err
        return Ran(int(stopped.value.code or 0), out, err)

    return run_command
