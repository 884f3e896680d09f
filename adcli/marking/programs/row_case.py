"""The case of a row: a row of an answer with all that it is judged by."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ...errors import AdcliError
from ...graph.graph import Graph
from ...numbers.double_intervals import Spread
from ...records import NamedTuple
from ..shown_numbers import ShownNumber
from .contributions import Expected
from .resolving import Resolved


class RowCase(NamedTuple):
    """A row of an answer with all that it is judged by.

    `asked` is what it says it is, `truths` what that comes to at every point; `formulas` are its formulas, with what
    their inputs stand for by slot, and `found` their values at every point; `unknown` is a name in them that nothing
    defines.  The number is `shown`, or `exact` where it is left as arithmetic, or `unread` for its decimal comma.
    `problem` is that of a part which could not be read; `strange` says that the answer has a row of the unknown name.
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
        """What its number stands for."""
        return self.shown.wide if self.shown is not None else self.exact

    @property
    def is_zero(self) -> bool:
        """Whether its number is a mere 0."""
        if self.shown is not None:
            return not self.shown.number.value
        return self.exact is not None and self.exact.low == self.exact.high == 0
