"""Questions and draws in Python: what can be asked about them, and what follows their answers."""

from __future__ import annotations

from rulesdsl import core
from rulesdsl.diagnostics import Span
from rulesdsl.lowering.facts import item_of
from rulesdsl.points import ANSWER, DRAW, PASS
from rulesdsl.python.code import OR, Py, call
from rulesdsl.python.function import Fn, Scope, new_function
from rulesdsl.python.loops import iterable
from rulesdsl.python.machine import MachineCode, Region
from rulesdsl.python.tables import Module
from rulesdsl.types import BagType, ListType


def _at(module: Module, code: MachineCode, number: int, name: str, params: str, span: Span) -> tuple[Fn, str]:
    fn = new_function(module, Scope("st"), span)
    module.code.blank(2)
    return fn, f"def {name}_{code.pc(number)}({params}):"


def _unpack(fn: Fn, code: MachineCode, number: int, source: str) -> None:
    live = code.live(fn, number)
    if live:
        fn.code.line(f"{', '.join(live)}{',' if len(live) == 1 else ''} = {source}")


def question_functions(
    module: Module, codes: dict[tuple[str, str], MachineCode], code: MachineCode, number: int
) -> None:
    """What can be asked about a question, and its answer."""
    end = code.blocks[number].end
    assert isinstance(end, core.Question)
    _asked(module, code, number, end)
    _given(module, code, number, end)
    _legal(module, code, number, end)
    _any_legal(module, code, number, end)
    _allows(module, code, number, end)
    _answer(module, codes, code, number, end)


def _asked(module: Module, code: MachineCode, number: int, end: core.Question) -> None:
    fn, head = _at(module, code, number, "asked", "st, live", end.span)
    with module.code.block(head):
        _unpack(fn, code, number, "live")
        module.code.line(f"return {fn.value(end.who).text}")


def _given(module: Module, code: MachineCode, number: int, end: core.Question) -> None:
    fn, head = _at(module, code, number, "given", "st, live", end.span)
    with module.code.block(head):
        _unpack(fn, code, number, "live")
        groups = []
        for offer in end.offers:
            args = [fn.value(arg).text for arg in offer.given]
            groups.append(f"({', '.join(args)}{',' if len(args) == 1 else ''})")
        module.code.line(f"return ({', '.join(groups)}{',' if len(groups) == 1 else ''})")


def _offers(fn: Fn, end: core.Question) -> list[tuple[core.Offer, str]]:
    """The offers with the code of `me` and of their given arguments."""
    fn.preload(end.who, *(arg for offer in end.offers for arg in offer.given))
    me = fn.held(fn.value(end.who), "who").text
    return [
        (offer, ", ".join([me, *(fn.held(fn.value(arg), "given_").text for arg in offer.given)]))
        for offer in end.offers
    ]


def _twice(end: core.Question) -> bool:
    return len({offer.action for offer in end.offers}) < len(end.offers)


def _legal(module: Module, code: MachineCode, number: int, end: core.Question) -> None:
    fn, head = _at(module, code, number, "legal", "st, live", end.span)
    with module.code.block(head):
        _unpack(fn, code, number, "live")
        parts = [f"legal_{offer.action}(st, {args})" for offer, args in _offers(fn, end)]
        if end.on_pass is not None:
            parts.insert(0, "[(0,)]")
        joined = " + ".join(parts)
        module.code.line(f"return list(dict.fromkeys({joined}))" if _twice(end) else f"return {joined}")


def _any_legal(module: Module, code: MachineCode, number: int, end: core.Question) -> None:
    fn = new_function(module, Scope("st"), end.span)
    module.code.blank(2)
    params = ", ".join(["st", *code.live(fn, number)])
    with module.code.block(f"def any_{code.pc(number)}({params}):"):
        parts = [f"any_{offer.action}(st, {args})" for offer, args in _offers(fn, end)]
        module.code.line(f"return {' or '.join(parts) or 'False'}")


def _allows(module: Module, code: MachineCode, number: int, end: core.Question) -> None:
    fn, head = _at(module, code, number, "allows", "st, live, move", end.span)
    with module.code.block(head):
        if end.on_pass is not None:
            with module.code.block("if move[0] == 0:"):
                module.code.line("return len(move) == 1")
        _unpack(fn, code, number, "live")
        for offer, args in _offers(fn, end):
            position = module.program.action(offer.action).position
            with module.code.block(f"if move[0] == {position} and allows_{offer.action}(st, {args}, move):"):
                module.code.line("return True")
        module.code.line("return False")


def _answer(
    module: Module, codes: dict[tuple[str, str], MachineCode], code: MachineCode, number: int, end: core.Question
) -> None:
    fn, head = _at(module, code, number, "answer", "st, trace, frame, move", end.span)
    fn.counting = True
    region = Region(module, codes, code, fn, None, fresh=True)
    with module.code.block(head):
        module.code.line("_, live, parent = frame")
        _unpack(fn, code, number, "live")
        if end.on_pass is not None:
            with module.code.block("if not move[0]:"), fn.branch():
                fn.mark(PASS, end.span)
                region.go(number, end.on_pass)
        offers = _offers(fn, end)
        for offer, args in offers[:-1]:
            position = module.program.action(offer.action).position
            check = f" and allows_{offer.action}(st, {args}, move)" if _twice(end) else ""
            with module.code.block(f"if move[0] == {position}{check}:"), fn.branch():
                _perform(region, number, end, offer, args)
        if offers:
            _perform(region, number, end, *offers[-1])


def _perform(region: Region, number: int, end: core.Question, offer: core.Offer, args: str) -> None:
    """Does an action, and goes on behind the question."""
    fn, module = region.fn, region.module
    fn.mark(ANSWER, offer.span)
    info = module.program.action(offer.action)
    chosen = [f"move[{i}]" for i in range(1, len(info.chosen) + 1)]
    if info.machine is None:
        fn.code.line(f"st = effects_{info.name}({', '.join(['st', 'trace', args, *chosen])})")
        fn.scope.forget(set(module.facts.positions))
        region.go(number, end.to)
    else:
        back = region.resume(end.to)
        fn.code.line(f"return action_{info.name}({', '.join(['st', 'trace', back, args, *chosen])})")


def chance_functions(module: Module, codes: dict[tuple[str, str], MachineCode], code: MachineCode, number: int) -> None:
    """What may be drawn, and what follows."""
    end = code.blocks[number].end
    assert isinstance(end, core.Chance)
    fn, head = _at(module, code, number, "outcomes", "st, live", end.span)
    with module.code.block(head):
        _unpack(fn, code, number, "live")
        fn.preload(end.source)
        module.code.line(f"return {outcomes(fn, end.source).text}")
    fn, head = _at(module, code, number, "drawn", "st, trace, frame, value", end.span)
    fn.counting = True
    with module.code.block(head):
        module.code.line("_, live, parent = frame")
        _unpack(fn, code, number, "live")
        module.code.line(f"{fn.local(end.name)} = value")
        fn.mark(DRAW, end.span)
        Region(module, codes, code, fn, None, fresh=True).go(number, end.to)


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
