"""Logs as one seat may see them: they step through its views, and give nothing away."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest
from finished_games import KINDS, LOGS, rules_of
from hypothesis import given, settings
from hypothesis import strategies as st
from machine_games import BIDS, duel, game
from test_log import busy
from test_match import play_randomly

import interpreter
from interpreter import REFEREE, Game, LogError, Match, Position, read_view, replay
from interpreter.lines import chained, compact
from interpreter.log import Log
from interpreter.machine import DRAW
from interpreter.view_log import viewer_name, visible_answer, visible_state

ROOT = Path(__file__).parent.parent


def viewers(match: Match | Position) -> list[Any]:
    return [*match.rules.seats, None, REFEREE]


def check_steps(match: Match) -> None:
    """Stepping through the log of a view gives the view of each position."""
    for viewer in viewers(match):
        made = match.view_log(viewer)
        assert read_view(made.data()) == made
        position = match.at(0)
        for record, seen in zip(match.log.records, made.positions(), strict=True):
            there = getattr(record, "to", record.n if hasattr(record, "then") else None)
            position = position if there is None else match.after_record(there)
            assert seen == json.loads(json.dumps(position.view(viewer).plain(match.rules.codec)))


@pytest.mark.parametrize("hand", [0, 2])
def test_stepping_through_a_view_gives_the_views(hand: int) -> None:
    check_steps(busy(hand + 1))
    check_steps(play_randomly(game(BIDS).new(3, seed=hand), hand))


FIRST = {name: next(iter(kinds)) for name, kinds in KINDS.items()}


@pytest.mark.parametrize("name", FIRST)
def test_finished_games_are_seen_step_by_step(name: str) -> None:
    log = interpreter.read_log(LOGS / name / f"{FIRST[name]}.jsonl")
    match = Match.from_log(log, interpreter.load(rules_of(name)))
    for viewer in (match.rules.seats[0], None):
        made = match.view_log(viewer)
        for n, seen in enumerate(made.positions()):
            if n % 41 == 0 and hasattr(log.records[n], "then"):
                expected = match.after_record(n).view(viewer).plain(match.rules.codec)
                assert seen == json.loads(json.dumps(expected))


def test_a_view_of_a_log_is_the_view_of_its_match() -> None:
    match = busy(3)
    for viewer in viewers(match):
        assert match.log.view(viewer) == match.log.view(viewer, duel(rounds=2)) == match.view_log(viewer)


# ---------------------------------------------------------------- what is in it


def test_a_view_has_no_seed_no_digest_no_draws_and_no_answers_of_others() -> None:
    match = busy(2)
    match.note("ana holds the ace")
    for viewer in ("ana", "bob", None):
        made = match.view_log(viewer)
        text = made.data().decode()
        header = made.header
        assert "seed" not in header and "humans" not in header and header["viewer"] == viewer
        for record, seen in zip(match.log.records, made.records, strict=True):
            assert record.hash not in text and getattr(record, "state", "none") not in text
            assert (seen["n"], seen["kind"]) == (record.n, type(record).__name__.lower())
            if getattr(record, "seat", viewer) != viewer or not hasattr(record, "then"):
                assert not {"answer", "asked", "seat", "automatic", "reveals", "text", "crossed"} & seen.keys()
            assert all("draw" not in item for item in seen.get("then", ()))
            if "moves" in seen and (hasattr(record, "then") or hasattr(record, "to")):
                assert match.after_record(getattr(record, "to", record.n)).question.seat == viewer
    assert "ana holds the ace" in match.view_log(REFEREE).data().decode()
    assert "moves" in match.view_log("ana").data().decode()


def test_an_undo_across_a_draw_does_not_say_what_was_drawn() -> None:
    match = duel().new(seed=1, human=["ana", "bob"])
    match.play("roll")
    match.undo(as_analyst=True)
    record = match.log.records[-1]
    assert record.analyst and record.crossed == "n was drawn since"  # type: ignore[union-attr]
    seen = match.view_log("bob").records[-1]
    assert {"n", "kind", "to", "changes", "state", "hash"} >= seen.keys()


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_an_altered_view_is_refused(data: st.DataObject) -> None:
    made = play_randomly(duel(rounds=1, hand_size=1).new(seed=1), 1).view_log("ana").data()
    place = data.draw(st.integers(0, len(made) - 2))
    byte = data.draw(st.integers(0, 255).filter(lambda b: b != made[place]))
    with pytest.raises((LogError, ValueError)):
        read_view(made[:place] + bytes([byte]) + made[place + 1 :])


def test_a_forged_change_in_a_view_is_found() -> None:
    made = play_randomly(duel(rounds=1).new(seed=1), 1).view_log("bob")
    lines, previous = [], ""
    for place, line in enumerate(made.lines()):
        data = json.loads(line)
        data.pop("hash")
        if place == 2:
            data["changes"] = [[["luck"], 5]]
        if data.get("kind") != "end":
            previous, line = chained(compact(data), previous)
            lines.append(line)
    forged = read_view(b"\n".join((*lines, b"")))
    with pytest.raises(LogError, match="record 1: its changes do not give its state"):
        list(forged.positions())


# ---------------------------------------------------------------- noninterference

TRIES = 6
"""For each step, so many other ways are tried that the viewer could not tell from the first one."""

SECRETS: dict[str, tuple[Any, int, int, int]] = {
    "atlantis": (ROOT / "games" / "atlantis.rules", 10, 20, 30),
    "catan": (ROOT / "games" / "catan.rules", 90, 30, 5),
    "seafarers": (ROOT / "games" / "seafarers.rules", 60, 40, 3),
    "catan_atlantis": (ROOT / "games" / "catan_atlantis.rules", 150, 30, 10),
    "kuhn_poker": (ROOT / "games" / "classic" / "kuhn_poker.rules", 0, 4, 10),
    "duel": (duel(hand_size=2), 0, 30, 15),
    "bids": (game(BIDS), 0, 4, 2),
}
"""For each game: after how many answers to begin, how many to make, and how often the two games must be different at least."""
OPEN = sorted(
    path.stem for path in [*ROOT.glob("games/*.rules"), *ROOT.glob("games/classic/*.rules")] if path.stem not in SECRETS
)


def further(position: Position, move: Any, chance: random.Random, told: list[Any] | None = None) -> Position:
    """After a move (None: the set-up), with random outcomes of the draws that follow, or those told first, where possible."""
    position = position if move is None else position.after(move)
    left = list(told or ())
    while position.draws:
        outcomes = dict(position.outcomes())
        drawn = left.pop(0) if left else None
        position = position.after_draw(
            drawn if drawn in outcomes else chance.choices([*outcomes], [*outcomes.values()])[0]
        )
    return position


def drawn_in(position: Position, since: int) -> list[Any]:
    """What was drawn after so many answers."""
    return [entry[2] for node in position.node.path() if node.depth > since for entry in node.then if entry[0] == DRAW]


def any_action(moves: list[Any], chance: random.Random) -> Any:
    """A move whose action is as likely as each other one: rare ones come, too."""
    action = chance.choice(sorted({move[0] for move in moves}))
    return chance.choice([move for move in moves if move[0] == action])


def seen_of(position: Position, since: int, viewer: Any) -> list[Any]:
    """The visible records of what happened after so many answers."""
    return [visible_answer(position.rules, node, viewer) for node in position.node.path() if node.depth > since]


def check_same(one: Position, other: Position, viewer: Any, chance: random.Random) -> None:
    """Two positions that a viewer cannot tell apart: views, moves and refusals are the same, byte by byte."""
    rules = one.rules
    states = [json.dumps(visible_state(rules, position.node.st, viewer)) for position in (one, other)]
    assert states[0] == states[1]
    if one.number % 8 == 0:  # the events were compared one by one; now and then all of it is
        texts = [json.dumps(position.view(viewer).plain(rules.codec)) for position in (one, other)]
        assert texts[0] == texts[1]
    asked = [position.asks and position.question.seat == viewer for position in (one, other)]
    assert asked[0] == asked[1]
    if asked[0]:
        assert (one.question, one.legal_moves()) == (other.question, other.legal_moves())
    if one.question.kind == "choice" and one.question.seat == viewer:
        tried = [chance.choice(one.rules.program.actions) for _ in range(3)]
        for action in tried:
            values = [chance.choice(values_of(one, t)) for _, t in one.rules.chosen(action.name)]
            move = one.rules.move((action.position, *values))
            assert str(one.why(move)) == str(other.why(move))


def values_of(position: Position, t: Any) -> list[Any]:
    from rulesdsl.types import size, values, zero

    count = size(t)
    return list(values(t)) if count is not None and count <= 500 else [zero(t)]


def check_noninterference(played: Game, viewer: Any, seed: int, lead: int, length: int) -> int:
    """Play a game twice, so that a viewer sees the same; how often the two were in different states.

    The second game makes other hidden draws and other hidden answers, wherever the viewer sees the same records then.
    """
    chance = random.Random(seed)
    first = played.start()
    one = further(first, None, chance)
    for _ in range(lead):
        moves = one.legal()
        if not moves:
            break
        one = further(one, any_action(moves, chance), chance)
    other = _alike(first, [None], one, -1, viewer, chance) if lead == 0 else one
    different = 0
    for _ in range(length):
        check_same(one, other, viewer, chance)
        different += one.state != other.state
        moves = one.legal()
        if not moves:
            break
        move = any_action(moves, chance)
        since = one.number
        nexts = further(one, move, chance)
        answers = [move] if one.question.seat == viewer else [*other.legal(), move]
        found = _alike(other, answers, nexts, since, viewer, chance, move)
        one, other = nexts, found
    logs = [position.to_log().view(viewer) for position in (one, other)]
    assert logs[0] == logs[1]
    return different


def _alike(
    start: Position, moves: list[Any], like: Position, since: int, viewer: Any, chance: random.Random, move: Any = None
) -> Position:
    """A position after one of some moves that a viewer cannot tell from another one: after others if possible, else after
    the same move and the same draws; that other one itself if it cannot be had."""
    wanted = seen_of(like, since, viewer)
    tried: list[tuple[Any, Any]] = [(chance.choice(moves), None) for _ in range(TRIES)]
    for made, told in [*tried, (move, drawn_in(like, since))]:
        if made is not None and not start.allows(made):
            continue
        found = further(start, made, chance, told)
        if seen_of(found, since, viewer) == wanted and found.number == like.number:
            return found
    return like


@pytest.mark.parametrize("name", SECRETS)
def test_what_a_seat_may_not_see_changes_nothing_for_it(name: str) -> None:
    """Two games that differ only in what a seat may not see are the same to it, byte by byte, at every step."""
    rules, lead, length, least = SECRETS[name]
    played = rules if isinstance(rules, Game) else interpreter.load(rules)
    different = 0
    for number, viewer in enumerate([*played.rules().seats, None]):
        for seed in range(2):
            different += check_noninterference(played, viewer, 100 * seed + number, lead, length)
    assert different >= least, "the two games were hardly ever different: nothing was tried"


@pytest.mark.parametrize("name", OPEN)
def test_of_open_games_everybody_sees_the_same(name: str) -> None:
    """Nothing is hidden in them, so that a seat differs from a spectator by its own questions only."""
    path = next(iter([*ROOT.glob(f"games/{name}.rules"), *ROOT.glob(f"games/classic/{name}.rules")]))
    played = interpreter.load(path)
    if any(info.visibility in ("private", "hidden") for info in played.program().fields):
        pytest.fail(f"{name} has secrets: it belongs to SECRETS")
    for viewer in [*played.rules().seats, None]:
        check_noninterference(played, viewer, 5, 0, 6)


def test_the_log_of_a_view_does_not_depend_on_what_was_undone_unseen() -> None:
    """An answer that was taken back shows others no more than it showed them when it was made."""
    for first, second in (("ace", "two"), ("two", "ace")):
        cards = ["ace", "two", "jack", "jack"]
        match = duel().new(chance=lambda q, left=cards: left.pop(0) if left else q.outcomes[0][0], human=["ana", "bob"])
        match.play("wait")
        match.play(f"intend({first})")
        match.undo("ana")
        match.play(f"intend({second})")
        seen = match.view_log("bob")
        text = b"".join(seen.lines()[3:])
        assert b'"ace"' not in text and b'"two"' not in text.replace(b'"Card"', b"")
        if first == "ace":
            kept = seen
    assert kept == seen


def test_replaying_a_log_makes_the_same_views() -> None:
    match = busy(4)
    again = replay(Log(match.log.header, match.log.records)).match
    for viewer in viewers(match):
        assert viewer_name(viewer) == match.view_log(viewer).header["viewer"]
        assert again.view_log(viewer) == match.view_log(viewer)


def test_a_field_that_is_shown_to_all_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The comparison above can fail."""
    from interpreter import view_log
    from interpreter.view import visible_field

    monkeypatch.setattr(
        view_log, "visible_field", lambda rules, info, st, viewer: visible_field(rules, info, st, REFEREE)
    )
    with pytest.raises(AssertionError):
        for seed in range(5):
            check_noninterference(duel(hand_size=2), None, seed, 0, 20)
