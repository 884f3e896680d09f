"""All families of questions, in the order in which they are asked."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random

from . import evaluations, formulas
from .process import Adcli, Fault

FAMILIES: dict[str, Callable[[Adcli, Random], Iterator[Fault]]] = {
    "values": evaluations.values,
    "ends": evaluations.ends,
    "rows": evaluations.rows,
    "thresholds": evaluations.thresholds,
    "thresholded": formulas.thresholded,
    "formulas": formulas.formulas,
    "seconds": formulas.second_derivatives,
    "kinks": evaluations.kinks,
    "certificates": evaluations.certificates,
}
