"""Texts of hints to a student about a row: which row and which idea, never a number. A verdict error is a wrong number,
formula a wrong formula of a right number; slips are called as in the catalogue."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from ...answers.answer_model import BAR, DECIMAL_COMMA, TWO_NUMBERS, VALUE, Entry, RowPiece
from ...grammar_files import read_sections
from ...graph.graph import Graph
from ...records import grouped
from ..model import GOOD, Mark, QuantityMark
from ..programs.contributions import RowCase
from ..programs.resolving import Resolved
from ..programs.value_rows import shown_number
from ..programs.worksheet import Cell, Worksheet
from .written_names import Operands, has_marks

FALSE_EQUATION = "{}: the two sides of an equation in this row differ"
_LONGEST = 60  # characters of the two sides that a hint repeats
_SWAPPED, _LOSSES = "wrong_variable", {"adjoint_overwritten", "path_missing"}
_LETTERS = "abcdefghijklmnopqrstuvwxyz"  # the module string takes as long to load as all of this one
HINTS = {key: dict(line.split(": ", 1) for line in lines if line) for key, lines in read_sections("hints.txt").items()}
SENTENCES = HINTS["rows"]
Slips = Mapping[str, str]  # the sentence of each slip of a row


def write_feedback(
    name: str, verdict: str, formula: str, slips: Slips, case: RowCase | None, operands: Operands | None = None
) -> str:
    """Return one or two sentences on a row; "" if there is nothing to say: for correct and any unknown verdict, unless
    a formula of `case` has a name that nothing defines (`strange` ones are names of rows of the answer).

    `name` is the row in the student's words, `verdict` that of the mark, or `trivial`; `formula` is right, wrong or
    absent. `slips` are the sentences by names in the catalogue, `case` is None for a row that is missing or set aside.
    `slips` matter for the verdicts `error` and `formula`, `operands` for `error` only, `case` also for `unreadable` and
    `correct`. For `error` the first that applies is said:

    - a name is unknown (if there are no slips);
    - there are two numbers in the row;
    - the slips, all as alternatives;
    - the number does not follow from a right `formula`.

    If nothing else explains the error, `operands` are named, and then the rule of a tangent or adjoint is not. A
    missing row with a right formula lacks its number. All other verdicts, also `formula`, have a fixed sentence in
    SENTENCES.
    """
    if verdict == "missing" and formula == "right":
        return f"the formula of {name} is right, its number is missing"
    if verdict == "unreadable":
        return _on_unreadable(name, case)
    if verdict == "error":
        return _on_error(name, formula, slips, case, operands)
    if verdict == "formula" and slips:
        return f"{SENTENCES[verdict].format(name)}: {on_slips(name, slips).partition(': ')[2]}"
    return SENTENCES.get(verdict, "").format(name) or ("" if case and case.strange else _on_unknown_name(name, case))


def set_aside(mark: Mark, verdict: str, feedback: str = "") -> Mark:
    """Return `mark` without points, slips and key, as `verdict`, superseded or extra, with this hint."""
    return Mark(mark.row, mark.kind, verdict, mark.span, (), mark.formula, mark.number, feedback)


def with_swapped_entries(judged: Mapping[int, Mark]) -> dict[int, Mark]:
    """Return the marks of `judged`, by place, with one hint on two swapped derivatives.

    The hint of the first in `judged` is `dy/dx1: `, the slip's sentence, and `: are dy/dx1 and
    dy/dx2 swapped?`; that of the second is `dy/dx2: see dy/dx1`. Names are what was before the first colon of their
    hints. The two rows are the errors with the slip `wrong_variable`; they have no other slip afterwards. If there are
    not exactly two, rows with other slips lose this one.
    """
    swapped = [place for place, mark in judged.items() if _SWAPPED in mark.slips and mark.verdict == "error"]
    if len(swapped) != 2:
        new = dict(judged)
        for place in (place for place in swapped if len(judged[place].slips) > 1):
            mark = judged[place]
            rest = tuple(slip for slip in mark.slips if slip != _SWAPPED)
            text = on_slips(mark.feedback.partition(":")[0], {slip: sentence(slip) for slip in rest})
            new[place] = mark._replace(slips=rest, feedback=text)
        return new
    one, other = (judged[place].feedback.partition(":")[0] for place in swapped)
    hints = f"{one}: {sentence(_SWAPPED)}: are {one} and {other} swapped?", f"{other}: see {one}"
    new = {p: judged[p]._replace(slips=(_SWAPPED,), feedback=hint) for p, hint in zip(swapped, hints, strict=True)}
    return {**judged, **new}


def with_reasons(marks: Sequence[Mark], quantities: Sequence[QuantityMark], mode: str | None) -> list[Mark]:
    """Return the marks with the hints that depend on the `quantities` that rows are for.

    A missing row is called as its quantity; if the `mode` is both and no adjoint is written, so is the sweep. A right
    row that earns nothing for its quantity, a seed without a right row behind it, says so. A row of no quantity is only
    carried, as it has no marks that it could lose by its 0 or 1.
    """
    counting = {each.rows[-1]: each for each in quantities if each.rows}
    has_adjoints = mode != "both" or any(mark.kind == BAR and mark.span is not None for mark in marks)
    keys = ["missing" if has_adjoints or mark.kind != BAR else "missing sweep" for mark in marks]
    return [_with_reason(mark, counting.get(k), key) for k, (mark, key) in enumerate(zip(marks, keys, strict=True))]


def _with_reason(mark: Mark, quantity: QuantityMark | None, missing: str) -> Mark:
    """Return `mark`, with another hint if the reason for its points must be told; most marks are returned as they are.

    `quantity` is the quantity for which the row of the mark counts; it is None if the row counts for none. The hint is
    replaced in these cases:
    - without a quantity, if the hint ends in the sentence `trivial`: that sentence becomes `carried`;
    - with a quantity, if the mark has no place in the answer (no `span`): the sentence with the key `missing`;
    - with a quantity, if the mark is correct and has no hint, and the quantity could earn points but earned none: the
      sentence `seed alone`."""
    trivial, carried = (SENTENCES[key].removeprefix("{}") for key in ("trivial", "carried"))
    if quantity is None:
        is_trivial = mark.feedback.endswith(trivial)
        return mark._replace(feedback=mark.feedback.removesuffix(trivial) + carried) if is_trivial else mark
    is_lone = mark.verdict == "correct" and not mark.feedback and quantity.possible > quantity.earned == 0
    key = missing if mark.span is None else "seed alone" if is_lone else ""
    return mark._replace(feedback=SENTENCES[key].format(quantity.written)) if key else mark


def with_other_numbers(
    judged: Mapping[int, Mark], meant: Sequence[Resolved | None], entries: Sequence[Entry]
) -> dict[int, Mark]:
    """Return the marks of `judged`, by place, with a hint on errors after a good row of the same quantity in `meant`.

    The hint is `dy/dx1: line 3 has another number; the later one counts`. The error has no slip, and both rows in
    `entries` show a number. If it has only slips of lost contributions, and the good row another number, the hint is
    `dy/dx1: line 5 replaces line 3; …`: the former has the number of the error, which may be in line 5 itself."""
    marks = dict(judged)
    for place, mark in judged.items():
        own = shown_number(entries[place])
        if mark.verdict != "error" or not _LOSSES.issuperset(mark.slips) or meant[place] is None or own is None:
            continue
        others = [k for k in range(place) if meant[k] == meant[place] and judged[k].verdict in GOOD]
        pairs = ((number.value == own.value, entries[k].line) for k in others if (number := shown_number(entries[k])))
        marks[place] = _on_lines(mark, grouped(pairs), entries[place].line)
    return marks


def _on_lines(mark: Mark, earlier: Mapping[bool, Sequence[int]], line: int) -> Mark:
    """Return the mark of an error on `line` with a hint on other lines of its quantity, if there is one.

    `earlier` has the lines of its good rows before, by whether their number is that of the error.
    """
    same, different = earlier.get(True, ()), earlier.get(False, ())
    name, sentences = mark.feedback.partition(":")[0], HINTS["unexplained"]
    if mark.slips and different:
        text = sentences["replaced"].format(name, (*same, line)[0], different[-1])
        return mark._replace(feedback=text if has_marks(name) else _in_derivatives(text))
    text = sentences["other number"].format(name, max((*same, *different), default=0))
    return mark._replace(feedback=text) if earlier and not mark.slips else mark


def on_false_sides(mark: Mark, pieces: Sequence[RowPiece]) -> Mark:
    """Return the mark of a row whose sides `pieces` are not equal, with a hint that says so: `dy/dx: 2*3 is not 5`.

    The sides are named only if there are two, short ones; else the hint says that the equation is false. The mark stays
    as it is in these cases: it is not an error; it has a slip; its `formula` is not "absent"; its hint has no colon
    after the name of a row.
    """
    name, colon, _ = mark.feedback.partition(":")
    if mark.verdict != "error" or mark.formula != "absent" or mark.slips or not colon:
        return mark
    sides = [piece.span.text.strip() for piece in pieces]
    is_short = len(sides) == 2 and len("".join(sides)) <= _LONGEST
    text = f"{name}: {sides[0]} is not {sides[1]}" if is_short else FALSE_EQUATION.format(name)
    return mark._replace(feedback=text)


def one_of(sentences: Sequence[str]) -> str:
    """Return a single sentence as it is, several as `possible slips: (a) …; or (b) …; or (c) …`; "" if there are none.

    Letters are used, because a number in a hint could be taken for a result.
    """
    if len(sentences) < 2:
        return "".join(sentences)
    texts = (f"({letter}) {text}" for letter, text in zip(_LETTERS, sentences, strict=False))
    return "possible slips: " + "; or ".join(texts)


def sentence(slip: str, texts: Mapping[str, str] = HINTS["slips"]) -> str:
    """Return the hint in `texts` for a slip, or for two slips that were both made (`a+b`); raises KeyError for an
    unknown slip."""
    sentences = [texts[name] for name in slip.split("+")]
    return "two slips at once: " * (len(sentences) > 1) + "; and ".join(sentences)


def _in_derivatives(text: str) -> str:
    """Return a sentence with `derivative` instead of `adjoint` and `tangent`."""
    for word in ("adjoint", "tangent"):
        text = text.replace(f"an {word}", "a derivative").replace(word, "derivative")
    return text


def _on_unreadable(name: str, case: RowCase | None) -> str:
    """Return the sentence on a row without a usable formula or number: the first that applies.

    - its number has a decimal comma (`case.unread`): read with an option;
    - `case` is None or has a `problem`: it has two numbers (`_on_two_numbers`), else neither a formula nor a number;
    - its formula has a name that nothing defines;
    - it has a formula: this has no value here;
    - otherwise: it is defined only by itself.
    """
    if case is not None and case.unread:
        return f"{name}: this number has a decimal comma, which is read with {DECIMAL_COMMA}"
    if case is None or case.problem is not None:
        return _on_two_numbers(name, case) or f"{name} has neither a formula nor a number that could be read"
    if unknown := _on_unknown_name(name, case):
        return unknown
    return f"the formula of {name} has no value here" if case.formulas else f"{name} is defined only by itself"


def _on_unknown_name(name: str, case: RowCase | None) -> str:
    """Return the sentence on a formula with a name that nothing defines; "" if all names are defined, or `case` is
    None."""
    if case is None or not case.unknown:
        return ""
    return f"{name} uses {case.unknown}, which {'the problem does not have' if case.strange else 'no row defines'}"


def _on_two_numbers(name: str, case: RowCase | None) -> str:
    """Return the sentence on a row with two different numbers; "" for another row."""
    two = case is not None and case.problem is not None and case.problem.label == TWO_NUMBERS
    return f"{name} has two numbers where one is expected" if two else ""


def _on_error(name: str, formula: str, slips: Slips, case: RowCase | None, operands: Operands | None) -> str:
    """Return the sentence on a wrong row. It is about the first of these that applies:

    - an unknown name, if there are no `slips`;
    - two numbers in the row;
    - the factor that the row lacks, if `operands` have one;
    - the slips (names in the catalogue, with their sentences); of `sign` after a right formula it says so;
    - a right formula whose number does not follow;
    - the value of an input, or the branch of a function with a kink, if `operands` say so;
    - what the row is computed from, if `case` and names in `operands` are given;
    - the formula or the number as a whole, with the rule of a tangent or adjoint if `case` is given.

    Without a mark of a bar or dot in `name` slips are worded for derivatives, and there is no rule. `formula` is right,
    wrong or absent. `case` is None if nothing is known of the row; `operands` is None or without names if the hint must
    not name them.
    """
    if not slips and (unknown := _on_unknown_name(name, case)):
        return unknown
    if two_numbers := _on_two_numbers(name, case):
        return two_numbers
    unexplained = HINTS["unexplained"]
    where = unexplained["right"].format(name) if formula == "right" else ""
    operands = operands or Operands((), are_used=False)
    if operands.factor:
        return unexplained["factor" if operands.factor[1:] else "incoming"].format(name, *operands.factor)
    if slips:
        return on_slips(where if where and [*slips] == ["sign"] else name, slips)
    if where:
        return where
    if operands.branch or operands.is_input:
        return unexplained["input" if operands.is_input else "branch"].format(name, operands.branch)
    if case is not None and operands.names:
        what = "number" if formula != "wrong" else "operation" if operands.are_used else "operands"
        *first, last = operands.names
        every = f"{', '.join(first)} and {last}" if first else last
        is_value = case.quantity.kind == VALUE
        text = HINTS["operands"][f"{'value' if is_value else 'derivative'} {what}"].format(name, every)
        singular = text.replace("the sum of ", "").replace(", each", "").replace("what each", "what it")
        return text if first else singular
    rule = HINTS["rules"].get(case.quantity.kind, "") if case is not None and has_marks(name) else ""
    return unexplained[formula].format(name) + (f"; {rule}" if rule else "")


def slip_texts(slips: Sequence[str], case: RowCase | None, sheet: Worksheet) -> Slips:
    """Return the sentences on `slips` in the row of a case, by slip, in order; for a value those in `[values]` first.

    For a derivative, factor_forgotten lists what the operations of its row may lack (`_cells_of`), and
    value_for_adjoint says so of a row that is only a value. Raises KeyError for an unknown slip.
    """
    texts = {**HINTS["slips"], **HINTS["values"]}
    if case is not None and case.quantity.kind != VALUE:
        names = {_operation(cell.graph, inner) for cell in _cells_of(case, sheet) for inner in cell.inner}
        factors = " and ".join(text for name, text in HINTS["factors"].items() if name in names)
        texts = {**HINTS["slips"], "factor_forgotten": texts["factor_forgotten"] + (factors and f": check {factors}")}
        if any((each := symbols.get(graph.outputs[0][1])) and each.kind == VALUE for graph, symbols in case.formulas):
            texts["value_for_adjoint"] = HINTS["unexplained"]["value alone"]
    return {slip: sentence(slip, texts) for slip in slips}


def _cells_of(case: RowCase, sheet: Worksheet) -> Collection[Cell]:
    """Return the row whose tangent the row of a case is, or all that use its adjoint; for the derivative of a result,
    or by an input, that is not computed from others the whole program."""
    slot = case.quantity.slot
    is_step = any(meant.kind != VALUE for _, symbols in case.formulas for meant in symbols.values())
    if not is_step and slot in (*sheet.inputs.values(), *sheet.outputs.values()):
        return sheet.cells.values()
    return sheet.users(slot) if case.quantity.kind == BAR else [sheet.cells[slot]] if slot in sheet.cells else ()


def _operation(graph: Graph, slot: int) -> str:
    """Return the name of the operation in a slot, `number` for a product with a number or a quotient by one."""
    name, parents = graph.operator(slot), graph.parents[slot]
    is_by_number = name in ("mul", "div") and any(graph.literal[p] for p in parents[name == "div" :])
    return "number" if is_by_number else name


def on_slips(name: str, slips: Slips) -> str:
    """Return the sentence on `slips`, in order, of a row `name`: `dy/dx1: a term is missing: …`.

    It says "derivative" instead of "adjoint" and "tangent" if `name` has no mark of a bar or dot. adjoint_overwritten
    and path_missing are the same slip seen from two sides. Together they give one sentence, at the place of
    path_missing: the rule of the first, without "only the last one is left", and the whole of the second. Two slips
    made at once, `a+b`, have one sentence.
    """
    sentences = {**slips}
    if {*slips} >= _LOSSES:
        rule = sentences.pop("adjoint_overwritten").partition(";")[0]
        sentences["path_missing"] = f"{rule}; {sentences['path_missing']}"
    text = one_of([*sentences.values()])
    return f"{name}: {text if has_marks(name) else _in_derivatives(text)}"
