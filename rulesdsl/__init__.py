"""The rules language: text in, a checked, typed program and generated code out.

    from rulesdsl import check_source, load, read_source, render

    print(render(check_source(read_source("my.rules"))))
    loaded = load("my.rules")

Most people want `interpreter.load`, which gives a game that can be played. The passes, in order, are the modules `parse`,
`check`, `lower` and `python_backend`; what they hand on is in `syntax` and `core`.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rulesdsl.diagnostics import Diagnostic, RulesFileError, Source, render
    from rulesdsl.program import LoadedProgram, check_source, load, load_source, read_source

_HOMES = {
    "Diagnostic": "diagnostics",
    "RulesFileError": "diagnostics",
    "Source": "diagnostics",
    "render": "diagnostics",
    "LoadedProgram": "program",
    "check_source": "program",
    "load": "program",
    "load_source": "program",
    "read_source": "program",
}

__all__ = [
    "Diagnostic",
    "LoadedProgram",
    "RulesFileError",
    "Source",
    "check_source",
    "load",
    "load_source",
    "read_source",
    "render",
]


def __getattr__(name: str) -> Any:
    """The public names, each loaded when it is first used: the command starts faster for it."""
    if name not in _HOMES:
        raise AttributeError(f"module `rulesdsl` has no `{name}`")
    from importlib import import_module

    return getattr(import_module(f"rulesdsl.{_HOMES[name]}"), name)
