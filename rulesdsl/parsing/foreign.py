"""Characters, signs and words that belong to other languages, and what to write instead."""

from __future__ import annotations

import itertools
import re

from rulesdsl.diagnostics import Diagnostic, Span
from rulesdsl.parsing.situation import Situation

# ---------------------------------------------------------------- characters

_TYPOGRAPHIC = {
    "≤": "<=", "≥": ">=", "≠": "!=", "×": "*", "·": "*", "÷": "//", "−": "-", "–": "-", "—": "-", "→": "->", "…": "..",
    "∈": "in", "∧": "and", "∨": "or", "¬": "not", "∪": "|", "∩": "&", "“": '"', "”": '"', "„": '"', "«": '"', "»": '"',
}


def tab(span: Span) -> Diagnostic:
    """The complaint about a tab."""
    return Diagnostic("S109", "there is a tab here", span, "", hints=("indent with spaces, four for each level",))


def unknown_character(s: Situation) -> Diagnostic:
    text = s.source.text
    at = s.found.start
    char = text[at : at + 1]
    span = Span(s.source, at, at + 1)
    if char == '"':
        line_end = at + len(re.match(r"[^\r\n]*", text[at:]).group())  # type: ignore[union-attr]
        return Diagnostic(
            "S111", "this sentence is not closed", Span(s.source, at, line_end), "",
            hints=('end it with `"` on the same line; a sentence cannot contain `"`',),
        )
    if char == "\t":
        return tab(span)
    return Diagnostic("S110", _describe(char), span, "", hints=_character_hints(s, char))


def _describe(char: str) -> str:
    if char.isprintable() and not char.isspace():
        return f"`{char}` means nothing here"
    return f"there is an invisible character here (U+{ord(char):04X})"


def _character_hints(s: Situation, char: str) -> tuple[str, ...]:
    if char == "'" or char == "`":
        return ('sentences stand in double quotes: `"..."`',)
    if char in _TYPOGRAPHIC:
        return (f"write `{_TYPOGRAPHIC[char]}`",)
    if char.isspace() or not char.isprintable():
        return ("delete it, or put a plain space",)
    if char.isalpha():
        return ("names are made of the letters a to z, digits and `_`; sentences may have any letters",)
    known = {
        "!": "`not x` negates; `!=` means unequal", ";": "each statement stands on its own line",
        "/": "`//` divides and rounds down; there are no fractions", "\\": "inside brackets a line may go on without a sign",
        "^": "there are no powers and no exclusive or", "@": "there are no decorators", "~": "`not x` negates",
    }
    return (known[char],) if char in known else ()


# ---------------------------------------------------------------- other languages

_DOUBLE = {
    "&&": "write `and`", "||": "write `or`", "++": "write `x += 1`", "--": "write `x -= 1`", "**": "there are no powers",
    "<>": "write `!=`", "=>": "`>=` means at least", "=<": "write `<=`", ":=": "`let` and `var` make names; `=` assigns",
    "*=": "write `x = x * ...`", "//=": "write `x = x // ...`", "%=": "write `x = x % ...`", "|=": "write `x += ...`",
    "&=": "write `x = x & ...`", "===": "`==` compares", "!==": "`!=` compares", "<<": "", ">>": "", "::": "",
}

FOREIGN_WORDS = {
    "class": "`record` declares plain data, `enum` members with attributes", "struct": "`record` declares plain data",
    "type": "`record` declares plain data, `enum` members with attributes", "function": "`def` computes, `flow` asks questions",
    "func": "`def` computes, `flow` asks questions", "fn": "`def` computes, `flow` asks questions",
    "fun": "`def` computes, `flow` asks questions", "proc": "`def` computes, `flow` asks questions",
    "procedure": "`def` computes, `flow` asks questions", "import": "a game is one file", "include": "a game is one file",
    "elsif": "write `elif`", "elseif": "write `elif`", "switch": "write `if`, `elif`, `else`",
    "match": "write `if`, `elif`, `else`", "case": "write `if`, `elif`, `else`", "until": "write `while not`",
    "foreach": "write `for`", "loop": "`while`, `repeat` and `turns` go round", "do": "`while` and `repeat` go round",
    "try": "nothing is caught: rules errors end the game", "except": "nothing is caught: rules errors end the game",
    "catch": "nothing is caught: rules errors end the game", "raise": "a move is refused by `require`",
    "throw": "a move is refused by `require`", "assert": "`require` refuses a move, `invariant` watches the state",
    "lambda": "`def` makes a named one", "when": "nothing happens by itself: call a flow where it happens",
    "on": "nothing happens by itself: call a flow where it happens",
    "trigger": "nothing happens by itself: call a flow where it happens", "goto": "`step`, `while` and `return` make the way",
    "async": "questions wait by themselves", "await": "questions wait by themselves", "yield": "`p chooses action` asks",
    "unless": "write `if not`", "then": "`:` ends a condition", "null": "write `none`", "nil": "write `none`",
    "None": "write `none`", "True": "write `true`", "False": "write `false`", "new": "a record is made by its name: `Piece(...)`",
    "del": "`-=` removes", "print": "only sentences of events are shown", "choose": "write `p chooses action`", "must": "`p chooses action` asks; what a law says is so by itself", "roll": "write `draw x from 1..6`",
    "wins": "write `end win p`",
    "define": "write `def`",
    "rule": "`action` is a move, `flow` the way through the game", "move": "`action` declares a move",
}


def foreign_sign(s: Situation) -> Diagnostic | None:
    previous = s.previous
    if (s.found.kind != "sign" and not s.at_line_end) or previous is None:
        return None
    for count in (2, 1):
        tokens = [*s.before[-count:], s.found] if not s.at_line_end else s.before[-count:]
        if any(a.end != b.start for a, b in itertools.pairwise(tokens)):
            continue
        text = "".join(t.text for t in tokens)
        if len(tokens) > 1 and text in _DOUBLE:
            span = s.span(tokens[0]).to(s.span(tokens[-1]))
            return Diagnostic("S112", f"`{text}` is not part of the language", span, "", hints=(_DOUBLE[text],) if _DOUBLE[text] else ())
    if s.found.text == "?":
        return Diagnostic(
            "S112", "`?` belongs to types", s.here, "", hints=("write `a if condition else b`, or `x?.name` for an option",)
        )
    return None


def fraction(s: Situation) -> Diagnostic | None:
    if s.found.kind == "int" and len(s.before) >= 2 and s.before[-1].text == "." and s.before[-1].end == s.found.start:
        first = s.before[-2] if s.before[-2].kind == "int" else s.before[-1]
        return Diagnostic(
            "S112", "there are no fractions", s.span(first).to(s.span(s.found)), "", hints=("count in smaller units, or write `a // b`",)
        )
    return None


def equals(s: Situation) -> Diagnostic | None:
    previous = s.previous
    if s.found.text not in ("=", "==") or not s.line or previous is None:
        return None
    if s.source.text[s.found.start - 1 : s.found.end] == "==" or (s.found.text == "==" and "=" in s.accepted_signs):
        span = s.here if s.found.text == "==" else s.span(previous).to(s.here)
        return Diagnostic("S112", "`==` compares", span, "", hints=("write `=`",))
    if s.found.text == "=" and "==" in s.accepted_signs and "=" not in s.accepted_signs:
        return Diagnostic("S112", "`=` does not compare", s.here, "", hints=("write `==`",))
    return None


def foreign_word(s: Situation) -> Diagnostic | None:
    """A word of another language, where it was found or at the start of the line."""
    word = s.found
    if word.text not in FOREIGN_WORDS or word.text in s.accepted_words:
        if not s.line or s.line[0].text not in FOREIGN_WORDS or s.found.text in ("(", ".", "[", "=", "+=", "-="):
            return None
        if len(s.line) > 1 and s.line[1].text in ("(", ".", "[", "?."):
            return None
        word = s.line[0]
    hint = FOREIGN_WORDS[word.text]
    if not hint:
        return None
    return Diagnostic("S112", f"`{word.text}` is not a word of the language", s.span(word), "", hints=(hint,))
