"""What comes of composing: one module, and what each delta did to which clause."""

from __future__ import annotations

from typing import Any

from attrs import frozen

from rulesdsl import syntax
from rulesdsl.diagnostics import Diagnostic, Span
from rulesdsl.variants.deltas import (
    Key,
)


@frozen
class Override:
    """What one delta does to one clause: for `diff`, `lock` and explanations. kind: `added`, `removed`, `replaced`, or `set` for
    the value of a parameter. `was` and `now` are syntax, or None; `because` is the author's reason, `doc` what documents the
    delta. `delta` is the place of the delta, `span` that of what it says of this clause; `names` are those by which it finds scenarios."""

    kind: str
    key: Key
    variant: str
    delta: Span
    span: Span
    was: Any
    now: Any
    because: str
    doc: str
    names: tuple[str, ...] = ()


@frozen
class Composition:
    """`module` is the composed program (the base where there are errors)."""

    module: syntax.Module
    overrides: tuple[Override, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
