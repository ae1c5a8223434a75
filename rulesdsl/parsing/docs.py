"""Which comments document something, and citations of the rulebook in comments that do not."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from attrs import evolve, fields, has

from rulesdsl import syntax
from rulesdsl.diagnostics import Diagnostic

_CITATION = re.compile(r"\[§[^\]]*\]")


def doc_lines(module: syntax.Module) -> frozenset[int]:
    """The lines of the comments that are documentation of what follows them, wherever they are indented."""
    result: set[int] = set()
    stack: list[Any] = [*module.declarations, *module.deltas, *([module.variant] if module.variant else [])]
    while stack:
        node = stack.pop()
        if isinstance(node, tuple):
            stack.extend(node)
        elif has(type(node)) and hasattr(node, "span"):
            if getattr(node, "doc", ""):
                line = node.span.line
                result.update(range(line - len(node.doc.split("\n")), line))
            stack.extend(getattr(node, f.name) for f in fields(type(node)) if f.name != "span")
    return frozenset(result)


def idle_citations(module: syntax.Module) -> Iterator[Diagnostic]:
    """What there is to say of citations in `##` comments that stand above nothing that they could document."""
    known = doc_lines(module)
    below = "cite it above the whole declaration, or put what follows in a `step name:` and cite it above that"
    for comment in module.comments:
        cited = _CITATION.search(comment.text) if comment.text.startswith("##") else None
        if cited is None or (comment.alone and comment.span.line in known):
            continue
        start = comment.span.start + cited.start()
        span = evolve(comment.span, start=start, end=start + len(cited[0]))
        text = "nothing that can be cited begins on the next line" if comment.alone else "it stands at the end of a line"
        yield Diagnostic("W908", "this citation belongs to nothing", span, text, (), (below,), "warning")
