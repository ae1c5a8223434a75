"""Digests of programs and clauses: over the formatted source without comments, so that layout and wording of comments do not
matter and every rule does."""

from __future__ import annotations

import hashlib

from rulesdsl import syntax
from rulesdsl.formatting.format import canonical
from rulesdsl.variants.deltas import declaration_key, key_name


def clauses(module: syntax.Module) -> tuple[tuple[str, str], ...]:
    """Each declaration's name and digest, in order. Scenarios are tests, not rules, and are named too."""
    return tuple((key_name(declaration_key(decl)), _short(canonical(decl))) for decl in module.declarations)


def program_digest(module: syntax.Module) -> str:
    """The digest of the rules: all declarations but the scenarios."""
    rules = [canonical(decl) for decl in module.declarations if not isinstance(decl, syntax.Scenario)]
    return _short("\n\n".join(rules))


def _short(text: str) -> str:
    return hashlib.blake2b(text.encode("utf-8"), digest_size=16).hexdigest()
