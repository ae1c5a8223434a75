"""Types: sizes, the order of values, and that what is known of one program's types is not taken for another's."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from rulesdsl.types import (
    BOOL,
    BagType,
    EnumType,
    IntType,
    MapType,
    OptionType,
    RecordType,
    SetType,
    Type,
    contains,
    index_of,
    size,
    value_at,
    values,
)

COLOUR = EnumType("Colour", ("red", "blue", "green"))
SCALARS = st.one_of(
    st.just(BOOL), st.just(COLOUR), st.builds(lambda lo, n: IntType(lo, lo + n), st.integers(-3, 3), st.integers(0, 4))
)


def bigger(inner: st.SearchStrategy[Type]) -> st.SearchStrategy[Type]:
    return st.one_of(
        st.builds(OptionType, inner.filter(lambda t: not isinstance(t, OptionType))),
        st.builds(lambda a, b: RecordType("Pair", (("a", a), ("b", b))), inner, inner),
    )


FINITE: st.SearchStrategy[Type] = st.recursive(SCALARS, bigger, max_leaves=4).filter(lambda t: (size(t) or 10**6) <= 500)


@given(FINITE)
def test_values_are_listed_in_the_order_of_their_index(kind: Type) -> None:
    listed = list(values(kind))
    assert len(listed) == size(kind)
    assert [index_of(kind, value) for value in listed] == list(range(len(listed)))
    assert [value_at(kind, index) for index in range(len(listed))] == listed
    assert all(contains(kind, value) for value in listed)


@given(FINITE, st.one_of(st.none(), st.integers(-50, 50), st.booleans(), st.text(max_size=2), st.tuples(st.integers(0, 3))))
def test_only_its_values_belong_to_a_type(kind: Type, value: Any) -> None:
    listed = [(type(v), v) for v in values(kind)]
    assert contains(kind, value) == ((type(value), value) in listed)


def test_two_programs_may_have_records_of_one_name() -> None:
    small = RecordType("Piece", (("n", IntType(0, 2)),))
    large = RecordType("Piece", (("n", IntType(0, 9)),))
    assert [size(OptionType(small)), size(OptionType(large)), size(OptionType(small))] == [4, 11, 4]


def test_two_specialisations_may_have_different_seats() -> None:
    two, three = (EnumType("Player", tuple(f"player{i}" for i in range(n)), kind="player") for n in (2, 3))
    assert [size(MapType(two, BOOL)), size(MapType(three, BOOL))] == [4, 8]
    assert [size(SetType(two)), size(SetType(three))] == [4, 8]


def test_bags_have_too_many_values_to_count() -> None:
    assert size(BagType(COLOUR)) is None
    assert contains(BagType(COLOUR), (0, 255, 3)) and not contains(BagType(COLOUR), (0, 256, 3))
