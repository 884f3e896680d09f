"""Slips: what people work out in place of a row, each recomputed from the numbers that they had.

`read(kind, slot, key)` gives the numbers to start from: the student's own, to name a slip; the true ones, to know what
a slip would give; those at a random point, to recognise a wrong formula.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from types import MappingProxyType
from typing import Final, NamedTuple

from ..numbers.spread import SPREAD, Spread
from ..trace.choices import NUMBERINGS
from .alignment import perfect
from .model import BAR, DOT, VALUE, Task, row_name
from .worksheet import Cell, Solution, Worksheet, total
from .wrong_rows import variants, wrong_tangents

Read = Callable[[str, int, str | None], Spread]
Found = Iterator[tuple[str, Spread]]

# What is said to a student: the idea, never a number.  Two slips that were both made are named `a+b`.
SLIPS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "degrees": "is the calculator set to degrees? angles are in radians here",
        "log10_for_log": "log is the natural logarithm here, not the one to base 10",
        "sign": "look at the signs: one is turned round",
        "operand_partials_swapped": "the partial derivatives of the two operands have changed places",
        "product_rule": "the derivative of a product (or quotient) is not the product (or quotient) of the derivatives",
        "chain_rule_forgotten": "the chain rule has two factors: the local derivative, and what comes in from outside",
        "quotient_sign": "look at the sign in the rule for quotients",
        "power_off_by_one": "the exponent goes down by exactly one when a power is differentiated",
        "adjoint_overwritten": "an adjoint that several rows contribute to is their sum; only the last one is left",
        "path_missing": "one contribution is missing: follow every path",
        "seed": "a sweep starts from a seed of 1 where the derivative is taken, and 0 elsewhere",
        "value_for_adjoint": "a value stands where a derivative belongs",
        "decimal_point": "the digits are right, the decimal point is not",
        "digits_transposed": "two digits have changed places",
        "row_copied": "this is the number of another row",
        "mode_confused": "a tangent (dot) and an adjoint (bar) are mixed up",
        "factor_forgotten": "a factor is missing: compare with the rule, factor by factor",
        "wrong_operation": "this is not the operation that the problem has here",
        "operands_swapped": "the two operands have changed places",
        "wrong_operand": "another quantity stands here than the rule has",
        "wrong_exponent": "look at the exponents: one is not right",
        "wrong_constant": "look at the constants: one is not right",
        "term_missing": "a term is missing",
        "constant_kept": "the derivative of a constant is 0",
        "wrong_variable": "this is the derivative by another variable",
        "power_rule_for_exponential": "the rule for powers is for constant exponents; here the exponent moves",
    }
)

# Slips that are made with numbers: the formula beside them may be right.
NUMBER_SLIPS: Final = frozenset(
    ("degrees", "log10_for_log", "sign", "adjoint_overwritten", "decimal_point", "digits_transposed", "row_copied")
)


class Plant(NamedTuple):
    """What one slip would give in one row of the standard trace, and what is true there."""

    row: str
    slip: str
    number: float
    truth: float
    kind: str
    slot: int
    key: str | None


def value_slips(sheet: Worksheet, slot: int, read: Read) -> Found:
    """What slips in the formula of a value would give."""
    cell = sheet.cells.get(slot)
    if cell is None:
        return
    known = _values(cell, read)
    for name, wrong_row in variants(cell, "value"):
        yield name, cell.value(known, wrong_row)
    yield "sign", -cell.value(known)


def dot_slips(sheet: Worksheet, slot: int, key: str, read: Read) -> Found:
    """What slips in a tangent would give."""
    cell = sheet.cells.get(slot)
    if cell is None:
        yield from _seeds(read(DOT, slot, key))
        return
    known, dots = _values(cell, read), {leaf: read(DOT, leaf, key) for leaf in cell.leaves}
    yield from tangent_slips(cell, known, dots)
    yield "value_for_adjoint", read(VALUE, slot, None)
    moving = [leaf for leaf in cell.leaves if not _is(dots[leaf], 0)]
    partials = cell.partials(known)
    yield "value_for_adjoint", total(partials[leaf] * known[leaf] for leaf in moving)
    for output in sheet.outputs:
        yield "mode_confused", read(BAR, slot, output)


def tangent_slips(cell: Cell, known: Mapping[int, Spread], dots: Mapping[int, Spread]) -> Found:
    """What slips in the rule of a tangent would give, from the values and the tangents of what the row uses."""
    partials = cell.partials(known)
    terms = {leaf: partials[leaf] * dots[leaf] for leaf in cell.leaves}
    for name, wrong_row in variants(cell, "partials"):
        wrong = cell.partials(known, wrong_row)
        yield name, total(wrong[leaf] * dots[leaf] for leaf in cell.leaves)
    for rule in wrong_tangents(cell):
        name, wrong_rule, parents = rule
        if all(p in dots for p in parents):
            yield name, SPREAD.number(wrong_rule(SPREAD, [dots[p] for p in parents], [known[p] for p in parents]))
    moving = [leaf for leaf in cell.leaves if not _is(dots[leaf], 0)]
    if not all(_is_one(partials[leaf]) for leaf in cell.leaves):  # sums have nothing to swap, and no inner derivative
        if len(cell.leaves) == 2:
            first, second = cell.leaves
            yield "operand_partials_swapped", partials[second] * dots[first] + partials[first] * dots[second]
        if not all(_is_one(dots[leaf]) for leaf in moving):  # a forgotten -1 is a slip of sign
            yield "chain_rule_forgotten", total(partials[leaf] for leaf in moving)
        yield "chain_rule_forgotten", total(dots[leaf] for leaf in moving)
        if len(moving) < len(cell.leaves):
            yield "chain_rule_forgotten", total(partials.values())
    yield "sign", -total(terms.values())
    if len(moving) > 1:
        for lost in moving:
            yield "path_missing", total(terms[leaf] for leaf in moving if leaf != lost)


def bar_slips(
    sheet: Worksheet,
    slot: int,
    key: str,
    read: Read,
    chosen: Collection[int] | None = None,
    before: Collection[int] = (),
) -> Found:
    """What slips in an adjoint would give, in the sum of the contributions `chosen` (all: None).

    The contributions `before` were written down earlier, so that they are what is overwritten.
    """
    uses = [(user, number) for user in sheet.users(slot) for number in range(user.count(slot))]
    places = [place for place in range(len(uses)) if chosen is None or place in chosen]
    if slot == sheet.outputs.get(key) and not places:
        yield from _seeds(read(BAR, slot, key))
        return
    known = {user.slot: _values(user, read) for user, _ in uses}
    partials = {user.slot: user.uses(known[user.slot]) for user, _ in uses}
    bars = [read(BAR, user.slot, key) for user, _ in uses]
    slopes = [partials[user.slot][slot][number] for user, number in uses]
    terms = {place: bars[place] * slopes[place] for place in places}
    rests = {place: total(term for other, term in terms.items() if other != place) for place in places}
    reached = [place for place in places if not _is(bars[place], 0)]
    for place in reached:
        (user, number), bar, partial, rest = uses[place], bars[place], slopes[place], rests[place]
        for name, wrong_row in variants(user, "partials"):
            yield name, rest + bar * user.uses(known[user.slot], wrong_row)[slot][number]
        if not all(_is_one(total(found)) for found in partials[user.slot].values()):
            if len(user.leaves) == 2:
                other = user.leaves[user.leaves[0] == slot]
                yield "operand_partials_swapped", rest + bar * total(partials[user.slot][other])
            if not _is_one(bar):  # a forgotten -1 is a slip of sign
                yield "chain_rule_forgotten", rest + partial
            yield "chain_rule_forgotten", rest + bar
        yield "sign", rest - terms[place]
    for place in places:
        if place not in reached:
            yield "chain_rule_forgotten", rests[place] + slopes[place]
    yield "sign", -total(terms.values())
    if len(reached) > 1:
        late = [term for place, term in terms.items() if place not in before]
        yield "adjoint_overwritten", total(late) if before and late else terms[reached[-1]]
        yield "adjoint_overwritten", terms[reached[-1]]
        for place in reached[1:] if len(reached) == 2 else reached:
            yield "path_missing", rests[place]
    yield "value_for_adjoint", read(VALUE, slot, None)
    for name in sheet.inputs:
        yield "mode_confused", read(DOT, slot, name)
    for place in reached:
        user, partial, rest = uses[place][0], slopes[place], rests[place]
        yield "value_for_adjoint", rest + read(VALUE, user.slot, None) * partial
        for name in sheet.inputs:
            yield "mode_confused", rest + read(DOT, user.slot, name) * partial


def planted(task: Task, mode: str) -> Iterator[Plant]:
    """Every slip that applies to a row of the standard trace, with the number that it most likely gives there.

    `mode` is value, forward, reverse or both; tangents and adjoints are mixed up only where there are both.  Slips of
    digits are not among these: they fit every number.
    """
    sheet = perfect(task, NUMBERINGS[0])
    truth = Solution(sheet, sheet.places[0])
    for wanted in quantities(sheet, task, mode):
        yield from plants_in(sheet, truth, task, mode, *wanted)


def plants_in(
    sheet: Worksheet, truth: Solution, task: Task, mode: str, kind: str, slot: int, key: str | None
) -> Iterator[Plant]:
    """The same for one quantity of the standard trace, at the point of a solution."""
    true, seen = truth.read(kind, slot, key), {"mode_confused"} if mode != "both" else set()
    of_quotients: list[Spread] = []
    for name, number in slips_of(sheet, kind, slot, key, truth.read):
        if name == "quotient_sign":
            of_quotients.append(number)
        if name == "sign" and any(number.meets(other) for other in of_quotients):
            continue  # it goes by its own name
        if name not in seen and number.known and not number.meets(true):
            seen.add(name)
            row = row_name(kind, sheet.label(slot), key, several(sheet, task, kind))
            yield Plant(row, name, number.middle, true.middle, kind, slot, key)


def several(sheet: Worksheet, task: Task, kind: str) -> bool:
    """Whether there are tangents of several inputs, or adjoints of several outputs, so that rows must say which."""
    return len(task.wrt or sheet.inputs) > 1 if kind == DOT else kind == BAR and len(sheet.outputs) > 1


def quantities(sheet: Worksheet, task: Task, mode: str) -> Iterator[tuple[str, int, str | None]]:
    """All that a full answer works out, in the order of working: values, then tangents, then adjoints."""
    for slot in sheet.cells:
        yield VALUE, slot, None
    if mode in ("forward", "both"):
        for name in task.wrt or sheet.inputs:
            for slot in (*sheet.inputs.values(), *sheet.cells):
                yield DOT, slot, name
    if mode in ("reverse", "both"):
        for output in sheet.outputs:
            for slot in reversed((*sheet.inputs.values(), *sheet.cells)):
                yield BAR, slot, output


def slips_of(sheet: Worksheet, kind: str, slot: int, key: str | None, read: Read) -> Found:
    """What slips would give in a quantity."""
    if kind == VALUE:
        return value_slips(sheet, slot, read)
    if kind == DOT:
        return dot_slips(sheet, slot, key or "", read)
    return bar_slips(sheet, slot, key or "", read)


def _values(cell: Cell, read: Read) -> dict[int, Spread]:
    return {leaf: read(VALUE, leaf, None) for leaf in cell.leaves}


def _is(x: Spread, number: float) -> bool:
    return x.low == x.high == number


def _is_one(x: Spread) -> bool:
    return _is(x, 1) or _is(x, -1)


def _seeds(seed: Spread) -> Found:
    """A seed that is not what it must be is always the same slip, whatever its number."""
    if _is(seed, 1):
        yield "seed", SPREAD.number(2.0)
        yield "seed", SPREAD.zero
    else:
        yield "seed", SPREAD.one
