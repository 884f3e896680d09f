"""Kinks that a Python function of numbers meets exactly, decided for its results as those of an expression are.

The function runs once more on values that write down what is done to them; where a result is smooth after all, its
slopes are those of one smooth piece.  What Python's own conditions choose is not written down: where one compares equal
numbers nothing is decided.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextvars import ContextVar, Token
from typing import TYPE_CHECKING

from ..errors import AdcliError, DomainProblem
from ..numbers.doubles import FLOAT
from ..table.primitive import Primitive

if TYPE_CHECKING:
    from .core.traced import Value

MOST = 20_000  # operations of a function that is looked at once more

# The kinks met by the differentiation that is going on, by what they are; None where nobody asks.
MET: ContextVar[list[str] | None] = ContextVar("kinks", default=None)


class KinkWarning(UserWarning):
    """A result has no slope at a kink that is met exactly, and the slope given is a convention."""


class watching:  # noqa: N801 - stands in a with statement
    """The kinks that are met in here."""

    __slots__ = ("_token", "found")
    _token: Token[list[str] | None]

    def __enter__(self) -> list[str]:
        self.found: list[str] = []
        self._token = MET.set(self.found)
        return self.found

    def __exit__(self, *_: object) -> None:
        MET.reset(self._token)


class unwatched:  # noqa: N801 - stands in a with statement
    """Rules may look where a function does not: kinks met in here are no matter."""

    __slots__ = ("_token",)
    _token: Token[list[str] | None]

    def __enter__(self) -> None:
        self._token = MET.set(None)

    def __exit__(self, *_: object) -> None:
        MET.reset(self._token)


def watch(row: Primitive, arguments: Sequence[Value], asked: Sequence[int]) -> None:
    """Takes note of a kink that is met in one of the arguments that are asked for."""
    met = MET.get()
    if met is None or len(met) > MOST:
        return
    for position in asked:
        kink = row.kink(position)
        if kink is not None and not kink.holds(FLOAT, *arguments):  # type: ignore[misc]
            met.append(kink.title)
            return


class Settled:
    """What is known of a function at a point with kinks: `slopes` by result and input, None for conventions."""

    __slots__ = ("slopes",)

    def __init__(self, slopes: list[list[float]] | None) -> None:
        self.slopes = slopes

    def pull(self, seeds: Sequence[Value]) -> list[float] | None:
        """The adjoints of the inputs for adjoints of the results; None where these are no numbers."""
        columns = None if self.slopes is None else zip(*self.slopes, strict=True)
        return None if columns is None else _products(columns, seeds)

    def push(self, directions: Sequence[Value]) -> list[float] | None:
        """The tangents of the results for tangents of the inputs."""
        return None if self.slopes is None else _products(self.slopes, directions)


def _products(rows: Iterable[Sequence[float]], vector: Sequence[Value]) -> list[float] | None:
    """A matrix times a vector; None where that is not of numbers."""
    numbers = [x for x in vector if type(x) is float or type(x) is int]
    if len(numbers) < len(vector):
        return None
    return [sum((c * x for c, x in zip(row, numbers, strict=True) if x), start=0.0) for row in rows]


def settled(
    name: str,
    run: Callable[[Sequence[Value]], Sequence[Value]],
    leaves: Sequence[Value],
    met: Sequence[str],
    kinks: str,
) -> Settled:
    """What the results of a function are at numbers where it has met these kinks.

    `run` gives the results for leaves of the arguments.  With kinks="error" a result that has no slope is a
    DomainProblem, with "note" a KinkWarning.
    """
    slopes, smooth = None, False
    numbers = [leaf for leaf in leaves if type(leaf) is float]
    if len(numbers) == len(leaves) and len(met) <= MOST:
        try:
            slopes, smooth = _decided(run, numbers)
        except (AdcliError, TypeError, ValueError, AttributeError):  # it cannot be written down
            slopes, smooth = None, False
    if not smooth:
        if kinks == "error":
            advice = 'choose another point, or accept the convention with kinks="note"'
            raise DomainProblem(met[0], label=f"{name} has no slope here", help=advice)
        warnings.warn(f"{name} meets a kink exactly ({met[0]}): its slope is by convention", KinkWarning, stacklevel=6)
    return Settled(slopes)


def _decided(
    run: Callable[[Sequence[Value]], Sequence[Value]], leaves: Sequence[float]
) -> tuple[list[list[float]] | None, bool]:
    from ..graph.recording import Recorded, Recording
    from ..graph.tape import adjoints, evaluate, linearize
    from ..kinks.decision import decided, kinks_met

    recording = Recording(run)
    inputs = [recording.input(f"x{k}", leaf) for k, leaf in enumerate(leaves)]
    for k, result in enumerate(run(list(inputs))):
        if not isinstance(result, (Recorded, float, int)):
            return None, False
        recording.output(f"y{k}", result)
    graph = recording.graph
    if recording.ties or len(graph) > MOST:
        return None, False
    point = dict(zip([x.mark for x in inputs], leaves, strict=True))
    values = evaluate(graph, FLOAT, point)
    gradients = linearize(graph, FLOAT, values)
    decision = decided(
        graph,
        kinks_met(graph, FLOAT, values),
        lambda reals: {slot: reals.number(repr(x)) for slot, x in point.items()},
    )
    if decision is None:
        return None, False
    gradients = decision.gradients(gradients, FLOAT)
    found = []
    for name, slot in graph.outputs:
        bars = adjoints(graph, gradients, {slot: 1.0})
        swept: Mapping[str, float] = {graph.inputs[place]: bars[place] for place in point}
        found.append([float(x) for x in decision.gradient(name, swept, FLOAT).values()])
    return found, all(around.kind == "smooth" for around in decision.around.values())
