"""Opening a match of a store from the latest snapshot that its log confirms, and the few records after it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from interpreter.errors import LogError
from interpreter.lines import HEADER, check_line
from interpreter.log import Log, Stretch, read_on
from interpreter.match import Match
from interpreter.past import Past
from interpreter.recorder import Recorder
from interpreter.replay import catch_up, replay_in, rules_of
from interpreter.rules import Rules
from interpreter.snapshots import Snapshot, Snapshots
from interpreter.store import Journal


def opened(journal: Journal, game: Any, own_rules: bool, folder: str | Path) -> Match:
    """See `Match.open`."""
    first = journal.lines(0, 1)
    if not first:
        journal.log()
    check_line(first[0], "", HEADER)
    head = Log.of_lines(first)
    rules = rules_of(head, game, own_rules=own_rules or game is None)
    snapshots = Snapshots(folder, rules, head.hash)
    for record, _ in snapshots.records():
        lines = journal.lines(record + 1)
        snapshot = snapshots.get(record, lines[0]) if lines else None
        if snapshot is not None:
            return _gone_on(journal, head, rules, snapshots, snapshot, lines)
    return replay_in(journal.log(), rules, journal, snapshots)


def _gone_on(
    journal: Journal, head: Log, rules: Rules, snapshots: Snapshots, snapshot: Snapshot, lines: Sequence[bytes]
) -> Match:
    """The match at a snapshot, taken through the lines after it."""
    header = head.header
    before = snapshot.record + 1
    recorder = Recorder.of_end(header, before, lines[:1], journal)
    match = Match(rules, humans=header.humans, recorder=recorder)
    past = Past(rules, snapshots, snapshot, lambda start, stop: _records(journal, start, stop), recorder.plain)
    match.history.go_on_from(past)
    match.history.take_snapshots(snapshots, snapshot.record)
    stretch: Stretch = read_on(before, lines[:1], lines[1:])
    if 1 + stretch.last - stretch.first < len(lines):
        raise LogError("torn", "what was written together with it is missing", stretch.last, str(journal))
    recorder.take_over(stretch)
    catch_up(match, stretch)
    return match


def _records(journal: Journal, start: int, stop: int) -> Sequence[bytes]:
    return journal.lines(start + 1, stop + 1)
