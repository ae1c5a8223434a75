"""Numbers with intervals: shares and means of many games, and whether two of them differ."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import NormalDist, fmean, variance

from attrs import evolve, frozen

CONFIDENCE = 0.95
SHARE, PART, COUNT, MEAN = "share", "part", "count", "mean"
"""Kinds of figures: a part of all games; the mean of parts of games, told as a percentage too; the mean of numbers that are never
below 0; the mean of any numbers. No interval goes beyond what is possible."""


@frozen
class Figure:
    """A number worked out from games, and the interval in which the true one lies with the confidence that was asked for.

    `share`: it is a part of something, between 0 and 1.
    """

    name: str
    value: float
    low: float
    high: float
    share: bool = False

    @property
    def bounded(self) -> bool:
        """Whether the interval has ends: one game alone does not tell any."""
        return math.isfinite(self.low) and math.isfinite(self.high)

    def __str__(self) -> str:
        return f"{self.text(self.value)} ({self.text(self.low)} to {self.text(self.high)})"

    def text(self, number: float) -> str:
        """A number of this kind as people read it."""
        if self.share:
            return f"{100 * number:.1f} %"
        return f"{number:.0f}" if abs(number) >= 1000 else f"{number:.2f}"


def normal(confidence: float) -> float:
    """How many standard errors the interval is wide on each side."""
    return NormalDist().inv_cdf((1 + confidence) / 2)


def share(name: str, credits: Sequence[float], confidence: float = CONFIDENCE) -> Figure:
    """A part of all games: the mean of numbers between 0 and 1, with Wilson's interval, which stays between 0 and 1 too."""
    n = len(credits)
    if not n:
        return Figure(name, 0.0, 0.0, 1.0, True)
    p, z = fmean(credits), normal(confidence)
    middle = (p + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    return Figure(name, p, min(p, max(0.0, middle - half)), max(p, min(1.0, middle + half)), True)


def mean(name: str, numbers: Sequence[float], confidence: float = CONFIDENCE) -> Figure:
    """The mean of some numbers, with the interval of the normal distribution."""
    if not numbers:
        return Figure(name, 0.0, 0.0, 0.0)
    value = fmean(numbers)
    half = normal(confidence) * math.sqrt(variance(numbers) / len(numbers)) if len(numbers) > 1 else math.inf
    return Figure(name, value, value - half, value + half)


def figure(kind: str, name: str, numbers: Sequence[float], confidence: float = CONFIDENCE) -> Figure:
    """A figure of one of the kinds."""
    if kind == SHARE:
        return share(name, numbers, confidence)
    found = mean(name, numbers, confidence)
    if kind == PART:
        return evolve(found, low=max(0.0, found.low), high=min(1.0, found.high), share=True)
    return evolve(found, low=max(0.0, found.low)) if kind == COUNT else found


@frozen
class Comparison:
    """A figure of two sets of games. `change`: the second less the first, with its interval; `differs`: 0 is not in it."""

    name: str
    first: Figure
    second: Figure
    change: Figure

    @property
    def differs(self) -> bool:
        return not self.change.low <= 0 <= self.change.high


def compare(
    first: Figure, second: Figure, one: Sequence[float], other: Sequence[float], confidence: float = CONFIDENCE
) -> Comparison:
    """Two figures from their numbers, game by game. As many numbers on both sides belong to the same seeds, pair by pair."""
    if len(one) == len(other):
        change = mean(first.name, [b - a for a, b in zip(one, other, strict=True)], confidence)
    else:
        change = _unpaired(first.name, one, other, confidence)
    return Comparison(
        first.name, first, second, Figure(change.name, change.value, change.low, change.high, first.share)
    )


def _unpaired(name: str, one: Sequence[float], other: Sequence[float], confidence: float) -> Figure:
    if len(one) < 2 or len(other) < 2:
        value = (fmean(other) if other else 0.0) - (fmean(one) if one else 0.0)
        return Figure(name, value, -math.inf, math.inf)
    value = fmean(other) - fmean(one)
    half = normal(confidence) * math.sqrt(variance(one) / len(one) + variance(other) / len(other))
    return Figure(name, value, value - half, value + half)
