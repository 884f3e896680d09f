"""Traces as plain data: the schemas `trace/1` and `error/1` of the command line."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
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
    return {name: [*part] if isinstance(part, Iterator) else part for name, part in in_parts(trace, rows).items()}


def in_parts(trace: Trace, rows: bool = True) -> _Data:
    """As `as_dict`, but nodes and steps come one after the other: there may be more of them than one wants to keep."""
    data: _Data = {
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
        data["nodes"] = (_node(trace, k) for k in range(len(trace.rows)))
        data["steps"] = (_step(trace, k) for k in range(len(trace.steps)))
    data["notes"] = [{"node": note.node, "kind": note.kind, "text": note.text} for note in trace.notes]
    if trace.numbers is not None and trace.numbers.key:
        data[f"{trace.numbers.key}_at"] = _texts(trace.numbers, trace.at)
    return data


def _texts(numbers: Numbers, found: Mapping[str, float]) -> dict[str, str]:
    return {name: text for name, x in found.items() if (text := numbers.text(x)) is not None}


def _extended(data: _Data, trace: Trace, more: Mapping[str, Mapping[str, float] | float | None]) -> _Data:
    """The data with numbers that a double cannot hold; each has the name that goes after the key of the arithmetic."""
    numbers = trace.numbers
    if numbers is not None and numbers.key:
        for suffix, x in more.items():
            found = None if x is None else _texts(numbers, x) if isinstance(x, Mapping) else numbers.text(x)
            if found:
                data[numbers.key + suffix] = found
    return data


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
    more = {"": output.value, "_gradient": output.gradient, "_jvp": output.directional}
    return _extended(data, trace, more)


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
    data = _extended(data, trace, {"": row.value, "_dot": row.dot, "_bar": row.bar})
    if trace.numbers is not None and trace.numbers.key and "grad_wrt_parents" in data:
        texts = [None if g is None else trace.numbers.text(g) for g in row.gradient]
        data[f"{trace.numbers.key}_grad_wrt_parents"] = texts
    return data


def _step(trace: Trace, place: int) -> _Data:
    step = trace.steps[place]
    data: _Data = {"target": step.target, "pass": step.sweep, "source": step.source}
    data["wrt" if step.sweep == "forward" else "output"] = step.key
    if step.sweep == "reverse":
        data["chain"] = step.chain
    return data | {"symbolic": step.symbolic, "substituted": step.substituted, "value": plain_number(step.value)}
