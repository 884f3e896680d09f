"""A marked answer as a web page: words beside the signs, the offending text marked in the student's own line."""

from __future__ import annotations

from collections.abc import Sequence

from ..errors import AdcliError
from ..marking.assessing import total
from ..marking.model import Marking
from .marks import SIGNS, WORDS, Line, heading, lines, missing, remarks, score, summary, underlined, worst
from .page import escaped, page

_COLOURS = {
    "correct": "good", "rounding": "good", "does_not_follow": "fair", "precision": "fair", "carried": "fair",
    "error": "bad", "missing": "bad", "unreadable": "bad", "extra": "",
}  # fmt: skip
STYLE = """
.good { color: var(--green); } .fair { color: var(--amber); } .bad { color: var(--red); }
h1, h2 { overflow-wrap: anywhere; } td code { white-space: pre-wrap; overflow-wrap: anywhere; }
mark { background: none; color: inherit; text-decoration: underline wavy var(--red); text-underline-offset: .25em; }
mark.fair { text-decoration-color: var(--amber); }
tr.first td, tr.first th { background: var(--soft); }
p.score { font-size: 1.15rem; font-weight: 600; }
ul { margin: .1rem 0 .3rem; padding-left: 1.1rem; }
"""


def document(markings: Sequence[Marking], title: str, problem: AdcliError | None = None) -> str:
    """All markings as a page that needs nothing else; `problem` says why there are no markings."""
    several = len(markings) > 1
    body = f"<h1>{escaped(title)}</h1>\n"
    if problem is not None:
        body += f'<p class="score bad">not gradable: {escaped(problem.title)}</p>\n'
        body += f"<p>{escaped(problem.help)}</p>\n" if problem.help else ""
    if several:
        body += f'<p class="score">Total: {escaped(score(*total(markings)))}</p>\n'
    for place, marking in enumerate(markings, 1):
        body += _section(marking, heading(marking, place if several else None))
    return page(title, f"<main>\n{body}</main>\n", style=STYLE)


def _section(marking: Marking, title: str) -> str:
    colour = "good" if marking.verdict == "right" else "bad"
    out = f"<section>\n<h2>{escaped(title)}</h2>\n"
    out += f'<p class="score {colour}">{escaped(summary(marking))}</p>\n'
    if marking.problem is not None and marking.problem.help:
        out += f"<p>{escaped(marking.problem.help)}</p>\n"
    rows = [_row(marking, line) for line in lines(marking)] + [_absent(marking, index) for index in missing(marking)]
    if rows:
        head = "".join(f'<th scope="col">{name}</th>' for name in ("Line", "Mark", "Answer"))
        out += (
            '<div class="scroll" tabindex="0" role="region" aria-label="Marked lines">\n<table>\n'
            f"<caption>The answer, line by line</caption>\n<thead><tr>{head}</tr></thead>\n"
            f"<tbody>\n{''.join(rows)}</tbody>\n</table>\n</div>\n"
        )
    return out + "</section>\n"


def _row(marking: Marking, line: Line) -> str:
    if not line.number:
        return "<tr><td></td><td></td><td>lines without rows are left out</td></tr>\n"
    first = ' class="first"' if marking.first in line.marks else ""
    verdict = worst([marking.marks[index] for index in line.marks]).verdict if line.marks else ""
    said = f"<code>{_text(marking, line)}</code>{_remarks(marking, line.marks)}"
    return f'<tr{first}><th scope="row">{line.number}</th>{_verdict(verdict)}<td>{said}</td></tr>\n'


def _absent(marking: Marking, index: int) -> str:
    return f"<tr><td></td>{_verdict('missing')}<td>{_remarks(marking, [index])}</td></tr>\n"


def _verdict(verdict: str) -> str:
    if not verdict:
        return "<td></td>"
    sign = f'<span aria-hidden="true">{SIGNS[verdict]}</span>'
    return f'<td class="{_COLOURS[verdict]}">{sign}&nbsp;{WORDS[verdict]}</td>'


def _remarks(marking: Marking, marks: Sequence[int]) -> str:
    texts = [f"<li>{escaped(said)}</li>" for index in marks for said in remarks(marking, index)]
    return f"<ul>{''.join(texts)}</ul>" if texts else ""


def _text(marking: Marking, line: Line) -> str:
    """The line with the places that remarks are about marked; of places that overlap the first one."""
    out, done = "", 0
    spans = []
    for index in line.marks:
        mark = marking.marks[index]
        if mark.span is not None and underlined(marking, index):
            start = mark.span.source.position(mark.span.start)[1] - 1
            spans.append((start, min(start + mark.span.end - mark.span.start, len(line.text)), _COLOURS[mark.verdict]))
    for start, end, colour in sorted(spans):
        if start >= done:
            out += f'{escaped(line.text[done:start])}<mark class="{colour}">{escaped(line.text[start:end])}</mark>'
            done = end
    return out + escaped(line.text[done:])
