"""Differentials pushed down level by level: the manual's example, and every step against numbers found otherwise."""

from __future__ import annotations

import json
import math
import re
from typing import Any

import pytest
from drawn import usually
from support import each, point_text, printed, records

import adcli


def document(*arguments: str) -> dict[str, Any]:
    """What `adcli expand … --format json` says."""
    code, out, err = printed("expand", "--format", "json", *arguments)
    assert 0 == code, err
    found: dict[str, Any] = json.loads(out)
    return found


def rows(*arguments: str) -> list[list[str]]:
    """The cells of the tables of `adcli expand`, rules left out."""
    code, out, err = printed("expand", "--format", "plain", *arguments)
    assert 0 == code, err
    lines = [line for line in out.splitlines() if line.strip("- ")]
    return [[cell.strip() for cell in line.split("  ") if cell.strip()] for line in lines]


MANUAL = "a*x^2+(b*x+c)"


def test_the_manuals_example_names_its_levels() -> None:
    assert [
        ["0", "t00", "= a"],
        ["0", "t01", "= b"],
        ["0", "t02", "= c"],
        ["0", "t03", "= x"],
        ["1", "t10", "= t03^2", "dt10", "= 2 t03 dt03"],
        ["1", "t11", "= t01 t03", "dt11", "= t01 dt03 + t03 dt01"],
        ["2", "t20", "= t00 t10", "dt20", "= t00 dt10 + t10 dt00"],
        ["2", "t21", "= t11 + t02", "dt21", "= dt11 + dt02"],
        ["3", "t30", "= t20 + t21", "dt30", "= dt20 + dt21"],
        ["y", "= t30", "dy", "= dt30"],
    ] == rows(MANUAL)[1:11]


def test_the_manuals_example_is_pushed_down_level_by_level() -> None:
    assert (
        [
            ["dy", "= 1 dt30"],
            ["= 1 (dt20 + dt21)"],
            ["= 1 dt20 + 1 dt21"],
            ["= 1 (t00 dt10 + t10 dt00) + 1 (dt11 + dt02)"],
            ["= t00 dt10 + t10 dt00 + 1 dt11 + 1 dt02"],
            ["= t00 (2 t03 dt03) + t10 dt00 + 1 (t01 dt03 + t03 dt01) + 1 dt02"],
            ["= t10 dt00 + t03 dt01 + 1 dt02 + (2 t00 t03 + t01) dt03"],  # the manual's own last line has t01 for t03
            ["∂y/∂a", "= t10", "= x^2"],
            ["∂y/∂b", "= t03", "= x"],
            ["∂y/∂c", "= 1"],
            ["∂y/∂x", "= 2 t00 t03 + t01", "= 2 a x + b"],
        ]
        == rows(MANUAL)[11:]
    )


def test_the_manuals_example_in_numbers() -> None:
    found = rows(MANUAL, "--at", "a=1,b=2,c=3,x=4")
    assert ["1", "t11", "= t01 t03", "= 8", "dt11", "= t01 dt03 + t03 dt01", "= 2 dt03 + 4 dt01"] in found
    start = [k for k, cells in enumerate(found) if cells[0] == "dy"][1]
    assert [
        ["dy", "= 1 dt30"],
        ["= 1 (dt20 + dt21)"],
        ["= 1 dt20 + 1 dt21"],
        ["= 1 (dt10 + 16 dt00) + 1 (dt11 + dt02)"],
        ["= 1 dt10 + 16 dt00 + 1 dt11 + 1 dt02"],
        ["= 1 (8 dt03) + 16 dt00 + 1 (2 dt03 + 4 dt01) + 1 dt02"],
        ["= 16 dt00 + 4 dt01 + 1 dt02 + 10 dt03"],
    ] == found[start : start + 7]
    assert ["∂y/∂x", "= 2 t00 t03 + t01", "= 2 a x + b", "= 10"] == found[-1]


def test_without_the_manuals_brackets_the_sums_go_from_left_to_right() -> None:
    assert ["2", "t20", "= t00 t10", "dt20", "= t00 dt10 + t10 dt00"] in rows("a*x^2+b*x+c")
    assert ["3", "t30", "= t20 + t11", "dt30", "= dt20 + dt11"] in rows("a*x^2+b*x+c")
    assert ["∂y/∂x", "= 2 t00 t03 + t01", "= 2 a x + b"] == rows("a*x^2+b*x+c")[-1]


def test_an_adjoint_is_complete_before_it_is_pushed_further() -> None:
    """u is used three times; there is one term of its differential, and it is replaced once."""
    found = document("u = sin(x); u*y + u^2 + exp(u)")
    (output,) = found["outputs"]
    name = next(row["name"] for row in found["levels"] if row["formula"].startswith("sin"))
    terms = [[term["of"] for term in step["terms"]] for step in output["steps"]]
    assert 1 == max(step.count(name) for step in terms)
    assert [name in step for step in terms[:-1]] == sorted(name in step for step in terms[:-1])


REAL = records("expressions")


@each(REAL[:: usually(4, thoroughly=1)])
def test_every_step_is_the_same_differential_in_numbers_and_in_letters(record: dict[str, Any]) -> None:
    """The coefficients, read back and evaluated at the t_mj, are the numbers; the last ones are the gradient."""
    found = document(record["expr"], "--at", point_text(record["point"]))
    (output,) = found["outputs"]
    at = {row["name"].replace(",", "_"): row["value"] for row in found["levels"] if row["value"] is not None}
    for name, formula in output["adjoints"].items():
        at[name.replace(",", "_")] = evaluated(formula, at)
    for step in output["steps"]:
        for term in step["terms"]:
            if term["value"] is not None:
                assert close(term["value"]) == evaluated(term["coefficient"], at)
    point = {name: float(x) for name, x in record["point"].items()}
    for slope in output["gradient"]:
        reference = float(record["gradient"][slope["wrt"]])
        scale = 1e-11 * max(1e-300, abs(reference)) + 1e-9 * (reference == 0)
        allowed = max(scale, record["literal_rounding_rel"] * abs(reference))
        assert abs(reference - slope["value"]) <= allowed
        if slope["expression"] is not None:
            assert abs(reference - adcli.parse(slope["expression"], point).value(point)) <= allowed


def evaluated(formula: str, at: dict[str, Any]) -> float:
    """The number of a formula in the names t_mj; where they have commas (t10,3), these are written as underscores."""
    for name in at:
        if "_" in name:
            formula = re.sub(rf"\b{name.replace('_', ',')}(?!\d)", name, formula)
    return adcli.parse(formula, at).value(at)


def close(number: float) -> Any:
    # sums of products of a few dozen factors, in another order: some hundred ulps, more where they cancel
    return pytest.approx(number, rel=1e-9, abs=1e-12)


def test_branches_not_taken_have_no_numbers_and_no_share() -> None:
    found = document("if(x > 0, log(x), y^2)", "--at", "x=-1,y=3")
    (output,) = found["outputs"]
    assert {"x": 0.0, "y": 6.0} == {slope["wrt"]: slope["value"] for slope in output["gradient"]}
    assert None is next(row for row in found["levels"] if row["formula"].startswith("log"))["value"]


@pytest.mark.parametrize(("count", "first"), [(10, "t00"), (11, "t0,0")])
def test_names_have_a_comma_where_a_number_has_two_digits(count: int, first: str) -> None:
    found = document("+".join(f"x{k}" for k in range(count)))
    assert first == found["levels"][0]["name"]


def test_every_output_is_expanded() -> None:
    found = document("p = x*y; sin(p); p + x")
    assert ["y1", "y2"] == [output["name"] for output in found["outputs"]]
    assert ["cos(x*y)*y", "cos(x*y)*x"] == [slope["expression"] for slope in found["outputs"][0]["gradient"]]
    assert ["y + 1", "x"] == [slope["expression"] for slope in found["outputs"][1]["gradient"]]


def test_long_adjoints_get_a_name_so_that_the_sum_stays_readable() -> None:
    # each step uses the last one twice: written out, 2^40 terms
    steps = ["u0 = x*y", *(f"u{k + 1} = u{k}*sin(u{k})" for k in range(40))]
    code, out, err = printed("expand", "; ".join([*steps, "u40"]))
    assert 0 == code, err
    assert max(map(len, out.splitlines())) < 400
    assert "where a77,0 = (t79,0 cos(t79,0) + t80,0) t77,0" in out


def test_too_long_for_people_is_refused_with_the_count() -> None:
    code, out, err = printed("expand", "+".join(["sin(x)"] * 400))
    assert (2, "") == (code, out)
    assert "799" in err


def test_a_wide_sum_is_cut_on_its_line_with_a_count() -> None:
    code, out, _ = printed("expand", "+".join(f"x{k}^2" for k in range(1, 41)))
    assert 0 == code
    assert "more terms)" in out
    assert 40 == sum(1 for line in out.splitlines() if line.startswith("∂y/∂x"))


def test_what_does_not_move_has_no_differential() -> None:
    assert "dy  = 0" in printed("expand", "3 + 4")[1]
    assert ["0", "0"] == [slope["coefficient"] for slope in document("floor(x)*0 + sign(y)")["outputs"][0]["gradient"]]
    (output,) = document("x", "--at", "x=2")["outputs"]
    assert [("1", 1.0)] == [(slope["coefficient"], slope["value"]) for slope in output["gradient"]]


def test_latex_is_made_of_displays() -> None:
    code, out, _ = printed("expand", MANUAL, "--format", "latex")
    assert 0 == code
    assert out.count("\\[") == out.count("\\]") == out.count("\\begin{aligned}") == 4
    assert r" &= t_{10}\,dt_{00} + t_{03}\,dt_{01} + 1\,dt_{02} + (2t_{00} t_{03} + t_{01})\,dt_{03}" + "\n" in out
    assert r"\frac{\partial y}{\partial x} &= 2t_{00} t_{03} + t_{01} = 2a x + b" in out
    assert r"\cos(t_{00})\,dt_{00}" in printed("expand", "sin(x)*y", "--format", "latex")[1]


def test_the_mathematics_may_say_no() -> None:
    assert 3 == printed("expand", "log(x)", "--at", "x=-1")[0]
    assert 3 == printed("expand", "abs(x)", "--at", "x=0", "--kinks", "error")[0]
    code, _, err = printed("expand", "abs(x)", "--at", "x=0")
    assert 0 == code
    assert "corner" in err
    assert 2 == printed("expand", "x*y", "--at", "x=1")[0]


def test_problems_of_a_file_stand_alone() -> None:
    code, out, _ = printed("expand", "a: x^2\nlog(x) @ x=0\nb: x*y @ x=1, y=2", "--format", "ndjson")
    found = [json.loads(line) for line in out.splitlines()]
    assert 3 == code
    assert ["expand/1", "error/1", "expand/1"] == [record["schema"] for record in found]
    assert [None, {"x": 1.0, "y": 2.0}] == [found[0]["at"], found[2]["at"]]


def test_numbers_follow_the_gradient_of_the_point() -> None:
    at = {"x1": 2.0, "x2": 5.0}
    found = document("log(x1)+x1*x2-sin(x2)", "--at", "x1=2,x2=5")
    assert {"x1": 5.5, "x2": 2 - math.cos(5)} == {s["wrt"]: s["value"] for s in found["outputs"][0]["gradient"]}
    assert at == found["at"]
