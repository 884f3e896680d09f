"""Unwritten links: tangents and adjoints that an answer skips. A slip in one of them makes several written rows wrong,
of which only the first is an error: the others follow from what it says of the link."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction

from ...answers.answer_model import BAR, DOT
from ...numbers.double_intervals import SPREAD, Spread
from ..model import Mark, Rules
from ..programs.contributions import RowCase
from ..programs.resolving import Resolved, used_directly
from .evidence import Evidence
from .hint_texts import write_feedback
from .student_numbers import OwnNumber

_MOST_LINKS, _MOST_ERRORS = 8, 20  # that are tried for one error, and errors of one answer


def mark_rows_of_one_link(
    judged: Mapping[int, Mark],
    errors: Mapping[int, RowCase],
    evidence: Evidence,
    symbols: Sequence[str],
    rules: Rules,
) -> dict[int, Mark]:
    """Return carried marks, by place, for the errors that follow from what an error before them says of a link.

    `judged` has the marks, `errors` the cases of errors in the order of judging. They have a number and no wrong
    formula. The link is the unwritten quantity that explains the most of the errors after the first; an error that is
    explained explains no others. Feedback calls a row by its symbol in `symbols`; `rules` say what the marks earn.
    """
    places = [place for place, case in errors.items() if _has_wrong_number_only(judged[place], case)][:_MOST_ERRORS]
    marks: dict[int, Mark] = {}
    for k, place in enumerate(places):
        first = errors[place].quantity
        others = [each for each in places[k + 1 :] if each not in marks and errors[each].quantity != first]
        if place in marks or not others:
            continue
        explained: list[list[int]] = []
        for link in _links(errors[place], evidence):
            number = _implied(place, errors[place], link, evidence)
            explained.append([each for each in others if _follows(each, errors[each], link, number, evidence)])
        for other in max(explained, key=len, default=[]):
            feedback = write_feedback(symbols[other], "carried", judged[other].formula, {}, None)
            mark = judged[other]._replace(verdict="carried", slips=(), feedback=feedback)
            marks[other] = mark._replace(earned=rules.fraction("carried"), alone=Fraction(0))
    return marks


def _has_wrong_number_only(mark: Mark, case: RowCase) -> bool:
    """Return whether a mark is an error of the number of a tangent or adjoint; `case` is its row."""
    is_derivative = case.quantity.kind in (BAR, DOT) and case.shown is not None
    return is_derivative and mark.verdict == "error" and mark.formula != "wrong"


def _links(case: RowCase, evidence: Evidence) -> Iterator[Resolved]:
    """Yield the unwritten quantities that a row is computed from, the nearest first: at most 8, and no seeds."""
    sheet, numbers = evidence.sheet, evidence.numbers
    seeds = {*sheet.inputs.values()} if case.quantity.kind == DOT else {*sheet.outputs.values()}
    links = [case.quantity]
    for link in links:
        used = used_directly(link, sheet)
        links += [each for each in used if each not in links and numbers.own(each) is None and each.slot not in seeds]
        if len(links) > _MOST_LINKS:
            break
    yield from links[1 : _MOST_LINKS + 1]


def _by_rule(place: int, case: RowCase, link: Resolved, number: Spread, evidence: Evidence) -> Spread:
    """Return what the rule of the row at `place` gives if the unwritten `link` has `number`."""
    evidence.numbers.here = place
    with evidence.numbers.assuming(link, OwnNumber(number, True), case.quantity):
        return evidence.by_rule(case).spread


def _implied(place: int, case: RowCase, link: Resolved, evidence: Evidence) -> Spread | None:
    """Return the number of `link` that gives the number of the row at `place`, which is a multiple of it and a rest;
    None if the row does not depend on the link, or the link would be 0.
    """
    assert case.shown is not None  # only rows with numbers are looked at  # noqa: S101
    rest = _by_rule(place, case, link, SPREAD.zero, evidence)
    slope = _by_rule(place, case, link, SPREAD.one, evidence) - rest
    if not (slope.known and rest.known) or slope.meets(SPREAD.zero):
        return None
    implied = (case.shown.narrow - rest) / slope
    return None if implied.meets(SPREAD.zero) else implied


def _follows(place: int, case: RowCase, link: Resolved, number: Spread | None, evidence: Evidence) -> bool:
    """Return whether the number of the row at `place` is what its rule gives if `link` has `number`, and that does not
    make it trivial. False if `number` is None.
    """
    if number is None or case.shown is None:
        return False
    by_rule = _by_rule(place, case, link, number, evidence)
    return by_rule.known and case.shown.wide.meets(by_rule) and not case.is_trivial(by_rule)
