"""Lists of numbers in answers, read as arrays: vectors and matrices as people and programs write them."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import accumulate

from ...arrays.shapes import Shape, natural
from ...language.brackets import opening, parts
from ..answer_model import Numeral
from ..collector import ROWS
from ..numerals import numeral
from .array_texts import CALLS, without_note

_AROUND_NUMBERS = str.maketrans(dict.fromkeys("[]()|⎡⎢⎣⎤⎥⎦⎛⎜⎝⎞⎟⎠&", " "))
_COMMA = "\u2396"  # of a decimal number in a list
_WRAPPED = 60  # characters of a list that is printed in several lines

_TRANSPOSES = ("^T", ".T", "ᵀ", "^\\top", "^{\\top}", "^{T}")


def number_of(text: str, decimal: str = "point") -> Numeral | None:
    r"""Return the number that `text` shows; None if it shows no number.

    It is a numeral, or a fraction of two whole numbers such as 2/3, -2/3 or \frac{2}{3}. `decimal` is "point" or
    "comma". A fraction has the unit 10⁻¹², because it is exact; its denominator must not be 0.
    """
    number = numeral(text, decimal)
    plain = text.strip()
    sign, plain = ("-", plain[1:].lstrip()) if plain[:1] in ("-", "−") else ("", plain)
    if number is None and plain.startswith("\\frac"):
        inside = plain[5:].strip()
        plain = inside.strip("{}").replace("}{", "/") if "{" in inside else "/".join(inside)
    above, bar, below = plain.partition("/")
    if number is None and bar and above.strip().isdecimal() and below.strip().isdecimal() and int(below):
        return Numeral(Fraction(int(sign + above), int(below)), Fraction(1, 10**12))
    return number


def cells_of(text: str, decimal: str = "point") -> list[list[str]] | None:
    """Return the texts of the entries of a list, row by row; None if the text is not one list or number.

    Lists are `[1, 2; 3, 4]`, `[[1, 2], [3, 4]]`, `(1, 2)`, a matrix of LaTeX, NumPy's output, and without brackets one
    or more lines that are only numerals, `1, 2` or `1 2`; a formula without brackets gives None. A call such as
    `array(…)` around it and a note are ignored. The sign of a transpose after a matrix exchanges its rows and columns;
    after one row or column it is ignored. A number is one row of one entry. `decimal` is "point" or "comma". Entries in
    brackets need not be numbers; `[[1], [2]]` has two rows. None also for rows of different lengths, empty rows, and
    more than 2,000 entries.
    """
    is_transposed = without_note(text).rstrip(".,; ").endswith(_TRANSPOSES)
    for plain in (str, _bracketed):
        text = plain(without_note(text).rstrip(".,; "))
        if number_of(text, decimal) is not None:
            return [[text]]
    if decimal == "comma" and (";" in text or ", " in text):  # [0,5; 1,5]
        inside = zip(" " + text, text, text[1:] + " ", strict=False)
        text = "".join(_COMMA if sign == "," and (a + b).isdecimal() else sign for a, sign, b in inside)
    cells = [[cell.replace(_COMMA, ",") for cell in row] for row in _cells_in_brackets(text)]
    if not cells or (text[0] == "(" and "," not in text and ";" not in text):
        lines = text.strip().split("\n")
        cells = list(map(numbers_of_line, lines)) if len(lines) > 1 or "," in text or " " in lines[0] else []
    fits = bool(cells) and all(cells) and len({len(row) for row in cells}) == 1 and sum(map(len, cells)) <= ROWS
    cells = _columns_of_matrix(cells) if is_transposed else cells
    return cells if fits else None


def _columns_of_matrix(rows: list[list[str]]) -> list[list[str]]:
    """Return the columns of a matrix as rows; one row, or one column, is returned as it is."""
    is_matrix = len(rows) > 1 and min(map(len, rows)) > 1
    return [list(column) for column in zip(*rows, strict=False)] if is_matrix else rows


def _cells_in_brackets(text: str) -> list[list[str]]:
    """Return the cells, row by row, of a text in brackets with as many "[" as "]"; [] for every other text."""
    is_list = text[:1] in ("[", "(") and text[-1:] in ("]", ")") and text.count("[") == text.count("]")
    depths = [*accumulate((sign in "[(") - (sign in "])") for sign in text[:-1])]
    is_list = is_list and min(depths, default=0) > 0  # not (a, b)/(c)
    return [split_row(row) for row in _row_texts(text[1:-1].strip())] if is_list else []


def numbers_of_line(line: str) -> list[str]:
    """Return the numerals of a line; [] if it has anything but numerals, commas and brackets.

    Such lines are `[1, 2]`, `| 1 2 |` and `⎡1 2⎤`.
    """
    words = line.translate(_AROUND_NUMBERS).replace(", ", " ").strip(" ,;").split()
    return words if all(numeral(word) is not None for word in words) else []


def scaled_list(text: str, decimal: str) -> tuple[list[list[str]], list[Numeral]] | None:
    """Return (rows of texts as written, entries) of a list with a factor or divisor, `1/5 [3, -1]` or `[3, -1]/5`.

    Factor and divisor are numbers or fractions; either or both may be missing (1). The entries are multiplied, row by
    row. The unit (last place) of those with decimals is multiplied, too; whole numbers become exact (unit 1e-12) even
    without a factor. None for other texts, an empty list, an entry that is not a number, and a divisor 0.
    """
    before, opening, rest = with_lists(text).partition("[")
    inside, closing, behind = rest.rpartition("]")
    by = behind.strip()
    factor = number_of(before.strip(" *·") or "1", decimal)
    divisor = number_of(by[1:] if by[:1] == "/" else by or "1", decimal)
    rows = cells_of(opening + inside + closing, decimal)
    numbers = [number_of(cell, decimal) for row in rows or [] for cell in row]
    if factor is None or divisor is None or not divisor.value or not numbers or (by and by[0] != "/"):
        return None
    scale, exact = factor.value / divisor.value, Fraction(1, 10**12)
    scaled = [
        each._replace(value=each.value * scale, unit=abs(each.unit * scale) if each.unit < 1 else exact)
        for each in numbers
        if each is not None
    ]
    return (rows or [], scaled) if len(scaled) == len(numbers) else None


def _row_texts(inside: str) -> list[str]:
    """Return the texts of the rows in `inside`, the text between the brackets of a list; blank rows are left out.

    The first that applies:
    - it has a `[`: the inner lists in square brackets, without their brackets; [] if there is anything else between
      them;
    - a text of less than 60 characters without commas and semicolons: its lines (MATLAB);
    - the parts between semicolons.
    """
    if "[" not in inside:
        are_lines = not {*inside} & {*",;"} and len(inside) < _WRAPPED  # rows of MATLAB, no long vector of NumPy
        return [row for row in inside.split("\n" if are_lines else ";") if row.strip()]
    between = "".join(part.rpartition("]")[2] for part in inside.split("["))
    is_nested = not between.strip(" ,;\n") and inside[0] == "[" and inside[-1] == "]"
    return [part.partition("]")[0] for part in inside.split("[")[1:]] if is_nested else []


def _bracketed(text: str) -> str:
    """Return a list in square brackets: `array([1, 2], dtype=float)` and a matrix of LaTeX become `[1, 2]`.

    Other texts, also tuples such as `(1, 2)`, stay. In this order:
    - Matrices of LaTeX become lists with commas and semicolons.
    - A sign of the transpose at the end is dropped, and so are the brackets and the last comma of `(…,)`.
    - A call such as array(…) or tensor(…) around the list is removed, with its settings dtype, grad_fn and device.
      Numbers in it without brackets get them.
    - Braces around all become brackets, and `([…])` becomes `[…]`.
    """
    text = with_lists(text)
    for suffix in _TRANSPOSES:
        text = text.removesuffix(suffix)
    text = text[1:-2].strip() if text[:1] == "(" and text[-2:] == ",)" else text
    for call in CALLS:
        if text.startswith(call + "(") and text.endswith(")"):
            text = text[len(call) + 1 : -1].strip()
            for setting in ("dtype", "grad_fn", "device"):
                text = text.partition(setting)[0].strip().rstrip(",")
            text = text if text[:1] in ("[", "(") or number_of(text) is not None else f"[{text}]"
    if text[:1] == "{" and text[-1:] == "}":  # as Mathematica has it
        text = text.replace("{", "[").replace("}", "]")
    while text[:2] == "([" and text[-1:] == ")":
        text = text[1:-1].strip()
    return text


def with_lists(text: str) -> str:
    r"""Return a text with a list in square brackets instead of each matrix of LaTeX (of every environment).

    Everywhere, also without an environment, `&` becomes ` , ` and `\\` becomes ` ; `. If the text has an environment
    `array`, all double brackets in it become single ones, and `([…])` becomes `[…]`, if they are in pairs.
    """
    is_array = "\\begin{array}" in text
    for part in text.split("\\begin{")[1:]:
        name, _, rest = part.partition("}")
        columns = rest[: rest.find("}") + 1] if name == "array" and rest[:1] == "{" else ""
        text = text.replace(f"\\begin{{{name}}}{columns}", "[", 1).replace(f"\\end{{{name}}}", "]", 1)
    if "&" in text or "\\\\" in text:
        text = text.replace("&", " , ").replace("\\\\", " ; ").replace("[{", "[")
    if not is_array:
        return text
    text = text.replace("[ ", "[").replace("( ", "(").replace(" ]", "]").replace(" )", ")")
    for left, right in (("[[", "]]"), ("([", "])")):
        text = text.replace(left, "[").replace(right, "]") if text.count(left) == text.count(right) else text
    return text


def split_row(row: str) -> list[str]:
    """Return the entries of a row, stripped: the texts between commas outside of brackets, without empty ones.

    A row of numerals (not fractions) without any comma is split at blanks, so a blank row gives []. Every other row
    without a comma is one entry.
    """
    if "," not in row:
        words = row.split()
        return words if all(numeral(word.replace(_COMMA, ".")) is not None for word in words) else [row.strip()]
    return [cell.strip() for cell in parts(row) if cell.strip()]


def shape_of_rows(rows: Sequence[Sequence[str]]) -> Shape:
    """Return the shape of a list with these rows.

    One row, and rows of one entry each, are a vector; one entry is a number; all others are a matrix.
    """
    return natural((len(rows[0]),)) if len(rows) == 1 else natural((len(rows), len(rows[0])))


def split_lists(text: str) -> list[str]:
    """Return the numbers and lists of a text that blanks or commas separate outside of brackets.

    Round brackets around the whole text do not count: `3.67 [6.67 0.]` and `(3.67, [6.67 0.])` give two. A part in
    round brackets with lists in it is split at its commas: `(3.67, ([6.], [7.]))` gives three. The kind of the parts is
    not checked.
    """
    whole = text.strip()
    depths = list(accumulate((sign in "[(") - (sign in "])") for sign in whole))
    is_enclosed = whole[:1] + whole[-1:] == "()" and 0 not in depths[:-1]
    inside, levels = (whole[1:-1], [depth - 1 for depth in depths[1:-1]]) if is_enclosed else (whole, depths)
    marked = "".join("\0" if not level and sign in " ,\n" else sign for sign, level in zip(inside, levels, strict=True))
    listed = filter(None, marked.split("\0"))
    tuples = [split_row(part[1:-1]) if part[0] == "(" and "[" in part else [part] for part in listed]
    return [part for each in tuples for part in each]


def last_list(comment: str) -> str:
    """Return the list of several entries in square brackets that ends a comment, `this is [1, 2]`; a point may follow
    it.

    Several means that a comma, semicolon or blank is inside; the outermost brackets count. If the comment does not end
    in such a list, or if the name of a call is before it (`array [1, 2]`), the comment is returned itself.
    """
    text = comment.rstrip(" .")
    start = (opening(text, len(text) - 1) or 0) if text[-1:] == "]" else 0
    has_several = not {*" ,;"}.isdisjoint(text[start:].strip("[] "))
    return text[start:] if has_several and not text[:start].rstrip(" (").endswith(CALLS) else comment


def is_zero(text: str) -> bool:
    """Return whether a formula is 0 or an array of zeros, with which a sum begins."""
    number = number_of(text.strip(), "point")
    return "zeros(" in text or "zeros_like(" in text or (number is not None and not number.value)
