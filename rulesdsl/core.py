"""`core`: the small typed form of a checked program, between the checker and the back ends.

Everything is resolved: names are locals, fields, defs, events, actions or flows; every expression carries its type; ranges
that could not be proved are explicit `Checked` nodes; flows that can be interrupted by a question are state machines.
Nothing here knows Python's syntax; a back end needs this module and `types` alone. Internal forms of values are those of
`types`.

Expressions
    Const, Local, Read, Op, Comp, Call, After, CanDo, Checked, LetIn, IfSome.
Statements (structured; none of them suspends)
    Bind, Store, IfStmt, ForStmt, WhileStmt, RepeatStmt, ReturnStmt, BreakStmt, ContinueStmt, EmitStmt, CallFlow, EndStmt,
    StepStmt.
Statements that suspend (between check and lower only)
    DrawStmt, AskStmt, TurnsStmt.
Machines (after lower)
    Machine, Block, and the ends of a block: Jump, Branch, CallMachine, Finish, Question, Chance.

The operations (`Op.op`), by the types of their arguments:
    ints        add sub mul floordiv mod neg abs; least, greatest (two or more ints)
    any         eq ne; lt le gt ge (ints and ordered places)
    bools       and or not (and/or short-circuit); if (condition, then, else: only the chosen one is evaluated)
    options     some (wrap, no change of form), unwrap (proved present, no change of form), is_some, is_none,
                or_else (option, default: default evaluated only if needed)
    records     record (one argument a field), get (data = field position)
    tables      table (data = a `Table`; one int or domain argument for each dimension of the table)
    cast        no change of form (for example a player's seat number, a track place from an int)
    sets        set_of (elements), set_add, set_remove (set, element), set_union, set_inter, set_diff, set_minus
                (like set_diff, but an error if something is not there; set_remove too), set_has (set, element),
                set_le, set_lt, range (lo, hi: the set of ints between, of type set[lo..hi])
    bags        bag_of (elements), bag_counts (data = tuple of item indices; one int argument each, the rest 0),
                bag_add, bag_remove (bag, element), bag_plus, bag_minus (errors below 0 or above 255), bag_scale (bag, int),
                bag_count (bag, element), bag_has, bag_le, bag_lt, distinct (bag -> set),
                bag_from (collection -> bag)
    lists       list_of (elements), list_append, list_concat (errors past the limit of the result type), list_get
                (list, int; -1 is the last; error if not there), list_slice (list, lo or Const None, hi or Const None),
                list_top (last element as option), list_has, seats_from (player -> list of all players from that seat on)
    maps        map_of (one argument a key, in key order), map_get (map, key)
    collections len, nonempty
    to_set      list or bag -> set
    elements    any collection -> list of its elements in order, a bag gives each copy
"""

from __future__ import annotations

from typing import Any, Union

from attrs import field, frozen

from rulesdsl.diagnostics import Span
from rulesdsl.types import EnumType, MapType, RecordType, Type, size

# ---------------------------------------------------------------- expressions


@frozen
class Table:
    """Known values by place, member or number. `dims` holds (lowest argument, number of arguments) per argument; `values` are
    flat, the last dimension running fastest. An argument outside its dimension gives `outside`, if `total` is false."""

    name: str
    dims: tuple[tuple[int, int], ...]
    values: tuple[Any, ...]
    total: bool = True
    outside: Any = None


@frozen
class Const:
    """A known value, in internal form."""

    value: Any
    type: Type
    span: Span


@frozen
class Local:
    """A parameter, let, var or loop variable. Within one function no two that are alive together share a name."""

    name: str
    type: Type
    span: Span


@frozen
class Read:
    """A state field at `keys` (as many as are written: fewer than the field has give a map). `before`: in a transition, the
    state before the event."""

    field: str
    keys: tuple[Expr, ...]
    type: Type
    span: Span
    before: bool = False


@frozen
class Op:
    op: str
    args: tuple[Expr, ...]
    type: Type
    span: Span
    data: Any = None


@frozen
class Clause:
    """`for var in source if condition`. Source is a set, bag (each copy), list, or `range`."""

    var: str
    var_type: Type
    source: Expr
    condition: Expr | None


@frozen
class Comp:
    """kind: any, all, sum, count, min, max, first (the last three give options), set, list, bag, map (then `key` too)."""

    kind: str
    element: Expr
    clauses: tuple[Clause, ...]
    type: Type
    span: Span
    key: Expr | None = None


@frozen
class Call:
    """A call of a def."""

    name: str
    args: tuple[Expr, ...]
    type: Type
    span: Span


@frozen
class After:
    """The body in the state that the events give, one after the other; all their arguments are read in the state before."""

    events: tuple[tuple[str, tuple[Expr, ...]], ...]
    body: Expr
    type: Type
    span: Span


@frozen
class CanDo:
    """Whether an action has a legal move for a player."""

    who: Expr
    action: str
    given: tuple[Expr, ...]
    type: Type
    span: Span


@frozen
class Checked:
    """The value of `expr`, a rules error if it is not within lo..hi. `what`: what it is for, as the error says it."""

    expr: Expr
    lo: int
    hi: int
    type: Type
    span: Span
    what: str = ""


@frozen
class LetIn:
    """`body` with a name for `value`, which is evaluated once."""

    name: str
    value: Expr
    body: Expr
    type: Type
    span: Span


@frozen
class IfSome:
    """None if `value` is None, else `body`, in which `name` stands for it (`x?.a`)."""

    name: str
    value: Expr
    body: Expr
    type: Type
    span: Span


Expr = Union[Const, Local, Read, Op, Comp, Call, After, CanDo, Checked, LetIn, IfSome]

# ---------------------------------------------------------------- sentences


@frozen
class Template:
    """A sentence: texts and expressions in turn."""

    parts: tuple[str | Expr, ...]
    span: Span


# ---------------------------------------------------------------- statements


@frozen
class Bind:
    """Give a local a value, new or again. `declares` is true where the name begins."""

    name: str
    value: Expr
    span: Span
    declares: bool = True


@frozen
class Store:
    """`field[keys] = value`: all keys are given, unless the whole field is assigned (no keys)."""

    field: str
    keys: tuple[Expr, ...]
    value: Expr
    span: Span


@frozen
class IfStmt:
    condition: Expr
    then: Body
    otherwise: Body
    span: Span


@frozen
class ForStmt:
    """The source is evaluated once; the condition before each turn of the loop."""

    var: str
    var_type: Type
    source: Expr
    condition: Expr | None
    body: Body
    span: Span


@frozen
class WhileStmt:
    condition: Expr
    body: Body
    span: Span


@frozen
class RepeatStmt:
    count: Expr
    body: Body
    span: Span


@frozen
class ReturnStmt:
    value: Expr | None
    span: Span


@frozen
class BreakStmt:
    span: Span


@frozen
class ContinueStmt:
    span: Span


@frozen
class EmitStmt:
    """`reveals`: an argument comes from a field that not all who may see the event may see."""

    event: str
    args: tuple[Expr, ...]
    span: Span
    reveals: bool = False


@frozen
class CallFlow:
    flow: str
    args: tuple[Expr, ...]
    span: Span


@frozen
class EndStmt:
    """End of the game: winners (a set of players) and scores (a map from Player to int), either may be None. With scores and no
    winners the highest score wins."""

    winners: Expr | None
    scores: Expr | None
    span: Span


@frozen
class StepStmt:
    name: str
    body: Body
    span: Span


@frozen
class DrawStmt:
    """Draw one outcome from a set, bag, list or range and give it a name."""

    name: str
    type: Type
    source: Expr
    span: Span


@frozen
class Offer:
    """An action offered in a question, with its given arguments."""

    action: str
    given: tuple[Expr, ...]
    span: Span


@frozen
class AskStmt:
    """mode: `chooses`, `may`, `may repeatedly`."""

    who: Expr
    mode: str
    offers: tuple[Offer, ...]
    after: Body
    otherwise: Body | None
    span: Span


@frozen
class TurnsStmt:
    """Seats in order from `first`, round after round, those for whom the condition holds; ends after a round without any."""

    var: str
    var_type: Type
    first: Expr
    condition: Expr | None
    body: Body
    span: Span


Stmt = Union[
    Bind,
    Store,
    IfStmt,
    ForStmt,
    WhileStmt,
    RepeatStmt,
    ReturnStmt,
    BreakStmt,
    ContinueStmt,
    EmitStmt,
    CallFlow,
    EndStmt,
    StepStmt,
    DrawStmt,
    AskStmt,
    TurnsStmt,
]
Body = tuple[Stmt, ...]

# ---------------------------------------------------------------- machines


@frozen
class Jump:
    to: int


@frozen
class Branch:
    """`written`: the condition stands in the rules; else it is one that a loop needs to count."""

    condition: Expr
    then: int
    otherwise: int
    span: Span
    written: bool = True


@frozen
class CallMachine:
    """Run another flow that may suspend, or an action's effects, then go on at `to`."""

    flow: str
    args: tuple[Expr, ...]
    to: int
    span: Span


@frozen
class Finish:
    """The end of the flow: back to who called it."""


@frozen
class Question:
    """A block that waits for a player's answer. `to`: where an action's effects lead. `on_pass`: where a pass leads (None if
    there is none). `otherwise`: where to go when nothing is legal (None: that is a dead end, or, if `on_pass`, a pass)."""

    who: Expr
    offers: tuple[Offer, ...]
    to: int
    on_pass: int | None
    otherwise: int | None
    step: str
    span: Span


@frozen
class Chance:
    """A block that waits for a drawn outcome, which is bound to `name`."""

    name: str
    type: Type
    source: Expr
    to: int
    step: str
    span: Span


Terminator = Union[Jump, Branch, CallMachine, Finish, Question, Chance]


@frozen
class Block:
    """`live`: the locals that are alive on entry, sorted: what a frame holds. Body statements never suspend. Blocks that end in
    Question or Chance have an empty body, and are where a flow rests."""

    number: int
    live: tuple[str, ...]
    body: Body
    end: Terminator


@frozen
class Machine:
    """A flow (or an action's effects) that may be interrupted. Blocks are numbered from 0, where it begins; `live` of block 0
    is the parameters that are used."""

    blocks: tuple[Block, ...]


# ---------------------------------------------------------------- declarations


@frozen
class FieldInfo:
    """A field of the state. Its cells are stored flat, one for each combination of `keys`, the last key running fastest."""

    name: str
    position: int
    visibility: str
    keys: tuple[Type, ...]
    value: Type
    initial: Expr | None
    span: Span
    doc: str = ""

    @property
    def type(self) -> Type:
        result = self.value
        for key in reversed(self.keys):
            result = MapType(key, result)
        return result

    @property
    def cells(self) -> int:
        total = 1
        for key in self.keys:
            total *= size(key) or 0
        return total

    @property
    def packed(self) -> bool:
        """Whether the cells are bytes: `index_of(value type, value)` each."""
        count = size(self.value)
        return bool(self.keys) and count is not None and count <= 256


@frozen
class ParamInfo:
    """A parameter of a def, event, action, flow or measure. `audience`: None public, else the parameters who may see it."""

    name: str
    type: Type
    span: Span
    audience: tuple[str, ...] | None = None


@frozen
class DefInfo:
    """`recursive`: it may call itself, directly or through others; the depth is limited to 1,000. `fails`: evaluating it can be
    a rules error."""

    name: str
    params: tuple[ParamInfo, ...]
    result: Type
    body: Body
    span: Span
    recursive: bool = False
    fails: bool = False
    doc: str = ""


@frozen
class EventInfo:
    name: str
    position: int
    params: tuple[ParamInfo, ...]
    sentence: Template | None
    body: Body
    reads: frozenset[str]
    writes: frozenset[str]
    span: Span
    doc: str = ""


@frozen
class Guard:
    """A named `require`. `relies`: names of the earlier guards and lets that it must come after."""

    name: str
    condition: Expr
    sentence: Template
    relies: tuple[str, ...]
    span: Span
    doc: str = ""


@frozen
class ActionLet:
    name: str
    value: Expr
    relies: tuple[str, ...]
    span: Span


@frozen
class Chosen:
    """A chosen parameter: one element of its domain (a set, bag, list or range; each different element once)."""

    name: str
    type: Type
    domain: Expr
    span: Span


@frozen
class PlanLoop:
    """Go through a domain (`prefiltered`: the elements that a Prefilter of the same variable kept)."""

    var: str
    domain: Expr
    prefiltered: bool
    body: tuple[PlanNode, ...]


@frozen
class PlanFilter:
    """Before the loops: keep the elements of a domain for which the lets and guards of `body` hold. It must be skipped when an
    enclosing loop has nothing, that is, it stands where its domain is known, and is evaluated when first needed."""

    var: str
    domain: Expr
    body: tuple[PlanNode, ...]


@frozen
class PlanBind:
    name: str
    value: Expr


@frozen
class PlanGuard:
    """Go on only if the condition holds."""

    name: str
    condition: Expr
    span: Span


@frozen
class PlanMove:
    """Here all chosen parameters are known and all guards hold: a legal move."""


PlanNode = Union[PlanLoop, PlanFilter, PlanBind, PlanGuard, PlanMove]


@frozen
class ActionInfo:
    """`position` counts from 1; 0 is the pass. `me` is always a local of the prelude, the plan and the effects. Exactly one of
    `effects` (cannot suspend) and `machine` is set, after lower."""

    name: str
    position: int
    player: Type
    given: tuple[ParamInfo, ...]
    chosen: tuple[Chosen, ...]
    prelude: tuple[Guard | ActionLet, ...]
    plan: tuple[PlanNode, ...]
    effects: Body | None
    machine: Machine | None
    span: Span
    doc: str = ""


@frozen
class FlowInfo:
    """Exactly one of `body` (cannot suspend) and `machine` is set, after lower."""

    name: str
    params: tuple[ParamInfo, ...]
    body: Body | None
    machine: Machine | None
    span: Span
    doc: str = ""


@frozen
class MeasureInfo:
    name: str
    params: tuple[ParamInfo, ...]
    result: Type
    value: Expr
    span: Span
    doc: str = ""


@frozen
class LawInfo:
    """An invariant, or a transition (`before` may be read). `reads`: the fields it looks at, through defs too."""

    text: str
    condition: Expr
    reads: frozenset[str]
    span: Span


# ---------------------------------------------------------------- scenarios


@frozen
class ScenarioMove:
    """A player's answer: an action with all its arguments (given ones in `given` only where the line performs it directly), or,
    with action None, a pass."""

    who: Expr
    action: str | None
    given: tuple[Expr, ...]
    chosen: tuple[Expr, ...]
    span: Span


@frozen
class ScenarioRun:
    flow: str
    args: tuple[Expr, ...]
    span: Span


@frozen
class ScenarioDraw:
    """The outcomes as written; each is fitted to the type of the draw that it answers (`alternatives`: by type, its value)."""

    outcomes: tuple[tuple[Const, ...], ...]
    span: Span


@frozen
class ScenarioExpect:
    condition: Expr
    span: Span


@frozen
class ScenarioIllegal:
    move: ScenarioMove
    by: str | None
    span: Span


@frozen
class ScenarioEvent:
    """What the line before must have made happen, or, with `absent`, must not. `args`: of all parameters, None where any value
    will do."""

    event: str
    args: tuple[Expr | None, ...]
    absent: bool
    span: Span


@frozen
class ScenarioGiven:
    body: Body
    span: Span


ScenarioStep = Union[
    ScenarioMove, ScenarioRun, ScenarioDraw, ScenarioExpect, ScenarioIllegal, ScenarioEvent, ScenarioGiven
]


@frozen
class ScenarioInfo:
    """`settings`: parameters by name, and `players`, as its `with` lines give them. In conditions two more fields can be read:
    `winners` (set of players, empty before the end) and `scores` (map from Player to int)."""

    text: str
    settings: tuple[tuple[str, Any], ...]
    steps: tuple[ScenarioStep, ...]
    span: Span
    doc: str = ""


# ---------------------------------------------------------------- the program


@frozen
class BoardInfo:
    """A board, for those who draw it: `kind` is its shape's word (`grid`, `track`), `size` its numbers."""

    kind: str
    size: tuple[int, ...]
    types: tuple[EnumType, ...]


@frozen
class Program:
    """A checked, specialised program: one game with its parameters and number of seats fixed.

    `parameters`: values in internal form, by name, with their types. `player`: the type of seats.
    `goals`: the names of the measures that count, the first one first.
    `clauses`: name and digest of each declaration, `kind name` by `kind name`; `places`: name and extent of each clause, of
    whatever file it comes from.
    The state has one slot for each field in order, and a last one for the outcome: None, or (winners mask, scores tuple or None).
    """

    name: str
    title: str
    rulebook: str | None
    player: EnumType
    parameters: tuple[tuple[str, Type, Any], ...]
    enums: tuple[EnumType, ...]
    enum_attributes: tuple[tuple[str, str, Type, tuple[Any, ...]], ...]
    records: tuple[RecordType, ...]
    boards: tuple[BoardInfo, ...]
    constants: tuple[tuple[str, Type, Any], ...]
    fields: tuple[FieldInfo, ...]
    defs: tuple[DefInfo, ...]
    events: tuple[EventInfo, ...]
    actions: tuple[ActionInfo, ...]
    flows: tuple[FlowInfo, ...]
    measures: tuple[MeasureInfo, ...]
    goals: tuple[str, ...]
    invariants: tuple[LawInfo, ...]
    transitions: tuple[LawInfo, ...]
    terminates: int | None
    scenarios: tuple[ScenarioInfo, ...]
    digest: str
    doc: str = ""
    clauses: tuple[tuple[str, str], ...] = field(default=())
    places: tuple[tuple[str, Span], ...] = field(default=())

    def field(self, name: str) -> FieldInfo:
        return next(item for item in self.fields if item.name == name)

    def def_(self, name: str) -> DefInfo:
        return next(item for item in self.defs if item.name == name)

    def event(self, name: str) -> EventInfo:
        return next(item for item in self.events if item.name == name)

    def action(self, name: str) -> ActionInfo:
        return next(item for item in self.actions if item.name == name)

    def flow(self, name: str) -> FlowInfo:
        return next(item for item in self.flows if item.name == name)
