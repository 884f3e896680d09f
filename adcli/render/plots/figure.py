"""Figure of a plot as SVG or PNG, drawn by matplotlib (the extra `plot`), and its points as CSV. A panel is the picture
of a function or of its derivative.
"""

from __future__ import annotations

from io import BytesIO

from ...errors import visible
from ...extras import Needs
from ...notation.display_formula import Formula
from ...notation.latex_printer import LATEX as MATHEMATICS
from ...notation.table_formulas import write_name
from ...trace.curves import Curve, Plot
from ...typings import TYPE_CHECKING
from ..data import sheet
from ..document_parts import Runs
from ..html_page import dark_rules, escaped
from .panels import Panel, heading, panels, sentences

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure
    from matplotlib.text import Text

_LINE, _TANGENT, _MARK, _POLE = "#0b57d0", "#8a5a00", "#b3261e", "#717a84"
_PAPER, _INK, _GRID, _ZERO = "#ffffff", "#1b1f24", "#e3e7eb", "#57606a"
_DARK = {
    _LINE: "#8ab4f8", _TANGENT: "#e8c06a", _MARK: "#f2a09a", _POLE: "#8c959f", _PAPER: "#14171c", _INK: "#e6e9ee",
    _GRID: "#2b3139", _ZERO: "#9aa4af",
}  # fmt: skip
_MOST_COLUMNS = 90  # characters of a line of text under a plot
_MOST_LINES = 8


def draw(plot: Plot, form: str) -> str | bytes:
    """Return the plot in the format `form`: `csv` as str, `svg` or `png` as bytes.

    Pictures have the heading at the top, then for every output the function with its tangents, below it the derivative,
    and sentences about marks and tangents. An output is 8 by 6.4 inches, outputs are one below the other; PNG has 160
    dots per inch, SVG colours for dark pages. The same plot gives the same bytes. Other formats are not checked here.
    Raises RequestError if a picture is requested and matplotlib is not installed; CSV does not need it.
    """
    if form == "csv":
        return _points_csv(plot)
    with Needs("pictures of plots need matplotlib", "plot"):
        from matplotlib import rc_context
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    settings: dict[str, object] = {
        "svg.hashsalt": "adcli", "svg.fonttype": "none", "font.family": "DejaVu Sans", "text.parse_math": False,
        "axes.formatter.use_mathtext": False, "axes.grid": True, "grid.color": _GRID, "axes.edgecolor": _INK,
        "xtick.color": _INK, "ytick.color": _INK, "text.color": _INK, "axes.labelcolor": _INK,
    }  # fmt: skip
    out = BytesIO()
    with rc_context(settings):
        figure = Figure(figsize=(8, 6.4 * len(plot.curves)), layout="constrained")
        FigureCanvasAgg(figure)
        parts = [figure] if len(plot.curves) == 1 else list(figure.subfigures(len(plot.curves), 1))
        for part, curve in zip(parts, plot.curves, strict=True):
            _draw_curve(part, plot, curve)
        _set_text(figure.suptitle("", fontsize=11), heading(plot))
        metadata = {"Date": None, "Creator": None, "Title": str(heading(plot))} if form == "svg" else {"Software": None}
        figure.savefig(out, format=form, dpi=160, metadata=metadata)
    return _add_dark_colors(out.getvalue().decode(), plot).encode() if form == "svg" else out.getvalue()


def _points_csv(plot: Plot) -> str:
    """Return `plot` as CSV with one row (output, piece, input, value, and `d/dx` with the name of the variable) for
    each point of each output, in full precision.

    Points of an output with the same number in the column `piece`, from 1 for each output, are connected by a line.
    """
    return sheet(
        {"output": curve.output, "piece": piece, "input": point.x, "value": point.y}
        | {f"d/d{plot.variable}": point.slope}
        for curve in plot.curves
        for piece, points in enumerate(curve.pieces, 1)
        for point in points
    )


def _add_dark_colors(svg: str, plot: Plot) -> str:
    """Return `svg` with rules for colours on a dark page, the role of an image and a description, which is put after
    its title.

    The rules are put at the end of the first style, so that `svg` needs a style and a title, as matplotlib writes them.
    The description has the names of the panels of `plot`, the variable, and the sentences about marks and tangents.
    """
    looks = [(kind, light, dark) for light, dark in _DARK.items() for kind in ("fill", "stroke")]
    rules = "".join(f'[style*="{kind}: {light}"] {{ {kind}: {dark} !important }}\n' for kind, light, dark in looks)
    names = ", ".join(panel.name for curve in plot.curves for panel in panels(plot, curve))
    texts = [text for curve in plot.curves for text in sentences(plot, curve)]
    lines = [f"{names} over {plot.variable}", *texts]
    svg = svg.replace("<svg ", '<svg role="img" ', 1).replace("</style>", f"\n{dark_rules(rules)}</style>", 1)
    return svg.replace("</title>", f"</title>\n <desc>{escaped('; '.join(lines))}</desc>", 1)


def _draw_curve(figure: Figure | SubFigure, plot: Plot, curve: Curve) -> None:
    """Draw a curve and its derivative below on `figure`; below them are at most 8 sentences about the curve, then `…`
    if there are more.

    Sentences are cut at 90 characters. The label of the x-axis is the variable.
    """
    above, below = figure.subplots(2, 1, sharex=True, height_ratios=[3, 2])
    for axes, panel in zip((above, below), panels(plot, curve), strict=True):
        _draw_panel(axes, plot, panel)
    lines_below = sentences(plot, curve)
    lines = [*lines_below[:_MOST_LINES], *(["…"] if len(lines_below) > _MOST_LINES else [])]
    _set_text(below.xaxis.label, write_name(plot.variable))
    if lines:
        figure.supxlabel("\n".join(_cut(line) for line in lines), fontsize=9)


def _draw_panel(axes: Axes, plot: Plot, panel: Panel) -> None:
    """Draw a panel on the axes: limits, name (at the y-axis), the line y = 0, poles, lines, tangents and points.

    Poles are dotted; tangents are dashed, each with its point of contact. Spots (points of the function) are filled,
    rings (points that it only approaches) are hollow and below spots; both are left out if their y is outside the
    visible range, ends included. A line of one point is drawn as a dot. Points of lines more than 9 heights above or
    below the panel are moved there (`_clip`).
    """
    axes.set_xlim(plot.low, plot.high)
    axes.set_ylim(panel.low, panel.high)
    axes.yaxis.label.set(rotation=0, ha="right", va="center")
    _set_text(axes.yaxis.label, panel.name)
    axes.axhline(0, color=_ZERO, linewidth=0.8)
    for x in panel.poles:
        axes.axvline(x, color=_POLE, linewidth=1, linestyle=":")
    for line in panel.lines:
        xs, ys = zip(*_clip(line, panel), strict=True)
        axes.plot(xs, ys, color=_LINE, linewidth=1.8, marker="." if len(line) == 1 else None)
    for tangent in panel.tangents:
        ends = (plot.low, plot.high)
        axes.plot(ends, [tangent.at(x) for x in ends], color=_TANGENT, linewidth=1.2, linestyle="--")
        axes.plot([tangent.x], [tangent.y], color=_TANGENT, marker="o", markersize=5)
    for places, inside in ((panel.rings, _PAPER), (panel.spots, _MARK)):
        for x, y in places:
            if panel.low <= y <= panel.high:
                axes.plot(
                    [x], [y], color=_MARK, marker="o", markersize=5, markerfacecolor=inside, zorder=3, clip_on=False
                )


def _clip(line: list[tuple[float, float]], panel: Panel) -> list[tuple[float, float]]:
    """Return the points of the line with those more than 9 heights above or below the panel moved there, straight up or
    down, since drawing is inexact far away.
    """
    height = panel.high - panel.low
    return [(x, min(max(y, panel.low - 9 * height), panel.high + 9 * height)) for x, y in line]


def _cut(text: str) -> str:
    """Return the text; one of more than 90 characters is cut to that, with an `…` at its end."""
    return text if len(text) <= _MOST_COLUMNS else f"{text[: _MOST_COLUMNS - 1]}…"


def _set_text(label: Text, text: str) -> None:
    """Set the text of `label`, with the formulas in it (if `text` is Runs) as mathematics.

    Mathematics is drawn as paths, since readers lack its fonts. The text is in plain letters, and cut to 90 characters,
    if it is longer than that without markup or if matplotlib cannot set a formula, such as a choice of cases.
    """
    from matplotlib.mathtext import MathTextParser
    from matplotlib.patheffects import Normal

    parts = text.runs if isinstance(text, Runs) else (text,)
    shown = "".join(
        f"${MATHEMATICS.printed(part.piece)}$" if isinstance(part, Formula) else visible(part).replace("$", r"\$")
        for part in parts
    ).replace(r"\frac", r"\dfrac")
    try:
        MathTextParser("path").parse(shown)
    except ValueError:
        shown = ""
    if shown and len(text) <= _MOST_COLUMNS:
        label.set(text=shown, parse_math=True, path_effects=[Normal()])
    else:
        label.set_text(_cut(visible(text)))
