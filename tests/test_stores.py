"""Stores: what they accept and refuse, what becomes of two writers, and that nothing is lost on the way between them."""

from __future__ import annotations

import itertools
import os
import resource
import signal
import sqlite3
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from machine_games import duel
from test_match import play_randomly

from interpreter import Conflict, Journal, LogError, Match, MemoryStore, Store, open_store, read_log
from interpreter.file_store import FileStore, log_file
from interpreter.sqlite_store import SqliteStore
from interpreter.store import BATCH, copy, headers

Make = Callable[[Path], Store]

KINDS: dict[str, Make] = {
    "memory": lambda folder: MemoryStore(),
    "folder": lambda folder: FileStore(folder / "matches", "none"),
    "file": lambda folder: FileStore(folder / "m.jsonl", "none", single=True),
    "sqlite": lambda folder: SqliteStore(folder / "matches.db", "none"),
}
ON_DISK = [kind for kind in KINDS if kind != "memory"]


@pytest.fixture(params=KINDS)
def store(request: Any, tmp_path: Path) -> Iterator[Store]:
    made = KINDS[request.param](tmp_path)
    yield made
    made.close()


def lines(*names: str) -> list[bytes]:
    return [f'{{"line":"{name}"}}'.encode() for name in names]


# ---------------------------------------------------------------- appending

THERE = {"none": lines(), "one": lines("a"), "three": lines("a", "b", "c")}
ADDED = [lines(*names) for count in range(4) for names in itertools.product("abcx", repeat=count)]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("there", THERE.values(), ids=THERE)
@pytest.mark.parametrize("expected", range(5))
def test_every_expected_version_against_every_state(
    kind: str, there: list[bytes], expected: int, tmp_path: Path
) -> None:
    """Appended where it belongs; nothing where it stands already, whole; a conflict without a change otherwise."""
    shared = KINDS[kind](tmp_path)
    for number, added in enumerate(ADDED):
        if kind == "file":
            journal = log_file(tmp_path / f"{number}.jsonl", "none")
        else:
            journal = Journal(shared, f"m{number}")
        journal.append(0, there)
        if not added:
            journal.append(expected, added)
            assert journal.lines() == there
        elif expected == len(there):
            journal.append(expected, added)
            assert journal.lines() == there + added
        elif expected < len(there) and there[expected : expected + len(added)] == added:
            journal.append(expected, added)
            assert journal.lines() == there
        else:
            with pytest.raises(Conflict) as caught:
                journal.append(expected, added)
            assert (caught.value.expected, caught.value.found) == (expected, len(there))
            assert journal.lines() == there
    shared.close()


def test_a_store_itself_refuses_what_does_not_fit(store: Store) -> None:
    store.append("m", 0, lines("a", "b"))
    for expected in (0, 1, 3):
        with pytest.raises(Conflict):
            store.append("m", expected, lines("c"))
    assert store.read("m") == lines("a", "b")


def test_ranges(store: Store) -> None:
    store.append("m", 0, lines("a", "b", "c", "d"))
    everything = lines("a", "b", "c", "d")
    for start, stop in itertools.product(range(6), [None, *range(6)]):
        assert store.read("m", start, stop) == everything[start:stop]
    assert store.read("other") == []


def test_what_is_there_is_listed_by_name(tmp_path: Path) -> None:
    for kind in ("memory", "folder", "sqlite"):
        with_names = KINDS[kind](tmp_path / kind if kind == "folder" else tmp_path)
        assert list(with_names.matches()) == []
        for name in ("zoe", "anna", "ben 2"):
            with_names.append(name, 0, lines("a", "b"))
        with_names.append("anna", 2, lines("c"))
        assert list(with_names.matches()) == [("anna", 3), ("ben 2", 2), ("zoe", 2)]
        with_names.close()


@pytest.mark.parametrize("name", ["../m", "a/b", "", ".hidden", "a\0b"])
def test_a_folder_refuses_names_that_are_no_file_names(tmp_path: Path, name: str) -> None:
    with pytest.raises(LogError, match="cannot be the name of a file"):
        FileStore(tmp_path).append(name, 0, lines("a"))


# ---------------------------------------------------------------- two writers


@pytest.mark.parametrize("kind", KINDS)
def test_of_two_writers_exactly_one_wins(kind: str, tmp_path: Path) -> None:
    first = KINDS[kind](tmp_path)
    stores = [first, first if kind == "memory" else KINDS[kind](tmp_path)]
    stores[0].append("m", 0, lines("start"))
    rounds = 30
    won: list[list[int]] = [[], []]
    together = threading.Barrier(2)

    def write(who: int) -> None:
        for number in range(1, rounds + 1):
            together.wait()
            try:
                Journal(stores[who], "m").append(number, lines(f"{who}-{number}"))
                won[who].append(number)
            except Conflict:
                pass
            together.wait()

    threads = [threading.Thread(target=write, args=(who,)) for who in (0, 1)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(won[0] + won[1]) == list(range(1, rounds + 1)), "each number was won once"
    kept = stores[0].read("m")
    assert kept == stores[1].read("m") and len(kept) == rounds + 1
    assert all(kept[number] == lines(f"{who}-{number}")[0] for who in (0, 1) for number in won[who])
    for item in stores:
        item.close()


@pytest.mark.parametrize("kind", ON_DISK)
def test_the_slower_of_two_players_catches_up(kind: str, tmp_path: Path) -> None:
    with duel(hand_size=0).new(seed=1, log=Journal(KINDS[kind](tmp_path), "m")) as ana:
        bob = Match.open(Journal(KINDS[kind](tmp_path), "m"))
        ana.play("roll")
        before = (bob.log, bob.state)
        with pytest.raises(Conflict, match="somebody else has written"):
            bob.play("wait")
        assert (bob.log, bob.state) == before
        assert bob.catch_up() == 2 and bob.catch_up() == 0
        assert (bob.log, bob.state, bob.question) == (ana.log, ana.state, ana.question)
        bob.play("wait")
        assert ana.catch_up() == 2 and ana.state == bob.state
        for change in (ana.undo, lambda: ana.undo(), ana.redo, lambda: ana.branch(0), lambda: ana.note("so")):
            change()
            assert bob.catch_up() == 1 and (bob.log, bob.state) == (ana.log, ana.state)
            assert bob.can_redo().reason == ana.can_redo().reason
        play_randomly(ana, 2)
        bob.catch_up()
        assert bob.outcome == ana.outcome and bob.log == ana.log
        bob.close()


def test_a_click_that_comes_twice_counts_once() -> None:
    """Or one that was made for a position that is gone."""
    match = duel().new(seed=1)
    version = match.version
    match.play("wait", version=version)
    with pytest.raises(Conflict):
        match.play("pass", version=version)
    assert match.number == 1
    match.play("pass", version=match.version)


def test_what_was_added_by_somebody_who_cheats_is_not_taken_over(tmp_path: Path) -> None:
    path = tmp_path / "m.jsonl"
    match = duel(hand_size=0).new(seed=1, log=path)
    other = read_log(path)
    cheat = Match.from_log(other, duel(hand_size=0))
    cheat.play("roll")
    forged = cheat.log.lines()[2].replace(b'"state":"', b'"state":"0')
    from interpreter.lines import body_in, chained, is_more

    assert is_more(cheat.log.lines()[2])
    body = body_in(forged).replace(b',"more":true', b"")
    line = chained(body, match.log.hash)[1]
    log_file(path).append(2, [line])
    before = (match.state, match.log)
    with pytest.raises(LogError, match="the state is another"):
        match.catch_up()
    assert (match.state, match.log) == before
    log_file(path).append(3, [line])
    with pytest.raises(LogError, match="record 2 stands where record|record 1 stands where record"):
        match.catch_up()


@pytest.mark.parametrize("kind", ON_DISK)
def test_readers_do_not_wait_for_writers(kind: str, tmp_path: Path) -> None:
    store, reader = KINDS[kind](tmp_path), KINDS[kind](tmp_path)
    store.append("m", 0, lines("a"))
    if isinstance(store, SqliteStore):
        writer = sqlite3.connect(store.path, isolation_level=None)
        writer.execute("BEGIN IMMEDIATE")
        assert reader.read("m") == lines("a") and list(reader.matches()) == [("m", 1)]
        writer.execute("ROLLBACK")
        writer.close()
    else:
        from interpreter.locks import locked

        path = tmp_path / ("m.jsonl" if kind == "file" else "matches/m.jsonl")
        with open(path, "rb+") as file, locked(file.fileno()):
            assert reader.read("m") == lines("a") and list(reader.matches()) == [("m", 1)]
    store.close()
    reader.close()


# ---------------------------------------------------------------- matches in stores


def test_a_match_in_a_store_is_the_match(store: Store) -> None:
    plain = play_randomly(duel().new(seed=3), 3)
    match = play_randomly(duel().new(seed=3, log=Journal(store, "m")), 3)
    assert Journal(store, "m").log() == match.log == plain.log
    again = Match.open(Journal(store, "m"))
    assert (again.state, again.log) == (match.state, match.log)
    again.undo(as_analyst=True)
    assert Match.open(Journal(store, "m")).state == again.state
    with pytest.raises(FileExistsError):
        duel().new(seed=4, log=Journal(store, "m"))
    with pytest.raises(LogError, match="there is no match n; there are m"):
        Match.open(Journal(store, "n"))


def test_import_and_export_lose_nothing(tmp_path: Path) -> None:
    made = {kind: KINDS[kind](tmp_path) for kind in KINDS}
    match = duel().new(seed=3, log=Journal(made["sqlite"], "m"))
    play_randomly(match, 3, 4)
    for source, target in itertools.permutations(KINDS, 2):
        if source == "sqlite" or made[source].read("m"):
            copy(made[source], "m", made[target])
            assert made[target].read("m") == made[source].read("m") == list(match.log.lines())
    match.undo()
    copy(made["sqlite"], "m", made["folder"])
    assert made["folder"].read("m") == list(match.log.lines()), "what was added since is copied, too"
    copy(made["folder"], "m", made["memory"], "other")
    with pytest.raises(Conflict):
        copy(made["sqlite"], "m", MemoryStoreWith(lines("a")), "m")
    with pytest.raises(Conflict):
        copy(made["file"], "m", made["folder"])
    assert [name for name, header, last in headers(made["memory"])] == ["m", "other"]


class MemoryStoreWith(MemoryStore):
    def __init__(self, there: list[bytes]) -> None:
        super().__init__()
        self.append("m", 0, there)


def test_stores_are_told_apart(tmp_path: Path) -> None:
    assert isinstance(open_store(tmp_path), FileStore)
    assert isinstance(open_store(tmp_path / "m.jsonl"), FileStore)
    made = open_store(tmp_path / "new.db")
    assert isinstance(made, SqliteStore)
    made.close()
    (tmp_path / "text").write_text("hello, this is not a database at all" * 40)
    with pytest.raises(LogError, match="damaged"):
        open_store(tmp_path / "text")
    other = sqlite3.connect(tmp_path / "other.db")
    other.execute("CREATE TABLE mine (x)")
    other.close()
    with pytest.raises(LogError, match="something else"):
        open_store(tmp_path / "other.db")


# ---------------------------------------------------------------- durability


@pytest.mark.parametrize("durability", ["each", "batch", "none"])
def test_durability_of_files_is_what_was_asked_for(
    durability: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: list[int] = []
    monkeypatch.setattr(os, "fsync", lambda handle: synced.append(handle))
    store = FileStore(tmp_path / "matches", durability)
    store.append("m", 0, lines("a"))
    synced.clear()
    for number in range(1, 2 * BATCH + 10):
        store.append("m", number, lines("a"))
    assert len(synced) == {"each": 2 * BATCH + 9, "batch": 2, "none": 0}[durability]
    store.close()
    assert len(synced) == {"each": 2 * BATCH + 9, "batch": 3, "none": 0}[durability]


@pytest.mark.parametrize(("durability", "level"), [("each", 2), ("batch", 1), ("none", 0)])
def test_durability_of_a_database_is_what_was_asked_for(durability: Any, level: int, tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "matches.db", durability)
    assert store._base.execute("PRAGMA synchronous").fetchone() == (level,)
    assert store._base.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    store.close()


# ---------------------------------------------------------------- a full disk, a wrong place


def in_a_child(work: Callable[[], str]) -> str:
    """What a process of its own says."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.write(writing, work().encode())
        except BaseException as error:
            os.write(writing, f"{type(error).__name__}: {error}".encode())
        finally:
            os._exit(0)
    os.close(writing)
    said = b""
    while part := os.read(reading, 1000):
        said += part
    os.close(reading)
    os.waitpid(child, 0)
    return said.decode()


@pytest.mark.parametrize("kind", ON_DISK)
def test_a_full_disk_leaves_no_half_of_a_record(kind: str, tmp_path: Path) -> None:
    """The system lets files grow to so many bytes, and refuses the rest of a write."""

    def fill() -> str:
        match = duel(hand_size=0).new(seed=1, log=Journal(KINDS[kind](tmp_path), "m"), embed=False)
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        files = [path for path in tmp_path.rglob("*") if path.is_file()]
        size = max(path.stat().st_size for path in files)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size + 500, size + 500))
        number = 0
        for number in range(50):
            before = (match.state, match.version)
            try:
                match.play(match.legal_moves()[0])
            except OSError:
                return f"full {number} {before == (match.state, match.version)} {match.version} {match.state.digest}"
        return f"never full: {number}"

    word, number, same, version, digest = in_a_child(fill).split()
    assert (word, same) == ("full", "True") and int(number) < 50
    again = Match.open(Journal(KINDS[kind](tmp_path), "m"), duel())
    assert (again.version, again.state.digest) == (int(version), digest)
    again.play(again.legal_moves()[0])


def test_a_place_that_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(OSError):
        duel().new(seed=1, log=tmp_path / "no folder" / "m.jsonl")
    with pytest.raises(PermissionError, match="cannot be written or opened"):
        open_store(tmp_path / "no folder" / "m.db")
    store = SqliteStore(tmp_path / "m.db", "none")
    match = duel(hand_size=0).new(seed=1, log=Journal(store, "m"))
    store._base.execute("PRAGMA query_only = 1")
    before = (match.state, match.log)
    with pytest.raises(PermissionError):
        match.play("wait")
    assert (match.state, match.log) == before
    store._base.execute("PRAGMA query_only = 0")
    store._base.execute("PRAGMA max_page_count = 1")
    with pytest.raises(OSError, match="the disk is full"):
        match.note("x" * 100_000)
    match.play("wait")
    store.close()
    with pytest.raises(LogError, match="the store is closed"):
        match.play("wait")


def test_a_file_that_is_gone_or_another_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "m.jsonl"
    match = duel(hand_size=0).new(seed=1, log=path)
    log = match.log
    path.rename(tmp_path / "old.jsonl")
    with pytest.raises(LogError, match="the log file is gone"):
        match.play("wait")
    log.save(path)
    with pytest.raises(LogError, match="another file has taken the place"):
        match.play("wait")
    assert read_log(path) == match.log == log
