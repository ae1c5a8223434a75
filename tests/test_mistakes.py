"""Every mistake planted in a whole game is told once, at its place, with what to do about it (see `planted`)."""

from pathlib import Path

import pytest
from planted import BASE, FOLDER, Mistake, mistakes, told_by

from rulesdsl.diagnostics import Source, as_json, render
from rulesdsl.program import check_source

PLANTED = [(path, mistake) for path in sorted(FOLDER.glob("*.mistakes")) for mistake in mistakes(path)]
NAMES = [f"{path.stem}: {mistake.title}" for path, mistake in PLANTED]


def test_the_game_itself_has_no_mistake():
    assert check_source(Source("harbour.rules", BASE.read_text(encoding="utf-8"))) == ()


def test_there_are_many_mistakes_of_many_kinds():
    codes = {told.code for _, mistake in PLANTED for told in mistake.told}
    assert len(PLANTED) >= 60
    assert len(codes) >= 30
    assert len(set(NAMES)) == len(NAMES)


@pytest.mark.parametrize(("path", "mistake"), PLANTED, ids=NAMES)
def test_a_mistake_is_told(path: Path, mistake: Mistake):
    found = mistake.found
    assert tuple(map(told_by, found)) == mistake.told, render(found)


@pytest.mark.parametrize(("path", "mistake"), PLANTED, ids=NAMES)
def test_a_message_fits_on_a_screen(path: Path, mistake: Mistake):
    found = mistake.found
    assert found
    plain = render(found)
    source = [line for line in plain.split("\n") if not line.startswith(("error", "warning"))]
    assert all(len(line) <= 80 for line in source), plain
    assert strip_colours(render(found, colour=True)) == plain
    assert all(as_json(item)["line"] == told_by(item).line for item in found)


def strip_colours(text: str) -> str:
    import re

    return "\n".join(line.rstrip() for line in re.sub(r"\x1b\[[0-9;]*m", "", text).split("\n"))
