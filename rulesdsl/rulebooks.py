"""The rulebooks that a game and its variants name."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from rulesdsl import syntax
from rulesdsl.diagnostics import Diagnostic, Source, Span
from rulesdsl.program import parse_text


def rulebooks_named(source: Source) -> Iterator[tuple[Path, Span]]:
    """The rulebooks that a game and its variants name, and where they do."""
    for text in source.all:
        module = parse_text(text)
        owners = (
            [module.variant]
            if module.variant is not None
            else [d for d in module.declarations if isinstance(d, syntax.Game)]
        )
        for owner in owners:
            if owner.rulebook is not None:
                yield Path(text.name).parent / owner.rulebook.text, owner.rulebook.span


def absent(source: Source) -> tuple[Diagnostic, ...]:
    """What there is to say of rulebooks that are named and not there."""
    hint = "write it there, mend the name, or leave `rulebook` out"
    return tuple(
        Diagnostic("W906", "the rulebook is not there", span, f"there is no file {path}", (), (hint,), "warning")
        for path, span in rulebooks_named(source)
        if not path.is_file()
    )
