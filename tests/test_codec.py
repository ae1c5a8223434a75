"""Values in their four forms, and moves as text."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from interpreter.codec import Codec, NamedBag, NamedMap, NamedSet, canonical, show
from interpreter.errors import ValueProblem
from interpreter.movetext import parse_move, parse_value
from interpreter.prose import prose
from rulesdsl.types import (
    BOOL,
    BagType,
    EnumType,
    IntType,
    ListType,
    MapType,
    OptionType,
    RecordType,
    SetType,
    Type,
    contains,
    size,
    values,
)

TILE = EnumType("Tile", ("zero", "one", "two", "six", "seven", "king"))
PLAYER = EnumType("Player", ("guardian", "marauder"), kind="player")
SQUARE = EnumType("Square", tuple(f"{c}{r}" for r in "123" for c in "abc"), kind="place")
PIECE = RecordType("Piece", (("owner", PLAYER), ("tile", OptionType(TILE))))
MANY = EnumType("Edge", tuple(f"edge{n}" for n in range(300)), kind="place")
SIMPLE: list[Type] = [
    MANY,
    SetType(MANY),
    BOOL,
    IntType(-3, 12),
    TILE,
    PLAYER,
    SQUARE,
    PIECE,
    RecordType("Nest", (("a", PIECE), ("n", IntType(0, 1)))),
]


def forms() -> st.SearchStrategy[Type]:
    """Small types of every shape."""
    items = st.sampled_from(SIMPLE)
    keyed = st.sampled_from([BOOL, PLAYER, TILE, PIECE, IntType(0, 3), OptionType(PLAYER)])
    part = items | items.map(OptionType) | keyed.map(SetType) | keyed.map(BagType)
    return st.one_of(part, part.map(lambda t: ListType(t, 3)), st.builds(MapType, keyed, part))


def value_of(t: Type) -> st.SearchStrategy[Any]:
    """The values of a type, in internal form."""
    if isinstance(t, RecordType):
        return st.tuples(*(value_of(part) for _, part in t.fields))
    if isinstance(t, OptionType):
        return st.none() | value_of(t.item)
    if isinstance(t, SetType):
        return st.integers(0, 2 ** (size(t.item) or 0) - 1)
    if isinstance(t, BagType):
        return st.tuples(*[st.integers(0, 255)] * (size(t.item) or 0))
    if isinstance(t, ListType):
        return st.lists(value_of(t.item), max_size=t.limit).map(tuple)
    if isinstance(t, MapType):
        return st.tuples(*[value_of(t.value)] * (size(t.key) or 0))
    return st.sampled_from(list(values(t)))


typed = forms().flatmap(lambda t: st.tuples(st.just(t), value_of(t)))


@given(typed)
def test_every_form_leads_back(case: tuple[Type, Any]) -> None:
    t, value = case
    codec = Codec()
    assert contains(t, value)
    plain = codec.plain(t, value)
    assert json.loads(json.dumps(plain)) == plain
    assert codec.internal(t, plain) == value
    assert codec.json(t)(value) == canonical(plain) == json.dumps(plain, sort_keys=True, separators=(",", ":"))
    named = codec.named(t, value)
    assert codec.internal(t, named) == value
    assert codec.converter.unstructure(named) == plain
    assert hash(named) == hash(codec.named(t, value)) and named == codec.named(t, value)
    assert parse_value(codec, t, codec.text(t, value)) == value
    assert parse_value(codec, t, codec.text(t, value), lenient=True) == value


def test_forms_by_example() -> None:
    codec = Codec()
    piece = (0, 4)
    assert codec.plain(PIECE, piece) == {"owner": "guardian", "tile": "seven"}
    assert codec.text(PIECE, piece) == "Piece(owner=guardian, tile=seven)"
    named = codec.named(PIECE, piece)
    assert (named.owner, named.tile, str(named)) == ("guardian", "seven", "Piece(owner=guardian, tile=seven)")
    assert codec.named(SetType(SQUARE), 0b101) == {"c1", "a1"}
    assert codec.text(SetType(SQUARE), 0b101) == "{a1, c1}"
    assert codec.plain(BagType(TILE), (0, 2, 0, 0, 0, 1)) == {"one": 2, "king": 1}
    assert codec.plain(BagType(PIECE), (0, 3, *[0] * 12)) == [[{"owner": "guardian", "tile": "zero"}, 3]]
    assert codec.text(BagType(TILE), (0, 2, 0, 0, 0, 1)) == "{one: 2, king: 1}"
    assert codec.named(MapType(PLAYER, IntType(0, 9)), (3, 4)) == {"guardian": 3, "marauder": 4}
    assert codec.plain(MapType(OptionType(PLAYER), BOOL), (True, False, False)) == {
        "none": True,
        "guardian": False,
        "marauder": False,
    }
    assert show(None) == "none" and show(True) == "true" and show((1, 2)) == "[1, 2]"


def test_named_collections_behave_like_pythons_own() -> None:
    few = NamedSet(["b", "a"])
    assert few == {"a", "b"} and list(few) == ["b", "a"] and few | {"c"} == {"a", "b", "c"} and "a" in few
    assert hash(few) == hash(NamedSet(["a", "b"]))
    bag = NamedBag({"white": 2})
    assert bag["black"] == 0 and bag.total == 2 and bag == {"white": 2}
    assert NamedMap({"a": 1}) == {"a": 1} and hash(NamedMap({"a": 1})) == hash(NamedMap([("a", 1)]))


WRONG: list[tuple[Type, Any, str]] = [
    (TILE, "sevn", "at: sevn is not a Tile; did you mean seven?"),
    (TILE, "xylophone", "at: xylophone is not a Tile: it is one of zero, one, two, six, seven, king"),
    (TILE, 3, "at: 3 is not a Tile"),
    (SQUARE, "c4", "at: c4 is not a Square: it is one of a1, b1, c1, a2, b2, c2, a3, b3, c3"),
    (IntType(0, 9), 10, "at: 10 is not a number within 0..9"),
    (IntType(0, 9), True, "at: true is not a number within 0..9"),
    (IntType(0, 9), "5", "at: 5 is not a number within 0..9"),
    (BOOL, 1, "at: 1 is not a bool"),
    (PIECE, {"owner": "guardian"}, "at: Piece lacks its field tile"),
    (PIECE, {"owner": "guardian", "tiel": None, "tile": None}, "at: Piece has no field tiel; did you mean tile?"),
    (PIECE, {"owner": "guardain", "tile": None}, "at.owner: guardain is not a Player; did you mean guardian?"),
    (PIECE, "seven", "at: seven is not a Piece"),
    (SetType(TILE), ["one", "one"], "at: one is there twice"),
    (SetType(TILE), "one", "at: one is not a set[Tile]"),
    (BagType(TILE), {"one": 0}, "at[one]: 0 is not a count from 1 to 255"),
    (BagType(TILE), {"one": 1.0}, "at[one]: 1.0 is not a count from 1 to 255"),
    (BagType(TILE), ["one"], "at: [one] is not a bag[Tile]"),
    (ListType(TILE, 2), ["one", "two", "six"], "at: 3 elements do not fit into list[Tile, 2]"),
    (ListType(TILE, 2), ["one", "tow"], "at[1]: tow is not a Tile; did you mean two?"),
    (MapType(PLAYER, BOOL), {"guardian": True}, "at: marauder is missing"),
    (MapType(PLAYER, BOOL), {"guardian": True, "marauder": 1}, "at[marauder]: 1 is not a bool"),
    (OptionType(TILE), "sevn", "at: sevn is not a Tile; did you mean seven?"),
]


@pytest.mark.parametrize(("t", "data", "message"), WRONG, ids=[message for _, _, message in WRONG])
def test_what_does_not_fit_is_refused_with_its_place(t: Type, data: Any, message: str) -> None:
    with pytest.raises(ValueProblem) as caught:
        Codec().internal(t, data, "at")
    assert str(caught.value) == message


ACTIONS: list[tuple[str, list[tuple[str, Type]]]] = [
    ("place", [("tile", TILE), ("at", SQUARE)]),
    ("plan", [("moves", SetType(TILE)), ("piece", PIECE)]),
    ("wait", []),
]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("place(seven, c3)", ("place", (4, 8))),
        ("place( seven ,c3 )", ("place", (4, 8))),
        ("place(at=c3, tile=seven)", ("place", (4, 8))),
        ("place(seven, at=c3)", ("place", (4, 8))),
        ("plan({one, two}, Piece(owner=marauder, tile=none))", ("plan", (6, (1, None)))),
        ("plan({}, Piece(guardian, king))", ("plan", (0, (0, 5)))),
        ("wait", ("wait", ())),
        ("wait()", ("wait", ())),
        ("pass", ("pass", ())),
    ],
)
def test_moves_as_logs_write_them(text: str, expected: Any) -> None:
    assert parse_move(Codec(), ACTIONS, text) == expected
    assert parse_move(Codec(), ACTIONS, text, lenient=True) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("place seven c3", ("place", (4, 8))),
        ("place sev C3", ("place", (4, 8))),
        ("PLACE seven, c3", ("place", (4, 8))),
        ("plac at=c3 tile=k", ("place", (5, 8))),
        ("w", ("wait", ())),
        ("p", None),
    ],
)
def test_moves_as_people_type_them(text: str, expected: Any) -> None:
    def read(lenient: bool) -> Any:
        return parse_move(Codec(), ACTIONS, text, lenient)

    with pytest.raises(ValueProblem):
        read(False)
    if expected is None:
        with pytest.raises(ValueProblem, match="p may be place, plan"):
            read(True)
    else:
        assert read(True) == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("plase(seven, c3)", "there is no action plase; did you mean place?"),
        ("place(seven)", "place needs tile, at: at is missing"),
        ("place(seven, c3, d4)", "place takes tile, at: 'd4' is too much"),
        ("place(seven, c3) now", "'now' is too much in 'place(seven, c3) now'"),
        ("place(seven, c3", "expected ')' at the end of 'place(seven, c3'"),
        ("place(seven, where=c3)", "place has no where"),
        ("place(tile=seven, tile=six)", "tile is given twice"),
        ("place(sevn, c3)", "tile: sevn is not a Tile; did you mean seven?"),
        ("place(seven, c9)", "at: c9 is not a Square: it is one of a1, b1, c1, a2, b2, c2, a3, b3, c3"),
        ("plan({one, one}, Piece(guardian, one))", "moves: one is there twice"),
        ("plan({one}, Peace(guardian, one))", "piece: Peace is not a Piece"),
        ("", "expected an action at the end of ''"),
        ("(", "expected an action before '('"),
    ],
)
def test_text_that_is_no_move(text: str, message: str) -> None:
    with pytest.raises(ValueProblem) as caught:
        parse_move(Codec(), ACTIONS, text)
    assert str(caught.value) == message


@given(st.text(alphabet="place(sevn,c3){}=: [Piece]1-", max_size=40))
def test_no_text_breaks_the_reader(text: str) -> None:
    read: list[Callable[[], Any]] = [
        lambda: parse_move(Codec(), ACTIONS, text),
        lambda: parse_move(Codec(), ACTIONS, text, lenient=True),
        lambda: parse_value(Codec(), PIECE, text),
    ]
    for attempt in read:
        try:
            attempt()
        except ValueProblem as problem:
            assert str(problem)


STACK = EnumType("Stack", ("first_stack", "second_stack"))
SEAT = EnumType("Player", ("old_king", "ana"), kind="player")
PLACE = EnumType("Corner", ("a1_up", "b2_up"), kind="place")


@pytest.mark.parametrize(
    ("t", "value", "told"),
    [
        (BagType(TILE), NamedBag({"zero": 1, "two": 2}), "1 zero and 2 two"),
        (BagType(IntType(1, 9)), NamedBag({7: 2, 3: 1}), "3, 7 and 7"),
        (BagType(TILE), NamedBag({}), "nothing"),
        (SetType(SQUARE), NamedSet(["a1", "b2", "c3"]), "a1, b2 and c3"),
        (MapType(PLAYER, OptionType(TILE)), NamedMap({"guardian": "king", "marauder": None}), "guardian: king and marauder: nothing"),
        (ListType(OptionType(SEAT), 3), ("ana", None), "ana and nobody"),
        (STACK, "first_stack", "first stack"),
        (SetType(STACK), NamedSet(["first_stack", "second_stack"]), "first stack and second stack"),
        (OptionType(STACK), None, "nothing"),
        (SEAT, "old_king", "old_king"),
        (PLACE, "a1_up", "a1_up"),
        (BOOL, True, "true"),
    ],
)  # fmt: skip
def test_a_sentence_tells_values_in_words(t: Type, value: Any, told: str) -> None:
    codec = Codec()
    assert prose(codec, t, codec.internal(t, value)) == told
