"""What decides whether a move is legal, and the sentence of a refusal: they may depend only on what the asked player sees."""

from __future__ import annotations

from rulesdsl import core
from rulesdsl.diagnostics import Label
from rulesdsl.naming.names import Names
from rulesdsl.secrecy.audiences import Secrets, aliases, renamed
from rulesdsl.types import OptionType, is_collection


def check_guards(program: core.Program, names: Names, secrets: Secrets) -> None:
    """Reports guards that give a secret away."""
    for action in program.actions:
        _check_action(action, secrets, names)


def _check_action(action: core.ActionInfo, secrets: Secrets, names: Names) -> None:
    looks: list[tuple[core.Expr, str]] = [(c.domain, "domain") for c in action.chosen]
    lets = tuple(core.Bind(i.name, i.value, i.span) for i in action.prelude if isinstance(i, core.ActionLet))
    alias = aliases(lets)
    for item in action.prelude:
        if isinstance(item, core.Guard):
            looks.append((item.condition, "guard"))
            looks.extend((part, "sentence") for part in item.sentence.parts if not isinstance(part, str))
        else:
            looks.append((item.value, "let"))
    for expr, what in looks:
        for read in secrets.reads(expr):
            if renamed(read.who, alias) == "me":
                continue
            info = secrets.fields[read.field]
            subject = "this `let` before the effects" if what == "let" else f"this {what}"
            whose = (
                f"private to `{read.who}`"
                if read.who
                else "private to each player"
                if info.visibility == "private"
                else "hidden from everybody"
            )
            entry = f"{read.field}{'[...]' if info.keys else ''}"
            public = f"`len({entry})` is public; what is in it is not"
            if isinstance(info.value, OptionType):
                public = f"whether `{entry} is some` is public; what it is is not"
            elif not is_collection(info.value):
                public = ""
            later = "in the effects everything may be read: put the `let` after the first `emit`, or into a `step`"
            remedies = (later,) if what == "let" else (public,) if public else ()
            labels = (Label(read.via, "read here"),) if read.via is not None else ()
            names.report(
                "V402",
                f"{subject} would give a secret away",
                read.span,
                f"{whose}; guards see what `me` sees",
                *remedies,
                labels=labels,
            )
