"""The true numbers of a program, by as many digits as it takes: literals and inputs are what was written."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from ..calculus.precise import Precise
from ..errors import AdcliError
from ..graph.node import Graph
from ..graph.tape import adjoints, evaluate, linearize
from ..language.problems import in_arithmetic

_DIGITS = (50, 100, 200, 400)
_LARGEST = 3_000  # operations times outputs up to which so many digits are affordable
_FARTHEST = 1e40  # arguments beyond are left alone
_SAME = 1e-25  # relative difference of two numbers that count as one

Key = tuple[str, str]  # an output, and the input by which it is derived ("" for the value)


def affordable(graph: Graph, values: Sequence[Any]) -> bool:
    """Whether the true numbers can be had: mpmath is there, and nothing is too much work."""
    if len(graph) * max(len(graph.outputs), 1) > _LARGEST:
        return False
    if not all(x is None or abs(x) < _FARTHEST for x in values):
        return False
    import importlib.util

    return importlib.util.find_spec("mpmath") is not None


def true_numbers(
    graph: Graph, at: Mapping[str, Any], doubles: Mapping[Key, float], wanted: Collection[Key]
) -> dict[Key, Any]:
    """The true number for each of these doubles, to some twenty digits; those that do not settle are left out.

    Digits are added until all those that are `wanted` have settled.
    """
    found: dict[Key, Any] = {}
    before: dict[Key, Any] = {}
    slopes = any(wrt for _, wrt in doubles)
    for digits in _DIGITS:
        m = Precise(digits)
        try:
            now = _numbers(graph, m, at, slopes)
        except AdcliError:
            return found
        for key, double in doubles.items():
            new, old = now.get(key), before.get(key)
            if key in found or new is None or old is None:
                continue
            if not (m.finite(new) and m.finite(old)):
                if digits > _DIGITS[1] and not m.finite(new):
                    found[key] = new
            elif abs(new - old) <= _SAME * abs(new):
                found[key] = new
            elif _vanishes(m, digits, new, double) and _vanishes(m, digits / 2, old, double):
                found[key] = m.zero
        if found.keys() >= set(wanted):
            break
        before = now
    return found


def _vanishes(m: Precise, digits: float, x: Any, double: float) -> bool:
    """Whether a number of so many digits is nothing but their rounding beside its double."""
    return bool(abs(x) <= m.context.mpf(10) ** int(-0.7 * digits) * (abs(double) or 1))


def _numbers(graph: Graph, m: Precise, at: Mapping[str, Any], slopes: bool) -> dict[Key, Any]:
    point = {slot: in_arithmetic(m, at[name]) for slot, name in graph.inputs.items()}
    values = evaluate(graph, m, point)
    found: dict[Key, Any] = {(name, ""): values[slot] for name, slot in graph.outputs}
    if slopes:
        gradients = linearize(graph, m, values)
        for name, slot in graph.outputs:
            bars = adjoints(graph, gradients, {slot: m.one})
            found |= {(name, wrt): m.number(bars[s]) for s, wrt in graph.inputs.items()}
    return found


ALL = 17


def right_digits(double: float, true: Any) -> int:
    """How many digits of a double are right: 17 at most, 0 for what is not 0 and should be."""
    if not math.isfinite(double):
        return 0
    error = abs(true - double)
    if not error:
        return ALL
    if not true:
        return 0
    relative = float(error / abs(true))
    return 0 if relative >= 1 else min(max(int(-math.log10(relative)) if relative else ALL, 0), ALL)
