"""Adding a function is one row and nothing else."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import adcli

PACKAGE = Path(adcli.__file__).resolve().parent
TESTS = Path(__file__).resolve().parent

SOFTSIGN = """
declare(
    "softsign",
    value=lambda m, x: x / (1 + m.abs(x)),
    partials=(lambda m, z, x: 1 / ((1 + m.abs(x)) * (1 + m.abs(x))),),
    sample=(0.2, 3.0),
    summary="x/(1 + |x|), a cheap sigmoid",
)
"""


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the program with one row more."""
    folder = tmp_path_factory.mktemp("house")
    shutil.copytree(PACKAGE, folder / "adcli", ignore=shutil.ignore_patterns("__pycache__"))
    grammar = next(path for path in (PACKAGE / "grammar", PACKAGE.parent / "grammar") if path.is_dir())
    shutil.copytree(grammar, folder / "grammar", dirs_exist_ok=True)
    table = folder / "adcli" / "table" / "functions.py"
    table.write_text(table.read_text(encoding="utf-8") + SOFTSIGN, encoding="utf-8")
    return folder


def run(house: Path, *arguments: str) -> str:
    """What a command prints in the copy, standard output alone; it must succeed."""
    path = os.pathsep.join([str(house), str(TESTS)])
    environment = os.environ | {"PYTHONPATH": path, "PYTHONIOENCODING": "utf-8", "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        [sys.executable, *arguments], cwd=house, env=environment, capture_output=True, encoding="utf-8", check=False
    )
    assert 0 == done.returncode, done.stderr
    return done.stdout


def test_copy_is_what_runs(house: Path) -> None:
    where = run(house, "-c", "import adcli; print(adcli.__file__)").strip()
    assert house / "adcli" / "__init__.py" == Path(where)


def test_function_is_unknown_before_its_row_is_there() -> None:
    with pytest.raises(adcli.AdcliError, match="softsign"):
        adcli.parse("softsign(x)")
    with pytest.raises(AttributeError):
        adcli.softsign  # noqa: B018 - asking is the test


@pytest.mark.parametrize("mode", ["forward", "reverse", "both"])
@pytest.mark.parametrize(("x", "value", "slope"), [("-3", -1.5, 0.125), ("1", 1.0, 0.5), ("0", 0.0, 2.0)])
def test_new_function_is_evaluated_and_differentiated(
    house: Path, mode: str, x: str, value: float, slope: float
) -> None:
    answer = run(
        house, "-m", "adcli", "eval", "softsign(x)*2", "--at", f"x={x}", "--mode", mode, "--format", "json"
    )  # fmt: skip
    trace = json.loads(answer)
    (output,) = trace["outputs"]
    assert (value, {"x": slope}) == (output["value"], output["gradient"])
    assert ["input", "softsign", "mul"] == [node["operator"] for node in trace["nodes"]]
    if mode != "reverse":
        assert [{"x": 1.0}, {"x": slope / 2}, {"x": slope}] == [node["dot"] for node in trace["nodes"]]
    if mode != "forward":
        assert [{"y": slope}, {"y": 2.0}, {"y": 1.0}] == [node["bar"] for node in trace["nodes"]]


@pytest.mark.slow
def test_new_function_is_in_the_list_of_functions(house: Path) -> None:
    table = run(house, "-m", "adcli", "functions", "softsign")
    assert "softsign(x)" in table
    assert "a cheap sigmoid" in table
    (row,) = json.loads(run(house, "-m", "adcli", "functions", "softsign", "--format", "json"))["functions"]
    assert ("softsign", 1, "softsign(x)") == (row["name"], row["arity"], row["call"])
    assert "softsign" in run(house, "-m", "adcli", "functions")


def test_new_function_is_written_and_read_back(house: Path) -> None:
    program = """
import json, adcli
e = adcli.parse("2 softsign x + softsign(x)^2")
again = adcli.parse(e.text)
x = adcli.Node(-3.0)
y = adcli.mul(adcli.softsign(x), 2.0)
adcli.reverse(y)
print(json.dumps([e.text, again.text, e.latex, e.value({"x": -3}), again.gradient({"x": -3}), x.partial_derivative]))
"""
    text, again, latex, value, gradient, slope = json.loads(run(house, "-c", program))
    assert "2*softsign(x) + softsign(x)^2" == text == again
    assert r"2\operatorname{softsign} x" in latex
    # s = -3/4 and s' = 1/16: 2 s + s^2 and 2 s' + 2 s s'
    assert (-1.5 + 0.5625, {"x": 0.125 - 0.09375}) == (value, gradient)
    assert 0.125 == slope


def test_new_function_is_suggested_for_a_slip_of_the_pen(house: Path) -> None:
    program = """
import adcli
try:
    adcli.parse("softsing(x)")
except adcli.AdcliError as error:
    print(error.label)
"""
    assert "did you mean softsign?" == run(house, "-c", program).strip()


def test_new_row_brings_its_own_tests(house: Path) -> None:
    program = """
import json, rule_checks
from adcli.table.primitive import ROWS
row = ROWS["softsign"]
print(json.dumps({
    "complaints": rule_checks.all_complaints(row),
    "points": len(rule_checks.sampled_points(row)) + len(rule_checks.points_beyond(row)),
}))
"""
    answer = json.loads(run(house, "-c", program))
    assert [] == answer["complaints"]
    assert answer["points"] >= 15


@pytest.mark.slow
def test_wrong_row_is_caught_by_the_tests_that_it_brings(house: Path) -> None:
    program = """
import json, rule_checks
from adcli.table.primitive import declare
row = declare("softsine", value=lambda m, x: x / (1 + m.abs(x)), partials=(lambda m, z, x: 1 / (1 + m.abs(x)),),
              sample=(0.2, 3.0), summary="wrong on purpose")
print(json.dumps(rule_checks.all_complaints(row)))
"""
    complaints = json.loads(run(house, "-c", program))
    assert any("dsoftsine" in complaint for complaint in complaints)
