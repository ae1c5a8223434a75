"""What is known where the parser stopped, and how to say it."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

from attrs import field, frozen

from rulesdsl.diagnostics import Source, Span
from rulesdsl.parsing.raw import CLOSER, CONNECTING, DECLARATIONS, HEADERS, OPENER, SOFT_DECLARATIONS, Raw, raw_tokens

# What a line looks like that starts with a word.
SHAPES = {
    "game": "game name:", "title": 'title "Name of the game"', "players": "players 2..4` or `players white, black",
    "rulebook": 'rulebook "file.md"', "param": "param name: type = default", "const": "const name = value",
    "enum": "enum Name:` or `enum Name(attribute: type):", "record": "record Name:", "board": "board Cell = grid(5, 5)",
    "def": "def name(x: type) -> type:", "event": "event Name(x: type):", "action": "action name(given: type, chosen in domain):",
    "flow": "flow name(x: type):", "measure": "measure name(p: Player) -> int:", "goals": "goals measure, measure",
    "invariant": 'invariant "text":',
    "transition": 'transition "text":', "terminates": "terminates within 100 choices", "scenario": 'scenario "text":',
    "let": "let name = value", "var": "var name: type = value", "emit": "emit Event(value)", "for": "for x in values if condition:",
    "turns": "turns p from first if condition:", "repeat": "repeat number:", "step": "step name:", "draw": "draw name from values",
    "end": "end win p`, `end scores {...}` or `end tie", "expect": "expect condition`, `expect illegal player action(values) by name` or `expect event Event(values)",
    "variant": 'variant name of "base.rules":', "set": "set param = value", "replace": 'replace step flow.step because "...":',
    "remove": 'remove def name because "..."', "add": 'add require action.name: condition else "..."',
    "before": "before step flow.step:", "run": "run flow(values)", "require": 'require name: condition else "why not"', "with": "with parameter = value", "given": "given:",
}
VALUES = frozenset({"NAME", "INT", "TRUE", "FALSE", "NONE", "LPAR", "LSQB", "LBRACE", "MINUS"})
# The keywords that may follow a value and are no operators.
_AFTER_A_VALUE = frozenset({"ELSE", "FROM", "CHOOSES", "MAY", "SCORES", "CHOICES", "BY"})
# What can be added and replaced as a whole.
_CLAUSES = DECLARATIONS - {"game", "state", "variant"} - (SOFT_DECLARATIONS - {"goals"})
_TYPES = frozenset({"SET", "BAG", "LIST", "MAP"})


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
        if self.found.text == "because":
            return ("write why in a `##` line above it; `diff` shows that, too",)
        if first == "add" and len(self.line) == 1 and not self.on_new_line:
            kinds = ", ".join(sorted(f"`{word.lower()}`" for word in self.accepts))
            return (f"what can be added: {kinds}",)
        second = self.line[1].text if len(self.line) > 1 else ""
        if first in ("add", "replace") and second in _CLAUSES:
            return (f"`{first} {SHAPES[second]}`",)
        return (f"`{SHAPES[first]}`",) if first in SHAPES else ()

    def line_of(self, token: Raw) -> list[Raw]:
        """The tokens before what was found on the line of a token."""
        number = self.source.position(token.start)[0]
        return [t for t in self.before if self.source.position(t.start)[0] == number]



def in_words(accepts: Iterable[str], spelling: dict[str, str]) -> str:
    """A set of terminals as an author would say it: `a value`, `` `from` or `,` ``."""
    left = set(accepts) - {"_DEDENT", "$END"}
    words: list[str] = []
    if "GAME" in left:
        return "a declaration"
    if left >= {"DEF", "EVENT", "ACTION", "FLOW"}:
        return "a kind of clause"
    if "LET" in left:
        return "a statement"
    if left >= _TYPES:
        words.append("a type")
        left -= _TYPES | VALUES
    elif left >= VALUES:
        words.append("a value")
        left -= VALUES | {"NOT"}
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
