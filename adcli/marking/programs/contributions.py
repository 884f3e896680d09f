"""Adjoints as sums: which contributions a row of an answer has taken together so far.

The contributions to an adjoint may be written in any order, one by one, added to what is there, or all at once; every
partial sum is right until the last row of that adjoint, which must have them all.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import combinations
from typing import TYPE_CHECKING

from ...numbers.double_intervals import SPREAD, Spread
from ...records import NamedTuple
from ..model import BAR
from .resolving import Resolved
from .worksheet import Solution, Worksheet, close, total

if TYPE_CHECKING:
    from .uncorrected_program import AsWritten, Followed

MOST_CONTRIBUTIONS = 8  # contributions of which every partial sum is recognised


class Expected(NamedTuple):
    """What a row of an adjoint comes to, at every point: the contributions `chosen`, by their places among the uses of
    the slot, and the seed where the slot is the output itself.  `before` are those of the row before.  `opening` is the
    0 that a sum starts from, written down before anything is added; `told` says that the row itself tells what it has.
    """

    truths: tuple[Spread, ...]
    chosen: frozenset[int]
    before: frozenset[int]
    seeded: bool
    opening: bool = False
    told: bool = True


class Contributions:
    """Keeps, for each adjoint of an answer, which contributions its rows have so far."""

    def __init__(self, sheet: Worksheet | AsWritten, truths: Sequence[Solution | Followed]) -> None:
        self.sheet = sheet
        self.truths = truths
        self._terms: dict[Resolved, list[list[Spread]]] = {}
        self._so_far: dict[Resolved, frozenset[int]] = {}

    def before(self, asked: Resolved) -> list[Spread]:
        """What an adjoint comes to before the next row is added, at every point: the seed of a result, else 0."""
        return self._sums(asked, self._so_far.get(asked, frozenset()), self._is_seeded(asked))

    def _is_seeded(self, asked: Resolved) -> bool:
        return asked.slot == self.sheet.outputs.get(asked.key or "")

    def remember(self, asked: Resolved, expected: Expected) -> None:
        """Takes a row as written."""
        self._so_far[asked] = expected.chosen

    def expected(
        self, asked: Resolved, last: bool, shown: Spread | None, formulas: Sequence[Sequence[Spread]], nothing: bool
    ) -> Expected:
        """What a row of an adjoint should be: the sum that its formula or its number says, or the next one.

        `formulas` are the values of its formulas at every point; the `last` row of an adjoint has all contributions.
        `nothing` is a row that is but the number 0.
        """
        if nothing and not last and asked not in self._so_far:
            return Expected((SPREAD.zero,) * len(self.truths), frozenset(), frozenset(), False, opening=True)
        count = len(self._of(asked)[0])
        everything, before = frozenset(range(count)), self._so_far.get(asked, frozenset())
        if last or count < 2:
            return self.of(asked, everything, before)
        chosen = self._written(asked, before, self._is_seeded(asked), shown, formulas)
        if chosen is not None:
            return self.of(asked, chosen, before)
        return self.of(asked, before | {min(everything - before, default=0)}, before)._replace(told=False)

    def of(self, asked: Resolved, chosen: frozenset[int], before: frozenset[int]) -> Expected:
        """What a row of an adjoint comes to that has these contributions, after one that had those before."""
        seeded = self._is_seeded(asked)
        return Expected(tuple(self._sums(asked, chosen, seeded)), chosen, before, seeded)

    def _written(
        self,
        asked: Resolved,
        before: frozenset[int],
        seeded: bool,
        shown: Spread | None,
        formulas: Sequence[Sequence[Spread]],
    ) -> frozenset[int] | None:
        """The first partial sum that a row is: as a function where it has a formula, else by its number."""
        for chosen in self.candidates(len(self._of(asked)[0]), before):
            sums = self._sums(asked, chosen, seeded)
            if formulas:
                if all(False not in [close(a, b) for a, b in zip(found, sums, strict=True)] for found in formulas):
                    return chosen
            elif shown is not None and shown.meets(sums[0]):
                return chosen
        return None

    @staticmethod
    def candidates(count: int, before: frozenset[int]) -> Iterator[frozenset[int]]:
        """Partial sums, the likely ones first: one more than before, one alone, all, then any."""
        for place in range(count):
            if place not in before:
                yield before | {place}
        for place in range(count):
            yield frozenset((place,))
        yield frozenset(range(count))
        if count <= MOST_CONTRIBUTIONS:
            for size in range(2, count):
                yield from map(frozenset, combinations(range(count), size))

    def _of(self, asked: Resolved) -> list[list[Spread]]:
        """The contributions to an adjoint, at every point and from every use of the slot."""
        found = self._terms.get(asked)
        if found is None:
            found = self._terms[asked] = [
                self.sheet.contributions(asked.slot, partial(_read, truth, asked.key)) for truth in self.truths
            ]
        return found

    def _sums(self, asked: Resolved, chosen: frozenset[int], seeded: bool) -> list[Spread]:
        start = SPREAD.one if seeded else SPREAD.zero
        return [start + total(terms[place] for place in sorted(chosen)) for terms in self._of(asked)]


def _read(truth: Solution | Followed, key: str | None, kind: str, slot: int) -> Spread:
    return truth.read(kind, slot, key if kind == BAR else None)
