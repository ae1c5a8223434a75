"""Fixtures that several test modules use."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from attrs import frozen

from table.command import main


@pytest.fixture(scope="session", autouse=True)
def a_plain_terminal() -> Iterator[None]:
    """What commands print does not depend on the terminal that the tests are started from."""
    with pytest.MonkeyPatch.context() as patch:
        for name in ("NO_COLOR", "FORCE_COLOR", "COLUMNS", "LINES"):
            patch.delenv(name, raising=False)
        yield


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

    def run_command(*arguments: str, typed: str = "") -> Ran:
        monkeypatch.setattr(sys, "stdin", io.StringIO(typed))
        with pytest.raises(SystemExit) as stopped:
            main(list(arguments))
        out, err = capsys.readouterr()
        assert "Traceback" not in out + err
        assert "internal error" not in err, err
        return Ran(int(stopped.value.code or 0), out, err)

    return run_command
