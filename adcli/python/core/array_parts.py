"""Parts of arrays, and their adjoints, collected in one array instead of one array for each part."""

from __future__ import annotations

from ...graph.overloading import plain
from ...numbers.numpy_arrays import np
from ...typings import TYPE_CHECKING, final
from .evaluation import Differentiable, linear
from .traced import Array, Doubles, SharingMemory, Traced, TracedView, Value, Values, copy_unshared, is_complex, shape

if TYPE_CHECKING:
    from .containers import Tree


@final
class PartAdjoint:
    """The adjoint of an array that is 0 but for one part: `index` selects the part of the array `like`, `g` is the
    adjoint there.
    """

    __slots__ = ("g", "index", "like")

    def __init__(self, g: Value, index: object, like: Doubles) -> None:
        self.g = g
        self.index = index
        self.like = like


@final
class Gathered:
    """An array of adjoints that contributions are added to in place; no other object refers to it."""

    __slots__ = ("array",)

    def __init__(self, array: Array) -> None:
        self.array = array

    def add(self, part: PartAdjoint) -> None:
        """Add the adjoint `part.g` at `part.index` to `array` in place.

        An element that is selected several times gets the sum. In two cases `array` is replaced by a new one: it is not
        a plain ndarray, or the sum has another type (such as complex).
        """
        if type(self.array) is not np.ndarray or np.result_type(self.array, part.g) != self.array.dtype:
            self.array = self.array + scatter(part.g, part.index, part.like)
        else:
            _add_at(self.array, part.index, part.g)

    def plus(self, contribution: Value) -> Gathered:
        """Add a contribution to the whole array, in place if it is an array and the type stays; return self."""
        if type(contribution) is np.ndarray and np.result_type(self.array, contribution) == self.array.dtype:
            self.array += contribution
        else:
            self.array = self.array + contribution
        return self


def start_adjoint(first: PartAdjoint, existing: Value | None) -> Array:
    """Return a new array of the shape of `first.like`: zeros, or the adjoint `existing` (None: none) broadcast to it.

    Its type holds `first.g`, `first.like` and `existing`. `first` itself is not yet added.
    """
    zeros = np.zeros(first.like.shape, np.result_type(first.g, first.like))
    return zeros if existing is None else zeros + existing


def _is_basic(index: object) -> bool:
    """Return whether an index has only integers, slices, None and `...`, so that it selects no element twice."""
    parts = index if isinstance(index, tuple) else (index,)
    return all(isinstance(part, (int, slice, type(None), type(Ellipsis), np.integer)) for part in parts)


def scatter(g: Value, index: object, like: Doubles) -> Doubles:
    """Return zeros in the shape of `like`, a plain array, with `g` added to the elements that `index` selects.

    The type holds both `g` and `like`; an element that is selected several times gets the sum. Nothing is recorded: `g`
    is plain too.
    """
    total = np.zeros(like.shape, np.result_type(g, like))
    _add_at(total, index, g)
    return total


def _add_at(total: Doubles, index: object, g: Value) -> None:
    """Add `g` in place to the elements of a plain array that `index` selects, to each as often as it is selected."""
    if _is_basic(index):
        total[index] += g
    else:
        np.add.at(total, index, g)


def getitem(x: Value, index: object) -> Array:
    """Return `x[index]`, recorded if x is traced; `index` may have integers, slices, masks and integer arrays.

    Traced parts of `index` are used by their values and get no derivative. If `index` is without arrays, the part is
    noted as sharing memory with x (`relate_to_array`), unless it is a number; a number selected with `...` is noted
    too, as NumPy returns an array there. Raises IndexError as NumPy does.
    """
    part: Array = _PART(x, index=tuple(map(plain, index)) if isinstance(index, tuple) else plain(index))
    if type(part) is Traced and not (isinstance(index, tuple) and any(place is Ellipsis for place in index)):
        return part
    return relate_to_array(part, x) if _is_basic(index) else part


def relate_to_array(result: Tree, array: object) -> Tree:
    """Return `result`, from a NumPy function that returns a view of `array`, registered as sharing memory with it.

    An operator such as `*=` then refuses to change either of the two. Lists and tuples (not named tuples) are
    registered item by item, and a new one of the same type is returned. A traced number becomes a TracedView. `result`
    is returned unchanged if `array` is not a traced array, if it is `result` itself, or if `result` is not traced.
    """
    if isinstance(result, (list, tuple)):
        return type(result)([relate_to_array(part, array) for part in result])
    if not isinstance(array, SharingMemory) or result is array:
        return result
    if type(result) is Traced:
        result = TracedView(result.value, result.tracer, result.mark)
    if isinstance(result, SharingMemory):
        array.relate(result)
    return result


def _part_back(g: Value, x: Value, index: object) -> Value | PartAdjoint:
    """Return the adjoint of x for the adjoint `g` of `x[index]`: a PartAdjoint, or a traced array if `g` is traced."""
    like = plain(x)
    return _SCATTER(g, index=index, like=like) if isinstance(g, Traced) else PartAdjoint(g, index, like)


def _in_rows(index: object) -> tuple[object, ...]:
    """Return the index that selects the same part in each row of an array with one more axis in front."""
    return (slice(None), *index) if isinstance(index, tuple) else (slice(None), index)


def _part_rows(k: int, g: Doubles, z: Value, x: Value, index: object) -> Doubles | None:
    """Return the adjoints of x for many adjoints `g` of its part, along a first axis; None for an index with arrays."""
    if not _is_basic(index):
        return None
    rows = np.zeros((len(g), *shape(x)), np.result_type(g, x))
    rows[_in_rows(index)] = g
    return rows


_PART: Differentiable = linear("getitem", lambda x, index: x[index], _part_back, _part_rows)
_SCATTER: Differentiable = linear(
    "setitem", scatter, lambda g, x, index, like: getitem(g, index) if shape(g) else g,
    lambda k, g, z, x, index, like: g[_in_rows(index)] if _is_basic(index) else None,
)  # fmt: skip


def scatter_traced(g: Value, index: object, like: Doubles) -> Value:
    """Return zeros in the shape of `like`, with `g`, traced or not, added to the elements that `index` selects."""
    return _SCATTER(g, index=index, like=like)


def own_memory(x: Value) -> Value:
    """Return an array as a copy, which no caller changes in place; any other value unchanged."""
    return copy_unshared(x) if isinstance(x, Traced) or not shape(x) else np.array(x)


def separate_memory(bars: list[Value], seeds: Values) -> list[Value]:
    """Replace arrays in the list of adjoints `bars` that share memory by copies, in place, and return the list.

    An array is copied if it is one of the `seeds`, if it is also an earlier item of the list, or if it is a view (it
    does not own its data). So a change of one array changes no other. Traced values, numbers and arrays without axes
    are never copied.
    """
    used_ids = {id(g) for g in seeds}
    for k, bar in enumerate(bars):
        flags = None if isinstance(bar, Traced) else getattr(bar, "flags", None)  # a traced array has no memory
        if flags is not None and shape(bar) and (id(bar) in used_ids or not flags.owndata):
            bars[k] = np.array(bar)
        used_ids.add(id(bars[k]))
    return bars


def fit(g: Value, x: Value, ahead: int = 0) -> Value:
    """Return the adjoint `g` in the shape of its argument `x`, summed over the axes along which x was broadcast.

    For a number x, all elements are summed. If x is real and `g` complex, only the real part is returned. If shape and
    type agree, `g` itself is returned. The shape of `g` must be one to which x can be broadcast. With `ahead` 1 `g` are
    many adjoints along a first axis, which is kept.
    """
    if type(g) is type(x) and type(g) is not Traced and hasattr(g, "dtype"):
        array: Doubles = g
        like: Doubles = x
        if array.shape == like.shape and array.dtype == like.dtype:
            return g
    g_shape = shape(g)
    x_shape = g_shape[:ahead] + shape(x)
    if g_shape != x_shape:
        extra = len(g_shape) - len(x_shape)
        places = enumerate(g_shape[ahead:], ahead)
        spread = tuple(k for k, n in places if k < extra + ahead or (x_shape[k - extra] == 1 and n != 1))
        g = np.reshape(np.sum(g, axis=spread), x_shape) if x_shape else np.sum(g)
    return g.real if is_complex(g) and not is_complex(x) else g


def fit_rows(g: Value, x: Value) -> Doubles:
    """Return many adjoints `g`, along a first axis, each in the shape of their argument `x`, as `fit` does."""
    rows: Doubles = fit(g, x, ahead=1)
    return rows
