"""Portions of a problem's sums and products: `b*c` of `a*b*c`, `b - a` of `c - a + b`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import chain, combinations, product
from math import isclose, prod

from ...graph.graph import Graph
from ...graph.rules import apply
from ...numbers.doubles import FLOAT
from ...table.primitive import PRODUCT, SUM, Primitive
from .edits import level_of

_MOST_PARTS, _MOST = 8, 2_000  # operands of one sum or product, and portions of a problem
_AGREE = 1e-9

Part = tuple[int, int]  # a slot, and 1 or -1: its sign in a sum, its exponent in a product
Numbers = tuple[float, ...]  # one at each point


class Portions:
    """The portions of all sums and products of a graph, identified by their values at some points."""

    def __init__(self, graph: Graph, values: Sequence[Sequence[float]]) -> None:
        """Collect the portions of `graph`; `values` are those of all its slots, for each point."""
        self.graph, self.values = graph, values
        self.found = list(self._all())

    def have(self, numbers: Sequence[float]) -> bool:
        """Return whether a row with these values, one at each point, is a portion."""
        return any(
            all(isclose(x, y, rel_tol=_AGREE) for x, y in zip(numbers, each, strict=True)) for each in self.found
        )

    def _all(self) -> Iterator[Numbers]:
        """Yield the values, at all points, of every choice of some but not all operands of each longest sum or product.

        Sums and products of more than 8 operands are left out; it stops after some 2000 portions.
        """
        count = 0
        inside: set[tuple[int, int]] = set()  # slots that are parts of a longer sum or product, by its level
        for slot, level in product(reversed(range(len(self.graph))), (SUM, PRODUCT)):
            if (slot, level) in inside:
                continue
            parts, negative, within = self._parts(slot, level)
            inside |= {(other, level) for other in within}
            sizes = range(1, len(parts)) if len(parts) <= _MOST_PARTS else ()
            for chosen in chain.from_iterable(combinations(parts, size) for size in sizes):
                yield from self._together(chosen, level, negative)
                count += 1
                if count >= _MOST:
                    return

    def _parts(self, slot: int, level: int) -> tuple[list[Part], bool, list[int]]:
        """Return (parts, negative, within): the operands of the sum or product that ends in a slot.

        `level` is SUM or PRODUCT. Each part is (slot, sign), the sign being the exponent in a product; `negative` says
        whether there is a unary minus, `within` are the operands of the rows that belong to the sum or product. Slots
        that are no such row are the single part. The list is incomplete if there are more than 8 parts.
        """
        parts: list[Part] = []
        within: list[int] = []
        negative, stack = False, [(slot, 1)]
        while stack and len(parts) + len(stack) <= _MOST_PARTS + 1:
            here, sign = stack.pop()
            row, parents = self.graph.rows[here], self.graph.parents[here]
            turns = None if row is None or self.graph.literal[here] else _turns(row, level)
            if turns is None:
                parts.append((here, sign))
                continue
            within += parents
            if len(parents) == 1:
                negative = True
                sign = sign * turns[0] if level == SUM else sign
                stack.append((parents[0], sign))
            else:
                stack += [(parent, sign * turn) for parent, turn in zip(parents, turns, strict=True)]
        return parts, negative, within

    def _together(self, parts: Sequence[Part], level: int, negative: bool) -> Iterator[Numbers]:
        """Yield the values of some operands taken together; if any sign or exponent is negative, also with all of them
        reversed.

        `level` is SUM or PRODUCT. With `negative`, products of several operands also have the other sign.
        """
        turned = any(sign < 0 for _, sign in parts)
        for way in (1, -1) if turned else (1,):
            if level == SUM:
                yield tuple(sum(way * sign * at[slot] for slot, sign in parts) for at in self.values)
                continue
            found = tuple(_product([(at[slot], way * sign) for slot, sign in parts]) for at in self.values)
            yield found
            if negative and len(parts) > 1:
                yield tuple(-x for x in found)


def _product(factors: Sequence[tuple[float, int]]) -> float:
    """Return the product of numbers with exponents 1 or -1; nan if a denominator is 0."""
    below = prod(x for x, sign in factors if sign < 0)
    return prod(x for x, sign in factors if sign > 0) / below if below else float("nan")


@cache
def _turns(row: Primitive, level: int) -> tuple[int, ...] | None:
    """Return the sign of each operand of a row in a sum, or its exponent in a product; None for rows of another kind.

    `level` is SUM or PRODUCT; a unary minus belongs to both and has (-1,).
    """
    if not row.folds:
        return None
    if row.arity == 1:
        return (-1,) if apply(row, FLOAT, [1.0]) == -1 else None
    if row.arity != 2 or level_of(row) != level:
        return None
    second = apply(row, FLOAT, [0.0, 1.0]) if level == SUM else apply(row, FLOAT, [1.0, 2.0]) - 1
    return 1, 1 if second > 0 else -1
