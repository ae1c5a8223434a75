"""Variants at the terminal: what is said of them, what their logs hold, and what happens to logs when rules change."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest
from conftest import Ran

from interpreter.game import Game
from interpreter.log import read_log
from interpreter.replay import replay

HARBOUR = (Path(__file__).parent / "mistakes" / "harbour.rules").read_text(encoding="utf-8")

WINDY = """\
## A storm blows boats on.
variant windy of "harbour.rules":
    title "Windy harbour"

set size = 5

## Nobody may hang a lantern in the corner.
add require hang.corner: at != c1 else "{at} is too windy"

replace step main.deal because "there is more to do":
    for p in Player:
        repeat hand_size + 1:
            draw_card(p)

add scenario "four cards":
    expect hand_size + 1 == 4
"""

RICH = """\
variant rich of "harbour.rules"

add member Card: lamp(red, 3)

replace invariant "no card is made or lost":
    len(deck) + sum(len(hand[p]) for p in Player) + len(shown) + count(c for c in Cell if taken(c)) == 21

after step main.deal:
    for p in Player:
        draw_card(p)
"""


@pytest.fixture(autouse=True)
def two_variants(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder with a game and two variants."""
    monkeypatch.chdir(tmp_path)
    for name, text in (("harbour", HARBOUR), ("windy", WINDY), ("rich", RICH)):
        Path(f"{name}.rules").write_text(text, encoding="utf-8")


def edit(name: str, old: str, new: str) -> None:
    path = Path(name)
    text = path.read_text(encoding="utf-8")
    assert text.count(old) == 1
    path.write_text(text.replace(old, new), encoding="utf-8")


# ---------------------------------------------------------------- logs


def test_the_log_of_a_variant_names_it_and_holds_all_its_files(run: Any):
    played = run("play", "windy.rules", "--seed", "4", "--json")
    assert json.loads(played.out)["log"] == "windy-4.jsonl"
    header = read_log("windy-4.jsonl").header
    assert (header.game, header.variants) == ("harbour", ("windy",))
    assert header.rules == {"windy.rules": WINDY, "harbour.rules": HARBOUR}
    verified = run("replay", "windy-4.jsonl", "--verify")
    assert verified.code == 0
    assert verified.out.startswith("verified  windy-4.jsonl: ")


def test_variants_used_together_are_all_in_the_log(run: Any):
    run("play", "harbour.rules", "--with", "windy.rules", "--with", "rich.rules", "--seed", "4", "--json", "--log", "one.jsonl")
    run("play", "harbour.rules", "--with", "rich.rules", "--with", "windy.rules", "--seed", "4", "--json", "--log", "other.jsonl")
    one, other = read_log("one.jsonl"), read_log("other.jsonl")
    assert one.header.variants == other.header.variants == ("rich", "windy")
    assert one.header.digest == other.header.digest
    assert [r.state for r in one.records[:-1]] == [r.state for r in other.records[:-1]]  # type: ignore[union-attr]
    assert run("replay", "one.jsonl", "other.jsonl", "--verify").code == 0
    Path("windy.rules").unlink()
    own = replay(one, own_rules=True)
    assert own.difference is None
    assert Game.from_text(one.header.rules or {}).title == "Windy harbour"


def test_a_variant_in_a_folder_finds_its_base_in_the_log(run: Any):
    Path("more").mkdir()
    Path("more/calm.rules").write_text('variant calm of "../windy.rules"\n\nset size = 4\n', encoding="utf-8")
    run("play", "more/calm.rules", "--seed", "4", "--json")
    log = read_log("calm-4.jsonl")
    assert log.header.variants == ("calm", "windy")
    assert list(log.header.rules or {}) == ["calm.rules", "../windy.rules", "../harbour.rules"]
    assert replay(log, own_rules=True).difference is None
    assert run("replay", "calm-4.jsonl", "--verify").code == 0


@pytest.mark.parametrize("far", ["absolute", "from the root"])
def test_a_log_finds_a_base_that_is_far_away_and_gone(run: Any, tmp_path: Path, far: str):
    up = "/".join(".." for _ in tmp_path.parts[1:])
    base = tmp_path / "windy.rules" if far == "absolute" else Path(f"{up}/{tmp_path.relative_to('/')}/windy.rules")
    Path("calm.rules").write_text(f'variant calm of "{base.as_posix()}"\n\nset size = 4\n', encoding="utf-8")
    run("play", "calm.rules", "--with", "rich.rules", "--seed", "4", "--json", "--log", "far.jsonl")
    for name in ("calm", "windy", "rich", "harbour"):
        Path(f"{name}.rules").unlink()
    replayed = run("replay", "far.jsonl", "--verify", "--with-own-rules")
    assert replayed.code == 0, replayed.out + replayed.err


def test_a_log_of_other_rules_is_refused_with_the_names_of_both(run: Any):
    run("play", "harbour.rules", "--seed", "4", "--json")
    refused = run("replay", "harbour-4.jsonl", "--verify", "--with", "windy.rules")
    assert refused.code == 1
    assert "played with other rules (harbour, now harbour + windy)" in refused.err
    assert "`--with-current-rules` shows where they part" in refused.err


def test_a_log_under_a_variant_shows_where_they_part_and_why(run: Any):
    run("play", "harbour.rules", "--seed", "4", "--json")
    before = Path("harbour-4.jsonl").read_bytes()
    told = run("replay", "harbour-4.jsonl", "--verify", "--with-current-rules", "--with", "windy.rules")
    assert told.code == 1
    lines = told.out.splitlines()
    assert lines[:2] == ["record 0  start", "  more is drawn"]
    assert "  now        a draw of card" in lines
    assert "  because    param size changed (windy.rules:5)" in lines
    assert "             step main.deal changed (windy.rules:10)" in lines
    assert Path("harbour-4.jsonl").read_bytes() == before


def test_a_set_up_that_parts_at_once_has_no_position_to_show(run: Any):
    run("play", "harbour.rules", "--seed", "4", "--json")
    told = run("replay", "harbour-4.jsonl", "--with-current-rules", "--with", "windy.rules")
    assert told.code == 1
    assert told.out.splitlines()[:2] == ["record 0  start", "  more is drawn"]


def test_an_edited_rule_shows_the_first_record_that_differs_and_the_state_before(run: Any):
    run("play", "harbour.rules", "--seed", "4", "--json")
    before = Path("harbour-4.jsonl").read_bytes()
    edit("harbour.rules", "offset(steps)", "offset(1)")
    assert run("replay", "harbour-4.jsonl", "--verify").code == 1
    told = run("replay", "harbour-4.jsonl", "--verify", "--with-current-rules")
    assert re.search(r"^records? 0 .*agree", told.out)
    assert re.search(r"  recorded   Sailed\(player\d, \d\)\n  now        Sailed\(player\d, 1\)\n", told.out)
    assert "because    flow sail changed (harbour.rules:107)" in told.out
    number = int(re.search(r"state before: rulesdsl show harbour-4.jsonl --record (\d+)", told.out)[1])  # type: ignore[index]
    log = read_log("harbour-4.jsonl")
    from interpreter.game import load

    done = replay(log, load("harbour.rules"), current_rules=True)
    assert done.difference is not None and done.difference.before is not None
    assert done.difference.record == number + 1
    assert done.match.position.node is done.difference.before.node
    assert Path("harbour-4.jsonl").read_bytes() == before
    assert run("show", "harbour-4.jsonl", "--record", str(number)).code == 0


def test_parameters_that_were_left_alone_follow_the_rules(run: Any):
    run("play", "harbour.rules", "--seed", "4", "--json")
    run("play", "harbour.rules", "--seed", "4", "-p", "size=3", "--json", "--log", "small.jsonl")
    edit("harbour.rules", "param size: 3..6 = 4", "param size: 3..6 = 6")
    from interpreter.game import load

    game = load("harbour.rules")
    assert replay(read_log("harbour-4.jsonl"), game, current_rules=True).match.rules.plain_parameters == {"size": 6}
    assert replay(read_log("small.jsonl"), game, current_rules=True).match.rules.plain_parameters == {"size": 3}


# ---------------------------------------------------------------- whose clause it is


def test_a_refusal_names_the_file_of_its_clause(run: Any):
    run("play", "windy.rules", "--seed", "4", "--json")
    asked = json.loads(run("show", "windy-4.jsonl", "--at", "0", "--json").out)
    card = next(iter(asked["state"]["hand"]["player0"]))
    told = run("why", "windy-4.jsonl", f"hang {card} c1", "--at", "0").out
    assert re.search(r'corner +"c1 is too windy" +windy.rules:8', told)


def test_a_fault_in_a_step_of_a_variant_is_told_with_its_step(run: Any):
    edit("windy.rules", "repeat hand_size + 1:", "repeat 99:")
    edit("windy.rules", "            draw_card(p)", "            emit RoundBegan()")
    told = run("play", "windy.rules", "--seed", "4", "--json")
    assert told.code == 1
    assert "out of range" in told.err
    edit("windy.rules", "emit RoundBegan()", "emit Sailed(p, Spot.first.offset(99 // len(shown)) or Spot.first)")
    told = run("check", "windy.rules")
    assert "windy.rules:13" in told.out


def test_a_broken_law_of_a_variant_is_told_with_its_file(run: Any):
    with open("windy.rules", "a", encoding="utf-8") as file:
        file.write('\nadd invariant "boats stay in the first half":\n    all(boat[p].index < 3 for p in Player)\n')
    told = run("fuzz", "windy.rules", "--games", "20")
    assert told.code == 1
    assert re.search(r'broken: invariant "boats stay in the first half"   windy.rules:19', told.out)
    saved = re.search(r"replay  (rulesdsl replay \S+ --with-own-rules)", told.out)
    assert saved
    assert run(*saved[1].split()[1:]).code in (0, 1)


def test_fuzz_and_perft_take_variants(run: Any):
    assert "no law was broken" in run("fuzz", "harbour.rules", "--with", "windy.rules", "--with", "rich.rules", "--games", "10").out
    base = json.loads(run("perft", "harbour.rules", "--depth", "2", "--json").out)
    rich = json.loads(run("perft", "harbour.rules", "--depth", "2", "--with", "rich.rules", "--json").out)
    assert base["leaves"][:2] == [1, 6] and rich["leaves"][:2] == [1, 7]


# ---------------------------------------------------------------- the base's scenarios


UNDECLARED = """\
failed  a hand is dealt
  harbour.rules:142: this does not hold
      expect len(hand[player0]) == 3 and rounds == 1
          rounds is 0
          waiting for a draw of card: one of ember, torch, moss, fern, wave, storm
  because step main.deal is replaced (windy.rules:10)
  is it meant? `replace scenario "..."`, or `remove scenario "..." because "..."`
windy.rules: 1 failed, 2 passed
  1 of 2 base scenarios still pass, 1 changed without a word
"""


def test_an_undeclared_change_fails_and_names_the_clause(run: Any):
    told = run("test", "windy.rules")
    assert told.code == 1
    assert re.sub(r"harbour.rules:142: .*|          .*\n", "", told.out) == re.sub(r"harbour.rules:142: .*|          .*\n", "", UNDECLARED)
    found = json.loads(run("test", "windy.rules", "--json").out)
    (failed,) = [s for s in found["scenarios"] if not s["passed"]]
    assert failed["because"] == {"clause": "step main.deal", "variant": "windy", "file": "windy.rules", "line": 10, "alone": True}


def test_a_scenario_that_fails_in_the_base_is_not_blamed_on_a_variant(run: Any):
    edit("harbour.rules", "expect len(hand[player0]) == ", "expect 1 + len(hand[player0]) == ")
    Path("calm.rules").write_text('variant calm of "harbour.rules"\n\nadd def unused() -> int:\n    return 1\n', encoding="utf-8")
    told = run("test", "calm.rules")
    assert told.code == 1
    assert "  it fails in harbour.rules already, without this variant\n" in told.out
    assert "is it meant?" not in told.out and "because" not in told.out
    (failed,) = [s for s in json.loads(run("test", "calm.rules", "--json").out)["scenarios"] if not s["passed"]]
    assert failed["because"] == {"base": "harbour.rules"}


def test_a_change_that_is_declared_passes(run: Any):
    with open("windy.rules", "a", encoding="utf-8") as file:
        file.write('\nremove scenario "a hand is dealt" because "a hand has four cards"\n')
    told = run("test", "windy.rules")
    assert told.code == 0
    assert told.out == "windy.rules: 2 scenarios passed\n  1 of 2 base scenarios still pass, 1 removed by the variant\n"


def test_a_scenario_that_is_replaced_is_run_as_it_is_now(run: Any):
    with open("windy.rules", "a", encoding="utf-8") as file:
        file.write('\nreplace scenario "a hand is dealt":\n    run main()\n    draw ember, ember, moss, moss\n    expect len(hand[player0]) == 4\n')
    told = run("test", "windy.rules", "-v")
    assert told.code == 0
    assert "passed  a hand is dealt" in told.out
    assert told.out.endswith("1 of 2 base scenarios still pass, 1 replaced by the variant\n")


def test_changes_that_only_together_break_a_scenario_are_told_of(run: Any):
    Path("pair.rules").write_text(
        'variant pair of "harbour.rules"\n\nreplace def lit(p: Player) -> int:\n    return 2\n\n'
        "replace def colour_at(c: Cell) -> Colour:\n    return blue\n",
        encoding="utf-8",
    )
    (failed,) = [s for s in json.loads(run("test", "pair.rules", "--json").out)["scenarios"] if not s["passed"]]
    assert failed["because"] == {"clause": "def lit", "variant": "pair", "file": "pair.rules", "line": 3, "alone": False}


HATS = """\
game hats:
    players 2

enum Hat(worth: 1..9):
    felt(2), silk(4)

state:
    owned[Player]: bag[Hat]
    dear: 0..9 = 5

def worth(p: Player) -> int:
    return sum(h.worth for h in owned[p])

event Bought(by: Player, hat: Hat):
    owned[by] += hat

action buy(hat in Hat):
    emit Bought(me, hat)
    if worth(me) > dear:
        end win me

flow main:
    turns p from player0:
        p chooses buy

scenario "two of felt are worth four":
    player0 buy(felt)
    player0 buy(felt)
    expect worth(player0) == 4 and dear == 5
"""
CROWN = "replace enum Hat(worth: 1..9):\n    felt({}), silk(4), crown(9)\n"
LESS = "replace def worth(p: Player) -> int:\n    return sum(h.worth for h in owned[p] if h != crown){}\n"
CROWNED = 'add scenario "a crown":\n    player0 buy(crown)\n    expect len(owned[player0]) == 1\n'


@pytest.mark.parametrize(
    ("changes", "clause", "alone"),
    [
        ([CROWN.format(3), LESS.format("")], "enum Hat", True),
        ([LESS.format(""), CROWN.format(3), CROWNED], "enum Hat", True),
        ([LESS.format(" + 1"), CROWN.format(2), CROWNED], "def worth", True),
        ([LESS.format(" + 1"), "replace field dear: 0..9 = 6\n", CROWN.format(2)], "field dear", False),
        ([LESS.format(""), "replace field dear: 0..9 = 6\n", CROWN.format(3)], "field dear", False),
    ],
    ids=["what others need", "behind what needs it", "not what is needed", "not the last", "two causes"],
)
def test_an_enum_that_other_changes_need_is_blamed_where_it_is_to_blame(
    changes: list[str], clause: str, alone: bool, run: Any
):
    """It cannot be undone by itself: then there is no program, nor with what needs it done before it."""
    Path("hats.rules").write_text(HATS, encoding="utf-8")
    Path("fine.rules").write_text("\n".join(['variant fine of "hats.rules"\n', *changes]), encoding="utf-8")
    failed = [s for s in json.loads(run("test", "fine.rules", "--json").out)["scenarios"] if not s["passed"]]
    assert [(s["text"], s["because"]["clause"], s["because"]["alone"]) for s in failed] == [("two of felt are worth four", clause, alone)]


def test_the_lines_of_a_clause_that_differ_are_coloured_and_no_others(run: Any, monkeypatch: pytest.MonkeyPatch):
    Path("hats.rules").write_text(HATS, encoding="utf-8")
    Path("dearer.rules").write_text(HATS.replace("worth(me) > dear", "worth(me) >= dear"), encoding="utf-8")
    monkeypatch.setenv("FORCE_COLOR", "1")
    told = run("diff", "hats.rules", "dearer.rules").out
    assert "\x1b[31m    if worth(me) > dear:\x1b[0m" in told and "\x1b[32m    if worth(me) >= dear:\x1b[0m" in told
    assert told.count("\x1b[31m") == told.count("\x1b[32m") == 1


def test_variants_together_are_tested_against_the_game(run: Any):
    told = run("test", "harbour.rules", "--with", "rich.rules", "-k", "two lanterns")
    assert told.code == 0
    assert told.out == "harbour.rules + rich.rules: 1 scenario passed\n"


# ---------------------------------------------------------------- diff, lock, check, fmt


DIFF = """\
~ title    Harbour  →  Windy harbour                               windy.rules:3
~ param    size         4  →  5                                    windy.rules:5
+ require  hang.corner  Nobody may hang a lantern in the corner.   windy.rules:8
           now  at != c1 else "{at} is too windy"
~ step     main.deal    because there is more to do               windy.rules:10
           was  for p in Player:
                    repeat hand_size:
                        draw_card(p)
           now  for p in Player:
                    repeat hand_size + 1:
                        draw_card(p)
+ scenario "four cards"                                           windy.rules:15
50 of 53 clauses unchanged
1 of 2 base scenarios still pass, 1 changed without a word
"""


def test_a_difference_is_shown_clause_by_clause(run: Any, monkeypatch: pytest.MonkeyPatch):
    plain = run("diff", "harbour.rules", "windy.rules")
    assert plain.code == 0
    assert plain.out == DIFF
    assert all(len(line) <= 80 for line in plain.out.splitlines())
    assert run("diff", "harbour.rules", "--with", "windy.rules").out == plain.out
    monkeypatch.setenv("FORCE_COLOR", "1")
    coloured = run("diff", "harbour.rules", "windy.rules").out
    assert "\x1b[" in coloured
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == plain.out
    assert run("diff", "harbour.rules", "windy.rules", "--no-colour").out == plain.out


CALM = """\
variant calm of "rich.rules"

# ---- no wind

remove measure lanterns because "nobody counts"
remove measure best_card because "nobody counts"
remove scenarios naming Cell because "the shore is another"

add event Lulled(by: Player):
    "{by} waits for wind"

after step main.deal:
    emit Lulled(player0)

add invariant "the wind is never so strong that somebody who has a lantern in the harbour sails away":
    all(boat[p] >= 0 for p in Player)
"""

CALM_DIFF = """\
no wind
- measure   lanterns                                                calm.rules:5
- measure   best_card    because nobody counts                      calm.rules:6
- scenarios naming Cell  2 of them, because the shore is another    calm.rules:7
+ event     Lulled       "{by} waits for wind"                      calm.rules:9
+ after     main.deal                                              calm.rules:12
            now  emit Lulled(player0)
+ invariant "the wind is never so strong that somebody who has a lantern in the
harbour sails away"
                                                                   calm.rules:15

51 of 55 clauses unchanged
0 of 2 base scenarios still pass, 2 removed by the variant
"""


def test_reasons_are_told_once_events_by_their_sentences_and_new_laws_by_their_titles(run: Any):
    Path("calm.rules").write_text(CALM, encoding="utf-8")
    told = run("diff", "rich.rules", "calm.rules")
    assert told.code == 0, told.err
    assert told.out == CALM_DIFF


def test_long_lines_of_rules_are_broken_where_little_is_joined():
    from table.changes import _pieces

    line = "let lengths = {p: route(p) if len(routes(p)) >= least_road else 0 for p in Player}"
    assert _pieces(line, 60) == ["let lengths = {p: route(p) if len(routes(p)) >= least_road", "    else 0 for p in Player}"]
    assert _pieces("hexes(core=len(Player) - 2, rings=3 + outer_rows)", 40) == ["hexes(core=len(Player) - 2,", "    rings=3 + outer_rows)"]
    assert _pieces("at not in closed else \"no\"", 18) == ["at not in closed", "    else \"no\""]


def test_a_difference_as_json(run: Any):
    found = json.loads(run("diff", "harbour.rules", "windy.rules", "--json").out)
    assert [(c["sign"], c["clause"]) for c in found["changes"]] == [
        ("~", "title"), ("~", "param size"), ("~", "step main.deal"), ("+", "require hang.corner"), ("+", 'scenario "four cards"'),
    ]  # fmt: skip
    assert found["changes"][1] == {
        "sign": "~", "kind": "param", "clause": "param size", "was": "4", "now": "5", "because": None, "doc": None,
        "variant": "windy", "file": "windy.rules", "line": 5,
    }  # fmt: skip
    assert found["scenarios"] == {"base": 2, "passed": 1, "failed": ["a hand is dealt"], "replaced": [], "removed": []}


def test_games_that_have_nothing_to_do_with_each_other_are_compared_without_scenarios(run: Any):
    Path("edited.rules").write_text(HARBOUR.replace("const hand_size = 3", "const hand_size = 2"), encoding="utf-8")
    told = run("diff", "harbour.rules", "edited.rules").out
    assert "~ const hand_size" in told
    assert "scenarios still pass" not in told
    assert run("diff", "harbour.rules").code == 2


def test_a_lock_is_written_checked_and_made_anew(run: Any):
    assert run("lock", "--check", "windy.rules").out == "windy.rules is not locked\n"
    assert run("lock", "windy.rules").out == "windy.lock: 5 clauses of the base\n"
    assert run("lock", "--check", "windy.rules") == Ran(0, "ok  windy.lock\n", "")
    edit("harbour.rules", "repeat hand_size:", "repeat 3:")
    told = run("check", "windy.rules")
    assert told.code == 0
    assert "warning[X807]: step `main.deal` has changed in the base" in told.out
    assert "harbour.rules:89" in told.out
    assert run("lock", "--check", "windy.rules").code == 1
    run("lock", "windy.rules")
    assert "X807" not in run("check", "windy.rules").out
    assert run("lock", "harbour.rules").code == 1


def test_a_stale_lock_names_a_command_that_can_be_typed(run: Any) -> None:
    """Also where the name of the file has spaces."""
    Path("windy.rules").rename("windy days.rules")
    run("lock", "windy days.rules")
    edit("harbour.rules", "repeat hand_size:", "repeat 3:")
    assert "`rulesdsl lock 'windy days.rules'`" in " ".join(run("check", "windy days.rules").out.split())


def test_check_shows_both_places_of_a_conflict(run: Any):
    Path("other.rules").write_text('variant other of "harbour.rules"\n\nset size = 3\n', encoding="utf-8")
    told = run("check", "harbour.rules", "--with", "windy.rules", "--with", "other.rules")
    assert told.code == 1
    assert "error[X802]: param `size` is changed twice" in told.out
    assert "windy.rules:5" in told.out and "other.rules:3" in told.out
    assert run("check", "harbour.rules", "--with", "windy.rules", "--with", "rich.rules").out.startswith("ok  harbour.rules + windy.rules + rich.rules: ")


def test_fmt_formats_the_variant_and_nothing_else(run: Any):
    edit("windy.rules", "set size = 5", "set   size=5")
    assert run("fmt", "windy.rules").out == "formatted windy.rules\n"
    assert Path("windy.rules").read_text(encoding="utf-8") == WINDY
    assert Path("harbour.rules").read_text(encoding="utf-8") == HARBOUR


def test_a_log_has_its_variants_with_it(run: Any):
    run("play", "windy.rules", "--seed", "4", "--json")
    assert run("play", "windy-4.jsonl", "--with", "rich.rules").code == 2


def test_packaged_variants_are_found_by_name(run: Any):
    told = run("check", "atlanteon_7x7")
    assert told.code == 0
    assert told.out.startswith("ok  variants/atlanteon_7x7.rules: ")
    assert sys.modules["table.changes"] is not None
    run("play", "atlanteon_7x7", "--seed", "4", "--json")
    assert run("replay", "atlanteon_7x7-4.jsonl", "--verify").code == 0


def test_a_state_that_is_another_is_told_by_what_differs(run: Any):
    run("play", "harbour.rules", "--seed", "4", "--json")
    edit("harbour.rules", "hidden deck: bag[Card] = {c: 3 for c in Card}", "hidden deck: bag[Card] = {c: 4 for c in Card}")
    edit("harbour.rules", "len(shown) + count(c for c in Cell if taken(c)) == 18", "len(shown) + count(c for c in Cell if taken(c)) == 24")
    told = run("replay", "harbour-4.jsonl", "--verify", "--with-current-rules").out
    assert re.search(r"  the state is another\n  recorded   deck\[\w+\] is \d\n  now        deck\[\w+\] is \d\n", told)
    assert "because    field deck changed (harbour.rules:29)" in told
