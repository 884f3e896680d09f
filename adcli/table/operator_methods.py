"""Methods of Python's operators for numbers that leave them to an arithmetic, by the names of rows (add, mul, lt)."""

from __future__ import annotations

import operator
from collections.abc import Callable

from ..typings import Any, Self, TypeVar

# Operators are Any to a type checker: they return a number of the same kind, a plain number, an array, a truth value …
Method = Callable[..., Any]
Kind = TypeVar("Kind")


def _unary(name: str) -> Method:
    return lambda self: self.call_row(name, self)


def _binary(name: str) -> tuple[Method, Method]:
    """Return the methods for the row called `name` and its reflection, for which the other operand is on the left."""
    return lambda self, other: self.call_row(name, self, other), lambda self, other: self.call_row(name, other, self)


def _by_arithmetic(name: str) -> tuple[Method, Method]:
    """Return the methods for the row called `name` in the arithmetic `m` of the number, and its reflection."""
    return lambda self, other: getattr(self.m, name)(self, other), lambda self, other: getattr(self.m, name)(
        other, self
    )


def _comparison(name: str) -> Method:
    return lambda self, other: self.compare_with(name, other)


def with_operators(methods: Callable[[str], tuple[Method, Method]]) -> Callable[[type[Kind]], type[Kind]]:
    """Return a decorator that sets the operators + - * / and ** of a class, and their reflections, in place, and
    returns the class.

    `methods` returns (the method, its reflection) for the name of a row: add, sub, mul, div, pow. Methods that the
    class has already are replaced.
    """

    def decorate(kind: type[Kind]) -> type[Kind]:
        """Set the ten methods of the class."""
        for name, sign in (("add", "add"), ("sub", "sub"), ("mul", "mul"), ("div", "truediv"), ("pow", "pow")):
            method, reflection = methods(name)
            setattr(kind, f"__{sign}__", method)
            setattr(kind, f"__r{sign}__", reflection)
        return kind

    return decorate


class ArithmeticOperators:
    """The operators + - * / ** %, the signs, absolute values and whole numbers: each calls `call_row` with the name of
    its row and its operands in order."""

    __slots__ = ()

    def call_row(self, name: str, *operands: Any) -> Any:
        """Return the result of the row called `name` at the operands, of which at least one is this number."""
        raise NotImplementedError

    __add__, __radd__ = _binary("add")
    __sub__, __rsub__ = _binary("sub")
    __mul__, __rmul__ = _binary("mul")
    __truediv__, __rtruediv__ = _binary("div")
    __neg__ = _unary("neg")
    __pow__, __rpow__ = _binary("pow")
    __mod__, __rmod__ = _binary("mod")
    __abs__ = _unary("abs")
    __floor__ = _unary("floor")
    __ceil__ = _unary("ceil")

    def __pos__(self) -> Self:
        return self


class Reflections:
    """The operators + - * / with a number of another kind on the left: it becomes one of this kind first; powers and
    remainders by the arithmetic `m`."""

    __slots__ = ()
    alike: Callable[..., Any]  # returns its argument as a number of this kind

    __pow__, __rpow__ = _by_arithmetic("pow")
    __mod__, __rmod__ = _by_arithmetic("mod")

    def __pos__(self) -> Self:
        return self

    def __radd__(self: Any, other: object) -> Any:
        return self + other

    def __rmul__(self: Any, other: object) -> Any:
        return self * other

    def __rsub__(self, other: object) -> Any:
        return self.alike(other) - self

    def __rtruediv__(self, other: object) -> Any:
        return self.alike(other) / self


class Comparisons:
    """The comparisons < <= > >= == and !=: each calls `compare_with` with the name of its row and the other operand.

    `&` and `|`, which connect two conditions, are those of the arithmetic `m`.
    """

    __slots__ = ()

    def compare_with(self, name: str, other: Any) -> Any:
        """Return whether the comparison called `name` holds of this number and the other one."""
        raise NotImplementedError

    __lt__, __le__, __gt__, __ge__ = map(_comparison, ("lt", "le", "gt", "ge"))
    __eq__, __ne__ = map(_comparison, ("eq", "ne"))
    __and__, __rand__ = _by_arithmetic("both")
    __or__, __ror__ = _by_arithmetic("either")


def _by_rank(relation: Method) -> Method:
    return lambda self, other: bool(relation(self.rank, other.rank if isinstance(other, Ranked) else other))


class Ranked:
    """A number that is compared by its `rank`, a number of another kind; other numbers are compared as they are."""

    __slots__ = ()

    @property
    def rank(self) -> Any:
        raise NotImplementedError

    __lt__, __le__, __gt__, __ge__ = map(_by_rank, (operator.lt, operator.le, operator.gt, operator.ge))
    __eq__, __ne__ = map(_by_rank, (operator.eq, operator.ne))
