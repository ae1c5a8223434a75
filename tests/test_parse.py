"""The parser: the grammar, the trees, their places, comments and documentation."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from lark import Lark
from syntax_tools import shape, tree

from rulesdsl import syntax
from rulesdsl.diagnostics import Source
from rulesdsl.formatting.format import format_expr
from rulesdsl.parsing import parse as parsing
from rulesdsl.parsing.layout import AT_MARGIN, IN_SCENARIO, Layout
from rulesdsl.parsing.parse import parse, parse_expression

GRAMMAR = parsing.GRAMMAR.read_text(encoding="utf-8")

# ---------------------------------------------------------------- the grammar


def test_the_grammar_has_no_conflict():
    Lark(GRAMMAR, postlex=Layout(), strict=True, **parsing.options())


def test_soft_words_are_words_of_the_grammar_and_reserved_words_are_the_others():
    words = {word for word in parsing.spelling().values() if word.isalpha()}
    assert words >= parsing.SOFT
    assert parsing.reserved_words() == words - parsing.SOFT


def test_soft_words_stand_where_no_name_can_but_for_those_that_are_known():
    """A state of the parser that accepts both a soft word and a name would read the name as the word."""
    lark = parsing.the_parser().lark
    states = lark.parser.parser._parse_table.states.values()
    both = {terminal for state in states if "NAME" in state for terminal in state}
    doubtful = {word for terminal, word in parsing.spelling().items() if terminal in both} & parsing.SOFT
    types = {"set", "bag", "list", "map"}
    line_starts = {parsing.spelling()[terminal] for terminal in AT_MARGIN | IN_SCENARIO}
    assert doubtful <= parsing.NOT_ACTIONS | types | line_starts


@pytest.mark.parametrize("word", sorted(parsing.SOFT))
def test_soft_words_start_lines_as_names(word: str):
    statements = f"{word}(p)\n    {word} = 3\n    {word} += {word}\n    if a:\n        {word}(p)\n    {word}.x = 3\n"
    tree(f"flow f:\n    {statements}    p chooses a\n    {statements}    p may repeatedly a:\n        {statements}    end tie\n")
    tree(f"state:\n    a: int\n    {word}: int\n\nrecord R:\n    a: int\n    {word}: int\n\nenum E:\n    a\n    {word}\n    b, {word}\n")
    tree(f'invariant "i":\n    {word}\n\nscenario "s":\n    given:\n        a = 3\n        {word} = 3\n    expect {word}\n    run {word}(1)\n')


# ---------------------------------------------------------------- places


def test_spans_are_exact():
    (const,) = tree("const n = (a + b) * c.d[1]  # why\n").declarations
    assert isinstance(const, syntax.Const)
    assert const.span.text == "const n = (a + b) * c.d[1]"
    assert const.name.span.text == "n"
    value: Any = const.value
    assert value.span.text == "(a + b) * c.d[1]"
    assert value.left.span.text == "a + b"
    assert value.right.obj.name.span.text == "d"


def test_a_statement_reaches_from_its_keyword_to_its_last_line():
    (flow,) = tree("flow main:\n    if a:\n        pass\n    # end\n    else:\n        return (b)\n\nconst c = 1\n").declarations[:1]
    assert isinstance(flow, syntax.Flow)
    assert flow.body[0].span.text == "if a:\n        pass\n    # end\n    else:\n        return (b)"
    assert flow.span.end == flow.body[0].span.end


def test_every_node_lies_in_its_parent():
    text = (Path(__file__).parent / "language" / "identity.rules").read_text(encoding="utf-8")

    def walk(node: Any, around: Any) -> int:
        if isinstance(node, tuple):
            return sum(walk(item, around) for item in node)
        if not hasattr(node, "__attrs_attrs__") or not hasattr(node, "span"):
            return 0
        assert around.start <= node.span.start < node.span.end <= around.end
        return 1 + sum(walk(getattr(node, a.name), node.span) for a in node.__attrs_attrs__ if a.name != "span")

    module = tree(text)
    assert walk(module.declarations, module.span) > 700


def test_expressions_are_read_in_place():
    source = Source("x.rules", "   (a +  b).c  ")
    expr, diagnostics = parse_expression(source, 3, 13)
    assert not diagnostics and isinstance(expr, syntax.Attr)
    assert (expr.span.start, expr.span.end, expr.obj.span.text) == (3, 13, "a +  b")


# ---------------------------------------------------------------- trees


@pytest.mark.parametrize(
    ("text", "grouped"),
    [
        ("a or b and not c == d", "(a or (b and (not (c == d))))"),
        ("a + b * c - d", "((a + (b * c)) - d)"),
        ("a | b & c + d", "(a | (b & (c + d)))"),
        ("-a * b", "((-a) * b)"),
        ("-a.b", "(-(a.b))"),
        ("a - -b", "(a - (-b))"),
        ("a..b + 1", "(a..(b + 1))"),
        ("x in 1..n", "(x in (1..n))"),
        ("a < b <= c", "(a < b <= c)"),
        ("not x is none", "(not (x is none))"),
        ("p can act and q", "((p can act) and q)"),
        ("a if b or c else d if e else f", "(a if (b or c) else (d if e else f))"),
        ("a if b else c after E()", "((a if b else c) after (E()))"),
        ("a after E() after F()", "((a after (E())) after (F()))"),
        ("a not in b", "(a not in b)"),
        ("at[s]?.owner != p", "(((at[s])?.owner) != p)"),
    ],
)
def test_precedence(text: str, grouped: str):
    expr, _ = parse_expression(Source("x", text), 0, len(text))
    again, _ = parse_expression(Source("x", grouped), 0, len(grouped))
    assert expr is not None and shape(expr) == shape(again)
    assert format_expr(expr) == text


def test_an_empty_brace_is_a_brace_and_pairs_make_a_map():
    (flow,) = tree("flow f:\n    x = {}\n    x = {a: b}\n    x = {a: b for a in c}\n    x = {a for a in c}\n    x = [a for a in c]\n").declarations
    assert isinstance(flow, syntax.Flow)
    kinds = [type(s.value).__name__ for s in flow.body if isinstance(s, syntax.Assign)]
    assert kinds == ["BraceLit", "MapLit", "MapComprehension", "Comprehension", "Comprehension"]


def test_players_are_seats_or_a_number():
    named, counted, one = (tree(f"game g:\n    players {text}\n").declarations[0] for text in ("a, b", "2..4", "1"))
    assert isinstance(named, syntax.Game) and isinstance(counted, syntax.Game) and isinstance(one, syntax.Game)
    assert [seat.id for seat in named.seats] == ["a", "b"] and named.seat_count is None
    assert counted.seats == () and isinstance(counted.seat_count, syntax.RangeExpr)
    assert isinstance(one.seat_count, syntax.IntLit)


def test_audiences():
    (event,) = tree("event E(a: int, b: int hidden, c: int private to a and b):\n    pass\n").declarations
    assert isinstance(event, syntax.Event)
    assert [p.audience if p.audience is None else tuple(n.id for n in p.audience) for p in event.params] == [None, (), ("a", "b")]


def test_questions():
    (flow,) = tree(
        "flow f:\n    p chooses a or b(1)\n    otherwise:\n        pass\n    p may a\n    p may repeatedly a:\n        pass\n    p may repeatedly a\n"
    ).declarations
    assert isinstance(flow, syntax.Flow)
    asks = [s for s in flow.body if isinstance(s, syntax.Ask)]
    assert [(a.mode, len(a.alternatives), a.after is not None, a.otherwise is not None) for a in asks] == [
        ("chooses", 2, False, True), ("may", 1, False, False), ("may repeatedly", 1, True, False), ("may repeatedly", 1, False, False),
    ]


def test_endings():
    (flow,) = tree("flow f:\n    end tie\n    end win a\n    end scores b\n    end win a scores b\n").declarations
    assert isinstance(flow, syntax.Flow)
    ends = [(s.winners is not None, s.scores is not None) for s in flow.body if isinstance(s, syntax.End)]
    assert ends == [(False, False), (True, False), (False, True), (True, True)]


def test_scenarios():
    (scenario,) = tree(
        'scenario "s":\n    with a = 1, b = 2\n    given:\n        c = 3\n    run f(1)\n    draw 3, 4\n    p passes\n    p act(1)\n'
        "    Player[0] act\n    expect a\n    expect illegal p act(1) by why\n"
        "    expect event Acted(p, n=1)\n    expect not event Acted\n    expect not a\n"
    ).declarations
    assert isinstance(scenario, syntax.Scenario)
    assert [type(line).__name__ for line in scenario.lines] == [
        "WithLine", "Given", "RunLine", "DrawLine", "PassLine", "PlayLine", "PlayLine", "ExpectLine", "ExpectIllegal",
        "ExpectEvent", "ExpectEvent", "ExpectLine",
    ]
    assert [line.absent for line in scenario.lines if isinstance(line, syntax.ExpectEvent)] == [False, True]


def test_a_value_may_stand_on_the_line_of_its_colon():
    for head in ("measure m(p: Player) -> int:", 'invariant "i":', 'transition "t":'):
        assert shape(tree(f"{head} a\n")) == shape(tree(f"{head}\n    a\n"))


# ---------------------------------------------------------------- comments and documentation


def test_comments_are_kept_beside_the_tree():
    module = tree('# one\nconst a = 1  # two\n    ## three\nevent E:\n    "no # comment"\n# four')
    assert [(c.text, c.alone) for c in module.comments] == [("# one", True), ("# two", False), ("## three", True), ("# four", True)]


def test_documentation_stands_right_above():
    module = tree(
        "## not this\n\n## of the\n##  game\ngame g:\n    title \"G\"\n\n"
        "enum E:\n    ## row\n    a, b\n    c\n\nstate:\n    ## field\n    x: int\n    y: int\n\n"
        'action act:\n    # plain\n    ## why\n    require r: a else "no"\n    ## step\n    step s:\n        pass\n'
    )
    game, enum, state, action = module.declarations
    assert isinstance(enum, syntax.Enum) and isinstance(state, syntax.State) and isinstance(action, syntax.Action)
    assert game.doc == "of the\n game"  # type: ignore[union-attr]
    assert [m.doc for m in enum.members] == ["row", "", ""] and enum.rows == (2, 1)
    assert [f.doc for f in state.fields] == ["field", ""]
    assert [s.doc for s in action.body] == ["why", "step"]  # type: ignore[union-attr]


def test_line_ends_byte_order_marks_and_the_end_of_the_file_do_not_matter():
    text = "flow f:\n    if a:\n        return\n\n# end"
    for variant in (text + "\n", text.replace("\n", "\r\n"), "\ufeff" + text, text + "\n   \n\t\n", "\n\n" + text):
        assert shape(tree(variant)) == shape(tree(text))


# ---------------------------------------------------------------- the process


def run(code: str, **environment: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env={**os.environ, **environment},
    )
    return done.stdout.strip()


def test_importing_does_not_load_the_parser():
    assert run("import sys, rulesdsl.parsing.parse; print('lark' in sys.modules)") == "False"


PARSE = "from rulesdsl.parsing.parse import *; print(parse(Source('x', 'const a = 1\\n'))[1])"


def test_tables_are_kept_in_the_cache_folder(tmp_path: Path):
    assert run(PARSE, XDG_CACHE_HOME=str(tmp_path)) == "[]"
    (kept,) = (tmp_path / "rulesdsl").iterdir()
    before = kept.stat().st_mtime_ns
    assert run(PARSE, XDG_CACHE_HOME=str(tmp_path)) == "[]"
    assert kept.stat().st_mtime_ns == before
    kept.write_bytes(b"damaged")
    assert run(PARSE, XDG_CACHE_HOME=str(tmp_path)) == "[]"


def test_without_a_cache_folder_there_is_no_cache(tmp_path: Path):
    (tmp_path / "file").write_text("not a folder")
    assert run(PARSE, XDG_CACHE_HOME=str(tmp_path / "file")) == "[]"


def test_two_processes_may_start_at_once(tmp_path: Path):
    started = [
        subprocess.Popen([sys.executable, "-c", PARSE], stdout=subprocess.PIPE, env={**os.environ, "XDG_CACHE_HOME": str(tmp_path)})
        for _ in range(3)
    ]
    assert [process.communicate()[0].strip() for process in started] == [b"[]"] * 3
    assert [path.suffix for path in (tmp_path / "rulesdsl").iterdir()] == [".pickle"]


def test_a_parse_knows_nothing_of_the_one_before():
    assert parse(Source("a", "const a = (\n"))[0] is None
    assert parse(Source("b", "flow f:\n    if 3x:\n"))[0] is None
    assert tree("const a = 1\n").declarations[0].span.source.name == "test.rules"
