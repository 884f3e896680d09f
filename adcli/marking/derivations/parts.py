"""Parts of an answer: which of its lines are about which problem that asks for formulas. A line is a pair (number from
1, text).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress
from fractions import Fraction
from itertools import groupby, product

from ...answers.answer import split_answer
from ...answers.answer_model import DERIVATIVE, VALUE, Answer, Entry, NotGradable, Quantity, RowPiece, Task, line_of
from ...answers.decoding import binary_kind, decode_answer, unreadable
from ...answers.derivations.derivation_lines import LINES
from ...answers.derivations.rows_as_statements import TraceRows, possible_results
from ...answers.sections import heading
from ...errors import AdcliError
from ...graph.order import arrange
from ...patterns import pattern
from ..model import Marking, Rules
from ..recognition.matching import names_of
from .claims import Naming
from .requested import weights
from .verdicts import FormulaMarker

Numbered = tuple[int, str]

_DATA = (".json", ".ipynb", ".html", ".htm", ".csv", ".tsv", ".xlsx", ".docx", ".odt", ".ods")
_LABELLED = pattern(
    r"\s*(?:\*\*|#{1,6}\s)?\s*(?:(?:problem|exercise|question|task|aufgabe|part|ex|q|p|no|nr)\.?\s*#?\s*)?[(#]?(?P<label>\w{1,12})[).:]+\**\s*(?P<rest>.*)\Z",
    re.IGNORECASE | re.S,
)
_WITH_RESPECT_TO = pattern(
    r"[^\W\d_]'\s*+(?:\(\s*+([^\W\d_]\w*+)\s*+\))?|(?:/\s*+|\}\s*+)\{?\s*+[d∂]\s*+([^\W\d_]\w*+)"
)
_NO_ROWS = TraceRows()
_MOST = 60  # blocks that are tried for each problem


def assess_formulas(data: bytes, name: str, tasks: Sequence[Task], rules: Rules) -> dict[int, Marking]:
    """Return the markings of those of `tasks` that ask for formulas, by their indices in `tasks`.

    `data` and `name` are the bytes and the file name of the answer. If the answer cannot be marked, the marking has the
    verdict not_gradable and the reason as its problem; NotGradable is not raised.
    """
    try:
        parts = _divide_lines(data, name, tasks, rules)
    except NotGradable as error:
        return {
            k: not_gradable_formulas(task, None, rules, error) for k, task in enumerate(tasks) if task.asks_formulas
        }
    file = (data, name) if len(tasks) == 1 else None
    return {place: _best_reading(tasks[place], lines, file, rules)[0] for place, lines in parts.items()}


def derivative_of_constant(data: bytes, name: str, tasks: Sequence[Task], place: int, rules: Rules) -> Marking | None:
    """Return the marking of an answer to a task without inputs, taken as the derivative of a constant, which is 0.

    The input is given by the first derivative in the text: t in `d/dt` and `f'(t)`, x for a prime without an argument
    (`f' = 0`). `data` and `name` are the bytes and the file name of the answer, `place` is the index of its task in
    `tasks`, which must have no point (else KeyError). None if the text has no derivative, or if the marking has a
    problem. The marking has the task as it is in `tasks`. Raises NotGradable if `data` is not text.
    """
    if (match := _WITH_RESPECT_TO.search(decode_answer(data))) is None:
        return None
    task = tasks[place]
    graph = arrange(task.program.graph, extra=[next(filter(None, match.groups()), "x")])
    asking = [*tasks[:place], task._replace(program=task.program._replace(graph=graph)), *tasks[place + 1 :]]
    marking = assess_formulas(data, name, asking, rules)[place]
    return None if marking.problem is not None else marking._replace(task=task)


def read_as(data: bytes, name: str, tasks: Sequence[Task]) -> dict[int, Answer | NotGradable]:
    """Return how an answer is read for each task that asks for formulas, {index in `tasks`: Answer, or the error}.

    If the whole answer is empty or cannot be read, all of these tasks have the same error, a NotGradable. `data` and
    `name` are the bytes and the file name of the answer, which is divided by the marks of the default rules. Raises
    NotGradable if the formulas of a problem and its part of the answer become too large.
    """
    try:
        parts = _divide_lines(data, name, tasks, Rules())
    except NotGradable as error:
        return {place: error for place, task in enumerate(tasks) if task.asks_formulas}
    file = (data, name) if len(tasks) == 1 else None
    readings = ((place, lines, _best_reading(tasks[place], lines, file, Rules())[1]) for place, lines in parts.items())
    return {place: _reading(FormulaMarker(tasks[place], lines, Rules(), rows)) for place, lines, rows in readings}


def _reading(marker: FormulaMarker) -> Answer:
    """Return the answer of a marker as it is read, without marking it.

    Each claim gives one entry for each line that it is on. Its quantity is the derivative as shown in marks, or the
    defined name; its pieces are the formulas on that line. Other lines with a letter or digit are in `left_out`, whole.
    """
    entries: list[Entry] = []
    for claim in marker.claims():
        name = claim.definition.name if isinstance(claim, Naming) else marker.display_name(claim)
        quantity = Quantity(VALUE if isinstance(claim, Naming) else DERIVATIVE, name)
        for number, (_, items) in enumerate(groupby(claim.items, key=lambda item: line_of(item.piece.span))):
            read = ((item, item.graphs[0] if item.graphs else None) for item in items)
            pieces = tuple(RowPiece(item.piece.span, graph=graph, problem=item.problem) for item, graph in read)
            span = pieces[0].span if number else claim.span
            entries.append(Entry(quantity, pieces, span.source, span))
    lines = {line_of(span) for entry in entries for span in (entry.span, *(piece.span for piece in entry.pieces))}
    return marker.answer._replace(entries=tuple(entries), left_out=marker.unread_lines(lines))


def _divide_lines(data: bytes, name: str, tasks: Sequence[Task], rules: Rules) -> dict[int, Sequence[Numbered]]:
    """Return the lines for each task that asks for formulas, {index in `tasks`: [(line number, text), …]}.

    A task with a heading in the answer gets the lines under it, a single task all lines. The lines before the first
    heading of any task, also of one that asks for no formulas, go to the other tasks: each gets the paragraph that
    earns most by `rules`, all of these lines, or none (see `_lines_by_marks`). `data` and `name` are the bytes and the
    file name of the answer. Raises NotGradable if the answer is blank or unreadable.
    """
    lines = _read_lines(data, name, tasks)
    asking = [place for place, task in enumerate(tasks) if task.asks_formulas]
    parts = _lines_by_heading(lines, tasks)
    left = [place for place in asking if place not in parts]
    taken = {number for part in parts.values() for number, _ in part}
    rest = [line for line in lines if line[0] not in taken]
    by_marks = dict(zip(left, _lines_by_marks([tasks[place] for place in left], rest, rules), strict=True))
    return {place: parts[place] if place in parts else by_marks[place] for place in asking}


def _best_reading(
    task: Task, lines: Sequence[Numbered], file: tuple[bytes, str] | None, rules: Rules
) -> tuple[Marking, TraceRows]:
    """Return the best marking of `lines` as formulas for `task`, and the rows that it marks (no entries: the lines).

    `file` is (the bytes, the file name) of an answer to a single task, None if `lines` are a part of it. A task may be
    answered by the rows of a trace, or a table, if it has a mode, or if no derivative is read from `lines`. Of two
    markings the one that understands more lines is better, then a right one, then the one that earns more, then the one
    with fewer crosses."""
    read, marking = [_NO_ROWS], _mark_lines(task, lines, rules)
    if task.mode is not None or all(mark.span is None for mark in marking.marks if mark.kind != VALUE):
        texts, names = dict(lines), names_of([task])
        part = "\n".join(texts.get(number, "") for number in range(1, max(texts, default=0) + 1)).encode()
        with suppress(NotGradable):
            script = split_answer(*file or (part, ""), names)
            entries = script.read(script.together(), names).entries
            results = possible_results(entries, task.program.graph.outputs[0][0])
            read += [TraceRows(entries, result, task.mode is not None) for result in results]
    markings = [(_mark_lines(task, lines, rules, rows) if rows.entries else marking, rows) for rows in read]
    return max(markings, key=lambda pair: _rank_reading(pair[0]))


def _rank_reading(marking: Marking) -> tuple[bool, int, bool, Fraction, int]:
    """Return the sort key of a marking, larger is better: (is gradable, lines with marks, is right, points earned,
    -crosses)."""
    is_gradable, lines = marking.verdict != "not_gradable", {mark.line for mark in marking.marks} - {None}
    return is_gradable, len(lines), marking.verdict == "right", marking.earned, -marking.crosses


def _mark_lines(task: Task, lines: Sequence[Numbered], rules: Rules, rows: TraceRows = _NO_ROWS) -> Marking:
    """Return the marking of `lines`, all of them, as formulas for `task`; of `rows` instead, if it has entries.

    If they cannot be marked, its verdict is not_gradable, its problem the reason, and its answer has the lines without
    entries.
    """
    try:
        return FormulaMarker(task, lines, rules, rows).marking()
    except NotGradable as error:
        return not_gradable_formulas(task, Answer("text", tuple(text for _, text in lines), (), ()), rules, error)


def not_gradable_formulas(task: Task, answer: Answer | None, rules: Rules, error: AdcliError) -> Marking:
    """Return a marking with the verdict not_gradable, the problem `error` and no points earned."""
    nothing = Fraction(0)
    possible = sum(weights(task, rules), nothing)
    return Marking(task, answer, "not_gradable", (), None, nothing, nothing, possible, error)


def _read_lines(data: bytes, name: str, tasks: Sequence[Task]) -> list[Numbered]:
    """Return the first 8,000 lines of an answer as pairs (number from 1, text).

    `data` and `name` are the bytes and the file name of the answer. A document (such as JSON or HTML) is recognised by
    its first bytes or by the suffix of `name`, in capitals or not, and is read with the names of `tasks`; a sheet
    becomes a table, a key and its value in JSON an equation. Raises NotGradable if the answer is empty, a picture, or a
    text or document that cannot be read.
    """
    if (what := binary_kind(data)) is not None:
        raise unreadable(what)
    if data.startswith(b"PK") or name.lower().endswith(_DATA) or data.lstrip()[:1] in (b"{", b"<"):
        from ...answers.answer import lines_of

        texts = lines_of(data, name, tasks)
        if (suffix := name.lower()[-4:]) in (".csv", ".tsv"):
            from ...answers.forms.delimited import sheet_as_table

            texts = sheet_as_table(texts, suffix)
        if data.lstrip()[:1] == b"{":  # a key and its value
            texts = [text.replace("  ", " = ") if text.count("  ") == 1 else text for text in texts]
    else:
        texts = decode_answer(data).split("\n")
    if not any(line.strip() for line in texts):
        raise NotGradable("the answer is empty", help="write f'(x) = … and the derivative")
    return list(enumerate(texts[: 20 * LINES], 1))


def _plain_label(label: str | None) -> str:
    """Return a label without words such as `Problem`, punctuation, blanks and capitals; "" for None."""
    return re.sub(r"(?i)problem|exercise|question|task|part|[\s.:()#]", "", label or "").casefold()


def _lines_by_heading(lines: Sequence[Numbered], tasks: Sequence[Task]) -> dict[int, list[Numbered]]:
    """Return the lines under the heading of each task, {index of the task: [(line number, text), …]}.

    A heading is the label of the task, or the task's number from 1 if it has no label, as a line of its own or before a
    text (`2. f' = 3`); case, punctuation and words such as `Problem` do not matter. The line of the heading is
    included, with the heading blanked out. A part goes on to the next heading of a task; other headings are lines of
    it. Several headings of a task make one part; of equal labels the last task counts. Tasks without a heading are
    missing, and lines before the first heading are dropped. A single task gets all lines.
    """
    if len(tasks) == 1:
        return {0: list(lines)}
    labels = {_plain_label(task.label) or str(number): number - 1 for number, task in enumerate(tasks, 1)}
    parts: dict[int, list[Numbered]] = {}
    current: int | None = None
    for number, text in lines:
        title, rest = heading(text), ""
        if title is None and (match := _LABELLED.match(text)):
            title, rest = match["label"], match["rest"]
        place = labels.get(_plain_label(title)) if title is not None else None
        if place is not None:
            current = place
            text = " " * (len(text) - len(rest)) + rest
        if current is not None:
            parts.setdefault(current, []).append((number, text))
    return parts


def _lines_by_marks(tasks: Sequence[Task], lines: Sequence[Numbered], rules: Rules) -> list[Sequence[Numbered]]:
    """Return, for each of `tasks`, the lines of the paragraph that earns most; the tasks have no headings.

    Each paragraph is given to one task at most: first the pair of task and paragraph with the largest fraction of the
    marks; of equal pairs a gradable one, then the one with the smallest difference of indices, then the first. Pairs
    that earn nothing are given too. A task for which no paragraph is left gets (). If there is a single paragraph, its
    lines take the part of paragraphs (`_blocks`). All tasks get all lines if there is one task, or if there are fewer
    than 2 or more than 60 paragraphs.
    """
    blocks = _blocks(lines)
    if len(tasks) == 1 or len(blocks) < 2 or len(blocks) > _MOST:
        return [lines for _ in tasks]
    pairs = product(enumerate(tasks), enumerate(blocks))
    tried = {(k, b): _rank(_mark_lines(task, block, rules)) for (k, task), (b, block) in pairs}
    order = sorted(tried, key=lambda pair: (-tried[pair], abs(pair[0] - pair[1])))
    chosen: dict[int, int] = {}
    for k, b in order:
        if k not in chosen and b not in chosen.values():
            chosen[k] = b
    return [blocks[chosen[k]] if k in chosen else () for k in range(len(tasks))]


def _rank(marking: Marking) -> Fraction:
    """Return the fraction of the marks that a marking earns, plus 1/1000 if it is gradable."""
    fraction = marking.earned / marking.possible if marking.possible else Fraction(0)
    return fraction + (Fraction(1, 1000) if marking.verdict != "not_gradable" else 0)


def _blocks(lines: Sequence[Numbered]) -> list[list[Numbered]]:
    """Return the paragraphs of numbered lines, which blank lines separate; [] for no lines.

    A single paragraph is divided further: each line begins a block, unless it begins with `=`, `&`, `⇒` or `=>`, which
    continues the block before.
    """
    blocks = [[*block] for is_filled, block in groupby(lines, lambda line: bool(line[1].strip())) if is_filled]
    if len(blocks) != 1:
        return blocks
    single: list[list[Numbered]] = []
    for line in blocks[0]:
        if single and line[1].lstrip().startswith(("=", "&", "⇒", "=>")):
            single[-1].append(line)
        else:
            single.append([line])
    return single
