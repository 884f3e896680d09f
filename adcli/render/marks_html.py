"""A marked answer as a web page: words beside the signs, the offending text marked in the student's own line."""

from __future__ import annotations

from collections.abc import Sequence

from ..errors import AdcliError
from ..homework.model import Marking
from .marks import SIGNS, WORDS, Line, heading, lines, missing, remarks, score, summary, total, underlined, worst
from .page import escaped, page

_COLOURS = {
    "correct": "good", "rounding": "good", "does_not_follow": "fair", "precision": "fair", "carried": "fair",
    "error": "bad", "missing": "bad", "unreadable": "bad", "extra": "",
}  # fmt: skip
STYLE = """
.good { color: var(--green); } .fair { color: var(--amber); } .bad { color: var(--red); }
td code { display: block; min-width: 15rem; white-space: pre-wrap; overflow-wrap: anywhere; }
.verdict { min-width: 7rem; } .remarks { min-width: 13rem; }
mark { background: none; color: inherit; text-decoration: underline wavy var(--red); text-underline-offset: .25em; }
mark.fair { text-decoration-color: var(--amber); }
tr.first td, tr.first th { background: var(--soft); }
p.score { font-size: 1.15rem; font-weight: 600; }
ul { margin: 0; padding-left: 1.1rem; }
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
        head = "".join(f'<th scope="col">{name}</th>' for name in ("Line", "Answer", "Mark", "Remarks"))
        out += (
            '<div class="scroll" tabindex="0" role="region" aria-label="Marked lines">\n<table>\n'
            f"<caption>The answer, line by line</caption>\n<thead><tr>{head}</tr></thead>\n"
            f"<tbody>\n{''.join(rows)}</tbody>\n</table>\n</div>\n"
        )
    return out + "</section>\n"


def _row(marking: Marking, line: Line) -> str:
    if not line.number:
        return '<tr><td></td><td colspan="3">lines without rows are left out</td></tr>\n'
    first = ' class="first"' if marking.first in line.marks else ""
    head = f'<th scope="row">{line.number}</th><td><code>{_text(marking, line)}</code></td>'
    if not line.marks:
        return f"<tr>{head}<td></td><td></td></tr>\n"
    verdict = worst([marking.marks[index] for index in line.marks]).verdict
    return f"<tr{first}>{head}{_verdict(verdict)}<td class='remarks'>{_remarks(marking, line.marks)}</td></tr>\n"


def _absent(marking: Marking, index: int) -> str:
    head = f"<td></td><td>{escaped(marking.marks[index].row)}</td>{_verdict('missing')}"
    return f"<tr>{head}<td class='remarks'>{_remarks(marking, [index])}</td></tr>\n"


def _verdict(verdict: str) -> str:
    sign = f'<span aria-hidden="true">{SIGNS[verdict]}</span>'
    return f'<td class="verdict {_COLOURS[verdict]}">{sign} {WORDS[verdict]}</td>'


def _remarks(marking: Marking, marks: Sequence[int]) -> str:
    texts = [escaped(said) for index in marks for said in remarks(marking, index)]
    return texts[0] if len(texts) == 1 else f"<ul>{''.join(f'<li>{text}</li>' for text in texts)}</ul>" if texts else ""


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
