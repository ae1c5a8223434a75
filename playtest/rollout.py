"""One random game with every law checked: the hot loop of fuzzing.

It runs on the generated module itself, on positions in their internal form. Names, logs and matches come in only for a share
of the games (`playtest.recheck`) and when something is broken.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

from attrs import frozen

from playtest.archive import MEASURED_EVERY, Archive, Entry, Measured, Watch, measured
from playtest.failure import Failure, failure
from playtest.laws import FAULT, LEAK, Broken, Laws
from playtest.leaks import leaks_of
from playtest.plies import CHOICE, DRAW, Loaded, Ply, Position, State, choices
from playtest.swarm import Habit, draw
from playtest.swarm import habit as habits
from rulesdsl import runtime
from rulesdsl.program import load_source

MAX_CHOICES = 5_000
MAX_DRAWS = 50_000
LOOKED_AT = 1 / 300


@frozen
class Played:
    """One random game. `choices`: the answers that were given now, after those of the entry that it started from. `end` is its
    last state, None where it was cut short or broken; `cut`: it was given up after `max_choices` answers."""

    plies: tuple[Ply, ...]
    choices: int
    end: State | None
    rechecked: bool = False
    failure: Failure | None = None
    cut: bool = False


class Arena:
    """A program made ready for many games: its laws, and the module on which it is played.

    With an archive games that are counted are played on an instrumented one, made from the same text (`counted`: its laws).
    Positions of either can be played on by the other. Laws are judged on the plain module, and now and then on the
    instrumented one too.
    """

    def __init__(self, loaded: Loaded, archive: bool = False) -> None:
        self.loaded = loaded
        self.laws = Laws(loaded)
        self.laws.leaks = leaks_of(loaded)
        self.counted: Laws | None = None
        self.points: tuple[Any, ...] = ()
        self.measures: tuple[Measured, ...] = ()
        source = getattr(loaded, "source", None)
        if archive and source is not None:
            program = loaded.program
            params = {name: value for name, _, value in program.parameters}
            counted = load_source(source, params, len(program.player.members), instrumented=True)
            self.points = counted.points
            self.counted = Laws(counted, folds=loaded)  # events are counted when they happen
            self.measures = measured(program, loaded.module)

    def watch(self, archive: Archive) -> Watch | None:
        """What keeps what is new in an archive; None where nothing is counted."""
        return Watch(archive, self.counted, self.measures) if self.counted is not None else None

    def play(
        self,
        rng: random.Random,
        habit: Habit | None = None,
        *,
        start: Entry | None = None,
        watch: Watch | None = None,
        counted: bool = True,
        max_choices: int = MAX_CHOICES,
        burst: int | None = None,
        game: int = 0,
    ) -> Played:
        """Play one game and judge every ply.

        Args:
            habit: how moves are chosen; None: uniformly, with fair draws.
            start: where it begins; None: at the start of the game.
            watch: keeps what is new.
            counted: with a watch: whether points are counted; measures are looked at in any case.
            max_choices: the game is given up after so many answers.
            burst: it is left after so many answers from `start`.
        """
        plies: list[Ply] = [] if start is None else list(start.plies)
        began = 0 if start is None else start.choices
        counting = watch if counted else None
        laws = self.laws if counting is None else counting.laws
        try:
            with self.laws.faults(laws.module):
                position = start.position if start is not None else laws.start(runtime.Trace())
                limit = max_choices if burst is None else min(max_choices, began + burst)
                made, end = self._play_on(rng, position, plies, (began, limit, game), habit, watch, counting)
        except Broken as broken:
            made = choices(plies)
            told = self.broken_by(plies) if counting is not None and broken.law == FAULT else None
            why = failure(told or broken, plies, thorough=broken.law == LEAK, game=game)
            return Played(tuple(plies), made - began, None, failure=why)
        if counting is not None and end is not None:
            counting.look_at_end(end)
        return Played(tuple(plies), made - began, end, cut=end is None and made >= max_choices)

    def _play_on(
        self,
        rng: random.Random,
        position: Position,
        plies: list[Ply],
        numbers: tuple[int, int, int],
        habit: Habit | None,
        watch: Watch | None,
        counting: Watch | None,
    ) -> tuple[int, State | None]:
        """Answers until the game is over. Gives the number of answers and the last state (None: cut short)."""
        laws = self.laws
        module = laws.module if counting is None else counting.laws.module
        kind, legal, answer, judge, pick = module.KIND, module.legal, module.answer, laws.judge, rng.random
        trace_of, note = runtime.Trace, plies.append
        made, most, game = numbers
        limit = most if laws.limit is None else min(laws.limit, most)
        measuring = watch is not None and bool(watch.measures)
        state, frame = position
        drawn, leaks = 0, laws.leaks
        secret = random.Random(game)
        looks = secret.random
        while frame is not None:
            trace, looked = trace_of(), False
            if kind[frame[0]] == DRAW:
                drawn += 1
                if drawn > MAX_DRAWS:
                    return made, None
                outcomes = module.outcomes(state, frame)
                if not outcomes:
                    raise laws.nothing_to_draw(state, frame)
                value = draw(outcomes, rng) if habit is None else habit.draw(outcomes, rng)
                looked = leaks is not None and looks() < LOOKED_AT
                note((DRAW, value))
                after, frame = module.drawn(state, frame, value, trace)
            else:
                if made >= limit:
                    if laws.limit is not None and made >= laws.limit:
                        raise laws.endless(state, made)
                    return made, None
                moves = legal(state, frame)
                if not moves:
                    raise laws.dead_end(state, frame)
                if watch is not None and (
                    (measuring and made % MEASURED_EVERY == 0) or (counting is not None and counting.news())
                ):
                    watch.look((state, frame), plies, made)
                looked = leaks is not None and looks() < LOOKED_AT
                if looked:
                    leaks.question(state, frame, moves, secret)
                if habit is not None:
                    move = habit.choose(moves, rng)
                    habit.left -= 1
                    if not habit.left:
                        habit = habits(rng, len(module.ACTIONS))
                else:
                    move = moves[int(pick() * len(moves))]
                note((CHOICE, move))
                made += 1
                after, frame = answer(state, frame, move, trace)
            judge(state, trace, after)
            if counting is not None:
                counting.judge(state, trace, after)
            if looked:
                leaks.events(state, trace, secret)
            state = after
        return made, state

    def broken_by(self, plies: Sequence[Ply]) -> Broken | None:
        """The law that plies break on the plain module, with its lines."""
        try:
            position = self.laws.start(runtime.Trace())
            for ply in plies:
                position = self.laws.step(position, ply, runtime.Trace())
        except Broken as broken:
            return broken
        return None


def game_random(seed: int, game: int) -> random.Random:
    """The random sequence of one game, the same on every machine."""
    return random.Random((seed & 0xFFFFFFFFFFFFFFFF) << 64 | game)


def random_game(laws: Laws, rng: random.Random, *, max_choices: int = MAX_CHOICES, game: int = 0) -> Played:
    """Play one game from the start with uniformly random answers and fair draws, and judge every ply."""
    arena = Arena(laws.loaded)
    arena.laws = laws
    return arena.play(rng, max_choices=max_choices, game=game)
