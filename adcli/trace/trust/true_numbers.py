"""The true numbers of a program, by as many digits as it takes: literals and inputs are what was written."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING

from ...errors import AdcliError
from ...graph.graph import Graph
from ...graph.tape import UNTAKEN, Gradients, adjoints, evaluate, linearize
from ...language.problems import in_arithmetic
from ...numbers.precise import Precise
from .rounding_errors import freed

if TYPE_CHECKING:
    from mpmath import mpf

_DIGITS = (50, 100, 200, 400)
_LARGEST = 3_000  # operations times outputs up to which so many digits are affordable
_FARTHEST = 1e40  # arguments beyond are left alone
_DOUBTFUL = -0.7  # times the digits: the power of ten below which numbers are nothing but their rounding
_NEARER = 6  # digits by which what is left of an argument may be less than its slope tells: erf(x) - 1 by 2 x^2
_SAME = 1e-25  # relative difference of two numbers that count as one

Key = tuple[str, str]  # an output, and the input by which it is derived ("" for the value)


def affordable(graph: Graph, values: Sequence[float | None]) -> bool:
    """Whether the true numbers can be had: mpmath is there, and nothing is too much work."""
    if len(graph) * max(len(graph.outputs), 1) > _LARGEST:
        return False
    if not all(x is None or abs(x) < _FARTHEST for x in values):
        return False
    import importlib.util

    return importlib.util.find_spec("mpmath") is not None


def true_numbers(
    graph: Graph, at: Mapping[str, float], doubles: Mapping[Key, float], wanted: Collection[Key]
) -> dict[Key, mpf]:
    """The true number for each of these doubles, to some twenty digits; those that do not settle are left out.

    Digits are added until all those that are `wanted` have settled.
    """
    found: dict[Key, mpf] = {}
    before: dict[Key, mpf] = {}
    slopes = any(wrt for _, wrt in doubles)
    for digits in _DIGITS:
        m = Precise(digits)
        try:
            now, absorbed = _numbers(graph, m, at, slopes)
        except AdcliError:
            return found
        for key, double in doubles.items():
            new, old = now.get(key), before.get(key)
            if key in found or new is None or old is None:
                continue
            if not (m.finite(new) and m.finite(old)):
                if digits > _DIGITS[1] and not m.finite(new):
                    found[key] = new
            elif not double and absorbed and _vanishes(m, digits, new, 1):
                continue  # such a 0 may be that of erf(31) - 1
            elif abs(new - old) <= _SAME * abs(new):
                found[key] = new
            elif _vanishes(m, digits, new, double) and _vanishes(m, digits / 2, old, double):
                found[key] = m.zero
        if found.keys() >= set(wanted):
            break
        before = now
    return found


def _vanishes(m: Precise, digits: float, x: mpf, double: float) -> bool:
    """Whether a number of so many digits is nothing but their rounding beside its double."""
    return bool(abs(x) <= m.context.mpf(10) ** int(_DOUBTFUL * digits) * (abs(double) or 1))


def _numbers(graph: Graph, m: Precise, at: Mapping[str, float], slopes: bool) -> tuple[dict[Key, mpf], bool]:
    """The numbers of a program in an arithmetic, and whether some operation has lost an argument there altogether."""
    point = {slot: in_arithmetic(m, at[name]) for slot, name in graph.inputs.items()}
    values = evaluate(graph, m, point)
    found: dict[Key, mpf] = {(name, ""): values[slot] for name, slot in graph.outputs}
    gradients = linearize(freed(graph), m, values)
    if slopes:
        for name, slot in graph.outputs:
            bars = adjoints(graph, gradients, {slot: m.one})
            found |= {(name, wrt): m.number(bars[s]) for s, wrt in graph.inputs.items()}
    least = m.context.mpf(10) ** (int(_DOUBTFUL * m.context.dps) + _NEARER)
    return found, _absorbed(graph, least, values, gradients)


def _absorbed(graph: Graph, least: mpf, values: Sequence[mpf], gradients: Gradients) -> bool:
    """Whether some argument moves an operation by less than this part of its value, as 31 does in erf(31)."""
    for slot, slopes in enumerate(gradients):
        for slope, parent in zip(slopes, graph.parents[slot], strict=False):
            if slope is None or slope is UNTAKEN or not values[parent] or not values[slot]:
                continue
            row = graph.rows[slot]
            if not slope and (row is None or row.truth or row.smooth):  # as flat as that, like floor
                continue
            if abs(slope * values[parent]) < least * abs(values[slot]):
                return True
    return False


ALL = 17


def right_digits(double: float, true: mpf) -> int:
    """How many digits of a double are right: 17 at most, 0 for what is not 0 and should be."""
    if not math.isfinite(double) or not abs(true) < math.inf:
        return 0
    error = abs(true - double)
    if not error:
        return ALL
    if not true:
        return 0
    relative = float(error / abs(true))
    return 0 if relative >= 1 else min(max(int(-math.log10(relative)) if relative else ALL, 0), ALL)
