"""Evaluation traces: what every row is worth, how it was reached, and what there is to know about it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from ..calculus.algebra import FLOAT
from ..errors import NameProblem, RequestError, Span
from ..graph.node import Graph
from ..graph.order import arranged, heights, shared
from ..graph.tape import Gradients, adjoints, evaluate, linearize, tangents
from ..language.numbers import Digits
from ..language.program import Program, known_function
from ..language.suggest import product_of, similar
from .faults import Evaluation, Note, check_gradient, check_values, corner_note, corner_problem, corners
from .names import barred, node_names, partial
from .working import Working

MODES = ("value", "forward", "reverse", "both")
NUMBERINGS = ("level", "call")
SEED = "seed"


class Row(NamedTuple):
    """One row of a trace: an input or an operation.

    `label` is what people call it: the user's own name where there is one, else `name`.  `parents` are names, or numbers
    for literals; `gradient` has one entry for each parent, None where nothing is asked.  `dot` is by input, `bar` by
    output (or by the one key `seed`).
    """

    slot: int
    name: str
    label: str
    alias: str | None
    level: int
    operator: str
    parents: tuple[str | float, ...]
    formula: str
    substituted: str
    value: float | None
    truth: bool
    gradient: tuple[float | None, ...]
    dot: dict[str, float]
    bar: dict[str, float]


class Step(NamedTuple):
    """One step of a sweep: what is written on one line by hand.

    `key` is the input of a forward step and the output of a reverse one; `source` the row that hands an adjoint over.
    `chain` is the chain rule alone, `symbolic` with the rule put in, `substituted` with the numbers put in.
    """

    target: str
    label: str
    sweep: str
    key: str
    source: str | None
    chain: str
    symbolic: str
    substituted: str
    value: float


class Output(NamedTuple):
    """A result: its name, the row that it is, its value, and its gradient by input (None in value mode).

    `shown` is the name that people read: the same, save where an input is called so too.  `label` is what they call the
    row.  `directional` is the derivative along the seed, where there is one.
    """

    name: str
    shown: str
    node: str
    label: str
    value: float
    gradient: dict[str, float] | None
    directional: float | None


class Trace(NamedTuple):
    """A whole trace.  `products` is the seeded vector–Jacobian product by input, where reverse mode was seeded."""

    label: str | None
    expression: str
    mode: str
    numbering: str
    at: dict[str, float]
    outputs: list[Output]
    rows: list[Row]
    steps: list[Step]
    notes: list[Note]
    keys: tuple[tuple[str, ...], tuple[str, ...]]
    products: dict[str, float] | None
    graph: Graph
    values: Sequence[Any]
    gradients: Gradients
    names: Sequence[str]


class Request(NamedTuple):
    """What to trace: see the flags of `adcli eval`."""

    mode: str = "both"
    wrt: tuple[str, ...] = ()
    seed: Mapping[str, float] | None = None
    numbering: str = "level"
    cse: bool = False
    steps: bool = True
    kinks: str = "note"
    digits: Digits = Digits()  # noqa: B008 - immutable


def trace(program: Program, at: Mapping[str, float], request: Request, label: str | None = None) -> Trace:
    """The trace of a program at a point.

    Names of the point that the program lacks become inputs with a row of zeros.  Raises NameProblem for an input without
    a value, DomainProblem where there is no value (or, with kinks="error", no derivative).
    """
    graph = arranged(shared(program.graph) if request.cse else program.graph, request.numbering, extra=at)
    names = node_names(graph)
    inputs = {name: slot for slot, name in graph.inputs.items()}
    point = _point(program, graph, at)
    values = evaluate(graph, FLOAT, point)
    labels = _labels(graph, names)
    evaluation = Evaluation(graph, values, labels, program)
    notes = [Note(None, reading.kind, reading.text) for reading in program.readings]
    notes += [
        Note(name, "unused", f"{name} does not occur in the expression; its derivatives are 0")
        for name in at
        if name not in program.graph.inputs.values() and name not in program.graph.aliases.values()
    ]
    notes += check_values(evaluation)
    gradients: Gradients = []
    if request.mode != "value":
        gradients = linearize(graph, FLOAT, values)
        for corner in corners(evaluation, gradients):
            if request.kinks == "error":
                raise corner_problem(evaluation, corner)
            notes.append(corner_note(evaluation, corner))
    sweeps = _Sweeps(graph, gradients, inputs, request)
    outputs = []
    for name, slot in graph.outputs:
        gradient = sweeps.gradient(name, slot) if request.mode != "value" else None
        if gradient is not None:
            notes += check_gradient(_shown_name(name, inputs), gradient)
        along = sweeps.dots[SEED][slot] if SEED in sweeps.dots else None
        shown = _shown_name(name, inputs)
        outputs.append(Output(name, shown, _reference(graph, names, slot), labels[slot], float(values[slot]), gradient, along))
    rows: list[Row] = []
    steps: list[Step] = []
    if request.steps:
        working = Working(graph, labels, values, request.digits)
        rows = _rows(graph, names, labels, values, gradients, sweeps, working)
        steps = _steps(graph, names, labels, values, gradients, sweeps, working)
    return Trace(
        label, _program_text(program), request.mode, request.numbering,
        {name: float(values[inputs[name]]) for name in inputs}, outputs, rows, steps, notes,
        (tuple(sweeps.dots), tuple(sweeps.bars)), sweeps.products(), graph, values, gradients, names,
    )  # fmt: skip


def _program_text(program: Program) -> str:
    return " ".join(line.partition("#")[0].strip() for line in program.source.text.strip().splitlines()).strip()


def _point(program: Program, graph: Graph, at: Mapping[str, float]) -> dict[int, float]:
    """The values of the inputs by slot; every input needs one."""
    point = {}
    for slot, name in graph.inputs.items():
        if name not in at:
            raise _missing(program, name, graph.spans[slot], [n for n in graph.inputs.values() if n not in at], at)
        point[slot] = float(at[name])
    return point


def _missing(
    program: Program, name: str, span: tuple[int, int], missing: list[str], at: Mapping[str, float]
) -> NameProblem:
    here = Span(*span, program.source)
    factors = product_of(name, set(at))
    guess = similar(name, [*at, *(("pi", "tau") if len(name) > 1 else ())])
    label, advice = "no value is given for it", f"add {', '.join(f'{n}=…' for n in missing)} to --at"
    if known_function(name):
        label, advice = f"{name} is a function", f"write its argument: {name}(x)"
    elif factors:
        label, advice = "names run together are one name", f"write {'*'.join(factors)}"
    elif name in ("inf", "infinity", "nan"):
        label, advice = "not a number of the language", "infinite inputs are given by --at, as in --at x=inf"
    elif name in ("i", "j") and not at.keys() & {"i", "j"}:
        advice += "; complex numbers are not read here"
    elif guess:
        label, advice = f"did you mean {guess}?", f"write {guess}, or add {name}=… to --at"
    return NameProblem(f"{name} has no value", here, label, help=advice)


def _labels(graph: Graph, names: Sequence[str]) -> list[str]:
    """What people call each slot: the user's own name first."""
    return [graph.aliases.get(slot, name) if name else "" for slot, name in enumerate(names)]


def _reference(graph: Graph, names: Sequence[str], slot: int) -> str:
    """The row of an output, or the number itself for a constant expression."""
    return names[slot] or "constant"


def _shown_name(name: str, inputs: Mapping[str, int]) -> str:
    """An output's name, or f, g, … in its place where an input has that name."""
    candidates = (letter + name[1:] for letter in name[:1] + "fghFGH")
    return next((candidate for candidate in candidates if candidate not in inputs), name)


class _Sweeps:
    """The sweeps that a request asks for, by key: tangents by input, adjoints by output."""

    def __init__(self, graph: Graph, gradients: Gradients, inputs: Mapping[str, int], request: Request) -> None:
        self.graph, self.gradients, self.inputs, self.request = graph, gradients, inputs, request
        self.dots: dict[str, list[Any]] = {}
        self.bars: dict[str, list[Any]] = {}
        results = dict(graph.outputs)
        ahead, back = _split_seed(request, inputs, results)
        self.seeds = {**ahead, **back}
        if request.mode in ("forward", "both"):
            wanted = _wanted(request.wrt, inputs)
            if ahead:
                self.dots[SEED] = tangents(graph, gradients, {inputs[n]: number for n, number in ahead.items()})
            else:
                # without the steps only the outputs count, and `gradient` runs through the inputs one at a time
                for name in wanted if request.steps else ():
                    self.dots[name] = tangents(graph, gradients, {inputs[name]: 1.0})
        elif request.wrt:
            _wanted(request.wrt, inputs)
        if request.mode in ("reverse", "both"):
            if back:
                seed: dict[int, float] = {}
                for name, number in back.items():
                    seed[results[name]] = seed.get(results[name], 0.0) + number
                self.bars[SEED] = adjoints(graph, gradients, seed)
            else:
                for name, slot in graph.outputs:
                    self.bars[name] = adjoints(graph, gradients, {slot: 1.0})
        self._by_input: dict[str, list[float]] = {}
        if request.mode == "forward":
            for name, slot in inputs.items():
                dots = self.dots.get(name) or tangents(graph, gradients, {slot: 1.0})
                self._by_input[name] = [_slope(dots[s]) for _, s in graph.outputs]

    def gradient(self, output: str, slot: int) -> dict[str, float]:
        """The gradient of an output by input, from the mode that was asked for."""
        if self._by_input:
            place = [name for name, _ in self.graph.outputs].index(output)
            return {name: slopes[place] for name, slopes in self._by_input.items()}
        bars = self.bars.get(output) or adjoints(self.graph, self.gradients, {slot: 1.0})
        return {name: _slope(bars[s]) for name, s in self.inputs.items()}

    def products(self) -> dict[str, float] | None:
        bars = self.bars.get(SEED)
        return None if bars is None else {name: _slope(bars[s]) for name, s in self.inputs.items()}


def _wanted(wrt: Iterable[str], inputs: Mapping[str, int]) -> list[str]:
    names = list(wrt) or list(inputs)
    for name in names:
        if name not in inputs:
            guess = similar(name, inputs)
            raise RequestError(
                f"there is no input called {name}",
                label="",
                help=f"did you mean --wrt {guess}?" if guess else f"the inputs are {', '.join(inputs) or 'none'}",
            )
    return names


def _split_seed(
    request: Request, inputs: Mapping[str, int], outputs: Mapping[str, int]
) -> tuple[dict[str, float], dict[str, float]]:
    """A seed for inputs is a direction of forward mode, one for outputs the weights of reverse mode."""
    ahead: dict[str, float] = {}
    back: dict[str, float] = {}
    for name, number in (request.seed or {}).items():
        if name in inputs and request.mode in ("forward", "both"):
            ahead[name] = number
        elif name in outputs and request.mode in ("reverse", "both"):
            back[name] = number
        else:
            which = {"forward": list(inputs), "reverse": list(outputs)}.get(request.mode, [*inputs, *outputs])
            raise RequestError(
                f"the seed names {name}, which is no {'input' if request.mode == 'forward' else 'output'} here",
                help=f"in {request.mode} mode a seed is for {', '.join(which)}",
            )
    return ahead, back


def _number(x: Any) -> float | None:
    """A double without a negative zero, which only distracts; None stays None."""
    return None if x is None else float(x) + 0.0


def _slope(x: Any) -> float:
    return float(x) + 0.0


def _rows(
    graph: Graph,
    names: Sequence[str],
    labels: Sequence[str],
    values: Sequence[Any],
    gradients: Gradients,
    sweeps: _Sweeps,
    working: Working,
) -> list[Row]:
    height = heights(graph)
    rows = []
    for slot in [*graph.inputs, *graph.operations()]:
        row = graph.rows[slot]
        formula, substituted = working.formula(slot) if row is not None else (labels[slot], "")
        if row is None:
            substituted = working.shown(float(values[slot])).text
        rows.append(
            Row(
                slot, names[slot], labels[slot], graph.aliases.get(slot), height[slot], graph.operator(slot),
                tuple(names[p] or float(values[p]) for p in graph.parents[slot]),
                formula, substituted, _number(values[slot]), row is not None and row.truth,
                tuple(_number(g) for g in gradients[slot]) if gradients else (),
                {key: _slope(dots[slot]) for key, dots in sweeps.dots.items()},
                {key: _slope(bars[slot]) for key, bars in sweeps.bars.items()},
            )
        )  # fmt: skip
    return rows


def _steps(
    graph: Graph,
    names: Sequence[str],
    labels: Sequence[str],
    values: Sequence[Any],
    gradients: Gradients,
    sweeps: _Sweeps,
    working: Working,
) -> list[Step]:
    steps: list[Step] = []
    for key, bars in sweeps.bars.items():
        steps += _reverse_steps(graph, names, labels, gradients, sweeps, key, bars, working)
    for key, dots in sweeps.dots.items():
        steps += _forward_steps(graph, names, labels, gradients, sweeps, key, dots, working)
    return steps


def _forward_steps(
    graph: Graph,
    names: Sequence[str],
    labels: Sequence[str],
    gradients: Gradients,
    sweeps: _Sweeps,
    key: str,
    dots: Sequence[Any],
    working: Working,
) -> list[Step]:
    steps = []
    for slot, name in graph.inputs.items():
        symbolic = "seed" if key == SEED else partial(name, key)
        number = working.shown(dots[slot]).text
        steps.append(Step(name, labels[slot], "forward", key, None, symbolic, symbolic, number, _slope(dots[slot])))
    for slot in graph.operations():
        symbolic, numbers = working.tangent(slot, gradients[slot], dots)
        steps.append(
            Step(names[slot], labels[slot], "forward", key, None, symbolic, symbolic, numbers, _slope(dots[slot]))
        )
    return steps


def _reverse_steps(
    graph: Graph,
    names: Sequence[str],
    labels: Sequence[str],
    gradients: Gradients,
    sweeps: _Sweeps,
    key: str,
    bars: Sequence[Any],
    working: Working,
) -> list[Step]:
    """One step for each seed and each contribution, in the order in which they are computed (paper, section 2.2)."""
    steps: list[Step] = []
    so_far: dict[int, float] = {}

    def contribute(slot: int, source: int | None, chain: str, symbolic: str, numbers: str, amount: float) -> None:
        label = labels[slot]
        if slot in so_far:
            own = barred(label)
            before = working.shown(so_far[slot]).text
            chain, symbolic = f"{own} + {chain}", f"{own} + {symbolic}"
            numbers = f"{before} + {numbers}"
            so_far[slot] += amount
        else:
            so_far[slot] = amount
        origin = None if source is None else names[source]
        steps.append(Step(names[slot], label, "reverse", key, origin, chain, symbolic, numbers, _slope(so_far[slot])))

    for name, slot in graph.outputs:
        weight = sweeps.seeds.get(name) if key == SEED else 1.0 if name == key else None
        if weight is not None and names[slot]:
            shown = _shown_name(name, sweeps.inputs)
            symbol = barred(shown) if shown != labels[slot] else partial(shown, shown)
            contribute(slot, None, symbol, symbol, working.shown(weight).text, float(weight))
    for slot in range(len(graph) - 1, -1, -1):
        if slot not in so_far or not names[slot]:
            continue
        for position, parent in enumerate(graph.parents[slot]):
            slope = gradients[slot][position]
            if slope is None or not names[parent]:
                continue
            bar = so_far[slot]
            symbolic, numbers = working.contribution(slot, position, slope, bar)
            contribute(parent, slot, working.chain(slot, parent), symbolic, numbers, float(bar * slope))
    return steps
