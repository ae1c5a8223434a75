"""One specialised program, ready to be played: the compiled module beside the names of everything in it.

`Rules` is what the rest of the machine works with. It turns internal moves, events, states and outcomes of the generated
module into named ones and back, finds which clause a line of the rules belongs to, and compiles single expressions on demand
(for explanations and sentences).
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from types import ModuleType
from typing import Any, Protocol, cast

from interpreter.codec import Codec, NamedMap, bits, canonical
from interpreter.embedding import texts_of, variants_of
from interpreter.errors import ValueProblem
from interpreter.values import Event, Move, Offer, Outcome, State
from interpreter.values import Question as Asked
from rulesdsl.core import ActionInfo, Chance, EventInfo, FieldInfo, Program, Question
from rulesdsl.diagnostics import Source, closest
from rulesdsl.python.backend import extra, numbered, prepared_of
from rulesdsl.types import INT, MapType, OptionType, SetType, Type, value_at, values

Internal = tuple[Any, ...]
DIGEST_SIZE = 16


class Generated(Protocol):
    """What the machine asks of a generated module. All values are internal forms."""

    SEATS: int
    KIND: Mapping[int, str]
    MAY_PASS: frozenset[int]
    STEP: Mapping[int, str]
    OFFERS: Mapping[int, tuple[int, ...]]
    INVARIANTS: Sequence[tuple[str, Callable[[Any], bool], frozenset[str]]]
    TRANSITIONS: Sequence[tuple[str, Callable[[Any, Any], bool], frozenset[str]]]
    WRITES: Sequence[frozenset[str]]
    MEASURES: Mapping[str, Callable[..., Any]]
    DEFS: Mapping[str, Callable[..., Any]]

    def initial(self) -> Internal: ...
    def start(self, trace: Any) -> tuple[Internal, Any]: ...
    def run(self, st: Internal, flow: str, args: Internal, trace: Any) -> tuple[Internal, Any]: ...
    def perform(
        self, st: Internal, action: int, me: int, given: Internal, chosen: Internal, trace: Any
    ) -> tuple[Internal, Any]: ...
    def asked(self, st: Internal, frame: Any) -> int: ...
    def given(self, st: Internal, frame: Any) -> tuple[Internal, ...]: ...
    def legal(self, st: Internal, frame: Any) -> list[Internal]: ...
    def any_legal(self, st: Internal, frame: Any) -> bool: ...
    def allows(self, st: Internal, frame: Any, move: Internal) -> bool: ...
    def outcomes(self, st: Internal, frame: Any) -> list[tuple[Any, int]]: ...
    def answer(self, st: Internal, frame: Any, move: Internal, trace: Any) -> tuple[Internal, Any]: ...
    def drawn(self, st: Internal, frame: Any, value: Any, trace: Any) -> tuple[Internal, Any]: ...
    def apply(self, st: Internal, event: Internal) -> Internal: ...


class Loaded(Protocol):
    """What `rulesdsl.program.load` gives."""

    @property
    def program(self) -> Program: ...
    @property
    def module(self) -> Any: ...
    @property
    def source(self) -> Source: ...


def hash_text(*parts: bytes) -> str:
    """The hash that logs use everywhere: BLAKE2b of 128 bits, in hex."""
    digest = hashlib.blake2b(digest_size=DIGEST_SIZE)
    for part in parts:
        digest.update(part)
    return digest.hexdigest()


class Rules:
    """A specialised program with its module, by names.

    `program` is the checked program, `seats` the names of the seats in play, `codec` the forms of its values.
    """

    def __init__(self, loaded: Loaded) -> None:
        self.program: Program = loaded.program
        self.module: Generated = loaded.module
        self.source: Source = loaded.source
        self.codec = Codec(self.program.records)
        self.player = self.program.player
        self.seats: tuple[str, ...] = self.player.members
        self._actions = {action.position: action for action in self.program.actions}
        self._action_positions = {action.name: action.position for action in self.program.actions}
        self._events = {event.position: event for event in self.program.events}
        self._event_positions = {event.name: event.position for event in self.program.events}
        self._ended: tuple[tuple[str, Type], ...] = (
            ("winners", SetType(self.player)),
            ("scores", OptionType(MapType(self.player, INT))),
        )
        self._askers: dict[int, Question | Chance] = {}
        self._fields = {info.name: info for info in self.program.fields}
        self._plain_fields = [self._field_plainer(info) for info in self.program.fields]
        self._field_texts = [self._field_text(info) for info in self.program.fields]
        self._sorted_fields = sorted(self.program.fields, key=lambda info: info.name)
        self._seen: dict[str, tuple[Any, str]] = {}
        self._asked: dict[int, tuple[str, ...]] = {}
        self._extra: dict[Any, Mapping[str, Callable[..., Any]]] = {}
        self.writer: Any = None
        self.reader: Any = None

    # ------------------------------------------------------------ what logs say of it

    @cached_property
    def texts(self) -> dict[str, str]:
        """The text of every file of the rules; see `embedding`."""
        return texts_of(self.source)

    @cached_property
    def variants(self) -> tuple[str, ...]:
        """The names of the variants that take part."""
        return variants_of(self.source)

    @cached_property
    def plain_parameters(self) -> dict[str, Any]:
        """The parameters and their values as JSON data."""
        return {name: self.codec.plain(t, value) for name, t, value in self.program.parameters}

    # ------------------------------------------------------------ names

    def seat(self, name: str) -> int:
        """The position of a seat.

        Raises:
            ValueProblem: there is no such seat.
        """
        if name in self.seats:
            return self.seats.index(name)
        meant = closest(str(name), self.seats)
        hint = f"did you mean {meant}?" if meant else f"they are {', '.join(self.seats)}"
        raise ValueProblem("", f"{name} is not a seat of this match; {hint}")

    def action(self, position: int) -> ActionInfo:
        return self._actions[position]

    def action_named(self, name: str) -> ActionInfo | None:
        position = self._action_positions.get(name)
        return None if position is None else self._actions[position]

    def chosen(self, action: str) -> list[tuple[str, Type]]:
        """The chosen parameters of an action, with their types; the pass has none."""
        info = self.action_named(action)
        return [(item.name, item.type) for item in info.chosen] if info else []

    def event_info(self, position: int) -> EventInfo:
        """An event that the rules declare (not 0, `Ended`)."""
        return self._events[position]

    def event_params(self, position: int) -> tuple[tuple[str, Type], ...]:
        """The parameters of an event; 0 is the built-in `Ended`."""
        if position == 0:
            return self._ended
        return tuple((item.name, item.type) for item in self._events[position].params)

    def event_name(self, position: int) -> str:
        return self._events[position].name if position else "Ended"

    def event_position(self, name: str) -> int | None:
        return 0 if name == "Ended" else self._event_positions.get(name)

    def draw_of(self, pc: int) -> tuple[str, Type]:
        """The name and the type of what is drawn at a place of the flow."""
        end = self.asker(pc)
        assert isinstance(end, Chance)
        return end.name, end.type

    def asker(self, pc: int) -> Question | Chance:
        """What stands at a place where the flow rests."""
        if not self._askers:
            prepared, _ = prepared_of(self.program, cast(ModuleType, self.module))
            for code in numbered(prepared).values():
                for number, block in code.blocks.items():
                    if isinstance(block.end, (Question, Chance)):
                        self._askers[code.pc(number)] = block.end
        return self._askers[pc]

    # ------------------------------------------------------------ moves, events, outcomes

    def move(self, internal: Internal) -> Move:
        """The named form of a move."""
        if internal[0] == 0:
            return Move("pass")
        info = self._actions[internal[0]]
        named = self.codec.named
        items = [(item.name, named(item.type, value)) for item, value in zip(info.chosen, internal[1:], strict=True)]
        return Move(info.name, NamedMap(items))

    def internal_move(self, move: Move) -> Internal:
        """The internal form of a named move.

        Raises:
            ValueProblem: no such action, a missing or surplus argument, or one that is not of its type.
        """
        if move.action == "pass":
            if move.arguments:
                raise ValueProblem("", "pass takes nothing")
            return (0,)
        info = self.action_named(move.action)
        if info is None:
            meant = closest(move.action, self._action_positions)
            raise ValueProblem("", f"there is no action {move.action}" + (f"; did you mean {meant}?" if meant else ""))
        names = [item.name for item in info.chosen]
        for name in move.arguments:
            if name not in names:
                meant = closest(name, names)
                raise ValueProblem("", f"{info.name} has no {name}" + (f"; did you mean {meant}?" if meant else ""))
        for name in names:
            if name not in move.arguments:
                raise ValueProblem("", f"{info.name} needs {', '.join(names)}: {name} is missing")
        internal = self.codec.internal
        return (info.position, *(internal(item.type, move.arguments[item.name], item.name) for item in info.chosen))

    def event(self, internal: Internal) -> Event:
        """The named form of an event."""
        params = self.event_params(internal[0])
        named = self.codec.named
        items = [(name, named(t, value)) for (name, t), value in zip(params, internal[1:], strict=True)]
        return Event(self.event_name(internal[0]), NamedMap(items))

    def question(self, st: Internal, frame: Any) -> Asked:
        """What a position waits for."""
        if frame is None:
            return Asked("over")
        pc = frame[0]
        step = self.module.STEP.get(pc, "")
        if self.module.KIND[pc] == "draw":
            name, t = self.draw_of(pc)
            outcomes = tuple((self.codec.named(t, value), weight) for value, weight in self.module.outcomes(st, frame))
            return Asked("draw", None, (), False, step, name, outcomes)
        offers = tuple(
            self._offer(self._actions[position], given)
            for position, given in zip(self.module.OFFERS[pc], self.module.given(st, frame), strict=True)
        )
        return Asked("choice", self.seats[self.module.asked(st, frame)], offers, pc in self.module.MAY_PASS, step)

    def asked_texts(self, st: Internal, frame: Any) -> tuple[str, ...]:
        """What a question offers, as logs write it: `build_road({wood: 1})`, and `pass`."""
        found = self._asked.get(frame[0])
        if found is None:
            given = self.module.given(st, frame)
            infos = [self._actions[position] for position in self.module.OFFERS[frame[0]]]
            offers = [str(self._offer(info, args)) for info, args in zip(infos, given, strict=True)]
            found = (*offers, *(["pass"] if frame[0] in self.module.MAY_PASS else []))
            if not any(given):
                self._asked[frame[0]] = found
        return found

    def _offer(self, info: ActionInfo, given: Internal) -> Offer:
        named = self.codec.named
        return Offer(info.name, NamedMap((p.name, named(p.type, v)) for p, v in zip(info.given, given, strict=True)))

    def outcome(self, st: Internal) -> Outcome | None:
        """How the game ended, or None."""
        if st[-1] is None:
            return None
        mask, scores = st[-1]
        winners = tuple(self.seats[i] for i in bits(mask))
        return Outcome(winners, None if scores is None else NamedMap(zip(self.seats, scores, strict=True)))

    # ------------------------------------------------------------ states

    def state(self, st: Internal) -> State:
        return State(self, st)

    def field(self, name: str) -> FieldInfo:
        """A field of the state.

        Raises:
            KeyError: there is no such field.
        """
        return self._fields[name]

    def cells(self, info: FieldInfo, slot: Any) -> Sequence[Any]:
        """The values of a field with keys, flat, in internal form."""
        return [value_at(info.value, code) for code in slot] if info.packed else slot

    def field_value(self, info: FieldInfo, slot: Any) -> Any:
        """A field's value as an internal value of `info.type`, whatever its layout."""
        return _nested(self.cells(info, slot), [len(list(values(key))) for key in info.keys]) if info.keys else slot

    def named_field(self, st: Internal, name: str) -> Any:
        info = self._fields[name]
        return self.codec.named(info.type, self.field_value(info, st[info.position]))

    def _field_plainer(self, info: FieldInfo) -> Callable[[Any], Any]:
        plain = self.codec.plainer(info.type)
        return lambda slot: plain(self.field_value(info, slot))

    def _field_text(self, info: FieldInfo) -> Callable[[Any], str]:
        """The function from a field's slot to the canonical JSON of its value."""
        text = self.codec.json(info.value)
        if not info.keys:
            return text
        if not info.packed:
            return self.codec.texts.cells(info.keys, text)
        texts = [text(value) for value in values(info.value)]
        return self.codec.texts.cells(info.keys, texts.__getitem__)

    def plain_state(self, st: Internal) -> dict[str, Any]:
        """All fields as JSON data, in declared order."""
        return {
            info.name: make(st[info.position])
            for info, make in zip(self.program.fields, self._plain_fields, strict=True)
        }

    def plain_outcome(self, st: Internal) -> dict[str, Any] | None:
        outcome = self.outcome(st)
        if outcome is None:
            return None
        return {"winners": list(outcome.winners), "scores": None if outcome.scores is None else dict(outcome.scores)}

    def digest(self, st: Internal) -> str:
        """The digest of a state: over the names and values of its fields and its outcome, in canonical JSON."""
        parts = []
        for info in self._sorted_fields:
            slot = st[info.position]
            seen = self._seen.get(info.name)
            if seen is None or seen[0] != slot:
                seen = self._seen[info.name] = (slot, f'"{info.name}":{self._field_texts[info.position](slot)}')
            parts.append(seen[1])
        outcome = "null" if st[-1] is None else canonical(self.plain_outcome(st))
        text = f'{{"outcome":{outcome},"state":{{{",".join(parts)}}}}}'
        return hash_text(text.encode())

    # ------------------------------------------------------------ places in the rules

    def clause_at(self, file: str, line: int) -> str:
        """The clause that a line of the rules belongs to (`event TilePlaced`), the innermost of several, or nothing."""
        found = [
            (last - first, name)
            for name, (where, first, last) in self._extents
            if where == file and first <= line <= last
        ]
        return min(found)[1] if found else ""

    @cached_property
    def _extents(self) -> list[tuple[str, tuple[str, int, int]]]:
        """Each clause with its file, its first and its last line."""
        return [
            (name, (span.source.name, span.line, span.source.position(max(span.start, span.end - 1))[0]))
            for name, span in self.program.places
        ]

    # ------------------------------------------------------------ expressions on demand

    def compiled(self, key: Any, make: Callable[[], Sequence[Any]]) -> Mapping[str, Callable[..., Any]]:
        """Functions that the back end compiles on first use; `make` lists what is wanted, `key` names it."""
        found = self._extra.get(key)
        if found is None:
            functions = list(make())
            found = self._extra[key] = (
                extra(self.program, cast(ModuleType, self.module), functions) if functions else {}
            )
        return found


def _nested(flat: Sequence[Any], sizes: Sequence[int]) -> tuple[Any, ...]:
    """Flat cells as nested tuples, the last key running fastest."""
    if len(sizes) <= 1:
        return tuple(flat)
    step = len(flat) // sizes[0] if sizes[0] else 0
    return tuple(_nested(flat[i * step : (i + 1) * step], sizes[1:]) for i in range(sizes[0]))
