"""Flows that can be interrupted, cut into blocks that never wait inside, between resting points."""

from __future__ import annotations

from attrs import define, evolve, field

from rulesdsl import core
from rulesdsl.diagnostics import Span
from rulesdsl.lowering.walk import bodies, exprs_of, locals_of
from rulesdsl.types import BOOL, EnumType, IntType, ListType, SetType, size


@define(eq=False)
class _Draft:
    """A block that is being made."""

    number: int
    body: list[core.Stmt] = field(factory=list)
    end: core.Terminator | None = None


@define(eq=False)
class _Loop:
    """Where `break` and `continue` lead."""

    after: int
    head: int


@define(eq=False)
class _Builder:
    suspending: frozenset[str]
    owner: str
    blocks: list[_Draft] = field(factory=list)
    loops: list[_Loop] = field(factory=list)
    steps: list[str] = field(factory=list)
    fresh: int = 0

    def block(self) -> _Draft:
        made = _Draft(len(self.blocks))
        self.blocks.append(made)
        return made

    def name(self, what: str) -> str:
        self.fresh += 1
        return f"_{what}{self.fresh}"

    @property
    def step(self) -> str:
        return ".".join([self.owner, *self.steps])

    def complex(self, stmt: core.Stmt) -> bool:
        """Whether a statement must be cut into blocks: it suspends, or leaves a loop or flow that is cut."""
        if isinstance(stmt, (core.AskStmt, core.DrawStmt, core.TurnsStmt, core.ReturnStmt)):
            return True
        if isinstance(stmt, core.CallFlow):
            return stmt.flow in self.suspending
        if isinstance(stmt, (core.BreakStmt, core.ContinueStmt)):
            return True
        if isinstance(stmt, (core.ForStmt, core.WhileStmt, core.RepeatStmt)):
            return any(self.deep(inner) for inner in stmt.body)
        return any(self.complex(inner) for body in bodies(stmt) for inner in body)

    def deep(self, stmt: core.Stmt) -> bool:
        """Like `complex`, inside a loop whose own `break` and `continue` are no reason to cut it."""
        if isinstance(stmt, (core.BreakStmt, core.ContinueStmt)):
            return False
        if isinstance(stmt, (core.IfStmt, core.StepStmt)):
            return any(self.deep(inner) for body in bodies(stmt) for inner in body)
        return self.complex(stmt)

    # ------------------------------------------------------------ statements

    def run(self, body: core.Body, start: _Draft) -> _Draft | None:
        """Adds a body to a block; the block where control goes on, or None."""
        current: _Draft | None = start
        for stmt in body:
            if current is None:
                return None
            if not self.complex(stmt):
                current.body.append(stmt)
                continue
            current = self.cut(stmt, current)
        return current

    def cut(self, stmt: core.Stmt, current: _Draft) -> _Draft | None:
        if isinstance(stmt, core.StepStmt):
            current.body.append(evolve(stmt, body=()))
            self.steps.append(stmt.name)
            done = self.run(stmt.body, current)
            self.steps.pop()
            return done
        if isinstance(stmt, core.IfStmt):
            return self.cut_if(stmt, current)
        if isinstance(stmt, core.AskStmt):
            return self.cut_ask(stmt, current)
        if isinstance(stmt, core.DrawStmt):
            rest, after = self.block(), self.block()
            current.end = core.Jump(rest.number)
            rest.end = core.Chance(stmt.name, stmt.type, stmt.source, after.number, self.step, stmt.span)
            return after
        if isinstance(stmt, core.CallFlow):
            after = self.block()
            current.end = core.CallMachine(stmt.flow, stmt.args, after.number, stmt.span)
            return after
        if isinstance(stmt, core.ReturnStmt):
            current.end = core.Finish()
            return None
        if isinstance(stmt, core.BreakStmt):
            current.end = core.Jump(self.loops[-1].after)
            return None
        if isinstance(stmt, core.ContinueStmt):
            current.end = core.Jump(self.loops[-1].head)
            return None
        if isinstance(stmt, core.WhileStmt):
            return self.cut_while(stmt, current)
        if isinstance(stmt, core.RepeatStmt):
            return self.cut_repeat(stmt, current)
        if isinstance(stmt, core.ForStmt):
            return self.cut_for(stmt, current)
        assert isinstance(stmt, core.TurnsStmt)
        return self.cut_turns(stmt, current)

    def cut_if(self, stmt: core.IfStmt, current: _Draft) -> _Draft | None:
        then, otherwise = self.block(), self.block()
        current.end = core.Branch(stmt.condition, then.number, otherwise.number, stmt.span)
        ends = [self.run(stmt.then, then), self.run(stmt.otherwise, otherwise)]
        if ends == [None, None]:
            return None
        after = self.block()
        for end in ends:
            if end is not None:
                end.end = core.Jump(after.number)
        return after

    def cut_ask(self, stmt: core.AskStmt, current: _Draft) -> _Draft | None:
        rest, after = self.block(), self.block()
        current.end = core.Jump(rest.number)
        to, on_pass, otherwise = after.number, None, None
        if stmt.mode == "may":
            on_pass = after.number
        elif stmt.mode == "may repeatedly":
            on_pass, to = after.number, rest.number
            if stmt.after:
                again = self.block()
                to = again.number
                self.loops.append(_Loop(after.number, rest.number))
                end = self.run(stmt.after, again)
                self.loops.pop()
                if end is not None:
                    end.end = core.Jump(rest.number)
        if stmt.otherwise is not None:
            other = self.block()
            otherwise = other.number
            end = self.run(stmt.otherwise, other)
            if end is not None:
                end.end = core.Jump(after.number)
        rest.end = core.Question(stmt.who, stmt.offers, to, on_pass, otherwise, self.step, stmt.span)
        return after

    def counted(self, span: Span) -> core.Stmt:
        """One turn of a loop, which counts as a step."""
        return core.RepeatStmt(core.Const(1, IntType(1, 1), span), (), span)

    def inside(self, body: core.Body, start: _Draft, head: int, after: int, span: Span) -> None:
        self.loops.append(_Loop(after, head))
        start.body.insert(0, self.counted(span))
        end = self.run(body, start)
        if end is not None:
            end.end = core.Jump(head)
        self.loops.pop()

    def cut_while(self, stmt: core.WhileStmt, current: _Draft) -> _Draft:
        head, inside, after = self.block(), self.block(), self.block()
        current.end = core.Jump(head.number)
        head.end = core.Branch(stmt.condition, inside.number, after.number, stmt.span)
        self.inside(stmt.body, inside, head.number, after.number, stmt.span)
        return after

    def cut_repeat(self, stmt: core.RepeatStmt, current: _Draft) -> _Draft:
        left = self.name("left")
        span, kind = stmt.span, stmt.count.type
        assert isinstance(kind, IntType)
        number = IntType(0, max(0, kind.hi))
        current.body.append(core.Bind(left, stmt.count, span))
        head, inside, after = self.block(), self.block(), self.block()
        current.end = core.Jump(head.number)
        count = core.Local(left, kind, span)
        more = core.Op("gt", (count, core.Const(0, IntType(0, 0), span)), BOOL, span)
        head.end = core.Branch(more, inside.number, after.number, span, written=False)
        less = core.Op("sub", (count, core.Const(1, IntType(1, 1), span)), number, span)
        inside.body.append(core.Bind(left, less, span, declares=False))
        self.inside(stmt.body, inside, head.number, after.number, stmt.span)
        return after

    def cut_for(self, stmt: core.ForStmt, current: _Draft) -> _Draft:
        items, index, span = self.name("items"), self.name("index"), stmt.span
        limit = _most(stmt.source)
        group = ListType(stmt.var_type, limit)
        current.body.append(core.Bind(items, core.Op("elements", (stmt.source,), group, span), span))
        current.body.append(core.Bind(index, core.Const(0, IntType(0, limit), span), span))
        head, take, inside, after = self.block(), self.block(), self.block(), self.block()
        current.end = core.Jump(head.number)
        at, all_items = core.Local(index, IntType(0, limit), span), core.Local(items, group, span)
        more = core.Op("lt", (at, core.Op("len", (all_items,), IntType(0, limit), span)), BOOL, span)
        head.end = core.Branch(more, take.number, after.number, span, written=False)
        take.body.append(core.Bind(stmt.var, core.Op("list_get", (all_items, at), stmt.var_type, span), span))
        following = core.Op("add", (at, core.Const(1, IntType(1, 1), span)), IntType(0, limit), span)
        take.body.append(core.Bind(index, following, span, declares=False))
        if stmt.condition is None:
            take.end = core.Jump(inside.number)
        else:
            take.end = core.Branch(stmt.condition, inside.number, head.number, span)
        self.inside(stmt.body, inside, head.number, after.number, stmt.span)
        return after

    def cut_turns(self, stmt: core.TurnsStmt, current: _Draft) -> _Draft:
        """`_next` is the seat to look at, `_missed` how many in a row did not take part."""
        player, span = stmt.var_type, stmt.span
        assert isinstance(player, EnumType)
        seats = len(player.members)
        following, missed = self.name("next"), self.name("missed")
        current.body.append(core.Bind(following, stmt.first, span))
        count_type = IntType(0, seats)
        zero = core.Bind(missed, core.Const(0, count_type, span), span)
        head, inside, after = self.block(), self.block(), self.block()
        local = core.Local(following, player, span)
        shift = core.Table("Player_next", ((0, seats),), tuple((i + 1) % seats for i in range(seats)))
        advance = (
            core.Bind(stmt.var, local, span),
            core.Bind(following, core.Op("table", (local,), player, span, shift), span, declares=False),
        )
        current.end = core.Jump(head.number)
        if stmt.condition is None:
            head.body.extend(advance)
            head.end = core.Jump(inside.number)
        else:
            look, skip = self.block(), self.block()
            count = core.Local(missed, count_type, span)
            head.body.append(zero)
            head.end = core.Jump(look.number)
            look.body.extend(advance)
            look.end = core.Branch(stmt.condition, inside.number, skip.number, span)
            more = core.Op("add", (count, core.Const(1, IntType(1, 1), span)), count_type, span)
            skip.body.append(core.Bind(missed, more, span, declares=False))
            all_seats = core.Const(seats, IntType(seats, seats), span)
            around = core.Op("lt", (count, all_seats), BOOL, span)
            skip.end = core.Branch(around, look.number, after.number, span, written=False)
        self.inside(stmt.body, inside, head.number, after.number, stmt.span)
        return after


def _most(source: core.Expr) -> int:
    kind = source.type
    if isinstance(kind, ListType):
        return kind.limit
    count = size(kind.item) or 0  # type: ignore[union-attr]
    return count if isinstance(kind, SetType) else 255 * count


def machine(body: core.Body, params: tuple[str, ...], suspending: frozenset[str], owner: str) -> core.Machine:
    """The machine of a body."""
    builder = _Builder(suspending, owner)
    first = builder.block()
    end = builder.run(body, first)
    if end is not None:
        end.end = core.Finish()
    drafts = [evolve_end(draft) for draft in builder.blocks]
    return _numbered(drafts, frozenset(params))


def evolve_end(draft: _Draft) -> _Draft:
    if draft.end is None:
        draft.end = core.Finish()
    return draft


def _targets(end: core.Terminator) -> list[int]:
    if isinstance(end, (core.Jump, core.CallMachine, core.Chance)):
        return [end.to]
    if isinstance(end, core.Branch):
        return [end.then, end.otherwise]
    if isinstance(end, core.Question):
        return [to for to in (end.to, end.on_pass, end.otherwise) if to is not None]
    return []


def _retarget(end: core.Terminator, to: dict[int, int]) -> core.Terminator:
    if isinstance(end, (core.Jump, core.CallMachine, core.Chance)):
        return evolve(end, to=to[end.to])
    if isinstance(end, core.Branch):
        return evolve(end, then=to[end.then], otherwise=to[end.otherwise])
    if isinstance(end, core.Question):
        return evolve(
            end, to=to[end.to], on_pass=None if end.on_pass is None else to[end.on_pass],
            otherwise=None if end.otherwise is None else to[end.otherwise],
        )  # fmt: skip
    return end


def _numbered(drafts: list[_Draft], params: frozenset[str]) -> core.Machine:
    """Skips empty blocks that only jump, drops what is not reached, numbers the rest in order, finds what is alive."""

    def final(number: int, seen: frozenset[int] = frozenset()) -> int:
        draft = drafts[number]
        if isinstance(draft.end, core.Jump) and not draft.body and number not in seen:
            return final(draft.end.to, seen | {number})
        return number

    skip = {draft.number: final(draft.number) for draft in drafts}
    order: list[int] = []
    todo = [skip[0]]
    while todo:
        number = todo.pop(0)
        if number not in order:
            order.append(number)
            end = drafts[number].end
            assert end is not None
            todo.extend(skip[to] for to in _targets(end))
    renumber = {old: order.index(new) for old, new in skip.items() if new in order}
    blocks = []
    for position, old in enumerate(order):
        end = drafts[old].end
        assert end is not None
        blocks.append(core.Block(position, (), tuple(drafts[old].body), _retarget(end, renumber)))
    return core.Machine(_with_live(blocks))


# ---------------------------------------------------------------- what is alive


def _uses(body: core.Body, end: core.Terminator) -> tuple[frozenset[str], frozenset[str]]:
    """The locals that a block needs from before, and those that it gives a value first."""
    needed: set[str] = set()
    given: set[str] = set()
    for stmt in body:
        needed |= _needs(stmt) - given
        if isinstance(stmt, core.Bind):
            given.add(stmt.name)
    exprs: list[core.Expr] = []
    if isinstance(end, core.Branch):
        exprs = [end.condition]
    elif isinstance(end, core.CallMachine):
        exprs = list(end.args)
    elif isinstance(end, core.Question):
        exprs = [end.who, *(arg for offer in end.offers for arg in offer.given)]
    elif isinstance(end, core.Chance):
        exprs = [end.source]
    for expr in exprs:
        needed |= locals_of(expr) - given
    return frozenset(needed), frozenset(given)


def _needs(stmt: core.Stmt) -> set[str]:
    found: set[str] = set()
    for expr in exprs_of(stmt):
        found |= locals_of(expr)
    for body in bodies(stmt):
        bound: set[str] = set()
        for inner in body:
            found |= _needs(inner) - bound
            if isinstance(inner, core.Bind) and inner.declares:
                bound.add(inner.name)
            elif isinstance(inner, core.Bind) and inner.name not in bound:
                found.add(inner.name)
    if isinstance(stmt, core.ForStmt):
        found.discard(stmt.var)
    return found


def _with_live(blocks: list[core.Block]) -> tuple[core.Block, ...]:
    uses = [_uses(block.body, block.end) for block in blocks]
    live: list[frozenset[str]] = [needed for needed, _ in uses]
    changed = True
    while changed:
        changed = False
        for position in reversed(range(len(blocks))):
            end = blocks[position].end
            after: set[str] = set()
            for to in _targets(end):
                after |= live[to]
            if isinstance(end, core.Chance):
                after.discard(end.name)
            needed, given = uses[position]
            total = needed | (after - given)
            if total != live[position]:
                live[position] = frozenset(total)
                changed = True
    return tuple(evolve(block, live=tuple(sorted(live[i]))) for i, block in enumerate(blocks))
