"""What is different between two programs, clause by clause.

Flows and actions are compared by their parts: each `require` and each `step` is a clause of its own, so that a variant that
exchanges one step shows that step and nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from attrs import evolve, frozen

from rulesdsl import syntax
from rulesdsl.diagnostics import Source, Span
from rulesdsl.format import canonical, format_expr, format_type
from rulesdsl.variants import Override, declaration_key, key_name


@frozen
class Clause:
    """A part of a program with a name of its own: `step turn.draw`. `text` is its canonical source."""

    name: str
    text: str
    span: Span


@frozen
class Change:
    """sign: `+` added, `-` removed, `~` replaced. `was` and `now` are canonical source, empty where there is none; `because` is
    the variant's reason."""

    sign: str
    clause: str
    was: str
    now: str
    because: str
    span: Span

    @property
    def kind(self) -> str:
        return self.clause.split()[0]


@frozen
class Difference:
    """`unchanged` of `total` clauses of the first program are the same in the second."""

    changes: tuple[Change, ...]
    unchanged: int
    total: int


def difference(first: syntax.Module, second: syntax.Module, overrides: Sequence[Override] = ()) -> Difference:
    """The changes from one composed program to another, in the order of the first one's clauses, then what is new.

    Args:
        overrides: what the second program's variants say of their changes, for the reasons.
    """
    before, after = clauses_of(first), clauses_of(second)
    reasons = {key_name(o.key): o.because for o in overrides if o.because}
    changes = []
    for name, clause in before.items():
        other = after.get(name)
        if other is None:
            changes.append(Change("-", name, clause.text, "", reasons.get(name, ""), clause.span))
        elif other.text != clause.text:
            changes.append(Change("~", name, clause.text, other.text, reasons.get(name, ""), other.span))
    for name, clause in after.items():
        if name not in before:
            changes.append(Change("+", name, "", clause.text, reasons.get(_inserted(name), reasons.get(name, "")), clause.span))
    touched = sum(change.sign != "+" for change in changes)
    return Difference(tuple(changes), len(before) - touched, len(before))


def _inserted(name: str) -> str:
    """`step turn.before_draw` is what `before step turn.draw` brought."""
    kind, _, path = name.partition(" ")
    owner, _, step = path.partition(".")
    side, _, rest = step.partition("_")
    return f"{side} {owner}.{rest}" if kind == "step" and side in ("before", "after") and rest else name


# ---------------------------------------------------------------- clauses


def clauses_of(module: syntax.Module) -> dict[str, Clause]:
    """The clauses of a composed program by name, in order."""
    found: dict[str, Clause] = {}

    def add(name: str, text: str, span: Span) -> None:
        found[name] = Clause(name, text, span)

    for decl in module.declarations:
        if isinstance(decl, syntax.State):
            for item in decl.fields:
                add(f"field {item.name.id}", field_text(item), item.span)
        elif isinstance(decl, syntax.Param):
            add(f"param {decl.name.id}", format_expr(decl.default), decl.span)
        elif isinstance(decl, syntax.Enum):
            attributes = ", ".join(f"{item.name.id}: {format_type(item.type)}" for item in decl.attributes)
            add(f"enum {decl.name.id}", f"enum {decl.name.id}({attributes})" if attributes else f"enum {decl.name.id}", decl.span)
            for member in decl.members:
                add(f"member {decl.name.id}.{member.name.id}", member_text(member), member.span)
        elif isinstance(decl, (syntax.Flow, syntax.Action)):
            _add_parts(decl, add)
        elif isinstance(decl, (syntax.Measure, syntax.Invariant, syntax.Transition)):
            value = decl.value if isinstance(decl, syntax.Measure) else decl.condition
            add(key_name(declaration_key(decl)), format_expr(value), decl.span)
        else:
            add(key_name(declaration_key(decl)).strip(), canonical(decl), decl.span)
    return found


def field_text(item: syntax.StateField) -> str:
    """A field of the state as one line."""
    text = canonical(syntax.State(item.span, (evolve(item, doc=""),)))
    return text.split("\n", 1)[1].strip() if "\n" in text else text


def member_text(member: syntax.Member) -> str:
    """A member of an enum with its values."""
    values = ", ".join(format_expr(arg.value) for arg in member.args)
    return f"{member.name.id}({values})" if values else member.name.id


def _add_parts(decl: syntax.Flow | syntax.Action, add: Any) -> None:
    kind, owner = declaration_key(decl)
    requires: list[syntax.Require] = []
    steps: list[syntax.Step] = []
    names = _step_names(decl.body)
    body = _skeleton(decl.body, names, requires, steps)
    add(f"{kind} {owner}", canonical(evolve(decl, body=body or (syntax.Pass(decl.span),), doc="")), decl.span)
    for require in requires:
        add(f"require {owner}.{require.name.id}", f'{format_expr(require.condition)} else "{require.sentence.text}"', require.span)
    for step in steps:
        inner: list[syntax.Step] = []
        bare = _skeleton(step.body, names, [], inner)
        text = canonical(syntax.Flow(step.span, step.name, (), bare or (syntax.Pass(step.span),)))
        lines = [line.removeprefix("    ") for line in text.split("\n")[1:]]
        add(f"step {owner}.{step.name.id}", "\n".join(lines).strip(), step.span)


def _step_names(body: syntax.Block) -> frozenset[str]:
    from rulesdsl.variants import steps_of

    return frozenset(step.name.id for step in steps_of(body))


def _skeleton(
    body: syntax.Block, names: frozenset[str], requires: list[syntax.Require], steps: list[syntax.Step]
) -> syntax.Block:
    """A body without its requires, its steps emptied; collects both. Steps that a variant put around others are left out."""
    made: list[syntax.Statement] = []
    for node in body:
        if isinstance(node, syntax.Require):
            requires.append(node)
        elif isinstance(node, syntax.Step):
            steps.append(node)
            _skeleton(node.body, names, requires, steps)
            side, _, rest = node.name.id.partition("_")
            if not (side in ("before", "after") and rest in names):
                made.append(evolve(node, body=(syntax.Pass(node.span),), doc=""))
        else:
            made.append(_shallow(node, names, requires, steps))
    return tuple(made)


def _shallow(node: Any, names: frozenset[str], requires: list[syntax.Require], steps: list[syntax.Step]) -> Any:
    def inside(block: syntax.Block | None) -> syntax.Block | None:
        return None if block is None else _skeleton(block, names, requires, steps) or (syntax.Pass(node.span),)

    if isinstance(node, syntax.If):
        branches = tuple((test, inside(block) or ()) for test, block in node.branches)
        return evolve(node, branches=branches, otherwise=inside(node.otherwise))
    if isinstance(node, (syntax.For, syntax.While, syntax.Repeat, syntax.Turns)):
        return evolve(node, body=inside(node.body) or ())
    if isinstance(node, syntax.Ask):
        return evolve(node, after=inside(node.after), otherwise=inside(node.otherwise))
    return node


# ---------------------------------------------------------------- for tools


def as_json(change: Change) -> Mapping[str, Any]:
    """A change as plain data."""
    source: Source = change.span.source
    return {
        "sign": change.sign,
        "clause": change.clause,
        "was": change.was,
        "now": change.now,
        "because": change.because,
        "file": source.name,
        "line": change.span.line,
    }
