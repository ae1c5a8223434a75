"""Small programs that the tests of the machine play."""

from __future__ import annotations

from functools import cache

from interpreter import Game

DUEL = """\
## A small game with all that Atlanteon lacks: draws, secrets, passes. [§1]
game duel:
    title "Duel"
    players ana, bob
    rulebook "duel.rulebook.md"

param rounds: 1..5 = 3
param hand_size: 0..3 = 2

enum Card(power: 1..3):
    ace(3), jack(2), two(1)

state:
    hidden deck: bag[Card] = {ace: 3, jack: 3, two: 3}
    private hand[Player]: bag[Card]
    shown[Player]: bag[Card]
    luck: 0..6
    score[Player]: 0..30
    private plan[Player]: Card?

event Dealt(p: Player, card: Card private to p):
    "{p} takes {card}"
    deck -= card
    hand[p] += card

event Played(by: Player, card: Card):
    "{by} plays {card}"
    hand[by] -= card
    shown[by] += card
    score[by] += card.power

event Rolled(by: Player, n: 1..6):
    "{by} rolls {n}"
    luck = n

event Planned(by: Player, card: Card private to by):
    "{by} plans {card}"
    plan[by] = card

event Waited(by: Player):
    "{by} waits"
    luck = 0

## [§2] Cards go from the hand to the table.
action play(card in distinct(hand[me])):
    ## [§2.1]
    require fresh: card not in shown[me] else "{card} lies in front of {me} already"
    require strong: card.power >= luck else "{card} is weaker than {luck}"
    emit Played(me, card)

action roll:
    draw n from 1..6
    emit Rolled(me, n)

action wait:
    emit Waited(me)

## [§3]
action intend(card in Card):
    require held: card in hand[me] else "{me} does not hold {card}"
    emit Planned(me, card)

flow main:
    step deal:
        for p in Player:
            repeat hand_size:
                draw card from deck
                emit Dealt(p, card)
    step rounds:
        repeat rounds:
            for p in Player:
                step act:
                    p chooses play or roll or wait
                step plans:
                    p may intend
    end scores {p: score[p] for p in Player}

invariant "no card is made or lost":
    len(deck) + sum(len(hand[p]) + len(shown[p]) for p in Player) == 9

scenario "a card scores its power":
    given:
        hand[ana] = {ace: 1}
    ana play(ace)
    expect score[ana] == 3
    expect illegal ana play(ace) by fresh
"""

# Asking in turn is a simultaneous choice.
BIDS = """\
game bids:
    title "Secret bids"
    players 2..4

state:
    private bid[Player]: 0..10?
    shown[Player]: 0..10?

event BidMade(by: Player, n: 0..10 private to by):
    "{by} has bid {n}"
    bid[by] = n

event BidsShown(bids: map[Player, 0..10?]):
    "the bids are shown"
    shown = bids

action make_bid(n in 0..10):
    emit BidMade(me, n)

action agree:
    emit Agreed(me)

event Agreed(by: Player):
    "{by} agrees"
    shown[by] = none

flow main:
    for p in Player:
        p chooses make_bid
    emit BidsShown({p: bid[p] for p in Player})
    for p in Player:
        p chooses agree
    end scores {p: bid[p] or 0 for p in Player}
"""

# What can go wrong in rules.
FAULTS = """\
game faults:
    title "Faults"
    players ana, bob

state:
    n: 0..9
    stuck: bool

event Counted(by: 0..9):
    n += by

event Stuck:
    stuck = true

action count_up(by in 1..9):
    emit Counted(by)

action jam:
    emit Stuck()

action roll_up:
    draw d from 1..6
    emit Counted(d)

action move:
    require free: not stuck else "all is stuck"
    emit Counted(0)

action spin:
    var i = 0
    while i >= 0:
        i = 1

flow main:
    while n < 9:
        ana chooses count_up or jam or roll_up or spin
        bob chooses move
    end win ana

invariant "five is bad":
    n != 5

transition "never twice the same":
    n != before.n or stuck
"""


@cache
def game(text: str, **params: int) -> Game:
    """The game of a text, made once."""
    return Game.from_text({"small.rules": text}).with_params(**params)


def duel(**params: int) -> Game:
    return game(DUEL, **params)
