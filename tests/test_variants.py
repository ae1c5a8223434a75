"""Variants: what composing them gives, in whatever order; variants of variants; locks; differences."""

from __future__ import annotations

import json
import random
from itertools import permutations
from pathlib import Path

import pytest
from attrs import evolve
from hypothesis import given, settings
from hypothesis import strategies as st

from rulesdsl import syntax
from rulesdsl.diagnostics import RulesFileError, Source, render
from rulesdsl.formatting.format import canonical
from rulesdsl.parsing.parse import parse
from rulesdsl.program import check_source, compose_source, load_source, parse_text, read_source
from rulesdsl.variants.clauses import clauses_of
from rulesdsl.variants.compose import compose
from rulesdsl.variants.diff import as_json, as_written, difference
from rulesdsl.variants.lock import lock_text, stale

ROOT = Path(__file__).parent
HARBOUR = Source("harbour.rules", (ROOT / "mistakes" / "harbour.rules").read_text(encoding="utf-8"))
BASE = parse_text(HARBOUR)


def variant(name: str, *deltas: str, of: str = '"harbour.rules"') -> str:
    return "\n\n".join([f"variant {name} of {of}", *deltas]) + "\n"


def module(name: str, *deltas: str) -> syntax.Module:
    return parse_text(Source(f"{name}.rules", variant(name, *deltas)))


def source(name: str, *deltas: str, base: Source = HARBOUR) -> Source:
    return Source(f"{name}.rules", variant(name, *deltas, of=f'"{base.name}"'), base)


def text_of(program: syntax.Module) -> str:
    return "\n".join(canonical(decl) for decl in program.declarations)


def clause_texts(program: syntax.Module) -> dict[str, str]:
    return {clause.name: clause.text for clause in clauses_of(program).values()}


def parts_apart(program: syntax.Module) -> dict[str, str]:
    """The clauses, without what order the requires of an action stand in."""
    return {clause.name: clause.text_without(clause.parts) for clause in clauses_of(program).values()}


# ---------------------------------------------------------------- the laws of composing

# One delta for each thing that can be touched; no two touch the same.
APART = [
    "set size = 5",
    "replace const hand_size = 2",
    "replace const last_round = 10",
    "add param wind: 0..3 = 1",
    "add const calm = 0",
    "replace def lit(p: Player) -> int:\n    return 3",
    "replace def taken(c: Cell) -> bool:\n    return false",
    "remove def colour_at, best_of because \"nobody asks\"",
    "add def dark(c: Cell) -> bool:\n    return not taken(c)",
    "add def bright(c: Cell) -> bool:\n    return taken(c)",
    'replace event RoundBegan:\n    "a round begins"\n    rounds += 1',
    'add event Calm:\n    "the wind drops"',
    'replace require hang.vacant: true else "never"',
    'remove require hang.room because "there is room"',
    'add require hang.near: true else "never"',
    'add require hang.late: rounds > 0 else "not yet"',
    'add require show.late: rounds > 0 else "not yet"',
    "replace member Card.moss(green, 2)",
    "remove member Card.torch because \"too dim\"",
    "add member Card: lamp(red, 3), ice(blue, 1)",
    "add member Card: reed(green, 1)",
    "add member Colour: white",
    "replace field guest: Player? = none",
    "remove field shown because \"nothing is shown\"",
    "add field calm_rounds: 0..9",
    "add field hidden storms: 0..9",
    'replace step main.deal because "fewer cards":\n    for p in Player:\n        draw_card(p)',
    "before step main.deal:\n    emit RoundBegan()",
    "after step main.deal:\n    emit RoundBegan()",
    "before step main.play:\n    emit RoundBegan()",
    "add choice main.play: idle or nap(2)",
    "add choice main.play: rest",
    "add action idle:\n    emit RoundBegan()",
    "add action nap(n: 1..2):\n    emit RoundBegan()",
    "add action rest:\n    emit RoundBegan()",
    'remove step main.play because "it is over"',
    "replace flow draw_card(p: Player):\n    return",
    "remove flow sail because \"nobody sails\"",
    "replace measure best_card(p: Player) -> int:\n    1",
    "add goals best_card, lanterns",
    "add measure luck(_p: Player) -> int:\n    1",
    'replace invariant "no card is made or lost":\n    true',
    'remove transition "boats never sail back" because "they may"',
    "replace terminates within 60 choices",
    'remove scenario "a hand is dealt" because "there are no hands"',
    'add scenario "nothing":\n    expect rounds == 0',
    'add invariant "nothing":\n    true',
    "add enum Weather:\n    rain, sun",
    "add record Storm:\n    at: Cell",
    "add board Row = track(4)",
    "add flow storm:\n    return",
    "add action wait:\n    emit RoundBegan()",
]
# What is put around a step that another removes is a conflict, so those are kept apart.
AGAINST = dict.fromkeys(
    ["before step main.play:\n    emit RoundBegan()", "add choice main.play: idle or nap(2)", "add choice main.play: rest"],
    'remove step main.play because "it is over"',
)


@st.composite
def apart(draw: st.DrawFn) -> list[tuple[str, list[str]]]:
    """Variants with deltas that have nothing to do with each other."""
    chosen = draw(st.lists(st.sampled_from(APART), min_size=1, max_size=12, unique=True))
    chosen = [delta for delta in chosen if AGAINST.get(delta) not in chosen]
    names = draw(st.permutations(["north", "east", "south", "west"]))
    shares = [(name, [d for i, d in enumerate(chosen) if i % 4 == number]) for number, name in enumerate(names)]
    return [(name, deltas) for name, deltas in shares if deltas]


@given(apart())
@settings(max_examples=60, deadline=None)
def test_variants_have_no_order(shares: list[tuple[str, list[str]]]):
    variants = [module(name, *deltas) for name, deltas in shares]
    made = compose(BASE, variants)
    assert not made.diagnostics, render(made.diagnostics)
    for order in list(permutations(variants))[1:]:
        other = compose(BASE, order)
        assert text_of(other.module) == text_of(made.module)
        assert other.overrides == made.overrides


@given(apart(), st.integers(0, 2**16))
@settings(max_examples=60, deadline=None)
def test_the_deltas_of_a_variant_have_no_order_but_for_what_is_added(shares: list[tuple[str, list[str]]], seed: int):
    deltas = [delta for _, some in shares for delta in some]
    made = compose(BASE, [module("all", *deltas)]).module
    random.Random(seed).shuffle(deltas)
    assert parts_apart(compose(BASE, [module("all", *deltas)]).module) == parts_apart(made)


@given(apart())
@settings(max_examples=60, deadline=None)
def test_one_on_the_other_is_both_together(shares: list[tuple[str, list[str]]]):
    variants = [module(name, *deltas) for name, deltas in shares]
    together = compose(BASE, variants).module
    stepwise = BASE
    for _, one in sorted((name, one) for (name, _), one in zip(shares, variants, strict=True)):
        stepwise = compose(stepwise, [one]).module
    assert clause_texts(stepwise) == clause_texts(together)


@given(apart())
@settings(max_examples=30, deadline=None)
def test_nothing_is_lost_and_nothing_else_is_touched(shares: list[tuple[str, list[str]]]):
    made = compose(BASE, [module(name, *deltas) for name, deltas in shares])
    found = difference(BASE, made.module, made.overrides)
    touched = {change.variant for change in found.changes if change.kind not in ("flow", "action")}
    assert touched <= {name for name, _ in shares}
    assert found.unchanged + sum(change.sign != "+" for change in found.changes) == found.total


TOGETHER = [
    ("set size = 3", "set size = 5"),
    ("set size = 3", "replace param size: 2..9 = 4"),
    ("replace const hand_size = 2", 'remove const hand_size because "no hands"'),
    ("add def far() -> int:\n    return 1", "add field far: 0..9"),
    ("add member Card: lamp(red, 3)", "add member Card: reed(green, 1), lamp(red, 1)"),
    ("add member Colour: white", "replace enum Colour:\n    red, green, blue"),
    ('add require hang.near: true else "never"', "replace action hang(card in distinct(hand[me]), at in Cell):\n    emit RoundBegan()"),
    ("replace step main.deal:\n    pass", "replace flow main:\n    end tie"),
    ("before step main.deal:\n    pass", "before step main.deal:\n    emit RoundBegan()"),
    ("after step main.deal:\n    pass", 'remove step main.deal because "no hands"'),
    ("add goals best_card", "add goals lanterns, best_card"),
    ("replace board Cell = grid(4, 4)", 'remove board Cell because "no board"'),
    ('remove scenario "a hand is dealt" because "x"', 'replace scenario "a hand is dealt":\n    expect rounds == 0'),
]  # fmt: skip


@given(st.sampled_from(TOGETHER), apart())
@settings(max_examples=60, deadline=None)
def test_a_conflict_is_told_in_the_same_words_in_any_order(pair: tuple[str, str], shares: list[tuple[str, list[str]]]):
    first, second = pair
    one, other = module("aft", first), module("bow", second)
    more = [module(name, *deltas) for name, deltas in shares]
    told = {render(compose(BASE, order).diagnostics) for order in permutations([one, other, *more[:2]])}
    assert len(told) == 1
    assert "error[X802]" in told.pop()


@pytest.mark.parametrize("pair", TOGETHER)
def test_both_places_of_a_conflict_are_shown(pair: tuple[str, str]):
    (item,) = compose(BASE, [module("aft", pair[0]), module("bow", pair[1])]).diagnostics
    assert {item.span.source.name, item.labels[0].span.source.name} == {"aft.rules", "bow.rules"}
    (item,) = compose(BASE, [module("both", *pair)]).diagnostics
    assert item.code == "X802"
    assert item.labels[0].span.line < item.span.line


def test_what_is_inside_a_step_is_in_conflict_with_the_step():
    nested = evolve(HARBOUR, text=HARBOUR.text.replace("        while rounds", "        step rounds:\n            pass\n        while rounds"))
    base = parse_text(nested)
    (item,) = compose(base, [module("aft", "replace step main.play:\n    end tie"), module("bow", "before step main.rounds:\n    pass")]).diagnostics
    assert item.code == "X802"
    assert "with step `main.play`" in item.title


# ---------------------------------------------------------------- variants of variants


def test_choices_of_several_variants_stand_side_by_side_and_are_clauses_of_their_own():
    north = module("north", "add choice main.play: idle", "add action idle:\n    emit RoundBegan()")
    south = module("south", "add choice main.play: nap(2)", "add action nap(n: 1..2):\n    emit RoundBegan()")
    made = compose(BASE, [south, north])
    assert not made.diagnostics, render(made.diagnostics)
    (play,) = [d for d in made.module.declarations if isinstance(d, syntax.Flow) and d.name.id == "main"]
    assert "p chooses hang or show or idle or nap(2)" in canonical(play)
    texts = clause_texts(made.module)
    assert texts["choice main.play.idle"] == "idle" and texts["choice main.play.nap"] == "nap(2)"
    assert texts["step main.play"] == clause_texts(BASE)["step main.play"]
    assert {change.clause for change in difference(BASE, made.module, made.overrides).changes} == {
        "choice main.play.idle", "choice main.play.nap", "action idle", "action nap",
    }  # fmt: skip


def test_scenarios_are_removed_by_what_they_name_but_not_those_that_are_told_of():
    more = 'add scenario "a round":\n    run draw_card(player0)\n    draw ember'
    kept = 'add scenario "rounds":\n    expect rounds == 0'
    first = module("first", more, kept)
    by_place = module("second", 'remove scenarios naming Cell because "the shore is another"')
    made = compose(BASE, [first, by_place], {"second": frozenset({"first"})})
    assert not made.diagnostics, render(made.diagnostics)
    assert [name for name in clause_texts(made.module) if name.startswith("scenario")] == ['scenario "a round"', 'scenario "rounds"']
    by_flow = module("second", 'remove scenarios naming draw_card because "nobody draws"', 'replace scenario "a round":\n    expect rounds == 0')
    made = compose(BASE, [first, by_flow], {"second": frozenset({"first"})})
    assert not made.diagnostics, render(made.diagnostics)
    texts = clause_texts(made.module)
    assert "expect rounds == 0" in texts['scenario "a round"'] and 'scenario "a hand is dealt"' in texts
    made = compose(BASE, [by_place])
    (change,) = difference(BASE, made.module, made.overrides).changes
    assert (change.sign, change.clause) == ("-", "scenarios naming Cell")
    assert change.was.split("\n") == ["nobody hangs two lanterns on one cell", "a hand is dealt"]
    assert change.because == "the shore is another"


def test_a_line_that_removes_several_is_as_many_lines():
    apart = ['remove require show.held_back because "x"', 'remove require hang.room because "x"', 'remove def best_of because "x"']
    together = ['remove require show.held_back, hang.room because "x"', 'remove def best_of because "x"']
    one, three = compose(BASE, [module("m", *together)]), compose(BASE, [module("m", *apart)])
    assert text_of(one.module) == text_of(three.module) and not one.diagnostics
    assert {o.key for o in one.overrides} == {o.key for o in three.overrides}
    texts = [f'"{decl.text.text}"' for decl in BASE.declarations if isinstance(decl, syntax.Scenario)]
    several = compose(BASE, [module("m", f'remove scenario {", ".join(texts)} because "x"')])
    assert len(texts) > 1 and not any(isinstance(decl, syntax.Scenario) for decl in several.module.declarations)


def test_each_name_of_a_line_that_removes_has_a_place_of_its_own():
    found = check_source(source("m", 'remove def lit, bestof because "x"'))
    assert [(d.code, d.span.text) for d in found if d.code == "X801"] == [("X801", "bestof")]
    clash = check_source(source("m", 'remove def lit, best_of because "x"', 'remove def best_of because "y"'))
    assert [(d.code, d.span.line) for d in clash] == [("X802", 5)]


def test_what_a_variant_of_a_variant_puts_after_a_step_stands_behind_what_that_one_has_put_there():
    first = module("first", "after step main.deal:\n    emit RoundBegan()", "before step main.deal:\n    emit RoundBegan()")
    second = module("second", "after step main.deal:\n    emit Calm", "before step main.deal:\n    emit Calm", "add event Calm:\n    rounds += 2")
    made = compose(BASE, [second, first], {"second": frozenset({"first"})})
    (flow,) = [d for d in made.module.declarations if isinstance(d, syntax.Flow) and d.name.id == "main"]
    told = [line.strip() for line in canonical(flow).split("\n")]
    blocks = [(word, told[place + 1]) for place, line in enumerate(told) for word in ("before", "after") if line.startswith(word)]
    assert blocks == [("before", "emit RoundBegan()"), ("before", "emit Calm"), ("after", "emit RoundBegan()"), ("after", "emit Calm")]
    texts = clause_texts(made.module)
    assert "RoundBegan" in texts["after main.deal"] and "Calm" in texts["after main.deal (2)"]


def test_a_choice_is_in_conflict_with_the_same_choice_and_with_another_step():
    choice = module("north", "add choice main.play: hide", "add action hide:\n    emit RoundBegan()")
    again = module("south", "add choice main.play: hide")
    assert [d.code for d in compose(BASE, [choice, again]).diagnostics] == ["X802"]
    step = module("south", "replace step main.play:\n    for p in Player:\n        p chooses hang")
    assert [d.code for d in compose(BASE, [choice, step]).diagnostics] == ["X802"]


def test_a_variant_of_a_variant_changes_what_that_one_has_made():
    first = source("windy", "set size = 5", "add const wind = 2", "after step main.deal:\n    emit RoundBegan()")
    second = source(
        "stormy", "set size = 6", "replace const wind = 3", "after step main.deal:\n    emit RoundBegan()", base=first
    )
    made = compose_source(second)
    texts = clause_texts(made.module)
    assert texts["param size"] == "3..6 = 6"
    assert texts["const wind"] == "const wind = 3"
    assert list(texts).index("after main.deal") < list(texts).index("after main.deal (2)")
    assert [o.variant for o in made.overrides if o.key == ("param", "size")] == ["windy", "stormy"]


def test_a_variant_of_a_variant_and_a_sibling_are_in_conflict_like_siblings():
    first = source("windy", "set size = 5")
    second = source("stormy", "replace const hand_size = 1", base=first)
    other = source("poor", "replace const hand_size = 2")
    with pytest.raises(RulesFileError) as caught:
        compose_source(evolve(second, extras=(other,)))
    assert [d.code for d in caught.value.diagnostics] == ["X802"]
    with pytest.raises(RulesFileError):
        compose_source(evolve(HARBOUR, extras=(second, other)))


def test_it_does_not_matter_which_file_is_named_first():
    one, other = source("windy", "set size = 5"), source("poor", "replace const hand_size = 2")
    ways = [evolve(HARBOUR, extras=(one, other)), evolve(one, extras=(other,)), evolve(other, extras=(one,))]
    assert len({text_of(compose_source(way).module) for way in ways}) == 1
    assert len({load_source(way).program.digest for way in ways}) == 1


def combined(*deltas: str) -> Source:
    """A variant of two that both change the hand size."""
    one, other = source("rich", "replace const hand_size = 5"), source("poor", "replace const hand_size = 2", "set size = 5")
    text = variant("fair", *deltas, of='"rich.rules" and "poor.rules"')
    return Source("fair.rules", text, evolve(one, extras=(other,)))


def test_a_variant_of_two_is_in_conflict_with_itself_where_they_are():
    with pytest.raises(RulesFileError) as caught:
        compose_source(combined())
    assert [d.title for d in caught.value.diagnostics] == ["const `hand_size` is changed twice"]


def test_a_variant_of_two_decides_what_they_disagree_about():
    texts = clause_texts(compose_source(combined("replace const hand_size = 3")).module)
    assert texts["const hand_size"] == "const hand_size = 3"
    assert texts["param size"] == "3..6 = 5"


def test_titles_are_those_of_the_last_variants():
    def titled(name: str, title: str, base: Source = HARBOUR) -> Source:
        return Source(f"{name}.rules", f'variant {name} of "{base.name}":\n    title "{title}"\n', base)

    def title(of: Source) -> str:
        return load_source(of).program.title

    windy, poor = titled("windy", "Windy"), titled("poor", "Poor")
    assert title(windy) == "Windy"
    assert title(evolve(HARBOUR, extras=(windy, poor))) == "Poor + Windy"
    assert title(titled("stormy", "Stormy", windy)) == "Stormy"
    assert title(source("stormy", "set size = 5", base=windy)) == "Windy"


# ---------------------------------------------------------------- files


def test_a_variant_is_read_with_its_bases(tmp_path: Path):
    (tmp_path / "more").mkdir()
    (tmp_path / "harbour.rules").write_text(HARBOUR.text, encoding="utf-8")
    (tmp_path / "more" / "windy.rules").write_text(variant("windy", "set size = 5", of='"../harbour.rules"'), encoding="utf-8")
    (tmp_path / "more" / "poor.rules").write_text(variant("poor", "replace const hand_size = 2", of='"../harbour.rules"'), encoding="utf-8")
    (tmp_path / "both.rules").write_text(variant("both", of='"more/windy.rules" and "more/poor.rules"'), encoding="utf-8")
    read = read_source(tmp_path / "both.rules")
    assert [Path(text.name).name for text in read.all] == ["harbour.rules", "windy.rules", "poor.rules", "both.rules"]
    assert {change.clause for change in difference(BASE, compose_source(read).module).changes} == {"param size", "const hand_size"}


def test_the_base_alone_is_told_of_its_own_mistakes():
    broken = evolve(HARBOUR, text=HARBOUR.text.replace("size, size", "sise, size"))
    found = check_source(source("windy", "set size = 5", base=broken))
    assert [(d.code, d.span.source.name) for d in found] == [("N201", "harbour.rules")]
    assert all("by itself" not in hint for d in found for hint in d.hints)


# ---------------------------------------------------------------- differences and locks


def test_a_difference_says_what_was_and_what_is():
    made = compose_source(source("windy", "set size = 5", "## Fewer cards. [§1]\nreplace const hand_size = 2", 'remove require hang.room because "why not"'))
    found = difference(BASE, made.module, made.overrides)
    told = [(c.sign, c.clause, c.was, c.now, c.because or c.doc) for c in found.changes]
    assert told == [
        ("~", "param size", "4", "5", ""),
        ("~", "const hand_size", "const hand_size = 3", "const hand_size = 2", "Fewer cards."),
        ("-", "require hang.room", 'free_around(at) else "there is no room around {at}"', "", "why not"),
    ]
    assert as_json(found.changes[0]) == {
        "sign": "~", "kind": "param", "clause": "param size", "was": "4", "now": "5", "because": None, "doc": None,
        "variant": "windy", "file": "windy.rules", "line": 3,
    }  # fmt: skip


def test_an_action_that_is_replaced_as_a_whole_is_told_as_a_whole():
    hang = """replace action hang(card in distinct(hand[me]), at in Cell):
    require vacant: not taken(at) else "a lantern hangs on {at}"
    step placing:
        emit Placed(me, card, at)"""
    made = compose_source(source("windy", hang))
    found = difference(BASE, made.module, made.overrides)
    assert [(c.sign, c.clause, c.inside) for c in found.changes] == [
        ("~", "action hang", None),
        ("-", "require hang.room", ("action", "hang")),
        ("+", "step hang.placing", ("action", "hang")),
    ]
    assert found.changes[0].was.split("\n")[1:] == [
        "    require vacant: ...",
        '    require room: free_around(at) else "there is no room around {at}"',
        "    emit Placed(me, card, at)",
        "    sail(me, card.worth)",
    ]
    assert found.changes[0].now.split("\n")[1:] == ["    require vacant: ...", "    step placing:", "        emit Placed(me, card, at)"]
    assert [change.clause for _, change in as_written(found.changes, [HARBOUR])] == ["action hang"]
    assert found.unchanged + 2 == found.total


def test_what_is_only_left_of_a_flow_is_not_shown_as_nothing():
    text = HARBOUR.text.replace("    emit Placed(me, card, at)\n    sail(me, card.worth)\n", "    step placing:\n        sail(me, card.worth)\n")
    changed = {c.clause: c.now for c in difference(BASE, parse_text(Source("harbour.rules", text))).changes}
    assert "pass" not in changed["action hang"] and "step placing: ..." in changed["action hang"]


def test_texts_are_laid_out_for_a_width_unless_that_makes_them_tall():
    wide = "replace const last_round = len({c for c in Cell if c.row > 1}) + hand_size"
    tall = "replace def best_of(p: Player) -> int:\n" + "".join(f"    let v{i} = len(hand[p]) + len(hand[p]) + {i}\n" for i in range(9)) + "    return v1"
    made = compose_source(source("windy", wide, tall))
    for width in (None, 40):
        changes = {c.clause: c.now for c in difference(BASE, made.module, made.overrides, width).changes}
        assert max(map(len, changes["const last_round"].split("\n"))) <= (width or 120)
        assert "\n" in changes["const last_round"] or width is None
        assert changes["def best_of"] == clause_texts(made.module)["def best_of"]


def test_a_lock_holds_what_the_variant_was_written_against():
    windy = source("windy", "set size = 5", "after step main.deal:\n    emit RoundBegan()", "replace enum Colour:\n    red, green, blue, white")
    lock = lock_text(windy)
    assert list(json.loads(lock)["clauses"]) == [
        "param size", "enum Colour", "member Colour.red", "member Colour.green", "member Colour.blue", "step main.deal",
    ]  # fmt: skip
    assert stale(windy, lock) == ()
    edited = evolve(windy, base=evolve(HARBOUR, text=HARBOUR.text.replace("repeat hand_size:", "repeat hand_size - 1:")))
    assert [d.title for d in stale(edited, lock)] == ["step `main.deal` has changed in the base"]
    moved = evolve(windy, base=evolve(HARBOUR, text="# Lanterns.\n" + HARBOUR.text.replace("step deal:", "step deal:  # cards")))
    assert stale(moved, lock) == ()


def test_only_variants_are_locked():
    with pytest.raises(RulesFileError) as caught:
        lock_text(HARBOUR)
    assert [d.code for d in caught.value.diagnostics] == ["X806"]


def test_a_variant_that_does_nothing_is_the_base():
    windy = source("windy")
    assert parse(windy)[1] == []
    assert text_of(compose_source(windy).module) == text_of(BASE)
    assert load_source(windy).program.digest == load_source(HARBOUR).program.digest


def test_goals_are_one_clause_that_is_replaced_removed_locked_and_told_in_a_line():
    rich = source("rich", "add goals best_card, lanterns")
    dark = source("dark", "## Light is all.\nreplace goals lanterns", base=rich)
    all_of_them = source("open", 'remove goals because "all count"', base=rich)
    assert load_source(HARBOUR).program.goals == ("lanterns", "best_card")
    assert load_source(rich).program.goals == ("best_card", "lanterns")
    assert load_source(dark).program.goals == ("lanterns",)
    assert load_source(all_of_them).program.goals == ("lanterns", "best_card")
    assert len({load_source(text).program.digest for text in (HARBOUR, rich, dark)}) == 3
    composed = compose_source(dark)
    (change,) = difference(compose_source(rich).module, composed.module, composed.overrides).changes
    assert (change.sign, change.clause, change.was, change.now, change.doc) == ("~", "goals", "best_card, lanterns", "lanterns", "Light is all.")
    assert '"goals":' in lock_text(dark)
    (item,) = stale(evolve(dark, base=source("rich", "add goals best_card")), lock_text(dark))
    assert item.code == "X807" and item.title == "`goals` has changed in the base"


def test_a_variant_of_two_that_disagree_about_goals_decides():
    first, second = module("first", "add goals best_card"), module("second", "add goals lanterns")
    both = module("both", "replace goals lanterns, best_card")
    below = {"both": frozenset({"first", "second"})}
    for order in permutations([first, second, both]):
        made = compose(BASE, order, below)
        assert not made.diagnostics, render(made.diagnostics)
        assert clause_texts(made.module)["goals"] == "lanterns, best_card"


def test_a_measure_that_is_no_goal_is_kept():
    with_luck = source("luck", "add measure luck(_p: Player) -> int:\n    1", "add goals luck")
    program = load_source(with_luck).program
    assert program.goals == ("luck",) and [info.name for info in program.measures] == ["lanterns", "best_card", "luck"]
