"""Kinks at the point of a trace: the exact point, and the decision at kinks that are reached or may be."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING

from ..graph.graph import Graph
from ..graph.tape import evaluate
from ..language.problems import NumberWithSource, in_arithmetic
from ..numbers.doubles import FLOAT

if TYPE_CHECKING:
    from ..kinks.decision import Decision
    from ..kinks.exact_reals import Real, Reals
    from .faults import Evaluation


def exact_point(graph: Graph, at: Mapping[str, float], reals: Reals, *, exactly: bool = False) -> dict[int, Real]:
    """Return the values of the inputs as exact numbers of `reals`, by slot, as they were written.

    `at` has their values by name. A double without a text is read as the shortest decimal that rounds to it; with
    `exactly` as the double itself. Raises Unknown for infinite values.
    """
    point = {}
    for slot, name in graph.inputs.items():
        x = at[name]
        plain = isinstance(x, float) and not isinstance(x, NumberWithSource) and not exactly
        point[slot] = reals.number(repr(x)) if plain else in_arithmetic(reals, x)
    return point


def decision_at(evaluation: Evaluation, at: Mapping[str, float]) -> Decision | None:
    """Return the decision at kinks that the values reach, or may reach within rounding errors.

    `at` has the inputs by name, as they were written. In an arithmetic other than doubles, kinks reached in it and in
    doubles count. None if there are no such kinks, if nothing can be decided, and with complex numbers.
    """
    graph, m, values = evaluation.graph, evaluation.m, evaluation.values
    if not any(row is not None and row.smooth is not None for row in graph.rows):
        return None
    from ..kinks.near_kinks import NearKinks  # a program without kinks does not load this

    near: frozenset[int] = frozenset()
    here = {name: at[name] for name in graph.inputs.values()}
    if m is not FLOAT:
        from ..kinks.decision import find_reached_kinks
        from ..numbers.complexes import Complex

        if isinstance(m, Complex):
            return None
        near = find_reached_kinks(graph, m, values)
        values = evaluate(graph, FLOAT, {slot: float(here[name]) for slot, name in graph.inputs.items()})
    near |= NearKinks(graph).slots(values)
    if not near:
        return None
    from ..kinks.decision import decide  # a third of the start-up of a small evaluation, which few points need

    decision = decide(graph, near, partial(exact_point, graph, here))
    return decision if decision is not None and decision.is_decided else None
