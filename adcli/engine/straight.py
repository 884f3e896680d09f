"""A graph as a straight list of steps for arrays: the table read with stand-ins for what NumPy's functions give."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from ..extras import Later
from ..graph.graph import Graph
from ..graph.order import ancestors
from ..graph.rules import apply
from ..numbers.arrays import ARRAYS
from ..numbers.doubles import FLOAT
from ..table.primitive import ROWS, Primitive

if TYPE_CHECKING:
    from ..table.arithmetic import LimitRule

np: Any = Later("numpy", "numpy")

_RELATIONS = {"lt": "less", "le": "less_equal", "gt": "greater", "ge": "greater_equal", "eq": "equal",
              "ne": "not_equal"}  # fmt: skip
# What NumPy calls functions of the arithmetic that work on one array after another.
_RENAMED = {"abs": "absolute", "sign": "sign", "hypot": "hypot", "cbrt": "cbrt", "mod": "remainder"}
_LARGEST_PRODUCT = 6  # whole powers up to this one are products, within 4 ulps of the power


class Step(NamedTuple):
    """A function on inputs and earlier results, by number, and on doubles."""

    function: Callable[..., Any]
    arguments: tuple[int | float, ...]
    truth: bool


def _arithmetic(name: str) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """The operator and its reflection."""
    return (
        lambda self, other: self.m.write(getattr(np, name), self, other),
        lambda self, other: self.m.write(getattr(np, name), other, self),
    )


def _relation(name: str) -> Callable[..., Any]:
    return lambda self, other: getattr(self.m, name)(self, other)


class Result:
    """Stands for the array that a step gives, of doubles or of truth values; operators write further steps."""

    __slots__ = ("m", "number", "truth")
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, m: Straight, number: int, truth: bool = False) -> None:
        self.m = m
        self.number = number
        self.truth = truth

    __add__, __radd__ = _arithmetic("add")
    __sub__, _from = _arithmetic("subtract")
    __mul__, __rmul__ = _arithmetic("multiply")
    __truediv__, __rtruediv__ = _arithmetic("divide")
    __lt__, __le__, __gt__, __ge__ = _relation("lt"), _relation("le"), _relation("gt"), _relation("ge")
    __eq__, __ne__ = _relation("eq"), _relation("ne")

    def __rsub__(self, other: Any) -> Any:
        if self.truth and type(other) in (int, float) and other == 1:  # how the table says `not`
            return self.m.write(np.logical_not, self, truth=True)
        return self._from(other)

    def __neg__(self) -> Result:
        return self.m.write(np.negative, self)

    def __abs__(self) -> Result:
        return self.m.write(np.absolute, self)

    def __and__(self, other: Any) -> Any:
        return self.m.both(self, other)

    def __or__(self, other: Any) -> Any:
        return self.m.either(self, other)

    __rand__, __ror__ = __and__, __or__

    def __bool__(self) -> bool:
        raise TypeError("what holds at some points and not at others is no truth value")


def _alone(arguments: Sequence[Any]) -> bool:
    """Whether these are numbers, and no results."""
    return not any(isinstance(a, Result) for a in arguments)


class Straight:
    """The arithmetic that writes steps.  A step is written once, and what numbers alone say is worked out here."""

    undefined, one, zero = FLOAT.undefined, FLOAT.one, FLOAT.zero
    pi, e = FLOAT.pi, FLOAT.e

    def __init__(self, inputs: int) -> None:
        self.inputs = inputs
        self.steps: list[Step] = []
        self._known: dict[object, Result] = {}

    def write(self, function: Callable[..., Any], *arguments: Any, truth: bool = False) -> Result:
        """The result of a step; what commutes is written in one order."""
        given = [a.number if isinstance(a, Result) else float(a) for a in self._alike(function, arguments)]
        if function in (np.add, np.multiply):
            given.sort(key=lambda a: (type(a) is float, a))
        key = (function, *[repr(a) for a in given])  # -0.0 is not 0.0, and 1.0 no number of a step
        if key not in self._known:
            self._known[key] = Result(self, self.inputs + len(self.steps), truth)
            self.steps.append(Step(function, tuple(given), truth))
        return self._known[key]

    def _alike(self, function: Callable[..., Any], arguments: Sequence[Any]) -> list[Any]:
        """The arguments, truth values made numbers where numbers are wanted."""
        if function in (np.logical_and, np.logical_or, np.logical_not, _number):
            return list(arguments)
        return [
            self.write(_number, a) if isinstance(a, Result) and a.truth and (place or function is not chosen) else a
            for place, a in enumerate(arguments)
        ]

    def __getattr__(self, name: str) -> Callable[..., Any]:
        truth = name in _RELATIONS
        if truth or name in _RENAMED:
            function = getattr(np, _RELATIONS[name] if truth else _RENAMED[name])
        elif ARRAYS.knows(name):
            function = getattr(ARRAYS, name)
        elif name in ROWS:
            return lambda *arguments: ROWS[name].value(self, *arguments)
        else:
            raise AttributeError(name)

        def found(*arguments: Any) -> Any:
            if _alone(arguments):
                return getattr(FLOAT, name)(*map(float, arguments))
            return self.write(function, *arguments, truth=truth)

        setattr(self, name, found)
        return found

    def number(self, x: Any) -> Any:
        return x if isinstance(x, Result) else float(x)

    def _condition(self, x: Any) -> Any:
        return x if not isinstance(x, Result) or x.truth else self.ne(x, 0.0)

    def both(self, a: Any, b: Any) -> Any:
        for one, other in ((a, b), (b, a)):
            if not isinstance(one, Result):
                return self._condition(other) if one else 0.0
        return self.write(np.logical_and, self._condition(a), self._condition(b), truth=True)

    def either(self, a: Any, b: Any) -> Any:
        for one, other in ((a, b), (b, a)):
            if not isinstance(one, Result):
                return 1.0 if one else self._condition(other)
        return self.write(np.logical_or, self._condition(a), self._condition(b), truth=True)

    def choose(self, condition: Any, a: Any, b: Any) -> Any:
        if not isinstance(condition, Result):
            return a if condition else b
        return self.write(chosen, self._condition(condition), a, b)

    def guard(self, limit: LimitRule, rule: Any, *arguments: Any) -> Any:
        return self.choose(limit.where(self, *arguments), limit.value(self, *arguments), rule)

    def max(self, *xs: Any) -> Any:
        return self._extreme(np.maximum, xs)

    def min(self, *xs: Any) -> Any:
        return self._extreme(np.minimum, xs)

    def _extreme(self, join: Callable[..., Any], xs: Sequence[Any]) -> Any:
        found = xs[0]
        for x in xs[1:]:
            found = float(join(found, x)) if _alone((found, x)) else self.write(join, found, x)
        return found

    def div(self, a: Any, b: Any) -> Any:
        return FLOAT.div(float(a), float(b)) if _alone((a, b)) else self.write(np.divide, a, b)

    def pow(self, a: Any, b: Any) -> Any:
        """A power; squares and other small whole ones are products, and half a power is a square root."""
        if _alone((a, b)):
            return FLOAT.pow(float(a), float(b))
        if isinstance(b, Result) or abs(b) > _LARGEST_PRODUCT or b % 0.5:
            return self.write(np.power, a, b)
        if b < 0:
            return self.div(1.0, self.pow(a, -b))
        if b % 1:
            root = self.sqrt(a)
            return root if b == 0.5 else self.pow(a, b - 0.5) * root
        if b <= 1:
            return a if b else 1.0
        return self.pow(a, b - 1) * a if b % 2 else self._square(self.pow(a, b / 2))

    def _square(self, x: Result) -> Result:
        return self.write(np.square, x)


def chosen(condition: Any, a: Any, b: Any, out: Any) -> None:
    """Fills an array with the one where the condition holds and with the other elsewhere.

    Conditions mostly say where there is a value, and hold at all points of a block.
    """
    if not condition.all():
        a = np.where(condition, a, b)
    if out is not a:
        out[...] = a


def _number(truth: Any) -> Any:
    """Truth values as 1 and 0."""
    return truth.astype(float)


def straightened(graph: Graph) -> tuple[Straight, list[int | float]]:
    """The steps that a graph needs, and for each output the number of its result, or the number that it is."""
    m = Straight(len(graph.inputs))
    values: list[Any] = [None] * len(graph)
    for number, slot in enumerate(graph.inputs):
        values[slot] = Result(m, number)
    needed = ancestors(graph, [slot for _, slot in graph.outputs])
    for slot, row in enumerate(graph.rows):
        if row is not None and needed[slot]:
            values[slot] = _read(m, row, [values[parent] for parent in graph.parents[slot]])
        elif slot in graph.constants:
            values[slot] = graph.constants[slot].read(FLOAT)
    return m, [_bare(m, values[slot]) for _, slot in graph.outputs]


def _read(m: Straight, row: Primitive, arguments: list[Any]) -> Any:
    """The value of an operation; one whose rule cannot be read so is asked point by point."""
    if _alone(arguments):
        return float(apply(row, FLOAT, arguments))
    try:
        return m.number(row.value(m, *arguments))
    except (ZeroDivisionError, ValueError, OverflowError):
        return m.undefined
    except TypeError:
        return m.write(np.vectorize(lambda *numbers: apply(row, FLOAT, numbers), otypes=[float]), *arguments)


def _bare(m: Straight, x: Any) -> int | float:
    if not isinstance(x, Result):
        return float(x)
    return m.write(_number, x).number if x.truth else x.number
