"""From a file to something that can be played: `load`, and the whole check of a file: `check_file`.

    loaded = load("games/atlanteon.rules", {"size": 5})
    loaded.module.start(...)

A program is specialised for parameter values and a number of seats; each specialisation is compiled once and kept in the
user's cache folder.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

from attrs import frozen

from rulesdsl import cache, core, syntax
from rulesdsl.diagnostics import Diagnostic, RulesFileError, Source, Span, in_order
from rulesdsl.names import MAX_SEATS
from rulesdsl.types import EnumType, IntType, Type, contains, values

_MEMORY: dict[str, LoadedProgram] = {}


@frozen(slots=False, eq=False)
class LoadedProgram:
    """A specialised program with its compiled module. `source` is the text it was made from; `warnings` what is worth saying
    about it."""

    program: core.Program
    module: ModuleType
    source: Source
    warnings: tuple[Diagnostic, ...] = ()


def read_source(path: str | Path) -> Source:
    """The text of a rules file.

    Raises:
        OSError: the file cannot be read.
        RulesFileError: it is not UTF-8 text.
    """
    data = Path(path).read_bytes()
    try:
        return Source(str(path), data.decode("utf-8-sig").replace("\r\n", "\n"))
    except UnicodeDecodeError as why:
        source = Source(str(path), data[: why.start].decode("utf-8", "replace"))
        span = Span(source, max(0, len(source.text) - 1), len(source.text))
        raise RulesFileError(
            [Diagnostic("S120", "this is not UTF-8 text", span, f"byte {why.start} is {data[why.start]:#x}")]
        ) from None


def load(path: str | Path, params: Mapping[str, Any] | None = None, seats: int | None = None) -> LoadedProgram:
    """A program from a file, specialised and compiled.

    Args:
        params: parameter values in internal form, by name; the others keep their defaults.
        seats: number of players, None for the fewest that the game allows.
    Raises:
        OSError: the file cannot be read.
        RulesFileError: the program has errors; all of them are in it.
    """
    return load_source(read_source(path), params, seats)


def load_source(source: Source, params: Mapping[str, Any] | None = None, seats: int | None = None) -> LoadedProgram:
    """Like `load`, from a text.

    Raises:
        RulesFileError: the program has errors.
    """
    from rulesdsl.python_backend import generate, load_module

    name = cache.key(source.name, source.text, sorted((params or {}).items()), seats)
    if name in _MEMORY:
        return _MEMORY[name]
    kept = cache.read(name)
    if kept is None:
        program, warnings = compile_source(source, params or {}, seats)
        kept = (program, generate(program), warnings)
        cache.write(name, kept)
    program, generated, warnings = kept
    loaded = LoadedProgram(program, load_module(generated, f"rules_{program.name}_{name[:12]}"), source, warnings)
    _MEMORY[name] = loaded
    return loaded


def parse_source(source: Source) -> syntax.Module:
    """The syntax tree of a text.

    Raises:
        RulesFileError: its syntax is wrong.
    """
    from rulesdsl.parse import parse

    module, problems = parse(source)
    if module is None:
        raise RulesFileError(problems)
    return module


def compile_source(
    source: Source, params: Mapping[str, Any], seats: int | None
) -> tuple[core.Program, tuple[Diagnostic, ...]]:
    """A specialised program and the warnings about it.

    Raises:
        RulesFileError: the program has errors.
    """
    from attrs import evolve

    from rulesdsl import digest
    from rulesdsl.check import check

    module = parse_source(source)
    checked = check(source, module, params, seats, digest.program_digest(module))
    if checked.program is None:
        raise RulesFileError(checked.diagnostics)
    return evolve(checked.program, clauses=digest.clauses(module)), checked.diagnostics


# ---------------------------------------------------------------- the whole check of a file


def check_source(source: Source) -> tuple[Diagnostic, ...]:
    """Everything that can be said about a text: with the defaults, every number of players, each parameter's end values, and
    the settings of each scenario. A mistake that several of them show is told once."""
    from rulesdsl.check import check
    from rulesdsl.parse import parse

    module, problems = parse(source)
    if module is None:
        return tuple(in_order(problems))
    found: list[Diagnostic] = []
    for settings, seats in settings_to_check(source, module):
        checked = check(source, module, settings, seats)
        fresh = [d for d in checked.diagnostics if d.is_error or not found]
        found.extend(_named(d, settings, seats) for d in fresh)
        if any(d.is_error for d in fresh):
            break
    return tuple(in_order(found))


def _named(diagnostic: Diagnostic, settings: Mapping[str, Any], seats: int | None) -> Diagnostic:
    """A mistake that only some settings show says which."""
    from attrs import evolve

    if not diagnostic.is_error or (not settings and seats is None):
        return diagnostic
    shown = [f"{name} = {value}" for name, value in sorted(settings.items())] + (
        [f"players = {seats}"] if seats else []
    )
    return evolve(diagnostic, hints=(*diagnostic.hints, f"with {', '.join(shown)}"))


def settings_to_check(source: Source, module: syntax.Module) -> Iterator[tuple[dict[str, Any], int | None]]:
    """Parameter values and seats under which a program is checked: the defaults first."""
    from rulesdsl.check import check

    yield {}, None
    checked = check(source, module, {}, None)
    if checked.program is None:
        return
    low, high = seat_counts(module)
    for count in range(low + 1, high + 1):
        yield {}, count
    for name, kind, value in checked.program.parameters:
        for end in ends_of(kind):
            if end != value:
                yield {name: end}, None
    for settings, seats in scenario_settings(module, checked.program):
        yield settings, seats


def scenario_settings(module: syntax.Module, program: core.Program) -> list[tuple[dict[str, Any], int | None]]:
    """The different settings of a program's scenarios, that of the defaults first."""
    from rulesdsl.check_scenarios import settings_of

    kinds = {name: kind for name, kind, _ in program.parameters}
    found: list[tuple[dict[str, Any], int | None]] = [({}, None)]
    for decl in module.declarations:
        if isinstance(decl, syntax.Scenario):
            settings: dict[str, Any] = {}
            seats = None
            for name, node in settings_of(decl).items():
                value = literal(node, kinds.get(name))
                if name == "players":
                    seats = value
                elif value is not None:
                    settings[name] = value
            if (settings, seats) not in found:
                found.append((settings, seats))
    return found


def literal(node: syntax.Expr, kind: Type | None) -> Any:
    """The value of a setting that is written as a literal or a member, in internal form; None if it is something else."""
    if isinstance(node, (syntax.IntLit, syntax.BoolLit)):
        return node.value
    if isinstance(node, syntax.NameExpr) and isinstance(kind, EnumType) and node.id in kind.members:
        return kind.members.index(node.id)
    if isinstance(node, syntax.Attr) and isinstance(kind, EnumType) and node.name.id in kind.members:
        return kind.members.index(node.name.id)
    return None


def ends_of(kind: Type) -> list[Any]:
    """The values of a parameter that are worth a check of their own."""
    if isinstance(kind, IntType):
        return [kind.lo, kind.hi]
    try:
        every = list(values(kind))
    except ValueError:
        return []
    return every if len(every) <= 4 else [every[0], every[-1]]


def seat_counts(module: syntax.Module) -> tuple[int, int]:
    """The fewest and the most players of a game."""
    for decl in module.declarations:
        if isinstance(decl, syntax.Game):
            if decl.seats:
                return len(decl.seats), len(decl.seats)
            count = decl.seat_count
            if (
                isinstance(count, syntax.RangeExpr)
                and isinstance(count.lo, syntax.IntLit)
                and isinstance(count.hi, syntax.IntLit)
            ):
                return count.lo.value, min(count.hi.value, MAX_SEATS)
            if isinstance(count, syntax.IntLit):
                return count.value, count.value
    return 2, 2


__all__ = ["LoadedProgram", "check_source", "contains", "load", "load_source", "read_source", "seat_counts"]
