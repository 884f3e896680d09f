"""The trace document: a trace as plain data in the schema `trace/1`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from .. import documents as doc
from ..records import NamedTuple
from ..typings import TYPE_CHECKING, Final
from .analysis_results import Enclosure, Second
from .sweeping import without_sign_of_zero
from .trace_model import Numbers, Output, Row, Trace

if TYPE_CHECKING:
    from .cost import Count


def as_dict(trace: Trace, rows: bool = True) -> dict[str, object]:
    """Return the trace in the schema `trace/1`; without `rows` the outputs alone."""
    return {name: [*part] if isinstance(part, Iterator) else part for name, part in in_parts(trace, rows).items()}


def in_parts(trace: Trace, rows: bool = True) -> dict[str, object]:
    """Return the trace in the schema `trace/1`, by key ("label", "at", "outputs", …), with "nodes" and "steps" as
    iterators, because there may be more of them than memory should hold.

    Without `rows` both are missing.
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


# --- numbers of arrays, which are nested lists (`adcli.arrays.array_documents` writes them) ---------------------------

_ARRAY: Final = doc.record(
    name=doc.STRING,
    shape=doc.WHOLE.array,
    operator=doc.STRING,
    parents=doc.either(doc.STRING, doc.NUMBER).array,
    formula=doc.STRING,
    value=doc.either(
        doc.NUMBER.or_null, doc.NUMBER.or_null.array, doc.NUMBER.or_null.array.array
    ),  # null: in a branch not taken
    dot=doc.ENTRIES.by_name.known(),
    bar=doc.ENTRIES.by_name.known(),
    contributions=doc.record(output=doc.STRING, target=doc.STRING, formula=doc.STRING, value=doc.ENTRIES).array.known(),
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


_ENCLOSURE: Final = doc.Content(doc.STRING.array_of(2).or_null.schema, _bounds)
_SIDES: Final = doc.Content(_ENCLOSURE.schema, _ENCLOSURE.or_null.write).array_of(2)

_CERTIFICATE: Final = doc.record(
    value=_ENCLOSURE,
    gradient=_ENCLOSURE.by_name.known(),
    one_sided=_SIDES.by_name.known(lambda certificate: certificate.one_sided or None),
    hessian=_ENCLOSURE.by_name.by_name.known(),
)
_ROUNDING: Final = doc.record(
    value=doc.REAL.of(lambda bounds: bounds[""]),
    gradient=doc.REAL.by_name.of(lambda bounds: {name: x for name, x in bounds.items() if name}),
)


def _long_output(result: _Result) -> dict[str, object]:
    output = result.output
    values = {"": output.value, "_gradient": output.gradient, "_jvp": output.directional}
    return _long(result.trace.numbers, values)


_OUTPUT: Final = doc.Record(
    {
        "name": doc.STRING.of("output.name"),
        "node": doc.STRING.of("output.node"),
        "value": doc.NUMBER.of("output.value"),
        "gradient": doc.ENTRIES.by_name.known("output.gradient"),
        "certified": _CERTIFICATE.known(lambda result: result.part(result.trace.certified)),
        "verified": doc.record(largest_ulps=doc.REAL, routes=doc.STRING.array).known(
            lambda result: result.part(result.trace.verified)
        ),
        "rounding": _ROUNDING.known(lambda result: result.part(result.trace.shares and result.trace.shares.bounds)),
        "jvp": doc.NUMBER.known(lambda result: without_sign_of_zero(result.output.directional)),
        "hessian": doc.NUMBERS.by_name.known("second.hessian"),
        "hvp": doc.ENTRIES.by_name.known("second.product"),
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
    return doc.ABSENT if contributions is None else contributions.conditions[node.row.slot]


def _ulps(node: _TraceRow) -> dict[str, float] | None:
    """Return the contribution of a row to the error of each output, in ulps; None unless these were requested."""
    contributions = node.trace.shares
    return None if contributions is None else {name: ulps[node.row.slot] for name, ulps in contributions.ulps.items()}


def _moving_adjoints(node: _TraceRow) -> dict[str, dict[str, float]] | None:
    """Return {output: {direction: tangent of this row's adjoint}}; None if second derivatives were not requested.

    A direction is an input, or DIRECTION for a Hessian–vector product.
    """
    slot, entries = node.row.slot, [(second.output, second.sweeps.items()) for second in node.trace.second]
    return {output: {key: along.bar_dots[slot] for key, along in sweeps} for output, sweeps in entries} or None


def _long_node(node: _TraceRow) -> dict[str, object]:
    row = node.row
    values = {"": row.value, "_dot": row.dot, "_bar": row.bar, "_grad_wrt_parents": _partials(node)}
    return _long(node.trace.numbers, values)


_PARENT: Final = doc.either(doc.STRING, doc.NUMBER, write=lambda x: x if isinstance(x, str) else doc.plain_number(x))
_NODE: Final = doc.Record(
    {
        "name": doc.STRING.of("row.name"),
        "alias": doc.STRING.known("row.alias"),
        "level": doc.WHOLE.of("row.level"),
        "operator": doc.STRING.of("row.operator"),
        "parents": _PARENT.array.of("row.parents"),
        "formula": doc.STRING.of("row.formula"),
        "substituted": doc.STRING.of("row.substituted"),
        "value": doc.NUMBER.or_null.of("row.value"),
        "line": doc.WHOLE.known(lambda node: _line(node)[0]),
        "source": doc.STRING.known(lambda node: _line(node)[1]),
        "grad_wrt_parents": doc.NUMBER.or_null.array.known(_partials),
        "condition": doc.REAL.present(_condition_number),
        "ulps": doc.REAL.by_name.known(_ulps),
        "dot": doc.NUMBERS.known(lambda node: node.row.dot or None),
        "bar": doc.NUMBERS.known(lambda node: node.row.bar or None),
        "bar_dot": doc.NUMBERS.by_name.known(_moving_adjoints),
    },
    more=_long_node,
)

_EQUATION: Final = {
    "target": doc.STRING, "source": doc.STRING.or_null, "symbolic": doc.STRING, "substituted": doc.STRING,
    "value": doc.NUMBER,
}  # fmt: skip
_FIRST: Final = ("target", "pass", "source")
_FORWARD: Final = doc.Record({"pass": doc.const("forward"), "wrt": doc.STRING.of("key"), **_EQUATION}, _FIRST)
_REVERSE: Final = doc.Record(
    {"pass": doc.const("reverse"), "output": doc.STRING.of("key"), "chain": doc.STRING, **_EQUATION}, _FIRST
)
_STEP: Final = doc.either(
    _FORWARD, _REVERSE, write=lambda step: (_FORWARD if step.sweep == "forward" else _REVERSE).data(step)
)

# --- documents --------------------------------------------------------------------------------------------------------


def _counts(count: Count) -> dict[str, int]:
    from .cost import KINDS

    return {kind.replace(" ", "_"): count[kind] for kind in KINDS} | {"total": count.total()}


_OPERATIONS: Final = doc.Content(doc.WHOLE.by_name.schema, _counts)
COST: Final = doc.record(
    value=_OPERATIONS,
    forward=_OPERATIONS,
    reverse=_OPERATIONS,
    ratio=doc.record(forward=doc.REAL.or_null.of("forward_ratio"), reverse=doc.REAL.or_null.of("reverse_ratio")).here(),
    adjoints=doc.record(passed_on=doc.WHOLE.of("passed"), accumulated=doc.WHOLE).here(),
    one_by_one=doc.either(doc.REAL, doc.STRING).of("one_by_one_or_many"),
)
TRACE: Final = doc.Record(
    {
        "schema": doc.const("trace/1"),
        "label": doc.LABEL,
        "expression": doc.STRING,
        "mode": doc.one("value", "forward", "reverse", "both"),
        "numbering": doc.one("level", "call"),
        "at": doc.ENTRIES.by_name,
        "outputs": _OUTPUT.array.of(_results),
        "cost": COST.added(),
        "vjp": doc.ENTRIES.by_name.known("products"),
        "arrays": _ARRAY.array.added(),
        "nodes": _NODE.stream.present(lambda trace: (_TraceRow(trace, row) for row in trace.rows)),
        "steps": _STEP.stream.present("steps"),
        "notes": doc.NOTES,
    },
    more=_long_point,
)
