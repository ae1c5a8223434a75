"""Boards of hexes: three kinds of places that know each other, `board Hex, Edge, Corner = hexes(...)`.

A hex has pointed corners above and below. Its centre is at (2q + r, 3r) on a grid of half widths and thirds of rows, so that
all corners have whole coordinates; q counts along a row, r counts rows upwards. Hexes are named by row (`a` the lowest) and
place in the row (`a1` the leftmost), and their order is that of their names row by row. An edge or corner is named after the
first hex that has it and where it lies there: `a1_ne`, `a1_up`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from attrs import define, field

from rulesdsl.boards.shapes import MAX_PLACES, Attribute, Method, Shape, ShapeError, StaticMethod, column_name, mask
from rulesdsl.core import Table
from rulesdsl.types import BOOL, EnumType, IntType, ListType, OptionType, SetType, Type

Point = tuple[int, int]
Cell = tuple[int, int]

AROUND: tuple[tuple[str, Cell], ...] = (
    ("ne", (0, 1)), ("e", (1, 0)), ("se", (1, -1)), ("sw", (0, -1)), ("w", (-1, 0)), ("nw", (-1, 1)),
)  # fmt: skip
CORNERS: tuple[tuple[str, Point], ...] = (
    ("up", (0, 2)), ("upright", (1, 1)), ("downright", (1, -1)), ("down", (0, -2)), ("downleft", (-1, -1)), ("upleft", (-1, 1)),
)  # fmt: skip
USAGE = "write `hexes(radius=2)`, `hexes(core=2, rings=4)` or `hexes(rows=[3, 4, 5, 4, 3])`"


def distance(a: Cell, b: Cell) -> int:
    """Steps from hex to hex."""
    dq, dr = a[0] - b[0], a[1] - b[1]
    return max(abs(dq), abs(dr), abs(dq + dr))


def centre(cell: Cell) -> Point:
    return 2 * cell[0] + cell[1], 3 * cell[1]


def corner_points(cell: Cell) -> list[Point]:
    """The six corners, clockwise from the upper one."""
    x, y = centre(cell)
    return [(x + dx, y + dy) for _, (dx, dy) in CORNERS]


def core_and_rings(core: int, rings: int) -> dict[Cell, int]:
    """Cells with their ring: `core` hexes in a row are ring 0, then `rings` rings around them."""
    middle = [(q, 0) for q in range(core)]
    reach = range(-rings, core + rings)
    found: dict[Cell, int] = {}
    for r in range(-rings, rings + 1):
        for q in reach:
            ring = min(distance((q, r), cell) for cell in middle)
            if ring <= rings:
                found[(q, r)] = ring
    return found


def from_rows(lengths: Sequence[int]) -> dict[Cell, int]:
    """Cells of rows that are centred on each other, the upper row first; the ring is the distance from the rim.

    Raises:
        ShapeError: neighbouring rows do not fit into each other.
    """
    cells: list[Cell] = []
    shift = (lengths[-1] - 1) % 2
    for row, length in enumerate(reversed(lengths)):
        if length < 1 or (length - 1 - shift) % 2 != row % 2:
            raise ShapeError(
                "rows fit into each other when each is an odd number longer or shorter than the next: `[3, 4, 5, 4, 3]`"
            )
        for i in range(length):
            x = -(length - 1) + 2 * i + shift
            cells.append(((x - row) // 2, row))
    return dict.fromkeys(cells, 0)


@define(eq=False)
class _Region:
    """A region of hexes with its edges and corners in canonical order."""

    rings: dict[Cell, int]
    cells: list[Cell] = field(factory=list)
    hex_names: list[str] = field(factory=list)
    edges: list[tuple[Point, Point]] = field(factory=list)
    edge_names: list[str] = field(factory=list)
    corners: list[Point] = field(factory=list)
    corner_names: list[str] = field(factory=list)

    def __attrs_post_init__(self) -> None:
        self.cells = sorted(self.rings, key=lambda cell: (cell[1], cell[0]))
        lowest = self.cells[0][1]
        counted: dict[int, int] = {}
        for cell in self.cells:
            counted[cell[1]] = counted.get(cell[1], 0) + 1
            self.hex_names.append(f"{column_name(cell[1] - lowest)}{counted[cell[1]]}")
        known_edges: set[tuple[Point, Point]] = set()
        known_corners: set[Point] = set()
        for cell, name in zip(self.cells, self.hex_names, strict=True):
            points = corner_points(cell)
            for (word, _), point in zip(CORNERS, points, strict=True):
                if point not in known_corners:
                    known_corners.add(point)
                    self.corners.append(point)
                    self.corner_names.append(f"{name}_{word}")
            for position, (word, _) in enumerate(AROUND):
                edge = edge_of(points[position], points[(position + 1) % 6])
                if edge not in known_edges:
                    known_edges.add(edge)
                    self.edges.append(edge)
                    self.edge_names.append(f"{name}_{word}")


def edge_of(a: Point, b: Point) -> tuple[Point, Point]:
    return (a, b) if a < b else (b, a)


def hexes(names: Sequence[str], numbers: Sequence[int], named: Mapping[str, Any]) -> Shape:
    """`hexes(radius=n)`, `hexes(core=n, rings=k)`, `hexes(rows=[...])`.

    Raises:
        ShapeError: the arguments are of none of these forms, or the board would be too large.
    """
    if len(names) != 3:
        raise ShapeError("hexes have three kinds of places: `board Hex, Edge, Corner = hexes(...)`")
    if numbers:
        raise ShapeError(USAGE)
    region = _Region(_cells(named))
    if len(region.edges) > MAX_PLACES:
        raise ShapeError(
            f"a board has at most {MAX_PLACES} places of a kind; this one would have {len(region.edges)} edges"
        )
    hex_type = EnumType(names[0], tuple(region.hex_names), kind="place")
    edge_type = EnumType(names[1], tuple(region.edge_names), kind="place")
    corner_type = EnumType(names[2], tuple(region.corner_names), kind="place")
    return _Maker(region, hex_type, edge_type, corner_type).shape()


def _cells(arguments: Mapping[str, Any]) -> dict[Cell, int]:
    keys = set(arguments)
    if keys == {"radius"} and isinstance(arguments["radius"], int) and arguments["radius"] >= 0:
        return core_and_rings(1, arguments["radius"])
    if keys == {"core", "rings"} and arguments["core"] >= 1 and arguments["rings"] >= 0:
        return core_and_rings(arguments["core"], arguments["rings"])
    if keys == {"rows"} and isinstance(arguments["rows"], (list, tuple)) and arguments["rows"]:
        return from_rows(list(arguments["rows"]))
    raise ShapeError(USAGE)


@define(eq=False)
class _Maker:
    """The tables of a region: every relation between hexes, edges and corners."""

    region: _Region
    hex: EnumType
    edge: EnumType
    corner: EnumType
    attributes: dict[tuple[str, str], Attribute] = field(factory=dict)
    methods: dict[tuple[str, str], Method] = field(factory=dict)

    def attribute(self, owner: EnumType, name: str, kind: Type, values: Sequence[Any]) -> None:
        table = Table(f"{owner.name}_{name}", ((0, len(owner.members)),), tuple(values))
        self.attributes[(owner.name, name)] = Attribute(kind, table)

    def method(
        self, owner: EnumType, name: str, other: EnumType, kind: Type, compute: Callable[[int, int], Any]
    ) -> None:
        rows, columns = len(owner.members), len(other.members)

        def make() -> Table:
            values = tuple(compute(i, j) for i in range(rows) for j in range(columns))
            return Table(f"{owner.name}_{name}", ((0, rows), (0, columns)), values)

        self.methods[(owner.name, name)] = Method((other,), kind, make)

    def shape(self) -> Shape:
        region = self.region
        hex_at = {cell: i for i, cell in enumerate(region.cells)}
        corner_at = {point: i for i, point in enumerate(region.corners)}
        edge_at = {edge: i for i, edge in enumerate(region.edges)}
        hex_corners = [[corner_at[p] for p in corner_points(cell)] for cell in region.cells]
        hex_edges = []
        for cell in region.cells:
            points = corner_points(cell)
            hex_edges.append([edge_at[edge_of(points[i], points[(i + 1) % 6])] for i in range(6)])
        near = [[hex_at[c] for c in _beside(cell) if c in hex_at] for cell in region.cells]
        ends = [[corner_at[a], corner_at[b]] for a, b in region.edges]
        corner_edges = _inverse(ends, len(region.corners))
        self.hexes(near, hex_edges, hex_corners)
        self.edges(ends, _inverse(hex_edges, len(region.edges)), corner_edges)
        self.corners(_inverse(hex_corners, len(region.corners)), corner_edges, ends)
        loops = self.rings()
        constants: dict[tuple[str, str], tuple[Type, Any]] = {}
        longest = max(len(loop) for loop in loops)
        constants[(self.hex.name, "rings")] = (
            ListType(ListType(self.hex, longest), len(loops)),
            tuple(map(tuple, loops)),
        )
        size = tuple(sum(cell[1] == row for cell in region.cells) for row in sorted({c[1] for c in region.cells}))
        statics: dict[tuple[str, str], StaticMethod] = {}
        return Shape(
            "hexes", size, (self.hex, self.edge, self.corner), self.attributes, self.methods, constants, statics
        )

    def hexes(self, near: list[list[int]], edges: list[list[int]], corners: list[list[int]]) -> None:
        region, kind = self.region, self.hex
        self.attribute(kind, "neighbours", SetType(kind), [mask(n) for n in near])
        self.attribute(kind, "edges", SetType(self.edge), [mask(e) for e in edges])
        self.attribute(kind, "corners", SetType(self.corner), [mask(c) for c in corners])
        rings = [region.rings[cell] for cell in region.cells]
        self.attribute(kind, "ring", IntType(min(rings), max(rings)), rings)
        lowest = region.cells[0][1]
        rows = [cell[1] - lowest for cell in region.cells]
        self.attribute(kind, "row", IntType(0, max(rows)), rows)
        self.attribute(kind, "on_rim", BOOL, [len(n) < 6 for n in near])
        self.method(
            kind,
            "distance",
            kind,
            IntType(0, len(region.cells)),
            lambda i, j: distance(region.cells[i], region.cells[j]),
        )
        hex_at = {cell: i for i, cell in enumerate(region.cells)}
        for word, (dq, dr) in AROUND:
            beside = [hex_at.get((q + dq, r + dr)) for q, r in region.cells]
            self.attribute(kind, word, OptionType(kind), beside)

    def edges(self, ends: list[list[int]], hexes: list[list[int]], corner_edges: list[list[int]]) -> None:
        kind = self.edge
        self.attribute(kind, "ends", SetType(self.corner), [mask(pair) for pair in ends])
        self.attribute(kind, "hexes", SetType(self.hex), [mask(h) for h in hexes])
        joined = [{e for c in pair for e in corner_edges[c]} - {i} for i, pair in enumerate(ends)]
        self.attribute(kind, "neighbours", SetType(kind), [mask(sorted(e)) for e in joined])
        self.attribute(kind, "on_rim", BOOL, [len(h) < 2 for h in hexes])

        def other_end(i: int, corner: int) -> int:
            a, b = ends[i]
            return b if corner == a else a if corner == b else corner

        self.method(kind, "other_end", self.corner, self.corner, other_end)

    def corners(self, hexes: list[list[int]], edges: list[list[int]], ends: list[list[int]]) -> None:
        kind = self.corner
        self.attribute(kind, "hexes", SetType(self.hex), [mask(h) for h in hexes])
        self.attribute(kind, "edges", SetType(self.edge), [mask(e) for e in edges])
        beside = [{c for e in mine for c in ends[e]} - {i} for i, mine in enumerate(edges)]
        self.attribute(kind, "neighbours", SetType(kind), [mask(sorted(c)) for c in beside])
        self.attribute(kind, "on_rim", BOOL, [len(h) < 3 for h in hexes])
        joins = {tuple(sorted(pair)): e for e, pair in enumerate(ends)}
        self.method(kind, "edge_to", kind, OptionType(self.edge), lambda i, j: joins.get((min(i, j), max(i, j))))

    def rings(self) -> list[list[int]]:
        """Each ring clockwise, from its leftmost hex of the middle row on; sets `clockwise`, the next hex of the ring."""
        region = self.region
        hex_at = {cell: i for i, cell in enumerate(region.cells)}
        loops: list[list[int]] = []
        following: list[int | None] = [None] * len(region.cells)
        for ring in range(max(region.rings.values()) + 1):
            members = [cell for cell in region.cells if region.rings[cell] == ring]
            loop = [hex_at[cell] for cell in _clockwise(members)]
            loops.append(loop)
            for position, place in enumerate(loop):
                following[place] = loop[(position + 1) % len(loop)]
        self.attribute(self.hex, "clockwise", self.hex, [f if f is not None else i for i, f in enumerate(following)])
        return loops


def _beside(cell: Cell) -> list[Cell]:
    return [(cell[0] + dq, cell[1] + dr) for _, (dq, dr) in AROUND]


def _clockwise(cells: list[Cell]) -> list[Cell]:
    """Cells around their middle, clockwise from the left."""
    import math

    points = {cell: centre(cell) for cell in cells}
    x = sum(p[0] for p in points.values()) / len(cells)
    y = sum(p[1] for p in points.values()) / len(cells)

    def turn(cell: Cell) -> tuple[float, int]:
        dx, dy = (points[cell][0] - x) * math.sqrt(3) / 2, (points[cell][1] - y) / 2
        angle = (math.pi - math.atan2(dy, dx)) % (2 * math.pi)
        return round(angle, 9) % round(2 * math.pi, 9), cell[0]

    return sorted(cells, key=turn)


def _inverse(lists: list[list[int]], count: int) -> list[list[int]]:
    """For each target: who has it."""
    found: list[list[int]] = [[] for _ in range(count)]
    for i, items in enumerate(lists):
        for item in items:
            found[item].append(i)
    return found
