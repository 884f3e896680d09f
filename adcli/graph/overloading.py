"""Python's operators as rows of the table, for everything that stands for a number and records what is done to it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NoReturn, Self, TypeVar

from ..errors import RequestError
from ..overriding import override
from ..table.primitive import ROWS, Primitive, lookup, spellings

if TYPE_CHECKING:
    from typing import Protocol

    class Tracer(Protocol):
        """What writes down, or differentiates, the operations on its values."""

        def operate(self, row: Primitive, arguments: tuple[object, ...]) -> object:
            """The result of a function of the table, for values of this tracer among the arguments."""


# Operators are Any to a checker: what they answer is a number of the kind that they were given, one that is recorded or
# not, an array, or NotImplemented.
Operator = Callable[..., Any]
Kind = TypeVar("Kind", bound="Overloaded")


class TracingProblem(RequestError, TypeError):
    """Python asks a traced value for something that would lose its derivative."""


def _unary(name: str) -> Operator:
    def operator(self: Overloaded) -> object:
        return self.operate(ROWS[name], (self,))

    return operator


def _binary(name: str) -> tuple[Operator, Operator]:
    """The operator and its reflection, which Python calls where the left operand does not know the right one."""

    def operator(self: Overloaded, other: object) -> object:
        return self.operate(ROWS[name], (self, other))

    def reflected(self: Overloaded, other: object) -> object:
        return self.operate(ROWS[name], (other, self))

    return operator, reflected


class Overloaded:
    """A value that answers to Python's operators by `operate(row, arguments)`; comparisons are those of its number."""

    __slots__ = ()
    value: Any  # a number of any kind, an array, or one that another tracer records

    def operate(self, row: Primitive, arguments: tuple[object, ...]) -> object:
        """The result of a function of the table; NotImplemented for an operand that is no number."""
        raise NotImplementedError

    __add__, __radd__ = _binary("add")
    __sub__, __rsub__ = _binary("sub")
    __mul__, __rmul__ = _binary("mul")
    __truediv__, __rtruediv__ = _binary("div")
    __pow__, __rpow__ = _binary("pow")
    __mod__, __rmod__ = _binary("mod")
    __neg__ = _unary("neg")
    __abs__ = _unary("abs")
    __floor__ = _unary("floor")
    __ceil__ = _unary("ceil")

    def __pos__(self) -> Self:
        return self

    def __floordiv__(self, other: object) -> object:
        quotient = self / other
        return quotient.__floor__() if isinstance(quotient, Overloaded) else quotient // 1

    def __rfloordiv__(self, other: object) -> object:
        return (other / self).__floor__()

    def __lt__(self, other: object) -> object:
        return plain(self) < plain(other)

    def __le__(self, other: object) -> object:
        return plain(self) <= plain(other)

    def __gt__(self, other: object) -> object:
        return plain(self) > plain(other)

    def __ge__(self, other: object) -> object:
        return plain(self) >= plain(other)

    def _number_wanted(self, *_: object) -> NoReturn:
        raise TracingProblem(
            "a plain number would lose its derivative",
            label=f"Python asked {self!r} for one",
            help="use the functions of adcli.python or NumPy, such as numpy.sin for math.sin; .value is the number",
        )

    __float__ = __int__ = __complex__ = __trunc__ = __round__ = _number_wanted

    def __index__(self) -> NoReturn:
        raise TracingProblem(
            "a value that is differentiated cannot count or pick",
            label=f"Python asked {self!r} for a whole number",
            help="pass it as it is: choose other arguments with argnum, or --fixed n=3 for adcli trace",
        )

    def __setitem__(self, index: object, value: object) -> NoReturn:
        raise in_place()


def methods_of_the_table(kind: type[Kind]) -> type[Kind]:
    """Return the class with a method for every function of the table, which NumPy calls on elements of object arrays.

    They are set once: a `__getattr__` would make Python look twice for every attribute of every value.
    """
    for name in spellings():
        if not hasattr(kind, name):
            setattr(kind, name, _method(name))
    return kind


def _method(name: str) -> Operator:
    return lambda self, *others: self.operate(lookup(name), (self, *others))


class Tracked(Overloaded):
    """A number of one tracer: its value there and its mark, by which the tracer knows it.

    The mark is a slot of the graph that is being written, a place on a tape, a tangent, or nothing.
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

    def __getattr__(self, name: str) -> Operator:
        """A function of the table as a method, which is how NumPy asks the elements of an array of objects."""
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
    """The error for what would change an array whose numbers are recorded."""
    return TracingProblem(
        "a traced value cannot be changed in place",
        help="build a new one, with numpy.where, numpy.concatenate or numpy.stack",
    )


def plain(x: object) -> Any:  # as `value`
    """The number inside, whatever records around it."""
    while isinstance(x, Overloaded):
        x = x.value
    return x
