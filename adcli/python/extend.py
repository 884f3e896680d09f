"""What extensions of autograd are written against: rules for several arguments, spaces, checkpoints.

`primitive`, `defvjp` and `defjvp` are those of `adcli.python`.  There are no boxes: a function sees plain values, and
NumPy's functions take traced values as they are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import wraps
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from ..graph.overloading import TracingProblem, plain
from ..numbers.numpy_arrays import np
from ..overriding import override
from .core.containers import flatten, flattened
from .core.evaluation import Differentiable, real
from .core.traced import Traced, is_complex, number, shape
from .gradient_check import check_grads, combo_check
from .primitives import Registered, defjvp, defvjp, primitive
from .transforms import jvp, vjp

if TYPE_CHECKING:
    from .core.containers import Tree
    from .core.traced import Keywords, Value

__all__ = [
    "Space",
    "check_grads",
    "checkpoint",
    "combo_check",
    "def_linear",
    "defjvp",
    "defjvp_argnum",
    "defjvp_argnums",
    "defvjp",
    "defvjp_argnum",
    "defvjp_argnums",
    "getval",
    "isbox",
    "notrace_primitive",
    "primitive",
    "vspace",
]  # fmt: skip

P = ParamSpec("P")
R = TypeVar("R")
Rule = Callable[..., Any]


# --- rules for several arguments --------------------------------------------------------------------------------------


def defvjp_argnums(function: Registered[P, R], maker: Rule) -> None:
    """Registers one rule for the way back to all arguments of a primitive.

    `maker(argnums, ans, args, kwargs)` returns the map from the adjoint of the result to the shares of the arguments at
    these positions, in order.  Raises TracingProblem if `function` is not a primitive.
    """
    _registered(function).joint_pull = maker


def defvjp_argnum(function: Registered[P, R], maker: Rule) -> None:
    """The same by one argument: `maker(argnum, ans, args, kwargs)` returns the map to the share of one of them."""

    def together(argnums: Sequence[int], ans: Value, args: Sequence[Tree], kwargs: Keywords) -> Rule:
        ways = [maker(k, ans, args, kwargs) for k in argnums]
        return lambda g: [way(g) for way in ways]

    defvjp_argnums(function, together)


def defjvp_argnums(function: Registered[P, R], rule: Rule) -> None:
    """Registers one rule for the tangents of all arguments of a primitive.

    `rule(argnums, tangents, ans, args, kwargs)` is what they add to the tangent of the result.  Raises TracingProblem
    if `function` is not a primitive.
    """
    _registered(function).joint_push = rule


def defjvp_argnum(function: Registered[P, R], rule: Rule) -> None:
    """The same by one argument: `rule(argnum, tangent, ans, args, kwargs)` is the share of one of them."""

    def together(
        argnums: Sequence[int], dots: Sequence[Tree], ans: Value, args: Sequence[Tree], kwargs: Keywords
    ) -> Tree:
        first, *rest = [rule(k, dot, ans, args, kwargs) for k, dot in zip(argnums, dots, strict=True)]
        for share in rest:
            first = first + share
        return first

    defjvp_argnums(function, together)


def def_linear(function: Registered[P, R]) -> None:
    """Registers that a primitive is linear in each of its arguments, which is how tangents pass through it."""
    defjvp_argnum(
        function, lambda k, dot, ans, args, kwargs: function(*args[:k], dot, *args[k + 1 :], **kwargs)
    )  # fmt: skip


def _registered(function: Registered[P, R]) -> Registered[P, R]:
    if not isinstance(function, Registered):
        raise TracingProblem(f"{function!r} is not a primitive", help="write @primitive above its definition")
    return function


def notrace_primitive(function: Callable[P, R]) -> Callable[P, R]:
    """The function of plain values, whose result does not count as depending on anything."""

    @wraps(function)
    def untraced(*arguments: P.args, **keywords: P.kwargs) -> R:
        leaves, structure = flattened((arguments, keywords))
        positional, named = structure.build([plain(leaf) for leaf in leaves])
        return function(*positional, **named)

    return untraced


def isbox(x: object) -> bool:
    """Whether something is a traced value."""
    return isinstance(x, Traced)


def getval(x: Tree) -> Tree:
    """The number or array inside of a traced value; anything else as it is."""
    return plain(x)


def checkpoint(function: Callable[P, R]) -> Callable[P, R]:
    """The function, of whose run nothing is kept for a reverse sweep: it is run once more when the sweep meets it.

    Arguments and results may be containers; keywords are differentiated too.
    """

    @wraps(function)
    def kept(*arguments: P.args, **keywords: P.kwargs) -> R:
        leaves, structure = flattened((arguments, keywords))
        places = [k for k, leaf in enumerate(leaves) if isinstance(leaf, Traced)]
        if not places:
            return function(*arguments, **keywords)
        packed, build = flatten([leaves[k] for k in places])
        results: list[Callable[[Value], Tree]] = []

        def run(vector: Value) -> Value:
            inside = list(leaves)
            for k, leaf in zip(places, build(vector), strict=True):
                inside[k] = leaf
            positional, named = structure.build(inside)
            found, back = flatten(function(*positional, **named))
            results[:] = [back]
            return found

        once = Differentiable(
            f"checkpoint of {getattr(function, '__name__', 'a function')}", run,
            pull=lambda k, g, z, vector: vjp(run)(vector)[1](g),
            push=lambda k, dot, z, vector: jvp(run)(vector)(dot)[1],
        )  # fmt: skip
        vector = once(packed)
        result: R = results[0](vector)
        return result

    return kept


# --- spaces -----------------------------------------------------------------------------------------------------------


class Space:
    """The space of a value: a number, an array or a container of them, traced or not.

    Its methods take and give values of it; they are ordinary functions, which may be differentiated.
    """

    def __init__(self, value: Tree) -> None:
        leaves, self._structure = flattened(number(value))
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
        """The shape of an array.  Raises TracingProblem for containers."""
        if self._structure.steps != [None]:
            raise TracingProblem("a container has no shape", help="ask for the spaces of its parts")
        return tuple(self._leaves[0].shape)

    @property
    def size(self) -> int:
        """Its dimension: complex numbers count twice."""
        return sum(leaf.size * (2 if leaf.dtype.kind == "c" else 1) for leaf in self._leaves)

    @property
    def iscomplex(self) -> bool:
        return any(leaf.dtype.kind == "c" for leaf in self._leaves)

    def _made(self, each: Callable[[Any], Any]) -> Tree:
        return self._structure.build([number(each(leaf)) for leaf in self._leaves])

    def zeros(self) -> Tree:
        return self._made(np.zeros_like)

    def ones(self) -> Tree:
        """The sum of the standard basis."""
        return self._made(lambda leaf: np.full_like(leaf, 1 + 1j if leaf.dtype.kind == "c" else 1))

    def randn(self) -> Tree:
        """A random element, by `numpy.random`."""

        def each(leaf: Any) -> Any:
            found = np.random.standard_normal(leaf.shape)
            if leaf.dtype.kind == "c":
                found = found + 1j * np.random.standard_normal(leaf.shape)
            return np.asarray(found).astype(leaf.dtype)

        return self._made(each)

    def standard_basis(self) -> Iterator[Tree]:
        """Each unit element, and each imaginary one."""
        for k, leaf in enumerate(self._leaves):
            for place in range(leaf.size):
                for unit in (1, 1j) if leaf.dtype.kind == "c" else (1,):
                    parts = [np.zeros_like(other) for other in self._leaves]
                    parts[k].flat[place] = unit
                    yield self._structure.build([number(part) for part in parts])

    def _each(self, each: Callable[..., Value], *values: Tree) -> Tree:
        parts = [flattened(value)[0] for value in values]
        return self._structure.build([each(*leaves) for leaves in zip(*parts, strict=True)])

    def add(self, x: Tree, y: Tree) -> Tree:
        return self._each(lambda a, b: a + b, x, y)

    def mut_add(self, x: Tree | None, y: Tree) -> Tree:
        """The sum, as `add`: nothing is changed."""
        return self.add(self.zeros() if x is None else x, y)

    def scalar_mul(self, x: Tree, a: Value) -> Tree:
        return self._each(lambda leaf: leaf * a, x)

    def covector(self, x: Tree) -> Tree:
        """The conjugate, which makes adjoints elements and elements adjoints."""
        return self._each(lambda leaf: np.conjugate(leaf) if is_complex(leaf) else leaf, x)

    def inner_prod(self, x: Tree, y: Tree) -> Value:
        """The real inner product."""
        total: Value = 0.0
        for a, b in zip(flattened(x)[0], flattened(y)[0], strict=True):
            product = real((np.conjugate(a) if is_complex(a) else a) * b)
            total = total + (np.sum(product) if shape(product) else product)
        return total


def vspace(value: Tree) -> Space:
    """The space that a value lies in."""
    return Space(value)
