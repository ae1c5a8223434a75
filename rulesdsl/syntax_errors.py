"""Says what is wrong when a text cannot be parsed: what was being read, what was found, what could stand there.

`explain` gathers the facts into a `Situation` and asks the functions of `EXPLAINERS` in turn; the first that knows better
than "this cannot stand here" answers.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from typing import Any

from attrs import field, frozen

from rulesdsl.diagnostics import Diagnostic, Label, Source, Span, closest
from rulesdsl.layout import LayoutError

# ---------------------------------------------------------------- words of the text, read without the parser

_RAW = re.compile(
    r"""(?P<newline>\r?\n)|(?P<blank>[ \t\ufeff]+)|(?P<comment>\#[^\r\n]*)|(?P<string>"[^"\r\n]*")|(?P<word>[A-Za-z_][A-Za-z0-9_]*)
    |(?P<int>[0-9]+)|(?P<sign>\.\.|\?\.|->|[+\-=!<>]=|//|[-+*%|&.,:=<>?()\[\]{}])|(?P<unknown>.)""",
    re.VERBOSE | re.DOTALL,
)
CLOSER = {"(": ")", "[": "]", "{": "}"}
OPENER = {closer: opener for opener, closer in CLOSER.items()}


@frozen
class Raw:
    """A word, number, sentence or sign of the text. kind is a group of `_RAW`; `end` for the end of the file."""

    kind: str
    text: str
    start: int
    end: int


def each_raw(text: str, start: int, end: int) -> Iterator[Raw]:
    """The tokens between two offsets, one after the other; blanks are left out."""
    for match in _RAW.finditer(text, start, end):
        if match.lastgroup != "blank":
            yield Raw(match.lastgroup or "unknown", match.group(), match.start(), match.end())


def raw_tokens(text: str, start: int, end: int) -> list[Raw]:
    """The tokens between two offsets."""
    return list(each_raw(text, start, end))


# ---------------------------------------------------------------- what is known about a mistake

DECLARATIONS = frozenset(
    {"game", "param", "const", "enum", "record", "board", "state", "def", "event", "action", "flow", "measure", "invariant",
     "transition", "terminates", "scenario", "variant", "set", "replace", "remove", "add", "before", "after"}
)
# Those of them that are names elsewhere.
SOFT_DECLARATIONS = frozenset({"set", "replace", "remove", "add", "before", "after"})
STATEMENTS = frozenset(
    {"let", "var", "return", "require", "emit", "if", "elif", "else", "for", "while", "repeat", "turns", "step", "draw",
     "otherwise", "end", "break", "continue", "pass"}
)
# Words that start a line and cannot stand in brackets.
LINE_STARTS = (DECLARATIONS - SOFT_DECLARATIONS) | (STATEMENTS - {"if", "else", "for"})
SCENARIO_WORDS = frozenset({"with", "given", "run", "draw", "expect"})
HEADERS = frozenset(
    {"game", "enum", "record", "state", "def", "event", "action", "flow", "measure", "invariant", "transition", "scenario",
     "given", "if", "elif", "else", "for", "while", "repeat", "turns", "step", "otherwise"}
)
CONNECTING = frozenset(
    {"if", "else", "and", "or", "in", "is", "for", "from", "can", "after", "scores", "chooses", "may", "to", "by", "within"}
)
# What a line looks like that starts with a word.
SHAPES = {
    "game": "game name:", "title": 'title "Name of the game"', "players": "players 2..4` or `players white, black",
    "rulebook": 'rulebook "file.md"', "param": "param name: type = default", "const": "const name = value",
    "enum": "enum Name:` or `enum Name(attribute: type):", "record": "record Name:", "board": "board Cell = grid(5, 5)",
    "def": "def name(x: type) -> type:", "event": "event Name(x: type):", "action": "action name(given: type, chosen in domain):",
    "flow": "flow name(x: type):", "measure": "measure name(p: Player) -> int:", "invariant": 'invariant "text":',
    "transition": 'transition "text":', "terminates": "terminates within 100 choices", "scenario": 'scenario "text":',
    "let": "let name = value", "var": "var name: type = value", "emit": "emit Event(value)", "for": "for x in values if condition:",
    "turns": "turns p from first if condition:", "repeat": "repeat number:", "step": "step name:", "draw": "draw name from values",
    "end": "end win p`, `end scores {...}` or `end tie", "expect": "expect condition` or `expect illegal player action(values) by name",
    "variant": 'variant name of "base.rules":', "set": "set param = value", "replace": 'replace step flow.step because "...":',
    "remove": 'remove def name because "..."', "add": 'add require action.name: condition else "..."',
    "before": "before step flow.step:", "run": "run flow(values)", "with": "with parameter = value", "given": "given:",
}
_VALUES = frozenset({"NAME", "INT", "TRUE", "FALSE", "NONE", "LPAR", "LSQB", "LBRACE", "MINUS"})
# The keywords that may follow a value and are no operators.
_AFTER_A_VALUE = frozenset({"ELSE", "FROM", "CHOOSES", "MAY", "SCORES", "CHOICES", "BY"})
_TYPES = frozenset({"SET", "BAG", "LIST", "MAP"})
_KINDS = {"_NL": "newline", "_INDENT": "indent", "_DEDENT": "dedent", "$END": "end"}


@frozen(slots=False)
class Situation:
    """All that is known where the parser stopped. `accepts` are the terminals that could follow, `spelling` what they look
    like, `keywords` the unfinished keywords of the parser's stack, outermost first."""

    source: Source
    start: int
    end: int
    found: Raw
    accepts: frozenset[str]
    keywords: tuple[Raw, ...]
    spelling: dict[str, str] = field(repr=False)

    @cached_property
    def before(self) -> list[Raw]:
        """The tokens before what was found, without line ends and comments."""
        tokens = raw_tokens(self.source.text, self.start, self.found.start)
        return [t for t in tokens if t.kind not in ("newline", "comment")]

    @cached_property
    def following(self) -> list[Raw]:
        """The tokens from what was found on, with line ends."""
        return [t for t in raw_tokens(self.source.text, self.found.start, self.end) if t.kind != "comment"]

    @property
    def previous(self) -> Raw | None:
        return self.before[-1] if self.before else None

    @cached_property
    def brackets(self) -> list[Raw]:
        """The brackets that are open."""
        opened: list[Raw] = []
        for token in self.before:
            if token.text in CLOSER:
                opened.append(token)
            elif token.text in OPENER and opened:
                opened.pop()
        return opened

    @cached_property
    def line(self) -> list[Raw]:
        """The tokens of the logical line so far."""
        tokens: list[Raw] = []
        depth = 0
        for token in raw_tokens(self.source.text, self.start, self.found.start):
            if token.kind == "newline" and depth == 0:
                tokens = []
            elif token.kind not in ("newline", "comment"):
                tokens.append(token)
                depth = max(0, depth + (token.text in CLOSER) - (token.text in OPENER))
        return tokens

    @property
    def innermost(self) -> Raw | None:
        """The last keyword that began something which is not finished; not a word that only connects, such as `from`."""
        return next((k for k in reversed(self.keywords) if k.text not in CONNECTING or (k.text in HEADERS and k in self.line[:1])), None)

    @property
    def on_new_line(self) -> bool:
        """Whether a line ends between the previous token and what was found."""
        previous = self.previous
        return previous is not None and "\n" in self.source.text[previous.end : self.found.start]

    @property
    def at_line_end(self) -> bool:
        return self.found.kind in ("newline", "end", "dedent", "indent")

    @cached_property
    def accepted_words(self) -> dict[str, str]:
        """The keywords that could follow: spelling to terminal."""
        return {self.spelling[t]: t for t in self.accepts if self.spelling.get(t, "").isalpha()}

    def span(self, token: Raw) -> Span:
        return Span(self.source, token.start, token.end)

    @property
    def here(self) -> Span:
        """The place to mend: what was found, or the end of the line that stops too early."""
        previous = self.previous
        if self.at_line_end and previous is not None:
            return Span(self.source, previous.end, previous.end)
        return self.span(self.found)

    @property
    def found_words(self) -> str:
        """What was found, in words."""
        if self.found.kind in ("newline", "indent", "dedent"):
            return "the end of the line"
        if self.found.kind == "end":
            return "the end of the file"
        if self.found.kind == "string":
            return "a sentence"
        return f"`{self.found.text}`"

    @property
    def context(self) -> str:
        """` in `action place``, or nothing at the top."""
        head = [t for t in self.before if t.kind not in ("newline", "comment")][:2]
        if not head or head[0].text not in DECLARATIONS:
            return ""
        if len(head) == 2 and head[1].kind in ("word", "string") and head[1].text != "within":
            name = head[1].text if len(head[1].text) <= 30 else head[1].text[:28] + '…"'
            return f" in `{head[0].text} {name}`"
        return f" in `{head[0].text}`"

    @property
    def after(self) -> str:
        """`after `turns p`, `, the last words that were understood, when there are any on this line."""
        innermost, previous = self.innermost, self.previous
        if previous is None or (self.on_new_line and not self.at_line_end):
            return ""
        start = innermost.start if innermost is not None and innermost in self.line else previous.start
        text = self.source.text[start : previous.end]
        if "\n" in text or len(text) > 36:
            text = previous.text
        return f"after `{text}`, "

    @property
    def expected(self) -> str:
        """`after `turns p`, `from` must follow`."""
        return f"{self.after}{in_words(self.accepts, self.spelling)} must {'follow' if self.after else 'stand here'}"

    @cached_property
    def accepted_signs(self) -> frozenset[str]:
        return frozenset(self.spelling.get(t, t) for t in self.accepts)

    @property
    def shape(self) -> tuple[str, ...]:
        """A hint: what a line looks like that starts as this one does."""
        first = self.line[0].text if self.line else ""
        return (f"`{SHAPES[first]}`",) if first in SHAPES else ()


def in_words(accepts: Iterable[str], spelling: dict[str, str]) -> str:
    """A set of terminals as an author would say it: `a value`, `` `from` or `,` ``."""
    left = set(accepts) - {"_DEDENT", "$END"}
    words: list[str] = []
    if "GAME" in left:
        return "a declaration"
    if "LET" in left:
        return "a statement"
    if left >= _TYPES:
        words.append("a type")
        left -= _TYPES | _VALUES
    elif left >= _VALUES:
        words.append("a value")
        left -= _VALUES | {"NOT"}
    elif "NAME" in left:
        words.append("a name")
        left.discard("NAME")
    if {spelling.get(t, t) for t in left} & {"+", "==", "and", "or"}:
        words.append("an operator")
        keep = {":", ",", "=", ")", "]", "}"} | ({"if"} if "AFTER" not in left else set())
        left = {t for t in left if t in ("_NL", "STRING", "_INDENT") or spelling.get(t, t) in keep or t in _AFTER_A_VALUE}
    plain = {"_NL": "the end of the line", "_INDENT": "an indented block", "STRING": "a sentence in double quotes"}
    signs = sorted(plain.get(t) or f"`{spelling.get(t, t)}`" for t in left)
    words += sorted(signs, key=lambda w: not w.startswith("`"))
    words = words[:6]
    if len(words) > 1:
        return f"{', '.join(words[:-1])} or {words[-1]}"
    return words[0] if words else "nothing"


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
        return _unknown_character(situation)
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
        return _tab(span)
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
        "S122", f"a variant says whether a {word} is new", declaration.span, "",
        hints=(f"write `add {word} ...` for a new one, `replace {word} ...` for one of the base",),
    )


def _spaces(count: int) -> str:
    return "no spaces" if count == 0 else "1 space" if count == 1 else f"{count} spaces"


def _tab(span: Span) -> Diagnostic:
    return Diagnostic("S109", "there is a tab here", span, "", hints=("indent with spaces, four for each level",))


# ---------------------------------------------------------------- characters

_TYPOGRAPHIC = {
    "≤": "<=", "≥": ">=", "≠": "!=", "×": "*", "·": "*", "÷": "//", "−": "-", "–": "-", "—": "-", "→": "->", "…": "..",
    "∈": "in", "∧": "and", "∨": "or", "¬": "not", "∪": "|", "∩": "&", "“": '"', "”": '"', "„": '"', "«": '"', "»": '"',
}


def _unknown_character(s: Situation) -> Diagnostic:
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
        return _tab(span)
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


# ---------------------------------------------------------------- brackets


def _stray_closer(s: Situation) -> Diagnostic | None:
    if s.found.text not in OPENER or s.found.kind != "sign":
        return None
    if not s.brackets:
        return Diagnostic("S104", f"this `{s.found.text}` closes nothing", s.here, f"no `{OPENER[s.found.text]}` is open here")
    opener = s.brackets[-1]
    if CLOSER[opener.text] == s.found.text:
        return None
    return Diagnostic(
        "S103", f"`{opener.text}` is closed by `{s.found.text}`", s.here, f"`{CLOSER[opener.text]}` must come first",
        (Label(s.span(opener), "opened here"),),
    )


def _closes_later(s: Situation) -> bool:
    """Whether the innermost open bracket is closed further on, before anything that starts a line of its own."""
    depth = 1
    line_start = True
    for token in s.following:
        if token.kind == "newline":
            line_start = True
            continue
        if line_start and token.text in LINE_STARTS:
            return False
        line_start = False
        depth += (token.text in CLOSER) - (token.text in OPENER)
        if depth == 0:
            return True
    return False


def _not_closed(s: Situation) -> Diagnostic | None:
    if not s.brackets or s.previous is None or _closes_later(s):
        return None
    opener = s.brackets[-1]
    closer = CLOSER[opener.text]
    if s.on_new_line or s.found.kind in ("end", "newline", "dedent"):
        suspect = _suspect(s)
        if suspect is not None:
            opener, last = suspect
            closer, span = CLOSER[opener.text], _line_after(s, last, opener) or Span(s.source, last.end, last.end)
        else:
            span = _after_line(s, s.previous, opener)
    else:
        at_block = s.found.text == ":" and bool(s.following[1:]) and s.following[1].kind == "newline"
        arrow = s.found.text == ">" and s.source.text[s.found.start - 1] == "-"
        sign = s.found.kind == "sign" and s.found.text not in CLOSER and closer in s.accepted_signs
        if not (at_block or arrow or sign or s.found.text in ("else", "=")):
            return None
        span = s.here
    text = f"`{closer}` must come {'before this' if span.end > span.start else 'here'}"
    return Diagnostic("S103", f"a `{closer}` is missing", span, text, (Label(s.span(opener), "opened here"),))


def _suspect(s: Situation) -> tuple[Raw, Raw] | None:
    """The bracket that should have been closed, going by the indentation of the lines in it, and the last token before the
    line that gives it away: lines in brackets are indented more than the line with the opening one, up to the closing one."""
    opened: list[tuple[Raw, int]] = []
    indent, fresh = 0, True
    last: Raw | None = None
    for token in raw_tokens(s.source.text, s.start, s.end):
        if token.start > s.found.start:
            break
        if token.kind == "newline":
            fresh = True
        if token.kind in ("newline", "comment"):
            continue
        if fresh:
            indent, fresh = s.source.position(token.start)[1] - 1, False
            limit = 0 if token.text in OPENER else 1
            if opened and last is not None and indent < opened[-1][1] + limit:
                return opened[-1][0], last
        if token.text in CLOSER:
            opened.append((token, indent))
        elif token.text in OPENER and opened:
            opened.pop()
        last = token
    return None


def _lonely_generator(s: Situation) -> Diagnostic | None:
    """`(x for x in xs)`, where only a call may have a generator."""
    if s.found.text != "for" or not s.brackets or s.brackets[-1].text != "(":
        return None
    opener = s.brackets[-1]
    return Diagnostic(
        "S101", "`for` stands in brackets that call nothing", s.span(opener), "what should count, sum or compare this?",
        (Label(s.here, "for each of these"),),
        ("`any(...)`, `all(...)`, `count(...)`, `sum(...)`, `min(...)`, `max(...)` and `first(...)` take a `for`; so do `[...]` and `{...}`",),
    )


def _after_line(s: Situation, previous: Raw, opener: Raw) -> Span:
    """Where a bracket that goes over lines should have been closed: after the last token, or on the line after it when the
    bracket began further up."""
    source = s.source
    header = _line_of(s, opener)
    if header[0].text in HEADERS and header[-1].text == ":":
        return s.span(header[-1])
    line = source.position(previous.start)[0]
    end = Span(source, previous.end, previous.end)
    if source.position(opener.start)[0] == line or line >= len(source.line_starts):
        return end
    if source.position(s.found.start)[0] == line + 1 and s.found.end > s.found.start:
        return s.span(s.found)
    return _line_after(s, previous, opener) or end


def _line_after(s: Situation, last: Raw, opener: Raw) -> Span | None:
    """The blank line after the last token of a bracket that began further up, where its closing bracket is missing."""
    source = s.source
    line = source.position(last.start)[0]
    if source.position(opener.start)[0] == line or line >= len(source.line_starts) or source.line(line + 1).strip():
        return None
    return Span(source, source.line_starts[line], source.line_starts[line])


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
    "del": "`-=` removes", "print": "only sentences of events are shown", "choose": "write `p chooses action`",
    "var": "", "define": "write `def`", "variant": "variants are not part of the language yet",
    "rule": "`action` is a move, `flow` the way through the game", "move": "`action` declares a move",
}


def _foreign_sign(s: Situation) -> Diagnostic | None:
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


def _fraction(s: Situation) -> Diagnostic | None:
    if s.found.kind == "int" and len(s.before) >= 2 and s.before[-1].text == "." and s.before[-1].end == s.found.start:
        first = s.before[-2] if s.before[-2].kind == "int" else s.before[-1]
        return Diagnostic(
            "S112", "there are no fractions", s.span(first).to(s.span(s.found)), "", hints=("count in smaller units, or write `a // b`",)
        )
    return None


def _equals(s: Situation) -> Diagnostic | None:
    previous = s.previous
    if s.found.text not in ("=", "==") or not s.line or previous is None:
        return None
    if s.source.text[s.found.start - 1 : s.found.end] == "==" or (s.found.text == "==" and "=" in s.accepted_signs):
        span = s.here if s.found.text == "==" else s.span(previous).to(s.here)
        return Diagnostic("S112", "`==` compares", span, "", hints=("write `=`",))
    if s.found.text == "=" and "==" in s.accepted_signs and "=" not in s.accepted_signs:
        return Diagnostic("S112", "`=` does not compare", s.here, "", hints=("write `==`",))
    return None


def _foreign_word(s: Situation) -> Diagnostic | None:
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


# ---------------------------------------------------------------- layout


def _missing_block(s: Situation) -> Diagnostic | None:
    previous = s.previous
    if previous is None or previous.text != ":":
        return None
    if "_INDENT" in s.accepts and "_NL" not in s.accepts:
        header = s.line or _line_of(s, previous)
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
        line = _line_of(s, previous)
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


def _line_of(s: Situation, token: Raw) -> list[Raw]:
    number = s.source.position(token.start)[0]
    return [t for t in s.before if s.source.position(t.start)[0] == number]


def _indented(s: Situation) -> Diagnostic | None:
    if s.found.kind != "indent":
        return None
    following = next((t for t in s.following if t.kind != "newline"), s.found)
    line_start = s.source.text.rfind("\n", 0, following.start) + 1
    hints: tuple[str, ...] = ()
    previous = s.previous
    if previous is not None and any(t.text == "chooses" for t in _line_of(s, previous)):
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
    if s.found.kind != "string" or not s.accepts >= _VALUES:
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


def _cannot_stand_here(s: Situation) -> Diagnostic:
    words = [t.text for t in s.line]
    if s.found.text == ":" and "chooses" in words:
        return _unexpected(s, s.here, "what to do when nothing is legal stands below, in `otherwise:`")
    if s.found.text == ":" and "may" in words:
        return _unexpected(s, s.here, "a block after each choice belongs to `may repeatedly`")
    return _unexpected(s, s.here)


EXPLAINERS: tuple[Callable[[Situation], Diagnostic | None], ...] = (
    _stray_closer,
    _not_closed,
    _lonely_generator,
    _fraction,
    _foreign_sign,
    _equals,
    _missing_block,
    _missing_colon,
    _indented,
    _requirement,
    _top_level,
    _orphan,
    _misspelt,
    _foreign_word,
    _name_missing,
    _reserved,
    _trailing_comma,
    _stops_too_early,
    _misplaced_sentence,
    _missing_comma,
)
