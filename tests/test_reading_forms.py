"""Whole answers in every form: the same rows come out, in the order in which they were computed."""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Callable
from io import BytesIO, StringIO
from pathlib import Path

import pytest
from answers import read, rows, symbol, told
from drawn import THOROUGH, examples
from expressions import programs
from hypothesis import assume, given
from hypothesis import strategies as st
from running import PAPER, run

import adcli
from adcli.answers import forms
from adcli.answers.answer_model import Answer, Entry
from adcli.errors import AdcliError
from adcli.marking.assessing import assess
from adcli.marking.model import Rules
from adcli.marking.task import task_of
from adcli.notation.number_text import Digits, Noise
from adcli.render.terminal import draw
from adcli.render.trace_tables import tables
from adcli.trace.trace_model import Trace

VALUES = [
    "v1 | log(x1) | log(2) | 0.693 (1/1000)",
    "v2 | x1*x2 | 2*5 | 10 (1)",
    "v3 | sin(x2) | sin(5) | -0.959 (1/1000)",
    "v4 | v1 + v2 | 0.693 + 10 | 10.693 (1/1000)",
    "v5 | v4 - v3 | 10.693 + 0.959 | 11.652 (1/1000)",
]
ADJOINTS = [
    "bar v5 | bar y | 1 (1)",
    "bar v4 | bar v5*dv5/dv4 | bar v5*1 | 1 (1)",
    "bar v3 | bar v5*dv5/dv3 | bar v5*-1 | -1 (1)",
    "bar v1 | bar v4*dv4/dv1 | bar v4*1 | 1 (1)",
    "bar v2 | bar v4*dv4/dv2 | bar v4*1 | 1 (1)",
    "bar x2 | bar v3*dv3/dx2 | bar v3*cos(x2) | -0.284 (1/1000)",
    "bar x1 | bar v2*dv2/dx1 | bar v2*x2 | 5 (1)",
    "bar x2 | bar x2 + bar v2*dv2/dx2 | bar x2 + bar v2*x1 | 1.716 (1/1000)",
    "bar x1 | bar x1 + bar v1*dv1/dx1 | bar x1 + bar v1/x1 | 5.5 (1/10)",
    "bar x1 | 5.5 (1/10)",
    "bar x2 | 1.716 (1/1000)",
]
TANGENTS = [
    "dot x1 | dx1/dx1 | 1 (1)",
    "dot x2 | dx2/dx1 | 0 (1)",
    "dot v1 | dot x1/x1 | 1/2",
    "dot v2 | dot x1*x2 + dot x2*x1 | 1*5 + 0*2",
    "dot v3 | dot x2*cos(x2) | 0*cos(5)",
    "dot v4 | dot v1 + dot v2 | 0.5 + 5",
    "dot v5 | dot v4 - dot v3 | 5.5 - 0",
    "dot y | dot v5 | 5.5 (1/10)",
]


def evaluated(*flags: str) -> str:
    """What `adcli eval` prints of the running example."""
    return run("eval", PAPER, "--at", "x1=2,x2=5", *flags).out


# --- this program's own output ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", ["plain", "markdown", "latex", "html"])
@pytest.mark.parametrize("style", ["paper", "baydin"])
def test_adjoints_that_are_printed_upwards_are_read_from_below(style: str, form: str) -> None:
    found = rows(evaluated("--mode", "reverse", "--style", style, "--format", form))
    assert ADJOINTS == [row for row in found if row.startswith("bar")]


@pytest.mark.parametrize("flags", [["plain"], ["plain", "--ascii"], ["markdown"], ["latex"], ["html"]])
def test_tangents_in_the_papers_style(flags: list[str]) -> None:
    found = rows(evaluated("--mode", "forward", "--wrt", "x1", "--style", "paper", "--format", *flags))
    assert TANGENTS == found


@pytest.mark.parametrize("flags", [["plain"], ["plain", "--ascii"], ["markdown"], ["latex"], ["html"]])
def test_the_wide_table_has_a_value_and_an_adjoint_in_each_row(flags: list[str]) -> None:
    found = rows(evaluated("--mode", "reverse", "--format", *flags))
    assert ["x1 | 2 (1)", "x2 | 5 (1)", *VALUES, "y | v5 | 11.652 (1/1000)"] == found[:8]
    assert "bar v5[y] | bar y | 1 (1)" == found[8]
    assert "bar x1[y] | bar v2*x2 + bar v1/x1 | 5.5 (1/10)" == found[-1]


@pytest.mark.parametrize("title", ["tangents with respect to x2", r"\noindent Tangents with respect to $x_2$\par"])
def test_a_title_says_which_input_moves(title: str) -> None:
    assert ["dot v1[x2] | 0 (1)", "bar v1 | 1 (1)"] == rows(f"{title}\n\\dot v_1 = 0\nv1bar = 1")


@pytest.mark.parametrize(
    "problem",
    [
        "v*sin(v)+v^2 @ v=1.3",
        "x*y+sin(y) @ x=1.2, y=0.7",
        "exp(e)*e/a @ e=0.5, a=2",
        "theta*sin(theta)+pi1 @ theta=0.7, pi1=1.1",
        "f*g+sin(g) @ f=1.5, g=2.5",
        "v1*v2+sin(v1) @ v1=1.2, v2=2.3",
        "a = x*y; b = sin(a); b+x @ x=2, y=5",
    ],
)
@pytest.mark.parametrize("form", ["plain", "markdown", "latex", "html", "csv", "json"])
def test_a_trace_is_a_right_answer_whatever_the_inputs_are_called(problem: str, form: str) -> None:
    modes = ("forward", "reverse", "both")
    for mode in modes if THOROUGH else (modes[(len(problem) + len(form)) % 3],):  # all modes in every form
        printed = run("eval", problem, "--mode", mode, "--format", form).out
        (marking,) = assess(printed.encode(), f"a.{form}", [task_of(problem)], Rules())
        assert {"correct"} == {mark.verdict for mark in marking.marks}, mode


def drawn(trace: Trace, style: str, columns: int, ascii_only: bool, color: bool) -> str:
    return "\n".join(draw(table, columns, color, ascii_only) for table in tables(trace, style, Digits()))


@pytest.mark.parametrize("columns", [100, 44])
@pytest.mark.parametrize("ascii_only", [False, True])
@pytest.mark.parametrize("color", [False, True])
def test_tables_of_a_terminal_with_boxes_colours_and_wrapped_cells(columns: int, ascii_only: bool, color: bool) -> None:
    trace = adcli.parse(PAPER).trace({"x1": 2, "x2": 5}, mode="reverse")
    found = rows(drawn(trace, "wide", columns, ascii_only, color))
    values = [row for row in found if row[0] == "v"]
    assert VALUES == values[: len(VALUES)]
    if columns < 80:  # in blocks, each of which repeats name and formula
        assert all(any(value.startswith(f"{row} |") for value in VALUES) for row in values[len(VALUES) :])
        assert {"bar x2 | bar v3*cos(x2) + bar v2*x1", "bar x2[y] | 1.716 (1/1000)"} <= set(found)
    else:
        assert len(VALUES) == len(values)
        assert "bar x2[y] | bar v3*cos(x2) + bar v2*x1 | 1.716 (1/1000)" in found


def numbers(answer: Answer) -> dict[str, set[str]]:
    """The last number of each symbol, as it is shown."""
    found: dict[str, set[str]] = {}
    for entry in answer.entries:
        for piece in entry.pieces[-1:]:
            if piece.number is not None:
                found.setdefault(symbol(entry.quantity), set()).add(f"{float(piece.number.value):.12g}")
    return found


FORMS = ["plain", "markdown", "latex", "csv", "json"]


@examples(40)
@given(programs(depth=2), st.sampled_from(FORMS))
def test_any_trace_reads_back_with_its_numbers(case: object, form: str) -> None:
    text, at = case.text, case.at  # type: ignore[attr-defined]
    point = ",".join(f"{name}={x}" for name, x in at.items())
    try:
        expression = adcli.parse(text)
        trace = expression.trace(at, mode="both")
    except AdcliError:
        assume(False)
        return
    printed = run("eval", text, "--at", point, "--format", form, "--places", "12", "--all")
    (answer,) = read(
        printed.out, name=f"a.{form}", inputs=tuple(trace.at), outputs=tuple(output.name for output in trace.outputs)
    )
    found = numbers(answer)
    digits = Digits(12)
    shown = {"NaN", "inf", "-inf", Noise.SHOWN}
    for row in trace.rows:
        for name, x in [(row.label, row.value), *((f"dot {row.label}[{key}]", dot) for key, dot in row.dot.items())]:
            if x is None or row.truth or digits.show(x) in shown:
                continue
            full = form in ("csv", "json")
            assert f"{x if full else float(digits.show(x)):.12g}" in found[name], (name, printed.out)
    assert () == answer.unread


# --- sheets -----------------------------------------------------------------------------------------------------------

SHEET = [["v1", "log(x1)", "0.693"], ["v2", "x1*x2", "10"]]
READ = ["v1 | log(x1) | 0.693 (1/1000)", "v2 | x1*x2 | 10 (1)"]


def separated(table: list[list[str]], mark: str) -> str:
    out = StringIO()
    csv.writer(out, delimiter=mark).writerows(table)
    return out.getvalue()


@pytest.mark.parametrize("mark", [",", ";", "\t"])
@pytest.mark.parametrize(
    "header", [["step", "formula", "value"], ["Name", "Expression", "Result"], ["node", "operation", "val"], None]
)
@pytest.mark.parametrize("suffix", ["csv", "tsv", "txt"])
def test_sheets_of_any_separator_and_header(mark: str, header: list[str] | None, suffix: str) -> None:
    if (suffix == "tsv" and mark != "\t") or (suffix == "txt" and header is None and mark == ","):
        return
    assert READ == rows(separated([header, *SHEET] if header else SHEET, mark), name=f"a.{suffix}")


def test_columns_stand_in_any_order_and_others_are_passed_over() -> None:
    text = "why,value,derivative,Formula,variable\nrule,0.693,0.5,log(x1),v1\n,10,5,x1*x2,v2\n"
    assert [READ[0], "dot v1 | 0.5 (1/10)", READ[1], "dot v2 | 5 (1)"] == rows(text)


@pytest.mark.parametrize(
    ("header", "column"),
    [
        ("dv/dx1", "dot v1[x1]"), ("∂v/∂x1", "dot v1[x1]"), ("v̇ (x2)", "dot v1[x2]"), ("dot x2", "dot v1[x2]"),
        ("tangent", "dot v1"), ("ẋ", "dot v1"), ("v'", "dot v1"), ("dv", "dot v1"), ("d/dx1", "dot v1[x1]"),
        ("tangent wrt x1", "dot v1[x1]"), ("$\\dot v$", "dot v1"), ("adjoint", "bar v1"), ("v̄", "bar v1"),
        ("∂y/∂v", "bar v1[y]"), ("bar", "bar v1"), ("bar y", "bar v1[y]"), ("adjoint of y", "bar v1[y]"),
        ("vbar", "bar v1"), ("dy/dv_i", "bar v1[y]"),
    ],
)  # fmt: skip
def test_the_header_of_a_column_of_derivatives(header: str, column: str) -> None:
    assert ["v1 | 0.693 (1/1000)", f"{column} | 1 (1)"] == rows(
        f"| name | value | {header} |\n|--|--|--|\n|v1|0.693|1|"
    )


def test_a_table_that_lies_on_its_side() -> None:
    assert READ == rows("step,v1,v2\nformula,log(x1),x1*x2\nvalue,0.693,10\n")


def test_the_apostrophe_before_what_a_spreadsheet_would_compute_is_none_of_the_text() -> None:
    assert ["v1 | -x1 | -2 (1)"] == rows("name,formula,value\nv1,'-x1,'-2\n")


def test_a_column_of_problems_makes_sections() -> None:
    text = "problem,name,value\nProblem 1,v1,0.5\nProblem 2,v1,7\n"
    found = [(answer.section, [told(entry) for entry in answer.entries]) for answer in read(text)]
    assert [("1", ["v1 | 0.5 (1/10)"]), ("2", ["v1 | 7 (1)"])] == found


def workbook(*sheets: list[list[object]], titles: tuple[str, ...] = ("Sheet1",)) -> bytes:
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    book.remove(book.active)
    for title, sheet in zip(titles, sheets, strict=True):
        page = book.create_sheet(title)
        for row in sheet:
            page.append(row)
    out = BytesIO()
    book.save(out)
    return out.getvalue()


def test_a_workbook() -> None:
    found = read(workbook([["step", "formula", "value"], ["v1", "log(x1)", 0.693], ["v2", "x1*x2", 10]]))
    assert [(None, READ)] == [(answer.section, [told(entry) for entry in answer.entries]) for answer in found]


def test_sheets_of_a_workbook_are_sections() -> None:
    found = read(workbook([["v1", 0.5]], [["v1", "=2*3"]], titles=("Problem 1", "b")))
    assert [("1", ["v1 | 0.5 (1/10)"]), ("b", ["v1 | 2*3"])] == [
        (a.section, [told(e) for e in a.entries]) for a in found
    ]


def test_formulas_of_a_workbook_are_text_over_the_names_of_rows() -> None:
    found = rows(workbook([["name", "value"], ["v1", "=LN(2)"], ["v2", "=B2*5"]]))
    assert ["v1 | log(2)", "v2 | v1*5"] == found


# --- JSON and notebooks -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "data",
    [
        {"v1": 0.693, "adjoints": {"v1": 1, "x1": 0.5}},
        {"values": {"v1": 0.693}, "gradient": {"v1": 1, "x1": 0.5}},
        {"v1": {"value": 0.693, "bar": 1}, "adjoint": {"x1": 0.5}},
    ],
)  # fmt: skip
def test_json_by_columns(data: object) -> None:
    assert ["v1 | 0.693 (1/1000)", "bar v1 | 1 (1)", "bar x1 | 0.5 (1/10)"] == rows(json.dumps(data), name="a.json")


@pytest.mark.parametrize(
    "data",
    [
        [{"name": "v1", "formula": "log(x1)", "value": 0.693}, {"name": "v2", "formula": "x1*x2", "value": 10}],
        {"rows": [{"step": "v1", "rule": "log(x1)", "result": "0.693"}, {"step": "v2", "rule": "x1*x2", "result": 10}]},
        {"v1": {"formula": "log(x1)", "value": 0.693}, "v2": {"formula": "x1*x2", "value": 10}},
        {"v1": "log(x1) = 0.693", "v2": "x1*x2 = 10"},
        {"v1": ["log(x1)", 0.693], "v2": ["x1*x2", 10]},
        ["v1 = log(x1) = 0.693", "v2 = x1*x2 = 10"],
        [["v1", "log(x1)", 0.693], ["v2", "x1*x2", 10]],
    ],
)  # fmt: skip
def test_json_in_any_shape(data: object) -> None:
    assert READ == rows(json.dumps(data), name="a.json")


def test_json_with_dots_and_bars() -> None:
    data = {"v1": {"value": 0.693, "dot": {"x1": 0.5, "x2": 0}, "bar": 1}}
    assert ["v1 | 0.693 (1/1000)", "dot v1[x1] | 0.5 (1/10)", "dot v1[x2] | 0 (1)", "bar v1 | 1 (1)"] == rows(
        json.dumps(data)
    )


@pytest.mark.parametrize(
    "data",
    [
        [{"problem": 1, "rows": [{"name": "v1", "value": 1}]}, {"problem": "b", "rows": [{"name": "v1", "value": 2}]}],
        {"answers": {"1": ["v1 = 1"], "b": ["v1 = 2"]}},
    ],
)
def test_json_of_several_problems(data: object) -> None:
    found = [(answer.section, [told(entry) for entry in answer.entries]) for answer in read(json.dumps(data))]
    assert [("1", ["v1 | 1 (1)"]), ("b", ["v1 | 2 (1)"])] == found


def notebook(*cells: dict[str, object]) -> str:
    return json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": list(cells)})


def test_a_notebook_is_its_text_and_what_its_code_printed() -> None:
    text = notebook(
        {"cell_type": "markdown", "source": ["# Problem 2\n", "$$v_1 = \\ln x_1 \\approx 0.693$$"]},
        {"cell_type": "code", "source": "v2 = 99", "outputs": [{"text": ["v2 = x1*x2 = 10\n"]}]},
        {"cell_type": "code", "source": "", "outputs": [{"data": {"text/plain": "'v3 = 1'", "image/png": "iVBOR"}}]},
    )  # fmt: skip
    (answer,) = read(text, name="a.ipynb")
    assert ("notebook", "2") == (answer.form, answer.section)
    assert READ == [told(entry) for entry in answer.entries][:2]


def test_code_counts_where_nothing_else_does() -> None:
    text = notebook(
        {"cell_type": "code", "source": "import math\nv1 = math.log(2)  # the first\nv2 = 2*5", "outputs": []}
    )
    assert ["v1 | log(2)", "v2 | 2*5"] == rows(text)


# --- LaTeX, Markdown, text --------------------------------------------------------------------------------------------

LATEX = r"""\documentclass{article}
\begin{document}
\section*{Exercise 4}
First we compute the values. % v9 = 3
\begin{align*}
v_1 &= \ln x_1 = \ln 2 \approx 0.693 \\  v_2 &= x_1 x_2 = 10, \label{a}\\[2mm]
\dot{v}_1 &= \frac{1}{x_1}\,\dot{x}_1 = \frac12 \nonumber \\
\bar v_4 &= \bar v_5 \cdot 1
         = 1
\end{align*}
\[ \bar v_3 = \boxed{-1} \qquad \text{(by the chain rule)} \]
\begin{tabular}{|l|l|r|} \hline
Step & Formula & Value \\ \hline
$v_4$ & $v_1+v_2$ & $10.693$ \\
$v_5$ & $v_4-v_3$ & 11.652 \\ \hline
\end{tabular}
\begin{equation} \begin{array}{lcl}
\dot v_4 & = & \dot v_1 + \dot v_2 \\
\dot v_5 & = & \dot v_4 - \dot v_3 \; = \; 5.5
\end{array} \end{equation}
\end{document}
"""


def test_latex_of_every_environment() -> None:
    (answer,) = read(LATEX, name="a.tex")
    assert ("latex", "4", ()) == (answer.form, answer.section, answer.unread)
    assert [
        "v1 | log(x1) | log(2) | 0.693 (1/1000)",
        "v2 | x1*x2 | 10 (1)",
        "dot v1 | 1/x1*dot x1 | 1/2",
        "bar v4 | bar v5*1 | 1 (1)",
        "bar v3 | -1 (1)",
        "v4 | v1 + v2 | 10.693 (1/1000)",
        "v5 | v4 - v3 | 11.652 (1/1000)",
        "dot v4 | dot v1 + dot v2",
        "dot v5 | dot v4 - dot v3 | 5.5 (1/10)",
    ] == [told(entry) for entry in answer.entries]


MARKDOWN = """# Homework
## 2.
My **values**:

| step | formula | value | v̇ |
|------|:-------:|------:|---|
| x1   |         | 2     | 1 |
| $v_1$ | `ln(x1)` | **0.693** | $\\dot x_1/x_1 = 0.5$ |

1. v2 = x1\\*x2 = 10
   * **v3** = sin(x2)
```
v4 = v1 + v2
```
### (b)
v1 = |x1| = 2
"""


def test_markdown_with_tables_lists_and_code() -> None:
    found = [(answer.form, answer.section, [told(e) for e in answer.entries]) for answer in read(MARKDOWN)]
    assert [
        (
            "markdown",
            "2",
            [
                "x1 | 2 (1)", "dot x1 | 1 (1)", "v1 | log(x1) | 0.693 (1/1000)", "dot v1 | dot x1/x1 | 0.5 (1/10)",
                "v2 | x1*x2 | 10 (1)", "v3 | sin(x2)", "v4 | v1 + v2",
            ],
        ),
        ("markdown", "b", ["v1 | abs(x1) | 2 (1)"]),
    ] == found  # fmt: skip


VERBOSE = """x1 = input[]           = 2
x2 = input[]           = 5
v1 =   log['x1']       = 0.693
v2 =   mul['x1', 'x2'] = 10
v4 =   sin['x2']       = -0.959
dx1/dx1 =
\t=                                = 1
dv2/dx1 = (dv2/dx1)(dx1/dx1) + (dv2/dx2)(dx2/dx1)
\t= (5)(1) + (2)(0)                = 5
dv2/dx1 += (dv2/dx2)(dx2/dx1)
        += (2)(0)               = 5
"""


def test_the_verbose_text_of_the_papers_program() -> None:
    assert [
        "x1 | 2 (1)",
        "x2 | 5 (1)",
        "v1 | log(x1) | 0.693 (1/1000)",
        "v2 | x1*x2 | 10 (1)",
        "v4 | sin(x2) | -0.959 (1/1000)",
        "dx1/dx1 | 1 (1)",
        "dv2/dx1 | dv2/dx1*dx1/dx1 + dv2/dx2*dx2/dx1 | 5*1 + 2*0 | 5 (1)",
        "dv2/dx1 | dv2/dx1 + dv2/dx2*dx2/dx1 | dv2/dx1 + 2*0 | 5 (1)",
    ] == rows(VERBOSE)


@pytest.mark.parametrize(
    "text",
    [
        "Step   Formula   Value\nv1   log(x1)   0.693\nv2   x1*x2    10\n",
        "step\tformula\tvalue\nv1\tlog(x1)\t0.693\nv2\tx1*x2\t10",
        "My rows are\nv1   log(x1)   0.693\nand\nv2   x1*x2   10",
        "┃ name ┃ formula ┃ value ┃\n┡━━━╇━━━╇━━━┩\n│ v1 │ log(x1) │ 0.693 │\n│ v2 │ x1*x2 │ 10 │\n└──┴──┴──┘",
        "name | formula | value\n--- | --- | ---\nv1 | log(x1) | 0.693\nv2 | x1*x2 | 10",
        "name | formula | value\n--- | --- | ---\nv1 | log(x1) | 0.693\n   |\nv2 | x1*x2 | 10",
        "v1 = log(x1)\n   = 0.693\nv2 = x1*x2\n   ≈ 10",
        "v1  =  log(x1)  =  0.693     v2  =  x1*x2  =  10",
    ],
)
def test_tables_by_hand(text: str) -> None:
    assert READ == rows(text)


# --- sections and order -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "| x1 | 2 | x1' | 1 |\n| v1 = ln x1 | 0.693 | v1' = x1'/x1 | 0.5 |",
        "| x1 | 2 | x1' | 1 |\n| v1 = ln x1 | 0.693 | | |\n| | | v1' = x1'/x1 | 0.5 |",
        "| primal | value | tangent | value |\n|--|--|--|--|\n| x1 | 2 | x1' | 1 |\n"
        "| v1 = ln x1 | 0.693 | v1' = x1'/x1 | 0.5 |",
    ],
)
def test_two_tables_side_by_side_are_parted_where_derivatives_begin(text: str) -> None:
    found = ["x1 | 2 (1)", "dot x1 | 1 (1)", "v1 | log(x1) | 0.693 (1/1000)", "dot v1 | dot x1/x1 | 0.5 (1/10)"]
    assert found == rows(text, name="answer.md")


def test_names_of_a_table_may_have_their_formulas_with_them() -> None:
    table = "| node | value | d/dx1 |\n|--|--|--|\n| x1 = 2 | 2 | 1 |\n| v1 = ln(x1) | 0.693 | 0.5 |\n| v2 = 10 | | |"
    found = ["x1 | 2 (1) | 2 (1)", "dot x1[x1] | 1 (1)", "v1 | log(x1) | 0.693 (1/1000)", "dot v1[x1] | 0.5 (1/10)"]
    assert [*found, "v2 | 10 (1)"] == rows(table, name="a.md")
    assert ["v1 | log(x1)"] == rows("| node | value |\n|--|--|\n| v1 = ln(x1) | |", name="a.md")


def test_powers_and_functions_of_a_page() -> None:
    page = "<html><p>v<sub>1</sub> = x<sub>1</sub><sup>2</sup> = 4</p><p><math><mi>y</mi><mo>=</mo><mi>sin</mi>"
    page += "<mo>&#x2061;</mo><msub><mi>v</mi><mn>1</mn></msub><mo>=</mo><mn>-0.757</mn></math></p></html>"
    assert ["v1 | x1^2 | 4 (1)", "y | sin(v1) | -0.757 (1/1000)"] == rows(page)


@pytest.mark.parametrize(
    "page",
    [
        "<table><tr><th><p>v</p></th><th><p>value</p></th></tr><tr><td><p>v1</p></td><td><p>4</p></td></tr></table>",
        "<table><tr><th>v<th>value<tr><td>v1<td>4</table>",
        "<table><tr><td><table><tr><th>v<th>value</tr><tr><td>v1<td>4</tr></table></td></tr></table>",
    ],
)
def test_cells_of_a_page_may_have_paragraphs_and_no_ends(page: str) -> None:
    assert ["v1 | 4 (1)", "y | 6 (1)"] == rows(f"<html>{page}<p>y = 6</html>")


def test_decimal_commas_in_braces() -> None:
    assert ["v1 | x1*x2 | 0.84 (1/100)"] == rows(r"$v_1 = x_1 x_2 = 0{,}84$", decimal="comma")


def test_headers_in_german_and_french() -> None:
    german = "Schritt;Formel;Wert;Ableitung nach x1;Adjungierte\nx2;gegeben;5;0;1,7"
    assert ["x2 | 5 (1)", "dot x2[x1] | 0 (1)", "bar x2 | 1.7 (1/10)"] == rows(german, name="a.csv", decimal="comma")
    french = "| étape | formule | valeur |\n|--|--|--|\n| x2 | donnée | 5 |\n| v2 | x1·x2 | 10 |"
    assert ["x2 | 5 (1)", "v2 | x1*x2 | 10 (1)"] == rows(french, name="a.md")


def test_what_is_crossed_out_in_a_page_is_not_read() -> None:
    page = "<html><p>v1 = 0.693</p><p><del>v3 = 0.087</del></p><p>v3 = <s>0.087</s> -0.959</p></html>"
    assert ["v1 | 0.693 (1/1000)", "v3 | -0.959 (1/1000)"] == rows(page)


@pytest.mark.parametrize(
    ("heading", "section"),
    [
        ("Problem 2", "2"), ("## 2.", "2"), ("(b)", "b"), ("Exercise 3: the chain", "3"), ("**Question 4**", "4"),
        ("b)", "b"), ("# Aufgabe 5", "5"), ("Q2.", "2"), ("\\subsection*{Problem 2}", "2"), ("Problem 1(a)", "1(a)"),
    ],
)  # fmt: skip
def test_headings_name_problems(heading: str, section: str) -> None:
    first, second = read(f"Problem 9\nv1 = 1\n{heading}\nv1 = 2\n")
    assert ("9", section) == (first.section, second.section)
    assert ["v1 | 2 (1)"] == [told(entry) for entry in second.entries]


@pytest.mark.parametrize("line", ["1. v2 = 3", "(b) v2 = 3", "# Homework 3", "## Forward mode", "Step 2", "v2 = 1"])
def test_what_is_no_heading(line: str) -> None:
    assert 1 == len(read(f"v1 = 1\n{line}\nv3 = 2"))


def test_where_the_inputs_are_is_said_before_the_first_heading() -> None:
    assert ["1"] == [answer.section for answer in read("Given x1 = 2, x2 = 5\nProblem 1\nv1 = 3")]


def entries(text: str) -> list[Entry]:
    (answer,) = read(text)
    return list(answer.entries)


RESULT, UPWARDS = (
    "x1bar = 5.5\n",
    ("x1bar = x1bar + v1bar/x1 = 5.5\nx1bar = v2bar*x2 = 5\nv2bar = v4bar = 1\nv1bar = v4bar = 1\nv4bar = 1\n"),
)


def test_a_students_table_that_runs_upwards() -> None:
    found = [symbol(entry.quantity) for entry in entries(RESULT + UPWARDS)]
    assert ["bar v4", "bar v1", "bar v2", "bar x1", "bar x1", "bar x1"] == found


def test_a_table_that_runs_downwards_stays_as_it_is() -> None:
    text = "v1bar = 1\n" + "\n".join(reversed(UPWARDS.splitlines()))
    found = [entry.line for entry in entries(text)]
    assert sorted(found) == found


READERS: list[Callable[[], str | bytes]] = [
    lambda: LATEX,
    lambda: MARKDOWN,
    lambda: VERBOSE,
    lambda: evaluated("--format", "csv"),
    lambda: evaluated("--format", "json"),
    lambda: evaluated("--mode", "reverse", "--style", "baydin", "--format", "plain"),
    lambda: evaluated("--format", "html"),
    lambda: workbook([["v1", 0.693], ["v2", 10]]),
]


@pytest.mark.parametrize("text", READERS)
def test_every_row_stands_on_the_line_that_it_says(text: Callable[[], str | bytes]) -> None:
    for answer in read(text()):
        for entry in answer.entries:
            for span in (entry.span, *(piece.span for piece in entry.pieces)):
                line, column = span.source.position(span.start)
                assert answer.lines[line - 1] == span.source.text
                assert column - 1 <= len(span.source.text)


ASCIIDOC = """
import re
from adcli.answers.collector import Collector
from adcli.answers.forms import AnswerReader
from adcli.answers.table_rows import join_cells, read_table

def rows(given, names):
    if not re.search(r"^\\|===$", given.text, re.M):
        return None
    collector = Collector("asciidoc", names)
    lines = [line for line in given.text.split("\\n") if line.startswith("|") and line != "|==="]
    read_table(collector, [cells for line in lines if (cells := join_cells(collector, line.split("|")[1:]))])
    return collector

READER = AnswerReader(0, rows)
"""


def test_a_reader_of_answers_is_one_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "asciidoc_planted.py").write_text(ASCIIDOC, encoding="utf-8")
    monkeypatch.setattr(forms, "__path__", [*forms.__path__, str(tmp_path)])
    try:
        (answer,) = read("|===\n|step |formula |value\n|v1 |log(x1) |0.693\n|===\n")
        assert ("asciidoc", ["v1 | log(x1) | 0.693 (1/1000)"]) == (answer.form, [told(e) for e in answer.entries])
        assert ["v1 | log(x1) | 0.693 (1/1000)"] == rows("v1 = log(x1) = 0.693")
    finally:
        sys.modules.pop("adcli.answers.forms.asciidoc_planted", None)
