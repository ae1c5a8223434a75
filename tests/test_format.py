"""The formatter: one layout, nothing lost, nothing changed."""

import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from syntax_tools import disorder, expressions, shape, tree

from rulesdsl import syntax
from rulesdsl.diagnostics import Source, render
from rulesdsl.formatting.format import canonical, format_expr, format_module, format_statement, format_type
from rulesdsl.parsing import parse as parsing
from rulesdsl.parsing.parse import parse_expression
from rulesdsl.parsing.raw import raw_tokens
from rulesdsl.parsing.tree import Builder

IDENTITY = (Path(__file__).parent / "language" / "identity.rules").read_text(encoding="utf-8")
# What a file can have only once, in its other form.
NUMBERED = 'game numbered:\n    title "Numbered"\n    players 2..4\n\nflow main:\n    end scores {}\n'

VARIANT = (Path(__file__).parent / "language" / "identity_variant.rules").read_text(encoding="utf-8")
PLAIN_VARIANT = 'variant plain of "identity.rules" and "other.rules"\n\nset size = 3\nremove terminates because "it may take long"\n'


def formatted(text: str) -> str:
    return format_module(tree(text), Source("test.rules", text))


# ---------------------------------------------------------------- identity


TEXTS = {"identity": IDENTITY, "numbered": NUMBERED, "variant": VARIANT, "plain variant": PLAIN_VARIANT}


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_the_canonical_layout_is_not_changed(text: str):
    assert formatted(text) == text


def test_these_files_have_every_construct_of_the_grammar(monkeypatch: pytest.MonkeyPatch):
    used: set[str] = set()

    class Watching(Builder):
        def __getattribute__(self, name: str) -> Any:
            if name.startswith("on_"):
                used.add(name.removeprefix("on_"))
            return super().__getattribute__(name)

    monkeypatch.setattr(parsing, "Builder", Watching)
    seen = set()
    for text in TEXTS.values():
        tree(text)
        seen |= {token.text for token in raw_tokens(text, 0, len(text))}
    rules = parsing.the_parser().lark.rules
    names = {str(rule.alias or rule.origin.name) for rule in rules if rule.alias or not rule.options.expand1}
    missing = {name for name in names if not name.startswith("_")} - used
    assert not missing
    words = set(parsing.spelling().values())
    assert not words - seen


# ---------------------------------------------------------------- laws


@given(text=st.sampled_from([IDENTITY, VARIANT]), seed=st.integers(0, 2**32), share=st.sampled_from([0.01, 0.05, 0.2]))
@settings(max_examples=40, deadline=None)
def test_no_layout_changes_the_program_or_loses_a_comment(text: str, seed: int, share: float):
    text = disorder(text, seed, share)
    before = tree(text)
    once = format_module(before, Source("test.rules", text))
    after = tree(once)
    assert shape(after) == shape(before)
    assert comments(after) == comments(before)
    assert format_module(after, Source("test.rules", once)) == once


def comments(module: syntax.Module) -> Counter[str]:
    return Counter(comment.text.lstrip("# ") for comment in module.comments)


@given(expr=expressions)
@settings(max_examples=150, deadline=None)
def test_an_expression_is_read_back_as_it_was(expr: syntax.Expr):
    text = format_expr(expr)
    read, diagnostics = parse_expression(Source("made", text), 0, len(text))
    assert not diagnostics, f"{text}\n{render(diagnostics)}"
    assert shape(read) == shape(expr)


@given(expr=expressions)
@settings(max_examples=200, deadline=None)
def test_no_pair_of_parentheses_can_be_left_out(expr: syntax.Expr):
    """But for those around `a or b` and `a and b` as values of a condition, which the formatter writes for readers: where they
    could be left out, it puts them back."""
    text = format_expr(expr)
    for opened, closed in parenthesised(text):
        without = f"{text[:opened]} {text[opened + 1 : closed]} {text[closed + 1 :]}"
        read, diagnostics = parse_expression(Source("made", without), 0, len(without))
        if not diagnostics and shape(read) == shape(expr):
            assert is_value_of_condition(text, opened, closed), text
            assert format_expr(read) == text


def is_value_of_condition(text: str, opened: int, closed: int) -> bool:
    """Whether a pair of parentheses holds an `and` or `or` before `if` or after `else`."""
    if not re.match(r"\s+if\b", text[closed + 1 :]) and not re.search(r"\belse\s+$", text[:opened]):
        return False
    inner = text[opened + 1 : closed]
    read, diagnostics = parse_expression(Source("made", inner), 0, len(inner))
    return not diagnostics and isinstance(read, syntax.Binary) and read.op in ("and", "or")


def parenthesised(text: str) -> list[tuple[int, int]]:
    """Where pairs of parentheses stand that call nothing."""
    pairs, opened = [], []
    for i, char in enumerate(text):
        if char == "(":
            opened.append(i)
        elif char == ")":
            start = opened.pop()
            before = text[:start]
            word = re.search(r"(\w+)$", before)
            called = before[-1:] in (")", "]", "}") or (word and word.group() not in parsing.reserved_words())
            if not called:
                pairs.append((start, i))
    return pairs


@given(seed=st.integers(0, 2**32))
@settings(max_examples=15, deadline=None)
def test_the_canonical_text_does_not_depend_on_layout(seed: int):
    tidy, untidy = tree(IDENTITY), tree(disorder(IDENTITY, seed, 0.1))
    for one, other in zip(tidy.declarations, untidy.declarations, strict=True):
        assert canonical(one) == canonical(other)


@pytest.mark.parametrize("declaration", tree(IDENTITY).declarations, ids=lambda d: type(d).__name__.lower())
def test_the_canonical_text_is_the_declaration_without_documentation(declaration: syntax.Declaration):
    (again,) = tree(canonical(declaration)).declarations
    assert shape(again, ("span", "rows", "doc")) == shape(declaration, ("span", "rows", "doc"))
    assert "#" not in canonical(declaration)


# ---------------------------------------------------------------- examples


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("((a))", "a"),
        ("(a or b) or c", "a or b or c"),
        ("a or (b or c)", "a or (b or c)"),
        ("(a and b) or c", "a and b or c"),
        ("a and (b or c)", "a and (b or c)"),
        ("not (a == b)", "not a == b"),
        ("(not a) == b", "(not a) == b"),
        ("a - (b - c)", "a - (b - c)"),
        ("(a-b)-c", "a - b - c"),
        ("(a + b) | c & (d | e)", "a + b | c & (d | e)"),
        ("-(a * b)", "-(a * b)"),
        ("(-a) * b", "-a * b"),
        ("(a..b).first", "(a..b).first"),
        ("1 .. n+1", "1..n + 1"),
        ("(a if b else c) if d else e", "(a if b else c) if d else e"),
        ("a if b else (c if d else e)", "a if b else c if d else e"),
        ("(a after E()) after F()", "a after E() after F()"),
        ("1 + (a after E())", "1 + (a after E())"),
        ("(1 + a) after E()", "1 + a after E()"),
        ("(p).next can place( )", "p.next can place"),
        ("xs [ : -1 ]", "xs[:-1]"),
        ("xs[a :b]", "xs[a:b]"),
        ("{ }", "{}"),
        ("{a:1,b:2}", "{a: 1, b: 2}"),
        ("{x for x in (xs) if (x in ys)}", "{x for x in xs if x in ys}"),
        ("f(a=(1),b = 2)", "f(a=1, b=2)"),
        ("any(  x for x in xs  )", "any(x for x in xs)"),
        ("007", "7"),
        ("x  not   in y", "x not in y"),
    ],
)
def test_expressions(written: str, expected: str):
    expr, diagnostics = parse_expression(Source("made", written), 0, len(written))
    assert expr is not None, render(diagnostics)
    assert format_expr(expr) == expected


def test_types():
    text = "state:\n    x: map[Cell?, list[set[bag[A]], n + 1]]\n    y: 0..2*n?\n"
    fields = tree(text).declarations[0].fields  # type: ignore[union-attr]
    assert [format_type(f.type) for f in fields] == ["map[Cell?, list[set[bag[A]], n + 1]]", "0..2 * n?"]


def test_statements():
    (flow,) = tree("flow main:\n  if a:\n    end tie\n  elif b: # why\n      pass\n").declarations
    assert isinstance(flow, syntax.Flow)
    assert format_statement(flow.body[0], 4) == "    if a:\n        end tie\n    elif b:\n        pass"


EXAMPLES = {
    "indentation, spaces and blank lines": (
        "game   g:\n  players a,b\n\n\n\nflow main:\n\n\n      emit  A( 1,2 )\n\n\n      pass\n\n      # end\n\n\n\n# done\n\n",
        "game g:\n    players a, b\n\nflow main:\n    emit A(1, 2)\n\n    pass\n\n    # end\n\n# done\n",
    ),
    "lines of one kind may stay together": (
        "param a: int = 1\nparam b: int = 2\n\n\nconst c = 3\nrecord R:\n    x: int\nconst d = 4",
        "param a: int = 1\nparam b: int = 2\n\nconst c = 3\n\nrecord R:\n    x: int\n\nconst d = 4\n",
    ),
    "a value on the line of its colon": (
        "measure m(p: Player) -> int: hand[p] # cards\n\ninvariant \"i\": (a ==\n b)\n",
        'measure m(p: Player) -> int:\n    hand[p]  # cards\n\ninvariant "i":\n    a == b\n',
    ),
    "empty brackets of declarations and offers": (
        "flow main():\n    p chooses a() or b()\n\nevent E():\n    pass\n\ndef f():\n    return\n",
        "flow main:\n    p chooses a or b\n\nevent E:\n    pass\n\ndef f():\n    return\n",
    ),
    "comments belong to the block that they are indented like": (
        "flow main:\n    if a:\n        pass\n        # of the if\n    # of main\n    else:\n        pass\n          # deep\n"
        "  # shallow\n# top\nflow other:\n    pass\n",
        "flow main:\n    if a:\n        pass\n        # of the if\n    # of main\n    else:\n        pass\n        # deep\n"
        "\n# shallow\n# top\nflow other:\n    pass\n",
    ),
    "documentation stays with what it documents": (
        "flow a:\n    pass\n    ## about b\nflow b:\n    pass\n",
        "flow a:\n    pass\n\n## about b\nflow b:\n    pass\n",
    ),
    "a comment in parentheses that go away": (
        "flow a:\n    x = (  ## why\n        3)\n",
        "flow a:\n    # why\n    x = 3\n",
    ),
    "line ends of Windows and a byte order mark": ("\ufeffconst a = 1 # x\r\n\r\n# y\r\n", "const a = 1  # x\n\n# y\n"),
}


@pytest.mark.parametrize(("written", "expected"), EXAMPLES.values(), ids=EXAMPLES)
def test_layout(written: str, expected: str):
    assert formatted(written) == expected
    assert formatted(expected) == expected


LONG = "a_rather_long_name_of_something"


def test_long_lines_are_broken_at_brackets_first_together_then_one_a_line():
    together = f"const c = f(\n    {', '.join([LONG] * 3)}\n)\n"
    assert formatted(f"const c = f({', '.join([LONG] * 3)})\n") == formatted(together)
    apart = "const c = f(\n" + ",\n".join([f"    {LONG}"] * 4) + "\n)\n"
    assert formatted(f"const c = f({', '.join([LONG] * 4)})\n") == apart


def test_long_chains_are_put_in_parentheses():
    assert formatted(f"const c = {' or '.join([LONG] * 4)}\n") == (
        f"const c = (\n    {LONG}\n    or {LONG}\n    or {LONG}\n    or {LONG}\n)\n"
    )
    assert formatted(f"const c = {' and '.join([LONG] * 3)} + {LONG}\n") == (
        f"const c = (\n    {LONG}\n    and {LONG}\n    and {LONG} + {LONG}\n)\n"
    )


def test_rows_of_an_enum_are_kept_and_broken_when_they_are_too_long():
    row = ", ".join(f"member_number_{i}" for i in range(9))
    assert formatted(f"enum E:\n  a , b\n  {row} # long\n  c\n") == (
        f"enum E:\n    a, b\n    {row[: row.index(', member_number_6')]}\n    member_number_6, member_number_7, member_number_8  # long\n    c\n"
    )


def test_no_line_is_longer_than_it_must_be():
    text = disorder(IDENTITY, 1, 0.3)
    for line in formatted(text).split("\n"):
        assert len(line) <= 120 or "#" in line
