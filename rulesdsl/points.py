"""What an instrumented program counts: how often each of its points was come to, and with which outcome.

    loaded = load("games/atlanteon.rules", instrumented=True)
    loaded.points                     # what is counted: a `Point` each
    loaded.module.COUNTS              # how often: a list of ints, one for each point, to be read or set to 0
    found = reached(loaded)           # {point: count}

An instrumented program plays the same game by the same moves, more slowly: defs are called and not put in place, guards
are tried one after the other. Without `instrumented` nothing is counted and nothing is paid. The counts belong to the
loaded module, which a process keeps; whoever wants those of one run sets them to 0 first (`reset`).

| kind       | clause                          | outcomes     | counted when                                            |
| ---------- | ------------------------------- | ------------ | ------------------------------------------------------- |
| clause     | `def x`, `event X`, `action x`, `flow x`, `step x.y`, `measure x`, `invariant "..."`, `transition "..."` | - | it begins |
| guard      | `require x.y`                   | true, false  | it is asked, for a move that is listed or tried         |
| branch     | the clause it stands in         | true, false  | a condition is decided: `if` in statements and values, `while`, `if` of `for` and `turns` |
| loop       | the clause it stands in         | -            | the body of a loop begins a turn                        |
| answer     | the flow or action that asks    | -            | a question is answered by the action that `span` offers |
| pass       | the flow or action that asks    | -            | a question is passed                                    |
| otherwise  | the flow or action that asks    | -            | nothing is legal, and the question's `otherwise` begins |
| draw       | the flow or action that draws   | -            | an outcome is drawn                                     |

A step's own clause is named where the step begins; branches, loops and questions inside it name the flow, and their `span`
tells where in it they stand. What parameters decide before play has no points.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import ModuleType
from typing import Any, Protocol

from attrs import field, frozen

from rulesdsl.diagnostics import Span

CLAUSE = "clause"
GUARD = "guard"
BRANCH = "branch"
LOOP = "loop"
ANSWER = "answer"
PASS = "pass"
OTHERWISE = "otherwise"
DRAW = "draw"
WITH_OUTCOMES = (GUARD, BRANCH)


@frozen
class Point:
    """One thing that is counted. `outcome`: True or False for a condition, None for what is only come to."""

    kind: str
    clause: str
    span: Span = field(repr=False)
    outcome: bool | None = None

    @property
    def place(self) -> str:
        """`file:line`."""
        return f"{self.span.source.name}:{self.span.line}"


class Instrumented(Protocol):
    """A program loaded with `instrumented=True`."""

    @property
    def module(self) -> ModuleType: ...
    @property
    def points(self) -> tuple[Point, ...]: ...


def reached(loaded: Instrumented) -> Mapping[Point, int]:
    """How often each point was come to, since the program was loaded or its counts were set to 0."""
    return dict(zip(loaded.points, loaded.module.COUNTS, strict=True))


def reset(loaded: Instrumented) -> None:
    """Set all counts to 0."""
    loaded.module.COUNTS[:] = [0] * len(loaded.points)


class Points:
    """The points of a program while its code is written. What stands at one place of the rules is one point, however often
    the back end writes it."""

    def __init__(self) -> None:
        self.found: dict[tuple[Any, ...], int] = {}
        self.points: list[Point] = []

    def number(self, kind: str, clause: str, span: Span) -> int:
        """The number of a point; of a condition, that of its true outcome, the false one comes next."""
        key = (kind, clause, span.source.name, span.start, span.end)
        if key not in self.found:
            self.found[key] = len(self.points)
            outcomes = (True, False) if kind in WITH_OUTCOMES else (None,)
            self.points += [Point(kind, clause, span, outcome) for outcome in outcomes]
        return self.found[key]
