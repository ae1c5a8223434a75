"""Fuzzed games as matches and logs: the law that a log tells the whole game, and the log of a failure.

Fuzzing works on plies; whoever looks at what it found works with a match and its log. `LogLaw` checks that both are the same
game, `record` makes the log of a failing one.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from typing import Any, cast

from attrs import frozen

from interpreter.errors import LogError, RulesError, ValueProblem
from interpreter.game import Game
from interpreter.log import Answer, Branch, Log, LoggedDraw, LoggedMove, Note, Redo, Start, Undo, parse_log
from interpreter.match import Match
from interpreter.node import events_of
from interpreter.replay import fold, replay
from interpreter.rules import Rules
from interpreter.values import Move, Question
from playtest.laws import LOG, Broken
from playtest.plies import CHOICE, DRAW, PASS, Loaded, Ply, Position, play
from playtest.swarm import draw
from rulesdsl import runtime

MOST_BY_ITSELF = 20_000
"""So many draws and passes may follow each other before a question."""

UNDONE = 4


class LogLaw:
    """Plays a finished game again through a match, and its log again through the rules.

    The match must reach the same states by the same events; undoing some of it and making it again must lead to the same
    place; and the log, as text, must read back as it was, replay without a difference, and fold to the same state.
    """

    def __init__(self, loaded: Loaded | Rules) -> None:
        self.rules = rules_of(loaded)
        self.game = cast(Game, OneProgram(self.rules))

    def __call__(self, plies: Sequence[Ply]) -> None:
        """Check one game.

        Raises:
            Broken: the law `log`.
        """
        try:
            plies = settled(self.rules.module, plies)
            match = Match(self.rules, seed=0, chance=told(self.rules, plies), embed=False)
            self._compare(match, feed(self.rules, match, plies), plies)
            self._undo(match)
            written = match.log
            log, _ = parse_log(written.text().encode())
            if log != written:
                raise Broken(LOG, "the log reads back as another one")
            self._replay(match, log)
        except (LogError, RulesError) as error:
            raise Broken(LOG, type(error).__name__, str(error)) from error

    def _compare(self, match: Match, fed: int, plies: Sequence[Ply]) -> None:
        """The match is where the plies lead, by the same events."""
        module = self.rules.module
        trace = runtime.Trace()
        position: Position = module.start(trace)
        events = [*trace]
        for ply in plies:
            trace = runtime.Trace()
            position = play(module, position, ply, trace)
            events += trace
        node = match.position.node
        if fed != len(plies) or (node.st, node.frame) != position:
            raise Broken(LOG, "a match comes to another position than the rules")
        if [event for step in node.path() for event in events_of(step)] != events:
            raise Broken(LOG, "a match has other events than the rules")

    def _undo(self, match: Match) -> None:
        """Some answers undone and made again, a match is where it was."""
        digest, number = match.state.digest, match.number
        for _ in range(UNDONE):
            if match.can_undo(as_analyst=True):
                match.undo(as_analyst=True)
        while match.can_redo():
            match.redo()
        if (match.state.digest, match.number) != (digest, number):
            raise Broken(LOG, "undone and made again, a match is elsewhere")

    def _replay(self, match: Match, log: Log) -> None:
        again = replay(log, self.game)
        if again.difference is not None:
            raise Broken(LOG, f"replayed, {again.difference.what}", str(again.difference))
        if again.match.state.digest != match.state.digest or again.match.number != match.number:
            raise Broken(LOG, "a replayed log comes to another position")
        if fold(log, rules=self.rules).state.digest != match.state.digest:
            raise Broken(LOG, "the events of a log give another state")


class OneProgram:
    """As much of a game as a replay needs, with nothing compiled anew: its one specialised program."""

    def __init__(self, rules: Rules) -> None:
        self.name = rules.program.name
        self._rules = rules

    def with_params(self, **params: Any) -> OneProgram:
        return self

    def rules(self, players: int) -> Rules:
        return self._rules


def rules_of(loaded: Loaded | Rules) -> Rules:
    """A loaded program by names."""
    return loaded if isinstance(loaded, Rules) else Rules(loaded)


def settled(module: Any, plies: Sequence[Ply]) -> list[Ply]:
    """The plies, and after them what a match does by itself: draws, and passes where nothing else is legal.

    The draws are by chance, the same each time: where one outcome comes up for ever, it can be that nobody can do anything.

    Raises:
        Broken: the law `log`, for a game that goes on by itself and asks nobody.
    """
    position: Position = module.start(runtime.Trace())
    for ply in plies:
        position = play(module, position, ply, runtime.Trace())
    made = list(plies)
    rng = random.Random(0)
    while position[1] is not None:
        if len(made) - len(plies) > MOST_BY_ITSELF:
            raise Broken(LOG, "nobody is asked", f"{MOST_BY_ITSELF:,} draws and passes follow each other")
        state, frame = position
        if module.KIND[frame[0]] == DRAW:
            made.append((DRAW, draw(module.outcomes(state, frame), rng)))
        elif frame[0] in module.MAY_PASS and not module.any_legal(state, frame):
            made.append((CHOICE, PASS))
        else:
            break
        position = play(module, position, made[-1], runtime.Trace())
    return made


def told(rules: Rules, plies: Sequence[Ply]) -> Callable[[Question], Any]:
    """A match's chance that gives the drawn outcomes of the plies in order; what comes after them is drawn, the same each time."""
    named: list[Any] = []
    module = rules.module
    position: Position | None = None
    for number, (kind, value) in enumerate(plies):
        if position is None:
            position = module.start(runtime.Trace())
        if kind == DRAW:
            named.append(rules.codec.named(rules.draw_of(position[1][0])[1], value))
        if number + 1 < len(plies):
            position = play(module, position, (kind, value), runtime.Trace())
    waiting, rng = iter(named), random.Random(0)

    def chance(question: Question) -> Any:
        for outcome in waiting:
            return outcome
        return draw(question.outcomes, rng)

    return chance


def feed(rules: Rules, match: Match, plies: Sequence[Ply]) -> int:
    """Answer a match with the choices of the plies; passes that it makes by itself are not made twice.

    Gives the number of plies that were used, draws included.

    Raises:
        IllegalMove, RulesError: a ply is not possible, or the rules fail.
    """
    made = used = 0
    for kind, value in plies:
        used += 1
        if kind != CHOICE:
            continue
        if match.number == made:
            match.answer(value)
        elif value != PASS:
            return used - 1
        made += 1
    return used


@frozen
class Recorded:
    """The log of a failing game. `error` is what the machine says where the rules fail; None where they do not."""

    log: Log
    error: RulesError | None


def record(rules: Rules, plies: Sequence[Ply], *, embed: bool = True) -> Recorded:
    """The log of a game, which may break a law: it ends before the answer at which the rules fail, and names that answer.
    `embed`: the log carries the text of the rules."""
    match: Match | None = None
    try:
        match = Match(rules, seed=0, chance=told(rules, plies), checks=True, embed=embed)
        feed(rules, match, plies)
        match.legal_moves()
    except RulesError as error:
        if error.log is not None:
            return Recorded(error.log, error)
        if match is None:
            raise
        return Recorded(match.log, error)
    return Recorded(match.log, None)


# ---------------------------------------------------------------- from logs


def plies_of(rules: Rules, log: Log) -> tuple[Ply, ...]:
    """The game that a log tells, as plies: that of its last position, with the answer that the rules failed at, if any.

    What is not possible by these rules is left out, so that a log of other rules gives as much of its game as there is.
    """
    plies: list[Ply] = []
    position: Position | None = None
    try:
        for move, draws in _told_answers(rules, log):
            if position is None:
                position = _go_on(rules, plies, rules.module.start(runtime.Trace()), draws)
            elif move is not None and position[1] is not None and rules.module.allows(*position, move):
                plies.append((CHOICE, move))
                position = _go_on(rules, plies, play(rules.module, position, plies[-1], runtime.Trace()), draws)
    except Exception:  # the rules fail at the last ply: whoever plays it will see how
        pass
    return tuple(plies)


def _told_answers(rules: Rules, log: Log) -> Iterator[tuple[Any, tuple[LoggedDraw, ...]]]:
    """Each move of the line of play at the end of a log, with the draws that followed it; first None and the set-up's draws."""
    lines: dict[int, tuple[Start | Answer, ...]] = {}
    line: tuple[Start | Answer, ...] = ()
    attempt = None
    for item in log.records:
        if isinstance(item, (Undo, Redo, Branch)):
            line = lines[item.to]
        elif isinstance(item, (Start, Answer)):
            line = (*line, item)
        elif isinstance(item, Note):
            attempt = item.attempt or attempt
        lines[item.n] = line
    for told_ in line:
        draws = tuple(part for part in told_.then if isinstance(part, LoggedDraw))
        yield (_move(rules, told_.answer) if isinstance(told_, Answer) else None), draws
    if attempt is not None:
        yield (None if attempt.answer is None else _move(rules, attempt.answer)), attempt.draws


def _move(rules: Rules, move: LoggedMove) -> Any:
    """The internal form of a logged move, None if there is no such move now."""
    try:
        return rules.internal_move(Move(move.action, move.arguments))
    except ValueProblem:
        return None


def _go_on(rules: Rules, plies: list[Ply], position: Position, draws: Sequence[LoggedDraw]) -> Position:
    """The next question: draws come out as they did, and where that cannot be, as the smallest outcome."""
    waiting = list(draws)
    while position[1] is not None and rules.module.KIND[position[1][0]] == DRAW:
        name, kind = rules.draw_of(position[1][0])
        possible = [value for value, _ in rules.module.outcomes(*position)]
        value = possible[0]
        if waiting and waiting[0].draw == name:
            value = _outcome(rules, kind, waiting.pop(0).outcome, possible)
        plies.append((DRAW, value))
        position = play(rules.module, position, plies[-1], runtime.Trace())
    return position


def _outcome(rules: Rules, kind: Any, logged: Any, possible: Sequence[Any]) -> Any:
    try:
        value = rules.codec.internal(kind, logged)
    except ValueProblem:
        return possible[0]
    return value if value in possible else possible[0]
