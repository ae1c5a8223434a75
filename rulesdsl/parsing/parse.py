"""Text in, syntax tree out.

`parse` reads a whole file, `parse_expression` a piece of one (an expression in the braces of a sentence). Both return what
they made and every mistake that they found, and never raise. Lark and its tables are loaded at the first call.
"""

from __future__ import annotations

import hashlib
import os
import pickle
import re
import sys
import threading
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rulesdsl import syntax
from rulesdsl.diagnostics import Diagnostic, Source, Span, in_order
from rulesdsl.parsing.layout import Layout, LayoutError
from rulesdsl.parsing.recovery import Attempt, explained, find_all
from rulesdsl.parsing.syntax_errors import add_needed, empty_file, indented_start, variant_needed
from rulesdsl.parsing.tree import Builder
from rulesdsl.parsing.tree_base import find_comments

if TYPE_CHECKING:
    from lark import Lark

GRAMMAR = Path(__file__).parent.parent / "grammar.lark"
STARTS = ("module", "expr", "statement")

# Words that are keywords only in their place, where no name can stand. All other words of the grammar are reserved.
SOFT = frozenset({
    "add", "bag", "because", "before", "by", "choice", "choices", "expect", "from", "field", "given", "goals", "list", "map", "member", "naming", "of", "players", "remove", "replace", "rulebook", "run", "scenarios", "scores", "set", "some",
    "tie", "title", "to", "win", "with", "within",
})
# Where a soft word would be taken for a keyword all the same: after a player, and at the start of a scenario's line.
NOT_ACTIONS = frozenset({"by", "choices", "passes", "scores"})
NOT_SEATS = frozenset({"expect", "given", "run", "with"})

_LOCK = threading.Lock()
_BLANK_START = re.compile(r"\ufeff?(?:[ \t]*(?:#[^\r\n]*)?\r?\n)*")


class _Callbacks:
    """What Lark calls for each rule. The parser outlives the builders, so this hands on to the current one."""

    def __init__(self) -> None:
        self.builder: Builder | None = None

    def __getattr__(self, rule: str) -> Any:
        if rule.startswith("_") or not rule.islower():
            raise AttributeError(rule)  # tokens stay as they are, and so do rules that are parts of the one around them
        return lambda children: getattr(self.builder, f"on_{rule}")(children)


class Parser:
    """The Lark parser with what is set anew for each parse. Use it under `_LOCK`."""

    def __init__(self, lark: Lark, callbacks: _Callbacks, layout: Layout) -> None:
        self.lark = lark
        self._callbacks = callbacks
        self._layout = layout

    def run(self, builder: Builder, start_rule: str, start: int, end: int, base: int = 0) -> Any:
        """Parses a piece of the builder's source.

        Raises:
            LayoutError: its indentation is wrong.
            lark.UnexpectedInput: its syntax is wrong.
        """
        from lark.utils import TextSlice

        self._callbacks.builder = builder
        self._layout.base = base
        self._layout.lines = start_rule != "expr"
        return self.lark.parse(TextSlice(builder.source.text, start, end), start=start_rule)


def options() -> dict[str, Any]:
    """The options of the Lark parser, apart from callbacks and cache."""
    return {
        "parser": "lalr", "lexer": "contextual", "start": list(STARTS), "keep_all_tokens": True, "maybe_placeholders": False,
    }


@cache
def the_parser() -> Parser:
    """The parser of this process, made once; its tables come from the user's cache folder when they are there."""
    from lark import Lark

    callbacks, layout = _Callbacks(), Layout()
    grammar = GRAMMAR.read_text(encoding="utf-8")
    file = _cache_file(grammar)
    lark = _kept(file, callbacks, layout)
    if lark is None:
        lark = Lark(grammar, transformer=callbacks, postlex=layout, **options())
        _keep(lark, file)
    return Parser(lark, callbacks, layout)


def _cache_file(grammar: str) -> Path:
    """Where the tables of this grammar are kept, for this version of Lark and Python."""
    import lark

    key = hashlib.sha256(repr((grammar, options(), lark.__version__, sys.version_info[:3])).encode()).hexdigest()[:20]
    folder = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return Path(folder) / "rulesdsl" / f"grammar-{key}.pickle"


def _kept(file: Path, callbacks: _Callbacks, layout: Layout) -> Lark | None:
    """The parser whose tables a file has; None when there is no such file, or it is damaged.

    Lark's own `cache` would do, but for two things: it writes in place, so that another process may read half a file, and its
    key depends on the name of the file, so that it cannot be made elsewhere and moved.
    """
    from lark import Lark

    try:
        with file.open("rb") as kept:
            tables = pickle.load(kept)
        made: Lark = Lark._load_from_dict(tables["data"], tables["memo"], transformer=callbacks, postlex=layout)  # type: ignore[no-untyped-call]
    except Exception:
        return None
    return made


def _keep(lark: Lark, file: Path) -> None:
    """Writes the tables of a parser to a file, which appears whole; does nothing where that is not possible."""
    fresh = file.with_suffix(f".{os.getpid()}.tmp")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with fresh.open("wb") as target:
            lark.save(target, exclude_options={"transformer", "postlex"})
        fresh.replace(file)
    except OSError:
        with suppress(OSError):
            fresh.unlink(missing_ok=True)


@cache
def reserved_words() -> frozenset[str]:
    """The words that cannot be names, from the grammar."""
    words = set()
    for terminal in the_parser().lark.terminals:
        pattern = terminal.pattern
        if pattern.type == "str" and pattern.value.isalpha():
            words.add(pattern.value)
    return frozenset(words - SOFT)


@cache
def spelling() -> dict[str, str]:
    """What the words and signs of the grammar look like, by terminal."""
    return {t.name: t.pattern.value for t in the_parser().lark.terminals if t.pattern.type == "str"}


# ---------------------------------------------------------------- parsing


def parse(source: Source) -> tuple[syntax.Module | None, list[Diagnostic]]:
    """A rules file as a tree, None when its syntax is wrong, with every mistake that was found."""
    comments = find_comments(source)
    start, end = _significant(source)
    if start == end:
        return None, [empty_file(source)]
    declarations, attempt = _attempt(source, start, end, "module", comments)
    indented = indented_start(source, start)
    if attempt.error is None and not attempt.complaints and indented is None:
        return _module(source, declarations, comments)
    found = find_all(source, start, end, lambda s, a, b: _attempt(s, a, b, "module", ())[1], spelling())
    return None, in_order([indented, *found] if indented else found)


def _module(
    source: Source, items: tuple[Any, ...], comments: tuple[syntax.Comment, ...]
) -> tuple[syntax.Module | None, list[Diagnostic]]:
    """A game with its declarations, or a variant with its deltas. One file holds one of the two."""
    span = Span(source, 0, len(source.text))
    variant = next((item for item in items if isinstance(item, syntax.Variant)), None)
    rest = tuple(item for item in items if not isinstance(item, syntax.Variant))
    deltas = tuple(item for item in rest if isinstance(item, syntax.DELTAS))
    if variant is not None and len(deltas) == len(rest):
        return syntax.Module(span, (), comments, variant, deltas), []
    if variant is None and not deltas:
        return syntax.Module(span, rest, comments), []
    if variant is None:
        return None, [variant_needed(delta) for delta in deltas]
    return None, [add_needed(item) for item in rest if item not in deltas]


def parse_expression(source: Source, start: int, end: int) -> tuple[syntax.Expr | None, list[Diagnostic]]:
    """The expression that stands between two offsets of a source, None when it is none, with the mistakes found."""
    expr, attempt = _attempt(source, start, end, "expr", ())
    if attempt.error is None:
        return (None, in_order(attempt.complaints)) if attempt.complaints else (expr, [])
    return None, [explained(source, start, end, attempt.error, spelling())]


def _attempt(
    source: Source, start: int, end: int, rule: str, comments: tuple[syntax.Comment, ...]
) -> tuple[Any, Attempt]:
    """What the rule makes of a piece of a source, and what was wrong with it."""
    from lark import UnexpectedInput

    builder = Builder(source, comments, reserved_words(), not_actions=NOT_ACTIONS, not_seats=NOT_SEATS)
    result = None
    error: Exception | None = None
    with _LOCK:
        try:
            result = the_parser().run(builder, rule, start, end)
        except (LayoutError, UnexpectedInput) as stopped:
            error = stopped
    return result, Attempt(error, builder.diagnostics)


def _significant(source: Source) -> tuple[int, int]:
    """From the first line that says something to the last character that is not blank."""
    match = _BLANK_START.match(source.text)
    start = match.end() if match else 0
    end = max(start, len(source.text.rstrip()))
    only_comment = source.text[start:end].lstrip(" \t").startswith("#") and "\n" not in source.text[start:end]
    return (end, end) if only_comment else (start, end)
