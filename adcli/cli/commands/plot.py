"""A function of one input with its derivative, as a plot.

\b
Examples:
  adcli plot "x^2*sin(x)"
  adcli plot "abs(x)*y" --over x=-3:3 --at y=2 --tangent x=1
  adcli plot "1/x" --over x=-2:2 -o plot.svg
  adcli plot "sin(x)" --over x=0:2*pi --format csv

Corners, jumps, poles and the ends of the domain are marked, and no line joins their sides. A circle is filled where the
function has its value, open where it only has a limit.
"""

from __future__ import annotations

import math

from ...errors import RequestError
from ...render.graphs.picture_formats import SUFFIXES
from ...typings import TYPE_CHECKING
from ..arguments import choose_format, merge_points
from ..options import Command, text, texts
from ..shared_options import ProblemOptions, drawing_format
from ..stream import Stream

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ...trace.curves import Plot
    from ...trace.trace_model import Note
    from ..problem_loop import PreparedProblem

FORMATS = ("plain", "svg", "png", "csv")
_PAGE = 80  # columns of a drawing in characters, off a terminal


class PlotRequest(ProblemOptions):
    """Options of `adcli plot`."""

    has_open_inputs = True
    over = text("--over", metavar="x=-3:3", help="Input on the axis and its range (default: the only input, -5 to 5).")
    at = texts("--at", metavar="y=2", help="Values of the other inputs.")
    tangent = texts("--tangent", metavar="x=1", help="Draw the tangent at this point.")
    format_name = drawing_format(FORMATS)


def run(stream: Stream, options: PlotRequest) -> None:
    """Plot every output of every problem over --over; by default over its only input without a value, from -5 to 5.

    If all inputs have values, the only input is on the axis. Raises NothingToRead if there is nothing to read,
    OutputProblem for a second problem in any format except plain; nothing is written then. Raises RequestError if
    --over cannot be read or a file's suffix is unknown. Errors of single problems are printed: a --tangent that cannot
    be read or has another input, ends that are not in ascending order, --over of a name that is not an input, another
    input without a value, and, without --over, no or several inputs that could be on the axis.
    """
    from ...trace.curves import axis, plot
    from ..problem_loop import draw_each

    form = choose_format(options.format_name, options.path, FORMATS, "plain", SUFFIXES)
    over = _read_interval(options.over) if options.over else None

    def draw(prepared: PreparedProblem) -> tuple[str | bytes, Iterable[Note]]:
        """Return (the plot of one problem, its notes)."""
        inputs = list(prepared.program.graph.inputs.values())
        name, low, high = over or (axis(inputs, prepared.at, "add --over {}=-3:3"), -5.0, 5.0)
        tangents = _read_tangents(options.tangent, name)
        curves = plot(prepared.program, name, (low, high), prepared.at, tangents, prepared.problem.label)
        return _draw(stream, curves, form), curves.notes

    draw_each(stream, options, form, draw)


def _draw(stream: Stream, curves: Plot, form: str) -> str | bytes:
    """Return the plot of `curves` in the format `form`: text (plain and csv) or a picture (svg: text, png: bytes).

    Plain is as wide as the terminal or --width, else 80 columns.
    """
    if form == "plain":
        from ...render.plots.text import draw

        columns = stream.width() if stream.is_terminal or stream.columns is not None else _PAGE
        return draw(curves, columns, stream.ascii)
    from ...render.plots.figure import draw as draw_figure

    return draw_figure(curves, form)


def _read_interval(text: str) -> tuple[str, float, float]:
    """Return (name, first end, second end) of an interval such as `x=-3:3`.

    The ends are in the order in which they are written, also if they are equal; they may be expressions. Raises
    RequestError if `text` is not an interval with finite ends, AdcliError if an end cannot be read.
    """
    low, colon, high = text.partition(":")
    name, equals, _ = low.partition("=")
    texts = [low, f"{name}={high}"] if colon and equals else []
    ends = [end for each in texts for end in merge_points([each], "--over").items()]
    if len(ends) != 2 or not all(math.isfinite(x) for _, x in ends):
        raise RequestError(f"--over {text} is not an interval", help="write it as --over x=-3:3")
    return ends[0][0], ends[0][1], ends[1][1]


def _read_tangents(tangents: tuple[str, ...], name: str) -> list[float]:
    """Return the values of input `name` at which tangents are drawn, in the order of `tangents`, texts such as "x=1".

    Raises AdcliError if a text is not a point, RequestError if it has another input than `name` or several.
    """
    places = []
    for tangent in tangents:
        point = merge_points([tangent], "--tangent")
        if set(point) != {name}:
            raise RequestError(f"a tangent needs a value of {name}", help=f"write --tangent {name}=1")
        places.append(float(point[name]))
    return places


COMMAND = Command(__doc__, PlotRequest, run)
