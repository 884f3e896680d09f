"""Real expressions (Feynman lectures, optimization test sets, textbook drills, benchmarks) with reference gradients."""

from __future__ import annotations

import json
from typing import Any

import pytest
from running import process
from support import each, records

import adcli

EXPRESSIONS = records("expressions")


def close(record: dict[str, Any], reference: str, wrt: str | None = None) -> Any:
    """The reference to twelve digits, or to what rounding the literals and the point to doubles leaves of it.

    Contributions that cancel to exactly 0 are measured against the value by the input.
    """
    allowed = max(1e-12, record["literal_rounding_rel"])
    number = float(reference)
    if number == 0 and wrt is not None and float(record["point"][wrt]) != 0:
        return pytest.approx(0.0, rel=0, abs=allowed * abs(float(record["value"]) / float(record["point"][wrt])))
    return pytest.approx(number, rel=allowed, abs=0)


def point(record: dict[str, Any]) -> dict[str, float]:
    return {name: float(text) for name, text in record["point"].items()}


def line(record: dict[str, Any]) -> str:
    """The record as a line of a file of problems."""
    return f"{record['id']}: {record['expr']} @ {', '.join(f'{name}={x}' for name, x in record['point'].items())}\n"


@pytest.fixture(scope="module")
def answers() -> dict[str, dict[str, Any]]:
    """The answers to one file that holds all the problems, by label."""
    text = "".join(line(record) for record in EXPRESSIONS)
    done = process("eval", "--format", "ndjson", "-", stdin=text)
    assert done.code == 0, done.err
    found = [json.loads(answer) for answer in done.out.splitlines()]
    assert [record["id"] for record in EXPRESSIONS] == [answer.get("label") for answer in found]
    return {answer["label"]: answer for answer in found}


@pytest.mark.slow
@each(EXPRESSIONS)
def test_value_and_gradient_are_right_by_both_modes(record: dict[str, Any], answers: dict[str, dict[str, Any]]) -> None:
    answer = answers[record["id"]]
    assert answer["schema"] == "trace/1"
    (output,) = answer["outputs"]
    rows = {row["name"]: row for row in answer["nodes"]}
    assert close(record, record["value"]) == output["value"]
    assert set(record["gradient"]) == set(output["gradient"])
    for wrt, slope in record["gradient"].items():
        expected = close(record, slope, wrt)
        assert expected == output["gradient"][wrt], wrt
        assert expected == rows[wrt]["bar"]["y"], wrt
        assert expected == rows[output["node"]]["dot"][wrt], wrt


@each(EXPRESSIONS)
def test_python_and_the_command_line_give_the_same_numbers(
    record: dict[str, Any], answers: dict[str, dict[str, Any]]
) -> None:
    at = point(record)
    (output,) = answers[record["id"]]["outputs"]
    assert (output["value"], output["gradient"]) == adcli.parse(record["expr"], at).value_and_gradient(at)


@each(EXPRESSIONS)
def test_printed_text_is_read_back_as_the_same_expression(record: dict[str, Any]) -> None:
    at = point(record)
    expression = adcli.parse(record["expr"], at)
    again = adcli.parse(expression.text, at)
    assert expression.inputs == again.inputs
    assert expression.value_and_gradient(at) == again.value_and_gradient(at)
    assert expression.text == again.text
