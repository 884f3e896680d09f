"""Reductions of columns of results to statistics, batch by batch: the summary of some rows is merged with that of
others."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

from ..errors import RequestError
from ..records import NamedTuple
from ..table.suggest import did_you_mean
from ..typings import Final
from .arrays import Column, Doubles, np

_BINS = 64  # of a histogram, at most


class Histogram(NamedTuple):
    """Counts of numbers in equal bins: `counts[k - first]` of those from k·2^exponent to (k + 1)·2^exponent.

    The width is the least power of two, but no less than the distance of doubles there, for which all numbers lie in at
    most 64 bins, so that it does not depend on their order.
    """

    exponent: int
    first: int
    counts: Doubles

    def merge(self, other: Histogram) -> Histogram:
        """Return the histogram of the numbers of both, which are not changed; if one has no counts, the other one
        itself.

        `counts[k]` is that of bin `first` + k. The bins are the wider ones of the two, doubled until there are at most
        64.
        """
        if not len(self.counts) or not len(other.counts):
            return self if len(self.counts) else other
        exponent = max(self.exponent, other.exponent)
        while True:
            both = [histogram.coarsen(exponent) for histogram in (self, other)]
            first = min(histogram.first for histogram in both)
            size = max(histogram.first + len(histogram.counts) for histogram in both) - first
            if size <= _BINS:
                counts = np.zeros(size, np.int64)
                for histogram in both:
                    start = histogram.first - first
                    counts[start : start + len(histogram.counts)] += histogram.counts
                return Histogram(exponent, first, counts)
            exponent += 1

    def coarsen(self, exponent: int) -> Histogram:
        """Return the same counts in bins of the width 2^`exponent`, which must not be smaller than now; the histogram
        itself if it is the same. Raises IndexError if another width is requested without counts.
        """
        steps = exponent - self.exponent
        if not steps:
            return self
        places = [(self.first + k) >> steps for k in range(len(self.counts))]
        counts = np.zeros(places[-1] - places[0] + 1, np.int64)
        np.add.at(counts, [place - places[0] for place in places], self.counts)
        return Histogram(exponent, places[0], counts)

    def as_dict(self) -> dict[str, object]:
        """Return the start of the first bin, the width of the bins, and the counts."""
        width = math.ldexp(1.0, self.exponent)
        start = max(self.first * width, -sys.float_info.max)
        return {"start": start, "width": width, "counts": self.counts.tolist()}


def histogram(numbers: Doubles) -> Histogram:
    """Return the histogram of finite numbers, in at most 64 bins of the least width 2^n, but no narrower than the
    doubles there.

    Negative numbers too small for a fraction of a bin are in the bin below 0. Without numbers it has no counts.
    """
    if not len(numbers):
        return Histogram(-1074, 0, np.zeros(0, np.int64))
    low, high = float(numbers.min()), float(numbers.max())
    most = max(-low, high)
    exponent = max(math.frexp(most)[1] - 53, -1074) if most else -1074  # a bin holds at least one double
    while _bin(high, exponent) - _bin(low, exponent) >= _BINS:
        exponent += 1
    first = _bin(low, exponent)
    with np.errstate(under="ignore"):
        places = np.floor(np.ldexp(numbers, -exponent))
    places[(places == 0) & (numbers < 0)] = -1  # what is too small for a fraction of a bin is still below 0
    places = places.astype(np.int64) - first
    return Histogram(exponent, first, np.bincount(places))


def _bin(x: float, exponent: int) -> int:
    """Return the number k of the bin of the width 2^exponent that holds `x`; -1 for a negative `x` too small for a
    fraction.
    """
    return math.floor(math.ldexp(x, -exponent)) or (-1 if x < 0 else 0)


class Reduced(NamedTuple):
    """The summary of a column: the number of rows with and without a number, mean, sum of squared deviations from it,
    least and largest number, and the histogram of finite numbers (None if not requested).

    The sum is `squares` times 4^`exponent`, where no number is larger than 2^exponent, so that it neither over- nor
    underflows.
    """

    numbers: int
    missing: int
    mean: float
    squares: float
    exponent: int
    least: float
    largest: float
    histogram: Histogram | None

    @property
    def deviation(self) -> float:
        """Return the standard deviation with divisor n - 1; nan for less than two numbers."""
        if self.numbers < 2:
            return math.nan
        return _times_power(math.sqrt(self.squares / (self.numbers - 1)), self.exponent)

    def merge(self, other: Reduced) -> Reduced:
        """Return the summary of the rows of both (Chan, Golub and LeVeque 1983); neither is changed.

        If one of them has no numbers, return the other one with the missing rows of both. Otherwise the result has a
        histogram only if both have one.
        """
        count = self.numbers + other.numbers
        missing = self.missing + other.missing
        if not self.numbers or not other.numbers:
            return (self if self.numbers else other)._replace(missing=missing)
        exponent = max(self.exponent, other.exponent)
        mean, others = (_times_power(known.mean, -exponent) for known in (self, other))
        distance = others - mean
        squares = sum(_times_power(known.squares, 2 * (known.exponent - exponent)) for known in (self, other))
        both = self.histogram.merge(other.histogram) if self.histogram and other.histogram else None
        return Reduced(
            count, missing, _times_power(mean + distance * (other.numbers / count), exponent),
            squares + distance * distance * (self.numbers * (other.numbers / count)), exponent,
            min(self.least, other.least), max(self.largest, other.largest), both,
        )  # fmt: skip


def _times_power(x: float, exponent: int) -> float:
    """Return x times 2^exponent, infinite if that is too large."""
    with np.errstate(over="ignore"):
        return float(np.ldexp(x, exponent))


# The statistics that can be requested, each from the summary of a column; nan or None if it has none.
STATISTICS: Final[Mapping[str, Callable[[Reduced], object]]] = MappingProxyType({
    "mean": lambda known: known.mean,
    "std": lambda known: known.deviation,
    "min": lambda known: known.least,
    "max": lambda known: known.largest,
    "histogram": lambda known: known.histogram.as_dict() if known.histogram else None,
})  # fmt: skip


def statistics(texts: Sequence[str]) -> list[str]:
    """Return the requested statistics, names such as mean, in the order of their first occurrence, each once.

    Each text is one name; commas are not split. Raises RequestError for a name other than mean, std, min, max and
    histogram, with the most similar of these.
    """
    for name in texts:
        if name not in STATISTICS:
            label, advice = did_you_mean(name, STATISTICS), f"use one of {', '.join(STATISTICS)}"
            raise RequestError(f"there is no reduction called {name}", label=label, help=advice)
    return list(dict.fromkeys(texts))


def summarize(column: Doubles, with_histogram: bool) -> Reduced:
    """Return the summary of a column, in which nan counts as missing; the histogram (of finite numbers) only if
    `with_histogram`.

    Infinite numbers count in all other statistics. Without numbers all statistics are nan. The sum of squared
    deviations from the mean is kept divided by 4^`exponent`, with no number larger than 2^exponent.
    """
    numbers = column[~np.isnan(column)]
    count = len(numbers)
    bins = histogram(numbers[np.isfinite(numbers)]) if with_histogram else None
    if not count:
        return Reduced(0, len(column), math.nan, math.nan, 0, math.nan, math.nan, bins)
    least, largest = float(numbers.min()), float(numbers.max())
    _, exponent = math.frexp(max(-least, largest))
    with np.errstate(all="ignore"):
        numbers = np.ldexp(numbers, -exponent)
        mean = float(numbers.mean())
        squares = float(np.square(numbers - mean).sum())
    return Reduced(
        count, len(column) - count, _times_power(mean, exponent), squares, exponent, least, largest, bins
    )  # fmt: skip


def table_of(known: Mapping[str, Reduced], names: Sequence[str]) -> dict[str, Column]:
    """Return a table with a row for each reduced column of `known`.

    Its columns are `column` (the name), `count` and `missing` (rows with and without a number), and then the statistics
    `names`: mean, std (with divisor n - 1), min, max, histogram (a dict, or None). Without numbers the first four are
    nan, and so is std of a single number.
    """
    rows = list(known.values())
    table: dict[str, Column] = {
        "column": list(known), "count": [row.numbers for row in rows], "missing": [row.missing for row in rows]
    }  # fmt: skip
    return table | {name: [STATISTICS[name](row) for row in rows] for name in names}
