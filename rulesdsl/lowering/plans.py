"""Plans of actions: nested loops over chosen parameters, every guard as far out as it can stand."""

from __future__ import annotations

from typing import Union

from rulesdsl import core
from rulesdsl.lowering.walk import locals_of

Item = Union[core.Guard, core.ActionLet]


def plan(action: core.ActionInfo) -> tuple[core.PlanNode, ...]:
    """The nested loops that list an action's legal moves.

    Depth 0 is before all loops, depth k inside the loop of the k-th chosen parameter. A guard of an inner parameter alone goes
    into a filter that is worked out before the loops.
    """
    chosen = [c.name for c in action.chosen]
    needs = _dependencies(action)
    depth = {item.name: _depth(item, action, needs, chosen) for item in action.prelude}
    filters = {c.name: _filtered(action, position, needs, depth) for position, c in enumerate(action.chosen)}
    moved = {item for items in filters.values() for item in items}
    nodes: list[core.PlanNode] = [_node(item) for item in action.prelude if depth[item.name] == 0]
    for parameter in action.chosen:
        if filters[parameter.name]:
            kept = tuple(_node(item) for item in action.prelude if item.name in filters[parameter.name])
            nodes.append(core.PlanFilter(parameter.name, parameter.domain, kept))

    def inside(level: int) -> tuple[core.PlanNode, ...]:
        made: list[core.PlanNode] = []
        if level > 0:
            made += [_node(item) for item in action.prelude if depth[item.name] == level and item.name not in moved]
        if level == len(action.chosen):
            made.append(core.PlanMove())
        else:
            parameter = action.chosen[level]
            made.append(
                core.PlanLoop(parameter.name, parameter.domain, bool(filters[parameter.name]), inside(level + 1))
            )
        return tuple(made)

    return (*nodes, *inside(0))


def _node(item: Item) -> core.PlanNode:
    if isinstance(item, core.Guard):
        return core.PlanGuard(item.name, item.condition, item.span)
    return core.PlanBind(item.name, item.value)


def _dependencies(action: core.ActionInfo) -> dict[str, frozenset[str]]:
    """For each guard and let: the chosen parameters that it depends on, through lets and through what it relies on."""
    chosen = frozenset(c.name for c in action.chosen)
    found: dict[str, frozenset[str]] = {}
    for item in action.prelude:
        value = item.condition if isinstance(item, core.Guard) else item.value
        names = locals_of(value)
        total = names & chosen
        for other in (*names, *item.relies):
            total |= found.get(other, frozenset())
        found[item.name] = total
    return found


def _depth(item: Item, action: core.ActionInfo, needs: dict[str, frozenset[str]], chosen: list[str]) -> int:
    return max((chosen.index(name) + 1 for name in needs[item.name]), default=0)


def _filtered(
    action: core.ActionInfo, position: int, needs: dict[str, frozenset[str]], depth: dict[str, int]
) -> frozenset[str]:
    """The guards (and their lets) of a parameter that can be tested before the loops around it."""
    parameter = action.chosen[position]
    chosen = {c.name for c in action.chosen}
    if position == 0 or locals_of(parameter.domain) & chosen:
        return frozenset()
    alone = frozenset({parameter.name})
    kept: set[str] = set()
    for item in action.prelude:
        value = item.condition if isinstance(item, core.Guard) else item.value
        prior = {*locals_of(value), *item.relies} & set(needs)
        if needs[item.name] == alone and all(depth[name] == 0 or name in kept for name in prior):
            kept.add(item.name)
    guards = {item.name for item in action.prelude if isinstance(item, core.Guard)}
    if not kept & guards:
        return frozenset()
    later = [item for item in action.prelude if item.name not in kept and depth[item.name] > 0]
    shared = {
        name for item in later for name in locals_of(item.condition if isinstance(item, core.Guard) else item.value)
    }
    lets_shared = {name for name in kept & shared if name not in guards}
    return frozenset() if lets_shared else frozenset(kept)
