"""Which clauses of its base a variant was written against.

`rulesdsl lock` writes a small file beside the variant with a digest of each base clause that it overrides. When one of them
changes later, the author hears of it until the variant is locked again: the change may matter to the variant, or not.
"""

from __future__ import annotations

import hashlib
import json
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path

from attrs import evolve

from rulesdsl import syntax
from rulesdsl.diagnostics import Diagnostic, Label, RulesFileError, Source, Span
from rulesdsl.program import compose_source, parse_source
from rulesdsl.variants.clauses import Clause, clauses_of
from rulesdsl.variants.composition import Override
from rulesdsl.variants.deltas import SIDES, Key, bodies_of, nesting, told, wholes

FORMAT = 1


def lock_path(source: Source) -> Path:
    """Where the lock of a variant is: `sprint.rules` has `sprint.lock`."""
    return Path(source.name).with_suffix(".lock")


def lock_text(source: Source) -> str:
    """The lock of a variant, as the text of its file.

    Raises:
        RulesFileError: the variant does not fit its base, or is none.
    """
    base, overrides = _parts(source)
    assert source.base is not None
    names = [Path(text.name).name for text in (source.base, *source.base.extras)]
    content = {"format": FORMAT, "base": names if len(names) > 1 else names[0], "clauses": digests(base, overrides)}
    return json.dumps(content, indent=2, ensure_ascii=False) + "\n"


def digests(base: syntax.Module, overrides: Sequence[Override]) -> dict[str, str]:
    """Digests of the base's clauses that are overridden, by name, in the order of the base."""
    return {clause.name: _digest(clause.text) for clause in _overridden(base, overrides)}


def _overridden(base: syntax.Module, overrides: Sequence[Override]) -> list[Clause]:
    """The base's clauses that are overridden, with all their parts."""
    touched = {_clause(override) for override in overrides}
    steps = nesting(bodies_of(base.declarations))
    return [clause for key, clause in clauses_of(base).items() if touched & {key, *wholes(key, steps)}]


def stale(source: Source, text: str) -> tuple[Diagnostic, ...]:
    """What changed in the base since the variant was locked, given the text of its lock: a warning for each clause.

    Raises:
        RulesFileError: the variant does not fit its base, or is none.
    """
    base, overrides = _parts(source)
    known = _read(text)
    if known is None:
        title = f"{lock_path(source).name} is not a lock"
        hint = f"make it anew with `rulesdsl lock {shlex.quote(source.name)}`"
        return (Diagnostic("X808", title, _first_line(Span(source, 0, len(source.text))), "", (), (hint,), "warning"),)
    found = []
    for clause in _overridden(base, overrides):
        if known.get(clause.name) == _digest(clause.text):
            continue
        title, text = f"{told(clause.key)} has changed in the base", "written against an older wording"
        if clause.name not in known:
            title, text = f"{told(clause.key)} is not locked yet", "changed here"
        span = _first_line(_about(clause, overrides).span)
        label = Label(_first_line(clause.span), "the base's is here")
        hint = f"look whether the variant still fits, then `rulesdsl lock {shlex.quote(source.name)}`"
        found.append(Diagnostic("X807", title, span, text, (label,), (hint,), "warning"))
    return tuple(found)


def _read(text: str) -> Mapping[str, str] | None:
    """The digests of a lock by the names of the clauses, None if it is no lock."""
    try:
        content = json.loads(text)
    except ValueError:
        return None
    clauses = content.get("clauses") if isinstance(content, dict) else None
    return clauses if isinstance(clauses, dict) and content.get("format") == FORMAT else None


def _first_line(span: Span) -> Span:
    return evolve(span, end=span.start + len(span.text.split("\n", 1)[0].rstrip()))


def _parts(source: Source) -> tuple[syntax.Module, tuple[Override, ...]]:
    """The program that a variant changes, and what it does to it."""
    composition = compose_source(source)
    if source.base is None:
        first = _first_line(Span(source, 0, len(source.text)))
        raise RulesFileError([Diagnostic("X806", f"{source.name} is not a variant", first, "only variants are locked")])
    own = tuple(o for o in composition.overrides if o.span.source.name == source.name)
    return parse_source(source.base), own


def _clause(override: Override) -> Key:
    """The base's clause that an override is about; what is put around a step, or offered in it, is about the step, and a new
    guard or member about its action or enum."""
    kind, *names = override.key
    if override.kind == "added" and kind in ("require", "member"):
        return ("action" if kind == "require" else "enum", names[0])
    if kind == "choice":
        return ("step", *names[:-1])
    return ("step", *names) if kind in SIDES else override.key


def _about(clause: Clause, overrides: Sequence[Override]) -> Override:
    """The override that concerns a clause of the base: its own, or that of what it is a part of."""
    own = [override for override in overrides if _clause(override) == clause.key]
    whole = [override for override in overrides if override.key[1] == clause.key[1]]
    return (own or whole)[0]


def _digest(text: str) -> str:
    return hashlib.blake2b(text.encode("utf-8"), digest_size=12).hexdigest()
