"""Public parameters of events that tell everybody what is then kept where others do not see it: most often a forgotten mark.

A card that is drawn from a hidden deck and put into a private hand, a bid that is kept in a private field: if the event has
it as a public parameter, everybody sees it all the same. That is allowed, since a game may show something before it is put
away; it is a warning, unless the parameter is marked `public`. What is counted or computed (how many cards change hands) is
no card, and no warning.
"""

from __future__ import annotations

from collections.abc import Mapping

from attrs import define, field

from rulesdsl import core, syntax
from rulesdsl.diagnostics import Label
from rulesdsl.naming.names import Names
from rulesdsl.secrecy.audiences import place_of, renamed
from rulesdsl.secrecy.carried import Carried
from rulesdsl.secrecy.keeping import Keeping, Kept
from rulesdsl.secrecy.untold import ANSWER, WHAT, Untold


@define(eq=False)
class Telling:
    """Looks at each `emit` of a program."""

    program: core.Program
    names: Names
    kept: Mapping[str, Kept]
    told: set[tuple[str, str]] = field(factory=set)

    def look(self, stmt: core.EmitStmt, carried: Carried[Untold], alias: Mapping[str, str | None]) -> None:
        """Reports public parameters that need a mark, each once."""
        event = self.program.event(stmt.event)
        args = dict(zip((p.name for p in event.params), stmt.args, strict=True))
        for node, param in zip(nodes_of(self.names, event.name), event.params, strict=True):
            kept = self.kept[event.name].in_secret.get(param.name)
            if kept is None or node.public or param.audience is not None or (event.name, param.name) in self.told:
                continue
            kinds = {token.kind for token in carried.of(args[param.name])}
            if kinds == {ANSWER} and not self.only_mine(kept, args, alias):
                continue
            if kinds:
                self.told.add((event.name, param.name))
                self.report(node, kept, args[param.name], min(kinds, key=list(WHAT).index))

    @staticmethod
    def only_mine(kept: Keeping, args: Mapping[str, core.Expr], alias: Mapping[str, str | None]) -> bool:
        """Whether an answer is kept for nobody but the player who gave it."""
        places = {name: renamed(place_of(arg), alias) for name, arg in args.items()}
        return all(owner is None or renamed(owner, places) == "me" for owner in kept.owners)

    def report(self, node: syntax.Parameter, kept: Keeping, arg: core.Expr, kind: str) -> None:
        name = node.name.id
        info = next(f for f in self.program.fields if f.name == kept.store.field)
        mark = f"private to {' and '.join(kept.seen)}" if kept.seen else "hidden"
        self.names.report(
            "W905", f"everybody would see `{name}`, which is then kept in a {info.visibility} field", node.span,
            "a public parameter",
            f"if not all may see it, write `{node.span.text} {mark}`; if all may, say so: `{node.span.text} public`",
            labels=(Label(kept.store.span, "kept here"), Label(arg.span, WHAT[kind])), severity="warning",
        )  # fmt: skip


def nodes_of(names: Names, event: str) -> tuple[syntax.Parameter, ...]:
    """The parameters of an event as they are written."""
    decl = names.entities[event].decl
    assert isinstance(decl, syntax.Event)
    return decl.params
