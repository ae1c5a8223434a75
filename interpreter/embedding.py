"""The text of rules inside a log: every file that takes part, by its name relative to the first one, which is the game's own.

A variant names its base by a file name; so the files find each other again. What is left over are variants that were used
together with the first file.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping
from pathlib import PurePath

from attrs import evolve

from rulesdsl.diagnostics import Source

_VARIANT = re.compile(r'^variant[ ]+(\w+)[ ]+of[ ]+"([^"\n]*)"', re.MULTILINE)


def texts_of(source: Source) -> dict[str, str]:
    """The texts of a program's files: the game's own first."""
    root = PurePath(source.name).parent.as_posix()
    texts = [source, *(item for item in source.all if item is not source)]
    texts += [item for extra in source.extras for item in extra.all]
    return {posixpath.relpath(PurePath(item.name).as_posix(), root): item.text for item in texts}


def source_of(texts: Mapping[str, str]) -> Source:
    """The program's files again, from their texts.

    Raises:
        ValueError: there are none.
    """
    if not texts:
        raise ValueError("there is no text of any rules")
    first, *others = texts
    main = _with_base(first, texts)
    own = {item.name for item in main.all}
    chains = [_with_base(name, texts) for name in others if name not in own]
    below = {item.name for chain in chains for item in chain.all if item is not chain}
    extras = tuple(chain for chain in chains if chain.name not in below)
    return evolve(main, extras=extras) if extras else main


def _with_base(name: str, texts: Mapping[str, str], seen: tuple[str, ...] = ()) -> Source:
    source = Source(name, texts[name])
    found = _VARIANT.search(source.text)
    base = posixpath.normpath(posixpath.join(posixpath.dirname(name), found[2])) if found else ""
    if base not in texts or base in (name, *seen):
        return source
    return evolve(source, base=_with_base(base, texts, (*seen, name)))


def variants_of(source: Source) -> tuple[str, ...]:
    """The names of the variants that take part."""
    found = [_VARIANT.search(item.text) for item in source.all]
    return tuple(match[1] for match in found if match is not None)
