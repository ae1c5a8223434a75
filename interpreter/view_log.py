"""The log of a match as one viewer may see it: records with what is public or the viewer's own, and a chain of their own.

It holds no seed, no digest of a full state, no draw, no answer of others and no reason that names one. What changes in the
visible fields stands in each record, so that stepping through it gives the viewer's view of each position. The hashes are taken
over these lines alone: whoever has them learns nothing from them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from interpreter.canonical import canonical
from interpreter.errors import LogError
from interpreter.lines import chained, compact, hash_of, whole_of
from interpreter.log import Log, save_durably
from interpreter.node import Node, events_of
from interpreter.position import Position
from interpreter.recording import logged_move
from interpreter.records import LANGUAGE, End, Note, Plain
from interpreter.rules import Rules, hash_text
from interpreter.view import (
    REFEREE,
    Viewer,
    plain_event,
    plain_question,
    plain_value,
    sentence,
    visible_event,
    visible_field,
)
from rulesdsl.types import MapType, Type

if TYPE_CHECKING:
    from interpreter.match import Match

VIEW_FORMAT = "rulesdsl-view/1"

Change = tuple[list[str], Any]
"""Where something visible has changed (a field, and keys of maps), and what it is now."""


class ViewLog:
    """The lines of a view, as a value. `position(n)` is what the viewer sees after record `n`."""

    def __init__(self, lines: Sequence[bytes]) -> None:
        """Lines that were checked or have just been made."""
        self._lines = tuple(lines)

    @cached_property
    def header(self) -> Plain:
        """The first line as JSON data."""
        found: Plain = json.loads(self._lines[0])
        return found

    @cached_property
    def records(self) -> tuple[Plain, ...]:
        """The other lines as JSON data."""
        return tuple(map(json.loads, self._lines[1:]))

    def lines(self) -> tuple[bytes, ...]:
        """The lines, without line ends."""
        return self._lines

    def data(self) -> bytes:
        """The bytes of a file of it."""
        return b"\n".join((*self._lines, b""))

    def __eq__(self, other: object) -> bool:
        return self._lines == other._lines if isinstance(other, ViewLog) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._lines[-1])

    def save(self, path: str | Path) -> None:
        """Write it to a file.

        Raises:
            OSError: it cannot be written.
        """
        save_durably(Path(path), self.data())

    def positions(self) -> Iterator[Plain]:
        """What the viewer sees after each record, as `View.plain` has it."""
        state: Plain = self.header["state"]
        told: dict[int, tuple[list[Plain], list[str]]] = {-1: ([], [])}
        here = -1
        for record in self.records:
            n = record["n"]
            state = _changed(state, record["changes"])
            if digest_of_view(state) != record["state"]:
                raise LogError("altered", "its changes do not give its state", n)
            if "then" in record:
                events, sentences = told[here]
                told[n] = events + record["then"], sentences + record["sentences"]
                here = n
            elif "to" in record:
                here = record["to"]
            events, sentences = told[here]
            yield {
                "viewer": self.header["viewer"],
                "state": state,
                "events": events,
                "question": record.get("question"),
                "legal_moves": record.get("moves", []),
                "outcome": record.get("outcome"),
                "sentences": sentences,
            }

    def position(self, n: int) -> Plain:
        """What the viewer sees after a record.

        Raises:
            IndexError: there is no such record.
        """
        for number, found in enumerate(self.positions()):
            if number == n:
                return found
        raise IndexError(f"there is no record {n}")


def read_view(data: bytes) -> ViewLog:
    """The log of a view from the bytes of a file, its chain checked.

    Raises:
        LogError: it was altered, or is something else.
    """
    *lines, tail = data.split(b"\n")
    previous = ""
    for number, line in enumerate(lines, start=-1):
        if chained(_body(line), previous) != (hash_of(line), line):
            raise LogError("altered", "its hash does not fit: it, or a record before it, was altered", number)
        previous = hash_of(line)
    if tail or not lines:
        raise LogError("torn", "the last line is incomplete", len(lines) - 1)
    made = ViewLog(lines)
    if made.header.get("format") != VIEW_FORMAT:
        raise LogError("format", f"not a log of format {VIEW_FORMAT}", -1)
    for number, record in enumerate(made.records):
        if record["n"] != number:
            raise LogError("altered", f"record {record['n']} stands where record {number} belongs", number)
        if record["kind"] == "end" and record["whole"] != whole_of(lines[: number + 1]):
            raise LogError("altered", "its digest of the whole does not fit the records before it", number)
    return made


def _body(line: bytes) -> bytes:
    return line.rpartition(b',"hash":"')[0] + b"}"


def view_log(match: Match, viewer: Viewer) -> ViewLog:
    """The log of a match as a viewer sees it.

    Raises:
        ValueProblem: there is no such seat.
    """
    return _Maker(match, viewer).make()


class _Maker:
    """Goes through the records of a match and writes what a viewer may know of them."""

    def __init__(self, match: Match, viewer: Viewer) -> None:
        if viewer is not None and viewer is not REFEREE:
            match.rules.seat(viewer)
        self.match = match
        self.rules = match.rules
        self.viewer = viewer
        self.lines: list[bytes] = []
        self.state: Plain = visible_state(self.rules, self.rules.module.initial(), viewer)

    def make(self) -> ViewLog:
        self._add(self._header())
        position: Position | None = None
        for record in self.match.log.records:
            kind = type(record).__name__.lower()
            told: Plain = {"n": record.n, "kind": kind}
            if hasattr(record, "then"):
                position = self.match.after_record(record.n)
                told |= visible_answer(self.rules, position.node, self.viewer)
            elif hasattr(record, "to"):
                told["to"] = record.to
                position = self.match.after_record(record.to)
            elif isinstance(record, End):
                told |= {"count": len(self.lines), "whole": whole_of(self.lines)}
            elif isinstance(record, Note) and self.viewer is REFEREE:
                told["text"] = record.text
            told |= self._now(position)
            self._add(told)
        return ViewLog(self.lines)

    def _header(self) -> Plain:
        header = self.match.log.header
        return {
            "format": VIEW_FORMAT,
            "language": LANGUAGE,
            "game": header.game,
            "digest": header.digest,
            "params": header.params,
            "seats": list(header.seats),
            "variants": list(header.variants),
            "viewer": viewer_name(self.viewer),
            "state": self.state,
        }

    def _now(self, position: Position | None) -> Plain:
        """The visible changes, and what the viewer is asked now."""
        if position is None:
            return {"changes": [], "state": digest_of_view(self.state)}
        now = visible_state(self.rules, position.node.st, self.viewer)
        found: Plain = {"changes": list(changes(self.rules, self.state, now)), "state": digest_of_view(now)}
        self.state = now
        asked = position.asks and self.viewer in (REFEREE, position.question.seat)
        if asked:
            found["question"] = plain_question(self.rules.codec, position.question)
            found["moves"] = [str(move) for move in position.legal_moves()]
        if position.outcome is not None:
            found["outcome"] = plain_value(self.rules.codec, position.outcome)
        return found

    def _add(self, data: Plain) -> None:
        previous = hash_of(self.lines[-1]) if self.lines else ""
        self.lines.append(chained(compact(data), previous)[1])


def viewer_name(viewer: Viewer) -> str | None:
    """What a view calls its viewer: a seat, None for a spectator, or `referee`."""
    return "referee" if viewer is REFEREE else viewer


def visible_answer(rules: Rules, node: Node, viewer: Viewer) -> Plain:
    """What a viewer may know of an answer and what followed: the own answer, the events and sentences that are visible."""
    told: Plain = {}
    own = node.move is not None and viewer in (REFEREE, rules.seats[node.seat])
    if own and node.move is not None and node.parent is not None:
        move = logged_move(rules, node.move)
        told["seat"] = rules.seats[node.seat]
        told["asked"] = list(rules.asked_texts(node.parent.st, node.parent.frame))
        told["answer"] = {"action": move.action, "arguments": move.arguments}
    events = list(events_of(node))
    sentences = [sentence(rules, event, viewer) for event in events]
    told["then"] = [plain_event(rules.codec, visible_event(rules, event, viewer)) for event in events]
    told["sentences"] = [text for text in sentences if text is not None]
    return told


def visible_state(rules: Rules, st: Any, viewer: Viewer) -> Plain:
    """The fields as a viewer sees them, as JSON data."""
    return {
        info.name: plain_value(rules.codec, visible_field(rules, info, st, viewer)) for info in rules.program.fields
    }


def digest_of_view(state: Plain) -> str:
    """The digest of a visible state: over its canonical JSON."""
    return hash_text(canonical(state).encode())


def changes(rules: Rules, before: Plain, after: Plain) -> Iterator[Change]:
    """What is visibly different: fields, and of maps the entries."""
    for info in rules.program.fields:
        yield from _changes([info.name], info.type, before[info.name], after[info.name])


def _changes(path: list[str], t: Type, before: Any, after: Any) -> Iterator[Change]:
    if before == after:
        return
    if isinstance(t, MapType) and _are_entries(before) and _are_entries(after):
        for key, value in after.items():
            yield from _changes([*path, key], t.value, before[key], value)
    else:
        yield path, after


def _are_entries(value: Any) -> bool:
    return isinstance(value, dict) and "concealed" not in value


def _changed(state: Plain, found: Sequence[Change]) -> Plain:
    """A state with changes made; the old one stays as it is."""
    for path, value in found:
        state = _set(state, path, value)
    return state


def _set(value: Any, path: Sequence[str], to: Any) -> Any:
    if not path:
        return to
    return {**value, path[0]: _set(value[path[0]], path[1:], to)}


def view_of_log(log: Log, viewer: Viewer, game: Any = None) -> ViewLog:
    """See `Log.view`."""
    from interpreter.match import Match

    return view_log(Match.from_log(log, game, own_rules=game is None), viewer)
