"""Sweeps in sentences as documents and as data."""

from __future__ import annotations

from collections.abc import Sequence

from ..trace.model import Trace
from ..trace.schema import plain_number
from ..trace.telling import FORWARD, REVERSE, EdgeFlow
from .cells import AnyText, Heading, Items, Paragraph, Part
from .telling import Account, Line


def parts(head: str, accounts: Sequence[Account]) -> list[Part]:
    """The sweeps below a heading, if there is one: paragraphs and a numbered list each."""
    found: list[Part] = [Heading(head, 1)] if head else []
    for account in accounts:
        found.append(Heading(AnyText(account.title)))
        found.append(Paragraph(AnyText(" ".join(account.opening))))
        if account.search:
            found.append(Items([(AnyText(text),) for text in account.search]))
        if account.lines:
            found.append(Items([_item(line) for line in account.lines], account.lines[0].number))
        found += [Paragraph(text) for text in account.results]
    return found


def _item(line: Line) -> tuple[str, ...]:
    said = " ".join((*line.before, *line.after))
    return (line.equation, AnyText(said)) if said else (line.equation,)


def as_dict(trace: Trace, accounts: Sequence[Account]) -> dict[str, object]:
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


def _sweep(account: Account) -> dict[str, object]:
    passage = account.passage
    data: dict[str, object] = {"pass": passage.sweep}
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


def _step(line: Line) -> dict[str, object]:
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


def _edge(edge: EdgeFlow) -> dict[str, object]:
    return {
        "parent": edge.parent,
        "child": edge.child,
        "argument": edge.position,
        "partial": plain_number(edge.slope),
        "amount": plain_number(edge.amount),
    }
