"""Correction: clauses in words that state a number each, `The value at x = 2 is -1 and the derivative there is 10.`

Signs: value function wert funktion valeur fonction valor función result derivative slope partial gradient ableitung
steigung dérivée pente derivada pendiente get comes is
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import pairwise

from ..collector import Cut
from ..numerals import numeral
from ..row_tokens import NUMBER, chunks, word_sets, words_of
from ..stated_numbers import end_of_point
from ..symbols import Names
from . import AnswerLine, Correction, NewRow

_VALUE, _DERIVATIVE, _JOINTS, _OTHERWISE, _BEFORE, _AFTER, _FUNCTION = word_sets(
    "clauses", "value", "derivative", "joint", "otherwise", "before", "after", "function"
)
_SHAPE = rf"(?!.*[+*/^{{}}|<>∂∇]|.*\\(?:partial|nabla)|.*\w'\s*=)[^=]*(?:=\s*{NUMBER}[^=]*)*\Z"
_AROUND = ".,;:!()[]$ "


def _clauses(line: AnswerLine) -> list[list[Cut]]:
    """Return the words of each clause of a line as cuts, without punctuation and brackets at their right ends.

    A clause ends at `and`, `while` and the like (which are left out), and after a word that ends with a comma or
    semicolon; clauses may be empty. The problem's point with its own numbers, `x = 2` or `(2, 3)` (not another `x =
    1`), is left out if a blank or comma follows it; a word before it such as `at` stays. If the problem has several
    outputs, the result is [[]].
    """
    text, place = line.text, 0
    clauses: list[list[Cut]] = [[]]
    if len(line.lefts.names.outputs) != 1:
        return clauses
    for start, end in chunks(text):
        place = max(place, end_of_point(text, start, line.lefts.names))
        if text[start:end].lower() in _JOINTS:
            clauses.append([])
            continue
        if start >= place:
            clauses[-1].append(line.cut(start, start + len(text[start:end].rstrip(_AROUND))))
        clauses += [[]] if text[end - 1] in ",;" else []
    return clauses


def _rows(line: AnswerLine) -> list[NewRow] | None:
    """Return the rows of a line in which each clause states one number, of the only result or of its derivative.

    The derivative is with respect to the input that the clause names, or else by the only one. Clauses without a number
    give no row. A word for the derivative holds also for the clauses after it, up to one of the value; a word for the
    value holds only for its clause.

    None if there is no row (also for several outputs), or if a clause with a number
    - has several numbers, or the number is not stated (`_is_stated`);
    - is of an unknown quantity (`_symbol`), or of one that has a row already, even with the same number;
    - has a word such as `second`, `not` or `if`.
    """
    rows: dict[str, NewRow] = {}
    is_derivative = False
    for clause in _clauses(line):
        words = {word.text.strip(_AROUND).lower() for word in clause}
        is_value = _is_of_value(clause, words, line.lefts.names)
        is_derivative = not is_value and (is_derivative or bool(_DERIVATIVE & words))
        numbers = [place for place, word in enumerate(clause) if numeral(word.text.strip(_AROUND)) is not None]
        if numbers:
            symbol = _symbol(clause, is_value, is_derivative, line.lefts.names)
            is_stated = _is_stated(clause, numbers[0], line.lefts.names.inputs if rows else ())
            if len(numbers) > 1 or symbol is None or symbol in rows or not is_stated or _OTHERWISE & words:
                return None
            number = clause[numbers[0]]._replace(text=clause[numbers[0]].text.strip(_AROUND))
            rows[symbol] = NewRow(number._replace(text=symbol), [number])
    return list(rows.values()) or None


def _is_of_value(clause: Sequence[Cut], words: Collection[str], names: Names) -> bool:
    """Return whether a clause, whose `words` are in small letters, is about the value of the result, not a slope.

    It has no word for a derivative, and a word such as `value` or a name of the result (`y`, `f(x)`).
    """
    named = {word.text.strip(_AROUND) for word in clause}
    return _DERIVATIVE.isdisjoint(words) and (not _VALUE.isdisjoint(words) or _names_result(named, names))


def _symbol(clause: Sequence[Cut], is_value: bool, is_derivative: bool, names: Names) -> str | None:
    """Return the symbol of what a clause is about: the output, or `∂y/∂x`; None if no case applies.

    `is_value` and `is_derivative` say what the clause, or those before it, speak of. Inputs are whole words of the
    clause, in the same capitals, that are in `names.inputs`. The first that applies:

    - the clause is about another quantity (`_is_of_other`): None;
    - `is_value`: the first output, whatever `is_derivative` is;
    - `is_derivative`, and exactly one input is in the clause: the derivative with respect to it;
    - `is_derivative`, no input is in the clause, and `names.wrt` has only one: the derivative with respect to that.
    """
    inputs = {word.text.strip(_AROUND) for word in clause}.intersection(names.inputs)
    single = [*inputs] or names.wrt
    if _is_of_other(clause, names) or not (is_value or (is_derivative and len(single) == 1)):
        return None
    return names.outputs[0] if is_value else f"∂{names.outputs[0]}/∂{single[0]}"


def _is_stated(clause: Sequence[Cut], place: int, inputs: Collection[str]) -> bool:
    """Return whether the number at index `place` of a clause is stated, as in `is 12`, `value: 12` or `is 12 at x`.

    The word just before it must be in `_BEFORE` (`is`, `equals`, `about` and the like) or end with a colon. The word
    after it must be in `_AFTER` (`at`, `for` and the like) or begin with a bracket, if there is one; it must not be a
    noun as in `2 steps`. `inputs` has the names of the inputs if a clause of the line already gave a row; else it is
    empty. With `inputs` the number may also begin the clause or follow an input.
    """
    before = clause[place - 1].text.lower() if place else ""
    after = clause[place + 1].text.lower() if place + 1 < len(clause) else "at"
    goes_on = bool(inputs) and before in ("", *inputs)
    return (goes_on or before.rstrip(":") in _BEFORE or before[-1:] == ":") and (after in _AFTER or after[:1] == "(")


def _is_of_other(clause: Sequence[Cut], names: Names) -> bool:
    """Return whether a clause is about something else than the function: `the value of m`, `the slope for v1`.

    That is a name with a digit or underscore that is neither an input nor the result; or a word just after `of`, `von`
    or `de` that is neither the result (a bracket after it does not count) nor one of `_FUNCTION`, such as `the` and
    `function`. An input after `of` is something else too.
    """
    rows = (word.text for word in clause if word.text.isidentifier() and not word.text.isalpha())
    if any(names.own(row) not in names.inputs and names.result_of(row) is None for row in rows):
        return True
    after = [two.text for one, two in pairwise(clause) if one.text.lower() in ("of", "von", "de")]
    return any(word.lower() not in _FUNCTION and names.result_of(word.partition("(")[0]) is None for word in after)


def _names_result(words: set[str], names: Names) -> bool:
    """Return whether one of the `words` is a name of the result, alone or before a bracket."""
    return any(
        names.result_of(word.partition("(")[0]) is not None for word in words if words_of(word) and len(word) < 9
    )


CORRECTION = Correction(
    "clauses that state a number each are read as rows", "the value is -1 and the derivative there is 10",
    _rows, shape=_SHAPE,
)  # fmt: skip
