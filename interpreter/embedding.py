"""The text of rules inside a log: every file that takes part, by its name relative to the first one, which is the game's own.

A variant names its bases by file names; so the files find each other again. What is left over are variants that were used
together with the first file.
"""

from __future__ import annotations

import os
import posixpath
from collections.abc import Iterator, Mapping
from pathlib import PurePath

from attrs import evolve

from rulesdsl.diagnostics import Source
from rulesdsl.program import bases_of, variant_named


def texts_of(source: Source) -> dict[str, str]:
    """The texts of a program's files: the game's own first."""
    root = PurePath(source.name).parent
    found: dict[str, str] = {}
    _enter(found, source, PurePath(source.name).name)
    for extra in source.extras:
        _enter(found, extra, PurePath(os.path.relpath(extra.name, root)).as_posix())
    return found


def _enter(found: dict[str, str], source: Source, name: str) -> None:
    """A file and its bases, each by the name that the file above has for it: wherever it was, it is found again."""
    found.setdefault(name, source.text)
    if source.base is not None:
        bases = (source.base, *source.base.extras)
        for base, (named, _, _) in zip(bases, bases_of(source.text), strict=True):
            _enter(found, base, _beside(name, named))


def _beside(name: str, base: str) -> str:
    """The name of a base, seen from the folder from which the file that names it has its own name."""
    return posixpath.normpath(posixpath.join(posixpath.dirname(name), PurePath(base).as_posix()))


def _files(source: Source) -> Iterator[Source]:
    yield source
    for other in (*([source.base] if source.base is not None else []), *source.extras):
        yield from _files(other)


def source_of(texts: Mapping[str, str]) -> Source:
    """The program's files again, from their texts.

    Raises:
        ValueError: there are none.
    """
    if not texts:
        raise ValueError("there is no text of any rules")
    first, *others = texts
    main = _with_bases(first, texts)
    own = {item.name for item in _files(main)}
    chains = [_with_bases(name, texts) for name in others if name not in own]
    below = {item.name for chain in chains for item in _files(chain) if item is not chain}
    extras = tuple(chain for chain in chains if chain.name not in below)
    return evolve(main, extras=extras) if extras else main


def _with_bases(name: str, texts: Mapping[str, str], above: tuple[str, ...] = ()) -> Source:
    source = Source(name, texts[name])
    named = [_beside(name, base) for base, _, _ in bases_of(source.text)]
    bases = [_with_bases(base, texts, (*above, name)) for base in named if base in texts and base not in (*above, name)]
    if not bases or len(bases) < len(named):
        return source
    first, *others = bases
    return evolve(source, base=evolve(first, extras=tuple(others)) if others else first)


def variants_of(source: Source) -> tuple[str, ...]:
    """The names of the variants that take part, in alphabetical order: they have no other."""
    return tuple(sorted({name for item in _files(source) if (name := variant_named(item.text))}))
