"""Points without a file: grids of equally spaced values, and random samples that are the same on every machine."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import pairwise
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, TypeAlias

from ..errors import RequestError, Source, Span
from ..extras import Later
from ..language.problems import pieces, read_point
from ..language.scanner import plain_name
from ..records import NamedTuple
from ..table.suggest import similar
from .kinds import Kind
from .points import BATCH, FEW_ROWS, Batch, Job, RowRange, WantedColumns

if TYPE_CHECKING:
    import numpy as np

    from .points import Column, Doubles

    Draw: TypeAlias = Callable[..., Doubles]  # of a generator, the parameters and how many
else:
    np = Later("numpy", "numpy")

_MOST = 10**15  # rows: their numbers are exact in a double
_AXIS = re.compile(r"\s*([^=]+?)\s*=(.*)\Z", re.DOTALL)
_CALL = re.compile(r"\s*([A-Za-z]\w*)\s*(?:\((.*)\))?\s*\Z", re.DOTALL)


class Axis(NamedTuple):
    """Equally spaced values of an input, both ends among them."""

    name: str
    start: float
    stop: float
    points: int

    def values(self, places: Doubles) -> Doubles:
        """The values at these places, counted from 0."""
        if self.points == 1:
            return np.full(len(places), self.start)
        found = self.start + (self.stop - self.start) * (places / (self.points - 1))
        found[places == self.points - 1] = self.stop
        return found


class DrawnFrom(NamedTuple):
    """What numbers are drawn from: its parameters with their values if nothing is said, how to draw, and what must hold
    of the parameters, in words after 'needs'."""

    parameters: Mapping[str, float]
    draw: Draw
    holds: Callable[..., bool]
    condition: str


DISTRIBUTIONS: Final = MappingProxyType({
    "normal": DrawnFrom(
        {"mean": 0, "sigma": 1}, lambda random, mean, sigma, n: mean + sigma * random.standard_normal(n),
        lambda *of: of[1] >= 0, "a sigma that is not negative",
    ),
    "lognormal": DrawnFrom(
        {"mean": 0, "sigma": 1}, lambda random, mean, sigma, n: np.exp(mean + sigma * random.standard_normal(n)),
        lambda *of: of[1] >= 0, "a sigma that is not negative",
    ),
    "uniform": DrawnFrom(
        {"low": 0, "high": 1}, lambda random, low, high, n: low + (high - low) * random.random(n),
        lambda low, high: low <= high, "a low that is not above high",
    ),
    "triangular": DrawnFrom(
        {"low": -1, "mode": 0, "high": 1}, lambda random, low, mode, high, n: random.triangular(low, mode, high, n),
        lambda low, mode, high: low <= mode <= high and low < high, "low, mode and high in order",
    ),
    "exponential": DrawnFrom(
        {"mean": 1}, lambda random, mean, n: mean * random.standard_exponential(n),
        lambda mean: mean >= 0, "a mean that is not negative",
    ),
    "t": DrawnFrom(
        {"freedom": 1}, lambda random, freedom, n: random.standard_t(freedom, n),
        lambda freedom: freedom > 0, "a positive number of degrees of freedom",
    ),
})  # fmt: skip


class DrawnInput(NamedTuple):
    """An input that is drawn: its name, from what, and the parameters."""

    name: str
    shape: str
    parameters: tuple[float, ...]

    def values(self, random: np.random.Generator, count: int) -> Doubles:
        return DISTRIBUTIONS[self.shape].draw(random, *self.parameters, count)


class Generated:
    """Points that are made up, as if they came from a file: the product of axes, the last one running fastest, with
    samples beside it.

    Each batch of each input has random numbers of its own by `seed`, so that every part is the same on its own.
    """

    holds: Final = "columns"

    def __init__(self, axes: Sequence[Axis], samples: Sequence[DrawnInput], rows: int, seed: int) -> None:
        self.columns = [*[axis.name for axis in axes], *[sample.name for sample in samples]]
        self._axes, self._samples, self._rows, self._seed = axes, samples, rows, seed
        self._done = 0

    @property
    def few(self) -> bool:
        return self._rows <= FEW_ROWS

    def kinds(self, names: Sequence[str]) -> dict[str, Kind]:
        """They are doubles, and say so."""
        return {}

    def part(self) -> float | None:
        return self._done / self._rows

    def ranges(self, count: int) -> list[RowRange]:
        bounds = [self._rows * k // count for k in range(count + 1)]
        return [RowRange(start, stop, start + 1) for start, stop in pairwise(bounds)]

    def jobs(self, wanted: WantedColumns, within: RowRange | None = None) -> Iterator[Job]:
        """Yield the batches, still to be computed, of a range or of all points; at least one, be it empty."""
        start, stop, _ = within or RowRange(0, self._rows, 1)
        for whole in range(start - start % BATCH, max(stop, start + 1), BATCH):
            first, last = max(start, whole), min(stop, whole + BATCH)
            yield partial(self._batch, first, last, wanted)
            self._done = last

    def _batch(self, first: int, last: int, wanted: WantedColumns) -> Batch:
        columns = {name: self._column(name, first, last) for name in wanted.all}
        carried: dict[str, Column] = {name: columns[name] for name in wanted.carried}
        inputs = {name: columns[name] for name in wanted.inputs}
        return Batch(last - first, inputs, carried, [], lambda row: f"point {first + row + 1}")

    def _column(self, name: str, first: int, last: int) -> Doubles:
        place = self.columns.index(name)
        if place < len(self._axes):
            each = math.prod(axis.points for axis in self._axes[place + 1 :])
            axis = self._axes[place]
            return axis.values(np.arange(first, last) // each % axis.points)
        batch, begin = divmod(first, BATCH)
        seeds = np.random.SeedSequence(self._seed, spawn_key=(place, batch))
        random = np.random.Generator(np.random.PCG64(seeds))
        return self._samples[place - len(self._axes)].values(random, min(BATCH, self._rows - batch * BATCH))[
            begin : begin + last - first
        ]


def read_axes(texts: Iterable[str]) -> list[Axis]:
    """The axes of `x1=0:10:1000`: from, to, and how many values, each of which may be an expression."""
    found: list[Axis] = []
    for source, start, end in _split(texts, "--over"):
        match = _AXIS.match(source.text[start:end])
        parts = match[2].split(":") if match else []
        if match is None or len(parts) != 3:
            raise RequestError(
                "a grid needs a name, both ends and how many points", Span(start, end, source), "this is none",
                help="write it as --over x1=0:10:1000",
            )  # fmt: skip
        name = plain_name(match[1])
        low, high = (_number(name, part, "--over") for part in parts[:2])
        if not math.isfinite(high - low):
            raise RequestError(f"the grid of {name} has no end", Span(start, end, source), help="write finite numbers")
        found.append(Axis(name, low, high, whole_number(parts[2], f"the number of points of {name}")))
    return found


def read_samples(texts: Iterable[str]) -> list[DrawnInput]:
    """What is drawn by `x1=normal(0,1), x2=uniform(0,1)`; no name is in `normal(0,1)`, which is for all others."""
    found: list[DrawnInput] = []
    for source, start, end in _split(texts, "--sample"):
        text = source.text[start:end]
        match = _AXIS.match(text)
        name, text = (plain_name(match[1]), match[2]) if match else ("", text)
        call = _CALL.match(text)
        shape = call[1] if call is not None else text.strip()
        known = DISTRIBUTIONS.get(shape)
        if call is None or known is None:
            guess = similar(shape, DISTRIBUTIONS)
            raise RequestError(
                f"there is no distribution called {shape}", Span(start, end, source),
                f"did you mean {guess}?" if guess else "", help=f"there are {', '.join(DISTRIBUTIONS)}",
            )  # fmt: skip
        inside = call[2] or ""
        given = [inside[a:b] for a, b in pieces(inside) if inside.strip()]
        parameters = tuple([_number(shape, text, "--sample") for text in given] or known.parameters.values())
        if len(parameters) != len(known.parameters):
            raise RequestError(
                f"{shape} has {len(known.parameters)} parameters", Span(start, end, source),
                f"this has {len(given)}", help=f"write {shape}({', '.join(known.parameters)})",
            )  # fmt: skip
        finite = all(map(math.isfinite, parameters))
        if not finite or not known.holds(*parameters):
            needed = known.condition if finite else "finite numbers"
            raise RequestError(f"{shape} needs {needed}", Span(start, end, source))
        found.append(DrawnInput(name, shape, parameters))
    return found


def generated(
    axes: Sequence[Axis], samples: Sequence[DrawnInput], open_inputs: Sequence[str], rows: int | None, seed: int
) -> Generated:
    """Points of these axes and samples; a sample without a name is drawn for each of the `open_inputs`, which have no
    other value.

    With axes there is a draw for each point of the grid; without, `rows` of them.
    """
    others = [sample for sample in samples if not sample.name]
    drawn = [sample for sample in samples if sample.name]
    if len(others) > 1:
        raise RequestError("two samples name no input", help='write --sample "x1=normal(0,1), x2=uniform(0,1)"')
    named = {*[axis.name for axis in axes], *[sample.name for sample in drawn]}
    if others:
        drawn += [others[0]._replace(name=name) for name in open_inputs if name not in named]
    names = [*[axis.name for axis in axes], *[sample.name for sample in drawn]]
    for name in names:
        if names.count(name) > 1:
            raise RequestError(f"{name} has two values", help="name an input once in --over and --sample")
    if axes and rows is not None:
        raise RequestError("--n is for samples without a grid", help="each point of the grid of --over has one draw")
    if samples and not axes and rows is None:
        raise RequestError("how many points are drawn?", help="say so with --n 1e6")
    count = math.prod(axis.points for axis in axes) if axes else rows or 1
    if count > _MOST:
        raise RequestError("the grid has too many points", label=f"they are {count:,}", help=f"up to {_MOST:,} will do")
    return Generated(axes, drawn, count, seed)


def whole_number(text: str, what: str) -> int:
    """A positive whole number, which may be written as 1e6."""
    found = _number("n", text, what)
    if found > _MOST:
        raise RequestError(f"{what} is too large", label=text.strip(), help=f"up to {_MOST:,} will do")
    if not (found == math.floor(found) and found >= 1):
        raise RequestError(f"{what} is no whole number from 1 on", label=text.strip(), help="write it as 1000 or 1e6")
    return int(found)


def _split(texts: Iterable[str], option: str) -> Iterator[tuple[Source, int, int]]:
    for text in texts:
        source = Source(text, option)
        for start, end in pieces(text):
            if text[start:end].strip():
                yield source, start, end


def _number(name: str, text: str, option: str) -> float:
    """The number that an expression of numbers is."""
    (found,) = read_point(Source(f"x={text}", option)).values()
    if math.isnan(found):
        raise RequestError(f"{name} needs numbers", label=f"{text.strip()} is none", help=f"in {option}")
    return found
