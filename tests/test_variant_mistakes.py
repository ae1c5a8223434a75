"""Every mistake planted in a variant is told in full, with the files that it is about (see `planted_variants`)."""

from pathlib import Path

import pytest
from planted_variants import FOLDER, Mistake, found, mistakes

from rulesdsl.diagnostics import as_json, render

PLANTED = [mistake for path in sorted(FOLDER.glob("*.mistakes")) for mistake in mistakes(path)]
NAMES = [mistake.title for mistake in PLANTED]


def test_there_are_many_mistakes():
    assert len(PLANTED) >= 40
    assert len(set(NAMES)) == len(NAMES)


@pytest.mark.parametrize("mistake", PLANTED, ids=NAMES)
def test_a_mistake_is_told(mistake: Mistake, tmp_path: Path):
    diagnostics = found(mistake, tmp_path)
    told = render(diagnostics)
    assert told == mistake.told, told
    assert diagnostics
    assert all(as_json(item)["file"] == item.span.source.name for item in diagnostics)


@pytest.mark.parametrize("mistake", PLANTED, ids=NAMES)
def test_a_message_fits_on_a_screen(mistake: Mistake):
    lines = [line for line in mistake.told.split("\n") if not line.startswith(("error", "warning"))]
    assert all(len(line) <= 80 for line in lines)
