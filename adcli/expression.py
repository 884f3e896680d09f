"""An expression in Python: parsed once, evaluated and differentiated at points, shown in notebooks."""

from __future__ import annotations

import warnings
from collections.abc import Collection, Mapping, Sequence, Set
from typing import TYPE_CHECKING

from .errors import AdcliError, RequestError, Source
from .graph.graph import CONSTANTS
from .graph.order import arranged
from .language.program import Program, read_program
from .trace.choices import MODES, NUMBERINGS
from .trace.evaluator import Evaluator
from .trace.model import Request, Trace

if TYPE_CHECKING:
    from .engine.kernel import Kernel
    from .notation.numbers import Digits
    from .render.notebook import ShownTrace
    from .render.shown import ShownDocument, ShownPicture


def parse(text: str, names: Collection[str] = ()) -> Expression:
    """The expression that a text stands for, in the language of the command line.

    `names` are variables that would otherwise be read as constants or functions (`e`, `gamma`).  A list of all the
    inputs says which they are, in this order, whether the text has them or not: `parse("0", ["x", "y"])`.
    Warns of a name that may have been meant as something else, as `mc` in `mc^2`.  Raises SyntaxProblem, NameProblem or
    ArityProblem, all of them AdcliError.
    """
    program = read_program(Source(text), names)
    for reading in program.readings:
        if reading.topic == "names":
            warnings.warn(reading.text, stacklevel=2)
    slots = {name: slot for slot, name in program.graph.inputs.items()}
    if not isinstance(names, Set) and slots.keys() <= set(names):
        graph = program.graph
        graph.inputs = {slots[name] if name in slots else graph.input(name): name for name in dict.fromkeys(names)}
    return Expression(program)


def _reads_alone(text: str, inputs: Sequence[str]) -> bool:
    """Whether a text has these inputs without being told of them, and nobody would wonder at their names."""
    try:
        program = read_program(Source(text))
    except AdcliError:
        return False
    doubtful = any(reading.topic == "names" for reading in program.readings)
    return not doubtful and list(arranged(program.graph).inputs.values()) == list(inputs)


class Expression:
    """A program of one or several outputs over named inputs."""

    __slots__ = ("_bare", "_function", "_program", "_wrt")

    def __init__(self, program: Program, function: Program | None = None, wrt: tuple[str, ...] = ()) -> None:
        """A program; a derivative also knows of which function it is one and by what."""
        self._program = program
        self._function = program if function is None else function
        self._wrt = wrt
        self._bare: Evaluator | None = None

    def __repr__(self) -> str:
        text, inputs = self.text, self.inputs
        return f"adcli.parse({text!r})" if _reads_alone(text, inputs) else f"adcli.parse({text!r}, {inputs!r})"

    def _repr_html_(self) -> str:
        """The program as a fragment of HTML."""
        from .render.notebook import formula

        return formula(self.text, self._program.graph)

    def _repr_latex_(self) -> str:
        """The program as displayed LaTeX."""
        return f"$\\displaystyle {self.latex}$"

    def _repr_mimebundle_(
        self, include: Collection[str] | None = None, exclude: Collection[str] | None = None
    ) -> dict[str, str]:
        """The program as plain text, HTML and LaTeX."""
        from .render.notebook import bundle

        return bundle(repr(self), self._repr_html_(), self._repr_latex_(), include, exclude)

    @property
    def inputs(self) -> list[str]:
        """The names of the inputs, in order of first appearance (x1 … x10 by number)."""
        return list(self._ready().inputs)

    @property
    def outputs(self) -> list[str]:
        """The names of the outputs, in order."""
        return [name for name, _ in self._program.graph.outputs]

    @property
    def text(self) -> str:
        """The program in the language's own spelling; parsing it with `inputs` for names gives the same graph."""
        from .notation.formula import program_text

        return program_text(self._program.graph)

    @property
    def latex(self) -> str:
        """The program in LaTeX."""
        from .notation.latex import expression_latex

        return expression_latex(self._program.graph)

    def _trace(self, at: Mapping[str, float], request: Request) -> Trace:
        from .trace.trace import trace

        program = self._program
        if any(name in CONSTANTS and name in program.constants_used for name in at):
            # a value for e makes it a variable, which changes what the text means
            program = read_program(program.source, {*at, *program.graph.inputs.values()})
        return trace(program, at, request)

    def _ready(self) -> Evaluator:
        """The graph ready for points, made when the first one comes."""
        if self._bare is None:
            self._bare = Evaluator(arranged(self._program.graph))
        return self._bare

    def value(self, at: Mapping[str, float] | None = None, **inputs: float) -> float:
        """The value at a point (of the first output, if there are several)."""
        at = at_point(at, inputs)
        found = self._ready().value(at)
        if found is not None:
            return found
        return self._trace(at, Request("value", steps=False)).outputs[0].value

    def gradient(self, at: Mapping[str, float] | None = None, **inputs: float) -> dict[str, float]:
        """The gradient at a point, by input (of the first output, if there are several)."""
        return self.value_and_gradient(at, **inputs)[1]

    def value_and_gradient(
        self, at: Mapping[str, float] | None = None, **inputs: float
    ) -> tuple[float, dict[str, float]]:
        """Value and gradient at a point, from one reverse sweep (of the first output, if there are several)."""
        at = at_point(at, inputs)
        found = self._ready().value_and_gradient(at)
        if found is not None:
            return found
        output = self._trace(at, Request("reverse", steps=False)).outputs[0]
        return output.value, output.gradient or {}

    def jacobian(self, at: Mapping[str, float] | None = None, **inputs: float) -> dict[str, dict[str, float]]:
        """The gradient of every output at a point, by output and input."""
        at = at_point(at, inputs)
        return self._ready().jacobian(at) or {
            output.name: output.gradient or {} for output in self._trace(at, Request("reverse", steps=False)).outputs
        }

    def hessian(self, at: Mapping[str, float] | None = None, **inputs: float) -> dict[str, dict[str, float]]:
        """The second derivatives at a point, by input and input (of the first output, if there are several).

        Computed forward over reverse; `derivative` gives them as formulas.
        """
        found = self._trace(at_point(at, inputs), Request("reverse", steps=False, hessian=True))
        return found.second[0].hessian or {}

    def kernel(self, engine: str = "auto", *, hessian: bool = False) -> Kernel:
        """Value and gradient at very many points, compiled once: `y, grads = k(x1=array, x2=array)`.

        `engine` is auto (the fastest that is installed), numpy or native; with `hessian` the columns of the kernel
        have second derivatives too.  Raises RequestError where an engine is not installed or cannot do it.
        """
        from .engine.kernel import Kernel

        return Kernel(self._program.graph, engine, hessian=hessian)

    def derivative(self, wrt: str | Sequence[str], order: int = 1) -> Expression:
        """The derivative as an expression, of every output: by one input so many times, or by several in turn.

        One of a derivative is that of the function by all of these: what a formula says at single points alone has no
        slope in it.  Raises RequestError for a name that is no input.
        """
        from .trace.derivatives import derived, in_turn

        names = in_turn(self.inputs, (wrt,) if isinstance(wrt, str) else tuple(wrt), order)
        wrt = (*self._wrt, *names)
        return Expression(derived(self._function, wrt), self._function, wrt)

    def trace(
        self,
        at: Mapping[str, float] | None = None,
        mode: str = "both",
        *,
        wrt: Collection[str] = (),
        seed: Mapping[str, float] | None = None,
        numbering: str = "level",
        cse: bool = False,
        digits: Digits | None = None,
        **inputs: float,
    ) -> ShownTrace:
        """The evaluation trace at a point: rows, steps, outputs and notes as plain data; notebooks show its table.

        It can be explained, drawn and written: `trace.explain()`, `trace.picture()`, `trace.to("latex")`.
        """
        from .render.notebook import ShownTrace

        if mode not in MODES:
            raise RequestError(f"there is no mode called {mode}", help=f"the modes are {', '.join(MODES)}")
        if numbering not in NUMBERINGS:
            raise RequestError(f"there is no numbering called {numbering}", help=f"use {' or '.join(NUMBERINGS)}")
        request = Request(mode, tuple(wrt), seed, numbering, cse)
        at = at_point(at, inputs)
        return ShownTrace._make(self._trace(at, request if digits is None else request._replace(digits=digits)))

    def explain(
        self,
        at: Mapping[str, float] | None = None,
        mode: str = "both",
        *,
        detail: str = "short",
        wrt: Collection[str] = (),
        **inputs: float,
    ) -> ShownDocument:
        """The sweeps in sentences, one step at a time, as `adcli explain` tells them; `detail` is short or full."""
        return self.trace(at_point(at, inputs), mode, wrt=wrt).explain(detail)

    def graph(
        self,
        at: Mapping[str, float] | None = None,
        mode: str = "value",
        *,
        wrt: Collection[str] = (),
        reachable: str | None = None,
        direction: str = "",
        fit: str = "",
        unfolded: bool = False,
        **inputs: float,
    ) -> ShownPicture:
        """The computational graph, as `adcli graph` draws it: with a point its values, without one formulas.

        With a `mode` also tangents or adjoints and partials; what a sweep from `reachable` visits is shaded.
        `direction` is right or down, `fit` a page (A4, 160x90mm); what repeats in a large graph is folded.
        """
        if at is not None or inputs or not self.inputs:
            trace = self.trace(at_point(at, inputs), mode, wrt=wrt)
            return trace.picture(reachable, direction=direction, fit=fit, unfolded=unfolded)
        from .render.graphs.diagram import of_program
        from .render.notebook import drawn

        return drawn(of_program(self._program, "level", False, mode != "value", reachable), direction, fit, unfolded)

    def plot(
        self,
        over: str | None = None,
        low: float = -5.0,
        high: float = 5.0,
        *,
        at: Mapping[str, float] | None = None,
        tangent: Sequence[float] = (),
    ) -> ShownPicture:
        """The function of one input (`over`, or the only one) and its derivative, as `adcli plot` draws them.

        `at` has the other inputs, `tangent` the places of tangents.  SVG and PNG need the extra `plot`.
        """
        from .render.notebook import plotted
        from .trace.curves import plot

        at = {} if at is None else at
        free = [name for name in self.inputs if name not in at] or self.inputs
        if over is None and len(free) != 1:
            raise RequestError("it is not said which input the axis is", help=f'add over="{(free or ["x"])[0]}"')
        return plotted(plot(self._program, over or free[0], (low, high), at, list(tangent)))

    def taylor(
        self,
        at: Mapping[str, float] | None = None,
        order: int = 8,
        *,
        along: Mapping[str, float] | None = None,
        **inputs: float,
    ) -> ShownDocument:
        """The Taylor series at a point, with several inputs `along` a direction, as `adcli taylor` writes it."""
        from .render.notebook import expanded
        from .trace.taylor import taylor

        return expanded(taylor(self._program, at_point(at, inputs), order, along=along))

    def check(
        self,
        answer: str,
        at: Mapping[str, float] | None = None,
        *,
        mode: str | None = None,
        wrt: Collection[str] = (),
        disclose: int = 3,
        **inputs: float,
    ) -> ShownDocument:
        """An answer worked out by hand, marked as `adcli check` does.

        `data["verdict"]` is right, wrong or not_gradable; `disclose` is what is shown: 0 the score, 1 right or wrong,
        2 the first error, 3 hints, 4 expected formulas, 5 the key.
        """
        from .marking.assessing import assess
        from .marking.disclosure import disclosed
        from .marking.model import Rules
        from .marking.task import task_of
        from .render.notebook import marked

        task = task_of(self.text, at=at_point(at, inputs), mode=mode, wrt=tuple(wrt))
        (found,) = assess(answer.encode(), "answer.txt", [task], Rules())
        return marked(disclosed(found, disclose))


def at_point(at: Mapping[str, float] | None, inputs: Mapping[str, float]) -> Mapping[str, float]:
    """A point that is given as a mapping, by keywords, or by both."""
    if not inputs:
        return {} if at is None else at
    return inputs if at is None else {**at, **inputs}
