"""Types and expressions of the tree."""

from __future__ import annotations

from typing import Any

from rulesdsl import syntax
from rulesdsl.parsing.tree_base import LARGEST, Base, Part, clauses_of, inside, is_kind, is_token, nodes


class Expressions(Base):
    """The rules of types and expressions."""

    # ---------------------------------------------------------------- types

    def on_named_type(self, c: list[Any]) -> syntax.NamedType:
        self._check_name(c[0])
        return syntax.NamedType(self._span(c), str(c[0]))

    def on_set_of(self, c: list[Any]) -> Any:
        return self._deep(syntax.SetOf(self._span(c), c[2]), c[2])

    def on_bag_of(self, c: list[Any]) -> Any:
        return self._deep(syntax.BagOf(self._span(c), c[2]), c[2])

    def on_list_of(self, c: list[Any]) -> Any:
        return self._deep(syntax.ListOf(self._span(c), c[2], c[4]), c[2], c[4])

    def on_map_of(self, c: list[Any]) -> Any:
        return self._deep(syntax.MapOf(self._span(c), c[2], c[4]), c[2], c[4])

    def on_range_type(self, c: list[Any]) -> Any:
        return self._deep(syntax.RangeType(self._span(c), c[0], c[2]), c[0], c[2])

    def on_optional_type(self, c: list[Any]) -> Any:
        return self._deep(syntax.OptionalType(self._span(c), c[0]), c[0])

    # ---------------------------------------------------------------- expressions

    def on_after(self, c: list[Any]) -> Any:
        return self._deep(syntax.After(self._span(c), c[0], c[2]), c[0], c[2])

    def on_conditional(self, c: list[Any]) -> Any:
        return self._deep(syntax.Conditional(self._span(c), c[2], c[0], c[4]), c[0], c[2], c[4])

    def on_binary(self, c: list[Any]) -> Any:
        return self._deep(syntax.Binary(self._span(c), str(c[1]), c[0], c[2]), c[0], c[2])

    def on_unary(self, c: list[Any]) -> Any:
        return self._deep(syntax.Unary(self._span(c), str(c[0]), c[1]), c[1])

    def on_compare(self, c: list[Any]) -> Any:
        operands = nodes(c)
        words = [str(x) for x in c if is_token(x)]
        operators = ["not in" if word == "not" else word for i, word in enumerate(words) if i == 0 or words[i - 1] != "not"]
        return self._deep(
            syntax.Compare(self._span(c), operands[0], tuple(zip(operators, operands[1:], strict=True))), *operands
        )

    def on_is_test(self, c: list[Any]) -> Any:
        return self._deep(syntax.IsTest(self._span(c), c[0], is_kind(c[2], "SOME")), c[0])

    def on_can(self, c: list[Any]) -> Any:
        arguments = [arg.value for arg in c[2].args]
        return self._deep(syntax.Can(self._span(c), c[0], c[2]), c[0], *arguments)

    def on_range_expr(self, c: list[Any]) -> Any:
        return self._deep(syntax.RangeExpr(self._span(c), c[0], c[2]), c[0], c[2])

    def on_attribute(self, c: list[Any]) -> Any:
        name = syntax.Name(self._extent(c[2]), str(c[2]))  # any word may stand after a dot
        return self._deep(syntax.Attr(self._span(c), c[0], name, c[1] == "?."), c[0])

    def on_index(self, c: list[Any]) -> Any:
        return self._deep(syntax.Index(self._span(c), c[0], c[2]), c[0], c[2])

    def on_slice(self, c: list[Any]) -> Any:
        colon = next(i for i, x in enumerate(c) if is_kind(x, "COLON"))
        lo = c[2] if colon == 3 else None
        hi = c[colon + 1] if not is_token(c[colon + 1]) else None
        return self._deep(syntax.Slice(self._span(c), c[0], lo, hi), *nodes(c))

    def on_argument(self, c: list[Any]) -> syntax.Arg:
        if len(c) == 1:
            return syntax.Arg(self._extent(c[0]), None, c[0])
        return syntax.Arg(self._span(c), self._name(c[0]), c[2])

    def on_arguments(self, c: list[Any]) -> Part:
        return self._part(c)

    def on_call(self, c: list[Any]) -> Any:
        args = c[1].value
        return self._deep(syntax.Call(self._span(c), c[0], args), c[0], *[arg.value for arg in args])

    def on_clause(self, c: list[Any]) -> syntax.CompClause:
        source, *condition = nodes(c)
        return syntax.CompClause(self._span(c), self._name(c[1]), source, condition[0] if condition else None)

    def on_generator_call(self, c: list[Any]) -> Any:
        clauses = clauses_of(c)
        return self._deep(
            syntax.GeneratorCall(self._span(c), c[0], c[2], clauses), c[0], c[2], *inside(clauses)
        )

    def on_name(self, c: list[Any]) -> syntax.NameExpr:
        self._check_name(c[0])
        return syntax.NameExpr(self._extent(c[0]), str(c[0]))

    def on_int(self, c: list[Any]) -> syntax.IntLit:
        digits = str(c[0]).lstrip("0") or "0"
        value = int(digits) if len(digits) <= len(str(LARGEST)) else LARGEST + 1
        if value > LARGEST:
            self._complain("S114", "this number is too large", self._extent(c[0]), f"the largest is {LARGEST}")
        return syntax.IntLit(self._extent(c[0]), value)

    def on_bool(self, c: list[Any]) -> syntax.BoolLit:
        return syntax.BoolLit(self._extent(c[0]), is_kind(c[0], "TRUE"))

    def on_none(self, c: list[Any]) -> syntax.NoneLit:
        return syntax.NoneLit(self._extent(c[0]))

    def on_parenthesised(self, c: list[Any]) -> Any:
        self._outer[id(c[1])] = self._extent(c[0]).to(self._extent(c[2]))
        self._depth.setdefault(id(c[1]), (1, c[1]))
        return c[1]

    def on_list(self, c: list[Any]) -> Any:
        items = tuple(nodes(c))
        return self._deep(syntax.ListLit(self._span(c), items), *items)

    def on_list_comprehension(self, c: list[Any]) -> Any:
        clauses = clauses_of(c)
        return self._deep(syntax.Comprehension(self._span(c), "list", c[1], clauses), c[1], *inside(clauses))

    def on_brace(self, c: list[Any]) -> Any:
        items = tuple(nodes(c))
        return self._deep(syntax.BraceLit(self._span(c), items), *items)

    def on_brace_comprehension(self, c: list[Any]) -> Any:
        clauses = clauses_of(c)
        return self._deep(syntax.Comprehension(self._span(c), "brace", c[1], clauses), c[1], *inside(clauses))

    def on_pair(self, c: list[Any]) -> Part:
        return Part(self._span(c), (c[0], c[2]))

    def on_map(self, c: list[Any]) -> Any:
        pairs = tuple(part.value for part in nodes(c))
        return self._deep(syntax.MapLit(self._span(c), pairs), *[x for pair in pairs for x in pair])

    def on_map_comprehension(self, c: list[Any]) -> Any:
        clauses = clauses_of(c)
        key, value = c[1].value
        return self._deep(syntax.MapComprehension(self._span(c), key, value, clauses), key, value, *inside(clauses))
