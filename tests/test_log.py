"""Logs: their lines, their chain, what happens to damaged ones, and playing them again."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from machine_games import BIDS, DUEL, duel, game
from test_match import play_randomly, snapshot

import interpreter
from interpreter import Conflict, Game, Log, LogError, Match, fold, read_log, replay
from interpreter.embedding import source_of, texts_of, variants_of
from interpreter.file_store import log_file
from interpreter.log import Answer, End, Undo, hash_text, parse_log
from interpreter.records import FORMATS as ALL
from rulesdsl.diagnostics import Source


def busy(seed: int = 1, **options: Any) -> Match:
    """A match with everything in its log: draws, passes, undo, redo, a branch, a note, an end."""
    match = duel(rounds=2).new(seed=seed, **options)
    match.play("wait")
    match.play("pass")
    match.undo()
    match.redo()
    match.undo()
    match.note("a second thought")
    play_randomly(match, seed, 3)
    match.branch(0)
    return play_randomly(match, seed)


# ---------------------------------------------------------------- what stands in it


def test_a_log_is_lines_that_people_can_read() -> None:
    match = duel(hand_size=0, rounds=1).new(seed=1, human="ana")
    match.play("wait")
    match.undo(as_analyst=True)
    lines = [json.loads(line) for line in match.log.lines()]
    for line in lines:
        assert len(line.pop("hash")) == 32
    header = lines[0]
    assert header.pop("rules") == {"small.rules": DUEL}
    assert header == {
        "format": "rulesdsl-log/2",
        "language": "1",
        "game": "duel",
        "digest": match.rules.program.digest,
        "params": {"rounds": 1, "hand_size": 0},
        "seats": ["ana", "bob"],
        "humans": ["ana"],
        "seed": "1",
        "params_digest": hash_text(b'{"hand_size":0,"rounds":1}'),
    }
    assert lines[1] == {"n": 0, "kind": "start", "then": [], "state": match.at(0).state.digest}
    assert lines[2] == {
        "n": 1,
        "kind": "answer",
        "seat": "ana",
        "asked": ["play", "roll", "wait"],
        "answer": {"action": "wait", "arguments": {}},
        "then": [{"event": "Waited", "arguments": {"by": "ana"}}],
        "state": match.at(0).state.digest,
        "more": True,
    }
    assert lines[3]["automatic"] is True and lines[3]["asked"] == ["intend", "pass"]
    assert lines[4] == {"n": 3, "kind": "undo", "to": 0}


def test_a_finished_log_is_closed() -> None:
    log = play_randomly(duel().new(seed=1), 1).log
    end = log.end
    assert isinstance(end, End) and end.n == len(log.records) - 1 == end.count - 1
    assert end.whole == hash_text(*(line + b"\n" for line in list(log.lines())[:-1]))
    assert set(end.scores or {}) == {"ana", "bob"}


def test_undone_answers_stay() -> None:
    match = duel(hand_size=0).new(seed=1)
    match.play("roll")
    match.undo()
    assert [type(record).__name__ for record in match.log.records] == ["Start", "Answer", "Answer", "Undo"]
    undo = match.log.records[-1]
    assert isinstance(undo, Undo) and (undo.n, undo.to) == (3, 0)


def test_the_header_can_do_without_rules() -> None:
    log = duel().new(seed=1, embed=False).log
    assert log.header.rules is None
    with pytest.raises(LogError, match="does not carry its rules"):
        replay(log)
    assert replay(log, duel()).difference is None


# ---------------------------------------------------------------- files


def test_a_match_writes_each_answer_before_it_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    with busy(log=path) as match:
        assert read_log(path) == match.log
        assert path.read_bytes() == match.log.text().encode()


def test_with_and_without_a_file_the_log_is_the_same(tmp_path: Path) -> None:
    with busy(log=tmp_path / "log.jsonl") as match:
        assert busy().log == match.log


def test_a_log_file_is_never_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    duel().new(seed=1, log=path).close()
    with pytest.raises(FileExistsError):
        duel().new(seed=1, log=path)


def test_a_match_goes_on_in_its_file(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    with duel().new(seed=3, log=path) as match:
        match.play("roll")
    with duel().resume(read_log(path), path) as again:
        assert snapshot(again) == snapshot(match)
        play_randomly(again, 1)
    straight = duel().new(seed=3)
    straight.play("roll")
    play_randomly(straight, 1)
    assert read_log(path) == straight.log, "going on gives what would have come anyway"


class Full:
    """A sink that is full from some record on."""

    def __init__(self, room: int) -> None:
        self.room = room
        self.lines: list[bytes] = []

    def append(self, expected: int, lines: Any) -> None:
        assert expected == len(self.lines)
        if expected + len(lines) > self.room:
            raise OSError(28, "No space left on device")
        self.lines.extend(lines)

    def close(self) -> None:
        pass


def test_what_cannot_be_stored_has_not_happened() -> None:
    sink = Full(3)
    match = duel().new(seed=4, log=sink)
    match.play("wait")
    before = snapshot(match)
    for attempt in (lambda: match.play("pass"), lambda: match.undo(), lambda: match.note("x"), lambda: match.branch(0)):
        with pytest.raises(OSError):
            attempt()
        assert snapshot(match) == before
    sink.room = 99
    match.play("pass")
    assert sink.lines == list(match.log.lines())


def test_a_second_writer_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    match = duel().new(seed=1, log=path)
    with log_file(path) as other:
        other.append(2, [b"{}"])
    with pytest.raises(Conflict, match="somebody else has written"):
        match.play("wait")
    assert match.number == 0
    match.close()
    with pytest.raises(LogError, match="closed"):
        match.play("wait")


# ---------------------------------------------------------------- damage


def small_log() -> bytes:
    match = duel(rounds=1, hand_size=0).new(seed=1, embed=False)
    return play_randomly(match, 2).log.text().encode()


def confirmed(data: bytes) -> list[int]:
    """Where the appends of a log end: all that was written together is there."""
    ends, place = [], 0
    for line in data.splitlines(keepends=True):
        place += len(line)
        if b'"more":true' not in line:
            ends.append(place)
    return ends


def test_a_log_cut_anywhere_is_recognised_and_loses_only_what_was_not_confirmed() -> None:
    data = small_log()
    ends = confirmed(data)
    assert len(ends) < data.count(b"\n"), "something was written together"
    for cut in range(len(data)):
        if cut in ends:
            assert parse_log(data[:cut])[0].data() == data[:cut]
            continue
        with pytest.raises(LogError) as caught:
            parse_log(data[:cut])
        assert caught.value.kind == "torn"
        if cut < ends[0] - 1:
            assert caught.value.record == -1
            with pytest.raises(LogError):
                parse_log(data[:cut], repair=True)
        else:
            kept, good = parse_log(data[:cut], repair=True)
            assert kept.mended and good <= cut
            assert kept.data() == data[: max(end for end in ends if end <= cut + 1)]


def test_a_torn_file_is_repaired_on_request_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = small_log()
    monkeypatch.setattr(os, "fsync", lambda handle: None)
    path = tmp_path / "log.jsonl"
    ends = confirmed(data)
    for cut in range(ends[-2] + 1, len(data)):
        path.write_bytes(data[:cut])
        with pytest.raises(LogError, match=r"log.jsonl: record \d+: (the last line is|what was written together)"):
            read_log(path)
        assert path.read_bytes() == data[:cut]
        kept = read_log(path, repair=True)
        assert path.read_bytes() == kept.data() == (data if cut == len(data) - 1 else data[: ends[-2]])
        assert read_log(path) == kept and kept.mended and not read_log(path).mended


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_any_altered_byte_is_refused_with_its_record(data: st.DataObject) -> None:
    text = small_log()
    place = data.draw(st.integers(0, len(text) - 2))
    byte = data.draw(st.integers(0, 255).filter(lambda b: b != text[place]))
    altered = text[:place] + bytes([byte]) + text[place + 1 :]
    with pytest.raises(LogError) as caught:
        parse_log(altered)
    record = text[:place].count(b"\n") - 1
    assert caught.value.record in (record, record + 1)


def test_lines_that_are_lost_doubled_or_swapped_are_refused() -> None:
    lines = small_log().split(b"\n")[:-1]

    def refused(changed: list[bytes]) -> LogError:
        with pytest.raises(LogError) as caught:
            parse_log(b"".join(line + b"\n" for line in changed))
        return caught.value

    for i in range(1, len(lines) - 1):
        assert refused(lines[:i] + lines[i + 1 :]).record == i - 1
        assert "stands where record" in str(refused(lines[:i] + lines[i + 1 :]))
        assert refused([*lines[: i + 1], *lines[i:]]).record == i
        assert refused([*lines[:i], lines[i + 1], lines[i], *lines[i + 2 :]]).record == i - 1
    assert refused(lines[1:]).kind == "format"
    alone = [i for i in range(1, len(lines)) if b'"more":true' not in lines[i - 1]]
    assert all(parse_log(b"".join(line + b"\n" for line in lines[:i]))[0].end is None for i in alone), (
        "only the end tells that it is whole"
    )


def test_what_is_no_log(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_bytes(b"")
    with pytest.raises(LogError, match="the header is incomplete"):
        read_log(path)
    path.write_bytes(b"hello\n")
    with pytest.raises(LogError, match="x: header: the line is not JSON"):
        read_log(path)
    path.write_bytes(b"[1]\n")
    with pytest.raises(LogError, match="not a JSON object"):
        read_log(path)
    path.write_bytes(b'{"format":"rulesdsl-log/9"}\n')
    with pytest.raises(LogError, match="not a log of format"):
        read_log(path)


def rewritten(log: Log, change: Any) -> Log:
    """A log with an altered record whose chain was made to fit again."""
    return Log(log.header, tuple(change(record) for record in log.records))


def test_a_forged_log_that_chains_is_found_by_replaying_it() -> None:
    from attrs import evolve

    match = duel(hand_size=0, rounds=1).new(seed=1)
    match.play("roll")
    luck = match.state.luck
    other = luck % 6 + 1

    def forge(record: Any) -> Any:
        if not isinstance(record, Answer) or record.automatic:
            return record
        event = evolve(record.then[1], arguments={"by": "ana", "n": other})
        return evolve(record, then=(record.then[0], event))

    forged = parse_log(rewritten(match.log, forge).text().encode())[0]
    done = replay(forged, duel(hand_size=0, rounds=1))
    assert done.difference is not None
    assert (done.difference.record, done.agreed) == (1, 1)
    assert (done.difference.expected, done.difference.got) == (f"Rolled(ana, {other})", f"Rolled(ana, {luck})")
    assert done.difference.before is not None and done.difference.before.state == match.at(0).state
    assert done.match.number == 0
    with pytest.raises(LogError, match="something else happens"):
        Match.from_log(forged, duel(hand_size=0, rounds=1))
    with pytest.raises(LogError, match="record 1: its events give the state"):
        fold(forged, duel(hand_size=0, rounds=1))


FORGERIES: list[tuple[str, Any, str]] = [
    ("seat", lambda r: {"seat": "bob"}, "another question is put"),
    ("asked", lambda r: {"asked": ("play",)}, "another question is put"),
    ("illegal", lambda r: {"answer": type(r.answer)("play", {"card": "ace"})}, "the answer is not legal"),
    ("unknown", lambda r: {"answer": type(r.answer)("fly", {})}, "does not fit the rules"),
    ("draw", lambda r: {"then": (type(r.then[0])("n", 9), r.then[1])}, "does not fit the rules"),
    ("name", lambda r: {"then": (type(r.then[0])("m", 1), r.then[1])}, "the draw is another"),
    ("undrawn", lambda r: {"then": r.then[1:]}, "more is drawn"),
    ("silent", lambda r: {"then": r.then[:1]}, "something else happens"),
    ("more", lambda r: {"then": (*r.then, r.then[1])}, "something else happens"),
    ("digest", lambda r: {"state": "0" * 32}, "the state is another"),
]


@pytest.mark.parametrize(("change", "what"), [(c, w) for _, c, w in FORGERIES], ids=[name for name, _, _ in FORGERIES])
def test_each_kind_of_difference_is_named(change: Any, what: str) -> None:
    from attrs import evolve

    match = duel(hand_size=0, rounds=1).new(seed=1)
    match.play("roll")
    forged = rewritten(match.log, lambda r: evolve(r, **change(r)) if isinstance(r, Answer) and not r.automatic else r)
    done = replay(forged, duel(hand_size=0, rounds=1))
    assert done.difference is not None and what in str(done.difference) and done.difference.record == 1


def test_a_missing_pass_is_a_difference() -> None:
    match = duel(hand_size=0, rounds=1).new(seed=1)
    match.play("wait")
    match.play("wait")
    kept = tuple(r for r in match.log.records if not (isinstance(r, Answer) and r.automatic and r.seat == "ana"))
    done = replay(Log(match.log.header, kept), duel(hand_size=0, rounds=1))
    assert done.difference is not None and done.difference.what == "a pass is due"


# ---------------------------------------------------------------- playing again


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from([0, 1, 2, 3]), st.booleans())
def test_replay_and_fold_reach_the_same_states(seed: int, hand: int, bids: bool) -> None:
    played = game(BIDS) if bids else duel(hand_size=hand)
    match = play_randomly(played.new(seed=seed), seed)
    log = parse_log(match.log.text().encode())[0]
    assert log == match.log
    done = replay(log, played)
    assert done.difference is None and done.agreed == len(log.records)
    assert snapshot(done.match) == snapshot(match)
    folded = fold(log, played)
    assert folded.state == match.state
    assert [folded.states[n] for n in sorted(folded.states)] == [match.at(n).state for n in range(match.number + 1)]


def test_logs_with_undo_and_branches_fold_too() -> None:
    match = busy()
    assert fold(match.log, duel(rounds=2)).state == match.state
    assert snapshot(Match.from_log(match.log, duel(rounds=1))) == snapshot(match), "parameters are the log's own"


def test_a_cut_log_is_completed_when_the_match_goes_on() -> None:
    """A crash between an answer and what always follows it loses nothing."""
    match = play_randomly(duel(hand_size=0, rounds=1).new(seed=1), 3)
    for keep in range(len(match.log.records)):
        cut = Log(match.log.header, match.log.records[:keep])
        again = Match.from_log(cut, duel(hand_size=0, rounds=1))
        assert again.log.records[:keep] == cut.records
        assert match.log.records[: len(again.log.records)] == again.log.records


def test_other_rules_are_refused_unless_asked_for() -> None:
    cards = ["ace", "two", "jack", "two"]
    match = duel().new(chance=lambda question: cards.pop(0))
    for move in ("wait", "pass", "play(jack)", "pass"):
        match.play(move)
    changed = Game.from_text({"small.rules": DUEL.replace("jack(2)", "jack(1)")})
    with pytest.raises(LogError, match=r"played with other rules \(program \w{8}…, now \w{8}…\)") as caught:
        replay(match.log, changed)
    assert caught.value.kind == "program"
    assert match.rules.program.digest[:8] in str(caught.value) and changed.program().digest[:8] in str(caught.value)
    own = replay(match.log, changed, own_rules=True)
    assert own.difference is None and own.match.state == match.state
    now = replay(match.log, changed, current_rules=True)
    assert now.difference is not None
    record = match.log.records[now.difference.record]
    assert isinstance(record, Answer) and record.answer.arguments == {"card": "jack"}
    assert now.difference.what == "the state is another"
    with pytest.raises(LogError, match="a log of duel, not of bids"):
        replay(match.log, game(BIDS))


def test_without_a_game_a_log_plays_by_its_own_rules() -> None:
    match = play_randomly(duel().new(seed=1), 1)
    assert replay(match.log).match.state == match.state
    assert fold(match.log).state == match.state


def test_only_comments_changed() -> None:
    log = play_randomly(duel().new(seed=1), 1).log
    assert replay(log, Game.from_text({"other.rules": "# a comment\n" + DUEL})).difference is None


def test_replaying_without_comparing() -> None:
    match = play_randomly(duel().new(seed=1), 1)
    assert replay(match.log, duel(), verify=False).match.state == match.state


HASHES = """
import sys
sys.path[:0] = sys.argv[1:]
from machine_games import duel
from test_match import play_randomly
print(play_randomly(duel().new(seed=5), 5).log.records[-1].hash)
"""


def test_logs_are_the_same_under_every_hash_seed() -> None:
    here = Path(__file__).parent
    found = set()
    for seed in ("0", "1", "4711"):
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        command = [sys.executable, "-c", HASHES, str(here.parent), str(here)]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
        found.add(done.stdout)
    assert found == {play_randomly(duel().new(seed=5), 5).log.records[-1].hash + "\n"}


def test_the_package_shows_how_it_is_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert all(hasattr(interpreter, name) for name in interpreter.__all__)
    shown = (interpreter.__doc__ or "").split("\n\n", 1)[1].rsplit("\n\n", 1)[0]
    monkeypatch.chdir(tmp_path)
    (tmp_path / "games").symlink_to(Path(__file__).parent.parent / "games")
    names: dict[str, Any] = {}
    exec(textwrap.dedent(shown), names)
    assert names["match"].number == 1 and (tmp_path / "atlanteon-4.jsonl").exists()
    names["match"].close()


def test_the_files_of_a_program_find_each_other_again() -> None:
    """A variant names its base by its file; variants used together stand beside it."""
    base = Source("games/duel.rules", DUEL)
    mild = Source("games/mild.rules", 'variant mild of "duel.rules":\n', base)
    kind = Source("games/more/kind.rules", 'variant kind of "../duel.rules":\n', base)
    kinder = Source("games/more/kinder.rules", 'variant kinder of "kind.rules":\n', kind)
    cases = [
        (base, ["duel.rules"], ()),
        (mild, ["mild.rules", "duel.rules"], ("mild",)),
        (kinder, ["kinder.rules", "kind.rules", "../duel.rules"], ("kind", "kinder")),
        (
            Source(base.name, base.text, None, (mild, kind)),
            ["duel.rules", "mild.rules", "more/kind.rules"],
            ("kind", "mild"),
        ),
    ]
    for source, names, variants in cases:
        texts = texts_of(source)
        assert list(texts) == names and variants_of(source) == variants
        again = source_of(texts)
        assert [item.text for item in again.all] == [item.text for item in source.all]
        assert len(again.extras) == len(source.extras)
        assert texts_of(again) == texts
    with pytest.raises(ValueError, match="no text"):
        source_of({})


# ---------------------------------------------------------------- formats

FORMATS = sorted((Path(__file__).parent / "logs").glob("format-*.jsonl"))


def test_each_format_has_a_log() -> None:
    assert [path.stem for path in FORMATS] == [name.removeprefix("rulesdsl-log/").join(("format-", "")) for name in ALL]


@pytest.mark.parametrize("path", FORMATS, ids=lambda path: path.stem)
def test_a_log_of_every_format_is_read_replayed_and_gone_on_with(path: Path, tmp_path: Path) -> None:
    """These files were written by the versions that had the format; they are never made anew."""
    log = read_log(path)
    assert log.data() == path.read_bytes() and log == Log(log.header, log.records)
    done = replay(log)
    assert done.difference is None and fold(log).state == done.match.state
    copy = tmp_path / "copy.jsonl"
    copy.write_bytes(path.read_bytes())
    with Game.from_text(log.header.rules or {}).resume(log, copy) as match:
        match.branch(0)
        match.undo(as_analyst=True) if match.can_undo(as_analyst=True) else None
        play_randomly(match, 7)
        match.undo(as_analyst=True)
    again = read_log(copy)
    assert again.header.format == log.header.format
    assert replay(again).match.state == match.state
