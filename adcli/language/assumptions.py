"""Assumptions about inputs, such as `a > 0` or that n is a whole number, as ranges of their values."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from types import MappingProxyType

from ..errors import RequestError, Span
from ..numbers.range_arithmetic import RANGES
from ..numbers.ranges import ANY, Range
from ..patterns import compile_pattern
from ..records import NamedTuple
from .problems import in_arithmetic, option_pieces, read_point, source_of_part
from .tokens import plain_name
from .worded_points import WRITTEN_NAME

_CONDITION = compile_pattern(rf"\s*+({WRITTEN_NAME})\s*+([<>]=?|!=|[≤≥≠])(?!=)")
_SAME = {"≤": "<=", "≥": ">=", "≠": "!="}


class Assumptions(NamedTuple):
    """Assumptions about inputs: `conditions` as they are shown (`a > 0`), the names of inputs that are `whole`
    numbers, and the `ranges` that follow, by name.
    """

    conditions: tuple[str, ...] = ()
    whole: tuple[str, ...] = ()
    ranges: Mapping[str, Range] = MappingProxyType({})

    def check_point(self, at: Mapping[str, float]) -> None:
        """Raise RequestError for the first value of the point `at` that contradicts an assumption, as infinite and nan
        values do; names without one are ignored.
        """
        for name, x in at.items():
            is_outside = name in self.ranges and not self.ranges[name].holds(x)
            if is_outside or (name in self.whole and not x.is_integer()):
                help = "change the point, or leave out the assumption"
                raise RequestError(f"{name} = {x:g} contradicts the conditions on {name}", help=help)


def read_assumptions(texts: Iterable[str], whole: Iterable[str]) -> Assumptions:
    """Return the assumptions of `texts`, and that the names in `whole` are whole numbers.

    Each text has conditions `name < number` (also <=, >, >=, and != 0) between commas or semicolons (blank ones are
    passed over); numbers may be expressions of numbers. Conditions keep their order; several on one name are combined
    in its range. A name in `whole` without a condition has no range. Raises RequestError for another text, or if no
    number meets all conditions on a name. Raises another AdcliError if a number cannot be read.
    """
    conditions: list[str] = []
    ranges: dict[str, Range] = {}
    for span in option_pieces(texts, "--assume"):
        name, text, allowed = _read_condition(span)
        conditions.append(text)
        ranges[name] = ranges.get(name, ANY).meeting(allowed)
    names = tuple(dict.fromkeys(whole))
    ranges |= {name: _keep_whole_numbers(ranges[name]) for name in names if name in ranges}
    for name, allowed in ranges.items():
        if allowed.empty:
            raise RequestError(f"no number satisfies all conditions on {name}", help="leave out a condition")
    return Assumptions(tuple(conditions), names, ranges)


def _read_condition(place: Span) -> tuple[str, str, Range]:
    """Return (name, condition with its number as written, range) of the condition at `place`.

    The name is on the left. The number may be an expression, whose rounding errors only widen the range. `x > 1` leaves
    out 1, `x >= 1` includes it. Raises RequestError if the text is not a condition, if the number is infinite, nan or
    depends on a name, or if != has another number than 0. Raises another AdcliError if the number is missing or cannot
    be read.
    """
    text = place.text
    match = _CONDITION.match(text)
    if match is None:
        raise RequestError("an assumption compares an input with a number", place, help='write it as --assume "a>0"')
    point = text[: match.start(2)] + "=".ljust(len(match[2])) + text[match.end() :]
    ((_, x),) = read_point(source_of_part(place.source, place.start, point)).items()
    name, relation = plain_name(match[1]), _SAME.get(match[2], match[2])
    if not math.isfinite(x) or (relation == "!=" and x):
        title = "an assumption needs a finite number, and with != the number 0"
        raise RequestError(title, place, help="write a>1 or a!=0")
    number = in_arithmetic(RANGES, x)
    allowed = {
        "<": Range(-math.inf, number.high, open_high=True),
        "<=": Range(-math.inf, number.high),
        ">": Range(number.low, math.inf, open_low=True),
        ">=": Range(number.low, math.inf),
        "!=": Range(-math.inf, math.inf, nonzero=True),
    }[relation]
    return name, f"{name} {relation} {text[match.end() :].strip()}", allowed


def _keep_whole_numbers(x: Range) -> Range:
    """Return the range from the least to the greatest whole number in `x`, both included; empty if there is none.

    An infinite end stays infinite; an open end that is whole is excluded. If `x` excludes 0, so does the result.
    """
    low, high = x.low, x.high
    if math.isfinite(low):
        low = math.floor(low) + 1.0 if x.open_low else math.ceil(low)
    if math.isfinite(high):
        high = math.ceil(high) - 1.0 if x.open_high else math.floor(high)
    return Range(low, high, nonzero=x.nonzero)
