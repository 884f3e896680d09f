"""The two kinds of differentiation: a tape that is swept backwards, and tangents that are carried along."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from types import ModuleType
from typing import TYPE_CHECKING, Any

from ..errors import DomainProblem, RequestError
from ..graph.overloading import plain
from ..graph.rules import partials, partials_at
from ..numbers.numpy_arrays import np
from ..table.primitive import Primitive
from .core.array_parts import Gathered, PartAdjoint, begun, getitem, scattered
from .core.evaluation import Differentiable, apply, conj, imag, real
from .core.traced import (
    MANY,
    Traced,
    deeper,
    finite,
    fitted,
    fitted_rows,
    is_complex,
    is_doubles,
    lift,
    number,
    shape,
    zeros_like,
)
from .kink_slopes import collecting

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

    from ..table.arithmetic import PartialRule
    from .core.traced import Doubles, Edges, Keywords, Kind, Linear, Ruled, Sources, Value

_DOUBLES = (float, int)
_MOST = 1 << 22  # numbers in adjoints that are looked at together: 32 megabytes
_NEVER, _ONCE = object(), object()


class MissingRule(RequestError, NotImplementedError):
    """A derivative is asked for that no rule gives."""


def missing(name: str) -> MissingRule:
    """The error for a function without a rule."""
    return MissingRule(f"{name} has no rule for its derivative", help="give it one with defvjp or defjvp")


# --- operations inside a trace ----------------------------------------------------------------------------------------


class AppliedRow:
    """A function of the table with its arguments and its result, inside one trace; the partials when they are asked."""

    __slots__ = ("_found", "inside", "m", "row", "z")

    def __init__(self, row: Primitive, m: Kind, z: Value, inside: tuple[Value, ...]) -> None:
        self.row = row
        self.m = m
        self.z = z
        self.inside = inside
        self._found: dict[int, Any] = {}  # values, or the marks that there is none, or none any more

    def partial(self, k: int) -> Value:
        """The partial with respect to one argument, by the convention of the row where it does not exist.

        It is kept when it is asked for again: one sweep needs no partials of arrays after it.
        """
        found = self._found.get(k, _NEVER)
        if found is _NEVER or found is _ONCE:
            partial = self._elementwise(k) if shape(self.z) else self._single(k)
            self._found[k] = _ONCE if found is _NEVER else partial
            return partial
        return found

    def share(self, g: Value, k: int) -> Value | None:
        """An adjoint times a partial, in the memory of the partial where nobody else has it."""
        partial = self.partial(k)
        weights: NDArray[numpy.inexact] = partial
        bar: NDArray[numpy.inexact] = g
        if (
            self._found[k] is _ONCE
            and type(bar) is type(weights) is np.ndarray
            and weights.base is None
            and (bar.shape, bar.dtype) == (weights.shape, weights.dtype)
            and not any(weights is x for x in (self.z, *self.inside))
        ):
            found = np.multiply(g, partial, out=partial)
        else:
            found = _times(g, partial)
        # What is not asked for contributes nothing, even where it has no derivative: a branch not taken.
        if self.row.domain and shape(found) and not finite(found):
            return np.where(plain(g) == 0, 0.0, found)
        return found

    def _rule(self, k: int) -> Value:
        rules = self.row.partials
        if not isinstance(rules, tuple):
            return rules(self.m, self.z, *self.inside)[k]
        rule = rules[k]
        return 0 if rule is None else rule(self.m, self.z, *self.inside)

    def _single(self, k: int) -> Value:
        if is_complex(self.z) or any(map(is_complex, self.inside)):
            return self._rule(k)
        wanted = tuple([position == k for position in range(len(self.inside))])
        try:
            with collecting(None):
                return partials_at(self.row, self.m, self.z, self.inside, wanted)[k]
        except DomainProblem:  # a rule has divided by 0, and further out the number is not wanted
            return self.m.undefined

    def _elementwise(self, k: int) -> Value:
        """Where the rule gives finite numbers, there is no convention to look for; no derivative where no value is."""
        if any(map(is_complex, self.inside)):
            return self._rule(k)
        if _crossed(self.row):
            return self.inside[1 - k]
        kink = self.row.kink(k)
        with np.errstate(all="ignore"):
            found = self._rule(k)
            if kink is not None and kink.slope is not None and not finite(found):
                found = np.where(kink.holds(self.m, *self.inside), found, kink.slope(self.m, *self.inside))
            if self.row.domain and not finite(self.z):
                found = np.where(np.isnan(plain(self.z)), np.nan, found)
        return found


class AppliedFunction:
    """A function with a rule of its own, with its arguments and its result, inside one trace.

    Raises MissingRule where neither the asked map nor its transpose is known.
    """

    __slots__ = ("function", "inside", "keywords", "z")

    def __init__(self, function: Ruled, z: Value, inside: Sequence[Value], keywords: Keywords) -> None:
        self.function = function
        self.z = z
        self.inside = inside
        self.keywords = keywords

    def pull(self, k: int) -> Linear:
        """The linear map from an adjoint of the result to the share of argument k."""
        found = self.function.pull(k, self.z, self.inside, self.keywords)
        return self._transposed(self.function.push, k, self.inside[k]) if found is None else found

    def rows(self, k: int, g: Doubles) -> Doubles | None:
        """The shares of argument k in many adjoints at once; None where the rule is for one."""
        rule = self.function.rows if isinstance(self.function, Differentiable) else None
        return None if rule is None else rule(k, g, self.z, *self.inside, **self.keywords)

    def push(self, k: int) -> Linear:
        """The linear map from a tangent of argument k to its share in that of the result."""
        found = self.function.push(k, self.z, self.inside, self.keywords)
        return self._transposed(self.function.pull, k, self.z) if found is None else found

    def _transposed(self, other: Callable[..., Linear | None], k: int, like: Value) -> Linear:
        found = other(k, self.z, self.inside, self.keywords)
        if found is None:
            raise missing(self.function.name)
        return transposed(found, like)


def _times(x: Value, weight: Value) -> Value | None:
    """An adjoint or a tangent times a partial, without operations for those that are whole by their rule."""
    if type(weight) is int:
        return x if weight == 1 else -x if weight == -1 else None if weight == 0 else x * weight
    return x * weight


# --- traces -----------------------------------------------------------------------------------------------------------


@cache
def _dispatch() -> ModuleType:
    from .numpy import dispatch  # which is loaded with all rules for NumPy's functions when one of them is met

    return dispatch


def _astype(x: Value, dtype: object, casting: str) -> Value:
    from .numpy import rearranging

    return rearranging.convert(x, dtype, casting)


_METHODS: Mapping[str, Callable[..., Value]] = {
    "real": real, "imag": imag, "conjugate": conj, "astype": _astype,
}  # fmt: skip


class Library:
    """What functions are for values of every trace: those of the table, and those of NumPy."""

    __slots__ = ("level",)

    operate = staticmethod(apply)
    getitem = staticmethod(getitem)

    def __init__(self, level: int) -> None:
        self.level = level

    def ufunc(self, called: Callable[..., Value], method: str, inputs: Sequence[Value], keywords: Keywords) -> Value:
        return _dispatch().ufunc(called, method, inputs, keywords)

    def function(self, called: Callable[..., Value], arguments: Sequence[Value], keywords: Keywords) -> Value:
        return _dispatch().function(called, arguments, keywords)

    def method(self, name: str) -> Callable[..., Value]:
        return _METHODS[name]


class Tape(Library):
    """Reverse mode.  `edges` has for each place the places of its arguments with the way back to each.

    A way back is a number to multiply the adjoint with, or a linear map.
    """

    __slots__ = ("edges",)

    def __init__(self, level: int) -> None:
        super().__init__(level)
        self.edges: list[Edges] = []

    def input(self, value: Value) -> Traced:
        """A value that the derivative is asked for."""
        return self._recorded(value, ())

    def _recorded(self, value: Value, edges: Edges) -> Traced:
        self.edges.append(edges)
        return lift(value, self, len(self.edges) - 1)

    def elementwise(self, row: Primitive, m: Kind, z: Value, inside: tuple[Value, ...], sources: Sources) -> Traced:
        rule = _smooth(row) if shape(z) and is_doubles(z) and z.size < MANY else None
        if rule is not None:  # for few numbers the partial is less than what would remember how to find it
            with np.errstate(all="ignore"):
                return self._recorded(z, ((sources[0][1], rule(m, z, *inside)),))
        applied = AppliedRow(row, m, z, inside)
        if type(plain(z)) is float and all(type(plain(a)) in _DOUBLES for a in inside):
            edges = tuple([(mark, applied.partial(k)) for k, mark in sources])
        else:
            edges = tuple([(mark, _way(applied, k)) for k, mark in sources])
        return self._recorded(z, edges)

    def general(
        self, function: Ruled, z: Value, inside: Sequence[Value], keywords: Keywords, sources: Sources
    ) -> Traced:
        applied = AppliedFunction(function, z, inside, keywords)
        return self._recorded(z, tuple([(mark, _Back(applied, k)) for k, mark in sources]))

    def adjoints(self, seeds: Mapping[int, Value], wanted: Sequence[int], once: bool = False) -> list[Value | None]:
        """The derivative of the seeded combination of places with respect to the wanted ones; None for no dependence.

        Adjoints are let go as soon as they have been handed on, and with `once` the tape as well.
        """
        edges = self.edges
        bars: list[Any] = [None] * len(edges)  # adjoints, and those that are being gathered
        for place, seed in seeds.items():
            bars[place] = seed if bars[place] is None else bars[place] + seed
        for place in range(max(seeds, default=-1), -1, -1):
            bar = bars[place]
            ways = edges[place]
            if bar is None or not ways:
                continue
            bars[place] = None
            if once:
                edges[place] = ()
            if type(bar) is Gathered:
                bar = bar.array
            for parent, way in ways:
                kind = type(way)
                if kind is float:
                    share = bar * way
                elif kind is int:
                    if way == 0:
                        continue
                    share = bar if way == 1 else -bar if way == -1 else bar * way
                elif callable(way):
                    share = way(bar)
                    if share is not None:
                        bars[parent] = _joined(bars[parent], share)
                    continue
                else:
                    share = bar * way
                if type(share) is not float:
                    bars[parent] = _joined(bars[parent], share)
                    continue
                before = bars[parent]
                bars[parent] = share if before is None else before + share
        found = [bars[place] for place in wanted]
        return [bar.array if type(bar) is Gathered else bar for bar in found]

    def adjoints_of_rows(self, mark: int, rows: Doubles, wanted: Sequence[int]) -> list[Doubles | None] | None:
        """The same for many seeds of one place at once, along a first axis, which is that of what is found too.

        None where that would take much memory.
        """
        bars: dict[int, Doubles] = {mark: rows}
        for place in range(mark, -1, -1):
            ways = self.edges[place]
            if place not in bars or not ways:
                continue
            bar = bars.pop(place)
            for parent, way in ways:
                if isinstance(way, (_Share, _Back)):
                    if len(bar) * np.size(way.x) > _MOST:
                        return None
                    share = way.rows(bar)
                else:
                    share = None if type(way) is int and way == 0 else bar * way
                if share is not None:
                    bars[parent] = bars[parent] + share if parent in bars else share
            if sum([x.size for x in bars.values()]) > _MOST:
                return None
        return [bars.get(place) for place in wanted]


def _joined(before: Value | Gathered | None, share: Value | PartAdjoint) -> Value | Gathered:
    """The sum of contributions; from the second on they are gathered in one array that is nobody else's."""
    if type(share) is PartAdjoint:
        gathered = before if type(before) is Gathered else Gathered(begun(share, before))
        gathered.add(share)
        return gathered
    if before is None:
        return share
    if type(before) is Gathered:
        return before.plus(share)
    total = before + share
    if isinstance(total, (float, complex, Traced)):  # no array, and no reason to load NumPy
        return total
    return Gathered(total) if type(total) is np.ndarray else total


@cache
def _always(row: Primitive) -> tuple[int, ...]:
    """The partials of a row, where they are the same whole numbers at every point; else ()."""
    known = partials(row)
    return () if known is None else known.always or ()


@cache
def _crossed(row: Primitive) -> bool:
    """Whether a row is the product of its arguments, each of which is the partial of the other."""
    known = partials(row)
    return known is not None and known.crossed


def _way(applied: AppliedRow, k: int) -> Value | Linear:
    """The way back to one argument: a whole number where that is all, so that the tape need not keep the operation."""
    always, z, x = _always(applied.row), applied.z, applied.inside[k]
    return always[k] if always and shape(z) == shape(x) and is_complex(z) == is_complex(x) else _Share(applied, k)


@cache
def _smooth(row: Primitive) -> PartialRule | None:
    """The partial of a row of one argument that has a value and a slope everywhere: nothing is decided later."""
    rules = row.partials
    if not isinstance(rules, tuple) or len(rules) != 1:
        return None
    return None if row.domain or row.kink(0) is not None else rules[0]


class _Share:
    """The way back through a function of the table to one argument."""

    __slots__ = ("applied", "k")

    def __init__(self, applied: AppliedRow, k: int) -> None:
        self.applied = applied
        self.k = k

    @property
    def x(self) -> Value:
        """The argument."""
        return self.applied.inside[self.k]

    def __call__(self, g: Value) -> Value | None:
        return fitted(self.applied.share(g, self.k), self.x)

    def rows(self, g: Doubles) -> Doubles | None:
        """The same for many adjoints along a first axis."""
        found = self.applied.share(g, self.k)
        return None if found is None else fitted_rows(found, self.x)


class _Back:
    """The way back through a rule to one argument; the map is made when it is first gone."""

    __slots__ = ("applied", "k", "map")

    def __init__(self, applied: AppliedFunction, k: int) -> None:
        self.applied = applied
        self.k = k
        self.map: Linear | None = None

    @property
    def x(self) -> Value:
        """The argument."""
        return self.applied.inside[self.k]

    def __call__(self, g: Value) -> Value | PartAdjoint | None:
        if self.map is None:
            self.map = self.applied.pull(self.k)
        return _realness(self.map(g), self.x)

    def rows(self, g: Doubles) -> Doubles | None:
        """The same for many adjoints along a first axis; one after the other where the rule knows no better way."""
        found = self.applied.rows(self.k, g)
        if found is not None:
            return fitted_rows(found, self.x)
        shares = [self(number(row)) for row in g]
        if all(share is None for share in shares):
            return None
        return np.stack([
            zeros_like(self.x) if share is None
            else scattered(share.g, share.index, share.like) if type(share) is PartAdjoint
            else np.broadcast_to(share, shape(self.x))
            for share in shares
        ])  # fmt: skip


def _realness(g: Value | PartAdjoint | None, x: Value) -> Value | PartAdjoint | None:
    return g if g is None or type(g) is PartAdjoint or not is_complex(g) or is_complex(x) else g.real


class Tangents(Library):
    """Forward mode: the mark of a value is its tangent."""

    __slots__ = ()
    edges = None

    def input(self, value: Value, tangent: Value) -> Traced:
        """A value that moves by a tangent."""
        return lift(value, self, tangent)

    def elementwise(self, row: Primitive, m: Kind, z: Value, inside: tuple[Value, ...], sources: Sources) -> Traced:
        applied = AppliedRow(row, m, z, inside)
        return self._moving(z, [_times(mark, applied.partial(k)) for k, mark in sources])

    def general(
        self, function: Ruled, z: Value, inside: Sequence[Value], keywords: Keywords, sources: Sources
    ) -> Traced:
        applied = AppliedFunction(function, z, inside, keywords)
        return self._moving(z, [applied.push(k)(mark) for k, mark in sources])

    def _moving(self, z: Value, shares: Sequence[Value | None]) -> Traced:
        dot: Value | None = None
        for share in shares:
            if share is not None:
                dot = share if dot is None else dot + share
        return lift(z, self, zeros_like(z) if dot is None else _spread(_realness(number(dot), z), z))


def _spread(dot: Value, z: Value) -> Value:
    """A tangent in the shape and the type of its value, where it came from an argument that was broadcast or wider."""
    if shape(dot) != shape(z):
        dot = np.broadcast_to(dot, shape(z))
    want = getattr(plain(z), "dtype", None)
    if want is None or want.kind not in "fc" or getattr(plain(dot), "dtype", None) == want:
        return dot
    return want.type(dot) if isinstance(dot, (float, complex)) else _astype(dot, want, "unsafe")


def transposed(map_: Linear, like: Value) -> Linear:
    """The transpose of a linear map whose argument is like `like`."""
    with deeper() as level:
        tape = Tape(level)
        x = tape.input(zeros_like(like))
        y = map_(x)
    if not isinstance(y, Traced) or y.tracer is not tape:
        return lambda g: None
    mark = y.mark
    return lambda g: tape.adjoints({mark: g}, [x.mark])[0]
