"""Remarks: crossed rows in sentences that are not understood, or about other values of the inputs. A crossed row has
the verdict error or formula."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence

from ...answers.answer_model import VALUE, Answer, Entry, LeftOut, Numeral, Quantity, Task
from ...answers.collector import LINES
from ...answers.row_tokens import names_in
from ...answers.stated_numbers import CORRECTS, WORD_USES
from ...language.advice import synonyms
from ...numbers.double_intervals import SPREAD
from ...records import grouped
from ..model import CROSSED, Mark, Marking
from ..programs.resolving import mentions
from ..programs.value_rows import RESULTS
from .matching import value_of

_ELSEWHERE = "a remark that is not understood, or is about other values"
_REMARK = f"{_ELSEWHERE}; another row counts"
_EQUATION = "an equation to solve; another row gives this derivative at the point"
_CONDITION = "an equation to solve, not a row of the problem"
_BESIDE = "a computation that the problem does not have and no other row uses"
_CLOSE = 1e-9  # of two values by formulas
_SHORTEST = 3  # letters of a word that makes a sentence a remark


def without_remarks(marking: Marking) -> Answer | None:
    """Return the marked answer without its remarks, which are added to `left_out`; None if it has no remarks or no
    answer.

    Remarks are:

    - a row in a doubtful line (`_doubtful_lines`), if it is a value of an input, if its quantity has another row in a
      line that is not doubtful, or if its quantity has a rule such as `s' = s(1-s)` (`_is_rule`);
    - in any line without a wrong formula, equations such as `f'(x) = 0` (`_is_equation`);
    - in any line, if the task has no mode and so does not ask for steps, conditions (`_conditions`) and all rows of a
      quantity that is a true computation next to the problem (`_unrelated`).
    """
    answer = marking.answer
    reasons = {} if answer is None else _reasons(marking, answer.entries)
    if answer is None or not reasons:
        return None
    kept = tuple(entry for k, entry in enumerate(answer.entries) if k not in reasons)
    left_out = (LeftOut(answer.entries[k].place, reason) for k, reason in sorted(reasons.items()))
    return answer._replace(entries=kept, left_out=(*answer.left_out, *left_out))


def _reasons(marking: Marking, entries: Sequence[Entry]) -> dict[int, str]:
    """Return {index of a remark: why it is not counted}, as `without_remarks` describes remarks; {} without remarks.

    Of several reasons for a row the last of these counts: a doubtful line, unrelated, a condition, an equation.
    """
    doubtful = _doubtful_lines(marking, entries)
    certain = {entry.quantity for entry in entries if entry.line not in doubtful}
    known = certain | _inputs(marking.task)
    known |= {entry.quantity for entry in entries if _is_rule(entry, marking.task)}
    unrelated = _unrelated(marking, entries)
    reasons = {
        k: (_ELSEWHERE, _REMARK)[e.quantity in certain]
        for k, e in enumerate(entries)
        if e.line in doubtful and e.quantity in known
    }
    reasons |= {k: _BESIDE for k, e in enumerate(entries) if e.quantity in unrelated}
    lines = {mark.line for mark in marking.marks if _may_be_equation(mark)}
    reasons |= dict.fromkeys(_conditions(marking, entries), _CONDITION)
    return reasons | {k: _EQUATION for k, e in enumerate(entries) if e.line in lines and _is_equation(e, entries)}


def _may_be_equation(mark: Mark) -> bool:
    """Return whether a row is crossed, but not for a wrong formula and a wrong number, as `f'(x) = 2x + 4 = 0`."""
    return mark.verdict == "formula" or (mark.verdict == "error" and mark.formula != "wrong")


def _is_equation(entry: Entry, entries: Sequence[Entry]) -> bool:
    """Return whether a row sets a derivative to 0 in order to find a point: `f'(x) = 0`, `df/dx = 0 at x = 2`.

    The row has the number 0, without decimals, and names an argument that is not a number, or is not alone in its line.
    A row of another line must give the same derivative another number, or a formula.
    """
    numbers = [piece.number for piece in entry.pieces if piece.number is not None]
    if entry.quantity.kind == VALUE or not numbers or not _is_zero(numbers[0]):
        return False
    line, place = entry.source.text, entry.place
    argument = line[entry.span.start : place.end].partition("(")[2].partition(")")[0]
    is_alone = not (line[: place.start] + line[place.end :]).strip(" \t.,;:$*-")
    others = (each for each in entries if each.quantity == entry.quantity and each.line != entry.line)
    is_stated = any(piece.number is None or piece.number.value != 0 for each in others for piece in each.pieces)
    return is_stated and (argument.strip().isidentifier() or not is_alone)


def _is_zero(number: Numeral | None) -> bool:
    """Return whether a number is 0 without decimals."""
    return number is not None and number.value == 0 and number.unit == 1


def _conditions(marking: Marking, entries: Sequence[Entry]) -> list[int]:
    """Return the places of rows in crossed lines that set a formula behind a label to 0: `Optimum: 40 - q - 6 = 0`.

    The label is not a name of the problem; between it and the formula is only a colon. The last of two pieces or more
    is 0, without decimals. [] if the task has a mode.
    """
    graph, lines = marking.task.program.graph, {mark.line for mark in marking.marks if mark.verdict in CROSSED}
    names = {*graph.inputs.values(), *dict(graph.outputs), *graph.aliases.values()}
    rows = ((k, e) for k, e in enumerate(entries) if e.line in lines and e.quantity.kind == VALUE and len(e.pieces) > 1)
    zeros = ((k, e) for k, e in rows if _is_zero(e.pieces[-1].number))
    labelled = (k for k, e in zeros if e.source.text[e.span.end : e.pieces[0].span.start].strip() == ":")
    return [k for k in labelled if marking.task.mode is None and entries[k].quantity.name not in names]


def _unrelated(marking: Marking, entries: Sequence[Entry]) -> set[Quantity]:
    """Return the quantities of rows with an error, but without slips, that are not part of the problem.

    Such a row is on a line with a mark that has the verdict error and no slips; other rows of this line count, too. Its
    name is its own: it is neither in the problem nor in formulas or derivatives of the answer, and `_is_unrelated`
    accepts it. The pieces of the row that have a value at the inputs, at least one, are all equal (`_is_true`). If all
    results are right, and one has the name of the problem or a usual one, slips do not matter, nor does the name of a
    row with more than a number. Empty if the task has a mode, since it then asks for steps.
    """
    graph, is_done = marking.task.program.graph, _is_done(marking, entries)
    lines = {mark.line for mark in marking.marks if mark.verdict == "error" and (is_done or not mark.slips)}
    crossed = [entry for entry in entries if entry.line in lines and marking.task.mode is None]
    rows = Counter(entry.quantity.name for entry in entries)
    taken = {*mentions(entries, ()), *graph.inputs.values(), *dict(graph.outputs), *graph.aliases.values()}
    student_rows = [entry for entry in crossed if entry.quantity.name not in taken]
    accepts = _is_helper if is_done else _is_unrelated
    return {entry.quantity for entry in student_rows if accepts(entry, rows) and _is_true(entry, marking.task)}


def _is_done(marking: Marking, entries: Sequence[Entry]) -> bool:
    """Return whether all marks are earned, and a value has the name of an output or a usual one of a result."""
    outputs = {*dict(marking.task.program.graph.outputs), *RESULTS}
    is_named = any(entry.quantity.kind == VALUE and entry.quantity.name in outputs for entry in entries)
    return is_named and marking.earned == marking.possible


def _is_helper(entry: Entry, rows: Mapping[str, int]) -> bool:
    """Return whether a value row is the only one of its name, with more than a number, or `_is_unrelated`."""
    is_only = entry.quantity.kind == VALUE and rows[entry.quantity.name] == 1
    return (is_only and len(entry.pieces) > 1) or _is_unrelated(entry, rows)


def _is_unrelated(entry: Entry, rows: Mapping[str, int]) -> bool:
    """Return whether a value row has a name of its own: `beta = v/c = 0.6`, or another function: `T2(x) = 1 + x/2`.

    It must be the only row, of any kind, of this name. A name that is not followed by a bracket in the line must have
    letters alone, and a single letter must not be next in the alphabet to the name of another row. `rows` counts the
    rows of each name.
    """
    name = entry.quantity.name
    if entry.quantity.kind == VALUE and "(" in entry.source.text[entry.span.start : entry.span.end + 1]:
        return rows[name] == 1
    neighbours = {chr(ord(name) + step) for step in (-1, 1)} if len(name) == 1 else ()
    return entry.quantity.kind == VALUE and name.isalpha() and rows[name] == 1 and rows.keys().isdisjoint(neighbours)


def _is_true(entry: Entry, task: Task) -> bool:
    """Return whether those pieces of a row that have a value at the point of `task` are equal; False if none has.

    Equal means that the largest and the smallest value differ by at most half the largest unit among the pieces that
    are numbers (plus 1e-9). A row with one such piece is true.
    """
    point = {name: SPREAD.number(value) for name, value in task.at.items()}
    values = [value.middle for piece in entry.pieces if (value := value_of(piece, point)) is not None]
    unit = max((float(piece.number.unit) for piece in entry.pieces if piece.number is not None), default=0)
    return bool(values) and max(values) - min(values) <= unit / 2 + _CLOSE


def _doubtful_lines(marking: Marking, entries: Sequence[Entry]) -> set[int]:
    """Return the numbers of the lines of a wrong answer whose rows may be remarks; empty if no line is crossed.

    Only lines with a mark error, formula or carried count. From the first of them on that gives an input another value
    (`_is_elsewhere`) all are doubtful; before it those that have a rule (`_is_rule`) and an unusual word
    (`_has_unusual_word`). A wrong value is not doubtful just since it is in a sentence: it would be a second guess that
    costs nothing.
    """
    rows = _Rows(entries, {mark.line for mark in marking.marks if mark.verdict in (*CROSSED, "carried")})
    inputs = [entry for entry in rows.crossed if entry.quantity in _inputs(marking.task)]
    first = next((entry.line for entry in inputs if _is_elsewhere(entry, rows)), LINES + 1)
    rules = [entry for entry in rows.crossed if _is_rule(entry, marking.task) and _has_unusual_word(entry, rows)]
    return {entry.line for entry in rows.crossed if entry.line >= first}.union(entry.line for entry in rules)


class _Rows:
    """The rows of an answer, in the order of their lines, some of which are crossed.

    `lines` are the numbers of the crossed lines, `crossed` the rows in them, `by_line` all rows by line. `first` has
    the first line of each quantity, `uncrossed` its number of rows outside of the crossed lines. `last` is the last
    line that is not crossed, 0 without one.
    """

    def __init__(self, entries: Sequence[Entry], lines: Collection[int | None]) -> None:
        """Index `entries`; `lines` are the numbers of the crossed lines."""
        self.lines = lines
        ordered = sorted(entries, key=lambda entry: entry.line)
        self.crossed = [entry for entry in ordered if entry.line in lines]
        self.by_line = grouped((entry.line, entry) for entry in ordered)
        self.first = {entry.quantity: entry.line for entry in reversed(ordered)}
        self.uncrossed = Counter(entry.quantity for entry in ordered if entry.line not in lines)
        self.last = max((line for line in self.by_line if line not in lines), default=0)

    def has_other(self, entry: Entry, line: int) -> bool:
        """Return whether the quantity of `entry` has another row above `line` or outside of the crossed lines."""
        is_uncrossed = entry.line not in self.lines
        return self.first[entry.quantity] < line or self.uncrossed[entry.quantity] > is_uncrossed


def _is_rule(entry: Entry, task: Task) -> bool:
    """Return whether a row without a number gives the derivative of a step by that step alone, as `s' = s(1-s)`.

    The row is of any kind but a value, its name is not an input, and its formulas use only the value of that name.
    False if the mode of the task is forward, both or value, so that tangents may be asked for.
    """
    value = Quantity(VALUE, entry.quantity.name)
    is_step = entry.quantity.kind != VALUE and value not in _inputs(task) and task.mode in ("reverse", None)
    return is_step and set(entry.symbols) == {value} and all(piece.number is None for piece in entry.pieces)


def _inputs(task: Task) -> set[Quantity]:
    return {Quantity(VALUE, name) for name in task.at}


def _is_elsewhere(entry: Entry, rows: _Rows) -> bool:
    """Return whether `entry`, a crossed row of an input, sets this input to another point and is not a wrong input.

    True in two cases. A quantity in its line, its own included, or in the line with the next number has another row,
    which is above its line or not crossed (a row does not count for itself). Or no uncrossed row is below its line, and
    the line has an unusual word, whether or not another word says that a number is corrected. So `Let y = 6` above
    right steps is a wrong input.
    """
    here = [other for line in (entry.line, entry.line + 1) for other in rows.by_line.get(line, ())]
    if any(rows.has_other(other, entry.line) for other in here):
        return True
    return rows.last <= entry.line and _has_unusual_word(entry, rows, but_for_corrections=False)


def _has_unusual_word(entry: Entry, rows: _Rows, *, but_for_corrections: bool = True) -> bool:
    """Return whether the line of `entry` has an unusual word outside of all rows of this line.

    Such a word has three letters or more and is neither in WORD_USES nor in `synonyms("remarks")`, words that usually
    lead to a number, in several languages. Commands such as `\\text` do not count. False if a word says that a number
    is corrected (oops, wrong, correction), unless `but_for_corrections` is False.
    """
    text = entry.source.text
    for other in rows.by_line[entry.line]:
        span = other.place
        text = f"{text[: span.start]}{' ' * (span.end - span.start)}{text[span.end :]}"
    words = [word.lower() for word in names_in(text) if len(word) >= _SHORTEST and word[0] != "\\"]
    corrects = but_for_corrections and any(WORD_USES.get(word) == CORRECTS for word in words)
    return not corrects and not set(words) <= {*WORD_USES, *synonyms("remarks")}
