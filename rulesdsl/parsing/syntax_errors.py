"""Says what is wrong when a text cannot be parsed: what was being read, what was found, what could stand there.

`explain` gathers the facts into a `Situation` and asks the functions of `EXPLAINERS` in turn; the first that knows better
than "this cannot stand here" answers.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from rulesdsl.diagnostics import Diagnostic, Label, Source, Span, closest
from rulesdsl.parsing.bracket_errors import lonely_generator, not_closed, not_opened, stray_closer
from rulesdsl.parsing.foreign import FOREIGN_WORDS, equals, foreign_sign, foreign_word, fraction, tab, unknown_character
from rulesdsl.parsing.layout import LayoutError
from rulesdsl.parsing.raw import (
    CLOSER,
    CONNECTING,
    DECLARATIONS,
    HEADERS,
    OPENER,
    SCENARIO_WORDS,
    STATEMENTS,
    Raw,
    raw_tokens,
)
from rulesdsl.parsing.situation import VALUES, Situation
from rulesdsl.parsing.slips import chosen_inside, mark, range_with_minus, win_alone, word_operator

_KINDS = {"_NL": "newline", "_INDENT": "indent", "_DEDENT": "dedent", "$END": "end"}

# ---------------------------------------------------------------- the way in


def explain(source: Source, start: int, end: int, error: Any, spelling: dict[str, str]) -> Diagnostic:
    """The diagnostic for an error that Lark raised while it parsed `source.text[start:end]`."""
    accepts = frozenset(error.interactive_parser.accepts())
    keywords = tuple(
        Raw("word", str(t), t.start_pos or 0, t.end_pos or 0)
        for t in error.interactive_parser.parser_state.value_stack
        if hasattr(t, "start_pos") and spelling.get(t.type, "").isalpha()
    )
    token = getattr(error, "token", None)
    if token is None:
        at = error.pos_in_stream
        found = Raw("unknown", source.text[at : at + 1], at, at + 1)
        situation = Situation(source, start, end, found, accepts, keywords, spelling)
        return unknown_character(situation)
    at = end if token.type == "$END" or token.start_pos is None else token.start_pos
    if token.type in _KINDS:
        found = Raw(_KINDS[token.type], "", at, at)
        if token.type == "_NL" and at >= end:
            found = Raw("end", "", at, at)
    else:
        raws = raw_tokens(source.text, at, end)
        found = raws[0] if raws else Raw("end", "", at, at)
    situation = Situation(source, start, end, found, accepts, keywords, spelling)
    for explainer in EXPLAINERS:
        diagnostic = explainer(situation)
        if diagnostic is not None:
            return diagnostic
    return _cannot_stand_here(situation)


def explain_layout(source: Source, error: LayoutError) -> Diagnostic:
    """The diagnostic for a mistake of layout."""
    span = Span(source, error.start, error.end)
    if error.kind == "tab":
        return tab(span)
    if error.kind == "half level":
        width = error.end - error.start
        levels = sorted(set(error.levels))
        lower = max((n for n in levels if n < width), default=levels[0])
        upper = min((n for n in levels if n > width), default=levels[-1])
        return Diagnostic(
            "S108", "this line fits no block above it", span, f"{_spaces(width)}, between {lower} and {upper} above",
            hints=(f"indent it by {_spaces(lower)} or by {_spaces(upper)}",),
        )
    return Diagnostic("S117", "this is nested too deeply", span, "", hints=("move a part of it to a `def` or a `flow`",))


def indented_start(source: Source, start: int) -> Diagnostic | None:
    """The complaint about a first declaration that does not start in the first column."""
    indent = re.compile(r"[ \t]+").match(source.text, start)
    if indent is None:
        return None
    span = Span(source, indent.start(), indent.end())
    return Diagnostic("S106", "this line is indented for no reason", span, "declarations start in the first column")


def empty_file(source: Source) -> Diagnostic:
    """A file without any declaration."""
    return Diagnostic(
        "S119", "this file has no rules", Span(source, 0, 0), "nothing but blank lines and comments" if source.text.strip() else "",
        hints=("a game starts with `game NAME:`, its title and its players",),
    )


def variant_needed(delta: Any) -> Diagnostic:
    """A delta in a file that is no variant."""
    return Diagnostic(
        "S121", "this belongs in a variant", delta.span, "it changes a clause of another file",
        hints=('a variant begins with `variant NAME of "base.rules":`',),
    )


def add_needed(declaration: Any) -> Diagnostic:
    """A declaration of a variant that does not say what it does to the base."""
    word = declaration.span.text.split()[0]
    return Diagnostic(
        "S122", "a variant says whether this is new", declaration.span, "",
        hints=(f"write `add {word} ...` for a new one, `replace {word} ...` for one of the base",),
    )


def _spaces(count: int) -> str:
    return "no spaces" if count == 0 else "1 space" if count == 1 else f"{count} spaces"


# ---------------------------------------------------------------- layout


def _missing_block(s: Situation) -> Diagnostic | None:
    previous = s.previous
    if previous is None or previous.text != ":":
        return None
    if "_INDENT" in s.accepts and "_NL" not in s.accepts:
        header = s.line or s.line_of(previous)
        what = header[0].text
        if what in DECLARATIONS and len(header) > 1 and header[1].kind == "word":
            what += f" {header[1].text}"
        hint = ("`pass` is a block that does nothing",) if header[0].text in STATEMENTS | {"flow", "action", "event"} else ()
        return Diagnostic(
            "S105", f"`{what}` has no block", _place_of_block(s, previous), "an indented block must stand here",
            (Label(s.span(header[0]).to(s.span(previous)), "the block of this"),), hint,
        )
    if s.accepts == {"_NL"} and not s.at_line_end:
        return Diagnostic(
            "S105", f"the block of `{s.line[0].text}` starts on a new line", s.here, "", hints=("break the line after `:` and indent",)
        )
    return None


def _place_of_block(s: Situation, colon: Raw) -> Span:
    """The line after the colon; the end of the file when there is none."""
    source = s.source
    line = source.position(colon.start)[0]
    if line >= len(source.line_starts):
        return Span(source, colon.end, colon.end)
    if source.position(s.found.start)[0] == line + 1:
        following = next((t for t in s.following if t.kind != "newline"), None)
        return Span(source, s.found.start, following.end if following else s.found.start)
    start = source.line_starts[line]
    return Span(source, start, start)


def _missing_colon(s: Situation) -> Diagnostic | None:
    previous = s.previous
    if previous is None:
        return None
    if s.found.kind == "indent":
        line = s.line_of(previous)
        deeper = s.source.position(s.found.start)[1] - s.source.position(line[0].start)[1]
        if deeper > 1 and any(t.text == "repeatedly" for t in line):
            return _colon(s, previous)
        return None
    if "COLON" not in s.accepts or not s.line or s.line[0].text not in HEADERS:
        return None
    if s.found.kind in ("newline", "end", "dedent"):
        return _colon(s, previous)
    return None


def _colon(s: Situation, previous: Raw) -> Diagnostic:
    return Diagnostic("S102", "a `:` is missing", Span(s.source, previous.end, previous.end), "`:` before the block")

def _indented(s: Situation) -> Diagnostic | None:
    if s.found.kind != "indent":
        return None
    following = next((t for t in s.following if t.kind != "newline"), s.found)
    line_start = s.source.text.rfind("\n", 0, following.start) + 1
    hints: tuple[str, ...] = ()
    previous = s.previous
    if previous is not None and any(t.text == "chooses" for t in s.line_of(previous)):
        hints = ("`otherwise:` stands below `chooses`, at the same indentation",)
    return Diagnostic(
        "S106", "this line is indented for no reason", Span(s.source, line_start, following.end), "no block begins above it", (), hints
    )


# ---------------------------------------------------------------- statements and declarations


def _requirement(s: Situation) -> Diagnostic | None:
    if not s.line or s.line[0].text != "require":
        return None
    hint = ('`require name: condition else "why it is not possible"`',)
    if s.line[-1].text == "else" and s.accepts == {"STRING"}:
        return Diagnostic("S118", "this requirement has no sentence", s.here, "a sentence in double quotes must follow `else`", (), hint)
    if "ELSE" in s.accepts and not s.brackets and (s.found.kind == "string" or s.at_line_end):
        return Diagnostic("S118", "this requirement has no `else`", s.here, "`else` and a sentence must come here", (), hint)
    return None


def _top_level(s: Situation) -> Diagnostic | None:
    if "GAME" not in s.accepts or s.found.kind not in ("word", "sign", "int", "string"):
        return None
    text = s.found.text
    if text in STATEMENTS or text in ("end",):
        hints = {"let": ("`const` names a value that is known before play",), "var": ("what changes is a field of `state`",)}
        return Diagnostic(
            "S101", f"`{text}` cannot stand outside a block", s.here, "a statement of a def, an action, an event or a flow", (),
            hints.get(text, ()),
        )
    if text == "//":
        return Diagnostic("S112", "`//` divides", s.here, "", hints=("comments begin with `#`",))
    if FOREIGN_WORDS.get(text):
        return Diagnostic("S112", f"`{text}` is not a word of the language", s.here, "", hints=(FOREIGN_WORDS[text],))
    guess = closest(text, DECLARATIONS) if s.found.kind == "word" else None
    return Diagnostic(
        "S101", f"{s.found_words} starts no declaration", s.here, "", (),
        (f"did you mean `{guess}`?",) if guess else (f"declarations start with {_either(sorted(DECLARATIONS))}",),
    )


def _either(words: list[str]) -> str:
    return f"{', '.join(f'`{w}`' for w in words[:-1])} or `{words[-1]}`"


def _orphan(s: Situation) -> Diagnostic | None:
    """`else` and the like where a statement starts; the parser took the word for a name."""
    partner = {"else": "if", "elif": "if", "otherwise": "chooses"}.get(s.line[0].text) if len(s.line) == 1 else None
    if partner is None or s.line[0].text in [k.text for k in s.keywords]:
        return None
    word = s.line[0]
    return Diagnostic(
        "S101", f"`{word.text}` belongs to no `{partner}`", s.span(word), f"no `{partner}` ends right above it at this indentation"
    )


def _misspelt(s: Situation) -> Diagnostic | None:
    """A word that is nearly the keyword which could stand there, or a line that begins with nearly a keyword."""
    if s.found.kind == "word" and len(s.found.text) > 2 and "LET" not in s.accepts:
        guess = closest(s.found.text, s.accepted_words)
        if guess:
            text = s.expected if len(s.accepts) <= 3 else ""
            return Diagnostic(
                "S101", f"{s.found_words} cannot stand here{s.context}", s.here, text, (), (f"did you mean `{guess}`?",)
            )
    first = s.line[0] if s.line else None
    if first is None or first.kind != "word" or first.text in s.spelling.values() or len(first.text) < 3:
        return None
    second = s.line[1] if len(s.line) > 1 else s.found
    if second.text in ("(", ".", "[", "?.", "=", "+=", "-=", "chooses", "may"):
        return None
    top = s.before[0].text
    candidates = SCENARIO_WORDS | STATEMENTS if top == "scenario" else STATEMENTS | {"private", "hidden"}
    guess = closest(first.text, candidates)
    if guess is None:
        return None
    return Diagnostic(
        "S101", f"`{first.text}` cannot start this line{s.context}", s.span(first), "", (), (f"did you mean `{guess}`?",)
    )


def _name_missing(s: Situation) -> Diagnostic | None:
    """`for in C`: the parser took the keyword for the name."""
    previous = s.previous
    if previous is None or previous.kind != "word" or previous.text not in s.accepted_words or s.on_new_line:
        return None
    if len(s.before) > 1 and s.before[-2].text in (".", "?."):
        return None
    return Diagnostic("S101", f"a name is missing before `{previous.text}`{s.context}", s.span(previous), "a name must come here")


def _reserved(s: Situation) -> Diagnostic | None:
    text = s.found.text
    if s.found.kind != "word" or "NAME" not in s.accepts or text not in s.spelling.values() or "LET" in s.accepts:
        return None
    if text in CONNECTING:
        return Diagnostic(
            "S101", f"something is missing before `{text}`{s.context}", s.here, s.expected
        )
    return Diagnostic(
        "S107", f"`{text}` is a word of the language and cannot be a name", s.here, s.expected, (),
        (f"another name is needed, such as `{text}_` or `the_{text}`",),
    )


def _trailing_comma(s: Situation) -> Diagnostic | None:
    previous = s.previous
    if previous is None or previous.text != "," or not (s.at_line_end or s.found.text in OPENER):
        return None
    if s.found.text in OPENER and s.on_new_line:
        return Diagnostic(
            "S101", "nothing follows the last comma", s.here, s.expected, (Label(s.span(previous), "this one"),), ("delete the comma",)
        )
    return Diagnostic("S101", "nothing follows this comma", s.span(previous), s.expected, (), ("delete the comma",))


def _stops_too_early(s: Situation) -> Diagnostic | None:
    if not s.at_line_end:
        return None
    what = "file" if s.found.kind == "end" and s.previous is None else "line"
    return Diagnostic("S113", f"this {what} stops too early{s.context}", s.here, s.expected, (), s.shape)


def _missing_comma(s: Situation) -> Diagnostic | None:
    previous = s.previous
    if previous is None or "COMMA" not in s.accepts or not s.brackets:
        return None
    if (s.found.kind in ("word", "int") and s.found.text not in s.spelling.values()) or s.found.text in CLOSER:
        return Diagnostic("S101", f"a comma or an operator is missing before {s.found_words}{s.context}", s.here, s.expected)
    return None


def _misplaced_sentence(s: Situation) -> Diagnostic | None:
    if s.found.kind != "string" or not s.accepts >= VALUES:
        return None
    return Diagnostic(
        "S101", f"a sentence is not a value{s.context}", s.here, "", (),
        ("sentences stand after `else`, in events and as titles; words that matter to the rules are enum members",),
    )


def _unexpected(s: Situation, span: Span, hint: str = "") -> Diagnostic:
    return Diagnostic(
        "S101", f"{s.found_words} cannot stand here{s.context}", span, s.expected,
        (), (hint,) if hint else s.shape,
    )


MIDDLE_WORDS = frozenset(["chooses", "repeatedly", "illegal", "after", "because", "scores", "private", "hidden"])
"""Words in the middle of a line that are taken for names when they are misspelt."""


def _cannot_stand_here(s: Situation) -> Diagnostic:
    words = [t.text for t in s.line]
    if s.found.text == ":" and "chooses" in words:
        return _unexpected(s, s.here, "what to do when nothing is legal stands below, in `otherwise:`")
    if s.found.text == ":" and "may" in words:
        return _unexpected(s, s.here, "a block after each choice belongs to `may repeatedly`")
    before = s.previous.text if s.previous is not None and s.previous.kind == "word" and not s.on_new_line else ""
    guess = closest(before, MIDDLE_WORDS) if before not in s.spelling.values() else None
    if guess and s.previous is not None:
        return Diagnostic("S101", f"`{before}` cannot stand here{s.context}", s.span(s.previous), "", (), (f"did you mean `{guess}`?",))
    return _unexpected(s, s.here)


EXPLAINERS: tuple[Callable[[Situation], Diagnostic | None], ...] = (
    not_opened,
    stray_closer,
    not_closed,
    lonely_generator,
    fraction,
    foreign_sign,
    equals,
    _missing_block,
    _missing_colon,
    _indented,
    _requirement,
    _top_level,
    _orphan,
    word_operator,
    mark,
    chosen_inside,
    win_alone,
    range_with_minus,
    _misspelt,
    foreign_word,
    _name_missing,
    _reserved,
    _trailing_comma,
    _stops_too_early,
    _misplaced_sentence,
    _missing_comma,
)
