"""Kinks are decided for the result: where it is smooth it has its own gradient, elsewhere none is claimed."""

from __future__ import annotations

import json
import math
import random
import time
import warnings
from collections.abc import Iterable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from drawn import usually
from kink_programs import Case, Tree, case, examined
from running import run
from support import evaluated, point_text, printed

import adcli
from adcli.engine.kink_resolution import KinkResolution
from adcli.kinks.decision import decide
from adcli.kinks.one_sided import Neighbourhood
from adcli.kinks.pieces import PieceArithmetic
from adcli.kinks.plain_corners import PlainCorners
from adcli.python import KinkWarning, cbrt, grad, jvp, maximum, minimum, relu, sign, vjp

SMOOTH = [
    ("relu(x)-relu(-x)", {"x": 0}, {"x": 1}),
    ("relu(-x)+x-relu(x)", {"x": 0}, {"x": 0}),
    ("if(x>=0,x,0)+if(x<=0,x,0)", {"x": 0}, {"x": 1}),
    ("if(x==2,4,x^2)", {"x": 2}, {"x": 4}),
    ("sign(x)*abs(x)", {"x": 0}, {"x": 1}),
    ("max(x,-x)-abs(x)", {"x": 0}, {"x": 0}),
    ("abs(x)*abs(x)", {"x": 0}, {"x": 0}),
    ("sqrt(x^2)*x", {"x": 0}, {"x": 0}),
    ("floor(x)*0", {"x": 1}, {"x": 0}),
    ("relu(x^3)", {"x": 0}, {"x": 0}),
    ("x*abs(x)", {"x": 0}, {"x": 0}),
    ("max(x^2,x^3)", {"x": 0}, {"x": 0}),
    ("cbrt(x)^3", {"x": 0}, {"x": 1}),
    ("root(x,5)^5", {"x": 0}, {"x": 1}),
    ("max(x,x,x)", {"x": 3}, {"x": 1}),
    ("mod(x,2)+2*floor(x/2)", {"x": 4}, {"x": 1}),
    ("sqrt(2)*relu(x)-sqrt(2)*relu(-x)", {"x": 0}, {"x": math.sqrt(2)}),
    ("max(x,y)+min(x,y)", {"x": 1, "y": 1}, {"x": 1, "y": 1}),
    ("max(x,y)*min(x,y)", {"x": 2, "y": 2}, {"x": 2, "y": 2}),
    ("relu(x-y)-relu(y-x)", {"x": 1, "y": 1}, {"x": 1, "y": -1}),
    ("abs(x*y)", {"x": 0, "y": 0}, {"x": 0, "y": 0}),
    ("abs(x^2-y^2)", {"x": 0, "y": 0}, {"x": 0, "y": 0}),
    ("hypot(x,y)^2", {"x": 0, "y": 0}, {"x": 0, "y": 0}),
    ("x*hypot(x,y)", {"x": 0, "y": 0}, {"x": 0, "y": 0}),
    ("cbrt(x)^3+y", {"x": 0, "y": 1}, {"x": 1, "y": 1}),
    ("if(x==y,2*x,x+y)", {"x": 1, "y": 1}, {"x": 1, "y": 1}),
    ("exp(1)*abs(x-y)-abs(exp(1)*(x-y))", {"x": 1, "y": 1}, {"x": 0, "y": 0}),
    ("x+y+z-max(x,y,z)-min(x,y,z)-max(min(x,y),min(max(x,y),z))", {"x": 1, "y": 1, "z": 1}, {"x": 0, "y": 0, "z": 0}),
    ("atan2(x,-1)+4*atan2(1,0)*if(x<0,1,0)", {"x": 0}, {"x": -1}),
    ("if(x==0,1,sin(x)/x)", {"x": 0}, {"x": 0}),
    ("relu(if(abs(x)*x==0,1,sin(abs(x)*x)/(abs(x)*x)))", {"x": 0}, {"x": 0}),
]
# What is not smooth, with the slopes from the left and from the right that a certificate gives (None: no number).
ROUGH: list[tuple[str, dict[str, float], str, dict[str, Any] | None]] = [
    ("abs(x)+x", {"x": 0}, "is not smooth here", {"x": [["0", "0"], ["2", "2"]]}),
    ("x*sign(x)", {"x": 0}, "is not smooth here", {"x": [["-1", "-1"], ["1", "1"]]}),
    ("abs(abs(x))", {"x": 0}, "is not smooth here", {"x": [["-1", "-1"], ["1", "1"]]}),
    ("sqrt(x^2)", {"x": 0}, "is not smooth here", {"x": [["-1", "-1"], ["1", "1"]]}),
    ("sqrt(x)*sqrt(x)", {"x": 0}, "is not defined on both sides", {"x": [None, ["1", "1"]]}),
    ("2*sqrt(x)", {"x": 0}, "is not smooth here", {"x": [None, ["Infinity", "Infinity"]]}),
    ("floor(x)*x", {"x": 1}, "jumps here", None),
    ("if(x==2,5,x^2)", {"x": 2}, "jumps here", None),
    ("2*acot(x)", {"x": 0}, "jumps here", None),
    ("abs(x+y)-abs(x-y)", {"x": 0, "y": 0}, "(x, y) = (1, 1)", {k: [["0", "0"], ["0", "0"]] for k in "xy"}),
    ("if(x==0,y,0)", {"x": 0, "y": 0}, "(x, y) = (1, 1)", {"x": [["0", "0"]] * 2, "y": [["1", "1"]] * 2}),
    ("if(x+y^2>0,if(x-y^2<0,y,0),0)", {"x": 0, "y": 0}, "= (1, 1)", {"x": [["0", "0"]] * 2, "y": [["1", "1"]] * 2}),
    ("x*(if(x+y>=0,1,0)+if(x+y<=0,1,0))", {"x": 0, "y": 0}, "(1, -1)", {"x": [["1", "1"]] * 2, "y": [["0", "0"]] * 2}),
    ("x*if(x+y>=0,if(x+y<=0,1,0),0)", {"x": 0, "y": 0}, "(x, y) = (1, -1)", {k: [["0", "0"]] * 2 for k in "xy"}),
    ("x*(ceil(x+y)-floor(x+y))", {"x": 0, "y": 0}, "(x, y) = (1, -1)", {"x": [["1", "1"]] * 2, "y": [["0", "0"]] * 2}),
]  # fmt: skip


def _at(point: dict[str, Any]) -> dict[str, str]:
    return {name: str(x) for name, x in point.items()}


@pytest.mark.parametrize(("text", "at", "slopes"), SMOOTH)
@pytest.mark.parametrize("mode", ["forward", "reverse", "both"])
def test_what_is_smooth_has_its_own_gradient(text: str, at: dict[str, float], slopes: Any, mode: str) -> None:
    answer = evaluated(text, _at(at), "--mode", mode, "--kinks", "error")
    assert 0 == answer.code
    (output,) = answer.data["outputs"]
    assert output["gradient"] == pytest.approx(slopes, rel=1e-15, abs=1e-15)
    assert any("is nevertheless smooth here" in note["text"] for note in answer.data["notes"])


@pytest.mark.parametrize(("text", "at", "slopes"), SMOOTH)
def test_its_certificate_kernels_and_python_have_the_same(text: str, at: dict[str, float], slopes: Any) -> None:
    (output,) = evaluated(text, _at(at), "--certify").data["outputs"]
    for name, (low, high) in output["certified"]["gradient"].items():
        assert float(low) - 1e-15 <= slopes[name] <= float(high) + 1e-15
    assert "one_sided" not in output["certified"]
    expression = adcli.parse(text)
    assert expression.gradient(at) == pytest.approx(slopes, rel=1e-15, abs=1e-15)
    points = {name: np.array([x + k, x]) for k, (name, x) in enumerate(at.items(), 3)}
    for engine in ("numpy", "native"):
        _, found = expression.kernel(engine)(**points)
        assert {name: column[1] for name, column in found.items()} == pytest.approx(slopes, rel=1e-15, abs=1e-15)


@pytest.mark.parametrize(("text", "at", "slopes"), SMOOTH)
def test_its_nodes_obey_the_chain_rule(text: str, at: dict[str, float], slopes: Any) -> None:
    found = adcli.parse(text).trace(at)
    finite = all(g is None or math.isfinite(g) for row in found.gradients for g in row)
    assert finite == (not text.startswith(("cbrt", "root", "sqrt(x", "if(x==0,1", "relu(if")))
    for row in found.rows:
        if finite and row.operator == "input":
            assert slopes[row.name] == pytest.approx(row.bar[found.outputs[0].name], rel=1e-15, abs=1e-15)
            assert found.rows[-1].dot[row.name] == pytest.approx(slopes[row.name], rel=1e-15, abs=1e-15)


@pytest.mark.parametrize(("text", "at", "said", "one_sided"), ROUGH)
def test_of_what_is_not_smooth_no_slope_is_certified(text: str, at: Any, said: str, one_sided: Any) -> None:
    answer = evaluated(text, _at(at), "--certify")
    certified = answer.data["outputs"][0]["certified"]
    assert {None} == set(certified["gradient"].values())
    assert one_sided == certified.get("one_sided")
    assert any(said in note["text"] for note in answer.data["notes"] if note["kind"] == "kink")
    assert 3 == evaluated(text, _at(at), "--kinks", "error").code


def test_rows_shared_with_a_smooth_result_take_its_piece() -> None:
    answer = evaluated("a = abs(x); p = a*x; q = a+1", {"x": "0"})
    assert [{"x": 0.0}, {"x": 1.0}] == [output["gradient"] for output in answer.data["outputs"]]
    (said,) = [note["text"] for note in answer.data["notes"] if note["text"].startswith("q is not smooth here")]
    assert "because another result needs them" in said


@pytest.mark.parametrize(
    ("text", "second"),
    [
        ("x*abs(x)", None), ("abs(x)*abs(x)+x^2", 4.0), ("relu(x^3)", 0.0), ("if(x==0,0,x^2)", 2.0), ("cbrt(x)^3", 0.0),
        ("elu(x)", None), ("softsign(sin(x))", None), ("elu(x)*x", 2.0), ("a = softsign(3x)^2; a+x", 18.0),
    ],
)  # fmt: skip
def test_second_derivatives_at_a_kink_are_those_of_both_sides(text: str, second: float | None) -> None:
    (output,) = evaluated(text, {"x": "0"}, "--hessian", "--certify").data["outputs"]
    assert ("NaN" if second is None else second) == output["hessian"]["x"]["x"]
    bounds = output["certified"]["hessian"]["x"]["x"]
    assert bounds is None if second is None else [second, second] == [float(x) for x in bounds]


def test_what_is_undecided_has_a_note_that_it_is_not_known() -> None:
    notes = [note["text"] for note in evaluated("cbrt(x^9+y^3)", {"x": "0", "y": "0"}).data["notes"]]
    assert [f"∂f/∂{name} is not known: it is not proven that f is smooth here" for name in "xy"] == notes[-2:]
    hessian = evaluated("cbrt(x^9+y^3)", {"x": "0", "y": "0"}, "--hessian").data["notes"]
    assert "∂²f/∂y∂y is not known here" == hessian[-1]["text"]
    error = run("diff", "cbrt(x^9+y^3)", "--wrt", "x", "--at", "x=0,y=0").err
    assert "with respect to x is not known: it is not proven" in error
    assert "no value" not in error


def test_equal_functions_of_negative_arguments_are_one_function() -> None:
    for text in ("max(polygammadiff(1,x,0.7), polygammadiff(1,x,0.7))", "abs(polygammadiff(2,x,0.7))*sign(x-x+1)"):
        assert 0 == run("eval", text, "--at", "x=-1.5", "--kinks", "error").code
    answer = run(
        "eval", "abs(polygammadiff(1,x,y)-polygammadiff(1,-1.5,y))", "--at", "x=-1.5,y=0.7", "--precision", "30"
    )
    assert 0 == answer.code


def test_a_remainder_of_a_large_number_is_decided_as_a_whole() -> None:
    answer = evaluated("mod(x,0.1)", {"x": "1e20"}).data
    assert 0 == answer["outputs"][0]["value"]
    (note,) = answer["notes"]
    assert "the remainder jumps where the quotient is a whole number" in note["text"]


def test_numpy_with_single_numbers_is_decided_as_builtin_functions_are() -> None:
    for function, slope in (
        (lambda x: np.maximum(x, 0) - np.maximum(-x, 0), 1.0),
        (lambda x: np.abs(x) * np.sign(x) + np.float64(2) * x, 3.0),
        (lambda x: np.maximum(x, 2 * x) + np.minimum(x, 2 * x) + np.sin(x), 4.0),
        (lambda x: np.fmax(x, 0.0) + np.fmin(np.array(0.0), x), 1.0),
        (lambda x: np.clip(x, 0, 1) ** 2 + np.clip(1.0, x, 2) + np.clip(x, None, 0) ** 2 + np.fabs(x) * x, 0.0),
    ):
        assert slope == grad(function, kinks="error")(0.0)
    with pytest.warns(KinkWarning):
        assert [0.5] * 3 == [
            grad(f)(0.0) for f in (lambda x: np.maximum(x, 0), lambda x: np.clip(x, 0, 1), lambda x: np.fmin(x, 0))
        ]


def test_slopes_with_corners_have_no_second_derivative_on_either_side() -> None:
    def notes(*options: str) -> list[str]:
        answer = evaluated("softsign(x/0.1+21)+tanh(x+2.6)", {"x": "-2.1"}, *options)
        return [note["text"] for note in answer.data["notes"]]

    assert [] == notes()
    sides = "y has no second derivative with respect to x here: 199.273 from the left and -200.727 from the right"
    assert [sides, "∂²y/∂x∂x has no value here"] == notes("--hessian")
    assert 0 == run("eval", "elu(x)", "--at", "x=0", "--hessian", "--kinks", "error").code
    for order in (2, 3):
        assert "NaN" in run("diff", "elu(x-4.5)", "--order", str(order), "--at", "x=4.5").out
    kernel = adcli.parse("elu(x)+leakyrelu(x,a)").kernel(hessian=True)
    lost = "but the results have first derivatives; second derivatives that do not exist or are not known are NaN"
    with pytest.warns(RuntimeWarning, match=lost):
        columns = kernel.columns({"x": [0.0, 1e-18, 1.0], "a": [1.0] * 3})
    assert [[1.0, 0.0, 0.0], [2.0, 2.0, 2.0]] == [np.isnan(columns["d2y_dx_dx"]).tolist(), columns["dy_dx"].tolist()]


def test_certified_second_derivatives_hold_where_no_kink_is_met() -> None:
    (output,) = evaluated("max(x,y)^2*y", {"x": "0.7", "y": "2.5"}, "--hessian", "--certify").data["outputs"]
    found = output["certified"]["hessian"]
    assert [["0", "0"], ["0", "0"], ["15", "15"]] == [found["x"]["x"], found["x"]["y"], found["y"]["y"]]


def test_kernels_tell_of_points_without_a_slope_and_of_no_others() -> None:
    kernel = adcli.parse("relu(x) - relu(-x)").kernel("numpy")
    _, found = kernel(x=np.array([0.0, 1.0, 0.0]))
    assert [1.0, 1.0, 1.0] == found["x"].tolist()
    with pytest.warns(RuntimeWarning, match="2 points lie exactly on a kink; the results are smooth at 0 of them"):
        adcli.parse("abs(x)").kernel("numpy")(x=np.array([0.0, 1.0, 0.0]))
    for text in ("relu(x)^3*y", "elu(x)*y"):
        adcli.parse(text).kernel("numpy", hessian=text[0] == "r")(x=np.zeros(2), y=np.ones(2))
    _, outside = adcli.parse("log(acos(x))").kernel("numpy").examined({"x": [1.0, 0.5]})
    assert outside is not None and 1 == outside.points


# At x = 0, y = 0.7: what is a corner or a jump at the first look, and what has to be decided.
PLAIN = [
    "abs(x)*y",
    "relu(x)+exp(y)",
    "max(x,0)/y",
    "y^2-min(0,3*x)",
    "clamp(x,0,y)",
    "log(y)*leakyrelu(x,0.1)",
    "hypot(x,y-y)",
]
PLAIN += ["floor(x)*y", "x%3", "-ceil(2*x)-y", "3*sign(x)+exp(x*y)", "fract(x)", "round(x+0.5)*y+x"]
NOT_PLAIN = [
    "relu(x)-relu(-x)+y", "abs(x)*(y-y)", "abs(x)*y+x^1.5", "abs(x^2)+y", "max(0,0,x-y)", "x*abs(x)+y",
    "abs(abs(x)-y*x)-abs(x)", "abs(x)*y+acos(x+1)", "floor(x)^2+floor(x)+y", "exp(floor(x))", "floor(x)*x+y",
    "sign(x)*(y-y)", "floor(x)*floor(y-y)", "if(x>0,x,0)*y", "max(x,2*x)+y",
]  # fmt: skip


@pytest.mark.parametrize("text", PLAIN + NOT_PLAIN)
def test_a_plain_corner_in_a_kernel_is_what_would_be_decided(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    kernel = adcli.parse(text).kernel("numpy")
    graph = kernel._graph
    point = {slot: {"x": 0.0, "y": 0.7}[name] for slot, name in graph.inputs.items()}
    resolution, requests = KinkResolution(graph, hessian=True), []
    name = "adcli.engine.kink_resolution.decide"
    monkeypatch.setattr(name, lambda *request: requests.append(request) or decide(*request))
    found = resolution.resolve(point)
    assert (text in NOT_PLAIN) == bool(requests)
    monkeypatch.setattr(PlainCorners, "has_all", lambda *_: False)
    decided = resolution.resolve(point)
    assert repr(decided._replace(rows=found.rows)) == repr(found)  # nan is nan
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        y, slopes = kernel(**{name: np.array([point[slot]]) for slot, name in graph.inputs.items()})
    if decided.rows is not None:
        numbers = [float(y[0]), *[float(slopes[name][0]) for name in graph.inputs.values()]]
        assert decided.rows[0][: len(numbers)] == pytest.approx(numbers, rel=1e-15, abs=0, nan_ok=True)


def test_points_of_a_kernel_on_a_jump_of_decimals_are_decided_exactly() -> None:
    """Their quotient is whole, that of the doubles is not."""
    for text, point in ("mod(x,0.1)", {"x": 3.0}), ("mod(x,y)", {"x": 0.6, "y": 0.2}):
        expression = adcli.parse(text)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            y, slopes = expression.kernel("numpy")(**{name: np.array([x]) for name, x in point.items()})
        assert (0.0, 1.0) == (y[0], slopes["x"][0]) and 0.0 == expression(point)


def test_python_functions_of_numbers_have_the_slopes_of_the_result() -> None:
    assert 1.0 == grad(lambda x: relu(x) - relu(-x))(0.0)
    assert 1.0 == grad(lambda x: sign(x) * abs(x), kinks="error")(0.0)
    assert 1.0 == grad(lambda x: cbrt(x) ** 3)(0.0)
    assert (1.0, 1.0) == grad(lambda x, y: maximum(x, y) + minimum(x, y), (0, 1))(2.0, 2.0)
    assert (0.0, 3.0) == jvp(lambda x: relu(x) - relu(-x))(0.0)(3.0)
    assert 2.0 == vjp(lambda x: relu(x) - relu(-x))(0.0)[1](2.0)


def test_where_conditions_hold_together_alone_is_a_piece_too() -> None:
    """Along (7, -1), a direction that is not tried, both hold; along all that are, the slope fits."""
    answer = evaluated("x*(if(x+7*y>=0,1,0)+if(x+7*y<=0,1,0))", {"x": "0", "y": "0"}, "--certify")
    assert {None} == set(answer.data["outputs"][0]["certified"]["gradient"].values())


def test_what_python_chooses_at_a_kink_is_not_proven() -> None:
    with pytest.warns(KinkWarning):
        grad(lambda x: relu(x) - relu(-x) if x >= 0 else -x)(0.0)


def test_a_program_without_a_kink_looks_at_nothing_new() -> None:
    assert adcli.parse("relu(x) + x^2").trace({"x": 1.0}).decision is None


# --- programs whose function is known otherwise -----------------------------------------------------------------------


# Programs by the seed of their generator and their numbers.  Those of the latter three are the ones in which the faults
# that are planted below are found.
SUITE, AXES, PIECES, SIDES = (
    ("suite", range(usually(10, thoroughly=30))),
    ("axes", range(80, 82)),
    ("axes", range(92, 94)),
    ("sides", range(124, 126)),
)


def _faults(
    programs: tuple[str, Iterable[int]], engines: tuple[str, ...] = (), unit: Fraction = Fraction(1)
) -> list[str]:
    """Return what is false of generated programs."""
    seed, numbers = programs
    found = []
    for k in numbers:
        rng = random.Random(f"{seed}.{k}")  # noqa: S311 - programs, not secrets
        faults, _ = examined(case(rng, unit), rng, engines=engines)
        found += [str(fault) for fault in faults]
    return found


@pytest.mark.slow
@pytest.mark.parametrize("unit", [Fraction(1), Fraction(1, 10)])  # the latter: kinks that doubles miss
@pytest.mark.parametrize("programs", [SUITE, AXES, PIECES, SIDES])
def test_nothing_false_is_said_of_generated_programs(programs: tuple[str, Iterable[int]], unit: Fraction) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", KinkWarning)
        assert [] == _faults(programs, ("numpy",), unit)


@pytest.mark.parametrize(
    ("text", "at", "value", "slopes"),
    [
        ("abs(3*x-0.9)*sign(3*x-0.9)+max(x,x)", {"x": "0.3"}, 0.3, {"x": 4}),
        ("cbrt((x-0.7)^3+(x*(x^2-0.49))^3)", {"x": "0.7"}, 0, {"x": (1 + 0.98**3) ** (1 / 3)}),
        ("if(3*x>=0.9, 2*x, x+0.3)", {"x": "0.3"}, 0.6, None),
        ("sqrt(3*x-0.9)^2", {"x": "0.3"}, 0, None),
        ("cbrt(3*x-0.9)+asin(3*x+0.1)", {"x": "0.3"}, math.pi / 2, None),
        ("floor(x+y)", {"x": "0.1", "y": "2.9"}, 3, None),
        ("mod(x, 0.2)", {"x": "0.6"}, 0, None),
        ("mod(x, 0.1)", {"x": "0.7"}, 0, None),
        ("mod(x-1.68+2, 0.2)", {"x": "1.68"}, 0, None),
    ],
)
def test_decimals_decide_where_doubles_are_next_to_a_kink(
    text: str, at: dict[str, str], value: float, slopes: Any
) -> None:
    answer = evaluated(text, at)
    (output,) = answer.data["outputs"]
    assert output["value"] == pytest.approx(value, abs=1e-15)
    assert "conditioning" not in [note["kind"] for note in answer.data["notes"]]
    doubles = {name: float(x) for name, x in at.items()}
    (derivative, *_) = json.loads(printed("diff", text, "--at", point_text(at), "--format", "json")[1])["derivatives"]
    assert slopes is not None or derivative["value"] == output["gradient"]["x"]
    assert adcli.parse(text).value(doubles) == pytest.approx(output["value"], abs=1e-15)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        y, found = adcli.parse(text).kernel("numpy")(**doubles)
    assert float(y) == pytest.approx(value, abs=1e-15)
    assert (slopes is None) == (3 == evaluated(text, at, "--kinks", "error").code)
    if slopes is not None:
        assert output["gradient"] == pytest.approx(slopes)
        assert {name: float(x) for name, x in found.items()} == pytest.approx(slopes)


@pytest.mark.parametrize(
    "name", ["sind", "mish", "silu", "sinc", "gamma", "erf", "Ei", "lambertw", "asin", "tan", "atan2"]
)
def test_equal_subexpressions_are_one_function(name: str) -> None:
    call = f"{name}(x)" if name != "atan2" else f"{name}(x, y+1)"
    root = f"abs(x-0.6)*sign(x-0.6)*y + sqrt(1 + ({call}*y)^2)" if "y" not in call else f"max(sqrt({call}), 0)"
    for text in (f"max({call}, {call})", f"if({call} >= {call}, {call}, 2*{call})", root):
        at = {"x": "0.6"} if "y" not in text else {"x": "0.6", "y": "0.25"}
        assert 0 == evaluated(text, at, "--kinks", "error").code


@pytest.mark.parametrize("function", ["Ei", "gamma", "digamma", "lgamma"])
def test_many_digits_are_found_next_to_a_kink(function: str) -> None:
    for kink in ("abs(x-0.673)", "if(x>0.673,x,2*x)"):  # a jump has no slope, but one by convention
        answer = evaluated(f"{kink}+{function}(x)", {"x": "0.673"}, "--precision", "30")
        assert [] == [note for note in answer.data["notes"] if note["kind"] == "uncertain"]


def _tied(rng: random.Random) -> Case:
    """A number that is another one on a line alone, times one that is 0 at the point."""
    zero: Tree = ("number", 0)
    line: Tree = (rng.choice("+-"), ("input", "x"), ("input", "y"))
    yes, no = rng.sample([("number", 1), ("number", 2), zero], 2)
    first: Tree = ("if", rng.choice((">=", "<")), line, zero, yes, no)
    second: Tree = ("if", rng.choice(("<=", ">")), line, zero, yes, no)
    steps: Tree = ("-", ("ceil", line), ("floor", line))
    tied: Tree = rng.choice([("+", first, second), ("*", first, second), steps, ("+", steps, second)])
    return Case(("*", ("input", rng.choice("xy")), tied), {"x": Fraction(0), "y": Fraction(0)})


@pytest.mark.slow
def test_what_is_so_on_a_line_alone_is_not_left_out() -> None:
    for k in range(usually(15, thoroughly=40)):
        rng = random.Random(f"ties.{k}")  # noqa: S311 - programs, not secrets
        assert [] == examined(_tied(rng), rng, engines=())[0]


@pytest.mark.slow
def test_slopes_along_the_inputs_alone_would_prove_what_is_false(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Neighbourhood, "_why_unproven", lambda *_: "")
    assert any("no slope" in fault for fault in _faults(AXES))


@pytest.mark.slow
def test_a_piece_that_is_left_out_would_prove_what_is_false(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = PieceArithmetic.choose_sign

    def halved(self: PieceArithmetic, options: tuple[int, ...]) -> int:
        return whole(self, options[:1])

    monkeypatch.setattr(PieceArithmetic, "choose_sign", halved)
    assert any("no slope" in fault for fault in _faults(PIECES))


@pytest.mark.slow
def test_a_wrong_side_would_be_found(monkeypatch: pytest.MonkeyPatch) -> None:
    from adcli.kinks.local_series import LocalSeries, SeriesArithmetic

    right = SeriesArithmetic.sign_of

    def wrong(self: SeriesArithmetic, x: LocalSeries, *, ties: bool = False) -> int:
        return right(self, x, ties=ties) if not x.coefficients or x.start < 2 else 1

    monkeypatch.setattr(SeriesArithmetic, "sign_of", wrong)
    assert _faults(SIDES)


def test_requests_that_certify_say_what_is_true_of_kinks_that_doubles_do_not_meet() -> None:
    certified = evaluated("abs(0.1+0.2-x)*2", {"x": "0.3"}, "--certify").data["outputs"][0]["certified"]
    assert {"x": None} == certified["gradient"]
    assert {"x": [["-2", "-2"], ["2", "2"]]} == certified["one_sided"]


@pytest.mark.slow
def test_what_is_too_much_work_is_said_to_be_not_proven() -> None:
    part = "(acosh(x))*((if(7 <= y, x, x))%x)"
    answer = run(
        "eval", f"p = x + y + {part}; q = x - y + x + y + {part}; p; q", "--at", "x=3.625,y=7.125", "--mode", "reverse",
        "--seed", "p=0.5,q=1", "--no-trace",
    )  # fmt: skip
    assert 0 == answer.code
    assert "not proven" in answer.err


@pytest.mark.parametrize(
    ("text", "slopes"),
    [
        ("cbrt((x*(1+y))^3)", {"x": 1, "y": 0}),
        ("root((x*(1+y))^3, 3)", {"x": 1, "y": 0}),
        ("root((x^2-y^2)^3, 3)", {"x": 0, "y": 0}),
        ("cbrt((sin(x)+y)^3)", {"x": 1, "y": 1}),
        ("sqrt((x*(1+y))^2)-abs(x*(y+1))", {"x": 0, "y": 0}),
        ("max(x*(1+y), y*(1+x))+min(y*x+x, y+x*y)", {"x": 1, "y": 1}),
        ("3+root(x^3,3)-if(x*(1+y)==0, 1, sin(x*(1+y))/(x*(1+y)))", {"x": 1, "y": 0}),
        ("if(x+y==0, 1, (exp(x+y)-1)/(x+y))", {"x": 0.5, "y": 0.5}),
        ("if(y>=0, 2*y-(x-(y-0)), 2*y-(x-(y-0)))", {"x": -1, "y": 3}),
        ("sign(sqrt((x+0.5)^2)-abs(x+0.5))+y", {"x": 0, "y": 1}),
        ("sqrt((x*(1+y))^4)", {"x": 0, "y": 0}),
        ("hypot((x*(1+y))^2, 3*(x*(1+y))^3)", {"x": 0, "y": 0}),
        ("sqrt(x*(1+y)*(x+x*y)*(x*(1+y))^2/exp(x))", {"x": 0, "y": 0}),
        ("cbrt(8*exp(x)*(x+sin(y))^3)", {"x": 2, "y": 2}),
        ("cbrt(x+x*y)*cbrt(x*(1+y))^2", {"x": 1, "y": 0}),
        ("max(exp(x)+sin(y)-sin(y), exp(x))", {"x": 1, "y": 0}),
        ("if(2*(tanh(x-y)+1)/2-1 == tanh(x-y), tanh(x-y), 3)", {"x": 1, "y": -1}),
        ("floor(exp(x+y)*cos(y)-exp(y+x)*cos(y))+x", {"x": 1, "y": 0}),
        ("sign((exp(x)+sin(y)/3)*6-2*sin(y)-exp(x)*6)+x", {"x": 1, "y": 0}),
    ],
)
def test_what_is_the_same_function_is_decided_once(text: str, slopes: dict[str, float]) -> None:
    (output,) = evaluated(text, {"x": "0", "y": "0"}, "--no-trace").data["outputs"]
    assert slopes == output["gradient"]


@pytest.mark.parametrize(
    "text",
    [
        "sqrt((x*(1+y))^2)",
        "cbrt((x-y)^2)",
        "abs(x*(1+y))+abs(y*(1+x))",
        "cbrt((x*y+x)^2)",
        "if(x-y==0, 0, (exp(abs(x-y))-1))",
        "sqrt((x*(1+y))^4+4*(x+x*y)^2)",
        "cbrt(exp(x)*(x+sin(y))^2)",
        "max(exp(x)+sin(y)-sin(y), exp(-x))",
    ],
)
def test_a_kink_of_such_a_function_stays_one(text: str) -> None:
    answer = evaluated(text, {"x": "0", "y": "0"}, "--no-trace")
    assert any("is not smooth here" in note["text"] for note in answer.data["notes"])


def test_an_exponent_of_many_digits_is_no_work_and_its_slope_is_that_of_the_table() -> None:
    began = time.process_time()
    done = run("eval", "clamp(y,0,y)/exp10(x)", "--at", "x=-0.9999999999999999,y=1", "--no-trace")
    assert "-16 from the left" in run("eval", "abs(y)*x^2.0000001", "--at", "x=3.9999999,y=0", "--no-trace").err
    assert "slope 10 in y, -23.0259 in x" in done.err
    assert time.process_time() - began < 2


@pytest.mark.parametrize(
    ("text", "mixed"),
    [
        ("relu(x)^2+x*y", 1.0), ("elu(x)+y^2", 0.0), ("x*abs(x)+x*y", 1.0), ("relu(x*y)^2", 0.0),
        ("min(x,0)^2+relu(y-1)^2", 0.0), ("relu(x)^1.5+x*y", 1.0), ("abs(x)^1.5*y-2*x*y", -2.0),
        ("cbrt(x)^4*y+abs(y-1)^1.75+3*x*y", 3.0), ("relu(x*y)^1.3+x*y", 1.0),
        ("relu(x+y-1)^1.5", "NaN"), ("abs(x)^1.5+relu(x+y-1)^1.5", "NaN"), ("relu(x+y-1)^2", "NaN"),
        ("relu(x-2*(y-1))^2+x*y", "NaN"),
    ],
)  # fmt: skip
def test_mixed_second_derivatives_exist_beside_a_jump_of_one_input_alone(text: str, mixed: float | str) -> None:
    hessian = evaluated(text, {"x": "0", "y": "1"}, "--hessian").data["outputs"][0]["hessian"]
    assert ["NaN", mixed, mixed] == [hessian["x"]["x"], hessian["x"]["y"], hessian["y"]["x"]]


@pytest.mark.parametrize("text", ["relu(sqrt(x^2+1)-x)^2", "relu(exp(ln(x))-x+1e-20)^2"])
def test_lost_digits_next_to_a_kink_are_noted_without_slopes_too(text: str) -> None:
    answer = evaluated(text, {"x": "2.76e13"}, "--mode", "value").data
    assert abs(answer["outputs"][0]["value"]) < 1e-3
    assert "no digit of y is right here" in answer["notes"][0]["text"]
