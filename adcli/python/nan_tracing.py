"""Tracing of nan and infinity in a Python function to the operation that made the first of them, and its line.

The function is called once more with traced arguments, and only if a derivative or a value is not finite, so that it
costs nothing otherwise.
"""

from __future__ import annotations

import contextlib
import sys
import warnings
from collections.abc import Callable
from pathlib import Path

from ..graph.overloading import plain
from ..numbers.numpy_arrays import np
from ..table.primitive import Primitive
from .core.contexts import deeper, user_frame
from .core.traced import Keywords, Kind, Ruled, Sources, Traced, Value, Values, finite, lift, shape
from .traces import AppliedRow, Library


class NotFinite(RuntimeWarning):
    """A warning: a value or a derivative of a Python function is nan or infinite."""


def warn_of_first_nan(name: str, run: Callable[[Values], object], at: Values) -> None:
    """Run a function again at finite leaves, and warn (NotFinite) of its first operation that is not finite: the first
    with such a value, or if there is none, the first with such a slope.

    `name` is the function in the message.  Nothing happens if a leaf is traced or not finite, if `run` raises an
    exception, or if all operations and their slopes are finite.
    """
    if any(isinstance(x, Traced) for x in at) or not all(map(finite, at)):
        return
    quiet = np.errstate(all="ignore") if "numpy" in sys.modules else contextlib.nullcontext()
    with deeper() as level, warnings.catch_warnings(), quiet:
        warnings.simplefilter("ignore")
        watch = Watch(level)
        try:
            run([lift(x, watch, None) for x in at])
        except Exception:
            return
    if watch.message:
        warnings.warn(f"{name}: {watch.message}", NotFinite, stacklevel=user_frame()[1])


class Watch(Library):
    """A trace that keeps a message about the first operation whose value is not finite; if there is none, about the
    first whose slope is not.
    """

    edges = None

    def __init__(self, level: int) -> None:
        super().__init__(level)
        self._value = self._slope = ""

    @property
    def message(self) -> str:
        """The message about the first value that is not finite, else about the first slope; "" if all are finite."""
        return self._value or self._slope

    def elementwise(self, row: Primitive, m: Kind, z: Value, inside: tuple[Value, ...], sources: Sources) -> Traced:
        """Return the traced result of the operation `row` on `inside`, after checking its value `z` and its slopes.

        The first value that is not finite, of finite arguments, takes precedence in the message over a slope, also over
        an earlier one. Slopes are only checked while there is no message. They are those of the arguments in `sources`,
        pairs (position, mark), in order, in the arithmetic `m`; the first that is not finite counts.
        """
        self._check_value(row.name, z, inside)
        if not self.message:
            call = AppliedRow(row, m, z, inside)
            for k, _ in sources:
                slope = call.partial(k)
                if not finite(slope):
                    self._slope = _describe(f"the slope of {row.name}", slope, inside)
                    break
        return lift(z, self, None)

    def general(self, function: Ruled, z: Value, inside: Values, keywords: Keywords, sources: Sources) -> Traced:
        """Check the value of a function with its own rule, and return its traced result."""
        self._check_value(function.name, z, inside)
        return lift(z, self, None)

    def _check_value(self, name: str, z: Value, inside: Values) -> None:
        """Keep a message if `z` is not finite although all arguments are, unless there is one already."""
        if not self._value and not finite(z) and all(map(finite, inside)):
            self._value = _describe(name, z, inside)


def _describe(operation: str, z: Value, inside: Values) -> str:
    """Return a message such as "log of 0.0 is -inf at index 2, in line 7 of f.py".

    `operation` names the operation or its slope, `z` is its value, `inside` are the arguments. z must have an element
    that is not finite. If z is an array, the message is about its first such element in row-major order, `at index 0,
    2`. The arguments (`of 0.0, 1.0`) are named by their elements at the same index, if each has the shape of z or is a
    number; otherwise they are left out. The line is that of the user's function; it is left out if no such function is
    on the stack.
    """
    z, arguments = plain(z), [plain(x) for x in inside]
    place = ""
    if shape(z):
        index = tuple(int(k) for k in np.argwhere(~np.isfinite(z))[0])
        place = f" at index {', '.join(map(str, index))}"
        if all(shape(x) in ((), shape(z)) for x in arguments):
            arguments = [x[index] if shape(x) else x for x in arguments]
        z = z[index]
    numbers = [repr(x.item() if hasattr(x, "dtype") else x) for x in arguments if not shape(x)]
    of = f" of {', '.join(numbers)}" if numbers and len(numbers) == len(arguments) else ""
    number = z.item() if hasattr(z, "dtype") else z
    return f"{operation}{of} is {number!r}{place}{_line_note()}"


def _line_note() -> str:
    """Return ", in line N of FILE" for the current line of the user's function; "" if it is not on the stack."""
    frame, _ = user_frame(until=warn_of_first_nan.__code__)
    return "" if frame is None else f", in line {frame.f_lineno} of {Path(frame.f_code.co_filename).name}"
