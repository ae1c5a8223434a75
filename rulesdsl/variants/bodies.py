"""Statements exchanged within the bodies of flows and actions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from attrs import evolve

from rulesdsl import syntax

_Node = TypeVar("_Node", bound=syntax.Statement)


def exchanged(
    body: syntax.Block, step: _Node, change: Callable[[_Node], tuple[syntax.Statement, ...]]
) -> syntax.Block:
    """The body with one statement (found by identity) put through `change`; a block that becomes empty gets a `pass`."""
    made: list[syntax.Statement] = []
    for node in body:
        if node is step:
            made.extend(change(step))
        else:
            made.append(_inside(node, step, change))
    return tuple(made) or (syntax.Pass(step.span),)


def _inside(node: Any, step: Any, change: Any) -> Any:
    if isinstance(node, syntax.If):
        branches = tuple((test, exchanged(block, step, change)) for test, block in node.branches)
        otherwise = exchanged(node.otherwise, step, change) if node.otherwise is not None else None
        return evolve(node, branches=branches, otherwise=otherwise)
    if isinstance(node, (syntax.For, syntax.While, syntax.Repeat, syntax.Turns, syntax.Step)):
        return evolve(node, body=exchanged(node.body, step, change))
    if isinstance(node, syntax.Ask):
        after = exchanged(node.after, step, change) if node.after is not None else None
        otherwise = exchanged(node.otherwise, step, change) if node.otherwise is not None else None
        return evolve(node, after=after, otherwise=otherwise)
    return node
