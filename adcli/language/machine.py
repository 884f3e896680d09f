"""Code to graph: a small stack machine without recursion that runs a program's instructions on graph slots.

Calls of the user's functions and the terms of sums and products are written out, each time with other arguments, under
a limit on how far a short text may grow.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from ..calculus.algebra import FLOAT
from ..calculus.primitive import ROWS, Primitive
from ..errors import ArityProblem, NameProblem, RequestError, Source, Span, SyntaxProblem
from ..graph.node import CONSTANTS, Constant, Graph
from ..graph.tape import literal_value
from .parser import Code, Instruction, Recorder, Repetition
from .scanner import Reading

# How many operations calls and sums may write out, beyond what stands in the text itself.
EXPANSION_LIMIT = 2_000_000
_LARGEST_BOUND = 1e15  # of a sum; whole numbers beyond are no longer exact


class _Value(NamedTuple):
    """A slot on the machine's stack.

    `truth` says that it is a condition; `last` is the right side of a comparison, which goes on in `0 < x < 1`;
    `name` is set where a name alone was written; `start` and `end` say where the value was written.
    """

    slot: int
    truth: bool = False
    last: int | None = None
    name: str = ""
    start: int = 0
    end: int = 0


class _Frame:
    """Code being run: where it is, what its parameters stand for, and what remains of a sum."""

    __slots__ = ("called", "code", "environment", "following", "repetition", "total", "where")

    def __init__(self, code: Code, environment: dict[str, _Value], called: str = "") -> None:
        self.code = code
        self.environment = environment
        self.called = called
        self.where = 0
        self.repetition: Repetition | None = None
        self.following: range = range(0)
        self.total: _Value | None = None


class Machine:
    """Runs the code of one program."""

    def __init__(
        self, source: Source, recorder: Recorder, bound: Collection[str], expansion: int = EXPANSION_LIMIT
    ) -> None:
        self.source = source
        self.recorder = recorder
        self.bound = frozenset(bound)
        self.graph = Graph()
        self.readings: list[Reading] = []
        self.constants_used: frozenset[str] = frozenset()
        self.assigned: dict[str, _Value] = {}
        self.used: set[str] = set()
        self.inputs: dict[str, int] = {}
        self.stack: list[_Value] = []
        self.results: list[tuple[str, _Value, Instruction]] = []
        self.assignments: list[Instruction] = []
        self.frames: list[_Frame] = []
        self.expanded = 0
        self.expansion = expansion
        self.places: dict[tuple[str, int, int], list[tuple[int, int]]] | None = None
        self._unsubscripted = {_without_underscore(name): name for name in sorted(self.bound, reverse=True)}

    def run(self) -> None:
        """Runs the program; afterwards `graph` has its outputs."""
        actions = {
            "number": self._number, "name": self._name, "apply": self._apply_row, "compare": self._compare,
            "call": self._call, "repeat": self._repeat, "assign": self._assign, "output": self._output,
            "defined": self._defined,
        }  # fmt: skip
        self.frames.append(_Frame(self.recorder.main, {}))
        while self.frames:
            frame = self.frames[-1]
            if frame.where < len(frame.code):
                step = frame.code[frame.where]
                frame.where += 1
                if len(self.frames) > 1:
                    self._count_expansion(step)
                actions[step.action](step)
            elif frame.repetition is not None:
                self._next_term(frame)
            else:
                self.frames.pop()
        self._finish()

    def _defined(self, step: Instruction) -> None:
        """A definition computes nothing until it is called."""

    def _span(self, step: Instruction) -> Span:
        return Span(step.start, step.end, self.source)

    def _count_expansion(self, step: Instruction) -> None:
        self.expanded += 1
        if self.expanded > self.expansion:
            outer = self.frames[0].code[self.frames[0].where - 1]
            raise RequestError(
                "the program grows too large",
                self._span(outer),
                f"this writes out more than {self.expansion:,} operations",
                help="use fewer terms or fewer nested calls",
            )

    # --- values ------------------------------------------------------------------------------------------------------

    def _number(self, step: Instruction) -> None:
        text = step.argument
        value = float(text)
        if value in (float("inf"), -float("inf")):
            raise SyntaxProblem(
                "this number is too large",
                self._span(step),
                "beyond 1.8e308, the largest double",
                help="rescale the problem",
            )
        if value == 0 and any(digit in "123456789" for digit in text.lower().partition("e")[0]):
            self._note(step, f"{text} is too small for a double and counts as 0", "underflow")
        elif len(text) > 15 and text.isdigit() and int(value) != int(text.lstrip("0") or "0"):
            self._note(step, f"{text} is rounded to the double {int(value)}", "rounded")
        slot = self.graph.constant(Constant(text), (step.start, step.end))
        self.stack.append(_Value(slot, False, None, "", step.start, step.end))

    def _note(self, step: Instruction, text: str, kind: str = "reading") -> None:
        self.readings.append(Reading(text, (step.start, step.end), kind))

    def _name(self, step: Instruction) -> None:
        name = step.argument
        local = self.frames[-1].environment.get(name)
        if local is not None:
            self.stack.append(local)
        elif name in self.assigned:
            self.used.add(name)
            slot = self.assigned[name].slot
            self.stack.append(_Value(slot, False, None, name, step.start, step.end))
        elif name in CONSTANTS and name not in self.bound:
            self.constants_used |= {name}
            slot = self.graph.constant(Constant(name, named=True), (step.start, step.end))
            self.stack.append(_Value(slot, False, None, "", step.start, step.end))
        else:
            self.stack.append(_Value(self._input(name, step), False, None, "", step.start, step.end))

    def _input(self, name: str, step: Instruction) -> int:
        if name not in self.bound:
            alias = self._unsubscripted.get(_without_underscore(name))
            if alias is not None and alias not in self.assigned:
                name = alias
        if name in CONSTANTS and name not in self.inputs:
            self._note(step, f"{name} is read as the input of that name, not as the constant")
        slot = self.inputs.get(name)
        if slot is None:
            slot = self.inputs[name] = self.graph.input(name, (step.start, step.end))
        return slot

    def _take(self, count: int) -> list[_Value]:
        if count == 0:
            return []
        values = self.stack[-count:]
        del self.stack[-count:]
        return values

    # --- operations --------------------------------------------------------------------------------------------------

    def _apply_row(self, step: Instruction) -> None:
        row = ROWS[step.argument]
        row = ROWS[row.forms.get(step.taken, row.name)]
        if not row.accepts(step.taken):
            raise self._wrong_count(row.name, row, step)
        values = self._take(step.taken)
        self._check_kinds(row, values, step)
        if self.places is not None:
            self.places[row.name, step.start, step.end] = [(value.start, value.end) for value in values]
        slot = self.graph.apply(row, tuple([value.slot for value in values]), (step.start, step.end))
        self.stack.append(_Value(slot, row.truth, None, "", step.start, step.end))

    def _wrong_count(self, name: str, row: Primitive, step: Instruction) -> ArityProblem:
        wanted = f"{row.least} or more arguments" if row.arity is None else _counted(row.arity)
        if row.forms:
            wanted = f"{row.arity} or {' or '.join(map(str, row.forms))} arguments"
        example = ", ".join(row.arguments)
        return ArityProblem(
            f"{name} takes {wanted}, got {step.taken or 'none'}",
            self._span(step),
            f"{_counted(step.taken)} here" if step.taken else "the brackets are empty",
            help=f"write {name}({example})",
        )

    def _check_kinds(self, row: Primitive, values: list[_Value], step: Instruction) -> None:
        for position, value in enumerate(values):
            if value.truth and position not in row.truth_arguments:
                raise self._not_a_number(value, step)
            if not value.truth and position in row.truth_arguments:
                raise SyntaxProblem(
                    f"{row.name} needs a condition",
                    self._span_of(value, step),
                    "this is a number",
                    help="compare it with something, as in if(x > 0, a, b)",
                )

    def _span_of(self, value: _Value, step: Instruction) -> Span:
        start, end = self.graph.spans[value.slot]
        return Span(start, end, self.source) if end > start else self._span(step)

    def _not_a_number(self, value: _Value, step: Instruction) -> SyntaxProblem:
        return SyntaxProblem(
            "a comparison is not a number",
            self._span_of(value, step),
            "this is true or false and has no derivative",
            help="choose between two expressions with if(condition, a, b); to define a name use a single =",
        )

    def _compare(self, step: Instruction) -> None:
        left, right = self._take(2)
        if right.truth or (left.truth and left.last is None):
            raise self._not_a_number(right if right.truth else left, step)
        span = (step.start, step.end)
        first = left.slot if left.last is None else left.last
        slot = self.graph.apply(ROWS[step.argument], (first, right.slot), span)
        if left.last is not None:  # 0 < x < 1 is 0 < x and x < 1
            slot = self.graph.apply(ROWS["and"], (left.slot, slot), span)
        self.stack.append(_Value(slot, True, right.slot))

    def _call(self, step: Instruction) -> None:
        definition = self.recorder.definitions[step.argument]
        if step.taken != len(definition.parameters):
            raise ArityProblem(
                f"{definition.name} takes {_counted(len(definition.parameters))}, got {step.taken or 'none'}",
                self._span(step),
                help=f"it is defined as {definition.name}({', '.join(definition.parameters)})",
                related=(Span(definition.start, definition.end, self.source), "defined here"),
            )
        if any(frame.called == definition.name for frame in self.frames):
            raise NameProblem(
                f"{definition.name} calls itself",
                Span(definition.start, definition.end, self.source),
                "its expansion would never end",
                help="write the steps out, or use sum(i, 1, n, …) or prod(i, 1, n, …)",
            )
        if len(self.frames) > 200:
            raise RequestError("calls are nested too deeply", self._span(step), "more than 200 calls inside each other")
        values = self._take(step.taken)
        for value in values:
            if value.truth:
                raise self._not_a_number(value, step)
        environment = dict(zip(definition.parameters, values, strict=True))
        self.frames.append(_Frame(definition.code, environment, definition.name))
        self._count_expansion(step)

    def _repeat(self, step: Instruction) -> None:
        repetition: Repetition = step.argument
        low, high = (self._whole(value, step) for value in self._take(2))
        if high - low > self.expansion:
            self.expanded = self.expansion
            self._count_expansion(step)
        frame = _Frame(repetition.code, dict(self.frames[-1].environment))
        frame.repetition = repetition
        frame.following = range(low, high + 1)
        frame.where = len(frame.code)
        self.frames.append(frame)

    def _whole(self, value: _Value, step: Instruction) -> int:
        """The bound of a sum, which must be a whole number already when the program is read."""
        number = None
        if self.graph.literal[value.slot]:
            number = literal_value(self.graph, FLOAT, value.slot)
        if number is None or number != number or abs(number) > _LARGEST_BOUND or number % 1:
            raise SyntaxProblem(
                "the bounds of a sum are whole numbers",
                self._span_of(value, step),
                "its value is not known when the program is read"
                if number is None
                else "too large"
                if abs(number) > _LARGEST_BOUND
                else "not a whole number",
                help="write the numbers themselves, as in sum(i, 1, 10, i*x)",
            )
        return int(number)

    def _next_term(self, frame: _Frame) -> None:
        """Adds the term that was just computed and starts the next one, or ends the sum."""
        repetition = frame.repetition
        if repetition is None:
            return
        outer = self.frames[-2].code[self.frames[-2].where - 1]
        if frame.called:  # a term has been computed since
            term = self.stack.pop()
            if term.truth:
                raise self._not_a_number(term, outer)
            if frame.total is None:
                frame.total = _Value(term.slot)
            else:
                parents = (frame.total.slot, term.slot)
                frame.total = _Value(self.graph.apply(ROWS[repetition.row], parents, (outer.start, outer.end)))
        if frame.following:
            index = self.graph.constant(Constant(str(frame.following[0])))
            frame.following = frame.following[1:]
            frame.environment[repetition.variable] = _Value(index)
            frame.where = 0
            frame.called = " "
            self._count_expansion(outer)
            return
        self.frames.pop()
        if frame.total is None:
            neutral = "0" if repetition.row == "add" else "1"
            frame.total = _Value(self.graph.constant(Constant(neutral), (outer.start, outer.end)))
        self.stack.append(frame.total)

    # --- statements --------------------------------------------------------------------------------------------------

    def _assign(self, step: Instruction) -> None:
        name = step.argument
        here = Span(step.start, step.start + len(name), self.source)
        if name in self.assigned:
            raise NameProblem(f"{name} is defined twice", here, "the second time here", help="choose another name")
        if name in self.inputs:
            start, end = self.graph.spans[self.inputs[name]]
            raise NameProblem(
                f"{name} is used before it is defined",
                Span(start, end, self.source),
                "used here",
                help=f"put {name} = … first, or choose another name",
                related=(here, "defined here"),
            )
        value = self.stack.pop()
        if value.truth:
            raise self._not_a_number(value, step)
        if name in self.bound:
            self._note(step, f"{name} is defined in the program; its value from the point is not used")
        elif name in CONSTANTS:
            self._note(step, f"{name} is read as the name defined here, not as the constant")
        self.assigned[name] = _Value(value.slot)
        if not self.graph.literal[value.slot] and value.slot not in self.graph.inputs:
            self.graph.aliases.setdefault(value.slot, name)
        self.assignments.append(step)

    def _output(self, step: Instruction) -> None:
        value = self.stack.pop()
        if value.truth:
            raise self._not_a_number(value, step)
        self.results.append((value.name, value, step))

    def _finish(self) -> None:
        unused = [step for step in self.assignments if step.argument not in self.used]
        results = [(name, value.slot) for name, value, _ in self.results]
        if results:
            for step in unused:
                self._note(step, f"{step.argument} is defined but not used", "unused")
        else:
            results = [(step.argument, self.assigned[step.argument].slot) for step in unused]
        if not results:
            end = len(self.source.text.rstrip())
            raise SyntaxProblem(
                "nothing is computed",
                Span(end, end + 1, self.source),
                "an expression is missing here",
                help="end with the expression whose value is wanted",
            )
        self.graph.outputs = _named(results)


def _named(results: list[tuple[str, int]]) -> list[tuple[str, int]]:
    """Outputs as assigned, else y, or y1, y2, … by position; no name twice."""
    named: list[tuple[str, int]] = []
    taken = {name for name, _ in results if name}
    seen: set[str] = set()
    single = sum(1 for name, _ in results if not name) == 1
    for position, (name, slot) in enumerate(results, 1):
        chosen = name if name and name not in seen else ""
        if not chosen:
            chosen = "y" if single and "y" not in taken else f"y{position}"
            while chosen in taken or chosen in seen:
                chosen += "'"
        seen.add(chosen)
        named.append((chosen, slot))
    return named


def _without_underscore(name: str) -> str:
    """`x_2` and `x2` are one name where only one of them is known."""
    stem, underscore, digits = name.rpartition("_")
    return stem + digits if underscore and digits.isdigit() else name


def _counted(count: int) -> str:
    return f"{count} argument" if count == 1 else f"{count} arguments"
