"""Transforms of Python functions into derivatives of any order; each result is called like the original function. The
leaves of arguments and results are the numbers and arrays in their containers."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable, Mapping, Sequence
from types import MethodType

from ..errors import pickle_error
from ..graph.overloading import TracingProblem, plain
from ..numbers.numpy_arrays import np
from ..records import ValueObject
from ..typings import TYPE_CHECKING, Generic, ParamSpec, TypeVar, override
from .core.array_parts import own_memory, separate_memory
from .core.containers import Structure, flatten_tree
from .core.contexts import REACHED_KINKS, TitlesOfArrays, collecting_kinks, collects_arrays, deeper, user_frame
from .core.methods import changed_after_use
from .core.traced import Traced, Values, finite, is_complex, is_doubles, number, shape, unwrap_arguments, zeros_like
from .core.unsupported import object_array_problem, refuse_array_subclasses
from .kink_slopes import KinkSlopes, resolve_kinks
from .traces import Tangents, Tape

if TYPE_CHECKING:
    from .core.containers import Tree
    from .core.traced import Doubles, Mark, Value


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
    `argnum` is a sequence), `call(leaves)` is the result of the function, and `name` its name for messages.
    """

    def __init__(
        self, function: Callable[..., object], argnum: Pick, arguments: Sequence[Tree], keywords: Mapping[str, Tree]
    ) -> None:
        """Split the chosen ones of `arguments` and `keywords`, those of the call; neither is changed.

        Raises TracingProblem if no argument is chosen or one is missing, Unsupported for matrices and masked arrays.
        """
        picks: Sequence[object] = argnum if isinstance(argnum, (tuple, list)) else [argnum]
        single = picks is not argnum
        if not picks:
            raise TracingProblem("no argument is selected", help="argnum is a position, a name, or several of them")
        self.name = name_of(function)
        bound = list(arguments)
        places = [_find_argument(function, pick, bound, keywords) for pick in picks]
        chosen = [bound[p] if isinstance(p, int) else keywords[p] for p in places]
        self.leaves, self.structure = flatten_tree(chosen[0] if single else tuple(chosen))
        self.leaves = [_differentiable(leaf) for leaf in self.leaves]

        def call(leaves: Values) -> Tree:
            """Return the result of the function, with the chosen arguments rebuilt from `leaves`."""
            tree = self.structure.build(leaves)
            positional, named = list(bound), dict(keywords)
            for place, value in zip(places, [tree] if single else tree, strict=True):
                if isinstance(place, int):
                    positional[place] = value
                else:
                    named[place] = value
            return function(*positional, **named)

        self.call = call

    def run(self, leaves: Values) -> tuple[list[Value], Structure]:
        """Call the function with these leaves; return (the leaves of its result, the structure of the result).

        NumPy's numbers become Python's. Raises TracingProblem instead of NumPy's errors about arrays of objects and
        read-only arrays; other errors of the function pass.
        """
        try:
            results, structure = flatten_tree(self.call(leaves))
        except ValueError as problem:
            if "read-only" not in str(problem):
                raise
            raise changed_after_use(str(problem)) from problem
        except (TypeError, AttributeError) as problem:
            problem_report = object_array_problem(problem)
            if problem_report is None:
                raise
            raise problem_report from problem
        return [number(leaf) for leaf in results], structure


def _find_argument(
    function: Callable[..., object], pick: object, positional: Sequence[Tree], keywords: Mapping[str, Tree]
) -> int | str:
    """Return the place of the chosen argument: a position in `positional` (from 0), or `pick` if `keywords` has it.

    A `pick` that is another name is looked up in the signature. Negative positions count from the end. Raises
    TracingProblem if there is no such positional argument (a default does not count), or if `pick` is neither a str nor
    an int (bool and NumPy's integers are not).
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
        title = f"argnum {pick!r} does not select an argument"
        raise TracingProblem(title, help="argnum is a position, a name, or several of them")
    if not 0 <= position < len(positional):
        title = f"the function {name} was called without argument {pick!r}"
        raise TracingProblem(title, label=f"number of arguments in the call: {len(positional)}", help="check argnum")
    return position


def name_of(function: Callable[..., object]) -> str:
    """Return the name of a function, for messages; the name of its class if it has none."""
    return str(getattr(function, "__name__", type(function).__name__))


def _differentiable(leaf: Value) -> Value:
    """Return the leaf with whole numbers converted to doubles, NumPy's numbers to Python's; others (truth values, too)
    are unchanged.

    Raises Unsupported for matrices and masked arrays.
    """
    leaf = number(leaf)
    if type(leaf) is int:
        return float(leaf)
    if isinstance(leaf, Traced) or not shape(leaf):
        return leaf
    refuse_array_subclasses(leaf)
    array: Doubles = leaf
    return array.astype(float) if array.dtype.kind in "iu" else array


class Transformed(ValueObject, Generic[P, R]):
    """The function `transform(function, *options)`, which is called, bound as a method and documented like others.

    `derivative` does the work.  Equality, hashing and pickling use the transform, the function and the options (argnum,
    kinks).
    """

    def __init__(
        self, transform: Callable[..., Callable[P, R]], function: Callable[..., object], derivative: Callable[P, R],
        *options: object,
    ) -> None:  # fmt: skip
        """Set the name (such as `grad_f`), the docstring of `derivative`, and the signature of `function`.

        `options` are the arguments of `transform` after the function, in order: argnum and kinks.
        """
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

    @override
    def _identity(self) -> tuple[object, ...]:
        """Return (transform, function, options), with lists in the options as tuples so that it is hashable."""
        options = tuple([tuple(x) if isinstance(x, list) else x for x in self._options])
        return self._transform, self.__wrapped__, options

    @override
    def __reduce__(self) -> tuple[Callable[..., Callable[P, R]], tuple[object, ...]]:
        return _transform_again, (self._transform, self.__wrapped__, *self._options)


def _transform_again(
    transform: Callable[..., Callable[P, R]], function: Callable[..., object], argnum: Pick = 0, kinks: str = "note"
) -> Callable[P, R]:
    """Return `transform(function, argnum, kinks=kinks)` for unpickling; RequestError if the function is not callable or
    the transform is not of this module.
    """
    if not callable(function) or getattr(transform, "__module__", None) != __name__:
        raise pickle_error("a derivative")
    return transform(function, argnum, kinks=kinks)


def vjp(
    function: Callable[P, R], argnum: Pick = 0, *, kinks: str = "note"
) -> Callable[P, tuple[R, Callable[[R], Tree]]]:
    """`vjp(f)(x)` is the value of f at x and the map from an adjoint of the result to the adjoint of x.

    `function` takes and returns numbers, arrays and containers of them. `argnum` chooses its argument by position or
    name; for several arguments the adjoint is a tuple. The map takes an adjoint with the structure and shapes of the
    result (a number means an array of this number), and returns an adjoint with the structure and shapes of the
    argument. The map may be called any number of times. Complex adjoints are not conjugated (see `grad`).

    At a kink that is reached exactly, the slopes are those of one smooth piece if the result is smooth there. If the
    result is not smooth, they are a convention: kinks="note" warns of it (KinkWarning), kinks="error" raises
    DomainProblem. Operations on arrays have the slopes of the convention, without a warning.

    Raises TracingProblem if the argument is missing, if an adjoint has another structure or shape, or if a plain number
    would lose its derivative; DomainProblem if a number has no value; Unsupported for a function of NumPy without a
    rule; MissingRule for a primitive without a rule. Warns with IndependenceWarning if nothing depends on the argument,
    and with NotFinite, naming the operation, if nan or infinity appears.
    """

    def at(*arguments: P.args, **keywords: P.kwargs) -> tuple[R, Callable[[R], Tree]]:
        run: RecordedRun[R] = RecordedRun(Selected(function, argnum, arguments, keywords), kinks)
        return run.value, run.pull

    return Transformed(vjp, function, at, argnum, kinks)


class TracedRun:
    """One run of a function in a trace.

    selected   the function and its arguments
    inputs     the traced leaves of the chosen arguments; an operator such as `*=` may have given them other values
    places     the marks that the inputs had at first, before the function ran
    marks      for each leaf of the result its mark in the trace, None if it does not depend on the inputs
    depends    whether any leaf of the result depends on the inputs
    values     the leaves of the result, without this trace
    structure  the structure of the result
    at_kinks   the slopes at the kinks that were reached; None if there were none, and inside another run
    """

    def __init__(
        self, selected: Selected, kinks: str, start: Callable[[int], tuple[Tape | Tangents, list[Traced]]]
    ) -> None:
        """Run the function once and keep its results; `start(level)` returns (a new trace, the traced inputs).

        If the run reaches a kink without a slope, `kinks` "error" raises DomainProblem, any other value warns. Inside
        another run, the titles of the kinks are passed on to that run instead. Warns with IndependenceWarning if there
        are results and inputs and no result depends on an input.
        """
        kink_titles: list[str] = TitlesOfArrays() if kinks == "error" or collects_arrays() else []
        with deeper() as level, collecting_kinks(kink_titles):
            trace, self.inputs = start(level)
            self.places: list[Mark] = [x.mark for x in self.inputs]
            try:
                results, self.structure = selected.run(self.inputs)
            finally:
                trace.unlock()
        self.selected = selected
        self.at_kinks = _at_kinks(selected, kink_titles, level, kinks) if kink_titles else None
        self.marks: list[Mark] = [x.mark if isinstance(x, Traced) and x.tracer is trace else None for x in results]
        self.values = list(unwrap_arguments(trace, results))
        self.depends = any(mark is not None for mark in self.marks)
        if results and self.inputs and not self.depends:
            text = f"the result of {selected.name} does not depend on the argument: its derivative is 0"
            warnings.warn(text, IndependenceWarning, stacklevel=user_frame()[1])

    def warn_if_not_finite(self, derivatives: Values, inputs: Values) -> None:
        """Warn of the operation that first made nan or infinity, if values or derivatives have it and `inputs` do not.

        `inputs` are the seeds or directions, not the arguments of the function, which is run once more to find it.
        """
        if not all(map(finite, (*self.values, *derivatives))) and all(map(finite, inputs)):
            from .nan_tracing import warn_of_first_nan

            warn_of_first_nan(self.selected.name, self.selected.run, self.selected.leaves)


class RecordedRun(TracedRun, Generic[R]):
    """A run of a function on a tape; `value` is its result, and `pull` maps adjoints of it to those of the arguments.

    With `once` the adjoints can be pulled one time only, which frees the tape.
    """

    def __init__(self, selected: Selected, kinks: str = "note", once: bool = False) -> None:
        """Run the function once on a new tape, which with `once` can be swept only once and gets no copies of arrays.

        `kinks`, errors and warnings are those of TracedRun.
        """

        def start(level: int) -> tuple[Tape, list[Traced]]:
            self._tape = Tape(level)
            keep = self._tape.keep if once else own_memory
            return self._tape, [self._tape.input(keep(leaf)) for leaf in selected.leaves]

        super().__init__(selected, kinks, start)
        self._once = once
        self.value: R = self.structure.build(self.values if once else [own_memory(value) for value in self.values])

    def pull(self, adjoint: Tree) -> Tree:
        """Return the adjoint of the chosen arguments, in their structure and in new arrays.

        It is 0 if the result does not depend on them. `adjoint` has the structure of the result and the shape of each
        leaf; a number fills a whole leaf. At a kink with a smooth result, one smooth piece is used. Raises
        TracingProblem if the number of leaves differs, or a shape of a leaf that depends on the arguments (nothing is
        checked if no leaf does). Warns with NotFinite for nan or infinity, unless the slopes were decided at a kink.
        """
        leaves, structure = self.selected.leaves, self.selected.structure
        if not self.depends:
            return structure.build([zeros_like(leaf) for leaf in leaves])
        seed_leaves = _matching_leaves(adjoint, self.value, len(self.marks), "adjoint", "result")
        decided = self.at_kinks and self.at_kinks.pull(seed_leaves)
        if decided:
            return structure.build(decided)
        seeds: dict[int, Value] = {}
        for mark, g, value in zip(self.marks, seed_leaves, self.values, strict=True):
            if mark is not None:
                g = _in_shape(g, value)
                seeds[mark] = seeds[mark] + g if mark in seeds else g
        bars = self._tape.adjoints(seeds, self.places, self._once)
        adjoints = [_in_type_of(bar, leaf) for bar, leaf in zip(bars, leaves, strict=True)]
        self.warn_if_not_finite(adjoints, seed_leaves)
        return structure.build(separate_memory(adjoints, seed_leaves))

    def pull_rows(self, k: int, rows: Doubles) -> list[Doubles] | None:
        """Return, for each leaf of the arguments, its adjoints for many adjoints `rows` of leaf k of the result.

        The adjoints are along the first axis, in `rows` and in the results; they are propagated in batches of 256. None
        in these cases: a kink was reached, leaf k does not depend on the arguments, leaf k or a leaf of the arguments
        is not an array of doubles, or too much memory would be needed. May warn with NotFinite.
        """
        leaves, mark = self.selected.leaves, self.marks[k]
        if self.at_kinks or mark is None or not all(map(is_doubles, (self.values[k], *leaves))):
            return None
        batches = []
        for start in range(0, len(rows), _ROWS):
            seeds = rows[start : start + _ROWS]
            bars = self._tape.adjoints_of_rows(mark, seeds, self.places)
            if bars is None:
                return None
            adjoints = [
                np.zeros((len(seeds), *shape(x))) if bar is None else bar for bar, x in zip(bars, leaves, strict=True)
            ]
            self.warn_if_not_finite(adjoints, [seeds])
            batches.append(adjoints)
        return [np.concatenate(parts) for parts in zip(*batches, strict=True)]


def _matching_leaves(tree: Tree, like: Tree, count: int, kind: str, owner: str) -> list[Value]:
    """Return the leaves of `tree`, an adjoint or direction (`kind`) of `like`, the result or argument (`owner`).

    Dicts are in the order of `like`. Raises TracingProblem if their number is not `count`; shapes are not compared.
    """
    leaves, _ = flatten_tree(tree, like)
    if len(leaves) != count:
        title = f"the {kind} has another number of parts than the {owner}: {len(leaves)} instead of {count}"
        raise TracingProblem(title, help=_STRUCTURE_ADVICE[owner])
    return leaves


_STRUCTURE_ADVICE = {
    "result": "give the adjoint the form of the result of the function: a tuple for a tuple, a list for a list",
    "argument": "give the direction the form of the argument: a tuple for a tuple, a list for a list",
}


def _at_kinks(selected: Selected, titles: list[str], level: int, kinks: str) -> KinkSlopes | None:
    """Return the slopes of a run of `selected` that has reached kinks with these `titles`, as `resolve_kinks` does.

    If the result is not smooth there, `resolve_kinks` warns with KinkWarning, or raises DomainProblem for `kinks`
    "error". Inside another differentiation (`level` above 1) it may only raise: the result is None, and the titles are
    added to those that the outer one collects, if it does.
    """

    def run(leaves: Values) -> list[Value]:
        return flatten_tree(selected.call(leaves))[0]

    slopes = None
    if level == 1 or kinks == "error":
        with collecting_kinks(None):
            slopes = resolve_kinks(selected.name, run, list(map(plain, selected.leaves)), titles, kinks)
    if level > 1 and (outer := REACHED_KINKS.get()) is not None:
        outer += titles
    return slopes if level == 1 else None


def _in_shape(g: Value, value: Value) -> Value:
    """Return the seed `g` in the shape of `value`: itself (an int as a float), or broadcast if it is a number.

    Raises TracingProblem for another shape.
    """
    g = float(g) if type(g) is int else number(g)
    if shape(g) == shape(value):
        return g
    if shape(g):
        title = "the shape of an adjoint or a direction differs from that of its value"
        advice = "give it the shape of the value, or give one number"
        raise TracingProblem(title, label=f"shape {shape(g)} instead of {shape(value)}", help=advice)
    return np.broadcast_to(g, shape(value))


def _in_type_of(bar: Value | None, leaf: Value) -> Value:
    """Return the adjoint `bar` in the type of `leaf`; zeros if `bar` is None (nothing depends on the leaf).

    A real adjoint of a complex leaf becomes complex. A complex adjoint of a real leaf stays complex, in a type that has
    at least the digits of the leaf. A traced adjoint, and the adjoint of a leaf without dtype (a number of Python),
    keep their type otherwise. The shape is never changed.
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


def jvp(
    function: Callable[P, R], argnum: Pick = 0, *, kinks: str = "note"
) -> Callable[P, Callable[[Tree], tuple[R, R]]]:
    """`jvp(f)(x)` maps a direction of x to the value of f at x and its derivative along that direction.

    The direction has the structure and shapes of the argument that `argnum` chooses; for several arguments it is a
    tuple. A number instead of an array means an array of this number. The derivative has the structure and shapes of
    the result. f runs when the map is called. At a kink without a slope, kinks="note" warns, "error" raises
    DomainProblem. Raises TracingProblem if the argument is missing or the direction does not fit it.
    """

    def at(*arguments: P.args, **keywords: P.kwargs) -> Callable[[Tree], tuple[R, R]]:
        """Return the map from a direction to (value, tangent); the function runs when the map is called."""
        selected = Selected(function, argnum, arguments, keywords)
        selected.leaves = list(map(own_memory, selected.leaves))

        def push(direction: Tree) -> tuple[R, R]:
            """Return (value of the function, its tangent along `direction`), both in the structure of the result.

            Raises TracingProblem if `direction` has another number of leaves than the argument, or other shapes.
            """
            leaves = selected.leaves
            tangents = _matching_leaves(
                direction, selected.structure.build(leaves), len(leaves), "direction", "argument"
            )  # fmt: skip

            def start(level: int) -> tuple[Tangents, list[Traced]]:
                trace = Tangents(level)
                return trace, [trace.input(x, _in_shape(d, x)) for x, d in zip(leaves, tangents, strict=True)]

            run = TracedRun(selected, kinks, start)
            value = run.structure.build(run.values)
            decided = run.at_kinks and run.at_kinks.push(tangents)
            if decided:
                return value, run.structure.build(decided)
            dots = [zeros_like(x) if mark is None else mark for mark, x in zip(run.marks, run.values, strict=True)]
            run.warn_if_not_finite(dots, tangents)
            return value, run.structure.build(dots)

        return push

    return Transformed(jvp, function, at, argnum, kinks)


def value_and_grad(function: Callable[P, R], argnum: Pick = 0, *, kinks: str = "note") -> Callable[P, tuple[R, Tree]]:
    """`value_and_grad(f)(x)` is the value of f at x and its gradient, from one run of f.

    `argnum` is the argument by position or name (several: the gradient is a tuple); the gradient has its structure and
    shapes. At a kink without a slope, kinks="note" warns, "error" raises DomainProblem. Raises TracingProblem if the
    argument is missing, or if f does not return one real number.
    """

    def at(*arguments: P.args, **keywords: P.kwargs) -> tuple[R, Tree]:
        run: RecordedRun[R] = RecordedRun(Selected(function, argnum, arguments, keywords), kinks, once=True)
        return run.value, run.pull(_unit_seed(run.value, function))

    return Transformed(value_and_grad, function, at, argnum, kinks)


def _unit_seed(value: object, function: Callable[..., object]) -> Value:
    """Return the seed of a gradient: 1.0, or an array of one 1 in the shape and type of `value`.

    `value` is the result of `function`, traced or not. Raises TracingProblem, which names `function`, if it is complex,
    a truth value, an array of whole numbers, or not one number.
    """
    bare = plain(value)
    if type(bare) in (float, int):
        return 1.0
    if is_complex(bare):
        title = "only real functions have a gradient"
        advice = "differentiate the real part, z.real, or abs(z)"
        raise TracingProblem(title, label=f"{name_of(function)} returns {bare!r}", help=advice)
    if not hasattr(bare, "dtype") or bare.dtype.kind != "f" or bare.size != 1:
        described = f"an array of shape {shape(bare)}" if hasattr(bare, "dtype") else f"a {type(bare).__name__}"
        title = "only functions that return one number have a gradient"
        advice = "use jacobian, elementwise_grad or vjp"
        raise TracingProblem(title, label=f"{name_of(function)} returns {described}", help=advice)
    return np.ones(bare.shape, bare.dtype)


def grad(function: Callable[P, object], argnum: Pick = 0, *, kinks: str = "note") -> Callable[P, Tree]:
    """`grad(f)(x)` is the gradient of a real function f at x, with respect to one argument or several.

    `function` returns one real number, or an array of one; `argnum` chooses the argument by position or name (several
    of them: the gradient is a tuple).  The gradient has the structure and shapes of the argument.  With respect to a
    complex argument z = x + iy it is ∂f/∂x − i·∂f/∂y, so that the derivative of a holomorphic f is the gradient of its
    real part.  At a kink without a slope, kinks="note" warns, "error" raises DomainProblem.  Raises TracingProblem for
    any other result, and if the argument is missing.
    """

    both = value_and_grad(function, argnum, kinks=kinks)

    def at(*arguments: P.args, **keywords: P.kwargs) -> Tree:
        return both(*arguments, **keywords)[1]

    return Transformed(grad, function, at, argnum, kinks)


def elementwise_grad(function: Callable[P, object], argnum: Pick = 0, *, kinks: str = "note") -> Callable[P, Tree]:
    """`elementwise_grad(f)(x)` is the derivative of each element of f(x), which depends on that element of x alone.

    The derivative has the shape of the argument that `argnum` chooses. It is the gradient of the sum of all results: if
    an element of the result depends on several elements of x, its derivatives are added. Raises TracingProblem if the
    argument is missing.
    """

    def at(*arguments: P.args, **keywords: P.kwargs) -> Tree:
        run: RecordedRun[object] = RecordedRun(Selected(function, argnum, arguments, keywords), kinks, once=True)
        return run.pull(run.structure.build([_ones_like(leaf) for leaf in run.values]))

    return Transformed(elementwise_grad, function, at, argnum, kinks)


def _ones_like(x: Value) -> Value:
    """Return ones in the shape and type of an array; 1.0 for a number."""
    x = plain(x)
    return np.ones(x.shape, x.dtype) if hasattr(x, "dtype") else 1.0


def jacobian(function: Callable[P, object], argnum: Pick = 0, *, kinks: str = "note") -> Callable[P, Tree]:
    """`jacobian(f)(x)` holds the derivative of every number of f(x) with respect to every number of x.

    For arrays, it is an array with the shape of the result followed by that of the argument that `argnum` chooses. For
    a container of results, it is a container of Jacobians, each with the structure of the argument. It is computed in
    reverse mode, with one adjoint for each number of the result; many adjoints are propagated together if all leaves
    are arrays of doubles. Raises TracingProblem if the argument is missing.
    """

    def at(*arguments: P.args, **keywords: P.kwargs) -> Tree:
        run: RecordedRun[object] = RecordedRun(Selected(function, argnum, arguments, keywords), kinks)
        return run.structure.build([_jacobian_of_leaf(run, k) for k in range(len(run.values))])

    return Transformed(jacobian, function, at, argnum, kinks)


def _jacobian_of_leaf(run: RecordedRun[R], k: int) -> Tree:
    """Return the Jacobian of leaf k of the result of `run`, in the structure of the argument.

    Each array has the shape of leaf k followed by that of the leaf of the argument. For a leaf k without elements it is
    a single empty array in the shape of the leaf, without structure.
    """
    zeros = [zeros_like(leaf) for leaf in run.values]

    def along(unit: Value) -> Tree:
        return run.pull(run.structure.build([*zeros[:k], unit, *zeros[k + 1 :]]))

    result_shape = shape(zeros[k])
    if not result_shape:
        return along(_ones_like(run.values[k]))
    zero: Doubles = zeros[k]
    units = np.eye(zero.size, dtype=zero.dtype).reshape(zero.size, *result_shape)
    structure, columns = run.selected.structure, run.pull_rows(k, units) if zero.size > 1 else None
    if columns is None:
        rows = [flatten_tree(along(unit)) for unit in units]
        if not rows:
            return np.zeros(result_shape)
        structure, columns = rows[0][1], list(map(np.stack, zip(*[leaves for leaves, _ in rows], strict=True)))
    return structure.build([np.reshape(x, result_shape + shape(x)[1:]) for x in columns])


def hessian(function: Callable[P, object], argnum: Pick = 0, *, kinks: str = "note") -> Callable[P, Tree]:
    """`hessian(f)(x)` holds the second derivatives of a real function f at x: reverse over reverse.

    Its shape is that of the argument that `argnum` chooses, twice, one after the other; a container gives a container
    of containers.  Errors and warnings are those of `grad`.
    """
    of_gradient = jacobian(grad(function, argnum, kinks=kinks), argnum, kinks=kinks)
    return Transformed(hessian, function, of_gradient, argnum, kinks)


def hvp(function: Callable[P, object], argnum: Pick = 0, *, kinks: str = "note") -> Callable[P, Callable[[Tree], Tree]]:
    """`hvp(f)(x)` maps a direction of x to the Hessian of f times that direction: forward over reverse.

    Direction and result have the structure and shapes of the argument that `argnum` chooses; the Hessian itself is
    never formed.  Raises TracingProblem unless f returns one real number, and if the direction does not fit.
    """

    def at(*arguments: P.args, **keywords: P.kwargs) -> Callable[[Tree], Tree]:
        push = jvp(grad(function, argnum, kinks=kinks), argnum, kinks=kinks)(*arguments, **keywords)
        return lambda direction: push(direction)[1]

    return Transformed(hvp, function, at, argnum, kinks)
