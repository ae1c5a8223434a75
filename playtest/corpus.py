"""A corpus: a folder of logs of games that showed something, replayed before any other game and added to afterwards.

The logs are like all others: they can be replayed, shown and explained. Logs of other rules are played as far as they go.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from interpreter.errors import LogError
from interpreter.log import Log, read_log
from playtest.archive import Archive, Entry, Watch
from playtest.chunks import Chunk
from playtest.failure import Failure, failure
from playtest.laws import Broken
from playtest.logs import plies_of, record, rules_of
from playtest.plies import CHOICE, DRAW, Loaded, Ply
from playtest.rollout import Arena
from rulesdsl import runtime

LONGEST = 2_000
LARGEST = 400


class Corpus:
    """The logs of one game, with one number of players, in a folder.

    Raises:
        OSError: the folder cannot be made or read.
    """

    def __init__(self, folder: Path, loaded: Loaded) -> None:
        self.rules = rules_of(loaded)
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self.replayed_entries = 0

    @property
    def stem(self) -> str:
        return f"{self.rules.program.name}-{len(self.rules.seats)}p"

    def logs(self) -> Iterator[Log]:
        """The logs, in the order of their names. Files that are no logs of this game are passed over."""
        for _, log in _logs(self.folder):
            if isinstance(log, LogError):
                continue
            if log.header.game == self.rules.program.name and log.header.seats == self.rules.seats:
                yield log

    def replayed(self, arena: Arena, archive: Archive) -> Iterator[Chunk]:
        """Replay all logs, judged, and add what they show to an archive; stops at one that breaks a law."""
        watch = arena.watch(archive)
        for log in self.logs():
            broken = follow(arena, plies_of(self.rules, log), watch)
            self.replayed_entries = len(archive.entries)
            yield Chunk(games=1, failure=broken)
            if broken is not None:
                return

    def keep(self, entries: Sequence[Entry], broken: Failure | None) -> None:
        """Write what is new as logs: where points of the rules were first come to, and a failure.

        Raises:
            OSError: a log cannot be written.
        """
        room = LARGEST - len(list(self.folder.glob(f"{self.stem}-*.jsonl")))
        worth = [e for e in entries[self.replayed_entries :] if e.keys[0][0] == "point" and len(e.plies) <= LONGEST]
        for entry in worth[: max(0, room)]:
            self._write(self.stem, entry.plies)
        if broken is not None:
            words = "-".join(re.findall(r"[a-z0-9]+", f"{broken.law} {broken.clause}".lower()))[:40].rstrip("-")
            self._write(f"{self.stem}-{words}", broken.plies)

    def _write(self, stem: str, plies: Sequence[Ply]) -> None:
        digest = hashlib.blake2b(repr(plies).encode(), digest_size=5).hexdigest()
        record(self.rules, plies, embed=False).log.save(self.folder / f"{stem}-{digest}.jsonl")


def _logs(folder: Path) -> Iterator[tuple[Path, Log | LogError]]:
    """Each log in a folder, or why it cannot be read."""
    for path in sorted(path for path in folder.glob("*.jsonl") if path.is_file()):
        try:
            yield path, read_log(path)
        except LogError as error:
            yield path, error


def damaged(folder: Path) -> list[tuple[Path, LogError]]:
    """The files of a corpus that would be logs and cannot be read, with the reason.

    Raises:
        OSError: the folder cannot be read.
    """
    return [(path, log) for path, log in _logs(folder) if isinstance(log, LogError)]


def follow(arena: Arena, plies: Sequence[Ply], watch: Watch | None) -> Failure | None:
    """Play known plies, judged and watched; the failure where a law is broken."""
    laws, made = arena.laws, 0
    counting = laws if watch is None else watch.laws
    module = counting.module
    done: list[Ply] = []
    try:
        with laws.faults():
            position = counting.start(runtime.Trace())
            for ply in plies:
                if position[1] is None:
                    break
                if ply[0] == CHOICE:
                    laws.options(position, made)
                    module.legal(*position)
                    if watch is not None:
                        watch.look(position, done, made)
                done.append(ply)
                made += ply[0] == CHOICE
                trace = runtime.Trace()
                go_on = module.drawn if ply[0] == DRAW else module.answer
                after = go_on(*position, ply[1], trace)
                laws.judge(position[0], trace, after[0])
                if watch is not None:
                    watch.judge(position[0], trace, after[0])
                position = after
            laws.options(position, made)
    except Broken as broken:
        return failure(broken, done)
    return None
