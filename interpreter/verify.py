"""Looking for everything that is wrong with a log, not only for the first thing: one `Defect` for each cause."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from attrs import frozen

from interpreter.errors import LogError, ValueProblem
from interpreter.lines import HEADER, chains, check_end, data_of, hash_of, is_more, record_of
from interpreter.log import Log
from interpreter.reading import reader_of
from interpreter.records import Header, Plain
from interpreter.replay import replay, rules_of
from interpreter.rules import Internal, Rules

if TYPE_CHECKING:
    from interpreter.game import Game


@frozen
class Defect:
    """Something that is wrong with a log. `kind` is a stable word (see `KINDS`), `record` its number, -1 for the header.

    `line` is the line of the file, from 1.
    """

    kind: str
    record: int
    line: int
    what: str

    def __str__(self) -> str:
        place = "header" if self.record == HEADER else f"record {self.record}"
        return f"{place}: {KINDS[self.kind]}: {self.what}"


KINDS = {
    "format": "not of this format",
    "torn": "torn",
    "chain": "broken chain",
    "gap": "gap",
    "duplicate": "duplicate",
    "order": "out of order",
    "event": "unknown event",
    "argument": "argument out of range",
    "state": "digest mismatch",
    "program": "wrong program",
    "rules": "the rules do otherwise",
    "end": "not closed",
}


@frozen
class Verified:
    """What verifying a log came to: its defects, in the order of the file, and how much was looked at.

    `log` is None where the lines do not make one; `replayed`: whether its answers were run through the rules.
    """

    defects: tuple[Defect, ...]
    log: Log | None
    replayed: bool


def verify(data: bytes, game: Game | None = None) -> Verified:
    """Everything that is wrong with a log, from the bytes of its file. Without a game it is checked by its own rules."""
    lines, found = _lines(data)
    found += _written(lines)
    log = Log.of_lines(lines) if lines and not found else None
    rules = None
    header = _header(lines)
    if header is not None:
        rules, wrong = _rules(header, lines, game)
        found += wrong
    if rules is not None:
        found += _told(rules, lines)
    replayed = log is not None and rules is not None and not found
    if replayed and log is not None:
        found += _replayed(log, game)
    return Verified(tuple(sorted(found, key=lambda defect: defect.line)), log, replayed)


def sound_part(data: bytes, found: Verified, game: Game | None = None) -> Log | None:
    """The first records of a log that has defects, as many as have none among themselves; None: not even one.

    Args:
        found: what `verify` says of the same bytes and the same game.
    """
    lines = data.split(b"\n")
    while found.defects:
        lines = lines[: found.defects[0].line - 1]
        if len(lines) < 2:
            return None
        found = verify(b"\n".join([*lines, b""]), game)
    return found.log


# ---------------------------------------------------------------- the lines


def _lines(data: bytes) -> tuple[list[bytes], list[Defect]]:
    whole, mark, tail = data.rpartition(b"\n")
    lines = whole.split(b"\n") if mark else []
    number = len(lines) - 1
    if tail or not lines:
        return lines, [Defect("torn", number, len(lines) + 1, f"the last line is incomplete ({len(tail)} bytes)")]
    if is_more(lines[-1]):
        return lines, [Defect("torn", number - 1, len(lines), "what was written together with it is missing")]
    return lines, []


def _written(lines: Sequence[bytes]) -> list[Defect]:
    """What is wrong with the lines as such: each of them, their order and their chain.

    A line is chained to the line whose number is one less, wherever that stands; so what is only out of order has no broken
    chain as well.
    """
    found: list[Defect] = []
    numbers = [_number(line) for line in lines]
    places = {number: place for place, number in reversed(list(enumerate(numbers))) if number is not None}
    expected = HEADER
    for place, (line, number) in enumerate(zip(lines, numbers, strict=True)):
        if number is None:
            found.append(_unreadable(line, expected, place))
            expected += 1
            continue
        misplaced = _misplaced(number, expected, place, lines, places)
        if misplaced is not None:
            found.append(misplaced)
        before = places.get(number - 1)
        if before is None and number > HEADER:
            pass  # what it is chained to is missing or unreadable, and that was told
        elif not chains(line, "" if before is None else hash_of(lines[before])):
            found.append(Defect("chain", number, place + 1, "it, or the record before it, was altered"))
        expected = max(expected, number + 1)
    return found or list(_closing(lines))


def _number(line: bytes) -> int | None:
    """The number that a line says it has; None if it is none of this format."""
    try:
        data = json.loads(line)
        number = HEADER if isinstance(data, dict) and "format" in data else data["n"]
        record_of(data_of(line, number), number)
    except (ValueError, KeyError, TypeError, LogError):
        return None
    return int(number)


def _unreadable(line: bytes, expected: int, place: int) -> Defect:
    try:
        data = json.loads(line)
        data_of(line, HEADER if expected == HEADER else data["n"])
        record_of({key: value for key, value in data.items() if key != "hash"}, expected)
    except LogError as problem:
        return Defect("format", expected, place + 1, problem.what)
    except (ValueError, KeyError, TypeError):
        return Defect("format", expected, place + 1, "the line is not a JSON object with a number")
    return Defect("format", expected, place + 1, "the line is not a record")


def _misplaced(
    number: int, expected: int, place: int, lines: Sequence[bytes], places: Mapping[int, int]
) -> Defect | None:
    """What is wrong with the number of a line."""
    first = places[number]
    if first != place:
        same = lines[first] == lines[place]
        what = f"line {first + 1} is {'the same' if same else 'another record of that number'}"
        return Defect("duplicate", number, place + 1, what)
    if number < expected:
        return Defect("order", number, place + 1, f"it stands behind record {expected - 1}")
    missing = [n for n in range(expected, number) if n not in places]
    if not missing:
        return None
    names = f"record {missing[0]} is" if len(missing) == 1 else f"records {missing[0]} to {missing[-1]} are"
    return Defect("gap", number, place + 1, f"{names} missing before it")


def _closing(lines: Sequence[bytes]) -> Iterator[Defect]:
    """What is wrong with closing records, where all lines are as they were written."""
    for number, line in enumerate(lines[1:]):
        if b'"kind":"end"' in line:
            try:
                check_end(record_of(data_of(line, number), number), lines[: number + 1], number)
            except LogError as problem:
                yield Defect("chain", number, number + 2, problem.what)


# ---------------------------------------------------------------- what they say


def _header(lines: Sequence[bytes]) -> Header | None:
    try:
        header: Header = record_of(data_of(lines[0], HEADER), HEADER, hash_of(lines[0]))
    except (LogError, IndexError):
        return None
    return header


def _rules(header: Header, lines: Sequence[bytes], game: Game | None) -> tuple[Rules | None, list[Defect]]:
    """The rules that a log is checked by, and whether they are those that it names."""
    from rulesdsl.diagnostics import RulesFileError

    if game is None and not header.rules:
        return None, []
    log = Log.of_lines(lines[:1])
    try:
        return rules_of(log, game), []
    except LogError as problem:
        wrong = [Defect("program", HEADER, 1, problem.what)]
    except RulesFileError as problem:
        return None, [Defect("program", HEADER, 1, f"the rules in it have mistakes: {problem.diagnostics[0].title}")]
    try:
        return rules_of(log, game, current_rules=True), wrong
    except LogError:
        return None, wrong


def _told(rules: Rules, lines: Sequence[bytes]) -> Iterator[Defect]:
    """Events that the rules do not have, arguments that do not fit, and states that the events do not give.

    What follows from a defect is not told again: digests are compared up to the first that is wrong.
    """
    st = rules.module.initial()
    states: dict[int, Internal] = {}
    told = {data["n"]: (place, data) for place, data in reversed([*enumerate(map(_plain, lines))]) if "n" in data}
    sure, expected = True, 0
    for number, (place, data) in sorted(told.items(), key=lambda item: item[0]):
        sure = sure and number == expected
        expected = number + 1
        if "then" in data:
            for item in data["then"]:
                try:
                    st = _applied(rules, st, item)
                except ValueProblem as problem:
                    sure = False
                    kind = "event" if problem.what.startswith("there is no event") else "argument"
                    yield Defect(kind, number, place + 1, str(problem))
                except Exception as problem:
                    sure = False
                    yield Defect("argument", number, place + 1, f"it cannot be applied: {problem}")
            if sure and rules.digest(st) != data.get("state"):
                sure = False
                yield Defect("state", number, place + 1, f"its events give {rules.digest(st)}, not {data.get('state')}")
            states[number] = st
        elif "to" in data:
            if data["to"] not in states:
                sure = False
                yield Defect("rules", number, place + 1, f"record {data['to']} is not a set-up or an answer before it")
            st = states.get(data["to"], st)


def _plain(line: bytes) -> Plain:
    try:
        data = json.loads(line)
        data_of(line, data["n"])
        record_of({key: value for key, value in data.items() if key != "hash"}, data["n"])
    except (ValueError, KeyError, TypeError, LogError):
        return {}
    found: Plain = data
    return found


def _applied(rules: Rules, st: Internal, item: Any) -> Internal:
    if "event" not in item:
        return st
    return rules.module.apply(st, reader_of(rules).event(item))


def _replayed(log: Log, game: Game | None) -> Iterator[Defect]:
    """Where the answers, run through the rules, lead elsewhere; and whether a game that is over is closed."""
    done = replay(log, game)
    if done.difference is not None:
        difference = done.difference
        what = f"{difference.what}: recorded {difference.expected}, now {difference.got}"
        yield Defect("rules", difference.record, difference.record + 2, what)
    elif done.match.outcome is not None and log.end is None:
        last = len(log.records) - 1
        yield Defect("end", last, last + 2, "the game is over and there is no closing record: lines may be missing")
