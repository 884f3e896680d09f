"""Slips with arrays: what people compute instead of a block or its adjoint, from the numbers that they had. A block is
an array of the problem's program, known by its number; numbers are {VALUE or BAR (adjoint): {block: entries}}, entries
as intervals, row by row: `own` are those that the student wrote, `swept` all that follow from them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import reduce
from operator import add

from ...answers.answer_model import BAR, VALUE
from ...answers.arrays.formula_readings import read_exactly
from ...arrays.array_blocks import ArrayBlock
from ...arrays.array_rows import OPERANDS, ROWS
from ...arrays.lowering import orient, transpose_entries
from ...arrays.shapes import Shape, size, split, transpose_shape
from ...grammar_files import read_sections
from ...graph.graph import CONSTANTS, Constant
from ...numbers.double_intervals import SPREAD, Spread
from ...typings import Any, Final
from ..programs.array_reference import ArrayReference

Own = Mapping[str, Mapping[int, Sequence[Spread]]]
Slip = tuple[str, Shape, Sequence[Spread]]

_SLOPE: Final = "chain_rule_forgotten"
_BATCH: Final = "batch_sum_missing"
# Wrong formulas with the names of their slips, by row; the file says what the other sections are.
_SECTIONS: Final = read_sections("array_slips.txt")
_FORMULAS: Final = {name: [line.partition(": ")[::2] for line in lines if line] for name, lines in _SECTIONS.items()}
_OF_ROWS: Final = dict(_FORMULAS["names"])
_ACTIVATIONS: Final = ("tanh", "sigmoid", "relu", "exp")
_MOST = 3  # slips that are named together


def slips_of(
    reference: ArrayReference, own_numbers: Own, kind: str, number: int, shown: tuple[Shape, Sequence[Spread]]
) -> tuple[str, ...]:
    """Return the names of the slips that give the numbers `shown` for the block `number`; () if no slip does, or if the
    block is a constant.

    `kind` is VALUE or BAR (the adjoint), `own_numbers` has the student's numbers by kind and block, `shown` is (shape,
    entries row by row) of the claim. A slip must give this shape, or equally many numbers in another row, column or
    vector. Slips are computed from the student's numbers for the other blocks, and from what follows for blocks not
    written. A slip does not count if its numbers also meet the true ones.

    `_likeliest` chooses among the slips that fit; () if more than 3 remain after its choice. If no slip fits, it is
    ("entrywise_for_product",) for a matrix whose rows or columns add up to the vector that follows from the student's
    numbers for the other blocks. KeyError if `own_numbers` lacks VALUE or BAR.
    """
    others = [{k: xs for k, xs in own_numbers[each].items() if (each, k) != (kind, number)} for each in (VALUE, BAR)]
    swept = reference.sweep(*others)
    if reference.blocks[number].is_constant:
        return ()
    truth = [SPREAD.number(x) for x in reference.truth(kind, number)]
    names: dict[str, None] = {}
    for name, shape, entries in candidates(reference, own_numbers, swept, kind, number):
        fits = shape == shown[0] or size(shape) == size(shown[0]) == max(shape, default=1) == max(shown[0], default=1)
        if fits and not _meet(entries, truth) and _meet(entries, shown[1]):
            names[name] = None
    if not names and _is_product_in_parts(swept[kind][number], shown):
        return ("entrywise_for_product",)
    return _likeliest([*names], not shown[0] and len(reference.blocks[number].shape) == 2)


def _likeliest(names: list[str], is_inner: bool) -> tuple[str, ...]:
    """Return which of the slips `names`, which all give the same numbers, are named: the first that applies.

    - ("sign",) if that is one of them;
    - ("outer_for_inner",) if that is one of them, or if there are any and `is_inner` (a number is shown for a matrix);
    - all, without "row_copied" if there are others; () if that are more than 3, or none.
    """
    for name in ("sign", "outer_for_inner"):
        if name in names:
            return (name,)
    if names and is_inner:
        return ("outer_for_inner",)
    names = [name for name in names if name != "row_copied"] or names
    return tuple(names) if len(names) <= _MOST else ()


def _is_product_in_parts(right: Sequence[Spread], shown: tuple[Shape, Sequence[Spread]]) -> bool:
    """Return whether a matrix is shown whose rows, or columns, add up to the entries of the vector `right`.

    These are the terms of a product that were not added. `shown` is (shape, entries); a shape without two axes is
    False, a matrix of one row or column counts.
    """
    shape, entries = shown
    if len(shape) != 2:
        return False
    rows = split([*entries], (shape[1],) * shape[0])
    sums = ([reduce(add, each) for each in lines] for lines in (rows, zip(*rows, strict=True)))
    return any(_meet(each, right) for each in sums)


def _meet(left: Sequence[Spread], right: Sequence[Spread]) -> bool:
    """Return whether two arrays have equally many entries, and each interval meets that at the same place."""
    return len(left) == len(right) and all(x.meets(y) for x, y in zip(left, right, strict=True))


def candidates(reference: ArrayReference, own_numbers: Own, swept: Own, kind: str, number: int) -> Iterator[Slip]:
    """Yield (slip, shape, entries) for each known way to get the values or adjoint (`kind`) of the block `number`
    wrong.

    In this order:

    - slips in the block's own rule, then slips in its whole result (`_slips_of_result`), both computed from `swept`,
      which has all that follows from `own_numbers`, the student's numbers;
    - slips in the rules of other steps, with the result that follows from them: for values, of the steps that the block
      is computed from; for an adjoint, of the adjoints of all steps computed from it, then of the values of all steps
      of the problem; each in the program's order.

    A step whose numbers the student wrote is left out, but in an adjoint's rule "chain_rule_forgotten" is tried
    nevertheless. A slip whose shape is not its step's is yielded by `_slips_of_other_shape`, if both are values or both
    adjoints, else not at all.
    """
    blocks, wrong = reference.blocks, {VALUE: _wrong_values, BAR: _wrong_adjoints}
    yield from wrong[kind](reference, swept, number)
    yield from _slips_of_result(reference, swept, kind, number)
    steps = [(kind, k) for k in reference.numbers if reference.needs(*((number, k) if kind == VALUE else (k, number)))]
    steps += [(VALUE, k) for k in reference.numbers] if kind == BAR else []
    for place, step in steps:
        for name, shape, entries in wrong[place](reference, swept, step) if not blocks[step].is_input else ():
            if (place, step) == (kind, number) or (step in own_numbers[place] and (place == VALUE or name != _SLOPE)):
                continue
            if shape == blocks[step].shape:
                changed = {
                    each: {k: xs for k, xs in own_numbers[each].items() if (each, k) != (kind, number)}
                    for each in own_numbers
                }
                changed[place][step] = entries
                yield name, blocks[number].shape, reference.sweep(changed[VALUE], changed[BAR])[kind][number]
            elif place == kind:
                yield from _slips_of_other_shape(reference, swept, number, step, (name, shape, entries))


def _slips_of_other_shape(reference: ArrayReference, swept: Own, number: int, step: int, slip: Slip) -> Iterator[Slip]:
    """Yield `slip`, made in the block `step` and of another shape, then what it leads to in the block `number`.

    `slip` is (name, shape, entries). The second one has the same name and is the formula of the values of `number` with
    the wrong array, as it is, instead of its first operand that is `step`. It is left out if `step` is not an operand,
    or if the shapes do not fit.
    """
    yield slip
    block = reference.blocks[number]
    if block.row is not None and any(operand.block == step for operand in block.operands):
        arrays = _operands(reference, swept, block)
        letter = next(name for name, operand in zip(OPERANDS, block.operands, strict=False) if operand.block == step)
        yield from _evaluate(slip[0], block.row.written(block.call), {**arrays, letter: slip[1:]})


def _slips_of_result(reference: ArrayReference, swept: Own, kind: str, number: int) -> Iterator[Slip]:
    """Yield (slip, shape, entries) for slips in the whole values or adjoint (`kind`) of the block `number`.

    They are computed from its entries in `swept`, in this order, with these names:
    - `transposed`: the transpose, then the transposed entries in the right shape; for every shape (a vector is then a
      row);
    - `sign`; `count_forgotten` and `wrong_constant`, a forgotten or superfluous 1/n (`_count_slips`, in any order);
    - `factor_forgotten`: twice and half the entries;
    - `value_for_adjoint`, for an adjoint: the value of its block;
    - `outer_for_inner`, for a number: r rᵀ and half of it of each vector r;
    - `row_copied`, for an array: the values (adjoints for an adjoint) of each other block of its shape, also of inputs.

    KeyError if `swept` lacks the block.
    """
    shape, right = reference.blocks[number].shape, swept[kind][number]
    for each in (transpose_shape(shape), shape):  # as it is, and its numbers in the right shape
        yield "transposed", each, transpose_entries(right, shape)
    counts = _count_slips(reference.blocks)
    for name, factor in (("sign", -1.0), *counts, ("factor_forgotten", 2.0), ("factor_forgotten", 0.5)):
        yield name, shape, [x * SPREAD.number(factor) for x in right]
    if kind == BAR:
        yield "value_for_adjoint", shape, swept[VALUE][number]
    if not shape:
        yield from _outer_squares(reference, swept)
    for other in reference.numbers:
        if other != number and len(shape) and reference.blocks[other].shape == shape:
            yield "row_copied", shape, swept[kind][other]


def _count_slips(blocks: Sequence[ArrayBlock]) -> set[tuple[str, float]]:
    """Return the pairs (slip, factor) by which a mean may be wrong.

    - `count_forgotten` with n, for each mean, n being the number of all entries of its operand;
    - `count_forgotten` with n, for each length n of any axis of an input that the formulas have as a number, written n;
    - `wrong_constant` with 1/n, a superfluous 1/n, for each length n of an input except 2.
    """
    lengths = {length for block in blocks for length in block.shape if block.is_input}
    counts = {("count_forgotten", float(size(b.call.shapes[0]))) for b in blocks if b.row is ROWS["mean"]}
    counts |= {("count_forgotten", float(length)) for length in lengths if str(length) in {b.literal for b in blocks}}
    return counts | {("wrong_constant", 1 / length) for length in lengths - {2}}


def _outer_squares(reference: ArrayReference, swept: Own) -> Iterator[Slip]:
    """Yield ("outer_for_inner", shape, entries) for r rᵀ and half of it, for each vector r (one axis; also inputs)."""
    for number in reference.numbers:
        if len(reference.blocks[number].shape) == 1:
            xs = swept[VALUE][number]
            products = [x * y for x in xs for y in xs]
            for factor in (1.0, 0.5):
                yield "outer_for_inner", (len(xs), len(xs)), [x * SPREAD.number(factor) for x in products]


def _wrong_values(reference: ArrayReference, swept: Own, number: int) -> Iterator[Slip]:
    """Yield (slip, shape, entries) for each wrong formula of the block `number` in `_FORMULAS`, by its function, in
    order.

    `swept` has the values of the operands. A formula that cannot be read, as for shapes that do not fit, is left out;
    one that gives the right values is not. Nothing for an input.
    """
    block = reference.blocks[number]
    if block.row is not None:
        arrays = _operands(reference, swept, block)
        for name, text in _FORMULAS.get(block.call.function or block.row.name, ()):
            yield from _evaluate(name, text, arrays)


def _wrong_adjoints(reference: ArrayReference, swept: Own, number: int) -> Iterator[Slip]:
    """Yield (slip, shape, entries) for wrong adjoints of the block `number`, each with one slip in one contribution.

    A contribution comes from a block that has `number` as an operand; it is wrong or missing ("path_missing"), and the
    others are right: their sum is the adjoint in `swept`, less the right contribution, or the whole adjoint if that
    cannot be evaluated. If the intervals of this rest all contain 0, it is taken as the only contribution, and there is
    no "path_missing". `swept` has what follows from the student's numbers.
    """
    right = swept[BAR][number]
    for block, position, arrays, part in _contributions_to(reference, swept, number):
        rest = [x - y for x, y in zip(right, part or [SPREAD.zero] * len(right), strict=True)]
        alone = all(x.meets(SPREAD.zero) for x in rest)
        yield from _wrong_contributions(reference, swept, block, position, arrays, None if alone else rest)


def adjoint_by_rules(reference: ArrayReference, own_numbers: Own, swept: Own, number: int) -> list[Spread]:
    """Return the adjoint of the block `number`, row by row, by the printed formulas of adjoints, such as h̄ ⊙ (1 − h²).

    They are used from the result on, whose seed is 1, with the values in `swept`, and added up; without contributions
    it is 0. An adjoint in `own_numbers`, even that of `number`, is taken instead of a computed one. [] if a formula
    cannot be evaluated, also one of an adjoint in `own_numbers`.
    """
    bars: dict[int, Sequence[Spread]] = {}
    for k in reversed(reference.numbers):
        parts = [part for *_, part in _contributions_to(reference, {VALUE: swept[VALUE], BAR: bars}, k)]
        start = [SPREAD.one if k == reference.output else SPREAD.zero] * size(reference.blocks[k].shape)
        if not all(parts):
            return []
        bars[k] = own_numbers[BAR].get(k) or [reduce(add, terms) for terms in zip(start, *parts, strict=True)]
        if k == number:
            break
    return [*bars[number]]


def _contributions_to(
    reference: ArrayReference, swept: Own, number: int
) -> Iterator[tuple[ArrayBlock, int, dict[str, Any], Sequence[Spread]]]:
    """Yield (block, position of the operand, {letter: array of its rule}, entries) for each contribution.

    The adjoint is that of the block `number`. There is one contribution for each operand of a `block` that is this
    block, in order of the blocks and their operands. `swept` has the numbers to start from, by kind and block; KeyError
    if it lacks one. The letters are those of the operands, g for the adjoint of `block` and z for its value. The
    entries are row by row, of the operand as it is without its transpose; () if the rule cannot be evaluated.
    """
    for user in reference.numbers:
        block = reference.blocks[user]
        if block.row is None or not any(operand.block == number for operand in block.operands):
            continue
        arrays = {**_operands(reference, swept, block), "g": (block.shape, swept[BAR][user]),
                  "z": (block.shape, swept[VALUE][user])}  # fmt: skip
        for position, operand in enumerate(block.operands):
            if operand.block == number:
                terms = [*_evaluate("", block.row.adjoint_texts(block.call)[position], arrays)]
                part = orient(*terms[0][1:], operand.is_transposed)[1] if terms else ()
                yield block, position, arrays, part


def _wrong_contributions(
    reference: ArrayReference, swept: Own, block: ArrayBlock, position: int, arrays: Mapping[str, Any],
    rest: Sequence[Spread] | None,
) -> Iterator[Slip]:  # fmt: skip
    """Yield (slip, shape, entries) for wrong adjoints of the operand at `position` of `block`.

    `arrays` are those of the block's rule by letter. `rest` is the sum of the other contributions, None if there are no
    others. `rest` alone comes first, as "path_missing". Then each of `_wrong_parts`, transposed if the operand is,
    comes twice, as it is and negated, both times with the name of the wrong rule. `rest`, if there is one, is added to
    both if they have exactly the shape of the operand's block; of another shape they come without it. Both of the right
    rule are called "sign", also the right one; before them its contribution alone comes, as "path_missing", if there is
    `rest`.
    """
    target = reference.blocks[block.operands[position].block].shape
    if rest is not None:
        yield "path_missing", target, rest
    for name, shape, entries in _wrong_parts(reference, swept, block, position, arrays):
        shape, entries = orient(shape, entries, block.operands[position].is_transposed)
        if name == "path_missing" and rest is not None:
            yield name, shape, entries
        for sign in (1, -1):
            signed = [x * SPREAD.number(sign) for x in entries]
            is_part = rest is not None and shape == target
            slip = "sign" if name == "path_missing" else name
            yield slip, shape, [x + y for x, y in zip(rest or (), signed, strict=True)] if is_part else signed


def _wrong_parts(
    reference: ArrayReference, swept: Own, block: ArrayBlock, position: int, arrays: Mapping[str, Any]
) -> Iterator[Slip]:
    """Yield (slip, shape, entries) for wrong contributions of `block` to its operand at `position`.

    First come those by a wrong rule (`_wrong_rules`); after a sum over the batch that is missing also each of its rows
    alone. Then comes the right rule, once for each operand of `block` that is the value of a tanh, sigmoid, relu or
    exp, with its argument instead (z for h = tanh(z)), as "wrong_operand". Formulas that cannot be read are left out.
    `arrays` are the (shape, entries) of the names in rules, by letter; `swept` has the values of the arguments.
    """
    assert block.row is not None  # an input hands nothing over  # noqa: S101
    for name, text in _wrong_rules(block, position):
        for _, shape, entries in _evaluate(name, text, arrays):
            yield name, shape, entries
            if name == _BATCH and len(shape) == 2:
                yield from ((name, shape[1:], row) for row in split([*entries], shape[1:] * shape[0]))
    rule = block.row.adjoint_texts(block.call)[position]
    for letter, operand in zip(OPERANDS, block.operands, strict=False):
        source = reference.blocks[operand.block]
        if source.row is not None and source.call.function in _ACTIVATIONS:
            before = orient(source.shape, swept[VALUE][source.operands[0].block], operand.is_transposed)
            yield from _evaluate("wrong_operand", rule, {**arrays, letter: before})


def _wrong_rules(block: ArrayBlock, position: int) -> Iterator[tuple[str, str]]:
    """Yield (slip, wrong formula) for the contribution of `block` to the adjoint of its operand at `position`.

    First the slips in the block's row of the table (of mean all are called "count_forgotten"). Then, for activations,
    wrong slopes (as "chain_rule_forgotten"); for softmax "softmax_diagonal"; for matmul and affine wrong adjoints of
    products. Then "batch_sum_missing", if the right rule begins with `colsum(` or `sum(`: what is in the brackets, and
    its rows' sums. Last "path_missing" with the right rule itself, if there is one; the caller makes of it the slips of
    one path alone and of a sign. A slip has a formula for each operand; if it has fewer, its last formula counts. Slips
    without formulas are left out.
    """
    assert block.row is not None  # an input hands nothing over  # noqa: S101
    rule = block.row.adjoint_texts(block.call)[position]
    texts = [(_OF_ROWS[name], block.row.filled(each, block.call)) for name, each in block.row.slips.items()]
    if block.call.function in _ACTIVATIONS:
        texts += [(name, [each]) for name, each in _FORMULAS["slopes"]]
    elif block.row is ROWS["softmax"]:
        texts.append(("softmax_diagonal", ["z .* (1 - z)"]))
    if block.row.name == "mean":
        texts = [("count_forgotten", each) for _, each in texts]
    elif block.row.name in ("matmul", "affine"):
        texts += [(name, each.split("; ")) for name, each in _FORMULAS["adjoints"]]
    if rule.startswith(("colsum(", "sum(")):
        inside = rule.partition("(")[2][:-1]
        texts += [(_BATCH, [text]) for text in (inside, f"rowsum({inside})")]
    for name, each in (*texts, ("path_missing", [rule] if rule else [])):
        if each:
            yield name, each[min(position, len(each) - 1)]


def _operands(reference: ArrayReference, swept: Own, block: ArrayBlock) -> dict[str, Any]:
    """Return {letter: (shape, entries)} of the operands of a block, by the letters in rules, transposed where the
    operand is.

    The entries are those of `swept[VALUE]`. An operand that is not in it is a constant of its own shape: all its
    entries are the number of its literal (or of its name, pi), or 1 without one.
    """
    arrays: dict[str, Any] = {}
    for letter, operand in zip(OPERANDS, block.operands, strict=False):
        source = reference.blocks[operand.block]
        if (entries := swept[VALUE].get(operand.block)) is None:
            number = source.literal or "1"
            entries = [Constant(number, number in CONSTANTS).read(SPREAD)] * size(source.shape)
        arrays[letter] = orient(source.shape, entries, operand.is_transposed)
    return arrays


def _evaluate(name: str, text: str, arrays: Mapping[str, Any]) -> Iterator[Slip]:
    """Yield (name, shape, entries) of the formula `text` with these arrays, once.

    Nothing is yielded if the text is empty or cannot be read, as when shapes do not fit."""
    read = read_exactly(text, {letter: array[0] for letter, array in arrays.items()}) if text else None
    if read is not None:
        yield (name, *read.values(SPREAD, arrays))
