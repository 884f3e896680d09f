"""Extension of the differentiation by rules for several arguments, vector spaces and checkpoints, with the names of
autograd.extend.

`primitive`, `defvjp` and `defjvp` are those of `adcli.python`. There are no boxes: a primitive gets plain values, and
NumPy's functions take traced values as they are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import wraps

from ..graph.overloading import TracingProblem, plain
from ..numbers.numpy_arrays import np
from ..typings import Any, ParamSpec, TypeVar, override
from .core.containers import Tree, flatten, flatten_tree
from .core.evaluation import Differentiable, conj, real
from .core.traced import Function, Keywords, Traced, Value, number, shape
from .gradient_check import check_grads, combo_check
from .primitives import Registered, defjvp, defvjp, find_registered, primitive
from .transforms import jvp, vjp

__all__ = [
    "Space", "check_grads", "checkpoint", "combo_check", "def_linear", "defjvp", "defjvp_argnum", "defjvp_argnums",
    "defvjp", "defvjp_argnum", "defvjp_argnums", "getval", "isbox", "notrace_primitive", "primitive", "vspace",
]  # fmt: skip

P = ParamSpec("P")
R = TypeVar("R")
Rule = Callable[..., Any]


# --- rules for several arguments --------------------------------------------------------------------------------------


def defvjp_argnums(function: Registered[P, R], maker: Rule) -> None:
    """Register one reverse rule for all arguments of a primitive, instead of an earlier such rule.

    If only one argument is traced, a rule for this argument alone takes precedence. `maker(argnums, ans, args, kwargs)`
    returns the map from the adjoint of the result to the contributions to the arguments at the positions `argnums`
    (from 0), in order. Raises TracingProblem if `function` is not a primitive.
    """
    find_registered(function).joint_pull = maker


def defvjp_argnum(function: Registered[P, R], maker: Rule) -> None:
    """Register one reverse rule of `function` for all arguments, instead of an earlier rule for all arguments.

    If only one argument is traced, a rule for this argument alone takes precedence. `maker(argnum, ans, args, kwargs)`
    returns the map of an adjoint. `argnum` counts from 0, `ans` is the result; the map gets the adjoint of the result
    and returns that of the argument. Raises TracingProblem if `function` is not a primitive.
    """

    def together(argnums: Sequence[int], ans: Value, args: Sequence[Tree], kwargs: Keywords) -> Rule:
        maps = [maker(k, ans, args, kwargs) for k in argnums]
        return lambda g: [map_(g) for map_ in maps]

    defvjp_argnums(function, together)


def defjvp_argnums(function: Registered[P, R], rule: Rule) -> None:
    """Register one forward rule for all arguments of a primitive, instead of an earlier such rule.

    If only one argument is traced, a rule for this argument alone takes precedence. `rule(argnums, tangents, ans, args,
    kwargs)` returns the tangent of the result for the tangents of the arguments at the positions `argnums` (from 0).
    Raises TracingProblem if `function` is not a primitive.
    """
    find_registered(function).joint_push = rule


def defjvp_argnum(function: Registered[P, R], rule: Rule) -> None:
    """Register one forward rule of `function` for all arguments, instead of an earlier rule for all arguments.

    If only one argument is traced, a rule for this argument alone takes precedence. `rule(argnum, tangent, ans, args,
    kwargs)` returns the contribution of an argument. `argnum` counts from 0, `ans` is the result; contributions of the
    traced arguments are added in order. Raises TracingProblem if `function` is not a primitive.
    """

    def together(
        argnums: Sequence[int], dots: Sequence[Tree], ans: Value, args: Sequence[Tree], kwargs: Keywords
    ) -> Tree:
        first, *rest = [rule(k, dot, ans, args, kwargs) for k, dot in zip(argnums, dots, strict=True)]
        for contribution in rest:
            first = first + contribution
        return first

    defjvp_argnums(function, together)


def def_linear(function: Registered[P, R]) -> None:
    """Register a primitive as linear in each of its arguments, which gives its forward rule alone: reverse mode needs
    `defvjp`, too."""
    defjvp_argnum(
        function, lambda k, dot, ans, args, kwargs: function(*args[:k], dot, *args[k + 1 :], **kwargs)
    )  # fmt: skip


def notrace_primitive(function: Callable[P, R]) -> Callable[P, R]:
    """Return a function like `function` that gets plain values instead of traced ones, also inside of containers.

    Values are plain if no trace, not only the innermost, has them. The result is not recorded: it is a constant.
    """

    @wraps(function)
    def call_untraced(*arguments: P.args, **keywords: P.kwargs) -> R:
        leaves, structure = flatten_tree((arguments, keywords))
        positional, named = structure.build([plain(leaf) for leaf in leaves])
        return function(*positional, **named)

    return call_untraced


def isbox(x: object) -> bool:
    """Return whether x is a traced value."""
    return isinstance(x, Traced)


def getval(x: Tree) -> Tree:
    """Return the number or array inside of a traced value; anything else unchanged."""
    return plain(x)


def checkpoint(function: Callable[P, R]) -> Callable[P, R]:
    """Return a function like `function` that keeps nothing of its run for the reverse sweep; the sweep runs it again.

    Each call is recorded as one operation on all traced leaves of its arguments. Arguments and results may be
    containers; keyword arguments are differentiated too. If no argument is traced, `function` is only called. Other
    values that the same differentiation traces, such as variables of an enclosing function, must be passed as
    arguments: a call that uses them otherwise raises TracingProblem.
    """

    @wraps(function)
    def call_recorded(*arguments: P.args, **keywords: P.kwargs) -> R:
        """Return the result of the function, recorded as one operation if an argument is traced."""
        leaves, structure = flatten_tree((arguments, keywords))
        places = [k for k, leaf in enumerate(leaves) if isinstance(leaf, Traced)]
        if not places:
            return function(*arguments, **keywords)
        packed, build = flatten([leaves[k] for k in places])
        results: list[Callable[[Value], Tree]] = []

        def run(vector: Value) -> Value:
            """Return the result of the function as a vector, for the traced arguments as one vector.

            The builder of the result from the vector is stored in `results`. Raises TracingProblem if the result
            depends on a traced value that is not an argument.
            """
            inside = list(leaves)
            for k, leaf in zip(places, build(vector), strict=True):
                inside[k] = leaf
            positional, named = structure.build(inside)
            result_vector, build_result = flatten(function(*positional, **named))
            if isinstance(result_vector, Traced) and not isinstance(vector, Traced):
                title = f"{name} uses a traced value that is not among its arguments"
                raise TracingProblem(title, help="pass the value as an argument, so that it is differentiated, too")
            results[:] = [build_result]
            return result_vector

        name = f"checkpoint of {getattr(function, '__name__', 'a function')}"
        one_operation = Differentiable(
            name, run,
            pull=lambda k, g, z, vector: vjp(run)(vector)[1](g),
            push=lambda k, dot, z, vector: jvp(run)(vector)(dot)[1],
        )  # fmt: skip
        vector = one_operation(packed)
        result: R = results[0](vector)
        return result

    return call_recorded


# --- spaces -----------------------------------------------------------------------------------------------------------


class Space:
    """The vector space of a value, which is a number, an array or a container of them, traced or not.

    Its methods take and return elements of the space; they are ordinary functions that can be differentiated.
    """

    def __init__(self, value: Tree) -> None:
        leaves, self._structure = flatten_tree(number(value))
        self._leaves = [np.asarray(plain(leaf)) for leaf in leaves]
        self._leaves = [leaf.astype(float) if leaf.dtype.kind in "iub" else leaf for leaf in self._leaves]
        self._form = self._structure.build([(leaf.shape, leaf.dtype.char) for leaf in self._leaves])

    @override
    def __eq__(self, other: object) -> bool:
        return isinstance(other, Space) and bool(self._form == other._form)

    @override
    def __hash__(self) -> int:
        return hash(tuple((leaf.shape, leaf.dtype.char) for leaf in self._leaves))

    @override
    def __repr__(self) -> str:
        return f"<space of {self._form!r}>"

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of an array, () for a number.  Raises TracingProblem for containers."""
        if self._structure.steps != [None]:
            title = "a container has no shape; only its parts have one"
            raise TracingProblem(title, help="use the spaces of the parts")
        return tuple(self._leaves[0].shape)

    @property
    def size(self) -> int:
        """Its dimension: complex numbers count twice."""
        return sum(leaf.size * (2 if leaf.dtype.kind == "c" else 1) for leaf in self._leaves)

    @property
    def iscomplex(self) -> bool:
        return any(leaf.dtype.kind == "c" for leaf in self._leaves)

    def _build(self, each: Callable[[Any], Any]) -> Tree:
        """Return the element whose leaves are `each(leaf)` for the leaves of the value."""
        return self._structure.build([number(each(leaf)) for leaf in self._leaves])

    def zeros(self) -> Tree:
        return self._build(np.zeros_like)

    def ones(self) -> Tree:
        """Return the sum of the standard basis: ones, and 1 + i for complex leaves."""
        return self._build(lambda leaf: np.full_like(leaf, 1 + 1j if leaf.dtype.kind == "c" else 1))

    def randn(self) -> Tree:
        """Return a random element of the space: normally distributed numbers with mean 0 and deviation 1.

        They come from `numpy.random`'s global state. Complex leaves are random in both parts; each leaf has its own
        type and shape (whole numbers count as floats), a leaf without axes is a number of Python.
        """

        def random_leaf(leaf: Any) -> Any:
            numbers = np.random.standard_normal(leaf.shape)
            if leaf.dtype.kind == "c":
                numbers = numbers + 1j * np.random.standard_normal(leaf.shape)
            return np.asarray(numbers).astype(leaf.dtype)

        return self._build(random_leaf)

    def standard_basis(self) -> Iterator[Tree]:
        """Yield each unit element, with a 1 at one entry and 0 elsewhere.

        They go leaf by leaf, and in row-major order in each leaf. For a complex leaf each is followed by that with 1j.
        The elements have the structure of the space.
        """
        for k, leaf in enumerate(self._leaves):
            for place in range(leaf.size):
                for unit in (1, 1j) if leaf.dtype.kind == "c" else (1,):
                    parts = [np.zeros_like(other) for other in self._leaves]
                    parts[k].flat[place] = unit
                    yield self._structure.build([number(part) for part in parts])

    def _each(self, each: Function, *values: Tree) -> Tree:
        """Return the element whose leaves are `each(*leaves)` for the corresponding leaves of `values`.

        Raises ValueError if their numbers of leaves differ.
        """
        parts = [flatten_tree(value)[0] for value in values]
        return self._structure.build([each(*leaves) for leaves in zip(*parts, strict=True)])

    def add(self, x: Tree, y: Tree) -> Tree:
        return self._each(lambda a, b: a + b, x, y)

    def mut_add(self, x: Tree | None, y: Tree) -> Tree:
        """Return the sum, as `add`, without changing x; None for x counts as 0."""
        return self.add(self.zeros() if x is None else x, y)

    def scalar_mul(self, x: Tree, a: Value) -> Tree:
        return self._each(lambda leaf: leaf * a, x)

    def covector(self, x: Tree) -> Tree:
        """Return the complex conjugate, which converts between elements and adjoints."""
        return self._each(conj, x)

    def inner_prod(self, x: Tree, y: Tree) -> Value:
        """Return the real inner product of x and y: the sum of Re(conj(a)·b) over all numbers of all leaves."""
        total: Value = 0.0
        for a, b in zip(flatten_tree(x)[0], flatten_tree(y)[0], strict=True):
            product = real(conj(a) * b)
            total = total + (np.sum(product) if shape(product) else product)
        return total


def vspace(value: Tree) -> Space:
    """Return the space of a value."""
    return Space(value)
