"""Instances of exercises with arrays that tell slips apart: short numbers, and no slip that looks like another."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import combinations

from ..answers.answer_model import BAR, VALUE, Task
from ..arrays.shapes import Shape
from ..arrays.sweeps import array_trace
from ..errors import AdcliError
from ..marking.arrays.array_slips import candidates
from ..marking.programs.array_reference import ArrayReference
from ..numbers.double_intervals import Spread
from ..trace.trace_model import Request
from .exercise_patterns import LOOKS_ALIKE, NEAR_EDGE, PRINTS_BADLY

_LARGEST = 200
_PLACES = 9  # in which numbers are compared

Name = tuple[str, int]  # what computes an array ("" for the row itself), and its number among those of that name
Entries = tuple[Shape, tuple[float, ...]]


def array_flaw(task: Task, aside: Mapping[str, float]) -> str | None:
    """Return why a task with arrays is not a good exercise; None if it is one.

    The tests, in order:

    - PRINTS_BADLY: an entry of a value or adjoint is not a multiple of 1/4 up to 200, or is 0 here but not at the point
      `aside`.
    - LOOKS_ALIKE: two arrays of one quantity, the true one or results of different slips, are equal here but not at
      `aside`. The true one and that of `chain_rule_forgotten` must not be equal here at all.
    - NEAR_EDGE: a kink, or an AdcliError in one of these computations.

    An AdcliError while the task is prepared at either point is raised.
    """
    here, there = (_SlipArrays(each) for each in (task, task._replace(at=aside)))
    try:
        for kind, number in here.quantities:
            pairs = zip(here.swept[kind][number], there.swept[kind][number], strict=True)
            if not all(_prints_well(x.middle) and (x.middle or not y.middle) for x, y in pairs):
                return PRINTS_BADLY
        for quantity in here.quantities:
            if _has_lookalikes(here.slips(*quantity), there.slips(*quantity)):
                return LOOKS_ALIKE
        array_trace(here.program, task.at, Request(here.mode, kinks="error", steps=False), None)
    except AdcliError:
        return NEAR_EDGE
    return None


def _prints_well(x: float) -> bool:
    """Return whether a number is a multiple of 1/4 and not above _LARGEST in size."""
    return abs(x) <= _LARGEST and 4 * x == round(4 * x)


def _has_lookalikes(here: Mapping[Name, Entries], there: Mapping[Name, Entries]) -> bool:
    """Return whether two arrays of different names are equal in `here` and differ in `there`.

    Names are (slip, count); two results of one slip are not compared, so they may be equal. The true array ("") and,
    after it in `here`, one of a forgotten slope (`chain_rule_forgotten`) count even if they are equal in `there` too,
    since the slope changes nothing then. An array that `there` lacks differs from one that it has; two that it lacks
    are equal.
    """
    for (first, x), (second, y) in combinations(here.items(), 2):
        is_idle = (first[0], second[0]) == ("", "chain_rule_forgotten")
        if first[0] != second[0] and x == y and (is_idle or there.get(first) != there.get(second)):
            return True
    return False


class _SlipArrays(ArrayReference):
    """A task with arrays at one point, with the numbers of all its blocks and of slips."""

    @cached_property
    def swept(self) -> Mapping[str, Mapping[int, Sequence[Spread]]]:
        """Return the values and adjoints of all blocks, by kind and block. Raises AdcliError outside of the domain."""
        return self.sweep({}, {})

    @property
    def quantities(self) -> list[tuple[str, int]]:
        """Return (VALUE, block) of all steps and the output, then, if the task has adjoints, (BAR, block) of all steps
        and of the inputs to differentiate with respect to (`moving_inputs`).
        """
        adjoints = [*self.steps, *self.moving_inputs()] if self.has_adjoints else []
        return [*((VALUE, k) for k in (*self.steps, self.output)), *((BAR, k) for k in adjoints)]

    def slips(self, kind: str, number: int) -> dict[Name, Entries]:
        """Return the entries of a quantity, the true ones under the name ("", 1), and those that each slip gives
        instead.

        `kind` is value or bar, `number` that of the block. The results of a slip are named (slip, 1), (slip, 2), … in
        the order in which they are found.
        """
        counts: Counter[str] = Counter()
        arrays = {("", 1): _entries(self.blocks[number].shape, self.swept[kind][number])}
        for name, shape, spreads in candidates(self, {VALUE: {}, BAR: {}}, self.swept, kind, number):
            counts[name] += 1
            arrays[name, counts[name]] = _entries(shape, spreads)
        return arrays


def _entries(shape: Shape, spreads: Sequence[Spread]) -> Entries:
    """Return (shape, entries rounded to _PLACES decimals), without -0, so that equal arrays are equal keys."""
    return shape, tuple(round(x.middle, _PLACES) + 0.0 for x in spreads)
