"""What a delta is about: the keys of clauses, which clauses are parts of which, and what others rely on in a clause."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from rulesdsl import syntax
from rulesdsl.diagnostics import Span

Key = tuple[str, ...]
"""A kind and names: `("def", "toll")`, `("step", "turn", "draw")`, `("scenario", "a title")`; `before` and `after` are sides of
a step, `("choice", "turn", "draw", "take")` is an action that is offered in one, `name` is what all declarations share."""

TEXTS = ("invariant", "transition", "scenario")
PARTS = ("step", "require", "member")
SIDES = ("before", "after")
ONCE = {"goals": "which measures count", "terminates": "when the game must end"}
"""What has no name, since there is one at most, and what it says."""


def key_name(key: Key) -> str:
    """`step turn.draw`, `def toll`, `scenario "..."`."""
    kind, *names = key
    if kind in TEXTS:
        return f'{kind} "{names[0]}"'
    return f"{kind} {'.'.join(names)}".strip()


def told(key: Key) -> str:
    """A clause in a message: ``step `turn.draw` ``, ``scenario "..." ``, ``what comes before step `turn.draw` ``."""
    kind, *names = key
    if kind in TEXTS:
        return f'{kind} "{names[0]}"'
    if kind in ONCE:
        return f"`{kind}`"
    name = f"`{'.'.join(names)}`" if any(names) else ""
    if kind in SIDES:
        return f"what comes {kind} step {name}"
    return name if kind == "name" else f"{kind} {name}".strip()


def declaration_key(decl: Any) -> Key:
    """The key of a declaration: its kind and name."""
    kind = "field" if isinstance(decl, syntax.StateField) else type(decl).__name__.lower()
    if isinstance(decl, (syntax.Invariant, syntax.Transition, syntax.Scenario)):
        return (kind, decl.text.text)
    if isinstance(decl, syntax.Board):
        return (kind, ", ".join(name.id for name in decl.names))
    name = getattr(decl, "name", None)
    return (kind, name.id if name is not None else "")


def names_of(decl: Any) -> tuple[syntax.Name, ...]:
    """The names that a declaration gives; none where it has a title or nothing."""
    if isinstance(decl, syntax.Board):
        return decl.names
    name = getattr(decl, "name", None)
    return (name,) if name is not None else ()


def name_span(decl: Any) -> Span:
    """The place of a declaration's name."""
    names = names_of(decl)
    if names:
        return names[0].span.to(names[-1].span)
    text = getattr(decl, "text", None)
    return text.span if text is not None else decl.span  # type: ignore[no-any-return]


# ---------------------------------------------------------------- what is touched


def claimed(delta: syntax.Delta) -> tuple[Key, ...]:
    """The clauses that a delta changes or brings, and the sides of steps that it adds to or takes away."""
    match delta:
        case syntax.SetParam():
            return (("param", delta.name.id),)
        case syntax.Replace(declaration=syntax.Board(names=names)):
            return tuple(("board", name.id) for name in names)
        case syntax.Replace():
            return (declaration_key(delta.declaration),)
        case syntax.ReplaceStep():
            return (_path("step", delta.path),)
        case syntax.Around():
            return (_path(delta.side, delta.path),)
        case syntax.ReplaceRequire() | syntax.AddRequire():
            return (("require", delta.action.id, delta.require.name.id),)
        case syntax.ReplaceMember():
            return (("member", delta.enum.id, delta.member.name.id),)
        case syntax.AddChoice():
            return tuple(_path("choice", (*delta.path, item.action)) for item in delta.alternatives)
        case syntax.AddMember():
            return tuple(("member", delta.enum.id, member.name.id) for member in delta.members)
        case syntax.AddField():
            return (("field", delta.field.name.id), ("name", delta.field.name.id))
        case syntax.Add():
            shared = tuple(("name", name.id) for name in names_of(delta.declaration))
            return (declaration_key(delta.declaration), *shared)
        case syntax.RemoveScenarios():
            return ()  # which they are is known when the base is: see `compose`
        case syntax.Remove(kind="step"):
            return tuple(_path(kind, delta.path) for kind in ("step", *SIDES))
        case syntax.Remove():
            return (_path(delta.kind, delta.path) if delta.path else (delta.kind, delta.text.text if delta.text else ""),)


def _path(kind: str, path: Sequence[syntax.Name]) -> Key:
    return (kind, *(name.id for name in path))


Nesting = Mapping[tuple[str, str], tuple[str, ...]]
"""The steps around each step, by owner and name."""


def nesting(bodies: Iterable[tuple[str, syntax.Block, tuple[str, ...]]]) -> Nesting:
    """Which steps stand in which, from bodies with their owner and the steps around them."""
    found: dict[tuple[str, str], tuple[str, ...]] = {}

    def walk(owner: str, body: syntax.Block, outer: tuple[str, ...]) -> None:
        for node in body:
            inside = outer
            if isinstance(node, syntax.Step) and not node.around:
                found[owner, node.name.id] = (*found.get((owner, node.name.id), ()), *outer)
                inside = (*outer, node.name.id)
            for block in syntax.inner_blocks(node):
                walk(owner, block, inside)

    for owner, body, outer in bodies:
        walk(owner, body, outer)
    return found


def bodies_of(declarations: Iterable[Any]) -> Iterator[tuple[str, syntax.Block, tuple[str, ...]]]:
    """The bodies that can have steps, of declarations and of deltas."""
    for item in declarations:
        decl = item.declaration if isinstance(item, (syntax.Add, syntax.Replace)) else item
        if isinstance(decl, (syntax.Flow, syntax.Action)):
            yield decl.name.id, decl.body, ()
        elif isinstance(decl, syntax.ReplaceStep):
            yield decl.path[0].id, decl.body, tuple(name.id for name in decl.path[1:])
        elif isinstance(decl, syntax.Around):
            yield decl.path[0].id, decl.body, ()


def wholes(key: Key, steps: Nesting) -> tuple[Key, ...]:
    """The clauses that a clause is a part of."""
    kind, *names = key
    if kind in ("step", *SIDES):
        outer = tuple(("step", names[0], step) for step in steps.get((names[0], names[-1]), ()))
        return (*outer, ("flow", names[0]), ("action", names[0]))
    if kind == "choice":
        step = ("step", names[0], names[1])
        return (step, *wholes(step, steps))
    if kind == "require":
        return (("action", names[0]),)
    if kind == "member":
        return (("enum", names[0]),)
    return ()


def covers(key: Key, part: Key, steps: Nesting) -> bool:
    """Whether what changes one clause changes another."""
    return key == part or key in wholes(part, steps)


# ---------------------------------------------------------------- what others rely on


def signature(decl: Any) -> str:
    """What others rely on when they use a clause, as text: parameters with types, result. Empty for what has none.

    Whether a parameter may be unused (`_p`) is its clause's own business.
    """
    from rulesdsl.formatting.format import format_type

    if isinstance(decl, (syntax.Def, syntax.Event, syntax.Flow, syntax.Measure)):
        parts = [f"{p.name.id.lstrip('_')}: {format_type(p.type)}" for p in decl.params]
        result = getattr(decl, "result", None)
        return f"({', '.join(parts)})" + (f" -> {format_type(result)}" if result is not None else "")
    if isinstance(decl, syntax.Action):
        given = [f"{p.name.id}: {format_type(p.type)}" if p.type is not None else f"{p.name.id} in ..." for p in decl.params]
        return f"({', '.join(given)})"
    return ""


# ---------------------------------------------------------------- bodies


def questions_of(body: Iterable[syntax.Statement]) -> Iterator[syntax.Ask]:
    """All questions of a body, at any depth, without those that variants have put around its steps."""
    for node in body:
        if isinstance(node, syntax.Ask):
            yield node
        if not (isinstance(node, syntax.Step) and node.around):
            for block in syntax.inner_blocks(node):
                yield from questions_of(block)


def blocks_after(body: Iterable[syntax.Statement]) -> Iterator[syntax.Step]:
    """What variants have put after the steps of a body, at any depth."""
    for node in body:
        if isinstance(node, syntax.Step) and node.around == "after":
            yield node
        for block in syntax.inner_blocks(node):
            yield from blocks_after(block)


def steps_of(body: Iterable[syntax.Statement]) -> Iterator[syntax.Step]:
    """All steps of a body, at any depth, without what variants have put around them."""
    for node in body:
        if isinstance(node, syntax.Step) and not node.around:
            yield node
        for block in syntax.inner_blocks(node):
            yield from steps_of(block)
