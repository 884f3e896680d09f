"""The computational graph of an expression as a picture.

\b
Examples:
  adcli graph "log(x1)+x1*x2-sin(x2)"
  adcli graph "log(x1)+x1*x2-sin(x2)" --at x1=2,x2=5 -o graph.svg
  adcli graph "log(x1)+x1*x2-sin(x2)" --at x1=2,x2=5 --mode forward --wrt x1 --reachable x1 -o graph.svg
  adcli graph "sum(i,1,30,sin(i*x)*y^i)" --direction down --fit A4 -o graph.svg
  adcli graph "p = x*y; q = x/y; p; q" --mode reverse --format dot
  adcli graph "h = tanh(W x + b); norm(h - y)^2" --shape "W=3x2, x=2, b=3, y=3"

Inputs are on the left, or at the top; a node is drawn at its height above them, and a graph that is too wide goes on in
a second row. With --at nodes show their values; with --mode also their tangents or adjoints, and edges the partials
(without --at as formulas). In large graphs a long sum is one node, and of repeated parts only the
first and the last are shown, with a mark that names and counts the others (--all shows them).
"""

from __future__ import annotations

from ...errors import RequestError
from ...notation.number_text import Digits
from ...render.graphs.picture_formats import PICTURES, SUFFIXES, picture
from ...trace.request_choices import MODES
from ...typings import TYPE_CHECKING
from ..arguments import choose_format, split_names
from ..options import Command, Option, flag, text, texts
from ..shared_options import CSE, DIGITS, KINKS, NUMBERING, PLACES, SHAPE, WRT, ProblemOptions, drawing_format
from ..stream import Stream

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ...render.graphs.diagram import Diagram
    from ...render.graphs.page_fitting import LayoutRequest
    from ...trace.trace_model import Note, Trace
    from ..problem_loop import PreparedProblem

FORMATS = ("plain", *PICTURES)
_MOST_TANGENTS = 3  # in each node
_BOUNDLESS = ("plain", "mermaid")
_PAGE = 140  # columns of a drawing in characters, off a terminal


class GraphRequest(ProblemOptions):
    """Options of `adcli graph`."""

    has_open_inputs = True
    at = texts("--at", metavar="x1=2,x2=5", help="Point, to show the values.")
    mode = Option(("--mode",), "value", "Quantities shown at nodes and edges, in addition to values.", choices=MODES)
    wrt = WRT
    shape = SHAPE
    scalars = flag("--scalars", help="Draw each number of vectors and matrices.")
    reachable = text("--reachable", metavar="x1", help="Shade what a sweep from this input or output visits.")
    direction = text("--direction", metavar="right|down", help="Draw from left to right (usual) or from top to bottom.")
    fit = text("--fit", metavar="A4", help="Fit the picture to a page: A4, letter, … or 160x90mm; landscape, portrait.")
    all = flag("--all", help="Do not fold repeated parts, and show the tangents of all inputs.")
    numbering = NUMBERING
    cse = CSE
    places = PLACES
    digits = DIGITS
    kinks = KINKS
    format_name = drawing_format(FORMATS)


def run(stream: Stream, options: GraphRequest) -> None:
    """Draw the graph of every problem, with repeated parts folded unless --all.

    In plain, drawings follow one another; another format has one picture, written at the end. Raises NothingToRead if
    there is nothing to read, RequestError for a page or direction that the format does not support. Raises
    OutputProblem for a second problem, unless the format is plain; nothing is written then.
    """
    from ..problem_loop import draw_each

    form = choose_format(options.format_name, options.path, FORMATS, "plain", SUFFIXES)
    layout = _read_layout(options, form)

    def draw(prepared: PreparedProblem) -> tuple[str | bytes, Iterable[Note]]:
        """Return (the picture of one problem, no notes: they are printed when they arise)."""
        diagram = _make_diagram(stream, options, prepared)
        if not options.all:
            diagram = _fold_repeats(stream, diagram)
        if form == "plain":
            return _draw_text(stream, diagram, prepared), ()
        return picture(diagram, form, layout, stream.note), ()

    draw_each(stream, options, form, draw)


def _read_layout(options: GraphRequest, form: str) -> LayoutRequest:
    """Return the requested direction and page of the picture in the format `form`.

    The direction is right, down or "" for any, the page None for any. A page is a name such as A4 or letter, in any
    case, or a size such as 160x90mm. Raises RequestError for an unknown direction or page, down in plain, and a page in
    plain or mermaid.
    """
    from ...render.graphs.page_fitting import LayoutRequest, parse_direction, parse_page

    page = parse_page(options.fit) if options.fit is not None else None
    direction = parse_direction(options.direction) if options.direction is not None else ""
    if direction == "down" and form == "plain":
        raise RequestError("a drawing in characters goes from left to right", help="write a picture: -o graph.svg")
    if page is not None and form in _BOUNDLESS:
        raise RequestError(
            f"the format {form} has no pages", help="--fit is for pictures: -o graph.svg, .png, .tex or .dot"
        )
    return LayoutRequest(direction, page)


def _fold_repeats(stream: Stream, diagram: Diagram) -> Diagram:
    """Return the diagram with long sums and repeated parts folded; unchanged if it has at most 40 nodes.

    A note, only if anything is folded, says how many nodes of the whole graph are represented by others.
    """
    from ...render.graphs.folding import fold_diagram

    folded_diagram = fold_diagram(diagram)
    if folded_diagram.folds:
        stream.note(f"{folded_diagram.folded[0]} of {folded_diagram.whole[0]} nodes are folded; --all shows them")
    return folded_diagram


def _make_diagram(stream: Stream, options: GraphRequest, prepared: PreparedProblem) -> Diagram:
    """Return the diagram of a problem and print its notes.

    With a point, or without inputs, nodes have the numbers of --mode and --wrt; then at most three tangents are shown,
    unless there is --all or --wrt. Else there are formulas only, and every mode except value labels edges with those of
    the partial derivatives. --reachable names an input or output and shades the nodes that the sweep from it (forward
    from an input, reverse from an output) visits, in any mode. Vectors and matrices are drawn as such, unless
    --scalars; their diagram ignores --numbering and --cse, and without a point also --mode and --wrt, which are not
    checked.

    Raises RequestError for an unknown name in --reachable, and for --reachable with vectors or matrices; an AdcliError
    if the problem cannot be evaluated.
    """
    from ...render.graphs.diagram import check_drawable, of_program, of_trace
    from ...trace.trace_model import Request
    from ...trace.trace_program import reading_notes, trace
    from ..problem_loop import print_notes

    program, label, start = prepared.program, prepared.problem.label, options.reachable
    arrays = None if options.scalars else prepared.arrays
    if arrays is not None and start is not None:
        raise RequestError("--reachable needs a graph of single numbers", help="add --scalars, which draws each number")
    digits = Digits(options.places, options.digits)
    request = Request(options.mode, split_names(options.wrt), kinks=options.kinks, digits=digits)
    request = prepared.without_data(request)
    is_open = not prepared.at and bool(program.graph.inputs if arrays is None else arrays.inputs)
    if is_open:
        print_notes(stream, reading_notes(program), prepared)
    if arrays is not None:
        from ...arrays.sweeps import array_trace
        from ...render.graphs.array_diagram import of_arrays

        traced = None if is_open else array_trace(arrays, prepared.at, request, label)
        print_notes(stream, () if traced is None else traced.trace.notes, prepared)
        return of_arrays(arrays, traced, digits, label)
    if is_open:
        return of_program(program, options.numbering, options.cse, options.mode != "value", start, label)
    request = request._replace(numbering=options.numbering, cse=options.cse)
    result = trace(program, prepared.at, request, label, check_drawable)
    print_notes(stream, result.notes, prepared)
    return of_trace(result if options.all or options.wrt else _keep_few_tangents(stream, result), digits, start)


def _keep_few_tangents(stream: Stream, trace: Trace) -> Trace:
    """Return the trace with the tangents of at most three inputs, in their former order, and a note that names them.

    They are those with the largest absolute derivatives, added up over all outputs; of equals the first. With up to
    three tangents the trace is returned unchanged, without a note.
    """
    from ...render.large_traces import with_tangents

    if len(trace.keys[0]) <= _MOST_TANGENTS:
        return trace
    shown = with_tangents(trace, _MOST_TANGENTS)
    stream.note(f"tangents with respect to {', '.join(shown.keys[0])} are shown; --wrt chooses others, --all shows all")
    return shown


def _draw_text(stream: Stream, diagram: Diagram, prepared: PreparedProblem) -> str:
    """Return the drawing of `diagram` in characters, or a table of the nodes if it is too wide or cannot be drawn (more
    than 60 nodes, overlapping lines).

    The limit is --width, else the width of the terminal, else, off a terminal, 140 columns. The title is on a line
    above it unless the problem is single and has no label. Nothing says that the table is instead of the drawing.
    """
    from ...render.graphs.text import draw, node_table
    from ..pages import format_of

    columns = stream.width() if stream.is_terminal or stream.columns is not None else _PAGE
    drawing = draw(diagram, columns, stream.ascii) or format_of(stream, "table").table(node_table(diagram))
    head = "" if prepared.single and not prepared.problem.label else f"{diagram.title}\n"
    return head + drawing


COMMAND = Command(__doc__, GraphRequest, run)
