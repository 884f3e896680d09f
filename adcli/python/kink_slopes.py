"""Slopes of Python functions of numbers at kinks that are reached exactly, decided as those of an expression are.

The function runs once more on values that record every operation; a smooth result has the slopes of one smooth
piece.  Branches chosen by Python's own conditions are not recorded: if one compares equal numbers, that is a kink which
is not decided, so that the slopes stay conventions.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress

from ..errors import AdcliError, DomainProblem
from ..typings import TYPE_CHECKING
from .core.contexts import MOST, user_frame

if TYPE_CHECKING:
    from .core.traced import Value


class KinkWarning(UserWarning):
    """A warning: a result has no slope at a kink that is reached exactly; the slope returned is a convention."""


class KinkSlopes:
    """The slopes of a function at a kink: `slopes[result][input]`, by leaves; None if they stay the conventions of the
    rules.
    """

    def __init__(self, slopes: list[list[float]] | None) -> None:
        self.slopes = slopes

    def pull(self, seeds: Sequence[Value]) -> list[float] | None:
        """Return the adjoints of the inputs for adjoints of the results; None if the conventions stay."""
        return None if self.slopes is None else _matrix_times_vector(zip(*self.slopes, strict=True), seeds)

    def push(self, directions: Sequence[Value]) -> list[float] | None:
        """Return the tangents of the results for tangents of the inputs; None if the conventions stay."""
        return None if self.slopes is None else _matrix_times_vector(self.slopes, directions)


def _matrix_times_vector(rows: Iterable[Sequence[float]], vector: Sequence[Value]) -> list[float] | None:
    """Return the matrix `rows` times `vector`; None if an entry of `vector` is not a plain float or int.

    An entry 0 of the vector contributes nothing, even if its coefficient is infinite or nan. No rows give [].
    """
    numbers = [x for x in vector if type(x) is float or type(x) is int]
    if len(numbers) < len(vector):
        return None
    return [sum((c * x for c, x in zip(row, numbers, strict=True) if x), start=0.0) for row in rows]


def resolve_kinks(
    name: str, run: Callable[[Sequence[Value]], Sequence[Value]], leaves: Sequence[Value], titles: Sequence[str],
    kinks: str,
) -> KinkSlopes:  # fmt: skip
    """Return the KinkSlopes of a function at a point where it has reached kinks with these `titles`.

    `run` computes the results from the leaves of the arguments; it is run once more and recorded. The slopes of a
    result that is smooth at the point are those of its smooth pieces; for another result they are set by convention.
    Slopes are None (conventions of the rules are used) if a leaf is not a float (an array, too), if more than 20,000
    kinks are reached, or if the run cannot be recorded or decided (it raises AdcliError, TypeError, ValueError or
    AttributeError).

    If not all results are smooth, or the slopes are None: kinks="error" raises DomainProblem, any other value warns
    with KinkWarning. Both name the function `name` and the first of the titles.
    """
    slopes, smooth = None, False
    numbers = [leaf for leaf in leaves if type(leaf) is float]
    if len(numbers) == len(leaves) and len(titles) <= MOST:
        with suppress(AdcliError, TypeError, ValueError, AttributeError):  # if it cannot be recorded
            slopes, smooth = _decide_slopes(run, numbers)
    if not smooth:
        if kinks == "error":
            advice = 'choose another point, or accept the slope of the branch that was taken: kinks="note"'
            raise DomainProblem(titles[0], label=f"the function {name} has no slope here", help=advice)
        text = f"{name} has a kink at this point ({titles[0]}): its slope is set by convention"
        warnings.warn(text, KinkWarning, stacklevel=user_frame()[1])
    return KinkSlopes(slopes)


def _decide_slopes(
    run: Callable[[Sequence[Value]], Sequence[Value]], leaves: Sequence[float]
) -> tuple[list[list[float]] | None, bool]:
    """Return (slopes[result][input], whether all results are smooth) of the function `run` at the point `leaves`.

    (None, False) if a result is not a number, if a condition compared equal numbers, if more than 20,000 operations
    were recorded, or if the kinks cannot be decided. Errors that recording raises are not caught.
    """
    from ..graph.recording import Recorded, Recording
    from ..graph.tape import value_and_partials
    from ..kinks.decision import decide
    from ..kinks.near_kinks import NearKinks

    recording = Recording(run)
    inputs = [recording.input(f"x{k}", leaf) for k, leaf in enumerate(leaves)]
    for k, result in enumerate(run(list(inputs))):
        if not isinstance(result, (Recorded, float, int)):
            return None, False
        recording.set_outputs({f"y{k}": result})
    graph = recording.graph
    if recording.tie is not None or len(graph) > MOST:
        return None, False
    point = dict(zip([x.mark for x in inputs], leaves, strict=True))
    values, gradients = value_and_partials(graph, point)
    decision = decide(graph, NearKinks(graph).slots(values), point)
    if not decision.is_decided:
        return None, False
    return decision.jacobian(values, gradients)[1], decision.all_smooth
