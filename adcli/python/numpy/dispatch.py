"""What NumPy's functions are for traced values: which function is which rule, and how a call reaches it.

NumPy asks through its own protocols, so there is no module of wrapped functions.  A call is read by NumPy's own
signature, each argument honoured or refused by name: a rule has as its parameters what it honours, by position (before
the `/`) the arrays, by NumPy's names the rest.  What else is given must be what NumPy takes when nothing is given; so
no keyword is ever passed over.  Shapes, and errors for arrays that do not fit, are those of NumPy's function, and what
has no rule raises Unsupported.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, TypeAlias

from ...graph.overloading import plain
from ...numbers.numpy_arrays import ARRAYS, np
from ...table.primitive import ROWS, Primitive, lookup
from ..core.containers import flattened
from ..core.evaluation import apply, imag, real
from ..core.traced import Traced, TracedArray, as_array, is_doubles, shape
from ..core.unsupported import unsupported
from . import (
    array_reductions,
    contractions,
    elementwise,
    factorizations,
    filling,
    fourier,
    matrices,
    nan_reductions,
    newer_names,
    polynomial_rules,
    quantiles,
    rearranging,
    signals,
)

if TYPE_CHECKING:
    from ..core.containers import Tree
    from ..core.traced import Axis, Keywords, Value

Handler: TypeAlias = "Callable[..., Tree]"

# Questions whose answers have no derivative, and functions that are constant between jumps.
_PLAIN: Final = frozenset((
    "less", "less_equal", "greater", "greater_equal", "equal", "not_equal", "logical_and", "logical_or",
    "logical_not", "logical_xor", "isnan", "isinf", "isfinite", "signbit", "heaviside", "isneginf", "isposinf",
    "argmax", "argmin", "argsort", "argpartition", "nanargmax", "nanargmin", "searchsorted", "any", "all",
    "iscomplex", "iscomplexobj", "isreal", "isrealobj", "allclose", "isclose", "array_equal", "array_equiv",
    "count_nonzero", "nonzero", "flatnonzero", "argwhere", "shape", "ndim", "around", "round", "rint", "trunc", "fix",
    "floor_divide", "zeros_like", "ones_like", "empty_like", "result_type", "may_share_memory", "shares_memory",
    "digitize", "linalg.matrix_rank", "isscalar", "min_scalar_type", "can_cast", "common_type", "iterable",
    "array_repr", "array_str", "array2string", "isin", "in1d", "lexsort",
))  # fmt: skip


@cache
def handlers() -> dict[str, Handler]:
    """All functions that are not elementwise, by NumPy's name."""
    table: dict[str, Handler] = {"real": lambda x, /: real(x), "imag": lambda x, /: imag(x), "size": _size}
    for rules in (
        contractions, elementwise, factorizations, filling, fourier, matrices, nan_reductions, newer_names,
        polynomial_rules, quantiles, rearranging, array_reductions, signals,
    ):  # fmt: skip
        table |= rules.handlers()
    for name in _PLAIN:
        table.setdefault(name, lambda *a, _name=name, **k: _plainly(_name)(*a, **k))
    return table


def _size(x: Value, /, axis: Axis = None) -> int:
    return int(np.size(plain(x), axis))


def _plainly(name: str) -> Handler:
    target = np
    for part in name.split("."):
        target = getattr(target, part)
    return lambda *arguments, **keywords: target(
        *[[plain(x) for x in a] if isinstance(a, (list, tuple)) else plain(a) for a in arguments],
        **{key: plain(value) for key, value in keywords.items()},
    )


# --- calls ------------------------------------------------------------------------------------------------------------

# What NumPy would do with an array besides choosing its elements, or besides answering a question.
_BEYOND = frozenset(("out", "dtype", "casting"))
_IN_PLACE = frozenset(("out",))


def function(called: Callable[..., Tree], arguments: Sequence[Tree], keywords: Keywords) -> Tree:
    """A function of NumPy that is not elementwise.  Raises Unsupported where it has no rule for these arguments."""
    found = _honouring(called)(arguments, keywords)
    short = any(map(_is_short, arguments)) or any(map(_is_short, keywords.values()))
    return _in_type(found, called, arguments, keywords) if short else found


def _is_short(x: object) -> bool:
    """Whether a traced value, or one in a list of such, is of a type with fewer digits than doubles have."""
    if isinstance(x, (list, tuple)):
        return any(map(_is_short, x))
    return isinstance(x, Traced) and getattr(getattr(plain(x), "dtype", None), "char", "d") in "efF"


def _in_type(found: Tree, called: Callable[..., Tree], arguments: Sequence[Tree], keywords: Keywords) -> Tree:
    """The result in the type that NumPy's function has for the numbers: rules may compute in a wider one."""
    given = [flattened(x) for x in (*arguments, *keywords.values())]
    bare = [structure.build([plain(leaf) for leaf in leaves]) for leaves, structure in given]
    count = len(arguments)
    wanted = flattened(called(*bare[:count], **dict(zip(keywords, bare[count:], strict=True))))[0]
    leaves, structure = flattened(found)
    return structure.build([
        rearranging.convert(leaf, want.dtype) if isinstance(leaf, Traced) and hasattr(want, "dtype") else leaf
        for leaf, want in zip(leaves, wanted, strict=True)
    ])  # fmt: skip


@cache
def _honouring(called: Callable[..., Tree]) -> Honouring:
    module = (called.__module__ or "").removeprefix("numpy").removeprefix(".")
    name = f"{module}.{called.__name__}" if module else called.__name__
    handler = handlers().get(name)
    if handler is None:
        raise unsupported(name)
    return Honouring(name, called, handler, _IN_PLACE if name in _PLAIN else _BEYOND)


# What the options of elementwise functions are when they are not given.
_NOT_GIVEN: Final[Mapping[str, object]] = MappingProxyType({
    "out": None, "where": True, "casting": "same_kind", "dtype": None, "signature": None, "sig": None, "axes": None,
    "axis": None, "keepdims": False, "extobj": None,
})  # fmt: skip
# Where in memory the result lies, and of which class it is.
_OF_MEMORY = frozenset(("order", "subok"))


@cache
def _is_numpys(called: Callable[..., Value]) -> bool:
    """Whether an elementwise function is NumPy's: others may be called as its are, and be something else."""
    return getattr(np, called.__name__, None) is called


@cache
def _row(name: str) -> Primitive | None:
    """Return the row of the table for an elementwise function of NumPy's, by NumPy's name; None if it has no row."""
    name = "divide" if name == "true_divide" else name
    return next((row for row in ROWS.values() if row.numpy == name), lookup(name))


@cache
def _straightway(called: Callable[..., Value]) -> Primitive | None:
    """The row of a function of one array of NumPy's own, which needs nothing but its rule; None for others."""
    name = called.__name__
    row = _row(name) if _is_numpys(called) and name not in _PLAIN and name not in elementwise.WRITTEN else None
    ruled = row is not None and row.accepts(1) and isinstance(row.partials, tuple) and None not in row.partials
    return row if ruled else None


def _is_ours(x: object) -> bool:
    """Whether something is a number or an array of NumPy's or of this room's, or a list of them."""
    return (
        type(x) is float or isinstance(x, (Traced, np.ndarray, np.generic)) or not hasattr(type(x), "__array_ufunc__")
    )


def ufunc(called: Callable[..., Value], method: str, inputs: Sequence[Value], keywords: Keywords) -> Value:
    """An elementwise function of NumPy (or SciPy), or a reduction by one.

    NotImplemented for arguments of another library; raises Unsupported where there is no rule.
    """
    if method != "__call__":
        return _method(called, method, inputs, keywords)
    if len(inputs) == 1 and not keywords and (straight := _straightway(called)) is not None:
        x = inputs[0]
        if type(x) is TracedArray and is_doubles(a := x.value):
            return x.tracer.elementwise(straight, ARRAYS, straight.value(ARRAYS, a), (a,), ((0, x.mark),))
    name = called.__name__
    if not all(map(_is_ours, inputs)):
        return NotImplemented
    given = tuple([as_array(x) if isinstance(x, (list, tuple)) else x for x in inputs])
    if name in _PLAIN and _is_numpys(called):
        if keywords.get("out") is not None:
            raise unsupported(name, "with out=")
        return called(*map(plain, given), **keywords)
    if keywords and getattr(called, "signature", None) is not None:
        return _along_axes(called, given, keywords)
    if keywords:
        _refuse(name, given, keywords)
    if not _is_numpys(called):
        from ..core.scipy_ufuncs import elementwise as of_scipy

        return of_scipy(called, given)
    written = elementwise.WRITTEN.get(name)
    if written is not None:
        found = written(*given)
        return found if not any(map(_is_short, given)) else _in_type(found, called, given, {})
    row = _row(name)
    if row is None or not row.accepts(len(given)):
        raise unsupported(name)
    return apply(row, given)


def _refuse(name: str, given: Sequence[Value], keywords: Keywords) -> None:
    """Raises Unsupported for the options that would change what a function is."""
    for key, value in keywords.items():
        if key in _OF_MEMORY or value is _NOT_GIVEN.get(key, np._NoValue) or value is np._NoValue:
            continue
        if key == "casting" and value in ("same_kind", "unsafe"):
            continue
        if key == "dtype" and np.dtype(value).kind == "f" and np.result_type(*map(plain, given)) == value:
            continue  # it is computed in that type anyhow
        raise unsupported(name, f"with {key}=")


def _along_axes(called: Callable[..., Value], given: Sequence[Value], keywords: Keywords) -> Value:
    """A function of whole vectors or matrices, such as matmul, whose axes are others than the last."""
    rest = {key: value for key, value in keywords.items() if key not in ("axes", "axis", "keepdims")}
    _refuse(called.__name__, given, rest)
    if keywords.get("keepdims", False):
        raise unsupported(called.__name__, "with keepdims=")
    axes, axis = keywords.get("axes"), keywords.get("axis")
    if axes is None and axis is None:
        return called(*given)
    each: Sequence[object] = axes if isinstance(axes, (list, tuple)) else [axis] * len(given)
    places = [tuple(np.atleast_1d(place)) for place in each]
    moved = [np.moveaxis(as_array(x), p, range(-len(p), 0)) for x, p in zip(given, places, strict=False)]
    found = called(*moved)
    behind = places[len(given)] if len(places) > len(given) else ()
    return np.moveaxis(found, range(-len(behind), 0), behind) if behind else found


def _method(called: Callable[..., Value], method: str, inputs: Sequence[Value], keywords: Keywords) -> Value:
    name = called.__name__
    found = _reductions().get((name, method))
    if found is not None:
        return found(inputs, {"axis": 0, **keywords} if len(inputs) == 1 else keywords)
    if (
        name in _PLAIN
        and method != "at"
        and np.asarray(called(1.0, 1.0)).dtype.kind == "b"
        and keywords.get("out") is None
    ):
        return getattr(called, method)(*map(plain, inputs), **keywords)
    if method in ("reduce", "accumulate", "reduceat"):
        return _folding(called, method)(inputs, {"axis": 0, **keywords} if len(inputs) == 1 else keywords)
    if method != "outer":
        raise unsupported(f"{name}.{method}")
    a, b = (as_array(x) for x in inputs)
    return called(np.reshape(a, shape(a) + (1,) * len(shape(b))), b, **keywords)


def _reduce(
    array: object, /, axis: object = 0, dtype: object = None, out: object = None, keepdims: object = False,
    initial: object = None, where: object = True,
) -> None:  # fmt: skip
    """The signature of the method `reduce` of NumPy's elementwise functions; `accumulate` has the first four."""


def _reduceat(array: object, indices: object, /, axis: object = 0, dtype: object = None, out: object = None) -> None:
    """The signature of the method `reduceat`."""


@cache
def _folding(called: Callable[..., Value], method: str) -> Honouring:
    theirs = _reduceat if method == "reduceat" else _reduce
    return Honouring(f"{called.__name__}.{method}", theirs, array_reductions.folded(called)[method])


@cache
def _reductions() -> Mapping[tuple[str, str], Honouring]:
    return {
        (name, method): Honouring(f"{name}.{method}", _reduce, handler)
        for name, method, handler in (
            ("add", "reduce", array_reductions.total), ("multiply", "reduce", array_reductions.prod),
            ("maximum", "reduce", array_reductions.largest), ("minimum", "reduce", array_reductions.smallest),
            ("add", "accumulate", array_reductions.cumsum), ("multiply", "accumulate", array_reductions.cumprod),
        )
    }  # fmt: skip


# --- signatures -------------------------------------------------------------------------------------------------------

# What changes no number: where it lies in memory, of which class the array is, how the result is reached.
_HARMLESS: Final = frozenset((
    "device", "optimize", "overwrite_input", "subok", "check_finite", "overwrite_a", "overwrite_b", "overwrite_ab",
))  # fmt: skip
# What says the same as not being given, where NumPy marks that by an object of its own.
_NEUTRAL: Final = MappingProxyType({"where": True, "keepdims": False})
_BY_POSITION, _SEVERAL, _NAMED = (
    inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD,
)  # fmt: skip


def _concatenate(
    arrays: object, /, axis: object = 0, out: object = None, *, dtype: object = None, casting: object = "same_kind"
) -> None: ...


def _dot(a: object, b: object, out: object = None) -> None: ...


def _bincount(x: object, /, weights: object = None, minlength: object = 0) -> None: ...


# The functions written in C, which before NumPy 2.4 do not tell their signature.
_UNTOLD: Final[Mapping[str, Handler]] = MappingProxyType(
    {"concatenate": _concatenate, "dot": _dot, "bincount": _bincount}
)


class Honouring:
    """A rule as it is to be called: with what NumPy's function was given, in whatever way.

    A handler with `**keywords` hands on to NumPy what is not in `lacks`. Raises Unsupported for an argument that the
    rule does not have and that is not as if it were not given.
    """

    __slots__ = ("_first", "_handler", "_lacks", "_name", "_named", "_open", "_operands", "_straight", "_theirs")

    def __init__(self, name: str, called: Handler, handler: Handler, lacks: frozenset[str] = frozenset()) -> None:
        own = list(inspect.signature(handler).parameters.values())
        self._name = name
        self._handler = handler
        self._theirs = _signature(name, called, handler)
        self._lacks = lacks
        self._open = any(parameter.kind is _NAMED for parameter in own)
        self._operands = max(sum(parameter.kind is _BY_POSITION for parameter in own), self._open)
        self._first = list(self._theirs.parameters)[: self._operands]
        self._named = {parameter.name for parameter in own if parameter.kind not in (_BY_POSITION, _SEVERAL, _NAMED)}
        self._straight = 0 if self._open else _straight(own, list(self._theirs.parameters.values()))

    def __call__(self, arguments: Sequence[Tree], keywords: Keywords) -> Tree:
        if len(arguments) <= self._straight and (
            not keywords or (keywords.keys() <= self._named and not any(map(_absent, keywords.values())))
        ) and (len(arguments) <= self._operands or not any(map(_absent, arguments))):  # fmt: skip
            return self._handler(*arguments, **keywords)
        positional: list[object] = []
        named: dict[str, object] = {}
        for key, value in self._theirs.bind(*arguments, **keywords).arguments.items():
            parameter = self._theirs.parameters[key]
            if parameter.kind is _SEVERAL:
                positional.extend(value)
            elif parameter.kind is _NAMED:
                for other, what in value.items():
                    self._honour(other, what, None, named)
            elif key in self._first or parameter.kind is _BY_POSITION:
                positional.append(value)
            else:
                self._honour(key, value, parameter.default, named)
        return self._handler(*positional, **named)

    def _honour(self, key: str, value: object, default: object, named: dict[str, object]) -> None:
        if _absent(value):
            return
        if key in self._named or (self._open and key not in self._lacks):
            named[key] = value
        elif key not in _HARMLESS and not _same(value, default) and not _same(value, _NEUTRAL.get(key, default)):
            raise unsupported(self._name, f"with {key}=")


def _signature(name: str, called: Handler, handler: Handler) -> inspect.Signature:
    try:
        return inspect.signature(_UNTOLD.get(name, called))
    except ValueError:  # written in C: where nothing is written above, the handler has all there is
        return inspect.signature(handler)


def _absent(value: object) -> bool:
    return value is np._NoValue


def _same(value: object, default: object) -> bool:
    """Whether a plain option is the default; an array never is."""
    return value is default or (type(value) is type(default) and isinstance(value, (int, str)) and value == default)


def _straight(own: Sequence[inspect.Parameter], theirs: Sequence[inspect.Parameter]) -> int:
    """How many arguments by position mean the same to both."""
    count = 0
    for mine, other in zip(own, theirs, strict=False):
        if mine.kind is other.kind is _SEVERAL:
            return 10**9
        by_position = (_BY_POSITION, inspect.Parameter.POSITIONAL_OR_KEYWORD)
        if mine.kind not in by_position or other.kind not in by_position:
            break
        if mine.kind is not _BY_POSITION and mine.name != other.name:
            break
        count += 1
    return count
