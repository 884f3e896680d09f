"""Worked evaluation traces from papers, books and lecture notes, written as programs of named steps."""

from __future__ import annotations

from typing import Any

import pytest
from support import each, evaluated, records

import adcli

TRACES = records("traces")
# a double near a rounded sum of a few terms: some twenty operations of half an ulp, far below what a wrong rule gives
CLOSE: dict[str, Any] = {"rel": 1e-12, "abs": 1e-15}
NUMBERINGS = pytest.mark.parametrize("numbering", ["level", "call"])


def program(record: dict[str, Any]) -> str:
    """`v1 = …; v2 = …; v2`."""
    return "; ".join([*(f"{name} = {text}" for name, text in record["program"]), *record["outputs"]])


def traced(record: dict[str, Any], *flags: str) -> dict[str, Any]:
    ran = evaluated(program(record), record["inputs"], "--mode", "both", *flags)
    assert ran.code == 0, ran.err
    return ran.data


def by_name(data: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """The rows under the names that their author gave them."""
    return {node.get("alias", node["name"]): node for node in data["nodes"]}


def floats(numbers: dict[str, str]) -> dict[str, float]:
    return {name: float(text) for name, text in numbers.items()}


def misprinted(record: dict[str, Any], where: str) -> set[str]:
    return {misprint["name"] for misprint in record["misprints"] if misprint["where"] == where}


def printed(text: str) -> Any:
    """A published number, right to half a unit of its last place; `pi/4` and the like right to rounding.

    All digits of a double are right only as far as the arithmetic that printed them was.
    """
    try:
        number = float(text)
    except ValueError:
        return pytest.approx(adcli.parse(text).value({}), **CLOSE)
    places = len(text.partition(".")[2])
    return pytest.approx(number, rel=1e-12, abs=0.5001 * 10.0**-places)


# --- every number, against references of thirty digits ---------------------------------------------------------------


@NUMBERINGS
@each(TRACES)
def test_every_step_has_its_value(record: dict[str, Any], numbering: str) -> None:
    rows = by_name(traced(record, "--numbering", numbering))
    expected = floats(record["computed"]["values"])
    assert expected == pytest.approx({name: rows[name]["value"] for name in expected}, **CLOSE)


@NUMBERINGS
@each(TRACES)
def test_every_step_has_its_tangents(record: dict[str, Any], numbering: str) -> None:
    rows = by_name(traced(record, "--numbering", numbering))
    assert set(record["inputs"]) == set(record["computed"]["dots"])
    for wrt, dots in record["computed"]["dots"].items():
        expected = floats(dots)
        assert expected == pytest.approx({name: rows[name]["dot"][wrt] for name in expected}, **CLOSE), wrt


@NUMBERINGS
@each(TRACES)
def test_every_step_has_its_adjoints(record: dict[str, Any], numbering: str) -> None:
    rows = by_name(traced(record, "--numbering", numbering))
    assert set(record["outputs"]) == set(record["computed"]["bars"])
    for output, bars in record["computed"]["bars"].items():
        expected = floats(bars)
        assert expected == pytest.approx({name: rows[name]["bar"][output] for name in expected}, **CLOSE), output


@each(TRACES)
def test_results_bear_the_names_and_gradients_of_the_source(record: dict[str, Any]) -> None:
    outputs = traced(record)["outputs"]
    assert record["outputs"] == [output["name"] for output in outputs]
    for output in outputs:
        bars = floats(record["computed"]["bars"][output["name"]])
        expected = {name: bars[name] for name in record["inputs"]}
        assert expected == pytest.approx(output["gradient"], **CLOSE)


@each([record for record in TRACES if record["expr"]])
def test_one_formula_and_its_steps_agree(record: dict[str, Any]) -> None:
    ran = evaluated(record["expr"], record["inputs"], "--no-trace")
    assert ran.code == 0, ran.err
    (output,) = ran.data["outputs"]
    (name,) = record["outputs"]
    bars = floats(record["computed"]["bars"][name])
    assert float(record["computed"]["values"][name]) == pytest.approx(output["value"], **CLOSE)
    assert {name: bars[name] for name in record["inputs"]} == pytest.approx(output["gradient"], **CLOSE)


def test_a_seed_gives_the_directional_derivative_of_every_step() -> None:
    (record,) = (record for record in TRACES if "directional" in record["computed"])
    (direction,) = record["computed"]["directional"]
    seed = ",".join(f"{name}={number}" for name, number in direction["seed"].items())
    data = traced(record, "--seed", seed)
    expected = floats(direction["dots"])
    rows = by_name(data)
    assert expected == pytest.approx({name: rows[name]["dot"]["seed"] for name in expected}, **CLOSE)
    assert expected["f"] == pytest.approx(data["outputs"][0]["jvp"], **CLOSE)


# --- the numbers as printed ------------------------------------------------------------------------------------------


@each([record for record in TRACES if "values" in record["published"]])
def test_published_values_are_met(record: dict[str, Any]) -> None:
    rows = by_name(traced(record))
    for name, text in record["published"]["values"].items():
        if name not in misprinted(record, "value"):
            assert rows[name]["value"] == printed(text), name


@each([record for record in TRACES if record["published"].get("dots")])
def test_published_tangents_are_met(record: dict[str, Any]) -> None:
    rows = by_name(traced(record))
    for wrt, dots in record["published"]["dots"].items():
        for name, text in dots.items():
            assert rows[name]["dot"][wrt] == printed(text), (wrt, name)


@each([record for record in TRACES if "bars" in record["published"]])
def test_published_adjoints_are_met(record: dict[str, Any]) -> None:
    rows = by_name(traced(record))
    for output, bars in record["published"]["bars"].items():
        for name, text in bars.items():
            if name not in misprinted(record, f"bar of {output}"):
                assert rows[name]["bar"][output] == printed(text), (output, name)


@each([record for record in TRACES if "derivs" in record["published"]])
def test_published_derivatives_are_met(record: dict[str, Any]) -> None:
    gradients = {output["name"]: output["gradient"] for output in traced(record)["outputs"]}
    for output, slopes in record["published"]["derivs"].items():
        for name, text in slopes.items():
            assert gradients[output][name] == printed(text), (output, name)


@each([record for record in TRACES if record["misprints"]])
def test_misprints_are_not_reproduced(record: dict[str, Any]) -> None:
    rows = by_name(traced(record))
    for misprint in record["misprints"]:
        row = rows[misprint["name"]]
        kind, _, output = misprint["where"].partition(" of ")
        found = row["value"] if kind == "value" else row["bar"][output]
        assert found != printed(misprint["published"]), misprint["name"]
