"""Gradients of arrays as formulas in an answer to a problem without a point: `dy/dx = 2 A^T (A x - b)`. A spelling is a
text in the language of arrays that a formula may mean; its verdict is right, wrong or undecided."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import partial
from itertools import product

from ...answers.answer import no_rows
from ...answers.answer_model import BAR, Answer, LeftOut, NotGradable, Task
from ...answers.arrays.array_lines import ArrayAnswer, ArrayLine, ArrayPiece, read_array_answer
from ...answers.arrays.array_texts import MARK, with_entries, without_markup, without_note
from ...answers.arrays.formula_readings import BARS, MATRICES, MOST_SPELLINGS, numpy_spelling, readings, spellings
from ...answers.arrays.numpy_formulas import parse_python
from ...answers.row_tokens import names_in
from ...arrays.array_program import read_arrays
from ...arrays.array_rows import is_function
from ...arrays.formula_equality import GradientVerdict, compare_gradient
from ...arrays.gradient_formulas import gradients
from ...arrays.shapes import Shape
from ...errors import AdcliError, Source, SyntaxProblem
from ...notation.table_formulas import write_partial
from ...typings import Final
from ..judging.hint_texts import SENTENCES
from ..model import UNDECIDED, Mark, Marking, QuantityMark, Rules, sum_up

_LENGTHS: Final = "nNmMI"  # letters that often are the length of an axis, and I for an identity of this size
_CODE: Final = ("np.", "@", "**", ".T", "axis=", "torch.")  # in the text of a formula
_PROGRAM: Final = ("import ", "np.", "torch.", ".grad")  # in a line of the answer
_ROW_LAYOUTS: Final = "numerator layout", "row vector", "zeilenvektor", "vecteur ligne", "vector fila"
_MOST_LENGTHS: Final = 2  # of these in one formula
_OTHERWISE: Final = "this is not the gradient with respect to "
_NOT_UNDERSTOOD: Final = "these words are not a formula"
_NUMPY: Final = "in NumPy * multiplies entry by entry; for a product of matrices write @"
_TWO_WAYS: Final = "this has two meanings: write ⊙ (or .*, .^) entry by entry, and @ for a product of matrices"
_DOTS: Final = ("·", "×", "\\cdot", "\\times", "times ")
_WORDS: Final = {True: ("correct", "right"), False: ("error", "wrong"), None: ("unreadable", "absent")}
_NOT_WRITTEN: Final = ("two meanings", ".*", "ones(")  # in messages on a formula that is read otherwise


def mark_gradients(task: Task, data: bytes | None, name: str, rules: Rules, decimal: str, with_key: bool) -> Marking:
    """Return the marking of formulas for the gradients of a task with arrays and no point; `data` None: no answer, all
    missing.

    `name` is the file name, `decimal` "point" or "comma"; with `with_key` marks have the right formulas. Each gradient
    is worth an equal part of the task's points, or `rules.results` if it has none.

    - Of several rows for one gradient the last that can be read counts, also if it is undecided: its mark is then
      unreadable and the marking not gradable. A row that cannot be read is noted in `left_out`.
    - If the answer has no row of an adjoint and one gradient is requested, a formula alone in the last line is this
      gradient.
    - A row may use names and adjoints that other rows define, an earlier row before a later one (`2 r, where r = A x -
      b`). Rows that are not about a requested gradient count only as definitions.

    Raises NotGradable if the answer cannot be read or has no row.
    """
    arrays = task.arrays
    assert arrays is not None  # the caller has looked  # noqa: S101
    shapes = {block.name: block.shape for block in arrays.inputs.values()}
    named = {block.name: block.shape for block in arrays.blocks if block.user_named} | {arrays.outputs[0][0]: ()}
    requested = list(task.wrt or shapes)
    worth = rules.results if task.points is None else task.points / len(requested)
    if data is None:
        return _sum_marks(task, ArrayAnswer((), [], []), dict.fromkeys(requested), worth, with_key)
    read = read_array_answer(data, name, task, {**named, **shapes}, decimal)
    if not any(row.kind == BAR for row in read.rows) and len(requested) == 1:
        _take_bare_formula(read, requested[0], {*shapes, *named})
    if not read.rows:
        raise no_rows()
    verdicts: dict[str, tuple[ArrayLine, GradientVerdict]] = {}
    rows = [row for row in read.rows if row.pieces]
    assignments = _assignments(rows, {"", *shapes, arrays.outputs[0][0]})
    for place, row in enumerate(rows):
        if row.kind == BAR and row.name in requested:
            before, later = (list(filter(None, each)) for each in (assignments[:place], assignments[place + 1 :]))
            others = [each for each in later if each[0] not in dict(before)]  # `2 r, where r = A x - b`
            try:
                verdicts[row.name] = row, _verdict(task, row, [*others, *before], read.lines)
            except AdcliError as error:
                read.left_out.append(LeftOut(row.span, error.title))
    return _sum_marks(task, read, {name: verdicts.get(name) for name in requested}, worth, with_key)


def _assignments(rows: Sequence[ArrayLine], inputs: Collection[str]) -> list[tuple[str, str] | None]:
    """Return for each row (name, text of its first piece); None for a row of values whose name is in `inputs`.

    The name of an adjoint, also of one of `inputs`, has `MARK` at its end. Each row must have a piece.
    """
    return [
        (row.name + MARK * (row.kind == BAR), row.pieces[0].text) if row.kind == BAR or row.name not in inputs else None
        for row in rows
    ]


def _take_bare_formula(read: ArrayAnswer, wrt: str, known: Collection[str]) -> None:
    """Make the last line of the answer the row of the gradient with respect to `wrt`, if it is a bare formula.

    It must be the last part of `left_out` and have no left side. A formula is more than a single name, has at least one
    name of `known` (the problem's) or of a row, and otherwise only such names, functions, T and top. `read` is changed
    in place: the line moves from `left_out` to the end of `rows`. Nothing happens if a later line is not blank.
    """
    names = {*known, *(row.name for row in read.rows)}
    for part in read.left_out[-1:]:
        text = without_note(without_markup(part.span.text))
        used = set(names_in(text)) - {"T", "top"}
        is_formula = not text.isidentifier() and all(name in names or is_function(name) for name in used)
        if used & names and is_formula and not any(line.strip() for line in read.lines[part.line :]):
            read.rows.append(ArrayLine(BAR, wrt, (), (ArrayPiece(part.span, text),), part.span, f"∂/∂{wrt}"))
            read.left_out.remove(part)


def _verdict(
    task: Task, row: ArrayLine, assignments: Sequence[tuple[str, str]], lines: Sequence[str]
) -> GradientVerdict:
    """Return the verdict on a row about a gradient: the worst (wrong, undecided, right) on its readable formulas.

    The formulas are those that the row's equals signs join; of equal verdicts the first is returned. `assignments` are
    the other assignments of the student, as pairs (name, formula), `lines` those of the answer. A formula is code, in
    which * is no product of matrices, if it is an expression of Python and if NumPy's signs are in it, in `assignments`
    or in the lines (`_CODE`, `_PROGRAM`), but no ^. If a line says that gradients are rows (`_ROW_LAYOUTS`), the
    verdict on a formula that is not right is that on its transpose. Raises the AdcliError of the last formula if none
    can be read.
    """
    verdicts: list[GradientVerdict] = []
    problems: list[AdcliError] = []
    for piece in row.pieces:
        try:
            written = " ".join([piece.span.text, *(text for _, text in assignments)])
            is_program = any(sign in line for line in lines for sign in _PROGRAM)
            has_sign = (is_program or any(sign in written for sign in _CODE)) and "^" not in written
            is_code = has_sign and parse_python(piece.text) is not None
            formula = _GradientFormula(task, row.name, piece.text, assignments, is_code)
            verdict = _likeliest_verdict(formula)
            if not verdict.is_right and any(word in line.casefold() for line in lines for word in _ROW_LAYOUTS):
                formula.text = f"({piece.text})^T"
                verdict = _likeliest_verdict(formula)
            verdicts.append(verdict)
        except AdcliError as error:
            problems.append(error)
    if not verdicts:
        raise problems[-1]
    order = {False: 0, None: 1, True: 2}
    return min(verdicts, key=lambda verdict: order[verdict.is_right])


class _GradientFormula:
    """A formula in an answer for the gradient with respect to `wrt`, with the student's other assignments."""

    def __init__(self, task: Task, wrt: str, text: str, assignments: Sequence[tuple[str, str]], is_code: bool) -> None:
        """Prepare to compare the formula `text`; if `is_code`, it is NumPy's, and `*` is not a matrix product."""
        assert task.arrays is not None  # the caller has looked  # noqa: S101
        self.source, self.wrt, self.text, self.own = task.program.source, wrt, text, assignments
        self.shapes = {name: block.shape for name, block in task.arrays.inputs.items()}
        self.is_code = is_code
        self.is_numpy = False  # whether the first of the texts of `spelled` is what NumPy means

    def lengths(self) -> Iterator[dict[str, tuple[str, int]]]:
        """Yield the possible meanings of letters for lengths, as n in `1/n`: {letter: (array, index in its shape)}.

        Such a letter is one of n, N, m, M, I (_LENGTHS; I is an identity of this size) that the formula or an
        assignment uses, but none defines, and that is not an input. Each choice of axes of the inputs, in order, is
        yielded; {} once if there are no such letters; nothing if there are more than two.
        """
        known = {**dict(self.own), **self.shapes}
        every = {**dict.fromkeys((*_LENGTHS, *known), ()), **self.shapes}  # nI is n I
        texts = [with_entries(text, every) for text in (self.text, *(text for _, text in self.own))]
        letters = sorted({name for text in texts for name in names_in(text)} & {*_LENGTHS} - {*known})
        axes = [(name, axis) for name, shape in self.shapes.items() for axis in range(len(shape))]
        for chosen in product(axes, repeat=len(letters)) if len(letters) <= _MOST_LENGTHS else ():
            yield dict(zip(letters, chosen, strict=True))

    def sources(self, lengths: Mapping[str, tuple[str, int]], shapes: Mapping[str, Shape]) -> list[Source]:
        """Return the spellings of the formula for these shapes, in the order of `spellings`, each as a source.

        A source is `name = …; …; formula`: before the formula are the values of the `lengths` and all other assignments
        of the student, in the order of `own`, each read with the names before it. An assignment has the same spelling
        (index in `spellings`) if that can be read, else its likeliest; without a reading it is left out. Sets
        `is_numpy`: whether NumPy gives the formula a meaning. Raises the errors of reading the problem's program with
        these shapes.
        """
        program = read_arrays(self.source, shapes)
        sizes = [(name, shapes[array][axis]) for name, (array, axis) in lengths.items()]
        texts = [(name, f"eye({size})" if name == "I" else str(size)) for name, size in sizes]
        sources: list[Source] = []
        for place in range(MOST_SPELLINGS):
            known = {**shapes, **{block.name: block.shape for block in program.blocks if block.user_named}}
            before: list[str] = []
            for name, text in (*texts, *self.own):
                for read in readings(text, known, place)[:1]:
                    before.append(f"{name} = {read.program.program.source.text}")
                    known[name] = read.shape
            self.is_numpy = bool(numpy_spelling(self.text, known)) if place == 0 else self.is_numpy
            sources += [Source("; ".join([*before, text])) for text in spellings(self.text, known)[place : place + 1]]
        return sources

    def verdicts(self) -> Iterator[GradientVerdict]:
        """Yield a GradientVerdict for each reading of the formula: `is_right` (None: undecided) and `message`.

        A reading is a choice of what letters for lengths mean (`lengths()`), the outer loop, and one of the spellings
        for it (`sources`), each different text once, the likeliest first. Right means equal to the true gradient
        (`compare_gradient`). A reading that cannot be read is wrong (`is_right` False): `problem` is its error, or None
        if shapes inside it do not fit. Two kinds of verdicts that are right are changed:

        - With a letter for a length, and with a message (equal only for the given sizes): it becomes wrong, with the
          message "this is not the gradient with respect to …" instead.
        - Any other, if `_doubt` has advice on how to write the formula: it becomes undecided, with this advice as its
          message.
        """
        for lengths in self.lengths():
            texts, is_numpy = [source.text for source in self.sources(lengths, self.shapes)], self.is_numpy
            spellings = {text: partial(self._spelling, lengths, texts.index(text)) for text in texts}
            known = self.source, self.shapes, self.wrt
            verdicts = {text: compare_gradient(*known, spelling) for text, spelling in spellings.items()}
            doubt = self._doubt([verdicts[text] for text in texts], is_numpy)
            for verdict in verdicts.values():
                if lengths and verdict.is_right and verdict.message:
                    yield verdict._replace(is_right=False, message=_OTHERWISE + self.wrt)
                else:
                    yield GradientVerdict(None, doubt) if verdict.is_right and doubt else verdict

    def _doubt(self, verdicts: Sequence[GradientVerdict], is_numpy: bool) -> str:
        """Return the advice on how to write the formula with one meaning; "" if none is needed.

        `verdicts` are those on its spellings in the order of `spellings`, the first what NumPy means if `is_numpy`.
        "Wrong" is a reading of the gradient's shape (`fits`) that is refuted. Signs count in the formula and in the
        assignments. The first that applies:
        - code (`is_code`): the advice `_NUMPY`, except if the formula is right as NumPy means it;
        - a reading with products of matrices (index MATRICES), norms or determinants is right: the advice `_TWO_WAYS`
          only if it could be code (`is_numpy`, with `*` and without `^`) and is wrong as code;
        - otherwise: `_TWO_WAYS` only if the reading with products of matrices is wrong, or if there is a sign or word
          of `_DOTS` (·, ×, times) for a product.
        """
        right = [verdict.is_right for verdict in verdicts]
        wrong = [verdict.is_right is False and verdict.fits for verdict in verdicts]
        written = " ".join([self.text, *(text for _, text in self.own)])
        if self.is_code:
            return "" if is_numpy and right[0] else _NUMPY
        if any((*right[MATRICES : MATRICES + 1], *right[BARS:])):
            is_like_code = is_numpy and "*" in written and "^" not in written
            return _TWO_WAYS if is_like_code and wrong[0] else ""
        return _TWO_WAYS if any(wrong[MATRICES : MATRICES + 1]) or any(map(written.__contains__, _DOTS)) else ""

    def _spelling(self, lengths: Mapping[str, tuple[str, int]], place: int, shapes: Mapping[str, Shape]) -> Source:
        """Return the spelling with the index `place` of the formula for these shapes, one of `sources`.

        `lengths` is {letter: (array, index in its shape)}, as in `lengths()`. Sets `is_numpy`, as `sources` does.
        Raises SyntaxProblem if there are fewer spellings, and the errors of reading the problem's program with these
        shapes.
        """
        sources = self.sources(lengths, shapes)
        if place >= len(sources):
            raise SyntaxProblem(_NOT_UNDERSTOOD)
        return sources[place]


def _likeliest_verdict(formula: _GradientFormula) -> GradientVerdict:
    """Return the verdict on the first right reading of a formula; else an undecided verdict, else a wrong one.

    Of several wrong verdicts the first is returned whose message has none of "two meanings", `.*` and `ones(` that is
    not in the formula as written; if all have one, the first. Undecided ones are chosen in the same way. If no reading
    can be evaluated, raises the error of the first; SyntaxProblem if there are no readings, as for code that is not
    understood.
    """
    wrong: list[GradientVerdict] = []
    problems: list[AdcliError] = []
    for verdict in formula.verdicts():
        if verdict.is_right:
            return verdict
        if verdict.problem is not None:
            problems.append(verdict.problem)
        else:
            wrong.append(verdict)
    if not wrong:
        raise problems[0] if problems else SyntaxProblem(_NOT_UNDERSTOOD)
    others = [sign for sign in _NOT_WRITTEN if sign not in formula.text]
    return min(wrong, key=lambda each: (each.is_right is not None, any(sign in each.message for sign in others)))


def _sum_marks(
    task: Task, read: ArrayAnswer, verdicts: Mapping[str, tuple[ArrayLine, GradientVerdict] | None], worth: Fraction,
    with_key: bool,
) -> Marking:  # fmt: skip
    """Return the marking with one mark for each requested gradient, in the order of `verdicts`; `worth` are the points
    of each.

    `verdicts` has (the answer's line, the verdict) by input, None for a missing gradient. A right verdict is marked
    correct, a wrong one error, an undecided one (`is_right` None) unreadable, which makes the marking not gradable.
    `earned` of a mark is 1 or 0; the points are in `quantities`, one QuantityMark for each mark, of `worth` points.
    With `with_key` marks that are not correct, also missing ones, have the right formula. The first error is the first
    mark that is not correct, also a missing or unreadable one.
    """
    assert task.arrays is not None  # the caller has looked  # noqa: S101
    marks: list[Mark] = []
    unsure = None
    for name, judged in verdicts.items():
        called = str(write_partial(task.arrays.outputs[0][0], name))
        key = _key(task, name) if with_key and not (judged and judged[1].is_right) else ""
        if judged is None:
            text = SENTENCES["missing"].format(called)
            marks.append(Mark(called, "final", "missing", None, feedback=text, expected=key))
            continue
        row, verdict = judged
        word, formula = _WORDS[verdict.is_right]
        note = f"{called}: {verdict.message}" if verdict.message else ""
        if verdict.is_right is None:
            unsure = NotGradable(UNDECIDED, row.span, help="simplify the formula")
        earned = Fraction(bool(verdict.is_right))
        marks.append(Mark(called, "final", word, row.pieces[-1].span, (), formula, "absent", note, earned, earned, key))
    rows = [(mark, (k,), mark.earned * worth) for k, mark in enumerate(marks)]
    quantities = [QuantityMark(mark.row, places, mark.verdict, points, points, worth) for mark, places, points in rows]
    first = next((k for k, mark in enumerate(marks) if mark.verdict != "correct"), None)
    answer = Answer("arrays", read.lines, (), (), None, tuple(read.left_out))
    return sum_up(task, answer, marks, first, quantities, unsure)


def _key(task: Task, name: str) -> str:
    """Return the right gradient with respect to the input `name`, as a formula after its steps: `r = A x - b; 2 A^T r`.

    "" if `gradients` raises an AdcliError: for an unknown name, for too many arrays, and for a gradient that is not a
    formula of arrays. The task must have `arrays` with one output.
    """
    assert task.arrays is not None  # the caller has looked  # noqa: S101
    try:
        (gradient,) = gradients(task.arrays, [name])
    except AdcliError:
        return ""
    steps = "".join(f"{left} = {right}; " for left, right in gradient.steps)
    return f"{steps}{gradient.result}"
