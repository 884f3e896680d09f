"""Promises of formulas in pieces: what they say, and how every format writes them."""

from __future__ import annotations

import math

import pytest
from drawn import examples
from expressions import Case, case_of, programs
from formats import Page
from hypothesis import given
from linear_printer import ASCII, LINEAR

from adcli.errors import Source
from adcli.graph.tape import evaluate
from adcli.language.program import read_program
from adcli.notation.formula import Leaf, number_leaf
from adcli.notation.formula_pieces import NamePiece, Piece, leaves_of
from adcli.notation.latex_printer import LATEX, expression_latex
from adcli.notation.mathematics import number_piece, pieces
from adcli.notation.mathml_printer import MATHML
from adcli.notation.table_formulas import join, numeral, write_adjoint, write_name, write_partial, write_tangent
from adcli.numbers.doubles import FLOAT
from adcli.table.primitive import ROWS

CLOSE = 1e-9  # of the larger of two values whose operations come in another order


def piece_of(text: str) -> Piece:
    graph = read_program(Source(text)).graph
    return pieces(graph, graph.outputs[0][1], lambda _: None)


def values(text: str, at: dict[str, float]) -> list[float]:
    graph = read_program(Source(text)).graph
    found = evaluate(graph, FLOAT, {slot: at[name] for slot, name in graph.inputs.items()})
    return [found[slot] for _, slot in graph.outputs]


def assert_says_the_same(case: Case) -> None:
    """The pieces on one line, in ASCII, are a text of the language with the same value."""
    graph = read_program(Source(case.text)).graph
    again = "; ".join(ASCII.printed(pieces(graph, slot, lambda _: None)) for _, slot in graph.outputs)
    again = again.replace(" = ", " == ")
    for expected, found in zip(values(case.text, case.at), values(again, case.at), strict=True):
        assert math.isclose(expected, found, rel_tol=CLOSE, abs_tol=CLOSE), again


@pytest.mark.parametrize("row", ROWS.values(), ids=str)
def test_every_row_reads_back_from_its_pieces(row: object) -> None:
    assert_says_the_same(case_of(row))


@examples(200)
@given(programs())
def test_pieces_on_one_line_read_back_as_the_same_value(case: Case) -> None:
    assert_says_the_same(case)


@examples(100)
@given(programs())
def test_every_format_writes_every_name_and_number(case: Case) -> None:
    graph = read_program(Source(case.text)).graph
    piece = pieces(graph, graph.outputs[0][1], lambda _: None)
    Page(f"<math>{MATHML.printed(piece)}</math>")
    latex = LATEX.printed(piece)
    assert latex.count("{") == latex.count("}")
    assert latex.count(r"\left") == latex.count(r"\right")
    line = LINEAR.printed(piece)
    assert all(leaf.text in line for leaf in leaves_of(piece) if isinstance(leaf, NamePiece))


@pytest.mark.parametrize(
    ("text", "latex"),
    [
        ("floor(x) + root(x, 3) + log(x, 2)", r"\lfloor x \rfloor + \sqrt[3]{x} + \log_2 x"),
        ("2*x*cos(x^2)", r"2x\cos x^2"),
        ("x1*x2", "x_1 x_2"),
        ("x*2*3", r"x \cdot 2 \cdot 3"),
        ("cos(x)*y*sin(z)", r"\cos x \cdot y\sin z"),
        ("cos(x)*sin(y)", r"\cos x\sin y"),
        ("sin(x + 1)*y", r"\sin(x + 1) y"),
        ("sin(x)^2 + exp(x)^y", r"\sin^2 x + (\exp x)^y"),
        ("2*(x/y)", r"2 \cdot \frac{x}{y}"),
        ("(x/y)^2", r"\left(\frac{x}{y}\right)^2"),
        ("x - (y - z) - -3", r"x - (y - z) - (-3)"),
        ("x*(y*z)", "x y z"),
        ("k = 3", "k = 3"),
        ("dt*alpha*ab", r"\mathrm{dt}\,\alpha\,\mathrm{ab}"),
        ("x^-2 + 2^(x + 1) + 2^0.5", "x^{-2} + 2^{x + 1} + 2^{0.5}"),
        ("gamma(x) + sqrt(x)*lgamma(x)", r"\Gamma(x) + \sqrt{x}\operatorname{lgamma} x"),
        ("1e-7*x + 2.5e9", r"10^{-7}x + 2.5 \cdot 10^{9}"),
        ("sin(2e3) + (2e3*x)^2", r"\sin(2 \cdot 10^{3}) + (2 \cdot 10^{3}x)^2"),
        ("a*bc*d + bc*(d + 1)", r"a\,\mathrm{bc}\,d + \mathrm{bc}\,(d + 1)"),
        ("sigma*(x + 1) + sigmoid(x + 1)", r"\sigma \cdot (x + 1) + \sigma(x + 1)"),
        ("-(x % y) + (-x % y)*z", r"-(x \bmod y) + ((-x) \bmod y) z"),
        ("sin(x) % (y*z) % 2", r"((\sin x) \bmod (y z)) \bmod 2"),
        (
            "if(x > 0 and not y <= 2, x, 0)",
            r"\begin{cases}x & \textnormal{if }x > 0 \land \lnot y \le 2 \\ 0 & \textnormal{otherwise}\end{cases}",
        ),
    ],
)
def test_mathematics_is_written_as_people_write_it(text: str, latex: str) -> None:
    assert latex == expression_latex(read_program(Source(text)).graph)


def test_a_piece_knows_its_slot_and_where_it_is_written() -> None:
    text = "2*x + sin(y)"
    graph = read_program(Source(text)).graph
    piece = pieces(graph, graph.outputs[0][1], lambda _: None)
    names = [leaf for leaf in leaves_of(piece) if isinstance(leaf, NamePiece)]
    assert ["x", "y"] == [text[slice(*leaf.origin.span)] for leaf in names]
    assert ["x", "y"] == [graph.inputs[leaf.origin.slot] for leaf in names]


@pytest.mark.parametrize(
    ("text", "latex"),
    [
        ("−0.5", "-0.5"), ("1/3", r"\frac{1}{3}"), ("-2.5e-7", r"-2.5 \cdot 10^{-7}"), ("inf", r"\infty"),
        ("1+2i", "1 + 2i"), ("0.5−1.5e-3i", r"0.5 - 1.5 \cdot 10^{-3}i"), ("…", r"\dots"), ("−i", "-i"),
        ("2i", "2i"), ("−12i", "-12i"), ("3.627i", "3.627i"),
        ("-1.5e-12i", r"-1.5 \cdot 10^{-12}i"), ("12.5+10i", "12.5 + 10i"), ("1e-12−i", "10^{-12} - i"), ("i", "i"),
        ("inf−2i", r"\infty  - 2i"), ("1/3+2/5i", r"\frac{1}{3} + \frac{2}{5} i"),
        ("NaN", r"\textnormal{NaN}"), ("≈ 0", r"\approx 0"),
    ],
)  # fmt: skip
def test_numbers_of_every_kind_are_numbers(text: str, latex: str) -> None:
    assert latex == LATEX.printed(number_piece(text)).strip()


def test_what_is_joined_is_a_text_for_tables_and_pieces_for_documents() -> None:
    formula = join("= ", write_adjoint("v2"), " + ", write_adjoint("v1"), " ", write_partial("v1", "x1"))
    assert "= v̄2 + v̄1 ∂v1/∂x1" == formula
    expected = r"= \bar v_2 + \bar v_1\frac{\partial v_1}{\partial x_1}"
    assert expected == LATEX.printed(formula.piece).strip()
    assert "ẋ1" == write_tangent("x1")
    assert r"\dot{\theta} = -2" == LATEX.printed(join(write_tangent("θ"), " = ", numeral("-2")).piece)
    assert "x_1" == LATEX.printed(write_name("x1").piece)


def test_a_long_formula_is_written_without_recursion() -> None:
    text = "+".join(["x"] * 20_000)
    assert LATEX.printed(piece_of(text)).count("x") == 20_000
    nested = "sin(" * 5_000 + "x" + ")" * 5_000
    assert MATHML.printed(piece_of(nested)).count("sin") == 5_000


@pytest.mark.parametrize(
    ("text", "x", "latex"),
    [
        ("x^2", "2i", "(2i)^2"),
        ("x^x", "1−2i", "(1 - 2i)^{1 - 2i}"),
        ("sin(x)*x", "1+2i", r"\sin(1 + 2i)(1 + 2i)"),
        ("x + x", "1+2i", "(1 + 2i) + (1 + 2i)"),
        ("sin(x)", "2.5e-7", r"\sin(2.5 \cdot 10^{-7})"),
        ("x^2*x", "-1/3", r"\left(-\frac{1}{3}\right)^2\left(-\frac{1}{3}\right)"),
        ("x*x", "1/3", r"\frac{1}{3}\frac{1}{3}"),
    ],
)
def test_a_number_put_in_keeps_its_meaning(text: str, x: str, latex: str) -> None:
    graph = read_program(Source(text)).graph
    assert latex == LATEX.printed(pieces(graph, graph.outputs[0][1], dict.fromkeys(graph.inputs, number_leaf(x)).get))


def test_a_leaf_stands_for_its_slot() -> None:
    graph = read_program(Source("x*y - z")).graph
    slots = {name: slot for slot, name in graph.inputs.items()}
    numbers = {slots["x"]: Leaf("2", value=True), slots["y"]: Leaf("5", value=True), slots["z"]: Leaf("−1", 6, True)}
    assert r"2 \cdot 5 + 1" == LATEX.printed(pieces(graph, graph.outputs[0][1], numbers.get))
