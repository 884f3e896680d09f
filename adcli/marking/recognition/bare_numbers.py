"""Bare numbers, `0.66, 1.935, 1.833, 3.768` or columns of them, as rows of the problem. A way chooses a quantity for
each number; a step is a row of the problem's trace, known by its slot.

They are named if exactly one choice of quantities has these numbers in an order of working: values of steps that lead
to the result, derivatives of these steps row by row, the gradient. If all steps are there and few numbers are wrong,
these are wrong rows. Numbers that fit several choices stay without names.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from ...answers.answer_model import (
    BAR,
    DERIVATIVE,
    DOT,
    VALUE,
    Answer,
    Entry,
    LeftOut,
    NotGradable,
    Numeral,
    Quantity,
    RowPiece,
    Task,
)
from ...answers.line_rewriting import row_pattern
from ...answers.numerals import numeral
from ...answers.shown_numbers import ENOUGH, as_double, informativeness, numeral_spread
from ...errors import Source, Span
from ...notation.number_text import with_and
from ...numbers.double_intervals import SPREAD, Spread
from ...numbers.doubles import apply
from ...patterns import compile_pattern, pattern
from ...records import NamedTuple
from ...trace.request_choices import NUMBERINGS
from ..judging.quantities import list_quantities
from ..model import Rules
from ..programs.reference_traces import Candidates, standard, trace_worksheet
from ..programs.step_search import readings
from ..programs.value_rows import constant_value

_MOST, _MOST_ORDERS = 80, 500  # numbers, and orders in which all steps may stand
_MOST_ENDS = 8  # numbers that may be the result
_LONGEST = 2000  # characters of a line
_SHARE = 3  # of the numbers one in so many may be wrong
_NEAR = 0.002  # how far rounding leads a number away, as a fraction of it
# What is between numbers, by the decimal mark.
_GAPS = {"comma": r"(?:[\s;|&()\[\]{}→⇒]|[-=]>)++|(?<=[^,]),(?=\s|\Z)", "point": r"(?:[\s;|&()\[\]{},→⇒]|[-=]>)++"}
_RULE = " \t\u00a0|:+=_-"
Way = tuple[Quantity, ...]  # the quantity of each number of an answer, in order
_FINAL = row_pattern("{FINAL_ANSWER}", re.IGNORECASE)
_LISTED = pattern(r"\s*+(?:[•*>-]\s++|\(?(\d{1,2}+|[a-z])[.):]\s++)")


class _BareNumber(NamedTuple):
    """A number of an answer, and its span."""

    numeral: Numeral
    span: Span

    def entry(self, quantity: Quantity) -> Entry:
        """Return a row of this number as its only piece, for `quantity`."""
        return Entry(quantity, (RowPiece(self.span, number=self.numeral),), self.span.source, self.span)

    def is_about(self, true: Spread) -> bool:
        """Return whether the number equals `true` up to rounding and has enough digits to tell.

        It may differ from the middle of `true` by one unit of its last place (half a unit if that unit is 1 or more) or
        by 0.2 % of `true`, whichever is larger, ends included. It has enough digits if `informativeness` is ENOUGH.
        False if `true` is unknown.
        """
        if not true.known or informativeness(self.numeral, true) != ENOUGH:
            return False
        away, unit = abs(as_double(self.numeral.value) - true.middle), as_double(self.numeral.unit)
        return away <= max(unit if unit < 1 else unit / 2, _NEAR * abs(true.middle))


class _NumberTable(NamedTuple):
    """The numbers of an answer, line by line, and the lines of words that are left out."""

    lines: list[list[_BareNumber]]
    left_out: list[LeftOut]

    @property
    def is_wide(self) -> bool:
        """Return whether there are two or more lines with the same number of columns, which is two or more."""
        return len(self.lines) > 1 and len(self.lines[0]) > 1 and len({len(line) for line in self.lines}) == 1


def with_quantities(lines: Sequence[str], task: Task, decimal: str) -> Answer | NotGradable | None:
    """Return an answer that consists of numbers as rows of the problem, with a note on how they are read.

    The numbers fit a set of quantities if all of them are true for it. If they fit no set in this way, they fit one
    that has all steps and makes at most a third of them wrong (`_WaysToRead.ways`). `decimal` is "comma" for decimal
    commas only, or "point" to try both; each is searched, and the sets of both count together. Of several orders of one
    set the first is taken, that with decimal points before that with commas.

    NotGradable is returned, not raised, if the numbers fit no set or several; it is about the first reading that has
    numbers. None if a line has both words and numbers or more than 2000 characters, and if there are no numbers or more
    than 80.
    """
    decimals = ("comma",) if decimal == "comma" else ("point", "comma")
    tables = [table for each in decimals if (table := _read_table(lines, each)) is not None]
    if not tables:
        return None
    facts = _WaysToRead(task)
    ways = [(way, table) for table in tables for way in facts.ways(table.lines)]
    if not ways or len({frozenset(way) for way, _ in ways}) > 1:
        return _uncertain_names(tables[0], task)
    way, table = ways[0]
    numbers = [number for line in table.lines for number in line]
    entries = tuple(number.entry(quantity) for quantity, number in zip(way, numbers, strict=True))
    return Answer("text", tuple(lines), entries, left_out=tuple(table.left_out), notes=(_note_on_reading(way, table),))


def _note_on_reading(way: Sequence[Quantity], table: _NumberTable) -> str:
    """Return the note on how the numbers are read; `way` has the quantities in the order of the numbers."""
    if table.is_wide:
        rows = ", ".join(quantity.name for quantity in way if quantity.kind == VALUE)
        return f"the lines are read, in their order, as {rows}, with derivatives next to the values"
    return f"the numbers are read, in their order, as {', '.join(map(_words_for, way))}"


def _words_for(quantity: Quantity) -> str:
    """Return how the note on the reading calls a quantity: `v1`, `the adjoint of v1`, `the derivative of y with respect
    to x1`."""
    kind, name, key = quantity
    by = f" with respect to {key}" if key and kind in (DOT, DERIVATIVE) else ""
    return name if kind == VALUE else f"the {'adjoint' if kind == BAR else 'derivative'} of {name}{by}"


def _uncertain_names(table: _NumberTable, task: Task) -> NotGradable:
    """Return the error for numbers whose names are not certain (it is not raised here).

    It has the count of the numbers in `table`, and the names of the first eight quantities of the problem (then "…").
    """
    names = [each.name for each in list_quantities(task, Rules())]
    count = sum(map(len, table.lines))
    every = f"{', '.join(names[:8])}, …" if len(names) > 8 else with_and(names)
    return NotGradable(
        "these are numbers without names",
        label=f"it is not certain which of {every} {'this number is' if count == 1 else f'these {count} numbers are'}",
        help=f"write the name of its row before each number, as in {task.program.graph.outputs[0][0]} = …",
    )


# --- reading --------------------------------------------------------------------------------------------------------


def _read_table(lines: Sequence[str], decimal: str) -> _NumberTable | None:
    """Return the numbers of the lines; None if the lines are not just numbers.

    Blank lines and drawn rules are ignored; lines without digits, words or not, are in `left_out`. List marks and a
    column that counts the lines are dropped. `decimal` is "point" or "comma". None if any line has both words and
    numbers (anything that is not a numeral, separator or list mark) or more than 2000 characters, and if there are no
    numbers or more than 80, a column that counts included.
    """
    left_out, kept = [], []
    for number, line in enumerate(lines, 1):
        source = Source(line, None, number)
        if len(line) > _LONGEST:
            return None
        if not line.strip(_RULE):
            continue
        if not any(character.isdecimal() for character in line):
            left_out.append(LeftOut(Span(0, len(line), source), "words next to the numbers"))
            continue
        kept.append((line, source))
    rows: list[list[_BareNumber]] = []
    for (line, source), start in zip(kept, _starts_after_marks([line for line, _ in kept]), strict=True):
        if (numbers := _numbers(line, start, source, decimal)) is None:
            return None
        rows.append(numbers)
    return None if not rows or sum(map(len, rows)) > _MOST else _NumberTable(_without_count(rows), left_out)


def _starts_after_marks(lines: Sequence[str]) -> list[int]:
    """Return, for each line, the index at which its text begins, after a list mark (`1.`, `(a)`, `-`, `•`) and blanks.

    A single line begins after words for a final answer, `Answer: 18, 12, 9`. A mark ends with a blank, so that `-3` has
    none. Marks count if there are several lines, each has one, and all are
    bullets (perhaps different ones), or all count up from 1 or from a. In all other cases the indices are 0.
    """
    if len(lines) == 1 and (final := _FINAL.match(lines[0])):
        return [final.start("list")]
    marks = [match for line in lines if (match := _LISTED.match(line))]
    is_list = len(lines) > 1 and len(marks) == len(lines) and _count_up([match[1] for match in marks])
    return [match.end() for match in marks] if is_list else [0] * len(lines)


def _count_up(labels: Sequence[str | None]) -> bool:
    """Return whether list marks are all bullets (None), or count up from 1 or from a."""
    if all(label is None for label in labels):
        return True
    return all(label in (str(k + 1), chr(ord("a") + k)) for k, label in enumerate(labels))


def _numbers(line: str, start: int, source: Source, decimal: str) -> list[_BareNumber] | None:
    """Return the numbers of a line from offset `start` on; None if there is anything else in it. [] if there is
    nothing.

    Separators are blanks, brackets, arrows and `; | &`. If `decimal` is "point", commas are separators, too. If it is
    "comma", a comma is a separator only before a blank or at the end. What is between separators must be one decimal
    numeral (`numeral`: a sign and an exponent are allowed, a fraction is not).
    """
    numbers: list[_BareNumber] = []
    place = start
    for match in (*compile_pattern(_GAPS[decimal]).finditer(line, start), None):
        end = len(line) if match is None else match.start()
        if end > place:
            if (number := numeral(line[place:end], decimal)) is None:
                return None
            numbers.append(_BareNumber(number, Span(place, end, source)))
        place = end if match is None else match.end()
    return numbers


def _without_count(table: list[list[_BareNumber]]) -> list[list[_BareNumber]]:
    """Return the lines without a first column that only counts them: 1, 2, 3, … from 1, written as whole numbers.

    Unchanged if there is no such column, for a single line, and if a line has only one number.
    """
    if len(table) < 2 or any(len(line) < 2 for line in table):
        return table
    counts = [line[0].numeral for line in table]
    if all(number.unit == 1 and number.value == k + 1 for k, number in enumerate(counts)):
        return [line[1:] for line in table]
    return table


# --- what the numbers may be ------------------------------------------------------------------------------------------


class _WaysToRead:
    """The true numbers of a problem, and the orders in which its quantities may be written down."""

    def __init__(self, task: Task) -> None:
        """Evaluate the reference trace of `task` and collect its names.

        `names` has the name of each step by slot; a result has the name of its output. `steps` and `results` are slots,
        `inputs` names. All slots are those of `graph`, the reference's; the worksheet `sheet` has others (`_slot`).
        `keys` are the names of the inputs to differentiate by: those in `task.wrt`, or all if none is in it.
        """
        self.task = task
        self.reference = standard(task, NUMBERINGS[0])
        self.graph = self.reference.graph
        self.sheet = trace_worksheet(task)
        self.truth = self.sheet.truths()[0]
        results = {slot: name for name, slot in self.graph.outputs}
        self.names = {slot: results.get(slot, name) for slot, name in self.reference.names.items()}
        self.steps = [*self.names]
        self.results = [slot for slot in self.steps if slot in results]
        self.inputs = [*self.graph.inputs.values()]
        self.keys = [name for name in task.wrt if name in self.inputs] or self.inputs

    def ways(self, table: Sequence[Sequence[_BareNumber]]) -> list[Way]:
        """Return the choices of quantities that the numbers of `table` may be; each has them in order, line by line.

        A table of two or more lines with the same number of columns (two or more) is read by columns (`_in_columns`),
        every other one as one sequence (`_in_sequence`). All choices with only true numbers (`_count_wrong`) are
        returned. If there are none, all orders of all steps, without inputs before them, are tried, each with all its
        columns or derivatives, and the result is that of `_fewest_wrong`. [] in two cases: the task does not have
        exactly one output, which is a step; all numbers are 0, 1 or -1.
        """
        if len(self.results) != 1 or len(self.graph.outputs) != 1:
            return []
        numbers = [number for line in table for number in line]
        if all(abs(number.numeral.value) in (0, 1) for number in numbers):
            return []  # 0 and 1 are everywhere
        wide = _NumberTable([*map(list, table)], []).is_wide
        ways = self._in_columns(table) if wide else self._in_sequence(numbers)
        right = [way for way in ways if not self._count_wrong(way, numbers)]
        if right:
            return right
        orders = self._every_order()
        ends = (self._columns(table, order) if wide else self._tails(order, len(numbers)) for order in orders)
        return self._fewest_wrong((way for each in ends for way in each), numbers)

    def _fewest_wrong(self, ways: Iterable[Way], numbers: Sequence[_BareNumber]) -> list[Way]:
        """Return [the way to read `numbers` in which the fewest are wrong].

        A way has the quantity of each number, in the same order; two orders of one set are different ways. [] if
        several different ways have that fewest wrong numbers, if more than a third of the numbers are wrong, or if
        there are no ways.
        """
        counted = [(self._count_wrong(way, numbers), way) for way in dict.fromkeys(ways)]
        fewest = min((wrong for wrong, _ in counted), default=0)
        nearest = [way for wrong, way in counted if wrong == fewest and wrong * _SHARE <= len(numbers)]
        return nearest if len(nearest) == 1 else []

    def _every_order(self) -> Iterator[list[int]]:
        """Yield every order of all steps, as slots, in which each step follows the steps that it uses.

        Nothing is yielded if, for some k, there are more than 500 orders of k steps to begin with.
        """
        orders: list[list[int]] = [[]]
        for _ in self.steps:
            orders = [[*order, slot] for order in orders for slot in self.steps if self._comes_next(slot, order)]
            if len(orders) > _MOST_ORDERS:
                return
        yield from orders

    def _comes_next(self, slot: int, order: Sequence[int]) -> bool:
        """Return whether the step `slot` can follow on `order`: it is not in it, and all steps that it uses are."""
        used = [p for p in self.graph.parents[slot] if p in self.names]
        return slot not in order and all(p in order for p in used)

    def _in_sequence(self, numbers: Sequence[_BareNumber]) -> Iterator[Way]:
        """Yield the ways to read `numbers` one after another, each as a tuple of quantities, one for each number.

        First come gradients alone, then ways without inputs. Last come ways that begin with all inputs, if the first
        numbers are their values (`_counts_of_inputs`). After the inputs a way has values of steps, the last of which is
        the result, then derivatives or nothing (`_tails`). Each number after the inputs that is about the result's
        value may be the result; the first eight of these are tried. If it is the number right after the inputs, the
        result is also taken for the only step, whether `_orders` yields that or not.
        """
        count, result = len(numbers), self.truth.value(self._slot(self.results[0]))
        for first in self._counts_of_inputs(numbers):
            if first == 0:
                yield from (way for way in self._gradients() if len(way) == count)
            head = tuple(Quantity(VALUE, name) for name in self.inputs[:first])
            ends = [end for end in range(first + 1, count + 1) if numbers[end - 1].is_about(result)]
            for end in ends[:_MOST_ENDS]:
                orders = [*self._orders(numbers[first:end]), *([self.results] if end == first + 1 else [])]
                yield from (head + way for steps in orders for way in self._tails(steps, count - first))

    def _counts_of_inputs(self, numbers: Sequence[_BareNumber]) -> Iterator[int]:
        """Yield how many inputs the numbers may begin with: 0, and then the count of all inputs if they may be first.

        They may if the first numbers are about (`is_about`) the values of all inputs, in the order of the program, and
        more numbers follow.
        """
        yield 0
        count = len(self.inputs)
        at_point = [self.truth.value(self.sheet.inputs[name]) for name in self.inputs]
        if count < len(numbers) and all(n.is_about(x) for n, x in zip(numbers[:count], at_point, strict=True)):
            yield count

    def _orders(self, numbers: Sequence[_BareNumber]) -> Iterator[list[int]]:
        """Yield lists of steps (slots), one for each number, whose values the numbers may be, the likeliest first.

        The last step is the result. The numbers are matched with the steps like value rows without formulas
        (`readings`), in at most 8 ways, those with the fewest wrong numbers first; of these the ways that do not end in
        the result are dropped. Nothing is yielded for no number, more than 60, or more than twice as many as the trace
        has rows, and no way in which a number has no step or too many are wrong.
        """
        entries = [number.entry(Quantity(VALUE, f"{k}.")) for k, number in enumerate(numbers)]
        candidates = Candidates(self.task, entries, self.reference, (), {})
        for slots_by_name in readings(candidates):
            steps = [slots_by_name[f"{k}."] for k in range(len(numbers))]
            if steps[-1] == self.results[0]:
                yield steps

    def _tails(self, steps: Sequence[int], count: int) -> Iterator[Way]:
        """Yield the values of the slots `steps`, then derivatives or nothing, in each way that has `count` quantities.

        Tangents have the input as key, values and adjoints None. The derivatives that are tried, in this order, after
        nothing at all:
        - a gradient (`_gradients`);
        - in the modes forward and both, with a single input to differentiate by (`keys`): the tangents of the steps for
          this input, alone or after the tangents of all inputs (the seeds, one for each input of the problem);
        - in the modes reverse and both: the adjoints of the steps in reverse order, with or without the first (that of
          the result), always followed by a gradient.
        """
        values = tuple(Quantity(VALUE, self.names[slot]) for slot in steps)
        ends: list[Way] = [(), *self._gradients()]
        if self.task.mode in ("forward", "both") and len(self.keys) == 1:
            dots = tuple(Quantity(DOT, self.names[slot], self.keys[0]) for slot in steps)
            seeds = tuple(Quantity(DOT, name, self.keys[0]) for name in self.inputs)
            ends += [dots, seeds + dots]
        if self.task.mode in ("reverse", "both"):
            bars = tuple(Quantity(BAR, self.names[slot]) for slot in reversed(steps))
            ends += [part + end for part in (bars, bars[1:]) for end in self._gradients()]
        yield from (values + end for end in dict.fromkeys(ends) if len(values) + len(end) == count)

    def _gradients(self) -> Iterator[Way]:
        """Yield the derivatives of the result by the inputs in `keys`, one tuple for each order of these inputs.

        The orders are that of `keys` (the task's `wrt`, or all inputs of the program), that of the point, and the
        alphabetical one; equal orders come once. They are adjoints of the inputs (without a key) in the modes reverse
        and both, tangents of the result in forward mode, and derivatives of neither kind if the task has no mode.
        Nothing in the mode value.
        """
        if self.task.mode == "value":
            return
        result = self.names[self.results[0]]
        point = [name for name in self.task.at if name in self.keys]
        for order in dict.fromkeys((tuple(self.keys), tuple(point), tuple(sorted(self.keys)))):
            if self.task.mode in ("reverse", "both"):
                yield tuple(Quantity(BAR, name) for name in order)
            else:
                kind = DOT if self.task.mode == "forward" else DERIVATIVE
                yield tuple(Quantity(kind, result, name) for name in order)

    def _in_columns(self, table: Sequence[Sequence[_BareNumber]]) -> Iterator[Way]:
        """Yield each way to read a table with one step on each line: the quantities of all its numbers, line by line.

        The first lines are no inputs or, in later ways, all inputs, if the first column has their values; these lines
        have derivatives, too. The other lines are steps in an order of `_orders`, by the first column, the likeliest
        first. The columns are those of `_columns`.
        """
        for first in self._counts_of_inputs([line[0] for line in table]):
            for steps in self._orders([line[0] for line in table[first:]]):
                yield from self._columns(table, [*list(self.graph.inputs)[:first], *steps])

    def _columns(self, table: Sequence[Sequence[_BareNumber]], steps: Sequence[int]) -> Iterator[Way]:
        """Yield the quantities of a table whose lines are the slots `steps`, line by line, for each kind of columns.

        Each is a Quantity with the name of the line's input or step. Its key is the input for a tangent, None for
        values and adjoints. The first column has values. The kinds of the others, of which those are yielded that fit
        the number of columns (a kind that the mode does not have is no column):
        - a tangent for each input in `keys`, in this order (modes forward, both and None);
        - one adjoint (modes reverse, both and None);
        - the tangents, then the adjoint (modes both and None).

        Nothing is yielded if the numbers of steps and lines differ.
        """
        if len(steps) != len(table):
            return
        dots = [(DOT, key) for key in self.keys] if self.task.mode in ("forward", "both", None) else []
        bars = [(BAR, None)] if self.task.mode in ("reverse", "both", None) else []
        for columns in dict.fromkeys((tuple(dots), tuple(bars), (*dots, *bars))):
            kinds, names = [(VALUE, None), *columns], {**self.graph.inputs, **self.names}
            if len(kinds) == len(table[0]):
                yield tuple(Quantity(kind, names[slot], key) for slot in steps for kind, key in kinds)

    def _slot(self, slot: int) -> int:
        """Return the slot on the worksheet for a slot of the reference."""
        return self.sheet.slots[self.reference.names[slot]]

    def _count_wrong(self, way: Iterable[Quantity], numbers: Sequence[_BareNumber]) -> int:
        """Return how many of `numbers` are not true for the quantity at the same position in `way`.

        True is what `is_about` the true number. A value of a step also counts as true if it follows (`_follows`) from
        the numbers before it, right or wrong, of other steps, and from the inputs' values in the task. Raises
        ValueError if the lengths differ, KeyError if a name is neither a step nor an input.
        """
        known = {slot: self.truth.value(self.sheet.inputs[name]) for slot, name in self.graph.inputs.items()}
        slots = {name: slot for slot, name in self.names.items()}
        wrong = 0
        for (kind, name, key), number in zip(way, numbers, strict=True):
            slot = slots.get(name)
            step = self.sheet.inputs[name] if slot is None else self._slot(slot)
            output = self.graph.outputs[0][0]
            is_tangent = kind in (DOT, DERIVATIVE)
            sweep, of = (DOT, key) if is_tangent else (kind, output if kind == BAR else None)
            fits = number.is_about(self.truth.read(sweep, step, of))
            if kind == VALUE and slot is not None:
                fits = fits or self._follows(slot, known, number)
                known[slot] = numeral_spread(number.numeral)
            wrong += not fits
        return wrong

    def _follows(self, slot: int, known: dict[int, Spread], number: _BareNumber) -> bool:
        """Return whether `number` is the value of the step `slot`, computed from `known`, the values of other slots.

        A step of the trace is one operation. Its interval on `known` and constants must meet the interval of the number
        (half a unit of its last place). False if a value that the step needs is missing in `known`, if the result is
        unknown, or if the number has too few digits to tell (`informativeness` next to the result is not ENOUGH).
        `known` is not changed.
        """
        operation, parents = self.graph.rows[slot], self.graph.parents[slot]
        if operation is None or not all(p in known or self.graph.literal[p] for p in parents):
            return False
        used = [known[p] if p in known else constant_value(self.graph, p) for p in parents]
        result = SPREAD.number(apply(operation, SPREAD, used))
        enough = result.known and informativeness(number.numeral, result) == ENOUGH
        return enough and result.meets(numeral_spread(number.numeral))
