"""Transforms of Python functions into derivatives of any order; each result is called like the original function."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable, Mapping, Sequence
from types import MethodType
from typing import TYPE_CHECKING, Generic, ParamSpec, TypeVar

from ..errors import damaged
from ..graph.overloading import TracingProblem, plain
from ..numbers.numpy_arrays import np
from ..overriding import override
from .core.array_parts import own_memory, separate_memory
from .core.containers import Structure, flattened
from .core.nesting import deeper
from .core.reached_kinks import REACHED_KINKS, collecting
from .core.traced import Traced, finite, is_complex, is_doubles, number, opened, shape, zeros_like
from .core.unsupported import object_array_problem, refuse_array_subclasses
from .kink_slopes import KinkSlopes
from .traces import Tangents, Tape

if TYPE_CHECKING:
    from typing import TypeAlias

    import numpy
    from numpy.typing import NDArray

    from .core.containers import Tree
    from .core.traced import Differentiation, Doubles, Mark, Value

    PullRows: TypeAlias = Callable[[int, Doubles], tuple[list[Doubles], Structure] | None]

# A derivative is called as its function is.  Its result has the type of the argument `argnum`, which no type expresses.
P = ParamSpec("P")
R = TypeVar("R")
Pick = int | str | Sequence[int | str]
_ROWS = 256  # adjoints that one reverse sweep carries at the same time


class IndependenceWarning(UserWarning):
    """A warning: a result does not depend on the chosen argument, so that the derivative is 0."""


class Selected:
    """A call of a function, with the arguments to be differentiated split into leaves; the other arguments are fixed.

    `argnum` is the position or name of an argument, or several of them.  `leaves` are the numbers and arrays of the
    chosen arguments (whole numbers as doubles), `structure` rebuilds the argument from them (a tuple of arguments if
    `argnum` is a sequence), and `call(leaves)` is the result of the function.
    """

    __slots__ = ("call", "leaves", "structure")

    def __init__(
        self, function: Callable[..., object], argnum: Pick, arguments: Sequence[Tree], keywords: Mapping[str, Tree]
    ) -> None:
        picks: Sequence[object] = argnum if isinstance(argnum, (tuple, list)) else [argnum]
        single = picks is not argnum
        if not picks:
            raise TracingProblem("no argument is selected", help="argnum is a position, a name, or several of them")
        bound = list(arguments)
        places = [_place(function, pick, bound, keywords) for pick in picks]
        chosen = [bound[p] if isinstance(p, int) else keywords[p] for p in places]
        self.leaves, self.structure = flattened(chosen[0] if single else tuple(chosen))
        self.leaves = [_differentiable(leaf) for leaf in self.leaves]

        def call(leaves: Sequence[Value]) -> Tree:
            tree = self.structure.build(leaves)
            positional, named = list(bound), dict(keywords)
            for place, value in zip(places, [tree] if single else tree, strict=True):
                if isinstance(place, int):
                    positional[place] = value
                else:
                    named[place] = value
            return function(*positional, **named)

        self.call = call

    def run(self, leaves: Sequence[Value]) -> tuple[list[Value], Structure]:
        """Call the function with these leaves; return the leaves of its result and the structure of the result.

        Raises TracingProblem instead of NumPy's errors about arrays of objects and read-only arrays.
        """
        try:
            results, structure = flattened(self.call(leaves))
        except ValueError as problem:
            if "read-only" not in str(problem):
                raise
            raise TracingProblem(
                "an array is changed in place after a result was computed from it",
                label=str(problem),
                help="change a copy of it: b = b.copy()",
            ) from problem
        except (TypeError, AttributeError) as problem:
            problem_report = object_array_problem(problem)
            if problem_report is None:
                raise
            raise problem_report from problem
        return [number(leaf) for leaf in results], structure


def _place(
    function: Callable[..., object], pick: object, positional: Sequence[Tree], keywords: Mapping[str, Tree]
) -> int | str:
    """Return the place of the chosen argument: a position in `bound` (from 0), or the keyword `pick` if it is given.

    A name that is not among `keywords` is looked up in the signature; negative positions count from the end.  Raises
    TracingProblem if there is no such argument, or if `pick` is neither a name nor a whole number.
    """
    name = name_of(function)
    if isinstance(pick, str):
        if pick in keywords:
            return pick
        try:
            position = list(inspect.signature(function).parameters).index(pick)
        except (ValueError, TypeError):
            position = len(positional)
    elif isinstance(pick, int) and not isinstance(pick, bool):
        position = pick + len(positional) if pick < 0 else pick
    else:
        raise TracingProblem(
            f"argnum {pick!r} does not select an argument", help="argnum is a position, a name, or several of them"
        )
    if not 0 <= position < len(positional):
        raise TracingProblem(
            f"{name} was called without argument {pick!r}",
            label=f"it was given {len(positional)}",
            help="check argnum",
        )
    return position


def name_of(function: Callable[..., object]) -> str:
    """Return the name of a function, for messages; the name of its class if it has none."""
    return str(getattr(function, "__name__", type(function).__name__))


def _differentiable(leaf: Value) -> Value:
    """Return the leaf with whole numbers converted to doubles; others are unchanged.

    Raises Unsupported for matrices and masked arrays.
    """
    leaf = number(leaf)
    if type(leaf) is int:
        return float(leaf)
    if isinstance(leaf, Traced) or not shape(leaf):
        return leaf
    refuse_array_subclasses(leaf)
    array: NDArray[numpy.inexact] = leaf
    return array.astype(float) if array.dtype.kind in "iu" else array


class Transformed(Generic[P, R]):
    """The function `transform(function, *options)`, which is called, bound as a method and documented like others.

    `derivative` does the work.  Equality, hashing and pickling use the transform, the function and the options (argnum,
    kinks).
    """

    def __init__(
        self, transform: Callable[..., Callable[P, R]], function: Callable[..., object], derivative: Callable[P, R],
        *options: object,
    ) -> None:  # fmt: skip
        self.__name__ = self.__qualname__ = f"{transform.__name__}_{name_of(function)}"
        self.__wrapped__ = function  # where `inspect` finds the signature
        self.__doc__ = derivative.__doc__
        self._transform, self._derivative, self._options = transform, derivative, options

    def __call__(self, *arguments: P.args, **keywords: P.kwargs) -> R:
        return self._derivative(*arguments, **keywords)

    def __get__(self, instance: object, owner: object = None) -> Callable[..., R]:
        return self if instance is None else MethodType(self, instance)

    @override
    def __repr__(self) -> str:
        return f"<{self.__name__} of adcli.python>"

    def _identity(self) -> tuple[object, ...]:
        """Return (transform, function, options), with lists in the options as tuples so that it is hashable."""
        options = tuple([tuple(x) if isinstance(x, list) else x for x in self._options])
        return self._transform, self.__wrapped__, options

    @override
    def __eq__(self, other: object) -> bool:
        return isinstance(other, Transformed) and self._identity() == other._identity()

    @override
    def __hash__(self) -> int:
        return hash(self._identity())

    @override
    def __reduce__(self) -> tuple[Callable[..., Callable[P, R]], tuple[object, ...]]:
        return _transform_again, (self._transform, self.__wrapped__, *self._options)

    def __copy__(self) -> Transformed[P, R]:
        return self

    def __deepcopy__(self, memo: object) -> Transformed[P, R]:
        return self


def _transform_again(
    transform: Callable[..., Callable[P, R]], function: Callable[..., object], argnum: Pick = 0, kinks: str = "note"
) -> Callable[P, R]:
    """Return `transform(function, argnum, kinks=kinks)` for unpickling.

    `kinks` is left out if it is "note", which transforms without that parameter have in any case.  Raises RequestError
    if the function is not callable or the transform is not of this module.
    """
    if not callable(function) or getattr(transform, "__module__", None) != __name__:
        raise damaged("a derivative")
    return transform(function, argnum, kinks=kinks) if kinks != "note" else transform(function, argnum)


def vjp(
    function: Callable[P, R], argnum: Pick = 0, *, kinks: str = "note"
) -> Callable[P, tuple[R, Callable[[R], Tree]]]:
    """`vjp(f)(x)` is the value of f at x and the map from an adjoint of the result to the adjoint of x.

    `function` takes and returns numbers, arrays and containers of them; `argnum` chooses its argument by position or
    name (several of them: the adjoint is a tuple).  The map takes an adjoint with the structure and shapes of the
    result (a number means an array of it), returns one with the structure and shapes of the argument, and may be called
    any number of times; complex adjoints are not conjugated (see `grad`).

    At a kink that is reached exactly, the slopes are those of one smooth piece if the result is smooth all the same;
    otherwise they are a convention: kinks="note" warns of it (KinkWarning), kinks="error" raises DomainProblem.  Raises
    TracingProblem if the argument is missing, if an adjoint has another structure or shape, or if a plain number would
    lose its derivative; DomainProblem if a number has no value; Unsupported for a function of NumPy without a rule;
    MissingRule for a primitive without one.  Warns with IndependenceWarning if nothing depends on the argument, and
    with NotFinite, naming the operation, if nan or infinity appears.
    """

    def at(*arguments: P.args, **keywords: P.kwargs) -> tuple[R, Callable[[R], Tree]]:
        return record_and_pull(function, argnum, arguments, keywords, kinks=kinks)[:2]

    return Transformed(vjp, function, at, argnum, kinks)


def record_and_pull(
    function: Callable[..., R],
    argnum: Pick,
    arguments: Sequence[Tree],
    keywords: Mapping[str, Tree],
    once: bool = False,
    kinks: str = "note",
) -> tuple[R, Callable[[Tree], Tree], PullRows]:
    """Return (value of the function, `pull`, `pull_rows`) after one recorded run of the function.

    `pull(adjoint)` maps an adjoint of the result to that of the chosen arguments, in their structure; with `once` it
    may be called one time only and frees the tape.  `pull_rows(k, rows)` maps many adjoints of leaf k of the result,
    along a first axis, to (those of each leaf of the arguments, their structure); it returns None if a kink was
    reached, if leaf k does not depend on the arguments, if leaf k or a leaf of the arguments is not an array of
    doubles, or if it would take too much memory.  Warns with IndependenceWarning if no result depends on the arguments;
    kinks and errors as in `vjp`.
    """
    selected = Selected(function, argnum, arguments, keywords)
    kink_titles: list[str] = []
    with deeper() as level, collecting(kink_titles):
        tape = Tape(level)
        inputs = [tape.input(leaf if once else own_memory(leaf)) for leaf in selected.leaves]
        try:
            results, structure = selected.run(inputs)
        finally:
            tape.unlock()
    at_kinks = _at_kinks(function, selected, kink_titles, level, kinks) if kink_titles else None
    marks, values, depends = _opened(results, tape)
    if results and not depends and inputs:
        _warn_independent(function)

    result: R = structure.build(values if once else [own_memory(value) for value in values])

    def pull(adjoint: Tree) -> Tree:
        """Return the adjoint of the chosen arguments, in new arrays; 0 if no result depends on them.

        Raises TracingProblem if `adjoint` has another number of leaves than the result, or a leaf of another shape.
        """
        if not depends:
            return selected.structure.build([zeros_like(leaf) for leaf in selected.leaves])
        seed_leaves, _ = flattened(adjoint, result)
        if len(seed_leaves) != len(marks):
            raise TracingProblem(
                "the structure of the adjoint differs from that of the result",
                label=f"{len(seed_leaves)} parts instead of {len(marks)}",
                help="use the structure of the value that the function returns",
            )
        decided = at_kinks and at_kinks.pull(seed_leaves)
        if decided:
            return selected.structure.build(decided)
        seeds: dict[int, Value] = {}
        for mark, g, value in zip(marks, seed_leaves, values, strict=True):
            if mark is not None:
                g = _in_shape(g, value)
                seeds[mark] = seeds[mark] + g if mark in seeds else g
        bars = tape.adjoints(seeds, [x.mark for x in inputs], once)
        adjoints = [_like(bar, leaf) for bar, leaf in zip(bars, selected.leaves, strict=True)]
        warn_if_not_finite(selected, name_of(function), [*values, *adjoints], seed_leaves)
        return selected.structure.build(separate_memory(adjoints, seed_leaves))

    def pull_rows(k: int, rows: Doubles) -> tuple[list[Doubles], Structure] | None:
        """Return (adjoints of each leaf of the arguments for all `rows`, their structure), or None (see above)."""
        leaves = selected.leaves
        if at_kinks or marks[k] is None or not all(map(is_doubles, (values[k], *leaves))):
            return None
        bars = tape.adjoints_of_rows(marks[k], rows, [x.mark for x in inputs])
        if bars is None:
            return None
        row_adjoints = [
            np.zeros((len(rows), *shape(x))) if bar is None else bar for bar, x in zip(bars, leaves, strict=True)
        ]
        warn_if_not_finite(selected, name_of(function), [*values, *row_adjoints], [rows])
        return row_adjoints, selected.structure

    return result, pull, pull_rows


def warn_if_not_finite(selected: Selected, name: str, results: Sequence[Value], inputs: Sequence[Value]) -> None:
    """Warn of the operation that first made nan or infinity, if a result is not finite but all `inputs` are.

    `inputs` are the seeds or directions; the function is run once more to find the operation.  `name` is for the
    message.
    """
    if not all(map(finite, results)) and all(map(finite, inputs)):
        from .nan_tracing import warn_of_first_nan

        warn_of_first_nan(name, selected.run, selected.leaves)


def _at_kinks(
    function: Callable[..., object], selected: Selected, titles: list[str], level: int, kinks: str
) -> KinkSlopes | None:
    """Return the slopes at the reached kinks, whose titles are `titles` (`resolve_kinks`).

    Returns None inside another differentiation (`level` above 1); the titles are then handed on to it, if it collects
    them.
    """
    if level > 1:
        outer = REACHED_KINKS.get()
        if outer is not None:
            outer += titles
        return None
    from .kink_slopes import resolve_kinks

    run = lambda leaves: flattened(selected.call(leaves))[0]  # noqa: E731
    return resolve_kinks(name_of(function), run, selected.leaves, titles, kinks)


def _in_shape(g: Value, value: Value) -> Value:
    """Return the seed `g` in the shape of `value`; a number is broadcast.  Raises TracingProblem for another shape."""
    g = float(g) if type(g) is int else number(g)
    if shape(g) == shape(value):
        return g
    if shape(g):
        raise TracingProblem(
            "the shape of an adjoint or a direction differs from that of its value",
            label=f"shape {shape(g)} instead of {shape(value)}",
            help="use the shape of the value, or one number",
        )
    return np.broadcast_to(g, shape(value))


def _like(bar: Value | None, leaf: Value) -> Value:
    """Return the adjoint `bar` in the type of `leaf`; zeros if `bar` is None (nothing depends on the leaf).

    A real adjoint of a complex leaf becomes complex; a complex adjoint of a real leaf stays complex, in a type that has
    at least the digits of the leaf.
    """
    if bar is None:
        return zeros_like(leaf)
    bar, x = number(bar), plain(leaf)
    if is_complex(x) and not is_complex(bar):
        bar = bar + 0j
    if isinstance(bar, Traced) or not hasattr(x, "dtype"):
        return bar
    kind = np.result_type(x, np.complex64) if is_complex(bar) and not is_complex(x) else x.dtype
    return bar if getattr(bar, "dtype", None) == kind else np.asarray(bar, kind)


def _opened(results: Sequence[Value], trace: Differentiation) -> tuple[list[Mark], list[Value], bool]:
    """Return (marks, values, depends) of results in a trace.

    A mark is None if the result does not depend on the trace; `depends` says whether any result does.
    """
    marks = [x.mark if isinstance(x, Traced) and x.tracer is trace else None for x in results]
    return marks, list(opened(trace, results)), any(mark is not None for mark in marks)


def _warn_independent(function: Callable[..., object]) -> None:
    """Warn with IndependenceWarning that the result of this function does not depend on its argument."""
    warnings.warn(
        f"the result of {name_of(function)} does not depend on the argument: its derivative is 0",
        IndependenceWarning,
        stacklevel=5,
    )


def jvp(
    function: Callable[P, R], argnum: Pick = 0, *, kinks: str = "note"
) -> Callable[P, Callable[[Tree], tuple[R, R]]]:
    """`jvp(f)(x)` maps a direction of x to the value of f at x and its derivative along that direction.

    The direction has the structure and shapes of the argument that `argnum` chooses (several of them: a tuple; a number
    means an array of it), the derivative those of the result.  Kinks, errors and warnings are those of `vjp`.
    """

    def at(*arguments: P.args, **keywords: P.kwargs) -> Callable[[Tree], tuple[R, R]]:
        """Return the map from a direction to (value, tangent); the function runs when the map is called."""
        selected = Selected(function, argnum, arguments, keywords)

        def push(direction: Tree) -> tuple[R, R]:
            """Return (value of the function, its tangent along `direction`), both in the structure of the result.

            Raises TracingProblem if `direction` has another number of leaves than the argument, or a leaf of another
            shape.
            """
            tangents, _ = flattened(direction, selected.structure.build(selected.leaves))
            if len(tangents) != len(selected.leaves):
                raise TracingProblem(
                    "the structure of the direction differs from that of the argument",
                    label=f"{len(tangents)} parts instead of {len(selected.leaves)}",
                    help="use the structure of the argument",
                )
            kink_titles: list[str] = []
            with deeper() as level, collecting(kink_titles):
                trace = Tangents(level)
                moving = [trace.input(x, _in_shape(d, x)) for x, d in zip(selected.leaves, tangents, strict=True)]
                results, structure = selected.run(moving)
            at_kinks = _at_kinks(function, selected, kink_titles, level, kinks) if kink_titles else None
            marks, values, depends = _opened(results, trace)
            if results and not depends and moving:
                _warn_independent(function)
            decided = at_kinks and at_kinks.push(tangents)
            if decided:
                return structure.build(values), structure.build(decided)
            dots = [zeros_like(x) if mark is None else mark for mark, x in zip(marks, values, strict=True)]
            warn_if_not_finite(selected, name_of(function), [*values, *dots], tangents)
            return structure.build(values), structure.build(dots)

        return push

    return Transformed(jvp, function, at, argnum, kinks)


def value_and_grad(function: Callable[P, R], argnum: Pick = 0, *, kinks: str = "note") -> Callable[P, tuple[R, Tree]]:
    """`value_and_grad(f)(x)` is the value of f at x and its gradient, from one run of f.

    Arguments, shapes and errors are those of `grad`.
    """

    def at(*arguments: P.args, **keywords: P.kwargs) -> tuple[R, Tree]:
        value, pull, _ = record_and_pull(function, argnum, arguments, keywords, once=True, kinks=kinks)
        return value, pull(_one(value, function))

    return Transformed(value_and_grad, function, at, argnum, kinks)


def _one(value: object, function: Callable[..., object]) -> Value:
    """Return the seed of a gradient: 1, or an array of one 1 in the shape and type of `value`.

    Raises TracingProblem if `value` is complex, or is not one number; `function` is named in the message.
    """
    bare = plain(value)
    if type(bare) in (float, int):
        return 1.0
    if is_complex(bare):
        raise TracingProblem(
            "only real functions have a gradient",
            label=f"{name_of(function)} returns {bare!r}",
            help="differentiate its real part, z.real, or abs(z)",
        )
    if not hasattr(bare, "dtype") or bare.dtype.kind != "f" or bare.size != 1:
        raise TracingProblem(
            "only functions that return one number have a gradient",
            label=f"{name_of(function)} returns {_described(bare)}",
            help="use jacobian, elementwise_grad or vjp",
        )
    return np.ones(bare.shape, bare.dtype)


def _described(value: object) -> str:
    """Return a description of a value for messages: "an array of shape …" or "a <type>"."""
    return f"an array of shape {shape(value)}" if hasattr(value, "dtype") else f"a {type(value).__name__}"


def grad(function: Callable[P, object], argnum: Pick = 0, *, kinks: str = "note") -> Callable[P, Tree]:
    """`grad(f)(x)` is the gradient of a real function f at x, with respect to one argument or several.

    `function` returns one real number, or an array of one; `argnum` chooses the argument by position or name (several
    of them: the gradient is a tuple).  The gradient has the structure and shapes of the argument.  With respect to a
    complex argument z = x + iy it is ∂f/∂x − i·∂f/∂y, so that the derivative of a holomorphic f is the gradient of its
    real part.  Raises TracingProblem for any other result; kinks, other errors and warnings are those of `vjp`.
    """

    def at(*arguments: P.args, **keywords: P.kwargs) -> Tree:
        value, pull, _ = record_and_pull(function, argnum, arguments, keywords, once=True, kinks=kinks)
        return pull(_one(value, function))

    return Transformed(grad, function, at, argnum, kinks)


def elementwise_grad(function: Callable[P, object], argnum: Pick = 0) -> Callable[P, Tree]:
    """`elementwise_grad(f)(x)` is the derivative of each element of f(x), which depends on that element of x alone.

    It has the shape of the argument that `argnum` chooses, and is the gradient of the sum of all results: if an element
    of the result depends on several of x, their derivatives are added.  Errors and warnings as with `vjp`.
    """

    def at(*arguments: P.args, **keywords: P.kwargs) -> Tree:
        value, pull, _ = record_and_pull(function, argnum, arguments, keywords, once=True)
        leaves, structure = flattened(value)
        return pull(structure.build([_ones_like(leaf) for leaf in leaves]))

    return Transformed(elementwise_grad, function, at, argnum)


def _ones_like(x: Value) -> Value:
    """Return ones in the shape and type of an array; 1.0 for a number."""
    x = plain(x)
    return np.ones(x.shape, x.dtype) if hasattr(x, "dtype") else 1.0


def jacobian(function: Callable[P, object], argnum: Pick = 0) -> Callable[P, Tree]:
    """`jacobian(f)(x)` holds the derivative of every number of f(x) with respect to every number of x.

    Arrays give an array with the shape of the result followed by that of the argument that `argnum` chooses; a
    container of results gives a container of Jacobians, each with the structure of the argument.  Reverse mode: one
    adjoint for each number of the result; many adjoints are propagated together if all leaves are arrays of doubles.
    Errors and warnings are those of `vjp`.
    """

    def at(*arguments: P.args, **keywords: P.kwargs) -> Tree:
        value, pull, pull_rows = record_and_pull(function, argnum, arguments, keywords)
        leaves, structure = flattened(value)
        zeros = [zeros_like(leaf) for leaf in leaves]

        def rows(k: int) -> Tree:
            """Return the Jacobian of leaf k of the result, in the structure of the argument; zeros if k is empty."""

            def along(unit: Value) -> Tree:
                return pull(structure.build([*zeros[:k], unit, *zeros[k + 1 :]]))

            result_shape = shape(leaves[k])
            if not result_shape:
                return along(_ones_like(leaves[k]))
            zero: Doubles = zeros[k]
            units = np.eye(zero.size, dtype=zero.dtype).reshape(zero.size, *result_shape)
            together = _pull_in_batches(pull_rows, k, units) if zero.size > 1 else None
            if together is not None:
                return together[1].build([np.reshape(x, result_shape + x.shape[1:]) for x in together[0]])
            adjoint_rows = [flattened(along(unit)) for unit in units]
            if not adjoint_rows:
                return np.zeros(result_shape)
            columns = zip(*[parts for parts, _ in adjoint_rows], strict=True)
            return adjoint_rows[0][1].build([np.reshape(np.stack(c), result_shape + shape(c[0])) for c in columns])

        return structure.build([rows(k) for k in range(len(leaves))])

    return Transformed(jacobian, function, at, argnum)


def _pull_in_batches(pull_rows: PullRows, k: int, rows: Doubles) -> tuple[list[Doubles], Structure] | None:
    """Return what `pull_rows(k, rows)` returns, computed for at most _ROWS rows at a time; None if it does."""
    batches = []
    for start in range(0, len(rows), _ROWS):
        part = pull_rows(k, rows[start : start + _ROWS])
        if part is None:
            return None
        batches.append(part)
    return [np.concatenate(leaf) for leaf in zip(*[leaves for leaves, _ in batches], strict=True)], batches[0][1]


def hessian(function: Callable[P, object], argnum: Pick = 0) -> Callable[P, Tree]:
    """`hessian(f)(x)` holds the second derivatives of a real function f at x: reverse over reverse.

    Its shape is that of the argument that `argnum` chooses, twice, one after the other; a container gives a container
    of containers.  Errors and warnings are those of `grad`.
    """
    return Transformed(hessian, function, jacobian(grad(function, argnum), argnum), argnum)


def hvp(function: Callable[P, object], argnum: Pick = 0) -> Callable[P, Callable[[Tree], Tree]]:
    """`hvp(f)(x)` maps a direction of x to the Hessian of f times that direction: forward over reverse.

    Direction and result have the structure and shapes of the argument that `argnum` chooses; the Hessian itself is
    never formed.  Errors and warnings are those of `grad`, and of `jvp` for the direction.
    """

    def at(*arguments: P.args, **keywords: P.kwargs) -> Callable[[Tree], Tree]:
        push = jvp(grad(function, argnum), argnum)(*arguments, **keywords)
        return lambda direction: push(direction)[1]

    return Transformed(hvp, function, at, argnum)
