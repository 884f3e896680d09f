"""Explanation of a trace: its sweeps in sentences, as a document and as data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..documents import ENTRIES, LABEL, NOTES, NUMBER, STRING, WHOLE, Field, Record, const, record
from ..records import NamedTuple
from ..trace.explained_sweeps import FORWARD, REVERSE
from ..trace.trace_model import Trace
from ..typings import Final
from .document_parts import Heading, Items, Paragraph, Part
from .step_sentences import Account, Line


def parts(head: str, accounts: Sequence[Account]) -> list[Part]:
    """Return the sweeps as parts of a document, under the heading `head` (level 1) if it is not empty.

    Each account has a title, its opening, the search as a list (if it has one), the steps as a list with their own
    numbers (if it has steps), and a paragraph for each result. Sentences that an earlier opening has are left out of
    the opening, whose paragraph may be empty. A step is its equation and, on a second line, all its sentences if there
    are any.
    """
    document: list[Part] = [Heading(head, 1)] if head else []
    written: set[str] = set()
    for account in accounts:
        document.append(Heading(account.title))
        document.append(Paragraph(" ".join([text for text in account.opening if text not in written])))
        written.update(account.opening)
        if account.search:
            document.append(Items([(text,) for text in account.search]))
        if account.lines:
            document.append(Items([_list_item(line) for line in account.lines], account.lines[0].number))
        document += [Paragraph(text) for text in account.results]
    return document


def _list_item(line: Line) -> tuple[str, ...]:
    """Return the lines of a step: its equation, and its sentences if it has any."""
    sentences = " ".join((*line.before, *line.after))
    return (line.equation, sentences) if sentences else (line.equation,)


class _Explanation(NamedTuple):
    """An explanation for the schema: a trace, its point, with nested lists for arrays, and its sweeps in words."""

    trace: Trace
    at: Mapping[str, object]
    accounts: Sequence[Account]


_RULE: Final = record(
    name=STRING.of("rule.name"),
    call=STRING.of("rule.call"),
    derivatives=STRING.array.of("rule.derivatives"),
    step=WHOLE.or_null.of("explained"),
)
_EDGE: Final = record(
    parent=STRING,
    child=STRING,
    argument=WHOLE.of("position"),
    partial=NUMBER.or_null.of("slope"),
    amount=NUMBER.or_null,
)
_STEP: Final = record(
    number=WHOLE,
    target=STRING.of("explained.step.target"),
    source=STRING.or_null.of("explained.step.source"),
    symbol=STRING,
    symbolic=STRING.of("explained.step.symbolic"),
    substituted=STRING.of("explained.step.substituted"),
    value=ENTRIES.or_null.of("explained.step.value"),
    rule=_RULE.or_null.of(lambda line: line.explained if line.explained.rule is not None else None),
    needs=STRING.array.of("explained.needs"),
    edges=_EDGE.array.of("explained.edges"),
    waiting=STRING.array.of("explained.pending"),
    sentences=STRING.array.of(lambda line: (*line.before, *line.after)),
)


def _key(sweep: str) -> Field:
    """Return a field of a document: the key of a sweep of the kind `sweep` (its input or output); the field is absent
    for sweeps of another kind.
    """
    return STRING.known(lambda account: account.passage.key if account.passage.sweep == sweep else None)


_SWEEP: Final = Record(
    {
        "pass": STRING.of("passage.sweep"),
        "wrt": _key(FORWARD),
        "output": _key(REVERSE),
        "title": STRING,
        "opening": STRING.array,
        "search": record(
            postorder=STRING.array.of(lambda search: search.tape[::-1]), tape=STRING.array, unreached=STRING.array
        ).known("passage.search"),
        "steps": _STEP.array.of("lines"),
        "results": record(name=STRING, symbol=STRING, value=ENTRIES).array.of("passage.results"),
    }
)
EXPLAIN: Final = record(
    schema=const("explain/1"),
    label=LABEL.of("trace.label"),
    expression=STRING.of("trace.expression"),
    mode=STRING.of("trace.mode"),
    numbering=STRING.of("trace.numbering"),
    at=ENTRIES.by_name,
    sweeps=_SWEEP.array.of("accounts"),
    notes=NOTES.of("trace.notes"),
)


def data(trace: Trace, accounts: Sequence[Account], at: Mapping[str, object]) -> dict[str, object]:
    """Return the sweeps in the schema `explain/1`; `at` is the point, with nested lists for arrays."""
    return EXPLAIN.data(_Explanation(trace, at, accounts))
