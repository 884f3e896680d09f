"""The rules of a row: which of them are simple, found by calling them with placeholders, and one row at one point.

A rule that only adds its arguments, returns one of them or calls one function is replaced in the loops (`plan`) by that
operation.  So the table stays the only definition of a function, and the loops are fast.
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

# The only function that a rule calls on its arguments: an operator, a name of the arithmetic, or None for other rules.
_Summary = Callable[..., object] | str | None
Linearization = Callable[[Sequence[float], Sequence[bool]], tuple[float, list[float | None]]]
FAULTS: Final = (ZeroDivisionError, ValueError, OverflowError)  # of functions of Python outside their domains
_FIRST, _SECOND = (0,), (1,)  # the partial equals the first, the second argument


def _binary(function: Callable[..., object]) -> Callable[[_Placeholder, object], _Placeholder]:
    return lambda self, other: _Placeholder(function, self, other)


class _Placeholder:
    """A placeholder for a number: the result of `function` on `arguments`, or of anything else if that is None."""

    __slots__ = ("arguments", "function")

    def __init__(self, function: _Summary = None, *arguments: object) -> None:
        self.function = function
        self.arguments = arguments

    __add__, __sub__, __mul__ = map(_binary, (operator.add, operator.sub, operator.mul))

    def __neg__(self) -> _Placeholder:
        return _Placeholder(operator.neg, self)

    def _other(self, *arguments: object) -> _Placeholder:
        return _Placeholder()

    __radd__ = __rsub__ = __rmul__ = __truediv__ = __rtruediv__ = _other


class _PlaceholderArithmetic:
    """A placeholder for the arithmetic: each of its functions returns a _Placeholder with its name."""

    def __getattr__(self, name: str) -> Callable[..., _Placeholder]:
        return partial(_Placeholder, name)


@lru_cache(maxsize=1024)
def _summarize_value(rule: ValueRule, arity: int) -> _Summary:
    """Return the function that a value rule calls on exactly its arguments in order; None if it does anything else."""
    arguments = tuple(_Placeholder() for _ in range(arity))
    result = _call_symbolically(rule, arguments)
    return result.function if isinstance(result, _Placeholder) and result.arguments == arguments else None


@lru_cache(maxsize=1024)
def _summarize_partial(rule: PartialRule, arity: int) -> int | str | tuple[int] | None:
    """Return what a partial rule of `arity` arguments equals, if simple.

    That is an int for a constant, _FIRST or _SECOND for one of two arguments, or the name of the function of the
    arithmetic that it calls on all arguments; else None.
    """
    _, *arguments = places = tuple(_Placeholder() for _ in range(1 + arity))
    result = _call_symbolically(rule, places)
    if isinstance(result, int):
        return result
    if result is not None and len(arguments) == 2 and result in arguments:
        return _FIRST if result is arguments[0] else _SECOND
    if isinstance(result, _Placeholder) and isinstance(result.function, str) and result.arguments == tuple(arguments):
        return result.function
    return None


def _call_symbolically(rule: Callable[..., object], places: Sequence[_Placeholder]) -> object:
    """Return the result of a rule for placeholders (of z and the arguments, or the arguments); None if it fails."""
    try:
        return rule(_PlaceholderArithmetic(), *places)
    except TypeError:  # such as a comparison: the rule is not simple
        return None


def value(row: Primitive, m: object) -> Callable[..., Any]:
    """Return the value of a row in the arithmetic `m` as a function of the arguments alone."""
    summary = None if row.arity is None else _summarize_value(row.value, row.arity)
    if isinstance(summary, str):
        return getattr(m, summary)  # type: ignore[no-any-return]
    return partial(cast("Callable[..., object]", row.value), m) if summary is None else summary


class Partials(NamedTuple):
    """The partials of a row of one or two arguments, in any arithmetic.

    each         a rule `(m, z, *arguments)` for each position, conventions at kinks included
    always       the partials as integers if all are constant, else None
    of_argument  if there is one argument: the name of the function of the arithmetic that gives its partial, else ""
    crossed      whether there are two arguments and the partial for each is the other one, as in a product
    """

    each: tuple[PartialRule, ...]
    always: tuple[int, ...] | None
    of_argument: str
    crossed: bool


def partials(row: Primitive) -> Partials | None:
    """Return the Partials of a row; None if it has more than two arguments, or one rule for all its partials."""
    rules = row.partials
    if not isinstance(rules, tuple) or len(rules) > 2:
        return None
    return _summarize_partials(rules, tuple([row.kink(position) for position in range(len(rules))]))


@lru_cache(maxsize=1024)
def _summarize_partials(rules: tuple[PartialRule | None, ...], kinks: tuple[Kink | None, ...]) -> Partials:
    """Return the Partials for these rules (None: the partial is 0) and the kink of each position, if it has one."""
    pairs = [(rule or _zero, kink) for rule, kink in zip(rules, kinks, strict=True)]
    each = tuple([_with_convention(rule, kink) for rule, kink in pairs])
    # A rule with a convention has to compare its arguments at every point, so that it is never simple.
    summaries = [
        _summarize_partial(rule, len(rules)) if rule is original else None
        for (rule, _), original in zip(pairs, each, strict=True)
    ]
    numbers = tuple([x for x in summaries if isinstance(x, int)])
    name = summaries[0] if len(summaries) == 1 and isinstance(summaries[0], str) else ""
    return Partials(each, numbers if len(numbers) == len(summaries) else None, name, summaries == [_SECOND, _FIRST])


def _zero(*_: object) -> int:
    return 0


def _with_convention(rule: PartialRule, kink: Kink | None) -> PartialRule:
    """Return the rule, replaced by the convention of `kink` at arguments where the partial does not exist."""
    if kink is None or kink.slope is None:
        return rule
    holds, slope = kink.holds, kink.slope
    return lambda m, z, *a: rule(m, z, *a) if holds(m, *a) else slope(m, *a)


def apply(row: Primitive, m: Evaluating[T], arguments: Sequence[T]) -> T:
    """Return the value of one operation in the arithmetic `m`.

    It is `m.undefined` if the rule raises ZeroDivisionError or ValueError, and infinite after an OverflowError.
    """
    try:
        return row.value(m, *arguments)
    except (ZeroDivisionError, ValueError):
        return m.undefined
    except OverflowError:
        return m.one * float("inf")


def value_at(row: Primitive, numbers: tuple[float, ...]) -> float:
    """Return the value of one operation on doubles.  Raises DomainProblem outside the domain of the row."""
    broken = row.broken(FLOAT, numbers)
    if broken is not None:
        shown = ", ".join(f"{number!r}" for number in numbers)
        raise DomainProblem(broken.title, label=f"{row.name} was given {shown}")
    return float(apply(row, FLOAT, numbers))


def partials_at(
    row: Primitive, m: Evaluating[T], z: T, arguments: Sequence[T], needed: Sequence[bool]
) -> list[T | float | None]:
    """Return the partials of one operation by position; `z` is its value.

    None where `needed` is false; `m.undefined` for those whose rule raises in the arithmetic `m`.
    """
    try:
        partials = row.gradient(m, z, arguments, needed)
    except (ZeroDivisionError, OverflowError, ValueError):
        # Each rule on its own, so that one that raises does not make the other partials undefined.
        partials = []
        for position, is_needed in enumerate(needed):
            alone = tuple(k == position and is_needed for k in range(len(needed)))
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
    """Return the function `(numbers, needed)` that returns the value of `row` at doubles and its partials by position.

    A partial is None where `needed` is false, and nan if it is undefined.  The function raises DomainProblem outside
    the domain of the row.
    """

    def general(numbers: Sequence[float], needed: Sequence[bool]) -> tuple[float, list[float | None]]:
        z = value_at(row, tuple(numbers))
        slopes = partials_at(row, FLOAT, z, numbers, needed)
        return z, [None if slope is None else float(slope) for slope in slopes]

    rules = partials(row)
    if rules is None or row.truth or row.route is not None:
        return general
    return _quick_linearization(row, rules, general)


def _quick_linearization(row: Primitive, rules: Partials, general: Linearization) -> Linearization:
    """Return a faster function for what `general` does (value and partials at numbers), for a row with the partials
    `rules`.
    """
    value_of, slopes_of = value(row, RAISING), _quick_slopes(rules)
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


def _quick_slopes(rules: Partials) -> Callable[[float, Sequence[float], Sequence[bool]], list[float | None]]:
    """Return the function `(z, numbers, needed)` that returns the partials in doubles; it may raise one of FAULTS.

    A partial that is not `needed` is None, or a number that costs nothing more.
    """
    if rules.crossed:
        return lambda _z, numbers, _needed: [*numbers[::-1]]
    if rules.always:
        always: list[float | None] = [float(slope) for slope in rules.always]
        return lambda *_: always.copy()
    if rules.of_argument:
        slope_of: Callable[[float], float] = getattr(RAISING, rules.of_argument)
        return lambda _z, numbers, _needed: [slope_of(*numbers)]
    return lambda z, numbers, needed: [
        float(rule(RAISING, z, *numbers)) if needed[k] else None for k, rule in enumerate(rules.each)
    ]
