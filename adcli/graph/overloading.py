"""Overloading of Python's operators: on a traced value each applies a function of the table."""

from __future__ import annotations

import operator

from ..errors import RequestError
from ..table.operator_methods import ArithmeticOperators
from ..table.operator_methods import Method as Method
from ..table.primitive import ROWS, Primitive, lookup, spellings
from ..typings import TYPE_CHECKING, Any, NoReturn, Protocol, TypeVar, override

if TYPE_CHECKING:

    class Tracer(Protocol):
        """An object that records or differentiates the operations on its values."""

        def operate(self, row: Primitive, arguments: tuple[object, ...]) -> object:
            """Return the result of the function `row` for arguments of which at least one is a value of this tracer."""


Kind = TypeVar("Kind", bound="Overloaded")


class TracingProblem(RequestError, TypeError):
    """An operation on a traced value that would lose its derivative, such as float(x)."""


def _comparison(relation: Method) -> Method:
    return lambda self, other: relation(plain(self), plain(other))


class Overloaded(ArithmeticOperators):
    """A value whose operators call `operate(row, arguments)`; <, <=, > and >= compare the plain numbers."""

    __slots__ = ()
    value: Any  # a number of any kind, an array, or one that another tracer records

    def operate(self, row: Primitive, arguments: tuple[object, ...]) -> object:
        """Return the result of the function `row`; NotImplemented if an operand is not a number.  Abstract."""
        raise NotImplementedError

    @override
    def call_row(self, name: str, *operands: object) -> Any:
        return self.operate(ROWS[name], operands)

    def __floordiv__(self, other: object) -> object:
        quotient = self / other
        return quotient.__floor__() if isinstance(quotient, Overloaded) else quotient // 1

    def __rfloordiv__(self, other: object) -> object:
        return (other / self).__floor__()

    __lt__, __le__, __gt__, __ge__ = map(_comparison, (operator.lt, operator.le, operator.gt, operator.ge))

    def _refuse_number(self, *_: object) -> NoReturn:
        """Raise TracingProblem, because Python needs a plain number of this value."""
        title = "a plain number would lose its derivative"
        advice = (
            "use the functions of adcli.python or NumPy, such as numpy.sin for math.sin; x.value is the plain number"
        )
        raise TracingProblem(title, label=f"Python needs the plain number of {self!r} here", help=advice)

    __float__ = __int__ = __complex__ = __trunc__ = __round__ = _refuse_number

    def __index__(self) -> NoReturn:
        title = "a traced value cannot be an index or a count"
        advice = (
            "leave this argument out of argnum, or give it to adcli trace as --fixed n=3: then it is a plain number"
        )
        raise TracingProblem(title, label=f"Python needs {self!r} as a whole number here", help=advice)

    def __setitem__(self, index: object, value: object) -> NoReturn:
        raise in_place()


def methods_of_the_table(kind: type[Kind]) -> type[Kind]:
    """Add a method to class `kind` for every name in the table that it lacks, and return the class (a decorator).

    The method calls `self.operate` with the row of this name, `self` and its further arguments. NumPy calls such
    methods (`x.sin()`) on the elements of arrays of objects.  They are set once because a `__getattr__` would slow down
    every missing attribute.
    """
    for name in spellings():
        if not hasattr(kind, name):
            setattr(kind, name, _method(name))
    return kind


def _method(name: str) -> Method:
    """Return a method that applies the function of this name to the value and further arguments."""
    return lambda self, *others: self.operate(lookup(name), (self, *others))


class Tracked(Overloaded):
    """A traced value: its `value`, its `tracer`, and its `mark`, which belongs to the tracer.

    The mark is a slot of the graph that is recorded, an index on a tape, a tangent, or None.
    """

    __slots__ = ("mark", "tracer", "value")
    mark: object
    tracer: Tracer

    def __init__(self, value: object, tracer: Tracer, mark: object) -> None:
        self.value = value
        self.tracer = tracer
        self.mark = mark

    @override
    def operate(self, row: Primitive, arguments: tuple[object, ...]) -> object:
        return self.tracer.operate(row, arguments)

    def __getattr__(self, name: str) -> Method:
        """Return the function of the table called `name` (or with this alias) as a method with this value as first
        argument.

        NumPy calls such methods on elements of object arrays. Raises AttributeError for other names, and for names that
        begin with "_".
        """
        row = None if name.startswith("_") else lookup(name)
        if row is None:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return lambda *others: self.operate(row, (self, *others))

    @override
    def __repr__(self) -> str:
        return f"<{type(self).__name__} {plain(self)!r}>"

    @override
    def __format__(self, form: str) -> str:
        return format(plain(self), form) if form else str(self)


def in_place() -> TracingProblem:
    """Return the error for an assignment into a traced array."""
    title = "a traced value cannot be changed in place"
    return TracingProblem(title, help="build a new array, with numpy.where, numpy.concatenate or numpy.stack")


def plain(x: object) -> Any:  # see Overloaded.value
    """Return the plain number or array inside any number of nested traced values."""
    while isinstance(x, Overloaded):
        x = x.value
    return x
