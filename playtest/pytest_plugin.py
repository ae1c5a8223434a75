"""The pytest plugin: rules files and logs of games are collected as tests, without any Python code.

A `.rules` file has an item `check`, an item for each scenario under its title, and an item `fuzz` for each number of players,
in which random games are played and every law is looked at. A log is one item, `replay`: it is verified under the rules that
lie beside it or above it. Everything is imported when it is needed, so that a project without rules pays nothing.
"""

from __future__ import annotations

import fnmatch
import json
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from playtest.folders import FOUND, FUZZ

if TYPE_CHECKING:
    from interpreter.game import Game
    from interpreter.rules import Rules
    from playtest.fuzz import Failure, Result
    from rulesdsl import syntax
    from rulesdsl.diagnostics import Source

GAMES = 25
LOG_START = b'{"format":"rulesdsl-log/'
FOUND_START = b"# Found by trying the rules: "
MARKERS = {
    "rules": "anything collected from rules files and logs of games",
    "rules_check": "the check of a rules file",
    "rules_scenario": "a scenario of a rules file",
    "rules_fuzz": "random games of a rules file, with every law looked at",
    "rules_log": "a log of a game, verified under the present rules",
}


def pytest_addoption(parser: pytest.Parser) -> None:
    """The options of the plugin; each has its like in the configuration file."""
    group = parser.getgroup("rules", "games written in rules files")
    group.addoption("--rules-games", type=_count, metavar="N", help="random games in each fuzz item; 0: no fuzz items")
    group.addoption("--rules-seed", type=int, metavar="N", help="the seed of the random games")
    group.addoption("--rules-out", metavar="DIR", help="where games that break a law are written")
    parser.addini(
        "rules_files", "which files are collected, as patterns of their paths", "args", ["*.rules", "*.jsonl"]
    )
    parser.addini("rules_games", "random games in each fuzz item; 0: no fuzz items", default=str(GAMES))
    parser.addini("rules_seed", "the seed of the random games", default="0")
    parser.addini("rules_out", "where games that break a law are written", default=FUZZ)


def _count(text: str) -> int:
    if not text.isdecimal():
        raise pytest.UsageError(f"the number of random games is 0 or more, not {text!r}")
    return int(text)


def pytest_configure(config: pytest.Config) -> None:
    """Makes the markers known."""
    for name, meaning in MARKERS.items():
        config.addinivalue_line("markers", f"{name}: {meaning}")


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.File | None:
    """Rules files and logs of games, apart from what `rules_files` leaves out and from what was found by playing them."""
    if file_path.suffix not in (".rules", ".jsonl") or not _wanted(file_path, parent.config):
        return None
    with file_path.open("rb") as file:
        first = file.readline()
    if file_path.suffix == ".rules":
        return None if first.startswith(FOUND_START) else RulesFile.from_parent(parent, path=file_path)
    if not first.startswith(LOG_START) or _without_rules(first):
        return None
    return LogFile.from_parent(parent, path=file_path)


def _without_rules(header: bytes) -> bool:
    """Whether a log carries no rules, as those of a corpus: games to play again, which need not come out as they did."""
    try:
        return not json.loads(header).get("rules")
    except ValueError:
        return False


def _wanted(path: Path, config: pytest.Config) -> bool:
    root, out = config.rootpath, Path(str(_setting(config, "rules_out")))
    if path.is_relative_to(root / out) or (path.suffix == ".jsonl" and path.parent.name in FOUND | {out.name}):
        return False
    name = (path.relative_to(root) if path.is_relative_to(root) else path).as_posix()
    return any(fnmatch.fnmatchcase(name, pattern) for pattern in config.getini("rules_files"))


def _setting(config: pytest.Config, name: str) -> Any:
    """An option, or what the configuration file says."""
    given = config.getoption(name)
    return config.getini(name) if given is None else given


class RulesFile(pytest.File):
    """A rules file. What is in it is known when its text parses; whatever else is wrong with it is told by its items."""

    @cached_property
    def source(self) -> Source:
        """The text under the name that messages give it."""
        from rulesdsl.program import read_source

        return _named(read_source(self.path), self.config.rootpath)

    @cached_property
    def module(self) -> syntax.Module:
        from rulesdsl.program import parse_source

        return parse_source(self.source)

    @cached_property
    def game(self) -> Game:
        from interpreter.game import Game

        return Game(self.source)

    def collect(self) -> Iterator[pytest.Item]:
        """The check, the scenarios, random games."""
        from rulesdsl import syntax
        from rulesdsl.diagnostics import RulesFileError
        from rulesdsl.program import seat_counts

        try:
            module = self.module
        except RulesFileError as error:
            raise self.CollectError(str(error)) from None
        yield CheckItem.from_parent(self, name="check")
        for decl in module.declarations:
            if isinstance(decl, syntax.Scenario):
                yield ScenarioItem.from_parent(self, name=decl.text.text, decl=decl)
        games = _count(str(_setting(self.config, "rules_games")))
        low, high = seat_counts(module)
        for seats in range(low, high + 1) if games else ():
            name = "fuzz" if low == high else f"fuzz with {seats} players"
            yield FuzzItem.from_parent(self, name=name, seats=seats, games=games)


def _named(source: Source, root: Path) -> Source:
    """A text with its bases, called as seen from the root of the project."""
    from attrs import evolve

    path = Path(source.name)
    name = path.relative_to(root).as_posix() if path.is_relative_to(root) else source.name
    base = None if source.base is None else _named(source.base, root)
    return evolve(source, name=name, base=base, extras=tuple(_named(extra, root) for extra in source.extras))


class Told(Exception):
    """A failure that is told in the words of the language; where in the code it was found does not matter."""


class RulesItem(pytest.Item):
    """An item of a rules file or a log. `line` is where it stands, counted from 1."""

    kind = "rules"
    line = 1

    def __init__(self, **more: Any) -> None:
        super().__init__(**more)
        self.add_marker("rules")
        self.add_marker(self.kind)

    @property
    def rules_file(self) -> RulesFile:
        assert isinstance(self.parent, RulesFile)
        return self.parent

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """What is wrong, as the commands say it. The mistakes of a file are shown once, by its check."""
        from rulesdsl.diagnostics import RulesFileError

        if not isinstance(excinfo.value, (Told, RulesFileError)):
            return super().repr_failure(excinfo, style)
        told = str(excinfo.value)
        if isinstance(excinfo.value, RulesFileError) and isinstance(self, (ScenarioItem, FuzzItem)):
            first = excinfo.value.diagnostics[0]
            told = (
                "not run, since the file has mistakes: its item `check` shows them\n"
                f"{first.span.source.name}:{first.span.line}: error[{first.code}]: {first.title}"
            )
        shown = pytest.ExceptionInfo.from_exc_info((Told, Told(told), excinfo.tb)).getrepr(style="value", chain=False)
        if (crash := shown.reprcrash) is not None:  # what summaries of one line say, in every environment
            crash.path, crash.lineno, crash.message = str(self.path), self.line, told.splitlines()[0]
        return shown

    def reportinfo(self) -> tuple[Path, int, str]:
        """Where the item stands, counted from 0, and what it is called."""
        return self.path, self.line - 1, self.name


class CheckItem(RulesItem):
    """`rulesdsl check`: with the defaults, every number of players, the ends of parameters, the settings of scenarios."""

    kind = "rules_check"

    def runtest(self) -> None:
        """Fails with every mistake of the file; warnings are warnings."""
        from rulesdsl.diagnostics import RulesFileError, render
        from rulesdsl.program import check_source

        found = check_source(self.rules_file.source)
        if any(item.is_error for item in found):
            raise RulesFileError(found)
        for item in found:
            self.warn(pytest.PytestWarning("\n" + render([item])))


class ScenarioItem(RulesItem):
    """A scenario of a file; for a variant, also of its base."""

    kind = "rules_scenario"

    def __init__(self, decl: syntax.Scenario, **more: Any) -> None:
        super().__init__(**more)
        self.decl = decl
        own = decl.span.source.name == self.rules_file.source.name
        self.line = decl.text.span.line if own else 1

    def runtest(self) -> None:
        """Fails as `rulesdsl test` tells it; under a variant also with the change that makes it fail."""
        from playtest.changes import run_tests
        from playtest.scenarios import run_scenario
        from rulesdsl.program import scenario_setting

        game = self.rules_file.game
        params, seats = scenario_setting(self.decl, self.rules_file.module, game.program())
        rules = (type(game)(game.source, params) if params else game).rules(seats)
        found = [scenario for scenario in rules.program.scenarios if scenario.text == self.name]
        if not found:
            raise Told("this scenario was not run: its `with` lines must give known values")
        result = run_scenario(rules, found[0])
        if result.failure is None:
            return
        lines = [str(result.failure)]
        if self.rules_file.source.base is not None:
            cause = run_tests(game.source, self.name).causes.get(self.name)
            lines += [str(cause)] if cause is not None else []
        raise Told("\n".join(lines))


class FuzzItem(RulesItem):
    """Random games with every law looked at, for one number of players."""

    kind = "rules_fuzz"

    def __init__(self, seats: int, games: int, **more: Any) -> None:
        super().__init__(**more)
        self.seats = seats
        self.games = games

    def runtest(self) -> None:
        """Fails with the smallest game that breaks the law, its log and a scenario to paste."""
        from playtest.fuzz import fuzz
        from playtest.logs import LogLaw

        rules = self.rules_file.game.rules(self.seats)
        result = fuzz(rules, games=self.games, seed=int(_setting(self.config, "rules_seed")), logs=LogLaw(rules))
        if result.failure is not None:
            raise Told(self._told(rules, result.failure))
        if not result.ended:
            raise Told(_endless(result))

    def _told(self, rules: Rules, failure: Failure) -> str:
        from playtest.logs import LogLaw
        from playtest.report import report, save
        from playtest.shrink import shrink

        small = shrink(rules, failure, logs=LogLaw(rules))
        folder = self.config.rootpath / str(_setting(self.config, "rules_out"))
        here = Path.cwd()
        folder = folder.relative_to(here) if folder.is_relative_to(here) else folder
        told = report(rules, small.failure)
        saved = save(rules, small.failure, folder, f"{self.path.stem}-{self.seats}")
        shrunk = f"shrunk from {small.choices_before} answers to {small.failure.choices}"
        return "\n".join([*told.lines(), shrunk, f"saved   {saved.log}", f"replay  {saved.command}", "", told.scenario])


def _endless(result: Result) -> str:
    from playtest.fuzz import MAX_CHOICES

    given_up = f" ({result.cut:,} given up after {MAX_CHOICES:,} answers)" if result.cut else ""
    return (
        f"no game of {result.games:,} came to its end{given_up}; no law was broken until then\n"
        "see why nobody can end it, or give it more --rules-games"
    )


class LogFile(pytest.File):
    """The log of a game."""

    def collect(self) -> Iterator[pytest.Item]:
        """One item."""
        yield LogItem.from_parent(self, name="replay")


class LogItem(RulesItem):
    """`rulesdsl replay --verify`: every event and digest is what the present rules give, and the events alone say the same."""

    kind = "rules_log"

    def runtest(self) -> None:
        """Fails with the record at which log and rules part, or with why the log is refused."""
        from interpreter.errors import LogError
        from interpreter.log import read_log
        from interpreter.replay import fold, replay

        try:
            log = read_log(self.path)
            game = self._game(log)
            done = replay(log, game, own_rules=game is None, checks=True)
            if done.difference is None:
                fold(log, rules=done.match.rules)
        except LogError as error:
            place = f"record {error.record}: " if error.record is not None and error.record >= 0 else ""
            raise Told(f"refused: {place}{error.what}") from None
        if done.difference is not None:
            parted = done.difference
            lines = [
                f"record {parted.record}: {parted.what}",
                f"  recorded   {parted.expected}",
                f"  now        {parted.got}",
            ]
            raise Told("\n".join(lines))
        if done.fault is not None:
            raise Told(f"the rules fail, as they did then: {done.fault}")

    def _game(self, log: Any) -> Game | None:
        """The rules of the log: files of the names that it gives, in its folder, above it, or in `games` there."""
        from interpreter.embedding import source_of
        from interpreter.game import Game
        from rulesdsl.program import read_source

        source = source_of(log.header.rules)
        names = [source.name, *(extra.name for extra in source.extras)]
        for above in (self.path.parent, *self.path.parent.parents):
            for folder in (above, above / "games", above / "games" / "variants"):
                if all((folder / name).is_file() for name in log.header.rules):
                    return Game(read_source(folder / names[0], [folder / name for name in names[1:]]))
            if above == self.config.rootpath:
                break
        told = (
            f"{', '.join(log.header.rules)} is not beside this log or above it: verified by the rules that it carries"
        )
        self.warn(pytest.PytestWarning(told))
        return None
