"""The four rooms: imports go leftwards only."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
ROOMS = ("rulesdsl", "interpreter", "playtest", "table")
MODULES = sorted(path for room in ROOMS for path in (ROOT / room).rglob("*.py"))


def imported_rooms(path: Path) -> set[str]:
    """The rooms that a module imports from, anywhere in it, also inside functions and under TYPE_CHECKING."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"), filename=str(path))):
        if isinstance(node, ast.Import):
            found |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found.add(node.module.partition(".")[0])
    return found & set(ROOMS)


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_imports_go_leftwards_only(path: Path) -> None:
    room = path.relative_to(ROOT).parts[0]
    allowed = set(ROOMS[: ROOMS.index(room) + 1])
    assert imported_rooms(path) <= allowed, f"{room}/ may import from {', '.join(sorted(allowed))} only"


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_relative_imports(path: Path) -> None:
    """An import says which room it comes from."""
    nodes = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    assert not [node.lineno for node in nodes if isinstance(node, ast.ImportFrom) and node.level]


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_module_says_what_it_is_for(path: Path) -> None:
    assert ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))


PASSES = ("parsing", "formatting", "boards", "naming", "lowering", "secrecy", "checking", "variants")
LANGUAGE = sorted((ROOT / "rulesdsl").rglob("*.py"))


def imported_passes(path: Path) -> set[str]:
    """The folders of the language that a module imports from when it is imported itself."""
    found = set()
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("rulesdsl."):
            found.add(node.module.split(".")[1])
        elif isinstance(node, ast.ImportFrom) and node.module == "rulesdsl":
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.Import):
            found |= {alias.name.split(".")[1] for alias in node.names if alias.name.startswith("rulesdsl.")}
    return found


@pytest.mark.parametrize("path", LANGUAGE, ids=lambda path: str(path.relative_to(ROOT)))
def test_passes_of_the_language_know_those_before_them_only(path: Path) -> None:
    """So that they can be read in this order. A back end knows `core`, and nothing of how it came about."""
    folder = path.relative_to(ROOT / "rulesdsl").parts[0]
    if folder == "python":
        allowed = {"core", "diagnostics", "lowering", "points", "python", "runtime", "types"}
        assert imported_passes(path) <= allowed
    elif folder in PASSES:
        later = {"python", *PASSES[PASSES.index(folder) + 1 :]}
        assert not imported_passes(path) & later


def test_the_folders_of_the_language_are_the_passes() -> None:
    assert {path.parent.name for path in LANGUAGE} == {"rulesdsl", "python", *PASSES}


def test_the_language_has_no_clock_and_no_dice() -> None:
    """`rulesdsl` is pure: the same text gives the same program, always."""
    forbidden = {"random", "time", "datetime", "secrets"}
    for path in sorted((ROOT / "rulesdsl").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [a.name for a in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            assert not {name.partition(".")[0] for name in names} & forbidden, path
