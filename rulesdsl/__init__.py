"""The rules language: text in, a checked, typed program and generated code out.

    from rulesdsl import check_source, load, read_source, render

    print(render(check_source(read_source("my.rules"))))
    loaded = load("my.rules")

Most people want `interpreter.load`, which gives a game that can be played. At the top of the package stand the values that
passes hand on (`diagnostics`, `syntax`, `types`, `core`) and the way through all passes (`program`). Each pass has its folder, in
this order: `parsing`, `variants`, `naming`, `checking` with `secrecy`, `lowering`, `python`; `formatting` prints what was read.
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
