"""Rearranging: rules for functions that move elements without changing them, and for sums of them; all are linear.

The tangent of a linear function is the function of the tangent; only the reverse rule has to be written.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence

from ...graph.overloading import plain
from ...numbers.numpy_arrays import np
from ...typings import TYPE_CHECKING
from ..core.array_parts import fit, fit_rows, getitem
from ..core.containers import Tree, flatten_tree
from ..core.evaluation import Differentiable, linear
from ..core.methods import KINDS
from ..core.traced import Array, Axis, Doubles, Function, Mask, Places, Traced, Value, as_array, shape, zeros_like
from ..core.unsupported import unsupported

if TYPE_CHECKING:
    from numpy.typing import DTypeLike


def by_name(*rules: Callable[..., Tree], module: str = "") -> dict[str, Callable[..., Tree]]:
    """Return rules that have the names of NumPy's functions, by these names with `module`, such as "linalg."."""
    return {module + rule.__name__: rule for rule in rules}


def shape_with_kept_axes(lengths: tuple[int, ...], axis: Axis) -> tuple[int, ...]:
    """Return the shape with the reduced axes as ones; all of them if axis is None."""
    if axis is None:
        return (1,) * len(lengths)
    reduced = {*places_of(axis, len(lengths))} if lengths else set()
    return tuple(1 if k in reduced else n for k, n in enumerate(lengths))


def axes_of(axis: int | Sequence[int]) -> Sequence[int]:
    """Return the axis or axes as a sequence."""
    return axis if isinstance(axis, Sequence) else (axis,)


def places_of(axis: int | Sequence[int], count: int) -> list[int]:
    """Return the axis or axes of an array with `count` axes, counted from the first.

    Raises NumPy's AxisError for one out of range.
    """
    axes = axes_of(axis)
    for wrong in (a for a in axes if not -count <= a < count):
        raise np.exceptions.AxisError(wrong, count)
    return [a % count for a in axes]


def inverse(order: Sequence[int]) -> tuple[int, ...]:
    """Return the inverse of a permutation."""
    return tuple(sorted(range(len(order)), key=order.__getitem__))


def layer(x: Array, axis: int, part: int | slice) -> Array:
    """Return the part of an array at the position or slice `part` along an axis; IndexError without that axis."""
    return getitem(x, (*[slice(None)] * range(len(shape(x)))[axis], part))


def fill_nan(x: Value, instead: Value) -> Value:
    """Return x with the number, or the numbers, `instead` where x is nan."""
    is_nan = np.isnan(plain(x))
    return np.where(is_nan, instead, x) if np.any(is_nan) else x


def along(axis: int, x: Array, row: Value) -> Array:
    """Return the numbers `row` along an axis of x, with length 1 along all its other axes."""
    return np.reshape(row, [-1 if k == axis else 1 for k in range(len(shape(x)))])


def merge_axes(x: Array, axis: Axis, to: int) -> Array:
    """Return the array with the axes `axis` (None: all) merged into one: the first axis if `to` is 0, else the last.

    The merged axes are read in ascending order, row-major; the other axes keep their order. If there are no axes to
    merge, the new one has length 1. Negative axes count from the end. Raises AxisError for an axis out of range. Raises
    ValueError if an axis that is kept has length 0, or if an axis is given twice.
    """
    count = len(shape(x))
    merging = list(range(count)) if axis is None else sorted(places_of(axis, count))
    others = [a for a in range(count) if a not in merging]
    lengths = [shape(x)[a] for a in others]
    if to == 0:
        return np.reshape(np.transpose(x, [*merging, *others]), (-1, *lengths))
    return np.reshape(np.transpose(x, [*others, *merging]), (*lengths, -1))


def mirror(x: Array, /) -> Array:
    """Return each matrix with rows and columns exchanged."""
    return np.swapaxes(x, -1, -2)


def _sum_back(g: Value, x: Value, axis: Axis = None, keepdims: bool = False) -> Value:
    """Return the adjoint of x for the adjoint `g` of its sum: `g` spread along the summed axes."""
    full_shape = shape(x)
    if type(g) is float and math.prod(full_shape) < _MANY:
        return np.full(full_shape, g)  # which takes a third of the time
    return np.broadcast_to(np.reshape(g, shape_with_kept_axes(full_shape, axis)), full_shape)


def _sum_rows(k: int, g: Doubles, z: Value, x: Value, axis: Axis = None, keepdims: bool = False) -> Doubles:
    """Return the adjoints of x for many adjoints of its sum, along a first axis of `g`."""
    full_shape = shape(x)
    return np.broadcast_to(np.reshape(g, (len(g), *shape_with_kept_axes(full_shape, axis))), (len(g), *full_shape))


_MANY = 1000  # from this size on a view of one number is faster than a new array
SUM = linear("sum", lambda x, axis=None, keepdims=False: np.sum(x, axis=axis, keepdims=keepdims), _sum_back, _sum_rows)


def reduction(name: str, value: Callable[..., Value], weight: Callable[..., Value]) -> Differentiable:
    """Return the rule of `value(*arrays, axis=…, keepdims=…, **options)`, a reduction of the first array along axes.

    `weight(k, z, kept, *arrays, axis=…, **options)` is the derivative of the result z with respect to each element of
    array k; `kept` is the shape of z with the reduced axes as axes of length 1.
    """

    def pull(k: int, g: Value, z: Value, *xs: Value, axis: Axis, keepdims: bool, **options: object) -> Value:
        kept = shape_with_kept_axes(shape(xs[0]), axis)
        g = np.reshape(g, kept) if kept else g
        return fit(g * weight(k, z, kept, *xs, axis=axis, **options), xs[k])

    def push(k: int, dot: Value, z: Value, *xs: Value, axis: Axis, keepdims: bool, **options: object) -> Value:
        kept = shape_with_kept_axes(shape(xs[0]), axis)
        return SUM(dot * weight(k, z, kept, *xs, axis=axis, **options), axis=axis, keepdims=keepdims)

    return Differentiable(name, value, pull=pull, push=push)


_BROADCAST = linear(
    "broadcast_to", lambda x, to: np.broadcast_to(x, to), lambda g, x, to: fit(g, x),
    lambda k, g, z, x, to: fit_rows(g, x),
)  # fmt: skip
_RESHAPE = linear(
    "reshape",
    lambda x, to, order="C": np.reshape(x, to, order=order),
    lambda g, x, to, order="C": np.reshape(g, shape(x), order=order),
)
_TRANSPOSE = linear(
    "transpose",
    lambda x, axes: np.transpose(x, axes),
    lambda g, x, axes: np.transpose(g, None if axes is None else inverse([a % len(axes) for a in axes])),
)
CUMSUM = linear(
    "cumsum",
    lambda x, axis: np.cumsum(x, axis=axis),
    lambda g, x, axis: np.flip(np.cumsum(np.flip(g, axis), axis=axis), axis),
)
_CAST = linear(
    "astype", lambda x, dtype, casting: np.asarray(x).astype(dtype, casting=casting), lambda g, x, dtype, casting: g
)


def convert(x: Value, dtype: DTypeLike, casting: str = "unsafe") -> Value:
    """Return the numbers of x in the type `dtype`; x itself if it has that type already.

    In a type that is not floating-point or complex they are plain, as it has no derivative. Raises TypeError if
    `casting` (NumPy's name) does not allow it.
    """
    to, bare = np.dtype(dtype), np.asarray(plain(x))
    if to.kind not in "fc":
        return bare.astype(to, casting=casting)
    return x if bare.dtype == to else _CAST(x, dtype=to, casting=casting)


def convert_for(name: str, x: Array, dtype: DTypeLike | None) -> Array:
    """Return x in the type `dtype` in which NumPy's function `name` is to compute; unchanged for None.

    Raises Unsupported for a type that is not floating-point or complex, or to which NumPy does not cast by "same_kind",
    such as complex to real.
    """
    if dtype is None:
        return x
    if np.dtype(dtype).kind not in "fc" or not np.can_cast(plain(x).dtype, dtype, "same_kind"):
        raise unsupported(name, f"with dtype={np.dtype(dtype).name}")
    return as_array(convert(x, dtype))


# --- shapes -----------------------------------------------------------------------------------------------------------


def _memory_order(name: str, x: Array, order: str) -> str:
    """Return "C" (row-major) or "F" (column-major) for NumPy's `order`; other texts are returned unchanged.

    "A" and "K" follow the memory of the array; in neither order contiguous, "A" is "C", and "K" raises Unsupported with
    the `name` of the function.
    """
    if order in ("A", "K"):
        bare = np.asarray(plain(x))
        order = "C" if bare.flags.c_contiguous else "F" if bare.flags.f_contiguous else order
    if order == "K":
        raise unsupported(name, "with order='K' of an array that is spread in memory")
    return "C" if order == "A" else order


def ravel(x: Array, /, order: str = "C") -> Array:
    """Return all numbers with one axis.  Raises Unsupported for a memory order that is not an order of axes."""
    return np.reshape(x, (-1,), order=_memory_order("ravel", x, order))


def reshape(
    x: Array, /, shape: int | Sequence[int] | None = None, order: str = "C", *,
    newshape: int | Sequence[int] | None = None, copy: bool | None = None,
) -> Value:  # fmt: skip
    """Return the same numbers in another shape, in which −1 is one free length.

    The shape is `shape`, or by its older name `newshape`, which wins. `order` is "C" (row-major), "F", or by the
    array's memory "A" or "K". Raises Unsupported for `copy=False` and for "K" of an array that is not contiguous,
    ValueError if the numbers do not fit.
    """
    if copy is False:
        raise unsupported("reshape", "with copy=")
    return _RESHAPE(x, to=shape if newshape is None else newshape, order=_memory_order("reshape", x, order))


def squeeze(x: Value, /, axis: Axis = None) -> Array:
    """Return the array without its axes of length 1, or without the axes `axis`."""
    removed = None if axis is None else places_of(axis, len(shape(x)))
    return np.reshape(x, [n for k, n in enumerate(shape(x)) if (n != 1 if removed is None else k not in removed)])


def expand_dims(x: Value, /, axis: int | Sequence[int]) -> Array:
    """Return the array with new axes of length 1 at the places `axis`."""
    return np.reshape(x, np.expand_dims(np.empty(shape(x)), axis).shape)


def transpose(x: Value, /, axes: Sequence[int] | None = None) -> Value:
    """Return the array with its axes in the order `axes`; in reverse order for None."""
    return _TRANSPOSE(as_array(x), axes=None if axes is None else tuple(axes))


def permute_axes(of: str) -> Function:
    """Return the rule for NumPy's function `of`, such as moveaxis, as a permutation of the axes; it has NumPy's
    arguments.
    """

    def move(x: Value, *arguments: object, **keywords: object) -> Value:
        lengths = range(2, 2 + len(shape(x)))
        moved = getattr(np, of)(np.broadcast_to(0, tuple(lengths)), *arguments, **keywords).shape
        return _TRANSPOSE(x, axes=tuple(n - 2 for n in moved))

    return move


def broadcast_to(x: Value, /, shape: int | Sequence[int]) -> Value:
    """Return the array repeated along new axes, and along those of length 1, to this shape."""
    return _BROADCAST(as_array(x), to=shape)


def full_like(
    x: Value, fill: Value, /, dtype: DTypeLike | None = None, order: str = "K", shape: int | Sequence[int] | None = None
) -> Value:
    """Return a number, or a broadcast array, in the shape and type of x unless `shape` and `dtype` are given."""
    to = np.shape(plain(x)) if shape is None else shape
    return convert(np.broadcast_to(fill, to), np.asarray(plain(x)).dtype if dtype is None else dtype)


# --- elements chosen, repeated and moved ------------------------------------------------------------------------------


def _gather(x: Array, picks: Places) -> Array:
    """Return the elements at the positions `picks`, from 1; zero for position 0."""
    flat = np.ravel(x)
    return np.concatenate([np.zeros(1, flat.dtype), flat])[picks]


def _sum_picks(g: Array, picks: Places, like: Array) -> Array:
    """Return, for each position of `like`, the sum of the elements of g whose pick is that position, in the shape of
    `like`.

    `picks`, in the shape of g, counts positions from 1 in row-major order; elements with pick 0 (padding) are dropped.
    """
    flat, count = np.ravel(picks), np.size(like) + 1
    weights = np.ravel(g)
    total = np.bincount(flat, weights.real, count)
    if weights.dtype.kind == "c":
        total = total + 1j * np.bincount(flat, weights.imag, count)
    return np.reshape(total[1:], shape(like))


_GATHER: Differentiable = linear("take", _gather, lambda g, x, picks: _SPREAD(g, picks=picks, like=plain(x)))
_SPREAD: Differentiable = linear("put", _sum_picks, lambda g, x, picks, like: _GATHER(g, picks=picks))


def positions(like: Array, start: int = 1) -> Places:
    """Return an array of the shape of `like` with the numbers start, start + 1, ….

    A function that moves them shows where.
    """
    return np.arange(start, start + np.size(plain(like))).reshape(shape(like))


def _take(x: Array, picks: Places | Sequence[Places]) -> Tree:
    """Return the elements at the positions; a sequence of results for a sequence of arrays of positions."""
    if isinstance(picks, (list, tuple)):
        return type(picks)(_take(x, part) for part in picks)
    return _GATHER(x, picks=picks)


def make_rearranging_rule(function: Callable[..., Tree]) -> Callable[..., Tree]:
    """Return the rule for a function of NumPy that only selects, repeats and moves elements, or adds zeros.

    The rule calls `function` with the positions of the elements of x instead of x (from 1; 0 means an added zero). Then
    it takes the elements at these positions, for each array if `function` returns a list or tuple. Other positional
    arguments are used by their plain values, keywords as they are.
    """

    def rearrange(x: Value, *arguments: object, **keywords: object) -> Tree:
        x = as_array(x)
        return _take(x, function(positions(x), *map(plain, arguments), **keywords))

    return rearrange


def rule_of_sequence(function: Callable[..., Tree]) -> Callable[..., Tree]:
    """Return the rule for a function of NumPy that only selects and moves elements of a sequence of arrays.

    The sequence may be nested. The rule numbers the elements of all arrays together, calls `function` with the numbers
    instead, and takes the elements at the result (a list or tuple gives several arrays); other arguments are passed on.
    A single traced array counts as the sequence of its layers.
    """

    def join(arrays: Tree, *arguments: object, **keywords: object) -> Tree:
        """Return the result of the function for the arrays, or for one traced array that holds them."""
        if isinstance(arrays, Traced):
            return make_rearranging_rule(function)(arrays, *arguments, **keywords)
        leaves, structure = flatten_tree(arrays)
        arrays_ = [as_array(a) for a in leaves]
        starts = [1, *np.cumsum([np.size(plain(a)) for a in arrays_]) + 1]
        numbered = structure.build([positions(a, s) for a, s in zip(arrays_, starts, strict=False)])
        return _take(as_array(concatenate([np.ravel(a) for a in arrays_])), function(numbered, *arguments, **keywords))

    return join


def at_least(of: str) -> Callable[..., Tree]:
    """Return the rule for NumPy's function `of` (atleast_2d …): one array, or a tuple for several."""
    one = make_rearranging_rule(getattr(np, of))
    return lambda *arrays: one(arrays[0]) if len(arrays) == 1 else tuple(map(one, arrays))


# --- several arrays ---------------------------------------------------------------------------------------------------


def _assembling(function: Function, part: Callable[[int, Sequence[Array], int], int | slice]) -> Differentiable:
    """Return NumPy's concatenate or stack as a function of several arrays that is linear in all of them together.

    `part(k, arrays, axis)` is the part of the result, along the axis, that array k becomes.
    """

    def push(k: int, dot: Value, z: Value, *arrays: Array, axis: int) -> Value:
        return assemble(*[dot if position == k else zeros_like(a) for position, a in enumerate(arrays)], axis=axis)

    assemble = Differentiable(
        function.__name__, lambda *arrays, axis: function(arrays, axis=axis), push=push,
        pull=lambda k, g, z, *arrays, axis: layer(g, axis, part(k, arrays, axis)),
    )  # fmt: skip
    return assemble


def _span(k: int, arrays: Sequence[Array], axis: int) -> slice:
    """Return the slice that array k takes along the axis in the concatenation of the arrays."""
    before = sum(shape(a)[axis] for a in arrays[:k])
    return slice(before, before + shape(arrays[k])[axis])


_CONCATENATE = _assembling(np.concatenate, _span)
_STACK = _assembling(np.stack, lambda k, arrays, axis: k)


def concatenate(arrays: Iterable[Value], /, axis: int | None = 0, *, dtype: DTypeLike | None = None) -> Value:
    """Return the arrays one after the other along an axis; all flattened first if axis is None."""
    parts = [convert_for("concatenate", as_array(a), dtype) for a in arrays]
    if axis is None:
        parts, axis = [np.ravel(a) for a in parts], 0
    return _CONCATENATE(*parts, axis=axis)


def stack(arrays: Iterable[Value], /, axis: int = 0, *, dtype: DTypeLike | None = None) -> Value:
    """Return the arrays next to each other along a new axis."""
    return _STACK(*[convert_for("stack", as_array(a), dtype) for a in arrays], axis=axis)


def append(x: Value, values: Value, /, axis: int | None = None) -> Array:
    """Return x followed by `values` along an axis; both flattened if axis is None."""
    if axis is None:
        x, values = np.ravel(as_array(x)), np.ravel(as_array(values))
    return np.concatenate([as_array(x), as_array(values)], 0 if axis is None else axis)


def _on_side(k: int, dot: Value, condition: Mask) -> Value:
    """Return `dot` where the condition is true (k = 0) or false (k = 1), and 0 elsewhere."""
    return where(condition, dot, 0.0) if k == 0 else where(condition, 0.0, dot)


_WHERE = Differentiable(
    "where", lambda a, b, condition: np.where(condition, a, b),
    pull=lambda k, g, z, a, b, condition: fit(_on_side(k, g, condition), (a, b)[k]),
    push=lambda k, dot, z, a, b, condition: _on_side(k, dot, condition),
)  # fmt: skip


def where(condition: Mask, x: Value | None = None, y: Value | None = None, /) -> Value:
    """Return elements of x where `condition` is true, and of y where it is false; all three are broadcast.

    An element that is not taken has derivative 0, and the condition has no derivative. Without x and y, return NumPy's
    tuple of the positions where the condition is true, plain. Raises ValueError if only one of x and y is given.
    """
    if x is None and y is None:
        return np.where(plain(condition))
    if x is None or y is None:
        raise ValueError("either both or neither of x and y should be given")
    return _WHERE(*[as_array(a) if isinstance(a, (list, tuple)) else a for a in (x, y)], condition=plain(condition))


def select(conditions: Sequence[Mask], choices: Sequence[Value], default: Value = 0, /) -> Value:
    """Return the elements of the first choice whose condition is true at each position, else of the default."""
    result = default
    for condition, choice in zip(reversed(conditions), reversed(choices), strict=True):
        result = np.where(plain(condition), choice, result)
    return result


# --- by NumPy's names -------------------------------------------------------------------------------------------------

RULES: Mapping[str, Callable[..., Tree]] = {
    **by_name(where, select, concatenate, stack, append, broadcast_to, full_like, reshape, ravel, transpose, squeeze),
    **by_name(expand_dims),
    **{name: make_rearranging_rule(getattr(np, name)) for name in KINDS["rearranging"]},
    **{name: rule_of_sequence(getattr(np, name)) for name in KINDS["joining"] if hasattr(np, name)},
    **{name: permute_axes(name) for name in ("swapaxes", "moveaxis")},
    **{name: at_least(name) for name in ("atleast_1d", "atleast_2d", "atleast_3d")},
    **{f"fft.{name}": make_rearranging_rule(getattr(np.fft, name)) for name in ("fftshift", "ifftshift")},
    "matrix_transpose": mirror,
    "linalg.matrix_transpose": mirror,
    "linalg.diagonal": lambda x, /, *, offset=0: np.diagonal(as_array(x), offset, -2, -1),
    "astype": lambda x, dtype, /, *, copy=True: convert(as_array(x), dtype),
    "lib.stride_tricks.sliding_window_view": make_rearranging_rule(np.lib.stride_tricks.sliding_window_view),
}
