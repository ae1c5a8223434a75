"""A file in which some declarations cannot be read: what can be said about the others all the same."""

from __future__ import annotations

import re
from collections.abc import Sequence

from attrs import evolve

from rulesdsl.checking.literals import PLACE
from rulesdsl.diagnostics import Diagnostic, Source, Span
from rulesdsl.parsing.recovery import chunks

_UNKNOWN_NAMES = ("N201", "N205", "N206", "N209")
_MEANT = re.compile(r"did you mean `(\w+)`")


def beside(source: Source, problems: Sequence[Diagnostic]) -> list[Diagnostic]:
    """The mistakes in the declarations that can be read, beside the `problems` of those that cannot.

    What the others declare is not known, so nothing is said about words that may come from them. Where the game itself cannot be
    read nothing is said at all, since nobody knows who plays.
    """
    from rulesdsl.checking.check import check
    from rulesdsl.parsing.parse import parse

    broken = _broken(source, problems)
    heads = {source.text[start:end].split(maxsplit=1)[0] for start, end in broken}
    if heads & {"game", "variant"}:
        return []
    text = source.text
    for start, end in broken:
        text = text[:start] + re.sub(r"[^\n]", " ", text[start:end]) + text[end:]
    module, again = parse(Source(source.name, text))
    if module is None or again or module.variant is not None:
        return []
    lost = "\n".join(source.text[start:end] for start, end in broken)
    found = check(source, module, {}, None).diagnostics
    return [_home(item, source) for item in found if item.is_error and not _due_to(item, lost, "board" in heads)]


def _due_to(item: Diagnostic, lost: str, board_lost: bool) -> bool:
    """Whether a mistake may be one only because some declarations, whose text is `lost`, cannot be read. Of a name that
    nothing has that is so unless a name is near that has a meaning."""
    if item.code == "F510":
        return "main" in lost
    if not item.code.startswith("N"):
        return item.span.text in lost.split()
    meant = [name for hint in item.hints for name in _MEANT.findall(hint) if name.lower() != item.span.text.lower()]
    return (
        item.span.text in lost
        or (item.code in _UNKNOWN_NAMES and not meant)
        or (board_lost and PLACE.fullmatch(item.span.text) is not None)
    )


def _broken(source: Source, problems: Sequence[Diagnostic]) -> list[tuple[int, int]]:
    """The declarations in which there is a problem."""
    pieces = chunks(source.text, 0, len(source.text))
    places = [span.start for item in problems for span in (item.span, *(label.span for label in item.labels))]
    found = {max((i for i, (start, _) in enumerate(pieces) if start <= place), default=0) for place in places}
    return [pieces[i] for i in sorted(found) if i < len(pieces)]


def _home(item: Diagnostic, source: Source) -> Diagnostic:
    """The same about the text as it was written."""

    def home(span: Span) -> Span:
        return evolve(span, source=source)

    return evolve(item, span=home(item.span), labels=tuple(evolve(la, span=home(la.span)) for la in item.labels))
