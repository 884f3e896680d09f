"""Portions of a problem's sums and products: `b*c` of `a*b*c`, `b - a` of `c - a + b`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, combinations
from math import inf, isclose, prod

from ...graph.graph import Graph

_MOST_PARTS, _MOST = 8, 2_000  # operands of one sum or product, and portions of a problem
_AGREE = 1e-9
# By operation: the sign of each operand in a sum, or its exponent in a product. A unary minus belongs to both.
_SIGNS = {"add": (1, 1), "sub": (1, -1), "neg": (-1,)}
_EXPONENTS = {"mul": (1, 1), "div": (1, -1), "neg": (1,)}

Numbers = list[float]  # one at each point


class Portions:
    """The portions of all sums and products of a graph, identified by their values at some points."""

    def __init__(self, graph: Graph, values: Sequence[Sequence[float]]) -> None:
        """Collect the portions of `graph`; `values` are those of all its slots, for each point."""
        self.graph, self.values = graph, values
        self.portions = list(self._all_portions())

    def have(self, numbers: Sequence[float]) -> bool:
        """Return whether a row with the values `numbers`, one at each point, is a portion, up to its sign (relative
        1e-9).

        Points at which the row is 0 are not compared, so that a row of zeros is a portion if there are any.
        """
        return any(
            all(isclose(sign * x, y, rel_tol=_AGREE) for x, y in zip(numbers, portion, strict=True) if x)
            for portion in self.portions
            for sign in (1, -1)
        )

    def _all_portions(self) -> Iterator[Numbers]:
        """Yield the values at all points for each choice of some but not all operands of each sum, then of each
        product; of a product with a minus sign in it, `-k*t`, also those of all: k*t.

        A sum inside a longer sum is not taken separately. Those of more than 8 operands are left out; it stops after
        2000 portions.
        """
        count = 0
        for turns in (_SIGNS, _EXPONENTS):
            inside: set[int] = set()  # slots that are parts of a longer sum or product
            for slot in reversed(range(len(self.graph))):
                parts = [] if slot in inside else self._operands_of(slot, turns, inside)
                if len(parts) > _MOST_PARTS:
                    continue
                whole = prod(_power(self.values[0][part], turn) for part, turn in parts)
                most = len(parts) - (turns is _SIGNS or whole * self.values[0][slot] >= 0)
                for chosen in chain.from_iterable(combinations(parts, size + 1) for size in range(most)):
                    if turns is _SIGNS:
                        yield [sum(turn * at[part] for part, turn in chosen) for at in self.values]
                    else:
                        yield [prod(_power(at[part], turn) for part, turn in chosen) for at in self.values]
                    count += 1
                    if count >= _MOST:
                        return

    def _operands_of(self, slot: int, turns: dict[str, tuple[int, ...]], inside: set[int]) -> list[tuple[int, int]]:
        """Return the operands of the sum or product that ends in `slot`, as pairs (slot, sign or exponent), the last
        operand first.

        `turns` has by operator the sign (of sums) or exponent (of products) of each operand. A slot of another
        operation is its own single part. Slots below the operations are added to `inside`, in place. The search stops
        beyond 8 parts, so that the list may be incomplete.
        """
        parts: list[tuple[int, int]] = []
        stack = [(slot, 1)]
        while stack and len(parts) + len(stack) <= _MOST_PARTS + 1:
            here, turn = stack.pop()
            operands = turns.get(self.graph.operator(here), ())
            if not operands:
                parts.append((here, turn))
            inside.update(self.graph.parents[here] if operands else ())
            stack += [(p, turn * each) for p, each in zip(self.graph.parents[here], operands, strict=False)]
        return parts


def _power(x: float, exponent: int) -> float:
    """Return a number to the power 1 or -1; infinity for 1/0."""
    return x if exponent > 0 else 1 / x if x else inf
