"""From a file to something that can be played: `load`, and the whole check of a file: `check_file`.

    loaded = load("games/atlanteon.rules", {"size": 5})
    loaded.module.start(...)

A program is specialised for parameter values and a number of seats; each specialisation is compiled once and kept in the
user's cache folder.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

from attrs import evolve, frozen

from rulesdsl import cache, core, syntax
from rulesdsl.diagnostics import Diagnostic, RulesFileError, Source, Span, in_order
from rulesdsl.names import MAX_SEATS
from rulesdsl.types import EnumType, IntType, Type, contains, values
from rulesdsl.variants import Composition, Override, compose

_MEMORY: dict[str, LoadedProgram] = {}


@frozen(slots=False, eq=False)
class LoadedProgram:
    """A specialised program with its compiled module. `source` is the text it was made from; `warnings` what is worth saying
    about it."""

    program: core.Program
    module: ModuleType
    source: Source
    warnings: tuple[Diagnostic, ...] = ()


_VARIANT = re.compile(r'^variant[ ]+\w+[ ]+of[ ]+"([^"\n]*)"', re.MULTILINE)


def read_source(path: str | Path, extras: Sequence[str | Path] = ()) -> Source:
    """The text of a rules file, with the text of its base if it is a variant, and of variants to use together with it.

    Raises:
        OSError: a file cannot be read.
        RulesFileError: one is not UTF-8 text, or the base of a variant is not there.
    """
    source = _read_with_base(Path(path), ())
    return evolve(source, extras=tuple(_read_with_base(Path(extra), ()) for extra in extras)) if extras else source


def _read_with_base(path: Path, seen: tuple[Path, ...]) -> Source:
    source = _read_text(path)
    found = _VARIANT.search(source.text)
    if found is None:
        return source
    span = Span(source, found.start(1) - 1, found.end(1) + 1)
    base = path.parent / found.group(1)
    if base.resolve() in (path.resolve(), *(p.resolve() for p in seen)):
        raise RulesFileError(
            [Diagnostic("X805", "this variant is a variant of itself", span, "leads back to this file")]
        )
    try:
        return evolve(source, base=_read_with_base(base, (*seen, path)))
    except OSError as why:
        text = f"{base}: {why.strerror}"
        hint = f"the name is relative to the folder of {path.name}"
        raise RulesFileError(
            [Diagnostic("X805", "the base of this variant cannot be read", span, text, (), (hint,))]
        ) from None


def _read_text(path: Path) -> Source:
    data = path.read_bytes()
    try:
        return Source(str(path), data.decode("utf-8-sig").replace("\r\n", "\n"))
    except UnicodeDecodeError as why:
        source = Source(str(path), data[: why.start].decode("utf-8", "replace"))
        span = Span(source, max(0, len(source.text) - 1), len(source.text))
        text = f"byte {why.start} is {data[why.start]:#x}"
        raise RulesFileError([Diagnostic("S120", "this is not UTF-8 text", span, text)]) from None


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

    texts = [(text.name, text.text) for text in source.all]
    name = cache.key(texts, sorted((params or {}).items()), seats)
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
    """The syntax tree of a text; of a variant, or with variants, the composed one.

    Raises:
        RulesFileError: the syntax is wrong, or a variant does not fit its base.
    """
    module, problems = assemble(source)
    if module is None:
        raise RulesFileError(problems)
    return module


def assemble(source: Source) -> tuple[syntax.Module | None, tuple[Diagnostic, ...]]:
    """The syntax tree of a text with its base and variants composed, None where there are mistakes, and the mistakes."""
    composition, problems = composed(source)
    return (composition.module, ()) if composition is not None and not problems else (None, problems)


def composed(source: Source) -> tuple[Composition | None, tuple[Diagnostic, ...]]:
    """A text and the variants used with it as one program, with what each variant changes."""
    from rulesdsl.parse import parse

    module, problems = parse(source)
    if module is None:
        return None, tuple(problems)
    overrides: tuple[Override, ...] = ()
    if module.variant is not None:
        if source.base is None:
            missing = Diagnostic("X805", "the base of this variant is not known", module.variant.base.span)
            return None, (missing,)
        below, found = composed(source.base)
        if below is None or found:
            return None, found
        result = compose(below.module, [module])
        if result.diagnostics:
            return None, result.diagnostics
        module, overrides = result.module, (*below.overrides, *result.overrides)
    if not source.extras:
        return Composition(module, overrides, ()), ()
    variants = []
    for extra in source.extras:
        made, found = _extra(extra, source)
        if made is None:
            return None, found
        variants.append(made)
    result = compose(module, variants)
    return Composition(result.module, (*overrides, *result.overrides), ()), result.diagnostics


def _extra(extra: Source, source: Source) -> tuple[syntax.Module | None, tuple[Diagnostic, ...]]:
    """A variant that is used together with a program: it must be one of the same base."""
    from rulesdsl.parse import parse

    module, problems = parse(extra)
    if module is None:
        return None, tuple(problems)
    if module.variant is None or extra.base is None:
        span = Span(extra, 0, min(1, len(extra.text)))
        return None, (
            Diagnostic("X806", f"{extra.name} is not a variant", span, "only variants are used with another file"),
        )
    if extra.base.text not in [text.text for text in (source, *source.all)]:
        text = f"{extra.base.name} is not {source.name}"
        return None, (Diagnostic("X806", "this is a variant of another game", module.variant.base.span, text),)
    return module, ()


def compile_source(
    source: Source, params: Mapping[str, Any], seats: int | None
) -> tuple[core.Program, tuple[Diagnostic, ...]]:
    """A specialised program and the warnings about it.

    Raises:
        RulesFileError: the program has errors.
    """
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
    the settings of each scenario. The first of them with mistakes tells them; a warning holds for all."""
    from rulesdsl.check import check
    from rulesdsl.usage import UNUSED

    module, problems = assemble(source)
    if module is None:
        return tuple(in_order(problems))
    checked = check(source, module, {}, None)
    if checked.program is None:
        return tuple(in_order(checked.diagnostics))
    warnings = list(checked.diagnostics)
    for settings, seats in other_settings(module, checked.program):
        other = check(source, module, settings, seats)
        if other.program is None:
            shown = ", ".join(_shown(checked.program, settings, seats))
            errors = [evolve(d, hints=(*d.hints, f"with {shown}")) for d in other.diagnostics if d.is_error]
            return tuple(in_order([*(w for w in warnings if w.code not in UNUSED), *errors]))
        warnings = [d for d in warnings if d in other.diagnostics]
    return tuple(in_order(warnings))


def _shown(program: core.Program, settings: Mapping[str, Any], seats: int | None) -> Iterator[str]:
    """Settings as the rules write them."""
    kinds = {name: kind for name, kind, _ in program.parameters}
    for name, value in sorted(settings.items()):
        kind = kinds.get(name)
        text = kind.members[value] if isinstance(kind, EnumType) else str(value).lower()
        yield f"{name} = {text}"
    if seats is not None:
        yield f"players = {seats}"


def other_settings(module: syntax.Module, program: core.Program) -> Iterator[tuple[dict[str, Any], int | None]]:
    """The parameter values and numbers of seats under which a program is checked, besides its defaults."""
    low, high = seat_counts(module)
    for count in range(low + 1, high + 1):
        yield {}, count
    for name, kind, value in program.parameters:
        for end in ends_of(kind):
            if end != value:
                yield {name: end}, None
    yield from scenario_settings(module, program)[1:]


def scenario_settings(module: syntax.Module, program: core.Program) -> list[tuple[dict[str, Any], int | None]]:
    """The different settings of a program's scenarios, that of the defaults first."""
    from rulesdsl.check_scenarios import literal, settings_of

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
