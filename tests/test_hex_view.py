"""Maps of hexes as text: each sign in its place, nothing lost where room is short, and the list where a map cannot be."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from machine_games import game
from rich.text import Text

from interpreter import REFEREE
from interpreter.match import Match
from playtest.drawing.hex_view import hex_map
from playtest.drawing.layers import drawing
from playtest.drawing.state_view import lines_of_table
from playtest.snapshot import Snapshot, boards_of, snapshot
from table.show import match_of

LOGS = Path(__file__).resolve().parent.parent / "games" / "logs"
ISLE = """\
game isle:
    title "Isle"
    players ana, bob

board Hex, Edge, Corner = hexes(rows=[2, 3])

enum Land:
    hills, meadow, sea

state:
    land[Hex]: Land? = {a1: hills, a2: meadow, b2: sea}
    number[Hex]: 2..12? = {a1: 11, a2: 5}
    thief: Hex = a1
    roads[Player]: set[Edge] = {ana: {a1_ne, a1_w, a3_sw}, bob: {a1_e, b2_e}}
    towns[Player]: set[Corner] = {ana: {a1_up}, bob: {b2_up, a3_down}}
    ports[Player]: set[Corner] = {ana: {a1_up}, bob: {}}
    fresh: set[Edge] = {b2_e, b1_nw}
    guards[Corner]: 0..1000 = {c: 1000 if c == a1_down else 0 for c in Corner}

event Moved(by: Player, to: Hex, at: Edge):
    "{by} {to} {at}"
    thief = to
    roads[by] += at

action move(to in Hex, at in Edge):
    emit Moved(me, to, at)

flow main:
    for p in Player:
        p chooses move
    end tie
"""


def lines(seen: Snapshot, width: int = 80, before: Snapshot | None = None) -> list[Text]:
    return lines_of_table(seen, width, before)


def drawn(seen: Snapshot, width: int = 80) -> list[str]:
    return [line.plain.rstrip() for line in lines(seen, width)]


@pytest.fixture(scope="module")
def isle() -> Match:
    return game(ISLE).new(seed=1)


def test_signs_stand_on_their_hexes_edges_and_corners(isle: Match) -> None:
    assert drawn(snapshot(isle.position, REFEREE))[:12] == [
        "       []  ·  ╲   ╱ bT  ╲",
        "      ·   b1    ·   b2    ·",
        "      │         │    S   bR",
        "   ╱ aTPaR   ╱  ·  ╲   ╱  ·  ╲",
        " ·   a1    ·   a2    ·   a3    ·",
        "aR  H11*t bR   M5    │         │",
        " ·  ╲   ╱  ·  ╲   ╱  · aR   ╱  ·",
        "      …         ·        bT",
        "  Edge  b2_e [bR]",
        "  Corner  a1_down 1000",
        "  H hills   M meadow   S sea   *t thief   R roads   [ ] fresh   T towns",
        "  P ports",
    ]


@pytest.mark.parametrize(("width", "row"), [(33, 33), (32, 27), (27, 27), (26, 24), (24, 24)])
def test_a_map_shrinks_before_it_gives_way(isle: Match, width: int, row: int) -> None:
    names = next(line for line in drawn(snapshot(isle.position, REFEREE), width) if " a1 " in line and " a2 " in line)
    assert row - 2 <= len(names) <= row


def test_a_map_that_is_too_wide_is_a_list(isle: Match) -> None:
    shown = "\n".join(drawn(snapshot(isle.position, REFEREE), 23))
    assert "╱" not in shown and "a1 H11*t" in shown and "a1_up aTP" in shown


def test_what_has_changed_stands_out_in_the_colour_of_its_seat(isle: Match) -> None:
    later = isle.position.play("move(a2, a2_e)")
    before, after = snapshot(isle.position, REFEREE), snapshot(later, REFEREE)
    row = next(line for line in lines(after, before=before) if " M5*t " in line.plain)
    styles: dict[str, str] = {"": ""}
    for span in row.spans:
        styles[str(span.style)] = styles.get(str(span.style), "") + row.plain[span.start : span.end]
    seats = after.glyphs.seat_styles
    assert styles[f"{seats[0]} reverse"] == "aR", "a new road"
    assert styles[seats[0]] == "aR" and styles[seats[1]] == "bR", "old roads"
    assert styles["reverse"] == "H11M5*t", "the thief went from one to the other"


# ---------------------------------------------------------------- played games

CATAN = """\
             ╱  ·  ╲   ╱  ·  ╲   ╱  ·  ╲
           ·   e1    ·   e2    ·   e3    ·
           │   I6    │  M9*r   │   H3    │
        ╱  ·  ╲   ╱  ·  ╲   ╱  ·  ╲   ╱  · 2R
      ·   d1    ·   d2    ·   d3    ·   d4   2S
      │   F5    │   M12   │   P4    │   P8    │
   ╱ 0S 0R  0R  ·  ╲   ╱  ·  ╲   ╱  ·  ╲   ╱  ·  ╲
 ·   c1    ·   c2    ·   c3    ·   c4    ·   c5    ·
 │   I11  0R   P11   │   M5    │   F9    │   I3    │
 ·  ╲   ╱ 1C 1R   ╱  ·  ╲  1R 1C 1R   ╱  ·  ╲  2R  ·
      ·   b1    ·   b2    ·   b3    ·   b4   2S
      │    D   1R   H2    │   I8    │   P10  2R
      ·  ╲  1R 1S  ╲   ╱  ·  ╲   ╱  ·  ╲  2R  ·
           ·   a1    ·   a2    ·   a3   2S
          1R   F6    │   H4    │   F10   │
           · 1R   ╱  ·  ╲   ╱  · 0R  0R  ·
                ·         ·        0S
""".splitlines()


def test_a_played_island() -> None:
    match = match_of(LOGS / "catan" / "longest-road-3.jsonl")
    assert drawn(snapshot(match.position, REFEREE))[: len(CATAN)] == CATAN


@pytest.mark.parametrize(
    "log", ["seafarers/discoveries-and-the-pirate-3", "catan_atlantis/after-the-sinking-3", "catan/longest-road-4"]
)
def test_no_sign_hides_another(log: str) -> None:
    """At every width, what the map shows are all names, all signs that fit and a mark for each other edge and corner."""
    match = match_of(LOGS / f"{log}.jsonl")
    shown = 0
    for number in range(0, match.number, max(1, match.number // 8)):
        seen = snapshot(match.at(number), REFEREE)
        (shape,) = seen.program.boards
        pictures = tuple(drawing(seen, board) for board in boards_of(shape))
        for width in (60, 80, 100, 130):
            found = hex_map(shape, pictures, width)
            if found is None:
                continue
            text, cut = found
            assert max(line.cell_len for line in text) <= width
            letters = Counter("".join(line.plain for line in text))
            for picture, dropped in zip(pictures, cut, strict=True):
                for place, name in enumerate(picture.board.place.members):
                    if picture is pictures[0]:
                        letters.subtract(name)
                    if place not in dropped:
                        shown += 1
                        letters.subtract("".join(s.text for s in picture.content(place)) + picture.frame(place))
            marks = sum(letters.pop(mark, 0) for mark in "·╱╲│")
            empty = [p for picture in pictures[1:] for p in range(len(picture.board.place.members))
                     if not picture.content(p) and not picture.frame(p)]  # fmt: skip
            assert marks == len(empty)
            if not any(cut):  # in most positions
                assert {letter for letter, count in letters.items() if count} <= {" "}
    assert shown > 1000
