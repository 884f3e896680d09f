"""Derivatives of Python functions, of any order: each is a function that is called as the one it is made from."""

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
from .core.containers import Structure, flattened
from .core.traced import Traced, deeper, finite, is_complex, is_doubles, number, opened, shape, zeros_like
from .core.unsupported import about_objects, only_arrays
from .kink_slopes import MET, KinkSlopes, collecting
from .traces import Tangents, Tape

if TYPE_CHECKING:
    from typing import TypeAlias

    import numpy
    from numpy.typing import NDArray

    from .core.containers import Tree
    from .core.traced import Differentiation, Doubles, Mark, Value

    PullRows: TypeAlias = Callable[[int, Doubles], tuple[list[Doubles], Structure] | None]

# Derivatives are called as the function is; which argument of it they are like, `argnum` says and no type.
P = ParamSpec("P")
R = TypeVar("R")
Pick = int | str | Sequence[int | str]
_ROWS = 256  # adjoints that are looked at together


class IndependenceWarning(UserWarning):
    """A result does not depend on what it was to be differentiated by, so that the derivative is 0."""


class Selected:
    """A call of a function with the chosen arguments taken apart; the rest is as it was given.

    `argnum` is the position or the name of an argument, or several; several make the derivative a tuple.
    """

    __slots__ = ("call", "leaves", "structure")

    def __init__(
        self, function: Callable[..., object], argnum: Pick, arguments: Sequence[Tree], keywords: Mapping[str, Tree]
    ) -> None:
        picks: Sequence[object] = argnum if isinstance(argnum, (tuple, list)) else [argnum]
        single = picks is not argnum
        if not picks:
            raise TracingProblem("no argument is chosen", help="argnum is a position, a name, or several of them")
        bound = list(arguments)
        places = [_place(function, pick, bound, keywords) for pick in picks]
        given = [bound[p] if isinstance(p, int) else keywords[p] for p in places]
        self.leaves, self.structure = flattened(given[0] if single else tuple(given))
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
        """The leaves and the structure of the result for these leaves of the arguments."""
        try:
            found, structure = flattened(self.call(leaves))
        except (TypeError, AttributeError) as problem:
            told = about_objects(problem)
            if told is None:
                raise
            raise told from problem
        return [number(leaf) for leaf in found], structure


def _place(
    function: Callable[..., object], pick: object, bound: Sequence[Tree], keywords: Mapping[str, Tree]
) -> int | str:
    """Where the chosen argument stands: a position among those given, or a keyword."""
    name = name_of(function)
    if isinstance(pick, str):
        if pick in keywords:
            return pick
        try:
            position = list(inspect.signature(function).parameters).index(pick)
        except (ValueError, TypeError):
            position = len(bound)
    elif isinstance(pick, int) and not isinstance(pick, bool):
        position = pick + len(bound) if pick < 0 else pick
    else:
        raise TracingProblem(f"{pick!r} chooses no argument", help="argnum is a position, a name, or several of them")
    if not 0 <= position < len(bound):
        raise TracingProblem(
            f"{name} was given no argument {pick!r}", label=f"it was given {len(bound)}", help="check argnum"
        )
    return position


def name_of(function: Callable[..., object]) -> str:
    """What a function is called."""
    return str(getattr(function, "__name__", type(function).__name__))


def _differentiable(leaf: Value) -> Value:
    """A number of a continuous kind: whole numbers become doubles."""
    leaf = number(leaf)
    if type(leaf) is int:
        return float(leaf)
    if isinstance(leaf, Traced) or not shape(leaf):
        return leaf
    only_arrays(leaf)
    array: NDArray[numpy.inexact] = leaf
    return array.astype(float) if array.dtype.kind in "iu" else array


class Transformed(Generic[P, R]):
    """A function that a transform has made of another: called, named, bound and documented as functions are.

    It travels, is copied and compared as what it is: the transform, the function, and what else it was asked.
    """

    def __init__(
        self, transform: Callable[..., Callable[P, R]], function: Callable[..., object], made: Callable[P, R],
        *asked: object,
    ) -> None:  # fmt: skip
        self.__name__ = self.__qualname__ = f"{transform.__name__}_{name_of(function)}"
        self.__wrapped__ = function  # where `inspect` finds the signature
        self.__doc__ = made.__doc__
        self._transform, self._made, self._asked = transform, made, asked

    def __call__(self, *arguments: P.args, **keywords: P.kwargs) -> R:
        return self._made(*arguments, **keywords)

    def __get__(self, instance: object, owner: object = None) -> Callable[..., R]:
        return self if instance is None else MethodType(self, instance)

    @override
    def __repr__(self) -> str:
        return f"<{self.__name__} of adcli.python>"

    def _told(self) -> tuple[object, ...]:
        asked = tuple([tuple(x) if isinstance(x, list) else x for x in self._asked])
        return self._transform, self.__wrapped__, asked

    @override
    def __eq__(self, other: object) -> bool:
        return isinstance(other, Transformed) and self._told() == other._told()

    @override
    def __hash__(self) -> int:
        return hash(self._told())

    @override
    def __reduce__(self) -> tuple[Callable[..., Callable[P, R]], tuple[object, ...]]:
        return _made_again, (self._transform, self.__wrapped__, *self._asked)

    def __copy__(self) -> Transformed[P, R]:
        return self

    def __deepcopy__(self, memo: object) -> Transformed[P, R]:
        return self


def _made_again(
    transform: Callable[..., Callable[P, R]], function: Callable[..., object], argnum: Pick = 0, kinks: str = "note"
) -> Callable[P, R]:
    """What a transform has made, from its pickle.  Raises RequestError for what is none."""
    if not callable(function) or getattr(transform, "__module__", None) != __name__:
        raise damaged("a derivative")
    return transform(function, argnum, kinks=kinks) if kinks != "note" else transform(function, argnum)


def vjp(
    function: Callable[P, R], argnum: Pick = 0, *, kinks: str = "note"
) -> Callable[P, tuple[R, Callable[[R], Tree]]]:
    """`vjp(f)(x)` is the value of f at x and the map from an adjoint of the result to the adjoint of x.

    `function` takes and returns numbers, arrays and containers of them; `argnum` chooses its argument by position or
    name (several of them: the adjoint is a tuple).  The map takes an adjoint of the structure and shapes of the result
    (a number stands for an array of it), gives one of the structure and shapes of the argument, and may be called any
    number of times; complex adjoints are not conjugated (see `grad`).

    At a kink that is met exactly the slopes of one smooth piece are taken where the result is smooth after all; else a
    convention, of which kinks="note" warns (KinkWarning), and which with kinks="error" is a DomainProblem.  Raises
    TracingProblem for an argument that is not there, an adjoint of another structure or shape, and where a plain number
    would lose its derivative; DomainProblem where a number has no value; Unsupported for a function of NumPy without a
    rule; MissingRule for a primitive without one.  Warns with IndependenceWarning where nothing depends on the argument
    and with NotFinite, naming the operation, where nan or infinity come up.
    """

    def at(*arguments: P.args, **keywords: P.kwargs) -> tuple[R, Callable[[R], Tree]]:
        return swept(function, argnum, arguments, keywords, kinks=kinks)[:2]

    return Transformed(vjp, function, at, argnum, kinks)


def swept(
    function: Callable[..., R],
    argnum: Pick,
    arguments: Sequence[Tree],
    keywords: Mapping[str, Tree],
    once: bool = False,
    kinks: str = "note",
) -> tuple[R, Callable[[Tree], Tree], PullRows]:
    """The value of a function, recorded, and the map from an adjoint of it to that of the chosen arguments.

    With `once` the map may be called one time, and lets go of what it has used.  The last is the map from many adjoints
    of one part of the result, along a first axis, to those of the leaves of the arguments, where that part and these
    are arrays of doubles that all can be looked at together; else None.
    """
    selected = Selected(function, argnum, arguments, keywords)
    met: list[str] = []
    with deeper() as level, collecting(met):
        tape = Tape(level)
        inputs = [tape.input(leaf) for leaf in selected.leaves]
        results, structure = selected.run(inputs)
    at_kinks = _at_kinks(function, selected, met, level, kinks) if met else None
    marks, values, depends = _opened(results, tape)
    if results and not depends and inputs:
        _warn(function)

    result: R = structure.build(values)

    def pull(adjoint: Tree) -> Tree:
        if not depends:
            return selected.structure.build([zeros_like(leaf) for leaf in selected.leaves])
        given, _ = flattened(adjoint, result)
        if len(given) != len(marks):
            raise TracingProblem(
                "the adjoint has another structure than the result",
                label=f"{len(given)} parts for {len(marks)}",
                help="give it the shape of what the function returns",
            )
        settled = at_kinks and at_kinks.pull(given)
        if settled:
            return selected.structure.build(settled)
        seeds: dict[int, Value] = {}
        for mark, g, value in zip(marks, given, values, strict=True):
            if mark is not None:
                g = _in_shape(g, value)
                seeds[mark] = seeds[mark] + g if mark in seeds else g
        bars = tape.adjoints(seeds, [x.mark for x in inputs], once)
        found = [_like(bar, leaf) for bar, leaf in zip(bars, selected.leaves, strict=True)]
        watched(selected, name_of(function), [*values, *found], given)
        return selected.structure.build(_owned(found, given))

    def pull_rows(k: int, rows: Doubles) -> tuple[list[Doubles], Structure] | None:
        leaves = selected.leaves
        if at_kinks or marks[k] is None or not all(map(is_doubles, (values[k], *leaves))):
            return None
        bars = tape.adjoints_of_rows(marks[k], rows, [x.mark for x in inputs])
        if bars is None:
            return None
        found = [np.zeros((len(rows), *shape(x))) if bar is None else bar for bar, x in zip(bars, leaves, strict=True)]
        watched(selected, name_of(function), [*values, *found], [rows])
        return found, selected.structure

    return result, pull, pull_rows


def watched(selected: Selected, name: str, found: Sequence[Value], given: Sequence[Value]) -> None:
    """Warns of the operation that made nan or infinity, where what was found is not finite though what was given is."""
    if not all(map(finite, found)) and all(map(finite, given)):
        from .nan_tracing import tell

        tell(name, selected.run, selected.leaves)


def _at_kinks(
    function: Callable[..., object], selected: Selected, met: list[str], level: int, kinks: str
) -> KinkSlopes | None:
    """What is decided where kinks are met; None inside of another differentiation, which sees them as well."""
    if level > 1:
        outer = MET.get()
        if outer is not None:
            outer += met
        return None
    from .kink_slopes import resolve_kinks

    run = lambda leaves: flattened(selected.call(leaves))[0]  # noqa: E731
    return resolve_kinks(name_of(function), run, selected.leaves, met, kinks)


def _in_shape(g: Value, value: Value) -> Value:
    """A seed of the shape of what it belongs to; a number stands for an array of it."""
    g = float(g) if type(g) is int else number(g)
    if shape(g) == shape(value):
        return g
    if shape(g):
        raise TracingProblem(
            "a direction has another shape than what it belongs to",
            label=f"{shape(g)} for {shape(value)}",
            help="give it that shape",
        )
    return np.broadcast_to(g, shape(value))


def _owned(found: list[Value], given: Sequence[Value]) -> list[Value]:
    """The arrays in memory of their own, so that what is done to one of them is not done to others."""
    taken = {id(g) for g in given}
    for k, bar in enumerate(found):
        flags = None if isinstance(bar, Traced) else getattr(bar, "flags", None)  # a traced array has no memory
        if flags is not None and shape(bar) and (id(bar) in taken or not flags.owndata):
            found[k] = np.array(bar)
        taken.add(id(found[k]))
    return found


def _like(bar: Value | None, leaf: Value) -> Value:
    """An adjoint as a number of the kind of what it belongs to; 0 where nothing depends on that."""
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
    """The marks of results in a trace, None for those that do not depend on it; their values; whether one does."""
    marks = [x.mark if isinstance(x, Traced) and x.tracer is trace else None for x in results]
    return marks, list(opened(trace, results)), any(mark is not None for mark in marks)


def _warn(function: Callable[..., object]) -> None:
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
    stands for an array of it), the derivative those of the result.  Kinks, errors and warnings are those of `vjp`.
    """

    def at(*arguments: P.args, **keywords: P.kwargs) -> Callable[[Tree], tuple[R, R]]:
        selected = Selected(function, argnum, arguments, keywords)

        def push(direction: Tree) -> tuple[R, R]:
            given, _ = flattened(direction, selected.structure.build(selected.leaves))
            if len(given) != len(selected.leaves):
                raise TracingProblem(
                    "the direction has another structure than the argument",
                    label=f"{len(given)} parts for {len(selected.leaves)}",
                    help="give it the shape of the argument",
                )
            met: list[str] = []
            with deeper() as level, collecting(met):
                trace = Tangents(level)
                moving = [trace.input(x, _in_shape(d, x)) for x, d in zip(selected.leaves, given, strict=True)]
                results, structure = selected.run(moving)
            at_kinks = _at_kinks(function, selected, met, level, kinks) if met else None
            marks, values, depends = _opened(results, trace)
            if results and not depends and moving:
                _warn(function)
            settled = at_kinks and at_kinks.push(given)
            if settled:
                return structure.build(values), structure.build(settled)
            dots = [zeros_like(x) if mark is None else mark for mark, x in zip(marks, values, strict=True)]
            watched(selected, name_of(function), [*values, *dots], given)
            return structure.build(values), structure.build(dots)

        return push

    return Transformed(jvp, function, at, argnum, kinks)


def value_and_grad(function: Callable[P, R], argnum: Pick = 0, *, kinks: str = "note") -> Callable[P, tuple[R, Tree]]:
    """`value_and_grad(f)(x)` is the value of f at x and its gradient, from one run of f.

    Arguments, shapes and errors are those of `grad`.
    """

    def at(*arguments: P.args, **keywords: P.kwargs) -> tuple[R, Tree]:
        value, pull, _ = swept(function, argnum, arguments, keywords, once=True, kinks=kinks)
        return value, pull(_one(value, function))

    return Transformed(value_and_grad, function, at, argnum, kinks)


def _one(value: object, function: Callable[..., object]) -> Value:
    """The seed of a gradient: 1 in the shape of a real number."""
    bare = plain(value)
    if type(bare) in (float, int):
        return 1.0
    if is_complex(bare):
        raise TracingProblem(
            "a gradient is of a real function",
            label=f"{name_of(function)} returns {bare!r}",
            help="differentiate its real part, z.real, or abs(z)",
        )
    if not hasattr(bare, "dtype") or bare.dtype.kind != "f" or bare.size != 1:
        raise TracingProblem(
            "a gradient is of a function whose result is one number",
            label=f"{name_of(function)} returns {_described(bare)}",
            help="use jacobian, elementwise_grad or vjp",
        )
    return np.ones(bare.shape, bare.dtype)


def _described(value: object) -> str:
    return f"an array of shape {shape(value)}" if hasattr(value, "dtype") else f"a {type(value).__name__}"


def grad(function: Callable[P, object], argnum: Pick = 0, *, kinks: str = "note") -> Callable[P, Tree]:
    """`grad(f)(x)` is the gradient of a real function f at x, by one argument or several.

    `function` returns one real number, or an array of one; `argnum` chooses the argument by position or name (several
    of them: the gradient is a tuple).  The gradient has the structure and shapes of the argument.  By a complex
    argument z = x + iy it is ∂f/∂x − i·∂f/∂y, so that the derivative of a holomorphic f is the gradient of its real
    part.  Raises TracingProblem for any other result; else kinks, errors and warnings are those of `vjp`.
    """

    def at(*arguments: P.args, **keywords: P.kwargs) -> Tree:
        value, pull, _ = swept(function, argnum, arguments, keywords, once=True, kinks=kinks)
        return pull(_one(value, function))

    return Transformed(grad, function, at, argnum, kinks)


def elementwise_grad(function: Callable[P, object], argnum: Pick = 0) -> Callable[P, Tree]:
    """`elementwise_grad(f)(x)` is the derivative of each element of f(x), which depends on that element of x alone.

    It has the shape of the argument that `argnum` chooses, and is the gradient of the sum of all results: where an
    element of the result depends on several of x, their derivatives are added.  Errors and warnings as with `vjp`.
    """

    def at(*arguments: P.args, **keywords: P.kwargs) -> Tree:
        value, pull, _ = swept(function, argnum, arguments, keywords, once=True)
        leaves, structure = flattened(value)
        return pull(structure.build([_ones_like(leaf) for leaf in leaves]))

    return Transformed(elementwise_grad, function, at, argnum)


def _ones_like(x: Value) -> Value:
    x = plain(x)
    return np.ones(x.shape, x.dtype) if hasattr(x, "dtype") else 1.0


def jacobian(function: Callable[P, object], argnum: Pick = 0) -> Callable[P, Tree]:
    """`jacobian(f)(x)` has the derivative of every number of f(x) by every number of x; one reverse sweep for each row.

    Arrays give an array of the shape of the result followed by that of the argument that `argnum` chooses; a container
    of results gives a container of Jacobians, and each has the structure of the argument.  Errors and warnings are
    those of `vjp`.
    """

    def at(*arguments: P.args, **keywords: P.kwargs) -> Tree:
        value, pull, pull_rows = swept(function, argnum, arguments, keywords)
        leaves, structure = flattened(value)
        zeros = [zeros_like(leaf) for leaf in leaves]

        def rows(k: int) -> Tree:
            def along(unit: Value) -> Tree:
                return pull(structure.build([*zeros[:k], unit, *zeros[k + 1 :]]))

            have = shape(leaves[k])
            if not have:
                return along(_ones_like(leaves[k]))
            zero: Doubles = zeros[k]
            units = np.eye(zero.size, dtype=zero.dtype).reshape(zero.size, *have)
            together = _together(pull_rows, k, units) if zero.size > 1 else None
            if together is not None:
                return together[1].build([np.reshape(x, have + x.shape[1:]) for x in together[0]])
            found = [flattened(along(unit)) for unit in units]
            if not found:
                return np.zeros(have)
            columns = zip(*[parts for parts, _ in found], strict=True)
            return found[0][1].build([np.reshape(np.stack(c), have + shape(c[0])) for c in columns])

        return structure.build([rows(k) for k in range(len(leaves))])

    return Transformed(jacobian, function, at, argnum)


def _together(pull_rows: PullRows, k: int, rows: Doubles) -> tuple[list[Doubles], Structure] | None:
    """What `pull_rows` gives, asked for some of the rows at a time."""
    found = []
    for start in range(0, len(rows), _ROWS):
        part = pull_rows(k, rows[start : start + _ROWS])
        if part is None:
            return None
        found.append(part)
    return [np.concatenate(leaf) for leaf in zip(*[leaves for leaves, _ in found], strict=True)], found[0][1]


def hessian(function: Callable[P, object], argnum: Pick = 0) -> Callable[P, Tree]:
    """`hessian(f)(x)` has the second derivatives of a real function f at x: reverse over reverse.

    It has the shape of the argument that `argnum` chooses twice, one after the other; a container gives a container of
    containers.  Errors and warnings are those of `grad`.
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
