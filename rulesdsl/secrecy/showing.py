"""Public parameters of events that show everybody a secret, and change nothing by it: most often a forgotten mark.

A player looks at a rival's card, or at the top of the deck, and the event that tells it has the card as a public parameter.
Cards are played, turned, discarded and laid down in the open all the time, so much is no warning: one's own card, which the
player who acts may well show; what the event takes from where it was, or by which it changes something; what another event
of the same move tells rightly, or of the answer that a tile is handed on to; the last words of a game. What is left is a value from a place that is hidden, or private to
somebody else than the player who acts; or one's own that is told to somebody who is named beside, and not used at all.

And options that are private to somebody, though all see whether they are there: no secret should decide about that.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from attrs import define, field

from rulesdsl import core
from rulesdsl.diagnostics import Label, Span
from rulesdsl.lowering.walk import children, exprs_of, statements
from rulesdsl.naming.names import Names
from rulesdsl.secrecy.audiences import Audience, place_of, renamed
from rulesdsl.secrecy.carried import Carried
from rulesdsl.secrecy.keeping import Kept
from rulesdsl.secrecy.telling import nodes_of
from rulesdsl.secrecy.untold import SECRET, Untold
from rulesdsl.types import OptionType


@define(eq=False)
class Showing:
    """Looks at each `emit` of a flow or an action, after `begin`."""

    program: core.Program
    names: Names
    kept: Mapping[str, Kept]
    last: frozenset[Span]
    """Emits that are followed by the end of the game."""
    acts: bool = False
    seats_in_turn: frozenset[str] = frozenset()
    """Loop variables that are one player after the other."""
    in_the_open: frozenset[str] = frozenset()
    """Locals that an event tells everybody with good reason."""
    judged: frozenset[str] = frozenset()
    """Locals that decide about something in the open, as the rules say."""
    asked: frozenset[str] = frozenset()
    """Locals that a question hands on."""
    told: set[tuple[str, str]] = field(factory=set)
    open_params: set[tuple[str, str]] = field(factory=set)
    """Parameters of flows and given ones of actions that an event there tells everybody with good reason."""

    def begin(self, body: core.Body, *, acts: bool) -> None:
        """A flow, or an action (`acts`), whose emits are looked at next."""
        self.acts = acts
        players, asked, judged = set[str](), set[str](), set[str]()
        for stmt in statements(body):
            if isinstance(stmt, core.ForStmt) and stmt.var_type == self.program.player:
                players.add(stmt.var)
            if isinstance(stmt, core.AskStmt):
                asked |= _locals(exprs_of(stmt))
            elif not isinstance(stmt, (core.Bind, core.EmitStmt)):
                judged |= _locals(exprs_of(stmt))
        self.seats_in_turn, self.asked = frozenset(players), frozenset(asked)
        self.judged, self.in_the_open = frozenset(judged), self.open_in(body)

    def __attrs_post_init__(self) -> None:
        owners = [(flow.name, flow.params, flow.body or ()) for flow in self.program.flows]
        owners += [(action.name, action.given, action.effects or ()) for action in self.program.actions]
        before = -1
        while before != len(self.open_params):
            before = len(self.open_params)
            for name, params, body in owners:
                found = self.open_in(body)
                self.open_params |= {(name, param.name) for param in params if param.name in found}

    def open_in(self, body: core.Body) -> frozenset[str]:
        """The locals that are told everybody with good reason: by an event here, or wherever they are handed on."""
        found: set[str] = set()
        for stmt in statements(body):
            if isinstance(stmt, core.EmitStmt):
                found |= self.told_rightly(stmt)
            elif isinstance(stmt, core.CallFlow):
                params = self.program.flow(stmt.flow).params
                found |= self.handed_on(stmt.flow, params, stmt.args)[0]
            elif isinstance(stmt, core.AskStmt):
                ways = [self.handed_on(o.action, self.program.action(o.action).given, o.given) for o in stmt.offers]
                found |= set().union(*(way[0] for way in ways)) - set().union(*(way[1] for way in ways))
        return frozenset(found)

    def handed_on(
        self, owner: str, params: tuple[core.ParamInfo, ...], args: tuple[core.Expr, ...]
    ) -> tuple[set[str], set[str]]:
        """The locals that a flow or an action gets and tells everybody, and those that it gets and does not."""
        told, kept = set[str](), set[str]()
        for param, arg in zip(params, args, strict=True):
            (told if (owner, param.name) in self.open_params else kept).update(_locals([arg]))
        return told, kept - told

    def told_rightly(self, stmt: core.EmitStmt) -> set[str]:
        """The locals in public arguments that are marked so, or by which the event changes something in the open."""
        kept, found = self.kept[stmt.event], set[str]()
        params = self.program.event(stmt.event).params
        for node, param, arg in zip(nodes_of(self.names, stmt.event), params, stmt.args, strict=True):
            changes = param.name in kept.used and param.name not in kept.in_secret
            if param.audience is None and (node.public or changes):
                found |= _locals([arg])
        return found

    def look(self, stmt: core.EmitStmt, carried: Carried[Untold], alias: Mapping[str, str | None]) -> None:
        """Reports public parameters that need a mark, each once."""
        event, kept = self.program.event(stmt.event), self.kept[stmt.event]
        if stmt.span in self.last:
            return
        seats = dict(self.players(event, stmt.args, alias))
        for node, param, arg in zip(nodes_of(self.names, event.name), event.params, stmt.args, strict=True):
            if node.public or param.audience is not None or param.name in kept.used or (event.name, param.name) in self.told:
                continue
            secrets = [s for s in carried.of(arg) if s.kind == SECRET and s.field not in kept.changed]
            for secret in sorted(s for s in secrets if self.is_slip(s, arg, seats)):
                self.told.add((event.name, param.name))
                self.report(event, node.span, secret, arg, tuple(seats))
                break

    def look_at_backs(self, stmt: core.EmitStmt, back: Callable[[core.Expr], Audience]) -> None:
        """Reports options that not all may see, though all see whether they are there, and a secret decides about that."""
        event = self.program.event(stmt.event)
        for param, arg in zip(event.params, stmt.args, strict=True):
            if param.audience is None or not isinstance(param.type, OptionType) or (event.name, param.name) in self.told:
                continue
            seen = back(arg)
            if seen is None or stmt.span in self.last or (self.acts and "me" in seen):
                continue
            self.told.add((event.name, param.name))
            self.names.report(
                "W907", f"everybody would see whether there is one in `{param.name}`, which a secret decides", arg.span,
                "a secret decides whether this is there",
                "if all may see it, ask `is some` first: emit one event where it is there, and another where it is not",
                "if not, pass a value that is always there",
                labels=(Label(param.span, "not all may see it, but all see whether it is there"),), severity="warning",
            )  # fmt: skip

    def players(
        self, event: core.EventInfo, args: tuple[core.Expr, ...], alias: Mapping[str, str | None]
    ) -> Iterator[tuple[str, str | None]]:
        """The players that everybody sees in an event, and who they are."""
        for param, arg in zip(event.params, args, strict=True):
            if param.type == self.program.player and param.audience is None:
                yield param.name, renamed(place_of(arg), alias)

    def is_slip(self, secret: Untold, arg: core.Expr, seats: Mapping[str, str | None]) -> bool:
        """Whether a secret is most likely shown by mistake."""
        used = _locals([arg])
        if used & self.in_the_open:
            return False
        hidden = next(f for f in self.program.fields if f.name == secret.field).visibility == "hidden"
        to_another = any(who is not None and who != secret.who for who in seats.values())
        to_one_of_several = to_another and (hidden or len(self.program.player.members) > 2)
        if not self.acts:
            return (hidden or bool(secret.who)) and to_one_of_several and not used & self.judged
        if hidden:
            return True
        if secret.who == "me":
            return to_one_of_several and not used & (self.judged | self.asked)
        return bool(secret.who) and (to_another or secret.who not in self.seats_in_turn)

    def report(
        self, event: core.EventInfo, span: Span, secret: Untold, arg: core.Expr, players: tuple[str, ...]
    ) -> None:
        info = next(f for f in self.program.fields if f.name == secret.field)
        place = f"{info.name}[{secret.who or '...'}]" if info.keys else info.name
        whose = f"private to `{secret.who}`" if info.visibility == "private" else "hidden from everybody"
        mark = f"write `{span.text} private to {' and '.join(players)}`"
        if not players:
            mark = f"give `{event.name}` the player who may, `by: Player`, and write `{span.text} private to by`"
        self.names.report(
            "W907", f"everybody would see `{span.text.partition(':')[0]}`, which comes from `{place}`", span,
            "a public parameter, which changes nothing",
            f"if not all may see it, {mark}; if all may, say so: `{span.text} public`",
            labels=(Label(arg.span, whose), Label(info.span, f"{info.visibility} field")), severity="warning",
        )  # fmt: skip


def _locals(exprs: Iterable[core.Expr]) -> set[str]:
    """The locals that expressions look at, more than whether they are there."""
    found: set[str] = set()
    for expr in exprs:
        if isinstance(expr, core.Op) and expr.op in ("is_some", "is_none") and isinstance(expr.args[0], core.Local):
            continue
        if isinstance(expr, core.Local):
            found.add(expr.name)
        found |= _locals(children(expr))
    return found
