"""Correction: contributions to an adjoint, named `x̄₁` or `x̄(v1)`, listed with sources, or as a path from 0.

Signs: from␣ via␣ through␣ due␣ von␣ aus␣ über␣ durch␣ par␣ desde␣ por␣ bar ̄ adj grad
"""

from __future__ import annotations

from ...language.advice import synonyms
from ..answer_model import BAR
from ..chains import between
from ..collector import Cut, RawRow
from ..left_sides import LeftSides
from ..numerals import numeral
from . import AnswerLine, Correction, NewRow, SplitRow

_SOURCES = tuple(f"{word} " for word in synonyms("sources"))
_TOTALS = ("total", "sum", "→", "⇒", "->", "=>", "together")
_SHAPE = r"\s*+(?P<left>[^\s:=]++)\s*+[:=](?P<items>.*)"


def _is_adjoint(lefts: LeftSides, text: str) -> bool:
    """Return whether a left side is the symbol of an adjoint."""
    left = lefts[text]
    return left is not None and left.quantity.kind == BAR


def _rows_of_list(line: AnswerLine) -> list[NewRow] | None:
    """Return a row for each contribution of `x̄: 3 (via v1), 2 (via v2), total 5`, as after `+=`, and one of the total.

    Sources may also be in front, `from v1: 3`, and the total behind the last one after an arrow. None if the left side
    is not an adjoint, or a contribution has no source or more than one.
    """
    left, (start, end) = line.group("left"), line.match.span("items")
    if not _is_adjoint(line.lefts, left.text) or not any(map(line.text.__contains__, _SOURCES)):
        return None
    commas = [(k, k + 1) for k in range(start, end) if line.text[k] in ",;" and not line.text[k + 1 :][:1].isdecimal()]
    rows: list[NewRow] = []
    for first, last in between(commas, start, end):
        text = line.text[first:last]
        place, sign = next(((k, s) for s in _TOTALS if (k := text.find(s)) >= 0), (len(text), ""))
        contribution, total = line.cut(first, first + place), line.cut(first + place + len(sign), last)
        if contribution.text:
            piece = _without_source(line, contribution)
            if piece is None:
                return None
            rows.append(NewRow(left, [each._replace(sign="+"[k:]) for k, each in enumerate(_pieces(line, piece))]))
        rows += [NewRow(left, [total])] if sign else []
    return rows if len(rows) > 1 else None


def _pieces(line: AnswerLine, cut: Cut) -> list[Cut]:
    """Return the parts of a cut between its equals signs."""
    signs = [(k, k + 1) for k in range(cut.span.start, cut.span.end) if line.text[k] == "="]
    return [line.cut(*place) for place in between(signs, cut.span.start, cut.span.end)]


def _without_source(line: AnswerLine, cut: Cut) -> Cut | None:
    """Return a contribution without `from v1:` before it or `(from v1)` behind it; None if it has neither."""
    start, end = cut.span.start, cut.span.end
    if cut.text.startswith(_SOURCES):
        colon = cut.text.find(":")
        return line.cut(start + colon + 1, end) if colon >= 0 else None
    bracket = cut.text.rfind("(")
    is_source = bracket > 0 and cut.text[bracket + 1 :].startswith(_SOURCES) and cut.text.endswith(")")
    return line.cut(start, start + bracket) if is_source else None


def _rows(split: SplitRow) -> list[RawRow] | None:
    """Return the rows of a path from 0, `x̄: 0 → 3 → 5`; [the row] of a contribution with a name of its own as a row of
    the adjoint, as after `+=`; [the row] of the adjoint with their numbers instead of their names. None for others.
    """
    row, name = split.row, split.row.left.text.strip()
    adjoint = _adjoint_of(name, split)
    if adjoint and row.pieces:
        pieces = [row.pieces[0]._replace(sign="+"), *row.pieces[1:]]
        return [row._replace(left=row.left._replace(text=adjoint), pieces=pieces, adds=True)]
    if adjoint or not _is_adjoint(split.lefts, name):
        return None
    numbers = [numeral(piece.text) for piece in row.pieces]
    if len(numbers) > 1 and all(numbers) and row.pieces[0].text.strip() == "0":
        return [row._replace(pieces=[piece], adds=k > 0) for k, piece in enumerate(row.pieces)]
    cuts = [cut._replace(text=_with_numbers(cut.text, name, split)) for cut in row.pieces]
    pieces = [cut for cut in cuts if cut.text]
    return [row._replace(pieces=pieces)] if pieces and pieces != [cut for cut in row.pieces if cut.text] else None


def _with_numbers(text: str, adjoint: str, split: SplitRow) -> str:
    """Return a sum of names of contributions to the left side `adjoint` with their numbers, "" if one has no number;
    any other text unchanged."""
    names = [name.strip() for name in text.split("+")]
    if len(names) < 2 or any(_adjoint_of(name, split) != adjoint for name in names):
        return text
    numbers = {row.left.text.strip(): f"({row.pieces[-1].text})" for row in split.rows if row.pieces}
    return "+".join(numbers[name] for name in names) if all(name in numbers for name in names) else ""


def _adjoint_of(name: str, split: SplitRow) -> str:
    """Return the left side of the adjoint to which a contribution is called `x̄₁`, `x̄_b`, `x̄(b)` or `x̄^{(b)}`.

    Empty if no row has that left side, if it is not an adjoint, and if `name` is the adjoint of another known name.
    """
    stems = [name.rpartition("_")[0], name.rstrip("0123456789₀₁₂₃₄₅₆₇₈₉").rstrip("_")]
    stems += [name.partition("(")[0].rstrip("^{_ ")] if name.endswith((")", ")}")) else []
    for stem in stems:
        if stem != name and stem in split.written and _is_adjoint(split.lefts, stem):
            left, adjoint = split.lefts[name], split.lefts[stem]
            others = {*split.lefts.names.known, *split.written} - {name}
            is_own = left is None or (adjoint and left.quantity == adjoint.quantity) or left.quantity.name not in others
            return stem if is_own else ""
    return ""


CORRECTION = Correction(
    "contributions to an adjoint are read as after +=",
    "x̄: 3 (via v1), 2 (via v2), total 5",
    _rows_of_list,
    _rows,
    _SHAPE,
)
