"""Warnings about what is declared and never used."""

from __future__ import annotations

from rulesdsl import core
from rulesdsl.checking.scope import Scope
from rulesdsl.naming.names import Names

UNUSED = ("W901", "W903")
_KINDS = ("def", "event", "action", "flow", "const", "param", "record", "enum", "board", "field")


def report_unused(names: Names, program: core.Program, scopes: list[Scope]) -> None:
    """Reports declarations and locals that nothing uses. A name that begins with `_` may be unused."""
    for entity in names.entities.values():
        if entity.kind in _KINDS and not entity.used and not entity.name.startswith("_") and entity.name != "main":
            if entity.kind == "board" and any(names.entities[n.id].used for n in entity.decl.names if n.id in names.entities):
                continue
            names.report(
                "W901",
                f"the {entity.kind} `{entity.name}` is never used",
                entity.span,
                "",
                "use it or remove it",
                severity="warning",
            )
    for scope in scopes:
        for local in scope.everything:
            if local.used or local.name.startswith("_") or local.kind in ("chosen", "given", "loop"):
                continue
            if local.kind == "parameter" and scope.kind in ("event", "measure"):
                continue  # a sentence may need it
            names.report(
                "W903", f"the {local.kind} `{local.name}` is never used", local.span, f"in {scope.owner}",
                f"remove it, or call it `_{local.name}`", severity="warning",
            )  # fmt: skip
