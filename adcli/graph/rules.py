"""The rules of a row as functions of numbers: its value, its partials with the conventions at kinks, and both together.

Sums and products are recognised by the cells of their rows, so that loops (`plan`) compute them themselves.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache, partial

from ..errors import ArityProblem, DomainProblem
from ..numbers.doubles import FLOAT, RAISING, apply
from ..table.primitive import Kink, Primitive
from ..typings import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from ..table.arithmetic import Evaluating, PartialRule, T
    from .graph import Graph

Linearization = Callable[[Sequence[float], Sequence[bool]], tuple[float, list[float | None]]]
FAULTS: Final = (ZeroDivisionError, ValueError, OverflowError)  # of functions of Python outside their domains
# Python's operators by the signs of a sum (`Primitive.signs`).
_SUMS: Final[Mapping[tuple[int, ...], Callable[..., Any]]] = {
    (1, 1): operator.add, (1, -1): operator.sub, (-1,): operator.neg,
}  # fmt: skip


def value_function(row: Primitive, m: object) -> Callable[..., Any]:
    """Return the function `row` of the table in the arithmetic `m`, as a callable of the arguments alone.

    - a sum, difference, negation or product: the operator of Python
    - a function without a value rule in its row: the method of `m` with its name
    - all others: the value rule with `m` filled in

    The callable may raise outside a domain.
    """
    if row.signs in _SUMS:
        return _SUMS[row.signs]
    if is_product(row):
        return operator.mul
    rule: Callable[..., Any] = row.value
    return partial(rule, m) if not row.is_named else getattr(m, row.name)


def is_product(row: Primitive) -> bool:
    """Return whether a row is the product of its two arguments, each of which is the partial of the other one."""
    return row.exponents == (1, 1)


def constant_partials(row: Primitive) -> tuple[int, ...] | None:
    """Return the partials of the function `row` by position if they are the same at every point; None if they are not.

    They are the signs of a sum, or one zero for each argument of a function without partials, such as floor. None, too,
    for a function with one rule for all its partials.
    """
    if row.signs or not isinstance(row.partials, tuple) or any(row.partials):
        return row.signs or None
    return (0,) * len(row.partials)


@lru_cache(maxsize=1024)
def partial_rules(row: Primitive) -> tuple[PartialRule, ...] | None:
    """Return a rule for each partial of the function `row`, by position; cached.

    A rule is called with the arithmetic, the value and the arguments, and returns the partial, or the convention at a
    kink. For an argument without a rule it returns 0. None instead of the tuple if the function has more than two
    arguments, or one rule for all its partials.
    """
    rules = row.partials
    if not isinstance(rules, tuple) or len(rules) > 2:
        return None
    known = [rule or (lambda *_: 0) for rule in rules]
    return tuple([_with_convention(rule, row.kink(position)) for position, rule in enumerate(known)])


def _with_convention(rule: PartialRule, kink: Kink | None) -> PartialRule:
    """Return the rule, replaced by the convention of `kink` at arguments where the partial does not exist."""
    if kink is None or kink.slope is None:
        return rule
    holds, slope = kink.holds, kink.slope
    return lambda m, z, *a: rule(m, z, *a) if holds(m, *a) else slope(m, *a)


def value_of_slot(graph: Graph, m: Evaluating[T], slot: int, values: Mapping[int, T] | Sequence[T]) -> T:
    """Return the value of a constant, or of an operation on `values` (by slot), in the arithmetic `m`, as `apply`."""
    row = graph.rows[slot]
    return graph.constants[slot].read(m) if row is None else apply(row, m, [values[p] for p in graph.parents[slot]])


def value_at(row: Primitive, numbers: tuple[float, ...]) -> float:
    """Return the value of one operation on doubles.  Raises DomainProblem outside the domain of the row."""
    broken = row.find_violation(FLOAT, numbers)
    if broken is not None:
        shown = ", ".join(f"{number!r}" for number in numbers)
        raise DomainProblem(broken.title, label=f"{row.name} was given {shown}")
    return float(apply(row, FLOAT, numbers))


def partials_at(
    row: Primitive, m: Evaluating[T], z: T, arguments: Sequence[T], needed: Sequence[bool]
) -> list[T | float | None]:
    """Return the partials of the function `row` at these arguments by position, with conventions at kinks; `z` is its
    value.

    A partial is None if `needed` is false, 0 with respect to an argument without a rule, and `m.undefined` if its rule
    raises ZeroDivisionError, OverflowError or ValueError; the others are then computed one by one. Other errors pass.
    """
    try:
        partials = row.gradient(m, z, arguments, needed)
    except FAULTS:
        # Each rule on its own, so that one that raises does not make the other partials undefined.
        partials = []
        for position, is_needed in enumerate(needed):
            alone = tuple(k == position and is_needed for k in range(len(needed)))
            try:
                partials.append(row.gradient(m, z, arguments, alone)[position])
            except FAULTS:
                partials.append(m.undefined)
    return partials


def check_count(row: Primitive, count: int) -> None:
    """Raise ArityProblem if `row` cannot be called with `count` arguments."""
    if not row.accepts(count):
        arguments = f"{row.arity or f'{row.least} or more'} argument{'s' * (row.arity != 1)}"
        raise ArityProblem(f"{row.name} takes {arguments}, got {count}")


@lru_cache(maxsize=1024)
def linearization(row: Primitive) -> Linearization:
    """Return the function `(numbers, needed)` that returns (value of `row` at doubles, list of its partials by
    position).

    The value may be nan or infinite. A partial is None if `needed` is false, and nan if it is undefined. The function
    raises DomainProblem outside the domain of the row. Cached.
    """

    def general(numbers: Sequence[float], needed: Sequence[bool]) -> tuple[float, list[float | None]]:
        z = value_at(row, tuple(numbers))
        slopes = partials_at(row, FLOAT, z, numbers, needed)
        return z, [None if slope is None else float(slope) for slope in slopes]

    rules = partial_rules(row)
    if rules is None or row.truth or row.route is not None:
        return general
    return _quick_linearization(row, rules, general)


def _quick_linearization(row: Primitive, rules: Sequence[PartialRule], general: Linearization) -> Linearization:
    """Return a faster function `(numbers, needed)` for what `general` does (value and partials at numbers).

    `rules` are the partial rules of `row`, which has no branches and is not a condition. The function calls `general`
    instead if a check of the domain fails (those with `gives_nan` are left out), if the value is nan, and after a
    ZeroDivisionError, ValueError or OverflowError.
    """
    value_of, slopes_of = value_function(row, RAISING), _quick_slopes(row, rules)
    domain = [check.holds for check in row.domain if not check.gives_nan]

    def quick(numbers: Sequence[float], needed: Sequence[bool]) -> tuple[float, list[float | None]]:
        """Return what `general` does, which is called outside the domain and after an error."""
        try:
            for holds in domain:
                if not holds(FLOAT, *numbers):
                    return general(numbers, needed)
            z = float(value_of(*numbers))
            if z != z:
                return general(numbers, needed)
            slopes = slopes_of(z, numbers, needed)
            if False in needed:
                slopes = [slope if is_needed else None for slope, is_needed in zip(slopes, needed, strict=True)]
            return z, slopes
        except FAULTS:
            return general(numbers, needed)

    return quick


def _quick_slopes(
    row: Primitive, rules: Sequence[PartialRule]
) -> Callable[[float, Sequence[float], Sequence[bool]], list[float | None]]:
    """Return the function `(z, numbers, needed)` that returns the partials in doubles by position.

    `rules` are the partial rules of `row`. A partial that is not `needed` is None; sums and products return all
    partials. The function may raise ZeroDivisionError, ValueError or OverflowError.
    """
    if is_product(row):
        return lambda _z, numbers, _needed: [*numbers[::-1]]
    if row.signs:
        always: list[float | None] = [float(sign) for sign in row.signs]
        return lambda *_: always.copy()
    return lambda z, numbers, needed: [
        float(rule(RAISING, z, *numbers)) if needed[k] else None for k, rule in enumerate(rules)
    ]
