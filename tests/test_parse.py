from pathlib import Path

from lark import Lark

from rulesdsl import parse as parsing
from rulesdsl import syntax
from rulesdsl.diagnostics import Source
from rulesdsl.layout import Layout
from rulesdsl.parse import parse


def tree(text: str) -> syntax.Module:
    module, diagnostics = parse(Source("test.rules", text))
    assert diagnostics == []
    assert module is not None
    return module


def test_the_grammar_has_no_conflict():
    grammar = Path(parsing.GRAMMAR).read_text(encoding="utf-8")
    Lark(grammar, postlex=Layout(), strict=True, **parsing.options())


def test_spans_are_exact():
    module = tree("const n = (a + b) * c.d[1]\n")
    (const,) = module.declarations
    assert const.span.text == "const n = (a + b) * c.d[1]"
    assert const.value.span.text == "(a + b) * c.d[1]"
    assert const.value.left.span.text == "a + b"
    assert const.value.right.obj.name.span.text == "d"
