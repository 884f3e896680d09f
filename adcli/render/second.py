"""Second derivatives as tables: the sweeps forward over reverse, and the matrix."""

from __future__ import annotations

from ..notation.numbers import Digits
from ..notation.written import barred, bracketed, dotted, equals, joined, named, partial
from ..trace.findings import Second
from ..trace.model import DIRECTION, Trace
from .cells import Runs, Table
from .layout import number

_PRODUCT = bracketed(joined(named("H"), " ", named("v")))


def tables(trace: Trace, digits: Digits) -> list[Table]:
    """For every output the sweeps (where the trace has rows), then its Hessian or the product with a direction."""
    found = []
    for output, second in zip(trace.outputs, trace.second, strict=True):
        if trace.rows and trace.at and second.sweeps:
            found.append(_sweeps(trace, output.shown, second, digits))
        if trace.at:
            found.append(_matrix(output.shown, second, digits))
    return found


def _sweeps(trace: Trace, shown: str, second: Second[float], digits: Digits) -> Table:
    """One row a node: its adjoint, and for each direction how the node and its adjoint move."""
    symbol, letter = barred("v"), dotted("v")
    header: list[str] = ["", partial(shown, "v")]
    for key in second.sweeps:
        header += [letter, dotted(symbol)] if key == DIRECTION else [partial("v", key), partial(symbol, key)]
    rows: list[tuple[str, ...]] = []
    for row in trace.rows:
        along = list(second.sweeps.values())
        cells: list[str] = [named(row.label), number(along[0].bars[row.slot] if along else None, digits)]
        for moving in along:
            cells += [number(moving.dots[row.slot], digits), number(moving.bar_dots[row.slot], digits)]
        rows.append(tuple(cells))
    inputs = sum(1 for row in trace.rows if row.operator == "input")
    right = tuple(range(1, len(header)))
    rules = (inputs,) if 0 < inputs < len(rows) else ()
    return Table(rows, tuple(header), rules, Runs("forward over reverse: ", named(shown)), right)


def _matrix(shown: str, second: Second[float], digits: Digits) -> Table:
    if second.product is not None:
        rows = [(name, equals(number(x, digits))) for name, x in second.product.items()]
        of_v = Runs("Hessian of ", named(shown), " times ", named("v"))
        return Table([(joined(_PRODUCT, " ", named(name)), x) for name, x in rows], title=of_v)
    hessian = second.hessian or {}
    cells: list[tuple[str, ...]] = [
        (named(name), *(number(x, digits) for x in row.values())) for name, row in hessian.items()
    ]
    header = ("", *map(named, hessian))
    return Table(cells, header, title=Runs("Hessian of ", named(shown)), right=tuple(range(1, len(hessian) + 1)))
