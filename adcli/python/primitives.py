"""The functions that users call: those of the table, by name, and their own: `@primitive`, `defvjp`, `defjvp`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial, update_wrapper
from typing import TYPE_CHECKING, Any, Generic, ParamSpec, TypeVar, cast

from ..graph.overloading import TracingProblem
from ..graph.rules import check_count
from ..overriding import override
from ..table.primitive import lookup
from .core.containers import flatten, flattened
from .core.evaluation import apply, call
from .core.traced import Traced, swift, zeros_like
from .traces import missing

if TYPE_CHECKING:
    from .core.containers import Tree
    from .core.traced import Keywords, Linear, Value

_SAME = "same"
P = ParamSpec("P")
R = TypeVar("R")
T = TypeVar("T")


def function(name: str) -> Callable[..., Any] | None:  # the result is of the kind of the arguments
    """The function that a name or an alias of the table stands for; None where there is none.

    It takes numbers, Nodes, arrays and traced values, and gives a number, a Node, or an array in the shape that its
    arguments are broadcast to.  It raises ArityProblem for another number of arguments, DomainProblem for numbers
    outside of its domain (arrays have nan there), and TracingProblem for what is no number.
    """
    row = lookup(name)
    if row is None:
        return None

    quick = swift(row.name)

    def called(*arguments: Value) -> Value:
        if quick is not None and len(arguments) == 1 and (done := quick(arguments[0])) is not None:
            return done
        check_count(row, len(arguments))
        found = apply(row, arguments)
        if found is NotImplemented:
            raise TracingProblem(
                f"{row.name} takes numbers and arrays", label=f"it was given {arguments!r}", help="convert them first"
            )
        return found

    called.__name__ = called.__qualname__ = row.name
    called.__module__ = __package__  # where it is found by this name, which is how it travels
    called.__doc__ = f"{row.summary or row.name}"
    return called


class Registered(Generic[P, R]):
    """A function that is not looked into: its derivative is what its rules say."""

    def __init__(self, function: Callable[P, R]) -> None:
        self.name = getattr(function, "__name__", type(function).__name__)
        self.plain: Callable[..., Value] = function
        self.pulls: dict[int, Callable[..., Linear] | None] = {}
        self.pushes: dict[int, Callable[..., Value] | str | None] = {}
        # Rules for several arguments at once: `(positions, result, arguments, keywords)`, and with tangents before the
        # result.
        self.joint_pull: Callable[..., Callable[[Value], Sequence[Value | None]]] | None = None
        self.joint_push: Callable[..., Value] | None = None
        update_wrapper(self, function, updated=())

    @override
    def __repr__(self) -> str:
        return f"<primitive {self.name}>"

    def __call__(self, *arguments: P.args, **keywords: P.kwargs) -> R:
        for keyword, a in keywords.items():
            if any(isinstance(leaf, Traced) for leaf in flattened(a)[0]):
                raise TracingProblem(
                    f"{self.name} was given the traced value {keyword} by keyword", help="give it by position"
                )
        asked = [k for k, a in enumerate(arguments) if any(isinstance(leaf, Traced) for leaf in flattened(a)[0])]
        joint = self.joint_pull is not None or self.joint_push is not None
        if (joint and len(asked) > 1) or not all(isinstance(arguments[k], Traced) for k in asked):
            packed, build = flatten([arguments[k] for k in asked])
            return cast("R", call(Packed(self, arguments, asked, build), (packed,), keywords))
        return cast("R", call(self, arguments, keywords))

    def pull(self, k: int, z: Value, arguments: Sequence[Value], keywords: Keywords) -> Linear | None:
        if k in self.pulls:
            maker = self.pulls[k]
            return _nothing if maker is None else maker(z, *arguments, **keywords)
        if self.joint_pull is not None:
            together = self.joint_pull((k,), z, arguments, keywords)
            return lambda g: next(iter(together(g)))
        if self.joint_push is None and self.pushes.get(k, _SAME) == _SAME:
            raise missing(self.name)  # what is not looked into cannot be turned round by itself
        return None

    def push(self, k: int, z: Value, arguments: Sequence[Value], keywords: Keywords) -> Linear | None:
        if k not in self.pushes:
            together = self.joint_push
            return None if together is None else lambda dot: together((k,), (dot,), z, arguments, keywords)
        rule = self.pushes[k]
        if isinstance(rule, str):
            return lambda dot: call(self, (*arguments[:k], dot, *arguments[k + 1 :]), keywords)
        return _nothing if rule is None else lambda dot: rule(dot, z, *arguments, **keywords)


def _each(ways: Sequence[Linear], g: Value) -> list[Value | None]:
    """Return the share of each argument in an adjoint, by the way back to it."""
    return [way(g) for way in ways]


class Packed:
    """A primitive of the numbers of some of its arguments in one vector: of containers, or of several by one rule."""

    def __init__(
        self, of: Registered[..., Any], arguments: Sequence[Tree], asked: Sequence[int], build: Callable[..., Tree]
    ) -> None:
        self.name = of.name
        self._of, self._arguments, self._asked, self._build = of, arguments, asked, build

    def _opened(self, packed: Value) -> list[Tree]:
        arguments = list(self._arguments)
        for k, a in zip(self._asked, self._build(packed), strict=True):
            arguments[k] = a
        return arguments

    def plain(self, *packed: Value, **keywords: object) -> Value:
        return self._of.plain(*self._opened(packed[0]), **keywords)

    def pull(self, _: int, z: Value, packed: Sequence[Value], keywords: Keywords) -> Linear | None:
        arguments, of = self._opened(packed[0]), self._of
        if of.joint_pull is not None:
            together = of.joint_pull(tuple(self._asked), z, arguments, keywords)
        else:
            ways = [of.pull(k, z, arguments, keywords) for k in self._asked]
            if None in ways:
                return None
            together = partial(_each, [way for way in ways if way is not None])
        return lambda g: self._shares(together(g), arguments)

    def _shares(self, shares: Iterable[Tree], arguments: Sequence[Tree]) -> Value:
        """The shares of all arguments as one vector."""
        found = []
        for share, k in zip(shares, self._asked, strict=True):
            leaves = flattened(arguments[k])[0]
            parts: list[Value | None] = [None] * len(leaves) if share is None else flattened(share, arguments[k])[0]
            if len(parts) != len(leaves):
                raise TracingProblem(
                    f"a rule of {self.name} gives another structure than that of the argument",
                    label=f"{len(parts)} parts for {len(leaves)}",
                )
            found += [zeros_like(x) if part is None else part for part, x in zip(parts, leaves, strict=True)]
        return flatten(found)[0]

    def push(self, _: int, z: Value, packed: Sequence[Value], keywords: Keywords) -> Linear | None:
        arguments, of = self._opened(packed[0]), self._of
        if of.joint_push is None and not all(k in of.pushes for k in self._asked):
            return None

        def moved(dot: Value) -> Value | None:
            dots = self._build(dot)
            if of.joint_push is not None:
                return of.joint_push(tuple(self._asked), dots, z, arguments, keywords)
            total = None
            for k, part in zip(self._asked, dots, strict=True):
                way = of.push(k, z, arguments, keywords)
                share = None if way is None else way(part)
                if share is not None:
                    total = share if total is None else total + share
            return total

        return moved


def _nothing(_: Value) -> None:
    return None


def primitive(function: Callable[P, R]) -> Registered[P, R]:
    """The function as one operation of every trace; `defvjp` or `defjvp` gives its rule, and one of them is enough.

    `function` takes numbers, arrays and containers of them by position, and what is not differentiated by keyword too,
    and returns one number or array.  It is never looked into: it sees plain values alone.  Differentiating it without a
    rule raises MissingRule, giving it traced values by keyword TracingProblem.
    """
    return Registered(function)


def defvjp(
    function: Registered[P, R], *makers: Callable[..., Linear] | None, argnums: Sequence[int] | None = None
) -> None:
    """Registers the way back through a primitive, for each argument.

    Each maker takes the result and the arguments, `(ans, *arguments, **keywords)`, and returns the map from the
    adjoint of the result, in its shape, to the share for that argument, in the shape of the argument; None stands for
    no dependence.  The makers are for the arguments in order, or for those at the positions `argnums`.  Raises
    TracingProblem if `function` is no primitive, or for another number of makers than of positions.
    """
    _filled(function, function.pulls if isinstance(function, Registered) else {}, makers, argnums)


def defjvp(
    function: Registered[P, R], *rules: Callable[..., Value] | str | None, argnums: Sequence[int] | None = None
) -> None:
    """Registers how tangents pass through a primitive, for each argument.

    Each rule takes the tangent, in the shape of the argument, the result and the arguments,
    `(dot, ans, *arguments, **keywords)`, and returns what is added to the tangent of the result, in its shape; "same"
    says that the function is linear in that argument (which tells nothing about the way back), None that there is no
    dependence.  The rules are for the arguments in order, or for those at the positions `argnums`.  Raises
    TracingProblem if `function` is no primitive, for another text, or for another number of rules than of positions.
    """
    for rule in rules:
        if isinstance(rule, str) and rule != _SAME:
            raise TracingProblem(f"{rule!r} is no rule", help='a rule is a function, None, or "same"')
    _filled(function, function.pushes if isinstance(function, Registered) else {}, rules, argnums)


def _filled(function: Registered[P, R], rules: dict[int, T], given: Sequence[T], argnums: Sequence[int] | None) -> None:
    if not isinstance(function, Registered):
        raise TracingProblem(f"{function!r} is no primitive", help="put @primitive above its definition")
    places = range(len(given)) if argnums is None else argnums
    if len(places) != len(given):
        raise TracingProblem(f"{len(given)} rules are given for {len(places)} arguments", help="give one for each")
    rules.update(zip(places, given, strict=True))
