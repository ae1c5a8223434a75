"""What is nearly right: words in the place of signs, marks of another language, a choice where its action should be."""

from __future__ import annotations

from rulesdsl.diagnostics import Diagnostic
from rulesdsl.parsing.situation import Situation

_WORD_OPERATORS = {
    "mod": "write `a % b`", "modulo": "write `a % b`", "div": "write `a // b`, which rounds down", "plus": "write `+`",
    "minus": "write `-`", "times": "write `*`", "xor": "write `a != b`", "equals": "write `==`", "eq": "write `==`",
    "contains": "write `x in values`", "has": "write `x in values`", "includes": "write `x in values`",
}

_MARKS = {
    "secret": "`private` is for what only its player sees, `hidden` for what nobody sees",
    "public": "without a mark everybody sees a field: leave `public` out",
    "visible": "without a mark everybody sees a field: leave `visible` out",
    "open": "without a mark everybody sees a field: leave `open` out",
}


def word_operator(s: Situation) -> Diagnostic | None:
    """`a mod b`: a word where an operator could stand."""
    hint = _WORD_OPERATORS.get(s.found.text)
    if hint is None or s.found.kind != "word" or s.on_new_line or "+" not in s.accepted_signs:
        return None
    return Diagnostic("S112", f"`{s.found.text}` is no operator of the language", s.here, "", hints=(hint,))


def mark(s: Situation) -> Diagnostic | None:
    """`secret hand: ...`: a mark that fields or parameters do not have."""
    previous = s.previous
    top = s.before[0].text if s.before else ""
    if top == "state" and len(s.line) == 1 and s.found.kind == "word" and s.line[0].text in _MARKS:
        word = s.line[0]
        return Diagnostic("S112", f"there is no mark `{word.text}`", s.span(word), "", hints=(_MARKS[word.text],))
    word = s.found if s.found.text == "secret" or previous is None else previous
    if top == "event" and word.text == "secret":
        hint = "behind the type, `private to p` is for what only `p` sees, `hidden` for what nobody sees"
        return Diagnostic("S112", "there is no mark `secret`", s.span(word), "", hints=(hint,))
    return None


def chosen_inside(s: Situation) -> Diagnostic | None:
    """`p chooses card in hand`, or `choose card from hand`: what is chosen is not an action."""
    words = [token.text for token in s.line]
    ahead = [token.text for token in s.following[:2]]
    if words == ["choose"] and ahead[1:] and ahead[1] in ("in", "from"):
        name, span = ahead[0], s.span(s.line[0])
    elif words[-2:-1] == ["chooses"] and ahead[0] in ("in", "from"):
        name, span = words[-1], s.here
    else:
        return None
    hint = f"it is a parameter of an action, `action name({name} in ...):`, and `p chooses name` asks for it"
    return Diagnostic("S101", f"what is chosen is an action{s.context}", span, "", hints=(hint,))


def win_alone(s: Situation) -> Diagnostic | None:
    """`win p` without its `end`."""
    if [token.text for token in s.line] != ["win"] or s.found.kind != "word":
        return None
    return Diagnostic("S101", f"`win` cannot start this line{s.context}", s.span(s.line[0]), "", hints=("write `end win p`",))


def range_with_minus(s: Situation) -> Diagnostic | None:
    """`0-9` where a type stands."""
    last = s.before[-3:]
    if [token.kind for token in last] != ["int", "sign", "int"] or last[1].text != "-" or ".." not in s.accepted_signs:
        return None
    if {"_NL", "ELSE", "RPAR"} & s.accepts:
        return None
    hint = f"a range is written `{last[0].text}..{last[2].text}`"
    return Diagnostic("S112", "`-` makes no range", s.span(last[1]), "", hints=(hint,))
