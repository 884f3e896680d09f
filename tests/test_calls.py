"""Expressions called: numbers, arrays, all outputs at once, and systems of differential equations."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np
import pytest
from drawn import examples, usually
from expressions import Case, programs
from hypothesis import given
from running import PAPER
from support import each, records

import adcli
from adcli.engine import flat_tape
from adcli.engine.flat_tape import FlatTape
from adcli.errors import AdcliError, DomainProblem, NameProblem, RequestError

SEVERAL = adcli.parse("a = x*y; u = a + sin(y); w = a/x^2")


def bits(x: object) -> str:
    """A number, or numbers, told to the last bit."""
    return repr(x)


def traced(e: adcli.Expression, at: dict[str, float]) -> tuple[Any, Any, Any]:
    """Value, gradient and Jacobian as a trace has them."""
    outputs = e.trace(at, "reverse").outputs
    rows = {output.name: output.gradient for output in outputs}
    return {output.name: output.value for output in outputs}, outputs[0].gradient, rows


def agree(e: adcli.Expression, at: dict[str, float]) -> None:
    """Every way to ask says what a trace says, to the last bit, each time that it is asked."""
    try:
        values, gradient, rows = traced(e, at)
    except AdcliError as problem:
        for ask in (e.value_and_gradient, e.values_and_jacobian) * 2:
            with pytest.raises(type(problem)):
                ask(at)
        return
    first = next(iter(values.values()))
    for _ in range(3):  # the second time a list of operations is made for it
        assert bits((first, gradient)) == bits(e.value_and_gradient(at))
        assert bits((values, rows)) == bits(e.values_and_jacobian(at))
        assert bits(rows) == bits(e.jacobian(at))
        assert bits(values) == bits(e.values(at))
        assert bits(first) == bits(e.value(at))


@each(records("expressions")[2 :: usually(4, thoroughly=1)])
def test_the_numbers_of_every_recorded_expression_are_those_of_its_trace(record: dict[str, Any]) -> None:
    names = list(record["point"])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        e = adcli.parse(record["expr"], names)
    agree(e, {name: float(adcli.parse(text).value()) for name, text in record["point"].items()})


@given(programs())
@examples(40)
def test_the_numbers_of_any_program_are_those_of_its_trace(case: Case) -> None:
    text, at = case
    e = adcli.parse(text, list(at))
    agree(e, at)
    agree(e, dict.fromkeys(at, 0.0))


def lists(e: adcli.Expression) -> list[FlatTape | None]:
    """The lists of operations that were made for value and gradient."""
    ready = e._ready()
    return [way for _, way in ready._ways.get((ready.output,), [])]


def test_an_expression_that_is_asked_again_answers_by_a_list_of_operations(monkeypatch: pytest.MonkeyPatch) -> None:
    e = adcli.parse(PAPER)
    for _ in range(3):
        again = e.value_and_gradient(x1=2, x2=5)
    (done,) = lists(e)
    assert done is not None and len(done.operations) < 12
    monkeypatch.setattr(flat_tape, "LARGEST", 3)
    e = adcli.parse(PAPER)
    for _ in range(3):
        assert again == e.value_and_gradient(x1=2, x2=5)
    assert [None] == lists(e)


def test_what_python_refuses_by_itself_is_outside_of_a_domain_for_lists_too() -> None:
    agree(adcli.parse("x*y; y*x"), {"x": 0.0, "y": -1.0})  # no value is -0.0
    e = adcli.parse("log(x)*sqrt(y)/z + 0*log(z*z)/x")
    agree(e, {"x": 2.0, "y": 3.0, "z": 4.0})
    (done,) = lists(e)
    assert done is not None and 1 == len(done.conditions)  # of the corner of the root alone
    for x, y, z in ((0.0, 1.0, 1.0), (-1.0, 1.0, 1.0), (1.0, -1.0, 1.0), (1.0, 0.0, 1.0), (1.0, 1.0, 0.0)):
        agree(e, {"x": x, "y": y, "z": z})


BRANCHES = (
    "u = x*y; v = if(x > 0 and y < 2, log(x)*u, if(not x < -1 or y == 3, x^2, sqrt(-x))); v + if(u > v, u, u*v) + x"
)


def test_there_is_a_list_for_every_way_through_the_branches() -> None:
    e = adcli.parse(BRANCHES)
    points = [{"x": x, "y": y} for x in (-2.5, -0.5, 0.5, 3.0) for y in (-1.0, 1.5, 3.5)]
    for _ in range(2):
        for at in points:
            agree(e, at)
    made = lists(e)
    assert 5 <= len(made) <= 12 and None not in made
    for at in points:
        values, gradient, _ = traced(e, at)
        assert any(way and way.run(at.values()) for way in made)
        assert bits((values["y"], gradient)) == bits(e.value_and_gradient(at))
    agree(e, {"x": 0.0, "y": 1.0})  # where a condition switches
    with pytest.raises(NameProblem):
        e.value_and_gradient(x=1.0, z=2.0)


def test_there_are_not_more_lists_than_can_be_kept() -> None:
    e = adcli.parse(" + ".join(f"if(x > {k}, x^2/{k + 1}, x*y)" for k in range(20)))
    for k in range(20):
        found = [e.value_and_gradient(x=k + 0.5, y=2.0) for _ in range(3)]
        assert found[0] == found[1] == found[2]
    assert len(lists(e)) == 16


def test_large_graphs_are_evaluated_as_they_are_and_say_the_same() -> None:
    e = adcli.parse("+".join(["x*y", *["sin(x)*y"] * 300]))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("adcli.trace.evaluator.LARGEST", 500)
        assert e._ready().inputs.keys() == {"x", "y"}
        for _ in range(20):
            value, gradient = e.value_and_gradient(x=0.5, y=1.5)
    assert not lists(e)
    values, expected, _ = traced(e, {"x": 0.5, "y": 1.5})
    assert pytest.approx(values["y"], rel=1e-13) == value
    assert pytest.approx(expected, rel=1e-13) == gradient


def test_a_call_gives_a_float_or_one_for_each_output() -> None:
    e = adcli.parse(PAPER)
    assert 11.652071455223084 == e(x1=2, x2=5) == e({"x1": 2, "x2": 5}) == e({"x1": 2}, x2=5.0)
    assert type(e(x1=2, x2=5)) is type(e(x1=np.float32(2), x2=np.int64(5))) is float
    assert (6 + math.sin(3), 1.5) == SEVERAL(x=2, y=3)
    assert {"u": 6 + math.sin(3), "w": 1.5} == SEVERAL.values(x=2, y=3)
    values, rows = SEVERAL.values_and_jacobian(x=2, y=3)
    assert (SEVERAL.values(x=2, y=3), SEVERAL.jacobian(x=2, y=3)) == (values, rows)
    assert {"x": -0.75, "y": 0.5} == rows["w"]


def test_arrays_go_to_a_kernel_that_broadcasts_them() -> None:
    x, y = np.linspace(1, 2, 5)[:, None], np.linspace(3, 4, 3)
    u, w = SEVERAL(x=x, y=y)
    assert (5, 3) == u.shape == w.shape
    assert u[2, 1] == pytest.approx(SEVERAL(x=x[2, 0], y=y[1])[0], rel=1e-15, abs=0)
    assert [2.0, 4.0] == adcli.parse("2x")(x=[1, 2]).tolist()
    with pytest.warns(RuntimeWarning, match="log needs a positive argument"):
        found = adcli.parse("log(x)")(x=np.array([1.0, -1.0]))
    assert math.isnan(found[1])


@pytest.mark.parametrize(
    ("point", "kind", "title"),
    [
        ({"x": 1}, NameProblem, "y has no value"),
        ({"x": 1, "y": 0, "z": 3}, None, ""),
        ({"x": 0, "y": 1}, DomainProblem, "division by zero"),
        ({"x": [1, 2], "z": 1}, NameProblem, "y has no value"),
    ],
)
def test_a_call_says_what_is_wrong_with_its_point(point: dict[str, Any], kind: Any, title: str) -> None:
    if kind is None:
        assert SEVERAL(x=1, y=0) == SEVERAL(point)
    else:
        with pytest.raises(kind) as found:
            SEVERAL(point)
        assert title in str(found.value)


@pytest.mark.parametrize("point", [2.0, [1, 2], "x=2", np.ones(2)])
def test_a_point_that_names_nothing_is_an_error_that_says_how_to_write_it(point: Any) -> None:
    for asked in (SEVERAL, SEVERAL.value, SEVERAL.gradient, SEVERAL.trace, SEVERAL.values, SEVERAL.hessian):
        with pytest.raises(RequestError, match="the numbers of a point need names"):
            asked(point)


# --- differential equations ---

ROBERTSON = "-a*y1 + 1e4*y2*y3; a*y1 - 1e4*y2*y3 - 3e7*y2^2; 3e7*y2^2"


def test_a_system_is_a_function_of_time_and_state_with_its_jacobian() -> None:
    field = adcli.parse("v; -k*x + cos(t)", ["x", "v", "k", "t"]).ode(fixed={"k": 4})
    assert ("x", "v") == field.state
    assert [0.5, -8 + math.cos(1.0)] == field(1.0, np.array([2.0, 0.5]))
    assert [[0.0, 1.0], [-4.0, 0.0]] == field.jacobian(1.0, [2.0, 0.5])
    assert [2.0] == adcli.parse("2*z*x").ode("x", fixed={"z": 1.0})(7.0, [1.0])
    assert [-1.0] == adcli.parse("s - x").ode(time="s")(1.0, [2.0])


def test_a_system_says_what_it_lacks() -> None:
    e = adcli.parse("x*k; y")
    for asked, title in (
        (lambda: e.ode(), "there are 2 outputs instead of 3, one for each state variable"),
        (lambda: e.ode("x", "z"), "the name z is not an input"),
        (lambda: e.ode("x", "y"), "the input k has no value"),
        (lambda: e.ode(fixed={"q": 1.0}), "the name q is not an input"),
    ):
        with pytest.raises(AdcliError, match=title):
            asked()


def test_a_stiff_system_is_solved_without_a_trace_at_each_call(monkeypatch: pytest.MonkeyPatch) -> None:
    integrate = pytest.importorskip("scipy.integrate")
    calls = []
    monkeypatch.setattr("adcli.trace.trace_program.trace", lambda *_: calls.append(1))
    field = adcli.parse(ROBERTSON).ode(fixed={"a": 0.04})
    found = integrate.solve_ivp(field, (0, 40), [1, 0, 0], "BDF", jac=field.jacobian, rtol=1e-8, atol=1e-12)
    # Hairer and Wanner, Solving Ordinary Differential Equations II: the solution at t = 40
    assert [0.7158270688, 9.185534765e-6, 0.2841637457] == pytest.approx(found.y[:, -1], rel=2e-6)
    assert found.nfev > 100 and not calls
