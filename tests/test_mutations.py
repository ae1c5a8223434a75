"""Whatever an author writes is answered with messages, never with an exception of ours."""

import os
from pathlib import Path

from chunks import chunks
from hypothesis import example, given, settings
from hypothesis import strategies as st

from rulesdsl.diagnostics import Source, as_json, render
from rulesdsl.parsing.raw import raw_tokens
from rulesdsl.program import check_source

HERE = Path(__file__).parent
TEXTS = [
    chunk.source.text.lstrip("\n") for path in sorted((HERE / "language").glob("*.rules")) for chunk in chunks(path)
]
TEXTS.append((HERE / "mistakes" / "harbour.rules").read_text(encoding="utf-8"))

many = settings(max_examples=3000 if os.environ.get("RULESDSL_LONG") == "1" else 120, deadline=None)


def places(text: str) -> list[tuple[int, int]]:
    """Where the tokens of a text stand."""
    return [(t.start, t.end) for t in raw_tokens(text, 0, len(text)) if t.kind not in ("newline", "comment")]


WORDS = sorted({text[start:end] for text in TEXTS for start, end in places(text)})


@st.composite
def mutations(draw: st.DrawFn) -> str:
    """A program with up to three tokens deleted, doubled, exchanged or replaced."""
    text = draw(st.sampled_from(TEXTS))
    for _ in range(draw(st.integers(1, 3))):
        tokens = places(text)
        if not tokens:
            break
        start, end = draw(st.sampled_from(tokens))
        other_start, other_end = draw(st.sampled_from(tokens))
        word = draw(st.sampled_from(WORDS))
        way = draw(st.sampled_from(["delete", "double", "exchange", "replace", "insert", "copy"]))
        if way == "delete":
            text = text[:start] + text[end:]
        elif way == "double":
            text = f"{text[:end]} {text[start:end]}{text[end:]}"
        elif way == "exchange" and end <= other_start:
            text = (
                text[:start] + text[other_start:other_end] + text[end:other_start] + text[start:end] + text[other_end:]
            )
        elif way == "replace":
            text = text[:start] + word + text[end:]
        elif way == "insert":
            text = f"{text[:end]} {word}{text[end:]}"
        else:
            text = text[:start] + text[other_start:other_end] + text[end:]
    return text


def answered(text: str) -> None:
    found = check_source(Source("mutated.rules", text))
    assert isinstance(render(found), str)
    for item in found:
        assert item.title and item.code
        assert 0 <= item.span.start <= item.span.end <= len(text)
        assert as_json(item)["line"] >= 1


@many
@given(mutations())
def test_a_program_with_a_few_tokens_changed_is_answered(text: str):
    answered(text)


@many
@given(st.lists(st.sampled_from([*WORDS, "\n", "\n    ", "\n        "]), max_size=40).map(" ".join))
@example("")
def test_words_in_any_order_are_answered(text: str):
    answered(text)


@many
@given(st.text(max_size=60))
def test_any_text_is_answered(text: str):
    answered(text)
