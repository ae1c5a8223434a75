"""The Python back end: random expressions against a plain evaluator, bodies, events, and whole programs made by hand."""

from __future__ import annotations

import random
import subprocess
import sys
from itertools import product
from types import ModuleType
from typing import Any

import pytest
from attrs import evolve
from core_programs import (
    CELL,
    COLOUR,
    ENV,
    HERE,
    KINDS,
    NEIGHBOURS,
    NEXT,
    ODD,
    PIECE,
    PLAYER,
    SMALL,
    Actions,
    Bodies,
    Expressions,
    at,
    const,
    definition,
    event,
    field,
    local,
    num,
    op,
    packed,
    param,
    playground,
    program,
    random_state,
    random_value,
    read,
    returns,
)  # fmt: skip
from core_reference import Reference, ReferenceFault, elements
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from rulesdsl import core, runtime
from rulesdsl.lowering.lower import lower
from rulesdsl.python.backend import ExtraFunction, extra, generate, load_module, wrapped
from rulesdsl.runtime import RulesFault, Trace, fault_from
from rulesdsl.types import BOOL, BagType, IntType, ListType, MapType, OptionType, SetType, contains, values

runtime.allow_deep_recursion()

CELLS = const(63, SetType(CELL))


def load(made: core.Program, name: str = "made") -> ModuleType:
    return load_module(generate(made), name)


def outcome(function: Any, *args: Any) -> Any:
    """What a call gives, or the fault that it raises."""
    try:
        return function(*args)
    except (RulesFault, IndexError, ValueError) as error:
        return error
    except ReferenceFault as error:
        return error


def agree(kind: Any, want: Any, got: Any) -> bool:
    if isinstance(want, Exception) or isinstance(got, Exception):
        return isinstance(want, Exception) and isinstance(got, Exception)
    return bool(want == got) and contains(kind, got)


# ---------------------------------------------------------------- expressions


def compare_with_the_reference(rng: random.Random, exprs: list[core.Expr], states: int) -> None:
    """The def, the extra function and the probing function of each expression give what the plain evaluator gives."""
    params = [param(name, kind) for name, kind in ENV.items()]
    defs = tuple(definition(f"d{i}", params, expr.type, returns(expr)) for i, expr in enumerate(exprs))
    game = playground(defs)
    module, reference = load(game), Reference(game)
    plain = extra(game, module, [ExtraFunction(f"e{i}", tuple(ENV), expr) for i, expr in enumerate(exprs)])
    probing = extra(
        game, module, [ExtraFunction(f"p{i}", tuple(ENV), expr, probe=True) for i, expr in enumerate(exprs)]
    )
    for _ in range(states):
        state = random_state(rng)
        args = tuple(random_value(rng, kind) for kind in ENV.values())
        for i, expr in enumerate(exprs):
            want = outcome(reference.call, f"d{i}", args, state)
            assert agree(expr.type, want, outcome(module.DEFS[f"d{i}"], packed(state), *args))
            assert agree(expr.type, want, outcome(plain[f"e{i}"], packed(state), *args))
            probed = outcome(probing[f"p{i}"], packed(state), *args)
            assert agree(expr.type, want, probed if isinstance(probed, Exception) else probed[0])
            if not isinstance(probed, Exception):
                assert all(contains(kind, value) for _, value, kind in probed[1])


# Whole programs are drawn from a seed: shrinking one would tell nothing, and takes minutes.
PHASES = [Phase.explicit, Phase.reuse, Phase.generate]


@settings(max_examples=40, deadline=None, phases=PHASES)
@given(st.integers(0, 2**32), st.integers(1, 4))
def test_expressions_have_the_value_that_their_documentation_says(seed: int, depth: int) -> None:
    rng = random.Random(seed)
    made = Expressions(rng)
    compare_with_the_reference(rng, [made.of(rng.choice(KINDS), ENV, depth) for _ in range(6)], 4)


@settings(max_examples=30, deadline=None, phases=PHASES)
@given(st.integers(0, 2**32))
def test_what_is_asked_of_all_cells_at_once(seed: int) -> None:
    rng = random.Random(seed)
    made = Expressions(rng)
    compare_with_the_reference(rng, [made.over_all_cells() for _ in range(10)], 8)


@settings(max_examples=40, deadline=None, phases=PHASES)
@given(st.integers(0, 2**32))
def test_bodies_do_what_their_documentation_says(seed: int) -> None:
    rng = random.Random(seed)
    made = Bodies(rng)
    kinds = [rng.choice(KINDS) for _ in range(8)]
    params = [param(name, kind) for name, kind in ENV.items()]
    game = playground(tuple(definition(f"d{i}", params, kind, made.body(kind, ENV, 2)) for i, kind in enumerate(kinds)))
    module, reference = load(game), Reference(game)
    for _ in range(5):
        state = random_state(rng)
        args = tuple(random_value(rng, kind) for kind in ENV.values())
        for i, kind in enumerate(kinds):
            want = outcome(reference.call, f"d{i}", args, state)
            assert agree(kind, want, outcome(module.DEFS[f"d{i}"], packed(state), *args))


@settings(max_examples=40, deadline=None)
@given(st.randoms(use_true_random=False))
def test_events_change_what_their_bodies_say(rng: random.Random) -> None:
    game = playground()
    module, reference = load(game), Reference(game)
    state = random_state(rng)
    for _ in range(5):
        name = rng.choice(("Moved", "Painted"))
        info = game.event(name)
        args = tuple(random_value(rng, item.type) for item in info.params)
        after = reference.event(name, args, state)
        assert module.apply(packed(state), (info.position, *args)) == packed(after)
        state = after


def test_every_store_and_every_read_of_a_field_as_a_whole() -> None:
    """Whole fields are maps: assigned from a map, read as one, with and without keys, packed and not."""
    men, piece, score = (
        MapType(PLAYER, MapType(CELL, IntType(0, 15))),
        MapType(CELL, OptionType(PIECE)),
        MapType(PLAYER, IntType(-1000, 1000)),
    )
    body: core.Body = (
        core.Store("men", (), local("m", men), HERE),
        core.Store("men", (const(1, PLAYER), const(5, CELL)), const(9, IntType(0, 15)), HERE),
        core.Store("piece", (), local("q", piece), HERE),
        core.Store("score", (), local("z", score), HERE),
    )
    game = playground()
    game = core.Program(**{**{a.name: getattr(game, a.name) for a in core.Program.__attrs_attrs__}, "events": (  # type: ignore[attr-defined]
        event("All", 1, [param("m", men), param("q", piece), param("z", score)], body),
    ), "defs": (
        definition("men", [], men, returns(read("men", men))),
        definition("row", [param("p", PLAYER)], MapType(CELL, IntType(0, 15)), returns(read("men", MapType(CELL, IntType(0, 15)), local("p", PLAYER)))),
        definition("piece", [], piece, returns(read("piece", piece))),
        definition("score", [], score, returns(read("score", score))),
    )})  # fmt: skip
    rng = random.Random(4)
    module, before = load(game), random_state(rng)
    values = [random_value(rng, kind) for kind in (men, piece, score)]
    after = module.apply(packed(before), (1, *values))
    kept = (values[0][0], (*values[0][1][:5], 9))
    assert module.DEFS["men"](after) == kept
    assert module.DEFS["row"](after, 1) == kept[1]
    assert module.DEFS["piece"](after) == values[1]
    assert module.DEFS["score"](after) == values[2]
    assert after == packed({**before, "men": kept, "piece": values[1], "score": values[2]})


@pytest.mark.parametrize("kind", ["and", "or"])
def test_the_right_side_is_not_evaluated_where_the_left_decides(kind: str) -> None:
    fails = op("eq", BOOL, core.Checked(num(7), 0, 5, SMALL, HERE), num(7))
    b = local("b", BOOL)
    deep = core.Comp("any", fails, (core.Clause("x", CELL, CELLS, None),), BOOL, HERE)
    module = load(program(defs=tuple(
        definition(f"d{i}", [param("b", BOOL)], BOOL, returns(op(kind, BOOL, b, right))) for i, right in enumerate((fails, deep))
    )))  # fmt: skip
    for name in ("d0", "d1"):
        assert module.DEFS[name]((None,), kind == "or") is (kind == "or")
        with pytest.raises(RulesFault):
            module.DEFS[name]((None,), kind == "and")


def test_a_fault_knows_its_place_in_the_rules() -> None:
    wide = IntType(0, 20)
    fails = core.Checked(op("add", wide, local("n", wide), num(1), span=at(7)), 0, 9, IntType(0, 9), at(8))
    total = op("add", wide, num(1), op("add", wide, num(2), fails, span=at(6)), span=at(5))
    got = core.ReturnStmt(op("list_get", SMALL, local("xs", ListType(SMALL, 3)), num(2), span=at(12)), at(11))
    made = program(defs=(
        definition("d", [param("n", wide)], wide, (core.ReturnStmt(total, at(4)),)),
        definition("e", [param("xs", ListType(SMALL, 3))], SMALL, (got,)),
    ))  # fmt: skip
    module = load(made)
    for name, arg, line, kind in (("d", 9, 8, "out of range"), ("e", (1, 2), 12, "missing")):
        with pytest.raises((RulesFault, IndexError)) as caught:
            module.DEFS[name]((None,), arg)
        fault = fault_from(caught.value, module)
        assert (fault.kind, fault.place) == (kind, ("made.rules", line, 1))
    assert module.DEFS["d"]((None,), 8) == 12


# ---------------------------------------------------------------- legal moves


def reference_moves(
    reference: Reference, info: core.ActionInfo, state: dict[str, Any], me: int, place: int
) -> list[Any]:
    """The legal moves of an action, found by trying everything in the order of the rules."""
    found: list[Any] = []

    def choose(env: dict[str, Any], rest: tuple[core.Chosen, ...]) -> None:
        if rest:
            items = elements(rest[0].domain.type, reference.value(rest[0].domain, env, state))
            for item in dict.fromkeys(items):
                choose({**env, rest[0].name: item}, rest[1:])
            return
        chosen = [env[item.name] for item in info.chosen]
        for part in info.prelude:
            if isinstance(part, core.ActionLet):
                env = {**env, part.name: reference.value(part.value, env, state)}
            elif not reference.value(part.condition, env, state):
                return
        found.append((info.position, *chosen))

    choose({"me": me, "g": place}, info.chosen)
    return found


def every_move(info: core.ActionInfo) -> list[Any]:
    """All moves that the types of an action allow, if they can be counted."""
    domains = [tuple(values(item.type)) for item in info.chosen]
    return [(info.position, *chosen) for chosen in product(*domains)]


@settings(max_examples=40, deadline=None, phases=PHASES)
@given(st.integers(0, 2**32))
def test_legal_moves_are_those_that_the_guards_allow(seed: int) -> None:
    """In order, each once; `any` and `allows` agree. Where trying everything is a rules error the plan may be one, or not."""
    rng = random.Random(seed)
    made = Actions(rng)
    actions = tuple(made.action(position) for position in range(1, 6))
    game = lower(evolve(playground(), actions=actions, flows=(flow("main"),)))
    module, reference = load(game), Reference(game)
    for _ in range(4):
        state, me, place = random_state(rng), rng.randrange(2), rng.randrange(6)
        for info in game.actions:
            want = outcome(reference_moves, reference, info, state, me, place)
            got = outcome(getattr(module, f"legal_{info.name}"), packed(state), me, place)
            if isinstance(want, Exception) or isinstance(got, Exception):
                continue
            assert got == want
            assert outcome(getattr(module, f"any_{info.name}"), packed(state), me, place) == bool(want)
            for move in every_move(info):
                assert getattr(module, f"allows_{info.name}")(packed(state), me, place, move) == (move in want)


# ---------------------------------------------------------------- bodies of defs


def test_bodies_with_variables_loops_and_early_ends() -> None:
    best, x = local("best", IntType(0, 100)), local("x", CELL)
    number = op("cast", SMALL, x)
    bigger = op("greatest", IntType(0, 100), best, op("add", IntType(0, 100), best, number))
    body: core.Body = (
        core.Bind("best", num(0), HERE),
        core.ForStmt("x", CELL, local("g", SetType(CELL)), op("ne", BOOL, x, const(1, CELL)), (
            core.IfStmt(op("eq", BOOL, x, const(4, CELL)), (core.BreakStmt(HERE),), (), HERE),
            core.IfStmt(op("eq", BOOL, x, const(2, CELL)), (core.ContinueStmt(HERE),), (), HERE),
            core.IfStmt(op("gt", BOOL, best, num(90)), returns(num(99)), (core.Bind("best", bigger, HERE, False),), HERE),
        ), HERE),
        *returns(best),
    )  # fmt: skip
    made = program(defs=(definition("d", [param("g", SetType(CELL))], IntType(0, 100), body),))
    module, reference = load(made), Reference(made)
    for mask in range(64):
        assert module.DEFS["d"]((None,), mask) == reference.call("d", (mask,), {})


def test_recursion_ends_at_a_thousand() -> None:
    big = IntType(0, 5000)
    n = local("n", big)
    again = core.Call("sum", (op("sub", big, n, num(1)),), big, HERE)
    body: core.Body = (
        core.IfStmt(op("eq", BOOL, n, num(0)), returns(num(0)), (), HERE),
        *returns(op("add", big, num(1), again)),
    )
    module = load(program(defs=(definition("sum", [param("n", big)], big, body, recursive=True),)))
    assert module.DEFS["sum"]((None,), 999) == 999
    with pytest.raises(RulesFault) as caught:
        module.DEFS["sum"]((None,), 1000)
    assert caught.value.kind == "depth"


# ---------------------------------------------------------------- tic-tac-toe

SQUARE = core.EnumType("Square", tuple(f"{c}{r}" for r in (1, 2, 3) for c in "abc"), "place")
LINES = tuple(
    sum(1 << i for i in line)
    for line in ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))
)
MARK = OptionType(PLAYER)


def action(name: str, position: int, **parts: Any) -> core.ActionInfo:
    plain: dict[str, Any] = {"given": (), "chosen": (), "prelude": (), "plan": (), "effects": (), "machine": None}
    return core.ActionInfo(name=name, position=position, player=PLAYER, span=HERE, **{**plain, **parts})


def guard(name: str, condition: core.Expr, *relies: str) -> core.Guard:
    return core.Guard(name, condition, core.Template(("no",), HERE), relies, HERE)


def flow(name: str, *body: core.Stmt, params: tuple[core.ParamInfo, ...] = ()) -> core.FlowInfo:
    return core.FlowInfo(name, params, body, None, HERE)


def ask(
    who: core.Expr, *actions: str, mode: str = "chooses", after: core.Body = (), otherwise: core.Body | None = None
) -> core.AskStmt:
    return core.AskStmt(who, mode, tuple(core.Offer(name, (), HERE) for name in actions), after, otherwise, HERE)


def tic_tac_toe() -> core.Program:
    me, where, s = local("me", PLAYER), local("at", SQUARE), local("s", SQUARE)
    every = const(511, SetType(SQUARE))
    lines = const(LINES, ListType(SetType(SQUARE), 8))
    line = core.Comp("all", op("eq", BOOL, read("mark", MARK, s), op("some", MARK, me)),
                     (core.Clause("s", SQUARE, local("line", SetType(SQUARE)), None),), BOOL, HERE)  # fmt: skip
    won = core.Comp("any", line, (core.Clause("line", SetType(SQUARE), lines, None),), BOOL, HERE)
    room = core.Comp(
        "any", op("is_none", BOOL, read("mark", MARK, s)), (core.Clause("s", SQUARE, every, None),), BOOL, HERE
    )
    place = action("place", 1, chosen=(core.Chosen("at", SQUARE, every, HERE),),
                   prelude=(guard("vacant", op("is_none", BOOL, read("mark", MARK, where))),),
                   effects=(core.EmitStmt("Placed", (me, where), HERE),
                            core.IfStmt(won, (core.EndStmt(op("set_of", SetType(PLAYER), me), None, HERE),), (), HERE)))  # fmt: skip
    turns = core.TurnsStmt("p", PLAYER, const(0, PLAYER), room, (ask(local("p", PLAYER), "place"),), HERE)
    return lower(program(
        name="tic_tac_toe", fields=(field("mark", 0, MARK, SQUARE),),
        events=(event("Placed", 1, [param("by", PLAYER), param("at", SQUARE)], (
            core.Store("mark", (where,), op("some", MARK, local("by", PLAYER)), HERE),)),),
        actions=(place,), flows=(flow("main", turns, core.EndStmt(None, None, HERE)),),
        invariants=(core.LawInfo("not both", const(True, BOOL), frozenset({"mark"}), HERE),),
    ))  # fmt: skip


def play(module: ModuleType, rng: random.Random) -> tuple[Any, list[Any]]:
    """A random game to its end: the last state and all events."""
    trace = Trace()
    state, frame = module.start(trace)
    events = list(trace)
    while frame is not None:
        trace = Trace()
        before = state
        if module.KIND[frame[0]] == "choice":
            moves = module.legal(state, frame)
            assert len(set(moves)) == len(moves)
            assert all(module.allows(state, frame, move) for move in moves)
            assert module.any_legal(state, frame) == any(move != (0,) for move in moves)
            assert all(not module.allows(state, frame, move) for move in nonsense(moves))
            state, frame = module.answer(state, frame, rng.choice(moves), trace)
        else:
            values = module.outcomes(state, frame)
            state, frame = module.drawn(
                state, frame, rng.choices([v for v, _ in values], [w for _, w in values])[0], trace
            )
        for item in trace:
            before = module.apply(before, item)
        assert before == state
        events += trace
    return state, events


def nonsense(moves: list[Any]) -> list[Any]:
    """What nobody may answer."""
    bent = [
        (*move[:-1], wrong)
        for move in moves[:2]
        if len(move) > 1
        for wrong in (None, "a", -1, 99, 1.0, True, (1, 2), [])
    ]
    return [(), (99,), ("place", 1), None, 7, (True, 1), *bent, *((*move, 0) for move in moves[:2])]


def test_tic_tac_toe() -> None:
    module = load(tic_tac_toe(), "tic_tac_toe")
    trace = Trace()
    state, frame = module.start(trace)
    assert (module.asked(state, frame), module.given(state, frame), len(module.legal(state, frame))) == (0, ((),), 9)
    assert module.STEP[frame[0]] == "main"
    assert module.OFFERS[frame[0]] == (1,)
    for move in ((1, 4), (1, 0), (1, 2), (1, 1)):
        assert module.allows(state, frame, move)
        trace = Trace()
        state, frame = module.answer(state, frame, move, trace)
        assert trace == [(1, 1 - module.asked(state, frame), move[1])]
    assert not module.allows(state, frame, (1, 4))
    trace = Trace()
    state, frame = module.answer(state, frame, (1, 6), trace)
    assert trace == [(1, 0, 6), (0, 1, None)]
    assert frame is None
    assert state == (bytes([2, 2, 1, 0, 1, 0, 1, 0, 0]), (1, None))


def test_every_game_of_tic_tac_toe_ends_as_it_should() -> None:
    module = load(tic_tac_toe(), "tic_tac_toe")
    results = set()
    for seed in range(60):
        state, events = play(module, random.Random(seed))
        winners = state[-1][0]
        lines = [{code - 1 for code in (state[0][i] for i in range(9) if line >> i & 1)} for line in LINES]
        assert winners == next((1 << min(line) for line in lines if line in ({0}, {1})), 3)
        assert events[-1] == (0, winners, None)
        results.add(winners)
    assert results == {1, 2, 3}


# ---------------------------------------------------------------- questions, draws and flows in flows


def cards() -> core.Program:
    """Hands from a deck, `may repeatedly`, `may`, `otherwise`, draws, flows and actions that ask."""
    me, p, card = local("me", PLAYER), local("p", PLAYER), local("card", COLOUR)
    deck_type = BagType(COLOUR)
    deck = read("deck", deck_type)
    hand_p, hand_me = read("hand", deck_type, p), read("hand", deck_type, me)

    def drawn(by: core.Expr) -> core.Body:
        return (core.DrawStmt("card", COLOUR, deck, at(40)), core.EmitStmt("Taken", (by, card), HERE, True))

    taken = event("Taken", 1, [param("by", PLAYER), param("card", COLOUR)], (
        core.Store("deck", (), op("bag_remove", deck_type, deck, card, span=at(30)), at(30)),
        core.Store("hand", (local("by", PLAYER),), op("bag_add", deck_type, read("hand", deck_type, local("by", PLAYER)), card), at(31)),
    ))  # fmt: skip
    played = event("Played", 2, [param("by", PLAYER), param("card", COLOUR)], (
        core.Store("hand", (local("by", PLAYER),), op("bag_remove", deck_type, read("hand", deck_type, local("by", PLAYER)), card), HERE),
        core.Store("played", (), op("list_append", ListType(COLOUR, 20), read("played", ListType(COLOUR, 20)), card), HERE),
    ))  # fmt: skip
    passed = event("Passed", 3, [param("by", PLAYER)], ())
    play_card = action("play_card", 1, chosen=(core.Chosen("card", COLOUR, hand_me, HERE),), effects=(
        core.EmitStmt("Played", (me, card), HERE),))  # fmt: skip
    swap = action("swap", 2, chosen=(core.Chosen("card", COLOUR, op("distinct", SetType(COLOUR), hand_me), HERE),),
                  prelude=(guard("left", op("nonempty", BOOL, deck)),),
                  effects=(core.EmitStmt("Played", (me, card), HERE), core.CallFlow("take", (me,), HERE), ask(me, "play_card", mode="may")))  # fmt: skip
    quit_ = action(
        "quit", 3, given=(param("n", SMALL),), prelude=(guard("never", op("gt", BOOL, local("n", SMALL), num(3))),)
    )
    main = flow("main",
        core.StepStmt("deal", (
            core.ForStmt("p", PLAYER, const(3, SetType(PLAYER)), None, (
                core.RepeatStmt(num(3), (core.CallFlow("take", (p,), HERE),), HERE),
            ), HERE),
        ), HERE),
        core.StepStmt("play", (
            core.TurnsStmt("p", PLAYER, const(1, PLAYER), op("nonempty", BOOL, hand_p), (
                ask(p, "swap", mode="may repeatedly", after=(core.EmitStmt("Passed", (p,), HERE),)),
                core.AskStmt(p, "chooses", (core.Offer("quit", (num(2),), HERE),), (), (
                    ask(p, "play_card", otherwise=(core.EmitStmt("Passed", (p,), HERE),)),
                ), HERE),
            ), HERE),
        ), HERE),
        core.EndStmt(None, core.Comp("map", op("len", IntType(0, 20), read("played", ListType(COLOUR, 20))), (
            core.Clause("q", PLAYER, const(3, SetType(PLAYER)), None),), MapType(PLAYER, SMALL), HERE, local("q", PLAYER)), HERE),
    )  # fmt: skip
    take = flow("take", core.IfStmt(op("nonempty", BOOL, deck), drawn(p), (), HERE), params=(param("p", PLAYER),))
    return lower(program(
        fields=(field("deck", 0, deck_type, initial=const((4, 3, 3), deck_type)), field("hand", 1, deck_type, PLAYER),
                field("played", 2, ListType(COLOUR, 20))),
        events=(taken, played, passed), actions=(play_card, swap, quit_), flows=(main, take),
    ))  # fmt: skip


def test_games_with_draws_and_nested_questions() -> None:
    module = load(cards(), "cards")
    for seed in range(40):
        state, events = play(module, random.Random(seed))
        assert sum(state[0]) + sum(map(sum, state[1])) + len(state[2]) == 10
        assert state[-1] == (3, (len(state[2]),) * 2)
        assert events[-1][0] == 0


def test_positions_of_the_card_game() -> None:
    module = load(cards(), "cards")
    trace = Trace()
    state, frame = module.start(trace)
    for _ in range(6):
        assert module.KIND[frame[0]] == "draw"
        assert module.STEP[frame[0]] == "take"
        trace = Trace()
        state, frame = module.drawn(state, frame, module.outcomes(state, frame)[0][0], trace)
        assert trace.reveals == [0]
    assert module.KIND[frame[0]] == "choice"
    assert frame[0] in module.MAY_PASS
    assert module.STEP[frame[0]] == "main.play"
    assert module.asked(state, frame) == 1
    assert module.legal(state, frame) == [(0,), (2, 0), (2, 1)]
    assert module.decide(state, frame, (0,))[1] == module.answer(state, frame, (0,), Trace())
    state, frame = module.answer(state, frame, (0,), Trace())
    assert module.OFFERS[frame[0]] == (1,), "with nothing legal the flow goes on at `otherwise`"
    assert module.legal(state, frame) == [(1, 0), (1, 1)]
    hash((state, frame))


def test_flows_and_actions_can_be_begun_from_any_state() -> None:
    module = load(cards(), "cards")
    trace = Trace()
    state, frame = module.run(module.initial(), "take", (1,), trace)
    assert module.outcomes(state, frame) == [(0, 4), (1, 3), (2, 3)]
    state, frame = module.drawn(state, frame, 2, trace)
    assert (trace, frame) == ([(1, 1, 2)], None)
    trace = Trace()
    state, frame = module.perform(state, 2, 1, (), (2,), trace)
    assert trace == [(2, 1, 2)]
    assert module.KIND[frame[0]] == "draw"
    state, frame = module.drawn(state, frame, 0, trace)
    assert module.legal(state, frame) == [(0,), (1, 0)]
    assert module.answer(state, frame, (0,), trace) == (state, None)


def test_an_empty_draw_and_a_main_without_an_end_are_faults() -> None:
    bare = lower(program(
        fields=(field("deck", 0, BagType(COLOUR)),),
        flows=(flow("main"), flow("lot", core.DrawStmt("x", COLOUR, read("deck", BagType(COLOUR)), at(9)))),
    ))  # fmt: skip
    module = load(bare)
    with pytest.raises(RulesFault) as caught:
        module.start(Trace())
    assert caught.value.kind == "no result"
    state, frame = module.run(module.initial(), "lot", (), Trace())
    with pytest.raises(RulesFault) as caught:
        module.outcomes(state, frame)
    assert (caught.value.kind, fault_from(caught.value, module).place) == ("empty draw", ("made.rules", 9, 1))


def test_too_many_steps() -> None:
    """Plain loops and loops with questions in them count; what is answered begins anew."""
    spin = flow("spin", core.WhileStmt(const(True, BOOL), (core.Bind("x", num(1), HERE),), at(5)))
    stuck = flow("stuck", core.WhileStmt(const(True, BOOL), (
        core.IfStmt(op("nonempty", BOOL, read("deck", BagType(COLOUR))), (core.DrawStmt("x", COLOUR, read("deck", BagType(COLOUR)), HERE),), (), HERE),
    ), at(6)))  # fmt: skip
    made = lower(program(fields=(field("deck", 0, BagType(COLOUR)),), flows=(flow("main"), spin, stuck)))
    module = load(made)
    for name, line in (("spin", 5), ("stuck", 6)):
        with pytest.raises(RulesFault) as caught:
            module.run(module.initial(), name, (), Trace())
        assert (caught.value.kind, fault_from(caught.value, module).place) == ("steps", ("made.rules", line, 1))


def test_after_and_can() -> None:
    me, a, b = local("me", PLAYER), local("a", CELL), local("b", CELL)
    piece = OptionType(PIECE)
    near = core.Chosen("b", CELL, op("table", SetType(CELL), a, data=NEIGHBOURS), HERE)
    mine = core.Comp("set", local("s", CELL), (core.Clause("s", CELL, CELLS, op("eq", BOOL, core.IfSome(
        "x", read("piece", piece, local("s", CELL)), op("some", MARK, op("get", PLAYER, local("x", PIECE), data=0)), MARK, HERE,
    ), op("some", MARK, me))),), SetType(CELL), HERE)  # fmt: skip
    safe = core.After((("Moved", (a, b)),), op("is_none", BOOL, read("piece", piece, const(0, CELL))), BOOL, HERE)
    move = action("move", 1, chosen=(core.Chosen("a", CELL, mine, HERE), near), prelude=(
        guard("free", op("is_none", BOOL, read("piece", piece, b))), guard("safe", safe, "free")),
        effects=(core.EmitStmt("Moved", (a, b), HERE),))  # fmt: skip
    game = playground((
        definition("can", [param("p", PLAYER)], BOOL, returns(core.CanDo(local("p", PLAYER), "move", (), BOOL, HERE))),
    ))  # fmt: skip
    parts = {item.name: getattr(game, item.name) for item in core.Program.__attrs_attrs__}  # type: ignore[attr-defined]
    main = flow("main", core.WhileStmt(const(True, BOOL), (ask(const(0, PLAYER), "move"),), HERE))
    module = load(lower(core.Program(**{**parts, "actions": (move,), "flows": (main,)})))
    rng = random.Random(1)
    state = packed({**random_state(rng), "piece": ((0, 1), None, (1, 0), None, (0, 2), (0, 0))})
    assert module.legal_move(state, 0) == [(1, 0, 1)]
    assert module.DEFS["can"](state, 0) is True
    assert not module.DEFS["can"](state, 1)
    assert module.allows_move(state, 0, (1, 0, 1))
    assert not module.allows_move(state, 0, (1, 4, 3)), "c0 stays occupied"


# ---------------------------------------------------------------- explanations and scenarios


def test_probes_show_what_decided() -> None:
    game = playground()
    module = load(game)
    s = core.Local("s", CELL, at(3))
    inner = op("is_some", BOOL, core.Read("piece", (core.Local("x", CELL, at(5)),), OptionType(PIECE), at(6)))
    found = core.Comp(
        "any", inner, (core.Clause("x", CELL, op("table", SetType(CELL), s, data=NEIGHBOURS), None),), BOOL, at(7)
    )
    big = op("gt", BOOL, core.Read("quiet", (), IntType(0, 100), at(8)), core.Const(3, SMALL, at(9)))
    called = core.Call("occupied", (s,), BOOL, at(10))
    expr = op("and", BOOL, found, op("and", BOOL, big, called))
    probe = extra(game, module, [ExtraFunction("why", ("s",), expr, probe=True)])["why"]
    state = {**random_state(random.Random(0)), "piece": (None, None, (0, 1), (1, 1), None, None), "quiet": 40}
    value, probes = probe(packed(state), 3)
    assert value is True
    assert [(span.line, found, str(kind)) for span, found, kind in probes] == [
        (7, 2, "Cell"), (8, 40, "0..100"), (10, True, "bool"),
    ]  # fmt: skip
    value, probes = probe(packed({**state, "quiet": 2}), 3)
    assert (value, len(probes)) == (False, 2)


def test_extra_functions_for_scenarios_and_laws() -> None:
    game = playground()
    module = load(game)
    given_body: core.Body = (
        core.Store("marks", (), const(5, SetType(CELL)), HERE),
        core.Store("level", (const(1, CELL),), const(7, ODD), HERE),
        core.ForStmt(
            "x",
            CELL,
            const(6, SetType(CELL)),
            None,
            (core.Store("open", (local("x", CELL),), const(True, BOOL), HERE),),
            HERE,
        ),
    )
    winners = core.Read("winners", (), SetType(PLAYER), HERE)
    scores = op("map_get", SMALL, core.Read("scores", (), MapType(PLAYER, IntType(0, 9)), HERE), const(1, PLAYER))
    grown = op("set_le", BOOL, core.Read("marks", (), SetType(CELL), HERE, True), read("marks", SetType(CELL)))
    made = extra(game, module, [
        ExtraFunction("given", (), None, given_body), ExtraFunction("winners", (), winners), ExtraFunction("scores", (), scores),
        ExtraFunction("grown", (), grown),
    ])  # fmt: skip
    state = random_state(random.Random(2))
    after = made["given"](packed(state))
    level = (state["level"][0], 7, *state["level"][2:])
    opened = (state["open"][0], True, True, *state["open"][3:])
    assert after == packed({**state, "marks": 5, "level": level, "open": opened})
    assert (made["winners"](after), made["scores"](after)) == (0, 0)
    ended = module.apply(after, (0, 2, (3, 8)))
    assert (made["winners"](ended), made["scores"](ended)) == (2, 8)
    assert made["grown"](packed({**state, "marks": 4}), after)
    assert not made["grown"](packed({**state, "marks": 8}), after)


# ---------------------------------------------------------------- the module as a whole


def test_the_same_program_gives_the_same_source_in_every_process() -> None:
    """The order of sets of strings differs between processes; nothing may depend on it."""
    text = "import sys; sys.path[:0] = {path!r}; import test_backend as t, hashlib; " \
           "print(hashlib.sha256((t.generate(t.cards()).source + t.generate(t.playground()).source).encode()).hexdigest())"  # fmt: skip
    runs = [
        subprocess.run(
            [sys.executable, "-c", text.format(path=[str(p) for p in sys.path])], capture_output=True, text=True, check=True,
            env={"PYTHONHASHSEED": seed},
        ).stdout
        for seed in ("1", "2")
    ]  # fmt: skip
    assert runs[0] == runs[1]


def test_a_long_table_is_broken_between_its_values_and_strings_are_not() -> None:
    text = "TABLE = (" + ", ".join(str(1000 + n) for n in range(500)) + ")"
    lines = wrapped(text, width=60)
    assert " ".join(line.removeprefix("    ") for line in lines) == text
    assert all(50 < len(line) <= 60 for line in lines[:-1]) and {line[:4] for line in lines[1:]} == {"    "}
    assert wrapped("NAMES = (1, 'a, b', 2)", width=12) == ["NAMES = (1, 'a, b', 2)"]
    assert wrapped("x" * 90, width=60) == ["x" * 90]


def test_names_of_the_game_may_be_anything() -> None:
    """Python's keywords, built-ins and our own helpers are ordinary names in rules."""
    names = [
        "class",
        "len",
        "st",
        "trace",
        "bag_add",
        "list_get",
        "None_",
        "moves",
        "depth",
        "T",
        "BIT",
        "def_x",
        "_",
        "__x",
        "live",
        "move",
    ]
    fields_ = tuple(field(f"{name}_f" if name in ("_",) else name, i, SMALL) for i, name in enumerate(names))
    total: core.Expr = num(0)
    for item in fields_:
        total = op("add", IntType(0, 100), total, read(item.name, SMALL))
    params = [param(f"{name}2", SMALL) for name in names]
    for item in params:
        total = op("add", IntType(0, 200), total, local(item.name, SMALL))
    for name in names:
        total = core.LetIn(
            f"{name}3", num(1), op("add", IntType(0, 300), total, local(f"{name}3", SMALL)), IntType(0, 300), HERE
        )
    module = load(program(fields=fields_, defs=(definition("x", params, IntType(0, 300), returns(total)),)))
    assert module.DEFS["x"]((1,) * len(names) + (None,), *(2,) * len(names)) == 4 * len(names)


def test_the_source_points_into_the_rules() -> None:
    generated = generate(cards())
    assert "# made.rules:30" in generated.source
    lines = {line: row for line, _, row, _ in generated.lines}
    for number, text in enumerate(generated.source.split("\n"), start=1):
        if "bag_remove(deck" in text:
            assert lines[number] == 30
            break
    else:
        pytest.fail("the deck is never drawn from")


def test_players_take_turns_by_the_table() -> None:
    module = load(program(defs=(
        definition("rival", [param("p", PLAYER)], PLAYER, returns(op("table", PLAYER, local("p", PLAYER), data=NEXT))),
        definition("order", [param("p", PLAYER)], ListType(PLAYER, 2), returns(op("seats_from", ListType(PLAYER, 2), local("p", PLAYER)))),
    )))  # fmt: skip
    assert [module.DEFS["rival"]((None,), p) for p in (0, 1)] == [1, 0]
    assert [module.DEFS["order"]((None,), p) for p in (0, 1)] == [(0, 1), (1, 0)]


def test_runtime_helpers_say_what_is_wrong() -> None:
    cases: list[tuple[Any, str]] = [
        (lambda: runtime.bag_add((255,), 0), "bag count"), (lambda: runtime.bag_remove((0, 1), 0), "missing"),
        (lambda: runtime.bag_minus((1,), (2,)), "missing"), (lambda: runtime.set_minus(1, 2), "missing"),
        (lambda: runtime.list_limit((1, 2), 1), "limit"), (lambda: runtime.out_of_range(2**63, -(2**63), 2**63 - 1), "overflow"),
    ]  # fmt: skip
    for work, kind in cases:
        with pytest.raises(RulesFault) as caught:
            work()
        assert caught.value.kind == kind
    elements = runtime.Elements(range(100))
    assert elements[(1 << 99) | 5] == (0, 2, 99)
    assert elements[0] == ()
