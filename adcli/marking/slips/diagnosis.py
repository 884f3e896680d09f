"""Diagnosis of a wrong row: the results of all slips with the student's own numbers are compared with what is there. A
slip is a known mistake, called as in the catalogue; `a+b` are two at once; an edit is another operation, operand or
constant in the row's formula.

An explanation may fit by coincidence. A number with few digits represents an interval, and each further explanation
covers another one.  Numbers that nothing explains lie anywhere near the right one; the fraction of that neighbourhood
which the explanations cover together, each as wide as what it may give and the number's own rounding, is the fraction
of such numbers that would be explained all the same.  The rule: of a number as it was written, with all that was tried
for it, an explanation is named only if that fraction is small.  More digits make it smaller, more explanations make it
larger; two that give the same number count once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import islice
from math import isclose

from ...answers.answer_model import BAR, DOT, VALUE, Numeral
from ...answers.shown_numbers import as_double, numeral_spread
from ...graph.graph import Graph
from ...graph.tape import evaluate
from ...numbers.double_intervals import SPREAD, Spread
from ...records import NamedTuple
from ..programs.contributions import Expected, RowCase
from ..programs.resolving import PARTIAL, Resolved
from ..programs.worksheet import Read, SlipNumbers, Solution, Worksheet, close, uses_of
from .catalogue import NUMBER_SLIPS, slips_of, terms_with_slips, whole_in_degrees
from .step_arithmetic import in_degrees, is_outside, join_slips, simplest, without_vaguer

_MOST_CONSTANTS = 4  # of a formula that is wrong
_MOST = 3  # slips of which one is named
_VALUE = "value_for_adjoint"  # named only if no wrong rule fits
_EXACT = 1e-9  # a relative distance at which a number is the computed one, and not rounded from it
_TENFOLD = SPREAD.number("10"), SPREAD.number("0.1")
_FEW = 4  # points at which functions are compared where there are many
_LISTED, _SEARCHED = 0.25, 0.06  # the chance of an accident up to which slips are named, on the list or searched for


def _with_left_out(names: list[str], case: RowCase) -> list[str]:
    """Return the slips without `seed` if others fit, and with `path_missing` after `adjoint_overwritten` if in doubt.

    In doubt means that the row should have exactly two contributions (`chosen`) and none was written before: then the
    number may lack a path or be overwritten. The order stays; nothing is added if `path_missing` is there, or if the
    row has no `expected`.
    """
    names = [name for name in names if name != "seed"] or names
    expected, place = case.expected, names.index("adjoint_overwritten") if "adjoint_overwritten" in names else -1
    if place < 0 or "path_missing" in names or expected is None or expected.before or len(expected.chosen) != 2:
        return names
    return [*names[: place + 1], "path_missing", *names[place + 1 :]]


class Diagnosis(NamedTuple):
    """A wrong row, the `case`, with all that its slips are computed from.

    `sheet` is the corrected program. `read(kind, slot, key)` returns the student's own numbers, `truths` are the true
    solutions of the sheet at all points, `right` is the number that the rule gives with the student's numbers.
    `one_mode`: the answer does not have both tangents and adjoints, so that they cannot be mixed up.
    """

    case: RowCase
    sheet: Worksheet
    read: Read
    truths: Sequence[Solution]
    right: Spread
    one_mode: bool

    def slips(self, is_wrong: bool, others: Sequence[Numeral] | None) -> tuple[str, ...]:
        """Return up to 3 slips that explain the wrong row, the likely ones first; () if no slip fits.

        The first that applies:

        - A local partial has no slip.
        - An adjoint that is only a seed (no contribution is expected), and any tangent of an input, have the slip
          `seed` alone, whatever they show.
        - If `is_wrong` and the row has formulas: the slips that these show (`by_formulas`). `is_wrong` says that the
          formulas are wrong and have no unknown names.
        - Otherwise those that its number shows (`by_number`, of which only the `simplest` are kept); () without a
          number. `others` are the numbers of other rows; None says that the number follows from the row's formula, so
          that it is not a slip of the pen.

        Only the formula of an adjoint that is not a result's shows the slip `seed`. Two slips that were both made are
        one name, `a+b`. Of slips by formulas or number, `seed` is removed if others fit, and `path_missing` is added
        after `adjoint_overwritten` if the row should have exactly two contributions, none of them written before
        (`_with_left_out`).
        """
        case = self.case
        if case.quantity.kind == PARTIAL:
            return ()
        is_seed = case.expected is not None and case.expected.seeded and not case.expected.chosen
        if is_seed or (case.quantity.kind == DOT and case.quantity.slot in self.sheet.inputs.values()):
            return ("seed",)
        if is_wrong and case.formulas:
            names = self.by_formulas()
        else:
            names = [] if case.number is None else simplest(self.by_number(others))
        if case.quantity.kind == BAR and not case.formulas and case.quantity.slot not in self.sheet.outputs.values():
            names = [name for name in names if "seed" not in name.split("+")]  # others can make any sum too large by 1
        return tuple(_with_left_out(names, case)[:_MOST])

    def catalogue_slips(self, read: Read) -> SlipNumbers:
        """Yield (slip, number) for the slips of the catalogue, with the numbers that `read(kind, slot, key)` returns.

        They are those of `slips_of`, then of `whole_in_degrees`. Of an adjoint, they are those in the contributions
        that the row is expected to have. With `one_mode`, `mode_confused` is left out. Without a mode,
        chain_rule_forgotten is factor_forgotten in a derivative by an input that is only in products and sums of
        functions of it. A slip may occur several times, its most likely number first.
        """
        quantity, expected = self.case.quantity, self.case.expected
        places = () if expected is None else (expected.chosen, expected.before)
        slips = slips_of(self.sheet, quantity, read, *places)
        is_product = self.sheet.task.mode is None and quantity.kind == BAR
        is_product = is_product and all(
            is_outside(self.sheet.graph, use.slot) for use in self.sheet.users(quantity.slot)
        )
        other = {"chain_rule_forgotten": "factor_forgotten"} if is_product else {}
        yield from ((other.get(name, name), z) for name, z in slips if not (self.one_mode and name == "mode_confused"))
        yield from whole_in_degrees(self.sheet, quantity, read)

    def slips_by_search(self, read: Read) -> SlipNumbers:
        """Yield (slips, number) for two slips in the row, then for edits of its formula, with the numbers of `read`.

        The row is that of `case.quantity` in the sheet, not the student's formula; of the student's formulas only the
        first 4 different constants are used, by edits. Nothing is yielded for inputs and seeds.
        """
        graphs = [graph for graph, _ in self.case.formulas]
        written = dict.fromkeys(constant for graph in graphs for constant in graph.constants.values())
        constants = [constant.read(SPREAD) for constant in islice(written, _MOST_CONSTANTS)]
        return pairs_and_edits(self.case.quantity, self.case.expected, self.sheet, read, constants)

    # --- by the formula -----------------------------------------------------------------------------------------------

    def by_formulas(self) -> list[str]:
        """Return the slips that explain a wrong formula, the simplest first; [] if no slip does.

        - First slips of the catalogue are tried at all points (then `simplest`); `value_for_adjoint` only counts if it
          is alone.
        - If none fits, or the first one is `value_for_adjoint` or two slips at once, wrong rules for a whole derivative
          replace them if they fit (`_closed_form_slips`).
        - If there is still none, those found by search (`by_search`).
        - If there is still none, or the first one is two at once, it is `sign` if the first formula becomes right at
          all points by changing the sign of any one slot in it (`_has_other_sign`).
        - If there is still none, and the row shows a number, the `simplest` of `by_number(None)` for a row without
          formula: numbers may be written for symbols.
        """
        fitting = self._same_function(self.catalogue_slips, self.truths)
        names = [name for name in simplest(fitting) if name != _VALUE] or fitting
        if not names or names[0] == _VALUE or "+" in names[0]:
            names = list(_closed_form_slips(self.case, self.sheet)) or names or simplest(self.by_search())
        if (not names or "+" in names[0]) and self._has_other_sign():
            return ["sign"]
        if not names and self.case.shown is not None:  # numbers may be written for symbols
            names = simplest(self._replace(case=self.case._replace(formulas=())).by_number(None))
        return names

    def _has_other_sign(self) -> bool:
        """Return whether the first formula, as it is written, is right at all points once the same one of its signs is
        changed.

        Changing a sign means that one slot of the formula, written as a tree, is replaced by its negative (the edits
        `sign` of `Edits`). The symbols of the formula have their true values at each point (`self.truths`), not the
        student's numbers. Right means equal to `case.truths`; a point at which doubles cannot show this counts as not
        right. False if the formula has more than about 60 slots as a tree, or uses a local partial. The case must have
        a formula: raises IndexError if it has none.
        """
        from ..programs.edits import Edits, unfold_formula

        graph, symbols = self.case.formulas[0]
        tree, quantities = unfold_formula(graph, graph.outputs[0][1]), {graph.inputs[s]: q for s, q in symbols.items()}
        if tree is None or any(quantity.kind == PARTIAL for quantity in symbols.values()):
            return False
        fitting: list[set[int]] = []
        for truth, right in zip(self.truths, self.case.truths, strict=True):
            known = {slot: truth.read(*quantities[name][:3]) for slot, name in tree.inputs.items()}
            signs = [number for slip, number in Edits(tree, known, {}).apply_edits() if slip == "sign"]
            fitting.append({place for place, number in enumerate(signs) if close(number, right) is True})
        return bool(set.intersection(*fitting))

    def by_search(self) -> list[str]:
        """Return the slips beyond the catalogue that give the function that is written (each formula of the row).

        The program's true values at `truths` count, not the student's numbers; points at which a formula is unknown
        are skipped. The first of these that is not empty, or []:
        - two slips or one edit, compared at the first 4 points; passed over if more than 3 of them fit;
        - `wrong_constant`, if in the first formula one term of the rule has a wrong constant factor.
        """
        slips = self._same_function(self.slips_by_search, self.truths[:_FEW])
        return slips if 0 < len(slips) <= _MOST else ["wrong_constant"] if self._has_wrong_factor() else []

    def _has_wrong_factor(self) -> bool:
        """Return whether the first formula is the row's rule with one term multiplied by a constant: 3·cos(v1)·v̇1.

        At each point, with the true values, the factor of a term is (value of the formula - all other terms) / term; a
        value has one term. The factors of one term must equal the first of them (`close`) at all points at which they
        are known, two or more. A factor of 1 counts too. False for inputs and seeds. Raises IndexError if the row has
        no formula.
        """
        chosen = None if self.case.expected is None else self.case.expected.chosen
        factors: dict[int, list[Spread]] = {}
        for k, truth in enumerate(self.truths):
            if (step := terms_with_slips(self.sheet, self.case.quantity, truth.read, chosen)) is None:
                return False
            value = self.case.values[0][k]
            for place, term in enumerate(step.terms.products):
                factor = (value - (step.terms.sum - term)) / term
                if factor.known:
                    factors.setdefault(place, []).append(factor)
        return any(len(each) > 1 and all(close(each[0], other) for other in each) for each in factors.values())

    def _same_function(self, candidates: Callable[[Read], SlipNumbers], truths: Sequence[Solution]) -> list[str]:
        """Return the names of the slips that equal the written function at every point at which this has a value.

        `candidates(read)` yields (slip, number) pairs at a point of `truths`. A number is equal if `close` is True;
        undecided counts as different. If the first number of some slips is equal at each point, these slips are
        returned; otherwise those of which some number, not always the same one, is equal at each point (`_best_names`).
        If the row has several formulas, a slip must equal each of them. Points at which a formula is unknown are
        skipped; [] if all are.
        """
        likely: list[str] | None = None
        loose: list[str] | None = None
        for k, truth in enumerate(truths):
            there = list(candidates(truth.read))
            for values in self.case.values:
                if not values[k].known or loose == []:
                    continue
                value = values[k]
                first, every = _fitting(there, lambda z: close(z, value) is True)  # noqa: B023 - used at once
                likely = first if likely is None else [name for name in likely if name in first]
                loose = every if loose is None else [name for name in loose if name in every]
        return _best_names(likely or [], loose or [])

    # --- by the number ------------------------------------------------------------------------------------------------

    def by_number(self, others: Sequence[Numeral] | None) -> list[str]:
        """Return the slips that explain the row's number; [] if none does, or if they may fit by accident.

        Tried in this order. The first or second kind, if one of it fits, decides: its slips are returned, or [] if the
        `chance` of an accident is too large. If that of the third is too large, the fourth is tried all the same:
        - slips of the catalogue, with the student's numbers as written, then as intervals, true derivatives with
          respect to another input (`wrong_variable`), and the row's formulas in degrees; slips that always give the
          same as one of these are added (`_with_equals`). They count if one is exact or their `chance` is at most 0.25
          (`_is_likely`);
        - slips of writing, such as digits_transposed or a copy of one of the numbers `others`, with a `chance` of at
          most 0.25; none is tried if `others` is None;
        - for a row without a formula, wrong rules for a whole derivative of the problem at its true inputs, with a
          `chance` of at most 0.06, or
          if only a term of a sum is missing;
        - two slips at once and edits of the row's rule (`_by_search`), with the student's numbers as written.

        In a row with a formula only NUMBER_SLIPS are tried, wherever slips have numbers (`_possible`). A row whose
        number is arithmetic is compared with the first kind alone. [] if the row has no number.
        """
        case, right = self.case, self.right
        number = case.number if case.shown is None else case.shown.narrow
        if number is None:
            return []
        tried: list[Spread] = []
        for read in _as_written(self.read), self.read:
            others_of_row = (*self._of_other_inputs(), *self._of_formulas_in_degrees(read))
            candidates = self._possible([*self.catalogue_slips(read), *others_of_row])
            if names := _names_that_fit(candidates, number.meets):
                return self._with_equals(names, number) if self._is_likely(names, candidates, number) else []
            tried += [z for _, z in candidates]
        if case.shown is None:
            return []
        written = [] if others is None else list(dict.fromkeys(_digit_slips(case.shown.number, right, others)))
        if written:
            return written if chance(_writings(right, others or ()), number, right) <= _LISTED else []
        whole = [] if case.formulas else self._possible(_closed_form_numbers(case, self.sheet))
        names = simplest(_names_that_fit(whole, number.meets))
        if names == ["path_missing"] or (names and chance((z for _, z in whole), number, right) <= _SEARCHED):
            return names
        return self._by_search(number, tried)

    def _is_likely(self, names: Sequence[str], candidates: Sequence[tuple[str, Spread]], number: Spread) -> bool:
        """Return whether slips with these `names` fit a number exactly, or are unlikely to fit it by accident (`chance`
        of all `candidates` at most 0.25).

        Exactly means that some number of one of these slips, its middle, is within a relative 1e-9 of the middle of
        `number`. `candidates` are all explanations that were tried, as (slip, number).
        """
        fitting = (z for name, z in candidates if name in names)
        exactly = any(isclose(z.middle, number.middle, rel_tol=_EXACT) for z in fitting)
        return exactly or chance((z for _, z in candidates), number, self.right) <= _LISTED

    def _by_search(self, number: Spread, tried: Sequence[Spread]) -> list[str]:
        """Return the pairs of slips and the edits that give `number`, computed from the student's numbers as written;
        [] if these may be an accident (`chance` above 0.06).

        [] also if several names fit and their numbers are not all in one place (an interval does not meet the first
        one's). `tried` are the numbers of the explanations that were compared before; they and all candidates count in
        the chance.
        """
        candidates = self._possible(self.slips_by_search(_as_written(self.read)))
        fitting = [(name, z) for name, z in candidates if number.meets(z)]
        if len(dict(fitting)) > 1 and not all(z.meets(fitting[0][1]) for _, z in fitting):
            return []
        every = [*(z for _, z in candidates), *tried]
        return list(dict(fitting)) if chance(every, number, self.right) <= _SEARCHED else []

    def _of_other_inputs(self) -> SlipNumbers:
        """Yield (`wrong_variable`, true number at the point of the task) for the derivatives of a result with respect
        to each other input.

        The row must be such a derivative: the adjoint of an input, or the tangent of an output. Nothing for other rows.
        """
        (kind, slot, key, _), sheet, truth = self.case.quantity, self.sheet, self.truths[0]
        if kind == BAR and slot in sheet.inputs.values():
            yield from (("wrong_variable", truth.read(BAR, x, key)) for x in sheet.inputs.values() if x != slot)
        if kind == DOT and slot in sheet.outputs.values():
            yield from (("wrong_variable", truth.read(DOT, slot, name)) for name in sheet.inputs if name != key)

    def _of_formulas_in_degrees(self, read: Read) -> SlipNumbers:
        """Yield (`degrees`, number) for each formula of the row with sin, asin or the like, all of them in degrees.

        Names have the numbers of `read(kind, slot, key)`. A formula with a local partial is left out.
        """
        for graph, symbols in self.case.formulas:
            if any(quantity.kind == PARTIAL for quantity in symbols.values()):
                continue
            others = {s: in_degrees(row) for s, row in enumerate(graph.rows) if row and (row.angle or row.angular)}
            if others:
                changed, point = graph.copy(), {slot: read(*quantity[:3]) for slot, quantity in symbols.items()}
                changed.rows = [others.get(s, row) for s, row in enumerate(graph.rows)]
                yield "degrees", SPREAD.number(evaluate(changed, SPREAD, point)[graph.outputs[0][1]])

    def _possible(self, candidates: Iterable[tuple[str, Spread]]) -> list[tuple[str, Spread]]:
        """Return those of the `candidates`, (slip, number), in their order, that can explain the number in the row.

        A candidate's number must be known, and its interval must not contain the middle of the right number
        (`_covers`). If the row has a formula, only slips that are made
        with numbers are kept, such as sign or decimal_point (of a pair `a+b` both must be).
        """
        possible = [(name, z) for name, z in candidates if z.known and not _covers(z, self.right)]
        if self.case.formulas:
            possible = [(name, z) for name, z in possible if NUMBER_SLIPS.issuperset(name.split("+"))]
        return possible

    def _with_equals(self, names: list[str], number: Spread) -> list[str]:
        """Return `names`, then those slips of the catalogue that fit `number` and always give the same as one of these.

        A slip fits if it does with the full intervals of the student's numbers. "Always" means at up to 3 random points
        (not the problem's own): there, with true values, one of its numbers must equal one of a slip in `names`.
        Names outside the catalogue have no numbers there; without random points all slips that fit are added.
        """
        loose = _names_that_fit(self._possible(self.catalogue_slips(self.read)), number.meets)
        for truth in self.truths[1:_FEW]:
            if set(loose) <= set(names):
                break
            there = list(self.catalogue_slips(truth.read))
            named = [z for name, z in there if name in names]
            loose = [name for name in loose if any(close(z, at) for other, z in there if other == name for at in named)]
        return [*names, *(name for name in loose if name not in names)]


def _as_written(read: Read) -> Read:
    """Return a reader like `read` that returns each number as written, without the width of its rounding."""
    return lambda kind, slot, key: _middle(read(kind, slot, key))


def _middle(x: Spread) -> Spread:
    """Return the middle of an interval as an interval without width."""
    return Spread(x.middle, x.middle)


def _covers(wrong: Spread, right: Spread) -> bool:
    """Return whether a slip makes no difference: the middle of `right` is in the interval `wrong`, ends included."""
    return wrong.low <= right.middle <= wrong.high


def _fitting(candidates: Sequence[tuple[str, Spread]], fits: Callable[[Spread], bool]) -> tuple[list[str], list[str]]:
    """Return two lists of names of slips that fit: by the first number of each, and by some number of each.

    `candidates` are (slip, number), a slip's most likely number first; `fits(number)` decides.
    """
    likely: dict[str, Spread] = {}
    for name, z in candidates:
        likely.setdefault(name, z)
    first = [name for name, z in likely.items() if fits(z)]
    return first, list(dict.fromkeys(name for name, z in candidates if fits(z)))


def _best_names(first: list[str], every: list[str]) -> list[str]:
    """Return the slips of `first`, or without any those of `every`, without vaguer ones (`without_vaguer`).

    It is `sign` if the partials of a difference are swapped: only they are in `first`, and `sign` is in `every`."""
    is_sign = first == ["operand_partials_swapped"] and "sign" in every
    return ["sign"] if is_sign else without_vaguer(first or every)


def _names_that_fit(candidates: Sequence[tuple[str, Spread]], fits: Callable[[Spread], bool]) -> list[str]:
    """Return the names of the slips whose first number fits; if there are none, of those of which some number fits."""
    return _best_names(*_fitting(candidates, fits))


def _digit_slips(number: Numeral, right: Spread, others: Sequence[Numeral]) -> Iterator[str]:
    """Yield the slips of writing that explain `number`: decimal_point, digits_transposed, row_copied, in this order,
    each once at most.

    decimal_point: moved by 1 to 3 places in either direction the number is `right`, and has digits enough to tell
    (`_has_digits`). digits_transposed: with two neighbouring digits exchanged it is `right`. A written number is
    `right` if this meets its interval, half a unit of the last place to either side. row_copied: its value, with its
    sign, is exactly that of one of `others`, and not 0 or 1.
    """
    if any(_has_digits(number, power, right) for power in (-3, -2, -1, 1, 2, 3)):
        yield "decimal_point"
    if any(numeral_spread(swapped).meets(right) for swapped in _swap_digits(number)):
        yield "digits_transposed"
    if any(other.value == number.value and other.value not in (0, 1) for other in others):
        yield "row_copied"


def _writings(right: Spread, others: Sequence[Numeral]) -> Iterator[Spread]:
    """Yield the numbers that slips of writing may give: `right` with another decimal point, and each of `others`."""
    for factor in (0.001, 0.01, 0.1, 10.0, 100.0, 1000.0):
        yield right * factor
    yield from (Spread(as_double(other.value), as_double(other.value)) for other in others)


def _has_digits(number: Numeral, power: int, right: Spread) -> bool:
    """Return whether `number` with its decimal point moved by `power` places is `right`: 14 is 1.4 for -1.

    The moved interval, half a unit of the last place to either side, must meet `right`. The moved unit must be at most
    half the size of `right`: 1 says nothing of 14. False for 0.
    """
    factor = Fraction(10) ** power
    shifted = Numeral(number.value * factor, number.unit * factor)
    is_fine = bool(number.value) and 2 * as_double(shifted.unit) <= abs(right.middle)
    return is_fine and numeral_spread(shifted).meets(right)


def _swap_digits(number: Numeral) -> Iterator[Numeral]:
    """Yield the number with two neighbouring, different digits exchanged, in each way from left to right: 10 gives 1.
    The sign stays; zeros before the first digit (0.05) do not take part.

    Nothing is yielded for exact numbers (`unit` 0).
    """
    if not number.unit:
        return
    digits = str(abs(int(number.value / number.unit)))
    sign = -1 if number.value < 0 else 1
    for place in range(len(digits) - 1):
        if digits[place] != digits[place + 1]:
            swapped = digits[:place] + digits[place + 1] + digits[place] + digits[place + 2 :]
            yield Numeral(sign * int(swapped) * number.unit, number.unit)


# --- two slips, and edits of the formula ------------------------------------------------------------------------------


def pairs_and_edits(
    quantity: Resolved, expected: Expected | None, sheet: Worksheet, read: Read, constants: Sequence[Spread] = ()
) -> SlipNumbers:
    """Yield (slips, number) for two slips in the row `quantity`, then (slip, number) for edits of its formula.

    First comes each slip made in computing the row (not those in `besides`) with a decimal point moved by one place
    (times 10, then a tenth), then `RowSlips.pairs`; the names in `a+b` are in alphabetical order. The formula is the
    rule of the row, for an adjoint the sum of its contributions; edits may use `constants`. `read(kind, slot, key)`
    returns the numbers to start from. `expected` says which contributions an adjoint has (None: all). Nothing is
    yielded for inputs and seeds, and no edits for a formula of more than about 60 slots.
    """
    chosen = None if expected is None else expected.chosen
    if (row_slips := terms_with_slips(sheet, quantity, read, chosen)) is None:
        return
    for name, z in row_slips.compute_slips():
        yield from ((join_slips(name, "decimal_point"), z * factor) for factor in _TENFOLD)
    yield from row_slips.pairs()
    users = None
    if quantity.kind == BAR and chosen is not None:
        slots = uses_of(sheet.users(quantity.slot), quantity.slot)
        users = {slot for place, slot in enumerate(slots) if place in chosen}
    from ..programs.edits import RowFormula, nearby

    formula = RowFormula(sheet, *quantity[:3], users)
    yield from formula.edits(read, nearby(sheet, *quantity[:3]), constants)


# --- derivatives of a result as formulas of the inputs and values alone -----------------------------------------------


def _closed_form_slips(case: RowCase, sheet: Worksheet) -> tuple[str, ...]:
    """Return the wrong rules that turn a derivative of a result into the first formula of its row.

    Names of rows in that formula are replaced by their formulas in `sheet`, the corrected program, down to the inputs.
    The derivative is that of the problem itself. Formulas are compared at random points, not with the student's
    numbers. () in these cases: the row is not a derivative of a result with respect to an input; it has no formula, or
    one with tangents, adjoints or local partials; no wrong rule gives the formula.
    """
    program, wrt = _differentiated_result(case.quantity, sheet)
    if program is None or not case.formulas:
        return ()
    graph, symbols = case.formulas[0]
    if any(meant.kind != VALUE for meant in symbols.values()):
        return ()
    from .wrong_rules import wrong_rules  # with much that few answers need

    flat = Worksheet(sheet.task, list(sheet.inputs))
    inputs = {own_slot: flat.inputs[name] for name, own_slot in sheet.inputs.items()}
    leaves = {leaf: flat.graft(sheet.graph, meant.slot, inputs) for leaf, meant in symbols.items()}
    flat.graph.outputs = [("", flat.graft(graph, graph.outputs[0][1], leaves))]
    return wrong_rules(program, wrt, flat.graph)


def _closed_form_numbers(case: RowCase, sheet: Worksheet) -> Iterator[tuple[str, Spread]]:
    """Yield (slip, number) for a row that is the derivative of a result with respect to an input; else nothing.

    Each number is that derivative of the problem's own program, at its true inputs (the point of the task), if one row
    is differentiated by a wrong rule; earlier wrong rows of the student have no effect.
    """
    program, wrt = _differentiated_result(case.quantity, sheet)
    if program is not None and wrt in program.inputs.values():
        from .wrong_rules import wrong_derivatives

        yield from wrong_derivatives(program, wrt, sheet.places[0])


def _differentiated_result(quantity: Resolved, sheet: Worksheet) -> tuple[Graph | None, str]:
    """Return (a copy of the problem's graph with one output alone, the name of an input) if `quantity` is the
    derivative of this output with respect to this input.

    That is the adjoint of an input, for the output `key` of the program, or the tangent of an output, for `key`.
    Otherwise, and if the key is None, (None, "").
    """
    kind, slot, key, _ = quantity
    named = sheet.inputs if kind == BAR else sheet.outputs
    name = next((name for name, own_slot in named.items() if own_slot == slot), None) if kind in (DOT, BAR) else None
    if name is None or key is None:
        return None, ""
    output, wrt = (key, name) if kind == BAR else (name, key)
    program = sheet.task.program.graph.copy()
    program.outputs = [(other, own_slot) for other, own_slot in program.outputs if other == output]
    return (program, wrt) if program.outputs else (None, "")


# --- coincidence ------------------------------------------------------------------------------------------------------


_NEIGHBOURHOOD = 0.5  # to either side, as a fraction of the larger of the number and what should be there


def chance(tried: Iterable[Spread], number: Spread, right: Spread) -> float:
    """Return the fraction of numbers near `number`, each as wide as it, that an explanation in `tried` would fit.

    Near means within half of the larger of `number` and `right`, in absolute value; `right`, the number that should be
    there, is ignored if it is unknown. An explanation covers its interval and half the width of `number` to either
    side. Overlaps count once; unknown and far explanations do not count. 1.0 if both are 0, or if `number` is 0 and
    `right` is unknown. 0.0 if `tried` is empty.
    """
    reach = _NEIGHBOURHOOD * max(abs(number.middle), abs(right.middle) if right.known else 0.0)
    low, high, half = number.middle - reach, number.middle + reach, (number.high - number.low) / 2
    if not reach:
        return 1.0
    covered, end = 0.0, low
    for z in sorted((z for z in tried if z.known), key=lambda z: z.low):
        start, stop = max(z.low - half, end), min(z.high + half, high)
        if stop > start:
            covered += stop - start
            end = stop
    return covered / (high - low)
