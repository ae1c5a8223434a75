"""The graph of a game's positions, as it is explored: what comes after what, how long games can be, and which cannot end.

Positions have numbers in the order in which they were found, and the start is 0. Everything lies in flat arrays, since there
are millions of them.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence

from attrs import define, field

START = 0


@define
class PositionGraph:
    """Position n was first reached from `parent[n]` by the option `option[n]` there; its successors are
    `after[first[n]:first[n + 1]]`, none at the end of a game, and `choice[n]` is 1 where a player is asked."""

    parent: array[int] = field(factory=lambda: array("q", [-1]))
    option: array[int] = field(factory=lambda: array("l", [-1]))
    first: array[int] = field(factory=lambda: array("q", [0]))
    after: array[int] = field(factory=lambda: array("q"))
    choice: bytearray = field(factory=bytearray)

    def found(self, number: int, place: int) -> None:
        """The next position, which is new: an option of position `number` leads to it."""
        self.parent.append(number)
        self.option.append(place)

    def expanded(self, asked: bool) -> None:
        """All that comes after the next position in turn is in `after`."""
        self.choice.append(asked)
        self.first.append(len(self.after))

    def way_to(self, number: int) -> list[int]:
        """The options of the shortest way from the start to a position."""
        places = []
        while number != START:
            places.append(self.option[number])
            number = self.parent[number]
        return places[::-1]

    def next(self, number: int) -> Sequence[int]:
        """The positions that one ply leads to."""
        return self.after[self.first[number] : self.first[number + 1]]

    def _before(self) -> tuple[array[int], array[int]]:
        """The same turned round: n comes right after each of `before[first[n]:first[n + 1]]`."""
        first = array("q", bytes(8 * (len(self.choice) + 1)))
        for there in self.after:
            first[there + 1] += 1
        for number in range(len(self.choice)):
            first[number + 1] += first[number]
        before = array("q", bytes(8 * len(self.after)))
        free = first[:]
        for number in range(len(self.choice)):
            for there in self.next(number):
                before[free[there]] = number
                free[there] += 1
        return first, before

    def endless(self) -> bytearray:
        """For each position 1 if no game that comes to it can come to an end."""
        first, before = self._before()
        lost = bytearray(b"\1") * len(self.choice)
        ended = [number for number in range(len(self.choice)) if self.first[number] == self.first[number + 1]]
        for number in ended:
            lost[number] = 0
        while ended:
            number = ended.pop()
            for there in before[first[number] : first[number + 1]]:
                if lost[there]:
                    lost[there] = 0
                    ended.append(there)
        return lost

    def most_choices(self) -> array[int] | None:
        """For each position the most choices that can follow; None if a position can follow itself."""
        most = array("q", bytes(8 * len(self.choice)))
        colour = bytearray(len(self.choice))
        stack = [(START, self.first[START])]
        colour[START] = 1
        while stack:
            number, place = stack.pop()
            if place < self.first[number + 1]:
                stack.append((number, place + 1))
                there = self.after[place]
                if colour[there] == 1:
                    return None
                if not colour[there]:
                    colour[there] = 1
                    stack.append((there, self.first[there]))
                continue
            colour[number] = 2
            most[number] = self.choice[number] + max((most[there] for there in self.next(number)), default=0)
        return most

    def long_way(self, most: array[int] | None, limit: int) -> list[int] | None:
        """The options of a game that asks for more than `limit` choices; None if it only draws for ever.

        Args:
            most: what `most_choices` has found.
        """
        circle = self._towards_circles() if most is None else None
        places: list[int] = []
        number = START
        made = seen_without = 0
        while True:
            if self.choice[number]:
                if made == limit:
                    return places
                made += 1
                seen_without = 0
            else:
                seen_without += 1
            if seen_without > len(self.choice):
                return None
            options = range(self.first[number], self.first[number + 1])
            if most is not None:
                best = max(options, key=lambda place: most[self.after[place]])
            else:
                assert circle is not None
                best = next(place for place in options if circle[self.after[place]])
            places.append(best - self.first[number])
            number = self.after[best]

    def _towards_circles(self) -> bytearray:
        """For each position whether a circle can be reached from it: what is left when ends are taken away again and again."""
        first, before = self._before()
        count = len(self.choice)
        left = array("q", (self.first[n + 1] - self.first[n] for n in range(count)))
        leads = bytearray(b"\1") * count
        ended = [number for number in range(count) if not left[number]]
        while ended:
            number = ended.pop()
            leads[number] = 0
            for there in before[first[number] : first[number + 1]]:
                left[there] -= 1
                if not left[there]:
                    ended.append(there)
        return leads
