"""Boards: counts that are known, relations that must agree with each other, and shapes that cannot be made."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rulesdsl.boards import SHAPES, Shape, ShapeError
from rulesdsl.boards.hex import core_and_rings


def hexes(**named: Any) -> Shape:
    return SHAPES["hexes"](["Hex", "Edge", "Corner"], [], named)


def members_of(mask: int) -> list[int]:
    return [i for i in range(mask.bit_length()) if mask >> i & 1]


def related(shape: Shape, owner: str, attribute: str) -> list[list[int]]:
    return [members_of(mask) for mask in shape.attributes[(owner, attribute)].table.values]


def test_the_island_of_nineteen_hexes_has_54_corners_and_72_edges() -> None:
    for shape in (hexes(radius=2), hexes(rows=[3, 4, 5, 4, 3])):
        assert [len(kind.members) for kind in shape.types] == [19, 72, 54]
        assert shape.size == (3, 4, 5, 4, 3)


def test_a_core_of_two_hexes_has_rings_of_8_14_20_and_26() -> None:
    rings = list(core_and_rings(2, 4).values())
    assert [rings.count(ring) for ring in range(5)] == [2, 8, 14, 20, 26]


def test_rings_are_listed_clockwise() -> None:
    shape = hexes(core=2, rings=1)
    names = shape.types[0].members
    rings = shape.constants[("Hex", "rings")][1]
    assert [[names[place] for place in ring] for ring in rings] == [
        ["b2", "b3"],
        ["b1", "c1", "c2", "c3", "b4", "a3", "a2", "a1"],
    ]


SHAPE = st.one_of(
    st.builds(lambda n: hexes(radius=n), st.integers(0, 4)),
    st.builds(lambda c, r: hexes(core=c, rings=r), st.integers(1, 3), st.integers(0, 3)),
    st.builds(lambda n: hexes(rows=[n, n + 1, n + 2, n + 1]), st.integers(1, 4)),
)


@settings(max_examples=20, deadline=None)
@given(SHAPE)
def test_hexes_edges_and_corners_agree_with_each_other(shape: Shape) -> None:
    hex_edges, edge_hexes = related(shape, "Hex", "edges"), related(shape, "Edge", "hexes")
    hex_corners, corner_hexes = related(shape, "Hex", "corners"), related(shape, "Corner", "hexes")
    edge_ends, corner_edges = related(shape, "Edge", "ends"), related(shape, "Corner", "edges")
    assert all(len(edges) == 6 for edges in hex_edges) and all(len(corners) == 6 for corners in hex_corners)
    assert all(len(ends) == 2 for ends in edge_ends)
    for ours, theirs in ((hex_edges, edge_hexes), (hex_corners, corner_hexes), (edge_ends, corner_edges)):
        assert {(a, b) for a, many in enumerate(ours) for b in many} == {
            (a, b) for b, many in enumerate(theirs) for a in many
        }
    hexes_, edges, corners = (len(kind.members) for kind in shape.types)
    assert corners - edges + hexes_ == 1  # Euler: a region without holes


@settings(max_examples=20, deadline=None)
@given(SHAPE)
def test_neighbours_are_mutual_and_one_step_away(shape: Shape) -> None:
    count = len(shape.types[0].members)
    distance = shape.methods[("Hex", "distance")].table.values
    near = related(shape, "Hex", "neighbours")
    for a in range(count):
        assert near[a] == [b for b in range(count) if distance[a * count + b] == 1]
        assert all(a in near[b] for b in near[a])


@settings(max_examples=20, deadline=None)
@given(SHAPE)
def test_the_other_end_of_an_edge_leads_there_and_back(shape: Shape) -> None:
    corners = len(shape.types[2].members)
    other = shape.methods[("Edge", "other_end")].table.values
    for edge, ends in enumerate(related(shape, "Edge", "ends")):
        a, b = ends
        assert other[edge * corners + a] == b and other[edge * corners + b] == a


@settings(max_examples=20, deadline=None)
@given(SHAPE)
def test_place_names_are_words_and_all_different(shape: Shape) -> None:
    names = [name for kind in shape.types for name in kind.members]
    assert len(set(names)) == len(names)
    assert all(name.isidentifier() for name in names)


@pytest.mark.parametrize(
    ("kind", "names", "numbers", "named"),
    [
        ("grid", ["Cell"], [5], {}),
        ("grid", ["Cell"], [0, 5], {}),
        ("grid", ["Cell"], [100, 100], {}),
        ("grid", ["Cell", "Edge"], [3, 3], {}),
        ("grid", ["Cell"], [3, 3], {"radius": 2}),
        ("rhombus", ["Cell"], [5], {}),
        ("rhombus", ["Cell"], [100, 100], {}),
        ("track", ["Place"], [], {}),
        ("track", ["Place"], [5000], {}),
        ("hexes", ["Hex"], [], {"radius": 2}),
        ("hexes", ["Hex", "Edge", "Corner"], [3], {}),
        ("hexes", ["Hex", "Edge", "Corner"], [], {"rows": [3, 3]}),
        ("hexes", ["Hex", "Edge", "Corner"], [], {"core": 0, "rings": 1}),
        ("hexes", ["Hex", "Edge", "Corner"], [], {"radius": 40}),
    ],
)
def test_a_shape_that_cannot_be_made_says_why(
    kind: str, names: list[str], numbers: list[int], named: dict[str, Any]
) -> None:
    with pytest.raises(ShapeError, match=r"\w"):
        SHAPES[kind](names, numbers, named)


def test_a_grid_counts_from_the_lower_left() -> None:
    shape = SHAPES["grid"](["Cell"], [3, 2], {})
    assert shape.types[0].members == ("a1", "b1", "c1", "a2", "b2", "c2")
    assert related(shape, "Cell", "neighbours")[0] == [1, 3]
    assert related(shape, "Cell", "diagonals")[0] == [4]
    lines = shape.statics[("Cell", "lines")].call([3])[1]
    assert [members_of(line) for line in lines] == [[0, 1, 2], [3, 4, 5]]


def test_rays_go_to_the_edge() -> None:
    shape = SHAPES["grid"](["Cell"], [8, 8], {})
    rays = {attr: shape.attributes[("Cell", attr)].table.values for attr in ("rays", "straight_rays", "diagonal_rays")}
    assert [len(rays["rays"][i]) for i in (0, 1, 9)] == [3, 5, 8]
    assert all(sum(map(len, of)) == 14 for of in rays["straight_rays"])  # a rook's moves on an empty board
    assert sum(len(ray) for of in rays["diagonal_rays"] for ray in of) == 560  # and all those of a bishop
    ray = shape.methods[("Cell", "ray")].table
    assert ray.values[4] == () and ray.values[8] == (9, 18, 27, 36, 45, 54, 63)
    assert ray.outside == ()


def test_a_knight_has_336_moves() -> None:
    _, table = SHAPES["grid"](["Cell"], [8, 8], {}).relations[("Cell", "leaps")].call([1, 2])
    assert sum(mask.bit_count() for mask in table.values) == 336


@settings(max_examples=20, deadline=None)
@given(st.sampled_from(["grid", "rhombus"]), st.integers(1, 5), st.integers(1, 5), st.integers(1, 5))
def test_the_lines_through_the_cells_are_all_lines(kind: str, columns: int, rows: int, length: int) -> None:
    shape = SHAPES[kind](["Cell"], [columns, rows], {})
    lines = shape.statics[("Cell", "lines")].call([length])[1]
    assert len(set(lines)) == len(lines) and all(line.bit_count() == length for line in lines)
    through = shape.relations[("Cell", "lines")].call([length])[1].values
    assert through == tuple(tuple(line for line in lines if line >> i & 1) for i in range(columns * rows))


@settings(max_examples=20, deadline=None)
@given(st.sampled_from(["grid", "rhombus"]), st.integers(1, 5), st.integers(1, 5))
def test_between_two_cells_of_a_line_is_the_line_without_them(kind: str, columns: int, rows: int) -> None:
    shape = SHAPES[kind](["Cell"], [columns, rows], {})
    count = columns * rows
    expected = {
        (i, ray[end]): sum(1 << cell for cell in ray[:end])
        for i, rays in enumerate(shape.attributes[("Cell", "rays")].table.values)
        for ray in rays
        for end in range(len(ray))
    }
    between = shape.methods[("Cell", "between")].table.values
    assert {divmod(n, count): cells for n, cells in enumerate(between) if cells} == {
        pair: cells for pair, cells in expected.items() if cells
    }


@settings(max_examples=10, deadline=None)
@given(st.integers(1, 5), st.integers(1, 5))
def test_cells_of_a_rhombus_touch_those_one_step_away(columns: int, rows: int) -> None:
    shape = SHAPES["rhombus"](["Cell"], [columns, rows], {})
    count = columns * rows
    distance = shape.methods[("Cell", "distance")].table.values
    for a, near in enumerate(related(shape, "Cell", "neighbours")):
        assert near == [b for b in range(count) if distance[a * count + b] == 1]
        assert shape.attributes[("Cell", "on_edge")].table.values[a] == (len(near) < 6)


def test_a_track_ends_at_both_ends() -> None:
    shape = SHAPES["track"](["Place"], [3], {})
    assert shape.attributes[("Place", "next")].table.values == (1, 2, None)
    assert shape.attributes[("Place", "previous")].table.values == (None, 0, 1)
