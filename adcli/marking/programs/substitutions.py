"""Substitutions of numbers for rows: in `f = e^x + 0.49 = 2.504` after `a = x^2 = 0.49` the row a is meant. A piece is
a part of a row between equals signs, a step a row of the problem's trace.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import reduce
from itertools import chain, combinations, islice, product
from operator import mul
from types import MappingProxyType

from ...answers.answer_model import VALUE, Answer, Entry, Numeral, Quantity, RowPiece, Task
from ...answers.shown_numbers import ROUNDED
from ...graph.graph import Constant, Graph
from ...graph.plan import Plan
from ...graph.tape import evaluate
from ...numbers.double_intervals import SPREAD, Spread
from ...numbers.exact import read_fraction
from ...table.primitive import ROWS
from ..function_values import Print
from ..model import Marking
from .value_rows import shown_number
from .worksheet import same

_EVERYWHERE = (Fraction(0), Fraction(1))
_NOTE = "a number in a formula that is the result of an earlier row is read as that row"
_LABEL = "a label, not a row of the problem"
_PREFIX = "put in for "
_CHOICES, _MOST_FACTORS = 256, 20


def name_numbers(answer: Answer, task: Task) -> Answer | None:
    """Return the answer with names for numbers in formulas of values that are those of earlier rows or inputs.

    In `a = x^2 = 0.49`, `f = e^x + 0.49` the second formula becomes `e^x + a`. Only exactly equal numbers count (0.490
    too); of two rows with one number the earlier is meant, of two inputs the last, and an input before a row. Unchanged
    are numbers of the problem's own formula (with either sign), 0 and 1 as inputs (not as rows), a row's own number, a
    formula that is only such a number, rows of inputs, and formulas of derivatives. One note is added. None if nothing
    changes.
    """
    constants = {read_fraction(constant.text) for constant in task.program.graph.constants.values()}
    known: dict[Fraction, Quantity] = {}
    for name, value in task.at.items():
        x = read_fraction(str(value))
        if x is not None and abs(x) not in constants and x not in _EVERYWHERE:
            known[x] = Quantity(VALUE, name)
    entries: list[Entry] = []
    for entry in answer.entries:
        if entry.quantity.kind == VALUE and entry.quantity.name not in task.at:
            pieces = tuple(_substitute_symbols(piece, known, entry.quantity) for piece in entry.pieces)
            entry = entry._replace(pieces=pieces)
            number = shown_number(entry)
            if number is not None and abs(number.value) not in constants:
                known.setdefault(number.value, entry.quantity)
        entries.append(entry)
    is_unchanged = tuple(entries) == answer.entries
    return None if is_unchanged else answer._replace(entries=tuple(entries), notes=(*answer.notes, _NOTE))


def without_plain_note(marking: Marking) -> Marking:
    """Return the marking without the note on numbers that are read as names, which says nothing in a right answer."""
    if marking.verdict != "right" or marking.answer is None or _NOTE not in marking.answer.notes:
        return marking
    notes = tuple(note for note in marking.answer.notes if note != _NOTE)
    return marking._replace(answer=marking.answer._replace(notes=notes))


def _substitute_symbols(piece: RowPiece, known: Mapping[Fraction, Quantity], subject: Quantity) -> RowPiece:
    """Return the piece with symbols for the numbers in `known`, or `piece` itself if it has none of these numbers.

    `known` maps numbers to quantities; `subject` is not substituted. A negative number is looked up with its sign
    first, then without. A formula that is such a number as a whole stays as it is, all of it. Each replaced slot
    becomes an input with the name `put in for N`, where N is the slot (of the sign, if that is replaced too), and is
    added to `quantities`.
    """
    if (graph := piece.graph) is None:
        return piece
    meant: dict[int, Quantity] = {}
    for slot, constant in graph.constants.items():
        if (x := read_fraction(constant.text)) is None:
            continue
        negatives = [k for k, row in enumerate(graph.rows) if row is ROWS["neg"] and graph.parents[k] == (slot,)]
        if negatives and known.get(-x, subject) != subject:
            meant |= dict.fromkeys(negatives, known[-x])
        elif known.get(x, subject) != subject:
            meant[slot] = known[x]
    if not meant or graph.outputs[0][1] in meant:
        return piece
    names = {slot: f"{_PREFIX}{slot}" for slot in meant}
    symbols = {names[slot]: quantity for slot, quantity in meant.items()}
    return piece._replace(graph=with_inputs(graph, meant, names), quantities={**piece.quantities, **symbols})


def without_labels(answer: Answer, task: Task) -> Answer | None:
    """Return the answer without its labels, with their numbers in the formulas instead: `p - 1` for `p - t` after `t =
    1`.

    A label is a name whose only value row is just 0 or 1, right after the name. It is not an input or named step of the
    problem, not a letter with a number (v1), and not the name of the last value row. Its value row is left out, with a
    reason in `left_out`; rows and symbols of its derivatives stay. None if there is no label.
    """
    labels = dict(_labels(answer, task))
    if not labels:
        return None
    known = answer.without([entry for entry in answer.entries if entry.quantity in labels], _LABEL)
    return _with_pieces(known, lambda piece: _with_numbers(piece, labels))


def _with_pieces(answer: Answer, change: Callable[[RowPiece], RowPiece]) -> Answer:
    """Return the answer with each piece of its rows replaced by what `change` returns for it."""
    entries = (entry._replace(pieces=tuple(map(change, entry.pieces))) for entry in answer.entries)
    return answer._replace(entries=tuple(entries))


def _labels(answer: Answer, task: Task) -> Iterator[tuple[Quantity, str]]:
    """Yield (quantity, "0" or "1") for each label: the only filled value row of its name, just 0 or 1 right after it.

    The name is not an input's or a named step's, no letter with a number (v1), and not that of the last such row.
    """
    rows = [entry for entry in answer.entries if entry.quantity.kind == VALUE and entry.pieces]
    counts = Counter(entry.quantity.name for entry in rows)
    taken = {*task.at, *task.program.graph.aliases.values(), *(entry.quantity.name for entry in rows[-1:])}
    for entry in rows:
        number, name = entry.pieces[0].number, entry.quantity.name
        before = entry.source.text[: entry.pieces[0].span.start].rstrip(" :=").split()
        is_lone = counts[name] == len(entry.pieces) == 1 and before[-1:] == [name]
        if is_lone and name not in taken and not name[1:].isdecimal() and number and number.value in _EVERYWHERE:
            yield entry.quantity, str(number.value)


def _with_numbers(piece: RowPiece, numbers: Mapping[Quantity, str]) -> RowPiece:
    """Return the piece with constants instead of the quantities in `numbers`; itself if it has none of them."""
    meant = {name: numbers[quantity] for name, quantity in piece.quantities.items() if quantity in numbers}
    if piece.graph is None or not meant:
        return piece
    graph = piece.graph.copy()
    graph.constants |= {slot: Constant(meant[name]) for slot, name in graph.inputs.items() if name in meant}
    graph.inputs = {slot: name for slot, name in graph.inputs.items() if name not in meant}
    return piece._replace(graph=graph, quantities={n: q for n, q in piece.quantities.items() if n not in meant})


def with_inputs(graph: Graph, slots: Collection[int], names: Mapping[int, str] = MappingProxyType({})) -> Graph:
    """Return a copy of a formula in which the slots `slots`, usually constants, are inputs.

    `names` has the names of these inputs by slot; the others have the empty name. An operation loses its operands. What
    depends on the new inputs is no longer literal. Slots keep their places, and `graph` is unchanged.
    """
    changed = graph.copy()
    for slot in slots:
        changed.rows[slot], changed.parents[slot], changed.literal[slot] = None, (), 0
    for slot, parents in enumerate(changed.parents):
        changed.literal[slot] = changed.literal[slot] and all(changed.literal[parent] for parent in parents)
    changed.constants = {slot: constant for slot, constant in graph.constants.items() if slot not in slots}
    changed.inputs = {**graph.inputs, **{slot: names.get(slot, "") for slot in slots}}
    return changed


def has_number_of_step(
    graph: Graph, points: Sequence[Mapping[int, Spread]], steps: Iterable[Print], truths: Sequence[Spread],
    plain: Collection[Fraction],
) -> bool:  # fmt: skip
    """Return whether a formula is right if constants in it are numbers of steps: `x/5` is `x/r` for r = 5.

    A constant with a decimal point is its number rounded, another is exact; 0 and 1 are not replaced. A constant may
    be:

    - itself, a step, the square of a step, or twice a step (as in the derivative of a square);
    - 1 minus a step or its square (as in that of tanh);
    - if it is outside of `plain`, numbers that formulas have anyway: a product of two or three of these (`_products`);
    - if it is an exponent: a step minus 1, as in `n*q^2` for n = 3.

    At most 256 choices are tried. A choice is right if the values agree with `truths` at all points (`same`). False if
    no constant that is an exponent or outside of `plain` can be such a number.

    The formula is the first output of `graph`. `points` are the values of its inputs by slot, `steps` the true values
    of the problem's steps (no numbers of the student), `truths` the right values of the formula, each at all points.
    """
    numbers, is_clear = _steps_by_constant(graph, [step for step in steps if step[0].known], plain)
    plan, (_, result) = Plan(with_inputs(graph, numbers), SPREAD), graph.outputs[0]
    for choice in islice(product(*numbers.values()), _CHOICES if is_clear else 0):
        chosen = [dict(zip(numbers, values, strict=True)) for values in zip(*choice, strict=True)]
        pairs = zip(points, chosen, strict=True)
        if same([SPREAD.number(plan.values({**point, **constants})[result]) for point, constants in pairs], truths):
            return True
    return False


def _steps_by_constant(
    graph: Graph, steps: Sequence[Print], plain: Collection[Fraction]
) -> tuple[dict[int, list[Print]], bool]:
    """Return (the prints that each constant may stand for, by slot; whether it is clear that one is a step's number).

    The rules are those of `has_number_of_step`: a print must have the constant's number at the first point. They come
    in this order: steps, squares, 1 minus these, doubles, for an exponent (second operand of a power) steps minus 1,
    products; the last print of a constant is the constant itself. Left out are 0, 1, named constants such as pi, and
    constants that can be no step. It is clear if an exponent, or a constant outside of `plain`, remains.
    """
    one = SPREAD.number(1)
    squares = [tuple(x * x for x in step) for step in steps]
    less = [tuple(one - x for x in each) for each in (*steps, *squares)]
    values = [*steps, *squares, *less, *[tuple(x + x for x in step) for step in steps]]
    lowered = [tuple(x - one for x in step) for step in steps]
    exponents = {graph.parents[slot][1] for slot, row in enumerate(graph.rows) if row is ROWS["pow"]}
    numbers: dict[int, list[Print]] = {}
    is_clear = False
    for slot, constant in graph.constants.items():
        if (written := read_fraction(constant.text)) is None or written in _EVERYWHERE:  # e and pi are not of steps
            continue
        number, is_plain = ROUNDED.number(constant.text), written in plain
        alike = [value for value in (*values, *(lowered if slot in exponents else ())) if number.meets(value[0])]
        alike += () if is_plain else _products(values, number)
        if alike:
            numbers[slot] = [*alike, tuple(SPREAD.number(constant.text) for _ in alike[0])]
            is_clear = is_clear or slot in exponents or not is_plain
    return numbers, is_clear


def _products(steps: Sequence[Print], number: Spread) -> Iterator[Print]:
    """Yield the products of two or three of the first 20 `steps` that meet `number` at the first point."""
    for factors in chain(*(combinations(steps[:_MOST_FACTORS], count) for count in (2, 3))):
        if number.meets(reduce(mul, (step[0] for step in factors))):
            yield tuple(reduce(mul, values) for values in zip(*factors, strict=True))


def is_evaluated(
    graph: Graph, points: Sequence[Mapping[int, Spread]], right: Graph, places: Sequence[Mapping[int, Spread]]
) -> bool:
    """Return whether two formulas have values, and equal ones, at all points, if numbers in `graph` may be rounded.

    A number with a decimal point in `graph` is all numbers that round to it, whole ones are exact; those in `right` are
    taken as they are written. The intervals of both first outputs must meet. `points` has the values of the inputs of
    `graph` by slot, `places` those of the inputs of `right`. Raises ValueError if these have different lengths.
    """
    values = (evaluate(graph, ROUNDED, point)[graph.outputs[0][1]] for point in points)
    others = (evaluate(right, SPREAD, place)[right.outputs[0][1]] for place in places)
    return all(SPREAD.number(x).meets(SPREAD.number(y)) for x, y in zip(values, others, strict=True))


def absolute_constants(graph: Graph) -> Iterator[Fraction]:
    """Return an iterator of the sizes of the numbers that a formula is written with; named constants are left out."""
    numbers = (read_fraction(constant.text) for constant in graph.constants.values())
    return (abs(x) for x in numbers if x is not None)


def exact_constants(
    graph: Graph, steps: Iterable[Spread], rows: Sequence[tuple[Spread, Numeral]]
) -> frozenset[Fraction]:
    """Return the numbers in a formula that are exactly, not just rounded, the value of a step or row: 1.2 for 3x at
    0.4.

    `steps` are the values of the problem's inputs and steps, `rows` the (true value, written number) of each row that
    shows a number. A number of `graph` is returned if all of these values, of either sign, that round to it (within
    half a unit of its last place; whole numbers: exactly) are equal to it, and there is at least one. Left out are the
    sizes of written numbers in `rows` that differ from their row's true value, and named constants.
    """
    known = [sign for step in (*steps, *(truth for truth, _ in rows)) for sign in (step, -step)]
    rounded = {abs(number.value) for truth, number in rows if not truth.meets(SPREAD.number(number.value))}
    exact: set[Fraction] = set()
    for text in {constant.text for constant in graph.constants.values()}:
        number = read_fraction(text)
        if number is None or abs(number) in rounded:
            continue
        near = [value for value in known if ROUNDED.number(text).meets(value)]
        if near and all(SPREAD.number(number).meets(value) for value in near):
            exact.add(number)
    return frozenset(exact)
