"""The states that the events of a log give by themselves: no rule is asked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from attrs import frozen

from interpreter.errors import LogError, ValueProblem
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
    states, st = fold_states(log, rules, verify)
    return Folded({number: rules.state(item) for number, item in states.items()}, rules.state(st))


def fold_states(log: Log, rules: Rules, verify: bool = False) -> tuple[dict[int, Internal], Internal]:
    """The states after each record of a set-up or an answer, and the last one, in internal form."""
    read, apply = reader_of(rules).event, rules.module.apply
    st = rules.module.initial()
    states: dict[int, Internal] = {}
    for number, data in enumerate(log.plain):
        if "then" in data:
            try:
                for item in data["then"]:
                    if "event" in item:
                        st = apply(st, read(item))
            except ValueProblem as problem:
                raise LogError("altered", str(problem), number) from problem
            if verify and rules.digest(st) != data["state"]:
                raise LogError("altered", f"its events give the state {rules.digest(st)}, not {data['state']}", number)
            states[number] = st
        elif "to" in data:
            if data["to"] not in states:
                raise LogError("altered", f"record {data['to']} is not a set-up or an answer", number)
            st = states[data["to"]]
    return states, st
