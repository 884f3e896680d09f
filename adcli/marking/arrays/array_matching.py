"""Matching of rows with blocks: by name, by formula as a function, by numbers, by what follows from a row. A block is
an array of the problem's program, known by its number; a claim is what rows of the answer say about one array, of the
kind VALUE or BAR (adjoint); a helper is a claim about no block."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from fractions import Fraction

from ...answers.answer_model import BAR, VALUE, LeftOut, Numeral
from ...answers.arrays.array_lines import ArrayAnswer, ArrayPiece
from ...answers.arrays.array_texts import MARK, VALUES_WITH_D, differentiated_in
from ...answers.arrays.formula_readings import Array, ReadFormula, read_exactly, readings
from ...answers.row_tokens import names_in
from ...answers.shown_numbers import ROUNDED, Habit, as_double, habit, shown
from ...arrays.shapes import Shape, size
from ...numbers.double_intervals import SPREAD, Spread
from ...numbers.doubles import FLOAT
from ...typings import Any
from ..programs.array_reference import ArrayReference
from .array_claims import ArrayClaim, as_list, entry_place, last_numbers

Truths = Sequence[Mapping[str, Any]]  # arrays by name, one mapping for each point

_NEAR = 1e-7  # relative difference of equal functions
_TINY = 1e-6  # what is smaller may be the difference of larger numbers
_ROUNDING = 1e-14  # relative error of computed doubles
_OWN = Habit(Fraction(1, 1000), 4)  # of this program's tables
_DELTAS = frozenset("dδΔgG")
_MOST_OTHERS = 60  # rows of an answer that may say what another row is
RESULTS = frozenset(("l", "loss", "j", "cost", "e", "c", "f", "y", "mse", "error", "objective", "q", "s"))
_JACOBIANS = frozenset(("j", "jac", "jacobian", "jf", "df"))
_LOSSES = frozenset(("l", "loss", "j", "cost", "objective"))  # names of nothing else


class ArrayMatching:
    """The rows of one answer next to the blocks of a problem.

    `called` are the student's names of blocks, `truths` the arrays of all names at each point, `own` the student's
    numbers by kind and block, `left_out` the parts that are not counted."""

    def __init__(self, reference: ArrayReference, read: ArrayAnswer) -> None:
        """Prepare to match the rows of `read` with the blocks of `reference`.

        `usual` is how numbers are usually written in the answer. `called` has the blocks by the student's names, `own`
        the student's numbers by kind and block (filled later), `truths` the right arrays by name, one mapping for each
        point. `differentiated` has the name of the result in derivatives such as `dL/dW`, if it is the same in all."""
        self.reference, self.read = reference, read
        numerals = (number for row in read.rows for piece in row.pieces for number in piece.numbers)
        self.usual = _OWN if read.is_own else habit(numerals)
        self.called: dict[str, int] = {}
        self.by_name = {reference.blocks[k].name: k for k in reference.numbers} | {reference.result: reference.output}
        self.deltas: dict[str, int] = {}  # blocks by the names of values that are their adjoints, such as delta1
        self.constants: dict[str, Array] = {}  # helpers with numbers in their formula, which may be substituted
        self.defined: set[str] = set()  # all helpers
        self.own: dict[str, dict[int, list[Spread]]] = {VALUE: {}, BAR: {}}
        self.left_out: list[LeftOut] = [*read.left_out]
        derivatives = (row.written for row in read.rows if row.kind == BAR and "/" in row.written)
        above = {written.partition("/")[0].strip("d∂ ") for written in derivatives}
        self.differentiated = above if len(above) == 1 else set()
        self.truths = [reference.environment({}, k) for k in range(len(reference.traces))]
        self._drop_unknown()

    def _drop_unknown(self) -> None:
        """Remove from `truths`, in place, names that mean something else in the answer: v1 as an entry of v.

        A plain name stays if a row is called so or the problem's text has it. Of the others these are removed: the name
        of the result (y in p - y if no row is called y), and each that is not in `read.names`, the arrays that the
        answer's reader saw. An adjoint (name with `MARK`) is removed if and only if its plain name is not in
        `read.names`, also if that name stays. Nothing is removed if `read.names` is empty."""
        lefts = {row.name for row in self.read.rows}.union(names_in(self.reference.task.program.source.text))
        for name in self.truths[0].keys() - lefts if self.read.names else ():
            if name.removesuffix(MARK) not in self.read.names or name == self.reference.result:
                for truth in self.truths:
                    del truth[name]

    def resolve(self, claims: Sequence[ArrayClaim]) -> list[ArrayClaim]:
        """Return the claims with `number` set to the block of each (None: a helper), values first, then adjoints.

        Values (`_resolve_values`): those of inputs are dropped. Then, if the problem has adjoints, a helper among them
        that is an adjoint (`_as_adjoint`) becomes a claim about it, at its place. Adjoints come last
        (`_block_of_adjoint`; all None without adjoints). Both leave out blocks that adjoint rows name."""
        resolved = self._resolve_values(claims)
        adjoints = [claim for claim in claims if claim.kind == BAR]
        named = {k for claim in adjoints if (k := self._block_of(claim.name)) is not None}
        if self.reference.has_adjoints:
            resolved = [self._as_adjoint(claim, claims, named) for claim in resolved]
        resolved += [self._with_block(claim, self._block_of_adjoint(claim, claims, named)) for claim in adjoints]
        return resolved

    def _as_adjoint(self, claim: ArrayClaim, claims: Sequence[ArrayClaim], taken: Collection[int]) -> ArrayClaim:
        """Return a helper with entries as a claim about an adjoint if it is one; else `claim` unchanged.

        It is the adjoint of the first of these that applies:
        - the first of the inputs for which a formula of the claim equals the gradient, or which `differentiated_by` or
          `_gradients_shown` give;
        - a step (`_delta_of`), if the claim's name begins with d, δ, Δ, g or G;
        - the only input, if it has the claim's shape and the claim `_is_gradient`.

        Inputs are those of `moving_inputs` not in `taken`, blocks whose adjoints have names. An input's gradient gets
        the input's name; a step's adjoint keeps its name, which is recorded in `deltas` and `truths`. `claims` are all
        of the answer."""
        if claim.number is not None or not claim.entries:
            return claim
        read, bar, blocks = self._readings(claim.whole_formulas), claim._replace(kind=BAR), self.reference.blocks
        inputs = [k for k in self.reference.moving_inputs() if k not in taken]
        others = [other for other in claims if other.name != claim.name]
        derived = {self.differentiated_by(claim), *self._gradients_shown(claim, others)}
        shown = (k for k in inputs if k in derived or any(self._is_function(each, BAR, k) for each in read))
        number = next(shown, None)
        if number is None and claim.name[:1] in _DELTAS:
            number = self._delta_of(bar, others, taken)
        if number is None and len(inputs) == 1 and self._is_gradient(claim, others):
            number = inputs[0] if claim.fits_shape(blocks[inputs[0]].shape) else None
        if number is None or number in inputs:
            return claim if number is None else self._with_block(bar._replace(name=blocks[number].name), number)
        self.deltas[claim.name] = number
        for k, truth in enumerate(self.truths):
            truth[claim.name] = blocks[number].shape, self.reference.truth(BAR, number, k)
        return self._with_block(bar, number)

    def differentiated_by(self, claim: ArrayClaim) -> int | None:
        """Return the number of the input with respect to which a claim differentiates the result; None without one.

        Its first row decides, by its left side, then by its first piece: `d‖x‖/dx`, `J = ∂y/∂x`, with a formula or name
        that equals the result at all points. Otherwise, if there is only one input, a list (a claim with a shape, not a
        single number) means this input if it is called J, Jac or the like (`_JACOBIANS`), or is an adjoint with the
        result's name. Any other adjoint means the input of its name. Only the inputs of `moving_inputs` count."""
        inputs = {self.reference.blocks[k].name: k for k in self.reference.moving_inputs()}
        row = claim.rows[0]
        for text in (row.written, *(piece.text for piece in row.pieces[:1])):
            for formula, name in differentiated_in(text, inputs):
                read = readings(formula, {each: array[0] for each, array in self.truths[0].items()})
                if any(self._is_function(each, VALUE, self.reference.output) for each in read):
                    return inputs[name]
        is_of_result = claim.kind == BAR and self._block_of(claim.name) == self.reference.output  # Jacobian of s
        is_jacobian = len(inputs) == 1 and claim.shape and (is_of_result or claim.name.casefold() in _JACOBIANS)
        return next(iter(inputs.values())) if is_jacobian else inputs.get(claim.name) if claim.kind == BAR else None

    def _delta_of(self, bar: ArrayClaim, others: Sequence[ArrayClaim], taken: Collection[int]) -> int | None:
        """Return the block whose adjoint a claim such as δ1 is; None if no block fits.

        The block has the claim's shape, is not an input, not hidden, and neither in `taken` nor in `deltas`. The first
        that applies, blocks in order: one with whose adjoint, under this name, a formula of `others` is right,
        preferably one that the claim shows; one whose adjoint the claim shows (by a formula, else by numbers); a likely
        block (`_block_explained`), but not for the name of a gradient (`_is_gradient`)."""
        excluded = {*taken, *self.deltas.values(), *self.reference.hidden, *self.reference.inputs}
        blocks = self.reference.blocks
        free = [k for k in self.reference.numbers if k not in excluded and bar.fits_shape(blocks[k].shape)]
        shown_by = self._adjoints_shown(bar, free)
        used = next((k for k in (*shown_by, *free) if self._is_right_as_adjoint(bar.name, k, others)), None)
        number = used if used is not None else (*shown_by, None)[0]
        is_likely = number is None and not self._is_gradient(bar, others)
        return self._block_explained(bar, free, others) if is_likely else number

    def _is_gradient(self, claim: ArrayClaim, others: Sequence[ArrayClaim]) -> bool:
        """Return whether a claim is called g, G or grad…, and no formula of a known row in `others` uses this name."""
        if claim.name not in ("g", "G") and not claim.name.startswith("grad"):
            return False
        known = (other for other in others if other.kind == BAR or self._block_of(other.name) is not None)
        return not any(claim.name in names_in(piece.text) for other in known for piece in other.whole_formulas)

    def _gradients_shown(self, claim: ArrayClaim, others: Sequence[ArrayClaim]) -> list[int]:
        """Return the inputs whose gradient a claim shows that is called like a gradient (`_is_gradient`)."""
        named = self.reference.has_adjoints and self._is_gradient(claim, others)
        return [k for k in self.reference.moving_inputs() if named and self._shows(claim, BAR, k)]

    def _resolve_values(self, claims: Sequence[ArrayClaim]) -> list[ArrayClaim]:
        """Return the claims about values, each with its block (None for a helper), without claims about inputs.

        The block is looked for by name, formula or numbers (`_block_of_value`). If that finds no block, it is looked
        for by the use of the row's name in other rows; this is done for the first 60 claims about values, except
        helpers with right numbers that a right formula uses (`_is_sound_helper`). At last a loss is taken as the result
        (`_resolve_loss`). A claim about an input with other numbers is noted in `left_out`."""
        values = [claim for claim in claims if claim.kind == VALUE]
        numbers: list[int | None] = [*map(self._block_of_value, values)]
        for k, claim in enumerate(values[:_MOST_OTHERS]):
            if numbers[k] is None and not self._is_sound_helper(claim, claims):
                numbers[k] = self._block_by_use(claim, claims, {n for n in numbers if n is not None})
                self._record_name(claim, numbers[k])
        self._resolve_loss(values, numbers)
        resolved = [self._with_block(claim, number) for claim, number in zip(values, numbers, strict=True)]
        for claim in resolved:
            if claim.numbers and claim.number in self.reference.inputs and not self._shows(claim, VALUE, claim.number):
                self.left_out.append(LeftOut(claim.span, f"{claim.name} is given by the problem"))
        return [claim for claim in resolved if claim.number not in self.reference.inputs]

    def _resolve_loss(self, values: Sequence[ArrayClaim], numbers: list[int | None]) -> None:
        """If no row of values is the result yet, make one the result: set its entry in `numbers`, and record its name.

        `numbers` has the block of each claim in `values` (None: a helper). Shapes are not compared. The row is the last
        one called L, loss, J, cost or objective (in any case) whose claim is a helper, or about a scalar block that the
        problem does not name."""
        reference = self.reference
        unnamed = [k for k in reference.numbers if not (reference.blocks[k].shape or reference.blocks[k].user_named)]
        losses = [k for k, claim in enumerate(values) if claim.name.casefold() in _LOSSES]
        for k in [k for k in losses if numbers[k] in (None, *unnamed)][-1:] if reference.output not in numbers else ():
            numbers[k] = reference.output
            self._record_name(values[k], numbers[k])

    def _is_sound_helper(self, claim: ArrayClaim, claims: Sequence[ArrayClaim]) -> bool:
        """Return whether a claim defines a helper, with right numbers, that a right formula uses: `h = W x`.

        Its name must be in `helpers_named`, so not denote a block. Its numbers must agree with the helper's value in
        `truths`, from its formula. And a formula of some claim about a value, among all `claims`, must use its name and
        equal any block as a function. False if it shows no numbers or `truths` lacks it."""
        truth = self.truths[0].get(claim.name)
        if claim.name not in self.helpers_named or truth is None or not claim.numbers:
            return False
        uses = [piece for other in claims if other.kind == VALUE for piece in other.whole_formulas]
        read = [each for each in self._readings(uses) if claim.name in each.names]
        is_true = self._meets(claim.entries, list(map(SPREAD.number, truth[1])))
        return is_true and any(self._is_function(each, VALUE, k) for each in read for k in self.reference.numbers)

    def _record_name(self, claim: ArrayClaim, number: int | None) -> None:
        """Record that the claim's name denotes the block `number`, in `called` {name: block} and in `truths`.

        `truths`, of each point, gets the right values and adjoint (name and MARK) of the block; an earlier meaning is
        lost. Nothing is recorded if `number` is None or the claim has no name."""
        if number is not None and claim.name:
            self.called[claim.name] = number
            for k, truth in enumerate(self.truths):
                named = self.reference.environment({claim.name: number}, k)
                truth |= {name: named[name] for name in (claim.name, claim.name + MARK) if name in named}

    def _block_of_value(self, claim: ArrayClaim) -> int | None:
        """Return the block whose values a row such as `Z = XW = …` gives, and record the row's name as its name.

        The first of these that gives a block counts:
        - the problem's name of an input or step, whatever its shape, or of the result, if it has the row's shape;
        - the result, for a name that other rows differentiate, as L in dL/dW, if the row fits a number;
        - by formula or numbers (`_block_by_content`), unless the row is a derivative of the result
          (`differentiated_by`).

        None if none does; then the row defines a helper (`_define_helper`), unless it is such a derivative."""
        reference = self.reference
        blocks = reference.blocks
        named = {blocks[k].name: k for k in reference.numbers if blocks[k].is_input or blocks[k].user_named}
        if reference.output in named.values() or claim.fits_shape(blocks[reference.output].shape):
            named[reference.result] = reference.output
        number = named.get(claim.name)
        if number is None and claim.name in self.differentiated and claim.fits_shape(()):
            number = reference.output  # L of dL/dW
        if number is None and self.differentiated_by(claim) is None:
            read = self._readings(claim.whole_formulas)
            if (number := self._block_by_content(claim, read)) is None:
                self._define_helper(claim, read)
        self._record_name(claim, number)
        return number

    def _define_helper(self, claim: ArrayClaim, read: Sequence[ReadFormula]) -> None:
        """Add the helper that a claim defines to `truths`, at each point; nothing if it has no value.

        Its value is that of the first formula in `read`, else `_helper_values`. Its name is then in `defined`.
        `constants` gets intervals of its entries at the task's point for a list of zeros and ones (`_is_constant`), and
        for a helper whose first formula has a number, a constant such as pi, or a list in it, `sigmoid(0.25)`."""
        if _is_constant(claim):
            listed = as_list(claim)
            self.constants[claim.name] = listed.shape or (), [SPREAD.number(float(x.value)) for x in listed.numbers]
        elif read and read[0].is_literal:
            self.constants[claim.name] = read[0].values(ROUNDED, self._exact(read[0].names))
        for truth in self.truths:
            array = read[0].values(FLOAT, truth) if read and claim.name else self._helper_values(claim, truth)
            if array is not None:
                self.defined.add(claim.name)
                truth[claim.name] = array

    def _helper_values(self, claim: ArrayClaim, truth: Mapping[str, Any]) -> Array | None:
        """Return (shape, entries) of a helper: a list (`_is_constant`), or a vector whose rows are its entries.

        These rows must be the entries 1, 2, … in order, each with a formula of that entry or of the whole vector (`p1 =
        softmax(t)`); its first formula counts, and of an array of another length the first entry. None for another
        claim, and if a row's formula cannot be read. `truth` has the arrays by name."""
        if _is_constant(claim):
            return as_list(claim).shape or (), [float(entry.value) for entry in as_list(claim).numbers]
        formulas = ([piece for piece in row.pieces if piece.shape is None] for row in claim.rows if row.entry)
        entries = [each[0].values(FLOAT, truth)[1] for each in map(self._readings, formulas) if each]
        if not entries or [row.entry for row in claim.rows] != [(k + 1,) for k in range(len(entries))]:
            return None
        return (len(entries),), [each[k if len(each) == len(entries) else 0] for k, each in enumerate(entries)]

    def _is_product(self, claim: ArrayClaim) -> bool:
        """Return whether a claim's numbers are A B or Aᵀ B, at the task's point, for two named arrays of the problem.

        An example is A x in xᵀ A x. The arrays are the inputs, steps and result in `reference.names`, but not numbers;
        A may be B. The product must fit the claim's shape. False for a claim whose shape is None or ()."""
        known = self.truths[0].keys() & self.reference.names.keys() if claim.shape else ()
        names = [name for name in sorted(known) if self.reference.names[name]]
        texts = (f"{left}{sign} {right}" for left in names for sign in ("", "^T") for right in names)
        shapes = {name: self.reference.names[name] for name in names}
        products = (read for text in texts if (read := read_exactly(text, shapes)) is not None)
        values = (read.values(SPREAD, self._exact(read.names)) for read in products)
        return any(claim.fits_shape(shape) and self._meets(claim.entries, entries) for shape, entries in values)

    def _exact(self, names: Collection[str]) -> dict[str, Any]:
        """Return {name: (shape, entries row by row)} for these names: right arrays, with intervals without width.

        Names in `constants` have their own intervals instead, if the name still has that shape (it may be defined
        again). Raises KeyError for a name that `truths` lacks."""
        arrays = {name: self.truths[0][name] for name in names}
        exact = {name: (shape, [SPREAD.number(x) for x in xs]) for name, (shape, xs) in arrays.items()}
        constants = {name: array for name, array in self.constants.items() if exact.get(name, ("",))[0] == array[0]}
        return exact | constants

    def _block_by_content(self, claim: ArrayClaim, read: Sequence[ReadFormula]) -> int | None:
        """Return the block, not an input, that a row of values is, by its formulas or numbers; None if none fits.

        Candidates are the blocks that a formula (`read`) equals as a function, the last of the problem first; if there
        are none, those whose numbers the row shows, the nearest first. Of these the first with the row's name is
        returned, else the first that has no other name in the answer (recorded, or the problem's and seen in the
        answer), else the first. Here the row's name is compared with the problem's name of the block. Without
        candidates it is the last block with the row's name and shape."""
        blocks = self.reference.blocks
        candidates = [k for k in reversed(self.reference.numbers) if not blocks[k].is_input]
        numbers = [k for each in read for k in candidates if self._is_function(each, VALUE, k)]
        numbers = numbers or self._blocks_shown(claim, candidates)
        others = {*self.called.values()} - {self.called.get(claim.name)}
        others |= {k for k in candidates if blocks[k].user_named and blocks[k].name in self.read.names}
        numbers.sort(key=lambda k: (blocks[k].name != claim.name, k in others))
        alike = (k for k in candidates if blocks[k].name == claim.name and claim.fits_shape(blocks[k].shape))
        return numbers[0] if numbers else next(alike, None)

    def _blocks_shown(self, claim: ArrayClaim, candidates: Sequence[int]) -> list[int]:
        """Return those of `candidates` whose values a claim shows, the nearest first.

        A claim shows a block if it has a fitting shape and all entries, and all of them are true; a claim without
        numbers shows none. The nearest is that with the smallest largest difference of an entry. In addition a list of
        both zeros and ones, without a formula (`_is_constant`: a one-hot vector), shows only blocks of zeros and ones,
        not a softmax that rounds to them; this does not hold for a single number or a row with a formula."""
        shown_by = [k for k in candidates if self._shows(claim, VALUE, k)]
        if _is_constant(claim):
            shown_by = [k for k in shown_by if {*self.reference.truth(VALUE, k)} <= {0, 1}]
        return sorted(shown_by, key=lambda k: self._distance(claim, k))

    def _block_by_use(self, claim: ArrayClaim, claims: Sequence[ArrayClaim], taken: Collection[int]) -> int | None:
        """Return the block that a row of values with wrong numbers is meant to be; None for a helper.

        The block has the row's shape and is not in `taken` (blocks of other rows). The first that applies:
        - the result, if the row's name, in any case, is in `RESULTS` (L, loss, y, f, …);
        - the first block, in the problem's order, with which a formula of another of `claims` is right;
        - `_block_explained`, if it finds a block; for a row without a formula then `_block_of_other_shape`.

        None for a list of zeros and ones, both of them, without a formula."""
        if _is_constant(claim):
            return None
        free = [k for k in self._blocks_that_fit(claim) if k not in taken]
        if self.reference.output in free and claim.name.casefold() in RESULTS:
            return self.reference.output
        others = [other for other in claims if other is not claim][:_MOST_OTHERS]
        right = (k for k in free if any(self._is_right_with(claim.name, k, other) for other in others))
        number = next(right, None)
        number = self._block_explained(claim, free, others) if number is None else number
        return self._block_of_other_shape(claim, taken) if number is None and not claim.formulas else number

    def _block_of_other_shape(self, claim: ArrayClaim, taken: Collection[int]) -> int | None:
        """Return the first block of another shape that a slip turns into the claim's numbers and shape; else None.

        Excluded are inputs, blocks in `taken` and those of a shape that the claim fits; the result is tried first if
        the claim is called loss, y or the like. None for a claim whose shape is None or ()."""
        reference, shape = self.reference, claim.shape
        is_result = claim.name.casefold() in RESULTS
        numbers = sorted(reference.numbers, key=lambda k: is_result and k != reference.output)
        free = [k for k in numbers if k not in {*taken, *reference.inputs}]
        other = (k for k in free if shape and not claim.fits_shape(reference.blocks[k].shape))
        return next((k for k in other if self._slips(claim, k, shape or ())), None)

    def _block_explained(self, claim: ArrayClaim, free: Sequence[int], others: Sequence[ArrayClaim]) -> int | None:
        """Return the block of `free` that a row with wrong numbers is likely to be; None if no block is likely.

        Blocks are tried in order of `_distance`, the nearest first. It is the first from which, with the row's numbers,
        another wrong row among `others` follows. If there is none, and the row has no formula and is not a product of
        two arrays: the first block that is not hidden and `_explains` the row. None without any attempt for a value
        that shows a gradient (`_gradients_shown`) or is called like an adjoint: the name has two characters or more,
        the first one of d, δ, Δ, g and G, and is not diff, dist or dev."""
        is_adjoint = claim.name[:1] in _DELTAS and claim.name not in VALUES_WITH_D[:3]  # dp, not diff
        if claim.kind == VALUE and is_adjoint and len(claim.name) > 1:
            return None
        if claim.kind == VALUE and self._gradients_shown(claim, others):
            return None
        near = sorted(free, key=lambda k: self._distance(claim, k))
        followed = next((k for k in near if self._is_followed(claim, k, others)), None)
        if followed is not None or claim.formulas or self._is_product(claim):
            return followed
        return next((k for k in near if k not in self.reference.hidden and self._explains(claim, k)), None)

    def _is_followed(self, claim: ArrayClaim, number: int, others: Sequence[ArrayClaim]) -> bool:
        """Return whether a wrong row among `others` follows from the numbers of a claim, taken as block `number`.

        That row must be about another block. False if the claim lacks an entry or has not as many as the block."""
        placed, kind = self._with_block(claim, number), claim.kind
        if self._wrong_places(placed, number) is None:
            return False
        spreads = {number: [shown(entry, self.usual).wide for entry in placed.numbers]}
        swept = self.reference.sweep(spreads if kind == VALUE else {}, spreads if kind == BAR else {})
        return any(self._follows_from(other, swept, number) for other in others)

    def _explains(self, claim: ArrayClaim, number: int) -> bool:
        """Return whether a claim may be the block `number` with errors.

        It may if it has two or more entries, at least half of them right. It may also if slips, from the student's
        other numbers, give all entries, unless this is a copied row only. False if it lacks an entry of the block."""
        placed = self._with_block(claim, number)
        if (wrong := self._wrong_places(placed, number)) is None:
            return False
        is_half_right = 1 < len(placed.entries) >= 2 * len(wrong)
        slips = () if is_half_right else self._slips(placed, number, self.reference.blocks[number].shape)
        return is_half_right or slips not in ((), ("row_copied",))

    def _follows_from(
        self, other: ArrayClaim, swept: Mapping[str, Mapping[int, Sequence[Spread]]], number: int
    ) -> bool:
        """Return whether `other` is a wrong row that would follow from the student's numbers for the block `number`.

        Its block is that of its name, as its `number` may not be set. `swept` has, by kind and block, the entries that
        follow from these numbers; all must meet its own. False if `other` is about no block or about `number` itself
        (of either kind), if an entry is missing, or if its first row has an index."""
        block = self._block_of(other.name)
        if block is None or block == number or not other.entries or other.rows[0].entry:
            return False
        spreads = swept.get(other.kind, {}).get(block, ())
        return self._meets(other.entries, spreads) and not self._shows(other, other.kind, block)

    def _blocks_that_fit(self, claim: ArrayClaim) -> list[int]:
        """Return the blocks, except inputs, whose shape the claim fits (`fits_shape`): every array for single entries.

        [] if the claim has no name or no numbers, or if one of its formulas has the mark of adjoints in it."""
        if not claim.name or not claim.entries or any(MARK in piece.text for _, piece in claim.formulas):
            return []
        blocks = self.reference.blocks
        return [k for k in self.reference.numbers if not blocks[k].is_input and claim.fits_shape(blocks[k].shape)]

    def _is_right_with(self, name: str, number: int, other: ArrayClaim) -> bool:
        """Return whether a formula of `other` for the whole array, with `name` in it, fits a block if `name` is this
        one."""
        if not any(name in piece.text for piece in other.whole_formulas):
            return False
        trial = [{**truth, **self.reference.environment({name: number}, k)} for k, truth in enumerate(self.truths)]
        return self._is_right_in(name, trial, other, self.reference.numbers)

    def _is_right_in(self, name: str, trial: Truths, other: ArrayClaim, numbers: Sequence[int]) -> bool:
        """Return whether a formula of `other` that contains `name` is a value or adjoint of a block in `numbers`.

        Only formulas of the whole array count, each in all its readings. The kind is that of the claim `other`. `trial`
        has the arrays by name, one mapping for each point."""
        every = self._readings([piece for piece in other.whole_formulas if name in piece.text], trial[0])
        read = [each for each in every if name in each.names]
        return any(self._is_function(each, other.kind, n, trial) for each in read for n in numbers)

    def _is_right_as_adjoint(self, name: str, number: int, others: Sequence[ArrayClaim]) -> bool:
        """Return whether a formula of `others` with `name` is right if `name` is the adjoint of the block `number`.

        The formula must be in a row of a known adjoint."""
        shape, truth_of = self.reference.blocks[number].shape, self.reference.truth
        trial = [{**truth, name: (shape, truth_of(BAR, number, k))} for k, truth in enumerate(self.truths)]
        known = [(other, n) for other in others if other.kind == BAR and (n := self._block_of(other.name)) is not None]
        return any(self._is_right_in(name, trial, other, [n]) for other, n in known)

    def _block_of_adjoint(self, claim: ArrayClaim, claims: Sequence[ArrayClaim], taken: Collection[int]) -> int | None:
        """Return the block whose adjoint a row is; None for a helper, and if the task has no adjoints.

        A block of the row's name is returned as it is, without a look at `taken` or the shape; None for a name of
        `helpers_named`. Else it is the first whose adjoint a formula equals, or whose numbers the row shows, then
        `_block_explained`, among the blocks of its shape that are not inputs or in `taken`. Its name is recorded.
        `claims` are all of the answer, `taken` the blocks whose adjoints have names already."""
        number = self._block_of(claim.name)
        if number is not None or claim.name in self.helpers_named or not self.reference.has_adjoints:
            return number if self.reference.has_adjoints else None
        free = [k for k in self._blocks_that_fit(claim._replace(formulas=())) if k not in taken]
        shown = self._adjoints_shown(claim, free)
        others = [other for other in claims if other is not claim][:_MOST_OTHERS]
        number = shown[0] if shown else self._block_explained(claim, free, others)
        self._record_name(claim, number)
        return number

    def _adjoints_shown(self, claim: ArrayClaim, free: Sequence[int]) -> list[int]:
        """Return the blocks of `free` whose adjoint a formula of the row equals; without any, those by its numbers."""
        read = self._readings(claim.whole_formulas)
        equal = [k for k in free if any(self._is_function(each, BAR, k) for each in read)]
        return equal or [k for k in free if self._shows(claim, BAR, k)]

    @property
    def helpers_named(self) -> set[str]:
        """Return the names of values that the answer defines and that are not blocks of the problem."""
        return {name for name in self.truths[0] if not name.endswith(MARK)} - {*self.called, *self.reference.names}

    def _readings(self, pieces: Sequence[ArrayPiece], arrays: Mapping[str, Any] | None = None) -> list[ReadFormula]:
        """Return the readings of all formulas, the likeliest first for each, in the names of `arrays` (None: all)."""
        shapes = {name: array[0] for name, array in (arrays or self.truths[0]).items()}
        return [read for piece in pieces for read in readings(piece.text, shapes)]

    def _is_function(
        self, read: ReadFormula, kind: str, number: int, truths: Truths | None = None,
        place: int | None = None,
    ) -> bool:  # fmt: skip
        """Return whether a formula equals the values or adjoints (`kind`) of the block `number` at all points.

        The difference may be 1e-7 of the block's largest entry, plus 1e-13; of the shapes only the number of entries is
        compared. With `place`, a formula with another number of entries must have a single one, equal to the block's
        entry at that index (`x - c` above a column), within 1e-7 of this entry, plus 1e-13. `truths` are the arrays by
        name at each point (None: the right ones; KeyError if they lack a name). False without names in the formula, and
        for adjoints if the problem has none."""
        if (kind == BAR and not self.reference.has_adjoints) or not read.names:
            return False
        for k, truth in enumerate(truths or self.truths):
            expected = self.reference.truth(kind, number, k)
            entries = read.values(FLOAT, truth)[1]
            if place is not None and len(entries) != len(expected):
                expected = expected[place : place + 1]
            most = _NEAR * (max(map(abs, expected), default=0.0) + _TINY)
            pairs = zip(entries, expected, strict=False)
            if len(entries) != len(expected) or not all(abs(x - y) <= most for x, y in pairs):
                return False
        return True

    def _shows(self, claim: ArrayClaim, kind: str, number: int) -> bool:
        """Return whether a claim has the entries of the block `number`, all true and in its shape.

        `kind` is VALUE, or BAR for the entries of its adjoint."""
        placed = self._with_block(claim._replace(kind=kind), number)
        return claim.fits_shape(self.reference.blocks[number].shape) and self._wrong_places(placed, number) == []

    def _distance(self, claim: ArrayClaim, number: int) -> float:
        """Return the largest absolute difference of the entries of a claim from the values or adjoints of a block.

        Infinity if more than half of the entries are wrong, or if the numbers of entries differ."""
        placed = self._with_block(claim, number)
        wrong, truth = self._wrong_places(placed, number), self.reference.truth(claim.kind, number)
        if wrong is None or len(truth) < 2 * len(wrong):
            return math.inf
        return max(abs(as_double(entry.value) - x) for entry, x in zip(placed.numbers, truth, strict=True))

    def _wrong_places(self, placed: ArrayClaim, number: int) -> list[int] | None:
        """Return the indices of the entries of a claim that are not those of a block; None if some are missing."""
        truth = self.reference.truth(placed.kind, number)
        if len(placed.numbers) != len(truth):
            return None
        pairs = zip(placed.numbers, truth, strict=True)
        return [place for place, (entry, x) in enumerate(pairs) if not self._is_true(entry, around(x))]

    def _with_block(self, claim: ArrayClaim, number: int | None) -> ArrayClaim:
        """Return the claim with its block `number` and, if its rows are single entries, the entries in order.

        Only `number` is set if it is None (a helper), or if the claim has a shape or no index. Otherwise `entries` gets
        each row's last number at its place in the block (None: missing; of two rows for a place the later counts),
        formulas get that place, and rows outside are skipped. But if an entry is missing or outside, and the rows fill
        a list that does not fit the block (`as_list`), that list is returned with `number`."""
        if number is None or claim.shape is not None or not claim.rows[0].entry:
            return claim._replace(number=number)
        shape = self.reference.blocks[number].shape
        entries: list[Numeral | None] = [None] * size(shape)
        formulas: list[tuple[int | None, ArrayPiece]] = []
        for row in claim.rows:
            if (place := entry_place(row.entry, shape)) is None:
                continue
            shown_piece = last_numbers(row)
            entries[place] = shown_piece.numbers[0] if shown_piece is not None else None
            formulas += [(place, piece) for piece in row.pieces if piece.shape is None]
        listed = as_list(claim)
        is_other = any(len(row.entry) > len(shape) or entry_place(row.entry, shape) is None for row in claim.rows)
        if (None in entries or is_other) and listed.shape and not listed.fits_shape(shape):
            return listed._replace(number=number)
        return claim._replace(number=number, entries=tuple(entries), formulas=tuple(formulas))

    def _meets(self, entries: Sequence[Numeral | None], spreads: Sequence[Spread]) -> bool:
        """Return whether the wide interval of each entry (`shown`) meets the interval at its place in `spreads`.

        False if an entry is None or the lengths differ."""
        meet = (entry and shown(entry, self.usual).wide.meets(x) for entry, x in zip(entries, spreads, strict=False))
        return len(entries) == len(spreads) and all(meet)

    def _is_true(self, entry: Numeral, truth: Spread) -> bool:
        """Return whether an entry represents the truth; zeros at the end may be dropped, and a last digit cut off."""
        seen = shown(entry, self.usual)
        intervals = (seen.wide, seen.narrow, *([seen.cut_off] if seen.has_many_digits else []))
        return any(each.meets(truth) for each in intervals)

    def _block_of(self, name: str) -> int | None:
        """Return the block that a name denotes, the student's name first; None for a helper and an unknown name."""
        return self.called.get(name, None if name in self.defined else self.by_name.get(name))

    def _slips(self, claim: ArrayClaim, number: int, shape: Shape) -> tuple[str, ...]:
        """Return the names of the slips that give the entries of a wrong row of the block `number`, in `shape`."""
        from .array_slips import slips_of  # in a right answer there is nothing to look for

        spreads = [shown(entry, self.usual).wide for entry in claim.numbers]
        return slips_of(self.reference, self.own, claim.kind, number, (shape, spreads))


def _is_constant(claim: ArrayClaim) -> bool:
    """Return whether a claim is a list, not a single number, of both zeros and ones, without a formula in its rows."""
    is_list = bool(as_list(claim).shape) and all(piece.shape is not None for row in claim.rows for piece in row.pieces)
    return is_list and {entry.value for entry in as_list(claim).numbers} == {0, 1}


def around(x: float) -> Spread:
    """Return a double with the rounding of its computation: 2.4999999999999996 may be shown as 3."""
    return Spread(x - _ROUNDING * abs(x), x + _ROUNDING * abs(x))
