"""Texts of hints to a student about a row: which row and which idea, never a number."""

from __future__ import annotations

from collections.abc import Sequence

from ..model import BAR, DECIMAL_COMMA, DOT, TWO_NUMBERS
from ..programs.row_case import RowCase
from .written_names import has_marks

_RULES = {
    DOT: "a tangent is the sum of local derivatives times the tangents of the rows that it uses",
    BAR: "an adjoint is the sum, over the rows that use this one, of their adjoints times local derivatives",
}
_CHAIN_RULE = "by the chain rule a derivative is a sum over all paths: the product of the local derivatives on each"


def words(name: str, verdict: str, formula: str, slips: Sequence[str], case: RowCase | None) -> str:
    """Return one or two sentences on a row, or "" if there is nothing to say.

    `name` is the row as feedback calls it, `verdict` one of the marks' or `trivial`, `formula` right, wrong or absent;
    `slips` are names in the catalogue, and `case` is None for rows that are missing or set aside.
    """
    if verdict == "missing":
        return f"the formula of {name} is right, its number is missing" if formula == "right" else f"{name} is missing"
    if verdict == "unreadable" and case is not None and case.unread:
        return f"{name}: this number has a decimal comma, which is read with {DECIMAL_COMMA}"
    if verdict == "unreadable":
        return _on_unreadable(name, case)
    if verdict == "trivial":
        return f"{name} follows from an earlier slip, which makes it a mere 0 or 1: that earns nothing"
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


def _in_derivatives(text: str) -> str:
    """Return a sentence with `derivative` instead of `adjoint` and `tangent`."""
    for word in ("adjoint", "tangent"):
        text = text.replace(f"an {word}", "a derivative").replace(word, "derivative")
    return text


def _on_unreadable(name: str, case: RowCase | None) -> str:
    if case is None or case.problem is not None:
        return _on_two_numbers(name, case) or f"{name} has neither a formula nor a number that could be read"
    return f"the formula of {name} has no value here" if case.formulas else f"{name} is given by nothing but itself"


def _on_two_numbers(name: str, case: RowCase | None) -> str:
    two = case is not None and case.problem is not None and case.problem.label == TWO_NUMBERS
    return f"{name} has two numbers where one is asked for" if two else ""


def _on_error(name: str, formula: str, slips: Sequence[str], case: RowCase | None) -> str:
    """Return the sentence on a wrong row: an unknown name, two numbers, its slips, or else where to look again.

    `formula` is right, wrong or absent, `slips` are names in the catalogue; `case` is None if nothing is known of the
    row.
    """
    if case is not None and case.unknown:
        return f"{name} uses {case.unknown}, which " + (
            "is nothing in the problem" if case.strange else "no row defines"
        )
    if found := _on_two_numbers(name, case):
        return found
    if slips:
        from ..slips.catalogue import sentence  # in a right answer there are none

        said = [sentence(slip) for slip in slips]
        if {"adjoint_overwritten", "path_missing"} <= {*slips}:  # the same slip, seen from two sides
            said = [text for slip, text in zip(slips, said, strict=True) if slip != "adjoint_overwritten"]
            said[slips.index("path_missing") - 1] = f"{sentence('adjoint_overwritten')}; {sentence('path_missing')}"
        if not has_marks(name):
            said = [_in_derivatives(text) for text in said]
        if len(said) == 1:
            return f"{name}: {said[0]}"
        return f"{name}: one of these: " + "; or ".join(said)
    where = "the formula" if formula == "wrong" else "this row"
    if formula == "right":
        return f"{name}: the formula is right, the number does not follow from it"
    rule = _RULES.get(case.asked.kind, "") if case is not None else ""
    if rule and not has_marks(name):
        rule = _CHAIN_RULE
    return f"{name}: look at {where} again" + (f"; {rule}" if rule else "")
