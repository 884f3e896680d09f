"""Excel: two rows with tabs between the cells, to be pasted at A1: names, and below each its formula.

The inputs come first, their cells left empty; then the steps, the value and the partials.  Copied downwards the
formulas compute one point in each row.
"""

from __future__ import annotations

from types import MappingProxyType

from ...errors import RequestError
from ...overriding import override
from ..source_code import (
    ARITHMETIC,
    ATOM,
    COMPARISON,
    POWER,
    SIGN,
    Assignments,
    Form,
    Language,
    calls,
    infix,
)  # fmt: skip

_COLUMNS = 16_384  # of a sheet
_SAME = """abs exp sqrt sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh log10 sign"""


def column(position: int) -> str:
    """Return the letters of the column at `position`, counted from 0: A, B, …, Z, AA, …"""
    letters = ""
    position += 1
    while position:
        position, letter = divmod(position - 1, 26)
        letters = chr(ord("A") + letter) + letters
    return letters


class _Excel(Language):
    name = "Excel"
    suffix = ".tsv"
    apart = True
    numbers = ("NA()", "NA()", "NA()")
    forms = MappingProxyType(
        {
            **{name: Form(form.text.replace(" ", ""), form.level, form.places) for name, form in ARITHMETIC.items()},
            **calls(**{name: name.upper() for name in _SAME.split()}),
            "neg": Form("-{0}", SIGN, (POWER,)),
            "log": Form("LN({0})"),
            "log2": Form("LOG({0},2)"),
            "erf": Form("ERF.PRECISE({0})"),
            "erfc": Form("ERFC.PRECISE({0})"),
            "gamma": Form("GAMMA({0})"),
            "atan2": Form("ATAN2({1},{0})"),
            "pow": Form("POWER({0},{1})"),
            "mod": Form("MOD({0},{1})"),
            "max": Form("MAX({0},{1})"),
            "min": Form("MIN({0},{1})"),
            "floor": Form("INT({0})"),
            "ceil": Form("-INT(-{0})", SIGN, (ATOM,)),
            "round": Form("ROUND({0},0)"),
            "finite": Form("ISNUMBER({0})"),
            "eq": infix("=", COMPARISON),
            "ne": infix("<>", COMPARISON),
            "eq itself": Form("ISNUMBER({0})"),
            "ne itself": Form("ISERROR({0})"),
            "and": Form("IF({0},{1},FALSE)"),
            "or": Form("IF({0},TRUE,{1})"),
            "not": Form("NOT({0})"),
            "choose": Form("IF({0},{1},{2})"),
        }
    )

    @override
    def reference(self, name: str, position: int) -> str:
        return f"{column(position)}2"

    @override
    def laid_out(self, program: Assignments, expression: str) -> str:
        """Return two rows of cells separated by tabs: names, and formulas (empty cells for inputs). `expression` is not
        used.

        Raises RequestError if a sheet has too few columns.
        """
        names = [*program.inputs, *[step.name for step in program.steps], *program.columns]
        if len(names) > _COLUMNS:
            raise RequestError(f"a sheet has {_COLUMNS} columns, and this needs {len(names)}", help="try --to numpy")
        formulas = [f"={step.text}" for step in [*program.steps, *program.outputs]]
        return "\t".join(names) + "\n" + "\t".join([*[""] * len(program.inputs), *formulas]) + "\n"


LANGUAGE = _Excel()
