"""Coverage of rules: what scenarios and random games have come to in a rules file, by name.

A clause was reached, a guard was seen to hold and to refuse, a condition was seen true and false, a section of the rulebook
is cited by a clause that was reached: what of this is missing is told. All counts come from instrumented programs
(`rulesdsl.points`), one for each setting of the scenarios and for each number of players in random games.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping

from attrs import define, evolve, field, frozen

from interpreter.game import Game
from interpreter.rules import Rules
from playtest import rulebook
from playtest.fuzz import Failure, Plan, Result, played
from playtest.rulebook import Citation, Rulebook, Section
from playtest.scenarios import run_scenario
from rulesdsl import core, points, program
from rulesdsl.diagnostics import Source
from rulesdsl.points import ANSWER, BRANCH, CLAUSE, DRAW, GUARD, LOOP, OTHERWISE, PASS, Point
from rulesdsl.rulebooks import rulebooks_named

GAMES = 100


@frozen
class Missing:
    """Something that is not covered. `kind` is "not reached", "one way only", "stale remark", "no rulebook",
    "uncited" or "unknown section"."""

    kind: str
    what: str
    place: str


@define
class Counts:
    """How often a point was come to: by random games, and by which scenarios."""

    fuzz: int = 0
    scenarios: Counter[str] = field(factory=Counter)

    @property
    def total(self) -> int:
        return self.fuzz + sum(self.scenarios.values())


@frozen(slots=False)
class Coverage:
    """What was come to in a program. `cites`: what cites sections of the rulebooks; `below`: what does so in the bases, also
    where the variant has put something else in its place. `games`: random games that were played, for all numbers of players together; `failed`:
    scenarios that do not pass; `failure`: a law that a random game broke."""

    source: Source
    counts: Mapping[Point, Counts]
    books: tuple[Rulebook, ...]
    cites: tuple[Citation, ...]
    below: tuple[Citation, ...]
    scenarios: tuple[str, ...]
    games: int
    failed: tuple[str, ...] = ()
    failure: Failure | None = None

    @property
    def sections(self) -> dict[str, Section]:
        return rulebook.sections_of(self.books)

    @property
    def files(self) -> tuple[Source, ...]:
        """The rules files that take part, the base first."""
        return self.source.all

    def missing(self) -> list[Missing]:
        """Everything that is not covered, by kind and place."""
        found = [*self._points(), *self._sections()]
        kinds = ("not reached", "one way only", "stale remark", "no rulebook", "uncited", "unknown section")
        return sorted(found, key=lambda item: kinds.index(item.kind))

    # ------------------------------------------------------------ points

    def _points(self) -> Iterator[Missing]:
        for point, count in self.counts.items():
            if count.total and remarked(point):
                outcome = "reached" if point.outcome is None else str(point.outcome).lower()
                yield Missing(
                    "stale remark", f"{point.clause}: `{snippet(point)}` is {outcome} all the same", point.place
                )
        dead = {point.clause for point, count in self.counts.items() if point.kind == CLAUSE and not count.total}
        for point, count in self.counts.items():
            if count.total:
                continue
            if remarked(point):
                continue
            if point.kind == CLAUSE:
                yield Missing(
                    "not reached",
                    f"{point.clause} {_VERBS.get(point.clause.split(' ')[0], 'is never reached')}",
                    point.place,
                )
            elif self._inside(point) not in dead and not self._other_is_missing(point):
                yield Missing(*self._told(point), point.place)

    def _inside(self, point: Point) -> str:
        """The clause that a point stands in; of a guard, its action."""
        return f"action {point.clause.removeprefix('require ').split('.')[0]}" if point.kind == GUARD else point.clause

    def _other_is_missing(self, point: Point) -> bool:
        """Whether both outcomes of a condition are missing, and this is the second: then it is told once."""
        return point.outcome is False and not self._other(point).total

    def _other(self, point: Point) -> Counts:
        other = Point(point.kind, point.clause, point.span, not point.outcome)
        return self.counts.get(other) or Counts()

    def _told(self, point: Point) -> tuple[str, str]:
        """The kind, and in words what is missing about a point that was not come to."""
        text = snippet(point)
        if point.kind in (GUARD, BRANCH) and not self._other(point).total:
            name = point.clause if point.kind == GUARD else f"{point.clause}: `{text}`"
            return "not reached", f"{name} is never {'asked' if point.kind == GUARD else 'decided'}"
        if point.kind == GUARD:
            return "one way only", f"{point.clause} {'never holds' if point.outcome else 'never refuses'}"
        if point.kind == BRANCH:
            return "one way only", f"{point.clause}: `{text}` is never {'true' if point.outcome else 'false'}"
        return "not reached", f"{point.clause}: {_SAID[point.kind].format(text)}"

    # ------------------------------------------------------------ sections

    def _sections(self) -> Iterator[Missing]:
        for book in rulebooks_named(self.source):
            if not book.path.is_file():
                yield Missing("no rulebook", f"there is no file {book.name}", book.span.place.rpartition(":")[0])
        cited = [number for cite in (*self.cites, *self.below) for number in cite.sections if not cite.is_scenario]
        for section in rulebook.uncited(self.sections, cited):
            yield Missing("uncited", section.name, f"{section.file}:{section.line}")
        if self.books:
            for cite, number in rulebook.unknown(self.sections, self.cites):
                yield Missing(
                    "unknown section", f"{cite.name} cites §{number}, which no rulebook has", f"{cite.file}:{cite.line}"
                )

    def citing(self, number: str) -> list[Citation]:
        """The clauses and scenarios that cite a section."""
        return [cite for cite in self.cites if number in cite.sections]

    def exercised(self, number: str) -> tuple[list[str], int]:
        """The scenarios that cite a section or come to a clause that does, and how often random games came to one."""
        cites = self.citing(number)
        titles = {cite.name.removeprefix("scenario ").strip('"') for cite in cites if cite.is_scenario}
        games = 0
        names = {cite.name for cite in cites}
        for point, count in self.counts.items():
            if point.clause in names and point.kind in (CLAUSE, GUARD):
                titles |= set(count.scenarios)
                games = max(games, count.fuzz)
        return [title for title in self.scenarios if title in titles], games


_VERBS = {
    "def": "is never called", "event": "never happens", "action": "is never performed", "flow": "is never run",
    "step": "is never begun", "measure": "is never measured", "invariant": "is never looked at", "transition": "is never looked at",
}  # fmt: skip
_SAID = {
    LOOP: "`{0}` has no turn", ANSWER: "nobody answers with `{0}`", PASS: "nobody passes `{0}`", DRAW: "`{0}` is never drawn",
    OTHERWISE: "`{0}` never comes to its `otherwise`",
}  # fmt: skip


def remarked(point: Point) -> bool:
    """Whether a remark at the end of the point's line says that this cannot happen: `# never false: ...`, `# never reached: ...`."""
    word = "reached" if point.outcome is None else str(point.outcome).lower()
    return re.search(rf"#[ ]*never {word}: *\S", point.span.source.line(point.span.line)) is not None


def snippet(point: Point) -> str:
    """The text of a point on one line, as much as is needed to know it."""
    text = re.sub(r"\s+", " ", point.span.text.split(":\n")[0])
    return text if len(text) <= 60 else text[:57] + "..."


def cover(
    game: Game,
    games: int = GAMES,
    seed: int = 0,
    seconds: float | None = None,
    jobs: int = 1,
    play: Callable[[Rules, Plan], Result] = played,
) -> Coverage:
    """Run all scenarios of a game, and random games for each number of players; count what they come to.

    Args:
        games: random games for each number of players; 0: scenarios only.
        seconds: at most so long for each number of players; then the result depends on how fast the machine is.
        jobs: how many processes play the random games; the result is the same.
        play: plays them, for callers who want to know how far it is.
    Raises:
        RulesFileError: the rules have mistakes.
    """
    module = program.parse_source(game.source)
    counts: dict[Point, Counts] = {}
    titles, failed = [], []
    for params, seats in program.scenario_settings(module, game.program()):
        loaded = program.load_source(game.source, params, seats, instrumented=True)
        rules = Rules(loaded)
        for scenario in rules.program.scenarios:
            if scenario.text in titles:
                continue
            titles.append(scenario.text)
            points.reset(loaded)
            passed = run_scenario(rules, scenario).passed
            failed += [] if passed else [scenario.text]
            tried = _tried(loaded.points, scenario) if passed else ()
            for point, number in (*points.reached(loaded).items(), *tried):
                count = counts.setdefault(point, Counts())
                if number:
                    count.scenarios[scenario.text] += number
    plan = Plan(games, seed, seconds, rechecked=0, logs=False, counted=1, jobs=jobs)
    results = [play(game.rules(seats), plan) for seats in (game.counts if games else ())]
    for result in results:
        for point, times in result.times.items():
            counts.setdefault(point, Counts()).fuzz += times
    return Coverage(
        game.source,
        dict(sorted(counts.items(), key=lambda item: _order(game.source, item[0]))),
        tuple(rulebook.rulebooks_of(game.source)),
        (*rulebook.citations(module), *rulebook.changes_citing(game.source)),
        tuple(_below(game.source)),
        tuple(titles),
        sum(result.games for result in results),
        tuple(failed),
        next((result.failure for result in results if result.failure is not None), None),
    )


def _below(source: Source) -> Iterator[Citation]:
    """What cites sections in the bases of a variant."""
    bases = [source] if source.extras else []
    if source.base is not None:
        bases = [source.base, *source.base.extras]
    for base in (evolve(one, extras=()) for one in bases):
        yield from rulebook.citations(program.parse_source(base))
        yield from _below(base)


def _order(source: Source, point: Point) -> tuple[int, int, int, str, bool]:
    files = [text.name for text in source.all]
    place = files.index(point.span.source.name) if point.span.source.name in files else len(files)
    return place, point.span.start, point.span.end, point.kind, point.outcome is False


def _tried(known: tuple[Point, ...], scenario: core.ScenarioInfo) -> Iterator[tuple[Point, int]]:
    """The guards that a scenario's lines show to hold and to refuse: those are looked at without the program."""
    shown: Counter[tuple[str, bool]] = Counter()
    for step in scenario.steps:
        if isinstance(step, core.ScenarioIllegal) and step.by:
            shown[f"require {step.move.action}.{step.by}", False] += 1
        elif isinstance(step, core.ScenarioMove) and step.action:
            shown[step.action, True] += 1
    for point in known:
        if point.kind == GUARD:
            name = point.clause.removeprefix("require ").split(".")[0] if point.outcome else point.clause
            yield point, shown[name, bool(point.outcome)]
