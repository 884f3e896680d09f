"""True numbers of a program at a point, computed with more and more digits; literals and inputs are read as written."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence

from ...errors import AdcliError
from ...graph.graph import Graph
from ...graph.tape import UNTAKEN, Gradients, adjoints, evaluate, linearize
from ...language.problems import in_arithmetic
from ...numbers.precise import Precise
from ...table.primitive import FINITE_ANGLE
from ...typings import TYPE_CHECKING
from ..digit_loss_screen import Key
from ..hessians import second_derivatives
from .rounding_errors import with_literals_as_variables

if TYPE_CHECKING:
    from mpmath import mpf

_DIGITS = (50, 100, 200, 400)
_LARGEST = 3_000  # operations times outputs up to which many digits are affordable
_FARTHEST = 1e40  # larger angles are not tried
_DOUBTFUL = -0.7  # times the digits: the power of ten below which a number may be only rounding error
_NEARER = 6  # digits by which an argument's influence may be less than first order: erf(x) - 1 decays as exp(-x^2)
_SAME = 1e-25  # relative difference of two numbers that count as one


def affordable(graph: Graph, values: Sequence[float | None]) -> bool:
    """Return whether true numbers can be computed.

    mpmath must be installed, slots × outputs at most 3000, and the values finite. Arguments of functions of angles, and
    of functions with implementations of their own, must be below 1e40 in size. A value None is ignored.
    """
    import importlib.util

    is_small = len(graph) * max(len(graph.outputs), 1) <= _LARGEST
    most = [math.inf] * len(graph)
    for row, parents in zip(graph.rows, graph.parents, strict=True) if is_small else ():
        for p in parents if row is not None and (row.own is not None or FINITE_ANGLE in row.domain) else ():
            most[p] = _FARTHEST
    is_moderate = is_small and all(x is None or abs(x) < limit for x, limit in zip(values, most, strict=False))
    return is_moderate and importlib.util.find_spec("mpmath") is not None


def true_numbers(
    graph: Graph, at: Mapping[str, float], doubles: Mapping[Key, float], required: Collection[Key]
) -> dict[Key, mpf]:
    """Return the true number for each key of `doubles`, to about 25 digits; keys without convergence are left out.

    A key is (output, "") for a value or (output, input, …) for a derivative; `at` is the point as written. Computed are
    50, 100, 200 and 400 digits, until all `required` keys have converged or an evaluation fails (AdcliError; what
    converged before is returned). A number converges, and is then kept, if two computations in a row agree, or both
    vanish compared with the double (then it is 0; if the double is 0, only at 400 digits). A number that is not finite
    from 200 digits on is returned as it is.
    """
    known: dict[Key, mpf] = {}
    before: dict[Key, mpf] = {}
    order = max([len(key) - ("" in key) for key in doubles], default=1) - 1
    for digits in _DIGITS:
        m = Precise(digits)
        try:
            now, absorbed = _compute_numbers(graph, m, at, order)
        except AdcliError:
            return known
        for key, double in doubles.items():
            new, old = now.get(key), before.get(key)
            if key in known or new is None or old is None:
                continue
            number = _agreed_number(m, digits, new, old, double, absorbed)
            if number is not None:
                known[key] = number
        if known.keys() >= set(required):
            break
        before = now
    return known


def _agreed_number(m: Precise, digits: int, new: mpf, old: mpf, double: float, absorbed: bool) -> mpf | None:
    """Return the true number that `new`, in `digits` digits, and `old`, in half of them, agree on; None if they do not.

    A number vanishes if it is at most 10^(int(−0.7·its digits)) times the double, or times 1 if this is 0. The first
    that applies:

    - one of them is not finite: `new` if it is this one and has more than 100 digits; None if not
    - the double is 0, numbers were `absorbed` and `new` vanishes: None, since it may be that of erf(31) - 1
    - they agree to 1e-25 of `new`: `new`
    - both vanish, and the double is not 0 or 400 digits were tried (a truth next to 0 may be as small as 1e-280): 0
    - None
    """
    if not (m.finite(new) and m.finite(old)):
        return new if digits > _DIGITS[1] and not m.finite(new) else None
    if not double and absorbed and _vanishes(m, digits, new, 1):
        return None
    if abs(new - old) <= _SAME * abs(new):
        return new
    both_vanish = _vanishes(m, digits, new, double) and _vanishes(m, digits / 2, old, double)
    return m.zero if both_vanish and (double or digits == _DIGITS[-1]) else None


def _vanishes(m: Precise, digits: float, x: mpf, double: float) -> bool:
    """Return whether `x`, computed with `digits` digits, is only rounding error compared with its double."""
    return bool(abs(x) <= m.context.mpf(10) ** int(_DOUBTFUL * digits) * (abs(double) or 1))


def _compute_numbers(graph: Graph, m: Precise, at: Mapping[str, float], order: int) -> tuple[dict[Key, mpf], bool]:
    """Return ({key: number}, whether an argument was absorbed) at the point `at`, all in `m`.

    The keys are (output, "") for values; from `order` 1 on (output, input) for gradients; with `order` 2 (output,
    input, input) for second derivatives. An argument is absorbed if, by its partial, it changes a value by less than
    10^(int(-0.7 * digits of `m`) + 6) of it; literals count too. Raises KeyError if `at` lacks an input.
    """
    point = {slot: in_arithmetic(m, at[name]) for slot, name in graph.inputs.items()}
    values = evaluate(graph, m, point)
    numbers: dict[Key, mpf] = {(name, ""): values[slot] for name, slot in graph.outputs}
    gradients = linearize(with_literals_as_variables(graph), m, values)
    if order > 1:
        for entry in second_derivatives(graph, m, values):
            for name, row in (entry.hessian or {}).items():
                numbers |= {(entry.output, name, other): m.number(x) for other, x in row.items()}
    if order:
        for name, slot in graph.outputs:
            bars = adjoints(graph, gradients, {slot: m.one})
            numbers |= {(name, wrt): m.number(bars[s]) for s, wrt in graph.inputs.items()}
    least = m.context.mpf(10) ** (int(_DOUBTFUL * m.context.dps) + _NEARER)
    return numbers, _absorbs_argument(graph, least, values, gradients)


def _absorbs_argument(graph: Graph, least: mpf, values: Sequence[mpf], gradients: Gradients) -> bool:
    """Return whether some argument changes an operation by less than `least` of its value, as 31 does in erf(31).

    That is |partial · argument| < least · |value|. Skipped are values and arguments that are 0 or missing, missing
    partials, and partials of 0 of conditions and of functions with kinks. `values` and `gradients` are by slot.
    """
    for slot, slopes in enumerate(gradients):
        for slope, parent in zip(slopes, graph.parents[slot], strict=False):
            if slope is None or slope is UNTAKEN or not values[parent] or not values[slot]:
                continue
            row = graph.rows[slot]
            if not slope and (row is None or row.truth or row.smooth):  # constant, as floor is
                continue
            if abs(slope * values[parent]) < least * abs(values[slot]):
                return True
    return False


ALL = 17


def right_digits(double: float, true: mpf) -> int:
    """Return how many digits of a double are right: 17 at most; 0 if one is infinite or nan, or only `true` is 0."""
    if not math.isfinite(double) or not abs(true) < math.inf or (double and not true):
        return 0
    relative = float(abs(true - double) / abs(true)) if true else 0.0
    return 0 if relative >= 1 else min(int(-math.log10(relative)), ALL) if relative else ALL
