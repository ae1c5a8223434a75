"""Lines of a file with the comments and blank lines around them: what the printers of statements and declarations share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from rulesdsl import syntax
from rulesdsl.diagnostics import Source
from rulesdsl.formatting.expr_doc import Docs, Reach, end_of
from rulesdsl.formatting.layout_doc import WIDTH, Doc, Seq, lines
from rulesdsl.parsing.raw import each_raw, raw_tokens


class Lines:
    """Prints declarations and statements into `out`. Without a source it knows neither comments nor blank lines. `width` is in
    columns."""

    def __init__(
        self, source: Source | None, comments: Sequence[syntax.Comment], doc_lines: frozenset[int], width: int = WIDTH
    ) -> None:
        self.out: list[str] = []
        self._source = source
        self._width = width
        self._docs = Docs(source, comments)
        self._comments = self._docs.comments
        self._doc_lines = doc_lines
        self._fresh = True  # nothing stands yet in this block
        self._verb: tuple[str, int] | None = None  # `replace` or `add` before the next line, and where it stands

    # ---- lines, blank lines and comments

    def _line(self, start: int, end: int, doc: Doc, indent: int, *, suffix: str = "", until: int = 0, tight: bool = False, above: Sequence[Doc] = ()) -> None:
        """Prints a line of the file that reaches from `start` to `end`, the comments before it and the one at its end.

        `until` is where the next line starts at the earliest; `tight` lines have no blank line before them; `above` are lines
        that belong to this one and come first.
        """
        if self._verb is not None:
            (word, start), self._verb = self._verb, None
            doc = Seq((word, doc))
        stray = self._comments.between(start, end) if self._source else []
        for number in stray:
            text = self._comments.take(number).text
            self.out.append(" " * indent + "#" + text.lstrip("#"))
            self._fresh = False
        self._lead(start, indent, tight=tight)
        for part in above:
            self.out += lines(part, indent, width=self._width)
        self.out += lines(doc, indent, "", suffix, width=self._width)
        self._fresh = False
        if self._source is not None:
            for number in self._comments.between(end, max(until, end + 1)):
                comment = self._comments.all[number]
                if not comment.alone and "\n" not in self._source.text[end : comment.span.start]:
                    self.out[-1] += f"  {self._comments.take(number).text}"

    def _lead(self, start: int, indent: int, *, tight: bool = False) -> None:
        """The comments before an offset, and the author's blank line."""
        if self._source is None:
            return
        for number in self._comments.between(0, start):
            self._own_line(self._comments.take(number), indent, tight=tight)
        if not tight:
            self._blank(start)

    def _own_line(self, comment: syntax.Comment, indent: int, *, tight: bool = False) -> None:
        if not tight:
            self._blank(comment.span.start)
        self.out.append(" " * indent + comment.text)
        self._fresh = False

    def _blank(self, start: int) -> None:
        """One blank line when the author had some before the line of this offset."""
        if self._source is None or self._fresh or not self.out or self.out[-1] == "":
            return
        line = self._source.position(start)[0]
        if line > 1 and not self._source.line(line - 1).strip():
            self.out.append("")

    def _tail(self, column: int, indent: int, limit: int) -> None:
        """The comments at the end of a block: those that stand at least as far to the right as its lines."""
        if self._source is None:
            return
        for number in self._comments.between(0, limit):
            comment = self._comments.all[number]
            if not comment.alone or comment.span.column < column or comment.span.line in self._doc_lines:
                break
            self._own_line(self._comments.take(number), indent)

    def _header_end(self, start: int, body: int) -> int:
        """Where the header of a block ends: the last token before its body."""
        if self._source is None:
            return start
        tokens = [t for t in raw_tokens(self._source.text, start, body) if t.kind not in ("newline", "comment")]
        return tokens[-1].end if tokens else start

    def _word_before(self, word: str, start: int, end: int) -> int:
        """Where a keyword stands between two offsets; `start` without a source."""
        if self._source is None:
            return start
        return next((t.start for t in each_raw(self._source.text, start, end) if t.text == word), start)

    def _brackets(self, name: syntax.Name, nodes: Sequence[Any]) -> Reach:
        """Where the brackets behind a declared name reach."""
        if self._source is None or not nodes:
            return Reach(0, 0)
        last = end_of(nodes[-1])
        return Reach(name.span.end, self._word_before(")", last, len(self._source.text)))

    def _header(self, start: int, body: int, doc: Doc, indent: int, *, tight: bool = False) -> None:
        """The line that ends with the colon before a block."""
        self._line(start, self._header_end(start, body), doc, indent, suffix=":", until=body, tight=tight)
        self._fresh = True

    def _block(self, nodes: Sequence[Any], indent: int, limit: int, show: Callable[[Any, int, int], None]) -> None:
        """The lines of a block, each printed by `show(node, indent, where the next starts)`."""
        for i, node in enumerate(nodes):
            show(node, indent, nodes[i + 1].span.start if i + 1 < len(nodes) else limit)
        if nodes:
            self._tail(nodes[0].span.column if self._source else 0, indent, limit)
        self._fresh = False
