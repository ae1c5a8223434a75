"""Boards of cells in columns and rows, and tracks of places in a row."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from attrs import frozen

from rulesdsl.boards.shapes import MAX_PLACES, Attribute, Method, Shape, ShapeError, StaticMethod, column_name, mask
from rulesdsl.core import Table
from rulesdsl.types import BOOL, EnumType, IntType, ListType, OptionType, SetType, Type

WIDE = IntType(-(2**63), 2**63 - 1)
STRAIGHT = ((1, 0), (-1, 0), (0, 1), (0, -1))
SLANTED = ((1, 1), (-1, 1), (1, -1), (-1, -1))
SIX = (*STRAIGHT, (-1, 1), (1, -1))
WORKED_OUT = 400
"""Relations between all pairs of cells are worked out on boards of at most so many cells."""


@frozen
class _Cells:
    """Columns and rows of cells, `a1`, `b1`... from the lower left, row after row."""

    name: str
    columns: int
    rows: int
    place: EnumType

    @classmethod
    def of(cls, kind: str, names: Sequence[str], numbers: Sequence[int], named: Mapping[str, Any]) -> _Cells:
        if len(names) != 1:
            raise ShapeError(f"a {kind} has one kind of place: `board Square = {kind}(columns, rows)`")
        if named or len(numbers) != 2 or min(numbers) < 1:
            raise ShapeError(f"a {kind} takes its columns and rows, both at least 1: `{kind}(5, 5)`")
        columns, rows = numbers
        if columns * rows > MAX_PLACES:
            raise ShapeError(f"a board has at most {MAX_PLACES} places; this one would have {columns * rows}")
        members = tuple(f"{column_name(c)}{r + 1}" for r in range(rows) for c in range(columns))
        return cls(names[0], columns, rows, EnumType(names[0], members, kind="place"))

    @property
    def count(self) -> int:
        return self.columns * self.rows

    def step(self, index: int, columns: int, rows: int) -> int | None:
        """The cell so far to the right and up, if it is on the board."""
        column, row = index % self.columns + columns, index // self.columns + rows
        return row * self.columns + column if 0 <= column < self.columns and 0 <= row < self.rows else None

    def around(self, index: int, steps: Iterable[tuple[int, int]]) -> int:
        found = (self.step(index, dc, dr) for dc, dr in steps)
        return mask([cell for cell in found if cell is not None])

    def ray(self, index: int, dc: int, dr: int) -> tuple[int, ...]:
        """The cells from one in a direction, without itself, up to the edge."""
        row, column = divmod(index, self.columns)
        right = self.columns if not dc else self.columns - 1 - column if dc > 0 else column
        up = self.rows if not dr else self.rows - 1 - row if dr > 0 else row
        length = min(right, up) if dc or dr else 0
        return tuple(index + k * (dr * self.columns + dc) for k in range(1, length + 1))

    def rays(self, index: int, steps: Iterable[tuple[int, int]]) -> tuple[tuple[int, ...], ...]:
        return tuple(ray for dc, dr in steps if (ray := self.ray(index, dc, dr)))

    def all_lines(self, length: int, steps: Iterable[tuple[int, int]]) -> list[int]:
        """Every straight line of a length, in the order of their first cells."""
        ways = ((index, *self.ray(index, dc, dr)) for index in range(self.count) for dc, dr in steps)
        return list(dict.fromkeys(mask(cells[:length]) for cells in ways if len(cells) >= length))

    # ------------------------------------------------------------ what a shape has of them

    def attribute(self, attr: str, kind: Type, compute: Callable[[int], Any]) -> tuple[tuple[str, str], Attribute]:
        return (self.name, attr), Attribute(kind, self.table(attr, map(compute, range(self.count))))

    def table(self, attr: str, values: Iterable[Any]) -> Table:
        return Table(f"{self.name}_{attr}", ((0, self.count),), tuple(values))

    def rays_attribute(self, attr: str, steps: Sequence[tuple[int, int]]) -> tuple[tuple[str, str], Attribute]:
        ray = ListType(self.place, max(self.columns, self.rows))
        return self.attribute(attr, ListType(ray, len(steps)), lambda i: self.rays(i, steps))

    def method(
        self, name: str, dims: Sequence[tuple[int, int]], kind: Type, compute: Callable[..., Any], outside: Any
    ) -> dict[tuple[str, str], Method]:
        """A relation of a cell with numbers, each given as the lowest one and how many; not there on large boards."""
        if self.count > WORKED_OUT:
            return {}

        def make() -> Table:
            ranges = (range(low, low + many) for low, many in dims)
            values = tuple(compute(i, *numbers) for i, *numbers in itertools.product(range(self.count), *ranges))
            return Table(f"{self.name}_{name}", ((0, self.count), *dims), values, total=False, outside=outside)

        return {(self.name, name): Method((WIDE,) * len(dims), kind, make)}

    def distance(self, steps: Callable[[int, int], int]) -> dict[tuple[str, str], Method]:
        """How far two cells are apart that are so many columns and rows apart."""

        def compute(i: int, j: int) -> int:
            return steps(j % self.columns - i % self.columns, j // self.columns - i // self.columns)

        right, up = self.columns - 1, self.rows - 1
        return _pairs(self.place, "distance", IntType(0, max(steps(right, up), steps(right, -up))), compute)

    def between(self, directions: Sequence[tuple[int, int]]) -> dict[tuple[str, str], Method]:
        """The cells between two on a line in one of the directions; none where there is no line."""

        def compute(i: int, j: int) -> int:
            rays = (ray for dc, dr in directions if j in (ray := self.ray(i, dc, dr)))
            return next((mask(ray[: ray.index(j)]) for ray in rays), 0)

        return _pairs(self.place, "between", SetType(self.place), compute)

    def offset(self) -> dict[tuple[str, str], Method]:
        dims = [(1 - side, 2 * side - 1) for side in (self.columns, self.rows)]
        return self.method("offset", dims, OptionType(self.place), self.step, None)

    def lines(self, steps: Sequence[tuple[int, int]]) -> StaticMethod:
        def call(arguments: Sequence[int]) -> tuple[Type, Any]:
            found = self.all_lines(_length(arguments), steps)
            return ListType(SetType(self.place), max(1, len(found))), tuple(found)

        return StaticMethod(call, "lines(length)")

    def lines_through(self, steps: Sequence[tuple[int, int]]) -> StaticMethod:
        def call(arguments: Sequence[int]) -> tuple[Type, Any]:
            through: list[list[int]] = [[] for _ in range(self.count)]
            for line in self.all_lines(_length(arguments), steps):
                for index in range(self.count):
                    if line >> index & 1:
                        through[index].append(line)
            kind = ListType(SetType(self.place), max(1, *map(len, through)))
            return kind, self.table(f"lines{arguments[0]}", map(tuple, through))

        return StaticMethod(call, "lines(length)")

    def leaps(self) -> StaticMethod:
        def call(arguments: Sequence[int]) -> tuple[Type, Any]:
            if len(arguments) != 2 or min(arguments) < 0:
                raise ShapeError("`leaps(a, b)` takes how far it is one way and the other, none below 0")
            a, b = arguments
            steps = {(x * m, y * n) for x, y in ((a, b), (b, a)) for m in (1, -1) for n in (1, -1)}
            found = (self.around(i, steps) for i in range(self.count))
            return SetType(self.place), self.table(f"leaps{a}_{b}", found)

        return StaticMethod(call, "leaps(a, b)")

    def shape(
        self,
        kind: str,
        attributes: dict[tuple[str, str], Attribute],
        methods: dict[tuple[str, str], Method],
        relations: dict[tuple[str, str], StaticMethod],
        steps: Sequence[tuple[int, int]],
    ) -> Shape:
        """With what all boards of columns and rows have; `steps` are the directions of lines, one of each two."""
        common = dict(
            [
                self.attribute("col", IntType(0, self.columns - 1), lambda i: i % self.columns),
                self.attribute("row", IntType(0, self.rows - 1), lambda i: i // self.columns),
            ]
        )
        constants: dict[tuple[str, str], tuple[Type, Any]] = {
            (self.name, "columns"): (IntType(self.columns, self.columns), self.columns),
            (self.name, "rows"): (IntType(self.rows, self.rows), self.rows),
        }
        return Shape(
            kind,
            (self.columns, self.rows),
            (self.place,),
            attributes | common,
            methods | self.offset(),
            constants,
            {(self.name, "lines"): self.lines(steps)},
            {(self.name, "lines"): self.lines_through(steps)} | relations,
        )


def _pairs(place: EnumType, name: str, kind: Type, compute: Callable[[int, int], Any]) -> dict[tuple[str, str], Method]:
    """A relation of a place with another one; not there on large boards."""
    count = len(place.members)
    if count > WORKED_OUT:
        return {}

    def make() -> Table:
        values = tuple(compute(i, j) for i in range(count) for j in range(count))
        return Table(f"{place.name}_{name}", ((0, count), (0, count)), values)

    return {(place.name, name): Method((place,), kind, make)}


def _length(arguments: Sequence[int]) -> int:
    if len(arguments) != 1 or arguments[0] < 1:
        raise ShapeError("`lines(n)` takes the length of the lines, at least 1")
    return arguments[0]


def grid(names: Sequence[str], numbers: Sequence[int], named: Mapping[str, Any]) -> Shape:
    """`grid(columns, rows)`: square cells, each with up to four neighbours and four diagonals.

    Raises:
        ShapeError: not two numbers from 1, or more than 4,096 cells.
    """
    cells = _Cells.of("grid", names, numbers, named)
    place = cells.place
    attributes = dict(
        [
            cells.attribute("neighbours", SetType(place), lambda i: cells.around(i, STRAIGHT)),
            cells.attribute("diagonals", SetType(place), lambda i: cells.around(i, SLANTED)),
            cells.attribute("up", OptionType(place), lambda i: cells.step(i, 0, 1)),
            cells.attribute("down", OptionType(place), lambda i: cells.step(i, 0, -1)),
            cells.attribute("left", OptionType(place), lambda i: cells.step(i, -1, 0)),
            cells.attribute("right", OptionType(place), lambda i: cells.step(i, 1, 0)),
            cells.attribute("on_edge", BOOL, lambda i: cells.around(i, STRAIGHT).bit_count() < 4),
            cells.rays_attribute("rays", (*STRAIGHT, *SLANTED)),
            cells.rays_attribute("straight_rays", STRAIGHT),
            cells.rays_attribute("diagonal_rays", SLANTED),
        ]
    )
    ray = ListType(place, max(cells.columns, cells.rows))
    methods = (
        cells.distance(lambda dc, dr: abs(dc) + abs(dr))
        | cells.between((*STRAIGHT, *SLANTED))
        | cells.method("ray", [(-1, 3), (-1, 3)], ray, cells.ray, ())
    )
    relations = {(cells.name, "leaps"): cells.leaps()}
    return cells.shape("grid", attributes, methods, relations, ((1, 0), (0, 1), (1, 1), (1, -1)))


def rhombus(names: Sequence[str], numbers: Sequence[int], named: Mapping[str, Any]) -> Shape:
    """`rhombus(columns, rows)`: six-sided cells, each row half a cell further to the right than the one below it.

    Raises:
        ShapeError: not two numbers from 1, or more than 4,096 cells.
    """
    cells = _Cells.of("rhombus", names, numbers, named)
    attributes = dict(
        [
            cells.attribute("neighbours", SetType(cells.place), lambda i: cells.around(i, SIX)),
            cells.attribute("on_edge", BOOL, lambda i: cells.around(i, SIX).bit_count() < 6),
            cells.rays_attribute("rays", SIX),
        ]
    )
    distance = cells.distance(lambda dc, dr: max(abs(dc), abs(dr), abs(dc + dr)))
    return cells.shape("rhombus", attributes, distance | cells.between(SIX), {}, ((1, 0), (0, 1), (1, -1)))


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
    methods = _pairs(place, "distance", IntType(0, count - 1), lambda i, j: abs(i - j))
    methods |= _pairs(place, "between", SetType(place), lambda i, j: mask(range(min(i, j) + 1, max(i, j))))
    if count <= WORKED_OUT:
        methods[(name, "offset")] = Method((WIDE,), OptionType(place), lambda: _track_offset(name, count))
    constants: dict[tuple[str, str], tuple[Type, Any]] = {
        (name, "first"): (place, 0),
        (name, "last"): (place, count - 1),
    }
    return Shape("track", (count,), (place,), attributes, methods, constants, {})


def _track_offset(name: str, count: int) -> Table:
    shift = range(1 - count, count)
    values = tuple(i + d if 0 <= i + d < count else None for i in range(count) for d in shift)
    return Table(f"{name}_offset", ((0, count), (1 - count, 2 * count - 1)), values, total=False)
