"""The rulebooks that a game and its variants name."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path, PurePath

from attrs import frozen

from rulesdsl import syntax
from rulesdsl.diagnostics import Diagnostic, Source, Span
from rulesdsl.program import parse_text


@frozen
class Named:
    """A rulebook that a game or a variant names: its file, the name that messages give it, and where it is named."""

    path: Path
    name: str
    span: Span


def rulebooks_named(source: Source) -> Iterator[Named]:
    """The rulebooks that a game and its variants name. A name is one from the folder of the rules file."""
    for text in source.all:
        module = parse_text(text)
        owners = (
            [module.variant]
            if module.variant is not None
            else [d for d in module.declarations if isinstance(d, syntax.Game)]
        )
        for owner in owners:
            if owner.rulebook is not None:
                named = owner.rulebook.text
                shown = PurePath(text.name).parent / named
                yield Named((text.path or Path(text.name)).parent / named, str(shown), owner.rulebook.span)


def absent(source: Source) -> tuple[Diagnostic, ...]:
    """What there is to say of rulebooks that are named and not there."""
    hint = "write it there, mend the name, or leave `rulebook` out"
    return tuple(
        Diagnostic("W906", "the rulebook is not there", book.span, f"there is no file {book.name}", (), (hint,), "warning")
        for book in rulebooks_named(source)
        if not book.path.is_file()
    )
