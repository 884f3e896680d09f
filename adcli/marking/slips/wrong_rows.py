"""Wrong rows of the table, as people misread them: another value, other partials, an angle taken for degrees. A row of
the table is a function with its value and partials, a slip a known mistake."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ...graph.rules import apply, partials_at
from ...numbers.double_intervals import SPREAD, Spread
from ...table.primitive import Primitive
from ...typings import TYPE_CHECKING
from ..programs.worksheet import Cell, cell_of

if TYPE_CHECKING:
    from ...table.arithmetic import Arithmetic, PartialRule, T, TangentRule


_LARGEST = 60  # operations of one row in each of which slips are looked for, the last ones


def variants(cell: Cell, what: str) -> Iterator[tuple[str, dict[int, Primitive]]]:
    """Yield (slip, {slot: row}) for each wrong row that may replace one operation of a cell's formula.

    `what` is `value` or `partials`: which of the two is read wrongly. Only the last 60 inner slots are tried; constants
    are left out.
    """
    for slot in cell.inner[-_LARGEST:]:
        row = cell.graph.rows[slot]
        if row is None or cell.graph.literal[slot]:
            continue
        moving = [not cell.graph.literal[parent] for parent in cell.graph.parents[slot]]
        for name, wrong in wrong_rows(row, what, moving):
            yield name, {slot: wrong}


def at_inner_derivatives(cell: Cell, known: Mapping[int, Spread]) -> Iterator[dict[int, Primitive]]:
    """Yield {slot: row} for a function whose derivative is wrongly taken at the inner derivative: cos(2x) for (sin
    x²)'.

    The row has the constant partial f'(u') / u', which times the inner derivative u' gives f'(u'). Nothing if the cell
    has not exactly one leaf. Only the last 60 inner slots are tried; left out are operations of two operands, those on
    the leaf itself, those with u' unknown or possibly 0, and those without a fixed rule for the partial. `known` are
    the values of the leaves by slot.
    """
    if len(cell.leaves) != 1:
        return
    for slot in cell.inner[-_LARGEST:]:
        row, parents = cell.graph.rows[slot], cell.graph.parents[slot]
        if row is None or len(parents) != 1 or parents[0] in cell.leaves or not isinstance(row.partials, tuple):
            continue
        inner = cell_of(cell.graph, parents[0], cell.leaves)
        slope = inner.partials(known).get(cell.leaves[0], SPREAD.zero) if inner.leaves else SPREAD.zero
        if not slope.known or slope.low <= 0 <= slope.high:
            continue
        factor = derivative_at(row, slope) / slope
        yield {slot: Primitive(row.name, value=row.value, partials=(_constant(factor),))}


def derivative_at(row: Primitive, argument: Spread) -> Spread:
    """Return the derivative of a unary row at an argument: 0 if the row has no partial, undefined if it has no value
    there.
    """
    (slope,) = partials_at(row, SPREAD, apply(row, SPREAD, [argument]), [argument], (True,))
    return SPREAD.number(slope if slope is not None else 0.0)


def _constant(value: Spread) -> PartialRule:
    """Return a rule for a partial derivative that always gives `value`."""
    return lambda *_: value  # type: ignore[return-value]


def wrong_tangents(cell: Cell) -> Iterator[tuple[str, TangentRule, tuple[int, ...]]]:
    """Yield (slip, rule, parents) for the wrong rules of a whole tangent; nothing unless the cell is one operation on
    named rows.

    `rule(arithmetic, tangents, values)` computes the tangent from those of the `parents`, which are slots.
    """
    row, graph = cell.graph.rows[cell.slot], cell.graph
    if row is not None and all(p in cell.leaves for p in graph.parents[cell.slot]):
        for slip in row.slips:
            if slip.tangent is not None:
                yield slip.name, slip.tangent, graph.parents[cell.slot]


def wrong_rows(row: Primitive, what: str, moving: Sequence[bool]) -> Iterator[tuple[str, Primitive]]:
    """Yield (slip, row) for the rows that people take for `row`, with another value or other partials, as `what` says.

    `what` is "value" or "partials". `moving` has for each argument whether it is more than a number; slips that need
    another argument to move are left out. Rows of angles are also read in degrees, whatever `what` is; partials of
    unary rows also with the wrong sign.
    """
    for slip in row.slips:
        if not all(moving[position] for position in slip.moving):
            continue
        if what == "value" and slip.value is not None:
            yield slip.name, Primitive(row.name, value=slip.value, partials=row.partials)
        if what == "partials" and slip.partials is not None and isinstance(row.partials, tuple):
            rules = tuple(wrong or right for wrong, right in zip(slip.partials, row.partials, strict=True))
            yield slip.name, Primitive(row.name, value=row.value, partials=rules)
    if row.angle:
        yield "degrees", _argument_in_degrees(row)
    if row.angular:
        yield "degrees", _result_in_degrees(row)
    if what == "partials" and row.arity == 1:
        rule = row.partials[0] if isinstance(row.partials, tuple) else None
        if rule is not None:
            yield "sign", Primitive(row.name, value=row.value, partials=(_negative(rule),))


def _negative(rule: PartialRule) -> PartialRule:
    """Return the rule of a partial derivative with the sign reversed."""

    def partial(m: Arithmetic[T], z: T, /, *xs: T) -> T | float:
        return -rule(m, z, *xs)

    return partial


def _result_in_degrees(row: Primitive) -> Primitive:
    """Return a new row with the name of `row`, such as asin, and its value and partials in degrees; without partials if
    these are one joint rule. Nothing else of `row`, such as domain and kinks, is kept.
    """

    def value(m: Arithmetic[T], /, *xs: T) -> T:
        return row.value(m, *xs) * 180 / m.pi

    def partial_of(rule: PartialRule) -> PartialRule:
        def partial(m: Arithmetic[T], z: T, /, *xs: T) -> T | float:
            slope = rule(m, z, *xs)
            return slope * 180 / m.pi

        return partial

    rules = row.partials if isinstance(row.partials, tuple) else ()
    return Primitive(row.name, value=value, partials=tuple(None if r is None else partial_of(r) for r in rules))


def _argument_in_degrees(row: Primitive) -> Primitive:
    """Return the unary row, such as sin, with its argument taken for degrees; the partial lacks the factor π/180.

    The partial is that of the row at the converted argument; None if the row has no separate rule for it.
    """
    rule = row.partials[0] if isinstance(row.partials, tuple) else None

    def radians(m: Arithmetic[T], xs: tuple[T, ...]) -> list[T]:
        return [m.number(x) * m.pi / 180 for x in xs]

    def value(m: Arithmetic[T], /, *xs: T) -> T:
        return row.value(m, *radians(m, xs))

    def partial(m: Arithmetic[T], _: T, /, *xs: T) -> T | float:
        if rule is None:
            return 0
        slope = rule(m, value(m, *xs), *radians(m, xs))
        return slope  # noqa: RET504 - in a return, type checkers would take its `| float` for the kind of number

    return Primitive(row.name, value=value, partials=(None if rule is None else partial,))
