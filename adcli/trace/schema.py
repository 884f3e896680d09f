"""Traces as plain data: the schemas `trace/1` and `error/1` of the command line."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import SupportsFloat

from .model import Numbers, Trace
from .sweeping import without_sign_of_zero

_Data = dict[str, object]


def plain_number(x: float | None) -> object:
    """A number for JSON, which has no NaN and no infinities: these become strings, and two parts a pair of names.

    Numbers of other arithmetics become the doubles next to them, none of which is a negative zero.
    """
    if x is None:
        return None
    if not isinstance(x, (float, int)):
        return {"re": _double(x.real), "im": _double(x.imag)} if hasattr(x, "_mpc_") else _double(x)
    if math.isfinite(x):
        return x
    return "NaN" if math.isnan(x) else "Infinity" if x > 0 else "-Infinity"


def _double(x: SupportsFloat) -> object:
    return plain_number(float(x) + 0.0)


def _plain(numbers: Mapping[str, float]) -> _Data:
    return {name: plain_number(number) for name, number in numbers.items()}


def as_dict(trace: Trace, rows: bool = True) -> _Data:
    """The trace in the schema `trace/1`; without `rows` the outputs alone."""
    data: _Data = {
        "schema": "trace/1",
        "label": trace.label,
        "expression": trace.expression,
        "mode": trace.mode,
        "numbering": trace.numbering,
        "at": _plain(trace.at),
        "outputs": (outputs := [_output(trace, k) for k in range(len(trace.outputs))]),
    }
    if trace.products is not None:
        data["vjp"] = _plain(trace.products)
    nodes = [_node(trace, k) for k in range(len(trace.rows))] if rows else []
    if rows:
        data["nodes"] = nodes
        data["steps"] = [_step(trace, k) for k in range(len(trace.steps))]
    data["notes"] = [{"node": note.node, "kind": note.kind, "text": note.text} for note in trace.notes]
    if trace.numbers is not None:
        _extend(data, outputs, nodes, trace, trace.numbers)
    return data


def _extend(data: _Data, outputs: Sequence[_Data], nodes: Sequence[_Data], trace: Trace, numbers: Numbers) -> None:
    """Adds to the data of a trace the numbers that a double cannot hold."""
    if not numbers.key:
        return

    def by_name(found: Mapping[str, float]) -> dict[str, str]:
        return {name: text for name, x in found.items() if (text := numbers.text(x)) is not None}

    def add(found: _Data, suffix: str, x: Mapping[str, float] | float | None) -> None:
        more = None if x is None else by_name(x) if isinstance(x, Mapping) else numbers.text(x)
        if more:
            found[numbers.key + suffix] = more

    for found, output in zip(outputs, trace.outputs, strict=True):
        add(found, "", output.value)
        add(found, "_gradient", output.gradient)
        add(found, "_jvp", output.directional)
    for found, row in zip(nodes, trace.rows, strict=False):
        add(found, "", row.value)
        add(found, "_dot", row.dot)
        add(found, "_bar", row.bar)
        if "grad_wrt_parents" in found:
            texts = [None if g is None else numbers.text(g) for g in row.gradient]
            found[f"{numbers.key}_grad_wrt_parents"] = texts
    data[f"{numbers.key}_at"] = by_name(trace.at)


def _output(trace: Trace, place: int) -> _Data:
    output = trace.outputs[place]
    data: _Data = {"name": output.name, "node": output.node, "value": plain_number(output.value)}
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


def _node(trace: Trace, place: int) -> _Data:
    row = trace.rows[place]
    data: _Data = {"name": row.name}
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


def _step(trace: Trace, place: int) -> _Data:
    step = trace.steps[place]
    data: _Data = {"target": step.target, "pass": step.sweep, "source": step.source}
    data["wrt" if step.sweep == "forward" else "output"] = step.key
    if step.sweep == "reverse":
        data["chain"] = step.chain
    return data | {"symbolic": step.symbolic, "substituted": step.substituted, "value": plain_number(step.value)}
