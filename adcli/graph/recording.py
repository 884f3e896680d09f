"""A Python function as a graph: it runs once on values that write down what is done to them."""

from __future__ import annotations

import linecache
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from types import CodeType, FrameType

from ..errors import DomainProblem, RequestError, Source, Span
from ..overriding import override
from ..table.primitive import Primitive
from .graph import Constant, Graph
from .overloading import TracingProblem, Tracked
from .rules import check_count, value_at

_LARGEST = 2_000_000  # operations after which a function counts as endless
Place = tuple[int, int]


class Recorded(Tracked):
    """A number and the slot of the graph that it came from; comparisons of equal numbers are counted."""

    __slots__ = ()
    tracer: Recording
    mark: int

    @override
    def __eq__(self, other: object) -> bool:
        return self._tied(other)

    def _tied(self, other: object) -> bool:
        """Whether the numbers are equal, of which the recording takes note: Python then chooses at a kink."""
        equal = bool(self.value == (other.value if isinstance(other, Recorded) else other))
        self.tracer.ties += equal
        return equal

    @override
    def __lt__(self, other: object) -> object:
        return False if self._tied(other) else super().__lt__(other)

    @override
    def __le__(self, other: object) -> object:
        return True if self._tied(other) else super().__le__(other)

    @override
    def __gt__(self, other: object) -> object:
        return False if self._tied(other) else super().__gt__(other)

    @override
    def __ge__(self, other: object) -> object:
        return True if self._tied(other) else super().__ge__(other)

    @override
    def __hash__(self) -> int:
        return hash(self.value)

    def __bool__(self) -> bool:
        return not self._tied(0)


def shown_path(file: str) -> str:
    """A file as messages name it: from the current folder, where it is below that."""
    folder = os.getcwd() + os.sep
    return file.removeprefix(folder)


class Recording:
    """A graph that a function of Python is writing, and where in the function's file each operation stands."""

    def __init__(self, function: Callable[..., object]) -> None:
        self.graph = Graph()
        self.ties = 0  # comparisons of equal numbers
        code = getattr(function, "__code__", None)
        self.file = code.co_filename if isinstance(code, CodeType) else ""
        lines = linecache.getlines(self.file) if self.file else []
        self.source = Source("".join(lines), shown_path(self.file) or None)
        self._starts = [0]
        for line in lines:
            self._starts.append(self._starts[-1] + len(line))
        self._lines = lines
        self._positions: dict[CodeType, list[tuple[int | None, int | None, int | None, int | None]]] = {}

    def input(self, name: str, value: float) -> Recorded:
        """A new input of this name."""
        return Recorded(value, self, self.graph.input(name))

    def constant(self, x: float, span: Place = (0, 0)) -> int:
        """The slot of a number that stands in the function."""
        text = repr(float(x)) if not float(x).is_integer() or abs(x) >= 1e16 else str(int(x))
        return self.graph.constant(Constant(text), span)

    def operate(self, row: Primitive, arguments: Sequence[object]) -> Recorded:
        """A new operation; NotImplemented for an operand that is no number.  Raises DomainProblem at its place."""
        check_count(row, len(arguments))
        operands: list[Recorded | float] = []
        for a in arguments:
            if not isinstance(a, (Recorded, float, int)):
                return NotImplemented  # type: ignore[no-any-return]
            if isinstance(a, Recorded) and a.tracer is not self:
                raise TracingProblem("a recorded value comes from another call", help="return it instead of keeping it")
            operands.append(a)
        if len(self.graph) > _LARGEST:
            raise RequestError(
                f"the function takes more than {_LARGEST} operations", help="trace fewer rounds of its loop"
            )
        span = self._span()
        try:
            value = value_at(row, tuple([float(a.value if isinstance(a, Recorded) else a) for a in operands]))
        except DomainProblem as problem:
            problem.span = self.span(span)
            raise
        parents = tuple([a.mark if isinstance(a, Recorded) else self.constant(a, span) for a in operands])
        return Recorded(value, self, self.graph.apply(row, parents, span))

    def output(self, name: str, x: object) -> None:
        """Takes a result of the function.  Raises RequestError for one that is no number."""
        if isinstance(x, Recorded):
            slot = x.mark
        elif isinstance(x, (int, float)):
            slot = self.constant(x)
        else:
            raise RequestError(
                "the function returns something that is no number",
                label=f"{name} is of type {type(x).__name__}",
                help="return a number, or a tuple, a list or a dict of numbers",
            )
        self.graph.outputs.append((name, slot))

    # --- places ---

    def span(self, place: Place) -> Span | None:
        """A place in the file as a span, where it is known."""
        return Span(*place, self.source) if place[1] > place[0] else None

    def _frames(self) -> Iterator[FrameType]:
        """The calls that are going on, innermost first, as far as they are of the function's own file."""
        frame: FrameType | None = sys._getframe(1)
        while frame is not None:
            if frame.f_code.co_filename == self.file:
                yield frame
            frame = frame.f_back

    def _span(self) -> Place:
        """Where the operation that is being done is written; (0, 0) where that is not known."""
        frame = next(self._frames(), None)
        if frame is None or not self._lines:
            return (0, 0)
        return self._place(frame.f_code, frame.f_lasti)

    def failed_at(self, error: BaseException) -> Span | None:
        """Where in the function's file an exception was raised."""
        found = None
        step = error.__traceback__
        while step is not None:
            if step.tb_frame.f_code.co_filename == self.file:
                found = self.span(self._place(step.tb_frame.f_code, step.tb_lasti))
            step = step.tb_next
        return found

    def _place(self, code: CodeType, instruction: int) -> Place:
        positions = self._positions.get(code)
        if positions is None:
            positions = self._positions[code] = list(code.co_positions())
        first, last, start, end = positions[instruction // 2]
        if first is None or last is None or start is None or end is None or last > len(self._lines):
            return (0, 0)
        return self._offset(first, start), self._offset(last, end)

    def _offset(self, line: int, column: int) -> int:
        """The offset of a column that is counted in bytes."""
        before = self._lines[line - 1].encode("utf-8")[:column]
        return self._starts[line - 1] + len(before.decode("utf-8", "replace"))

    def whole_line(self, number: int) -> Place:
        """All that is written on a line of the file; (0, 0) where there is no such line."""
        if not 0 < number <= len(self._lines):
            return (0, 0)
        line, start = self._lines[number - 1], self._starts[number - 1]
        return start + len(line) - len(line.lstrip()), start + len(line.rstrip())

    def line(self, place: Place) -> tuple[int, str] | None:
        """Number and text of the line that a place begins on."""
        if place[1] <= place[0]:
            return None
        number = self.source.position(place[0])[0]
        return number, self._lines[number - 1].strip()
