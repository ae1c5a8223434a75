"""The states that the events of a log give by themselves: no rule is asked."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from attrs import frozen

from interpreter.errors import LogError, ValueProblem
from interpreter.lines import uncollected
from interpreter.log import Log
from interpreter.reading import reader_of
from interpreter.rules import Internal, Rules
from interpreter.values import State

if TYPE_CHECKING:
    from interpreter.game import Game


@frozen
class Folded:
    """The states that the events alone give: after each record of a set-up or an answer, and at the end of the log."""

    states: dict[int, State]
    state: State


def fold(log: Log, game: Game | None = None, *, verify: bool = True, rules: Rules | None = None) -> Folded:
    """Apply the recorded events alone; no rule is asked.

    Raises:
        LogError: an event does not fit the program, or (with `verify`) a state's digest is not the recorded one.
    """
    from interpreter.replay import rules_of

    rules = rules or rules_of(log, game)
    with uncollected():
        states, st = fold_states(log, rules, verify)
    return Folded({number: rules.state(item) for number, item in states.items()}, rules.state(st))


def fold_states(log: Log, rules: Rules, verify: bool = False) -> tuple[dict[int, Internal], Internal]:
    """The states after each record of a set-up or an answer, and the last one, in internal form."""
    reader, apply = reader_of(rules), rules.module.apply
    told_in = reader.told_in
    st = rules.module.initial()
    states: dict[int, Internal] = {}
    for number, line in enumerate(log.lines()[1:]):
        try:
            told = told_in(line)
            if told is not None:
                for event, _ in told:
                    if event is not None:
                        st = apply(st, event)
            else:
                st = _slowly(line, rules, st, states, number)
        except ValueProblem as problem:
            raise LogError("altered", str(problem), number) from problem
        if told is not None or b'"then":' in line:
            if verify and line.rfind(f'"state":"{rules.digest(st)}"'.encode()) < 0:
                recorded = json.loads(line)["state"]
                raise LogError("altered", f"its events give the state {rules.digest(st)}, not {recorded}", number)
            states[number] = st
    return states, st


def _slowly(line: bytes, rules: Rules, st: Internal, states: dict[int, Internal], number: int) -> Internal:
    """The state after a record that is no answer, or one that is not written as most are."""
    data = json.loads(line)
    if "then" in data:
        for item in data["then"]:
            if "event" in item:
                st = rules.module.apply(st, reader_of(rules).event(item))
    elif "to" in data:
        if data["to"] not in states:
            raise LogError("altered", f"record {data['to']} is not a set-up or an answer", number)
        st = states[data["to"]]
    return st
