"""What the rules of a row come to, found by asking them with stand-ins for numbers, and one row at one point.

A rule that only adds its arguments, hands one of them on or calls one function need not be called for that: the loops
do the same without it (`plan`).  The table stays the only place that says what a function is.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any, Final, cast

from ..errors import ArityProblem, DomainProblem
from ..numbers.doubles import FLOAT, RAISING
from ..records import NamedTuple
from ..table.primitive import Kink, Primitive

if TYPE_CHECKING:
    from ..table.arithmetic import Evaluating, PartialRule, T, ValueRule

# What a rule comes to: a function on its arguments, the name of one of the arithmetic, or None for anything else.
_Value = Callable[..., object] | str | None
Linearization = Callable[[Sequence[float], Sequence[bool]], tuple[float, list[float | None]]]
FAULTS: Final = (ZeroDivisionError, ValueError, OverflowError)  # of functions of Python outside their domains
_FIRST, _SECOND = (0,), (1,)  # the partial is this argument


class _Stand:
    """Stands for a number, and remembers how it was made."""

    __slots__ = ("arguments", "made")

    def __init__(self, made: _Value = None, *arguments: object) -> None:
        self.made = made
        self.arguments = arguments

    def __add__(self, other: object) -> _Stand:
        return _Stand(operator.add, self, other)

    def __sub__(self, other: object) -> _Stand:
        return _Stand(operator.sub, self, other)

    def __mul__(self, other: object) -> _Stand:
        return _Stand(operator.mul, self, other)

    def __neg__(self) -> _Stand:
        return _Stand(operator.neg, self)

    def _other(self, *arguments: object) -> _Stand:
        return _Stand()

    __radd__ = __rsub__ = __rmul__ = __truediv__ = __rtruediv__ = _other


class _Asked:
    """Stands for the arithmetic."""

    def __getattr__(self, name: str) -> Callable[..., _Stand]:
        return partial(_Stand, name)


@lru_cache(maxsize=1024)
def _value(rule: ValueRule, arity: int) -> _Value:
    arguments = tuple(_Stand() for _ in range(arity))
    found = _answer(rule, arguments)
    return found.made if isinstance(found, _Stand) and found.arguments == arguments else None


@lru_cache(maxsize=1024)
def _partial(rule: PartialRule, arity: int) -> int | str | tuple[int] | None:
    """What a partial comes to: a number, an argument, the name of a function of the arguments, or None for others."""
    _, *arguments = places = tuple(_Stand() for _ in range(1 + arity))
    found = _answer(rule, places)
    if isinstance(found, int):
        return found
    if found is not None and len(arguments) == 2 and found in arguments:
        return _FIRST if found is arguments[0] else _SECOND
    if isinstance(found, _Stand) and isinstance(found.made, str) and found.arguments == tuple(arguments):
        return found.made
    return None


def _answer(rule: Callable[..., object], places: Sequence[_Stand]) -> object:
    try:
        return rule(_Asked(), *places)
    except TypeError:  # a rule that does more than those of the table is called as it stands
        return None


def value(row: Primitive, m: object) -> Callable[..., Any]:
    """The value rule of a row as a function of the arguments alone."""
    found = None if row.arity is None else _value(row.value, row.arity)
    if isinstance(found, str):
        return getattr(m, found)  # type: ignore[no-any-return]
    return partial(cast("Callable[..., object]", row.value), m) if found is None else found


class Partials(NamedTuple):
    """The partials of a row of one or two arguments, in any arithmetic.

    `each` has one rule `(m, z, *arguments)` for each position; `always` is the tuple of them where it is the same at
    every point, else None.  `of_argument` names the function of the arithmetic that the only partial is of the only
    argument ("" for none), and `crossed` says that each of two partials is the other argument.
    """

    each: tuple[PartialRule, ...]
    always: tuple[int, ...] | None
    of_argument: str
    crossed: bool


def partials(row: Primitive) -> Partials | None:
    """What the partials of a row come to; None for rows of more than two arguments."""
    rules = row.partials
    if not isinstance(rules, tuple) or len(rules) > 2:
        return None
    return _partials(rules, tuple([row.kink(position) for position in range(len(rules))]))


@lru_cache(maxsize=1024)
def _partials(rules: tuple[PartialRule | None, ...], kinks: tuple[Kink | None, ...]) -> Partials:
    pairs = [(rule or _nothing, kink) for rule, kink in zip(rules, kinks, strict=True)]
    each = tuple([_by_convention(rule, kink) for rule, kink in pairs])
    # A rule with a convention beside it has to look at its point each time.
    found = [_partial(rule, len(rules)) if rule is told else None for (rule, _), told in zip(pairs, each, strict=True)]
    numbers = tuple([x for x in found if isinstance(x, int)])
    name = found[0] if len(found) == 1 and isinstance(found[0], str) else ""
    return Partials(each, numbers if len(numbers) == len(found) else None, name, found == [_SECOND, _FIRST])


def _nothing(*_: object) -> int:
    return 0


def _by_convention(rule: PartialRule, kink: Kink | None) -> PartialRule:
    """The rule, but with the slope of the convention where the partial does not exist."""
    if kink is None or kink.slope is None:
        return rule
    holds, slope = kink.holds, kink.slope
    return lambda m, z, *a: rule(m, z, *a) if holds(m, *a) else slope(m, *a)


def apply(row: Primitive, m: Evaluating[T], arguments: Sequence[T]) -> T:
    """The value of one operation; nan or an infinity where the arithmetic itself would raise."""
    try:
        return row.value(m, *arguments)
    except (ZeroDivisionError, ValueError):
        return m.undefined
    except OverflowError:
        return m.one * float("inf")


def value_at(row: Primitive, numbers: tuple[float, ...]) -> float:
    """The value of one operation on doubles.  Raises DomainProblem where there is none."""
    broken = row.broken(FLOAT, numbers)
    if broken is not None:
        found = ", ".join(f"{number!r}" for number in numbers)
        raise DomainProblem(broken.title, label=f"{row.name} was given {found}")
    return float(apply(row, FLOAT, numbers))


def partials_at(
    row: Primitive, m: Evaluating[T], z: T, arguments: Sequence[T], wanted: Sequence[bool]
) -> list[T | float | None]:
    """The partials of one operation at a point; undefined ones where the arithmetic itself would raise."""
    try:
        partials = row.gradient(m, z, arguments, wanted)
    except (ZeroDivisionError, OverflowError, ValueError):
        # One rule at a time, so that a partial without a number does not take the others with it.
        partials = []
        for position, wish in enumerate(wanted):
            alone = tuple(k == position and wish for k in range(len(wanted)))
            try:
                partials.append(row.gradient(m, z, arguments, alone)[position])
            except (ZeroDivisionError, OverflowError, ValueError):
                partials.append(m.undefined)
    return partials


def check_count(row: Primitive, count: int) -> None:
    """Raise ArityProblem if `row` cannot be called with `count` arguments."""
    if not row.accepts(count):
        raise ArityProblem(f"{row.name} takes {row.arity or f'{row.least} or more'} arguments, got {count}")


@lru_cache(maxsize=1024)
def linearization(row: Primitive) -> Linearization:
    """Return the function `(numbers, wanted)` that gives the value of `row` at doubles, and its partials by position.

    A partial is None where `wanted` is false, and nan if it is undefined.  The function raises DomainProblem outside
    the domain of the row.
    """

    def total(numbers: Sequence[float], wanted: Sequence[bool]) -> tuple[float, list[float | None]]:
        z = value_at(row, tuple(numbers))
        slopes = partials_at(row, FLOAT, z, numbers, wanted)
        return z, [None if slope is None else float(slope) for slope in slopes]

    rules = partials(row)
    if rules is None or row.truth or row.route is not None:
        return total
    return _of_one(row, rules, total) if len(rules.each) == 1 else _of_two(row, rules, total)


def _of_one(row: Primitive, rules: Partials, total: Linearization) -> Linearization:
    """Return what `linearization` does for a row of one argument; it leaves to `total` what has no number."""
    value_of, rule = value(row, RAISING), partial(rules.each[0], RAISING)
    slope_of: Callable[[float], float] | None = getattr(RAISING, rules.of_argument) if rules.of_argument else None
    domain = [check.holds for check in row.domain if not check.told]  # nan tells of the others

    def function(numbers: Sequence[float], wanted: Sequence[bool]) -> tuple[float, list[float | None]]:
        (x,) = numbers
        try:
            for holds in domain:
                if not holds(FLOAT, x):
                    return total(numbers, wanted)
            z = float(value_of(x))
            if wanted[0] and z == z:
                return z, [slope_of(x) if slope_of else float(rule(z, x))]
        except FAULTS:
            pass
        return total(numbers, wanted)

    return function


def _of_two(row: Primitive, rules: Partials, total: Linearization) -> Linearization:
    """Return what `linearization` does for a row of two arguments; it leaves to `total` what has no number."""
    value_of, (left_rule, right_rule) = value(row, RAISING), rules.each
    left_always, right_always = map(float, rules.always or (0, 0))
    domain = [check.holds for check in row.domain]

    def function(numbers: Sequence[float], wanted: Sequence[bool]) -> tuple[float, list[float | None]]:
        x, y = numbers
        left, right = wanted
        try:
            for holds in domain:
                if not holds(FLOAT, x, y):
                    return total(numbers, wanted)
            z = float(value_of(x, y))
            if rules.always:
                return z, [left_always if left else None, right_always if right else None]
            if rules.crossed:
                return z, [y if left else None, x if right else None]
            return z, [
                float(left_rule(RAISING, z, x, y)) if left else None,
                float(right_rule(RAISING, z, x, y)) if right else None,
            ]
        except FAULTS:
            return total(numbers, wanted)

    return function
