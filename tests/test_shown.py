"""In Python an expression and a trace show what the commands show: as text, as data, in every format."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from running import PAPER, run

import adcli

F = adcli.parse(PAPER)
AT = {"x1": 2, "x2": 5}
POINT = ("--at", "x1=2,x2=5", "--quiet")


def test_a_point_is_a_mapping_or_keywords_or_both() -> None:
    for name in ("value", "gradient", "value_and_gradient", "jacobian", "hessian"):
        ask = getattr(F, name)
        assert (
            ask(AT) == ask(x1=2.0, x2=5.0) == ask({"x1": 2.0}, x2=5.0) == ask(at=AT) == ask({**AT, "x2": 0.0}, x2=5.0)
        )


def test_an_input_may_have_the_name_of_an_option() -> None:
    assert adcli.parse("mode*at", ["mode", "at"]).value({"mode": 2, "at": 3}) == 6


@pytest.mark.parametrize("form", ["plain", "markdown", "latex", "html", "rst", "typst", "json"])
def test_an_explanation_is_what_the_command_prints(form: str) -> None:
    told = run("explain", PAPER, *POINT, "--format", form).out
    shown = F.explain(AT).to(form)
    if form == "json":
        assert json.loads(told) == json.loads(shown) == F.explain(AT).data
    else:
        assert shown.strip() in told


@pytest.mark.parametrize("detail", ["short", "full"])
def test_an_explanation_has_the_detail_asked_for(detail: str) -> None:
    assert run("explain", PAPER, *POINT, "--detail", detail).out == f"{F.explain(AT, detail=detail)}\n"


def test_a_graph_is_what_the_command_draws(tmp_path: Path) -> None:
    assert run("graph", PAPER, "--quiet").out == F.graph().text
    assert (
        run("graph", PAPER, *POINT, "--mode", "reverse", "--reachable", "y").out
        == F.graph(AT, "reverse", reachable="y").text
    )
    for form in ("svg", "dot", "mermaid", "latex"):
        assert run("graph", PAPER, *POINT, "--format", form).out == F.graph(**AT).to(form)
    F.graph(AT).save(tmp_path / "graph.png")
    assert (tmp_path / "graph.png").read_bytes().startswith(b"\x89PNG")
    assert F.trace(AT, "reverse").picture("y").svg == F.graph(AT, "reverse", reachable="y").svg


def test_a_plot_is_what_the_command_draws() -> None:
    command = ("plot", "abs(x)*y", "--over", "x=-2:2", "--at", "y=3", "--tangent", "x=1", "--quiet")
    shown = adcli.parse("abs(x)*y").plot("x", -2, 2, at={"y": 3}, tangent=[1.0])
    assert run(*command, "--width", "80").out == shown.text
    assert run(*command, "--format", "csv").out.splitlines()[:-1] == str(shown.to("csv")).splitlines()[:-1]
    assert shown.svg.startswith("<?xml")


def test_a_series_is_what_the_command_prints() -> None:
    shown = adcli.parse("exp(sin(x))").taylor(x=0, order=5)
    assert run("taylor", "exp(sin(x))", "--at", "x=0", "--order", "5").out == f"{shown}\n"
    assert json.loads(run("taylor", "exp(sin(x))", "--at", "x=0", "--order", "5", "--format", "json").out) == shown.data


@pytest.mark.parametrize("disclose", range(6))
def test_an_answer_is_marked_as_the_command_marks_it(disclose: int) -> None:
    answer = "v1 = log(x1) = 0.693\nv2 = x1*x2 = 10\nv3 = sin(x2) = 0.087\ny = v1 + v2 - v3 = 10.606\n"
    shown = F.check(answer, AT, mode="value", disclose=disclose)
    told = ("check", "-", "--problem", f"{F.text} @ x1=2, x2=5", "--mode", "value", "--disclose", str(disclose))
    assert json.loads(run(*told, "--format", "json", stdin=answer).out) == shown.data
    assert run(*told, stdin=answer).out == f"{shown}\n"
    assert "<table" in shown.to("html") or disclose == 0


@pytest.mark.parametrize("form", ["plain", "markdown", "latex", "html", "rst", "typst"])
def test_a_trace_is_written_as_the_command_writes_it(form: str) -> None:
    assert F.trace(AT).to(form).strip() in run("eval", PAPER, *POINT, "--format", form).out


def test_a_trace_has_its_data_and_is_saved(tmp_path: Path) -> None:
    trace = F.trace(AT)
    assert (
        json.loads(run("eval", PAPER, *POINT, "--format", "json").out)["nodes"] == json.loads(trace.to("json"))["nodes"]
    )
    for suffix, part in ((".html", "<!doctype html>"), (".tex", r"\begin{document}"), (".md", "| x1"), (".txt", "x1 ")):
        trace.save(tmp_path / f"trace{suffix}")
        assert part in (tmp_path / f"trace{suffix}").read_text(encoding="utf-8"), suffix


@pytest.mark.parametrize("path", ["trace.docx", "trace", "trace.svg"])
def test_a_suffix_that_stands_for_no_format_is_told(path: str, tmp_path: Path) -> None:
    with pytest.raises(adcli.AdcliError, match="there is no format called"):
        F.trace(AT).save(tmp_path / path)
    assert not list(tmp_path.iterdir())


def test_notebooks_show_documents_and_pictures() -> None:
    assert F.explain(AT)._repr_html_().startswith('<div class="adcli">')
    assert F.graph()._repr_svg_().startswith("<svg")


def test_an_error_says_place_and_help() -> None:
    with pytest.raises(adcli.AdcliError) as caught:
        F.value(x1=-2, x2=5)
    assert run("eval", PAPER, "--at", "x1=-2,x2=5").err == f"error: {caught.value}\n"


def test_what_is_public_is_listed() -> None:
    names = dir(adcli)
    assert {"parse", "Expression", "Node", "sin", "trace", "declare"} <= set(names)
    assert all(hasattr(adcli, name) and name.isidentifier() for name in names)


def test_one_input_as_a_text_is_that_input() -> None:
    for shown in (F.trace, F.explain):
        assert str(shown(AT, wrt="x1")) == str(shown(AT, wrt=["x1"])) != str(shown(AT))
