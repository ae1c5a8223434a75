"""The language, tested in the language: each chunk of `language/*.rules` checks with exactly the mistakes that it marks."""

from pathlib import Path

import pytest
from chunks import Chunk, chunks, differences

from rulesdsl.diagnostics import render
from rulesdsl.program import check_source

FILES = sorted(path for path in (Path(__file__).parent / "language").glob("*.rules") if path.stem != "identity_variant")
CHUNKS = [chunk for path in FILES for chunk in chunks(path)]


@pytest.mark.parametrize("chunk", CHUNKS, ids=lambda chunk: chunk.name)
def test_a_chunk_has_the_mistakes_that_it_marks(chunk: Chunk):
    wrong = differences(chunk)
    assert not wrong, "\n".join([*wrong, "", render(check_source(chunk.source))])


def test_at_least_a_third_of_the_chunks_must_fail():
    assert sum(bool(chunk.marks) for chunk in CHUNKS) >= len(CHUNKS) / 3
