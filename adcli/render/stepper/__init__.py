"""Stepper: one offline page on which a reader steps through sweeps: graph, table and sentences together.

All text is written here; `stepper.js` only shows, hides and highlights it.  Without scripts the page shows everything.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ...errors import RequestError
from ...marking.prediction import WORDS, ArrayTruth
from ...notation.table_formulas import join, write_name
from ...records import NamedTuple
from ...trace.explained_sweeps import VALUE, ExplainedSweep
from ...trace.trace_model import Trace
from .. import read_file
from ..document_parts import Heading, Runs
from ..formats.html import FORMAT, add_title, break_formulas
from ..graphs import svg
from ..graphs.diagram import Diagram
from ..graphs.drawing import drawing
from ..html_page import escaped, page
from ..step_sentences import Account, Line

_LEAST = 0.8  # a graph shrinks at most to this fraction of its size


class Piece(NamedTuple):
    """One expression on a page: its name in the list of expressions, and its HTML."""

    name: str
    body: str


def document(pieces: Sequence[Piece]) -> str:
    """Return the whole HTML page for the expressions `pieces`, at least one.

    If there are several, a list to choose from (hidden until the script shows it) is put before them. The title is the
    name of the only expression, or `3 expressions`. Style and script are inside the page. Raises IndexError for none.
    """
    title, body = pieces[0].name, "".join(piece.body for piece in pieces)
    if len(pieces) > 1:
        title = f"{len(pieces)} expressions"
        names = "".join(f"<option>{escaped(piece.name)}</option>" for piece in pieces)
        body = f'<label hidden>Problem <select class="problems">{names}</select></label>\n{body}'
    return page(title, body, style=read_file("stepper/stepper.css"), script=read_file("stepper/stepper.js"))


def piece(
    trace: Trace, head: str, accounts: Sequence[Account], diagram: Callable[[ExplainedSweep], Diagram], place: int
) -> Piece:
    """Return one trace for the page as a Piece: its name (label or expression) and its HTML.

    The HTML has the heading `head`, tabs, controls, and a panel for each sweep in `accounts` that has steps. `diagram`
    returns the graph of a sweep. `place` is the trace's number on the page, for ids. Raises RequestError if no sweep
    has a step, or if the graph is too large to read.
    """
    sweeps = [account for account in accounts if account.lines]
    if not sweeps:
        raise RequestError(
            "there is nothing to step through",
            label="the problem is a number, without any step",
            help="print the number with adcli eval",
        )
    tabs = panels = ""
    for k, account in enumerate(sweeps):
        name = f"{place}-{k}"
        tabs += f'<button role="tab" id="tab-{name}" aria-controls="panel-{name}">{_tab(account, trace)}</button>'
        panels += _sweep_panel(account, diagram(account.passage), name)
    words = " ".join(f'data-{verdict}="{words}"' for verdict, words in WORDS.items())
    parts = {"heading": FORMAT.part(Heading(head, 1)), "tabs": tabs, "panels": panels, "words": words}
    return Piece(trace.label or trace.expression, read_file("stepper/section.html").format(**parts))


def _sweep_panel(account: Account, diagram: Diagram, name: str) -> str:
    """Return the HTML panel of the sweep `account`: title, steps, results, its graph `diagram`, table, opening, search.

    Steps and results are lists; a result's plain text is also its attribute `data-said`. The graph is drawn from left
    to right, never folded. The search is in a folded list, and left out if there is none. The panel has the id
    `panel-NAME` and is labelled by `tab-NAME`, with the `name` given.
    """
    about = f"<p>{escaped(' '.join(account.opening))}</p>"
    if account.search:
        items = "".join(f"<li>{escaped(text)}</li>" for text in account.search)
        about += f"\n<details><summary>The search that makes the tape</summary><ul>{items}</ul></details>"
    results = "".join(f'<li data-said="{escaped(text)}">{FORMAT.inline(text)}</li>' for text in account.results)
    parts = {"name": name, "title": FORMAT.inline(account.title), "steps": "".join(map(_step_item, account.lines))}
    parts |= {"results": results, "graph": _sweep_graph(diagram), "table": _step_rows(account.lines), "about": about}
    return read_file("stepper/panel.html").format(**parts)


def _sweep_graph(diagram: Diagram) -> str:
    """Return the graph of a sweep as HTML: an SVG in an element that does not let it become smaller than 0.8 of its
    size.

    Tooltips and descriptions for screen readers contain formulas only, since numbers are shown step by step; the lines
    in the picture stay.
    """
    picture = drawing(diagram)
    boxes = [box._replace(whole=box.whole[:1]) for box in picture.boxes]
    picture = picture._replace(boxes=boxes, arcs=[arc._replace(whole="") for arc in picture.arcs])
    return f'<div style="--least: {_LEAST * picture.width:.0f}px">{svg.draw(picture)}</div>'


def _typeset(*parts: str, kind: str = "said") -> str:
    """Return the formulas and signs `parts`, joined and typeset, in a `span` of the class `kind`, whose attribute
    `data-said` has their text for screen readers; empty without parts.
    """
    text = "".join(parts)
    shown = add_title(text, break_formulas(FORMAT.inline(join(*parts))))
    return f'<span class="{kind}" data-said="{escaped(text)}">{shown}</span>' if parts else ""


def _equal(parts: Sequence[str]) -> list[str]:
    """Return the parts with ` = ` before each, in one list: [` = `, a, ` = `, b]."""
    return [text for part in parts for text in (" = ", part)]


def _tab(account: Account, trace: Trace) -> str:
    """Return the HTML of a sweep's tab: its short title, such as `Forward x1`, in which the name of an input or output
    is typeset.
    """
    kind, _, about = account.short.partition(" ")
    names = {*trace.graph.inputs.values(), *(output.shown for output in trace.outputs)}
    return FORMAT.inline(Runs(f"{kind} ", write_name(about))) if about in names else escaped(account.short)


def _step_item(line: Line) -> str:
    """Return the HTML list item of the step `line`, with attributes `data-…` for the script.

    It has the equation, the sentences before, and those after, each left out if there are none. The numbers and the
    sentences after, which give numbers away, have the class `answer`.
    """
    known, numbers = _typeset(line.symbol, *_equal(line.working)), _typeset(*_equal(line.numbers), kind="answer said")
    out = [f'<p class="equation">{known}{numbers}</p>']
    for sentences, kind in ((line.before, ""), (line.after, " answer")):
        if sentences:
            out.append(f'<p class="said{kind}">{escaped(" ".join(sentences))}</p>')
    return f"<li {_data_attributes(line)}>{''.join(out)}</li>\n"


def _data_attributes(line: Line) -> str:
    """Return the attributes `data-…` of the step `line` for the script, separated by blanks.

    They are `target`, `symbol`, `shown` (the result), `edges`, `source` (only for reverse steps from a row), and
    `truth`, the number or array to predict, if there is one. `edges` are the edges to highlight, each as `parent child
    position`, separated by commas; for a reverse step from a row only the last edge.
    """
    explained = line.explained
    step, row = explained.step, explained.row
    edges = [(edge.parent, edge.child, edge.position) for edge in explained.edges]
    if step.sweep == VALUE:
        edges = [(parent, row.name, k) for k, parent in enumerate(row.parents) if isinstance(parent, str)]
    facts: dict[str, object] = {"target": step.target, "symbol": line.symbol, "shown": line.numbers[-1]}
    facts["edges"] = ",".join(f"{parent} {child} {k}" for parent, child, k in (edges[-1:] if step.source else edges))
    if step.source is not None:
        facts["source"] = step.source
    if line.truth is not None:
        facts["truth"] = line.truth.text if isinstance(line.truth, ArrayTruth) else repr(line.truth)
    return " ".join(f'data-{name}="{escaped(str(fact))}"' for name, fact in facts.items())


def _step_rows(lines: Sequence[Line]) -> str:
    """Return the rows of the HTML table of the steps `lines`: number, symbol (the header of the row), formulas and
    numbers.
    """
    return "".join(
        f'<tr><td>{line.number}</td><th scope="row">{_typeset(line.symbol, kind="name")}</th>'
        f"<td>{_typeset(*_equal(line.working), kind='working')}</td>"
        f"<td>{_typeset(*_equal(line.numbers), kind='answer')}</td></tr>\n"
        for line in lines
    )
