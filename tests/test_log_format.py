"""The specification of logs: every log that is here follows it, and a reader that was written from it alone reads them."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
from finished_games import LOGS
from machine_games import FAULTS, game
from test_log import busy

from interpreter import RulesError

ROOT = Path(__file__).parent.parent
SCHEMA = json.loads((ROOT / "docs" / "log-format.schema.json").read_text())
COMMITTED = sorted([*LOGS.glob("*/*.jsonl"), *(ROOT / "tests" / "logs").glob("*.jsonl")])


def validator() -> Any:
    jsonschema = pytest.importorskip("jsonschema")
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    return jsonschema.Draft202012Validator(SCHEMA)


def check(lines: list[Any], found: Any) -> None:
    for line in lines:
        wrong = found.evolve(schema=SCHEMA["$defs"][line.get("kind", "header")] | {"$defs": SCHEMA["$defs"]})
        wrong.validate(line)


def test_every_committed_log_follows_the_schema() -> None:
    found = validator()
    for path in COMMITTED:
        check([json.loads(line) for line in path.read_text().splitlines()], found)


def test_every_kind_of_record_follows_the_schema() -> None:
    match = busy(human=["ana", "bob"])
    match.undo(as_analyst=True)
    lines = [json.loads(line) for line in match.log.lines()]
    assert {line.get("kind") for line in lines} == {None, "start", "answer", "undo", "redo", "branch", "note", "end"}
    with pytest.raises(RulesError) as caught:
        game(FAULTS).new(seed=1).play("spin")
    assert caught.value.log is not None
    lines += [json.loads(line) for line in caught.value.log.lines()]
    check(lines, validator())
    assert any("attempt" in line for line in lines)


@pytest.mark.parametrize(
    "change",
    [
        {"seat": 5},
        {"surplus": 1},
        {"state": "0"},
        {"then": [{"event": "X"}]},
        {"more": False},
        {"reveals": []},
        {"answer": {"action": "x"}},
        {"kind": "wish"},
    ],
    ids=str,
)
def test_the_schema_refuses_what_is_no_record(change: dict[str, Any]) -> None:
    found = validator()
    line = json.loads(busy().log.lines()[2])
    found.validate(line)
    assert not found.is_valid({**line, **change})


def read(data: bytes) -> list[Any]:
    """A reader by the page alone: no code of the project."""

    def blake(*parts: bytes) -> str:
        return hashlib.blake2b(b"".join(parts), digest_size=16).hexdigest()

    assert data.endswith(b"\n")
    raw = data.split(b"\n")[:-1]
    records, previous = [], b""
    for number, line in enumerate(raw, start=-1):
        body, mark, rest = line.rpartition(b',"hash":"')
        assert mark and rest.endswith(b'"}')
        assert blake(previous, body + b"}").encode() == rest[:-2], number
        previous = rest[:-2]
        record = json.loads(line)
        if number < 0:
            assert record["format"] in ("rulesdsl-log/1", "rulesdsl-log/2")
            canonical = json.dumps(record["params"], sort_keys=True, separators=(",", ":")).encode()
            assert record["format"].endswith("/1") or record["params_digest"] == blake(canonical)
        else:
            assert record["n"] == number
        if record.get("kind") == "end":
            before = raw[: number + 1]
            assert record["count"] == len(before) and record["whole"] == blake(*(item + b"\n" for item in before))
        records.append(record)
    assert not records[-1].get("more")
    return records


@pytest.mark.parametrize("path", COMMITTED, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_a_reader_that_was_written_from_the_page_reads_every_log(path: Path) -> None:
    records = read(path.read_bytes())
    answers = {record["n"] for record in records[1:] if "then" in record}
    assert all(record["to"] in answers for record in records if "to" in record)


def test_draws_follow_from_the_seed_as_the_page_says() -> None:
    match = busy(5)
    found = 0
    weights = {"n": [(face, 1) for face in range(1, 7)]}
    given: set[tuple[int, str]] = set()
    for record in match.log.records:
        for number, item in enumerate(item for item in getattr(record, "then", ()) if hasattr(item, "draw")):
            key = (match.after_record(record.n).node.record, item.draw)
            if item.draw not in weights or key[0] != record.n or key in given:
                continue
            digest = hashlib.blake2b(f"5:{record.n}:{number}".encode(), digest_size=16).digest()
            left = int.from_bytes(digest, "big") * 6 >> 128
            assert weights["n"][left][0] == item.outcome
            found += 1
    assert found
