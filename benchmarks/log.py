"""How fast logs are kept and read: `python benchmarks/log.py [MATCHES [ANSWERS]]`.

Beside them, in the same run, stand what no log can beat (one row of plain SQLite a commit, one line of plain JSON and an
fsync) and the package `eventsourcing` (needed only here: `pip install eventsourcing`). Appends go over a store of 2,000 matches,
replay over one long match of 10,000 answers of a small program. All of it is done in turns, five times, and the medians are
compared: a busy machine slows all of them.
"""

from __future__ import annotations

import os
import random
import sqlite3
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from interpreter import Game, Journal, Match, MemoryStore, open_store, replay
from interpreter.file_store import FileStore
from interpreter.folding import fold_states
from interpreter.log import Log

TURNS = 5
APPENDS = 300
"""For each turn."""

WALK = '''
game walk:
    title "A long walk"
    players ana, bob

board Cell = grid(8, 8)

state:
    at[Player]: Cell = a1
    steps: 0..100000
    marks[Cell]: 0..3

event Stepped(by: Player, to: Cell):
    "{by} steps to {to}"
    at[by] = to
    steps += 1

event Marked(cell: Cell, n: 0..3):
    marks[cell] = n

action walk_to(to in at[me].neighbours):
    emit Stepped(me, to)
    if marks[to] < 3:
        emit Marked(to, marks[to] + 1)
    else:
        emit Marked(to, 0)

flow main:
    while steps < 100000:
        for p in Player:
            p chooses walk_to
    end tie
'''


def long_match(game: Game, answers: int, log: Journal | None = None) -> Match:
    """A match of random answers."""
    match = game.new(seed=1, log=log)
    chance = random.Random(1)
    for _ in range(answers):
        match.answer(chance.choice(match.position.legal()))
    return match


# ---------------------------------------------------------------- appending, durably


def lines_of(game: Game, count: int) -> list[bytes]:
    """Lines as matches have them."""
    return list(long_match(game, count).log.lines()[2:])


def sqlite_plain(folder: Path, lines: list[bytes], matches: int) -> Callable[[Iterator[int]], None]:
    base = sqlite3.connect(folder / "plain.db", isolation_level=None)
    base.execute("PRAGMA journal_mode = WAL")
    base.execute("PRAGMA synchronous = FULL")
    base.execute("CREATE TABLE line (match INTEGER, n INTEGER, line BLOB, PRIMARY KEY (match, n)) WITHOUT ROWID")
    for match in range(matches):
        base.execute("INSERT INTO line VALUES (?, 0, ?)", (match, lines[0]))

    def append(numbers: Iterator[int]) -> None:
        for number in numbers:
            base.execute("INSERT INTO line VALUES (?, ?, ?)", (number % matches, 1 + number // matches, lines[number % len(lines)]))

    return append


def jsonl_plain(folder: Path, lines: list[bytes], matches: int) -> Callable[[Iterator[int]], None]:
    (folder / "plain").mkdir()
    handles = [os.open(folder / "plain" / f"{m}.jsonl", os.O_WRONLY | os.O_APPEND | os.O_CREAT) for m in range(min(matches, 64))]

    def append(numbers: Iterator[int]) -> None:
        for number in numbers:
            handle = handles[number % len(handles)]
            os.write(handle, lines[number % len(lines)] + b"\n")
            os.fsync(handle)

    return append


def journals(store: Any, game: Game, matches: int, active: int) -> Callable[[Iterator[int]], None]:
    """Matches that are played in turns: everything that belongs to an answer is done."""
    head = long_match(game, 1).log.lines()
    for number in range(matches):
        store.append(f"m{number}", 0, head) if number >= active else None
    playing = [game.new(seed=number, log=Journal(store, f"m{number}"), embed=False) for number in range(active)]
    chance = random.Random(1)

    def append(numbers: Iterator[int]) -> None:
        for number in numbers:
            match = playing[number % len(playing)]
            legal = match.position.legal()
            match.answer(legal[int(chance.random() * len(legal))])

    return append


def bare_journals(store: Any, lines: list[bytes], matches: int) -> Callable[[Iterator[int]], None]:
    """Lines that are there already, into the journals of all matches."""
    counts = [0] * matches
    made = [Journal(store, f"m{number}") for number in range(matches)]

    def append(numbers: Iterator[int]) -> None:
        for number in numbers:
            match = number % matches
            made[match].append(counts[match], [lines[number % len(lines)]])
            counts[match] += 1

    return append


def peer(folder: Path) -> tuple[Callable[[Iterator[int]], None], Callable[[int], Callable[[], Any]]]:
    """The package eventsourcing: what appends, and what replays so many events."""
    from eventsourcing.application import Application
    from eventsourcing.domain import Aggregate, event

    class Walk(Aggregate):
        @event("Began")
        def __init__(self) -> None:
            self.at = {"ana": "a1", "bob": "a1"}
            self.steps = 0
            self.marks: dict[str, int] = {}

        @event("Stepped")
        def step(self, by: str, to: str) -> None:
            self.at[by] = to
            self.steps += 1

        @event("Marked")
        def mark(self, cell: str, n: int) -> None:
            self.marks[cell] = n

    class Walks(Application):
        env = {"PERSISTENCE_MODULE": "eventsourcing.sqlite", "SQLITE_DBNAME": str(folder / "peer.db")}

    walks = Walks()
    walking = Walk()
    walks.save(walking)

    def append(numbers: Iterator[int]) -> None:
        for number in numbers:
            walking.step("ana", "b2")
            walking.mark("b2", number % 4)
            walks.save(walking)

    def replayed(events: int) -> Callable[[], Any]:
        long = Walk()
        for number in range(events // 2):
            long.step("ana", "b2")
            long.mark("b2", number % 4)
        walks.save(long)
        return lambda: walks.repository.get(long.id)

    return append, replayed


# ---------------------------------------------------------------- the run


def in_turns(work: dict[str, Callable[[], float]], turns: int = TURNS) -> dict[str, float]:
    """The median of each, all of them done in turns."""
    found: dict[str, list[float]] = {name: [] for name in work}
    for _ in range(turns):
        for name, measure in work.items():
            found[name].append(measure())
    return {name: statistics.median(values) for name, values in found.items()}


def rate(work: Callable[[], Any], count: float) -> Callable[[], float]:
    def measure() -> float:
        began = time.perf_counter()
        work()
        return count / (time.perf_counter() - began)

    return measure


def counted(append: Callable[[Iterator[int]], None]) -> Callable[[], float]:
    """Appends a second; each turn goes on where the last one ended."""
    state = {"next": 0}

    def work() -> None:
        first = state["next"]
        state["next"] += APPENDS
        append(iter(range(first, first + APPENDS)))

    return rate(work, APPENDS)


def appends(game: Game, folder: Path, matches: int, peer_append: Callable[[Iterator[int]], None]) -> None:
    lines = lines_of(game, 200)
    sqlite, files = open_store(folder / "ours.db"), FileStore(folder / "ours")
    found = in_turns(
        {
            "plain SQLite": counted(sqlite_plain(folder, lines, matches)),
            "SQLite store": counted(bare_journals(open_store(folder / "bare.db"), lines, matches)),
            "SQLite, played": counted(journals(sqlite, game, matches, 50)),
            "plain JSONL": counted(jsonl_plain(folder, lines, matches)),
            "file store": counted(bare_journals(FileStore(folder / "bare"), lines, 60)),
            "files, played": counted(journals(files, game, 60, 50)),
            "eventsourcing": counted(peer_append),
        }
    )
    print(f"durable appends a second, over {matches:,} matches")
    for name, value in found.items():
        limit = found["plain JSONL"] if "file" in name or "JSONL" in name else found["plain SQLite"]
        told = f"  {value / limit:5.2f} of the limit, {value / found['eventsourcing']:5.2f} of the peer"
        print(f"  {name:<18}{value:>10,.0f}{told}")


def replays(game: Game, folder: Path, answers: int, replayed: Callable[[int], Callable[[], Any]]) -> None:
    store = MemoryStore()
    match = long_match(game, answers, Journal(store, "long"))
    lines = match.log.lines()
    rules = game.rules()
    events = 2 * answers
    found = in_turns(
        {
            "fold alone": rate(lambda: fold_states(Log.of_lines(store.read("long")), rules), events),
            "peer's replay": rate(replayed(events), events),
            "verified replay": rate(lambda: replay(Log.of_lines(lines), game), answers),
        }
    )
    print(f"\none match of {answers:,} answers, {events:,} events")
    peers = found["peer's replay"]
    times = found["fold alone"] / peers
    print(f"  fold alone        {found['fold alone']:>10,.0f} events/s, {times:.1f} times the peer")
    print(f"  peer's replay     {peers:>10,.0f} events/s")
    print(f"  verified replay   {found['verified replay']:>10,.0f} answers/s")
    history(game, folder, match)


def history(game: Game, folder: Path, match: Match) -> None:
    """Opening from a snapshot, and looking back, for matches of a tenth of the length and of the whole."""
    number = match.number
    for length in (number // 10, number):
        store = open_store(folder / f"long-{length}.db")
        journal = Journal(store, "long")
        journal.append(0, match.log.lines()[: length + 2])
        snapshots = folder / f"snapshots-{length}"
        Match.open(journal, game, snapshots=snapshots)
        opened = in_turns({"open": rate(lambda j=journal, s=snapshots: Match.open(j, game, snapshots=s), 1)})["open"]  # type: ignore[misc]
        chance = random.Random(1)
        look, undo = [], []
        for _ in range(9):
            again, n = Match.open(journal, game, snapshots=snapshots), chance.randrange(length)
            look.append(rate(lambda m=again, n=n: m.at(n).state, 1)())  # type: ignore[misc]
            undo.append(rate(lambda m=again: m.undo(), 1)())  # type: ignore[misc]
        print(
            f"  of {length:>6,} answers: opened from a snapshot in {1000 / opened:.1f} ms, "
            f"at(n) {1000 / statistics.median(look):.2f} ms, undo {1000 / statistics.median(undo):.2f} ms"
        )
        store.close()


def main() -> None:
    matches = int(sys.argv[1]) if len(sys.argv) > 1 else 2_000
    answers = int(sys.argv[2]) if len(sys.argv) > 2 else 10_000
    game = Game.from_text({"walk.rules": WALK})
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "a").mkdir()
        peer_append, replayed = peer(folder)
        appends(game, folder / "a", matches, peer_append)
        replays(game, folder, answers, replayed)


if __name__ == "__main__":
    main()
