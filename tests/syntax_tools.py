"""Shared by the tests of syntax: trees without places, random expressions, and texts with their layout in disorder."""

import random
from typing import Any

from attrs import fields, has
from hypothesis import strategies as st

from rulesdsl import syntax
from rulesdsl.diagnostics import Source, Span, render
from rulesdsl.parsing.parse import parse
from rulesdsl.parsing.raw import CLOSER, OPENER, raw_tokens


def tree(text: str, name: str = "test.rules") -> syntax.Module:
    """The tree of a text that has no mistakes."""
    module, diagnostics = parse(Source(name, text))
    assert not diagnostics, render(diagnostics)
    assert module is not None
    return module


def shape(node: Any, without: tuple[str, ...] = ("span", "comments", "rows")) -> Any:
    """A tree as plain data, without places."""
    if isinstance(node, tuple):
        return tuple(shape(item, without) for item in node)
    if has(type(node)):
        named = [(f.name, shape(getattr(node, f.name), without)) for f in fields(type(node)) if f.name not in without]
        return (type(node).__name__, *named)
    return node


def disorder(text: str, seed: int, share: float) -> str:
    """The same program with comments, blank lines and line ends in brackets strewn in."""
    rng = random.Random(seed)
    pieces: list[str] = []
    depth = at = count = 0
    for token in raw_tokens(text, 0, len(text)):
        gap = text[at : token.start]
        line = text[text.rfind("\n", 0, token.start) + 1 : token.start]
        if rng.random() < share and (depth or (token.kind == "newline" and "#" not in line)):
            count += 1
            spaces = " " * rng.randrange(12)
            if depth:
                gap = rng.choice(["\n", f"  # c{count}\n", f"\n  # c{count}\n", f"\n## c{count}\n\n", f"# a{count}\n# b{count}\n"])
                gap += spaces
            else:
                gap += rng.choice(
                    [f" # t{count}", f"\n{spaces}# o{count}", "\n\n", f"\n\n{spaces}# o{count}\n", f"\n{spaces}## o{count}"]
                )
        pieces.append(gap + token.text)
        at = token.end
        if token.kind == "sign":
            depth += (token.text in CLOSER) - (token.text in OPENER)
    return "".join(pieces) + text[at:]


# ---------------------------------------------------------------- random expressions

NOWHERE = Span(Source("made", ""), 0, 0)
words = st.sampled_from(["a", "b", "by", "scores", "hand", "x1"])
names = st.builds(syntax.Name, st.just(NOWHERE), words)


def _node(kind: Any, *parts: st.SearchStrategy[Any], **named: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.builds(kind, st.just(NOWHERE), *parts, **named)


leaves = st.one_of(
    _node(syntax.NameExpr, words), _node(syntax.IntLit, st.integers(0, 99)), _node(syntax.BoolLit, st.booleans()),
    _node(syntax.NoneLit),
)


def _tuples(items: st.SearchStrategy[Any], least: int = 0) -> st.SearchStrategy[Any]:
    return st.lists(items, min_size=least, max_size=3).map(tuple)


def _larger(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    args = _tuples(_node(syntax.Arg, st.none() | names, inner))
    clauses = _tuples(_node(syntax.CompClause, names, inner, st.none() | inner), 1)
    alternative = _node(syntax.Alternative, names, args)
    comparisons = st.sampled_from(["==", "!=", "<", "<=", ">", ">=", "in", "not in"])
    return st.one_of(
        _node(syntax.Binary, st.sampled_from(["+", "-", "*", "//", "%", "|", "&", "and", "or"]), inner, inner),
        _node(syntax.Unary, st.sampled_from(["-", "not"]), inner),
        _node(syntax.Compare, inner, _tuples(st.tuples(comparisons, inner), 1)),
        _node(syntax.Conditional, inner, inner, inner),
        _node(syntax.IsTest, inner, st.booleans()),
        _node(syntax.Can, inner, alternative),
        _node(syntax.After, inner, inner),
        _node(syntax.RangeExpr, inner, inner),
        _node(syntax.Attr, inner, names, st.booleans()),
        _node(syntax.Index, inner, inner),
        _node(syntax.Slice, inner, st.none() | inner, st.none() | inner),
        _node(syntax.Call, inner, args),
        _node(syntax.GeneratorCall, inner, inner, clauses),
        _node(syntax.ListLit, _tuples(inner)),
        _node(syntax.BraceLit, _tuples(inner)),
        _node(syntax.MapLit, _tuples(st.tuples(inner, inner), 1)),
        _node(syntax.Comprehension, st.sampled_from(["list", "brace"]), inner, clauses),
        _node(syntax.MapComprehension, inner, inner, clauses),
    )


expressions = st.recursive(leaves, _larger, max_leaves=12)
