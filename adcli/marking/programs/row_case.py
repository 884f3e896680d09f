"""The case of a row: a row of an answer with all that it is judged by."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ...answers.shown_numbers import ShownNumber
from ...errors import AdcliError
from ...graph.graph import Graph
from ...numbers.double_intervals import Spread
from ...records import NamedTuple
from .contributions import Expected
from .resolving import Resolved


class RowCase(NamedTuple):
    """A row of an answer with all that it is judged by.

    `asked` is the quantity that it says it is, `truths` the values of that at every point; `formulas` are pairs of a
    graph and the quantities of its inputs by slot, `found` the values of each formula at every point; `unknown` is a
    name in them that nothing defines (empty: none). The number is `shown`, or `exact` if it is left as arithmetic, or
    `unread` for its decimal comma. `expected` is the value of an adjoint's partial sum. `problem` is that of a part
    which could not be read; `strange` says that the answer has a row of the unknown name.
    """

    asked: Resolved
    truths: Sequence[Spread]
    formulas: Sequence[tuple[Graph, Mapping[int, Resolved]]]
    found: Sequence[Sequence[Spread]]
    unknown: str
    shown: ShownNumber | None
    exact: Spread | None
    expected: Expected | None
    unread: bool = False
    problem: AdcliError | None = None
    strange: bool = False

    @property
    def number(self) -> Spread | None:
        """Return the interval that the digits of its number represent, or that of its arithmetic; None if it has
        neither.
        """
        return self.shown.wide if self.shown is not None else self.exact

    @property
    def is_zero(self) -> bool:
        """Return whether its number is exactly 0; False if it has none."""
        if self.shown is not None:
            return not self.shown.number.value
        return self.exact is not None and self.exact.low == self.exact.high == 0
