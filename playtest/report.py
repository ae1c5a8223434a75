"""What a failure looks like to its finder: the broken law with its values, the answers in words, a log and a scenario."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from attrs import frozen

from interpreter.rules import Rules
from interpreter.view import REFEREE, sentence
from playtest.failure import Failure
from playtest.law_parts import Compared, law_of, values_of
from playtest.logs import Recorded, record
from playtest.plies import CHOICE, DRAW, PASS, Ply, Position, play
from rulesdsl import runtime
from rulesdsl.program import load_source

TURNS = 3
SENTENCES = 12
DRAWS = 5
ANSWERS = 30


@frozen
class Told:
    """One answer of a failing game: its number from 1 (0: the set-up), who gave it, what it was, what was drawn after it."""

    number: int
    seat: str | None
    answer: str
    draws: tuple[str, ...]

    def __str__(self) -> str:
        text = f"{self.seat} {self.answer}" if self.seat else self.answer
        if not self.draws:
            return text
        left = len(self.draws) - DRAWS
        shown = self.draws if left <= 1 else (*self.draws[:DRAWS], f"and {left:,} more")
        return f"{text}  draws: {', '.join(shown)}"


@frozen
class Report:
    """A failure in words. `place` is `file:line`, empty where no single line is at fault; `story` tells the last turns."""

    title: str
    place: str
    detail: str
    values: tuple[Compared, ...]
    event: str
    answers: tuple[Told, ...]
    story: tuple[str, ...]
    scenario: str
    recorded: Recorded

    def lines(self) -> list[str]:
        """The report as plain lines."""
        head = f"broken: {self.title}" + (f"   {self.place}" if self.place else "")
        lines = [head] + ([f"  {self.detail}"] if self.detail else [])
        lines += [f"  {value}" for value in self.values]
        lines += listed(self.answers)
        if self.event:
            lines.append(f"  {' ' * _width(self.answers)}  here: {self.event}")
        if self.story:
            lines += ["the last turns:", *(f"  {sentence}" for sentence in self.story)]
        return lines


@frozen
class Saved:
    """Where a failure was written, and the command that replays it."""

    log: Path
    scenario: Path
    command: str


def report(rules: Rules, failure: Failure) -> Report:
    """Everything there is to say about a failure."""
    law = law_of(rules, failure)
    place = ""
    if law is not None:
        place = f"{law.span.source.name}:{law.span.line}"
    elif failure.place is not None:
        place = f"{failure.place[0]}:{failure.place[1]}"
    quoted = f'{failure.law} "{failure.clause}"' if law is not None else f"{failure.law}: {failure.clause}"
    return Report(
        title=quoted,
        place=place,
        detail=failure.detail,
        values=values_of(rules, failure, law),
        event=_event(rules, failure),
        answers=tuple(tell(rules, failure.plies)),
        story=tuple(story(rules, failure)),
        scenario=scenario(rules, failure),
        recorded=record(rules, failure.plies),
    )


def save(rules: Rules, failure: Failure, folder: Path, stem: str) -> Saved:
    """Write the log of a failure and a scenario to paste, as `STEM-CLAUSE.jsonl` and `STEM-CLAUSE.rules`.

    Raises:
        OSError: the files cannot be written.
    """
    words = re.findall(r"[a-z0-9]+", f"{failure.law} {failure.clause}".lower())
    name = "-".join([stem, *words])[:60].rstrip("-")
    folder.mkdir(parents=True, exist_ok=True)
    log, text = folder / f"{name}.jsonl", folder / f"{name}.rules"
    record(rules, failure.plies).log.save(log)
    text.write_text(scenario(rules, failure), encoding="utf-8")
    return Saved(log, text, shlex.join(["rulesdsl", "replay", str(log), "--with-own-rules"]))


# ---------------------------------------------------------------- the last turns


def story(rules: Rules, failure: Failure, answers: int = TURNS) -> list[str]:
    """The narration of the last answers of a failure, for somebody who may see everything."""
    trace = runtime.Trace()
    groups: list[list[str]] = [[]]
    try:
        position: Position = rules.module.start(trace)
        groups[-1] += _sentences(rules, trace)
        for ply in failure.plies:
            if ply[0] == CHOICE:
                groups.append([])
            trace = runtime.Trace()
            position = play(rules.module, position, ply, trace)
            groups[-1] += _sentences(rules, trace)
    except Exception:  # the rules fail here: what happened before is told all the same
        groups[-1] += _sentences(rules, trace)
    return [text for group in groups[-answers:] for text in group][-SENTENCES:]


def _sentences(rules: Rules, trace: Sequence[Any]) -> list[str]:
    found = (sentence(rules, event, REFEREE) for event in trace)
    return [text for text in found if text is not None]


def _event(rules: Rules, failure: Failure) -> str:
    """The event that broke the law, as the last answer made it."""
    if failure.event is None:
        return ""
    trace = runtime.Trace()
    try:
        position: Position = rules.module.start(trace)
        for ply in failure.plies:
            trace = runtime.Trace()
            position = play(rules.module, position, ply, trace)
    except runtime.RulesFault:
        return ""
    return str(rules.event(trace[failure.event])) if failure.event < len(trace) else ""


# ---------------------------------------------------------------- the answers


def _width(answers: Sequence[Told]) -> int:
    return len(str(len(answers)))


def listed(answers: Sequence[Told]) -> list[str]:
    """A line for each answer, of a long game for the last ones."""
    width, left = _width(answers), len(answers) - ANSWERS
    lines = [f"  {' ' * width}  ({left:,} answers before, which are in the log)"] if left > 0 else []
    return [*lines, *(f"  {told.number:>{width}}  {told}" for told in answers[max(0, left) :])]


def tell(rules: Rules, plies: Sequence[Ply]) -> list[Told]:
    """Plies in words: each answer with the draws after it."""
    told: list[Told] = []
    draws: list[str] = []
    seat: str | None = None
    answer = "(set-up)"
    number = 0
    for position, (kind, value) in _walk(rules, plies):
        if kind == DRAW:
            draws.append(rules.codec.text(rules.draw_of(position[1][0])[1], value))
            continue
        if number or draws:
            told.append(Told(number, seat, answer, tuple(draws)))
        draws = []
        number += 1
        seat = rules.seats[rules.module.asked(*position)]
        answer = str(rules.move(value))
    if number or draws:
        told.append(Told(number, seat, answer, tuple(draws)))
    return told


def _walk(rules: Rules, plies: Sequence[Ply]) -> list[tuple[Position, Any]]:
    """Each ply with the position before it."""
    if not plies:
        return []
    position: Position = rules.module.start(runtime.Trace())
    walked = []
    for number, ply in enumerate(plies):
        walked.append((position, ply))
        if number + 1 < len(plies):
            position = play(rules.module, position, ply, runtime.Trace())
    return walked


def scenario(rules: Rules, failure: Failure) -> str:
    """The failing game as a scenario to paste into the rules file. It fails until the rules are mended."""
    title = f"found: {failure.law}, {failure.clause}".replace('"', "'").replace("{", "(").replace("}", ")")
    lines = [f'scenario "{title}":', *_settings(rules), "    run main()"]
    last = ""
    for position, (kind, value) in _walk(rules, failure.plies):
        state, frame = position
        if kind == DRAW:
            lines.append(f"    draw {rules.codec.text(rules.draw_of(frame[0])[1], value)}")
            continue
        seat = _seat(rules, rules.module.asked(state, frame))
        if value != PASS:
            last = f"{seat} {rules.move(value)}"
            lines.append(f"    {last}")
        elif rules.module.any_legal(state, frame):
            lines.append(f"    {seat} passes")
    return "\n".join([*_advice(failure, last), *lines]) + "\n"


def _advice(failure: Failure, last: str) -> list[str]:
    """Comments above a scenario: why it fails, and what to make of it when the rules are mended."""
    what = f"{failure.law} \"{failure.clause}\"" if failure.number is not None else f"{failure.law}, {failure.clause}"
    told = [f"Found by trying the rules: {what}."]
    if failure.thorough:
        told.append("It is a law about the game as a whole, which scenarios do not look at: the log shows it.")
    else:
        told.append("It fails until the rules are mended. Keep it then, with a title that says what happens in it,")
        told.append("and end it with what should be so, `expect ...`; or, if the last answer should be refused, with")
        told.append(f"`expect illegal {last}` in its place." if last else "the answer that comes first.")
    return [f"# {line}" for line in told]


def _settings(rules: Rules) -> list[str]:
    """The `with` line: the number of seats and the parameters that are not what the rules give without it."""
    usual = load_source(rules.source).program
    known = {name: value for name, _, value in usual.parameters}
    settings = [
        f"{name} = {rules.codec.text(kind, value)}"
        for name, kind, value in rules.program.parameters
        if known.get(name) != value
    ]
    if len(rules.seats) != len(usual.player.members):
        settings.insert(0, f"players = {len(rules.seats)}")
    return [f"    with {', '.join(settings)}"] if settings else []


def _numbered(rules: Rules) -> bool:
    return all(name == f"player{seat}" for seat, name in enumerate(rules.seats))


def _seat(rules: Rules, seat: int) -> str:
    return f"Player[{seat}]" if _numbered(rules) else rules.seats[seat]
