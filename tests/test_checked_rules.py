"""The rules of a row are checked against what an arithmetic owes, by the type checker that the project uses."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest
from running import CHECKOUT, environment

pytest.importorskip("mypy")

HEAD = """
from __future__ import annotations
from collections.abc import Sequence
from adcli.table.arithmetic import Arithmetic, Operand, T
from adcli.table.primitive import Check, Kink, Limit, Slip, declare
"""
RIGHT = """
def squares(m: Arithmetic[T], *xs: T) -> T:
    total = m.zero
    for x in xs:
        total = total + x * x
    return total
def twice(m: Arithmetic[T], z: T, *xs: T) -> Sequence[T | float]:
    return [2 * x for x in xs]
def kept(m: Arithmetic[T], x: T) -> T:
    return m.choose(m.gt(x, 0), x, m.sin(x) / m.pi)
far: Limit[Operand] = Limit(lambda m, x: m.gt(x, 1e9), lambda m, x: m.exp(-x), shown=lambda m, n, x: m.gt(x, n))
declare("one", value=kept, partials=(lambda m, z, x: m.guard(far, 1 / (1 + m.abs(x)), x),),
        domain=(Check(lambda m, x: (x > 0) | (x != m.floor(x)), "poles"), Check(lambda m, x: m.cos(x) != 0, "pole")),
        smooth=Kink(lambda m, x: x != 0, "a corner", sides=(0, 1), slope=lambda m, x: 0),
        slips=(Slip("sign", value=lambda m, x: -x, partials=(lambda m, z, x: 1,)),))
declare("two", value=lambda m, a, b: a - b, partials=(lambda m, z, a, b: 1, None), continued=False,
        slips=(Slip("product_rule", tangent=lambda m, dots, xs: dots[0] * dots[1]),))
declare("three", value=lambda m, a, b, c: m.max(a, b, c), partials=(None, lambda m, z, a, b, c: 1 - z, None))
declare("many", value=squares, partials=twice, least=2)
"""
FINE = "partials=(lambda m, z, x: m.cos(x),)"
# What is wrong, on one line, and what is said of it.
WRONG: Mapping[str, tuple[str, str]] = {
    "a function that no arithmetic has": (
        f'declare("a", value=lambda m, x: m.sinn(x), {FINE})', 'has no attribute "sinn"'),
    "a condition where a number is due": (
        f'declare("a", value=lambda m, x: x > 0, {FINE})', 'got "Comparison", expected "Operand"'),
    "a condition for a partial": (
        'declare("a", value=lambda m, x: x, partials=(lambda m, z, x: x == 0,))', 'got "Comparison"'),
    "a plain number for a value": (f'declare("a", value=lambda m, x: 1, {FINE})', 'got "int", expected "Operand"'),
    "too many arguments for a function": (
        f'declare("a", value=lambda m, x: m.sin(x, x), {FINE})', 'Too many arguments for "sin"'),
    "too few arguments for a function": (
        f'declare("a", value=lambda m, x: m.hypot(x), {FINE})', 'Too few arguments for "hypot"'),
    "a partial without the result": ('declare("a", value=lambda m, x: x, partials=(lambda m, x: x,))', "lambda"),
    "a partial of another number of arguments": (
        'declare("a", value=lambda m, x: x, partials=(lambda m, z, a, b: a, None))', "incompatible type"),
    "an operator that rules do not have": (f'declare("a", value=lambda m, x: x**2, {FINE})', "Unsupported operand"),
    "a domain that is a number": (
        f'declare("a", value=lambda m, x: x, {FINE}, domain=Check(lambda m, x: x, ""))', 'expected "Comparison"'),
    "a domain of two arguments": (
        f'declare("a", value=lambda m, x: x, {FINE}, domain=Check(lambda m, a, b: a > b, ""))', "lambda"),
    "a kink that asks for what is not there": (
        f'declare("a", value=lambda m, x: x, {FINE}, smooth=Kink(lambda m, x: m.zeros > x, ""))', '"zeros"'),
    "a slope that is text": (
        f'declare("a", value=lambda m, x: x, {FINE}, smooth=Kink(lambda m, x: x > 0, "", slope=lambda m, x: "0"))',
        'got "str"'),
    "a limit of two arguments for one": (
        "a: Limit[Operand] = Limit(lambda m, a, b: m.eq(a, b), lambda m, a, b: a)", "lambda"),
    "a limit that is a condition": (
        "b: Limit[Operand] = Limit(lambda m, x: x > 0, lambda m, x: x)", 'got "Comparison", expected "Operand"'),
    "a slip that calls what is not there": (
        f'declare("a", value=lambda m, x: x, {FINE}, slips=(Slip("sign", value=lambda m, x: m.si(x)),))', '"si"'),
    "a slip that hands on all tangents": (
        f'declare("a", value=lambda m, x: x, {FINE}, slips=(Slip("sign", tangent=lambda m, dots, xs: dots),))',
        'got "Sequence[Operand]"'),
    "a rule that is a def and a condition": (
        "def c(m: Arithmetic[T], *xs: T) -> T: return m.max(*xs) > 1", 'got "Comparison", expected "T"'),
    "a cell that no row has": (f'declare("a", value=lambda m, x: x, {FINE}, sumary="")', '"sumary"'),
}  # fmt: skip

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> dict[int, str]:
    """What strict mypy says of each line of a file with right rows and then a wrong one on each line."""
    folder = tmp_path_factory.mktemp("rows")
    file = folder / "rows.py"
    file.write_text("\n".join([HEAD, RIGHT, *[line for line, _ in WRONG.values()]]), encoding="utf-8")
    # A process of its own: mypy raises the thresholds of the garbage collector, which other tests measure.  With the
    # settings of the package it need not find again what is known of that.
    command = [sys.executable, "-m", "mypy", "--no-color-output", "--no-pretty", str(file)]
    run = subprocess.run(command, cwd=CHECKOUT, capture_output=True, text=True, env=environment(), check=False)
    assert "" == run.stderr
    messages: dict[int, str] = {}
    for line, message in re.findall(r"rows\.py:(\d+): error: (.*)", run.stdout):
        messages[int(line)] = f"{messages.get(int(line), '')}{message}\n"
    return messages


def first_wrong() -> int:
    return len(f"{HEAD}\n{RIGHT}".split("\n")) + 1


def test_right_rows_are_let_pass(told: Mapping[int, str]) -> None:
    assert {} == {line: said for line, said in told.items() if line < first_wrong()}


@pytest.mark.parametrize("mistake", WRONG)
def test_wrong_row_is_told(told: Mapping[int, str], mistake: str) -> None:
    assert WRONG[mistake][1] in told.get(first_wrong() + list(WRONG).index(mistake), "")


def test_rules_of_the_table_have_parameters_that_the_checker_knows() -> None:
    """A lambda with `*xs`, or in a limit whose operands are not told, would be checked in part alone."""
    for file in sorted((CHECKOUT / "adcli" / "table").glob("*.py")):
        text = Path(file).read_text(encoding="utf-8")
        assert [] == re.findall(r"(?:value|partials)=\(?lambda m[^:]*\*.*", text)
        assert [] == re.findall(r"^\w+ = (?:Limit|Check|Kink)\(.*", text, re.MULTILINE)
