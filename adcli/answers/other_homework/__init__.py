"""Other homework next to a problem's own rows: second derivatives, step sizes, difference quotients, Taylor lines.

None of it is a wrong row of the problem.  It is left out of the rows and quoted with the reason."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from functools import cached_property

from ...records import NamedTuple
from ...table.primitive import lookup
from ..answer_model import BAR, DERIVATIVE, VALUE, LeftOut, normal
from ..collector import RawRow, RawSection
from ..higher_derivatives import LETTERS, output_of, read_quotient, split_index
from ..line_rewriting import row_pattern
from ..numerals import numeral
from ..row_tokens import DERIVATIVE_IN_WORDS, names_in, word_sets
from ..symbols import FUNCTIONS, Names
from .iterations import (
    NO_INDEX,
    STEP_NAMES,
    differs,
    is_at_new_point,
    is_constant,
    is_newton_step,
    is_step_size,
    is_taylor_line,
    is_update,
    last_word,
)
from .stated_points import ELSEWHERE, StatedPoints

_HIGHER = row_pattern("{HIGHER_DERIVATIVE}", signs=("'", "′", "″", "\\prime", "^", "²", "³"))
_APPLIED, _SLOPES = frozenset("('"), frozenset("d∂'")
_QUOTIENT = row_pattern("{DIFFERENCE_QUOTIENT}", signs="/}")
_COUNT = row_pattern("{COUNT}")
_LONGEST_STEP = 3  # letters of a name that is not a word for a count or of a heading
_COUNTED = row_pattern("{COUNTED}", re.IGNORECASE)
_CHECKS = ("finite", "difference", "differenz", "différence", "diferencia", "numerical check", "numerically")
_ITERATIONS = ("newton", "bisection", "secant", "fixed point", "fixed-point", "heron")
_CONDITIONS, _AT, _DECLARE, _PATHS, _OF, _CHECK = word_sets(
    "other_homework", "condition", "at", "declaration", "path", "of", "check"
)


class OtherWork(NamedTuple):
    """A kind of other homework: its name, an example, the test of a row, and the reason that is reported. A row is not
    one if `unless`, a test of it and its section, is true (None: no such test)."""

    name: str
    example: str
    applies: Callable[[RawRow, Names], bool]
    reason: str
    unless: Callable[[RawRow, _Section], bool] | None = None


def _is_higher_derivative(row: RawRow, names: Names) -> bool:
    """Return whether the left side has a derivative of order two or more: `f''`, `f^(2)`, `d²f/dx²`, `f_xy`, `H12`.

    False if the task has derivatives as outputs. Primes and quotients count for any function, anywhere in the left
    side. `f_xy` counts if f is a result and the index has two inputs or more, and an entry of a Hessian without
    formula."""
    left = row.left.text
    if any("/" in output for output in names.outputs):  # these are requested
        return False
    name, _, index = (_function_called(row)[0] or last_word(row)).partition("_")
    is_indexed = len(split_index(index, names.inputs)) > 1 and names.result_of(name) is not None
    return is_indexed or _HIGHER.search(left) is not None or _is_hessian_entry(row, names)


def _is_hessian_entry(row: RawRow, names: Names) -> bool:
    """Return whether the row is an entry of a Hessian, `H12`, `H_{1,2}` or `H_xy`: the last word on the left is H and
    two inputs of this problem or their numbers from 1. Its pieces must all be numbers (or missing); H must not be an
    input."""
    name = last_word(row)
    letter, index = name[:1], name[1:].translate(NO_INDEX)
    if letter != "H" or letter in names.inputs or any(numeral(piece.text) is None for piece in row.pieces):
        return False
    numbers = [str(number) for number in range(1, len(names.inputs) + 1)]
    return len(split_index(index, numbers) or split_index(index, names.inputs)) == 2


def _is_quotient(row: RawRow, names: Names) -> bool:
    """Return whether the row begins with a difference quotient, alone or after a word and a colon, as `check:`."""
    left, span = row.left.text, row.left.span
    is_label = span.source.text.startswith(":", span.end) and names.own(left) not in names.known.values()
    places = (piece.span.start for piece in row.pieces[:1] if _QUOTIENT.search(piece.text))
    return any(is_label or place == span.start for place in places)


def _is_count(row: RawRow, names: Names) -> bool:
    """Return whether the row counts things, `m = 1 output` or `number of inputs n = 3`, or is a heading, `page = 3`.

    Its only piece begins with a whole number and a noun such as `outputs` (`_COUNT`) and ends in a letter. Or it is a
    whole number, and the left side begins with a word such as `number of` or is a single word such as `page`
    (`_COUNTED`). False if the last word on the left is a known name."""
    left = row.left.text.strip(" :")
    if len(row.pieces) != 1 or names.own("".join(left.split()[-1:])) in names.known.values():
        return False
    text = row.pieces[0].text.strip(" .,;")
    has_noun = text[:1].isdecimal() and text[-1:].isalpha()
    is_counted = text.isdecimal() and len(left) > _LONGEST_STEP
    return (has_noun and _COUNT.match(text) is not None) or (is_counted and _COUNTED.match(left) is not None)


def _is_lower_derivative(row: RawRow, names: Names) -> bool:
    """Return whether the row is a function, `f(2, 3)`, or lower derivative, `f_x`, in a task for higher derivatives.

    False if no output of the task is a derivative, and for the row of an output, but not for f(x). Otherwise True if
    its column or title is one of derivatives, or the left side (a label before a colon does not count) begins with a
    symbol of any tangent, adjoint or derivative, or is the name of a differentiated function or f, g, h or y (unless an
    input has that name), alone, with primes or arguments. With an input as index, `u_x` and `ux`, with arguments or
    primes, the name may be any letter."""
    left = row.left.text.strip(" :").rpartition(":")[2].strip(" *-–•·+")  # `first derivatives: f_x`
    read = {quotient[0] for output in names.outputs if (quotient := read_quotient(output, names.inputs))}
    name, index = _split_component(left.partition("(")[0], names.inputs)
    has_any_letter = index != "" or not _APPLIED.isdisjoint(left)  # u_x, l'(2)
    functions = read.union(LETTERS if has_any_letter else "fghy").difference(names.inputs)
    subject = output_of(left, names.inputs, names.outputs) or names.own(left.partition("(")[0])
    if not left or not read or (subject in names.outputs and (index or name not in functions)):
        return False
    symbol = names.at(left, 0)
    is_derivative = symbol is not None and isinstance(symbol.parts[0], tuple) and symbol.parts[0][0] != VALUE
    is_function = name.rstrip("'") in functions and index in ("", *names.inputs)
    return any((is_derivative, is_function, row.hint is not None))


def _split_component(text: str, inputs: Collection[str]) -> tuple[str, str]:
    """Return (name, index) of the component of a gradient, ("u", "x") for `u_x`, `u_{x}` and `ux`; else (text, "")."""
    name, bar, index = text.partition("_")
    if not bar and text[:1] in LETTERS and text[1:] in inputs and text not in inputs:
        return text[0], text[1:]
    return name, index.strip("{}")


def _is_other_function(row: RawRow, names: Names) -> bool:
    """Return whether the row defines a function that the problem does not have: `sig(z) = 1/(1+e^-z)`, `lambda z: …`.

    The row must be of the form `name(arguments) = …` or `name = lambda arguments: …`, with pieces, and meet two
    conditions. First, no argument is an input; or there are several inputs and a piece has an index of the first
    argument, `f(v) = v[1]^2`. Second, a piece has a `[`; or the last piece is not a number, and the name is neither a
    row or output (`names.is_row`) nor a single ASCII letter."""
    name, arguments = _defined_function(row)
    if not name.isidentifier() or not all(map(str.isidentifier, arguments)) or not row.pieces:
        return False
    is_known = names.is_row(name) or names.result_of(name.partition("_")[0]) is not None  # f_x(P)
    is_own = not is_known and (len(name) > 1 or not name.isascii()) and numeral(row.pieces[-1].text) is None
    unknown = all(names.own(each) not in names.inputs for each in arguments)
    unknown |= len(names.inputs) > 1 and any(f"{arguments[0]}[" in piece.text for piece in row.pieces)  # x[1] of a list
    return unknown and (is_own or any("[" in piece.text for piece in row.pieces))


def _defined_function(row: RawRow) -> tuple[str, list[str]]:
    """Return (name, arguments) of a row such as `f(x, y) = …` or `f = lambda x, y: …` (`lambda` before its first
    piece).

    The name is all before the first bracket, with words (`def f`). For any other row: (the whole left side, [""])."""
    name, bracket, inside = row.left.text.strip().rstrip(":").partition("(")
    if row.pieces and not bracket:
        between = row.left.span.source.text[row.left.span.end : row.pieces[0].span.start]
        inside = between.partition("lambda ")[2]
    return name, [part.strip(" :") for part in inside.removesuffix(")").split(",")]


def _is_own_call(row: RawRow, names: Names) -> bool:
    """Return whether the row only calls a function that the student's program defines: `L = nll(sig(z))`.

    Its only piece begins with a name and `(` and ends in `)`. The name has two letters or more and is not a function, a
    row or a product of names. Whether the answer defines it is not checked, nor the left side."""
    name, bracket, _ = row.pieces[0].text.strip().rstrip(";").partition("(") if len(row.pieces) == 1 else ("", "", "")
    quantity = names.quantity(name) if bracket and len(name) > 1 and name.isidentifier() else None
    is_new = quantity is not None and quantity.kind == VALUE and not names.is_row(name)
    return is_new and row.pieces[0].text.rstrip(" ;").endswith(")")


def _is_root(row: RawRow, names: Names) -> bool:
    """Return whether a row gives an input the solution of an equation before it in the line: `f'(x) = 0 → x = 2`.

    The only piece is a number that differs from the input's value, and no digit is between `= 0` and the row."""
    value = names.point.get(names.own(last_word(row)))
    number = numeral(row.pieces[0].text.strip(" .,;")) if len(row.pieces) == 1 else None
    before = row.left.span.source.text[: row.left.span.start].replace(" ", "")
    _, sign, between = before.rpartition("=0")
    is_solved = bool(sign) and not any(map(str.isdigit, between)) and between[:1] not in (".", ",")
    return is_solved and value is not None and number is not None and differs(number, float(value))


def _is_setting(row: RawRow, names: Names) -> bool:
    """Return whether the row only sets a number, after a word for a condition: `units with c = 1:`, `at x = 0 the value
    is -5`.

    The word (`_CONDITIONS` or `_AT`) is right before the name, the last word on the left, and the row has one piece.
    After `at`, the name is an input and the number that begins the piece is not its value (`differs`). Otherwise the
    name can be neither a row nor a derivative with the seed 0 or 1, `with x' = 1`, and the piece is a number alone
    (with signs such as : behind it)."""
    words = _words_before(row)
    if len(words) < 2 or len(row.pieces) != 1 or words[-2].lower().strip("(") not in _CONDITIONS | _AT:
        return False
    if not row.left.text.endswith(words[-1]) or DERIVATIVE_IN_WORDS.match(row.left.text):
        return False  # with respect to a it is 3, which is ∂y/∂a
    value = numeral("".join(row.pieces[0].text.split()[:1]).rstrip(",:"))
    input_value = names.point.get(words[-1])
    if input_value is not None and value is not None and words[-2].lower() in _AT:
        return differs(value, float(input_value))
    is_row = names.is_row(words[-1]) or (_is_slope(words[-1], names) and _is_in(("0", "1"), row))
    return numeral(row.pieces[0].text.rstrip(" :;,.)")) is not None and not is_row


def _is_slope(word: str, names: Names) -> bool:
    """Return whether a word may be a known name with the mark of a derivative, or has one that no name has: `L̄`."""
    symbol = names.quantity(word)
    return names.is_marked(word) or (symbol is not None and symbol.kind != VALUE)


def _is_implicit(row: RawRow, names: Names) -> bool:
    """Return whether the row may be implicit differentiation: `dy/dx = -F_x/F_y`, `y' = -1` and `∂z/∂x` of inputs.

    The left side is the derivative of an input with respect to another one, with primes or as a quotient, and a piece
    is neither 0 nor 1, as in a sweep."""
    word, texts = last_word(row), (last_word(row), row.left.text.strip(" :"))
    symbol = next(filter(None, (names.quantity(names.separate_marks(text)[0]) for text in texts)), None)
    if symbol is None or symbol.name not in names.inputs or len(names.inputs) < 2:
        return False
    is_other = symbol.key in names.inputs and symbol.key != symbol.name and symbol.name in row.left.text  # not dA/db
    return (is_other or word.endswith("'")) and any(piece.text.strip(" .") not in ("0", "1") for piece in row.pieces)


def _is_path(row: RawRow, _: Names) -> bool:
    """Return whether the left side is words for a path (the first of _PATHS, others also of _OF) and a name: `part of
    x: …`."""
    *words, name = row.left.text.lower().lstrip(" -–*•·+>").split() or [""]
    return words[:1] != [] and words[0] in _PATHS and _PATHS.union(_OF).issuperset(words) and "/" not in name


def _is_question(row: RawRow, _: Names) -> bool:
    """Return whether the last piece is a number or formula with a question mark at its end: `f'(2) = 1??`.

    A number behind a formula is an answer, and so is one with a comment: `2xy = 12 ???`, `12 # sure?`."""
    text = row.pieces[-1].text.rstrip() if row.pieces else ""
    shown, comment, _words = text.replace("//", "#").partition("#")
    is_answer = (comment or len(row.pieces) > 1) and numeral(shown.rstrip(" ?!")) is not None
    return text.endswith("?") and any(map(str.isalnum, text)) and not is_answer


def _is_check(row: RawRow, names: Names) -> bool:
    """Return whether the left side is only a word for a check, before a colon: `check: p - 1 = -0.38`."""
    text, span = row.left.text.strip(" :*_"), row.left.span
    is_label = ":" in row.left.text or span.source.text[span.end :].lstrip().startswith(":")
    return is_label and text.split(" ")[-1].casefold() in _CHECK and names.own(text) not in names.known.values()


def _is_exercise(row: RawRow, names: Names) -> bool:
    """Return whether the row defines a function, not f, F or an output, of a name that is no input: `g(t) = t^5`."""
    name, argument = _function_called(row)
    is_function = name.isidentifier() and name not in ("f", "F", *names.outputs)
    return is_function and argument.isidentifier() and names.own(argument) not in names.inputs


def _is_equation(row: RawRow, _: Names) -> bool:
    """Return whether the row is a formula, without a number, in front of the name: `sin(beta) = q`."""
    return len(row.pieces) == 1 and not _shows_number(row) and row.pieces[0].span.end < row.left.span.start


def _is_definition(row: RawRow, section: _Section) -> bool:
    """Return whether no row above has the row's name and a number, or all names in its formula are known here."""
    known = section.defined.union(section.names.known.values())
    names = (name for name in names_in(row.pieces[0].text) if lookup(name.lower()) is None)
    return last_word(row) not in section.numbered or known.issuperset(map(section.names.own, names))


def _is_part(row: RawRow, section: _Section) -> bool:
    """Return whether a row that defines a function belongs to the answer.

    It does if its name is in a formula of the section, or its argument is the last word on the left of a row (not one
    after `at`). It does as well if no row of the section has f or an output as last word on the left. Rows that are
    left out count too."""
    is_own = section.defined.isdisjoint(("f", *section.names.outputs))
    return is_own or _function_called(row)[1] in section.defined or _is_used(row, section)


def _is_in_sweep(_: RawRow, section: _Section) -> bool:
    """Return whether the problem has a mode, so that rows of inputs may be those of a sweep."""
    return section.has_mode


def _words_before(row: RawRow) -> list[str]:
    """Return the words of a line up to the end of the left side of a row."""
    return row.left.span.source.text[: row.left.span.end].split()


def _is_used(row: RawRow, section: _Section) -> bool:
    """Return whether the name or function at the end of the left side of `row` is in a formula or differentiated."""
    return normal(_function_called(row)[0] or last_word(row)) in section.used


def _is_comment(row: RawRow, _: Names) -> bool:
    """Return whether only #, // or %, with a blank, and words such as `let` precede the row's name in its line: `# s =
    x*y`."""
    sign, *words = _words_before(row) or [""]
    return sign in ("#", "//", "%") and len(words) > 0 and _DECLARE.issuperset(words[:-1])


def _is_alone(row: RawRow, section: _Section) -> bool:
    """Return whether `row` is the only one of its name and kind: no row outside of comments has these or, if `row`
    shows a number, no such row that shows one. `row` itself is a comment."""
    return (*_name_and_kind(row), _shows_number(row)) not in section.uncommented


def _name_and_kind(row: RawRow) -> tuple[str, str]:
    """Return the last word on the left side of a row, and the kind that a header or word gives it, "" without one."""
    return last_word(row), row.hint.kind if row.hint is not None else ""


def _shows_number(row: RawRow) -> bool:
    """Return whether a row ends in a number, alone or in a comment."""
    return bool(row.pieces) and numeral(row.pieces[-1].text.rpartition("#")[2].strip()) is not None


def _is_small_change(row: RawRow, names: Names) -> bool:
    """Return whether the row may be a small change or an error of measurement: `Δa = 0.01`, `dE = 8*0.05 + 3*0.1`.

    The change is the last word on the left (`_split_change`). That of an input must have a piece that is a number, and
    no piece 0 or 1, since that may be a seed. Any other has Δ, a piece with the change of an input in the same sign,
    `df = 6 dx + 9 dy`, or no piece with a name (but π)."""
    sign, name = _split_change(row)
    texts = [piece.text.rstrip(" :.,;)") for piece in row.pieces]
    if not name or name in names.inputs:
        return bool(name) and not _is_in(("0", "1"), row) and any(map(_is_given, texts))
    has_names = any(not _NUMBERS.issuperset(names_in(text)) for text in texts if not _is_given(text))
    return sign in _DELTAS or not has_names or any(f"{sign}{each}" in text for text in texts for each in names.inputs)


def _split_change(row: RawRow) -> tuple[str, str]:
    """Return (Δ, δ, Delta, delta or d, the name behind) for a left side that ends in both; ("", "") for any other."""
    *before, word = row.left.text.replace("\\", "").replace("|", " ").strip(" :").split() or [""]
    word = "".join([*before[-1:], word]) if before[-1:] and before[-1] in _DIFFERENCES[:-1] else word
    sign = next(filter(word.startswith, _DIFFERENCES), "")
    return sign, word.removeprefix(sign).partition("(")[0].strip("_{} ") if sign else ""


def _is_given(text: str) -> bool:
    """Return whether a text is a number, alone or with a unit: `0,1 cm`."""
    number = "".join(text.split()[:1])
    return (numeral(number) or numeral(number, "comma")) is not None


def _is_in(texts: Sequence[str], row: RawRow) -> bool:
    """Return whether a piece of a row is one of `texts`, but for a stop behind it."""
    return any(piece.text.rstrip(" :.,;)") in texts for piece in row.pieces)


def _is_step(row: RawRow) -> bool:
    """Return whether all pieces of a row are numbers, none of them 0 or 1."""
    return all(_is_given(piece.text) for piece in row.pieces) and not _is_in(("0", "1"), row)


def _is_product(row: RawRow) -> bool:
    """Return whether a piece of a row has a product sign and no name but π."""
    texts = [piece.text for piece in row.pieces if not _PRODUCTS.isdisjoint(piece.text)]
    return any(_NUMBERS.issuperset(names_in(text)) for text in texts)


def _is_derivative(row: RawRow, section: _Section) -> bool:
    """Return whether a small change is a derivative, or may be one.

    False for Δ of an input, a result or another row, if the problem has no mode, and for all changes of inputs and
    results in a section with a total differential. Otherwise True if the change is of neither an input nor a result
    (`_Section.results`), and if a requested derivative has no row in another spelling (`df/dx`, `xbar`). A change with
    d is one in two more cases: the section has another with d of neither, as a sweep has; it has no rows such as `dx =
    0.01`, and the problem has a mode, or one input and the row numbers alone."""
    (sign, name), names = _split_change(row), section.names
    known = section.results.union(names.inputs)
    if sign in _DELTAS and not section.has_mode and name in section.defined | known:
        return False
    if name not in known or (not section.has_total and not section.subjects.issuperset(map(_about, names.wrt))):
        return True
    is_rate = section.has_mode or (len(names.wrt) == 1 and all(_is_given(piece.text) for piece in row.pieces))
    is_sweep = not section.changes <= known or (is_rate and section.changes.isdisjoint(names.inputs))
    return sign == "d" and is_sweep


def _subject(row: RawRow, names: Names) -> str:
    """Return what a row is about: `∂/∂x` for `df/dx`, `f_x` and `xbar`, and for f'(2) and f''(2) if only x is asked
    for; else the last word on its left side."""
    word = last_word(row)
    symbol = names.quantity(names.separate_marks(word)[0])
    index = word.partition("(")[0].rpartition("_")[2].strip("{}")
    if "'" in word and len(names.wrt) == 1:
        return _about(names.wrt[0])
    if symbol is not None and symbol.kind in (DERIVATIVE, BAR):
        return _about(symbol.key or symbol.name)
    is_component = "_" in word and index in names.inputs and not _split_change(row)[0]  # not δ_x
    return _about(index) if is_component else word


def _about(wrt: str) -> str:
    """Return the subject of rows of derivatives with respect to the input `wrt`."""
    return f"∂/∂{wrt}"


_DIFFERENCES, _DELTAS = ("Δ", "Delta", "δ", "delta", "d"), ("Δ", "Delta")
_NUMBERS, _PRODUCTS = frozenset(("π", "pi", "e")), frozenset("*·×⋅")
NEWTON = "a step of Newton's method, not a row of the problem"
UPDATE = "a new value of an input, not a row of the problem"
STEP, SHIFTED = "a step size, not a row of the problem", "computed with a step size"
HIGHER = "a second derivative; the problem asks for the first"
LOWER = "no derivative of the order that the problem asks for"
NEXT, EXERCISE = "computed with new values of the inputs", "a function that the problem does not have"
OTHER_WORK = (
    OtherWork("path", "via b: 1*cos(2) = -0.416", _is_path, "a path through the graph, not a row of the problem"),
    OtherWork("question", "f'(2) = 1??", _is_question, "a question, not an answer"),
    OtherWork("second derivative", "f''(x) = 6x", _is_higher_derivative, HIGHER),
    OtherWork("first derivative", "f_x = 3x^2", _is_lower_derivative, LOWER),
    OtherWork("Newton step", "x1 = x0 - f(x0)/f'(x0)", is_newton_step, NEWTON),
    OtherWork("other function", "f(v) = v[1]^2", _is_other_function, "a function with other names"),
    OtherWork(
        "call of an own function", "L = nll(z)", _is_own_call, "a call of a function that the answer defines", _is_used
    ),
    OtherWork("root", "f'(x) = 0 → x = 2", _is_root, "the solution of an equation, not the point"),
    OtherWork("count", "m = 1 output", _is_count, "a count or a heading, not a row of the problem"),
    OtherWork("step size", "h = 0.001", is_step_size, STEP),
    OtherWork("difference quotient", "(f(2.01) - f(1.99))/0.02 = 4", _is_quotient, "an approximation by differences"),
    OtherWork("setting", "with c = 1", _is_setting, "a number for a name that the problem does not have", _is_used),
    OtherWork("constant", "π ≈ 3.14159", is_constant, "the value of a constant", _is_used),
    OtherWork("comment", "# s = x*y", _is_comment, "a comment; another row counts", _is_alone),
    OtherWork("check", "check: p - 1 = -0.38", _is_check, "a check next to the rows", _is_used),
    OtherWork("equation", "sin(beta) = q", _is_equation, "an equation for another name", _is_definition),
    OtherWork("exercise", "g(t) = t^5", _is_exercise, EXERCISE, _is_part),
    OtherWork("measurement", "Δa = 0.01", _is_small_change, "a small change, not a derivative", _is_derivative),
    OtherWork("implicit differentiation", "dy/dx = -F_x/F_y", _is_implicit, "a derivative of an input", _is_in_sweep),
    OtherWork("update", "w := w - 0.1*dw = 0.34", is_update, UPDATE),
    OtherWork("Taylor line", "f(x) ≈ 1 + 2x", is_taylor_line, "an approximation for other points"),
)
DIFFERENCE_QUOTIENT = "a difference quotient; the number after it counts"


def without_other_homework(part: RawSection, names: Names, *, has_mode: bool) -> RawSection:
    """Return a copy of `part` without rows of other homework, which are added to `left_out` with the reason.

    The first of `OTHER_WORK` whose test is true of a row, and `unless` is not, gives the reason; then
    `_Section.reason`, by the rows above: rows of the next iteration, rows that use a step size or call a function that
    is left out, and rows of inputs or repeated names below a heading such as `finite differences:`; also those at
    another point. Difference quotients that are not the last piece are removed from rows that stay, and added to
    `left_out` too. If nothing is left out or removed, return `part` itself; also if no row would remain, unless all are
    lower derivatives or one is at another point. `has_mode`: the problem asks for steps."""
    kept: list[RawRow] = []
    omitted: list[LeftOut] = []
    section = _Section(part, names, has_mode)
    for row in part.rows:
        reason = _reason(row, section) or section.reason(row)
        section.add(row, reason)
        if (helper := section.helper(row, reason)) is not None:
            kept.append(helper)
        elif reason is not None:
            omitted.append(LeftOut(row.span, reason))
        else:
            quotients = [piece for piece in row.pieces[:-1] if _QUOTIENT.search(piece.text)]  # a number follows them
            omitted += [LeftOut(piece.span, DIFFERENCE_QUOTIENT) for piece in quotients]
            kept.append(row._replace(pieces=[piece for piece in row.pieces if piece not in quotients]))
    reasons = {omission.why for omission in omitted}
    is_empty = not kept and not reasons <= {LOWER} and ELSEWHERE not in reasons
    return part.with_rows(kept, omitted) if omitted and not is_empty else part


class _Section:
    """Facts about the rows of a section, which become those about the rows above: the subjects of rows that are kept,
    the names of those with a number, of functions and step sizes that are left out, whether the inputs have new values,
    and the lines of checks with their headings."""

    def __init__(self, part: RawSection, names: Names, has_mode: bool) -> None:
        self.has_mode, self.points = has_mode, StatedPoints(part, names)
        self.rows, self.names, self.checks, self.is_next = part.rows, names, _lines_of_headings(part), False
        self.kept, self.numbered, self.functions, self.steps = set[str](), set[str](), set[str](), set[str]()

    @cached_property
    def used(self) -> set[str]:
        """The names in formulas, and those that are differentiated on the left: `dg/dx`, `g'`, `dg`."""
        derived = (each.partition("/")[0].strip("d∂'") for each in self.defined if _SLOPES.intersection(each))
        return {*derived, *(normal(name) for row in self.rows for piece in row.pieces for name in names_in(piece.text))}

    @cached_property
    def defined(self) -> set[str]:
        """The names on the left, except those after `at`."""
        return {last_word(row) for row in self.rows if _AT.isdisjoint(_words_before(row)[-2:-1])}

    @cached_property
    def results(self) -> set[str]:
        """The outputs, and the names that are differentiated: V in `∂V/∂r`, without a mode the only one with a `dV`."""
        words = [last_word(row).partition("(")[0] for row in self.rows]
        quotients = {each.name for word in words if (each := self.names.quantity(word)) and each.kind == DERIVATIVE}
        primed = {word.rstrip("'") for word in words if word.endswith("'")}
        changed = self.changes.intersection(self.defined).difference(self.names.inputs)
        total = changed if len(changed) == 1 and not self.has_mode else ()
        return quotients.union(primed, total, self.names.outputs, filter(self.names.result_of, FUNCTIONS))

    @cached_property
    def changes(self) -> set[str]:
        """The names behind d on the left: V for `dV = 3.1`."""
        return {*filter(str.isidentifier, (each[1:] for each in self.defined if each[:1] == "d"))}

    @cached_property
    def has_total(self) -> bool:
        """Whether the section has a change of a result of several inputs, `dV = 37.7*0.1 + 12.6*0.2`, as d of it.

        The problem has no mode, no name but inputs and results is behind d, and the change of the result is not 1, as
        in a sweep. It is a product of numbers alone, or the change of an input is a number other than 0 and 1."""
        if self.has_mode or len(self.names.wrt) < 2 or self.changes - self.results.union(self.names.inputs):
            return False
        changes = [(name, row) for row in self.rows for sign, name in [_split_change(row)] if sign == "d"]
        totals = [row for name, row in changes if name in self.results and not _is_in(("1",), row)]
        has_steps = any(name in self.names.inputs and _is_step(row) for name, row in changes)
        return bool(totals) and (has_steps or any(map(_is_product, totals)))

    @cached_property
    def subjects(self) -> set[str]:
        """The subjects of the rows."""
        return {_subject(row, self.names) for row in self.rows}

    @cached_property
    def uncommented(self) -> set[tuple[str, str, bool]]:
        """The names and kinds of rows outside of comments, with False, and with True if a row shows a number."""
        rows = [(*_name_and_kind(row), _shows_number(row)) for row in self.rows if not _is_comment(row, self.names)]
        return {*rows, *((name, kind, False) for name, kind, _ in rows)}

    def reason(self, row: RawRow) -> str | None:
        """Return the reason why a row is left out because of rows above it that are left out; None if it is kept.

        The first that applies:

        - ELSEWHERE: it is at another point (`StatedPoints`).
        - EXERCISE: the left side is a call of a function that is left out, `g'(1)`.
        - SHIFTED: a formula with a step size that is left out.
        - NEXT: `is_next`, and the row is about the next iteration (`is_at_new_point`).
        - The reason in `checks`: an input, or for SHIFTED also a repeated subject, on a line of `checks` or right below
          one; SHIFTED for one with a difference quotient. `checks` has the headings of checks and iterations at first;
          the line of each row there, kept or not, is added."""
        line = row.left.span.source.first_line
        if self.points.is_elsewhere(row):
            return ELSEWHERE
        if _function_called(row)[0] in self.functions:
            return EXERCISE
        if any(each in self.steps for piece in row.pieces for each in names_in(piece.text)):
            return SHIFTED
        if self.is_next and is_at_new_point(row, self.names, self.numbered):
            return NEXT
        heading = self.checks.get(line, self.checks.get(line - 1))
        self.checks |= {line: heading} if heading else {}
        reason = SHIFTED if any(_QUOTIENT.search(piece.text) for piece in row.pieces[:-1]) else heading
        subjects = self.kept.union(self.names.inputs) if reason == SHIFTED else self.names.inputs
        return reason if _subject(row, self.names) in subjects else None

    def helper(self, row: RawRow, reason: str | None) -> RawRow | None:
        """Return the row of a function of another argument, or of its derivative, with a name of its own: `h_helper`
        instead of `h(u)`, `dh_helper/du` instead of `h'(u)`.

        None for other rows, if `reason` is not EXERCISE, and if the section has no `h'(u)`."""
        (name, argument), text = _function_called(row), row.left.text.rstrip(" :")
        new = {f"{name}({argument})": f"{name}_helper", f"{name}'({argument})": f"d{name}_helper/d{argument}"}
        lefts = [new[each] for each in new if text.endswith(each) and argument.isidentifier()]
        is_helper = lefts and reason == EXERCISE and f"{name}'({argument})" in self.defined
        return row._replace(left=row.left._replace(text=lefts[0])) if is_helper else None

    def add(self, row: RawRow, reason: str | None) -> None:
        """Update the names and subjects of the section by a row, which is left out for `reason` (None: kept).

        A kept row adds its subject to `kept`, and the last word on its left to `numbered` if it ends in a number. A row
        that is left out as a step of Newton's method or an update sets `is_next`; an exercise adds the function of its
        left side to `functions`, a step size its name to `steps`."""
        name = last_word(row)
        self.is_next = self.is_next or reason in (NEWTON, UPDATE)
        self.functions |= {_function_called(row)[0]} if reason == EXERCISE else set()
        self.steps |= {name}.intersection(STEP_NAMES if reason == STEP else ())
        self.kept |= {_subject(row, self.names)} if reason is None else set()
        self.numbered |= {name} if reason is None and _shows_number(row) else set()


def _lines_of_headings(part: RawSection) -> dict[int, str]:
    """Return {number of a line: the reason why rows of inputs below are left out}: SHIFTED for a line that ends in a
    colon and speaks of difference quotients or a check by numbers, NEXT for one that names an iteration before a
    colon, also with rows on it."""
    spans = [*(omission.span for omission in part.left_out), *(row.left.span for row in part.rows)]
    texts = {span.source.first_line: span.source.text.lower().strip(" *_#") for span in spans}
    before = {line: text[: text.rfind(":") + 1] for line, text in texts.items()}
    checks = (line for line, text in texts.items() if text == before[line] and any(map(text.__contains__, _CHECKS)))
    iterations = (line for line, text in before.items() if any(map(text.__contains__, _ITERATIONS)))
    return dict.fromkeys(iterations, NEXT) | dict.fromkeys(checks, SHIFTED)


def _function_called(row: RawRow) -> tuple[str, str]:
    """Return (function, argument) of the call at the end of the left side of a row: ("g", "1") for `g'(1)`; ("", "")
    without one."""
    name, bracket, inside = row.left.text.strip(" :").rpartition(":")[2].rpartition("(")
    return ("".join(name.split()[-1:]).rstrip("'"), inside.removesuffix(")").strip()) if bracket else ("", "")


def _reason(row: RawRow, section: _Section) -> str | None:
    """Return why a row of the section is other homework on its own; None if it is not."""
    works = (work for work in OTHER_WORK if work.applies(row, section.names))
    return next((work.reason for work in works if work.unless is None or not work.unless(row, section)), None)
