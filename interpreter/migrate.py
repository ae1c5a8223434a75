"""Rewriting a log for rules in which only names have changed: a new log, which says where it comes from.

Everything in the new log is what the new rules do; the renamed old log must say exactly the same. Where it does not, more than
names has changed, and there is no new log.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from attrs import evolve

from interpreter.difference import item as item_text
from interpreter.errors import LogError, ValueProblem
from interpreter.lines import digest_of
from interpreter.log import Log
from interpreter.match import Match
from interpreter.recorder import Maker, Recorder
from interpreter.recording import end_record, logged, make_header, node_record, plain_record
from interpreter.records import Answer, End, LoggedDraw, LoggedEvent, LoggedMove, Note, Origin, Plain, Start
from interpreter.replay import replay
from interpreter.rules import Rules

if TYPE_CHECKING:
    from interpreter.game import Game

KINDS = ("actions", "events", "arguments", "draws", "members", "params", "seats")
"""What may have new names; each is an object from old to new. `members` are names of values, `arguments` those of parameters."""


class Renames:
    """New names by kind."""

    def __init__(self, mapping: Mapping[str, Mapping[str, str]]) -> None:
        """Raises:
        ValueProblem: there is a kind that is none, or it is not an object of names.
        """
        for kind, names in mapping.items():
            if kind not in KINDS:
                raise ValueProblem("mapping", f"{kind} cannot be renamed; there are {', '.join(KINDS)}")
            if not isinstance(names, Mapping) or not all(isinstance(name, str) for name in names.values()):
                raise ValueProblem(f"mapping.{kind}", "it is not an object from old names to new ones")
            if len(set(names.values())) != len(names):
                raise ValueProblem(f"mapping.{kind}", "two names become one")
        self.mapping = {kind: dict(mapping.get(kind, {})) for kind in KINDS}

    def name(self, kind: str, name: str) -> str:
        return self.mapping[kind].get(name, name)

    def value(self, value: Any) -> Any:
        """A value in which members and seats have their new names."""
        if isinstance(value, str):
            return self.mapping["members"].get(value, self.name("seats", value))
        if isinstance(value, list):
            return [self.value(part) for part in value]
        if isinstance(value, dict):
            return {self.value(self.name("arguments", key)): self.value(part) for key, part in value.items()}
        return value

    def move(self, move: LoggedMove) -> LoggedMove:
        return LoggedMove(self.name("actions", move.action), self.value(move.arguments))

    def happening(self, entry: LoggedEvent | LoggedDraw) -> LoggedEvent | LoggedDraw:
        if isinstance(entry, LoggedEvent):
            return LoggedEvent(self.name("events", entry.event), self.value(entry.arguments))
        return LoggedDraw(self.name("draws", entry.draw), self.value(entry.outcome))


def migrate(log: Log, game: Game, mapping: Mapping[str, Mapping[str, str]]) -> Log:
    """The log as these rules would have written it, under new names, with its origin in the header.

    Raises:
        ValueProblem: the mapping is none.
        LogError: more than names has changed; the first difference is named.
    """
    renames = Renames(mapping)
    draft = _draft(log, game, renames)
    done = replay(draft, game, verify=False)
    if done.difference is not None:
        raise LogError("replay", f"more than names has changed: {done.difference}", done.difference.record)
    _compare(draft, done.match)
    return _written(draft, done.match)


def _draft(log: Log, game: Game, renames: Renames) -> Log:
    """The log under new names; its digests are still those of the old one."""
    header = log.header
    params = {renames.name("params", name): renames.value(value) for name, value in header.params.items()}
    rules = _rules(game, params, len(header.seats))
    humans = [renames.name("seats", seat) for seat in header.humans]
    made = make_header(rules, header.seed, humans, header.rules is not None)
    if digest_of(params) != made.params_digest:
        raise LogError("program", "its parameters, renamed, are not those of the rules")
    made = evolve(made, origin=Origin(log.hash, header.digest, {k: v for k, v in renames.mapping.items() if v}))
    return Log(made, [_renamed(record, renames) for record in log.records])


def _rules(game: Game, params: Plain, seats: int) -> Rules:
    try:
        return game.with_params(**params).rules(seats)
    except ValueProblem as problem:
        raise LogError("program", f"its parameters do not fit these rules: {problem}") from problem


def _renamed(record: Any, renames: Renames) -> Any:
    if isinstance(record, (Start, Answer)):
        record = evolve(record, then=tuple(renames.happening(entry) for entry in record.then))
    if isinstance(record, Answer):
        return evolve(record, seat=renames.name("seats", record.seat), answer=renames.move(record.answer))
    if isinstance(record, End):
        scores = record.scores and {renames.name("seats", seat): n for seat, n in record.scores.items()}
        return evolve(record, winners=tuple(renames.name("seats", seat) for seat in record.winners), scores=scores)
    if isinstance(record, Note):
        return evolve(record, attempt=None)
    seat = getattr(record, "seat", None)
    return evolve(record, seat=renames.name("seats", seat)) if seat is not None else record


def _compare(draft: Log, match: Match) -> None:
    """That the rules do what the renamed log says.

    Raises:
        LogError: they do not.
    """
    for record in draft.records:
        if isinstance(record, (Start, Answer)):
            node = match.after_record(record.n).node
            got = tuple(logged(match.rules, entry) for entry in node.then)
            if got != record.then:
                pairs = zip(got, record.then, strict=False)
                place = next((i for i, pair in enumerate(pairs) if pair[0] != pair[1]), min(len(got), len(record.then)))
                told, now = item_text(record.then, place), item_text(got, place)
                raise LogError("replay", f"more than names has changed: recorded {told}, now {now}", record.n)
            if isinstance(record, Answer) and match.rules.seats[node.seat] != record.seat:
                now = match.rules.seats[node.seat]
                raise LogError("replay", f"more than names has changed: recorded {record.seat}, now {now}", record.n)


def _written(draft: Log, match: Match) -> Log:
    """The log as it is written today: what belongs together is written together."""
    recorder = Recorder(draft.header)
    together: list[Maker] = []
    for record in draft.records:
        if not (isinstance(record, End) or getattr(record, "automatic", False)):
            recorder.add(together)
            together = []
        if isinstance(record, (Start, Answer)):
            together.append(node_record(match.rules, match.after_record(record.n).node.like(_automatic(record))))
        elif isinstance(record, End):
            together.append(end_record(match.rules, match.after_record(record.n - 1).node))
        else:
            together.append(plain_record(lambda n, record=record: evolve(record, n=n, more=False)))  # type: ignore[misc]
    recorder.add(together)
    return recorder.log()


def _automatic(record: Start | Answer) -> bool:
    return isinstance(record, Answer) and record.automatic
