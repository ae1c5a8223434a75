"""The syntax tree: frozen nodes, each with the span of the text that it came from.

The tree says what was written and nothing about what it means. `parse` makes it, `format` prints it, `check` reads it.
Comments are not nodes: `Module.comments` keeps them beside the tree, by position. `##` documentation is both: a comment by
position, and the `doc` of the declaration, field, member line or step that follows it.
"""

from __future__ import annotations

from typing import Union

from attrs import field, frozen

from rulesdsl.diagnostics import Span

# ---------------------------------------------------------------- names and types


@frozen
class Name:
    """A name where it is declared or used."""

    span: Span
    id: str


@frozen
class NamedType:
    span: Span
    id: str


@frozen
class OptionalType:
    span: Span
    item: TypeExpr


@frozen
class SetOf:
    span: Span
    item: TypeExpr


@frozen
class BagOf:
    span: Span
    item: TypeExpr


@frozen
class ListOf:
    span: Span
    item: TypeExpr
    limit: Expr


@frozen
class MapOf:
    span: Span
    key: TypeExpr
    value: TypeExpr


@frozen
class RangeType:
    """`lo..hi`, both included."""

    span: Span
    lo: Expr
    hi: Expr


TypeExpr = Union[NamedType, OptionalType, SetOf, BagOf, ListOf, MapOf, RangeType]

# ---------------------------------------------------------------- expressions


@frozen
class NameExpr:
    span: Span
    id: str


@frozen
class IntLit:
    span: Span
    value: int


@frozen
class BoolLit:
    span: Span
    value: bool


@frozen
class NoneLit:
    span: Span


@frozen
class ListLit:
    span: Span
    items: tuple[Expr, ...]


@frozen
class BraceLit:
    """`{a, b}`, and `{}`, which is an empty set, bag or map by the expected type."""

    span: Span
    items: tuple[Expr, ...]


@frozen
class MapLit:
    """`{k: v, ...}`, never empty: a map, or a bag with counts, by the expected type."""

    span: Span
    pairs: tuple[tuple[Expr, Expr], ...]


@frozen
class CompClause:
    """`for var in source if condition`, one link of a comprehension."""

    span: Span
    var: Name
    source: Expr
    condition: Expr | None


@frozen
class Comprehension:
    """`[e for ...]` (kind `list`), `{e for ...}` (kind `brace`)."""

    span: Span
    kind: str
    element: Expr
    clauses: tuple[CompClause, ...]


@frozen
class MapComprehension:
    """`{k: v for ...}`."""

    span: Span
    key: Expr
    value: Expr
    clauses: tuple[CompClause, ...]


@frozen
class Unary:
    """`-x` (op `-`) and `not x` (op `not`)."""

    span: Span
    op: str
    operand: Expr


@frozen
class Binary:
    """op is one of `+ - * // % | & and or`."""

    span: Span
    op: str
    left: Expr
    right: Expr


@frozen
class Compare:
    """`a < b <= c`: first operand, then (operator, operand) pairs; op is one of `== != < <= > >= in` or `not in`."""

    span: Span
    first: Expr
    rest: tuple[tuple[str, Expr], ...]


@frozen
class IsTest:
    """`x is some` (some=True), `x is none` (some=False)."""

    span: Span
    operand: Expr
    some: bool


@frozen
class Conditional:
    """`then if condition else otherwise`."""

    span: Span
    condition: Expr
    then: Expr
    otherwise: Expr


@frozen
class RangeExpr:
    span: Span
    lo: Expr
    hi: Expr


@frozen
class Attr:
    """`obj.name`; `obj?.name` when optional."""

    span: Span
    obj: Expr
    name: Name
    optional: bool


@frozen
class Index:
    span: Span
    obj: Expr
    index: Expr


@frozen
class Slice:
    span: Span
    obj: Expr
    lo: Expr | None
    hi: Expr | None


@frozen
class Arg:
    """One argument of a call: positional (name None) or `name=value`."""

    span: Span
    name: Name | None
    value: Expr


@frozen
class Call:
    """`fn(args)`."""

    span: Span
    fn: Expr
    args: tuple[Arg, ...]


@frozen
class GeneratorCall:
    """`any(e for x in xs if c)`: a call with one generator for its argument."""

    span: Span
    fn: Expr
    element: Expr
    clauses: tuple[CompClause, ...]


@frozen
class Alternative:
    """An action offered: `place`, or `build_road({})` with its given arguments. `added`: by a variant."""

    span: Span
    action: Name
    args: tuple[Arg, ...]
    added: bool = False


@frozen
class Can:
    """`p can place`."""

    span: Span
    who: Expr
    alternative: Alternative


@frozen
class After:
    """`expr after Event(args)`; a chain nests to the left."""

    span: Span
    expr: Expr
    event: Expr


Expr = Union[
    NameExpr,
    IntLit,
    BoolLit,
    NoneLit,
    ListLit,
    BraceLit,
    MapLit,
    Comprehension,
    MapComprehension,
    Unary,
    Binary,
    Compare,
    IsTest,
    Conditional,
    RangeExpr,
    Attr,
    Index,
    Slice,
    Call,
    GeneratorCall,
    Can,
    After,
]

# ---------------------------------------------------------------- statements


@frozen
class Sentence:
    """A quoted text; `{name}` or `{expression}` inside it is filled in when it is printed."""

    span: Span
    text: str


@frozen
class Let:
    span: Span
    name: Name
    type: TypeExpr | None
    value: Expr


@frozen
class Var:
    span: Span
    name: Name
    type: TypeExpr | None
    value: Expr


@frozen
class Assign:
    """op is `=`, `+=` or `-=`."""

    span: Span
    target: Expr
    op: str
    value: Expr


@frozen
class Return:
    span: Span
    value: Expr | None


@frozen
class Require:
    """`require name: condition else "sentence"`."""

    span: Span
    name: Name
    condition: Expr
    sentence: Sentence
    doc: str = ""


@frozen
class Emit:
    span: Span
    event: Expr


@frozen
class If:
    """Branches in order (`if`, `elif`...), then the `else` block or None."""

    span: Span
    branches: tuple[tuple[Expr, Block], ...]
    otherwise: Block | None


@frozen
class For:
    span: Span
    var: Name
    source: Expr
    condition: Expr | None
    body: Block


@frozen
class While:
    span: Span
    condition: Expr
    body: Block


@frozen
class Repeat:
    span: Span
    count: Expr
    body: Block


@frozen
class Turns:
    """`turns p from first if condition:`."""

    span: Span
    var: Name
    first: Expr
    condition: Expr | None
    body: Block


@frozen
class Step:
    """`step name:`. `around` is `before` or `after` for what a variant has put around the step `name`, and empty for a step."""

    span: Span
    name: Name
    body: Block
    doc: str = ""
    around: str = ""


@frozen
class Draw:
    span: Span
    names: tuple[Name, ...]
    source: Expr


@frozen
class Ask:
    """A question to a player. mode: `chooses`, `may` or `may repeatedly`.

    `after` is the block that runs after each choice of `may repeatedly`; `otherwise` the one of `chooses`.
    """

    span: Span
    who: Expr
    mode: str
    alternatives: tuple[Alternative, ...]
    after: Block | None
    otherwise: Block | None


@frozen
class End:
    """`end tie` (both None), `end win S`, `end scores M`, `end win S scores M`."""

    span: Span
    winners: Expr | None
    scores: Expr | None


@frozen
class Break:
    span: Span


@frozen
class Continue:
    span: Span


@frozen
class Pass:
    """`pass`: a block that does nothing."""

    span: Span


@frozen
class CallStatement:
    """A call that stands alone: another flow. Other expressions parse too and are refused by the checker."""

    span: Span
    expr: Expr


Statement = Union[
    Let,
    Var,
    Assign,
    Return,
    Require,
    Emit,
    If,
    For,
    While,
    Repeat,
    Turns,
    Step,
    Draw,
    Ask,
    End,
    Break,
    Continue,
    Pass,
    CallStatement,
]
Block = tuple[Statement, ...]


def inner_blocks(node: Statement) -> list[Block]:
    """The blocks directly inside a statement."""
    if isinstance(node, If):
        return [block for _, block in node.branches] + ([node.otherwise] if node.otherwise is not None else [])
    if isinstance(node, (For, While, Repeat, Turns, Step)):
        return [node.body]
    if isinstance(node, Ask):
        return [block for block in (node.after, node.otherwise) if block is not None]
    return []

# ---------------------------------------------------------------- declarations


@frozen
class Game:
    """`game NAME:` with title, players (seat names, or a number or range of seats), rulebook."""

    span: Span
    name: Name
    title: Sentence | None
    seats: tuple[Name, ...]
    seat_count: Expr | None
    rulebook: Sentence | None
    doc: str = ""


@frozen
class Param:
    span: Span
    name: Name
    type: TypeExpr
    default: Expr
    doc: str = ""


@frozen
class Const:
    span: Span
    name: Name
    type: TypeExpr | None
    value: Expr
    doc: str = ""


@frozen
class FieldDecl:
    """`name: type` of an enum's attributes or of a record."""

    span: Span
    name: Name
    type: TypeExpr
    doc: str = ""


@frozen
class Member:
    span: Span
    name: Name
    args: tuple[Arg, ...]
    doc: str = ""


@frozen
class Enum:
    """`rows` keeps how many members stood on each line, for the formatter."""

    span: Span
    name: Name
    attributes: tuple[FieldDecl, ...]
    members: tuple[Member, ...]
    rows: tuple[int, ...]
    doc: str = ""


@frozen
class Record:
    span: Span
    name: Name
    fields: tuple[FieldDecl, ...]
    doc: str = ""


@frozen
class Board:
    """`board A, B, C = shape(...)`."""

    span: Span
    names: tuple[Name, ...]
    shape: Expr
    doc: str = ""


@frozen
class StateField:
    """visibility: `public`, `private` or `hidden`."""

    span: Span
    name: Name
    visibility: str
    keys: tuple[TypeExpr, ...]
    type: TypeExpr
    initial: Expr | None
    doc: str = ""


@frozen
class State:
    span: Span
    fields: tuple[StateField, ...]
    doc: str = ""


@frozen
class Parameter:
    """A parameter of a def, event, flow or measure. `audience` is for events: None public, () hidden, else the names of the
    parameters who may see it (`private to by and victim`). `public`: it is public and says so."""

    span: Span
    name: Name
    type: TypeExpr
    audience: tuple[Name, ...] | None = None
    public: bool = False


@frozen
class Choice:
    """A parameter of an action: given (`name: type`, domain None) or chosen (`name in domain`, type None)."""

    span: Span
    name: Name
    type: TypeExpr | None
    domain: Expr | None


@frozen
class Def:
    span: Span
    name: Name
    params: tuple[Parameter, ...]
    result: TypeExpr | None
    body: Block
    doc: str = ""


@frozen
class Event:
    span: Span
    name: Name
    params: tuple[Parameter, ...]
    sentence: Sentence | None
    body: Block
    doc: str = ""


@frozen
class Action:
    span: Span
    name: Name
    params: tuple[Choice, ...]
    body: Block
    doc: str = ""


@frozen
class Flow:
    span: Span
    name: Name
    params: tuple[Parameter, ...]
    body: Block
    doc: str = ""


@frozen
class Measure:
    span: Span
    name: Name
    params: tuple[Parameter, ...]
    result: TypeExpr
    value: Expr
    doc: str = ""


@frozen
class Goals:
    """`goals links, points`: the measures that count, the first one first."""

    span: Span
    names: tuple[Name, ...]
    doc: str = ""


@frozen
class Invariant:
    span: Span
    text: Sentence
    condition: Expr
    doc: str = ""


@frozen
class Transition:
    span: Span
    text: Sentence
    condition: Expr
    doc: str = ""


@frozen
class Terminates:
    span: Span
    limit: Expr


# ---------------------------------------------------------------- scenarios


@frozen
class WithLine:
    """`with size = 5, players = 2`."""

    span: Span
    settings: tuple[tuple[Name, Expr], ...]


@frozen
class Given:
    span: Span
    body: Block


@frozen
class RunLine:
    """`run flow(args)`."""

    span: Span
    call: Expr


@frozen
class PlayLine:
    """`marauder place(king, c4)`."""

    span: Span
    who: Expr
    move: Alternative


@frozen
class PassLine:
    """`marauder passes`."""

    span: Span
    who: Expr


@frozen
class DrawLine:
    """`draw 3, 4`."""

    span: Span
    outcomes: tuple[Expr, ...]


@frozen
class ExpectLine:
    span: Span
    condition: Expr


@frozen
class ExpectIllegal:
    """`expect illegal marauder place(one, c3) by vacant`; `by` names the require that must refuse."""

    span: Span
    who: Expr
    move: Alternative
    by: Name | None


@frozen
class ExpectEvent:
    """`expect event Stolen(ann, card=ore)`: arguments may be left out. With `absent` no such event may have happened."""

    span: Span
    event: Alternative
    absent: bool


ScenarioLine = Union[WithLine, Given, RunLine, PlayLine, PassLine, DrawLine, ExpectLine, ExpectIllegal, ExpectEvent]


@frozen
class Scenario:
    span: Span
    text: Sentence
    lines: tuple[ScenarioLine, ...]
    doc: str = ""


# ---------------------------------------------------------------- variants


@frozen
class Variant:
    """`variant NAME of "base.rules" and "another.rules":` with a title and a rulebook of its own."""

    span: Span
    name: Name
    bases: tuple[Sentence, ...]
    title: Sentence | None
    rulebook: Sentence | None
    doc: str = ""


@frozen
class SetParam:
    """`set PARAM = value`: another default."""

    span: Span
    name: Name
    value: Expr
    doc: str = ""


@frozen
class Replace:
    """`replace` a whole clause: `declaration` is any declaration but the game and the state, or a StateField; it has the kind
    and the name of what it replaces."""

    span: Span
    declaration: Declaration | StateField
    because: Sentence | None
    doc: str = ""


@frozen
class ReplaceStep:
    """`replace step flow.step because "...":`."""

    span: Span
    path: tuple[Name, ...]
    because: Sentence | None
    body: Block
    doc: str = ""


@frozen
class ReplaceRequire:
    """`replace require action.name: condition else "sentence"`."""

    span: Span
    action: Name
    require: Require
    because: Sentence | None
    doc: str = ""


@frozen
class ReplaceMember:
    """`replace member Enum.name(values)`."""

    span: Span
    enum: Name
    member: Member
    because: Sentence | None
    doc: str = ""


@frozen
class Remove:
    """`remove KIND path because "..."`. `kind` is the word (`def`, `step`, `require`, `member`, `scenario`, ...); `path` its names;
    `text` the title where scenarios, invariants and transitions are meant. A line may remove several: each is a delta of its own,
    and all but the first `continues` the line."""

    span: Span
    kind: str
    path: tuple[Name, ...]
    text: Sentence | None
    because: Sentence
    doc: str = ""
    continues: bool = False


@frozen
class RemoveScenarios:
    """`remove scenarios naming NAME, NAME because "..."`: those of the base that name one of these declarations, or a place of
    one of these boards, and that nothing else changes."""

    span: Span
    names: tuple[Name, ...]
    because: Sentence
    doc: str = ""


@frozen
class Add:
    """`add` a new declaration."""

    span: Span
    declaration: Declaration
    doc: str = ""


@frozen
class AddField:
    """`add field private boats[Player]: 0..1 = 1`."""

    span: Span
    field: StateField
    doc: str = ""


@frozen
class AddRequire:
    """`add require action.name: condition else "sentence"`: after the action's own."""

    span: Span
    action: Name
    require: Require
    doc: str = ""


@frozen
class AddChoice:
    """`add choice flow.step: action(given) or other`: what is offered as well in the one question of a step."""

    span: Span
    path: tuple[Name, ...]
    because: Sentence | None
    alternatives: tuple[Alternative, ...]
    doc: str = ""


@frozen
class AddMember:
    """`add member Enum: name(values), ...`: after the enum's own."""

    span: Span
    enum: Name
    members: tuple[Member, ...]
    doc: str = ""


@frozen
class Around:
    """`before step flow.step:` or `after step flow.step:` (side `before` or `after`)."""

    span: Span
    side: str
    path: tuple[Name, ...]
    because: Sentence | None
    body: Block
    doc: str = ""


Delta = Union[
    SetParam, Replace, ReplaceStep, ReplaceRequire, ReplaceMember, Remove, RemoveScenarios, Add, AddField, AddRequire,
    AddChoice, AddMember, Around,
]

DELTAS = (
    SetParam, Replace, ReplaceStep, ReplaceRequire, ReplaceMember, Remove, RemoveScenarios, Add, AddField, AddRequire,
    AddChoice, AddMember, Around,
)  # fmt: skip

Declaration = Union[
    Game,
    Param,
    Const,
    Enum,
    Record,
    Board,
    State,
    Def,
    Event,
    Action,
    Flow,
    Measure,
    Goals,
    Invariant,
    Transition,
    Terminates,
    Scenario,
]

# ---------------------------------------------------------------- the file


@frozen
class Comment:
    """A `#` or `##` comment. `alone` is true when nothing but spaces stands before it on its line."""

    span: Span
    text: str
    alone: bool


@frozen
class Module:
    """A whole `.rules` file: its declarations in order, and its comments in order. Of a variant: the `variant` and its deltas
    in order, and no declarations."""

    span: Span
    declarations: tuple[Declaration, ...]
    comments: tuple[Comment, ...] = field(default=())
    variant: Variant | None = None
    deltas: tuple[Delta, ...] = ()
