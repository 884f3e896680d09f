"""Rules of NumPy's array reductions and of those that leave nan out, of running sums, sorting, and differences."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from functools import reduce, wraps
from itertools import accumulate

from ...graph.overloading import plain
from ...numbers.numpy_arrays import np
from ...typings import TYPE_CHECKING
from ..core.contexts import collects_arrays, record_tie
from ..core.traced import Array, Axis, Doubles, Function, Mask, Places, Traced, Value, as_array, shape
from ..core.unsupported import unsupported
from .rearranging import (
    CUMSUM,
    SUM,
    axes_of,
    by_name,
    convert,
    convert_for,
    fill_nan,
    layer,
    make_rearranging_rule,
    merge_axes,
    places_of,
    reduction,
    shape_with_kept_axes,
)

if TYPE_CHECKING:
    import numpy
    from numpy.typing import DTypeLike

    from ..core.containers import Tree


def total(
    x: Value, /, axis: Axis = None, dtype: DTypeLike | None = None, *, keepdims: bool = False,
    initial: Value | None = None, where: Mask = True,
) -> Value:  # fmt: skip
    """Return the sums along `axis` (None: all) of the elements that `where` selects, plus `initial`; 0 for no elements.

    `dtype` is the type to compute in; `keepdims` keeps the axes with length 1. Raises Unsupported for a `dtype` that is
    neither floating-point nor complex, or real for a complex x.
    """
    x = _mask_out(convert_for("sum", as_array(x), dtype), where, 0.0)
    sums = SUM(x, axis=_axis(axis), keepdims=bool(keepdims))
    return sums if initial is None else sums + initial


def _axis(axis: Axis) -> int | tuple[int, ...] | None:
    """Return `axis` with a sequence of axes as a tuple; anything else unchanged."""
    return axis if axis is None or type(axis) is int else tuple(axis) if isinstance(axis, Sequence) else axis


def _mask_out(x: Array, where: Mask, instead: float) -> Array:
    """Return the array with `instead`, a neutral number, in the elements that `where` does not select."""
    return x if where is True else np.where(np.broadcast_to(plain(where), shape(x)), x, instead)


def _count_elements(x: Array, axis: Axis, where: Mask = True, keepdims: bool = False) -> int | Places:
    """Return the number of elements in each result of a reduction along `axis` (None: all).

    If `where` is True, the result is one number. Otherwise it is an array (or number) with the count that `where`
    selects for each result; `keepdims` keeps the reduced axes with length 1.
    """
    if where is not True:
        return np.sum(np.broadcast_to(plain(where), shape(x)), axis=axis, keepdims=bool(keepdims))
    size = 1
    for n, k in zip(shape(x), shape_with_kept_axes(shape(x), axis), strict=True):
        size *= n // k if k else 1
    return size


def mean(
    x: Value, /, axis: Axis = None, dtype: DTypeLike | None = None, *, keepdims: bool = False, where: Mask = True
) -> Value:
    """Return the means along `axis` (None: all) of the elements that `where` selects.

    Without elements it is nan in an array, and a DomainProblem if the result is one number. `dtype` is the type to
    compute in, `keepdims` keeps the axes with length 1. Raises Unsupported for a `dtype` that is neither floating-point
    nor complex, or real for a complex x.
    """
    x, axis = convert_for("mean", as_array(x), dtype), _axis(axis)
    return SUM(_mask_out(x, where, 0.0), axis=axis, keepdims=bool(keepdims)) / _count_elements(x, axis, where, keepdims)


def average(
    x: Value, /, axis: Axis = None, weights: Value | None = None, returned: bool = False, *, keepdims: bool = False
) -> Value | tuple[Value, Value]:
    """Return the weighted means along `axis` (None: all); with `returned` (means, sums of weights in the same shape).

    `weights` may be traced. They have the shape of x, or one axis for each of `axis`, in this order. None means equal
    weights, whose sums are the numbers of elements. `keepdims` keeps the axes with length 1. Weights of another shape
    (ValueError), or with the sum 0 (ZeroDivisionError), are refused by NumPy itself, which is called with plain values
    first.
    """
    x, axis = as_array(x), _axis(axis)
    if weights is None:
        means, scale = mean(x, axis, keepdims=keepdims), as_array(float(_count_elements(x, axis)))
    else:
        weights = _weights_along(as_array(weights), x, axis)
        scale = as_array(SUM(weights, axis=axis, keepdims=bool(keepdims)))
        means = SUM(as_array(x * weights), axis=axis, keepdims=bool(keepdims)) / scale
    if not returned:
        return means
    return means, np.broadcast_to(convert(scale, np.asarray(plain(means)).dtype), shape(means))


def _weights_along(weights: Array, x: Array, axis: Axis) -> Array:
    """Return `weights` in a shape that broadcasts to x.

    Weights in the shape of x are returned as they are, for `axis` None any weights. Otherwise there is one weight for
    each position along `axis`; with several axes, the weights have one axis for each, in the order of `axis`. Weights
    that do not fit have been refused by NumPy before.
    """
    if axis is None or shape(weights) == shape(x):
        return weights
    axes = places_of(axis, len(shape(x)))
    ordered = np.transpose(weights, np.argsort(axes))
    return np.reshape(ordered, tuple(n if k in axes else 1 for k, n in enumerate(shape(x))))


def var(
    x: Value, /, axis: Axis = None, dtype: DTypeLike | None = None, *, ddof: float = 0, keepdims: bool = False,
    where: Mask = True, mean: Value | None = None, correction: float | None = None,
) -> Value:  # fmt: skip
    """Return the variances along `axis` (None: all): sums of squared absolute distances from the mean, divided by the
    count minus `ddof` (or `correction`).

    A divisor below 0 counts as 0, which gives nan or infinity in an array, and raises DomainProblem if the result is
    one number. `where` selects elements; `mean` is the mean if already known, with axes kept. `keepdims` keeps the axes
    with length 1; x is converted to `dtype` first (None: not). Raises ValueError for `correction` with a `ddof` not 0,
    Unsupported for a `dtype` that is not real floating-point.
    """
    if correction is not None and ddof != 0:
        raise ValueError("ddof and correction can't be provided simultaneously.")
    x, axis = convert_for("var", as_array(x), dtype), _axis(axis)
    if where is True and mean is None and correction is None and not np.iscomplexobj(plain(x)) and dtype is None:
        count = _count_elements(x, axis)
        if count > ddof:
            return _VAR(x, axis=axis, keepdims=bool(keepdims), count=count - ddof, ddof=ddof)
    off = x - (_mean(x, axis, keepdims=True, where=where) if mean is None else mean)
    if dtype is not None and np.dtype(dtype).kind == "c":
        raise unsupported("var", "with dtype=complex")
    count = _count_elements(x, axis, where, keepdims) - (ddof if correction is None else correction)
    count = np.maximum(count, 0) if shape(count) else max(count, 0)
    return SUM(_mask_out(squares(off), where, 0.0), axis=axis, keepdims=bool(keepdims)) / count


_mean = mean


_VAR = reduction(
    "var",
    lambda x, *, axis, keepdims, count, ddof: np.var(x, axis=axis, ddof=ddof, keepdims=keepdims),
    lambda k, z, kept, x, *, axis, count, ddof: (x - mean(x, axis, keepdims=True)) * (2 / count),
)


def root_of(variance: Function) -> Function:
    """Return the function for the standard deviation: the root of the result of `variance`, with its signature.

    Where the variance is 0 the slope is 0.
    """

    @wraps(variance)
    def deviation(*arguments: object, **options: object) -> Value:
        return root(variance(*arguments, **options))

    return deviation


def squares(x: Array) -> Array:
    """Return the squares of the absolute values."""
    return x.real * x.real + x.imag * x.imag if np.iscomplexobj(plain(x)) else x * x


def root(x: Value) -> Value:
    """Return the square root, with slope 0 at 0, for sums of squares; 0 is noted as a kink for kinks="error"."""
    empty = plain(x) == 0
    if collects_arrays() and isinstance(x, Traced) and np.any(empty):
        record_tie("the root of a sum of squares has a corner at 0")
    if not shape(x):
        return 0.0 * x if empty else np.sqrt(x)
    return np.where(empty, 0.0, np.sqrt(np.where(empty, 1.0, x)))


def prod(
    x: Value, /, axis: Axis = None, dtype: DTypeLike | None = None, *, keepdims: bool = False,
    initial: Value | None = None, where: Mask = True,
) -> Value:  # fmt: skip
    """Return the products along `axis` (None: all) of the elements that `where` selects, times `initial`.

    Without elements the product is 1. The elements are multiplied in pairs, halves at a time, so that zeros need no
    division in the derivative. `keepdims` keeps the axes with length 1. Raises Unsupported for a `dtype` that is
    neither floating-point nor complex, or real for a complex x.
    """
    array, axis = _mask_out(convert_for("prod", as_array(x), dtype), where, 1.0), _axis(axis)
    kept_shape, factors = shape_with_kept_axes(shape(array), axis), merge_axes(array, axis, 0)
    while shape(factors)[0] > 1:
        half = shape(factors)[0] // 2
        product = factors[:half] * factors[half : 2 * half]
        factors = np.concatenate([product, factors[2 * half :]]) if shape(factors)[0] % 2 else product
    product = factors[0] if shape(factors)[0] else np.ones(shape(factors)[1:])
    product = np.reshape(product, kept_shape) if keepdims else product
    return product if initial is None else product * initial


def _tie_weights(k: int, z: Array, kept: tuple[int, ...], x: Array, *, axis: Axis) -> Doubles:
    """Return the slope of the extreme z along `axis` with respect to each element of x, in the shape of x.

    Elements equal to z have equal fractions of 1, all others 0; all are nan where z is nan.
    """
    hits = _hits(z, kept, x)
    return hits / np.sum(hits, axis=axis, keepdims=True)


def _hits(z: Value, kept: tuple[int, ...], x: Array) -> Mask:
    """Return which elements of x are equal to the extreme z, whose shape with the reduced axes is `kept`."""
    hits: Mask = np.asarray(plain(x)) == np.reshape(plain(z), kept)
    return hits


def _extreme(name: str, pick: numpy.ufunc, last: float) -> Function:
    """Return the rule for NumPy's max or min (`name`) along axes; the slope is divided equally among ties.

    `pick` is the ufunc for two numbers, `last` the number that never wins, which replaces elements that `where` leaves
    out. A tie of elements is noted as a kink only for kinks="error"; one with `initial`, decided by the convention of
    `pick`, is, if the result is one number. The rule raises Unsupported for `where` without `initial`, ValueError for
    no elements (with `initial`, too).
    """
    rule = reduction(name, lambda x, axis, keepdims: pick.reduce(x, axis=axis, keepdims=keepdims), _tie_weights)

    def extreme(
        x: Value, /, axis: Axis = None, *, keepdims: bool = False, initial: Value | None = None, where: Mask = True
    ) -> Value:
        """Return the extremes along `axis` (None: all), or `initial` where it wins; `keepdims` keeps the axes with
        length 1.

        Elements that `where` does not select are left out. Raises Unsupported for `where` without `initial`, ValueError
        for no elements.
        """
        if where is not True and initial is None:
            raise unsupported(name, "with where= and no initial=")
        array, axis = _mask_out(as_array(x), where, last), _axis(axis)
        extremes = rule(array, axis=axis, keepdims=bool(keepdims))
        if collects_arrays() and isinstance(array, Traced):
            hits = _hits(extremes, shape_with_kept_axes(shape(array), axis), array)
            if np.any(np.sum(hits, axis=axis) > 1):
                record_tie(f"{name} compares two equal numbers")
        return extremes if initial is None else pick(extremes, initial)

    return extreme


largest, smallest = _extreme("max", np.maximum, -np.inf), _extreme("min", np.minimum, np.inf)


def ptp(x: Value, /, axis: Axis = None, *, keepdims: bool = False) -> Value:
    """Return the distances from the smallest to the largest numbers along axes."""
    return largest(x, axis, keepdims=keepdims) - smallest(x, axis, keepdims=keepdims)


def cumsum(x: Value, /, axis: Axis = None, dtype: DTypeLike | None = None) -> Value:
    """Return the running sums along an axis; of the flattened array if axis is None."""
    x = convert_for("cumsum", as_array(x), dtype)
    return CUMSUM(np.ravel(x), axis=0) if axis is None else CUMSUM(x, axis=axis)


def cumprod(x: Value, /, axis: Axis = None, dtype: DTypeLike | None = None) -> Value:
    """Return the running products along an axis; of the flattened array if axis is None."""
    x = convert_for("cumprod", as_array(x), dtype)
    x = np.ravel(x) if axis is None else np.moveaxis(x, axis, 0)
    return np.stack(list(accumulate(x, operator.mul)), 0 if axis is None else axis)


def trace(x: Value, /, offset: int = 0, axis1: int = 0, axis2: int = 1, dtype: DTypeLike | None = None) -> Value:
    """Return the sums along a diagonal of the matrices that two axes make."""
    return np.sum(make_rearranging_rule(np.diagonal)(x, offset, axis1, axis2), axis=-1, dtype=dtype)


def sort(x: Value, /, axis: int | None = -1, kind: str | None = None, *, stable: bool | None = None) -> Array:
    """Return the array sorted along an axis; the method `kind` and `stable` do not change the numbers."""
    return np.take_along_axis(as_array(x), np.argsort(plain(x), axis), axis)


def partition(x: Value, /, kth: int | Sequence[int], axis: int | None = -1, kind: str = "introselect") -> Array:
    """Return the array rearranged along an axis so that the element at `kth` is where sorting would put it."""
    return np.take_along_axis(as_array(x), np.argpartition(plain(x), kth, axis, kind), axis)


def _check_against_numpy(result: Value, bare: Value, name: str) -> Value:
    """Return `result`.  Raises Unsupported if it differs from `bare`, the result of NumPy, which may fold otherwise."""
    if not np.allclose(plain(result), bare, rtol=1e-6, equal_nan=True):
        raise unsupported(name, "where NumPy does not go from left to right")
    return result


def fold_methods(called: numpy.ufunc) -> dict[str, Function]:
    """Return the methods "reduce", "accumulate" and "reduceat" of the ufunc `called` of two numbers.

    They fold from the left. They take (x, axis), reduce also `keepdims` and `initial`, reduceat (x, indices, axis); the
    axis is 0 by default. Several axes are folded as one, in row-major order. Each raises Unsupported if NumPy's result
    differs, because NumPy folds in another order, and the errors of NumPy's method, which is called first with plain
    values.
    """

    def along_axes(x: Value, /, axis: Axis = 0, *, keepdims: bool = False, initial: Value | None = None) -> Value:
        """Return the fold of the elements along `axis` (None: all), from the left.

        It begins with `initial` if that is given. `keepdims` keeps the axes with length 1. Without elements it is
        NumPy's plain result. Raises Unsupported if NumPy's result differs.
        """
        named = {} if initial is None else {"initial": plain(initial)}
        bare = called.reduce(plain(as_array(x)), axis, keepdims=keepdims, **named)
        rows = merge_axes(as_array(x), axis, 0)
        if not len(rows):
            return bare
        last = reduce(called, rows if initial is None else [initial, *rows])
        return _check_against_numpy(np.reshape(last, np.shape(bare)), bare, f"{called.__name__}.reduce")

    def running(x: Value, /, axis: int | None = 0) -> Value:
        """Return all intermediate results of the fold along an axis (None counts as 0), from the left.

        Raises Unsupported if NumPy's result differs.
        """
        bare = called.accumulate(plain(x), axis)
        results = list(accumulate(np.moveaxis(as_array(x), axis or 0, 0), called))
        return _check_against_numpy(np.moveaxis(np.stack(results), 0, axis or 0), bare, f"{called.__name__}.accumulate")

    def of_slices(x: Value, indices: Sequence[int], /, axis: int = 0) -> Value:
        """Return the folds of slices along an axis, each from one of `indices` to before the next one.

        The last slice goes to the end. A slice that would be empty gives the one element at its start. Raises
        Unsupported if NumPy's result differs.
        """
        bare = called.reduceat(plain(as_array(x)), plain(indices), axis)
        rows = np.moveaxis(as_array(x), axis, 0)
        starts = [int(k) for k in np.asarray(plain(indices))]
        ends = [*starts[1:], len(rows)]
        parts = [along_axes(rows[a:b]) if a < b else rows[a] for a, b in zip(starts, ends, strict=True)]
        return _check_against_numpy(np.moveaxis(np.stack(parts), 0, axis), bare, f"{called.__name__}.reduceat")

    return {"reduce": along_axes, "accumulate": running, "reduceat": of_slices}


def diff(x: Array, /, n: int = 1, axis: int = -1, prepend: Value | None = None, append: Value | None = None) -> Array:
    """Return the differences (next minus previous) along an axis, n times; each time the axis is shorter by 1.

    `prepend` and `append` (a number: one layer of it) are added at the ends before, unless n is 0, which returns x.
    """
    if n and (prepend is not None or append is not None):
        parts = [part for part in (prepend, x, append) if part is not None]
        x = np.concatenate([part if shape(as_array(part)) else spread_along(part, x, axis, 1) for part in parts], axis)
    for _step in range(n):
        x = layer(x, axis, slice(1, None)) - layer(x, axis, slice(None, -1))
    return x


def spread_along(value: Value, x: Array, axis: int, width: int) -> Array:
    """Return one number, or one layer, repeated `width` times along an axis, in the other lengths of x."""
    lengths = list(shape(x))
    lengths[axis] = width
    return np.broadcast_to(value, tuple(lengths))


def gradient(
    f: Array, /, *spacing: Value | Sequence[float], axis: Axis = None, edge_order: int = 1
) -> Array | tuple[Array, ...]:
    """Return the numerical derivative of f along axes (None: all): central inside, one-sided at the ends.

    The result is an array for a single axis (also in a sequence), a tuple for several. `spacing` has the distance or
    the coordinates for each axis, or one distance for all (default: 1); another number of them raises ValueError.
    `edge_order` is the degree of the polynomial at the ends, 1 or 2.
    """
    axes = range(len(shape(f))) if axis is None else axes_of(axis)
    steps = spacing * len(axes) if len(spacing) == 1 else spacing or (1.0,) * len(axes)
    slopes = [_parabola_slopes(f, a, h, edge_order) for a, h in zip(axes, steps, strict=True)]
    return slopes[0] if len(slopes) == 1 else tuple(slopes)


def _parabola_slopes(f: Array, axis: int, step: Value | Sequence[float], edge_order: int) -> Array:
    """Return the derivative of `f` along an axis, at each element that of the parabola through it and its neighbours.

    At both ends it is the derivative of the polynomial of degree `edge_order` (1 or 2) through the nearest elements.
    `step` is a distance, or a vector of coordinates, one for each element.
    """
    y = np.moveaxis(f, axis, 0)
    step = as_array(step) * 1.0
    h = np.diff(step) if shape(step) else np.ones(shape(y)[0] - 1) * step
    h = np.reshape(h, (-1, *(1,) * (len(shape(y)) - 1)))
    quotients = (y[1:] - y[:-1]) / h
    left, right = h[:-1], h[1:]
    inside = (quotients[:-1] * right + quotients[1:] * left) / (left + right)
    first, last = quotients[:1], quotients[-1:]
    if edge_order == 2:
        first = first + (first - quotients[1:2]) * h[:1] / (h[:1] + h[1:2])
        last = last + (last - quotients[-2:-1]) * h[-1:] / (h[-1:] + h[-2:-1])
    return np.moveaxis(np.concatenate([first, inside, last]), 0, axis)


def _accumulation(reduction: Function, first: float) -> Function:
    """Return NumPy's function (x, *, axis, dtype, include_initial) for running results along one axis.

    `reduction(x, axis, dtype)` is the rule that computes them, such as `cumsum`. `axis` None means the only axis; the
    function raises ValueError if x has any other number of axes. With `include_initial` the results begin with `first`
    (0 for sums, 1 for products) and are one longer.
    """

    def accumulate(
        x: Array, /, *, axis: int | None = None, dtype: DTypeLike | None = None, include_initial: bool = False
    ) -> Value:
        """Return the running results along `axis`, computed in the type `dtype`.

        With `include_initial` the initial number is the first. Raises ValueError for an `axis` None unless the array
        has a single axis.
        """
        if axis is None and len(shape(x)) != 1:
            raise ValueError("For arrays which have more than one dimension ``axis`` argument is required.")
        (along,) = axes_of(0 if axis is None else axis)
        results = as_array(reduction(x, along, dtype))
        if not include_initial:
            return results
        return np.concatenate([spread_along(results.dtype.type(first), results, along, 1), results], axis=along)

    return accumulate


def _is_number(x: Array, where: Mask = True) -> Mask:
    """Return the mask of the elements that `where` selects and that are not nan; `where` itself if none is nan."""
    is_nan = np.isnan(plain(x))
    return where if not np.any(is_nan) else ~is_nan if where is True else ~is_nan & plain(where)


def _replacing_nan(reduction: Function, instead: float) -> Function:
    """Return `reduction`, with its own signature, applied to x with nan replaced by `instead`.

    `instead` is a number that contributes nothing. For example 0 for sums and 1 for products; a row of nan alone then
    gives `instead`.
    """

    @wraps(reduction)
    def reduce(x: Value, /, *arguments: object, **options: object) -> Value:
        return reduction(fill_nan(as_array(x), instead), *arguments, **options)

    return reduce


def nanmean(
    x: Array, /, axis: Axis = None, dtype: DTypeLike | None = None, *, keepdims: bool = False, where: Mask = True
) -> Value:
    """Return the means along `axis` (None: all) of the elements that are not nan and that `where` selects.

    Without such elements it is nan in an array, and a DomainProblem if the result is one number. `dtype` is the type to
    compute in, `keepdims` keeps the axes with length 1. Raises Unsupported for a `dtype` that is neither floating-point
    nor complex, or real for a complex x.
    """
    return mean(fill_nan(x, 0.0), axis, dtype, keepdims=keepdims, where=_is_number(x, where))


def nanvar(
    x: Array, /, axis: Axis = None, dtype: DTypeLike | None = None, *, ddof: float = 0, keepdims: bool = False,
    where: Mask = True, mean: Value | None = None, correction: float | None = None,
) -> Value:  # fmt: skip
    """Return the variances along `axis` (None: all) of the elements that are not nan and that `where` selects.

    The divisor is the number of these elements minus `ddof`, or minus `correction` if it is given. If the divisor is
    not positive, the variance is nan in an array; a single number raises DomainProblem. `mean` is the mean if already
    known, `dtype` the type to compute in; `keepdims` keeps the axes with length 1. Raises ValueError for `correction`
    with a `ddof` that is not 0, Unsupported for a `dtype` that is not real floating-point.
    """
    # NumPy returns nan if the divisor is not positive, where `var` returns nan or infinity.
    is_number = _is_number(x, where)
    counts = np.sum(np.broadcast_to(is_number, shape(x)), axis=axis, keepdims=bool(keepdims))
    variances = var(
        fill_nan(x, 0.0), axis, dtype, ddof=ddof, keepdims=keepdims, where=is_number, mean=mean, correction=correction
    )
    too_few = counts <= (ddof if correction is None else correction)
    return np.where(too_few, variances * np.nan, variances) if np.any(too_few) else variances


def _extreme_of_numbers(extreme: Function, last: float) -> Function:
    """Return the function for the largest or smallest element that is not nan.

    It gives nan where all elements are nan, unless `initial` is given. `extreme` is the rule for max or min; `last`
    replaces nan: −∞ for the largest, ∞ for the smallest.
    """

    @wraps(extreme)
    def of_numbers(x: Value, /, axis: Axis = None, *, initial: Value | None = None, **options: object) -> Value:
        """Return the extremes along `axis` (None: all) of the elements that are not nan.

        Where there are none the result is nan, or `initial` if it is given; `options` are those of `extreme`.
        """
        x = as_array(x)
        extremes = extreme(fill_nan(x, last), axis, initial=initial, **options)
        empty = np.all(np.isnan(plain(x)), axis=axis, keepdims=bool(options.get("keepdims", False)))
        return np.where(empty, extremes * np.nan, extremes) if initial is None and np.any(empty) else extremes

    return of_numbers


# By NumPy's names.
RULES: Mapping[str, Callable[..., Tree]] = {
    **by_name(mean, nanmean, var, nanvar, prod, ptp, cumsum, cumprod, trace, sort, diff, partition, gradient, average),
    "cumulative_sum": _accumulation(cumsum, 0.0), "cumulative_prod": _accumulation(cumprod, 1.0),
    "linalg.trace": lambda x, /, *, offset=0, dtype=None: trace(as_array(x), offset, -2, -1, dtype),
    "std": root_of(var), "sum": total, "max": largest, "amax": largest, "min": smallest, "amin": smallest,
    "nansum": _replacing_nan(total, 0.0), "nanprod": _replacing_nan(prod, 1.0),
    "nancumsum": _replacing_nan(cumsum, 0.0), "nancumprod": _replacing_nan(cumprod, 1.0),
    "nanmax": _extreme_of_numbers(largest, -np.inf), "nanmin": _extreme_of_numbers(smallest, np.inf),
    "nanstd": root_of(nanvar),
}  # fmt: skip
