"""A game: a rules file with parameters, from which matches are made."""

from __future__ import annotations

import difflib
import errno
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from interpreter.embedding import source_of
from interpreter.errors import ValueProblem
from interpreter.file_store import log_file
from interpreter.log import Log
from interpreter.match import Chance, Match
from interpreter.movetext import parse_value
from interpreter.position import Position
from interpreter.recorder import Sink
from interpreter.rules import Rules
from interpreter.store import Durability, Journal
from rulesdsl import program
from rulesdsl.core import Program
from rulesdsl.diagnostics import Source
from rulesdsl.types import Type


def load(path: str | Path, /, *variants: str | Path, **params: Any) -> Game:
    """The game of a rules file. Parameters are given by name, as values (`size=5`) or as text (`size="5"`).

    `variants` are files of variants of the same game, to be used together.

    Raises:
        RulesFileError: the file cannot be used; it holds every mistake that was found.
        ValueProblem: a parameter that the game does not have, or a value that does not fit it.
        OSError: the file cannot be read.
    """
    game = Game(program.read_source(path, variants))
    return game.with_params(**params) if params else game


class Game:
    """A rules file with its parameters fixed. `new` makes a match; programs are specialised, and kept, for each number of players."""

    def __init__(self, source: Source, params: Mapping[str, Any] | None = None) -> None:
        """`params`: values in internal form (`load` and `with_params` take them as people write them).

        Raises:
            RulesFileError: the rules cannot be used.
        """
        self.source = source
        self._others: dict[tuple[tuple[str, Any], ...], Game] = {}
        self._counts: tuple[int, ...] | None = None
        self._values = dict(params or {})
        self._rules: dict[int | None, Rules] = {}
        self._first = self.rules()

    @classmethod
    def from_text(cls, rules: Mapping[str, str]) -> Game:
        """The game of rules that are at hand as text, by file name: the game's own first, then bases and further variants.

        Raises:
            RulesFileError: the rules cannot be used.
        """
        return cls(source_of(rules))

    def with_params(self, **params: Any) -> Game:
        """The same game with other parameters.

        Raises:
            ValueProblem: a parameter that the game does not have, or a value that does not fit it.
            RulesFileError: the rules do not work with these values.
        """
        types = {name: t for name, t, _ in self.program().parameters}
        values = {name: self._parameter(types, name, value) for name, value in params.items()}
        now = {name: value for name, _, value in self.program().parameters}
        if all(now[name] == value for name, value in values.items()):
            return self
        key = tuple(sorted({**self._values, **values}.items()))
        if key not in self._others:
            self._others[key] = Game(self.source, dict(key))
        return self._others[key]

    def _parameter(self, types: Mapping[str, Type], name: str, value: Any) -> Any:
        if name not in types:
            raise ValueProblem("", f"{self.name} has no parameter {name}{_hint(name, types)}")
        codec = self._first.codec
        if isinstance(value, str):
            return parse_value(codec, types[name], value, name)
        return codec.internal(types[name], value, name)

    # ------------------------------------------------------------ what it is

    @property
    def name(self) -> str:
        return self.program().name

    @property
    def title(self) -> str:
        return self.program().title

    @property
    def params(self) -> dict[str, Any]:
        """All parameters with their values, by name."""
        codec = self._first.codec
        return {name: codec.named(t, value) for name, t, value in self.program().parameters}

    @property
    def players(self) -> tuple[int, ...] | tuple[str, ...]:
        """The numbers of players that the game is for, or the names of its seats."""
        counts = self.counts
        return counts if len(counts) > 1 or not self._named else self._first.seats

    @property
    def _named(self) -> bool:
        return self._first.seats[0] != "player0"

    @property
    def counts(self) -> tuple[int, ...]:
        """The numbers of players that the game is for."""
        if self._counts is None:
            low, high = program.seat_counts(program.parse_source(self.source))
            self._counts = tuple(range(low, high + 1))
        return self._counts

    def program(self, players: int | None = None) -> Program:
        """The checked program, specialised for a number of players (None: the fewest)."""
        return self.rules(players).program

    def rules(self, players: int | None = None) -> Rules:
        """The specialised program, ready to be played.

        Raises:
            ValueProblem: the game is not for so many.
        """
        found = self._rules.get(players)
        if found is None:
            if players is not None:
                self._check_players(players)
            found = self._rules[players] = Rules(program.load_source(self.source, self._values, players))
            self._rules.setdefault(len(found.seats), found)
        return found

    def _check_players(self, players: int) -> None:
        counts = self.counts
        if players not in counts:
            numbers = f"{counts[0]} to {counts[-1]}" if len(counts) > 1 else str(counts[0])
            raise ValueProblem("players", f"{self.name} is for {numbers}, not for {players}")

    # ------------------------------------------------------------ matches

    def new(
        self,
        players: int | Sequence[str] | None = None,
        seed: str | int | None = None,
        human: str | Iterable[str] = (),
        *,
        checks: bool = False,
        chance: Chance | str | None = None,
        log: str | Path | Sink | None = None,
        durability: Durability = "each",
        embed: bool = True,
    ) -> Match:
        """A new match, set up to its first question.

        Args:
            players: how many (None: the fewest), or the names of all seats.
            seed: chooses outcomes as they are first drawn; None takes one that nobody can guess.
            human: the seats of people; with several, undo stops at draws, at others' answers and at what was shown.
            checks: look at invariants and transitions around every event.
            chance: chooses outcomes instead of the seed: a function from the question to an outcome, or `ASK`.
            log: a file to make and append to, a `Journal` of a store, or another `Sink`.
            durability: for a log file, when an answer is on the disk: see `Durability`.
            embed: put the text of the rules into the log.

        Raises:
            ValueProblem: a number or a name that does not fit the game.
            RulesError: the rules fail during the set-up.
            FileExistsError: the log file, or a match of that name in the store, is there already.
            OSError: it cannot be written.
        """
        rules = self._seated(players)
        humans = [human] if isinstance(human, str) else list(human)
        for name in humans:
            rules.seat(name)
        sink = log_file(log, durability) if isinstance(log, (str, Path)) else log
        if isinstance(sink, Journal) and sink.lines(0, 1):
            raise FileExistsError(errno.EEXIST, "there is a log already", str(sink))
        return Match(rules, seed=seed, humans=humans, checks=checks, chance=chance, sink=sink, embed=embed)

    def start(self, players: int | Sequence[str] | None = None, seed: str | int | None = None) -> Position:
        """The first position, without a match: for search and learning. It rests at the first draw or question.

        Args:
            players: as in `new`.
            seed: make the draws of the set-up as a match of this seed makes them, and rest at the first question.

        Raises:
            ValueProblem: a number or names that do not fit the game.
            RulesError: the rules fail during the set-up.
        """
        position = Position.first(self._seated(players))
        return position if seed is None else position.settled(seed)

    def _seated(self, players: int | Sequence[str] | None) -> Rules:
        rules = self.rules(self._count(players))
        if players is not None and not isinstance(players, int) and tuple(players) != rules.seats:
            raise ValueProblem("players", f"the seats are {', '.join(rules.seats)}")
        return rules

    @staticmethod
    def _count(players: int | Sequence[str] | None) -> int | None:
        return players if players is None or isinstance(players, int) else len(tuple(players))

    def resume(self, log: Log, path: str | Path | Sink | None = None, *, checks: bool = False) -> Match:
        """The match of a log, to be continued; in the file or the journal that the log was read from, if `path` names it.

        Raises:
            LogError: the log does not belong to these rules.
            OSError: the file cannot be opened.
        """
        sink = log_file(path) if isinstance(path, (str, Path)) else path
        return Match.from_log(log, self, checks=checks, sink=sink)

    def __repr__(self) -> str:
        return f"<Game {self.name} for {self.players}, {self.params}>"


def _hint(name: str, known: Iterable[str]) -> str:
    known = list(known)
    meant = difflib.get_close_matches(name, known, n=1)
    if meant:
        return f"; did you mean {meant[0]}?"
    return f": it has {', '.join(known)}" if known else ": it has none"
