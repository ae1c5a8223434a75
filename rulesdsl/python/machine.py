"""Flows that ask, in Python: machines.

A frame is (pc, live locals, parent frame). Blocks that follow each other become one function; where a block can be
reached from several places, or is where something returns to, it has a function of its own: (st, trace, parent, *live
locals) -> (st, frame). A frame that does not rest is run by the loop in `answer`, so that Python's stack stays
shallow.
"""

from __future__ import annotations

from collections import Counter

from attrs import define, field

from rulesdsl import core
from rulesdsl.diagnostics import Span
from rulesdsl.points import BRANCH, CLAUSE, OTHERWISE
from rulesdsl.python.body import body
from rulesdsl.python.expr import test
from rulesdsl.python.flow import bind_lets
from rulesdsl.python.function import Fn, Scope, new_function
from rulesdsl.python.tables import Module


@define
class MachineCode:
    """A machine with the numbers of its blocks in the module. `kind`: flow or action. `heads`: blocks with a function
    of their own. `arrivals`: questions with `otherwise` with several ways to them: the pc of coming there."""

    kind: str
    name: str
    params: tuple[str, ...]
    machine: core.Machine
    base: int
    lets: list[core.ActionLet]
    blocks: dict[int, core.Block] = field(init=False)
    heads: set[int] = field(factory=set)
    back: set[tuple[int, int]] = field(factory=set)
    arrivals: dict[int, int] = field(factory=dict)

    def __attrs_post_init__(self) -> None:
        self.blocks = {block.number: block for block in self.machine.blocks}

    def pc(self, number: int) -> int:
        return self.base + number

    def function(self, number: int) -> str:
        return f"block_{self.pc(number)}_{self.name}"

    @property
    def entry(self) -> str:
        """The function that begins it: it takes all parameters."""
        return f"{self.kind}_{self.name}"

    def live(self, fn: Fn, number: int) -> list[str]:
        return [fn.local(name) for name in self.blocks[number].live]

    def rests(self, number: int) -> bool:
        return isinstance(self.blocks[number].end, (core.Question, core.Chance))


def targets(end: core.Terminator) -> tuple[int, ...]:
    """Where a block may lead."""
    if isinstance(end, core.Jump):
        return (end.to,)
    if isinstance(end, core.Branch):
        return (end.then, end.otherwise)
    if isinstance(end, (core.CallMachine, core.Chance)):
        return (end.to,)
    if isinstance(end, core.Question):
        return tuple(n for n in (end.to, end.on_pass, end.otherwise) if n is not None)
    return ()


def find_heads(code: MachineCode, suspending: set[str], next_pc: int) -> int:
    """Which blocks have a function of their own, and which questions are arrived at through one. Gives the next free
    pc."""
    numbers = sorted({resolved(code, number) for number in code.blocks})
    edges = {n: [resolved(code, to) for to in targets(code.blocks[n].end)] for n in numbers}
    counts = Counter(to for leads in edges.values() for to in leads)
    code.back = _back_edges(edges, resolved(code, 0))
    returns = {edges[n][0] for n in numbers if _returns_to(code.blocks[n].end, suspending)}
    shared = returns | {n for n, count in counts.items() if count > 1} | {to for _, to in code.back}
    if counts[resolved(code, 0)]:
        shared.add(resolved(code, 0))
    code.heads = {n for n in shared if not code.rests(n) and (n in returns or not _trivial(code.blocks[n]))}
    arrivals = sorted(n for n in shared if _has_otherwise(code.blocks[n].end))
    code.arrivals = {number: next_pc + i for i, number in enumerate(arrivals)}
    return next_pc + len(arrivals)


def _returns_to(end: core.Terminator, suspending: set[str]) -> bool:
    """Whether another machine comes back to the first target of a block."""
    if isinstance(end, core.Question):
        return any(offer.action in suspending for offer in end.offers)
    return isinstance(end, core.CallMachine)


def _back_edges(edges: dict[int, list[int]], first: int) -> set[tuple[int, int]]:
    """The edges that close a loop, seen from the first block."""
    found: set[tuple[int, int]] = set()
    open_ = {first: True}
    stack = [(first, iter(edges[first]))]
    while stack:
        number, rest = stack[-1]
        to = next(rest, None)
        if to is None:
            open_[number] = False
            stack.pop()
        elif open_.get(to):
            found.add((number, to))
        elif to not in open_:
            open_[to] = True
            stack.append((to, iter(edges[to])))
    return found


def _has_otherwise(end: core.Terminator) -> bool:
    return isinstance(end, core.Question) and end.otherwise is not None


def _trivial(block: core.Block) -> bool:
    return not block.body and isinstance(block.end, core.Finish)


def _light(block: core.Block) -> bool:
    """Whether a block only gives locals known values, so that it is better repeated than called."""
    plain = all(isinstance(stmt, core.Bind) and isinstance(stmt.value, (core.Const, core.Local)) for stmt in block.body)
    return plain and len(block.body) <= 2 and isinstance(block.end, core.Jump)


def resolved(code: MachineCode, number: int) -> int:
    """The block where something happens, past those that only lead on."""
    seen: set[int] = set()
    while number not in seen:
        seen.add(number)
        block = code.blocks[number]
        if block.body or not isinstance(block.end, core.Jump):
            break
        number = block.end.to
    return number


@define
class Region:
    """A function that begins at a block and goes on until the machine rests, calls, or leads to another function."""

    module: Module
    codes: dict[tuple[str, str], MachineCode]
    code: MachineCode
    fn: Fn
    head: int | None
    fresh: bool = False
    loops: bool = False

    def go(self, source: int | None, number: int) -> None:
        """Goes on at a block."""
        target = resolved(self.code, number)
        if self.code.rests(target):
            self.rest(target)
        elif target in self.code.heads:
            self.lead(source, target)
        else:
            self.inside(target)

    def inside(self, number: int) -> None:
        """The block itself, here."""
        block = self.code.blocks[number]
        body(self.fn, block.body)
        self.end(number, block.end)

    def end(self, number: int, end: core.Terminator) -> None:
        fn = self.fn
        if isinstance(end, core.Jump):
            self.go(number, end.to)
        elif isinstance(end, core.Branch):
            with fn.code.at(end.span):
                fn.preload(end.condition)
                condition = test(fn, end.condition)
                if end.written:
                    condition = fn.seen(BRANCH, condition, end.condition.span)
                with fn.code.block(f"if {condition.text}:"), fn.branch():
                    self.go(number, end.then)
            self.go(number, end.otherwise)
        elif isinstance(end, core.CallMachine):
            self.call(end)
        elif isinstance(end, core.Finish):
            self.finish()
        else:
            self.rest(number)

    def finish(self) -> None:
        if self.is_main:
            with self.fn.code.block("if parent is None:"):
                self.fn.code.line(f"{self.module.helper('no_result')}()")
        self.fn.code.line("return st, parent")

    def call(self, end: core.CallMachine) -> None:
        fn = self.fn
        callee = self.codes.get(("flow", end.flow)) or self.codes[("action", end.flow)]
        with fn.code.at(end.span):
            fn.preload(*end.args)
            args = [fn.value(arg).text for arg in end.args]
            back = self.resume(end.to)
            fn.code.line(f"return {callee.entry}({', '.join(['st', 'trace', back, *args])})")

    def resume(self, to: int) -> str:
        """The frame to which another machine returns."""
        number = resolved(self.code, to)
        if _trivial(self.code.blocks[number]) and not self.is_main:
            return "parent"
        return self.frame(number, self.code.arrivals.get(number))

    def frame(self, number: int, pc: int | None = None) -> str:
        """A frame that stands at a block, with the present locals."""
        live = self.code.live(self.fn, number)
        items = f"({live[0]},)" if len(live) == 1 else f"({', '.join(live)})"
        return f"({self.code.pc(number) if pc is None else pc}, {items}, parent)"

    @property
    def is_main(self) -> bool:
        return (self.code.kind, self.code.name) == ("flow", "main")

    def lead(self, source: int | None, target: int) -> None:
        """Another function of this machine, or this one from its start."""
        fn = self.fn
        back = (source, target) in self.code.back
        if not back and target != self.head and _light(self.code.blocks[target]):
            self.inside(target)
            return
        if target == self.head and not self.fresh:
            self.loops = True
            fn.code.line("continue")
        elif back and not self.fresh:
            fn.code.line(f"return st, {self.frame(target)}")
        else:
            args = ", ".join(["st", "trace", "parent", *self.code.live(fn, target)])
            fn.code.line(f"return {self.code.function(target)}({args})")

    def rest(self, number: int) -> None:
        """Arrives at a question or a draw."""
        fn = self.fn
        end = self.code.blocks[number].end
        if number in self.code.arrivals and self.head != number:
            args = ", ".join(["st", "trace", "parent", *self.code.live(fn, number)])
            fn.code.line(f"return {self.code.function(number)}({args})")
            return
        if isinstance(end, core.Question) and end.otherwise is not None:
            with (
                fn.code.at(end.span),
                fn.code.block(f"if not any_{self.code.pc(number)}({self.frame_arguments(number)}):"),
                fn.branch(),
            ):
                fn.mark(OTHERWISE, end.span)
                self.go(number, end.otherwise)
        fn.code.line(f"return st, {self.frame(number)}")

    def frame_arguments(self, number: int) -> str:
        return ", ".join(["st", *self.code.live(self.fn, number)])


def head_function(module: Module, codes: dict[tuple[str, str], MachineCode], code: MachineCode, number: int) -> None:
    """The function of one block and of what follows it."""
    block = code.blocks[number]
    fn = new_function(module, Scope("st"), _span_of(block))
    fn.counting = True
    params = ", ".join(["st", "trace", "parent", *code.live(fn, number)])
    module.code.blank(2)
    region = Region(module, codes, code, fn, number)
    with module.code.block(f"def {code.function(number)}({params}):"):
        with module.code.capture() as lines:
            if code.rests(number):
                region.rest(number)
            else:
                region.inside(number)
        if region.loops:
            with module.code.block("while True:"):
                module.code.paste(lines)
        else:
            module.code.paste(lines)


def entry_function(module: Module, codes: dict[tuple[str, str], MachineCode], code: MachineCode, span: Span) -> None:
    """The function that begins a machine."""
    fn = new_function(module, Scope("st"), _span_of(code.blocks[resolved(code, 0)]))
    fn.counting = True
    params = ", ".join(["st", "trace", "parent", *(fn.local(name) for name in code.params)])
    module.code.blank(2)
    with module.code.block(f"def {code.entry}({params}):"):
        module.code.line("trace.steps += 1")
        fn.mark(CLAUSE, span, module.clause)
        bind_lets(fn, code.lets)
        Region(module, codes, code, fn, None, fresh=False).go(None, 0)


def _span_of(block: core.Block) -> Span | None:
    if block.body:
        return block.body[0].span
    return getattr(block.end, "span", None)
