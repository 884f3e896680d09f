"""Primitives and the other functions that users call.

Those of the table, by name, and their own with `defvjp`, `defjvp`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import update_wrapper

from ..graph.overloading import TracingProblem
from ..graph.rules import check_count
from ..table.primitive import lookup
from ..typings import Any, Generic, ParamSpec, TypeVar, cast, override
from .core.containers import Tree, flatten, flatten_tree
from .core.evaluation import apply, call
from .core.traced import Function, Keywords, Linear, Traced, Value, Values, fast_function, zeros_like
from .traces import missing

_SAME = "same"
P = ParamSpec("P")
R = TypeVar("R")
T = TypeVar("T")


def function(name: str) -> Callable[..., Any] | None:  # the result is of the kind of the arguments
    """Return the function of the table with this name or alias; None if the table does not have `name`.

    The function takes numbers, Nodes, arrays and traced values. It returns a number, a Node, or an array in the shape
    to which the arguments are broadcast. It raises ArityProblem for another number of arguments, DomainProblem for
    numbers outside of its domain (arrays have nan there), and TracingProblem for an argument that is not a number.
    """
    row = lookup(name)
    if row is None:
        return None

    quick = fast_function(row.name)

    def call(*arguments: Value) -> Value:
        """Return the value at these arguments.  Raises ArityProblem, DomainProblem and TracingProblem."""
        if quick is not None and len(arguments) == 1 and (quick_result := quick(arguments[0])) is not None:
            return quick_result
        check_count(row, len(arguments))
        result = apply(row, arguments)
        if result is NotImplemented:
            title = f"the function {row.name} takes only numbers and arrays"
            raise TracingProblem(title, label=f"the arguments are {arguments!r}", help="convert the arguments first")
        return result

    call.__name__ = call.__qualname__ = row.name
    call.__module__ = __package__  # pickle imports it from here by its name
    call.__doc__ = f"{row.summary or row.name}"
    return call


class Registered(Generic[P, R]):
    """A primitive: a function of plain values whose derivative is computed by rules, not by tracing its operations.

    pulls       {position of an argument: rule for its adjoint, as `defvjp` takes it}
    pushes      {position of an argument: rule for its tangent, as `defjvp` takes it}; in both None means that the
                result does not depend on the argument
    joint_pull  a rule for the adjoints of several arguments at once, joint_push for tangents; None if not defined
    """

    def __init__(self, function: Callable[P, R]) -> None:
        """Make a primitive of `function`, with its name and docstring and without any rules yet."""
        self.name = getattr(function, "__name__", type(function).__name__)
        self.plain: Function = function
        self.pulls: dict[int, Callable[..., Linear] | None] = {}
        self.pushes: dict[int, Function | str | None] = {}
        # Rules for several arguments at once, called with (positions, result, arguments, keywords) in reverse mode and
        # with (positions, tangents, result, arguments, keywords) in forward mode.
        self.joint_pull: Callable[..., Callable[[Value], Sequence[Value | None]]] | None = None
        self.joint_push: Function | None = None
        update_wrapper(self, function, updated=())

    @override
    def __repr__(self) -> str:
        return f"<primitive {self.name}>"

    def __call__(self, *arguments: P.args, **keywords: P.kwargs) -> R:
        """Return the value of the function; the call is recorded as one operation if arguments are traced.

        The traced arguments are packed into one vector (Packed) if one of them is a container, or if a joint rule
        exists and more than one argument is traced. Raises TracingProblem for a traced value that is passed by keyword.
        """
        for keyword, a in keywords.items():
            if any(isinstance(leaf, Traced) for leaf in flatten_tree(a)[0]):
                title = f"the function {self.name} got the traced argument {keyword} by keyword"
                raise TracingProblem(title, help=f"pass the argument {keyword} by position")
        traced = [k for k, a in enumerate(arguments) if any(isinstance(leaf, Traced) for leaf in flatten_tree(a)[0])]
        joint = self.joint_pull is not None or self.joint_push is not None
        if (joint and len(traced) > 1) or not all(isinstance(arguments[k], Traced) for k in traced):
            packed, build = flatten([arguments[k] for k in traced])
            return cast("R", call(Packed(self, arguments, traced, build), (packed,), keywords))
        return cast("R", call(self, arguments, keywords))

    def pull(self, k: int, z: Value, arguments: Values, keywords: Keywords) -> Linear | None:
        """Return the map from an adjoint of the result `z` to that of argument k.

        The first that applies:

        - A reverse rule for k: its map, or the map that returns None if the rule is None.
        - A joint reverse rule: its map.
        - No forward rule for k, or only "same", and no joint forward rule: MissingRule is raised.
        - Otherwise None: the forward rule can be transposed.

        `arguments` and `keywords` are those of the call, without the trace.
        """
        if k in self.pulls:
            maker = self.pulls[k]
            return (lambda _: None) if maker is None else maker(z, *arguments, **keywords)
        if self.joint_pull is not None:
            together = self.joint_pull((k,), z, arguments, keywords)
            return lambda g: next(iter(together(g)))
        if self.joint_push is None and self.pushes.get(k, _SAME) == _SAME:
            raise missing(self.name)  # "same" would transpose the primitive itself, whose operations are not recorded
        return None

    def push(self, k: int, z: Value, arguments: Values, keywords: Keywords) -> Linear | None:
        """Return the map from the tangent of argument k to what it contributes to the tangent of the result `z`.

        The map uses the forward rule for k, or without one the joint rule; None if neither exists. The rule "same"
        applies the function itself to the tangent. The rule None gives the map that returns None. `arguments` and
        `keywords` are those of the call, without the trace.
        """
        if k not in self.pushes:
            together = self.joint_push
            return None if together is None else lambda dot: together((k,), (dot,), z, arguments, keywords)
        rule = self.pushes[k]
        if isinstance(rule, str):
            return lambda dot: call(self, (*arguments[:k], dot, *arguments[k + 1 :]), keywords)
        return lambda dot: None if rule is None else rule(dot, z, *arguments, **keywords)


class Packed:
    """A primitive as a function of one vector, which holds all numbers of the arguments at the positions `traced`.

    `build` makes these arguments from the vector; it is used for containers, and for several arguments with a joint
    rule.
    """

    def __init__(
        self, function: Registered[..., Any], arguments: Sequence[Tree], traced: Sequence[int],
        build: Callable[..., Tree],
    ) -> None:  # fmt: skip
        """Keep the primitive `function` and its `arguments`, of which those at the positions `traced` come from the
        vector.
        """
        self.name = function.name
        self._primitive, self._arguments, self._traced, self._build = function, arguments, traced, build

    def _unpack_arguments(self, packed: Value) -> list[Tree]:
        """Return all arguments of the primitive, with those from the vector in their places."""
        arguments = list(self._arguments)
        for k, a in zip(self._traced, self._build(packed), strict=True):
            arguments[k] = a
        return arguments

    def plain(self, *packed: Value, **keywords: object) -> Value:
        """Return the value of the primitive for a vector of plain numbers."""
        return self._primitive.plain(*self._unpack_arguments(packed[0]), **keywords)

    def pull(self, _: int, z: Value, packed: Values, keywords: Keywords) -> Linear | None:
        """Return the map from an adjoint of the result `z` to the adjoint of the packed vector.

        It uses the joint rule, or without one the rules of each traced argument. None if one of these arguments has
        only a rule for tangents. Raises MissingRule if one of them has no rule, or only "same". `packed` has the vector
        as its only item.
        """
        arguments, primitive = self._unpack_arguments(packed[0]), self._primitive
        if primitive.joint_pull is not None:
            together = primitive.joint_pull(tuple(self._traced), z, arguments, keywords)
            return lambda g: self._as_vector(together(g), arguments)
        ways = [primitive.pull(k, z, arguments, keywords) for k in self._traced]
        known = [way for way in ways if way is not None]
        return (lambda g: self._as_vector([way(g) for way in known], arguments)) if len(known) == len(ways) else None

    def _as_vector(self, adjoints: Iterable[Tree], arguments: Sequence[Tree]) -> Value:
        """Return the adjoints of the traced arguments as one vector; zeros for an argument whose adjoint is None.

        `arguments` are all arguments; `adjoints` has an item for each traced one. Raises TracingProblem if an adjoint
        has another number of leaves than its argument (None as a part of a container is no leaf), ValueError if the
        number of adjoints differs.
        """
        leaf_adjoints = []
        for adjoint, k in zip(adjoints, self._traced, strict=True):
            leaves = flatten_tree(arguments[k])[0]
            parts: list[Value | None] = (
                [None] * len(leaves) if adjoint is None else flatten_tree(adjoint, arguments[k])[0]
            )
            if len(parts) != len(leaves):
                title = f"a rule of the function {self.name} returns another structure than that of the argument"
                raise TracingProblem(title, label=f"the number of parts is {len(parts)} instead of {len(leaves)}")
            leaf_adjoints += [zeros_like(x) if part is None else part for part, x in zip(parts, leaves, strict=True)]
        return flatten(leaf_adjoints)[0]

    def push(self, _: int, z: Value, packed: Values, keywords: Keywords) -> Linear | None:
        """Return the map from a tangent of the packed vector to the tangent of the result `z`.

        It uses the joint rule, or without one the sum over the traced arguments; the map returns None if none of them
        contributes. Return None instead of a map if there is no joint rule and one of these arguments has no forward
        rule. `packed` has the vector as its only item.
        """
        arguments, primitive = self._unpack_arguments(packed[0]), self._primitive
        if primitive.joint_push is None and not all(k in primitive.pushes for k in self._traced):
            return None

        def push_vector(dot: Value) -> Value | None:
            """Return the sum of the contributions of the arguments to the tangent; None if there are none."""
            dots = self._build(dot)
            if primitive.joint_push is not None:
                return primitive.joint_push(tuple(self._traced), dots, z, arguments, keywords)
            total = None
            for k, part in zip(self._traced, dots, strict=True):
                way = primitive.push(k, z, arguments, keywords)
                contribution = None if way is None else way(part)
                if contribution is not None:
                    total = contribution if total is None else total + contribution
            return total

        return push_vector


def primitive(function: Callable[P, R]) -> Registered[P, R]:
    """Return the function as a primitive: one operation of every trace; `defvjp` or `defjvp` adds its rule.

    `function` takes numbers, arrays and containers of them by position, arguments that are not differentiated also by
    keyword, and returns one number or array.  Each call returns a new primitive, without rules.  Its operations are not
    recorded: it gets plain values only.  One of the two rules is enough.  Differentiating it without a rule raises
    MissingRule, passing it traced values by keyword TracingProblem.
    """
    return Registered(function)


def defvjp(
    function: Registered[P, R], *makers: Callable[..., Linear] | None, argnums: Sequence[int] | None = None
) -> None:
    """Register the reverse rule of a primitive for each argument.

    Each maker takes the result and the arguments, `(ans, *arguments, **keywords)`. It returns a map: from the adjoint
    of the result, in its shape, to the contribution to the adjoint of that argument, in the shape of the argument. None
    means no dependence.  The makers are for the arguments in order, or for those at the positions `argnums`.  Raises
    TracingProblem if `function` is not a primitive, or if the numbers of makers and positions differ.
    """
    _add_rules(find_registered(function).pulls, makers, argnums)


def defjvp(function: Registered[P, R], *rules: Function | str | None, argnums: Sequence[int] | None = None) -> None:
    """Register the forward rule of a primitive for each argument.

    A rule is called as `(dot, ans, *arguments, **keywords)`: the tangent, in the shape of its argument, the result and
    the arguments. It returns the contribution to the tangent of the result, in the shape of the result. "same" means
    that the function is linear in this argument (which gives no reverse rule), None that it does not depend on it. The
    rules are for the arguments in order, or for those at the positions `argnums`. Raises TracingProblem if `function`
    is not a primitive, for any other text, or if the numbers of rules and positions differ.
    """
    for rule in rules:
        if isinstance(rule, str) and rule != _SAME:
            raise TracingProblem(f"{rule!r} is not a rule", help='a rule is a function, None, or "same"')
    _add_rules(find_registered(function).pushes, rules, argnums)


def find_registered(function: Registered[P, R]) -> Registered[P, R]:
    """Return the function itself.  Raises TracingProblem if it is not a primitive."""
    if not isinstance(function, Registered):
        raise TracingProblem(
            f"{function!r} is not a primitive", help="write @primitive above the definition of the function"
        )
    return function


def _add_rules(rules: dict[int, T], added: Sequence[T], argnums: Sequence[int] | None) -> None:
    """Add the rules `added` to `rules` in place, by the positions `argnums` (None: 0, 1, …), instead of earlier ones.

    Raises TracingProblem if the numbers of rules and positions differ.
    """
    places = range(len(added)) if argnums is None else argnums
    if len(places) != len(added):
        title = f"the numbers of rules and of arguments differ: {len(added)} and {len(places)}"
        raise TracingProblem(title, help="give one rule for each argument")
    rules.update(zip(places, added, strict=True))
