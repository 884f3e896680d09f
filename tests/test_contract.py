"""The command line as a contract: what goes in, what comes out where, in which form, with which exit code."""

from __future__ import annotations

import csv
import gc
import io
import json
import math
import os
import re
import shutil
import subprocess
import sys
import tracemalloc
from collections import Counter
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from classroom import put_homework
from running import LONGEST_RUN, PAPER, UTF8, Run, environment, only_json, process, run, terminal, width

import adcli
from adcli.cli.options import COMMANDS
from adcli.cli.stream import Stream, in_blocks
from adcli.render.data import json_pieces, json_text
from adcli.render.document_parts import Table
from adcli.render.terminal import draw
from adcli.trace.trace_document import as_dict, in_parts

POINT = ("--at", "x1=2,x2=5")
ESCAPE = "\x1b"
VALUE = math.log(2) + 10 - math.sin(5)
SLOPES = {"x1": 5.5, "x2": 2 - math.cos(5)}


def data(*argv: str, stdin: str = "") -> Any:
    """What `adcli eval … --format json` says."""
    return only_json(run("eval", "--format", "json", *argv, stdin=stdin))


def records(*argv: str, stdin: str = "") -> list[dict[str, Any]]:
    """What `adcli eval … --format ndjson` says, line by line."""
    return [json.loads(line) for line in run("eval", *argv, "--format", "ndjson", stdin=stdin).out.splitlines()]


def sheet(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


# --- input ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("argv", "value"),
    [
        (("-x^2", "--at", "x=3"), -9.0),
        (("--at", "x=3", "-x^2"), -9.0),
        (("--at=x=3", "-x^2"), -9.0),
        (("-x", "--at", "x=3"), -3.0),
        (("-(x)", "--at", "x=3"), -3.0),
        (("--x", "--at", "x=3"), 3.0),
        (("-2", "--at", "x=3"), -2.0),
        (("-.5*x", "--at", "x=3"), -1.5),
        (("-sin(0)-x", "--at", "x=3"), -3.0),
        (("--at", "x=3", "--", "-x"), -3.0),
        (("x", "--at", "x=-3"), -3.0),
    ],
)
def test_an_argument_that_starts_with_a_minus_sign_is_an_expression(argv: tuple[str, ...], value: float) -> None:
    assert value == data(*argv)["outputs"][0]["value"]


def test_the_same_problem_may_be_an_argument_a_file_a_dash_or_a_pipe(tmp_path: Path) -> None:
    file = tmp_path / "problems.txt"
    file.write_text(f"{PAPER} @ x1=2, x2=5\n", encoding="utf-8")
    text = file.read_text(encoding="utf-8")
    expected = data(PAPER, *POINT)
    assert expected == data(text)
    assert expected == data("--file", str(file))
    assert expected == data("-f", str(file))
    assert expected == data("-", stdin=text)
    assert expected == data("--file", "-", stdin=text)
    assert expected == data(stdin=text)


def test_a_command_with_nothing_to_read_shows_help_on_a_terminal() -> None:
    shown = run("eval", stdin=None)
    assert (0, run("eval", "--help").out, "") == shown


def test_a_real_terminal_gets_help_and_no_hang() -> None:
    shown = terminal("eval")
    assert shown.code == 0
    assert "Examples:" in shown.out
    assert "--at" in shown.out


def test_an_expression_and_a_file_together_are_an_error() -> None:
    result = run("eval", "x", "--file", "problems.txt")
    assert (2, "") == result[:2]
    assert "there are both an expression and a file" in result.err


def test_the_last_line_of_a_pipe_needs_no_newline() -> None:
    assert [1.0, 2.0] == [r["outputs"][0]["value"] for r in records(stdin="x @ x=1\nx @ x=2")]


def test_windows_line_ends_and_a_byte_order_mark_change_nothing(tmp_path: Path) -> None:
    file = tmp_path / "problems.txt"
    file.write_bytes(b"\xef\xbb\xbfa: x^2 @ x=3\r\n\r\nb: x^2 @ x=4\r\n")
    found = records("--file", str(file))
    assert [("a", 9.0), ("b", 16.0)] == [(r["label"], r["outputs"][0]["value"]) for r in found]


def test_comments_and_empty_lines_are_no_problems() -> None:
    text = "# a heading\n\n   \nx^2 @ x=3   # the first\n  # indented\nx^3 @ x=2\n#last"
    assert [9.0, 8.0] == [r["outputs"][0]["value"] for r in records(stdin=text)]
    assert ["x^2", "x^3"] == [r["expression"] for r in records(stdin=text)]


def test_a_label_stands_before_a_colon() -> None:
    found = records(stdin="first: x @ x=1\n  2 b , c: x @ x=1\nx @ x=1\n")
    assert ["first", "2 b , c", None] == [r["label"] for r in found]
    assert "first: x" in run("eval", "first: x @ x=1").out


def test_a_line_that_ends_in_a_semicolon_goes_on() -> None:
    found = records(stdin="a = x*x;\nb = a + 1;  # a step\nb @ x=3\nx @ x=7\n")
    assert [("b", 10.0), ("y", 7.0)] == [(r["outputs"][0]["name"], r["outputs"][0]["value"]) for r in found]


def test_a_line_that_ends_inside_brackets_goes_on() -> None:
    found = records(stdin="(x\n + 1\n) * 2 @ x=3\n[x +\n1] @ x=1\n")
    assert [8.0, 2.0] == [r["outputs"][0]["value"] for r in found]


def test_a_bracket_that_is_never_closed_does_not_swallow_the_problems_that_follow() -> None:
    found = records(stdin="(x + 1 @ x=3\nb: x @ x=1\n\nc: sin(x\n\nd: x @ x=2\n")
    assert ["error/1", "trace/1", "error/1", "trace/1"] == [r["schema"] for r in found]
    assert [1, 4] == [r["line"] for r in found if r["schema"] == "error/1"]


def test_lines_and_columns_count_in_the_whole_file_and_from_one() -> None:
    found = records(stdin="# heading\nx @ x=1\nlabel: α +* x @ x=1\nx*x;\n2 +) @ x=1\n")
    errors = [r for r in found if r["schema"] == "error/1"]
    assert [(3, 11, 12), (5, 4, 5)] == [(e["line"], e["column"], e["end_column"]) for e in errors]


def test_the_point_of_a_line_wins_over_the_flag() -> None:
    found = records("--at", "x=1,z=2", stdin="x*z\nx*z @ x=10\nx*z @ z=3, x=10\n")
    assert [2.0, 20.0, 30.0] == [r["outputs"][0]["value"] for r in found]
    assert 20.0 == data("x*z @ x=10", "--at", "x=1,z=2")["outputs"][0]["value"]


def test_repeated_points_merge_and_the_later_one_wins() -> None:
    found = data("x1*x2*x3", "--at", "x1=2", "--at", "x2=5,x3=7", "--at", "x3=1")
    assert {"x1": 2.0, "x2": 5.0, "x3": 1.0} == found["at"]


def test_values_of_a_point_may_be_expressions() -> None:
    found = data("x1*x2*x3*x4", "--at", "x1=-2^2, x2=sqrt(2), x3=pi/2, x4=max(1, 3)")
    assert {"x1": -4.0, "x2": math.sqrt(2), "x3": math.pi / 2, "x4": 3.0} == found["at"]
    assert math.pi / 2 == data("x @ x=pi/2")["at"]["x"]


@pytest.mark.parametrize("text", ["x=inf", "x=Infinity", "x=-inf", "x=nan", "x=NaN"])
def test_infinities_and_nan_are_taken_where_they_are_written(text: str) -> None:
    result = run("eval", "2*x", "--at", text, "--format", "json")
    written = {"inf": "Infinity", "Infinity": "Infinity", "-inf": "-Infinity", "nan": "NaN", "NaN": "NaN"}[text[2:]]
    assert 0 == result.code
    assert {"x": written} == json.loads(result.out)["at"]
    assert {"x": 2.0} == json.loads(result.out)["outputs"][0]["gradient"]


@pytest.mark.parametrize("text", ["x=1e400", "x=10^400", "x=1/0", "x=log(0)", "x=log(-1)", "x=0/0", "x=1e308*10"])
def test_no_value_becomes_infinite_or_nan_unless_it_is_written_so(text: str) -> None:
    result = run("eval", "2*x", "--at", text)
    assert (2, "") == result[:2]
    assert result.err.startswith("error: ")
    assert "--at" in result.err


@pytest.mark.parametrize("text", ["", " ", "x", "x=", "=2", "x=2,,y", "x==2", "2=x", "x=y", "x=2 3", "x=1,x=2", "x=[2"])
def test_a_point_that_cannot_be_read_is_an_error_of_the_request(text: str) -> None:
    result = run("eval", "x", "--at", text)
    assert (2, "") == result[:2]
    assert result.err.startswith("error: ")


def test_a_point_over_many_problems_supplies_only_what_each_one_needs() -> None:
    result = run("eval", "--at", "x=1,z=2", "--format", "ndjson", stdin="x\nz\nx*z\n3\n")
    found = [json.loads(line) for line in result.out.splitlines()]
    assert [{"x": 1.0}, {"z": 2.0}, {"x": 1.0, "z": 2.0}, {}] == [r["at"] for r in found]
    assert "" == result.err


def test_an_unused_name_in_a_problems_own_point_is_an_input_with_a_row_of_zeros_and_a_note() -> None:
    of_a_line = records("--at", "q=1", stdin="x^2 @ x=3,w=4")[0]
    for found in (data("x^2", "--at", "x=3,w=4"), data("x^2 @ x=3, w=4"), of_a_line):
        assert {"x": 3.0, "w": 4.0} == found["at"]
        assert {"x": 6.0, "w": 0.0} == found["outputs"][0]["gradient"]
        node = next(n for n in found["nodes"] if n["name"] == "w")
        assert {"x": 0.0, "w": 1.0} == node["dot"]
        assert {"y": 0.0} == node["bar"]
        assert ["w"] == [n["node"] for n in found["notes"]]
    assert "note: w does not occur" in run("eval", "x^2", "--at", "x=3,w=4").err


def test_a_missing_name_is_an_error_that_names_it() -> None:
    result = run("eval", "x*y*z", "--at", "y=1", "--format", "json")
    error = json.loads(result.out)
    assert 2 == result.code
    assert ("error/1", "name", 1, 1, 2) == tuple(error[k] for k in ("schema", "kind", "line", "column", "end_column"))
    assert "x has no value" == error["title"]
    assert "x=" in error["help"]
    assert "z=" in error["help"]
    assert "y=" not in error["help"]


def test_a_missing_name_is_an_error_in_every_mode() -> None:
    for mode in ("value", "forward", "reverse", "both"):
        result = run("eval", "x", "--mode", mode)
        assert (2, "") == result[:2]
        assert "x has no value" in result.err


# --- streams ----------------------------------------------------------------------------------------------------------


def test_standard_output_carries_the_document_alone() -> None:
    lines = "log(x)\nlog(-x)\nx +* 2\nabs(x-1)\nq\n"
    result = run("eval", "--at", "x=1", "--format", "ndjson", stdin=lines)
    assert ["trace/1", "error/1", "error/1", "trace/1", "error/1"] == [
        json.loads(line)["schema"] for line in result.out.splitlines()
    ]
    table = run("eval", "--at", "x=1", "--no-trace", stdin=lines)
    assert "error" not in table.out
    assert "note" not in table.out
    assert 3 == table.err.count("error: ")
    assert "note: log is read as" in table.err
    assert "corner" in table.err


def test_notes_can_be_silenced_and_errors_cannot() -> None:
    for quiet in ("--quiet", "-q"):
        assert "" == run("eval", "log(x)+abs(x-2)", "--at", "x=1,w=1", quiet).err
        assert "abs has a corner at 0" in run("eval", "log(x)+abs(x-1)", "--at", "x=1,w=1", quiet).err
    assert run("eval", "log(x)", "--at", "x=0", "-q").err.startswith("error: ")


def test_an_error_of_a_file_names_file_line_and_column(tmp_path: Path) -> None:
    file = tmp_path / "problems.txt"
    file.write_text("x @ x=1\n\na: 1/(x-1) @ x=1\n", encoding="utf-8")
    result = run("eval", "--file", str(file), "--no-trace")
    assert 3 == result.code
    assert f"{file}:3:7" in result.err
    assert "3 | a: 1/(x-1) @ x=1" in result.err


def test_an_error_about_a_whole_problem_among_many_says_which_one_is_meant(tmp_path: Path) -> None:
    file = tmp_path / "two.txt"
    file.write_text("x @ x=1\nq: y^2 @ y=1\n", encoding="utf-8")
    result = run("eval", "--file", str(file), "--wrt", "x", "--format", "ndjson")
    assert f"--> {file}:2:1\n" in result.err
    record = json.loads(result.out.splitlines()[1])
    assert ("there is no input called x", 2, 1) == (record["title"], record["line"], record["column"])


def test_notes_on_many_problems_say_which_one_is_meant(tmp_path: Path) -> None:
    file = tmp_path / "problems.txt"
    file.write_text("x @ x=1\nabs(x) @ x=0\n", encoding="utf-8")
    assert f"note: {file}:2: " in run("eval", "--file", str(file)).err
    assert "note: line 2: " in run("eval", stdin="x @ x=1\nabs(x) @ x=0\n").err


def test_the_rest_goes_on_after_an_error_and_fail_fast_stops() -> None:
    text = "x @ x=1\nlog(x) @ x=0\nx +\nx @ x=4\n"
    assert ["trace/1", "error/1", "error/1", "trace/1"] == [r["schema"] for r in records(stdin=text)]
    assert ["trace/1", "error/1"] == [r["schema"] for r in records("--fail-fast", stdin=text)]
    assert 3 == run("eval", "--fail-fast", stdin=text).code


@pytest.mark.parametrize(
    ("code", "text"),
    [
        (0, "x @ x=1"),
        (0, "abs(x) @ x=0"),
        (2, "x +"),
        (2, "x"),
        (2, "sin(x, x) @ x=1"),
        (2, "foo(x) @ x=1"),
        (2, "x @ x"),
        (3, "log(x) @ x=0"),
        (3, "1/x @ x=0"),
        (3, "x @ x=1\nx +\nlog(x) @ x=0\nx @ x=1"),
        (3, "log(x) @ x=0\nx +\n"),
        (2, "x @ x=1\nx +\nx @ x=1"),
    ],
)
def test_the_exit_code_is_the_highest_of_all_problems(code: int, text: str) -> None:
    assert code == run("eval", stdin=text).code
    assert code == run("eval", "--format", "ndjson", stdin=text).code


@pytest.mark.parametrize("mode", ["forward", "reverse", "both"])
def test_a_kink_is_a_note_or_an_error_as_asked(mode: str) -> None:
    gentle = run("eval", "abs(x)", "--at", "x=0", "--mode", mode)
    strict = run("eval", "abs(x)", "--at", "x=0", "--mode", mode, "--kinks", "error")
    assert 0 == gentle.code
    assert gentle.err.startswith("note: ")
    assert "from the left" in gentle.err
    assert (3, "") == strict[:2]
    assert strict.err.startswith("error: ")
    assert 0 == run("eval", "abs(x)", "--at", "x=0", "--mode", "value", "--kinks", "error").code


# --- JSON -------------------------------------------------------------------------------------------------------------

TRACE_KEYS = {"schema", "label", "expression", "mode", "numbering", "at", "outputs", "nodes", "steps", "notes"}
NODE_KEYS = {"name", "level", "operator", "parents", "formula", "value", "grad_wrt_parents", "dot", "bar"}
STEP_KEYS = {"target", "pass", "source", "symbolic", "substituted", "value"}
ERROR_KEYS = {"schema", "kind", "title", "label", "help", "line", "column", "end_column"}


def test_a_trace_has_every_key_of_the_schema() -> None:
    found = data(PAPER, *POINT)
    assert TRACE_KEYS == set(found)
    assert ("trace/1", None, PAPER, "both", "level") == tuple(
        found[k] for k in ("schema", "label", "expression", "mode", "numbering")
    )
    assert {"x1": 2.0, "x2": 5.0} == found["at"]
    assert ["x1", "x2"] == list(found["at"])
    assert [] == found["notes"] or all({"node", "kind", "text"} == set(note) for note in found["notes"])
    output = found["outputs"][0]
    assert {"name", "node", "value", "gradient"} == set(output)
    assert ("y", "v5") == (output["name"], output["node"])
    assert VALUE == pytest.approx(output["value"], rel=1e-15, abs=0)
    assert SLOPES == pytest.approx(output["gradient"], rel=1e-15, abs=0)


def test_the_nodes_of_a_trace_are_those_of_the_paper() -> None:
    nodes = {node["name"]: node for node in data(PAPER, *POINT)["nodes"]}
    assert ["x1", "x2", "v1", "v2", "v3", "v4", "v5"] == list(nodes)
    assert all(set(node) >= NODE_KEYS for node in nodes.values())
    x1, v2 = nodes["x1"], nodes["v2"]
    assert (0, "input", [], "x1", 2.0, []) == tuple(
        x1[k] for k in ("level", "operator", "parents", "formula", "value", "grad_wrt_parents")
    )
    assert {"x1": 1.0, "x2": 0.0} == x1["dot"]
    assert {"y": 5.5} == x1["bar"]
    assert (1, "mul", ["x1", "x2"], "x1 × x2", 10.0, [5.0, 2.0]) == tuple(
        v2[k] for k in ("level", "operator", "parents", "formula", "value", "grad_wrt_parents")
    )
    assert {"x1": 5.0, "x2": 2.0} == v2["dot"]
    assert {"y": 1.0} == v2["bar"]
    assert [1, 1, 1, 2, 3] == [nodes[f"v{k}"]["level"] for k in range(1, 6)]
    assert ["log", "mul", "sin", "add", "sub"] == [nodes[f"v{k}"]["operator"] for k in range(1, 6)]
    assert "alias" not in v2


def sweeps(step: dict[str, Any], *kinds: str) -> bool:
    """Whether a step belongs to a sweep of one of these kinds."""
    return step["pass"] in kinds


def test_the_steps_of_a_trace_start_with_the_seed_and_know_where_they_come_from() -> None:
    steps = data(PAPER, *POINT)["steps"]
    assert all(set(step) >= STEP_KEYS for step in steps)
    assert all(sweeps(step, "forward", "reverse") for step in steps)
    back = [step for step in steps if sweeps(step, "reverse")]
    assert ("v5", None, "ȳ", "1", 1.0) == tuple(
        back[0][k] for k in ("target", "source", "symbolic", "substituted", "value")
    )
    edges = {"v5": ["v4", "v3"], "v4": ["v1", "v2"], "v3": ["x2"], "v2": ["x1", "x2"], "v1": ["x1"]}
    assert sorted((to, come) for come, tos in edges.items() for to in tos) == sorted(
        (step["target"], step["source"]) for step in back[1:]
    )
    last = {step["target"]: step["value"] for step in back}
    assert SLOPES == pytest.approx({name: last[name] for name in SLOPES}, rel=1e-15, abs=0)


def test_every_value_of_a_trace_has_its_type() -> None:
    found = data("a: b = 2*x; sin(b) @ x=1")
    assert isinstance(found["label"], str)
    for node in found["nodes"]:
        assert [str, int, str, str, float] == [type(node[k]) for k in ("name", "level", "operator", "formula", "value")]
        assert all(isinstance(parent, str | float) for parent in node["parents"])
        assert all(slope is None or isinstance(slope, float) for slope in node["grad_wrt_parents"])
        assert len(node["parents"]) == len(node["grad_wrt_parents"])
        assert all(isinstance(x, float) for x in [*node["dot"].values(), *node["bar"].values()])
    for step in found["steps"]:
        texts = ("target", "pass", "symbolic", "substituted")
        assert [str, str, str, str, float] == [type(step[k]) for k in (*texts, "value")]
        assert step["source"] is None or isinstance(step["source"], str)
    for output in found["outputs"]:
        assert [str, str, float, dict] == [type(output[k]) for k in ("name", "node", "value", "gradient")]


@pytest.mark.parametrize("mode", ["forward", "reverse", "both"])
@pytest.mark.parametrize("flags", [(), ("--no-trace",), ("--wrt", "x1"), ("--numbering", "call"), ("--cse",)])
def test_the_gradient_holds_every_input_in_every_mode_but_value(mode: str, flags: tuple[str, ...]) -> None:
    output = data(PAPER, *POINT, "--mode", mode, *flags)["outputs"][0]
    assert SLOPES == pytest.approx(output["gradient"], rel=1e-14, abs=0)


@pytest.mark.parametrize(
    ("mode", "present", "absent"),
    [
        ("value", set(), {"dot", "bar", "grad_wrt_parents"}),
        ("forward", {"dot", "grad_wrt_parents"}, {"bar"}),
        ("reverse", {"bar", "grad_wrt_parents"}, {"dot"}),
        ("both", {"dot", "bar", "grad_wrt_parents"}, set()),
    ],
)
def test_the_key_that_a_mode_does_not_compute_is_absent(mode: str, present: set[str], absent: set[str]) -> None:
    found = data(PAPER, *POINT, "--mode", mode)
    assert mode == found["mode"]
    for node in found["nodes"]:
        assert present <= set(node)
        assert not absent & set(node)
    assert ("gradient" in found["outputs"][0]) == (mode != "value")
    passes = {"value": set(), "both": {"forward", "reverse"}}.get(mode, {mode})
    assert passes == {step["pass"] for step in found["steps"]}


def test_tangents_are_kept_for_the_inputs_asked_for_alone() -> None:
    for flags in (("--wrt", "x2"), ("--wrt", "x2", "--mode", "forward")):
        assert all(["x2"] == list(node["dot"]) for node in data(PAPER, *POINT, *flags)["nodes"])
    both = data(PAPER, *POINT, "--wrt", "x2,x1")["nodes"]
    assert both == data(PAPER, *POINT, "--wrt", "x2", "--wrt", "x1")["nodes"]
    assert {"x1", "x2"} == set(both[0]["dot"])


def test_a_direction_gives_one_tangent_column_and_the_product_with_the_jacobian() -> None:
    found = data(PAPER, *POINT, "--mode", "forward", "--seed", "x1=1,x2=0.5")
    assert all(["seed"] == list(node["dot"]) for node in found["nodes"])
    assert [1.0, 0.5] == [node["dot"]["seed"] for node in found["nodes"][:2]]
    along = found["nodes"][-1]["dot"]["seed"]
    assert SLOPES["x1"] + 0.5 * SLOPES["x2"] == pytest.approx(along, rel=1e-15, abs=0)
    assert along == found["outputs"][0]["jvp"]
    assert SLOPES == pytest.approx(found["outputs"][0]["gradient"], rel=1e-14, abs=0)


def test_weights_of_outputs_give_one_adjoint_column_and_the_product_with_the_jacobian() -> None:
    text = "a = x*y; b = x + y; a; b @ x=2, y=3"
    found = data(text, "--mode", "reverse", "--seed", "a=10", "--seed", "b=1")
    assert all(["seed"] == list(node["bar"]) for node in found["nodes"])
    assert {"x": 31.0, "y": 21.0} == found["vjp"]
    assert {"x": 31.0, "y": 21.0} == {node["name"]: node["bar"]["seed"] for node in found["nodes"][:2]}
    assert [{"x": 3.0, "y": 2.0}, {"x": 1.0, "y": 1.0}] == [output["gradient"] for output in found["outputs"]]


def test_a_seed_for_what_is_no_input_or_output_is_an_error() -> None:
    for flags in (("y=1", "--mode", "forward"), ("x1=1", "--mode", "reverse"), ("nope=1",)):
        result = run("eval", PAPER, *POINT, "--seed", *flags)
        assert (2, "") == result[:2]
        assert "seed" in result.err


def test_several_outputs_make_a_jacobian() -> None:
    found = data("x*y; x + y; s = sin(x); s @ x=2, y=3")
    assert ["y1", "y2", "s"] == [output["name"] for output in found["outputs"]]
    assert [{"x": 3.0, "y": 2.0}, {"x": 1.0, "y": 1.0}, {"x": math.cos(2), "y": 0.0}] == [
        output["gradient"] for output in found["outputs"]
    ]
    assert all({"y1", "y2", "s"} == set(node["bar"]) for node in found["nodes"])
    assert "s" == next(node["alias"] for node in found["nodes"] if node["operator"] == "sin")
    assert "alias" not in next(node for node in found["nodes"] if node["operator"] == "mul")


def test_an_output_that_is_an_input_or_a_number_is_still_an_output() -> None:
    found = data("x; 3 @ x=2")
    assert [("x", 2.0, {"x": 1.0}), (3.0, {"x": 0.0})] == [
        (found["outputs"][0]["node"], found["outputs"][0]["value"], found["outputs"][0]["gradient"]),
        (found["outputs"][1]["value"], found["outputs"][1]["gradient"]),
    ]


def test_a_wrong_input_after_wrt_is_an_error_with_a_suggestion() -> None:
    result = run("eval", "alpha*x", "--at", "alpha=1,x=2", "--wrt", "alhpa")
    assert (2, "") == result[:2]
    assert "alpha" in result.err.partition("= help: ")[2]


def test_a_constant_parent_is_its_number_with_a_null_gradient() -> None:
    nodes = {node["operator"]: node for node in data("2*x + pi - x^(1/2) @ x=4")["nodes"]}
    assert [2.0, "x"] == nodes["mul"]["parents"]
    assert [None, 2.0] == nodes["mul"]["grad_wrt_parents"]
    assert [1.0, None] == nodes["add"]["grad_wrt_parents"]
    assert math.pi == nodes["add"]["parents"][1]
    assert ["x", 0.5] == nodes["pow"]["parents"]
    assert [0.25, None] == nodes["pow"]["grad_wrt_parents"]


def test_both_edges_to_the_same_parent_are_listed() -> None:
    node = data("x*x @ x=3")["nodes"][1]
    assert (["x", "x"], [3.0, 3.0]) == (node["parents"], node["grad_wrt_parents"])


def test_without_a_trace_nodes_and_steps_are_absent_and_nothing_else() -> None:
    whole, short = data(PAPER, *POINT), data(PAPER, *POINT, "--no-trace")
    assert TRACE_KEYS - {"nodes", "steps"} == set(short)
    assert short["outputs"] == whole["outputs"]
    assert short["notes"] == whole["notes"]


def test_what_json_has_no_number_for_is_a_string() -> None:
    found = data("a = exp(x); b = -a; c = x*z; a; b; c @ x=1000, z=nan")
    assert ["Infinity", "-Infinity", "NaN"] == [output["value"] for output in found["outputs"]]
    assert "NaN" == found["at"]["z"]
    assert "Infinity" == next(node for node in found["nodes"] if node["operator"] == "exp")["grad_wrt_parents"][0]
    for argv in (("exp(x)", "--at", "x=1000"), ("x", "--at", "x=nan"), ("sqrt(x)", "--at", "x=0")):
        json.loads(run("eval", *argv, "--format", "json").out, parse_constant=pytest.fail)


def test_a_note_of_the_trace_names_its_row_and_kind() -> None:
    notes = data("abs(x) @ x=0")["notes"]
    assert [("v1", "kink")] == [(note["node"], note["kind"]) for note in notes]
    assert "the slope used here is 0" in notes[0]["text"]


def test_ndjson_is_one_object_a_line_the_same_as_json() -> None:
    lines = run("eval", "--format", "ndjson", stdin="x @ x=1\nx +\nx^2 @ x=2\n").out.splitlines()
    assert 3 == len(lines)
    assert [json.loads(line) for line in lines] == data(stdin="x @ x=1\nx +\nx^2 @ x=2\n")
    assert json.loads(run("eval", PAPER, *POINT, "--format", "ndjson").out) == data(PAPER, *POINT)


@pytest.mark.parametrize(
    ("text", "kind", "code", "place"),
    [
        ("x +* 2 @ x=1", "syntax", 2, (1, 4, 5)),
        ("x + @ x=1", "syntax", 2, (1, 4, 5)),
        ("2 $ x @ x=1", "syntax", 2, (1, 3, 4)),
        ("a: x + bar @ x=1", "name", 2, (1, 8, 11)),
        ("sinn(x) @ x=1", "name", 2, (1, 1, 5)),
        ("1 + atan2(x) @ x=1", "arity", 2, (1, 5, 13)),
        ("2 * log(x - 3) @ x=2", "domain", 3, (1, 9, 14)),
        ("α + log(α - 3) @ α=2", "domain", 3, (1, 9, 14)),
        ("1 + 1/(x-1) @ x=1", "domain", 3, (1, 8, 11)),
    ],
)
@pytest.mark.parametrize("form", ["json", "ndjson"])
def test_an_error_is_a_record_with_its_place(
    text: str, kind: str, code: int, place: tuple[int, int, int], form: str
) -> None:
    result = run("eval", text, "--format", form)
    error = json.loads(result.out)
    assert code == result.code
    assert set(error) >= ERROR_KEYS
    assert ("error/1", kind) == (error["schema"], error["kind"])
    assert place == (error["line"], error["column"], error["end_column"])
    assert all(isinstance(error[k], str) for k in ("title", "label", "help"))
    assert error["title"]
    assert result.err.startswith(f"error: {error['title']}\n")


def test_every_format_carries_the_same_error_on_standard_error() -> None:
    forms = ("table", "plain", "csv", "json", "ndjson")
    said = {run("eval", "log(x)", "--at", "x=-1", "--format", form).err for form in forms}
    assert 1 == len(said)


# --- CSV --------------------------------------------------------------------------------------------------------------


def test_csv_carries_full_precision() -> None:
    rows = sheet(run("eval", "x/3 + y*0.1", "--at", "x=1,y=0.2", "--format", "csv", "--no-trace", "--places", "1").out)
    assert [1 / 3 + 0.2 * 0.1] == [float(row["value"]) for row in rows]
    assert [(1 / 3, 0.1)] == [(float(row["d/dx"]), float(row["d/dy"])) for row in rows]


def test_csv_has_a_line_for_each_node_with_the_numbers_of_json() -> None:
    rows = sheet(run("eval", PAPER, *POINT, "--format", "csv").out)
    nodes = data(PAPER, *POINT)["nodes"]
    assert [n["name"] for n in nodes] == [row["name"] for row in rows]
    assert [n["value"] for n in nodes] == [float(row["value"]) for row in rows]
    for key in ("x1", "x2"):
        assert [n["dot"][key] for n in nodes] == [float(row[f"dot {key}"]) for row in rows]
    assert [n["bar"]["y"] for n in nodes] == [float(row["bar y"]) for row in rows]


def test_csv_gathers_problems_with_other_inputs_in_one_sheet() -> None:
    rows = sheet(run("eval", "--format", "csv", "--no-trace", stdin="a: x @ x=1\nlog(x) @ x=0\nb: y*z @ y=2,z=3\n").out)
    assert [("a", "1.0", ""), ("b", "", "3.0")] == [(row["label"], row["d/dx"], row["d/dy"]) for row in rows]


def test_csv_writes_numbers_that_are_no_numbers_by_name() -> None:
    rows = sheet(run("eval", "-exp(x); x*z @ x=1000, z=nan", "--format", "csv", "--no-trace").out)
    assert ["-Infinity", "NaN"] == [row["value"] for row in rows]


@pytest.mark.parametrize("flags", [(), ("--no-trace",)])
def test_no_cell_of_csv_is_taken_for_a_formula(flags: tuple[str, ...]) -> None:
    text = "-1 cmd: -x + y @ x=1, y=2\n\t-t: +x @ x=1\n −m: −x @ x=1\n-2: -x' @ x'=1\n"
    rows = list(csv.reader(io.StringIO(run("eval", "--format", "csv", *flags, stdin=text).out)))
    cells = [cell for row in rows for cell in row]
    suspects = [cell for cell in cells if cell[:1] in ("=", "+", "-", "@", "\t", "\r")]
    assert [] == [cell for cell in suspects if not re.fullmatch(r"-[0-9.e+-]+|-Infinity", cell)]
    assert any(cell.startswith("'-1 cmd") for cell in cells)


def test_commas_and_quotes_in_labels_stay_in_their_cell() -> None:
    rows = sheet(run("eval", 'a, "b", c: x @ x=1', "--format", "csv", "--no-trace").out)
    assert [('a, "b", c', "1.0")] == [(row["label"], row["value"]) for row in rows]


# --- tables -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("style", ["wide", "paper", "baydin"])
def test_off_a_terminal_tables_are_plain_and_whole(style: str) -> None:
    argv = ("eval", PAPER, *POINT, "--style", style)
    table = run(*argv).out
    assert run(*argv, "--format", "plain").out == table
    assert run(*argv, "--format", "table", "--width", "40").out == table
    assert ESCAPE not in table
    assert not re.search("[\u2500-\u257f…]", table)
    assert "11.652" in table
    assert "1.716" in table
    assert table.endswith("\n")
    assert not re.search(r"[ \t]\n", table)


def test_off_a_terminal_a_wide_table_is_not_cropped() -> None:
    names = [f"x{k}" for k in range(1, 61)]
    table = run("eval", "+".join(names), "--at", ",".join(f"{name}=1" for name in names), "--all").out
    header = next(line for line in table.splitlines() if "∂v/∂" in line)
    assert [f"∂v/∂{name}" for name in names] == re.findall(r"∂v/∂x\d+", header)
    assert len(header) > 400


def test_without_a_trace_the_outputs_stand_alone() -> None:
    lines = run("eval", PAPER, *POINT, "--no-trace").out.splitlines()
    assert [["y", "=", "11.652"], ["∂y/∂x1", "=", "5.5"], ["∂y/∂x2", "=", "1.716"]] == [line.split() for line in lines]
    assert [["y", "=", "9"]] == [
        line.split() for line in run("eval", "x^2 @ x=3", "--no-trace", "--mode", "value").out.splitlines()
    ]


def test_places_and_digits_rule_the_tables() -> None:
    assert "y = 0.33333\n" in re.sub(" +", " ", run("eval", "1/3", "--places", "5", "--no-trace").out)
    assert "y = 0.33\n" in re.sub(" +", " ", run("eval", "1/3", "--digits", "2", "--no-trace").out)


def test_ascii_output_is_ascii() -> None:
    for flags in ((), ("--style", "paper"), ("--style", "baydin"), ("--no-trace",), ("--show", "nodes")):
        result = run("eval", "log(x1)*abs(π*x1-x2)", *POINT, "--ascii", *flags)
        assert 0 == result.code
        assert result.out.isascii()
        assert result.err.isascii()
    paper = run("eval", PAPER, *POINT, "--ascii", "--style", "paper").out
    assert "dv1" in paper
    assert "v1bar" in paper
    error = run("eval", "1 − log(−x)", "--at", "x=1", "--ascii")
    assert 3 == error.code
    assert error.err.isascii()


@pytest.mark.parametrize("columns", [40, 80, 140])
@pytest.mark.parametrize("style", ["wide", "paper", "baydin"])
def test_a_table_on_a_terminal_wraps_and_never_loses_a_character(columns: int, style: str) -> None:
    argv = ("eval", "a = log(x1) + x1*x2; sqrt(a) - sin(x2)/7", *POINT, "--style", style, "--quiet")
    shown = terminal(*argv, columns=columns, NO_COLOR="1")
    assert shown.code == 0
    assert Counter() == inked(run(*argv).out) - inked(shown.out)
    assert max(width(line) for line in shown.out.splitlines()) <= columns


@pytest.mark.parametrize("columns", [20, 40, 80])
def test_a_table_with_more_columns_than_the_terminal_has_never_loses_a_character(columns: int) -> None:
    names = [f"x{k}" for k in range(1, 16)]
    argv = ("eval", "*".join(names), "--at", ",".join(f"{name}=2" for name in names), "--quiet", "--all")
    shown = terminal(*argv, columns=columns, NO_COLOR="1")
    assert shown.code == 0
    assert Counter() == inked(run(*argv).out) - inked(shown.out)


def inked(text: str) -> Counter[str]:
    """How often each character stands in a text, blanks and lines of tables aside."""
    return Counter(re.sub("[\\s\u2500-\u257f]|-{2,}", "", text))


def test_a_given_width_goes_before_that_of_the_terminal() -> None:
    argv = ("eval", PAPER, *POINT, "--quiet", "--color", "never")
    shown = terminal(*argv, "--width", "50", columns=200)
    assert max(width(line) for line in shown.out.splitlines()) <= 50
    assert Counter() == inked(run(*argv).out) - inked(shown.out)


@pytest.mark.parametrize("told", ["", "0", "-3", "many", "50", " 61 "])
def test_the_width_of_a_terminal_is_what_python_takes_it_for(told: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", told)
    assert shutil.get_terminal_size((80, 24)).columns == Stream().width()


@pytest.mark.parametrize("columns", [20, 30, 40, 60, 80])
@pytest.mark.parametrize("long", [5, 15, 30, 90])
def test_a_terminal_table_with_long_headers_loses_nothing(columns: int, long: int) -> None:
    header = ("node", "k" * long, "partial_derivative (x1)")
    text = draw(Table([("x1", "1", "2" * 30), ("v1", "3", "")], header), columns, False)
    assert columns >= max(width(line) for line in text.splitlines())
    assert (long, 30) == (text.count("k"), text.count("2"))


def test_on_a_terminal_the_members_of_a_node_keep_their_names_whole() -> None:
    members = ("node", "value", "parent_nodes", "child_nodes", "operator", "grad_wrt_parents", "partial_derivative")
    shown = draw(Table([("x1",) * 7], members), 80, False)
    assert [] == [name for name in members if name not in shown]


def test_in_ascii_greek_letters_are_spelled_and_carets_stand_below_them() -> None:
    assert "x != 1" in run("eval", "if(x != 1, x, 2)", "--at", "x=3", "--ascii").out
    result = run("eval", "θ*log(φ)", "--at", "θ=1,φ=-1", "--ascii")
    assert "1 | theta*log(phi)\n  |           ^^^ this is -1\n" in result.err
    assert "dy/dtheta  = 2\n" in run("eval", "θ*φ", "--at", "θ=1,φ=2", "--ascii", "--no-trace").out


def test_an_ascii_table_on_a_terminal_is_ascii() -> None:
    shown = terminal("eval", PAPER, *POINT, "--ascii", "--color", "never", columns=100)
    assert shown.code == 0
    assert shown.out.isascii()
    assert "11.652" in shown.out


@pytest.mark.slow
def test_colour_is_for_terminals_and_can_be_refused() -> None:
    argv = ("eval", PAPER, *POINT)
    assert ESCAPE in terminal(*argv).out
    plain = [
        terminal(*argv, NO_COLOR="1").out, terminal(*argv, TERM="dumb").out, terminal(*argv, "--color", "never").out,
    ]  # fmt: skip
    assert not [text for text in plain if ESCAPE in text]
    assert ESCAPE in terminal(*argv, "--color", "always", NO_COLOR="1").out
    coloured = re.sub("\x1b\\[[0-9;]*m", "", terminal(*argv).out)
    assert inked(plain[0]) == inked(coloured)


def test_colour_never_reaches_a_pipe_unless_demanded() -> None:
    argv = ("eval", "log(x)", "--at", "x=-1")
    assert ESCAPE not in "".join(process(*argv)[1:])
    demanded = process(*argv, "--color", "always")
    assert ESCAPE in demanded.err
    assert process(*argv).err == re.sub("\x1b\\[[0-9;]*m", "", demanded.err)
    assert ESCAPE not in process(*argv, "--color", "never").err


@pytest.mark.parametrize("form", ["json", "ndjson", "csv"])
def test_data_on_a_terminal_is_the_same_as_in_a_pipe(form: str) -> None:
    argv = ("eval", PAPER, *POINT, "--format", form, "--quiet")
    assert run(*argv).out == terminal(*argv, columns=40).out


# --- files ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("suffix", "form"),
    [
        (".json", "json"),
        (".JSON", "json"),
        (".csv", "csv"),
        (".ndjson", "ndjson"),
        (".jsonl", "ndjson"),
        (".txt", "plain"),
    ],
)
def test_the_suffix_of_the_file_picks_the_format(suffix: str, form: str, tmp_path: Path) -> None:
    file = tmp_path / f"out{suffix}"
    assert (0, "") == run("eval", PAPER, *POINT, "-q", "-o", str(file))[:2]
    assert run("eval", PAPER, *POINT, "--format", form).out == file.read_bytes().decode("utf-8")


def test_a_format_that_is_given_goes_before_the_suffix(tmp_path: Path) -> None:
    file = tmp_path / "out.csv"
    run("eval", PAPER, *POINT, "--output", str(file), "--format", "json")
    assert data(PAPER, *POINT) == json.loads(file.read_text(encoding="utf-8"))
    run("eval", PAPER, *POINT, "-o", str(tmp_path / "out.unknown"), "--format", "plain")
    assert run("eval", PAPER, *POINT).out == (tmp_path / "out.unknown").read_text(encoding="utf-8")


def test_a_table_in_a_file_is_plain_even_on_a_terminal(tmp_path: Path) -> None:
    file = tmp_path / "out.txt"
    shown = terminal("eval", PAPER, *POINT, "-q", "-o", str(file))
    assert (0, "") == shown[:2]
    assert run("eval", PAPER, *POINT).out == file.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ["out.foo", "out", "out.", ".hidden.x.y", "folder.csv/out"])
def test_an_unknown_suffix_is_an_error_that_lists_those_that_are_known(name: str, tmp_path: Path) -> None:
    result = run("eval", "x @ x=1", "-o", str(tmp_path / name))
    assert (2, "") == result[:2]
    assert all(suffix in result.err for suffix in (".txt", ".csv", ".json", ".ndjson"))
    assert [] == list(tmp_path.iterdir())


def test_a_file_that_cannot_be_written_is_an_error_that_names_it(tmp_path: Path) -> None:
    for path in (tmp_path / "missing" / "out.csv", tmp_path):
        result = run("eval", "x @ x=1", "-o", str(path), "--format", "csv")
        assert (2, "") == result[:2]
        assert f"error: cannot write {path}" in result.err


def test_a_file_holds_the_whole_document_of_many_problems(tmp_path: Path) -> None:
    text = "x @ x=1\nlog(x) @ x=0\nx^2 @ x=2\n"
    for suffix, form in ((".json", "json"), (".csv", "csv"), (".ndjson", "ndjson"), (".txt", "plain")):
        file = tmp_path / f"out{suffix}"
        written = run("eval", "-o", str(file), stdin=text)
        assert (3, "") == written[:2]
        assert run("eval", "--format", form, stdin=text) == (3, file.read_text(encoding="utf-8"), written.err)


# --- processes --------------------------------------------------------------------------------------------------------


def closed_early(*argv: str, stdin: bytes) -> Run:
    """A run whose reader takes a hundred bytes and goes away."""
    with subprocess.Popen(
        [sys.executable, "-m", "adcli", *argv],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment(**UTF8),
    ) as child:  # fmt: skip
        assert child.stdin is not None
        assert child.stdout is not None
        assert child.stderr is not None
        child.stdin.write(stdin)
        child.stdin.close()
        begun = child.stdout.read(100)
        child.stdout.close()
        err = child.stderr.read()
        code = child.wait(LONGEST_RUN)
    return Run(code, begun.decode(errors="replace"), err.decode())


@pytest.mark.slow
@pytest.mark.parametrize("form", ["plain", "ndjson", "json", "csv"])
def test_a_closed_pipe_is_quiet(form: str) -> None:
    result = closed_early("eval", "--at", "x=2", "--format", form, stdin=b"x^2 + sin(x)*3\n" * 800)
    assert (0, "") == (result.code, result.err)
    assert result.out


@pytest.mark.parametrize("argv", [("eval", PAPER, *POINT, "-q"), ("functions",), ("--help",), ("eval", "--help")])
def test_a_pipe_that_is_closed_from_the_start_is_quiet(argv: tuple[str, ...]) -> None:
    ours, theirs = os.pipe()
    os.close(ours)
    done = subprocess.run(
        [sys.executable, "-m", "adcli", *argv],
        stdin=subprocess.DEVNULL, stdout=theirs, stderr=subprocess.PIPE, env=environment(**UTF8), check=False,
    )  # fmt: skip
    os.close(theirs)
    assert (0, b"") == (done.returncode, done.stderr)


@pytest.mark.parametrize(
    "changes",
    [{"LC_ALL": "C"}, {"LANG": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}, {"PYTHONIOENCODING": "ascii"}],
)
def test_a_stream_that_knows_only_ascii_gets_ascii_and_no_crash(changes: dict[str, str]) -> None:
    table = process("eval", PAPER, *POINT, "--style", "paper", **changes)
    assert 0 == table.code
    assert "11.652" in table.out
    assert "Traceback" not in table.err
    error = process("eval", "log(-pi*x)", "--at", "x=1", **changes)
    assert 3 == error.code
    assert "error: log needs a positive argument" in error.err


def test_json_on_a_stream_that_knows_only_ascii_is_still_the_same_data() -> None:
    argv = ("eval", "λ: α*β − α", "--at", "α=2,β=3", "--format", "json")
    shown = process(*argv, PYTHONIOENCODING="ascii")
    assert 0 == shown.code
    assert shown.out.isascii()
    assert json.loads(run(*argv).out) == json.loads(shown.out)


def test_python_dash_m_is_the_same_command() -> None:
    assert run("eval", PAPER, *POINT) == process("eval", PAPER, *POINT)
    assert run("--help").out == process("--help").out
    assert 2 == process("eval", "x +").code
    assert 3 == process("eval", "log(0)").code


# --- help and mistakes ------------------------------------------------------------------------------------------------


def test_help_of_the_program_starts_with_examples_and_names_every_command() -> None:
    shown = run("--help")
    assert (0, "") == (shown.code, shown.err)
    assert shown.out.index('adcli eval "') < shown.out.index("Options:")
    assert {"eval", "functions"} <= set(COMMANDS)
    for name in COMMANDS:
        assert re.search(rf"^  {name} +\S", shown.out, re.MULTILINE)
    assert "--version" in shown.out
    assert shown.out == run("-h").out
    assert shown.out == run().out


@pytest.mark.parametrize("name", COMMANDS)
def test_help_of_a_command_starts_with_examples_and_mentions_every_option(name: str) -> None:
    options = import_module(f"adcli.cli.commands.{name}").COMMAND.options
    shown = run(name, "--help-all")
    assert (0, "") == (shown.code, shown.err)
    assert name != "eval" or len(run(name, "--help").out.splitlines()) <= 45
    assert shown.out.index("Examples:") < shown.out.index("Options:")
    assert f"  adcli {name}" in shown.out
    assert len(options) > 3
    for option in options.values():
        assert option.help
        for spelling in option.names:
            assert re.search(rf"(?<![\w-]){re.escape(spelling)}(?![\w-])", shown.out)
    assert run(name, "--help").out == run(name, "-h").out
    assert [] == [line for line in shown.out.splitlines() if len(line) > 80 and not line.startswith("    adcli ")]


def test_every_choice_of_an_option_is_in_the_help() -> None:
    shown = run("eval", "--help-all").out
    for words in ("value|forward|reverse|both", "wide|paper|baydin", "level|call", "nodes|order|levels", "note|error"):
        assert words in shown


MODEL = """from math import prod


def loss(x1, x2):
    return x1 * x2 - x1 / x2


def power_loop(x, n):
    return prod([x] * n)


def energy(w, A):
    return w @ A @ w
"""


@pytest.mark.slow
def test_every_example_of_the_help_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import shlex

    monkeypatch.chdir(tmp_path)
    Path("problems.txt").write_text("a: x^2 @ x=3\nsin(x) @ x=1\n", encoding="utf-8")
    put_homework(tmp_path)
    with Path("answer.txt").open("a", encoding="utf-8") as answer:
        answer.write("dy/dx1 = 5.5\ndy/dx2 = 1.716\n")
    Path("model.py").write_text(MODEL, encoding="utf-8")
    Path("points.csv").write_text("id,x1,x2\n1,2,5\n2,0.5,1\n", encoding="utf-8")
    assert 0 == run("map", "p = x1*x2; p", "points.csv", "--carry", "x1,x2", "-o", "points.parquet").code
    text = run("--help").out + "".join(run(name, "--help").out for name in COMMANDS)
    examples = dict.fromkeys(line.strip() for line in text.splitlines() if re.match(r"    (cat \S+ \| )?adcli ", line))
    assert len(examples) >= 8
    for example in examples:
        piped, _, command = example.rpartition(" | ")
        stdin = Path(piped.split()[1]).read_bytes() if piped else b""
        result = run(*shlex.split(command)[1:], stdin=stdin)
        assert (example, 0) == (example, result.code)
        assert "error" not in result.err


def test_the_version_is_told() -> None:
    import adcli

    assert (0, f"adcli {adcli.__version__}\n", "") == run("--version")


@pytest.mark.parametrize(
    ("argv", "wanted"),
    [
        (("eval", "x", "--fromat", "json"), "--format"),
        (("eval", "x", "--mdoe", "reverse"), "--mode"),
        (("eval", "x", "--modee=reverse"), "--mode"),
        (("eval", "--kink", "error", "x"), "--kinks"),
        (("eval", "x", "--no-tracee"), "--no-trace"),
        (("eval", "x", "--stlye", "paper"), "--style"),
        (("functions", "--fromat", "json"), "--format"),
        (("eval", "x", "--mode", "revrse"), "reverse"),
        (("eval", "x", "--style", "papr"), "paper"),
        (("eval", "x", "--format", "jsn"), "json"),
        (("evl", "x"), "eval"),
        (("function",), "functions"),
    ],
)
def test_a_mistyped_word_gets_a_suggestion(argv: tuple[str, ...], wanted: str) -> None:
    result = run(*argv)
    assert (2, "") == result[:2]
    assert result.err.startswith("error: ")
    assert "Traceback" not in result.err
    assert re.search(rf"(?<![\w-]){re.escape(wanted)}(?!\w)", result.err)


@pytest.mark.parametrize(
    "argv",
    [
        ("eval", "x", "y"),
        ("eval", "x", "--at"),
        ("eval", "x", "--places", "many"),
        ("eval", "x", "--places", "-1"),
        ("eval", "x", "--digits", "0"),
        ("eval", "x", "--width", "3"),
        ("eval", "x", "--mode", ""),
        ("eval", "x", "--file"),
        ("eval", "x", "--no-trace=yes"),
        ("eval", "x", "--seed", "x"),
        ("nothing",),
        ("--nothing",),
        ("functions", "--at", "x=1"),
    ],
)
def test_a_wrong_command_line_is_an_error_of_the_request(argv: tuple[str, ...]) -> None:
    result = run(*argv)
    assert (2, "") == result[:2]
    assert result.err.startswith("error: ")
    assert "Usage:" not in result.err
    assert "Traceback" not in result.err


@pytest.mark.parametrize("text", ["", "  ", "\n", "# nothing", "\n# nothing\n\n"])
def test_an_input_without_a_problem_is_an_error(text: str, tmp_path: Path) -> None:
    file = tmp_path / "problems.txt"
    file.write_text(text, encoding="utf-8")
    piped = run("eval", stdin=text), run("eval", "-", stdin=text)
    for result in (*piped, run("eval", text), run("eval", "-f", str(file))):
        assert (2, "") == result[:2]
        assert result.err.startswith("error: ")


def test_debug_shows_where_an_error_comes_from() -> None:
    for argv in (("eval", "sinn(x)", "--at", "x", "--debug"), ("--debug", "sinn(x)", "--at", "x")):
        result = process(*argv)
        assert 0 != result.code
        assert "Traceback" in result.err
        assert "--at:1:1" in result.err


def test_an_interrupt_ends_quietly_with_its_own_code(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Stream, "configure", interrupted)
    result = run("eval", "x")
    assert (130, "") == result[:2]
    assert "" == result.err.strip()


def test_a_defect_of_ours_is_a_message_and_no_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError("in the engine room")

    monkeypatch.setattr(Stream, "configure", broken)
    result = run("eval", "x")
    assert (2, "") == result[:2]
    assert result.err.startswith("error: ")
    assert "in the engine room" in result.err
    assert "--debug" in result.err
    assert "Traceback" not in result.err


# --- large documents -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ascii_only", [False, True])
@pytest.mark.parametrize("indent", [2, None])
@pytest.mark.parametrize("text", ["α + 2*sin(ξ)", "3", "if(x > 0, x, -x)"])
def test_a_trace_is_written_in_pieces_with_the_bytes_of_the_whole(
    text: str, indent: int | None, ascii_only: bool
) -> None:
    e = adcli.parse(text)
    trace = e.trace(dict.fromkeys(e.inputs, 1.5))
    for rows in (True, False):
        pieces = in_blocks(json_pieces(in_parts(trace, rows), indent, ascii_only=ascii_only), size=50)
        assert json_text(as_dict(trace, rows), indent, ascii_only=ascii_only) == "".join(pieces)


@pytest.mark.parametrize("lines", [1, 2, 4])
def test_problems_are_one_record_or_a_list_of_them_errors_among_them(lines: int) -> None:
    problems = ["x @ x=1", "1/x @ x=0", "log(x) @ x=-1", "a: x^2 @ x=3"][:lines]
    result = run("eval", "--format", "json", stdin="\n".join(problems))
    found = json.loads(result.out)
    records = [found] if lines == 1 else found
    assert ["trace/1", "error/1", "error/1", "trace/1"][:lines] == [record["schema"] for record in records]
    assert json.dumps(found, indent=2, ensure_ascii=False) + "\n" == result.out


def test_writing_a_long_trace_takes_no_memory_that_grows_with_it() -> None:
    trace = adcli.parse("+".join(f"sin({k}*x)" for k in range(300))).trace({"x": 0.5})
    assert trace.steps[0]
    assert trace.rows[0]  # they are computed when they are needed first, and kept
    assert sum(1 for _ in in_blocks(json_pieces(in_parts(trace))))  # what is kept from the first time on is there
    gc.collect()
    tracemalloc.start()
    size = sum(map(len, in_blocks(json_pieces(in_parts(trace)))))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert 600_000 < size
    assert peak < 400_000
