"""What no event has told: secrets, drawn outcomes and answers. Each is found in values by `carried`."""

from __future__ import annotations

from attrs import frozen

SECRET, OUTCOME, ANSWER = "a secret", "an outcome", "an answer"
WHAT = {
    SECRET: "not everybody sees where this value comes from",
    OUTCOME: "nobody sees a drawn outcome until an event tells it",
    ANSWER: "nobody else sees an answer until an event tells it",
}


@frozen(order=True)
class Untold:
    """`kind`: a secret, an outcome or an answer. Of a secret: the field that it comes from, and the player whose entry that is
    as `place_of` writes it, empty for nobody in particular."""

    kind: str
    field: str = ""
    who: str = ""


Tokens = frozenset[Untold]
