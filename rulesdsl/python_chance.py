"""Draws in Python: the outcomes that are possible, each with its weight."""

from __future__ import annotations

from rulesdsl import core
from rulesdsl.facts import item_of
from rulesdsl.python_code import OR, Py, call
from rulesdsl.python_comp import iterable
from rulesdsl.python_function import Fn
from rulesdsl.types import BagType, ListType


def outcomes(fn: Fn, source: core.Expr) -> Py:
    """A list of (value, weight), never empty: nothing to draw from is a rules error."""
    if isinstance(source.type, BagType):
        counts = fn.held(fn.value(source), "counts")
        every = fn.module.all_values(item_of(source.type))
        pairs = Py(f"[(value, weight) for value, weight in zip({every}, {counts.text}) if weight]")
    elif isinstance(source.type, ListType):
        pairs = call(fn.module.helper("weigh_list"), fn.value(source))
    else:
        pairs = Py(f"[(value, 1) for value in {iterable(fn, source, True).at(OR)}]")
    return call(fn.module.helper("drawable"), pairs)
