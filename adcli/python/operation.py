"""One operation inside a trace: its partials by the row of the table, and how adjoints and tangents meet them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, Protocol

from ..errors import DomainProblem
from ..graph.overloading import plain
from ..graph.rules import partials_at
from ..numbers.arrays import np
from ..table.primitive import ROWS, Primitive
from .kinks import unwatched
from .values import is_complex, shape


@cache
def constant(name: str, k: int) -> int | None:
    """The partial of a row of the table with respect to one argument, where it is the same whole number everywhere."""
    rules = ROWS[name].partials
    rule: Callable[..., object] | None = rules[k] if isinstance(rules, tuple) else None
    if rule is None or not isinstance(rules, tuple):
        return None
    try:
        found = rule(*[None] * (2 + len(rules)))  # which is right where it looks at none of them
    except (TypeError, AttributeError):
        return None
    return found if isinstance(found, int) else None


_NEVER, _ONCE = object(), object()


class Operation:
    """A function of the table with its arguments and its result, inside one trace; the partials when they are asked."""

    __slots__ = ("_found", "inside", "m", "row", "z")

    def __init__(self, row: Primitive, z: Any, inside: tuple[Any, ...], m: Any) -> None:
        self.row = row
        self.z = z
        self.inside = inside
        self.m = m
        self._found: dict[int, Any] = {}

    def partial(self, k: int) -> Any:
        """The partial with respect to one argument, by the convention of the row where it does not exist.

        It is kept when it is asked for again: one sweep needs no partials of arrays after it.
        """
        found = self._found.get(k, _NEVER)
        if found is _NEVER or found is _ONCE:
            partial = self._elementwise(k) if shape(self.z) else self._single(k)
            self._found[k] = _ONCE if found is _NEVER else partial
            return partial
        return found

    def share(self, g: Any, k: int) -> Any:
        """An adjoint times a partial, in the memory of the partial where nobody else has it."""
        partial = self.partial(k)
        if (
            self._found[k] is _ONCE
            and type(g) is type(partial) is np.ndarray
            and partial.base is None
            and (g.shape, g.dtype) == (partial.shape, partial.dtype)
            and not any(partial is x for x in (self.z, *self.inside))
        ):
            found = np.multiply(g, partial, out=partial)
        else:
            found = times(g, partial)
        # What is not asked for contributes nothing, even where it has no derivative: a branch not taken.
        if self.row.domain and shape(found) and not np.isfinite(np.sum(plain(found))):
            return np.where(plain(g) == 0, 0.0, found)
        return found

    def _rule(self, k: int) -> Any:
        rules = self.row.partials
        if not isinstance(rules, tuple):
            return rules(self.m, self.z, *self.inside)[k]
        rule = rules[k]
        return 0 if rule is None else rule(self.m, self.z, *self.inside)

    def _single(self, k: int) -> Any:
        if is_complex(self.z) or any(map(is_complex, self.inside)):
            return self._rule(k)
        wanted = tuple([position == k for position in range(len(self.inside))])
        try:
            with unwatched():
                return partials_at(self.row, self.m, self.z, self.inside, wanted)[k]
        except DomainProblem:  # a rule has divided by 0, and further out the number is not wanted
            return self.m.undefined

    def _elementwise(self, k: int) -> Any:
        """Where the rule gives finite numbers, there is no convention to look for; no derivative where no value is."""
        if any(map(is_complex, self.inside)):
            return self._rule(k)
        kink = self.row.kink(k)
        with np.errstate(all="ignore"):
            found = self._rule(k)
            if kink is not None and kink.slope is not None and not np.isfinite(np.sum(plain(found))):
                found = np.where(kink.holds(self.m, *self.inside), found, kink.slope(self.m, *self.inside))
            if self.row.domain and np.isnan(np.sum(plain(self.z))):
                found = np.where(np.isnan(plain(self.z)), np.nan, found)
        return found


class Function(Protocol):
    """What is differentiated by a rule of its own: a function with `pull` and `push`, and no row of the table.

    `pull(k, z, arguments, keywords)` gives the linear map from an adjoint of the result to its share for argument k,
    `push` the one from a tangent of argument k to its share in that of the result.
    """

    name: str

    def plain(self, *arguments: Any, **keywords: Any) -> Any: ...

    def pull(self, k: int, z: Any, arguments: Sequence[Any], keywords: dict[str, Any]) -> Callable[[Any], Any]: ...

    def push(self, k: int, z: Any, arguments: Sequence[Any], keywords: dict[str, Any]) -> Callable[[Any], Any]: ...


class Usage:
    """A function with rules of its own, with its arguments and its result, inside one trace."""

    __slots__ = ("function", "inside", "keywords", "z")

    def __init__(self, function: Function, z: Any, inside: Sequence[Any], keywords: dict[str, Any]) -> None:
        self.function = function
        self.z = z
        self.inside = inside
        self.keywords = keywords

    def pull(self, k: int) -> Callable[[Any], Any]:
        return self.function.pull(k, self.z, self.inside, self.keywords)

    def push(self, k: int) -> Callable[[Any], Any]:
        return self.function.push(k, self.z, self.inside, self.keywords)


def times(x: Any, weight: Any) -> Any:
    """An adjoint or a tangent times a partial, without operations for those that are whole by their rule."""
    if type(weight) is int:
        return x if weight == 1 else -x if weight == -1 else None if weight == 0 else x * weight
    return x * weight


def fitted(g: Any, x: Any) -> Any:
    """What an adjoint is to an argument that was broadcast, or that is real among complex ones."""
    if g is None or (type(g) is type(x) and hasattr(g, "dtype") and g.shape == x.shape and g.dtype == x.dtype):
        return g
    have, want = shape(g), shape(x)
    if have != want:
        extra = len(have) - len(want)
        spread = tuple(k for k, n in enumerate(have) if k < extra or (want[k - extra] == 1 and n != 1))
        g = np.reshape(np.sum(g, axis=spread), want) if want else np.sum(g)
    return g.real if is_complex(g) and not is_complex(x) else g
