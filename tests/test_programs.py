"""Generated programs: the language and the machine hold together on programs that nobody wrote.

The counts are small; `RULESDSL_LONG=1` (as `make long` sets it) raises them, and has failing games made small by Hypothesis,
which compiles a program for each attempt and so takes minutes.
"""

from __future__ import annotations

import os
import random
from typing import Any

import attrs
import pytest
from hypothesis import HealthCheck, Phase, example, given, settings
from hypothesis import strategies as st

from interpreter.rules import Rules
from playtest.fuzz import fuzz
from playtest.programs import (
    annotated_programs,
    break_program,
    broken_programs,
    programs,
    random_program,
    tokens,
)
from playtest.scenarios import run_scenarios
from rulesdsl import syntax
from rulesdsl.checking.check import check
from rulesdsl.diagnostics import Diagnostic, Source, Span, render
from rulesdsl.formatting.format import format_module
from rulesdsl.parsing.parse import parse
from rulesdsl.program import check_source, load_source, other_settings

LONG = os.environ.get("RULESDSL_LONG") == "1"
_COMMON: dict[str, Any] = {
    "deadline": None,
    "derandomize": not LONG,
    "database": None,
    "suppress_health_check": [HealthCheck.too_slow, HealthCheck.data_too_large],
}
_QUICK = (Phase.explicit, Phase.generate)
few = settings(max_examples=1_000 if LONG else 12, phases=(*_QUICK, Phase.shrink) if LONG else _QUICK, **_COMMON)
some = settings(max_examples=5_000 if LONG else 40, phases=(*_QUICK, Phase.shrink), **_COMMON)
seeds = st.integers(0, 2**32)


def source(text: str) -> Source:
    return Source("generated.rules", text)


def parsed(text: str) -> syntax.Module:
    module, problems = parse(source(text))
    assert module is not None, render(problems)
    return module


def meaning(node: Any) -> Any:
    """A tree without places and comments: what two texts that say the same have in common."""
    if isinstance(node, tuple):
        return tuple(meaning(item) for item in node)
    if not attrs.has(type(node)):
        return node
    names = [a.name for a in attrs.fields(type(node)) if a.name not in ("span", "comments")]
    return (type(node).__name__, *((name, meaning(getattr(node, name))) for name in names))


def diagnostics(text: str) -> list[Diagnostic]:
    """Everything that parsing and checking say."""
    module, problems = parse(source(text))
    found = list(problems)
    if module is not None and not any(item.is_error for item in found):
        found += check(source(text), module, {}, None).diagnostics
    return found


# ---------------------------------------------------------------- the generator itself


@some
@given(programs())
def test_generated_programs_are_valid(text: str) -> None:
    errors = [item for item in diagnostics(text) if item.is_error]
    assert not errors, render(errors)


@few
@given(programs())
def test_generated_programs_are_valid_whatever_the_settings(text: str) -> None:
    errors = [item for item in check_source(source(text)) if item.is_error]
    assert not errors, render(errors)


def test_the_generator_depends_on_its_numbers_alone() -> None:
    assert [random_program(random.Random(n)) for n in range(5)] == [random_program(random.Random(n)) for n in range(5)]


def test_the_simplest_program_is_short() -> None:
    class Zeros(random.Random):
        def randrange(self, *_: Any) -> int:
            return 0

    text = random_program(Zeros())
    assert len(text.splitlines()) < 50
    assert not [item for item in diagnostics(text) if item.is_error]


def test_generated_programs_use_the_language() -> None:
    """Every kind of statement, of field and of expression turns up in some program."""
    text = "\n".join(random_program(random.Random(n)) for n in range(60 if not LONG else 300))
    wanted = (
        "players ana, ben", "param size", "const most", "enum ", "record Piece", "track(4)", "grid(", "private hand", "hidden deck",
        "?", "set[", "bag[", "list[", "map[", "def ", "return", "event ", "after", " can ", "require ", "let ", "var ",
        "chooses", " may ", "may repeatedly", "otherwise:", "turns ", "for ", "while ", "repeat ", "draw ", "step ", "if ", "elif ",
        "else:", "break", "continue", "end tie", "end win", "end scores", "is some", "?.", " in ", "not in", "any(", "all(",
        "count(", "sum(", "min(", "max(", "len(", "distinct(", "//", "%", "invariant", "transition", "measure", "goals ", "scenario",
        "private to by", "seats_from(", ".neighbours",
    )  # fmt: skip
    assert [word for word in wanted if word not in text] == []


# ---------------------------------------------------------------- text and tree


@some
@given(annotated_programs())
def test_formatting_keeps_the_meaning_and_is_idempotent(text: str) -> None:
    module = parsed(text)
    once = format_module(module, source(text))
    again = parsed(once)
    assert meaning(again) == meaning(module)
    assert [note.text for note in again.comments] == [note.text for note in module.comments]
    assert format_module(again, source(once)) == once


@some
@given(annotated_programs())
def test_every_place_in_a_tree_is_in_the_text(text: str) -> None:
    def walk(node: Any, around: Span) -> None:
        if isinstance(node, tuple):
            for item in node:
                walk(item, around)
        elif attrs.has(type(node)) and hasattr(node, "span"):
            assert around.start <= node.span.start <= node.span.end <= around.end, node
            for part in attrs.fields(type(node)):
                if part.name not in ("span", "comments"):
                    walk(getattr(node, part.name), node.span)

    module = parsed(text)
    for declaration in module.declarations:
        walk(declaration, Span(module.span.source, 0, len(text)))


@given(st.text(max_size=300))
@example("game\t:\n")
@settings(few)
def test_any_text_gets_an_answer(text: str) -> None:
    render(diagnostics(text))


@some
@given(broken_programs())
def test_checking_never_crashes(text: str) -> None:
    found = diagnostics(text)
    for item in found:
        assert 0 <= item.span.start <= item.span.end <= len(text)
    render(found, colour=True)


def test_tokens_are_the_whole_text() -> None:
    for number in range(20):
        text = break_program(random_program(random.Random(number)), random.Random(number))
        assert "".join(tokens(text)) == text


# ---------------------------------------------------------------- running


@few
@given(programs(), seeds)
def test_generated_programs_keep_every_law(text: str, seed: int) -> None:
    """Replay, fold, undo, determinism, refusals and types, on the module and through a match and its log."""
    loaded = load_source(source(text))
    result = fuzz(loaded, games=4, seed=seed, rechecked=1.0, archive=False)
    assert result.failure is None, result.failure
    assert result.cut == 0


@few
@given(programs(), seeds)
def test_generated_programs_play_with_other_settings(text: str, seed: int) -> None:
    """Every number of players, and each parameter's end values."""
    usual = load_source(source(text)).program
    for params, seats in other_settings(parsed(text), usual):
        loaded = load_source(source(text), params, seats)
        result = fuzz(loaded, games=2, seed=seed, rechecked=1.0, archive=False)
        assert result.failure is None, result.failure


@few
@given(programs())
def test_scenarios_of_generated_programs_pass(text: str) -> None:
    results = run_scenarios(Rules(load_source(source(text))))
    assert [result for result in results if not result.passed] == []


ONCE_BROKEN = {
    "a local of a step that asks nothing, assigned again": """\
game found:
    players 2

state:
    n: 0..9

event Counted(k: 0..9):
    n = k

action go:
    emit Counted(1)

flow main:
    Player[0] chooses go
    step later:
        var total = 0
        emit Counted(2)
        total += 1
        if total > 0:
            emit Counted(3)
    Player[1] chooses go
    end tie
""",
    "a domain that is always empty": """\
game found:
    players 2

board Cell = track(4)

state:
    seen: Player?

event Saw(p: Player):
    seen = p

action look(p in {q for q in Player if Cell.last == Cell.first}):
    emit Saw(p)

action rest:
    emit Saw(me)

flow main:
    Player[0] chooses look or rest
    end tie
""",
}
"""Programs that the generator found broken, made small by hand."""


@pytest.mark.parametrize("name", ONCE_BROKEN)
def test_what_was_once_broken_keeps_every_law(name: str) -> None:
    result = fuzz(load_source(source(ONCE_BROKEN[name])), games=20, rechecked=1.0, archive=False)
    assert result.failure is None, result.failure


@pytest.mark.skipif(not LONG, reason="set RULESDSL_LONG=1")
def test_many_generated_programs_keep_every_law() -> None:
    for number in range(5_000):
        text = random_program(random.Random(number))
        result = fuzz(load_source(source(text)), games=3, seed=number, rechecked=1.0, archive=False)
        assert result.failure is None, (number, result.failure)
