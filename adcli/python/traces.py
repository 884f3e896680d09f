"""The traces of the two modes of differentiation: a tape for reverse mode, and tangents for forward mode. The mark of a
traced value is its place on the tape, or its tangent. A row is a function of adcli's table, with its rules."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from types import ModuleType

from ..errors import DomainProblem, RequestError
from ..graph.overloading import plain
from ..graph.rules import constant_partials, is_product, partials_at
from ..numbers.numpy_arrays import np
from ..table.primitive import Primitive
from ..typings import TYPE_CHECKING, Any, override
from .core.array_parts import Gathered, PartAdjoint, fit, fit_rows, getitem, scatter, start_adjoint
from .core.contexts import collecting_kinks, deeper
from .core.evaluation import Differentiable, apply, conj, imag, real
from .core.methods import changed_after_use
from .core.traced import (
    MANY,
    Function,
    Traced,
    Values,
    copy_unshared,
    finite,
    is_complex,
    is_doubles,
    lift,
    number,
    shape,
    zeros_like,
)

if TYPE_CHECKING:
    from ..table.arithmetic import PartialRule
    from .core.traced import Doubles, Edges, Keywords, Kind, Linear, Ruled, Sources, Value

_DOUBLES = (float, int)
_MOST = 1 << 22  # numbers in adjoints that are propagated together, and in copies: 32 megabytes
_COPIED = 1 << 15  # from here on the memory of a copy costs more time than two hashes
_WIDTHS = (1021, 1019, 1013, 1009)  # of the table of an array whose columns are summed, primes


class MissingRule(RequestError, NotImplementedError):
    """Raised if a derivative is needed that no rule gives."""


def missing(name: str) -> MissingRule:
    """Return the error for the function `name`, which has no rule for its derivative."""
    return MissingRule(f"the function {name} has no rule for its derivative", help="add a rule with defvjp or defjvp")


# --- operations inside a trace ----------------------------------------------------------------------------------------


class AppliedRow:
    """A function of the table with its arguments `inside` and its result `z`, inside one trace.

    `row` is the function and `m` the arithmetic of its rules; partials are computed when they are needed.
    """

    __slots__ = ("inside", "m", "row", "z")

    def __init__(self, row: Primitive, m: Kind, z: Value, inside: tuple[Value, ...]) -> None:
        self.row = row
        self.m = m
        self.z = z
        self.inside = inside

    def partial(self, k: int) -> Value:
        """Return the partial with respect to argument k, by the convention of the row if it does not exist."""
        return self._partials_of_array(k) if shape(self.z) else self._partial_of_number(k)

    def contribution(self, g: Value, k: int) -> Value | None:
        """Return the adjoint `g` times the partial of argument k; None if the partial is the whole number 0.

        The product is not summed to the shape of the argument. `g` may be many adjoints along a first axis, and the
        result then is, too. In functions with a limited domain, elements of a product that is an array are 0 where `g`
        is 0, if any element is not finite: a branch that is not taken.
        """
        product = _times(g, self.partial(k))
        # An adjoint of 0 contributes 0, even if there is no derivative: a branch that is not taken.
        if self.row.domain and shape(product) and not finite(product):
            return np.where(plain(g) == 0, 0.0, product)
        return product

    def back(self, g: Value, k: int) -> Value | None:
        """Return the contribution of the adjoint `g` to argument k, in the shape of the argument; None for 0."""
        contribution = self.contribution(g, k)
        return None if contribution is None else fit(contribution, self.inside[k])

    def rows(self, g: Doubles, k: int) -> Doubles | None:
        """Return the contributions to argument k for many adjoints along a first axis; None if they are 0."""
        contributions = self.contribution(g, k)
        return None if contributions is None else fit_rows(contributions, self.inside[k])

    def _rule(self, k: int) -> Value:
        """Return the partial by the rule of the row, without conventions for kinks; 0 if it has no rule for k.

        Next to an array, division by Python's number 0 gives an infinity or nan, as NumPy's does."""
        rules, inside = self.row.partials, self.inside
        if shape(self.z):
            inside = tuple([np.float64(a) if type(a) in _DOUBLES and not a else a for a in inside])
        if not isinstance(rules, tuple):
            return rules(self.m, self.z, *inside)[k]
        rule = rules[k]
        return 0 if rule is None else rule(self.m, self.z, *inside)

    def _partial_of_number(self, k: int) -> Value:
        """Return the partial with respect to argument k, which is a number: at a kink the convention of the row.

        It is nan if the rule divides by 0 or leaves a domain. Complex numbers use the rule as it is, with its errors.
        Kinks are not collected.
        """
        if is_complex(self.z) or any(map(is_complex, self.inside)):
            return self._rule(k)
        selected = tuple([position == k for position in range(len(self.inside))])
        try:
            with collecting_kinks(None):
                return partials_at(self.row, self.m, self.z, self.inside, selected)[k]
        except DomainProblem:  # a rule has divided by 0; an adjoint of 0 may still discard the number
            return self.m.undefined

    def _partials_of_array(self, k: int) -> Value:
        """Return the array of partials of argument k, by element, in a shape that broadcasts to that of the result.

        Complex arrays use the rule as it is; the partial of a product x·y is the other factor. Otherwise, if the rule
        is not finite somewhere, elements at a kink of the row get the slope of the kink. For functions with a limited
        domain, the partial is nan where z is nan.
        """
        if any(map(is_complex, self.inside)):
            return self._rule(k)
        if is_product(self.row):
            return self.inside[1 - k]
        kink = self.row.kink(k)
        with np.errstate(all="ignore"):
            slopes = self._rule(k)
            if kink is not None and kink.slope is not None and not finite(slopes):
                slopes = np.where(kink.holds(self.m, *self.inside), slopes, kink.slope(self.m, *self.inside))
            if self.row.domain and not finite(self.z):
                slopes = np.where(np.isnan(plain(self.z)), np.nan, slopes)
        return slopes


class AppliedFunction:
    """A function with a rule of its own, with arguments `inside`, keywords and result `z`, inside one trace.

    A missing `pull` or `push` is replaced by the transpose of the other one. Raises MissingRule if both are missing.
    """

    __slots__ = ("_maps", "function", "inside", "keywords", "z")

    def __init__(self, function: Ruled, z: Value, inside: Values, keywords: Keywords) -> None:
        self.function = function
        self.z = z
        self.inside = inside
        self.keywords = keywords
        self._maps: dict[int, Linear] = {}  # the maps of adjoints that were used, by argument

    def pull(self, k: int) -> Linear:
        """Return the linear map from an adjoint of the result to the contribution to argument k."""
        rule = self.function.pull(k, self.z, self.inside, self.keywords)
        return self._transpose(self.function.push, k, self.inside[k]) if rule is None else rule

    def back(self, g: Value, k: int) -> Value | PartAdjoint | None:
        """Return the contribution of the adjoint `g` to argument k; None for 0."""
        if k not in self._maps:
            self._maps[k] = self.pull(k)
        return _drop_imaginary(self._maps[k](g), self.inside[k])

    def rows(self, g: Doubles, k: int) -> Doubles | None:
        """Return the contributions to argument k for many adjoints `g` along a first axis; None if all are None.

        They have this axis, then the shape of the argument. They are computed one row after the other if the rule
        cannot take all rows at once; a row whose contribution is None gets zeros.
        """
        x = self.inside[k]
        rule = self.function.rows if isinstance(self.function, Differentiable) else None
        contributions = None if rule is None else rule(k, g, self.z, *self.inside, **self.keywords)
        if contributions is not None:
            return fit_rows(contributions, x)
        row_contributions = [self.back(number(row), k) for row in g]
        if all(part is None for part in row_contributions):
            return None
        return np.stack([
            zeros_like(x) if part is None
            else scatter(part.g, part.index, part.like) if type(part) is PartAdjoint
            else np.broadcast_to(part, shape(x))
            for part in row_contributions
        ])  # fmt: skip

    def push(self, k: int) -> Linear:
        """Return the linear map from a tangent of argument k to its contribution to the tangent of the result."""
        rule = self.function.push(k, self.z, self.inside, self.keywords)
        return self._transpose(self.function.pull, k, self.z) if rule is None else rule

    def _transpose(self, other: Callable[..., Linear | None], k: int, like: Value) -> Linear:
        """Return the transpose of `other(k, …)`, a linear map of values like `like`.

        Raises MissingRule if there is no such map, or if it calls the function with the value at the same place k.
        """
        rule = other(k, self.z, self.inside, self.keywords)
        if rule is None:
            raise missing(self.function.name)
        return transpose_of(rule, like, (self.function, k))


def _times(x: Value, weight: Value) -> Value | None:
    """Return x times a partial; None for the whole number 0, and x itself or its negative for 1 and −1."""
    if type(weight) is int:
        return x if weight == 1 else -x if weight == -1 else None if weight == 0 else x * weight
    return x * weight


# --- traces -----------------------------------------------------------------------------------------------------------


@cache
def _dispatch() -> ModuleType:
    from .numpy import dispatch  # loads the rules of all NumPy's functions, so only when one of them is called

    return dispatch


def _astype(x: Value, dtype: object, casting: str) -> Value:
    from .numpy import rearranging

    return rearranging.convert(x, dtype, casting)


_METHODS: Mapping[str, Function] = {
    "real": real, "imag": imag, "conjugate": conj, "astype": _astype,
}  # fmt: skip


class Library:
    """The base class of traces, with the functions that their values call: those of the table (`operate`), and those of
    NumPy.

    `level` is the depth of nested differentiation, from 1.
    """

    operate = staticmethod(apply)
    getitem = staticmethod(getitem)

    def __init__(self, level: int) -> None:
        self.level = level

    def keep(self, x: Value) -> Value:
        """Return an operand as the trace keeps it."""
        return x

    def unlock(self) -> None:
        """Make the arrays that `keep` has made read-only writable again."""

    def ufunc(self, called: Function, method: str, inputs: Values, keywords: Keywords) -> Value:
        return _dispatch().ufunc(called, method, inputs, keywords)

    def function(self, called: Function, arguments: Values, keywords: Keywords) -> Value:
        return _dispatch().function(called, arguments, keywords)

    def method(self, name: str) -> Function:
        return _METHODS[name]


class Tape(Library):
    """The trace of reverse mode: for each place, `edges` holds pairs (place of an argument, way back to it).

    A way back is a number or an array, by which the adjoint is multiplied, or a _Way.  Places are numbered in the order
    of evaluation.
    """

    def __init__(self, level: int) -> None:
        super().__init__(level)
        self.edges: list[Edges] = []
        self._locked: list[Doubles] = []
        self._copies_left = _MOST
        self._hashes: dict[tuple[int, int], tuple[Doubles, bytes]] = {}  # of arrays kept without a copy, by memory

    @override
    def keep(self, x: Value) -> Value:
        """Return `x`, an operand that is not of this trace, as the tape keeps it; numbers unchanged.

        The owner of a plain array may change it later. It is therefore copied, except if it has more than 2¹⁵ numbers,
        or if it has 1000 or more and the copies would have more than 2²² in all (32 MB). Then it becomes read-only
        until `unlock`, with the array of which it is a view, and the sweeps raise TracingProblem if it was changed all
        the same, through another view. Lists and tuples (an index) are kept with their items.
        """
        if type(x) is tuple or type(x) is list:
            return type(x)([a if type(a) in _DOUBLES else self.keep(a) for a in x])
        if isinstance(x, Traced) or not hasattr(x, "dtype") or not isinstance(x, np.ndarray):  # NumPy may be missing
            return copy_unshared(x)
        array: Doubles = x
        if array.size >= MANY:
            if array.size > min(_COPIED, self._copies_left) and _is_hashable(array):
                self._lock(array)
                memory = array.__array_interface__["data"][0], array.nbytes
                if memory not in self._hashes:
                    self._hashes[memory] = array, _hash_of(array)
                return array
            self._copies_left -= array.size
        return array.copy("K")

    def _lock(self, array: Doubles) -> None:
        """Make an array and the arrays of which it is a view read-only until `unlock`."""
        while type(array) is np.ndarray and array.flags.writeable:
            array.flags.writeable = False
            self._locked.append(array)
            array = array.base

    @override
    def unlock(self) -> None:
        locked, self._locked = self._locked, []
        for array in reversed(locked):  # a view can be written only if its owner can
            array.flags.writeable = True

    def _refuse_changed_arrays(self) -> None:
        """Raise TracingProblem if an array that is kept without a copy was changed since."""
        if self._hashes and any(_hash_of(array) != known for array, known in self._hashes.values()):
            raise changed_after_use("it was changed through a view, such as b[:], or after the function had returned")

    def input(self, value: Value) -> Traced:
        """Add an input to the tape and return it as a traced value."""
        return self._record(value, ())

    def _record(self, value: Value, edges: Edges) -> Traced:
        """Append a value with these edges to the tape and return it as a traced value."""
        self.edges.append(edges)
        return lift(value, self, len(self.edges) - 1)

    def elementwise(self, row: Primitive, m: Kind, z: Value, inside: tuple[Value, ...], sources: Sources) -> Traced:
        """Append `row` with the result `z` at the arguments `inside` to the tape; return `z` as a traced value.

        `sources` has a pair (position of the argument, place on the tape) for each argument in this trace; `m` is the
        arithmetic. Partials are stored at once for Python's real numbers, and for arrays of less than 1000 doubles of
        smooth functions of one argument. All others are computed in the reverse sweep.
        """
        inside = self._operands_to_keep(inside, sources) if shape(z) else inside
        rule = _smooth_rule(row) if shape(z) and is_doubles(z) and z.size < MANY else None
        if rule is not None:  # a small array of partials takes less memory than the object that computes it later
            with np.errstate(all="ignore"):
                return self._record(z, ((sources[0][1], rule(m, z, *inside)),))
        call = AppliedRow(row, m, z, inside)
        if type(plain(z)) is float and all(type(plain(a)) in _DOUBLES for a in inside):
            edges = tuple([(mark, call.partial(k)) for k, mark in sources])
        else:
            edges = tuple([(mark, _way_back(call, k)) for k, mark in sources])
        return self._record(z, edges)

    def general(self, function: Ruled, z: Value, inside: Values, keywords: Keywords, sources: Sources) -> Traced:
        """Append a function with its own rule, with result `z`, to the tape and return it as a traced value."""
        inside = self._operands_to_keep(inside, sources)
        call = AppliedFunction(function, z, inside, {key: self.keep(value) for key, value in keywords.items()})
        return self._record(z, tuple([(mark, _Way(call, k)) for k, mark in sources]))

    def _operands_to_keep(self, inside: Values, sources: Sources) -> tuple[Value, ...]:
        """Return the operands `inside` as the tape keeps them; those of this trace, in `sources`, are its own."""
        if len(inside) == len(sources):
            return tuple(inside)
        marked = [k for k, _ in sources]
        return tuple([a if k in marked else self.keep(a) for k, a in enumerate(inside)])

    def adjoints(self, seeds: Mapping[int, Value], places: Sequence[int], once: bool = False) -> list[Value | None]:
        """Return the adjoints of `places`, in their order, by one reverse sweep.

        `seeds` is {place: its adjoint}. The result is None for a place on which no seeded place depends, or to which
        all contributions are None (0). Only places without edges (leaves) keep their adjoints. Those of all other
        places are freed as soon as they have been propagated, and are None in the result. With `once` the edges of the
        tape are freed as well, so that the tape cannot be swept again. Places must be less than the length of the tape.
        Raises TracingProblem if an array that is kept without a copy was changed.
        """
        self._refuse_changed_arrays()
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
                if type(way) is float:
                    contribution = bar * way
                else:
                    contribution = way.applied.back(bar, way.k) if type(way) is _Way else _times(bar, way)
                before = bars[parent]
                if before is None and type(contribution) is not PartAdjoint:
                    bars[parent] = contribution
                elif type(before) is float and type(contribution) is float:
                    bars[parent] = before + contribution
                elif contribution is not None:
                    bars[parent] = _add_contribution(before, contribution)
        adjoints = [bars[place] for place in places]
        return [bar.array if type(bar) is Gathered else bar for bar in adjoints]

    def adjoints_of_rows(self, mark: int, rows: Doubles, places: Sequence[int]) -> list[Doubles | None] | None:
        """Return the adjoints of `places` for many seeds of the place `mark`: `rows`, one seed for each row.

        `places` must be leaves (without edges): adjoints of other places are dropped once they are passed on. The
        results have the first axis of `rows`; None for a place that `mark` does not depend on. Returns None instead of
        a list if the adjoints in flight would have more than 2²² numbers (32 MB). The tape is kept. Raises
        TracingProblem if an array that is kept without a copy was changed.
        """
        self._refuse_changed_arrays()
        bars: dict[int, Doubles] = {mark: rows}
        for place in range(mark, -1, -1):
            ways = self.edges[place]
            if place not in bars or not ways:
                continue
            bar = bars.pop(place)
            for parent, way in ways:
                if type(way) is _Way:
                    applied, k = way.applied, way.k
                    if len(bar) * np.size(applied.inside[k]) > _MOST:
                        return None
                    contribution = applied.rows(bar, k)
                else:
                    contribution = None if type(way) is int and way == 0 else bar * way
                if contribution is not None:
                    bars[parent] = bars[parent] + contribution if parent in bars else contribution
            if sum([x.size for x in bars.values()]) > _MOST:
                return None
        return [bars.get(place) for place in places]


def _is_hashable(array: Doubles) -> bool:
    """Return whether `_hash_of` reads the array without a copy: whole words of 8 bytes, one after the other."""
    return bool(array.flags.forc) and array.dtype.kind != "O" and array.nbytes % 8 == 0


def _hash_of(array: Doubles) -> bytes:
    """Return the sums of every 1021st word of 8 bytes, modulo 2⁶⁴, and the rest of the words.

    They change with any change of a single number, and in all likelihood with a change of their order. If a length of
    the array is a multiple of 1021, a smaller prime replaces it, as whole rows may be exchanged.
    """
    width = next((n for n in _WIDTHS if all(length % n for length in array.shape)), _WIDTHS[0])
    words = array.ravel("K").view(np.uint64)
    rest = words.size % width
    sums = np.add.reduce(words[rest:].reshape(-1, width), axis=0)
    return bytes(sums) + bytes(words[:rest])


def _add_contribution(before: Value | Gathered | None, contribution: Value | PartAdjoint) -> Value | Gathered:
    """Return the sum of the adjoint so far, `before`, and a contribution.

    `before` is None only if `contribution` is the adjoint of a part and the first one. A part is added in place to a
    Gathered: `before` itself if it is one, otherwise a new one that starts from `before`. An array is added to a
    `before` that is a Gathered by its `plus`. In all other cases the plain sum is returned, as a new Gathered if it is
    an array. `before` is never changed if it is not a Gathered.
    """
    if type(contribution) is PartAdjoint:
        gathered = before if type(before) is Gathered else Gathered(start_adjoint(contribution, before))
        gathered.add(contribution)
        return gathered
    if type(before) is Gathered:
        return before.plus(contribution)
    total = contribution if before is None else before + contribution
    if isinstance(total, (float, complex, Traced)):  # no array, and no reason to load NumPy
        return total
    return Gathered(total) if type(total) is np.ndarray else total


def _way_back(applied: AppliedRow, k: int) -> Value | Linear:
    """Return the way back through `applied` to its argument k: a whole number, or a `_Way`.

    It is the partial itself if that is the same whole number at all points. The number is used only if argument and
    result agree in shape and in being complex; the tape then need not keep the operation.
    """
    always, z, x = constant_partials(applied.row), applied.z, applied.inside[k]
    return always[k] if always and shape(z) == shape(x) and is_complex(z) == is_complex(x) else _Way(applied, k)


@cache
def _smooth_rule(row: Primitive) -> PartialRule | None:
    """Return the rule for the partial of `row` if it is a function of one argument with a value and a slope everywhere:
    it has neither conditions of a domain nor a kink.

    None for other functions.
    """
    rules = row.partials
    if not isinstance(rules, tuple) or len(rules) != 1:
        return None
    return None if row.domain or row.kink(0) is not None else rules[0]


class _Way:
    """The way back through the operation `applied` to its argument k, by its method `back`."""

    __slots__ = ("applied", "k")

    def __init__(self, applied: AppliedRow | AppliedFunction, k: int) -> None:
        self.applied = applied
        self.k = k


def _drop_imaginary(g: Value | PartAdjoint | None, x: Value) -> Value | PartAdjoint | None:
    """Return the real part of a complex adjoint `g` of a real `x`; any other g (None, a PartAdjoint) unchanged."""
    return g if g is None or type(g) is PartAdjoint or not is_complex(g) or is_complex(x) else g.real


class Tangents(Library):
    """The trace of forward mode: the mark of a value is its tangent."""

    edges = None

    def input(self, value: Value, tangent: Value) -> Traced:
        """Return `value` as a traced value with this tangent."""
        return lift(value, self, tangent)

    def elementwise(self, row: Primitive, m: Kind, z: Value, inside: tuple[Value, ...], sources: Sources) -> Traced:
        """Return the result `z` of `row` with its tangent, the sum of partial · tangent over `sources` (position,
        tangent).
        """
        call = AppliedRow(row, m, z, inside)
        return self._lift_with_tangent(z, [_times(mark, call.partial(k)) for k, mark in sources])

    def general(self, function: Ruled, z: Value, inside: Values, keywords: Keywords, sources: Sources) -> Traced:
        """Return the result `z` of `function` as a traced value with its tangent.

        The tangent is the sum of what the push rules give for `sources`, (position of the argument, its tangent); None
        from a rule counts as 0. Without a push rule the pull rule is transposed; MissingRule is raised without both.
        `inside` are all arguments without this trace.
        """
        call = AppliedFunction(function, z, inside, keywords)
        return self._lift_with_tangent(z, [call.push(k)(mark) for k, mark in sources])

    def _lift_with_tangent(self, z: Value, contributions: Sequence[Value | None]) -> Traced:
        """Return `z` as a traced value whose tangent is the sum of `contributions`; 0 if all of them are None."""
        dot: Value | None = None
        for contribution in contributions:
            if contribution is not None:
                dot = contribution if dot is None else dot + contribution
        return lift(z, self, zeros_like(z) if dot is None else _in_shape_of(_drop_imaginary(number(dot), z), z))


def _in_shape_of(dot: Value, z: Value) -> Value:
    """Return the tangent `dot` in the shape and type of its value z.

    Shape and type differ if the tangent comes from an argument that was broadcast or has a wider type. The tangent
    keeps its type if z has no dtype (a number of Python) or consists of whole numbers or booleans.
    """
    if shape(dot) != shape(z):
        dot = np.broadcast_to(dot, shape(z))
    value_type = getattr(plain(z), "dtype", None)
    if value_type is None or value_type.kind not in "fc" or getattr(plain(dot), "dtype", None) == value_type:
        return dot
    return value_type.type(dot) if isinstance(dot, (float, complex)) else _astype(dot, value_type, "unsafe")


def transpose_of(map_: Linear, like: Value, place: tuple[Ruled, int]) -> Linear:
    """Return the transpose of `map_`, a linear map of values like `like`, as a function of an adjoint g of its result.

    The map is recorded once, at 0; the transpose may be called several times. The transpose returns None if the result
    of `map_` does not depend on its argument. Raises MissingRule if `map_` calls the function of `place`, (function,
    position of an argument), with its argument at that position: the transpose of that call would need this one.
    """
    with deeper() as level:
        tape = Tape(level)
        x = tape.input(zeros_like(like))
        y = map_(x)
    if not isinstance(y, Traced) or y.tracer is not tape:
        return lambda g: None
    calls = [way for edges in tape.edges for _, way in edges if isinstance(way, _Way)]
    if any((call.applied.function, call.k) == place for call in calls if isinstance(call.applied, AppliedFunction)):
        title = f"the only rule of the function {place[0].name} calls the function itself"
        raise MissingRule(title, help="add the other rule, too, with defvjp or defjvp")
    mark = y.mark
    return lambda g: tape.adjoints({mark: g}, [x.mark])[0]
