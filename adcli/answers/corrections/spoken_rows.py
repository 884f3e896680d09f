"""Correction: spoken rows, `Die partielle Ableitung nach y ist x^2 + 1 = 10.`, in four languages.

Signs: wrt w.r.t respect rapport rispetto bezüglich bzgl nach vaut deriv partial slope gradient ableitung dérivée
afgeleide differentiat val wert waarde
"""

from __future__ import annotations

from ...table.primitive import lookup
from ..chains import between, chains, inner
from ..collector import Cut
from ..line_rewriting import part, row_pattern
from ..numerals import numeral
from ..row_tokens import words_of
from ..stated_numbers import end_of_point
from ..symbols import Names
from ..vectors import parts
from . import AnswerLine, Correction, NewRow

_SHAPE = part("SPOKEN_ROW").replace(" ", r"\s")
_AND_GRADIENTS = [f"{joint} gradient" for joint in (" and", " and the", ",", ";", " und der", " et le")]
_REASONS = ("because", "since", "as", "weil", "da", "denn", "car", "puisque", "porque", "pues", "ya que", "perché")
_ARTICLES = frozenset(("the", "its", "die", "la", "sa", "su", "partial"))  # not: inner, second
_SIGN = row_pattern(r"[=≈→]|->|=>|,?\s++(?:{HENCE}|so|(?:that|which|que)(?:\s++\w++){0,3}?\s++(?:is|es|vale))\s++")


def _rows(line: AnswerLine) -> list[NewRow] | None:
    """Return [the row] of a sentence on the value of the only result, or on its derivative with respect to an input.

    The pieces are the texts between equals signs after the verb, up to a reason (`, because …`) or a last full stop
    (`_row_of`). If a sentence on a value goes on with `and the gradient`, the rows are those of `_with_gradient`.

    None in these cases:
    - The problem has several outputs, or brackets after `at` do not hold its point.
    - The function in the sentence has a name of two or more letters (even the output's), or is the left side of a row
      above and not an output.
    - The text after the verb is empty, or has a semicolon, another row, or a word of three or more letters that is
      neither a name nor a function; or the input is unknown.
    """
    names, match = line.lefts.names, line.match
    function = match["function"] or match["of"]
    others = {row.left.text for row in line.rows}.difference(names.outputs)
    is_elsewhere = bool(match["at"]) and not end_of_point(line.text, match.start("at"), names)
    if is_elsewhere or len(names.outputs) != 1 or function in others or len(function or "") > 1:
        return None
    start, end = match.span("rest")
    end = min([end, *(place for word in _REASONS if (place := line.text.find(f", {word} ", start)) > 0)])
    rest = line.text[start:end]
    joint = next((place for word in _AND_GRADIENTS if (place := rest.lower().find(word)) > 0), None)
    if joint is not None and not match["derivative"]:
        return _with_gradient(line, start + joint, end)
    return _row_of(line, start, end)


def _row_of(line: AnswerLine, start: int, end: int) -> list[NewRow] | None:
    """Return [the row] whose pieces are the texts from `start` to `end` between relations, without blank ones.

    Relations are = ≈ → and words such as `, so` and `which is`. The left side is the derivative of the only output by
    the input of the sentence (`_input_of`) if `line.match` has the group `derivative`, else the output. A first piece
    such as `f'_x` is dropped, unless it is the only one.

    None if nothing is left, or if a derivative has no input in `names.inputs`. None also if the text has a semicolon, a
    relation after a symbol of the problem (another row), or a word of three or more letters that is neither a name nor
    a function.
    """
    names, match, rest = line.lefts.names, line.match, line.text[start:end]
    if ";" in rest or any(line.lefts[rest[slice(*row.left)].strip(" $")] for row in chains(rest)):
        return None  # another row
    places = between([sign.span() for sign in _SIGN.finditer(line.text, start, end)], start, end)  # = or `, also`
    wrt = _input_of(line)
    is_unclear = bool(match["derivative"]) and wrt not in names.inputs
    if is_unclear or any(_is_prose(line.text[slice(*place)], names) for place in places):
        return None
    symbol = names.outputs[0] if wrt is None else f"∂{names.outputs[0]}/∂{wrt}"
    pieces = [line.cut(*place) for place in places if line.text[slice(*place)].strip()]
    return [NewRow(line.cut(0, start)._replace(text=symbol), _without_symbol(pieces, names))] if pieces else None


def _without_symbol(pieces: list[Cut], names: Names) -> list[Cut]:
    """Return the pieces without a first one that is a derivative with a prime, as in `… is f'_x = 2x`.

    It stays if it is the only piece.
    """
    function, prime, _ = pieces[0].text.partition("'")
    return pieces[1:] if len(pieces) > 1 and prime and names.result_of(function) is not None else pieces


def _input_of(line: AnswerLine) -> str | None:
    """Return the name by which a sentence differentiates; None for a value, and if it is not clear.

    If the sentence names an input, that is the name, as the problem spells it; whether it is an input is not checked.
    If it names none, the name is the only one of `names.inputs` (None if there are several), under these conditions:
    the function in the sentence is an output or not named; the word before `derivative` is an article, or there is none
    (not `inner`); and the words before the pieces are not `at x =`, which is another point.
    """
    names, match = line.lefts.names, line.match
    wrt = names.own(match["input"]) if match["input"] else None
    if not match["derivative"] or wrt is not None or len(names.inputs) != 1:
        return wrt
    if line.text[: match.start("rest")].rstrip(" =:").split()[-2:-1] == ["at"]:
        return None  # at x = 1, another point
    before = line.text[: match.start("derivative")].lower().split()[-1:]
    is_whole = (match["function"] or match["of"]) in (None, *names.outputs) and _ARTICLES.issuperset(before)
    return names.inputs[0] if is_whole else None


def _with_gradient(line: AnswerLine, joint: int, end: int) -> list[NewRow] | None:
    """Return the rows of `the value is 12 and the gradient is (12, 4)`: of the only result, then of its derivatives in
    the order of `names.wrt`.

    The value is the text from the end of the verb to `joint`, the offset of the words ` and the gradient`; `end` is
    that of the list. The entries, which may be formulas, are split by `parts`; a single one may be without brackets.
    None if the value is not a number, or the list cannot be split into as many entries as `names.wrt` has.
    """
    names, number = line.lefts.names, line.cut(line.match.start("rest"), joint)
    listed = line.cut(joint + line.text[joint:end].index("radient") + len("radient"), end)
    listed = inner(listed, len(listed.text) - len(listed.text.lstrip(" isteargb:=,")), len(listed.text))
    entries = parts(listed, len(names.wrt))
    if entries is None or numeral(number.text) is None:
        return None
    subject = line.cut(0, joint)
    gradient = [
        NewRow(subject._replace(text=f"∂{names.outputs[0]}/∂{name}"), [entry])
        for name, entry in zip(names.wrt, entries, strict=True)
    ]
    return [NewRow(subject._replace(text=names.outputs[0]), [number]), *gradient]


def _is_prose(text: str, names: Names) -> bool:
    """Return whether `text` has a word of three or more letters that is neither a name nor a function."""
    return any(len(word) > 2 and lookup(word.lower()) is None and word not in names.known for word in words_of(text))


CORRECTION = Correction("sentences are read as rows", "the derivative with respect to x is 3", _rows, shape=_SHAPE)
