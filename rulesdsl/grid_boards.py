"""Boards of squares and tracks of places in a row."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from rulesdsl.core import Table
from rulesdsl.shapes import MAX_PLACES, Attribute, Method, Shape, ShapeError, StaticMethod, column_name, mask
from rulesdsl.types import BOOL, EnumType, IntType, ListType, OptionType, SetType, Type


def grid(names: Sequence[str], numbers: Sequence[int], named: Mapping[str, Any]) -> Shape:
    """`grid(columns, rows)`: square cells `a1`, `b1`... from the lower left, row after row.

    Raises:
        ShapeError: not two numbers from 1, or more than 4,096 cells.
    """
    if len(names) != 1:
        raise ShapeError("a grid has one kind of place: `board Square = grid(columns, rows)`")
    if named or len(numbers) != 2 or min(numbers) < 1:
        raise ShapeError("a grid takes its columns and rows, both at least 1: `grid(5, 5)`")
    columns, rows = numbers
    if columns * rows > MAX_PLACES:
        raise ShapeError(f"a board has at most {MAX_PLACES} places; this one would have {columns * rows}")
    name = names[0]
    members = tuple(f"{column_name(c)}{r + 1}" for r in range(rows) for c in range(columns))
    place = EnumType(name, members, kind="place")
    count = len(members)

    def at(column: int, row: int) -> int | None:
        return row * columns + column if 0 <= column < columns and 0 <= row < rows else None

    def around(index: int, steps: Sequence[tuple[int, int]]) -> int:
        row, column = divmod(index, columns)
        found = (at(column + dc, row + dr) for dc, dr in steps)
        return mask([p for p in found if p is not None])

    def attribute(attr: str, kind: Type, compute: Callable[[int], Any]) -> tuple[tuple[str, str], Attribute]:
        table = Table(f"{name}_{attr}", ((0, count),), tuple(compute(i) for i in range(count)))
        return (name, attr), Attribute(kind, table)

    def shifted(dc: int, dr: int) -> Callable[[int], int | None]:
        return lambda index: at(index % columns + dc, index // columns + dr)

    straight = ((1, 0), (-1, 0), (0, 1), (0, -1))
    slanted = ((1, 1), (-1, 1), (1, -1), (-1, -1))
    attributes = dict(
        [
            attribute("neighbours", SetType(place), lambda i: around(i, straight)),
            attribute("diagonals", SetType(place), lambda i: around(i, slanted)),
            attribute("col", IntType(0, columns - 1), lambda i: i % columns),
            attribute("row", IntType(0, rows - 1), lambda i: i // columns),
            attribute("up", OptionType(place), shifted(0, 1)),
            attribute("down", OptionType(place), shifted(0, -1)),
            attribute("left", OptionType(place), shifted(-1, 0)),
            attribute("right", OptionType(place), shifted(1, 0)),
            attribute("on_edge", BOOL, lambda i: around(i, straight).bit_count() < 4),
        ]
    )
    span_c, span_r = columns - 1, rows - 1
    offset = Table(
        f"{name}_offset",
        ((0, count), (-span_c, 2 * span_c + 1), (-span_r, 2 * span_r + 1)),
        tuple(
            at(i % columns + dc, i // columns + dr)
            for i in range(count)
            for dc in range(-span_c, span_c + 1)
            for dr in range(-span_r, span_r + 1)
        )
        if count <= 400
        else (),
        total=False,
    )
    distance = Table(
        f"{name}_distance",
        ((0, count), (0, count)),
        tuple(
            abs(i % columns - j % columns) + abs(i // columns - j // columns)
            for i in range(count)
            for j in range(count)
        )
        if count <= 400
        else (),
    )
    methods = {}
    if count <= 400:
        wide = IntType(-(2**63), 2**63 - 1)
        methods[(name, "offset")] = Method((wide, wide), OptionType(place), offset)
        methods[(name, "distance")] = Method((place,), IntType(0, span_c + span_r), distance)

    def lines(arguments: Sequence[int]) -> tuple[Type, Any]:
        if len(arguments) != 1 or arguments[0] < 1:
            raise ShapeError("`lines(n)` takes the length of the lines, at least 1")
        length = arguments[0]
        found = []
        for i in range(count):
            for dc, dr in ((1, 0), (0, 1), (1, 1), (1, -1)):
                cells = [at(i % columns + k * dc, i // columns + k * dr) for k in range(length)]
                if all(cell is not None for cell in cells):
                    line = mask([cell for cell in cells if cell is not None])
                    if line not in found:
                        found.append(line)
        return ListType(SetType(place), max(1, len(found))), tuple(found)

    statics = {(name, "lines"): StaticMethod(lines, "lines(length)")}
    constants: dict[tuple[str, str], tuple[Type, Any]] = {
        (name, "columns"): (IntType(columns, columns), columns),
        (name, "rows"): (IntType(rows, rows), rows),
    }
    return Shape("grid", (columns, rows), (place,), attributes, methods, constants, statics)


def track(names: Sequence[str], numbers: Sequence[int], named: Mapping[str, Any]) -> Shape:
    """`track(n)`: n places in a row, printed `0` to `n-1`, that can be compared and counted on.

    Raises:
        ShapeError: not one number from 1, or more than 4,096 places.
    """
    if len(names) != 1:
        raise ShapeError("a track has one kind of place: `board Place = track(55)`")
    if named or len(numbers) != 1 or numbers[0] < 1:
        raise ShapeError("a track takes its length, at least 1: `track(55)`")
    count = numbers[0]
    if count > MAX_PLACES:
        raise ShapeError(f"a board has at most {MAX_PLACES} places; this one would have {count}")
    name = names[0]
    place = EnumType(name, tuple(str(i) for i in range(count)), kind="place", ordered=True)

    def attribute(attr: str, kind: Type, values: Sequence[Any]) -> tuple[tuple[str, str], Attribute]:
        return (name, attr), Attribute(kind, Table(f"{name}_{attr}", ((0, count),), tuple(values)))

    attributes = dict(
        [
            attribute("next", OptionType(place), [i + 1 if i + 1 < count else None for i in range(count)]),
            attribute("previous", OptionType(place), [i - 1 if i else None for i in range(count)]),
            attribute("index", IntType(0, count - 1), range(count)),
        ]
    )
    wide = IntType(-(2**63), 2**63 - 1)
    methods = {}
    if count <= 400:
        shift = range(-(count - 1), count)
        table = Table(
            f"{name}_offset",
            ((0, count), (-(count - 1), 2 * count - 1)),
            tuple(i + d if 0 <= i + d < count else None for i in range(count) for d in shift),
            total=False,
        )
        methods[(name, "offset")] = Method((wide,), OptionType(place), table)
        gap = Table(
            f"{name}_distance", ((0, count), (0, count)), tuple(abs(i - j) for i in range(count) for j in range(count))
        )
        methods[(name, "distance")] = Method((place,), IntType(0, count - 1), gap)
    constants: dict[tuple[str, str], tuple[Type, Any]] = {
        (name, "first"): (place, 0),
        (name, "last"): (place, count - 1),
    }
    return Shape("track", (count,), (place,), attributes, methods, constants, {})
