"""All families of questions, in the order in which they are asked."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random

from . import arithmetics, commands, evaluations, formulas, homework, points
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
    "verified": evaluations.verified,
    "directions": evaluations.directions,
    "precision": arithmetics.precision,
    "exact": arithmetics.exact,
    "complexes": arithmetics.complexes,
    "digits": arithmetics.digits,
    "answers": homework.answers,
    "constant parts": homework.constant_parts,
    "answer bytes": homework.answer_bytes,
    "grades": homework.grades,
    "columns": points.columns,
    "engines": points.engines,
    "point bytes": points.point_bytes,
    "commands": commands.other_commands,
    "lines": commands.command_lines,
}
