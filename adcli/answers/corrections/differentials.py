"""Correction: differentials of a result, `df = 6 dx + 9 dy`, as its partial derivatives.

Signs: d
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import takewhile

from ...patterns import pattern
from ...records import grouped
from ..chains import inner
from ..collector import Cut, RawRow
from ..row_tokens import names_in
from ..symbols import Names
from . import Correction, SplitRow

_NAME = pattern(r"\s*+(?:d|\\mathrm\{d\}|𝑑)\s?(?P<name>[^\W\d_]\w*+)(?:\([^()]*+\))?\s*+\Z")
_TERM = pattern(
    r"\s*+(?P<factor>[-−+]?.*?)\s*+[*·]?\s*+(?:d|\\mathrm\{d\}|𝑑)\s?(?P<input>[^\W\d_]\w*+)\s*+(?=[-−+]|\Z)"
)
_SIGNS = frozenset("d\\𝑑")
_MOST = 30  # terms
_TIMES, _SEEDS = frozenset("*·×"), frozenset("01")
_SPACED = str.maketrans("*·×+-−()", " " * 8)


def _rows(split: SplitRow) -> list[RawRow] | None:
    """Return a row for each input of a differential, as ∂f/∂x = 2*x*y = 12 of `df = 2xy dx + x² dy = 12 dx + 9 dy`.

    Its pieces are the factors of the input's differential, of one piece of the row after the other. Pieces behind the
    last differential are dropped if they are estimates (`_are_estimates`), `= 12*0.1 + 9*0.2 = 3`; else the row is a
    tangent, and None is returned. The left side, after a colon, must be the differential of a result. With two terms
    or more it may be that of every name that is not an input. None for other left sides, and if the first piece, or one
    behind another piece, is no differential of inputs. None also if two or more different left sides of the section,
    with its own, begin with d and have no `/`: then the row is a tangent.
    """
    row, names = split.row, split.lefts.names
    name = _result(split)
    if name is None:
        return None
    result = names.result_of(name) or name
    read = [_terms_of_inputs(piece, names) for piece in row.pieces]
    differentials = list(takewhile(bool, read))
    if not differentials or any(read[len(differentials) :]):
        return None
    estimates = row.pieces[len(differentials) :]
    is_tangent = len(estimates) > 0 and not _are_estimates(estimates, split)
    if is_tangent or (len(differentials[0]) < 2 and names.result_of(name) is None):
        return None
    return [
        row._replace(left=row.left._replace(text=f"∂{result}/∂{wrt}"), pieces=pieces, place=pieces[-1].span)
        for wrt, pieces in grouped(pair for differential in differentials for pair in differential).items()
    ]


def _terms_of_inputs(piece: Cut, names: Names) -> list[tuple[str, Cut]]:
    """Return the terms of a differential (`terms`), with inputs as the problem spells them.

    [] if a name is not an input, or the differential of one is in a factor, as in `dx*y + x*dy`."""
    pairs = [(names.own(wrt), factor) for wrt, factor in terms(piece)]
    factors = (factor.text.replace("/d", "/") for _, factor in pairs)  # dV/dr is a derivative
    is_read = all(wrt in names.inputs for wrt, _ in pairs)
    return pairs if is_read and all(_changes(names).isdisjoint(names_in(text)) for text in factors) else []


def _changes(names: Names) -> set[str]:
    """Return the names of the differentials of the inputs: {"dx", "dy"}."""
    return {f"d{each}" for each in names.inputs}


def _are_estimates(pieces: Sequence[Cut], split: SplitRow) -> bool:
    """Return whether numbers behind a differential are an estimate for changes of the inputs, and not for seeds.

    One of the pieces is a product of numbers other than 0 and 1, or the section has such a number for the change of an
    input, `dx = 0.1`; and it has no seeds, `dx = 1`."""
    changes = _changes(split.lefts.names)
    texts = {piece.text for row in split.rows if row.left.text.strip() in changes for piece in row.pieces}
    products = [set(piece.text.translate(_SPACED).split()) for piece in pieces if not _TIMES.isdisjoint(piece.text)]
    return _SEEDS.isdisjoint(texts) and (len(texts) > 0 or any(map(_SEEDS.isdisjoint, products)))


def _result(split: SplitRow) -> str | None:
    """Return the name in the differential on the left side of a row; None if it is an input, if no piece has a d, or if
    a differential on the left of another row is neither that of an input nor of this name."""
    names = split.lefts.names
    name = _differentiated(split.row.left.text) if any("d" in piece.text for piece in split.row.pieces) else None
    others = (result_of(text) or text for text in split.written if text[:1] == "d" and "/" not in text)
    is_input = name is None or (names.result_of(name) or name) in names.inputs
    return None if is_input or not {*names.inputs, name}.issuperset(others) else name


def _differentiated(text: str) -> str | None:
    """Return the name in the differential on a left side: V in `dV` and `total: dV`, also behind words; else None."""
    left = text.rpartition(":")[2].strip()
    left = left if left[:1] in _SIGNS else "".join(left.split()[-1:])  # total differential dV
    return result_of(left) if left[:1] in _SIGNS else None


def result_of(text: str) -> str | None:
    """Return the name in the left side `df` or `df(x, y)`; None if it is not a differential."""
    match = _NAME.match(text)
    return match["name"] if match else None


def terms(piece: Cut) -> list[tuple[str, Cut]]:
    """Return the terms of a differential such as `6 dx - dy` as pairs (name, factor): ("x", 6), ("y", -1), in order.

    The name is as written and need not be an input. The factor is any text before the d, with its sign, as `2*x` or
    `-(y)`; a missing one becomes 1, a sign alone 1 with this sign; a plus sign before it is dropped. [] if a term has
    another form, or if there are more than 30.
    """
    pairs: list[tuple[str, Cut]] = []
    place = 0
    while place < len(piece.text.rstrip()):
        term = _TERM.match(piece.text, place)
        if term is None or len(pairs) == _MOST:
            return []
        factor = inner(piece, *term.span("factor"))
        plain = factor.text.replace(" ", "")
        factor = factor._replace(text=plain + "1" if plain in ("", "+", "-", "−") else factor.text.lstrip("+ "))
        pairs.append((term["input"], factor))
        place = term.end()
    return pairs


def slopes_of(pieces: Sequence[Cut], inputs: Collection[str], requested: Collection[str]) -> dict[str, list[Cut]]:
    """Return the factors of each input in a chain of differentials, `y dx + x dy = …`: one for each piece that is read.

    A piece is left out as a whole if it is no sum of differentials or has one of something other than `inputs`. {} if
    no piece is read, and if any that is read has an input twice or lacks one of those `requested`."""
    read = [slopes for slopes in map(terms, pieces) if slopes and all(name in inputs for name, _ in slopes)]
    names = [[name for name, _ in slopes] for slopes in read]
    is_read = all({*requested} <= {*each} and len({*each}) == len(each) for each in names)
    return grouped(pair for slopes in read for pair in slopes) if is_read else {}


CORRECTION = Correction("a differential is read as partial derivatives", "df = 6 dx + 9 dy", of_row=_rows)
