"""Seafarers and Catan Atlantis: their rulebooks, and what scenarios cannot say."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import interpreter
from interpreter.errors import UndoRefused
from interpreter.log import read_log
from interpreter.records import Answer

GAMES = Path(__file__).parent.parent / "games"
BELOW = {
    "seafarers": ("catan",),
    "catan_atlantis": ("catan", "seafarers"),
    "variants/catan_atlantis_numbers": ("catan", "seafarers", "catan_atlantis"),
}
"""Each variant with the games that its rulebook goes on from."""


def sections(name: str) -> set[str]:
    """The sections of a rulebook, but those that say that they are not modelled."""
    text = (GAMES / f"{name}.rulebook.md").read_text(encoding="utf-8")
    return set(re.findall(r"^#+ (\d+(?:\.\d+)?) (?!.*\(not modelled\))", text, re.MULTILINE))


def cited(text: str) -> set[str]:
    return set(re.findall(r"§(\d+(?:\.\d+)?)", text))


@pytest.mark.parametrize("name", BELOW)
def test_every_section_that_is_cited_is_in_a_rulebook_and_every_section_of_ones_own_is_cited(name: str):
    own, base = sections(name), {section for other in BELOW[name] for section in sections(other)}
    text = (GAMES / f"{name}.rules").read_text(encoding="utf-8")
    assert not own & base
    assert cited(text) <= own | base
    assert {section for section in own if "." in section} <= cited(text)


@pytest.mark.parametrize("name", BELOW)
def test_every_section_of_ones_own_has_a_scenario_or_a_law(name: str):
    text = (GAMES / f"{name}.rules").read_text(encoding="utf-8")
    shown = re.findall(r"^((?:##.*\n)+)(?:add |replace )?(?:scenario|invariant|transition)", text, re.MULTILINE)
    assert {section for section in sections(name) if "." in section} <= cited("".join(shown))


def test_who_has_discovered_a_hex_cannot_take_the_ship_back():
    """It would be a peek: another ship could be built in the light of what was turned over."""
    played = read_log(GAMES / "logs" / "catan_atlantis" / "empty-stack-3.jsonl")
    match = interpreter.load(GAMES / "catan_atlantis.rules").new(3, seed=played.header.seed, human=list(played.header.seats))
    told: list[str] = []
    for record in played.records:
        if isinstance(record, Answer) and not record.automatic and len(told) < 2:
            before = len(match.events)
            match.play(interpreter.Move(record.answer.action, record.answer.arguments), seat=record.seat)
            found = {event.name for event in match.events[before:]} & {"HexFound", "HexDrawn"} - set(told)
            if found:
                told += sorted(found)
                assert re.search("drawn since", match.can_undo(record.seat).reason)
                with pytest.raises(UndoRefused):
                    match.undo(record.seat)
    assert told == ["HexFound", "HexDrawn"]
