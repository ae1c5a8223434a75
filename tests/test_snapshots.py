"""Snapshots: a match that is opened from one is the match, wherever one looks; and nothing is ever trusted over the log."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from machine_games import DUEL, duel, game
from test_match import snapshot

from interpreter import Game, Journal, LogError, Match, MemoryStore
from interpreter import snapshots as module
from interpreter.lines import is_more

LONG = DUEL.replace("rounds: 1..5 = 3", "rounds: 1..50 = 30").replace("score[Player]: 0..30", "score[Player]: 0..300")
GAME: Game = game(LONG)


@pytest.fixture(autouse=True)
def often(monkeypatch: pytest.MonkeyPatch) -> None:
    """Snapshots at every tenth record."""
    monkeypatch.setattr("interpreter.history.EVERY", 10)


def played(journal: Journal, seed: int, undos: bool, length: int = 120) -> Match:
    """A long match, with undos, redos and branches, or straight."""
    match = GAME.new(seed=seed, log=journal)
    chance = random.Random(seed)
    while match.version < length:
        kind = chance.random() if undos else 1.0
        if kind < 0.08:
            for _ in range(chance.randint(1, 3)):
                if match.can_undo():
                    match.undo()
        elif kind < 0.11 and match.can_redo():
            match.redo()
        elif kind < 0.14:
            match.branch(chance.choice([r.n for r in match.log.records if hasattr(r, "then")]))
        elif match.legal_moves():
            match.play(chance.choice(match.legal_moves()))
        else:
            match.undo()
    return match


def same(one: Match, other: Match, chance: random.Random) -> None:
    """Two matches are the same, wherever one looks, and stay so when the same is done to both."""
    for _ in range(12):
        assert (one.state, one.question, one.number, one.version) == (
            other.state,
            other.question,
            other.number,
            other.version,
        )
        assert one.can_redo().reason == other.can_redo().reason and one.can_undo().reason == other.can_undo().reason
        n = chance.randint(0, one.number)
        assert (one.at(n).state, one.at(n).answers) == (other.at(n).state, other.at(n).answers)
        record = chance.randrange(one.version)
        for match in (one, other):
            try:
                match.after_record(record)
            except IndexError:
                continue
        kind = chance.random()
        if kind < 0.3 and one.can_undo():
            steps = chance.randint(1, 25)
            for match in (one, other):
                for _ in range(steps):
                    if match.can_undo():
                        match.undo()
        elif kind < 0.4 and one.can_redo():
            one.redo()
            other.redo()
        elif kind < 0.55:
            answers = [r.n for r in one.log.records if hasattr(r, "then")]
            to = chance.choice(answers)
            one.branch(to)
            other.branch(to)
        elif one.legal_moves():
            move = chance.choice(one.legal_moves())
            one.play(move)
            other.play(move)
    assert snapshot(one) == snapshot(other)


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10**6), st.booleans())
@example(2055, True)  # a pass that was made once by itself and once by a player, with a snapshot after one of them
def test_a_match_that_is_opened_from_a_snapshot_is_the_match(seed: int, undos: bool) -> None:
    from tempfile import TemporaryDirectory

    stores = MemoryStore(), MemoryStore()
    match = played(Journal(stores[0], "m"), seed, undos)
    stores[1].append("m", 0, match.log.lines())
    with TemporaryDirectory() as folder:
        first = Match.open(Journal(stores[0], "m"), GAME, snapshots=folder)
        assert snapshot(first) == snapshot(match)
        opened = Match.open(Journal(stores[0], "m"), GAME, snapshots=folder)
        assert opened.history.past is not None
        full = Match.open(Journal(stores[1], "m"), GAME)
        same(opened, full, random.Random(seed))


def counting(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many answers are run through the rules."""
    from interpreter import advance

    made: list[int] = []
    answer = advance.answer
    monkeypatch.setattr(advance, "answer", lambda *a, **k: made.append(1) or answer(*a, **k))
    return made


def test_opening_and_looking_back_do_not_replay_it_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    journal = Journal(MemoryStore(), "m")
    played(journal, 1, False)
    Match.open(journal, GAME, snapshots=tmp_path)
    made = counting(monkeypatch)
    match = Match.open(journal, GAME, snapshots=tmp_path)
    assert len(made) <= 20, "passes are counted, too"
    for n in (0, 55, 100, match.number):
        made.clear()
        assert match.at(n).number == n
        assert len(made) <= 25, "it costs what lies between two snapshots"
    made.clear()
    match.undo()
    assert len(made) <= 25


FILES: dict[str, Any] = {
    "gone": lambda data, chance: None,
    "empty": lambda data, chance: b"",
    "cut": lambda data, chance: data[: chance.randrange(len(data))],
    "altered": lambda data, chance: (lambda i: data[:i] + bytes([data[i] ^ 1]) + data[i + 1 :])(chance.randrange(len(data))),
    "of another compiler": lambda data, chance: b"x" + data,
}


@pytest.mark.parametrize("what", FILES)
def test_a_damaged_cache_is_as_good_as_none(what: str, tmp_path: Path) -> None:
    journal = Journal(MemoryStore(), "m")
    full = played(journal, 2, True)
    Match.open(journal, GAME, snapshots=tmp_path)
    (path,) = tmp_path.iterdir()
    data = path.read_bytes()
    chance = random.Random(1)
    for _ in range(15):
        made = FILES[what](data, chance)
        path.unlink(missing_ok=True) if made is None else path.write_bytes(made)
        assert snapshot(Match.open(journal, GAME, snapshots=tmp_path)) == snapshot(full)
    path.write_bytes(data)
    assert snapshot(Match.open(journal, GAME, snapshots=tmp_path / "elsewhere")) == snapshot(full)


def test_a_snapshot_that_tells_another_state_is_not_taken(tmp_path: Path) -> None:
    """Even if it was made to look whole: the digest in the log decides."""
    journal = Journal(MemoryStore(), "m")
    full = played(journal, 3, False)
    Match.open(journal, GAME, snapshots=tmp_path)
    (path,) = tmp_path.iterdir()
    key, *lines = path.read_bytes().splitlines()
    forged = []
    for line in lines:
        number, name, _, payload = line.split(b" ", 3)
        shown = repr(full.at(int(number)).state._st).encode()
        payload = payload.replace(shown, repr(full.at(3).state._st).encode())
        forged.append(b" ".join((number, name, module.hash_text(payload).encode(), payload)))
    path.write_bytes(b"\n".join((key, *forged, b"")))
    match = Match.open(journal, GAME, snapshots=tmp_path)
    assert match.history.past is None and snapshot(match) == snapshot(full)


def test_a_snapshot_of_another_log_or_other_rules_is_not_taken(tmp_path: Path) -> None:
    store = MemoryStore()
    played(Journal(store, "m"), 4, False)
    Match.open(Journal(store, "m"), GAME, snapshots=tmp_path)
    shorter = MemoryStore()
    lines = store.read("m", 0, 45)
    while is_more(lines[-1]):
        lines.pop()
    shorter.append("m", 0, lines)
    other = GAME.new(seed=4, log=Journal(shorter, "n"))
    for _ in range(20):
        other.play(other.legal_moves()[-1])
    for name in ("m", "n"):
        journal = Journal(shorter, name)
        assert snapshot(Match.open(journal, GAME, snapshots=tmp_path)) == snapshot(Match.open(journal, GAME))
    changed = game(LONG.replace("two(1)", "two(2)").replace("power: 1..3", "power: 1..4"))
    with pytest.raises(LogError, match="played with other rules"):
        Match.open(Journal(store, "m"), changed, snapshots=tmp_path)


def test_a_log_that_was_altered_before_a_snapshot_is_noticed_where_it_is_looked_at(tmp_path: Path) -> None:
    store = MemoryStore()
    journal = Journal(store, "m")
    played(journal, 5, False)
    Match.open(journal, GAME, snapshots=tmp_path)
    store._matches["m"][15] = store._matches["m"][15].replace(b'"seat":"ana"', b'"seat":"bob"').replace(b"wait", b"roll")
    match = Match.open(journal, GAME, snapshots=tmp_path)
    for look in (lambda: match.at(14), lambda: match.log):
        with pytest.raises(LogError):
            look()


def test_a_long_match_is_followed_from_its_snapshot(tmp_path: Path) -> None:
    store = MemoryStore()
    writer = played(Journal(store, "m"), 6, False, 60)
    Match.open(Journal(store, "m"), GAME, snapshots=tmp_path)
    reader = Match.open(Journal(store, "m"), GAME, snapshots=tmp_path)
    while writer.legal_moves():
        writer.play(writer.legal_moves()[-1])
        reader.catch_up()
        assert reader.state == writer.state
    assert reader.log == writer.log and reader.outcome == writer.outcome
    assert duel is not None
