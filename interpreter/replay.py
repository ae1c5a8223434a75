"""Playing a log again: by its answers through the rules (`replay`), or by its events alone (`fold`).

Two laws hold for every game: running the recorded answers and draws through the rules gives exactly the recorded events and
states, and applying the recorded events alone gives the same states. Where a log and the rules part, the first difference is
named; nothing after it is applied.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from attrs import frozen

from interpreter import advance
from interpreter.difference import Difference, Parted, apart, asked, item, told
from interpreter.errors import LogError, RulesError, ValueProblem
from interpreter.folding import Folded, fold, fold_states
from interpreter.lines import chained, is_more, uncollected, with_more
from interpreter.log import Log, Stretch
from interpreter.machine import Choose, Fault
from interpreter.match import Match
from interpreter.node import Node
from interpreter.reading import reader_of
from interpreter.recorder import Recorder, Sink
from interpreter.recording import logged, writer_of
from interpreter.records import Answer, Attempt, End, Plain, Start
from interpreter.rules import Internal, Rules
from interpreter.snapshots import Snapshots
from interpreter.turn import Turn

if TYPE_CHECKING:
    from interpreter.game import Game


@frozen
class Replay:
    """What a replay came to. `match` stands after the last record that agrees, `agreed` is how many records do.

    `fault` is what the rules failed at, where the log notes an attempt and it fails again.
    """

    match: Match
    agreed: int
    difference: Difference | None = None
    fault: RulesError | None = None


def rules_of(log: Log, game: Game | None = None, *, own_rules: bool = False, current_rules: bool = False) -> Rules:
    """The rules that a log is to be played with: the game's, or (`own_rules`, or without a game) those in the log itself.

    Raises:
        LogError: kind "program", if the game's rules are not those of the log and `current_rules` is not asked for, or if
            the log's own are asked for and it carries none.
    """
    from interpreter.game import Game

    header = log.header
    if game is None or own_rules:
        if not header.rules:
            raise LogError("program", "this log does not carry its rules; give them")
        game = Game.from_text(header.rules)
    if game.name != header.game:
        raise LogError("program", f"a log of {header.game}, not of {game.name}")
    try:
        params = _agreed(log, game) if current_rules else header.params
        rules = game.with_params(**params).rules(len(header.seats))
    except ValueProblem as problem:
        raise LogError("program", f"its parameters do not fit these rules: {problem}") from problem
    if rules.seats != header.seats:
        raise LogError("program", f"its seats are {', '.join(header.seats)}, now {', '.join(rules.seats)}")
    if rules.program.digest != header.digest and not current_rules:
        played, now = f"program {header.digest[:8]}…", f"{rules.program.digest[:8]}…"
        if header.variants != rules.variants:
            played, now = (" + ".join((header.game, *variants)) for variants in (header.variants, rules.variants))
        hint = "it carries its own rules" if header.rules is not None else "it does not carry its own"
        raise LogError("program", f"played with other rules ({played}, now {now}); the log is intact, and {hint}")
    return rules


def _agreed(log: Log, game: Game) -> dict[str, Any]:
    """The parameters of a log that other rules are to have: what was left at its default then is at the default now."""
    from interpreter.game import Game

    header = log.header
    if not header.rules or header.digest == game.rules(len(header.seats)).program.digest:
        return header.params
    then = Game.from_text(header.rules)
    usual = {name: then.rules().codec.plain(t, value) for name, t, value in then.program().parameters}
    return {name: value for name, value in header.params.items() if name not in usual or value != usual[name]}


def replay(
    log: Log,
    game: Game | None = None,
    verify: bool = True,
    *,
    own_rules: bool = False,
    current_rules: bool = False,
    checks: bool = False,
    sink: Sink | None = None,
) -> Replay:
    """Run the answers and draws of a log through the rules.

    `verify` compares every event and every digest of a state with the log's. `checks` looks at invariants too. With `sink`
    (which holds the log's lines already) the match can be continued there.

    Raises:
        LogError: see `rules_of`.
    """
    rules = rules_of(log, game, own_rules=own_rules, current_rules=current_rules)
    with uncollected():
        return _Replayer(Stretch.of(log), _match_for(log, rules, checks, sink), verify).play()


def replay_in(log: Log, rules: Rules, sink: Sink, snapshots: Snapshots) -> Match:
    """The match that a log records, with snapshots taken on the way.

    Raises:
        LogError: the rules do not do what it says.
    """
    match = _match_for(log, rules, False, sink)
    match.history.take_snapshots(snapshots)
    with uncollected():
        done = _Replayer(Stretch.of(log), match, True).play()
    if done.difference is not None:
        raise LogError("replay", str(done.difference), done.difference.record)
    return match


def _match_for(log: Log, rules: Rules, checks: bool, sink: Sink | None) -> Match:
    """A match at its very beginning, whose log is this one."""
    header = log.header
    return Match(rules, humans=header.humans, checks=checks, recorder=Recorder.of(log, sink), seed=header.seed)


def catch_up(match: Match, stretch: Stretch) -> None:
    """Take a match through records that stand behind its own, and have been taken over into its log.

    Raises:
        LogError: the rules do not do what they say; then the match stands after the last record that agrees.
    """
    done = _Replayer(stretch, match, True).play()
    if done.difference is not None:
        raise LogError("replay", str(done.difference), done.difference.record)


class _Replayer:
    """Takes a match through records of its log.

    What the rules do is written as a line and compared with the line of the log. Only where these are not the same is the
    record looked at member by member, to say what is different.
    """

    def __init__(self, log: Stretch, match: Match, verify: bool) -> None:
        self.log = log
        self.match = match
        self.rules = match.rules
        self.verify = verify
        self.at = log.first
        self.reader = reader_of(match.rules)
        self.writer = writer_of(match.rules)

    def play(self) -> Replay:
        fault = None
        while self.at < self.log.last:
            if self._quickly():
                continue
            data = self.log.data(self.at)
            try:
                if data["kind"] == "note" and "attempt" in data:
                    record = self.log.record(self.at)
                    fault = self._attempt(record.attempt) or fault
                    self.at += 1
                else:
                    self._record(data)
            except Parted as parted:
                return self._parted(parted)
            except Fault as broken:
                return self._parted(Parted("the rules fail", "no fault", str(broken)))
            except ValueProblem as problem:
                return self._parted(Parted("it does not fit the rules", told(self.log.record(self.at)), str(problem)))
        if not self.match.started and fault is None:
            self.match.begin()
        return Replay(self.match, self.log.last, None, fault)

    def _quickly(self) -> bool:
        """Take an answer that goes as recorded: nearly all do. False, with nothing done, where it must be looked at."""
        match = self.match
        if match.checks or not self.verify or not match.started:
            return False
        parent = match.position.node
        move = self.reader.move_in(self.log.line(self.at))
        if move is None or parent.frame is None or self.rules.module.KIND[parent.frame[0]] != "choice":
            return False
        try:
            if not self.rules.module.allows(parent.st, parent.frame, move):
                return False
            nodes = self._nodes_after(parent, move)
        except Exception:  # whatever is wrong here is found again, and told, by the other way
            return False
        if not nodes or (nodes[-1].frame is None and self.at + len(nodes) == self.log.last):
            return False
        if not all(self._is_written(node, self.at + place) for place, node in enumerate(nodes)):
            return False
        for node in nodes:
            match.history.adopt(node, self.at)
            self.at += 1
        return True

    def _nodes_after(self, parent: Node, move: Internal) -> list[Node]:
        """What a move and the recorded draws lead to: as many nodes as there are records of it, or none."""
        node = advance.answered(self.rules, parent, move)
        last, draws = self.at, self._draws(self.at)
        while node.frame is not None and self.rules.module.KIND[node.frame[0]] == "draw":
            while not draws:
                last += 1
                draws = self._draws(last)
            name, outcome = draws.pop(0)
            expected, t = self.rules.draw_of(node.frame[0])
            value = self.rules.codec.internal(t, outcome, name)
            if name != expected or all(value != possible for possible, _ in advance.outcomes(self.rules, node)):
                return []
            node = advance.drawn(self.rules, node, value)
        nodes = [node]
        while nodes[0].parent is not parent:
            assert nodes[0].parent is not None
            nodes.insert(0, nodes[0].parent)
        return nodes if self.at + len(nodes) <= self.log.last else []

    def _draws(self, n: int) -> list[tuple[str, Any]]:
        return [draw for event, draw in self.reader.told_in(self.log.line(n)) or () if event is None]

    def _parted(self, parted: Parted) -> Replay:
        before = self.match.position if self.match.started else None
        difference = Difference(self.at, parted.what, parted.expected, parted.got, before)
        return Replay(self.match, self.at, difference)

    def _record(self, data: Plain) -> None:
        if "then" in data:
            self._answered(data)
            return
        record = self.log.record(self.at)
        if "to" in data:
            try:
                self.match.history.follow(record)
            except ValueError as problem:
                raise Parted("it cannot be followed", told(record), str(problem)) from None
        elif isinstance(record, End):
            self._ended(record)
        self.at += 1

    def _answered(self, first: Plain) -> None:
        """A set-up or an answer, with the automatic passes that follow it."""
        last = self.at + 1
        while last < self.log.last and "automatic" in self.log.data(last):
            last += 1
        group = [self.log.data(n) for n in range(self.at, last)]
        if first["kind"] == "start":
            if self.match.started:
                raise Parted("there is a second set-up", "an answer", "a set-up")
            turn = self._turn(None, group)
            turn.begin()
        else:
            move = self._check_answer(first)
            turn = self._turn(self.match.position.node, group)
            turn.answer(move)
        self._compare(turn.nodes, len(group))

    def _turn(self, parent: Node | None, group: Sequence[Plain]) -> Turn:
        return Turn(self.rules, parent, lambda place: self._chooser(group, place), self.match.checks, reuse=False)

    def _check_answer(self, data: Plain) -> Internal:
        """The answer of a record, if it is legal."""
        if not self.match.started:
            raise Parted("there is no set-up", "a set-up", told(self.log.record(self.at)))
        position = self.match.position
        if not position.asks:
            raise Parted("nobody is asked", f"{data['seat']} is asked", str(position.question))
        try:
            move = self.reader.move(data["answer"])
            if position.allows(move):
                return move
        except ValueProblem:
            self._check_question(position.node, self.log.record(self.at))
            raise
        self._check_question(position.node, self.log.record(self.at))
        named = self.rules.move(move)
        raise Parted("the answer is not legal", str(named), position.why(named).summary)

    def _check_question(self, node: Node, record: Answer) -> None:
        """That the rules put the question of a record."""
        seat = self.rules.seats[self.rules.module.asked(node.st, node.frame)]
        offers = self.rules.asked_texts(node.st, node.frame)
        if (seat, offers) != (record.seat, record.asked):
            raise Parted("another question is put", asked(record.seat, record.asked), asked(seat, offers))

    def _chooser(self, group: Sequence[Plain], place: int) -> Choose | None:
        """The recorded draws; past the end of the log, what the match itself would draw."""
        if place >= len(group):
            return self.match.chooser(self.at + place)
        draws = [(item["draw"], item["outcome"]) for item in group[place]["then"] if "draw" in item]
        return lambda pc, number, outcomes: self._told_draw(draws, pc, number, outcomes)

    def _told_draw(
        self, draws: Sequence[tuple[str, Any]], pc: int, number: int, outcomes: Sequence[tuple[Any, int]]
    ) -> Any:
        name, t = self.rules.draw_of(pc)
        if number >= len(draws):
            raise Parted("more is drawn", "no draw", f"a draw of {name}")
        drawn, outcome = draws[number]
        value = self.rules.codec.internal(t, outcome, drawn)
        if drawn != name or all(value != possible for possible, _ in outcomes):
            raise Parted("the draw is another", f"{drawn} = {self.rules.codec.text(t, value)}", f"a draw of {name}")
        return value

    def _compare(self, nodes: Sequence[Node], count: int) -> None:
        """Compare what the rules did with the records, one by one, and take over what agrees."""
        for place in range(count):
            if place >= len(nodes):
                now = str(self.match.position.question)
                raise Parted("no pass is due", told(self.log.record(self.at)), now)
            if self.verify and not self._is_written(nodes[place], self.at):
                self._same(nodes[place], self.log.record(self.at))
            self.match.history.adopt(nodes[place], self.at)
            self.at += 1
        rest = list(nodes[count:])
        if rest and self.at < self.log.last:
            raise Parted("a pass is due", told(self.log.record(self.at)), "an automatic pass")
        ended = self.at == self.log.last and nodes[-1].frame is None
        if rest or ended:
            self.match.store(rest)

    def _is_written(self, node: Node, n: int) -> bool:
        """Whether the line of a record is the one that would be written for a node."""
        line = self.log.line(n)
        body = self.writer.body(node, n, not self.match.plain)
        if is_more(line):
            body = with_more(body)
        return chained(body, self.log.hash_before(n))[1] == line

    def _same(self, node: Node, record: Start | Answer) -> None:
        """What is different between a node and its record."""
        if node.parent is not None and isinstance(record, Answer):
            self._check_question(node.parent, record)
        got = tuple(logged(self.rules, entry) for entry in node.then)
        if got != record.then:
            place = next((i for i, pair in enumerate(zip(got, record.then, strict=False)) if pair[0] != pair[1]), None)
            place = min(len(got), len(record.then)) if place is None else place
            raise Parted("something else happens", item(record.then, place), item(got, place))
        digest = self.rules.digest(node.st)
        if digest != record.state:
            found = _states_apart(self.match.log, record.n, self.rules.plain_state(node.st))
            raise Parted("the state is another", *(found or (f"digest {record.state}", f"digest {digest}")))
        shown = () if self.match.plain else node.reveals
        if shown != record.reveals:
            raise Parted("something else is revealed", f"{list(record.reveals)}", f"{list(shown)}")
        raise Parted("the line is written otherwise", "its bytes", "those of this format")

    def _ended(self, end: End) -> None:
        outcome = self.match.outcome if self.match.started else None
        recorded = (end.winners, end.scores)
        if outcome is None or recorded != (outcome.winners, None if outcome.scores is None else dict(outcome.scores)):
            raise Parted("the result is another", str(recorded), str(outcome or "the game goes on"))

    def _attempt(self, attempt: Attempt) -> RulesError | None:
        """Try again what the rules failed at."""
        draws = [(item.draw, item.outcome) for item in attempt.draws]
        answer = attempt.answer
        move = None if answer is None else self.reader.move({"action": answer.action, "arguments": answer.arguments})
        return self.match.attempt(move, lambda pc, number, outcomes: self._told_draw(draws, pc, number, outcomes))


def _states_apart(log: Log, number: int, now: Plain) -> tuple[str, str] | None:
    """What is first different in the state after a record, by the log's own rules and now; None where that is not known."""
    if not log.header.rules:
        return None
    rules = rules_of(log, own_rules=True)
    then = fold_states(log, rules)[0].get(number)
    return None if then is None else apart(rules.plain_state(then), now)


__all__ = ["Difference", "Folded", "Replay", "catch_up", "fold", "replay", "replay_in", "rules_of"]
