"""The sweeps that a request needs: tangents, adjoints, and the gradients taken from them. `dots` are tangents and
`bars` adjoints, by key (input, output, or SEED for a seed of the user) and slot.
"""

from __future__ import annotations

from collections.abc import Mapping

from ..errors import RequestError
from ..graph.graph import Graph
from ..graph.tape import Gradients, adjoints, tangents, tangents_by_input
from ..table.suggest import check_inputs
from ..typings import TYPE_CHECKING, TypeVar
from .trace_model import SEED, Request

if TYPE_CHECKING:
    from ..kinks.decision import Decision
    from ..table.arithmetic import Evaluating

T = TypeVar("T")


def without_sign_of_zero(x: T) -> T:
    """Return a double without the sign of a negative zero, which only distracts; a number of another arithmetic as it
    is.
    """
    return float(x) + 0.0 if isinstance(x, (float, int)) else x  # type: ignore[return-value]


class Sweeps:
    """The sweeps of a request, by key.

    dots  {input or `seed`: the tangent of each slot}
    bars  {output or `seed`: the adjoint of each slot}
    """

    def __init__(self, graph: Graph, gradients: Gradients, inputs: Mapping[str, int], request: Request) -> None:
        """Run the sweeps that the request needs; `gradients` has the partials by slot, `inputs` the slots by name.

        Sets `dots` and `bars`: tangents and adjoints of all slots by input, output or SEED. Sets `ahead` and `back`,
        the weights in the seed of inputs and of outputs, and `seeds`, both. With weights of inputs there is one forward
        sweep, SEED; without, one for each input of `wrt` (empty: all), but none if the request has no steps. With
        weights of outputs there is one reverse sweep, SEED; without, one for each output. Raises RequestError for a
        seed or `wrt` (in every mode) with an unknown name.
        """
        self.graph, self.gradients, self.inputs, self.request = graph, gradients, inputs, request
        self.dots: dict[str, list[float]] = {}
        self.bars: dict[str, list[float]] = {}
        results = dict(graph.outputs)
        ahead, back = _split_seed(request, inputs, results) if request.seed else ({}, {})
        self.ahead, self.back, self.seeds = ahead, back, {**ahead, **back}
        self._by_input: dict[str, list[float]] = {}
        names = list(request.wrt) or list(inputs)
        check_inputs(names, inputs, "--wrt {}")
        if request.mode in ("forward", "both"):
            self._forward(names)
        if request.mode in ("reverse", "both") and back:
            seed: dict[int, float] = {}
            for name, number in back.items():
                seed[results[name]] = seed.get(results[name], 0.0) + number
            self.bars[SEED] = adjoints(graph, gradients, seed)
        elif request.mode in ("reverse", "both"):
            self.bars = {name: adjoints(graph, gradients, {slot: 1.0}) for name, slot in graph.outputs}

    def _forward(self, names: list[str]) -> None:
        """Run the sweeps of forward mode: fill `dots` and, in mode "forward", `_by_input`.

        `dots` is {input or SEED: tangents by slot}. With weights of inputs (`ahead`) it has SEED alone. Without, it has
        the inputs in `names` if the request has steps, and is empty if not. `_by_input` is {input: slopes of all
        outputs in their order}, for every input, also with weights.
        """
        graph, gradients, inputs, request = self.graph, self.gradients, self.inputs, self.request
        if self.ahead:
            self.dots[SEED] = tangents(graph, gradients, {inputs[n]: number for n, number in self.ahead.items()})
        shown = names if request.steps and not self.ahead else []  # without the steps only the outputs count
        every = inputs if request.mode == "forward" else shown
        by_slot = tangents_by_input(graph, gradients, [inputs[name] for name in every]) if every else []
        for name in shown:
            self.dots[name] = [dots.get(inputs[name], 0.0) for dots in by_slot]
        for name, slot in inputs.items() if request.mode == "forward" else ():
            self._by_input[name] = [without_sign_of_zero(by_slot[s].get(slot, 0.0)) for _, s in graph.outputs]

    def gradient(self, output: str, slot: int) -> dict[str, float]:
        """Return the gradient of the output called `output`, in `slot`, by input (all of them), zeros without sign.

        In mode "forward" it comes from the forward sweeps, by the name (`slot` is not used; ValueError for an unknown
        name). In other modes it comes from the adjoints of the output, which are computed from `slot`, and not kept, if
        no sweep has them.
        """
        if self._by_input:
            place = [name for name, _ in self.graph.outputs].index(output)
            return {name: slopes[place] for name, slopes in self._by_input.items()}
        bars = self.bars.get(output) or adjoints(self.graph, self.gradients, {slot: 1.0})
        return {name: without_sign_of_zero(bars[s]) for name, s in self.inputs.items()}

    def correct(self, decision: Decision, m: Evaluating[float]) -> None:
        """Replace slopes at the ends of sweeps by those that a decision at kinks proves, in place in `dots` and `bars`.

        `m` is the arithmetic of the sweeps. Ends are adjoints of inputs and tangents of outputs; a seeded sweep ends in
        a weighted sum of slopes. A finite slope of an output on one smooth piece stays as it is. Intermediate rows
        never change.
        """
        graph = self.graph
        proven = {name: decision.slopes(name, m) for name, _ in graph.outputs}
        for name, slot in graph.outputs:
            for wrt, slope in decision.partials(name, m).items():
                for sweep, place in ((self.bars.get(name), self.inputs[wrt]), (self.dots.get(wrt), slot)):
                    if sweep is not None and decision.replaces(name, sweep[place], m):
                        sweep[place] = slope
            if self.ahead and proven[name] and decision.replaces(name, self.dots[SEED][slot], m):
                self.dots[SEED][slot] = _weighted_slopes(self.ahead, proven[name], m)
        if any(proven[name] for name in self.back):
            self._correct_seeded_adjoints(decision, m, proven)

    def _correct_seeded_adjoints(
        self, decision: Decision, m: Evaluating[float], proven: Mapping[str, Mapping[str, float]]
    ) -> None:
        """Replace the adjoints of inputs in the seeded reverse sweep (`bars[SEED]`) in place, by sums of slopes.

        A sum adds, for each output with a weight in `back`, the weight times its slope: the slope that the decision
        proves (`proven`, by output and input) or, without one, that of the sweeps. If all outputs with proven slopes
        are on a smooth piece (`on_piece`), finite adjoints stay as they are.
        """
        slots = dict(self.graph.outputs)
        slopes = {name: decision.gradient(name, self.gradient(name, slots[name]), m) for name in self.back}
        smooth = all(name in decision.on_piece for name in self.back if proven[name])
        for name, slot in self.inputs.items():
            if not (smooth and m.finite(self.bars[SEED][slot])):
                weights = {output: slopes[output][name] for output in self.back}
                self.bars[SEED][slot] = _weighted_slopes(self.back, weights, m)

    def products(self) -> dict[str, float] | None:
        """Return the products of seed and Jacobian, by input; None without a seed of outputs."""
        bars = self.bars.get(SEED)
        return None if bars is None else {name: without_sign_of_zero(bars[s]) for name, s in self.inputs.items()}


def _weighted_slopes(seed: Mapping[str, float], slopes: Mapping[str, float], m: Evaluating[float]) -> float:
    """Return Σ weight·slope; a weight of 0 contributes 0 even for an infinite slope."""
    return sum((number * slopes[name] for name, number in seed.items() if number), m.zero)


def _split_seed(
    request: Request, inputs: Mapping[str, int], outputs: Mapping[str, int]
) -> tuple[dict[str, float], dict[str, float]]:
    """Return (weights of inputs, for forward mode; weights of outputs, for reverse mode) of the seed, by name.

    A name of both an input and an output counts as input if the mode has forward sweeps. Raises RequestError for a name
    that the mode cannot use: every name in value mode.
    """
    ahead: dict[str, float] = {}
    back: dict[str, float] = {}
    for name, number in (request.seed or {}).items():
        if name in inputs and request.mode in ("forward", "both"):
            ahead[name] = number
        elif name in outputs and request.mode in ("reverse", "both"):
            back[name] = number
        else:
            names = {"forward": inputs, "reverse": outputs, "both": {**inputs, **outputs}}.get(request.mode)
            if names is None:
                raise RequestError("without derivatives there is no seed", help="add --mode forward or --mode reverse")
            what = {"forward": "not an input", "reverse": "not an output"}.get(request.mode, "neither input nor output")
            title = f"the seed names {name}, which is {what}"
            raise RequestError(title, help=f"with --mode {request.mode} a seed names {' or '.join(names)}")
    return ahead, back
