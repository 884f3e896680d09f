"""Which slip a wrong row is: what each would have given with the student's own numbers, held against what is there;
and what is said to a student about a row: which row, which idea, never a number.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

from ..graph.graph import Graph
from ..numbers.spread import SPREAD, Spread
from .contributions import Expected
from .model import BAR, DECIMAL_COMMA, DOT, Numeral
from .resolving import PARTIAL, Resolved
from .shown_numbers import ShownNumber, stands_for
from .slips import SLIPS, Read, bar_slips, slips_of
from .worksheet import Solution, Worksheet, close

_MOST = 3  # slips of which one is named
_RULES = {
    DOT: "a tangent is the sum of local derivatives times the tangents of the rows that it uses",
    BAR: "an adjoint is the sum, over the rows that use this one, of their adjoints times local derivatives",
}


class RowCase(NamedTuple):
    """A row of an answer with all that it is judged by.

    `asked` is what it says it is, `truths` what that comes to at every point; `formulas` are its formulas, with what
    their inputs stand for by slot, and `found` their values at every point; `unknown` is a name in them that nothing
    defines.  The number is `shown`, or `exact` where it is left as arithmetic, or `unread` for its decimal comma.
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

    @property
    def number(self) -> Spread | None:
        """What its number stands for."""
        return self.shown.wide if self.shown is not None else self.exact


def diagnose(
    case: RowCase,
    sheet: Worksheet,
    read: Read,
    truths: Sequence[Solution],
    wrong: bool,
    right: Spread,
    others: Sequence[Numeral],
    one_mode: bool,
    explained: bool,
) -> tuple[str, ...]:
    """The slips that a wrong row may be, the likely ones first; none where nothing fits.

    `read` gives the student's own numbers, `right` what the rule gives with them, `others` the numbers of other rows;
    `wrong` says whether the formula is, `one_mode` that the answer has nothing to mix tangents and adjoints up with,
    `explained` that the number is what the formula gives, and no slip of writing.
    """
    if case.asked.kind == PARTIAL:
        return ()
    if (case.asked.kind == DOT and case.asked.slot in sheet.inputs.values()) or _is_seed(case):
        return ("seed",)
    by_formula = _by_formula(case, sheet, truths) if wrong else []
    number = None if case.number is None else case.shown.narrow if case.shown is not None else case.number
    by_number: list[str] = []
    if number is not None:
        candidates = [(name, z) for name, z in _candidates(case, sheet, read) if z.known and not _covers(z, right)]
        if one_mode:
            by_number = _names([found for found in candidates if found[0] != "mode_confused"], number.meets)
        if not by_number and case.asked.kind == BAR and number.meets(SPREAD.one + right):
            by_number = ["seed"]  # every adjoint starts from 1
        by_number = by_number or _names(candidates, number.meets)
        if not by_number and case.shown is not None:
            by_number = _names(candidates, case.shown.wide.meets)
        if not by_number and not by_formula and case.shown is not None and not explained:
            by_number = list(dict.fromkeys(_digit_slips(case.shown.number, right, others)))
    both = [name for name in by_formula if name in by_number]
    found = both or by_formula or by_number
    if one_mode and len(found) > 1:
        found = [name for name in found if name != "mode_confused"]
    return tuple(found[:_MOST])


def _is_seed(case: RowCase) -> bool:
    """Whether a row is the seed of a reverse sweep: the adjoint of the result itself, with nothing added."""
    return case.expected is not None and case.expected.seeded and not case.expected.chosen


def _candidates(case: RowCase, sheet: Worksheet, read: Read) -> Iterator[tuple[str, Spread]]:
    kind, slot, key, _ = case.asked
    if kind == BAR and case.expected is not None:
        return bar_slips(sheet, slot, key or "", read, case.expected.chosen, case.expected.before)
    return slips_of(sheet, kind, slot, key, read)


def _covers(wrong: Spread, right: Spread) -> bool:
    """Whether a slip makes no difference here."""
    return wrong.low <= right.middle <= wrong.high


def _names(candidates: Sequence[tuple[str, Spread]], fits: Callable[[Spread], bool]) -> list[str]:
    """The slips that fit: by what each gives most likely, or else by anything that it may give."""
    likely: dict[str, Spread] = {}
    for name, z in candidates:
        likely.setdefault(name, z)
    found = [name for name, z in likely.items() if fits(z)]
    found = found or list(dict.fromkeys(name for name, z in candidates if fits(z)))
    return [name for name in found if not (name == "sign" and "quotient_sign" in found)]


def _by_formula(case: RowCase, sheet: Worksheet, truths: Sequence[Solution]) -> list[str]:
    """The slips that are the function that is written, at every point where that can be told."""
    found: list[str] | None = None
    for k, truth in enumerate(truths):
        candidates = list(_candidates(case, sheet, truth.read))
        for values in case.found:
            if values[k].known:
                here = _names(candidates, lambda z, at=values[k]: close(z, at) is True)  # type: ignore[misc]
                found = here if found is None else [name for name in found if name in here]
    return found or []


def _digit_slips(number: Numeral, right: Spread, others: Sequence[Numeral]) -> Iterator[str]:
    """Slips of writing: the decimal point, two digits, the number of another row."""
    if any(_moved(number, power).meets(right) for power in (-3, -2, -1, 1, 2, 3)):
        yield "decimal_point"
    if any(stands_for(swapped).meets(right) for swapped in _swapped(number)):
        yield "digits_transposed"
    if any(other.value == number.value and other.value not in (0, 1) for other in others):
        yield "row_copied"


def _moved(number: Numeral, power: int) -> Spread:
    factor = Fraction(10) ** power
    return stands_for(Numeral(number.value * factor, number.unit * factor))


def _swapped(number: Numeral) -> Iterator[Numeral]:
    """The number with two neighbouring digits exchanged, in each way."""
    if not number.unit:
        return
    digits = str(abs(int(number.value / number.unit)))
    sign = -1 if number.value < 0 else 1
    for place in range(len(digits) - 1):
        if digits[place] != digits[place + 1]:
            swapped = digits[:place] + digits[place + 1] + digits[place] + digits[place + 2 :]
            yield Numeral(sign * int(swapped) * number.unit, number.unit)


# --- what is said about a row -----------------------------------------------------------------------------------------


def words(name: str, verdict: str, formula: str, slips: Sequence[str], case: RowCase | None) -> str:
    """One or two sentences on a row; none where there is nothing to say."""
    if verdict == "missing":
        return f"the formula of {name} is right, its number is missing" if formula == "right" else f"{name} is missing"
    if verdict == "unreadable" and case is not None and case.unread:
        return f"{name}: this number has a decimal comma, which is read with {DECIMAL_COMMA}"
    if verdict == "unreadable":
        return f"{name} has neither a formula nor a number that could be read"
    if verdict == "carried":
        return f"{name} follows from an earlier slip: the step itself is right"
    if verdict == "precision":
        return f"{name} is right as far as it goes: give more digits, and round the last one"
    if verdict == "does_not_follow":
        if formula == "wrong":
            return f"the number of {name} is right, its formula is not"
        return f"{name} is right, but it does not follow from your own rows"
    if verdict == "superseded":
        return f"{name} is written again further down: that counts"
    if verdict == "formula":
        return f"the number of {name} is right, its formula is not"
    if verdict == "rounding":
        return f"{name} is right with the numbers that you had; it is rounded"
    return _on_error(name, formula, slips, case) if verdict == "error" else ""


def _on_error(name: str, formula: str, slips: Sequence[str], case: RowCase | None) -> str:
    if case is not None and case.unknown:
        return f"{name} uses {case.unknown}, which no row defines"
    if slips:
        said = [SLIPS[slip] for slip in slips]
        if len(said) == 1:
            return f"{name}: {said[0]}"
        return f"{name}: one of these: " + "; or ".join(said)
    where = "the formula" if formula == "wrong" else "this row"
    if formula == "right":
        return f"{name}: the formula is right, the number does not follow from it"
    rule = _RULES.get(case.asked.kind, "") if case is not None else ""
    return f"{name}: look at {where} again" + (f"; {rule}" if rule else "")
