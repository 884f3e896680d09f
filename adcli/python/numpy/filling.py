"""Rules for arrays that are filled from several places: padding, inserting, choosing, pieces, and loops over parts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from ...graph.overloading import plain
from ...numbers.numpy_arrays import np
from ..core.array_parts import getitem, scatter_traced
from ..core.evaluation import linear
from ..core.traced import Traced, as_array, shape
from ..core.unsupported import unsupported
from .array_reductions import largest, mean, smallest
from .quantiles import handlers as quantiles
from .rearranging import axes_of, convert, rearranged

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

    from ..core.containers import Tree
    from ..core.traced import Array, Axis, Mask, Value

    # How many numbers before and behind, along one axis.
    Ends = tuple[int, int]


# --- padding ----------------------------------------------------------------------------------------------------------


def _pairs(given: object, count: int, whole: bool = False) -> list[tuple[Value, Value]]:
    """What NumPy understands by one value, one for each end, or one for each axis and end."""
    if isinstance(given, Traced) and not shape(given):
        return [(given, given)] * count
    if isinstance(given, dict):
        found: list[tuple[Value, Value]] = [(0, 0)] * count
        for axis, width in given.items():
            found[axis] = (width, width) if isinstance(width, int) else tuple(width)
        return found
    array = as_array(given)
    if whole and plain(array).dtype.kind not in "iu":
        raise TypeError("`pad_width` must be of integral type.")
    spread = np.broadcast_to(array, (count, 2))
    return [(row[0], row[1]) for row in spread]


def pad(
    x: Value, /, pad_width: object, mode: str | Callable[..., object] = "constant", *, constant_values: object = 0,
    end_values: object = 0, stat_length: object = None, reflect_type: str = "even",
) -> Array:  # fmt: skip
    """The array with numbers around it.  Raises Unsupported for a mode that is a function."""
    if callable(mode):
        raise unsupported("pad", "with a function as mode=")
    x = as_array(x)
    widths = [(int(plain(a)), int(plain(b))) for a, b in _pairs(pad_width, len(shape(x)), whole=True)]
    if any(n < 0 for pair in widths for n in pair):
        raise ValueError("index can't contain negative values")
    if mode in ("reflect", "symmetric") and reflect_type == "odd":
        return _each_axis(x, widths, lambda y, k: _turned(y, k, widths[k], mode))
    if mode in ("edge", "reflect", "symmetric", "wrap", "empty"):
        return rearranged(np.pad)(x, widths, "constant" if mode == "empty" else mode)
    if mode == "constant":
        values = _pairs(constant_values, len(shape(x)))
        return _each_axis(x, widths, lambda y, k: _between(y, k, widths[k], values[k]))
    if mode == "linear_ramp":
        values = _pairs(end_values, len(shape(x)))
        return _each_axis(x, widths, lambda y, k: _ramped(y, k, widths[k], values[k]))
    if mode not in _STATISTICS:
        raise ValueError(f"mode '{mode}' is not supported")
    lengths = [(None, None)] * len(shape(x)) if stat_length is None else _pairs(stat_length, len(shape(x)))
    return _each_axis(x, widths, lambda y, k: _summed_up(y, k, widths[k], mode, lengths[k]))


def _each_axis(x: Array, widths: Sequence[Ends], padded: Callable[[Array, int], Array]) -> Array:
    """The array padded along one axis after the other, as NumPy does."""
    for k, width in enumerate(widths):
        if any(width):
            x = padded(x, k)
    return x


def _layer(x: Array, axis: int, part: slice) -> Array:
    return getitem(x, (*[slice(None)] * axis, part))


def _joined(parts: Sequence[Array], x: Array, axis: int) -> Array:
    return np.concatenate([convert(part, plain(x).dtype) for part in parts], axis=axis)


def _block(value: Value, x: Array, axis: int, width: int) -> Array:
    """One number, or one layer, so often along an axis."""
    lengths = list(shape(x))
    lengths[axis] = width
    return np.broadcast_to(value, tuple(lengths))


def _between(x: Array, axis: int, width: Ends, values: tuple[Value, Value]) -> Array:
    before, behind = (_block(value, x, axis, n) for value, n in zip(values, width, strict=True))
    return _joined([before, x, behind], x, axis)


def _ramped(x: Array, axis: int, width: Ends, values: tuple[Value, Value]) -> Array:
    """Numbers at equal distances from a value at the end to the edge of the array."""
    first, last = _layer(x, axis, slice(0, 1)), _layer(x, axis, slice(-1, None))
    upright = [-1 if k == axis else 1 for k in range(len(shape(x)))]
    parts = []
    for edge, value, n in ((first, values[0], width[0]), (last, values[1], width[1])):
        share = np.reshape(np.arange(n) / max(n, 1), upright)
        parts.append(value + (edge - value) * share)
    return _joined([parts[0], x, np.flip(parts[1], axis)], x, axis)


_STATISTICS: dict[str, Callable[..., Value]] = {
    "maximum": largest, "minimum": smallest, "mean": mean, "median": quantiles()["median"],
}  # fmt: skip


def _summed_up(
    x: Array, axis: int, width: Ends, mode: str, lengths: tuple[Value | None, Value | None]
) -> Array:  # fmt: skip
    """What the numbers next to each end have as their statistic."""
    size = shape(x)[axis]
    first, last = (size if n is None else min(int(plain(n)), size) for n in lengths)
    ends = (_layer(x, axis, slice(0, first)), _layer(x, axis, slice(size - last, size)))
    statistic = _STATISTICS[mode]
    before, behind = (
        _block(statistic(end, axis, keepdims=True), x, axis, n) for end, n in zip(ends, width, strict=True)
    )
    return _joined([before, x, behind], x, axis)


def _turned(x: Array, axis: int, width: Ends, mode: str) -> Array:
    """The array reflected at points: each number is one of the array, or its negative, and whole numbers of the ends.

    How many of each, NumPy says of the array's places, of its first place alone and of its last.
    """
    size = shape(x)[axis]
    marks = np.arange(size)
    options = {"mode": mode, "reflect_type": "odd"}
    from_first = np.pad((marks == 0).astype(int), width, **options)
    from_last = np.pad((marks == size - 1).astype(int), width, **options) if size > 1 else 0 * from_first
    places = np.pad(marks, width, mode=mode)
    own = 1 - from_first - from_last
    own = np.where((places == 0) | (places == size - 1), 0, own)
    upright = [-1 if k == axis else 1 for k in range(len(shape(x)))]
    own, from_first, from_last = (np.reshape(n, upright).astype(plain(x).dtype) for n in (own, from_first, from_last))
    first, last = _layer(x, axis, slice(0, 1)), _layer(x, axis, slice(size - 1, size))
    return own * np.take(x, places, axis=axis) + from_first * first + from_last * last


# --- elements put in, and picked by what they are ---------------------------------------------------------------------


def _placed(start: int, like: Array) -> NDArray[numpy.int_]:
    return np.arange(start, start + np.size(plain(like))).reshape(shape(like))


def insert(x: Value, obj: object, values: Value, /, axis: int | None = None) -> Array:
    """The array with values put in before places along an axis; in one row for None."""
    x = as_array(x)
    values = as_array(convert(as_array(values), plain(x).dtype))
    start = 1 + np.size(plain(x))
    picks = np.insert(_placed(1, x), plain(obj), _placed(start, values), axis)
    both = np.concatenate([np.ravel(x), np.ravel(values)])
    return np.take(both, picks - 1)


def choose(a: Value, choices: Sequence[Value], /, mode: str = "raise") -> Array:
    """From the array that each whole number names, the element in its place."""
    found = [as_array(choice) for choice in choices]
    spread = np.broadcast_shapes(np.shape(plain(a)), *map(shape, found))
    starts = [1, *np.cumsum([np.size(plain(part)) for part in found]) + 1]
    numbered = [np.broadcast_to(_placed(s, part), spread) for s, part in zip(starts, found, strict=False)]
    picks = np.choose(plain(as_array(a)), numbered, mode=mode)
    return np.take(np.concatenate([np.ravel(part) for part in found]), picks - 1)


def compress(condition: Mask, x: Value, /, axis: int | None = None) -> Array:
    """The layers along an axis for which the condition holds; of all numbers in one row for None."""
    return rearranged(lambda places: np.compress(plain(condition), places, axis))(x)


def extract(condition: Mask, x: Value, /) -> Array:
    """All numbers for which the condition holds, in one row."""
    return rearranged(lambda places: np.extract(plain(condition), places))(x)


def trim_zeros(x: Value, /, trim: str = "fb", axis: Axis = None) -> Array:
    """The array without the zeros at its ends."""
    x = as_array(x)
    options = {} if axis is None else {"axis": axis}
    bare = np.asarray(plain(x))
    count = bare.ndim
    if count == 1 and axis is None:
        there = np.flatnonzero(bare)
        if not len(there):
            return x[:0]
        return x[there[0] if "f" in trim.lower() else 0 : there[-1] + 1 if "b" in trim.lower() else len(bare)]
    # The array's own numbers are lost in those of its places, so that it is marked where it has a number.
    trimmed = np.trim_zeros(bare, trim, **options).shape
    there = np.argwhere(bare)
    starts = there.min(axis=0) if len(there) and "f" in trim.lower() else np.zeros(count, int)
    gone = [n != m for n, m in zip(bare.shape, trimmed, strict=True)]
    starts = [int(s) if g else 0 for s, g in zip(starts, gone, strict=True)]
    return getitem(x, tuple(slice(s, s + n) for s, n in zip(starts, trimmed, strict=True)))


def unique(
    x: Value, /, return_index: bool = False, return_inverse: bool = False, return_counts: bool = False,
    axis: int | None = None, *, equal_nan: bool = True,
) -> Tree:  # fmt: skip
    """The numbers in order, each once; where they come from and how often, as NumPy says it."""
    x = as_array(x)
    axis = None if axis is None else axes_of(axis)[0]
    found = np.unique(plain(x), True, return_inverse, return_counts, axis, equal_nan=equal_nan)
    values = np.take(np.ravel(x), found[1]) if axis is None else np.take(x, found[1], axis=axis)
    rest = found[1:] if return_index else found[2:]
    return (values, *rest) if rest else values


_COUNT = linear(
    "bincount",
    lambda weights, places, least: np.bincount(places, weights, least),
    lambda g, weights, places, least: getitem(g, places),
)


def bincount(x: Sequence[int], /, weights: Value | None = None, minlength: int = 0) -> Array:
    """The sums of the weights of each whole number.  Raises Unsupported for traced whole numbers."""
    if isinstance(x, Traced) or weights is None:
        raise unsupported("bincount", "without whole numbers")
    return as_array(_COUNT(as_array(weights), places=np.asarray(x), least=minlength))


def ediff1d(x: Value, /, to_end: Value | None = None, to_begin: Value | None = None) -> Array:
    """The differences of neighbours in one row, with numbers put before and behind."""
    row = np.ravel(as_array(x))
    ends = [None if end is None else convert(np.ravel(as_array(end)), plain(row).dtype) for end in (to_begin, to_end)]
    parts = [ends[0], row[1:] - row[:-1], ends[1]]
    return np.concatenate([part for part in parts if part is not None])


# --- pieces -----------------------------------------------------------------------------------------------------------


def piecewise(
    x: Value, conditions: Tree, functions: Sequence[object], /, *arguments: object, **keywords: object
) -> Value:  # fmt: skip
    """Each function, or number, where its condition holds: of several the last; where none holds one more, or 0."""
    x = as_array(x)
    if isinstance(conditions, np.ndarray):
        conditions = list(conditions) if conditions.ndim > len(shape(x)) else [conditions]
    elif not isinstance(conditions[0], (list, np.ndarray)) and shape(x):
        conditions = [conditions]
    masks = [np.asarray(plain(condition), bool) for condition in conditions]
    if len(functions) == len(masks) + 1:
        masks.append(~np.any(masks, axis=0))
    elif len(functions) != len(masks):
        raise ValueError(
            f"with {len(masks)} condition(s), either {len(masks)} or {len(masks) + 1} functions are expected"
        )
    masks = [np.broadcast_to(mask, shape(x)) for mask in masks]
    found: Value = np.zeros(shape(x), plain(x).dtype if shape(x) else float)
    for k, (mask, function) in enumerate(zip(masks, functions, strict=True)):
        later = np.any(masks[k + 1 :], axis=0) if k + 1 < len(masks) else np.zeros(shape(x), bool)
        if not np.any(mask):
            continue
        if not callable(function):
            found = np.where(mask & ~later, convert(as_array(function), np.asarray(plain(x)).dtype), found)
            continue
        inside = getitem(np.reshape(x, shape(x) or (1,)), mask if shape(x) else slice(None))
        made = np.broadcast_to(as_array(function(inside, *arguments, **keywords)), shape(inside))
        stays = ~later[mask] if shape(x) else slice(None)
        part = scatter_traced(made[stays], mask & ~later, np.zeros(shape(x))) if shape(x) else made[0]
        found = found + convert(part, np.asarray(plain(x)).dtype)
    return found


# --- several arrays, and several parts --------------------------------------------------------------------------------


def meshgrid(*arrays: Value, copy: bool = True, sparse: bool = False, indexing: str = "xy") -> Tree:
    """The coordinates of all points of a grid, each in an array of its own."""
    found = [as_array(a) for a in arrays]
    grid = np.meshgrid(*[_placed(0, a) for a in found], sparse=sparse, indexing=indexing)
    return type(grid)(np.take(np.ravel(a), picks) for a, picks in zip(found, grid, strict=True))


def broadcast_arrays(*arrays: Value) -> Tree:
    """The arrays in the one shape that they are broadcast to."""
    bare = np.broadcast_arrays(*[plain(as_array(a)) for a in arrays])
    return type(bare)(np.broadcast_to(as_array(a), b.shape) for a, b in zip(arrays, bare, strict=True))


def ix_(*arrays: Value) -> tuple[Array, ...]:
    """The arrays each along an axis of its own."""
    count = len(arrays)
    return tuple(np.reshape(as_array(a), [-1 if k == j else 1 for j in range(count)]) for k, a in enumerate(arrays))


def unstack(x: Value, /, *, axis: int = 0) -> tuple[Array, ...]:
    """The layers of an array along an axis."""
    return tuple(np.moveaxis(as_array(x), axis, 0))


def apply_along_axis(
    function: Callable[..., Tree], axis: int, x: Value, /, *arguments: object, **keywords: object
) -> Array:
    """What a function makes of each row along an axis; its result takes the place of the axis."""
    x = as_array(x)
    rows = np.moveaxis(x, axis, -1)
    ahead = shape(rows)[:-1]
    made = [as_array(function(rows[place], *arguments, **keywords)) for place in np.ndindex(*ahead)]
    if not made:
        raise ValueError("Cannot apply_along_axis when any iteration dimensions are 0")
    inner = len(shape(made[0]))
    found = np.reshape(np.stack(made), (*ahead, *shape(made[0])))
    place = axis % len(shape(x))
    return np.moveaxis(found, range(len(ahead), len(ahead) + inner), range(place, place + inner))


def apply_over_axes(function: Callable[..., Value], x: Value, axes: int | Sequence[int], /) -> Value:
    """What a function makes of the array along one axis after the other, which stay as axes of length 1."""
    x = as_array(x)
    count = len(shape(x))
    for axis in np.ravel(axes):
        place = int(axis) % count
        made = as_array(function(x, place))
        x = made if len(shape(made)) == count else np.expand_dims(made, place)
        if len(shape(x)) != count:
            raise ValueError("function is not returning an array of the correct shape")
    return x


def handlers() -> dict[str, Callable[..., Tree]]:
    """The functions by NumPy's names."""
    named = (
        pad, bincount, insert, choose, compress, extract, trim_zeros, unique, ediff1d, piecewise, meshgrid,
        broadcast_arrays, ix_, unstack, apply_along_axis, apply_over_axes,
    )  # fmt: skip
    return {rule.__name__: rule for rule in named}
