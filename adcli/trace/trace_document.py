"""The trace document: a trace as plain data in the schema `trace/1`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ..documents import (
    ABSENT,
    ENTRIES,
    LABEL,
    NOTES,
    NUMBER,
    NUMBERS,
    REAL,
    STRING,
    WHOLE,
    Content,
    Record,
    const,
    either,
    one,
    plain_number,
    record,
)  # fmt: skip
from ..records import NamedTuple
from ..typings import TYPE_CHECKING, Final
from .analysis_results import Enclosure, Second
from .model import Numbers, Output, Row, Trace
from .sweeping import without_sign_of_zero

if TYPE_CHECKING:
    from .cost import Count


def as_dict(trace: Trace, rows: bool = True) -> dict[str, object]:
    """Return the trace in the schema `trace/1`; without `rows` the outputs alone."""
    return {name: [*part] if isinstance(part, Iterator) else part for name, part in in_parts(trace, rows).items()}


def in_parts(trace: Trace, rows: bool = True) -> dict[str, object]:
    """Return the trace in the schema `trace/1`, with nodes and steps as iterators.

    There may be more of them than memory should hold. Without `rows` they are missing.
    """
    data = TRACE.data(trace)
    if not rows:
        del data["nodes"], data["steps"]
    return data


# --- numbers that a double cannot hold --------------------------------------------------------------------------------

_Held = Mapping[str, float] | Sequence[float | None] | float | None  # doubles, and what another arithmetic has for them


def _long(numbers: Numbers | None, values: Mapping[str, _Held]) -> dict[str, object]:
    """Return the texts of numbers of another arithmetic, by its key and the suffix of each; what has none is absent."""
    if numbers is None or not numbers.key:
        return {}
    texts = {numbers.key + suffix: _texts(numbers, x) for suffix, x in values.items()}
    return {key: text for key, text in texts.items() if text or isinstance(text, list)}


def _texts(numbers: Numbers, x: _Held) -> object:
    """Return numbers as texts of their arithmetic (`numbers.text`), in the same shape.

    `x` is a number, nested sequences (returned as lists), or a mapping of numbers. A number without a text is left out
    of a mapping, and is None elsewhere.
    """
    if isinstance(x, Mapping):
        return {name: text for name, each in x.items() if (text := numbers.text(each)) is not None}
    if isinstance(x, Sequence):
        return [_texts(numbers, each) for each in x]
    return None if x is None else numbers.text(x)


def _long_point(trace: Trace) -> dict[str, object]:
    numbers = trace.numbers
    return {} if numbers is None or not numbers.key else {f"{numbers.key}_at": _texts(numbers, trace.at)}


# --- numbers of arrays, which are nested lists (`adcli.arrays.documents` writes them) ---------------------------------

_ARRAY: Final = record(
    name=STRING,
    shape=WHOLE.array,
    operator=STRING,
    parents=either(STRING, NUMBER).array,
    formula=STRING,
    value=either(NUMBER.or_null, NUMBER.or_null.array, NUMBER.or_null.array.array),  # null: in a branch not taken
    dot=ENTRIES.by_name.known(),
    bar=ENTRIES.by_name.known(),
    contributions=record(output=STRING, target=STRING, formula=STRING, value=ENTRIES).array.known(),
)

# --- outputs ----------------------------------------------------------------------------------------------------------


class _Result(NamedTuple):
    """An output with the trace that it belongs to, and its second derivatives."""

    trace: Trace
    output: Output
    second: Second[float]

    def part(self, data: Mapping[str, object] | None) -> object:
        """Return the entry for this output; None if it was not requested."""
        return None if data is None else data[self.output.name]


def _results(trace: Trace) -> list[_Result]:
    """Return each output with its second derivatives; without a request for these with an empty entry."""
    second = trace.second or [Second(output.name, None, None, {}) for output in trace.outputs]
    return [_Result(trace, output, more) for output, more in zip(trace.outputs, second, strict=True)]


def _bounds(enclosure: Enclosure) -> list[str] | None:
    """Return lower and upper end as decimal strings; None if there are none."""
    return None if enclosure.lower is None or enclosure.upper is None else [enclosure.lower, enclosure.upper]


_ENCLOSURE: Final = Content(STRING.array_of(2).or_null.schema, _bounds)
_SIDES: Final = Content(_ENCLOSURE.schema, _ENCLOSURE.or_null.write).array_of(2)

_CERTIFICATE: Final = record(
    value=_ENCLOSURE,
    gradient=_ENCLOSURE.by_name.known(),
    one_sided=_SIDES.by_name.known(lambda certificate: certificate.one_sided or None),
    hessian=_ENCLOSURE.by_name.by_name.known(),
)
_ROUNDING: Final = record(
    value=REAL.of(lambda bounds: bounds[""]),
    gradient=REAL.by_name.of(lambda bounds: {name: x for name, x in bounds.items() if name}),
)


def _long_output(result: _Result) -> dict[str, object]:
    output = result.output
    values = {"": output.value, "_gradient": output.gradient, "_jvp": output.directional}
    return _long(result.trace.numbers, values)


_OUTPUT: Final = Record(
    {
        "name": STRING.of("output.name"),
        "node": STRING.of("output.node"),
        "value": NUMBER.of("output.value"),
        "gradient": ENTRIES.by_name.known("output.gradient"),
        "certified": _CERTIFICATE.known(lambda result: result.part(result.trace.certified)),
        "verified": record(largest_ulps=REAL, routes=STRING.array).known(
            lambda result: result.part(result.trace.verified)
        ),
        "rounding": _ROUNDING.known(lambda result: result.part(result.trace.shares and result.trace.shares.bounds)),
        "jvp": NUMBER.known(lambda result: without_sign_of_zero(result.output.directional)),
        "hessian": NUMBERS.by_name.known("second.hessian"),
        "hvp": ENTRIES.by_name.known("second.product"),
    },
    more=_long_output,
)

# --- nodes and steps --------------------------------------------------------------------------------------------------


class _TraceRow(NamedTuple):
    """A row with the trace that it belongs to."""

    trace: Trace
    row: Row


def _line(node: _TraceRow) -> tuple[int, str] | tuple[None, None]:
    """Return number and text of the line of Python that the row comes from; twice None if it comes from no line."""
    return (node.trace.lines or {}).get(node.row.slot, (None, None))


def _partials(node: _TraceRow) -> tuple[float | None, ...] | None:
    return None if node.trace.mode == "value" else node.row.gradient


def _condition_number(node: _TraceRow) -> object:
    """Return the condition number of a row; absent unless error contributions were requested."""
    contributions = node.trace.shares
    return ABSENT if contributions is None else contributions.conditions[node.row.slot]


def _ulps(node: _TraceRow) -> dict[str, float] | None:
    """Return the contribution of a row to the error of each output, in ulps; None unless these were requested."""
    contributions = node.trace.shares
    return None if contributions is None else {name: ulps[node.row.slot] for name, ulps in contributions.ulps.items()}


def _moving_adjoints(node: _TraceRow) -> dict[str, dict[str, float]] | None:
    """Return {output: {direction: tangent of this row's adjoint}}; None if second derivatives were not requested.

    A direction is an input, or DIRECTION for a Hessian–vector product.
    """
    return {
        second.output: {key: along.bar_dots[node.row.slot] for key, along in second.sweeps.items()}
        for second in node.trace.second
    } or None


def _long_node(node: _TraceRow) -> dict[str, object]:
    row = node.row
    values = {"": row.value, "_dot": row.dot, "_bar": row.bar, "_grad_wrt_parents": _partials(node)}
    return _long(node.trace.numbers, values)


_PARENT: Final = either(STRING, NUMBER, write=lambda x: x if isinstance(x, str) else plain_number(x))
_NODE: Final = Record(
    {
        "name": STRING.of("row.name"),
        "alias": STRING.known("row.alias"),
        "level": WHOLE.of("row.level"),
        "operator": STRING.of("row.operator"),
        "parents": _PARENT.array.of("row.parents"),
        "formula": STRING.of("row.formula"),
        "substituted": STRING.of("row.substituted"),
        "value": NUMBER.or_null.of("row.value"),
        "line": WHOLE.known(lambda node: _line(node)[0]),
        "source": STRING.known(lambda node: _line(node)[1]),
        "grad_wrt_parents": NUMBER.or_null.array.known(_partials),
        "condition": REAL.present(_condition_number),
        "ulps": REAL.by_name.known(_ulps),
        "dot": NUMBERS.known(lambda node: node.row.dot or None),
        "bar": NUMBERS.known(lambda node: node.row.bar or None),
        "bar_dot": NUMBERS.by_name.known(_moving_adjoints),
    },
    more=_long_node,
)

_EQUATION: Final = {
    "target": STRING, "source": STRING.or_null, "symbolic": STRING, "substituted": STRING, "value": NUMBER
}  # fmt: skip
_FIRST: Final = ("target", "pass", "source")
_FORWARD: Final = Record({"pass": const("forward"), "wrt": STRING.of("key"), **_EQUATION}, _FIRST)
_REVERSE: Final = Record({"pass": const("reverse"), "output": STRING.of("key"), "chain": STRING, **_EQUATION}, _FIRST)
_STEP: Final = either(
    _FORWARD, _REVERSE, write=lambda step: (_FORWARD if step.sweep == "forward" else _REVERSE).data(step)
)

# --- documents --------------------------------------------------------------------------------------------------------


def _counts(count: Count) -> dict[str, int]:
    from .cost import KINDS

    return {kind.replace(" ", "_"): count[kind] for kind in KINDS} | {"total": count.total()}


_OPERATIONS: Final = Content(WHOLE.by_name.schema, _counts)
COST: Final = record(
    value=_OPERATIONS,
    forward=_OPERATIONS,
    reverse=_OPERATIONS,
    ratio=record(forward=REAL.or_null.of("forward_ratio"), reverse=REAL.or_null.of("reverse_ratio")).here(),
    adjoints=record(passed_on=WHOLE.of("passed"), accumulated=WHOLE).here(),
    one_by_one=either(REAL, STRING).of("one_by_one_or_many"),
)
TRACE: Final = Record(
    {
        "schema": const("trace/1"),
        "label": LABEL,
        "expression": STRING,
        "mode": one("value", "forward", "reverse", "both"),
        "numbering": one("level", "call"),
        "at": ENTRIES.by_name,
        "outputs": _OUTPUT.array.of(_results),
        "cost": COST.added(),
        "vjp": ENTRIES.by_name.known("products"),
        "arrays": _ARRAY.array.added(),
        "nodes": _NODE.stream.present(lambda trace: (_TraceRow(trace, row) for row in trace.rows)),
        "steps": _STEP.stream.present("steps"),
        "notes": NOTES,
    },
    more=_long_point,
)
