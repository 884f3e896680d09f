"""The self-check: every real expression and every sample by all routes, and faults that it must find."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from drawn import usually
from running import CHECKOUT
from support import each, evaluated, printed, records
from together import together

import adcli.trace.trust.verify as verify
from adcli.errors import AdcliError, Source
from adcli.graph.tape import evaluate
from adcli.language.problems import read_point, read_problems
from adcli.language.program import read_program
from adcli.trace.trace_model import Request, Trace
from adcli.trace.trace_program import trace
from adcli.trace.trust.verify import EDGE, find_crossing

EXPRESSIONS = records("expressions")
ROUTES = ["forward", "reverse", "nodes forward", "nodes reverse", "derivative graph", "50 digits"]
# Twelve digits, as the reference values of the real expressions are met: 1e-12 over half an ulp.
ALLOWED = 1e-12 * 2**53
# Nine of ten are far better conditioned: some ten operations, each right to an ulp or two.
USUAL = 20


def checked(text: str, at: dict[str, float]) -> Trace:
    return trace(read_program(Source(text), at), at, Request(steps=False, verify=True))


def point(record: dict[str, Any]) -> dict[str, float]:
    text = ",".join(f"{name}={x}" for name, x in record["point"].items())
    return read_point(Source(text)) if text else {}


@each(EXPRESSIONS[:: usually(4, thoroughly=1)])
def test_all_routes_agree_on_every_real_expression(record: dict[str, Any]) -> None:
    (found,) = (checked(record["expr"], point(record)).verified or {}).values()
    assert ROUTES == list(found.routes)
    assert found.largest_ulps <= ALLOWED, found.where


@pytest.mark.slow
def test_the_routes_usually_agree_to_the_last_digits() -> None:
    ulps = sorted(
        found.largest_ulps
        for record in EXPRESSIONS
        for found in (checked(record["expr"], point(record)).verified or {}).values()
    )
    assert ulps[len(ulps) * 9 // 10] <= USUAL


def samples() -> Iterator[tuple[str, str, dict[str, float]]]:
    """The problems of the samples that have a point of their own, save those that are meant to fail."""
    for file in sorted((CHECKOUT / "samples").glob("*.txt")):
        for problem in read_problems(file.read_text("utf-8").splitlines(), file.name):
            if not isinstance(problem, AdcliError) and problem.point is not None:
                yield f"{file.stem}-{problem.line}", problem.source.text, read_point(problem.point)


SAMPLES = list(samples())


@together(("text", "at"), [case[1:] for case in SAMPLES], [case[0] for case in SAMPLES])
def test_all_routes_agree_on_every_sample(text: str, at: dict[str, float]) -> None:
    for found in (checked(text, at).verified or {}).values():
        assert found.largest_ulps <= ALLOWED, found.where


# --- faults that it must find ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("sweep", ["tangents", "adjoints", "forward", "reverse", "gradient_graph"])
def test_a_fault_in_any_route_is_found(sweep: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each sweep in turn is made to see a function whose slopes are a thousandth too steep."""
    honest = getattr(verify, sweep)
    other = read_program(Source("a = 1.001*x; sin(a)*y")).graph

    def wrong(graph: Any, *rest: Any) -> Any:
        if sweep == "gradient_graph":
            return honest(other)
        if sweep in ("forward", "reverse"):
            honest(graph)
            for node in [graph, *graph.parent_nodes, *graph.child_nodes]:
                node.partial_derivative *= 1.001
            return None
        gradients, seed = rest
        return honest(graph, [tuple(g if g is None else g * 1.001 for g in gs) for gs in gradients], seed)

    at = {"x": 0.5, "y": 2.0}
    before = (checked("a = x; sin(a)*y", at).verified or {})["y"]
    assert before.largest_ulps <= USUAL
    judged = verify._reference_numbers
    if sweep == "adjoints":  # the judge sweeps backwards too, and must stay honest
        monkeypatch.setattr(verify, "_reference_numbers", lambda *a: _with(monkeypatch, honest, wrong, judged, a))
    monkeypatch.setattr(verify, sweep, wrong)
    found = (checked("a = x; sin(a)*y", at).verified or {})["y"]
    assert found.largest_ulps > 1e10


def _with(patch: pytest.MonkeyPatch, honest: Any, wrong: Any, function: Any, arguments: tuple[Any, ...]) -> Any:
    patch.setattr(verify, "adjoints", honest)
    try:
        return function(*arguments)
    finally:
        patch.setattr(verify, "adjoints", wrong)


def test_digits_that_rounding_took_are_reported_and_are_no_disagreement() -> None:
    answer = evaluated("(1-cos(x))/x^2", {"x": "1e-8"}, "--verify")
    assert answer.code == 0
    assert answer.data["outputs"][0]["verified"]["largest_ulps"] > 1e10
    assert "disagreement" not in answer.kinds
    assert any("; rounding explains this" in note["text"] for note in answer.data["notes"])
    # all factors are 0, in doubles alone or in truth: errors of second order
    answer = evaluated("((0.39 - 1.3*x)*(9 - y^2))*(0.7*x - 0.21)", {"x": "0.3", "y": "-3"}, "--verify")
    assert (answer.code, "disagreement" in answer.kinds) == (0, False)


@together("record", records("cancellation")[:: usually(4, thoroughly=1)])
def test_what_conditioning_explains_is_no_disagreement(record: dict[str, Any]) -> None:
    notes = checked(record["expr"], point(record)).notes
    assert "disagreement" not in {note.kind for note in notes}


@pytest.mark.parametrize(
    "text", ["sin(x)*y", "exp(x)/y", "x^3 - x*y", "sqrt(x^2 + y^2)", "log(x) - y", "(1 - cos(x))/y"]
)
@pytest.mark.parametrize("sweep", ["tangents", "adjoints", "gradient_graph"])
def test_what_rounding_does_not_explain_is_a_disagreement_with_exit_code_3(
    text: str, sweep: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A route is made wrong in the ninth digit, where the problem is well enough conditioned to tell."""
    routes = verify._float_routes

    def wrong(trace: Trace) -> dict[str, dict[str, Any]]:
        found = routes(trace)
        name = {"tangents": "forward", "adjoints": "reverse", "gradient_graph": "derivative graph"}[sweep]
        found[name]["y" if "y" in found[name] else "f"]["x"] *= 1 + 1e-9
        return found

    monkeypatch.setattr(verify, "_float_routes", wrong)
    answer = evaluated(text, {"x": "0.7", "y": "1.3"}, "--verify")
    assert answer.code == 3
    (note,) = [note for note in answer.data["notes"] if note["kind"] == "disagreement"]
    assert "rounding does not explain this" in note["text"]


@pytest.mark.parametrize(
    ("text", "x"),
    [
        ("relu(x*(7*x + 0.7))", "-0.1"),
        ("(max(3*x + 0.3, x + 0.1) - sign(x))*(3*x)", "-0.1"),
        ("abs((2*x - 0.6)*(3*x - 0.9))", "0.3"),
        ("(min(-3.343, x - x))%(3.343/x)", "-7"),
    ],
)
def test_a_convention_at_a_kink_is_no_disagreement(text: str, x: str) -> None:
    answer = evaluated(text, {"x": x}, "--verify")
    assert answer.code == 0
    assert answer.data["outputs"][0]["verified"]["largest_ulps"] <= USUAL
    assert "derivative graph" not in answer.data["outputs"][0]["verified"]["routes"]


@pytest.mark.parametrize("mode", ["value", "forward", "reverse", "both"])
def test_every_mode_has_the_same_verification(mode: str) -> None:
    answer = evaluated("log(x)*y; x/y", {"x": "2", "y": "5"}, "--verify", "--mode", mode)
    for output in answer.data["outputs"]:
        assert set(output["verified"]) == {"largest_ulps", "routes"}
        assert output["verified"]["routes"] == ROUTES
        assert output["verified"]["largest_ulps"] <= USUAL


def test_the_table_tells_the_disagreement_and_the_routes() -> None:
    code, table, _ = printed("eval", "log(x)*y", "--at", "x=2,y=5", "--verify", "--no-trace")
    assert code == 0
    assert "ulps" in table
    assert all(route in table for route in ROUTES)


def test_an_infinite_slope_and_a_branch_not_taken_are_no_disagreement() -> None:
    for text, at in (("sqrt(x)", "0"), ("if(x > 0, log(x), 0*x)", "-1"), ("abs(x)", "0"), ("0*x", "3")):
        (output,) = evaluated(text, {"x": at}, "--verify").data["outputs"]
        assert output["verified"]["largest_ulps"] == 0, text
    # rows that a sweep over Nodes does not reach may have partials that are nan or infinite
    for text, at in (("x^y", {"x": "-1", "y": "2"}), ("if(root(abs(x), 3)^3 == 0, 0, x)", {"x": "0"}),
                     ("relu(x-2.4)-relu(2.4-x)+max(2.4, x-2.4, 0)", {"x": "2.4"})):  # fmt: skip
        (output,) = evaluated(text, at, "--verify").data["outputs"]
        assert output["verified"]["largest_ulps"] == 0, text


# --- jumps and overflow -----------------------------------------------------------------------------------------------

CROSSINGS = [
    (
        "abs(0.1+0.2-x)*y",
        "0.30000000000000004",
        "1",
        "|v1| has a jump or a corner within the rounding error of its argument",
    ),
    (  # only the slopes tell the sides of the corner
        "abs(x+1-1-0.5e-17)*y",
        "1e-17",
        "2",
        "|v3| has a jump or a corner within the rounding error of its argument",
    ),
    ("x*x*y/x/x", "-8e200", "36", "v1 = x × x is too large for a double"),
    ("if(exp(x) < 1e300*1e300, y, 2)", "800", "36", "1e300 × 1e300 is too large for a double"),
]


@pytest.mark.parametrize(("text", "x", "y", "where"), CROSSINGS, ids=[case[0] for case in CROSSINGS])
def test_a_jump_within_rounding_and_an_overflow_are_named_and_are_no_disagreement(
    text: str, x: str, y: str, where: str
) -> None:
    answer = evaluated(text, {"x": x, "y": y}, "--verify")
    assert answer.code == 0
    assert "disagreement" not in answer.kinds
    assert any("; rounding explains this: " in note["text"] and where in note["text"] for note in answer.data["notes"])


def test_an_overflow_that_nothing_depends_on_leaves_all_routes_alike() -> None:
    for text, at in (("if(csch(y) <= (1e-3)*x, (max(y, x, y))-(x-0), sqrt(y+x))", {"x": "1.0000019", "y": "-8e-323"}),
                     ("if(x >= x, y*(x*x), 1)", {"x": "-8e200", "y": "36"})):  # fmt: skip
        answer = evaluated(text, at, "--verify")
        assert answer.data["outputs"][0]["verified"]["largest_ulps"] < USUAL
        assert any("too large for a double and counts as infinite" in note["text"] for note in answer.data["notes"])


def test_a_wrong_operation_crosses_nothing_even_next_to_a_jump() -> None:
    """Rounding takes tanh to -1 and ceil across its jump; a tanh that is wrong in the ninth digit is no rounding."""
    judge = verify._Doubles(50)
    graph = read_program(Source("ceil(tanh(x))")).graph
    true = evaluate(graph, judge, {0: judge.number(-38.8)})
    right = [-38.8, -1.0, -1.0]
    assert find_crossing(graph, right, true, 2, judge) == (2, EDGE)
    assert find_crossing(graph, [-38.8, -1 - 1e-9, -1.0], true, 2, judge) is None
    assert find_crossing(graph, [-38.8, -1.0, 0.0], true, 2, judge) is None


def test_a_wrong_slope_is_a_disagreement_even_next_to_a_jump(monkeypatch: pytest.MonkeyPatch) -> None:
    routes = verify._float_routes

    def wrong(trace: Trace) -> dict[str, dict[str, Any]]:
        found = routes(trace)
        found["forward"]["y"]["x"] *= 1 + 1e-9
        return found

    monkeypatch.setattr(verify, "_float_routes", wrong)
    notes = checked("ceil(tanh(x)) + 3*x", {"x": -38.8}).notes
    assert "disagreement" in {note.kind for note in notes}
