"""An expression in Python: parsed once, evaluated and differentiated at points, shown in notebooks."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence, Set
from types import MappingProxyType

from .errors import AdcliError, NameProblem, RequestError, Source, pickle_error, unknown
from .graph.graph import CONSTANTS, Graph
from .graph.order import arrange, meaning_key
from .language.program import Program, read_program, unpack
from .records import ValueObject
from .table.suggest import advice_on_name
from .trace.evaluator import Evaluator
from .trace.request_choices import NUMBERINGS, check_mode
from .trace.trace_model import Request, Trace, at_point
from .typings import TYPE_CHECKING, Any, TypeAlias, override

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from .engine.kernel import Kernel
    from .notation.number_text import Digits
    from .render.notebook import ShownDocument, ShownPicture, ShownTrace

    Point: TypeAlias = Mapping[str, float]  # values of inputs by name


def parse(text: str, names: Collection[str] = ()) -> Expression:
    """Return the expression of a text in the language of the command line.

    `names` are variables that would otherwise be read as constants or functions (`e`, `gamma`). If `names` is ordered
    (not a set) and contains all inputs of the text, the inputs of the expression are `names`, in this order, also those
    that the text lacks: `parse("0", ["x", "y"])`. Warns (UserWarning) of a name that may have been meant as something
    else, as `mc` in `mc^2`. Raises SyntaxProblem, NameProblem, ArityProblem or RequestError, all of them AdcliError.
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


def from_sympy(expression: object) -> Expression:
    """Return the expression of SymPy's, or of a list. Raises RequestError for what the language does not have."""
    from .adapters.sympy_expressions import language_text

    text, names = language_text(expression)
    return parse(text, names)


def _reads_alone(text: str, inputs: Sequence[str]) -> bool:
    """Return whether the text, parsed without names, has exactly these inputs in this order, and no ambiguous name.

    False too if the text cannot be parsed.
    """
    try:
        program = read_program(Source(text))
    except AdcliError:
        return False
    doubtful = any(reading.topic == "names" for reading in program.readings)
    return not doubtful and list(arrange(program.graph).inputs.values()) == list(inputs)


class Expression(ValueObject):
    """A program of one or several outputs over named inputs.

    Two are equal when they are the same operations on the same inputs with the same outputs, however they were written.
    """

    __slots__ = ("_bare", "_function", "_kernel", "_meaning", "_program", "_wrt")

    def __init__(self, program: Program, function: Program | None = None, wrt: tuple[str, ...] = ()) -> None:
        """Store `program`; for a derivative also the differentiated `function` (None: `program` itself) and the inputs
        `wrt`, in the order in which it was differentiated. Evaluators and kernels are made on demand.
        """
        self._program = program
        self._function = program if function is None else function
        self._wrt = wrt
        self._bare: Evaluator | None = None
        self._kernel: Kernel | None = None
        self._meaning: Hashable = None

    @override
    def _identity(self) -> Hashable:
        """Return the meaning of the program, for equality and hashing; computed once."""
        if self._meaning is None:
            self._meaning = meaning_key(self._program.graph)
        return self._meaning

    @override
    def __reduce__(self) -> tuple[Callable[..., Expression], tuple[object, ...]]:
        return _unpickle, (self._program.pack(), self._function.pack() if self._wrt else None, self._wrt)

    def __dask_tokenize__(self) -> str:
        """Return a text that is equal for equal expressions, so that dask reuses results."""
        return repr(self._identity())

    @override
    def __repr__(self) -> str:
        text, inputs = self.text, self.inputs
        return f"adcli.parse({text!r})" if _reads_alone(text, inputs) else f"adcli.parse({text!r}, {inputs!r})"

    @override
    def __str__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        """Return the program as a fragment of HTML."""
        from .render.notebook import formula

        return formula(self.text, self._program.graph)

    def _repr_latex_(self) -> str:
        """Return the program as displayed LaTeX."""
        return f"$\\displaystyle {self.latex}$"

    def _repr_mimebundle_(
        self, include: Collection[str] | None = None, exclude: Collection[str] | None = None
    ) -> dict[str, str]:
        """Return {MIME type: text} with the program as plain text, HTML and LaTeX, for IPython.

        Only types in `include` (None or empty: all) and not in `exclude` are returned.
        """
        from .render.notebook import mime_bundle

        return mime_bundle(repr(self), self._repr_html_(), self._repr_latex_(), include, exclude)

    @property
    def inputs(self) -> list[str]:
        """Return the names of the inputs in order of first appearance (x1 … x10 by number)."""
        return list(self._ready().inputs)

    @property
    def outputs(self) -> list[str]:
        """Return the names of the outputs, in order."""
        return [name for name, _ in self._program.graph.outputs]

    @property
    def text(self) -> str:
        """Return the program in the language's own spelling; parsed with `inputs` for names it gives the same graph."""
        from .notation.formula import program_text

        return program_text(self._program.graph)

    @property
    def latex(self) -> str:
        """Return the program in LaTeX."""
        return self.to_latex()

    def to_latex(self) -> str:
        """Return the program in LaTeX."""
        from .notation.latex_printer import expression_latex

        return expression_latex(self._program.graph)

    def _trace(self, at: Point, request: Request, allow: Callable[[Graph, Request], None] | None = None) -> Trace:
        """Return the trace at a point.

        If `at` has a value for a named constant that the program uses, such as `e`, this name becomes a variable, and
        the text is parsed again. `allow`, if not None, is called with graph and request and may raise to refuse them.
        Raises NameProblem for an input without a value, DomainProblem if there is no value, RequestError for a wrong
        request.
        """

        from .trace.trace_program import trace

        program = self._program
        if any(name in CONSTANTS and name in program.constants_used for name in at):
            # a value for e makes it a variable, which changes what the text means
            program = read_program(program.source, {*at, *program.graph.inputs.values()})
        return trace(program, at, request, allow=allow)

    def _make_display(
        self, at: Point, request: Request, allow: Callable[[Graph, Request], None] | None = None
    ) -> ShownTrace:
        """Return the trace at a point, which notebooks show as a table; arguments and errors are those of `_trace`."""
        from .render.notebook import ShownTrace

        return ShownTrace._make(self._trace(at, request, allow))

    def _ready(self) -> Evaluator:
        """Return the evaluator of the graph, which is made when it is first needed."""
        if self._bare is None:
            self._bare = Evaluator(self._program.graph)
        return self._bare

    def __call__(self, at: Mapping[str, ArrayLike] | None = None, /, *more: object, **inputs: ArrayLike) -> Any:
        """Return the value at a point as a float, or values at many points as an array (for inputs of arrays or lists).

        The point is the mapping `at`, `inputs` or both. If there are several outputs, return a tuple in the order of
        `outputs`. Raises NameProblem for a missing input (at many points also for a name that is not an input),
        RequestError for values without names (`more`, too). If a single point has no value, DomainProblem is raised;
        arrays have nan there. Arrays use a kernel, which is made once and kept.
        """
        point = at_point((at, *more) if more else at, inputs)
        if not all(isinstance(x, (float, int)) or getattr(x, "ndim", 1) == 0 for x in point.values()):
            if self._kernel is None:
                self._kernel = self.kernel()
            columns = self._kernel.columns(point)
            results: Sequence[object] = [columns[name] for name in self.outputs]
        else:
            results = self._numbers(point)
        return results[0] if len(results) == 1 else tuple(results)

    def _numbers(self, at: Point) -> list[float]:
        """Return the values of all outputs in order, at a point; errors are those of a trace."""
        values = self._ready().values(at)
        if values is None:
            return [output.value for output in self._trace(at, Request("value", steps=False)).outputs]
        return values

    def value(self, at: Point | None = None, **inputs: float) -> float:
        """Return the value of the first output at a point: a mapping `at`, keywords or both (keywords win).

        Names that are not inputs are ignored, but a named constant with a value, such as `e`, is a variable. Raises
        NameProblem for an input without a value, DomainProblem if the output has no value there, RequestError if `at`
        is not a mapping.
        """
        return self._numbers(at_point(at, inputs))[0]

    def gradient(self, at: Point | None = None, **inputs: float) -> dict[str, float]:
        """Return {input: partial derivative} of the first output at a point: a mapping `at`, keywords, or both."""
        return self.value_and_gradient(at, **inputs)[1]

    def value_and_gradient(self, at: Point | None = None, **inputs: float) -> tuple[float, dict[str, float]]:
        """Return (value, {input: partial derivative}) of the first output at a point, by one reverse sweep; all inputs
        are keys, in their order.

        The point is a mapping `at`, keywords, or both; a name in it that is not an input gets the derivative 0 (but
        constants with a value, such as `e`, are variables). Raises NameProblem for a missing input, DomainProblem if
        there is no value. Where a derivative does not exist it is the one that is set by convention.
        """
        if inputs or type(at) is not dict:
            at = at_point(at, inputs)
        result = (self._bare or self._ready()).value_and_gradient(at)
        if result is not None:
            return result
        output = self._trace(at, Request("reverse", steps=False)).outputs[0]
        return output.value, output.gradient or {}

    def values(self, at: Point | None = None, **inputs: float) -> dict[str, float]:
        """Return {output: value} at a point: a mapping `at`, keywords, or both."""
        return dict(zip(self.outputs, self._numbers(at_point(at, inputs)), strict=True))

    def values_and_jacobian(
        self, at: Point | None = None, **inputs: float
    ) -> tuple[dict[str, float], dict[str, dict[str, float]]]:
        """Return ({output: value}, {output: {input: partial derivative}}) at a point: a mapping `at`, keywords, or
        both; slopes at kinks are by convention. A name that is not an input gets derivatives of 0. Raises NameProblem
        for a missing input, DomainProblem if there is no value.
        """
        at = at_point(at, inputs)
        ready = self._ready()
        result = ready.values_and_rows(at)
        if result is None:
            outputs = self._trace(at, Request("reverse", steps=False)).outputs
            return {x.name: x.value for x in outputs}, {x.name: x.gradient or {} for x in outputs}
        values, rows = result
        slopes = [dict(zip(ready.inputs, row, strict=True)) for row in rows]
        return dict(zip(self.outputs, values, strict=True)), dict(zip(self.outputs, slopes, strict=True))

    def jacobian(self, at: Point | None = None, **inputs: float) -> dict[str, dict[str, float]]:
        """Return {output: {input: partial derivative}} at a point: a mapping `at`, keywords, or both."""
        return self.values_and_jacobian(at, **inputs)[1]

    def hessian(self, at: Point | None = None, **inputs: float) -> dict[str, dict[str, float]]:
        """Return {input: {input: second derivative}} of the first output at a point (a mapping `at`, keywords, or
        both); all inputs, both triangles.

        They are computed forward over reverse; `derivative` returns them as formulas. A RuntimeWarning names those that
        have lost digits. Names that are not inputs are further rows and columns of 0. Raises NameProblem for a missing
        input, DomainProblem without a value, RequestError if `at` is not a mapping.
        """
        from .trace.hessians import lost_digits

        trace = self._trace(at_point(at, inputs), Request("reverse", steps=False, hessian=True))
        for text in lost_digits(trace):
            warnings.warn(text, RuntimeWarning, stacklevel=2)
        return trace.second[0].hessian or {}

    def kernel(self, engine: str = "auto", *, hessian: bool = False, fast: bool = False) -> Kernel:
        """Return a function that is compiled once, for values and gradients of many points.

        It is called as `y, grads = k(x1=array, x2=array)`.

        `engine` is auto (the fastest that is installed), numpy or native; with `hessian` the columns of the kernel have
        second derivatives too.  `fast` lets `native` round products and sums together, which changes last digits
        (`adcli help points`).  Raises RequestError if the engine is not installed or cannot compute it.
        """
        from .engine.kernel import Kernel

        return Kernel(self._program.graph, engine, hessian=hessian, fast=fast)

    def ode(self, *state: str, time: str = "t", fixed: Point = MappingProxyType({})) -> Ode:
        """Return the outputs as derivatives of the inputs in `state` with respect to `time`, as solvers call them.

        Without `state` these are all inputs except the time and those for which `fixed` has numbers.  For SciPy:
        `field = e.ode(); solve_ivp(field, (0, 40), start, method="BDF", jac=field.jacobian)`.  Raises NameProblem for
        an unknown name and an input that is none of the three, RequestError unless each of the state has one output.
        """
        return Ode(self, state, time, fixed)

    def to_sympy(self) -> Any:
        """Return an expression of SymPy, or a list of them for several outputs; its symbols have no assumptions.

        Raises RequestError without SymPy (extra `sympy`), and for a function that SymPy lacks.
        """
        from .adapters.sympy_expressions import in_order, to_sympy

        return in_order(to_sympy(arrange(self._program.graph)))

    def to_torch(self, engine: str = "auto") -> Callable[..., Any]:
        """Return a function of PyTorch's tensors, by name or in the order of the inputs: `f.to_torch()(x1=x)`.

        It returns a tensor, or a tuple of them for several outputs, and can be differentiated once, by reverse mode.
        `engine` is auto, numpy or native. Raises RequestError if PyTorch is not installed (extra `torch`).
        """
        from .adapters.tensor_functions import to_torch

        return to_torch(self.kernel(engine))

    def to_jax(self, engine: str = "auto") -> Callable[..., Any]:
        """Return a function of JAX's arrays, for grad, jit and vmap: `jax.grad(f.to_jax())(2.0, 5.0)`.

        It takes the inputs in order or by name, returns an array, or a tuple of them for several outputs, and can be
        differentiated once. `engine` is auto, numpy or native. Raises RequestError if JAX is not installed (extra
        `jax`).
        """
        from .adapters.tensor_functions import to_jax

        return to_jax(self.kernel(engine))

    def derivative(self, wrt: str | Sequence[str], order: int = 1) -> Expression:
        """Return the derivative of every output as an expression of the same inputs; several outputs keep their names,
        except y, y1, y2, …, a single one is called y.

        `wrt` is one input, differentiated `order` times, or several, one after another. At a kink the formula has its
        conventional value (`sign(0)` is 0), without a warning; `gradient` computes a slope that exists. Raises
        RequestError for a name that is not an input, if several contradict `order`, and if formulas become too long.
        """
        from .trace.derivative_formulas import build_derivative_program, differentiation_order

        names = differentiation_order(self.inputs, _names(wrt), order)
        wrt = (*self._wrt, *names)
        return Expression(build_derivative_program(self._function, wrt), self._function, wrt)

    diff = derivative

    def compile(self, to: str, table: str | None = None, carry: Sequence[str] = ()) -> str:
        """Return value and gradient as source of another language, `to`: c, excel, javascript, numpy, polars or sql.

        `table` is the table that SQL reads (default: points), `carry` names columns of it that the result keeps. Raises
        RequestError for another language, for a table or columns with a language that reads none, or if the language
        lacks a function.
        """
        from .render.source_code import source_code
        from .render.targets import TARGETS, find_language

        if to not in TARGETS:
            raise unknown("language", to, f"use one of {', '.join(TARGETS)}")
        return source_code(self._program.graph, find_language(to).reading_table(table, carry), self.text)

    def propagate(
        self, at: str | Point, sigmas: Point = MappingProxyType({}), *,
        correlations: Mapping[tuple[str, str], float] = MappingProxyType({}),
        distributions: Mapping[str, str] = MappingProxyType({}), monte_carlo: int | None = None, seed: int = 0,
    ) -> ShownDocument:  # fmt: skip
        """Return values and uncertainties of the outputs, as `adcli propagate` shows them; `data` has the numbers.

        `at` is the text "x1=2±0.1, x2=5", or numbers (texts, "2±0.1") by name; `sigmas` are standard deviations by
        input, which replace those in texts. `correlations` are by pairs of inputs, `distributions` by input ("uniform",
        "t(9)"; normal without one), `monte_carlo` is the number of random points drawn from `seed` (None: none). Raises
        RequestError for a name that is not an input, for a negative uncertainty, for fewer than 2 random points and for
        distributions without any, and the errors of a trace.
        """
        if bool(distributions) if monte_carlo is None else monte_carlo < 2:
            raise RequestError("there are too few random points", help="write a number such as monte_carlo=100000")
        from .language.problems import read_point
        from .language.uncertain import read_uncertain_point
        from .render.notebook import propagated_document
        from .trace.uncertainties import Uncertainties
        from .trace.uncertainty_propagation import propagate_uncertainties

        if isinstance(at, str) or any(isinstance(x, str) for x in at.values()):
            text = at if isinstance(at, str) else ",".join(f"{name}={x}" for name, x in at.items())
            point = read_uncertain_point(Source(text))
            at, sigmas = read_point(point.exact), {**point.sigmas, **sigmas}
        known = Uncertainties(sigmas, correlations, distributions)
        return propagated_document(propagate_uncertainties(self._program, at, known, None, monte_carlo, seed))

    def trace(
        self, at: Point | None = None, mode: str = "both", *, wrt: Collection[str] = (),
        seed: Point | None = None, numbering: str = "level", cse: bool = False,
        digits: Digits | None = None, **inputs: float,
    ) -> ShownTrace:  # fmt: skip
        """Return the evaluation trace at a point: rows, steps, outputs and notes as data; notebooks show its table.

        `mode` is value, forward, reverse or both; `wrt` are the inputs of forward mode (default: all), `seed` is a
        direction of inputs or weights of outputs, `numbering` is level or call, `cse` merges equal subexpressions, and
        `digits` is the number format of the table. The point is a mapping `at`, keywords or both. Raises RequestError
        for another mode, numbering or name, NameProblem for an input without a value, DomainProblem if there is no
        value. The trace can be explained, drawn and written: `trace.explain()`, `trace.picture()`, `trace.to("latex")`.
        """
        request = _request(mode, wrt, seed, numbering, cse)
        return self._make_display(at_point(at, inputs), request if digits is None else request._replace(digits=digits))

    def explain(
        self, at: Point | None = None, mode: str = "both", *, detail: str = "short",
        wrt: Collection[str] = (), **inputs: float,
    ) -> ShownDocument:  # fmt: skip
        """Return the sweeps in sentences, one step at a time, as `adcli explain` writes them.

        `detail` is short or full, `mode` value, forward, reverse or both, `wrt` the inputs of forward mode (default:
        all). Raises NameProblem for an input without a value, DomainProblem without a value, RequestError for another
        detail, mode or name and for more than 2000 steps.
        """
        from .trace.explained_sweeps import check_step_count

        return self._make_display(at_point(at, inputs), _request(mode, wrt), check_step_count).explain(detail)

    def graph(
        self, at: Point | None = None, mode: str = "value", *, wrt: Collection[str] = (),
        reachable: str | None = None, direction: str = "", fit: str = "", unfolded: bool = False, **inputs: float,
    ) -> ShownPicture:  # fmt: skip
        """Return the computational graph as `adcli graph` draws it: with values at a point, or without inputs, else
        with formulas alone.

        With a `mode` other than value also tangents or adjoints and partials; what a sweep from the input or output
        `reachable` visits is shaded. `direction` is right or down, `fit` a page (A4, 160x90mm); repeated parts of a
        large graph are folded unless `unfolded`. Raises RequestError for more than 2,000 nodes or an unknown name, and
        at a point the errors of `trace`.
        """
        from .render.graphs.diagram import check_drawable, of_program
        from .render.notebook import show_graph

        if at is not None or inputs or not self.inputs:
            trace = self._make_display(at_point(at, inputs), _request(mode, wrt), check_drawable)
            return trace.picture(reachable, direction=direction, fit=fit, unfolded=unfolded)
        diagram = of_program(self._program, "level", False, mode != "value", reachable)
        return show_graph(diagram, direction, fit, unfolded)

    def plot(
        self, over: str | None = None, low: float = -5.0, high: float = 5.0, *,
        at: Point | None = None, tangent: Sequence[float] = (),
    ) -> ShownPicture:  # fmt: skip
        """Return a plot of the function and its derivative over one input from `low` to `high`, as `adcli plot`.

        `over` is that input (default: the only one without a value), `at` has values of the others, and `tangent` the
        values of `over` at which tangents are drawn.  SVG and PNG need the extra `plot`.  Raises RequestError if it is
        not clear which input is meant, and for an empty or infinite interval.
        """
        from .render.notebook import plot_picture
        from .trace.curves import axis, plot

        at = {} if at is None else at
        name = axis(self.inputs, at, 'add over="{}"') if over is None else over
        return plot_picture(plot(self._program, name, (low, high), at, list(tangent)))

    def taylor(
        self, at: Point | None = None, order: int = 8, *, along: Point | None = None,
        **inputs: float,
    ) -> ShownDocument:  # fmt: skip
        """Return the Taylor series up to t^`order` at a point: a mapping `at`, keywords, or both.

        With several inputs, `along` gives the direction in which they move: {input: its change for a step of t}. Raises
        RequestError for several inputs without a direction, NameProblem for an input without a value, DomainProblem at
        a corner or without a value.
        """
        from .render.notebook import show_series
        from .trace.taylor_series import taylor

        return show_series(taylor(self._program, at_point(at, inputs), order, along=along))

    def check(
        self, answer: str, at: Point | None = None, *, mode: str | None = None,
        wrt: Collection[str] = (), disclose: int = 3, **inputs: float,
    ) -> ShownDocument:  # fmt: skip
        """Return the marks of an answer computed by hand, as `adcli check` gives them.

        The point is `at`, keywords or both. `mode` is the mode of the task, such as forward (None: values and
        derivatives in any way), `wrt` its inputs. `data["verdict"]` is right, incomplete, wrong or not_gradable;
        `disclose` limits what is shown: 0 the score, 1 right or wrong, 2 the first error, 3 hints, 4 expected formulas,
        5 the key. Raises the errors of `trace` for the task; an answer that cannot be marked raises nothing.
        """
        from .marking.assessing import assess
        from .marking.disclosure import redact
        from .marking.model import Rules
        from .marking.task import task_of
        from .render.notebook import show_marking

        task = task_of(self.text, at=at_point(at, inputs), mode=mode, wrt=_names(wrt))
        (marking,) = assess(answer.encode(), "answer.txt", [task], Rules())
        return show_marking(redact(marking, disclose))


class Ode(ValueObject):
    """The function of time and state that solvers call, with its Jacobian; both return lists of numbers.

    `state` are the inputs that change with the time, in the order of the outputs, which are their derivatives.
    """

    __slots__ = ("_expression", "_fixed", "_time", "state")

    def __init__(self, expression: Expression, state: Sequence[str], time: str, fixed: Point) -> None:
        """Choose the state, by default all inputs except `fixed` ones and `time`, and check it.

        `time` names the input that is the time; it is ignored if there is no such input, or if it is fixed. Raises
        NameProblem if a name of `state` or `fixed` is not an input, or if an input is neither state, time nor fixed,
        and RequestError if there are not as many outputs as names in the state.
        """
        inputs = expression.inputs
        self._expression = expression
        self._fixed = {name: float(x) for name, x in fixed.items()}
        self._time = time if time in inputs and time not in self._fixed else None
        known = {*self._fixed, self._time}
        self.state = tuple(state) or tuple([name for name in inputs if name not in known])
        outputs = expression.outputs
        for name in (*self.state, *self._fixed):
            if name not in inputs:
                raise NameProblem(f"the name {name} is not an input", help=advice_on_name(name, inputs))
        missing = [name for name in inputs if name not in {*self.state, *known}]
        if missing:
            raise NameProblem(f"the input {missing[0]} has no value", help=f"write fixed={{{missing[0]!r}: 1.0}}")
        if len(outputs) != len(self.state):
            title = f"there are {len(outputs)} outputs instead of {len(self.state)}, one for each state variable"
            label = f"outputs: {', '.join(outputs)}; state variables: {', '.join(self.state) or 'none'}"
            advice = "each output is the time derivative of a state variable; give the values of parameters with fixed="
            raise RequestError(title, label=label, help=advice)

    @override
    def __repr__(self) -> str:
        return f"<Ode of {', '.join(self.state)}: {self._expression.text}>"

    @override
    def _identity(self) -> Hashable:
        return self._expression, self.state, self._time, tuple(sorted(self._fixed.items()))

    @override
    def __reduce__(self) -> tuple[Callable[..., Ode], tuple[object, ...]]:
        return type(self), (self._expression, self.state, self._time or "", self._fixed)

    def _point(self, time: float, state: Iterable[float]) -> dict[str, float]:
        """Return the values of all inputs at a time: the state in order, the time if the system uses it, and the fixed
        ones. Raises ValueError if `state` has another length than the names of the state.
        """
        point = dict(zip(self.state, state, strict=True))
        if self._time is not None:
            point[self._time] = time
        return point | self._fixed if self._fixed else point

    def __call__(self, time: float, state: Iterable[float]) -> list[float]:
        """Return the derivative of each number of the state, in its order."""
        return self._expression._numbers(self._point(time, state))

    def jacobian(self, time: float, state: Iterable[float]) -> list[list[float]]:
        """Return the derivatives of these with respect to the numbers of the state, a row for each output."""
        rows = self._expression.jacobian(self._point(time, state))
        return [[row[name] for name in self.state] for row in rows.values()]


def _unpickle(program: object, function: object, wrt: object) -> Expression:
    """Return the expression that was pickled, from the packed tuple `program`.

    `wrt` is a tuple of the names that it is a derivative with respect to, () if it is not one. `function` is then the
    packed tuple of the original function, otherwise None. Raises RequestError for other arguments.
    """
    if not isinstance(wrt, tuple) or not all(isinstance(name, str) for name in wrt):
        raise pickle_error("an expression")
    if not isinstance(program, tuple) or isinstance(function, tuple) != bool(wrt):
        raise pickle_error("an expression")
    return Expression(unpack(*program), unpack(*function) if isinstance(function, tuple) else None, wrt)


def _request(
    mode: str, wrt: Collection[str], seed: Point | None = None, numbering: str = "level",
    cse: bool = False,
) -> Request:  # fmt: skip
    """Return the request for a trace; `cse` makes equal subexpressions one row. Other fields have their defaults.

    Raises RequestError for an unknown mode or numbering.
    """
    check_mode(mode)
    if numbering not in NUMBERINGS:
        raise unknown("numbering", numbering, f"use {' or '.join(NUMBERINGS)}")
    return Request(mode, _names(wrt), seed, numbering, cse)


def _names(wrt: Collection[str]) -> tuple[str, ...]:
    """Return the names in `wrt`, or the text `wrt` as a single one."""
    return (wrt,) if isinstance(wrt, str) else tuple(wrt)
