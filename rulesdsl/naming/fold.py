"""What is known before play: evaluates `core` expressions that read no state.

Used for constants, parameters, attributes of members, board sizes and first values. The generated code does not use it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from rulesdsl import core
from rulesdsl.types import BagType, IntType, ListType, OptionType, SetType, Type, describe, index_of, size, value_at


class NotKnown(Exception):
    """The expression depends on something that only play can tell, or fails; the message says which."""


class OutOfRange(NotKnown):
    """A known value that does not fit where it is put."""


def evaluate(expr: core.Expr, env: Mapping[str, Any] | None = None) -> Any:
    """The value, in internal form, of an expression whose locals are in `env`.

    Raises:
        NotKnown: it reads the state, calls a def, or fails.
    """
    return _Evaluator(dict(env or {})).value(expr)


def elements(kind: Type, value: Any) -> Iterator[Any]:
    """The elements of a collection in declared order: a bag gives each copy."""
    if isinstance(kind, SetType):
        index = 0
        while value:
            if value & 1:
                yield value_at(kind.item, index)
            value >>= 1
            index += 1
    elif isinstance(kind, BagType):
        for index, count in enumerate(value):
            for _ in range(count):
                yield value_at(kind.item, index)
    else:
        yield from value


def _arith(op: str, a: int, b: int) -> int:
    if op in ("floordiv", "mod") and b == 0:
        raise NotKnown("division by 0")
    return {
        "add": lambda: a + b,
        "sub": lambda: a - b,
        "mul": lambda: a * b,
        "floordiv": lambda: a // b,
        "mod": lambda: a % b,
    }[op]()


_COMPARE: dict[str, Callable[[Any, Any], bool]] = {
    "eq": lambda a, b: bool(a == b),
    "ne": lambda a, b: bool(a != b),
    "lt": lambda a, b: bool(a < b),
    "le": lambda a, b: bool(a <= b),
    "gt": lambda a, b: bool(a > b),
    "ge": lambda a, b: bool(a >= b),
}

_SETS: dict[str, Callable[[int, int], Any]] = {
    "set_union": lambda a, b: a | b,
    "set_inter": lambda a, b: a & b,
    "set_diff": lambda a, b: a & ~b,
    "set_le": lambda a, b: not a & ~b,
    "set_lt": lambda a, b: not a & ~b and a != b,
}


class _Evaluator:
    def __init__(self, env: dict[str, Any]) -> None:
        self.env = env

    def value(self, expr: core.Expr) -> Any:
        if isinstance(expr, core.Const):
            return expr.value
        if isinstance(expr, core.Local):
            if expr.name not in self.env:
                raise NotKnown(f"`{expr.name}` is only known in play")
            return self.env[expr.name]
        if isinstance(expr, core.Checked):
            value = self.value(expr.expr)
            if not expr.lo <= value <= expr.hi:
                raise OutOfRange(f"{value} is not within {describe(IntType(expr.lo, expr.hi))}")
            return value
        if isinstance(expr, core.LetIn):
            self.env[expr.name] = self.value(expr.value)
            return self.value(expr.body)
        if isinstance(expr, core.IfSome):
            value = self.value(expr.value)
            if value is None:
                return None
            self.env[expr.name] = value
            return self.value(expr.body)
        if isinstance(expr, core.Comp):
            return self.comprehension(expr)
        if isinstance(expr, core.Op):
            return self.operation(expr)
        raise NotKnown("it depends on the state of a game")

    def comprehension(self, expr: core.Comp) -> Any:
        found = list(
            self.walk(expr.clauses, 0, lambda: (self.value(expr.key) if expr.key else None, self.value(expr.element)))
        )
        items = [item for _, item in found]
        kind = expr.kind
        if kind == "any":
            return any(items)
        if kind == "all":
            return all(items)
        if kind == "sum":
            return sum(items)
        if kind == "count":
            return len(items)
        if kind == "min":
            return min(items, default=None)
        if kind == "max":
            return max(items, default=None)
        if kind == "first":
            return items[0] if items else None
        if kind == "map":
            assert not isinstance(expr.type, (SetType, OptionType))
            key_type, value_of = expr.type.key, dict(found)  # type: ignore[union-attr]
            return tuple(value_of[value_at(key_type, i)] for i in range(size(key_type) or 0))
        return self.collect(expr.type, items)

    def walk(self, clauses: tuple[core.Clause, ...], depth: int, leaf: Callable[[], Any]) -> Iterator[Any]:
        if depth == len(clauses):
            yield leaf()
            return
        clause = clauses[depth]
        for item in elements(clause.source.type, self.value(clause.source)):
            self.env[clause.var] = item
            if clause.condition is None or self.value(clause.condition):
                yield from self.walk(clauses, depth + 1, leaf)

    def collect(self, kind: Type, items: list[Any]) -> Any:
        if isinstance(kind, SetType):
            mask = 0
            for item in items:
                mask |= 1 << index_of(kind.item, item)
            return mask
        if isinstance(kind, BagType):
            counts = [0] * (size(kind.item) or 0)
            for item in items:
                counts[index_of(kind.item, item)] += 1
            return tuple(counts)
        if isinstance(kind, ListType) and len(items) > kind.limit:
            raise NotKnown(f"a list of {len(items)} does not fit in {kind}")
        return tuple(items)

    def operation(self, expr: core.Op) -> Any:
        op = expr.op
        if op == "and":
            return self.value(expr.args[0]) and self.value(expr.args[1])
        if op == "or":
            return self.value(expr.args[0]) or self.value(expr.args[1])
        if op == "if":
            return self.value(expr.args[1] if self.value(expr.args[0]) else expr.args[2])
        if op == "or_else":
            first = self.value(expr.args[0])
            return self.value(expr.args[1]) if first is None else first
        args = [self.value(arg) for arg in expr.args]
        kinds = [arg.type for arg in expr.args]
        if op in ("add", "sub", "mul", "floordiv", "mod"):
            return _arith(op, args[0], args[1])
        if op in _COMPARE:
            return _COMPARE[op](args[0], args[1])
        if op in _SETS:
            return _SETS[op](args[0], args[1])
        if op.startswith("bag_") or op in ("distinct", "to_set"):
            return self.bags(op, args, kinds, expr)
        return self.others(op, args, kinds, expr)

    def bags(self, op: str, args: list[Any], kinds: list[Type], expr: core.Op) -> Any:
        if op == "bag_of":
            return self.collect(expr.type, args)
        if op == "bag_counts":
            assert isinstance(expr.type, BagType)
            counts = [0] * (size(expr.type.item) or 0)
            for index, count in zip(expr.data, args, strict=True):
                counts[index] = count
            return tuple(counts)
        if op == "bag_from":
            return self.collect(expr.type, list(elements(kinds[0], args[0])))
        if op == "to_set":
            return self.collect(expr.type, list(elements(kinds[0], args[0])))
        if op == "distinct":
            return sum(1 << i for i, n in enumerate(args[0]) if n)
        if op in ("bag_count", "bag_has"):
            assert isinstance(kinds[0], BagType)
            count = args[0][index_of(kinds[0].item, args[1])]
            return count if op == "bag_count" else count > 0
        if op in ("bag_le", "bag_lt"):
            inside = all(a <= b for a, b in zip(args[0], args[1], strict=True))
            return inside and (op == "bag_le" or args[0] != args[1])
        if op == "bag_scale":
            result = tuple(n * args[1] for n in args[0])
        elif op in ("bag_add", "bag_remove"):
            assert isinstance(kinds[0], BagType)
            change = [0] * len(args[0])
            change[index_of(kinds[0].item, args[1])] = 1 if op == "bag_add" else -1
            result = tuple(a + b for a, b in zip(args[0], change, strict=True))
        else:
            sign = 1 if op == "bag_plus" else -1
            result = tuple(a + sign * b for a, b in zip(args[0], args[1], strict=True))
        if any(not 0 <= n <= 255 for n in result):
            raise NotKnown("a count in a bag must stay within 0..255")
        return result

    def others(self, op: str, args: list[Any], kinds: list[Type], expr: core.Op) -> Any:
        if op in ("some", "unwrap", "cast"):
            return args[0]
        if op == "neg":
            return -args[0]
        if op == "abs":
            return abs(args[0])
        if op in ("least", "greatest"):
            return min(args) if op == "least" else max(args)
        if op == "not":
            return not args[0]
        if op in ("is_some", "is_none"):
            return (args[0] is None) == (op == "is_none")
        if op in ("record", "map_of"):
            return tuple(args)
        if op == "get":
            return args[0][expr.data]
        if op == "table":
            return self.lookup(expr.data, args)
        if op == "range":
            return self.collect(expr.type, list(range(args[0], args[1] + 1)))
        if op == "set_of":
            return self.collect(expr.type, args)
        if op in ("set_has", "set_add", "set_remove", "set_minus"):
            return self.members(op, args, kinds)
        if op in ("len", "nonempty"):
            count = sum(1 for _ in elements(kinds[0], args[0]))
            return count if op == "len" else count > 0
        if op == "map_get":
            return args[0][index_of(kinds[0].key, args[1])]  # type: ignore[union-attr]
        if op == "seats_from":
            seats = size(kinds[0]) or 1
            return tuple((args[0] + i) % seats for i in range(seats))
        return self.lists(op, args, expr)

    def lists(self, op: str, args: list[Any], expr: core.Op) -> Any:
        if op == "list_of":
            return self.collect(expr.type, args)
        if op in ("list_append", "list_concat"):
            added = (args[1],) if op == "list_append" else args[1]
            return self.collect(expr.type, [*args[0], *added])
        if op == "list_get":
            if not -len(args[0]) <= args[1] < len(args[0]):
                raise NotKnown("the list has no such element")
            return args[0][args[1]]
        if op == "list_slice":
            return args[0][args[1] : args[2]]
        if op == "list_top":
            return args[0][-1] if args[0] else None
        if op == "list_has":
            return args[1] in args[0]
        raise NotKnown(f"`{op}` is only done in play")

    def members(self, op: str, args: list[Any], kinds: list[Type]) -> Any:
        assert isinstance(kinds[0], SetType)
        bits = args[1] if op == "set_minus" else 1 << index_of(kinds[0].item, args[1])
        if op == "set_has":
            return bool(args[0] & bits)
        if op == "set_add":
            return args[0] | bits
        if bits & ~args[0]:
            raise NotKnown("something is taken away that is not there")
        return args[0] & ~bits

    @staticmethod
    def lookup(table: core.Table, args: list[Any]) -> Any:
        index = 0
        for (lo, count), arg in zip(table.dims, args, strict=True):
            if not lo <= arg < lo + count:
                return table.outside
            index = index * count + (arg - lo)
        return table.values[index]
