"""Promises of printed LaTeX: it can be read in one way only, and says what is computed."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest
from drawn import examples
from expressions import Case, case_of, programs
from hypothesis import given
from reading_latex import Unclear, value_of

from adcli.errors import Source
from adcli.graph.tape import evaluate
from adcli.language.program import read_program
from adcli.notation.latex_printer import LATEX
from adcli.notation.mathematics import pieces
from adcli.numbers.doubles import FLOAT
from adcli.table.primitive import ROWS, Call

CASES = Path(__file__).parent / "cases" / "expressions.jsonl"
CLOSE = 1e-8
_PRINTED = {row.notation.symbol or row.name: row.name for row in ROWS.values() if isinstance(row.notation, Call)}
_PRINTED |= {"Phi": "normcdf", "phi": "normpdf"}


def meaning(name: str, arguments: list[float]) -> float:
    """The value of a function by the name that LaTeX has for it."""
    if name in ("j", "J", "Y", "I", "K", "H", "E"):  # the index is the order, which the language has first
        arguments = arguments[::-1]
    x = arguments[0]
    if name == "E":
        name = "expint"
    if name == "W":
        name, arguments = ("lambertwm1" if len(arguments) > 1 else "lambertw"), arguments[:1]
    match name, arguments[1:]:
        case "root", [2.0]:
            return math.sqrt(x)
        case "root", [3.0]:
            return math.cbrt(x)
        case "log", [base]:
            return math.log(x) / math.log(base)
        case "log", _:
            return math.log(x)
        case "if", [yes, no]:
            return yes if x else no
        case "mod", [y]:
            return x - y * math.floor(x / y)
        case "div", [y]:
            return x / y
        case "pow", [y]:
            return float(x**y)
    names = [f"x{k}" for k in range(len(arguments))]
    return values(f"{_PRINTED.get(name, name)}({', '.join(names)})", dict(zip(names, arguments, strict=True)))[0][1]


def values(text: str, at: dict[str, float]) -> list[tuple[str, float]]:
    """The LaTeX and the value of every output."""
    graph = read_program(Source(text)).graph
    found = evaluate(graph, FLOAT, {slot: at[name] for slot, name in graph.inputs.items()})
    return [(LATEX.printed(pieces(graph, slot, lambda _: None)), found[slot]) for _, slot in graph.outputs]


def assert_read_as_meant(text: str, at: dict[str, float]) -> None:
    for latex, expected in values(text, at):
        assert math.isclose(expected, value_of(latex, at, meaning), rel_tol=CLOSE, abs_tol=CLOSE), latex


def test_latex_of_published_expressions_is_read_as_meant() -> None:
    for line in CASES.read_text().splitlines():
        case = json.loads(line)
        assert_read_as_meant(case["expr"], {name: float(x) for name, x in case["point"].items()})


@pytest.mark.parametrize("row", ROWS.values(), ids=str)
def test_latex_of_every_row_is_read_as_meant(row: object) -> None:
    case = case_of(row)
    assert_read_as_meant(case.text, case.at)


@examples(200)
@given(programs())
def test_latex_of_any_program_is_read_as_meant(case: Case) -> None:
    assert_read_as_meant(case.text, case.at)


@pytest.mark.parametrize(
    "latex",
    [
        r"2 2",
        r"\sin x y",
        r"\sin \sin x",
        r"2 \frac{x}{y}",
        r"x \bmod y z",
        r"\sin x \bmod y",
        r"x^y^z",
        r"\sin 2 \cdot x^",
    ],
)
def test_the_reader_refuses_what_is_unclear(latex: str) -> None:
    with pytest.raises(Unclear):
        value_of(latex, {"x": 1.0, "y": 2.0, "z": 3.0}, meaning)
