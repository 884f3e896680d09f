"""Where nan and infinity come from in a function of the user's: the operation that made the first, and its line.

The function is called once more, watched, and only where a derivative or a value is not finite; so that it costs
nothing where all is well.
"""

from __future__ import annotations

import contextlib
import sys
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from types import CodeType, FrameType
from typing import TYPE_CHECKING

from ..graph.overloading import plain
from ..numbers.numpy_arrays import np
from ..table.primitive import Primitive
from .core.traced import Traced, deeper, finite, lift, shape
from .traces import AppliedRow, Library

if TYPE_CHECKING:
    from .core.traced import Keywords, Kind, Ruled, Sources, Value

_HERE = str(Path(__file__).resolve().parent.parent)


class NotFinite(RuntimeWarning):
    """A value or a derivative of a Python function is nan or infinite."""


def tell(name: str, run: Callable[[Sequence[Value]], object], at: Sequence[Value]) -> None:
    """Warns of the first operation that is not finite at finite leaves; says nothing where there is none."""
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
    if watch.said:
        warnings.warn(f"{name}: {watch.said}", NotFinite, stacklevel=_outside()[1])


class Watch(Library):
    """A trace that remembers the first operation whose result, else whose slope, is not finite."""

    __slots__ = ("_slope", "_value")
    edges = None

    def __init__(self, level: int) -> None:
        super().__init__(level)
        self._value = self._slope = ""

    @property
    def said(self) -> str:
        return self._value or self._slope

    def elementwise(self, row: Primitive, m: Kind, z: Value, inside: tuple[Value, ...], sources: Sources) -> Traced:
        self._look(row.name, z, inside)
        if not self.said:
            applied = AppliedRow(row, m, z, inside)
            for k, _ in sources:
                slope = applied.partial(k)
                if not finite(slope):
                    self._slope = _told(f"the slope of {row.name}", slope, inside)
                    break
        return lift(z, self, None)

    def general(
        self, function: Ruled, z: Value, inside: Sequence[Value], keywords: Keywords, sources: Sources
    ) -> Traced:
        self._look(function.name, z, inside)
        return lift(z, self, None)

    def _look(self, name: str, z: Value, inside: Sequence[Value]) -> None:
        if not self._value and not finite(z) and all(map(finite, inside)):
            self._value = _told(name, z, inside)


def _told(what: str, z: Value, inside: Sequence[Value]) -> str:
    """The first number that is not finite, with the arguments that led to it and the line of the user's function."""
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
    return f"{what}{of} is {number!r}{place}{_line()}"


def _line() -> str:
    """The line that the user's function had come to; nothing where it is a function of this package itself."""
    frame, _ = _outside(until=tell.__code__)
    return "" if frame is None else f", in line {frame.f_lineno} of {Path(frame.f_code.co_filename).name}"


def _outside(until: CodeType | None = None) -> tuple[FrameType | None, int]:
    """The innermost call that is neither of this package nor of NumPy, and how many calls up it is."""
    numpy = sys.modules.get("numpy")
    inner = (_HERE, "<__array", *(() if numpy is None else numpy.__path__))
    frame: FrameType | None = sys._getframe(1)
    level = 1
    while frame is not None and (until is None or frame.f_code is not until):
        if not frame.f_code.co_filename.startswith(inner):
            return frame, level
        frame, level = frame.f_back, level + 1
    return None, level
