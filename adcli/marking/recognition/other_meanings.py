"""Other meanings of what is in a wrong answer: units after numbers (`W = 2.9 m` next to an input m, and the point in
other units, `m = 250 g = 0.25 kg`), Greek letters for inputs, a result with the name of an input (`y = 3.768` at the
end of an answer about x and y), and lone numbers under names of the student's own that are slopes (c = cos(2))."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from fractions import Fraction
from itertools import islice, permutations

from ...answers.answer_model import BAR, DERIVATIVE, DOT, VALUE, Answer, Entry, Numeral, Quantity, RowPiece, Task
from ...answers.collector import Cut
from ...answers.formulas import UNIT, FormulaReader
from ...answers.numerals import leading_numeral
from ...answers.row_tokens import names_in, without_remark
from ...answers.shown_numbers import differ, numeral_spread
from ...answers.symbols import NameSources, shared_names
from ...graph.graph import CONSTANTS
from ...notation.typeset_names import GREEK, greek_name
from ...numbers.double_intervals import Spread
from ...numbers.exact import read_fraction
from ...table.primitive import lookup
from ..model import Marking
from ..programs.reference_traces import trace_worksheet
from ..programs.resolving import mentions
from ..programs.value_rows import shown_number, stem_and_number
from ..programs.worksheet import cache_of

_WHY = "an input of the problem in another unit"
# Powers of ten by the first letter of a unit; g and l are thousandths of basic units.
_PREFIXES = {"k": 3, "M": 6, "G": 9, "m": -3, "c": -2, "d": -1, "µ": -6, "μ": -6, **dict.fromkeys("glL", -3)}
_FACTORS = {"min": Fraction(60), "h": Fraction(3600), "km/h": Fraction(5, 18), "bar": Fraction(10**5)}
_OPERATIONS = str.maketrans({sign: f"\0{sign}\0" for sign in "+-−*·×()"})
_FREEZING = Fraction("273.15")  # of °C


def with_units(answer: Answer, task: Task) -> Answer | None:
    """Return the answer without units after numbers and without rows that give the point in other units.

    A unit may be read as a name, as in `2 m` next to a mass m. None if nothing changes. Only rows whose last piece is a
    number, with or without a unit, are changed:
    - A row of an input with a value (m, also called `m_a`), `m = 250 g = 0.25 kg`, keeps only its last number, if that
      is the input's and a number of the row has a unit.
    - Such a row of one piece, `m = 250 g`, goes to `left_out`, if its number converted to a basic unit is the input's.
    - A row of anything else loses the unit of that number, and units in the pieces before it (`_without_units`). If the
      last two numbers are the same in two units, `0.25 kW = 250 W`, only the one in the basic unit stays.
    """
    pairs = [(entry, _with_unit(entry, task)) for entry in answer.entries]
    changed = answer._replace(entries=tuple([new or old for old, new in pairs]))
    again = changed.without([old for old, new in pairs if new is None], _WHY)
    return None if again.entries == answer.entries else again


def _with_unit(entry: Entry, task: Task) -> Entry | None:
    """Return the row as `with_units` has it, without units after its numbers; None if the row is to be left out.

    A row of an input is a value row whose name, or the part of it before the first `_`, has a value in the task. If its
    last number is the input's (within half its last place) and a number of the row has a unit, only that number stays.
    Otherwise None if the number is its only piece and, converted to a basic unit, is the input's.

    A row of anything else loses its units if its last number has one; of two last numbers that are equal but for their
    units, one is left out (`_without_conversion`). All other rows, those of inputs included, are returned unchanged
    (the same object).
    """
    number, unit = _number_with_unit(entry.pieces[-1].span.text) if entry.pieces else (None, "")
    name = entry.quantity.name if entry.quantity.kind == VALUE else ""
    value = task.at.get(name, task.at.get(name.partition("_")[0]))  # E_a for E
    if number is None or (value is None and not unit):
        return entry
    shown = RowPiece(entry.pieces[-1].span, number=number)
    if value is None:
        first, shown = _without_conversion(entry, shown)
        return entry._replace(pieces=(*map(_without_units, first), shown))
    if _shows(number, Fraction(1), value) and _has_unit(entry):
        return entry._replace(pieces=(shown,))
    is_other = len(entry.pieces) == 1 and any(_shows(*each, value) for each in _in_basic_unit(number, unit))
    return None if is_other else entry


def _without_conversion(entry: Entry, last: RowPiece) -> tuple[Sequence[RowPiece], RowPiece]:
    """Return the pieces of a row without a number in another unit, as (all but the last, the last).

    Of the last two numbers, `0.25 kW = 250 W`, that is the one which, converted to a basic unit (`_in_basic_unit`), is
    the other one, or the last if both are converted, `250 cm³ = 0.25 L`; the last piece then shows the number that
    stays, without its unit. Otherwise, or if the number before
    the last has no unit, all pieces are returned as they are. `last` is the last piece, as a number.
    """
    first, text = entry.pieces[:-1], entry.source.text[entry.span.end : last.span.start]
    number, unit = _number_with_unit(text.strip("=(≈ \u00a0").rpartition("=")[2].strip())
    other, its_unit = _number_with_unit(last.span.text)
    if number is None or other is None or not unit:
        return first, last
    basic = [shown.value * factor for shown, factor in _in_basic_unit(number, unit)]
    values = (number.value, *basic) if its_unit != unit else (number.value,)
    if any(_shows(*each, value) for each in _in_basic_unit(other, its_unit) for value in values):
        return first[:-1], last._replace(number=number)
    is_same = any(_shows(*each, other.value) for each in _in_basic_unit(number, unit))
    return first[:-1] if is_same else first, last


def _without_units(piece: RowPiece) -> RowPiece:
    """Return a piece with units behind its numbers, `2 kg · (3 m/s)²`, as arithmetic without them, `2 · (3)²`.

    The text of the piece is split at + - * · ×, round brackets, and a slash before a number; a part that is a number
    and a unit (as `UNIT` matches it) loses the unit. The new piece is read from the text without units, at the old
    place. Return `piece` itself if no part has a unit, if names other than functions and constants remain, or if the
    rest is not a formula.
    """
    text = piece.span.text
    for digit in "0123456789":
        for before in ("", " ", "("):
            text = text.replace(f"/{before}{digit}", f"\0/\0{before}{digit}")
    factors = text.translate(_OPERATIONS).split("\0")
    units = [_number_with_unit(factor.strip())[1] for factor in factors]
    text = "".join(factor.rstrip().removesuffix(unit) for factor, unit in zip(factors, units, strict=True))
    names = (name for name in names_in(text) if name[0].isalpha() and name not in (*CONSTANTS, "π"))  # not ½ and ²
    if not any(units) or any(lookup(name) is None for name in names):
        return piece
    reader = FormulaReader(shared_names(NameSources((), ())), "comma" if "," in text else "point")
    return next(reader.pieces([Cut(text, piece.span)], Quantity(VALUE, "")), piece)


def _number_with_unit(text: str) -> tuple[Numeral | None, str]:
    """Return (the number, its unit) that a text consists of; (None, "") for every other text. The unit may be "".

    The number is a decimal numeral, with a decimal point or else a comma; the unit, as `UNIT` matches it, may follow
    without a blank. Blanks and . , ; $ \\ around it, and a remark in brackets at the end, are ignored.
    """
    text = without_remark(text)
    for leading in filter(None, (leading_numeral(text), leading_numeral(text, "comma"))):
        rest = text[leading[1] :].strip(" .;,$\\")
        if not rest or UNIT.fullmatch(f"1 {rest}", 1) is not None:
            return leading[0], rest
    return None, ""


def _has_unit(entry: Entry) -> bool:
    """Return whether a number behind an equals sign of the row, as it is written in the line, has a unit."""
    parts = entry.source.text[entry.span.end : entry.pieces[-1].span.end].split("=")[1:]
    return any(_number_with_unit(part.strip())[1] for part in parts)


def _in_basic_unit(number: Numeral, unit: str) -> Iterator[tuple[Numeral, Fraction]]:
    """Yield (number, factor), whose product is the number in a basic unit, for each way to convert it: 250 g to kg.

    In this order:
    - °C or C: the number plus 273.15, and factor 1;
    - a unit that begins with k, M, G, m, c, d or µ, whatever follows the letter (so m alone is a thousandth, too): its
      power of ten; g, l and L, whatever follows, are thousandths. It is squared or cubed if the unit ends in 2 or 3;
    - min, h, km/h and bar: the factor to s, m/s and Pa.

    Nothing is yielded for other units.
    """
    power = next((k for k in (2, 3) if unit[-1:] in (str(k), "²³"[k - 2])), 1)
    exponent = _PREFIXES.get(unit[:1])
    if unit in ("°C", "C"):
        yield number._replace(value=number.value + _FREEZING), Fraction(1)
    if exponent is not None:
        yield number, Fraction(10) ** (exponent * power)
    if unit in _FACTORS:
        yield number, _FACTORS[unit]


def _shows(number: Numeral, factor: Fraction, value: float | Fraction) -> bool:
    """Return whether a number times `factor` is `value`, within half of its last place."""
    return abs(number.value * factor - Fraction(value)) <= number.unit * factor / 2


# --- Greek letters for inputs -----------------------------------------------------------------------------------------


def with_latin_inputs(answer: Answer, task: Task) -> Answer | None:
    """Return the answer with inputs of the problem in place of Greek letters, as `a` for `α`; None if there are none.

    A Greek letter may be replaced if a formula or derivative of the answer uses it, it is not a name of the problem,
    and it has no value row with a formula. Candidates are the inputs with a value that no formula of the answer uses:
    those that begin like the letter's name (p for π or φ), or all of them if none does. The letter is replaced
    everywhere if there is exactly one candidate. Each input replaces only one letter; letters with an input of their
    initial take theirs first. None if no letter is replaced.
    """
    letters = _greek_letters(answer, task)
    used = {each.name for entry in answer.entries for each in entry.symbols}
    unused = [name for name in task.at if name not in used]
    latin: dict[str, str] = {}
    initials = {name[0] for name in unused}
    for letter in sorted(letters, key=lambda name: _word(name)[0] not in initials):
        alike = [name for name in unused if name[0] == _word(letter)[0]] or unused
        if len(alike) == 1:
            latin[letter] = alike[0]
            unused.remove(alike[0])
    return answer.with_names(latin) if latin else None


def _greek_letters(answer: Answer, task: Task) -> list[str]:
    """Return the Greek letters in an answer that are names neither of the problem nor of a row with a formula."""
    graph, entries = task.program.graph, answer.entries
    known = {*graph.inputs.values(), *dict(graph.outputs), *graph.aliases.values()}
    computed = {e.quantity.name for e in entries if e.quantity.kind == VALUE and any(p.graph for p in e.pieces)}
    return [name for name in dict.fromkeys(mentions(entries, known | computed)) if _word(name) in GREEK]


def _word(name: str) -> str:
    """Return the name of a Greek letter, "alpha" for α, "phi" for varphi; other names are returned as they are."""
    return greek_name(name).removeprefix("var")


# --- results with the name of an input --------------------------------------------------------------------------------


def with_result_renamed(answer: Answer, task: Task) -> Answer | None:
    """Return the answer with the result under its own name if the student gave it the name of an input.

    So in a task for y = f(x) a last row `x = 3.768` becomes one of y. The name is that of the last value row with an
    input's name that does not only give the input's value; if there is no such row, the y of the first derivative dy/dx
    in the answer. Tangents and derivatives of this name are the result's, except seeds of sweeps. So is an adjoint of 1
    that opens a sweep. In formulas the name is the input. A note is added; `answer` is unchanged.

    None in these cases: the task has several outputs; the name of its output is an input's or has a value row; the name
    is not that of an input with a value; the formula of a value row of another name, after the first of this name, uses
    it.
    """
    outputs = task.program.graph.outputs
    inputs = [name for name in task.program.graph.inputs.values() if name in task.at]
    if len(outputs) != 1 or outputs[0][0] in inputs:
        return None
    result = outputs[0][0]
    entries = [entry for entry in answer.entries if entry.quantity.kind == VALUE and entry.pieces]
    entries = [entry for entry in entries if not _is_given(entry, task, inputs)]
    values = [entry.quantity.name for entry in entries]
    derivatives = (e.quantity.name for e in answer.entries if e.quantity.kind == DERIVATIVE)
    name = next(filter(inputs.__contains__, reversed(values)), None) or next(derivatives, "")
    if name not in inputs or result in values:
        return None
    later = entries[values.index(name) :] if name in values else ()
    if any(_uses(entry, name) for entry in later if entry.quantity.name != name):
        return None  # it uses the value of an input
    note = f"{name} on the left of = is the result, {name} in a formula is the input"
    renamed = tuple(_rename_results(answer.entries, name, result, inputs, task))
    return answer._replace(entries=renamed, notes=(*answer.notes, note))


def with_step_renamed(answer: Answer, task: Task) -> Answer | None:
    """Return the answer, with a note, with a step that has the name of the problem's only result renamed by adding 0.

    So in `y = w x + b`, `L = (y - t)^2`, for a problem whose output is called y, the name y is replaced by y0 in all
    rows (also derivatives) and formulas; L, the last value row, is the result. None in these cases:
    - there are several results;
    - no value row has the result's name, or the last value row has it;
    - the problem also gives this name to a step;
    - no formula of a value row uses the name, and no input is called y (students then call the result f).
    """
    outputs, inputs = task.program.graph.outputs, {*task.program.graph.inputs.values()}
    name = outputs[0][0]
    rows = [entry for entry in answer.entries if entry.quantity.kind == VALUE]
    is_used, values = any(_uses(entry, name) for entry in rows), [entry.quantity.name for entry in rows]
    named = task.program.graph.aliases.values()
    if len(outputs) != 1 or not (is_used or "y" in inputs) or name not in values or name in (*named, values[-1]):
        return None
    return answer.with_names({name: f"{name}0"}, f"{name} is read as a step, not the result")


def with_usual_result(answer: Answer, task: Task) -> Answer | None:
    """Return the answer with the result's name instead of `f` (or y), if only derivatives are called so.

    In `h = √g`, `f' = h'·g'` for a problem with the result y, f is renamed as y everywhere; h stays. Such a name is f
    or y, has a tangent or derivative but no value row, and is not an input or named row of the problem. None if there
    is not exactly one (apart from the result's name), if the task has several results, or if the answer has a value row
    of the result's name.
    """
    outputs, entries = task.program.graph.outputs, answer.entries
    values = {entry.quantity.name for entry in entries if entry.quantity.kind == VALUE}
    derived = {entry.quantity.name for entry in entries if entry.quantity.kind in (DOT, DERIVATIVE)} & {"f", "y"}
    names = derived - values - {*task.program.graph.inputs.values(), *task.program.graph.aliases.values()}
    result = outputs[0][0]
    if len(outputs) != 1 or result in values or len(names - {result}) != 1:
        return None
    return answer.with_names(dict.fromkeys(names, result))


def with_indexed_result(answer: Answer, task: Task) -> Answer | None:
    """Return the answer with rows such as `U_x` and `U_y` as derivatives of the problem's only result, and U as it.

    There must be a value row for each input with respect to which to differentiate, two or more, all of one stem U. The
    stem is neither an input nor a named row, and the answer has no value row of the result's own name. None otherwise.
    """
    graph, values = task.program.graph, {e.quantity.name for e in answer.entries if e.quantity.kind == VALUE}
    wrt = [name for name in graph.inputs.values() if name not in task.data]
    stems = [{name.removesuffix(f"_{each}") for name in values if name.endswith(f"_{each}")} for each in wrt]
    stem = next(iter(stems[0].intersection(*stems[1:])), "") if len(wrt) > 1 == len(graph.outputs) else ""
    (result, _), *_ = graph.outputs
    if not stem or result in values or stem in (*graph.inputs.values(), *graph.aliases.values()):
        return None
    meant = {Quantity(VALUE, f"{stem}_{each}"): Quantity(DERIVATIVE, result, each) for each in wrt}
    return answer.renamed(meant | {Quantity(VALUE, stem): Quantity(VALUE, result)})


def goes_on_from(marking: Marking, other: Marking) -> bool:
    """Return whether a row that is carried in `marking` is an error in `other`, the marking of another reading.

    That row then uses what the other reading takes for the result.
    """
    carried = {mark.span for mark in marking.marks if mark.verdict == "carried"}
    return any(mark.verdict == "error" and mark.span in carried for mark in other.marks)


def _is_given(entry: Entry, task: Task, inputs: Sequence[str]) -> bool:
    """Return whether a row, without a formula with names, gives one of `inputs` the value that the task gives it.

    The last number of the row must be within half of its last place (included) of the value; False without a number.
    The kind of the row is not tested. Raises KeyError if the task has no value for that input.
    """
    name, number = entry.quantity.name, shown_number(entry)
    if name not in inputs or number is None or any(piece.quantities for piece in entry.pieces):
        return False
    point_value = read_fraction(str(task.at[name]))
    return point_value is not None and abs(number.value - point_value) <= number.unit / 2


def _uses(entry: Entry, name: str) -> bool:
    """Return whether a formula of a row uses the value of `name`."""
    return any(quantity[:2] == (VALUE, name) for quantity in entry.symbols)


def _rename_results(
    entries: Sequence[Entry], name: str, result: str, inputs: Sequence[str], task: Task
) -> Iterator[Entry]:
    """Yield the entries, in order, with `name`, that of an input, changed to `result` where it means the result.

    On the left of a row it means the result in these cases; the key of the row stays:
    - a value with pieces that do not only give the input's value;
    - a tangent or derivative that is not a seed (`_is_seed`);
    - the first adjoint of all, if that is of `name`, is only the number 1, and another adjoint of `name` follows.

    In formulas it does as the y of a derivative dy/du if u is not an input, and as an adjoint in the rows between these
    two adjoints (both excluded).
    """
    bars = [p for p, e in enumerate(entries) if e.quantity.kind == BAR]
    own_bars = [place for place in bars if entries[place].quantity.name == name]
    # ȳ = 1 at the start of a sweep is that of the result, where one of the input stands further down
    is_seed = len(own_bars) > 1 and own_bars[0] == bars[0] and _alone(entries[bars[0]]) == 1
    start, end = own_bars[:2] if is_seed else (-1, -1)
    for place, entry in enumerate(entries):
        kind, row_name, key = entry.quantity
        used = {quantity for quantity in entry.symbols if quantity.name == name}
        of_result = {q for q in used if q.kind == DERIVATIVE and q.key not in inputs}  # an input depends on no row
        of_result |= {Quantity(BAR, name, key)} if start < place < end else set()
        renamed = {each: each._replace(name=result) for each in of_result}
        pieces = tuple(piece.renamed(renamed) for piece in entry.pieces) if renamed else entry.pieces
        is_given = not entry.pieces or _is_given(entry, task, inputs)
        is_result = {VALUE: not is_given, BAR: place == start}.get(kind, not _is_seed(entries, place, inputs))
        quantity = Quantity(kind, result, key) if row_name == name and is_result else entry.quantity
        yield entry._replace(quantity=quantity, pieces=pieces)


def _alone(entry: Entry) -> int | None:
    """Return the whole number that is the only piece of a row; None for every other row."""
    number = entry.pieces[0].number if len(entry.pieces) == 1 else None
    return int(number.value) if number is not None and number.value.denominator == 1 else None


def _is_seed(entries: Sequence[Entry], place: int, inputs: Sequence[str]) -> bool:
    """Return whether the row at `place` is a seed of a sweep: only the number 0 or 1, with other rows in its sweep.

    There are such rows in two cases. A later row has the same name and kind, whatever its key. Or a row of the same
    kind and key is that of another input in `inputs`, as in `dy/dy = 1` next to `dx/dy = 0`.
    """
    entry = entries[place]
    kind, name, key = entry.quantity
    later = any(e.quantity.kind == kind and e.quantity.name == name for e in entries[place + 1 :])
    others = {e.quantity.name for e in entries if (e.quantity.kind, e.quantity.key) == (kind, key)}
    return (later or not others.isdisjoint({*inputs} - {name})) and _alone(entry) in (0, 1)


# --- helper numbers: lone numbers under names of their own that are slopes --------------------------------------------


_WHY_SLOPE = "a derivative with a name of its own, not a row of the problem"
_MOST_WAYS = 24  # to assign helpers to steps
_LEAST = Fraction(1, 100)  # last place of a number that fits hardly anything else


def without_slopes(answer: Answer, task: Task) -> Answer | None:
    """Return the answer without the rows that only give the number of a derivative; None if it has no such row.

    The number, with two decimal places or more, is that of a local derivative or of a derivative of a result at the
    point. The row is a value of one piece under a name that has letters alone; one letter must not be next in the
    alphabet to the name of another value row. Initial values, 0 or 1 under a name with the index 0 (`s0`), count too.
    The name is not that of an input, named step or result of the problem, and no formula or derivative of the answer
    uses it. The rows are added to `left_out`.
    """
    slopes = cache_of(task).get_or_make("slopes", lambda: list(_slopes(task)))
    values = [entry for entry in answer.entries if entry.quantity.kind == VALUE]
    names, graph = {entry.quantity.name for entry in values}, task.program.graph
    known = {*graph.inputs.values(), *graph.aliases.values(), *dict(graph.outputs)}
    student_names = names - {*mentions(answer.entries, graph.inputs.values()), *known}
    lone = [entry for entry in values if entry.quantity.name in student_names and _is_slope(entry, slopes, names)]
    return answer.without(lone, _WHY_SLOPE) if lone else None


def _is_slope(entry: Entry, slopes: list[Spread], names: set[str]) -> bool:
    """Return whether a row is only a number that one of `slopes` rounds to, under a name of the student's own for it.

    The row has one piece; the number has two decimal places or more. The name has only letters; a single letter must
    have no neighbour in the alphabet (b or d for c) among `names`. Initial values are slopes, too: 0 or 1 under a name
    with the index 0, `s0 = 0`, unless it begins with v.
    """
    number, name = shown_number(entry), entry.quantity.name
    if _alone(entry) in (0, 1) and stem_and_number(name)[1] == 0:
        return name[0] != "v"
    if number is None or len(entry.pieces) > 1 or number.unit > _LEAST or not name.isalpha():
        return False
    neighbours = {chr(ord(name) + step) for step in (-1, 1)} if len(name) == 1 else set()
    return names.isdisjoint(neighbours) and any(numeral_spread(number).meets(slope) for slope in slopes)


def _slopes(task: Task) -> Iterator[Spread]:
    """Yield local derivatives at the problem's point, then the derivatives of each result.

    First, row by row of the problem's trace (also rows within its formula), the derivative with respect to each row or
    input that it uses, one for each use. Then, for each input, the derivatives of all results with respect to it.
    """
    sheet = trace_worksheet(task)
    truth = sheet.truths()[0]
    for cell in sheet.cells.values():
        for leaf in cell.leaves:
            yield from truth.uses(cell, leaf)
    yield from (truth.read(BAR, slot, output) for slot in sheet.inputs.values() for output in sheet.outputs)


def with_adjoints_named(answer: Answer, task: Task, right: Collection[int | None]) -> Iterator[Answer]:
    """Yield the answer with its helpers of derivatives renamed as adjoints of steps, in up to 24 ways.

    A helper, such as δ in `δ = y(1 + y)` and `∂y/∂w = δ x`, is a value, but not an input or result. A row of a
    derivative uses it, and values do not, except other helpers. The steps are the names of the other value rows, except
    inputs and results, that have no row of their adjoint; later steps are tried first.

    Each way renames all helpers, each as another step, on the left of rows and in formulas; the adjoints have no key.
    Nothing is yielded for more than two helpers or none, and if all of them have their last row in a line of `right`
    (line numbers of right rows).
    """
    graph, entries = task.program.graph, answer.entries
    problem_names = {*graph.inputs.values(), *dict(graph.outputs)}
    values = {entry.quantity.name: entry for entry in entries if entry.quantity.kind == VALUE}
    helpers = _used_in_derivatives(entries, values) - problem_names
    if all(values[name].line in right for name in helpers):
        return
    taken = problem_names.union(helpers, (entry.quantity.name for entry in entries if entry.quantity.kind == BAR))
    steps = [name for name in reversed(values) if name not in taken]
    for chosen in islice(permutations(steps, len(helpers)), _MOST_WAYS) if 0 < len(helpers) < 3 else ():
        meant = {Quantity(VALUE, name): Quantity(BAR, step) for name, step in zip(sorted(helpers), chosen, strict=True)}
        yield answer.renamed(meant)


def _used_in_derivatives(entries: Sequence[Entry], values: dict[str, Entry]) -> set[str]:
    """Return the names in `values` that formulas of rows of derivatives use as values and that no values use except
    each other.

    `values` has the last value row of each name, in the order written. Names that such a row uses are taken out, unless
    the row's own name is still in the set; rows are gone through once, the last first.
    """
    used = {q.name for e in entries if e.quantity.kind != VALUE for q in e.symbols if q.kind == VALUE} & values.keys()
    for entry in reversed(values.values()):
        used -= set() if entry.quantity.name in used else {quantity.name for quantity in entry.symbols}
    return used


def without_rounded_repeats(answer: Answer, _: Task) -> Answer | None:
    """Return the answer without a last number of a row that is the number before it with fewer places, `f = 2.952 ≈ 3`;
    None if no row has one."""
    repeats = [_ends_in_repeat([piece.number for piece in entry.pieces]) for entry in answer.entries]
    pairs = zip(answer.entries, repeats, strict=True)
    entries = (entry._replace(pieces=entry.pieces[:-1]) if is_repeat else entry for entry, is_repeat in pairs)
    return answer._replace(entries=tuple(entries)) if any(repeats) else None


def _ends_in_repeat(numbers: Sequence[Numeral | None]) -> bool:
    """Return whether the last of the `numbers` of a row's pieces is the one before it with fewer places."""
    one, other = numbers[-2:] if len(numbers) > 1 else (None, None)
    return one is not None and other is not None and other.unit > one.unit and not differ(one, other)


# Other readings of an answer to a task, tried one by one; None if there is nothing to read in another way.
READINGS = (
    with_step_renamed,
    with_usual_result,
    with_indexed_result,
    without_slopes,
    with_latin_inputs,
    with_units,
    without_rounded_repeats,
)
