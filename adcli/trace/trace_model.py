"""Data model of traces: a request, and the rows, steps, outputs and notes of a trace, as plain data."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property

from ..errors import RequestError, pickle_error
from ..notation.number_text import Digits
from ..records import NamedTuple
from ..typings import TYPE_CHECKING, Any, TypeVar, override

if TYPE_CHECKING:
    from ..graph.graph import Graph
    from ..graph.tape import Gradients
    from ..kinks.decision import Decision
    from ..language.program import Program
    from ..notation.display_formula import Formula
    from ..table.arithmetic import Evaluating
    from .analysis_results import Certificate, ErrorContributions, Second, Verification

Item = TypeVar("Item")

SEED = "seed"  # the key of a sweep along a direction, or from weights of the outputs
DIRECTION = "direction"  # the key of second derivatives along one
TRUSTED = 10  # a number with fewer right digits is worth a note


class Note(NamedTuple):
    """A note on a row, or on how the text was read.

    node   the row or input that it is about; None for one on the reading or on the whole
    kind   such as "kink", "overflow", "undefined"; notes are hidden by it
    topic  the subject of a note on the reading, by which that is hidden; "" for others
    """

    node: str | None
    kind: str
    text: str
    topic: str = ""


class Row(NamedTuple):
    """One row of a trace: an input or an operation.

    name      v1, v2, …, or the name of the input
    label     what people call it: `alias`, the user's own name, if there is one, else `name`
    level     its height: 0 for inputs
    operator  the name of the function
    parents   names of rows, or numbers for literals, by position
    formula   the operation with names; `substituted` has numbers
    value     None in a branch not taken; `truth` is True for a condition
    gradient  the partial with respect to each parent, None if it is not needed; () in value mode
    dot       {input: tangent}, bar {output: adjoint}; the one key `seed` in a seeded sweep
    """

    slot: int
    name: str
    label: str
    alias: str | None
    level: int
    operator: str
    parents: tuple[str | float, ...]
    formula: Formula
    substituted: Formula
    value: float | None
    truth: bool
    gradient: tuple[float | None, ...]
    dot: dict[str, float]
    bar: dict[str, float]


class Step(NamedTuple):
    """One step of a sweep, as written on one line by hand.

    target  the name of the row whose tangent or adjoint is computed, and its `label`
    sweep   "forward" or "reverse"
    key     the input of a forward sweep, the output of a reverse one, or `seed`
    source  the row from which a contribution comes; None for a seed and in forward sweeps
    chain   the chain rule alone; `symbolic` has the rule substituted, `substituted` the numbers
    value   the tangent, or the adjoint so far
    """

    target: str
    label: str
    sweep: str
    key: str
    source: str | None
    chain: Formula
    symbolic: Formula
    substituted: Formula
    value: float


class Output(NamedTuple):
    """A result of a program.

    name         its name; `shown` is the one that people read, another one if an input has that name too
    node         the name of its row, "constant" for a literal; `label` what people call the row
    gradient     {input: derivative}; None in value mode
    directional  the derivative along the seed of inputs; None without one
    """

    name: str
    shown: str
    node: str
    label: str
    value: float
    gradient: dict[str, float] | None
    directional: float | None


class Numbers:
    """Another arithmetic for a trace than doubles.

    m       the arithmetic
    digits  how its numbers are shown
    key     the key that JSON adds
    proves  whether every digit that is shown has to be proven right
    """

    key = ""
    proves = False

    def __init__(self, m: Evaluating[Any], digits: Digits) -> None:  # its numbers are where rows have doubles
        self.m = m
        self.digits = digits

    def text(self, x: float) -> str | None:
        """Return the text that JSON adds to the double of a number; None for nothing, as here."""
        return None

    def prepare_program(self, program: Program, at: Mapping[str, float]) -> Program:
        """Return the program as this arithmetic reads it, at the point `at`: here the program itself."""
        return program

    def notes(self, graph: Graph, values: Sequence[float], names: Sequence[str]) -> list[Note]:
        """Return notes on the numbers of a trace, by slot in `values` and `names`: here none."""
        return []


class Trace(NamedTuple):
    """A whole trace.

    at         the point by input name
    keys       (keys of the forward sweeps, keys of the reverse sweeps): names of inputs and outputs, or `seed`
    products   {input: vector–Jacobian product with the seed}; None if reverse mode was not seeded
    values     the value of each slot of `graph`
    gradients  the partials of each slot by position; empty in value mode
    names      the name of each slot
    numbers    the arithmetic; None for doubles
    certified  {output: certificate}; None if not requested
    verified   {output: verification}; None if not requested
    second     the second derivatives of each output; empty if not requested
    digits     how numbers are shown in texts
    lines      {slot: (number, text) of its line}, if the program is a Python function
    decision   the decision at kinks; None if none is reached
    shares     the contributions of rounding errors; None if not requested
    wrt        the inputs whose tangents were requested by name
    """

    label: str | None
    expression: str
    mode: str
    numbering: str
    at: dict[str, float]
    outputs: list[Output]
    rows: Sequence[Row]
    steps: Sequence[Step]
    notes: list[Note]
    keys: tuple[tuple[str, ...], tuple[str, ...]]
    products: dict[str, float] | None
    graph: Graph
    values: Sequence[float]
    gradients: Gradients
    names: Sequence[str]
    numbers: Numbers | None = None
    certified: Mapping[str, Certificate] | None = None
    verified: Mapping[str, Verification] | None = None
    second: Sequence[Second[float]] = ()
    digits: Digits = Digits()
    lines: Mapping[int, tuple[int, str]] | None = None
    decision: Decision | None = None
    shares: ErrorContributions | None = None
    wrt: tuple[str, ...] = ()

    def _stated_fields(self) -> tuple[object, ...]:
        """Return the fields that a trace states, for comparison.

        They are all fields before `graph`, then `certified`, `verified`, `second`, `lines` and `shares`; left out are
        `graph`, `values`, `gradients`, `names`, `numbers`, `digits`, `decision` and `wrt`.
        """
        analyses = (self.certified, self.verified, self.second, self.lines, self.shares)
        return (*self[: self._fields.index("graph")], *analyses)

    @override
    def __eq__(self, other: object) -> bool:
        """Return whether two traces state the same, with nan in the same places."""
        return isinstance(other, Trace) and repr(self._stated_fields()) == repr(other._stated_fields())

    @override
    def __ne__(self, other: object) -> bool:
        return not self == other

    @override
    def __hash__(self) -> int:
        return hash((self.label, self.expression, self.mode, self.numbering, repr(sorted(self.at.items()))))

    @override
    def __reduce__(self) -> tuple[Callable[..., Trace], tuple[object, ...]]:
        return _unpickle, (type(self), *self)

    def __copy__(self) -> Trace:
        return self


def _unpickle(kind: type[Trace], *parts: Any) -> Trace:
    """Return the trace of type `kind` with the field values `parts`, in order.

    Raises RequestError if `kind` is not Trace or a subclass, if the number of `parts` is wrong, or if their types or
    lengths do not fit (`_is_whole`).
    """
    if isinstance(kind, type) and issubclass(kind, Trace) and len(parts) == len(Trace._fields):
        trace = kind._make(parts)
        if _is_whole(trace):
            return trace
    raise pickle_error("a trace")


def _is_whole(trace: Trace) -> bool:
    """Return whether the parts of an unpickled trace have the right types and lengths; nothing is raised.

    Checked are: `values`, `names` and `gradients` have one entry for each slot (`gradients` may be empty, in value
    mode); texts are str; outputs, rows, steps and notes are of their types; rows have slots of the graph; `graph`
    is a Graph, `at` a dict, and a decision has the same graph object. Other fields are not checked.
    """
    from ..graph.graph import Graph  # a request alone does not load these
    from ..kinks.decision import Decision

    columns: list[object] = [trace.values, trace.names, trace.gradients]
    if not (_are([trace.graph], Graph) and _are([trace.at], dict) and _are(columns, (list, tuple))):
        return False
    decision: object = trace.decision
    if decision is not None and not (isinstance(decision, Decision) and decision.graph is trace.graph):
        return False
    count = len(trace.graph)
    if not len(trace.values) == len(trace.names) == len(trace.gradients or trace.values) == count:
        return False  # value mode has no partials
    texts = [trace.label or "", trace.expression, trace.mode, trace.numbering, *trace.names]
    listed: list[tuple[object, type]] = [
        (texts, str), (trace.outputs, Output), (list(trace.rows), Row), (list(trace.steps), Step), (trace.notes, Note),
    ]  # fmt: skip
    if not all(_are(parts, kind) for parts, kind in listed):
        return False
    return all(type(row.slot) is int and 0 <= row.slot < count for row in trace.rows)


def _are(parts: object, kind: type | tuple[type, ...]) -> bool:
    """Return whether `parts` is a list whose items are all instances of `kind`."""
    return isinstance(parts, list) and all(isinstance(x, kind) for x in parts)


class Deferred(Sequence[Item]):
    """The rows or steps of a trace, which `write` yields anew at each call; `count` is their number, if that is known.

    They are stored from the second complete iteration on, or when one of them is requested by its index: a long trace
    that is written once is never in memory as a whole.
    """

    def __init__(self, write: Callable[[], Iterable[Item]], count: int | None = None) -> None:
        self._write, self._count = write, count
        self._is_read = False

    @cached_property
    def _parts(self) -> list[Item]:
        return list(self._write())

    @override
    def __iter__(self) -> Iterator[Item]:
        yield from self._parts if self._is_read else self._write()
        self._is_read = True

    @override
    def __len__(self) -> int:
        return len(self._parts) if self._count is None else self._count

    @override
    def __getitem__(self, place: Any) -> Any:  # a part, or a list of them for a slice
        return self._parts[place]

    @override
    def __eq__(self, other: object) -> bool:
        return self._parts == (other._parts if isinstance(other, Deferred) else other)

    @override
    def __repr__(self) -> str:
        return repr(self._parts)

    @override
    def __reduce__(self) -> tuple[type[list[Item]], tuple[list[Item]]]:
        return list, (self._parts,)


class Request(NamedTuple):
    """The options of a trace: see the flags of `adcli eval`."""

    mode: str = "both"
    wrt: tuple[str, ...] = ()
    seed: Mapping[str, float] | None = None
    numbering: str = "level"
    cse: bool = False
    steps: bool = True
    kinks: str = "note"
    digits: Digits = Digits()
    numbers: Numbers | None = None
    certify: bool = False
    verify: bool = False
    hessian: bool = False
    hvp: Mapping[str, float] | None = None
    conditioning: bool = False
    seams: bool = False

    @property
    def reaches_seams(self) -> bool:
        """Return whether corners of slopes count at the point: for second derivatives, and if `seams` asks for it."""
        return self.seams or self.hessian or self.hvp is not None

    @property
    def needs_slopes(self) -> bool:
        """Return whether derivatives are computed, also if they only verify a value."""
        return self.mode != "value" or self.verify or self.reaches_seams


_Number = TypeVar("_Number")


def at_point(
    at: Mapping[str, _Number] | tuple[object, ...] | None, inputs: Mapping[str, _Number]
) -> Mapping[str, _Number]:
    """Return a point from the mapping `at`, the keywords `inputs` or both; keywords win.

    Without keywords `at` itself is returned. With keywords, and if `at` is None, a new dict is returned. Raises
    RequestError if `at` is not a mapping.
    """
    if type(at) is not dict and at is not None and not isinstance(at, Mapping):
        kinds = [type(each).__name__ for each in (at if isinstance(at, tuple) else [at])]
        label = f"this is of type {' and '.join(kinds)}"
        raise RequestError("the numbers of a point need names", label=label, help='write x=2, or {"x": 2}')
    return at if at is not None and not inputs else {**(at or {}), **inputs}
