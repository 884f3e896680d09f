"""Equality of formulas of gradients: an answer is compared with the gradient at random points and for other sizes."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import islice

from ..errors import AdcliError, Source
from ..graph.tape import adjoints, evaluate, linearize
from ..numbers.double_intervals import SPREAD, Spread
from ..records import NamedTuple
from ..typings import Final
from .array_program import ENTRYWISE_NOTE, ArrayProgram, ShapeProblem, read_arrays
from .lowering import transpose_entries
from .shapes import Shape, natural, places, shape_in_words, size, transpose_shape
from .sweeps import evaluate_output, inputs_of

_POINTS = 4  # of each choice of sizes
_DRAWS = 12
_DRAWS_AT_KINKS = 60  # where functions such as relu and step have other branches
_POWERS = ("sqrt", "pow")  # these have at most two branches, for arguments on either side of 0
_SPANS = ((0.3, 1.7), (-1.6, 1.6))  # from which entries are drawn, in turn
_NARROW = 1e-7  # width of a difference, relative to the largest entry, in which 0 counts as equality

Point = dict[str, list[float]]  # the entries of each input, row by row
Answer = Callable[[Mapping[str, Shape]], Source]  # the formula that an answer is for these shapes
Change = Callable[[list[Spread], Shape], list[Spread]]  # of the entries of an answer, for the shape of the gradient


class GradientVerdict(NamedTuple):
    """The verdict on a formula that is to be a gradient.

    is_right  whether it is the gradient; None if that is undecided
    message   the mistake, or the shapes for which it holds; "" if there is nothing to report
    problem   why the formula cannot be read; None if it can, also if its shapes do not fit
    fits      whether it has a value of the shape of the gradient
    """

    is_right: bool | None
    message: str
    problem: AdcliError | None = None
    fits: bool = True


class PosedGradient(NamedTuple):
    """A program of one number for certain shapes, with an answer that is to be its gradient.

    answer  the answer as a program, after the statements of the problem
    wrt     the input of the gradient
    shapes  {input: shape}
    """

    program: ArrayProgram
    answer: ArrayProgram
    wrt: str
    shapes: Mapping[str, Shape]

    @property
    def shape(self) -> Shape:
        """Return the shape of the answer."""
        return self.answer.outputs[-1][1].of(self.answer.blocks)[0]

    def entries_at(self, point: Point) -> tuple[list[Spread], list[Spread]] | None:
        """Return (entries of the answer, entries of the gradient) at a point, as intervals.

        They are those of the answer's last output, and of the derivative of the program's first one, row by row. None
        if an entry of them has no value there. `point` has the entries of each input.
        """
        known = {name: (self.shapes[name], [SPREAD.number(x) for x in xs]) for name, xs in point.items()}
        graph = self.program.program.graph
        values = evaluate(graph, SPREAD, inputs_of(self.program, known))
        bars = adjoints(graph, linearize(graph, SPREAD, values), {graph.outputs[0][1]: SPREAD.one})
        gradient = [SPREAD.number(bars[slot]) for slot in self.program.inputs[self.wrt].slots]
        answer = [SPREAD.number(x) for x in evaluate_output(self.answer, SPREAD, known)[1]]
        return (answer, gradient) if all(x.known for x in (*answer, *gradient)) else None


def compare_gradient(
    problem: Source, shapes: Mapping[str, Shape], wrt: str, answer: Source | Answer
) -> GradientVerdict:
    """Return the verdict whether `answer` is the gradient of `problem`, a number, with respect to its input `wrt`.

    `shapes` are those of the arrays; other names are numbers. An answer that depends on the sizes is a function of the
    shapes. Both are evaluated in intervals at random points: a point where they differ refutes the answer; it is right
    if they agree at 4 points at which their values are narrow, and undecided with fewer. One that agrees is undecided,
    too, if a product in it can only be read entry by entry, without a sign for that. An answer that cannot be read is
    refuted, and one of another shape than `wrt`, such as its transpose, too. The verdict is (True, False or None if
    undecided; message; the error if the answer cannot be read, but None if shapes inside it do not fit; whether it can
    be read and has the shape of `wrt`).

    Sizes are also exchanged and enlarged; if the answer, with sizes as numbers, is then not the gradient, the message
    says so. Raises an AdcliError if the problem cannot be read, and ValueError if it is not a number that depends on
    `wrt`.
    """
    program = read_arrays(problem, shapes, others=True)
    if program.blocks[program.outputs[0][1].block].shape or wrt not in program.inputs:
        raise ValueError(f"the problem is not a number that depends on {wrt}")
    shapes = {name: block.shape for name, block in program.inputs.items()}
    spelled: Answer = answer if callable(answer) else lambda _: answer
    try:
        posed = _read_both(problem, spelled, shapes, wrt)
    except AdcliError as error:
        return GradientVerdict(False, error.title, None if isinstance(error, ShapeProblem) else error, fits=False)
    fits = posed.shape == shapes[wrt]
    verdict = _agrees(posed) if fits else False
    if verdict is False:
        return GradientVerdict(False, _why_wrong(posed), fits=fits)
    notes = {note.text for note in posed.answer.program.readings}
    if verdict is None or ENTRYWISE_NOTE in notes:
        return GradientVerdict(None, ENTRYWISE_NOTE if verdict else "this could not be decided at random points")
    is_general = all(_holds_for_shapes(problem, spelled, others, wrt) for others in _other_sizes(shapes))
    return GradientVerdict(True, "" if is_general else "this holds for the given sizes only")


def _holds_for_shapes(problem: Source, answer: Answer, shapes: Mapping[str, Shape], wrt: str) -> bool:
    """Return whether an answer holds for these `shapes` too.

    True if problem or answer cannot be read for these shapes, because a size is in the text as a number. False if its
    shape is not that of the input `wrt`, or if it surely differs at a random point. True if it agrees, or if that is
    undecided.
    """
    try:
        posed = _read_both(problem, answer, shapes, wrt)
    except AdcliError:  # a size is in the text as a number
        return True
    return posed.shape == shapes[wrt] and _agrees(posed) is not False


def _read_both(problem: Source, answer: Answer, shapes: Mapping[str, Shape], wrt: str) -> PosedGradient:
    """Return problem and answer as programs for these shapes; the answer may use the names that the problem assigns.

    `answer(shapes)` is its text, the gradient with respect to the input `wrt`. It is read behind the assignments of the
    problem before its last statement, with `entrywise` (see `read_arrays`); the problem is read without. Raises an
    AdcliError if one of them cannot be read.
    """
    program = read_arrays(problem, shapes)
    named = [part for part in problem.text.split(";")[:-1] if "=" in part]
    text = "; ".join([*named, answer(shapes).text])
    return PosedGradient(program, read_arrays(Source(text), shapes, entrywise=True), wrt, shapes)


def _other_sizes(shapes: Mapping[str, Shape]) -> Iterator[dict[str, Shape]]:
    """Yield `shapes` twice with other sizes: first the distinct sizes above 1 in reverse order (the smallest becomes
    the largest; equal sizes stay equal), then each of them larger by 1. Sizes 1 stay.
    """
    sizes = sorted({count for shape in shapes.values() for count in shape if count > 1})
    for others in (sizes[::-1], [count + 1 for count in sizes]):
        changed = {1: 1, **dict(zip(sizes, others, strict=True))}
        yield {name: tuple([changed[count] for count in shape]) for name, shape in shapes.items()}


def _points(shapes: Mapping[str, Shape]) -> Iterator[Point]:
    """Yield 60 random points, always the same ones, in turn with positive entries and with those of both signs."""
    source = random.Random(7)  # noqa: S311 - any points will do, but the same ones
    for draw in range(_DRAWS_AT_KINKS):
        low, high = _SPANS[draw % len(_SPANS)]
        yield {name: [source.uniform(low, high) for _ in places(shape)] for name, shape in shapes.items()}


def _are_narrow(differences: Sequence[Spread], gradient: Sequence[Spread]) -> bool:
    """Return whether all intervals of `differences` are narrow next to the largest entry of `gradient`, or to 1e-3."""
    largest = max(max(abs(x.low), abs(x.high)) for x in gradient)
    return all(x.high - x.low <= _NARROW * max(largest, 1e-3) for x in differences)


def _transposed(entries: list[Spread], shape: Shape) -> list[Spread]:
    """Return the entries of an array of this `shape` whose transpose has these entries."""
    return transpose_entries(entries, transpose_shape(shape))


def _scaled(factor: float, entries: list[Spread], _: Shape) -> list[Spread]:
    return [x * factor for x in entries]


def _agrees(posed: PosedGradient, change: Change | None = None, where: Callable[[Point], Point] = dict) -> bool | None:
    """Return whether the answer of `posed` is its gradient at random points: True, False, or None if undecided.

    `change` is applied to the entries of the answer first; `where` replaces each point by another. False at the first
    point where an entry surely differs. True if all differences are narrow at 4 points, None with fewer such points.
    Points without values are skipped. Up to 12 points are tried, 60 with functions that have kinks other than sqrt and
    pow; without kinks the fourth point that agrees is the last.
    """
    agreed, shape = 0, posed.shapes[posed.wrt]
    rows = (*posed.program.program.graph.rows, *posed.answer.program.graph.rows)
    names = {row.name for row in rows if row is not None and row.smooth}  # of functions with kinks
    for point in islice(_points(posed.shapes), _DRAWS_AT_KINKS if names.difference(_POWERS) else _DRAWS):
        pair = posed.entries_at(where(point))
        if pair is None:
            continue
        answer, gradient = pair if change is None else (change(pair[0], shape), pair[1])
        differences = [x - y for x, y in zip(answer, gradient, strict=True)]
        if any(x.low > 0 or x.high < 0 for x in differences):
            return False
        agreed += _are_narrow(differences, gradient)
        if agreed >= _POINTS and not names:
            break
    return True if agreed >= _POINTS else None


def _why_wrong(posed: PosedGradient) -> str:
    """Return why an answer is wrong. The first that applies:

    - a shape other than the input's, with the remark that it is the transpose if it is
    - a slip (sign, factor 2, transpose), or the missing 1/n of a mean, that makes it agree when undone
    - a condition on one input under which it would be right (symmetric, or entries that add up to 1)
    - that it is not the gradient
    """
    shape, wrt = posed.shapes[posed.wrt], posed.wrt
    if posed.shape != shape:
        is_transpose = posed.shape == transpose_shape(shape) and _agrees(posed, _transposed) is True
        beginning = "this is the transpose: " if is_transpose else f"this {shape_in_words(posed.shape)}, but "
        return f"{beginning}the gradient of {wrt} {shape_in_words(shape)}, as {wrt} itself"
    counts = sorted({count for each in posed.shapes.values() for count in (*each, size(each)) if count > 2})
    averages: list[tuple[str, Change]] = [("a factor 1/n is missing", partial(_scaled, 1 / count)) for count in counts]
    for text, change in (*_SLIPS.items(), *averages):
        if (change is not _transposed or shape == transpose_shape(shape)) and _agrees(posed, change) is True:
            return text
    for name, other in posed.shapes.items():
        for text, makes in _CONDITIONS.items():
            if _agrees(posed, None, partial(_replaced, name, partial(makes, shape=other))) is True:
                return text.format(name)
    return f"this is not the gradient with respect to {wrt}"


def _replaced(name: str, makes: Callable[[list[float]], list[float]], point: Point) -> Point:
    return {**point, name: makes(point[name])}


def _symmetric(entries: Sequence[float], shape: Shape) -> list[float]:
    """Return the entries of the symmetric part of a square matrix; those of another array as they are."""
    if len(shape) != 2 or shape[0] != shape[1]:
        return list(entries)
    return [(x + y) / 2 for x, y in zip(entries, transpose_entries(entries, shape), strict=True)]


def _of_sum_1(entries: Sequence[float], shape: Shape) -> list[float]:
    """Return the entries divided by the sum of their row, of a vector by their sum."""
    count = natural(shape)[-1] if shape else 1
    rows = [entries[k : k + count] for k in range(0, len(entries), count)]
    return [x / sum(row) for row in rows for x in row] if shape else list(entries)


_SLIPS: Final[Mapping[str, Change]] = {
    "all signs are reversed": partial(_scaled, -1.0),
    "a factor 2 is missing": partial(_scaled, 2.0),
    "there is a factor 2 too many": partial(_scaled, 0.5),
    "this is the transpose of the gradient": _transposed,
}
_CONDITIONS: Final[Mapping[str, Callable[..., list[float]]]] = {
    "this holds only if {0} is symmetric": _symmetric,
    "this holds only if the entries of {0}, or of each of its rows, add up to 1": _of_sum_1,
}
