"""Lines of matrices in an answer, joined into one line for each matrix, so that they are read as lists."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import takewhile

from ..line_rewriting import row_pattern
from ..numerals import numeral

MATRIX_NAME = row_pattern("{MATRIX_NAME}")  # of a Jacobian or Hessian
_ROW_IN_BRACKETS = row_pattern("{MATRIX_ROW}")
_MOST_LINES = 60  # of a matrix
_PAIRS = ("()", "[]", "||", "⎡⎤", "⎢⎥", "⎣⎦", "⎛⎞", "⎜⎟", "⎝⎠")  # around a row of numbers


def join_matrices(lines: Sequence[str]) -> list[str]:
    """Return the lines with each matrix over several lines joined into its first line; the others become "".

    The first that applies says what is a matrix; it has at most 60 lines, and one without an end stays as it is.

    - Lines of a LaTeX matrix, and of nested brackets `[[1, 2],` / `[3, 4]]`, are appended with blanks between them.
      Nested brackets may begin in the first line that is not blank below one that ends in `=` or `:`.
    - Matrices of any entries, row below row, after the name of a matrix: `H = [2x 0] = [4 0]` above `[0 2] [0 2]`
      becomes `H = [[2x 0]; [0 2]] = [[4 0]; [0 2]]`. The first row may also be in the line below `H =` or `H:`.
    - Two rows of numbers or more below a line that ends in `=` or `:`, blank lines between allowed, are appended as one
      list, ` [[1 2]; [3 4]]`; below `=` also numbers alone, ` [1; 2]`. The `:` after the name of a matrix becomes `=`.

    A list below `2×2 Matrix{Float64}:`, as Julia shows `J = …` of the line above, is appended to that line, after
    another `=`. Appended lines are stripped, blank ones left out.
    """
    joined = list(lines)
    place = 0
    while place < len(joined):
        end, text = _matrix_at(joined, place)
        if end > place:
            is_type = place > 0 and " Matrix{" in joined[place] and "=" in joined[place - 1]
            if is_type:
                joined[place - 1] += " =" + text.removeprefix(joined[place])
            joined[place : end + 1] = ["" if is_type else text] + [""] * (end - place)
        place = max(end, place) + 1
    return joined


def _matrix_at(lines: Sequence[str], place: int) -> tuple[int, str]:
    """Return (index of the last line, text in one line) of the matrix that begins in the line `place`; (-1, "") if none
    does. It has at most 60 lines."""
    last = min(len(lines), place + _MOST_LINES)
    return _open_matrix(lines, place, last) or _named_matrices(lines, place, last) or _numbers_below(lines, place, last)


def _open_matrix(lines: Sequence[str], place: int, last: int) -> tuple[int, str] | None:
    """Return the end and text, as `_matrix_at`, of a LaTeX matrix or nested brackets; (-1, "") if these are not closed
    before the index `last`, None for other lines."""
    line = lines[place]
    is_latex = line.rfind("matrix}") >= 0 and line.rfind("\\begin{") > line.rfind("\\end{")
    is_title = line.rstrip().endswith(("=", ":"))
    first = next((k for k in range(place + 1, last) if lines[k].strip()), place) if is_title else place
    if not (is_latex or "[[" in line or "([" in line or lines[first].lstrip().startswith("[[")):
        return None
    end = _end_of_environment(lines, place, last) if is_latex else _end_of_brackets(lines, first, last)
    return (end, " ".join((line, *_texts(lines[place + 1 : end + 1])))) if end >= 0 else (-1, "")


def _named_matrices(lines: Sequence[str], place: int, last: int) -> tuple[int, str] | None:
    """Return the end and text, as `_matrix_at`, of matrices side by side after a name of a matrix; None for others."""
    name = lines[place].partition("=")[0].rstrip(" :")
    rows = list(_rows_side_by_side(lines, place, last)) if MATRIX_NAME.match(name.strip()) else []
    if len(rows) < 2:
        return None
    matrices = zip(*filter(None, rows), strict=True)
    return place + len(rows) - 1, name + "".join(f" = [{'; '.join(matrix)}]" for matrix in matrices)


def _numbers_below(lines: Sequence[str], place: int, last: int) -> tuple[int, str]:
    """Return the end and text, as `_matrix_at`, of rows of numbers below a line that ends in `=` or `:`."""
    line = lines[place]
    end = _end_of_numbers(lines, place, last) if line.rstrip().endswith(("=", ":")) else -1
    numbers, name = _texts(lines[place + 1 : end + 1]), line.rstrip().rstrip("=:")
    head = f"{name.rstrip()} =" if MATRIX_NAME.match(name.strip()) else line
    return (end, f"{head} [{'; '.join(numbers)}]") if numbers else (-1, "")


def _texts(lines: Sequence[str]) -> list[str]:
    """Return the lines that are not blank, stripped."""
    return [text for line in lines if (text := line.strip())]


def _end_of_environment(lines: Sequence[str], place: int, last: int) -> int:
    r"""Return the index of the first line after `place`, before `last`, that ends an environment of LaTeX and begins
    none; -1 if there is none."""
    closing = (k for k in range(place + 1, last) if lines[k].rfind("\\end{") > lines[k].rfind("\\begin{"))
    return next(closing, -1)


def _end_of_brackets(lines: Sequence[str], first: int, last: int) -> int:
    """Return the index of the line, from `first` on and before `last`, in which round and square brackets are closed;
    -1 if they stay open."""
    depth = 0
    for k in range(first, last):
        depth += lines[k].count("[") + lines[k].count("(") - lines[k].count("]") - lines[k].count(")")
        if depth <= 0:
            return k
    return -1


def _rows_side_by_side(lines: Sequence[str], place: int, last: int) -> Iterator[list[str]]:
    """Yield the rows in each line of the matrices side by side that begin in the line `place`, with their brackets.

    The line `place` has an equals sign before each row; it yields [] if nothing is behind its `=` or `:`. Each line
    below, before the index `last`, has as many rows (one below []), with blanks between them; the first other line
    ends. Brackets are those of `_PAIRS`; inside there may be anything but a bracket of the same kind. Nothing is
    yielded if the line has anything else behind its equals sign.
    """
    behind = lines[place].partition("=")[2]
    parts = behind.split("=")
    is_title = not behind.strip() and lines[place].rstrip().endswith(("=", ":"))
    if not is_title and not all(map(_ROW_IN_BRACKETS.fullmatch, parts)):
        return
    yield [] if is_title else [part.strip(" .,;") for part in parts]
    for line in lines[place + 1 : last]:
        rows = [match[0] for match in _ROW_IN_BRACKETS.finditer(line)]
        if len(rows) != (1 if is_title else len(parts)) or "".join(rows) != line:
            return
        yield [row.strip(" .,;") for row in rows]


def _end_of_numbers(lines: Sequence[str], place: int, last: int) -> int:
    """Return the index of the last line, before the index `last`, of the rows of numbers below the line `place`, which
    ends in `=` or `:`; -1 for fewer than two rows."""
    fits = partial(_is_row_of_numbers, may_be_single=lines[place].rstrip().endswith("="))
    below = takewhile(lambda k: not lines[k].strip() or fits(lines[k]), range(place + 1, last))
    rows = [k for k in below if lines[k].strip()]
    return rows[-1] if len(rows) > 1 else -1


def _is_row_of_numbers(line: str, *, may_be_single: bool) -> bool:
    """Return whether a line is a row of a matrix: two numbers or more, with blanks or commas between them, in brackets,
    between vertical lines or without both; with `may_be_single` also a number alone, without brackets.

    Brackets are round or square, or drawn over several lines as ⎡⎤ and ⎜⎟; the first and last sign must be a pair.
    With anything behind them it is not one.
    """
    text = line.strip()
    if may_be_single and numeral(text) is not None:
        return True
    numbers = (text[1:-1] if text[:1] + text[-1:] in _PAIRS else text).replace(",", " ").split()
    return len(numbers) > 1 and all(numeral(number) is not None for number in numbers)
