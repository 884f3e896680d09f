"""Tables that are added to those of a trace: second derivatives, certificates, verification and costs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ..notation import table_formulas as tf
from ..notation.number_text import Digits
from ..trace.analysis_results import Certificate, Enclosure, Second, Verification
from ..trace.trace_model import DIRECTION, Trace
from ..typings import TYPE_CHECKING
from .document_parts import Runs, Table
from .trace_tables import number

if TYPE_CHECKING:
    from ..trace.cost import Cost

_PRODUCT = tf.bracket(tf.join(tf.write_name("H"), " ", tf.write_name("v")))


def second_tables(trace: Trace, digits: Digits) -> Iterator[Table]:
    """Yield the tables of second derivatives of every output; none if the trace has no point.

    For each output there is first the table of sweeps, if the trace has rows and the output has sweeps. Then always
    follow the product with a direction and the Hessian, each if it was computed (`_second_results`). `digits` is how
    numbers are shown. Raises ValueError if `trace.second` does not have one item for each output.
    """
    for output, second in zip(trace.outputs, trace.second, strict=True):
        if trace.rows and trace.at and second.sweeps:
            yield _sweeps_table(trace, output.shown, second, digits)
        if trace.at:
            yield from _second_results(output.shown, second, digits)


def _sweeps_table(trace: Trace, shown: str, second: Second[float], digits: Digits) -> Table:
    """Return the table of forward over reverse for the output called `shown`, with one row for each row of the trace.

    Columns: label, adjoint (∂y/∂v), and for each direction of `second` the tangents of the row and of its adjoint. A
    direction is an input, or the key "direction" of a product with one direction; at least one is needed. There is a
    header, the title `forward over reverse: y`, and a rule below the inputs if there are other rows.
    """
    header: list[str] = ["", tf.write_partial(shown, "v")]
    for key in second.sweeps:
        both = ("v", tf.write_adjoint("v"))
        header += [tf.write_tangent(x) if key == DIRECTION else tf.write_partial(x, key) for x in both]
    rows: list[tuple[str, ...]] = []
    along = list(second.sweeps.values())
    for row in trace.rows:
        cells: list[str] = [tf.write_name(row.label), number(along[0].bars[row.slot], digits)]
        for moving in along:
            cells += [number(moving.dots[row.slot], digits), number(moving.bar_dots[row.slot], digits)]
        rows.append(tuple(cells))
    inputs = len(trace.graph.inputs)
    right = tuple(range(1, len(header)))
    rules = (inputs,) if 0 < inputs < len(rows) else ()
    return Table(rows, tuple(header), rules, Runs("forward over reverse: ", tf.write_name(shown)), right)


def _second_results(shown: str, second: Second[float], digits: Digits) -> Iterator[Table]:
    """Yield the table of the product of a Hessian with a direction, then that of the Hessian, each if `second` has it.

    `shown` is the name of the output. The product, `Hessian of y times v`, has one row ((H v) x, `= number`) for each
    input, without a header. The matrix, `Hessian of y`, has the inputs as header and first column.
    """
    title = Runs("Hessian of ", tf.write_name(shown))
    if second.product is not None:
        products = ((tf.join(_PRODUCT, " ", tf.write_name(name)), x) for name, x in second.product.items())
        rows = [(product, tf.equals(number(x, digits))) for product, x in products]
        yield Table(rows, title=Runs(*title.runs, " times ", tf.write_name("v")))
    if second.hessian is not None:
        header = ("", *map(tf.write_name, second.hessian))
        entries = ([number(x, digits) for x in row.values()] for row in second.hessian.values())
        cells = [(name, *row) for name, row in zip(header[1:], entries, strict=True)]
        yield Table(cells, header, title=title, right=tuple(range(1, len(header))))


def proof_tables(trace: Trace) -> Iterator[Table]:
    """Yield the table of certificates and the table of verification, in this order, each only if the trace has it."""
    if trace.certified is not None:
        yield _certified_table(trace, trace.certified)
    if trace.verified is not None:
        yield _verified_table(trace, trace.verified)


def _certified_table(trace: Trace, certified: Mapping[str, Certificate]) -> Table:
    """Return the table of enclosures: for each output its value, its first and its second derivatives, if `certified`,
    {output: certificate}, has them.

    Columns: quantity, certain digits, the double, number of its right digits. A derivative at a kink has a row for each
    side that has an enclosure (left, then right) instead of its own row. Second derivatives have one row for each entry
    of the Hessian, also for both of two symmetric ones. Raises KeyError if an output has no certificate.
    """
    rows: list[tuple[str, ...]] = []
    for output in trace.outputs:
        certificate = certified[output.name]
        rows.append(_enclosure_cells(tf.write_name(output.shown), certificate.value))
        for name, slope in (certificate.gradient or {}).items():
            sides = certificate.one_sided.get(name)
            symbol = tf.write_partial(output.shown, name)
            if sides is None:
                rows.append(_enclosure_cells(symbol, slope))
                continue
            for side, where in zip(sides, ("from the left", "from the right"), strict=True):
                if side is not None:
                    rows.append(_enclosure_cells(Runs(symbol, f" {where}"), side))
        above = output.shown
        for name, row in (certificate.hessian or {}).items():
            for other, enclosed in row.items():  # ∂x∂x, and not ∂x², for equal inputs
                symbol = tf.quotient(f"∂²{above}/∂{name}∂{other}", "∂", 2, above, ((name, 1), (other, 1)))
                rows.append(_enclosure_cells(symbol, enclosed))
    return Table(rows, ("certified", "certain digits", "floating point", "right digits"), right=(3,))


def _enclosure_cells(name: str, enclosure: Enclosure) -> tuple[str, str, str, str]:
    """Return the cells (`name`, certain digits, double, number of right digits) of `enclosure`.

    If a bound is missing the second is `not enclosed` and the last `?`; if no digit is certain the second is `low to
    high`. The last is `all` if all digits of the double are right.
    """
    double = tf.numeral(enclosure.shown)
    if enclosure.lower is None or enclosure.upper is None:
        return name, "not enclosed", double, "?"
    low, high = tf.numeral(enclosure.low), tf.numeral(enclosure.high)
    shown = Runs(low, " to ", high) if enclosure.certain is None else tf.numeral(enclosure.certain)
    return name, shown, double, "all" if enclosure.all_right else str(enclosure.right)


def _verified_table(trace: Trace, verified: Mapping[str, Verification]) -> Table:
    """Return the table of `--verify`, one row for each output; `verified` is {output: its verification}.

    Columns: name, the largest disagreement in ulps with three digits, where it occurs, and the routes that were
    compared, separated by commas. Raises KeyError if an output was not verified.
    """
    rows: list[tuple[str, ...]] = []
    for output in trace.outputs:
        checked = verified[output.name]
        cells = (f"{checked.largest_ulps:.3g} ulps", checked.where, ", ".join(checked.routes))
        rows.append((tf.write_name(output.shown), *cells))
    return Table(rows, ("verified", "largest disagreement", "where", "routes"))


_RATIO = Digits(places=2)


def cost_table(cost: Cost) -> Table:
    """Return the table of numbers of operations in `cost`, one row for each kind that occurs, in the order of KINDS.

    Columns: kind, for the value alone, with one direction in forward mode, with the gradient in reverse mode. Below a
    rule are the totals (`operations`), and their ratios to that of the value (`times the value`; 1 for the value
    itself, the others in two decimals, empty if None). Without operations these two rows are all, without a rule.
    """
    from ..trace.cost import KINDS

    columns = (cost.value, cost.forward, cost.reverse)
    rows: list[tuple[str, ...]] = [
        (kind, *(str(column[kind]) for column in columns)) for kind in KINDS if any(column[kind] for column in columns)
    ]
    totals = len(rows)
    rows.append(("operations", *(str(column.total()) for column in columns)))
    ratios = (cost.forward_ratio, cost.reverse_ratio)
    rows.append(("times the value", "1", *("" if ratio is None else _RATIO.show(ratio) for ratio in ratios)))
    header = ("", "value", "with one direction (forward)", "with the gradient (reverse)")
    return Table(rows, header, (totals,) if totals else (), right=(1, 2, 3))


def cost_sentences(cost: Cost) -> list[str]:
    """Return a sentence on how many adjoints of intermediate values are used once and how many are accumulated.

    If some are accumulated, a second sentence compares the number of operations for passing on every contribution
    separately with the total of reverse mode.
    """
    sentences = [
        f"adjoints of intermediate values: {cost.passed} used once and passed on, "
        f"{cost.accumulated} used several times, accumulated and propagated once"
    ]
    if cost.accumulated:
        total, one_by_one = cost.reverse.total(), cost.one_by_one_or_many
        sentences.append(f"passing each contribution on separately: {one_by_one} operations instead of {total}")
    return sentences
