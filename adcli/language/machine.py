"""The stack machine that runs a program's code and builds its graph, without recursion. A step is an instruction
(start, end, what it works on, action); a value on the stack is (slot of the graph, name if it is only a name or "",
start, end), with its place in the text.

Each call of a user's function and each term of a sum or product is expanded with its own arguments, under a limit on
the number of operations.
"""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Callable, Collection, Iterator, Sequence

from ..errors import USED_TOO_EARLY, ArityProblem, NameProblem, RequestError, Source, Span, SyntaxProblem
from ..graph.graph import CONSTANTS, Constant, Graph
from ..graph.tape import literal_value
from ..numbers.doubles import FLOAT
from ..table.primitive import ROWS, Primitive
from .recorder import Definition, Instruction, Recorder, Repetition
from .spelling import Reading

# The number of operations to which calls and sums may expand, in addition to those of the text.
EXPANSION_LIMIT = 2_000_000
_SHORT = 60  # characters of a program that a help line repeats
_LARGEST_BOUND = 1e15  # of a sum; whole numbers beyond are no longer exact


# A value on the machine's stack: its slot, the name if a name alone was written, and where it was written (start, end).
Value = tuple[int, str, int, int]


class _Frame:
    """A block of code being run: its remaining instructions and the values of its parameters.

    `name` is the name of the function that runs ("" for none), `step` the instruction that opened the frame above
    this one.
    """

    def __init__(self, rest: Iterator[Instruction], environment: dict[str, Value], name: str = "") -> None:
        self.rest = rest
        self.environment = environment
        self.called = name
        self.step: Instruction = (0, 0, None, "")


class Machine:
    """A stack machine for the code of one program.

    `bound` are names known to be variables. `results` are outputs (name or "", slot), `assigned` the slots of assigned
    names, `used` those that are read, `expanded` the operations of calls and sums so far (at most `expansion`).
    `places`, if not None, is filled with the places of arguments.
    """

    def __init__(
        self, source: Source, recorder: Recorder, bound: Collection[str], expansion: int = EXPANSION_LIMIT
    ) -> None:
        """Prepare to run the code of `recorder`, recorded from `source`; `run` does it and fills the attributes.

        `bound` are names with a value from the point; the parameters of a program that is one definition are added.
        Calls and sums may expand to at most `expansion` operations. After `run`, `graph` is the program, `inputs` and
        `assigned` have slots by name, `used` the assigned names that are used, `readings` the notes. If `places` is set
        to a dict before, it gets the places of arguments by (row, start, end).
        """
        self.source = source
        self.recorder = recorder
        self.bound = frozenset([*bound, *recorder.parameters])
        self.graph = Graph()
        self.readings: list[Reading] = []
        self.constants_used: frozenset[str] = frozenset()
        self.assigned: dict[str, int] = {}
        self.used: set[str] = set()
        self.inputs: dict[str, int] = {}
        self.stack: list[Value] = []
        self.results: list[tuple[str, int]] = []
        self.assignments: list[Instruction] = []
        self.frames: list[_Frame] = []
        self.running: set[str | None] = set()  # functions that the frames are calls of
        self.expanded = 0
        self.expansion = expansion
        self.places: dict[tuple[str, int, int], list[tuple[int, int]]] | None = None
        self.conditions: dict[int, int | None] = {}  # slots that are true or false; of a comparison its right side
        self.constants: dict[str, Constant] = {}  # numbers that need no note
        self._unsubscripted: dict[str, str] | None = None  # the bound names by how they look without an underscore

    def run(self) -> None:
        """Run the program: fill `graph`, its outputs, `readings`, `inputs` and `assigned`.

        Parameters of a program that is one definition become inputs first. Each instruction inside a call or sum counts
        as one operation. Raises RequestError if calls and sums expand to more than `expansion` operations. Raises
        SyntaxProblem if nothing is computed. Instructions raise SyntaxProblem, NameProblem and ArityProblem.
        """
        code = self.recorder.main
        for name in self.recorder.parameters:
            self._find_input(name, code[-1])
        self.frames.append(_Frame(iter(code), {}))
        while self.frames:
            depth = len(self.frames)
            for step in self.frames[-1].rest:
                if depth > 1:
                    self._count_expansion()
                _ACTIONS[step[3]](self, step)
                if len(self.frames) > depth:
                    break
            else:
                self.running.discard(self.frames.pop().called)
        self._set_outputs()

    def _skip_definition(self, step: Instruction) -> None:
        """Do nothing: a definition computes nothing until it is called."""

    def _open(self, frame: _Frame, step: Instruction) -> None:
        """Put `frame` on top of the frames, to be run next; `step` is the instruction that opens it."""
        self.frames[-1].step = step
        self.frames.append(frame)

    def _span(self, step: Instruction) -> Span:
        return Span(step[0], step[1], self.source)

    def _count_expansion(self) -> None:
        """Count one operation of a call or sum in `expanded`.

        Raises RequestError beyond `expansion`, at the instruction of the main program from which it comes.
        """
        self.expanded += 1
        if self.expanded > self.expansion:
            label = f"this expands to more than {self.expansion:,} operations"
            advice = "use fewer terms or fewer nested calls"
            raise RequestError("the expression grows too large", self._span(self.frames[0].step), label, help=advice)

    # --- values ------------------------------------------------------------------------------------------------------

    def _push_number(self, step: Instruction) -> None:
        """Push the constant of the number in `step`; adds a note if it underflows or is rounded, raises SyntaxProblem
        if it is too large.
        """
        start, end, text, _ = step
        constant = self.constants.get(text) or self._read_number(text, step)
        self.stack.append((self.graph.constant(constant, (start, end)), "", start, end))

    def _push_constant(self, step: Instruction) -> None:
        """Push a constant by its name, even if the program uses the name for something else."""
        start, end, name, _ = step
        self.stack.append((self.graph.constant(Constant(name, named=True), (start, end)), "", start, end))

    def _read_number(self, text: str, step: Instruction) -> Constant:
        """Return the number `text` as a Constant; `step` is its instruction.

        Adds a note if it underflows to 0, or if it is a whole number of more than 15 digits that a double rounds; a
        number without a note is kept in `constants`. Raises SyntaxProblem if it overflows (beyond 1.8e308).
        """
        constant = Constant(text)
        value = float(text)
        if math.isinf(value):
            title = "this number is too large"
            advice = "use other units, so that the numbers are smaller"
            raise SyntaxProblem(title, self._span(step), "beyond 1.8e308, the largest double", help=advice)
        if value == 0 and any(digit in "123456789" for digit in text.lower().partition("e")[0]):
            self._note(step, f"{text} is too small for a double and counts as 0", "underflow")
        elif len(text) > 15 and text.isdecimal() and int(value) != int(text.lstrip("0") or "0"):
            self._note(step, f"{text} is rounded to the double {int(value)}", "rounded")
        else:
            self.constants[text] = constant
        return constant

    def _note(self, step: Instruction, text: str, kind: str = "reading") -> None:
        self.readings.append(Reading(text, step[:2], kind, "constants" if kind == "reading" else kind))

    def _push_name(self, step: Instruction) -> None:
        """Push the value of the name in `step`. The first that applies:

        - a parameter or index of the current frame: the value as it was pushed for it, with its place and name
        - an input
        - an assigned name, which is marked as used; its name is kept in the value, so that an output can be called by
          it
        - a constant such as pi that is not bound, which is noted in `constants_used`
        - an input (`_find_input`), which is added if it is new; a subscript that is an index becomes its number
          (`_with_index`)
        """
        start, end, name, _ = step
        environment = self.frames[-1].environment
        if name in environment:
            self.stack.append(environment[name])
            return
        written = ""
        if name in self.inputs:
            slot = self.inputs[name]
        elif name in self.assigned:
            self.used.add(name)
            slot, written = self.assigned[name], name
        elif name in CONSTANTS and name not in self.bound:
            self.constants_used |= {name}
            slot = self.graph.constant(Constant(name, named=True), (start, end))
        else:
            slot = self._find_input(self._with_index(name), step)
        self.stack.append((slot, written, start, end))

    def _with_index(self, name: str) -> str:
        """Return `name` with the index behind its last underscore replaced by the value of the index: in sum(i, 1, 3,
        x_i) that is x_1, x_2 and x_3 in turn.

        `name` is returned as it is if it is in `bound`, if the part behind the underscore is not an index or parameter
        of the current frame, or if the value of this one is not a literal whole number from 0 on.
        """
        stem, _, subscript = name.rpartition("_")
        value = self.frames[-1].environment.get(subscript)
        if not stem or value is None or name in self.bound or not self.graph.literal[value[0]]:
            return name
        number = literal_value(self.graph, FLOAT, value[0])
        return f"{stem}_{number:.0f}" if number is not None and number >= 0 and number % 1 == 0 else name

    def _find_input(self, name: str, step: Instruction) -> int:
        """Return the slot of the input `name`, adding the input if it is new; `step` gives its place.

        A name that is not bound means the bound name that is equal by `without_underscore`: with or without an
        underscore before the final digits (`x_2`, `x2`), or a Greek letter and its word (`μ`, `mu`). Of several such
        names the first of the alphabet counts, but none if that one is assigned. Adds a note at the first use if the
        name is also that of a constant.
        """
        if name not in self.bound:
            if self._unsubscripted is None:
                self._unsubscripted = {without_underscore(known): known for known in sorted(self.bound, reverse=True)}
            alias = self._unsubscripted.get(without_underscore(name))
            if alias is not None and alias not in self.assigned:
                name = alias
        if name not in self.inputs:
            if name in CONSTANTS:
                self._note(step, f"{name} is read as the input of that name, not as the constant")
            self.inputs[name] = self.graph.input(name, step[:2])
        return self.inputs[name]

    def _take(self, count: int) -> list[Value]:
        """Pop the last `count` values of the stack and return them in the order in which they were pushed."""
        start = len(self.stack) - count
        values = self.stack[start:]
        del self.stack[start:]
        return values

    # --- operations --------------------------------------------------------------------------------------------------

    def _operate(self, step: Instruction) -> None:
        """Apply a row to its number of arguments."""
        self._append_row(step[2], step[2].arity, step)

    def _apply(self, step: Instruction) -> None:
        """Apply a function or logical operator to the topmost values; `step` holds (its name, the number of its
        arguments).

        If the row has another form for this number of arguments, the form is applied. Raises ArityProblem if the row
        does not take this number, SyntaxProblem for a condition instead of a number or the reverse.
        """
        name, taken = step[2]
        row = ROWS[name]
        if row.forms:
            row = ROWS[row.forms.get(taken, name)]
        if taken != row.arity and not row.accepts(taken):
            raise _wrong_count_error(row, taken, self._span(step))
        self._append_row(row, taken, step)

    def _append_row(self, row: Primitive, count: int, step: Instruction) -> None:
        """Replace the topmost `count` values of the stack by the result of the row, appended to the graph.

        `step` has the span. If `places` is not None, the (start, end) of each argument are stored there by (row's name,
        start, end of `step`). The slot of a truth value is entered in `conditions` with None (no comparison that could
        be chained). Raises SyntaxProblem for a condition instead of a number, or the reverse.
        """
        values, span = self._take(count), step[:2]
        if self.conditions or row.truth_arguments:
            self._check_kinds(row, values, step)
        if self.places is not None:
            self.places[(row.name, *span)] = [(start, end) for _, _, start, end in values]
        slot = self.graph.apply(row, tuple([value[0] for value in values]), span)
        if row.truth:
            self.conditions[slot] = None
        self.stack.append((slot, "", *span))

    def _check_kinds(self, row: Primitive, values: list[Value], step: Instruction) -> None:
        """Raise SyntaxProblem for the first of `values` that is a condition instead of a number for `row`, or the
        reverse.

        The place is that of the value or, if it has none, of `step`.
        """
        for position, value in enumerate(values):
            truth = value[0] in self.conditions
            if truth and position not in row.truth_arguments:
                self._demand_number(value, step)
            if not truth and position in row.truth_arguments:
                title = f"there is a number where {row.name} needs a condition"
                advice = "compare the number with another one, as in if(x > 0, a, b)"
                raise SyntaxProblem(title, self._span_of(value, step), "this is a number", help=advice)

    def _demand_number(self, value: Value, step: Instruction) -> int:
        """Return the slot of `value`.

        Raises SyntaxProblem at its place if it is a condition; `step` gives the place if `value` has none (0, 0).
        """
        if value[0] in self.conditions:
            title, label = "a comparison is not a number", "this is true or false and has no derivative"
            advice = "choose between two expressions with if(condition, a, b); to define a name use a single ="
            raise SyntaxProblem(title, self._span_of(value, step), label, help=advice)
        return value[0]

    def _span_of(self, value: Value, step: Instruction) -> Span:
        """Return the place of the value's slot, or that of `step` if the slot has none."""
        start, end = self.graph.spans[value[0]]
        return Span(start, end, self.source) if end > start else self._span(step)

    def _compare(self, step: Instruction) -> None:
        """Replace the two topmost values of the stack by their comparison, a condition; `step` holds its row.

        If the left value is itself a comparison, as in `0 < x < 1` (in brackets or not), its right side is compared,
        and both comparisons are joined by `and`. The slot of the result is entered in `conditions` with the slot of its
        right side; the pushed value has no place (0, 0). Raises SyntaxProblem if the right value is a condition, or if
        the left one is a condition that is not a comparison.
        """
        left, right = self._take(2)
        last = self.conditions.get(left[0])
        self._demand_number(right, step)
        if last is None:
            self._demand_number(left, step)
        span = step[:2]
        slot = self.graph.apply(step[2], (left[0] if last is None else last, right[0]), span)
        if last is not None:  # 0 < x < 1 is 0 < x and x < 1
            slot = self.graph.apply(ROWS["and"], (left[0], slot), span)
        self.conditions[slot] = right[0]
        self.stack.append((slot, "", 0, 0))

    def _open_call(self, step: Instruction) -> None:
        """Open a frame for a user's function, with the topmost values as its parameters, and count one operation.

        `step` holds (its name, the number of arguments). The frame has the parameters alone, no names of the caller's
        frame. Raises ArityProblem for a wrong number of arguments, SyntaxProblem if an argument is a condition, and
        NameProblem if the function is already running (recursion). Raises RequestError if more than 200 calls and sums
        are nested, or the expansion limit is exceeded.
        """
        name, count = step[2]
        definition = self.recorder.definitions[name]
        header = Span(definition.start, definition.end, self.source)
        if count != len(definition.parameters):
            title = f"{definition.name} takes {_count_arguments(len(definition.parameters))}, got {count or 'none'}"
            advice = f"it is defined as {definition.name}({', '.join(definition.parameters)})"
            raise ArityProblem(title, self._span(step), help=advice, related=(header, "defined here"))
        if definition.name in self.running:
            advice = "write the steps out, or use sum(i, 1, n, …) or prod(i, 1, n, …)"
            raise NameProblem(
                f"the function {definition.name} calls itself", header, "the calls would never end", help=advice
            )
        if len(self.frames) > 200:
            label = "more than 200 calls inside each other"
            advice = "in some of the functions, replace the call by the formula"
            raise RequestError("calls are nested too deeply", self._span(step), label, help=advice)
        values = self._take(count)
        for value in values:
            self._demand_number(value, step)
        environment = dict(zip(definition.parameters, values, strict=True))
        self._open(_Frame(iter(definition.code), environment, definition.name), step)
        self.running.add(definition.name)
        self._count_expansion()

    def _open_loop(self, step: Instruction) -> None:
        """Take the two bounds from the stack and open a frame that runs the sum or product over them, both included.

        `step` holds its Repetition. An upper bound below the lower one gives 0 or 1. The index hides a name of the
        frame, whose other names stay known in the terms. Raises SyntaxProblem if a bound is not a whole number. Raises
        RequestError, before a term is run, if the terms exceed the expansion limit; each counts as one operation and
        the instructions of its code, without those of the calls and sums in it.
        """
        repetition: Repetition = step[2]
        low, high = (self._read_bound(value, step) for value in self._take(2))
        if (high - low + 1) * (1 + len(repetition.code)) > self.expansion - self.expanded:
            self.frames[-1].step = step
            self.expanded = self.expansion
            self._count_expansion()
        environment = dict(self.frames[-1].environment)
        self._open(_Frame(self._run_terms(repetition, range(low, high + 1), environment, step), environment), step)

    def _run_terms(
        self, repetition: Repetition, indices: range, environment: dict[str, Value], step: Instruction
    ) -> Iterator[Instruction]:
        """Yield the instructions of each term of a sum or product, for the machine to run, and push the total, without
        a place (0, 0), at the end.

        For each value of `indices` the index is set in `environment` (in place), one operation is counted, and the
        term's value is combined with the total, from left to right. Without terms the total is the constant 0 or 1.
        `step` is the instruction of the whole. Raises SyntaxProblem if a term is a condition, RequestError beyond the
        expansion limit.
        """
        total: int | None = None
        for index in indices:
            environment[repetition.variable] = (self.graph.constant(Constant(str(index))), "", 0, 0)
            self._count_expansion()
            yield from repetition.code
            slot = self._demand_number(self.stack.pop(), step)
            total = slot if total is None else self.graph.apply(ROWS[repetition.row], (total, slot), step[:2])
        if total is None:
            total = self.graph.constant(Constant("0" if repetition.row == "add" else "1"), step[:2])
        self.stack.append((total, "", 0, 0))

    def _read_bound(self, value: Value, step: Instruction) -> int:
        """Return the bound of a sum as an integer; arithmetic on numbers alone (`2*3`, also 4/2) is evaluated.

        Raises SyntaxProblem if it is not a literal of the graph (so also for `sqrt(4)`), is not whole (also nan) or is
        beyond ±1e15; `step` gives the place if the value has none.
        """
        number = literal_value(self.graph, FLOAT, value[0]) if self.graph.literal[value[0]] else None
        if number is None:
            span = self._span_of(value, step)
            label = f"{span.text if len(span.text) <= 40 else 'this'} is not written as a number"
        elif abs(number) > _LARGEST_BOUND:
            label = "too large"
        elif number % 1 == 0:
            return int(number)
        else:
            label = "not a whole number"
        title, advice = "the bounds of a sum must be whole numbers", "write them as numbers: sum(i, 1, 10, i*x)"
        raise SyntaxProblem(title, self._span_of(value, step), label, help=advice)

    # --- statements --------------------------------------------------------------------------------------------------

    def _assign(self, step: Instruction) -> None:
        """Take the topmost value from the stack, give it the name in `step`, and append the step to `assignments`.

        The slot also gets the name for display, if it has none and is neither a literal nor an input. Adds a note if
        the name hides a value of the point or, if not, a constant. Raises NameProblem if the name is defined twice or
        was used as an input before, SyntaxProblem if the value is a condition.
        """
        name = step[2]
        here = Span(step[0], step[0] + len(name), self.source)
        if name in self.assigned:
            raise NameProblem(
                f"the name {name} is defined twice", here, "defined again here", help="choose another name"
            )
        if name in self.inputs:
            used = Span(*self.graph.spans[self.inputs[name]], self.source)
            advice = f"put {name} = … first, or choose another name"
            title, related = f"the name {name} {USED_TOO_EARLY}", (here, "defined here")
            raise NameProblem(title, used, "used here", help=advice, related=related)
        slot = self._demand_number(self.stack.pop(), step)
        if name in self.bound:
            self._note(step, f"{name} is defined in the program; its value from the point is not used")
        elif name in CONSTANTS:
            self._note(step, f"{name} is read as the name defined here, not as the constant")
        self.assigned[name] = slot
        if not self.graph.literal[slot] and slot not in self.graph.inputs:
            self.graph.aliases.setdefault(slot, name)
        self.assignments.append(step)

    def _output(self, step: Instruction) -> None:
        """Move the topmost value to `results`; raises SyntaxProblem if it is a condition."""
        value = self.stack.pop()
        self.results.append((value[1], self._demand_number(value, step)))

    def _set_outputs(self) -> None:
        """Set the outputs of the graph: the expressions of the program, in order; without any, the unused assigned
        names.

        If there are expressions, each assigned name that is not used gets a note. Raises SyntaxProblem if there are
        neither expressions nor unused assigned names.
        """
        unused = [step for step in self.assignments if step[2] not in self.used]
        results = self.results
        if results:
            for step in unused:
                self._note(step, f"{step[2]} is defined but not used", "unused")
        else:
            results = [(step[2], self.assigned[step[2]]) for step in unused]
        if not results:
            raise _missing_expression_error(self.source, [*self.recorder.definitions.values()])
        self.graph.outputs = name_outputs(results, self.assigned)


_ACTIONS: dict[str, Callable[[Machine, Instruction], None]] = {
    "NUMBER": Machine._push_number, "NAME": Machine._push_name, "CONSTANT": Machine._push_constant,
    "operate": Machine._operate, "apply": Machine._apply,
    "compare": Machine._compare, "call": Machine._open_call, "repeat": Machine._open_loop, "assign": Machine._assign,
    "output": Machine._output, "defined": Machine._skip_definition,
}  # fmt: skip


# --- names -----------------------------------------------------------------------------------------------------------


def name_outputs(results: list[tuple[str, int]], assigned: Collection[str]) -> list[tuple[str, int]]:
    """Return `results`, (name or "", slot), with a name for each output.

    A name is kept at its first occurrence. Every other result is called y1, y2, … by its position among all results,
    with primes appended while this name is in `assigned` or is another result's; but if exactly one of the results has
    no name, it is y, unless y is taken. (A repeated name never becomes y.)
    """
    named: list[tuple[str, int]] = []
    taken = {*assigned, *(name for name, _ in results if name)}
    seen: set[str] = set()
    single = sum(1 for name, _ in results if not name) == 1
    for position, (name, slot) in enumerate(results, 1):
        chosen = name if name and name not in seen else ""
        if not chosen:
            chosen = "y" if single and not name and "y" not in taken else f"y{position}"
            while chosen in taken or chosen in seen:
                chosen += "'"
        seen.add(chosen)
        named.append((chosen, slot))
    return named


def without_underscore(name: str) -> str:
    """Return the name without the underscore before its final digits, with Greek letters as words: `x_2` gives x2, `μ`
    mu, `lam` alone lambda.

    Callers take two names with the same result for one input if only one of them is known.
    """
    stem, underscore, digits = name.rpartition("_")
    name = stem + digits if underscore and digits.isdecimal() else name
    if name.isascii():
        return "lambda" if name == "lam" else name
    return "".join(map(_spell_letter, name))


def _spell_letter(sign: str) -> str:
    """Return the name of a Greek letter, "mu" for μ and "Phi" for Φ; any other sign unchanged."""
    kind, _, word = unicodedata.name(sign, "").replace("LAMDA", "LAMBDA").partition(" LETTER ")
    names = {"GREEK SMALL": word.lower(), "GREEK CAPITAL": word.capitalize()}
    return names.get(kind, sign) if word.isalpha() else sign


# --- errors ----------------------------------------------------------------------------------------------------------


def _wrong_count_error(row: Primitive, count: int, span: Span) -> ArityProblem:
    """Return the error for `row` called with `count` arguments at `span`; its message names the number expected
    (several for rows with forms, "n or more" for variadic ones).
    """
    expected = f"{row.least} or more arguments" if row.arity is None else _count_arguments(row.arity)
    if row.forms:
        expected = f"{row.arity} or {' or '.join(map(str, row.forms))} arguments"
    title = f"{row.name} takes {expected}, got {count or 'none'}"
    advice = f"write {row.name}({', '.join(row.arguments)})"
    label = f"{_count_arguments(count)} here" if count else "the brackets are empty"
    return ArityProblem(title, span, label, help=advice)


def _count_arguments(count: int) -> str:
    """Return "1 argument", "2 arguments" and so on."""
    return f"{count} argument" if count == 1 else f"{count} arguments"


def _missing_expression_error(source: Source, defined: Sequence[Definition]) -> SyntaxProblem:
    """Return the error for a program without an expression, placed behind its last character.

    `defined` are its functions; the help repeats the program with a call of the last one, if the program is a single
    line of at most _SHORT (60) characters. Nothing is raised.
    """
    text = source.text.strip().rstrip("; ")
    advice = "end with the expression to be evaluated"
    if defined and len(text) <= _SHORT and text.isprintable():
        advice += f": {text}; {defined[-1].name}({', '.join(defined[-1].parameters)})"
    end = len(source.text.rstrip())
    here = Span(end, end + 1, source)
    return SyntaxProblem("nothing is computed", here, "an expression is missing here", help=advice)
