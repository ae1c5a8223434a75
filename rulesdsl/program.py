"""From a file to something that can be played: `load`, and the whole check of a file: `check_source`.

    loaded = load("games/atlanteon.rules", {"size": 5})
    loaded.module.start(...)

A program is specialised for parameter values and a number of seats; each specialisation is compiled once and kept in the
user's cache folder.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path, PurePath
from types import ModuleType
from typing import Any

from attrs import evolve, frozen

from rulesdsl import cache, core, syntax
from rulesdsl.diagnostics import Diagnostic, RulesFileError, Source, Span, closest, in_order
from rulesdsl.naming.names import MAX_SEATS
from rulesdsl.points import Point
from rulesdsl.types import EnumType, IntType, Type, contains, values
from rulesdsl.variants.blame import blamed
from rulesdsl.variants.compose import compose
from rulesdsl.variants.composition import Composition

_MEMORY: dict[str, LoadedProgram] = {}


@frozen(slots=False, eq=False)
class LoadedProgram:
    """A specialised program with its compiled module. `source` is the text it was made from; `warnings` what is worth saying
    about it. `points`: what an instrumented module counts, see `rulesdsl.points`."""

    program: core.Program
    module: ModuleType
    source: Source
    warnings: tuple[Diagnostic, ...] = ()
    points: tuple[Point, ...] = ()


_VARIANT = re.compile(r'^variant[ ]+(\w+)[ ]+of[ ]*("[^"\n]*"(?:[ ]*and[ ]*"[^"\n]*")*)', re.MULTILINE)
_QUOTED = re.compile(r'"([^"\n]*)"')


def bases_of(text: str) -> list[tuple[str, int, int]]:
    """The files that a variant names as its bases, each with where its name stands; none in a file that is no variant."""
    found = _VARIANT.search(text)
    if found is None:
        return []
    return [(name[1], name.start(), name.end()) for name in _QUOTED.finditer(text, found.start(2), found.end(2))]


def variant_named(text: str) -> str:
    """The name of the variant that a text is; empty for a game."""
    found = _VARIANT.search(text)
    return found[1] if found is not None else ""


def read_source(path: str | Path, extras: Sequence[str | Path] = ()) -> Source:
    """The text of a rules file, with the text of its base if it is a variant, and of variants to use together with it.

    Raises:
        OSError: a file cannot be read.
        RulesFileError: one is not UTF-8 text, or the base of a variant is not there.
    """
    source = _read_with_bases(Path(path), ())
    return evolve(source, extras=tuple(_read_with_bases(Path(extra), ()) for extra in extras)) if extras else source


def _read_with_bases(path: Path, above: tuple[Path, ...]) -> Source:
    """A file with its bases; the first of several holds the others as what is used together with it."""
    source = read_text(path)
    bases = [_base(source, path, above, *named) for named in bases_of(source.text)]
    if not bases:
        return source
    first, *others = bases
    return evolve(source, base=evolve(first, extras=tuple(others)) if others else first)


def _base(source: Source, path: Path, above: tuple[Path, ...], name: str, start: int, end: int) -> Source:
    span = Span(source, start, end)
    base = Path(os.path.normpath(path.parent / name))
    if base.resolve() in (path.resolve(), *(p.resolve() for p in above)):
        raise RulesFileError(
            [Diagnostic("X805", "this variant is a variant of itself", span, "leads back to this file")]
        )
    try:
        return _read_with_bases(base, (*above, path))
    except OSError as why:
        near = closest(base.name, [p.name for p in base.parent.glob("*.rules")]) if base.parent.is_dir() else None
        hints = [f"did you mean `{PurePath(name).with_name(near).as_posix()}`?"] if near else []
        hints.append(f"the name is relative to the folder of {path.name}")
        text = f"{base}: {why.strerror}"
        raise RulesFileError(
            [Diagnostic("X805", "the base of this variant cannot be read", span, text, (), tuple(hints))]
        ) from None


def read_text(path: Path) -> Source:
    """The text of one file, without any base.

    Raises:
        OSError: the file cannot be read.
        RulesFileError: it is not UTF-8 text.
    """
    data = path.read_bytes()
    try:
        return Source(str(path), data.decode("utf-8-sig").replace("\r\n", "\n"), path=path)
    except UnicodeDecodeError as why:
        source = Source(str(path), data[: why.start].decode("utf-8", "replace"))
        span = Span(source, max(0, len(source.text) - 1), len(source.text))
        text = f"byte {why.start} is {data[why.start]:#x}"
        raise RulesFileError([Diagnostic("S120", "this is not UTF-8 text", span, text)]) from None


def load(
    path: str | Path, params: Mapping[str, Any] | None = None, seats: int | None = None, *, instrumented: bool = False
) -> LoadedProgram:
    """A program from a file, specialised and compiled.

    Args:
        params: parameter values in internal form, by name; the others keep their defaults.
        seats: number of players, None for the fewest that the game allows.
        instrumented: count what happens, see `rulesdsl.points`.
    Raises:
        OSError: the file cannot be read.
        RulesFileError: the program has errors; all of them are in it.
    """
    return load_source(read_source(path), params, seats, instrumented=instrumented)


def load_source(
    source: Source,
    params: Mapping[str, Any] | None = None,
    seats: int | None = None,
    without: Collection[Span] = (),
    *,
    instrumented: bool = False,
    scenarios: Collection[str] | None = None,
) -> LoadedProgram:
    """Like `load`, from a text.

    Args:
        without: the places of deltas that are left out.
        scenarios: the titles of those that are kept; None: all.
    Raises:
        RulesFileError: the program has errors.
    """
    from rulesdsl.python.backend import generate, load_module, prepare

    left_out = sorted((span.source.name, span.start) for span in without)
    kept_titles = None if scenarios is None else sorted(scenarios)
    name = cache.key(_texts(source), sorted((params or {}).items()), seats, left_out, instrumented, kept_titles)
    if name in _MEMORY:
        return _MEMORY[name]
    kept, prepared = cache.read(name), None
    if kept is None:
        program, warnings = compile_source(source, params or {}, seats, without, scenarios)
        prepared = prepare(program, instrumented)
        kept = (program, generate(program, instrumented, prepared), warnings)
        cache.write(name, kept)
    program, generated, warnings = kept
    module = load_module(generated, f"rules_{program.name}_{name[:12]}", prepared)
    loaded = LoadedProgram(program, module, source, warnings, generated.points)
    _MEMORY[name] = loaded
    return loaded


def _texts(source: Source) -> tuple[Any, ...]:
    """Everything that a program is made from."""
    base = None if source.base is None else _texts(source.base)
    return (source.name, source.text, base, *(_texts(extra) for extra in source.extras))


def parse_text(source: Source) -> syntax.Module:
    """The syntax tree of one text, of a variant its deltas.

    Raises:
        RulesFileError: the syntax is wrong.
    """
    module, problems = _parsed(source)
    if module is None:
        raise RulesFileError(problems)
    return module


def parse_source(source: Source) -> syntax.Module:
    """The syntax tree of a text; of a variant, or with variants, the composed one.

    Raises:
        RulesFileError: the syntax is wrong, or a variant does not fit its base.
    """
    return compose_source(source).module


def compose_source(source: Source, without: Collection[Span] = ()) -> Composition:
    """A text and the variants used with it as one program, with what each variant changes.

    Args:
        without: the places of deltas that are left out.
    Raises:
        RulesFileError: the syntax of a text is wrong, or a variant does not fit its base.
    """
    composition, problems = composed(source, without)
    if composition is None:
        raise RulesFileError(problems)
    return composition


def composed(source: Source, without: Collection[Span] = ()) -> tuple[Composition | None, tuple[Diagnostic, ...]]:
    """Like `compose_source`: the composition, None where there are mistakes, and the mistakes."""
    modules: dict[str, syntax.Module] = {}
    problems: list[Diagnostic] = []
    for text in source.all:
        module, found = _parsed(text)
        problems.extend(found)
        if module is not None:
            modules[text.text] = module
    if not problems:
        problems.extend(_misused(source, modules))
    if problems:
        return None, tuple(problems)
    games = [module for module in modules.values() if module.variant is None]
    variants = [module for module in modules.values() if module.variant is not None]
    if not variants:
        return Composition(games[0]), ()
    below = {
        name_of(modules[text]): {name_of(modules[b]) for b in bases} for text, bases in _foundations(source).items()
    }
    result = compose(
        games[0], variants, {name: frozenset(names - {""}) for name, names in below.items() if name}, without
    )
    return (None, result.diagnostics) if result.diagnostics else (result, ())


_TREES: dict[tuple[str, str], tuple[syntax.Module | None, tuple[Diagnostic, ...]]] = {}


def _parsed(source: Source) -> tuple[syntax.Module | None, tuple[Diagnostic, ...]]:
    """The tree of one text. The last ones are remembered, since every question about a program begins with them."""
    from rulesdsl.parsing.parse import parse

    key = (source.name, source.text)
    if key not in _TREES:
        module, problems = parse(source)
        while len(_TREES) >= 16:
            del _TREES[next(iter(_TREES))]
        _TREES[key] = (module, tuple(problems))
    return _TREES[key]


def name_of(module: syntax.Module) -> str:
    """The name of a variant; empty for a game."""
    return module.variant.name.id if module.variant is not None else ""


def _foundations(source: Source) -> dict[str, set[str]]:
    """For each text that takes part, the texts that it is based on, however far down."""
    found: dict[str, set[str]] = {}
    for text in (source, *source.extras):
        if text.base is not None:
            found |= _foundations(text.base)
            found[text.text] = {item.text for item in text.base.all}
        for extra in text.extras:
            found |= _foundations(extra)
    return found


def _misused(source: Source, modules: Mapping[str, syntax.Module]) -> Iterator[Diagnostic]:
    """Variants without a base, and files that are no variants of the same game."""
    roots = {text.text: _root(text) for text in source.all}
    for text in source.all:
        module = modules[text.text]
        if module.variant is not None and text.base is None:
            yield Diagnostic("X805", "the base of this variant is not known", module.variant.bases[0].span)
    for extra in (e for text in source.all for e in text.extras):
        variant = modules[extra.text].variant
        if variant is None:
            start = modules[extra.text].declarations[0].span
            line = evolve(start, end=start.start + len(start.text.split("\n", 1)[0]))
            yield Diagnostic("X806", f"{extra.name} is not a variant", line, "only variants are used with another file")
        elif roots[extra.text].text != roots[source.text].text:
            told = f"{roots[extra.text].name} is not {roots[source.text].name}"
            yield Diagnostic("X806", "this is a variant of another game", variant.bases[0].span, told)


def _root(source: Source) -> Source:
    return source if source.base is None else _root(source.base)


def compile_source(
    source: Source,
    params: Mapping[str, Any],
    seats: int | None,
    without: Collection[Span] = (),
    scenarios: Collection[str] | None = None,
) -> tuple[core.Program, tuple[Diagnostic, ...]]:
    """A specialised program and the warnings about it; `without` and `scenarios` as for `load_source`.

    Raises:
        RulesFileError: the program has errors.
    """
    from rulesdsl import digest
    from rulesdsl.checking.check import check
    from rulesdsl.variants.clauses import places_of

    composition = compose_source(source, without)
    module = composition.module if scenarios is None else with_scenarios(composition.module, scenarios)
    checked = check(source, module, params, seats, digest.program_digest(module))
    if checked.program is None:
        raise RulesFileError(blamed(checked.diagnostics, composition))
    return evolve(checked.program, clauses=digest.clauses(module), places=places_of(module)), checked.diagnostics


def with_scenarios(module: syntax.Module, titles: Collection[str]) -> syntax.Module:
    """A tree with only some of its scenarios."""
    kept = (d for d in module.declarations if not isinstance(d, syntax.Scenario) or d.text.text in titles)
    return evolve(module, declarations=tuple(kept))


# ---------------------------------------------------------------- the whole check of a file


def check_source(source: Source) -> tuple[Diagnostic, ...]:
    """Everything that can be said about a text: with the defaults, every number of players, each parameter's end values, and
    the settings of each scenario. The first of them with mistakes tells them; a warning holds for all."""
    from rulesdsl.checking.check import check
    from rulesdsl.checking.partial import beside
    from rulesdsl.checking.usage import UNUSED
    from rulesdsl.parsing.docs import idle_citations

    composition, problems = composed(source)
    if composition is None:
        others = beside(source, problems) if len(source.all) == 1 else []
        return tuple(in_order([*problems, *others]))
    module = composition.module
    checked = check(source, module, {}, None)
    if checked.program is None:
        return tuple(in_order(_told(source, composition, checked.diagnostics)))
    warnings = list(checked.diagnostics)
    for settings, seats in other_settings(module, checked.program):
        other = check(source, module, settings, seats)
        if other.program is None:
            shown = ", ".join(_shown(checked.program, settings, seats))
            errors = [evolve(d, hints=(*d.hints, f"with {shown}")) for d in other.diagnostics if d.is_error]
            kept = [w for w in warnings if w.code not in UNUSED]
            return tuple(in_order(_told(source, composition, [*kept, *errors])))
        warnings = [d for d in warnings if d in other.diagnostics]
    warnings += [found for text in source.all for found in idle_citations(parse_text(text))]
    return tuple(in_order(_told(source, composition, warnings)))


def _told(source: Source, composition: Composition, found: Sequence[Diagnostic]) -> Sequence[Diagnostic]:
    """What is said about a program: with variants, whose mistakes they are, and no warnings about the base's text.

    Mistakes that the base has by itself are told as the base's.
    """
    variants = [text for text in source.all if bases_of(text.text)]
    if not variants:
        return found
    own = {text.name for text in variants}
    foreign = [d for d in found if d.span.source.name not in own and d.is_error]
    wrong = [d for d in check_source(_root(source)) if d.is_error] if foreign else []
    if wrong:
        return wrong
    made = blamed([d for d in found if d.is_error or d.span.source.name in own], composition)
    names = " and ".join(f"`{variant_named(text.text)}`" for text in variants)
    alone = f"{_root(source).name} has no such mistake by itself: it comes from {names}"
    labelled = [any(label.span.source.name in own for label in d.labels) or d.span.source.name in own for d in made]
    return [d if told else evolve(d, hints=(*d.hints, alone)) for d, told in zip(made, labelled, strict=True)]


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
    """The different settings of a program's scenarios, that of the defaults first; what is set to its default is left out."""
    found: list[tuple[dict[str, Any], int | None]] = [({}, None)]
    for decl in module.declarations:
        if isinstance(decl, syntax.Scenario):
            settings = scenario_setting(decl, module, program)
            if settings not in found:
                found.append(settings)
    return found


def scenario_setting(
    decl: syntax.Scenario, module: syntax.Module, program: core.Program
) -> tuple[dict[str, Any], int | None]:
    """The parameters (in internal form) and the number of seats that a scenario asks for, as far as they are not the defaults."""
    from rulesdsl.checking.scenarios import literal, settings_of

    kinds = {name: kind for name, kind, _ in program.parameters}
    usual = {name: value for name, _, value in program.parameters}
    settings: dict[str, Any] = {}
    seats = None
    for name, node in settings_of(decl).items():
        value = literal(node, kinds.get(name))
        if name == "players":
            seats = value if value != seat_counts(module)[0] else None
        elif value is not None and value != usual.get(name):
            settings[name] = value
    return settings, seats


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


__all__ = [
    "LoadedProgram", "bases_of", "check_source", "compose_source", "contains", "load", "load_source", "parse_source", "parse_text",
    "read_source", "read_text", "seat_counts", "variant_named",
]  # fmt: skip
