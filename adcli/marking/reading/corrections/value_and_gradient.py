"""Correction: a value and its gradient with their names on one line, `v1: value = 0.693, grad = 0.5`."""

from __future__ import annotations

from ....patterns import pattern
from ...model import BAR, DERIVATIVE, DOT
from ..collector import Hint
from . import AnswerLine, Correction, NewRow

_NUMBER = r"[-−+]?\s?(?:\d++\.?\d*+|\.\d++)(?:[eE][-+]?\d++)?"
_SHAPE = pattern(
    r"\s*+(?:[-*•]\s)?(?P<name>[^\s:=|,()]++)\s*+(?:[:|,=(]|value(?=\()|node|variable|tensor|var|\s)*?\s*+"
    r"\(?(?:data|value|val|v|wert|valeur|valor|primal|real)\s*+[=:]\s*+"
    rf"(?P<value>{_NUMBER})\s*+[,;|/]?\s*+"
    r"(?P<kind>\.?grad(?:ient)?|deriv(?:ative)?|adj(?:oint)?|bar|tan(?:gent)?|dot|d|slope|ableitung|dérivée|derivada|eps|dual)"
    rf"\s*+[=:]\s*+(?P<slope>{_NUMBER})\s*+\)?\s*+[.;]?\s*+\Z"
)
_KINDS = {"adj": BAR, "bar": BAR, "tan": DOT, "dot": DOT, "eps": DOT, "dua": DOT}


def _rows(line: AnswerLine) -> list[NewRow] | None:
    """Return a row of the value and one of the derivative: a tangent, an adjoint, or either if the word leaves it open.

    None if the line has another form or its name is not a row's.
    """
    match = _SHAPE.match(line.text.lower()) if len(line.text.lower()) == len(line.text) else None
    if match is None or line.lefts[line.text[slice(*match.span("name"))]] is None:
        return None
    name, value, slope = (line.cut(*match.span(group)) for group in ("name", "value", "slope"))
    return [NewRow(name, [value]), NewRow(name, [slope], Hint(_KINDS.get(match["kind"][:3], DERIVATIVE)))]


CORRECTION = Correction(
    "value and gradient are read as two rows",
    "v1: value = 0.693, grad = 0.5",
    ("data", "val", "wert", "primal", "real", "v:", "v="),
    _rows,
)
