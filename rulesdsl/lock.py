"""Which clauses of its base a variant was written against.

`rulesdsl lock` writes a small file beside the variant with a digest of each base clause that it overrides. When one of them
changes later, the author hears of it until the variant is locked again: the change may matter to the variant, or not.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rulesdsl import syntax
from rulesdsl.diagnostics import Diagnostic, RulesFileError, Source, Span
from rulesdsl.diff import clauses_of
from rulesdsl.program import composed
from rulesdsl.variants import Override, key_name

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
    found = digests(base, overrides)
    assert source.base is not None
    content = {"format": FORMAT, "base": Path(source.base.name).name, "clauses": found}
    return json.dumps(content, indent=2, ensure_ascii=False) + "\n"


def digests(base: syntax.Module, overrides: tuple[Override, ...]) -> dict[str, str]:
    """Digests of the base's clauses that are overridden, by name, in the order of the base."""
    touched = {_clause(override) for override in overrides}
    return {name: _digest(clause.text) for name, clause in clauses_of(base).items() if name in touched}


def stale(source: Source, text: str) -> tuple[Diagnostic, ...]:
    """What changed in the base since the variant was locked, given the text of its lock: a warning for each clause."""
    try:
        locked: Mapping[str, Any] = json.loads(text)
        known: Mapping[str, str] = locked["clauses"]
    except (ValueError, KeyError, TypeError):
        span = Span(source, 0, min(1, len(source.text)))
        hint = f"make it anew with `rulesdsl lock {source.name}`"
        return (Diagnostic("X808", f"{lock_path(source).name} is not a lock", span, "", (), (hint,), "warning"),)
    base, overrides = _parts(source)
    current = digests(base, overrides)
    found = []
    for override in overrides:
        name = _clause(override)
        hint = f"look whether the variant still fits, then `rulesdsl lock {source.name}`"
        if name in current and name not in known:
            found.append(Diagnostic("X807", f"{name} is not locked yet", override.span, "", (), (hint,), "warning"))
        elif name in current and known[name] != current[name]:
            text = "written against an older wording"
            found.append(Diagnostic("X807", f"{name} has changed in the base", override.span, text, (), (hint,), "warning"))
    return tuple(found)


def _parts(source: Source) -> tuple[syntax.Module, tuple[Override, ...]]:
    made, problems = composed(source)
    if made is None or problems:
        raise RulesFileError(problems)
    if source.base is None:
        span = Span(source, 0, min(1, len(source.text)))
        raise RulesFileError([Diagnostic("X806", f"{source.name} is not a variant", span, "only variants are locked")])
    below, _ = composed(source.base)
    assert below is not None
    own = tuple(o for o in made.overrides if o not in below.overrides)
    return below.module, own


def _clause(override: Override) -> str:
    """The name of the base's clause that an override is about; what is put around a step is about the step."""
    kind, *names = override.key
    return key_name(("step", *names)) if kind in ("before", "after") else key_name(override.key)


def _digest(text: str) -> str:
    return hashlib.blake2b(text.encode("utf-8"), digest_size=12).hexdigest()
