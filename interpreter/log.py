"""The log of a match: JSON Lines, append-only, chained by hashes. The classes below describe its records.

A log file is a header line and then one line for each record. Every line is a JSON object without spaces, its members in the
order of the class that describes it, members with default values left out, and a last member `hash`: the hash of the previous
line's hash followed by the bytes of this line without that member. Nothing in a log is ever rewritten: undo, redo and
branches are records too, which name the record whose position the match goes back to.

`read_log` reads and checks a file; `store` makes and keeps the records of a running match.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Union

import cattrs
from attrs import evolve, field, frozen
from cattrs.gen import make_dict_structure_fn, make_dict_unstructure_fn, override

from interpreter.errors import LogError
from interpreter.rules import DIGEST_SIZE, hash_text

FORMAT = "rulesdsl-log/1"
LANGUAGE = "1"

Plain = dict[str, Any]


@frozen
class Header:
    """The first line: which rules, which parameters, which seats.

    `digest` is the program's, `rules` its full text by file name (left out if not embedded), `params` the values of all
    parameters. `seed` chooses outcomes as they are first drawn; views never show it. `humans` are the seats of people.
    """

    format: str
    language: str
    game: str
    digest: str
    params: Plain
    seats: tuple[str, ...]
    variants: tuple[str, ...] = ()
    humans: tuple[str, ...] = ()
    seed: str | None = None
    rules: dict[str, str] | None = None
    hash: str = ""


@frozen
class LoggedEvent:
    event: str
    arguments: Plain


@frozen
class LoggedDraw:
    draw: str
    outcome: Any


Happening = Union[LoggedEvent, LoggedDraw]


@frozen
class LoggedMove:
    """An action and its chosen arguments; `pass` has none."""

    action: str
    arguments: Plain


@frozen
class Start:
    """The set-up: what was drawn and what happened until the first player was asked. `state`: the digest of the state then."""

    n: int
    then: tuple[Happening, ...]
    state: str
    hash: str = ""


@frozen
class Answer:
    """An answered question: who was asked what, the answer, and what followed until the next player was asked.

    `automatic`: a pass that the machine answered, since nothing was legal.
    """

    n: int
    seat: str
    asked: tuple[str, ...]
    answer: LoggedMove
    then: tuple[Happening, ...]
    state: str
    automatic: bool = False
    hash: str = ""


@frozen
class Undo:
    """Back to the position after record `to`. `analyst`: across what players may not cross."""

    n: int
    to: int
    seat: str | None = None
    analyst: bool = False
    hash: str = ""


@frozen
class Redo:
    """Forward again to the position after record `to`, which was undone."""

    n: int
    to: int
    seat: str | None = None
    hash: str = ""


@frozen
class Branch:
    """On from the position after any earlier record."""

    n: int
    to: int
    hash: str = ""


@frozen
class Attempt:
    """An answer that the rules failed at: not part of the match. `seat` None: the set-up. `draws`: the outcomes until then."""

    seat: str | None
    answer: LoggedMove | None
    draws: tuple[LoggedDraw, ...]
    error: str


@frozen
class Note:
    """A remark, or an `attempt`."""

    n: int
    text: str
    attempt: Attempt | None = None
    hash: str = ""


@frozen
class End:
    """The result. `count`: the lines before this one; `whole`: the digest of all their bytes."""

    n: int
    winners: tuple[str, ...]
    scores: dict[str, int] | None
    count: int
    whole: str
    hash: str = ""


Record = Union[Start, Answer, Undo, Redo, Branch, Note, End]

KINDS: dict[str, type[Any]] = {
    "start": Start,
    "answer": Answer,
    "undo": Undo,
    "redo": Redo,
    "branch": Branch,
    "note": Note,
    "end": End,
}
_KIND_OF = {cls: kind for kind, cls in KINDS.items()}


# ---------------------------------------------------------------- lines


@cache
def converter() -> cattrs.Converter:
    """Turns records into JSON data and back; made when first needed."""
    made = cattrs.Converter(forbid_extra_keys=True, detailed_validation=False)
    for cls in (*KINDS.values(), Header):
        unstructure: Any = make_dict_unstructure_fn(cls, made, _cattrs_omit_if_default=True, hash=override(omit=True))
        structure: Any = make_dict_structure_fn(
            cls, made, _cattrs_forbid_extra_keys=True, _cattrs_detailed_validation=False, hash=override(omit=True)
        )
        made.register_unstructure_hook(cls, unstructure)
        made.register_structure_hook(cls, structure)
    made.register_structure_hook_func(
        lambda t: t == Happening, lambda data, _: made.structure(data, LoggedEvent if "event" in data else LoggedDraw)
    )
    return made


def as_json(record: Record | Header) -> Plain:
    """A record as JSON data, without its hash."""
    data: Plain = converter().unstructure(record)
    kind = _KIND_OF.get(type(record))
    if kind is None:
        return data
    n = data.pop("n")
    return {"n": n, "kind": kind, **data}


def _compact(data: Any) -> bytes:
    return json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode()


def encode(record: Any, previous: str) -> tuple[Any, bytes]:
    """The record with its hash, and its line (without the line end), after a line whose hash is `previous`."""
    body = _compact(as_json(record))
    chained = hash_text(previous.encode(), body)
    return evolve(record, hash=chained), body[:-1] + b',"hash":"' + chained.encode() + b'"}'


_HASH = re.compile(rb',"hash":"([0-9a-f]{%d})"\}\Z' % (2 * DIGEST_SIZE))


def decode(line: bytes, previous: str, number: int) -> Any:
    """The record (or, for number -1, the header) of a line.

    Raises:
        LogError: of kind "altered", or "format" for a header of another format.
    """
    try:
        data = json.loads(line)
    except ValueError:
        raise LogError("altered", "the line is not JSON", number) from None
    if not isinstance(data, dict):
        raise LogError("altered", "the line is not a JSON object", number)
    data.pop("hash", None)
    cls = _class_of(data, number)
    found = _HASH.search(line)
    body = line[: found.start()] + b"}" if found else line
    if found is None or hash_text(previous.encode(), body) != found[1].decode():
        raise LogError("altered", "its hash does not fit: it, or a record before it, was altered", number)
    try:
        record = converter().structure(data, cls)
    except Exception as problem:
        raise LogError("altered", f"not a record of this format: {problem}", number) from problem
    if _compact(as_json(record)) != body:
        raise LogError("altered", "the line is not written as this format writes it", number)
    return evolve(record, hash=found[1].decode())


def _class_of(data: Plain, number: int) -> type[Any]:
    if number < 0:
        if data.get("format") != FORMAT:
            raise LogError("format", f"not a log of format {FORMAT}: {data.get('format')!r}", number)
        return Header
    if data.get("n") != number:
        raise LogError("altered", f"record {data.get('n')} stands where record {number} belongs", number)
    kind = data.pop("kind", None)
    if kind not in KINDS:
        raise LogError("altered", f"there is no kind of record {kind!r}", number)
    return KINDS[kind]


# ---------------------------------------------------------------- whole logs


@frozen
class Log:
    """A whole log, as values. `mended` says what was dropped or completed when it was read with `repair`."""

    header: Header
    records: tuple[Record, ...]
    mended: str = field(default="", eq=False)

    def lines(self) -> Iterator[bytes]:
        """The lines of the file, without line ends."""
        previous = ""
        for item in (self.header, *self.records):
            made, line = encode(item, previous)
            previous = made.hash
            yield line

    def text(self) -> str:
        """The text of the file."""
        return "".join(line.decode() + "\n" for line in self.lines())

    def save(self, path: str | Path) -> None:
        """Write the log to a new file, or over one, at once and durably.

        Raises:
            OSError: it cannot be written.
        """
        target = Path(path)
        draft = target.with_name(f".{target.name}.{os.getpid()}.part")
        try:
            with open(draft, "wb") as file:
                file.write(self.text().encode())
                file.flush()
                os.fsync(file.fileno())
            os.replace(draft, target)
        except OSError:
            draft.unlink(missing_ok=True)
            raise
        sync_folder(target.parent)

    @property
    def answers(self) -> tuple[Answer, ...]:
        """The records of answers, undone ones too."""
        return tuple(record for record in self.records if isinstance(record, Answer))

    @property
    def end(self) -> End | None:
        """The closing record, if it is the last one but for notes."""
        rest = [record for record in self.records if not isinstance(record, Note)]
        return rest[-1] if rest and isinstance(rest[-1], End) else None


def read_log(path: str | Path, *, repair: bool = False) -> Log:
    """Read a log file and check its chain.

    A torn last line (the process that wrote it died) is refused too, unless `repair` is asked for: then the file is cut back
    to its last whole record, or its last line ended, and `Log.mended` says so.

    Raises:
        LogError: kind "torn" for an incomplete last line, "altered" for anything else that is not as it was written.
        OSError: the file cannot be read.
    """
    data = Path(path).read_bytes()
    try:
        log, good = parse_log(data, repair)
    except LogError as problem:
        raise LogError(problem.kind, problem.what, problem.record, str(path)) from None
    if log.mended:
        _mend(Path(path), data, good)
    return log


def parse_log(data: bytes, repair: bool = False) -> tuple[Log, int]:
    """A log from the bytes of a file, and how many of them are whole lines that were kept."""
    whole, mark, tail = data.rpartition(b"\n")
    lines = whole.split(b"\n") if mark else []
    records: list[Any] = []
    previous = ""
    for number, line in enumerate(lines, start=-1):
        records.append(decode(line, previous, number))
        previous = records[-1].hash
        if isinstance(records[-1], End):
            _check_end(records[-1], lines[: number + 1], number)
    kept, mended = len(data) - len(tail), ""
    if tail or not lines:
        mended, last = _torn(tail, previous, len(lines) - 1, repair)
        if last is not None:
            records.append(last)
            kept = len(data)
    return Log(records[0], tuple(records[1:]), mended), kept


def _torn(tail: bytes, previous: str, number: int, repair: bool) -> tuple[str, Any]:
    """What to do about a last line without an end: a message, and its record if it is whole."""
    try:
        last = decode(tail, previous, number)
    except LogError:
        last = None
    if number < 0 and last is None:
        raise LogError("torn", "the header is incomplete, so that nothing can be kept", -1)
    if last is not None:
        what = "the last line is whole but not ended; repair ends it"
        mended = f"ended the line of record {number}"
    else:
        what = f"the last line is incomplete ({len(tail)} bytes), it was never confirmed; repair drops it"
        mended = f"dropped {len(tail)} bytes of an incomplete record {number}"
    if not repair:
        raise LogError("torn", what, number)
    return mended, last


def _check_end(end: End, lines: Sequence[bytes], number: int) -> None:
    whole = hash_text(*(line + b"\n" for line in lines))
    if end.count != len(lines) or end.whole != whole:
        raise LogError("altered", "its count or its digest of the whole does not fit the records before it", number)


def _mend(path: Path, data: bytes, good: int) -> None:
    with open(path, "r+b") as file:
        file.truncate(good)
        if not data[:good].endswith(b"\n"):
            file.seek(0, os.SEEK_END)
            file.write(b"\n")
        file.flush()
        os.fsync(file.fileno())


def sync_folder(folder: Path) -> None:
    """Make a new name in a folder durable, where the system can."""
    try:
        handle = os.open(folder, os.O_RDONLY)
    except OSError:
        return
    try:
        os.fsync(handle)
    except OSError:
        pass
    finally:
        os.close(handle)
