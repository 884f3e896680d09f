"""The check that shares nothing: that this is so, that what it calls true is, and that it finds what is planted."""

from __future__ import annotations

import ast
import json
from fractions import Fraction
from pathlib import Path
from random import Random

import pytest
from drawn import THOROUGH
from independent import arithmetics, evaluations, generators, process, truth
from independent.families import FAMILIES
from independent.process import CHECKOUT, Adcli
from independent.reader import read
from independent.values import NoValue
from mpmath import mp, mpf
from running import copy_tree

HERE = Path(__file__).parent / "independent"
ROUNDS = 8  # in which a fault that is planted is found


def test_it_imports_nothing_from_the_program() -> None:
    for file in HERE.glob("*.py"):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.Import):
                assert not [a.name for a in node.names if a.name.split(".")[0] == "adcli"], file.name
            elif isinstance(node, ast.ImportFrom) and not node.level:
                assert node.module is not None
                assert node.module.split(".")[0] != "adcli", file.name


def test_it_knows_every_function_of_the_program() -> None:
    with Adcli() as adcli:
        told = json.loads(adcli("functions", "--format", "json").out)
    assert set() == {row["name"] for row in told["functions"]} - generators.KNOWN


# --- what it calls true -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("-2^2", -4), ("2^3^2", 512), ("2^-1", 0.5), ("-2*-3", 6), ("7-4-2", 1), ("12/2/3", 2), ("2*3%4", 2),
        ("3!", 6), ("-3!", -6), ("2^3!", 64),
        ("1-2*3^2", -17), ("if(1 < 2 and not 2 < 1, 5, 6)", 5), ("if(0 < 3 < 2, 5, 6)", 6), ("a = 2; b = a*a; a+b", 6),
        ("max(1, 3, 2)", 3),
        ("log(8, 2)", 3), ("1e2+.5", 100.5), ("abs(-3)-(2-5)", 6), ("-7%3", 2), ("-(7%3)", -1),
    ],
)  # fmt: skip
def test_the_reader_reads_as_the_language_is(text: str, value: float) -> None:
    program = read(text)
    assert value == truth.value(program, program.outputs[0][1], {})


@pytest.mark.parametrize(
    ("text", "x", "slope"),
    [
        ("x^3", "2", 12), ("sin(x)", "0", 1), ("relu(x)-relu(-x)", "0", 1), ("abs(x)*x", "0", 0), ("if(x==2, 4, x^2)",
        "2", 4), ("cbrt(x-x)", "1", 0),
        ("x+1e300", "1e-300", 1), ("exp(-x^2)", "0", 0), ("x^x", "1", 1), ("1/x", "1e200", None),
    ],
)  # fmt: skip
def test_a_smooth_slope_is_found(text: str, x: str, slope: float | None) -> None:
    program = read(text)
    found = truth.slope(program, program.outputs[0][1], {"x": Fraction(x)}, "x")
    assert found.smooth
    expected = -1 / mpf(x) ** 2 if slope is None else mpf(slope)
    assert abs(found.right - expected) <= mpf(10) ** -15 * abs(expected) + found.unseen


@pytest.mark.parametrize(
    ("text", "x", "left", "right"),
    [("abs(x)", "0", -1, 1), ("max(x, x^2)", "1", 1, 2), ("sqrt(x)", "0", None, None), ("floor(x)", "1", None, 0),
    ("sign(x)", "0", None, None)],
)  # fmt: skip
def test_a_kink_or_a_jump_has_no_slope(text: str, x: str, left: float | None, right: float | None) -> None:
    program = read(text)
    found = truth.slope(program, program.outputs[0][1], {"x": Fraction(x)}, "x")
    assert (left, right) == (found.left, found.right)
    assert not found.smooth


def test_a_value_is_known_to_forty_digits_or_there_is_none() -> None:
    program = read("(1-cos(x))/x^2")
    with mp.workdps(50):
        assert abs(truth.value(program, program.outputs[0][1], {"x": Fraction("1e-30")}) - mpf("0.5")) < mpf(10) ** -40
    with pytest.raises(NoValue):
        truth.value(program, program.outputs[0][1], {"x": Fraction(0)})


def test_higher_derivatives_are_found_by_differences() -> None:
    program = read("x^2*y^3+exp(x)")
    at = {"x": Fraction(0), "y": Fraction(2)}
    with mp.workdps(30):
        assert abs(truth.second(program, program.outputs[0][1], at, "x", "y")) < mpf(10) ** -15
        assert abs(truth.second(program, program.outputs[0][1], at, "x", "x") - 17) < mpf(10) ** -10
        assert [1, 1, 17, 1, 1] == [
            mp.nint(d) for d, _ in truth.coefficients(program, program.outputs[0][1], at, "x", 4)
        ]


def test_a_round_follows_from_its_seed() -> None:
    first, second = (generators.expression(Random(5), ("x", "y"), 4) for _ in range(2))  # noqa: S311
    assert first == second


# --- planted faults ---------------------------------------------------------------------------------------------------

TRIGONOMETRY, FUNCTIONS = "table/trigonometry.py", "table/functions.py"
BESIDE = "else [(lambda m, e, x: f\"{m}{'' if '.' in m else '.'}1{e}{x}\")(*enclosure.upper.partition('e'))] * 2"
HALF = """"hessian": doc.NUMBERS.by_name.known(
            lambda result: result.second.hessian
            and {a: {b: 0.5 if b < a else x for b, x in row.items()} for a, row in result.second.hessian.items()}
        )"""
FEWER = """
_before = Precise.exp
Precise.exp = lambda self, x: _before(self, x) * (1 + self.number("1e-22"))

import adcli.trace.trust.proven_digits  # which would tell of it

adcli.trace.trust.proven_digits.prove_digits = lambda done, at, request, again: done
"""
# The file, what is there and what is put in its place (without the former: added at the end), the family that finds
# it, and a word of what is found.
PLANTS: dict[str, tuple[str, str, str, str, str]] = {
    "a partial without its root": (TRIGONOMETRY, "1 / m.hypot(x, 1),)", "1 / (1 + x * x),)", "rows", "asinh"),
    "a value of another function": (TRIGONOMETRY, "m.div(1, m.cosh(x))", "m.div(1, m.exp(x))", "rows", "sech"),
    "a sign lost in formulas": (
        "symbolic/monomial_sums.py", "+ factor * number", "+ abs(factor) * number", "thresholded", "diff",
    ),
    "bounds beside the truth": (
        "trace/trace_document.py", "else [enclosure.lower, enclosure.upper]", BESIDE, "certificates", "certified",
    ),
    "a convention is certified": (
        "trace/trust/certify.py", "= find_reached_kinks(", "= frozenset() and find_reached_kinks(", "kinks",
        "certified",
    ),
    "half of a Hessian": (
        "trace/trace_document.py", '"hessian": doc.NUMBERS.by_name.known("second.hessian")', HALF, "seconds", "hessian",
    ),
    "digits beyond the twentieth": ("numbers/precise.py", "", FEWER, "precision", "exp"),
    "a wrong number accepted": (
        "answers/shown_numbers.py", "max(number.unit / 2,", "max(number.unit * 10**9,", "answers", "check",
    ),
    "an error of its own": (FUNCTIONS, 'libm="erf",', 'libm="erf", value=lambda m, x: m.none(x),', "rows", "erf"),
    "an end by a signal": (
        FUNCTIONS, "m, z, x: z * m.sigmoid(-x),)", "m, z, x: __import__('os').abort(),)", "rows", "sigmoid",
    ),
}  # fmt: skip


def planted(folder: Path, file: str, old: str, new: str) -> Path:
    """A copy of the package with one thing changed."""
    for part in ("adcli", "grammar"):
        copy_tree(CHECKOUT / part, folder / part)
    path = folder / "adcli" / file
    text = path.read_text("utf-8")
    assert old in text, f"{file} has changed: plant something else there"
    path.write_text(text.replace(old, new) if old else text + new, "utf-8")
    return folder


# The same family finds them as its other plants: usually those stand for them.
LIKEWISE = {"a value of another function", "an end by a signal"}


@pytest.mark.slow
@pytest.mark.parametrize("plant", [plant for plant in PLANTS if THOROUGH or plant not in LIKEWISE])
def test_what_is_planted_is_found(plant: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file, old, new, family, word = PLANTS[plant]
    judges = {"rows": (evaluations, "evaluated"), "precision": (arithmetics, "_digits")}
    if family in judges:  # the numbers of other functions take long
        module, name = judges[family]
        right = getattr(module, name)
        monkeypatch.setattr(module, name, lambda *asked: right(*asked) if word in asked[-2].text else ())
    with Adcli(planted(tmp_path, file, old, new)) as adcli:
        for number in range(ROUNDS):
            found = FAMILIES[family](adcli, Random(f"{family} 4 {number}"))  # noqa: S311
            if any(word in f"{fault.command} {fault.expected} {fault.got}" for fault in found):
                return
    pytest.fail(f"{ROUNDS} rounds of {family} have not found it")


@pytest.mark.slow
def test_a_process_without_end_is_ended_and_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "SECONDS", 2)
    folder = planted(
        tmp_path,
        "table/functions.py",
        'libm="erf",',
        "libm=\"erf\", value=lambda m, x: __import__('time').sleep(99),",
    )
    with Adcli(folder) as adcli:
        good, bad = adcli.records(["eval"], ["x @ x=1", "erf(x) @ x=1"])
    assert ("trace/1", "broken/1") == (good["schema"], bad["schema"])
    assert "no end" in bad["why"]
