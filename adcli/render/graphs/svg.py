"""SVG of a drawing: real text, one file without external parts, light and dark."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from .. import read_file
from ..html_page import dark_rules, escaped
from .diagram import FOLD, in_words
from .drawing import LABEL_HEIGHT, LABEL_SIZE, LINE, SIZE, Arc, Box, Drawing, Point
from .letters import TALLER, Run, label_width, runs
from .page_fitting import window

_DROPS = {-1: -0.25, 0: 0.0, 1: 0.35}  # how far runs of a height are above the line, in letter sizes
_MOST_LISTED = 60  # at most this number of nodes is listed in a description
_ROOT_TOP = 0.775  # height of the bar of a root above the line, in letter sizes


def draw(drawing: Drawing) -> str:
    """Return the drawing as one SVG element, with a title, a description and colours for light and dark pages.

    Every node is a group with `data-node` (its name), every edge one with `data-edge` (source, target and position of
    the argument); whatever a sweep visits has the class `reached`. The size is in millimetres if the drawing has a
    page, else in units. Captions are below the picture. The text ends with a line break.
    """
    left, top, width, height = map(_number, window(drawing))
    place = f' x="{left}" y="{top}"' if drawing.page else ""
    wide, high = (f"{side:g}mm" for side in drawing.page) if drawing.page else (width, height)
    body = [_edge(arc, drawing) for arc in drawing.arcs] + [_node(box, drawing.names) for box in drawing.boxes]
    for k, caption in enumerate(reversed(drawing.captions)):
        at = (drawing.width / 2, drawing.height - LINE * (k + 0.5))
        body.append(_write_text(caption, drawing.names, at, LABEL_SIZE))
    light, dark, folded, roots, dark_roots = map(_rules, read_file("graphs/svg.css").split("\n\n"))
    has_roots = any('class="root"' in part for part in body)
    light += roots * has_roots + folded * any(box.kind == FOLD for box in drawing.boxes)
    dark += dark_roots * has_roots
    texts = {"title": escaped(drawing.title), "words": escaped(_describe(drawing)), "body": "\n".join(body)}
    sizes = {"left": left, "top": top, "width": width, "height": height, "wide": wide, "high": high, "place": place}
    return read_file("graphs/frame.svg").format(**texts, **sizes, style=light + dark_rules(dark), size=SIZE)


def _rules(style: str) -> str:
    """Return the lines of `style` as rules for a graph, without its comments."""
    return "".join(f".adcli-graph {rule}\n" for rule in style.splitlines() if not rule.startswith("/*"))


def _describe(drawing: Drawing) -> str:
    """Return the picture in words, for people who cannot see it.

    They give the numbers of nodes and edges, where inputs are, the nodes with their lines (if there are at most 60),
    and the captions. Inputs are on the left or at the top if all are in level 0, else before their first use.
    """
    first = all(box.level == 0 for box in drawing.boxes if box.kind == "input")
    where = ("at the top" if drawing.down else "on the left") if first else "before their first use"
    words = f"{drawing.nodes} nodes and {drawing.edges} edges, inputs {where}. "
    if len(drawing.boxes) <= _MOST_LISTED:
        words += "; ".join(in_words(box.whole) for box in drawing.boxes) + ". "
    return words + "; ".join(drawing.captions)


def _node(box: Box, names: Collection[str]) -> str:
    """Return the SVG group of a node: box, title (its uncut lines) and lines of text.

    The classes of the group are the node's kind, and `reached` if a sweep visits it. Digits at the end of the names in
    `names` are subscripts.
    """
    left, top = box.x - box.width / 2, box.y - box.height / 2
    first = box.y + LINE * (0.74 - len(box.lines) / 2)
    lines = [_write_text(line, names, (box.x, first + k * LINE), SIZE) for k, line in enumerate(box.lines)]
    title = f"<title>{escaped(in_words(box.whole))}</title>"
    inside = f"{title}{_rectangle(left, top, box.width, box.height)}{''.join(lines)}"
    return f'<g class="node {box.kind}{" reached" * box.reached}" data-node="{escaped(box.name)}">{inside}</g>'


def _rectangle(x: float, y: float, width: float, height: float) -> str:
    """Return an SVG rectangle with its upper left corner at (`x`, `y`), with rounded corners."""
    size = f'width="{_number(width)}" height="{_number(height)}" rx="{_number(min(5.0, height / 4))}"'
    return f'<rect x="{_number(x)}" y="{_number(y)}" {size}/>'


def _edge(arc: Arc, drawing: Drawing) -> str:
    """Return the SVG group of an edge, `arc`: its line, the arrow's head at its last point, and its label, if any.

    The label is on a blank rectangle, and has the uncut label as title. `data-edge` is the name of the edge. The class
    is `edge`, and also `reached` if a sweep visits the edge.
    """
    x, y = arc.points[-1]
    names = drawing.names
    tip = f"M {_number(x)} {_number(y)} l {'-4 -9 h' if drawing.down else '-9 -4 v'} 8 z"
    label = ""
    if arc.label:
        x, y = arc.at
        half = label_width(arc.label, names, LABEL_SIZE) / 2 + 2
        label = f"<title>{escaped(arc.whole)}</title>"
        label += _rectangle(x - half, y - LABEL_HEIGHT / 2, 2 * half, LABEL_HEIGHT)
        label += _write_text(arc.label, names, (x, y + LABEL_SIZE / 3), LABEL_SIZE)
    inside = f'<path class="line" d="{_path(arc.points, drawing.down)}"/><path class="tip" d="{tip}"/>{label}'
    return f'<g class="edge{" reached" * arc.reached}" data-edge="{escaped(arc.name)}">{inside}</g>'


def _path(points: Sequence[Point], down: bool) -> str:
    """Return the path data (attribute d) through the points, at least one: straight lines if horizontal or vertical,
    else cubic curves.

    Curves are horizontal (with `down` vertical) at both ends, their control points halfway between.
    """
    x, y = points[0]
    out = [f"M {_number(x)} {_number(y)}"]
    for right, bottom in points[1:]:
        if bottom == y:
            out.append(f"H {_number(right)}")
        elif right == x:
            out.append(f"V {_number(bottom)}")
        elif down:
            half = _number((y + bottom) / 2)
            out.append(f"C {_number(x)} {half} {_number(right)} {half} {_number(right)} {_number(bottom)}")
        else:
            half = _number((x + right) / 2)
            out.append(f"C {half} {_number(y)} {half} {_number(bottom)} {_number(right)} {_number(bottom)}")
        x, y = right, bottom
    return " ".join(out)


def _write_text(text: str, names: Collection[str], at: Point, size: float) -> str:
    """Return a text element centred at the point `at` (of its baseline), with letters `size` units high.

    Digits at the end of the names in `names` are subscripts. Subscripts and exponents are smaller and shifted, letters
    with a bar have an overline. The width of a label with roots is fixed, so that the bars of the roots, which are
    lines after the text, are in the right places.
    """
    out, before = [], 0
    pieces = runs(text, names)
    for run in pieces:
        marks = "" if run.height == before else f' dy="{_number(_DROPS[before] * size - _DROPS[run.height] * size)}"'
        marks += f' font-size="{_number(size * run.size)}"' if run.size != 1 else ""
        marks += ' text-decoration="overline"' if run.barred else ""
        before = run.height
        piece = escaped(run.text)
        out.append(f"<tspan{marks}>{piece}</tspan>" if marks else piece)
    sized = "" if size == SIZE else f' font-size="{size:g}"'
    bars = ""
    if any(run.roots for run in pieces):
        width = label_width(text, names, size)
        sized += f' textLength="{_number(width)}"'
        bars = "".join(_root_bars(pieces, (at[0] - width / 2, at[1]), size))
    return f'<text x="{_number(at[0])}" y="{_number(at[1])}"{sized}>{"".join(out)}</text>{bars}'


def _root_bars(pieces: Sequence[Run], start: Point, size: float) -> Iterator[str]:
    """Yield the bars over the contents of the roots of a label that begins at `start` (of its baseline), as SVG paths.

    Inner bars come first. `size` is the height of the letters. A bar is the higher the more levels of roots are under
    it.
    """
    x, y = start
    begun: list[tuple[float, int]] = []  # where the bar begins, and the levels of roots under it
    nested = 0
    for run in (*pieces, Run("")):
        while len(begun) > run.roots:
            left, levels = begun.pop()
            top = y - _ROOT_TOP * size * (1 + TALLER * levels)
            yield f'<path class="root" d="M {_number(left - 0.4)} {_number(top)} H {_number(x)}"/>'
        if run.roots > len(begun):
            begun.append((x, nested))
        nested = run.nested
        x += run.width * size / 100


def _number(x: float) -> str:
    """Return a coordinate with at most one decimal; never `-0`."""
    text = f"{x:.1f}".removesuffix(".0")
    return "0" if text == "-0" else text
