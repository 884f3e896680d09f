"""Excel: two rows with tabs between the cells, to be pasted at A1: names, and below each its formula.

The inputs come first, their cells left empty; then the steps, the value and the partials.  Copied downwards the
formulas compute one point in each row.
"""

from __future__ import annotations

from ...errors import RequestError
from ..source_code import ARITHMETIC, Assignments, Language, forms

_COLUMNS = 16_384  # of a sheet


def column(position: int) -> str:
    """Return the letters of the column at `position`, counted from 0: A for 0, Z for 25, AA for 26."""
    letters = ""
    position += 1
    while position:
        position, letter = divmod(position - 1, 26)
        letters = chr(ord("A") + letter) + letters
    return letters


_ARITHMETIC = {name: form._replace(text=form.text.replace(" ", "")) for name, form in ARITHMETIC.items()}


def _lay_out(program: Assignments, _: str) -> str:
    """Return two rows of cells separated by tabs: names of inputs, steps and outputs, and below them the formulas
    (empty cells for inputs).

    Raises RequestError if they need more than 16,384 columns. Both rows end with a line break.
    """
    names = [*program.inputs, *[step.name for step in program.steps], *program.columns]
    if len(names) > _COLUMNS:
        raise RequestError(
            f"a sheet of Excel has {_COLUMNS} columns, but this problem needs {len(names)}", help="try --to numpy"
        )
    formulas = [f"={step.text}" for step in [*program.steps, *program.outputs]]
    return "\t".join(names) + "\n" + "\t".join([*[""] * len(program.inputs), *formulas]) + "\n"


LANGUAGE = Language(
    name="Excel",
    numbers=("NA()", "NA()", "NA()"),
    forms={**_ARITHMETIC, **forms("excel")},
    lay_out=_lay_out,
    reference=lambda _, position: f"{column(position)}2",
    separate_results=True,
)
