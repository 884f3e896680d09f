"""Conditions on intervals: true everywhere, false everywhere or undecided, and the choices that depend on them.

The three arithmetics of intervals (`double_intervals`, `range_arithmetic` and `arb_intervals`) compare and choose in
the same way; each provides the comparisons that are certain of two of its intervals, and their hull.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable

from ..typings import TYPE_CHECKING, Any, override
from .doubles import Ordered, T

if TYPE_CHECKING:
    from ..table.arithmetic import Arithmetic, LimitRule


class Undecided(ArithmeticError):
    """A result depends on a condition that intervals do not decide."""


class Truth:
    """A condition on intervals: it holds everywhere (`always`), nowhere (`never`), or, if both are False, this is not
    known.
    """

    __slots__ = ("always", "never")

    def __init__(self, always: bool, never: bool) -> None:
        self.always = always
        self.never = never

    def __and__(self, other: object) -> Truth:
        other = truth(other)
        return Truth(self.always and other.always, self.never or other.never)

    def __or__(self, other: object) -> Truth:
        other = truth(other)
        return Truth(self.always or other.always, self.never and other.never)

    __rand__, __ror__ = __and__, __or__

    def __invert__(self) -> Truth:
        return Truth(self.never, self.always)

    def __rsub__(self, one: object) -> Truth:
        """Return the negation, which rules write as 1 - condition."""
        return ~self

    def __bool__(self) -> bool:
        if self.always == self.never:
            raise Undecided
        return self.always


def truth(x: object) -> Truth:
    """Return the Truth of a condition: of a Truth itself, and of a number or a range that it is not 0."""
    nonzero = x if isinstance(x, Truth) else x != 0
    return nonzero if isinstance(nonzero, Truth) else Truth(bool(nonzero), not nonzero)


def _comparison_method(name: str = "less", *, swapped: bool = False, negated: bool = False) -> Callable[..., Any]:
    """Return a method `(self, a, b)` of an arithmetic that compares the intervals a and b by the method `name`, "less"
    or "equal", and returns the outcome, a Truth, as a condition of the arithmetic (`self.condition`).

    With `swapped` the operands are in reverse order; with `negated` the outcome is negated.
    """

    def compare(self: Conditional[Any], a: object, b: object) -> object:
        truth: Truth = getattr(self, name)(*((b, a) if swapped else (a, b)))
        return self.condition(~truth if negated else truth)

    return compare


class Conditional(Ordered[T], ABC):
    """The comparisons and choices of an arithmetic of intervals.

    A condition is `one`, `zero`, or `open` if the intervals do not decide it; a choice that depends on an open
    condition is the hull of both branches.
    """

    open: T

    @abstractmethod
    def less(self, a: T | float, b: T | float) -> Truth:
        """Return whether each number of `a` is less than each number of `b`, or none is."""

    @abstractmethod
    def equal(self, a: T | float, b: T | float) -> Truth:
        """Return whether `a` and `b` are the same number, or have no number in common."""

    @abstractmethod
    def truth(self, x: T | float) -> Truth:
        """Return whether `x`, a number or a condition, is certainly not 0, or certainly 0."""

    @abstractmethod
    def hull(self, a: T | float, b: T | float) -> T:
        """Return an interval that holds all numbers of both."""

    def condition(self, truth: Truth) -> T:
        """Return the condition as a number of this arithmetic: `one`, `zero` or `open`."""
        return self.one if truth.always else self.zero if truth.never else self.open

    lt, gt = _comparison_method(), _comparison_method(swapped=True)
    ge, le = _comparison_method(negated=True), _comparison_method(swapped=True, negated=True)
    eq, ne = _comparison_method("equal"), _comparison_method("equal", negated=True)

    @override
    def both(self, a: T | float, b: T | float | None) -> T:
        """Return whether both conditions hold; `b` is None if `a` is false, so that `b` was not evaluated."""
        return self.condition(self.truth(a) & (Truth(False, True) if b is None else self.truth(b)))

    @override
    def either(self, a: T | float, b: T | float | None) -> T:
        """Return whether one of the conditions holds; `b` is None if `a` is true, so that `b` was not evaluated."""
        return self.condition(self.truth(a) | (Truth(True, False) if b is None else self.truth(b)))

    @override
    def choose(self, condition: T | float, a: T | float | None, b: T | float | None) -> T:
        """Return `a` if the condition always holds, `b` if it never does, else the hull of both.

        A branch that was not evaluated is None: in an undecided choice the other one is the result.
        """
        outcome = self.truth(condition)
        if outcome.always or outcome.never:
            return a if outcome.always else b  # type: ignore[return-value]  # a plain number is returned as it is
        if a is None or b is None:
            return b if a is None else a  # type: ignore[return-value]
        return self.hull(a, b)

    @override
    def guard(self, limit: LimitRule, rule: T, *arguments: T) -> T:
        """Return the limit where it applies, else the rule, or the hull of both if that is not known."""
        m: Arithmetic[T] = self  # type: ignore[assignment]  # what it lacks comes from rows
        return self.choose(limit.where(m, *arguments), limit.value(m, *arguments), rule)
