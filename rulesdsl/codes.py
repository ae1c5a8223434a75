"""Every error code of the language with its short title. A code keeps its meaning for ever; new ones get new numbers."""

from __future__ import annotations

CODES: dict[str, str] = {
    # ------------------------------------------------------------ S: syntax
    "S101": "a word or sign that cannot stand here",
    "S102": "a missing colon",
    "S103": "a bracket that is not closed",
    "S104": "a closing bracket without an opening one",
    "S105": "a missing block",
    "S106": "a line that is indented for no reason",
    "S107": "a word of the language used as a name",
    "S108": "an indentation that fits no line above",
    "S109": "a tab",
    "S110": "a character that means nothing",
    "S111": "a sentence that is not closed",
    "S112": "a word or sign of another language",
    "S113": "a line that stops too early",
    "S114": "a number that is too large",
    "S115": "an assignment to something that is not a place",
    "S116": "something said twice",
    "S117": "too much nesting",
    "S118": "a requirement without a sentence",
    "S119": "a file without rules",
    "S120": "a file that is not UTF-8 text",
    "S121": "a delta outside of a variant",
    "S122": "a declaration of a variant without `add` or `replace`",
    # ------------------------------------------------------------ N: names
    # ------------------------------------------------------------ T: types
    # ------------------------------------------------------------ V: who sees what
    # ------------------------------------------------------------ F: flow
}
