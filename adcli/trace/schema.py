"""Traces as plain data: the schemas `trace/1` and `error/1` of the command line."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from .model import Numbers, Trace
from .sweeping import without_sign_of_zero


def plain_number(x: Any) -> Any:
    """A number for JSON, which has no NaN and no infinities: these become strings."""
    if x is None:
        return None
    if not isinstance(x, (float, int)):
        return {"re": _plain_double(x.real), "im": _plain_double(x.imag)} if hasattr(x, "_mpc_") else _plain_double(x)
    if math.isfinite(x):
        return x
    return "NaN" if math.isnan(x) else "Infinity" if x > 0 else "-Infinity"


def _plain_double(x: Any) -> float | str:
    """A number of another arithmetic as the double next to it; nothing is negative zero."""
    found: float | str = plain_number(float(x) + 0.0)
    return found


def _plain(numbers: Mapping[str, float]) -> dict[str, Any]:
    return {name: plain_number(number) for name, number in numbers.items()}


def as_dict(trace: Trace, rows: bool = True) -> dict[str, Any]:
    """The trace in the schema `trace/1`; without `rows` the outputs alone."""
    data: dict[str, Any] = {
        "schema": "trace/1",
        "label": trace.label,
        "expression": trace.expression,
        "mode": trace.mode,
        "numbering": trace.numbering,
        "at": _plain(trace.at),
        "outputs": [_output(trace, k) for k in range(len(trace.outputs))],
    }
    if trace.products is not None:
        data["vjp"] = _plain(trace.products)
    if rows:
        data["nodes"] = [_node(trace, k) for k in range(len(trace.rows))]
        data["steps"] = [_step(trace, k) for k in range(len(trace.steps))]
    data["notes"] = [{"node": note.node, "kind": note.kind, "text": note.text} for note in trace.notes]
    if trace.numbers is not None:
        _extend(data, trace, trace.numbers)
    return data


def _extend(data: dict[str, Any], trace: Trace, numbers: Numbers) -> None:
    """Adds to the data of a trace the numbers that a double cannot hold."""
    if not numbers.key:
        return

    def add(found: dict[str, Any], suffix: str, x: Any) -> None:
        if isinstance(x, dict):
            more: Any = {name: text for name, number in x.items() if (text := numbers.text(number)) is not None}
        else:
            more = None if x is None else numbers.text(x)
        if more:
            found[numbers.key + suffix] = more

    for found, output in zip(data["outputs"], trace.outputs, strict=True):
        add(found, "", output.value)
        add(found, "_gradient", output.gradient)
        add(found, "_jvp", output.directional)
    for found, row in zip(data.get("nodes", ()), trace.rows, strict=False):
        add(found, "", row.value)
        add(found, "_dot", row.dot)
        add(found, "_bar", row.bar)
        if "grad_wrt_parents" in found:
            texts = [None if g is None else numbers.text(g) for g in row.gradient]
            found[f"{numbers.key}_grad_wrt_parents"] = texts
    at = {name: text for name, x in trace.at.items() if (text := numbers.text(x)) is not None}
    data[f"{numbers.key}_at"] = at


def _output(trace: Trace, place: int) -> dict[str, Any]:
    output = trace.outputs[place]
    data: dict[str, Any] = {"name": output.name, "node": output.node, "value": plain_number(output.value)}
    if output.gradient is not None:
        data["gradient"] = _plain(output.gradient)
    if trace.certified is not None:
        data["certified"] = trace.certified[output.name].as_data()
    if trace.verified is not None:
        data["verified"] = trace.verified[output.name].as_data()
    if trace.shares is not None:
        bounds = trace.shares.bounds[output.name]
        slopes = _plain({name: x for name, x in bounds.items() if name})
        data["rounding"] = {"value": plain_number(bounds[""]), "gradient": slopes}
    if output.directional is not None:
        data["jvp"] = plain_number(without_sign_of_zero(output.directional))
    if trace.second:
        second = trace.second[place]
        if second.hessian is not None:
            data["hessian"] = {name: _plain(row) for name, row in second.hessian.items()}
        if second.product is not None:
            data["hvp"] = _plain(second.product)
    return data


def _node(trace: Trace, place: int) -> dict[str, Any]:
    row = trace.rows[place]
    data: dict[str, Any] = {"name": row.name}
    if row.alias is not None:
        data["alias"] = row.alias
    data |= {
        "level": row.level,
        "operator": row.operator,
        "parents": [p if isinstance(p, str) else plain_number(p) for p in row.parents],
        "formula": row.formula,
        "substituted": row.substituted,
        "value": plain_number(row.value),
    }
    if trace.lines is not None and row.slot in trace.lines:
        data["line"], data["source"] = trace.lines[row.slot]
    if trace.mode != "value":
        data["grad_wrt_parents"] = [plain_number(g) for g in row.gradient]
    if trace.shares is not None:
        data["condition"] = plain_number(trace.shares.conditions[row.slot])
        data["ulps"] = _plain({name: ulps[row.slot] for name, ulps in trace.shares.ulps.items()})
    if row.dot:
        data["dot"] = _plain(row.dot)
    if row.bar:
        data["bar"] = _plain(row.bar)
    if trace.second:
        data["bar_dot"] = {
            second.output: _plain({key: along.bar_dots[row.slot] for key, along in second.sweeps.items()})
            for second in trace.second
        }
    return data


def _step(trace: Trace, place: int) -> dict[str, Any]:
    step = trace.steps[place]
    data: dict[str, Any] = {"target": step.target, "pass": step.sweep, "source": step.source}
    data["wrt" if step.sweep == "forward" else "output"] = step.key
    if step.sweep == "reverse":
        data["chain"] = step.chain
    return data | {"symbolic": step.symbolic, "substituted": step.substituted, "value": plain_number(step.value)}
