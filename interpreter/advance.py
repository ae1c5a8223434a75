"""From a node to the next, one answer or one draw at a time, without a match: nothing is stored, nothing is undone.

This is the way of search and learning, so it is short: generated code, and one `Node`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from interpreter.machine import DRAW, Fault, fault_of
from interpreter.node import Node
from interpreter.rules import Internal, Rules
from rulesdsl.runtime import Trace

PASS: Internal = (0,)


def begun(rules: Rules) -> Node:
    """Where a game begins: the first draw or question, or the end.

    Raises:
        Fault: the rules fail.
    """
    trace = Trace()
    try:
        st, frame = rules.module.start(trace)
    except Exception as problem:
        raise fault_of(rules, problem) from problem
    return _rested(rules, Node(None, 0, -1, None, False, tuple(trace), _reveals(trace), st, frame))


def answered(rules: Rules, node: Node, move: Internal, automatic: bool = False) -> Node:
    """After a legal move, and the passes that are due then.

    Raises:
        Fault: the rules fail.
    """
    module, trace = rules.module, Trace()
    try:
        seat = module.asked(node.st, node.frame)
        st, frame = module.answer(node.st, node.frame, move, trace)
    except Exception as problem:
        raise fault_of(rules, problem) from problem
    made = Node(node, node.depth + 1, seat, move, automatic, tuple(trace), _reveals(trace), st, frame)
    return _rested(rules, made)


def drawn(rules: Rules, node: Node, value: Any) -> Node:
    """After an outcome of the draw that a node rests at: the same node, gone further.

    Raises:
        Fault: the rules fail.
    """
    trace = Trace()
    try:
        st, frame = rules.module.drawn(node.st, node.frame, value, trace)
    except Exception as problem:
        raise fault_of(rules, problem) from problem
    before = (*node.then, (DRAW, node.frame[0], value))
    reveals = (*node.reveals, *(place + len(before) for place in _reveals(trace)))
    then = (*before, *trace)
    return _rested(rules, Node(node.parent, node.depth, node.seat, node.move, node.automatic, then, reveals, st, frame))


def _reveals(trace: Trace) -> tuple[int, ...]:
    """The places of revealing events; most answers have none, and then no list is made."""
    return tuple(trace.reveals) if "reveals" in trace.__dict__ else ()


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


def _rested(rules: Rules, node: Node) -> Node:
    """The node, or the one after the passes that are due here.

    Raises:
        Fault: somebody is asked who must answer and has no legal move.
    """
    module, frame = rules.module, node.frame
    if frame is None or module.KIND[frame[0]] != "choice":
        return node
    try:
        if module.any_legal(node.st, frame):
            return node
    except Exception as problem:
        raise fault_of(rules, problem) from problem
    if frame[0] in module.MAY_PASS:
        return answered(rules, node, PASS, automatic=True)
    question = rules.question(node.st, frame)
    raise _fault(rules, node, "dead end", f"{question.seat} has no legal {' or '.join(question.actions)}")


def _fault(rules: Rules, node: Node, kind: str, detail: str) -> Fault:
    """A fault of the question or the draw that a node rests at."""
    span = rules.asker(node.frame[0]).span
    place = (span.source.name, span.line, span.column)
    return Fault(kind, detail, place, rules.clause_at(place[0], place[1]))
