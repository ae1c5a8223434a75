"""The clauses of a program: every part that has a name of its own, with its text and its place.

Flows and actions are taken apart: each `require` and each `step` is a clause of its own, so that a variant that exchanges one
step changes that step and nothing else. What is left of a flow says where its steps stand.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from typing import Any

from attrs import evolve, frozen

from rulesdsl import syntax
from rulesdsl.diagnostics import Span
from rulesdsl.formatting.format import canonical, format_choice, format_expr, format_type
from rulesdsl.formatting.layout_doc import STEP, WIDTH
from rulesdsl.variants.deltas import SIDES, Key, declaration_key, key_name, questions_of, steps_of


@frozen
class Clause:
    """`node` is the syntax, `span` where it stands."""

    key: Key
    node: Any
    span: Span

    @property
    def kind(self) -> str:
        return self.key[0]

    @property
    def name(self) -> str:
        """`step turn.draw`, `def toll`, `scenario "..."`."""
        return key_name(self.key)

    @property
    def parts(self) -> frozenset[str]:
        """The requires and steps that a flow or an action consists of."""
        if isinstance(self.node, (syntax.Flow, syntax.Action)):
            requires = [node.name.id for node in self.node.body if isinstance(node, syntax.Require)]
            return frozenset([*requires, *(step.name.id for step in steps_of(self.node.body))])
        return frozenset()

    @property
    def text(self) -> str:
        return self.text_without(())

    def text_without(self, parts: Collection[str], whole: Collection[str] = (), width: int | None = None) -> str:
        """The canonical source of the clause itself, with a line for each of its parts but those that are left out. Those of a
        flow or an action that are named as `whole` stand there as they are. With a `width`, in columns, it is laid out to be
        read."""
        node, wide = self.node, width or WIDTH
        match node:
            case syntax.Sentence():
                return str(node.text)
            case syntax.StateField():
                return _dedented(canonical(syntax.State(node.span, (evolve(node, doc=""),)), wide + STEP if width else wide))
            case syntax.Goals():
                return ", ".join(name.id for name in node.names)
            case syntax.Param():
                return f"{format_type(node.type)} = {format_expr(node.default)}"
            case syntax.Enum():
                attributes = ", ".join(f"{item.name.id}: {format_type(item.type)}" for item in node.attributes)
                return f"enum {node.name.id}({attributes})" if attributes else f"enum {node.name.id}"
            case syntax.Member():
                values = ", ".join(format_expr(arg.value) for arg in node.args)
                return f"{node.name.id}({values})" if values else node.name.id
            case syntax.Flow() | syntax.Action():
                body = _frame(node.body, frozenset(parts), frozenset(whole)) or (syntax.Pass(node.span),)
                return canonical(evolve(node, body=body, doc=""), wide).rstrip("\n")
            case syntax.Step():
                body = _frame(node.body, frozenset(parts)) or (syntax.Pass(node.span),)
                return _dedented(canonical(syntax.Flow(node.span, node.name, (), body), wide + STEP if width else wide))
            case syntax.Alternative():
                return format_choice(node)
            case syntax.Require():
                return f'{format_expr(node.condition)} else "{node.sentence.text}"'
            case syntax.Measure():
                return format_expr(node.value, width)
            case syntax.Invariant() | syntax.Transition():
                return format_expr(node.condition, width)
            case _:
                return canonical(node, wide).rstrip("\n")


def clauses_of(module: syntax.Module) -> dict[Key, Clause]:
    """The clauses of a composed program by key, in order."""
    found: dict[Key, Clause] = {}
    for key, node, span in _walk(module):
        count = 2
        unique = key
        while unique in found:  # several variants, one based on the other, may put something at the same side of a step
            unique, count = (*key[:-1], f"{key[-1]} ({count})"), count + 1
        found[unique] = Clause(unique, node, span)
    return found


def _walk(module: syntax.Module) -> Iterator[tuple[Key, Any, Span]]:
    for decl in module.declarations:
        if isinstance(decl, syntax.State):
            for item in decl.fields:
                yield ("field", item.name.id), item, item.span
            continue
        key = declaration_key(decl)
        if isinstance(decl, syntax.Game) and decl.title is not None:
            yield ("title", ""), decl.title, decl.title.span
            decl = evolve(decl, title=None)
        yield key, decl, decl.span
        if isinstance(decl, syntax.Enum):
            for member in decl.members:
                yield ("member", decl.name.id, member.name.id), member, member.span
        elif isinstance(decl, (syntax.Flow, syntax.Action)):
            yield from _parts(key[1], decl.body)


def _parts(owner: str, body: syntax.Block) -> Iterator[tuple[Key, Any, Span]]:
    for node in body:
        if isinstance(node, syntax.Require):
            yield ("require", owner, node.name.id), node, node.span
        elif isinstance(node, syntax.Step):
            yield (node.around or "step", owner, node.name.id), node, node.span
            yield from _offered(owner, node)
        for block in syntax.inner_blocks(node):
            yield from _parts(owner, block)


def _offered(owner: str, step: syntax.Step) -> Iterator[tuple[Key, Any, Span]]:
    """What variants have added to the question of a step; of nested steps it is the innermost that has it."""
    inner = {id(question) for other in steps_of(step.body) for question in questions_of(other.body)}
    for question in questions_of(step.body):
        if id(question) not in inner:
            for choice in question.alternatives:
                if choice.added:
                    yield ("choice", owner, step.name.id, choice.action.id), choice, choice.span


# ---------------------------------------------------------------- texts


def _dedented(text: str) -> str:
    """What a block has, without its first line."""
    return "\n".join(line.removeprefix("    ") for line in text.rstrip("\n").split("\n")[1:])


def _frame(body: syntax.Block, without: frozenset[str], whole: frozenset[str] = frozenset()) -> syntax.Block:
    """A body with a line in the place of each of its parts, but those that are wanted `whole`. What variants have put around
    steps, or offer in questions as well, is a clause of its own."""
    made: list[syntax.Statement] = []
    for node in body:
        if isinstance(node, syntax.Step) and node.around:
            continue
        if isinstance(node, syntax.Require) and node.name.id in whole:
            made.append(evolve(node, doc=""))
        elif isinstance(node, syntax.Step) and node.name.id in whole:
            inside = _frame(node.body, without, whole) or (syntax.Pass(node.span),)
            made.append(evolve(node, body=inside, doc=""))
        elif isinstance(node, (syntax.Require, syntax.Step)):
            word = "require" if isinstance(node, syntax.Require) else "step"
            if node.name.id not in without:
                made.append(syntax.CallStatement(node.span, syntax.NameExpr(node.span, f"{word} {node.name.id}: ...")))
        else:
            made.append(_inside(node, lambda block: _frame(block, without, whole) or (syntax.Pass(block[0].span),)))
    return tuple(made)


def _inside(node: Any, change: Callable[[syntax.Block], syntax.Block]) -> Any:
    if isinstance(node, syntax.If):
        branches = tuple((test, change(block)) for test, block in node.branches)
        return evolve(node, branches=branches, otherwise=node.otherwise and change(node.otherwise))
    if isinstance(node, (syntax.For, syntax.While, syntax.Repeat, syntax.Turns)):
        return evolve(node, body=change(node.body))
    if isinstance(node, syntax.Ask):
        own = tuple(item for item in node.alternatives if not item.added)
        after, otherwise = node.after and change(node.after), node.otherwise and change(node.otherwise)
        return evolve(node, alternatives=own or node.alternatives, after=after, otherwise=otherwise)
    return node


# ---------------------------------------------------------------- places


def places_of(module: syntax.Module) -> tuple[tuple[str, Span], ...]:
    """The name and the extent of every clause. A step counts where it comes from another file than what it is in."""
    return tuple(
        (clause.name, clause.span)
        for clause in clauses_of(module).values()
        if clause.kind not in ("step", *SIDES) or _is_foreign(clause, module)
    )


def _is_foreign(step: Clause, module: syntax.Module) -> bool:
    owners = [d for d in module.declarations if isinstance(d, (syntax.Flow, syntax.Action)) and d.name.id == step.key[1]]
    return all(owner.span.source.name != step.span.source.name for owner in owners)
