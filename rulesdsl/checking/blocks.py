"""What blocks do, told from their syntax alone."""

from __future__ import annotations

from typing import Any

from rulesdsl import syntax
from rulesdsl.diagnostics import Span


def spread(node: syntax.Expr) -> tuple[syntax.NameExpr | None, list[syntax.Expr]]:
    """`figure[by][f]` as its name and indices; (None, []) for what is not of that form."""
    indices: list[syntax.Expr] = []
    while isinstance(node, syntax.Index):
        indices.insert(0, node.index)
        node = node.obj
    return (node, indices) if isinstance(node, syntax.NameExpr) else (None, [])


def header(node: syntax.Statement) -> Span:
    """A statement without its block."""
    last: Any = node
    if isinstance(node, syntax.While):
        last = node.condition
    elif isinstance(node, syntax.Repeat):
        last = node.count
    elif isinstance(node, (syntax.For, syntax.Turns)):
        last = node.condition or (node.source if isinstance(node, syntax.For) else node.first)
    elif isinstance(node, syntax.Step):
        last = node.name
    elif isinstance(node, syntax.If):
        last = node.branches[0][0]
    elif isinstance(node, syntax.Ask):
        last = node.alternatives[-1]
    return node.span.to(last.span)


def assigned(body: syntax.Block) -> set[str]:
    """The names that a block assigns, at any depth."""
    found: set[str] = set()
    for node in body:
        if isinstance(node, syntax.Assign):
            root, _ = spread(node.target)
            if root is not None:
                found.add(root.id)
        for block in syntax.inner_blocks(node):
            found |= assigned(block)
    return found


def disturbs(body: syntax.Block) -> bool:
    """Whether a block emits, asks, draws or calls a flow."""
    return any(
        isinstance(node, (syntax.Emit, syntax.Ask, syntax.Draw, syntax.CallStatement))
        or any(map(disturbs, syntax.inner_blocks(node)))
        for node in body
    )


def breaks(body: syntax.Block) -> bool:
    """Whether a block leaves the loop that it is the body of."""
    for node in body:
        if isinstance(node, syntax.Break):
            return True
        if isinstance(node, (syntax.If, syntax.Step)) and any(map(breaks, syntax.inner_blocks(node))):
            return True
        if isinstance(node, syntax.Ask) and node.otherwise is not None and breaks(node.otherwise):
            return True
    return False
