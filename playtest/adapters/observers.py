"""What OpenSpiel's observers tell of a state: as text, and as arrays.

| kind | text | arrays |
| --- | --- | --- |
| an observation | the fields, as the seat sees them, and the question, if it is asked | see `arrays` |
| with perfect recall: an information state | all that the seat has seen and done | the observation, and a `story` of the last of it; none where nothing is secret, as OpenSpiel has it |

An observer may be asked for public information alone (a spectator sees), for private information alone (the own entries of
private fields), or for that of all players (a referee sees).
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyspiel

from interpreter import REFEREE, Position
from interpreter.codec import show
from interpreter.memory import remembered
from interpreter.view import Viewer, visible_field
from playtest.adapters.arrays import Arrays
from playtest.adapters.games import Adapted
from playtest.adapters.story import Story
from rulesdsl.core import Program

NOBODY, ALL_PLAYERS = pyspiel.PrivateInfoType.NONE, pyspiel.PrivateInfoType.ALL_PLAYERS


def text_of(position: Position, viewer: Viewer, told: tuple[int, ...] = ()) -> str:
    """The fields as a viewer sees them, the question, if it is the viewer's, and the result."""
    rules, st = position.rules, position.node.st
    lines = [f"{info.name}: {show(visible_field(rules, info, st, viewer))}" for info in rules.program.fields]
    return "\n".join([*lines, *_asked(position, viewer, told)])


def private_text_of(position: Position, viewer: Viewer) -> str:
    """What a seat alone sees of the fields."""
    rules, st = position.rules, position.node.st
    return "\n".join(
        f"{info.name}: {show(visible_field(rules, info, st, viewer)[viewer])}"
        for info in rules.program.fields
        if info.visibility == "private"
    )


def memory_of(position: Position, viewer: Viewer, told: tuple[int, ...] = ()) -> str:
    """All that a viewer has seen and done, and the question, if it is the viewer's."""
    lines = [memory.text for memory in remembered(position.rules, position.node, viewer)]
    return "\n".join([str(viewer), *lines, *_asked(position, viewer, told)])


def _asked(position: Position, viewer: Viewer, told: tuple[int, ...]) -> list[str]:
    if position.outcome is not None:
        return [str(position.outcome)]
    if viewer is not REFEREE and (viewer is None or not position.asks or position.question.seat != viewer):
        return []
    return [str(position.question), *([f"told: {', '.join(map(str, told))}"] if told else [])]


def has_secrets(program: Program) -> bool:
    """Whether anything is private or hidden."""
    fields = any(info.visibility in ("private", "hidden") for info in program.fields)
    return fields or any(param.audience is not None for event in program.events for param in event.params)


class Observer:
    """An observer of the states of a game, as OpenSpiel wants it: `tensor` is all numbers in a row, `dict` the same memory by
    name; `set_from` writes there what a player sees."""

    def __init__(self, game: Adapted, kind: Any = None, params: Any = None) -> None:
        """`kind`: a `pyspiel.IIGObservationType`; None: an observation."""
        if params:
            raise ValueError(f"observers of these games take no parameters; passed {params}")
        self._rules = game.rules
        self._recall = kind is not None and kind.perfect_recall
        self._public = kind is None or kind.public_info
        self._private = None if kind is None else kind.private_info
        whole = self._private == ALL_PLAYERS
        self._arrays = Arrays(game.rules, game.actions.told_sizes, whole) if whole else game.arrays
        numbers = not self._recall or has_secrets(game.rules.program)
        self._story = Story(game.rules) if self._recall and self._public and numbers else None
        shapes = {slot.name: slot.shape for slot in self._arrays.slots if numbers and (self._public or slot.own)}
        if self._story is not None:
            shapes["story"] = (self._story.length, self._story.width)
        sizes = [int(np.prod(shape, dtype=int)) for shape in shapes.values()]
        self.tensor = np.zeros(sum(sizes), np.float32) if sum(sizes) else None
        self.dict: dict[str, Any] = {}
        first = 0
        for (name, shape), width in zip(shapes.items(), sizes, strict=True):
            if self.tensor is not None:
                self.dict[name] = self.tensor[first : first + width].reshape(shape)
            first += width

    def _viewer(self, player: int) -> Viewer:
        if self._private == NOBODY:
            return None
        return REFEREE if self._private == ALL_PLAYERS else self._rules.seats[player]

    def set_from(self, state: Any, player: int) -> None:
        if self.tensor is None:
            return
        viewer = self._viewer(player)
        found = self._arrays.of(state.position, self._arrays.seat(viewer), state.told)
        for name, array in self.dict.items():
            if name != "story":
                array[...] = found[name]
        if self._story is not None:
            self.dict["story"][...] = self._story.of(state.position, viewer)

    def string_from(self, state: Any, player: int) -> str:
        viewer = self._viewer(player)
        if not self._public:
            return private_text_of(state.position, viewer) if isinstance(viewer, str) else ""
        return (memory_of if self._recall else text_of)(state.position, viewer, state.told)
