"""From a node to the next, one answer or one draw at a time: nothing is stored, nothing is undone, and nothing given is changed.

`begun`, `answered` and `drawn` make the passes that are due, and are the way of search and learning; `start`, `answer`, `draw`,
`run` and `perform` stop before them. With `checks` these look at invariants and transitions around each event, and that the
events alone give the same state.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from interpreter.machine import DRAW, Fault, check_laws, fault_of
from interpreter.node import Node
from interpreter.rules import Internal, Rules
from rulesdsl.runtime import Trace

PASS: Internal = (0,)


def begun(rules: Rules) -> Node:
    """Where a game begins: the first draw or question, or the end.

    Raises:
        Fault: the rules fail.
    """
    return _passed(rules, start(rules))


def answered(rules: Rules, node: Node, move: Internal, automatic: bool = False) -> Node:
    """After a legal move, and the passes that are due then.

    Raises:
        Fault: the rules fail.
    """
    return _passed(rules, answer(rules, node, move, automatic))


def drawn(rules: Rules, node: Node, value: Any) -> Node:
    """After an outcome of the draw that a node rests at, and the passes that are due then.

    Raises:
        Fault: the rules fail.
    """
    return _passed(rules, draw(rules, node, value))


def _passed(rules: Rules, node: Node) -> Node:
    """The node, or the one after the passes that are due here."""
    while pass_due(rules, node):
        node = answer(rules, node, PASS, automatic=True)
    return node


# ---------------------------------------------------------------- one step


def start(rules: Rules, checks: bool = False) -> Node:
    """The first draw or question of a game, or its end.

    Raises:
        Fault: the rules fail.
    """
    trace = Trace()
    try:
        st, frame = rules.module.start(trace)
    except Exception as problem:
        raise fault_of(rules, problem) from problem
    if checks:
        check_laws(rules, rules.module.initial(), trace, st)
    return Node(None, 0, -1, None, False, tuple(trace), _reveals(trace), st, frame)


def answer(rules: Rules, node: Node, move: Internal, automatic: bool = False, checks: bool = False) -> Node:
    """After a legal move.

    Raises:
        Fault: the rules fail.
    """
    module, trace = rules.module, Trace()
    try:
        seat = module.asked(node.st, node.frame)
        st, frame = module.answer(node.st, node.frame, move, trace)
    except Exception as problem:
        raise fault_of(rules, problem) from problem
    if checks:
        check_laws(rules, node.st, trace, st)
    return Node(node, node.depth + 1, seat, move, automatic, tuple(trace), _reveals(trace), st, frame)


def draw(rules: Rules, node: Node, value: Any, checks: bool = False) -> Node:
    """After an outcome of the draw that a node rests at: the same node, gone further.

    Raises:
        Fault: the rules fail.
    """
    trace = Trace()
    try:
        st, frame = rules.module.drawn(node.st, node.frame, value, trace)
    except Exception as problem:
        raise fault_of(rules, problem) from problem
    if checks:
        check_laws(rules, node.st, trace, st)
    before = (*node.then, (DRAW, node.frame[0], value))
    reveals = (*node.reveals, *(place + len(before) for place in _reveals(trace)))
    then = (*before, *trace)
    return Node(node.parent, node.depth, node.seat, node.move, node.automatic, then, reveals, st, frame)


def run(rules: Rules, st: Internal, flow: str, args: Internal, checks: bool = False) -> Node:
    """Where a flow that is run in a state first rests, or its end.

    Raises:
        Fault: the rules fail.
    """
    trace = Trace()
    try:
        after, frame = rules.module.run(st, flow, args, trace)
    except Exception as problem:
        raise fault_of(rules, problem) from problem
    if checks:
        check_laws(rules, st, trace, after)
    return Node(None, 0, -1, None, False, tuple(trace), _reveals(trace), after, frame)


def perform(rules: Rules, st: Internal, action: int, me: int, given: Internal, chosen: Internal) -> Node:
    """Where the effects of an action that is performed in a state first rest; whether it is legal is not asked.

    Raises:
        Fault: the rules fail.
    """
    trace = Trace()
    try:
        after, frame = rules.module.perform(st, action, me, given, chosen, trace)
    except Exception as problem:
        raise fault_of(rules, problem) from problem
    return Node(None, 0, -1, None, False, tuple(trace), _reveals(trace), after, frame)


def _reveals(trace: Trace) -> tuple[int, ...]:
    """The places of revealing events; most answers have none, and then no list is made."""
    return tuple(trace.reveals) if "reveals" in trace.__dict__ else ()


# ---------------------------------------------------------------- where a node rests


def waits_for_draw(rules: Rules, node: Node) -> bool:
    """Whether a node rests at a draw."""
    return node.frame is not None and rules.module.KIND[node.frame[0]] == "draw"


def outcomes(rules: Rules, node: Node) -> Sequence[tuple[Any, int]]:
    """The outcomes of the draw that a node rests at, with their weights.

    Raises:
        Fault: there is nothing to draw from, or the rules fail.
    """
    try:
        found = rules.module.outcomes(node.st, node.frame)
    except Exception as problem:
        raise fault_of(rules, problem) from problem
    if not found:
        raise _fault(rules, node, "empty draw", "there is nothing to draw from")
    return found


def pass_due(rules: Rules, node: Node) -> bool:
    """Whether a node rests at a question that may be passed and leaves nothing else to do.

    Raises:
        Fault: somebody is asked who must answer and has no legal move, or the rules fail.
    """
    module, frame = rules.module, node.frame
    if frame is None or module.KIND[frame[0]] != "choice":
        return False
    try:
        if module.any_legal(node.st, frame):
            return False
    except Exception as problem:
        raise fault_of(rules, problem) from problem
    if frame[0] in module.MAY_PASS:
        return True
    question = rules.question(node.st, frame)
    raise _fault(rules, node, "dead end", f"{question.seat} has no legal {' or '.join(question.actions)}")


def _fault(rules: Rules, node: Node, kind: str, detail: str) -> Fault:
    """A fault of the question or the draw that a node rests at."""
    span = rules.asker(node.frame[0]).span
    place = (span.source.name, span.line, span.column)
    return Fault(kind, detail, place, rules.clause_at(place[0], place[1]))
