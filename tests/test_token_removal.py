"""Take any one token out of a whole game: it is still a program, or the first mistake that is told points at that line or the
next. (A token that is a line of its own is left: without it the line is gone, and the program is another one.)"""

import os
import random
import re
from functools import cache, cached_property
from pathlib import Path

import pytest
from attrs import frozen

from rulesdsl import syntax
from rulesdsl.checking.check import check
from rulesdsl.diagnostics import Diagnostic, Source, Span, in_order, render
from rulesdsl.parsing.parse import parse
from rulesdsl.parsing.raw import Raw, raw_tokens
from rulesdsl.parsing.recovery import chunks
from rulesdsl.program import check_source, other_settings

GAME = Path(__file__).parent.parent / "games" / "atlanteon.rules"
LONG = os.environ.get("RULESDSL_LONG") == "1"
SAMPLE = 150


@frozen(slots=False)
class Game:
    """A game whose declarations are parsed one by one, so that a change in one of them is checked fast."""

    name: str
    text: str

    @cached_property
    def pieces(self) -> list[tuple[int, int]]:
        first = self.tokens[0].start
        return [piece for piece in chunks(self.text, 0, len(self.text)) if piece[1] > first]

    @cached_property
    def declarations(self) -> list[tuple[syntax.Declaration, ...]]:
        return [self.parsed(self.text, start, end)[0].declarations for start, end in self.pieces]  # type: ignore[union-attr]

    @cached_property
    def tokens(self) -> list[Raw]:
        return [
            token
            for token in raw_tokens(self.text, 0, len(self.text))
            if token.kind not in ("newline", "comment") and self.line_of(token).strip() != token.text
        ]

    def line_of(self, token: Raw) -> str:
        return self.text[self.text.rfind("\n", 0, token.start) + 1 :].partition("\n")[0]

    def parsed(self, text: str, start: int, end: int) -> tuple[syntax.Module | None, list[Diagnostic]]:
        """A piece of a text, parsed where it stands in the whole."""
        hidden = re.sub(r"[^\n]", " ", text[:start]) + text[start:end] + re.sub(r"[^\n]", " ", text[end:])
        return parse(Source(self.name, hidden))

    def without(self, token: Raw) -> str:
        """The text without a token; the blanks after it go too where it begins a line, so that the line stays in its block."""
        end = token.end
        if not self.text[self.text.rfind("\n", 0, token.start) + 1 : token.start].strip():
            end += len(self.text[end:]) - len(self.text[end:].lstrip(" "))
        return self.text[: token.start] + self.text[end:]

    def mistakes_without(self, token: Raw) -> list[Diagnostic]:
        """What is said about the game without a token, in order."""
        text = self.without(token)
        number = max(i for i, (start, _) in enumerate(self.pieces) if start <= token.start)
        start, end = self.pieces[number]
        module, problems = self.parsed(text, start, end - (len(self.text) - len(text)))
        if module is None:
            return in_order(problems)
        source = Source(self.name, text)
        parts = [*self.declarations[:number], module.declarations, *self.declarations[number + 1 :]]
        whole = syntax.Module(Span(source, 0, len(text)), tuple(decl for part in parts for decl in part), ())
        checked = check(source, whole, {}, None)
        if checked.program is not None:
            for settings, seats in other_settings(whole, checked.program):
                other = check(source, whole, settings, seats)
                if other.program is None:
                    return [d for d in other.diagnostics if d.is_error]
        return [d for d in checked.diagnostics if d.is_error]


@cache
def game() -> Game:
    return Game(GAME.name, GAME.read_text(encoding="utf-8"))


def lines_allowed(text: str, token: Raw) -> tuple[int, int]:
    """The line of a token, and the next that is not blank."""
    line = text.count("\n", 0, token.start) + 1
    following = line + 1
    lines = text.split("\n")
    while following <= len(lines) and not lines[following - 1].strip():
        following += 1
    return line, following


def told_elsewhere(token: Raw) -> str:
    """What is wrong about the first mistake that is told, if anything."""
    found = game().mistakes_without(token)
    allowed = lines_allowed(game().text, token)
    if not found or any(span.line in allowed for span in (found[0].span, *(label.span for label in found[0].labels))):
        return ""
    line = game().text.count("\n", 0, token.start) + 1
    return f"without `{token.text}` in line {line}:\n{render(found[:1])}"


def sampled() -> list[Raw]:
    """All tokens, or some of them: always the same, more of them from the rules than from the scenarios."""
    tokens = game().tokens
    if LONG:
        return tokens
    first = game().text.find("\nscenario ")
    chance = random.Random(5)
    rules = [t for t in tokens if t.start < first]
    return chance.sample(rules, SAMPLE - 30) + chance.sample(tokens, 30)


@pytest.mark.parametrize("part", range(10))
def test_a_token_less_is_told_where_it_was(part: int):
    wrong = [told for token in sampled()[part::10] if (told := told_elsewhere(token))]
    assert not wrong, f"{len(wrong)} tokens\n" + "\n\n".join(wrong[:20])


def test_a_part_is_checked_as_the_whole_is():
    for token in random.Random(6).sample(game().tokens, 4):
        whole = [d for d in check_source(Source(game().name, game().without(token))) if d.is_error]
        assert [(d.code, d.span.line) for d in game().mistakes_without(token)] == [(d.code, d.span.line) for d in whole]
