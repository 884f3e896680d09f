"""Recording a Python function as a graph: it runs once on traced values, each operation on which is appended."""

from __future__ import annotations

import linecache
import os
import sys
from collections.abc import Callable, Mapping, Sequence, Sized
from itertools import accumulate
from types import CodeType, FrameType

from ..errors import SMALLER_EXAMPLE, DomainProblem, RequestError, Source, Span
from ..extras import Needs
from ..table.primitive import Primitive, lookup
from ..typings import TYPE_CHECKING, Any, override
from .graph import Constant, Graph
from .overloading import Method, TracingProblem, Tracked
from .rules import check_count, value_at

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

MOST_INPUTS = 64  # numbers in arrays of inputs: each is a row
_LARGEST = 2_000_000  # operations; a longer function is refused
Place = tuple[int, int]
_UNKNOWN: Place = (0, 0)
# Functions of NumPy with kinks, and rows of the table that are equal to them at numbers.
_KINKED = {
    "maximum": "max", "fmax": "max", "minimum": "min", "fmin": "min", "sign": "sign", "fabs": "abs", "clip": "clamp",
}  # fmt: skip


def _comparison_method(name: str, at_tie: bool) -> Method:
    """Return the method `name` of a comparison that is `at_tie` for equal numbers."""
    compare = getattr(Tracked, name)
    return lambda self, other: at_tie if self._is_tie(other) else compare(self, other)


class Recorded(Tracked):
    """A traced value of a Recording: a number, with its slot in `mark`; if it is compared with an equal number, the
    recording notes a tie.
    """

    __slots__ = ()
    tracer: Recording
    mark: int

    @override
    def __eq__(self, other: object) -> bool:
        return self._is_tie(other)

    def _is_tie(self, other: object) -> bool:
        """Return whether the number is equal to `other`, and note a tie in the recording.

        `other` is a traced value, or an object that == compares with a float (False if it cannot). The recording's
        `tie` is set to the present place in the file, (start, end): a branch that depends on the comparison is then at
        a kink. Only the first tie is kept; a number that is compared with itself (the same slot) is none.
        """
        same = isinstance(other, Recorded) and other.mark == self.mark
        equal = bool(self.value == (other.value if isinstance(other, Recorded) else other))
        if equal and not same and self.tracer.tie is None:
            self.tracer.tie = self.tracer.current_place()
        return equal

    __lt__, __gt__ = _comparison_method("__lt__", False), _comparison_method("__gt__", False)
    __le__, __ge__ = _comparison_method("__le__", True), _comparison_method("__ge__", True)

    @override
    def __hash__(self) -> int:
        return hash(self.value)

    def __bool__(self) -> bool:
        return not self._is_tie(0)

    def clip(self, low: object = None, high: object = None, out: None = None) -> object:
        """Return the number limited to the range between the bounds (None: no bound), as np.clip calls it."""
        import numpy as np

        raised = self if low is None else np.maximum(self, low)
        return raised if high is None else np.minimum(raised, high)

    def __array_ufunc__(self, ufunc: numpy.ufunc, method: str, *inputs: object, **options: object) -> object:
        """Return the result of a function of NumPy: of one with kinks, for single numbers, the operation of the table,
        since NumPy compares objects; of every other one what NumPy computes for objects.
        """
        import numpy as np

        row = lookup(_KINKED.get(ufunc.__name__, "")) if method == "__call__" and not options else None
        numbers = [x.item() if isinstance(x, np.ndarray) and not x.shape else x for x in inputs]
        if row is not None and all(isinstance(x, (Recorded, float, int)) for x in numbers):
            return self.tracer.operate(row, numbers)
        operands = [np.asarray(x, object) if isinstance(x, Recorded) else x for x in inputs]
        return getattr(ufunc, method)(*operands, **options)


def shown_path(file: str) -> str:
    """Return the path for messages: relative to the current folder if the file is below it, else unchanged."""
    folder = os.getcwd() + os.sep
    return file.removeprefix(folder)


def check_results(results: Sized) -> None:
    """Raise RequestError if a recorded function has no results."""
    if not results:
        raise RequestError("the function returns nothing", help="return a number")


def element_name(name: str, place: Sequence[int]) -> str:
    """Return the name of an element of an array, such as `W[0,1]`; the name alone for an empty place."""
    return f"{name}[{','.join(map(str, place))}]" if place else name


def doubles_of(name: str, x: object, count: int) -> NDArray[numpy.float64]:
    """Return the input `name` of a trace as an array of doubles; a number has shape (), lists and arrays keep their
    shapes.

    A float64 array is returned itself. What NumPy converts to doubles is accepted (also True). `count` is the number of
    input numbers before it. Raises RequestError without NumPy (also for a number), for what cannot be converted, and if
    the total would exceed 64 (MOST_INPUTS).
    """
    with Needs("inputs that are arrays need NumPy", "numpy"):
        import numpy as np
    try:
        array = np.asarray(x, float)
    except (TypeError, ValueError):
        raise RequestError(f"the input {name} is neither a number nor an array of numbers") from None
    if count + array.size > MOST_INPUTS:
        label = f"the inputs up to {name} have {count + array.size:,}"
        raise RequestError(f"a trace takes at most {MOST_INPUTS} input numbers", label=label, help=SMALLER_EXAMPLE)
    return array


class Recording:
    """A graph that is being recorded from `function`, with the place of each operation in the function's file.

    graph   the graph; its spans are offsets in the file
    tie     the place (start, end) of the first comparison of equal numbers; None if there was none
    source  the text of the file for messages; empty if it cannot be read
    """

    def __init__(self, function: Callable[..., object]) -> None:
        """Begin to record the operations of a Python function into an empty `graph`; the function is not called.

        The text of its file is read for messages and places; `file` and `source` are empty for a callable without
        Python code.
        """
        self.graph = Graph()
        self.tie: Place | None = None
        code = getattr(function, "__code__", None)
        self.file = code.co_filename if isinstance(code, CodeType) else ""
        lines = linecache.getlines(self.file) if self.file else []
        self.source = Source("".join(lines), shown_path(self.file) or None)
        self._starts = [0, *accumulate(map(len, lines))]
        self._lines = lines
        self._positions: dict[CodeType, list[tuple[int | None, int | None, int | None, int | None]]] = {}

    def input(self, name: str, value: float) -> Recorded:
        """Append an input with this value and return it as a traced value."""
        return Recorded(value, self, self.graph.input(name))

    def constant(self, x: float, span: Place = _UNKNOWN) -> int:
        """Append a constant and return its slot; whole numbers below 1e16 are written without a decimal point."""
        text = repr(float(x)) if not float(x).is_integer() or abs(x) >= 1e16 else str(int(x))
        return self.graph.constant(Constant(text), span)

    def operate(self, row: Primitive, arguments: Sequence[object]) -> Any:
        """Append the operation `row` and return its traced value; numbers among the arguments become constants.

        The first that applies: ArityProblem is raised for a wrong number of arguments; TracingProblem for a traced
        value of another recording; NotImplemented is returned if an argument is neither a number nor a Recorded;
        RequestError is raised beyond two million slots; DomainProblem, with its place in the file, outside the domain.
        In all these cases nothing is appended. A value may be nan or infinite (overflow).
        """
        check_count(row, len(arguments))
        operands = [self._own(a) for a in arguments if isinstance(a, (Recorded, float, int))]
        if len(operands) < len(arguments):
            return NotImplemented
        if len(self.graph) > _LARGEST:
            title = f"the function takes more than {_LARGEST} operations"
            raise RequestError(title, help="trace fewer rounds of the loops in the function")
        span = self.current_place()
        try:
            value = value_at(row, tuple([float(a.value if isinstance(a, Recorded) else a) for a in operands]))
        except DomainProblem as problem:
            problem.span = self.span(span)
            raise
        parents = tuple([a.mark if isinstance(a, Recorded) else self.constant(a, span) for a in operands])
        return Recorded(value, self, self.graph.apply(row, parents, span))

    def set_outputs(self, named: Mapping[str, object]) -> None:
        """Append the results of the function to the outputs, by name: traced values by their slots, numbers as new
        constants.

        Raises RequestError if there are no results, or if one is neither a traced value nor a number (an array, None),
        TracingProblem for a traced value of another recording. The results before such a one have been appended then.
        """
        check_results(named)
        for name, x in named.items():
            if not isinstance(x, (Recorded, int, float)):
                title = "the function returns something that is not a number"
                advice = "return a number, or a tuple, a list or a dict of numbers"
                raise RequestError(title, label=f"{name} is of type {type(x).__name__}", help=advice)
            recorded = self._own(x)
            self.graph.outputs.append(
                (name, recorded.mark if isinstance(recorded, Recorded) else self.constant(recorded))
            )

    def _own(self, x: Recorded | float) -> Recorded | float:
        """Return `x`. Raises TracingProblem if it is a traced value of another recording."""
        if isinstance(x, Recorded) and x.tracer is not self:
            raise TracingProblem(
                "a recorded value comes from another call",
                help="return the value from the function; do not keep it in a variable outside",
            )
        return x

    # --- places ---

    def span(self, place: Place) -> Span | None:
        """Return a place (start, end) in the file as a Span; None if the place is empty, which means unknown."""
        return Span(*place, self.source) if place[1] > place[0] else None

    def current_place(self) -> Place:
        """Return (start, end) of the expression that is being evaluated, as offsets in the file of the recorded
        function.

        It is that of the innermost call of a function of this file; (0, 0) without one, or if its place is not known.
        """
        frame: FrameType | None = sys._getframe()
        while frame is not None and frame.f_code.co_filename != self.file:
            frame = frame.f_back
        return _UNKNOWN if frame is None else self._place(frame.f_code, frame.f_lasti)

    def failed_at(self, error: BaseException) -> Span | None:
        """Return the span of the last frame in the traceback of `error` that is in the function's file; None without
        one, or if the place of that frame is not known.
        """
        span = None
        step = error.__traceback__
        while step is not None:
            if step.tb_frame.f_code.co_filename == self.file:
                span = self.span(self._place(step.tb_frame.f_code, step.tb_lasti))
            step = step.tb_next
        return span

    def _place(self, code: CodeType, instruction: int) -> Place:
        """Return (start, end) in the file, as offsets of characters, of the bytecode of `code` at the offset
        `instruction`.

        (0, 0) if Python does not know the place, or if it is beyond the text that was read. Positions of a `code` are
        cached.
        """
        positions = self._positions.get(code)
        if positions is None:
            positions = self._positions[code] = list(code.co_positions())
        first, last, start, end = positions[instruction // 2]
        if first is None or last is None or start is None or end is None or last > len(self._lines):
            return _UNKNOWN
        return self._offset(first, start), self._offset(last, end)

    def _offset(self, line: int, column: int) -> int:
        """Return the offset in the file, in characters, of a `line` (from 1) and a `column` in bytes (from 0)."""
        before = self._lines[line - 1].encode("utf-8")[:column]
        return self._starts[line - 1] + len(before.decode("utf-8", "replace"))

    def whole_line(self, number: int) -> Place:
        """Return (start, end) of the text on a line, without surrounding spaces; (0, 0) if there is no such line."""
        if not 0 < number <= len(self._lines):
            return _UNKNOWN
        line, start = self._lines[number - 1], self._starts[number - 1]
        return start + len(line) - len(line.lstrip()), start + len(line.rstrip())

    def line(self, place: Place) -> tuple[int, str] | None:
        """Return (number from 1, stripped text) of the line on which a place begins; None if the place is unknown."""
        if place[1] <= place[0]:
            return None
        number = self.source.position(place[0])[0]
        return number, self._lines[number - 1].strip()
