"""Intervals of random programs hold the truth, as ninety digits tell it; one command runs more of them.

python tests/test_enclosures.py 100000 [seed]
"""

from __future__ import annotations

import sys
from fractions import Fraction
from random import Random
from typing import Any

import pytest

from adcli.graph.graph import Constant, Graph
from adcli.graph.tape import adjoints, evaluate, linearize
from adcli.numbers.arb_intervals import Interval
from adcli.numbers.conditions import Undecided
from adcli.numbers.precise import Precise
from adcli.table.primitive import ROWS

TRUTH, BALLS = Precise(90), Interval(160)
NOISE = TRUTH.context.mpf(10) ** -60  # what ninety digits may have lost where a few operations cancel
LONGEST = TRUTH.context.mpf(10) ** 50_000


def program(random: Random) -> Graph:
    """Up to six operations on two inputs and whole numbers."""
    rows = [r for r in ROWS.values() if not (r.route or r.truth or r.has_order) and (r.arity or 2) <= 2]
    graph = Graph()
    made = [graph.input("x"), graph.input("y")]
    for _ in range(random.randint(1, 6)):
        row = random.choice(rows)
        parents = [
            random.choice(made[-4:]) if random.random() < 0.85 else graph.constant(Constant(str(random.randint(1, 9))))
            for _ in range(row.arity or 2)
        ]
        made.append(graph.apply(row, tuple(parents)))
    graph.outputs = [("y", made[-1])]
    return graph


def number(random: Random) -> Fraction:
    """A tenth, a whole number, a decimal, or a power of ten."""
    return random.choice((
        Fraction(random.randint(-30, 30), 10), Fraction(random.randint(-5, 5)),
        Fraction(random.randint(-999, 999), 10 ** random.randint(0, 6)),
        random.choice((-1, 1)) * Fraction(10) ** random.randint(-12, 12),
    ))  # fmt: skip


def sweep(graph: Graph, m: Any, point: dict[int, Fraction]) -> tuple[list[Any], list[Any]]:
    values = evaluate(graph, m, {slot: m.number(x) for slot, x in point.items()})
    slot = graph.outputs[0][1]
    bars = adjoints(graph, linearize(graph, m, values), {slot: m.one})
    return values, [values[slot], *(bars[s] for s in graph.inputs)]


def regular(graph: Graph, values: list[Any]) -> tuple[bool, bool]:
    """Whether all operations are inside their domains, and away from kinks."""
    inside = smooth = True
    for slot, row in enumerate(graph.rows):
        if row is not None:
            given = tuple(values[p] for p in graph.parents[slot])
            inside = inside and row.find_violation(TRUTH, given) is None
            kinks = [row.kink(k) for k in range(len(given))]
            smooth = smooth and inside and all(kink is None or kink.holds(TRUTH, *given) for kink in kinks)
    return inside, smooth


def violated(random: Random) -> str | None:
    """A program whose interval does not hold the truth, as text."""
    graph = program(random)
    point = {slot: number(random) for slot in graph.inputs}
    with BALLS.working():
        try:
            _, balls = sweep(graph, BALLS, point)
        except Undecided:
            return None
        values, true = sweep(graph, TRUTH, point)
        inside, smooth = regular(graph, values)
        for ball, x in list(zip(balls, true, strict=True))[: 3 if smooth else int(inside)]:
            held, exactly = BALLS.number(ball), TRUTH.number(x)
            if not held.is_finite() or not TRUTH.finite(exactly) or abs(exactly) > LONGEST:
                continue
            room = NOISE * (1 + abs(exactly))
            if not held.overlaps(_exact(exactly - room).union(_exact(exactly + room))):
                written = [(row and row.name, graph.parents[slot]) for slot, row in enumerate(graph.rows)]
                return f"{written} at {point}: {ball}, {x}"
    return None


def _exact(x: Any) -> Any:
    sign, mantissa, exponent, _ = x._mpf_
    return BALLS.arb((-int(mantissa) if sign else int(mantissa), int(exponent)))


@pytest.mark.slow
def test_every_interval_of_a_random_program_holds_the_truth() -> None:
    random = Random(0)  # noqa: S311 - the same programs in every run
    assert [] == [found for _ in range(1500) if (found := violated(random))]


if __name__ == "__main__":
    source = Random(int(sys.argv[2]) if len(sys.argv) > 2 else 0)  # noqa: S311
    failures = [found for _ in range(int(sys.argv[1])) if (found := violated(source))]
    print("\n".join(failures) or f"all {sys.argv[1]} hold")
    sys.exit(bool(failures))
