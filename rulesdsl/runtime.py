"""What generated code needs at run time: faults, traces, and small pure helpers for sets, bags and lists.

Generated modules import from here and from nowhere else. Values are the internal forms of `types`. Nothing here has a
clock, randomness or state; the tables of set elements only remember what is the same for ever.
"""

from __future__ import annotations

import bisect
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, compress, repeat
from operator import add, gt, itemgetter
from operator import mul as mul
from types import ModuleType
from typing import Any, NoReturn

Place = tuple[str, int, int]

STEP_LIMIT = 10_000
DEPTH_LIMIT = 1_000
BAG_LIMIT = 255
_REMEMBERED_SETS = 1 << 16
_RECURSION_LIMIT = 12_000


class RulesFault(Exception):
    """The rules ask for something impossible. `kind` is a stable word, `place` is (file, line, column) of the rules."""

    def __init__(self, kind: str, detail: str = "", place: Place | None = None) -> None:
        super().__init__(kind, detail)
        self.kind = kind
        self.detail = detail
        self.place = place

    def __str__(self) -> str:
        text = f"{self.kind}: {self.detail}" if self.detail else self.kind
        return text if self.place is None else f"{self.place[0]}:{self.place[1]}:{self.place[2]}: {text}"


class GameEnded(Exception):
    """Leaves the rules from any depth when the game is over; the argument is the last state."""


class _OwnList:
    """An attribute that is an empty list of the instance's own, made when first asked for."""

    def __get__(self, instance: Any, owner: type) -> list[int]:
        made: list[int] = []
        if instance is not None:
            instance.__dict__["reveals"] = made
        return made


class Trace(list[tuple[Any, ...]]):
    """The events of one answer in order, how many steps it took, and which of the events revealed something.

    One is made for every answer, so that making one has to be cheap.
    """

    steps: int = 0
    reveals: list[int] = _OwnList()  # type: ignore[assignment]


# ---------------------------------------------------------------- faults


def out_of_range(value: int, lo: int, hi: int, what: str = "") -> NoReturn:
    """A number that does not fit where it is to go. `what`: where that is."""
    whose = f" ({what})" if what else ""
    if (lo, hi) == (-(2**63), 2**63 - 1):
        raise RulesFault("overflow", f"{value} does not fit in 64 bits{whose}")
    raise RulesFault("out of range", f"{value} is not within {lo}..{hi}{whose}")


def too_many_steps() -> NoReturn:
    raise RulesFault("steps", "more than 10,000 steps without a question or a draw")


def too_deep() -> NoReturn:
    raise RulesFault("depth", "a def calls itself more than 1,000 deep")


def no_result() -> NoReturn:
    raise RulesFault("no result", "the game is over without a result")


def fault_from(error: BaseException, module: ModuleType) -> RulesFault:
    """The rules fault behind an exception that generated code raised, with the place in the rules where it happened."""
    fault = error if isinstance(error, RulesFault) else _translate(error)
    if fault.place is None:
        fault.place = _place_of(error, module)
    return fault


def _translate(error: BaseException) -> RulesFault:
    if isinstance(error, RecursionError):
        return RulesFault("depth", "the rules call each other too deeply")
    if isinstance(error, IndexError):
        return RulesFault("missing", "there is no such element")
    if isinstance(error, OverflowError):
        return RulesFault("overflow", str(error))
    if isinstance(error, ValueError):
        return RulesFault("out of range", str(error))
    if isinstance(error, ZeroDivisionError):
        return RulesFault("division", "division by 0")
    return RulesFault("internal", f"{type(error).__name__}: {error}")


def _place_of(error: BaseException, module: ModuleType) -> Place | None:
    """The place of the deepest line of generated code that the exception came through."""
    files: dict[str, Mapping[int, Place]] = {
        module.__file__ or "": module.LINES,
        **module.__dict__.get("EXTRA_LINES", {}),
    }
    place = None
    trace = error.__traceback__
    while trace is not None:
        lines = files.get(trace.tb_frame.f_code.co_filename)
        if lines is not None:
            place = _nearest(lines, trace.tb_lineno) or place
        trace = trace.tb_next
    return place


def _nearest(lines: Mapping[int, Place], number: int) -> Place | None:
    """The place of a line, or of the last line before it that has one."""
    known = sorted(lines)
    index = bisect.bisect_right(known, number)
    return lines[known[index - 1]] if index else None


def allow_deep_recursion() -> None:
    """Recursive defs have their own limit; Python's must not come first."""
    if sys.getrecursionlimit() < _RECURSION_LIMIT:
        sys.setrecursionlimit(_RECURSION_LIMIT)


# ---------------------------------------------------------------- sets

_DIGITS = bytes.maketrans(b"01", b"\0\1")


class Elements(dict[int, tuple[Any, ...]]):
    """The elements of each set of one type, by mask, in order; worked out when first asked for."""

    def __init__(self, values: Sequence[Any]) -> None:
        super().__init__()
        self.values_in_order = tuple(values)

    def __missing__(self, mask: int) -> tuple[Any, ...]:
        if len(self) >= _REMEMBERED_SETS:
            self.clear()
        flags = bin(mask)[:1:-1].encode().translate(_DIGITS)
        found = self[mask] = tuple(compress(self.values_in_order, flags))
        return found


ELEMENTS = Elements(range(4096))


def set_remove(mask: int, bit: int) -> int:
    if not mask & bit:
        raise RulesFault("missing", "what is taken away is not in the set")
    return mask ^ bit


def set_minus(mask: int, other: int) -> int:
    if other & ~mask:
        raise RulesFault("missing", "what is taken away is not in the set")
    return mask ^ other


def mask_of(indices: Iterable[int]) -> int:
    """The set of the elements with these positions."""
    mask = 0
    for index in indices:
        mask |= 1 << index
    return mask


EQUAL = tuple(bytes(code) + b"\1" + bytes(255 - code) for code in range(256))
_TRUTH = b"0" + b"1" * 255


def translation(digits: str) -> bytes:
    """A table for `bytes.translate`: 1 for the codes whose digit is 1, else 0."""
    return digits.encode().translate(_DIGITS).ljust(256, b"\0")


def mask_of_flags(flags: bytes) -> int:
    """The set of the positions whose byte is not 0."""
    return int(flags[::-1].translate(_TRUTH), 2)


def span_mask(lo: int, hi: int) -> int:
    """The set of the positions lo..hi."""
    return (1 << hi + 1) - (1 << lo) if hi >= lo else 0


# ---------------------------------------------------------------- bags


def bag_add(bag: tuple[int, ...], index: int) -> tuple[int, ...]:
    count = bag[index]
    if count >= BAG_LIMIT:
        raise RulesFault("bag count", f"a bag holds at most {BAG_LIMIT} of a kind")
    counts = list(bag)
    counts[index] = count + 1
    return tuple(counts)


def bag_remove(bag: tuple[int, ...], index: int) -> tuple[int, ...]:
    count = bag[index]
    if not count:
        raise RulesFault("missing", "what is taken away is not in the bag")
    counts = list(bag)
    counts[index] = count - 1
    return tuple(counts)


def bag_plus(left: tuple[int, ...], right: tuple[int, ...]) -> tuple[int, ...]:
    bag = tuple(map(add, left, right))
    if bag and max(bag) > BAG_LIMIT:
        raise RulesFault("bag count", f"a bag holds 0 to {BAG_LIMIT} of a kind")
    return bag


def bag_minus(left: tuple[int, ...], right: tuple[int, ...]) -> tuple[int, ...]:
    if any(map(gt, right, left)):
        raise RulesFault("missing", "what is taken away is not in the bag")
    return tuple(a - b for a, b in zip(left, right, strict=True))


def bag_scale(bag: tuple[int, ...], factor: int) -> tuple[int, ...]:
    return bag_checked(tuple(count * factor for count in bag))


def bag_checked(bag: tuple[int, ...]) -> tuple[int, ...]:
    """The bag itself, if every count is allowed."""
    if bag and (max(bag) > BAG_LIMIT or min(bag) < 0):
        raise RulesFault("bag count", f"a bag holds 0 to {BAG_LIMIT} of a kind")
    return bag


def bag_le(left: tuple[int, ...], right: tuple[int, ...]) -> bool:
    return not any(map(gt, left, right))


def bag_of(kinds: int, indices: Iterable[int]) -> tuple[int, ...]:
    """The bag of the elements with these positions."""
    counts = [0] * kinds
    for index in indices:
        counts[index] += 1
    return bag_checked(tuple(counts))


def bag_from_set(kinds: int, mask: int) -> tuple[int, ...]:
    return tuple(mask >> index & 1 for index in range(kinds))


def bag_items(bag: tuple[int, ...], values: tuple[Any, ...]) -> Iterator[Any]:
    """Each copy of each element, in order."""
    return chain.from_iterable(map(repeat, values, bag))


def distinct(bag: tuple[int, ...]) -> int:
    """The set of the elements of a bag."""
    mask = 0
    bit = 1
    for count in bag:
        if count:
            mask |= bit
        bit += bit
    return mask


# ---------------------------------------------------------------- lists


def list_limit(items: tuple[Any, ...], limit: int) -> tuple[Any, ...]:
    """The list itself, if it is not too long."""
    if len(items) > limit:
        raise RulesFault("limit", f"a list of {len(items)} is longer than {limit}")
    return items


def list_get(items: tuple[Any, ...], index: int) -> Any:
    if not -len(items) <= index < len(items):
        raise RulesFault("missing", f"a list of {len(items)} has no element {index}")
    return items[index]


# ---------------------------------------------------------------- maps


def map_from(entries: dict[int, Any], keys: int) -> tuple[Any, ...]:
    """The total map with these entries, by position of the key."""
    if len(entries) != keys:
        raise RulesFault("missing", f"a map of {keys} keys was given {len(entries)}")
    return tuple(entries[index] for index in range(keys))


def nest(cells: tuple[Any, ...], sizes: tuple[int, ...]) -> tuple[Any, ...]:
    """The cells of a field with several keys as a map of maps."""
    for size in reversed(sizes[1:]):
        cells = tuple(cells[i : i + size] for i in range(0, len(cells), size))
    return cells


def flatten(value: tuple[Any, ...], levels: int) -> tuple[Any, ...]:
    """The cells of a map of maps."""
    for _ in range(levels - 1):
        value = tuple(chain.from_iterable(value))
    return value


def bag_from_entries(entries: dict[int, int], kinds: int) -> tuple[int, ...]:
    """The bag with these counts, by position of the element; the rest 0."""
    return bag_checked(tuple(entries.get(index, 0) for index in range(kinds)))


# ---------------------------------------------------------------- moves, draws and the end


def all_moves(start: tuple[Any, ...], sizes: tuple[int, ...]) -> Any:
    """All moves of an action: nested tuples, one level for each chosen parameter."""
    if not sizes:
        return start
    return tuple(all_moves((*start, value), sizes[1:]) for value in range(sizes[0]))


def picker(kept: Sequence[int]) -> Callable[[tuple[Any, ...]], tuple[Any, ...]]:
    """Takes the items at the positions `kept` out of a row: the legal moves out of all moves of one kind."""
    if len(kept) > 1:
        return itemgetter(*kept)
    if kept:
        only = kept[0]
        return lambda row: (row[only],)
    return lambda row: ()


def weigh_list(items: tuple[Any, ...]) -> list[tuple[Any, int]]:
    """The different elements of a list with how often each is there."""
    counts: dict[Any, int] = {}
    for item in items:
        counts[item] = counts.get(item, 0) + 1
    return list(counts.items())


def drawable(outcomes: list[tuple[Any, int]]) -> list[tuple[Any, int]]:
    """The outcomes themselves, if there are any."""
    if not outcomes:
        raise RulesFault("empty draw", "there is nothing to draw from")
    return outcomes


def highest(scores: tuple[int, ...]) -> int:
    """The set of the seats with the highest score."""
    best = max(scores)
    return mask_of(seat for seat, score in enumerate(scores) if score == best)


def end_game(st: tuple[Any, ...], trace: Trace, winners: int, scores: tuple[int, ...] | None) -> NoReturn:
    """The game is over: logs the built-in event and leaves the rules."""
    trace.append((0, winners, scores))
    raise GameEnded((*st[:-1], (winners, scores)))
