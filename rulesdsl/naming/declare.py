"""Entering the declarations of a program: each name once, members, seats."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rulesdsl import boards, core, syntax
from rulesdsl.diagnostics import Label, Source, Span
from rulesdsl.naming.names import BUILT_IN_TYPES, FUNCTIONS, MAX_SEATS, SPECIAL, Entity, Names
from rulesdsl.naming.resolve import RESOLVERS
from rulesdsl.types import EnumType, IntType


def collect(source: Source, module: syntax.Module, settings: Mapping[str, Any], seats: int | None) -> Names:
    """Enter all declarations of a module. Reports what is declared twice or takes a built-in name."""
    names = Names(source, module, settings, seats)
    names.resolvers = dict(RESOLVERS)
    for decl in module.declarations:
        if isinstance(decl, syntax.Game):
            if names.game is not None:
                first = Label(names.game.span, "the first is here")
                names.report("G601", "a file holds one game", decl.span, "a second `game`", labels=(first,))
            else:
                names.game = decl
        elif isinstance(decl, syntax.State):
            for item in decl.fields:
                _enter(names, "field", item.name, item)
        elif isinstance(decl, syntax.Board):
            for name in decl.names:
                _enter(names, "board", name, decl)
        elif hasattr(decl, "name"):
            _enter(names, type(decl).__name__.lower(), decl.name, decl)
    _seats(names)
    for decl in module.declarations:
        if isinstance(decl, syntax.Enum):
            _members(names, decl)
    return names


def _enter(names: Names, kind: str, name: syntax.Name, decl: Any) -> None:
    if name.id in FUNCTIONS or name.id in SPECIAL or name.id in BUILT_IN_TYPES:
        names.report("N207", f"`{name.id}` is a word of the language", name.span, "choose another name")
        names.misnamed.add(name.id)
        return
    first = names.entities.get(name.id)
    if first is not None:
        label = Label(first.span, f"the {first.kind} is here")
        names.report(
            "N202", f"`{name.id}` is declared twice", name.span, "the second time", "give one of the two another name",
            labels=(label,),
        )  # fmt: skip
        return
    names.entities[name.id] = Entity(kind, name.id, name.span, decl)


def _members(names: Names, decl: syntax.Enum) -> None:
    seen: dict[str, Span] = {}
    for position, member in enumerate(decl.members):
        word = member.name.id
        if word in seen:
            names.report(
                "N202",
                f"`{word}` is declared twice",
                member.name.span,
                "the second time",
                labels=(Label(seen[word], "the first is here"),),
            )
            continue
        seen[word] = member.name.span
        other = names.entities.get(word)
        if other is not None:
            here, there = (member.name.span, f"a member of {decl.name.id}"), (other.span, f"the {other.kind}")
            first, second = sorted((here, there), key=lambda place: place[0].start)
            names.report(
                "N202", f"`{word}` is declared twice", second[0], f"{second[1]}, the second time",
                "a member may share its name with a member of another enum, not with anything else",
                labels=(Label(first[0], f"{first[1]} is here"),),
            )  # fmt: skip
        if word in FUNCTIONS or word in SPECIAL:
            names.report("N207", f"`{word}` is a word of the language", member.name.span, "choose another name")
        if (decl.name.id, position) not in names.members.setdefault(word, []):
            names.members[word].append((decl.name.id, position))


def _seats(names: Names) -> None:
    game = names.game
    if game is None:
        span = Span(names.source, 0, min(1, len(names.source.text)))
        names.report("G601", "the file declares no game", span, "", "begin with `game NAME:` and its `players`")
        return
    if game.seats:
        if len({s.id for s in game.seats}) != len(game.seats):
            names.report("N202", "a seat is named twice", game.seats[-1].span)
        members = tuple(seat.id for seat in game.seats)
    else:
        low, high = seat_range(names)
        count = names.seats if names.seats is not None else low
        names.empty_seats = frozenset(f"player{i}" for i in range(count, min(high, MAX_SEATS)))
        members = tuple(f"player{i}" for i in range(max(1, min(count, MAX_SEATS))))
    names.player = EnumType("Player", members, kind="player")
    for position, word in enumerate(members):
        entity = names.entities.get(word)
        if entity is not None:
            where = game.seats[position].span if game.seats else game.span
            label = Label(entity.span, f"the {entity.kind} is here")
            names.report("N202", f"`{word}` is declared twice", where, "a seat", labels=(label,))
        names.members.setdefault(word, []).append(("Player", position))
    count = len(members)
    shift = tuple((i + 1) % count for i in range(count))
    back = tuple((i - 1) % count for i in range(count))
    for attr, values in (("next", shift), ("previous", back)):
        table = core.Table(f"Player_{attr}", ((0, count),), values)
        names.attributes[("Player", attr)] = boards.Attribute(names.player, table)
    seat = core.Table("Player_seat", ((0, count),), tuple(range(count)))
    names.attributes[("Player", "seat")] = boards.Attribute(IntType(0, count - 1), seat)


def seat_range(names: Names) -> tuple[int, int]:
    """The least and the greatest number of seats that the game allows."""
    game = names.game
    if game is None:
        return 2, 2
    if game.seats:
        return len(game.seats), len(game.seats)
    node = game.seat_count
    if node is None:
        names.report(
            "G602", "the game does not say who plays", game.span, "", "add `players 2..4` or `players white, black`"
        )
        return 2, 2
    if isinstance(node, syntax.RangeExpr) and isinstance(node.lo, syntax.IntLit) and isinstance(node.hi, syntax.IntLit):
        low, high = node.lo.value, node.hi.value
    elif isinstance(node, syntax.IntLit):
        low = high = node.value
    else:
        names.report(
            "G602", "the number of players is a number or a range", node.span, "", "for example `players 2..4`"
        )
        return 2, 2
    if not 1 <= low <= high <= MAX_SEATS:
        names.report("G602", f"a game has 1 to {MAX_SEATS} players, the smaller number first", node.span)
        return 2, 2
    return low, high
