"""Correction: marks of adjoints of a writer's own, `v2* = 1`, `â = 2`, `<a> = 2`, `∂a = 2`, `G[a] = 2`, on two rows.

Signs: * ∗ ⋆ † ^ < [ ∂ ̂ ̃
"""

from __future__ import annotations

from unicodedata import normalize

from ..collector import RawRow
from ..line_rewriting import rewritings
from . import Correction, SplitRow

_MARKS = rewritings("own_marks")


def _rows(split: SplitRow) -> list[RawRow] | None:
    """Return [the row] of an adjoint with such a mark, with a macron after the name, or as `dv` if the mark is ∂.

    Names with the mark in formulas are changed too. None if the whole left side is not a name with the mark. None also
    if fewer than two different names have this mark on a left side of the section and are themselves names of the
    problem or left sides without the mark; this row's name may be among them, but need not be.
    """
    row, text = split.row, normalize("NFD", split.row.left.text).strip(" :")
    for _, mark, new in _MARKS:
        if not mark.fullmatch(text):
            continue
        matches = [mark.fullmatch(normalize("NFD", each).strip(" :")) for each in split.written]
        names = {match[1] for match in matches if match} & {*split.written, *split.lefts.names.known}
        if len(names) > 1:
            left, *pieces = [
                part._replace(text=mark.sub(new, normalize("NFD", part.text))) for part in (row.left, *row.pieces)
            ]
            return [row._replace(left=left, pieces=pieces, place=row.place or row.left.span)]
    return None


CORRECTION = Correction("a mark after a name is read as the sign of an adjoint", "v2* = 1; v1* = v2* = 1", of_row=_rows)
