"""What all parts of the tree builder share: places, names, documentation, depth, complaints."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from attrs import frozen

from rulesdsl import syntax
from rulesdsl.diagnostics import Diagnostic, Source, Span

if TYPE_CHECKING:
    from lark import Token

DEEPEST = 100
LARGEST = 2**63 - 1

_LAYOUT = frozenset({"_NL", "_INDENT", "_DEDENT"})
_COMMENT = re.compile(r'"[^"\r\n]*"|#[^\r\n]*')

@frozen
class Part:
    """Something on the way to a node: a value and where it stood."""

    span: Span
    value: Any


class Else(Part):
    """The block of an `else`."""


def find_comments(source: Source) -> tuple[syntax.Comment, ...]:
    """The comments of a file, in order."""
    text = source.text
    found = []
    for match in _COMMENT.finditer(text):
        if match.group().startswith("#"):
            before = text[text.rfind("\n", 0, match.start()) + 1 : match.start()]
            found.append(
                syntax.Comment(Span(source, match.start(), match.end()), match.group().rstrip(), not before.strip(" \t\ufeff"))
            )
    return tuple(found)

class Base:
    """Makes nodes for one parse. `diagnostics` collects what it had to complain about.

    `reserved` are the words that may not be names, `not_actions` and `not_seats` those that may not name these two.
    """

    def __init__(
        self, source: Source, comments: Sequence[syntax.Comment], reserved: frozenset[str], *, not_actions: frozenset[str],
        not_seats: frozenset[str],
    ) -> None:
        self.source = source
        self.reserved = reserved
        self.not_actions = not_actions
        self.not_seats = not_seats
        self.diagnostics: list[Diagnostic] = []
        self._docs = {c.span.line: c.text for c in comments if c.alone and c.text.startswith("##")}
        self._depth: dict[int, tuple[int, Any]] = {}
        self._outer: dict[int, Span] = {}

    # ---------------------------------------------------------------- helpers

    def _extent(self, item: Any) -> Span:
        """Where a child stands, with the parentheses around it."""
        outer = self._outer.get(id(item))
        if outer is not None:
            return outer
        if hasattr(item, "span"):
            return item.span  # type: ignore[no-any-return]
        return Span(self.source, item.start_pos, item.end_pos)

    def _span(self, children: Sequence[Any]) -> Span:
        """From the first child to the last, without the layout at the end."""
        last = next(c for c in reversed(children) if not (is_token(c) and c.type in _LAYOUT))
        return self._extent(children[0]).to(self._extent(last))

    def _deep(self, node: Any, *parts: Any) -> Any:
        """Keeps count of how deeply a node is nested; complains once when it is too much."""
        depth = 1 + max((self._depth[id(p)][0] for p in parts if id(p) in self._depth), default=0)
        self._depth[id(node)] = (depth, node)
        if depth == DEEPEST + 1:
            self._complain(
                "S117", "this expression is nested too deeply", node.span, f"more than {DEEPEST} levels",
                hint="name a part of it with `let`, or move it to a `def`",
            )
        return node

    def _complain(self, code: str, title: str, span: Span, text: str = "", *, hint: str = "") -> None:
        self.diagnostics.append(Diagnostic(code, title, span, text, hints=(hint,) if hint else ()))

    def _name(self, token: Token) -> syntax.Name:
        self._check_name(token)
        return syntax.Name(self._extent(token), str(token))

    def _clause_name(self, token: Token) -> syntax.Name:
        """The name of a step or a require: any word, since it is used after a dot or `by` only (`step draw`)."""
        return syntax.Name(self._extent(token), str(token))

    def _check_name(self, token: Token) -> None:
        if token not in self.reserved:
            return
        hint = f"another name is needed, such as `{token}_` or `the_{token}`"
        if token == "return":
            hint = "where a block is a value, as in a measure or a law, the value stands alone: leave `return` out"
        title = f"`{token}` is a word of the language and cannot be a name"
        self._complain("S107", title, self._extent(token), "used as a name here", hint=hint)

    def _names(self, children: Sequence[Any]) -> tuple[syntax.Name, ...]:
        return tuple(self._name(c) for c in children if is_kind(c, "NAME"))

    def _doc(self, first: Any) -> str:
        """The `##` lines directly above."""
        if not self._docs:
            return ""
        line = self._extent(first).line - 1
        texts: list[str] = []
        while line in self._docs:
            texts.append(self._docs[line][2:].removeprefix(" "))
            line -= 1
        return "\n".join(reversed(texts))

    def _sentence(self, token: Token) -> syntax.Sentence:
        return syntax.Sentence(self._extent(token), str(token)[1:-1])

    def _part(self, children: Sequence[Any]) -> Part:
        """The children that are nodes, as one part."""
        return Part(self._span(children), tuple(nodes(children)))


def is_token(item: Any) -> bool:
    return isinstance(item, str)


def is_kind(item: Any, kind: str) -> bool:
    return getattr(item, "type", None) == kind and is_token(item)


def nodes(children: Sequence[Any]) -> list[Any]:
    """The children that are not tokens."""
    return [c for c in children if not is_token(c)]


def clauses_of(children: Sequence[Any]) -> tuple[syntax.CompClause, ...]:
    return tuple(c for c in children if isinstance(c, syntax.CompClause))


def inside(clauses: Sequence[syntax.CompClause]) -> list[Any]:
    return [x for clause in clauses for x in (clause.source, clause.condition) if x is not None]
