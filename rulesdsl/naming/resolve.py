"""Working out what declarations stand for: types, boards, constants, parameters, the attributes of members."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rulesdsl import boards, core, syntax
from rulesdsl.diagnostics import Label, Span, closest
from rulesdsl.naming.names import Entity, Names
from rulesdsl.types import (
    UNKNOWN,
    EnumType,
    IntType,
    NothingType,
    RecordType,
    Type,
    contains,
    describe,
)


def _resolve_enum(names: Names, entity: Entity) -> Type:
    decl: syntax.Enum = entity.decl
    return EnumType(decl.name.id, tuple(member.name.id for member in decl.members))


def _by_attribute(names: Names, decl: syntax.Enum, member: syntax.Member) -> list[syntax.Arg | None]:
    """The values of a member in the order of the attributes, whether they are named or not; None after a report."""
    order = [attr.name.id for attr in decl.attributes]
    found: dict[str, syntax.Arg] = {}
    for position, arg in enumerate(member.args):
        name = order[position] if arg.name is None else arg.name.id
        if name not in order:
            near = closest(name, order)
            hint = f"did you mean `{near}`?" if near else f"the attributes of {decl.name.id} are {', '.join(order)}"
            names.report(
                "N208", f"`{decl.name.id}` has no attribute `{name}`", arg.name.span if arg.name else arg.span, "", hint
            )
        elif name in found:
            names.report(
                "G605", f"`{name}` is given twice", arg.span, "", labels=(Label(found[name].span, "first here"),)
            )
        else:
            found[name] = arg
    return [found.get(name) for name in order]


def _resolve_attributes(names: Names, entity: Entity) -> None:
    decl: syntax.Enum = entity.decl
    firsts: dict[str, Span] = {}
    for attr in decl.attributes:
        first = firsts.setdefault(attr.name.id, attr.name.span)
        if first is not attr.name.span:
            names.report(
                "N202", f"`{attr.name.id}` is declared twice", attr.name.span, "the second time",
                labels=(Label(first, "the first is here"),),
            )  # fmt: skip
            names.attributes.update({(decl.name.id, a.name.id): boards.NO_ATTRIBUTE for a in decl.attributes})
            return
    kinds = [(attr.name, names.type_of(attr.type)) for attr in decl.attributes]
    columns: list[list[Any]] = [[] for _ in kinds]
    for member in decl.members:
        if len(member.args) != len(kinds):
            names.report(
                "G605", f"`{member.name.id}` needs {len(kinds)} value{'' if len(kinds) == 1 else 's'}, has {len(member.args)}",
                member.span, "", f"the attributes of {decl.name.id} are {', '.join(n.id for n, _ in kinds) or 'none'}",
                labels=(Label(decl.name.span, "declared here"),),
            )  # fmt: skip
            continue
        for (_, kind), arg, column in zip(kinds, _by_attribute(names, decl, member), columns, strict=True):
            if kind == UNKNOWN or arg is None:
                continue
            found = names.known(arg.value, kind, "a member's value")
            if found is not None:
                if not contains(kind, found[1]):
                    names.report("T307", f"{arg.value.span.text} is not within {describe(kind)}", arg.value.span)
                column.append(found[1])
    count = len(decl.members)
    for (name, kind), column in zip(kinds, columns, strict=True):
        complete = len(column) == count and kind != UNKNOWN
        table = core.Table(f"{decl.name.id}_{name.id}", ((0, count),), tuple(column))
        if complete and isinstance(kind, IntType):
            kind = IntType(min(column), max(column))
        names.attributes[(decl.name.id, name.id)] = boards.Attribute(kind if complete else UNKNOWN, table)


def _resolve_record(names: Names, entity: Entity) -> Type:
    decl: syntax.Record = entity.decl
    fields: list[tuple[str, Type]] = []
    for item in decl.fields:
        kind = names.type_of(item.type)
        if item.name.id in [name for name, _ in fields]:
            first = next(f.name.span for f in decl.fields if f.name.id == item.name.id)
            names.report(
                "N202", f"`{item.name.id}` is declared twice", item.name.span, "the second time",
                labels=(Label(first, "the first is here"),),
            )  # fmt: skip
        fields.append((item.name.id, kind))
    if any(kind == UNKNOWN for _, kind in fields):
        return UNKNOWN
    return RecordType(decl.name.id, tuple(fields))


def _resolve_board(names: Names, entity: Entity) -> Type:
    decl: syntax.Board = entity.decl
    key = decl.names[0].id
    if key not in names.shapes:
        shape = _shape(names, decl)
        if shape is None:
            return UNKNOWN
        names.shapes[key] = shape
        names.attributes.update(shape.attributes)
        for kind in shape.types:
            if kind.ordered:
                continue
            for position, word in enumerate(kind.members):
                names.place_spans[word] = decl.span
                other = names.entities.get(word)
                if other is not None:
                    names.report(
                        "N202", f"`{word}` is the name of a place", other.span, f"this {other.kind}",
                        "place names may not be used again", labels=(Label(decl.span, "the board is here"),),
                    )  # fmt: skip
                for enum, member in names.members.get(word, ()):
                    if names.entities.get(enum) is not None and names.entities[enum].kind == "enum":
                        names.report(
                            "N202", f"`{word}` is the name of a place", names.member_span(enum, member), f"a member of {enum}",
                            "place names may not be used again", labels=(Label(decl.span, "the board is here"),),
                        )  # fmt: skip
                names.members.setdefault(word, []).append((kind.name, position))
    types = names.shapes[key].types
    return types[[name.id for name in decl.names].index(entity.name)]


def _shape(names: Names, decl: syntax.Board) -> boards.Shape | None:
    call = decl.shape
    if not isinstance(call, syntax.Call) or not isinstance(call.fn, syntax.NameExpr):
        names.report("G603", "a board needs a shape", call.span, "", f"shapes are {', '.join(sorted(boards.SHAPES))}")
        return None
    make = boards.SHAPES.get(call.fn.id)
    if make is None:
        found = closest(call.fn.id, boards.SHAPES)
        hint = f"did you mean `{found}`?" if found else f"shapes are {', '.join(sorted(boards.SHAPES))}"
        names.report("G603", f"there is no board shape `{call.fn.id}`", call.fn.span, "not a shape", hint)
        return None
    numbers: list[int] = []
    named: dict[str, Any] = {}
    for arg in call.args:
        found_value = names.known(arg.value, None, "the size of a board")
        if found_value is None:
            return None
        if arg.name is not None:
            named[arg.name.id] = found_value[1]
        elif isinstance(found_value[0], IntType):
            numbers.append(found_value[1])
        else:
            names.report("G603", "the size of a board is a number", arg.value.span, f"this is `{found_value[0]}`")
            return None
    try:
        return make([name.id for name in decl.names], numbers, named)
    except boards.ShapeError as why:
        names.report("G603", "this board cannot be made", call.span, str(why))
        return None


def _resolve_param(names: Names, entity: Entity) -> tuple[Type, Any] | Type:
    decl: syntax.Param = entity.decl
    kind = names.type_of(decl.type)
    if kind == UNKNOWN:
        return UNKNOWN
    found = names.known(decl.default, kind, "the default of a parameter")
    if found is None:
        return UNKNOWN
    value = names.settings.get(entity.name, found[1])
    if not contains(kind, value):
        names.report("G604", f"`{entity.name}` cannot be {value}", decl.type.span, "outside its range")
        return UNKNOWN
    return kind, value


def _resolve_const(names: Names, entity: Entity) -> tuple[Type, Any] | Type:
    decl: syntax.Const = entity.decl
    want = names.type_of(decl.type) if decl.type is not None else None
    if want == UNKNOWN:
        return UNKNOWN
    found = names.known(decl.value, want, f"`{entity.name}`")
    if found is None:
        return UNKNOWN
    if isinstance(found[0], NothingType):
        hint = f"give it a type: `const {entity.name}: set[...] = {{}}`" if found[0].what != "none" else ""
        names.report("T310", f"nothing says what `{entity.name}` is", decl.value.span, "", hint)
        return UNKNOWN
    return (want or found[0], found[1])


RESOLVERS: dict[str, Callable[[Names, Entity], Any]] = {
    "attributes": _resolve_attributes,
    "enum": _resolve_enum,
    "record": _resolve_record,
    "board": _resolve_board,
    "param": _resolve_param,
    "const": _resolve_const,
}
