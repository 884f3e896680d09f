"""Correction: pairs of a value and its derivative, `v1 = (0.693, 0.5)`, `v1 = Dual(0.693, 0.5)`, `v1 = 4 + 0.5ε`.

Signs: : , ; | ε ϵ eps e d
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ...table.primitive import lookup
from ..answer_model import DERIVATIVE, DOT, VALUE
from ..chains import inner
from ..collector import Cut, Hint, RawRow
from ..dual_numbers import EPSILONS, false_links, has_epsilon, input_of_letter, moving_inputs, plain_epsilons
from ..headers import is_column_word
from ..left_sides import is_derivative
from ..numerals import numeral
from ..row_grammar import RowParts, parse
from ..row_tokens import BETWEEN_DIGITS, is_formula
from ..shown_numbers import as_double
from ..symbols import Names
from . import DUAL_LETTERS, AnswerLine, Correction, NewRow, SplitRow

_NAMED = (
    r"\s*+(?P<name>[^\s:=(]++)\s*+(?:=(?P<formula>[^=:]++))?:\s*+(?P<pair>[(<⟨][^()<>⟨⟩]*+[)>⟩])(?P<rest>\s\s.*|\W*)\Z"
)
_AROUND = " +-−()[]{}"  # what is written around the size of a slope
_SIGNS = (",", ";", "|", *EPSILONS)


def _rows(split: SplitRow) -> list[RawRow] | None:
    """Return a row of the value, and one of the derivative: the same left side with a hint.

    The value's row has the formulas before the pair, too, but not those with ε; a pair that seeds an input under
    another name has that input as its formula (`_seeded`). The derivative is a tangent for a dual number or a call of
    Dual, or else of either kind.

    - A slope without digits, as in `4 + ε`, is 1.
    - With a slope for each input, as `Dual(0.69, 0.5, 0)` and `8 + 4ε1 - ε2`, there is a tangent for each.
    - If two or more rows end in e or d, as `4 + 1e`, that letter is ε.
    - A dual number is also read if the left side is not a symbol: `f(2 + ε)` on the left is f, and `cos(2 + ε)` is
      `cos(x)` if x is 2.

    None if the last piece has no such form, or if the row has a hint already or is not that of a value. None also for a
    name that the problem lacks if exactly one row of the section has a list as its last piece: this may be a direction.
    """
    row, last = split.row, split.last
    if split.duals > 1 and last.text.endswith(DUAL_LETTERS) and last.text[-2:-1].isdecimal():
        last = last._replace(text=f"{last.text[:-1]}ε")
    if row.hint is not None or not _has_any(last.text, _SIGNS) or not _may_have_slope(split):
        return None
    plain = last._replace(text=plain_epsilons(last.text)) if has_epsilon(last.text) else last
    dual = parse("dual", BETWEEN_DIGITS.sub(".", plain.text))
    pair = dual or _pair(split)
    if pair is None:
        return _row_with_slopes(split) or _row_with_indices(split, plain)
    value = inner(plain if dual else last, *pair.places["value"])
    if dual:
        return _dual_rows(split, value, [("ε", _slope_of_dual(inner(plain, *pair.places["slope_of_dual"])))])
    slope = inner(last, *pair.places["slope"])
    if pair["maker"].lower().startswith("dual"):
        return _dual_rows(split, value, [("ε", slope)])
    rest = row._replace(pieces=[slope], hint=Hint(DERIVATIVE), place=slope.span)
    return [row._replace(pieces=[*_formulas(row), value]), rest]


def _dual_rows(split: SplitRow, value: Cut, slopes: Sequence[tuple[str, Cut]]) -> list[RawRow]:
    """Return rows of a value and of its tangents; `slopes` are (letter, slope), with an index if there are several.

    Their left side is without dual numbers (`_without_duals`). Numbers of false links precede the number."""
    row, names = split.row, split.lefts.names
    left, moving = _without_duals(row.left.text, names)
    row = row._replace(left=row.left._replace(text=left))
    links = false_links(row.pieces[:-1], {"": value, **dict(slopes)}, names)
    seed = [value._replace(text=name) for name in _seeded(split, value.text, slopes[0][1].text)]
    rows = [row._replace(pieces=[*seed, *_formulas(row), *links[""], value])]
    for letter, slope in slopes:
        hint = Hint(DOT, input_of_letter(letter, names) or moving.get(letter))
        place = slope.span if letter == "ε" else None
        rows.append(row._replace(pieces=[*links[letter], slope], hint=hint, place=place))
    return rows


def _seeded(split: SplitRow, value: str, slope: str) -> list[str]:
    """Return [x] if the row gives another name, such as X, to the input x: `X = 2 + 1ε`; else [].

    The row must be among the first of its section, one for each input, and x the only input with this value at the
    point. The slope is 1, and the name is not one that the problem has.
    """
    names, number = split.lefts.names, numeral(value.replace(",", "."))
    left = split.lefts[split.row.left.text]
    name = left.written or "" if left else ""
    is_new = name.isidentifier() and name not in names.known and names.result_of(name) is None
    is_first = split.row in split.rows[: len(names.inputs)] and len(split.row.pieces) == 1
    given = [x for x, at in names.point.items() if number and as_double(number.value) == at]
    return given if is_new and is_first and slope.strip(_AROUND) in ("", "1") and len(given) == 1 else []


def _row_with_slopes(split: SplitRow) -> list[RawRow] | None:
    """Return rows of the value and of its tangent for each input in `Dual(0.69, 0.5, 0)`, in the order of `names.wrt`.

    All have the left side of the row; a tangent has its input in the hint. None for every other list, and if
    `names.wrt` has only one input.
    """
    row, inputs = split.row, split.lefts.names.wrt
    maker, _, inside = split.last.text.strip().partition("(")
    cells = inside.removesuffix(")").replace(";", ",").split(",")
    is_dual = maker.strip().lower().startswith("dual") and len(cells) == 1 + len(inputs) > 2
    if not is_dual or not all(parse("pair", f"({cell}, 0)") for cell in cells):
        return None
    value, *slopes = (split.last._replace(text=cell.strip()) for cell in cells)
    tangents = [row._replace(pieces=[each], hint=Hint(DOT, wrt)) for wrt, each in zip(inputs, slopes, strict=True)]
    return [row._replace(pieces=[*row.pieces[:-1], value]), *tangents]


def _row_with_indices(split: SplitRow, last: Cut) -> list[RawRow] | None:
    """Return rows of the value and of its tangents in `8 + 4ε1 - ε2`, the `last` piece, in the order of the terms.

    Indices are names of inputs or their numbers from 1, among all inputs; an input without a term has no row. A slope
    may be missing (1) or a sign, else it is a number. None for every other text.
    """
    text = last.text.replace("−", "-").replace("-", "+-")
    value, *terms = [term.strip() for term in text.replace("- ", "-").split("+") if term.strip()] or [""]
    slopes: list[tuple[str, Cut]] = []
    for size, _, index in (term.partition("ε") for term in terms):
        size = size.strip("*· ")
        slope = last._replace(text=f"{size}1" if size in ("", "-") else size)
        if input_of_letter(index, split.lefts.names) is None or numeral(slope.text) is None:
            return None
        slopes.append((f"ε{index.strip('_{} ')}", slope))
    return _dual_rows(split, last._replace(text=value), slopes) if slopes and numeral(value) is not None else None


def _formulas(row: RawRow) -> list[Cut]:
    """Return the pieces of a row before the last one, without those with ε."""
    return [piece for piece in row.pieces[:-1] if not _has_any(piece.text, EPSILONS)]


def _without_duals(text: str, names: Names) -> tuple[str, dict[str, str]]:
    """Return a left side without dual numbers, and {letter: the input that it moves}: (f, {ε: x}) for `f(3 + ε, 2)`.

    If the text before the bracket is a name of a result (`names.result_of`), `moving_inputs` reads the arguments, and
    {} is returned for what it does not read. Otherwise each dual number of slope 1 (ε or 1ε), whose value is
    written as the `point` of an input (`:g`), is replaced by the first such input, which moves; other texts stay.
    """
    plain = plain_epsilons(text) if has_epsilon(text) else text
    function, _, argument = plain.partition("(")
    if function and has_epsilon(argument) and names.result_of(function.strip()):
        moving = moving_inputs(argument.rpartition(")")[0].replace(";", ",").split(","), names)
        return function.strip(), moving or {}
    moving = {}
    for name, value in names.point.items():
        for shown in (f"{value:g} + ε", f"{value:g}+ε", f"{value:g} + 1ε", f"{value:g}+1ε"):
            moving |= {"ε": name} if shown in plain else {}
            plain = plain.replace(shown, name)
    return (plain, moving) if moving else (text, {})


def _pair(split: SplitRow) -> RowParts | None:
    """Return the parts of the pair that ends a row with a symbol or dual number on its left; None if there is none.

    None also for a call of a function, `hypot(3, 4)`, for values of inputs, `{x: 0.8, y: 0.4}`, and for seeds,
    `y  (xdot = 0, ydot = 1)`.
    """
    left = split.row.left.text
    is_row = split.lefts[left] is not None or has_epsilon(left) or (split.lists > 2 and is_formula(left))
    pair = parse("pair", split.last.text) if is_row else None
    label = pair["label"].strip(" =:") if pair else ""
    is_seed = label in split.lefts.names.inputs or is_derivative(split.lefts[label])
    return None if pair and (lookup(pair["maker"]) or is_seed) else pair


def _has_any(text: str, signs: Iterable[str]) -> bool:
    return any(map(text.__contains__, signs))


def _may_have_slope(split: SplitRow) -> bool:
    """Return whether the row may state a value with its derivative.

    True if its left side is not a symbol. A symbol must be that of a value. If exactly one row of the section has a
    last piece that begins with a bracket, the symbol must also be a name that the problem has.
    """
    left = split.lefts[split.row.left.text]
    if left is None:
        return True
    kind, name, _ = left.quantity
    return kind == VALUE and (split.lists != 1 or name in split.lefts.names.known.values())


def _slope_of_dual(slope: Cut) -> Cut:
    """Return the `slope` of a dual number with its signs joined and no brackets; 1 if it has no digits."""
    size = slope.text.strip(_AROUND)
    signs = slope.text[: slope.text.index(size)] if size else slope.text
    is_negative = (signs.count("-") + signs.count("−")) % 2
    return slope._replace(text=("-" if is_negative else "") + (size or "1"))


def _of_line(line: AnswerLine) -> list[NewRow] | None:
    """Return the row of `v1: (0.693, 0.5)`, or `v1 = ln x: (0.693, 0.5)` with its formula, and the rows behind a gap.

    None if that is not a pair of numbers, or if the text before it is a word for a column, or not the symbol of a row.
    """
    name, pair = line.match.group("name", "pair")
    if parse("pair", pair) is None or is_column_word(name.casefold()) or line.lefts[name] is None:
        return None
    pieces = [line.group(part) for part in ("formula", "pair") if line.match[part]]
    return [NewRow(line.group("name"), pieces), *line.split_rows(*line.match.span("rest"))]


CORRECTION = Correction("pairs are read as a value and its derivative", "v1 = (0.693, 0.5)", _of_line, _rows, _NAMED)
