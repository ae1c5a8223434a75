"""The scenarios of a base under its variants.

A variant keeps what the base's scenarios show, or it says so: it replaces a scenario or removes it. One that fails without
such a word is an undeclared change, and the change of the variant that makes it fail is found by undoing one after the other.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from functools import cached_property
from pathlib import Path

from attrs import evolve, frozen

from interpreter.rules import Rules
from playtest.scenarios import Result, run_scenario
from rulesdsl import program, syntax
from rulesdsl.diagnostics import RulesFileError, Source, Span
from rulesdsl.variants.composition import Override
from rulesdsl.variants.deltas import SIDES, key_name

MOST_DELTAS = 60
"""Of variants with more changes it is not said which one makes a scenario fail: the search would take minutes."""


Delta = tuple[Override, ...]
"""What one delta of a variant does."""


@frozen
class Cause:
    """What makes a scenario fail: the delta that passes it when it is undone, with what it does. `alone`: this suffices.

    No delta does where the scenario fails in the base, too; `base` is its file then, and `overrides` is empty.
    """

    overrides: tuple[Override, ...]
    alone: bool = True
    base: str = ""

    @property
    def override(self) -> Override | None:
        return self.overrides[0] if self.overrides else None

    def __str__(self) -> str:
        override = self.override
        if override is None:
            return f"it fails in {self.base} already, without this variant"
        kind, *names = override.key
        name = f"what comes {kind} {'.'.join(names)}" if kind in SIDES else key_name(override.key)
        verb = f"is {override.kind}"
        if len(self.overrides) > 1:
            name, verb = f"{name} and {len(self.overrides) - 1} more", f"are {override.kind}"
        others = "" if self.alone else ", together with other changes of the variant"
        return f"because {name} {verb} ({override.delta.source.name}:{override.delta.line}){others}"


@frozen(slots=False)
class Tested:
    """The scenarios of a program, and what has become of those of its base (none, if it is no variant).

    `replaced` and `removed` are the titles of the base's scenarios that the variants declare to be others, or gone.
    """

    results: tuple[Result, ...]
    base: tuple[str, ...]
    replaced: tuple[str, ...]
    removed: tuple[str, ...]
    causes: dict[str, Cause]

    @cached_property
    def kept(self) -> tuple[Result, ...]:
        """How the base's scenarios went, those that the variants leave as they are."""
        changed = {*self.replaced, *self.removed}
        return tuple(result for result in self.results if result.text in self.base and result.text not in changed)

    @property
    def own(self) -> tuple[Result, ...]:
        """How the others went: the variants' own, and all of a game's."""
        return tuple(result for result in self.results if result not in self.kept)

    @property
    def failed(self) -> tuple[Result, ...]:
        return tuple(result for result in self.results if not result.passed)


def below(source: Source) -> Source | None:
    """What a text with its variants is measured against: without the variants used with it, or its base."""
    return evolve(source, extras=()) if source.extras else source.base


def run_tests(source: Source, text: str | None = None, base: Source | None = None) -> Tested:
    """Run the scenarios of a program, those of its base included.

    Args:
        text: only scenarios with this in their title.
        base: what counts as the base; what `below` says if not given.
    Raises:
        RulesFileError: the program has mistakes.
    """
    scenarios = _scenarios(program.parse_source(source))
    base = base or below(source)
    earlier = {} if base is None else _scenarios(program.parse_source(base))
    wanted = [title for title in scenarios if text is None or text.lower() in title.lower()]
    results = _run(source, wanted)
    tested = Tested(
        tuple(results[title] for title in wanted if title in results),
        tuple(earlier),
        tuple(t for t, decl in earlier.items() if t in scenarios and scenarios[t].span != decl.span),
        tuple(t for t in earlier if t not in scenarios),
        {},
    )
    undeclared = [result.text for result in tested.kept if not result.passed]
    return evolve(tested, causes=find_causes(source, undeclared, base)) if undeclared else tested


def _scenarios(module: syntax.Module) -> dict[str, syntax.Scenario]:
    return {decl.text.text: decl for decl in module.declarations if isinstance(decl, syntax.Scenario)}


def _run(source: Source, wanted: Collection[str], without: Sequence[Span] = ()) -> dict[str, Result]:
    """The results of some scenarios, each under its settings, by title.

    Raises:
        RulesFileError: the program has mistakes.
    """
    module = program.with_scenarios(program.compose_source(source, without).module, wanted)
    some = wanted if without else None  # other scenarios may name what is left out
    first = program.load_source(source, without=without, scenarios=some)
    found: dict[str, Result] = {}
    for settings, seats in program.scenario_settings(module, first.program):
        loaded = first
        if settings or seats is not None:
            loaded = program.load_source(source, settings, seats, without, scenarios=some)
        rules = Rules(loaded)
        for scenario in loaded.program.scenarios:
            if scenario.text in wanted and scenario.text not in found:
                found[scenario.text] = run_scenario(rules, scenario)
    return found


def find_causes(source: Source, failed: Sequence[str], base: Source | None) -> dict[str, Cause]:
    """For each scenario that fails, the smallest delta whose undoing makes it pass; where no single one does, the first with
    which it fails as they are done one after the other. A scenario that fails in the base has no such cause.

    Each delta that is undone is another program to compile, so of a variant with more than `MOST_DELTAS` no cause is sought.
    """
    deltas = list(_deltas(source, base))
    causes: dict[str, Cause] = {}
    waiting = dict.fromkeys(failed)
    if base is not None:
        sound = _passing(base, failed, ()) or []
        causes |= {title: Cause((), base=Path(base.name).name) for title in failed if title not in sound}
        waiting = dict.fromkeys(sound)
    if len(deltas) > MOST_DELTAS:
        return causes
    needed: list[Delta] = []
    for delta in sorted(deltas, key=lambda overrides: len(overrides[0].delta.text)):
        passing = _passing(source, waiting, [delta[0].delta])
        if passing is None:
            needed.append(delta)
        for title in passing or ():
            causes[title] = Cause(delta)
            del waiting[title]
    return causes | _one_by_one(source, list(waiting), deltas, needed)


def _one_by_one(
    source: Source, waiting: list[str], deltas: Sequence[Delta], needed: Sequence[Delta]
) -> dict[str, Cause]:
    """The delta with which each scenario fails as they are done one after the other, each as soon as there is a program with it:
    one may name what another adds. `needed`: those without which there is no program; such a one suffices if it does so
    by itself.
    """
    causes: dict[str, Cause] = {}
    done: list[Delta] = []
    ahead = list(deltas)
    while waiting and ahead:
        before = len(done)
        for delta in ahead:
            passing = _passing(source, waiting, _places(deltas, [*done, delta]))
            if passing is None:
                continue
            done.append(delta)
            failing = [title for title in waiting if title not in passing]
            if failing:
                alone = _passing(source, failing, _places(deltas, [delta])) if delta in needed else failing
                causes |= {title: Cause(delta, alone is not None and title not in alone) for title in failing}
                waiting = passing
        ahead = [delta for delta in ahead if delta not in done]
        if len(done) == before:
            break
    return causes | {title: Cause(ahead[0], alone=False) for title in waiting if ahead}


def _places(deltas: Sequence[Delta], done: Sequence[Delta]) -> list[Span]:
    """Where the deltas stand that are not done."""
    return [delta[0].delta for delta in deltas if delta not in done]


def _deltas(source: Source, base: Source | None) -> Iterator[Delta]:
    """What the variants do that are not part of the base, delta by delta; what is done to scenarios changes no other."""
    known = set() if base is None else {item.name for item in base.all}
    found: dict[tuple[str, int], list[Override]] = {}
    for override in program.compose_source(source).overrides:
        if override.key[0] != "scenario" and override.delta.source.name not in known:
            found.setdefault((override.delta.source.name, override.delta.start), []).append(override)
    return (tuple(overrides) for overrides in found.values())


def _passing(source: Source, titles: Collection[str], without: Sequence[Span]) -> list[str] | None:
    """The scenarios that pass when some deltas are left out; None where the rest does not make a program."""
    if not titles:
        return []
    try:
        results = _run(source, titles, without)
    except RulesFileError:
        return None
    return [title for title in titles if title in results and results[title].passed]
