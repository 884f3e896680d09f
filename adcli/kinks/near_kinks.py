"""Near kinks: the rows whose kink is reached, or may be, as far as numbers with rounding errors show it.

A difference such as 3*x - 0.9 at x = 0.3 is not 0 in doubles, so that a comparison of doubles misses the kink of its
absolute value. `NearKinks` compares within rounding errors instead; exact arithmetic then decides about these rows.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Sequence

from ..graph.graph import Graph
from ..graph.order import kinked_slots
from ..graph.rules import FAULTS
from ..numbers.doubles import FLOAT, T
from ..records import NamedTuple
from ..table.operator_methods import Comparisons
from ..table.primitive import Kink, Primitive
from ..typings import TYPE_CHECKING, Any, Generic, TypeAlias, cast, override

if TYPE_CHECKING:
    from ..table.arithmetic import Comparison, Evaluating, Operand, Predicate

    Read: TypeAlias = Callable[[int], Operand]  # gives the value of a slot; None without one
    Error: TypeAlias = Operand | float | None
    Errors: TypeAlias = Sequence[Operand | float | None]

_REVERSED = {"lt": "gt", "le": "ge"}
_ROUNDING = 2.0**-44  # error of an operation, relative to its value or terms; so large that it covers some before it
DEEPEST = 4  # operations that errors are followed through, for one point
SHALLOW = 3  # the same for many points
_MOST_BITS = 2.0**18, 2.0**8  # size and denominator of numbers whose sums and products are exact


class Near(Comparisons, Generic[T]):
    """A number of any arithmetic with a bound of its error; a comparison holds if it holds of all numbers within the
    bounds.

    Only `==` holds if it may hold, because rules use it for exceptions from a kink. The error None means one rounding
    of the number itself, which cannot change its sign.
    """

    __slots__ = ("_error_bound", "m", "value")

    def __init__(self, m: Evaluating[T], value: T | float, error: T | float | None = 0) -> None:
        self.m, self.value, self._error_bound = m, value, error

    @property
    def error(self) -> T | float:
        return self.m.abs(self.value) * _ROUNDING if self._error_bound is None else self._error_bound

    def _near(self, other: Near[T] | float) -> Near[T]:
        return other if isinstance(other, Near) else Near(self.m, other)

    def __add__(self, other: Near[T] | float) -> Near[T]:
        x = self._near(other)
        return Near(self.m, self.value + x.value, self.error + x.error)

    def __neg__(self) -> Near[T]:
        return Near(self.m, -self.value, self._error_bound)

    def __sub__(self, other: Near[T] | float) -> Near[T]:
        if self._error_bound is None and isinstance(other, int) and other == 0:
            return Near(self.m, self.value)
        x = self._near(other)
        return Near(self.m, self.value - x.value, self.error + x.error)

    def __mul__(self, other: Near[T] | float) -> Near[T]:
        x = self._near(other)
        return Near(self.m, self.value * x.value, self._times(self.value, x.error) + self._times(x.value, self.error))

    __rmul__ = __mul__

    def __truediv__(self, other: Near[T] | float) -> Near[T]:
        x, quotient = self._near(other), self.value / self._near(other).value
        own_error = self.m.abs(quotient) * _ROUNDING
        return Near(self.m, quotient, own_error + (self.error + self._times(quotient, x.error)) / self.m.abs(x.value))

    def _times(self, value: T | float, error: T | float) -> T | float:
        """Return |value| · error, without an operation if the error is the number 0."""
        return 0 if _is_zero(error) else self.m.abs(value) * error

    @override
    def compare_with(self, name: str, other: Near[T] | float) -> Any:
        """Return whether the comparison called `name` (lt, le, gt, ge, eq, ne) holds for all numbers within both
        errors.

        "eq" is different: it holds if the numbers may be equal; "ne" holds if they must differ. `other` may be a plain
        number, which is exact. "lt" and "le" are "gt" and "ge" with the operands exchanged.
        """
        if name in _REVERSED:
            return self._near(other).compare_with(_REVERSED[name], self)
        x = self - other
        if name in ("gt", "ge"):
            return getattr(operator, name)(x.value, x.error)
        if _is_zero(x.error):
            return getattr(operator, name)(x.value, 0)
        return getattr(operator, {"eq": "le", "ne": "gt"}[name])(self.m.abs(x.value), x.error)


def _is_zero(x: object) -> bool:
    return isinstance(x, (int, float)) and x == 0


class NearNumbers(Generic[T]):
    """The arithmetic of `Near` numbers over another one, as far as the conditions of kinks use it."""

    def __init__(self, m: Evaluating[T]) -> None:
        self.m = m

    @property
    def e(self) -> Near[T]:
        return Near(self.m, self.m.e)

    def floor(self, x: Near[T]) -> Near[T]:
        """Return the largest integer up to which the number may reach."""
        return self._whole(self.m.floor(x.value + x.error), x)

    def ceil(self, x: Near[T]) -> Near[T]:
        return self._whole(self.m.ceil(x.value - x.error), x)

    def _whole(self, whole: T, x: Near[T]) -> Near[T]:
        """Return the integer that `x` may reach, whose sum of value and error was rounded."""
        return Near(self.m, whole, 0 if _is_zero(x.error) else self.m.abs(whole) * 2.0**-52)

    def max(self, *xs: Near[T]) -> Near[T]:
        return Near(self.m, self.m.max(*[x.value for x in xs]), sum([x.error for x in xs[1:]], xs[0].error))

    def lt(self, a: Near[T], b: Near[T]) -> Comparison:
        less: Comparison = a < b
        return less

    def choose(self, condition: T, a: T, b: T) -> T:
        return self.m.choose(condition, a, b)


class KinkTest(NamedTuple):
    """A condition for the kink of a row to be out of reach.

    slot           that of the row
    kink           the kink
    slots          the slots that the condition is about
    decides_value  whether the row jumps there or is vertical, so that rounding errors of its arguments may make its
                   value wrong
    """

    slot: int
    kink: Kink
    slots: tuple[int, ...]
    decides_value: bool


class NearKinks:
    """The kinks of a graph, with conditions for being out of their reach by rounding errors, in any arithmetic.

    Errors are followed through `depth` operations below each kink.
    """

    def __init__(self, graph: Graph, depth: int = DEEPEST, *, seams: bool = False) -> None:
        """Collect in `tests` a KinkTest for each kink of a slot that depends on an input, with `seams` for seams too.

        `depth` is the number of operations below a kink whose errors count. `decides_value` is True in two cases: the
        row jumps or has a slope by convention there, and an argument is computed; or a row of several arguments jumps,
        since 0.6 mod 0.2 is 0 and that of their doubles is not.
        """
        self._graph = graph
        self._depth = depth
        self.tests = []
        for slot, kinks, parents in kinked_slots(graph, seams=seams):
            used = tuple(dict.fromkeys(self._used_slots(slot)))
            is_computed = any(graph.rows[p] is not None for p in parents)
            for kink in kinks:
                jumps = kink.sides is None
                has_quotient = jumps and len(parents) > 1
                decides_value = has_quotient or (is_computed and (jumps or kink.slope is not None))
                self.tests.append(KinkTest(slot, kink, used, decides_value))

    def slots(self, values: Sequence[float | None]) -> frozenset[int]:
        """Return the slots whose kink is reached, or may be within rounding errors, for the doubles `values` by slot.

        Slots that are None, and slots with an argument that is None or nan, are left out.
        """
        near = set()
        for test in self.tests:
            arguments = [values[p] for p in self._graph.parents[test.slot]]
            if values[test.slot] is None or any(a is None or a != a for a in arguments):
                continue
            if not self.is_clear(FLOAT, test, values.__getitem__):
                near.add(test.slot)
        return frozenset(near)

    def is_clear(self, m: Any, test: KinkTest, read: Callable[[int], Any]) -> Any:
        """Return the condition, in the arithmetic `m`, that the kink of `test` is out of reach of rounding errors.

        `read` gives the number of a slot in `m`, None for a slot without a value. False if a rule raises
        ZeroDivisionError, ValueError or OverflowError.
        """
        try:
            parents = self._graph.parents[test.slot]
            errors = [self._error_bound(m, p, read, self._depth) for p in parents]
            arguments = [Near(m, read(p), error) for p, error in zip(parents, errors, strict=True)]
            return cast("Callable[..., Any]", test.kink.holds)(NearNumbers(m), *arguments)
        except FAULTS:  # a partial that is infinite
            return False

    def predicate(self, test: KinkTest, slots: Sequence[int]) -> Predicate:
        """Return the condition of a test as a rule `(m, *values)`; `values` are those of `slots`, all other slots have
        none.
        """
        return lambda m, *values: self.is_clear(m, test, dict(zip(slots, values, strict=True)).get)

    def _used_slots(self, slot: int) -> Iterator[int]:
        """Yield the slots that the errors of the arguments of a slot are computed from."""
        level: Sequence[int] = self._graph.parents[slot]
        for _ in range(self._depth + 2):
            yield from level
            level = list(dict.fromkeys(p for s in level for p in self._graph.parents[s]))

    def _error_bound(self, m: Evaluating[Operand], slot: int, read: Read, depth: int) -> Error:
        """Return a bound of the rounding error of `slot`: a number in `m`, or None for one rounding of the slot's
        value.

        `read` gives the value of a slot in `m`. `depth` is the number of operations below the slot that are followed (a
        sum in a sum counts as two); from 0 on arguments count as exact. The first that applies:

        - inputs, constants, conditions and slots without a value: 0
        - choices: the error of the branch; if both branches have values, the choice of the condition among their errors
        - sums of inputs and constants: None; other sums: the errors of the terms and 2^-44 of the sum of their sizes
        - a `depth` of 0, or products of exact numbers: None
        - every other operation: to first order from the errors of the arguments (`_error_of_function`)
        """
        row, parents, z = self._graph.rows[slot], self._graph.parents[slot], read(slot)
        if row is None or z is None or row.truth:
            return 0
        errors: list[Error] = [0] * len(parents)
        if depth > 0:
            errors = [self._error_bound(m, p, read, depth - self._count_steps(row, p)) for p in parents]
        if row.route is not None:
            return self._error_of_branch(m, parents, read, errors)
        if row.signs:
            return None if _are_leaves(self._graph, parents) else _error_of_sum(m, [read(p) for p in parents], errors)
        if depth <= 0 or (row.exponents and all(e is None or _is_zero(e) for e in errors)):
            return None
        return self._error_of_function(m, slot, read, errors)

    def _error_of_function(self, m: Evaluating[Operand], slot: int, read: Read, errors: Errors) -> Error:
        """Return the error of the operation in `slot`, to first order: its rounding (2^-44 of its size), and |slope|
        times each argument's error.

        `errors` are those of the arguments, by position; 0 and None count as a rounding of the argument, since an input
        need not be its decimal exactly. Constants have no slope here. `read` gives the value of a slot in the
        arithmetic `m`.
        """
        z, parents = read(slot), self._graph.parents[slot]
        arguments = [read(p) for p in parents]
        moving = tuple([self._graph.constants.get(p) is None for p in parents])
        error = m.abs(z) * _ROUNDING
        slopes = self._graph.row(slot).rules(m, z, arguments, moving)
        for slope, x, e in zip(slopes, arguments, errors, strict=True):
            if slope is not None and not _is_zero(slope):
                error = error + m.abs(slope) * Near(m, x, None if _is_zero(e) else e).error
        return error

    def _count_steps(self, row: Primitive, parent: int) -> int:
        """Return 2 for a sum in a sum, because the outer one covers the inner one; 1 for every other operation."""
        inner = self._graph.rows[parent]
        return 2 if row.signs and inner is not None and inner.signs else 1

    def _error_of_branch(
        self, m: Evaluating[Operand], parents: Sequence[int], read: Read, errors: list[Error]
    ) -> Error:
        """Return the error of a choice: that of its branch, or the choice among the errors of two."""
        pairs = zip(parents[1:], errors[1:], strict=True)
        bounds = [Near(m, x, error).error for p, error in pairs if (x := read(p)) is not None]
        return bounds[0] if len(bounds) == 1 else m.choose(read(parents[0]), *bounds)


def _error_of_sum(m: Evaluating[Operand], terms: Sequence[Operand], errors: Sequence[Error]) -> Error:
    """Return a bound of the rounding error of a sum: the `errors` of its terms and a rounding of their sizes."""
    sizes = [m.abs(term) for term in terms]
    own_error = sum(sizes[1:], sizes[0]) * _ROUNDING
    return sum([e for e in errors if e is not None and not _is_zero(e)], own_error)


def _are_leaves(graph: Graph, slots: Sequence[int]) -> bool:
    return all(graph.rows[p] is None for p in slots)


def has_few_bits(x: float) -> bool:
    """Return whether a number is a multiple of 2^-8 and below 2^18 in size, so that it is the decimal it stands for."""
    size, denominator = _MOST_BITS
    return abs(x) < size and (x * denominator).is_integer()


def is_exact(graph: Graph, values: Sequence[float | None], slot: int) -> bool:
    """Return whether the double of `slot` in `values` is exact enough that comparisons of it are right.

    True for an input or constant, which counts as its decimal, even without a value. True for a sum or product, if it
    and all numbers that it is computed from are multiples of 2^-8 and below 2^18 in size (so 2 * 0.1 is not). A sum of
    leaves that is 0 is exact, whatever its leaves. False for other operations, and if a number is missing.
    """
    pending = [slot] if graph.rows[slot] is not None else []
    seen: set[int] = set()
    while pending:
        s = pending.pop()
        z, row = values[s], graph.rows[s]
        if z == 0 and row is not None and row.signs and _are_leaves(graph, graph.parents[s]):
            continue
        if z is None or not has_few_bits(z):
            return False
        if row is not None and not row.signs and row.exponents != (1, 1):
            return False
        pending += [p for p in graph.parents[s] if p not in seen]
        seen.update(graph.parents[s])
    return True
