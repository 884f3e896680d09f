"""Sweeps in sentences as documents: plain text, Markdown, HTML, data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..trace.model import Trace
from ..trace.schema import plain_number
from ..trace.telling import FORWARD, REVERSE, EdgeFlow
from .cells import width
from .formats import markdown as marked
from .page import escaped
from .telling import Account, Line


def plain(head: str, accounts: Sequence[Account], columns: int | None = None) -> str:
    """The sweeps as text below a line of their own, if there is one; broken at so many columns, if there is a limit."""
    out = [f"{head}\n"] if head else []
    for account in accounts:
        lines = [account.title, *broken(" ".join(account.opening), columns)]
        lines += [piece for text in account.search for piece in broken(text, columns, "  ")]
        for line in account.lines:
            start = f"{line.number:3}. "
            lines += broken(line.equation, columns, start)
            lines += broken(" ".join((*line.before, *line.after)), columns, " " * len(start))
        lines += [piece for text in account.results for piece in broken(text, columns)]
        out.append("\n".join(lines) + "\n")
    return "\n".join(out)


def broken(text: str, columns: int | None, start: str = "") -> list[str]:
    """The text in lines, `start` before the first and as many blanks before the others; nothing where it is empty."""
    blank = " " * len(start)
    lines: list[str] = []
    line = start
    for word in text.split(" ") if text else ():
        fresh = line in (start, blank)
        if not fresh and columns is not None and width(line) + 1 + width(word) > columns:
            lines.append(line)
            line, fresh = blank, True
        line += word if fresh else f" {word}"
    return [*lines, line] if text else []


def markdown(head: str, accounts: Sequence[Account]) -> str:
    """The sweeps as Markdown: a heading, paragraphs and a numbered list each."""
    out = [f"# {marked.escaped(head)}\n"] if head else []
    for account in accounts:
        out.append(f"## {marked.escaped(account.title)}\n\n{marked.escaped(' '.join(account.opening))}\n")
        if account.search:
            out.append("".join(f"- {marked.escaped(text)}\n" for text in account.search))
        out.append("".join(_item(line) for line in account.lines))
        out.append(f"{marked.escaped(' '.join(account.results))}\n")
    return "\n".join(out)


def _item(line: Line) -> str:
    head = f"{line.number}. "
    said = " ".join((*line.before, *line.after))
    more = f"  \n{' ' * len(head)}{marked.escaped(said)}" if said else ""
    return f"{head}{marked.escaped(line.equation)}{more}\n"


def html(head: str, accounts: Sequence[Account]) -> str:
    """The sweeps as a part of a page."""
    out = [f"<h1>{escaped(head)}</h1>\n"]
    for account in accounts:
        out.append(f"<section>\n<h2>{escaped(account.title)}</h2>\n<p>{escaped(' '.join(account.opening))}</p>\n")
        if account.search:
            out.append(f"<ul>\n{''.join(f'<li>{escaped(text)}</li>{chr(10)}' for text in account.search)}</ul>\n")
        first = account.lines[0].number if account.lines else 1
        items = "".join(
            f"<li><strong>{escaped(line.equation)}</strong><br>{escaped(' '.join((*line.before, *line.after)))}</li>\n"
            for line in account.lines
        )
        out.append(f'<ol start="{first}">\n{items}</ol>\n<p>{escaped(" ".join(account.results))}</p>\n</section>\n')
    return "".join(out)


def as_dict(trace: Trace, accounts: Sequence[Account]) -> dict[str, Any]:
    """The sweeps in the schema `explain/1`."""
    return {
        "schema": "explain/1",
        "label": trace.label,
        "expression": trace.expression,
        "mode": trace.mode,
        "numbering": trace.numbering,
        "at": {name: plain_number(x) for name, x in trace.at.items()},
        "sweeps": [_sweep(account) for account in accounts],
        "notes": [{"node": note.node, "kind": note.kind, "text": note.text} for note in trace.notes],
    }


def _sweep(account: Account) -> dict[str, Any]:
    passage = account.passage
    data: dict[str, Any] = {"pass": passage.sweep}
    if passage.sweep in (FORWARD, REVERSE):
        data["wrt" if passage.sweep == FORWARD else "output"] = passage.key
    data |= {"title": account.title, "opening": list(account.opening)}
    if passage.search is not None:
        tape = list(passage.search.tape)
        data["search"] = {"postorder": tape[::-1], "tape": tape, "unreached": list(passage.search.unreached)}
    data["steps"] = [_step(line) for line in account.lines]
    data["results"] = [
        {"name": result.name, "symbol": result.symbol, "value": plain_number(result.value)}
        for result in passage.results
    ]
    return data


def _step(line: Line) -> dict[str, Any]:
    told = line.told
    step, rule = told.step, told.rule
    return {
        "number": line.number,
        "target": step.target,
        "source": step.source,
        "symbol": line.symbol,
        "symbolic": step.symbolic,
        "substituted": step.substituted,
        "value": plain_number(step.value),
        "rule": None
        if rule is None
        else {"name": rule.name, "call": rule.call, "derivatives": list(rule.derivatives), "step": told.explained},
        "needs": list(told.needs),
        "edges": [_edge(edge) for edge in told.edges],
        "waiting": list(told.waiting),
        "sentences": [*line.before, *line.after],
    }


def _edge(edge: EdgeFlow) -> dict[str, Any]:
    return {
        "parent": edge.parent,
        "child": edge.child,
        "argument": edge.position,
        "partial": plain_number(edge.slope),
        "amount": plain_number(edge.amount),
    }
