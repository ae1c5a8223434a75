"""The records of a log, as values: what its lines say. `lines` writes and reads them, `docs/log-format.md` specifies them."""

from __future__ import annotations

from typing import Any, Union

from attrs import frozen

FORMAT = "rulesdsl-log/2"
FORMATS = ("rulesdsl-log/1", FORMAT)
"""The format that is written, and all that are read."""

LANGUAGE = "1"

Plain = dict[str, Any]


@frozen
class Origin:
    """Where a log comes from that was made from another one by `migrate`.

    `hash`: the last hash of that log; `digest`: of the program that it was played with; `renamed`: what has a new name.
    """

    hash: str
    digest: str
    renamed: Plain


@frozen
class Header:
    """The first line: which rules, which parameters, which seats.

    `digest` is the program's, `rules` its full text by file name (left out if not embedded), `params` the values of all
    parameters and `params_digest` their digest. `seed` chooses outcomes as they are first drawn; views never show it.
    `humans` are the seats of people.
    """

    format: str
    language: str
    game: str
    digest: str
    params: Plain
    seats: tuple[str, ...]
    variants: tuple[str, ...] = ()
    humans: tuple[str, ...] = ()
    seed: str | None = None
    rules: dict[str, str] | None = None
    params_digest: str = ""
    origin: Origin | None = None
    hash: str = ""


@frozen
class LoggedEvent:
    event: str
    arguments: Plain


@frozen
class LoggedDraw:
    draw: str
    outcome: Any


Happening = Union[LoggedEvent, LoggedDraw]


@frozen
class LoggedMove:
    """An action and its chosen arguments; `pass` has none."""

    action: str
    arguments: Plain


@frozen
class Start:
    """The set-up: what was drawn and what happened until the first player was asked. `state`: the digest of the state then.

    `reveals`: which of `then` are events that showed somebody what was private or hidden, counted from 0. `more`: the next
    record was written together with this one; a log that ends here is torn. (So it is in every record.)
    """

    n: int
    then: tuple[Happening, ...]
    state: str
    reveals: tuple[int, ...] = ()
    more: bool = False
    hash: str = ""


@frozen
class Answer:
    """An answered question: who was asked what, the answer, and what followed until the next player was asked.

    `automatic`: a pass that the machine answered, since nothing was legal. `state`, `reveals`: as in `Start`.
    """

    n: int
    seat: str
    asked: tuple[str, ...]
    answer: LoggedMove
    then: tuple[Happening, ...]
    state: str
    automatic: bool = False
    reveals: tuple[int, ...] = ()
    more: bool = False
    hash: str = ""


@frozen
class Undo:
    """Back to the position after record `to`. `analyst`: across what players may not cross; `crossed` says what that was."""

    n: int
    to: int
    seat: str | None = None
    analyst: bool = False
    crossed: str = ""
    more: bool = False
    hash: str = ""


@frozen
class Redo:
    """Forward again to the position after record `to`, which was undone."""

    n: int
    to: int
    seat: str | None = None
    more: bool = False
    hash: str = ""


@frozen
class Branch:
    """On from the position after any earlier record."""

    n: int
    to: int
    more: bool = False
    hash: str = ""


@frozen
class Attempt:
    """An answer that the rules failed at: not part of the match. `seat` None: the set-up. `draws`: the outcomes until then."""

    seat: str | None
    answer: LoggedMove | None
    draws: tuple[LoggedDraw, ...]
    error: str


@frozen
class Note:
    """A remark, or an `attempt`."""

    n: int
    text: str
    attempt: Attempt | None = None
    more: bool = False
    hash: str = ""


@frozen
class End:
    """The result. `count`: the lines before this one; `whole`: the digest of all their bytes."""

    n: int
    winners: tuple[str, ...]
    scores: dict[str, int] | None
    count: int
    whole: str
    more: bool = False
    hash: str = ""


Record = Union[Start, Answer, Undo, Redo, Branch, Note, End]

KINDS: dict[str, type[Any]] = {
    "start": Start,
    "answer": Answer,
    "undo": Undo,
    "redo": Redo,
    "branch": Branch,
    "note": Note,
    "end": End,
}
KIND_OF = {cls: kind for kind, cls in KINDS.items()}
