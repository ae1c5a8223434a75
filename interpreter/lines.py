"""The lines of a log: records as bytes, chained by hashes.

Every line is a JSON object without spaces, its members in the order of the class that describes it, members with default
values left out, and a last member `hash`: the hash of the previous line's hash followed by the bytes of this line without that
member.
"""

from __future__ import annotations

import gc
import json
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from typing import Any

import cattrs
from attrs import evolve
from cattrs.gen import make_dict_structure_fn, make_dict_unstructure_fn, override

from interpreter.canonical import canonical
from interpreter.errors import LogError
from interpreter.records import (
    FORMAT,
    FORMATS,
    KIND_OF,
    KINDS,
    End,
    Happening,
    Header,
    LoggedDraw,
    LoggedEvent,
    Plain,
    Record,
)
from interpreter.rules import DIGEST_SIZE, hash_text

HEADER = -1
"""The number of the header where records are numbered."""


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
    kind = KIND_OF.get(type(record))
    if kind is None:
        return data
    n = data.pop("n")
    return {"n": n, "kind": kind, **data}


_ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def compact(data: Any) -> bytes:
    """JSON data as logs write it."""
    return _ENCODER.encode(data).encode()


def body_of(record: Record | Header) -> bytes:
    """The line of a record without its hash."""
    return compact(as_json(record))


def chained(body: bytes, previous: str) -> tuple[str, bytes]:
    """The hash and the line (without the line end) of a body that stands after a line whose hash is `previous`."""
    made = hash_text(previous.encode(), body)
    return made, b'%b,"hash":"%b"}' % (body[:-1], made.encode())


def with_more(body: bytes) -> bytes:
    """The body of a record that was written together with the next one."""
    return body[:-1] + b',"more":true}'


HASH_LENGTH = 2 * DIGEST_SIZE
_HASH = re.compile(rb',"hash":"([0-9a-f]{%d})"\}\Z' % HASH_LENGTH)
_TAIL = len(',"hash":""}') + HASH_LENGTH


def hash_of(line: bytes) -> str:
    """The hash that a line claims to have; empty if it has none."""
    found = _HASH.search(line)
    return found[1].decode() if found else ""


def body_in(line: bytes) -> bytes:
    """What the hash of a line is taken over."""
    return line[:-_TAIL] + b"}"


def chains(line: bytes, previous: str) -> bool:
    """Whether a line is what its hash says, and stands after a line whose hash is `previous`."""
    claimed = hash_of(line)
    return bool(claimed) and hash_text(previous.encode(), body_in(line)) == claimed


def is_more(line: bytes) -> bool:
    """Whether the next line was written together with this one."""
    return line[:-_TAIL].endswith(b',"more":true')


def data_of(line: bytes, number: int) -> Plain:
    """The members of a line but for its hash, if it is one of the number that belongs here.

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
    if number == HEADER:
        if data.get("format") not in FORMATS:
            raise LogError("format", f"not a log of format {FORMAT}, or an older one: {data.get('format')!r}", number)
    elif data.get("n") != number:
        raise LogError("altered", f"record {data.get('n')} stands where record {number} belongs", number)
    elif data.get("kind") not in KINDS:
        raise LogError("altered", f"there is no kind of record {data.get('kind')!r}", number)
    return data


def plain_of(lines: Sequence[bytes]) -> list[Plain]:
    """The members of lines that were checked, hashes included."""
    with uncollected():
        found: list[Plain] = json.loads(b"[" + b",".join(lines) + b"]")
    return found


@contextmanager
def uncollected() -> Iterator[None]:
    """While so much is made that stays, the garbage collector does not look again and again for what is not there."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()


def record_of(data: Plain, number: int, hash: str = "") -> Any:
    """The record (or, for the number of the header, the header) that the members of a line describe.

    Raises:
        LogError: of kind "altered".
    """
    cls: type[Any] = Header
    if number != HEADER:
        data = dict(data)
        cls = KINDS[data.pop("kind")]
    try:
        record = converter().structure(data, cls)
    except Exception as problem:
        raise LogError("altered", f"not a record of this format: {problem}", number) from problem
    if number == HEADER and record.format != FORMATS[0] and record.params_digest != digest_of(record.params):
        raise LogError("altered", "its parameters are not those of their digest", number)
    return evolve(record, hash=hash)


def digest_of(params: Plain) -> str:
    """The digest of the values of parameters."""
    return hash_text(canonical(params).encode())


def check_line(line: bytes, previous: str, number: int) -> Plain:
    """The members of a line (but for its hash) that is as it was written, after a line whose hash is `previous`.

    Raises:
        LogError: of kind "altered", or "format" for a header of another format.
    """
    data = data_of(line, number)
    if not chains(line, previous):
        raise LogError("altered", "its hash does not fit: it, or a record before it, was altered", number)
    if number == HEADER or not has_shape(data):
        record_of(data, number)
    return data


def decode(line: bytes, previous: str, number: int) -> Any:
    """The record (or, for number -1, the header) of a line.

    Raises:
        LogError: as `check_line`.
    """
    return record_of(check_line(line, previous, number), number, hash_of(line))


_ANSWER = {"n", "kind", "seat", "asked", "answer", "then", "state"}
_MORE = {"automatic", "reveals", "more"}


def has_shape(data: Plain) -> bool:
    """Whether the members of a line are those of an answer, without a doubt: what most lines are, looked at quickly."""
    if data["kind"] != "answer" or not data.keys() >= _ANSWER or not data.keys() <= _ANSWER | _MORE:
        return False
    then, answer = data["then"], data["answer"]
    if type(then) is not list or type(answer) is not dict or type(data["asked"]) is not list:
        return False
    if type(data["seat"]) is not str or type(data["state"]) is not str or len(answer) != 2:
        return False
    if type(answer.get("action")) is not str or type(answer.get("arguments")) is not dict:
        return False
    return all(type(item) is dict and len(item) == 2 and _happens(item) for item in then)


def _happens(item: Plain) -> bool:
    if "event" in item:
        return type(item["event"]) is str and type(item.get("arguments")) is dict
    return type(item.get("draw")) is str and "outcome" in item


def whole_of(lines: Sequence[bytes]) -> str:
    """The digest of lines, line ends included."""
    return hash_text(*(line + b"\n" for line in lines))


def check_end(end: End, lines: Sequence[bytes], number: int) -> None:
    """That a closing record fits the lines before it.

    Raises:
        LogError: of kind "altered".
    """
    if end.count != len(lines) or end.whole != whole_of(lines):
        raise LogError("altered", "its count or its digest of the whole does not fit the records before it", number)
