"""One offline page on which sweeps are stepped through: graph, table and sentences together.

All text is written here; `stepper.js` only shows, hides and marks it.  Without scripts the page shows everything.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib.resources import files

from ...errors import RequestError
from ...marking.prediction import WORDS
from ...notation.number_text import Digits
from ...records import NamedTuple
from ...trace.explained_sweeps import FORWARD, REVERSE, VALUE, Passage
from ...trace.model import Trace
from ..graphs import svg
from ..graphs.diagram import of_trace
from ..graphs.drawing import drawing
from ..html_page import escaped, page
from ..step_sentences import Account, Line, accounts
from ..trace_tables import heading

_LEAST = 0.8  # of its own size, to which a graph shrinks
_KEYS = "Keys: left and right arrow one step, Home and End the first and the last, space plays."


class Piece(NamedTuple):
    """One expression on a page: what the list of expressions calls it, and its part of the page."""

    name: str
    body: str


def document(pieces: Sequence[Piece]) -> str:
    """The page for these expressions; with several there is a list to choose from."""
    title, body = pieces[0].name, "".join(piece.body for piece in pieces)
    if len(pieces) > 1:
        title = f"{len(pieces)} expressions"
        names = "".join(f"<option>{escaped(piece.name)}</option>" for piece in pieces)
        body = f'<label hidden>Problem <select class="problems">{names}</select></label>\n{body}'
    return page(title, body, style=_file("stepper.css"), script=_file("stepper.js"))


def _file(name: str) -> str:
    return files(__package__).joinpath(name).read_text(encoding="utf-8")


def piece(trace: Trace, digits: Digits, detail: str, place: int) -> Piece:
    """One trace as the piece number `place` of a page: tabs, controls, a panel for each sweep.

    Raises RequestError where there is no step at all, or a graph or a number of steps that nobody will look at.
    """
    found = [account for account in accounts(trace, digits, detail, apart=True) if account.lines]
    if not found:
        raise RequestError("there is nothing to step through", label="a number alone", help="adcli eval prints it")
    tabs = "".join(
        f'<button role="tab" id="tab-{place}-{k}" aria-controls="panel-{place}-{k}">{escaped(account.short)}</button>'
        for k, account in enumerate(found)
    )
    panels = "".join(_panel(trace, digits, account, f"{place}-{k}") for k, account in enumerate(found))
    body = (
        f'<section class="stepper">\n<h1>{escaped(heading(trace, digits))}</h1>\n'
        f'<div class="tabs" role="tablist" aria-label="Sweeps" hidden>{tabs}</div>\n{_CONTROLS}{panels}{_PREDICTION}'
        '<p class="announcement" role="status" aria-live="polite"></p>\n</section>\n'
    )
    return Piece(trace.label or trace.expression, body)


_CONTROLS = f"""<div class="controls" role="group" aria-label="Steps" hidden>
<button class="back">Back</button><button class="play">Play</button><button class="next">Next</button>
<input class="slider" type="range" min="1" value="1" aria-label="Step"><span class="place"></span>
<label><input class="predict" type="checkbox"> Predict the next value</label>
<span class="keys">{_KEYS}</span>
</div>
"""
_SAID = " ".join(f'data-{verdict}="{words}"' for verdict, words in WORDS.items())
_PREDICTION = f"""<form class="prediction" autocomplete="off" {_SAID} hidden>
<label><span class="asked"></span> <input class="typed" aria-label="Your number" spellcheck="false"></label>
<button class="check">Check</button><button type="button" class="show">Show</button>
<span class="verdict" role="status"></span>
</form>
"""


def _panel(trace: Trace, digits: Digits, account: Account, name: str) -> str:
    said = f"<p>{escaped(' '.join(account.opening))}</p>"
    if account.search:
        items = "".join(f"<li>{escaped(text)}</li>" for text in account.search)
        said += f"\n<details><summary>The search that makes the tape</summary><ul>{items}</ul></details>"
    results = "".join(f"<li>{escaped(text)}</li>" for text in account.results)
    graph = _graph(trace, digits, account.passage)
    return (
        f'<div role="tabpanel" id="panel-{name}" aria-labelledby="tab-{name}">\n<h2>{escaped(account.title)}</h2>\n'
        f'<div class="board">\n<div class="says"><ol class="told">\n{"".join(map(_told, account.lines))}</ol>'
        f'<ul class="results">{results}</ul></div>\n'
        f'<div class="picture" tabindex="0" role="group" aria-label="Graph">{graph}</div>\n'
        f'{_table(account.lines)}<div class="about">{said}</div>\n</div>\n</div>\n'
    )


def _graph(trace: Trace, digits: Digits, passage: Passage) -> str:
    """The graph with the numbers of one sweep and no others, never so small that it cannot be read.

    Under the pointer and to a screen reader it tells the formulas alone: numbers are shown when it is their turn.
    """
    keys = ((passage.key,) if passage.sweep == FORWARD else (), (passage.key,) if passage.sweep == REVERSE else ())
    rows = trace.rows if any(keys) else [row._replace(gradient=()) for row in trace.rows]
    drawn = drawing(of_trace(trace._replace(keys=keys, rows=rows), digits))
    boxes = [box._replace(whole=box.whole[:1]) for box in drawn.boxes]
    drawn = drawn._replace(boxes=boxes, arcs=[arc._replace(whole="") for arc in drawn.arcs])
    return f'<div style="--least: {_LEAST * drawn.width:.0f}px">{svg.draw(drawn)}</div>'


def _answer(numbers: Sequence[str]) -> str:
    return f'<span class="answer said">{escaped("".join(f" = {text}" for text in numbers))}</span>'


def _told(line: Line) -> str:
    known = " = ".join((line.symbol, *line.working))
    out = [f'<p class="equation"><span class="said">{escaped(known)}</span>{_answer(line.numbers)}</p>']
    for sentences, kind in ((line.before, ""), (line.after, " answer")):
        if sentences:
            out.append(f'<p class="said{kind}">{escaped(" ".join(sentences))}</p>')
    return f"<li {_facts(line)}>{''.join(out)}</li>\n"


def _facts(line: Line) -> str:
    """What the script has to know of a step."""
    told = line.told
    step, row = told.step, told.row
    edges = [(edge.parent, edge.child, edge.position) for edge in told.edges]
    if step.sweep == VALUE:
        edges = [(parent, row.name, k) for k, parent in enumerate(row.parents) if isinstance(parent, str)]
    facts: dict[str, object] = {
        "target": step.target,
        "symbol": line.symbol,
        "shown": line.numbers[-1],
        "edges": ",".join(f"{parent} {child} {k}" for parent, child, k in (edges[-1:] if step.source else edges)),
    }
    if step.source is not None:
        facts["source"] = step.source
    if line.truth is not None:
        facts["truth"] = repr(line.truth)
    return " ".join(f'data-{name}="{escaped(str(fact))}"' for name, fact in facts.items())


def _table(lines: Sequence[Line]) -> str:
    rows = "".join(
        f'<tr><td>{line.number}</td><th scope="row">{escaped(line.symbol)}</th>'
        f"<td>{escaped(' '.join(f'= {text}' for text in line.working))}</td>"
        f'<td><span class="answer">{escaped(" ".join(f"= {text}" for text in line.numbers))}</span></td></tr>\n'
        for line in lines
    )
    return (
        '<div class="table" tabindex="0" role="group" aria-label="Table"><table class="steps">\n'
        f"<tbody>\n{rows}</tbody></table></div>\n"
    )
