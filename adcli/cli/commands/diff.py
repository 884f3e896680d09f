"""Derivatives as formulas.

\b
Examples:
  adcli diff "x^2*sin(x)" --wrt x
  adcli diff "x^x" --wrt x --order 3
  adcli diff "log(x1)+x1*x2-sin(x2)"
  adcli diff "sin(x*y)" --wrt x,y --at x=1,y=2
  adcli diff "a^x" --assume "a>0"
  adcli diff "exp(x)*sin(x)" --wrt x --trace
  adcli diff "sqrt(x^2+y^2)" --format latex
  adcli diff "norm(A x - b)^2" --shape "A=3x2, x=2, b=3" --wrt x

Without --wrt all partial derivatives are printed. Repeated parts get names: those of the problem, or a, b, ...; the
output for one derivative is a program that eval reads.
"""

from __future__ import annotations

from functools import partial

from ...errors import DomainProblem, RequestError
from ...notation.number_text import Digits
from ...typings import TYPE_CHECKING
from ..arguments import split_names
from ..options import Command, flag, left_out, texts, whole
from ..shared_options import DIGITS, LAYOUT, PLACES, SHAPE, DocumentOptions
from ..stream import Stream

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ...trace.trace_model import Note
    from ..problem_loop import PreparedProblem


class DiffRequest(DocumentOptions):
    """Options of `adcli diff`."""

    has_open_inputs = True
    wrt = texts("--wrt", metavar="x", help="With respect to x; x,y: first x, then y (default: each input).")
    shape = SHAPE
    layout = LAYOUT
    order = whole("--order", between=(1, 100), help="Order of the derivative (default: 1).")
    at = texts("--at", metavar="x1=2,x2=5", help="Point at which the derivatives are also evaluated.")
    assume = texts("--assume", metavar="a>0", help="Conditions on inputs that formulas may use: a>0, b<=1, c!=0.")
    integer = texts("--integer", metavar="n", help="Inputs that are whole numbers and are not differentiated.")
    cse = left_out(True)  # of arrays: formulas have no equal parts
    trace = flag("--trace", help="Show the symbolic sweep that computes the derivatives.")
    places = PLACES
    digits = DIGITS


def run(stream: Stream, options: DiffRequest) -> None:
    """Write the derivatives of every problem with respect to each list of names in --wrt, in the order given.

    A list with commas is one mixed derivative, and its length must be --order if there is one; a single name is
    differentiated --order times (default 1). Without --wrt, derivatives of order 1 are with respect to each input
    except data; from order 2 on all partial derivatives of that order are written, each once. Problems with vectors and
    matrices have gradients with respect to all names of all lists. With a point the values of the derivatives are
    written, too. Raises NothingToRead if there is nothing to read, AdcliError if --assume cannot be read or is
    contradictory; errors of single problems are printed.
    """
    from ...language.assumptions import read_assumptions
    from ...render import derivative_report as render
    from ...trace.derivative_formulas import derivatives
    from ...trace.rows import symbolic_sweeps
    from ..problem_loop import ProblemResult, Results

    wrt = [list(split_names([text])) for text in options.wrt]
    assumptions = read_assumptions(options.assume, split_names(options.integer))
    pages = options.pages(stream, "Derivatives")
    digits = Digits(options.places, options.digits)

    def differentiate(prepared: PreparedProblem) -> ProblemResult:
        """Return how to write the derivatives of one problem, with its notes.

        A problem with vectors or matrices has gradients. Another problem has partial derivatives with respect to --wrt,
        or without --wrt to each input except data (order 1). A note says once that several names in one --wrt are a
        mixed derivative. Raises DomainProblem if no output has a value at any point, and other AdcliErrors if the
        derivatives cannot be computed.
        """
        if prepared.arrays is not None:
            from ...render import gradient_report

            _refuse_number_options(options)
            variables = split_names(options.wrt) or prepared.problem.inputs_without_data(prepared.arrays.inputs)
            label, numerator = prepared.problem.label, options.layout == "numerator"
            arrays = gradient_report.differentiate(prepared.arrays, variables, prepared.at, label, numerator)
            _check_has_value(arrays.notes, len(prepared.program.graph.outputs))
            parts = partial(gradient_report.parts, arrays, digits, pages.format.displays)
            data, lines = partial(gradient_report.data, arrays), partial(gradient_report.lines, arrays)
            return ProblemResult(data, parts, lines, arrays.notes)
        inputs = prepared.problem.inputs_without_data(prepared.program.graph.inputs.values())
        inputs = inputs if (options.order or 1) == 1 else ()
        names = wrt or [[name] for name in inputs]
        at, label = prepared.at or None, prepared.problem.label
        formulas = derivatives(prepared.program, names, options.order, at, label, assumptions)
        _check_has_value(formulas.notes, len(prepared.program.graph.outputs))
        _note_mixed(stream, wrt)
        done = render.Differentiated(formulas, symbolic_sweeps(formulas.graph) if options.trace else ())
        parts = partial(render.parts, done, digits, pages.format.displays, pages.whole, stream.ascii)
        data, lines = partial(render.DIFF.data, done), partial(render.lines, formulas)
        return ProblemResult(data, parts, lines, formulas.notes)

    Results(pages).write_all(options, differentiate)


def _note_mixed(stream: Stream, wrt: Sequence[Sequence[str]]) -> None:
    """Print a note for each list in `wrt` with two or more different names, each once a run: it is one mixed
    derivative.
    """
    for names in wrt:
        if len(set(names)) > 1:
            each = " ".join(f"--wrt {name}" for name in names)
            order = f"first with respect to {names[0]}"
            text = f"--wrt {','.join(names)} is one mixed derivative, {order}; for each derivative alone: {each}"
            stream.note(text, once=True)


def _check_has_value(notes: Iterable[Note], count: int) -> None:
    """Raise DomainProblem if each of the `count` outputs has no derivative at any point, as the `notes` say.

    A note of the kind `domain` is about one such output; their number is compared with `count`. There is no derivative
    to write then.
    """
    texts = [note.text for note in notes if note.kind == "domain"]
    if len(texts) == count:
        raise DomainProblem(f"the output {texts[0]}")


def _refuse_number_options(options: DiffRequest) -> None:
    """Raise RequestError for --order above 1, --assume, --integer and --trace, which arrays do not have."""
    if (options.order or 1) > 1:
        title = "adcli diff does not write second derivatives of vectors and matrices"
        raise RequestError(title, help="for their values: adcli eval --hessian")
    if options.assume or options.integer:
        title = "assumptions are only for single numbers, and this problem has vectors or matrices"
        flags = [f"--{name}" for name in ("assume", "integer") if getattr(options, name)]
        raise RequestError(title, help=f"leave out {' and '.join(flags)}")
    if options.trace:
        raise RequestError("--trace does not show sweeps of arrays", help="leave out --trace, or use adcli eval")


COMMAND = Command(__doc__, DiffRequest, run)
