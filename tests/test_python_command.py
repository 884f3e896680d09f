"""`adcli trace`, `adcli.trace`, functions of the user's in the table, and the samples of Python."""

from __future__ import annotations

import json
import math
import re
import runpy
from pathlib import Path

import numpy as np
import pytest
from running import CHECKOUT, PAPER, process, run
from test_house import HEAVY, loaded

import adcli
from adcli.errors import AdcliError
from adcli.python import grad, hessian

SAMPLES = CHECKOUT / "samples" / "python"


def sample(name: str) -> dict[str, object]:
    return runpy.run_path(str(SAMPLES / f"{name}.py"))


def test_a_function_of_python_gives_the_paper_s_tables(tmp_path: Path) -> None:
    for style in ("wide", "paper"):
        flags = ("--at", "x1=2,x2=5", "--style", style, "--quiet")
        plain = run("eval", PAPER, *flags).out.splitlines()
        traced = run("trace", f"{SAMPLES / 'paper.py'}:f", *flags).out.splitlines()
        ruled = [line for line in plain if not line.startswith("--")]
        without = [re.sub(r"  (source|10(: .*)?)$", "", line).rstrip() for line in traced if not line.startswith("--")]
        assert ruled == without


def test_a_loop_is_unrolled_as_it_ran_with_its_line_beside_each_row() -> None:
    done = run("trace", f"{SAMPLES / 'power_loop.py'}:power_loop", "--at", "x=2", "--fixed", "n=3", "--format", "json")
    data = json.loads(done.out)
    assert (8.0, {"x": 12.0}) == (data["outputs"][0]["value"], data["outputs"][0]["gradient"])
    rows = [(row["name"], row["formula"], row.get("source")) for row in data["nodes"]]
    line = "result = result * x"
    assert [("x", "x", None), ("v1", "x × x", line), ("v2", "v1 × x", line)] == rows
    assert "power_loop(x)" == data["expression"]


def test_a_branch_is_the_one_that_was_taken() -> None:
    trace = adcli.trace(sample("power_loop")["halvings"], {"x": 5.0}, "reverse")
    assert ["x/2", "v1/2", "v2/2", "v3 × v3"] == [row.formula for row in trace.rows[1:]]
    assert {"x": 2 * 5 / 64} == trace.outputs[0].gradient


def test_a_traced_function_can_be_called_from_python_whatever_was_imported_before() -> None:
    def f(x: object, y: object) -> dict[str, object]:
        return {"s": np.sin(x) * y, "t": abs(x - y) + x**2 / 3 - 1}

    trace = adcli.trace(f, {"x": 2, "y": 0.5})
    assert ["s", "t"] == [output.name for output in trace.outputs]
    assert {"x": 0.5 * math.cos(2), "y": math.sin(2)} == trace.outputs[0].gradient
    assert 1.5 + 4 / 3 - 1 == pytest.approx(trace.outputs[1].value)
    assert {f(2.0, 0.5)["t"]} == {trace.outputs[1].value}


def test_small_arrays_are_traced_number_by_number() -> None:
    def f(x: object, y: object) -> object:
        hidden = np.tanh(np.array([[x, y], [y, 1.0]]) @ np.array([1.0, 2.0]))
        return np.sum(hidden * hidden) + np.sqrt(np.abs(x))

    found = adcli.trace(f, {"x": 1.0, "y": 0.5}, "reverse").outputs[0].gradient
    assert list(grad(f, (0, 1))(1.0, 0.5)) == pytest.approx(list(found.values()), rel=1e-14, abs=0)


def test_arrays_of_inputs_are_traced_number_by_number(tmp_path: Path) -> None:
    model = "import numpy as np\ndef f(x, A):\n    return np.sum(np.sin(A @ x)) + np.linalg.norm(x) * np.max(x)\n"
    where = f"{written(tmp_path, model)}:f"
    at = ("--at", "x=[0.5, 2], A=[1, 0.25; 3, 4]", "--no-trace")
    found = json.loads(run("trace", where, *at, "--format", "json").out)["outputs"][0]
    a, x = np.array([[1, 0.25], [3, 4]]), np.array([0.5, 2])
    expected = np.cos(a @ x) @ a + x / np.linalg.norm(x) * 2 + np.array([0, np.linalg.norm(x)])
    assert list(expected) == pytest.approx([found["gradient"]["x[0]"], found["gradient"]["x[1]"]])
    assert list(np.outer(np.cos(a @ x), x).ravel()) == pytest.approx(list(found["gradient"].values())[2:])
    fixed = run("trace", where, "--at", "x=[0.5, 2]", "--fixed", "A=[1, 0.25; 3, 4]", "--no-trace").out
    assert "x[1]" in fixed and "A" not in fixed
    assert "has rows of 2 and of 1 entries" in run("trace", where, "--at", "A=[1, 2; 3], x=[1, 2]").err


def test_a_condition_that_compares_equal_numbers_is_noted(tmp_path: Path) -> None:
    where = written(tmp_path, "def f(x):\n    return x if x > 0 else 2 * x") + ":f"
    assert "line 2 (return x if x > 0 else 2 * x) compares two equal" in run("trace", where, "--at", "x=0").err
    assert 3 == run("trace", where, "--at", "x=0", "--kinks", "error").code


def test_the_trace_agrees_with_grad() -> None:
    f = sample("fixed_point")["eccentric_anomaly"]
    traced = adcli.trace(f, {"mean_anomaly": 1.0, "eccentricity": 0.3}, "reverse").outputs[0].gradient
    assert list(grad(f, (0, 1))(1.0, 0.3)) == pytest.approx(list(traced.values()), rel=1e-12)


def test_what_a_trace_can_do_for_expressions_it_does_for_functions() -> None:
    where = f"{SAMPLES / 'paper.py'}:f"
    data = json.loads(run("trace", where, "--at", "x1=2,x2=5", "--hessian", "--verify", "--format", "json").out)
    assert -0.25 == data["outputs"][0]["hessian"]["x1"]["x1"]
    digits = run("trace", where, "--at", "x1=2,x2=5", "--precision", "30", "--no-trace").out
    assert "11.65207145522308377831038" in digits


def written(tmp_path: Path, text: str) -> str:
    path = tmp_path / "model.py"
    path.write_text(text, encoding="utf-8")
    return str(path)


@pytest.mark.parametrize(
    ("body", "flags", "said"),
    [
        (
            "from adcli import log\ndef f(x):\n    return 2 * log(x - 3)",
            "x=2",
            "log(x - 3)\n  |                ^^^^^^^^^^ log was given -1.0",
        ),
        ("def f(x):\n    return x / 'a'", "x=2", "TypeError: unsupported operand"),
        ("def f(x):\n    return x[", "x=2", "SyntaxError"),
        ("import nothing_like_it\ndef f(x):\n    return x", "x=2", "ModuleNotFoundError"),
        ("def f(x):\n    return range(x)", "x=2", "cannot be an index or a count"),
        ("import math\ndef f(x):\n    return math.sin(x)", "x=2", "a plain number would lose its derivative"),
        ("def f(x, y):\n    return x", "x=2", "y has no value"),
        ("def f(x):\n    return x", "z=2", "the function has no parameter called z"),
        ("def g(x):\n    return x", "x=2", "has no function called f"),
        ("def f(x):\n    return 'text'", "x=2", "something that is not a number"),
        ("def f(x):\n    return ()", "x=2", "the function returns nothing"),
        ("def f(x):\n    return f(x)", "x=2", "RecursionError"),
        ("def f(x):\n    raise SystemExit(7)", "x=2", "SystemExit"),
        ("def f(*xs):\n    return sum(xs)", "xs=2", "the function has no parameter called xs"),
        ("f = 3", "x=2", "has no function called f"),
    ],
)
def test_whatever_goes_wrong_is_told_at_its_place(tmp_path: Path, body: str, flags: str, said: str) -> None:
    done = run("trace", f"{written(tmp_path, body)}:f", "--at", flags)
    assert done.code in (2, 3)
    assert "" == done.out
    assert said in done.err.replace(" 3 |", "3 |").replace("\n   |", "\n  |")
    assert "Traceback" not in done.err


@pytest.mark.parametrize("name", ["model.py", "nowhere.py:f", ":f", "model.py:"])
def test_a_function_is_named_by_file_and_name(name: str) -> None:
    done = run("trace", name, "--at", "x=2")
    assert (2, "") == (done.code, done.out)
    assert "error: " in done.err


def test_hostile_text_in_a_file_cannot_steer_a_terminal(tmp_path: Path) -> None:
    path = written(tmp_path, "def f(x):\n    return x * x  # \x1b[31m[red]<b>\n")
    assert "\x1b" not in run("trace", f"{path}:f", "--at", "x=2").out


def test_a_file_of_functions_is_known_to_the_language_its_tables_and_its_latex() -> None:
    """In a process of its own, for the table of this one is to stay as it is."""
    flags = ("--functions", str(SAMPLES / "my_functions.py"))
    done = process("eval", "swish(x)^2 @ x=1", *flags, "--format", "json")
    output = json.loads(done.out)["outputs"][0]
    sigmoid = 1 / (1 + math.exp(-1))
    assert sigmoid**2 == pytest.approx(output["value"], rel=1e-14, abs=0)
    assert 2 * sigmoid * (sigmoid + sigmoid * (1 - sigmoid)) == pytest.approx(output["gradient"]["x"], rel=1e-14, abs=0)
    assert "swish(x)" in process("functions", "swish", *flags).out
    assert r"\operatorname{swish}" in process("diff", "swish(x)", "--format", "latex", *flags).out
    assert "note: swish is read as silu" in process("eval", "swish(x) @ x=1").err  # without the file


POWERS = """from adcli import declare
declare("bent", value=lambda m, x: x**3/(1+abs(x)) + 2**x, partials=(lambda m, z, x: 3*x**2*m.abs(x)**2%7,))
declare("gate", value=lambda m, x: +x, partials=(lambda m, z, x: x.real,))
"""


@pytest.mark.parametrize(
    "line", ["eval --at x=2 --hessian", "diff", "taylor --at x=2", "propagate --at x=2±.01", "compile --to c"]
)
def test_rules_use_the_operators_of_python(line: str, tmp_path: Path) -> None:
    command, *options = line.split()
    done = process(command, "bent(x)", *options, "--functions", written(tmp_path, POWERS))
    assert (0, "", True) == (done.code, done.err, bool(done.out))


@pytest.mark.parametrize("line", ["eval --at x=2", "diff"])
def test_a_rule_that_fails_is_shown_with_its_line(line: str, tmp_path: Path) -> None:
    command, *options = line.split()
    done = process(command, "gate(x)^2", *options, "--functions", written(tmp_path, POWERS))
    assert (2, True, True) == (done.code, ".py fails" in done.err, '3 | declare("gate"' in done.err)


@pytest.mark.parametrize("command", ["taylor", "explain", "step", "expand", "graph", "plot"])
def test_every_command_on_expressions_takes_a_file_of_functions(command: str) -> None:
    done = process(command, "swish(x)", "--at", "x=1", "--functions", str(SAMPLES / "my_functions.py"))
    assert (0, "") == (done.code, done.err)
    assert done.out


def test_a_row_that_is_none_is_refused() -> None:
    for cells, said in (
        ({}, "has no value"),
        ({"value": lambda m, x: x}, "has no partials"),
        ({"value": lambda m, x: x, "partials": (lambda m, z, x: 1,), "colour": 3}, "cannot be declared"),
    ):
        with pytest.raises(AdcliError, match=said):
            adcli.declare("brand_new_row", **cells)
    with pytest.raises(AdcliError, match="the function sin cannot be declared"):
        adcli.declare("sin", value=lambda m, x: x, partials=(lambda m, z, x: 1,))
    with pytest.raises(AdcliError, match="cannot be the name"):
        adcli.declare("no name", value=lambda m, x: x, partials=(lambda m, z, x: 1,))


# --- samples ----------------------------------------------------------------------------------------------------------


def test_newton_s_method_by_the_hessian_finds_the_minimum() -> None:
    found = sample("newton")
    assert np.ones(10) == pytest.approx(found["minimum"](found["rosenbrock"], np.full(10, 1.2)), abs=1e-12)
    assert (10, 10) == hessian(found["rosenbrock"])(np.ones(10)).shape


def test_logistic_regression_tells_the_two_clouds_apart() -> None:
    found = sample("logistic")
    inputs, labels = found["data"]()
    parameters, losses = found["fit"](inputs, labels)
    assert losses == sorted(losses, reverse=True)
    right = (inputs @ parameters["weights"] + parameters["bias"] > 0) == labels
    assert 0.9 < np.mean(right)


def test_the_recurrent_network_s_likelihood_has_the_slope_of_its_differences() -> None:
    found = sample("recurrent")
    params, inputs, targets = found["problem"]()
    slope = grad(found["log_likelihood"])(params, inputs, targets)
    for name, array in params.items():
        moved = array.copy()
        moved.flat[1] += 1e-6
        ahead = found["log_likelihood"]({**params, name: moved}, inputs, targets)
        moved.flat[1] -= 2e-6
        behind = found["log_likelihood"]({**params, name: moved}, inputs, targets)
        assert (ahead - behind) / 2e-6 == pytest.approx(slope[name].flat[1], rel=1e-6, abs=1e-9)


def test_a_fixed_point_has_the_slope_of_the_implicit_function() -> None:
    f = sample("fixed_point")["eccentric_anomaly"]
    angle = f(1.0, 0.3)
    assert 1 / (1 - 0.3 * math.cos(angle)) == pytest.approx(grad(f)(1.0, 0.3), rel=1e-12)
    assert math.sin(angle) / (1 - 0.3 * math.cos(angle)) == pytest.approx(grad(f, 1)(1.0, 0.3), rel=1e-12)


@pytest.mark.parametrize("path", sorted(SAMPLES.glob("*.py")), ids=lambda path: path.stem)
def test_every_sample_runs(path: Path) -> None:
    if "__main__" in path.read_text(encoding="utf-8"):
        runpy.run_path(str(path), run_name="__main__")


# --- what is loaded ---------------------------------------------------------------------------------------------------


def test_numbers_need_no_numpy() -> None:
    program = "from adcli.python import grad, sin, exp; grad(grad(lambda x: sin(x) * exp(x) / x**2))(1.0)"
    assert set() == HEAVY & loaded(program)


def test_without_numpy_arrays_say_what_to_install() -> None:
    program = (
        "import sys; sys.modules['numpy'] = None\n"
        "from adcli.python import flatten\n"
        "try:\n    flatten((1.0, 2.0))\n"
        "except Exception as error:\n    assert 'numpy' in error.title and 'pip install' in error.help, error\n"
        "else:\n    raise SystemExit(1)"
    )
    loaded(program)
