"""Filling of arrays from several places: padding, inserting, choosing, pieces, and loops over parts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from ...graph.overloading import plain
from ...numbers.numpy_arrays import np
from ...typings import TYPE_CHECKING
from ..core.array_parts import getitem, scatter_traced
from ..core.evaluation import linear
from ..core.traced import Array, Axis, Function, Mask, Traced, Value, Values, as_array, shape
from ..core.unsupported import unsupported
from .array_reductions import largest, mean, smallest, spread_along
from .quantiles import median
from .rearranging import along, axes_of, by_name, convert, layer, make_rearranging_rule, positions, rule_of_sequence

if TYPE_CHECKING:
    from ..core.containers import Tree

    # The numbers of elements to add (before, after) along one axis.
    Ends = tuple[int, int]
    Pair = tuple[Value | None, Value | None]


# --- padding ----------------------------------------------------------------------------------------------------------


def _pairs_by_axis(values: object, count: int) -> list[tuple[Value, Value]]:
    """Return (value before, value after) for each of `count` axes, from NumPy's forms of such an argument.

    `values` is one value for all ends, a pair (before, after) for all axes, a pair for each axis, or a dict. The dict
    maps an axis to a whole number (for both ends) or to a pair; axes without an entry get 0.
    """
    if isinstance(values, Traced) and not shape(values):
        return [(values, values)] * count
    if isinstance(values, dict):
        pairs: list[tuple[Value, Value]] = [(0, 0)] * count
        for axis, width in values.items():
            pairs[axis] = (width, width) if isinstance(width, int) else tuple(width)
        return pairs
    return [(row[0], row[1]) for row in np.broadcast_to(as_array(values), (count, 2))]


def pad(
    x: Array, /, pad_width: object, mode: str | Callable[..., object] = "constant", *, constant_values: object = 0,
    end_values: object = 0, stat_length: object = None, reflect_type: str = "even",
) -> Array:  # fmt: skip
    """Return the array x with numbers added around it, by one of NumPy's modes.

    `pad_width`, `constant_values`, `end_values` and `stat_length` take NumPy's forms: one value, a pair, or a pair for
    each axis. Mode "empty" adds zeros. With `reflect_type` "even" only positions are reflected, with "odd" also the
    values, at the end points. Added numbers get the type of x. The arguments are those that NumPy accepts. Raises
    Unsupported for a mode that is a function.
    """
    if callable(mode):
        raise unsupported("pad", "with a function as mode=")
    widths = [(int(plain(a)), int(plain(b))) for a, b in _pairs_by_axis(pad_width, len(shape(x)))]
    if mode in ("reflect", "symmetric") and reflect_type == "odd":
        return _each_axis(x, widths, lambda y, k: _pad_odd(y, k, widths[k], mode))
    if mode in ("edge", "reflect", "symmetric", "wrap", "empty"):
        return make_rearranging_rule(np.pad)(x, widths, "constant" if mode == "empty" else mode)
    setting = {"constant": constant_values, "linear_ramp": end_values}.get(mode, stat_length)
    pairs = [(None, None)] * len(shape(x)) if setting is None else _pairs_by_axis(setting, len(shape(x)))
    return _each_axis(x, widths, lambda y, k: _surround(y, k, _ENDS[mode](y, k, widths[k], pairs[k])))


def _each_axis(x: Array, widths: Sequence[Ends], padded: Callable[[Array, int], Array]) -> Array:
    """Return the array padded along one axis after the other, by `padded(array, axis)`; widths 0 are skipped."""
    for k, width in enumerate(widths):
        if any(width):
            x = padded(x, k)
    return x


def _surround(x: Array, axis: int, ends: Iterable[Array]) -> Array:
    """Return the array between two others, `ends`, along an axis; both are converted to the type of x."""
    before, behind = (convert(end, plain(x).dtype) for end in ends)
    return np.concatenate([before, x, behind], axis=axis)


def _constant_ends(x: Array, axis: int, width: Ends, values: Pair) -> Iterable[Array]:
    return (spread_along(value, x, axis, n) for value, n in zip(values, width, strict=True))


def _ramp_ends(x: Array, axis: int, width: Ends, values: Pair) -> Iterable[Array]:
    """Yield equidistant numbers from each of the end `values` towards the edge of x, which is not repeated; the
    outermost number is the end value.
    """
    edges = layer(x, axis, slice(0, 1)), layer(x, axis, slice(-1, None))
    for sign, edge, value, n in zip((1, -1), edges, values, width, strict=True):
        yield value + (edge - value) * along(axis, x, np.arange(n)[::sign] / max(n, 1))


def _statistic_ends(statistic: Function) -> Callable[..., Iterable[Array]]:
    """Return a rule for `_ENDS` that fills both ends of an axis with `statistic` of the elements next to each end.

    The rule takes (array, axis, numbers of elements to add before and behind, numbers of elements that count there) and
    yields the two arrays to add, first the one before. Of the last pair, None, or a number above the length of the
    axis, means all elements.
    """

    def ends(x: Array, axis: int, width: Ends, lengths: Pair) -> Iterable[Array]:
        size = shape(x)[axis]
        first, last = (size if n is None else min(int(plain(n)), size) for n in lengths)
        for part, n in zip((slice(0, first), slice(size - last, size)), width, strict=True):
            yield spread_along(statistic(layer(x, axis, part), axis, keepdims=True), x, axis, n)

    return ends


# By mode, what is added before and behind an axis, from (array, axis, numbers of elements, the setting for both ends).
_ENDS: Mapping[str, Callable[..., Iterable[Array]]] = {
    "constant": _constant_ends, "linear_ramp": _ramp_ends, "maximum": _statistic_ends(largest),
    "minimum": _statistic_ends(smallest), "mean": _statistic_ends(mean), "median": _statistic_ends(median),
}  # fmt: skip


def _pad_odd(x: Array, axis: int, width: Ends, mode: str) -> Array:
    """Return the array reflected at its end points (reflect_type "odd"), along one axis.

    `width` has the numbers of elements to add (before, behind), `mode` is "reflect" or "symmetric". Each number of the
    result is a combination, with integer weights, of one element of x, the first and the last one. `numpy.pad` itself
    gives the position of this element, if it is applied to the positions. The weights are its results for arrays that
    are 1 only at the first, or only at the last position.
    """
    size = shape(x)[axis]
    marks = np.arange(size)
    options = {"mode": mode, "reflect_type": "odd"}
    from_first = np.pad((marks == 0).astype(int), width, **options)
    from_last = np.pad((marks == size - 1).astype(int), width, **options) if size > 1 else 0 * from_first
    places = np.pad(marks, width, mode=mode)
    weight = 1 - from_first - from_last
    weight = np.where((places == 0) | (places == size - 1), 0, weight)
    weight, from_first, from_last = (
        along(axis, x, n.astype(plain(x).dtype)) for n in (weight, from_first, from_last)
    )  # fmt: skip
    head, tail = layer(x, axis, slice(0, 1)), layer(x, axis, slice(size - 1, size))
    return weight * np.take(x, places, axis=axis) + from_first * head + from_last * tail


# --- elements inserted, and selected by their values ----------------------------------------------------------------


def insert(x: Array, obj: object, values: Value, /, axis: int | None = None) -> Array:
    """Return the array with values inserted before the positions `obj` along an axis; flattened if axis is None."""
    both = [x, as_array(convert(as_array(values), plain(x).dtype))]
    return rule_of_sequence(lambda numbered: np.insert(numbered[0], plain(obj), numbered[1], axis))(both)


def choose(a: Value, choices: Values, /, mode: str = "raise") -> Array:
    """Return an array whose element at each position is that of the choice with the number in `a` there."""
    return rule_of_sequence(lambda numbered: np.choose(plain(as_array(a)), numbered, mode=mode))(choices)


def compress(condition: Mask, x: Value, /, axis: int | None = None) -> Array:
    """Return the layers along an axis for which the condition is true; elements of the flattened array for None."""
    return make_rearranging_rule(lambda places: np.compress(plain(condition), places, axis))(x)


def extract(condition: Mask, x: Value, /) -> Array:
    """Return all elements for which the condition is true, in one row."""
    return make_rearranging_rule(lambda places: np.extract(plain(condition), places))(x)


def trim_zeros(x: Array, /, trim: str = "fb", axis: Axis = None) -> Array:
    """Return the array without the zeros at its ends: "f" in `trim` for the front, "b" for the back (upper case too).

    Of an array with several axes all outer layers of zeros are removed, along `axis` only if that is given. A vector of
    zeros becomes empty.
    """
    options = {} if axis is None else {"axis": axis}
    bare = np.asarray(plain(x))
    # NumPy's result has the lengths; the first position that is not 0 tells where each axis begins.
    trimmed = np.trim_zeros(bare, trim, **options).shape
    nonzero = np.argwhere(bare)
    starts = nonzero.min(axis=0) if len(nonzero) and "f" in trim.lower() else np.zeros(bare.ndim, int)
    is_shorter = [n != m for n, m in zip(bare.shape, trimmed, strict=True)]
    starts = [int(s) if g else 0 for s, g in zip(starts, is_shorter, strict=True)]
    return getitem(x, tuple(slice(s, s + n) for s, n in zip(starts, trimmed, strict=True)))


def unique(
    x: Array, /, return_index: bool = False, return_inverse: bool = False, return_counts: bool = False,
    axis: int | None = None, *, equal_nan: bool = True,
) -> Tree:  # fmt: skip
    """Return the sorted distinct numbers of x, with the slopes of their first occurrences.

    With an `axis`, return the distinct layers along this axis (None: the array is flattened). With a flag the result is
    a tuple: the numbers, then, as plain integers and in this order, the positions of the first occurrences
    (`return_index`), the inverse (`return_inverse`) and the counts (`return_counts`). With `equal_nan` all nan are one
    number.
    """
    axis = None if axis is None else axes_of(axis)[0]
    plain_results = np.unique(plain(x), True, return_inverse, return_counts, axis, equal_nan=equal_nan)
    values = np.take(np.ravel(x), plain_results[1]) if axis is None else np.take(x, plain_results[1], axis=axis)
    rest = plain_results[1:] if return_index else plain_results[2:]
    return (values, *rest) if rest else values


_COUNT = linear(
    "bincount",
    lambda weights, places, least: np.bincount(places, weights, least),
    lambda g, weights, places, least: getitem(g, places),
)


def bincount(x: Sequence[int], /, weights: Value | None = None, minlength: int = 0) -> Array:
    """Return the sum of weights for each whole number.  Raises Unsupported for traced numbers or without weights."""
    if isinstance(x, Traced) or weights is None:
        raise unsupported("bincount", "without whole numbers")
    return as_array(_COUNT(as_array(weights), places=np.asarray(x), least=minlength))


def ediff1d(x: Value, /, to_end: Value | None = None, to_begin: Value | None = None) -> Array:
    """Return the differences of neighbours of the flattened array, between `to_begin` and `to_end`."""
    row = np.ravel(as_array(x))
    ends = [None if end is None else convert(np.ravel(as_array(end)), plain(row).dtype) for end in (to_begin, to_end)]
    parts = [ends[0], row[1:] - row[:-1], ends[1]]
    return np.concatenate([part for part in parts if part is not None])


# --- pieces -----------------------------------------------------------------------------------------------------------


def piecewise(
    x: Array, conditions: Tree, functions: Sequence[object], /, *arguments: object, **keywords: object
) -> Value:  # fmt: skip
    """Return the values of each of `functions` (or numbers) where its condition is true.

    Where several conditions are true, the last of them counts. Where none is true, the value is that of an additional
    last function, or 0 without one. A function is called with the elements where its condition is true, `arguments` and
    `keywords`; it is not called if there are no such elements. The result has the shape and type of x. Raises
    ValueError if the number of functions is neither that of the conditions nor one more.
    """
    masks = _masks(x, conditions, len(functions))
    row, to = np.reshape(x, shape(x) or (1,)), np.asarray(plain(x)).dtype
    total: Value = np.zeros(shape(row), to if shape(x) else float)
    for k, (mask, function) in enumerate(zip(masks, functions, strict=True)):
        if not np.any(mask):
            continue
        is_last = mask & ~np.any(masks[k + 1 :], axis=0)
        if callable(function):
            inside = getitem(row, mask)
            values = np.broadcast_to(as_array(function(inside, *arguments, **keywords)), shape(inside))
            total = total + convert(scatter_traced(values[is_last[mask]], is_last, np.zeros(shape(row))), to)
        else:
            total = np.where(is_last, convert(as_array(function), to), total)
    return np.reshape(total, shape(x))


def _masks(x: Array, conditions: Tree, count: int) -> list[Mask]:
    """Return a mask for each of the `count` functions of `piecewise`, in the shape of x, or (1,) for a number.

    `conditions` is a list of arrays (or lists), a single array, or a boolean. An array with more axes than x is a list
    of conditions. A list of booleans is a single condition if x is an array, and a list of conditions if x is a number.
    With one condition less than functions, the last mask is true where no condition is. Raises ValueError for other
    counts.
    """
    if isinstance(conditions, np.ndarray):
        conditions = list(conditions) if conditions.ndim > len(shape(x)) else [conditions]
    elif np.isscalar(conditions) or (not isinstance(conditions[0], (list, np.ndarray)) and shape(x)):
        conditions = [conditions]
    masks = [np.asarray(plain(condition), bool) for condition in conditions]
    if count not in (len(masks), len(masks) + 1):
        text = f"with {len(masks)} condition(s), either {len(masks)} or {len(masks) + 1} functions are expected"
        raise ValueError(text)
    if count > len(masks):
        masks.append(~np.any(masks, axis=0))
    return [np.broadcast_to(mask, shape(x) or (1,)) for mask in masks]


# --- several arrays, and several parts --------------------------------------------------------------------------------


def meshgrid(*arrays: Value, copy: bool = True, sparse: bool = False, indexing: str = "xy") -> Tree:
    """Return the coordinates of all points of a grid, in one array for each of `arrays`."""
    axes = [as_array(a) for a in arrays]
    grid = np.meshgrid(*[positions(a, 0) for a in axes], sparse=sparse, indexing=indexing)
    return type(grid)(np.take(np.ravel(a), picks) for a, picks in zip(axes, grid, strict=True))


def broadcast_arrays(*arrays: Value) -> Tree:
    """Return the arrays in the one shape that they are broadcast to."""
    bare = np.broadcast_arrays(*[plain(as_array(a)) for a in arrays])
    return type(bare)(np.broadcast_to(as_array(a), b.shape) for a, b in zip(arrays, bare, strict=True))


def ix_(*arrays: Value) -> tuple[Array, ...]:
    """Return the arrays, each along its own axis."""
    count = len(arrays)
    return tuple(np.reshape(as_array(a), [-1 if k == j else 1 for j in range(count)]) for k, a in enumerate(arrays))


def unstack(x: Value, /, *, axis: int = 0) -> tuple[Array, ...]:
    """Return the layers of an array along an axis."""
    return tuple(np.moveaxis(as_array(x), axis, 0))


def apply_along_axis(
    function: Callable[..., Tree], axis: int, x: Array, /, *arguments: object, **keywords: object
) -> Array:
    """Return the results of `function(row, *arguments, **keywords)` for each row along an axis.

    The axes of the results replace that axis. Raises ValueError if there are no rows, or if the results differ in
    shape.
    """
    rows = np.moveaxis(x, axis, -1)
    outer = shape(rows)[:-1]
    results = [as_array(function(rows[place], *arguments, **keywords)) for place in np.ndindex(*outer)]
    if not results:
        raise ValueError("Cannot apply_along_axis when any iteration dimensions are 0")
    inner = len(shape(results[0]))
    stacked = np.reshape(np.stack(results), (*outer, *shape(results[0])))
    place = axis % len(shape(x))
    return np.moveaxis(stacked, range(len(outer), len(outer) + inner), range(place, place + inner))


def apply_over_axes(function: Function, x: Array, axes: int | Sequence[int], /) -> Value:
    """Return the result of `function(x, axis)` applied along one of `axes` after the other, with axes of length 1 kept.

    The function may drop the axis or keep it. Raises ValueError if its result has any other number of axes.
    """
    count = len(shape(x))
    for axis in np.ravel(axes):
        place = int(axis) % count
        reduced = as_array(function(x, place))
        x = reduced if len(shape(reduced)) == count else np.expand_dims(reduced, place)
        if len(shape(x)) != count:
            raise ValueError("function is not returning an array of the correct shape")
    return x


RULES: Mapping[str, Callable[..., Tree]] = by_name(
    pad, bincount, insert, choose, compress, extract, trim_zeros, unique, ediff1d, piecewise, meshgrid,
    broadcast_arrays, ix_, unstack, apply_along_axis, apply_over_axes,
)  # fmt: skip
