"""Dispatch of NumPy's functions of traced values: which function has which rule, and how a call reaches it.

NumPy calls these functions through its own protocols, so there is no module of wrapped functions.  The arguments of a
call are bound to NumPy's signature, and each is either passed to the rule or refused by name: a rule has a parameter
for each argument that it supports, arrays by position (before the `/`; one of type `Array` gets an array, traced or
plain, also if the call has a number or a list), options by NumPy's names.  Any other option
must have NumPy's default value; so no keyword is ever ignored.  Shapes, and errors for arrays that do not fit, are
those of NumPy's function, and a function without a rule raises Unsupported.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from functools import cache, wraps
from types import MappingProxyType

from ...graph.overloading import plain
from ...numbers.numpy_arrays import ARRAYS, np
from ...table.primitive import ROWS, Primitive, lookup
from ...typings import Final, TypeAlias
from ..core.array_parts import relate_to_array
from ..core.containers import Tree, flatten_tree
from ..core.contexts import collects_arrays, record_tie
from ..core.evaluation import apply
from ..core.methods import KINDS
from ..core.traced import Keywords, Traced, TracedArray, Value, Values, as_array, copy_unshared, is_doubles, shape
from ..core.unsupported import unsupported
from . import (
    array_reductions,
    contractions,
    elementwise,
    filling,
    linear_algebra,
    polynomial_rules,
    quantiles,
    rearranging,
    signals,
)

Handler: TypeAlias = "Callable[..., Tree]"

_PLAIN, _CHECKED, _VIEWS = (frozenset(KINDS[kind]) for kind in ("plain", "checked", "views"))


@cache
def handlers() -> dict[str, Handler]:
    """Return the rules of all functions that are not elementwise, by NumPy's name ("sum", "linalg.inv").

    Tests and step functions (`_PLAIN`, such as isnan, argmax, round) without a rule of their own get one that calls
    NumPy with plain values. Rules in `_CHECKED` first call NumPy with plain values, for its errors. Cached: all callers
    get the same dict.
    """
    table: dict[str, Handler] = {}
    for module in (
        contractions, elementwise, filling, linear_algebra,
        polynomial_rules, quantiles, rearranging, array_reductions, signals,
    ):  # fmt: skip
        table |= module.RULES
    for name in _PLAIN:
        table.setdefault(name, lambda *a, _name=name, **k: _call_plainly(_name)(*a, **k))
    return table | {name: _checked(name, table[name]) for name in _CHECKED}


def _checked(name: str, rule: Handler) -> Handler:
    """Return `rule` with a call of NumPy's function `name` with plain values before it, which raises NumPy's errors."""

    @wraps(rule)
    def check_and_call(*arguments: Tree, **keywords: Tree) -> Tree:
        with np.errstate(all="ignore"):
            _call_plainly(name)(*arguments, **keywords)
        return rule(*arguments, **keywords)

    return check_and_call


def _call_plainly(name: str) -> Handler:
    """Return a function that calls NumPy's function `name`, such as "linalg.matrix_rank", with plain values.

    So its result is not traced. Arguments, keywords and the items of positional lists and tuples (which become lists)
    lose their traces; deeper items do not. Raises AttributeError at once if NumPy has no such function.
    """
    target = np
    for part in name.split("."):
        target = getattr(target, part)
    return lambda *arguments, **keywords: target(*_plain_arguments(arguments), **_plain_options(keywords))


def _plain_arguments(arguments: Sequence[Tree]) -> list[Tree]:
    return [[plain(x) for x in a] if isinstance(a, (list, tuple)) else plain(a) for a in arguments]


def _plain_options(keywords: Keywords) -> dict[str, Tree]:
    return {key: plain(value) for key, value in keywords.items()}


def _record_tie(name: str, arguments: Sequence[Tree], keywords: Keywords) -> None:
    """Record a tie if NumPy's function `name` jumps or has a corner at these arguments.

    `name` is a key of `elementwise.TIES`, whose condition decides: it gets the position of an argument, and all
    arguments and `keywords` as plain values. Only traced real numbers among the `arguments` count, each of which may
    record one; arrays use the conventions, except with kinks="error" those that are put in order.
    """
    with_arrays = name in elementwise.ORDERS and collects_arrays()
    numbers = [
        k for k, x in enumerate(arguments)
        if isinstance(x, Traced) and (with_arrays or not shape(x)) and np.isrealobj(plain(x))
    ]  # fmt: skip
    jumps, title = elementwise.TIES[name]
    bare, options = _plain_arguments(arguments), _plain_options(keywords)
    for k in numbers:
        if jumps(k, *bare, **options):
            record_tie(f"{title}; this is {bare[k]}")


# --- calls ------------------------------------------------------------------------------------------------------------

# Options that rules that hand on keywords, and tests, do not support.
_BEYOND = frozenset(("out", "dtype", "casting"))
_IN_PLACE = frozenset(("out",))


def function(called: Callable[..., Tree], arguments: Sequence[Tree], keywords: Keywords) -> Tree:
    """Return the result of `called`, a function of NumPy that is not elementwise, by its rule; a jump or corner is
    recorded (`_record_tie`).

    If NumPy's result may be a view of the first argument (`_VIEWS`; for atleast_…, of each argument), the result is
    registered as sharing memory with it; otherwise it is a new array. If an argument is of half or single precision,
    the result has NumPy's type. Raises Unsupported if there is no rule for the function or for an option.
    """
    rule, name = _honouring(called), _name(called)
    result = rule(arguments, keywords)
    if name in elementwise.TIES:
        bound = rule.signature.bind(*arguments, **keywords)
        _record_tie(name, bound.args, bound.kwargs)
    if name not in _VIEWS:
        result = copy_unshared(result)
    elif len(arguments) > 1 and isinstance(result, (list, tuple)) and called.__name__.startswith("atleast"):
        result = type(result)(map(relate_to_array, result, arguments))
    else:
        result = relate_to_array(result, arguments[0] if arguments else None)
    short = any(map(_is_short, arguments)) or any(map(_is_short, keywords.values()))
    return _in_type(result, called, arguments, keywords) if short else result


def _is_short(x: object) -> bool:
    """Return whether x is a traced value, or a list with one, of a type with fewer digits than doubles."""
    if isinstance(x, (list, tuple)):
        return any(map(_is_short, x))
    return isinstance(x, Traced) and getattr(getattr(plain(x), "dtype", None), "char", "d") in "efF"


def _in_type(result: Tree, called: Callable[..., Tree], arguments: Sequence[Tree], keywords: Keywords) -> Tree:
    """Return `result`, of the rule for `called`, in the type that NumPy's function has for these arguments.

    NumPy's function is called once more at the plain values; only traced leaves are converted, others are unchanged.
    """
    flat = [flatten_tree(x) for x in (*arguments, *keywords.values())]
    bare = [structure.build([plain(leaf) for leaf in leaves]) for leaves, structure in flat]
    count = len(arguments)
    expected = flatten_tree(called(*bare[:count], **dict(zip(keywords, bare[count:], strict=True))))[0]
    leaves, structure = flatten_tree(result)
    return structure.build([
        rearranging.convert(leaf, other.dtype) if isinstance(leaf, Traced) and hasattr(other, "dtype") else leaf
        for leaf, other in zip(leaves, expected, strict=True)
    ])  # fmt: skip


@cache
def _name(called: Callable[..., Tree]) -> str:
    """Return the name of a function of NumPy with its module, without "numpy."; for example "linalg.inv"."""
    module = (called.__module__ or "").removeprefix("numpy").removeprefix(".")
    return f"{module}.{called.__name__}" if module else called.__name__


@cache
def _honouring(called: Callable[..., Tree]) -> Honouring:
    """Return the rule of NumPy's function with its call checked against NumPy's signature; Unsupported if none."""
    name = _name(called)
    handler = handlers().get(name)
    if handler is None:
        raise unsupported(name)
    return Honouring(name, called, handler, _IN_PLACE if name in _PLAIN else _BEYOND)


# The default values of the options of elementwise functions.
_NOT_GIVEN: Final[Mapping[str, object]] = MappingProxyType({
    "out": None, "where": True, "casting": "same_kind", "dtype": None, "signature": None, "sig": None, "axes": None,
    "axis": None, "keepdims": False, "extobj": None,
})  # fmt: skip
# Options about the memory layout and the class of the result.
_OF_MEMORY = frozenset(("order", "subok"))


@cache
def _is_numpys(called: Callable[..., Value]) -> bool:
    """Return whether the ufunc is NumPy's own; ufuncs of other libraries may have the same name."""
    return getattr(np, called.__name__, None) is called


@cache
def _row(name: str) -> Primitive | None:
    """Return the row of the table for an elementwise function of NumPy's, by NumPy's name; None if it has no row."""
    name = "divide" if name == "true_divide" else name
    return next((row for row in ROWS.values() if row.numpy == name), lookup(name))


@cache
def _simple_row(called: Callable[..., Value]) -> Primitive | None:
    """Return the row of NumPy's own ufunc with one argument, if it has a slope rule and the ufunc is not in `_PLAIN`
    or `elementwise.WRITTEN`; None for others."""
    name = called.__name__
    row = _row(name) if _is_numpys(called) and name not in _PLAIN and name not in elementwise.WRITTEN else None
    ruled = row is not None and row.accepts(1) and isinstance(row.partials, tuple) and None not in row.partials
    return row if ruled else None


def _is_ours(x: object) -> bool:
    """Return whether x is a number, an array of NumPy or a traced value, or has no ufunc protocol of its own."""
    return (
        type(x) is float or isinstance(x, (Traced, np.ndarray, np.generic)) or not hasattr(type(x), "__array_ufunc__")
    )


def _needs_conversion(x: object) -> bool:
    """Return whether x is a list, a tuple, or an array of objects, such as `np.array(x)` of a traced x."""
    return isinstance(x, (list, tuple)) or (isinstance(x, np.ndarray) and x.dtype.kind == "O")


def ufunc(called: Callable[..., Value], method: str, inputs: Values, keywords: Keywords) -> Value:
    """Return the result of the ufunc `called`, of NumPy or SciPy, at `inputs`.

    `method` is "__call__", or the name of a method such as "reduce". Lists, tuples and arrays of objects in `inputs`
    become arrays of numbers. NumPy's functions without a derivative (`_PLAIN`, such as isnan) get and return plain
    values, with all `keywords` except `out`. A ufunc of whole matrices takes `axes` or `axis`; one that is not NumPy's
    has the rules for SciPy. Return NotImplemented if an argument belongs to another library. Results for single
    precision have NumPy's type. Raises Unsupported if there is no rule for the function, for its number of arguments or
    for an option, such as `out`.
    """
    if method != "__call__":
        return _call_method(called, method, inputs, keywords)
    if len(inputs) == 1 and not keywords and (row_of_one := _simple_row(called)) is not None:
        x = inputs[0]
        is_noted = row_of_one.smooth is not None and collects_arrays()
        if type(x) is TracedArray and is_doubles(a := x.value) and not is_noted:
            return x.tracer.elementwise(row_of_one, ARRAYS, row_of_one.value(ARRAYS, a), (a,), ((0, x.mark),))
    name = called.__name__
    if not all(map(_is_ours, inputs)):
        return NotImplemented
    operands = tuple([as_array(x) if _needs_conversion(x) else x for x in inputs])
    if name in elementwise.TIES and _is_numpys(called):
        _record_tie(name, operands, {})
    if name in _PLAIN and _is_numpys(called):
        if keywords.get("out") is not None:
            raise unsupported(name, "with out=")
        return called(*map(plain, operands), **keywords)
    if keywords:
        if getattr(called, "signature", None) is not None:
            return _along_axes(called, operands, keywords)
        _refuse_options(name, operands, keywords)
    if not _is_numpys(called):
        from ..core.scipy_ufuncs import elementwise as of_scipy

        return of_scipy(called, operands)
    return _apply_by_name(called, name, operands)


def _apply_by_name(called: Callable[..., Value], name: str, operands: tuple[Value, ...]) -> Value:
    """Return the result of NumPy's ufunc `called`, of this `name`, at the `operands`.

    A rule in `elementwise.WRITTEN` is used first, then the row of the table. Single precision is kept as NumPy does.
    Raises Unsupported if neither exists, or if the row takes another number of arguments.
    """
    written = elementwise.WRITTEN.get(name)
    if written is not None:
        result = copy_unshared(written(*operands))
        return result if not any(map(_is_short, operands)) else _in_type(result, called, operands, {})
    row = _row(name)
    if row is None or not row.accepts(len(operands)):
        raise unsupported(name)
    return apply(row, operands)


def _refuse_options(name: str, operands: Values, keywords: Keywords) -> None:
    """Raise Unsupported for the first option in `keywords` of the ufunc `name` that would change its result at the
    `operands`.

    Allowed are defaults, memory options, the castings "same_kind" and "unsafe", and a floating-point `dtype` that the
    result has in any case.
    """
    for key, value in keywords.items():
        if key in _OF_MEMORY or value is _NOT_GIVEN.get(key, np._NoValue) or value is np._NoValue:
            continue
        if key == "casting" and value in ("same_kind", "unsafe"):
            continue
        if key == "dtype" and np.dtype(value).kind == "f" and np.result_type(*map(plain, operands)) == value:
            continue  # it is computed in that type anyhow
        raise unsupported(name, f"with {key}=")


def _along_axes(called: Callable[..., Value], operands: Values, keywords: Keywords) -> Value:
    """Return the result of a ufunc of whole vectors or matrices, such as matmul, with `axes` or `axis` in `keywords`.

    The chosen axes of the operands are moved to the end for the call. Then the axes of the result are moved to the
    places that the item of `axes` after those of the operands states, if there is one. If `axes` and `axis` are missing
    or None, the ufunc is called without keywords; if both are there, `axes` counts. Raises Unsupported for
    keepdims=True and for other options that change the result.
    """
    other_options = {key: value for key, value in keywords.items() if key not in ("axes", "axis", "keepdims")}
    _refuse_options(called.__name__, operands, other_options)
    if keywords.get("keepdims", False):
        raise unsupported(called.__name__, "with keepdims=")
    axes, axis = keywords.get("axes"), keywords.get("axis")
    if axes is None and axis is None:
        return called(*operands)
    each: Sequence[object] = axes if isinstance(axes, (list, tuple)) else [axis] * len(operands)
    places = [tuple(np.atleast_1d(place)) for place in each]
    moved = [np.moveaxis(as_array(x), p, range(-len(p), 0)) for x, p in zip(operands, places, strict=False)]
    result = called(*moved)
    result_axes = places[len(operands)] if len(places) > len(operands) else ()
    return np.moveaxis(result, range(-len(result_axes), 0), result_axes) if result_axes else result


def _call_method(called: Callable[..., Value], method: str, inputs: Values, keywords: Keywords) -> Value:
    """Return the result of `method` ("reduce", "accumulate", "reduceat" or "outer") of the ufunc `called` at `inputs`.

    The first that applies:

    - a function in `_PLAIN` with truth values, such as logical_and, without `out`: NumPy's method of plain values
    - sums, products and extremes: their rules (`_REDUCTIONS`); other ufuncs: folded from the left (`fold_methods`). The
      axis is 0 by default
    - "outer": the ufunc itself, at the first input with as many new axes at the end as the second has

    Raises Unsupported for other methods, such as "at", and for options without a rule.
    """
    name = called.__name__
    if (
        name in _PLAIN
        and method != "at"
        and np.asarray(called(1.0, 1.0)).dtype.kind == "b"
        and keywords.get("out") is None
    ):
        return getattr(called, method)(*map(plain, inputs), **keywords)
    if method in ("reduce", "accumulate", "reduceat"):
        return _reduction(called, method)(inputs, {"axis": 0, **keywords} if len(inputs) == 1 else keywords)
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


# Rules for sums, products and extremes by (name of the ufunc, method); others are folded from the left.
_REDUCTIONS: Final[Mapping[tuple[str, str], Handler]] = MappingProxyType({
    ("add", "reduce"): array_reductions.total, ("multiply", "reduce"): array_reductions.prod,
    ("maximum", "reduce"): array_reductions.largest, ("minimum", "reduce"): array_reductions.smallest,
    ("add", "accumulate"): array_reductions.cumsum, ("multiply", "accumulate"): array_reductions.cumprod,
})  # fmt: skip


@cache
def _reduction(called: Callable[..., Value], method: str) -> Honouring:
    """Return the rule for reduce, accumulate or reduceat of a ufunc, with the checked call: that in `_REDUCTIONS`, else
    the general one."""
    name = called.__name__
    rule = _REDUCTIONS.get((name, method)) or array_reductions.fold_methods(called)[method]
    return Honouring(f"{name}.{method}", _reduceat if method == "reduceat" else _reduce, rule)


# --- signatures -------------------------------------------------------------------------------------------------------

# Options that change no number of the result: memory, class, and the way it is computed.
_HARMLESS: Final = frozenset((
    "device", "optimize", "overwrite_input", "subok", "check_finite", "overwrite_a", "overwrite_b", "overwrite_ab",
))  # fmt: skip
# Values that mean the same as the default, if NumPy's default is an object of its own.
_NEUTRAL: Final = MappingProxyType({"where": True, "keepdims": False})
_BY_POSITION, _SEVERAL, _NAMED = (
    inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD,
)  # fmt: skip


def _concatenate(
    arrays: object, /, axis: object = 0, out: object = None, *, dtype: object = None, casting: object = "same_kind"
) -> None: ...


def _dot(a: object, b: object, out: object = None) -> None: ...


def _bincount(x: object, /, weights: object = None, minlength: object = 0) -> None: ...


# Signatures of functions written in C, which have none before NumPy 2.4.
_SIGNATURES: Final[Mapping[str, Handler]] = MappingProxyType(
    {"concatenate": _concatenate, "dot": _dot, "bincount": _bincount}
)


class Honouring:
    """A rule with the signature of NumPy's function `called`; unsupported arguments raise Unsupported by name.

    A handler with `**keywords` passes to NumPy every option that is not in `lacks`.  An argument without a parameter in
    the rule must have its default value, or one that changes no number.
    """

    def __init__(self, name: str, called: Handler, handler: Handler, lacks: frozenset[str] = frozenset()) -> None:
        """Wrap `handler`, the rule for NumPy's function `called`, which messages call `name`.

        `lacks` has the keywords that a rule with `**keywords` does not pass on to NumPy.
        """
        parameters = list(inspect.signature(handler).parameters.values())
        self._name = name
        self._handler = handler
        self.signature = _signature(name, called, handler)
        self._lacks = lacks
        self._open = any(parameter.kind is _NAMED for parameter in parameters)
        self._operands = max(sum(parameter.kind is _BY_POSITION for parameter in parameters), self._open)
        self._first = list(self.signature.parameters)[: self._operands]
        self._named = {
            parameter.name for parameter in parameters if parameter.kind not in (_BY_POSITION, _SEVERAL, _NAMED)
        }
        self._arrays = {k for k, p in enumerate(parameters) if p.kind is _BY_POSITION and p.annotation == "Array"}
        self._common = 0 if self._open else _common_count(parameters, list(self.signature.parameters.values()))

    def __call__(self, arguments: Sequence[Tree], keywords: Keywords) -> Tree:
        """Return the result of the rule for the arguments of a call of NumPy's function.

        Arguments are matched with NumPy's signature; absent ones (NumPy's marker for no value) and options without
        effect are left out. Raises TypeError for arguments that do not fit the signature, Unsupported for an option
        that the rule does not support.
        """
        if len(arguments) <= self._common and (
            not keywords or (keywords.keys() <= self._named and not any(map(_absent, keywords.values())))
        ) and (len(arguments) <= self._operands or not any(map(_absent, arguments))):  # fmt: skip
            return self._call(arguments, keywords)
        positional: list[object] = []
        named: dict[str, object] = {}
        for key, value in self.signature.bind(*arguments, **keywords).arguments.items():
            parameter = self.signature.parameters[key]
            if parameter.kind is _SEVERAL:
                positional.extend(value)
            elif parameter.kind is _NAMED:
                for other, option in value.items():
                    self._honour(other, option, None, named)
            elif key in self._first or parameter.kind is _BY_POSITION:
                positional.append(value)
            else:
                self._honour(key, value, parameter.default, named)
        return self._call(positional, named)

    def _call(self, arguments: Sequence[Tree], keywords: Keywords) -> Tree:
        """Return the result of the rule; arguments for its positional parameters of type Array become arrays."""
        if self._arrays:
            arguments = [as_array(a) if k in self._arrays else a for k, a in enumerate(arguments)]
        return self._handler(*arguments, **keywords)

    def _honour(self, key: str, value: object, default: object, named: dict[str, object]) -> None:
        """Add the keyword `key` with `value` to `named`, in place, if the rule supports it.

        The first that applies:

        - NumPy's mark for a missing value: ignored.
        - The rule has a parameter `key`, or takes all keywords except those in `lacks`: added.
        - An option that does not change the numbers (`_HARMLESS`, such as optimize), a value that is the same
          object as NumPy's `default`, or an equal int or text of its type, or where=True and keepdims=False: ignored.
        - Otherwise Unsupported is raised.
        """
        if _absent(value):
            return
        if key in self._named or (self._open and key not in self._lacks):
            named[key] = value
        elif key not in _HARMLESS and not _same(value, default) and not _same(value, _NEUTRAL.get(key, default)):
            raise unsupported(self._name, f"with {key}=")


def _signature(name: str, called: Handler, handler: Handler) -> inspect.Signature:
    """Return the signature of NumPy's function: from the function, from _SIGNATURES, else that of the handler."""
    try:
        return inspect.signature(_SIGNATURES.get(name, called))
    except ValueError:  # written in C: where nothing is written above, the handler has all there is
        return inspect.signature(handler)


def _absent(value: object) -> bool:
    """Return whether an argument is NumPy's mark for "not given"."""
    return value is np._NoValue


def _same(value: object, default: object) -> bool:
    """Return whether a plain option equals the default and has the same type; an array never does."""
    return value is default or (type(value) is type(default) and isinstance(value, (int, str)) and value == default)


def _common_count(parameters: Sequence[inspect.Parameter], originals: Sequence[inspect.Parameter]) -> int:
    """Return how many leading positional arguments mean the same to a rule and to NumPy.

    `parameters` are those of the rule, `originals` those of NumPy's function. Counting stops at the first parameter
    that is not positional, or has another name and may be given by name to the rule. 10⁹ if both reach `*arrays` before
    that.
    """
    count = 0
    for parameter, other in zip(parameters, originals, strict=False):
        if parameter.kind is other.kind is _SEVERAL:
            return 10**9
        by_position = (_BY_POSITION, inspect.Parameter.POSITIONAL_OR_KEYWORD)
        if parameter.kind not in by_position or other.kind not in by_position:
            break
        if parameter.kind is not _BY_POSITION and parameter.name != other.name:
            break
        count += 1
    return count
