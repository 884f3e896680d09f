"""TikZ document of a drawing: LaTeX that compiles on its own."""

from __future__ import annotations

import unicodedata
from collections.abc import Collection, Sequence
from itertools import pairwise

from ...errors import visible
from ...notation.latex_printer import SIGNS, SPECIAL, latex_name
from ...notation.typeset_names import greek_command
from .. import read_file
from .drawing import LINE, SIZE, Arc, Box, Drawing, Point
from .letters import BAR, CLOSING, DOT, OPENING, Name, pieces
from .page_fitting import scale_of

_SCALE = 10 / SIZE  # points of TeX for a unit of the drawing: letters of 10 points
_ACCENTS = {DOT: "\\dot", BAR: "\\bar"}
_SIGNS = {
    **SPECIAL, **{sign: f"${SIGNS[sign]}$" for sign in "−×·√≤≥≠∂∞"}, "<": "$<$", ">": "$>$", "|": "$|$", '"': "{''}",
    "'": "{'}", "`": "{`}", "-": "{-}", "π": r"$\pi$", "τ": r"$\tau$", "…": r"\ldots{}", "²": r"$^2$", "³": r"$^3$",
    CLOSING: "}}$",
}  # fmt: skip


def draw(drawing: Drawing) -> str:
    """Return the drawing as a LaTeX document of class standalone; nothing in a label is a command.

    Edges are drawn before nodes, captions are below the picture. It is scaled down if it is larger than its page; apart
    from that the page is ignored. Lengths are in points of TeX. The title of the drawing is not used.
    """
    scale = scale_of(drawing)
    smaller = f"\n  scale={scale:.3f}, transform shape," if scale < 1 else ""
    head, tail = read_file("graphs/picture.tex").split("% picture\n")
    out = [head.replace("{tikzpicture}[", f"{{tikzpicture}}[{smaller}")]
    out += [_edge(arc, drawing) for arc in drawing.arcs]
    out += [_node(box, drawing.names) for box in drawing.boxes]
    for k, caption in enumerate(reversed(drawing.captions)):
        at = _point((drawing.width / 2, drawing.height - LINE * (k + 0.5)))
        out.append(f"\\node[font=\\scriptsize] at {at} {{{_label(caption, drawing.names)}}};\n")
    return "".join([*out, tail])


def _node(box: Box, names: Collection[str]) -> str:
    """Return the TikZ command for a node: its box, of a fixed size, and its lines of text."""
    style = f"{box.kind}{', reached box' * box.reached}"
    size = f"minimum width={_length(box.width)}pt, minimum height={_length(box.height)}pt"
    lines = r"\\".join(_label(line, names) for line in box.lines)
    return f"\\node[{style}, {size}] at {_point((box.x, box.y))} {{{lines}}};\n"


def _edge(arc: Arc, drawing: Drawing) -> str:
    """Return the TikZ commands for an edge, and for its label if it has one."""
    reached = ", reached" * arc.reached
    line = f"\\draw[edge{reached}] {_path(arc.points, drawing.down)};\n"
    if arc.label:
        line += f"\\node[slope] at {_point(arc.at)} {{{_label(arc.label, drawing.names)}}};\n"
    return line


def _path(points: Sequence[Point], down: bool) -> str:
    """Return the TikZ path through the points: from each point to the next a straight line if that is horizontal or
    vertical, else a curve that is horizontal (with `down` vertical) in both points.
    """
    out = [_point(points[0])]
    for (x, y), (right, bottom) in pairwise(points):
        end = _point((right, bottom))
        if bottom == y or right == x:
            out.append(f"-- {end}")
        else:
            across, along = (x + right) / 2, (y + bottom) / 2
            handles = ((x, along), (right, along)) if down else ((across, y), (across, bottom))
            out.append(f".. controls {_point(handles[0])} and {_point(handles[1])} .. {end}")
    return " ".join(out)


def _point(point: Point) -> str:
    """Return a point of the drawing as TikZ coordinates in points of TeX: `(10.0, 4.7)`."""
    return f"({_length(point[0])}, {_length(point[1])})"


def _length(x: float) -> str:
    """Return a length of the drawing in points of TeX, with one decimal."""
    return f"{x * _SCALE:.1f}"


def _label(text: str, names: Collection[str]) -> str:
    """Return the label `text` in LaTeX: the `names` in it are mathematics with subscripts, roots have bars, everything
    else is text.
    """
    parts = (_escape(piece) if isinstance(piece, str) else _symbol(piece) for piece in pieces(visible(text), names))
    return "".join(parts).replace(f"{_SIGNS['√']}{OPENING}", r"$\sqrt{\mbox{").replace(OPENING, "")


def _symbol(name: Name) -> str:
    r"""Return a name as mathematics, with the accent over its letters only: `$\dot{x}_1$`."""
    letters, lowered, low = latex_name(f"{name.letters}_{name.subscript}").partition("_")
    if not name.letters.isascii():
        letters, lowered, low = f"\\mbox{{{_escape(name.letters)}}}", "_", f"{{{_escape(name.subscript)}}}"
    accented = f"{_ACCENTS[name.accent]}{{{letters}}}" if name.accent else letters
    return f"${accented}{lowered}{low}{name.primes}$"


def _escape(text: str) -> str:
    """Return a text in LaTeX in which nothing is a command; letters that need further packages are shown by their code
    points.
    """
    return "".join(_SIGNS.get(c) or (c if _is_known(c) else _write_letter(c)) for c in text)


def _is_known(c: str) -> bool:
    """Return whether pdflatex can print the letter without further packages: ASCII, or an ASCII letter with
    an accent.
    """
    return c.isascii() or unicodedata.normalize("NFD", c)[0].isascii()


def _write_letter(c: str) -> str:
    """Return another letter in LaTeX: a Greek one as mathematics, any other by its code point, `U+4E2D`."""
    command = greek_command(c)
    return f"${command}$" if command else f"\\texttt{{U+{ord(c):04X}}}"
