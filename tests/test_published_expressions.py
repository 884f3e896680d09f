"""Published expressions (rule lists, integral tables, other programs' tests, regression models) mean what they say."""

from __future__ import annotations

from typing import Any

import pytest
from support import records
from together import together

import adcli
from adcli.errors import Source
from adcli.language.program import read_program

PUBLISHED = records("published")
EXPRESSIONS = records("expressions")
_PARTS = 20


def agrees(found: float, expected: float, scale: float) -> bool:
    """Whether a number is the published one, save for what cancellation takes; no other reading comes near."""
    return abs(found - expected) <= 1e-7 * abs(expected) or abs(found - expected) <= 1e-10 * max(scale, 1.0)


@pytest.mark.slow
@pytest.mark.parametrize("part", range(_PARTS))
def test_every_published_expression_has_its_value_and_gradient(part: int) -> None:
    wrong = []
    for record in PUBLISHED[part::_PARTS]:
        at = {name: float(text) for name, text in record["point"].items()}
        value, gradient = adcli.parse(record["expression"], at).value_and_gradient(at)
        expected = {name: float(slope) for name, slope in record["gradient"].items()}
        scale = max(map(abs, [*expected.values(), float(record["value"])]))
        if not agrees(value, float(record["value"]), scale):
            wrong.append((record["expression"], value, record["value"]))
        wrong += [
            (record["expression"], n, gradient[n], s) for n, s in expected.items() if not agrees(gradient[n], s, scale)
        ]
    assert [] == wrong


@together("record", [*PUBLISHED, *EXPRESSIONS][::_PARTS])
def test_without_a_point_a_published_expression_is_read_alike(record: dict[str, Any]) -> None:
    text = record.get("expression") or record["expr"]
    with_point, without = read_program(Source(text), record["point"]), read_program(Source(text))
    assert with_point.graph.parents == without.graph.parents
    assert with_point.graph.inputs == without.graph.inputs


def test_no_name_of_a_published_expression_is_an_error_without_a_point() -> None:
    for record in [*PUBLISHED, *EXPRESSIONS]:
        read_program(Source(record.get("expression") or record["expr"]))
