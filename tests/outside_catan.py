"""Catan beside catanatron: the same island, pieces, hands and rolls on both sides.

Random games are played here. The other side builds the same pieces on a board of its own, so that it has to accept each; cards
and the robber are put there as they are here. At each question it is asked what it would allow, and at each roll what it would
pay. Where the two are known to differ, the rule of ours that is the reason is counted in `explained`, and the difference must
be exactly the one that follows from this rule.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

from catanatron import Color, RandomPlayer
from catanatron.models.actions import generate_playable_actions, road_building_possibilities, robber_possibilities
from catanatron.models.board import longest_acyclic_path
from catanatron.models.enums import ActionPrompt, ActionType
from catanatron.models.map import BASE_MAP_TEMPLATE, CatanMap, LandTile, initialize_tiles
from catanatron.state import State, yield_resources
from catanatron.state_functions import build_city, build_road, build_settlement, get_largest_army, play_dev_card
from outside import Beside

from playtest.plies import DRAW, Ply, Position, play
from rulesdsl import runtime

THERE = ("WOOD", "BRICK", "SHEEP", "WHEAT", "ORE")
RESOURCES = dict(zip(("lumber", "brick", "wool", "grain", "ore"), THERE, strict=True))
HERE = {there: here for here, there in RESOURCES.items()}
YIELDS = {"hills": "BRICK", "forest": "WOOD", "pasture": "SHEEP", "fields": "WHEAT", "mountains": "ORE", "desert": None}
CARDS = {
    "knight": "KNIGHT",
    "victory_point": "VICTORY_POINT",
    "road_building": "ROAD_BUILDING",
    "plenty": "YEAR_OF_PLENTY",
    "monopoly": "MONOPOLY",
}
PLAYS = {
    "play_knight": ActionType.PLAY_KNIGHT_CARD,
    "play_road_building": ActionType.PLAY_ROAD_BUILDING,
    "play_plenty": ActionType.PLAY_YEAR_OF_PLENTY,
    "play_monopoly": ActionType.PLAY_MONOPOLY,
}
CORNERS = {
    "NORTH": "up",
    "NORTHEAST": "upright",
    "SOUTHEAST": "downright",
    "SOUTH": "down",
    "SOUTHWEST": "downleft",
    "NORTHWEST": "upleft",
}
EDGES = {"NORTHEAST": "ne", "EAST": "e", "SOUTHEAST": "se", "SOUTHWEST": "sw", "WEST": "w", "NORTHWEST": "nw"}
HARBOURS = ("BRICK", "WOOD", None, "WHEAT", None, "ORE", None, "SHEEP", None)
"""Clockwise from the east, which is the order of the other side's places for them."""


def cube(up: int, east: int) -> tuple[int, int, int]:
    """Where a hex lies there: so many rows above the middle one, and so many places from the left end of its row. The first
    number grows to the north-east and the east, the second to the north-west and the west."""
    left = (-2 + up, 2, -up) if up >= 0 else (-2, 2 + up, -up)
    return left[0] + east, left[1] - east, left[2]


HEXES = {
    f"{row}{east + 1}": cube(up, east)
    for row, up, places in (("a", -2, 3), ("b", -1, 4), ("c", 0, 5), ("d", 1, 4), ("e", 2, 3))
    for east in range(places)
}
NAMES = {there: here for here, there in HEXES.items()}


class Catanatron(Beside):
    """Catan with four players and without trade between players. `explained` counts the differences that there are, by the
    section of our rulebook that is their reason, and `looked_at` what has been compared."""

    def __init__(self, loaded: Any) -> None:
        super().__init__(loaded)
        self.explained: Counter[str] = Counter()
        self.looked_at: Counter[str] = Counter()
        self.seats = {name: place for place, name in enumerate(self.rules.seats)}

    # ------------------------------------------------------------ the other side's table

    def begin(self) -> None:
        self.there: State | None = None
        self.due: Counter[int] = Counter()
        self.second: int | None = None

    def lay(self, st: Any) -> None:
        """The same island there, where harbours, tokens and hexes are taken from the end of a list each."""
        terrain, token = self.field(st, "terrain"), self.field(st, "token")
        order = [NAMES[place] for place, kind in BASE_MAP_TEMPLATE.topology.items() if kind is LandTile]
        tiles = initialize_tiles(
            BASE_MAP_TEMPLATE,
            [token[name] for name in reversed(order) if token[name] is not None],
            list(reversed(HARBOURS)),
            [YIELDS[terrain[name]] for name in reversed(order)],
        )
        players = [RandomPlayer(colour) for colour in Color]
        self.there = State(players, CatanMap.from_tiles(tiles))
        self.board = self.there.board
        self.corner: dict[int, str] = {}
        self.edge: dict[frozenset[int], str] = {}
        for name, place in HEXES.items():
            for ref, node in tiles[place].nodes.items():
                self.corner.setdefault(node, f"{name}_{CORNERS[ref.value]}")
            for ref, ends in tiles[place].edges.items():
                self.edge.setdefault(frozenset(ends), f"{name}_{EDGES[ref.value]}")
        self.node = {name: node for node, name in self.corner.items()}
        self.ends = {name: tuple(sorted(ends)) for ends, name in self.edge.items()}

    def put(self, st: Any, seat: int) -> State:
        """The cards, the robber and who is asked, as they are here."""
        there, cards_of = self.there, {name: self.field(st, name) for name in ("hand", "cards", "fresh", "knights")}
        assert there is not None
        for name, place in self.seats.items():
            own = there.player_state
            for here, other in RESOURCES.items():
                own[f"P{place}_{other}_IN_HAND"] = cards_of["hand"][name][here]
            for here, other in CARDS.items():
                own[f"P{place}_{other}_IN_HAND"] = cards_of["cards"][name][here] + cards_of["fresh"][name][here]
            own[f"P{place}_PLAYED_KNIGHT"] = cards_of["knights"][name]
            own[f"P{place}_HAS_ARMY"] = self.field(st, "largest_army") == name
            own[f"P{place}_HAS_PLAYED_DEVELOPMENT_CARD_IN_TURN"] = self.field(st, "card_played")
        bank = self.field(st, "bank")
        there.resource_freqdeck = [bank[HERE[other]] for other in THERE]
        there.development_listdeck = ["KNIGHT"] * self.field(st, "deck").total
        there.current_player_index = there.current_turn_index = seat
        self.board.robber_coordinate = HEXES[self.field(st, "robber")]
        return there

    def field(self, st: Any, name: str) -> Any:
        return self.rules.named_field(st, name)

    def actions(self, prompt: ActionPrompt, rolled: bool = True) -> list[Any]:
        """What the player who is asked may do there."""
        there = self.there
        assert there is not None
        there.current_prompt = prompt
        there.player_state[f"P{there.current_player_index}_HAS_ROLLED"] = rolled
        return list(generate_playable_actions(there))

    # ------------------------------------------------------------ what happens

    def follow(self, before: Position, ply: Ply, after: Position) -> None:
        trace = runtime.Trace()
        play(self.module, before, ply, trace)
        st = before[0]
        for place, internal in enumerate(trace):
            event, earlier = self.rules.event(internal), st
            st = self.module.apply(st, internal)
            happens = getattr(self, f"on_{event.name}", None)
            if happens is not None:
                later = [self.rules.event(one) for one in list(trace)[place + 1 :]]
                happens(earlier, st, event.arguments, later, after)

    def on_RoadBuilt(self, before: Any, st: Any, told: Any, later: Any, after: Position) -> None:
        seat, ends = self.seats[told["by"]], self.ends[told["at"]]
        there = self.put(before, seat)
        self.awarded(before)
        try:
            self.board.build_road(there.colors[seat], ends)
        except ValueError as refused:
            self.same(f"a road at {told['at']} is", "built", str(refused))
        build_road(there, there.colors[seat], ends, True)
        self.lengths(st)
        self.looked_at["longest road"] += 1
        here, holder = self.field(st, "longest_road"), self.road_holder()
        if here != holder:
            self.explain("8.2", here == told["by"] and bool(self.foreign(seat)), "the longest road is", here, holder)

    def on_SettlementBuilt(self, before: Any, st: Any, told: Any, later: Any, after: Position) -> None:
        seat, node = self.seats[told["by"]], self.node[told["at"]]
        there = self.put(before, seat)
        first = not told["price"]
        self.second = node if len(self.field(st, "settlements")[told["by"]]) == 2 and first else None
        self.awarded(before)
        try:
            self.board.build_settlement(there.colors[seat], node, first)
        except ValueError as refused:
            self.same(f"a settlement at {told['at']} is", "built", str(refused))
        build_settlement(there, there.colors[seat], node, True)
        if first:
            return
        self.lengths(st)
        here, holder = self.field(st, "longest_road"), self.road_holder()
        if here != holder:
            found = [self.length(st, one) for one in self.seats.values()]
            most = max(found)
            by_eight_two = any(self.plain(one) != self.length(st, one) for one in self.seats.values())
            self.explain("8.4", most < 5 or found.count(most) > 1 or by_eight_two, "the longest road is", here, holder)

    def on_CityBuilt(self, before: Any, st: Any, told: Any, later: Any, after: Position) -> None:
        there, seat, node = self.there, self.seats[told["by"]], self.node[told["at"]]
        assert there is not None
        self.board.build_city(there.colors[seat], node)
        build_city(there, there.colors[seat], node)

    def on_KnightJoined(self, before: Any, st: Any, told: Any, later: Any, after: Position) -> None:
        seat = self.seats[told["by"]]
        there = self.put(before, seat)
        there.player_state[f"P{seat}_KNIGHT_IN_HAND"] += 1
        play_dev_card(there, there.colors[seat], "KNIGHT")
        self.looked_at["largest army"] += 1
        self.same("the largest army is", self.field(st, "largest_army"), self.name(get_largest_army(there)[0]))

    def on_Produced(self, before: Any, st: Any, told: Any, later: Any, after: Position) -> None:
        """The cards for a second settlement; those of a roll are compared with the roll."""
        if self.second is not None:
            around = Counter(HERE[tile.resource] for tile in self.board.map.adjacent_tiles[self.second] if tile.resource)
            self.looked_at["first cards"] += 1
            self.same("the first cards are", {what: many for what, many in told["what"].items() if many}, dict(around))
        self.second = None

    def on_Rolled(self, before: Any, st: Any, told: Any, later: Any, after: Position) -> None:
        there = self.put(st, self.seats[told["by"]])
        number = told["a"] + told["b"]
        self.looked_at["rolls"] += 1
        if number == 7:
            sizes = {seat: self.field(st, "hand")[name].total for name, seat in self.seats.items()}
            self.due = Counter({seat: size // 2 for seat, size in sizes.items() if size > there.discard_limit})
            return
        payout, short = yield_resources(self.board, there.resource_freqdeck, number)
        paid = {
            (self.name(colour), HERE[other]): many
            for colour, deck in payout.items()
            for other, many in zip(THERE, deck, strict=True)
            if many
        }
        got = {
            (event.arguments["to"], what): many
            for event in later
            if event.name == "Produced"
            for what, many in event.arguments["what"].items()
            if many
        }
        bank = self.field(st, "bank")
        alone = {key: many for key, many in got.items() if key not in paid and RESOURCES[key[1]] in short}
        for (name, what), many in alone.items():
            owed = [other for other in self.seats if other != name and self.owed(st, other, what, number)]
            self.explain("4.5", not owed and many == bank[what], f"{name} gets", many, 0)
        self.same("what a roll yields is", {k: v for k, v in got.items() if k not in alone}, paid)
        self.same("what runs short is", {e.arguments["what"] for e in later if e.name == "RanShort"}, {HERE[r] for r in short})

    def on_Discarded(self, before: Any, st: Any, told: Any, later: Any, after: Position) -> None:
        self.due[self.seats[told["by"]]] -= 1

    def on_RobberMoved(self, before: Any, st: Any, told: Any, later: Any, after: Position) -> None:
        there = self.put(before, self.seats[told["by"]])
        found = robber_possibilities(there, there.colors[there.current_player_index])
        there_victims = {self.name(one.value[1]) for one in found if NAMES[one.value[0]] == told["to"] and one.value[1]}
        rich = {name for name, hand in self.field(st, "hand").items() if hand.total}
        if self.waits(after) == "chance":
            victims = there_victims if len(there_victims) == 1 else {"one player"}
        elif self.waits(after) != "over" and "rob" in self.asked(after):
            victims = {str(self.rules.move(move).arguments["victim"]) for move in self.module.legal(*after)}
            self.explained["5.4"] += bool(victims - rich)
        else:
            victims = set()
        self.looked_at["robber"] += 1
        self.same("who can be robbed is", victims & rich, there_victims)

    # ------------------------------------------------------------ what is asked

    def asked(self, position: Position) -> set[str]:
        return {text.split("(")[0] for text in self.rules.asked_texts(*position)}

    def compare(self, position: Position) -> None:
        st, frame = position
        if frame is None or self.module.KIND[frame[0]] == DRAW:
            return
        seat, asked = self.module.asked(st, frame), self.asked(position)
        if self.there is None:
            self.lay(st)
        self.put(st, seat)
        self.compared += 1
        moves = [self.rules.move(move) for move in self.module.legal(st, frame)]
        if "found" in asked:
            found = self.actions(ActionPrompt.BUILD_INITIAL_SETTLEMENT)
            self.same("places to found are", self.chosen(moves, "found", "at"), {self.corner[one.value] for one in found})
        elif "first_road" in asked:
            found = self.actions(ActionPrompt.BUILD_INITIAL_ROAD)
            self.same("first roads are", self.chosen(moves, "first_road", "at"), self.roads(found))
        elif "move_robber" in asked:
            self.same("who has still to discard is", {}, {seat: many for seat, many in self.due.items() if many})
            found = self.actions(ActionPrompt.MOVE_ROBBER)
            self.same("the robber's places are", self.chosen(moves, "move_robber", "to"), {NAMES[a.value[0]] for a in found})
        elif "build_settlement" in asked:
            self.builds(moves)
            self.trades(moves)
            self.cards(st, seat, moves, rolled=True)
        elif "build_road" in asked:
            self.looked_at["free roads"] += 1
            self.same("free roads are", self.chosen(moves, "build_road", "at"), self.roads(self.free_roads(seat)))
        elif "play_knight" in asked:
            self.cards(st, seat, moves, rolled=False)

    def builds(self, moves: list[Any]) -> None:
        found = self.actions(ActionPrompt.PLAY_TURN)
        of = {kind: [one for one in found if one.action_type is kind] for kind in ActionType}
        corners = {kind: {self.corner[one.value] for one in of[kind]} for kind in (ActionType.BUILD_SETTLEMENT, ActionType.BUILD_CITY)}
        self.looked_at["builds"] += 1
        self.same("roads are", self.chosen(moves, "build_road", "at"), self.roads(of[ActionType.BUILD_ROAD]))
        self.same("settlements are", self.chosen(moves, "build_settlement", "at"), corners[ActionType.BUILD_SETTLEMENT])
        self.same("cities are", self.chosen(moves, "build_city", "at"), corners[ActionType.BUILD_CITY])
        bought = any(move.action == "buy_card" for move in moves)
        self.same("that a card can be bought is", bought, bool(of[ActionType.BUY_DEVELOPMENT_CARD]))

    def trades(self, moves: list[Any]) -> None:
        here = {tuple(move.arguments.values()) for move in moves if move.action == "trade_with_bank"}
        there = set()
        for one in self.actions(ActionPrompt.PLAY_TURN):
            if one.action_type is ActionType.MARITIME_TRADE:
                gives = [what for what in one.value[:-1] if what]
                there.add((HERE[gives[0]], len(gives), HERE[one.value[-1]]))
        poorer = {(gives, many, gets) for gives, many, gets in here - there if any((gives, k, gets) in there for k in range(2, many))}
        self.explained["9.3"] += bool(poorer)
        self.looked_at["bank trades"] += len(there)
        self.same("trades with the bank are", here - poorer, there)

    def cards(self, st: Any, seat: int, moves: list[Any], rolled: bool) -> None:
        """Which development cards can be played."""
        here = {move.action for move in moves} & set(PLAYS)
        found = {one.action_type for one in self.actions(ActionPrompt.PLAY_TURN, rolled)}
        there = {name for name, kind in PLAYS.items() if kind in found}
        name = self.rules.seats[seat]
        held, fresh = self.field(st, "cards")[name], self.field(st, "fresh")[name]
        for action in there - here:
            card = action.removeprefix("play_")
            self.explain("7.3", fresh[card] > 0 and held[card] == 0, "development cards are", here, there)
        for action in here - there:
            section, holds = "3.2", action != "play_knight"
            if rolled:
                section, holds = "7.5", action == "play_road_building" and bool(self.free_roads(seat))
            self.explain(section, holds, "development cards are", here, there)

    def free_roads(self, seat: int) -> list[Any]:
        """What could be built there by somebody who can pay."""
        there = self.there
        assert there is not None
        own = {key: there.player_state[key] for key in (f"P{seat}_WOOD_IN_HAND", f"P{seat}_BRICK_IN_HAND")}
        there.player_state.update(dict.fromkeys(own, 1))
        found = list(road_building_possibilities(there, there.colors[seat]))
        there.player_state.update(own)
        return found

    # ------------------------------------------------------------ small things

    def chosen(self, moves: Iterable[Any], action: str, argument: str) -> set[str]:
        return {str(move.arguments[argument]) for move in moves if move.action == action}

    def roads(self, found: Iterable[Any]) -> set[str]:
        return {self.edge[frozenset(one.value)] for one in found}

    def name(self, colour: Any) -> str | None:
        assert self.there is not None
        return None if colour is None else self.rules.seats[self.there.color_to_index[colour]]

    def explain(self, section: str, holds: bool, what: str, here: Any, there: Any) -> None:
        """A difference, if it is one that a section of our rulebook makes."""
        if not holds:
            self.same(what, here, there)
        self.explained[section] += 1

    def owed(self, st: Any, name: str, what: str, number: int) -> bool:
        """Whether a roll yields such a card for a player there."""
        assert self.there is not None
        return any(
            tile.number == number and tile.resource == RESOURCES[what] and place != self.board.robber_coordinate
            and any(self.name(self.board.get_node_color(node)) == name for node in tile.nodes.values())
            for place, tile in self.board.map.land_tiles.items()
        )

    # ------------------------------------------------------------ the longest road

    def length(self, st: Any, seat: int) -> int:
        return int(self.module.DEFS["route_length"](st, seat))

    def road_holder(self) -> str | None:
        return self.name(self.board.road_color)

    def awarded(self, st: Any) -> None:
        """The award there, as it is here."""
        assert self.there is not None
        found = {seat: self.length(st, seat) for seat in self.seats.values()}
        holder = self.field(st, "longest_road")
        self.board.road_color = None if holder is None else self.there.colors[self.seats[holder]]
        self.board.road_length = max(found.values()) if holder is None else found[self.seats[holder]]
        for seat, most in found.items():
            self.board.road_lengths[self.there.colors[seat]] = most

    def lengths(self, st: Any) -> None:
        """Everybody's longest route. There, a road that leads up to somebody else's building is not counted at both ends."""
        for seat in self.seats.values():
            here, there = self.length(st, seat), self.plain(seat)
            self.looked_at["routes"] += 1
            if here != there:
                open_ended, cut = self.without_dead_ends(seat)
                self.explain("8.2", here == open_ended or (cut and here == open_ended + 1), "the longest route is", here, there)

    def nodes(self, seat: int) -> Counter[int]:
        """The corners at a player's roads, with how many of them there are at each."""
        assert self.there is not None
        return Counter(node for (node, _), colour in self.board.roads.items() if colour == self.there.colors[seat])

    def foreign(self, seat: int) -> set[int]:
        """The corners at a player's roads that others have built on."""
        assert self.there is not None
        built, own = self.board.buildings, self.there.colors[seat]
        return {node for node in self.nodes(seat) if node in built and built[node][0] != own}

    def plain(self, seat: int) -> int:
        assert self.there is not None
        nodes = self.nodes(seat)
        return len(longest_acyclic_path(self.board, set(nodes), self.there.colors[seat])) if nodes else 0

    def without_dead_ends(self, seat: int) -> tuple[int, bool]:
        """The longest route there as if nobody had built where only one road leads to; and whether somebody has built where
        two meet."""
        nodes, foreign, all_built = self.nodes(seat), self.foreign(seat), self.board.buildings
        self.board.buildings = {k: v for k, v in all_built.items() if k not in foreign or nodes[k] > 1}
        found = self.plain(seat)
        self.board.buildings = all_built
        return found, any(nodes[node] > 1 for node in foreign)
