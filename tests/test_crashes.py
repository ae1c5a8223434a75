"""What a log survives: writers that are killed, files that are cut or altered, and any order of what can happen to a store."""

from __future__ import annotations

import itertools
import os
import random
import shutil
import signal
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from machine_games import duel
from test_log import confirmed
from test_match import play_randomly
from test_stores import KINDS

from interpreter import Conflict, Game, Journal, LogError, Match, fold, read_log, replay
from interpreter.file_store import FileStore
from interpreter.log import parse_log
from interpreter.sqlite_store import SqliteStore

GAME: Game = duel(hand_size=0, rounds=5)

# ---------------------------------------------------------------- processes that are killed

LONG = bool(os.environ.get("RULESDSL_LONG"))

KILLS = 300 if LONG else 60
"""For each kind of store."""

LONGEST = 0.012
"""Seconds until a writer is killed, at most."""


def killed_writer(play: Callable[[int], None], seconds: float) -> list[int]:
    """What a process confirmed before it was killed, so many seconds after it began to write."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            play(writing)
        finally:
            os._exit(0)
    os.close(writing)
    said = os.read(reading, 1)
    time.sleep(seconds)
    os.kill(child, signal.SIGKILL)
    while part := os.read(reading, 10_000):
        said += part
    os.close(reading)
    os.waitpid(child, 0)
    return [int(word) for word in said.split(b"\n")[:-1]]


@pytest.mark.parametrize("kind", ["folder", "sqlite"])
def test_a_killed_writer_loses_nothing_that_was_confirmed(kind: str, tmp_path: Path) -> None:
    chance = random.Random(1)
    most = 0
    for number in range(KILLS):
        folder = tmp_path / str(number)
        folder.mkdir()

        def play(writing: int, seed: int = number, folder: Path = folder) -> None:
            match = GAME.new(seed=seed, log=Journal(KINDS[kind](folder), "m"), embed=False)
            os.write(writing, b"%d\n" % match.version)
            moves = random.Random(seed)
            for undo in itertools.cycle((False, False, False, True)):
                if undo or not match.legal_moves():
                    match.undo(as_analyst=True)
                else:
                    match.play(moves.choice(match.legal_moves()))
                os.write(writing, b"%d\n" % match.version)

        confirmed = killed_writer(play, chance.random() * LONGEST)
        most = max(most, len(confirmed))
        store = KINDS[kind](folder)
        if kind == "folder":
            read_log(folder / "matches" / "m.jsonl", repair=True)
        match = Match.open(Journal(store, "m"), GAME)
        assert match.version >= confirmed[-1], "a confirmed answer is gone"
        again = GAME.new(seed=number, embed=False)
        moves = random.Random(number)
        for undo in itertools.cycle((False, False, False, True)):
            if again.version >= match.version:
                break
            if undo or not again.legal_moves():
                again.undo(as_analyst=True)
            else:
                again.play(moves.choice(again.legal_moves()))
        assert again.log == match.log and again.state == match.state, "what is there was not played"
        match.note("it can be gone on with")
        store.close()
        shutil.rmtree(folder)
    assert most > 10


# ---------------------------------------------------------------- files that are cut or altered


def finished() -> bytes:
    return play_randomly(duel(rounds=1, hand_size=0).new(seed=1, embed=False), 2).log.data()


def altered(data: bytes, place: int, chance: random.Random) -> bytes:
    """Another byte in a place, a byte more, or one less."""
    byte = bytes([chance.choice([b for b in (*range(256), 10, 34, 44, 125) if b != data[place]])])
    kind = chance.randrange(4)
    if kind == 0:
        return data[:place] + byte + data[place:]
    if kind == 1:
        return data[:place] + data[place + 1 :]
    return data[:place] + byte + data[place + 1 :]


def test_every_cut_and_every_altered_byte_of_the_end_is_named(tmp_path: Path, monkeypatch: Any) -> None:
    """At each byte of the last two records, and at random bytes elsewhere: what is left is what was confirmed, or refused."""
    data = finished()
    monkeypatch.setattr(os, "fsync", lambda handle: None)
    path = tmp_path / "m.jsonl"
    chance = random.Random(1)
    tail = confirmed(data)[-3]
    kinds = set()
    for place in [*range(tail, len(data)), *(chance.randrange(tail) for _ in range(200))]:
        path.write_bytes(data[:place])
        kinds.add(_cut(path, data, place))
        path.write_bytes(altered(data, place, chance))
        kinds.add(_altered(path, data, place))
    assert {"torn", "whole", "altered"} <= kinds


def _cut(path: Path, data: bytes, place: int) -> str:
    """A file that was cut is whole so far, or torn; and the store refuses to write to a torn one."""
    ends = [i + 1 for i in range(len(data)) if data[i : i + 1] == b"\n"]
    try:
        log = read_log(path)
    except LogError as error:
        assert error.kind == "torn" and error.record is not None
        assert str(path) in str(error)
        if place and place not in ends:
            with pytest.raises((LogError, Conflict)):
                FileStore(path, single=True).append("m", len(data[:place].splitlines()), [b"{}"])
        assert path.read_bytes() == data[:place], "nothing is mended that nobody asked for"
        return error.kind
    assert log.data() == data[:place]
    return "whole"


def _altered(path: Path, data: bytes, place: int) -> str:
    """A file that was altered is refused, with the record where it happened or the one after it; nothing is ever mended."""
    made = path.read_bytes()
    if made == data:
        return "whole"
    for repair in (False, True):
        try:
            log = read_log(path, repair=repair)
        except LogError as error:
            record = data[:place].count(b"\n") - 1
            assert error.record in (record - 1, record, record + 1) and error.kind in ("altered", "torn", "format")
            if error.kind == "torn":
                continue
            assert path.read_bytes() == made
            return error.kind
        assert repair and data.startswith(log.data()), "an altered record was taken for a good one"
        assert path.read_bytes() == log.data()
    return "torn"


def test_a_damaged_database_never_tells_another_story(tmp_path: Path) -> None:
    path = tmp_path / "matches.db"
    store = SqliteStore(path, "none")
    lines = play_randomly(duel(rounds=5).new(seed=1), 1).log.lines()
    Journal(store, "m").append(0, lines)
    store.close()
    data = path.read_bytes()
    chance = random.Random(1)
    found = set()
    for _ in range(300):
        place = chance.randrange(len(data))
        if chance.random() < 0.2:
            path.write_bytes(data[:place])
        else:
            path.write_bytes(altered(data, place, chance))
        for rest in tmp_path.glob("matches.db-*"):
            rest.unlink()
        try:
            damaged = SqliteStore(path, "none")
            try:
                kept = Journal(damaged, "m").log().lines()
            finally:
                damaged.close()
        except (LogError, OSError):
            found.add("refused")
            continue
        assert kept == lines[: len(kept)]
        found.add("whole" if kept == lines else "shorter")
    assert {"refused", "whole"} <= found


# ---------------------------------------------------------------- anything, in any order


class Died(Exception):
    """The process is gone."""


class Fragile:
    """A store whose process dies at the next append: before it, in the midst of it, or after it, unheard."""

    def __init__(self, store: Any) -> None:
        self.store = store
        self.dies = ""

    def append(self, match: str, expected: int, lines: Sequence[bytes]) -> None:
        if self.dies == "before":
            raise Died
        if self.dies == "midst":
            path = self.store._path(match)
            data = b"".join(line + b"\n" for line in lines)
            with open(path, "ab") as file:
                file.write(data[: random.Random(len(data)).randrange(1, len(data))])
            raise Died
        self.store.append(match, expected, lines)
        if self.dies == "after":
            raise Died

    def read(self, match: str, start: int = 0, stop: int | None = None) -> list[bytes]:
        found: list[bytes] = self.store.read(match, start, stop)
        return found

    def matches(self) -> list[tuple[str, int]]:
        found: list[tuple[str, int]] = self.store.matches()
        return found

    def close(self) -> None:
        self.store.close()


class AnyOrder(RuleBasedStateMachine):
    """Two processes with one match, each of which may answer, undo, redo, branch, die, come again and lag behind."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(mkdtemp())
        self.acknowledged: tuple[bytes, ...] = ()
        self.players: list[Match] = []
        self.stores: list[Fragile] = []
        self.busy = False

    @initialize(kind=st.sampled_from(["folder", "sqlite"]), seed=st.integers(0, 99), hand=st.sampled_from([0, 2]))
    def begin(self, kind: str, seed: int, hand: int) -> None:
        self.kind = kind
        self.game = duel(hand_size=hand, rounds=3)
        self.stores = [self._store(), self._store()]
        first = self.game.new(seed=seed, log=Journal(self.stores[0], "m"), human=["ana", "bob"], embed=False)
        self.acknowledged = first.log.lines()
        self.players = [first, Match.open(Journal(self.stores[1], "m"), self.game)]

    def _store(self) -> Fragile:
        return Fragile(KINDS[self.kind](self.folder))

    def _change(self, who: int, change: Callable[[Match], Any]) -> None:
        """A change by one of the two: it is acknowledged, or a conflict for whoever lags behind."""
        match = self.players[who]
        before = (match.log, match.state, match.question)
        behind = match.log.lines() != self.acknowledged
        try:
            change(match)
        except Conflict:
            assert behind, "a conflict without another writer"
            assert (match.log, match.state, match.question) == before
            return
        lines = match.log.lines()
        if behind:
            assert lines == self.acknowledged[: len(lines)], "two writers won, with different records"
        else:
            assert lines[: len(self.acknowledged)] == self.acknowledged
        self.acknowledged = max(self.acknowledged, lines, key=len)

    @rule(who=st.integers(0, 1), choice=st.integers(0, 50))
    def answer(self, who: int, choice: int) -> None:
        moves = self.players[who].legal_moves()
        if moves:
            self._change(who, lambda match: match.play(moves[choice % len(moves)]))

    @rule(who=st.integers(0, 1), analyst=st.booleans())
    def undo(self, who: int, analyst: bool) -> None:
        if self.players[who].can_undo(as_analyst=analyst):
            self._change(who, lambda match: match.undo(as_analyst=analyst))

    @rule(who=st.integers(0, 1))
    def redo(self, who: int) -> None:
        if self.players[who].can_redo():
            self._change(who, lambda match: match.redo())

    @rule(who=st.integers(0, 1), choice=st.integers(0, 50))
    def branch(self, who: int, choice: int) -> None:
        records = [r.n for r in self.players[who].log.records if hasattr(r, "then")]
        self._change(who, lambda match: match.branch(records[choice % len(records)]))

    @rule(who=st.integers(0, 1))
    def note(self, who: int) -> None:
        self._change(who, lambda match: match.note("hm"))

    @rule(who=st.integers(0, 1))
    def catch_up(self, who: int) -> None:
        self.players[who].catch_up()
        assert self.players[who].log.lines() == self.acknowledged

    @precondition(lambda self: self.players)
    @rule(who=st.integers(0, 1), when=st.sampled_from(["before", "midst", "after"]), choice=st.integers(0, 50))
    def die(self, who: int, when: str, choice: int) -> None:
        """One of the two dies while it writes, and comes again; the other goes on."""
        match, store = self.players[who], self.stores[who]
        if when != "midst" or (self.kind == "folder" and match.log.lines() == self.acknowledged):
            store.dies = when
        moves = match.legal_moves()
        with suppress(Died, Conflict):
            match.play(moves[choice % len(moves)]) if moves else match.note("x")
        store.close()
        self.stores[who] = self._store()
        if self.kind == "folder":
            read_log(self.folder / "matches" / "m.jsonl", repair=True)
        self.reopen(who)
        added = self.players[who].log.lines()
        assert added[: len(self.acknowledged)] == self.acknowledged, "an acknowledged record is gone"
        self.acknowledged = added

    @rule(who=st.integers(0, 1))
    def reopen(self, who: int) -> None:
        self.players[who] = Match.open(Journal(self.stores[who], "m"), self.game)

    @invariant()
    def nothing_acknowledged_is_lost(self) -> None:
        if self.players:
            assert tuple(self.stores[0].read("m")) == self.acknowledged
            for match in self.players:
                lines = match.log.lines()
                assert lines == self.acknowledged[: len(lines)]

    def teardown(self) -> None:
        if self.players:
            log = parse_log(b"\n".join((*self.acknowledged, b"")))[0]
            done = replay(log, self.game)
            assert done.difference is None and fold(log, self.game).state == done.match.state
            for match in self.players:
                match.catch_up()
                assert match.state == done.match.state and match.question == done.match.question
        for store in self.stores:
            store.close()
        shutil.rmtree(self.folder)


TestAnyOrder = AnyOrder.TestCase
TestAnyOrder.settings = settings(
    max_examples=220 if LONG else 40, stateful_step_count=50, deadline=None, suppress_health_check=list(HealthCheck)
)
