"""What is certain of a trace's numbers, and how far its routes agree, as tables."""

from __future__ import annotations

from ..notation.shown import Formula
from ..notation.written import named, numeral, partial, quotient
from ..trace.findings import Certificate, Enclosure
from ..trace.model import Trace
from .cells import AnyText, Runs, Table


def tables(trace: Trace) -> list[Table]:
    """The tables of `--certify` and `--verify`, as far as they were asked for."""
    found = []
    if trace.certified is not None:
        found.append(_certified(trace))
    if trace.verified is not None:
        found.append(_verified(trace))
    return found


def _certified(trace: Trace) -> Table:
    rows: list[tuple[str, ...]] = []
    for output in trace.outputs:
        certificate: Certificate = (trace.certified or {})[output.name]
        rows.append(_cells(named(output.shown), certificate.value))
        for name, slope in (certificate.gradient or {}).items():
            sides = certificate.one_sided.get(name)
            symbol = partial(output.shown, name)
            if sides is None:
                rows.append(_cells(symbol, slope))
                continue
            for side, where in zip(sides, ("from the left", "from the right"), strict=True):
                if side is not None:
                    rows.append(_cells(Runs(symbol, f" {where}"), side))
        for name, row in (certificate.hessian or {}).items():
            rows += [_cells(_second(output.shown, name, other), found) for other, found in row.items()]
    return Table(rows, ("certified", "certain digits", "floating point", "right digits"), right=(3,))


def _second(above: str, first: str, second: str) -> Formula:
    return quotient(f"∂²{above}/∂{first}∂{second}", "∂", 2, above, ((first, 1), (second, 1)))


def _cells(name: str, found: Enclosure) -> tuple[str, str, str, str]:
    double = numeral(found.shown)
    if found.lower is None or found.upper is None:
        return name, AnyText("not enclosed"), double, AnyText("?")
    certain = found.certain
    shown = numeral(certain) if certain is not None else Runs(numeral(found.low), " to ", numeral(found.high))
    return name, shown, double, AnyText("all" if found.all_right else found.right)


def _verified(trace: Trace) -> Table:
    rows: list[tuple[str, ...]] = []
    for output in trace.outputs:
        checked = (trace.verified or {})[output.name]
        cells = (f"{checked.largest_ulps:.3g} ulps", checked.where, ", ".join(checked.routes))
        rows.append((named(output.shown), *(AnyText(cell) for cell in cells)))
    return Table(rows, ("verified", "largest disagreement", "where", "routes"))
