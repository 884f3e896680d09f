"""The two kinds of differentiation: a tape that is swept backwards, and tangents that are carried along."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..graph.overloading import plain
from ..numbers.arrays import np
from .operation import Operation, Usage, constant, fitted, times
from .parts import Gathered, Piece, begun
from .traced import Traced, lift, number
from .values import is_complex, shape

Map = Callable[[Any], Any]
_DOUBLES = (float, int)


class Tape:
    """Reverse mode.  `edges` has for each place the places of its arguments with the way back to each.

    A way back is a number to multiply the adjoint with, or a linear map.
    """

    __slots__ = ("edges", "level")

    def __init__(self, level: int) -> None:
        self.level = level
        self.edges: list[Any] = []

    def input(self, value: Any) -> Traced:
        """A value that the derivative is asked for."""
        return self._recorded(value, ())

    def _recorded(self, value: Any, edges: tuple[tuple[int, Any], ...]) -> Traced:
        self.edges.append(edges)
        return lift(value, self, len(self.edges) - 1)

    def elementwise(self, operation: Operation, sources: list[int], arguments: Sequence[Any]) -> Traced:
        z, inside = operation.z, operation.inside
        if type(plain(z)) is float and all(type(plain(a)) in _DOUBLES for a in inside):
            edges = tuple([(arguments[k].mark, operation.partial(k)) for k in sources])
        else:
            edges = tuple([(arguments[k].mark, _way(operation, k)) for k in sources])
        return self._recorded(z, edges)

    def general(self, usage: Usage, sources: list[int], arguments: Sequence[Any]) -> Traced:
        return self._recorded(usage.z, tuple([(arguments[k].mark, _Back(usage, k)) for k in sources]))

    def adjoints(self, seeds: Mapping[int, Any], wanted: Sequence[int], once: bool = False) -> list[Any]:
        """The derivative of the seeded combination of places with respect to the wanted ones; None for no dependence.

        Adjoints are let go as soon as they have been handed on, and with `once` the tape as well.
        """
        edges = self.edges
        bars: list[Any] = [None] * len(edges)
        for place, seed in seeds.items():
            bars[place] = seed if bars[place] is None else bars[place] + seed
        for place in range(max(seeds, default=-1), -1, -1):
            bar = bars[place]
            ways = edges[place]
            if bar is None or not ways:
                continue
            bars[place] = None
            if once:
                edges[place] = ()
            if type(bar) is Gathered:
                bar = bar.array
            for parent, way in ways:
                kind = type(way)
                if kind is float:
                    share = bar * way
                elif kind is int:
                    if way == 0:
                        continue
                    share = bar if way == 1 else -bar if way == -1 else bar * way
                    if type(share) is not float:
                        bars[parent] = _joined(bars[parent], share)
                        continue
                elif callable(way):
                    share = way(bar)
                    if share is not None:
                        bars[parent] = _joined(bars[parent], share)
                    continue
                else:
                    share = bar * way
                before = bars[parent]
                bars[parent] = share if before is None else before + share
        found = [bars[place] for place in wanted]
        return [bar.array if type(bar) is Gathered else bar for bar in found]


def _joined(before: Any, share: Any) -> Any:
    """The sum of contributions; from the second on they are gathered in one array that is nobody else's."""
    if type(share) is Piece:
        gathered = before if type(before) is Gathered else Gathered(begun(share, before))
        gathered.add(share)
        return gathered
    if before is None:
        return share
    if type(before) is Gathered:
        return before.plus(share)
    total = before + share
    return Gathered(total) if type(total) is np.ndarray else total


def _way(operation: Operation, k: int) -> Any:
    """The way back to one argument: a whole number where that is all, so that the tape need not keep the operation."""
    weight = constant(operation.row.name, k)
    z, x = operation.z, operation.inside[k]
    return (
        weight
        if weight is not None and shape(z) == shape(x) and is_complex(z) == is_complex(x)
        else _Share(operation, k)
    )


class _Share:
    """The way back through a function of the table to one argument."""

    __slots__ = ("k", "operation")

    def __init__(self, operation: Operation, k: int) -> None:
        self.operation = operation
        self.k = k

    def __call__(self, g: Any) -> Any:
        return fitted(self.operation.share(g, self.k), self.operation.inside[self.k])


class _Back:
    """The way back through a rule to one argument; the map is made when it is first gone."""

    __slots__ = ("k", "map", "usage")

    def __init__(self, usage: Usage, k: int) -> None:
        self.usage = usage
        self.k = k
        self.map: Map | None = None

    def __call__(self, g: Any) -> Any:
        if self.map is None:
            self.map = self.usage.pull(self.k)
        return _realness(self.map(g), self.usage.inside[self.k])


def _realness(g: Any, x: Any) -> Any:
    return g if g is None or type(g) is Piece or not is_complex(g) or is_complex(x) else g.real


class Tangents:
    """Forward mode: the mark of a value is its tangent."""

    __slots__ = ("level",)
    edges = None

    def __init__(self, level: int) -> None:
        self.level = level

    def input(self, value: Any, tangent: Any) -> Traced:
        """A value that moves by a tangent."""
        return lift(value, self, tangent)

    def elementwise(self, operation: Operation, sources: list[int], arguments: Sequence[Any]) -> Traced:
        shares = [times(arguments[k].mark, operation.partial(k)) for k in sources]
        return self._moving(operation.z, shares)

    def general(self, usage: Usage, sources: list[int], arguments: Sequence[Any]) -> Traced:
        return self._moving(usage.z, [usage.push(k)(arguments[k].mark) for k in sources])

    def _moving(self, z: Any, shares: list[Any]) -> Traced:
        dot: Any = None
        for share in shares:
            if share is not None:
                dot = share if dot is None else dot + share
        return lift(z, self, zeros_like(z) if dot is None else _spread(_realness(number(dot), z), z))


def _spread(dot: Any, z: Any) -> Any:
    """A tangent in the shape of its value, where it came from an argument that was broadcast."""
    return dot if shape(dot) == shape(z) else np.broadcast_to(dot, shape(z))


def zeros_like(x: Any) -> Any:
    """The zero of the space that a value lies in."""
    x = plain(x)
    return np.zeros(x.shape, x.dtype) if shape(x) else 0.0
