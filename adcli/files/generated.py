"""Generated points, without a file: grids of equally spaced values, and random samples that are the same on every
machine."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from types import MappingProxyType

from ..errors import RequestError, Source, Span
from ..language.problems import option_pieces, pieces, read_point
from ..language.scanner import plain_name
from ..records import NamedTuple
from ..table.suggest import did_you_mean
from ..typings import Final, TypeAlias
from .arrays import Column, Doubles, np
from .kinds import Kind
from .points import BATCH, Batch, Job, RequestedColumns, RowRange, even_ranges

Draw: TypeAlias = Callable[..., Doubles]  # of a generator, the parameters and how many
_MOST = 10**15  # rows: their numbers are exact in a double


class Axis(NamedTuple):
    """Equally spaced values of an input, both ends included."""

    name: str
    start: float
    stop: float
    points: int

    def values(self, places: Doubles) -> Doubles:
        """Return the values at these `places`, counted from 0: equidistant from `start` to exactly `stop`.

        If the axis has a single point, the value is `start`.
        """
        if self.points == 1:
            return np.full(len(places), self.start)
        values = self.start + (self.stop - self.start) * (places / (self.points - 1))
        values[places == self.points - 1] = self.stop
        return values


class DrawnFrom(NamedTuple):
    """A distribution: its parameters with their defaults, a function that draws numbers, the condition on the
    parameters, and this condition in words after 'needs'."""

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
    """An input that is drawn at random: its name, the name of its distribution, and the parameters."""

    name: str
    shape: str
    parameters: tuple[float, ...]

    def values(self, random: np.random.Generator, count: int) -> Doubles:
        return DISTRIBUTIONS[self.shape].draw(random, *self.parameters, count)


class Generated:
    """Points that are generated as if they came from a file: the product of the axes, the last one running fastest, and
    samples next to it.

    Each batch of each input has its own random numbers, from `seed`, so that every range is the same when it is
    computed alone.
    """

    holds: Final = "columns"

    def __init__(self, axes: Sequence[Axis], samples: Sequence[DrawnInput], rows: int, seed: int) -> None:
        self.columns = [*[axis.name for axis in axes], *[sample.name for sample in samples]]
        self._axes, self._samples, self._rows, self._seed = axes, samples, rows, seed
        self._done = 0

    def has_at_most(self, rows: int) -> bool:
        return self._rows <= rows

    def kinds(self, names: Sequence[str]) -> dict[str, Kind]:
        """Return nothing: all columns are doubles."""
        return {}

    def fraction_read(self) -> float | None:
        return self._done / self._rows

    def ranges(self, count: int) -> list[RowRange]:
        """Return `count` ranges of rows of about equal length."""
        return even_ranges(self._rows, count)

    def jobs(self, requested: RequestedColumns, within: RowRange | None = None) -> Iterator[Job]:
        """Yield the batches of a range of rows (`within`; None: all), each as a function that computes it.

        At least one, possibly empty; a batch never crosses a multiple of 65,536 rows. When the next one is requested,
        the rows before it count as done.
        """
        start, stop, _ = within or RowRange(0, self._rows, 1)
        for whole in range(start - start % BATCH, max(stop, start + 1), BATCH):
            first, last = max(start, whole), min(stop, whole + BATCH)
            yield partial(self._batch, first, last, requested)
            self._done = last

    def _batch(self, first: int, last: int, requested: RequestedColumns) -> Batch:
        """Return the points from row `first` to before `last`, without faults."""
        columns = {name: self._generate_column(name, first, last) for name in requested.all}
        carried: dict[str, Column] = {name: columns[name] for name in requested.carried}
        inputs = {name: columns[name] for name in requested.inputs}
        return Batch(last - first, inputs, carried, [], lambda row: f"point {first + row + 1}")

    def _generate_column(self, name: str, first: int, last: int) -> Doubles:
        """Return the values of the axis or sample `name` from row `first` to before `last`, which are in one batch.

        The last axis runs fastest. A sample draws its whole batch from its own generator (PCG64 of the seed, the
        position among all columns, the number of the batch) and returns the rows of it.
        """
        place = self.columns.index(name)
        if place < len(self._axes):
            each = math.prod(axis.points for axis in self._axes[place + 1 :])
            axis = self._axes[place]
            return axis.values(np.arange(first, last) // each % axis.points)
        batch, begin = divmod(first, BATCH)
        seeds = np.random.SeedSequence(self._seed, spawn_key=(place, batch))
        random = np.random.Generator(np.random.PCG64(seeds))
        drawn = self._samples[place - len(self._axes)].values(random, min(BATCH, self._rows - batch * BATCH))
        return drawn[begin : begin + last - first]


def read_axes(texts: Iterable[str]) -> list[Axis]:
    """Return the axes of texts such as `x1=0:10:1000, x2=-1:1:5`, in order: start, end and number of points, each maybe
    an expression.

    Start may be above end, or equal to it. Names that occur twice are not looked for. Raises RequestError for another
    form, an infinite length, an end that is not a number, or a number of points that is not a whole number from 1 to
    1e15.
    """
    axes: list[Axis] = []
    for span in option_pieces(texts, "--over"):
        name, _, values = span.text.partition("=")
        parts = values.split(":")
        if not name.strip() or len(parts) != 3:
            title, advice = "a grid needs a name, both ends and a number of points", "write it as --over x1=0:10:1000"
            raise RequestError(title, span, "a part is missing or too much", help=advice)
        name = plain_name(name.strip())
        low, high = (_read_number(name, part, "--over") for part in parts[:2])
        if not math.isfinite(high - low):
            raise RequestError(f"the grid of {name} is infinite", span, help="write finite numbers")
        axes.append(Axis(name, low, high, whole_number(parts[2], f"the number of points of {name}")))
    return axes


def read_samples(texts: Iterable[str]) -> list[DrawnInput]:
    """Return the inputs drawn by texts such as `x1=normal(0,1), x2=uniform`, in order; without parameters the defaults.

    The name is "" in `normal(0,1)`, which is for all other inputs. Names that occur twice are not looked for. Raises
    RequestError, with the place in the text, for an unknown distribution, another number of parameters, or parameters
    that are not numbers, not finite or do not meet the distribution's condition.
    """
    return [_read_sample(span) for span in option_pieces(texts, "--sample")]


def _read_sample(span: Span) -> DrawnInput:
    """Return the drawn input of the text at `span`, `x1=normal(0,1)`; its name is "" if the text has no name.

    Without brackets, or with nothing in them, the distribution has its usual parameters. Raises RequestError, at its
    place, for an unknown distribution, a wrong number of parameters and values that are not allowed.
    """
    name, equals, call = map(str.strip, span.text.partition("="))
    name, call = (plain_name(name), call) if name and equals else ("", span.text.strip())
    shape, bracket, inside = call.partition("(")
    shape = shape.rstrip() if inside.endswith(")") or not bracket else call
    known = DISTRIBUTIONS.get(shape)
    if known is None:
        label, advice = did_you_mean(shape, DISTRIBUTIONS), f"use one of {', '.join(DISTRIBUTIONS)}"
        raise RequestError(f"there is no distribution called {shape}", span, label, help=advice)
    inside = inside[:-1]
    arguments = [inside[a:b] for a, b in pieces(inside) if inside.strip()]
    parameters = tuple([_read_number(shape, text, "--sample") for text in arguments] or known.parameters.values())
    if len(parameters) != len(known.parameters):
        title = f"the distribution {shape} has {len(known.parameters)} parameters"
        advice = f"write {shape}({', '.join(known.parameters)})"
        raise RequestError(title, span, f"this has {len(arguments)}", help=advice)
    is_finite = all(map(math.isfinite, parameters))
    if not is_finite or not known.holds(*parameters):
        raise RequestError(f"the distribution {shape} needs {known.condition if is_finite else 'finite numbers'}", span)
    return DrawnInput(name, shape, parameters)


def make_points(
    axes: Sequence[Axis], samples: Sequence[DrawnInput], open_inputs: Sequence[str], rows: int | None, seed: int
) -> Generated:
    """Return the points of these axes and samples; a sample without a name is drawn for each free one of `open_inputs`.

    With axes there is one draw for each point of the grid. Without axes there are `rows` draws, or, if `rows` is None
    and there are no samples, one row. `seed` starts the random numbers. Raises RequestError for two unnamed samples, an
    input with two values, `rows` together with axes, samples without axes and `rows`, or more than 1e15 rows.
    """
    named_samples = _name_draws(samples, {axis.name for axis in axes}, open_inputs)
    for name, count in Counter([axis.name for axis in axes] + [sample.name for sample in named_samples]).items():
        if count > 1:
            raise RequestError(
                f"the input {name} has two values", help="name each input only once in --over and --sample"
            )
    if axes and rows is not None:
        title = "--n cannot be combined with --over"
        raise RequestError(title, help="leave out --n: --sample then draws one number for each point of the grid")
    if samples and not axes and rows is None:
        raise RequestError("the number of random points is missing", help="add it with --n, such as --n 1e6")
    count = math.prod(axis.points for axis in axes) if axes else rows or 1
    if count > _MOST:
        raise RequestError(
            "the grid has too many points", label=f"{count:,} points", help=f"at most {_MOST:,} are allowed"
        )
    return Generated(axes, named_samples, count, seed)


def _name_draws(samples: Sequence[DrawnInput], names: set[str], open_inputs: Sequence[str]) -> list[DrawnInput]:
    """Return the samples with names, in their order, then the one without a name once for each of the `open_inputs`
    that has no sample and is not in `names`.

    `names` are the inputs with an axis. Raises RequestError if two samples have no name.
    """
    drawn = [sample for sample in samples if sample.name]
    others = [sample for sample in samples if not sample.name]
    if len(others) > 1:
        raise RequestError(
            "two distributions do not name their inputs", help='write --sample "x1=normal(0,1), x2=uniform(0,1)"'
        )
    names = names.union(sample.name for sample in drawn)
    return drawn + [sample._replace(name=name) for sample in others for name in open_inputs if name not in names]


def whole_number(text: str, what: str) -> int:
    """Return the whole number `text` from 1 to 1e15, which may be written as 1e6 or as an expression.

    Raises RequestError for other numbers, another AdcliError for a text that cannot be read; `what` names the number in
    the message.
    """
    value = _read_number("n", text, what)
    if value > _MOST:
        raise RequestError(f"{what} is too large", label=text.strip(), help=f"at most {_MOST:,} are allowed")
    if not (value == math.floor(value) and value >= 1):
        title = f"{what} is not a whole number of 1 or more"
        raise RequestError(title, label=text.strip(), help="write it as 1000 or 1e6")
    return int(value)


def _read_number(name: str, text: str, option: str) -> float:
    """Return the value of `text`, an expression of numbers, which may be infinite.

    Raises RequestError if it is nan, AdcliError if it cannot be read; `name` and `option` are for messages.
    """
    (value,) = read_point(Source(f"x={text}", option)).values()
    if math.isnan(value):
        title = f"in {option} a value of {name} is not a number"
        raise RequestError(title, label=text.strip(), help=f"write numbers in {option}")
    return value
